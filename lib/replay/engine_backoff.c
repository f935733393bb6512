/* SPDX-License-Identifier: Apache-2.0 */
#include <io/previews.h>
#include <replay/engine.h>
#include <replay/state_rows.h>

#define FIRST_WINDOW (60 * SECOND)
#define LONGEST_WINDOW (600 * SECOND)

void backoffs_begin(engine *e) { e->backoffs.on = io_preview(e->decision.flip_rules, "drift-backoff"); }

static replay_backoff *find(engine *e, karp_str pool)
{
    for (size_t i = 0; i < e->backoffs.count; i++) {
        if (equal_str(e->backoffs.list[i].pool, pool)) return &e->backoffs.list[i];
    }
    return NULL;
}

static replay_backoff *add(engine *e, karp_str pool)
{
    struct replay_backoffs *b = &e->backoffs;
    karp_str kept = engine_text(e, pool);
    if (!kept.ptr || !grow(e->context, (void **)&b->list, &b->capacity, b->count + 1, sizeof *b->list)) {
        engine_nomem(e);
        return NULL;
    }
    b->list[b->count] = (replay_backoff){ kept, 0, 0 };
    return &b->list[b->count++];
}

/* Half of it for sure, and a random part of the other half. */
static int64_t window_of(const engine *e, const replay_backoff *b)
{
    int64_t window = FIRST_WINDOW;
    for (uint32_t i = 1; i < b->level && window < LONGEST_WINDOW; i++) window *= 2;
    if (window > LONGEST_WINDOW) window = LONGEST_WINDOW;
    uint64_t half = (uint64_t)window / 2, number = hash_bytes(b->pool.ptr, b->pool.len, 0);
    return (int64_t)(half + engine_random(e, number, (uint64_t)e->now) % half);
}

void backoffs_note(engine *e, karp_str pool, bool succeeded)
{
    replay_backoff *b = e->backoffs.on ? find(e, pool) : NULL;
    if (!e->backoffs.on) return;
    if (succeeded) {
        if (b) *b = e->backoffs.list[--e->backoffs.count];
        return;
    }
    if (!b) b = add(e, pool);
    if (!b || (b->level > 0 && e->now < b->until)) return;
    if (b->level < 32) b->level++;
    b->until = e->now + window_of(e, b);
}

size_t backoffs_waiting(engine *e, const karp_str **pools, int64_t *next)
{
    struct replay_backoffs *b = &e->backoffs;
    size_t count = 0;
    if (b->count > 0 && !grow(e->context, (void **)&b->pools, &b->pool_capacity, b->count, sizeof *b->pools)) {
        engine_nomem(e);
        return 0;
    }
    for (size_t i = 0; i < b->count; i++) {
        if (b->list[i].until <= e->now) continue;
        b->pools[count++] = b->list[i].pool;
        if (*next == KARP_NO_TIME || b->list[i].until < *next) *next = b->list[i].until;
    }
    *pools = b->pools;
    return count;
}

tree *backoffs_state(const engine *e, trees *t)
{
    tree *list = tree_new(t, TREE_LIST);
    for (size_t i = 0; i < e->backoffs.count; i++) {
        tree *one = tree_new(t, TREE_MAP);
        state_write(t, one, &state_backoff, &e->backoffs.list[i]);
        tree_append(t, list, one);
    }
    return list;
}

void backoffs_resume(engine *e, const tree *list)
{
    for (size_t i = 0; i < tree_count(list) && !e->status; i++) {
        replay_backoff *b = add(e, str(""));
        if (b) state_read(e, tree_item(list, i), &state_backoff, NULL, b);
    }
}
