// SPDX-License-Identifier: Apache-2.0

// Package corev1 feeds a libkarp builder from the types of k8s.io/api. Strings and maps are borrowed from the objects for
// the call; nothing is marshalled.
package corev1

import (
	"errors"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	karp "libkarp.dev/go"
)

// A Feeder adds objects to a builder. It reuses its own memory from object to object, so one goroutine uses it at a time.
type Feeder struct {
	Builder *karp.Builder

	pod       karp.Pod
	resources arena[karp.Resource]
	selectors arena[karp.Selector]
	labels    arena[karp.Requirement]
	ports     arena[karp.HostPort]
	names     arena[string]
	texts     [1 << textBits]binaryText

	templated karp.TemplatedPod
	patterns  map[string]*pattern // by owner
	last      *pattern
}

// NewFeeder feeds that builder.
func NewFeeder(builder *karp.Builder) *Feeder { return &Feeder{Builder: builder} }

// An arena hands out slices of one array, which is emptied before the next object.
type arena[T any] struct{ items []T }

func (a *arena[T]) reset() {
	clear(a.items)
	a.items = a.items[:0]
}

// take yields n cleared elements. Slices handed out before stay valid when the array moves.
func (a *arena[T]) take(n int) []T {
	if n == 0 {
		return nil
	}
	if len(a.items)+n > cap(a.items) {
		a.items = make([]T, 0, max(64, 2*cap(a.items), n))
	}
	first := len(a.items)
	a.items = a.items[:first+n]
	out := a.items[first : first+n : first+n]
	clear(out)
	return out
}

func (f *Feeder) reset() {
	f.resources.reset()
	f.selectors.reset()
	f.labels.reset()
	f.ports.reset()
	f.names.reset()
}

// ---- values

// Amount is a quantity as the library takes it, exactly; what is stated in Ki, Mi … stays so.
func Amount(name string, q *resource.Quantity) karp.Resource {
	if q.Format == resource.BinarySI && !q.IsZero() {
		return karp.Resource{Name: name, Text: q.String()}
	}
	if whole, ok := q.AsInt64(); ok {
		return karp.Resource{Name: name, Value: whole}
	}
	// The usual fractions are thousandths of a core.
	milli := resource.NewMilliQuantity(q.MilliValue(), q.Format)
	if milli.Cmp(*q) == 0 {
		return karp.Resource{Name: name, Value: q.MilliValue(), Scale: -3}
	}
	return karp.Resource{Name: name, Text: q.String()}
}

// amount is Amount with the texts of binary amounts remembered: pods ask for the same few.
func (f *Feeder) amount(name v1.ResourceName, q *resource.Quantity) karp.Resource {
	whole, ok := q.AsInt64()
	if q.Format != resource.BinarySI || !ok || whole <= 0 {
		return Amount(string(name), q)
	}
	seen := &f.texts[uint64(whole)*0x9e3779b97f4a7c15>>(64-textBits)]
	if seen.value != whole {
		*seen = binaryText{whole, q.String()}
	}
	return karp.Resource{Name: string(name), Text: seen.text}
}

const textBits = 6

type binaryText struct {
	value int64
	text  string
}

func (f *Feeder) amounts(list v1.ResourceList) []karp.Resource {
	out := f.resources.take(len(list))
	if len(out) == 2 { // as most containers have it; quicker than walking the map
		cpu, hasCPU := list[v1.ResourceCPU]
		memory, hasMemory := list[v1.ResourceMemory]
		if hasCPU && hasMemory {
			out[0], out[1] = f.amount(v1.ResourceCPU, &cpu), f.amount(v1.ResourceMemory, &memory)
			return out
		}
	}
	i := 0
	for name, q := range list {
		out[i] = f.amount(name, &q)
		i++
	}
	// A map's order is nobody's order.
	for i := 1; i < len(out); i++ {
		for k := i; k > 0 && out[k].Name < out[k-1].Name; k-- {
			out[k], out[k-1] = out[k-1], out[k]
		}
	}
	return out
}

func timeOf(t *metav1.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.Time
}

