// SPDX-License-Identifier: Apache-2.0

// Package clusterautoscaler decides for cluster-autoscaler (sigs.k8s.io/cluster-autoscaler) in its own process.
//
// [NewEstimatorBuilder] says how many nodes of a group take pods, in the place of the bin packing of cluster-autoscaler. [Strategy] says
// which of several groups is to grow. [Simulator] says both for all groups in one pass, as proposed in kubernetes/autoscaler#10000.
// [Converter] makes NodePools, instance types and offerings of node groups.
package clusterautoscaler
