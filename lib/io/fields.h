/* SPDX-License-Identifier: Apache-2.0 */
/* What an API server would have refused or dropped without a word to the decision: fields that do not exist, versions that
 * are not known. Noted, once each. */
#ifndef IO_FIELDS_H
#define IO_FIELDS_H

#include <io/reader.h>

/* Notes what the object says beyond its kind's fields. An object with a uid or a resourceVersion comes from an API server and
 * is not looked at. */
karp_status io_note_fields(karp_reader *reader, const io_kind_info *info, const tree *root, const io_place *place);

/* Notes a version of the kind that is read as another. */
karp_status io_note_version(karp_reader *reader, const io_kind_info *info, karp_str api_version);

#endif
