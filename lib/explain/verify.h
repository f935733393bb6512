/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verifier: an independent checker of plans. It knows the snapshot's objects and the rules of Kubernetes, looks at
 * where every pod ends up, and shares no code with the scheduler.
 *
 * It judges the final state, so it must not demand what only an order could give: a constraint counts as violated only
 * when no order of placing the same pods would have satisfied it.
 */
#ifndef EXPLAIN_VERIFY_H
#define EXPLAIN_VERIFY_H

#include <explain/verify_rules.h>
#include <karp/explain.h>
#include <model/peer.h>

struct karp_verification {
    karp_context *context;
    arena data;
    LIST_OF(karp_finding) findings;
};

/* Where pods go: an existing node, or a launch. */
typedef struct target {
    bool is_launch;
    uint32_t node; /* state node */
    uint32_t pool; /* store index; NO_ID = unknown: nothing more is checked of the launch */
    karp_str name; /* "node n1", "launch new-1" */
    rules labels; /* what its labels are (node), or will be within (launch) */
    taint_list taints;
    const uint32_t *pods;
    uint32_t pod_count;
    const karp_plan_launch *launch;
    const uint32_t *types; /* of a launch: the listed ones, as table indices */
    uint32_t type_count;
} target;

/* What a pod asks of labels: one alternative for each required term, each with the node selector in it. */
typedef struct wishes {
    bool ready;
    rules *terms;
    uint32_t count;
} wishes;

/* What a pool's nodes start from, and what its daemons take. Filled when the first launch asks. */
typedef struct pool_facts {
    bool ready, open;
    rules base; /* requirements ∧ labels */
    const type_table *table;
    uint32_t *first_of_name; /* text id -> first type of that name */
    uint32_t *daemons_of_type; /* type -> id in daemon_sets + 1; 0 = not looked up */
} pool_facts;

typedef struct verifier {
    const karp_snapshot *snapshot;
    karp_context *context;
    karp_verification *out;
    vocabulary words;
    arena data;
    bool failed;
    bool quirks; /* what Karpenter's quirks allow is fine */
    uint64_t rules; /* of the plan's version: bit i for enum peer_rule */
    int64_t now;
    uint8_t *spent; /* by budget: has nothing to spare, where that is counted (without quirks) */
    uint8_t *waits; /* by pod: the round has to place it */
    uint8_t *seen; /* by pod: the plan mentions it */
    uint32_t *at; /* by pod: target, NO_ID = none */
    target *targets;
    uint32_t target_count;
    wishes *wishes; /* by shape */
    pool_facts *pools; /* by store pool */
    wishes *daemon_wishes;
    int64_t *daemon_requests; /* [daemon * dims] */
    words daemon_sets;
    struct kinds *kinds; /* verify_kinds.h: while topology is checked */
} verifier;

/* Work for which no memory is asked; false = the caller wants to stop, and the verifier has failed. */
static inline bool verifier_worked(verifier *v, size_t units)
{
    if (!mem_work(v->context, units)) v->failed = true;
    return !v->failed;
}

/* A finding; the detail is printf's. */
void note(verifier *v, uint32_t code, karp_str subject, const char *format, ...) __attribute__((format(printf, 4, 5)));
karp_str object_name(verifier *v, const char *kind, karp_str name); /* "pod default/web-0" */
karp_str pod_object(verifier *v, uint32_t pod_number);
/* For "%.*s". */
#define SHOW(text) (int)((text).len < 200 ? (text).len : 200), (text).len > 0 ? (text).ptr : ""

static inline const shape *pod_shape(const verifier *v, uint32_t pod_number)
{
    return &v->snapshot->raw.shapes.items[pod_at(&v->snapshot->raw, pod_number)->shape];
}
static inline const int64_t *pod_vector(const verifier *v, uint32_t pod_number)
{
    return v->snapshot->classes[v->snapshot->pod_class[pod_number]].requests;
}
static inline bool pod_over(const pod *p) { return p->phase == KARP_PHASE_SUCCEEDED || p->phase == KARP_PHASE_FAILED; }
int64_t add_clamped(int64_t a, int64_t b);
/* Cleared, for as long as the verifier lasts. A refusal is noted, and NULL. */
void *room_for(verifier *v, size_t count, size_t bytes);

/* "namespace/name"; NO_ID = no such pod. */
uint32_t verify_find_pod(const karp_snapshot *s, karp_str name);
/* The lists of a caller's plan that are needed without a check of each string. Errors: INVALID. */
karp_status verify_check_plan(const karp_plan *plan, karp_error *error);

/* verify_pods.c */
bool find_pending(verifier *v);

/* verify_common.c: what nodes and launches have in common */
const wishes *pod_wishes(verifier *v, uint32_t shape_number);
void fill_wishes(verifier *v, wishes *w, label_list selector_, node_term_list required);
/* Whether room is kept for the daemon at all: not for one that asks for devices where such pods are refused. */
bool daemon_runs(const verifier *v, const shape *daemon);
/* The first hard taint (NoSchedule, NoExecute) that nothing tolerates, or NULL. */
const taint *untolerated(const verifier *v, toleration_list tolerations, taint_list taints, bool soft_too);
bool ports_clash_with(const host_port_list x, const host_port_list y);
bool selector_matches(const selector *x, label_list labels);
/* Whether labels satisfy the rules for certain. `host` is the host name's word, or NO_ID for a name that nobody knows yet. */
bool labels_satisfy(const verifier *v, const target *t, const rules *asked, uint32_t host);
/* Whether a pod that goes to the target excludes values of the label (or_all: or the label). Karpenter then takes the label for
 * known on an existing node that lacks it, and lets pods in that ask for it. */
bool excluded_by_pods(const verifier *v, const target *t, uint32_t key, bool or_all);
bool pool_open(const verifier *v, uint32_t pool);
/* Checks of one target that do not depend on what it is: taints, selectors, ports, volumes. */
void check_pods_at(verifier *v, const target *t);

/* verify_nodes.c, verify_launches.c, verify_topology.c */
void check_node(verifier *v, const target *t);
void check_launch(verifier *v, target *t);
void check_limits(verifier *v);
void check_reservations(verifier *v);
pool_facts *facts_of_pool(verifier *v, uint32_t pool);
void check_topology(verifier *v);

/* verify_volumes.c */
void check_node_volumes(verifier *v, const target *t);
void check_launch_volumes(verifier *v, const target *t);

#endif
