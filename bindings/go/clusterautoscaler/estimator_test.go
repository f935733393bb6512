// SPDX-License-Identifier: Apache-2.0

package clusterautoscaler

import (
	"fmt"
	"math/rand/v2"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/cluster-autoscaler/pkg/estimator"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot/testsnapshot"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
)

func amounts(cpu, memory string) corev1.ResourceList {
	return corev1.ResourceList{"cpu": resource.MustParse(cpu), "memory": resource.MustParse(memory)}
}

func node(name, zone, cpu, memory string) *corev1.Node {
	out := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name, corev1.LabelTopologyZone: zone}}}
	out.Status.Allocatable = amounts(cpu, memory)
	out.Status.Allocatable["pods"] = resource.MustParse("110")
	out.Status.Capacity = out.Status.Allocatable
	out.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	return out
}

// pods are alike and of one ReplicaSet.
func pods(app string, count int, cpu, memory string, change ...func(*corev1.Pod)) []*corev1.Pod {
	out := make([]*corev1.Pod, count)
	yes := true
	for i := range out {
		out[i] = &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: fmt.Sprintf("%s-%d", app, i), Labels: map[string]string{"app": app},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: app, UID: types.UID("u-" + app), Controller: &yes}}}}
		out[i].UID = types.UID(out[i].Name)
		out[i].Spec.Containers = []corev1.Container{{Name: "main", Resources: corev1.ResourceRequirements{Requests: amounts(cpu, memory)}}}
		out[i].Status.Phase = corev1.PodPending
		for _, f := range change {
			f(out[i])
		}
	}
	return out
}

func spread(key string, skew int32) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints, corev1.TopologySpreadConstraint{MaxSkew: skew, TopologyKey: key,
			WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: &metav1.LabelSelector{MatchLabels: pod.Labels}})
	}
}

func staysApart(key string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pod.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{
			{TopologyKey: key, LabelSelector: &metav1.LabelSelector{MatchLabels: pod.Labels}}}}}
	}
}

func hostPort(port int32) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pod.Spec.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: port, HostPort: port, Protocol: corev1.ProtocolTCP}}
	}
}

func groupsOf(lists ...[]*corev1.Pod) []estimator.PodEquivalenceGroup {
	var out []estimator.PodEquivalenceGroup
	for _, list := range lists {
		out = append(out, estimator.PodEquivalenceGroup{Pods: list})
	}
	return out
}

func snapshotWith(t testing.TB, infos ...*framework.NodeInfo) clustersnapshot.ClusterSnapshot {
	snapshot := testsnapshot.NewTestSnapshotOrDie(t)
	for _, info := range infos {
		if err := snapshot.AddNodeInfo(info); err != nil {
			t.Fatal(err)
		}
	}
	return snapshot
}

func running(nodeName string, list ...*corev1.Pod) []*framework.PodInfo {
	var out []*framework.PodInfo
	for _, pod := range list {
		pod.Spec.NodeName, pod.Status.Phase = nodeName, corev1.PodRunning
		out = append(out, framework.NewPodInfo(pod, nil))
	}
	return out
}

func atMost(nodes int) estimator.EstimationLimiter {
	return estimator.NewThresholdBasedEstimationLimiter([]estimator.Threshold{estimator.NewStaticThreshold(nodes, 0)})
}

func binpacking(snapshot clustersnapshot.ClusterSnapshot, limiter estimator.EstimationLimiter, fast bool) estimator.Estimator {
	return estimator.NewBinpackingNodeEstimator(snapshot, limiter, estimator.NewDecreasingPodOrderer(), nil, nil, fast)
}

func TestEstimate(t *testing.T) {
	template := framework.NewTestNodeInfo(node("template", "a", "4", "16Gi"))
	daemon := pods("agent", 1, "500m", "256Mi", hostPort(9100))[0]
	daemon.OwnerReferences[0].Kind = "DaemonSet"
	withDaemon := framework.NewTestNodeInfo(node("template", "a", "4", "16Gi"), daemon)
	elsewhere := framework.NewNodeInfo(node("old", "b", "1", "1Gi"), nil, running("old", pods("web", 1, "100m", "10Mi")...)...)
	for _, c := range []struct {
		name        string
		template    *framework.NodeInfo
		cluster     []*framework.NodeInfo
		groups      []estimator.PodEquivalenceGroup
		limit       int
		nodes, pods int
	}{
		{name: "resources", template: template, groups: groupsOf(pods("web", 10, "1", "1Gi")), nodes: 3, pods: 10},
		{name: "two groups that share nodes", template: template, groups: groupsOf(pods("web", 4, "3", "1Gi"), pods("job", 4, "1", "1Gi")), nodes: 4, pods: 8},
		{name: "a limit", template: template, groups: groupsOf(pods("web", 10, "1", "1Gi")), limit: 2, nodes: 2, pods: 8},
		{name: "too large", template: template, groups: groupsOf(pods("web", 2, "8", "1Gi")), nodes: 0, pods: 0},
		{name: "host ports", template: template, groups: groupsOf(pods("web", 3, "100m", "1Gi", hostPort(80))), nodes: 3, pods: 3},
		{name: "a DaemonSet takes its share", template: withDaemon, groups: groupsOf(pods("web", 8, "1", "1Gi")), nodes: 3, pods: 8},
		{name: "a DaemonSet has the port", template: withDaemon, groups: groupsOf(pods("web", 1, "1", "1Gi", hostPort(9100))), nodes: 0, pods: 0},
		{name: "spread over hosts", template: template, groups: groupsOf(pods("web", 6, "100m", "1Gi", staysApart(corev1.LabelHostname))), nodes: 6, pods: 6},
		{name: "spread over zones", template: template, cluster: []*framework.NodeInfo{elsewhere}, groups: groupsOf(pods("web", 6, "100m", "1Gi", spread(corev1.LabelTopologyZone, 1))),
			nodes: 1, pods: 2},
		{name: "apart from what runs in the zone", template: framework.NewTestNodeInfo(node("template", "b", "4", "16Gi")), cluster: []*framework.NodeInfo{elsewhere},
			groups: groupsOf(pods("web", 1, "100m", "1Gi", staysApart(corev1.LabelTopologyZone))), nodes: 0, pods: 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			limit := func() estimator.EstimationLimiter { return atMost(c.limit) }
			snapshot := snapshotWith(t, c.cluster...)
			nodes, placed := NewEstimatorBuilder(EstimatorOptions{Limiter: limit()})(snapshot, nil).Estimate(c.groups, c.template, nil)
			if nodes != c.nodes || len(placed) != c.pods {
				t.Errorf("%d nodes for %d pods, wanted %d for %d", nodes, len(placed), c.nodes, c.pods)
			}
			theirs, theirPods := binpacking(snapshot, limit(), false).Estimate(c.groups, c.template, nil)
			if theirs < nodes || len(theirPods) != len(placed) {
				t.Errorf("%d nodes for %d pods; the bin packing of cluster-autoscaler has %d for %d", nodes, len(placed), theirs, len(theirPods))
			}
		})
	}
}

