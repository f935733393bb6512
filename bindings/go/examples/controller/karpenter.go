// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"encoding/json"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	karp "libkarp.dev/go"
	"libkarp.dev/go/corev1"
)

// NodePools and NodeClaims, with the fields that are read here. A controller that imports Karpenter's types fills the same
// karp.NodePool and karp.NodeClaim from those.

type classRef struct {
	Group string `json:"group"`
	Kind  string `json:"kind"`
	Name  string `json:"name"`
}

type requirement struct {
	v1.NodeSelectorRequirement `json:",inline"`
	MinValues                  *int `json:"minValues,omitempty"`
}

type claimSpec struct {
	NodeClassRef           classRef                `json:"nodeClassRef"`
	Taints                 []v1.Taint              `json:"taints,omitempty"`
	StartupTaints          []v1.Taint              `json:"startupTaints,omitempty"`
	Requirements           []requirement           `json:"requirements"`
	ExpireAfter            string                  `json:"expireAfter,omitempty"`
	TerminationGracePeriod string                  `json:"terminationGracePeriod,omitempty"`
	Resources              v1.ResourceRequirements `json:"resources,omitempty"`
}

type status struct {
	ProviderID  string             `json:"providerID,omitempty"`
	ImageID     string             `json:"imageID,omitempty"`
	Capacity    v1.ResourceList    `json:"capacity,omitempty"`
	Allocatable v1.ResourceList    `json:"allocatable,omitempty"`
	Conditions  []metav1.Condition `json:"conditions,omitempty"`
}

type nodePool struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Template struct {
			metav1.ObjectMeta `json:"metadata"`
			Spec              claimSpec `json:"spec"`
		} `json:"template"`
		Limits   v1.ResourceList `json:"limits,omitempty"`
		Weight   int32           `json:"weight,omitempty"`
		Replicas *int64          `json:"replicas,omitempty"`
	} `json:"spec"`
	Status status `json:"status"`
}

type nodeClaim struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              claimSpec `json:"spec"`
	Status            status    `json:"status"`
}

func taints(from []v1.Taint) []karp.Taint {
	var out []karp.Taint
	for _, t := range from {
		out = append(out, karp.Taint{Key: t.Key, Value: t.Value, Effect: string(t.Effect)})
	}
	return out
}

func requirements(from []requirement) []karp.Requirement {
	out := make([]karp.Requirement, len(from))
	for i, r := range from {
		out[i] = corev1.Requirement(&r.NodeSelectorRequirement)
		if r.MinValues != nil {
			out[i].MinValues = uint32(*r.MinValues)
		}
	}
	return out
}

func conditions(from []metav1.Condition) []karp.Condition {
	var out []karp.Condition
	for _, c := range from {
		out = append(out, karp.Condition{Type: c.Type, Status: string(c.Status), Reason: c.Reason, LastTransition: c.LastTransitionTime.Time})
	}
	return out
}

// duration reads "720h" and "Never"; "" is nil.
func duration(text string) (*time.Duration, error) {
	if text == "" {
		return nil, nil
	}
	d := karp.Never
	if text != "Never" {
		var err error
		if d, err = time.ParseDuration(text); err != nil {
			return nil, err
		}
	}
	return &d, nil
}

func addPool(builder *karp.Builder, from *unstructured.Unstructured) error {
	var p nodePool
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(from.Object, &p); err != nil {
		return fmt.Errorf("NodePool %s: %w", from.GetName(), err)
	}
	spec := &p.Spec.Template.Spec
	expire, err := duration(spec.ExpireAfter)
	if err != nil {
		return fmt.Errorf("NodePool %s: %w", p.Name, err)
	}
	return builder.AddNodePool(&karp.NodePool{Meta: corev1.Meta(&p.ObjectMeta), NodeClass: karp.NodeClassRef(spec.NodeClassRef),
		TemplateLabels: p.Spec.Template.Labels, TemplateAnnotations: p.Spec.Template.Annotations, Taints: taints(spec.Taints),
		StartupTaints: taints(spec.StartupTaints), Requirements: requirements(spec.Requirements), Limits: corev1.Amounts(p.Spec.Limits),
		Conditions: conditions(p.Status.Conditions), Replicas: p.Spec.Replicas, ExpireAfter: expire, Weight: p.Spec.Weight})
}

func addClaim(builder *karp.Builder, from *unstructured.Unstructured) error {
	var c nodeClaim
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(from.Object, &c); err != nil {
		return fmt.Errorf("NodeClaim %s: %w", from.GetName(), err)
	}
	return builder.AddNodeClaim(&karp.NodeClaim{Meta: corev1.Meta(&c.ObjectMeta), ProviderID: c.Status.ProviderID, ImageID: c.Status.ImageID,
		NodeClass: karp.NodeClassRef(c.Spec.NodeClassRef), Taints: taints(c.Spec.Taints), StartupTaints: taints(c.Spec.StartupTaints),
		Requirements: requirements(c.Spec.Requirements), Requests: corev1.Amounts(c.Spec.Resources.Requests),
		Capacity: corev1.Amounts(c.Status.Capacity), Allocatable: corev1.Amounts(c.Status.Allocatable), Conditions: conditions(c.Status.Conditions)})
}

var operators = map[uint32]v1.NodeSelectorOperator{karp.OpIn: v1.NodeSelectorOpIn, karp.OpNotIn: v1.NodeSelectorOpNotIn,
	karp.OpExists: v1.NodeSelectorOpExists, karp.OpDoesNotExist: v1.NodeSelectorOpDoesNotExist, karp.OpGt: v1.NodeSelectorOpGt,
	karp.OpLt: v1.NodeSelectorOpLt, karp.OpGte: "Gte", karp.OpLte: "Lte"}

// claimOf is the NodeClaim of a launch, as Karpenter would create it.
func claimOf(l *karp.Launch) (*unstructured.Unstructured, error) {
	spec := map[string]any{"nodeClassRef": classRef(l.NodeClass)}
	var wanted []map[string]any
	for _, r := range l.ClaimRequirements {
		one := map[string]any{"key": r.Key, "operator": operators[r.Op]}
		if len(r.Values) > 0 {
			one["values"] = r.Values
		}
		if r.MinValues > 0 {
			one["minValues"] = r.MinValues
		}
		wanted = append(wanted, one)
	}
	spec["requirements"] = wanted
	requests := map[string]string{}
	for _, r := range l.Requests {
		requests[r.Name] = r.Text
	}
	spec["resources"] = map[string]any{"requests": requests}
	for name, list := range map[string][]karp.Taint{"taints": l.Taints, "startupTaints": l.StartupTaints} {
		var out []v1.Taint
		for _, t := range list {
			out = append(out, v1.Taint{Key: t.Key, Value: t.Value, Effect: v1.TaintEffect(t.Effect)})
		}
		if out != nil {
			spec[name] = out
		}
	}
	if l.ExpireAfter != nil {
		spec["expireAfter"] = "Never"
		if *l.ExpireAfter != karp.Never {
			spec["expireAfter"] = l.ExpireAfter.String()
		}
	}
	if l.TerminationGracePeriod != nil {
		spec["terminationGracePeriod"] = l.TerminationGracePeriod.String()
	}
	text, err := json.Marshal(map[string]any{"apiVersion": "karpenter.sh/v1", "kind": "NodeClaim", "spec": spec,
		"metadata": map[string]any{"generateName": l.NodePool + "-", "labels": l.Labels, "annotations": l.Annotations}})
	if err != nil {
		return nil, err
	}
	claim := &unstructured.Unstructured{}
	return claim, claim.UnmarshalJSON(text)
}
