/* SPDX-License-Identifier: Apache-2.0 */
/* Which devices and counters are in use, and by which candidates (dra.md D2, D9). */
#include <schedule/device_run.h>

#include <schedule/scheduler.h>
#include <string.h>

/* ---- seeds ------------------------------------------------------------------------------------------------------- */

static bool all_moving(const struct devices *d, const resource_claim *c)
{
    for (uint32_t i = 0; i < c->pod_uid_count; i++) {
        if (!d->moving[c->pod_uids[i]]) return false;
    }
    return true;
}

/* The state of one device according to the claims in the cluster. */
typedef struct seed {
    bool known, has_pods, stays, shared;
} seed;

/* If a claim has several results for one device, only the last counts. */
static bool superseded(const indexed_claim *c, uint32_t result)
{
    for (uint32_t i = result + 1; i < c->given->result_count; i++) {
        if (c->results[i] == c->results[result]) return true;
    }
    return false;
}

static void gather(const struct devices *d, seed *seeds)
{
    for (uint32_t i = 0; i < d->index->claim_count; i++) {
        const indexed_claim *c = &d->index->resource_claims[i];
        for (uint32_t r = 0; r < c->given->result_count; r++) {
            seed *e = &seeds[c->results[r]];
            if (superseded(c, r)) continue;
            e->known = true;
            e->has_pods = e->has_pods || c->given->pod_uid_count > 0;
            e->stays = e->stays || !all_moving(d, c->given);
            e->shared = e->shared || c->given->results[r].has_consumed;
        }
    }
}

/* Whether the device becomes free, because every pod that uses it is moved. (Karpenter also frees devices reserved
 * only for pods when the list of pods is empty; a list here has at least one pod.) */
static bool freed(const seed *e) { return e->has_pods && !e->stays; }

/* A shared device stays in use by the claims that are not moved. Without any such share it is free. */
static void keep_shares(const struct devices *d, const seed *seeds, uint8_t *shared)
{
    for (uint32_t i = 0; i < d->index->claim_count; i++) {
        const indexed_claim *c = &d->index->resource_claims[i];
        bool leaves = c->given->pod_uid_count > 0 && all_moving(d, c->given);
        for (uint32_t r = 0; r < c->given->result_count && !leaves; r++) {
            const seed *e = &seeds[c->results[r]];
            if (!e->shared || freed(e) || superseded(c, r)) continue;
            for (uint32_t k = 0; k < c->shares[r].count; k++) {
                counted share = c->shares[r].items[k];
                if (!amount_add(d->used[share.id], share.value, &d->used[share.id]))
                    d->used[share.id] = (amount){ UINT64_MAX, INT64_MAX };
                if (amount_sign(share.value) > 0) shared[c->results[r]] = 1;
            }
        }
    }
}

/* The free amounts of counters: those that slices define, minus those that allocated devices consume. */
static void set_budgets(scheduler *s, const uint8_t *shared)
{
    struct devices *d = s->devices;
    const struct device_index *w = d->index;
    for (uint32_t i = 0; i < w->slice_count; i++) {
        const indexed_slice *from = &w->slices[i];
        if (!d->slice_in[i] || !from->has_counters || from->given->generation != d->pools[from->pool].generation)
            continue;
        for (uint32_t k = 0; k < from->counters.count; k++) {
            d->remaining[from->counters.items[k].id] = from->counters.items[k].value;
            d->counter_pool[from->counters.items[k].id] = from->pool;
        }
    }
    for (uint32_t i = 0; i < w->device_count; i++) {
        const indexed_device *one = &w->devices[i];
        if (one->slice == NO_ID || !d->slice_in[one->slice] || (!d->taken[one->identity] && !shared[one->identity]))
            continue;
        if (w->slices[one->slice].given->generation != d->pools[one->pool].generation) continue;
        for (uint32_t k = 0; k < one->consumes.count; k++) {
            amount *left = &d->remaining[one->consumes.items[k].id];
            (void)amount_sub(*left, one->consumes.items[k].value, left);
        }
    }
}

