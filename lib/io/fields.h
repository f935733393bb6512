/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notes fields that do not exist and versions that are not known, each once. An API server would have rejected or
 * dropped them silently.
 */
#ifndef IO_FIELDS_H
#define IO_FIELDS_H

#include <io/reader.h>

/* Notes the object's fields that its kind does not have. An object with a uid or a resourceVersion comes from an API
 * server and is not checked. */
karp_status io_note_fields(karp_reader *reader, const io_kind_info *info, const tree *root, const io_place *place);

/* Notes an unknown version of the kind, which is read as a known one. */
karp_status io_note_version(karp_reader *reader, const io_kind_info *info, karp_str api_version);

#endif
