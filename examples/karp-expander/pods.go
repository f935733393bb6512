// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"libkarp.dev/go/corev1"
)

// maxObject is what the largest pod or node may have in bytes; etcd's own limit for a request is as much.
const maxObject = 1536 << 10

// addPods decodes every pod once, adds it, and returns the names of all.
func addPods(ctx context.Context, feeder *corev1.Feeder, r *request, groups []*group) ([]string, error) {
	allowed := allowancesOf(r, groups)
	reader := podReader{alike: map[string]*v1.Pod{}}
	names := make([]string, len(r.pods))
	for i, bytes := range r.pods {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if len(bytes) > maxObject {
			return nil, fail(reasonPod, "pod %d has %d bytes", i, len(bytes))
		}
		pod, err := reader.read(bytes)
		if err != nil {
			return nil, fail(reasonPod, "pod %d: %w", i, err)
		}
		allowed.restrict(pod, uint32(i))
		if err := feeder.AddPod(pod); err != nil {
			return nil, failWith(reasonPod, err)
		}
		names[i] = cmp.Or(pod.Namespace, "default") + "/" + pod.Name
	}
	return names, nil
}

// Fields of core/v1 Pod and of its metadata.
const (
	podMeta       = 1
	podSpec       = 2
	metaName      = 1
	metaNamespace = 3
	metaCreated   = 8
	metaLabels    = 11
)

// A podReader decodes pods. Those of a workload have the same namespace, labels and spec, byte for byte: one of them is
// decoded whole, of the others what is their own.
type podReader struct {
	alike map[string]*v1.Pod // by what pods have in common
	key   []byte
	pod   v1.Pod
}

// read decodes a pod, which is valid until the next one is read.
func (d *podReader) read(bytes []byte) (*v1.Pod, error) {
	name, created, err := d.split(bytes)
	if err != nil {
		return nil, err
	}
	first := d.alike[string(d.key)]
	if first == nil {
		first = new(v1.Pod)
		if err := first.Unmarshal(bytes); err != nil {
			return nil, err
		}
		strip(first)
		// By its owner the feeder finds out which pods are alike.
		first.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "alike", UID: types.UID(strconv.Itoa(len(d.alike)))}}
		d.alike[string(d.key)] = first
	}
	d.pod = *first
	d.pod.Name, d.pod.CreationTimestamp = name, created
	return &d.pod, nil
}

// split finds what a pod has of its own, and puts the rest of what is read into the key.
func (d *podReader) split(bytes []byte) (name string, created metav1.Time, err error) {
	d.key = d.key[:0]
	keep := func(number protowire.Number, bytes []byte) {
		d.key = protowire.AppendBytes(protowire.AppendTag(d.key, number, protowire.BytesType), bytes)
	}
	meta := func(number protowire.Number, bytes []byte, _ uint64, is protowire.Type) (bool, error) {
		switch {
		case is != protowire.BytesType:
		case number == metaName:
			name = string(bytes)
		case number == metaCreated:
			return true, created.Unmarshal(bytes)
		case number == metaNamespace || number == metaLabels:
			keep(number, bytes)
		}
		return true, nil
	}
	_, err = fields(bytes, func(number protowire.Number, bytes []byte, _ uint64, is protowire.Type) (bool, error) {
		switch {
		case is != protowire.BytesType:
		case number == podMeta:
			_, err := fields(bytes, meta)
			return true, err
		case number == podSpec:
			keep(podSpec, bytes)
		}
		return true, nil
	})
	return name, created, err
}

// strip takes away what is not read here, or refers to objects that are not sent. That the pod fits the groups it is offered
// by, for all its volumes and claims, cluster-autoscaler has found out already. Pods are told apart by name, not by their UIDs.
func strip(pod *v1.Pod) {
	pod.UID, pod.Annotations, pod.DeletionTimestamp = "", nil, nil
	pod.Spec.NodeName, pod.Spec.Volumes, pod.Spec.ResourceClaims = "", nil, nil
	for _, containers := range [][]v1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		for i := range containers {
			containers[i].Resources.Claims = nil
		}
	}
	pod.Status = v1.PodStatus{Phase: v1.PodPending}
}
