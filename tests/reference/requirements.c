/* SPDX-License-Identifier: Apache-2.0 */
#include "requirements.h"

#include <string.h>

#include "memory.h"

/* ------------------------------------------------------------------------------------------------ one (5) */

static bool within(const char *value, const struct requirement *bounds)
{
    int64_t n;
    if (!bounds->has_gte && !bounds->has_lte) {
        return true;
    }
    return ref_atoi(value, &n) && (!bounds->has_gte || n >= bounds->gte) && (!bounds->has_lte || n <= bounds->lte);
}

struct requirement ref_requirement_in(const char *key, struct names values)
{
    return (struct requirement){ .key = ref_normalized(key), .values = values };
}

struct requirement ref_requirement(struct expression e)
{
    struct requirement r = { .key = ref_normalized(e.key), .has_min = e.has_min, .min = e.min };
    int64_t n = 0;
    if (e.values.count > 0) {
        (void)ref_atoi(e.values.items[0], &n);
    }
    r.complement = strcmp(e.op, "In") != 0 && strcmp(e.op, "DoesNotExist") != 0;
    if (strcmp(e.op, "In") == 0 || strcmp(e.op, "NotIn") == 0) {
        r.values = ref_names_sorted(e.values.items, e.values.count);
    } else if (strcmp(e.op, "Gt") == 0 && n == INT64_MAX) {
        r = (struct requirement){ .key = r.key }; /* nothing is greater; minValues is lost */
    } else if (strcmp(e.op, "Gt") == 0 || strcmp(e.op, "Gte") == 0) {
        r.has_gte = true;
        r.gte = n + (e.op[2] == '\0');
    } else if (strcmp(e.op, "Lt") == 0 || strcmp(e.op, "Lte") == 0) {
        r.has_lte = true;
        r.lte = e.op[2] == '\0' && n > INT64_MIN ? n - 1 : n;
    } else if (strcmp(e.op, "Exists") != 0 && strcmp(e.op, "DoesNotExist") != 0) {
        ref_fault("unknown operator %s of %s", e.op, e.key);
    }
    return r;
}

int ref_operator(const struct requirement *r)
{
    if (r->complement) {
        return r->values.count > 0 ? NOT_IN : EXISTS;
    }
    return r->values.count > 0 ? IN : DOES_NOT_EXIST;
}

const char *ref_operator_name(int op)
{
    static const char *const names[] = { "In", "NotIn", "Exists", "DoesNotExist" };
    return names[op];
}

bool ref_has(const struct requirement *r, const char *value)
{
    return ref_names_has(r->values, value) != r->complement && within(value, r);
}

const char *ref_any(const struct requirement *r)
{
    if (!r->complement) {
        return r->values.count > 0 ? r->values.items[0] : "";
    }
    return ref_format("%lld", r->has_gte ? (long long)r->gte : 0LL);
}

/** The stricter of the bounds and minValues of both; false if the bounds are crossed. */
static bool stricter(const struct requirement *a, const struct requirement *b, struct requirement *out)
{
    *out = (struct requirement){ .key = a->key };
    out->has_gte = a->has_gte || b->has_gte;
    out->gte = !b->has_gte || (a->has_gte && a->gte > b->gte) ? a->gte : b->gte;
    out->has_lte = a->has_lte || b->has_lte;
    out->lte = !b->has_lte || (a->has_lte && a->lte < b->lte) ? a->lte : b->lte;
    out->has_min = a->has_min || b->has_min;
    out->min = !b->has_min || (a->has_min && a->min > b->min) ? a->min : b->min;
    return !out->has_gte || !out->has_lte || out->gte <= out->lte;
}

static struct requirement intersection(const struct requirement *a, const struct requirement *b)
{
    struct requirement out;
    if (!stricter(a, b, &out)) {
        return (struct requirement){ .key = a->key, .has_min = out.has_min, .min = out.min };
    }
    out.complement = a->complement && b->complement;
    out.values.items = ref_alloc((a->values.count + b->values.count + 1) * sizeof(char *));
    size_t i = 0, j = 0;
    while (i < a->values.count || j < b->values.count) {
        int order = i == a->values.count   ? 1
                    : j == b->values.count ? -1
                                           : strcmp(a->values.items[i], b->values.items[j]);
        const char *value = order <= 0 ? a->values.items[i] : b->values.items[j];
        /* Listed there: allowed if that side lists what it allows. Not listed: allowed if it lists what it excludes. */
        bool by_a = (order <= 0) != a->complement, by_b = (order >= 0) != b->complement;
        if ((out.complement || (by_a && by_b)) && within(value, &out)) {
            out.values.items[out.values.count++] = value;
        }
        i += order <= 0;
        j += order >= 0;
    }
    if (!out.complement) {
        out.has_gte = out.has_lte = false;
        out.gte = out.lte = 0;
    }
    return out;
}

