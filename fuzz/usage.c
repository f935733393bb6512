/* SPDX-License-Identifier: Apache-2.0 */
/* What containers use or should request. The first line has the rules for cpu and memory, separated by a space, and
 * after another space the resource; the rest is a table or JSON. Whatever it is, it is taken or refused, and requests
 * that follow from it are amounts. */
#include <string.h>

#include <karp/requests.h>
#include <karp/values.h>

#include "harness.h"

static const char pods[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":["
    "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n\"},\"status\":{\"allocatable\":{\"cpu\":\"2\","
    "\"memory\":\"4Gi\",\"pods\":\"9\"}}},"
    "{\"apiVersion\":\"apps/v1\",\"kind\":\"StatefulSet\",\"metadata\":{\"name\":\"db\"},\"spec\":{\"replicas\":2,"
    "\"selector\":{\"matchLabels\":{\"a\":\"b\"}},\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{"
    "\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"1\"},\"limits\":{\"cpu\":\"3\"}}},"
    "{\"name\":\"d\"}]}}}},"
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"nodeName\":\"n\",\"containers\":"
    "["
    "{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"1\",\"memory\":\"1Gi\"}}}]}}]}";

static void check_changes(const karp_reader *reader)
{
    for (size_t i = 0; i < karp_reader_request_change_count(reader); i++) {
        karp_request_change c = { .size = sizeof c };
        if (karp_reader_request_change(reader, i, &c) != KARP_OK) broken("a change that is counted can be had");
        const karp_str amounts[] = { c.cpu_after, c.memory_after, c.cpu_limit, c.memory_limit };
        for (size_t k = 0; k < sizeof amounts / sizeof amounts[0]; k++) {
            if (amounts[k].len > 0 && karp_quantity_check(amounts[k]) != KARP_OK) broken("requests are quantities");
        }
    }
}

static void write_patches(karp_context *context, const karp_reader *reader)
{
    karp_text text = { NULL, 0, NULL };
    karp_error error;
    karp_write_options options;
    karp_error_init(&error, sizeof error);
    karp_write_options_init(&options, sizeof options);
    options.format = KARP_FORMAT_PATCH;
    karp_status status = karp_write_request_patches(context, reader, NULL, &options, &text, &error);
    check_result(status, text.ptr, &error);
    karp_text_free(&text);
}

static void use(karp_context *context, const karp_request_rules *rules, karp_str resource, karp_str text)
{
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_error error;
    karp_reader_options options;
    karp_error_init(&error, sizeof error);
    karp_reader_options_init(&options, sizeof options);
    options.editable = 1;
    karp_status status = karp_reader_new(context, &options, &reader, &error);
    if (status == KARP_OK) status = karp_reader_recommend_requests(reader, rules, &error);
    if (status == KARP_OK) status = karp_reader_add_usage(reader, fuzz_str("usage"), text, resource, &error);
    if (status == KARP_OK) status = karp_reader_add(reader, fuzz_str("pods.json"), fuzz_str(pods), &error);
    if (status == KARP_OK) status = karp_reader_finish(reader, &snapshot, &error);
    check_result(status, snapshot, &error);
    if (status == KARP_OK) {
        check_changes(reader);
        write_patches(context, reader);
    }
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    karp_str rest = { (const char *)data, size };
    karp_str line = fuzz_until(&rest, '\n');
    karp_request_rules rules;
    karp_request_rules_init(&rules, sizeof rules);
    rules.cpu = fuzz_until(&line, ' ');
    rules.memory = fuzz_until(&line, ' ');
    meter m = { 0 };
    karp_context *context = metered_context(&m);
    use(context, &rules, line, rest);
    karp_context_unref(context);
    check_meter(&m);
    return 0;
}
