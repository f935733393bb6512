// SPDX-License-Identifier: Apache-2.0

// Applies strategic merge patches to workloads as the API server does: by the structs of k8s.io/api. Reads {"objects": [...], "patches":
// ["YAML", ...]}, and writes the objects after all patches. A patch is an error that has a field its kind does not have, that is of no
// object, or after which a container requests more than its limit.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"sigs.k8s.io/yaml"
)

type named struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        struct{ Name, Namespace string } `json:"metadata"`
}

var kinds = map[string]func() any{
	"apps/v1 DaemonSet":        func() any { return &appsv1.DaemonSet{} },
	"apps/v1 Deployment":       func() any { return &appsv1.Deployment{} },
	"apps/v1 ReplicaSet":       func() any { return &appsv1.ReplicaSet{} },
	"apps/v1 StatefulSet":      func() any { return &appsv1.StatefulSet{} },
	"batch/v1 CronJob":         func() any { return &batchv1.CronJob{} },
	"v1 Pod":                   func() any { return &corev1.Pod{} },
	"v1 ReplicationController": func() any { return &corev1.ReplicationController{} },
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// The pod of a workload.
func podOf(object any) corev1.PodSpec {
	switch of := object.(type) {
	case *appsv1.DaemonSet:
		return of.Spec.Template.Spec
	case *appsv1.Deployment:
		return of.Spec.Template.Spec
	case *appsv1.ReplicaSet:
		return of.Spec.Template.Spec
	case *appsv1.StatefulSet:
		return of.Spec.Template.Spec
	case *batchv1.CronJob:
		return of.Spec.JobTemplate.Spec.Template.Spec
	case *corev1.ReplicationController:
		return of.Spec.Template.Spec
	case *corev1.Pod:
		return of.Spec
	}
	return corev1.PodSpec{}
}

func admit(object any, of named) error {
	pod := podOf(object)
	for _, container := range append(append([]corev1.Container{}, pod.InitContainers...), pod.Containers...) {
		if container.Image == "" {
			return fmt.Errorf("%s %s: container %s has no image", of.Kind, of.Metadata.Name, container.Name)
		}
		for name, request := range container.Resources.Requests {
			if limit, has := container.Resources.Limits[name]; has && request.Cmp(limit) > 0 {
				return fmt.Errorf("%s %s: container %s requests more %s than its limit", of.Kind, of.Metadata.Name, container.Name, name)
			}
		}
	}
	return nil
}

func apply(object, patch []byte, of named) []byte {
	make := kinds[of.APIVersion+" "+of.Kind]
	if make == nil {
		must(fmt.Errorf("%s %s is not a kind of strategic merges", of.APIVersion, of.Kind))
	}
	must(yaml.UnmarshalStrict(patch, make()))
	merged, err := strategicpatch.StrategicMergePatch(object, patch, make())
	must(err)
	result := make()
	must(yaml.UnmarshalStrict(merged, result))
	must(admit(result, of))
	return merged
}

func main() {
	var given struct {
		Objects []json.RawMessage
		Patches []string
	}
	must(json.NewDecoder(os.Stdin).Decode(&given))
	for _, text := range given.Patches {
		patch, err := yaml.YAMLToJSONStrict([]byte(text))
		must(err)
		var of, object named
		must(json.Unmarshal(patch, &of))
		found := false
		for i := range given.Objects {
			object = named{}
			must(json.Unmarshal(given.Objects[i], &object))
			if object == of {
				given.Objects[i], found = apply(given.Objects[i], patch, of), true
			}
		}
		if !found {
			must(fmt.Errorf("%s %s/%s is patched, but not there", of.Kind, of.Metadata.Namespace, of.Metadata.Name))
		}
	}
	must(json.NewEncoder(os.Stdout).Encode(given.Objects))
}
