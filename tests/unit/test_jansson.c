/* SPDX-License-Identifier: Apache-2.0 */
/* Documents that are a json_t, in and out: what is read and written is what printing and parsing them gives. */
#include <karp/jansson.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <karp/karp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <support/fault.h>
#include <support/random.h>

#include "io_reading.h"

static karp_str str(const char *text) { return (karp_str){ text, strlen(text) }; }

/* ---- reading a document in both ways ----------------------------------------------------------------------------- */

typedef struct outcome {
    karp_status status;
    karp_error error;
    karp_text dump;
    char digest[65];
    char notes[20000];
} outcome;

typedef enum way { PRINTED, AS_JSON } way;

static karp_reader *new_reader(karp_context *context, uint32_t editable)
{
    karp_reader_options options;
    karp_reader *reader = NULL;
    karp_catalogue *none = NULL;
    karp_reader_options_init(&options, sizeof options);
    options.keep_documents = 1;
    options.editable = editable;
    options.now = INT64_C(1767225600000000000);
    if (karp_reader_new(context, &options, &reader, NULL)) return NULL;
    if (karp_catalogue_new(context, NULL, 0, &none, NULL) || karp_reader_add_catalogue(reader, none, NULL)) {
        karp_reader_free(reader);
        reader = NULL;
    }
    karp_catalogue_unref(none);
    return reader;
}

static karp_status add(karp_reader *reader, const json_t *document, way how, karp_error *error)
{
    if (how == AS_JSON) return karp_reader_add_json(reader, str("d.json"), document, error);
    /* 15 digits: what json_dumps() prints by itself are other quantities. */
    char *text = json_dumps(document, JSON_REAL_PRECISION(15) | JSON_COMPACT);
    assert_non_null(text);
    karp_status status = karp_reader_add(reader, str("d.json"), str(text), error);
    free(text);
    return status;
}

static void read_document(const json_t *document, way how, uint32_t editable, outcome *out)
{
    memset(out, 0, sizeof *out);
    karp_context *context = NULL;
    karp_snapshot *snapshot = NULL;
    karp_error_init(&out->error, sizeof out->error);
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    karp_reader *reader = new_reader(context, editable);
    assert_non_null(reader);
    out->status = add(reader, document, how, &out->error);
    if (!out->status) out->status = karp_reader_finish(reader, &snapshot, &out->error);
    size_t used = 0;
    for (size_t i = 0; i < karp_reader_warning_count(reader) && used < sizeof out->notes; i++)
        used += (size_t)snprintf(out->notes + used, sizeof out->notes - used, "%s\n",
                                 karp_reader_warning(reader, i).ptr);
    if (!out->status) {
        assert_int_equal(karp_reader_dump(reader, &out->dump, NULL), KARP_OK);
        snprintf(out->digest, sizeof out->digest, "%s", karp_reader_digest(reader).ptr);
    }
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    karp_context_unref(context);
}

