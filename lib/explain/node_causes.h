/* SPDX-License-Identifier: Apache-2.0 */
/* What a person would act on: the objects and amounts behind a reason why a node stays, and when it ends. */
#pragma once

#include <base/strbuf.h>
#include <explain/node_view.h>

#include <karp/passes.h>

enum { MOST_NAMED = 5 }; /* the most pods or nodes of a list that are named */

typedef struct node_cause {
    const node_view *view;
    const karp_decision *decision; /* the pass that reported it */
    const karp_kept *row;
    uint32_t pod; /* that the row is about, or NO_ID */
    uint32_t method; /* KARP_METHOD_* */
} node_cause;

void cause_show(strbuf *b, const node_cause *c);

/* "n2 (until 2026-01-01T12:09:00Z)": a node whose consolidateAfter is not over, and when it is. */
void show_shielded(strbuf *b, const karp_snapshot *s, uint32_t node_number);
int64_t shielded_until(const karp_snapshot *s, uint32_t node_number);

/* Whether consolidateAfter of the node is over: that its NodeClaim is not Consolidatable then has another cause. */
bool wait_is_over(const karp_snapshot *s, uint32_t node_number, int64_t now);

/* What would hold the node if its NodeClaim had no terminationGracePeriod. Nothing if nothing would, or it has none. */
void show_overruled(strbuf *b, const karp_snapshot *s, uint32_t node_number, const char *method, int64_t now);

/* node_facts.c: when the node's claim expires; KARP_NO_TIME = never, or it is being deleted. */
int64_t node_expires(const karp_snapshot *s, uint32_t node_number);
/* node_facts.c: that the node expires within a day, or should have gone. Nothing if neither. */
void show_expiry(strbuf *b, const karp_snapshot *s, uint32_t node_number, int64_t now);
/* node_facts.c: that its NodePool uses more than a limit, which removes no node. Nothing if it does not. */
void show_over_limit(strbuf *b, const karp_snapshot *s, uint32_t node_number);
/* node_facts.c: that its node class selects the latest image, whatever it is. Nothing if it does not. */
void show_latest_image(strbuf *b, const karp_snapshot *s, uint32_t node_number);
/* node_facts.c: of a drifted node: that the policy of its NodePool for empty nodes is none for drift */
void show_policy(strbuf *b, const karp_snapshot *s, uint32_t node_number);
/* node_facts.c: that its NodePool has the default budget. Nothing if it has others. */
void show_default_budget(strbuf *b, const karp_snapshot *s, uint32_t node_number);

/* move_causes.c: the reason of a NodePool. Of a filter of types, the requirement that no type meets ("…; none has KEY
 * In [VALUE], resources …"), if the detail names one. */
karp_str refusal_text(const karp_pool_refusal *r);
/* move_causes.c: why the pod has no place: what topology says, else each NodePool. */
void show_unplaced(strbuf *b, const karp_unschedulable *row);
/* move_causes.c: "shop/web-0 prefers a topology spread (ScheduleAnyway) by KEY", of the first pod with a preference;
 * `b` may be NULL. false = no pod of the node that would move has one. */
bool show_preference(strbuf *b, const karp_snapshot *s, uint32_t node_number);
/* move_causes.c: that pods with karpenter.sh/do-not-disrupt are being deleted. Nothing if there are none. */
void show_ending(strbuf *b, const karp_snapshot *s, uint32_t node_number);
/* "simulations place default/web-0 with cpu 3 instead of 1, as its VerticalPodAutoscaler sets it when it is created
 * again" */
void show_predicted(strbuf *b, const karp_snapshot *s, uint32_t node_number);

/* The instant at which the reason ends by itself; KARP_NO_TIME = it does not, or that is unknown. */
int64_t cause_ends(const node_cause *c);

/* Whether a taint of the NodePool's nodes is expected: the NodePool has it, or Kubernetes or Karpenter sets it. */
bool taint_declared(const karp_snapshot *s, const node_pool *p, const taint *t);

/* What keeps the node from being initialized: the kubelet does not report it as ready, or it has a startup taint or one
 * of the kubelet or the cloud. Nothing if none of this is to be seen. */
void show_start(strbuf *b, const karp_snapshot *s, uint32_t node_number);
/* overcommit.c: "the limits of its 6 pods come to 14Gi memory, of 6887Mi that it has …", if they are above the
 * requests, and above what the node has. false = they are not. */
bool show_overcommit(strbuf *b, const karp_snapshot *s, const uint32_t *pods, size_t count, amount has);
bool show_overcommit_of_node(strbuf *b, const karp_snapshot *s, uint32_t node_number);

/* " and 3 more nodes", if a list has more than the `named` ones. */
void show_more(strbuf *b, size_t count, size_t named, const char *one, const char *several);

/* How many of the pods run on the node. */
uint32_t pods_from_node(const karp_snapshot *s, uint32_t node_number, const uint32_t *pods, size_t count);

/* "m6i.large of NodePool a (weight 50), m6i.large of NodePool b": the nodes that a decision launches for pods of the
 * node. */
void show_launches(strbuf *b, const karp_snapshot *s, uint32_t node_number, const karp_decision *d);
