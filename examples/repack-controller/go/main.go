// SPDX-License-Identifier: Apache-2.0

// A controller that carries out a repack plan, on a cluster of plain slices: each step is a command, validated when its time
// has come. A step that fails ends the plan, and the cluster as it is then gets a new one. It plays what ../c/main.c plays, and
// prints the same.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	karp "libkarp.dev/go"
)

const (
	allWell = iota
	noCapacity
	newPod
	mostPlans = 9
)

var profile = karp.Options{PlainKarp: true}

// ---- the cluster

type kind struct {
	name, cpu, memory string
	price             float64
}

var types = []kind{{"small", "2", "8Gi", 0.10}, {"medium", "4", "16Gi", 0.19}, {"large", "8", "32Gi", 0.36}}

type machine struct {
	name                       string
	kind                       int
	there, up, tainted, marked bool
}

type pod struct {
	name, cpu string
	node      int // -1 = it is pending
}

type cluster struct {
	machines   []machine
	pods       []pod
	soldOut    map[int]bool
	now        time.Time
	story      int
	stepsBegun int
	happened   bool
}

func typeNamed(name string) int {
	for i, t := range types {
		if t.name == name {
			return i
		}
	}
	return -1
}

// machineNamed is its number; -1 = it is not there.
func (c *cluster) machineNamed(name string) int {
	for i := range c.machines {
		if c.machines[i].there && c.machines[i].name == name {
			return i
		}
	}
	return -1
}

func (c *cluster) addMachine(prefix string, kind int, up bool) int {
	c.machines = append(c.machines, machine{name: fmt.Sprintf("%s-%02d", prefix, len(c.machines)), kind: kind, there: true, up: up})
	return len(c.machines) - 1
}

func (c *cluster) addPod(cpu string, node int) {
	c.pods = append(c.pods, pod{fmt.Sprintf("web-%02d", len(c.pods)), cpu, node})
}

// ---- what is watched

func in(key, value string) karp.Requirement {
	return karp.Requirement{Key: key, Op: karp.OpIn, Values: []string{value}}
}

func isTrue(types ...string) []karp.Condition {
	var out []karp.Condition
	for _, t := range types {
		out = append(out, karp.Condition{Type: t, Status: "True"})
	}
	return out
}

func capacity(t kind) []karp.Resource {
	return []karp.Resource{{Name: "cpu", Text: t.cpu}, {Name: "memory", Text: t.memory}, {Name: "pods", Text: "20"}}
}

func (c *cluster) sell(builder *karp.Builder) error {
	var list []karp.InstanceType
	where := []karp.Requirement{in("topology.kubernetes.io/zone", "a"), in("karpenter.sh/capacity-type", "on-demand")}
	for i, t := range types {
		list = append(list, karp.InstanceType{Name: t.name, Capacity: capacity(t),
			Requirements: append([]karp.Requirement{in("node.kubernetes.io/instance-type", t.name), in("kubernetes.io/arch", "amd64"),
				in("kubernetes.io/os", "linux")}, where...),
			Offerings: []karp.Offering{{Requirements: where, Price: t.price, Available: !c.soldOut[i]}}})
	}
	catalogue, err := karp.NewCatalogue(nil, list)
	if err != nil {
		return err
	}
	defer catalogue.Close()
	return builder.AddCatalogue(catalogue)
}

var class = karp.NodeClassRef{Group: "example.com", Kind: "ExampleNodeClass", Name: "default"}

func addPool(builder *karp.Builder) error {
	atOnce, never := time.Duration(0), karp.Never
	return builder.AddNodePool(&karp.NodePool{Meta: karp.Meta{Name: "default"}, NodeClass: class, ConsolidateAfter: &atOnce, ExpireAfter: &never,
		Conditions: isTrue("Ready", "ValidationSucceeded", "NodeClassReady"), Budgets: []karp.Budget{{Nodes: "2"}}})
}

func addMachine(builder *karp.Builder, m *machine) error {
	t, never := types[m.kind], karp.Never
	labels := map[string]string{"karpenter.sh/nodepool": "default", "topology.kubernetes.io/zone": "a",
		"karpenter.sh/capacity-type": "on-demand", "node.kubernetes.io/instance-type": t.name}
	conditions := isTrue("Launched")
	if m.up {
		conditions = isTrue("Launched", "Registered", "Initialized", "Consolidatable")
	}
	err := builder.AddNodeClaim(&karp.NodeClaim{Meta: karp.Meta{Name: m.name, Labels: labels}, ProviderID: m.name, NodeClass: class,
		Capacity: capacity(t), Allocatable: capacity(t), Conditions: conditions, ExpireAfter: &never})
	if err != nil || !m.up {
		return err
	}
	node := karp.Node{ProviderID: m.name, Capacity: capacity(t), Allocatable: capacity(t), Conditions: isTrue("Ready")}
	node.Meta = karp.Meta{Name: m.name, Labels: map[string]string{"kubernetes.io/hostname": m.name,
		"karpenter.sh/registered": "true", "karpenter.sh/initialized": "true"}}
	for key, value := range labels {
		node.Meta.Labels[key] = value
	}
	if m.tainted {
		node.Taints = []karp.Taint{{Key: "karpenter.sh/disrupted", Effect: "NoSchedule"}}
	}
	return builder.AddNode(&node)
}

