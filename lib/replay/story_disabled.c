/* SPDX-License-Identifier: Apache-2.0 */
/* For a library built with -Dstories=false. */
#include <base/error.h>

#include <karp/io.h>

void karp_story_options_init(karp_story_options *options, size_t size)
{
    const karp_story_options fresh = { 0 };
    struct_start(options, size, &fresh, sizeof fresh);
}

karp_status karp_story_play_with(karp_context *context, const char *path, const karp_story_options *options,
                                 const karp_write_options *write, karp_text *out, karp_error *error)
{
    (void)context, (void)path, (void)options, (void)write, (void)out;
    return fail(error, KARP_E_UNSUPPORTED, "this libkarp-io was built without stories (-Dstories=false)");
}

karp_status karp_story_play(karp_context *context, const char *path, karp_catalogue *catalogue, karp_str feature_gates,
                            const karp_options *options, const karp_write_options *write, karp_text *out,
                            karp_error *error)
{
    (void)catalogue, (void)feature_gates, (void)options;
    return karp_story_play_with(context, path, NULL, write, out, error);
}
