/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of kind Prices (docs/prices.md): what is paid otherwise than the catalogues say. */
#ifndef IO_PRICES_H
#define IO_PRICES_H

#include <io/reader.h>

/* Checks one while its text is at hand; failures are in the decoder. */
karp_status io_check_prices(io_decoder *d, const tree *root);

/* Requirements of a rule or commitment, likewise: keys and capacity types that no offering can have. */
void io_check_price_requirements(io_decoder *d, const karp_requirement *list, size_t count);

/* The same beside the catalogues: notes what they do not have. `list` and `index` are the rule's place in the spec. */
karp_status io_check_price_matches(karp_reader *reader, const io_waiting *w, const char *list, size_t index,
                                   const karp_requirement *requirements, size_t count);

/* All of them have been read: whether they have commitments is known from here on. */
void io_settle_prices(karp_reader *reader);

/* Lays all of them over the catalogues that were given, before these go to the builder. */
karp_status io_price_catalogues(karp_reader *reader);

#endif
