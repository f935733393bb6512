/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search for one instance type (dra.md D7, D8): depth first over claims, requests and slots, with an explicit
 * stack.
 */
#include <schedule/device_run.h>

#include <schedule/scheduler.h>
#include <string.h>

/* Limits in tries: devices that were chosen, or an equal amount of work. For one place of one pod; for all of a
 * round; for a simulated round, of which there are many; for one place after the round's limit was reached. */
enum { MOST_TRIES = 200000, MOST_OF_ROUND = 4000000, MOST_OF_SIMULATION = 250000, FEW_TRIES = 2000 };
/* END_OF_ROUND: a round has at most four times its tries in total. */
enum { END_OF_ROUND = 4, POLL_EVERY = 1024 };
/* Visiting a device that another candidate uses counts as one look, any other as this many. */
enum { LOOKS_A_DEVICE = 16 };

/* The position of the search: a slot of a request to be filled, or an alternative to be chosen. */
typedef struct position {
    uint32_t claim, request, slot;
    const live_request *alternative; /* the chosen alternative; NULL = the request itself */
} position;

typedef struct search_frame {
    position at;
    bool choosing; /* an alternative is being chosen, not a device */
    uint32_t next; /* the next option: an alternative, or an index in `pool` */
    uint32_t pool, slice;
    pool_views pools; /* when the frame was created */
    uint32_t pools_set; /* the requirements by which `pools` was filtered */
    uint32_t number; /* unique number of the frame; 0 is not used */
    bool some_failed; /* some kind of device failed in this frame */
    arena_mark scratch; /* when the frame was created */
    /* Changes of the current option. */
    bool taken;
    uint32_t device, entries, constraints;
    uint32_t set;
} frame;

typedef struct search {
    scheduler *s;
    struct devices *d;
    allocation *a;
    uint32_t index, kit; /* of the type; kit NO_ID = no devices come with it */
    frame *frames;
    size_t depth, room;
    chosen *devices;
    size_t device_room;
    uint32_t device_count;
    entry *entries; /* amounts that the chosen devices consume */
    size_t entry_count, entry_room;
    pool_views pools;
    uint32_t pools_set; /* the requirements by which they were filtered */
    uint32_t set;
    uint32_t frame_count; /* number of frames created so far */
    uint32_t looked; /* number of options visited */
    uint32_t looks; /* of these, so many are not yet counted as a try */
} search;

static const live_request *request_at(const search *x, const position *p)
{
    return p->alternative != NULL ? p->alternative : &x->a->claims[p->claim].requests[p->request];
}

/* ---- amounts ---------------------------------------------------------------------------------------------------------------------- */

/* The integer as which an amount is counted: rounded away from zero. */
static amount rounded(amount a)
{
    amount whole, out = a;
    uint64_t rest;
    bool negative = amount_sign(a) < 0;
    amount size = negative ? amount_neg(a) : a;
    amount_divide(size, (uint64_t)AMOUNT_NANO, &whole, &rest);
    if (rest != 0) (void)amount_add(whole, amount_from(1), &whole); /* cannot overflow after the division */
    if (!amount_mul(whole, (uint64_t)AMOUNT_NANO, &out)) return a;
    return negative ? amount_neg(out) : out;
}

/* The amount that this search adds to `before`. */
static amount tentative(const search *x, enum ledger_kind kind, uint32_t id, amount before)
{
    amount sum = before;
    for (size_t i = 0; i < x->entry_count; i++) {
        if (x->entries[i].kind == (uint32_t)kind && x->entries[i].id == id)
            (void)amount_add(sum, x->entries[i].value, &sum);
    }
    return sum;
}

static bool consume(search *x, enum ledger_kind kind, uint32_t id, amount value)
{
    void *entries = x->entries;
    if (!grow(x->s->context, &entries, &x->entry_room, x->entry_count + 1, sizeof *x->entries)) {
        x->s->failed = true;
        return false;
    }
    x->entries = entries;
    x->entries[x->entry_count++] = (entry){ x->index, (uint32_t)kind, id, value };
    return true;
}

