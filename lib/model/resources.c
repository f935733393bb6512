/* SPDX-License-Identifier: Apache-2.0 */
#include <model/resources.h>

#include <base/error.h>
#include <base/sort.h>
#include <model/quantity.h>

bool resource_names_init(strings *names, karp_context *context)
{
    static const char *const fixed[RESOURCE_FIXED] = { "cpu", "memory", "pods", "nodes" };
    strings_init(names, context);
    for (uint32_t i = 0; i < RESOURCE_FIXED; i++) {
        if (strings_add(names, fixed[i], strlen(fixed[i])) != i) return false;
    }
    return true;
}

bool resource_is_hugepages(const strings *names, uint32_t resource)
{
    return str_starts(strings_get(names, resource), "hugepages-");
}

static bool scaled_value(int64_t value, int32_t scale, amount *out)
{
    static const uint64_t ten_to_9 = UINT64_C(1000000000);
    amount a = amount_from(value);
    int32_t left = scale + 9;
    for (; left >= 9; left -= 9) {
        if (!amount_mul(a, ten_to_9, &a)) return false;
    }
    for (; left > 0; left--) {
        if (!amount_mul(a, 10, &a)) return false;
    }
    *out = a;
    return true;
}

static karp_status read_one(const karp_resource *r, quantity *out, karp_error *error)
{
    if (r->text.ptr == NULL) {
        out->binary = false;
        if (r->scale < -9 || r->scale > 18)
            return fail(error, KARP_E_INVALID, "scale %d of a quantity is outside -9 … 18", (int)r->scale);
        if (!scaled_value(r->value, r->scale, &out->value)) return fail(error, KARP_E_RANGE, "quantity is too large");
        return KARP_OK;
    }
    int shown = str_shown(r->text, 60);
    switch (quantity_parse(r->text.ptr, r->text.len, out)) {
    case QUANTITY_OK: return KARP_OK;
    case QUANTITY_RANGE: return fail(error, KARP_E_RANGE, "quantity \"%.*s\" is too large", shown, r->text.ptr);
    default: return fail(error, KARP_E_INVALID, "\"%.*s\" is not a quantity", shown, r->text.ptr);
    }
}

int by_resource(const void *x, const void *y, const void *user)
{
    const resource_amount *a = x, *b = y;
    (void)user;
    return a->resource < b->resource ? -1 : a->resource > b->resource;
}

karp_status resource_list_read(strings *names, arena *a, const karp_resource *list, size_t count, resource_list *out,
                               size_t *bad, karp_error *error)
{
    *bad = 0;
    out->items = NULL;
    out->count = 0;
    if (count == 0) return KARP_OK;
    if (count > UINT32_MAX / 2) return fail(error, KARP_E_LIMIT, "too many resources");
    resource_amount *items = arena_array(a, count, sizeof *items);
    if (items == NULL) return fail_nomem(error);
    for (size_t i = 0; i < count; i++) {
        quantity q;
        *bad = i;
        if (list[i].name.len == 0) return fail(error, KARP_E_INVALID, "a resource without a name");
        karp_status status = read_one(&list[i], &q, error);
        if (status != KARP_OK) return status;
        items[i].resource = strings_add(names, list[i].name.ptr, list[i].name.len);
        if (items[i].resource == NO_ID) return fail_nomem(error);
        items[i].value = q.value;
        items[i].binary = q.binary;
    }
    if (!sort_stable(a->context, items, count, sizeof *items, by_resource, NULL)) return fail_nomem(error);
    for (size_t i = 1; i < count; i++) {
        if (items[i].resource == items[i - 1].resource)
            return fail(error, KARP_E_INVALID, "a resource is listed twice");
    }
    out->items = items;
    out->count = (uint32_t)count;
    return KARP_OK;
}

const resource_amount *resource_list_find(resource_list list, uint32_t resource)
{
    for (uint32_t i = 0; i < list.count; i++) {
        if (list.items[i].resource == resource) return &list.items[i];
    }
    return NULL;
}

