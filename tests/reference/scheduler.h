/* SPDX-License-Identifier: Apache-2.0 */
/** @file scheduler.h  Pools, daemons, existing nodes, claims and the loop over pods (scheduling.md 11, 12, 16 to 26,
 * 31). */
#ifndef REFERENCE_SCHEDULER_H
#define REFERENCE_SCHEDULER_H

#include "topology.h"

/** Why a candidate refuses a pod; NULL: it does not. */
typedef const char *refusal;

#define REFUSED_RESERVED "RESERVED" /* ends the walk over templates, and relaxation */
#define REFUSED_DEVICES "DRA" /* ends relaxation */

/** The host ports of one pod, by its key. */
struct usage {
    const char *key;
    struct ports ports;
};

struct usages {
    struct usage *items;
    size_t count;
};

/** Types on which the same daemons run. */
struct daemon_group {
    const struct pod **daemons;
    size_t count;
    struct types types;
    struct resources overhead; /* empty without daemons */
    struct usages ports;
};

struct pool {
    const json_t *doc;
    const char *name;
    int64_t weight;
    struct labels labels; /* of the template */
    struct taints taints;
    struct requirements requirements; /* as stated */
    struct types types;
    struct resources remaining; /* of the limits */
};

/** Where the claims of a pool start. */
struct template
{
    struct pool *pool;
    struct requirements requirements;
    struct types types;
    struct daemon_group *groups;
    size_t group_count;
};

/** What is read of a pod in its present, perhaps relaxed, form. */
struct pod_data {
    struct resources requests;
    struct requirements requirements, strict;
    struct alternatives volumes;
};

/** A node that exists, as it fills up. */
struct existing {
    const struct state_node *state;
    struct taints taints;
    struct resources remaining;
    struct requirements requirements;
    struct usages ports;
    struct attachments attached;
    const json_t *csi; /* CSINode, or NULL */
    bool shielded; /* by consolidateAfter */
    const struct pod **pods;
    size_t pod_count;
};

/** A node that is going to be started. */
struct claim {
    const struct template *template;
    const char *hostname;
    struct types types;
    struct requirements requirements;
    struct resources requests; /* of its pods */
    struct usages ports;
    struct names held; /* reservations */
    struct attachments volumes; /* of its pods (K15-1) */
    const struct pod **pods;
    size_t pod_count;
};

/** Free slots of a reservation. */
struct reservation {
    const char *id;
    int64_t free;
};

struct devices; /* devices.h */
struct allocation;

struct scheduler {
    struct world *world;
    struct devices *devices;
    struct pool *pools; /* in the order they are tried */
    size_t pool_count, type_count;
    struct template *templates;
    size_t template_count;
    bool prefer_no_schedule; /* some pool has such a taint */
    struct pod *daemons;
    size_t daemon_count;
    struct topology *topology;
    struct existing *nodes;
    size_t node_count;
    struct claim **claims;
    size_t claim_count;
    int hosts; /* names given to claims */
    struct reservation *reservations;
    size_t reservation_count;
    struct pod_data *data; /* by pod index, like those below */
    struct alternatives *volumes;
    refusal *errors;
    bool *failed;
};

/** What a claim becomes if it takes the pod. */
struct answer {
    struct requirements requirements;
    struct types types;
    struct names reservations;
    const struct allocation *devices; /* NULL: none are wanted */
};

/* pools.c */
/** Pools that may be used, heaviest first, and their types; relative catalogue paths are below @p directory. */
void ref_pools_read(struct scheduler *s, const char *directory);
void ref_templates_make(struct scheduler *s);
/** Takes a new claim's largest type from the pool's limits. */
void ref_pool_charge(struct pool *pool, struct types types);

/* daemons.c */
void ref_daemons_read(struct scheduler *s);
void ref_daemon_groups_make(struct scheduler *s, struct template *template);

/* filter.c */
void ref_usages_add(struct usages *usages, const struct pod *pod);
bool ref_usages_clash(struct usages usages, const struct pod *pod);
/** Types of @p present that remain (22). @p ports: of pods on the claim. With @p relax minValues may go unmet. */
refusal ref_filter_types(const struct scheduler *s, struct types present, struct requirements requirements,
                         const struct pod *pod, struct resources requests, const struct template *template,
                         struct usages ports, bool relax, struct types *kept);

/* reservations.c */
void ref_reservations_read(struct scheduler *s);
refusal ref_reserve(const struct scheduler *s, const struct claim *claim, struct types types,
                    struct requirements requirements, struct names *ids);
void ref_hold(struct scheduler *s, struct claim *claim, struct names ids);

/* nodes.c */
void ref_nodes_make(struct scheduler *s, const struct state_node *const *states, size_t count);
bool ref_place_on_node(struct scheduler *s, const struct pod *pod);
/** Node or claim requirements with one volume alternative and the pod's topology (18, 21). */
refusal ref_narrow(const struct scheduler *s, struct requirements base, struct requirements volumes,
                   const struct pod *pod, bool undefined_ok, struct requirements *out);

/* claims.c */
struct claim *ref_claim_new(struct scheduler *s, const struct template *template, struct types types);
refusal ref_claim_try(const struct scheduler *s, const struct claim *claim, const struct pod *pod, bool relax,
                      struct answer *answer);
void ref_claim_add(struct scheduler *s, struct claim *claim, const struct pod *pod, const struct answer *answer);
void ref_claim_finish(struct claim *claim);

/* device_seeds.c */
struct devices *ref_devices_make(const struct scheduler *s);

/* device_claims.c */
bool ref_claims_exist(const struct world *world, const struct pod *pod);
/** Devices for what the pod claims, on a node to be started or on one that exists. */
refusal ref_devices_for_claim(const struct scheduler *s, const struct claim *claim, const struct pod *pod,
                              const struct allocation **out);
refusal ref_devices_for_node(const struct scheduler *s, const struct existing *n, const struct pod *pod,
                             const struct allocation **out);
struct requirements ref_allocation_requirements(const struct allocation *a);
/** Those of the types on which there are such devices. */
struct types ref_allocation_types(const struct allocation *a, struct types list);
/** The pod is placed: its devices are taken. NULL: it has none. */
void ref_devices_commit(const struct scheduler *s, const struct allocation *a);
/** Gives back what was taken for types that are not among those. */
void ref_devices_release(const struct scheduler *s, const struct allocation *a, struct types types);

/* solve.c */
void ref_solve(struct scheduler *s);

/* output.c */
char *ref_print(struct scheduler *s);

#endif
