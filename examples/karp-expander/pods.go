// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"
	v1 "k8s.io/api/core/v1"

	"libkarp/bindings/go/corev1"
)

// maxObject is what the largest pod or node may have in bytes; etcd's own limit for a request is as much.
const maxObject = 1536 << 10

// addPods decodes every pod once, adds it, and returns the names of all.
func addPods(ctx context.Context, feeder *corev1.Feeder, r *request, groups []*group) ([]string, error) {
	allowed := allowancesOf(r, groups)
	reader := podReader{specs: map[string]v1.PodSpec{}}
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

// Fields of core/v1 Pod; the third is its status, which is not read.
const (
	podMeta = 1
	podSpec = 2
)

// A podReader decodes pods. The pods of a workload have the same spec, byte for byte: it is decoded once, and shared by them.
type podReader struct {
	pod   v1.Pod
	specs map[string]v1.PodSpec // by their bytes, which are parts of the message
}

// read decodes a pod, without what refers to objects that are not sent. That the pod fits the groups it is offered by, for
// all its volumes and claims, cluster-autoscaler has found out already. Pods are told apart by name, not by their UIDs. The
// pod is valid until the next one is read.
func (d *podReader) read(bytes []byte) (*v1.Pod, error) {
	pod := &d.pod
	*pod = v1.Pod{}
	_, err := fields(bytes, func(number protowire.Number, bytes []byte, _ uint64, is protowire.Type) (bool, error) {
		switch {
		case is == protowire.BytesType && number == podMeta:
			return true, pod.ObjectMeta.Unmarshal(bytes)
		case is == protowire.BytesType && number == podSpec:
			return true, d.spec(pod, bytes)
		}
		return true, nil
	})
	pod.UID, pod.Annotations, pod.OwnerReferences, pod.DeletionTimestamp = "", nil, nil, nil
	pod.Status.Phase = v1.PodPending
	return pod, err
}

// spec gives the pod the spec of these bytes. (One in two parts is that of the last: nobody writes such.)
func (d *podReader) spec(pod *v1.Pod, bytes []byte) error {
	key := unsafe.String(unsafe.SliceData(bytes), len(bytes))
	spec, known := d.specs[key]
	if !known {
		if err := spec.Unmarshal(bytes); err != nil {
			return err
		}
		spec.NodeName, spec.Volumes, spec.ResourceClaims = "", nil, nil
		for _, containers := range [][]v1.Container{spec.Containers, spec.InitContainers} {
			for i := range containers {
				containers[i].Resources.Claims = nil
			}
		}
		d.specs[key] = spec
	}
	pod.Spec = spec
	return nil
}
