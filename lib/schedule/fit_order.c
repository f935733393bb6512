/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/fit.h>

#include <string.h>

static int64_t *most_of(fit_order *o, uint32_t run) { return o->most.items + (size_t)run * o->dims; }
static int64_t *space_of(fit_order *o, uint32_t run) { return o->space.items + (size_t)run * o->dims; }

/* Whether run x is above run y in the heap order. */
static bool above(uint32_t x, uint32_t y)
{
    return hash_mix((uint64_t)x + 1) > hash_mix((uint64_t)y + 1); /* hash_mix() is a bijection */
}

void order_init(fit_order *o, karp_context *context, uint32_t dims)
{
    *o = (fit_order){ .context = context, .dims = dims, .root = NO_ID };
}

void order_free(fit_order *o)
{
    list_free(o->context, &o->nodes, sizeof(order_node));
    list_free(o->context, &o->space, sizeof(int64_t));
    list_free(o->context, &o->most, sizeof(int64_t));
}

/* ---- maxima of subtrees ------------------------------------------------------------------------------------------ */

static bool has(const int64_t *space, const int64_t *need, uint32_t dims)
{
    for (uint32_t d = 0; d < dims; d++) {
        if (space[d] < need[d]) return false;
    }
    return true;
}

static void take_most(fit_order *o, int64_t *most, uint32_t child)
{
    if (child == NO_ID) return;
    const int64_t *theirs = most_of(o, child);
    for (uint32_t d = 0; d < o->dims; d++) most[d] = theirs[d] > most[d] ? theirs[d] : most[d];
}

static void sum_up(fit_order *o, uint32_t run)
{
    int64_t *most = most_of(o, run);
    memcpy(most, space_of(o, run), o->dims * sizeof *most);
    take_most(o, most, o->nodes.items[run].before);
    take_most(o, most, o->nodes.items[run].after);
}

static void sum_up_to_root(fit_order *o, uint32_t run)
{
    for (; run != NO_ID; run = o->nodes.items[run].parent) sum_up(o, run);
}

void order_take(fit_order *o, uint32_t run, const int64_t *need, uint64_t copies)
{
    int64_t *space = space_of(o, run);
    for (uint32_t d = 0; d < o->dims; d++) space[d] -= need[d] * (int64_t)copies;
    sum_up_to_root(o, run);
}

void order_restore(fit_order *o, uint32_t run, const int64_t *space)
{
    memcpy(space_of(o, run), space, o->dims * sizeof *space);
    sum_up_to_root(o, run);
}

/* ---- structure --------------------------------------------------------------------------------------------------- */

/* Replaces `run` below its parent by `fresh` (NO_ID: nothing). */
static void replace(fit_order *o, uint32_t run, uint32_t fresh)
{
    uint32_t parent = o->nodes.items[run].parent;
    if (parent == NO_ID) o->root = fresh;
    else if (o->nodes.items[parent].before == run) o->nodes.items[parent].before = fresh;
    else o->nodes.items[parent].after = fresh;
    if (fresh != NO_ID) o->nodes.items[fresh].parent = parent;
}

/* Rotates a run with its parent; the order stays the same. */
static void lift(fit_order *o, uint32_t run)
{
    order_node *n = &o->nodes.items[run];
    uint32_t parent = n->parent, moved;
    order_node *p = &o->nodes.items[parent];
    replace(o, parent, run);
    if (p->before == run) {
        moved = p->before = n->after;
        n->after = parent;
    } else {
        moved = p->after = n->before;
        n->before = parent;
    }
    if (moved != NO_ID) o->nodes.items[moved].parent = parent;
    p->parent = run;
    sum_up(o, parent);
    sum_up(o, run);
}

static uint32_t foremost(const fit_order *o, uint32_t run)
{
    while (run != NO_ID && o->nodes.items[run].before != NO_ID) run = o->nodes.items[run].before;
    return run;
}

