// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func chosen(t testing.TB, options []offered, templates map[string]*v1.Node, prices priceList) *choice {
	t.Helper()
	made, err := decide(context.Background(), encodeRequest(t, options, templates), prices, told)
	good(t, err)
	return made
}

// takes are the groups in the order of the choice, with the pods and nodes the plan gives them.
func takes(made *choice) string {
	out := []string{}
	for _, g := range made.groups {
		out = append(out, fmt.Sprintf("%s:%d/%d", g.id, g.planned, g.launches))
	}
	return strings.Join(out, " ")
}

func pods(t testing.TB, count int, prefix, cpu string, change ...func(*v1.Pod)) []*v1.Pod {
	out := make([]*v1.Pod, count)
	for i := range out {
		out[i] = podOf(t, fmt.Sprintf("%s-%d", prefix, i), cpu, "512Mi", change...)
	}
	return out
}

func selecting(key, value string) func(*v1.Pod) {
	return func(p *v1.Pod) { p.Spec.NodeSelector = map[string]string{key: value} }
}

// With the objective cost the groups of the cheapest nodes count: one small node beside the large one, not a second large one.
func TestObjective(t *testing.T) {
	web := pods(t, 13, "web", "1")
	message := encodeRequest(t, []offered{{"large", 2, web}, {"small", 13, web}},
		map[string]*v1.Node{"large": typed(t, "l", "12", nil), "small": typed(t, "s", "1", nil)})
	prices := priceList{{"l", "", onDemand}: 1.2, {"s", "", onDemand}: 0.2}
	for _, c := range []struct {
		of    expander
		takes string
	}{{expander{}, "large:13/2 small:0/0"}, {expander{cost: true, effort: 10000}, "large:12/1 small:1/1"}} {
		made, err := decide(context.Background(), message, prices, c.of.options())
		good(t, err)
		if got := takes(made); got != c.takes {
			t.Errorf("%+v: %s, not %s", c.of, got, c.takes)
		}
	}
}

// A case of the rule: options, templates, prices, and what comes of them.
type ruleCase struct {
	name      string
	options   func(t testing.TB) []offered
	templates map[string]*v1.Node
	prices    priceList
	takes     string
	why       string
}

func typed(t testing.TB, instanceType, cpu string, labels map[string]string, taints ...v1.Taint) *v1.Node {
	all := map[string]string{v1.LabelInstanceTypeStable: instanceType}
	for key, value := range labels {
		all[key] = value
	}
	return nodeOf(t, instanceType, cpu, "64Gi", all, taints...)
}

