/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the requirements of a catalogue's types and offerings. A repeated requirement or list is not copied again. */
#ifndef MODEL_CATALOGUE_LISTS_H
#define MODEL_CATALOGUE_LISTS_H

#include <model/catalogue.h>
#include <model/copy.h>

/* The index of the list. Invalid after a failure, which is recorded in `c`. */
uint32_t read_list(copier *c, karp_catalogue *catalogue, const karp_requirement *given, size_t count);

#endif
