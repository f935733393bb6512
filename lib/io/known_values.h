/* SPDX-License-Identifier: Apache-2.0 */
/* Labels and values that no instance type or offering of the catalogues has: what asks for them is misspelt more often than not. */
#ifndef IO_KNOWN_VALUES_H
#define IO_KNOWN_VALUES_H

#include <base/nearest.h>
#include <io/reader.h>

/* "; did you mean spot?", or nothing. Returns `text`. */
enum { MEANT = 160 };
const char *io_meant(const nearest *near, char text[MEANT]);

/* Whether a type or offering has the label; if not, the most similar one is offered to `near`. */
bool io_is_had(const karp_reader *reader, karp_str key, nearest *near);

/* Values that nothing has, of a label that something has. */
typedef struct io_absent {
    size_t count;
    char list[256]; /* "a, b, c, d and 3 more" */
    char meant[MEANT]; /* of the only one, as io_meant() */
} io_absent;
karp_status io_find_absent(karp_reader *reader, const karp_requirement *asked, io_absent *out);

/* A list of values that NodePools ask for. */
typedef struct io_pool_values {
    karp_str pool; /* the first that asks for them */
    size_t pools;
    karp_requirement asked;
    bool others; /* values were left out */
} io_pool_values;

/* Keeps what a NodePool asks for until the catalogues are known. */
karp_status io_values_pool(karp_reader *reader, const karp_node_pool *pool);
/* Notes what of it no type has, if there are other values that some have: a decision says itself that none meets a requirement. */
karp_status io_values_tell(karp_reader *reader);
/* Whether a note is one of these, which karp_lint_snapshot() finds as well. */
bool io_is_of_values(karp_str note);

#endif
