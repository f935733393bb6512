/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search for one instance type (dra.md D7): depth first over claims, requests and slots, with an explicit
 * stack.
 */
#include <schedule/device_run.h>

#include <schedule/device_answers.h>
#include <schedule/scheduler.h>
#include <string.h>

/* Limits in tries: devices that were chosen, or an equal amount of work. */
enum {
    MOST_TRIES = 200000, /* for one place of one pod */
    MOST_OF_ROUND = 4000000, /* for all pods of a round */
    MOST_OF_SIMULATION = 250000, /* for a simulated round, of which there are many */
    FEW_TRIES = 2000 /* for one place of one pod, after the round's limit was reached */
};
/* END_OF_ROUND: a round has at most four times its tries in total. */
enum { END_OF_ROUND = 4, POLL_EVERY = 1024 };
/* Visiting a device that another candidate uses counts as one look, any other as this many. */
enum { LOOKS_A_DEVICE = 16 };

/* ---- pruning ----------------------------------------------------------------------------------------------------- */

static uint64_t failure_key(const search *x, uint32_t kind) { return pair_key((uint32_t)x->depth, kind); }

/* Every continuation with this device failed. Records that other devices of its kind will fail, too. */
static void note_failure(search *x, search_frame *f, uint32_t number)
{
    uint32_t kind = device_kind(x->s, x->a, x->index, number);
    if (kind == NO_ID) return;
    f->some_failed = true;
    if (!map64_put(&x->d->twins.failed, failure_key(x, kind), f->number)) x->s->failed = true;
    if (answers_kept(x->s, number) && !map64_put(&x->d->twins.failed_with, failure_key(x, kind), number))
        x->s->failed = true;
}

static bool chosen_here(const search *x, uint32_t number)
{
    for (uint32_t i = 0; i < x->device_count; i++) {
        if (x->devices[i].device == number) return true;
    }
    return false;
}

/* Whether a device of the same kind failed in this frame, and this one is as unused as that one was. */
static bool failed_before(search *x, const search_frame *f, uint32_t number)
{
    if (!f->some_failed || chosen_here(x, number)) return false;
    uint32_t kind = device_kind(x->s, x->a, x->index, number);
    return kind != NO_ID && map64_get(&x->d->twins.failed, failure_key(x, kind)) == f->number;
}

/* What Karpenter would remember of the search with a device of the same kind as one that failed in this frame. */
static void remember_twin(search *x, const search_frame *f, uint32_t number)
{
    uint64_t key = failure_key(x, device_kind(x->s, x->a, x->index, number));
    answers_swap(x->s, x->a, number, map64_get(&x->d->twins.failed_with, key), f->began);
}

static bool same_topology(const struct device_index *w, uint32_t one, uint32_t other)
{
    const indexed_slice *a = w->devices[one].slice == NO_ID ? NULL : &w->slices[w->devices[one].slice];
    const indexed_slice *b = w->devices[other].slice == NO_ID ? NULL : &w->slices[w->devices[other].slice];
    if (a == NULL || b == NULL || !a->has_topology || !b->has_topology) return true;
    return a->topology.set == b->topology.set && a->topology.host == b->topology.host;
}

/* The slots of a request are interchangeable, so the same two devices in the other order were already tried, provided
 * that neither choice excludes the other. The options of a frame have the same order as those of the slot before. */
static bool other_order_tried(const search *x, const search_frame *f, uint32_t number)
{
    if (x->depth < 2 || f->at.slot == 0) return false;
    const search_frame *before = f - 1;
    const struct device_index *w = x->d->index;
    if (!before->taken || before->pools.items != f->pools.items || before->set != f->set) return false;
    if (w->devices[before->device].consumes.count > 0 || !same_topology(w, before->device, number)) return false;
    if (w->devices[before->device].identity == w->devices[number].identity) return false;
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
        same = constraint_applies(&c->constraints[i], a) == constraint_applies(&c->constraints[i], b);
    return same;
}

/* Whether an equal alternative failed in this frame. */
static bool alternative_failed(search *x, const search_frame *f, const live_claim *c, const live_request *r)
{
    const live_request *left = &r->alternatives[f->next];
    for (uint32_t i = 0; i < f->next; i++) {
        const live_request *one = &r->alternatives[i];
        if (!same_alternative(c, one, left) || !answers_equal(x->s, x->a, x->index, one, left)) continue;
        answers_repeat(x->s, x->a, x->index, left, one, f->began);
        return true;
    }
    return false;
}

/* ---- options of a frame ------------------------------------------------------------------------------------------ */

static uint32_t slots_of(const search *x, const position *p)
{
    const live_request *r = request_at(x, p);
    if (!r->given->all) return r->given->count > MOST_DEVICES ? MOST_DEVICES + 1 : (uint32_t)r->given->count;
    return r->all.count + (x->a->resource_claims[p->claim].over_limit[x->index] ? 0 : r->all_of_type[x->index].count);
}