func texts[T ~string](f *Feeder, from []T) []string {
	out := f.names.take(len(from))
	for i, s := range from {
		out[i] = string(s)
	}
	return out
}

func meta(from *metav1.ObjectMeta) karp.Meta {
	out := karp.Meta{Name: from.Name, Namespace: from.Namespace, UID: string(from.UID), Labels: from.Labels, Annotations: from.Annotations,
		Created: from.CreationTimestamp.Time, Deleted: timeOf(from.DeletionTimestamp)}
	if len(from.OwnerReferences) > 0 {
		out.Owners = make([]karp.Owner, len(from.OwnerReferences))
		for i, o := range from.OwnerReferences {
			out.Owners[i] = karp.Owner{APIVersion: o.APIVersion, Kind: o.Kind, Name: o.Name, UID: string(o.UID),
				Controller: o.Controller != nil && *o.Controller}
		}
	}
	return out
}

var selectorOperators = map[metav1.LabelSelectorOperator]uint32{
	metav1.LabelSelectorOpIn: karp.OpIn, metav1.LabelSelectorOpNotIn: karp.OpNotIn,
	metav1.LabelSelectorOpExists: karp.OpExists, metav1.LabelSelectorOpDoesNotExist: karp.OpDoesNotExist,
}

var nodeOperators = map[v1.NodeSelectorOperator]uint32{
	v1.NodeSelectorOpIn: karp.OpIn, v1.NodeSelectorOpNotIn: karp.OpNotIn, v1.NodeSelectorOpExists: karp.OpExists,
	v1.NodeSelectorOpDoesNotExist: karp.OpDoesNotExist, v1.NodeSelectorOpGt: karp.OpGt, v1.NodeSelectorOpLt: karp.OpLt,
}

func (f *Feeder) selector(from *metav1.LabelSelector) *karp.Selector {
	if from == nil {
		return nil
	}
	out := &f.selectors.take(1)[0]
	out.MatchLabels = from.MatchLabels
	out.Expressions = f.labels.take(len(from.MatchExpressions))
	for i := range from.MatchExpressions {
		e := &from.MatchExpressions[i]
		out.Expressions[i] = karp.Requirement{Key: e.Key, Op: selectorOperators[e.Operator], Values: e.Values}
	}
	return out
}

func (f *Feeder) nodeTerm(from *v1.NodeSelectorTerm, weight int32) karp.NodeTerm {
	out := karp.NodeTerm{HasFields: len(from.MatchFields) > 0, Weight: weight, Expressions: f.labels.take(len(from.MatchExpressions))}
	for i := range from.MatchExpressions {
		e := &from.MatchExpressions[i]
		out.Expressions[i] = karp.Requirement{Key: e.Key, Op: nodeOperators[e.Operator], Values: e.Values}
	}
	return out
}

func (f *Feeder) nodeTerms(from *v1.NodeSelector, into []karp.NodeTerm) []karp.NodeTerm {
	into = into[:0]
	if from != nil {
		for i := range from.NodeSelectorTerms {
			into = append(into, f.nodeTerm(&from.NodeSelectorTerms[i], 0))
		}
	}
	return into
}

func (f *Feeder) conditions(n int, at func(i int) karp.Condition) []karp.Condition {
	if n == 0 {
		return nil
	}
	out := make([]karp.Condition, n)
	for i := range out {
		out[i] = at(i)
	}
	return out
}

// ---- pods

func (f *Feeder) podTerm(from *v1.PodAffinityTerm, weight int32) karp.PodTerm {
	return karp.PodTerm{TopologyKey: from.TopologyKey, Namespaces: from.Namespaces, Weight: weight,
		NamespaceSelector: f.selector(from.NamespaceSelector), LabelSelector: f.selector(from.LabelSelector)}
}

func (f *Feeder) podTerms(required []v1.PodAffinityTerm, preferred []v1.WeightedPodAffinityTerm,
	intoRequired, intoPreferred []karp.PodTerm) ([]karp.PodTerm, []karp.PodTerm) {
	for i := range required {
		intoRequired = append(intoRequired, f.podTerm(&required[i], 0))
	}
	for i := range preferred {
		intoPreferred = append(intoPreferred, f.podTerm(&preferred[i].PodAffinityTerm, preferred[i].Weight))
	}
	return intoRequired, intoPreferred
}

