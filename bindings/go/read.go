// SPDX-License-Identifier: Apache-2.0

package karp

// #include "c.h"
import "C"

import (
	"time"
	"unsafe"
)

// What the library shows, copied into Go.

func textOf(s C.karp_str) string {
	if s.len == 0 {
		return ""
	}
	return C.GoStringN(s.ptr, C.int(s.len))
}

func textsOf(at *C.karp_str, count C.size_t) []string {
	if count == 0 {
		return nil
	}
	out := make([]string, count)
	for i, s := range unsafe.Slice(at, count) {
		out[i] = textOf(s)
	}
	return out
}

func timeOf(instant C.int64_t) time.Time {
	if instant == C.KARP_NO_TIME {
		return time.Time{}
	}
	return time.Unix(0, int64(instant)).UTC()
}

func durationOf(d C.int64_t) *time.Duration {
	if d == C.KARP_DURATION_UNSET {
		return nil
	}
	out := time.Duration(d)
	return &out
}

func resourcesOf(at *C.karp_resource, count C.size_t) []Resource {
	if count == 0 {
		return nil
	}
	out := make([]Resource, count)
	for i, r := range unsafe.Slice(at, count) {
		out[i] = Resource{Name: textOf(r.name), Text: textOf(r.text), Value: int64(r.value), Scale: int32(r.scale)}
	}
	return out
}

func requirementsOf(at *C.karp_requirement, count C.size_t) []Requirement {
	if count == 0 {
		return nil
	}
	out := make([]Requirement, count)
	for i, r := range unsafe.Slice(at, count) {
		out[i] = Requirement{Key: textOf(r.key), Op: uint32(r.op), MinValues: uint32(r.min_values), Values: textsOf(r.values, r.value_count)}
	}
	return out
}

func labelsOf(at *C.karp_label, count C.size_t) map[string]string {
	if count == 0 {
		return nil
	}
	out := make(map[string]string, count)
	for _, l := range unsafe.Slice(at, count) {
		out[textOf(l.key)] = textOf(l.value)
	}
	return out
}

func taintsOf(at *C.karp_taint, count C.size_t) []Taint {
	if count == 0 {
		return nil
	}
	out := make([]Taint, count)
	for i, t := range unsafe.Slice(at, count) {
		out[i] = Taint{Key: textOf(t.key), Value: textOf(t.value), Effect: textOf(t.effect)}
	}
	return out
}

func reasonOf(code C.uint32_t) Reason { return Reason(code) }
