// SPDX-License-Identifier: Apache-2.0

// Package kueue is a controller for admission checks of Kueue: a Workload that has reserved its quota starts only when libkarp
// finds room for all its pods, on nodes that exist or on nodes that Karpenter would launch. Others give their quota back.
package kueue

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	karp "libkarp.dev/go"
	"libkarp.dev/go/document"
)

// ControllerName is what an AdmissionCheck names in spec.controllerName.
const ControllerName = "libkarp.dev/room"

// Every is how often the queue is looked at while something waits in it.
const Every = 30 * time.Second

// A Check answers for all Workloads at once. All requests are one request, so that it never runs twice at a time.
type Check struct {
	Client  client.Client
	Region  string                    // of the built-in catalogue, where the nodes do not say
	Boot    time.Duration             // from a launch until its nodes take pods; 0 = a minute
	Retry   time.Duration             // how long a Workload without room waits at least; 0 = five minutes
	Cluster []schema.GroupVersionKind // what is read beside nodes and pods: NodePools, NodeClaims, node classes …
	Now     func() time.Time
}

// Reconcile answers for the Workloads that hold quota and wait for one of our checks.
func (c *Check) Reconcile(ctx context.Context, _ ctrl.Request) (ctrl.Result, error) {
	checks, err := c.activate(ctx)
	if err != nil || len(checks) == 0 {
		return ctrl.Result{}, err
	}
	list, err := c.waiting(ctx, checks)
	if err != nil || len(list) == 0 {
		return ctrl.Result{}, err
	}
	answers, err := c.ask(ctx, list)
	if err != nil {
		return ctrl.Result{}, err
	}
	for i := range list {
		answer, found := answers[key(list[i].Namespace, list[i].Name)]
		if !found { // its pods are reclaimable, so that it needs none
			answer = karp.Workload{Answer: karp.AdmitNow}
		}
		if err := c.tell(ctx, &list[i], checks, answer); err != nil {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{RequeueAfter: Every}, nil
}

// activate says of our checks that somebody answers for them, and returns their names.
func (c *Check) activate(ctx context.Context) (map[kueue.AdmissionCheckReference]bool, error) {
	all, ours := &kueue.AdmissionCheckList{}, map[kueue.AdmissionCheckReference]bool{}
	if err := c.Client.List(ctx, all); err != nil {
		return nil, err
	}
	for i := range all.Items {
		check := &all.Items[i]
		if check.Spec.ControllerName != ControllerName {
			continue
		}
		ours[kueue.AdmissionCheckReference(check.Name)] = true
		changed := meta.SetStatusCondition(&check.Status.Conditions, metav1.Condition{Type: kueue.AdmissionCheckActive,
			Status: metav1.ConditionTrue, Reason: "Active", Message: "libkarp answers", ObservedGeneration: check.Generation})
		if !changed {
			continue
		}
		if err := c.Client.Status().Update(ctx, check); err != nil {
			return nil, err
		}
	}
	return ours, nil
}

// pending tells whether the Workload holds quota and one of our checks has no answer yet.
func pending(w *kueue.Workload, checks map[kueue.AdmissionCheckReference]bool) bool {
	is := func(condition string) bool { return meta.IsStatusConditionTrue(w.Status.Conditions, condition) }
	if !is(kueue.WorkloadQuotaReserved) || is(kueue.WorkloadAdmitted) || is(kueue.WorkloadFinished) {
		return false
	}
	for _, state := range w.Status.AdmissionChecks {
		if checks[state.Name] && state.State == kueue.CheckStatePending {
			return true
		}
	}
	return false
}

// waiting lists these Workloads as they will run: on the flavours that Kueue has assigned, and with as many pods.
func (c *Check) waiting(ctx context.Context, checks map[kueue.AdmissionCheckReference]bool) ([]kueue.Workload, error) {
	all, flavors := &kueue.WorkloadList{}, &kueue.ResourceFlavorList{}
	if err := c.Client.List(ctx, all); err != nil {
		return nil, err
	}
	if err := c.Client.List(ctx, flavors); err != nil {
		return nil, err
	}
	byName := map[kueue.ResourceFlavorReference]*kueue.ResourceFlavor{}
	for i := range flavors.Items {
		byName[kueue.ResourceFlavorReference(flavors.Items[i].Name)] = &flavors.Items[i]
	}
	var out []kueue.Workload
	for i := range all.Items {
		if w := all.Items[i].DeepCopy(); pending(w, checks) {
			assign(w, byName)
			out = append(out, *w)
		}
	}
	return out, nil
}

// assign does to the pod sets what Kueue does when it starts the pods.
func assign(w *kueue.Workload, flavors map[kueue.ResourceFlavorReference]*kueue.ResourceFlavor) {
	if w.Status.Admission == nil {
		return
	}
	for _, a := range w.Status.Admission.PodSetAssignments {
		for i := range w.Spec.PodSets {
			set := &w.Spec.PodSets[i]
			if set.Name != a.Name {
				continue
			}
			if a.Count != nil {
				set.Count, set.MinCount = *a.Count, nil
			}
			done := map[kueue.ResourceFlavorReference]bool{}
			for _, name := range a.Flavors {
				flavor := flavors[name]
				if flavor == nil || done[name] {
					continue
				}
				done[name] = true
				spec := &set.Template.Spec
				if spec.NodeSelector == nil {
					spec.NodeSelector = map[string]string{}
				}
				maps.Copy(spec.NodeSelector, flavor.Spec.NodeLabels)
				spec.Tolerations = append(spec.Tolerations, flavor.Spec.Tolerations...)
			}
		}
	}
}

// document is everything that bears on the answers, as one List.
func (c *Check) document(ctx context.Context, waiting []kueue.Workload) ([]byte, error) {
	var items []any
	nodes, pods := &v1.NodeList{}, &v1.PodList{}
	for _, list := range []client.ObjectList{nodes, pods} {
		if err := c.Client.List(ctx, list); err != nil {
			return nil, err
		}
	}
	for i := range nodes.Items {
		nodes.Items[i].TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}
		items = append(items, &nodes.Items[i])
	}
	for i := range pods.Items {
		pods.Items[i].TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
		items = append(items, &pods.Items[i])
	}
	for _, kind := range c.Cluster {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
		if err := c.Client.List(ctx, list); err != nil {
			return nil, err
		}
		for i := range list.Items {
			items = append(items, list.Items[i].Object)
		}
	}
	for i := range waiting {
		waiting[i].TypeMeta = metav1.TypeMeta{APIVersion: kueue.GroupVersion.String(), Kind: "Workload"}
		items = append(items, &waiting[i])
	}
	return json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
}

// ask returns the answers by key().
func (c *Check) ask(ctx context.Context, waiting []kueue.Workload) (map[string]karp.Workload, error) {
	text, err := c.document(ctx, waiting)
	if err != nil {
		return nil, err
	}
	input, err := document.ReadBytes(&document.Options{Now: c.Now(), Region: c.Region, Queued: true}, "cluster", text)
	if err != nil {
		return nil, err
	}
	defer input.Close()
	asked, err := input.Snapshot.Admit(ctx, &karp.AdmitOptions{Boot: c.Boot, Changes: 3})
	if err != nil {
		return nil, err
	}
	defer asked.Close()
	out := map[string]karp.Workload{}
	for _, answer := range asked.Workloads {
		if answer.Kind == "Workload" {
			out[answer.Name] = answer
		}
	}
	return out, nil
}

// key is the name of a Workload in the answers: of a long name the last 63 characters, which a label can have.
func key(namespace, name string) string {
	const most = 63
	if len(name) > most {
		name = strings.TrimLeft(name[len(name)-most:], "-.")
	}
	return namespace + "/" + name
}

// tell writes the answer into the states of our checks.
func (c *Check) tell(ctx context.Context, waiting *kueue.Workload, checks map[kueue.AdmissionCheckReference]bool, answer karp.Workload) error {
	w := &kueue.Workload{}
	if err := c.Client.Get(ctx, client.ObjectKeyFromObject(waiting), w); err != nil {
		return client.IgnoreNotFound(err)
	}
	before := w.DeepCopy()
	for i := range w.Status.AdmissionChecks {
		state := &w.Status.AdmissionChecks[i]
		if !checks[state.Name] || state.State != kueue.CheckStatePending {
			continue
		}
		state.LastTransitionTime = metav1.NewTime(c.Now())
		state.State, state.Message = kueue.CheckStateReady, message(&answer)
		if answer.Answer == karp.AdmitNever {
			state.State, state.RequeueAfterSeconds = kueue.CheckStateRetry, seconds(c.Retry)
		}
	}
	return c.Client.Status().Patch(ctx, w, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}

func seconds(d time.Duration) *int32 {
	if d == 0 {
		d = 5 * time.Minute
	}
	out := int32(d / time.Second)
	return &out
}

func message(w *karp.Workload) string {
	switch {
	case w.Answer == karp.AdmitNow:
		return "there is room on nodes that are ready"
	case w.Answer == karp.AdmitLaunch && w.Launches == 0:
		return "there is room on nodes that are being started"
	case w.Answer == karp.AdmitLaunch:
		return fmt.Sprintf("%d nodes are launched for it, $%.4f/h, ready in about %s", w.Launches, w.Cost, w.ReadyAfter)
	case w.StartsAlone:
		return w.Detail + "; there is room for it without what comes before it"
	case len(w.Changes) > 0:
		return w.Detail + "; it starts if you " + w.Changes[0].Text
	}
	return w.Detail
}

// SetupWithManager looks at the queue whenever a Workload, a check or a node changes.
func (c *Check) SetupWithManager(manager ctrl.Manager) error {
	queue := handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []reconcile.Request {
		return []reconcile.Request{{NamespacedName: types.NamespacedName{Name: "queue"}}}
	})
	return ctrl.NewControllerManagedBy(manager).Named("room").Watches(&kueue.Workload{}, queue).
		Watches(&kueue.AdmissionCheck{}, queue).Watches(&v1.Node{}, queue).Complete(c)
}