/* Messages name lines of a text, and a tree has none: "d.json:12". */
static void without_lines(char *text)
{
    char *to = text;
    for (const char *from = text; *from;) {
        if (strncmp(from, "d.json:", 7) == 0 && from[7] >= '0' && from[7] <= '9') {
            memcpy(to, "d.json", 6);
            to += 6;
            for (from += 7; *from >= '0' && *from <= '9';) from++;
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
}

static void assert_same(const json_t *document, uint32_t editable)
{
    static outcome printed, direct;
    read_document(document, PRINTED, editable, &printed);
    read_document(document, AS_JSON, editable, &direct);
    without_lines(printed.notes);
    without_lines(direct.notes);
    without_lines(printed.error.message);
    without_lines(direct.error.message);
    assert_string_equal(printed.error.message, direct.error.message);
    assert_int_equal(printed.status, direct.status);
    assert_string_equal(printed.error.object, direct.error.object);
    assert_string_equal(printed.error.field, direct.error.field);
    assert_string_equal(printed.notes, direct.notes);
    assert_string_equal(printed.digest, direct.digest);
    assert_int_equal(printed.dump.len, direct.dump.len);
    if (printed.dump.len) assert_memory_equal(printed.dump.ptr, direct.dump.ptr, printed.dump.len);
    karp_text_free(&printed.dump);
    karp_text_free(&direct.dump);
}

static json_t *parsed(const char *text)
{
    json_error_t why;
    json_t *document = json_loads(text, 0, &why);
    if (!document) fail_msg("%s: %s", why.text, text);
    return document;
}

static void assert_same_text(const char *text)
{
    json_t *document = parsed(text);
    assert_same(document, 0);
    assert_same(document, 1);
    json_decref(document);
}

/* ---- examples ---------------------------------------------------------------------------------------------------- */

/* The canonical Snapshot of a file or folder; NULL = it is no input by itself. */
static json_t *dump_of(const char *path)
{
    karp_context *context = NULL;
    karp_snapshot *snapshot = NULL;
    karp_text text = { NULL, 0, NULL };
    json_t *dump = NULL;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    karp_reader *reader = new_reader(context, 0);
    if (!karp_reader_add_path(reader, path, NULL) && !karp_reader_finish(reader, &snapshot, NULL) &&
        !karp_reader_dump(reader, &text, NULL))
        dump = json_loadb(text.ptr, text.len, 0, NULL);
    karp_text_free(&text);
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    karp_context_unref(context);
    return dump;
}

/* Its objects as a List, which are then filled in; the Snapshot itself is read as it is. */
static void same_of(const char *path, size_t *compared)
{
    json_t *dump = dump_of(path);
    if (!dump) return;
    json_t *list = json_pack("{s:s, s:s, s:O}", "kind", "List", "apiVersion", "v1", "items",
                             json_object_get(dump, "objects"));
    for (uint32_t editable = 0; editable < 2; editable++) {
        assert_same(dump, editable);
        assert_same(list, editable);
    }
    json_decref(list);
    json_decref(dump);
    ++*compared;
}

static void same_in(const char *folder, unsigned depth, size_t *compared)
{
    DIR *entries = opendir(folder);
    if (!entries) return;
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        char path[1024];
        size_t length = strlen(entry->d_name);
        if (entry->d_name[0] == '.') continue;
        if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path) continue;
        if (depth > 0) same_in(path, depth - 1, compared);
        if ((length > 5 && strcmp(entry->d_name + length - 5, ".yaml") == 0) ||
            (length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0))
            same_of(path, compared);
    }
    closedir(entries);
}

static void test_every_example_is_read_the_same(void **state)
{
    (void)state;
    size_t compared = 0;
    same_in("examples", 3, &compared);
    same_in("tests/cases/scheduling", 2, &compared);
    same_in("tests/cases/disruption", 2, &compared);
    assert_true(compared >= 150);
}

/* ---- random documents -------------------------------------------------------------------------------------------- */

static uint64_t numbers;

static json_t *random_scalar(void)
{
    switch (random_below(&numbers, 9)) {
    case 0: return json_null();
    case 1: return json_boolean(random_below(&numbers, 2));
    case 2: return json_integer((json_int_t)random_width(&numbers));
    case 3: return json_integer(-(json_int_t)(random_width(&numbers) >> 1));
    case 4: return json_real((double)random_below(&numbers, 100000) / 8);
    case 5: return json_string("");
    case 6: return json_string("500m");
    case 7: return json_string("\xc3\xa4 \"quoted\\\" \x01\n");
    default: return json_string("kubernetes.io/arch");
    }
}

static json_t *random_value(unsigned depth)
{
    static const char *const names[] = { "kind",       "metadata",  "name",     "spec", "labels",
                                         "containers", "resources", "requests", "cpu",  "" };
    uint64_t kind = depth ? random_below(&numbers, 3) : 0;
    if (kind == 0) return random_scalar();
    json_t *value = kind == 1 ? json_array() : json_object();
    for (uint64_t i = random_below(&numbers, 5); i > 0; i--) {
        json_t *inner = random_value(depth - 1);
        if (kind == 1) json_array_append_new(value, inner);
        else json_object_set_new(value, names[random_below(&numbers, 10)], inner);
    }
    return value;
}

