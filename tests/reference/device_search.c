/* SPDX-License-Identifier: Apache-2.0 */
/* The search for devices: depth first, type after type (dra.md D7). */
#include <string.h>

#include "devices.h"
#include "memory.h"

enum { MOST_DEVICES = 32, MOST_STEPS = 2000000 };

/** Whether a selector matched, by what Karpenter takes for the device. */
struct memory {
    struct device_id id;
    size_t claim, request, alternative;
    bool matched;
};

struct touched {
    const struct device_id *id;
    const char *set, *name;
};

/** Where the search stands. */
struct place {
    size_t claim, request, alternative, slot; /* alternative: 0 for the request itself, else from 1 on */
};

struct search {
    const struct scheduler *s;
    const struct candidate *candidate;
    size_t type; /* of the candidate */
    struct wanted_claim *claims;
    size_t claim_count;
    struct requirements requirements;
    struct device_pools pools;
    struct taken *taken;
    size_t taken_count;
    struct touched *touched; /* counters that some device has taken from, also if it was given back */
    size_t touched_count;
    struct memory *memories;
    size_t memory_count, steps;
};

static bool search_from(struct search *x, struct place at);

static const struct candidate_type *type_of(const struct search *x) { return &x->candidate->types[x->type]; }

static struct request *request_at(const struct search *x, struct place at)
{
    struct request *r = &x->claims[at.claim].requests[at.request];
    return at.alternative > 0 ? &r->alternatives[at.alternative - 1] : r;
}

/* ------------------------------------------------------------------------------------------------ one device */

static bool is_available(const struct search *x, const struct request *r, const struct device *d,
                         struct resources *consumed)
{
    const struct devices *state = x->s->devices;
    *consumed = (struct resources){ NULL, 0 };
    if (!d->shared) {
        for (size_t i = 0; i < x->taken_count; i++) {
            if (ref_same_device(&x->taken[i].device->id, &d->id)) {
                return false;
            }
        }
        return !ref_is_held(state, x->candidate, type_of(x)->name, &d->id);
    }
    if (!ref_consumed(d, r->capacity, consumed)) {
        return false;
    }
    for (size_t i = 0; i < d->dimension_count; i++) {
        const char *name = d->dimensions[i].name;
        amount used = ref_capacity_used(state, x->candidate, type_of(x)->name, &d->id, name);
        used += ref_capacity_of(x->taken, x->taken_count, &d->id, name);
        if (used + ref_resources_get(*consumed, name) > d->dimensions[i].value) {
            return false;
        }
    }
    return true;
}

static bool has_counters_for(const struct search *x, const struct device *d)
{
    const struct devices *state = x->s->devices;
    if (d->consumes_count == 0) {
        return true;
    }
    if ((!d->id.template && ref_device_pool(x->pools, d->id.driver, d->id.pool) == NULL) ||
        !ref_has_counters(state, type_of(x), &d->id)) {
        return false;
    }
    for (size_t i = 0; i < d->consumes_count; i++) {
        const struct consumption *c = &d->consumes[i];
        amount left;
        if (!ref_counter_left(state, x->candidate, type_of(x), &d->id, c->set, "", &left)) {
            return false;
        }
        for (size_t j = 0; j < c->counters.count; j++) {
            const char *name = c->counters.items[j].name;
            amount tentative = ref_counter_of(x->taken, x->taken_count, &d->id, c->set, name);
            if (!ref_counter_left(state, x->candidate, type_of(x), &d->id, c->set, name, &left) ||
                ref_whole(left) - ref_whole(tentative) < ref_whole(c->counters.items[j].value)) {
                return false;
            }
        }
    }
    return true;
}