func (f *Feeder) affinity(out *karp.Pod, from *v1.Affinity) {
	out.RequiredNodeTerms, out.PreferredNodeTerms = out.RequiredNodeTerms[:0], out.PreferredNodeTerms[:0]
	out.RequiredAffinity, out.PreferredAffinity = out.RequiredAffinity[:0], out.PreferredAffinity[:0]
	out.RequiredAntiAffinity, out.PreferredAntiAffinity = out.RequiredAntiAffinity[:0], out.PreferredAntiAffinity[:0]
	if from == nil {
		return
	}
	if node := from.NodeAffinity; node != nil {
		out.RequiredNodeTerms = f.nodeTerms(node.RequiredDuringSchedulingIgnoredDuringExecution, out.RequiredNodeTerms)
		for i := range node.PreferredDuringSchedulingIgnoredDuringExecution {
			term := &node.PreferredDuringSchedulingIgnoredDuringExecution[i]
			out.PreferredNodeTerms = append(out.PreferredNodeTerms, f.nodeTerm(&term.Preference, term.Weight))
		}
	}
	if with := from.PodAffinity; with != nil {
		out.RequiredAffinity, out.PreferredAffinity = f.podTerms(with.RequiredDuringSchedulingIgnoredDuringExecution,
			with.PreferredDuringSchedulingIgnoredDuringExecution, out.RequiredAffinity, out.PreferredAffinity)
	}
	if against := from.PodAntiAffinity; against != nil {
		out.RequiredAntiAffinity, out.PreferredAntiAffinity = f.podTerms(against.RequiredDuringSchedulingIgnoredDuringExecution,
			against.PreferredDuringSchedulingIgnoredDuringExecution, out.RequiredAntiAffinity, out.PreferredAntiAffinity)
	}
}

func policy(from *v1.NodeInclusionPolicy) uint32 {
	switch {
	case from == nil:
		return karp.PolicyDefault
	case *from == v1.NodeInclusionPolicyIgnore:
		return karp.PolicyIgnore
	}
	return karp.PolicyHonor
}

func (f *Feeder) spread(into []karp.SpreadConstraint, from []v1.TopologySpreadConstraint) []karp.SpreadConstraint {
	into = into[:0]
	for i := range from {
		c := &from[i]
		s := karp.SpreadConstraint{TopologyKey: c.TopologyKey, LabelSelector: f.selector(c.LabelSelector), MatchLabelKeys: c.MatchLabelKeys,
			MaxSkew: c.MaxSkew, NodeAffinityPolicy: policy(c.NodeAffinityPolicy), NodeTaintsPolicy: policy(c.NodeTaintsPolicy)}
		if c.MinDomains != nil {
			s.MinDomains = *c.MinDomains
		}
		if c.WhenUnsatisfiable == v1.ScheduleAnyway {
			s.WhenUnsatisfiable = karp.ScheduleAnyway
		}
		into = append(into, s)
	}
	return into
}

func tolerationOperator(op v1.TolerationOperator) uint32 {
	switch op {
	case "", v1.TolerationOpEqual:
		return karp.TolerationEqual
	case v1.TolerationOpExists:
		return karp.TolerationExists
	case "Lt":
		return karp.TolerationLt
	case "Gt":
		return karp.TolerationGt
	}
	return karp.TolerationUnknown
}

// requests are the stated ones, and for a pod the limits of what has none, as the API server fills them in.
func (f *Feeder) requests(requests, limits v1.ResourceList, template bool) []karp.Resource {
	missing := 0
	for name := range limits {
		if _, stated := requests[name]; !stated && !template {
			missing++
		}
	}
	if missing == 0 {
		return f.amounts(requests)
	}
	all := make(v1.ResourceList, len(requests)+missing)
	for name, q := range limits {
		all[name] = q
	}
	for name, q := range requests {
		all[name] = q
	}
	return f.amounts(all)
}

