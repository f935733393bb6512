// SPDX-License-Identifier: Apache-2.0

package corev1

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	karp "libkarp.dev/go"
)

func pointer[T any](value T) *T { return &value }

func amountsFor(cpu string) v1.ResourceList {
	return v1.ResourceList{"cpu": resource.MustParse(cpu), "memory": resource.MustParse("1Gi")}
}

// full is a pod with something in every place that is read.
func full() *v1.Pod {
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"},
		MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "n", Operator: metav1.LabelSelectorOpIn, Values: []string{"1", "2"}}}}
	term := v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{{Key: "k", Operator: v1.NodeSelectorOpIn, Values: []string{"v"}}}}
	podTerm := v1.PodAffinityTerm{TopologyKey: "zone", LabelSelector: selector.DeepCopy(), NamespaceSelector: selector.DeepCopy(), Namespaces: []string{"default"}}
	container := v1.Container{Name: "c", RestartPolicy: pointer(v1.ContainerRestartPolicyAlways),
		Resources: v1.ResourceRequirements{Requests: amountsFor("1"), Limits: amountsFor("2")}, Ports: []v1.ContainerPort{{HostPort: 80, HostIP: "10.0.0.1", Protocol: "TCP"}}}
	status := v1.ContainerStatus{Name: "c", AllocatedResources: amountsFor("1"), Resources: &v1.ResourceRequirements{Requests: amountsFor("1")}}
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "web-1", Namespace: "shop", UID: "u-1", Labels: map[string]string{"app": "web", "tier": "front"},
			Annotations: map[string]string{"karpenter.sh/do-not-disrupt": "true"}, CreationTimestamp: metav1.Unix(1780000000, 0),
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web", UID: "owner", Controller: pointer(true)}}},
		Spec: v1.PodSpec{NodeSelector: map[string]string{"kubernetes.io/arch": "amd64"}, Priority: pointer(int32(5)), PriorityClassName: "high",
			TerminationGracePeriodSeconds: pointer(int64(30)), NodeName: "n1",
			Containers: []v1.Container{*container.DeepCopy()}, InitContainers: []v1.Container{*container.DeepCopy()},
			Tolerations: []v1.Toleration{{Key: "k", Operator: "Equal", Value: "v", Effect: "NoExecute", TolerationSeconds: pointer(int64(3))}},
			TopologySpreadConstraints: []v1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: "DoNotSchedule", LabelSelector: selector,
				MinDomains: pointer(int32(2)), NodeAffinityPolicy: pointer(v1.NodeInclusionPolicyHonor), NodeTaintsPolicy: pointer(v1.NodeInclusionPolicyHonor),
				MatchLabelKeys: []string{"app"}}},
			Affinity: &v1.Affinity{NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{term}},
				PreferredDuringSchedulingIgnoredDuringExecution: []v1.PreferredSchedulingTerm{{Weight: 1, Preference: term}}},
				PodAffinity:     &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{podTerm}},
				PodAntiAffinity: &v1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{{Weight: 1, PodAffinityTerm: podTerm}}}},
			Overhead: amountsFor("100m"), Resources: &v1.ResourceRequirements{Requests: amountsFor("3")},
			Volumes: []v1.Volume{{Name: "token", VolumeSource: v1.VolumeSource{Projected: &v1.ProjectedVolumeSource{}}},
				{Name: "data", VolumeSource: v1.VolumeSource{PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: "data"}}}}},
		Status: v1.PodStatus{Phase: v1.PodRunning, StartTime: pointer(metav1.Unix(1780000001, 0)), NominatedNodeName: "n2",
			Conditions:        []v1.PodCondition{{Type: v1.PodReady, Status: v1.ConditionFalse, Reason: "x"}},
			ContainerStatuses: []v1.ContainerStatus{*status.DeepCopy()}, InitContainerStatuses: []v1.ContainerStatus{*status.DeepCopy()}},
	}
}

// A mutator changes one place of a pod, found by the same path in any copy of it.
type mutator struct {
	path  string
	apply func(reflect.Value)
}

var quantityType, timeType = reflect.TypeFor[resource.Quantity](), reflect.TypeFor[metav1.Time]()

