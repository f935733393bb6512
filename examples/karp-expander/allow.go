// SPDX-License-Identifier: Apache-2.0

package main

import v1 "k8s.io/api/core/v1"

// groupLabel is on the nodes of every pool here, with the pool's name. Pods that not every group offers ask for it.
const groupLabel = "karp-expander/group"

// Allowances say which groups offer a pod, for the pods that some group does not. Cluster-autoscaler has tried each pod on
// each template with all it knows of the cluster; the plan keeps to that.
type allowances map[uint32][]string

// allowancesOf reads them from the options, whose groups are in the same order.
func allowancesOf(r *request, groups []*group) allowances {
	offers := make([]uint32, len(r.pods)) // by how many options
	last := make([]uint32, len(r.pods))   // one more than the option that did last: a pod may be in it twice
	each := func(what func(option int, pod uint32)) {
		clear(last)
		for i := range r.options {
			for _, pod := range r.options[i].pods {
				if last[pod] != uint32(i)+1 {
					last[pod] = uint32(i) + 1
					what(i, pod)
				}
			}
		}
	}
	each(func(_ int, pod uint32) { offers[pod]++ })
	allowed := allowances{}
	each(func(option int, pod uint32) {
		if offers[pod] < uint32(len(r.options)) {
			allowed[pod] = append(allowed[pod], groups[option].pool)
		}
	})
	return allowed
}

// restrict makes the pod ask for the groups that offer it.
func (a allowances) restrict(pod *v1.Pod, index uint32) {
	names, some := a[index]
	if !some {
		return
	}
	pod.Spec.Affinity = pod.Spec.Affinity.DeepCopy() // others have the same spec
	if pod.Spec.Affinity == nil {
		pod.Spec.Affinity = &v1.Affinity{}
	}
	if pod.Spec.Affinity.NodeAffinity == nil {
		pod.Spec.Affinity.NodeAffinity = &v1.NodeAffinity{}
	}
	nodes := pod.Spec.Affinity.NodeAffinity
	if nodes.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		nodes.RequiredDuringSchedulingIgnoredDuringExecution = &v1.NodeSelector{}
	}
	required := nodes.RequiredDuringSchedulingIgnoredDuringExecution
	if len(required.NodeSelectorTerms) == 0 {
		required.NodeSelectorTerms = make([]v1.NodeSelectorTerm, 1)
	}
	one := v1.NodeSelectorRequirement{Key: groupLabel, Operator: v1.NodeSelectorOpIn, Values: names}
	for i := range required.NodeSelectorTerms { // they are alternatives
		term := &required.NodeSelectorTerms[i]
		term.MatchExpressions = append(term.MatchExpressions, one)
	}
}
