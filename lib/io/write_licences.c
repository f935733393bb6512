/* SPDX-License-Identifier: Apache-2.0 */
#include <io/write_licences.h>

void licences_line(write_buffer *b, const karp_write_options *options, bool paragraph)
{
    if (options->licences.len == 0) return;
    buffer_text(b, paragraph ? "\nWithout licences of " : "Without licences of ");
    buffer_str(b, options->licences);
    buffer_text(b, ".\n");
}

void licences_as_json(json_out *j, const karp_write_options *options)
{
    if (options->licences.len > 0) json_member_str(j, "withoutLicences", options->licences);
}
