/* SPDX-License-Identifier: Apache-2.0 */
#include "document.h"

#include <stdio.h>
#include <string.h>

#include "harness.h"

/* A catalogue of two types stands in for the built-in one, which is large, unless the input brings its own. */
static karp_catalogue *small_catalogue(karp_context *context)
{
    static const char types[] =
        "[{\"name\":\"a\",\"labels\":{\"kubernetes.io/arch\":[\"amd64\"],\"kubernetes.io/os\":[\"linux\"],"
        "\"node.kubernetes.io/instance-type\":[\"a\"]},\"capacity\":{\"cpu\":\"4\",\"memory\":\"8Gi\",\"pods\":\"20\"},"
        "\"offerings\":[{\"zone\":\"z1\",\"capacityType\":\"on-demand\",\"price\":1,\"available\":true},"
        "{\"zone\":\"z2\",\"capacityType\":\"spot\",\"price\":0.5,\"available\":true}]},"
        "{\"name\":\"b\",\"labels\":{\"kubernetes.io/arch\":[\"arm64\"],\"kubernetes.io/os\":[\"linux\"],"
        "\"node.kubernetes.io/"
        "instance-type\":[\"b\"]},\"capacity\":{\"cpu\":\"16\",\"memory\":\"32Gi\",\"pods\":\"50\"},"
        "\"offerings\":[{\"zone\":\"z1\",\"capacityType\":\"on-demand\",\"price\":3,\"available\":true}]}]";
    karp_catalogue *catalogue = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_status status = karp_catalogue_read(context, fuzz_str("small.json"), fuzz_str(types), &catalogue, &error);
    check_result(status, catalogue, &error);
    return catalogue;
}

static int contains(const uint8_t *data, size_t size, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= size; i++) {
        if (memcmp(data + i, word, length) == 0) return 1;
    }
    return 0;
}

typedef struct reading {
    karp_reader *reader;
    karp_snapshot *snapshot;
    karp_error error;
} reading;

static void read_document(karp_context *context, karp_str name, karp_str text, int own_catalogue, reading *out)
{
    karp_error *error = &out->error;
    karp_error_init(error, sizeof *error);
    karp_reader_options options;
    karp_reader_options_init(&options, sizeof options);
    options.keep_documents = 1;
    out->snapshot = NULL;
    out->reader = NULL;
    karp_status status = karp_reader_new(context, &options, &out->reader, error);
    check_result(status, out->reader, error);
    if (status != KARP_OK) return;
    if (!own_catalogue) {
        karp_catalogue *catalogue = small_catalogue(context);
        if (catalogue != NULL) status = karp_reader_add_catalogue(out->reader, catalogue, error);
        karp_catalogue_unref(catalogue);
    }
    if (status == KARP_OK) status = karp_reader_add(out->reader, name, text, error);
    if (status == KARP_OK) status = karp_reader_finish(out->reader, &out->snapshot, error);
    check_result(status, out->snapshot, error);
}

static void write_out(karp_context *context, const karp_decision *decision, int disruption)
{
    for (uint32_t format = KARP_FORMAT_JSON; format <= KARP_FORMAT_CSV; format++) {
        karp_write_options options;
        karp_write_options_init(&options, sizeof options);
        options.format = format;
        karp_text text = { NULL, 0, NULL };
        karp_error error;
        karp_error_init(&error, sizeof error);
        karp_status status = disruption ? karp_write_disruption(context, decision, &options, &text, &error)
                                        : karp_write_plan(context, decision, NULL, &options, &text, &error);
        check_result(status, text.ptr, &error);
        if (status == KARP_OK && text.ptr[text.len] != '\0') broken("texts end with a NUL");
        karp_text_free(&text);
    }
}

static void decide(karp_context *context, const karp_snapshot *snapshot)
{
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_options options;
    karp_options_init(&options, sizeof options);
    options.explain = KARP_EXPLAIN_FULL;
    options.max_steps = MAX_STEPS;
    options.keep_partial = 1;
    karp_decision *decision = NULL;
    karp_status status = karp_provision(snapshot, &options, &decision, &error);
    check_result(status, decision, &error);
    if (decision != NULL) write_out(context, decision, 0);
    karp_decision_unref(decision);

    karp_disrupt_options disrupt_options;
    karp_disrupt_options_init(&disrupt_options, sizeof disrupt_options);
    disrupt_options.common = &options;
    disrupt_options.max_simulations = MAX_SIMULATIONS;
    decision = NULL;
    status = karp_disrupt(snapshot, &disrupt_options, &decision, &error);
    check_result(status, decision, &error);
    if (decision != NULL) write_out(context, decision, 1);
    karp_decision_unref(decision);
}

/* The canonical Snapshot of an input is an input with the same canonical Snapshot. */
static void dump_and_read_back(karp_context *context, const reading *first)
{
    karp_text dump = { NULL, 0, NULL };
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_status status = karp_reader_dump(first->reader, &dump, &error);
    check_result(status, dump.ptr, &error);
    if (dump.ptr != NULL && dump.len <= MAX_BYTES) {
        reading second;
        karp_str text = { dump.ptr, dump.len };
        read_document(context, fuzz_str("dump.json"), text, 1, &second);
        if (second.snapshot == NULL) {
            fprintf(stderr, "%s %s: %s\n", second.error.object, second.error.field, second.error.message);
            broken("a dump can be read");
        }
        karp_str a = karp_reader_digest(first->reader);
        karp_str b = karp_reader_digest(second.reader);
        if (a.len != 64 || a.len != b.len || memcmp(a.ptr, b.ptr, a.len) != 0)
            broken("a dump reads back as the same input");
        karp_snapshot_unref(second.snapshot);
        karp_reader_free(second.reader);
    }
    karp_text_free(&dump);
}

void fuzz_document(const char *name, const uint8_t *data, size_t size)
{
    meter m = { 0, 0 };
    karp_context *context = metered_context(&m);
    karp_str text = { (const char *)data, size };
    reading first;
    read_document(context, fuzz_str(name), text, contains(data, size, "catalogues"), &first);
    if (first.snapshot != NULL) {
        decide(context, first.snapshot);
        dump_and_read_back(context, &first);
    }
    karp_reader_free(first.reader);
    karp_context_unref(context);
    karp_snapshot_unref(first.snapshot);
    check_meter(&m);
}
