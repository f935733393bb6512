/* SPDX-License-Identifier: Apache-2.0 */
#include <json/tree.h>

#include <karp/values.h>

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Nodes are allocated from the arena in batches of this size. */
enum { NODES_AT_ONCE = 32 };

void trees_init(trees *t, karp_context *context)
{
    memset(t, 0, sizeof *t);
    arena_init(&t->memory, context);
}

static void free_stack(trees *t)
{
    mem_free(t->memory.context, t->stack, t->stack_capacity * sizeof *t->stack);
    t->stack = NULL;
    t->stack_capacity = 0;
}

void trees_free(trees *t)
{
    free_stack(t);
    arena_free(&t->memory);
    trees_init(t, t->memory.context);
}

void trees_clear(trees *t)
{
    /* Frees a very large stack, so that one huge document does not keep its memory allocated. */
    if (t->stack_capacity > 4096) free_stack(t);
    arena_release(&t->memory, (arena_mark){ NULL, NULL });
    t->status = KARP_OK;
    t->spare = NULL;
    t->spare_count = t->stack_count = 0;
}

static void *refused(trees *t)
{
    if (t->status == KARP_OK) t->status = KARP_E_NOMEM;
    return NULL;
}

static void *too_many(trees *t)
{
    if (t->status == KARP_OK) t->status = KARP_E_LIMIT;
    return NULL;
}

static tree *node(trees *t, tree_type type)
{
    if (t->status) return NULL;
    if (t->spare_count == 0) {
        t->spare = arena_alloc_aligned(&t->memory, NODES_AT_ONCE * sizeof *t->spare, sizeof(void *));
        if (!t->spare) return refused(t);
        t->spare_count = NODES_AT_ONCE;
    }
    tree *made = t->spare++;
    t->spare_count--;
    *made = (tree){ .at = TREE_NOWHERE, .type = (uint8_t)type };
    return made;
}

/* ---- reading members --------------------------------------------------------------------------------------------- */

/* The map may have the member. */
static inline tree_member *look_for(const tree *map, const char *name, uint64_t key)
{
    const tree_member *end = map->of.members + map->count;
    for (tree_member *m = map->of.members; m < end; m++) {
        if (m->key == key && tree_equal_names(m->name, name, key)) return m;
    }
    return NULL;
}

static tree_member *find(const tree *map, const char *name, uint64_t key)
{
    return tree_may_have(map, key) ? look_for(map, name, key) : NULL;
}

tree *tree_find_key(const tree *map, const char *name, uint64_t key)
{
    const tree_member *member = look_for(map, name, key);
    return member ? member->value : NULL;
}

tree *tree_find_place(const tree *map, const char *name, uint64_t key, uint32_t *place)
{
    const tree_member *member = look_for(map, name, key);
    if (member) *place = (uint32_t)(member - map->of.members);
    return member ? member->value : NULL;
}

bool tree_integer(const tree *value, int64_t *out)
{
    if (!tree_is(value, TREE_INTEGER)) return false;
    bool negative = value->of.text[0] == '-';
    uint64_t sum = 0;
    for (size_t i = negative; i < value->count; i++) sum = sum * 10 + (uint64_t)(value->of.text[i] - '0');
    *out = negative ? -(int64_t)(sum - (sum > 0)) - (sum > 0) : (int64_t)sum;
    return true;
}

bool tree_double(const tree *value, double *out)
{
    return tree_is_number(value) && karp_double_parse(tree_digits(value), out) == KARP_OK;
}

static bool equal_maps(const tree *a, const tree *b)
{
    for (size_t i = 0; i < a->count; i++) {
        const tree_member *m = &a->of.members[i], *other = find(b, m->name, m->key);
        if (!other || !tree_equal(m->value, other->value)) return false;
    }
    return true;
}

