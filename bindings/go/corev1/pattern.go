// SPDX-License-Identifier: Apache-2.0

package corev1

import (
	"reflect"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	karp "libkarp.dev/go"
)

// Pods of one owner are mostly alike. A pattern is a copy of one of them, in a form that others are quickly compared with:
// what the builder reads of it, maps as lists, since looking a key up is quicker than walking a map.
type pattern struct {
	owner    string
	template karp.PodTemplate
	pod      *v1.Pod // the copy; nil until there is a template
	state    int

	labels, annotations, nodeSelector pairs
	containers, initContainers        []containerPattern
	selectors                         []pairs // of the spread constraints
	statuses, initStatuses            []statusPattern
	hits, misses                      int
}

// What has become of a pattern.
const (
	metOnce = iota // one pod of the owner has been seen
	ready          // there is a template
	given          // up: the owner's pods are not alike
)

// So many pods may differ before the owner's pods are no longer compared, beyond those that did not.
const mostMisses = 8

// patternOf finds the pattern of the pod's owner, nil for pods without one and for an owner's first.
func (f *Feeder) patternOf(pod *v1.Pod) *pattern {
	if len(pod.OwnerReferences) == 0 || pod.OwnerReferences[0].UID == "" {
		return nil
	}
	owner := string(pod.OwnerReferences[0].UID)
	if f.last != nil && f.last.owner == owner {
		return f.last
	}
	p := f.patterns[owner]
	if p == nil {
		if f.patterns == nil {
			f.patterns = map[string]*pattern{}
		}
		f.patterns[owner] = &pattern{owner: owner}
		return nil
	}
	f.last = p
	return p
}

// knows says whether the pod is of the pattern's template, which it makes of an owner's second pod.
func (f *Feeder) knows(p *pattern, pod *v1.Pod) bool {
	switch p.state {
	case metOnce:
		p.state = given
		if hasOwnClaims(&pod.Spec) {
			return false
		}
		template, err := f.Builder.AddPodTemplate(f.whole(pod))
		if err != nil {
			return false // adding the pod tells why
		}
		p.template = template
		p.copy(pod)
		p.state = ready
		return true
	case ready:
		if p.matches(pod) {
			p.hits++
			return true
		}
		p.misses++
		if p.misses > p.hits+mostMisses {
			*p = pattern{owner: p.owner, state: given}
		}
	}
	return false
}

// Claims that have the pod's name, or one that was made for it.
func hasOwnClaims(spec *v1.PodSpec) bool {
	return len(spec.ResourceClaims) > 0 || slices.ContainsFunc(spec.Volumes, func(v v1.Volume) bool { return v.Ephemeral != nil })
}

// ---- maps as lists

type pair struct{ key, value string }

type pairs []pair

func pairsOf(from map[string]string) pairs {
	var out pairs
	for key, value := range from {
		out = append(out, pair{key, value})
	}
	return out
}

func (p pairs) are(from map[string]string) bool {
	if len(p) != len(from) {
		return false
	}
	for i := range p {
		if value, ok := from[p[i].key]; !ok || value != p[i].value {
			return false
		}
	}
	return true
}

type amount struct {
	name  v1.ResourceName
	value resource.Quantity
}

type amounts []amount

func amountsOf(from v1.ResourceList) amounts {
	var out amounts
	for name, value := range from {
		out = append(out, amount{name, value.DeepCopy()})
	}
	return out
}

func (a amounts) are(from v1.ResourceList) bool {
	if len(a) != len(from) {
		return false
	}
	for i := range a {
		value, ok := from[a[i].name]
		if ok && value == a[i].value {
			continue // the same in memory, as it mostly is
		}
		if !ok || value.Format != a[i].value.Format || value.Cmp(a[i].value) != 0 {
			return false
		}
	}
	return true
}

type containerPattern struct{ requests, limits amounts }

type statusPattern struct{ requests, allocated amounts }

// ---- making and comparing

func (p *pattern) copy(pod *v1.Pod) {
	p.pod = pod.DeepCopy()
	p.labels, p.annotations, p.nodeSelector = pairsOf(p.pod.Labels), pairsOf(p.pod.Annotations), pairsOf(p.pod.Spec.NodeSelector)
	p.containers, p.initContainers = containersOf(p.pod.Spec.Containers), containersOf(p.pod.Spec.InitContainers)
	for i := range p.pod.Spec.TopologySpreadConstraints {
		var labels pairs
		if selector := p.pod.Spec.TopologySpreadConstraints[i].LabelSelector; selector != nil {
			labels = pairsOf(selector.MatchLabels)
		}
		p.selectors = append(p.selectors, labels)
	}
	p.statuses, p.initStatuses = statusesOf(p.pod.Status.ContainerStatuses), statusesOf(p.pod.Status.InitContainerStatuses)
}

func containersOf(from []v1.Container) []containerPattern {
	out := make([]containerPattern, len(from))
	for i := range from {
		out[i] = containerPattern{amountsOf(from[i].Resources.Requests), amountsOf(from[i].Resources.Limits)}
	}
	return out
}

func statusesOf(from []v1.ContainerStatus) []statusPattern {
	out := make([]statusPattern, len(from))
	for i := range from {
		out[i].allocated = amountsOf(from[i].AllocatedResources)
		if from[i].Resources != nil {
			out[i].requests = amountsOf(from[i].Resources.Requests)
		}
	}
	return out
}

