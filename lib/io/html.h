/* SPDX-License-Identifier: Apache-2.0 */
/* Text from the input inside a page: nothing in a name may become markup, script or an unseen character. */
#ifndef IO_HTML_H
#define IO_HTML_H

#include "write_buffer.h"

/* Text between tags or inside a quoted attribute: & < > " ' are written as entities; controls, characters that turn the
 * direction of writing, and what is not UTF-8 become U+FFFD. */
void html_text(write_buffer *b, karp_str text);
void html_words(write_buffer *b, const char *text);

/* JSON inside a script element: < > & become \u escapes, so that no string in it can end the element. */
void html_json(write_buffer *b, karp_str json);

/* "3.4", "0.15": at most two decimals. */
void html_number(write_buffer *b, double value);

#endif
