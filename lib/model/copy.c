/* SPDX-License-Identifier: Apache-2.0 */
#include <model/copy.h>

#include <base/context.h>
#include <base/error.h>
#include <base/sort.h>
#include <stdio.h>

/* Label lists up to this length, the usual case, are sorted by insertion. */
enum { FEW_LABELS = 24 };

/* ---- identity keys ----------------------------------------------------------------------------------------------- */

bool word_buffer_grow(word_buffer *b)
{
    return grow(b->context, (void **)&b->items, &b->capacity, b->count + 1, sizeof *b->items);
}

void word_buffer_free(word_buffer *b)
{
    mem_free(b->context, b->items, b->capacity * sizeof *b->items);
    b->items = NULL;
    b->count = b->capacity = 0;
}

void put_wide(copier *c, int64_t value)
{
    put(c, (uint32_t)(uint64_t)value);
    put(c, (uint32_t)((uint64_t)value >> 32));
}

void put_resources(copier *c, resource_list list)
{
    put(c, list.count);
    for (uint32_t i = 0; i < list.count; i++) {
        put(c, list.items[i].resource);
        put(c, list.items[i].binary);
        put_wide(c, (int64_t)list.items[i].value.lo);
        put_wide(c, list.items[i].value.hi);
    }
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

static void blame(copier *c, karp_status status, const char *leaf, const karp_str *key)
{
    char field[sizeof c->error->field] = "";
    c->status = status;
    if (c->error == NULL) return;
    for (size_t i = 0; i < c->depth && i < PATH_STEPS; i++) {
        str_append(field, sizeof field, "%s%s", i > 0 ? "." : "", c->path[i].name);
        if (c->path[i].index != NO_INDEX) str_append(field, sizeof field, "[%zu]", c->path[i].index);
    }
    if (leaf) str_append(field, sizeof field, "%s%s", *field ? "." : "", leaf);
    if (key) str_append(field, sizeof field, "[\"%.*s\"]", str_shown(*key, sizeof field), key->ptr ? key->ptr : "");
    error_set_field(c->error, "%s", field);
}

void copy_blame(copier *c, karp_status status, const char *leaf) { blame(c, status, leaf, NULL); }

static void copy_blame_key(copier *c, karp_status status, karp_str key) { blame(c, status, NULL, &key); }

void copy_reserved(copier *c, uint32_t reserved, const char *what)
{
    if (reserved != 0 && c->status == KARP_OK) copy_blame(c, fail_reserved(c->error, what), NULL);
}

void *copy_refuse(copier *c)
{
    if (c->status == KARP_OK) c->status = context_refusal(c->context, fail_nomem(c->error), c->error);
    return NULL;
}

/* ---- texts and lists --------------------------------------------------------------------------------------------- */

uint32_t copy_into(copier *c, strings *table, karp_str text)
{
    if (c->status != KARP_OK) return NO_TEXT;
    repeated_text *met = c->before && table == c->text ? repeated_text_slot(c->before, text) : NULL;
    if (met && met->ptr && met->ptr == text.ptr && met->len == text.len) return met->id;
    uint32_t id = text.ptr ? strings_add(table, text.ptr, text.len) : strings_add(table, "", 0);
    if (id == NO_ID) {
        copy_refuse(c);
        return NO_TEXT;
    }
    if (met) *met = (repeated_text){ text.ptr, text.len, id };
    return id;
}

uint32_t copy_text(copier *c, karp_str text)
{
    uint32_t id = copy_into(c, c->text, text);
    put_text(c, id);
    return id;
}

karp_str copy_string(copier *c, karp_str text)
{
    karp_str copy = { "", 0 };
    if (c->status != KARP_OK || text.len == 0 || text.ptr == NULL) return copy;
    const char *characters = arena_string(c->to, text.ptr, text.len);
    if (characters == NULL) {
        copy_refuse(c);
        return copy;
    }
    copy.ptr = characters;
    copy.len = text.len;
    return copy;
}

bool copy_has(copier *c, const void *given, size_t count)
{
    if (c->status != KARP_OK || count == 0) return false;
    if (count > MOST_ELEMENTS)
        copy_blame(c, fail(c->error, KARP_E_LIMIT, "a list of %zu elements is too long", count), NULL);
    else if (given == NULL)
        copy_blame(c, fail(c->error, KARP_E_INVALID, "a list of %zu elements is NULL", count), NULL);
    return c->status == KARP_OK;
}

void *copy_alloc_list(copier *c, const void *given, size_t count, size_t element)
{
    bool any = copy_has(c, given, count);
    put(c, (uint32_t)count);
    if (!any || c->status != KARP_OK) return NULL;
    void *items = arena_array(c->to, count, element);
    if (items == NULL) copy_refuse(c);
    return items;
}

const uint32_t *copy_texts(copier *c, const karp_str *list, size_t count, uint32_t *out_count)
{
    *out_count = 0;
    bool any = copy_has(c, list, count);
    put(c, (uint32_t)count);
    if (!any || c->status != KARP_OK) return NULL;
    uint32_t *ids = arena_alloc_aligned(c->to, count * sizeof *ids, sizeof *ids);
    if (ids == NULL) return copy_refuse(c);
    for (size_t i = 0; i < count; i++) ids[i] = copy_text(c, list[i]);
    if (c->status != KARP_OK) return NULL;
    *out_count = (uint32_t)count;
    return ids;
}

/* ---- labels and selectors ---------------------------------------------------------------------------------------- */

static bool sort_labels(copier *c, label_pair *items, size_t count)
{
    if (count > FEW_LABELS) return sort_stable(c->context, items, count, sizeof *items, by_number, NULL);
    for (size_t i = 1; i < count; i++) {
        label_pair one = items[i];
        size_t to = i;
        for (; to > 0 && items[to - 1].key > one.key; to--) items[to] = items[to - 1];
        items[to] = one;
    }
    return true;
}

label_list copy_labels(copier *c, const karp_label *list, size_t count)
{
    label_list none = { NULL, 0 };
    label_pair *items = copy_alloc_list(c, list, count, sizeof *items);
    if (items == NULL) return none;
    for (size_t i = 0; i < count; i++) {
        items[i].key = copy_into(c, c->text, list[i].key);
        items[i].value = copy_into(c, c->text, list[i].value);
    }
    if (c->status != KARP_OK) return none;
    if (!sort_labels(c, items, count)) {
        copy_refuse(c);
        return none;
    }
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && items[i].key == items[i - 1].key) {
            copy_blame_key(c, fail(c->error, KARP_E_INVALID, "a key is listed twice"),
                           strings_get(c->text, items[i].key));
            return none;
        }
        put_text(c, items[i].key);
        put_text(c, items[i].value);
    }
    return c->status == KARP_OK ? (label_list){ items, (uint32_t)count } : none;
}

