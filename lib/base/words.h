/* SPDX-License-Identifier: Apache-2.0 */
/* Where lines of text for people are broken: between units, which are words, or words that belong together. */
#pragma once

#include <base/str.h>

/* Text that a terminal shows in no columns: the bytes of a colour sequence at the beginning; 0 = there is none. */
size_t escape_length(karp_str text);

/* The usual most columns of a unit of several words, so that no line ends much too early. */
enum { UNIT_MOST = 30 };
/* The same in lines of `width` columns that begin at `indent`. */
size_t unit_most(size_t width, size_t indent);

/* The unit that begins at *at, after spaces and line ends, and moves *at behind it; "" = the end. Words belong together
 * after an article, "no", "not" or a number ("no storage class", "730 h"), and within brackets or quotation marks,
 * unless the unit would have more than `most` columns. */
karp_str unit_next(karp_str text, size_t *at, size_t most);

/* Whether the space at `at` is one within a unit. The text begins with that unit, or with one before it. */
bool unit_goes_on(karp_str text, size_t at, size_t most);

/* Receives pieces of laid-out text: units, spaces and line ends. */
typedef void word_sink(void *user, karp_str piece);

/* Writes the text from column `at` on, in lines of at most `width` columns; further ones begin at `indent`. Only a unit
 * that has no place in a line is longer. Several spaces between units stay. */
void lay_words(karp_str text, size_t at, size_t indent, size_t width, word_sink *put, void *user);
