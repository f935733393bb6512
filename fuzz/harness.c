/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void broken(const char *promise)
{
    fprintf(stderr, "broken promise: %s\n", promise);
    abort();
}

static void *meter_alloc(size_t bytes, void *user)
{
    meter *m = user;
    if (bytes == 0) broken("the allocator is asked for more than zero bytes");
    if (bytes > MAX_MEMORY - m->in_use) return NULL;
    void *memory = malloc(bytes);
    if (memory != NULL) {
        m->in_use += bytes;
        m->blocks++;
    }
    return memory;
}

static void meter_free(void *memory, size_t bytes, void *user)
{
    meter *m = user;
    if (memory == NULL || bytes > m->in_use || m->blocks == 0)
        broken("blocks are given back with the size they were taken with");
    m->in_use -= bytes;
    m->blocks--;
    free(memory);
}

static void *meter_realloc(void *memory, size_t old_bytes, size_t new_bytes, void *user)
{
    void *fresh = meter_alloc(new_bytes, user);
    if (fresh != NULL && memory != NULL) {
        memcpy(fresh, memory, old_bytes < new_bytes ? old_bytes : new_bytes);
        meter_free(memory, old_bytes, user);
    }
    return fresh;
}

karp_str fuzz_str(const char *text)
{
    karp_str s = { text, strlen(text) };
    return s;
}

karp_str fuzz_until(karp_str *rest, char end)
{
    const char *at = rest->len > 0 ? memchr(rest->ptr, end, rest->len) : NULL;
    karp_str word = { rest->ptr, at ? (size_t)(at - rest->ptr) : rest->len };
    size_t used = word.len + (at != NULL);
    rest->ptr += used;
    rest->len -= used;
    return word;
}

void check_result(karp_status status, const void *result, const karp_error *error)
{
    if ((status == KARP_OK) != (result != NULL)) broken("a result if and only if KARP_OK");
    if (status > 0 || status == KARP_E_INTERNAL) broken("no internal error");
    if (status != KARP_OK && error->status != status) broken("the error carries the status");
    if (memchr(error->message, 0, sizeof error->message) == NULL ||
        memchr(error->object, 0, sizeof error->object) == NULL || memchr(error->field, 0, sizeof error->field) == NULL)
        broken("texts of errors end");
}

karp_context *metered_context(meter *m)
{
    karp_allocator allocator = { sizeof allocator, meter_alloc, meter_realloc, meter_free, m };
    karp_context_options options;
    karp_context_options_init(&options, sizeof options);
    options.allocator = &allocator;
    options.max_pods = 300;
    options.max_nodes = 50;
    options.max_instance_types = 2000;
    options.max_document_bytes = MAX_BYTES;
    options.max_nesting = 40;
    options.max_aliases = 500;
    karp_context *context = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_status status = karp_context_new(&options, &context, &error);
    check_result(status, context, &error);
    if (context == NULL) broken("a context can be made");
    return context;
}

void check_meter(const meter *m)
{
    if (m->blocks != 0 || m->in_use != 0) broken("everything is given back");
}