bool tree_equal(const tree *a, const tree *b)
{
    if (!a || !b || a->type != b->type) return !a && !b;
    if (a->type == TREE_MAP) return a->count == b->count && equal_maps(a, b);
    if (a->type == TREE_LIST) {
        if (a->count != b->count) return false;
        for (size_t i = 0; i < a->count; i++) {
            if (!tree_equal(a->of.items[i], b->of.items[i])) return false;
        }
        return true;
    }
    int64_t x = 0, y = 0;
    if (tree_integer(a, &x) && tree_integer(b, &y)) return x == y;
    double u = 0, v = 0;
    if (tree_double(a, &u) && tree_double(b, &v)) return u >= v && u <= v;
    return a->count == b->count && (a->count == 0 || memcmp(a->of.text, b->of.text, a->count) == 0);
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

tree *tree_new(trees *t, tree_type type) { return node(t, type); }

tree *tree_new_slice(trees *t, tree_type type, karp_str text)
{
    if (text.len >= UINT32_MAX) return too_many(t);
    tree *made = node(t, type);
    if (!made) return NULL;
    made->of.text = text.ptr ? text.ptr : "";
    made->count = (uint32_t)text.len;
    return made;
}

static karp_str copy_text(trees *t, karp_str text)
{
    const char *copy = t->status ? NULL : arena_string(&t->memory, text.ptr, text.len);
    return copy ? (karp_str){ copy, text.len } : (karp_str){ refused(t), 0 };
}

static tree *new_copied(trees *t, tree_type type, karp_str text) { return tree_new_slice(t, type, copy_text(t, text)); }

tree *tree_new_text(trees *t, karp_str text) { return new_copied(t, TREE_STRING, text); }

tree *tree_new_integer(trees *t, int64_t number)
{
    char text[21];
    uint64_t magnitude = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    text[0] = '-';
    size_t sign = number < 0;
    return new_copied(t, TREE_INTEGER, (karp_str){ text, sign + write_digits(text + sign, magnitude) });
}

tree *tree_new_double(trees *t, double number)
{
    char text[KARP_VALUE_TEXT];
    karp_double_format(number, text);
    return new_copied(t, TREE_REAL, str(text));
}

/* Makes room for one more item or member. An array that is full, or not allocated here, is moved; the capacity
 * doubles. */
static bool more_space(trees *t, tree *into, size_t element)
{
    if (t->status) return false;
    if (into->count < into->capacity) return true;
    if (into->count >= UINT32_MAX / 4) return too_many(t);
    uint32_t capacity = into->count < 4 ? 4 : into->count * 2;
    void *bigger = arena_alloc_aligned(&t->memory, capacity * element, sizeof(void *));
    if (!bigger) return refused(t);
    const void *old = into->type == TREE_MAP ? (void *)into->of.members : (void *)into->of.items;
    if (into->count) memcpy(bigger, old, into->count * element);
    if (into->type == TREE_MAP) into->of.members = bigger;
    else into->of.items = bigger;
    into->capacity = capacity;
    return true;
}

/* Copies the array if it is another node's. false = a failure, now or earlier. */
static bool own_array(trees *t, tree *into, size_t element)
{
    return into->capacity > 0 ? t->status == KARP_OK : more_space(t, into, element);
}

void tree_add_member(trees *t, tree *map, karp_str name, tree *value)
{
    if (!value || !tree_is(map, TREE_MAP)) return;
    if (name.len >= UINT32_MAX) too_many(t);
    if (!more_space(t, map, sizeof(tree_member))) return;
    uint64_t key = tree_key(name.ptr, name.len);
    map->of.members[map->count++] = (tree_member){ name.ptr ? name.ptr : "", value, key };
    map->name_bits |= (uint16_t)(1u << tree_name_bit(key));
}

void tree_set_str(trees *t, tree *map, karp_str name, tree *value)
{
    if (!value || t->status) return;
    tree_member *member = find(map, name.ptr, tree_key(name.ptr, name.len));
    if (!member) {
        tree_add_member(t, map, name, value);
        return;
    }
    size_t index = (size_t)(member - map->of.members);
    if (own_array(t, map, sizeof *member)) map->of.members[index].value = value;
}

void tree_set(trees *t, tree *map, const char *name, tree *value) { tree_set_str(t, map, str(name), value); }

void tree_set_named(trees *t, tree *map, karp_str name, tree *value)
{
    karp_str copy = copy_text(t, name);
    if (copy.ptr) tree_set_str(t, map, copy, value);
}

void tree_set_text(trees *t, tree *map, const char *name, karp_str text)
{
    tree_set(t, map, name, tree_new_text(t, text));
}

void tree_append(trees *t, tree *list, tree *value)
{
    if (value && tree_is(list, TREE_LIST) && more_space(t, list, sizeof value)) list->of.items[list->count++] = value;
}

void tree_remove(trees *t, tree *map, const char *name)
{
    const tree_member *member = find(map, name, tree_key(name, strlen(name)));
    if (!member) return;
    size_t index = (size_t)(member - map->of.members);
    if (!own_array(t, map, sizeof *member)) return;
    memmove(map->of.members + index, map->of.members + index + 1, (map->count - index - 1) * sizeof *member);
    map->count--;
}

void tree_remove_item(trees *t, tree *list, size_t index)
{
    if (!tree_item(list, index) || !own_array(t, list, sizeof *list->of.items)) return;
    memmove(list->of.items + index, list->of.items + index + 1, (list->count - index - 1) * sizeof *list->of.items);
    list->count--;
}

void tree_move_items(tree *to, tree *from)
{
    if (!tree_is(to, TREE_LIST) || !tree_is(from, TREE_LIST)) return;
    to->of.items = from->of.items;
    to->count = from->count;
    to->capacity = from->capacity;
    from->count = from->capacity = 0;
}

void tree_default(trees *t, tree *map, const char *name, tree *value)
{
    if (!tree_get(map, name)) tree_set(t, map, name, value);
}

void tree_default_text(trees *t, tree *map, const char *name, karp_str text)
{
    if (!tree_get(map, name)) tree_set_text(t, map, name, text);
}

tree *tree_get_or_make(trees *t, tree *map, const char *name)
{
    tree *value = tree_get(map, name);
    if (tree_is(value, TREE_MAP)) return value;
    tree *made = node(t, TREE_MAP);
    if (!value) tree_set(t, map, name, made);
    return made;
}

void tree_set_missing(trees *t, tree *map, const tree *from)
{
    for (size_t i = 0; tree_is(from, TREE_MAP) && i < from->count; i++) {
        const tree_member *m = &from->of.members[i];
        if (!find(map, m->name, m->key)) tree_set_str(t, map, tree_member_name(m), m->value);
    }
}

tree *tree_copy(trees *t, const tree *value)
{
    tree *copy = value ? node(t, TREE_NULL) : NULL;
    if (!copy) return NULL;
    *copy = *value;
    if (value->type < TREE_LIST) return copy;
    copy->capacity = 0;
    if (value->count && !more_space(t, copy, value->type == TREE_MAP ? sizeof(tree_member) : sizeof(tree *)))
        return NULL;
    return copy;
}

tree *tree_copy_or_new(trees *t, const tree *value, tree_type type)
{
    return value ? tree_copy(t, value) : tree_new(t, type);
}

tree *tree_own(trees *t, tree *map, const char *name, tree_type type)
{
    const tree *shared = tree_get(map, name);
    if (shared && shared->type != type) return NULL;
    tree *own = tree_copy_or_new(t, shared, type);
    tree_set(t, map, name, own);
    return own;
}

tree *tree_deep_copy(trees *t, const tree *value, bool texts)
{
    tree *copy = tree_copy(t, value);
    if (!copy) return NULL;
    if (texts && copy->type >= TREE_INTEGER && copy->type <= TREE_STRING) {
        karp_str text = copy_text(t, (karp_str){ copy->of.text, copy->count });
        copy->of.text = text.ptr;
    }
    for (size_t i = 0; i < tree_count(copy) && t->status == KARP_OK; i++) {
        if (copy->type == TREE_LIST) {
            copy->of.items[i] = tree_deep_copy(t, copy->of.items[i], texts);
        } else {
            tree_member *m = &copy->of.members[i];
            m->value = tree_deep_copy(t, m->value, texts);
            if (texts) m->name = copy_text(t, tree_member_name(m)).ptr;
        }
    }
    return t->status == KARP_OK ? copy : NULL;
}