/* ---- counters (D7 step 2) ------------------------------------------------------------------------------------------------------------ */

static const counted *counter_find(counted_list list, uint32_t id)
{
    for (uint32_t i = 0; i < list.count; i++) {
        if (list.items[i].id == id) return &list.items[i];
    }
    return NULL;
}

/* The amount of a counter that is left before this search. false = the counter is not defined. Only a type's own
 * devices can refer to undefined counters: a pool with such devices is invalid. */
static bool budget_left(const search *x, bool of_type, uint32_t id, amount *left)
{
    if (!of_type) {
        *left = x->d->remaining[id];
        return true;
    }
    const counted *total = counter_find(x->d->world->kits[x->kit].counters, id);
    if (total == NULL) return false;
    amount committed = ledger_committed(ledger_find(x->s, x->a->who.number), x->a->who.types[x->index], OF_TYPE_COUNTER,
                                        id);
    return amount_sub(total->value, committed, left);
}

static bool counters_suffice(const search *x, const world_device *w)
{
    bool of_type = w->slice == NO_ID;
    for (uint32_t i = 0; i < w->consumes.count; i++) {
        amount left, after;
        if (!budget_left(x, of_type, w->consumes.items[i].id, &left)) return false;
        amount used = tentative(x, of_type ? OF_TYPE_COUNTER : OF_COUNTER, w->consumes.items[i].id, amount_from(0));
        if (!amount_sub(rounded(left), rounded(used), &after)) return false;
        if (amount_cmp(after, rounded(w->consumes.items[i].value)) < 0) return false;
    }
    return true;
}

/* Whether this search has used up a counter of the pool. Then none of its devices that consume counters is
 * considered. */
static bool pool_exhausted(const search *x, uint32_t pool)
{
    for (size_t i = 0; i < x->entry_count; i++) {
        uint32_t id = x->entries[i].id;
        amount after;
        if (x->entries[i].kind != OF_COUNTER || x->d->counter_pool[id] != pool) continue;
        amount used = tentative(x, OF_COUNTER, id, amount_from(0));
        if (amount_sub(rounded(x->d->remaining[id]), rounded(used), &after) && amount_sign(after) <= 0) return true;
    }
    return false;
}

/* A lower bound before the search: mode All uses all devices or none. */
static bool all_feasible(const search *x, const live_claim *c, const live_request *r)
{
    id_list of_type = c->over_limit[x->index] ? (id_list){ NULL, 0 } : r->all_of_type[x->index];
    struct {
        const id_list *list;
        bool of_type;
    } parts[2] = { { &r->all, false }, { &of_type, true } };
    for (size_t p = 0; p < 2; p++) {
        for (uint32_t i = 0; i < parts[p].list->count; i++) {
            const world_device *w = &x->d->world->devices[parts[p].list->items[i]];
            for (uint32_t k = 0; k < w->consumes.count; k++) {
                amount left;
                uint32_t id = w->consumes.items[k].id;
                if (!budget_left(x, parts[p].of_type, id, &left)) return true; /* left to the search itself */
                for (uint32_t b = 0; b <= i; b++) {
                    const world_device *before = &x->d->world->devices[parts[p].list->items[b]];
                    for (uint32_t n = 0; n < before->consumes.count; n++) {
                        if (before->consumes.items[n].id == id &&
                            !amount_sub(left, before->consumes.items[n].value, &left))
                            return false;
                    }
                }
                if (amount_sign(left) < 0) return false;
            }
        }
    }
    return true;
}

static bool feasible(const search *x)
{
    for (uint32_t c = 0; c < x->a->claim_count; c++) {
        const live_claim *claim_ = &x->a->claims[c];
        for (uint32_t r = 0; r < claim_->request_count; r++) {
            const live_request *request = &claim_->requests[r];
            bool any = request->alternative_count == 0 && (!request->given->all || all_feasible(x, claim_, request));
            for (uint32_t i = 0; i < request->alternative_count && !any; i++) {
                const live_request *one = &request->alternatives[i];
                any = !one->given->all || all_feasible(x, claim_, one);
            }
            if (!any) return false;
        }
    }
    return true;
}

