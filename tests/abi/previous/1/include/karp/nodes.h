/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file nodes.h  The nodes of a cluster as they are: what each costs, how much of it is requested, what losing it would
 * cost, and the cost of each pod.
 *
 * A list is immutable and owns everything that it returns. Its getters may be called by several threads. Money is in
 * $/h. Everything in this file is since 1.0.
 *
 * Unstable: a minor version may change what is in this file.
 */
#ifndef KARP_NODES_H
#define KARP_NODES_H

#include <karp/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The state of a node. Numbers and names never change. */
enum {
    KARP_NODE_READY = 1, /**< its condition Ready is True, and it is initialized if it belongs to a NodePool */
    KARP_NODE_STARTING = 2, /**< of a NodePool, and not initialized yet; or a NodeClaim without a Node */
    KARP_NODE_NOT_READY = 3, /**< its condition Ready is not True, though it is initialized */
    KARP_NODE_LEAVING = 4 /**< it is being deleted, or marked for deletion */
};

/** "Ready", "Starting", "NotReady", "Leaving"; "" for any other number. Lives as long as the library. */
KARP_API const char *karp_node_state_name(uint32_t state);

/** A node: a Node, or a NodeClaim without a Node. Texts are borrowed from the list. */
typedef struct karp_listed_node {
    size_t size;
    karp_str node; /**< its name */
    karp_str node_pool; /**< "" = it belongs to no NodePool */
    karp_str instance_type; /**< "" = unknown; so are the next two */
    karp_str zone;
    karp_str capacity_type;
    uint32_t state; /**< KARP_NODE_* */
    uint32_t pod_count; /**< pods on it that have not terminated */
    uint32_t daemon_count; /**< how many of them belong to DaemonSets or to the node itself */
    /** How many of its pods would stay pending if it were lost, by karp_what_if(). 0 if `losses` was not asked for. */
    uint32_t left_pending;
    int64_t pods_allocatable; /**< the most pods it may have; KARP_NO_AMOUNT = not stated */
    int64_t created; /**< an instant in nanoseconds; KARP_NO_TIME = not stated */
    double price; /**< 0 = unknown */
    double cpu_requested; /**< cores, of its pods */
    double cpu_allocatable; /**< cores */
    double memory_requested; /**< bytes, of its pods */
    double memory_allocatable; /**< bytes */
    /**
     * The part of the price that no pod requests: price × (1 − the mean of the requested shares). A share is what pods
     * request of what is allocatable, at most 1: of cpu, of memory, and of each extended resource that the node has.
     */
    double idle;
    /**
     * The price of the additional nodes that would be launched if it were lost: the launches of karp_what_if() without
     * the node, minus those of karp_provision(). Negative if fewer or cheaper ones are launched. 0 if `losses` was not
     * asked for.
     */
    double replacement;
} karp_listed_node;

/** No such amount is stated. */
#define KARP_NO_AMOUNT INT64_C(-1)

/** A pod that runs, or will run, on a node. */
typedef struct karp_listed_pod {
    size_t size;
    uint32_t pod; /**< pod index of the snapshot (karp_snapshot_pod_name()) */
    uint32_t node; /**< index of its node in the list */
    uint32_t daemon; /**< 1 = it belongs to a DaemonSet, or to the node itself */
    uint32_t owner_kind; /**< KARP_SELECTS_*: the kind of `owner`; 0 = none of them */
    karp_str owner; /**< the name of its controller, such as a ReplicaSet; "" = none. Borrowed from the list. */
    double cpu; /**< cores requested */
    double memory; /**< bytes requested */
    double cost; /**< its share of the node's price: the mean of its shares as above */
    /** Its part of the node's idle price, in proportion to `cost`; 0 where no pod of the node requests anything. */
    double idle;
} karp_listed_pod;

/** What karp_list_nodes() does. */
typedef struct karp_node_list_options {
    size_t size;
    const karp_options *common; /**< NULL = defaults */
    uint32_t losses; /**< 1 = find out what losing each node would cost: a scheduling round for each node */
    uint32_t reserved; /**< 0 */
    /**
     * The price of a node that has none in the snapshot, such as one that belongs to no NodePool: karp_reader_price()
     * has that of its catalogue. 0 = unknown; NULL = no such prices. Called by the calling thread. Since 1.0.
     */
    double (*price)(karp_str instance_type, karp_str zone, karp_str capacity_type, void *user);
    void *price_user; /**< passed to `price` */
} karp_node_list_options;

/** Sets the defaults: `losses` is 0. */
KARP_API void karp_node_list_options_init(karp_node_list_options *options, size_t size);

/** Nodes and their pods; immutable, single ownership. */
typedef struct karp_node_list karp_node_list;

/**
 * Lists the nodes of a snapshot by name, and their pods. @p options may be NULL. The caller owns *@p out. Errors: RANGE
 * (amounts that cannot be added up or counted exactly), NOMEM, CANCELED, INVALID, ABI_*. Any thread.
 */
KARP_API karp_status karp_list_nodes(const karp_snapshot *snapshot, const karp_node_list_options *options,
                                     karp_node_list **out, karp_error *error);
/** Frees it. NULL is allowed. */
KARP_API void karp_node_list_free(karp_node_list *list);

/** How many nodes there are. */
KARP_API size_t karp_node_list_count(const karp_node_list *list);
/** Node @p index, by name. Errors: NOT_FOUND beyond the end, ABI_SIZE. */
KARP_API karp_status karp_node_list_at(const karp_node_list *list, size_t index, karp_listed_node *out);
/** How many pods there are on the nodes. */
KARP_API size_t karp_node_list_pod_count(const karp_node_list *list);
/** Pod @p index, by node, then by name. Errors: NOT_FOUND beyond the end, ABI_SIZE. */
KARP_API karp_status karp_node_list_pod(const karp_node_list *list, size_t index, karp_listed_pod *out);
/** "namespace/name" of pod @p index of the list. {NULL,0} beyond the end. Borrowed from @p list. */
KARP_API karp_str karp_node_list_pod_name(const karp_node_list *list, size_t index);
/** 1 = the list says what losing each node would cost. */
KARP_API uint32_t karp_node_list_losses(const karp_node_list *list);
/** The time of the snapshot: an instant in nanoseconds. */
KARP_API int64_t karp_node_list_now(const karp_node_list *list);

#ifdef __cplusplus
}
#endif
#endif
