/* SPDX-License-Identifier: Apache-2.0 */
/* What devices take of capacities and counters, and what earlier pods left (dra.md D8, D9). */
#include <string.h>

#include "devices.h"
#include "memory.h"

amount ref_whole(amount value)
{
    amount whole = value / NANO, rest = value % NANO;
    return whole + (rest > 0) - (rest < 0);
}

/* ------------------------------------------------------------------------------------------------ request policies */

static bool stated(const json_t *object, const char *key, amount *out)
{
    bool there = ref_at(object, key) != NULL;
    *out = there ? ref_quantity_at(object, key) : 0;
    return there;
}

static amount rounded_up(const struct dimension *d, amount wanted)
{
    const json_t *range = ref_at(d->policy, "validRange");
    amount least, step, value;
    if (range != NULL && stated(range, "min", &least)) {
        if (wanted < least) {
            return least;
        }
        if (!stated(range, "step", &step) || step == 0) {
            return wanted;
        }
        amount added = ref_whole(wanted) - ref_whole(least), steps = added / ref_whole(step);
        steps += added % ref_whole(step) != 0;
        return (ref_whole(least) + ref_whole(step) * steps) * NANO;
    }
    for (size_t i = 0; i < ref_length(d->policy, "validValues"); i++) {
        const char *text = ref_scalar(ref_item(d->policy, "validValues", i));
        if (text != NULL && ref_amount_parse(text, &value) && wanted <= value) {
            return value;
        }
    }
    return wanted;
}

static bool in_range(const json_t *range, amount value)
{
    amount least, most, step;
    (void)stated(range, "min", &least);
    if (stated(range, "max", &most) && value > most) {
        return false;
    }
    return !stated(range, "step", &step) || step == 0 || (ref_whole(value) - ref_whole(least)) % ref_whole(step) == 0;
}

static bool is_allowed(const struct dimension *d, amount value)
{
    const json_t *range = ref_at(d->policy, "validRange");
    amount usual, one;
    if (stated(d->policy, "default", &usual) && value == usual) {
        return true;
    }
    if (range != NULL) {
        return in_range(range, value);
    }
    size_t count = ref_length(d->policy, "validValues");
    for (size_t i = 0; i < count; i++) {
        const char *text = ref_scalar(ref_item(d->policy, "validValues", i));
        if (text != NULL && ref_amount_parse(text, &one) && one == value) {
            return true;
        }
    }
    return count == 0;
}

