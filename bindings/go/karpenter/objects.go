// SPDX-License-Identifier: Apache-2.0

package karpenter

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	karp "libkarp.dev/go"
	feed "libkarp.dev/go/corev1"
)

var reasons = []struct {
	bit  uint32
	name v1.DisruptionReason
}{
	{karp.ReasonUnderutilized, v1.DisruptionReasonUnderutilized}, {karp.ReasonEmpty, v1.DisruptionReasonEmpty},
	{karp.ReasonDrifted, v1.DisruptionReasonDrifted}, {karp.ReasonUnhealthy, v1.DisruptionReasonUnhealthy},
}

var policies = []struct {
	number uint32
	name   v1.ConsolidationPolicy
}{
	{karp.WhenEmptyOrUnderutilized, v1.ConsolidationPolicyWhenEmptyOrUnderutilized}, {karp.WhenEmpty, v1.ConsolidationPolicyWhenEmpty},
	{karp.Balanced, v1.ConsolidationPolicyBalanced},
}

func budget(from *v1.Budget) karp.Budget {
	out := karp.Budget{Nodes: from.Nodes, Duration: duration(from.Duration), HasReasons: from.Reasons != nil}
	if from.Schedule != nil {
		out.Schedule = *from.Schedule
	}
	for _, reason := range from.Reasons {
		for _, r := range reasons {
			if r.name == reason {
				out.Reasons |= r.bit
			}
		}
	}
	return out
}

func toBudget(from *karp.Budget) v1.Budget {
	out := v1.Budget{Nodes: from.Nodes, Duration: toDuration(from.Duration)}
	if from.Schedule != "" {
		out.Schedule = &from.Schedule
	}
	if from.HasReasons {
		out.Reasons = []v1.DisruptionReason{}
	}
	for _, r := range reasons {
		if from.Reasons&r.bit != 0 {
			out.Reasons = append(out.Reasons, r.name)
		}
	}
	return out
}

// NodePool is a NodePool as libkarp takes it. Maps and texts are shared with the object. The error names a consolidation policy that is
// not known.
func NodePool(from *v1.NodePool) (*karp.NodePool, error) {
	template := &from.Spec.Template
	out := &karp.NodePool{Meta: feed.Meta(&from.ObjectMeta), NodeClass: classRef(template.Spec.NodeClassRef), TemplateLabels: template.Labels,
		TemplateAnnotations: template.Annotations, Taints: each(template.Spec.Taints, taint), StartupTaints: each(template.Spec.StartupTaints, taint),
		Requirements: requirementsOf(template.Spec.Requirements), Limits: amounts(corev1.ResourceList(from.Spec.Limits)),
		Budgets: each(from.Spec.Disruption.Budgets, budget), Conditions: each(from.Status.Conditions, condition), Replicas: from.Spec.Replicas,
		ConsolidateAfter: nillable(from.Spec.Disruption.ConsolidateAfter), ExpireAfter: nillable(template.Spec.ExpireAfter),
		TerminationGracePeriod: duration(template.Spec.TerminationGracePeriod)}
	if from.Spec.Weight != nil {
		out.Weight = *from.Spec.Weight
	}
	for _, p := range policies {
		if p.name == from.Spec.Disruption.ConsolidationPolicy || from.Spec.Disruption.ConsolidationPolicy == "" {
			out.ConsolidationPolicy = p.number
			return out, nil
		}
	}
	return nil, fmt.Errorf("NodePool %s: unknown consolidationPolicy %q", from.Name, from.Spec.Disruption.ConsolidationPolicy)
}

