/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of a claim, validated and resolved (dra.md D6). */
#include <schedule/device_run.h>

#include <schedule/scheduler.h>
#include <string.h>

const struct selector_program *program_of(const scheduler *s, uint32_t text)
{
    const struct device_index *w = s->devices->index;
    uint32_t i = text == NO_TEXT ? NO_ID : map64_get(&w->program_of, text);
    return i == NO_ID ? NULL : &w->programs[i];
}

/* Results of selectors are cached in two bits each, 0 = not known, in pages that are allocated on first use. */
enum { ANSWER_BITS = 2, ANSWERS_OF_BYTE = 4, ANSWERS_OF_PAGE = 1024 };

static uint8_t *answers_of(scheduler *s, uint32_t program, uint32_t number)
{
    struct devices *d = s->devices;
    uint8_t ***row = &d->matches[program];
    if (*row == NULL) *row = arena_array(&s->data, d->index->device_count / ANSWERS_OF_PAGE + (size_t)1, sizeof **row);
    uint8_t **page = *row == NULL ? NULL : *row + number / ANSWERS_OF_PAGE;
    if (page != NULL && *page == NULL) *page = arena_array(&s->data, ANSWERS_OF_PAGE / ANSWERS_OF_BYTE, 1);
    if (page == NULL || *page == NULL) s->failed = true;
    return page == NULL ? NULL : *page;
}

static uint32_t program_matches(scheduler *s, uint32_t program, uint32_t number)
{
    const struct device_index *w = s->devices->index;
    uint8_t *page = answers_of(s, program, number);
    if (page == NULL) return CEL_ERROR;
    uint8_t *byte = page + number % ANSWERS_OF_PAGE / ANSWERS_OF_BYTE;
    uint32_t shift = number % ANSWERS_OF_BYTE * ANSWER_BITS, known = *byte >> shift & 3U;
    if (known != 0) return known - 1;
    uint32_t answer = cel_matches(w->programs[program].root, &w->devices[number].facts);
    *byte |= (uint8_t)((answer + 1) << shift);
    return answer;
}

uint32_t device_matches(scheduler *s, uint32_t number, const live_request *r)
{
    for (uint32_t i = 0; i < r->program_count; i++) {
        uint32_t answer = program_matches(s, r->programs[i], number);
        if (answer != CEL_YES) return answer;
    }
    return CEL_YES;
}

/* Adds the selectors of a class or request. false = one of them cannot be used. */
static bool add_programs(const scheduler *s, const uint32_t *selectors, uint32_t count, uint32_t *programs, uint32_t *n)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct selector_program *p = program_of(s, selectors[i]);
        if (p == NULL || p->status != CEL_COMPILED) return false;
        programs[(*n)++] = (uint32_t)(p - s->devices->index->programs);
    }
    return true;
}

/* ---- mode All ---------------------------------------------------------------------------------------------------- */

static bool keep_matching(scheduler *s, const live_request *r, uint32_t first, uint32_t count, uint32_t *list,
                          uint32_t *n)
{
    for (uint32_t i = first; i < first + count; i++) {
        uint32_t answer = device_matches(s, i, r);
        /* mode All needs every matching device, and it is unknown whether this one matches */
        if (answer == CEL_ERROR || s->failed) return false;
        if (answer == CEL_YES) list[(*n)++] = i;
    }
    return true;
}

static bool all_in_cluster(scheduler *s, pool_views pools, live_request *r)
{
    const struct device_index *w = s->devices->index;
    uint32_t most = 0, n = 0;
    for (uint32_t p = 0; p < pools.count; p++) {
        for (uint32_t i = 0; i < pools.items[p].slice_count; i++)
            most += w->slices[pools.items[p].slices[i]].device_count;
    }
    uint32_t *list = arena_array(&s->devices->scratch, most + (size_t)1, sizeof *list);
    if (list == NULL) return mem_refused(&s->failed);
    for (uint32_t p = 0; p < pools.count; p++) {
        if (pools.items[p].invalid || pools.items[p].incomplete) return false;
        for (uint32_t i = 0; i < pools.items[p].slice_count; i++) {
            const indexed_slice *c = &w->slices[pools.items[p].slices[i]];
            if (!keep_matching(s, r, c->device_first, c->device_count, list, &n)) return false;
        }
    }
    r->all = (id_list){ list, n };
    return true;
}

