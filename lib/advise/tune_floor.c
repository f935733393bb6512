/* SPDX-License-Identifier: Apache-2.0 */
/* What no design can be below. */
#include <advise/tune.h>

#include <karp/columns.h>
#include <karp/library.h>

static karp_str name_at(const karp_column *names, size_t row)
{
    return (karp_str){ (const char *)names->values + names->offsets[row],
                       (size_t)(names->offsets[row + 1] - names->offsets[row]) };
}

/* Nodes outside of NodePools cost nothing here and may take pods. */
static bool is_of_pool(const karp_column *pools, size_t row)
{
    const int32_t *at = pools->dictionary_offsets;
    uint32_t word = ((const uint32_t *)pools->values)[row];
    return at[word + 1] > at[word];
}

/* The cluster whose pods all wait, but for those on nodes outside of NodePools. */
static karp_status without_nodes(karp_context *context, const karp_snapshot *snapshot, karp_table *nodes,
                                 karp_snapshot **out, karp_error *error)
{
    karp_column names = { .size = sizeof names }, pools = { .size = sizeof pools };
    karp_status status = karp_table_find(nodes, str("name"), &names);
    if (!status) status = karp_table_find(nodes, str("node_pool"), &pools);
    if (status) return fail(error, status, "the table of nodes has no names or NodePools");
    size_t count = 0, bytes = (names.row_count + 1) * sizeof(karp_str);
    karp_str *list = mem_alloc(context, bytes);
    if (!list) return fail_nomem(error);
    for (size_t i = 0; i < names.row_count; i++) {
        if (is_of_pool(&pools, i)) list[count++] = name_at(&names, i);
    }
    status = karp_snapshot_without(snapshot, list, count, out, error);
    mem_free(context, list, bytes);
    return status;
}

/* Designs may have other weights, and leave preferences that the loosest one keeps. */
static karp_status bound_of(const karp_snapshot *empty, const karp_options *options, double *floor, karp_error *error)
{
    karp_options common;
    karp_objective objective;
    karp_bound *bound = NULL;
    karp_options_init(&common, sizeof common);
    karp_status status = options ? struct_check(options, sizeof common, SIZE_THROUGH(karp_options, flip_quirks),
                                                &common, "karp_options", error)
                                 : KARP_OK;
    if (status) return status;
    karp_objective_init(&objective, sizeof objective);
    objective.kind = KARP_OBJECTIVE_COST;
    objective.flags = KARP_COST_IGNORE_PREFERENCES | KARP_COST_IGNORE_WEIGHTS;
    common.objective = &objective;
    common.preferences = 0;
    status = karp_cost_bound(empty, &common, &bound, error);
    *floor = status ? 0 : karp_bound_value(bound);
    karp_bound_free(bound);
    return status;
}

static karp_status floor_of(karp_tune *tune, size_t load, const karp_options *options, double *floor, karp_error *error)
{
    karp_table *nodes = NULL;
    karp_snapshot *loosest = NULL, *empty = NULL;
    karp_status status = tune_make_snapshot(tune->context, tune, KARP_TUNE_LOOSEST, load, &loosest, error);
    if (!status) status = karp_snapshot_table(loosest, KARP_TABLE_SNAPSHOT_NODES, &nodes, error);
    if (!status) status = without_nodes(tune->context, loosest, nodes, &empty, error);
    if (!status) status = bound_of(empty, options, floor, error);
    karp_snapshot_unref(empty);
    karp_snapshot_unref(loosest);
    karp_table_free(nodes);
    return status;
}

karp_status karp_tune_floor(karp_tune *tune, const karp_options *options, double *floor, karp_error *error)
{
    if (!tune || !floor) return fail_null(error, "tune or floor");
    size_t loads = tune->load_count ? tune->load_count : 1;
    double sum = 0, one = 0;
    karp_status status = KARP_OK;
    for (size_t i = 0; i < loads && !status; i++) {
        status = floor_of(tune, i, options, &one, error);
        sum += one;
    }
    if (!status) tune->floor = *floor = sum / (double)loads;
    return karp_context_refusal(tune->context, status, error);
}
