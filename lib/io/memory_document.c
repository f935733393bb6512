/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes a DisruptionMemory (docs/formats.md): the state that one disruption pass leaves for the next. */
#include <io/one_document.h>
#include "write_json.h"

struct karp_memory_document {
    io_document document; /* must be the first member */
    karp_memory memory;
};

/* In the struct zero means absent. */
static int64_t read_instant(io_decoder *d, const tree *object, const char *name)
{
    int64_t instant = io_time(d, object, name);
    return instant == KARP_NO_TIME ? 0 : instant;
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static uint64_t read_digest(io_decoder *d, const tree *object, const char *name)
{
    karp_str text = io_string(d, object, name);
    uint64_t value = 0;
    bool good = text.len == 0 || text.len == 16;
    for (size_t i = 0; i < text.len && good; i++) {
        good = digit_of(text.ptr[i]) >= 0;
        value = value << 4 | (uint64_t)(good ? digit_of(text.ptr[i]) : 0);
    }
    if (!good) io_bad_member(d, name, KARP_E_INVALID, "not 16 hexadecimal digits");
    return value;
}

static void read_memory(io_decoder *d, const tree *root, void *out)
{
    static const io_word kinds[] = { { "DisruptionMemory", 1 } };
    karp_memory *m = out;
    m->size = sizeof *m;
    if (io_required_string(d, root, "kind").len > 0) (void)io_enum(d, root, "kind", kinds, 1, 1);
    m->changed = read_instant(d, root, "changed");
    m->seen = read_digest(d, root, "seen");
    m->unseen = io_strings(d, root, "unseenNodePools", &m->unseen_count);
    const tree *marks = io_object(d, root, "marks");
    if (!marks) return;
    io_push(d, "marks");
    m->emptiness_mark = read_instant(d, marks, karp_method_name(KARP_METHOD_EMPTINESS));
    m->multi_node_mark = read_instant(d, marks, karp_method_name(KARP_METHOD_MULTI_NODE));
    m->single_node_mark = read_instant(d, marks, karp_method_name(KARP_METHOD_SINGLE_NODE));
    io_pop(d);
}

static const io_document_kind kind = { "a memory", sizeof(karp_memory_document), offsetof(karp_memory_document, memory),
                                       read_memory };

karp_status karp_memory_read(karp_context *context, karp_str name, karp_str text, karp_memory_document **out,
                             karp_error *error)
{
    return io_document_read(context, &kind, name, text, out, error);
}

karp_status karp_memory_read_file(karp_context *context, const char *path, karp_memory_document **out,
                                  karp_error *error)
{
    return io_document_read_file(context, &kind, path, out, error);
}

const karp_memory *karp_memory_document_memory(const karp_memory_document *document)
{
    return document ? &document->memory : NULL;
}

void karp_memory_document_free(karp_memory_document *document)
{
    io_document_free(document ? &document->document : NULL);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void member_instant(json_out *j, const char *key, int64_t instant)
{
    char text[KARP_VALUE_TEXT];
    if (instant == 0) return;
    karp_time_format(instant, text);
    json_member_text(j, key, text);
}

static void member_digest(json_out *j, const char *key, uint64_t value)
{
    char text[17] = { 0 };
    if (value == 0) return;
    for (int i = 0; i < 16; i++) text[i] = "0123456789abcdef"[value >> (60 - 4 * i) & 15];
    json_member_text(j, key, text);
}

karp_status karp_write_memory(karp_context *context, const karp_memory *given, const karp_write_options *options,
                              karp_text *out, karp_error *error)
{
    write_call call = { .context = context, .out = out, .error = error };
    karp_memory own, *memory = &own;
    karp_status status = write_begin(&call, options, given != NULL,
                                     "a context, a memory and a place for the text are needed", 1u << KARP_FORMAT_JSON);
    if (status == KARP_OK)
        status = struct_check(given, sizeof own, SIZE_THROUGH(karp_memory, unseen_count), &own, "karp_memory", error);
    if (status != KARP_OK) return status;
    json_out json, *j = &json;
    json_open_document(j, &call.buffer, call.options.compact != 0, "DisruptionMemory");
    member_instant(j, "changed", memory->changed);
    member_digest(j, "seen", memory->seen);
    json_member_object(j, "marks");
    member_instant(j, karp_method_name(KARP_METHOD_EMPTINESS), memory->emptiness_mark);
    member_instant(j, karp_method_name(KARP_METHOD_MULTI_NODE), memory->multi_node_mark);
    member_instant(j, karp_method_name(KARP_METHOD_SINGLE_NODE), memory->single_node_mark);
    json_end(j);
    json_member_strings(j, "unseenNodePools", memory->unseen, memory->unseen_count);
    json_close(j);
    return write_end(&call);
}
