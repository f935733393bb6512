// SPDX-License-Identifier: Apache-2.0

package clusterautoscaler

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/cluster-autoscaler/pkg/cloudprovider"
	ca_context "sigs.k8s.io/cluster-autoscaler/pkg/context"
	"sigs.k8s.io/cluster-autoscaler/pkg/core/scaleup/equivalence"
	"sigs.k8s.io/cluster-autoscaler/pkg/estimator"
	"sigs.k8s.io/cluster-autoscaler/pkg/expander"
	"sigs.k8s.io/cluster-autoscaler/pkg/processors/status"
	"sigs.k8s.io/cluster-autoscaler/pkg/resourcequotas"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"

	karp "libkarp.dev/go"
)

// A Simulator decides in one pass which node groups grow by how much: it is the ScaleUpSimulator that kubernetes/autoscaler#10000 proposes.
type Simulator struct {
	Converter Converter
	// Fallback simulates what libkarp cannot: it is asked for pods with claims of volumes or devices, or with a namespaceSelector. nil = they
	// stay pending.
	Fallback ScaleUpSimulator
}

// ScaleUpSimulator is the interface of the proposal.
type ScaleUpSimulator interface {
	Simulate(autoscalingCtx *ca_context.AutoscalingContext, podEquivalenceGroups []*equivalence.PodGroup, unschedulablePods []*corev1.Pod,
		nodes []*corev1.Node, nodeGroups []cloudprovider.NodeGroup, nodeInfos map[string]*framework.NodeInfo, tracker *resourcequotas.Tracker,
		now time.Time, allOrNothing bool) ([][]expander.Option, map[string]status.Reasons, map[string][]estimator.PodEquivalenceGroup, error)
}

var _ ScaleUpSimulator = &Simulator{}

// Why a node group is not considered.
type skipped string

func (s skipped) Reasons() []string { return []string{string(s)} }

// Simulate returns decisions, each a list of equally valid groups, the cheapest first, with the number of nodes and their pods; the groups
// that are not considered, with the reason; and for each group that some pods can go to, these pods. A list of alternatives is for an
// expander, so the pods of a decision are the same in all of its options. SimilarNodeGroups is empty and not nil, since a plan has chosen
// the zone. The tracker is not asked: the caller caps the nodes by its quotas, as it does for the groups' sizes of other simulators.
func (s *Simulator) Simulate(autoscalingCtx *ca_context.AutoscalingContext, podEquivalenceGroups []*equivalence.PodGroup, unschedulablePods []*corev1.Pod,
	nodes []*corev1.Node, nodeGroups []cloudprovider.NodeGroup, nodeInfos map[string]*framework.NodeInfo, tracker *resourcequotas.Tracker, now time.Time,
	allOrNothing bool) ([][]expander.Option, map[string]status.Reasons, map[string][]estimator.PodEquivalenceGroup, error) {
	conversion, err := s.Converter.Convert(nodeGroups, nodeInfos)
	if err != nil {
		return nil, nil, nil, err
	}
	run := &simulation{conversion: conversion, room: map[string]int{}, options: [][]expander.Option{}, possible: map[string][]estimator.PodEquivalenceGroup{}}
	reasons, err := run.rooms(nodeGroups)
	if err != nil {
		return nil, nil, nil, err
	}
	var mine []estimator.PodEquivalenceGroup
	var others []*equivalence.PodGroup
	for _, group := range podEquivalenceGroups {
		if len(group.Pods) > 0 && unsupported(group.Pods[0]) != nil {
			others = append(others, group)
		} else {
			mine = append(mine, estimator.PodEquivalenceGroup{Pods: group.Pods})
		}
	}
	if autoscalingCtx != nil {
		if run.cluster, err = around(autoscalingCtx.ClusterSnapshot, mine); err != nil {
			return nil, nil, nil, err
		}
	}
	for again := true; again; {
		if again, err = run.pass(mine); err != nil {
			return nil, nil, nil, err
		}
		mine = run.left
	}
	if len(others) > 0 && s.Fallback != nil {
		options, _, possible, err := s.Fallback.Simulate(autoscalingCtx, others, podsOf(others), nodes, nodeGroups, nodeInfos, tracker, now, allOrNothing)
		if err != nil {
			return nil, nil, nil, err
		}
		for _, alternatives := range options {
			run.options = append(run.options, alternatives)
			if len(alternatives) > 0 {
				run.placed += len(alternatives[0].Pods)
			}
		}
		for id, groups := range possible {
			run.possible[id] = append(run.possible[id], groups...)
		}
	}
	if allOrNothing && run.placed < len(unschedulablePods) {
		run.options = nil
	}
	return run.options, reasons, run.possible, nil
}

