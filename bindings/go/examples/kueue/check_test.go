// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"context"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

var now = time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC)

var nodePool = schema.GroupVersionKind{Group: "karpenter.sh", Version: "v1", Kind: "NodePool"}

// pool launches at most six nodes with a GPU each.
func pool(t *testing.T) *unstructured.Unstructured {
	out := &unstructured.Unstructured{}
	err := out.UnmarshalJSON([]byte(`{"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "gpu"}, "spec": {
		"limits": {"nvidia.com/gpu": "6"}, "template": {"metadata": {"labels": {"team": "research"}}, "spec": {
			"nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}, "requirements": [
				{"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
				{"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["g5.xlarge"]}]}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func node(name string) *v1.Node {
	amounts := v1.ResourceList{"cpu": resource.MustParse("8"), "memory": resource.MustParse("32Gi"), "pods": resource.MustParse("110")}
	return &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{v1.LabelHostname: name}},
		Status: v1.NodeStatus{Capacity: amounts, Allocatable: amounts, Conditions: []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue}}}}
}

// workload has reserved its quota, on a flavour if one is given, and waits for the check.
func workload(name string, pods int32, flavor string, requests v1.ResourceList) *kueue.Workload {
	w := &kueue.Workload{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", CreationTimestamp: metav1.NewTime(now)},
		Spec: kueue.WorkloadSpec{PodSets: []kueue.PodSet{{Name: "main", Count: pods, Template: v1.PodTemplateSpec{Spec: v1.PodSpec{
			RestartPolicy: v1.RestartPolicyNever, Containers: []v1.Container{{Name: "c", Resources: v1.ResourceRequirements{
				Requests: requests, Limits: requests}}}}}}}}}
	now = now.Add(time.Minute)
	w.Status.AdmissionChecks = []kueue.AdmissionCheckState{{Name: "room", State: kueue.CheckStatePending}, {Name: "other", State: kueue.CheckStatePending}}
	w.Status.Admission = &kueue.Admission{PodSetAssignments: []kueue.PodSetAssignment{{Name: "main"}}}
	if flavor != "" {
		w.Status.Admission.PodSetAssignments[0].Flavors = map[v1.ResourceName]kueue.ResourceFlavorReference{"cpu": kueue.ResourceFlavorReference(flavor)}
	}
	meta.SetStatusCondition(&w.Status.Conditions, metav1.Condition{Type: kueue.WorkloadQuotaReserved, Status: metav1.ConditionTrue, Reason: "QuotaReserved"})
	return w
}

func amounts(cpu, gpu string) v1.ResourceList {
	out := v1.ResourceList{"cpu": resource.MustParse(cpu)}
	if gpu != "" {
		out["nvidia.com/gpu"] = resource.MustParse(gpu)
	}
	return out
}

func run(t *testing.T, objects ...client.Object) client.Client {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1.AddToScheme, kueue.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	scheme.AddKnownTypeWithName(nodePool, &unstructured.Unstructured{})
	scheme.AddKnownTypeWithName(nodePool.GroupVersion().WithKind("NodePoolList"), &unstructured.UnstructuredList{})
	kube := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).
		WithStatusSubresource(&kueue.Workload{}, &kueue.AdmissionCheck{}).Build()
	check := &Check{Client: kube, Region: "us-west-2", Cluster: []schema.GroupVersionKind{nodePool}, Boot: 2 * time.Minute, Now: func() time.Time { return now }}
	if _, err := check.Reconcile(context.Background(), ctrl.Request{}); err != nil {
		t.Fatal(err)
	}
	return kube
}

func ours(name, controller string) *kueue.AdmissionCheck {
	return &kueue.AdmissionCheck{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: kueue.AdmissionCheckSpec{ControllerName: controller}}
}

func state(t *testing.T, kube client.Client, name string) kueue.AdmissionCheckState {
	w := &kueue.Workload{}
	if err := kube.Get(context.Background(), client.ObjectKey{Namespace: "default", Name: name}, w); err != nil {
		t.Fatal(err)
	}
	if other := w.Status.AdmissionChecks[1]; other.State != kueue.CheckStatePending {
		t.Fatalf("somebody else's check: %+v", other)
	}
	return w.Status.AdmissionChecks[0]
}

func TestAnswers(t *testing.T) {
	admitted := workload("admitted", 8, "", amounts("1", ""))
	meta.SetStatusCondition(&admitted.Status.Conditions, metav1.Condition{Type: kueue.WorkloadAdmitted, Status: metav1.ConditionTrue, Reason: "Admitted"})
	long := strings.Repeat("a", 40) + "-" + strings.Repeat("b", 40)
	kube := run(t, ours("room", ControllerName), ours("other", "example.com/other"), pool(t), node("static-1"),
		&kueue.ResourceFlavor{ObjectMeta: metav1.ObjectMeta{Name: "bought"}, Spec: kueue.ResourceFlavorSpec{NodeLabels: map[string]string{"team": "research"}}},
		workload("report", 3, "", amounts("2", "")), workload("train-small", 2, "", amounts("2", "1")),
		workload("on-flavor", 1, "bought", amounts("1", "")), workload("train-large", 8, "", amounts("2", "1")),
		workload(long, 1, "", amounts("1", "")), admitted)
	for name, wanted := range map[string]struct {
		state   kueue.CheckState
		message string
	}{
		"report":      {kueue.CheckStateReady, "there is room on nodes that are ready"},
		"train-small": {kueue.CheckStateReady, "2 nodes are launched for it"},
		"on-flavor":   {kueue.CheckStateReady, "there is room on nodes that are being started"},
		"train-large": {kueue.CheckStateRetry, "of 8 fit: NodePool gpu has reached its limit nvidia.com/gpu 6; it starts if you raise the limit"},
		long:          {kueue.CheckStateReady, "there is room on nodes that are ready"},
		"admitted":    {kueue.CheckStatePending, ""},
	} {
		got := state(t, kube, name)
		if got.State != wanted.state || !strings.Contains(got.Message, wanted.message) {
			t.Errorf("%s: %s, %q", name, got.State, got.Message)
		}
		if waits := got.RequeueAfterSeconds; (waits != nil) != (wanted.state == kueue.CheckStateRetry) || (waits != nil && *waits != 300) {
			t.Errorf("%s: waits for %v", name, waits)
		}
	}
	for name, active := range map[string]bool{"room": true, "other": false} {
		check := &kueue.AdmissionCheck{}
		if err := kube.Get(context.Background(), client.ObjectKey{Name: name}, check); err != nil {
			t.Fatal(err)
		}
		if meta.IsStatusConditionTrue(check.Status.Conditions, kueue.AdmissionCheckActive) != active {
			t.Errorf("%s: %+v", name, check.Status.Conditions)
		}
	}
}

func TestPartialAdmission(t *testing.T) {
	w := workload("partial", 20, "", amounts("2", ""))
	four := int32(4)
	w.Status.Admission.PodSetAssignments[0].Count = &four
	kube := run(t, ours("room", ControllerName), node("static-1"), w)
	if got := state(t, kube, "partial"); got.State != kueue.CheckStateReady {
		t.Errorf("%+v", got)
	}
}

func TestOthersWait(t *testing.T) {
	w := workload("early", 1, "", amounts("1", ""))
	w.Status.Conditions = nil // it has no quota yet
	kube := run(t, ours("room", ControllerName), node("static-1"), w)
	if got := state(t, kube, "early"); got.State != kueue.CheckStatePending {
		t.Errorf("%+v", got)
	}
}
