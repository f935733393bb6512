// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
)

// api answers what a scheduling round asks an API server, from the objects of one world. Whatever writes panics.
// Lists come by namespace and name, so that equal worlds have equal answers.
type api struct {
	client.Client
	byKind map[string][]client.Object
}

func newAPI(objects []client.Object) *api {
	a := &api{byKind: map[string][]client.Object{}}
	for _, o := range objects {
		a.byKind[kindOf(o)] = append(a.byKind[kindOf(o)], o)
	}
	for _, list := range a.byKind {
		slices.SortStableFunc(list, func(x, y client.Object) int {
			return cmp.Or(strings.Compare(x.GetNamespace(), y.GetNamespace()), strings.Compare(x.GetName(), y.GetName()))
		})
	}
	return a
}

func kindOf(o runtime.Object) string {
	gvk, err := apiutil.GVKForObject(o, scheme.Scheme)
	if err != nil {
		panic(err)
	}
	return gvk.Kind
}

func (a *api) Scheme() *runtime.Scheme { return scheme.Scheme }

func (a *api) GroupVersionKindFor(o runtime.Object) (schema.GroupVersionKind, error) {
	return apiutil.GVKForObject(o, scheme.Scheme)
}

// Some of Karpenter's requests for objects without a namespace name one, which a server overlooks.
func isClusterScoped(o client.Object) bool {
	switch o.(type) {
	case *corev1.Node, *corev1.Namespace, *corev1.PersistentVolume, *storagev1.StorageClass, *storagev1.CSINode, *v1.NodePool, *v1.NodeClaim,
		*resourcev1.DeviceClass, *resourcev1.ResourceSlice:
		return true
	}
	return false
}

func (a *api) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	if isClusterScoped(into) {
		key.Namespace = ""
	}
	kind := kindOf(into)
	for _, o := range a.byKind[kind] {
		if client.ObjectKeyFromObject(o) == key {
			reflect.ValueOf(into).Elem().Set(reflect.ValueOf(o.DeepCopyObject()).Elem())
			return nil
		}
	}
	return errors.NewNotFound(schema.GroupResource{Resource: strings.ToLower(kind)}, key.Name)
}

func (a *api) List(_ context.Context, into client.ObjectList, options ...client.ListOption) error {
	var o client.ListOptions
	o.ApplyOptions(options)
	found := []runtime.Object{}
	for _, x := range a.byKind[strings.TrimSuffix(kindOf(into), "List")] {
		ok, err := matches(x, &o)
		if err != nil {
			return err
		}
		if ok {
			found = append(found, x.DeepCopyObject())
		}
	}
	return meta.SetList(into, found)
}

func matches(x client.Object, o *client.ListOptions) (bool, error) {
	if (o.Namespace != "" && x.GetNamespace() != o.Namespace) ||
		(o.LabelSelector != nil && !o.LabelSelector.Matches(labels.Set(x.GetLabels()))) {
		return false, nil
	}
	if o.FieldSelector == nil {
		return true, nil
	}
	for _, want := range o.FieldSelector.Requirements() {
		have, err := field(x, want.Field)
		if err != nil || have != want.Value {
			return false, err
		}
	}
	return true, nil
}

// field is the value of an index that Karpenter sets up.
func field(x client.Object, name string) (string, error) {
	switch o := x.(type) {
	case *corev1.Pod:
		if name == "spec.nodeName" {
			return o.Spec.NodeName, nil
		}
	case *corev1.Node:
		if name == "spec.providerID" {
			return o.Spec.ProviderID, nil
		}
	case *v1.NodeClaim:
		if name == "status.providerID" {
			return o.Status.ProviderID, nil
		}
	}
	return "", fmt.Errorf("no index %s of %T", name, x)
}