func (f *Feeder) containers(into []karp.Container, from []v1.Container, template bool) []karp.Container {
	into = into[:0]
	for i := range from {
		c := &from[i]
		out := karp.Container{Name: c.Name, RestartAlways: c.RestartPolicy != nil && *c.RestartPolicy == v1.ContainerRestartPolicyAlways,
			Requests: f.requests(c.Resources.Requests, c.Resources.Limits, template)}
		if template {
			out.Limits = f.amounts(c.Resources.Limits)
		}
		out.Ports = f.ports.take(len(c.Ports))
		for k := range c.Ports {
			out.Ports[k] = karp.HostPort{HostIP: c.Ports[k].HostIP, Protocol: string(c.Ports[k].Protocol), Port: c.Ports[k].HostPort}
		}
		out.Claims = f.names.take(len(c.Resources.Claims))
		for k := range c.Resources.Claims {
			out.Claims[k] = c.Resources.Claims[k].Name
		}
		into = append(into, out)
	}
	return into
}

func (f *Feeder) statuses(into []karp.ContainerStatus, from []v1.ContainerStatus) []karp.ContainerStatus {
	for i := range from {
		s := &from[i]
		out := karp.ContainerStatus{Name: s.Name, HasResources: s.Resources != nil, Allocated: f.amounts(s.AllocatedResources)}
		if s.Resources != nil {
			out.Requests = f.amounts(s.Resources.Requests)
		}
		into = append(into, out)
	}
	return into
}

// podLevel is what the pod asks for itself: a limit stands for the request only where no container asks for the resource.
func (f *Feeder) podLevel(spec *v1.PodSpec, template bool) []karp.Resource {
	if spec.Resources == nil {
		return nil
	}
	if template || len(spec.Resources.Limits) == 0 {
		return f.amounts(spec.Resources.Requests)
	}
	limits := v1.ResourceList{}
	for name, q := range spec.Resources.Limits {
		asked := false
		for i := range spec.Containers {
			_, requested := spec.Containers[i].Resources.Requests[name]
			_, limited := spec.Containers[i].Resources.Limits[name]
			asked = asked || requested || limited
		}
		if !asked {
			limits[name] = q
		}
	}
	return f.requests(spec.Resources.Requests, limits, false)
}

func (f *Feeder) volumes(into []karp.PodVolume, from []v1.Volume) []karp.PodVolume {
	into = into[:0]
	for i := range from {
		out := karp.PodVolume{Name: from[i].Name}
		if claim := from[i].PersistentVolumeClaim; claim != nil {
			out.Kind, out.ClaimName = karp.VolumeClaim, claim.ClaimName
		} else if from[i].Ephemeral != nil {
			out.Kind = karp.VolumeEphemeral
		}
		into = append(into, out)
	}
	return into
}

func (f *Feeder) claims(into []karp.PodClaim, spec []v1.PodResourceClaim, status []v1.PodResourceClaimStatus) []karp.PodClaim {
	into = into[:0]
	for i := range spec {
		out := karp.PodClaim{Name: spec[i].Name}
		if spec[i].ResourceClaimName != nil {
			out.ResourceClaimName = *spec[i].ResourceClaimName
		}
		if spec[i].ResourceClaimTemplateName != nil {
			made := false
			for k := range status {
				if status[k].Name == out.Name {
					made = true
					if status[k].ResourceClaimName != nil {
						out.ResourceClaimName = *status[k].ResourceClaimName
					}
				}
			}
			out.Generated = !made || out.ResourceClaimName != ""
		}
		into = append(into, out)
	}
	return into
}

