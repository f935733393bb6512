/* SPDX-License-Identifier: Apache-2.0 */
/*
 * karp_catalogue_aws(): EC2's instance types under a node class, which is given as a document. Also reads node classes
 * and facts from files, for any provider.
 */
#include <io/builtin.h>
#include <io/clouds.h>
#include <io/files.h>

#include <stdio.h>

#include <karp/library.h>

void karp_catalogue_options_init(karp_catalogue_options *options, size_t size)
{
    const karp_catalogue_options fresh = { .vm_memory_overhead_percent = 0.075 };
    struct_start(options, size, &fresh, sizeof fresh);
}

static karp_status check_options(const karp_catalogue_options *given, karp_catalogue_options *copy, karp_error *error)
{
    karp_catalogue_options_init(copy, sizeof *copy);
    if (!given) return KARP_OK;
    karp_status status = struct_check(given, sizeof *copy, SIZE_THROUGH(karp_catalogue_options, reserved), copy,
                                      "karp_catalogue_options", error);
    if (status == KARP_OK)
        status = STRUCT_CHECK_TEXTS("karp_catalogue_options", error, &copy->region, &copy->node_class,
                                    &copy->node_class_name);
    if (status == KARP_OK && copy->reserved) status = fail_reserved(error, "karp_catalogue_options");
    return status;
}

/* ---- node classes ------------------------------------------------------------------------------------------------ */

/* Finds the only node class of the text. */
static karp_status find_class(karp_reader *reader, karp_str name, karp_str kind, uint32_t *number)
{
    *number = IO_NONE;
    for (uint32_t i = 0; i < reader->deferred_count; i++) {
        const io_deferred *w = &reader->deferred[i];
        if (w->info->kind != IO_KIND_NODE_CLASS) continue;
        if (*number != IO_NONE)
            return io_reader_fail(reader, KARP_E_INVALID, &w->place, NULL,
                                  "there are several node classes: expected one");
        *number = i;
    }
    io_place nowhere = { .document = name };
    if (*number != IO_NONE) return KARP_OK;
    if (kind.len == 0)
        return io_reader_fail(reader, KARP_E_UNSUPPORTED, &nowhere, NULL, "the provider has no node classes");
    return io_reader_fail(reader, KARP_E_INVALID, &nowhere, NULL, "there is no %.*s in it", (int)kind.len, kind.ptr);
}

/* Frees the reader. Returns the status of the call. */
static karp_status end_reading(karp_reader *reader, karp_status status, karp_error *error)
{
    if (status) {
        status = karp_context_refusal(reader->context, status, &reader->error);
        reader->error.status = status;
        (void)error_give(&reader->error, error);
    }
    karp_reader_free(reader);
    return status;
}

static karp_status read_class(karp_reader *reader, karp_provider *provider, karp_str name, karp_str text,
                              karp_provider_class **out)
{
    uint32_t number;
    karp_status status = io_reader_text(reader, name, text, NULL);
    status = io_first_mistake(reader, reader->deferred_count, status);
    if (status == KARP_OK) status = find_class(reader, name, karp_provider_class_kind(provider), &number);
    return status ? status : io_read_node_class(reader, provider, number, out);
}

karp_status karp_provider_class_read(karp_context *context, karp_provider *provider, karp_str name, karp_str text,
                                     karp_provider_class **out, karp_error *error)
{
    if (!str_given(name) || !str_given(text)) return fail_null(error, "name or text");
    if (!context || !provider || !out) return fail_null(error, "context, provider or out");
    karp_reader *reader = NULL;
    karp_status status = karp_reader_new(context, NULL, &reader, error);
    if (status) return status;
    reader->clouds.given = provider;
    status = read_class(reader, provider, name, text, out);
    return end_reading(reader, status, error);
}

karp_status karp_provider_load_facts_file(karp_context *context, karp_provider *provider, karp_str kind,
                                          const char *path, karp_error *error)
{
    if (!str_given(kind)) return fail_null(error, "kind");
    if (!context || !provider || !path) return fail_null(error, "context, provider or path");
    strbuf text;
    karp_status status = io_whole_file(context, str(path), &text, error);
    if (status == KARP_OK) {
        status = karp_provider_load_facts(provider, kind, str(path), (karp_str){ text.ptr ? text.ptr : "", text.len },
                                          error);
    }
    strbuf_free(&text);
    return karp_context_refusal(context, status, error);
}

/* ---- aws --------------------------------------------------------------------------------------------------------- */

static karp_status make_types(karp_reader *reader, const karp_catalogue_options *options, karp_catalogue **out)
{
    char enis[24], overhead[KARP_VALUE_TEXT];
    karp_provider *provider = NULL;
    karp_provider_class *class_ = NULL;
    (void)snprintf(enis, sizeof enis, "%lld", (long long)options->reserved_enis);
    karp_double_format(options->vm_memory_overhead_percent, overhead);
    const karp_label settings[] = { { str("reservedENIs"), str(enis) },
                                    { str("vmMemoryOverheadPercent"), str(overhead) },
                                    { str("allTypes"), str(options->all_types ? "true" : "false") } };
    karp_provider_options open;
    karp_provider_options_init(&open, sizeof open);
    uint32_t aws = io_cloud_of_class(reader, str("karpenter.k8s.aws"), str("EC2NodeClass"));
    open.region = options->region.len ? options->region : io_cloud_region(reader, aws);
    open.settings = settings;
    open.setting_count = sizeof settings / sizeof *settings;
    karp_status status = karp_provider_open(reader->context, str("aws"), &open, &provider, &reader->error);
    uint32_t number;
    if (status == KARP_OK && options->node_class.len) {
        status = find_class(reader, options->node_class_name, karp_provider_class_kind(provider), &number);
        if (status == KARP_OK) status = io_read_node_class(reader, provider, number, &class_);
    }
    if (status == KARP_OK) status = karp_provider_catalogue(provider, class_, out, &reader->error);
    karp_provider_class_free(class_);
    karp_provider_close(provider);
    return status;
}

/* The node class is read first, because its subnets determine the region. */
static karp_status make_aws_catalogue(karp_reader *reader, const karp_catalogue_options *options, karp_catalogue **out)
{
    karp_status status = options->node_class.len
                             ? io_reader_text(reader, options->node_class_name, options->node_class, NULL)
                             : KARP_OK;
    return status ? status : make_types(reader, options, out);
}

karp_status karp_catalogue_aws(karp_context *context, const karp_catalogue_options *options, karp_catalogue **out,
                               karp_error *error)
{
    if (!context || !out) return fail_null(error, "context or out");
    karp_catalogue_options own;
    karp_reader *reader = NULL;
    karp_status status = check_options(options, &own, error);
    if (status) return status;
    status = karp_reader_new(context, NULL, &reader, error);
    if (status) return status;
    status = make_aws_catalogue(reader, &own, out);
    return end_reading(reader, status, error);
}
