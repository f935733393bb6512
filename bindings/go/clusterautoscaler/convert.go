// SPDX-License-Identifier: Apache-2.0

package clusterautoscaler

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/cluster-autoscaler/pkg/cloudprovider"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
	podutils "sigs.k8s.io/cluster-autoscaler/pkg/utils/pod"

	karp "libkarp.dev/go"
	feed "libkarp.dev/go/corev1"
)

const (
	capacityTypeLabel = "karpenter.sh/capacity-type"
	groupLabel        = "libkarp.dev/node-group" // tells the groups of a Strategy apart
	daemonsLabel      = "libkarp.dev/daemons"    // tells sets of DaemonSets apart
	classLabel        = "libkarp.dev/nodegroup"  // of every launch, for its node class
	noZone            = "none"                   // of templates without a zone
)

// Labels that a node group does not give to its nodes: each node has its own host name, and Karpenter's are for nodes that it makes.
func dropped(key string) bool {
	return key == corev1.LabelHostname || strings.HasPrefix(key, "karpenter.sh/")
}

// Older names of labels, which nodes have beside the new ones.
var olderNames = map[string]string{
	corev1.LabelInstanceType:            corev1.LabelInstanceTypeStable,
	"beta.kubernetes.io/arch":           corev1.LabelArchStable,
	"beta.kubernetes.io/os":             corev1.LabelOSStable,
	corev1.LabelFailureDomainBetaZone:   corev1.LabelTopologyZone,
	corev1.LabelFailureDomainBetaRegion: corev1.LabelTopologyRegion,
}

// A Group is a node group as libkarp has it: an offering of an instance type of a NodePool.
type Group struct {
	NodeGroup    cloudprovider.NodeGroup // nil for the only group of an estimate
	Template     *framework.NodeInfo
	NodePool     string
	InstanceType string
	Price        float64
	Available    bool

	id      string
	labels  map[string]string
	daemons []*corev1.Pod // in the order of their keys
	weight  int32         // of its NodePool
}

// A Conversion is node groups as NodePools, instance types and offerings.
type Conversion struct {
	Groups []*Group // by id

	known   map[string]bool // keys of labels
	daemons map[string]*daemon
	types   map[string]map[string][]*Group // by NodePool and type
}

// A daemon is the pod that a DaemonSet puts on new nodes, and on which.
type daemon struct {
	pod  *corev1.Pod
	sets []string
}

// A Converter makes objects of libkarp of node groups. The zero value is ready to use.
type Converter struct {
	// Price is what a node like the template costs per hour. nil = by its resources, in proportions that clouds have, and 0.3 of that for spot.
	Price func(template *corev1.Node) float64
}

func (c *Converter) price(template *corev1.Node) float64 {
	if c.Price != nil {
		return c.Price(template)
	}
	amounts := template.Status.Allocatable
	sum := 0.033*amounts.Cpu().AsApproximateFloat64() + 0.00375*amounts.Memory().AsApproximateFloat64()/(1<<30)
	for name, amount := range amounts {
		if strings.HasSuffix(string(name), "/gpu") {
			sum += float64(amount.Value())
		}
	}
	if capacityTypeOf(template) == "spot" {
		sum *= 0.3
	}
	return sum
}

// Convert makes NodePools of node groups with the same taints, types of those with the same type label, DaemonSets, amounts and limits of
// volumes, and an offering of each group, with its labels and price. Groups without a template are left out; one that is at its largest
// size is there and not available.
func (c *Converter) Convert(nodeGroups []cloudprovider.NodeGroup, nodeInfos map[string]*framework.NodeInfo) (*Conversion, error) {
	var groups []*Group
	for _, nodeGroup := range nodeGroups {
		template := nodeInfos[nodeGroup.Id()]
		if template == nil || template.Node() == nil {
			continue
		}
		size, err := nodeGroup.TargetSize()
		if err != nil {
			return nil, fmt.Errorf("node group %s: %w", nodeGroup.Id(), err)
		}
		groups = append(groups, &Group{NodeGroup: nodeGroup, Template: template, Price: c.price(template.Node()), Available: size < nodeGroup.MaxSize(), id: nodeGroup.Id()})
	}
	return convert(groups, false), nil
}