func (f *Feeder) spec(out *karp.Pod, spec *v1.PodSpec, template bool) {
	out.NodeName, out.NodeSelector, out.PriorityClassName = spec.NodeName, spec.NodeSelector, spec.PriorityClassName
	out.Priority, out.TerminationGrace = spec.Priority, spec.TerminationGracePeriodSeconds
	f.affinity(out, spec.Affinity)
	out.Spread = f.spread(out.Spread, spec.TopologySpreadConstraints)
	out.Tolerations = out.Tolerations[:0]
	for i := range spec.Tolerations {
		t := &spec.Tolerations[i]
		out.Tolerations = append(out.Tolerations, karp.Toleration{Key: t.Key, Value: t.Value, Effect: string(t.Effect),
			Op: tolerationOperator(t.Operator), Seconds: t.TolerationSeconds})
	}
	out.Containers = f.containers(out.Containers, spec.Containers, template)
	out.InitContainers = f.containers(out.InitContainers, spec.InitContainers, template)
	out.Overhead, out.Requests = f.amounts(spec.Overhead), f.podLevel(spec, template)
	out.Volumes = f.volumes(out.Volumes, spec.Volumes)
}

var phases = map[v1.PodPhase]uint32{
	"": karp.PhaseUnset, v1.PodPending: karp.PhasePending, v1.PodRunning: karp.PhaseRunning,
	v1.PodSucceeded: karp.PhaseSucceeded, v1.PodFailed: karp.PhaseFailed, v1.PodUnknown: karp.PhaseUnknown,
}

// whole is the pod with everything that is read of it.
func (f *Feeder) whole(pod *v1.Pod) *karp.Pod {
	f.reset()
	out := &f.pod
	owners := out.Meta.Owners[:0]
	out.Meta = karp.Meta{Name: pod.Name, Namespace: pod.Namespace, UID: string(pod.UID), Labels: pod.Labels, Annotations: pod.Annotations,
		Created: pod.CreationTimestamp.Time, Deleted: timeOf(pod.DeletionTimestamp)}
	for i := range pod.OwnerReferences {
		o := &pod.OwnerReferences[i]
		owners = append(owners, karp.Owner{APIVersion: o.APIVersion, Kind: o.Kind, Name: o.Name, UID: string(o.UID),
			Controller: o.Controller != nil && *o.Controller})
	}
	out.Meta.Owners = owners
	f.spec(out, &pod.Spec, false)
	out.ResourceClaims = f.claims(out.ResourceClaims, pod.Spec.ResourceClaims, pod.Status.ResourceClaimStatuses)
	out.Phase, out.NominatedNodeName = phases[pod.Status.Phase], pod.Status.NominatedNodeName
	out.StartTime = timeOf(pod.Status.StartTime)
	out.Conditions = podConditions(out.Conditions, pod.Status.Conditions)
	out.ContainerStatuses = f.statuses(f.statuses(out.ContainerStatuses[:0], pod.Status.ContainerStatuses), pod.Status.InitContainerStatuses)
	return out
}

func podConditions(into []karp.Condition, from []v1.PodCondition) []karp.Condition {
	into = into[:0]
	for i := range from {
		c := &from[i]
		into = append(into, karp.Condition{Type: string(c.Type), Status: string(c.Status), Reason: c.Reason, LastTransition: c.LastTransitionTime.Time})
	}
	return into
}

// own is what a pod has beside its template.
func (f *Feeder) own(pod *v1.Pod) *karp.TemplatedPod {
	out := &f.templated
	out.Name, out.UID, out.NodeName, out.NominatedNodeName = pod.Name, string(pod.UID), pod.Spec.NodeName, pod.Status.NominatedNodeName
	out.Created, out.Deleted, out.StartTime = pod.CreationTimestamp.Time, timeOf(pod.DeletionTimestamp), timeOf(pod.Status.StartTime)
	out.Conditions = podConditions(out.Conditions, pod.Status.Conditions)
	out.Phase = phases[pod.Status.Phase]
	return out
}

// AddPod adds a pod. Of the pods of one owner that are alike but for name, times and status, all but the first two are
// compared with a copy of the second alone, and not converted.
func (f *Feeder) AddPod(pod *v1.Pod) error {
	if p := f.patternOf(pod); p != nil && f.knows(p, pod) {
		err := f.Builder.AddTemplatedPod(p.template, f.own(pod))
		if !errors.Is(err, karp.ErrNotFound) {
			return err
		}
		f.patterns, f.last = nil, nil // the builder was finished in between, or is another one
	}
	return f.Builder.AddPod(f.whole(pod))
}

