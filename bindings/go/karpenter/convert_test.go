// SPDX-License-Identifier: Apache-2.0

package karpenter

import (
	"testing"
	"time"
	"unique"

	"github.com/awslabs/operatorpkg/status"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/scheduling"

	karp "libkarp.dev/go"
)

func of[T any](value T) *T { return &value }

func good(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// same compares as the API server does: quantities by value, absent lists like empty ones.
func same(t *testing.T, what string, got, wanted any) {
	t.Helper()
	if !equality.Semantic.DeepEqual(got, wanted) {
		t.Errorf("%s: %+v, wanted %+v", what, got, wanted)
	}
}

func fullClaimSpec() v1.NodeClaimSpec {
	return v1.NodeClaimSpec{
		Taints:        []corev1.Taint{{Key: "team", Value: "web", Effect: corev1.TaintEffectNoSchedule}},
		StartupTaints: []corev1.Taint{{Key: "cni", Effect: corev1.TaintEffectNoExecute}},
		Requirements: []v1.NodeSelectorRequirementWithMinValues{
			{Key: "topology.kubernetes.io/zone", Operator: corev1.NodeSelectorOpIn, Values: []string{"a", "b"}, MinValues: of(2)},
			{Key: "size", Operator: v1.NodeSelectorOpGte, Values: []string{"4"}}, {Key: "old", Operator: corev1.NodeSelectorOpDoesNotExist}},
		NodeClassRef: &v1.NodeClassReference{Group: "example.test", Kind: "NodeClass", Name: "default"}, ExpireAfter: v1.NillableDuration{Duration: of(time.Hour)},
		TerminationGracePeriod: &metav1.Duration{Duration: time.Minute},
	}
}

var (
	when       = metav1.NewTime(time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC))
	conditions = []status.Condition{{Type: "Ready", Status: metav1.ConditionTrue, Reason: "Ready", LastTransitionTime: when}}
	some       = corev1.ResourceList{"cpu": resource.MustParse("3500m"), "memory": resource.MustParse("7680Mi")}
)

func TestNodePoolBothWays(t *testing.T) {
	spec := fullClaimSpec()
	pool := &v1.NodePool{TypeMeta: metav1.TypeMeta{APIVersion: "karpenter.sh/v1", Kind: "NodePool"},
		ObjectMeta: metav1.ObjectMeta{Name: "default", UID: "u", Labels: map[string]string{"a": "b"}, CreationTimestamp: when}}
	pool.Spec.Template.ObjectMeta = v1.ObjectMeta{Labels: map[string]string{"team": "web"}, Annotations: map[string]string{"note": "x"}}
	pool.Spec.Template.Spec = v1.NodeClaimTemplateSpec{Taints: spec.Taints, StartupTaints: spec.StartupTaints, Requirements: spec.Requirements,
		NodeClassRef: spec.NodeClassRef, ExpireAfter: spec.ExpireAfter, TerminationGracePeriod: spec.TerminationGracePeriod}
	pool.Spec.Limits, pool.Spec.Weight, pool.Spec.Replicas = v1.Limits(some), of(int32(7)), of(int64(3))
	pool.Spec.Disruption = v1.Disruption{ConsolidationPolicy: v1.ConsolidationPolicyBalanced, Budgets: []v1.Budget{
		{Nodes: "10%", Schedule: of("0 9 * * *"), Duration: &metav1.Duration{Duration: time.Hour}},
		{Nodes: "0", Reasons: []v1.DisruptionReason{v1.DisruptionReasonDrifted, v1.DisruptionReasonUnhealthy}}, {Nodes: "1", Reasons: []v1.DisruptionReason{}}}}
	pool.Status.Conditions = conditions
	between, err := NodePool(pool)
	good(t, err)
	if *between.ConsolidateAfter != karp.Never || between.Budgets[0].HasReasons || !between.Budgets[2].HasReasons {
		t.Errorf("%+v", between)
	}
	back, err := ToNodePool(between)
	good(t, err)
	same(t, "NodePool", back, pool)
	if back.Hash() != pool.Hash() {
		t.Error("the static hash differs")
	}
	pool.Spec.Disruption.ConsolidationPolicy = "WhenBored"
	if _, err := NodePool(pool); err == nil {
		t.Error("an unknown policy is taken")
	}
}

func TestNodeClaimBothWays(t *testing.T) {
	claim := &v1.NodeClaim{TypeMeta: metav1.TypeMeta{APIVersion: "karpenter.sh/v1", Kind: "NodeClaim"}, ObjectMeta: metav1.ObjectMeta{Name: "default-x",
		DeletionTimestamp: &when, OwnerReferences: []metav1.OwnerReference{{APIVersion: "karpenter.sh/v1", Kind: "NodePool", Name: "default", UID: "u", Controller: of(true)}}}}
	claim.Spec = fullClaimSpec()
	claim.Spec.Resources.Requests = some
	claim.Status = v1.NodeClaimStatus{ProviderID: "p://1", ImageID: "image", Capacity: some, Allocatable: some, Conditions: conditions, LastPodEventTime: when}
	back, err := ToNodeClaim(NodeClaim(claim))
	good(t, err)
	same(t, "NodeClaim", back, claim)
}

