// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"

	v1 "k8s.io/api/core/v1"

	"libkarp/bindings/go/corev1"
)

// maxObject is what the largest pod or node may have in bytes; etcd's own limit for a request is as much.
const maxObject = 1536 << 10

// addPods decodes every pod once, adds it, and returns the names of all.
func addPods(ctx context.Context, feeder *corev1.Feeder, r *request, groups []*group) ([]string, error) {
	allowed := allowancesOf(r, groups)
	names := make([]string, len(r.pods))
	for i, bytes := range r.pods {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if len(bytes) > maxObject {
			return nil, fail(reasonPod, "pod %d has %d bytes", i, len(bytes))
		}
		var pod v1.Pod
		if err := pod.Unmarshal(bytes); err != nil {
			return nil, fail(reasonPod, "pod %d: %w", i, err)
		}
		strip(&pod)
		allowed.restrict(&pod, uint32(i))
		if err := feeder.AddPod(&pod); err != nil {
			return nil, failWith(reasonPod, err)
		}
		names[i] = cmp.Or(pod.Namespace, "default") + "/" + pod.Name
	}
	return names, nil
}

// strip takes away what refers to objects that are not sent. That the pod fits the groups it is offered by, for all its
// volumes and claims, cluster-autoscaler has found out already. Pods are told apart by name, not by their UIDs.
func strip(pod *v1.Pod) {
	pod.UID, pod.OwnerReferences, pod.DeletionTimestamp = "", nil, nil
	pod.Spec.NodeName, pod.Spec.Volumes, pod.Spec.ResourceClaims = "", nil, nil
	for _, containers := range [][]v1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		for i := range containers {
			containers[i].Resources.Claims = nil
		}
	}
	pod.Status = v1.PodStatus{Phase: v1.PodPending}
}
