/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verifier: an independent checker of plans. It applies the rules of Kubernetes to the place of every pod and
 * shares no code with the scheduler.
 *
 * It only sees the final state, not the order of placements. A constraint counts as violated only if no order of
 * placing the same pods would have satisfied it.
 */
#pragma once

#include <karp/explain.h>
#include <model/extended_resources.h>
#include <model/peer.h>

/*
 * The verifier's representation of label requirements: one rule per key, combined from any number of expressions. It
 * consists of plain lists and is independent of the scheduler's label algebra, so that an error there is not repeated
 * here.
 */

/* Text ids of the snapshot, followed by ids of texts that only the plan has. */
typedef struct vocabulary {
    const karp_snapshot *snapshot;
    strings extra;
    arena data; /* values of rules */
    bool failed;
    bool *stopped; /* the caller wants to stop: set during comparisons of long lists, whose results are then invalid */
} vocabulary;

uint32_t word_of(vocabulary *w, karp_str text);
karp_str word_text(const vocabulary *w, uint32_t id);
uint32_t word_key(const vocabulary *w, uint32_t key); /* the normalized key */
bool word_well_known(const vocabulary *w, uint32_t key); /* for a text of the snapshot */

typedef struct rule {
    uint32_t key, min_values, count;
    const uint32_t *values; /* the allowed values, or the excluded ones */
    int64_t gte, lte; /* INT64_MIN and INT64_MAX = no bound */
    bool excludes;
} rule;

typedef struct rules {
    rule *items;
    uint32_t *by_key; /* indices of the rules, by ascending key */
    uint32_t count;
    size_t capacity;
} rules;

/* Parses text that consists only of digits. false = it does not, or the number is out of range. */
bool digits_number(karp_str digits, bool minus, int64_t *out);

rule rule_of_expression(vocabulary *w, const expression *e);
rule rule_of_plan(vocabulary *w, const karp_requirement *r);
rule rule_of_requirement(const requirement *r);
rule rule_one(vocabulary *w, uint32_t key, uint32_t value); /* In [value] */

/* NotIn or DoesNotExist: satisfied by nodes without the label. */
bool rule_negative(const rule *r);
bool rule_accepts(const vocabulary *w, const rule *r, uint32_t value);
/* Whether some value satisfies both rules, or both are negative. */
bool rules_agree(const vocabulary *w, const rule *x, const rule *y);
/* Whether `required` allows every value that `have` allows. */
bool rule_within(const vocabulary *w, const rule *have, const rule *required);

/* NULL = there is no rule for the key. */
const rule *rules_find(const rules *list, uint32_t key);
void rules_add(vocabulary *w, rules *list, rule one);
void rules_add_expressions(vocabulary *w, rules *list, expression_list expressions);
void rules_add_labels(vocabulary *w, rules *list, label_list labels);

struct karp_verification {
    karp_context *context;
    arena data;
    LIST_OF(karp_finding) findings;
};

karp_verification *verification_new(karp_context *context); /* without findings; NULL = out of memory */

/* A node that receives pods: an existing one, or a launch. */
typedef struct target {
    bool is_launch;
    uint32_t node; /* state node */
    uint32_t pool; /* store index; NO_ID = unknown: no further checks of the launch */
    karp_str name; /* "node n1", "launch new-1" */
    rules labels; /* the labels of a node, or what the labels of a launch can be */
    taint_list taints;
    const uint32_t *pods;
    uint32_t pod_count;
    const karp_plan_launch *launch;
    const uint32_t *types; /* for a launch: its listed types, as table indices */
    uint32_t type_count;
} target;

/* Node requirements of a pod: one alternative for each required term, each including the node selector. */
typedef struct wishes {
    bool ready;
    rules *terms;
    uint32_t count;
} wishes;

/* Properties of a NodePool's nodes and its daemons, computed for its first launch. */
typedef struct pool_facts {
    bool ready, open;
    rules base; /* intersection of requirements and labels */
    const type_table *table;
    uint32_t *first_of_name; /* text id -> first type with that name */
    uint32_t *daemons_of_type; /* type -> id in daemon_sets + 1; 0 = not computed yet */
} pool_facts;

typedef struct verifier {
    const karp_snapshot *snapshot;
    karp_context *context;
    karp_verification *out;
    vocabulary words;
    arena data;
    bool failed;
    bool quirks; /* deviations that are due to Karpenter's quirks are accepted */
    uint64_t rules; /* rules of the plan's version: bit i for enum peer_rule */
    int64_t now;
    uint8_t *spent; /* by PodDisruptionBudget: it allows no more disruptions, if that is checked (without quirks) */
    uint8_t *waits; /* by pod: it is pending */
    uint8_t *seen; /* by pod: the plan mentions it */
    uint32_t *at; /* by pod: index of its target, NO_ID = none */
    target *targets;
    uint32_t target_count;
    wishes *wishes; /* by shape */
    pool_facts *pools; /* by store pool */
    wishes *daemon_wishes;
    int64_t *daemon_requests, *daemon_launched; /* [daemon * dims]: on nodes that exist, and on new ones */
    words daemon_sets;
    struct kinds *kinds; /* verify_kinds.h: used while topology is checked */
} verifier;

