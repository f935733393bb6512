/* SPDX-License-Identifier: Apache-2.0 */
#include "types.h"

#include <stdlib.h>
#include <string.h>

#include "go_sort.h"
#include "memory.h"

/* ------------------------------------------------------------------------------------------------ reading */

static struct resources total_overhead(const json_t *overhead)
{
    struct resources out = ref_resources_read(ref_at(overhead, "kubeReserved"));
    out = ref_resources_sum(out, ref_resources_read(ref_at(overhead, "systemReserved")));
    return ref_resources_sum(out, ref_resources_read(ref_at(overhead, "evictionThreshold")));
}

static double read_price(const json_t *value)
{
    return json_is_string(value) ? strtod(json_string_value(value), NULL) : json_number_value(value);
}

const char *ref_offering_value(const struct offering *offering, const char *key)
{
    const struct requirement *r = ref_get(offering->requirements, key);
    return r != NULL ? ref_any(r) : "";
}

static struct offering read_offering(const json_t *doc)
{
    struct offering o = {
        .requirements = ref_requirements(ref_expressions_read(ref_at(doc, "requirements"))),
        .price = read_price(ref_at(doc, "price")),
        .available = ref_true(doc, "available", true),
        .reservation_capacity = ref_int(doc, "reservationCapacity", 0),
        .overridden = ref_at(doc, "capacityOverride") != NULL || ref_at(doc, "overheadOverride") != NULL,
        .capacity_override = ref_resources_read(ref_at(doc, "capacityOverride")),
        .overhead_override = total_overhead(ref_at(doc, "overheadOverride")),
    };
    o.reserved = strcmp(ref_offering_value(&o, CAPACITY_TYPE), "reserved") == 0;
    o.reservation = ref_offering_value(&o, ref_reservation_label());
    return o;
}

/** (10.1) */
static struct resources allocatable(const struct instance_type *type, const struct offering *o)
{
    struct resources none = { NULL, 0 };
    struct resources capacity = ref_resources_override(type->capacity, o != NULL ? o->capacity_override : none);
    struct resources overhead = ref_resources_override(type->overhead, o != NULL ? o->overhead_override : none);
    struct resources out = ref_resources_subtract(capacity, overhead);
    for (size_t i = 0; i < capacity.count; i++) {
        if (strncmp(capacity.items[i].name, "hugepages-", 10) == 0) {
            amount rest = ref_resources_get(out, "memory") - capacity.items[i].value;
            out = ref_resources_set(out, "memory", rest > 0 ? rest : 0);
        }
    }
    return out;
}

static bool same_overrides(const struct offering *a, const struct offering *b)
{
    if (!a->overridden || !b->overridden) {
        return a->overridden == b->overridden;
    }
    return ref_resources_equal(a->capacity_override, b->capacity_override) &&
           ref_resources_equal(a->overhead_override, b->overhead_override);
}

/** (10.2) The first group is that of offerings without overrides, even if there is none. */
static void group_offerings(struct instance_type *type)
{
    type->groups = ref_alloc((type->offering_count + 1) * sizeof type->groups[0]);
    type->groups[0].allocatable = allocatable(type, NULL);
    type->group_count = 1;
    for (size_t i = 0; i < type->offering_count; i++) {
        const struct offering *o = &type->offerings[i];
        size_t g = o->overridden ? 1 : 0;
        if (!o->available) {
            continue;
        }
        while (g > 0 && g < type->group_count && !same_overrides(type->groups[g].offerings[0], o)) {
            g++;
        }
        struct allocatable_group *group = &type->groups[g];
        if (g == type->group_count) {
            group->allocatable = allocatable(type, o);
            type->group_count++;
        }
        group->offerings = ref_push(group->offerings, group->count, sizeof group->offerings[0]);
        group->offerings[group->count++] = o;
    }
}

struct types ref_types_read(const json_t *array, size_t first)
{
    struct types out = { ref_alloc((json_array_size(array) + 1) * sizeof(void *)), 0 };
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *doc = json_array_get(array, i);
        struct instance_type *type = ref_alloc(sizeof *type);
        type->index = first + i;
        type->name = ref_text(doc, "name");
        type->requirements = ref_requirements(ref_expressions_read(ref_at(doc, "requirements")));
        type->capacity = ref_resources_read(ref_at(doc, "capacity"));
        type->overhead = total_overhead(ref_at(doc, "overhead"));
        type->offerings = ref_alloc((ref_length(doc, "offerings") + 1) * sizeof type->offerings[0]);
        for (size_t j = 0; j < ref_length(doc, "offerings"); j++) {
            type->offerings[type->offering_count++] = read_offering(ref_item(doc, "offerings", j));
        }
        type->volume_limits = ref_at(doc, "volumeAttachmentLimits");
        type->devices = ref_type_devices_read(ref_at(doc, "dynamicResources"));
        group_offerings(type);
        out.items[out.count++] = type;
    }
    return out;
}

