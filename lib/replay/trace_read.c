/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/trace_read.h>

#include <base/error.h>

karp_status trace_read(trace *t, karp_str format, const karp_replay_document *document, bool lenient, karp_error *error)
{
    (void)lenient;
    if (format.len == 0 || str_is(format, "story")) return trace_read_story(t, document, error);
    return fail(error, KARP_E_UNSUPPORTED, "no such format of traces");
}
