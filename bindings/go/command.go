// SPDX-License-Identifier: Apache-2.0

package karp

// #include "c.h"
import "C"

import (
	"context"
	"time"
	"unsafe"
)

// A Memory is what one disruption pass leaves for the next: plain values, to be kept wherever the caller likes. The zero value
// is that of a first pass.
type Memory struct {
	Changed        time.Time // of the last change that matters
	Seen           uint64    // digest of the cluster as the last pass saw it
	EmptinessMark  time.Time // Changed when the method last found nothing
	MultiNodeMark  time.Time
	SingleNodeMark time.Time
	Unseen         []string // NodePools that single-node consolidation did not reach
}

// markOf reads an instant of which 0 means none.
func markOf(instant C.int64_t) time.Time {
	if instant == 0 {
		return time.Time{}
	}
	return timeOf(instant)
}

func (p *page) mark(t time.Time) C.int64_t {
	if t.IsZero() {
		return 0
	}
	return p.instant(t)
}

func (p *page) memory(from *Memory) *C.karp_memory {
	if from == nil {
		return nil
	}
	out := one[C.karp_memory](p)
	C.karp_memory_init(out, C.sizeof_karp_memory)
	out.changed, out.seen = p.mark(from.Changed), C.uint64_t(from.Seen)
	out.emptiness_mark, out.multi_node_mark, out.single_node_mark = p.mark(from.EmptinessMark), p.mark(from.MultiNodeMark), p.mark(from.SingleNodeMark)
	out.unseen, out.unseen_count = p.strs(from.Unseen)
	return out
}

// Memory is what this pass leaves for the next, as its DisruptOptions.Memory.
func (d *Decision) Memory() (*Memory, error) {
	c, err := d.enter()
	if err != nil {
		return nil, err
	}
	defer d.handle.leave()
	m := C.karp_memory{size: C.sizeof_karp_memory}
	if status := C.karp_decision_memory(c, &m); status != C.KARP_OK {
		return nil, &Error{Status: Status(status), Offset: -1, Message: "the decision is no disruption"}
	}
	return &Memory{Changed: markOf(m.changed), Seen: uint64(m.seen), EmptinessMark: markOf(m.emptiness_mark),
		MultiNodeMark: markOf(m.multi_node_mark), SingleNodeMark: markOf(m.single_node_mark), Unseen: textsOf(m.unseen, m.unseen_count)}, nil
}

// Phases of a command.
const (
	CommandPhaseValidating uint32 = iota + 1
	CommandPhaseStarting
	CommandPhaseLaunching
	CommandPhaseWaiting
	CommandPhaseDeleting
	CommandPhaseDone
	CommandPhaseGivenUp
)

// A CommandNode is removed, and its NodeClaim with it.
type CommandNode struct{ Node, Claim string }

// A Replacement takes the place of nodes that go.
type Replacement struct {
	NodePool          string
	ClaimRequirements []Requirement // what the NodeClaim is made of
	Choice            Choice
	Claim             string // the NodeClaim's name once it is created
	Initialized       bool
}

// A CommandState is how far a command is.
type CommandState struct {
	Phase        uint32
	PhaseName    string
	Reason       Reason    // why it was given up
	ValidateAt   time.Time // zero = it is not validated
	Started      time.Time // zero = not yet
	Savings      float64   // per hour
	Nodes        []CommandNode
	Replacements []Replacement
	Receivers    []string // existing nodes that receive pods
}

// An Action is one thing to do.
type Action struct {
	Kind                   uint32 // Action…
	Object, Subject, Value string
	Number                 int64
	ObjectKind             uint32 // Means…: what Object is the name of
}

// Kinds of an Observation.
const (
	ObservedFailed     uint32 = iota + 1 // Object: Node or NodeClaim with which an action failed
	ObservedCreated                      // Number: index of a replacement; Object: the name of the NodeClaim created for it
	ObservedNotCreated                   // Number: index of a replacement whose NodeClaim could not be created
	ObservedGone                         // Object: NodeClaim of a replacement that does not exist any more
)

// An Observation is what became of an action of the step before, as far as the snapshot cannot tell.
type Observation struct {
	Kind, Number uint32
	Object       string
}

// A Step is a command at one moment, and what to do then. Immutable; several goroutines may use it.
type Step struct{ handle *handle }

func stepOf(c *C.karp_step) *Step {
	s := new(Step)
	s.handle = hold(s, unsafe.Pointer(c), func(ptr unsafe.Pointer) { C.karp_step_free((*C.karp_step)(ptr)) })
	return s
}

// Close gives the step up. Closing twice is fine; the error is always nil.
func (s *Step) Close() error { return s.handle.close() }