/* ---- capacity (D8) ---------------------------------------------------------------------------------------------------------------------- */

/* min + ceil((asked − min) / step) · step, in integers; false = overflow. */
static bool round_to_step(amount asked, amount least, amount step, amount *out)
{
    int64_t a, m, p, over, up;
    if (!amount_scale(rounded(asked), amount_whole(1), &a) || !amount_scale(rounded(least), amount_whole(1), &m) ||
        !amount_scale(rounded(step), amount_whole(1), &p) || p <= 0 || __builtin_sub_overflow(a, m, &over)) {
        return false;
    }
    int64_t times = over / p + (over % p != 0);
    if (__builtin_mul_overflow(times, p, &up) || __builtin_add_overflow(m, up, &up)) return false;
    *out = amount_whole(up);
    return true;
}

static bool consumed_share(const device_capacity *c, const named_amount *asked, amount *out)
{
    const request_policy *p = c->policy;
    *out = asked != NULL ? asked->value : p != NULL && p->default_.given ? p->default_.value : c->value;
    if (asked == NULL || p == NULL) return true;
    if (p->has_range && p->minimum.given) {
        if (amount_cmp(asked->value, p->minimum.value) < 0) *out = p->minimum.value;
        else if (p->step.given) return round_to_step(asked->value, p->minimum.value, p->step.value, out);
        return true;
    }
    for (uint32_t i = 0; i < p->valid_count; i++) {
        if (amount_cmp(asked->value, p->valid[i]) > 0) continue;
        *out = p->valid[i];
        break;
    }
    return true;
}

static bool within_range(const request_policy *p, amount value)
{
    int64_t v, m = 0, step, over;
    if (p->maximum.given && amount_cmp(value, p->maximum.value) > 0) return false;
    if (!p->step.given) return true;
    if (!amount_scale(rounded(value), amount_whole(1), &v) ||
        !amount_scale(rounded(p->step.value), amount_whole(1), &step) || step == 0)
        return false;
    if (p->minimum.given && !amount_scale(rounded(p->minimum.value), amount_whole(1), &m)) return false;
    return !__builtin_sub_overflow(v, m, &over) && (step == -1 || over % step == 0);
}

static bool policy_allows(const request_policy *p, amount value)
{
    if (p == NULL || (p->default_.given && amount_cmp(value, p->default_.value) == 0)) return true;
    if (p->has_range) return within_range(p, value);
    for (uint32_t i = 0; i < p->valid_count; i++) {
        if (amount_cmp(value, p->valid[i]) == 0) return true;
    }
    return p->valid_count == 0;
}

static const named_amount *asked_for(const live_request *r, uint32_t name)
{
    for (uint32_t i = 0; i < r->given->capacity.count; i++) {
        if (r->given->capacity.items[i].name == name) return &r->given->capacity.items[i];
    }
    return NULL;
}

static bool has_asked_capacity(const device *g, const live_request *r)
{
    for (uint32_t i = 0; i < r->given->capacity.count; i++) {
        uint32_t k = 0;
        while (k < g->capacity_count && g->capacity[k].name != r->given->capacity.items[i].name) k++;
        if (k == g->capacity_count) return false;
    }
    return true;
}

/* Adds the consumed capacity to the entries. After a failure the caller removes them again. */
static bool take_shares(search *x, const world_device *w, const live_request *r)
{
    const device *g = w->given;
    bool of_type = w->slice == NO_ID;
    enum ledger_kind kind = of_type ? OF_TYPE_DIMENSION : OF_DIMENSION;
    if (!has_asked_capacity(g, r)) return false;
    for (uint32_t i = 0; i < g->capacity_count; i++) {
        amount share, before = x->d->used[w->dimensions[i]];
        if (!consumed_share(&g->capacity[i], asked_for(r, g->capacity[i].name), &share) ||
            !policy_allows(g->capacity[i].policy, share))
            return false;
        if (of_type)
            before = ledger_committed(ledger_find(x->s, x->a->who.number), x->a->who.types[x->index], kind,
                                      w->dimensions[i]);
        amount used = tentative(x, kind, w->dimensions[i], before);
        if (!amount_add(used, share, &used) || amount_cmp(used, g->capacity[i].value) > 0) return false;
        if (!consume(x, kind, w->dimensions[i], share)) return false;
    }
    return true;
}

