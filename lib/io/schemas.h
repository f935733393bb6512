/* SPDX-License-Identifier: Apache-2.0 */
/* Which fields and versions the kinds of manifests have. What an object has besides is not understood. */
#pragma once

#include <records/record.h>

#include <io/kinds.h>

/* The record whose names are all that an object of the kind may have; NULL = they are not known. */
const record *io_schema_of(const io_kind_info *info);
/* Of a NodeOverlay under the preview price-expression. */
extern const record io_previewed_overlay;
/* Of a CapacityBuffer under the preview one-shot-buffers. */
extern const record io_previewed_buffer;
/* Likewise of a node class, which has no entry of its own among the kinds. */
const record *io_schema_of_class(karp_str group, karp_str kind);

/* The only kind of node classes in the group of a built-in provider; NULL = it is another group. */
const char *io_class_kind_of(karp_str group);

/* Whether API servers have had this version of the kind, and it is read as the one of the kind's row. */
bool io_was_version(const io_kind_info *info, karp_str version);

/* Whether the kind is one of a group of Kubernetes itself that decisions do not need. *of_kubernetes: whether the group
 * is. */
bool io_is_plain_kind(karp_str api_version, karp_str kind, bool *of_kubernetes);
