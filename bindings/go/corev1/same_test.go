// SPDX-License-Identifier: Apache-2.0

package corev1

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	karp "libkarp.dev/go"
	"libkarp.dev/go/document"
)

// One cluster through both doors has to be one decision: as documents, and as the types these documents decode to.

const status = `"status": {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]}`

func podText(name, meta, spec string) string {
	return fmt.Sprintf(`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": %q, "namespace": "default", "uid": "u-%s",
		"creationTimestamp": "2026-05-01T00:00:00Z", "labels": {"app": "web", "n": %q}%s}, "spec": {%s}, %s}`, name, name, name, meta, spec, status)
}

func wants(cpu, more string) string {
	return fmt.Sprintf(`"containers": [{"name": "c", "resources": {"requests": {"cpu": %q, "memory": "1Gi"}}%s}]`, cpu, more)
}

var objects = []string{
	`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default", "labels": {"team": "a"}}}`,
	podText("plain", "", wants("1", "")),
	podText("limits", "", `"containers": [{"name": "c", "resources": {"limits": {"cpu": "1500m", "memory": "3Gi"}}}]`),
	podText("fine", "", wants("333m", "")),
	podText("tiny", "", wants("1u", "")),
	podText("large", "", wants("100", "")),
	podText("sidecar", "", `"initContainers": [{"name": "i", "restartPolicy": "Always", "resources": {"requests": {"cpu": "1"}}},
		{"name": "j", "resources": {"requests": {"cpu": "5"}}}], `+wants("2", "")),
	podText("level", "", `"resources": {"requests": {"cpu": "3"}, "limits": {"memory": "2Gi"}}, `+wants("1", "")),
	podText("overhead", "", `"overhead": {"cpu": "250m"}, "runtimeClassName": "x", `+wants("1", "")),
	podText("port-1", "", wants("100m", `, "ports": [{"containerPort": 80, "hostPort": 8080, "protocol": "TCP"}]`)),
	podText("port-2", "", wants("100m", `, "ports": [{"containerPort": 80, "hostPort": 8080, "protocol": "TCP", "hostIP": "127.0.0.1"}]`)),
	podText("selects", "", `"nodeSelector": {"topology.kubernetes.io/zone": "b"}, `+wants("1", "")),
	podText("nowhere", "", `"nodeSelector": {"topology.kubernetes.io/zone": "z"}, `+wants("1", "")),
	podText("affinity", "", `"affinity": {"nodeAffinity": {
		"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [
			{"key": "topology.kubernetes.io/zone", "operator": "NotIn", "values": ["a"]}, {"key": "gpu", "operator": "DoesNotExist"}]}]},
		"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 5, "preference": {"matchExpressions": [
			{"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["t8"]}]}}]}}, `+wants("1", "")),
	podText("together", "", `"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "topology.kubernetes.io/zone",
		"labelSelector": {"matchLabels": {"n": "selects"}}, "namespaceSelector": {}}]}}, `+wants("1", "")),
	podText("apart", "", `"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "kubernetes.io/hostname",
		"labelSelector": {"matchExpressions": [{"key": "app", "operator": "Exists"}]}}],
		"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 9, "podAffinityTerm": {"topologyKey": "topology.kubernetes.io/zone",
		"labelSelector": {"matchLabels": {"app": "web"}}, "namespaces": ["default"]}}]}}, `+wants("1", "")),
	podText("spread-1", "", spreadText), podText("spread-2", "", spreadText), podText("spread-3", "", spreadText),
	podText("tolerates", "", `"tolerations": [{"key": "dedicated", "operator": "Equal", "value": "x", "effect": "NoSchedule"}, {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}], `+wants("1", "")),
	podText("priority", `, "annotations": {"karpenter.sh/do-not-disrupt": "true"}, "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet",
		"name": "r", "uid": "ru", "controller": true}]`, `"priority": 1000, "priorityClassName": "high", "terminationGracePeriodSeconds": 5, `+wants("1", "")),
	podText("claimed", "", `"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}], `+wants("1", "")),
	podText("unclaimed", "", `"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "missing"}}], `+wants("1", "")),
	podText("ephemeral", "", `"volumes": [{"name": "scratch", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}}], `+wants("1", "")),
	`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "bound", "namespace": "default", "uid": "u-bound", "labels": {"app": "web"}},
		"spec": {"nodeName": "n1", ` + wants("2", "") + `}, "status": {"phase": "Running", "startTime": "2026-05-02T00:00:00Z"}}`,
	`{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data", "namespace": "default"},
		"spec": {"storageClassName": "zonal"}, "status": {"phase": "Pending"}}`,
	`{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "ephemeral-scratch", "namespace": "default",
		"annotations": {"pv.kubernetes.io/bind-completed": "yes"}}, "spec": {"volumeName": "vol"}, "status": {"phase": "Bound"}}`,
	`{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "vol"}, "spec": {"csi": {"driver": "csi.test", "volumeHandle": "h"},
		"nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["b"]}]}]}}}}`,
	`{"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "zonal"}, "provisioner": "csi.test",
		"volumeBindingMode": "WaitForFirstConsumer", "allowedTopologies": [{"matchLabelExpressions": [{"key": "topology.kubernetes.io/zone", "values": ["b"]}]}]}`,
	`{"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": "n1"}, "spec": {"drivers": [{"name": "csi.test", "nodeID": "n1", "allocatable": {"count": 3}}]}}`,
	`{"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b", "namespace": "default"}, "spec": {"maxUnavailable": "50%",
		"selector": {"matchLabels": {"app": "web"}}}, "status": {"disruptionsAllowed": 1}}`,
	`{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "creationTimestamp": "2026-05-01T00:00:00Z", "labels": {"kubernetes.io/hostname": "n1", "topology.kubernetes.io/zone": "a"}},
		"spec": {"providerID": "other://n1", "taints": [{"key": "dedicated", "value": "x", "effect": "NoSchedule"}]},
		"status": {"capacity": {"cpu": "8", "memory": "16Gi", "pods": "10"}, "allocatable": {"cpu": "7910m", "memory": "15Gi", "pods": "10"},
		"conditions": [{"type": "Ready", "status": "True"}]}}`,
	`{"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "agent", "namespace": "default", "uid": "ds"}, "spec": {"selector": {"matchLabels": {"app": "agent"}},
		"template": {"metadata": {"labels": {"app": "agent"}}, "spec": {"tolerations": [{"operator": "Exists"}], "containers": [{"name": "a", "resources": {"limits": {"cpu": "200m"}}}]}}}}`,
	`{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "default"}, "spec": {"selector": {"app": "web"}}}`,
	`{"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db", "namespace": "default"}, "spec": {"serviceName": "db", "replicas": 0,
		"selector": {"matchLabels": {"app": "db"}}, "template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{"name": "c"}]}}}}`,
}

