// SPDX-License-Identifier: Apache-2.0

package karp

// #include "c.h"
import "C"

import "unsafe"

// Objects of dynamic resource allocation as the structs of karp/devices.h, on a page.

func (p *page) attributes(from []DeviceAttribute) (*C.karp_device_attribute, C.size_t) {
	items := list[C.karp_device_attribute](p, len(from))
	for i := range from {
		a := &from[i]
		items[i] = C.karp_device_attribute{name: p.str(a.Name), text: p.str(a.Text), number: C.int64_t(a.Number), kind: C.uint32_t(a.Kind)}
	}
	return unsafe.SliceData(items), C.size_t(len(items))
}

func (p *page) requestPolicy(from *RequestPolicy) *C.karp_request_policy {
	if from == nil {
		return nil
	}
	out := one[C.karp_request_policy](p)
	out.default_, out.has_range = p.str(from.Default), flag(from.HasRange)
	out.minimum, out.maximum, out.step = p.str(from.Minimum), p.str(from.Maximum), p.str(from.Step)
	out.valid_values, out.valid_value_count = p.strs(from.ValidValues)
	return out
}

func (p *page) deviceCapacity(from []DeviceCapacity) (*C.karp_device_capacity, C.size_t) {
	items := list[C.karp_device_capacity](p, len(from))
	for i := range from {
		items[i] = C.karp_device_capacity{name: p.str(from[i].Name), value: p.str(from[i].Value), policy: p.requestPolicy(from[i].Policy)}
	}
	return unsafe.SliceData(items), C.size_t(len(items))
}

func (p *page) counterSets(from []CounterSet) (*C.karp_counter_set, C.size_t) {
	items := list[C.karp_counter_set](p, len(from))
	for i := range from {
		counters := list[C.karp_counter](p, len(from[i].Counters))
		for k, c := range from[i].Counters {
			counters[k] = C.karp_counter{name: p.str(c.Name), value: p.str(c.Value)}
		}
		items[i] = C.karp_counter_set{name: p.str(from[i].Name), counters: unsafe.SliceData(counters), counter_count: C.size_t(len(counters))}
	}
	return unsafe.SliceData(items), C.size_t(len(items))
}

func (p *page) devices(from []Device) (*C.karp_device, C.size_t) {
	items := list[C.karp_device](p, len(from))
	for i := range from {
		d, out := &from[i], &items[i]
		out.name, out.allow_multiple = p.str(d.Name), flag(d.AllowMultiple)
		out.attributes, out.attribute_count = p.attributes(d.Attributes)
		out.capacity, out.capacity_count = p.deviceCapacity(d.Capacity)
		out.consumes, out.consume_count = p.counterSets(d.Consumes)
	}
	return unsafe.SliceData(items), C.size_t(len(items))
}

func (p *page) resourceSlice(out *C.karp_resource_slice, from *ResourceSlice) {
	out.size = C.sizeof_karp_resource_slice
	p.meta(&out.meta, &from.Meta)
	out.driver, out.pool = p.str(from.Driver), p.str(from.Pool)
	out.generation, out.slice_count = C.int64_t(from.Generation), C.int64_t(from.SliceCount)
	out.node_name, out.all_nodes = p.str(from.NodeName), flag(from.AllNodes)
	out.has_node_selector = flag(from.HasNodeSelector || len(from.NodeTerms) > 0)
	out.node_terms, out.node_term_count = p.nodeTerms(from.NodeTerms)
	out.devices, out.device_count = p.devices(from.Devices)
	out.shared_counters, out.shared_counter_count = p.counterSets(from.SharedCounters)
}

func (p *page) deviceClass(out *C.karp_device_class, from *DeviceClass) {
	out.size = C.sizeof_karp_device_class
	p.meta(&out.meta, &from.Meta)
	out.selectors, out.selector_count = p.strs(from.Selectors)
}

func (p *page) deviceTemplates(from []DeviceTemplate) (*C.karp_device_template, C.size_t) {
	items := list[C.karp_device_template](p, len(from))
	for i := range from {
		t, out := &from[i], &items[i]
		out.driver, out.pool = p.str(t.Driver), p.str(t.Pool)
		out.devices, out.device_count = p.devices(t.Devices)
		out.shared_counters, out.shared_counter_count = p.counterSets(t.SharedCounters)
	}
	return unsafe.SliceData(items), C.size_t(len(items))
}