func (c *cluster) addPods(builder *karp.Builder) error {
	for _, p := range c.pods {
		made := karp.Pod{Meta: karp.Meta{Name: p.name}, Phase: karp.PhaseRunning, Containers: []karp.Container{{Name: "main",
			Requests: []karp.Resource{{Name: "cpu", Text: p.cpu}, {Name: "memory", Text: "1Gi"}}}}}
		if p.node >= 0 {
			made.NodeName = c.machines[p.node].name
		} else {
			made.Phase = karp.PhasePending
			made.Conditions = []karp.Condition{{Type: "PodScheduled", Status: "False", Reason: "Unschedulable"}}
		}
		if err := builder.AddPod(&made); err != nil {
			return err
		}
	}
	return nil
}

// watch makes a snapshot of the cluster. A claim that was seen once is up the next time.
func (c *cluster) watch() (*karp.Snapshot, error) {
	builder, err := karp.NewBuilder(nil)
	if err != nil {
		return nil, err
	}
	defer builder.Close()
	if err := builder.SetNow(c.now); err != nil {
		return nil, err
	}
	if err := c.sell(builder); err != nil {
		return nil, err
	}
	if err := addPool(builder); err != nil {
		return nil, err
	}
	var states []karp.NodeState
	for i := range c.machines {
		m := &c.machines[i]
		if !m.there {
			continue
		}
		states = append(states, karp.NodeState{Name: m.name, MarkedForDeletion: m.marked})
		if err := addMachine(builder, m); err != nil {
			return nil, err
		}
		m.up = true
	}
	if err := c.addPods(builder); err != nil {
		return nil, err
	}
	if err := builder.SetNodeStates(states); err != nil {
		return nil, err
	}
	return builder.Finish()
}

// ---- what happens without the controller

func (c *cluster) bind(names []string, node int) {
	for _, name := range names {
		for i := range c.pods {
			if "default/"+c.pods[i].name == name {
				c.pods[i].node = node
			}
		}
	}
}

// bindPods gives pending pods the places that the scheduler finds, and what provisioning launches for them.
func (c *cluster) bindPods(ctx context.Context) error {
	snapshot, err := c.watch()
	if err != nil {
		return err
	}
	defer snapshot.Close()
	plan, err := snapshot.Provision(ctx, nil)
	if err != nil {
		return err
	}
	defer plan.Close()
	placements, err := plan.Placements()
	if err != nil {
		return err
	}
	for _, p := range placements {
		if m := c.machineNamed(p.Node); m >= 0 {
			c.bind(p.Pods, m)
		}
	}
	launches, err := plan.Launches()
	for _, l := range launches {
		m := c.addMachine("extra", typeNamed(l.Choice.InstanceType), true)
		c.bind(l.Pods, m)
		fmt.Printf("  provisioning launches %s for pending pods\n", c.machines[m].name)
	}
	return err
}

// meanwhile is what happens between decision and validation: in one of the stories a pod appears on a node of the third step.
func (c *cluster) meanwhile(s *karp.CommandState) {
	if c.story != newPod || c.happened || c.stepsBegun != 3 || s.Phase != karp.CommandPhaseValidating {
		return
	}
	if m := c.machineNamed(s.Nodes[0].Node); m >= 0 {
		c.addPod("1300m", m)
		c.happened = true
		fmt.Printf("    %s appears on %s\n", c.pods[len(c.pods)-1].name, c.machines[m].name)
	}
}

// create asks the cloud: in one of the stories it has no more nodes of the type that the third step launches first.
func (c *cluster) create(kind int) int {
	if c.story == noCapacity && !c.happened && c.stepsBegun >= 3 {
		c.soldOut[kind], c.happened = true, true
	}
	if c.soldOut[kind] {
		return -1
	}
	return c.addMachine("new", kind, false)
}

// ---- one step

func (c *cluster) launch(r *karp.Replacement, number uint32) karp.Observation {
	made := c.create(typeNamed(r.Choice.InstanceType))
	if made < 0 {
		fmt.Printf("    %s: insufficient capacity\n", r.Choice.InstanceType)
		return karp.Observation{Kind: karp.ObservedNotCreated, Number: number}
	}
	fmt.Printf("    launched %s, %s\n", c.machines[made].name, r.Choice.InstanceType)
	return karp.Observation{Kind: karp.ObservedCreated, Number: number, Object: c.machines[made].name}
}

