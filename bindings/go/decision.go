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

// A Choice is the offering a launch is priced at.
type Choice struct {
	InstanceType, Zone, CapacityType string
	Price                            float64 // per hour
}

// A Launch is a node to start: one NodeClaim.
type Launch struct {
	ID                     string // "new-1"
	NodePool               string
	Pods                   []string // "namespace/name", by name
	Requests               []Resource
	Requirements           []Requirement // as the scheduler left them
	ClaimRequirements      []Requirement // as the NodeClaim has them
	Labels                 map[string]string
	Annotations            map[string]string
	Taints                 []Taint
	StartupTaints          []Taint
	InstanceTypes          []string // cheapest first
	Choice                 Choice
	Capacity               []Resource // of the chosen type
	Allocatable            []Resource
	NodeClass              NodeClassRef
	ExpireAfter            *time.Duration
	TerminationGracePeriod *time.Duration
}

// A Placement is what goes to a node that exists.
type Placement struct {
	Node string
	Pods []string
}

// A PoolRefusal is why a NodePool does not take a pod, with the number of instance types left after each step.
type PoolRefusal struct {
	NodePool         string
	Detail           string
	Code             Reason
	TypesStart       uint32
	TypesRequirement uint32
	TypesResources   uint32
	TypesOfferings   uint32
}

// A TopologyDomain is a value of a topology key, with the number of pods that the constraint counts there.
type TopologyDomain struct {
	Value     string
	Pods      uint32
	Code      string // "ALLOWED", "SKEW", …: why it cannot receive the pod
	Detail    string
	Named     bool // the requirements of NodePool name the value
	Minimum   bool // it has the count from which maxSkew is measured
	Nodes     uint32
	NodePools uint32
	Node      string // the first of the nodes
	NodePool  string // the first of the NodePools
	Pod       string // the first pod that is counted, for affinity and anti-affinity
	Volume    string // the claim whose volume is elsewhere
}

// A Topology is a spread constraint, affinity or anti-affinity that keeps a pod from domains.
type Topology struct {
	Kind          string // "spread", "affinity", "antiAffinity" or "antiAffinityOfOthers"
	Key           string
	Selector      string
	SelectsItself bool
	MaxSkew       int32
	MinDomains    int32
	Minimum       int64
	Cause         string
	Domains       []TopologyDomain
	DomainTotal   int
}

// An Unschedulable pod fits nowhere.
type Unschedulable struct {
	Pod        string
	Code       Reason
	Permanent  bool // waiting cannot help
	Message    string
	Pools      []PoolRefusal
	Relaxed    []string   // preferences that were given up in vain
	Topologies []Topology // the constraints that rule out domains, if one of them keeps the pod from a NodePool
}

// An Ignored pod was left out of the round.
type Ignored struct {
	Pod     string
	Code    Reason
	Message string
}

// A Command of a disruption: nodes that go, and what takes their pods.
type Command struct {
	Method        string
	Reason        string
	Replaces      bool
	Decision      string // "delete", "replace", "terminate-first" or "reboot"
	Nodes         []string
	Replacements  []Launch
	Placements    []Placement
	Savings       float64 // per hour
	ValidateAfter time.Duration
	// A replacement cannot be launched: nothing is offered as what it was narrowed to. The command saves nothing.
	ReplacementUnavailable bool
}

// A Kept node stays, for a reason.
type Kept struct {
	Node   string
	Code   Reason
	Detail string
}

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

func readLaunch(c *C.karp_decision, index C.size_t) (Launch, C.karp_status) {
	l := C.karp_launch{size: C.sizeof_karp_launch}
	if status := C.karp_decision_launch(c, index, &l); status != C.KARP_OK {
		return Launch{}, status
	}
	return Launch{
		ID: textOf(l.id), NodePool: textOf(l.node_pool), Pods: podsOf(c, l.pods, l.pod_count),
		Requests:          resourcesOf(l.requests, l.request_count),
		Requirements:      requirementsOf(l.requirements, l.requirement_count),
		ClaimRequirements: requirementsOf(l.claim_requirements, l.claim_requirement_count),
		Labels:            labelsOf(l.labels, l.label_count), Annotations: labelsOf(l.annotations, l.annotation_count),
		Taints: taintsOf(l.taints, l.taint_count), StartupTaints: taintsOf(l.startup_taints, l.startup_taint_count),
		InstanceTypes: textsOf(l.instance_types, l.instance_type_count), Choice: choiceOf(&l.choice),
		Capacity: resourcesOf(l.capacity, l.capacity_count), Allocatable: resourcesOf(l.allocatable, l.allocatable_count),
		NodeClass:   NodeClassRef{Group: textOf(l.node_class.group), Kind: textOf(l.node_class.kind), Name: textOf(l.node_class.name)},
		ExpireAfter: durationOf(l.expire_after), TerminationGracePeriod: durationOf(l.termination_grace_period),
	}, C.KARP_OK
}

