// SPDX-License-Identifier: Apache-2.0

package karp

// #include "c.h"
import "C"

import (
	"context"
	"time"
	"unsafe"
)

// Whose groups: PodGroup.Source and Pod.GroupSource.
const (
	GroupKubernetes uint32 = iota // PodGroup of scheduling.k8s.io
	GroupCoscheduling
	GroupKoordinator
	GroupVolcano
	GroupKAI
	GroupKueue
	GroupWorkload // pods of one controller that are in no group: in answers of Admit alone
)

// AddPodGroup adds a group of pods that start together; pods name it in GroupName and GroupSource. Errors: as AddPod.
func (b *Builder) AddPodGroup(group *PodGroup) error {
	return give(b, group, (*page).podGroup, func(b *C.karp_builder, c *C.karp_pod_group, e *C.karp_error) C.karp_status {
		return C.karp_builder_add_pod_group(b, c, e)
	})
}

// A GroupOutcome is what a launch decision did with one group.
type GroupOutcome struct {
	Name        string // "namespace/name"
	Source      string // "PodGroup", "Volcano" …
	Composite   bool
	Gang        bool
	Code        Reason // 0 = its minimum is met; else why it cannot start
	Detail      string // the reason in words
	Minimum     int    // pods, or groups of a composite
	Members     int    // its pods that have not finished, or its groups
	Bound       int    // those that have a node already
	Placed      int    // those that the decision places
	TopologyKey string
	Domain      string // where it is, if it has a topology key and is placed
}

func readGroup(c *C.karp_decision, index C.size_t) (GroupOutcome, C.karp_status) {
	g := C.karp_group_outcome{size: C.sizeof_karp_group_outcome}
	if status := C.karp_decision_group(c, index, &g); status != C.KARP_OK {
		return GroupOutcome{}, status
	}
	return GroupOutcome{Name: textOf(g.name), Source: C.GoString(C.karp_group_source_name(g.source)), Composite: g.composite != 0,
		Gang: g.gang != 0, Code: reasonOf(g.code), Detail: textOf(g.detail), Minimum: int(g.min_count), Members: int(g.member_count),
		Bound: int(g.bound), Placed: int(g.placed), TopologyKey: textOf(g.topology_key), Domain: textOf(g.domain)}, C.KARP_OK
}

// Groups are those that have members to place, by namespace and name.
func (d *Decision) Groups() ([]GroupOutcome, error) {
	return rows(d, func(c *C.karp_decision) C.size_t { return C.karp_decision_group_count(c) }, readGroup)
}

// An Answer of Admit.
type Answer uint32

const (
	AdmitNow    Answer = 1 // all pods that it needs have room on nodes that are ready
	AdmitLaunch Answer = 2 // it starts when nodes are ready that are launched for it, or being started already
	AdmitNever  Answer = 3 // it does not start, unless the cluster or the workload changes
)

// String is "now", "launch" or "never".
func (a Answer) String() string { return C.GoString(C.karp_admit_name(C.uint32_t(a))) }

// What tells flavours of nodes apart, for AdmitOptions.Flavours; combined with |.
const (
	FlavourNodePool       uint32 = 1 // implied by the next three
	FlavourZone           uint32 = 2
	FlavourCapacityType   uint32 = 4
	FlavourReservation    uint32 = 8
	FlavourResourceFlavor uint32 = 16 // rows of their own: the ResourceFlavors of the workload's queue in Kueue
	FlavourAll            uint32 = 31
)

// AdmitOptions of Admit; nil ones are the defaults. Of Options, the profile and the objective are not read.
type AdmitOptions struct {
	Options
	Boot         time.Duration // from a launch until its nodes take pods; 0 = a minute
	Flavours     uint32        // each workload is tried on each flavour as well; 0 = on none
	FlavoursUpTo uint32        // only if the queue has at most so many workloads; 0 = always
	Changes      uint32        // for so many of the workloads that never start the smallest change is looked for
	Only         string        // the answer is about the workload or group of this name ("namespace/name") alone; "" = all
}

// A Flavour is a workload on the nodes of one flavour alone. Texts are "" where flavours are not told apart by them; a
// NodePool of "" stands for nodes without one.
type Flavour struct {
	NodePool, Zone, CapacityType, Reservation string
	Answer                                    Answer
	Placed, Launches                          int
	Cost                                      float64 // of the launches, per hour
	Detail                                    string  // why it does not start there, as far as it is known
	ResourceFlavor                            string  // of Kueue: a row of its own; "" = another
}

// A RequestCondition is what cluster-autoscaler would set on a ProvisioningRequest with this answer.
type RequestCondition struct{ Type, Status, Reason, Message string }

