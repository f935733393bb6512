/* SPDX-License-Identifier: Apache-2.0 */
/* Requirements of a catalogue's types and offerings, as they are read: what comes again is not copied again. */
#ifndef MODEL_CATALOGUE_LISTS_H
#define MODEL_CATALOGUE_LISTS_H

#include <model/catalogue.h>
#include <model/copy.h>

/* The number of the list. After a failure, which is in `c`, it means nothing. */
uint32_t read_list(copier *c, karp_catalogue *catalogue, const karp_requirement *given, size_t count);

#endif
