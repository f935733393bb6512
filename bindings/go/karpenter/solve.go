// SPDX-License-Identifier: Apache-2.0

package karpenter

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/operator/options"

	karp "libkarp.dev/go"
)

// An Input is what scheduling.NewScheduler takes, as far as it bears on the decision.
type Input struct {
	Client        client.Client
	NodePools     []*v1.NodePool // those that may launch; their Ready condition is not looked at
	StateNodes    []*state.StateNode
	InstanceTypes map[string][]*cloudprovider.InstanceType // by NodePool
	DaemonSetPods []*corev1.Pod
	Clock         clock.Clock

	// What scheduling.Options set.
	ReservedFallback        bool // scheduling.ReservedOfferingModeFallback
	IgnorePreferences       bool
	MinValuesPolicy         options.MinValuesPolicy
	ConsolidationSimulation bool
	ReservationCredits      map[string]int
}

// Solve decides as scheduling.Scheduler.Solve does: pods go to the nodes of the input, or to new NodeClaims. Feature gates and the DRA
// option are those of the context (options.FromContext). When the context ends, the results are those so far, with its error, as there.
// Results share pods, state nodes and instance types with the input. DRAClaimAllocationMetadata is nil: libkarp allocates devices, and
// does not say which.
func Solve(ctx context.Context, in *Input, pods []*corev1.Pod) (scheduling.Results, error) {
	snapshot, err := Snapshot(ctx, in, pods)
	if err != nil {
		return scheduling.Results{}, err
	}
	defer snapshot.Close()
	plan, err := snapshot.Provision(ctx, &karp.Options{PeerVersion: karp.Peer1_15, KeepPartial: true, Explain: karp.ExplainSummary})
	if err != nil {
		return scheduling.Results{}, err
	}
	defer plan.Close()
	results, err := Results(plan, in, pods)
	return results, errors.Join(err, ctx.Err())
}

