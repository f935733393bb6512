/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of requirements: one per label key, interned as sorted pairs (key, requirement). */
#include <model/requirement.h>

#include <base/sort.h>

enum { STACK_ENTRIES = 64 }; /* sets up to this size are built on the stack */

uint32_t set_get(const algebra *a, uint32_t set, uint32_t key)
{
    size_t count;
    const set_entry *e = set_entries(a, set, &count);
    for (size_t i = 0; i < count; i++) {
        if (e[i].key >= key) return e[i].key == key ? e[i].requirement : NO_ID;
    }
    return NO_ID;
}

static uint32_t intern_entries(algebra *a, const set_entry *entries, size_t count)
{
    uint32_t id = words_add(&a->sets, (const uint32_t *)(const void *)entries, count * 2);
    if (id == NO_ID) a->failed = true;
    return id == NO_ID ? EMPTY_SET : id;
}

/* Space for `count` entries: the caller's array if it is large enough, else scratch from the arena. */
static set_entry *room(algebra *a, set_entry *stack, size_t count)
{
    if (count <= STACK_ENTRIES) return stack;
    set_entry *e = arena_alloc(&a->data, count * sizeof *e);
    if (e == NULL) a->failed = true;
    return e;
}

enum edit { EDIT_ADD, EDIT_REPLACE, EDIT_REMOVE };

static uint32_t edit(algebra *a, uint32_t set, uint32_t key, uint32_t with, enum edit how)
{
    if (a->failed) return EMPTY_SET;
    set_entry stack[STACK_ENTRIES];
    size_t count, n = 0;
    (void)set_entries(a, set, &count);
    arena_mark mark = arena_get_mark(&a->data);
    set_entry *out = room(a, stack, count + 1);
    if (out == NULL) return EMPTY_SET;
    bool done = how == EDIT_REMOVE;
    for (size_t i = 0; i < count; i++) {
        set_entry e = set_entries(a, set, &count)[i];
        if (!done && e.key > key) {
            out[n++] = (set_entry){ key, with };
            done = true;
        }
        if (e.key == key) {
            if (how == EDIT_REMOVE) continue;
            e.requirement = how == EDIT_REPLACE ? with : requirement_meet(a, e.requirement, with);
            done = true;
        }
        out[n++] = e;
    }
    if (!done) out[n++] = (set_entry){ key, with };
    uint32_t id = a->failed ? EMPTY_SET : intern_entries(a, out, n);
    /* Interning copies to another arena, but an intersection may have added values to this one. So the scratch is
     * freed only if it is still the last allocation. */
    if (out != stack && a->data.next == (char *)(out + count + 1)) arena_release(&a->data, mark);
    return id;
}

uint32_t set_add(algebra *a, uint32_t set, uint32_t with)
{
    if (a->failed || with == NO_ID) {
        a->failed = true;
        return EMPTY_SET;
    }
    return edit(a, set, requirement_get(a, with)->key, with, EDIT_ADD);
}

uint32_t set_replace(algebra *a, uint32_t set, uint32_t with)
{
    if (a->failed || with == NO_ID) {
        a->failed = true;
        return EMPTY_SET;
    }
    return edit(a, set, requirement_get(a, with)->key, with, EDIT_REPLACE);
}

uint32_t set_remove(algebra *a, uint32_t set, uint32_t key) { return edit(a, set, key, NO_ID, EDIT_REMOVE); }

static uint32_t meet_sets(algebra *a, uint32_t x, uint32_t y)
{
    set_entry stack[STACK_ENTRIES];
    size_t nx, ny, i = 0, j = 0, n = 0;
    const set_entry *ex = set_entries(a, x, &nx), *ey = set_entries(a, y, &ny);
    set_entry *out = room(a, stack, nx + ny);
    if (out == NULL) return EMPTY_SET;
    while (i < nx || j < ny) {
        if (j == ny || (i < nx && ex[i].key < ey[j].key)) {
            out[n++] = ex[i++];
        } else if (i == nx || ey[j].key < ex[i].key) {
            out[n++] = ey[j++];
        } else {
            out[n++] = (set_entry){ ex[i].key, requirement_meet(a, ex[i].requirement, ey[j].requirement) };
            i++;
            j++;
        }
    }
    return a->failed ? EMPTY_SET : intern_entries(a, out, n);
}

uint32_t set_meet_of_two(algebra *a, uint32_t x, uint32_t y)
{
    if (a->failed || x == y) return x;
    if (x == EMPTY_SET) return y;
    uint64_t key = x < y ? pair_key(x, y) : pair_key(y, x);
    uint32_t id = map64_get(&a->set_meets, key);
    if (id != NO_ID) return id;
    id = meet_sets(a, x, y);
    if (!a->failed && !map64_put(&a->set_meets, key, id)) a->failed = true;
    return id;
}

enum { SHORT_LIST = 16 };

static int by_key(uint32_t x, uint32_t y, const void *user)
{
    const algebra *a = user;
    uint32_t p = requirement_get(a, x)->key, q = requirement_get(a, y)->key;
    return p < q ? -1 : p > q;
}

