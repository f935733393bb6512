// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"unique"

	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/dynamicresources/deviceallocation"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	karpreqs "sigs.k8s.io/karpenter/pkg/scheduling"
)

func newCluster(w *world, p *provider) (*state.Cluster, error) {
	return state.NewCluster(w.clock, w.api, p), nil
}

func minValues(r *karpreqs.Requirement) *int { return r.MinValues() }

func limitVolumes(t *cloudprovider.InstanceType, limits map[string]int) {
	t.VolumeAttachmentLimits = limits
}

func schedulerConfig(o *options.Options, config json.RawMessage) (err error) {
	o.SchedulerConfig, err = options.ParseSchedulerConfiguration(string(config))
	return err
}

func launchable(list cloudprovider.Offerings) cloudprovider.Offerings { return list.Launchable() }

// credits are slots of reservations that are given back before the round.
func credits(slots map[string]int) []scheduling.Options {
	var out []scheduling.Options
	for id, n := range slots {
		out = append(out, scheduling.CreditReservationCapacity(id, n))
	}
	return out
}

const devicesCovered = true

// allocatedDevices tells Karpenter of the claims that have devices.
func allocatedDevices(w *world) *deviceallocation.Controller {
	c := deviceallocation.NewController(w.api)
	c.Hydrate(w.ctx)
	return c
}

func bringDevices(t *cloudprovider.InstanceType, given *typeDevices) {
	if given == nil {
		return
	}
	for _, s := range given.ResourceSlices {
		slice := &cloudprovider.ResourceSliceTemplate{
			Driver: unique.Make(s.Driver), Pool: cloudprovider.ResourcePool{Name: unique.Make(s.Pool)}, SharedCounters: s.SharedCounters,
		}
		for _, d := range s.Devices {
			slice.Devices = append(slice.Devices, cloudprovider.Device{
				Name: unique.Make(d.Name), Attributes: d.Attributes, Capacity: d.Capacity, ConsumesCounters: d.ConsumesCounters,
				AllowMultipleAllocations: d.AllowMultipleAllocations != nil && *d.AllowMultipleAllocations,
			})
		}
		t.DynamicResources.ResourceSliceTemplates = append(t.DynamicResources.ResourceSliceTemplates, slice)
	}
	for _, b := range given.AttributeBindings {
		bound := &cloudprovider.AttributeBinding{Attribute: b.Attribute}
		for _, d := range b.Devices {
			id := cloudprovider.DeviceID{Driver: unique.Make(d.Driver), Pool: unique.Make(d.Pool), Device: unique.Make(d.Device)}
			bound.Devices = append(bound.Devices, id)
		}
		t.DynamicResources.AttributeBindings = append(t.DynamicResources.AttributeBindings, bound)
	}
}