func ruleCases(t testing.TB) []ruleCase {
	gpu := v1.Taint{Key: "gpu", Value: "yes", Effect: v1.TaintEffectNoSchedule}
	tolerant := func(p *v1.Pod) { p.Spec.Tolerations = []v1.Toleration{{Key: "gpu", Operator: v1.TolerationOpExists}} }
	spread := func(p *v1.Pod) {
		p.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: v1.LabelTopologyZone,
			WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}}
	}
	volume := func(p *v1.Pod) {
		p.Spec.Volumes = []v1.Volume{{Name: "data", VolumeSource: v1.VolumeSource{PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: "data"}}}}
	}
	zone := func(name string) map[string]string { return map[string]string{v1.LabelTopologyZone: name} }
	flat := func(perHour map[string]float64) priceList {
		list := priceList{}
		for instanceType, p := range perHour {
			list[offer{instanceType, "", onDemand}] = p
		}
		return list
	}
	return []ruleCase{
		{"most pods before the price", func(t testing.TB) []offered {
			web, ml := pods(t, 7, "web", "500m"), pods(t, 2, "ml", "1", selecting("disk", "ssd"))
			return []offered{{"cheap", 1, ml}, {"dear", 1, web}}
		}, map[string]*v1.Node{"cheap": typed(t, "s", "8", map[string]string{"disk": "ssd"}), "dear": typed(t, "b", "8", nil)},
			flat(map[string]float64{"s": 0.1, "b": 9}), "dear:7/1 cheap:2/1", "it takes 7 of the 9 pods that the plan places, cheap takes 2"},
		{"the price where they take the same", func(t testing.TB) []offered {
			return []offered{{"a", 1, pods(t, 3, "a", "1", selecting(v1.LabelTopologyZone, "a"))}, {"b", 1, pods(t, 3, "b", "1", selecting(v1.LabelTopologyZone, "b"))}}
		}, map[string]*v1.Node{"a": typed(t, "x", "8", zone("a")), "b": typed(t, "y", "8", zone("b"))},
			flat(map[string]float64{"x": 0.5, "y": 0.4}), "b:3/1 a:3/1", "it takes 3 pods as a does, and a node costs 0.4 instead of 0.5"},
		{"the name where the price is the same", func(t testing.TB) []offered {
			return []offered{{"b", 1, pods(t, 3, "b", "1", selecting(v1.LabelTopologyZone, "b"))}, {"a", 1, pods(t, 3, "a", "1", selecting(v1.LabelTopologyZone, "a"))}}
		}, map[string]*v1.Node{"a": typed(t, "x", "8", zone("a")), "b": typed(t, "x", "8", zone("b"))},
			flat(map[string]float64{"x": 0.5}), "a:3/1 b:3/1", "it takes 3 pods at the price of b, and is before it by name"},
		{"what serves a pod at the lowest price is asked first", func(t testing.TB) []offered {
			web := pods(t, 12, "web", "1")
			return []offered{{"large", 1, web}, {"medium", 3, web}, {"small", 12, web}}
		}, map[string]*v1.Node{"small": typed(t, "s", "1", nil), "medium": typed(t, "m", "4", nil), "large": typed(t, "l", "12", nil)},
			flat(map[string]float64{"s": 0.11, "m": 0.4, "l": 1.3}), "medium:12/3 small:0/0 large:0/0", "it takes 12 of the 12 pods that the plan places, small takes 0"},
		{"README.md's full run", func(t testing.TB) []offered {
			web := pods(t, 30, "web", "500m")
			return []offered{{"small", 8, web}, {"medium", 4, web}, {"large", 1, web}}
		}, map[string]*v1.Node{"small": nodeOf(t, "small", "2", "8Gi", nil), "medium": nodeOf(t, "medium", "4", "16Gi", nil),
			"large": nodeOf(t, "large", "16", "64Gi", nil)}, nil, "small:30/8 medium:0/0 large:0/0", "it takes 30 of the 30 pods that the plan places, medium takes 0"},
		{"taints", func(t testing.TB) []offered {
			web, ml := pods(t, 4, "web", "1"), pods(t, 2, "ml", "1", tolerant)
			return []offered{{"gpu", 1, ml}, {"plain", 1, slices.Concat(web, ml)}}
		}, map[string]*v1.Node{"gpu": typed(t, "g", "8", nil, gpu), "plain": typed(t, "p", "8", nil)},
			flat(map[string]float64{"g": 0.1, "p": 1}), "plain:4/1 gpu:2/1", "it takes 4 of the 6 pods that the plan places, gpu takes 2"},
		{"a spread over zones", func(t testing.TB) []offered {
			web := pods(t, 7, "web", "1", spread)
			return []offered{{"a", 1, web}, {"b", 1, web}, {"c", 1, web}}
		}, map[string]*v1.Node{"a": typed(t, "x", "8", zone("a")), "b": typed(t, "x", "8", zone("b")), "c": typed(t, "y", "8", zone("c"))},
			flat(map[string]float64{"x": 1, "y": 0.5}), "c:3/1 a:2/1 b:2/1", "it takes 3 of the 7 pods that the plan places, a takes 2"},
		{"a group takes what it offers alone", func(t testing.TB) []offered { // though cheap could take them all
			web := pods(t, 5, "web", "1")
			return []offered{{"cheap", 1, web[:2]}, {"dear", 1, web}}
		}, map[string]*v1.Node{"cheap": typed(t, "c", "16", nil), "dear": typed(t, "d", "16", nil)},
			flat(map[string]float64{"c": 0.01, "d": 1}), "dear:3/1 cheap:2/1", "it takes 3 of the 5 pods that the plan places, cheap takes 2"},
		{"volumes and bound pods are cluster-autoscaler's matter", func(t testing.TB) []offered {
			return []offered{{"one", 1, pods(t, 2, "db", "1", volume, func(p *v1.Pod) { p.Spec.NodeName, p.UID = "gone", "" })}}
		}, map[string]*v1.Node{"one": typed(t, "x", "8", nil)}, nil, "one:2/1", "it is the only group"},
		{"labels of one's own, of Kubernetes, and as they were", func(t testing.TB) []offered {
			return []offered{{"one", 1, slices.Concat(pods(t, 1, "a", "1", selecting("node-role.kubernetes.io/worker", "")),
				pods(t, 1, "b", "1", selecting("beta.kubernetes.io/arch", "amd64")), pods(t, 1, "c", "1", selecting("eks.amazonaws.com/nodegroup", "one")),
				pods(t, 1, "d", "1", selecting(v1.LabelInstanceType, "x")))}}
		}, map[string]*v1.Node{"one": typed(t, "x", "8", map[string]string{"node-role.kubernetes.io/worker": "", "beta.kubernetes.io/arch": "amd64",
			"eks.amazonaws.com/nodegroup": "one"})}, nil, "one:4/1", "it is the only group"},
		{"a plan for none", func(t testing.TB) []offered {
			huge := pods(t, 2, "huge", "100")
			return []offered{{"a", 1, huge}, {"b", 1, huge}}
		}, map[string]*v1.Node{"a": typed(t, "x", "8", nil), "b": typed(t, "y", "8", nil)},
			flat(map[string]float64{"x": 2, "y": 1}), "b:0/0 a:0/0", "it takes 0 pods as a does, and a node costs 1 instead of 2"},
		{"an option without pods", func(t testing.TB) []offered {
			return []offered{{"a", 0, nil}, {"b", -3, pods(t, 2, "web", "1")}}
		}, map[string]*v1.Node{"a": typed(t, "x", "8", nil), "b": typed(t, "y", "8", nil)}, nil, "b:2/1 a:0/0",
			"it takes 2 of the 2 pods that the plan places, a takes 0"},
	}
}