/* The types of a catalogue mostly have the same keys in the same order. Then the order of the last list is reused. */
static bool order_as_before(const algebra *a, uint32_t *ids, size_t count)
{
    const key_order *last = &a->last_order;
    uint32_t unordered[MOST_ORDERED];
    if (count != last->count) return false;
    for (size_t i = 0; i < count; i++) {
        if (requirement_get(a, ids[i])->key != last->keys[i]) return false;
    }
    memcpy(unordered, ids, count * sizeof *ids);
    for (size_t i = 0; i < count; i++) ids[i] = unordered[last->place[i]];
    return true;
}

static bool order_by_key(algebra *a, uint32_t *ids, size_t count)
{
    uint32_t unordered[MOST_ORDERED];
    key_order *last = &a->last_order;
    if (count > MOST_ORDERED) return sort_ids(a->context, ids, count, by_key, a);
    if (order_as_before(a, ids, count)) return true;
    memcpy(unordered, ids, count * sizeof *ids);
    if (!sort_ids(a->context, ids, count, by_key, a)) return false;
    last->count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        /* Requirements with the same key stay in the order of the list, in which a requirement may be repeated. */
        size_t from = i > 0 && by_key(ids[i - 1], ids[i], a) == 0 ? last->place[i - 1] + (size_t)1 : 0;
        while (unordered[from] != ids[i]) from++;
        last->keys[i] = requirement_get(a, unordered[i])->key;
        last->place[i] = (uint8_t)from;
    }
    return true;
}

/* Interns only the final set, not one for each requirement. Sorts `ids`. */
static uint32_t set_of_many(algebra *a, uint32_t *ids, size_t count)
{
    set_entry stack[STACK_ENTRIES];
    size_t bytes = count * sizeof(set_entry), kept = 0, next;
    set_entry *e = count <= STACK_ENTRIES ? stack : mem_alloc(a->context, bytes);
    uint32_t set = EMPTY_SET;
    if (e == NULL || !order_by_key(a, ids, count)) a->failed = true;
    for (size_t i = 0; i < count && !a->failed; i = next) {
        uint32_t key = requirement_get(a, ids[i])->key;
        for (next = i + 1; next < count && requirement_get(a, ids[next])->key == key;) next++;
        e[kept++] = (set_entry){ key, requirement_of_all(a, ids + i, next - i) };
    }
    if (!a->failed) set = intern_entries(a, e, kept);
    if (e != stack) mem_free(a->context, e, bytes);
    return set;
}

uint32_t set_of_all(algebra *a, uint32_t *ids, size_t count)
{
    uint32_t set = EMPTY_SET;
    if (count > SHORT_LIST) return a->failed ? EMPTY_SET : set_of_many(a, ids, count);
    for (size_t i = 0; i < count; i++) set = set_add(a, set, ids[i]);
    return set;
}

bool set_agree(algebra *a, uint32_t x, uint32_t y)
{
    size_t nx, ny, i = 0, j = 0;
    const set_entry *ex = set_entries(a, x, &nx), *ey = set_entries(a, y, &ny);
    while (i < nx && j < ny) {
        if (ex[i].key < ey[j].key) {
            i++;
        } else if (ey[j].key < ex[i].key) {
            j++;
        } else {
            if (!requirement_agree(a, ex[i].requirement, ey[j].requirement)) return false;
            i++;
            j++;
        }
    }
    return true;
}

static bool defined_enough(const algebra *a, uint32_t supply, uint32_t required, bool lenient)
{
    size_t n, given, at = 0;
    const set_entry *e = set_entries(a, required, &n), *s = set_entries(a, supply, &given);
    for (size_t i = 0; i < n; i++) {
        if (lenient && a->facts->well_known[e[i].key]) continue;
        if (requirement_negative(requirement_get(a, e[i].requirement))) continue;
        while (at < given && s[at].key < e[i].key) at++;
        if (at == given || s[at].key != e[i].key) return false;
    }
    return true;
}

bool set_compatible_with_some(algebra *a, uint32_t supply, uint32_t required, bool lenient)
{
    if (a->failed) return false;
    map64 *known = lenient ? &a->set_lenient : &a->set_strict;
    uint64_t key = pair_key(supply, required);
    uint32_t answer = map64_get(known, key);
    if (answer == NO_ID) {
        answer = defined_enough(a, supply, required, lenient) && set_agree(a, supply, required);
        algebra_keep(a, known, key, answer != 0);
    }
    return answer != 0;
}

uint32_t set_first_conflict(algebra *a, uint32_t supply, uint32_t required, bool lenient, bool *undefined)
{
    size_t n;
    const set_entry *e = set_entries(a, required, &n);
    uint32_t first = NO_ID;
    *undefined = false;
    for (size_t i = 0; i < n; i++) {
        uint32_t have = set_get(a, supply, e[i].key);
        bool missing = have == NO_ID && !(lenient && a->facts->well_known[e[i].key]) &&
                       !requirement_negative(requirement_get(a, e[i].requirement));
        bool bad = have != NO_ID && !requirement_agree(a, have, e[i].requirement);
        if ((missing || bad) && (first == NO_ID || a->facts->rank[e[i].key] < a->facts->rank[first])) {
            first = e[i].key;
            *undefined = missing;
        }
    }
    return first;
}
