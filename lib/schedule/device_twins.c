/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that are equal in everything a search reads: if one of them failed, the other fails as well. */
#include <schedule/device_answers.h>
#include <schedule/scheduler.h>

typedef struct portrait {
    scheduler *s;
    struct devices *d;
    const allocation *a;
    uint32_t index; /* index of the type */
} portrait;

static void put(portrait *p, uint32_t word)
{
    uint32_t *slot = list_push(p->s->context, &p->d->twins.words, sizeof *slot);
    if (slot != NULL) *slot = word;
    else p->s->failed = true;
}

static void put_wide(portrait *p, uint64_t word)
{
    put(p, (uint32_t)word);
    put(p, (uint32_t)(word >> 32));
}

static void put_amount(portrait *p, amount a)
{
    put_wide(p, a.lo);
    put_wide(p, (uint64_t)a.hi);
}

static void put_some(portrait *p, const some_amount *a)
{
    put(p, a->given);
    if (a->given) put_amount(p, a->value);
}

/* Counters are compared by number, so devices of two pools can be equal only if neither consumes counters. */
static void put_counters(portrait *p, const indexed_device *w)
{
    put(p, w->sets.count);
    for (uint32_t i = 0; i < w->sets.count; i++) put(p, w->sets.items[i]);
    put(p, w->consumes.count);
    for (uint32_t i = 0; i < w->consumes.count; i++) {
        put(p, w->consumes.items[i].id);
        put_amount(p, w->consumes.items[i].value);
    }
}

static void put_policy(portrait *p, const request_policy *policy)
{
    put(p, policy != NULL);
    if (policy == NULL) return;
    put_some(p, &policy->default_);
    put_some(p, &policy->minimum);
    put_some(p, &policy->maximum);
    put_some(p, &policy->step);
    put(p, policy->has_range);
    put(p, policy->valid_count);
    for (uint32_t i = 0; i < policy->valid_count; i++) put_amount(p, policy->valid[i]);
}

/* For a device with allowMultipleAllocations: its capacity, and how much of it is left. */
static void put_capacity(portrait *p, const indexed_device *w)
{
    put(p, w->given->capacity_count);
    for (uint32_t i = 0; i < w->given->capacity_count; i++) {
        put(p, w->given->capacity[i].name);
        put_amount(p, w->given->capacity[i].value);
        put_policy(p, w->given->capacity[i].policy);
        put_amount(p, w->slice == NO_ID ? ledger_committed(p->a, p->index, OF_TYPE_DIMENSION, w->dimensions[i])
                                        : p->d->used[w->dimensions[i]]);
    }
}

static void put_answers(portrait *p, uint32_t number, const live_request *r)
{
    for (uint32_t i = 0; i < r->alternative_count; i++) put_answers(p, number, &r->alternatives[i]);
    put(p, r->alternative_count == 0 && device_answer(p->s, number, r) == CEL_YES);
}

/* Properties that the claims read: results of selectors, and attributes that have to match. */
static void put_claims(portrait *p, uint32_t number)
{
    const indexed_device *w = &p->d->index->devices[number];
    for (uint32_t c = 0; c < p->a->claim_count; c++) {
        const live_claim *one = &p->a->resource_claims[c];
        for (uint32_t r = 0; r < one->request_count; r++) put_answers(p, number, &one->requests[r]);
        for (uint32_t i = 0; i < one->constraint_count; i++) {
            uint32_t name = one->constraints[i].given->attribute;
            const device_attribute *value = attribute_of(p->s, w, name);
            const binding *bound = value == NULL ? binding_of(p->s, p->a, p->index, name, w->identity) : NULL;
            put(p, value != NULL ? 1 : bound != NULL ? 2 : 0);
            if (bound != NULL) put(p, bound->group);
            if (value == NULL) continue;
            put(p, value->kind);
            put(p, value->text);
            put_wide(p, (uint64_t)value->number);
        }
    }
}

static void describe(portrait *p, uint32_t number)
{
    const struct device_index *index = p->d->index;
    const indexed_device *w = &index->devices[number];
    const indexed_slice *from = w->slice == NO_ID ? NULL : &index->slices[w->slice];
    bool somewhere = from != NULL && from->has_topology;
    put(p, from == NULL);
    put(p, somewhere ? from->topology.set : NO_ID);
    put(p, somewhere ? from->topology.host : NO_ID);
    put(p, w->given->shared);
    put_counters(p, w);
    if (w->given->shared) put_capacity(p, w);
    put_claims(p, number);
}

bool name_repeated(scheduler *s, const allocation *a, uint32_t index, uint32_t number)
{
    twin_table *t = &s->devices->twins;
    const indexed_device *w = s->devices->index->devices;
    uint32_t device_set = a->who.device_sets[index];
    if (w[number].slice != NO_ID || device_set == NO_ID) return false;
    const type_device_set *k = &s->devices->index->device_sets[device_set];
    for (uint32_t i = k->device_first; i < k->device_first + k->device_count && !t->names_known; i++) {
        uint32_t times = map64_get(&t->names, w[i].identity);
        if (!map64_put(&t->names, w[i].identity, times == NO_ID ? 1 : 2)) s->failed = true;
    }
    t->names_known = true;
    return map64_get(&t->names, w[number].identity) == 2;
}

uint32_t device_kind(scheduler *s, const allocation *a, uint32_t index, uint32_t number)
{
    portrait p = { s, s->devices, a, index };
    twin_table *t = &s->devices->twins;
    uint32_t kind = map64_get(&t->kind_of, number);
    if (kind != NO_ID) return kind;
    t->words.count = 0;
    if (name_repeated(s, a, index, number)) put(&p, number);
    else describe(&p, number);
    kind = s->failed ? NO_ID : words_add(&t->kinds, t->words.items, t->words.count);
    if (kind == NO_ID || !map64_put(&t->kind_of, number, kind)) s->failed = true;
    return kind;
}

void twins_init(scheduler *s)
{
    twin_table *t = &s->devices->twins;
    words_init(&t->kinds, s->context);
    map64_init(&t->kind_of, s->context);
    map64_init(&t->names, s->context);
    map64_init(&t->failed, s->context);
    map64_init(&t->failed_with, s->context);
}

void twins_free(scheduler *s)
{
    twin_table *t = &s->devices->twins;
    words_free(&t->kinds);
    map64_free(&t->kind_of);
    map64_free(&t->names);
    map64_free(&t->failed);
    map64_free(&t->failed_with);
    list_free(s->context, &t->words, sizeof(uint32_t));
}

void twins_begin(scheduler *s)
{
    twin_table *t = &s->devices->twins;
    if (t->kind_of.count == 0 && !t->names_known) return; /* most searches visit no device twice */
    words_free(&t->kinds);
    words_init(&t->kinds, s->context);
    map64_clear(&t->kind_of);
    map64_clear(&t->names);
    map64_clear(&t->failed);
    map64_clear(&t->failed_with);
    t->names_known = false;
}