/* ---- constraints ------------------------------------------------------------------------------------------------------------------------ */

static bool applies(const live_constraint *c, const live_request *r)
{
    for (uint32_t i = 0; i < c->given->request_count; i++) {
        if (c->given->requests[i] == r->parent || c->given->requests[i] == r->given->full_name) return true;
    }
    return c->given->request_count == 0;
}

/* Finds an attribute by its full name, or by the part after the driver's own domain. */
const device_attribute *attribute_of(const scheduler *s, const world_device *w, uint32_t name)
{
    const device *g = w->given;
    karp_str full = text_of(s->snapshot, name), driver = text_of(s->snapshot, w->driver);
    for (uint32_t i = 0; i < g->attribute_count; i++) {
        if (g->attributes[i].name == name) return &g->attributes[i];
    }
    const char *slash = full.len > 0 ? memchr(full.ptr, '/', full.len) : NULL;
    if (slash == NULL || (size_t)(slash - full.ptr) != driver.len || memcmp(full.ptr, driver.ptr, driver.len) != 0)
        return NULL;
    size_t length = full.len - driver.len - 1;
    for (uint32_t i = 0; i < g->attribute_count; i++) {
        karp_str own = text_of(s->snapshot, g->attributes[i].name);
        if (own.len == length && memcmp(own.ptr, slash + 1, length) == 0) return &g->attributes[i];
    }
    return NULL;
}

static bool same_value(const device_attribute *a, const device_attribute *b)
{
    return a->kind == b->kind && a->text == b->text && a->number == b->number;
}

const bond *bond_of(const scheduler *s, const allocation *a, uint32_t index, uint32_t attribute, uint32_t identity)
{
    uint32_t kit = a->who.bonds[index];
    if (kit == NO_ID) return NULL;
    const type_kit *k = &s->devices->world->kits[kit];
    for (uint32_t i = 0; i < k->bond_count; i++) {
        if (k->bonds[i].attribute == attribute && k->bonds[i].identity == identity) return &k->bonds[i];
    }
    return NULL;
}

static const bond *bond_find(const search *x, uint32_t attribute, uint32_t identity)
{
    return bond_of(x->s, x->a, x->index, attribute, identity);
}

static bool bound_to_first(const search *x, const live_constraint *c, uint32_t identity)
{
    const bond *one = bond_find(x, c->given->attribute, identity), *first = bond_find(x, c->given->attribute, c->first);
    if (one == NULL || first == NULL) return false;
    return one->identity == first->identity ? one->size > 1 : one->group == first->group;
}

static bool constraint_add(const search *x, live_constraint *c, const world_device *w)
{
    const device_attribute *value = attribute_of(x->s, w, c->given->attribute);
    if (value != NULL) {
        if (c->bound || (c->count > 0 && !same_value(c->value, value))) return false;
        if (c->count == 0) c->value = value;
    } else {
        if ((c->count > 0 && !c->bound) || bond_find(x, c->given->attribute, w->identity) == NULL) return false;
        if (c->count > 0 && !bound_to_first(x, c, w->identity)) return false;
        c->bound = true;
    }
    if (c->count == 0) c->first = w->identity;
    c->count++;
    return true;
}

static void constraint_remove(live_constraint *c)
{
    c->count--;
    if (c->count > 0) return;
    c->value = NULL;
    c->bound = false;
}

static void remove_constraints(live_claim *c, const live_request *r, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (applies(&c->constraints[i], r)) constraint_remove(&c->constraints[i]);
    }
}