/* Whether devices serve the resource on nodes that have none of it, as in profile karp. */
static inline bool served_by_devices(const verifier *v, uint32_t column)
{
    return !v->quirks && column_served(v->snapshot, column);
}

/* Reports work that allocates nothing. false = the caller wants to stop, and the verifier has failed. */
static inline bool verifier_worked(verifier *v, size_t units)
{
    if (!mem_work(v->context, units)) v->failed = true;
    return !v->failed;
}

/* Adds a finding; the detail has printf's format. */
void note(verifier *v, uint32_t code, karp_str subject, const char *format, ...) __attribute__((format(printf, 4, 5)));
karp_str object_name(verifier *v, const char *kind, karp_str name); /* "pod default/web-0" */
karp_str pod_object(verifier *v, uint32_t pod_number);
/* Arguments for "%.*s". */
#define SHOW(text) (int)((text).len < 200 ? (text).len : 200), (text).len > 0 ? (text).ptr : ""

static inline const shape *pod_shape(const verifier *v, uint32_t pod_number)
{
    return &v->snapshot->raw.shapes.items[pod_at(&v->snapshot->raw, pod_number)->shape];
}
static inline const int64_t *pod_vector(const verifier *v, uint32_t pod_number)
{
    return v->snapshot->classes[v->snapshot->pod_class[pod_number]].requests;
}
/* That of a pod that stays where it is. */
static inline const int64_t *bound_vector(const verifier *v, uint32_t pod_number)
{
    const karp_snapshot *s = v->snapshot;
    return (s->held != NULL ? s->held : s->classes)[s->pod_class[pod_number]].requests;
}
int64_t add_clamped(int64_t a, int64_t b);
/* Zeroed memory with the lifetime of the verifier. NULL = out of memory, which is recorded. */
void *verifier_alloc(verifier *v, size_t count, size_t bytes);

/* Finds a pod by "namespace/name"; NO_ID = not found. */
uint32_t verify_find_pod(const karp_snapshot *s, karp_str name);
/* Checks those lists of a caller's plan that are later used without checking each string. Errors: INVALID. */
karp_status verify_check_plan(const karp_plan *plan, karp_error *error);

/* verify_pods.c */
bool find_pending(verifier *v);

/* verify_common.c: shared by nodes and launches */
const wishes *pod_wishes(verifier *v, uint32_t shape_number);
void fill_wishes(verifier *v, wishes *w, label_list selector_, node_term_list required);
/* Whether capacity is reserved for the daemon: not if it uses devices and such pods are rejected. */
bool daemon_runs(const verifier *v, const shape *daemon);
/* The first taint that is not tolerated, or NULL. Only NoSchedule and NoExecute count, unless soft_too. */
const taint *untolerated(const verifier *v, toleration_list tolerations, taint_list taints, bool soft_too);
bool ports_clash_with(const host_port_list x, const host_port_list y);
bool selector_matches(const selector *x, label_list labels);
/* Whether labels certainly satisfy the rules. `host` is the text id of the host name, or NO_ID for a new name. */
bool labels_satisfy(const verifier *v, const target *t, const rules *required, uint32_t host);
/* Whether a pod on the target excludes values of the label (or_all: or the label itself). On an existing node without
 * the label, Karpenter then treats the label as known and accepts pods that require it. */
bool excluded_by_pods(const verifier *v, const target *t, uint32_t key, bool or_all);
/* Whether Karpenter lets a required label be absent on a launch, because a pod or the NodePool excludes values of it:
 * Exists and NotIn together are NotIn, which agrees with a requirement that the label is absent (S-Q37). */
bool may_be_absent(const verifier *v, const target *t, const rule *have, const rule *required);
/* Checks that apply to any target: taints, selectors, ports, volumes. */
void check_pods_at(verifier *v, const target *t);

/* verify_nodes.c, verify_launches.c, verify_topology.c */
void check_node(verifier *v, const target *t);
void check_launch(verifier *v, target *t);
void check_limits(verifier *v);
void check_reservations(verifier *v);
pool_facts *facts_of_pool(verifier *v, uint32_t pool);
void check_topology(verifier *v);
void check_groups(verifier *v); /* groups.c, as the next one */
/* Whether a step disrupts only a part of a group that is disrupted as a whole. `going`: by node; `moved`: by pod,
 * earlier steps have moved it. */
void check_whole_groups(verifier *v, const uint8_t *going, const uint8_t *moved, size_t step);
/* Whether the pod needs no place, because the plan takes another alternative of the group above its own. */
bool pod_is_spare(const verifier *v, uint32_t pod_number);
/* verify_nodes.c */
void check_launch_volumes(verifier *v, const target *t);
