// SPDX-License-Identifier: Apache-2.0

// Package karpenter connects libkarp with Karpenter's own types (sigs.k8s.io/karpenter 1.15).
//
// [NodePool], [NodeClaim], [InstanceType], [ResourceSlice], [DeviceClass], [ResourceClaim] and [Requirements] convert objects to what a
// builder of libkarp takes; [ToNodePool], [ToNodeClaim], [ToInstanceType] and [ToRequirements] convert back. [Solve] decides in the place
// of Scheduler.Solve: from state nodes, instance types and pods to scheduling.Results.
package karpenter
