/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of published devices, as one candidate sees them (dra.md D4). */
#include <string.h>

#include "devices.h"
#include "memory.h"

static bool reaches(const struct slice *s, struct requirements requirements, const char *node_name)
{
    if (s->all_nodes || s->counters != NULL) {
        return true;
    }
    if (*s->node_name != '\0') {
        return strcmp(s->node_name, node_name) == 0;
    }
    for (size_t i = 0; i < s->term_count; i++) {
        if (ref_compatible(requirements, s->terms[i], true)) {
            return true;
        }
    }
    return false;
}

/** Slices of one driver and pool, before it is known which generation counts. */
struct builder {
    const char *driver, *name;
    int64_t generation, slice_count;
    struct slices slices;
};

static void enter(struct builder *b, const struct slice *s)
{
    if (b->slices.count > 0 && s->generation < b->generation) {
        return;
    }
    if (b->slices.count == 0 || s->generation > b->generation) {
        b->slices = (struct slices){ NULL, 0 };
        b->generation = s->generation;
        b->slice_count = s->slice_count;
    }
    b->slices.items = ref_push(b->slices.items, b->slices.count, sizeof(void *));
    b->slices.items[b->slices.count++] = s;
}

static bool has_budget(struct budgets budgets, const char *set, const char *name)
{
    for (size_t i = 0; i < budgets.count; i++) {
        if (strcmp(budgets.items[i].set, set) == 0 && strcmp(budgets.items[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/** The counters of a pool; false if a set stands twice. The last of several counts. */
static bool gather_budgets(struct slices slices, struct budgets *out)
{
    bool valid = true;
    *out = (struct budgets){ NULL, 0 };
    for (size_t i = 0; i < slices.count; i++) {
        const struct slice *s = slices.items[i];
        for (size_t j = 0; j < json_array_size(s->counters); j++) {
            const char *set = ref_text(json_array_get(s->counters, j), "name");
            size_t kept = 0;
            valid = valid && !has_budget(*out, set, "");
            for (size_t k = 0; k < out->count; k++) {
                if (strcmp(out->items[k].set, set) != 0) {
                    out->items[kept++] = out->items[k];
                }
            }
            out->count = kept;
            *out = ref_budgets_read(*out, s->driver, s->pool, json_array_get(s->counters, j));
        }
    }
    return valid;
}

static bool counters_exist(struct budgets budgets, const struct slice *s)
{
    for (size_t i = 0; i < s->devices.count; i++) {
        const struct device *d = s->devices.items[i];
        for (size_t j = 0; j < d->consumes_count; j++) {
            const struct consumption *c = &d->consumes[j];
            if (!has_budget(budgets, c->set, "")) {
                return false;
            }
            for (size_t k = 0; k < c->counters.count; k++) {
                if (!has_budget(budgets, c->set, c->counters.items[k].name)) {
                    return false;
                }
            }
        }
    }
    return true;
}

static size_t counting(const struct slice *s)
{
    size_t count = 0;
    for (size_t i = 0; i < s->devices.count; i++) {
        count += s->devices.items[i]->consumes_count > 0;
    }
    return count;
}

static void take_in(struct device_pool *p, const struct slice *s)
{
    p->slices.items = ref_push(p->slices.items, p->slices.count, sizeof(void *));
    p->slices.items[p->slices.count++] = s;
    for (size_t i = 0; i < s->devices.count; i++) {
        for (size_t j = 0; j < p->devices.count; j++) {
            p->invalid = p->invalid || strcmp(p->devices.items[j]->id.device, s->devices.items[i]->id.device) == 0;
        }
        ref_device_push(&p->devices, s->devices.items[i]);
    }
}

static const struct device_pool *build(const struct builder *b, struct requirements requirements, const char *node_name)
{
    struct device_pool *p = ref_alloc(sizeof *p);
    *p = (struct device_pool){ .driver = b->driver, .name = b->name, .all = b->slices };
    p->incomplete = (int64_t)b->slices.count != b->slice_count;
    p->invalid = !gather_budgets(b->slices, &p->budgets);
    for (size_t i = 0; i < b->slices.count; i++) {
        const struct slice *s = b->slices.items[i];
        if (s->counters != NULL) {
            continue; /* its devices, if any, are not looked at */
        }
        p->invalid = p->invalid || !counters_exist(p->budgets, s);
        if (reaches(s, requirements, node_name)) {
            take_in(p, s);
        } else {
            p->elsewhere += counting(s);
        }
    }
    if (p->invalid) {
        p->slices.count = p->devices.count = 0;
        return p;
    }
    return p->slices.count > 0 || p->elsewhere > 0 ? p : NULL;
}

static int by_pool(const void *a, const void *b)
{
    const struct device_pool *x = *(const struct device_pool *const *)a, *y = *(const struct device_pool *const *)b;
    int order = strcmp(x->driver, y->driver);
    return order != 0 ? order : strcmp(x->name, y->name);
}

static void push_pool(struct device_pools *list, const struct device_pool *pool)
{
    if (pool != NULL) {
        list->items = ref_push(list->items, list->count, sizeof(void *));
        list->items[list->count++] = pool;
    }
}

struct device_pools ref_device_pools(struct slices slices, struct requirements requirements, const char *node_name)
{
    struct builder *builders = ref_alloc((slices.count + 1) * sizeof *builders);
    size_t count = 0;
    struct device_pools out = { NULL, 0 };
    for (size_t i = 0; i < slices.count; i++) {
        const struct slice *s = slices.items[i];
        size_t b = 0;
        while (b < count && (strcmp(builders[b].driver, s->driver) != 0 || strcmp(builders[b].name, s->pool) != 0)) {
            b++;
        }
        if (b == count) {
            builders[count++] = (struct builder){ .driver = s->driver, .name = s->pool };
        }
        enter(&builders[b], s);
    }
    for (size_t b = 0; b < count; b++) {
        push_pool(&out, build(&builders[b], requirements, node_name));
    }
    ref_sort(out.items, out.count, sizeof(void *), by_pool);
    return out;
}

/** Neither the newest generation nor what is invalid is looked at again. */
static const struct device_pool *narrow(const struct device_pool *pool, struct requirements requirements,
                                        const char *node_name)
{
    struct device_pool *p = ref_alloc(sizeof *p);
    *p = *pool;
    p->slices = (struct slices){ NULL, 0 };
    p->devices = (struct device_list){ NULL, 0 };
    for (size_t i = 0; i < pool->slices.count; i++) {
        const struct slice *s = pool->slices.items[i];
        if (reaches(s, requirements, node_name)) {
            take_in(p, s);
        } else {
            p->elsewhere += counting(s);
        }
    }
    return p->invalid || p->slices.count > 0 || p->elsewhere > 0 ? p : NULL;
}

struct device_pools ref_device_pools_narrow(struct device_pools pools, struct requirements requirements,
                                            const char *node_name)
{
    struct device_pools out = { NULL, 0 };
    for (size_t i = 0; i < pools.count; i++) {
        push_pool(&out, narrow(pools.items[i], requirements, node_name));
    }
    return out;
}

const struct device_pool *ref_device_pool(struct device_pools pools, const char *driver, const char *name)
{
    for (size_t i = 0; i < pools.count; i++) {
        if (strcmp(pools.items[i]->driver, driver) == 0 && strcmp(pools.items[i]->name, name) == 0) {
            return pools.items[i];
        }
    }
    return NULL;
}
