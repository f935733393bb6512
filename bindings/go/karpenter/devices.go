// SPDX-License-Identifier: Apache-2.0

package karpenter

import (
	"cmp"
	"maps"
	"slices"
	"unique"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"sigs.k8s.io/karpenter/pkg/cloudprovider"

	karp "libkarp.dev/go"
	feed "libkarp.dev/go/corev1"
)

// Dynamic resource allocation: resource.k8s.io/v1, and what a provider knows of the devices of a new node.

func sortedKeys[K cmp.Ordered, V any](from map[K]V) []K { return slices.Sorted(maps.Keys(from)) }

func quantityText(from *resource.Quantity) string {
	if from == nil {
		return ""
	}
	return from.String()
}

func attributes(from map[resourcev1.QualifiedName]resourcev1.DeviceAttribute) []karp.DeviceAttribute {
	var out []karp.DeviceAttribute
	for _, name := range sortedKeys(from) {
		value, one := from[name], karp.DeviceAttribute{Name: string(name)}
		switch {
		case value.StringValue != nil:
			one.Text = *value.StringValue
		case value.VersionValue != nil:
			one.Kind, one.Text = karp.AttributeVersion, *value.VersionValue
		case value.IntValue != nil:
			one.Kind, one.Number = karp.AttributeInt, *value.IntValue
		case value.BoolValue != nil:
			one.Kind = karp.AttributeBool
			if *value.BoolValue {
				one.Number = 1
			}
		default:
			continue // a list of values: no expression of this version reads it
		}
		out = append(out, one)
	}
	return out
}

func toAttributes(from []karp.DeviceAttribute) map[resourcev1.QualifiedName]resourcev1.DeviceAttribute {
	if len(from) == 0 {
		return nil
	}
	out := make(map[resourcev1.QualifiedName]resourcev1.DeviceAttribute, len(from))
	for i := range from {
		one, value := from[i], resourcev1.DeviceAttribute{}
		switch one.Kind {
		case karp.AttributeInt:
			value.IntValue = &one.Number
		case karp.AttributeBool:
			yes := one.Number != 0
			value.BoolValue = &yes
		case karp.AttributeVersion:
			value.VersionValue = &one.Text
		default:
			value.StringValue = &one.Text
		}
		out[resourcev1.QualifiedName(one.Name)] = value
	}
	return out
}

func requestPolicy(from *resourcev1.CapacityRequestPolicy) *karp.RequestPolicy {
	if from == nil {
		return nil
	}
	out := &karp.RequestPolicy{Default: quantityText(from.Default)}
	for i := range from.ValidValues {
		out.ValidValues = append(out.ValidValues, from.ValidValues[i].String())
	}
	if r := from.ValidRange; r != nil {
		out.HasRange, out.Minimum, out.Maximum, out.Step = true, quantityText(r.Min), quantityText(r.Max), quantityText(r.Step)
	}
	return out
}

func capacities(from map[resourcev1.QualifiedName]resourcev1.DeviceCapacity) []karp.DeviceCapacity {
	var out []karp.DeviceCapacity
	for _, name := range sortedKeys(from) {
		one := from[name]
		out = append(out, karp.DeviceCapacity{Name: string(name), Value: one.Value.String(), Policy: requestPolicy(one.RequestPolicy)})
	}
	return out
}

func counters(name string, from map[string]resourcev1.Counter) karp.CounterSet {
	out := karp.CounterSet{Name: name}
	for _, key := range sortedKeys(from) {
		value := from[key].Value
		out.Counters = append(out.Counters, karp.Counter{Name: key, Value: value.String()})
	}
	return out
}

func sharedCounters(from *resourcev1.CounterSet) karp.CounterSet {
	return counters(from.Name, from.Counters)
}

func consumed(from *resourcev1.DeviceCounterConsumption) karp.CounterSet {
	return counters(from.CounterSet, from.Counters)
}

func device(from *resourcev1.Device) karp.Device {
	return karp.Device{Name: from.Name, Attributes: attributes(from.Attributes), Capacity: capacities(from.Capacity),
		Consumes: each(from.ConsumesCounters, consumed), AllowMultiple: from.AllowMultipleAllocations != nil && *from.AllowMultipleAllocations}
}

func deviceTemplate(from *cloudprovider.ResourceSliceTemplate) karp.DeviceTemplate {
	return karp.DeviceTemplate{Driver: from.Driver.Value(), Pool: from.Pool.Name.Value(), SharedCounters: each(from.SharedCounters, sharedCounters),
		Devices: each(from.Devices, func(d *cloudprovider.Device) karp.Device {
			return karp.Device{Name: d.Name.Value(), Attributes: attributes(d.Attributes), Capacity: capacities(d.Capacity),
				Consumes: each(d.ConsumesCounters, consumed), AllowMultiple: d.AllowMultipleAllocations}
		})}
}

