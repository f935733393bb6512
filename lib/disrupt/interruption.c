/* SPDX-License-Identifier: Apache-2.0 */
/* Interruption events of the cloud, and the resulting actions on claims. */
#include <disrupt/advice.h>

#include <base/error.h>

enum {
    DRAIN = 1, /* the claim is deleted */
    AT_ONCE = 2, /* without waiting for the drain */
    SOLD_OUT = 4 /* the offering is marked as unavailable */
};

static const struct {
    const char *name;
    unsigned what;
} kinds[] = {
    [KARP_INTERRUPTION_SPOT] = { "SpotInterruption", DRAIN | SOLD_OUT },
    [KARP_INTERRUPTION_REBALANCE] = { "RebalanceRecommendation", 0 },
    [KARP_INTERRUPTION_SCHEDULED_CHANGE] = { "ScheduledChange", DRAIN },
    [KARP_INTERRUPTION_STOPPING] = { "InstanceStopping", DRAIN },
    [KARP_INTERRUPTION_TERMINATING] = { "InstanceTerminating", DRAIN },
    [KARP_INTERRUPTION_SCHEDULED_EVENT] = { "ScheduledEvent", DRAIN },
    [KARP_INTERRUPTION_CAPACITY_RESERVATION] = { "CapacityReservationInterruption", DRAIN },
    [KARP_INTERRUPTION_INSTANCE_STATUS] = { "InstanceStatusFailure", DRAIN | AT_ONCE },
    [KARP_INTERRUPTION_SYSTEM_STATUS] = { "SystemStatusFailure", DRAIN | AT_ONCE },
    [KARP_INTERRUPTION_NO_OP] = { "NoOp", 0 },
};

enum { KINDS = sizeof kinds / sizeof *kinds };

const char *karp_interruption_name(uint32_t kind) { return kind > 0 && kind < KINDS ? kinds[kind].name : ""; }

/* Whether the text is a whole provider ID, or the part after its last slash. */
static bool names(karp_str instance, karp_str provider_id)
{
    if (instance.len == 0 || !str_has_suffix(provider_id, instance)) return false;
    return provider_id.len == instance.len || provider_id.ptr[provider_id.len - instance.len - 1] == '/';
}

static karp_str label_of(const karp_snapshot *s, uint32_t claim_number, uint32_t key)
{
    return text_or_none(s, label_get(s->raw.claims.items[claim_number].meta.labels, key));
}

/* Marks the claim's offering as unavailable, so that it is not launched again. */
static void note_sold_out(karp_advice *a, uint32_t claim_number)
{
    const known_text *k = &a->snapshot->known;
    karp_str type = label_of(a->snapshot, claim_number, k->instance_type),
             zone = label_of(a->snapshot, claim_number, k->zone);
    if (type.len == 0 || zone.len == 0) return;
    advise(a, (karp_action){ .kind = KARP_ACTION_OFFERING_UNAVAILABLE,
                             .object = type,
                             .subject = zone,
                             .value = text_of(a->snapshot, k->spot) });
}

/* `given_up`: the claims that are already being deleted. */
static void look(karp_advice *a, uint32_t claim_number, uint32_t kind, bool *given_up)
{
    karp_str claim = claim_name(a->snapshot, claim_number), why = str(kinds[kind].name);
    unsigned what = kinds[kind].what;
    if ((what & SOLD_OUT) != 0) note_sold_out(a, claim_number);
    if ((what & DRAIN) == 0) advise(a, (karp_action){ .kind = KARP_ACTION_EVENT, .object = claim, .value = why });
    if ((what & DRAIN) == 0 || given_up[claim_number]) return;
    given_up[claim_number] = true;
    if ((what & AT_ONCE) != 0) advise_termination_now(a, claim_number);
    advise(a, (karp_action){ .kind = KARP_ACTION_DELETE_CLAIM, .object = claim, .value = why });
}

static karp_status check_messages(const karp_interruption *messages, size_t count, karp_error *error)
{
    if (messages == NULL && count > 0)
        return fail(error, KARP_E_INVALID, "message_count is not 0, but there are no messages");
    for (size_t i = 0; i < count; i++) {
        if (messages[i].kind == 0 || messages[i].kind >= KINDS)
            return fail(error, KARP_E_INVALID, "message %zu: unknown kind %u", i, (unsigned)messages[i].kind);
        if (messages[i].reserved != 0) return fail_reserved(error, "karp_interruption");
    }
    return KARP_OK;
}

karp_status karp_advise_interruptions(const karp_snapshot *snapshot, int64_t now, const karp_interruption *messages,
                                      size_t message_count, karp_advice **out, karp_error *error)
{
    karp_advice *a = NULL;
    karp_status status = advice_start(snapshot, now, out, &a, error);
    if (status == KARP_OK) status = check_messages(messages, message_count, error);
    if (status != KARP_OK) {
        karp_advice_free(a);
        return status;
    }
    const store *raw = &snapshot->raw;
    bool *given_up = arena_array(&a->data, raw->claims.count + 1, sizeof *given_up);
    if (given_up == NULL) a->failed = true;
    for (size_t c = 0; c < raw->claims.count && !a->failed; c++)
        given_up[c] = raw->claims.items[c].meta.deletion != KARP_NO_TIME;
    for (size_t i = 0; i < message_count && !a->failed; i++) {
        for (uint32_t c = 0; c < raw->claims.count; c++) {
            if (names(messages[i].instance, name_of(snapshot, raw->claims.items[c].provider_id)))
                look(a, c, messages[i].kind, given_up);
        }
    }
    return advice_finish(a, out, error);
}
