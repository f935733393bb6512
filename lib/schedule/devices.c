/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/device_answers.h>

#include <base/sort.h>
#include <schedule/scheduler.h>
#include <schedule/templates.h>
#include <schedule/topology.h>
#include <schedule/types.h>

/* ---- set-up ------------------------------------------------------------------------------------------------------ */

/* Marks pods to be placed that are on a node. */
static bool mark_moving(scheduler *s)
{
    const karp_snapshot *snapshot = s->snapshot;
    struct devices *d = s->devices;
    d->moving = arena_array(&s->round.data, snapshot->raw.names.count + 1, 1);
    if (d->moving == NULL) return false;
    for (uint32_t i = 0; i < s->pods.count; i++) {
        const pod *p = pod_at(&snapshot->raw, s->pods.items[i]);
        uint32_t id = p->node == NO_ID ? NO_ID : strings_find(&snapshot->raw.names, p->uid, p->uid_len);
        if (id != NO_ID) d->moving[id] = 1;
    }
    return true;
}

bool devices_init(scheduler *s)
{
    if (s->snapshot->devices == NULL) return true;
    s->devices = arena_zalloc(&s->data, sizeof *s->devices);
    if (s->devices == NULL) return false;
    s->devices->index = s->snapshot->devices;
    arena_init(&s->devices->scratch, s->context);
    map64_init(&s->devices->candidate_of, s->context);
    s->devices->matches = arena_array(&s->data, s->devices->index->program_count + (size_t)1,
                                      sizeof *s->devices->matches);
    twins_init(s);
    answers_init(s);
    return s->devices->matches != NULL;
}

bool devices_begin_round(scheduler *s)
{
    if (s->devices == NULL) return true;
    ledger_free(s);
    s->devices->round_steps = s->devices->slices_seen = 0;
    s->devices->gave_up = false;
    return mark_moving(s) && pools_init(s) && ledger_init(s);
}

void devices_free(scheduler *s)
{
    if (s->devices == NULL) return;
    ledger_free(s);
    map64_free(&s->devices->candidate_of);
    twins_free(s);
    answers_free(s);
    arena_free(&s->devices->scratch);
}

/* ---- the claims of a pod ----------------------------------------------------------------------------------------- */

static id_list claims_of(const scheduler *s, uint32_t class_number)
{
    const struct words_entry *e = &s->snapshot->raw.claim_names.entries[s->snapshot->classes[class_number].claims];
    return (id_list){ e->ptr, e->count };
}

static uint32_t claim_named(const scheduler *s, uint32_t class_number, uint32_t name)
{
    return store_find(&s->snapshot->raw, KIND_RESOURCE_CLAIM, s->snapshot->classes[class_number].name_space, name);
}

static bool held_by_moving_pods(const struct devices *d, const resource_claim *c)
{
    for (uint32_t i = 0; i < c->pod_uid_count; i++) {
        if (!d->moving[c->pod_uids[i]]) return false;
    }
    return c->pods_only;
}

/* Whether devices must be found for the claim. A claim whose pods are all moved is allocated again for each of them
 * (D5). */
static bool to_allocate(const struct devices *d, uint32_t claim_number)
{
    const resource_claim *c = d->index->resource_claims[claim_number].given;
    return c->allocated ? held_by_moving_pods(d, c) : !d->resource_claims[claim_number].allocated;
}

static uint32_t unknown_selector(const scheduler *s, const uint32_t *selectors, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct selector_program *p = program_of(s, selectors[i]);
        if (p != NULL && p->status == CEL_BEYOND) return selectors[i];
    }
    return NO_ID;
}

static uint32_t unknown_in_request(const scheduler *s, const device_request *r)
{
    const store *raw = &s->snapshot->raw;
    uint32_t class_ = store_find(raw, KIND_DEVICE_CLASS, NO_TEXT, r->class_), found = NO_ID;
    if (r->exact && class_ != NO_ID) {
        found = unknown_selector(s, raw->device_classes.items[class_].selectors,
                                 raw->device_classes.items[class_].selector_count);
    }
    if (found == NO_ID) found = unknown_selector(s, r->selectors, r->selector_count);
    for (uint32_t i = 0; i < r->alternative_count && found == NO_ID; i++)
        found = unknown_in_request(s, &r->alternatives[i]);
    return found;
}

