/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the state of a finished run into the rows of a decision. */
#pragma once

#include <base/strbuf.h>
#include <decision/decision.h>
#include <schedule/domain_facts.h>
#include <schedule/placement.h>
#include <schedule/solve.h>

struct launches {
    words keys; /* keys of launches that share their rows */
    LIST_OF(uint32_t) firsts; /* the first launch with each key */
    karp_str *ids; /* by claim, once the result has named them */
};

/* The contents of a launch row. Disruption fills one for replacements that it has narrowed. */
typedef struct launch_source {
    uint32_t template_;
    uint32_t set;
    const uint32_t *types; /* table indices, cheapest first */
    uint32_t type_count;
    uint32_t list; /* final_claim.list when all launches of the decision come from one report_finalize(), else 0 */
    size_t same_as; /* 1 + the launch of the decision that differs only in pods and drivers; 0 = none is known */
    resource_list requests;
    const uint32_t *pods; /* sorted by name; memory of the snapshot or the decision's arena */
    size_t pod_count;
    bool relaxed_min_values;
    karp_str drivers; /* drivers of the devices that its pods received, in the decision's arena; len 0 = none */
} launch_source;

/* Call before the first launch of each further decision of a scheduler: rows are shared only within one decision. */
void report_forget_launches(scheduler *s);
/* Appends a launch named "new-N". false = out of memory. */
bool report_launch(scheduler *s, karp_decision *d, const launch_source *from);

/* Fills the row for a launch of this offering: labels and amounts. false = out of memory. */
bool report_choice(scheduler *s, karp_decision *d, const type_table *t, const offering *o, karp_launch *row);

/* Fills a launch decision: launches by NodePool and pods, placements, unschedulable and ignored pods, nodes, costs. */
karp_status report_plan(scheduler *s, karp_decision *d);
/* limits.c: adds warnings about NodePools whose limits exclude pods, for which nodes are then launched from other
 * NodePools. Call last. */
bool report_limited(scheduler *s, karp_decision *d);
/* limits.c: how many launches of the decision are of the NodePool of that name. */
size_t launches_of(const karp_decision *d, karp_str pool);
/* limits.c: the number of nodes that the NodePool has after the decision if that is more than its limit on nodes,
 * which Karpenter compares only with the nodes before a pass; 0 = it is not. */
uint64_t nodes_beyond_limit(const karp_snapshot *s, const karp_decision *d, uint32_t pool);
/* reservations.c: the first free reservation of a type that a NodePool with these requirements would allow if its
 * requirement on capacity types were not; NULL = there is none, or it allows some. */
const offering *reservation_excluded(algebra *a, const karp_snapshot *s, const type_table *table, uint32_t set);
/* reservations.c: warns of those of NodePools that the decision launches from. */
bool report_reservations(scheduler *s, karp_decision *d);
/* spread_notes.c: notes the spread constraints that do not count the pods which have them. */
bool report_selectors(scheduler *s, karp_decision *d);
/* Whether the constraint counts the pod that has it, or its selector is invalid. */
bool spread_counts(const karp_snapshot *s, uint32_t pod_number, const spread_constraint *c);
/* Of a launch that is on-demand only since its pods are many: see fallback_notes.c. false = out of memory */
bool report_fallbacks(scheduler *s, karp_decision *d);
/* apart.c: "one pod like it for each node: host port 80 is free once on a node". false = there is no such rule. */
bool show_apart(const karp_snapshot *s, uint32_t pod_number, strbuf *b);
/* apart.c: the same for launches of pods of which there are several, unless explain is none. false = out of memory */
bool report_apart(scheduler *s, karp_decision *d);
/* The limits of a NodePool as text, "limit cpu 400, memory 1600Gi"; empty when it has none. */
void limits_name(const karp_snapshot *s, uint32_t pool, strbuf *out);

/* The state nodes after the decision, and the costs before and after. */
bool report_nodes(scheduler *s, karp_decision *d);
/* The state nodes when nothing was scheduled, and the cost before. */
bool report_nodes_unchanged(const karp_snapshot *s, karp_decision *d);

/* The pods that each claim and each host received, sorted by name. The lists belong to the snapshot or are allocated
 * in `a`. */
typedef struct pod_list {
    const uint32_t *pods;
    uint32_t count;
} pod_list;
typedef struct received {
    pod_list *claims, *hosts;
} received;
bool report_received(scheduler *s, arena *a, received *out);
/* The same for claims only. It is enough for a simulation, and its cost does not grow with the number of nodes. */
bool report_claims_received(scheduler *s, arena *a, received *out);
/* Finalizes all claims. The pods of dropped claims become failures. */
bool report_finalize(scheduler *s, arena *a, const received *r, final_claim **out);
/* Sorts claims in the order of launches: by NodePool, then by pods. */
bool report_sort_claims(const scheduler *s, const received *r, uint32_t *claims, size_t count);
/* Adds a placement for every node that received pods. *r is allocated in the decision's arena. */
bool report_placements(scheduler *s, karp_decision *d, const received *r);

/* The reasons why NodePools rejected the pods of one decision. Pods with equal reasons share their rows and texts. */
typedef struct refusal_lists {
    strings details;
    LIST_OF(const char *) texts; /* texts of the decision, by detail */
    words keys; /* keys of lists of reasons */
    LIST_OF(const karp_unschedulable *) firsts; /* a row with each list; the lists belong to the decision */
    arena rows;
    domain_facts domains;
} refusal_lists;

void refusal_lists_init(refusal_lists *l, karp_context *context);
void refusal_lists_free(refusal_lists *l);

/* Fills code, permanence, message, pools and relaxed of the row, and targets at explain level full. false = out of
 * memory. */
bool why_unschedulable(scheduler *s, const failure *f, karp_decision *d, refusal_lists *known, karp_unschedulable *row);

/* ---- show.c: requirements, taints and resources as text, in Karpenter's notation --------------------------------- */

/* An order of requirements, by the names of their keys; `user` is the scheduler. */
int requirements_by_key(uint32_t x, uint32_t y, const void *user);
void show_requirement(const scheduler *s, strbuf *b, uint32_t requirement_id);
/* Sorted by text, comma separated. Keys that exist only in simulations are left out. */
void show_set(const scheduler *s, strbuf *b, uint32_t set);
void show_taint(const karp_snapshot *s, strbuf *b, const taint *t);
/* "app=web,tier In (a,b)", with the labels of matchLabelKeys; "" = it selects everything or nothing */
void show_selector(const scheduler *s, strbuf *b, const selector *x, label_list extra);
/* why_topology_text.c: the label that a topology key of a similar name stands for, such as
 * topology.kubernetes.io/hostname, which is none; "" = unknown */
karp_str topology_key_meant(karp_str key);
/* {"cpu":"1","memory":"2Gi"}, by name */
void show_resources(const scheduler *s, strbuf *b, resource_list list);
/* Resources with their quantities as canonical text, sorted by resource name, in the arena. */
const karp_resource *resource_rows(const karp_snapshot *s, arena *a, resource_list list, size_t *count);
