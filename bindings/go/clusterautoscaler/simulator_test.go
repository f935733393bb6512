// SPDX-License-Identifier: Apache-2.0

package clusterautoscaler

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/cluster-autoscaler/pkg/cloudprovider"
	testprovider "sigs.k8s.io/cluster-autoscaler/pkg/cloudprovider/test"
	ca_context "sigs.k8s.io/cluster-autoscaler/pkg/context"
	"sigs.k8s.io/cluster-autoscaler/pkg/core/scaleup/equivalence"
	"sigs.k8s.io/cluster-autoscaler/pkg/expander"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
)

// A cloud of node groups, each with the template that its nodes are like.
type cloud struct {
	provider *testprovider.TestCloudProvider
	infos    map[string]*framework.NodeInfo
	prices   map[string]float64
}

func newCloud() *cloud {
	return &cloud{testprovider.NewTestCloudProviderBuilder().Build(), map[string]*framework.NodeInfo{}, map[string]float64{}}
}

// group adds a group with templates named as it is; labels are KEY=VALUE.
func (c *cloud) group(id string, size, largest int, price float64, template *corev1.Node, labels ...string) *corev1.Node {
	template.Name = id
	for _, label := range labels {
		key, value, _ := strings.Cut(label, "=")
		template.Labels[key] = value
	}
	c.provider.AddNodeGroup(id, 0, largest, size)
	c.infos[id], c.prices[id] = framework.NewTestNodeInfo(template), price
	return template
}

func (c *cloud) groups() []cloudprovider.NodeGroup {
	out := c.provider.NodeGroups()
	slices.SortFunc(out, func(a, b cloudprovider.NodeGroup) int { return strings.Compare(a.Id(), b.Id()) })
	return out
}

func (c *cloud) converter() Converter {
	return Converter{Price: func(template *corev1.Node) float64 { return c.prices[template.Name] }}
}

// simulate returns "NODES of GROUP or GROUP for PODS" of each decision.
func (c *cloud) simulate(t *testing.T, allOrNothing bool, cluster []*framework.NodeInfo, lists ...[]*corev1.Pod) []string {
	t.Helper()
	var groups []*equivalence.PodGroup
	for _, list := range lists {
		groups = append(groups, &equivalence.PodGroup{Pods: list})
	}
	ctx := &ca_context.AutoscalingContext{ClusterSnapshot: snapshotWith(t, cluster...)}
	decisions, _, possible, err := (&Simulator{Converter: c.converter()}).Simulate(ctx, groups, slices.Concat(lists...), nil, c.groups(), c.infos, nil, time.Now(), allOrNothing)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, options := range decisions {
		var names []string
		for _, o := range options {
			names = append(names, o.NodeGroup.Id())
			if len(possible[o.NodeGroup.Id()]) == 0 || o.SimilarNodeGroups == nil || o.NodeCount != options[0].NodeCount {
				t.Errorf("option %+v", o)
			}
		}
		out = append(out, fmt.Sprintf("%d of %s for %d", options[0].NodeCount, strings.Join(names, " or "), len(options[0].Pods)))
	}
	return out
}

func selects(key, value string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Spec.NodeSelector = map[string]string{key: value} }
}

func wants(key string, operator corev1.NodeSelectorOperator, values ...string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pod.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: key, Operator: operator, Values: values}}}}}}}
	}
}

func daemonSetPod(name, cpu string, change ...func(*corev1.Pod)) *corev1.Pod {
	out := pods(name, 1, cpu, "64Mi", change...)[0]
	out.OwnerReferences[0].Kind = "DaemonSet"
	return out
}

