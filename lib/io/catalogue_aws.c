/* SPDX-License-Identifier: Apache-2.0 */
/* karp_catalogue_aws(): EC2's types under a node class, which comes as a document. */
#include <io/builtin.h>

#include <string.h>

void karp_catalogue_options_init(karp_catalogue_options *options, size_t size)
{
    if (!options || size < sizeof options->size) return;
    karp_catalogue_options fresh;
    memset(&fresh, 0, sizeof fresh);
    fresh.vm_memory_overhead_percent = aws_settings_default(io_str("")).options.vm_memory_overhead;
    memset(options, 0, size);
    memcpy(options, &fresh, size < sizeof fresh ? size : sizeof fresh);
    options->size = size;
}

static karp_status check_options(const karp_catalogue_options *given, karp_catalogue_options *copy)
{
    karp_catalogue_options_init(copy, sizeof *copy);
    if (!given) return KARP_OK;
    karp_status status = io_check_options(given, sizeof *copy);
    if (status != KARP_OK) return status;
    *copy = *given;
    return given->reserved ? KARP_E_ABI_NEW : KARP_OK;
}

/* The one node class of the text. */
static karp_status read_class(karp_reader *reader, const karp_catalogue_options *options, scratch *s, aws_node_class *out)
{
    karp_status status = io_reader_text(reader, options->node_class_name, options->node_class);
    if (status) return status;
    uint32_t first = IO_NONE;
    for (uint32_t i = 0; i < reader->waiting_count; i++) {
        const io_waiting *w = &reader->waiting[i];
        if (w->info->kind != IO_KIND_NODE_CLASS) continue;
        io_place place = { .document = w->document, .line = w->line, .column = w->column, .offset = w->offset };
        if (first != IO_NONE) {
            return io_reader_fail(reader, KARP_E_INVALID, &place, NULL, "there are several node classes: one is wanted");
        }
        first = i;
    }
    io_place nowhere = { .document = options->node_class_name };
    if (first == IO_NONE) return io_reader_fail(reader, KARP_E_INVALID, &nowhere, NULL, "there is no EC2NodeClass in it");
    return io_read_node_class(reader, first, s, out);
}

static karp_status make(karp_reader *reader, const karp_catalogue_options *options, scratch *s, karp_catalogue **out)
{
    aws_node_class class_;
    memset(&class_, 0, sizeof class_);
    karp_status status = options->node_class.len ? read_class(reader, options, s, &class_) : KARP_OK;
    if (status) return status;
    aws_settings settings = aws_settings_default(options->region);
    if (settings.region.len == 0) settings.region = reader->region.len ? reader->region : io_str("us-west-2");
    settings.options.reserved_enis = options->reserved_enis;
    settings.options.vm_memory_overhead = options->vm_memory_overhead_percent;
    settings.all_types = options->all_types != 0;
    return aws_catalogue(reader->context, &settings, &class_, out, &reader->error);
}

karp_status karp_catalogue_aws(karp_context *context, const karp_catalogue_options *options, karp_catalogue **out, karp_error *error)
{
    karp_catalogue_options own;
    karp_reader *reader = NULL;
    karp_status status = check_options(options, &own);
    if (status) {
        karp_error local;
        io_fail(&local, status, "karp_catalogue_options has a size or members this library does not know");
        return io_give_error(&local, error);
    }
    status = karp_reader_new(context, NULL, &reader, error);
    if (status) return status;
    scratch s;
    scratch_init(&s, context);
    status = make(reader, &own, &s, out);
    if (status) {
        reader->error.status = status;
        (void)io_give_error(&reader->error, error);
    }
    scratch_free(&s);
    karp_reader_free(reader);
    return status;
}