/* The name of a claim that does not exist, NO_ID = none. */
static uint32_t missing_of_class(const scheduler *s, uint32_t class_number)
{
    id_list names = claims_of(s, class_number);
    for (uint32_t i = 0; i < names.count; i++) {
        if (claim_named(s, class_number, names.items[i]) == NO_ID) return names.items[i];
    }
    return NO_ID;
}

/* The text of a selector that is not supported, NO_ID = none. All claims exist. */
static uint32_t unknown_of_class(const scheduler *s, uint32_t class_number)
{
    id_list names = claims_of(s, class_number);
    for (uint32_t i = 0; i < names.count; i++) {
        uint32_t n = claim_named(s, class_number, names.items[i]);
        if (!to_allocate(s->devices, n)) continue;
        const resource_claim *c = s->devices->index->resource_claims[n].given;
        for (uint32_t r = 0; r < c->request_count; r++) {
            uint32_t found = unknown_in_request(s, &c->requests[r]);
            if (found != NO_ID) return found;
        }
    }
    return NO_ID;
}

uint32_t devices_refuse(scheduler *s, uint32_t class_number)
{
    if (s->devices == NULL) return KARP_REASON_DRA;
    if (missing_of_class(s, class_number) != NO_ID) return KARP_REASON_RESOURCE_CLAIM;
    return unknown_of_class(s, class_number) != NO_ID ? KARP_REASON_DRA_NOT_EVALUATED : KARP_REASON_NONE;
}

karp_str devices_unknown_expression(const scheduler *s, uint32_t class_number)
{
    return text_of(s->snapshot, unknown_of_class(s, class_number));
}

karp_str devices_missing_claim(const scheduler *s, uint32_t class_number)
{
    return name_of(s->snapshot, missing_of_class(s, class_number));
}

/* ---- allocation -------------------------------------------------------------------------------------------------- */

/* D5: claims with devices narrow R; the others are added to `pending`. */
static bool classify(scheduler *s, uint32_t class_number, allocation *a, uint32_t *pending, uint32_t *count)
{
    struct devices *d = s->devices;
    id_list names = claims_of(s, class_number);
    for (uint32_t i = 0; i < names.count; i++) {
        uint32_t n = claim_named(s, class_number, names.items[i]);
        const claim_state *c = &d->resource_claims[n];
        uint32_t k = 0;
        while (k < *count && pending[k] != n) k++;
        if (k < *count && !quirk(s, 39)) continue; /* the pod refers to the claim twice */
        if (to_allocate(d, n)) {
            pending[(*count)++] = n;
            continue;
        }
        if (c->allocated && c->of_type) {
            if (c->candidate != a->who.number) return false;
            continue;
        }
        demand need = c->allocated ? c->total : d->index->resource_claims[n].topology;
        if (!reaches(s, &a->who, a->set, need)) return false;
        a->set = set_meet(&s->algebra, a->set, need.set);
    }
    return true;
}

static bool prepare(scheduler *s, allocation *a, uint32_t class_number, const uint32_t *pending, uint32_t count)
{
    struct devices *d = s->devices;
    a->had = ledger_find(s, a->who.number);
    bool ok = a->had != NULL ? pools_filter(s, a->had->pools, &a->who, a->set, &a->pools)
                             : pools_gather(s, &a->who, a->set, &a->pools);
    a->resource_claims = arena_array(&d->scratch, a->claim_count, sizeof *a->resource_claims);
    a->outcomes = arena_array(&d->scratch, a->who.type_count + (size_t)1, sizeof *a->outcomes);
    if (!ok || a->resource_claims == NULL || a->outcomes == NULL) return mem_refused(&s->failed);
    for (uint32_t i = 0; i < count; i++) {
        if (!requests_prepare(s, a, pending[i], &a->resource_claims[i])) return false;
    }
    for (uint32_t r = 0; count < a->claim_count; r++) {
        if (!is_served(s, r) || s->pods.classes[class_number].requests[r] <= 0) continue;
        if (!requests_imply(s, a, class_number, r, &a->resource_claims[count++])) return false;
    }
    return true;
}

