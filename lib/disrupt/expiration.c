/* SPDX-License-Identifier: Apache-2.0 */
/* Claims that have expired, or that never registered or initialised. */
#include <base/civil.h>
#include <disrupt/advice.h>
#include <disrupt/pass.h>

#include <schedule/movable.h>

#include <base/strbuf.h>

static const int64_t launch_timeout = INT64_C(300) * SECOND_NS, registration_timeout = INT64_C(900) * SECOND_NS;

static void delete_at(karp_advice *a, uint32_t claim_number, int64_t instant, const char *why)
{
    if (instant > a->now) advice_look_again(a, instant);
    else
        advise(a, (karp_action){ .kind = KARP_ACTION_DELETE_CLAIM,
                                 .object = claim_name(a->snapshot, claim_number),
                                 .value = str(why) });
}

static void expire(karp_advice *a, uint32_t claim_number)
{
    int64_t end = claim_expires(&a->snapshot->raw.claims.items[claim_number]);
    if (end != KARP_NO_TIME) delete_at(a, claim_number, end, "Expired");
}

/* The time since which the condition has not been true. */
static int64_t waiting_since(const karp_snapshot *s, const node_claim *c, const char *type)
{
    const condition *found = condition_named(s, c->conditions, type);
    return found != NULL && found->since != KARP_NO_TIME ? found->since : c->meta.creation;
}

static void time_out(karp_advice *a, uint32_t claim_number)
{
    const karp_snapshot *s = a->snapshot;
    const node_claim *c = &s->raw.claims.items[claim_number];
    if (condition_is_true(s, c->conditions, "Registered")) return;
    bool launched = condition_is_true(s, c->conditions, "Launched");
    int64_t since = waiting_since(s, c, launched ? "Registered" : "Launched");
    delete_at(a, claim_number, instant_after(since, launched ? registration_timeout : launch_timeout),
              launched ? "RegistrationTimeout" : "LaunchTimeout");
}

static karp_status each_claim(const karp_snapshot *snapshot, int64_t now, void (*look)(karp_advice *, uint32_t),
                              karp_advice **out, karp_error *error)
{
    karp_advice *a = NULL;
    karp_status status = advice_start(snapshot, now, out, &a, error);
    if (status != KARP_OK) return status;
    for (uint32_t i = 0; i < snapshot->raw.claims.count; i++) {
        if (snapshot->raw.claims.items[i].meta.deletion == KARP_NO_TIME) look(a, i);
    }
    return advice_finish(a, out, error);
}

karp_status karp_advise_expiration(const karp_snapshot *snapshot, int64_t now, karp_advice **out, karp_error *error)
{
    return each_claim(snapshot, now, expire, out, error);
}

karp_status karp_advise_timeouts(const karp_snapshot *snapshot, int64_t now, karp_advice **out, karp_error *error)
{
    return each_claim(snapshot, now, time_out, out, error);
}

bool expiration_note(const pass *p, karp_decision *d)
{
    const karp_snapshot *s = p->snapshot;
    uint64_t count = 0;
    uint32_t first = NO_ID;
    for (uint32_t i = 0; i < s->raw.claims.count; i++) {
        int64_t end = claim_expires(&s->raw.claims.items[i]);
        if (end == KARP_NO_TIME || end > p->now) continue;
        if (count++ == 0) first = i;
    }
    if (count == 0 || p->expire_gracefully) return true;
    strbuf text = strbuf_on(d->context);
    strbuf_plural(&text, count, " NodeClaim has expired (", " NodeClaims have expired (");
    strbuf_addstr(&text, claim_name(s, first));
    strbuf_adds(&text, count == 1 ? "): Karpenter deletes its node" : ", ...): Karpenter deletes their nodes");
    strbuf_adds(&text, ", whatever a pass decides and disruption budgets allow");
    bool ok = !text.failed && decision_warn(d, text.ptr, text.len);
    strbuf_free(&text);
    return ok;
}
