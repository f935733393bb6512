/* SPDX-License-Identifier: Apache-2.0 */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fuzz_world_open(fuzz_world *w, json_t *tree)
{
    memset(w, 0, sizeof *w);
    w->tree = tree;
    char *text = json_dumps(tree, JSON_COMPACT);
    if (text == NULL) return;
    w->context = metered_context(&w->memory);
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_status status = karp_reader_new(w->context, NULL, &w->reader, &error);
    if (status == KARP_OK) status = karp_reader_add(w->reader, fuzz_str("world.json"), fuzz_str(text), &error);
    if (status == KARP_OK) status = karp_reader_finish(w->reader, &w->snapshot, &error);
    free(text);
    check_result(status, w->snapshot, &error);
    if (status != KARP_OK && status != KARP_E_LIMIT && status != KARP_E_NOMEM) {
        fprintf(stderr, "%s %s: %s\n", error.object, error.field, error.message);
        broken("a world can be read");
    }
}

void fuzz_world_close(fuzz_world *w)
{
    karp_snapshot_unref(w->snapshot);
    karp_reader_free(w->reader);
    karp_context_unref(w->context);
    check_meter(&w->memory);
    json_decref(w->tree);
}