// convert leaves the groups in their order; it gives each its NodePool and type.
func convert(given []*Group, apart bool) *Conversion {
	groups := slices.Clone(given)
	out := &Conversion{Groups: groups, known: map[string]bool{daemonsLabel: true, groupLabel: true}, daemons: map[string]*daemon{},
		types: map[string]map[string][]*Group{}}
	slices.SortStableFunc(groups, func(a, b *Group) int { return strings.Compare(a.id, b.id) })
	pools, sets, shapes, names := map[string]string{}, map[string]string{}, map[string]string{}, map[string]int{}
	for i, g := range groups {
		g.read()
		for key := range g.labels {
			out.known[key] = true
		}
		set := numbered(sets, out.daemonsOf(g))
		taints := taintsOf(g.Template.Node())
		if apart {
			taints = fmt.Sprint(i)
		}
		g.NodePool = "pool-" + numbered(pools, taints)
		g.InstanceType = shapes[g.shape(set)]
		if g.InstanceType == "" {
			label := cmp.Or(g.labels[corev1.LabelInstanceTypeStable], "node")
			g.InstanceType = label
			for names[g.InstanceType]++; names[g.InstanceType] > 1; names[g.InstanceType]++ {
				g.InstanceType = fmt.Sprintf("%s-%d", label, len(shapes))
			}
			shapes[g.shape(set)] = g.InstanceType
		}
		for _, d := range out.daemons {
			if g.runs(d) && !slices.Contains(d.sets, set) {
				d.sets = append(d.sets, set)
			}
		}
		g.labels[daemonsLabel] = set
		if out.types[g.NodePool] == nil {
			out.types[g.NodePool] = map[string][]*Group{}
		}
		out.types[g.NodePool][g.InstanceType] = append(out.types[g.NodePool][g.InstanceType], g)
	}
	return out
}

// numbered is the number of a text: the same for the same one.
func numbered(known map[string]string, text string) string {
	if known[text] == "" {
		known[text] = fmt.Sprint(len(known))
	}
	return known[text]
}

func (g *Group) read() {
	node := g.Template.Node()
	g.labels = make(map[string]string, len(node.Labels)+3)
	for key, value := range node.Labels {
		if !dropped(key) && olderNames[key] == "" {
			g.labels[key] = value
		}
	}
	for older, newer := range olderNames {
		if value, has := node.Labels[older]; has && g.labels[newer] == "" {
			g.labels[newer] = value
		}
	}
	g.labels[capacityTypeLabel] = capacityTypeOf(node)
	if g.labels[corev1.LabelTopologyZone] == "" {
		g.labels[corev1.LabelTopologyZone] = noZone
	}
	for _, pod := range g.Template.Pods() {
		if podutils.IsDaemonSetPod(pod.Pod) {
			g.daemons = append(g.daemons, pod.Pod)
		}
	}
	slices.SortStableFunc(g.daemons, func(a, b *corev1.Pod) int { return strings.Compare(daemonKey(a), daemonKey(b)) })
}

// capacityTypeOf knows the clouds' own labels for nodes that may be taken away.
func capacityTypeOf(node *corev1.Node) string {
	for key, value := range map[string]string{capacityTypeLabel: "spot", "eks.amazonaws.com/capacityType": "SPOT", "cloud.google.com/gke-spot": "true",
		"cloud.google.com/gke-preemptible": "true", "kubernetes.azure.com/scalesetpriority": "spot"} {
		if node.Labels[key] == value {
			return "spot"
		}
	}
	return "on-demand"
}

// daemonKey tells a DaemonSet by its owner, and a pod without one, a static pod for instance, by its name; and by what it asks for.
func daemonKey(pod *corev1.Pod) string {
	name := pod.GenerateName
	if name == "" {
		name = pod.Name
	}
	for _, owner := range pod.OwnerReferences {
		name = owner.Name
	}
	var asked strings.Builder
	for i := range pod.Spec.Containers {
		c := &pod.Spec.Containers[i]
		asked.WriteString(amountsText(c.Resources.Requests))
		for _, port := range c.Ports {
			fmt.Fprintf(&asked, " %s:%d/%s", port.HostIP, port.HostPort, port.Protocol)
		}
	}
	return pod.Namespace + "/" + name + asked.String()
}

// daemonsOf notes the DaemonSets of a group, and returns their keys as a text.
func (c *Conversion) daemonsOf(g *Group) string {
	var text strings.Builder
	for _, pod := range g.daemons {
		key := daemonKey(pod)
		if c.daemons[key] == nil {
			c.daemons[key] = &daemon{pod: pod}
		}
		text.WriteString(key + "\n")
	}
	return text.String()
}

func (g *Group) runs(d *daemon) bool {
	key := daemonKey(d.pod)
	return slices.ContainsFunc(g.daemons, func(pod *corev1.Pod) bool { return daemonKey(pod) == key })
}

