// SPDX-License-Identifier: Apache-2.0

//go:build cgo

package karp_test

import (
	"context"
	"errors"
	"testing"

	karp "libkarp.dev/go"
)

// A pool wants two zones to choose from, and the pod allows one. Since 1.15 that is one zone, before it was two.
func TestSetProfile(t *testing.T) {
	b := builder(t)
	p := pool("zones")
	p.Requirements = []karp.Requirement{{Key: "topology.kubernetes.io/zone", Op: karp.OpIn, Values: []string{"a", "b"}, MinValues: 2}}
	good(t, b.AddNodePool(p))
	picky := pod("picky", "1")
	picky.NodeSelector = map[string]string{"topology.kubernetes.io/zone": "a", "karpenter.sh/nodepool": "zones"}
	good(t, b.AddPod(picky))
	s, err := b.Finish()
	good(t, err)
	defer s.Close()
	for _, c := range []struct {
		profile  string
		version  uint32
		launches int
	}{{"karpenter", karp.Peer1_15, 0}, {"karpenter-1.15", karp.Peer1_15, 0}, {"karpenter-1.14", karp.Peer1_14, 1}, {"karp", karp.Peer1_15, 0}} {
		var options karp.Options
		good(t, options.SetProfile(c.profile))
		decision, err := s.Provision(context.Background(), &options)
		good(t, err)
		summary, err := decision.Summary()
		good(t, err)
		if summary.PeerVersion != c.version || summary.Launches != c.launches || options.PlainKarp != (c.profile == "karp") {
			t.Errorf("%s: %+v %+v", c.profile, options, summary)
		}
		decision.Close()
	}
	for _, name := range karp.Profiles() {
		var options karp.Options
		good(t, options.SetProfile(name))
	}
	var options karp.Options
	for _, name := range []string{"", "karpenter-1.13", "Karp"} {
		if err := options.SetProfile(name); !errors.Is(err, karp.ErrInvalid) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