static bool add_constraints(const search *x, live_claim *c, const live_request *r, const world_device *w)
{
    for (uint32_t i = 0; i < c->constraint_count; i++) {
        if (!applies(&c->constraints[i], r) || constraint_add(x, &c->constraints[i], w)) continue;
        remove_constraints(c, r, i);
        return false;
    }
    return true;
}

/* ---- one device -------------------------------------------------------------------------------------------------------------------------- */

static bool chosen_already(const search *x, uint32_t number)
{
    const world_device *w = x->d->world->devices;
    for (uint32_t i = 0; i < x->device_count; i++) {
        const world_device *other = &w[x->devices[i].device];
        if (other->identity == w[number].identity && (other->slice == NO_ID) == (w[number].slice == NO_ID)) return true;
    }
    return false;
}

static bool available(search *x, uint32_t number, const live_request *r)
{
    const world_device *w = &x->d->world->devices[number];
    if (w->given->shared) return take_shares(x, w, r);
    return device_free(x->s, &x->a->who, x->index, number) && !chosen_already(x, number);
}

/* Narrows the requirements and the pools to where the device can be reached. */
static bool follow_topology(search *x, frame *f, const world_device *w)
{
    const world_slice *from = w->slice == NO_ID ? NULL : &x->d->world->slices[w->slice];
    f->set = x->set;
    if (from == NULL || !from->has_topology) return true;
    if (!reaches(x->s, &x->a->who, x->set, from->topology)) return false;
    x->set = set_meet(&x->s->algebra, x->set, from->topology.set);
    if (x->set == x->pools_set) return true;
    x->pools_set = x->set;
    if (!pools_filter(x->s, x->pools, &x->a->who, x->set, &x->pools)) x->s->failed = true;
    return !x->s->failed;
}

static bool try_device(search *x, frame *f, uint32_t number)
{
    const live_request *r = request_at(x, &f->at);
    live_claim *c = &x->a->claims[f->at.claim];
    const world_device *w = &x->d->world->devices[number];
    x->s->round.steps++;
    f->entries = (uint32_t)x->entry_count;
    bool ok = device_matches(x->s, number, r) == CEL_YES && !x->s->failed && available(x, number, r) &&
              counters_suffice(x, w) && add_constraints(x, c, r, w);
    if (ok && !follow_topology(x, f, w)) {
        remove_constraints(c, r, c->constraint_count);
        ok = false;
    }
    for (uint32_t i = 0; ok && i < w->consumes.count; i++) {
        ok = consume(x, w->slice == NO_ID ? OF_TYPE_COUNTER : OF_COUNTER, w->consumes.items[i].id,
                     w->consumes.items[i].value);
    }
    if (!ok) {
        x->entry_count = f->entries;
        return false;
    }
    x->d->search_steps++;
    f->taken = true;
    f->device = number;
    x->devices[x->device_count++] = (chosen){ f->at.claim, number, r->given };
    return true;
}

static void undo(search *x, frame *f)
{
    live_claim *c = &x->a->claims[f->at.claim];
    if (!f->taken) return;
    f->taken = false;
    x->device_count--;
    x->entry_count = f->entries;
    x->set = f->set;
    x->pools = f->pools;
    x->pools_set = f->pools_set;
    arena_release(&x->d->scratch, f->scratch);
    remove_constraints(c, request_at(x, &f->at), c->constraint_count);
}

/* ---- pruning ----------------------------------------------------------------------------------------------------- */

static uint64_t failure_key(const search *x, uint32_t kind) { return pair_key((uint32_t)x->depth, kind); }

/* Every continuation with this device failed. Records that other devices of its kind will fail, too. */
static void note_failure(search *x, frame *f, uint32_t number)
{
    uint32_t kind = device_kind(x->s, x->a, x->index, number);
    if (kind == NO_ID) return;
    f->some_failed = true;
    if (!map64_put(&x->d->twins.failed, failure_key(x, kind), f->number)) x->s->failed = true;
}

