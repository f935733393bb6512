/* SPDX-License-Identifier: Apache-2.0 */
#include <model/store.h>

#include <base/error.h>
#include <base/sort.h>
#include <model/layout.h>
#include <model/store_pods.h>
#include <stdatomic.h>

#include <karp/library.h>

/* 2026-01-01T00:00:00Z: the default clock of a snapshot. */
#define DEFAULT_NOW (INT64_C(1767225600) * INT64_C(1000000000))

/* ---- growable arrays --------------------------------------------------------------------------------------------- */

/* The members of every LIST_OF. These are different types, so they are accessed as bytes. */
typedef struct any_list {
    void *items;
    size_t count, capacity;
    shared_array *shared;
} any_list;

static bool own(any_list *l, size_t element_bytes)
{
    if (l->shared == NULL) return true;
    void *items = shared_array_take(l->shared, l->count * element_bytes);
    if (items == NULL) return false;
    l->items = items;
    l->shared = NULL;
    return true;
}

bool list_own(void *list, size_t element_bytes)
{
    any_list l;
    memcpy(&l, list, sizeof l);
    if (!own(&l, element_bytes)) return false;
    memcpy(list, &l, sizeof l);
    return true;
}

bool list_has_room(const void *list)
{
    any_list l;
    memcpy(&l, list, sizeof l);
    return l.count < l.capacity;
}

uint32_t list_sharers(const void *list)
{
    any_list l;
    memcpy(&l, list, sizeof l);
    return l.shared == NULL ? 1 : shared_array_owners(l.shared);
}

bool list_reserve_more(karp_context *context, void *list, size_t element_bytes, size_t more)
{
    any_list l;
    memcpy(&l, list, sizeof l);
    if (more >= NO_ID || l.count >= NO_ID - more || !own(&l, element_bytes)) return false;
    bool ok = grow(context, &l.items, &l.capacity, l.count + more, element_bytes);
    memcpy(list, &l, sizeof l);
    return ok;
}

bool list_reserve(karp_context *context, void *list, size_t element_bytes)
{
    return list_reserve_more(context, list, element_bytes, 1);
}

void *list_push_here(void *list, size_t element_bytes)
{
    any_list l;
    memcpy(&l, list, sizeof l);
    if (l.count == l.capacity) return NULL;
    void *element = (char *)l.items + l.count * element_bytes;
    memset(element, 0, element_bytes);
    l.count++;
    memcpy(list, &l, sizeof l);
    return element;
}

void *list_push(karp_context *context, void *list, size_t element_bytes)
{
    return list_reserve(context, list, element_bytes) ? list_push_here(list, element_bytes) : NULL;
}

/* makes the list sharable; false = out of memory, the list is unchanged */
static bool list_settle(karp_context *context, void *list, size_t element_bytes)
{
    any_list l;
    memcpy(&l, list, sizeof l);
    if (l.items == NULL || l.shared != NULL) return true;
    l.shared = shared_array_new(context, l.items, l.capacity * element_bytes);
    memcpy(list, &l, sizeof l);
    return l.shared != NULL;
}

/* Makes an empty list share the elements of another, which is settled or empty. */
static void list_continue(void *list, const void *from)
{
    any_list l;
    memcpy(&l, from, sizeof l);
    (void)shared_array_ref(l.shared);
    memcpy(list, &l, sizeof l);
}

size_t list_count(const void *list)
{
    any_list l;
    memcpy(&l, list, sizeof l);
    return l.count;
}

void *list_at(const void *list, size_t index, size_t element_bytes)
{
    any_list l;
    memcpy(&l, list, sizeof l);
    return (char *)l.items + index * element_bytes;
}

void list_free(karp_context *context, void *list, size_t element_bytes)
{
    any_list l;
    memcpy(&l, list, sizeof l);
    if (l.shared == NULL) mem_free(context, l.items, l.capacity * element_bytes);
    shared_array_unref(l.shared);
    memset(&l, 0, sizeof l);
    memcpy(list, &l, sizeof l);
}

/* ---- sharing ----------------------------------------------------------------------------------------------------- */

enum { PIECES = 13 };

struct store_memory {
    karp_context *context; /* no reference: owners of the block have one */
    _Atomic uint32_t references;
    store_memory *below;
    size_t bytes; /* with those below */
    arena pieces[PIECES];
};

store_memory *store_memory_new(karp_context *context)
{
    store_memory *m = mem_zalloc(context, sizeof *m);
    if (m == NULL) return NULL;
    m->context = context;
    atomic_init(&m->references, 1);
    for (size_t i = 0; i < PIECES; i++) arena_init(&m->pieces[i], context);
    return m;
}