// The scenarios of the proposal, and others of their kinds.
func TestSimulate(t *testing.T) {
	m := func(zone string) *corev1.Node {
		out := node("", zone, "4", "16Gi")
		out.Labels[corev1.LabelInstanceTypeStable] = "m.xlarge"
		return out
	}
	two := func(labels ...string) *cloud { // b has the labels and is dearer
		c := newCloud()
		c.group("a", 0, 100, 1, m("z1"))
		c.group("b", 0, 100, 2, m("z1"), labels...)
		return c
	}
	full := newCloud()
	full.group("a", 0, 10, 1, m("z1"))
	full.group("b", 0, 1000, 2, m("z1"))
	sizes := newCloud()
	sizes.group("small", 0, 100, 1, node("", "z1", "2", "8Gi"), corev1.LabelInstanceTypeStable+"=m.large")
	sizes.group("large", 0, 100, 8, node("", "z1", "16", "64Gi"), corev1.LabelInstanceTypeStable+"=m.4xlarge")
	daemons := newCloud()
	withPort := daemons.group("a", 0, 100, 1, m("z1"))
	daemons.infos["a"] = framework.NewTestNodeInfo(withPort, daemonSetPod("agent", "1", hostPort(9100)))
	daemons.group("b", 0, 100, 2, m("z1"))
	tainted := newCloud()
	tainted.group("a", 0, 100, 1, m("z1")).Spec.Taints = []corev1.Taint{{Key: "gpu", Value: "yes", Effect: corev1.TaintEffectNoSchedule}}
	tainted.group("b", 0, 100, 2, m("z1"))
	zones := newCloud()
	zones.group("a", 0, 100, 1, m("z1"))
	zones.group("b", 0, 100, 1, m("z2"))
	zones.group("c", 0, 100, 1, m("z3"))
	runs := framework.NewNodeInfo(node("old", "z1", "1", "1Gi"), nil, running("old", pods("web", 1, "100m", "10Mi")...)...)
	for _, c := range []struct {
		name    string
		cloud   *cloud
		cluster []*framework.NodeInfo
		pods    []*corev1.Pod
		all     bool
		wanted  []string
	}{
		{name: "a label of one group", cloud: two("tier=web"), pods: pods("web", 4, "1", "1Gi", selects("tier", "web")), wanted: []string{"1 of b for 4"}},
		{name: "a label that no group has", cloud: two("tier=web"), pods: pods("web", 4, "1", "1Gi", selects("tier", "job")), wanted: []string{}},
		{name: "a label that must be something else", cloud: two("tier=web"), pods: pods("web", 3, "1", "1Gi", wants("tier", corev1.NodeSelectorOpNotIn, "web")), wanted: []string{"1 of a for 3"}},
		{name: "a label that must not be there", cloud: two("tier=web"), pods: pods("web", 3, "1", "1Gi", wants("tier", corev1.NodeSelectorOpDoesNotExist)), wanted: []string{"1 of a for 3"}},
		{name: "a label that must be there", cloud: two("tier=web"), pods: pods("web", 3, "1", "1Gi", wants("tier", corev1.NodeSelectorOpExists)), wanted: []string{"1 of b for 3"}},
		{name: "a label of a Kubernetes domain", cloud: two("cloud.example.kubernetes.io/pool=x"), pods: pods("web", 3, "1", "1Gi", selects("cloud.example.kubernetes.io/pool", "x")),
			wanted: []string{"1 of b for 3"}},
		{name: "no label", cloud: two("tier=web"), pods: pods("web", 3, "1", "1Gi"), wanted: []string{"1 of a or b for 3"}},
		{name: "limits of sizes", cloud: full, pods: pods("web", 100, "3", "1Gi"), wanted: []string{"10 of a or b for 10", "90 of b for 90"}},
		{name: "all or nothing, and all", cloud: full, pods: pods("web", 100, "3", "1Gi"), all: true, wanted: []string{"10 of a or b for 10", "90 of b for 90"}},
		{name: "all or nothing, and too many", cloud: full, pods: pods("web", 1011, "3", "1Gi"), all: true, wanted: []string{}},
		{name: "the smallest that does", cloud: sizes, pods: pods("web", 1, "1", "1Gi"), wanted: []string{"1 of small or large for 1"}},
		{name: "a DaemonSet has the port in one group", cloud: daemons, pods: pods("web", 1, "1", "1Gi", hostPort(9100)), wanted: []string{"1 of b for 1"}},
		{name: "a DaemonSet takes its share in one group", cloud: daemons, pods: pods("web", 1, "3500m", "1Gi"), wanted: []string{"1 of b for 1"}},
		{name: "taints", cloud: tainted, pods: pods("web", 3, "1", "1Gi"), wanted: []string{"1 of b for 3"}},
		{name: "spread over zones", cloud: zones, pods: pods("web", 6, "1", "1Gi", spread(corev1.LabelTopologyZone, 1)), wanted: []string{"1 of a for 2", "1 of b for 2", "1 of c for 2"}},
		{name: "spread over zones with pods that run", cloud: zones, cluster: []*framework.NodeInfo{runs}, pods: pods("web", 2, "1", "1Gi", spread(corev1.LabelTopologyZone, 1)),
			wanted: []string{"1 of b for 1", "1 of c for 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.cloud.simulate(t, c.all, c.cluster, c.pods)
			slices.Sort(got)
			if !slices.Equal(got, c.wanted) {
				t.Errorf("%q, wanted %q", got, c.wanted)
			}
		})
	}
}