bool copy_expression(copier *c, const karp_requirement *given, bool strict, expression *e)
{
    if (given->op > KARP_OP_LTE || (strict && given->op == KARP_OP_UNKNOWN)) {
        copy_blame(c, fail(c->error, KARP_E_INVALID, "unknown operator %u", (unsigned)given->op), "operator");
        return false;
    }
    e->key = copy_text(c, given->key);
    e->op = given->op;
    e->min_values = given->min_values;
    put(c, e->op);
    put(c, e->min_values);
    path_enter(c, "values");
    e->values = copy_texts(c, given->values, given->value_count, &e->value_count);
    path_leave(c);
    return c->status == KARP_OK;
}

expression_list copy_expressions(copier *c, const karp_requirement *list, size_t count, bool strict)
{
    expression_list none = { NULL, 0 };
    expression *items = copy_alloc_list(c, list, count, sizeof *items);
    if (items == NULL) return none;
    for (size_t i = 0; i < count; i++) {
        path_at(c, i);
        if (!copy_expression(c, &list[i], strict, &items[i])) return none;
    }
    return (expression_list){ items, (uint32_t)count };
}

const selector *copy_selector(copier *c, const karp_selector *given)
{
    put(c, given != NULL);
    if (given == NULL || c->status != KARP_OK) return NULL;
    selector *copy = arena_zalloc(c->to, sizeof *copy);
    if (copy == NULL) return copy_refuse(c);
    path_enter(c, "matchLabels");
    copy->labels = copy_labels(c, given->match_labels, given->match_label_count);
    path_leave(c);
    path_enter(c, "matchExpressions");
    copy->expressions = copy_expressions(c, given->expressions, given->expression_count, false);
    path_leave(c);
    return c->status == KARP_OK ? copy : NULL;
}

/* ---- taints and tolerations -------------------------------------------------------------------------------------- */

static taint_list read_taints(copier *c, const karp_taint *list, size_t count)
{
    taint *items = copy_alloc_list(c, list, count, sizeof *items);
    if (items == NULL) return (taint_list){ NULL, 0 };
    for (size_t i = 0; i < count && c->status == KARP_OK; i++) {
        items[i].key = copy_text(c, list[i].key);
        items[i].value = copy_text(c, list[i].value);
        items[i].effect = copy_text(c, list[i].effect);
    }
    return c->status == KARP_OK ? (taint_list){ items, (uint32_t)count } : (taint_list){ NULL, 0 };
}

taint_list copy_taints(copier *c, const char *path, const karp_taint *list, size_t count)
{
    path_enter(c, path);
    taint_list out = read_taints(c, list, count);
    path_leave(c);
    return out;
}

