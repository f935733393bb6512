// SPDX-License-Identifier: Apache-2.0

// Memory makes a cluster of one pool and two pods without any document.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"

	karp "libkarp.dev/go"
)

func in(key, value string) karp.Requirement {
	return karp.Requirement{Key: key, Op: karp.OpIn, Values: []string{value}}
}

func pod(name string) *karp.Pod {
	return &karp.Pod{Meta: karp.Meta{Name: name}, Phase: karp.PhasePending,
		Conditions: []karp.Condition{{Type: "PodScheduled", Status: "False", Reason: "Unschedulable"}},
		Containers: []karp.Container{{Name: "c", Requests: []karp.Resource{{Name: "cpu", Text: "1500m"}}}}}
}

func main() {
	log.SetFlags(0)
	builder, err := karp.NewBuilder(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer builder.Close()
	ready := []karp.Condition{{Type: "Ready", Status: "True"}, {Type: "ValidationSucceeded", Status: "True"}, {Type: "NodeClassReady", Status: "True"}}
	catalogue, err := karp.NewCatalogue(nil, []karp.InstanceType{{
		Name:         "m.large",
		Requirements: []karp.Requirement{in("node.kubernetes.io/instance-type", "m.large")},
		Capacity:     []karp.Resource{{Name: "cpu", Value: 4}, {Name: "memory", Text: "16Gi"}, {Name: "pods", Value: 30}},
		Offerings: []karp.Offering{{Price: 0.2, Available: true, Requirements: []karp.Requirement{
			in("topology.kubernetes.io/zone", "a"), in("karpenter.sh/capacity-type", "on-demand")}}},
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer catalogue.Close()
	err = errors.Join(builder.AddCatalogue(catalogue),
		builder.AddNodePool(&karp.NodePool{Meta: karp.Meta{Name: "default"}, Conditions: ready,
			NodeClass: karp.NodeClassRef{Group: "example.test", Kind: "NodeClass", Name: "default"}}),
		builder.AddPod(pod("web-0")), builder.AddPod(pod("web-1")))
	if err != nil {
		log.Fatal(err)
	}
	snapshot, err := builder.Finish()
	if err != nil {
		log.Fatal(err)
	}
	defer snapshot.Close()
	plan, err := snapshot.Provision(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer plan.Close()
	launches, err := plan.Launches()
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range launches {
		fmt.Println("start", l.Choice.InstanceType, "for", l.Pods)
	}
}