/* A pod of one of three workloads, in which something may be replaced by something random. */
static json_t *random_pod(int number)
{
    int of = (int)random_below(&numbers, 3);
    char name[32], app[16];
    snprintf(name, sizeof name, "pod-%d", number);
    snprintf(app, sizeof app, "app-%d", of);
    json_t *pod = json_pack(
        "{s:s, s:s, s:{s:s, s:{s:s}, s:[{s:s, s:s, s:s, s:s, s:b}]}, s:{s:[{s:s, s:{s:{s:f, s:i}}}]}, s:{s:s}}",
        "apiVersion", "v1", "kind", "Pod", "metadata", "name", name, "labels", "app", app, "ownerReferences",
        "apiVersion", "apps/v1", "kind", "ReplicaSet", "name", app, "uid", app, "controller", 1, "spec", "containers",
        "name", "c", "resources", "requests", "cpu", 0.25 * (of + 1), "memory", 1 << 20, "status", "phase", "Pending");
    assert_non_null(pod);
    if (random_below(&numbers, 6) == 0) {
        static const char *const places[] = { "spec", "metadata", "status", "kind" };
        const char *place = places[random_below(&numbers, 4)];
        json_t *inside = json_object_get(pod, place), *value = random_value(2);
        const char *member = random_below(&numbers, 2) ? "labels" : "tolerations";
        if (random_below(&numbers, 3) == 0 || !json_is_object(inside)) json_object_set_new(pod, place, value);
        else json_object_set_new(inside, member, value);
    }
    return pod;
}

static void test_random_documents_are_read_the_same(void **state)
{
    (void)state;
    for (numbers = 1; numbers < 400; numbers++) {
        uint64_t seed = numbers;
        json_t *items = json_array();
        for (int i = 0; i < 12; i++) json_array_append_new(items, random_pod(i));
        bool snapshot = random_below(&numbers, 3) == 0;
        json_t *document = snapshot ? json_pack("{s:s, s:s, s:s, s:o}", "apiVersion", "karp/v1", "kind", "Snapshot",
                                                "now", "2026-01-01T00:00:00Z", "objects", items)
                                    : json_pack("{s:s, s:s, s:o}", "apiVersion", "v1", "kind",
                                                random_below(&numbers, 2) ? "List" : "PodList", "items", items);
        assert_same(document, 0);
        json_t *other = random_value(4);
        json_object_set_new(document, "spec", other);
        assert_same(document, 1);
        json_decref(document);
        document = json_object();
        json_object_set_new(document, "kind", random_value(1));
        json_object_set_new(document, "items", random_value(3));
        assert_same(document, 0);
        json_decref(document);
        numbers = seed;
    }
}

/* ---- numbers, texts, trees that are none ------------------------------------------------------------------------- */

#define POD_OF(cpu)                                                                                                    \
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"},\"spec\":{\"priority\":" cpu                \
    ",\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":" cpu "}}}]}}"

static void test_numbers(void **state)
{
    (void)state;
    assert_same_text(POD_OF("2"));
    assert_same_text(POD_OF("0.5"));
    assert_same_text(POD_OF("2.0"));
    assert_same_text(POD_OF("-0.0"));
    assert_same_text(POD_OF("1e3"));
    assert_same_text(POD_OF("1e300"));
    assert_same_text(POD_OF("9223372036854775807"));
    assert_same_text(POD_OF("-9223372036854775808"));
    assert_same_text(POD_OF("true"));
    assert_same_text(POD_OF("null"));
}

/* The double next to 0.1 is printed with 17 digits, which as a quantity is more than 100m. */
static void test_reals_are_the_shortest_decimals(void **state)
{
    (void)state;
    json_t *document = parsed(
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":"
        "[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":0.1}}}]}}");
    static outcome out;
    read_document(document, AS_JSON, 0, &out);
    assert_int_equal(out.status, KARP_OK);
    assert_non_null(strstr(out.dump.ptr, "\"cpu\":0.1"));
    assert_null(strstr(out.dump.ptr, "0.10000000000000001"));
    karp_text_free(&out.dump);
    json_decref(document);
}

static void assert_refused_json(json_t *document, karp_status status, const char *message, const char *field)
{
    static outcome out;
    read_document(document, AS_JSON, 0, &out);
    assert_int_equal(out.status, status);
    assert_string_equal(out.error.document, "d.json");
    assert_non_null(strstr(out.error.message, message));
    assert_string_equal(out.error.field, field);
    json_decref(document);
}

