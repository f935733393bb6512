/* SPDX-License-Identifier: Apache-2.0 */
/* Devices as slices and instance types describe them (dra.md D1). */
#include <string.h>

#include "devices.h"
#include "memory.h"

bool ref_same_device(const struct device_id *a, const struct device_id *b)
{
    return a->template == b->template && strcmp(a->driver, b->driver) == 0 && strcmp(a->pool, b->pool) == 0 &&
           strcmp(a->device, b->device) == 0;
}

void ref_device_push(struct device_list *list, const struct device *device)
{
    list->items = ref_push(list->items, list->count, sizeof(void *));
    list->items[list->count++] = device;
}

amount ref_quantity_at(const json_t *object, const char *key)
{
    const char *text = ref_scalar(ref_at(object, key));
    amount out = 0;
    if (text == NULL || !ref_amount_parse(text, &out)) {
        ref_fault("bad quantity of %s: %s", key, text != NULL ? text : "neither text nor number");
    }
    return out;
}

struct resources ref_values_read(const json_t *object)
{
    struct labels keys = ref_labels_read(object);
    struct resources out = { ref_alloc((keys.count + 1) * sizeof(struct resource)), keys.count };
    for (size_t i = 0; i < keys.count; i++) {
        out.items[i] = (struct resource){ keys.items[i].key,
                                          ref_quantity_at(ref_at(object, keys.items[i].key), "value") };
    }
    return out;
}

struct budgets ref_budgets_read(struct budgets onto, const char *driver, const char *pool, const json_t *set)
{
    struct resources counters = ref_values_read(ref_at(set, "counters"));
    for (size_t j = 0; j <= counters.count; j++) {
        onto.items = ref_push(onto.items, onto.count, sizeof onto.items[0]);
        onto.items[onto.count++] = (struct budget){ driver, pool, ref_text(set, "name"),
                                                    j > 0 ? counters.items[j - 1].name : "",
                                                    j > 0 ? counters.items[j - 1].value : 0 };
    }
    return onto;
}

static void read_dimensions(struct device *d, const json_t *capacity)
{
    struct labels keys = ref_labels_read(capacity);
    d->dimensions = ref_alloc((keys.count + 1) * sizeof d->dimensions[0]);
    d->dimension_count = keys.count;
    for (size_t i = 0; i < keys.count; i++) {
        const json_t *entry = ref_at(capacity, keys.items[i].key);
        d->dimensions[i] = (struct dimension){ keys.items[i].key, ref_quantity_at(entry, "value"),
                                               ref_at(entry, "requestPolicy") };
    }
}

static const struct device *read_device(const json_t *doc, const char *driver, const char *pool, bool template,
                                        const struct requirements *topology)
{
    struct device *d = ref_alloc(sizeof *d);
    *d = (struct device){
        .id = { driver, pool, ref_text(doc, "name"), template },
        .attributes = ref_at(doc, "attributes"),
        .shared = ref_true(doc, "allowMultipleAllocations", false),
        .has_topology = topology != NULL,
    };
    if (topology != NULL) {
        d->topology = *topology;
    }
    read_dimensions(d, ref_at(doc, "capacity"));
    d->consumes = ref_alloc((ref_length(doc, "consumesCounters") + 1) * sizeof d->consumes[0]);
    for (size_t i = 0; i < ref_length(doc, "consumesCounters"); i++) {
        const json_t *c = ref_item(doc, "consumesCounters", i);
        d->consumes[d->consumes_count++] = (struct consumption){ ref_text(c, "counterSet"),
                                                                 ref_values_read(ref_at(c, "counters")) };
    }
    return d;
}

const struct type_devices *ref_type_devices_read(const json_t *doc)
{
    struct type_devices *out = ref_alloc(sizeof *out);
    out->bindings = ref_at(doc, "attributeBindings");
    for (size_t i = 0; i < ref_length(doc, "resourceSlices"); i++) {
        const json_t *slice = ref_item(doc, "resourceSlices", i);
        const char *driver = ref_text(slice, "driver"), *pool = ref_text(slice, "pool");
        for (size_t j = 0; j < ref_length(slice, "devices"); j++) {
            ref_device_push(&out->devices, read_device(ref_item(slice, "devices", j), driver, pool, true, NULL));
        }
        for (size_t j = 0; j < ref_length(slice, "sharedCounters"); j++) {
            out->budgets = ref_budgets_read(out->budgets, driver, pool, ref_item(slice, "sharedCounters", j));
        }
    }
    return out;
}

static struct requirements term_of(const json_t *selector, size_t index)
{
    return ref_requirements(
        ref_expressions_read(ref_at(ref_item(selector, "nodeSelectorTerms", index), "matchExpressions")));
}

struct requirements ref_all_terms(const json_t *selector)
{
    struct requirements out = { NULL, 0 };
    for (size_t i = 0; i < ref_length(selector, "nodeSelectorTerms"); i++) {
        out = ref_union(out, term_of(selector, i));
    }
    return out;
}

const struct slice *ref_slice_read(const json_t *doc)
{
    const json_t *spec = ref_at(doc, "spec"), *pool = ref_at(spec, "pool"), *selector = ref_at(spec, "nodeSelector");
    struct requirements all = ref_all_terms(selector);
    struct slice *s = ref_alloc(sizeof *s);
    *s = (struct slice){
        .name = ref_text(ref_at(doc, "metadata"), "name"),
        .driver = ref_text(spec, "driver"),
        .pool = ref_text(pool, "name"),
        .node_name = ref_text(spec, "nodeName"),
        .generation = ref_int(pool, "generation", 0),
        .slice_count = ref_int(pool, "resourceSliceCount", 0),
        .all_nodes = ref_true(spec, "allNodes", false),
        .has_selector = selector != NULL,
        .term_count = ref_length(selector, "nodeSelectorTerms"),
        .counters = ref_at(spec, "sharedCounters"),
    };
    s->terms = ref_alloc((s->term_count + 1) * sizeof s->terms[0]);
    for (size_t i = 0; i < s->term_count; i++) {
        s->terms[i] = term_of(selector, i);
    }
    for (size_t i = 0; i < ref_length(spec, "devices"); i++) {
        ref_device_push(&s->devices, read_device(ref_item(spec, "devices", i), s->driver, s->pool, false,
                                                 s->has_selector && !s->all_nodes ? &all : NULL));
    }
    return s;
}
