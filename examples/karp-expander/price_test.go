// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	v1 "k8s.io/api/core/v1"
)

const catalogueText = `[{"name": "m.large", "architecture": "amd64", "operatingSystems": ["linux"], "resources": {"cpu": "2", "memory": "8Gi", "pods": "30"},
  "offerings": [
    {"Price": 0.2, "Available": true, "Requirements": [{"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
      {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["a"]}]},
    {"Price": 0.3, "Available": true, "Requirements": [{"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
      {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["b"]}]},
    {"Price": 0.05, "Available": true, "Requirements": [{"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot"]},
      {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["a"]}]}]}]`

func TestPrices(t *testing.T) {
	file := filepath.Join(t.TempDir(), "types.json")
	good(t, os.WriteFile(file, []byte(catalogueText), 0o600))
	prices, err := readPrices(file, "")
	good(t, err)
	node := func(labels map[string]string) *v1.Node { return nodeOf(t, "n", "2", "8Gi", labels) }
	const name, zone = v1.LabelInstanceTypeStable, v1.LabelTopologyZone
	for _, row := range []struct {
		labels  map[string]string
		perHour float64
		source  string
	}{
		{map[string]string{name: "m.large", zone: "a"}, 0.2, "m.large on-demand a"},
		{map[string]string{name: "m.large", zone: "b"}, 0.3, "m.large on-demand b"},
		{map[string]string{name: "m.large", zone: "c"}, 0.2, "m.large on-demand"},
		{map[string]string{v1.LabelInstanceType: "m.large", zone: "", v1.LabelFailureDomainBetaZone: "b"}, 0.3, "m.large on-demand b"},
		{map[string]string{name: "m.large", zone: "b", "eks.amazonaws.com/capacityType": "SPOT"}, 0.05, "m.large spot"},
		{map[string]string{name: "m.large", zone: "a", "cloud.google.com/gke-spot": "true"}, 0.05, "m.large spot a"},
		{map[string]string{name: "m.large", zone: "a", "karpenter.sh/capacity-type": "spot"}, 0.05, "m.large spot a"},
		{map[string]string{name: "m.small", zone: "a"}, 0.096, "resources"},
		{nil, 0.096, "resources"},
	} {
		got := prices.of(node(row.labels))
		if math.Abs(got.perHour-row.perHour) > 1e-12 || got.source != row.source {
			t.Errorf("%v: %v, wanted %v of %s", row.labels, got, row.perHour, row.source)
		}
	}
	gpu := node(nil)
	gpu.Status.Allocatable["nvidia.com/gpu"] = quantity(t, "2")
	if got := (priceList)(nil).of(gpu); math.Abs(got.perHour-2.096) > 1e-12 {
		t.Error(got)
	}
}

func TestBuiltinPrices(t *testing.T) {
	prices, err := readPrices("", "us-west-2")
	good(t, err)
	got := prices.of(nodeOf(t, "n", "2", "8Gi", map[string]string{v1.LabelInstanceTypeStable: "m5.large", v1.LabelTopologyZone: "us-west-2a"}))
	if got != (price{0.096, "m5.large on-demand us-west-2a"}) {
		t.Fatal(got)
	}
	if none, err := readPrices("", ""); err != nil || none != nil {
		t.Fatal(none, err)
	}
	for _, wrong := range [][2]string{{"/nowhere", ""}, {"", "moon-1"}, {"/nowhere", "us-west-2"}} {
		if _, err := readPrices(wrong[0], wrong[1]); err == nil {
			t.Error(wrong, "has prices")
		}
	}
}
