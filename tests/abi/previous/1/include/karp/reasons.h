/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file reasons.h  The reason codes of decisions (docs/reasons.md).
 *
 * Numbers and names never change and are never used again. New codes go to the end of their block. The functions may be
 * called by any thread; the texts that they return live as long as the library. Everything in this file is since 1.0.
 */
#ifndef KARP_REASONS_H
#define KARP_REASONS_H

#include <karp/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Codes 1–99: why a pod is not placed. 100–149: why it is not considered. 200–299: why a node stays. 300–399: why a
 * command was given up.
 */
enum {
    KARP_REASON_NONE = 0,
    /* why a pod was not placed, and why it was not considered */
    KARP_REASON_MIN_VALUES = 1,
    KARP_REASON_NOTHING_MATCHED = 2,
    KARP_REASON_REQUIREMENTS_AND_RESOURCES = 3,
    KARP_REASON_REQUIREMENTS_AND_OFFERING = 4,
    KARP_REASON_RESOURCES_AND_OFFERING = 5,
    KARP_REASON_TYPE_REQUIREMENTS = 6,
    KARP_REASON_TYPE_RESOURCES = 7,
    KARP_REASON_TYPE_OFFERING = 8,
    KARP_REASON_FITS_COMPATIBLE_NO_OFFERING = 9,
    KARP_REASON_FITS_OFFERING_NOT_COMPATIBLE = 10,
    KARP_REASON_COMPATIBLE_OFFERING_NO_FIT = 11,
    KARP_REASON_TUPLE = 12,
    /* the steps around the filter */
    KARP_REASON_TAINTS = 20,
    KARP_REASON_REQUIREMENTS = 21,
    KARP_REASON_VOLUME = 22,
    KARP_REASON_VOLUME_LIMIT = 23,
    KARP_REASON_HOST_PORT = 24,
    KARP_REASON_RESOURCES = 25,
    KARP_REASON_TOPOLOGY = 26,
    KARP_REASON_TOPOLOGY_REQUIREMENTS = 27,
    KARP_REASON_NODE_LIMITS = 28,
    KARP_REASON_LIMITS = 29,
    KARP_REASON_RESERVED = 30,
    KARP_REASON_DRA = 31,
    KARP_REASON_NO_TEMPLATES = 32,
    KARP_REASON_NO_NODEPOOLS = 33,
    KARP_REASON_UNINITIALIZED_NODE = 34,
    KARP_REASON_CONSOLIDATE_AFTER = 35,
    KARP_REASON_MIN_VALUES_TRUNCATED = 36,
    KARP_REASON_NOT_REACHED = 37,
    KARP_REASON_SEVERAL = 38, /**< the NodePools have different reasons: see karp_unschedulable.pools */
    KARP_REASON_DRA_NOT_EVALUATED = 39,
    KARP_REASON_DEVICES = 40,
    KARP_REASON_RESOURCE_CLAIM = 41,
    KARP_REASON_RESERVED_FULL = 42,
    KARP_REASON_VOLUME_LOOK_UP = 43,
    KARP_REASON_DEVICE_SEARCH = 44, /**< the decision is marked incomplete */
    /* what keeps a group of pods from starting (groups.h) */
    KARP_REASON_GROUP_MISSING = 45,
    KARP_REASON_GROUP_GATED = 46,
    KARP_REASON_GROUP_INCOMPLETE = 47,
    KARP_REASON_GROUP_PRIORITY = 48,
    KARP_REASON_GROUP_DOMAINS = 49,
    KARP_REASON_GROUP_MINIMUM = 50,
    KARP_REASON_GROUP_COMPOSITE = 51, /* profile KARP, as the next one */
    KARP_REASON_GROUP_DOMAIN_FULL = 52,
    KARP_REASON_GROUP_REFUSED = 53, /* in answers of karp_admit() */
    /* admission */
    KARP_REASON_NOT_FOR_KARPENTER = 100,
    KARP_REASON_INVALID_SELECTOR = 101,
    KARP_REASON_INVALID_AFFINITY = 102,
    KARP_REASON_INVALID_VOLUME = 103,
    KARP_REASON_INVALID_SEVERAL = 104,
    KARP_REASON_NOT_CREATED = 105, /**< the next rounds create it (karp_settle()) */
    /* why a node stays: what protects it, budgets, what the methods find */
    KARP_REASON_IN_QUEUE = 200,
    KARP_REASON_NOT_MANAGED = 201,
    KARP_REASON_NO_NODE = 202,
    KARP_REASON_NOT_INITIALIZED = 203,
    KARP_REASON_DELETING = 204,
    KARP_REASON_NOMINATED = 205,
    KARP_REASON_NODE_DO_NOT_DISRUPT = 206,
    KARP_REASON_NO_NODEPOOL_LABEL = 207,
    KARP_REASON_NODEPOOL_NOT_FOUND = 208,
    KARP_REASON_POD_DO_NOT_DISRUPT = 209,
    KARP_REASON_PDB_MULTIPLE = 210,
    KARP_REASON_PDB_BLOCKED = 211,
    KARP_REASON_STATIC = 212,
    KARP_REASON_CONSOLIDATION_DISABLED = 213,
    KARP_REASON_BUFFER_PODS = 214,
    KARP_REASON_NOT_EMPTY = 215,
    KARP_REASON_EMPTY_NODE = 216,
    KARP_REASON_NOT_CONSOLIDATABLE = 217,
    KARP_REASON_NOT_DRIFTED = 218,
    KARP_REASON_INSTANCE_TYPE_NOT_FOUND = 219,
    KARP_REASON_NO_CAPACITY_TYPE = 220,
    KARP_REASON_NO_ZONE = 221,
    KARP_REASON_POLICY_WHEN_EMPTY = 222,
    KARP_REASON_BUDGET = 223,
    KARP_REASON_PODS_WOULD_NOT_SCHEDULE = 224,
    KARP_REASON_SEVERAL_NODES_NEEDED = 225,
    KARP_REASON_NO_CHEAPER_NODE = 226,
    KARP_REASON_MIN_VALUES_BY_PRICE = 227,
    KARP_REASON_SPOT_TO_SPOT_DISABLED = 228,
    KARP_REASON_SPOT_TO_SPOT_TOO_FEW_TYPES = 229,
    KARP_REASON_SAME_TYPE = 230,
    KARP_REASON_BALANCED_SCORE = 231,
    KARP_REASON_NOT_REACHED_IN_PASS = 232,
    KARP_REASON_STATIC_LIMIT = 233,
    KARP_REASON_TOO_FEW_NODES = 234,
    KARP_REASON_NOTHING_CHANGED = 235,
    KARP_REASON_INVALID_PDB = 236,
    KARP_REASON_NOT_EXPIRED = 237,
    KARP_REASON_REBOOTING = 238,
    KARP_REASON_HEALTHY = 239,
    KARP_REASON_DO_NOT_REPAIR = 240,
    KARP_REASON_POOL_UNHEALTHY = 241,
    KARP_REASON_RESERVATION_ELSEWHERE = 242,
    KARP_REASON_SEARCH_STOPPED = 243, /* a deadline, should_stop or a limit of work came before it */
    KARP_REASON_GROUP_ELSEWHERE = 244, /* profile KARP */
    KARP_REASON_DRIFT_BACKOFF = 245, /* preview drift-backoff */
    /* why a command was given up: when it was validated */
    KARP_REASON_CHURN = 300,
    KARP_REASON_VALIDATION_BUDGET = 301,
    KARP_REASON_SCHEDULING = 302,
    /* why a command was given up: when it was carried out */
    KARP_REASON_NOT_STARTED = 303,
    KARP_REASON_REPLACEMENT_NOT_CREATED = 304,
    KARP_REASON_REPLACEMENT_GONE = 305,
    KARP_REASON_TIMED_OUT = 306
};

/** The name of a code, as documents have it: "NOTHING_MATCHED". "UNKNOWN" for any other number. */
KARP_API const char *karp_reason_name(uint32_t reason);

/** One line of English that explains the code to a user; may change. "" for any other number. */
KARP_API const char *karp_reason_text(uint32_t reason);

#ifdef __cplusplus
}
#endif
#endif