toleration_list copy_tolerations(copier *c, const karp_toleration *list, size_t count)
{
    toleration_list none = { NULL, 0 };
    toleration *items = copy_alloc_list(c, list, count, sizeof *items);
    if (items == NULL) return none;
    for (size_t i = 0; i < count && c->status == KARP_OK; i++) {
        path_at(c, i);
        if (list[i].op > KARP_TOLERATION_UNKNOWN) {
            copy_blame(c, fail(c->error, KARP_E_INVALID, "unknown operator %u", (unsigned)list[i].op), "operator");
            return none;
        }
        items[i].key = copy_text(c, list[i].key);
        items[i].value = copy_text(c, list[i].value);
        items[i].effect = copy_text(c, list[i].effect);
        items[i].op = list[i].op;
        items[i].has_seconds = list[i].has_seconds != 0;
        items[i].seconds = items[i].has_seconds ? list[i].seconds : 0;
        put(c, items[i].op);
        put(c, items[i].has_seconds);
        put_wide(c, items[i].seconds);
    }
    return c->status == KARP_OK ? (toleration_list){ items, (uint32_t)count } : none;
}

/* ---- terms ------------------------------------------------------------------------------------------------------- */

static node_term_list read_node_terms(copier *c, const karp_node_term *list, size_t count)
{
    node_term_list none = { NULL, 0 };
    node_term *items = copy_alloc_list(c, list, count, sizeof *items);
    if (items == NULL) return none;
    for (size_t i = 0; i < count && c->status == KARP_OK; i++) {
        path_at(c, i);
        path_enter(c, "matchExpressions");
        items[i].expressions = copy_expressions(c, list[i].expressions, list[i].expression_count, false);
        path_leave(c);
        items[i].weight = list[i].weight;
        items[i].has_fields = list[i].has_fields != 0;
        put(c, (uint32_t)items[i].weight);
        put(c, items[i].has_fields);
    }
    return c->status == KARP_OK ? (node_term_list){ items, (uint32_t)count } : none;
}

node_term_list copy_node_terms(copier *c, const char *path, const karp_node_term *list, size_t count)
{
    path_enter(c, path);
    node_term_list out = read_node_terms(c, list, count);
    path_leave(c);
    return out;
}

static pod_term_list read_pod_terms(copier *c, const karp_pod_term *list, size_t count)
{
    pod_term_list none = { NULL, 0 };
    pod_term *items = copy_alloc_list(c, list, count, sizeof *items);
    if (items == NULL) return none;
    for (size_t i = 0; i < count && c->status == KARP_OK; i++) {
        pod_term *t = &items[i];
        path_at(c, i);
        copy_reserved(c, list[i].reserved, "karp_pod_term");
        t->topology_key = copy_text(c, list[i].topology_key);
        t->weight = list[i].weight;
        put(c, (uint32_t)t->weight);
        path_enter(c, "namespaces");
        t->namespaces = copy_texts(c, list[i].namespaces, list[i].namespace_count, &t->namespace_count);
        path_leave(c);
        path_enter(c, "namespaceSelector");
        t->namespace_selector = copy_selector(c, list[i].namespace_selector);
        path_leave(c);
        path_enter(c, "labelSelector");
        t->label_selector = copy_selector(c, list[i].label_selector);
        path_leave(c);
    }
    return c->status == KARP_OK ? (pod_term_list){ items, (uint32_t)count } : none;
}

pod_term_list copy_pod_terms(copier *c, const char *path, const karp_pod_term *list, size_t count)
{
    path_enter(c, path);
    pod_term_list out = read_pod_terms(c, list, count);
    path_leave(c);
    return out;
}

/* Checks constraints that the API server would have rejected. */
static bool check_spread(copier *c, const karp_spread_constraint *given)
{
    karp_error *error = c->error;
    copy_reserved(c, given->reserved, "karp_spread_constraint");
    if (given->max_skew < 1) copy_blame(c, fail(error, KARP_E_INVALID, "must be at least 1"), "maxSkew");
    else if (given->min_domains < 0) copy_blame(c, fail(error, KARP_E_INVALID, "must not be negative"), "minDomains");
    else if (given->when_unsatisfiable > KARP_SCHEDULE_ANYWAY)
        copy_blame(c, fail(error, KARP_E_INVALID, "must be DoNotSchedule or ScheduleAnyway"), "whenUnsatisfiable");
    else if (given->node_affinity_policy > KARP_POLICY_IGNORE)
        copy_blame(c, fail(error, KARP_E_INVALID, "must be Honor or Ignore"), "nodeAffinityPolicy");
    else if (given->node_taints_policy > KARP_POLICY_IGNORE)
        copy_blame(c, fail(error, KARP_E_INVALID, "must be Honor or Ignore"), "nodeTaintsPolicy");
    return c->status == KARP_OK;
}

