/* SPDX-License-Identifier: Apache-2.0 */
/* Lists and maps whose elements become known one by one: they are gathered first, so that the array has their size. */
#include <json/tree.h>

#include <base/sort.h>

static bool refused(trees *t, karp_status status)
{
    if (t->status == KARP_OK) t->status = status;
    return false;
}

static int by_name(const void *a, const void *b, const void *user)
{
    const tree_member *members = user;
    const uint32_t *x = a, *y = b;
    return compare_str(tree_member_name(&members[*x]), tree_member_name(&members[*y]));
}

/* For many members: sorts them, so that repeated names are adjacent. */
static size_t leave_repeats_of_many(trees *t, tree_member *members, size_t count)
{
    karp_context *context = t->memory.context;
    uint32_t *order = mem_alloc(context, count * sizeof *order);
    for (size_t i = 0; order && i < count; i++) order[i] = (uint32_t)i;
    if (!order || !sort_stable(context, order, count, sizeof *order, by_name, members)) {
        mem_free(context, order, count * sizeof *order);
        (void)refused(t, KARP_E_NOMEM);
        return count;
    }
    for (size_t i = count; i-- > 1;) {
        if (by_name(&order[i - 1], &order[i], members) != 0) continue;
        members[order[i - 1]].value = members[order[i]].value;
        members[order[i]].value = NULL;
    }
    mem_free(context, order, count * sizeof *order);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (members[i].value) members[kept++] = members[i];
    }
    return kept;
}

static bool same_name(const tree_member *a, const tree_member *b)
{
    return a->key == b->key && tree_equal_names(a->name, b->name, a->key);
}

/* Removes repeated names: the first position and the last value are kept. Returns the number of members left. */
static size_t leave_repeats(trees *t, tree_member *members, size_t count, uint16_t *name_bits)
{
    if (count > 32) {
        *name_bits = UINT16_MAX;
        return leave_repeats_of_many(t, members, count);
    }
    unsigned seen = 0;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        /* Names with different keys usually set different bits. */
        unsigned bit = 1u << tree_name_bit(members[i].key);
        size_t k = seen & bit ? 0 : kept;
        while (k < kept && !same_name(&members[k], &members[i])) k++;
        seen |= bit;
        if (k < kept) members[k].value = members[i].value;
        else if (kept++ < i) members[kept - 1] = members[i];
    }
    *name_bits = (uint16_t)seen;
    return kept;
}

/* Units of work for reading an element and comparing it. */
enum { OF_AN_ELEMENT = 64 };

bool tree_take_gathered(trees *t, tree *into, size_t from)
{
    size_t count = t->stack_count - from;
    t->stack_count = from;
    if (count == 0) return t->status == KARP_OK; /* there may be no stack yet */
    tree_member *members = t->stack + from;
    if (into->type == TREE_MAP) count = leave_repeats(t, members, count, &into->name_bits);
    if (t->status) return false;
    if (count >= UINT32_MAX) return refused(t, KARP_E_LIMIT);
    if (!mem_work(t->memory.context, count * OF_AN_ELEMENT)) return refused(t, KARP_E_NOMEM);
    size_t bytes = count * (into->type == TREE_MAP ? sizeof *members : sizeof members->value);
    void *space = arena_alloc_aligned(&t->memory, bytes, sizeof(void *));
    if (!space) return refused(t, KARP_E_NOMEM);
    into->count = into->capacity = (uint32_t)count;
    if (into->type == TREE_MAP) {
        into->of.members = memcpy(space, members, bytes);
    } else {
        into->of.items = space;
        for (size_t i = 0; i < count; i++) into->of.items[i] = members[i].value;
    }
    return true;
}
