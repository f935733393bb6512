/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pods of one workload that wait are often alike but for name, uid and age. This is noted when they are read. Once one
 * of them was filled in and added, the others are added without a look at their trees, which would have to come from
 * memory again.
 */
#include <io/fill.h>

#include <karp/values.h>

void io_pod_likes_init(io_pod_likes *p, karp_context *context)
{
    memset(p, 0, sizeof *p);
    words_init(&p->keys, context);
    arena_init(&p->memory, context);
    p->last = NO_ID;
}

void io_pod_likes_free(io_pod_likes *p)
{
    mem_free(p->memory.context, p->list, p->capacity * sizeof *p->list);
    words_free(&p->keys);
    arena_free(&p->memory);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* false = some of it is the pod's own. */
static bool read_key(io_pod_likes *p, const tree *root, const tree *metadata, uint64_t key[IO_LIKE_VALUES])
{
    const tree *const values[IO_LIKE_VALUES] = {
        tree_get_near(root, "spec", &p->places[0]),
        tree_get_near(root, "status", &p->places[1]),
        tree_get_near(metadata, "labels", &p->places[2]),
        tree_get_near(metadata, "annotations", &p->places[3]),
        tree_get_near(metadata, "ownerReferences", &p->places[4]),
    };
    for (size_t i = 0; i < IO_LIKE_VALUES; i++) {
        key[i] = values[i] ? io_shared_address(values[i]) : 0;
        if ((values[i] || i < 2) && key[i] == 0) return false;
    }
    return true;
}

/* Pods are listed by name, or in turns: usually the likeness that followed the last one before. NO_ID = out of memory.
 */
static uint32_t find_like(karp_reader *reader, const uint64_t key[IO_LIKE_VALUES], karp_str namespace_)
{
    io_pod_likes *p = &reader->pod_likes;
    uint32_t expected = p->last == NO_ID ? NO_ID : p->list[p->last].next, parts[2 * IO_LIKE_VALUES];
    if (expected != NO_ID && memcmp(p->list[expected].key, key, sizeof p->list->key) == 0) return p->last = expected;
    memcpy(parts, key, sizeof parts);
    size_t before = p->keys.count;
    uint32_t id = words_add(&p->keys, parts, 2 * IO_LIKE_VALUES);
    if (id == NO_ID || !grow(reader->context, (void **)&p->list, &p->capacity, p->keys.count, sizeof *p->list))
        return NO_ID;
    if (id == before) {
        p->list[id] = (io_pod_like){ .namespace_ = namespace_, .next = NO_ID };
        memcpy(p->list[id].key, key, sizeof p->list->key);
    }
    if (p->last != NO_ID) p->list[p->last].next = id;
    return p->last = id;
}

/* Pods of one workload are often of one age. */
static bool read_creation(io_pod_likes *p, karp_str text, int64_t *out)
{
    if (text.len == 0 || text.len > sizeof p->time_text) return false;
    if (text.len != p->time_length || memcmp(text.ptr, p->time_text, text.len) != 0) {
        p->time_length = 0;
        if (karp_time_parse(text, &p->time) != KARP_OK) return false;
        memcpy(p->time_text, text.ptr, text.len);
        p->time_length = text.len;
    }
    *out = p->time;
    return true;
}

bool io_note_like(karp_reader *reader, io_deferred *w)
{
    io_pod_likes *p = &reader->pod_likes;
    uint64_t key[IO_LIKE_VALUES];
    const tree *metadata = tree_get_near(w->root, "metadata", &p->places[IO_LIKE_VALUES]);
    if (!w->created || w->name.len == 0 || !read_key(p, w->root, metadata, key) ||
        tree_get(metadata, "deletionTimestamp") || !io_is_stated(metadata, "namespace"))
        return true;
    karp_str uid = tree_text(tree_get_near(metadata, "uid", &p->places[IO_LIKE_VALUES + 1]));
    karp_str creation = tree_text(tree_get_near(metadata, "creationTimestamp", &p->places[IO_LIKE_VALUES + 2]));
    if (uid.len == 0 || uid.len > UINT16_MAX || !read_creation(p, creation, &w->creation)) return true;
    uint32_t like = find_like(reader, key, w->namespace_);
    if (like == NO_ID) return false;
    if (!equal_str(p->list[like].namespace_, w->namespace_)) return true;
    w->like = like;
    p->list[like].count++;
    w->uid = uid.ptr;
    w->uid_length = (uint16_t)uid.len;
    return true;
}

/* ---- adding ------------------------------------------------------------------------------------------------------ */

bool io_more_alike(const karp_reader *reader, const io_deferred *w)
{
    return w->like != NO_ID && reader->pod_likes.list[w->like].count > 1;
}

karp_status io_note_again(karp_reader *reader, const io_deferred *w)
{
    const io_pod_templates *t = &reader->pod_templates;
    io_pod_like *like = w->like == NO_ID ? NULL : &reader->pod_likes.list[w->like];
    if (!like || like->again || t->added == NO_ID) return KARP_OK;
    const io_pod_template *of = &t->list[t->added];
    const io_pod_again again = { io_own_part(of->with_status), of->number, of->with_status };
    like->again = arena_copy(&reader->pod_likes.memory, &again, sizeof again);
    return like->again ? KARP_OK : io_reader_nomem(reader);
}

bool io_add_again(karp_reader *reader, const io_deferred *w)
{
    const io_pod_again *again = w->like == NO_ID ? NULL : reader->pod_likes.list[w->like].again;
    if (!again) return false;
    karp_templated_pod own = again->own;
    own.name = w->name;
    own.uid = (karp_str){ w->uid, w->uid_length };
    own.creation = w->creation;
    if (karp_builder_add_templated_pod(reader->builder, again->template_, &own, NULL) != KARP_OK) return false;
    io_pending_add(reader, again->pod);
    return true;
}