// AddDaemonSet adds a DaemonSet.
func (f *Feeder) AddDaemonSet(set *appsv1.DaemonSet) error {
	f.reset()
	out := karp.DaemonSet{Meta: meta(&set.ObjectMeta)}
	out.Template.Meta = meta(&set.Spec.Template.ObjectMeta)
	f.spec(&out.Template, &set.Spec.Template.Spec, true)
	out.Template.ResourceClaims = f.claims(nil, set.Spec.Template.Spec.ResourceClaims, nil)
	return f.Builder.AddDaemonSet(&out)
}

// ---- nodes and what surrounds them

// AddNode adds a node.
func (f *Feeder) AddNode(node *v1.Node) error {
	f.reset()
	out := karp.Node{Meta: meta(&node.ObjectMeta), ProviderID: node.Spec.ProviderID, Capacity: f.amounts(node.Status.Capacity),
		Allocatable: f.amounts(node.Status.Allocatable)}
	for _, t := range node.Spec.Taints {
		out.Taints = append(out.Taints, karp.Taint{Key: t.Key, Value: t.Value, Effect: string(t.Effect)})
	}
	out.Conditions = f.conditions(len(node.Status.Conditions), func(i int) karp.Condition {
		c := &node.Status.Conditions[i]
		return karp.Condition{Type: string(c.Type), Status: string(c.Status), Reason: c.Reason, LastTransition: c.LastTransitionTime.Time}
	})
	return f.Builder.AddNode(&out)
}

// AddNamespace adds a Namespace.
func (f *Feeder) AddNamespace(namespace *v1.Namespace) error {
	return f.Builder.AddNamespace(&karp.Namespace{Meta: meta(&namespace.ObjectMeta)})
}

// AddPersistentVolumeClaim adds a PersistentVolumeClaim.
func (f *Feeder) AddPersistentVolumeClaim(claim *v1.PersistentVolumeClaim) error {
	phases := map[v1.PersistentVolumeClaimPhase]uint32{v1.ClaimPending: karp.ClaimPending, v1.ClaimBound: karp.ClaimBound, v1.ClaimLost: karp.ClaimLost}
	return f.Builder.AddPersistentVolumeClaim(&karp.PersistentVolumeClaim{Meta: meta(&claim.ObjectMeta), VolumeName: claim.Spec.VolumeName,
		StorageClassName: claim.Spec.StorageClassName, Phase: phases[claim.Status.Phase]})
}

// AddPersistentVolume adds a PersistentVolume.
func (f *Feeder) AddPersistentVolume(volume *v1.PersistentVolume) error {
	f.reset()
	out := karp.PersistentVolume{Meta: meta(&volume.ObjectMeta), AWSElasticBlockStore: volume.Spec.AWSElasticBlockStore != nil,
		Local: volume.Spec.Local != nil || volume.Spec.HostPath != nil}
	if volume.Spec.CSI != nil {
		out.CSIDriver = volume.Spec.CSI.Driver
	}
	if volume.Spec.NodeAffinity != nil {
		out.NodeTerms = f.nodeTerms(volume.Spec.NodeAffinity.Required, nil)
	}
	return f.Builder.AddPersistentVolume(&out)
}

// AddStorageClass adds a StorageClass.
func (f *Feeder) AddStorageClass(class *storagev1.StorageClass) error {
	f.reset()
	out := karp.StorageClass{Meta: meta(&class.ObjectMeta), Provisioner: class.Provisioner}
	if mode := class.VolumeBindingMode; mode != nil && *mode == storagev1.VolumeBindingWaitForFirstConsumer {
		out.BindingMode = karp.BindingWaitForFirstConsumer
	} else if mode != nil {
		out.BindingMode = karp.BindingImmediate
	}
	for i := range class.AllowedTopologies {
		term := karp.NodeTerm{}
		for _, e := range class.AllowedTopologies[i].MatchLabelExpressions {
			term.Expressions = append(term.Expressions, karp.Requirement{Key: e.Key, Op: karp.OpIn, Values: e.Values})
		}
		out.AllowedTopologies = append(out.AllowedTopologies, term)
	}
	return f.Builder.AddStorageClass(&out)
}

