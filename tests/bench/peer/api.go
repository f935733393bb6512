// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"reflect"
	"sort"

	"github.com/awslabs/operatorpkg/status"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	karpv1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
)

// api serves the objects of an input, read-only. Like the cached client of a controller it gives copies away, and it knows
// which pods are on a node.
type api struct {
	client.Client // nil: whatever would write fails loudly
	lists         map[reflect.Type][]client.Object
	named         map[reflect.Type]map[client.ObjectKey]client.Object
	podsOfNode    map[string][]client.Object
}

func newAPI(objects []client.Object) *api {
	a := &api{lists: map[reflect.Type][]client.Object{}, named: map[reflect.Type]map[client.ObjectKey]client.Object{},
		podsOfNode: map[string][]client.Object{}}
	for _, o := range objects {
		kind := reflect.TypeOf(o)
		if a.named[kind] == nil {
			a.named[kind] = map[client.ObjectKey]client.Object{}
		}
		a.named[kind][keyOf(o)] = o
		a.lists[kind] = append(a.lists[kind], o)
	}
	for _, list := range a.lists {
		sort.SliceStable(list, func(i, k int) bool { return keyOf(list[i]).String() < keyOf(list[k]).String() })
	}
	for _, o := range a.lists[reflect.TypeOf(&corev1.Pod{})] {
		node := o.(*corev1.Pod).Spec.NodeName
		a.podsOfNode[node] = append(a.podsOfNode[node], o)
	}
	return a
}

// Callers ask for cluster-wide objects with whatever namespace they have at hand.
func keyOf(o client.Object) client.ObjectKey {
	if _, ok := o.(*corev1.Pod); ok {
		return client.ObjectKeyFromObject(o)
	}
	return client.ObjectKey{Name: o.GetName()}
}

func (a *api) Scheme() *runtime.Scheme { return scheme.Scheme }

func (a *api) GroupVersionKindFor(o runtime.Object) (schema.GroupVersionKind, error) {
	return apiutil.GVKForObject(o, scheme.Scheme)
}

func (a *api) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	if _, ok := into.(*corev1.Pod); !ok {
		key.Namespace = ""
	}
	found, ok := a.named[reflect.TypeOf(into)][key]
	if !ok {
		return errors.NewNotFound(schema.GroupResource{Resource: fmt.Sprintf("%T", into)}, key.Name)
	}
	reflect.ValueOf(into).Elem().Set(reflect.ValueOf(found.DeepCopyObject()).Elem())
	return nil
}

func (a *api) List(_ context.Context, into client.ObjectList, given ...client.ListOption) error {
	var asked client.ListOptions
	asked.ApplyOptions(given)
	items := reflect.ValueOf(into).Elem().FieldByName("Items")
	element := items.Type().Elem()
	kind := element
	if element.Kind() != reflect.Pointer {
		kind = reflect.PointerTo(element)
	}
	result := reflect.MakeSlice(items.Type(), 0, 16)
	for _, o := range a.candidates(kind, &asked) {
		matches, err := a.matches(o, &asked)
		if err != nil {
			return err
		}
		if !matches {
			continue
		}
		if asked.UnsafeDisableDeepCopy == nil || !*asked.UnsafeDisableDeepCopy {
			o = o.DeepCopyObject().(client.Object)
		}
		value := reflect.ValueOf(o)
		if element.Kind() != reflect.Pointer {
			value = value.Elem()
		}
		result = reflect.Append(result, value)
	}
	items.Set(result)
	return nil
}

func (a *api) candidates(kind reflect.Type, asked *client.ListOptions) []client.Object {
	if asked.FieldSelector != nil && kind == reflect.TypeOf(&corev1.Pod{}) {
		if node, ok := asked.FieldSelector.RequiresExactMatch("spec.nodeName"); ok {
			return a.podsOfNode[node]
		}
	}
	return a.lists[kind]
}

func (a *api) matches(o client.Object, asked *client.ListOptions) (bool, error) {
	if asked.Namespace != "" && o.GetNamespace() != asked.Namespace {
		return false, nil
	}
	if asked.LabelSelector != nil && !asked.LabelSelector.Matches(labels.Set(o.GetLabels())) {
		return false, nil
	}
	if asked.FieldSelector == nil {
		return true, nil
	}
	for _, r := range asked.FieldSelector.Requirements() {
		value, err := fieldOf(o, r.Field)
		if err != nil || value != r.Value {
			return false, err
		}
	}
	return true, nil
}

// fieldOf reads the fields that Karpenter has indexes for.
func fieldOf(o client.Object, field string) (string, error) {
	switch x := o.(type) {
	case *corev1.Pod:
		if field == "spec.nodeName" {
			return x.Spec.NodeName, nil
		}
	case *corev1.Node:
		if field == "spec.providerID" {
			return x.Spec.ProviderID, nil
		}
	case *karpv1.NodeClaim:
		if field == "status.providerID" {
			return x.Status.ProviderID, nil
		}
		return classField(x.Spec.NodeClassRef, "spec.nodeClassRef.", field)
	case *karpv1.NodePool:
		return classField(x.Spec.Template.Spec.NodeClassRef, "spec.template.spec.nodeClassRef.", field)
	}
	return "", fmt.Errorf("%T is not indexed by %s", o, field)
}

func classField(class *karpv1.NodeClassReference, prefix, field string) (string, error) {
	switch field {
	case prefix + "group":
		return class.Group, nil
	case prefix + "kind":
		return class.Kind, nil
	case prefix + "name":
		return class.Name, nil
	}
	return "", fmt.Errorf("no index on %s", field)
}

// cloud serves the input's instance types.
type cloud struct {
	cloudprovider.CloudProvider // nil: nothing is launched here
	types                       map[string][]*cloudprovider.InstanceType
	classes                     []status.Object
}

func newCloud(in *input) *cloud {
	c := &cloud{types: in.types}
	for _, o := range in.objects {
		if pool, ok := o.(*karpv1.NodePool); ok && len(c.classes) == 0 {
			class := &nodeClass{}
			class.SetGroupVersionKind(pool.Spec.Template.Spec.NodeClassRef.GroupKind().WithVersion("v1"))
			c.classes = append(c.classes, class)
		}
	}
	return c
}

func (c *cloud) Name() string                                 { return "bench" }
func (c *cloud) GetSupportedNodeClasses() []status.Object     { return c.classes }
func (c *cloud) RepairPolicies() []cloudprovider.RepairPolicy { return nil }
func (c *cloud) GetInstanceTypes(_ context.Context, pool *karpv1.NodePool) ([]*cloudprovider.InstanceType, error) {
	return append(append([]*cloudprovider.InstanceType{}, c.types[pool.Name]...), c.types[""]...), nil
}
func (c *cloud) IsDrifted(context.Context, *karpv1.NodeClaim) (cloudprovider.DriftReason, error) {
	return "", nil
}

type nodeClass struct {
	unstructured.Unstructured
	conditions []status.Condition
}

func (n *nodeClass) GetConditions() []status.Condition           { return n.conditions }
func (n *nodeClass) SetConditions(conditions []status.Condition) { n.conditions = conditions }
func (n *nodeClass) StatusConditions(options ...status.ForOption) status.ConditionSet {
	return status.NewReadyConditions().For(n, options...)
}
