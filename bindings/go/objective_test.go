// SPDX-License-Identifier: Apache-2.0

//go:build cgo

package karp_test

import (
	"context"
	"errors"
	"testing"

	karp "libkarp.dev/go"
)

// A plan for the least cost has figures; what else is said of it reaches the library, and what makes no sense is refused.
func TestCostFigures(t *testing.T) {
	b := builder(t)
	for _, name := range []string{"a", "b", "c"} {
		good(t, b.AddPod(pod(name, "1")))
	}
	s := finish(t, b)
	plain, err := s.Provision(context.Background(), nil)
	good(t, err)
	if _, err := plain.CostFigures(); !errors.Is(err, karp.ErrNotFound) {
		t.Error("a plan of Karpenter has figures", err)
	}
	figures := func(options karp.Options) *karp.CostFigures {
		options.Cost, options.Effort = true, 10000
		d, err := s.Provision(context.Background(), &options)
		good(t, err)
		out, err := d.CostFigures()
		good(t, err)
		return out
	}
	one := figures(karp.Options{})
	equal(t, "order", one.Bound > 0 && one.Bound <= one.Cost && one.Cost <= one.CompatibleCost, true)
	equal(t, "effort", one.Effort, uint64(10000))
	equal(t, "dearer nodes", figures(karp.Options{NodeCost: 1}).Cost > one.Cost+0.999, true)
	equal(t, "dear spot", figures(karp.Options{SpotFactor: 1000}).Cost >= one.Cost, true)
	more := 0.5
	figures(karp.Options{PriceSlack: &more, IgnorePreferences: true, IgnoreWeights: true})
	wrong := -1.0
	for _, options := range []karp.Options{{NodeCost: -1}, {SpotFactor: -1}, {PriceSlack: &wrong}} {
		options.Cost = true
		if _, err := s.Provision(context.Background(), &options); !errors.Is(err, karp.ErrInvalid) {
			t.Errorf("%+v: %v", options, err)
		}
	}
	lost, err := s.WhatIf(context.Background(), &karp.Options{Cost: true, Effort: 1000}, karp.ScalePrice("", 2))
	good(t, err)
	twice, err := lost.CostFigures()
	good(t, err)
	equal(t, "twice the price", twice.Cost > 1.99*one.Cost && twice.Bound > 1.99*one.Bound, true)
}