bool ledger_init(scheduler *s)
{
    struct devices *d = s->devices;
    const struct device_index *w = d->index;
    size_t identities = w->identity_count + (size_t)1;
    seed *seeds = arena_array(&s->round.data, identities, sizeof *seeds);
    uint8_t *shared = arena_array(&s->round.data, identities, 1);
    d->taken = arena_array(&s->round.data, identities, 1);
    d->holder = arena_array(&s->round.data, identities, sizeof *d->holder);
    d->holds = arena_array(&s->round.data, identities, sizeof *d->holds);
    d->used = arena_array(&s->round.data, w->dimension_count + (size_t)1, sizeof *d->used);
    d->remaining = arena_array(&s->round.data, w->counter_count + (size_t)1, sizeof *d->remaining);
    d->counter_pool = arena_array(&s->round.data, w->counter_count + (size_t)1, sizeof *d->counter_pool);
    d->resource_claims = arena_array(&s->round.data, w->claim_count + (size_t)1, sizeof *d->resource_claims);
    if (seeds == NULL || shared == NULL || d->taken == NULL || d->holder == NULL || d->holds == NULL ||
        d->used == NULL || d->remaining == NULL || d->counter_pool == NULL || d->resource_claims == NULL) {
        return false;
    }
    gather(d, seeds);
    for (size_t i = 0; i < identities; i++) {
        d->holder[i] = NO_ID;
        d->taken[i] = seeds[i].known && !seeds[i].shared && !freed(&seeds[i]);
    }
    keep_shares(d, seeds, shared);
    set_budgets(s, shared);
    return true;
}

void candidate_free(scheduler *s, candidate *c)
{
    list_free(s->context, &c->accounts, sizeof(account));
    list_free(s->context, &c->postings, sizeof(posting));
    list_free(s->context, &c->holdings, sizeof(holding));
    map64_free(&c->account_of);
    map64_free(&c->posting_of);
    map64_free(&c->postings_of);
    map64_free(&c->holdings_of);
    map64_free(&c->held);
}

void ledger_free(scheduler *s)
{
    struct devices *d = s->devices;
    for (size_t i = 0; i < d->candidates.count; i++) candidate_free(s, &d->candidates.items[i]);
    list_free(s->context, &d->candidates, sizeof(candidate));
    map64_clear(&d->candidate_of);
}

/* ---- queries ----------------------------------------------------------------------------------------------------- */

const candidate *ledger_find(const scheduler *s, uint32_t number)
{
    uint32_t i = map64_get(&s->devices->candidate_of, number);
    return i == NO_ID ? NULL : &s->devices->candidates.items[i];
}

/* Which devices of this name the candidate holds for the type: bits of enum held. */
static uint32_t held(const candidate *c, uint32_t type, uint32_t identity)
{
    uint32_t which = map64_get(&c->held, pair_key(type, identity));
    return which == NO_ID ? 0 : which;
}

bool device_free(const struct devices *d, const allocation *a, uint32_t index, const indexed_device *w)
{
    bool of_type = w->slice == NO_ID;
    if (!of_type && device_had(d, w->identity, a->who.number)) return false;
    if (a->had == NULL || (!of_type && d->holder[w->identity] == NO_ID)) return true;
    return (held(a->had, a->who.types[index], w->identity) & (of_type ? HELD_OF_TYPE : HELD_OF_CLUSTER)) == 0;
}

static posting *posting_find(const candidate *c, uint32_t type, uint32_t kind, uint32_t id)
{
    uint32_t n = map64_get(&c->account_of, pair_key(kind, id));
    uint32_t i = n == NO_ID ? NO_ID : map64_get(&c->posting_of, pair_key(n, type));
    return i == NO_ID ? NULL : &c->postings.items[i];
}

amount ledger_committed(const allocation *a, uint32_t index, enum ledger_kind kind, uint32_t id)
{
    const posting *p = a->had == NULL ? NULL : posting_find(a->had, a->who.types[index], (uint32_t)kind, id);
    return p == NULL ? amount_from(0) : p->value;
}

/* ---- charging ---------------------------------------------------------------------------------------------------- */

/* The maximum over the types of the candidate. */
static amount highest(const candidate *c, const account *a)
{
    amount most = amount_from(0);
    for (uint32_t i = a->first; i != NO_ID; i = c->postings.items[i].next)
        most = amount_max(most, c->postings.items[i].value);
    return most;
}

/* Charges the cluster for a change of one posting. */
static void charge(struct devices *d, const candidate *c, account *a, amount before, amount after)
{
    amount most = a->charged, more = { 0, 0 };
    int change = amount_cmp(after, before);
    if (a->kind > OF_DIMENSION) return;
    if (change > 0) most = amount_max(most, after);
    else if (change < 0 && amount_cmp(before, most) == 0) most = highest(c, a);
    (void)amount_sub(most, a->charged, &more); /* neither is negative */
    a->charged = most;
    if (a->kind == OF_COUNTER) (void)amount_sub(d->remaining[a->id], more, &d->remaining[a->id]);
    else (void)amount_add(d->used[a->id], more, &d->used[a->id]);
}

