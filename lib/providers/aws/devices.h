/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that drivers will publish on new nodes: NVIDIA's GPUs, and EFA interfaces. */
#pragma once

#include <providers/aws/node_class.h>

/* The annotation of an EC2NodeClass that says how the driver is configured. */
#define AWS_GPU_SHARING "karpenter.k8s.aws/nvidia-consumable-capacity"
/* "" is the same as "disabled". false = it is no such value: nothing is shared. */
bool aws_gpu_sharing_parse(karp_str value, aws_gpu_sharing *sharing, int64_t *shares);

/* Sets the device templates and attribute bindings of `out`, whose name is set. `gates`: KARP_GATE_DRA_NVIDIA_GPU and
 * KARP_GATE_DRA_EFA. A refused allocation sets s->failed. */
void aws_type_devices(scratch *s, uint32_t gates, const aws_node_class *node_class, karp_instance_type *out);
