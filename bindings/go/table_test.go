// SPDX-License-Identifier: Apache-2.0

//go:build cgo

package karp_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	karp "libkarp.dev/go"
)

func TestTables(t *testing.T) {
	b := builder(t)
	for name, cpu := range map[string]string{"a": "1", "b": "2500m", "huge": "100"} {
		good(t, b.AddPod(pod(name, cpu)))
	}
	s := finish(t, b)
	d, err := s.Provision(context.Background(), nil)
	good(t, err)
	defer d.Close()
	pods, err := d.Table(karp.TablePods)
	good(t, err)
	equal(t, "rows", pods.Rows, 3)
	if got := pods.Column("name").Text; !slices.Equal(got, []string{"a", "b", "huge"}) {
		t.Fatal(got)
	}
	if got := pods.Column("outcome").Text; !slices.Equal(got, []string{"launch", "launch", "unschedulable"}) {
		t.Fatal(got)
	}
	if got := pods.Column("permanent").Uint32; !slices.Equal(got, []uint32{0, 0, 1}) {
		t.Fatal(got)
	}
	launches, err := d.Table(karp.TableLaunches)
	good(t, err)
	if got := launches.Column("price").Float64; !slices.Equal(got, []float64{4}) {
		t.Fatal(got)
	}
	types := launches.Column("instance_types")
	if !slices.Equal(types.Text, []string{"m.4", "m.8"}) || !slices.Equal(types.Offsets, []int32{0, 2}) {
		t.Fatal(types)
	}
	equal(t, "absent column", launches.Column("colour"), nil)
	all, err := s.Table(karp.TableSnapshotPods)
	good(t, err)
	equal(t, "snapshot rows", all.Rows, 3)
	if _, err := d.Table(9999); !errors.Is(err, karp.ErrNotFound) {
		t.Fatal(err)
	}
	s.Close()
	if _, err := s.Table(karp.TableSnapshotPods); !errors.Is(err, karp.ErrClosed) {
		t.Fatal(err)
	}
}

func TestCatalogueTables(t *testing.T) {
	c, err := karp.NewCatalogue(nil, instanceTypes())
	good(t, err)
	types, err := c.Table(karp.TableInstanceTypes)
	good(t, err)
	if got := types.Column("name").Text; !slices.Equal(got, []string{"m.2", "m.4", "m.8"}) {
		t.Fatal(got)
	}
	offerings, err := c.Table(karp.TableOfferings)
	good(t, err)
	if got := offerings.Column("price").Float64; !slices.Equal(got, []float64{2, 2.2, 4, 4.4, 8, 8.8}) {
		t.Fatal(got)
	}
	if _, err := c.Table(karp.TablePods); !errors.Is(err, karp.ErrNotFound) {
		t.Fatal(err)
	}
	c.Close()
	if _, err := c.Table(karp.TableOfferings); !errors.Is(err, karp.ErrClosed) {
		t.Fatal(err)
	}
}

func TestOverlaysAndBuffers(t *testing.T) {
	b := builder(t)
	settings := karp.DefaultSettings()
	settings.Gates |= karp.GateNodeOverlay | karp.GateCapacityBuffer
	good(t, b.SetSettings(&settings))
	good(t, b.AddNodeOverlay(&karp.NodeOverlay{Meta: karp.Meta{Name: "cheap"}, Price: "0.5",
		Requirements: []karp.Requirement{in("node.kubernetes.io/instance-type", "m.8")}}))
	two := int64(2)
	template := pod("template", "1")
	good(t, b.AddCapacityBuffer(&karp.CapacityBuffer{Meta: karp.Meta{Name: "spare"}, Template: template, Replicas: &two,
		Conditions: []karp.Condition{{Type: "ReadyForProvisioning", Status: "True"}}}))
	good(t, b.AddPod(pod("a", "1")))
	d, err := finish(t, b).Provision(context.Background(), nil)
	good(t, err)
	defer d.Close()
	launches, err := d.Launches()
	good(t, err)
	equal(t, "launches", len(launches), 1)
	equal(t, "type", launches[0].Choice.InstanceType, "m.8")
	equal(t, "price", launches[0].Choice.Price, 0.5)
	equal(t, "pods, two of them held free", len(launches[0].Pods), 3)
	bad := &karp.NodeOverlay{Meta: karp.Meta{Name: "bad"}, Capacity: []karp.Resource{{Name: "x", Text: "lots"}}}
	if err := b.AddNodeOverlay(bad); !errors.Is(err, karp.ErrInvalid) {
		t.Fatal(err)
	}
}

func TestReprice(t *testing.T) {
	c, err := karp.NewCatalogue(nil, instanceTypes())
	good(t, err)
	inB := []karp.Requirement{in("topology.kubernetes.io/zone", "b")}
	paid, err := c.Reprice(nil, karp.PriceRule{Factor: 0.5}, karp.PriceRule{Requirements: inB, Factor: 1, PerNode: 3}, karp.PriceRule{Factor: 1, PerVCPU: 0.1})
	good(t, err)
	for _, listed := range []*karp.Catalogue{c, paid} {
		offerings, err := listed.Table(karp.TableOfferings)
		good(t, err)
		want := []float64{2, 2.2, 4, 4.4, 8, 8.8}
		if listed == paid {
			want = []float64{1.2, 4.3, 2.4, 5.6, 4.8, 8.2}
		}
		for i, price := range offerings.Column("price").Float64 {
			if math.Abs(price-want[i]) > 1e-9 {
				t.Error(i, price, want[i])
			}
		}
	}
	if _, err := c.Reprice(nil, karp.PriceRule{Factor: -1}); !errors.Is(err, karp.ErrInvalid) {
		t.Error("a factor below 0:", err)
	}
	good(t, c.Close())
	if _, err := c.Reprice(nil); !errors.Is(err, karp.ErrClosed) {
		t.Error("closed:", err)
	}
	good(t, paid.Close())
}
