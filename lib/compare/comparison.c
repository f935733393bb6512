/* SPDX-License-Identifier: Apache-2.0 */
/* Compares designs with the first: pods that are elsewhere, and fields that differ. */
#include <compare/comparison.h>

#include <stdio.h>

#include <karp/library.h>

/* ---- moves ------------------------------------------------------------------------------------------------------- */

static karp_str text_at(const summed_design *d, size_t offset) { return str(d->texts.ptr + offset); }

static bool add_move(summed_design *d, const karp_design_move *move)
{
    if (!grow(d->context, (void **)&d->moves, &d->move_room, d->move_count + 1, sizeof *d->moves)) return false;
    d->moves[d->move_count++] = *move;
    return true;
}

/* Merges the places of both, which are sorted by pod. false = out of memory. */
static bool find_moves(const summed_design *a, summed_design *b)
{
    size_t i = 0, k = 0;
    while (i < a->place_count || k < b->place_count) {
        const design_place *x = i < a->place_count ? &a->places[i] : NULL;
        const design_place *y = k < b->place_count ? &b->places[k] : NULL;
        int order = x == NULL ? 1 : y == NULL ? -1 : compare_str(x->pod, y->pod);
        karp_design_move move = { .size = sizeof move };
        if (x != NULL && order <= 0) {
            move.pod = x->pod;
            move.before = text_at(a, x->text);
            move.group_before = text_at(a, x->group);
            i++;
        }
        if (y != NULL && order >= 0) {
            move.pod = y->pod;
            move.after = text_at(b, y->text);
            move.group_after = text_at(b, y->group);
            k++;
        }
        if ((order != 0 || !equal_str(move.before, move.after)) && !add_move(b, &move)) return false;
    }
    return true;
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

typedef struct field_list {
    arena *data;
    summed_design *design;
    bool failed;
} field_list;

static karp_str keep(field_list *l, karp_str text)
{
    const char *copy = text.ptr == NULL ? "" : arena_string(l->data, text.ptr, text.len);
    l->failed = l->failed || copy == NULL;
    return (karp_str){ copy, copy == NULL ? 0 : text.len };
}

static void add_field(karp_str object, karp_str field, karp_str before, karp_str after, void *user)
{
    field_list *l = user;
    summed_design *d = l->design;
    if (l->failed || !grow(d->context, (void **)&d->fields, &d->field_room, d->field_count + 1, sizeof *d->fields)) {
        l->failed = true;
        return;
    }
    size_t at = d->field_count++;
    karp_design_field *f = &d->fields[at];
    *f = (karp_design_field){ .size = sizeof *f,
                              .object = keep(l, object),
                              .field = keep(l, field),
                              .before = keep(l, before),
                              .after = keep(l, after) };
    if (at >= d->design.alone_count || d->design.alone[at].known == 0) return;
    f->alone = 1;
    f->alone_price = d->design.alone[at].price;
    f->alone_left = d->design.alone[at].pods_left;
}

static karp_status find_fields(karp_comparison *c, summed_design *d, karp_error *error)
{
    field_list list = { &c->data, d, false };
    const karp_reader *first = c->designs[0].design.reader;
    if (first == NULL || d->design.reader == NULL) return KARP_OK;
    karp_status status = karp_reader_compare(first, d->design.reader, add_field, &list, error);
    return status == KARP_OK && list.failed ? fail_nomem(error) : status;
}

/* ---- public functions -------------------------------------------------------------------------------------------- */

static karp_status take(karp_comparison *c, const karp_design *designs, size_t index, karp_error *error)
{
    summed_design *d = &c->designs[index];
    d->context = c->context;
    d->totals.size = sizeof d->totals;
    karp_status status = struct_element(designs, index, sizeof d->design, SIZE_THROUGH(karp_design, saved_count),
                                        &d->design, "karp_design", error);
    if (status == KARP_OK) status = STRUCT_CHECK_TEXTS("a design", error, &d->design.name);
    if (status != KARP_OK) return status;
    const karp_design *own = &d->design;
    bool lists = (own->warnings != NULL || own->warning_count == 0) && (own->alone != NULL || own->alone_count == 0) &&
                 (own->saved != NULL || own->saved_count == 0);
    if (own->plan == NULL || !lists) return fail_null(error, "the plan of a design, or one of its lists");
    const char *name = arena_string(&c->data, own->name.len > 0 ? own->name.ptr : "", own->name.len);
    if (name == NULL) return fail_nomem(error);
    d->design.name.ptr = d->totals.name.ptr = name;
    d->totals.name.len = own->name.len;
    return design_add_up(d, error);
}

static karp_status compare_all(karp_comparison *c, const karp_design *designs, karp_error *error)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < c->count && status == KARP_OK; i++) status = take(c, designs, i, error);
    for (size_t i = 1; i < c->count && status == KARP_OK; i++) {
        if (!find_moves(&c->designs[0], &c->designs[i])) status = fail_nomem(error);
        if (status == KARP_OK) status = find_fields(c, &c->designs[i], error);
    }
    return status;
}

