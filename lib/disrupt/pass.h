/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One disruption pass: which nodes a method may remove, and the decision about them (deprovisioning.md). The parts of a
 * pass are:
 *
 *     candidates  the nodes that can be disrupted, and those of this method     budgets  how many nodes of each pool
 *     methods     the table of methods; repair_method, emptiness, static_drift, drift, multi, single fill `commands`
 *     consolidate (costs, balanced, simulate)                          common to the last two methods
 *     rows        the decision
 *
 * A refused allocation is reported as a status.
 */
#pragma once

#include <base/context.h>
#include <decision/decision.h>
#include <disrupt/costs.h>

struct simulation;

/* The repair decision for a node (K15-8). */
typedef struct repair_verdict {
    const node_repair *policy; /* the deciding policy */
    uint32_t action; /* KARP_REPAIR_* */
    uint32_t condition, reason; /* text ids */
    bool fallback, escalated;
    int64_t eligible_at, bound; /* bound: the shortest of all policies, UNSET = none */
    double score;
} repair_verdict;

/* A node that can be disrupted. */
typedef struct candidate {
    uint32_t node; /* state node */
    uint32_t pool; /* store index */
    uint32_t type; /* in the pool's table, NO_ID = unknown */
    uint32_t capacity_type; /* text id, NO_ID = no label */
    const uint32_t *moving; /* its reschedulable pods, by name */
    uint32_t moving_count;
    double price, cost; /* dollars an hour, and what evicting its pods costs */
    double eviction_cost; /* of all its pods */
    double ratio; /* price / cost */
    const repair_verdict *repair; /* for method repair */
} candidate;

/* A node to be launched as a replacement for candidates. */
typedef struct replacement {
    uint32_t claim; /* claim of the simulation; NO_ID for a static pool's */
    uint32_t pool; /* pool of a static replacement */
    uint32_t set; /* narrowed requirements */
    const uint32_t *types; /* table indices, cheapest first, narrowed */
    uint32_t type_count;
} replacement;

typedef struct command {
    const uint32_t *candidates; /* indices in pass.candidates, in their order */
    uint32_t candidate_count;
    struct simulation *simulation; /* owned by the pass; NULL = none was run */
    replacement *replacements;
    uint32_t replacement_count;
    double savings, score; /* dollars an hour; lowest Balanced score, negative = not scored */
    uint32_t decision, terminate_first; /* KARP_COMMAND_*; KARP_TERMINATE_FIRST_* */
    int64_t bound; /* drain limit set by repair; UNSET = none */
} command;

/* Why a node is kept. */
typedef struct stay {
    uint32_t code, found; /* see karp_kept */
    karp_str detail;
} stay;

typedef struct pool_total { /* of a pool under the Balanced policy */
    bool known;
    double cost, disruption;
} pool_total;

/* What a pass may do, and how it ended. */
typedef struct pass_work {
    uint64_t most_simulations, simulations, steps;
    bool gave_up; /* device allocation ended without a result in some simulation */
    bool stopped; /* stopped by a budget or the caller */
    bool canceled; /* stopped, but not by most_simulations, which always gives a result */
} pass_work;

/* What is known of nodes, by state node. */
typedef struct pass_nodes {
    const uint8_t *only; /* other nodes are not considered; NULL = all are */
    unsigned in_question; /* CLAIM_* of all nodes, once they are known */
    bool knows_in_question;
    struct block {
        uint32_t pod, code;
    } * blocks; /* the first blocking pod; code NO_ID = not searched yet */
    bool *scattered; /* by group of pods: it is in mode "all", on several nodes; NULL = no group is */
    candidate *weighed; /* results of earlier methods, where is_weighed has the node */
    uint64_t *is_weighed;
    bool *in_queue; /* part of a command in progress; NULL = no node is */
    bool *nominated; /* the options say that pods are nominated for it; NULL = for none */
    const uint8_t *buffers; /* reserves capacity for a CapacityBuffer; NULL = none, or not computed */
    const stay *spared; /* why emptiness, run earlier, kept it; NULL = it was not run */
} pass_nodes;

/* Simulations that are known to end without a result: see simulation_in_vain(). */
typedef struct pass_vain {
    bool never; /* no scheduler can be reused for it */
    karp_options options; /* options of the last scheduler used for it */
    uint32_t *nodes, *pods; /* its arguments */
} pass_vain;

/* See marks.h. */
typedef struct pass_marks {
    bool remembers;
    karp_memory memory; /* for the next pass */
    bool *unseen; /* by store pool */
} pass_marks;

/* By store pool; of one method but for the first and the last. */
typedef struct budget_state {
    struct pool_nodes {
        int64_t all, busy;
    } * nodes; /* the basis of budgets except for repair; NULL = not counted yet */
    const struct pool_nodes *counted; /* the basis of its budgets */
    struct pool_allowance {
        int64_t most;
        uint32_t tightest; /* see karp_pool_budget */
    } * allowed;
    int64_t *remaining; /* what is left of it */
    uint32_t known; /* the first pools, whose budgets were evaluated before a cancellation */
    int64_t *next_change;
    bool constrained; /* a budget prevented the removal of some node */
    const uint8_t *blocking; /* see budgets_blocking(); NULL = as Karpenter recognises them (D-Q22) */
} budget_state;