func readPlacement(c *C.karp_decision, index C.size_t) (Placement, C.karp_status) {
	p := C.karp_placement{size: C.sizeof_karp_placement}
	if status := C.karp_decision_placement(c, index, &p); status != C.KARP_OK {
		return Placement{}, status
	}
	return Placement{Node: textOf(p.node), Pods: podsOf(c, p.pods, p.pod_count)}, C.KARP_OK
}

func readUnschedulable(c *C.karp_decision, index C.size_t) (Unschedulable, C.karp_status) {
	u := C.karp_unschedulable{size: C.sizeof_karp_unschedulable}
	if status := C.karp_decision_unschedulable(c, index, &u); status != C.KARP_OK {
		return Unschedulable{}, status
	}
	out := Unschedulable{Pod: textOf(C.karp_decision_pod_name(c, u.pod)), Code: reasonOf(u.code), Permanent: u.permanent != 0,
		Message: textOf(u.message), Relaxed: textsOf(u.relaxed, u.relaxed_count)}
	for _, p := range unsafe.Slice(u.pools, u.pool_count) {
		out.Pools = append(out.Pools, PoolRefusal{textOf(p.node_pool), textOf(p.detail), reasonOf(p.code), uint32(p.types_start),
			uint32(p.types_requirements), uint32(p.types_resources), uint32(p.types_offerings)})
	}
	for _, t := range unsafe.Slice(u.topologies, u.topology_count) {
		out.Topologies = append(out.Topologies, topologyOf(t))
	}
	return out, C.KARP_OK
}

func topologyOf(t C.karp_topology) Topology {
	out := Topology{Kind: C.GoString(C.karp_topology_name(t.kind)), Key: textOf(t.key), Selector: textOf(t.selector),
		SelectsItself: t.selects_itself != 0, MaxSkew: int32(t.max_skew), MinDomains: int32(t.min_domains), Minimum: int64(t.minimum),
		Cause: textOf(t.cause), DomainTotal: int(t.domain_total)}
	for _, d := range unsafe.Slice(t.domains, t.domain_count) {
		out.Domains = append(out.Domains, TopologyDomain{Value: textOf(d.value), Pods: uint32(d.count),
			Code: C.GoString(C.karp_domain_name(d.code)), Detail: textOf(d.detail), Named: d.named != 0, Minimum: d.minimum != 0,
			Nodes: uint32(d.node_count), NodePools: uint32(d.pool_count), Node: textOf(d.node), NodePool: textOf(d.node_pool),
			Pod: textOf(d.pod), Volume: textOf(d.volume)})
	}
	return out
}

func readIgnored(c *C.karp_decision, index C.size_t) (Ignored, C.karp_status) {
	i := C.karp_ignored{size: C.sizeof_karp_ignored}
	if status := C.karp_decision_ignored(c, index, &i); status != C.KARP_OK {
		return Ignored{}, status
	}
	return Ignored{Pod: textOf(C.karp_decision_pod_name(c, i.pod)), Code: reasonOf(i.code), Message: textOf(i.message)}, C.KARP_OK
}

func readKept(c *C.karp_decision, index C.size_t) (Kept, C.karp_status) {
	k := C.karp_kept{size: C.sizeof_karp_kept}
	if status := C.karp_decision_kept(c, index, &k); status != C.KARP_OK {
		return Kept{}, status
	}
	return Kept{Node: textOf(k.node), Code: reasonOf(k.code), Detail: textOf(k.detail)}, C.KARP_OK
}

func readCommand(c *C.karp_decision, index C.size_t) (Command, C.karp_status) {
	k := C.karp_command{size: C.sizeof_karp_command}
	if status := C.karp_decision_command(c, index, &k); status != C.KARP_OK {
		return Command{}, status
	}
	out := Command{Method: C.GoString(C.karp_method_name(k.method)), Reason: C.GoString(C.karp_method_reason(k.method)),
		Replaces: k.replaces != 0, Nodes: textsOf(k.nodes, k.node_count), Savings: float64(k.savings),
		ValidateAfter: time.Duration(k.validate_after), ReplacementUnavailable: k.replacement_unavailable != 0}
	if words := []string{"delete", "replace", "terminate-first", "reboot"}; int(k.decision) < len(words) {
		out.Decision = words[k.decision]
	}
	var err error
	if out.Replacements, err = slice(c, k.launch_first, k.launch_count, readLaunch); err != nil {
		return Command{}, C.KARP_E_INTERNAL
	}
	if out.Placements, err = slice(c, k.placement_first, k.placement_count, readPlacement); err != nil {
		return Command{}, C.KARP_E_INTERNAL
	}
	return out, C.KARP_OK
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