static bool chosen_here(const search *x, uint32_t number)
{
    for (uint32_t i = 0; i < x->device_count; i++) {
        if (x->devices[i].device == number) return true;
    }
    return false;
}

/* Whether a device of the same kind failed in this frame, and this one is as unused as that one was. */
static bool failed_before(search *x, const frame *f, uint32_t number)
{
    if (!f->some_failed || chosen_here(x, number)) return false;
    uint32_t kind = device_kind(x->s, x->a, x->index, number);
    return kind != NO_ID && map64_get(&x->d->twins.failed, failure_key(x, kind)) == f->number;
}

static bool same_topology(const struct device_world *w, uint32_t one, uint32_t other)
{
    const world_slice *a = w->devices[one].slice == NO_ID ? NULL : &w->slices[w->devices[one].slice];
    const world_slice *b = w->devices[other].slice == NO_ID ? NULL : &w->slices[w->devices[other].slice];
    if (a == NULL || b == NULL || !a->has_topology || !b->has_topology) return true;
    return a->topology.set == b->topology.set && a->topology.host == b->topology.host;
}

/* The slots of a request are interchangeable, so the same two devices in the other order were already tried, provided
 * that neither choice excludes the other. The options of a frame have the same order as those of the slot before. */
static bool other_order_tried(const search *x, const frame *f, uint32_t number)
{
    if (x->depth < 2 || f->at.slot == 0) return false;
    const frame *before = f - 1;
    if (!before->taken || before->pools.items != f->pools.items || before->set != f->set) return false;
    if (x->d->world->devices[before->device].consumes.count > 0 || !same_topology(x->d->world, before->device, number))
        return false;
    if (f->pool != before->pool) return f->pool < before->pool;
    if (f->slice != before->slice) return f->slice < before->slice;
    return f->next < before->next;
}

static bool same_amounts(named_amounts a, named_amounts b)
{
    bool same = a.count == b.count;
    for (uint32_t i = 0; same && i < a.count; i++)
        same = a.items[i].name == b.items[i].name && amount_cmp(a.items[i].value, b.items[i].value) == 0;
    return same;
}

/* Whether two alternatives have equal requests and no constraint refers to one of them by name. */
static bool same_alternative(const live_claim *c, const live_request *a, const live_request *b)
{
    bool same = a->given->all == b->given->all && a->given->count == b->given->count &&
                a->program_count == b->program_count && same_amounts(a->given->capacity, b->given->capacity);
    for (uint32_t i = 0; same && i < a->program_count; i++) same = a->programs[i] == b->programs[i];
    for (uint32_t i = 0; same && i < c->constraint_count; i++)
        same = applies(&c->constraints[i], a) == applies(&c->constraints[i], b);
    return same;
}

static bool alternative_failed(const live_claim *c, const live_request *r, uint32_t number)
{
    for (uint32_t i = 0; i < number; i++) {
        if (same_alternative(c, &r->alternatives[i], &r->alternatives[number])) return true;
    }
    return false;
}

/* ---- options of a frame --------------------------------------------------------------------------------------------------------------------- */

static uint32_t slots_of(const search *x, const position *p)
{
    const live_request *r = request_at(x, p);
    if (!r->given->all) return r->given->count > MOST_DEVICES ? MOST_DEVICES + 1 : (uint32_t)r->given->count;
    return r->all.count + (x->a->claims[p->claim].over_limit[x->index] ? 0 : r->all_of_type[x->index].count);
}

/* The only device for a slot in mode All. */
static bool next_of_all(search *x, frame *f)
{
    const live_request *r = request_at(x, &f->at);
    if (f->next++ > 0) return false;
    uint32_t slot = f->at.slot;
    return try_device(x, f,
                      slot < r->all.count ? r->all.items[slot] : r->all_of_type[x->index].items[slot - r->all.count]);
}

static bool stopped(const search *x)
{
    return x->d->out_of_steps || x->s->round.stopped || x->s->failed || x->s->algebra.failed;
}