static void test_texts_that_no_document_has(void **state)
{
    (void)state;
    json_t *pod = parsed(POD_OF("1"));
    json_object_set_new(json_object_get(pod, "metadata"), "name", json_stringn("a\0b", 3));
    assert_refused_json(pod, KARP_E_SYNTAX, "a NUL in a string", "metadata.name");
    pod = parsed(POD_OF("1"));
    json_object_set_new_nocheck(json_object_get(pod, "metadata"), "name", json_string_nocheck("\xff"));
    assert_refused_json(pod, KARP_E_SYNTAX, "not UTF-8", "metadata.name");
    pod = parsed(POD_OF("1"));
    json_object_setn_new_nocheck(json_object_get(pod, "metadata"), "x\0y", 3, json_true());
    json_t *list = json_pack("{s:s, s:s, s:[{}, o]}", "apiVersion", "v1", "kind", "PodList", "items", pod);
    json_array_remove(json_object_get(list, "items"), 0);
    assert_refused_json(list, KARP_E_SYNTAX, "a NUL in a string", "items[0].metadata.x");
    assert_refused_json(json_array(), KARP_E_INVALID, "a document must be an object", "");
    assert_refused_json(parsed("{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":{}}"), KARP_E_INVALID,
                        "must be a list", "items");
}

static void test_deep_and_endless_trees(void **state)
{
    (void)state;
    json_t *deep = json_object();
    for (int i = 0; i < 100000; i++) deep = json_pack("{s:o}", "a", deep);
    json_t *inside = deep;
    static outcome out;
    read_document(deep, AS_JSON, 0, &out);
    assert_int_equal(out.status, KARP_E_LIMIT);
    assert_non_null(strstr(out.error.message, "nested deeper than"));
    while (inside) { /* jansson frees by recursion */
        json_t *next = json_incref(json_object_get(inside, "a"));
        json_decref(inside);
        inside = next;
    }

    /* Two arrays, each twice in the other. */
    json_t *a = json_array(), *b = json_array(),
           *list = json_pack("{s:s, s:s, s:O}", "kind", "List", "apiVersion", "v1", "items", a);
    for (int i = 0; i < 2; i++) {
        json_array_append(a, b);
        json_array_append(b, a);
    }
    read_document(list, AS_JSON, 0, &out);
    assert_int_equal(out.status, KARP_E_LIMIT);
    json_array_clear(a);
    json_decref(list);
    json_decref(a);
    json_decref(b);
}

/* 2^40 values in 40 arrays: more than a document may have. */
static void test_a_tree_that_is_large_as_text(void **state)
{
    (void)state;
    karp_context_options options;
    karp_context *context = NULL;
    karp_context_options_init(&options, sizeof options);
    options.max_document_bytes = 1 << 20;
    assert_int_equal(karp_context_new(&options, &context, NULL), KARP_OK);
    json_t *inner = json_array();
    for (int i = 0; i < 40; i++) {
        json_t *outer = json_array();
        json_array_append(outer, inner);
        json_array_append_new(outer, inner);
        inner = outer;
    }
    json_t *document = json_pack("{s:s, s:s, s:o}", "kind", "A", "apiVersion", "b/v1", "spec", inner);
    karp_reader *reader = new_reader(context, 0);
    karp_error error;
    karp_error_init(&error, sizeof error);
    assert_int_equal(karp_reader_add_json(reader, str("d"), document, &error), KARP_E_LIMIT);
    assert_non_null(strstr(error.message, "longer than the limit"));
    karp_reader_free(reader);
    karp_context_unref(context);
    json_decref(document);
}

/* ---- a source that is not jansson's ------------------------------------------------------------------------------ */

typedef struct pair {
    const char *name, *text;
    const struct pair *inside;
} pair;

static void read_pair(void *user, const void *node, karp_value *out)
{
    const pair *p = node;
    *out = *(const karp_value *)user;
    if (p->inside) out->kind = KARP_VALUE_OBJECT;
    else if (p->text) *out = (karp_value){ .kind = KARP_VALUE_STRING, .text = str(p->text) };
}

static const void *next_pair(void *user, const void *node, void **position, karp_str *name)
{
    (void)user;
    const pair *p = *position ? (const pair *)*position + 1 : ((const pair *)node)->inside;
    memcpy(position, &p, sizeof p);
    if (!p->name) return NULL;
    *name = str(p->name);
    return p;
}

