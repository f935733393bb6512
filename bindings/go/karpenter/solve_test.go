// SPDX-License-Identifier: Apache-2.0

package karpenter

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	karpsched "sigs.k8s.io/karpenter/pkg/scheduling"
)

type silent struct{}

func (silent) Publish(...events.Event) {}

type noCloud struct{ cloudprovider.CloudProvider }

func (noCloud) RepairPolicies() []cloudprovider.RepairPolicy { return nil }

func withOptions(t testing.TB) context.Context {
	return options.ToContext(context.Background(), &options.Options{IgnoreDRARequests: true, MinValuesPolicy: options.MinValuesPolicyStrict,
		PreferencePolicy: options.PreferencePolicyRespect, FeatureGates: options.FeatureGates{ReservedCapacity: true}})
}

func instanceTypes() []*cloudprovider.InstanceType {
	var out []*cloudprovider.InstanceType
	for i := range 12 {
		cores := int64(1) << (i % 6)
		name := fmt.Sprintf("t%d", i)
		one := &cloudprovider.InstanceType{Name: name, Overhead: &cloudprovider.InstanceTypeOverhead{},
			Requirements: karpsched.NewRequirements(karpsched.NewRequirement(corev1.LabelInstanceTypeStable, corev1.NodeSelectorOpIn, name),
				karpsched.NewRequirement(corev1.LabelTopologyZone, corev1.NodeSelectorOpIn, "a", "b", "c"),
				karpsched.NewRequirement(v1.CapacityTypeLabelKey, corev1.NodeSelectorOpIn, "on-demand", "spot")),
			Capacity: corev1.ResourceList{"cpu": *resource.NewQuantity(cores, resource.DecimalSI), "pods": *resource.NewQuantity(20, resource.DecimalSI),
				"memory": *resource.NewQuantity(cores<<(31+i/6), resource.BinarySI)}}
		for z, zone := range []string{"a", "b", "c"} {
			for k, kind := range []string{"on-demand", "spot"} {
				one.Offerings = append(one.Offerings, &cloudprovider.Offering{Price: float64(cores) * (0.05 + 0.001*float64(z) - 0.02*float64(k) + 0.007*float64(i/6)),
					Available: (i+z+k)%5 != 0, Requirements: karpsched.NewRequirements(karpsched.NewRequirement(corev1.LabelTopologyZone, corev1.NodeSelectorOpIn, zone),
						karpsched.NewRequirement(v1.CapacityTypeLabelKey, corev1.NodeSelectorOpIn, kind))})
			}
		}
		out = append(out, one)
	}
	return out
}

func nodePool(name string, weight int32) *v1.NodePool {
	pool := &v1.NodePool{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)}}
	pool.Spec.Weight = &weight
	pool.Spec.Template.Spec.NodeClassRef = &v1.NodeClassReference{Group: "example.test", Kind: "NodeClass", Name: "default"}
	return pool
}

// randomPods are pods of several workloads: selectors, spread, affinity, anti-affinity, and some that fit nowhere.
func randomPods(rnd *rand.Rand, count int) []*corev1.Pod {
	var out []*corev1.Pod
	for i := range count {
		app := fmt.Sprintf("app-%d", rnd.IntN(5))
		selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprintf("p-%03d", i), UID: types.UID(fmt.Sprintf("u-%03d", i)),
			Labels: map[string]string{"app": app}, CreationTimestamp: when}, Status: corev1.PodStatus{Phase: corev1.PodPending}}
		pod.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
			"cpu": *resource.NewMilliQuantity(100*int64(1+rnd.IntN(40)), resource.DecimalSI), "memory": *resource.NewQuantity(int64(1+rnd.IntN(16))<<28, resource.BinarySI)}}}}
		switch app {
		case "app-0":
			pod.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: corev1.LabelHostname, LabelSelector: selector,
				WhenUnsatisfiable: corev1.DoNotSchedule}}
		case "app-1":
			pod.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{
				{TopologyKey: corev1.LabelHostname, LabelSelector: selector}}}}
		case "app-2":
			pod.Spec.NodeSelector = map[string]string{corev1.LabelTopologyZone: string('a' + rune(rnd.IntN(4)))} // there is no zone d
		}
		out = append(out, pod)
	}
	return out
}