static store_memory *store_memory_ref(store_memory *m)
{
    if (m != NULL) atomic_fetch_add_explicit(&m->references, 1, memory_order_relaxed);
    return m;
}

void store_memory_unref(store_memory *m)
{
    while (m != NULL && atomic_fetch_sub_explicit(&m->references, 1, memory_order_acq_rel) == 1) {
        store_memory *below = m->below;
        for (size_t i = 0; i < PIECES; i++) arena_free(&m->pieces[i]);
        mem_free(m->context, m, sizeof *m);
        m = below;
    }
}

void store_share(store *s, store_memory *fresh)
{
    arena *own[PIECES] = {
        &s->data,           &s->text.text,   &s->names.text,    &s->resources.text, &s->shape_keys.data,
        &s->rule_keys.data, &s->labels.data, &s->volumes.data,  &s->mark_keys.data, &s->claim_names.data,
        &s->templates.data, &s->taken.data,  &s->projected.data
    };
    fresh->bytes = s->below == NULL ? 0 : s->below->bytes;
    for (size_t i = 0; i < PIECES; i++) {
        fresh->pieces[i] = *own[i];
        fresh->bytes += own[i]->total;
        arena_init(own[i], s->context);
    }
    if (s->below == NULL) s->clean_bytes = fresh->bytes;
    fresh->below = s->below;
    s->below = fresh;
}

bool store_wasteful(const store *s)
{
    enum { LITTLE = 8 << 20 };
    return s->below != NULL && s->below->bytes - s->clean_bytes > s->clean_bytes + LITTLE;
}

/* ---- creating and freeing ---------------------------------------------------------------------------------------- */

/* All tables; the lists are in layout.c. */
static const size_t word_tables[] = { offsetof(store, shape_keys), offsetof(store, rule_keys),
                                      offsetof(store, labels),     offsetof(store, volumes),
                                      offsetof(store, mark_keys),  offsetof(store, claim_names),
                                      offsetof(store, templates),  offsetof(store, projected),
                                      offsetof(store, taken) };
static const size_t string_tables[] = { offsetof(store, text), offsetof(store, names), offsetof(store, resources) };

enum {
    WORD_TABLES = sizeof word_tables / sizeof *word_tables,
    STRING_TABLES = sizeof string_tables / sizeof *string_tables
};

static void *part(store *s, size_t at) { return (char *)s + at; }

/* Initializes everything that owns memory. */
static void empty(store *s)
{
    s->touched = 0;
    memset(&s->changed_objects, 0, sizeof s->changed_objects);
    for (size_t i = 0; i < STORE_LISTS; i++) memset(store_list_of(s, i), 0, sizeof s->nodes);
    for (size_t i = 0; i < STRING_TABLES; i++) strings_init(part(s, string_tables[i]), s->context);
    for (size_t i = 0; i < WORD_TABLES; i++) words_init(part(s, word_tables[i]), s->context);
    store_pods_init(s);
    arena_init(&s->data, s->context);
    s->below = NULL;
}

static bool add_fixed_ids(store *s)
{
    const pod_marks none = no_marks();
    uint32_t marks[sizeof none / sizeof(uint32_t)];
    memcpy(marks, &none, sizeof none);
    return resource_names_init(&s->resources, s->context) && strings_add(&s->text, "", 0) == NO_TEXT &&
           strings_add(&s->names, "", 0) == NO_TEXT && words_add(&s->labels, NULL, 0) == 0 &&
           words_add(&s->volumes, NULL, 0) == 0 && words_add(&s->mark_keys, marks, sizeof marks / sizeof *marks) == 0 &&
           words_add(&s->claim_names, NULL, 0) == 0;
}

karp_status store_init(store *s, karp_context *context, karp_error *error)
{
    memset(s, 0, sizeof *s);
    s->context = context;
    s->now = DEFAULT_NOW;
    karp_settings_init(&s->settings, sizeof s->settings);
    empty(s);
    if (add_fixed_ids(s)) return KARP_OK;
    store_free(s);
    memset(s, 0, sizeof *s); /* so that nobody takes it for a store: see builder_ready() */
    return fail_nomem(error);
}

void store_free(store *s)
{
    for (size_t i = 0; i < s->catalogues.count; i++) karp_catalogue_unref(s->catalogues.items[i].catalogue);
    for (size_t i = 0; i < STORE_LISTS; i++) list_free(s->context, store_list_of(s, i), store_lists[i].of->bytes);
    for (size_t i = 0; i < STRING_TABLES; i++) strings_free(part(s, string_tables[i]));
    for (size_t i = 0; i < WORD_TABLES; i++) words_free(part(s, word_tables[i]));
    store_pods_free(s);
    list_free(s->context, &s->changed_objects, sizeof(uint64_t));
    arena_free(&s->data);
    store_memory_unref(s->below);
    s->below = NULL;
}

