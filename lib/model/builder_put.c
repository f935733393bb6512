/* SPDX-License-Identifier: Apache-2.0 */
/* Puts an object that was checked and copied into the builder's store. */
#include <model/builder.h>

#include <base/error.h>
#include <model/store_pods.h>

/* Whether nobody but the builder can read the list. */
static bool only_here(const karp_builder *b, const void *list) { return b->alone && list_sharers(list) <= 2; }

/* Where the object with this identity is in `removed`, if it is one of the last: it is replaced. SIZE_MAX = nowhere. */
static size_t among_removed(const karp_builder *b, uint32_t identity)
{
    enum { LOOKED_AT = 8 };
    size_t count = b->removed.count, least = count > LOOKED_AT ? count - LOOKED_AT : 0;
    for (size_t i = count; identity != NO_ID && i-- > least;) {
        if (b->removed.items[i].identity == identity) return i;
    }
    return SIZE_MAX;
}

/* Makes room for an element at the end of the list. Its elements stay shared if nobody else could tell. */
static bool make_room(karp_builder *b, void *list, size_t bytes)
{
    return (only_here(b, list) && list_has_room(list)) || list_reserve(b->context, list, bytes);
}

static bool same_amounts(resource_list a, resource_list b)
{
    for (uint32_t i = 0; a.count == b.count && i < a.count; i++) {
        if (a.items[i].resource != b.items[i].resource || amount_cmp(a.items[i].value, b.items[i].value) != 0)
            return false;
    }
    return a.count == b.count;
}

static bool same_labels(label_list a, label_list b)
{
    for (uint32_t i = 0; a.count == b.count && i < a.count; i++) {
        if (a.items[i].key != b.items[i].key || a.items[i].value != b.items[i].value) return false;
    }
    return a.count == b.count;
}

/* Whether the object that replaces another one agrees with it in all that reuse_nodes.c reads of the snapshot before.
 */
static bool stays_alike(enum kind kind, const void *was, const void *now)
{
    if (kind == KIND_NODE) {
        const node *a = was, *b = now;
        return a->provider_id == b->provider_id && same_labels(a->meta.labels, b->meta.labels);
    }
    const node_claim *a = was, *b = now;
    return kind == KIND_NODE_CLAIM && a->provider_id == b->provider_id &&
           same_amounts(a->allocatable, b->allocatable) && same_amounts(a->capacity, b->capacity);
}

/* Makes the list changeable where an element is replaced. It stays shared if nobody else could tell. */
static bool make_changeable(const adding *a, void *list, uint32_t index, const void *record, size_t bytes)
{
    return (only_here(a->b, list) && stays_alike(a->kind, list_at(list, index, bytes), record)) ||
           list_own(list, bytes);
}

/* Does everything that can fail before it changes anything. */
static bool commit(adding *a, void *list, const void *record, size_t record_bytes)
{
    karp_builder *b = a->b;
    store *s = &b->s;
    uint32_t known = words_find(&s->taken, a->identity, a->identity_count);
    size_t at = among_removed(b, known);
    bool ok = at == SIZE_MAX ? make_room(b, list, record_bytes)
                             : make_changeable(a, list, b->removed.items[at].index, record, record_bytes);
    if (!ok || !store_reserve_changes(s, 1)) return false;
    if (!(known == NO_ID ? make_room(b, &s->taken_index, sizeof(uint32_t))
                         : list_own(&s->taken_index, sizeof(uint32_t))))
        return false;
    uint32_t id = known != NO_ID ? known : words_add(&s->taken, a->identity, a->identity_count);
    if (id == NO_ID) return false;
    uint32_t *index = id < s->taken_index.count ? &s->taken_index.items[id]
                                                : list_push_here(&s->taken_index, sizeof *index);
    *index = at == SIZE_MAX ? (uint32_t)list_count(list) : b->removed.items[at].index;
    void *place = at == SIZE_MAX ? list_push_here(list, record_bytes) : list_at(list, *index, record_bytes);
    if (at != SIZE_MAX) b->removed.items[at] = b->removed.items[--b->removed.count];
    memcpy(place, record, record_bytes);
    store_note_change(s, (uint32_t)a->kind, *index);
    return true;
}

karp_status adding_end(adding *a)
{
    arena_mark start = { NULL, NULL };
    if (!a->entered) return a->c.status;
    if (a->c.status != KARP_OK) {
        arena_release(&a->b->s.data, a->mark);
        error_set_object(a->c.error, a->kind_name, a->shown_namespace, a->shown_name);
    }
    arena_release(&a->b->scratch, start);
    return builder_leave(a->b, a->c.status);
}

karp_status adding_finish(adding *a, void *list, const void *record, size_t record_bytes)
{
    if (a->c.status == KARP_OK && !commit(a, list, record, record_bytes)) copy_refuse(&a->c);
    if (a->c.status == KARP_OK) store_touch(&a->b->s, (uint32_t)a->kind);
    return adding_end(a);
}

/* The record has the name and the amounts of the one in its place, so the snapshot before may show it, too. */
karp_status adding_finish_change(adding *a, void *list, uint32_t index, const void *record, size_t record_bytes)
{
    store *s = &a->b->s;
    if (a->c.status == KARP_OK &&
        !((only_here(a->b, list) || list_own(list, record_bytes)) && store_reserve_changes(s, 1)))
        copy_refuse(&a->c);
    if (a->c.status == KARP_OK) {
        memcpy(list_at(list, index, record_bytes), record, record_bytes);
        store_note_change(s, (uint32_t)a->kind, index);
        store_touch(s, (uint32_t)a->kind);
    }
    return adding_end(a);
}

karp_status adding_finish_pod(adding *a, const pod *p, karp_str shown)
{
    if (a->c.status == KARP_OK && !store_put_pod(&a->b->s, p, shown)) copy_refuse(&a->c);
    return adding_end(a);
}

karp_status adding_finish_template(adding *a, const pod_shared *shared, uint32_t *out)
{
    uint32_t key[sizeof *shared / sizeof(uint32_t)], number = NO_ID;
    memcpy(key, shared, sizeof key);
    if (a->c.status == KARP_OK) number = words_add(&a->b->s.templates, key, sizeof key / sizeof *key);
    if (number == NO_ID) copy_refuse(&a->c);
    else *out = number;
    return adding_end(a);
}