// Pods that found no room are planned among the nodes that were decided: what spreads stays spread.
func TestSimulateAgain(t *testing.T) {
	c := newCloud()
	c.group("a", 0, 1, 1, node("", "z1", "4", "16Gi"))
	c.group("b", 0, 100, 2, node("", "z1", "4", "16Gi"), "tier=b")
	got := c.simulate(t, false, nil, pods("web", 3, "1", "1Gi", staysApart(corev1.LabelHostname)))
	if !slices.Equal(got, []string{"1 of a or b for 1", "2 of b for 2"}) {
		t.Errorf("%q", got)
	}
}

func TestSkipped(t *testing.T) {
	c := newCloud()
	c.group("a", 3, 3, 1, node("", "z1", "4", "16Gi"))
	c.group("b", 0, 3, 1, node("", "z1", "4", "16Gi"))
	delete(c.infos, "b")
	ctx := &ca_context.AutoscalingContext{ClusterSnapshot: snapshotWith(t)}
	web := pods("web", 1, "1", "1Gi")
	decisions, reasons, _, err := (&Simulator{}).Simulate(ctx, equivalence.BuildPodGroups(web), web, nil, c.groups(), c.infos, nil, time.Now(), false)
	if err != nil || len(decisions) != 0 || len(reasons) != 2 || reasons["a"].Reasons()[0] != "max node group size reached" || reasons["b"].Reasons()[0] != "no node template" {
		t.Errorf("%v %v %v", decisions, reasons, err)
	}
}

func TestConvert(t *testing.T) {
	c := newCloud()
	for _, zone := range []string{"z1", "z2"} {
		c.group("m-"+zone, 0, 10, 1, node("", zone, "4", "16Gi"), corev1.LabelInstanceTypeStable+"=m.xlarge")
	}
	own := c.group("m-daemon", 0, 10, 1, node("", "z1", "4", "16Gi"), corev1.LabelInstanceTypeStable+"=m.xlarge")
	c.infos["m-daemon"] = framework.NewTestNodeInfo(own, daemonSetPod("agent", "100m"))
	c.group("m-tainted", 0, 10, 1, node("", "z1", "4", "16Gi"), corev1.LabelInstanceTypeStable+"=m.xlarge").Spec.Taints = []corev1.Taint{{Key: "a", Effect: corev1.TaintEffectNoSchedule}}
	converter := c.converter()
	conversion, err := converter.Convert(c.groups(), c.infos)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, g := range conversion.Groups {
		got = append(got, g.NodeGroup.Id()+" "+g.NodePool+" "+g.InstanceType)
	}
	wanted := []string{"m-daemon pool-0 m.xlarge", "m-tainted pool-1 m.xlarge-1", "m-z1 pool-0 m.xlarge-2", "m-z2 pool-0 m.xlarge-2"}
	if !slices.Equal(got, wanted) {
		t.Errorf("%q, wanted %q", got, wanted)
	}
}

func TestStrategy(t *testing.T) {
	c := newCloud()
	c.group("small", 0, 100, 1, node("", "z1", "2", "8Gi"))
	c.group("large", 0, 100, 6, node("", "z1", "16", "64Gi"))
	option := func(id string, nodes int, list []*corev1.Pod) expander.Option {
		return expander.Option{NodeGroup: c.provider.GetNodeGroup(id), NodeCount: nodes, Pods: list}
	}
	web, big := pods("web", 16, "1", "1Gi"), pods("big", 20, "8", "8Gi")
	for _, q := range []struct {
		name    string
		options []expander.Option
		wanted  string
	}{
		{"the cheaper per pod", []expander.Option{option("small", 16, web), option("large", 1, web)}, "large"},
		{"the one that takes most", []expander.Option{option("small", 16, web), option("large", 10, big)}, "large"},
		{"one", []expander.Option{option("small", 16, web)}, "small"},
		{"none", nil, ""},
		{"nothing fits", []expander.Option{option("small", 1, big)}, ""},
	} {
		t.Run(q.name, func(t *testing.T) {
			for _, effort := range []uint64{0, 1000} {
				got := ""
				if best := (&Strategy{Converter: c.converter(), Effort: effort}).BestOption(q.options, c.infos); best != nil {
					got = best.NodeGroup.Id()
				}
				if got != q.wanted {
					t.Errorf("effort %d: %q, wanted %q", effort, got, q.wanted)
				}
			}
		})
	}
	first := expanderFirst{}
	if best := (&Strategy{Fallback: first}).BestOption([]expander.Option{option("small", 1, web)}, nil); best == nil {
		t.Error("the other strategy is not asked")
	}
}

type expanderFirst struct{}

func (expanderFirst) BestOption(options []expander.Option, _ map[string]*framework.NodeInfo) *expander.Option {
	return &options[0]
}