bool ref_consumed(const struct device *device, struct resources wanted, struct resources *out)
{
    *out = (struct resources){ ref_alloc((device->dimension_count + 1) * sizeof(struct resource)), 0 };
    for (size_t i = 0; i < device->dimension_count; i++) {
        const struct dimension *d = &device->dimensions[i];
        const struct resource *asked = ref_resources_find(wanted, d->name);
        amount value = d->value;
        if (asked != NULL) {
            value = d->policy != NULL ? rounded_up(d, asked->value) : asked->value;
        } else {
            value = stated(d->policy, "default", &value) ? value : d->value;
        }
        if (!is_allowed(d, value)) {
            return false;
        }
        out->items[out->count++] = (struct resource){ d->name, value };
    }
    for (size_t i = 0; i < wanted.count; i++) {
        if (ref_resources_find(*out, wanted.items[i].name) == NULL) {
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------ sums */

amount ref_counter_of(const struct taken *items, size_t count, const struct device_id *id, const char *set,
                      const char *name)
{
    amount out = 0;
    for (size_t i = 0; i < count; i++) {
        const struct device *d = items[i].device;
        if (d->id.template != id->template || strcmp(d->id.driver, id->driver) != 0 ||
            strcmp(d->id.pool, id->pool) != 0) {
            continue;
        }
        for (size_t j = 0; j < d->consumes_count; j++) {
            if (strcmp(d->consumes[j].set, set) == 0) {
                out += ref_resources_get(d->consumes[j].counters, name);
            }
        }
    }
    return out;
}

amount ref_capacity_of(const struct taken *items, size_t count, const struct device_id *id, const char *dimension)
{
    amount out = 0;
    for (size_t i = 0; i < count; i++) {
        if (items[i].device->shared && ref_same_device(&items[i].device->id, id)) {
            out += ref_resources_get(items[i].consumed, dimension);
        }
    }
    return out;
}

/** Of a counter if @p set is given, else of a dimension. */
static amount taken_of(const struct share *share, const struct device_id *id, const char *set, const char *name)
{
    return set != NULL ? ref_counter_of(share->items, share->count, id, set, name)
                       : ref_capacity_of(share->items, share->count, id, name);
}

/** All that one candidate takes if it becomes that type. */
static amount taken_as(const struct devices *d, const char *candidate, const char *type, const struct device_id *id,
                       const char *set, const char *name)
{
    amount out = 0;
    for (size_t i = 0; i < d->shares.count; i++) {
        const struct share *s = &d->shares.items[i];
        if (strcmp(s->candidate, candidate) == 0 && strcmp(s->type, type) == 0) {
            out += taken_of(s, id, set, name);
        }
    }
    return out;
}

/** Of each candidate, what it takes as that of its types that takes most. */
static amount taken_by_all(const struct devices *d, const struct device_id *id, const char *set, const char *name)
{
    amount out = 0;
    for (size_t i = 0; i < d->shares.count; i++) {
        const char *candidate = d->shares.items[i].candidate;
        bool seen = false;
        amount most = 0;
        for (size_t j = 0; j < i; j++) {
            seen = seen || strcmp(d->shares.items[j].candidate, candidate) == 0;
        }
        for (size_t j = i; !seen && j < d->shares.count; j++) {
            if (strcmp(d->shares.items[j].candidate, candidate) == 0) {
                amount one = taken_as(d, candidate, d->shares.items[j].type, id, set, name);
                most = one > most ? one : most;
            }
        }
        out += most;
    }
    return out;
}

/* ------------------------------------------------------------------------------------------------ what is left */

bool ref_is_held(const struct devices *d, const struct candidate *candidate, const char *type,
                 const struct device_id *id)
{
    for (size_t i = 0; i < d->held_count; i++) {
        if (ref_same_device(&d->held[i], id)) {
            return true;
        }
    }
    for (size_t i = 0; i < d->shares.count; i++) {
        const struct share *s = &d->shares.items[i];
        bool mine = strcmp(s->candidate, candidate->id) == 0, same_type = strcmp(s->type, type) == 0;
        for (size_t j = 0; j < s->count; j++) {
            const struct device *device = s->items[j].device;
            bool bars = id->template ? mine && same_type : !mine || same_type;
            if (bars && !device->shared && ref_same_device(&device->id, id)) {
                return true;
            }
        }
    }
    return false;
}

amount ref_capacity_used(const struct devices *d, const struct candidate *candidate, const char *type,
                         const struct device_id *id, const char *dimension)
{
    amount out = 0;
    if (id->template) {
        return taken_as(d, candidate->id, type, id, NULL, dimension);
    }
    for (size_t i = 0; i < d->shared_count; i++) {
        if (ref_same_device(&d->shared[i].id, id)) {
            out += ref_resources_get(d->shared[i].consumed, dimension);
        }
    }
    return out + taken_by_all(d, id, NULL, dimension);
}

static const struct budgets *budgets_for(const struct devices *d, const struct candidate_type *type,
                                         const struct device_id *id)
{
    return id->template ? &type->known->devices->budgets : &d->budgets;
}

bool ref_has_counters(const struct devices *d, const struct candidate_type *type, const struct device_id *id)
{
    const struct budgets *budgets = budgets_for(d, type, id);
    for (size_t i = 0; i < budgets->count; i++) {
        if (strcmp(budgets->items[i].driver, id->driver) == 0 && strcmp(budgets->items[i].pool, id->pool) == 0) {
            return true;
        }
    }
    return false;
}

bool ref_counter_left(const struct devices *d, const struct candidate *candidate, const struct candidate_type *type,
                      const struct device_id *id, const char *set, const char *name, amount *left)
{
    const struct budgets *budgets = budgets_for(d, type, id);
    for (size_t i = budgets->count; i > 0; i--) {
        const struct budget *b = &budgets->items[i - 1];
        if (strcmp(b->driver, id->driver) == 0 && strcmp(b->pool, id->pool) == 0 && strcmp(b->set, set) == 0 &&
            strcmp(b->name, name) == 0) {
            *left = b->total - (id->template ? taken_as(d, candidate->id, type->name, id, set, name)
                                             : taken_by_all(d, id, set, name));
            return true;
        }
    }
    return false;
}
