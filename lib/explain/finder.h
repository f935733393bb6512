/* SPDX-License-Identifier: Apache-2.0 */
/* What karp_find_blockers() has found so far: what holds nodes, and the single reasons that it would have to lift. */
#pragma once

#include <explain/node_view.h>

#include <karp/blockers.h>

/* A reason that a pass reported for a node, and the object that causes it. */
typedef struct lift {
    uint32_t code; /* KARP_REASON_* */
    uint32_t node; /* state node */
    uint32_t pod; /* NO_ID = none */
    uint32_t holder;
} lift;

typedef struct holder {
    uint32_t kind;
    karp_str object; /* in memory of the snapshot or of the result's arena */
    uint64_t *nodes; /* bits by state node */
    uint32_t budget; /* the PodDisruptionBudget, if it is one that pods show; NO_ID = none */
    LIST_OF(uint32_t) pods;
    double savings;
    double behind; /* what a node would save that a feature gate keeps as well: part of what all save together */
} holder;

/* The result. */
struct karp_blockers {
    karp_context *context;
    arena data;
    LIST_OF(karp_savings_blocker) rows;
    double now, together;
    uint32_t profile, peer_version;
};

typedef struct finder {
    const karp_snapshot *snapshot;
    karp_disrupt_options options;
    karp_blockers *out;
    LIST_OF(lift) lifts;
    LIST_OF(holder) holders;
    uint64_t *going, *going_now; /* bits by state node: nodes removed by the last pass, and by a pass without changes */
    uint64_t *shared; /* bits by state node: a pod is covered by several budgets, and free without one of them */
    uint64_t *shut; /* bits by NodePool: its budgets have no room */
    karp_decision *empties; /* a pass removes empty nodes first, so that they receive no pods */
    node_view closed; /* no node can be disrupted in it; for PodDisruptionBudgets, one after the other */
    bool opened;
    int64_t now;
    double launched; /* what launches cost without nodes that go now; negative = not known yet */
    uint32_t *sure; /* by state node: how many holders keep it whatever else happens */
} finder;

/* next_passes.c: the methods that reduce cost */
enum { CONSOLIDATIONS = 3 };
extern const uint32_t consolidations[CONSOLIDATIONS];
/* Sets the bits of `going` for the nodes of the decision's commands. */
void mark_nodes(finder *f, const karp_decision *d);
/* Runs one method and returns the saving of its commands. `rows`: the reasons of the nodes that stay are needed as
 * well. The caller releases *d. */
karp_status run_method(finder *f, const node_view *v, uint32_t method, bool rows, double *saved, karp_decision **d,
                       karp_error *error);
/* What emptiness saves, and one command of consolidation on the nodes that it leaves. `going`: all of these nodes. */
karp_status savings_of(finder *f, node_view *v, double *out, karp_error *error);

/* The holder of that kind and object, a new one if there is none. NO_ID = out of memory. */
uint32_t holder_of(finder *f, uint32_t kind, karp_str named);
uint32_t new_holder(finder *f, uint32_t kind, karp_str named);
/* false = out of memory */
bool add_lift(finder *f, lift one);
bool add_pod(finder *f, holder *h, uint32_t pod_number);

/* held_nodes.c: "namespace/name" of a PodDisruptionBudget, in the result's arena; { NULL, 0 } = out of memory */
karp_str pdb_name(finder *f, const disruption_budget *b);
/* held_nodes.c: whether the node is of a static NodePool, whose nodes are never consolidated */
bool is_static(const finder *f, uint32_t node_number);
/* The pods of nodes that cannot be evicted, whatever else keeps the nodes: those that annotations
 * protect, and those that PodDisruptionBudgets cover. `v` loses these reasons. `d`: a pass, which says which nodes are
 * no candidates for a reason that nothing lifts. false = out of memory. */
bool hold_by_pods(finder *f, node_view *v, const karp_decision *d);
/* Nodes that are being deleted, and whose drain waits for such pods. false = out of memory. */
bool hold_by_drain(finder *f);
bool count_holders(finder *f); /* for held_by_others(), when all nodes are known. false = out of memory */
/* Whether each node of the holder is kept by another one as well, so that nothing is saved without this one alone. */
bool held_by_others(const finder *f, const holder *h);