const spreadText = `"topologySpreadConstraints": [{"maxSkew": 1, "minDomains": 2, "topologyKey": "topology.kubernetes.io/zone",
	"whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": "web"}}, "matchLabelKeys": ["app"], "nodeTaintsPolicy": "Honor"},
	{"maxSkew": 2, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": {"matchLabels": {"app": "web"}}}],
	"containers": [{"name": "c", "resources": {"requests": {"cpu": "700m", "memory": "1Gi"}}}]`

func decoded[T any](t *testing.T, text string) *T {
	out := new(T)
	if err := json.Unmarshal([]byte(text), out); err != nil {
		t.Fatal(err)
	}
	return out
}

func feedOne(t *testing.T, f *Feeder, text string) error {
	kind := decoded[struct{ Kind string }](t, text).Kind
	switch kind {
	case "Pod":
		return f.AddPod(decoded[v1.Pod](t, text))
	case "Node":
		return f.AddNode(decoded[v1.Node](t, text))
	case "Namespace":
		return f.AddNamespace(decoded[v1.Namespace](t, text))
	case "DaemonSet":
		return f.AddDaemonSet(decoded[appsv1.DaemonSet](t, text))
	case "StatefulSet":
		return f.AddStatefulSet(decoded[appsv1.StatefulSet](t, text))
	case "Service":
		return f.AddService(decoded[v1.Service](t, text))
	case "PersistentVolumeClaim":
		return f.AddPersistentVolumeClaim(decoded[v1.PersistentVolumeClaim](t, text))
	case "PersistentVolume":
		return f.AddPersistentVolume(decoded[v1.PersistentVolume](t, text))
	case "StorageClass":
		return f.AddStorageClass(decoded[storagev1.StorageClass](t, text))
	case "CSINode":
		return f.AddCSINode(decoded[storagev1.CSINode](t, text))
	case "PodDisruptionBudget":
		return f.AddPodDisruptionBudget(decoded[policyv1.PodDisruptionBudget](t, text))
	}
	return errors.New("no door for " + kind)
}

const poolText = `{"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "default"}, "spec": {"template": {"spec": {
	"nodeClassRef": {"group": "karpenter.test", "kind": "TestNodeClass", "name": "default"}, "requirements": []}}},
	"status": {"conditions": [{"type": "Ready", "status": "True"}, {"type": "ValidationSucceeded", "status": "True"}, {"type": "NodeClassReady", "status": "True"}]}}`

func pool() *karp.NodePool {
	ready := []karp.Condition{{Type: "Ready", Status: "True"}, {Type: "ValidationSucceeded", Status: "True"}, {Type: "NodeClassReady", Status: "True"}}
	return &karp.NodePool{Meta: karp.Meta{Name: "default"}, Conditions: ready,
		NodeClass: karp.NodeClassRef{Group: "karpenter.test", Kind: "TestNodeClass", Name: "default"}}
}

