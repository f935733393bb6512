// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/record"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	karp "libkarp.dev/go"
)

func waiting(name, cpu string) *v1.Pod {
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		Spec: v1.PodSpec{Containers: []v1.Container{{Name: "c", Resources: v1.ResourceRequirements{
			Requests: v1.ResourceList{"cpu": resource.MustParse(cpu), "memory": resource.MustParse("1Gi")}}}}},
		Status: v1.PodStatus{Phase: v1.PodPending, Conditions: []v1.PodCondition{{Type: v1.PodScheduled, Status: v1.ConditionFalse, Reason: "Unschedulable"}}}}
}

func pool(t *testing.T) *unstructured.Unstructured {
	out := &unstructured.Unstructured{}
	err := out.UnmarshalJSON([]byte(`{"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "default"},
		"spec": {"template": {"metadata": {"labels": {"team": "web"}}, "spec": {"expireAfter": "720h",
			"nodeClassRef": {"group": "karpenter.test", "kind": "TestNodeClass", "name": "default"},
			"requirements": [{"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["b"]}]}}},
		"status": {"conditions": [{"type": "Ready", "status": "True", "reason": "Ready", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"},
			{"type": "ValidationSucceeded", "status": "True", "reason": "x", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"},
			{"type": "NodeClassReady", "status": "True", "reason": "x", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}`))
	if err != nil {
		t.Fatal(err)
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
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1.AddToScheme, appsv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	for _, kind := range []string{"NodePool", "NodeClaim"} {
		version := schema.GroupVersion{Group: "karpenter.sh", Version: "v1"}
		scheme.AddKnownTypeWithName(version.WithKind(kind), &unstructured.Unstructured{})
		scheme.AddKnownTypeWithName(version.WithKind(kind+"List"), &unstructured.UnstructuredList{})
	}
	recorder := record.NewFakeRecorder(10)
	now := func() time.Time { return time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC) }
	cluster := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
	return &Planner{Client: cluster, Live: cluster, Catalogue: catalogue(t), Recorder: recorder, Now: now}, recorder
}

// claims reconciles once and returns the NodeClaims of the cluster.
func claims(t *testing.T, p *Planner) []unstructured.Unstructured {
	t.Helper()
	result, err := p.Reconcile(context.Background(), ctrl.Request{})
	if err != nil || result.RequeueAfter == 0 {
		t.Fatal(result, err)
	}
	out := list("NodeClaim")
	if err := p.Live.List(context.Background(), out); err != nil {
		t.Fatal(err)
	}
	return out.Items
}

func TestReconcile(t *testing.T) {
	p, recorder := planner(t, pool(t), waiting("a", "1"), waiting("b", "4"), waiting("huge", "100"))
	result, err := p.Reconcile(context.Background(), ctrl.Request{})
	if err != nil || result.RequeueAfter != Every {
		t.Fatal(result, err)
	}
	claims := list("NodeClaim")
	if err := p.Client.List(context.Background(), claims); err != nil {
		t.Fatal(err)
	}
	if len(claims.Items) != 1 {
		t.Fatalf("%d NodeClaims", len(claims.Items))
	}
	claim := claims.Items[0]
	cpu, _, _ := unstructured.NestedString(claim.Object, "spec", "resources", "requests", "cpu")
	expire, _, _ := unstructured.NestedString(claim.Object, "spec", "expireAfter")
	if cpu != "5" || expire != "720h0m0s" || !strings.HasPrefix(claim.GetName(), "default-") || claim.GetLabels()["team"] != "web" {
		t.Fatalf("%v", claim.Object)
	}
	text, err := claim.MarshalJSON()
	if err != nil || !strings.Contains(string(text), `{"key":"topology.kubernetes.io/zone","operator":"In","values":["b"]}`) ||
		!strings.Contains(string(text), `"values":["large"]`) {
		t.Fatalf("%s %v", text, err)
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
	p, _ := planner(t, pool(t), waiting("a", "1"))
	for range 2 {
		if _, err := p.Reconcile(context.Background(), ctrl.Request{}); err != nil {
			t.Fatal(err)
		}
		claims := list("NodeClaim")
		if err := p.Client.List(context.Background(), claims); err != nil {
			t.Fatal(err)
		}
		if len(claims.Items) != 1 {
			t.Fatalf("%d NodeClaims", len(claims.Items))
		}
		// What the cloud answers.
		claim := &claims.Items[0]
		claim.SetLabels(map[string]string{"karpenter.sh/nodepool": "default", "node.kubernetes.io/instance-type": "small",
			"topology.kubernetes.io/zone": "b", "karpenter.sh/capacity-type": "on-demand"})
		room := map[string]any{"cpu": "2", "memory": "64Gi", "pods": "30"}
		claim.Object["status"] = map[string]any{"providerID": "test://1", "capacity": room, "allocatable": room}
		if err := p.Client.Update(context.Background(), claim); err != nil {
			t.Fatal(err)
		}
	}
}

func TestStops(t *testing.T) {
	p, _ := planner(t, pool(t), waiting("a", "1"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Reconcile(ctx, ctrl.Request{}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

func TestBadPool(t *testing.T) {
	bad := pool(t)
	if err := unstructured.SetNestedField(bad.Object, "soon", "spec", "template", "spec", "expireAfter"); err != nil {
		t.Fatal(err)
	}
	p, _ := planner(t, bad)
	if _, err := p.Reconcile(context.Background(), ctrl.Request{}); err == nil || !strings.Contains(err.Error(), "NodePool default") {
		t.Fatal(err)
	}
}

// Every pod asks for a look, so there are several before the cloud has filled in the claim's status.
func TestLooksBeforeTheCloudAnswers(t *testing.T) {
	p, _ := planner(t, pool(t), waiting("a", "1"))
	for range 3 {
		if found := claims(t, p); len(found) != 1 {
			t.Fatalf("%d NodeClaims for one pod", len(found))
		}
	}
}

// The cache may show a NodeClaim later than it was created, or never, if it is deleted before.
func TestLooksBeforeTheCacheShows(t *testing.T) {
	p, _ := planner(t, pool(t), waiting("a", "1"))
	whole, hidden := p.Live.(client.WithWatch), true
	p.Client = interceptor.NewClient(whole, interceptor.Funcs{List: func(ctx context.Context, c client.WithWatch, into client.ObjectList, options ...client.ListOption) error {
		if all, ok := into.(*unstructured.UnstructuredList); ok && hidden && all.GetKind() == "NodeClaimList" {
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
	if found := claims(t, p); len(found) != 1 || found[0].GetName() == first.GetName() {
		t.Fatalf("%v after %s was deleted", found, first.GetName())
	}
	hidden = false
	if found := claims(t, p); len(found) != 1 {
		t.Fatalf("%d NodeClaims when the cache shows them", len(found))
	}
}