// mutators of everything that can be reached in a value.
func mutators(path string, v reflect.Value, find func(reflect.Value) reflect.Value) []mutator {
	change := func(name string, how func(at reflect.Value)) mutator {
		return mutator{path + name, func(root reflect.Value) { how(find(root)) }}
	}
	var out []mutator
	switch {
	case v.Type() == quantityType:
		return []mutator{change(" doubled", func(at reflect.Value) {
			q := at.Interface().(resource.Quantity).DeepCopy()
			q.Add(q.DeepCopy())
			at.Set(reflect.ValueOf(q))
		})}
	case v.Type() == timeType:
		return []mutator{change(" later", func(at reflect.Value) { at.Set(reflect.ValueOf(metav1.Unix(1790000000, 0))) })}
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out = append(out, mutators(path+"."+v.Type().Field(i).Name, v.Field(i), func(root reflect.Value) reflect.Value { return find(root).Field(i) })...)
			}
		}
	case reflect.Pointer:
		if v.IsNil() {
			return []mutator{change(" made", func(at reflect.Value) { at.Set(reflect.New(at.Type().Elem())) })}
		}
		out = append(out, change(" gone", func(at reflect.Value) { at.SetZero() }))
		out = append(out, mutators(path, v.Elem(), func(root reflect.Value) reflect.Value { return find(root).Elem() })...)
	case reflect.Slice:
		out = append(out, change(" longer", func(at reflect.Value) { at.Set(reflect.Append(at, reflect.New(at.Type().Elem()).Elem())) }))
		if v.Len() > 0 {
			out = append(out, change(" shorter", func(at reflect.Value) { at.Set(at.Slice(0, at.Len()-1)) }))
			out = append(out, change(" twice", func(at reflect.Value) { at.Set(reflect.Append(at, at.Index(0))) }))
		}
		for i := range v.Len() {
			out = append(out, mutators(fmt.Sprintf("%s[%d]", path, i), v.Index(i), func(root reflect.Value) reflect.Value { return find(root).Index(i) })...)
		}
	case reflect.Map:
		key, value := reflect.ValueOf("new").Convert(v.Type().Key()), reflect.New(v.Type().Elem()).Elem()
		if v.Type().Elem() == quantityType {
			value.Set(reflect.ValueOf(resource.MustParse("7")))
		}
		out = append(out, change(" longer", func(at reflect.Value) {
			if at.IsNil() {
				at.Set(reflect.MakeMap(at.Type()))
			}
			at.SetMapIndex(key, value)
		}))
		for _, k := range v.MapKeys() {
			out = append(out, change(" without "+k.String(), func(at reflect.Value) { at.SetMapIndex(k, reflect.Value{}) }))
			out = append(out, change(" other "+k.String(), func(at reflect.Value) {
				if now := at.MapIndex(k); now.Type() == quantityType {
					at.SetMapIndex(k, value)
				} else {
					at.SetMapIndex(k, reflect.ValueOf(now.String()+"x"))
				}
			}))
		}
	case reflect.String:
		out = append(out, change(" other", func(at reflect.Value) { at.SetString(at.String() + "x") }))
	case reflect.Bool:
		out = append(out, change(" other", func(at reflect.Value) { at.SetBool(!at.Bool()) }))
	case reflect.Int, reflect.Int32, reflect.Int64:
		out = append(out, change(" other", func(at reflect.Value) { at.SetInt(at.Int() + 1) }))
	}
	return out
}

// shared is the pod as the builder gets it, without what a templated pod has of its own, and without what the builder
// does not read: names of volumes that are no claims.
func shared(pod *v1.Pod) string {
	out := *NewFeeder(nil).whole(pod)
	out.Meta.Name, out.Meta.UID, out.Meta.Created, out.Meta.Deleted = "", "", time.Time{}, time.Time{}
	out.NodeName, out.NominatedNodeName, out.Phase, out.StartTime, out.Conditions = "", "", 0, time.Time{}, nil
	var volumes []karp.PodVolume
	for _, v := range out.Volumes {
		if v.Kind == karp.VolumeClaim {
			v.Name = ""
		}
		if v.Kind != karp.VolumeOther {
			volumes = append(volumes, v)
		}
	}
	out.Volumes = volumes
	return describe(reflect.ValueOf(out))
}

// describe writes a value out, with what pointers point at, and no difference between an empty list and none.
func describe(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return "nil"
		}
		return "&" + describe(v.Elem())
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return fmt.Sprint(v.Interface())
		}
		var b strings.Builder
		for i := range v.NumField() {
			fmt.Fprintf(&b, "%s: %s, ", v.Type().Field(i).Name, describe(v.Field(i)))
		}
		return "{" + b.String() + "}"
	case reflect.Slice:
		var b strings.Builder
		for i := range v.Len() {
			b.WriteString(describe(v.Index(i)) + "; ")
		}
		return "[" + b.String() + "]"
	}
	return fmt.Sprintf("%#v", v.Interface()) // maps by key
}

