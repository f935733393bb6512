// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Requests as cluster-autoscaler writes them, for tests and benchmarks.

// An offered option is what a client has: its own numbers are what it goes on with.
type offered struct {
	group string
	nodes int32
	pods  []*v1.Pod
}

func quantity(t testing.TB, text string) resource.Quantity {
	t.Helper()
	q, err := resource.ParseQuantity(text)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func podOf(t testing.TB, name, cpu, memory string, change ...func(*v1.Pod)) *v1.Pod {
	p := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: "one-for-all", Labels: map[string]string{"app": "web"}},
		Spec: v1.PodSpec{Containers: []v1.Container{{Name: "c", Image: "web:1",
			Resources: v1.ResourceRequirements{Requests: v1.ResourceList{"cpu": quantity(t, cpu), "memory": quantity(t, memory)}}}}}}
	for _, c := range change {
		c(p)
	}
	return p
}

// typicalPod has what pods of clusters have, and about the size of those that were recorded.
func typicalPod(i int) *v1.Pod {
	requests := v1.ResourceList{"cpu": *resource.NewMilliQuantity(int64(100+i%7*50), resource.DecimalSI),
		"memory": *resource.NewQuantity(int64(256+i%5*128)<<20, resource.BinarySI)}
	owner := metav1.OwnerReference{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web-5c7", UID: "9c8c5c3e-0000-4000-8000-000000000002"}
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("web-%d", i), Namespace: "default", UID: "9c8c5c3e-0000-4000-8000-000000000001",
			Labels: map[string]string{"app": "web", "tier": "front"}, OwnerReferences: []metav1.OwnerReference{owner}},
		Spec: v1.PodSpec{
			Containers: []v1.Container{{Name: "c", Image: "registry.example/web:1.2.3", Resources: v1.ResourceRequirements{Requests: requests},
				Env:          []v1.EnvVar{{Name: "A", Value: "b"}, {Name: "C", Value: "d"}},
				VolumeMounts: []v1.VolumeMount{{Name: "token", MountPath: "/var/run/secrets/kubernetes.io/serviceaccount"}}}},
			Tolerations: []v1.Toleration{{Key: "node.kubernetes.io/not-ready", Operator: "Exists", Effect: "NoExecute"}},
			TopologySpreadConstraints: []v1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: "DoNotSchedule",
				LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}}}}
}

func nodeOf(t testing.TB, name, cpu, memory string, labels map[string]string, taints ...v1.Taint) *v1.Node {
	all := map[string]string{v1.LabelArchStable: "amd64", v1.LabelOSStable: "linux", v1.LabelHostname: "template-" + name, v1.LabelTopologyZone: "a"}
	for key, value := range labels {
		all[key] = value
	}
	has := v1.ResourceList{"cpu": quantity(t, cpu), "memory": quantity(t, memory), "pods": quantity(t, "110")}
	return &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "template-" + name, Labels: all}, Spec: v1.NodeSpec{Taints: taints},
		Status: v1.NodeStatus{Capacity: has, Allocatable: has}}
}

func marshal(t testing.TB, object interface{ Marshal() ([]byte, error) }) []byte {
	t.Helper()
	bytes, err := object.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

func appendBytes(to []byte, number protowire.Number, bytes []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(to, number, protowire.BytesType), bytes)
}

// encodeRequest writes the message.
func encodeRequest(t testing.TB, options []offered, templates map[string]*v1.Node) []byte {
	t.Helper()
	encoded := map[*v1.Pod][]byte{}
	var out []byte
	for _, o := range options {
		inner := appendBytes(nil, optionGroup, []byte(o.group))
		inner = protowire.AppendVarint(protowire.AppendTag(inner, optionNodes, protowire.VarintType), uint64(o.nodes))
		inner = appendBytes(inner, optionDebug, []byte(o.group))
		for _, p := range o.pods {
			if encoded[p] == nil {
				encoded[p] = marshal(t, p)
			}
			inner = appendBytes(inner, optionPods, encoded[p])
		}
		out = appendBytes(out, requestOptions, inner)
	}
	for id, node := range templates {
		entry := appendBytes(nil, entryKey, []byte(id))
		out = appendBytes(out, requestTemplates, appendBytes(entry, entryValue, marshal(t, node)))
	}
	return out
}

// sized is a request of so many groups that all offer so many pods.
func sized(t testing.TB, groups, pods int) []byte {
	all := make([]*v1.Pod, pods)
	for i := range all {
		all[i] = typicalPod(i)
	}
	var options []offered
	templates := map[string]*v1.Node{}
	for i := range groups {
		id, cpu := fmt.Sprintf("g%03d", i), 2<<(i%5)
		options = append(options, offered{id, int32(1 + pods/(8<<(i%5))), all})
		templates[id] = nodeOf(t, id, fmt.Sprint(cpu), fmt.Sprintf("%dGi", 4*cpu), map[string]string{v1.LabelInstanceTypeStable: id})
	}
	return encodeRequest(t, options, templates)
}

// apart is a request of so many groups with a pod of its own each.
func apart(t testing.TB, groups int) []byte {
	var options []offered
	templates := map[string]*v1.Node{}
	for i := range groups {
		id, cpu := fmt.Sprintf("g%04d", i), 2<<(i%5)
		options = append(options, offered{id, 1, []*v1.Pod{typicalPod(i)}})
		templates[id] = nodeOf(t, id, fmt.Sprint(cpu), fmt.Sprintf("%dGi", 4*cpu), map[string]string{v1.LabelInstanceTypeStable: id})
	}
	return encodeRequest(t, options, templates)
}
