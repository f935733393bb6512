// SPDX-License-Identifier: Apache-2.0

package karp

// #include "c.h"
import "C"

import (
	"context"
	"math"
	"unsafe"
)

// A FitType is a kind of node that can be launched.
type FitType struct {
	Name      string // for error messages
	Resources []Resource
	Labels    map[string]string // what selectors of demands look at
	Price     float64           // per hour
	MaxNodes  uint64            // at most so many; 0 = any number
	MinNodes  uint64            // so many in any case
}

// A FitNode is there already.
type FitNode struct {
	Name   string
	Free   []Resource // what is left
	Labels map[string]string
	Count  uint64 // so many that are equal; 0 = 1
}

// A FitDemand is a number of equal copies that need a place.
type FitDemand struct {
	Requests   []Resource // of each copy
	Selector   *Selector  // labels a node needs; nil = any node
	Count      uint64
	MaxPerNode uint64 // 0 = any number
	Group      uint32 // demands of equal numbers are placed all or none; 0 = each copy by itself
	Priority   int32  // higher first
}

// A FitRequest is what [Fit] decides about, without any object of Kubernetes.
type FitRequest struct {
	Types       []FitType
	Nodes       []FitNode
	Demands     []FitDemand
	MaxLaunches uint64 // of all types together; 0 = any number
	Cost        bool   // launch the cheapest nodes that a search finds, instead of those of the rules
	Effort      uint64 // of Cost: steps of work, about a microsecond each; 0 = 100,000
}

// A FitShare is so many copies of a demand, an index of the request.
type FitShare struct {
	Copies uint64
	Demand int
}

// A FitLoad is a number of nodes that receive the same.
type FitLoad struct {
	Launched bool // new nodes of type Index, else of the nodes Index that exist
	Index    int  // of the request's types or nodes
	Nodes    uint64
	Shares   []FitShare // what each of them receives; empty = nothing
}

// A FitLeft is so many copies of a demand that found no place.
type FitLeft struct {
	Copies    uint64
	Demand    int
	Reason    string // "SELECTOR", "TOO_LARGE", "FULL", "GROUP"
	Permanent bool   // not even with any number of nodes of these types
}

// A Fitting is the answer of [Fit].
type Fitting struct {
	Launches []uint64 // nodes to launch of each type of the request
	Cost     float64  // of them per hour
	Loads    []FitLoad
	Left     []FitLeft
	Figures  *CostFigures // of FitRequest.Cost; else nil
}

func (p *page) fit(out *C.karp_fit_request, from *FitRequest) {
	types := list[C.karp_fit_type](p, len(from.Types))
	for i := range from.Types {
		t, c := &from.Types[i], &types[i]
		c.name, c.price, c.max_nodes, c.min_nodes = p.str(t.Name), C.double(t.Price), C.uint64_t(t.MaxNodes), C.uint64_t(t.MinNodes)
		c.resources, c.resource_count = several(p, t.Resources, (*page).resource)
		c.labels, c.label_count = p.labels(t.Labels)
	}
	nodes := list[C.karp_fit_node](p, len(from.Nodes))
	for i := range from.Nodes {
		n, c := &from.Nodes[i], &nodes[i]
		c.name, c.count = p.str(n.Name), C.uint64_t(n.Count)
		c.free, c.free_count = several(p, n.Free, (*page).resource)
		c.labels, c.label_count = p.labels(n.Labels)
	}
	demands := list[C.karp_fit_demand](p, len(from.Demands))
	for i := range from.Demands {
		d, c := &from.Demands[i], &demands[i]
		c.count, c.max_per_node, c.group, c.priority = C.uint64_t(d.Count), C.uint64_t(d.MaxPerNode), C.uint32_t(d.Group), C.int32_t(d.Priority)
		c.requests, c.request_count = several(p, d.Requests, (*page).resource)
		c.selector = pointer(p, d.Selector, (*page).selector)
	}
	out.types, out.type_count = unsafe.SliceData(types), C.size_t(len(types))
	out.nodes, out.node_count = unsafe.SliceData(nodes), C.size_t(len(nodes))
	out.demands, out.demand_count = unsafe.SliceData(demands), C.size_t(len(demands))
	out.max_launches = C.uint64_t(from.MaxLaunches)
	if from.Cost {
		out.objective = C.KARP_OBJECTIVE_COST
	}
	if from.Effort > 0 {
		out.effort = C.uint64_t(from.Effort)
	}
}

// Fit packs demands that need be no pods onto nodes that need be no Kubernetes nodes: which to launch, what goes where, what is
// left and why. Errors: ErrInvalid, ErrRange, ErrLimit, ErrMemory, ErrCanceled.
func Fit(ctx context.Context, limits *Limits, request *FitRequest) (*Fitting, error) {
	if request == nil {
		return nil, errNil()
	}
	if len(request.Demands) > math.MaxUint32 {
		return nil, errOutside()
	}
	if ctx != nil && ctx.Err() != nil {
		return nil, &Error{Status: ErrCanceled, Offset: -1, Message: "the context had ended before", Cause: context.Cause(ctx)}
	}
	f := newFault()
	library, err := newContext(limits, f)
	if err != nil {
		return nil, err
	}
	defer C.karp_context_unref(library)
	var p page
	defer p.free()
	asked := one[C.karp_fit_request](&p)
	C.karp_fit_request_init(asked, C.sizeof_karp_fit_request)
	p.fit(asked, request)
	var fitting *C.karp_fitting
	w := watchingFit(ctx, asked)
	if err := w.end(f.check(C.karp_fit(library, asked, &fitting, &f.c))); err != nil {
		return nil, err
	}
	defer C.karp_fitting_free(fitting)
	return fittingOf(fitting, len(request.Types))
}

func fittingOf(c *C.karp_fitting, types int) (*Fitting, error) {
	out := &Fitting{Launches: make([]uint64, types), Cost: float64(C.karp_fitting_cost(c))}
	for i := range out.Launches {
		out.Launches[i] = uint64(C.karp_fitting_launches(c, C.size_t(i)))
	}
	cost := C.karp_cost{size: C.sizeof_karp_cost}
	if C.karp_fitting_objective(c, &cost) == C.KARP_OK {
		out.Figures = figuresOf(&cost)
	}
	for i := range C.karp_fitting_load_count(c) {
		l := C.karp_fit_load{size: C.sizeof_karp_fit_load}
		if status := C.karp_fitting_load(c, i, &l); status != C.KARP_OK {
			return nil, &Error{Status: Status(status), Offset: -1, Message: "a row of the fitting cannot be read"}
		}
		load := FitLoad{Launched: l.launched != 0, Index: int(l.index), Nodes: uint64(l.nodes)}
		for _, s := range unsafe.Slice(l.shares, l.share_count) {
			load.Shares = append(load.Shares, FitShare{uint64(s.copies), int(s.demand)})
		}
		out.Loads = append(out.Loads, load)
	}
	for i := range C.karp_fitting_left_count(c) {
		l := C.karp_fit_left{size: C.sizeof_karp_fit_left}
		if status := C.karp_fitting_left(c, i, &l); status != C.KARP_OK {
			return nil, &Error{Status: Status(status), Offset: -1, Message: "a row of the fitting cannot be read"}
		}
		out.Left = append(out.Left, FitLeft{uint64(l.copies), int(l.demand), C.GoString(C.karp_fit_reason_name(l.reason)), l.permanent != 0})
	}
	return out, nil
}