/* Allocates one more run with the space of `like`, or with `space`. */
static bool append_space(fit_order *o, uint32_t like, const int64_t *space)
{
    for (uint32_t d = 0; d < o->dims; d++) {
        int64_t *mine = list_push(o->context, &o->space, sizeof *mine);
        int64_t *most = mine != NULL ? list_push(o->context, &o->most, sizeof *most) : NULL;
        if (most == NULL) return false;
        *mine = space != NULL ? space[d] : order_space(o, like)[d];
        *most = *mine;
    }
    /* never: so many runs do not fit into memory */
    order_node *n = o->nodes.count < NO_ID - 1 ? list_push(o->context, &o->nodes, sizeof *n) : NULL;
    if (n == NULL) return false;
    *n = (order_node){ NO_ID, NO_ID, NO_ID };
    return true;
}

/* Makes the newest run a child of `parent`, before or after it. */
static void hang(fit_order *o, uint32_t parent, bool before)
{
    uint32_t run = (uint32_t)(o->nodes.count - 1);
    o->nodes.items[run].parent = parent;
    if (parent == NO_ID) o->root = run;
    else if (before) o->nodes.items[parent].before = run;
    else o->nodes.items[parent].after = run;
    while (o->nodes.items[run].parent != NO_ID && above(run, o->nodes.items[run].parent)) lift(o, run);
    sum_up_to_root(o, run);
}

bool order_append(fit_order *o, const int64_t *space)
{
    if (!append_space(o, NO_ID, space)) return false;
    uint32_t last = o->root;
    while (last != NO_ID && o->nodes.items[last].after != NO_ID) last = o->nodes.items[last].after;
    hang(o, last, false);
    return true;
}

bool order_split(fit_order *o, uint32_t run)
{
    if (!append_space(o, run, NULL)) return false;
    uint32_t next = foremost(o, o->nodes.items[run].after);
    if (next == NO_ID) hang(o, run, false);
    else hang(o, next, true);
    return true;
}

void order_drop(fit_order *o)
{
    uint32_t run = (uint32_t)(o->nodes.count - 1);
    for (;;) {
        const order_node *n = &o->nodes.items[run];
        if (n->before == NO_ID && n->after == NO_ID) break;
        lift(o, n->after == NO_ID || (n->before != NO_ID && above(n->before, n->after)) ? n->before : n->after);
    }
    uint32_t parent = o->nodes.items[run].parent;
    replace(o, run, NO_ID);
    sum_up_to_root(o, parent);
    o->nodes.count--;
    o->space.count -= o->dims;
    o->most.count -= o->dims;
}

/* ---- iteration --------------------------------------------------------------------------------------------------- */

uint32_t order_next(const fit_order *o, uint32_t run)
{
    if (run == NO_ID) return foremost(o, o->root);
    if (o->nodes.items[run].after != NO_ID) return foremost(o, o->nodes.items[run].after);
    uint32_t parent = o->nodes.items[run].parent;
    while (parent != NO_ID && o->nodes.items[parent].after == run) {
        run = parent;
        parent = o->nodes.items[run].parent;
    }
    return parent;
}

static uint32_t find_below(fit_order *o, uint32_t run, const int64_t *need)
{
    if (run == NO_ID || !has(most_of(o, run), need, o->dims)) return NO_ID;
    o->seen++;
    uint32_t found = find_below(o, o->nodes.items[run].before, need);
    if (found != NO_ID) return found;
    return has(space_of(o, run), need, o->dims) ? run : find_below(o, o->nodes.items[run].after, need);
}

uint32_t order_find(fit_order *o, uint32_t run, const int64_t *need)
{
    if (run == NO_ID) return find_below(o, o->root, need);
    uint32_t found = find_below(o, o->nodes.items[run].after, need);
    while (found == NO_ID) {
        uint32_t parent = o->nodes.items[run].parent;
        if (parent == NO_ID) return NO_ID;
        bool was_before = o->nodes.items[parent].before == run;
        run = parent;
        o->seen++;
        if (!was_before) continue;
        if (has(space_of(o, run), need, o->dims)) return run;
        found = find_below(o, o->nodes.items[run].after, need);
    }
    return found;
}
