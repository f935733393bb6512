/* SPDX-License-Identifier: Apache-2.0 */
/* A list of actions under construction, and what the functions that give advice have in common. */
#ifndef DISRUPT_ADVICE_H
#define DISRUPT_ADVICE_H

#include <karp/lifecycle.h>
#include <model/snapshot.h>

struct karp_advice {
    karp_context *context;
    karp_snapshot *snapshot; /* held: names are its */
    arena data;
    LIST_OF(karp_action) actions;
    LIST_OF(karp_str) found; /* claims whose instance types were found */
    int64_t now, look_again;
    bool finished, failed;
};

/* NULL = out of memory. */
karp_advice *advice_new(const karp_snapshot *snapshot, int64_t now);
/* Appends; the texts must live as long as the snapshot, or be in a->data. */
void advise(karp_advice *a, karp_action action);
/* The claim is to be gone by now, unless it was to be gone before: an annotation, of full seconds. */
void advise_termination_now(karp_advice *a, uint32_t claim_number);
/* The same with another instant. */
void advise_termination_at(karp_advice *a, uint32_t claim_number, int64_t instant);
/* Asks for the eviction of the pods that are next to leave the node, by force of those that would not be gone by the deadline
 * (KARP_NO_TIME = none). Whether nobody is left. */
bool advise_evictions(karp_advice *a, const state_node *n, int64_t deadline);
/* A copy in a->data. */
karp_str advice_text(karp_advice *a, const char *text, size_t length);
/* The claim's instance type was looked up and is there. */
void advice_found(karp_advice *a, karp_str claim);
/* The answer may change at this instant. */
void advice_look_again(karp_advice *a, int64_t instant);
/* Puts the actions in the order of their objects and hands the advice out, or frees it when it has failed. */
karp_status advice_finish(karp_advice *a, karp_advice **out, karp_error *error);

/* Claims by name, in the arena; NULL = out of memory. */
uint32_t *claims_by_name(karp_advice *a);
/* The state node of each claim, NO_ID = none, in the arena; NULL = out of memory. */
uint32_t *nodes_of_claims(karp_advice *a);

static inline karp_str claim_name(const karp_snapshot *w, uint32_t claim_number)
{
    return name_of(w, w->raw.claims.items[claim_number].meta.name);
}

/* The claim of that name; NO_ID = there is none. */
uint32_t claim_named(const karp_snapshot *w, karp_str name);
/* By the type's text; NULL = absent. */
const condition *condition_named(const karp_snapshot *w, condition_list list, const char *type);
bool condition_is(const karp_snapshot *w, condition_list list, const char *type, const char *status);
/* {NULL, 0} = absent. */
karp_str annotation(const karp_snapshot *w, const object *o, const char *key);
/* The pool that the object's own label names; NO_ID. */
uint32_t pool_of_labels(const karp_snapshot *w, label_list labels);
/* The names ids that the caller's list knows, as a map, which the caller frees; false = out of memory. */
bool names_known(const karp_snapshot *w, const karp_str *list, size_t count, map64 *out);
/* instant + length, clamped. */
int64_t later(int64_t instant, int64_t length);

#endif