static bool all_of_types(scheduler *s, const asking *who, live_request *r)
{
    const struct device_index *w = s->devices->index;
    r->all_of_type = arena_array(&s->devices->scratch, who->type_count + (size_t)1, sizeof *r->all_of_type);
    if (r->all_of_type == NULL) s->failed = true;
    for (uint32_t t = 0; t < who->type_count && !s->failed; t++) {
        if (who->device_sets[t] == NO_ID) continue;
        const type_device_set *device_set = &w->device_sets[who->device_sets[t]];
        uint32_t *list = arena_array(&s->devices->scratch, device_set->device_count + (size_t)1, sizeof *list), n = 0;
        if (list == NULL) s->failed = true;
        else if (!keep_matching(s, r, device_set->device_first, device_set->device_count, list, &n)) return false;
        r->all_of_type[t] = (id_list){ list, n };
    }
    return !s->failed;
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static bool resolve(scheduler *s, allocation *a, const device_request *given, uint32_t parent, live_request *out)
{
    const store *raw = &s->snapshot->raw;
    uint32_t class_ = store_find(raw, KIND_DEVICE_CLASS, NO_TEXT, given->class_);
    *out = (live_request){ .given = given, .number = a->request_count++, .parent = parent };
    if (class_ == NO_ID) return false;
    const device_class *c = &raw->device_classes.items[class_];
    uint32_t *programs = arena_array(&s->devices->scratch, c->selector_count + (size_t)given->selector_count + 1,
                                     sizeof *programs);
    if (programs == NULL) return mem_refused(&s->failed);
    if (!add_programs(s, c->selectors, c->selector_count, programs, &out->program_count) ||
        !add_programs(s, given->selectors, given->selector_count, programs, &out->program_count)) {
        return false;
    }
    out->programs = programs;
    return !given->all || (all_in_cluster(s, a->pools, out) && all_of_types(s, &a->who, out));
}

static bool resolve_request(scheduler *s, allocation *a, const device_request *given, live_request *out)
{
    if (given->exact) return resolve(s, a, given, given->name, out);
    *out = (live_request){ .given = given, .parent = given->name, .alternative_count = given->alternative_count };
    if (given->alternative_count == 0) return false;
    out->alternatives = arena_array(&s->devices->scratch, given->alternative_count, sizeof *out->alternatives);
    if (out->alternatives == NULL) s->failed = true;
    for (uint32_t i = 0; i < given->alternative_count && !s->failed; i++) {
        if (!resolve(s, a, &given->alternatives[i], given->name, &out->alternatives[i])) return false;
    }
    return !s->failed;
}

/* ---- the limit --------------------------------------------------------------------------------------------------- */

/* Limits a count. Above this number of devices its value makes no difference. */
static uint64_t capped(int64_t count)
{
    const int64_t most = INT64_C(4) * MOST_DEVICES;
    return (uint64_t)(count > most ? most : count);
}

static uint64_t base_of(const live_request *r)
{
    if (r->alternative_count == 0) return r->given->all ? r->all.count : capped(r->given->count);
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < r->alternative_count; i++) {
        uint64_t one = base_of(&r->alternatives[i]);
        if (one < least) least = one;
    }
    return least;
}

/* The number of devices that come with the type and that mode All uses. *listed: the type has an entry in the table
 * of some request. */
static uint64_t brought(const live_request *r, const asking *who, uint32_t t, bool *listed)
{
    if (r->alternative_count == 0) {
        if (!r->given->all || !who->has_devices[t]) return 0;
        if (r->all_of_type[t].count > 0 || r->all.count > 0) *listed = true;
        return r->all_of_type[t].count;
    }
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < r->alternative_count; i++) {
        uint64_t one = brought(&r->alternatives[i], who, t, listed);
        if (one < least) least = one;
    }
    return least;
}