// Whatever differs between two pods that the pattern takes for one is a pod's own.
func TestPatternsSeeAllThatIsRead(t *testing.T) {
	base := full()
	var p pattern
	p.copy(base)
	if !p.matches(full()) {
		t.Fatal("a pod is not like its copy")
	}
	all := mutators("pod", reflect.ValueOf(base).Elem(), func(root reflect.Value) reflect.Value { return root })
	alike, different := 0, 0
	for _, m := range all {
		pod := full()
		m.apply(reflect.ValueOf(pod).Elem())
		if !p.matches(pod) {
			different++
			continue
		}
		alike++
		if got, want := shared(pod), shared(base); got != want {
			t.Errorf("%s is not seen:\n%s\n%s", m.path, got, want)
		}
	}
	if alike < 50 || different < 150 {
		t.Fatalf("not much of a test: %d alike, %d different", alike, different)
	}
	for name, change := range map[string]func(*v1.Pod){
		"names":   func(pod *v1.Pod) { pod.Name, pod.UID = "web-2", "u-2" },
		"times":   func(pod *v1.Pod) { pod.CreationTimestamp, pod.Status.StartTime = metav1.Unix(1780000005, 0), nil },
		"status":  func(pod *v1.Pod) { pod.Status.Phase, pod.Status.Conditions = v1.PodPending, nil },
		"volumes": func(pod *v1.Pod) { pod.Spec.Volumes[0].Name = "token-2" },
		"image":   func(pod *v1.Pod) { pod.Spec.Containers[0].Image = "other" },
	} {
		pod := full()
		if change(pod); !p.matches(pod) {
			t.Errorf("%s make a difference", name)
		}
	}
}

// The same pods with and without owners to know them by are one snapshot.
func TestPatternsChangeNothing(t *testing.T) {
	decide := func(owned bool) string {
		given, _ := types()
		builder, err := karp.NewBuilder(nil)
		if err != nil {
			t.Fatal(err)
		}
		defer builder.Close()
		catalogue, err := karp.NewCatalogue(nil, given)
		if err != nil {
			t.Fatal(err)
		}
		defer catalogue.Close()
		err = errors.Join(builder.AddCatalogue(catalogue), builder.AddNodePool(pool()))
		feeder := NewFeeder(builder)
		for i := range 60 {
			pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("p-%02d", i), UID: "u", Labels: map[string]string{"app": "web"}},
				Spec:   v1.PodSpec{Containers: []v1.Container{{Name: "c", Resources: v1.ResourceRequirements{Requests: amountsFor("1")}}}},
				Status: v1.PodStatus{Phase: v1.PodPending, Conditions: []v1.PodCondition{{Type: "PodScheduled", Status: "False", Reason: "Unschedulable"}}}}
			switch i % 5 {
			case 1:
				pod.Spec.Containers[0].Resources.Requests = amountsFor("3")
			case 2:
				pod.Labels["pod"] = pod.Name // as a StatefulSet's have
			case 3:
				pod.Status.Conditions = nil
			}
			if owned {
				pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web", UID: "r"}}
			}
			err = errors.Join(err, feeder.AddPod(pod))
		}
		if err != nil {
			t.Fatal(err)
		}
		snapshot, err := builder.Finish()
		if err != nil {
			t.Fatal(err)
		}
		defer snapshot.Close()
		text, _ := outcome(t, snapshot)
		return text
	}
	if plain, owned := decide(false), decide(true); plain != owned || len(plain) < 100 {
		t.Fatalf("%s\n%s", plain, owned)
	}
}

// A feeder goes on when its builder was finished, and tells the errors of each pod.
func TestPatternsOutliveNothing(t *testing.T) {
	builder, err := karp.NewBuilder(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer builder.Close()
	feeder := NewFeeder(builder)
	add := func(i int) error {
		pod := full()
		pod.Name, pod.Status = fmt.Sprintf("p-%d", i), v1.PodStatus{}
		pod.Spec.Volumes = nil // a pod whose volume is not there is like no other
		return feeder.AddPod(pod)
	}
	for range 2 {
		for i := range 4 {
			if err := add(i); err != nil {
				t.Fatal(err)
			}
		}
		if err := add(3); !errors.Is(err, karp.ErrDuplicate) {
			t.Fatal(err)
		}
		snapshot, err := builder.Finish()
		if err != nil {
			t.Fatal(err)
		}
		counts, err := snapshot.Counts()
		if err != nil || counts.Pods != 4 || counts.PodClasses != 1 {
			t.Fatal(counts, err)
		}
		snapshot.Close()
	}
}
