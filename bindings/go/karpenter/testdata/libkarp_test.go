// SPDX-License-Identifier: Apache-2.0

// For tests/long/karpenter_suites.py: a file of each suite, whose package it has the name of.

package suite_test

import (
	"context"
	"os"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"

	libkarp "libkarp.dev/go/karpenter"
)

func init() {
	if os.Getenv("SOLVE") == "karpenter" {
		return
	}
	scheduling.SolveWith = func(ctx context.Context, in *scheduling.SolveInput, pods []*corev1.Pod) (scheduling.Results, error) {
		return libkarp.Solve(ctx, (*libkarp.Input)(in), pods)
	}
}