static void sum_up(scheduler *s, allocation *a)
{
    const struct device_index *w = s->devices->index;
    a->total = EMPTY_SET;
    for (uint32_t o = 0; o < a->outcome_count; o++) {
        for (uint32_t i = 0; i < a->outcomes[o].device_count; i++) {
            uint32_t slice = w->devices[a->outcomes[o].devices[i].device].slice;
            if (slice != NO_ID && w->slices[slice].has_topology)
                a->total = set_meet(&s->algebra, a->total, w->slices[slice].topology.set);
        }
    }
}

/* dra.md D5 to D7. */
static bool allocate(scheduler *s, uint32_t class_number, allocation *a)
{
    struct devices *d = s->devices;
    uint32_t names = claims_of(s, class_number).count;
    uint32_t *pending = arena_array(&d->scratch, names + (size_t)1, sizeof *pending);
    if (pending == NULL) return mem_refused(&s->failed);
    a->set = a->who.set;
    uint32_t count = 0;
    if (!classify(s, class_number, a, pending, &count)) return false;
    a->claim_count = count + s->pods.classes[class_number].served_count;
    if (a->claim_count == 0) {
        a->every_type = true;
        a->total = names > 0 ? a->set : EMPTY_SET;
        return true;
    }
    a->pools_set = a->set;
    if (searches_ended(s)) {
        d->out_of_steps = d->gave_up = true;
        return false;
    }
    if (!prepare(s, a, class_number, pending, count)) return false;
    answers_begin(s);
    d->search_steps = d->polled_at = 0;
    d->out_of_steps = false;
    for (uint32_t t = 0; t < a->who.type_count; t++) {
        (void)search_type(s, a, t);
        if (s->failed || s->round.stopped || d->out_of_steps) break;
    }
    d->round_steps += d->search_steps;
    d->gave_up = d->gave_up || d->out_of_steps;
    if (s->failed || s->round.stopped || d->out_of_steps) return false;
    a->ready = a->outcome_count > 0;
    sum_up(s, a);
    return a->ready;
}

bool devices_gave_up(const scheduler *s) { return s->devices != NULL && s->devices->gave_up; }

static void begin_devices(scheduler *s)
{
    arena_mark start = { NULL, NULL };
    s->devices->out_of_steps = false;
    arena_release(&s->devices->scratch, start);
    memset(&s->devices->now, 0, sizeof s->devices->now);
}

static uint32_t verdict(const scheduler *s, bool found)
{
    if (s->failed || s->round.stopped) return KARP_REASON_NOT_REACHED;
    if (s->devices->out_of_steps) return KARP_REASON_DEVICE_SEARCH;
    return found ? KARP_REASON_NONE : KARP_REASON_DEVICES;
}

/* ---- hosts ------------------------------------------------------------------------------------------------------- */

/* The set of devices that come with the type. A type copied for a NodeOverlay has none before 1.15 (Q-11,
 * K15-7). */
static uint32_t kit_of(const scheduler *s, const instance_type *type)
{
    bool lost = type->overlaid && !in_force(s, RULE_OVERLAYS_KEEP);
    return type->devices != NULL && !lost ? type->device_set : NO_ID;
}