/** Karpenter asks once for devices that it takes for the same, until it knows. */
static bool is_selected(struct search *x, struct place at, const struct request *r, const struct device *d)
{
    for (size_t i = 0; i < x->memory_count && ref_remembers_selectors(); i++) {
        const struct memory *m = &x->memories[i];
        if (m->claim == at.claim && m->request == at.request && m->alternative == at.alternative &&
            ref_same_device(&m->id, &d->id)) {
            return m->matched;
        }
    }
    int answer = ref_device_matches(r->selectors, d);
    if (answer != CEL_FAILS) {
        x->memories = ref_push(x->memories, x->memory_count, sizeof x->memories[0]);
        x->memories[x->memory_count++] = (struct memory){ d->id, at.claim, at.request, at.alternative,
                                                          answer == CEL_YES };
    }
    return answer == CEL_YES;
}

static void unconstrain(const struct wanted_claim *c, size_t count, const struct request_name *name)
{
    while (count > 0) {
        ref_constraint_remove(&c->constraints[--count], name);
    }
}

static bool constrain(const struct search *x, const struct wanted_claim *c, const struct request_name *name,
                      const struct device *d)
{
    for (size_t i = 0; i < c->constraint_count; i++) {
        if (!ref_constraint_add(&c->constraints[i], type_of(x), name, d)) {
            unconstrain(c, i, name);
            return false;
        }
    }
    return true;
}

static bool is_touched(const struct search *x, const struct device_id *id, const char *set, const char *name)
{
    for (size_t i = 0; i < x->touched_count; i++) {
        const struct touched *t = &x->touched[i];
        if (t->id->template == id->template && strcmp(t->id->driver, id->driver) == 0 &&
            strcmp(t->id->pool, id->pool) == 0 && strcmp(t->set, set) == 0 && strcmp(t->name, name) == 0) {
            return true;
        }
    }
    return false;
}

static void touch(struct search *x, const struct device *d)
{
    for (size_t i = 0; i < d->consumes_count; i++) {
        const struct consumption *c = &d->consumes[i];
        for (size_t j = 0; j < c->counters.count; j++) {
            if (!is_touched(x, &d->id, c->set, c->counters.items[j].name)) {
                x->touched = ref_push(x->touched, x->touched_count, sizeof x->touched[0]);
                x->touched[x->touched_count++] = (struct touched){ &d->id, c->set, c->counters.items[j].name };
            }
        }
    }
}

static bool try_device(struct search *x, struct place at, const struct device *d)
{
    const struct request *r = request_at(x, at);
    const struct wanted_claim *claim = &x->claims[at.claim];
    struct resources consumed;
    if (++x->steps > MOST_STEPS) {
        ref_fault("a search for devices of more than %d steps", MOST_STEPS);
        return false;
    }
    if (!is_available(x, r, d, &consumed) || !has_counters_for(x, d) || !is_selected(x, at, r, d) ||
        !constrain(x, claim, &r->name, d)) {
        return false;
    }
    struct requirements before = x->requirements;
    struct device_pools pools = x->pools;
    if (d->has_topology) {
        if (!ref_compatible(x->requirements, d->topology, true)) {
            unconstrain(claim, claim->constraint_count, &r->name);
            return false;
        }
        x->requirements = ref_union(x->requirements, d->topology);
        x->pools = ref_device_pools_narrow(x->pools, x->requirements, x->candidate->node_name);
    }
    x->taken[x->taken_count++] = (struct taken){ d, at.claim, consumed };
    touch(x, d);
    if (search_from(x, (struct place){ at.claim, at.request, at.alternative, at.slot + 1 })) {
        return true;
    }
    x->taken_count--;
    x->requirements = before;
    x->pools = pools;
    unconstrain(claim, claim->constraint_count, &r->name);
    return false;
}

/* ------------------------------------------------------------------------------------------------ slots */

