// SPDX-License-Identifier: Apache-2.0

//go:build cgo

package karp_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	karp "libkarp.dev/go"
)

func TestProvision(t *testing.T) {
	b := builder(t)
	good(t, b.SetNow(time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)))
	good(t, b.AddPod(pod("a", "1")))
	good(t, b.AddPod(pod("b", "2500m")))
	good(t, b.AddPod(pod("huge", "100")))
	s := finish(t, b)
	counts, err := s.Counts()
	good(t, err)
	equal(t, "counts", counts, karp.Counts{Pods: 3, PodsToPlace: 3, PodClasses: 3, NodePools: 1, InstanceTypes: 3, Offerings: 6})
	now, err := s.Now()
	good(t, err)
	equal(t, "clock", now, time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC))

	d, err := s.Provision(context.Background(), nil)
	good(t, err)
	launches, err := d.Launches()
	good(t, err)
	equal(t, "launches", len(launches), 1)
	l := launches[0]
	equal(t, "pods", strings.Join(l.Pods, " "), "default/a default/b")
	equal(t, "choice", l.Choice, karp.Choice{InstanceType: "m.4", Zone: "a", CapacityType: "on-demand", Price: 4})
	equal(t, "types", strings.Join(l.InstanceTypes, " "), "m.4 m.8")
	equal(t, "class", l.NodeClass, karp.NodeClassRef{Group: "karpenter.test", Kind: "TestNodeClass", Name: "default"})
	if !slices.Contains(l.Requests, karp.Resource{Name: "cpu", Text: "3500m"}) {
		t.Fatalf("requests: %v", l.Requests)
	}
	if l.ExpireAfter != nil || l.TerminationGracePeriod != nil {
		t.Fatalf("durations that nobody set: %v %v", l.ExpireAfter, l.TerminationGracePeriod)
	}
	left, err := d.Unschedulable()
	good(t, err)
	equal(t, "left", len(left), 1)
	equal(t, "left pod", left[0].Pod, "default/huge")
	equal(t, "left code", left[0].Code.String(), "TYPE_RESOURCES")
	equal(t, "permanent", left[0].Permanent, true)
	equal(t, "funnel", left[0].Pools[0].TypesStart, 3)
	summary, err := d.Summary()
	good(t, err)
	equal(t, "complete", summary.Complete, true)
	equal(t, "cost", summary.CostAfter, 4)
	equal(t, "launch count", summary.Launches, 1)
	hash, err := d.Hash()
	good(t, err)
	again, err := s.Provision(context.Background(), nil)
	good(t, err)
	defer again.Close()
	same, err := again.Hash()
	good(t, err)
	equal(t, "hash", same, hash)
	equal(t, "digits", len(hash), 64)
}

// What was read stays valid when everything is closed.
func TestOutlives(t *testing.T) {
	b := builder(t)
	good(t, b.AddPod(pod("a", "1")))
	s := finish(t, b)
	d, err := s.Provision(context.Background(), nil)
	good(t, err)
	s.Close()
	b.Close()
	launches, err := d.Launches()
	good(t, err)
	d.Close()
	equal(t, "pod", launches[0].Pods[0], "default/a")
}

