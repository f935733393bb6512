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

func TestExplainPod(t *testing.T) {
	b := builder(t)
	good(t, b.AddPod(pod("fits", "1")))
	p := pod("picky", "1")
	p.NodeSelector = map[string]string{"topology.kubernetes.io/zone": "z"}
	good(t, b.AddPod(p))
	s := finish(t, b)
	e, err := s.ExplainPod(context.Background(), nil, "default/picky")
	good(t, err)
	defer e.Close()
	equal(t, "remedy", e.Remedies[0].Kind, "DROP_SELECTOR")
	equal(t, "remedy's text", e.Remedies[0].Text, "drop the node selector topology.kubernetes.io/zone=z")
	equal(t, "remedy's type", e.Remedies[0].Choice.InstanceType, "m.2")
	left, err := e.Decision.Unschedulable()
	good(t, err)
	equal(t, "left", left[0].Pod, "default/picky")
	placed, err := s.ExplainPod(context.Background(), nil, "default/fits")
	good(t, err)
	defer placed.Close()
	equal(t, "remedies of a pod that is placed", len(placed.Remedies), 0)
	if _, err := s.ExplainPod(context.Background(), nil, "default/nobody"); !errors.Is(err, karp.ErrNotFound) {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.ExplainPod(ctx, nil, "default/picky"); !errors.Is(err, karp.ErrCanceled) {
		t.Fatal(err)
	}
}

func TestExplainNode(t *testing.T) {
	b := builder(t)
	now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	good(t, b.SetNow(now))
	claim, node := running("n1", "default-1", now.Add(-time.Hour))
	node.Meta.Annotations = map[string]string{"karpenter.sh/do-not-disrupt": "true"}
	good(t, b.AddNodeClaim(claim))
	good(t, b.AddNode(node))
	free, other := running("n2", "default-2", now.Add(-time.Hour))
	good(t, b.AddNodeClaim(free))
	good(t, b.AddNode(other))
	s := finish(t, b)
	e, err := s.ExplainNode(context.Background(), nil, "n1")
	good(t, err)
	defer e.Close()
	equal(t, "disrupted", e.Disrupted, false)
	equal(t, "blocker", e.Blockers[0].Code.String(), "NODE_DO_NOT_DISRUPT")
	equal(t, "change", e.Changes[0].Text, "remove karpenter.sh/do-not-disrupt from the node and its NodeClaim")
	equal(t, "saved", e.Changes[0].InstanceType, "")
	equal(t, "drift", e.Drift, "")
	equal(t, "expired", e.Expired, false)
	equal(t, "facts", len(e.Facts), 0)
	goes, err := s.ExplainNode(context.Background(), &karp.DisruptOptions{Method: karp.MethodEmptiness}, "n2")
	good(t, err)
	defer goes.Close()
	equal(t, "disrupted", goes.Disrupted, true)
	if _, err := s.ExplainNode(context.Background(), nil, "n9"); !errors.Is(err, karp.ErrNotFound) {
		t.Fatal(err)
	}
}

func TestVerify(t *testing.T) {
	b := builder(t)
	good(t, b.AddPod(pod("a", "1")))
	s := finish(t, b)
	d, err := s.Provision(context.Background(), nil)
	good(t, err)
	found, err := s.Verify(d)
	good(t, err)
	equal(t, "findings", len(found), 0)
	// The same plan for a cluster with another pod leaves that one out.
	c := builder(t)
	good(t, c.AddPod(pod("a", "1")))
	good(t, c.AddPod(pod("b", "1")))
	found, err = finish(t, c).Verify(d)
	good(t, err)
	equal(t, "findings", len(found), 1)
	equal(t, "finding", found[0].Code+" "+found[0].Object, "POD_MISSING pod default/b")
	d.Close()
	if _, err := s.Verify(d); !errors.Is(err, karp.ErrClosed) {
		t.Fatal(err)
	}
}
