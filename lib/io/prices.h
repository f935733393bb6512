/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of kind Prices (docs/prices.md), which state prices that differ from the catalogues'. */
#ifndef IO_PRICES_H
#define IO_PRICES_H

#include <io/reader.h>

/* Checks a Prices object while its text is in memory. Failures are recorded in the decoder. */
karp_status io_check_prices(io_decoder *d, const tree *root);

/* Likewise checks the requirements of a rule or commitment for keys and capacity types that no offering can have. */
void io_check_price_requirements(io_decoder *d, const karp_requirement *list, size_t count);

/* Compares the requirements with the catalogues and notes what these do not have. `list` and `index` are the rule's
 * position in the spec. */
karp_status io_check_price_matches(karp_reader *reader, const io_waiting *w, const char *list, size_t index,
                                   const karp_requirement *requirements, size_t count);

/* Called after all Prices objects have been read. From then on it is known whether they contain commitments. */
void io_settle_prices(karp_reader *reader);

/* Applies all Prices objects to the given catalogues, before these are passed to the builder. */
karp_status io_price_catalogues(karp_reader *reader);

#endif
