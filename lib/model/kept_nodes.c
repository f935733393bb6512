/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nodes of a snapshot that continues another, when what nodes say has not changed: those on which pods came, went or became
 * others get new lists, in a frame on top of the one before; all others are what they were.
 */
#include <model/prepare.h>

#include <base/block.h>
#include <base/error.h>
#include <base/sort.h>
#include <model/frame.h>
#include <model/kept_pods.h>
#include <model/state_nodes.h>
#include <string.h>

struct continuing {
    karp_snapshot *s;
    const karp_snapshot *before;
    uint32_t *nodes; /* store nodes whose pods changed, in order */
    size_t node_count;
    uint32_t *fresh; /* fresh pods on nodes, by node and name */
    size_t fresh_count;
    size_t room;     /* of `nodes`; `fresh` has half of it */
    bool moved;      /* some pod is on another node than the one that had its place */
};

static int by_node_and_name(uint32_t a, uint32_t b, const void *user)
{
    const karp_snapshot *s = user;
    if (s->pod_node[a] != s->pod_node[b]) return s->pod_node[a] < s->pod_node[b] ? -1 : 1;
    return s->pod_rank[a] < s->pod_rank[b] ? -1 : s->pod_rank[a] > s->pod_rank[b];
}

/* ---- where the pods are ---------------------------------------------------------------------------------------------- */

static uint32_t node_of(const store *raw, const pod *p) { return p->node == NO_ID ? NO_ID : store_find(raw, KIND_NODE, NO_TEXT, p->node); }

/* Notes the node of a pod that is no longer what it was, or has become it. */
static void note(struct continuing *c, const pod *p, uint32_t on, bool now)
{
    if (on != NO_ID) c->nodes[c->node_count++] = on;
    if (on == NO_ID && p->node != NO_ID) now ? c->s->strays++ : c->s->strays--;
}

static bool find_nodes(struct continuing *c)
{
    karp_snapshot *s = c->s;
    const struct kept_pods *k = s->kept;
    const uint32_t *was = c->before->pod_node;
    size_t began = c->before->raw.pods.count;
    s->strays = c->before->strays;
    c->moved = k->count != began;
    for (size_t i = 0; i < k->gone_count; i++) note(c, pod_at(&c->before->raw, k->gone[i]), was[k->gone[i]], false);
    for (size_t i = 0; i < k->fresh_count; i++) {
        const pod *p = pod_at(&s->raw, k->fresh[i]);
        uint32_t on = node_of(&s->raw, p);
        note(c, p, on, true);
        if (k->fresh[i] >= began || was[k->fresh[i]] != on) c->moved = true;
        if (on != NO_ID) c->fresh[c->fresh_count++] = k->fresh[i];
    }
    return sort_once(s->context, c->nodes, &c->node_count);
}

static bool write_pod_nodes(struct continuing *c)
{
    karp_snapshot *s = c->s;
    const struct kept_pods *k = s->kept;
    size_t began = c->before->raw.pods.count;
    if (!c->moved) {
        s->pod_node = block_hold(c->before->pod_node);
        return true;
    }
    s->pod_node = block_new(s->context, k->count + 1, sizeof *s->pod_node);
    if (s->pod_node == NULL) return false;
    memcpy(s->pod_node, c->before->pod_node, (began < k->count ? began : k->count) * sizeof *s->pod_node);
    for (size_t i = 0; i < k->fresh_count; i++) s->pod_node[k->fresh[i]] = node_of(&s->raw, pod_at(&s->raw, k->fresh[i]));
    return true;
}

/* ---- what is on a node ------------------------------------------------------------------------------------------------ */

/* The pods that stay on the node, and the fresh ones among them, by name. */
static bool list_pods(const struct continuing *c, uint32_t on, const uint32_t *fresh, size_t fresh_count, arena *to)
{
    karp_snapshot *s = c->s;
    const struct node_pods *was = &c->before->bound[on];
    uint32_t *items = arena_array(to, was->count + fresh_count, sizeof *items), count = 0;
    size_t f = 0;
    if (items == NULL) return false;
    for (uint32_t i = 0; i < was->count; i++) {
        uint32_t p = was->items[i];
        if (place_gone(s->kept, p)) continue;
        while (f < fresh_count && s->pod_rank[fresh[f]] < s->pod_rank[p]) items[count++] = fresh[f++];
        items[count++] = p;
    }
    while (f < fresh_count) items[count++] = fresh[f++];
    s->bound[on] = (struct node_pods){ items, count };
    return true;
}

static bool load_nodes(struct continuing *c, arena *to)
{
    karp_snapshot *s = c->s;
    size_t f = 0;
    for (size_t i = 0; i < c->node_count; i++) {
        uint32_t on = c->nodes[i], at = s->node_of_name[on];
        size_t first = f;
        while (f < c->fresh_count && s->pod_node[c->fresh[f]] == on) f++;
        if (!list_pods(c, on, c->fresh + first, f - first, to)) return false;
        if (at != NO_ID && !state_node_load(s, &s->nodes[at], to)) return false;
    }
    return true;
}

static void *block_copy(karp_context *context, const void *from, size_t count, size_t element_bytes)
{
    void *block = block_new(context, count + 1, element_bytes);
    if (block != NULL) memcpy(block, from, count * element_bytes);
    return block;
}

static bool write_nodes(struct continuing *c)
{
    karp_snapshot *s = c->s;
    const karp_snapshot *before = c->before;
    s->node_of_name = block_hold(before->node_of_name);
    s->node_sets = block_hold(before->node_sets);
    s->node_count = before->node_count;
    if (c->node_count == 0) {
        s->nodes = block_hold(before->nodes);
        s->bound = block_hold(before->bound);
        s->remaining = before->remaining;
        if (s->remaining == NULL) return true;
        (void)block_hold(s->remaining->nodes);
        (void)block_hold(s->remaining->of_name);
        return true;
    }
    s->nodes = block_copy(s->context, before->nodes, s->node_count, sizeof *s->nodes);
    s->bound = block_copy(s->context, before->bound, s->raw.nodes.count, sizeof *s->bound);
    if (s->nodes == NULL || s->bound == NULL || !sort_ids(s->context, c->fresh, c->fresh_count, by_node_and_name, s)) return false;
    arena *to = frame_on_top(s, c->node_count);
    return to != NULL && load_nodes(c, to);
}

karp_status continue_nodes(karp_snapshot *s, karp_error *error)
{
    struct continuing c = { .s = s, .before = s->kept->before, .room = 2 * s->kept->room };
    c.nodes = mem_alloc(s->context, c.room * sizeof *c.nodes);
    c.fresh = mem_alloc(s->context, c.room / 2 * sizeof *c.fresh);
    bool ok = c.nodes != NULL && c.fresh != NULL && find_nodes(&c) && write_pod_nodes(&c) && write_nodes(&c);
    mem_free(s->context, c.nodes, c.room * sizeof *c.nodes);
    mem_free(s->context, c.fresh, c.room / 2 * sizeof *c.fresh);
    return ok ? KARP_OK : fail_nomem(error);
}
