// SPDX-License-Identifier: Apache-2.0

package karpenter

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"sigs.k8s.io/karpenter/pkg/cloudprovider"

	karp "libkarp.dev/go"
)

func overhead(from *cloudprovider.InstanceTypeOverhead) *karp.Overhead {
	if from == nil {
		return nil
	}
	return &karp.Overhead{KubeReserved: amounts(from.KubeReserved), SystemReserved: amounts(from.SystemReserved),
		EvictionThreshold: amounts(from.EvictionThreshold)}
}

func toOverhead(from *karp.Overhead) (*cloudprovider.InstanceTypeOverhead, error) {
	if from == nil {
		return nil, nil
	}
	out := &cloudprovider.InstanceTypeOverhead{}
	for _, list := range []struct {
		into *corev1.ResourceList
		from []karp.Resource
	}{{&out.KubeReserved, from.KubeReserved}, {&out.SystemReserved, from.SystemReserved}, {&out.EvictionThreshold, from.EvictionThreshold}} {
		amounts, err := ResourceList(list.from)
		if err != nil {
			return nil, err
		}
		*list.into = amounts
	}
	return out, nil
}

// InstanceType is an instance type of a provider as libkarp takes it, with overlays as they are applied to it.
func InstanceType(from *cloudprovider.InstanceType) karp.InstanceType {
	out := karp.InstanceType{Name: from.Name, Requirements: Requirements(from.Requirements), Capacity: amounts(from.Capacity)}
	if from.Overhead != nil {
		out.Overhead = *overhead(from.Overhead)
	}
	for _, driver := range slices.Sorted(maps.Keys(from.VolumeAttachmentLimits)) {
		out.VolumeLimits = append(out.VolumeLimits, karp.VolumeLimit{Driver: driver, Count: int64(from.VolumeAttachmentLimits[driver])})
	}
	for _, o := range from.Offerings {
		out.Offerings = append(out.Offerings, karp.Offering{Requirements: Requirements(o.Requirements), Price: o.Price, Available: o.Available,
			ReservationCapacity: int64(o.ReservationCapacity), CapacityOverride: amounts(o.CapacityOverride), OverheadOverride: overhead(o.OverheadOverride)})
	}
	for _, s := range from.DynamicResources.ResourceSliceTemplates {
		out.DeviceTemplates = append(out.DeviceTemplates, deviceTemplate(s))
	}
	for _, b := range from.DynamicResources.AttributeBindings {
		out.AttributeBindings = append(out.AttributeBindings, attributeBinding(b))
	}
	return out
}

// ToInstanceType is the opposite of [InstanceType].
func ToInstanceType(from *karp.InstanceType) (*cloudprovider.InstanceType, error) {
	out := &cloudprovider.InstanceType{Name: from.Name, Requirements: ToRequirements(from.Requirements)}
	var err error
	if out.Capacity, err = ResourceList(from.Capacity); err != nil {
		return nil, fmt.Errorf("instance type %s: %w", from.Name, err)
	}
	if out.Overhead, err = toOverhead(&from.Overhead); err != nil {
		return nil, fmt.Errorf("instance type %s: %w", from.Name, err)
	}
	for _, limit := range from.VolumeLimits {
		if out.VolumeAttachmentLimits == nil {
			out.VolumeAttachmentLimits = map[string]int{}
		}
		out.VolumeAttachmentLimits[limit.Driver] = int(limit.Count)
	}
	for i := range from.Offerings {
		offering, err := toOffering(&from.Offerings[i])
		if err != nil {
			return nil, fmt.Errorf("instance type %s: offering %d: %w", from.Name, i, err)
		}
		out.Offerings = append(out.Offerings, offering)
	}
	if out.DynamicResources, err = toDynamicResources(from); err != nil {
		return nil, fmt.Errorf("instance type %s: %w", from.Name, err)
	}
	return out, nil
}

func toOffering(from *karp.Offering) (*cloudprovider.Offering, error) {
	capacity, err := ResourceList(from.CapacityOverride)
	if err != nil {
		return nil, err
	}
	overhead, err := toOverhead(from.OverheadOverride)
	if err != nil {
		return nil, err
	}
	return &cloudprovider.Offering{Requirements: ToRequirements(from.Requirements), Price: from.Price, Available: from.Available,
		ReservationCapacity: int(from.ReservationCapacity), CapacityOverride: capacity, OverheadOverride: overhead}, nil
}

// Catalogue is a catalogue of these types, in their order.
func Catalogue(types []*cloudprovider.InstanceType) (*karp.Catalogue, error) {
	all := make([]karp.InstanceType, len(types))
	for i, t := range types {
		all[i] = InstanceType(t)
	}
	return karp.NewCatalogue(nil, all)
}
