// SPDX-License-Identifier: Apache-2.0

// Times Karpenter's own scheduler and disruption methods on Snapshot documents, in process, one worker. One line of JSON for
// each document: what was decided, and seconds of processor time.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/log"
	karpv1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	"sigs.k8s.io/karpenter/pkg/controllers/dynamicresources/deviceallocation"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/operator/injection"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	reqs "sigs.k8s.io/karpenter/pkg/scheduling"
	"sigs.k8s.io/karpenter/pkg/state/cost"
	"sigs.k8s.io/karpenter/pkg/state/virtualpods"
)

type row struct {
	Input    string  `json:"input"`
	Pods     int     `json:"pods"`
	Nodes    int     `json:"nodes"`
	Launches int     `json:"launches"`
	Commands int     `json:"commands"`
	Price    float64 `json:"price"`
	Setup    float64 `json:"setup_s"` // building the scheduler
	Solve    float64 `json:"solve_s"` // Solve alone; the whole method for disruption
	AllocMiB float64 `json:"alloc_mib"`
}

type silent struct{}

func (silent) Publish(...events.Event) {}

// A clock on which nobody waits: what happens after 15 s happens at once.
type hurried struct{ *clocktesting.FakeClock }

func (c hurried) After(time.Duration) <-chan time.Time {
	due := make(chan time.Time, 1)
	due <- c.Now()
	return due
}
func (c hurried) Sleep(time.Duration) {}

// A world is everything a controller would have in memory.
type world struct {
	in          *input
	ctx         context.Context
	clock       *clocktesting.FakeClock
	api         *api
	cloud       *cloud
	cluster     *state.Cluster
	provisioner *provisioning.Provisioner
}

func newWorld(ctx context.Context, in *input) (*world, error) {
	in.useLabels()
	w := &world{in: in, ctx: ctx, clock: clocktesting.NewFakeClock(in.Now), api: newAPI(in.objects), cloud: newCloud(in)}
	w.cluster = state.NewCluster(w.clock, w.api, w.cloud)
	for _, o := range in.objects {
		if claim, ok := o.(*karpv1.NodeClaim); ok {
			w.cluster.UpdateNodeClaim(claim.DeepCopy())
		}
	}
	for _, o := range in.objects {
		if node, ok := o.(*corev1.Node); ok {
			if err := w.cluster.UpdateNode(ctx, node.DeepCopy()); err != nil {
				return nil, err
			}
		}
	}
	for _, o := range in.objects {
		if pod, ok := o.(*corev1.Pod); ok {
			if err := w.cluster.UpdatePod(ctx, pod.DeepCopy()); err != nil {
				return nil, err
			}
		}
	}
	if !w.cluster.Synced(ctx) {
		return nil, fmt.Errorf("the cluster's state does not become complete")
	}
	w.provisioner = provisioning.NewProvisioner(w.api, silent{}, w.cloud, w.cluster, w.clock,
		deviceallocation.NewController(w.api), virtualpods.NewVirtualPodCache(w.api))
	return w, nil
}

// processor is the time all threads of this process have used, the garbage collector's among them.
func processor() float64 {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		return 0
	}
	return float64(use.Utime.Nano()+use.Stime.Nano()) / 1e9
}

func allocated() float64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.TotalAlloc) / (1 << 20)
}

func (w *world) solve(r *row) error {
	ctx := injection.WithControllerName(w.ctx, "provisioner")
	nodes := w.cluster.DeepCopyNodes()
	pods, err := w.provisioner.GetPendingPods(ctx)
	if err != nil {
		return err
	}
	chosen := options.FromContext(ctx)
	how := []scheduling.Options{scheduling.DisableReservedCapacityFallback, scheduling.NumConcurrentReconciles(1),
		scheduling.MinValuesPolicy(chosen.MinValuesPolicy)}
	runtime.GC()
	start := processor()
	scheduler, err := w.provisioner.NewScheduler(ctx, pods, nodes.Active(), sets.New[types.UID](), how...)
	if err != nil {
		return err
	}
	r.Setup = processor() - start
	runtime.GC()
	before := allocated()
	start = processor()
	result, err := scheduler.Solve(ctx, append([]*corev1.Pod{}, pods...))
	r.Solve = processor() - start
	r.AllocMiB = allocated() - before
	if err != nil {
		return err
	}
	r.Pods, r.Nodes, r.Launches = len(pods), len(nodes), len(result.NewNodeClaims)
	for _, claim := range result.NewNodeClaims {
		r.Price += leastPrice(claim.InstanceTypeOptions, claim.Requirements)
	}
	return nil
}

