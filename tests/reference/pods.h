/* SPDX-License-Identifier: Apache-2.0 */
/** @file pods.h  A pod as the decision reads it (scheduling.md 3, 6.2, 9, 26). */
#ifndef REFERENCE_PODS_H
#define REFERENCE_PODS_H

#include "selectors.h"
#include "taints.h"

/** A term of node affinity; weight 0 in a required one. */
struct node_term {
    int64_t weight;
    bool match_fields;
    struct expressions expressions;
};

struct node_terms {
    struct node_term *items;
    size_t count;
};

/** A term of pod affinity or anti-affinity. */
struct pod_term {
    int64_t weight;
    const char *key;
    struct selector selector, namespace_selector;
    struct names namespaces;
};

struct pod_terms {
    struct pod_term *items;
    size_t count;
};

/** A topology spread constraint. */
struct spread {
    const char *key, *when, *taints_policy, *affinity_policy; /* policies: defaults filled in */
    int64_t max_skew, min_domains;
    bool has_min_domains;
    struct selector selector;
    struct names match_label_keys;
};

struct spreads {
    struct spread *items;
    size_t count;
};

struct port {
    const char *protocol;
    int64_t number;
    bool valid; /* the address parses */
    bool any; /* 0.0.0.0 or :: */
    unsigned char address[17]; /* of the family, then the bytes */
};

struct ports {
    struct port *items;
    size_t count;
};

struct pod_volume {
    const char *claim; /* name of the PersistentVolumeClaim */
};

struct pod {
    size_t index; /* among all pods of the world: what its uid stands for */
    const json_t *doc;
    const char *namespace, *name, *key, *uid;
    struct labels labels;
    int64_t created;
    bool terminating, terminal, daemon_owned, node_owned, stateful_owned;
    const json_t *controller; /* the owner reference, or NULL */
    const char *node_name, *phase;
    bool wants_devices;

    struct resources requests; /* without the key pods */
    struct labels node_selector;
    struct node_terms required_nodes, preferred_nodes; /* preferences: heaviest first */
    struct pod_terms affinity, preferred_affinity, anti, preferred_anti;
    struct spreads spreads;
    struct tolerations tolerations;
    struct ports ports;
    struct pod_volume *volumes;
    size_t volume_count;
};

struct pod ref_pod_read(const json_t *doc);
/** A daemon's pod as its template has it. */
struct pod ref_pod_of_template(const json_t *daemon_set);
struct node_terms ref_required_nodes_read(const json_t *spec);
struct spreads ref_spreads_read(const json_t *list);

/** Of several pods: summed, and `pods` set to their number. */
struct resources ref_requests(const struct pod *const *pods, size_t count);
/** nodeSelector and the first required term. */
struct requirements ref_strict_requirements(const struct pod *pod);
/** These and the heaviest preferred term. */
struct requirements ref_full_requirements(const struct pod *pod);
bool ref_ports_clash(struct ports a, struct ports b);

/** Gives one preference or OR-term up; false if none is left. Never changes what another copy of the pod sees. */
bool ref_relax(struct pod *pod, bool tolerate_prefer_no_schedule);

#endif