func describe(results *scheduling.Results) string {
	var lines []string
	names := func(pods []*corev1.Pod) string {
		var out []string
		for _, p := range pods {
			out = append(out, p.Name)
		}
		slices.Sort(out)
		return strings.Join(out, " ")
	}
	for _, claim := range results.NewNodeClaims {
		var options []string
		for _, t := range claim.InstanceTypeOptions {
			options = append(options, t.Name)
		}
		slices.Sort(options)
		lines = append(lines, fmt.Sprint("new ", claim.NodePoolName, " [", names(claim.Pods), "] ", options, " ", claim.Requirements.String(), " ",
			claim.Spec.Resources.Requests.Cpu(), " ", claim.Spec.Resources.Requests.Memory(), " ", claim.Annotations))
	}
	for _, node := range results.ExistingNodes {
		lines = append(lines, fmt.Sprint("node ", node.Name(), " [", names(node.Pods), "]"))
	}
	for pod := range results.PodErrors {
		lines = append(lines, "left "+pod.Name)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

type peer struct {
	in      *Input
	cluster *state.Cluster
	clock   *clocktesting.FakeClock
}

func newPeer(t testing.TB, ctx context.Context, objects ...client.Object) *peer {
	scheme := fake.NewClientBuilder().Build().Scheme()
	good(t, resourcev1.AddToScheme(scheme))
	clock := clocktesting.NewFakeClock(time.Date(2026, 6, 1, 13, 0, 0, 0, time.UTC))
	kube := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).
		WithIndex(&corev1.Pod{}, "spec.nodeName", func(o client.Object) []string { return []string{o.(*corev1.Pod).Spec.NodeName} }).Build()
	p := &peer{clock: clock, cluster: state.NewCluster(clock, kube, noCloud{})}
	for _, o := range objects {
		switch o := o.(type) {
		case *corev1.Node:
			good(t, p.cluster.UpdateNode(ctx, o))
		case *corev1.Pod:
			good(t, p.cluster.UpdatePod(ctx, o))
		}
	}
	p.in = &Input{Client: kube, NodePools: []*v1.NodePool{nodePool("heavy", 9), nodePool("light", 0)}, Clock: clock, MinValuesPolicy: options.MinValuesPolicyStrict,
		InstanceTypes: map[string][]*cloudprovider.InstanceType{"heavy": instanceTypes()[:4], "light": instanceTypes()}}
	p.in.NodePools[0].Spec.Limits = v1.Limits{"cpu": resource.MustParse("24")}
	return p
}

// solve is Karpenter's own answer.
func (p *peer) solve(t testing.TB, ctx context.Context, pods []*corev1.Pod) scheduling.Results {
	nodes := []*state.StateNode(p.cluster.DeepCopyNodes())
	how := []scheduling.Options{scheduling.DisableReservedCapacityFallback, scheduling.MinValuesPolicy(options.MinValuesPolicyStrict)}
	topology, err := scheduling.NewTopology(ctx, p.in.Client, p.cluster, nodes, p.in.NodePools, p.in.InstanceTypes, pods, how...)
	good(t, err)
	s := scheduling.NewScheduler(ctx, p.in.Client, p.in.NodePools, p.cluster, nodes, topology, p.in.InstanceTypes, p.in.DaemonSetPods, silent{}, p.clock, nil, nil, how...)
	out, err := s.Solve(ctx, pods)
	good(t, err)
	return out
}

func node(name, zone string) *corev1.Node {
	room := corev1.ResourceList{"cpu": resource.MustParse("8"), "memory": resource.MustParse("16Gi"), "pods": resource.MustParse("20")}
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Labels: map[string]string{corev1.LabelHostname: name, corev1.LabelTopologyZone: zone}},
		Spec: corev1.NodeSpec{ProviderID: "p://" + name}, Status: corev1.NodeStatus{Capacity: room, Allocatable: room,
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}}}
}

