// SPDX-License-Identifier: Apache-2.0

package karpenter

import (
	"fmt"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	karp "libkarp.dev/go"
)

// NewNodeClaim is the NodeClaim to create for a launch, as Karpenter would create it. The pool is the launch's NodePool, which owns the NodeClaim
// and whose hash it has.
func NewNodeClaim(launch *karp.Launch, pool *v1.NodePool) (*v1.NodeClaim, error) {
	requests, err := ResourceList(launch.Requests)
	if err != nil {
		return nil, fmt.Errorf("launch %s: %w", launch.ID, err)
	}
	blocks := true
	out := &v1.NodeClaim{ObjectMeta: metav1.ObjectMeta{GenerateName: launch.NodePool + "-", Labels: launch.Labels, Annotations: maps.Clone(launch.Annotations),
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "karpenter.sh/v1", Kind: "NodePool", Name: pool.Name, UID: pool.UID, BlockOwnerDeletion: &blocks}}}}
	if out.Annotations == nil {
		out.Annotations = map[string]string{}
	}
	out.Annotations[v1.NodePoolHashAnnotationKey], out.Annotations[v1.NodePoolHashVersionAnnotationKey] = pool.Hash(), v1.NodePoolHashVersion
	out.Spec = v1.NodeClaimSpec{Taints: each(launch.Taints, toTaint), StartupTaints: each(launch.StartupTaints, toTaint),
		Requirements: each(launch.ClaimRequirements, ToRequirement), NodeClassRef: toClassRef(launch.NodeClass),
		Resources: v1.ResourceRequirements{Requests: requests}, TerminationGracePeriod: toDuration(launch.TerminationGracePeriod),
		ExpireAfter: toNillable(launch.ExpireAfter)}
	return out, nil
}