/* What one method finds. */
typedef struct pass_found {
    candidate *candidates; /* all nodes that any method may take, by name */
    uint32_t candidate_count;
    uint32_t *eligible; /* those that this method may take, by name */
    uint32_t eligible_count;
    stay *stays; /* by state node; code NONE = removed, or no reason recorded yet. NULL = reasons are not needed */
    pool_total *totals; /* by store pool */
    LIST_OF(command) commands;
} pass_found;

typedef struct pass {
    const karp_snapshot *snapshot; /* or &view */
    karp_snapshot view;
    const karp_snapshot *simulated; /* what simulations see: the snapshot, or &predicted */
    karp_snapshot predicted;
    karp_context own_context; /* memory of the snapshot's context, cancelled by the pass's caller */
    karp_context *context; /* &own_context */
    karp_options options;
    int64_t now;
    uint64_t quirks; /* bit n−1: D-Qn is reproduced */
    uint64_t rules; /* rules of later versions: bit i for enum peer_rule */
    cost_reading costs;
    uint32_t method; /* KARP_METHOD_*, not ANY */
    const struct disrupt_method *how; /* its row */
    bool expire_gracefully; /* KARP_METHOD_EXPIRATION comes first */
    bool usable_pools; /* some pool could launch a node */
    bool commands_only; /* neither reasons to keep nodes nor the number of simulations are needed */
    bool weighs_pools; /* some pool's policy is Balanced, so the costs of all its candidates matter */
    const karp_str *backed_off; /* NodePools whose drifted nodes are kept; the caller's */
    size_t backed_off_count;
    karp_str error_code, error_message; /* of a method that cannot be evaluated */
    struct both_methods { /* shared by single-node and multi-node consolidation; candidates NULL = not known */
        candidate *candidates;
        uint32_t *eligible;
        uint32_t candidate_count, eligible_count;
    } both;
    const uint32_t *by_ratio; /* by_savings_ratio() of multi-node consolidation; NULL = not computed */
    pass_work work;
    pass_nodes nodes;
    budget_state budgets;
    pass_vain vain;
    pass_marks marks;
    pass_found found;
    arena lasting; /* lives as long as the pass */
    arena data; /* of one method: cleared before the next one */
    LIST_OF(struct scheduler *) spare; /* initialised, and free for the next simulation */
    LIST_OF(struct simulation *) ahead; /* run in advance, for candidates whose turn comes later */
} pass;

/* Checks the options (NULL = defaults) and initialises the pass; *method receives KARP_METHOD_*. Status: OK, NOMEM,
 * INVALID, ABI_*. */
karp_status pass_start(pass *p, const karp_snapshot *snapshot, const karp_disrupt_options *options, uint32_t *method,
                       karp_error *error);
/* Discards the data of one method. */
void pass_clear(pass *p);
void pass_end(pass *p);

/* Whether D-Qn is in force. */
static inline bool pass_quirk(const pass *p, unsigned n) { return (p->quirks >> (n - 1)) & 1; }

/* Whether the rule of a later version is in force. */
static inline bool pass_rule(const pass *p, enum peer_rule rule) { return rule_of(p->rules, rule); }

static inline const node_pool *pool_of(const pass *p, const candidate *c)
{
    return &p->snapshot->raw.pools.items[c->pool];
}

static inline const state_node *candidate_node(const pass *p, uint32_t number)
{
    return &p->snapshot->nodes[p->found.candidates[number].node];
}

/* Records why the node is kept, if reasons are needed. The detail is copied; false = out of memory. */
bool pass_keep(pass *p, uint32_t state_node, uint32_t code, karp_str detail);
/* The same for a candidate. Errors: NOMEM. */
karp_status pass_keep_candidate(pass *p, uint32_t number, uint32_t code, karp_str detail, karp_error *error);

/* Candidates by descending savings ratio, then by name, in the arena; NULL = out of memory. */
uint32_t *by_savings_ratio(pass *p);

/* ---- health.c: how the provider's repair policies apply to a node (K15-8) ---------------------------------------- */

/* The repair policies of a pass, with compiled expressions. NULL = out of memory. */
struct health *health_new(pass *p);
/* The repair decision for the node, in the pass's arena; *out NULL = no policy applies yet. false = out of memory. */
bool health_verdict(pass *p, const struct health *h, uint32_t state_node_number, const repair_verdict **out);
/* By store pool: whether more than a fifth of its nodes are unhealthy. NULL = out of memory. */
bool *health_tripped(pass *p);

/* Lists only candidates, budgets and kept nodes; the removed nodes are marked in the decision. false = out of
 * memory. */
bool disruption_lists(pass *p, karp_decision *d);
/* Status: OK, NOMEM. */
karp_status disruption_rows(pass *p, karp_decision *d, karp_error *error);

/* Notes which NodeClaims have expired: their nodes go, and no pass says so. */
bool expiration_note(const pass *p, karp_decision *d);
/* drain.c: notes nodes of commands that pods hold until terminationGracePeriod is over: they cost until then. */
bool held_note(const pass *p, karp_decision *d);
