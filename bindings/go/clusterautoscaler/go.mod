module libkarp.dev/go/clusterautoscaler

go 1.26.0

require (
	k8s.io/api v0.37.2
	k8s.io/apimachinery v0.37.2
	k8s.io/component-helpers v0.37.2
	k8s.io/klog/v2 v2.140.0
	libkarp.dev/go v0.0.0
	libkarp.dev/go/corev1 v0.0.0
	sigs.k8s.io/cluster-autoscaler v0.0.0-20260821162314-33c3f97bf274
)

replace libkarp.dev/go => ../

replace libkarp.dev/go/corev1 => ../corev1