static bool must_stop(search *x);

/* Visits an option. false = another candidate uses it, or the search is over. */
static bool look(search *x, const world_device *w)
{
    bool had = !w->given->shared && w->slice != NO_ID && device_had(x->d, w->identity, x->a->who.number);
    x->looks += had ? 1 : LOOKS_A_DEVICE;
    if (x->looks >= LOOKS_A_STEP) {
        x->looks -= LOOKS_A_STEP;
        x->d->search_steps++;
        x->s->round.steps += had;
    }
    return (++x->looked % POLL_EVERY != 0 || !must_stop(x)) && !had;
}

static bool try_option(search *x, frame *f, uint32_t number)
{
    if (!look(x, &x->d->world->devices[number])) return false;
    return !other_order_tried(x, f, number) && !failed_before(x, f, number) && try_device(x, f, number);
}

/* Devices of the cluster, pool by pool, followed by those of the type. */
static bool next_of_count(search *x, frame *f)
{
    const struct device_world *w = x->d->world;
    for (; f->pool < f->pools.count; f->pool++, f->slice = 0, f->next = 0) {
        const pool_view *v = &f->pools.items[f->pool];
        if (v->incomplete) continue;
        bool exhausted = pool_exhausted(x, v->pool);
        for (; f->slice < v->slice_count; f->slice++, f->next = 0) {
            const world_slice *from = &w->slices[v->slices[f->slice]];
            while (f->next < from->device_count) {
                uint32_t number = from->device_first + f->next++;
                if (exhausted && w->devices[number].sets.count > 0) continue;
                if (try_option(x, f, number)) return true;
                if (stopped(x)) return false;
            }
        }
    }
    while (x->kit != NO_ID && f->next < w->kits[x->kit].device_count) {
        if (try_option(x, f, w->kits[x->kit].device_first + f->next++)) return true;
        if (stopped(x)) return false;
    }
    return false;
}

