// SPDX-License-Identifier: Apache-2.0

//go:build cgo

package karp_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	karp "libkarp.dev/go"
)

// A GPU is in the large type alone, one of each slice's kind; pods ask for it through claims.
func withDevices(t *testing.T) *karp.Builder {
	types := instanceTypes()
	gpu := karp.Device{Name: "gpu-0", Attributes: []karp.DeviceAttribute{{Name: "model", Text: "a100"}, {Name: "index", Kind: karp.AttributeInt, Number: 0}},
		Capacity: []karp.DeviceCapacity{{Name: "memory", Value: "40Gi"}}}
	types[2].DeviceTemplates = []karp.DeviceTemplate{{Driver: "gpu.test", Pool: "node", Devices: []karp.Device{gpu}}}
	b, err := karp.NewBuilder(nil)
	good(t, err)
	t.Cleanup(func() { _ = b.Close() })
	catalogue, err := karp.NewCatalogue(nil, types)
	good(t, err)
	defer catalogue.Close()
	settings := karp.DefaultSettings()
	settings.DRARequests = true
	good(t, errors.Join(b.AddCatalogue(catalogue), b.AddNodePool(pool("default")), b.SetSettings(&settings),
		b.AddDeviceClass(&karp.DeviceClass{Meta: karp.Meta{Name: "gpu"}, Selectors: []string{`device.driver == "gpu.test"`}})))
	return b
}

func claim(name string, request karp.DeviceRequest) *karp.ResourceClaim {
	return &karp.ResourceClaim{Meta: karp.Meta{Name: name}, Requests: []karp.DeviceRequest{request}}
}

func claiming(name, claim string) *karp.Pod {
	p := pod(name, "100m")
	p.ResourceClaims = []karp.PodClaim{{Name: "device", ResourceClaimName: claim}}
	p.Containers[0].Claims = []string{"device"}
	return p
}

func TestDevices(t *testing.T) {
	b := withDevices(t)
	a100 := `device.attributes["gpu.test"].model == "a100"`
	for i, request := range []karp.DeviceRequest{
		{Name: "r", DeviceClass: "gpu", Count: 1},
		{Name: "r", DeviceClass: "gpu", Count: 1, Selectors: []string{a100}},
		{Name: "r", Alternatives: []karp.DeviceRequest{{Name: "two", DeviceClass: "gpu", Count: 2}, {Name: "one", DeviceClass: "gpu", Count: 1}}},
		{Name: "r", DeviceClass: "gpu", Count: 1, Selectors: []string{"!(" + a100 + ")"}},
		{Name: "r", DeviceClass: "gpu", Count: 2},
	} {
		name := fmt.Sprintf("c-%d", i)
		good(t, b.AddResourceClaim(claim(name, request)))
		good(t, b.AddPod(claiming(name, name)))
	}
	d, err := finish(t, b).Provision(context.Background(), nil)
	good(t, err)
	defer d.Close()
	launches, err := d.Launches()
	good(t, err)
	equal(t, "launches", len(launches), 3) // a device is one pod's
	for _, l := range launches {
		equal(t, "type", l.Choice.InstanceType, "m.8")
		equal(t, "pods", len(l.Pods), 1)
	}
	left, err := d.Unschedulable()
	good(t, err)
	equal(t, "left", len(left), 2)
	equal(t, "first", left[0].Pod, "default/c-3")
	equal(t, "second", left[1].Pod, "default/c-4")
}

// A node that has the device already, in a slice of its own.
func TestDevicesOfNodes(t *testing.T) {
	b := withDevices(t)
	node := &karp.Node{Meta: karp.Meta{Name: "n", Labels: map[string]string{"kubernetes.io/hostname": "n"}}, ProviderID: "x://n",
		Capacity: append(amounts("4", "16Gi"), karp.Resource{Name: "pods", Value: 20}), Allocatable: append(amounts("4", "16Gi"), karp.Resource{Name: "pods", Value: 20}),
		Conditions: ready("Ready")}
	slice := &karp.ResourceSlice{Meta: karp.Meta{Name: "s"}, Driver: "gpu.test", Pool: "n", Generation: 1, SliceCount: 1, NodeName: "n",
		Devices: []karp.Device{{Name: "gpu-0"}}}
	good(t, errors.Join(b.AddNode(node), b.AddResourceSlice(slice), b.AddResourceClaim(claim("c", karp.DeviceRequest{Name: "r", DeviceClass: "gpu", Count: 1})),
		b.AddPod(claiming("p", "c"))))
	if err := b.AddResourceSlice(slice); !errors.Is(err, karp.ErrDuplicate) {
		t.Fatal(err)
	}
	if err := b.AddResourceClaim(nil); !errors.Is(err, karp.ErrInvalid) {
		t.Fatal(err)
	}
	d, err := finish(t, b).Provision(context.Background(), nil)
	good(t, err)
	defer d.Close()
	placements, err := d.Placements()
	good(t, err)
	equal(t, "placements", len(placements), 1)
	equal(t, "node", placements[0].Node, "n")
}
