/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One disruption pass: which nodes one method may remove, and what is decided about them (deprovisioning.md). A pass goes
 *
 *     candidates  who may go at all, and for this method     budgets      how many of each pool
 *     emptiness, static_drift, drift, multi, single          the methods, each of which fills `commands`
 *     consolidate (prices, balanced, same_type, simulate)    what the last two have in common
 *     rows        the decision
 *
 * "§" in this room is deprovisioning.md unless it says otherwise. A refused allocation is reported as a status.
 */
#ifndef DISRUPT_PASS_H
#define DISRUPT_PASS_H

#include <base/context.h>
#include <decision/decision.h>
#include <disrupt/costs.h>
#include <karp/disrupt.h>
#include <model/peer.h>
#include <model/snapshot.h>

struct simulation;

/* What repair would do with a node (K15-8). */
typedef struct repair_verdict {
    const node_repair *policy; /* that decides */
    uint32_t action; /* KARP_REPAIR_* */
    uint32_t condition, reason; /* text ids */
    bool fallback, escalated;
    int64_t eligible_at, bound; /* bound: the shortest of any policy, UNSET = none */
    double score;
} repair_verdict;

/* A node that may go (§5). */
typedef struct candidate {
    uint32_t node; /* state node */
    uint32_t pool; /* store index */
    uint32_t type; /* in the pool's table, NO_ID = unknown */
    uint32_t capacity_type; /* text id, NO_ID = no label */
    const uint32_t *moving; /* its reschedulable pods, by name */
    uint32_t moving_count;
    double price, cost, disruption_cost; /* §14.1, resched_cost of §7, and what is printed */
    double ratio; /* price / cost */
    const repair_verdict *repair; /* of that method */
} candidate;

/* A node to be launched in the place of candidates. */
typedef struct replacement {
    uint32_t claim; /* of the simulation; NO_ID for a static pool's */
    uint32_t pool; /* of a static replacement */
    uint32_t set; /* requirements, narrowed */
    const uint32_t *types; /* table indices, cheapest first, narrowed */
    uint32_t type_count;
} replacement;

typedef struct command {
    const uint32_t *candidates; /* indices in pass.candidates, in their order */
    uint32_t candidate_count;
    struct simulation *simulation; /* owned by the pass; NULL = none was made */
    replacement *replacements;
    uint32_t replacement_count;
    double savings, score; /* §14.5; least Balanced score, negative = not scored */
    uint32_t decision, terminate_first; /* KARP_COMMAND_*; KARP_TERMINATE_FIRST_* */
    int64_t bound; /* of the drain, by repair; UNSET = none */
} command;

/* Why a node stays. */
typedef struct stay {
    uint32_t code;
    karp_str detail;
} stay;

typedef struct pool_total { /* §18.1 */
    bool known;
    double cost, disruption;
} pool_total;