uint32_t devices_on_host(scheduler *s, uint32_t host_index, uint32_t class_number)
{
    const host *h = &s->hosts.items[host_index];
    const state_node *n = &s->snapshot->nodes[h->node];
    const instance_type *type = type_of_node(s->snapshot, n, true);
    uint32_t bindings = type != NULL ? kit_of(s, type) : NO_ID, device_set = n->initialized ? NO_ID : bindings;
    const uint32_t no_type = NO_ID;
    begin_devices(s);
    allocation *a = &s->devices->now;
    uint8_t has_devices = device_set != NO_ID && s->devices->index->device_sets[device_set].device_count > 0;
    a->who = (asking){
        .number = host_index, .node = NO_ID, .host_text = n->hostname, .set = h->set, .type_count = 1, .state = n
    };
    if (n->node != NO_ID) a->who.node = s->snapshot->raw.nodes.items[n->node].meta.name;
    a->who.types = arena_copy(&s->devices->scratch, &no_type, sizeof no_type);
    a->who.device_sets = arena_copy(&s->devices->scratch, &device_set, sizeof device_set);
    a->who.bindings = arena_copy(&s->devices->scratch, &bindings, sizeof bindings);
    a->who.has_devices = arena_copy(&s->devices->scratch, &has_devices, sizeof has_devices);
    if (a->who.types == NULL || a->who.device_sets == NULL || a->who.bindings == NULL || a->who.has_devices == NULL) {
        s->failed = true;
        return KARP_REASON_NOT_REACHED;
    }
    return verdict(s, allocate(s, class_number, a));
}

void devices_take_host(scheduler *s) { ledger_commit(s); }

/* ---- claims ------------------------------------------------------------------------------------------------------ */

/* Some variant of the type is in the set, and in `within` unless that is NULL. */
static bool has_variant(const instance_type *y, const uint64_t *bits, const uint64_t *within)
{
    for (uint32_t v = y->variant_first; v < y->variant_first + y->variant_count; v++)
        if (bits_test(bits, v) && (within == NULL || bits_test(within, v))) return true;
    return false;
}

/* The types of a new claim. Those without space for their daemons are searched as well: Karpenter finds out later that
 * nothing fits on them. */
static void types_of_new(const scheduler *s, const claim *c, uint64_t *bits)
{
    const template_ *t = &s->templates.items[c->template_];
    const uint64_t *with_space = s->types.sets.items[t->initial].bits;
    size_t width = t->table->variant_count;
    memcpy(bits, s->types.sets.items[c->types].bits, template_words(t) * sizeof *bits);
    for (size_t v = bits_next(t->filtered, width, 0); v < width; v = bits_next(t->filtered, width, v + 1)) {
        const instance_type *y = &t->table->types[t->table->variants[v].type];
        if (!bits_test(with_space, v) && limits_allow(s, t, y)) bits_set(bits, v);
    }
}

/* Lists the types that the claim can still have: those with space for its current requests. With the first pod the
 * types were ordered by their daemon groups (ND-4). What a type's devices ask of the node binds those behind it. */
static bool list_types(scheduler *s, const claim *c, asking *who)
{
    const template_ *t = &s->templates.items[c->template_];
    arena *to = &s->devices->scratch;
    uint64_t *bits = arena_array(to, template_words(t) + 1, sizeof *bits);
    uint32_t *types = arena_array(to, t->table->type_count + (size_t)1, sizeof *types), n = 0;
    uint32_t *device_sets = arena_array(to, t->table->type_count + (size_t)1, sizeof *device_sets);
    uint8_t *has_devices = arena_array(to, t->table->type_count + (size_t)1, 1);
    if (bits == NULL || types == NULL || device_sets == NULL || has_devices == NULL) return false;
    if (c->pods > 0) (void)typeset_fitting(s, c->types, c->requests, bits);
    else types_of_new(s, c, bits);
    uint32_t groups = c->pods > 0 ? t->group_count : 1;
    for (uint32_t g = 0; g < groups; g++) {
        const uint64_t *within = c->pods > 0 ? t->groups[g].bits : NULL;
        for (uint32_t i = 0; i < t->table->type_count; i++) {
            const instance_type *y = &t->table->types[i];
            if (!has_variant(y, bits, within)) continue;
            device_sets[n] = kit_of(s, y);
            has_devices[n] = device_sets[n] != NO_ID && s->devices->index->device_sets[device_sets[n]].device_count > 0;
            types[n++] = i;
        }
    }
    who->types = types;
    who->device_sets = who->bindings = device_sets;
    who->has_devices = has_devices;
    who->type_count = n;
    return true;
}