static int by_value(const void *x, const void *y, const void *user)
{
    uint64_t a, b;
    (void)user;
    memcpy(&a, x, sizeof a);
    memcpy(&b, y, sizeof b);
    return a < b ? -1 : a > b;
}

/* Sorts the changes and removes duplicates. */
static bool settle_changes(store *s)
{
    uint64_t *items = s->changed_objects.items;
    size_t kept = 0, count = s->changed_objects.count;
    if (count == 0) return true;
    if (!sort_stable(s->context, items, count, sizeof *items, by_value, NULL)) return false;
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || items[kept - 1] != items[i]) items[kept++] = items[i];
    }
    s->changed_objects.count = kept;
    return true;
}

bool store_settle(store *s)
{
    bool ok = store_index_pods(s) && settle_changes(s);
    for (size_t i = 0; i < STORE_LISTS && ok; i++)
        ok = list_settle(s->context, store_list_of(s, i), store_lists[i].of->bytes);
    for (size_t i = 0; i < STRING_TABLES && ok; i++) ok = strings_settle(part(s, string_tables[i]));
    for (size_t i = 0; i < WORD_TABLES && ok; i++) ok = words_settle(part(s, word_tables[i]));
    return ok;
}

/* ---- continuing another store ------------------------------------------------------------------------------------ */

/* The other store also owns what the lists point to. */
static bool copy_parts(store *s, const store *from)
{
    bool ok = true;
    const char *other = (const char *)from;
    for (size_t i = 0; i < STORE_LISTS; i++) list_continue(store_list_of(s, i), other + store_lists[i].at);
    for (size_t i = 0; i < STRING_TABLES && ok; i++)
        ok = strings_continue(part(s, string_tables[i]), (const strings *)(const void *)(other + string_tables[i]));
    for (size_t i = 0; i < WORD_TABLES && ok; i++)
        ok = words_continue(part(s, word_tables[i]), (const words *)(const void *)(other + word_tables[i]));
    return ok && store_pods_continue(s, from);
}

bool store_begin_like(store *s, const store *from)
{
    *s = *from;
    empty(s);
    if (add_fixed_ids(s)) return true;
    store_free(s);
    return false;
}

bool store_continue(store *s, const store *from)
{
    *s = *from;
    empty(s);
    s->below = store_memory_ref(from->below);
    bool ok = copy_parts(s, from);
    for (size_t i = 0; i < s->catalogues.count; i++) (void)karp_catalogue_ref(s->catalogues.items[i].catalogue);
    if (!ok) store_free(s);
    return ok;
}

void store_alone(store *s)
{
    for (size_t i = 0; i < WORD_TABLES; i++) ((words *)part(s, word_tables[i]))->alone = true;
}

/* ---- removing objects -------------------------------------------------------------------------------------------- */

/* Changes are recorded only in a store that continues another one. */
bool store_reserve_changes(store *s, size_t more)
{
    return s->below == NULL || list_reserve_more(s->context, &s->changed_objects, sizeof(uint64_t), more);
}

void store_note_change(store *s, uint32_t kind, uint32_t index)
{
    if (s->below != NULL) s->changed_objects.items[s->changed_objects.count++] = pair_key(kind, index);
}

/* Closes the gaps of one list. moved[i] is the new index of element i, NO_ID = removed. */
static void close_gaps(store *s, uint32_t kind, const uint32_t *moved)
{
    any_list l;
    void *list = store_list_of(s, kind);
    size_t kept = 0, element_bytes = store_lists[kind].of->bytes;
    memcpy(&l, list, sizeof l);
    for (size_t i = 0; i < l.count; i++) {
        if (moved[i] == NO_ID) continue;
        if (kept != i)
            memcpy((char *)l.items + kept * element_bytes, (char *)l.items + i * element_bytes, element_bytes);
        if (kept != i) store_note_change(s, kind, (uint32_t)kept);
        kept++;
    }
    l.count = kept;
    memcpy(list, &l, sizeof l);
    for (size_t i = 0; i < s->taken.count; i++) {
        uint32_t *index = &s->taken_index.items[i];
        if (s->taken.entries[i].ptr[0] == kind && *index != NO_ID) *index = moved[*index];
    }
}