func podsOf(groups []*equivalence.PodGroup) []*corev1.Pod {
	var out []*corev1.Pod
	for _, g := range groups {
		out = append(out, g.Pods...)
	}
	return out
}

type simulation struct {
	conversion *Conversion
	cluster    []*framework.NodeInfo
	room       map[string]int // how many more nodes each group can have
	options    [][]expander.Option
	possible   map[string][]estimator.PodEquivalenceGroup
	left       []estimator.PodEquivalenceGroup
	placed     int
}

// rooms finds how much each group can grow, and the reasons of those that cannot.
func (r *simulation) rooms(nodeGroups []cloudprovider.NodeGroup) (map[string]status.Reasons, error) {
	reasons, known := map[string]status.Reasons{}, map[string]bool{}
	for _, g := range r.conversion.Groups {
		size, err := g.NodeGroup.TargetSize()
		if err != nil {
			return nil, fmt.Errorf("node group %s: %w", g.id, err)
		}
		r.room[g.id], known[g.id] = g.NodeGroup.MaxSize()-size, true
		if !g.Available {
			reasons[g.id] = skipped("max node group size reached")
		}
	}
	for _, nodeGroup := range nodeGroups {
		if !known[nodeGroup.Id()] {
			reasons[nodeGroup.Id()] = skipped("no node template")
		}
	}
	return reasons, nil
}

// pass plans, and gives the launches to groups while these have room. It says whether a group was filled, so that the pods that are left can
// have another one: then they are planned again, among the nodes that were decided.
func (r *simulation) pass(groups []estimator.PodEquivalenceGroup) (bool, error) {
	r.left = nil
	w, err := newWorld(r.conversion)
	if err != nil {
		return false, err
	}
	defer w.close()
	if err := w.addCluster(r.cluster); err != nil {
		return false, err
	}
	for i, group := range groups {
		if err := w.place("group-"+strconv.Itoa(i), group.Pods...); err != nil {
			return false, err
		}
	}
	if len(w.pods) == 0 {
		return false, nil
	}
	plan, err := w.provision(&karp.Options{PeerVersion: karp.Peer1_15})
	if err != nil {
		return false, err
	}
	defer plan.Close()
	launches, err := plan.Launches()
	if err != nil {
		return false, err
	}
	refused := map[*corev1.Pod]bool{}
	for _, claims := range alike(launches) {
		if err := r.decide(w, claims, refused); err != nil {
			return false, err
		}
	}
	return len(refused) > 0 && r.refuse(groups, refused), nil
}

// refuse keeps the pods that had no room, in their groups, and takes full groups out. False = nothing changes by another pass.
func (r *simulation) refuse(groups []estimator.PodEquivalenceGroup, refused map[*corev1.Pod]bool) bool {
	for _, group := range groups {
		var pods []*corev1.Pod
		for _, pod := range group.Pods {
			if refused[pod] {
				pods = append(pods, pod)
			}
		}
		if len(pods) > 0 {
			r.left = append(r.left, estimator.PodEquivalenceGroup{Pods: pods})
		}
	}
	changed := false
	for _, g := range r.conversion.Groups {
		if g.Available && r.room[g.id] <= 0 {
			g.Available, changed = false, true
		}
	}
	return changed
}

// alike puts launches together that ask for the same, in their order.
func alike(launches []karp.Launch) [][]*karp.Launch {
	var out [][]*karp.Launch
	at := map[string]int{}
	for i := range launches {
		l := &launches[i]
		var key strings.Builder
		fmt.Fprintf(&key, "%s %q", l.NodePool, l.InstanceTypes)
		for _, q := range l.Requirements {
			if q.Key != corev1.LabelHostname {
				fmt.Fprintf(&key, " %q %d %q", q.Key, q.Op, q.Values)
			}
		}
		n, known := at[key.String()]
		if !known {
			n = len(out)
			at[key.String()] = n
			out = append(out, nil)
		}
		out[n] = append(out[n], l)
	}
	return out
}

