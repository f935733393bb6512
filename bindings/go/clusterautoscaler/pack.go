// SPDX-License-Identifier: Apache-2.0

package clusterautoscaler

import (
	"context"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	resources "k8s.io/component-helpers/resource"
	scheduling "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
	"sigs.k8s.io/cluster-autoscaler/pkg/estimator"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"

	karp "libkarp.dev/go"
	feed "libkarp.dev/go/corev1"
)

var one = resource.MustParse("1")

// Pods that do not look at others are packed by amounts alone, those that are alike at once.

// A packing is amounts that groups of pods ask for, and what a new node has.
type packing struct {
	request karp.FitRequest
	groups  []estimator.PodEquivalenceGroup // of each demand
}

// packingOf is nil where amounts are not all that counts: for spread constraints, and for affinities but of pods that stay apart from their
// like on a node.
func packingOf(groups []estimator.PodEquivalenceGroup, template *framework.NodeInfo, effort uint64) *packing {
	out := &packing{request: karp.FitRequest{Cost: true, Effort: effort}}
	free := corev1.ResourceList{}
	for name, amount := range template.Node().Status.Allocatable {
		free[name] = amount.DeepCopy()
	}
	for _, own := range template.Pods() {
		if ports(own.Pod) == nil || len(together(own.Pod))+len(apart(own.Pod)) > 0 {
			return nil
		}
		for name, amount := range resources.PodRequests(own.Pod, resources.PodResourcesOptions{}) {
			left := free[name]
			left.Sub(amount)
			free[name] = left
		}
		pods := free[corev1.ResourcePods]
		pods.Sub(one)
		free[corev1.ResourcePods] = pods
	}
	node := feed.Amounts(free)
	known := map[string]bool{}
	for _, group := range groups {
		pod := group.Exemplar()
		if pod == nil {
			continue
		}
		taken, most := ports(pod), mostPerNode(pod, groups, template)
		if taken == nil || most < 0 {
			return nil
		}
		if !allowed(pod, template.Node()) {
			continue
		}
		demand := karp.FitDemand{Requests: requestsOf(pod), Count: uint64(len(group.Pods)), MaxPerNode: uint64(most)}
		for _, port := range taken {
			if !known[port] {
				known[port] = true
				node = append(node, karp.Resource{Name: port, Value: room(port, template)})
			}
			demand.Requests = append(demand.Requests, karp.Resource{Name: port, Value: 1})
		}
		out.request.Demands, out.groups = append(out.request.Demands, demand), append(out.groups, group)
	}
	out.request.Types = []karp.FitType{{Name: template.Node().Name, Resources: node, Price: 1}}
	return out
}

func requestsOf(pod *corev1.Pod) []karp.Resource {
	amounts := resources.PodRequests(pod, resources.PodResourcesOptions{})
	amounts[corev1.ResourcePods] = one
	out := feed.Amounts(amounts)
	return slices.DeleteFunc(out, func(r karp.Resource) bool { return r.Text == "" && r.Value == 0 || r.Text == "0" })
}

// ports are the host ports of a pod as names of resources of which a node has one. nil = one is for a certain address.
func ports(pod *corev1.Pod) []string {
	out := []string{}
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			for _, port := range containers[i].Ports {
				if port.HostPort == 0 {
					continue
				}
				if port.HostIP != "" && port.HostIP != "0.0.0.0" {
					return nil
				}
				protocol := port.Protocol
				if protocol == "" {
					protocol = corev1.ProtocolTCP
				}
				out = append(out, "host-port/"+string(protocol)+"-"+strconv.Itoa(int(port.HostPort)))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// room is 0 where a DaemonSet has the port.
func room(port string, template *framework.NodeInfo) int64 {
	for _, own := range template.Pods() {
		if slices.Contains(ports(own.Pod), port) {
			return 0
		}
	}
	return 1
}

// mostPerNode is 1 for pods that stay apart from their like on a node, 0 for any number; -1 = other pods count as well.
func mostPerNode(pod *corev1.Pod, groups []estimator.PodEquivalenceGroup, template *framework.NodeInfo) int {
	if len(pod.Spec.TopologySpreadConstraints) > 0 || len(together(pod)) > 0 {
		return -1
	}
	most := 0
	for _, term := range apart(pod) {
		selector, err := metav1.LabelSelectorAsSelector(term.LabelSelector)
		if err != nil || term.TopologyKey != corev1.LabelHostname || len(term.Namespaces) > 0 || term.NamespaceSelector != nil || len(term.MatchLabelKeys) > 0 ||
			len(term.MismatchLabelKeys) > 0 || !selector.Matches(labels.Set(pod.Labels)) {
			return -1
		}
		for _, other := range groups {
			if o := other.Exemplar(); o != nil && o != pod && o.Namespace == pod.Namespace && selector.Matches(labels.Set(o.Labels)) {
				return -1
			}
		}
		for _, own := range template.Pods() {
			if own.Namespace == pod.Namespace && selector.Matches(labels.Set(own.Labels)) {
				return -1
			}
		}
		most = 1
	}
	return most
}

// allowed says whether nodes like the template can have the pod, whatever it asks for.
func allowed(pod *corev1.Pod, node *corev1.Node) bool {
	matches, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node)
	if err != nil || !matches {
		return false
	}
	_, untolerated := scheduling.FindMatchingUntoleratedTaint(klog.Background(), node.Spec.Taints, pod.Spec.Tolerations, func(t *corev1.Taint) bool {
		return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
	}, true)
	return !untolerated
}

// nodes are the pods of each node.
func (p *packing) nodes() ([][]*corev1.Pod, error) {
	fitting, err := karp.Fit(context.Background(), nil, &p.request)
	if err != nil {
		return nil, err
	}
	next := make([]int, len(p.groups)) // the first pod of each group that has no place
	var out [][]*corev1.Pod
	for _, load := range fitting.Loads {
		for range load.Nodes {
			var pods []*corev1.Pod
			for _, share := range load.Shares {
				first := next[share.Demand]
				next[share.Demand] += int(share.Copies)
				pods = append(pods, p.groups[share.Demand].Pods[first:next[share.Demand]]...)
			}
			if len(pods) > 0 {
				out = append(out, pods)
			}
		}
	}
	return out, nil
}