func TestRule(t *testing.T) {
	for _, row := range ruleCases(t) {
		t.Run(row.name, func(t *testing.T) {
			made := chosen(t, row.options(t), row.templates, row.prices)
			if got := takes(made); got != row.takes {
				t.Errorf("%s, wanted %s; left %v", got, row.takes, made.left)
			}
			if got := made.why(); got != row.why {
				t.Errorf("because %s, wanted %s", got, row.why)
			}
		})
	}
}

// The order of options and pods is nobody's order.
func TestOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, row := range ruleCases(t) {
		options := row.options(t)
		for range 5 {
			random.Shuffle(len(options), func(i, k int) { options[i], options[k] = options[k], options[i] })
			for i := range options {
				p := slices.Clone(options[i].pods)
				random.Shuffle(len(p), func(i, k int) { p[i], p[k] = p[k], p[i] })
				options[i].pods = p
			}
			if got := takes(chosen(t, options, row.templates, row.prices)); got != row.takes {
				t.Fatalf("%s: %s, wanted %s", row.name, got, row.takes)
			}
		}
	}
}

func TestLeft(t *testing.T) {
	options := []offered{{"one", 1, append(pods(t, 3, "huge", "100"), pods(t, 1, "web", "1")...)}}
	made := chosen(t, options, map[string]*v1.Node{"one": typed(t, "x", "8", nil)}, nil)
	if made.pods != 4 || made.planned != 1 || len(made.left) != 1 || made.left["TYPE_RESOURCES"] != 3 {
		t.Fatal(made.pods, made.planned, made.left)
	}
}
