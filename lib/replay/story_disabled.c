/* SPDX-License-Identifier: Apache-2.0 */
/* For a library built with -Dstories=false. */
#include <base/error.h>

#include <karp/io.h>

karp_status karp_story_play(karp_context *context, const char *path, karp_catalogue *catalogue, karp_str feature_gates,
                            const karp_options *options, const karp_write_options *write, karp_text *out,
                            karp_error *error)
{
    (void)context, (void)path, (void)catalogue, (void)feature_gates, (void)options, (void)write, (void)out;
    return fail(error, KARP_E_UNSUPPORTED, "this libkarp-io was built without stories (-Dstories=false)");
}
