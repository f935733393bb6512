/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as a trace in any of the formats, replayed for some hours under one pool: an answer or an error, and the same
 * again. */
#include "harness.h"

#include <string.h>

#include <karp/replay.h>

static const char pool[] =
    "{\"apiVersion\":\"karpenter.sh/"
    "v1\",\"kind\":\"NodePool\",\"metadata\":{\"name\":\"default\"},\"spec\":{\"template\":{\"spec\":{"
    "\"requirements\":[{\"key\":\"karpenter.sh/capacity-type\",\"operator\":\"In\",\"values\":[\"spot\"]}]}},"
    "\"limits\":{\"cpu\":\"64\"},\"disruption\":{\"consolidateAfter\":\"1m\"}}}";

static karp_catalogue *make_types(karp_context *context)
{
    karp_str spot = fuzz_str("spot"), zone = fuzz_str("a");
    karp_requirement ways[2] = {
        { .key = fuzz_str("karpenter.sh/capacity-type"), .op = KARP_OP_IN, .values = &spot, .value_count = 1 },
        { .key = fuzz_str("topology.kubernetes.io/zone"), .op = KARP_OP_IN, .values = &zone, .value_count = 1 },
    };
    karp_offering offering = { .requirements = ways, .requirement_count = 2, .price = 0.1, .available = 1 };
    karp_resource amounts[3] = { { .name = fuzz_str("cpu"), .text = fuzz_str("8") },
                                 { .name = fuzz_str("memory"), .text = fuzz_str("16Gi") },
                                 { .name = fuzz_str("pods"), .text = fuzz_str("50") } };
    karp_instance_type type = { .size = sizeof type,
                                .name = fuzz_str("large"),
                                .capacity = amounts,
                                .capacity_count = 3,
                                .offerings = &offering,
                                .offering_count = 1 };
    karp_catalogue *types = NULL;
    return karp_catalogue_new(context, &type, 1, &types, NULL) == KARP_OK ? types : NULL;
}

static karp_status replay_once(karp_context *context, const karp_replay_options *options, karp_text *text)
{
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_status status = karp_replay(context, options, NULL, text, &error);
    check_result(status, text->ptr, &error);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const karp_replay_interruption often = { .per_hour = 1 };
    static const char *const formats[8] = { "csv",   "openb",         "simkube", "kubereplay",
                                            "dumps", "azure-packing", "load",    "story" };
    meter m = { 0 };
    if (size == 0 || size > MAX_BYTES / 16) return 0;
    karp_context *context = metered_context(&m);
    if (context == NULL) return 0;
    karp_catalogue *types = make_types(context);
    karp_replay_document trace = { fuzz_str("trace.csv"), { (const char *)data + 1, size - 1 } };
    karp_replay_document object = { fuzz_str("pool"), { pool, sizeof pool - 1 } };
    karp_replay_options options;
    karp_text first = { 0 }, second = { 0 };
    karp_replay_options_init(&options, sizeof options);
    options.traces = &trace;
    options.objects = &object;
    options.trace_count = options.object_count = options.interruption_count = 1;
    options.interruptions = &often;
    options.catalogue = types;
    options.format = fuzz_str(formats[data[0] >> 3 & 7]);
    options.lenient = data[0] & 1;
    options.most_allocated = data[0] >> 1 & 1;
    options.dump_after = data[0] & 4 ? INT64_C(600000000000) : 0;
    options.until_after = INT64_C(14400000000000);
    if (types != NULL && replay_once(context, &options, &first) == KARP_OK) {
        if (replay_once(context, &options, &second) != KARP_OK || first.len != second.len ||
            memcmp(first.ptr, second.ptr, first.len) != 0)
            broken("equal seeds give equal bytes");
    }
    karp_text_free(&first);
    karp_text_free(&second);
    karp_catalogue_unref(types);
    karp_context_unref(context);
    check_meter(&m);
    return 0;
}