func TestInstanceTypeBothWays(t *testing.T) {
	in := func(key string, values ...string) *scheduling.Requirement {
		return scheduling.NewRequirement(key, corev1.NodeSelectorOpIn, values...)
	}
	bounded := scheduling.NewRequirement("size", corev1.NodeSelectorOpNotIn, "5").Intersection(scheduling.NewRequirement("size", corev1.NodeSelectorOpGt, "3")).
		Intersection(scheduling.NewRequirement("size", corev1.NodeSelectorOpLt, "9"))
	half := resource.MustParse("20Gi")
	wanted := &cloudprovider.InstanceType{Name: "m.large", Capacity: some, Overhead: &cloudprovider.InstanceTypeOverhead{KubeReserved: some},
		Requirements: scheduling.NewRequirements(in(corev1.LabelInstanceTypeStable, "m.large"), bounded,
			scheduling.NewRequirement("gpu", corev1.NodeSelectorOpDoesNotExist)),
		VolumeAttachmentLimits: map[string]int{"ebs.csi.aws.com": 27},
		Offerings: cloudprovider.Offerings{
			{Requirements: scheduling.NewRequirements(in(corev1.LabelTopologyZone, "a"), in(v1.CapacityTypeLabelKey, "spot")), Price: 0.1, Available: true},
			{Requirements: scheduling.NewRequirements(in(corev1.LabelTopologyZone, "b"), in(v1.CapacityTypeLabelKey, "reserved")), Price: 0.01,
				ReservationCapacity: 3, CapacityOverride: corev1.ResourceList{"memory": half}, OverheadOverride: &cloudprovider.InstanceTypeOverhead{SystemReserved: some}}},
		DynamicResources: cloudprovider.DynamicResources{
			ResourceSliceTemplates: []*cloudprovider.ResourceSliceTemplate{{Driver: unique.Make("gpu.test"), Pool: cloudprovider.ResourcePool{Name: unique.Make("node")},
				Devices: []cloudprovider.Device{{Name: unique.Make("gpu-0"), AllowMultipleAllocations: true,
					Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"model": {StringValue: of("a100")}, "index": {IntValue: of(int64(1))},
						"ecc": {BoolValue: of(true)}, "driver": {VersionValue: of("1.2.3")}},
					Capacity: map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": {Value: resource.MustParse("40Gi"),
						RequestPolicy: &resourcev1.CapacityRequestPolicy{Default: &half, ValidRange: &resourcev1.CapacityRequestPolicyRange{Min: &half}}}},
					ConsumesCounters: []resourcev1.DeviceCounterConsumption{{CounterSet: "slices", Counters: map[string]resourcev1.Counter{"s": {Value: resource.MustParse("2")}}}}}}}},
			AttributeBindings: []*cloudprovider.AttributeBinding{{Attribute: "numa", Devices: []cloudprovider.DeviceID{
				{Driver: unique.Make("gpu.test"), Pool: unique.Make("node"), Device: unique.Make("gpu-0")}}}}}}
	between := InstanceType(wanted)
	got, err := ToInstanceType(&between)
	good(t, err)
	same(t, "requirements", got.Requirements.String(), wanted.Requirements.String())
	same(t, "capacity", got.Capacity, wanted.Capacity)
	same(t, "overhead", got.Overhead, wanted.Overhead)
	same(t, "volume limits", got.VolumeAttachmentLimits, wanted.VolumeAttachmentLimits)
	same(t, "allocatable", got.Allocatable(), wanted.Allocatable())
	for i, o := range got.Offerings {
		w := wanted.Offerings[i]
		same(t, "offering", []any{o.Requirements.String(), o.Price, o.Available, o.ReservationCapacity, o.CapacityOverride},
			[]any{w.Requirements.String(), w.Price, w.Available, w.ReservationCapacity, w.CapacityOverride})
		same(t, "overhead of an offering", o.OverheadOverride, w.OverheadOverride)
	}
	device, whole := got.DynamicResources.ResourceSliceTemplates[0].Devices[0], wanted.DynamicResources.ResourceSliceTemplates[0].Devices[0]
	same(t, "attributes", device.Attributes, whole.Attributes)
	same(t, "capacity of a device", device.Capacity, whole.Capacity)
	same(t, "counters", device.ConsumesCounters, whole.ConsumesCounters)
	same(t, "the way there again", InstanceType(got), between)
}
