/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/device_answers.h>

#include <schedule/scheduler.h>

void answers_init(scheduler *s) { map64_init(&s->devices->answers.place, s->context); }

void answers_begin(scheduler *s)
{
    answer_memory *m = &s->devices->answers;
    if (m->items.count > 0) map64_clear(&m->place);
    m->items.count = 0;
    m->time = 0;
}

void answers_free(scheduler *s)
{
    answer_memory *m = &s->devices->answers;
    map64_free(&m->place);
    list_free(s->context, &m->items, sizeof *m->items.items);
}

bool answers_kept(const scheduler *s, uint32_t number)
{
    return quirk(s, 38) && s->devices->index->devices[number].slice == NO_ID;
}

/* In mode All only devices that match are tried, so that nothing is to be remembered. */
static bool asks(const live_request *r) { return r->program_count > 0 && !r->given->all; }

static uint64_t key_of(const scheduler *s, uint32_t number, const live_request *r)
{
    return pair_key(s->devices->index->devices[number].identity, r->number);
}

static remembered_answer *find(const scheduler *s, uint32_t number, const live_request *r)
{
    const answer_memory *m = &s->devices->answers;
    uint32_t i = answers_kept(s, number) && asks(r) ? map64_get(&m->place, key_of(s, number, r)) : NO_ID;
    return i == NO_ID ? NULL : &m->items.items[i];
}

uint32_t device_answer(scheduler *s, uint32_t number, const live_request *r)
{
    const remembered_answer *known = find(s, number, r);
    return known != NULL && known->answer != CEL_ERROR ? known->answer : device_matches(s, number, r);
}

static remembered_answer *add(scheduler *s, uint32_t number, const live_request *r)
{
    answer_memory *m = &s->devices->answers;
    remembered_answer *known = list_push(s->context, &m->items, sizeof *known);
    if (known == NULL || !map64_put(&m->place, key_of(s, number, r), (uint32_t)m->items.count - 1))
        return mem_refused_null(&s->failed);
    known->answer = CEL_ERROR;
    return known;
}

uint32_t answers_visit(scheduler *s, uint32_t number, const live_request *r)
{
    if (!asks(r)) return device_matches(s, number, r);
    remembered_answer *known = find(s, number, r);
    if (known == NULL) known = add(s, number, r);
    if (known == NULL) return CEL_ERROR; /* out of memory */
    if (known->answer == CEL_ERROR) known->answer = device_matches(s, number, r);
    known->visited = ++s->devices->answers.time;
    return known->answer;
}

uint32_t answers_time(const scheduler *s) { return s->devices->answers.time; }

static bool visited(const scheduler *s, uint32_t number, const live_request *r, uint32_t since)
{
    const remembered_answer *known = find(s, number, r);
    return known != NULL && known->visited > since;
}

static void swap_in(scheduler *s, const live_request *r, uint32_t one, uint32_t other, uint32_t since)
{
    bool first = visited(s, one, r, since), second = visited(s, other, r, since);
    for (uint32_t i = 0; i < r->alternative_count; i++) swap_in(s, &r->alternatives[i], one, other, since);
    if (first && !second) (void)answers_visit(s, other, r);
    if (second && !first) (void)answers_visit(s, one, r);
}

void answers_swap(scheduler *s, const allocation *a, uint32_t one, uint32_t other, uint32_t since)
{
    for (uint32_t c = 0; c < a->claim_count; c++) {
        for (uint32_t r = 0; r < a->resource_claims[c].request_count; r++)
            swap_in(s, &a->resource_claims[c].requests[r], one, other, since);
    }
}

static const type_device_set *kit_at(const scheduler *s, const allocation *a, uint32_t index)
{
    static const type_device_set none = { .device_count = 0 };
    return a->who.device_sets[index] == NO_ID ? &none : &s->devices->index->device_sets[a->who.device_sets[index]];
}

bool answers_equal(scheduler *s, const allocation *a, uint32_t index, const live_request *one,
                   const live_request *other)
{
    const type_device_set *k = kit_at(s, a, index);
    for (uint32_t i = k->device_first; i < k->device_first + k->device_count; i++) {
        if (!answers_kept(s, i)) break;
        if (name_repeated(s, a, index, i)) return false; /* the first of them that is visited decides */
        if ((device_answer(s, i, one) == CEL_YES) != (device_answer(s, i, other) == CEL_YES)) return false;
    }
    return true;
}

void answers_repeat(scheduler *s, const allocation *a, uint32_t index, const live_request *left_out,
                    const live_request *equal, uint32_t since)
{
    const type_device_set *k = kit_at(s, a, index);
    for (uint32_t i = k->device_first; i < k->device_first + k->device_count; i++) {
        if (visited(s, i, equal, since)) (void)answers_visit(s, i, left_out);
    }
}
