/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/launch_volumes.h>

#include <schedule/scheduler.h>
#include <schedule/types.h>
#include <schedule/volumes.h>
#include <string.h>

/* Number of volumes that a launch would have, for each driver that some type limits. */
struct volume_counts {
    uint32_t driver, count;
};

static bool add_driver(scheduler *s, uint32_t driver)
{
    for (uint32_t i = 0; i < s->volumes.limited_drivers; i++) {
        if (s->volumes.counts[i].driver == driver) return true;
    }
    struct volume_counts *list = arena_array(&s->data, s->volumes.limited_drivers + (size_t)1, sizeof *list);
    if (list == NULL) return false;
    if (s->volumes.limited_drivers > 0) memcpy(list, s->volumes.counts, s->volumes.limited_drivers * sizeof *list);
    list[s->volumes.limited_drivers++].driver = driver;
    s->volumes.counts = list;
    return true;
}

bool launch_volumes_init(scheduler *s)
{
    const karp_snapshot *w = s->snapshot;
    if (!in_force(s, RULE_LAUNCH_VOLUMES)) return true;
    for (uint32_t t = 0; t < w->table_count; t++) {
        for (uint32_t i = 0; w->tables[t].limits_volumes && i < w->tables[t].type_count; i++) {
            const instance_type *type = &w->tables[t].types[i];
            for (uint32_t l = 0; l < type->volume_limit_count; l++) {
                if (!add_driver(s, type->volume_limits[l].driver)) return false;
            }
        }
    }
    return true;
}

static uint32_t place_of_driver(const scheduler *s, uint32_t driver)
{
    uint32_t i = 0;
    while (i < s->volumes.limited_drivers && s->volumes.counts[i].driver != driver) i++;
    return i;
}

bool launch_volumes_limited(scheduler *s, uint32_t class_number)
{
    if (s->volumes.limited_drivers == 0) return false;
    const struct class_volumes *v = volumes_of_class(s, class_number);
    for (uint32_t i = 0; v != NULL && v->found && i < v->count; i++) {
        if (place_of_driver(s, v->items[i].driver) < s->volumes.limited_drivers) return true;
    }
    return false;
}

static bool holds(const claim *c, const volume_use *u)
{
    for (uint32_t i = 0; i < c->volume_count; i++) {
        if (c->volumes[i].claim == u->claim && c->volumes[i].name_space == u->name_space) return true;
    }
    return false;
}

static void count_one(scheduler *s, const volume_use *u)
{
    uint32_t at = place_of_driver(s, u->driver);
    if (at < s->volumes.limited_drivers) s->volumes.counts[at].count++;
}

/* Counts the claim's volumes and those of one more pod, by driver; false = out of memory. */
static bool count_all(scheduler *s, const claim *c, uint32_t class_number)
{
    const struct class_volumes *v = volumes_of_class(s, class_number);
    if (v == NULL) return false;
    for (uint32_t i = 0; i < s->volumes.limited_drivers; i++) s->volumes.counts[i].count = 0;
    for (uint32_t i = 0; i < c->volume_count; i++) count_one(s, &c->volumes[i]);
    for (uint32_t i = 0; i < v->count; i++) {
        if (!holds(c, &v->items[i])) count_one(s, &v->items[i]);
    }
    return true;
}

/* Overlaid types have limits from Karpenter 1.15 on (K15-7). */
static bool has_limits(const scheduler *s, const instance_type *type)
{
    return type->volume_limit_count > 0 && (!type->overlaid || in_force(s, RULE_OVERLAYS_KEEP));
}

/* Whether the type can attach the counted volumes. `only`: of one driver; NO_ID = of all. */
static bool within(const scheduler *s, const instance_type *type, uint32_t only)
{
    for (uint32_t l = 0; has_limits(s, type) && l < type->volume_limit_count; l++) {
        uint32_t at = place_of_driver(s, type->volume_limits[l].driver);
        if (only != NO_ID && at != only) continue;
        if (s->volumes.counts[at].count > type->volume_limits[l].count && s->volumes.counts[at].count > 0) return false;
    }
    return true;
}

uint32_t launch_volumes_narrow(scheduler *s, const claim *c, uint32_t class_number, uint32_t types)
{
    const template_ *t = &s->templates.items[c->template_];
    size_t width = t->table->variant_count;
    const uint64_t *bits = s->types.sets.items[types].bits;
    if (!count_all(s, c, class_number)) return NO_ID;
    uint64_t *out = mem_zalloc(s->context, (template_words(t) + 1) * sizeof *out);
    if (out == NULL) {
        s->failed = true;
        return NO_ID;
    }
    for (size_t v = bits_next(bits, width, 0); v < width; v = bits_next(bits, width, v + 1)) {
        if (!within(s, &t->table->types[t->table->variants[v].type], NO_ID)) bits_set(out, v);
    }
    uint32_t left = bits_any(out, template_words(t)) ? typeset_without(s, types, out) : types;
    mem_free(s->context, out, (template_words(t) + 1) * sizeof *out);
    return left;
}

bool launch_volumes_take(scheduler *s, claim *c, uint32_t class_number)
{
    const struct class_volumes *v = volumes_of_class(s, class_number);
    volume_use *all = v == NULL ? NULL
                                : arena_array(&s->round.data, c->volume_count + (size_t)v->count + 1, sizeof *all);
    if (all == NULL) {
        s->failed = true;
        return false;
    }
    uint32_t n = c->volume_count;
    if (n > 0) memcpy(all, c->volumes, n * sizeof *all);
    for (uint32_t i = 0; i < v->count; i++) {
        if (v->items[i].driver != NO_TEXT && !holds(c, &v->items[i])) all[n++] = v->items[i];
    }
    c->volumes = all;
    c->volume_count = n;
    return true;
}

/* Whether the driver alone excludes every type. *largest receives the largest limit. */
static bool excludes_all(const scheduler *s, const template_ *t, const uint64_t *bits, uint32_t at, int64_t *largest)
{
    size_t width = t->table->variant_count;
    *largest = INT64_MIN;
    for (size_t v = bits_next(bits, width, 0); v < width; v = bits_next(bits, width, v + 1)) {
        const instance_type *type = &t->table->types[t->table->variants[v].type];
        if (within(s, type, at)) return false;
        for (uint32_t l = 0; l < type->volume_limit_count; l++) {
            bool own = type->volume_limits[l].driver == s->volumes.counts[at].driver;
            if (own && type->volume_limits[l].count > *largest) *largest = type->volume_limits[l].count;
        }
    }
    return true;
}

bool launch_volumes_blame(scheduler *s, const claim *c, uint32_t class_number, uint32_t types, uint32_t *driver,
                          uint32_t *count, int64_t *limit)
{
    const template_ *t = &s->templates.items[c->template_];
    if (!count_all(s, c, class_number)) return false;
    for (uint32_t i = 0; i < s->volumes.limited_drivers; i++) {
        if (!excludes_all(s, t, s->types.sets.items[types].bits, i, limit)) continue;
        *driver = s->volumes.counts[i].driver;
        *count = s->volumes.counts[i].count;
        return true;
    }
    return false;
}
