/* SPDX-License-Identifier: Apache-2.0 */
/* The label algebra on requirements and sets that the bytes choose, against answers worked out value by value. */
#include <stdio.h>
#include <stdlib.h>

#include <support/algebra_laws.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct bytes {
    const uint8_t *next, *end;
} bytes;

static uint32_t draw(void *user, uint32_t below)
{
    bytes *b = user;
    return b->next < b->end ? *b->next++ % below : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static law_world w;
    if (!law_world_open(&w)) return 0;
    bytes b = { data, data + size };
    w.draw = draw;
    w.user = &b;
    while (b.next < b.end) {
        const char *law = law_of_one_key(&w);
        if (law == NULL) law = law_of_sets(&w);
        if (law != NULL) {
            fprintf(stderr, "broken law: %s\n", law);
            abort();
        }
    }
    law_world_close(&w);
    return 0;
}