// decide makes decisions of claims that are alike: as many nodes as there is room for in the cheapest group that meets them, then the next.
func (r *simulation) decide(w *world, claims []*karp.Launch, refused map[*corev1.Pod]bool) error {
	var groups []*Group
	for _, g := range r.conversion.Groups {
		if g.Available && g.meets(claims[0]) {
			groups = append(groups, g)
		}
	}
	slices.SortStableFunc(groups, func(a, b *Group) int {
		switch {
		case a.Price < b.Price:
			return -1
		case a.Price > b.Price:
			return 1
		}
		return 0
	})
	pods := make([][]*corev1.Pod, len(claims))
	for i, claim := range claims {
		for _, name := range claim.Pods {
			number, err := strconv.Atoi(name[strings.IndexByte(name, '/')+1:])
			if err != nil || number >= len(w.pods) {
				return fmt.Errorf("the plan has a pod %q", name)
			}
			pods[i] = append(pods[i], w.pods[number])
		}
	}
	for n, g := range groups {
		count := min(r.room[g.id], len(pods))
		if count <= 0 {
			continue
		}
		together := slices.Concat(pods[:count]...)
		var alternatives []expander.Option
		for _, other := range groups[n:] {
			if r.room[other.id] >= count {
				alternatives = append(alternatives, expander.Option{NodeGroup: other.NodeGroup, SimilarNodeGroups: []cloudprovider.NodeGroup{}, NodeCount: count, Pods: together})
			}
			r.possible[other.id] = append(r.possible[other.id], estimator.PodEquivalenceGroup{Pods: together})
		}
		r.options = append(r.options, alternatives)
		if err := r.stand(g, pods[:count]); err != nil {
			return err
		}
		r.room[g.id] -= count
		r.placed += len(together)
		pods = pods[count:]
	}
	for _, list := range pods {
		for _, pod := range list {
			refused[pod] = true
		}
	}
	return nil
}

// stand adds the nodes of a decision to the cluster of a later pass.
func (r *simulation) stand(g *Group, nodes [][]*corev1.Pod) error {
	for _, pods := range nodes {
		node := g.Template.Node().DeepCopy()
		node.Name = fmt.Sprintf("decided-%d", len(r.cluster))
		node.UID, node.Labels = "", cloned(g.labels)
		node.Labels[corev1.LabelHostname] = node.Name
		infos := make([]*framework.PodInfo, 0, len(pods)+len(g.daemons))
		for _, pod := range append(slices.Clone(g.daemons), pods...) {
			infos = append(infos, framework.NewPodInfo(pod, nil))
		}
		r.cluster = append(r.cluster, framework.NewNodeInfo(node, nil, infos...))
	}
	return nil
}

func cloned(from map[string]string) map[string]string {
	out := make(map[string]string, len(from)+1)
	for key, value := range from {
		out[key] = value
	}
	return out
}

// meets says whether a node of the group is what a launch asks for.
func (g *Group) meets(launch *karp.Launch) bool {
	if g.NodePool != launch.NodePool || !slices.Contains(launch.InstanceTypes, g.InstanceType) {
		return false
	}
	for i := range launch.Requirements {
		q := &launch.Requirements[i]
		value, has := g.labels[q.Key]
		switch {
		case strings.HasPrefix(q.Key, "karpenter.sh/") && q.Key != capacityTypeLabel, q.Key == corev1.LabelHostname, q.Key == classLabel:
		case q.Key == corev1.LabelInstanceTypeStable: // InstanceTypes say it
		case !met(q, value, has):
			return false
		}
	}
	return true
}

func met(q *karp.Requirement, value string, has bool) bool {
	number, err := strconv.ParseInt(value, 10, 64)
	bound := func() int64 {
		if len(q.Values) != 1 {
			return 0
		}
		limit, _ := strconv.ParseInt(q.Values[0], 10, 64)
		return limit
	}
	switch q.Op {
	case karp.OpIn:
		return has && slices.Contains(q.Values, value)
	case karp.OpNotIn:
		return !has || !slices.Contains(q.Values, value)
	case karp.OpExists:
		return has
	case karp.OpDoesNotExist:
		return !has
	case karp.OpGt:
		return has && err == nil && number > bound()
	case karp.OpLt:
		return has && err == nil && number < bound()
	case karp.OpGte:
		return has && err == nil && number >= bound()
	case karp.OpLte:
		return has && err == nil && number <= bound()
	}
	return false
}
