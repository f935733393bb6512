/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds that are not read and of which the caller says that they create no pods: "Farm.example.com,*.example.org". */
#pragma once

#include <io/reader.h>

/* Reads `ignored_kinds` of the options. Errors: INVALID, NOMEM. */
karp_status io_ignored_read(karp_reader *reader);
bool io_is_ignored(const karp_reader *reader, karp_str api_version, karp_str kind);
