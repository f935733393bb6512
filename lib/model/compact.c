/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits leave texts and objects behind that nothing refers to any more. Compaction copies what is in use to a new
 * store. Ids become smaller but keep their order, so lists that are sorted by ids stay sorted.
 */
#include <model/copy.h>
#include <model/layout.h>
#include <model/store_pods.h>
#include <string.h>

#include <karp/library.h>

/* Goes over all objects twice: first it marks the ids in use, then it copies. */
typedef struct mover {
    const store *from;
    store *to; /* NULL = ids are being marked */
    uint32_t *ids[REF_TABLES]; /* by old id: 1 = in use; then the new id */
    size_t counts[REF_TABLES];
    word_buffer words; /* of an entry of a table, with the new ids */
    bool failed;
} mover;

static void need(mover *m, bool ok) { m->failed = m->failed || !ok; }

static uint32_t move_id(mover *m, enum ref table, uint32_t id)
{
    if (id == NO_ID) return NO_ID;
    if (m->to != NULL) return m->ids[table][id];
    m->ids[table][id] = 1;
    return id;
}

/* ---- structs ----------------------------------------------------------------------------------------------------- */

static void move_item(mover *m, const layout *of, const char *item, char *to);

/* Moves structs, or bytes, which have no layout. */
static const char *move_items(mover *m, const layout *of, const char *items, size_t count)
{
    size_t each = of == NULL ? 1 : of->bytes;
    char *to = NULL;
    if (count == 0 || items == NULL) return items;
    if (m->to != NULL) {
        to = arena_copy(&m->to->data, items, count * each);
        need(m, to != NULL);
    }
    for (size_t i = 0; of != NULL && of->count > 0 && i < count && !m->failed; i++)
        move_item(m, of, items + i * each, to == NULL ? NULL : to + i * each);
    return to;
}

static void move_ids(mover *m, const layout_row *r, const char *item, char *to)
{
    for (size_t at = r->at; at <= r->to; at += sizeof(uint32_t)) {
        uint32_t id;
        memcpy(&id, item + at, sizeof id);
        id = move_id(m, (enum ref)r->ref, id);
        if (to != NULL) memcpy(to + at, &id, sizeof id);
    }
}

static karp_str move_string(mover *m, karp_str text)
{
    if (m->to == NULL || text.len == 0) return text;
    text.ptr = arena_string(&m->to->data, text.ptr, text.len);
    need(m, text.ptr != NULL);
    return text;
}

static void move_pointer(mover *m, const layout_row *r, const char *item, char *to)
{
    const char *pointer;
    uint32_t count = 1;
    memcpy(&pointer, item + r->at, sizeof pointer);
    if (r->ref != REF_ONE) memcpy(&count, item + r->to, sizeof count);
    pointer = move_items(m, r->of, pointer, count);
    if (to != NULL) memcpy(to + r->at, &pointer, sizeof pointer);
}

/* Moves what the struct refers to. `to`: a copy of the struct, which gets the new ids and pointers; NULL = there is
 * none yet. */
