/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of labels that several files name. */
#pragma once

#define LABEL_HOSTNAME "kubernetes.io/hostname"
#define LABEL_ARCH "kubernetes.io/arch"
#define LABEL_OS "kubernetes.io/os"
#define LABEL_REGION "topology.kubernetes.io/region"
#define LABEL_ZONE "topology.kubernetes.io/zone"
#define LABEL_TYPE "node.kubernetes.io/instance-type"
#define LABEL_CAPACITY_TYPE "karpenter.sh/capacity-type"
#define LABEL_NODE_POOL "karpenter.sh/nodepool"
#define LABEL_REGISTERED "karpenter.sh/registered"
#define LABEL_INITIALIZED "karpenter.sh/initialized"
