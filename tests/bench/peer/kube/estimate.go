// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"sort"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/cluster-autoscaler/pkg/estimator"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot/predicate"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot/store"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
)

// group is the node group of an instance type: its template, in the zone of its cheapest offering, and that price.
type group struct {
	template *framework.NodeInfo
	price    float64
}

func groupOf(t instanceType) *group {
	g := &group{price: math.Inf(1)}
	labels := map[string]string{corev1.LabelHostname: t.Name, corev1.LabelInstanceTypeStable: t.Name}
	set := func(list []requirement) {
		for _, r := range list {
			if len(r.Values) == 1 {
				labels[r.Key] = r.Values[0]
			}
		}
	}
	set(t.Requirements)
	for _, o := range t.Offerings {
		if o.Available && o.Price < g.price {
			g.price = o.Price
			set(o.Requirements)
		}
	}
	allocatable := t.Capacity.DeepCopy()
	for _, part := range t.Overhead {
		for name, amount := range part {
			left := allocatable[name]
			left.Sub(amount)
			allocatable[name] = left
		}
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: t.Name, Labels: labels}, Status: corev1.NodeStatus{Capacity: t.Capacity, Allocatable: allocatable,
		Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}}}
	g.template = framework.NewNodeInfo(node, nil)
	return g
}

// equal pods, as cluster-autoscaler groups those of a controller.
func groupPods(pods []*corev1.Pod) []estimator.PodEquivalenceGroup {
	var out []estimator.PodEquivalenceGroup
	for _, pod := range pods {
		found := false
		for i := len(out) - 1; i >= 0 && !found && i >= len(out)-64; i-- {
			first := out[i].Pods[0]
			if found = equality.Semantic.DeepEqual(first.Labels, pod.Labels) && equality.Semantic.DeepEqual(first.Spec, pod.Spec); found {
				out[i].Pods = append(out[i].Pods, pod)
			}
		}
		if !found {
			out = append(out, estimator.PodEquivalenceGroup{Pods: []*corev1.Pod{pod}})
		}
	}
	return out
}

type estimated struct {
	Pods   int     `json:"pods"`
	Groups int     `json:"groups"` // node groups that were looked at
	Took   int     `json:"placed"` // pods of the best node group
	Nodes  int     `json:"nodes"`
	Price  float64 `json:"price"`
	Solve  float64 `json:"solve_s"`
}

// The node group that takes the most pods, and of these the cheapest, as the price expander counts it.
func estimate(w *world) (any, error) {
	pods := groupPods(w.pending)
	handle, err := framework.NewTestFrameworkHandle()
	if err != nil {
		return nil, err
	}
	sort.Slice(w.types, func(i, j int) bool { return w.types[i].Name < w.types[j].Name })
	out := estimated{Pods: len(w.pending)}
	for _, t := range w.types {
		g := groupOf(t)
		if math.IsInf(g.price, 1) {
			continue
		}
		snapshot := predicate.NewPredicateSnapshot(store.NewDeltaSnapshotStore(), handle, false, 1, false, 0)
		limit := estimator.NewThresholdBasedEstimationLimiter([]estimator.Threshold{estimator.NewStaticThreshold(0, 0)})
		packing := estimator.NewBinpackingNodeEstimator(snapshot, limit, estimator.NewDecreasingPodOrderer(), nil, nil, false)
		before := processor()
		nodes, placed := packing.Estimate(pods, g.template, nil)
		out.Solve += processor() - before
		out.Groups++
		price := float64(nodes) * g.price
		if len(placed) > out.Took || (len(placed) == out.Took && price < out.Price) {
			out.Took, out.Nodes, out.Price = len(placed), nodes, price
		}
	}
	return out, nil
}
