/* SPDX-License-Identifier: Apache-2.0 */
/* Writes text from the input into a page, so that no name can become markup, script or an invisible character. */
#pragma once

#include "write_buffer.h"

/* Text between tags or inside a quoted attribute. & < > " ' are written as entities. Control characters except
 * newlines, other invisible characters and invalid UTF-8 become U+FFFD. */
void html_text(write_buffer *b, karp_str text);
void html_words(write_buffer *b, const char *text);

/* JSON inside a script element. < > & become \u escapes, so that no string in it can end the element. */
void html_json(write_buffer *b, karp_str json);

/* A number with at most two decimals: "3.4", "0.15". */
void html_number(write_buffer *b, double value);
