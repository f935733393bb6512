// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	clocktesting "k8s.io/utils/clock/testing"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	"sigs.k8s.io/karpenter/pkg/state/virtualpods"
	nodeutils "sigs.k8s.io/karpenter/pkg/utils/node"
)

type silent struct{}

func (silent) Publish(...events.Event) {}

// world is a Snapshot as Karpenter would hold it in memory.
type world struct {
	*snapshot
	ctx         context.Context
	clock       *clocktesting.FakeClock
	api         *api
	cluster     *state.Cluster
	provisioner *provisioning.Provisioner
}

func newWorld(s *snapshot) (*world, error) {
	w := &world{snapshot: s, clock: clocktesting.NewFakeClock(s.Now), api: newAPI(s.objects)}
	o, err := s.options()
	if err != nil {
		return nil, err
	}
	w.ctx = options.ToContext(context.Background(), o)
	s.setTables()
	p := newProvider(s)
	if w.cluster, err = newCluster(w, p); err != nil {
		return nil, err
	}
	if err := w.fill(); err != nil {
		return nil, err
	}
	w.provisioner = provisioning.NewProvisioner(w.api, silent{}, p, w.cluster, w.clock, allocatedDevices(w),
		virtualpods.NewVirtualPodCache(w.api))
	return w, nil
}

func (s *snapshot) options() (*options.Options, error) {
	o := &options.Options{
		CPURequests: 1000, PreferencePolicy: options.PreferencePolicyRespect, MinValuesPolicy: options.MinValuesPolicyStrict,
		IgnoreDRARequests: !s.allocatesDevices(), FeatureGates: options.FeatureGates{ReservedCapacity: true},
	}
	if s.Settings.PreferencePolicy == "Ignore" {
		o.PreferencePolicy = options.PreferencePolicyIgnore
	}
	if s.Settings.MinValuesPolicy == "BestEffort" {
		o.MinValuesPolicy = options.MinValuesPolicyBestEffort
	}
	if on, stated := s.Settings.FeatureGates["ReservedCapacity"]; stated {
		o.FeatureGates.ReservedCapacity = on
	}
	return o, schedulerConfig(o, s.Settings.SchedulerConfig)
}

// Karpenter's own entries of the tables that providers extend, in variables of its packages.
var (
	ownKnown      = v1.WellKnownLabels.Clone()
	ownRestricted = v1.RestrictedLabels.Clone()
	ownDomains    = v1.RestrictedLabelDomains.Clone()
	ownNormalized = maps.Clone(v1.NormalizedLabels)
)

func (s *snapshot) setTables() {
	v1.WellKnownLabels = ownKnown.Clone().Insert(s.Labels.WellKnown...)
	v1.RestrictedLabels = ownRestricted.Clone().Insert(s.Labels.Restricted...)
	v1.RestrictedLabelDomains = ownDomains.Clone().Insert(s.Labels.RestrictedDomains...)
	v1.NormalizedLabels = maps.Clone(ownNormalized)
	maps.Copy(v1.NormalizedLabels, s.Labels.Normalized)
	cloudprovider.ReservationIDLabel = s.Labels.ReservationID
	cloudprovider.ReservedCapacityLabels = sets.New[string]()
	if s.Labels.ReservationID != "" {
		v1.WellKnownLabels.Insert(s.Labels.ReservationID)
		cloudprovider.ReservedCapacityLabels.Insert(s.Labels.ReservationID)
	}
}

