/* SPDX-License-Identifier: Apache-2.0 */
/* Random worlds (tests/property/worlds.h), their choices made by the bytes: every input is a Snapshot that makes sense.
 */
#ifndef FUZZ_WORLD_H
#define FUZZ_WORLD_H

#include <jansson.h>

#include "harness.h"

typedef struct fuzz_world {
    meter memory;
    json_t *tree; /* the Snapshot, of the C library's memory */
    karp_context *context;
    karp_reader *reader;
    karp_snapshot *snapshot; /* NULL: more than the limits allow */
} fuzz_world;

/* Takes the tree over. Ends the process when the world cannot be read for another reason than a limit. */
void fuzz_world_open(fuzz_world *w, json_t *tree);

/* Checks that all of the library's memory is given back. */
void fuzz_world_close(fuzz_world *w);

#endif
