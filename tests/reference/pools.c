/* SPDX-License-Identifier: Apache-2.0 */
/* Pools, their types, templates and limits (scheduling.md 11, 23). */
#include <ctype.h>
#include <string.h>

#include "memory.h"
#include "scheduler.h"

/* ------------------------------------------------------------------------------------------------ catalogues */

/** A catalogue: the pools it is for (none: all), and its types. */
struct catalogue {
    struct names pools;
    struct types types;
};

static struct catalogue *read_catalogues(struct scheduler *s, const char *directory, size_t *count)
{
    const json_t *list = ref_at(s->world->doc, "catalogues");
    struct catalogue *out = ref_alloc((json_array_size(list) + 1) * sizeof *out);
    *count = json_array_size(list);
    for (size_t i = 0; i < *count; i++) {
        const json_t *entry = json_array_get(list, i), *types = ref_at(entry, "instanceTypes");
        if (types == NULL && *ref_text(entry, "path") != '\0') {
            json_error_t error;
            json_t *file = json_load_file(ref_format("%s/%s", directory, ref_text(entry, "path")), 0, &error);
            if (file == NULL) {
                ref_fault("%s: %s", ref_text(entry, "path"), error.text);
                continue;
            }
            ref_keep_document(file);
            types = file;
        }
        out[i].pools = ref_list(ref_at(entry, "nodePools"));
        out[i].pools = ref_names_sorted(out[i].pools.items, out[i].pools.count);
        out[i].types = ref_types_read(types, s->type_count);
        s->type_count += out[i].types.count;
    }
    return out;
}

/* ------------------------------------------------------------------------------------------------ pools (11.1, 11.2)
 */

static bool is_usable(const json_t *doc)
{
    return ref_at(ref_at(doc, "spec"), "replicas") == NULL &&
           *ref_text(ref_at(doc, "metadata"), "deletionTimestamp") == '\0' &&
           strcmp(ref_condition(doc, "Ready"), "True") == 0 && *ref_condition(doc, "ValidationSucceeded") != '\0' &&
           *ref_condition(doc, "NodeClassReady") != '\0';
}

static const json_t *template_of(const json_t *pool) { return ref_at(ref_at(pool, "spec"), "template"); }

static int by_weight(const void *a, const void *b)
{
    const struct pool *x = a, *y = b;
    return x->weight != y->weight ? (x->weight > y->weight ? -1 : 1) : strcmp(y->name, x->name);
}

void ref_pools_read(struct scheduler *s, const char *directory)
{
    struct objects docs = ref_objects(s->world, "NodePool");
    size_t catalogue_count = 0;
    struct catalogue *catalogues = read_catalogues(s, directory, &catalogue_count);
    s->pools = ref_alloc((docs.count + 1) * sizeof s->pools[0]);
    for (size_t i = 0; i < docs.count; i++) {
        const json_t *doc = docs.items[i], *spec = ref_at(template_of(doc), "spec");
        if (!is_usable(doc)) {
            continue;
        }
        struct pool *p = &s->pools[s->pool_count++];
        *p = (struct pool){
            .doc = doc,
            .name = ref_text(ref_at(doc, "metadata"), "name"),
            .weight = ref_int(ref_at(doc, "spec"), "weight", 0),
            .labels = ref_labels_read(ref_at(ref_at(template_of(doc), "metadata"), "labels")),
            .taints = ref_taints_read(ref_at(spec, "taints")),
            .requirements = ref_requirements(ref_expressions_read(ref_at(spec, "requirements"))),
            .remaining = ref_resources_read(ref_at(ref_at(doc, "spec"), "limits")),
        };
        for (size_t c = 0; c < catalogue_count; c++) {
            if (catalogues[c].pools.count == 0 || ref_names_has(catalogues[c].pools, p->name)) {
                p->types = ref_types_append(p->types, catalogues[c].types);
            }
        }
        for (size_t t = 0; t < p->taints.count; t++) {
            s->prefer_no_schedule = s->prefer_no_schedule || strcmp(p->taints.items[t].effect, "PreferNoSchedule") == 0;
        }
    }
    ref_sort(s->pools, s->pool_count, sizeof s->pools[0], by_weight);
}

/* ------------------------------------------------------------------------------------------------ templates
 * (11.3, 11.4) */

static struct labels class_label(const struct pool *pool)
{
    const json_t *ref = ref_at(ref_at(template_of(pool->doc), "spec"), "nodeClassRef");
    char *key = ref_format("%s/%s", ref_text(ref, "group"), ref_text(ref, "kind"));
    for (char *c = strchr(key, '/'); *c != '\0'; c++) {
        *c = (char)tolower((unsigned char)*c);
    }
    return ref_labels_one(key, ref_text(ref, "name"));
}

void ref_templates_make(struct scheduler *s)
{
    s->templates = ref_alloc((s->pool_count + 1) * sizeof s->templates[0]);
    for (size_t i = 0; i < s->pool_count; i++) {
        struct pool *pool = &s->pools[i];
        struct template *t = &s->templates[s->template_count];
        struct labels labels = ref_labels_merge(pool->labels, ref_labels_one(NODEPOOL, pool->name));
        labels = ref_labels_merge(labels, class_label(pool));
        struct requirements simulated = ref_union(ref_requirements_of_labels(ref_labels_one(REGISTERED, "true")),
                                                  ref_requirements_of_labels(ref_labels_one(INITIALIZED, "true")));
        struct daemon_group all = { .types = pool->types };
        *t = (struct template){ .pool = pool, .groups = &all, .group_count = 1 };
        t->requirements = ref_union(pool->requirements, ref_requirements_of_labels(labels));
        t->requirements = ref_union(t->requirements, simulated);
        struct resources nothing = { NULL, 0 };
        struct usages no_ports = { NULL, 0 };
        if (pool->types.count > 0 && ref_filter_types(s, pool->types, t->requirements, NULL, nothing, t, no_ports,
                                                      s->world->best_effort, &t->types) == NULL) {
            s->template_count++;
        }
        t->groups = NULL;
    }
}

/* ------------------------------------------------------------------------------------------------ limits (23) */

void ref_pool_charge(struct pool *pool, struct types types)
{
    struct resources largest = { NULL, 0 };
    for (size_t i = 0; i < types.count; i++) {
        largest = ref_resources_max(largest, types.items[i]->capacity);
    }
    /* No type has a capacity `nodes`, so that limit stays as it is: Q-10. */
    pool->remaining = ref_resources_subtract(pool->remaining, largest);
}