static bool within_limit(scheduler *s, const allocation *a, live_claim *c)
{
    uint64_t base = 0;
    uint32_t listed = 0, over = 0;
    for (uint32_t r = 0; r < c->request_count; r++) base += base_of(&c->requests[r]);
    if (base > MOST_DEVICES) return false;
    c->over_limit = arena_array(&s->devices->scratch, a->who.type_count + (size_t)1, 1);
    if (c->over_limit == NULL) return mem_refused(&s->failed);
    for (uint32_t t = 0; t < a->who.type_count; t++) {
        bool in_table = false;
        uint64_t more = 0;
        for (uint32_t r = 0; r < c->request_count; r++) more += brought(&c->requests[r], &a->who, t, &in_table);
        if (!in_table) continue;
        listed++;
        c->over_limit[t] = base + more > MOST_DEVICES;
        over += c->over_limit[t];
    }
    return listed == 0 || over < listed;
}

bool requests_prepare(scheduler *s, allocation *a, uint32_t claim_number, live_claim *out)
{
    const resource_claim *given = s->devices->index->resource_claims[claim_number].given;
    *out = (live_claim){ .claim = claim_number,
                         .request_count = given->request_count,
                         .constraint_count = given->constraint_count };
    out->requests = arena_array(&s->devices->scratch, given->request_count + (size_t)1, sizeof *out->requests);
    out->constraints = arena_array(&s->devices->scratch, given->constraint_count + (size_t)1, sizeof *out->constraints);
    if (out->requests == NULL || out->constraints == NULL) return mem_refused(&s->failed);
    for (uint32_t i = 0; i < given->constraint_count; i++) {
        if (given->constraints[i].attribute == NO_TEXT) return false;
        out->constraints[i].given = &given->constraints[i];
    }
    for (uint32_t i = 0; i < given->request_count; i++) {
        if (!resolve_request(s, a, &given->requests[i], &out->requests[i])) return false;
    }
    return within_limit(s, a, out);
}

/* ---- resources that devices serve -------------------------------------------------------------------------------- */

static bool has_resource(const scheduler *s, const asking *who, uint32_t t, uint32_t d)
{
    if (who->from == NULL) return amount_sign(resource_list_get(who->state->allocatable, s->vectors.resources[d])) > 0;
    const type_table *table = who->from->table;
    return table->variants[table->types[who->types[t]].variant_first].allocatable[s->vectors.columns[d]] > 0;
}

/* Whether the new node of the type brings a device of the class. A catalogue may also give such a type the resource, as
 * that of EC2 does. Its node has either, by what runs on it, so both have to suffice. */
static bool brings_one(scheduler *s, const asking *who, uint32_t t, const live_request *r)
{
    const struct device_index *w = s->devices->index;
    bool any = false;
    if (who->device_sets[t] == NO_ID) return false;
    const type_device_set *set = &w->device_sets[who->device_sets[t]];
    for (uint32_t i = set->device_first; i < set->device_first + set->device_count && !any && !s->failed; i++)
        any = device_matches(s, i, r) == CEL_YES;
    return any;
}

/* As many devices of the DeviceClass as containers request, which is what Kubernetes' requests for them come to. */
bool requests_imply(scheduler *s, allocation *a, uint32_t class_number, uint32_t d, live_claim *out)
{
    const device_class *class_ = &s->snapshot->raw.device_classes.items[s->vectors.device_class[d]];
    const resource_list requests = shape_of(s->snapshot, class_number)->requests;
    uint8_t *not_for = arena_array(&s->devices->scratch, a->who.type_count + (size_t)1, 1);
    device_request *r = arena_array(&s->devices->scratch, 1, sizeof *r);
    live_request *live = arena_array(&s->devices->scratch, 1, sizeof *live);
    if (not_for == NULL || r == NULL || live == NULL) return mem_refused(&s->failed);
    *r = (device_request){ .class_ = class_->meta.name, .exact = true };
    bool usable = resolve(s, a, r, NO_TEXT, live);
    if (!usable || !amount_scale(resource_list_get(requests, s->vectors.resources[d]), amount_whole(1), &r->count))
        r->count = MOST_DEVICES + 1; /* only types that have the resource itself are possible */
    for (uint32_t t = 0; t < a->who.type_count && !s->failed; t++)
        not_for[t] = has_resource(s, &a->who, t, d) && !(usable && brings_one(s, &a->who, t, live));
    *out = (live_claim){ .claim = NO_ID, .not_for = not_for, .requests = live, .request_count = 1 };
    return !s->failed;
}
