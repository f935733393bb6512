// SPDX-License-Identifier: Apache-2.0

//go:build cgo

package karp_test

import (
	"fmt"
	"testing"

	karp "libkarp.dev/go"
)

// typical is a pod as clusters have them, with maps of its own.
func typical(name string) *karp.Pod {
	return &karp.Pod{Phase: karp.PhasePending, NodeSelector: map[string]string{"kubernetes.io/arch": "amd64"},
		Meta: karp.Meta{Name: name, Namespace: "default", UID: "9c8c5c3e-0000-4000-8000-000000000001",
			Labels: map[string]string{"app": "web", "tier": "front", "pod-template-hash": "5c7f"},
			Owners: []karp.Owner{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web-5c7", UID: "9c8c5c3e-0000-4000-8000-000000000002"}}},
		Containers:  []karp.Container{{Name: "c", Requests: []karp.Resource{{Name: "cpu", Value: 250, Scale: -3}, {Name: "memory", Text: "512Mi"}}}},
		Tolerations: []karp.Toleration{{Key: "node.kubernetes.io/not-ready", Op: karp.TolerationExists, Effect: "NoExecute"}},
		Spread: []karp.SpreadConstraint{{MaxSkew: 1, TopologyKey: "topology.kubernetes.io/zone",
			LabelSelector: &karp.Selector{MatchLabels: map[string]string{"app": "web"}}}}}
}

// 10,000 pods, one after the other.
func BenchmarkBuilder(b *testing.B) {
	pods := make([]*karp.Pod, 10000)
	for i := range pods {
		pods[i] = typical(fmt.Sprintf("web-%d", i))
	}
	b.ReportAllocs()
	for b.Loop() {
		builder, err := karp.NewBuilder(nil)
		good(b, err)
		for _, pod := range pods {
			if err := builder.AddPod(pod); err != nil { // good() would look for its caller each time
				b.Fatal(err)
			}
		}
		builder.Close()
	}
}

// The same pods by their template.
func BenchmarkTemplate(b *testing.B) {
	names := make([]string, 10000)
	for i := range names {
		names[i] = fmt.Sprintf("web-%d", i)
	}
	b.ReportAllocs()
	for b.Loop() {
		builder, err := karp.NewBuilder(nil)
		good(b, err)
		template, err := builder.AddPodTemplate(typical("web"))
		good(b, err)
		for _, name := range names {
			own := karp.TemplatedPod{Name: name, UID: "9c8c5c3e-0000-4000-8000-000000000001", Phase: karp.PhasePending}
			if err := builder.AddTemplatedPod(template, &own); err != nil {
				b.Fatal(err)
			}
		}
		builder.Close()
	}
}
