/* SPDX-License-Identifier: Apache-2.0 */
/* A list of actions under construction, and helpers common to all advice functions. */
#pragma once

#include <base/duration.h>
#include <base/str.h>
#include <karp/lifecycle.h>
#include <model/snapshot.h>

struct karp_advice {
    karp_context *context;
    arena data;
    karp_snapshot *snapshot; /* referenced; owns the names */
    LIST_OF(karp_action) actions;
    LIST_OF(karp_str) found; /* claims whose instance types exist */
    int64_t now, look_again;
    bool finished, failed;
};

/* Empty advice at `now` (0 = the snapshot's time). NULL = out of memory. */
karp_advice *advice_new(const karp_snapshot *snapshot, int64_t now);
/* The same for a public function with these arguments. Status: OK, INVALID, NOMEM, LIMIT, CANCELED. */
karp_status advice_start(const karp_snapshot *snapshot, int64_t now, karp_advice **out, karp_advice **started,
                         karp_error *error);
/* What the object of such an action is, if the action does not say otherwise: KARP_MEANS_*. */
uint32_t action_object_kind(uint32_t kind);
/* Appends an action. Its texts must live as long as the snapshot, or be in a->data. */
void advise(karp_advice *a, karp_action action);
/* Sets the claim's termination deadline to now, in full seconds, unless it has an earlier one: an annotation. */
void advise_termination_now(karp_advice *a, uint32_t claim_number);
/* The same with another time. */
void advise_termination_at(karp_advice *a, uint32_t claim_number, int64_t instant);
/* Requests the eviction of the next pods of the drain, forcibly for pods that would not end by the deadline
 * (KARP_NO_TIME = none). Returns whether no pod is left. */
bool advise_evictions(karp_advice *a, const state_node *n, int64_t deadline);
/* How long the drain of the node may wait for pods that cannot be evicted now: until terminationGracePeriod is over, as
 * such pods are then deleted. 0 = there are none, or nothing ends the wait. */
int64_t drain_held(const karp_snapshot *s, const state_node *n);
/* A copy in a->data. */
karp_str advice_text(karp_advice *a, const char *text, size_t length);
/* Records that the claim's instance type was looked up and exists. */
void advice_found(karp_advice *a, karp_str claim);
/* Records that the result may change at this time. */
void advice_look_again(karp_advice *a, int64_t instant);
/* Sorts the actions by object and returns the advice, or frees it if it has failed. */
karp_status advice_finish(karp_advice *a, karp_advice **out, karp_error *error);

/* Claims sorted by name, in the arena; NULL = out of memory. */
uint32_t *claims_by_name(karp_advice *a);
/* The state node of each claim (NO_ID = none), in the arena; NULL = out of memory. */
uint32_t *nodes_of_claims(karp_advice *a);

static inline karp_str claim_name(const karp_snapshot *s, uint32_t claim_number)
{
    return name_of(s, s->raw.claims.items[claim_number].meta.name);
}

/* The claim with this name; NO_ID = none. */
uint32_t claim_named(const karp_snapshot *s, karp_str name);
/* Finds a condition by its type; NULL = absent. */
const condition *condition_named(const karp_snapshot *s, condition_list list, const char *type);
bool condition_is_true(const karp_snapshot *s, condition_list list, const char *type);
/* Whether a drain waits for the pod while it is not terminal: the pod can be drained and is not stuck. */
bool pod_drainable(const karp_snapshot *s, const pod *p, int64_t now);

/* {NULL, 0} = absent. */
karp_str annotation(const karp_snapshot *s, const object *o, const char *key);
/* The pool named by the object's own label; NO_ID = none. */
uint32_t pool_of_labels(const karp_snapshot *s, label_list labels);
/* Whether the claim is consolidatable at `now`, if the last pod event of its node was at `event` (KARP_NO_TIME = none).
 * *from: since when it will be, if time alone decides; else KARP_NO_TIME. */
bool claim_consolidatable(const karp_snapshot *s, const node_claim *c, const node_pool *p, int64_t event, int64_t now,
                          int64_t *from);
/* The name ids of those texts in the list that the snapshot contains, as a map that the caller frees; false = out of
 * memory. */
bool names_known(const karp_snapshot *s, const karp_str *list, size_t count, map64 *out);
