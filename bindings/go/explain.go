// SPDX-License-Identifier: Apache-2.0

package karp

// #include "c.h"
import "C"

import (
	"context"
	"time"
)

// A Remedy is a change that was tried, and with which the pod is placed while no other pod loses its place.
type Remedy struct {
	Kind     string // "TOLERATE", "REQUEST_LESS" …
	Changes  int
	Text     string // English
	NodePool string // that starts the node; "" = a node that exists
	Node     string // the node that exists, or ""
	Choice   Choice // of the new node
}

func remedyOf(r *C.karp_remedy) Remedy {
	return Remedy{Kind: C.GoString(C.karp_remedy_name(r.kind)), Changes: int(r.changes), Text: textOf(r.text),
		NodePool: textOf(r.node_pool), Node: textOf(r.node), Choice: choiceOf(nil, &r.choice)}
}

// A PodExplanation is what there is to say about one pod.
type PodExplanation struct {
	Decision *Decision // the pod is part of it; to be closed
	Remedies []Remedy  // the smallest first; none when the pod is placed
	Tried    int
	Bounded  bool // not everything could be tried
}

// Close gives the decision up.
func (e *PodExplanation) Close() error { return e.Decision.Close() }

// ExplainPod decides as [Snapshot.Provision] does and, when the pod ("namespace/name") fits nowhere, looks for the smallest
// change that places it. Errors: also ErrNotFound (the round is not about such a pod).
func (s *Snapshot) ExplainPod(ctx context.Context, options *Options, pod string) (*PodExplanation, error) {
	var c C.karp_options
	if err := options.fill(&c); err != nil {
		return nil, err
	}
	var p page
	defer p.free()
	name := p.str(pod)
	var found *C.karp_pod_explanation
	decision, err := s.decide(ctx, &c, func(s *C.karp_snapshot, out **C.karp_decision, e *C.karp_error) C.karp_status {
		status := C.karp_explain_pod(s, &c, name, &found, e)
		if status == C.KARP_OK {
			*out = heldDecision(C.karp_pod_explanation_decision(found))
		}
		return status
	})
	if err != nil {
		return nil, err
	}
	defer C.karp_pod_explanation_free(found)
	out := &PodExplanation{Decision: decision, Tried: int(C.karp_pod_explanation_tried(found)),
		Bounded: C.karp_pod_explanation_bounded(found) != 0}
	for i := C.size_t(0); i < C.karp_pod_explanation_remedy_count(found); i++ {
		r := C.karp_remedy{size: C.sizeof_karp_remedy}
		if status := C.karp_pod_explanation_remedy(found, i, &r); status != C.KARP_OK {
			decision.Close()
			return nil, &Error{Status: Status(status), Offset: -1, Message: "a remedy cannot be read"}
		}
		out.Remedies = append(out.Remedies, remedyOf(&r))
	}
	return out, nil
}

// heldDecision is a hold of one's own on a decision that is borrowed; holds are counted, nothing else of it changes.
func heldDecision(borrowed *C.karp_decision) *C.karp_decision { return C.karp_decision_ref(borrowed) }

// A Blocker is a reason why a node stays.
type Blocker struct {
	Code   Reason
	Detail string
	Until  time.Time // when it ends by itself; zero = never, or nobody knows
}

// A NodeExplanation is what there is to say about one node.
type NodeExplanation struct {
	Decision  *Decision    // the pass; to be closed
	Disrupted bool         // one of its commands takes the node away
	Expired   bool         // its expireAfter is over: Karpenter deletes it, whatever a pass decides
	Drift     string       // why it is drifted; "" = it is not
	Blockers  []Blocker    // everything that keeps it, in the order in which it is looked at
	Changes   []NodeChange // after each of which it would go, the least first
	Facts     []string     // what holds besides, whatever a pass decides
}

// A NodeChange is a change after which a node that stays would go.
type NodeChange struct {
	Text         string  // "shorten consolidateAfter in NodePool web"
	InstanceType string  // of its replacement; "" = it is deleted
	Savings      float64 // in $/h
}

