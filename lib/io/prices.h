/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of kind Prices (docs/prices.md), which state prices that differ from the catalogues'. */
#pragma once

#include <io/reader.h>

/* Checks a Prices object. Failures are recorded in the decoder. */
void io_check_prices(io_decoder *d, const tree *root);

/* Likewise checks the requirements of a rule or commitment for keys and capacity types that no offering can have. */
void io_check_price_requirements(io_decoder *d, const karp_requirement *list, size_t count);

/* Compares the requirements with the catalogues and notes what these do not have. `list` and `index` are the rule's
 * position in the spec. */
karp_status io_check_price_matches(karp_reader *reader, const io_deferred *w, const char *list, size_t index,
                                   const karp_requirement *requirements, size_t count);

/* Called after all Prices objects have been read. From then on it is known whether they contain commitments. */
void io_settle_prices(karp_reader *reader);

/* Applies all Prices objects to the given catalogues, before these are passed to the builder. */
karp_status io_price_catalogues(karp_reader *reader);

/* ---- commitments: a number of nodes, CPUs or dollars per hour that is paid for, used or not ---------------------- */

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
