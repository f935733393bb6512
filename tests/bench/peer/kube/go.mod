module libkarp.dev/bench/kube

go 1.26.0

require (
	k8s.io/api v0.37.2
	k8s.io/apimachinery v0.37.2
	k8s.io/client-go v0.37.2
	k8s.io/klog/v2 v2.140.0
	k8s.io/kubernetes v1.37.2
	sigs.k8s.io/cluster-autoscaler v0.0.0-20260821162314-33c3f97bf274
)
