/* SPDX-License-Identifier: Apache-2.0 */
/* Spread, pod affinity and anti-affinity (scheduling.md §14). */
#ifndef SCHEDULE_TOPOLOGY_H
#define SCHEDULE_TOPOLOGY_H

#include <base/bits.h>
#include <model/selector.h>
#include <schedule/scheduler.h>

/* topology.c: makes kins, registers bound pods' anti-affinity, then the pods to place. Hosts and templates must exist. */
bool topology_init(scheduler *s);
void topology_free(scheduler *s);

/* groups.c: computes the groups that own the view, creating and seeding those that are new (§14.4). */
bool topology_update(scheduler *s, uint32_t view_number);
/* Puts the required anti-affinity of a class into the inverse table (§14.6). */
bool topology_register_inverse(scheduler *s, uint32_t class_number, toleration_list tolerations);
/* Whether the class owns that group of the inverse table. */
bool owns_inverse(const class_state *c, uint32_t group_number);
/* Whether the group's selector selects pods of the kin. */
bool group_selects(const scheduler *s, const group *g, const kin *k);

bool group_in_namespace(const group *g, uint32_t name_space);

/* seed.c: counts of what is there in every round (§14.3). */
/* What a node says of a key: the label's value, or without Q-34 that of a label by an older name of the key. NO_ID = nothing. */
uint32_t node_says(const scheduler *s, label_list labels, uint32_t key_index);
bool topology_seed(scheduler *s, uint32_t group_number);
/* What a node (registering its domain) and a bound pod (counting) contribute to a group's seed; NO_ID = nothing. */
uint32_t seed_of_node(scheduler *s, const group *g, const state_node *n);
uint32_t seed_of_pod(scheduler *s, const group *g, uint32_t pod_number);

/* domains.c */
uint32_t domain_key_of(scheduler *s, uint32_t given); /* index in s->keys, made when new; NO_ID */
uint32_t domain_number(scheduler *s, uint32_t key_index, uint32_t text); /* made when new; NO_ID */
const uint64_t *domain_mask(scheduler *s, uint32_t key_index, uint32_t requirement_id); /* numbers it allows */
uint32_t host_number_of_text(scheduler *s, uint32_t text); /* made when new; NO_ID */
uint32_t host_number_new(scheduler *s); /* of a claim */
/* Makes room for domains in a group's arrays. */
bool group_reserve(scheduler *s, group *g, uint32_t domains);
void group_register(scheduler *s, group *g, uint32_t domain); /* known, count unchanged */
void group_count(scheduler *s, group *g, uint32_t domain); /* count + 1 */
void group_unregister(group *g, uint32_t domain); /* the two undone */
void group_uncount(group *g, uint32_t domain);

/* A place a pod might go to, as topology sees it. */
typedef struct spot {
    uint32_t set; /* requirements without the host name */
    uint32_t host; /* host number */
    uint32_t host_text; /* its name, HOST_FRESH for a new node */
    taint_list taints;
    bool lenient; /* new nodes: undefined well-known labels are acceptable */
} spot;

/* Whether a group that has a say about the pod is left without a domain in requirements it was tightened to. */
bool topology_contradicts(scheduler *s, const view *v, uint32_t set);
/* §14.7: tightens *set by what every group allows; false when one allows nothing or the result contradicts the spot. */
bool topology_admit(scheduler *s, const view *v, const spot *at, uint32_t *set);
/* The host part alone, a quick necessary test. *lasting: a refusal holds for every later pod of the class. */
bool topology_admits_host(const scheduler *s, const view *v, uint32_t number, uint32_t host_text, bool *lasting);
/* §14.5: the pod is there now. */
void topology_record(scheduler *s, const view *v, const spot *at);
/* Counts what the round has placed already in a group that is new (Q-5 off). */
void topology_count_placed(scheduler *s, uint32_t group_number);

/* What the requirements of a place say about its host name, beside a text id. */
#define HOST_ABSENT UINT32_MAX
#define HOST_FRESH (UINT32_MAX - 1)

/* Whether a demand on the host name is met: a text id, or one of the two marks. */
bool host_allowed(const scheduler *s, uint32_t requirement_id, uint32_t host_text);

#endif
