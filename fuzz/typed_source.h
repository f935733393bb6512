/* SPDX-License-Identifier: Apache-2.0 */
/* Values and lists of values for the structs of karp/objects.h, drawn from bytes. */
#ifndef FUZZ_TYPED_SOURCE_H
#define FUZZ_TYPED_SOURCE_H

#include "harness.h"

typedef struct source {
    const uint8_t *next, *end;
    char *room; /* what the lists lie in */
    size_t used, size;
} source;

/* 0 … below - 1; 0 when the bytes are used up. */
uint32_t draw(source *s, uint32_t below);

/* Words that mean something, or a piece of the bytes. */
karp_str draw_text(source *s);
int64_t draw_number(source *s);

/* Zeroed room for `count` items; NULL, with the count set to 0, when there is none left. */
void *draw_room(source *s, size_t *count, size_t size);

/* Short lists; each sets its count. */
const karp_str *draw_texts(source *s, size_t *count);
const karp_label *draw_labels(source *s, size_t *count);
const karp_resource *draw_resources(source *s, size_t *count);
const karp_requirement *draw_requirements(source *s, size_t *count);
const karp_selector *draw_selector(source *s);
const karp_taint *draw_taints(source *s, size_t *count);
const karp_toleration *draw_tolerations(source *s, size_t *count);
const karp_condition *draw_conditions(source *s, size_t *count);
const karp_node_term *draw_node_terms(source *s, size_t *count);
karp_meta draw_meta(source *s);
karp_pod draw_pod(source *s);

#endif