static bool next_option(search *x, frame *f)
{
    if (f->choosing) {
        const live_request *r = &x->a->claims[f->at.claim].requests[f->at.request];
        const live_claim *c = &x->a->claims[f->at.claim];
        while (f->next < r->alternative_count && alternative_failed(c, r, f->next)) f->next++;
        if (f->next >= r->alternative_count) return false;
        f->at.alternative = &r->alternatives[f->next++];
        return true;
    }
    return request_at(x, &f->at)->given->all ? next_of_all(x, f) : next_of_count(x, f);
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

/* The position after a frame's option. Requests that need no device are skipped. false = all requests are satisfied,
 * or (*dead) the request cannot be. */
static bool next_position(const search *x, const frame *f, position *out, bool *choosing, bool *dead)
{
    position p = f != NULL ? f->at : (position){ 0, 0, 0, NULL };
    bool entering = f == NULL ||
                    f->choosing; /* a request, or an alternative of it, whose slots have not been counted yet */
    *dead = false;
    if (f != NULL && !f->choosing) p.slot++;
    for (;;) {
        if (p.claim == x->a->claim_count) return false;
        const live_claim *c = &x->a->claims[p.claim];
        if (p.request == c->request_count) {
            p = (position){ p.claim + 1, 0, 0, NULL };
            entering = true;
            continue;
        }
        *choosing = p.alternative == NULL && c->requests[p.request].alternative_count > 0;
        *out = p;
        if (*choosing) return true;
        uint32_t slots = slots_of(x, &p), has = 0;
        for (uint32_t i = 0; i < x->device_count; i++) has += x->devices[i].claim == p.claim;
        if (entering && ((slots == 0 && request_at(x, &p)->given->all) || has + slots > MOST_DEVICES)) {
            *dead = true;
            return false;
        }
        if (p.slot < slots) return true;
        p = (position){ p.claim, p.request + 1, 0, NULL };
        entering = true;
    }
}

static bool push(search *x, position at, bool choosing)
{
    void *frames = x->frames, *devices = x->devices;
    bool ok = grow(x->s->context, &frames, &x->room, x->depth + 1, sizeof *x->frames);
    x->frames = frames;
    ok = ok &&
         grow(x->s->context, &devices, &x->device_room, x->depth + 1, sizeof *x->devices); /* at most one per frame */
    x->devices = devices;
    if (!ok) {
        x->s->failed = true;
        return false;
    }
    x->frames[x->depth++] = (frame){ .at = at,
                                     .choosing = choosing,
                                     .number = ++x->frame_count,
                                     .pools = x->pools,
                                     .pools_set = x->pools_set,
                                     .set = x->set,
                                     .scratch = arena_get_mark(&x->d->scratch) };
    return true;
}

static uint64_t tries_of_round(const scheduler *s)
{
    return s->settings.simulation ? MOST_OF_SIMULATION : MOST_OF_ROUND;
}

bool searches_ended(const scheduler *s) { return s->devices->round_steps > END_OF_ROUND * tries_of_round(s); }

static bool must_stop(search *x)
{
    struct devices *d = x->d;
    const karp_options *o = x->s->settings.options;
    if (d->search_steps > (d->round_steps > tries_of_round(x->s) ? FEW_TRIES : MOST_TRIES)) d->out_of_steps = true;
    if (o->should_stop != NULL && (d->search_steps - d->polled_at >= POLL_EVERY || x->looked % POLL_EVERY == 0)) {
        d->polled_at = d->search_steps;
        x->s->round.stopped = o->should_stop(o->stop_user) != 0;
    }
    if (o->max_steps > 0 && x->s->round.steps >= o->max_steps) x->s->round.stopped = true;
    return stopped(x);
}

static bool walk(search *x)
{
    position at;
    bool choosing, dead;
    if (!next_position(x, NULL, &at, &choosing, &dead)) return !dead;
    if (!push(x, at, choosing)) return false;
    while (x->depth > 0) {
        frame *f = &x->frames[x->depth - 1];
        bool tried = f->taken;
        undo(x, f);
        if (tried && !request_at(x, &f->at)->given->all) note_failure(x, f, f->device);
        if (f->choosing) f->at.alternative = NULL;
        if (must_stop(x)) return false;
        if (!next_option(x, f)) {
            x->depth--;
            continue;
        }
        if (next_position(x, f, &at, &choosing, &dead)) {
            if (!push(x, at, choosing)) return false;
        } else if (!dead) {
            return true;
        }
    }
    return false;
}

static bool keep_outcome(search *x)
{
    allocation *a = x->a;
    type_outcome *o = &a->outcomes[a->outcome_count];
    o->type = x->index;
    o->devices = arena_copy(&x->d->scratch, x->devices, x->device_count * sizeof *x->devices);
    o->device_count = x->device_count;
    o->entries = arena_copy(&x->d->scratch, x->entries, x->entry_count * sizeof *x->entries);
    o->entry_count = (uint32_t)x->entry_count;
    if (o->devices == NULL || o->entries == NULL) {
        x->s->failed = true;
        return false;
    }
    a->outcome_count++;
    a->set = x->set;
    return true;
}

bool search_type(scheduler *s, allocation *a, uint32_t index)
{
    search x = { .s = s,
                 .d = s->devices,
                 .a = a,
                 .index = index,
                 .kit = a->who.kits[index],
                 .pools = a->pools,
                 .pools_set = a->pools_set,
                 .set = a->set };
    twins_begin(s);
    for (uint32_t c = 0; c < a->claim_count; c++) {
        for (uint32_t i = 0; i < a->claims[c].constraint_count; i++) {
            a->claims[c].constraints[i] = (live_constraint){ .given = a->claims[c].constraints[i].given };
        }
    }
    bool ok = feasible(&x) && walk(&x) && keep_outcome(&x);
    mem_free(s->context, x.frames, x.room * sizeof *x.frames);
    mem_free(s->context, x.devices, x.device_room * sizeof *x.devices);
    mem_free(s->context, x.entries, x.entry_room * sizeof *x.entries);
    return ok;
}