bool ref_has_intersection(const struct requirement *a, const struct requirement *b)
{
    struct requirement bounds;
    if (!stricter(a, b, &bounds)) {
        return false;
    }
    if (a->complement && b->complement) {
        return true;
    }
    const struct requirement *listed = a->complement ? b : a, *other = a->complement ? a : b;
    for (size_t i = 0; i < listed->values.count; i++) {
        const char *value = listed->values.items[i];
        if (ref_names_has(other->values, value) != other->complement && within(value, &bounds)) {
            return true;
        }
    }
    return false;
}

/* ------------------------------------------------------------------------------------------------ sets (6) */

struct expressions ref_expressions_read(const json_t *array)
{
    struct expressions out = { ref_alloc((json_array_size(array) + 1) * sizeof(struct expression)), 0 };
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *e = json_array_get(array, i);
        out.items[out.count++] = (struct expression){
            .key = ref_text(e, "key"),
            .op = ref_text(e, "operator"),
            .values = ref_list(ref_at(e, "values")),
            .has_min = ref_at(e, "minValues") != NULL,
            .min = ref_int(e, "minValues", 0),
        };
    }
    return out;
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct requirement *)a)->key, ((const struct requirement *)b)->key);
}

/** Orders a list by key and intersects what has the same key. */
static struct requirements gathered(struct requirement *list, size_t count)
{
    size_t kept = 0;
    ref_sort(list, count, sizeof *list, by_key);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && strcmp(list[kept - 1].key, list[i].key) == 0) {
            list[kept - 1] = intersection(&list[i], &list[kept - 1]);
        } else {
            list[kept++] = list[i];
        }
    }
    return (struct requirements){ list, kept };
}

struct requirements ref_requirements(struct expressions list)
{
    struct requirement *items = ref_alloc((list.count + 1) * sizeof *items);
    for (size_t i = 0; i < list.count; i++) {
        items[i] = ref_requirement(list.items[i]);
    }
    return gathered(items, list.count);
}

struct requirements ref_requirements_of_labels(struct labels labels)
{
    struct requirement *items = ref_alloc((labels.count + 1) * sizeof *items);
    for (size_t i = 0; i < labels.count; i++) {
        items[i] = ref_requirement_in(labels.items[i].key, ref_names_one(labels.items[i].value));
    }
    return gathered(items, labels.count);
}

struct requirements ref_requirements_one(struct requirement r)
{
    struct requirement *items = ref_alloc(sizeof *items);
    items[0] = r;
    return (struct requirements){ items, 1 };
}

struct requirements ref_union(struct requirements a, struct requirements b)
{
    struct requirement *out = ref_alloc((a.count + b.count + 1) * sizeof *out);
    size_t i = 0, j = 0, count = 0;
    while (i < a.count || j < b.count) {
        int order = i == a.count ? 1 : j == b.count ? -1 : strcmp(a.items[i].key, b.items[j].key);
        if (order == 0) {
            out[count++] = intersection(&b.items[j++], &a.items[i++]);
        } else {
            out[count++] = order < 0 ? a.items[i++] : b.items[j++];
        }
    }
    return (struct requirements){ out, count };
}

struct requirements ref_without(struct requirements set, const char *key)
{
    struct requirement *out = ref_alloc((set.count + 1) * sizeof *out);
    size_t count = 0;
    for (size_t i = 0; i < set.count; i++) {
        if (strcmp(set.items[i].key, key) != 0) {
            out[count++] = set.items[i];
        }
    }
    return (struct requirements){ out, count };
}

struct requirements ref_replace(struct requirements set, struct requirement r)
{
    return ref_union(ref_without(set, r.key), ref_requirements_one(r));
}

const struct requirement *ref_get(struct requirements set, const char *key)
{
    size_t low = 0, high = set.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(set.items[middle].key, key);
        if (order == 0) {
            return &set.items[middle];
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

struct requirement ref_get_or_any(struct requirements set, const char *key)
{
    const struct requirement *r = ref_get(set, key);
    return r != NULL ? *r : (struct requirement){ .key = key, .complement = true };
}

static bool is_negative(const struct requirement *r)
{
    int op = ref_operator(r);
    return op == NOT_IN || op == DOES_NOT_EXIST;
}

static bool in_conflict(const struct requirement *mine, const struct requirement *other)
{
    return !ref_has_intersection(mine, other) && !(is_negative(mine) && is_negative(other));
}

bool ref_intersects(struct requirements mine, struct requirements other)
{
    size_t i = 0, j = 0;
    while (i < mine.count && j < other.count) {
        int order = strcmp(mine.items[i].key, other.items[j].key);
        if (order == 0 && in_conflict(&mine.items[i], &other.items[j])) {
            return false;
        }
        i += order <= 0;
        j += order >= 0;
    }
    return true;
}

bool ref_compatible(struct requirements supply, struct requirements demand, bool undefined_ok)
{
    for (size_t i = 0; i < demand.count; i++) {
        const struct requirement *wanted = &demand.items[i], *have = ref_get(supply, wanted->key);
        if (have != NULL) {
            if (in_conflict(have, wanted)) {
                return false;
            }
        } else if (!is_negative(wanted) && !(undefined_ok && ref_well_known(wanted->key))) {
            return false;
        }
    }
    return true;
}