func attributeBinding(from *cloudprovider.AttributeBinding) karp.AttributeBinding {
	return karp.AttributeBinding{Attribute: string(from.Attribute), Devices: each(from.Devices, func(d *cloudprovider.DeviceID) karp.DeviceID {
		return karp.DeviceID{Driver: d.Driver.Value(), Pool: d.Pool.Value(), Device: d.Device.Value()}
	})}
}

func toCounters(from []karp.Counter) (map[string]resourcev1.Counter, error) {
	out := make(map[string]resourcev1.Counter, len(from))
	for _, c := range from {
		value, err := resource.ParseQuantity(c.Value)
		if err != nil {
			return nil, err
		}
		out[c.Name] = resourcev1.Counter{Value: value}
	}
	return out, nil
}

func toQuantity(from string) (*resource.Quantity, error) {
	if from == "" {
		return nil, nil
	}
	out, err := resource.ParseQuantity(from)
	return &out, err
}

func toRequestPolicy(from *karp.RequestPolicy) (*resourcev1.CapacityRequestPolicy, error) {
	if from == nil {
		return nil, nil
	}
	out, limits := &resourcev1.CapacityRequestPolicy{}, &resourcev1.CapacityRequestPolicyRange{}
	if from.HasRange {
		out.ValidRange = limits
	}
	for _, one := range []struct {
		into **resource.Quantity
		from string
	}{{&out.Default, from.Default}, {&limits.Min, from.Minimum}, {&limits.Max, from.Maximum}, {&limits.Step, from.Step}} {
		value, err := toQuantity(one.from)
		if err != nil {
			return nil, err
		}
		*one.into = value
	}
	for _, text := range from.ValidValues {
		value, err := resource.ParseQuantity(text)
		if err != nil {
			return nil, err
		}
		out.ValidValues = append(out.ValidValues, value)
	}
	return out, nil
}

func toCapacities(from []karp.DeviceCapacity) (map[resourcev1.QualifiedName]resourcev1.DeviceCapacity, error) {
	if len(from) == 0 {
		return nil, nil
	}
	out := make(map[resourcev1.QualifiedName]resourcev1.DeviceCapacity, len(from))
	for i := range from {
		value, err := resource.ParseQuantity(from[i].Value)
		if err != nil {
			return nil, err
		}
		policy, err := toRequestPolicy(from[i].Policy)
		if err != nil {
			return nil, err
		}
		out[resourcev1.QualifiedName(from[i].Name)] = resourcev1.DeviceCapacity{Value: value, RequestPolicy: policy}
	}
	return out, nil
}

func toDevice(from *karp.Device) (cloudprovider.Device, error) {
	out := cloudprovider.Device{Name: unique.Make(from.Name), Attributes: toAttributes(from.Attributes), AllowMultipleAllocations: from.AllowMultiple}
	var err error
	if out.Capacity, err = toCapacities(from.Capacity); err != nil {
		return out, err
	}
	for _, set := range from.Consumes {
		counters, err := toCounters(set.Counters)
		if err != nil {
			return out, err
		}
		out.ConsumesCounters = append(out.ConsumesCounters, resourcev1.DeviceCounterConsumption{CounterSet: set.Name, Counters: counters})
	}
	return out, nil
}

func toDynamicResources(from *karp.InstanceType) (cloudprovider.DynamicResources, error) {
	var out cloudprovider.DynamicResources
	for i := range from.DeviceTemplates {
		t := &from.DeviceTemplates[i]
		slice := &cloudprovider.ResourceSliceTemplate{Driver: unique.Make(t.Driver), Pool: cloudprovider.ResourcePool{Name: unique.Make(t.Pool)}}
		for k := range t.Devices {
			device, err := toDevice(&t.Devices[k])
			if err != nil {
				return out, err
			}
			slice.Devices = append(slice.Devices, device)
		}
		for _, set := range t.SharedCounters {
			counters, err := toCounters(set.Counters)
			if err != nil {
				return out, err
			}
			slice.SharedCounters = append(slice.SharedCounters, resourcev1.CounterSet{Name: set.Name, Counters: counters})
		}
		out.ResourceSliceTemplates = append(out.ResourceSliceTemplates, slice)
	}
	for _, b := range from.AttributeBindings {
		out.AttributeBindings = append(out.AttributeBindings, &cloudprovider.AttributeBinding{Attribute: resourcev1.QualifiedName(b.Attribute),
			Devices: each(b.Devices, func(d *karp.DeviceID) cloudprovider.DeviceID {
				return cloudprovider.DeviceID{Driver: unique.Make(d.Driver), Pool: unique.Make(d.Pool), Device: unique.Make(d.Device)}
			})})
	}
	return out, nil
}

func nodeTerms(from *corev1.NodeSelector) []karp.NodeTerm {
	if from == nil {
		return nil
	}
	return each(from.NodeSelectorTerms, func(t *corev1.NodeSelectorTerm) karp.NodeTerm {
		return karp.NodeTerm{HasFields: len(t.MatchFields) > 0, Expressions: each(t.MatchExpressions, feed.Requirement)}
	})
}