// Close gives the decision up.
func (e *NodeExplanation) Close() error { return e.Decision.Close() }

// ExplainNode decides as [Snapshot.Disrupt] does and, when the node stays, finds everything that keeps it. Errors: also
// ErrNotFound (no such node).
func (s *Snapshot) ExplainNode(ctx context.Context, options *DisruptOptions, node string) (*NodeExplanation, error) {
	var p page
	defer p.free()
	c, err := options.write(&p)
	if err != nil {
		return nil, err
	}
	name := p.str(node)
	var found *C.karp_node_explanation
	decision, err := s.decide(ctx, c.common, func(s *C.karp_snapshot, out **C.karp_decision, e *C.karp_error) C.karp_status {
		status := C.karp_explain_node(s, c, name, &found, e)
		if status == C.KARP_OK {
			*out = heldDecision(C.karp_node_explanation_decision(found))
		}
		return status
	})
	if err != nil {
		return nil, err
	}
	defer C.karp_node_explanation_free(found)
	out := &NodeExplanation{Decision: decision, Disrupted: C.karp_node_explanation_disrupted(found) != 0,
		Expired: C.karp_node_explanation_expired(found) != 0, Drift: textOf(C.karp_node_explanation_drift(found))}
	for i := C.size_t(0); i < C.karp_node_explanation_blocker_count(found); i++ {
		b := C.karp_blocker{size: C.sizeof_karp_blocker}
		if status := C.karp_node_explanation_blocker(found, i, &b); status != C.KARP_OK {
			decision.Close()
			return nil, &Error{Status: Status(status), Offset: -1, Message: "a blocker cannot be read"}
		}
		out.Blockers = append(out.Blockers, Blocker{Code: reasonOf(b.code), Detail: textOf(b.detail), Until: timeOf(b.until)})
	}
	for i := C.size_t(0); i < C.karp_node_explanation_remedy_count(found); i++ {
		r := C.karp_node_remedy{size: C.sizeof_karp_node_remedy}
		if status := C.karp_node_explanation_remedy(found, i, &r); status != C.KARP_OK {
			decision.Close()
			return nil, &Error{Status: Status(status), Offset: -1, Message: "a change cannot be read"}
		}
		out.Changes = append(out.Changes, NodeChange{Text: textOf(r.text), InstanceType: textOf(r.instance_type), Savings: float64(r.savings)})
	}
	for i := C.size_t(0); i < C.karp_node_explanation_fact_count(found); i++ {
		out.Facts = append(out.Facts, textOf(C.karp_node_explanation_fact(found, i)))
	}
	return out, nil
}

// A Finding is something wrong with a plan.
type Finding struct {
	Code   string // "RESOURCES", "SPREAD" …
	Object string // "pod default/web-0"
	Detail string
}

// Verify checks every constraint of the pods that a launch decision on this snapshot places, by code it does not share with
// the scheduler. No findings is what one hopes for.
func (s *Snapshot) Verify(plan *Decision) ([]Finding, error) {
	ptr, err := s.handle.enter()
	if err != nil {
		return nil, err
	}
	defer s.handle.leave()
	d, err := plan.enter()
	if err != nil {
		return nil, err
	}
	defer plan.handle.leave()
	f := newFault()
	var found *C.karp_verification
	if err := f.check(C.karp_verify_decision((*C.karp_snapshot)(ptr), d, &found, &f.c)); err != nil {
		return nil, err
	}
	defer C.karp_verification_free(found)
	var out []Finding
	for i := C.size_t(0); i < C.karp_verification_count(found); i++ {
		row := C.karp_finding{size: C.sizeof_karp_finding}
		if status := C.karp_verification_at(found, i, &row); status != C.KARP_OK {
			return nil, &Error{Status: Status(status), Offset: -1, Message: "a finding cannot be read"}
		}
		out = append(out, Finding{Code: C.GoString(C.karp_finding_name(row.code)), Object: textOf(row.object), Detail: textOf(row.detail)})
	}
	return out, nil
}
