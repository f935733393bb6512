/* SPDX-License-Identifier: Apache-2.0 */
/* The life cycle of a reboot, from the request until the node is back (K15-9). */
#include <base/civil.h>
#include <karp/values.h>
#include <disrupt/advice.h>

#include <base/error.h>

static const char boot_id_key[] = "karpenter.sh/reboot-pre-boot-id";
static const char grace_key[] = "karpenter.sh/reboot-termination-grace-period";
static const int64_t poll = INT64_C(15) * SECOND_NS, least_drain = INT64_C(5) * SECOND_NS;
static const int64_t issuance = INT64_C(300) * SECOND_NS, observation = INT64_C(1200) * SECOND_NS;

/* A claim whose node is being rebooted. */
struct rebooting {
    karp_advice *a;
    uint32_t claim;
    const node_claim *c;
    const state_node *n; /* NULL = there is no Node at present */
    const karp_reboot_answer *answer;
    int64_t requested;
    bool issued;
    int64_t grace; /* KARP_DURATION_UNSET = the drain has no time limit */
};

static void act(const struct rebooting *r, uint32_t kind, const char *subject, karp_str value)
{
    advise(r->a,
           (karp_action){
               .kind = kind, .object = claim_name(r->a->snapshot, r->claim), .subject = str(subject), .value = value });
}

static const node *node_of(const struct rebooting *r) { return &r->a->snapshot->raw.nodes.items[r->n->node]; }

static bool fenced(const struct rebooting *r)
{
    const karp_snapshot *s = r->a->snapshot;
    taint_list taints = node_of(r)->taints;
    for (uint32_t i = 0; i < taints.count; i++) {
        if (taints.items[i].key == s->known.rebooting_taint && taints.items[i].effect == s->known.no_schedule)
            return true;
    }
    return false;
}

static void on_node(const struct rebooting *r, uint32_t kind, const char *subject)
{
    advise(r->a, (karp_action){
                     .kind = kind, .object = name_of(r->a->snapshot, node_of(r)->meta.name), .subject = str(subject) });
}

static void open_fence(const struct rebooting *r)
{
    if (r->n != NULL && fenced(r)) on_node(r, KARP_ACTION_REMOVE_TAINT, "karpenter.sh/rebooting");
}

/* Ends the reboot and removes its annotation, so that the next reboot starts clean. */
static void end(const struct rebooting *r, const char *reason)
{
    open_fence(r);
    if (annotation(r->a->snapshot, &r->c->meta, boot_id_key).ptr != NULL)
        act(r, KARP_ACTION_REMOVE_ANNOTATION, boot_id_key, str(""));
    act(r, KARP_ACTION_CONDITION_FALSE, "Rebooting", str(reason));
}

/* Replaces the node instead, with the reboot's grace period for its pods. */
static void give_up(const struct rebooting *r)
{
    open_fence(r);
    if (r->grace != KARP_DURATION_UNSET) advise_termination_at(r->a, r->claim, instant_after(r->a->now, r->grace));
    act(r, KARP_ACTION_DELETE_CLAIM, "", str("RebootFailed"));
}

/* ---- deadlines --------------------------------------------------------------------------------------------------- */

/* The deadline of the current phase; KARP_NO_TIME = none. */
static int64_t deadline(const struct rebooting *r)
{
    const condition *initialized = condition_named(r->a->snapshot, r->c->conditions, "Initialized");
    if (r->issued) {
        bool unknown = initialized != NULL && equal_str(text_of(r->a->snapshot, initialized->status), str("Unknown"));
        return unknown ? instant_after(initialized->since, observation) : KARP_NO_TIME;
    }
    return r->answer->asked != KARP_NO_TIME ? instant_after(r->answer->asked, issuance) : KARP_NO_TIME;
}

/* A deleted Node may come back until the deadline of the phase, or within five minutes if there is none. */
static void wait_for_node(const struct rebooting *r)
{
    int64_t end_ = deadline(r);
    if (end_ == KARP_NO_TIME) end_ = instant_after(r->requested, issuance);
    if (r->a->now > end_) give_up(r);
    else advice_look_again(r->a, instant_after(r->a->now, poll));
}

/* ---- requested --------------------------------------------------------------------------------------------------- */

/* Whether the drain has ended: no pod is left, or its time limit has passed. */
static bool drained(const struct rebooting *r)
{
    karp_advice *a = r->a;
    if (r->grace == 0) return true;
    int64_t least = instant_after(r->requested, least_drain);
    int64_t most = r->grace == KARP_DURATION_UNSET
                       ? KARP_NO_TIME
                       : instant_after(r->requested, r->grace > least_drain ? r->grace : least_drain);
    if (most != KARP_NO_TIME && most <= a->now) return true;
    if (advise_evictions(a, r->n, KARP_NO_TIME)) {
        if (least <= a->now) return true;
        advice_look_again(a, least);
        return false;
    }
    advice_look_again(a, instant_after(a->now, poll));
    if (most != KARP_NO_TIME) advice_look_again(a, most);
    return false;
}

static void issue(const struct rebooting *r)
{
    act(r, KARP_ACTION_SET_CONDITION, "Rebooting", str("RebootIssued"));
    act(r, KARP_ACTION_CONDITION_UNKNOWN, "Initialized", str("Rebooting"));
    if (label_get(node_of(r)->meta.labels, r->a->snapshot->known.initialized) != NO_ID)
        on_node(r, KARP_ACTION_REMOVE_LABEL, LABEL_INITIALIZED);
    advice_look_again(r->a, instant_after(r->a->now, poll));
}