/** Some counter of the pool is used up by what is taken in this search. */
static bool is_exhausted(const struct search *x, const struct device_pool *pool)
{
    for (size_t i = 0; i < x->touched_count; i++) {
        const struct touched *t = &x->touched[i];
        amount left;
        if (!t->id->template && strcmp(t->id->driver, pool->driver) == 0 && strcmp(t->id->pool, pool->name) == 0 &&
            ref_counter_left(x->s->devices, x->candidate, type_of(x), t->id, t->set, t->name, &left) &&
            ref_whole(left) - ref_whole(ref_counter_of(x->taken, x->taken_count, t->id, t->set, t->name)) <= 0) {
            return true;
        }
    }
    return false;
}

static bool fill_with_any(struct search *x, struct place at)
{
    struct device_pools pools = x->pools;
    for (size_t p = 0; p < pools.count; p++) {
        const struct device_pool *pool = pools.items[p];
        bool exhausted = pool->budgets.count > 0 && is_exhausted(x, pool);
        for (size_t i = 0; !pool->incomplete && i < pool->devices.count; i++) {
            const struct device *d = pool->devices.items[i];
            if (!(exhausted && d->consumes_count > 0) && try_device(x, at, d)) {
                return true;
            }
        }
    }
    struct device_list brings = type_of(x)->brings;
    for (size_t i = 0; i < brings.count; i++) {
        if (try_device(x, at, brings.items[i])) {
            return true;
        }
    }
    return false;
}

static bool fill_with_each(struct search *x, struct place at, const struct request *r)
{
    size_t published = r->published.count;
    return try_device(
        x, at, at.slot < published ? r->published.items[at.slot] : r->of_type[x->type].items[at.slot - published]);
}

static size_t taken_for(const struct search *x, size_t claim)
{
    size_t count = 0;
    for (size_t i = 0; i < x->taken_count; i++) {
        count += x->taken[i].claim == claim;
    }
    return count;
}

static bool search_from(struct search *x, struct place at)
{
    if (at.claim == x->claim_count) {
        return true;
    }
    if (at.request == x->claims[at.claim].request_count) {
        return search_from(x, (struct place){ at.claim + 1, 0, 0, 0 });
    }
    const struct request *r = request_at(x, at);
    for (size_t i = 0; at.alternative == 0 && i < r->alternative_count; i++) {
        if (search_from(x, (struct place){ at.claim, at.request, i + 1, 0 })) {
            return true;
        }
    }
    if (at.alternative == 0 && r->alternative_count > 0) {
        return false;
    }
    size_t slots = r->all ? r->published.count + r->of_type[x->type].count : r->count;
    if ((r->all && slots == 0) || (at.slot == 0 && taken_for(x, at.claim) + slots > MOST_DEVICES)) {
        return false;
    }
    if (at.slot >= slots) {
        return search_from(x, (struct place){ at.claim, at.request + 1, 0, 0 });
    }
    return r->all ? fill_with_each(x, at, r) : fill_with_any(x, at);
}

/* ------------------------------------------------------------------------------------------------ before the search */

/** Do the counters suffice for all devices of the request? */
static bool all_can_be_had(const struct search *x, const struct request *r)
{
    struct taken *shadow = ref_alloc((r->published.count + r->of_type[x->type].count + 1) * sizeof *shadow);
    size_t count = 0;
    for (size_t i = 0; i < r->published.count + r->of_type[x->type].count; i++) {
        const struct device *d = i < r->published.count ? r->published.items[i]
                                                        : r->of_type[x->type].items[i - r->published.count];
        if (d->consumes_count == 0) {
            continue;
        }
        if (!ref_has_counters(x->s->devices, type_of(x), &d->id)) {
            return true;
        }
        shadow[count++].device = d;
        for (size_t j = 0; j < d->consumes_count; j++) {
            const struct consumption *c = &d->consumes[j];
            amount left;
            if (!ref_counter_left(x->s->devices, x->candidate, type_of(x), &d->id, c->set, "", &left)) {
                return false;
            }
            for (size_t k = 0; k < c->counters.count; k++) {
                const char *name = c->counters.items[k].name;
                if (!ref_counter_left(x->s->devices, x->candidate, type_of(x), &d->id, c->set, name, &left) ||
                    left < ref_counter_of(shadow, count, &d->id, c->set, name)) {
                    return false;
                }
            }
        }
    }
    return true;
}