func (p *page) deviceID(from DeviceID) C.karp_device_id {
	return C.karp_device_id{driver: p.str(from.Driver), pool: p.str(from.Pool), device: p.str(from.Device)}
}

func (p *page) attributeBindings(from []AttributeBinding) (*C.karp_attribute_binding, C.size_t) {
	items := list[C.karp_attribute_binding](p, len(from))
	for i := range from {
		devices := list[C.karp_device_id](p, len(from[i].Devices))
		for k, d := range from[i].Devices {
			devices[k] = p.deviceID(d)
		}
		items[i] = C.karp_attribute_binding{attribute: p.str(from[i].Attribute), devices: unsafe.SliceData(devices), device_count: C.size_t(len(devices))}
	}
	return unsafe.SliceData(items), C.size_t(len(items))
}

func (p *page) deviceRequests(from []DeviceRequest) (*C.karp_device_request, C.size_t) {
	items := list[C.karp_device_request](p, len(from))
	for i := range from {
		r, out := &from[i], &items[i]
		out.name, out.device_class = p.str(r.Name), p.str(r.DeviceClass)
		out.selectors, out.selector_count = p.strs(r.Selectors)
		out.capacity, out.capacity_count = p.resources(r.Capacity)
		out.mode, out.count, out.exact = C.uint32_t(r.Mode), C.int64_t(r.Count), flag(len(r.Alternatives) == 0)
		out.alternatives, out.alternative_count = p.deviceRequests(r.Alternatives)
	}
	return unsafe.SliceData(items), C.size_t(len(items))
}

func (p *page) resourceClaim(out *C.karp_resource_claim, from *ResourceClaim) {
	out.size = C.sizeof_karp_resource_claim
	p.meta(&out.meta, &from.Meta)
	out.requests, out.request_count = p.deviceRequests(from.Requests)
	constraints := list[C.karp_device_constraint](p, len(from.Constraints))
	for i := range from.Constraints {
		constraints[i].requests, constraints[i].request_count = p.strs(from.Constraints[i].Requests)
		constraints[i].match_attribute = p.str(from.Constraints[i].MatchAttribute)
	}
	out.constraints, out.constraint_count = unsafe.SliceData(constraints), C.size_t(len(constraints))
	results := list[C.karp_allocated_device](p, len(from.Results))
	for i := range from.Results {
		r := &from.Results[i]
		results[i].request, results[i].device = p.str(r.Request), p.deviceID(r.Device)
		results[i].has_consumed = flag(r.HasConsumed || len(r.Consumed) > 0)
		results[i].consumed, results[i].consumed_count = p.resources(r.Consumed)
	}
	out.results, out.result_count = unsafe.SliceData(results), C.size_t(len(results))
	out.node_terms, out.node_term_count = p.nodeTerms(from.NodeTerms)
	consumers := list[C.karp_claim_consumer](p, len(from.ReservedFor))
	for i, c := range from.ReservedFor {
		consumers[i] = C.karp_claim_consumer{api_group: p.str(c.APIGroup), resource: p.str(c.Resource), name: p.str(c.Name), uid: p.str(c.UID)}
	}
	out.reserved_for, out.reserved_for_count = unsafe.SliceData(consumers), C.size_t(len(consumers))
	out.allocated = flag(from.Allocated || len(from.Results) > 0)
}

// AddResourceSlice adds a ResourceSlice.
func (b *Builder) AddResourceSlice(slice *ResourceSlice) error {
	return give(b, slice, (*page).resourceSlice, func(b *C.karp_builder, c *C.karp_resource_slice, e *C.karp_error) C.karp_status {
		return C.karp_builder_add_resource_slice(b, c, e)
	})
}

// AddDeviceClass adds a DeviceClass.
func (b *Builder) AddDeviceClass(class *DeviceClass) error {
	return give(b, class, (*page).deviceClass, func(b *C.karp_builder, c *C.karp_device_class, e *C.karp_error) C.karp_status {
		return C.karp_builder_add_device_class(b, c, e)
	})
}

// AddResourceClaim adds a ResourceClaim.
func (b *Builder) AddResourceClaim(claim *ResourceClaim) error {
	return give(b, claim, (*page).resourceClaim, func(b *C.karp_builder, c *C.karp_resource_claim, e *C.karp_error) C.karp_status {
		return C.karp_builder_add_resource_claim(b, c, e)
	})
}
