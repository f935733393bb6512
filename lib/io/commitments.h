/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commitments of a Prices object (docs/prices.md): a number of nodes, CPUs or dollars per hour that is paid for
 * whether it is used or not.
 */
#ifndef IO_COMMITMENTS_H
#define IO_COMMITMENTS_H

#include <io/reader.h>

typedef enum io_unit { IO_UNIT_NODES, IO_UNIT_VCPUS, IO_UNIT_SPEND, IO_UNITS } io_unit;

typedef struct io_commitment {
    karp_str name;
    const karp_requirement *requirements;
    size_t requirement_count;
    io_unit unit;
    double amount;
    double price; /* per unit and hour */
    double factor; /* only for IO_UNIT_SPEND: a covered node uses its price times this factor */
    double used; /* part of the amount that existing nodes use */
} io_commitment;

/* Applies the commitments to the given catalogues and notes their cost. All nodes and pods must be known. */
karp_status io_lay_commitments(karp_reader *reader, io_commitment *list, size_t count);

#endif
