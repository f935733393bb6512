/* SPDX-License-Identifier: Apache-2.0 */
/** @file maker.h  What the parts of the generator share. */
#ifndef PROPERTY_MAKER_H
#define PROPERTY_MAKER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ZONE "topology.kubernetes.io/zone"
#define OLD_ZONE "failure-domain.beta.kubernetes.io/zone"
#define DISK_ZONE "disk.example.com/zone" /* normalised to ZONE when the world says so */
#define CAPACITY_TYPE "karpenter.sh/capacity-type"
#define HOSTNAME "kubernetes.io/hostname"
#define ARCH "kubernetes.io/arch"
#define SYSTEM "kubernetes.io/os"
#define TYPE "node.kubernetes.io/instance-type"
#define NODEPOOL "karpenter.sh/nodepool"
#define RESERVATION "example.com/reservation-id"

/** What a world can turn on. */
enum feature {
    MANY_POOLS,
    WEIGHTS,
    POOL_TAINTS,
    SOFT_TAINTS,
    STARTUP_TAINTS,
    POOL_LABELS,
    POOL_REQUIREMENTS,
    POOL_NOT_IN,
    MIN_VALUES,
    LIMITS,
    NODE_LIMITS,
    UNUSABLE_POOLS,
    POOL_CATALOGUES,
    MANY_TYPES,
    MULTI_ARCH,
    EXTENDED,
    HUGEPAGES,
    OVERRIDES,
    RESERVATIONS,
    UNAVAILABLE,
    ODD_TYPES,
    COARSE,
    NODES,
    UNMANAGED,
    UNINITIALIZED,
    UNREGISTERED,
    IN_FLIGHT,
    DELETING,
    MARKED,
    NODE_TAINTS,
    TIGHT_NODES,
    NO_HOSTNAME,
    OLD_LABELS,
    STATE_NODES,
    STATE_PODS,
    CONSOLIDATION,
    FALLBACK,
    BOUND_PODS,
    BUDGETS,
    DO_NOT_DISRUPT,
    ENDING_PODS,
    DAEMONS,
    DAEMON_TERMS,
    DAEMON_PORTS,
    NODE_SELECTOR,
    NODE_AFFINITY,
    NODE_TERMS,
    NODE_PREFERENCES,
    TOLERATIONS,
    TOLERATION_KINDS,
    ZONE_SPREAD,
    HOST_SPREAD,
    TYPE_SPREAD,
    CUSTOM_SPREAD,
    ANYWAY_SPREAD,
    MIN_DOMAINS,
    SPREAD_POLICIES,
    MATCH_LABEL_KEYS,
    AFFINITY,
    PREFERRED_AFFINITY,
    ANTI_AFFINITY,
    PREFERRED_ANTI,
    CUSTOM_AFFINITY,
    NAMESPACES,
    EXPRESSION_SELECTORS,
    ODD_SELECTORS,
    PORTS,
    VOLUMES,
    CLASS_VOLUMES,
    LOCAL_VOLUMES,
    TWO_VOLUMES,
    GONE_CLAIMS,
    CSI_LIMITS,
    INIT_CONTAINERS,
    SIDECARS,
    OVERHEAD,
    POD_RESOURCES,
    RESIZED,
    DEVICES,
    INVALID_PODS,
    IMPOSSIBLE_PODS,
    OTHER_PODS,
    DEFAULT_SPREAD,
    IGNORE_PREFERENCES,
    BEST_EFFORT,
    NO_RESERVATIONS,
    OLD_KEYS,
    REPLICAS,
    /* Of worlds in which devices are allocated; they are chosen last, when the rest of the world is there. */
    TYPE_DEVICES,
    CLUSTER_DEVICES,
    SHARED_DEVICES,
    COUNTERS,
    ALL_MODE,
    FIRST_AVAILABLE,
    MATCH_ATTRIBUTE,
    ALLOCATED_CLAIMS,
    SHARED_CLAIMS,
    CLAIM_TEMPLATES,
    FEATURES
};

struct maker {
    uint64_t random;
    const uint8_t *bytes; /* choices given from outside, taken before those of `random` */
    size_t byte_count;
    bool small; /* few types and pods */
    unsigned percent[FEATURES]; /* how often a feature is used where it could be */
    json_t *objects, *catalogues, *types, *pools, *nodes, *workloads, *daemons, *slices,
        *claims; /* all but the first two: borrowed items */
    int serial;
    int zones;
    char words[512][64]; /* of word(), in turn */
    size_t word;
};

/* maker.c */
unsigned below(struct maker *m, unsigned limit);
bool chance(struct maker *m, unsigned percent);
bool has(struct maker *m, enum feature feature);
/** One of several words that a space parts; repeat a word to make it likelier. Good until many more were asked for. */
const char *word(struct maker *m, const char *words);
const char *text(struct maker *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** One of some amounts; where amounts are COARSE, of others, so that what they are counted in is large. */
const char *amount(struct maker *m, const char *usual, const char *coarse);
/** A time that many seconds before the world's clock. */
const char *ago(struct maker *m, unsigned seconds);
/** A list of @p count different words. */
json_t *some_words(struct maker *m, const char *words, unsigned count);
json_t *entry(const char *key, const char *op, json_t *values);
/** One of several label keys, mostly one that nodes of this world have. */
const char *known_key(struct maker *m, const char *keys);
/** The words that are values of a label key in this world. */
const char *values_of(struct maker *m, const char *key);
/** A requirement that nodes can often meet; @p pool: in the words of a NodePool. */
json_t *expression(struct maker *m, bool pool);
json_t *object(struct maker *m, const char *api, const char *kind, const char *namespace, const char *name);
json_t *condition(struct maker *m, const char *type, const char *status, const char *reason);
void put(json_t *object, const char *key, const char *text);
/** One of the keys, with one of the texts. */
void put_some(struct maker *m, json_t *object, const char *keys, const char *texts);
json_t *random_item(struct maker *m, json_t *list);

/* catalogue.c */
void make_catalogues(struct maker *m);
/* cluster.c */
void make_pools(struct maker *m);
void make_nodes(struct maker *m);
void make_daemons(struct maker *m);
/* pods.c */
void make_workloads(struct maker *m);
/** A pod of a random workload; on a node, unless that is NULL. */
void make_pod(struct maker *m, json_t *node);
json_t *tolerations(struct maker *m);
/* devices.c */
void make_devices(struct maker *m);
/* device_claims.c */
void make_device_claims(struct maker *m);
/* later.c */
/** What is added to a world that is complete otherwise. */
void add_later(struct maker *m);
/* volumes.c */
void make_storage(struct maker *m);
void add_volumes(struct maker *m, json_t *pod, const char *kind, bool bound);

#endif