static void move_item(mover *m, const layout *of, const char *item, char *to)
{
    for (size_t i = 0; i < of->count && !m->failed; i++) {
        const layout_row *r = &of->rows[i];
        karp_str text;
        if (r->ref < REF_TABLES) {
            move_ids(m, r, item, to);
        } else if (r->ref == REF_INSIDE) {
            move_item(m, r->of, item + r->at, to == NULL ? NULL : to + r->at);
        } else if (r->ref == REF_STRING) {
            memcpy(&text, item + r->at, sizeof text);
            text = move_string(m, text);
            if (to != NULL) memcpy(to + r->at, &text, sizeof text);
        } else {
            move_pointer(m, r, item, to);
        }
    }
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* What the words of a table's entries are. */
typedef struct table {
    enum ref ref; /* the ids of its entries; REF_TABLES = all entries stay */
    size_t at; /* in the store */
    const layout *of; /* a struct; NULL = a list */
    enum ref words; /* of a list: what its words are; REF_TABLES = the identity of a shape */
} table;

static const table tables[] = {
    { REF_TABLES, offsetof(store, templates), &layout_template, REF_TABLES },
    { REF_SHAPE, offsetof(store, shape_keys), NULL, REF_TABLES },
    { REF_RULES, offsetof(store, rule_keys), NULL, REF_TABLES },
    { REF_LABELS, offsetof(store, labels), NULL, REF_TEXT },
    { REF_VOLUMES, offsetof(store, volumes), NULL, REF_NAME },
    { REF_MARKS, offsetof(store, mark_keys), &layout_marks, REF_TABLES },
    { REF_CLAIMS, offsetof(store, claim_names), NULL, REF_NAME },
};
enum { TABLES = sizeof tables / sizeof *tables };

static const words *table_of(const store *s, const table *t)
{
    return (const words *)(const void *)((const char *)s + t->at);
}

/* The identity of a shape ends with ids of texts and their number. */
static void move_words(mover *m, const table *t, const struct words_entry *e, uint32_t *to)
{
    if (e->count > 0) memcpy(to, e->ptr, e->count * sizeof *to);
    if (t->of != NULL) {
        move_item(m, t->of, (const char *)e->ptr, (char *)to);
        return;
    }
    bool of_shape = t->words == REF_TABLES;
    uint32_t last = of_shape ? e->count - 1 : e->count, first = of_shape ? last - e->ptr[last] : 0;
    for (uint32_t i = first; i < last; i++) to[i] = move_id(m, of_shape ? REF_TEXT : t->words, e->ptr[i]);
}

static void move_table(mover *m, const table *t)
{
    const words *from = table_of(m->from, t);
    words *to = m->to == NULL ? NULL : (words *)(void *)((char *)m->to + t->at);
    for (size_t i = 0; i < from->count && !m->failed; i++) {
        const struct words_entry *e = &from->entries[i];
        if (t->ref != REF_TABLES && m->ids[t->ref][i] == (m->to == NULL ? 0 : NO_ID)) continue;
        need(m, grow(m->from->context, (void **)&m->words.items, &m->words.capacity, (size_t)e->count + 1,
                     sizeof *m->words.items));
        if (m->failed) return;
        move_words(m, t, e, m->words.items);
        need(m, to == NULL || words_add(to, m->words.items, e->count) != NO_ID);
    }
}

static void move_strings(mover *m, const strings *from, strings *to, const uint32_t *ids)
{
    for (size_t i = 0; i < from->count && !m->failed; i++) {
        karp_str text = strings_get(from, (uint32_t)i);
        if (ids == NULL || ids[i] != NO_ID) need(m, strings_add(to, text.ptr, text.len) != NO_ID);
    }
}

/* Identities of objects: kind, namespace, name, and for a node class two texts more. */
static void move_identities(mover *m)
{
    const store *s = m->from;
    for (size_t i = 0; i < s->taken.count && !m->failed; i++) {
        const struct words_entry *e = &s->taken.entries[i];
        uint32_t identity[5] = { 0 };
        if (s->taken_index.items[i] == NO_ID) continue;
        memcpy(identity, e->ptr, e->count * sizeof *identity);
        identity[1] = move_id(m, REF_TEXT, identity[1]);
        identity[2] = move_id(m, REF_NAME, identity[2]);
        for (uint32_t k = 3; identity[0] == KIND_NODE_CLASS && k < 5; k++)
            identity[k] = move_id(m, REF_TEXT, identity[k]);
        if (m->to == NULL) continue;
        uint32_t *index = list_push(s->context, &m->to->taken_index, sizeof *index);
        need(m, index != NULL && words_add(&m->to->taken, identity, e->count) != NO_ID);
        if (index != NULL) *index = s->taken_index.items[i];
    }
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

static void move_pods(mover *m)
{
    for (size_t i = 0; i < m->from->pods.count && !m->failed; i++) {
        const pod *given = pod_at(m->from, i);
        pod p = *given;
        move_item(m, &layout_pod, (const char *)given, m->to == NULL ? NULL : (char *)&p);
        if (m->to == NULL) continue;
        karp_str shown = move_string(m, *(const karp_str *)paged_at(&m->from->pods_shown, i, sizeof shown));
        need(m, !m->failed && store_put_pod(m->to, &p, shown));
    }
}

static void move_list(mover *m, const store_list *l)
{
    const void *from = (const char *)m->from + l->at;
    bool shapes = l->at == offsetof(store, shapes);
    for (size_t i = 0; i < list_count(from) && !m->failed; i++) {
        const char *item = list_at(from, i, l->of->bytes);
        if (shapes && m->ids[REF_SHAPE][i] == (m->to == NULL ? 0 : NO_ID)) continue;
        char *to = m->to == NULL ? NULL : list_push(m->from->context, (char *)m->to + l->at, l->of->bytes);
        need(m, m->to == NULL || to != NULL);
        if (m->failed) return;
        if (to != NULL) memcpy(to, item, l->of->bytes);
        move_item(m, l->of, item, to);
    }
}

static void move_places(mover *m)
{
    for (size_t i = 0; i < m->from->pods_to_place.count && !m->failed; i++) {
        uint64_t given = m->from->pods_to_place.items[i];
        uint32_t name_space = move_id(m, REF_TEXT, (uint32_t)(given >> 32)),
                 name = move_id(m, REF_NAME, (uint32_t)given);
        uint64_t *place = m->to == NULL ? NULL : list_push(m->from->context, &m->to->pods_to_place, sizeof *place);
        need(m, m->to == NULL || place != NULL);
        if (place != NULL) *place = pair_key(name_space, name);
    }
}

/* Objects come before shapes and tables: only what they refer to is in use there. */
static void move_all(mover *m)
{
    move_pods(m);
    for (size_t i = KIND_POD + 1; i < STORE_LISTS; i++) {
        bool own = store_lists[i].at == offsetof(store, taken_index) ||
                   store_lists[i].at == offsetof(store, pods_to_place);
        if (!own) move_list(m, &store_lists[i]);
    }
    move_places(m);
    move_identities(m);
    move_item(m, &layout_store, (const char *)m->from, (char *)m->to);
    move_table(m, &tables[0]);
    move_list(m, &store_lists[KIND_POD]);
    for (size_t i = 1; i < TABLES; i++) move_table(m, &tables[i]);
}

/* ---- both times -------------------------------------------------------------------------------------------------- */

static void start(mover *m)
{
    m->counts[REF_TEXT] = m->from->text.count;
    m->counts[REF_NAME] = m->from->names.count;
    for (size_t i = 1; i < TABLES; i++) m->counts[tables[i].ref] = table_of(m->from, &tables[i])->count;
    for (size_t t = 0; t < REF_TABLES; t++) {
        m->ids[t] = mem_zalloc(m->from->context, (m->counts[t] + 1) * sizeof *m->ids[t]);
        need(m, m->ids[t] != NULL);
        if (m->ids[t] != NULL && t != REF_SHAPE && t != REF_RULES) m->ids[t][0] = 1; /* the same in every store */
    }
}

static void number(mover *m)
{
    for (size_t t = 0; t < REF_TABLES; t++) {
        uint32_t next = 0;
        for (size_t i = 0; i < m->counts[t]; i++) m->ids[t][i] = m->ids[t][i] != 0 ? next++ : NO_ID;
    }
}

static bool copy_into_fresh(mover *m, store *fresh)
{
    if (!store_begin_like(fresh, m->from)) return false;
    m->to = fresh;
    move_strings(m, &m->from->resources, &fresh->resources, NULL);
    move_strings(m, &m->from->text, &fresh->text, m->ids[REF_TEXT]);
    move_strings(m, &m->from->names, &fresh->names, m->ids[REF_NAME]);
    if (!m->failed) move_all(m);
    if (!m->failed) fresh->settings.reservation_id_label = store_text(fresh, fresh->reservation_id);
    for (size_t i = 0; i < fresh->catalogues.count; i++) (void)karp_catalogue_ref(fresh->catalogues.items[i].catalogue);
    need(m, !m->failed && store_settle(fresh));
    if (m->failed) store_free(fresh);
    return !m->failed;
}

bool store_compact(store *s)
{
    mover m = { .from = s };
    store fresh;
    start(&m);
    if (!m.failed) move_all(&m);
    if (!m.failed) number(&m);
    bool ok = !m.failed && copy_into_fresh(&m, &fresh);
    for (size_t t = 0; t < REF_TABLES; t++) mem_free(s->context, m.ids[t], (m.counts[t] + 1) * sizeof *m.ids[t]);
    mem_free(s->context, m.words.items, m.words.capacity * sizeof *m.words.items);
    if (!ok) return false;
    store_free(s);
    *s = fresh;
    return true;
}
