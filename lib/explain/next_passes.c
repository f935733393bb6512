/* SPDX-License-Identifier: Apache-2.0 */
/* What the next passes of emptiness and consolidation save on a view. */
#include <explain/finder.h>

#include <base/bits.h>
#include <base/error.h>
#include <decision/decision.h>

void mark_nodes(finder *f, const karp_decision *d)
{
    for (size_t i = 0; i < d->commands.count; i++) {
        for (size_t k = 0; k < d->commands.items[i].node_count; k++) {
            uint32_t number = state_node_named(f->snapshot, d->commands.items[i].nodes[k]);
            if (number != NO_ID) bits_set(f->going, number);
        }
    }
}

karp_status run_method(finder *f, const node_view *v, uint32_t method, bool rows, double *saved, karp_decision **d,
                       karp_error *error)
{
    karp_disrupt_options options = f->options;
    options.method = method;
    options.memory = NULL;
    options.commands_only = !rows;
    karp_status status = karp_disrupt(&v->view, &options, d, error);
    *saved = 0;
    for (size_t i = 0; status == KARP_OK && i < (*d)->commands.count; i++) *saved += (*d)->commands.items[i].savings;
    return status;
}

const uint32_t consolidations[CONSOLIDATIONS] = { KARP_METHOD_EMPTINESS, KARP_METHOD_MULTI_NODE,
                                                  KARP_METHOD_SINGLE_NODE };

/* What node_view_remove() changes of a node. */
typedef struct removed_node {
    uint32_t number;
    state_node node;
    label_list labels;
} removed_node;

/* The nodes that the decision removes leave the view: they take no pods of others. The caller brings them back.
 * NULL = out of memory. */
static removed_node *take_out(finder *f, node_view *v, const karp_decision *d, size_t *count)
{
    size_t most = 1;
    *count = 0;
    for (size_t i = 0; i < d->commands.count; i++) most += d->commands.items[i].node_count;
    removed_node *list = arena_array(&v->data, most, sizeof *list);
    for (size_t i = 0; i < d->commands.count && list != NULL; i++) {
        for (size_t k = 0; k < d->commands.items[i].node_count; k++) {
            uint32_t n = state_node_named(f->snapshot, d->commands.items[i].nodes[k]);
            if (n == NO_ID) continue;
            state_node *was = &v->view.nodes[n];
            list[(*count)++] = (removed_node){ n, *was, v->view.raw.claims.items[was->claim].meta.labels };
            node_view_remove(v, n);
        }
    }
    return list;
}

static void bring_back(node_view *v, const removed_node *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        v->view.nodes[list[i].number] = list[i].node;
        v->view.raw.claims.items[list[i].node.claim].meta.labels = list[i].labels;
    }
}

/* Whether consolidation of several nodes could find more than that of one: some two nodes can go. */
static bool some_pair(const finder *f, const node_view *v)
{
    uint32_t open = 0;
    for (uint32_t n = 0; n < f->snapshot->node_count && open < 2; n++)
        open += v->view.nodes[n].claim != NO_ID && !v->view.nodes[n].nominated && !v->view.nodes[n].marked;
    return open >= 2;
}

karp_status savings_of(finder *f, node_view *v, double *out, karp_error *error)
{
    karp_decision *made[CONSOLIDATIONS] = { NULL };
    double saved[CONSOLIDATIONS] = { 0 };
    size_t count = 0;
    karp_status status = run_method(f, v, consolidations[0], false, &saved[0], &made[0], error);
    const removed_node *gone = status == KARP_OK ? take_out(f, v, made[0], &count) : NULL;
    if (status == KARP_OK && gone == NULL) status = fail_nomem(error);
    for (size_t i = some_pair(f, v) ? 1 : 2; i < CONSOLIDATIONS && status == KARP_OK; i++)
        status = run_method(f, v, consolidations[i], false, &saved[i], &made[i], error);
    bring_back(v, gone, count);
    if (status == KARP_OK) {
        size_t better = saved[2] > saved[1] ? 2 : 1;
        memset(f->going, 0, (f->snapshot->node_count / 64 + (size_t)1) * sizeof *f->going);
        mark_nodes(f, made[0]);
        if (made[better] != NULL) mark_nodes(f, made[better]);
        *out = saved[0] + saved[better];
    }
    for (size_t i = 0; i < CONSOLIDATIONS; i++) karp_decision_unref(made[i]);
    return status;
}