/* Of a name that is there twice the last value counts, as in text. */
static void test_other_sources(void **state)
{
    (void)state;
    const pair metadata[] = { { "name", "first", NULL }, { "name", "last", NULL }, { NULL, NULL, NULL } };
    const pair members[] = { { "apiVersion", "v1", NULL },
                             { "kind", "Namespace", NULL },
                             { "metadata", NULL, metadata },
                             { "spec", NULL, NULL },
                             { NULL, NULL, NULL } };
    const pair root = { NULL, NULL, members };
    karp_value other = { .kind = KARP_VALUE_NULL };
    karp_value_source source = { sizeof source, &other, read_pair, next_pair };
    karp_context *context = NULL;
    karp_snapshot *snapshot = NULL;
    karp_text dump;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    karp_reader *reader = new_reader(context, 0);
    assert_int_equal(karp_reader_add_values(reader, str("d"), &source, &root, NULL), KARP_OK);
    assert_int_equal(karp_reader_finish(reader, &snapshot, NULL), KARP_OK);
    assert_int_equal(karp_reader_dump(reader, &dump, NULL), KARP_OK);
    assert_non_null(strstr(dump.ptr, "\"last\""));
    assert_null(strstr(dump.ptr, "\"first\""));
    karp_text_free(&dump);
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);

    other.kind = 77;
    reader = new_reader(context, 0);
    assert_int_equal(karp_reader_add_values(reader, str("d"), &source, &root, NULL), KARP_E_INVALID);
    karp_reader_free(reader);
    other = (karp_value){ .kind = KARP_VALUE_REAL, .real = (double)INFINITY };
    reader = new_reader(context, 0);
    assert_int_equal(karp_reader_add_values(reader, str("d"), &source, &root, NULL), KARP_E_RANGE);
    karp_reader_free(reader);
    other = (karp_value){ .kind = KARP_VALUE_STRING, .text = { NULL, 1 } };
    reader = new_reader(context, 0);
    assert_int_equal(karp_reader_add_values(reader, str("d"), &source, &root, NULL), KARP_E_INVALID);
    karp_reader_free(reader);
    source.next = NULL;
    reader = new_reader(context, 0);
    assert_int_equal(karp_reader_add_values(reader, str("d"), &source, &root, NULL), KARP_E_INVALID);
    assert_int_equal(karp_reader_replace_json(reader, str("d"), NULL, NULL), KARP_E_INVALID);
    karp_reader_free(reader);
    karp_context_unref(context);
}

/* ---- replacing --------------------------------------------------------------------------------------------------- */

static void test_objects_are_replaced(void **state)
{
    (void)state;
    karp_context *context = NULL;
    karp_snapshot *snapshot = NULL;
    karp_text dump;
    json_t *before = parsed(POD_OF("1")), *after = parsed(POD_OF("7"));
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    karp_reader *reader = new_reader(context, 1);
    assert_int_equal(karp_reader_add_json(reader, str("d"), before, NULL), KARP_OK);
    assert_int_equal(karp_reader_replace_json(reader, str("e"), after, NULL), KARP_OK);
    json_decref(before); /* the reader has copied it */
    json_decref(after);
    assert_int_equal(karp_reader_finish(reader, &snapshot, NULL), KARP_OK);
    assert_int_equal(karp_reader_dump(reader, &dump, NULL), KARP_OK);
    assert_non_null(strstr(dump.ptr, "\"priority\":7"));
    karp_text_free(&dump);
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    reader = new_reader(context, 0);
    json_t *document = parsed(POD_OF("1"));
    assert_int_equal(karp_reader_replace_json(reader, str("d"), document, NULL), KARP_E_STATE);
    json_decref(document);
    karp_reader_free(reader);
    karp_context_unref(context);
}

/* ---- decisions out ----------------------------------------------------------------------------------------------- */

/* Numbers that may have a fraction are reals in the tree, and may be printed without one. */
static void assert_equal_values(const json_t *a, const json_t *b)
{
    if (json_is_number(a) && json_is_number(b)) {
        assert_true(json_number_value(a) >= json_number_value(b) && json_number_value(a) <= json_number_value(b));
        return;
    }
    assert_int_equal(json_typeof(a), json_typeof(b));
    if (json_is_array(a)) {
        assert_int_equal(json_array_size(a), json_array_size(b));
        for (size_t i = 0; i < json_array_size(a); i++) assert_equal_values(json_array_get(a, i), json_array_get(b, i));
    } else if (json_is_object(a)) {
        assert_int_equal(json_object_size(a), json_object_size(b));
        const char *name;
        json_t *value, *object = json_copy((json_t *)(uintptr_t)a);
        json_object_foreach(object, name, value) assert_equal_values(value, json_object_get(b, name));
        json_decref(object);
    } else {
        assert_true(json_equal(a, b));
    }
}

