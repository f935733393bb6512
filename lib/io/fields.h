/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notes what an API server would have rejected or dropped silently: fields that do not exist, unknown versions, and
 * values out of range that have no effect on decisions by themselves. Each is noted once.
 */
#ifndef IO_FIELDS_H
#define IO_FIELDS_H

#include <io/reader.h>

/* Notes the object's fields that its kind does not have. An object with a uid or a resourceVersion comes from an API
 * server and is not checked. */
karp_status io_note_fields(karp_reader *reader, const io_kind_info *info, const tree *root, const io_place *place);

/* Notes an unknown version of the kind, which is read as a known one. */
karp_status io_note_version(karp_reader *reader, const io_kind_info *info, karp_str api_version);

/* Note values out of range; each kind of value once. */
karp_status io_note_invalid_pod(karp_reader *reader, const karp_pod *pod);
karp_status io_note_invalid_pool(karp_reader *reader, const karp_node_pool *pool);

#endif