// TestAsKarpenter compares whole results with those of Karpenter's scheduler on worlds where no order of a map decides.
func TestAsKarpenter(t *testing.T) {
	ctx := withOptions(t)
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 57))
		bound := randomPods(rnd, 4)
		for i, pod := range bound {
			pod.Name, pod.UID, pod.Spec.NodeName, pod.Status.Phase = fmt.Sprintf("bound-%d", i), types.UID(fmt.Sprint("b-", i)), "n-1", corev1.PodRunning
			pod.Spec.Containers[0].Resources.Requests = corev1.ResourceList{"cpu": resource.MustParse("500m"), "memory": resource.MustParse("512Mi")}
			pod.Spec.NodeSelector, pod.Spec.Affinity = nil, nil
		}
		p := newPeer(t, ctx, node("n-1", "a"), node("n-2", "b"), bound[0], bound[1], bound[2], bound[3])
		p.in.StateNodes = p.cluster.DeepCopyNodes()
		daemon := randomPods(rnd, 1)[0]
		daemon.Spec.NodeSelector, daemon.Spec.Affinity, daemon.Spec.TopologySpreadConstraints = nil, nil, nil
		p.in.DaemonSetPods = []*corev1.Pod{daemon}
		pods := randomPods(rnd, 10+rnd.IntN(60))
		wanted := p.solve(t, ctx, slices.Clone(pods))
		got, err := Solve(ctx, p.in, pods)
		good(t, err)
		if a, b := describe(&got), describe(&wanted); a != b {
			t.Fatalf("seed %d: libkarp decides\n%s\nand Karpenter\n%s", seed, a, b)
		}
		for i, claim := range got.NewNodeClaims { // the objects to create, but for the order of equals
			if claim.ToNodeClaim().GenerateName != claim.NodePoolName+"-" || len(claim.Pods) == 0 {
				t.Errorf("claim %d: %+v", i, claim)
			}
		}
	}
}

// plainRequirements are without an order, as Karpenter has them from maps.
func plainRequirements(from []v1.NodeSelectorRequirementWithMinValues) []string {
	var out []string
	for _, r := range from {
		slices.Sort(r.Values)
		out = append(out, fmt.Sprint(r.Key, r.Operator, r.Values, r.MinValues))
	}
	slices.Sort(out)
	return out
}

// TestNewNodeClaim compares the object to create with what Karpenter makes of the same launch.
func TestNewNodeClaim(t *testing.T) {
	ctx := withOptions(t)
	p := newPeer(t, ctx)
	pool := p.in.NodePools[1]
	pool.Spec.Template.ObjectMeta = v1.ObjectMeta{Labels: map[string]string{"team": "web"}, Annotations: map[string]string{"note": "x"}}
	spec := fullClaimSpec()
	pool.Spec.Template.Spec.StartupTaints, pool.Spec.Template.Spec.ExpireAfter = spec.StartupTaints, spec.ExpireAfter
	pool.Spec.Template.Spec.Requirements = []v1.NodeSelectorRequirementWithMinValues{{Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpNotIn, Values: []string{"b"}}}
	pods := randomPods(rand.New(rand.NewPCG(3, 57)), 20)
	snapshot, err := Snapshot(ctx, p.in, pods)
	good(t, err)
	defer snapshot.Close()
	plan, err := snapshot.Provision(ctx, nil)
	good(t, err)
	defer plan.Close()
	launches, err := plan.Launches()
	good(t, err)
	for i := range launches {
		owner := p.in.NodePools[slices.IndexFunc(p.in.NodePools, func(p *v1.NodePool) bool { return p.Name == launches[i].NodePool })]
		got, err := NewNodeClaim(&launches[i], owner)
		good(t, err)
		whole, err := LaunchedNodeClaim(&launches[i], p.in)
		good(t, err)
		wanted := whole.ToNodeClaim()
		same(t, "requirements", plainRequirements(got.Spec.Requirements), plainRequirements(wanted.Spec.Requirements))
		got.Spec.Requirements, wanted.Spec.Requirements = nil, nil
		same(t, "NodeClaim", got, wanted)
	}
	if len(launches) < 2 {
		t.Errorf("%d launches", len(launches))
	}
}

func TestEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(withOptions(t))
	p := newPeer(t, ctx)
	cancel()
	if _, err := Solve(ctx, p.in, randomPods(rand.New(rand.NewPCG(1, 1)), 9)); err == nil {
		t.Error("no error")
	}
}

func TestPodErrors(t *testing.T) {
	ctx := withOptions(t)
	p := newPeer(t, ctx)
	pod := randomPods(rand.New(rand.NewPCG(1, 1)), 1)[0]
	pod.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "gpu", ResourceClaimName: of("gpu")}}
	pod.Spec.Containers[0].Resources.Claims = []corev1.ResourceClaim{{Name: "gpu"}}
	got, err := Solve(ctx, p.in, []*corev1.Pod{pod})
	good(t, err)
	if !scheduling.IsDRAError(got.PodErrors[pod]) {
		t.Errorf("%v", got.PodErrors)
	}
	reserved := instanceTypes()[:1]
	for _, o := range reserved[0].Offerings {
		o.Available = false
	}
	reserved[0].Offerings[0] = &cloudprovider.Offering{Price: 0.01, Available: true, Requirements: karpsched.NewRequirements(
		karpsched.NewRequirement(corev1.LabelTopologyZone, corev1.NodeSelectorOpIn, "a"), karpsched.NewRequirement(v1.CapacityTypeLabelKey, corev1.NodeSelectorOpIn, "reserved"),
		karpsched.NewRequirement("example.test/reservation", corev1.NodeSelectorOpIn, "r"))}
	reserved[0].Requirements[v1.CapacityTypeLabelKey].Insert("reserved")
	label := cloudprovider.ReservationIDLabel
	cloudprovider.ReservationIDLabel = "example.test/reservation"
	v1.WellKnownLabels.Insert("example.test/reservation")
	defer func() {
		cloudprovider.ReservationIDLabel = label
		v1.WellKnownLabels.Delete("example.test/reservation")
	}()
	p.in.InstanceTypes = map[string][]*cloudprovider.InstanceType{"light": reserved}
	small := randomPods(rand.New(rand.NewPCG(1, 1)), 1)[0]
	small.Spec = corev1.PodSpec{Containers: []corev1.Container{{Name: "c"}}}
	for _, fallback := range []bool{false, true} {
		p.in.ReservedFallback = fallback
		got, err := Solve(ctx, p.in, []*corev1.Pod{small})
		good(t, err)
		if scheduling.IsReservedOfferingError(got.PodErrors[small]) == fallback || got.PodErrors[small] == nil {
			t.Errorf("fallback %v: %v", fallback, got.PodErrors)
		}
	}
}

// BenchmarkSolve decides the same worlds with both, the lists of the client included.
func BenchmarkSolve(b *testing.B) {
	ctx := withOptions(b)
	for _, count := range []int{100, 1000, 5000} {
		pods := randomPods(rand.New(rand.NewPCG(1, 57)), count)
		slices.SortFunc(pods, func(x, y *corev1.Pod) int { return cmp.Compare(x.Name, y.Name) })
		p := newPeer(b, ctx)
		b.Run(fmt.Sprintf("libkarp/%d", count), func(b *testing.B) {
			for range b.N {
				_, err := Solve(ctx, p.in, pods)
				good(b, err)
			}
		})
		b.Run(fmt.Sprintf("karpenter/%d", count), func(b *testing.B) {
			for range b.N {
				p.solve(b, ctx, slices.Clone(pods))
			}
		})
	}
}