func taintsOf(node *corev1.Node) string {
	taints := make([]string, len(node.Spec.Taints))
	for i, t := range node.Spec.Taints {
		taints[i] = fmt.Sprintf("%q=%q:%s", t.Key, t.Value, t.Effect)
	}
	slices.Sort(taints)
	return strings.Join(slices.Compact(taints), ",")
}

func amountsText(list corev1.ResourceList) string {
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(list)) {
		amount := list[name]
		fmt.Fprintf(&out, " %s=%s", name, amount.AsDec().String())
	}
	return out.String()
}

// shape is what groups of one instance type have in common.
func (g *Group) shape(set string) string {
	labels := g.labels[corev1.LabelInstanceTypeStable] + "/" + g.labels[corev1.LabelArchStable] + "/" + g.labels[corev1.LabelOSStable]
	return fmt.Sprint(g.NodePool, "\n", labels, "\n", set, "\n", amountsText(g.Template.Node().Status.Allocatable), "\n", g.volumeLimits())
}

func (g *Group) volumeLimits() []karp.VolumeLimit {
	var out []karp.VolumeLimit
	if g.Template.CSINode == nil {
		return nil
	}
	for _, d := range g.Template.CSINode.Spec.Drivers {
		if d.Allocatable != nil && d.Allocatable.Count != nil {
			out = append(out, karp.VolumeLimit{Driver: d.Name, Count: int64(*d.Allocatable.Count)})
		}
	}
	return out
}

// ---- what a builder gets

func in(key string, values ...string) karp.Requirement {
	return karp.Requirement{Key: key, Op: karp.OpIn, Values: values}
}

// add gives a builder the NodePools, their types and the DaemonSets.
func (c *Conversion) add(builder *karp.Builder, feeder *feed.Feeder) error {
	settings := karp.Settings{IgnorePreferences: true, WellKnown: slices.Sorted(maps.Keys(c.known))}
	if err := builder.SetSettings(&settings); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(c.types)) {
		if err := c.addPool(builder, name); err != nil {
			return err
		}
	}
	return c.addDaemons(feeder)
}

func (c *Conversion) addPool(builder *karp.Builder, name string) error {
	kinds := slices.Sorted(maps.Keys(c.types[name]))
	first := c.types[name][kinds[0]][0]
	pool := karp.NodePool{Meta: karp.Meta{Name: name}, Weight: first.weight, NodeClass: karp.NodeClassRef{Group: "libkarp.dev", Kind: "NodeGroup", Name: "template"},
		Conditions: []karp.Condition{{Type: "Ready", Status: "True"}, {Type: "ValidationSucceeded", Status: "True"}, {Type: "NodeClassReady", Status: "True"}}}
	for _, t := range first.Template.Node().Spec.Taints {
		pool.Taints = append(pool.Taints, karp.Taint{Key: t.Key, Value: t.Value, Effect: string(t.Effect)})
	}
	if err := builder.AddNodePool(&pool); err != nil {
		return fmt.Errorf("node group %s: %w", first.id, err)
	}
	types := make([]karp.InstanceType, len(kinds))
	for i, kind := range kinds {
		types[i] = c.instanceType(kind, c.types[name][kind])
	}
	catalogue, err := karp.NewCatalogue(nil, types)
	if err != nil {
		return fmt.Errorf("node groups like %s: %w", first.id, err)
	}
	defer catalogue.Close()
	return builder.AddCatalogue(catalogue, name)
}

// instanceType has a requirement for each label that all its groups have, and an offering for each group.
func (c *Conversion) instanceType(name string, groups []*Group) karp.InstanceType {
	out := karp.InstanceType{Name: name, Capacity: feed.Amounts(groups[0].Template.Node().Status.Allocatable), VolumeLimits: groups[0].volumeLimits()}
	for _, key := range slices.Sorted(maps.Keys(groups[0].labels)) {
		var values []string
		for _, g := range groups {
			if value, has := g.labels[key]; has {
				values = append(values, value)
			}
		}
		if len(values) == len(groups) {
			slices.Sort(values)
			out.Requirements = append(out.Requirements, in(key, slices.Compact(values)...))
		}
	}
	for _, g := range groups {
		offering := karp.Offering{Price: g.Price, Available: g.Available}
		for _, key := range slices.Sorted(maps.Keys(c.known)) {
			if value, has := g.labels[key]; has {
				offering.Requirements = append(offering.Requirements, in(key, value))
			} else if key != groupLabel {
				offering.Requirements = append(offering.Requirements, karp.Requirement{Key: key, Op: karp.OpDoesNotExist})
			}
		}
		out.Offerings = append(out.Offerings, offering)
	}
	return out
}
