// SPDX-License-Identifier: Apache-2.0

//go:build cgo

package karp_test

import (
	"fmt"
	"testing"

	karp "libkarp.dev/go"
)

// A small cluster: one pool, three sizes of nodes in two zones, one node that runs already.

func in(key string, values ...string) karp.Requirement {
	return karp.Requirement{Key: key, Op: karp.OpIn, Values: values}
}

func amounts(cpu, memory string) []karp.Resource {
	return []karp.Resource{{Name: "cpu", Text: cpu}, {Name: "memory", Text: memory}}
}

func instanceTypes() []karp.InstanceType {
	var out []karp.InstanceType
	for _, cpu := range []int{2, 4, 8} {
		t := karp.InstanceType{Name: fmt.Sprintf("m.%d", cpu),
			Capacity: []karp.Resource{{Name: "cpu", Value: int64(cpu)}, {Name: "memory", Text: fmt.Sprintf("%dGi", 4*cpu)}, {Name: "pods", Value: 20}}}
		t.Requirements = []karp.Requirement{in("node.kubernetes.io/instance-type", t.Name), in("kubernetes.io/arch", "amd64"),
			in("topology.kubernetes.io/zone", "a", "b"), in("karpenter.sh/capacity-type", "on-demand")}
		for i, zone := range []string{"a", "b"} {
			t.Offerings = append(t.Offerings, karp.Offering{Price: float64(cpu) * (1 + float64(i)/10), Available: true,
				Requirements: []karp.Requirement{in("topology.kubernetes.io/zone", zone), in("karpenter.sh/capacity-type", "on-demand")}})
		}
		out = append(out, t)
	}
	return out
}

func ready(types ...string) []karp.Condition {
	var out []karp.Condition
	for _, t := range types {
		out = append(out, karp.Condition{Type: t, Status: "True"})
	}
	return out
}

func pool(name string) *karp.NodePool {
	return &karp.NodePool{Meta: karp.Meta{Name: name}, NodeClass: karp.NodeClassRef{Group: "karpenter.test", Kind: "TestNodeClass", Name: "default"},
		Conditions: ready("Ready", "ValidationSucceeded", "NodeClassReady")}
}

func pod(name, cpu string) *karp.Pod {
	return &karp.Pod{Meta: karp.Meta{Name: name, Labels: map[string]string{"app": "web", "tier": "front"}}, Phase: karp.PhasePending,
		Conditions: []karp.Condition{{Type: "PodScheduled", Status: "False", Reason: "Unschedulable"}},
		Containers: []karp.Container{{Name: "c", Requests: amounts(cpu, "1Gi")}}}
}

func builder(tb testing.TB) *karp.Builder {
	tb.Helper()
	b, err := karp.NewBuilder(nil)
	good(tb, err)
	tb.Cleanup(func() { _ = b.Close() })
	catalogue, err := karp.NewCatalogue(nil, instanceTypes())
	good(tb, err)
	defer catalogue.Close()
	good(tb, b.AddCatalogue(catalogue))
	good(tb, b.AddNodePool(pool("default")))
	return b
}

func finish(tb testing.TB, b *karp.Builder) *karp.Snapshot {
	tb.Helper()
	s, err := b.Finish()
	good(tb, err)
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

func good(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func equal[T comparable](tb testing.TB, what string, got, want T) {
	tb.Helper()
	if got != want {
		tb.Fatalf("%s: %v, wanted %v", what, got, want)
	}
}