func types() ([]karp.InstanceType, string) {
	in := func(key string, values ...string) karp.Requirement {
		return karp.Requirement{Key: key, Op: karp.OpIn, Values: values}
	}
	var out []karp.InstanceType
	var texts []string
	for _, cpu := range []int{2, 4, 8, 16} {
		name := fmt.Sprintf("t%d", cpu)
		one := karp.InstanceType{Name: name, Requirements: []karp.Requirement{in("node.kubernetes.io/instance-type", name)},
			Capacity: []karp.Resource{{Name: "cpu", Value: int64(cpu)}, {Name: "memory", Text: "64Gi"}, {Name: "pods", Value: 20}}}
		var offers []string
		for i, zone := range []string{"a", "b"} {
			price := float64(cpu) + float64(i)/2
			one.Offerings = append(one.Offerings, karp.Offering{Price: price, Available: true,
				Requirements: []karp.Requirement{in("topology.kubernetes.io/zone", zone), in("karpenter.sh/capacity-type", "on-demand")}})
			offers = append(offers, fmt.Sprintf(`{"zone": %q, "capacityType": "on-demand", "price": %g, "available": true}`, zone, price))
		}
		out = append(out, one)
		texts = append(texts, fmt.Sprintf(`{"name": %q, "labels": {"node.kubernetes.io/instance-type": [%q]}, "requirements": [],
			"capacity": {"cpu": "%d", "memory": "64Gi", "pods": "20"}, "offerings": [%s]}`, name, name, cpu, strings.Join(offers, ", ")))
	}
	return out, strings.Join(texts, ",\n")
}

// lines of what became of each pod, and the hash.
func outcome(t *testing.T, s *karp.Snapshot) (string, string) {
	d, err := s.Provision(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var b strings.Builder
	launches, err := d.Launches()
	placements, err2 := d.Placements()
	left, err3 := d.Unschedulable()
	ignored, err4 := d.Ignored()
	hash, err5 := d.Hash()
	if err := errors.Join(err, err2, err3, err4, err5); err != nil {
		t.Fatal(err)
	}
	for _, l := range launches {
		fmt.Fprintln(&b, "new", l.Choice, l.Pods, l.Requests)
	}
	for _, p := range placements {
		fmt.Fprintln(&b, "node", p.Node, p.Pods)
	}
	for _, u := range left {
		fmt.Fprintln(&b, "no", u.Pod, u.Code)
	}
	for _, i := range ignored {
		fmt.Fprintln(&b, "ignored", i.Pod, i.Code)
	}
	return b.String(), hash
}

func TestSameDecision(t *testing.T) {
	given, text := types()
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
	err = errors.Join(builder.SetNow(time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)), builder.AddCatalogue(catalogue), builder.AddNodePool(pool()))
	feeder := NewFeeder(builder)
	for _, object := range objects {
		err = errors.Join(err, feedOne(t, feeder, object))
	}
	if err != nil {
		t.Fatal(err)
	}
	typed, err := builder.Finish()
	if err != nil {
		t.Fatal(err)
	}
	defer typed.Close()
	snapshot := fmt.Sprintf(`{"apiVersion": "karp/v1", "kind": "Snapshot", "now": "2026-06-01T00:00:00Z", "catalogues": [{"instanceTypes": [%s]}], "objects": [%s]}`,
		text, strings.Join(append(objects, poolText), ",\n"))
	input, err := document.ReadBytes(&document.Options{Strict: true}, "both", []byte(snapshot))
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	got, gotHash := outcome(t, typed)
	want, wantHash := outcome(t, input.Snapshot)
	if got != want || gotHash != wantHash {
		t.Fatalf("typed\n%s\ndocuments\n%s", got, want)
	}
	if strings.Count(got, "\n") < 8 || !strings.Contains(got, "no default/large") || !strings.Contains(got, "node n1 [") {
		t.Fatalf("not much of a test:\n%s", got)
	}
}

// Amounts are exact, whatever form a quantity has.
func TestAmount(t *testing.T) {
	for text, want := range map[string]karp.Resource{
		"1": {Value: 1}, "250m": {Value: 250, Scale: -3}, "1.5": {Value: 1500, Scale: -3}, "512Mi": {Text: "512Mi"}, "1024Mi": {Text: "1Gi"}, "0": {},
		"1u": {Text: "1u"}, "1n": {Text: "1n"}, "100k": {Value: 100000}, "9223372036854775807": {Text: "9223372036854775807"},
	} {
		q := resource.MustParse(text)
		if got := Amount("", &q); got != want {
			t.Errorf("%s: %+v, wanted %+v", text, got, want)
		}
	}
}

func BenchmarkDoorJSON(b *testing.B) {
	pods := typical(10000)
	for b.Loop() {
		items, err := json.Marshal(pods)
		if err != nil {
			b.Fatal(err)
		}
		text := append(append([]byte(`{"apiVersion": "v1", "kind": "List", "items": `), items...), '}')
		input, err := document.ReadBytes(nil, "pods", text)
		if err != nil {
			b.Fatal(err)
		}
		input.Close()
	}
}
