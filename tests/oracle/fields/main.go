// SPDX-License-Identifier: Apache-2.0

// Objects of Kubernetes' kinds with every field of their Go structs, as a JSON list. Values are null, but for objects and lists that have
// fields themselves, so that only names of fields are said.
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
)

var kinds = []struct {
	version, kind string
	of            any
}{
	{"v1", "Pod", corev1.Pod{}},
	{"v1", "Node", corev1.Node{}},
	{"v1", "PersistentVolume", corev1.PersistentVolume{}},
	{"v1", "PersistentVolumeClaim", corev1.PersistentVolumeClaim{}},
	{"v1", "ReplicationController", corev1.ReplicationController{}},
	{"apps/v1", "DaemonSet", appsv1.DaemonSet{}},
	{"apps/v1", "Deployment", appsv1.Deployment{}},
	{"apps/v1", "ReplicaSet", appsv1.ReplicaSet{}},
	{"apps/v1", "StatefulSet", appsv1.StatefulSet{}},
	{"batch/v1", "CronJob", batchv1.CronJob{}},
	{"batch/v1", "Job", batchv1.Job{}},
	{"policy/v1", "PodDisruptionBudget", policyv1.PodDisruptionBudget{}},
	{"resource.k8s.io/v1", "DeviceClass", resourcev1.DeviceClass{}},
	{"resource.k8s.io/v1", "ResourceClaim", resourcev1.ResourceClaim{}},
	{"resource.k8s.io/v1", "ResourceClaimTemplate", resourcev1.ResourceClaimTemplate{}},
	{"resource.k8s.io/v1", "ResourceSlice", resourcev1.ResourceSlice{}},
	{"scheduling.k8s.io/v1", "PriorityClass", schedulingv1.PriorityClass{}},
	{"storage.k8s.io/v1", "CSINode", storagev1.CSINode{}},
	{"storage.k8s.io/v1", "StorageClass", storagev1.StorageClass{}},
}

// fill returns an object for a struct of the API, a list of one for a list of such, and else nil.
func fill(t reflect.Type) any {
	switch t.Kind() {
	case reflect.Pointer:
		return fill(t.Elem())
	case reflect.Slice:
		if one := fill(t.Elem()); one != nil {
			return []any{one}
		}
	case reflect.Struct:
		if strings.Contains(t.PkgPath(), "k8s.io/api/") {
			return members(t, map[string]any{})
		}
	}
	return nil
}

func members(t reflect.Type, out map[string]any) map[string]any {
	for i := range t.NumField() {
		f := t.Field(i)
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" && (f.Anonymous || strings.Contains(rest, "inline")) {
			if strings.Contains(f.Type.PkgPath(), "k8s.io/api/") {
				members(f.Type, out)
			}
		} else if name != "" && name != "-" && name != "metadata" {
			out[name] = fill(f.Type)
		}
	}
	return out
}

func main() {
	var list []any
	for _, k := range kinds {
		object := members(reflect.TypeOf(k.of), map[string]any{})
		object["apiVersion"], object["kind"] = k.version, k.kind
		object["metadata"] = map[string]any{"name": "all"}
		list = append(list, object)
	}
	if err := json.NewEncoder(os.Stdout).Encode(list); err != nil {
		os.Exit(1)
	}
}
