/* SPDX-License-Identifier: Apache-2.0 */
/* What pods and claims hold of devices, as a copy to which a savepoint goes back. */
#include <schedule/device_run.h>

#include <schedule/scheduler.h>
#include <string.h>

enum { MAPS = 5 };

struct saved_candidate {
    account *accounts;
    posting *postings;
    holding *holdings;
    size_t account_count, posting_count, holding_count;
    map64 maps[MAPS];
    pool_views pools;
};

struct saved_devices {
    amount *used, *remaining;
    uint32_t *holder, *holds;
    claim_state *resource_claims; /* with copies of their shares */
    struct saved_candidate *candidates;
    size_t candidate_count;
    map64 candidate_of;
};

static void list_maps(candidate *c, map64 *maps[MAPS])
{
    maps[0] = &c->account_of;
    maps[1] = &c->posting_of;
    maps[2] = &c->postings_of;
    maps[3] = &c->holdings_of;
    maps[4] = &c->held;
}

static bool copy_map(arena *a, const map64 *from, map64 *to)
{
    *to = *from;
    if (from->slot_count == 0) return true;
    to->slots = arena_copy(a, from->slots, from->slot_count * sizeof *from->slots);
    return to->slots != NULL;
}

static bool restore_map(const map64 *from, map64 *to)
{
    map64_clear(to);
    for (size_t i = 0; i < from->slot_count; i++) {
        if (from->slots[i].used && !map64_put(to, from->slots[i].key, from->slots[i].value)) return false;
    }
    return true;
}

static bool copy_candidate(arena *a, candidate *c, struct saved_candidate *to)
{
    map64 *maps[MAPS];
    list_maps(c, maps);
    *to = (struct saved_candidate){ .account_count = c->accounts.count,
                                    .posting_count = c->postings.count,
                                    .holding_count = c->holdings.count,
                                    .pools = c->pools };
    to->accounts = arena_copy(a, c->accounts.items, c->accounts.count * sizeof *c->accounts.items);
    to->postings = arena_copy(a, c->postings.items, c->postings.count * sizeof *c->postings.items);
    to->holdings = arena_copy(a, c->holdings.items, c->holdings.count * sizeof *c->holdings.items);
    bool ok = to->accounts != NULL && to->postings != NULL && to->holdings != NULL;
    for (size_t i = 0; i < MAPS && ok; i++) ok = copy_map(a, maps[i], &to->maps[i]);
    return ok;
}

/* Lists never lose capacity, so what they had fits. */
static bool restore_candidate(const struct saved_candidate *from, candidate *c)
{
    map64 *maps[MAPS];
    bool ok = true;
    list_maps(c, maps);
    c->accounts.count = from->account_count;
    c->postings.count = from->posting_count;
    c->holdings.count = from->holding_count;
    c->pools = from->pools;
    if (from->account_count > 0)
        memcpy(c->accounts.items, from->accounts, from->account_count * sizeof *from->accounts);
    if (from->posting_count > 0)
        memcpy(c->postings.items, from->postings, from->posting_count * sizeof *from->postings);
    if (from->holding_count > 0)
        memcpy(c->holdings.items, from->holdings, from->holding_count * sizeof *from->holdings);
    for (size_t i = 0; i < MAPS && ok; i++) ok = restore_map(&from->maps[i], maps[i]);
    return ok;
}

static bool copy_shares(arena *a, claim_state *claims, size_t count)
{
    bool ok = claims != NULL;
    for (size_t i = 0; i < count && ok; i++) {
        if (claims[i].share_count == 0) continue;
        claims[i].shares = arena_copy(a, claims[i].shares, claims[i].share_count * sizeof *claims[i].shares);
        ok = claims[i].shares != NULL;
    }
    return ok;
}

const struct saved_devices *devices_save(scheduler *s)
{
    struct devices *d = s->devices;
    arena *a = &s->round.data;
    size_t identities = d->index->identity_count + (size_t)1, claims = d->index->claim_count + (size_t)1;
    struct saved_devices *to = arena_array(a, 1, sizeof *to);
    bool ok = to != NULL;
    if (ok) {
        to->used = arena_copy(a, d->used, (d->index->dimension_count + (size_t)1) * sizeof *d->used);
        to->remaining = arena_copy(a, d->remaining, (d->index->counter_count + (size_t)1) * sizeof *d->remaining);
        to->holder = arena_copy(a, d->holder, identities * sizeof *d->holder);
        to->holds = arena_copy(a, d->holds, identities * sizeof *d->holds);
        to->resource_claims = arena_copy(a, d->resource_claims, claims * sizeof *d->resource_claims);
        to->candidates = arena_array(a, d->candidates.count + 1, sizeof *to->candidates);
        to->candidate_count = d->candidates.count;
        ok = to->used != NULL && to->remaining != NULL && to->holder != NULL && to->holds != NULL &&
             to->candidates != NULL && copy_shares(a, to->resource_claims, claims) &&
             copy_map(a, &d->candidate_of, &to->candidate_of);
    }
    for (size_t i = 0; ok && i < d->candidates.count; i++)
        ok = copy_candidate(a, &d->candidates.items[i], &to->candidates[i]);
    if (!ok) s->failed = true;
    return ok ? to : NULL;
}

bool devices_restore(scheduler *s, const struct saved_devices *from)
{
    struct devices *d = s->devices;
    size_t identities = d->index->identity_count + (size_t)1, claims = d->index->claim_count + (size_t)1;
    bool ok = true;
    d->now.ready = false;
    memcpy(d->used, from->used, (d->index->dimension_count + (size_t)1) * sizeof *d->used);
    memcpy(d->remaining, from->remaining, (d->index->counter_count + (size_t)1) * sizeof *d->remaining);
    memcpy(d->holder, from->holder, identities * sizeof *d->holder);
    memcpy(d->holds, from->holds, identities * sizeof *d->holds);
    memcpy(d->resource_claims, from->resource_claims, claims * sizeof *d->resource_claims);
    /* The copy may be restored once more. */
    ok = copy_shares(&s->round.data, d->resource_claims, claims);
    for (size_t i = from->candidate_count; i < d->candidates.count; i++) candidate_free(s, &d->candidates.items[i]);
    d->candidates.count = from->candidate_count;
    for (size_t i = 0; i < from->candidate_count && ok; i++)
        ok = restore_candidate(&from->candidates[i], &d->candidates.items[i]);
    ok = ok && restore_map(&from->candidate_of, &d->candidate_of);
    if (!ok) s->failed = true;
    return ok;
}