amount resource_list_get(resource_list list, uint32_t resource)
{
    const resource_amount *r = resource_list_find(list, resource);
    return r ? r->value : amount_from(0);
}

enum combine { SUM, MAX, OVERRIDE };

/* Combines entries for a resource in both lists. false = overflow. */
static bool combine_entry(enum combine how, const resource_amount *x, const resource_amount *y, resource_amount *out)
{
    *out = *x;
    if (how == OVERRIDE) *out = *y;
    if (how == MAX && amount_cmp(x->value, y->value) < 0) *out = *y;
    if (how != SUM) return true;
    if (amount_sign(x->value) == 0) out->binary = y->binary;
    return amount_add(x->value, y->value, &out->value); /* out may be x */
}

static karp_status combine(arena *a, resource_list x, resource_list y, enum combine how, resource_list *out)
{
    resource_amount *items = arena_array(a, (size_t)x.count + y.count + 1, sizeof *items);
    uint32_t i = 0, j = 0, n = 0;
    if (items == NULL) return KARP_E_NOMEM;
    while (i < x.count || j < y.count) {
        if (j == y.count || (i < x.count && x.items[i].resource < y.items[j].resource)) items[n++] = x.items[i++];
        else if (i == x.count || y.items[j].resource < x.items[i].resource) items[n++] = y.items[j++];
        else if (!combine_entry(how, &x.items[i++], &y.items[j++], &items[n++])) return KARP_E_RANGE;
    }
    out->items = items;
    out->count = n;
    return KARP_OK;
}

karp_status resource_list_sum(arena *a, resource_list x, resource_list y, resource_list *out)
{
    return combine(a, x, y, SUM, out);
}

karp_status resource_list_total(arena *a, resource_amount *items, size_t count, resource_list *out)
{
    uint32_t n = 0;
    *out = (resource_list){ NULL, 0 };
    if (count == 0) return KARP_OK;
    if (!sort_stable(a->context, items, count, sizeof *items, by_resource, NULL)) return KARP_E_NOMEM;
    for (size_t i = 0; i < count; i++) {
        if (n == 0 || items[n - 1].resource != items[i].resource) items[n++] = items[i];
        else if (!combine_entry(SUM, &items[n - 1], &items[i], &items[n - 1])) return KARP_E_RANGE;
    }
    out->items = arena_copy(a, items, n * sizeof *items);
    out->count = n;
    return out->items != NULL ? KARP_OK : KARP_E_NOMEM;
}

karp_status resource_list_max(arena *a, resource_list x, resource_list y, resource_list *out)
{
    return combine(a, x, y, MAX, out);
}

karp_status resource_list_override(arena *a, resource_list x, resource_list y, resource_list *out)
{
    return combine(a, x, y, OVERRIDE, out);
}

karp_status resource_list_subtract(arena *a, resource_list x, resource_list y, resource_list *out)
{
    resource_amount *items = arena_array(a, (size_t)x.count + 1, sizeof *items);
    if (items == NULL) return KARP_E_NOMEM;
    for (uint32_t i = 0; i < x.count; i++) {
        const resource_amount *less = resource_list_find(y, x.items[i].resource);
        items[i] = x.items[i];
        if (less == NULL) continue;
        if (amount_sign(x.items[i].value) == 0) items[i].binary = less->binary; /* as Quantity.Sub() of Kubernetes */
        if (!amount_sub(x.items[i].value, less->value, &items[i].value)) return KARP_E_RANGE;
    }
    out->items = items;
    out->count = x.count;
    return KARP_OK;
}

karp_status resource_list_set(arena *a, resource_list x, uint32_t resource, amount value, resource_list *out)
{
    resource_amount one = { .value = value, .resource = resource };
    resource_list y = { &one, 1 };
    return combine(a, x, y, OVERRIDE, out);
}