// AddCSINode adds a CSINode.
func (f *Feeder) AddCSINode(node *storagev1.CSINode) error {
	out := karp.CSINode{Meta: meta(&node.ObjectMeta)}
	for i := range node.Spec.Drivers {
		driver := karp.CSIDriver{Name: node.Spec.Drivers[i].Name}
		if limits := node.Spec.Drivers[i].Allocatable; limits != nil {
			driver.Count = limits.Count
		}
		out.Drivers = append(out.Drivers, driver)
	}
	return f.Builder.AddCSINode(&out)
}

func intOrString(from *intstr.IntOrString) *karp.IntOrString {
	if from == nil {
		return nil
	}
	return &karp.IntOrString{IsText: from.Type == intstr.String, Text: from.StrVal, Value: from.IntVal}
}

// AddPodDisruptionBudget adds a PodDisruptionBudget.
func (f *Feeder) AddPodDisruptionBudget(budget *policyv1.PodDisruptionBudget) error {
	f.reset()
	always := budget.Spec.UnhealthyPodEvictionPolicy
	return f.Builder.AddPodDisruptionBudget(&karp.PodDisruptionBudget{Meta: meta(&budget.ObjectMeta), Selector: f.selector(budget.Spec.Selector),
		MinAvailable: intOrString(budget.Spec.MinAvailable), MaxUnavailable: intOrString(budget.Spec.MaxUnavailable),
		DisruptionsAllowed: budget.Status.DisruptionsAllowed, AlwaysAllow: always != nil && *always == policyv1.AlwaysAllow})
}

// AddService adds a Service, for its selector; likewise below.
func (f *Feeder) AddService(service *v1.Service) error {
	return f.plain(&service.ObjectMeta, service.Spec.Selector, karp.SelectsService)
}

// AddReplicationController adds a ReplicationController.
func (f *Feeder) AddReplicationController(controller *v1.ReplicationController) error {
	return f.plain(&controller.ObjectMeta, controller.Spec.Selector, karp.SelectsReplicationController)
}

// AddReplicaSet adds a ReplicaSet.
func (f *Feeder) AddReplicaSet(set *appsv1.ReplicaSet) error {
	f.reset()
	return f.Builder.AddSelecting(&karp.Selecting{Meta: meta(&set.ObjectMeta), Selector: f.selector(set.Spec.Selector), Kind: karp.SelectsReplicaSet})
}

// AddStatefulSet adds a StatefulSet.
func (f *Feeder) AddStatefulSet(set *appsv1.StatefulSet) error {
	f.reset()
	return f.Builder.AddSelecting(&karp.Selecting{Meta: meta(&set.ObjectMeta), Selector: f.selector(set.Spec.Selector), Kind: karp.SelectsStatefulSet})
}

func (f *Feeder) plain(from *metav1.ObjectMeta, labels map[string]string, kind uint32) error {
	out := karp.Selecting{Meta: meta(from), Kind: kind}
	if labels != nil {
		out.Selector = &karp.Selector{MatchLabels: labels}
	}
	return f.Builder.AddSelecting(&out)
}

// ---- for callers with objects of their own

// Meta is an object's metadata.
func Meta(from *metav1.ObjectMeta) karp.Meta { return meta(from) }

// Amounts are quantities, by name.
func Amounts(from v1.ResourceList) []karp.Resource { return new(Feeder).amounts(from) }

// Requirement is a node selector requirement; NodePools and NodeClaims also have Gte and Lte.
func Requirement(from *v1.NodeSelectorRequirement) karp.Requirement {
	out := karp.Requirement{Key: from.Key, Op: nodeOperators[from.Operator], Values: from.Values}
	switch from.Operator {
	case "Gte":
		out.Op = karp.OpGte
	case "Lte":
		out.Op = karp.OpLte
	}
	return out
}
