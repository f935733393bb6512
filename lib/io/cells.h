/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of tables in text. White space within a line is spaces, tabs and a carriage return. */
#pragma once

#include <karp/base.h>
#include <stdbool.h>

static inline bool cell_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }
/* Without white space at both ends. */
karp_str cell_trimmed(karp_str text);
/* The next cell of CSV, which may contain commas if it is quoted. false = a quote is not closed, or is followed by
 * other text. */
bool cell_next(karp_str *line, karp_str *cell);