func TestFallback(t *testing.T) {
	template := framework.NewTestNodeInfo(node("template", "a", "4", "16Gi"))
	claims := groupsOf(pods("db", 2, "1", "1Gi", func(pod *corev1.Pod) {
		pod.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"}}}}
	}))
	if nodes, placed := NewEstimatorBuilder(EstimatorOptions{})(snapshotWith(t), nil).Estimate(claims, template, nil); nodes != 0 || placed != nil {
		t.Errorf("%d nodes for pods with volumes", nodes)
	}
	other := func(snapshot clustersnapshot.ClusterSnapshot, _ estimator.EstimationContext) estimator.Estimator {
		return binpacking(snapshot, atMost(0), false)
	}
	simple := groupsOf(pods("web", 2, "1", "1Gi"))
	if nodes, placed := NewEstimatorBuilder(EstimatorOptions{Fallback: other})(snapshotWith(t), nil).Estimate(simple, template, nil); nodes != 1 || len(placed) != 2 {
		t.Errorf("%d nodes for %d pods", nodes, len(placed))
	}
}

// On random pods there are as many nodes as in the bin packing of cluster-autoscaler, or fewer, for the same pods, and no node has too much.
func TestEstimateLikeBinpacking(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	fewer, all := 0, 0
	for world := range 200 {
		template := framework.NewTestNodeInfo(node("template", "a", fmt.Sprint(2<<random.IntN(4)), fmt.Sprintf("%dGi", 8<<random.IntN(4))))
		var groups []estimator.PodEquivalenceGroup
		for g := range 1 + random.IntN(8) {
			var change []func(*corev1.Pod)
			switch random.IntN(8) {
			case 0:
				change = append(change, staysApart(corev1.LabelHostname))
			case 1:
				change = append(change, hostPort(8080))
			}
			groups = append(groups, estimator.PodEquivalenceGroup{Pods: pods(fmt.Sprintf("app-%d", g), 1+random.IntN(30), fmt.Sprintf("%dm", 50*(1+random.IntN(38))),
				fmt.Sprintf("%dMi", 128*(1+random.IntN(40))), change...)})
		}
		snapshot := snapshotWith(t)
		nodes, placed := NewEstimatorBuilder(EstimatorOptions{})(snapshot, nil).Estimate(groups, template, nil)
		theirs, theirPods := binpacking(snapshot, atMost(0), false).Estimate(groups, template, nil)
		if nodes > theirs || len(placed) != len(theirPods) {
			t.Errorf("world %d: %d nodes for %d pods, the bin packing has %d for %d", world, nodes, len(placed), theirs, len(theirPods))
		}
		if nodes < theirs {
			fewer++
		}
		all++
	}
	t.Logf("%d worlds, in %d fewer nodes", all, fewer)
}

// Both estimators on the same pods: ns/op and nodes.
func BenchmarkEstimate(b *testing.B) {
	shapes := [][2]string{{"250m", "512Mi"}, {"500m", "1Gi"}, {"1", "4Gi"}, {"1500m", "2Gi"}, {"2", "8Gi"}, {"100m", "3Gi"}, {"750m", "768Mi"}, {"3", "6Gi"}, {"125m", "256Mi"}, {"1250m", "5Gi"}}
	for _, size := range []int{1000, 5000, 20000} {
		template := framework.NewTestNodeInfo(node("template", "a", "16", "64Gi"))
		var groups []estimator.PodEquivalenceGroup
		for g, shape := range shapes {
			groups = append(groups, estimator.PodEquivalenceGroup{Pods: pods(fmt.Sprintf("app-%d", g), size/len(shapes), shape[0], shape[1])})
		}
		for _, who := range []string{"libkarp", "binpacking", "fastpath"} {
			b.Run(fmt.Sprintf("%s/%d", who, size), func(b *testing.B) {
				nodes, placed := 0, []*corev1.Pod(nil)
				for b.Loop() {
					b.StopTimer()
					snapshot := snapshotWith(b)
					estimate := binpacking(snapshot, atMost(0), who == "fastpath")
					if who == "libkarp" {
						estimate = NewEstimatorBuilder(EstimatorOptions{})(snapshot, nil)
					}
					b.StartTimer()
					nodes, placed = estimate.Estimate(groups, template, nil)
				}
				b.ReportMetric(float64(nodes), "nodes")
				b.ReportMetric(float64(len(placed)), "pods")
			})
		}
	}
}