static karp_snapshot *snapshot_of(karp_context *context, const char *path)
{
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    assert_int_equal(karp_reader_new(context, NULL, &reader, NULL), KARP_OK);
    assert_int_equal(karp_reader_add_path(reader, path, NULL), KARP_OK);
    assert_int_equal(karp_reader_finish(reader, &snapshot, NULL), KARP_OK);
    karp_reader_free(reader);
    return snapshot;
}

typedef karp_status write_function(karp_context *context, const void *of, const karp_write_options *options,
                                   karp_text *out);

static void assert_written(karp_context *context, write_function *write, const void *of)
{
    karp_write_options options;
    karp_text text = { NULL, 0, NULL };
    karp_json_document document;
    karp_write_options_init(&options, sizeof options);
    options.title = str("\xff title");
    assert_int_equal(write(context, of, &options, &text), KARP_OK);
    json_t *wanted = json_loadb(text.ptr, text.len, 0, NULL);
    assert_non_null(wanted);
    karp_text_free(&text);
    karp_json_document_init(&document, sizeof document);
    options.values = &document.sink;
    assert_int_equal(write(context, of, &options, NULL), KARP_OK);
    assert_non_null(document.root);
    assert_equal_values(wanted, document.root);
    json_decref(document.root);
    json_decref(wanted);
    karp_json_document_init(NULL, sizeof document);
    karp_json_document_init(&document, sizeof document);
    options.format = KARP_FORMAT_TEXT;
    assert_int_equal(write(context, of, &options, &text), KARP_E_UNSUPPORTED);
    assert_null(document.root);
}

static karp_status write_plan(karp_context *context, const void *of, const karp_write_options *options, karp_text *out)
{
    return karp_write_plan(context, of, NULL, options, out, NULL);
}

static karp_status write_disruption(karp_context *context, const void *of, const karp_write_options *options,
                                    karp_text *out)
{
    return karp_write_disruption(context, of, options, out, NULL);
}

static karp_status write_lint(karp_context *context, const void *of, const karp_write_options *options, karp_text *out)
{
    return karp_write_lint(context, of, options, out, NULL);
}

static karp_status write_memory(karp_context *context, const void *of, const karp_write_options *options,
                                karp_text *out)
{
    return karp_write_memory(context, of, options, out, NULL);
}

static void test_decisions_come_out(void **state)
{
    (void)state;
    karp_context *context = NULL;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    karp_snapshot *snapshot = snapshot_of(context, "examples/quickstart");
    karp_decision *plan = NULL, *removals = NULL;
    karp_lint *lint = NULL;
    assert_int_equal(karp_provision(snapshot, NULL, &plan, NULL), KARP_OK);
    karp_memory memory = { .size = sizeof memory };
    karp_disrupt_options remembers;
    karp_disrupt_options_init(&remembers, sizeof remembers);
    remembers.memory = &memory;
    assert_int_equal(karp_disrupt(snapshot, &remembers, &removals, NULL), KARP_OK);
    assert_int_equal(karp_lint_snapshot(snapshot, &lint, NULL), KARP_OK);
    assert_written(context, write_plan, plan);
    assert_written(context, write_disruption, removals);
    assert_written(context, write_lint, lint);
    assert_int_equal(karp_decision_memory(removals, &memory), KARP_OK);
    assert_written(context, write_memory, &memory);
    karp_lint_free(lint);
    karp_decision_unref(plan);
    karp_decision_unref(removals);
    karp_snapshot_unref(snapshot);
    karp_context_unref(context);
}

/* ---- refused memory ---------------------------------------------------------------------------------------------- */

static size_t refuse_from; /* jansson's allocation, from 1, that is refused; 0 = none */
static size_t asked, given;

static void *jansson_malloc(size_t bytes)
{
    if (++asked == refuse_from) return NULL;
    given++;
    return malloc(bytes);
}