func (c *cluster) remove(m int) {
	c.machines[m].there = false
	for i := range c.pods {
		if c.pods[i].node == m {
			c.pods[i].node = -1 // evicted; its owner makes it anew
		}
	}
	fmt.Printf("    deleted %s\n", c.machines[m].name)
}

// act carries out what a step advises. What could not be seen otherwise is told to the next one.
func (c *cluster) act(actions []karp.Action, s *karp.CommandState) (seen []karp.Observation) {
	for _, a := range actions {
		m := c.machineNamed(a.Object)
		switch {
		case a.Kind == karp.ActionCreateReplacement:
			seen = append(seen, c.launch(&s.Replacements[a.Number], uint32(a.Number)))
		case m < 0:
		case a.Kind == karp.ActionAddTaint || a.Kind == karp.ActionRemoveTaint:
			c.machines[m].tainted = a.Kind == karp.ActionAddTaint
		case a.Kind == karp.ActionMarkNode || a.Kind == karp.ActionUnmarkNode:
			c.machines[m].marked = a.Kind == karp.ActionMarkNode
		case a.Kind == karp.ActionDeleteClaim:
			c.remove(m)
		}
	}
	return seen
}

// next waits until it is time for the next step of the command, takes it, and does what it advises.
func (c *cluster) next(ctx context.Context, last *karp.Step, observed []karp.Observation) (*karp.Step, []karp.Observation, error) {
	state, err := last.State()
	if err != nil {
		return nil, nil, err
	}
	if again, err := last.LookAgain(); err == nil && again.After(c.now) {
		c.now = again
	}
	c.meanwhile(state)
	snapshot, err := c.watch()
	if err != nil {
		return nil, nil, err
	}
	defer snapshot.Close()
	step, err := snapshot.Step(ctx, last, &karp.DisruptOptions{Options: profile}, observed...)
	if err != nil {
		return nil, nil, err
	}
	actions, err := step.Actions()
	if err == nil {
		state, err = step.State()
	}
	if err != nil {
		return nil, nil, err
	}
	return step, c.act(actions, state), nil
}

// carryOut takes a step of the plan from its beginning to its end, done or given up. A real controller writes the state down
// after each step of the command.
func (c *cluster) carryOut(ctx context.Context, plan *karp.Decision, number int) (*karp.CommandState, error) {
	step, err := plan.Begin(number)
	if err != nil {
		return nil, err
	}
	defer func() { _ = step.Close() }()
	c.stepsBegun++
	var seen []karp.Observation
	for {
		state, err := step.State()
		if err != nil || state.Phase >= karp.CommandPhaseDone {
			return state, err
		}
		next, observed, err := c.next(ctx, step, seen)
		if err != nil {
			return nil, err
		}
		_ = step.Close()
		step, seen = next, observed
	}
}

// ---- the controller

// follow carries out the steps of the plan in their order, to the first that fails.
func (c *cluster) follow(ctx context.Context, plan *karp.Decision) error {
	steps, err := plan.Commands()
	if err != nil {
		return err
	}
	for i, s := range steps {
		fmt.Printf("  step %d of %d: %d nodes to remove, %d to launch, saves $%.2f/h\n", i+1, len(steps), len(s.Nodes),
			len(s.Replacements), s.Savings)
		state, err := c.carryOut(ctx, plan, i)
		if err != nil {
			return err
		}
		if state.Phase == karp.CommandPhaseGivenUp {
			fmt.Printf("    given up: %s; what is left is planned again\n", state.Reason)
			return c.bindPods(ctx)
		}
		if err := c.bindPods(ctx); err != nil {
			return err
		}
	}
	return nil
}

// plan makes a plan and follows it; 0 = there was nothing to do.
func (c *cluster) plan(ctx context.Context) (int, error) {
	snapshot, err := c.watch()
	if err != nil {
		return 0, err
	}
	defer snapshot.Close()
	plan, err := snapshot.Repack(ctx, &karp.RepackOptions{Options: profile})
	if err != nil {
		return 0, err
	}
	defer plan.Close()
	cost, err := plan.Repacking()
	if err != nil {
		return 0, err
	}
	fmt.Printf("  plan: %d steps, $%.2f/h to $%.2f/h\n", len(cost.Steps), cost.Before, cost.After)
	return len(cost.Steps), c.follow(ctx, plan)
}

func main() {
	for story, title := range []string{"Everything goes well", "No capacity for the launch of step 3", "A pod appears on a node of step 3"} {
		c := &cluster{soldOut: map[int]bool{}, now: time.Unix(1767225600, 0), story: story}
		for i := 0; i < 10; i++ {
			c.addPod("1300m", c.addMachine("old", i%2, true))
		}
		fmt.Println(title)
		for plans, steps := 0, 1; plans < mostPlans && steps > 0; plans++ {
			var err error
			if steps, err = c.plan(context.Background()); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
	}
}
