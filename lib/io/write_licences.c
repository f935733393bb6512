/* SPDX-License-Identifier: Apache-2.0 */
#include <io/write_licences.h>

#include <base/licence_words.h>
#include <karp/inspect.h>

void licences_line(write_buffer *b, const karp_write_options *options, bool paragraph)
{
    if (options->licences.len == 0) return;
    buffer_text(b, paragraph ? "\nWithout " : "Without ");
    buffer_text(b, licence_words(options->licences));
    buffer_str(b, options->licences);
    buffer_text(b, ".\n");
}

void licences_as_json(json_out *j, const karp_write_options *options)
{
    if (options->licences.len > 0) json_member_str(j, "withoutLicences", options->licences);
}

void unknown_prices_line(write_buffer *b, const karp_decision *decision, bool paragraph)
{
    size_t count = karp_decision_unpriced_count(decision);
    if (count == 0) return;
    buffer_text(b, paragraph ? "\nAt least: " : "At least: ");
    buffer_plural(b, count, " node has no known price and counts as $0.\n",
                  " nodes have no known price and count as $0.\n");
}

void unknown_prices_as_json(json_out *j, const karp_decision *decision)
{
    size_t count = karp_decision_unpriced_count(decision);
    if (count > 0) json_member_uint(j, "nodesWithoutPrice", count);
}