// A Workload of the queue, with its answer.
type Workload struct {
	Name        string // "namespace/name"
	Kind        string // of the group or controller: "PodGroup", "Workload" (of Kueue), "Job" …; "Pod" = a pod without one
	Answer      Answer
	Code        Reason // why it never starts, or 0
	Detail      string // the same in words
	Priority    int32
	StartsAlone bool // of AdmitNever: it would start if nothing of the queue came before it
	Pods        int  // that are pending
	Placed      int
	Waiting     int // of the placed ones, those that wait for a node
	Launches    int // nodes that are launched for it; workloads after it may use them, too
	Cost        float64
	ReadyAfter  time.Duration
	Domain      string   // where it is, if it has a topology key and starts
	Nodes       []string // IDs of launches and names of nodes that take its pods
	Flavours    []Flavour
	Changes     []Remedy // with each of them it starts; the smallest first
	Conditions  []RequestCondition
}

// An Admission has the answers for a queue.
type Admission struct {
	Decision  *Decision // for the whole queue; to be closed
	Workloads []Workload
}

// Close gives the decision up.
func (a *Admission) Close() error { return a.Decision.Close() }

// Admit says of each workload that waits whether it can start now, after nodes are launched, or never: one after another, by
// priority, then by age; what one gets is not there for the next (docs/admit.md). Errors: as of [Snapshot.Provision];
// ErrNotFound (nothing waits under the name in Only).
func (s *Snapshot) Admit(ctx context.Context, options *AdmitOptions) (*Admission, error) {
	var common C.karp_options
	var p page
	defer p.free()
	c := one[C.karp_admit_options](&p)
	C.karp_admit_options_init(c, C.sizeof_karp_admit_options)
	if options == nil {
		options = new(AdmitOptions)
	}
	if err := options.Options.fill(&common); err != nil {
		return nil, err
	}
	c.boot, c.flavours, c.flavours_up_to = C.int64_t(options.Boot), C.uint32_t(options.Flavours), C.uint32_t(options.FlavoursUpTo)
	c.most_changes, c.only = C.uint32_t(options.Changes), p.str(options.Only)
	shared := one[C.karp_options](&p)
	var found *C.karp_admission
	decision, err := s.decide(ctx, &common, func(s *C.karp_snapshot, out **C.karp_decision, e *C.karp_error) C.karp_status {
		*shared = common // with what ends the decision
		c.common = shared
		status := C.karp_admit(s, c, &found, e)
		if status == C.KARP_OK {
			*out = heldDecision(C.karp_admission_decision(found))
		}
		return status
	})
	if err != nil {
		return nil, err
	}
	defer C.karp_admission_free(found)
	out := &Admission{Decision: decision}
	for i := C.size_t(0); i < C.karp_admission_count(found); i++ {
		w, status := readWorkload(found, i)
		if status != C.KARP_OK {
			decision.Close()
			return nil, &Error{Status: Status(status), Offset: -1, Message: "an answer cannot be read"}
		}
		out.Workloads = append(out.Workloads, w)
	}
	return out, nil
}

func readWorkload(found *C.karp_admission, number C.size_t) (Workload, C.karp_status) {
	r := C.karp_admitted{size: C.sizeof_karp_admitted}
	if status := C.karp_admission_at(found, number, &r); status != C.KARP_OK {
		return Workload{}, status
	}
	w := Workload{Name: textOf(r.name), Kind: textOf(r.kind), Answer: Answer(r.verdict), Code: reasonOf(r.code), Detail: textOf(r.detail),
		Priority: int32(r.priority), StartsAlone: r.starts_alone != 0, Pods: int(r.pods), Placed: int(r.placed), Waiting: int(r.waiting),
		Launches: int(r.launches), Cost: float64(r.cost), ReadyAfter: time.Duration(r.ready_after), Domain: textOf(r.domain),
		Nodes: textsOf((*C.karp_str)(unsafe.Pointer(r.nodes)), r.node_count)}
	for i := C.size_t(0); i < r.flavour_count; i++ {
		f := C.karp_flavour{size: C.sizeof_karp_flavour}
		if status := C.karp_admission_flavour(found, number, i, &f); status != C.KARP_OK {
			return Workload{}, status
		}
		w.Flavours = append(w.Flavours, Flavour{NodePool: textOf(f.node_pool), Zone: textOf(f.zone), CapacityType: textOf(f.capacity_type),
			Reservation: textOf(f.reservation), Answer: Answer(f.verdict), Placed: int(f.placed), Launches: int(f.launches),
			Cost: float64(f.cost), Detail: textOf(f.detail), ResourceFlavor: textOf(f.resource_flavor)})
	}
	for i := C.size_t(0); i < r.change_count; i++ {
		m := C.karp_remedy{size: C.sizeof_karp_remedy}
		if status := C.karp_admission_change(found, number, i, &m); status != C.KARP_OK {
			return Workload{}, status
		}
		w.Changes = append(w.Changes, remedyOf(&m))
	}
	for i := C.size_t(0); i < r.condition_count; i++ {
		m := C.karp_request_condition{size: C.sizeof_karp_request_condition}
		if status := C.karp_admission_condition(found, number, i, &m); status != C.KARP_OK {
			return Workload{}, status
		}
		w.Conditions = append(w.Conditions, RequestCondition{textOf(m._type), textOf(m.status), textOf(m.reason), textOf(m.message)})
	}
	return w, C.KARP_OK
}
