// SPDX-License-Identifier: Apache-2.0

package main

import (
	resourcev1 "k8s.io/api/resource/v1"
)

// typeDevices are the devices that come with a node of a type.
type typeDevices struct {
	ResourceSlices    []sliceTemplate `json:"resourceSlices"`
	AttributeBindings []binding       `json:"attributeBindings"`
}

type sliceTemplate struct {
	Driver         string                  `json:"driver"`
	Pool           string                  `json:"pool"`
	Devices        []resourcev1.Device     `json:"devices"`
	SharedCounters []resourcev1.CounterSet `json:"sharedCounters"`
}

// binding: the devices will have the same value of the attribute, whichever it is.
type binding struct {
	Attribute resourcev1.QualifiedName `json:"attribute"`
	Devices   []struct {
		Driver string `json:"driver"`
		Pool   string `json:"pool"`
		Device string `json:"device"`
	} `json:"devices"`
}

func (d *document) allocatesDevices() bool {
	return d.Settings.IgnoreDRARequests != nil && !*d.Settings.IgnoreDRARequests
}

// completeClaim: a request is for one device unless it says otherwise.
func completeClaim(claim *resourcev1.DeviceClaim) {
	one := func(mode *resourcev1.DeviceAllocationMode, count *int64) {
		if *mode == "" {
			*mode = resourcev1.DeviceAllocationModeExactCount
		}
		if *mode == resourcev1.DeviceAllocationModeExactCount && *count == 0 {
			*count = 1
		}
	}
	for i := range claim.Requests {
		r := &claim.Requests[i]
		if r.Exactly != nil {
			one(&r.Exactly.AllocationMode, &r.Exactly.Count)
		}
		for k := range r.FirstAvailable {
			one(&r.FirstAvailable[k].AllocationMode, &r.FirstAvailable[k].Count)
		}
	}
}