static void jansson_free(void *memory)
{
    if (memory) given--;
    free(memory);
}

static void test_jansson_may_be_refused_memory(void **state)
{
    (void)state;
    karp_context *context = NULL;
    karp_snapshot *snapshot = NULL;
    karp_decision *plan = NULL;
    json_t *pod = random_pod(1);
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    karp_reader *reader = new_reader(context, 0);
    assert_int_equal(karp_reader_add_json(reader, str("pod"), pod, NULL), KARP_OK);
    assert_int_equal(karp_reader_finish(reader, &snapshot, NULL), KARP_OK);
    karp_reader_free(reader);
    json_decref(pod);
    assert_int_equal(karp_provision(snapshot, NULL, &plan, NULL), KARP_OK);
    json_malloc_t before_malloc;
    json_free_t before_free;
    json_get_alloc_funcs(&before_malloc, &before_free);
    json_set_alloc_funcs(jansson_malloc, jansson_free);
    karp_status status = KARP_E_NOMEM;
    size_t refused = 0;
    for (; status == KARP_E_NOMEM; refused++) {
        karp_write_options options;
        karp_json_document document;
        karp_write_options_init(&options, sizeof options);
        karp_json_document_init(&document, sizeof document);
        options.values = &document.sink;
        asked = given = 0;
        refuse_from = refused + 1;
        status = karp_write_plan(context, plan, NULL, &options, NULL, NULL);
        assert_true(status == KARP_E_NOMEM || status == KARP_OK);
        if (status) assert_null(document.root);
        json_decref(document.root);
        assert_int_equal(given, 0);
    }
    json_set_alloc_funcs(before_malloc, before_free);
    assert_true(refused > 40);
    karp_decision_unref(plan);
    karp_snapshot_unref(snapshot);
    karp_context_unref(context);
}

static karp_status read_with(karp_context *context, const json_t *document)
{
    karp_reader *reader = new_reader(context, 0);
    karp_snapshot *snapshot = NULL;
    if (!reader) return KARP_E_NOMEM;
    karp_status status = karp_reader_add_json(reader, str("d"), document, NULL);
    if (!status) status = karp_reader_finish(reader, &snapshot, NULL);
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    return status;
}

static void test_the_reader_may_be_refused_memory(void **state)
{
    (void)state;
    numbers = 3;
    json_t *items = json_array();
    for (int i = 0; i < 12; i++) json_array_append_new(items, random_pod(i));
    json_t *document = json_pack("{s:s, s:s, s:o}", "apiVersion", "v1", "kind", "List", "items", items);
    karp_status whole = KARP_OK;
    for (size_t keep = 0; keep < 2; keep++) {
        karp_status status = KARP_E_NOMEM;
        for (size_t at = 0; status == KARP_E_NOMEM; at++) {
            fault f;
            memset(&f, 0, sizeof f);
            karp_context *context = fault_context(&f);
            assert_non_null(context);
            fault_arm(&f, at, keep != 0);
            status = at == 0 ? KARP_E_NOMEM : read_with(context, document);
            if (at == 0) whole = read_with(context, document);
            else if (f.refused == 0) assert_int_equal(status, whole);
            else if (status != KARP_E_NOMEM) assert_int_equal(status, whole);
            if (f.refused > 0) status = KARP_E_NOMEM;
            karp_context_unref(context);
            assert_int_equal(f.live_blocks, 0);
            assert_int_equal(f.wrong_sizes, 0);
        }
    }
    json_decref(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_example_is_read_the_same),
        cmocka_unit_test(test_random_documents_are_read_the_same),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_reals_are_the_shortest_decimals),
        cmocka_unit_test(test_texts_that_no_document_has),
        cmocka_unit_test(test_deep_and_endless_trees),
        cmocka_unit_test(test_a_tree_that_is_large_as_text),
        cmocka_unit_test(test_other_sources),
        cmocka_unit_test(test_objects_are_replaced),
        cmocka_unit_test(test_decisions_come_out),
        cmocka_unit_test(test_jansson_may_be_refused_memory),
        cmocka_unit_test(test_the_reader_may_be_refused_memory),
    };
    return cmocka_run_group_tests_name("jansson", tests, NULL, NULL);
}
