// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awslabs/operatorpkg/status"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/record"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	karpv1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	karp "libkarp.dev/go"
)

func waiting(name, cpu string) *v1.Pod {
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		Spec: v1.PodSpec{Containers: []v1.Container{{Name: "c", Resources: v1.ResourceRequirements{
			Requests: v1.ResourceList{"cpu": resource.MustParse(cpu), "memory": resource.MustParse("1Gi")}}}}},
		Status: v1.PodStatus{Phase: v1.PodPending, Conditions: []v1.PodCondition{{Type: v1.PodScheduled, Status: v1.ConditionFalse, Reason: "Unschedulable"}}}}
}

func pool() *karpv1.NodePool {
	month := 720 * time.Hour
	out := &karpv1.NodePool{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
	out.Spec.Template.Labels = map[string]string{"team": "web"}
	out.Spec.Template.Spec.ExpireAfter = karpv1.NillableDuration{Duration: &month}
	out.Spec.Template.Spec.NodeClassRef = &karpv1.NodeClassReference{Group: "karpenter.test", Kind: "TestNodeClass", Name: "default"}
	out.Spec.Template.Spec.Requirements = []karpv1.NodeSelectorRequirementWithMinValues{
		{Key: v1.LabelTopologyZone, Operator: v1.NodeSelectorOpIn, Values: []string{"b"}}}
	for _, kind := range []string{"Ready", karpv1.ConditionTypeValidationSucceeded, karpv1.ConditionTypeNodeClassReady} {
		out.Status.Conditions = append(out.Status.Conditions, status.Condition{Type: kind, Status: metav1.ConditionTrue, Reason: kind})
	}
	return out
}

func catalogue(t *testing.T) *karp.Catalogue {
	in := func(key string, values ...string) karp.Requirement {
		return karp.Requirement{Key: key, Op: karp.OpIn, Values: values}
	}
	var types []karp.InstanceType
	for i, name := range []string{"small", "large"} {
		size := int64(2 + 6*i)
		one := karp.InstanceType{Name: name, Requirements: []karp.Requirement{in("node.kubernetes.io/instance-type", name)},
			Capacity: []karp.Resource{{Name: "cpu", Value: size}, {Name: "memory", Text: "64Gi"}, {Name: "pods", Value: 30}}}
		for _, zone := range []string{"a", "b"} {
			one.Offerings = append(one.Offerings, karp.Offering{Price: float64(size), Available: true,
				Requirements: []karp.Requirement{in("topology.kubernetes.io/zone", zone), in("karpenter.sh/capacity-type", "on-demand")}})
		}
		types = append(types, one)
	}
	out, err := karp.NewCatalogue(nil, types)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = out.Close() })
	return out
}

func planner(t *testing.T, objects ...client.Object) (*Planner, *record.FakeRecorder) {
	recorder := record.NewFakeRecorder(10)
	now := func() time.Time { return time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC) }
	cluster := fake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(objects...).Build()
	return &Planner{Client: cluster, Live: cluster, Catalogue: catalogue(t), Recorder: recorder, Now: now}, recorder
}

// claims reconciles once and returns the NodeClaims of the cluster.
func claims(t *testing.T, p *Planner) []karpv1.NodeClaim {
	t.Helper()
	result, err := p.Reconcile(context.Background(), ctrl.Request{})
	if err != nil || result.RequeueAfter == 0 {
		t.Fatal(result, err)
	}
	out := &karpv1.NodeClaimList{}
	if err := p.Live.List(context.Background(), out); err != nil {
		t.Fatal(err)
	}
	return out.Items
}

