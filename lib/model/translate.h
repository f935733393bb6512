/* SPDX-License-Identifier: Apache-2.0 */
/* Ids of one catalogue -> ids of the snapshot. */
#ifndef MODEL_TRANSLATE_H
#define MODEL_TRANSLATE_H

#include <model/snapshot.h>

struct translation {
    const uint32_t *text, *resources;
};

/* In the snapshot's arena; false = refused. */
bool translate(karp_snapshot *s, const karp_catalogue *c, struct translation *out);
/* The set of a catalogue's expressions, host names left out; NO_ID = refused. */
uint32_t translate_set(karp_snapshot *s, const struct translation *t, expression_list list);

#endif
