/* SPDX-License-Identifier: Apache-2.0 */
/* What is said beside every total of costs that is not all of them: prices lack licences of operating systems or fees,
 * or nodes have no known price. */
#pragma once

#include <io/write_buffer.h>
#include <io/write_json.h>

/* "Without licences of Windows.", the line below the total; `paragraph`: set apart, as in Markdown. Nothing if no
 * licences are missing; likewise below. */
void licences_line(write_buffer *b, const karp_write_options *options, bool paragraph);
/* The member `withoutLicences`. */
void licences_as_json(json_out *j, const karp_write_options *options);

/* "At least: 2 nodes have no known price and count as $0.", of the cluster after the decision; nothing if all have one.
 */
void unknown_prices_line(write_buffer *b, const karp_decision *decision, bool paragraph);
/* The member `nodesWithoutPrice`. */
void unknown_prices_as_json(json_out *j, const karp_decision *decision);
