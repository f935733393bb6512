// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	karpreqs "sigs.k8s.io/karpenter/pkg/scheduling"
)

// plan is the decision part of a Plan (docs/formats.md).
type plan struct {
	Launches      []launch    `json:"launches"`
	Placements    []placement `json:"placements"`
	Unschedulable []refused   `json:"unschedulable"`
	Ignored       []refused   `json:"ignored"`
}

type launch struct {
	NodePool      string            `json:"nodePool"`
	Pods          []string          `json:"pods"`
	Requests      map[string]string `json:"requests"`
	Requirements  []entry           `json:"requirements"`
	InstanceTypes []string          `json:"instanceTypes"`
}

type entry struct {
	Key       string   `json:"key"`
	Operator  string   `json:"operator"`
	Values    []string `json:"values"`
	MinValues *int     `json:"minValues,omitempty"`
}

type placement struct {
	Node string   `json:"node"`
	Pods []string `json:"pods"`
}

type refused struct {
	Pod     string `json:"pod"`
	Message string `json:"message"`
}

func newPlan(results scheduling.Results, ignored map[string]error) *plan {
	p := &plan{Launches: []launch{}, Placements: []placement{}, Unschedulable: []refused{}, Ignored: []refused{}}
	for _, claim := range results.NewNodeClaims {
		p.Launches = append(p.Launches, newLaunch(claim))
	}
	for _, node := range results.ExistingNodes {
		if len(node.Pods) > 0 {
			p.Placements = append(p.Placements, placement{node.Name(), keys(node.Pods)})
		}
	}
	for pod, err := range results.PodErrors {
		p.Unschedulable = append(p.Unschedulable, refused{key(pod), err.Error()})
	}
	for pod, err := range ignored {
		p.Ignored = append(p.Ignored, refused{pod, err.Error()})
	}
	slices.SortFunc(p.Launches, func(a, b launch) int {
		return cmp.Or(strings.Compare(a.NodePool, b.NodePool), slices.Compare(a.Pods, b.Pods))
	})
	slices.SortFunc(p.Placements, func(a, b placement) int { return strings.Compare(a.Node, b.Node) })
	byPod := func(a, b refused) int { return strings.Compare(a.Pod, b.Pod) }
	slices.SortFunc(p.Unschedulable, byPod)
	slices.SortFunc(p.Ignored, byPod)
	return p
}

func keys(pods []*corev1.Pod) []string {
	out := []string{}
	for _, pod := range pods {
		out = append(out, key(pod))
	}
	slices.Sort(out)
	return out
}

func newLaunch(claim *scheduling.NodeClaim) launch {
	l := launch{
		NodePool: claim.NodePoolName, Pods: keys(claim.Pods), Requests: map[string]string{}, Requirements: []entry{},
		InstanceTypes: byPrice(claim.InstanceTypeOptions, claim.Requirements),
	}
	for name, amount := range claim.Spec.Resources.Requests {
		l.Requests[string(name)] = amount.String()
	}
	for name, r := range claim.Requirements {
		if name != corev1.LabelHostname && name != v1.NodeRegisteredLabelKey && name != v1.NodeInitializedLabelKey {
			l.Requirements = append(l.Requirements, entries(r)...)
		}
	}
	slices.SortStableFunc(l.Requirements, func(a, b entry) int { return strings.Compare(a.Key, b.Key) })
	return l
}

// entries are a requirement's values, then its bounds.
func entries(r *karpreqs.Requirement) []entry {
	values := append([]string{}, r.Values()...)
	slices.Sort(values)
	out := []entry{{r.Key, string(r.Operator()), values, minValues(r)}}
	if r.Operator() != corev1.NodeSelectorOpExists && r.Operator() != corev1.NodeSelectorOpNotIn {
		return out
	}
	bounds := []v1.NodeSelectorRequirementWithMinValues{r.NodeSelectorRequirement()}
	if bounds[0].Operator == v1.NodeSelectorOpGte && strings.Contains(r.String(), " <=") {
		bounds = r.BoundedNodeSelectorRequirements()
	}
	for _, b := range bounds {
		if b.Operator == v1.NodeSelectorOpGte || b.Operator == v1.NodeSelectorOpLte {
			out = append(out, entry{b.Key, string(b.Operator), b.Values, b.MinValues})
		}
	}
	return out
}

// byPrice are the types' names, each once, the cheapest offering that fits first; among equals by name. Karpenter leaves
// open which of equals comes first.
func byPrice(list []*cloudprovider.InstanceType, allowed karpreqs.Requirements) []string {
	price := func(t *cloudprovider.InstanceType) float64 {
		offers := launchable(t.Offerings).Compatible(allowed)
		if len(offers) == 0 {
			return math.MaxFloat64
		}
		return offers.Cheapest().Price
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b *cloudprovider.InstanceType) int {
		return cmp.Or(cmp.Compare(price(a), price(b)), strings.Compare(a.Name, b.Name))
	})
	names := []string{}
	for _, t := range list {
		if !slices.Contains(names, t.Name) {
			names = append(names, t.Name)
		}
	}
	return names
}
