// SPDX-License-Identifier: Apache-2.0

package karpenter

import (
	"slices"
	"strings"
	"time"

	"github.com/awslabs/operatorpkg/status"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/scheduling"

	karp "libkarp.dev/go"
	feed "libkarp.dev/go/corev1"
)

var operators = []struct {
	karp uint32
	name corev1.NodeSelectorOperator
}{
	{karp.OpIn, corev1.NodeSelectorOpIn}, {karp.OpNotIn, corev1.NodeSelectorOpNotIn}, {karp.OpExists, corev1.NodeSelectorOpExists},
	{karp.OpDoesNotExist, corev1.NodeSelectorOpDoesNotExist}, {karp.OpGt, corev1.NodeSelectorOpGt}, {karp.OpLt, corev1.NodeSelectorOpLt},
	{karp.OpGte, v1.NodeSelectorOpGte}, {karp.OpLte, v1.NodeSelectorOpLte},
}

func operatorOf(name corev1.NodeSelectorOperator) uint32 {
	for _, o := range operators {
		if o.name == name {
			return o.karp
		}
	}
	return karp.OpUnknown
}

func operatorName(op uint32) corev1.NodeSelectorOperator {
	for _, o := range operators {
		if o.karp == op {
			return o.name
		}
	}
	return ""
}

// Requirement is a requirement of a NodePool or NodeClaim.
func Requirement(from *v1.NodeSelectorRequirementWithMinValues) karp.Requirement {
	out := karp.Requirement{Key: from.Key, Op: operatorOf(from.Operator), Values: from.Values}
	if from.MinValues != nil {
		out.MinValues = uint32(*from.MinValues)
	}
	return out
}

// ToRequirement is the opposite of [Requirement].
func ToRequirement(from *karp.Requirement) v1.NodeSelectorRequirementWithMinValues {
	out := v1.NodeSelectorRequirementWithMinValues{Key: from.Key, Operator: operatorName(from.Op), Values: from.Values}
	if from.MinValues > 0 {
		minimum := int(from.MinValues)
		out.MinValues = &minimum
	}
	return out
}

// Requirements are the scheduler's, by key; one that excludes values and has bounds as well becomes several.
func Requirements(from scheduling.Requirements) []karp.Requirement {
	out := make([]karp.Requirement, 0, len(from))
	for key, r := range from {
		bounds := bounds(r)
		values := slices.Clone(r.Values())
		slices.Sort(values)
		if len(bounds) == 0 || len(values) > 0 {
			one := karp.Requirement{Key: key, Op: operatorOf(r.Operator()), Values: values}
			if minimum := r.MinValues(); minimum != nil {
				one.MinValues = uint32(*minimum)
			}
			out = append(out, one)
		}
		out = append(out, bounds...)
	}
	slices.SortStableFunc(out, func(a, b karp.Requirement) int { return strings.Compare(a.Key, b.Key) })
	return out
}

func bounds(r *scheduling.Requirement) []karp.Requirement {
	var out []karp.Requirement
	for _, b := range (scheduling.Requirements{r.Key: r}).NodeSelectorRequirements() {
		if b.Operator == v1.NodeSelectorOpGte || b.Operator == v1.NodeSelectorOpLte {
			out = append(out, Requirement(&b))
		}
	}
	return out
}

// ToRequirements is the opposite of [Requirements]: several of one key are intersected.
func ToRequirements(from []karp.Requirement) scheduling.Requirements {
	out := scheduling.NewRequirements()
	for i := range from {
		r := ToRequirement(&from[i])
		out.Add(scheduling.NewRequirementWithFlexibility(r.Key, r.Operator, r.MinValues, slices.Clone(r.Values)...))
	}
	return out
}

func requirementsOf(from []v1.NodeSelectorRequirementWithMinValues) []karp.Requirement {
	return each(from, func(r *v1.NodeSelectorRequirementWithMinValues) karp.Requirement { return Requirement(r) })
}

