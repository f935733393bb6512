/* SPDX-License-Identifier: Apache-2.0 */
#include <base/civil.h>
#include <disrupt/marks.h>

#include <base/error.h>
#include <base/sort.h>

static const int64_t longest_rest = INT64_C(300) * SECOND_NS;

void karp_memory_init(karp_memory *memory, size_t size)
{
    const karp_memory fresh = { 0 };
    struct_start(memory, size, &fresh, sizeof fresh);
}

/* Ignores the names of pools that no longer exist. */
static void read_unseen(pass *p, const karp_memory *given)
{
    const karp_snapshot *s = p->snapshot;
    for (size_t i = 0; i < given->unseen_count; i++) {
        uint32_t pool = pool_named(s, given->unseen[i]);
        if (pool != NO_ID) p->marks.unseen[pool] = true;
    }
}

karp_status marks_begin(pass *p, const karp_memory *given, bool watched, karp_error *error)
{
    karp_memory *m = &p->marks.memory;
    if (given == NULL) return KARP_OK;
    karp_status status = struct_check(given, sizeof *m, SIZE_THROUGH(karp_memory, unseen_count), m, "karp_memory",
                                      error);
    if (status != KARP_OK) return status;
    if (m->unseen == NULL && m->unseen_count > 0)
        return fail(error, KARP_E_INVALID, "karp_memory: unseen_count is not 0, but unseen is NULL");
    p->marks.unseen = mem_zalloc(p->context, p->snapshot->raw.pools.count + 1);
    if (p->marks.unseen == NULL) return fail_nomem(error);
    p->marks.remembers = true;
    read_unseen(p, m);
    uint64_t seen = watched ? m->seen : cluster_digest(p->snapshot);
    bool rested = m->changed != 0 && p->now >= m->changed &&
                  (uint64_t)p->now - (uint64_t)m->changed >= (uint64_t)longest_rest;
    if (m->changed == 0 || m->seen != seen || rested) m->changed = p->now;
    m->seen = seen;
    return KARP_OK;
}

void marks_end(pass *p) { mem_free(p->context, p->marks.unseen, p->snapshot->raw.pools.count + 1); }

/* NULL = the method always runs. */
static const int64_t *mark_of(const pass *p)
{
    switch (p->method) {
    case KARP_METHOD_EMPTINESS: return &p->marks.memory.emptiness_mark;
    case KARP_METHOD_MULTI_NODE: return &p->marks.memory.multi_node_mark;
    case KARP_METHOD_SINGLE_NODE: return &p->marks.memory.single_node_mark;
    default: return NULL;
    }
}

bool marks_unchanged(const pass *p)
{
    const int64_t *mark = p->marks.remembers ? mark_of(p) : NULL;
    return mark != NULL && *mark != 0 && *mark == p->marks.memory.changed;
}

/* Nothing was found if no budget held a node back and there was no error. A pass that was stopped early does not count
 * either, except for multi-node consolidation (D-Q4). */
static bool found_nothing(const pass *p)
{
    if (p->found.commands.count > 0 || p->budgets.constrained || p->error_code.len > 0) return false;
    return !p->work.stopped || (p->method == KARP_METHOD_MULTI_NODE && pass_quirk(p, 4));
}

void marks_note(pass *p)
{
    if (!p->marks.remembers || !found_nothing(p)) return;
    int64_t changed = p->marks.memory.changed;
    switch (p->method) {
    case KARP_METHOD_MULTI_NODE: p->marks.memory.multi_node_mark = changed; break;
    case KARP_METHOD_SINGLE_NODE: p->marks.memory.single_node_mark = changed; break;
    default: break; /* emptiness keeps empty nodes only because of a budget */
    }
}

void marks_set_unseen(pass *p, const bool *not_seen)
{
    if (p->marks.remembers) memcpy(p->marks.unseen, not_seen, p->snapshot->raw.pools.count * sizeof *not_seen);
}

bool marks_row(const pass *p, karp_decision *d)
{
    const store *raw = &p->snapshot->raw;
    if (!p->marks.remembers) return true;
    karp_str *names = arena_array(&d->data, raw->pools.count + 1, sizeof *names);
    if (names == NULL) return false;
    size_t count = 0;
    for (size_t i = 0; i < raw->pools.count; i++) {
        if (p->marks.unseen[i]) names[count++] = name_of(p->snapshot, raw->pools.items[i].meta.name);
    }
    d->memory = p->marks.memory;
    d->memory.unseen = names;
    d->memory.unseen_count = count;
    d->remembers = true;
    return sort_stable(d->context, names, count, sizeof *names, by_text, NULL);
}
