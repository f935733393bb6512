/* SPDX-License-Identifier: Apache-2.0 */
/* Commitments of a Prices object (docs/prices.md): so many nodes, CPUs or dollars an hour, paid whether used or not. */
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
    double price; /* per hour, of each unit */
    double factor; /* of spend: what a covered node takes of it is its price times this */
    double used; /* by existing nodes */
} io_commitment;

/* Lays them over the catalogues that were given, and says what they cost. All nodes and pods are known. */
karp_status io_lay_commitments(karp_reader *reader, io_commitment *list, size_t count);

#endif