func (p *pattern) matches(pod *v1.Pod) bool {
	return pod.Namespace == p.pod.Namespace && p.labels.are(pod.Labels) && p.annotations.are(pod.Annotations) &&
		slices.EqualFunc(pod.OwnerReferences, p.pod.OwnerReferences, sameOwner) && p.matchesSpec(&pod.Spec) &&
		sameStatuses(p.statuses, pod.Status.ContainerStatuses, p.pod.Status.ContainerStatuses) &&
		sameStatuses(p.initStatuses, pod.Status.InitContainerStatuses, p.pod.Status.InitContainerStatuses)
}

func (p *pattern) matchesSpec(spec *v1.PodSpec) bool {
	was := &p.pod.Spec
	return p.nodeSelector.are(spec.NodeSelector) &&
		same(spec.Priority, was.Priority) && same(spec.TerminationGracePeriodSeconds, was.TerminationGracePeriodSeconds) &&
		spec.PriorityClassName == was.PriorityClassName &&
		sameContainers(p.containers, spec.Containers, was.Containers) &&
		sameContainers(p.initContainers, spec.InitContainers, was.InitContainers) &&
		slices.EqualFunc(spec.Tolerations, was.Tolerations, sameToleration) && p.matchesSpread(spec.TopologySpreadConstraints) &&
		sameDeep(spec.Affinity, was.Affinity) && sameDeep(spec.Resources, was.Resources) &&
		(len(spec.Overhead)+len(was.Overhead) == 0 || reflect.DeepEqual(spec.Overhead, was.Overhead)) &&
		sameVolumes(spec.Volumes, was.Volumes) && len(spec.ResourceClaims) == 0
}

func (p *pattern) matchesSpread(spread []v1.TopologySpreadConstraint) bool {
	was := p.pod.Spec.TopologySpreadConstraints
	if len(spread) != len(was) {
		return false
	}
	for i := range spread {
		a, b := &spread[i], &was[i]
		if a.TopologyKey != b.TopologyKey || a.MaxSkew != b.MaxSkew || a.WhenUnsatisfiable != b.WhenUnsatisfiable ||
			!same(a.MinDomains, b.MinDomains) || !same(a.NodeAffinityPolicy, b.NodeAffinityPolicy) || !same(a.NodeTaintsPolicy, b.NodeTaintsPolicy) ||
			!slices.Equal(a.MatchLabelKeys, b.MatchLabelKeys) || !sameSelector(p.selectors[i], a.LabelSelector, b.LabelSelector) {
			return false
		}
	}
	return true
}

func sameSelector(labels pairs, a, b *metav1.LabelSelector) bool {
	if a == nil || b == nil {
		return a == b
	}
	return labels.are(a.MatchLabels) && (len(a.MatchExpressions)+len(b.MatchExpressions) == 0 || reflect.DeepEqual(a.MatchExpressions, b.MatchExpressions))
}

func sameContainers(patterns []containerPattern, list, was []v1.Container) bool {
	if len(list) != len(was) {
		return false
	}
	for i := range list {
		a, b := &list[i], &was[i]
		if a.Name != b.Name || !same(a.RestartPolicy, b.RestartPolicy) || !slices.Equal(a.Ports, b.Ports) || len(a.Resources.Claims) != 0 ||
			len(b.Resources.Claims) != 0 || !patterns[i].requests.are(a.Resources.Requests) || !patterns[i].limits.are(a.Resources.Limits) {
			return false
		}
	}
	return true
}

func sameStatuses(patterns []statusPattern, list, was []v1.ContainerStatus) bool {
	if len(list) != len(was) {
		return false
	}
	for i := range list {
		a, b := &list[i], &was[i]
		if a.Name != b.Name || (a.Resources == nil) != (b.Resources == nil) || !patterns[i].allocated.are(a.AllocatedResources) {
			return false
		}
		if a.Resources != nil && !patterns[i].requests.are(a.Resources.Requests) {
			return false
		}
	}
	return true
}

// Of other kinds of volumes nothing is read; some have names of the pod's own.
func sameVolumes(list, was []v1.Volume) bool {
	k := 0
	for i := range list {
		if list[i].Ephemeral != nil {
			return false
		}
		if list[i].PersistentVolumeClaim == nil {
			continue
		}
		for k < len(was) && was[k].PersistentVolumeClaim == nil {
			k++
		}
		if k == len(was) || was[k].PersistentVolumeClaim.ClaimName != list[i].PersistentVolumeClaim.ClaimName {
			return false
		}
		k++
	}
	return !slices.ContainsFunc(was[k:], func(v v1.Volume) bool { return v.PersistentVolumeClaim != nil })
}

func sameOwner(a, b metav1.OwnerReference) bool {
	return a.UID == b.UID && a.Name == b.Name && a.Kind == b.Kind && a.APIVersion == b.APIVersion &&
		(a.Controller != nil && *a.Controller) == (b.Controller != nil && *b.Controller)
}

func sameToleration(a, b v1.Toleration) bool {
	return a.Key == b.Key && a.Value == b.Value && a.Effect == b.Effect && a.Operator == b.Operator && same(a.TolerationSeconds, b.TolerationSeconds)
}

func same[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

func sameDeep[T any](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return reflect.DeepEqual(a, b)
}
