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
        const indexed_claim *c = &d->index->claims[i];
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
        const indexed_claim *c = &d->index->claims[i];
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
    d->claims = arena_array(&s->round.data, w->claim_count + (size_t)1, sizeof *d->claims);
    if (seeds == NULL || shared == NULL || d->taken == NULL || d->holder == NULL || d->holds == NULL ||
        d->used == NULL || d->remaining == NULL || d->counter_pool == NULL || d->claims == NULL) {
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

void ledger_free(scheduler *s)
{
    struct devices *d = s->devices;
    for (size_t i = 0; i < d->candidates.count; i++) {
        list_free(s->context, &d->candidates.items[i].entries, sizeof(entry));
        list_free(s->context, &d->candidates.items[i].holdings, sizeof(holding));
        map64_free(&d->candidates.items[i].holdings_of);
    }
    list_free(s->context, &d->candidates, sizeof(candidate));
    map64_clear(&d->candidate_of);
}

/* ---- queries ----------------------------------------------------------------------------------------------------- */

const candidate *ledger_find(const scheduler *s, uint32_t number)
{
    uint32_t i = map64_get(&s->devices->candidate_of, number);
    return i == NO_ID ? NULL : &s->devices->candidates.items[i];
}

static bool holds_device(const candidate *c, uint32_t type, uint32_t identity, bool of_type)
{
    for (uint32_t i = map64_get(&c->holdings_of, type); i != NO_ID; i = c->holdings.items[i].next) {
        const holding *h = &c->holdings.items[i];
        if (h->identity == identity && h->of_type == of_type) return true;
    }
    return false;
}

bool device_free(const scheduler *s, const asking *who, uint32_t index, uint32_t number)
{
    const struct devices *d = s->devices;
    const indexed_device *w = &d->index->devices[number];
    const candidate *c = ledger_find(s, who->number);
    bool of_type = w->slice == NO_ID;
    if (!of_type && device_had(d, w->identity, who->number)) return false;
    return c == NULL || !holds_device(c, who->types[index], w->identity, of_type);
}

amount ledger_committed(const candidate *c, uint32_t type, enum ledger_kind kind, uint32_t id)
{
    amount sum = amount_from(0);
    for (size_t i = 0; c != NULL && i < c->entries.count; i++) {
        const entry *e = &c->entries.items[i];
        if (e->type == type && e->kind == (uint32_t)kind && e->id == id) (void)amount_add(sum, e->value, &sum);
    }
    return sum;
}

/* ---- charging ---------------------------------------------------------------------------------------------------- */

/* The maximum over the types of the candidate. */
static amount charged(const candidate *c, uint32_t kind, uint32_t id)
{
    amount most = amount_from(0);
    for (size_t i = 0; i < c->entries.count; i++) {
        const entry *e = &c->entries.items[i];
        if (e->kind != kind || e->id != id) continue;
        most = amount_max(most, ledger_committed(c, e->type, (enum ledger_kind)kind, id));
    }
    return most;
}

static void charge(struct devices *d, uint32_t kind, uint32_t id, amount before, amount after)
{
    amount more = { 0, 0 };
    if (kind > OF_DIMENSION) return;
    (void)amount_sub(after, before, &more); /* neither is negative */
    if (kind == OF_COUNTER) (void)amount_sub(d->remaining[id], more, &d->remaining[id]);
    else (void)amount_add(d->used[id], more, &d->used[id]);
}

static candidate *candidate_for(scheduler *s, uint32_t number)
{
    struct devices *d = s->devices;
    uint32_t i = map64_get(&d->candidate_of, number);
    if (i != NO_ID) return &d->candidates.items[i];
    candidate *c = list_push(s->context, &d->candidates, sizeof *c);
    if (c != NULL) map64_init(&c->holdings_of, s->context);
    if (c == NULL || !map64_put(&d->candidate_of, number, (uint32_t)(d->candidates.count - 1))) {
        s->failed = true;
        return NULL;
    }
    return c;
}

static void add_entry(scheduler *s, candidate *c, entry e)
{
    amount before = charged(c, e.kind, e.id);
    entry *slot = NULL;
    for (size_t i = 0; i < c->entries.count && slot == NULL; i++) {
        entry *known = &c->entries.items[i];
        if (known->type == e.type && known->kind == e.kind && known->id == e.id) slot = known;
    }
    if (slot != NULL) {
        (void)amount_add(slot->value, e.value, &slot->value);
    } else {
        slot = list_push(s->context, &c->entries, sizeof *slot);
        if (slot == NULL) {
            s->failed = true;
            return;
        }
        *slot = e;
    }
    charge(s->devices, e.kind, e.id, before, charged(c, e.kind, e.id));
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
    if (!map64_put(&c->holdings_of, type, (uint32_t)c->holdings.count - 1)) s->failed = true;
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
        claim_state *c = &s->devices->claims[a->claims[i].claim];
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
    if (c == NULL) return;
    for (uint32_t o = 0; o < a->outcome_count && !s->failed; o++) {
        const type_outcome *one = &a->outcomes[o];
        uint32_t type = a->who.types[one->type];
        for (uint32_t i = 0; i < one->device_count && !s->failed; i++) {
            const indexed_device *w = &d->index->devices[one->devices[i].device];
            if (!w->given->shared) add_holding(s, c, a->who.number, type, w);
        }
        for (uint32_t i = 0; i < one->entry_count && !s->failed; i++) {
            entry e = one->entries[i];
            e.type = type;
            add_entry(s, c, e);
        }
    }
    if (!s->failed && !keep_pools(s, c, a)) s->failed = true;
    state_claims(s, a);
}

static void forget_holdings(struct devices *d, candidate *c, uint32_t type)
{
    uint32_t first = map64_get(&c->holdings_of, type);
    for (uint32_t i = first; i != NO_ID; i = c->holdings.items[i].next) {
        const holding *h = &c->holdings.items[i];
        if (!h->of_type && --d->holds[h->identity] == 0) d->holder[h->identity] = NO_ID;
    }
    if (first != NO_ID) (void)map64_put(&c->holdings_of, type, NO_ID); /* replaces, so it cannot fail */
}

static void forget_entries(struct devices *d, candidate *c, uint32_t type)
{
    for (size_t i = 0; i < c->entries.count;) {
        entry e = c->entries.items[i];
        if (e.type != type) {
            i++;
            continue;
        }
        amount before = charged(c, e.kind, e.id);
        c->entries.items[i] = c->entries.items[--c->entries.count];
        charge(d, e.kind, e.id, before, charged(c, e.kind, e.id));
    }
}

static void forget_shares(scheduler *s, uint32_t number, uint32_t type)
{
    for (uint32_t i = 0; i < s->devices->index->claim_count; i++) {
        claim_state *c = &s->devices->claims[i];
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
        forget_holdings(s->devices, c, released[r]);
        forget_entries(s->devices, c, released[r]);
        forget_shares(s, number, released[r]);
    }
}