func TestClosed(t *testing.T) {
	catalogue, err := karp.NewCatalogue(nil, instanceTypes())
	good(t, err)
	b := builder(t)
	s := finish(t, b)
	d, err := s.Provision(context.Background(), nil)
	good(t, err)
	for range 2 {
		catalogue.Close()
		b.Close()
		s.Close()
		d.Close()
	}
	calls := map[string]func() error{
		"pod":       func() error { return b.AddPod(pod("a", "1")) },
		"now":       func() error { return b.SetNow(time.Unix(0, 0)) },
		"finish":    func() error { _, err := b.Finish(); return err },
		"settings":  func() error { return b.SetSettings(&karp.Settings{}) },
		"provision": func() error { _, err := s.Provision(context.Background(), nil); return err },
		"disrupt":   func() error { _, err := s.Disrupt(context.Background(), nil); return err },
		"what if":   func() error { _, err := s.WhatIf(context.Background(), nil, karp.LoseZone("a")); return err },
		"counts":    func() error { _, err := s.Counts(); return err },
		"launches":  func() error { _, err := d.Launches(); return err },
		"summary":   func() error { _, err := d.Summary(); return err },
		"hash":      func() error { _, err := d.Hash(); return err },
		"warnings":  func() error { _, err := d.Warnings(); return err },
	}
	for name, call := range calls {
		if err := call(); !errors.Is(err, karp.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	fresh, err := karp.NewBuilder(nil)
	good(t, err)
	defer fresh.Close()
	if err := fresh.AddCatalogue(catalogue); !errors.Is(err, karp.ErrClosed) {
		t.Errorf("catalogue: %v", err)
	}
	equal(t, "types of a closed catalogue", catalogue.Len(), 0)
}

func TestErrors(t *testing.T) {
	b := builder(t)
	bad := pod("a", "1")
	bad.Containers[0].Requests[0].Text = "many"
	err := b.AddPod(bad)
	var e *karp.Error
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	equal(t, "status", e.Status, karp.ErrInvalid)
	equal(t, "object", e.Object, "Pod default/a")
	equal(t, "field", e.Field, `spec.containers[0].resources.requests["cpu"]`)
	if !errors.Is(err, karp.ErrInvalid) || errors.Is(err, karp.ErrLimit) || !strings.Contains(err.Error(), "Pod default/a: spec.containers[0]") {
		t.Fatal(err)
	}
	good(t, b.AddPod(pod("a", "1")))
	if err := b.AddPod(pod("a", "1")); !errors.Is(err, karp.ErrDuplicate) {
		t.Fatal(err)
	}
	if err := b.AddPod(nil); !errors.Is(err, karp.ErrInvalid) {
		t.Fatal(err)
	}
	late := pod("b", "1")
	late.StartTime = time.Date(3000, 1, 1, 0, 0, 0, 0, time.UTC)
	if err := b.AddPod(late); !errors.Is(err, karp.ErrRange) {
		t.Fatal(err)
	}
	if err := b.SetNow(time.Date(1000, 1, 1, 0, 0, 0, 0, time.UTC)); !errors.Is(err, karp.ErrRange) {
		t.Fatal(err)
	}
	if _, err := karp.NewCatalogue(&karp.Limits{MaxInstanceTypes: 1}, instanceTypes()); !errors.Is(err, karp.ErrLimit) {
		t.Fatal(err)
	}
	s := finish(t, b)
	if _, err := s.WhatIf(context.Background(), nil, karp.RemoveNode("nobody")); !errors.Is(err, karp.ErrNotFound) {
		t.Fatal(err)
	}
	if _, err := s.Provision(context.Background(), &karp.Options{Explain: 99}); !errors.Is(err, karp.ErrInvalid) {
		t.Fatal(err)
	}
}

func TestLimit(t *testing.T) {
	b, err := karp.NewBuilder(&karp.Limits{MaxPods: 2})
	good(t, err)
	defer b.Close()
	good(t, b.AddPod(pod("a", "1")))
	good(t, b.AddPod(pod("b", "1")))
	if err := b.AddPod(pod("c", "1")); !errors.Is(err, karp.ErrLimit) {
		t.Fatal(err)
	}
}

func TestCancel(t *testing.T) {
	b := builder(t)
	for i := range 3000 {
		p := pod(fmt.Sprintf("p%d", i), fmt.Sprintf("%dm", 100+i))
		p.Spread = []karp.SpreadConstraint{{TopologyKey: "kubernetes.io/hostname", MaxSkew: 1,
			LabelSelector: &karp.Selector{MatchLabels: map[string]string{"app": "web"}}}}
		good(t, b.AddPod(p))
	}
	s := finish(t, b)
	reason := errors.New("not needed any more")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(reason)
	_, err := s.Provision(ctx, nil)
	if !errors.Is(err, karp.ErrCanceled) || !errors.Is(err, reason) {
		t.Fatal(err)
	}
	// In the middle: sooner or later a context ends while a decision is being made, however busy the machine is.
	for err = nil; err == nil; {
		short, end := context.WithTimeout(context.Background(), time.Millisecond)
		_, err = s.Provision(short, nil)
		end()
	}
	if !errors.Is(err, karp.ErrCanceled) || !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	// A budget in steps stops at the same place every time; no context is to blame.
	_, err = s.Provision(context.Background(), &karp.Options{MaxSteps: 10})
	if !errors.Is(err, karp.ErrCanceled) || errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	d, err := s.Provision(ctx, &karp.Options{KeepPartial: true})
	good(t, err)
	defer d.Close()
	summary, err := d.Summary()
	good(t, err)
	equal(t, "complete", summary.Complete, false)
	// A context that ends later, or never, changes nothing.
	live, stop := context.WithTimeout(context.Background(), time.Hour)
	defer stop()
	d, err = s.Provision(live, nil)
	good(t, err)
	d.Close()
	d, err = s.Provision(nil, nil) //nolint:staticcheck // a nil context is allowed
	good(t, err)
	d.Close()
}

// Many goroutines decide on one snapshot while it is being closed: each gets its decision, or ErrClosed.
func TestShared(t *testing.T) {
	b := builder(t)
	for i := range 50 {
		good(t, b.AddPod(pod(fmt.Sprintf("p%02d", i), "700m")))
	}
	s := finish(t, b)
	first, err := s.Provision(context.Background(), nil)
	good(t, err)
	want, err := first.Launches()
	good(t, err)
	var wait sync.WaitGroup
	for range 8 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for range 5 {
				d, err := s.Provision(context.Background(), nil)
				if errors.Is(err, karp.ErrClosed) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				got, err := d.Launches()
				if err != nil || len(got) != len(want) || got[0].Pods[0] != want[0].Pods[0] {
					t.Error("another decision", err)
				}
				d.Close()
			}
		}()
	}
	time.Sleep(2 * time.Millisecond)
	s.Close()
	wait.Wait()
}

