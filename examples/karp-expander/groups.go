// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	karp "libkarp.dev/go"
	"libkarp.dev/go/corev1"
)

// A group is an option with its template and its price, and later what the plan gives it.
type group struct {
	id       string
	pool     string // its NodePool
	nodes    int32  // as cluster-autoscaler estimates
	offered  int    // pods
	price    price
	perPod   float64 // what cluster-autoscaler's nodes for its pods cost, over these pods
	template *v1.Node
	asked    int // its turn in the plan
	planned  int // pods
	launches int
}

// groupsOf decodes the template of every option.
func groupsOf(r *request, prices priceList) ([]*group, error) {
	groups := make([]*group, len(r.options))
	seen := make(map[string]bool, len(r.options))
	for i := range r.options {
		o := &r.options[i]
		if o.group == "" || seen[o.group] {
			return nil, fail(reasonGroup, "option %d: the group %q is none, or a second time", i, o.group)
		}
		seen[o.group] = true
		template, err := templateOf(r.templates, o.group)
		if err != nil {
			return nil, err
		}
		g := &group{id: o.group, pool: fmt.Sprintf("group-%d", i), nodes: max(1, o.nodes), offered: len(o.pods),
			price: prices.of(template), template: template, perPod: math.Inf(1)}
		if g.offered > 0 { // to a millionth: the order is not to hang on the last bit of a sum
			g.perPod = math.Round(g.price.perHour*float64(g.nodes)/float64(g.offered)*1e6) / 1e6
		}
		groups[i] = g
	}
	return groups, nil
}

func templateOf(templates map[string][]byte, id string) (*v1.Node, error) {
	bytes, ok := templates[id]
	switch {
	case !ok:
		return nil, fail(reasonTemplate, "group %q has no template", id)
	case len(bytes) > maxObject:
		return nil, fail(reasonTemplate, "the template of group %q has %d bytes", id, len(bytes))
	}
	node := new(v1.Node)
	if err := node.Unmarshal(bytes); err != nil {
		return nil, fail(reasonTemplate, "the template of group %q: %w", id, err)
	}
	return node, nil
}

// addGroups gives every group a NodePool with one instance type. A pool of higher weight is asked first, so the group that
// serves its pods at the lowest price has the highest: pools are not compared by price otherwise.
func addGroups(builder *karp.Builder, groups []*group) error {
	order := slices.Clone(groups)
	slices.SortFunc(order, func(a, b *group) int {
		return cmp.Or(cmp.Compare(a.perPod, b.perPod), cmp.Compare(a.price.perHour, b.price.perHour), cmp.Compare(a.id, b.id))
	})
	for i, g := range order {
		g.asked = i + 1
		if err := g.add(builder, int32(len(order)-i)); err != nil {
			return failWith(reasonTemplate, fmt.Errorf("group %q: %w", g.id, err))
		}
	}
	return nil
}

func (g *group) add(builder *karp.Builder, weight int32) error {
	pool := karp.NodePool{Meta: karp.Meta{Name: g.pool}, Weight: weight, TemplateLabels: poolLabels(g),
		NodeClass:  karp.NodeClassRef{Group: "karp-expander", Kind: "NodeGroup", Name: "template"},
		Conditions: []karp.Condition{{Type: "Ready", Status: "True"}, {Type: "ValidationSucceeded", Status: "True"}, {Type: "NodeClassReady", Status: "True"}}}
	for _, t := range g.template.Spec.Taints {
		pool.Taints = append(pool.Taints, karp.Taint{Key: t.Key, Value: t.Value, Effect: string(t.Effect)})
	}
	if err := builder.AddNodePool(&pool); err != nil {
		return err
	}
	catalogue, err := karp.NewCatalogue(nil, []karp.InstanceType{g.instanceType()})
	if err != nil {
		return err
	}
	defer catalogue.Close()
	return builder.AddCatalogue(catalogue, g.pool)
}

// Labels of instance types, with the names they had before. A pool has all others.
var typeLabels = [][]string{
	{v1.LabelInstanceTypeStable, v1.LabelInstanceType},
	{v1.LabelArchStable, "beta.kubernetes.io/arch"},
	{v1.LabelOSStable, "beta.kubernetes.io/os"},
	{v1.LabelTopologyZone, v1.LabelFailureDomainBetaZone},
	{v1.LabelTopologyRegion, v1.LabelFailureDomainBetaRegion},
	{v1.LabelWindowsBuild},
}

func poolLabels(g *group) map[string]string {
	labels := make(map[string]string, len(g.template.Labels)+1)
	for key, value := range g.template.Labels {
		// Each node has a host name of its own. What is Karpenter's is not for nodes that it does not make.
		if key != v1.LabelHostname && !strings.HasPrefix(key, "karpenter.sh/") {
			labels[key] = value
		}
	}
	for _, names := range typeLabels {
		for _, key := range names {
			delete(labels, key)
		}
	}
	labels[groupLabel] = g.pool
	return labels
}

func in(key, value string) karp.Requirement {
	return karp.Requirement{Key: key, Op: karp.OpIn, Values: []string{value}}
}

func (g *group) instanceType() karp.InstanceType {
	where := offerOf(g.template)
	out := karp.InstanceType{Name: g.pool, Capacity: corev1.Amounts(g.template.Status.Allocatable),
		Requirements: []karp.Requirement{in(capacityTypeLabel, where.capacityType)}}
	for _, names := range typeLabels {
		if value := firstLabel(g.template, names...); value != "" {
			out.Requirements = append(out.Requirements, in(names[0], value))
		}
	}
	out.Offerings = []karp.Offering{{Price: g.price.perHour, Available: true,
		Requirements: []karp.Requirement{in(v1.LabelTopologyZone, cmp.Or(where.zone, "none")), in(capacityTypeLabel, where.capacityType)}}}
	return out
}