spread_list copy_spread(copier *c, const karp_spread_constraint *list, size_t count)
{
    spread_list none = { NULL, 0 };
    spread_constraint *items = copy_alloc_list(c, list, count, sizeof *items);
    if (items == NULL) return none;
    for (size_t i = 0; i < count && c->status == KARP_OK; i++) {
        const karp_spread_constraint *given = &list[i];
        spread_constraint *s = &items[i];
        path_at(c, i);
        if (!check_spread(c, given)) return none;
        s->topology_key = copy_text(c, given->topology_key);
        s->max_skew = given->max_skew;
        s->min_domains = given->min_domains;
        s->schedule_anyway = given->when_unsatisfiable == KARP_SCHEDULE_ANYWAY;
        s->honor_affinity = given->node_affinity_policy != KARP_POLICY_IGNORE;
        s->honor_taints = given->node_taints_policy == KARP_POLICY_HONOR;
        put(c, (uint32_t)s->max_skew);
        put(c, (uint32_t)s->min_domains);
        put(c, (uint32_t)s->schedule_anyway | (uint32_t)s->honor_affinity << 1 | (uint32_t)s->honor_taints << 2);
        path_enter(c, "labelSelector");
        s->label_selector = copy_selector(c, given->label_selector);
        path_leave(c);
        path_enter(c, "matchLabelKeys");
        s->match_label_keys = copy_texts(c, given->match_label_keys, given->match_label_key_count,
                                         &s->match_label_key_count);
        path_leave(c);
    }
    return c->status == KARP_OK ? (spread_list){ items, (uint32_t)count } : none;
}

/* ---- conditions and resources ------------------------------------------------------------------------------------ */

/* As copy_text(), for a text that is probably this one. */
static uint32_t copy_likely(copier *c, karp_str text, uint32_t likely)
{
    if (text.ptr == NULL || !equal_str(strings_get(c->text, likely), text)) return copy_text(c, text);
    put_text(c, likely);
    return likely;
}

static condition_list read_conditions(copier *c, const karp_condition *list, size_t count, condition_list had)
{
    static const condition none = { .type = NO_TEXT, .status = NO_TEXT, .reason = NO_TEXT };
    condition *items = copy_alloc_list(c, list, count, sizeof *items);
    if (items == NULL) return (condition_list){ NULL, 0 };
    for (size_t i = 0; i < count && c->status == KARP_OK; i++) {
        const condition *like = i < had.count ? &had.items[i] : &none;
        items[i].type = copy_likely(c, list[i].type, like->type);
        items[i].status = copy_likely(c, list[i].status, like->status);
        items[i].reason = copy_likely(c, list[i].reason, like->reason);
        items[i].since = copy_time(list[i].last_transition);
    }
    return c->status == KARP_OK ? (condition_list){ items, (uint32_t)count } : (condition_list){ NULL, 0 };
}

condition_list copy_conditions_like(copier *c, const karp_condition *list, size_t count, condition_list had)
{
    path_enter(c, "status.conditions");
    condition_list out = read_conditions(c, list, count, had);
    path_leave(c);
    return out;
}

condition_list copy_conditions(copier *c, const karp_condition *list, size_t count)
{
    return copy_conditions_like(c, list, count, (condition_list){ NULL, 0 });
}

static resource_list read_resources(copier *c, const karp_resource *list, size_t count, bool may_be_negative)
{
    resource_list none = { NULL, 0 }, out;
    size_t bad = 0;
    if (!copy_has(c, list, count)) return none;
    for (size_t i = 0; i < count; i++) {
        bool named = list[i].name.ptr != NULL && list[i].name.len > 0;
        if (named && list[i].reserved == 0) continue;
        path_at(c, i);
        copy_reserved(c, list[i].reserved, "karp_resource");
        if (!named) copy_blame(c, fail(c->error, KARP_E_INVALID, "a resource without a name"), NULL);
        return none;
    }
    karp_status status = resource_list_read(c->resources, c->to, list, count, &out, &bad, c->error);
    if (status == KARP_E_NOMEM) {
        copy_refuse(c);
        return none;
    }
    if (status != KARP_OK) {
        copy_blame_key(c, status, list[bad].name);
        return none;
    }
    for (uint32_t i = 0; i < out.count && !may_be_negative; i++) {
        if (amount_sign(out.items[i].value) >= 0) continue;
        copy_blame_key(c, fail(c->error, KARP_E_INVALID, "must not be negative"),
                       strings_get(c->resources, out.items[i].resource));
        return none;
    }
    return out;
}

resource_list copy_resources(copier *c, const char *path, const karp_resource *list, size_t count, bool may_be_negative)
{
    path_enter(c, path);
    resource_list out = read_resources(c, list, count, may_be_negative);
    path_leave(c);
    return out;
}