typedef struct pass {
    const karp_snapshot *snapshot; /* or its view: */
    karp_snapshot view;
    karp_context own_context; /* memory of the snapshot's, stopped by the caller of the pass */
    karp_context *context; /* the one above */
    karp_options options;
    int64_t now;
    uint64_t quirks; /* bit n−1: D-Qn is reproduced */
    uint64_t rules; /* of later versions: bit i for enum peer_rule */
    cost_reading costs;
    uint32_t method; /* KARP_METHOD_*, not ANY */
    bool expire_gracefully; /* KARP_METHOD_EXPIRATION comes first */
    bool usable_pools; /* some pool could start a node */
    bool commands_only; /* nobody asks why nodes stay, nor how many simulations that takes */
    bool weighs_pools; /* some pool's policy is Balanced: what all its candidates cost counts */
    const uint8_t *only; /* by state node: nobody asks about others; NULL = about all */
    struct both_methods { /* the same for single nodes as for several; candidates NULL = not known */
        candidate *candidates;
        uint32_t *eligible;
        uint32_t candidate_count, eligible_count;
    } both;
    const uint32_t *by_ratio; /* by_savings_ratio() of the method for several nodes; NULL = it was not asked */
    struct pool_nodes {
        int64_t all, busy;
    } * pool_nodes; /* by store pool, what budgets go by but for repair; NULL = not counted yet */
    bool never_in_vain; /* see simulation_in_vain(): it has no scheduler that can be asked again and again */
    karp_options vain_options; /* of the one that was asked last */
    uint32_t *vain_nodes, *vain_pods; /* what it was asked */
    uint64_t max_simulations, simulations, steps;
    bool gave_up; /* in some simulation the search for devices ended without an answer */
    bool stopped; /* a budget or the caller ended it … */
    bool canceled; /* … and not max_simulations, whose end is always a result */
    karp_str error_code, error_message; /* of a method that cannot be evaluated */
    struct block {
        uint32_t pod, code;
    } * blocks; /* by state node: the first pod that blocks; code NO_ID = not looked for yet */
    candidate *weighed; /* by state node: what the methods before have worked out; moving NULL = nothing yet */
    bool *in_queue; /* by state node: part of a command in progress; NULL = none is */
    bool remembers; /* marks.h; with what the next pass is given */
    karp_memory memory;
    bool *unseen; /* by store pool */
    const uint8_t *closed_budgets; /* see budgets_closed(); NULL = as Karpenter tells (D-Q22) */
    const uint8_t
        *buffer_nodes; /* by state node: holds room for a CapacityBuffer; NULL = none does, or nobody asked yet */
    const stay *spared; /* by state node: why emptiness, asked before, left it; NULL = it was not asked */
    arena lasting; /* what lasts as long as the pass */
    LIST_OF(struct scheduler *) spare; /* set up, and free for the next simulation */
    LIST_OF(struct simulation *) ahead; /* made already, for candidates whose turn comes */

    /* of one method; in `data`, which is cleared before the next */
    arena data;
    candidate *candidates; /* every node that §5 lets go, by name */
    uint32_t candidate_count;
    uint32_t *eligible; /* those that §6 leaves, by name */
    uint32_t eligible_count;
    stay *stays; /* by state node; code NONE = it goes, or nothing was said yet */
    bool constrained; /* a budget kept some node from going */
    int64_t *remaining; /* by store pool */
    uint32_t
        budgets_known; /* so many pools, the first ones: the search may be stopped before the others' budgets are looked at */
    int64_t *next_change; /* likewise */
    pool_total *totals; /* likewise */
    LIST_OF(command) commands;
} pass;

/* Checks the options (NULL = defaults) and begins; *method receives KARP_METHOD_*. Status: OK, NOMEM, INVALID, ABI_*. */
karp_status pass_start(pass *p, const karp_snapshot *snapshot, const karp_disrupt_options *options, uint32_t *method,
                       karp_error *error);
/* Whether repair is a method: the rule is in force, the gate on, and there are policies. */
bool repair_offered(const pass *p);
/* What one method has gathered goes. */
void pass_clear(pass *p);
void pass_end(pass *p);

/* Whether D-Qn is in force. */
static inline bool pass_quirk(const pass *p, unsigned n) { return (p->quirks >> (n - 1)) & 1; }

/* Whether the rule of a later version is. */
static inline bool pass_rule(const pass *p, enum peer_rule rule) { return rule_of(p->rules, rule); }

static inline const node_pool *pool_of(const pass *p, const candidate *c)
{
    return &p->snapshot->raw.pools.items[c->pool];
}

/* The node stays because of this. The detail is copied; false = out of memory. */
bool pass_keep(pass *p, uint32_t state_node, uint32_t code, karp_str detail);

/* Candidates by savings ratio descending, then by name (§7), in the arena; NULL = out of memory. */
uint32_t *by_savings_ratio(pass *p);

/* The methods (§10–17). Each appends commands, or says in `stays` why there are none. Status: OK, NOMEM. */
karp_status method_repair(pass *p, karp_error *error);
karp_status method_emptiness(pass *p, karp_error *error);
karp_status method_static_drift(pass *p, karp_error *error);
karp_status method_drift(pass *p, karp_error *error);
karp_status method_multi_node(pass *p, karp_error *error);
karp_status method_single_node(pass *p, karp_error *error);

/* Candidates, budgets and kept nodes alone; the nodes that go are marked in the decision. false = out of memory. */
bool disruption_lists(pass *p, karp_decision *d);
/* Status: OK, NOMEM. */
karp_status disruption_rows(pass *p, karp_decision *d, karp_error *error);

#endif
