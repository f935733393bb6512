/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the canonical Snapshot: everything that was read and filled in, in an order that does not depend on the
 * input's. It is written to a sink, so that the digest needs no second copy in memory.
 */
#include <io/reader.h>
#include <io/write_catalogue.h>

#include <karp/library.h>

static void put_text(const io_text_sink *s, karp_str text) { s->add(s->to, text.ptr, text.len); }

static void puts_text(const io_text_sink *s, const char *text) { s->add(s->to, text, strlen(text)); }

static void to_buffer(void *to, const char *ptr, size_t length) { buffer_bytes(to, ptr, length); }

/* The digest of a text that comes in short pieces: many blocks at once take less time than one by one. */
typedef struct gathered {
    karp_digest digest;
    size_t length;
    char text[1 << 18];
} gathered;

static void to_digest(void *to, const char *ptr, size_t length)
{
    gathered *g = to;
    while (length > 0) {
        size_t room = sizeof g->text - g->length, part = length < room ? length : room;
        memcpy(g->text + g->length, ptr, part);
        g->length += part;
        ptr += part;
        length -= part;
        if (g->length < sizeof g->text) return;
        karp_digest_add(&g->digest, g->text, g->length);
        g->length = 0;
    }
}

static karp_status put_catalogue(const karp_reader *reader, const io_given_catalogue *given, const io_text_sink *s,
                                 karp_error *error)
{
    puts_text(s, "{\"instanceTypes\":");
    karp_status status = write_catalogue_pieces(reader->context, given->catalogue, s, error);
    if (status) return status;
    if (given->pool_count) {
        strbuf names = strbuf_on(reader->context);
        for (size_t i = 0; i < given->pool_count; i++) {
            strbuf_adds(&names, i ? "," : ",\"nodePools\":[");
            tree_write_string(&names, given->pools[i]);
        }
        strbuf_addc(&names, ']');
        if (names.failed) status = fail_nomem(error);
        else put_text(s, (karp_str){ names.ptr, names.len });
        strbuf_free(&names);
    }
    puts_text(s, "}");
    return status;
}

static void put_member(const io_text_sink *s, const char *name, karp_str text)
{
    puts_text(s, ",\n\"");
    puts_text(s, name);
    puts_text(s, "\":");
    if (text.len) put_text(s, text);
    else puts_text(s, "{}");
}

/* The problems that the objects of the dump do not have: "a","b". */
static void list_problems(const karp_reader *reader, strbuf *out)
{
    for (size_t i = 0; i < reader->told.problem_count; i++) {
        if (reader->told.problems[i].in_objects) continue;
        if (out->len) strbuf_addc(out, ',');
        tree_write_string(out, reader->told.problems[i].bare);
    }
}

/* The digest is without problems: no decision depends on them, and they have the names of files. */
static karp_status put_state(const karp_reader *reader, const io_text_sink *s, bool problems, karp_error *error)
{
    karp_str state = reader->asked.state;
    karp_status status = KARP_OK;
    strbuf list = strbuf_on(reader->context);
    if (problems) list_problems(reader, &list);
    if (list.failed) status = fail_nomem(error);
    else if (list.len == 0) put_member(s, "state", state);
    else {
        puts_text(s, ",\n\"state\":{\"problems\":[");
        put_text(s, (karp_str){ list.ptr, list.len });
        puts_text(s, state.len > 2 ? "]," : "]}");
        if (state.len > 2) put_text(s, (karp_str){ state.ptr + 1, state.len - 1 });
    }
    strbuf_free(&list);
    return status;
}

enum { OF_AN_OBJECT = 256 }; /* the work of writing what pods share, about */

static karp_status put_snapshot(const karp_reader *reader, const io_text_sink *s, bool problems, karp_error *error)
{
    char now[KARP_VALUE_TEXT];
    karp_time_format(reader->asked.now, now);
    puts_text(s, "{\"apiVersion\":\"karp/v1\",\n\"catalogues\":[");
    for (size_t i = 0; i < reader->catalogues.count; i++) {
        if (i) puts_text(s, ",\n");
        karp_status status = put_catalogue(reader, &reader->catalogues.list[i], s, error);
        if (status) return status;
    }
    puts_text(s, "],\n\"kind\":\"Snapshot\"");
    put_member(s, "labels", reader->asked.labels);
    puts_text(s, ",\n\"now\":\"");
    puts_text(s, now);
    puts_text(s, "\",\n\"objects\":[");
    for (size_t i = 0; i < reader->kept_count; i++) {
        const io_kept *kept = &reader->kept[reader->canonical->order[i]];
        if (!karp_context_work(reader->context, OF_AN_OBJECT + kept->text.len)) return fail_nomem(error);
        puts_text(s, i ? ",\n" : "\n");
        if (kept->with_drift) put_text(s, *kept->with_drift);
        else io_kept_put(reader, kept, s);
    }
    puts_text(s, "]");
    put_member(s, "settings", reader->asked.settings);
    karp_status status = put_state(reader, s, problems, error);
    if (status == KARP_OK) puts_text(s, "}\n");
    return status;
}

