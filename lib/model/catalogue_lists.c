/* SPDX-License-Identifier: Apache-2.0 */
#include <model/catalogue_lists.h>

#include <base/error.h>

/* Adds the public form, with texts, for karp_catalogue_type(). */
static void show_requirement(copier *c, karp_catalogue *catalogue, const expression *e)
{
    karp_requirement *shown = list_push(catalogue->context, &catalogue->shown, sizeof *shown);
    karp_str *values = e->value_count > 0 ? arena_alloc(c->to, e->value_count * sizeof *values) : NULL;
    if (shown == NULL || (e->value_count > 0 && values == NULL)) {
        copy_refuse(c);
        return;
    }
    for (uint32_t i = 0; i < e->value_count; i++) values[i] = strings_get(c->text, e->values[i]);
    *shown = (karp_requirement){ strings_get(c->text, e->key), e->op, e->min_values, values, e->value_count };
}

static uint32_t read_requirement(copier *c, karp_catalogue *catalogue, const karp_requirement *given)
{
    repeated_requirement *met = repeated_requirement_slot(c->before, given);
    if (repeated_requirement_is(met, given)) return met->number;
    expression *e = list_push(catalogue->context, &catalogue->requirements, sizeof *e);
    if (e == NULL) {
        copy_refuse(c);
        return 0;
    }
    if (!copy_expression(c, given, true, e)) return 0;
    if (e->key == NO_TEXT) {
        copy_blame(c, fail(c->error, KARP_E_INVALID, "a requirement without a key"), "key");
        return 0;
    }
    if (!catalogue->adopted) show_requirement(c, catalogue, e);
    *met = (repeated_requirement){ *given, (uint32_t)(catalogue->requirements.count - 1) };
    return met->number;
}

static const karp_requirement *show_list(copier *c, const karp_catalogue *catalogue, const uint32_t *numbers,
                                         size_t count)
{
    karp_requirement *shown = arena_alloc(c->to, count * sizeof *shown);
    if (shown == NULL) copy_refuse(c);
    for (size_t i = 0; shown != NULL && i < count; i++) shown[i] = catalogue->shown.items[numbers[i]];
    return shown;
}

static uint32_t read_new_list(copier *c, karp_catalogue *catalogue, const karp_requirement *given, size_t count)
{
    uint32_t *numbers = NULL;
    catalogue_list *list = list_push(catalogue->context, &catalogue->lists, sizeof *list);
    if (list == NULL) {
        copy_refuse(c);
        return 0;
    }
    path_enter(c, "requirements");
    if (copy_has(c, given, count)) {
        numbers = arena_alloc_aligned(c->to, count * sizeof *numbers, sizeof *numbers);
        if (numbers == NULL) copy_refuse(c);
    }
    for (size_t i = 0; numbers != NULL && i < count; i++) {
        path_at(c, i);
        numbers[i] = read_requirement(c, catalogue, &given[i]);
        if (c->status != KARP_OK) return 0;
    }
    path_leave(c);
    if (c->status != KARP_OK || numbers == NULL) return (uint32_t)(catalogue->lists.count - 1);
    *list = (catalogue_list){ numbers, (uint32_t)count,
                              catalogue->adopted ? given : show_list(c, catalogue, numbers, count) };
    return (uint32_t)(catalogue->lists.count - 1);
}

uint32_t read_list(copier *c, karp_catalogue *catalogue, const karp_requirement *given, size_t count)
{
    if (c->status != KARP_OK) return 0;
    repeated_list *met = repeated_list_slot(c->before, given, count);
    if (met->list != NULL && met->list == given && met->count == count) return met->number;
    uint32_t number = read_new_list(c, catalogue, given, count);
    if (c->status == KARP_OK) *met = (repeated_list){ given, count, number };
    return number;
}
