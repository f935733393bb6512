// SPDX-License-Identifier: Apache-2.0

package karpenter

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	karp "libkarp.dev/go"
)

// NewNodeClaim is the NodeClaim to create for a launch, as Karpenter would create it, but for the owner reference, which needs the
// NodePool's UID: with it, it is (*scheduling.NodeClaim).ToNodeClaim of [LaunchedNodeClaim].
func NewNodeClaim(launch *karp.Launch) (*v1.NodeClaim, error) {
	requests, err := ResourceList(launch.Requests)
	if err != nil {
		return nil, fmt.Errorf("launch %s: %w", launch.ID, err)
	}
	out := &v1.NodeClaim{ObjectMeta: metav1.ObjectMeta{GenerateName: launch.NodePool + "-", Labels: launch.Labels, Annotations: launch.Annotations}}
	out.Spec = v1.NodeClaimSpec{Taints: each(launch.Taints, toTaint), StartupTaints: each(launch.StartupTaints, toTaint),
		Requirements: each(launch.ClaimRequirements, ToRequirement), NodeClassRef: toClassRef(launch.NodeClass),
		Resources: v1.ResourceRequirements{Requests: requests}, TerminationGracePeriod: toDuration(launch.TerminationGracePeriod),
		ExpireAfter: toNillable(launch.ExpireAfter)}
	return out, nil
}
