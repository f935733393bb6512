// SPDX-License-Identifier: Apache-2.0

package karp

// #include "c.h"
import "C"

import (
	"context"
	"fmt"
	"time"
	"unsafe"
)

// A Snapshot is a whole decision's input, checked and immutable. Any number of goroutines may decide on one at once.
type Snapshot struct{ handle *handle }

// SnapshotOf takes a karp_snapshot of C over, for packages on top of this one.
func SnapshotOf(ptr unsafe.Pointer) *Snapshot {
	s := new(Snapshot)
	s.handle = hold(s, ptr, func(ptr unsafe.Pointer) { C.karp_snapshot_unref((*C.karp_snapshot)(ptr)) })
	return s
}

// Close gives the snapshot up, after the calls that use it have ended. Decisions keep what they need.
func (s *Snapshot) Close() error { return s.handle.close() }

// Enter yields the karp_snapshot of C until leave is called, for packages on top of this one.
func (s *Snapshot) Enter() (ptr unsafe.Pointer, leave func(), err error) {
	ptr, err = s.handle.enter()
	return ptr, s.handle.leave, err
}

// Counts of what a snapshot holds.
type Counts struct{ Pods, PodsToPlace, PodClasses, Nodes, NodePools, InstanceTypes, Offerings int }

// Counts tells what the snapshot holds.
func (s *Snapshot) Counts() (Counts, error) {
	ptr, err := s.handle.enter()
	if err != nil {
		return Counts{}, err
	}
	defer s.handle.leave()
	c := C.karp_snapshot_counts{size: C.sizeof_karp_snapshot_counts}
	C.karp_snapshot_get_counts((*C.karp_snapshot)(ptr), &c)
	return Counts{int(c.pods), int(c.pods_to_place), int(c.pod_classes), int(c.nodes), int(c.node_pools), int(c.instance_types),
		int(c.offerings)}, nil
}

// Now is the snapshot's clock.
func (s *Snapshot) Now() (time.Time, error) {
	ptr, err := s.handle.enter()
	if err != nil {
		return time.Time{}, err
	}
	defer s.handle.leave()
	return timeOf(C.karp_snapshot_now((*C.karp_snapshot)(ptr))), nil
}

// How much a decision says about what it did not do.
const (
	ExplainSummary uint32 = iota
	ExplainNone
	ExplainFull
)

// The order in which nodes to be launched are tried for a pod, those with fewer pods first, for Options.ClaimOrder.
const (
	ClaimOrderPeer   uint32 = 1 // as Karpenter does: Go's sort.Slice moves equals if there are more than 12
	ClaimOrderStable uint32 = 2 // of equals the one that received a pod last comes first, and new ones come last
)

// Options of every decision; nil ones are the defaults.
type Options struct {
	Now         time.Time // zero = the snapshot's
	PlainKarp   bool      // the profile "karp": Karpenter's quirks are off
	PeerVersion uint32    // such as Peer1_15: whose decisions they are but for PlainKarp; 0 = the newest known
	Explain     uint32
	ClaimOrder  uint32 // ClaimOrderPeer or ClaimOrderStable; 0 = Peer, and Stable with PlainKarp
	MaxSteps    uint64 // deterministic budget; 0 = none
	KeepPartial bool   // when stopped, what is decided by then, marked incomplete, instead of ErrCanceled

	Cost     bool    // launch the cheapest nodes that do, instead of what Karpenter would
	Effort   uint64  // of Cost: steps of work, about a microsecond each; 0 = 100,000
	NodeCost float64 // of Cost: what any node costs beside its price, per hour

	SpotFactor        float64  // of Cost: what prices of spot are multiplied by; 0 = 1
	PriceSlack        *float64 // of Cost: how much more a listed type may cost; nil = 0, and 0.15 for spot
	IgnorePreferences bool     // of Cost: preferences do not count
	IgnoreWeights     bool     // of Cost: money decides between NodePools of different weights
}

// Profiles are the names that SetProfile takes: "karpenter", one for each version of Karpenter, "karp".
func Profiles() []string {
	var names []string
	for name := C.karp_profile_at(0); name != nil; name = C.karp_profile_at(C.size_t(len(names))) {
		names = append(names, C.GoString(name))
	}
	return names
}

// SetProfile takes whose decisions they are from the name of a profile.
func (o *Options) SetProfile(name string) error {
	var profile, version C.uint32_t
	var p page
	defer p.free()
	if C.karp_profile_parse(p.str(name), &profile, &version) != C.KARP_OK {
		return &Error{Status: ErrInvalid, Offset: -1, Message: fmt.Sprintf("unknown profile %q", name)}
	}
	o.PlainKarp, o.PeerVersion = profile != 0, uint32(version)
	return nil
}

func (o *Options) fill(c *C.karp_options) error {
	C.karp_options_init(c, C.sizeof_karp_options)
	if o == nil {
		return nil
	}
	if !o.Now.IsZero() {
		if year := o.Now.Year(); year < 1678 || year > 2261 {
			return errOutside()
		}
		c.now = C.int64_t(o.Now.UnixNano())
	}
	c.profile, c.explain, c.max_steps = flag(o.PlainKarp), C.uint32_t(o.Explain), C.uint64_t(o.MaxSteps)
	c.keep_partial, c.peer_version = flag(o.KeepPartial), C.uint32_t(o.PeerVersion)
	c.claim_order = C.uint32_t(o.ClaimOrder)
	return nil
}

// objective puts what the decision aims at on a page, where it is not Karpenter's plan.
func (o *Options) objective(p *page, c *C.karp_options) {
	if o == nil || !o.Cost {
		return
	}
	objective := one[C.karp_objective](p)
	o.aim(objective)
	objective.kind = C.KARP_OBJECTIVE_COST
	c.objective = objective
}

