/* SPDX-License-Identifier: Apache-2.0 */
/* Translates ids of one catalogue to ids of the snapshot. */
#pragma once

#include <model/snapshot.h>

struct translation {
    const karp_catalogue *of;
    const uint32_t *text, *resources;
    uint32_t *requirements, *sets; /* by index of a requirement, of a list; NO_ID = not translated yet */
};

/* The arrays are in the snapshot's arena. false = out of memory. */
bool translate(karp_snapshot *s, const karp_catalogue *c, struct translation *out);
/* The requirement set of a list of the catalogue, without host names. NO_ID = out of memory. */
uint32_t translate_set(karp_snapshot *s, const struct translation *t, uint32_t list);
/* A type's devices, in the snapshot's arena. `text` maps the catalogue's ids. NULL = out of memory. */
const struct type_devices *translate_type_devices(karp_snapshot *s, const uint32_t *text,
                                                  const struct type_devices *given);
