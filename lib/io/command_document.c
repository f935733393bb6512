/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes a Command document (docs/formats.md): a command that is being executed, for karp_command_step(). */
#include "encode.h"
#include <io/decode_fields.h>
#include <io/one_document.h>

struct karp_command_document {
    io_document document; /* must be the first member */
    karp_command_state state;
};

static void read_state(io_decoder *d, const tree *root, void *out)
{
    static const record_word kinds[] = { { "Command", 1 } };
    if (io_required_string(d, root, "kind").len > 0) (void)io_enum(d, root, "kind", kinds, 1, 1);
    d->document = IN_COMMAND;
    io_decode(d, &record_command_state, root, out);
}

static const io_document_kind kind = { "a command", sizeof(karp_command_document),
                                       offsetof(karp_command_document, state), read_state };

karp_status karp_command_read(karp_context *context, karp_str name, karp_str text, karp_command_document **out,
                              karp_error *error)
{
    return io_document_read(context, &kind, name, text, out, error);
}

karp_status karp_command_read_file(karp_context *context, const char *path, karp_command_document **out,
                                   karp_error *error)
{
    return io_document_read_file(context, &kind, path, out, error);
}

const karp_command_state *karp_command_document_state(const karp_command_document *document)
{
    return document ? &document->state : NULL;
}

void karp_command_document_free(karp_command_document *document)
{
    io_document_free(document ? &document->document : NULL);
}

karp_status karp_write_command(karp_context *context, const karp_command_state *given,
                               const karp_write_options *options, karp_text *out, karp_error *error)
{
    write_call call = { .context = context, .out = out, .error = error };
    karp_status status = write_begin(&call, options, given, "a command's state", WRITE_JSON);
    return status == KARP_OK ? write_record(&call, "Command", &record_command_state, given, IN_COMMAND) : status;
}
