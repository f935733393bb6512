// SPDX-License-Identifier: Apache-2.0

// Package controller is a reconciler that starts nodes as libkarp decides: it lists the cluster from the manager's cache,
// fills a builder, plans, creates the NodeClaims, and tells every pod that fits nowhere why.
package controller

import (
	"context"
	"errors"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	karpv1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	karp "libkarp.dev/go"
	"libkarp.dev/go/corev1"
	"libkarp.dev/go/karpenter"
)

// A Planner reconciles a whole cluster at once. All requests are one request, so that it never runs twice at a time.
type Planner struct {
	Client    client.Client // reads from the manager's cache
	Live      client.Reader // reads from the API server: manager.GetAPIReader()
	Catalogue *karp.Catalogue
	Recorder  record.EventRecorder
	Now       func() time.Time // the clock is an argument: tests and replays set it

	created map[string]struct{} // NodeClaims that were created and that the cache has not shown yet
}

const (
	// Every is how often the cluster is looked at when nothing else asks for it.
	Every = 10 * time.Second
	// Soon is when it is looked at again while a NodeClaim is still without a provider ID.
	Soon = time.Second
)

// Reconcile plans once, if what earlier plans launched can be seen.
func (p *Planner) Reconcile(ctx context.Context, _ ctrl.Request) (ctrl.Result, error) {
	claims := &karpv1.NodeClaimList{}
	if err := p.Client.List(ctx, claims); err != nil {
		return ctrl.Result{}, err
	}
	if synced, err := p.synced(ctx, claims); err != nil || !synced {
		return ctrl.Result{RequeueAfter: Soon}, err
	}
	snapshot, pods, err := p.snapshot(ctx, claims)
	if err != nil {
		return ctrl.Result{}, err
	}
	defer snapshot.Close()
	plan, err := snapshot.Provision(ctx, nil)
	if errors.Is(err, karp.ErrCanceled) {
		return ctrl.Result{}, ctx.Err() // the manager stops
	}
	if err != nil {
		return ctrl.Result{}, err
	}
	defer plan.Close()
	if err := p.launch(ctx, plan); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: Every}, p.tell(plan, pods)
}

// synced tells whether every NodeClaim has a provider ID, and whether the cache shows every one that was created here. As in
// Karpenter's cluster state, nothing is planned before: until then, the capacity of a NodeClaim is unknown, and its pods would get
// a second node.
func (p *Planner) synced(ctx context.Context, claims *karpv1.NodeClaimList) (bool, error) {
	all := true
	for i := range claims.Items {
		claim := &claims.Items[i]
		delete(p.created, claim.Name)
		all = all && claim.Status.ProviderID != ""
	}
	for name := range p.created {
		err := p.Live.Get(ctx, client.ObjectKey{Name: name}, &karpv1.NodeClaim{})
		if apierrors.IsNotFound(err) { // it was deleted before the cache showed it
			delete(p.created, name)
			continue
		}
		return false, err
	}
	return all, nil
}

// snapshot feeds everything that bears on the decision. The pods are by "namespace/name".
func (p *Planner) snapshot(ctx context.Context, claims *karpv1.NodeClaimList) (*karp.Snapshot, map[string]*v1.Pod, error) {
	builder, err := karp.NewBuilder(nil)
	if err != nil {
		return nil, nil, err
	}
	defer builder.Close()
	feeder := corev1.NewFeeder(builder)
	byName := map[string]*v1.Pod{}
	pods, nodes, daemons := &v1.PodList{}, &v1.NodeList{}, &appsv1.DaemonSetList{}
	pools := &karpv1.NodePoolList{}
	for _, all := range []client.ObjectList{pods, nodes, daemons, pools} {
		if err := p.Client.List(ctx, all); err != nil {
			return nil, nil, err
		}
	}
	err = errors.Join(builder.SetNow(p.Now()), builder.AddCatalogue(p.Catalogue))
	for i := range pods.Items {
		pod := &pods.Items[i]
		byName[pod.Namespace+"/"+pod.Name] = pod
		err = errors.Join(err, feeder.AddPod(pod))
	}
	for i := range nodes.Items {
		err = errors.Join(err, feeder.AddNode(&nodes.Items[i]))
	}
	for i := range daemons.Items {
		err = errors.Join(err, feeder.AddDaemonSet(&daemons.Items[i]))
	}
	for i := range pools.Items {
		pool, problem := karpenter.NodePool(&pools.Items[i])
		if problem != nil {
			return nil, nil, problem
		}
		err = errors.Join(err, builder.AddNodePool(pool))
	}
	for i := range claims.Items {
		err = errors.Join(err, builder.AddNodeClaim(karpenter.NodeClaim(&claims.Items[i])))
	}
	if err != nil {
		return nil, nil, err
	}
	snapshot, err := builder.Finish()
	return snapshot, byName, err
}

// launch creates a NodeClaim for every launch of the plan.
func (p *Planner) launch(ctx context.Context, plan *karp.Decision) error {
	launches, err := plan.Launches()
	if err != nil {
		return err
	}
	for i := range launches {
		pool := &karpv1.NodePool{}
		if err := p.Client.Get(ctx, client.ObjectKey{Name: launches[i].NodePool}, pool); err != nil {
			return err
		}
		claim, err := karpenter.NewNodeClaim(&launches[i], pool)
		if err != nil {
			return err
		}
		if err := p.Client.Create(ctx, claim); err != nil {
			return fmt.Errorf("a NodeClaim of NodePool %s: %w", launches[i].NodePool, err)
		}
		if p.created == nil {
			p.created = map[string]struct{}{}
		}
		p.created[claim.Name] = struct{}{}
	}
	return nil
}

// tell puts the reason on every pod that fits nowhere.
func (p *Planner) tell(plan *karp.Decision, pods map[string]*v1.Pod) error {
	left, err := plan.Unschedulable()
	if err != nil {
		return err
	}
	for _, u := range left {
		if pod := pods[u.Pod]; pod != nil {
			p.Recorder.Event(pod, v1.EventTypeWarning, u.Code.String(), u.Message)
		}
	}
	return nil
}

// SetupWithManager runs the planner whenever a pod, a node or a NodeClaim changes.
func (p *Planner) SetupWithManager(manager ctrl.Manager) error {
	cluster := handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []reconcile.Request {
		return []reconcile.Request{{NamespacedName: types.NamespacedName{Name: "cluster"}}}
	})
	return ctrl.NewControllerManagedBy(manager).Named("planner").Watches(&v1.Pod{}, cluster).Watches(&v1.Node{}, cluster).
		Watches(&karpv1.NodeClaim{}, cluster).Complete(p)
}
