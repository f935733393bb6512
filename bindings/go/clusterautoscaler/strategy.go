// SPDX-License-Identifier: Apache-2.0

package clusterautoscaler

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"sigs.k8s.io/cluster-autoscaler/pkg/expander"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"

	karp "libkarp.dev/go"
)

// A Strategy chooses the node group that is to grow by a plan for the pods of all options, with a NodePool for each group: the group that
// takes most pods, of equals the one with the cheaper node, then the first by id. It is an expander.Strategy.
type Strategy struct {
	Converter Converter
	// Effort is as for karp.Options: with it, the plan is the cheapest that so many steps find. 0 = Karpenter's plan, which asks the group
	// whose nodes cost least per pod first.
	Effort uint64
	// Fallback chooses where libkarp cannot. nil = nobody, and no group grows.
	Fallback expander.Strategy
}

// BestOption is one of the options, or nil where no group takes a pod.
func (s *Strategy) BestOption(options []expander.Option, nodeInfos map[string]*framework.NodeInfo) *expander.Option {
	best, err := s.best(options, nodeInfos)
	if err == nil {
		return best
	}
	if s.Fallback != nil {
		klog.V(4).Infof("libkarp: %v; the other strategy is asked", err)
		return s.Fallback.BestOption(options, nodeInfos)
	}
	klog.Errorf("libkarp: no best option: %v", err)
	return nil
}

func (s *Strategy) best(options []expander.Option, nodeInfos map[string]*framework.NodeInfo) (*expander.Option, error) {
	if len(options) == 0 {
		return nil, nil
	}
	groups := make([]*Group, len(options))
	for i := range options {
		id := options[i].NodeGroup.Id()
		if nodeInfos[id] == nil || nodeInfos[id].Node() == nil {
			return nil, fmt.Errorf("node group %s has no template", id)
		}
		groups[i] = &Group{NodeGroup: options[i].NodeGroup, Template: nodeInfos[id], Price: s.Converter.price(nodeInfos[id].Node()), Available: true, id: id}
	}
	s.order(groups, options)
	taken, err := s.plan(groups, options)
	if err != nil {
		return nil, err
	}
	first := slices.MinFunc(groups, func(a, b *Group) int {
		return cmp.Or(cmp.Compare(taken[b.NodePool], taken[a.NodePool]), cmp.Compare(a.Price, b.Price), cmp.Compare(a.id, b.id))
	})
	if taken[first.NodePool] == 0 {
		return nil, nil
	}
	for i := range options {
		if options[i].NodeGroup.Id() == first.id {
			return &options[i], nil
		}
	}
	return nil, nil
}

// order gives the group whose nodes, as many as are estimated, cost least per pod the highest weight: Karpenter asks NodePools by weight.
func (s *Strategy) order(groups []*Group, options []expander.Option) {
	perPod := map[string]float64{}
	for i, g := range groups {
		perPod[g.id] = math.Inf(1)
		if pods := len(options[i].Pods); pods > 0 {
			perPod[g.id] = math.Round(g.Price*float64(max(1, options[i].NodeCount))/float64(pods)*1e6) / 1e6
		}
	}
	order := slices.Clone(groups)
	slices.SortFunc(order, func(a, b *Group) int {
		return cmp.Or(cmp.Compare(perPod[a.id], perPod[b.id]), cmp.Compare(a.Price, b.Price), cmp.Compare(a.id, b.id))
	})
	for i, g := range order {
		g.weight = int32(len(order) - i)
	}
}

// plan is how many pods each NodePool takes.
func (s *Strategy) plan(groups []*Group, options []expander.Option) (map[string]int, error) {
	conversion := convert(groups, true)
	for i, g := range groups {
		g.labels[groupLabel] = fmt.Sprint(i)
	}
	w, err := newWorld(conversion)
	if err != nil {
		return nil, err
	}
	defer w.close()
	if err := w.offer(options, groups); err != nil {
		return nil, err
	}
	how := &karp.Options{PeerVersion: karp.Peer1_15}
	if s.Effort > 0 {
		how = &karp.Options{PlainKarp: true, Cost: true, Effort: s.Effort, IgnorePreferences: true, IgnoreWeights: true}
	}
	plan, err := w.provision(how)
	if err != nil {
		return nil, err
	}
	defer plan.Close()
	launches, err := plan.Table(karp.TableLaunches)
	if err != nil {
		return nil, err
	}
	taken, pods := map[string]int{}, launches.Column("pods")
	for i, pool := range launches.Column("node_pool").Text {
		taken[pool] += int(pods.Offsets[i+1] - pods.Offsets[i])
	}
	return taken, nil
}

// offer adds each pod of the options once. A pod that an option does not have stays away from its group. That a pod fits the groups that
// offer it, cluster-autoscaler has found out with its volumes and claims and the pods that run, so these are not looked at again.
func (w *world) offer(options []expander.Option, groups []*Group) error {
	var order []*corev1.Pod
	offered := map[*corev1.Pod]map[string]bool{}
	for i := range options {
		for _, pod := range options[i].Pods {
			if offered[pod] == nil {
				offered[pod] = map[string]bool{}
				order = append(order, pod)
			}
			offered[pod][groups[i].labels[groupLabel]] = true
		}
	}
	for _, pod := range order {
		var away []string
		for _, g := range groups {
			if !offered[pod][g.labels[groupLabel]] {
				away = append(away, g.labels[groupLabel])
			}
		}
		slices.Sort(away)
		if err := w.place(ownerOf(pod)+"/"+strings.Join(away, ","), awayFrom(pod, away)); err != nil {
			return err
		}
	}
	return nil
}

func ownerOf(pod *corev1.Pod) string {
	for _, owner := range pod.OwnerReferences {
		return string(owner.UID)
	}
	return ""
}

// awayFrom is the pod kept away from groups of these labels.
func awayFrom(pod *corev1.Pod, labels []string) *corev1.Pod {
	if len(labels) == 0 {
		return pod
	}
	away := corev1.NodeSelectorRequirement{Key: groupLabel, Operator: corev1.NodeSelectorOpNotIn, Values: labels}
	out := pod.DeepCopy()
	if out.Spec.Affinity == nil {
		out.Spec.Affinity = &corev1.Affinity{}
	}
	if out.Spec.Affinity.NodeAffinity == nil {
		out.Spec.Affinity.NodeAffinity = &corev1.NodeAffinity{}
	}
	node := out.Spec.Affinity.NodeAffinity
	if node.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		node.RequiredDuringSchedulingIgnoredDuringExecution = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{}}}
	}
	terms := node.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	for i := range terms {
		terms[i].MatchExpressions = append(terms[i].MatchExpressions, away)
	}
	return out
}