// each converts a list; nil stays nil.
func each[A, B any](from []A, convert func(*A) B) []B {
	if from == nil {
		return nil
	}
	out := make([]B, len(from))
	for i := range from {
		out[i] = convert(&from[i])
	}
	return out
}

// Quantity is an amount as Kubernetes has it.
func Quantity(from *karp.Resource) (resource.Quantity, error) {
	if from.Text != "" {
		return resource.ParseQuantity(from.Text)
	}
	return *resource.NewScaledQuantity(from.Value, resource.Scale(from.Scale)), nil
}

// ResourceList is the opposite of corev1.Amounts.
func ResourceList(from []karp.Resource) (corev1.ResourceList, error) {
	if from == nil {
		return nil, nil
	}
	out := make(corev1.ResourceList, len(from))
	for i := range from {
		q, err := Quantity(&from[i])
		if err != nil {
			return nil, err
		}
		out[corev1.ResourceName(from[i].Name)] = q
	}
	return out, nil
}

// amounts tells an absent list from an empty one.
func amounts(from corev1.ResourceList) []karp.Resource {
	if from == nil {
		return nil
	}
	if out := feed.Amounts(from); out != nil {
		return out
	}
	return []karp.Resource{}
}

func taint(from *corev1.Taint) karp.Taint {
	return karp.Taint{Key: from.Key, Value: from.Value, Effect: string(from.Effect)}
}

func toTaint(from *karp.Taint) corev1.Taint {
	return corev1.Taint{Key: from.Key, Value: from.Value, Effect: corev1.TaintEffect(from.Effect)}
}

func condition(from *status.Condition) karp.Condition {
	return karp.Condition{Type: from.Type, Status: string(from.Status), Reason: from.Reason, LastTransition: from.LastTransitionTime.Time}
}

func toCondition(from *karp.Condition) status.Condition {
	return status.Condition{Type: from.Type, Status: metav1.ConditionStatus(from.Status), Reason: from.Reason,
		LastTransitionTime: metav1.NewTime(from.LastTransition)}
}

// nillable is a duration that is "Never" where Karpenter has none.
func nillable(from v1.NillableDuration) *time.Duration {
	if from.Duration != nil {
		return from.Duration
	}
	never := karp.Never
	return &never
}

func toNillable(from *time.Duration) v1.NillableDuration {
	if from == nil || *from == karp.Never {
		return v1.NillableDuration{}
	}
	return v1.NillableDuration{Duration: from}
}

func duration(from *metav1.Duration) *time.Duration {
	if from == nil {
		return nil
	}
	return &from.Duration
}

func toDuration(from *time.Duration) *metav1.Duration {
	if from == nil {
		return nil
	}
	return &metav1.Duration{Duration: *from}
}

func toMeta(from *karp.Meta) metav1.ObjectMeta {
	out := metav1.ObjectMeta{Name: from.Name, Namespace: from.Namespace, UID: types.UID(from.UID), Labels: from.Labels,
		Annotations: from.Annotations, CreationTimestamp: metav1.NewTime(from.Created)}
	if !from.Deleted.IsZero() {
		deleted := metav1.NewTime(from.Deleted)
		out.DeletionTimestamp = &deleted
	}
	for _, o := range from.Owners {
		owner := metav1.OwnerReference{APIVersion: o.APIVersion, Kind: o.Kind, Name: o.Name, UID: types.UID(o.UID)}
		if o.Controller {
			owner.Controller = &o.Controller
		}
		out.OwnerReferences = append(out.OwnerReferences, owner)
	}
	return out
}

func classRef(from *v1.NodeClassReference) karp.NodeClassRef {
	if from == nil {
		return karp.NodeClassRef{}
	}
	return karp.NodeClassRef{Group: from.Group, Kind: from.Kind, Name: from.Name}
}

func toClassRef(from karp.NodeClassRef) *v1.NodeClassReference {
	if from == (karp.NodeClassRef{}) {
		return nil
	}
	return &v1.NodeClassReference{Group: from.Group, Kind: from.Kind, Name: from.Name}
}
