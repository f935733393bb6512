// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	karp "libkarp.dev/go"
	"libkarp.dev/go/corev1"
)

// A choice is the answer to a request, with what it follows from.
type choice struct {
	groups  []*group       // best first; the first is the answer
	pods    int            // different ones
	planned int            // of these
	left    map[string]int // of the others, how many for which reason; where it is to be explained
	unknown int            // fields of the request that were skipped
}

// why says in words what put the first group before the second.
func (c *choice) why() string {
	if len(c.groups) == 1 {
		return "it is the only group"
	}
	best, next := c.groups[0], c.groups[1]
	switch {
	case best.planned > next.planned:
		return fmt.Sprintf("it takes %d of the %d pods that the plan places, %s takes %d", best.planned, c.planned, next.id, next.planned)
	case best.price.perHour < next.price.perHour:
		return fmt.Sprintf("it takes %d pods as %s does, and a node costs %g instead of %g", best.planned, next.id, best.price.perHour, next.price.perHour)
	}
	return fmt.Sprintf("it takes %d pods at the price of %s, and is before it by name", best.planned, next.id)
}

// decide provisions the pods of all options with a pool for each group, and takes the group that gets most pods of the
// plan; of equals the one whose nodes are cheaper, then the first by name. The same request has the same answer, whatever
// the order of its options and pods.
func decide(ctx context.Context, message []byte, prices priceList, options *karp.Options) (*choice, error) {
	r, err := readRequest(message)
	if err != nil {
		return nil, err
	}
	if len(r.options) == 0 || len(r.pods) == 0 {
		return nil, fail(reasonEmpty, "there are %d options with %d pods", len(r.options), len(r.pods))
	}
	groups, err := groupsOf(r, prices)
	if err != nil {
		return nil, err
	}
	out := &choice{groups: groups, pods: len(r.pods), unknown: r.unknown}
	if err := out.plan(ctx, r, options); err != nil {
		return nil, err
	}
	for _, g := range groups {
		out.planned += g.planned
	}
	slices.SortFunc(groups, better)
	return out, nil
}

func better(a, b *group) int {
	return cmp.Or(cmp.Compare(b.planned, a.planned), cmp.Compare(a.price.perHour, b.price.perHour), cmp.Compare(a.id, b.id))
}

// plan notes on each group what a plan for all pods gives it.
func (c *choice) plan(ctx context.Context, r *request, options *karp.Options) error {
	snapshot, err := snapshotOf(ctx, r, c.groups)
	if err != nil {
		return err
	}
	defer snapshot.Close()
	decision, err := snapshot.Provision(ctx, options)
	if err != nil {
		return err
	}
	defer decision.Close()
	launches, err := decision.Table(karp.TableLaunches)
	if err != nil {
		return err
	}
	byPool := make(map[string]*group, len(c.groups))
	for _, g := range c.groups {
		byPool[g.pool] = g
	}
	pods := launches.Column("pods")
	for i, pool := range launches.Column("node_pool").Text {
		g := byPool[pool]
		g.launches++
		g.planned += int(pods.Offsets[i+1] - pods.Offsets[i])
	}
	if options.Explain != karp.ExplainNone {
		return c.count(decision)
	}
	return nil
}

// count tells why pods are left.
func (c *choice) count(decision *karp.Decision) error {
	pods, err := decision.Table(karp.TablePods)
	if err != nil {
		return err
	}
	c.left = map[string]int{}
	for _, reason := range pods.Column("reason").Text {
		if reason != "" {
			c.left[reason]++
		}
	}
	return nil
}

func snapshotOf(ctx context.Context, r *request, groups []*group) (*karp.Snapshot, error) {
	builder, err := karp.NewBuilder(nil)
	if err != nil {
		return nil, err
	}
	defer builder.Close()
	if err := addGroups(builder, groups); err != nil {
		return nil, err
	}
	feeder := corev1.NewFeeder(builder)
	names, err := addPods(ctx, feeder, r, groups)
	if err != nil {
		return nil, err
	}
	if err := builder.SetPodsToPlace(names); err != nil {
		return nil, err
	}
	return builder.Finish()
}
