/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of an EC2NodeClass that affect instance types. All strings are borrowed. */
#pragma once

#include <providers/scratch.h>

struct tree; /* json/tree.h */

typedef enum aws_family {
    AWS_AL2023,
    AWS_AL2,
    AWS_BOTTLEROCKET,
    AWS_CUSTOM,
    AWS_WINDOWS2019,
    AWS_WINDOWS2022,
    AWS_WINDOWS2025
} aws_family;

typedef struct aws_block_device {
    karp_str device;
    karp_str size; /* a quantity; "" = not set */
    bool root;
} aws_block_device;

typedef struct aws_network_interface {
    int64_t card, device;
    bool efa_only;
} aws_network_interface;

typedef struct aws_subnet {
    karp_str zone, zone_id, id;
    int64_t free_addresses;
} aws_subnet;

typedef struct aws_image {
    karp_str id;
    const karp_requirement *requirements; /* for the instance types that it supports */
    size_t requirement_count;
} aws_image;

typedef struct aws_reservation {
    karp_str id, instance_type, zone;
    karp_str kind; /* "default", "capacity-block" */
    int64_t available_count;
    bool interruptible, expiring;
} aws_reservation;

typedef struct aws_placement_group {
    karp_str id; /* "" = none */
    karp_str strategy;
    int64_t partitions;
} aws_placement_group;

/* How many pods NVIDIA's driver lets share a GPU: one, a number of them, or as many as its memory, or anything, allows.
 */
typedef enum aws_gpu_sharing {
    AWS_SHARE_NOTHING,
    AWS_SHARE_COUNT,
    AWS_SHARE_MEMORY,
    AWS_SHARE_UNLIMITED
} aws_gpu_sharing;

/* All zero: AL2023 with defaults. */
typedef struct aws_node_class {
    aws_family family;
    bool has_max_pods, raid0, has_interfaces, connection_tracking, nested_virtualization, enclaves;
    int64_t max_pods;
    int64_t pods_per_core; /* 0 = not set */
    const karp_resource *kube_reserved;
    size_t kube_reserved_count;
    const karp_resource *system_reserved;
    size_t system_reserved_count;
    karp_str evict_memory, evict_nodefs; /* quantities or percentages; "" = not set */
    const aws_block_device *block_devices;
    size_t block_device_count;
    const aws_network_interface *interfaces;
    size_t interface_count;
    const aws_subnet *subnets;
    size_t subnet_count;
    const aws_reservation *reservations;
    size_t reservation_count;
    aws_placement_group placement_group;
    /* These cause drift. Instance types depend only on images, and only if memory was observed by image. */
    const aws_image *images;
    size_t image_count;
    const karp_str *security_groups;
    size_t security_group_count;
    uint64_t hash;
    aws_gpu_sharing gpu_sharing; /* by an annotation */
    int64_t gpu_shares; /* with AWS_SHARE_COUNT */
    karp_str stated_hash, stated_hash_version; /* Karpenter's own hash, from the object's annotations; "" = none */
} aws_node_class;

/* Reads the object as JSON: its spec, and from the status subnets, capacityReservations (with availableInstanceCount,
 * which the provider itself keeps elsewhere) and placementGroup {id, strategy, partitionCount}. Expressions in the
 * kubelet's settings are dropped, as in the provider with the feature gate off. All pieces are in `s`.
 * Errors: NOMEM, SYNTAX, INVALID (with the field). */
karp_status aws_node_class_read(scratch *s, const struct tree *root, aws_node_class *out, karp_error *error);

/* Whether the classes give equal catalogues, as far as their texts show. */
bool aws_node_class_equal(const aws_node_class *a, const aws_node_class *b);
bool aws_node_class_same_images(const aws_node_class *a, const aws_node_class *b);

/* ---- parts of the object ----------------------------------------------------------------------------------------- */

struct tree;

/* class_hash.c: a hash of the fields that cause drift. It differs from that of Karpenter's provider, so it has its own
 * version: hashes of different versions are not compared. */
#define AWS_HASH_VERSION "libkarp-1"
/* Lists are sets, the order of members does not matter, and empty values equal absent ones. */
uint64_t aws_class_hash(const struct tree *spec, aws_family family);