// ResourceSlice is a ResourceSlice as libkarp takes it.
func ResourceSlice(from *resourcev1.ResourceSlice) *karp.ResourceSlice {
	out := &karp.ResourceSlice{Meta: feed.Meta(&from.ObjectMeta), Driver: from.Spec.Driver, Pool: from.Spec.Pool.Name,
		Generation: from.Spec.Pool.Generation, SliceCount: from.Spec.Pool.ResourceSliceCount, NodeTerms: nodeTerms(from.Spec.NodeSelector),
		HasNodeSelector: from.Spec.NodeSelector != nil, AllNodes: from.Spec.AllNodes != nil && *from.Spec.AllNodes,
		Devices: each(from.Spec.Devices, device), SharedCounters: each(from.Spec.SharedCounters, sharedCounters)}
	if from.Spec.NodeName != nil {
		out.NodeName = *from.Spec.NodeName
	}
	return out
}

func expressions(from []resourcev1.DeviceSelector) []string {
	return each(from, func(s *resourcev1.DeviceSelector) string {
		if s.CEL == nil {
			return ""
		}
		return s.CEL.Expression
	})
}

// DeviceClass is a DeviceClass as libkarp takes it.
func DeviceClass(from *resourcev1.DeviceClass) *karp.DeviceClass {
	out := &karp.DeviceClass{Meta: feed.Meta(&from.ObjectMeta), Selectors: expressions(from.Spec.Selectors)}
	if from.Spec.ExtendedResourceName != nil {
		out.ExtendedResource = *from.Spec.ExtendedResourceName
	}
	return out
}

func quantities(from map[resourcev1.QualifiedName]resource.Quantity) []karp.Resource {
	var out []karp.Resource
	for _, name := range sortedKeys(from) {
		value := from[name]
		out = append(out, karp.Resource{Name: string(name), Text: value.String()})
	}
	return out
}

func wanted(name, class string, selectors []resourcev1.DeviceSelector, mode resourcev1.DeviceAllocationMode, count int64,
	capacity *resourcev1.CapacityRequirements) karp.DeviceRequest {
	out := karp.DeviceRequest{Name: name, DeviceClass: class, Selectors: expressions(selectors), Count: count}
	if mode == resourcev1.DeviceAllocationModeAll {
		out.Mode = karp.AllocateAll
	} else if count == 0 {
		out.Count = 1 // as the API server fills it in
	}
	if capacity != nil {
		out.Capacity = quantities(capacity.Requests)
	}
	return out
}

func deviceRequest(from *resourcev1.DeviceRequest) karp.DeviceRequest {
	if e := from.Exactly; e != nil {
		return wanted(from.Name, e.DeviceClassName, e.Selectors, e.AllocationMode, e.Count, e.Capacity)
	}
	return karp.DeviceRequest{Name: from.Name, Alternatives: each(from.FirstAvailable, func(s *resourcev1.DeviceSubRequest) karp.DeviceRequest {
		return wanted(s.Name, s.DeviceClassName, s.Selectors, s.AllocationMode, s.Count, s.Capacity)
	})}
}

func deviceConstraint(from *resourcev1.DeviceConstraint) karp.DeviceConstraint {
	out := karp.DeviceConstraint{Requests: from.Requests}
	if from.MatchAttribute != nil {
		out.MatchAttribute = string(*from.MatchAttribute)
	}
	return out
}

func allocatedDevice(from *resourcev1.DeviceRequestAllocationResult) karp.AllocatedDevice {
	return karp.AllocatedDevice{Request: from.Request, Device: karp.DeviceID{Driver: from.Driver, Pool: from.Pool, Device: from.Device},
		Consumed: quantities(from.ConsumedCapacity), HasConsumed: from.ConsumedCapacity != nil}
}

// ResourceClaim is a ResourceClaim as libkarp takes it.
func ResourceClaim(from *resourcev1.ResourceClaim) *karp.ResourceClaim {
	out := &karp.ResourceClaim{Meta: feed.Meta(&from.ObjectMeta), Requests: each(from.Spec.Devices.Requests, deviceRequest),
		Constraints: each(from.Spec.Devices.Constraints, deviceConstraint),
		ReservedFor: each(from.Status.ReservedFor, func(c *resourcev1.ResourceClaimConsumerReference) karp.ClaimConsumer {
			return karp.ClaimConsumer{APIGroup: c.APIGroup, Resource: c.Resource, Name: c.Name, UID: string(c.UID)}
		})}
	if a := from.Status.Allocation; a != nil {
		out.Allocated, out.Results, out.NodeTerms = true, each(a.Devices.Results, allocatedDevice), nodeTerms(a.NodeSelector)
	}
	return out
}
