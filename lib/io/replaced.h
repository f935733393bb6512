/* SPDX-License-Identifier: Apache-2.0 */
/* NodePools and node classes that are replaced, and the nodes that drift because of it. */
#pragma once

#include <io/fill.h>

/* Remembers the object of before, if nodes are launched from its kind. `number`: of the deferred object. */
karp_status io_note_replaced(karp_reader *reader, uint32_t number, const tree *before);
/* The deferred objects have new numbers: moved[number before], IO_NONE = it is gone. */
void io_replaced_moved(karp_reader *reader, const uint32_t *moved);
/* Whether the node class changed so that its nodes drift, from one spec to the other. *selects receives whether a term
 * changed that selects what the cloud has: then it depends on that. */
bool io_class_changed(const tree *before, const tree *after, bool *selects);
/* Sets the condition Drifted of nodes whose NodePool or node class was replaced, and notes it. */
karp_status io_drift_replaced(karp_reader *reader, io_filler *filler, karp_snapshot **snapshot);