karp_status karp_compare_designs(karp_context *context, const karp_design *designs, size_t count, karp_comparison **out,
                                 karp_error *error)
{
    if (context == NULL || designs == NULL || out == NULL || count == 0)
        return fail_null(error, "context, designs or out");
    *out = NULL;
    karp_comparison *c = mem_zalloc(context, sizeof *c);
    if (c == NULL) return karp_context_refusal(context, fail_nomem(error), error);
    c->context = karp_context_ref(context);
    arena_init(&c->data, context);
    size_t bytes;
    if (size_mul(count, sizeof *c->designs, &bytes)) c->designs = mem_zalloc(context, bytes);
    c->count = c->designs != NULL ? count : 0;
    karp_status status = c->designs != NULL ? compare_all(c, designs, error) : fail_nomem(error);
    if (status == KARP_OK) *out = c;
    else karp_comparison_free(c);
    return karp_context_refusal(context, status, error);
}

karp_status karp_compare_settlement(karp_context *context, const karp_settlement *settlement, karp_comparison **out,
                                    karp_error *error)
{
    char name[32] = "first round";
    size_t first = karp_settlement_first_round(settlement);
    if (settlement == NULL) return fail_null(error, "settlement");
    if (first > 1) (void)snprintf(name, sizeof name, "round %zu", first);
    const karp_design both[] = {
        { .size = sizeof both[0], .name = str(name), .plan = karp_settlement_first(settlement) },
        { .size = sizeof both[0], .name = str("settled"), .plan = karp_settlement_last(settlement) }
    };
    return karp_compare_designs(context, both, 2, out, error);
}

static void free_design(summed_design *d)
{
    karp_context *context = d->context;
    if (context == NULL) return; /* it was not reached */
    for (size_t i = 0; i < GROUPINGS; i++)
        karp_free(context, d->groups[i].items, d->groups[i].room * sizeof *d->groups[i].items);
    strbuf_free(&d->texts);
    karp_free(context, d->places, d->place_room * sizeof *d->places);
    karp_free(context, d->moves, d->move_room * sizeof *d->moves);
    karp_free(context, d->fields, d->field_room * sizeof *d->fields);
}

void karp_comparison_free(karp_comparison *comparison)
{
    if (comparison == NULL) return;
    karp_context *context = comparison->context;
    for (size_t i = 0; i < comparison->count; i++) free_design(&comparison->designs[i]);
    karp_free(context, comparison->designs, comparison->count * sizeof *comparison->designs);
    arena_free(&comparison->data);
    karp_free(context, comparison, sizeof *comparison);
    karp_context_unref(context);
}

static const summed_design *design_at(const karp_comparison *c, size_t index)
{
    static const summed_design none = { .move_count = 0 };
    return c != NULL && index < c->count ? &c->designs[index] : &none;
}

karp_status karp_comparison_totals(const karp_comparison *comparison, size_t design, karp_design_totals *out)
{
    if (comparison == NULL || out == NULL) return KARP_E_INVALID;
    if (design >= comparison->count) return KARP_E_NOT_FOUND;
    const karp_design_totals *totals = &comparison->designs[design].totals;
    return struct_give(out, totals, sizeof *totals, SIZE_THROUGH(karp_design_totals, instance_type_count));
}

size_t karp_comparison_move_count(const karp_comparison *comparison, size_t design)
{
    return design_at(comparison, design)->move_count;
}

karp_status karp_comparison_move(const karp_comparison *comparison, size_t design, size_t index, karp_design_move *out)
{
    const summed_design *d = design_at(comparison, design);
    if (comparison == NULL || out == NULL) return KARP_E_INVALID;
    if (index >= d->move_count) return KARP_E_NOT_FOUND;
    return struct_give(out, &d->moves[index], sizeof *d->moves, SIZE_THROUGH(karp_design_move, group_after));
}

size_t karp_comparison_field_count(const karp_comparison *comparison, size_t design)
{
    return design_at(comparison, design)->field_count;
}

karp_status karp_comparison_field(const karp_comparison *comparison, size_t design, size_t index,
                                  karp_design_field *out)
{
    const summed_design *d = design_at(comparison, design);
    if (comparison == NULL || out == NULL) return KARP_E_INVALID;
    if (index >= d->field_count) return KARP_E_NOT_FOUND;
    return struct_give(out, &d->fields[index], sizeof *d->fields, SIZE_THROUGH(karp_design_field, reserved));
}
