// SPDX-License-Identifier: Apache-2.0

package karp

// #include "c.h"
import "C"

import "context"

// RepackOptions of [Snapshot.Repack]; nil ones set no limits. Of Options, Effort, NodeCost,
// PriceSlack and IgnoreWeights count, whatever Cost says.
type RepackOptions struct {
	Options
	MaxEvictions           *uint64  // pods that move, in all; nil = no limit
	MaxEvictedPercent      *float64 // the same as a part of the pods that could move; nil = no limit
	MaxSteps               *uint64  // nil = no limit
	MinSaving              float64  // per hour, that a step has to save
	MinSavingPerEviction   float64  // likewise, for each pod it moves
	IgnoreBudgets          bool     // steps may remove more nodes at once than the NodePools' budgets allow
	IgnoreConsolidateAfter bool     // nodes count that changed a short while ago
	InProgress             []string // nodes in commands that are carried out
}

func (o *RepackOptions) write(p *page) (*C.karp_repack_options, error) {
	c, common := one[C.karp_repack_options](p), one[C.karp_options](p)
	C.karp_repack_options_init(c, C.sizeof_karp_repack_options)
	C.karp_options_init(common, C.sizeof_karp_options)
	c.common = common
	if o == nil {
		return c, nil
	}
	if err := o.Options.fill(common); err != nil {
		return nil, err
	}
	objective := one[C.karp_objective](p)
	o.aim(objective)
	common.objective = objective
	if o.MaxEvictions != nil {
		c.max_evictions = C.uint64_t(*o.MaxEvictions)
	}
	if o.MaxEvictedPercent != nil {
		c.max_evicted_percent = C.double(*o.MaxEvictedPercent)
	}
	if o.MaxSteps != nil {
		c.max_steps = C.uint64_t(*o.MaxSteps)
	}
	c.min_saving, c.min_saving_per_eviction = C.double(o.MinSaving), C.double(o.MinSavingPerEviction)
	c.ignore_budgets, c.ignore_consolidate_after = flag(o.IgnoreBudgets), flag(o.IgnoreConsolidateAfter)
	c.in_progress, c.in_progress_count = p.strs(o.InProgress)
	if p.outside {
		return nil, errOutside()
	}
	return c, nil
}

// Repack plans a cheaper cluster for the same pods, in steps that each pay: the commands of the decision. Errors: also
// ErrInvalid.
func (s *Snapshot) Repack(ctx context.Context, options *RepackOptions) (*Decision, error) {
	var p page
	defer p.free()
	c, err := options.write(&p)
	if err != nil {
		return nil, err
	}
	return s.decide(ctx, c.common, func(s *C.karp_snapshot, out **C.karp_decision, e *C.karp_error) C.karp_status {
		return C.karp_repack(s, c, out, e)
	})
}

// A RepackStep is what the command of the same index comes to. Costs are per hour.
type RepackStep struct {
	Saving, TotalSaving, CostAfter float64
	Evictions, TotalEvictions      uint64
}

// A RepackPoint is the least cost that was found for so many evictions; no plan with so many goes below the bound.
type RepackPoint struct {
	Evictions   uint64
	Cost, Bound float64
}

// A Repacking is what a decision of [Snapshot.Repack] says of itself. Costs are per hour.
type Repacking struct {
	Before, After, Bound float64
	Evictions, Pods      uint64
	Work                 uint64 // steps of work that were done
	Stopped              bool   // the context ended the search
	Steps                []RepackStep
	Curve                []RepackPoint
}

// Repacking tells what the plan comes to, its steps and the curve. Errors: ErrNotFound (a decision of another call),
// ErrClosed.
func (d *Decision) Repacking() (Repacking, error) {
	c, err := d.enter()
	if err != nil {
		return Repacking{}, err
	}
	defer d.handle.leave()
	cost := C.karp_repack_cost{size: C.sizeof_karp_repack_cost}
	if status := C.karp_decision_repack(c, &cost); status != C.KARP_OK {
		return Repacking{}, &Error{Status: Status(status), Offset: -1, Message: "the decision is no repack plan"}
	}
	out := Repacking{Before: float64(cost.before), After: float64(cost.after), Bound: float64(cost.bound),
		Evictions: uint64(cost.evictions), Pods: uint64(cost.pods), Work: uint64(cost.work), Stopped: cost.stopped != 0}
	step := C.karp_repack_step{size: C.sizeof_karp_repack_step}
	for i := C.size_t(0); C.karp_decision_repack_step(c, i, &step) == C.KARP_OK; i++ {
		out.Steps = append(out.Steps, RepackStep{float64(step.saving), float64(step.total_saving), float64(step.cost_after),
			uint64(step.evictions), uint64(step.total_evictions)})
	}
	point := C.karp_repack_point{size: C.sizeof_karp_repack_point}
	for i := C.size_t(0); C.karp_decision_repack_point(c, i, &point) == C.KARP_OK; i++ {
		out.Curve = append(out.Curve, RepackPoint{uint64(point.evictions), float64(point.cost), float64(point.bound)})
	}
	return out, nil
}
