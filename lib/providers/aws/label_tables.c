/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/aws/label_tables.h>

#include <providers/aws/labels.h>

static const karp_str well_known[] = {
    TEXT(AWS_GROUP "capacity-reservation-id"),
    TEXT(AWS_GROUP "capacity-reservation-interruptible"),
    TEXT(AWS_GROUP "capacity-reservation-type"),
    TEXT(AWS_GROUP "instance-accelerator-count"),
    TEXT(AWS_GROUP "instance-accelerator-manufacturer"),
    TEXT(AWS_GROUP "instance-accelerator-name"),
    TEXT(AWS_GROUP "instance-capability-flex"),
    TEXT(AWS_GROUP "instance-category"),
    TEXT(AWS_GROUP "instance-cpu"),
    TEXT(AWS_GROUP "instance-cpu-manufacturer"),
    TEXT(AWS_GROUP "instance-cpu-sustained-clock-speed-mhz"),
    TEXT(AWS_GROUP "instance-ebs-bandwidth"),
    TEXT(AWS_GROUP "instance-encryption-in-transit-supported"),
    TEXT(AWS_GROUP "instance-family"),
    TEXT(AWS_GROUP "instance-generation"),
    TEXT(AWS_GROUP "instance-gpu-count"),
    TEXT(AWS_GROUP "instance-gpu-manufacturer"),
    TEXT(AWS_GROUP "instance-gpu-memory"),
    TEXT(AWS_GROUP "instance-gpu-name"),
    TEXT(AWS_GROUP "instance-hypervisor"),
    TEXT(AWS_GROUP "instance-local-nvme"),
    TEXT(AWS_GROUP "instance-memory"),
    TEXT(AWS_GROUP "instance-network-bandwidth"),
    TEXT(AWS_GROUP "instance-size"),
    TEXT(AWS_GROUP "instance-tenancy"),
    TEXT(AWS_GROUP "nitro-sandbox"),
    TEXT(AWS_GROUP "placement-group-id"),
    TEXT(AWS_GROUP "placement-group-partition"),
    TEXT("topology.k8s.aws/zone-id"),
};

static const karp_str restricted_domains[] = { TEXT("karpenter.k8s.aws") };

/* The label that the EBS CSI driver writes into volumes. */
static const karp_label normalized[] = {
    { TEXT("topology.ebs.csi.aws.com/zone"), TEXT("topology.kubernetes.io/zone") },
};

static const karp_str resources[] = {
    TEXT("amd.com/gpu"),
    TEXT("aws.amazon.com/neuron"),
    TEXT("aws.amazon.com/neuroncore"),
    TEXT("habana.ai/gaudi"),
    TEXT("nvidia.com/gpu"),
    TEXT("vpc.amazonaws.com/PrivateIPv4Address"),
    TEXT("vpc.amazonaws.com/efa"),
    TEXT("vpc.amazonaws.com/pod-eni"),
};

void aws_label_tables(karp_provider_labels *into)
{
    into->well_known = well_known;
    into->well_known_count = sizeof well_known / sizeof *well_known;
    into->restricted_domains = restricted_domains;
    into->restricted_domain_count = sizeof restricted_domains / sizeof *restricted_domains;
    into->normalized = normalized;
    into->normalized_count = sizeof normalized / sizeof *normalized;
    into->resources = resources;
    into->resource_count = sizeof resources / sizeof *resources;
    into->reservation_id = aws_key_reservation_id;
}
