/* SPDX-License-Identifier: Apache-2.0 */
/* Facts and node classes for the built-in providers. The first line is the provider's name and the kind of the facts,
 * or "class" for a node class; the rest is the text. Whatever it is, it is taken or refused, and types can still be
 * had. */
#include <stdlib.h>
#include <string.h>

#include <karp/provider.h>

#include "harness.h"

static void types_of(karp_provider *provider, const karp_provider_class *node_class)
{
    karp_catalogue *types = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_status status = karp_provider_catalogue(provider, node_class, &types, &error);
    check_result(status, types, &error);
    karp_catalogue_unref(types);
}

static void one_class(karp_provider *provider, karp_str text)
{
    karp_provider_class *node_class = NULL;
    karp_provider_class *again = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_status status = karp_provider_class_new(provider, fuzz_str("class.json"), text, &node_class, &error);
    check_result(status, node_class, &error);
    if (status != KARP_OK) return;
    if (karp_provider_class_new(provider, fuzz_str("class.json"), text, &again, &error) == KARP_OK &&
        !karp_provider_class_equal(provider, node_class, again))
        broken("a class is equal to itself");
    types_of(provider, node_class);
    karp_provider_class_free(node_class);
    karp_provider_class_free(again);
}

/* Facts that can be written can be read, and are the same text then. */
static void written(karp_context *context, karp_provider *provider)
{
    karp_provider_memory *memory = NULL;
    karp_str first = { "", 0 }, second = { "", 0 };
    if (karp_provider_memory_new(context, &memory, NULL) != KARP_OK) return;
    karp_status status = karp_provider_write_facts(provider, memory, &first, NULL);
    if (status == KARP_OK) {
        if (karp_provider_load_facts(provider, fuzz_str("all"), fuzz_str("again"), first, NULL) != KARP_OK)
            broken("facts that were written are read");
        if (karp_provider_write_facts(provider, memory, &second, NULL) != KARP_OK || first.len != second.len ||
            memcmp(first.ptr, second.ptr, first.len) != 0)
            broken("facts that were read are written as they were");
    }
    karp_provider_memory_free(memory);
}

static void one_provider(karp_context *context, karp_str name, karp_str kind, karp_str text)
{
    karp_provider *provider = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    /* Names alone: a path would load what the input names. */
    if (name.len > 8 || memchr(name.ptr, '/', name.len) != NULL || memchr(name.ptr, '.', name.len) != NULL) return;
    karp_status status = karp_provider_open(context, name, NULL, &provider, &error);
    check_result(status, provider, &error);
    if (status != KARP_OK) return;
    if (kind.len == 5 && memcmp(kind.ptr, "class", 5) == 0) {
        one_class(provider, text);
    } else {
        status = karp_provider_load_facts(provider, kind, fuzz_str("facts.json"), text, &error);
        if (status > 0 || status == KARP_E_INTERNAL || status == KARP_E_PROVIDER)
            broken("facts are taken, or refused with a reason");
        types_of(provider, NULL);
        if (status == KARP_OK) written(context, provider);
    }
    karp_provider_close(provider);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    karp_str rest = { (const char *)data, size };
    karp_str line = fuzz_until(&rest, '\n');
    karp_str name = fuzz_until(&line, ' ');
    if (name.len == 0) return 0;
    meter m = { 0 };
    karp_context *context = metered_context(&m);
    one_provider(context, name, line, rest);
    karp_context_unref(context);
    check_meter(&m);
    return 0;
}