// fill tells the cluster state of all objects, as its informers would.
func (w *world) fill() error {
	for _, claim := range ofType[*v1.NodeClaim](w.snapshot) {
		w.cluster.UpdateNodeClaim(claim.DeepCopy())
	}
	for _, node := range ofType[*corev1.Node](w.snapshot) {
		// The volume of one of its pods may be gone.
		if err := w.cluster.UpdateNode(w.ctx, node.DeepCopy()); err != nil && w.State.Nodes != nil {
			return notCovered("whether Karpenter knows the node depends on what happened before: " + err.Error())
		}
	}
	for _, pod := range ofType[*corev1.Pod](w.snapshot) {
		if err := w.cluster.UpdatePod(w.ctx, pod.DeepCopy()); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	for _, set := range ofType[*appsv1.DaemonSet](w.snapshot) {
		if err := w.cluster.UpdateDaemonSet(w.ctx, set.DeepCopy()); err != nil {
			return err
		}
	}
	if w.State.Nodes == nil {
		return nil
	}
	ids := map[string]string{}
	for n := range w.cluster.Nodes() {
		ids[n.Name()] = n.ProviderID()
	}
	for _, n := range *w.State.Nodes {
		if n.MarkedForDeletion {
			w.cluster.MarkForDeletion(ids[n.Name])
		}
	}
	return w.unmarkUnknown()
}

// unmarkUnknown has the nodes that are there for topology alone stay: what leaves them is no concern of the scheduler's.
func (w *world) unmarkUnknown() error {
	for _, n := range w.cluster.DeepCopyNodes() {
		switch {
		case w.known(n) || !n.MarkedForDeletion():
		case n.NodeClaim != nil:
			n.NodeClaim.DeletionTimestamp = nil
			if err := n.NodeClaim.StatusConditions().Clear(v1.ConditionTypeInstanceTerminating); err != nil {
				return err
			}
			w.cluster.UpdateNodeClaim(n.NodeClaim)
		default:
			n.Node.DeletionTimestamp = nil
			if err := w.cluster.UpdateNode(w.ctx, n.Node); err != nil {
				return err
			}
		}
	}
	return nil
}

// known: the scheduler is to know the node.
func (w *world) known(n *state.StateNode) bool {
	return w.State.Nodes == nil || slices.ContainsFunc(*w.State.Nodes, func(stated stateNode) bool { return stated.Name == n.Name() })
}

// nodes are those that the scheduler is to know, by name.
func (w *world) nodes() state.StateNodes {
	all := w.cluster.DeepCopyNodes()
	slices.SortFunc(all, func(a, b *state.StateNode) int { return strings.Compare(a.Name(), b.Name()) })
	return slices.DeleteFunc(all, func(n *state.StateNode) bool { return !w.known(n) })
}

// pods are those to be placed: pending and deleting ones, or the ones stated. The second list is ignored.
func (w *world) pods(nodes state.StateNodes) (place []*corev1.Pod, deleting sets.Set[types.UID], ignored map[string]error, err error) {
	deleting, ignored = sets.New[types.UID](), map[string]error{}
	if w.State.Pods != nil {
		known := map[string]*corev1.Pod{}
		for _, pod := range ofType[*corev1.Pod](w.snapshot) {
			known[key(pod)] = pod
		}
		for _, name := range *w.State.Pods {
			pod := known[name]
			if pod == nil {
				continue
			}
			place = append(place, pod.DeepCopy())
			if pod.Spec.NodeName != "" { // it leaves its node
				deleting.Insert(pod.UID)
			}
		}
		return place, deleting, ignored, nil
	}
	pending, err := nodeutils.GetProvisionablePods(w.ctx, w.api)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, pod := range pending {
		if problem := w.provisioner.Validate(w.ctx, pod); problem != nil {
			ignored[key(pod)] = problem
		} else {
			place = append(place, pod)
		}
	}
	moved, err := nodes.Deleting().CurrentlyReschedulablePods(w.ctx, w.api, w.clock, silent{})
	for _, pod := range moved {
		deleting.Insert(pod.UID)
	}
	return append(place, moved...), deleting, ignored, err
}

// decide runs one round and makes a Plan of what comes out.
func (w *world) decide() (*plan, error) {
	nodes := w.nodes()
	place, deleting, ignored, err := w.pods(nodes)
	if err != nil {
		return nil, err
	}
	policy := options.FromContext(w.ctx)
	how := []scheduling.Options{scheduling.NumConcurrentReconciles(1), scheduling.MinValuesPolicy(policy.MinValuesPolicy)}
	if w.Settings.ReservedOfferingMode != "Fallback" {
		how = append(how, scheduling.DisableReservedCapacityFallback)
	}
	if policy.PreferencePolicy == options.PreferencePolicyIgnore {
		how = append(how, scheduling.IgnorePreferences)
	}
	if w.State.ConsolidationSimulation {
		how = append(how, scheduling.IsConsolidationSimulation)
	}
	how = append(how, credits(w.State.ReservationCredit)...)
	scheduler, err := w.provisioner.NewScheduler(w.ctx, place, nodes.Active(), deleting, how...)
	if errors.Is(err, provisioning.ErrNodePoolsNotFound) {
		for _, pod := range place {
			ignored[key(pod)] = fmt.Errorf("no dynamic nodepools found")
		}
		return newPlan(scheduling.Results{}, ignored), nil
	}
	if err != nil {
		return nil, err
	}
	results, err := scheduler.Solve(w.ctx, place)
	if err != nil {
		return nil, err
	}
	return newPlan(results.TruncateInstanceTypes(w.ctx, scheduling.MaxInstanceTypes), ignored), nil
}

func key(pod *corev1.Pod) string { return pod.Namespace + "/" + pod.Name }