static void step_requested(const struct rebooting *r)
{
    karp_str before = annotation(r->a->snapshot, &r->c->meta, boot_id_key);
    if (!fenced(r)) on_node(r, KARP_ACTION_ADD_TAINT, "karpenter.sh/rebooting");
    if (before.ptr != NULL && !equal_str(before, r->answer->boot_id)) {
        issue(r); /* the node has already rebooted */
        return;
    }
    if (before.ptr == NULL && !drained(r)) return;
    karp_str boot_id = advice_text(r->a, r->answer->boot_id.ptr, r->answer->boot_id.len);
    if (before.ptr == NULL) act(r, KARP_ACTION_ANNOTATE_CLAIM, boot_id_key, boot_id);
    if (before.ptr != NULL && r->answer->provider == KARP_REBOOT_REFUSED) {
        give_up(r);
    } else if (before.ptr != NULL && r->answer->provider == KARP_REBOOT_ACCEPTED) {
        issue(r);
    } else {
        advise(r->a, (karp_action){ .kind = KARP_ACTION_REBOOT_INSTANCE,
                                    .object = claim_name(r->a->snapshot, r->claim),
                                    .subject = boot_id });
        advice_look_again(r->a, r->a->now);
    }
}

/* ---- issued ------------------------------------------------------------------------------------------------------ */

static void step_issued(const struct rebooting *r)
{
    const karp_snapshot *s = r->a->snapshot;
    karp_str before = annotation(s, &r->c->meta, boot_id_key);
    if (label_get(node_of(r)->meta.labels, s->known.initialized) != NO_ID)
        on_node(r, KARP_ACTION_REMOVE_LABEL, LABEL_INITIALIZED);
    bool back = !equal_str(before, r->answer->boot_id);
    if (back && condition_is_true(s, node_of(r)->conditions, "Ready")) {
        end(r, "RebootSucceeded");
        return;
    }
    if (back) open_fence(r);
    advice_look_again(r->a, instant_after(r->a->now, poll));
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

/* false = the request is invalid. */
static bool read_grace(struct rebooting *r)
{
    karp_str text = annotation(r->a->snapshot, &r->c->meta, grace_key);
    r->grace = KARP_DURATION_UNSET;
    if (text.ptr == NULL) return true;
    return karp_duration_parse(text, &r->grace) == KARP_OK && r->grace >= 0 && r->grace != KARP_DURATION_NEVER;
}

static void step_one(struct rebooting *r)
{
    const karp_snapshot *s = r->a->snapshot;
    const condition *c = condition_named(s, r->c->conditions, "Rebooting");
    r->requested = c->since;
    r->issued = equal_str(text_of(s, c->reason), str("RebootIssued"));
    bool right = read_grace(r);
    if (!right) r->grace = KARP_DURATION_UNSET;
    int64_t until = deadline(r);
    if (r->n == NULL) wait_for_node(r);
    else if (until != KARP_NO_TIME && r->a->now > until) give_up(r);
    else if (r->issued) step_issued(r);
    else if (!equal_str(text_of(s, c->reason), str("RebootRequested"))) return;
    else if (right) step_requested(r);
    else end(r, "RebootFailed");
}

static karp_status check_answers(const karp_reboot_answer *answers, size_t count, karp_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (!str_given(answers[i].claim)) return fail_null(error, "answers.claim");
        if (!str_given(answers[i].boot_id)) return fail_null(error, "answers.boot_id");
        if (answers[i].reserved != 0) return fail_reserved(error, "karp_reboot_answer");
        if (answers[i].provider > KARP_REBOOT_REFUSED)
            return fail(error, KARP_E_INVALID, "answer %zu: the provider's word %u is not known", i,
                        (unsigned)answers[i].provider);
    }
    return KARP_OK;
}

karp_status karp_advise_reboots(const karp_snapshot *snapshot, int64_t now, const karp_reboot_answer *answers,
                                size_t answer_count, karp_advice **out, karp_error *error)
{
    if (snapshot == NULL || out == NULL || (answers == NULL && answer_count > 0))
        return fail(error, KARP_E_INVALID, "a snapshot, answers and a place for the advice are needed");
    karp_status status = check_answers(answers, answer_count, error);
    karp_advice *a = NULL;
    if (status == KARP_OK) status = advice_start(snapshot, now, out, &a, error);
    if (status != KARP_OK) return status;
    uint32_t *nodes = nodes_of_claims(a);
    for (size_t i = 0; i < answer_count && nodes != NULL && !a->failed; i++) {
        struct rebooting r = { .a = a, .claim = claim_named(snapshot, answers[i].claim), .answer = &answers[i] };
        if (r.claim == NO_ID) continue;
        r.c = &snapshot->raw.claims.items[r.claim];
        if (r.c->meta.deletion != KARP_NO_TIME || !condition_is_true(snapshot, r.c->conditions, "Rebooting")) continue;
        uint32_t n = nodes[r.claim];
        r.n = n != NO_ID && snapshot->nodes[n].node != NO_ID ? &snapshot->nodes[n] : NULL;
        step_one(&r);
    }
    return advice_finish(a, out, error);
}
