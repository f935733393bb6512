// SPDX-License-Identifier: Apache-2.0

package corev1

import (
	"encoding/json"
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	karp "libkarp.dev/go"
)

// Pods as clusters have them: labels, an owner, a selector, a toleration, a spread constraint.
func typical(count int) []*v1.Pod {
	pods := make([]*v1.Pod, count)
	for i := range pods {
		pods[i] = &v1.Pod{
			TypeMeta: metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"},
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("web-%d", i), Namespace: "default",
				UID:    "9c8c5c3e-0000-4000-8000-000000000001",
				Labels: map[string]string{"app": "web", "tier": "front", "pod-template-hash": "5c7f"},
				OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web-5c7",
					UID: "9c8c5c3e-0000-4000-8000-000000000002"}}},
			Spec: v1.PodSpec{NodeSelector: map[string]string{"kubernetes.io/arch": "amd64"},
				Containers: []v1.Container{{Name: "c", Image: "registry.example/web:1.2.3",
					Resources: v1.ResourceRequirements{Requests: v1.ResourceList{"cpu": resource.MustParse("250m"), "memory": resource.MustParse("512Mi")}},
					Env:       []v1.EnvVar{{Name: "A", Value: "b"}, {Name: "C", Value: "d"}}}},
				Tolerations: []v1.Toleration{{Key: "node.kubernetes.io/not-ready", Operator: "Exists", Effect: "NoExecute"}},
				TopologySpreadConstraints: []v1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "topology.kubernetes.io/zone",
					WhenUnsatisfiable: "DoNotSchedule", LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}}},
		}
	}
	return pods
}

func feed(tb testing.TB, pods []*v1.Pod) *karp.Builder {
	builder, err := karp.NewBuilder(nil)
	if err != nil {
		tb.Fatal(err)
	}
	feeder := NewFeeder(builder)
	for _, pod := range pods {
		if err := feeder.AddPod(pod); err != nil {
			tb.Fatal(err)
		}
	}
	return builder
}

func BenchmarkDoorTyped(b *testing.B) {
	pods := typical(10000)
	b.ReportAllocs()
	for b.Loop() {
		feed(b, pods).Close()
	}
}

func BenchmarkDoorMarshal(b *testing.B) {
	pods := typical(10000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := json.Marshal(pods); err != nil {
			b.Fatal(err)
		}
	}
}
