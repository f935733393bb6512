// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What pods have in common is decoded once; each comes out as if it had been decoded alone.
func TestReadPods(t *testing.T) {
	var all []*v1.Pod
	for i := range 3 {
		name := func(of string) string { return fmt.Sprintf("%s-%d", of, i) }
		created := func(p *v1.Pod) { p.CreationTimestamp = metav1.Unix(1_700_000_000+int64(i), 0) }
		elsewhere := func(p *v1.Pod) { p.Namespace = "elsewhere" }
		labelled := func(p *v1.Pod) { p.Labels = map[string]string{"app": "other", "tier": "front"} }
		bound := func(p *v1.Pod) {
			p.Annotations, p.Spec.NodeName, p.DeletionTimestamp = map[string]string{"a": "b"}, "node", &metav1.Time{Time: time.Unix(1, 0)}
			p.Status = v1.PodStatus{Phase: v1.PodRunning, NominatedNodeName: "node"}
			p.Spec.Volumes = []v1.Volume{{Name: "v"}}
			p.Spec.Containers[0].Resources.Claims = []v1.ResourceClaim{{Name: "c"}}
		}
		all = append(all, podOf(t, name("a"), "1", "1Gi"), podOf(t, name("a"), "1", "1Gi", elsewhere), podOf(t, name("b"), "1", "1Gi", created),
			podOf(t, name("c"), "1", "1Gi", labelled), podOf(t, name("d"), "2", "1Gi"), podOf(t, name("e"), "2", "1Gi", bound), typicalPod(i))
	}
	reader := podReader{alike: map[string]*v1.Pod{}}
	for i, p := range all {
		bytes := marshal(t, p)
		got, err := reader.read(bytes)
		good(t, err)
		want := &v1.Pod{}
		good(t, want.Unmarshal(bytes))
		strip(want)
		want.OwnerReferences = got.OwnerReferences
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("pod %d, %s:\n%v\nwanted\n%v", i, p.Name, got, want)
		}
		allowances{7: {"here"}}.restrict(got, 7) // which is not to be seen by the next
	}
	if len(reader.alike) != 8 { // b is as a is; the three typical ones have other amounts
		t.Fatal(len(reader.alike))
	}
}

func TestReadBadPods(t *testing.T) {
	bytes := marshal(t, podOf(t, "a", "1", "1Gi"))
	for name, bad := range map[string][]byte{
		"cut off":              bytes[:len(bytes)-1],
		"metadata that is not": appendBytes(nil, podMeta, []byte("\x0a\x05a")),
		"a time that is not":   appendBytes(nil, podMeta, appendBytes(nil, metaCreated, []byte("\x08"))),
		"labels that are not":  appendBytes(nil, podMeta, appendBytes(nil, metaLabels, []byte("\x0a"))),
		"a spec that is not":   appendBytes(bytes, podSpec, []byte("\x12\xff\xff")),
		"metadata as a number": protowire.AppendVarint(protowire.AppendTag(nil, podMeta, protowire.VarintType), 1),
	} {
		reader := podReader{alike: map[string]*v1.Pod{}}
		if _, err := reader.read(bytes); err != nil {
			t.Fatal(err)
		}
		if p, err := reader.read(bad); err == nil {
			t.Errorf("%s: read as %v", name, p)
		}
	}
}
