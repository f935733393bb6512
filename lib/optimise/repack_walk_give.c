/* SPDX-License-Identifier: Apache-2.0 */
/* Converts the best attempt to steps. */
#include <optimise/repack_walk_state.h>

#include <string.h>

static bool give_bins(const repack_walk *w, repack_steps *out)
{
    uint32_t hosts = w->p->host_count;
    for (size_t b = 0; b < w->best.bins.count; b++) {
        if (packing_add_bin(w->context, &out->bins, w->best.bins.items[b]) == NULL) return false;
    }
    for (size_t i = 0; i < w->best.puts.count; i++) {
        const put *x = &w->best.puts.items[i];
        if (x->place < hosts) continue;
        packing_bin *bin = &out->bins.list.items[x->place - hosts];
        size_t e = 0;
        while (e < bin->entries.count && bin->entries.items[e].class_ != x->class_) e++;
        if (e < bin->entries.count) bin->entries.items[e].copies += x->copies;
        else if (!packing_add_entry(w->context, bin, x->class_, x->copies)) return false;
    }
    return true;
}

/* Assigns each pod of the step's nodes to a place of its class that is not full. */
static void give_pods(const repack_walk *w, size_t number, uint32_t *left, repack_steps *out)
{
    const leg *x = &w->best.legs.items[number];
    const put *puts = w->best.puts.items + x->first_put;
    for (uint32_t i = 0; i < x->puts; i++) left[i] = puts[i].copies;
    for (uint32_t n = 0; n < x->nodes; n++) {
        uint32_t which = w->best.order.items[x->first_node + n];
        for (uint32_t k = 0; k < w->pods->counts[which]; k++) {
            uint32_t pod_number = w->pods->pods[which][k], i = 0;
            while (i < x->puts && (left[i] == 0 || puts[i].class_ != w->pods->class_of[pod_number])) i++;
            if (i == x->puts) continue; /* never true: the step has a place for each */
            left[i]--;
            bool host = puts[i].place < w->p->host_count;
            out->host_of[pod_number] = host ? puts[i].place : UINT32_MAX;
            out->bin_of[pod_number] = host ? UINT32_MAX : puts[i].place - w->p->host_count;
            out->stage_of[pod_number] = (uint32_t)number;
        }
    }
}

static bool give_stages(const repack_walk *w, repack_steps *out)
{
    for (size_t i = 0; i < w->best.legs.count; i++) {
        const leg *x = &w->best.legs.items[i];
        repack_stage *stage = list_push(w->context, &out->stages, sizeof *stage);
        if (stage == NULL) return false;
        *stage = (repack_stage){ x->first_node, x->nodes, x->evictions, x->saving };
        for (uint32_t b = 0; b < x->bins; b++) out->stage_of_bin[x->first_bin + b] = (uint32_t)i;
    }
    for (size_t i = 0; i < w->best.order.count; i++) {
        uint32_t *slot = list_push(w->context, &out->order, sizeof *slot);
        if (slot == NULL) return false;
        *slot = w->best.order.items[i];
    }
    return true;
}

bool repack_walk_steps(const repack_walk *w, repack_steps *out)
{
    *out = (repack_steps){ .stages = { .count = 0 } };
    arena_init(&out->data, w->context);
    uint32_t *left = arena_array(&out->data, w->best.puts.count + 1, sizeof *left);
    bool ok = left != NULL && repack_steps_alloc(out, w->pods->all, w->best.bins.count);
    ok = ok && give_bins(w, out) && give_stages(w, out);
    for (size_t i = 0; ok && i < w->best.legs.count; i++) give_pods(w, i, left, out);
    if (!ok) repack_steps_free(w->context, out);
    return ok;
}
