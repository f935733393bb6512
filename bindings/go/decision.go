// SPDX-License-Identifier: Apache-2.0

package karp

// #include "c.h"
import "C"

import (
	"time"
	"unsafe"
)

// A Decision is an answer about a snapshot: immutable, and usable by several goroutines at once. What its methods return
// is the caller's and stays valid after Close.
type Decision struct{ handle *handle }

// DecisionOf takes a karp_decision of C over, for packages on top of this one.
func DecisionOf(ptr unsafe.Pointer) *Decision {
	d := new(Decision)
	d.handle = hold(d, ptr, func(ptr unsafe.Pointer) { C.karp_decision_unref((*C.karp_decision)(ptr)) })
	return d
}

// Close gives the decision up.
func (d *Decision) Close() error { return d.handle.close() }

// Enter yields the karp_decision of C until leave is called, for packages on top of this one.
func (d *Decision) Enter() (ptr unsafe.Pointer, leave func(), err error) {
	ptr, err = d.handle.enter()
	return ptr, d.handle.leave, err
}

// Hash says in 64 hex digits what was decided, as docs/decision-hash.md describes: equal hashes, equal decisions, in any
// language and version.
func (d *Decision) Hash() (string, error) {
	c, err := d.enter()
	if err != nil {
		return "", err
	}
	defer d.handle.leave()
	var out [C.KARP_DIGEST_TEXT]C.char
	C.karp_decision_hash(c, &out[0])
	return C.GoString(&out[0]), nil
}

// A Reason is why something is not done: a number that never changes.
type Reason uint32

// String is the reason's name as documents have it, "TYPE_RESOURCES".
func (r Reason) String() string { return C.GoString(C.karp_reason_name(C.uint32_t(r))) }

// Text is the reason in English.
func (r Reason) Text() string { return C.GoString(C.karp_reason_text(C.uint32_t(r))) }

// Summary is what a decision says of itself.
type Summary struct {
	Now                                                    time.Time
	PeerVersion                                            uint32  // such as Peer1_15: the version of Karpenter it is of
	Complete                                               bool    // false: a budget or the context ended it before
	CostBefore, CostAfter                                  float64 // per hour
	Launches, Placements, Unschedulable, Ignored, Commands int
}

// Summary tells how the decision ended, and the numbers of its parts.
func (d *Decision) Summary() (Summary, error) {
	c, err := d.enter()
	if err != nil {
		return Summary{}, err
	}
	defer d.handle.leave()
	return Summary{
		Now: timeOf(C.karp_decision_now(c)), PeerVersion: uint32(C.karp_decision_peer_version(c)), Complete: C.karp_decision_complete(c) != 0,
		CostBefore: float64(C.karp_decision_cost_before(c)), CostAfter: float64(C.karp_decision_cost_after(c)),
		Launches: int(C.karp_decision_launch_count(c)), Placements: int(C.karp_decision_placement_count(c)),
		Unschedulable: int(C.karp_decision_unschedulable_count(c)), Ignored: int(C.karp_decision_ignored_count(c)),
		Commands: int(C.karp_decision_command_count(c)),
	}, nil
}

func (d *Decision) enter() (*C.karp_decision, error) {
	ptr, err := d.handle.enter()
	return (*C.karp_decision)(ptr), err
}

// rows reads as many rows as there are, one call each. (A decision has few rows; its pods are read below.)
func rows[T any](d *Decision, count func(*C.karp_decision) C.size_t, read func(*C.karp_decision, C.size_t) (T, C.karp_status)) ([]T, error) {
	c, err := d.enter()
	if err != nil {
		return nil, err
	}
	defer d.handle.leave()
	return slice(c, 0, count(c), read)
}

func slice[T any](c *C.karp_decision, first, count C.size_t, read func(*C.karp_decision, C.size_t) (T, C.karp_status)) ([]T, error) {
	out := make([]T, 0, count)
	for i := first; i < first+count; i++ {
		row, status := read(c, i)
		if status != C.KARP_OK {
			return nil, &Error{Status: Status(status), Offset: -1, Message: "a row of the decision cannot be read"}
		}
		out = append(out, row)
	}
	return out, nil
}

// rowsOf are rows that another row names by the first one and their number.
func rowsOf[T any](c *C.karp_decision, first, count C.size_t, read func(*C.karp_decision, C.size_t) (T, C.karp_status)) []T {
	out, _ := slice(c, first, count, read) // they are there
	return out
}

// listOf reads a list, one a pointer that may be nil.
func listOf[R, T any](c *C.karp_decision, at *R, count C.size_t, read func(*C.karp_decision, *R) T) []T {
	var out []T
	for i := range unsafe.Slice(at, count) {
		out = append(out, read(c, &unsafe.Slice(at, count)[i]))
	}
	return out
}

func pointerOf[R, T any](c *C.karp_decision, at *R, read func(*C.karp_decision, *R) T) *T {
	if at == nil {
		return nil
	}
	out := read(c, at)
	return &out
}

func podsOf(c *C.karp_decision, at *C.uint32_t, count C.size_t) []string {
	if count == 0 {
		return nil
	}
	out := make([]string, count)
	for i, pod := range unsafe.Slice(at, count) {
		out[i] = textOf(C.karp_decision_pod_name(c, pod))
	}
	return out
}

// Launches are the nodes to start, by NodePool, then by pods.
func (d *Decision) Launches() ([]Launch, error) {
	return rows(d, func(c *C.karp_decision) C.size_t { return C.karp_decision_launch_count(c) }, readLaunch)
}

// Placements are the nodes that exist and receive pods, by name.
func (d *Decision) Placements() ([]Placement, error) {
	return rows(d, func(c *C.karp_decision) C.size_t { return C.karp_decision_placement_count(c) }, readPlacement)
}

// Unschedulable are the pods that fit nowhere, by name.
func (d *Decision) Unschedulable() ([]Unschedulable, error) {
	return rows(d, func(c *C.karp_decision) C.size_t { return C.karp_decision_unschedulable_count(c) }, readUnschedulable)
}

// Ignored are the pods that were not considered, by name.
func (d *Decision) Ignored() ([]Ignored, error) {
	return rows(d, func(c *C.karp_decision) C.size_t { return C.karp_decision_ignored_count(c) }, readIgnored)
}

// Commands of a disruption.
func (d *Decision) Commands() ([]Command, error) {
	return rows(d, func(c *C.karp_decision) C.size_t { return C.karp_decision_command_count(c) }, readCommand)
}

// Candidates are the nodes that the method of a disruption looked at, in its order.
func (d *Decision) Candidates() ([]Candidate, error) {
	return rows(d, func(c *C.karp_decision) C.size_t { return C.karp_decision_candidate_count(c) }, readCandidate)
}

// Nodes are those that were there before, by name, as they are after the decision.
func (d *Decision) Nodes() ([]NodeUse, error) {
	return rows(d, func(c *C.karp_decision) C.size_t { return C.karp_decision_node_count(c) }, readNodeUse)
}

// Kept nodes of a disruption.
func (d *Decision) Kept() ([]Kept, error) {
	return rows(d, func(c *C.karp_decision) C.size_t { return C.karp_decision_kept_count(c) }, readKept)
}

// Warnings are notes for the user.
func (d *Decision) Warnings() ([]string, error) {
	return rows(d, func(c *C.karp_decision) C.size_t { return C.karp_decision_warning_count(c) },
		func(c *C.karp_decision, i C.size_t) (string, C.karp_status) {
			return textOf(C.karp_decision_warning(c, i)), C.KARP_OK
		})
}