static candidate *candidate_for(scheduler *s, uint32_t number)
{
    struct devices *d = s->devices;
    uint32_t i = map64_get(&d->candidate_of, number);
    if (i != NO_ID) return &d->candidates.items[i];
    candidate *c = list_push(s->context, &d->candidates, sizeof *c);
    if (c != NULL) {
        map64_init(&c->account_of, s->context);
        map64_init(&c->posting_of, s->context);
        map64_init(&c->postings_of, s->context);
        map64_init(&c->holdings_of, s->context);
        map64_init(&c->held, s->context);
    }
    if (c == NULL || !map64_put(&d->candidate_of, number, (uint32_t)(d->candidates.count - 1)))
        return mem_refused_null(&s->failed);
    return c;
}

static uint32_t account_for(scheduler *s, candidate *c, uint32_t kind, uint32_t id)
{
    uint32_t n = map64_get(&c->account_of, pair_key(kind, id));
    if (n != NO_ID) return n;
    account *a = list_push(s->context, &c->accounts, sizeof *a);
    if (a == NULL || !map64_put(&c->account_of, pair_key(kind, id), (uint32_t)c->accounts.count - 1))
        return mem_refused_id(&s->failed);
    *a = (account){ .kind = kind, .id = id, .first = NO_ID };
    return (uint32_t)c->accounts.count - 1;
}

static posting *posting_for(scheduler *s, candidate *c, uint32_t type, const entry *e)
{
    posting *p = posting_find(c, type, e->kind, e->id);
    if (p != NULL) return p;
    uint32_t n = account_for(s, c, e->kind, e->id);
    p = n == NO_ID ? NULL : list_push(s->context, &c->postings, sizeof *p);
    if (p == NULL) return mem_refused_null(&s->failed);
    uint32_t number = (uint32_t)c->postings.count - 1;
    *p = (posting){ n, c->accounts.items[n].first, map64_get(&c->postings_of, type), amount_from(0) };
    c->accounts.items[n].first = number;
    if (!map64_put(&c->posting_of, pair_key(n, type), number) || !map64_put(&c->postings_of, type, number))
        s->failed = true;
    return p;
}

static void add_entry(scheduler *s, candidate *c, uint32_t type, const entry *e)
{
    posting *p = posting_for(s, c, type, e);
    if (p == NULL) return;
    amount before = p->value;
    (void)amount_add(p->value, e->value, &p->value);
    charge(s->devices, c, &c->accounts.items[p->account], before, p->value);
}

static void add_holding(scheduler *s, candidate *c, uint32_t number, uint32_t type, const indexed_device *w)
{
    struct devices *d = s->devices;
    bool of_type = w->slice == NO_ID;
    holding *h = list_push(s->context, &c->holdings, sizeof *h);
    if (h == NULL) {
        s->failed = true;
        return;
    }
    *h = (holding){ w->identity, of_type, map64_get(&c->holdings_of, type) };
    uint32_t which = held(c, type, w->identity) | (of_type ? HELD_OF_TYPE : HELD_OF_CLUSTER);
    if (!map64_put(&c->holdings_of, type, (uint32_t)c->holdings.count - 1) ||
        !map64_put(&c->held, pair_key(type, w->identity), which)) {
        s->failed = true;
    }
    if (of_type) return;
    d->holder[w->identity] = number;
    d->holds[w->identity]++;
}

/* Keeps the candidate's pools for later: copies the remaining slices from scratch memory. */
static bool keep_pools(scheduler *s, candidate *c, const allocation *a)
{
    pool_views views;
    if (!pools_filter(s, a->pools, &a->who, a->set, &views)) return false;
    pool_view *kept = arena_array(&s->round.data, views.count + (size_t)1, sizeof *kept);
    for (uint32_t i = 0; i < views.count && kept != NULL; i++) {
        kept[i] = views.items[i];
        kept[i].slices = arena_copy(&s->round.data, views.items[i].slices,
                                    views.items[i].slice_count * sizeof *kept[i].slices);
        if (kept[i].slices == NULL) return false;
    }
    c->pools = (pool_views){ kept, views.count };
    return kept != NULL;
}

/* ---- resource claims --------------------------------------------------------------------------------------------- */

static void add_up(scheduler *s, claim_state *c)
{
    c->total = (demand){ EMPTY_SET, NO_ID };
    c->has_total = false;
    for (uint32_t i = 0; i < c->share_count; i++) {
        if (!c->shares[i].has_requirements) continue;
        c->has_total = true;
        if (!demand_meet(&s->algebra, &c->total, c->shares[i].requirements)) s->failed = true;
    }
}

