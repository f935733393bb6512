// SPDX-License-Identifier: Apache-2.0

package document

/*
#include <stdlib.h>

#include "c_io.h"
*/
import "C"

import (
	"encoding/json"
	"time"
	"unsafe"
)

// An Interruption is how often spot nodes are taken back; "" = of any type or zone.
type Interruption struct {
	InstanceType, Zone string
	PerHour            float64
}

// ReplayOptions of [Replay] (docs/replay.md); zero values are the defaults.
type ReplayOptions struct {
	Traces           []string // paths
	Format           string   // of the traces; "" = told by what they say
	Objects          []string // paths: NodePools and whatever else is there from the start
	Region           string   // of the built-in catalogue; "" = told by the documents
	Policies         []string // "karpenter", "cost" …; none = "karpenter"
	Until            time.Time
	UntilAfter, Step time.Duration
	Initialization   time.Duration // from a node that takes pods until Karpenter has initialised it
	Seed             uint64
	Boot, BootJitter *time.Duration
	Interruptions    []Interruption
	MostAllocated    bool
	Lenient          bool
	// Scheduler is what places pods: "" or "kube-scheduler", of version 1.SchedulerMinor (0 = 36), or "simple".
	Scheduler      string
	SchedulerMinor int
	// SchedulerConfig names the file of its configuration, a KubeSchedulerConfiguration; "" is the default profile.
	SchedulerConfig string
	// Repack is the path of a RepackPlan that is carried out on the cluster of Objects, without Traces too; "" = none.
	Repack string
	// AsPlanned puts the pods that it moves where it says, not where kube-scheduler does.
	AsPlanned bool
	// FeatureGates are Karpenter's, as in "NodeOverlay=true,StaticCapacity=true".
	FeatureGates string
}

// A Bill is what a policy came to. Dollars; Pending are seconds.
type Bill struct {
	Policy                                         string
	Dollars, IdleDollars, NodeHours                float64
	NodesMost, Launches, FailedLaunches            uint64
	Evictions, Interruptions, Expirations          uint64
	KilledPods, LostPods                           uint64
	Disruptions                                    map[string]uint64
	AbandonedDisruptions                           uint64
	PendingSeconds                                 struct{ P50, P99, Max float64 }
	CPUUse, MemoryUse                              float64
	PodStarts, PodsEnded, PodsRunning              uint64
	PodsPending, LaunchDecisions, DisruptionPasses uint64
	Series                                         map[string][]float64 // by column; "time" is seconds since 1970
	Repack                                         *RepackBill          // nil = no plan was carried out
}

// A RepackBill is what came of a repack plan, beside what it promised. Costs are dollars an hour.
type RepackBill struct {
	CostBefore, CostAfter                 float64
	Evictions, Pending                    uint64
	PromisedCostBefore, PromisedCostAfter float64
	PromisedEvictions, Plans, StepsDone   uint64
}

// A Replayed is the result of a replay: a bill of each policy.
type Replayed struct {
	Begins, Ends time.Time
	Seed         uint64
	Pods, Notes  uint64
	Policies     []Bill
}

// documents of paths, in C's memory.
func documents(paths []string) *C.karp_replay_document {
	if len(paths) == 0 {
		return nil
	}
	at := (*C.karp_replay_document)(C.calloc(C.size_t(len(paths)), C.sizeof_karp_replay_document))
	for i, path := range paths {
		unsafe.Slice(at, len(paths))[i].name = str(path)
	}
	return at
}

func freeDocuments(at *C.karp_replay_document, count int) {
	for _, d := range unsafe.Slice(at, count) {
		free(d.name)
	}
	C.free(unsafe.Pointer(at))
}

// Replay lets the load of the traces happen again in virtual time under each policy. Errors name file, line and field.
func Replay(options *ReplayOptions) (*Replayed, error) {
	c, err := newCall()
	if err != nil {
		return nil, err
	}
	defer c.free()
	if options == nil {
		options = new(ReplayOptions)
	}
	var o C.karp_replay_options
	C.karp_replay_options_init(&o, C.sizeof_karp_replay_options)
	o.traces, o.trace_count = documents(options.Traces), C.size_t(len(options.Traces))
	defer freeDocuments(o.traces, len(options.Traces))
	o.objects, o.object_count = documents(options.Objects), C.size_t(len(options.Objects))
	defer freeDocuments(o.objects, len(options.Objects))
	o.format, o.region, o.feature_gates = str(options.Format), str(options.Region), str(options.FeatureGates)
	defer free(o.format)
	defer free(o.region)
	defer free(o.feature_gates)
	if count := len(options.Policies); count > 0 {
		at := (*C.karp_str)(C.calloc(C.size_t(count), C.sizeof_karp_str))
		defer C.free(unsafe.Pointer(at))
		for i, policy := range options.Policies {
			name := str(policy)
			defer free(name)
			unsafe.Slice(at, count)[i] = name
		}
		o.policies, o.policy_count = at, C.size_t(count)
	}
	if count := len(options.Interruptions); count > 0 {
		at := (*C.karp_replay_interruption)(C.calloc(C.size_t(count), C.sizeof_karp_replay_interruption))
		defer C.free(unsafe.Pointer(at))
		for i, rate := range options.Interruptions {
			kind, zone := str(rate.InstanceType), str(rate.Zone)
			defer free(kind)
			defer free(zone)
			unsafe.Slice(at, count)[i] = C.karp_replay_interruption{instance_type: kind, zone: zone, per_hour: C.double(rate.PerHour)}
		}
		o.interruptions, o.interruption_count = at, C.size_t(count)
	}
	if !options.Until.IsZero() {
		o.until = C.int64_t(options.Until.UnixNano())
	}
	o.until_after, o.step, o.seed = C.int64_t(options.UntilAfter), C.int64_t(options.Step), C.uint64_t(options.Seed)
	if options.Boot != nil {
		o.boot = C.int64_t(*options.Boot)
	}
	if options.BootJitter != nil {
		o.boot_jitter = C.int64_t(*options.BootJitter)
	}
	o.initialization = C.int64_t(options.Initialization)
	if options.Repack != "" {
		plan := documents([]string{options.Repack})
		defer freeDocuments(plan, 1)
		o.repack = plan
	}
	if options.Scheduler != "" {
		scheduler := str(options.Scheduler)
		defer free(scheduler)
		o.scheduler = scheduler
	}
	o.scheduler_minor = C.int64_t(options.SchedulerMinor)
	if options.SchedulerConfig != "" {
		config := documents([]string{options.SchedulerConfig})
		defer freeDocuments(config, 1)
		o.scheduler_config = config
	}
	if options.AsPlanned {
		o.as_planned = 1
	}
	if options.MostAllocated {
		o.most_allocated = 1
	}
	if options.Lenient {
		o.lenient = 1
	}
	var text C.karp_text
	if err := c.check(C.karp_replay(c.context, &o, nil, &text, &c.fault)); err != nil {
		return nil, err
	}
	out := new(Replayed)
	return out, json.Unmarshal(take(&text), out)
}