// A builder's calls wait for each other.
func TestBuilderShared(t *testing.T) {
	b := builder(t)
	var wait sync.WaitGroup
	for g := range 4 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := range 100 {
				if err := b.AddPod(pod(fmt.Sprintf("p%d-%d", g, i), "1")); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wait.Wait()
	counts, err := finish(t, b).Counts()
	good(t, err)
	equal(t, "pods", counts.Pods, 400)
}

// What nobody closes is freed with its owner.
func TestCollected(t *testing.T) {
	for range 50 {
		b, err := karp.NewBuilder(nil)
		good(t, err)
		catalogue, err := karp.NewCatalogue(nil, instanceTypes())
		good(t, err)
		good(t, b.AddCatalogue(catalogue))
		good(t, b.AddNodePool(pool("default")))
		good(t, b.AddPod(pod("a", "1")))
		s, err := b.Finish()
		good(t, err)
		if _, err := s.Provision(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	runtime.GC()
}

func TestWhatIf(t *testing.T) {
	b := builder(t)
	good(t, b.AddPod(pod("a", "1")))
	s := finish(t, b)
	d, err := s.WhatIf(context.Background(), nil, karp.LoseZone("a"), karp.ScalePrice("on-demand", 2))
	good(t, err)
	defer d.Close()
	launches, err := d.Launches()
	good(t, err)
	equal(t, "choice", launches[0].Choice, karp.Choice{InstanceType: "m.2", Zone: "b", CapacityType: "on-demand", Price: 4.4})
	warnings, err := d.Warnings()
	good(t, err)
	equal(t, "notes", len(warnings), 2)
}

func running(name, claim string, created time.Time) (*karp.NodeClaim, *karp.Node) {
	labels := map[string]string{"karpenter.sh/nodepool": "default", "node.kubernetes.io/instance-type": "m.8", "topology.kubernetes.io/zone": "a",
		"karpenter.sh/capacity-type": "on-demand", "kubernetes.io/hostname": name, "karpenter.sh/initialized": "true",
		"karpenter.sh/registered": "true", "kubernetes.io/arch": "amd64"}
	room := []karp.Resource{{Name: "cpu", Value: 8}, {Name: "memory", Text: "32Gi"}, {Name: "pods", Value: 20}}
	conditions := []karp.Condition{}
	for _, t := range []string{"Launched", "Registered", "Initialized", "Consolidatable"} {
		conditions = append(conditions, karp.Condition{Type: t, Status: "True", LastTransition: created})
	}
	return &karp.NodeClaim{Meta: karp.Meta{Name: claim, Labels: labels, Created: created}, ProviderID: "test://" + name, Capacity: room,
			Allocatable: room, Conditions: conditions, NodeClass: karp.NodeClassRef{Group: "karpenter.test", Kind: "TestNodeClass", Name: "default"}},
		&karp.Node{Meta: karp.Meta{Name: name, Labels: labels, Created: created}, ProviderID: "test://" + name, Capacity: room, Allocatable: room,
			Conditions: []karp.Condition{{Type: "Ready", Status: "True"}}}
}

func TestDisrupt(t *testing.T) {
	b := builder(t)
	now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	good(t, b.SetNow(now))
	claim, node := running("n1", "default-1", now.Add(-time.Hour))
	good(t, b.AddNodeClaim(claim))
	good(t, b.AddNode(node))
	s := finish(t, b)
	d, err := s.Disrupt(context.Background(), &karp.DisruptOptions{Method: karp.MethodEmptiness})
	good(t, err)
	defer d.Close()
	kept, err := d.Kept()
	good(t, err)
	commands, err := d.Commands()
	good(t, err)
	equal(t, "commands", len(commands), 1)
	equal(t, "nodes", strings.Join(commands[0].Nodes, " "), "n1")
	equal(t, "method", commands[0].Method, "Emptiness")
	equal(t, "kept", len(kept), 0)
	// A node in a command that is being carried out stays.
	d, err = s.Disrupt(context.Background(), &karp.DisruptOptions{Method: karp.MethodEmptiness, InProgress: []string{"n1"}})
	good(t, err)
	defer d.Close()
	kept, err = d.Kept()
	good(t, err)
	equal(t, "kept code", kept[0].Code.String(), "IN_QUEUE")
}

func TestVersion(t *testing.T) {
	if !strings.HasPrefix(karp.Version(), "1.") {
		t.Fatal(karp.Version())
	}
}

// What is remembered from pod to pod is what the next pod says, also when its map is the same one, changed.
func TestRemembers(t *testing.T) {
	b := builder(t)
	selector := map[string]string{}
	for i, zone := range []string{"a", "a", "b", "a", "b", "b"} {
		selector["topology.kubernetes.io/zone"] = zone
		p := pod(fmt.Sprintf("p%d", i), "100m")
		p.NodeSelector = selector
		good(t, b.AddPod(p))
	}
	clear(selector)
	selector["kubernetes.io/arch"] = "amd64"
	last := pod("p6", "1500m")
	last.NodeSelector = selector
	good(t, b.AddPod(last))
	d, err := finish(t, b).Provision(context.Background(), nil)
	good(t, err)
	defer d.Close()
	launches, err := d.Launches()
	good(t, err)
	got := map[string]string{}
	for _, l := range launches {
		got[l.Choice.Zone] = strings.Join(l.Pods, " ")
	}
	equal(t, "zone a", got["a"], "default/p0 default/p1 default/p3 default/p6")
	equal(t, "zone b", got["b"], "default/p2 default/p4 default/p5")
}

// An edited snapshot decides as one built afresh.
func TestEdit(t *testing.T) {
	b := builder(t)
	good(t, b.AddPod(pod("a", "1")))
	good(t, b.AddPod(pod("b", "1")))
	first := finish(t, b)
	edited, err := first.Edit()
	good(t, err)
	defer edited.Close()
	first.Close()
	good(t, edited.Remove("Pod", "", "a"))
	good(t, edited.AddPod(pod("c", "7")))
	if err := edited.Remove("Pod", "", "a"); !errors.Is(err, karp.ErrNotFound) {
		t.Fatal(err)
	}
	fresh := builder(t)
	good(t, fresh.AddPod(pod("b", "1")))
	good(t, fresh.AddPod(pod("c", "7")))
	equal(t, "hash", hashOf(t, edited, (*karp.Snapshot).Provision), hashOf(t, fresh, (*karp.Snapshot).Provision))
	if _, err := first.Edit(); !errors.Is(err, karp.ErrClosed) {
		t.Fatal(err)
	}
}

// The hash of what a question decides of the builder's snapshot.
func hashOf[O any](t *testing.T, b *karp.Builder, decide func(*karp.Snapshot, context.Context, *O) (*karp.Decision, error)) string {
	t.Helper()
	d, err := decide(finish(t, b), context.Background(), nil)
	good(t, err)
	defer d.Close()
	hash, err := d.Hash()
	good(t, err)
	return hash
}

// A NodeClaim with another status is the one that AddNodeClaim adds with it.
func TestNodeClaimStatus(t *testing.T) {
	claim := &karp.NodeClaim{Meta: karp.Meta{Name: "n"}, ProviderID: "n"}
	status := &karp.NodeClaimStatus{
		Conditions: []karp.Condition{{Type: "Drifted", Status: "True"}}, Deleted: time.Unix(1, 0), LastPodEvent: time.Unix(2, 0)}
	b := builder(t)
	good(t, b.AddNodeClaim(claim))
	good(t, b.SetNodeClaimStatus("n", status))
	if err := b.SetNodeClaimStatus("m", status); !errors.Is(err, karp.ErrNotFound) {
		t.Fatal(err)
	}
	if err := b.SetNodeClaimStatus("n", nil); !errors.Is(err, karp.ErrInvalid) {
		t.Fatal(err)
	}
	fresh := builder(t)
	claim.Conditions, claim.Meta.Deleted, claim.LastPodEvent = status.Conditions, status.Deleted, status.LastPodEvent
	good(t, fresh.AddNodeClaim(claim))
	equal(t, "hash", hashOf(t, b, (*karp.Snapshot).Disrupt), hashOf(t, fresh, (*karp.Snapshot).Disrupt))
}

// Pods of a template are the pods that AddPod adds.
func TestTemplates(t *testing.T) {
	decide := func(add func(b *karp.Builder, pods []*karp.Pod)) string {
		b := builder(t)
		var pods []*karp.Pod
		for i := range 5 {
			p := pod(fmt.Sprintf("p-%d", i), "1500m")
			p.Meta.UID, p.Meta.Created = "u", time.Unix(1780000000+int64(i), 0)
			if i == 4 {
				p.Conditions, p.NodeName, p.Phase = nil, "gone", karp.PhaseRunning
			}
			pods = append(pods, p)
		}
		add(b, pods)
		d, err := finish(t, b).Provision(context.Background(), nil)
		good(t, err)
		defer d.Close()
		hash, err := d.Hash()
		good(t, err)
		launches, err := d.Launches()
		good(t, err)
		return fmt.Sprint(hash, launches)
	}
	whole := decide(func(b *karp.Builder, pods []*karp.Pod) {
		for _, p := range pods {
			good(t, b.AddPod(p))
		}
	})
	templated := decide(func(b *karp.Builder, pods []*karp.Pod) {
		template, err := b.AddPodTemplate(pods[0])
		good(t, err)
		for _, p := range pods {
			good(t, b.AddTemplatedPod(template, &karp.TemplatedPod{Name: p.Meta.Name, UID: p.Meta.UID, Created: p.Meta.Created,
				NodeName: p.NodeName, Phase: p.Phase, Conditions: p.Conditions}))
		}
	})
	equal(t, "decision", templated, whole)
	if !strings.Contains(whole, "default/p-3") {
		t.Fatal(whole)
	}
}

func TestTemplatesRefused(t *testing.T) {
	b, other := builder(t), builder(t)
	template, err := b.AddPodTemplate(pod("", "1"))
	good(t, err)
	own := &karp.TemplatedPod{Name: "a"}
	for name, wrong := range map[string]struct {
		err  error
		want error
	}{
		"another builder's":  {other.AddTemplatedPod(template, own), karp.ErrNotFound},
		"none":               {b.AddTemplatedPod(karp.PodTemplate{}, own), karp.ErrNotFound},
		"no pod":             {b.AddTemplatedPod(template, nil), karp.ErrInvalid},
		"no name":            {b.AddTemplatedPod(template, &karp.TemplatedPod{}), karp.ErrInvalid},
		"a time out of mind": {b.AddTemplatedPod(template, &karp.TemplatedPod{Name: "a", Created: time.Date(1600, 1, 1, 0, 0, 0, 0, time.UTC)}), karp.ErrRange},
	} {
		if !errors.Is(wrong.err, wrong.want) {
			t.Errorf("%s: %v", name, wrong.err)
		}
	}
	ephemeral := pod("", "1")
	ephemeral.Volumes = []karp.PodVolume{{Name: "v", Kind: karp.VolumeEphemeral}}
	if _, err := b.AddPodTemplate(ephemeral); !errors.Is(err, karp.ErrInvalid) {
		t.Error(err)
	}
	good(t, b.AddTemplatedPod(template, own))
	finish(t, b)
	if err := b.AddTemplatedPod(template, own); !errors.Is(err, karp.ErrNotFound) {
		t.Error("after Finish:", err)
	}
	b.Close()
	if err := b.AddTemplatedPod(template, own); !errors.Is(err, karp.ErrClosed) {
		t.Error(err)
	}
}