static void fill_share(scheduler *s, const allocation *a, const type_outcome *o, uint32_t claim_number, claim_state *c)
{
    const struct device_index *w = s->devices->index;
    claim_share *share = &c->shares[c->share_count++];
    uint32_t *drivers = arena_array(&s->round.data, o->device_count + (size_t)1, sizeof *drivers);
    *share = (claim_share){ .type = a->who.types[o->type], .requirements = { EMPTY_SET, NO_ID }, .drivers = drivers };
    if (drivers == NULL) {
        s->failed = true;
        return;
    }
    for (uint32_t i = 0; i < o->device_count; i++) {
        if (o->devices[i].claim != claim_number) continue;
        const indexed_device *one = &w->devices[o->devices[i].device];
        drivers[share->driver_count++] = one->driver;
        if (one->slice == NO_ID) c->of_type = true;
        if (one->slice == NO_ID || !w->slices[one->slice].has_topology) continue;
        share->has_requirements = true;
        if (!demand_meet(&s->algebra, &share->requirements, w->slices[one->slice].topology)) s->failed = true;
    }
}

static void state_claims(scheduler *s, const allocation *a)
{
    for (uint32_t i = 0; i < a->claim_count && !s->failed; i++) {
        if (a->resource_claims[i].claim == NO_ID) continue;
        claim_state *c = &s->devices->resource_claims[a->resource_claims[i].claim];
        *c = (claim_state){ .allocated = true, .candidate = a->who.number };
        c->shares = arena_array(&s->round.data, a->outcome_count + (size_t)1, sizeof *c->shares);
        if (c->shares == NULL) s->failed = true;
        for (uint32_t o = 0; o < a->outcome_count && !s->failed; o++) fill_share(s, a, &a->outcomes[o], i, c);
        add_up(s, c);
    }
}

/* ---- commit, release --------------------------------------------------------------------------------------------- */

void ledger_commit(scheduler *s)
{
    struct devices *d = s->devices;
    allocation *a = &d->now;
    if (!a->ready) return;
    a->ready = false;
    candidate *c = candidate_for(s, a->who.number);
    a->had = NULL;
    if (c == NULL) return;
    for (uint32_t o = 0; o < a->outcome_count && !s->failed; o++) {
        const type_outcome *one = &a->outcomes[o];
        uint32_t type = a->who.types[one->type];
        for (uint32_t i = 0; i < one->device_count && !s->failed; i++) {
            const indexed_device *w = &d->index->devices[one->devices[i].device];
            if (!w->given->shared) add_holding(s, c, a->who.number, type, w);
        }
        for (uint32_t i = 0; i < one->entry_count && !s->failed; i++) {
            add_entry(s, c, type, &one->entries[i]);
        }
    }
    if (!s->failed && !keep_pools(s, c, a)) s->failed = true;
    state_claims(s, a);
}

static void forget_holdings(scheduler *s, candidate *c, uint32_t type)
{
    struct devices *d = s->devices;
    uint32_t first = map64_get(&c->holdings_of, type);
    for (uint32_t i = first; i != NO_ID && !s->failed; i = c->holdings.items[i].next) {
        const holding *h = &c->holdings.items[i];
        if (!map64_put(&c->held, pair_key(type, h->identity), 0)) s->failed = true;
        if (!h->of_type && --d->holds[h->identity] == 0) d->holder[h->identity] = NO_ID;
    }
    if (first != NO_ID && !map64_put(&c->holdings_of, type, NO_ID)) s->failed = true;
}

static void forget_postings(struct devices *d, candidate *c, uint32_t type)
{
    for (uint32_t i = map64_get(&c->postings_of, type); i != NO_ID; i = c->postings.items[i].next_of_type) {
        posting *p = &c->postings.items[i];
        amount before = p->value;
        p->value = amount_from(0);
        charge(d, c, &c->accounts.items[p->account], before, p->value);
    }
}

static void forget_shares(scheduler *s, uint32_t number, uint32_t type)
{
    for (uint32_t i = 0; i < s->devices->index->claim_count; i++) {
        claim_state *c = &s->devices->resource_claims[i];
        bool tighter = false;
        uint32_t kept = 0;
        if (!c->allocated || c->candidate != number) continue;
        for (uint32_t k = 0; k < c->share_count; k++) {
            if (c->shares[k].type != type) c->shares[kept++] = c->shares[k];
            else tighter = c->shares[k].has_requirements;
        }
        c->share_count = kept;
        if (tighter) add_up(s, c);
    }
}

void ledger_release(scheduler *s, uint32_t number, const uint32_t *released, uint32_t count)
{
    candidate *c = &s->devices->candidates.items[map64_get(&s->devices->candidate_of, number)];
    for (uint32_t r = 0; r < count; r++) {
        forget_holdings(s, c, released[r]);
        forget_postings(s->devices, c, released[r]);
        forget_shares(s, number, released[r]);
    }
}
