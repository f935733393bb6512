// SPDX-License-Identifier: Apache-2.0

// For tests/long/karpenter_suites.py: a file of package scheduling in a copy of Karpenter.

package scheduling

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	karpopts "sigs.k8s.io/karpenter/pkg/operator/options"
)

// SolveInput is what a scheduler was made of.
type SolveInput struct {
	Client                  client.Client
	NodePools               []*v1.NodePool
	StateNodes              []*state.StateNode
	InstanceTypes           map[string][]*cloudprovider.InstanceType
	DaemonSetPods           []*corev1.Pod
	Clock                   clock.Clock
	ReservedFallback        bool
	IgnorePreferences       bool
	MinValuesPolicy         karpopts.MinValuesPolicy
	ConsolidationSimulation bool
	ReservationCredits      map[string]int
}

// SolveWith decides instead of Scheduler.Solve, where it is set.
var SolveWith func(ctx context.Context, in *SolveInput, pods []*corev1.Pod) (Results, error)
