// SPDX-License-Identifier: Apache-2.0

package clusterautoscaler

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/cluster-autoscaler/pkg/estimator"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"

	karp "libkarp.dev/go"
	feed "libkarp.dev/go/corev1"
)

// ErrUnsupported is matched by the errors of pods that ask for what a snapshot of cluster-autoscaler does not tell.
var ErrUnsupported = errors.New("not decided by libkarp")

// unsupported says what of a pod depends on objects that are not at hand.
func unsupported(pod *corev1.Pod) error {
	fail := func(what string) error {
		return fmt.Errorf("pod %s/%s: %s: %w", pod.Namespace, pod.Name, what, ErrUnsupported)
	}
	if len(pod.Spec.ResourceClaims) > 0 {
		return fail("spec.resourceClaims")
	}
	for i := range pod.Spec.Volumes {
		if v := &pod.Spec.Volumes[i]; v.PersistentVolumeClaim != nil || v.Ephemeral != nil {
			return fail("volume " + v.Name + " has a claim")
		}
	}
	for _, term := range slices.Concat(together(pod), apart(pod)) {
		if term.NamespaceSelector != nil && len(term.NamespaceSelector.MatchLabels)+len(term.NamespaceSelector.MatchExpressions) > 0 {
			return fail("a namespaceSelector")
		}
	}
	return nil
}

// together and apart are the required terms of affinity and anti-affinity; preferences do not count in estimates.
func together(pod *corev1.Pod) []corev1.PodAffinityTerm {
	if a := pod.Spec.Affinity; a != nil && a.PodAffinity != nil {
		return a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	return nil
}

func apart(pod *corev1.Pod) []corev1.PodAffinityTerm {
	if a := pod.Spec.Affinity; a != nil && a.PodAntiAffinity != nil {
		return a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	return nil
}

// looksAround says whether a pod has to do with pods on other nodes than its own.
func looksAround(pod *corev1.Pod) bool {
	return len(together(pod)) > 0 || len(pod.Spec.TopologySpreadConstraints) > 0 ||
		slices.ContainsFunc(apart(pod), func(term corev1.PodAffinityTerm) bool { return term.TopologyKey != corev1.LabelHostname })
}

// A world is what libkarp is asked about: node groups, pods to place, and what stands already.
type world struct {
	builder *karp.Builder
	feeder  *feed.Feeder
	pods    []*corev1.Pod // to place; the one of number i is called by that number
}

func newWorld(groups *Conversion) (*world, error) {
	builder, err := karp.NewBuilder(nil)
	if err != nil {
		return nil, err
	}
	w := &world{builder: builder, feeder: feed.NewFeeder(builder)}
	if err := groups.add(builder, w.feeder); err != nil {
		builder.Close()
		return nil, err
	}
	return w, nil
}

func (w *world) close() { w.builder.Close() }

// addDaemons adds DaemonSets that run exactly where the templates have their pods.
func (c *Conversion) addDaemons(feeder *feed.Feeder) error {
	for i, key := range slices.Sorted(maps.Keys(c.daemons)) {
		d := c.daemons[key]
		set := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: d.pod.Namespace, Name: fmt.Sprintf("daemon-%d", i)}}
		spec := d.pod.Spec.DeepCopy()
		spec.NodeName, spec.NodeSelector, spec.Volumes, spec.ResourceClaims = "", map[string]string{}, nil, nil
		spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
		spec.TopologySpreadConstraints = nil
		spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
				{Key: daemonsLabel, Operator: corev1.NodeSelectorOpIn, Values: d.sets}}}}}}}
		set.Spec.Template = corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: d.pod.Labels, Annotations: d.pod.Annotations}, Spec: *spec}
		if err := feeder.AddDaemonSet(set); err != nil {
			return err
		}
	}
	return nil
}

// place adds pods that are to be placed. Those of one owner are compared with one another, and read once where they are alike.
func (w *world) place(owner string, pods ...*corev1.Pod) error {
	for _, pod := range pods {
		own := *pod
		own.Name, own.UID, own.OwnerReferences = strconv.Itoa(len(w.pods)), "", nil
		if owner != "" {
			own.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "alike", UID: types.UID(owner)}}
		}
		own.Spec.NodeName, own.Spec.Volumes, own.Spec.ResourceClaims = "", nil, nil
		own.Status = corev1.PodStatus{Phase: corev1.PodPending}
		own.DeletionTimestamp = nil
		if err := w.feeder.AddPod(&own); err != nil {
			return fmt.Errorf("pod %s/%s: %w", pod.Namespace, pod.Name, err)
		}
		w.pods = append(w.pods, pod)
	}
	return nil
}

// addCluster adds nodes with their pods, which count for spread constraints and affinities and take no pods.
func (w *world) addCluster(nodes []*framework.NodeInfo) error {
	for _, info := range nodes {
		if err := w.feeder.AddNode(info.Node()); err != nil {
			return err
		}
		for i, own := range info.Pods() {
			pod := *own.Pod
			pod.Name, pod.UID = fmt.Sprintf("%s-%d", info.Node().Name, i), ""
			pod.Spec.NodeName, pod.Spec.Volumes, pod.Spec.ResourceClaims = info.Node().Name, nil, nil
			if err := w.feeder.AddPod(&pod); err != nil {
				return err
			}
		}
	}
	return nil
}

// finish makes the snapshot: no node that stands takes pods.
func (w *world) finish() (*karp.Snapshot, error) {
	names := make([]string, len(w.pods))
	for i, pod := range w.pods {
		names[i] = namespaceOf(pod) + "/" + strconv.Itoa(i)
	}
	if err := errors.Join(w.builder.SetNodeStates([]karp.NodeState{}), w.builder.SetPodsToPlace(names)); err != nil {
		return nil, err
	}
	return w.builder.Finish()
}

func namespaceOf(pod *corev1.Pod) string {
	if pod.Namespace == "" {
		return metav1.NamespaceDefault
	}
	return pod.Namespace
}

// around are the nodes that matter to where these pods go: none, unless pods look at others beyond their node, or others at them.
func around(snapshot clustersnapshot.ClusterSnapshot, groups []estimator.PodEquivalenceGroup) ([]*framework.NodeInfo, error) {
	if snapshot == nil {
		return nil, nil
	}
	look := slices.ContainsFunc(groups, func(g estimator.PodEquivalenceGroup) bool { return len(g.Pods) > 0 && looksAround(g.Pods[0]) })
	if !look {
		guarded, err := snapshot.NodeInfos().HavePodsWithRequiredAntiAffinityList()
		if err != nil {
			return nil, err
		}
		for _, info := range guarded {
			for _, pod := range info.GetPodsWithRequiredAntiAffinity() {
				look = look || looksAround(pod.GetPod())
			}
		}
	}
	if !look {
		return nil, nil
	}
	return snapshot.ListNodeInfos()
}
