/* SPDX-License-Identifier: Apache-2.0 */
#include <io/invalid_values.h>

/* The kinds of notes. Each is made once for all objects, of which there may be thousands. */
enum { INVALID_WEIGHT = 1, INVALID_POOL_WEIGHT = 2, INVALID_BUDGET = 4 };

static bool first(karp_reader *reader, uint32_t kind)
{
    bool new_ = (reader->invalid_noted & kind) == 0;
    reader->invalid_noted |= kind;
    return new_;
}

static int length(karp_str text) { return text.len < 100 ? (int)text.len : 100; }

static karp_status of_weight(karp_reader *reader, uint32_t kind, const char *what, const karp_meta *meta,
                             const char *field, int32_t value)
{
    if (value >= 1 && value <= 100) return KARP_OK;
    if (!first(reader, kind)) return KARP_OK;
    bool placed = meta->namespace_.len > 0;
    return io_warn(reader, "%s %.*s%s%.*s: %s is %d; an API server takes 1 to 100 (others are not listed)", what,
                   length(meta->namespace_), placed ? meta->namespace_.ptr : "", placed ? "/" : "", length(meta->name),
                   meta->name.len > 0 ? meta->name.ptr : "", field, (int)value);
}

static karp_status of_wish(karp_reader *reader, const karp_pod *pod, const char *field, int32_t weight)
{
    return of_weight(reader, INVALID_WEIGHT, "Pod", &pod->meta, field, weight);
}

karp_status io_note_invalid_pod(karp_reader *reader, const karp_pod *pod)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < pod->preferred_node_term_count && status == KARP_OK; i++) {
        status = of_wish(reader, pod, "the weight of a preferred node affinity", pod->preferred_node_terms[i].weight);
    }
    for (size_t i = 0; i < pod->preferred_affinity_count && status == KARP_OK; i++) {
        status = of_wish(reader, pod, "the weight of a preferred pod affinity", pod->preferred_affinity[i].weight);
    }
    for (size_t i = 0; i < pod->preferred_anti_affinity_count && status == KARP_OK; i++) {
        status = of_wish(reader, pod, "the weight of a preferred pod anti-affinity",
                         pod->preferred_anti_affinity[i].weight);
    }
    return status;
}

/* Whether the NodePool's schema accepts the value: a number, or 0 % to 100 % with at most two digits below 100 %. */
static bool is_budget(karp_str nodes)
{
    size_t digits = 0;
    while (digits < nodes.len && nodes.ptr[digits] >= '0' && nodes.ptr[digits] <= '9') digits++;
    if (digits == nodes.len) return digits > 0;
    bool hundred = digits == 3 && nodes.ptr[0] == '1' && nodes.ptr[1] == '0' && nodes.ptr[2] == '0';
    return nodes.len == digits + 1 && nodes.ptr[digits] == '%' && digits > 0 && (digits <= 2 || hundred);
}

karp_status io_note_invalid_pool(karp_reader *reader, const karp_node_pool *pool)
{
    karp_status status = KARP_OK;
    if (pool->weight != 0)
        status = of_weight(reader, INVALID_POOL_WEIGHT, "NodePool", &pool->meta, "spec.weight", pool->weight);
    for (size_t i = 0; i < pool->budget_count && status == KARP_OK; i++) {
        karp_str nodes = pool->budgets[i].nodes;
        if (nodes.len == 0 || is_budget(nodes) || !first(reader, INVALID_BUDGET)) continue;
        status = io_warn(reader,
                         "NodePool %.*s: the budget of %.*s nodes; an API server takes a number, or 0%% to 100%% "
                         "(others are not listed)",
                         length(pool->meta.name), pool->meta.name.ptr, length(nodes), nodes.ptr);
    }
    return status;
}
