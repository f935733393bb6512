/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds labels and values that no instance type or offering of the catalogues has. A requirement on one of them is
 * usually a spelling mistake.
 */
#ifndef IO_KNOWN_VALUES_H
#define IO_KNOWN_VALUES_H

#include <base/nearest.h>
#include <io/reader.h>

/* Writes "; did you mean spot?", or nothing. Returns `text`. */
enum { MEANT = 160 };
const char *io_meant(const nearest *near, char text[MEANT]);

/* Whether a type or offering has the label. If not, similar labels are added to `near`. */
bool io_is_had(const karp_reader *reader, karp_str key, nearest *near);

/* Values of an existing label that no type or offering has. */
typedef struct io_absent {
    size_t count;
    char list[256]; /* "a, b, c, d and 3 more" */
    char meant[MEANT]; /* io_meant() of the value if there is only one */
} io_absent;
karp_status io_find_absent(karp_reader *reader, const karp_requirement *required, io_absent *out);

/* A list of values in requirements of NodePools. */
typedef struct io_pool_values {
    karp_str pool; /* name of the first pool with this requirement */
    size_t pools;
    karp_requirement required;
    bool others; /* some values were left out */
} io_pool_values;

/* Stores a NodePool's requirements until the catalogues are known. */
karp_status io_values_pool(karp_reader *reader, const karp_node_pool *pool);
/* Notes the values that no type has, if some types have other values of the list. If none has, the decision itself
 * reports that nothing meets the requirement. With no_lint_notes nothing
 * is noted: karp_lint_snapshot() reports the same. */
karp_status io_values_note(karp_reader *reader);

#endif
