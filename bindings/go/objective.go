// SPDX-License-Identifier: Apache-2.0

package karp

// #include "c.h"
import "C"

// CostFigures are what an answer for the least cost says of it, per hour, of launches.
type CostFigures struct {
	Cost, CompatibleCost float64 // of this answer, and of the one that it would be otherwise
	Bound                float64 // nothing costs less; 0 = none is known
	Gap                  float64 // (Cost - Bound) / Bound; negative = no bound is known
	Effort, Steps        uint64  // steps of work that were asked for, and done
	CompatibleLaunches   uint32
	Stopped              bool // the context ended the search
	Optimal              bool // the bound proves that nothing is cheaper
}

func figuresOf(c *C.karp_cost) *CostFigures {
	return &CostFigures{float64(c.cost), float64(c.compatible_cost), float64(c.bound), float64(c.gap), uint64(c.effort),
		uint64(c.steps), uint32(c.compatible_launches), c.stopped != 0, c.optimal != 0}
}

// CostFigures tells what a plan of Options.Cost comes to. Errors: ErrNotFound (a decision of another kind), ErrClosed.
func (d *Decision) CostFigures() (*CostFigures, error) {
	c, err := d.enter()
	if err != nil {
		return nil, err
	}
	defer d.handle.leave()
	cost := C.karp_cost{size: C.sizeof_karp_cost}
	if status := C.karp_decision_cost(c, &cost); status != C.KARP_OK {
		return nil, &Error{Status: Status(status), Offset: -1, Message: "the decision is no plan for the least cost"}
	}
	return figuresOf(&cost), nil
}