// Begin takes a command out of a decision of [Snapshot.Disrupt] or [Snapshot.Repack], by its index. There is nothing to do yet: LookAgain of the step
// says when the first is due. Errors: ErrNotFound, ErrInvalid (a reboot takes no steps), ErrMemory.
func (d *Decision) Begin(command int) (*Step, error) {
	c, err := d.enter()
	if err != nil {
		return nil, err
	}
	defer d.handle.leave()
	if command < 0 {
		return nil, &Error{Status: ErrNotFound, Offset: -1, Message: "there is no such command"}
	}
	f := newFault()
	var out *C.karp_step
	if err := f.check(C.karp_command_begin(c, C.size_t(command), &out, &f.c)); err != nil {
		return nil, err
	}
	return stepOf(out), nil
}

// Step makes the step after the given one, on this snapshot, which is newer. InProgress of the options names the nodes of all
// other commands that are carried out. Errors: ErrInvalid, ErrMemory, ErrCanceled, ErrClosed.
func (s *Snapshot) Step(ctx context.Context, last *Step, options *DisruptOptions, observed ...Observation) (*Step, error) {
	if last == nil {
		return nil, errNil()
	}
	ptr, err := s.handle.enter()
	if err != nil {
		return nil, err
	}
	defer s.handle.leave()
	before, err := last.handle.enter()
	if err != nil {
		return nil, err
	}
	defer last.handle.leave()
	var p page
	defer p.free()
	c, err := options.write(&p)
	if err != nil {
		return nil, err
	}
	state := one[C.karp_command_state](&p)
	state.size = C.sizeof_karp_command_state
	if status := C.karp_step_state((*C.karp_step)(before), state); status != C.KARP_OK {
		return nil, &Error{Status: Status(status), Offset: -1, Message: "the step cannot be read"}
	}
	seen := list[C.karp_observation](&p, len(observed))
	for i, o := range observed {
		seen[i] = C.karp_observation{kind: C.uint32_t(o.Kind), number: C.uint32_t(o.Number), object: p.str(o.Object)}
	}
	f := newFault()
	var out *C.karp_step
	w := watching(ctx, c.common)
	err = w.end(f.check(C.karp_command_step((*C.karp_snapshot)(ptr), state, c, unsafe.SliceData(seen), C.size_t(len(seen)), &out, &f.c)))
	if err != nil {
		return nil, err
	}
	return stepOf(out), nil
}

// State is where the command is after the step.
func (s *Step) State() (*CommandState, error) {
	ptr, err := s.handle.enter()
	if err != nil {
		return nil, err
	}
	defer s.handle.leave()
	c := C.karp_command_state{size: C.sizeof_karp_command_state}
	if status := C.karp_step_state((*C.karp_step)(ptr), &c); status != C.KARP_OK {
		return nil, &Error{Status: Status(status), Offset: -1, Message: "the step cannot be read"}
	}
	out := &CommandState{Phase: uint32(c.phase), PhaseName: C.GoString(C.karp_phase_name(c.phase)), Reason: Reason(c.reason),
		ValidateAt: timeOf(c.validate_at), Started: timeOf(c.started), Savings: float64(c.savings), Receivers: textsOf(c.receivers, c.receiver_count)}
	for _, n := range unsafe.Slice(c.nodes, c.node_count) {
		out.Nodes = append(out.Nodes, CommandNode{textOf(n.node), textOf(n.claim)})
	}
	for _, r := range unsafe.Slice(c.replacements, c.replacement_count) {
		made := Replacement{Claim: textOf(r.claim), Initialized: r.progress == C.KARP_REPLACEMENT_INITIALIZED}
		if l := r.launch; l != nil {
			made.NodePool, made.Choice = textOf(l.node_pool), choiceOf(nil, &l.choice)
			made.ClaimRequirements = requirementsOf(l.claim_requirements, l.claim_requirement_count)
		}
		out.Replacements = append(out.Replacements, made)
	}
	return out, nil
}

// Actions are what to do, in this order.
func (s *Step) Actions() ([]Action, error) {
	ptr, err := s.handle.enter()
	if err != nil {
		return nil, err
	}
	defer s.handle.leave()
	advice := C.karp_step_advice((*C.karp_step)(ptr))
	var out []Action
	for i := range C.karp_advice_action_count(advice) {
		a := C.karp_action{size: C.sizeof_karp_action}
		if status := C.karp_advice_action(advice, i, &a); status != C.KARP_OK {
			return nil, &Error{Status: Status(status), Offset: -1, Message: "an action cannot be read"}
		}
		out = append(out, Action{uint32(a.kind), textOf(a.object), textOf(a.subject), textOf(a.value), int64(a.number), uint32(a.object_kind)})
	}
	return out, nil
}

// LookAgain is when the next step is due although nothing changes; zero = never.
func (s *Step) LookAgain() (time.Time, error) {
	ptr, err := s.handle.enter()
	if err != nil {
		return time.Time{}, err
	}
	defer s.handle.leave()
	return timeOf(C.karp_advice_look_again(C.karp_step_advice((*C.karp_step)(ptr)))), nil
}

// Finished says that the command is at its end, done or given up.
func (s *Step) Finished() (bool, error) {
	ptr, err := s.handle.enter()
	if err != nil {
		return false, err
	}
	defer s.handle.leave()
	return C.karp_advice_finished(C.karp_step_advice((*C.karp_step)(ptr))) != 0, nil
}
