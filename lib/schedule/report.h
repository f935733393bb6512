/* SPDX-License-Identifier: Apache-2.0 */
/* From the state of a finished run to the rows of a decision. */
#ifndef SCHEDULE_REPORT_H
#define SCHEDULE_REPORT_H

#include <base/strbuf.h>
#include <decision/decision.h>
#include <schedule/places.h>
#include <schedule/solve.h>

struct launches {
    words keys; /* what launches that share their rows agree in … */
    LIST_OF(uint32_t) firsts; /* … and the first launch of each kind */
    karp_str *ids; /* by claim, once the result names them */
};

/* What a launch row is made of; disruption fills one for replacements it has narrowed. */
typedef struct launch_source {
    uint32_t template_;
    uint32_t set;
    const uint32_t *types; /* table indices, cheapest first */
    uint32_t type_count;
    uint32_t list; /* final_claim.list, when all launches of the decision come from one report_finalize(); else 0 */
    size_t same_as; /* 1 + the launch of the decision that differs in nothing but pods and drivers; 0 = none is known */
    resource_list requests;
    const uint32_t *pods; /* by name; the snapshot's, or in the decision's arena */
    size_t pod_count;
    bool relaxed_min_values;
    karp_str drivers; /* of the devices its pods got, in the decision's arena; len 0 = none */
} launch_source;

/* Before the first launch of a decision that is not the scheduler's first: what launches of another share is not this one's. */
void report_forget_launches(scheduler *s);
/* Appends a launch "new-N". false = out of memory. */
bool report_launch(scheduler *s, karp_decision *d, const launch_source *from);

/* What a launch of that type would be: its cheapest offering, its labels and amounts. false = out of memory. */
bool report_choice(scheduler *s, karp_decision *d, const type_table *t, uint32_t type, uint32_t set, karp_launch *row);

/* Everything of a launch decision: launches by pool and pods, placements, unschedulable and ignored pods, nodes, costs. */
karp_status report_plan(scheduler *s, karp_decision *d);
/* limited.c: warns of pools whose limits keep pods out that launches from other pools are for. The last thing that is asked. */
bool report_limited(scheduler *s, karp_decision *d);
/* "limit cpu 400, memory 1600Gi": the limits of a pool; nothing when it has none. */
void limits_name(const karp_snapshot *w, uint32_t pool, strbuf *out);

/* report_nodes.c: state nodes as they are after the decision, and the costs before and after. */
bool report_nodes(scheduler *s, karp_decision *d);
/* What a node costs per hour; 0 = unknown. */
double node_price(const karp_snapshot *w, const state_node *n);
/* State nodes as they are, when nothing was scheduled. */
bool report_nodes_unchanged(const karp_snapshot *w, karp_decision *d);

/* The pods each claim and each host received, by name; the lists are the snapshot's or lie in `a`. */
typedef struct pod_list {
    const uint32_t *pods;
    uint32_t count;
} pod_list;
typedef struct received {
    pod_list *claims, *hosts;
} received;
bool report_received(scheduler *s, arena *a, received *out);
/* The claims alone: what a simulation needs, at a cost that does not grow with the nodes. */
bool report_claims_received(scheduler *s, arena *a, received *out);
/* §31.1, §31.2 for all claims; pods of dropped ones become failures. */
bool report_finalize(scheduler *s, arena *a, const received *r, final_claim **out);
/* Puts claims in the order of launches: by pool, then by pods. */
bool report_sort_claims(const scheduler *s, const received *r, uint32_t *claims, size_t count);
/* A placement for every node that received pods; *r lives in the decision's arena. */
bool report_placements(scheduler *s, karp_decision *d, const received *r);

/* What pools said to pods of one decision, each different answer and list of answers once: pods refused alike share them. */
typedef struct refusal_lists {
    strings details;
    LIST_OF(const char *) texts; /* the decision's, by detail */
    words keys; /* lists of answers … */
    LIST_OF(const karp_unschedulable *) firsts; /* … and a row of each; its lists are the decision's */
    arena rows;
} refusal_lists;

void refusal_lists_init(refusal_lists *l, karp_context *context);
void refusal_lists_free(refusal_lists *l);

/* Fills code, permanence, message, pools and relaxed of the row; targets at explain level full. false = out of memory. */
bool why_unschedulable(scheduler *s, const failure *f, karp_decision *d, refusal_lists *known, karp_unschedulable *row);

#endif
