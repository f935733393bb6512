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

func TestFit(t *testing.T) {
	request := &karp.FitRequest{
		Types: []karp.FitType{{Name: "small", Resources: amounts("4", "16Gi"), Price: 0.2, Labels: map[string]string{"disk": "ssd"}},
			{Name: "large", Resources: amounts("16", "64Gi"), Price: 0.6, MaxNodes: 1}},
		Nodes: []karp.FitNode{{Name: "old", Free: amounts("1", "2Gi"), Count: 2}},
		Demands: []karp.FitDemand{{Requests: amounts("1", "2Gi"), Count: 6},
			{Requests: amounts("3", "4Gi"), Count: 2, Selector: &karp.Selector{MatchLabels: map[string]string{"disk": "ssd"}}},
			{Requests: amounts("100", "1Gi"), Count: 1}},
	}
	fitting, err := karp.Fit(context.Background(), nil, request)
	good(t, err)
	equal(t, "types", len(fitting.Launches), 2)
	equal(t, "left", len(fitting.Left), 1)
	equal(t, "reason", fitting.Left[0], karp.FitLeft{Copies: 1, Demand: 2, Reason: "TOO_LARGE", Permanent: true})
	placed := make([]uint64, len(request.Demands))
	for _, load := range fitting.Loads {
		for _, share := range load.Shares {
			placed[share.Demand] += share.Copies * load.Nodes
		}
	}
	equal(t, "first demand", placed[0], uint64(6))
	equal(t, "second demand", placed[1], uint64(2))
	equal(t, "cost", fitting.Cost, 0.2*float64(fitting.Launches[0])+0.6*float64(fitting.Launches[1]))

	request.Demands[0].Requests = []karp.Resource{{Name: "cpu", Text: "much"}}
	if _, err := karp.Fit(context.Background(), nil, request); !errors.Is(err, karp.ErrInvalid) && !errors.Is(err, karp.ErrSyntax) {
		t.Error("a quantity that is none:", err)
	}
	if _, err := karp.Fit(context.Background(), nil, nil); !errors.Is(err, karp.ErrInvalid) {
		t.Error("nil:", err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	request.Demands[0].Requests = amounts("1", "2Gi")
	if _, err := karp.Fit(ended, nil, request); !errors.Is(err, karp.ErrCanceled) || !errors.Is(err, context.Canceled) {
		t.Error("cancelled:", err)
	}
}

// emptyNode is a cluster with one node that has no pods, and can be removed.
func emptyNode(t *testing.T, now time.Time) *karp.Snapshot {
	b := builder(t)
	claim, node := running("idle", "claim-1", now.Add(-time.Hour))
	good(t, b.SetNow(now))
	good(t, b.AddNodeClaim(claim))
	good(t, b.AddNode(node))
	return finish(t, b)
}

func TestMemory(t *testing.T) {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	s := emptyNode(t, now)
	first, err := s.Disrupt(context.Background(), &karp.DisruptOptions{Memory: new(karp.Memory)})
	good(t, err)
	left, err := first.Memory()
	good(t, err)
	if left.Seen == 0 {
		t.Error("the pass has seen nothing")
	}
	second, err := s.Disrupt(context.Background(), &karp.DisruptOptions{Memory: left})
	good(t, err)
	again, err := second.Memory()
	good(t, err)
	equal(t, "seen", again.Seen, left.Seen)
	left.Changed = time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC)
	if _, err := s.Disrupt(context.Background(), &karp.DisruptOptions{Memory: left}); !errors.Is(err, karp.ErrRange) && !errors.Is(err, karp.ErrInvalid) {
		t.Error("an instant beyond what can be told:", err)
	}
	plan, err := s.Provision(context.Background(), nil)
	good(t, err)
	if _, err := plan.Memory(); err == nil {
		t.Error("a plan has a memory")
	}
}

// A node is deleted, step by step.
func TestCommand(t *testing.T) {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	s := emptyNode(t, now)
	d, err := s.Disrupt(context.Background(), nil)
	good(t, err)
	commands, err := d.Commands()
	good(t, err)
	equal(t, "commands", len(commands), 1)
	step, err := d.Begin(0)
	good(t, err)
	defer step.Close()
	state, err := step.State()
	good(t, err)
	equal(t, "phase", state.PhaseName, "Validating")
	equal(t, "node", state.Nodes[0], karp.CommandNode{Node: "idle", Claim: "claim-1"})
	due, err := step.LookAgain()
	good(t, err)
	if !due.Equal(state.ValidateAt) || !due.After(now) {
		t.Error("due", due, "validated", state.ValidateAt)
	}
	later := emptyNode(t, due)
	seen := map[uint32]bool{}
	for range 5 {
		if step, err = later.Step(context.Background(), step, nil); err != nil {
			t.Fatal(err)
		}
		actions, err := step.Actions()
		good(t, err)
		for _, action := range actions {
			seen[action.Kind] = true
		}
		if finished, _ := step.Finished(); finished {
			break
		}
	}
	state, err = step.State()
	good(t, err)
	equal(t, "last phase", state.PhaseName, "Done")
	for _, kind := range []uint32{karp.ActionAddTaint, karp.ActionMarkNode, karp.ActionDeleteClaim} {
		equal(t, "action", seen[kind], true)
	}
	if _, err := d.Begin(1); !errors.Is(err, karp.ErrNotFound) {
		t.Error("no such command:", err)
	}
	if _, err := d.Begin(-1); !errors.Is(err, karp.ErrNotFound) {
		t.Error("no such command:", err)
	}
	if _, err := s.Step(context.Background(), step, nil, karp.Observation{Kind: 99}); !errors.Is(err, karp.ErrInvalid) {
		t.Error("no such observation:", err)
	}
	good(t, step.Close())
	good(t, step.Close())
	if _, err := step.State(); !errors.Is(err, karp.ErrClosed) {
		t.Error("closed:", err)
	}
}

// With Cost the nodes of the rules are bought anew, and the figures say how cheap it could be.
func TestFitForCost(t *testing.T) {
	request := &karp.FitRequest{
		Types: []karp.FitType{{Name: "large", Resources: amounts("10", "64Gi"), Price: 10}, {Name: "small", Resources: amounts("7", "64Gi"), Price: 6.5},
			{Name: "four", Resources: amounts("4", "64Gi"), Price: 4.5}},
		Demands: []karp.FitDemand{{Requests: amounts("4", "1Gi"), Count: 6}, {Requests: amounts("3", "1Gi"), Count: 6}},
	}
	rules, err := karp.Fit(context.Background(), nil, request)
	good(t, err)
	equal(t, "figures of the rules", rules.Figures == nil, true)
	request.Cost, request.Effort = true, 10000
	found, err := karp.Fit(context.Background(), nil, request)
	good(t, err)
	equal(t, "nodes", found.Launches[1], uint64(6))
	equal(t, "cost", found.Cost, found.Figures.Cost)
	equal(t, "rules", found.Figures.CompatibleCost, rules.Cost)
	equal(t, "order", found.Figures.Bound > 0 && found.Figures.Bound <= found.Cost && found.Cost <= rules.Cost, true)
}