// ToNodePool is the opposite of [NodePool].
func ToNodePool(from *karp.NodePool) (*v1.NodePool, error) {
	limits, err := ResourceList(from.Limits)
	if err != nil {
		return nil, fmt.Errorf("NodePool %s: spec.limits: %w", from.Meta.Name, err)
	}
	out := &v1.NodePool{TypeMeta: metav1.TypeMeta{APIVersion: "karpenter.sh/v1", Kind: "NodePool"}, ObjectMeta: toMeta(&from.Meta)}
	template := &out.Spec.Template
	template.ObjectMeta = v1.ObjectMeta{Labels: from.TemplateLabels, Annotations: from.TemplateAnnotations}
	template.Spec = v1.NodeClaimTemplateSpec{Taints: each(from.Taints, toTaint), StartupTaints: each(from.StartupTaints, toTaint),
		Requirements: each(from.Requirements, ToRequirement), NodeClassRef: toClassRef(from.NodeClass),
		TerminationGracePeriod: toDuration(from.TerminationGracePeriod), ExpireAfter: toNillable(from.ExpireAfter)}
	out.Spec.Limits, out.Spec.Replicas = v1.Limits(limits), from.Replicas
	out.Spec.Disruption.Budgets = each(from.Budgets, toBudget)
	out.Spec.Disruption.ConsolidateAfter = toNillable(from.ConsolidateAfter)
	for _, p := range policies {
		if p.number == from.ConsolidationPolicy {
			out.Spec.Disruption.ConsolidationPolicy = p.name
		}
	}
	if from.Weight != 0 {
		weight := from.Weight
		out.Spec.Weight = &weight
	}
	out.Status.Conditions = each(from.Conditions, toCondition)
	return out, nil
}

// NodeClaim is a NodeClaim as libkarp takes it.
func NodeClaim(from *v1.NodeClaim) *karp.NodeClaim {
	return &karp.NodeClaim{Meta: feed.Meta(&from.ObjectMeta), ProviderID: from.Status.ProviderID, ImageID: from.Status.ImageID,
		NodeClass: classRef(from.Spec.NodeClassRef), Taints: each(from.Spec.Taints, taint), StartupTaints: each(from.Spec.StartupTaints, taint),
		Requirements: requirementsOf(from.Spec.Requirements), Requests: amounts(from.Spec.Resources.Requests),
		Capacity: amounts(from.Status.Capacity), Allocatable: amounts(from.Status.Allocatable), Conditions: each(from.Status.Conditions, condition),
		LastPodEvent: from.Status.LastPodEventTime.Time, ExpireAfter: nillable(from.Spec.ExpireAfter),
		TerminationGracePeriod: duration(from.Spec.TerminationGracePeriod)}
}

// ToNodeClaim is the opposite of [NodeClaim].
func ToNodeClaim(from *karp.NodeClaim) (*v1.NodeClaim, error) {
	out := &v1.NodeClaim{TypeMeta: metav1.TypeMeta{APIVersion: "karpenter.sh/v1", Kind: "NodeClaim"}, ObjectMeta: toMeta(&from.Meta)}
	out.Spec = v1.NodeClaimSpec{Taints: each(from.Taints, toTaint), StartupTaints: each(from.StartupTaints, toTaint),
		Requirements: each(from.Requirements, ToRequirement), NodeClassRef: toClassRef(from.NodeClass),
		TerminationGracePeriod: toDuration(from.TerminationGracePeriod), ExpireAfter: toNillable(from.ExpireAfter)}
	out.Status = v1.NodeClaimStatus{ProviderID: from.ProviderID, ImageID: from.ImageID, Conditions: each(from.Conditions, toCondition),
		LastPodEventTime: metav1.NewTime(from.LastPodEvent)}
	for _, list := range []struct {
		into *corev1.ResourceList
		from []karp.Resource
	}{{&out.Spec.Resources.Requests, from.Requests}, {&out.Status.Capacity, from.Capacity}, {&out.Status.Allocatable, from.Allocatable}} {
		amounts, err := ResourceList(list.from)
		if err != nil {
			return nil, fmt.Errorf("NodeClaim %s: %w", from.Meta.Name, err)
		}
		*list.into = amounts
	}
	return out, nil
}