// Snapshot is the input as libkarp has it. It lists from the client what Karpenter's scheduler gets from it: pods, nodes, namespaces,
// volumes, and with DRA devices and claims.
func Snapshot(ctx context.Context, in *Input, pods []*corev1.Pod) (*karp.Snapshot, error) {
	builder, err := karp.NewBuilder(nil)
	if err != nil {
		return nil, err
	}
	defer builder.Close()
	w := newWorld(builder)
	steps := []func() error{
		func() error { return builder.SetNow(now(in.Clock)) },
		func() error { return settings(ctx, in, builder) },
		func() error { return catalogues(in, builder) },
		func() error { return w.nodePools(in.NodePools) },
		func() error { return w.daemons(in.DaemonSetPods) },
		func() error { return w.nodes(ctx, in) },
		func() error { return w.pods(ctx, in.Client, pods) },
		func() error { return w.volumes(ctx, in.Client) },
	}
	if !options.FromContext(ctx).IgnoreDRARequests {
		steps = append(steps, func() error { return w.devices(ctx, in.Client) })
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return builder.Finish()
}

func now(c clock.Clock) time.Time {
	if c == nil {
		return time.Now()
	}
	return c.Now()
}

func settings(ctx context.Context, in *Input, builder *karp.Builder) error {
	opts := options.FromContext(ctx)
	out := karp.Settings{IgnorePreferences: in.IgnorePreferences, BestEffortMinValues: in.MinValuesPolicy == options.MinValuesPolicyBestEffort,
		ReservedFallback: in.ReservedFallback, DRARequests: !opts.IgnoreDRARequests, WellKnown: sortedSet(v1.WellKnownLabels),
		Restricted: sortedSet(v1.RestrictedLabels), RestrictedDomains: sortedSet(v1.RestrictedLabelDomains), Normalized: v1.NormalizedLabels,
		ReservationIDLabel: cloudprovider.ReservationIDLabel, ConsolidationSimulation: in.ConsolidationSimulation}
	if opts.FeatureGates.ReservedCapacity {
		out.Gates |= karp.GateReservedCapacity
	}
	for _, id := range sortedKeys(in.ReservationCredits) {
		out.ReservationCredits = append(out.ReservationCredits, karp.ReservationCredit{Reservation: id, Slots: int64(in.ReservationCredits[id])})
	}
	return builder.SetSettings(&out)
}

func sortedSet[S ~map[string]E, E any](from S) []string { return slices.Sorted(maps.Keys(from)) }

// catalogues are one for each list of types: NodePools that share the same list share the catalogue.
func catalogues(in *Input, builder *karp.Builder) error {
	var lists [][]string // NodePools of each list
	for _, pool := range sortedKeys(in.InstanceTypes) {
		same := slices.IndexFunc(lists, func(pools []string) bool { return slices.Equal(in.InstanceTypes[pools[0]], in.InstanceTypes[pool]) })
		if same < 0 {
			lists = append(lists, []string{pool})
		} else {
			lists[same] = append(lists[same], pool)
		}
	}
	for _, pools := range lists {
		catalogue, err := Catalogue(in.InstanceTypes[pools[0]])
		if err != nil {
			return fmt.Errorf("instance types of NodePool %s: %w", pools[0], err)
		}
		err = builder.AddCatalogue(catalogue, pools...)
		catalogue.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func key(pod *corev1.Pod) string { return pod.Namespace + "/" + pod.Name }

// Results are those of a launch decision on the snapshot of that input and those pods.
func Results(plan *karp.Decision, in *Input, pods []*corev1.Pod) (scheduling.Results, error) {
	byName := make(map[string]*corev1.Pod, len(pods))
	for _, pod := range pods {
		byName[key(pod)] = pod
	}
	named := func(names []string) []*corev1.Pod {
		out := make([]*corev1.Pod, len(names))
		for i, name := range names {
			out[i] = byName[name]
		}
		return out
	}
	out := scheduling.Results{PodErrors: map[*corev1.Pod]error{}}
	launches, err := plan.Launches()
	if err != nil {
		return out, err
	}
	for i := range launches {
		claim, err := LaunchedNodeClaim(&launches[i], in)
		if err != nil {
			return out, err
		}
		claim.Pods = named(launches[i].Pods)
		out.NewNodeClaims = append(out.NewNodeClaims, claim)
	}
	placements, err := plan.Placements()
	if err != nil {
		return out, err
	}
	placed := map[string][]*corev1.Pod{}
	for _, p := range placements {
		placed[p.Node] = named(p.Pods)
	}
	for _, node := range sortedNodes(in.StateNodes) {
		out.ExistingNodes = append(out.ExistingNodes, &scheduling.ExistingNode{StateNode: node, Pods: placed[node.Name()]})
	}
	return out, podErrors(plan, !in.ReservedFallback, byName, out.PodErrors)
}

// sortedNodes are in the order in which Karpenter tries them.
func sortedNodes(from []*state.StateNode) []*state.StateNode {
	out := slices.Clone(from)
	slices.SortStableFunc(out, func(a, b *state.StateNode) int {
		if a.Initialized() != b.Initialized() {
			if a.Initialized() {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name(), b.Name())
	})
	return out
}

// LaunchedNodeClaim is a launch as a NodeClaim of Karpenter's scheduler, without its pods: ToNodeClaim() of it is the object to create.
func LaunchedNodeClaim(launch *karp.Launch, in *Input) (*scheduling.NodeClaim, error) {
	i := slices.IndexFunc(in.NodePools, func(p *v1.NodePool) bool { return p.Name == launch.NodePool })
	if i < 0 {
		return nil, fmt.Errorf("launch %s: NodePool %q is not in the input", launch.ID, launch.NodePool)
	}
	requests, err := ResourceList(launch.Requests)
	if err != nil {
		return nil, fmt.Errorf("launch %s: %w", launch.ID, err)
	}
	claim := &scheduling.NodeClaim{NodeClaimTemplate: *scheduling.NewNodeClaimTemplate(in.NodePools[i])}
	requirements := ToRequirements(launch.Requirements)
	for _, key := range []string{v1.NodeRegisteredLabelKey, v1.NodeInitializedLabelKey} { // of every template, for DaemonSets alone
		requirements.Add(claim.Requirements.Get(key))
	}
	claim.Requirements = requirements
	claim.Spec.Resources.Requests = requests
	claim.Annotations = maps.Clone(claim.Annotations)
	for name, value := range launch.Annotations {
		claim.Annotations[name] = value
	}
	types := make(map[string]*cloudprovider.InstanceType, len(in.InstanceTypes[launch.NodePool]))
	for _, t := range in.InstanceTypes[launch.NodePool] {
		types[t.Name] = t
	}
	for _, name := range launch.InstanceTypes {
		claim.InstanceTypeOptions = append(claim.InstanceTypeOptions, types[name])
	}
	return claim, nil
}

func podErrors(plan *karp.Decision, strict bool, byName map[string]*corev1.Pod, into map[*corev1.Pod]error) error {
	left, err := plan.Unschedulable()
	if err != nil {
		return err
	}
	for i := range left {
		into[byName[left[i].Pod]] = podError(&left[i], strict)
	}
	ignored, err := plan.Ignored()
	if err != nil {
		return err
	}
	for _, g := range ignored {
		if pod := byName[g.Pod]; pod != nil {
			into[pod] = errors.New(g.Message)
		}
	}
	return nil
}

// podError is of the type that Karpenter's callers look for.
func podError(u *karp.Unschedulable, strict bool) error {
	err := errors.New(u.Message)
	has := func(name string) bool {
		return u.Code.String() == name || slices.ContainsFunc(u.Pools, func(p karp.PoolRefusal) bool { return p.Code.String() == name })
	}
	switch {
	case has("RESERVED"), strict && has("RESERVED_FULL"):
		return scheduling.NewReservedOfferingError(err)
	case has("DRA"):
		return scheduling.NewDRAError(err)
	}
	return err
}