/* The only device for a slot in mode All. */
static bool next_of_all(search *x, search_frame *f)
{
    const live_request *r = request_at(x, &f->at);
    if (f->next++ > 0) return false;
    uint32_t slot = f->at.slot;
    return add_device(x, f,
                      slot < r->all.count ? r->all.items[slot] : r->all_of_type[x->index].items[slot - r->all.count]);
}

static bool stopped(const search *x)
{
    return x->d->out_of_steps || x->s->round.stopped || x->s->failed || x->s->algebra.failed;
}

static bool must_stop(search *x);

/* Visits an option. false = another candidate uses it, or the search is over. */
static bool look(search *x, const indexed_device *w)
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

static bool try_option(search *x, search_frame *f, uint32_t number)
{
    if (!look(x, &x->d->index->devices[number])) return false;
    bool swapped = other_order_tried(x, f, number);
    if (!swapped && !failed_before(x, f, number)) return add_device(x, f, number);
    if (answers_kept(x->s, number) && note_visit(x, f, number) && !swapped) remember_twin(x, f, number);
    return false;
}

/* Devices of the cluster, pool by pool, followed by those of the type. */
static bool next_of_count(search *x, search_frame *f)
{
    const struct device_index *w = x->d->index;
    for (; f->pool < f->pools.count; f->pool++, f->slice = 0, f->next = 0) {
        const pool_view *v = &f->pools.items[f->pool];
        if (v->incomplete) continue;
        bool exhausted = pool_exhausted(x, v->pool);
        for (; f->slice < v->slice_count; f->slice++, f->next = 0) {
            const indexed_slice *from = &w->slices[v->slices[f->slice]];
            while (f->next < from->device_count) {
                uint32_t number = from->device_first + f->next++;
                if (exhausted && w->devices[number].sets.count > 0) continue;
                if (try_option(x, f, number)) return true;
                if (stopped(x)) return false;
            }
        }
    }
    while (x->device_set != NO_ID && f->next < w->device_sets[x->device_set].device_count) {
        if (try_option(x, f, w->device_sets[x->device_set].device_first + f->next++)) return true;
        if (stopped(x)) return false;
    }
    return false;
}

static bool next_option(search *x, search_frame *f)
{
    if (f->choosing) {
        const live_request *r = &x->a->resource_claims[f->at.claim].requests[f->at.request];
        const live_claim *c = &x->a->resource_claims[f->at.claim];
        while (f->next < r->alternative_count && alternative_failed(x, f, c, r)) f->next++;
        if (f->next >= r->alternative_count) return false;
        f->at.alternative = &r->alternatives[f->next++];
        return true;
    }
    return request_at(x, &f->at)->given->all ? next_of_all(x, f) : next_of_count(x, f);
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

/* The position after a frame's option. Requests that need no device are skipped. false = all requests are satisfied,
 * or (*dead) the request cannot be. */
static bool next_position(const search *x, const search_frame *f, position *out, bool *choosing, bool *dead)
{
    position p = f != NULL ? f->at : (position){ 0, 0, 0, NULL };
    bool entering = f == NULL ||
                    f->choosing; /* a request, or an alternative of it, whose slots have not been counted yet */
    *dead = false;
    if (f != NULL && !f->choosing) p.slot++;
    for (;;) {
        if (p.claim == x->a->claim_count) return false;
        const live_claim *c = &x->a->resource_claims[p.claim];
        if (p.request == c->request_count || (c->not_for != NULL && c->not_for[x->index])) {
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
    bool ok = grow(x->s->context, &frames, &x->capacity, x->depth + 1, sizeof *x->frames);
    x->frames = frames;
    ok = ok && grow(x->s->context, &devices, &x->device_capacity, x->depth + 1,
                    sizeof *x->devices); /* at most one per search_frame */
    x->devices = devices;
    if (!ok) return mem_refused(&x->s->failed);
    x->frames[x->depth++] = (search_frame){ .at = at,
                                            .choosing = choosing,
                                            .number = ++x->frame_count,
                                            .began = answers_time(x->s),
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
        search_frame *f = &x->frames[x->depth - 1];
        bool tried = f->taken;
        remove_device(x, f);
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
    if (o->devices == NULL || o->entries == NULL) return mem_refused(&x->s->failed);
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
                 .device_set = a->who.device_sets[index],
                 .pools = a->pools,
                 .pools_set = a->pools_set,
                 .set = a->set };
    twins_begin(s);
    for (uint32_t c = 0; c < a->claim_count; c++) {
        for (uint32_t i = 0; i < a->resource_claims[c].constraint_count; i++) {
            a->resource_claims[c].constraints[i] = (live_constraint){
                .given = a->resource_claims[c].constraints[i].given
            };
        }
    }
    bool ok = all_devices_feasible(&x) && walk(&x) && keep_outcome(&x);
    mem_free(s->context, x.frames, x.capacity * sizeof *x.frames);
    mem_free(s->context, x.devices, x.device_capacity * sizeof *x.devices);
    mem_free(s->context, x.entries, x.entry_capacity * sizeof *x.entries);
    return ok;
}
