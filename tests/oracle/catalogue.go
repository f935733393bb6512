// SPDX-License-Identifier: Apache-2.0

package main

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
)

// written is a catalogue with its shorthands written out: a label is an In, one that only other types have a DoesNotExist;
// zone, capacity type and reservation of an offering are requirements.
func written(types []typeEntry, reservationID string) []typeEntry {
	known := map[string]bool{}
	for _, t := range types {
		for key := range t.Labels {
			known[key] = true
		}
	}
	out := make([]typeEntry, 0, len(types))
	for _, t := range types {
		if len(t.Labels) > 0 {
			t.Requirements = slices.Clone(t.Requirements)
			for _, key := range slices.Sorted(maps.Keys(known)) {
				t.Requirements = append(t.Requirements, ofLabel(key, t.Labels[key]))
			}
			if !known[corev1.LabelInstanceTypeStable] {
				t.Requirements = append(t.Requirements, ofLabel(corev1.LabelInstanceTypeStable, []string{t.Name}))
			}
		}
		t.Offerings = slices.Clone(t.Offerings)
		for i := range t.Offerings {
			t.Offerings[i].Requirements = ofOffering(&t.Offerings[i], reservationID)
		}
		out = append(out, t)
	}
	return out
}

func ofLabel(key string, values []string) requirement {
	if len(values) == 0 {
		return requirement{Key: key, Operator: string(corev1.NodeSelectorOpDoesNotExist)}
	}
	return requirement{Key: key, Operator: string(corev1.NodeSelectorOpIn), Values: values}
}

func ofOffering(o *offering, reservationID string) []requirement {
	out := slices.Clone(o.Requirements)
	for _, key := range slices.Sorted(maps.Keys(o.Labels)) {
		out = append(out, ofLabel(key, o.Labels[key]))
	}
	if o.Zone != nil {
		out = append(out, ofLabel(corev1.LabelTopologyZone, []string{*o.Zone}))
	}
	if o.CapacityType == nil {
		return out
	}
	out = append(out, ofLabel(v1.CapacityTypeLabelKey, []string{*o.CapacityType}))
	stated := slices.ContainsFunc(out, func(r requirement) bool { return r.Key == reservationID })
	switch {
	case reservationID == "" || (stated && o.ReservationID == ""):
		return out
	case o.ReservationID == "":
		return append(out, ofLabel(reservationID, nil))
	}
	return append(out, ofLabel(reservationID, []string{o.ReservationID}))
}
