// SPDX-License-Identifier: Apache-2.0

package document

/*
#include <stdlib.h>

#include "c_io.h"
*/
import "C"

import (
	"unsafe"

	karp "libkarp.dev/go"
)

// options of the profile by that name: "karpenter", "karpenter-1.14", "karp"; "" = the newest Karpenter's. In C's memory.
func (c *call) options(profile string) (*C.karp_options, error) {
	o := (*C.karp_options)(C.calloc(1, C.sizeof_karp_options))
	C.karp_options_init(o, C.sizeof_karp_options)
	name := str(profile)
	defer free(name)
	if profile == "" {
		return o, nil
	}
	if status := C.karp_profile_parse(name, &o.profile, &o.peer_version); status != C.KARP_OK {
		C.free(unsafe.Pointer(o))
		return nil, c.check(status)
	}
	return o, nil
}

// rounds plays all rounds of a cluster by that profile; the caller frees what it returns.
func (c *call) rounds(snapshot *karp.Snapshot, profile string, disrupt C.uint32_t) (*C.karp_settlement, error) {
	common, err := c.options(profile)
	if err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(common))
	ptr, leave, err := snapshot.Enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	how := (*C.karp_settle_options)(C.calloc(1, C.sizeof_karp_settle_options))
	defer C.free(unsafe.Pointer(how))
	C.karp_settle_options_init(how, C.sizeof_karp_settle_options)
	how.common, how.disrupt = common, disrupt
	var settlement *C.karp_settlement
	return settlement, c.check(C.karp_settle((*C.karp_snapshot)(ptr), how, &settlement, &c.fault))
}

// Settle plays all rounds of a cluster until nothing changes, by that profile ("" = the newest Karpenter's), and writes the
// Settlement: its rounds, and the first and the last of them as designs. disrupt: with disruption passes, else launches alone.
func Settle(snapshot *karp.Snapshot, profile string, disrupt bool) ([]byte, error) {
	c, err := newCall()
	if err != nil {
		return nil, err
	}
	defer c.free()
	how := C.uint32_t(C.KARP_SETTLE_LAUNCHES)
	if disrupt {
		how = C.KARP_SETTLE_ALL
	}
	settlement, err := c.rounds(snapshot, profile, how)
	if err != nil {
		return nil, err
	}
	defer C.karp_settlement_free(settlement)
	var out C.karp_text
	if err := c.check(C.karp_write_settlement(c.context, settlement, nil, &out, &c.fault)); err != nil {
		return nil, err
	}
	return take(&out), nil
}

// WriteSettled is as [Input.WritePlan] of a launch decision by that profile, and the document has the settled cost as well
// (settledCost): what the cluster comes to when further rounds launch nodes for pods that the first one leaves.
func (i *Input) WriteSettled(decision *karp.Decision, profile string, format Format) ([]byte, error) {
	return i.write(decision, format, func(c *call, d *C.karp_decision, how *C.karp_write_options, out *C.karp_text) error {
		ptr, leave, err := i.Snapshot.Enter()
		if err != nil {
			return err
		}
		defer leave()
		if C.karp_more_rounds((*C.karp_snapshot)(ptr), d) != 0 {
			settlement, err := c.rounds(i.Snapshot, profile, C.KARP_SETTLE_LAUNCHES)
			if err != nil {
				return err
			}
			defer C.karp_settlement_free(settlement)
			how.settlement = settlement
		}
		return c.check(C.karp_write_plan(c.context, d, nil, how, out, &c.fault))
	})
}

// Diff decides a cluster by two profiles, "karpenter-1.14" and "karpenter-1.15" for instance, and writes what differs, and
// which rules make it. Formats: JSON, Text.
func Diff(snapshot *karp.Snapshot, before, after string, format Format) ([]byte, error) {
	c, err := newCall()
	if err != nil {
		return nil, err
	}
	defer c.free()
	ptr, leave, err := snapshot.Enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	at := (*C.karp_diff_side)(C.calloc(2, C.sizeof_karp_diff_side))
	defer C.free(unsafe.Pointer(at))
	sides := unsafe.Slice(at, 2)
	for i, profile := range []string{before, after} {
		options, err := c.options(profile)
		if err != nil {
			return nil, err
		}
		defer C.free(unsafe.Pointer(options))
		sides[i].size, sides[i].name, sides[i].options = C.sizeof_karp_diff_side, str(profile), options
		sides[i].snapshot = (*C.karp_snapshot)(ptr)
		defer free(sides[i].name)
	}
	var diff *C.karp_diff
	if err := c.check(C.karp_compare_decisions(c.context, &sides[0], &sides[1], &diff, &c.fault)); err != nil {
		return nil, err
	}
	defer C.karp_diff_free(diff)
	var how C.karp_write_options
	C.karp_write_options_init(&how, C.sizeof_karp_write_options)
	how.format = C.uint32_t(format)
	var out C.karp_text
	if err := c.check(C.karp_write_diff(c.context, diff, &how, &out, &c.fault)); err != nil {
		return nil, err
	}
	return take(&out), nil
}

// A Design is a cluster and a launch decision for it.
type Design struct {
	Name     string
	Snapshot *karp.Snapshot
	Plan     *karp.Decision
}

// Compare adds up each design, compares the others with the first, and writes the Comparison: nodes, cost and use of each,
// and the pods that are elsewhere. Errors: karp.ErrInvalid (no design), karp.ErrClosed.
func Compare(designs ...Design) ([]byte, error) {
	c, err := newCall()
	if err != nil {
		return nil, err
	}
	defer c.free()
	at := (*C.karp_design)(C.calloc(C.size_t(len(designs)+1), C.sizeof_karp_design))
	defer C.free(unsafe.Pointer(at))
	given := unsafe.Slice(at, len(designs))
	for i, design := range designs {
		snapshot, leave, err := design.Snapshot.Enter()
		if err != nil {
			return nil, err
		}
		defer leave()
		plan, leave, err := design.Plan.Enter()
		if err != nil {
			return nil, err
		}
		defer leave()
		given[i].size, given[i].name = C.sizeof_karp_design, str(design.Name)
		given[i].snapshot, given[i].plan = (*C.karp_snapshot)(snapshot), (*C.karp_decision)(plan)
		defer free(given[i].name)
	}
	var comparison *C.karp_comparison
	if err := c.check(C.karp_compare_designs(c.context, at, C.size_t(len(designs)), &comparison, &c.fault)); err != nil {
		return nil, err
	}
	defer C.karp_comparison_free(comparison)
	var out C.karp_text
	if err := c.check(C.karp_write_comparison(c.context, comparison, nil, &out, &c.fault)); err != nil {
		return nil, err
	}
	return take(&out), nil
}
