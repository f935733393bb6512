/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the state that one disruption pass leaves for the next: docs/formats.md. */
#include <karp/passes.h>
#include "write_call.h"
#include "write_members.h"

static void member_instant(json_out *j, const char *key, int64_t instant)
{
    char text[KARP_VALUE_TEXT];
    if (instant == 0) {
        return;
    }
    karp_time_format(instant, text);
    json_member_text(j, key, text);
}

static void member_digest(json_out *j, const char *key, uint64_t value)
{
    char text[17] = { 0 };
    if (value == 0) {
        return;
    }
    for (int i = 0; i < 16; i++) {
        text[i] = "0123456789abcdef"[value >> (60 - 4 * i) & 15];
    }
    json_member_text(j, key, text);
}

karp_status karp_write_memory(karp_context *context, const karp_memory *memory, const karp_write_options *options,
                              karp_text *out, karp_error *error)
{
    write_call call = { .context = context, .out = out, .error = error };
    karp_status status = write_begin(&call, options, memory != NULL,
                                     "a context, a memory and a place for the text are needed", 1u << KARP_FORMAT_JSON);
    if (status != KARP_OK) {
        return status;
    }
    json_out json;
    json_out *j = &json;
    json_init(j, &call.buffer, call.options.compact != 0);
    json_open_object(j);
    json_member_text(j, "apiVersion", "karp/v1");
    json_member_text(j, "kind", "DisruptionMemory");
    member_instant(j, "changed", memory->changed);
    member_digest(j, "seen", memory->seen);
    json_key(j, "marks");
    json_open_object(j);
    member_instant(j, karp_method_name(KARP_METHOD_EMPTINESS), memory->emptiness_mark);
    member_instant(j, karp_method_name(KARP_METHOD_MULTI_NODE), memory->multi_node_mark);
    member_instant(j, karp_method_name(KARP_METHOD_SINGLE_NODE), memory->single_node_mark);
    json_end(j);
    json_member_strings(j, "unseenNodePools", memory->unseen, memory->unseen_count);
    json_close(j);
    return write_end(&call, KARP_OK);
}