func leastPrice(list []*cloudprovider.InstanceType, asked reqs.Requirements) float64 {
	least, any := 0.0, false
	for _, t := range list {
		for _, o := range t.Offerings {
			if o.Available && (!any || o.Price < least) && asked.IsCompatible(o.Requirements, reqs.AllowUndefinedWellKnownLabels) {
				least, any = o.Price, true
			}
		}
	}
	return least
}

func (w *world) disrupt(r *row) error {
	ctx := injection.WithControllerName(w.ctx, "disruption")
	clock := hurried{w.clock}
	queue := disruption.NewQueue(w.api, silent{}, w.cluster, clock, w.provisioner)
	costs := cost.NewClusterCost(ctx, w.cloud, w.api)
	for _, o := range w.in.objects {
		if pool, ok := o.(*karpv1.NodePool); ok {
			list, _ := w.cloud.GetInstanceTypes(ctx, pool)
			costs.UpdateOfferings(ctx, pool, list)
		}
	}
	for _, o := range w.in.objects {
		if claim, ok := o.(*karpv1.NodeClaim); ok {
			if err := costs.UpdateNodeClaim(ctx, claim); err != nil {
				return err
			}
		}
	}
	r.Nodes = len(w.api.lists[reflect.TypeOf(&corev1.Node{})])
	r.Pods = len(w.api.lists[reflect.TypeOf(&corev1.Pod{})])
	runtime.GC()
	before, start := allocated(), processor()
	for _, method := range disruption.NewMethods(clock, w.cluster, w.api, w.provisioner, w.cloud, silent{}, queue) {
		if strings.TrimPrefix(reflect.TypeOf(method).String(), "*disruption.") != w.in.State.Method {
			continue
		}
		candidates, totals, err := disruption.GetCandidatesWithTotals(ctx, w.cluster, w.api, silent{}, clock, w.cloud,
			method.ShouldDisrupt, method.Class(), queue, costs)
		if err != nil {
			return err
		}
		budgets, err := disruption.BuildDisruptionBudgetMapping(ctx, w.cluster, clock, w.api, w.cloud, silent{}, method.Reason())
		if err != nil {
			return err
		}
		if setter, ok := method.(disruption.NodePoolTotalsSetter); ok {
			setter.SetNodePoolTotals(totals)
		}
		commands, err := method.ComputeCommands(ctx, budgets, candidates...)
		if err != nil {
			return err
		}
		for _, command := range commands {
			if command.Decision() == disruption.NoOpDecision {
				continue
			}
			r.Commands++
			r.Launches += len(command.Replacements)
		}
	}
	r.Solve, r.AllocMiB = processor()-start, allocated()-before
	return nil
}

func measure(path string, runs int) (*row, error) {
	in, err := readInput(path)
	if err != nil {
		return nil, err
	}
	ctx, err := karpenterContext()
	if err != nil {
		return nil, err
	}
	var best *row
	for range runs {
		w, err := newWorld(ctx, in)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		r := &row{Input: strings.TrimSuffix(filepath.Base(path), ".json")}
		if in.State.Method == "" {
			err = w.solve(r)
		} else {
			err = w.disrupt(r)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if best == nil || r.Solve < best.Solve {
			best = r
		}
	}
	return best, nil
}

func main() {
	runs := flag.Int("runs", 1, "how often; the best run is told")
	flag.Parse()
	log.SetLogger(logr.Discard())
	out := json.NewEncoder(os.Stdout)
	for _, path := range flag.Args() {
		best, err := measure(path, *runs)
		if err == nil {
			err = out.Encode(best)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
