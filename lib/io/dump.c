/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the canonical Snapshot: everything that was read and filled in, in an order that does not depend on the
 * input's. It is written to a sink, so that the digest needs no second copy in memory.
 */
#include <io/reader.h>
#include <io/write_buffer.h>

#include <karp/library.h>

typedef struct sink {
    void (*add)(void *to, const char *ptr, size_t length);
    void *to;
} sink;

static void put_text(const sink *s, karp_str text) { s->add(s->to, text.ptr, text.len); }

static void puts_text(const sink *s, const char *text) { s->add(s->to, text, strlen(text)); }

static void to_buffer(void *to, const char *ptr, size_t length) { buffer_bytes(to, ptr, length); }

static void to_digest(void *to, const char *ptr, size_t length) { karp_digest_add(to, ptr, length); }

static int compare_kept(const void *a, const void *b)
{
    const io_kept *x = a, *y = b;
    int order = compare_str(x->kind, y->kind);
    if (!order) order = compare_str(x->namespace_, y->namespace_);
    if (!order) order = compare_str(x->name, y->name);
    return order ? order : compare_str(x->api_version, y->api_version);
}

static karp_status put_catalogue(const karp_reader *reader, const io_given_catalogue *given, const sink *s,
                                 karp_error *error)
{
    karp_write_options options;
    karp_write_options_init(&options, sizeof options);
    options.format = KARP_FORMAT_JSON;
    options.compact = 1;
    karp_text text = { NULL, 0, NULL };
    karp_status status = karp_write_catalogue(reader->context, given->catalogue, &options, &text, error);
    if (status) return status;
    size_t length = text.len;
    while (length && (text.ptr[length - 1] == '\n' || text.ptr[length - 1] == ' ')) length--;
    puts_text(s, "{\"instanceTypes\":");
    put_text(s, (karp_str){ text.ptr, length });
    karp_text_free(&text);
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

static void put_member(const sink *s, const char *name, karp_str text)
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
static karp_status put_state(const karp_reader *reader, const sink *s, bool problems, karp_error *error)
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

static karp_status put_snapshot(const karp_reader *reader, const sink *s, bool problems, karp_error *error)
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
        const io_kept *kept = reader->canonical->order[i];
        karp_str text = kept->with_drift.ptr ? kept->with_drift : kept->text;
        if (!karp_context_work(reader->context, text.len)) return fail_nomem(error);
        puts_text(s, i ? ",\n" : "\n");
        put_text(s, text);
    }
    puts_text(s, "]");
    put_member(s, "settings", reader->asked.settings);
    karp_status status = put_state(reader, s, problems, error);
    if (status == KARP_OK) puts_text(s, "}\n");
    return status;
}

/* The order of the objects, computed on first use. */
static bool settle_order(const karp_reader *reader)
{
    size_t bytes = reader->kept_count * sizeof *reader->canonical->order;
    if (reader->canonical->order || !bytes) return true;
    const void **order = karp_alloc(reader->context, bytes);
    if (!order) return false;
    for (size_t i = 0; i < reader->kept_count; i++) order[i] = &reader->kept[i];
    if (!sort_pointers(reader->context, order, reader->kept_count, compare_kept)) {
        karp_free(reader->context, order, bytes);
        return false;
    }
    reader->canonical->order = order;
    return true;
}

karp_str karp_reader_digest(const karp_reader *reader)
{
    char *text = reader->canonical->digest;
    if (text[0] || !reader->finished || !reader->options.keep_documents || !settle_order(reader)) return str(text);
    karp_digest digest;
    karp_digest_init(&digest, sizeof digest);
    const sink s = { to_digest, &digest };
    karp_error local = { .size = sizeof local };
    karp_status status = put_snapshot(reader, &s, false, &local);
    if (status == KARP_OK) karp_digest_text(&digest, text);
    else (void)karp_context_refusal(reader->context, status, NULL); /* "" reports it; the next call is not affected */
    return str(text);
}

karp_status karp_reader_dump(const karp_reader *reader, karp_text *out, karp_error *error)
{
    if (!reader || !out) return fail_null(error, "reader or out");
    if (!reader->finished || !reader->options.keep_documents)
        return fail(error, KARP_E_STATE, "only a finished reader that keeps documents can be dumped");
    write_buffer buffer = buffer_on(reader->context);
    const sink s = { to_buffer, &buffer };
    karp_status status = settle_order(reader) ? put_snapshot(reader, &s, true, error) : fail_nomem(error);
    if (status == KARP_OK) status = buffer_finish(&buffer, out, error);
    buffer_free(&buffer);
    return karp_context_refusal(reader->context, status, error);
}