/* ---- the order of the objects: by kind, namespace, name and apiVersion ------------------------------------------- */

typedef struct places {
    const karp_reader *reader;
    uint32_t *rank; /* by number of the place: of its kind and namespace */
} places;

static int by_place(uint32_t a, uint32_t b, const void *reader)
{
    const io_kept_place *const *list = ((const karp_reader *)reader)->packing.place_list;
    int order = compare_str(list[a]->kind, list[b]->kind);
    return order ? order : compare_str(list[a]->namespace_, list[b]->namespace_);
}

static uint64_t rank_of(uint32_t object, const void *user)
{
    const places *p = user;
    return p->rank[p->reader->kept[object].of->number];
}

static karp_str name_of(uint32_t object, const void *user) { return ((const places *)user)->reader->kept[object].name; }

static bool rank_places(const karp_reader *reader, uint32_t *order, uint32_t *rank, size_t count)
{
    for (size_t i = 0; i < count; i++) order[i] = (uint32_t)i;
    if (!sort_ids(reader->context, order, count, by_place, reader)) return false;
    for (size_t i = 0; i < count; i++) {
        bool same = i > 0 && by_place(order[i - 1], order[i], reader) == 0;
        rank[order[i]] = same ? rank[order[i - 1]] : (uint32_t)i;
    }
    return true;
}

/* Whether objects that are the same but for their apiVersion are in the wrong order. */
static bool is_later(const places *p, const io_kept *a, const io_kept *b)
{
    return a->of != b->of && p->rank[a->of->number] == p->rank[b->of->number] && equal_str(a->name, b->name) &&
           compare_str(a->of->api_version, b->of->api_version) > 0;
}

static bool sort_objects(const karp_reader *reader, uint32_t *order, uint32_t *space)
{
    size_t count = reader->packing.places.names.count;
    const places p = { reader, space };
    if (!rank_places(reader, space + count, space, count)) return false;
    for (size_t i = 0; i < reader->kept_count; i++) order[i] = (uint32_t)i;
    if (!sort_ids_by_texts(reader->context, order, reader->kept_count, &(text_order){ rank_of, name_of, &p }))
        return false;
    for (size_t i = 1; i < reader->kept_count; i++) {
        for (size_t k = i; k > 0 && is_later(&p, &reader->kept[order[k - 1]], &reader->kept[order[k]]); k--) {
            uint32_t later = order[k - 1];
            order[k - 1] = order[k];
            order[k] = later;
        }
    }
    return true;
}

/* The order is computed on first use. */
static bool settle_order(const karp_reader *reader)
{
    size_t bytes = reader->kept_count * sizeof *reader->canonical->order;
    size_t space_bytes = 2 * reader->packing.places.names.count * sizeof(uint32_t);
    if (reader->canonical->order || !bytes) return true;
    uint32_t *order = mem_alloc(reader->context, bytes), *space = mem_alloc(reader->context, space_bytes);
    bool ok = order && space && sort_objects(reader, order, space);
    mem_free(reader->context, space, space_bytes);
    if (ok) reader->canonical->order = order;
    else mem_free(reader->context, order, bytes);
    return ok;
}

karp_str karp_reader_digest(const karp_reader *reader)
{
    char *text = reader->canonical->digest;
    if (text[0] || !reader->finished || !reader->options.keep_documents || !settle_order(reader)) return str(text);
    gathered *g = karp_alloc(reader->context, sizeof *g);
    if (!g) return str(text);
    karp_digest_init(&g->digest, sizeof g->digest);
    g->length = 0;
    const io_text_sink s = { to_digest, g };
    karp_error local = { .size = sizeof local };
    karp_status status = put_snapshot(reader, &s, false, &local);
    karp_digest_add(&g->digest, g->text, g->length);
    if (status == KARP_OK) karp_digest_text(&g->digest, text);
    else (void)karp_context_refusal(reader->context, status, NULL); /* "" reports it; the next call is not affected */
    karp_free(reader->context, g, sizeof *g);
    return str(text);
}

karp_status karp_reader_dump(const karp_reader *reader, karp_text *out, karp_error *error)
{
    if (!reader || !out) return fail_null(error, "reader or out");
    if (!reader->finished || !reader->options.keep_documents)
        return fail(error, KARP_E_STATE, "only a finished reader that keeps documents can be dumped");
    write_buffer buffer = buffer_on(reader->context);
    const io_text_sink s = { to_buffer, &buffer };
    karp_status status = settle_order(reader) ? put_snapshot(reader, &s, true, error) : fail_nomem(error);
    if (status == KARP_OK) status = buffer_finish(&buffer, out, error);
    buffer_free(&buffer);
    return karp_context_refusal(reader->context, status, error);
}