// aim fills what the options say of the cost.
func (o *Options) aim(objective *C.karp_objective) {
	C.karp_objective_init(objective, C.sizeof_karp_objective)
	objective.node_cost, objective.spot_factor = C.double(o.NodeCost), C.double(o.SpotFactor)
	if o.Effort > 0 {
		objective.effort = C.uint64_t(o.Effort)
	}
	if o.PriceSlack != nil {
		objective.flags |= C.KARP_COST_PRICE_SLACK
		objective.price_slack = C.double(*o.PriceSlack)
	}
	if o.IgnorePreferences {
		objective.flags |= C.KARP_COST_IGNORE_PREFERENCES
	}
	if o.IgnoreWeights {
		objective.flags |= C.KARP_COST_IGNORE_WEIGHTS
	}
}

// decide runs one decision, which ctx can end.
func (s *Snapshot) decide(ctx context.Context, options *C.karp_options,
	run func(s *C.karp_snapshot, out **C.karp_decision, e *C.karp_error) C.karp_status) (*Decision, error) {
	ptr, err := s.handle.enter()
	if err != nil {
		return nil, err
	}
	defer s.handle.leave()
	if ctx != nil && ctx.Err() != nil && options.keep_partial == 0 {
		return nil, &Error{Status: ErrCanceled, Offset: -1, Message: "the context had ended before", Cause: context.Cause(ctx)}
	}
	f := newFault()
	var out *C.karp_decision
	w := watching(ctx, options)
	if err := w.end(f.check(run((*C.karp_snapshot)(ptr), &out, &f.c))); err != nil {
		return nil, err
	}
	return DecisionOf(unsafe.Pointer(out)), nil
}

// Provision decides which nodes to start, for which pods; which pods go to nodes that exist; which fit nowhere, and why.
// Errors: ErrCanceled, ErrMemory, ErrInvalid, ErrClosed.
func (s *Snapshot) Provision(ctx context.Context, options *Options) (*Decision, error) {
	var c C.karp_options
	if err := options.fill(&c); err != nil {
		return nil, err
	}
	var p page
	defer p.free()
	options.objective(&p, &c)
	return s.decide(ctx, &c, func(s *C.karp_snapshot, out **C.karp_decision, e *C.karp_error) C.karp_status {
		return C.karp_provision(s, &c, out, e)
	})
}

// DisruptOptions of a disruption pass.
type DisruptOptions struct {
	Options
	Method         uint32   // MethodAny: the first that finds something
	MaxSimulations uint64   // deterministic budget; 0 = none
	InProgress     []string // nodes in commands that are carried out
	Memory         *Memory  // what the pass before left; nil = every pass looks at everything
}

// write puts the options on a page: they point to names, so they are C's memory.
func (o *DisruptOptions) write(p *page) (*C.karp_disrupt_options, error) {
	c, common := one[C.karp_disrupt_options](p), one[C.karp_options](p)
	C.karp_disrupt_options_init(c, C.sizeof_karp_disrupt_options)
	C.karp_options_init(common, C.sizeof_karp_options)
	c.common = common
	if o == nil {
		return c, nil
	}
	if err := o.Options.fill(common); err != nil {
		return nil, err
	}
	c.method, c.max_simulations = C.uint32_t(o.Method), C.uint64_t(o.MaxSimulations)
	c.in_progress, c.in_progress_count = p.strs(o.InProgress)
	c.memory = p.memory(o.Memory)
	if p.outside {
		return nil, errOutside()
	}
	return c, nil
}

// Disrupt makes one disruption pass, before its validation. Errors as of [Snapshot.Provision].
func (s *Snapshot) Disrupt(ctx context.Context, options *DisruptOptions) (*Decision, error) {
	var p page
	defer p.free()
	c, err := options.write(&p)
	if err != nil {
		return nil, err
	}
	return s.decide(ctx, c.common, func(s *C.karp_snapshot, out **C.karp_decision, e *C.karp_error) C.karp_status {
		return C.karp_disrupt(s, c, out, e)
	})
}

// A Change of the cluster, for [Snapshot.WhatIf]: made by [RemoveNode], [LoseZone] and [ScalePrice].
type Change struct {
	name   string
	factor float64
	kind   uint32
}

// RemoveNode takes a node away; its pods are to be placed.
func RemoveNode(name string) Change { return Change{name: name, kind: C.KARP_CHANGE_REMOVE_NODE} }

// LoseZone takes the nodes of a zone away, and nothing can be bought there.
func LoseZone(name string) Change { return Change{name: name, kind: C.KARP_CHANGE_LOSE_ZONE} }

// ScalePrice multiplies the prices of a capacity type ("" = of all).
func ScalePrice(capacityType string, factor float64) Change {
	return Change{name: capacityType, factor: factor, kind: C.KARP_CHANGE_SCALE_PRICE}
}

// WhatIf is [Snapshot.Provision] with changes applied to a view of the snapshot. Errors: also ErrNotFound (no such node, zone or
// capacity type).
func (s *Snapshot) WhatIf(ctx context.Context, options *Options, changes ...Change) (*Decision, error) {
	var c C.karp_options
	if err := options.fill(&c); err != nil {
		return nil, err
	}
	var p page
	defer p.free()
	options.objective(&p, &c)
	items := list[C.karp_change](&p, len(changes))
	for i, change := range changes {
		items[i] = C.karp_change{name: p.str(change.name), factor: C.double(change.factor), kind: C.uint32_t(change.kind)}
	}
	return s.decide(ctx, &c, func(s *C.karp_snapshot, out **C.karp_decision, e *C.karp_error) C.karp_status {
		return C.karp_what_if(s, unsafe.SliceData(items), C.size_t(len(items)), &c, out, e)
	})
}