uint32_t devices_on_claim(scheduler *s, const claim *c, uint32_t class_number, uint32_t *set)
{
    begin_devices(s);
    allocation *a = &s->devices->now;
    a->who = (asking){ .number = s->hosts.count + c->number,
                       .node = NO_ID,
                       .host_text = HOST_FRESH,
                       .set = c->set,
                       .from = &s->templates.items[c->template_] };
    if (!list_types(s, c, &a->who)) {
        s->failed = true;
        return KARP_REASON_NOT_REACHED;
    }
    uint32_t reason = verdict(s, allocate(s, class_number, a));
    if (reason != KARP_REASON_NONE) return reason;
    if (!set_compatible(&s->algebra, *set, a->total, true)) return KARP_REASON_DEVICES;
    *set = set_meet(&s->algebra, *set, a->total);
    return KARP_REASON_NONE;
}

uint32_t devices_keep(scheduler *s, uint32_t types)
{
    const allocation *a = &s->devices->now;
    const template_ *t = &s->templates.items[s->types.sets.items[types].template_];
    if (a->every_type) return types;
    uint64_t *bits = arena_array(&s->devices->scratch, template_words(t) + 1, sizeof *bits);
    if (bits == NULL) return mem_refused_id(&s->failed);
    for (uint32_t o = 0; o < a->outcome_count; o++) {
        const instance_type *y = &t->table->types[a->who.types[a->outcomes[o].type]];
        for (uint32_t v = y->variant_first; v < y->variant_first + y->variant_count; v++) bits_set(bits, v);
    }
    bits_and(bits, s->types.sets.items[types].bits, template_words(t));
    return typeset_make(s, s->types.sets.items[types].template_, bits);
}

void devices_take_claim(scheduler *s, const claim *c)
{
    allocation *a = &s->devices->now;
    const template_ *t = &s->templates.items[c->template_];
    if (!a->ready) return;
    ledger_commit(s);
    uint64_t *left = arena_array(&s->devices->scratch, template_words(t) + 1, sizeof *left);
    uint32_t *released = arena_array(&s->devices->scratch, a->outcome_count + (size_t)1, sizeof *released), n = 0;
    if (left == NULL || released == NULL || s->failed) {
        s->failed = true;
        return;
    }
    (void)typeset_fitting(s, c->types, c->requests, left);
    for (uint32_t o = 0; o < a->outcome_count; o++) {
        uint32_t type = a->who.types[a->outcomes[o].type];
        if (!has_variant(&t->table->types[type], left, NULL)) released[n++] = type;
    }
    ledger_release(s, a->who.number, released, n);
}

/* ---- details for reports ----------------------------------------------------------------------------------------- */

static bool join_names(scheduler *s, const uint32_t *ids, size_t count, arena *a, karp_str *out)
{
    strbuf b = strbuf_on(s->context);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && ids[i] == ids[i - 1]) continue;
        if (b.len > 0) strbuf_addc(&b, ',');
        strbuf_addstr(&b, text_of(s->snapshot, ids[i]));
    }
    return strbuf_move(&b, a, out);
}

bool devices_drivers(scheduler *s, uint32_t claim_number, arena *a, karp_str *out)
{
    *out = (karp_str){ "", 0 };
    if (s->devices == NULL) return true;
    const struct devices *d = s->devices;
    uint32_t number = s->hosts.count + s->claims.list.items[claim_number].number;
    LIST_OF(uint32_t) drivers = { .items = NULL };
    bool ok = true;
    for (uint32_t i = 0; i < d->index->claim_count; i++) {
        const claim_state *c = &d->resource_claims[i];
        if (!c->allocated || c->candidate != number) continue;
        for (uint32_t k = 0; k < c->share_count; k++) {
            for (uint32_t n = 0; n < c->shares[k].driver_count && ok; n++) {
                uint32_t *slot = list_push(s->context, &drivers, sizeof *slot);
                ok = slot != NULL;
                if (ok) *slot = c->shares[k].drivers[n];
            }
        }
    }
    ok = ok && sort_ids(s->context, drivers.items, drivers.count, by_rank, s->snapshot->facts.rank);
    if (ok && drivers.count > 0) ok = join_names(s, drivers.items, drivers.count, a, out);
    list_free(s->context, &drivers, sizeof(uint32_t));
    return ok;
}
