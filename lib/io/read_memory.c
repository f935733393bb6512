/* SPDX-License-Identifier: Apache-2.0 */
/* A DisruptionMemory document (docs/formats.md) as the struct that karp_disrupt() takes. */
#include <io/one_document.h>

#include <io/whole_file.h>
#include <string.h>

struct karp_memory_document {
    io_document document;
    karp_memory memory;
};

/* Zero means absent in the struct. */
static int64_t read_instant(io_decoder *d, const json_t *object, const char *name)
{
    int64_t instant = io_time(d, object, name);
    return instant == KARP_NO_TIME ? 0 : instant;
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static uint64_t read_digest(io_decoder *d, const json_t *object, const char *name)
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

static void read_memory(io_decoder *d, const json_t *root, void *out)
{
    static const io_word kinds[] = { { "DisruptionMemory", 1 } };
    karp_memory *m = out;
    m->size = sizeof *m;
    if (io_required_string(d, root, "kind").len > 0) (void)io_enum(d, root, "kind", kinds, 1, 1);
    m->changed = read_instant(d, root, "changed");
    m->seen = read_digest(d, root, "seen");
    m->unseen = io_strings(d, root, "unseenNodePools", &m->unseen_count);
    const json_t *marks = io_object(d, root, "marks");
    if (!marks) return;
    io_push(d, "marks");
    m->emptiness_mark = read_instant(d, marks, karp_method_name(KARP_METHOD_EMPTINESS));
    m->multi_node_mark = read_instant(d, marks, karp_method_name(KARP_METHOD_MULTI_NODE));
    m->single_node_mark = read_instant(d, marks, karp_method_name(KARP_METHOD_SINGLE_NODE));
    io_pop(d);
}

karp_status karp_memory_read(karp_context *context, karp_str name, karp_str text, karp_memory_document **out, karp_error *error)
{
    karp_memory_document *document = karp_alloc(context, sizeof *document);
    if (!document) return io_nomem(error);
    memset(document, 0, sizeof *document);
    karp_status status = io_document_read(&document->document, context, "a memory", name, text, read_memory, &document->memory, error);
    if (status == KARP_OK) *out = document;
    else karp_free(context, document, sizeof *document);
    return status;
}

karp_status karp_memory_read_file(karp_context *context, const char *path, karp_memory_document **out, karp_error *error)
{
    io_text text;
    karp_status status = io_whole_file(context, path, &text, error);
    if (status == KARP_OK) status = karp_memory_read(context, io_str(path), (karp_str){ text.ptr, text.len }, out, error);
    io_text_free(&text);
    return status;
}

const karp_memory *karp_memory_document_memory(const karp_memory_document *document) { return document ? &document->memory : NULL; }

void karp_memory_document_free(karp_memory_document *document)
{
    if (!document) return;
    karp_context *context = document->document.context;
    io_document_free(&document->document);
    karp_free(context, document, sizeof *document);
    karp_context_free(context);
}