static bool move_up(store *s, uint32_t kind, const removed_object *removed, size_t count)
{
    size_t before = list_count(store_list_of(s, kind));
    uint32_t *moved = mem_zalloc(s->context, (before + 1) * sizeof *moved), next = 0;
    if (moved == NULL || !store_reserve_changes(s, before)) {
        mem_free(s->context, moved, (before + 1) * sizeof *moved);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (removed[i].kind == kind) moved[removed[i].index] = NO_ID;
    }
    for (size_t i = 0; i < before; i++) {
        if (moved[i] != NO_ID) moved[i] = next++;
    }
    close_gaps(s, kind, moved);
    mem_free(s->context, moved, (before + 1) * sizeof *moved);
    return true;
}

static int last_first(uint32_t a, uint32_t b, const void *user)
{
    (void)user;
    return a > b ? -1 : a < b;
}

/* For Nodes and NodeClaims, of which there are many and whose order does not matter. Starts at the last gap, after
 * which there are no others. */
static bool move_last(store *s, uint32_t kind, const removed_object *removed, size_t count)
{
    any_list l;
    void *list = store_list_of(s, kind);
    size_t open_count = 0, element_bytes = store_lists[kind].of->bytes;
    uint32_t *open = mem_alloc(s->context, count * sizeof *open);
    for (size_t i = 0; open != NULL && i < count; i++) {
        if (removed[i].kind == kind) open[open_count++] = removed[i].index;
    }
    bool ok = open != NULL && store_reserve_changes(s, open_count) &&
              sort_ids(s->context, open, open_count, last_first, NULL);
    memcpy(&l, list, sizeof l);
    for (size_t i = 0; ok && i < open_count; i++) {
        char *place = (char *)l.items + open[i] * element_bytes;
        if (open[i] == --l.count) continue;
        memcpy(place, (char *)l.items + l.count * element_bytes, element_bytes);
        const object *meta = (const object *)(const void *)place; /* both kinds begin with it */
        const uint32_t identity[3] = { kind, meta->name_space, meta->name };
        s->taken_index.items[words_find(&s->taken, identity, 3)] = open[i];
        store_note_change(s, kind, open[i]);
    }
    memcpy(list, &l, sizeof l);
    mem_free(s->context, open, count * sizeof *open);
    return ok;
}

bool store_remove(store *s, removed_object *removed, size_t *count)
{
    while (*count > 0) {
        uint32_t kind = removed[*count - 1].kind;
        size_t left = 0;
        if (!list_own(store_list_of(s, kind), store_lists[kind].of->bytes) ||
            !list_own(&s->taken_index, sizeof(uint32_t)))
            return false;
        if (!(kind == KIND_NODE || kind == KIND_NODE_CLAIM ? move_last : move_up)(s, kind, removed, *count))
            return false;
        for (size_t i = 0; i < *count; i++) {
            if (removed[i].kind != kind) removed[left++] = removed[i];
        }
        *count = left;
    }
    return true;
}

/* ---- look-ups ---------------------------------------------------------------------------------------------------- */

static uint32_t find(const store *s, const uint32_t *identity, size_t count)
{
    if (identity[0] == KIND_POD) return store_find_pod(s, identity[1], identity[2]);
    uint32_t id = words_find(&s->taken, identity, count);
    return id == NO_ID ? NO_ID : s->taken_index.items[id];
}

bool store_has(const store *s, const uint32_t *identity, size_t count) { return find(s, identity, count) != NO_ID; }

uint32_t store_find(const store *s, enum kind kind, uint32_t name_space, uint32_t name)
{
    uint32_t identity[3] = { (uint32_t)kind, name_space, name };
    return find(s, identity, 3);
}

uint32_t store_find_selecting(const store *s, uint32_t selects, uint32_t name_space, uint32_t name)
{
    uint32_t identity[4] = { KIND_SELECTING, name_space, name, selects };
    return find(s, identity, 4);
}

const pod_marks *store_marks(const store *s, const pod *p)
{
    return (const pod_marks *)(const void *)s->mark_keys.entries[p->marks].ptr;
}

uint32_t label_get(label_list labels, uint32_t key)
{
    uint32_t from = 0, to = labels.count;
    while (to - from > 8) { /* linear search for small ranges */
        uint32_t middle = from + (to - from) / 2;
        if (labels.items[middle].key < key) from = middle + 1;
        else to = middle + 1;
    }
    for (uint32_t i = from; i < to && labels.items[i].key <= key; i++) {
        if (labels.items[i].key == key) return labels.items[i].value;
    }
    return NO_ID;
}

label_list store_pod_labels(const store *s, uint32_t labels)
{
    const struct words_entry *e = &s->labels.entries[labels];
    return (label_list){ (const label_pair *)(const void *)e->ptr, e->count / 2 };
}

const condition *condition_find(condition_list list, uint32_t type)
{
    for (uint32_t i = 0; i < list.count; i++) {
        if (list.items[i].type == type) return &list.items[i];
    }
    return NULL;
}