func TestReconcile(t *testing.T) {
	p, recorder := planner(t, pool(), waiting("a", "1"), waiting("b", "4"), waiting("huge", "100"))
	result, err := p.Reconcile(context.Background(), ctrl.Request{})
	if err != nil || result.RequeueAfter != Every {
		t.Fatal(result, err)
	}
	claims := &karpv1.NodeClaimList{}
	if err := p.Client.List(context.Background(), claims); err != nil {
		t.Fatal(err)
	}
	if len(claims.Items) != 1 {
		t.Fatalf("%d NodeClaims", len(claims.Items))
	}
	claim := claims.Items[0]
	if claim.Spec.Resources.Requests.Cpu().Value() != 5 || *claim.Spec.ExpireAfter.Duration != 720*time.Hour ||
		!strings.HasPrefix(claim.Name, "default-") || claim.Labels["team"] != "web" {
		t.Fatalf("%+v", claim)
	}
	values := map[string][]string{}
	for _, r := range claim.Spec.Requirements {
		values[r.Key] = r.Values
	}
	if !slices.Equal(values[v1.LabelTopologyZone], []string{"b"}) || !slices.Equal(values[v1.LabelInstanceTypeStable], []string{"large"}) {
		t.Fatalf("%v", values)
	}
	select {
	case event := <-recorder.Events:
		if !strings.HasPrefix(event, "Warning TYPE_RESOURCES ") {
			t.Fatal(event)
		}
	default:
		t.Fatal("no event for the pod that fits nowhere")
	}
	if len(recorder.Events) != 0 {
		t.Fatal(<-recorder.Events)
	}
}

// The NodeClaim that was created counts at the next look: nothing more is started for the same pods.
func TestSettles(t *testing.T) {
	p, _ := planner(t, pool(), waiting("a", "1"))
	for range 2 {
		if _, err := p.Reconcile(context.Background(), ctrl.Request{}); err != nil {
			t.Fatal(err)
		}
		claims := &karpv1.NodeClaimList{}
		if err := p.Client.List(context.Background(), claims); err != nil {
			t.Fatal(err)
		}
		if len(claims.Items) != 1 {
			t.Fatalf("%d NodeClaims", len(claims.Items))
		}
		// What the cloud answers.
		claim := &claims.Items[0]
		claim.Labels = map[string]string{karpv1.NodePoolLabelKey: "default", v1.LabelInstanceTypeStable: "small", v1.LabelTopologyZone: "b",
			karpv1.CapacityTypeLabelKey: "on-demand"}
		room := v1.ResourceList{"cpu": resource.MustParse("2"), "memory": resource.MustParse("64Gi"), "pods": resource.MustParse("30")}
		claim.Status = karpv1.NodeClaimStatus{ProviderID: "test://1", Capacity: room, Allocatable: room}
		if err := p.Client.Update(context.Background(), claim); err != nil {
			t.Fatal(err)
		}
	}
}

func TestStops(t *testing.T) {
	p, _ := planner(t, pool(), waiting("a", "1"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Reconcile(ctx, ctrl.Request{}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

func TestBadPool(t *testing.T) {
	bad := pool()
	bad.Spec.Disruption.ConsolidationPolicy = "WhenBored"
	p, _ := planner(t, bad)
	if _, err := p.Reconcile(context.Background(), ctrl.Request{}); err == nil || !strings.Contains(err.Error(), "NodePool default") {
		t.Fatal(err)
	}
}

// Every pod asks for a look, so there are several before the cloud has filled in the claim's status.
func TestLooksBeforeTheCloudAnswers(t *testing.T) {
	p, _ := planner(t, pool(), waiting("a", "1"))
	for range 3 {
		if found := claims(t, p); len(found) != 1 {
			t.Fatalf("%d NodeClaims for one pod", len(found))
		}
	}
}

// The cache may show a NodeClaim later than it was created, or never, if it is deleted before.
func TestLooksBeforeTheCacheShows(t *testing.T) {
	p, _ := planner(t, pool(), waiting("a", "1"))
	whole, hidden := p.Live.(client.WithWatch), true
	p.Client = interceptor.NewClient(whole, interceptor.Funcs{List: func(ctx context.Context, c client.WithWatch, into client.ObjectList, options ...client.ListOption) error {
		if _, ok := into.(*karpv1.NodeClaimList); ok && hidden {
			return nil
		}
		return c.List(ctx, into, options...)
	}})
	for range 3 {
		if found := claims(t, p); len(found) != 1 {
			t.Fatalf("%d NodeClaims for one pod", len(found))
		}
	}
	first := claims(t, p)[0]
	if err := whole.Delete(context.Background(), &first); err != nil {
		t.Fatal(err)
	}
	if found := claims(t, p); len(found) != 1 || found[0].Name == first.Name {
		t.Fatalf("%v after %s was deleted", found, first.Name)
	}
	hidden = false
	if found := claims(t, p); len(found) != 1 {
		t.Fatalf("%d NodeClaims when the cache shows them", len(found))
	}
}