struct types ref_types_append(struct types list, struct types more)
{
    struct types out = { ref_alloc((list.count + more.count + 1) * sizeof(void *)), 0 };
    for (size_t i = 0; i < list.count; i++) {
        out.items[out.count++] = list.items[i];
    }
    for (size_t i = 0; i < more.count; i++) {
        out.items[out.count++] = more.items[i];
    }
    return out;
}

/* ------------------------------------------------------------------------------------------------ the tests (10.3) */

bool ref_offering_usable(const struct offering *offering, struct requirements requirements)
{
    return offering->available && ref_compatible(requirements, offering->requirements, true);
}

bool ref_offering_launchable(const struct offering *offering, struct requirements requirements)
{
    bool full = ref_since(1015) && offering->reserved && offering->reservation_capacity <= 0;
    return !full && ref_offering_usable(offering, requirements);
}

void ref_type_fit(const struct instance_type *type, struct resources requests, struct requirements requirements,
                  bool *fits, bool *has_offering)
{
    *fits = *has_offering = false;
    for (size_t g = 0; g < type->group_count && !*fits; g++) {
        const struct allocatable_group *group = &type->groups[g];
        for (size_t i = 0; i < group->count; i++) {
            if (ref_offering_usable(group->offerings[i], requirements)) {
                *has_offering = true;
                *fits = ref_resources_fit(requests, group->allocatable);
                break;
            }
        }
    }
}

/* ------------------------------------------------------------------------------------------------ order by price
 * (10.4) */

struct priced {
    const struct instance_type *type;
    bool offered;
    double price;
};

static int cheaper(const void *a, const void *b)
{
    const struct priced *x = a, *y = b;
    if (x->offered != y->offered) {
        return x->offered ? -1 : 1;
    }
    if (x->offered && (x->price < y->price || x->price > y->price)) {
        return x->price < y->price ? -1 : 1;
    }
    return 0;
}

static int cheaper_or_by_name(const void *a, const void *b)
{
    int order = cheaper(a, b);
    return order != 0 ? order : strcmp(((const struct priced *)a)->type->name, ((const struct priced *)b)->type->name);
}

struct types ref_types_by_price(struct types list, struct requirements requirements, bool by_name)
{
    struct priced *priced = ref_alloc((list.count + 1) * sizeof *priced);
    struct types out = { ref_alloc((list.count + 1) * sizeof(void *)), list.count };
    for (size_t i = 0; i < list.count; i++) {
        priced[i].type = list.items[i];
        for (size_t j = 0; j < list.items[i]->offering_count; j++) {
            const struct offering *o = &list.items[i]->offerings[j];
            if (ref_offering_launchable(o, requirements) && (!priced[i].offered || o->price < priced[i].price)) {
                priced[i].offered = true;
                priced[i].price = o->price;
            }
        }
    }
    if (by_name) {
        ref_sort(priced, list.count, sizeof *priced, cheaper_or_by_name);
    } else {
        ref_go_sort(priced, list.count, sizeof *priced, cheaper);
    }
    for (size_t i = 0; i < list.count; i++) {
        out.items[i] = priced[i].type;
    }
    return out;
}

/* ------------------------------------------------------------------------------------------------ minValues (24) */

int64_t ref_too_few_values(struct types list, const struct requirement *requirement)
{
    const char **seen = NULL;
    size_t count = 0;
    if (!requirement->has_min || list.count == 0) {
        return -1;
    }
    for (size_t i = 0; i < list.count; i++) {
        const struct requirement *r = ref_get(list.items[i]->requirements, requirement->key);
        for (size_t j = 0; r != NULL && j < r->values.count; j++) {
            if (ref_since(1015) && !ref_has(requirement, r->values.items[j])) {
                continue; /* K15-5 */
            }
            seen = ref_push(seen, count, sizeof *seen);
            seen[count++] = r->values.items[j];
        }
    }
    int64_t distinct = (int64_t)ref_names_sorted(seen, count).count;
    return distinct < requirement->min ? distinct : -1;
}

bool ref_lacks_values(struct types list, struct requirements requirements)
{
    for (size_t i = 0; i < requirements.count; i++) {
        if (ref_too_few_values(list, &requirements.items[i]) >= 0) {
            return true;
        }
    }
    return false;
}
