/* SPDX-License-Identifier: Apache-2.0 */
#include "io_reading.h"

#include <stdio.h>

static karp_str str(const char *text) { return (karp_str){ text, strlen(text) }; }

static void look(reading *r, karp_reader *reader, const karp_snapshot *snapshot)
{
    karp_text text = { NULL, 0, NULL };
    r->method = karp_reader_method(reader);
    r->counts.size = sizeof r->counts;
    karp_snapshot_get_counts(snapshot, &r->counts);
    assert_int_equal(karp_reader_digest(reader).len, 64);
    snprintf(r->digest, sizeof r->digest, "%s", karp_reader_digest(reader).ptr);
    assert_int_equal(karp_reader_dump(reader, &text, NULL), KARP_OK);
    r->dump = json_loadb(text.ptr, text.len, 0, NULL);
    assert_non_null(r->dump);
    karp_text_free(&text);
}

static void read_all(reading *r, karp_context *context, const karp_reader_options *given, const char *name,
                     const char *text, va_list more)
{
    karp_reader_options options;
    karp_reader_options_init(&options, sizeof options);
    if (given) options = *given;
    options.keep_documents = 1;
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_catalogue *none = NULL;
    assert_int_equal(karp_reader_new(context, &options, &reader, &r->error), KARP_OK);
    assert_int_equal(karp_catalogue_new(context, NULL, 0, &none, &r->error), KARP_OK);
    assert_int_equal(karp_reader_add_catalogue(reader, none, &r->error), KARP_OK);
    karp_catalogue_unref(none);
    while (name && r->status == KARP_OK) {
        r->status = karp_reader_add(reader, str(name), str(text), &r->error);
        name = va_arg(more, const char *);
        if (name) text = va_arg(more, const char *);
    }
    if (r->status == KARP_OK) r->status = karp_reader_finish(reader, &snapshot, &r->error);
    r->warning_count = karp_reader_warning_count(reader);
    size_t used = 0;
    for (size_t i = 0; i < r->warning_count && used < sizeof r->warnings; i++) {
        used += (size_t)snprintf(r->warnings + used, sizeof r->warnings - used, "%s\n",
                                 karp_reader_warning(reader, i).ptr);
    }
    if (r->status == KARP_OK) {
        look(r, reader, snapshot);
    } else {
        assert_int_equal(r->status, r->error.status);
        assert_string_not_equal(r->error.message, "");
        assert_null(snapshot);
        /* After an error a reader can only be freed. */
        assert_int_equal(karp_reader_finish(reader, &snapshot, NULL), KARP_E_STATE);
    }
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
}

reading read_texts(const karp_reader_options *options, const char *name, const char *text, ...)
{
    reading r;
    memset(&r, 0, sizeof r);
    karp_error_init(&r.error, sizeof r.error);
    karp_context *context = NULL;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    va_list more;
    va_start(more, text);
    read_all(&r, context, options, name, text, more);
    va_end(more);
    karp_context_unref(context);
    return r;
}

reading read_text(const char *text) { return read_texts(NULL, "input", text, NULL); }

reading read_strictly(const char *text)
{
    karp_reader_options options;
    karp_reader_options_init(&options, sizeof options);
    options.strict = 1;
    return read_texts(&options, "input", text, NULL);
}

reading read_leniently(const char *text)
{
    karp_reader_options options;
    karp_reader_options_init(&options, sizeof options);
    options.lenient = 1;
    return read_texts(&options, "input", text, NULL);
}

void reading_free(reading *r)
{
    json_decref(r->dump);
    r->dump = NULL;
}

void assert_read(const reading *r)
{
    if (r->status == KARP_OK) return;
    fail_msg("%s at %s:%u:%u: %s: %s: %s", karp_status_name(r->status), r->error.document, (unsigned)r->error.line,
             (unsigned)r->error.column, r->error.object, r->error.field, r->error.message);
}

void assert_refused(const reading *r, karp_status status, uint32_t line, const char *field)
{
    if (r->status != status || (line && r->error.line != line) || (field && strcmp(r->error.field, field) != 0)) {
        fail_msg("%s at line %u, field '%s' (%s); expected %s, %u, '%s'", karp_status_name(r->status),
                 (unsigned)r->error.line, r->error.field, r->error.message, karp_status_name(status), (unsigned)line,
                 field ? field : "*");
    }
}

const json_t *object_of(const reading *r, const char *kind, const char *space, const char *name)
{
    size_t i;
    json_t *object;
    json_array_foreach(json_object_get(r->dump, "objects"), i, object)
    {
        if (strcmp(text_at(object, "kind"), kind) != 0 || strcmp(text_at(object, "metadata/name"), name) != 0) continue;
        if (strcmp(text_at(object, "metadata/namespace"), space ? space : "") == 0) return object;
    }
    return NULL;
}

size_t object_count(const reading *r, const char *kind)
{
    size_t i, count = 0;
    json_t *object;
    json_array_foreach(json_object_get(r->dump, "objects"), i, object)
        count += strcmp(text_at(object, "kind"), kind) == 0;
    return count;
}

const json_t *at(const json_t *object, const char *path)
{
    while (object && *path) {
        char step[128];
        size_t n = strcspn(path, "/");
        /* A "~" stands for the slash of a label's name. */
        assert_true(n < sizeof step);
        for (size_t i = 0; i < n; i++) step[i] = path[i] == '~' ? '/' : path[i];
        step[n] = '\0';
        path += n + (path[n] == '/');
        if (json_is_array(object)) {
            size_t index = 0;
            for (size_t i = 0; i < n; i++) index = index * 10 + (size_t)(step[i] - '0');
            object = json_array_get(object, index);
        } else {
            object = json_object_get(object, step);
        }
    }
    return object;
}

const char *text_at(const json_t *object, const char *path)
{
    const char *text = json_string_value(at(object, path));
    return text ? text : "";
}

long number_at(const json_t *object, const char *path)
{
    const json_t *value = at(object, path);
    return json_is_integer(value) ? (long)json_integer_value(value) : -999;
}
