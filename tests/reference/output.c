/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Truncation (scheduling.md 31.2) and the decision part of a Plan (formats.md 3). That a simulation does not count on
 * nodes which are not initialized (32.5) is left to whoever simulates: a Plan shows the outcome before (32.0).
 */
#include <string.h>

#include "memory.h"
#include "scheduler.h"

enum { MAX_TYPES = 600 };

/* ------------------------------------------------------------------------------------------------ after the loop */

/** The first types, each name once. */
static struct types first_names(struct types list, size_t most)
{
    struct types out = { list.items, 0 };
    for (size_t i = 0; i < list.count && out.count < most; i++) {
        bool repeated = false;
        for (size_t j = 0; j < out.count && !repeated; j++) {
            repeated = strcmp(out.items[j]->name, list.items[i]->name) == 0;
        }
        if (!repeated) {
            out.items[out.count++] = list.items[i];
        }
    }
    return out;
}

/** (31.2) */
static void truncate_types(struct scheduler *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->claim_count; i++) {
        struct claim *c = s->claims[i];
        c->types = first_names(ref_types_by_price(c->types, c->requirements, false), MAX_TYPES);
        c->types = ref_types_by_price(c->types, c->requirements, true); /* which is the order that is shown */
        if (s->world->best_effort || !ref_lacks_values(c->types, c->requirements)) {
            s->claims[kept++] = c;
            continue;
        }
        for (size_t j = 0; j < c->pod_count; j++) {
            s->errors[c->pods[j]->index] = "MIN_VALUES";
        }
    }
    s->claim_count = kept;
}

/* ------------------------------------------------------------------------------------------------ JSON */

static json_t *text_list(const char *const *items, size_t count)
{
    json_t *out = json_array();
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(out, json_string(items[i]));
    }
    return out;
}

static json_t *pod_list(const struct pod *const *pods, size_t count)
{
    const char **keys = ref_alloc((count + 1) * sizeof *keys);
    for (size_t i = 0; i < count; i++) {
        keys[i] = pods[i]->key;
    }
    struct names sorted = ref_names_sorted(keys, count);
    return text_list(sorted.items, sorted.count);
}

static void add_entry(json_t *list, const struct requirement *r, const char *op, json_t *values)
{
    json_t *entry = json_pack("{s:s, s:s, s:o}", "key", r->key, "operator", op, "values", values);
    if (r->has_min) {
        json_object_set_new(entry, "minValues", json_integer(r->min));
    }
    json_array_append_new(list, entry);
}

static json_t *bound(int64_t value) { return json_pack("[s]", ref_format("%lld", (long long)value)); }

static json_t *requirement_list(struct requirements list)
{
    json_t *out = json_array();
    for (size_t i = 0; i < list.count; i++) {
        const struct requirement *r = &list.items[i];
        if (strcmp(r->key, REGISTERED) == 0 || strcmp(r->key, INITIALIZED) == 0) {
            continue;
        }
        add_entry(out, r, ref_operator_name(ref_operator(r)), text_list(r->values.items, r->values.count));
        if (r->has_gte) {
            add_entry(out, r, "Gte", bound(r->gte));
        }
        if (r->has_lte) {
            add_entry(out, r, "Lte", bound(r->lte));
        }
    }
    return out;
}

static json_t *launch(const struct claim *c)
{
    json_t *types = json_array(), *requests = json_object();
    for (size_t i = 0; i < c->types.count; i++) {
        json_array_append_new(types, json_string(c->types.items[i]->name));
    }
    for (size_t i = 0; i < c->requests.count; i++) {
        json_object_set_new(requests, c->requests.items[i].name,
                            json_string(ref_amount_text(c->requests.items[i].value)));
    }
    return json_pack("{s:s, s:o, s:o, s:o, s:o}", "nodePool", c->template->pool->name, "pods",
                     pod_list(c->pods, c->pod_count), "requests", requests, "requirements",
                     requirement_list(c->requirements), "instanceTypes", types);
}

/** By pool, then by pods: all of them, as one text. */
static int by_pods(const void *a, const void *b)
{
    const struct claim *x = *(struct claim *const *)a, *y = *(struct claim *const *)b;
    int order = strcmp(x->template->pool->name, y->template->pool->name);
    const char *first[2] = { NULL, NULL };
    const struct claim *const both[] = { x, y };
    for (size_t c = 0; c < 2; c++) {
        for (size_t i = 0; i < both[c]->pod_count; i++) {
            if (first[c] == NULL || strcmp(both[c]->pods[i]->key, first[c]) < 0) {
                first[c] = both[c]->pods[i]->key;
            }
        }
    }
    return order != 0 ? order : strcmp(first[0] != NULL ? first[0] : "", first[1] != NULL ? first[1] : "");
}

static int by_node(const void *a, const void *b)
{
    return strcmp(((const struct existing *)a)->state->name, ((const struct existing *)b)->state->name);
}

char *ref_print(struct scheduler *s)
{
    json_t *launches = json_array(), *placements = json_array(), *failed = json_array(), *ignored = json_array();
    struct world *w = s->world;
    truncate_types(s);
    ref_sort(s->claims, s->claim_count, sizeof(struct claim *), by_pods);
    for (size_t i = 0; i < s->claim_count; i++) {
        json_array_append_new(launches, launch(s->claims[i]));
    }
    ref_sort(s->nodes, s->node_count, sizeof s->nodes[0], by_node);
    for (size_t i = 0; i < s->node_count; i++) {
        if (s->nodes[i].pod_count > 0) {
            json_array_append_new(placements, json_pack("{s:s, s:o}", "node", s->nodes[i].state->name, "pods",
                                                        pod_list(s->nodes[i].pods, s->nodes[i].pod_count)));
        }
    }
    for (size_t i = 0; i < w->pod_count; i++) {
        if (s->errors != NULL && s->errors[i] != NULL) {
            json_array_append_new(failed, json_pack("{s:s, s:s}", "pod", w->pods[i].key, "code", s->errors[i]));
        }
    }
    for (size_t i = 0; i < w->ignored_count; i++) {
        const struct ignored *x = &w->ignored[i];
        json_array_append_new(ignored,
                              json_pack("{s:s, s:s, s:s}", "pod", x->pod->key, "code", x->code, "message", x->message));
    }
    json_t *plan = json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "apiVersion", "karp/v1", "kind", "Plan", "launches",
                             launches, "placements", placements, "unschedulable", failed, "ignored", ignored);
    char *text = json_dumps(plan, JSON_INDENT(1));
    json_decref(plan);
    return text;
}
