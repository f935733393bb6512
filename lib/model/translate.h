/* SPDX-License-Identifier: Apache-2.0 */
/* Ids of one catalogue -> ids of the snapshot. */
#ifndef MODEL_TRANSLATE_H
#define MODEL_TRANSLATE_H

#include <model/snapshot.h>

struct translation {
    const karp_catalogue *of;
    const uint32_t *text, *resources;
    uint32_t *requirements, *sets; /* by number of a requirement, of a list; NO_ID = not asked for yet */
};

/* In the snapshot's arena; false = out of memory. */
bool translate(karp_snapshot *s, const karp_catalogue *c, struct translation *out);
/* The set of a list of the catalogue's, host names left out; NO_ID = out of memory. */
uint32_t translate_set(karp_snapshot *s, const struct translation *t, uint32_t list);

#endif
