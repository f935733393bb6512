/* SPDX-License-Identifier: Apache-2.0 */
/* What is said beside every total of costs whose prices lack the licences of operating systems. */
#ifndef IO_WRITE_LICENCES_H
#define IO_WRITE_LICENCES_H

#include <io/write_buffer.h>
#include <io/write_json.h>

/* "Without licences of Windows.", the line below the total; `paragraph`: set apart, as in Markdown. Nothing if no
 * licences are missing; likewise below. */
void licences_line(write_buffer *b, const karp_write_options *options, bool paragraph);
/* The member `withoutLicences`. */
void licences_as_json(json_out *j, const karp_write_options *options);

#endif
