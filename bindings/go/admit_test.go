// SPDX-License-Identifier: Apache-2.0

//go:build cgo

package karp_test

import (
	"context"
	"errors"
	"testing"
	"time"

	karp "libkarp.dev/go"
)

// gang is a group of that many pods of 1 CPU, which start together.
func gang(t *testing.T, b *karp.Builder, name string, pods int) {
	good(t, b.AddPodGroup(&karp.PodGroup{Meta: karp.Meta{Name: name, Namespace: "default"}, Gang: true, MinCount: int32(pods)}))
	for i := range pods {
		p := pod(name+"-"+string(rune('a'+i)), "1")
		p.GroupName, p.GroupSource = name, karp.GroupKubernetes
		good(t, b.AddPod(p))
	}
}

func TestGroups(t *testing.T) {
	b := builder(t)
	gang(t, b, "small", 2)
	if err := b.AddPodGroup(&karp.PodGroup{Meta: karp.Meta{Name: "none"}, Gang: true}); !errors.Is(err, karp.ErrInvalid) {
		t.Fatal(err)
	}
	d, err := finish(t, b).Provision(context.Background(), &karp.Options{PlainKarp: true})
	good(t, err)
	defer d.Close()
	groups, err := d.Groups()
	good(t, err)
	equal(t, "groups", len(groups), 1)
	g := groups[0]
	equal(t, "name", g.Name, "default/small")
	equal(t, "source", g.Source, "PodGroup")
	equal(t, "pods", [4]int{g.Minimum, g.Members, g.Bound, g.Placed}, [4]int{2, 2, 0, 2})
	equal(t, "code", g.Code, karp.Reason(0))
}

func TestAdmit(t *testing.T) {
	b := builder(t)
	gang(t, b, "small", 2)
	p := pod("picky", "1")
	p.NodeSelector = map[string]string{"topology.kubernetes.io/zone": "z"}
	good(t, b.AddPod(p))
	s := finish(t, b)
	a, err := s.Admit(context.Background(), &karp.AdmitOptions{Boot: 2 * time.Minute, Flavours: karp.FlavourZone, Changes: 1})
	good(t, err)
	defer a.Close()
	equal(t, "workloads", len(a.Workloads), 2)
	byName := map[string]karp.Workload{}
	for _, w := range a.Workloads {
		byName[w.Name] = w
	}
	small, picky := byName["default/small"], byName["default/picky"]
	equal(t, "answer", small.Answer.String(), "launch")
	equal(t, "ready", small.ReadyAfter, 2*time.Minute)
	equal(t, "placed", small.Placed, 2)
	launches, err := a.Decision.Launches()
	good(t, err)
	equal(t, "nodes", len(small.Nodes), 1)
	equal(t, "node", small.Nodes[0], launches[0].ID)
	if len(small.Flavours) == 0 || small.Cost <= 0 {
		t.Fatalf("%+v", small)
	}
	equal(t, "never", picky.Answer, karp.AdmitNever)
	equal(t, "change", picky.Changes[0].Kind, "DROP_SELECTOR")
	one, err := s.Admit(context.Background(), &karp.AdmitOptions{Only: "default/picky", FlavoursUpTo: 1, Flavours: karp.FlavourAll})
	good(t, err)
	defer one.Close()
	equal(t, "the one", [2]int{len(one.Workloads), len(one.Workloads[0].Flavours)}, [2]int{1, 0})
	if _, err := s.Admit(context.Background(), &karp.AdmitOptions{Only: "default/other"}); !errors.Is(err, karp.ErrNotFound) {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Admit(ctx, nil); !errors.Is(err, karp.ErrCanceled) {
		t.Fatal(err)
	}
}
