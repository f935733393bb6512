/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes a DisruptionMemory (docs/formats.md): the state that one disruption pass leaves for the next. */
#include "encode.h"
#include <io/decode_fields.h>
#include <io/one_document.h>

struct karp_memory_document {
    io_document document; /* must be the first member */
    karp_memory memory;
};

static const record marks = { OPEN({ TIME("Emptiness", karp_memory, emptiness_mark), GIVEN },
                                   { TIME("MultiNodeConsolidation", karp_memory, multi_node_mark), GIVEN },
                                   { TIME("SingleNodeConsolidation", karp_memory, single_node_mark), GIVEN }) };

static const karp_memory no_memory = { .size = sizeof no_memory };
static const record record_memory = { LIKE(no_memory), VERSIONED(karp_memory, unseen_count),
                                      OPEN({ TIME("changed", karp_memory, changed), GIVEN },
                                           { DIGEST("seen", karp_memory, seen), GIVEN }, { OBJECT("marks", marks) },
                                           { TEXTS("unseenNodePools", karp_memory, unseen, unseen_count) }) };

static void read_memory(io_decoder *d, const tree *root, void *out)
{
    static const record_word kinds[] = { { "DisruptionMemory", 1 } };
    if (io_required_string(d, root, "kind").len > 0) (void)io_enum(d, root, "kind", kinds, 1, 1);
    d->document = IN_PLAN;
    io_decode(d, &record_memory, root, out);
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

karp_status karp_write_memory(karp_context *context, const karp_memory *given, const karp_write_options *options,
                              karp_text *out, karp_error *error)
{
    write_call call = { .context = context, .out = out, .error = error };
    karp_status status = write_begin(&call, options, given, "a memory", WRITE_JSON);
    return status == KARP_OK ? write_record(&call, "DisruptionMemory", &record_memory, given, IN_PLAN) : status;
}