static bool may_be_had(const struct search *x, const struct request *r)
{
    bool any = r->alternative_count == 0 && (!r->all || all_can_be_had(x, r));
    for (size_t i = 0; i < r->alternative_count && !any; i++) {
        any = may_be_had(x, &r->alternatives[i]);
    }
    return any;
}

static bool is_worth_it(const struct search *x)
{
    for (size_t c = 0; c < x->claim_count; c++) {
        for (size_t i = 0; i < x->claims[c].request_count; i++) {
            if (!may_be_had(x, &x->claims[c].requests[i])) {
                return false;
            }
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------ types */

static void start(struct search *x, size_t type, struct device_pools pools)
{
    x->type = type;
    x->pools = pools;
    x->taken = ref_alloc((MOST_DEVICES * x->claim_count + 1) * sizeof x->taken[0]);
    x->taken_count = x->touched_count = 0;
    for (size_t c = 0; c < x->claim_count; c++) {
        for (size_t i = 0; i < x->claims[c].constraint_count; i++) {
            struct constraint *k = &x->claims[c].constraints[i];
            *k = (struct constraint){ .requests = k->requests, .attribute = k->attribute };
        }
    }
}

/** What a type's devices ask of the node. */
static void contribute(const struct search *x, struct allocation *out)
{
    for (size_t i = 0; i < x->taken_count; i++) {
        const struct device *d = x->taken[i].device;
        struct held_claim *h = &out->claims[x->taken[i].claim];
        h->template = h->template || d->id.template;
        if (!d->has_topology) {
            continue;
        }
        const char *type = type_of(x)->name;
        if (h->contribution_count == 0 || h->contributions[h->contribution_count - 1].type != type) {
            h->contributions = ref_push(h->contributions, h->contribution_count, sizeof h->contributions[0]);
            h->contributions[h->contribution_count++] = (struct contribution){ .type = type };
        }
        struct contribution *last = &h->contributions[h->contribution_count - 1];
        last->requirements = ref_union(last->requirements, d->topology);
        h->total = ref_union(h->total, d->topology);
        out->requirements = ref_union(out->requirements, d->topology);
    }
}

bool ref_device_search(const struct scheduler *s, const struct candidate *candidate, struct device_pools pools,
                       struct wanted_claim *claims, size_t claim_count, struct requirements requirements,
                       struct allocation *out)
{
    struct search x = {
        .s = s, .candidate = candidate, .claims = claims, .claim_count = claim_count, .requirements = requirements
    };
    *out = (struct allocation){ .candidate = candidate->id, .commits = true, .claim_count = claim_count };
    out->types = ref_alloc((candidate->type_count + 1) * sizeof out->types[0]);
    out->shares = ref_alloc((candidate->type_count + 1) * sizeof out->shares[0]);
    out->claims = ref_alloc((claim_count + 1) * sizeof out->claims[0]);
    for (size_t c = 0; c < claim_count; c++) {
        out->claims[c] = (struct held_claim){ .doc = claims[c].doc, .candidate = candidate->id };
    }
    for (size_t t = 0; t < candidate->type_count; t++) {
        start(&x, t, pools);
        if (is_worth_it(&x) && search_from(&x, (struct place){ 0, 0, 0, 0 })) {
            out->shares[out->type_count] = (struct share){ candidate->id, candidate->types[t].name, x.taken,
                                                           x.taken_count };
            out->types[out->type_count++] = candidate->types[t].name;
            contribute(&x, out); /* what it asks stays in x.requirements, for the types behind it */
        }
    }
    out->pools = ref_device_pools_narrow(pools, x.requirements, candidate->node_name);
    return out->type_count > 0;
}
