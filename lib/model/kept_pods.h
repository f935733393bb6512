/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a snapshot takes over from the one it continues: the pods that are in both stand in the same order, whatever they are
 * ordered by, so that only those that are new have to find their places.
 */
#ifndef MODEL_KEPT_PODS_H
#define MODEL_KEPT_PODS_H

#include <model/snapshot.h>

struct kept_pods {
    const karp_snapshot *before;
    uint32_t *moved; /* by pod of `before`: what it is now, NO_ID = gone */
    uint32_t count;  /* how many were kept: they come first, in the order they had */
};

/* `began`: the pods that an edit begins with, the first of all in `before`; `removed` as in store_remove(). false = refused. */
bool kept_pods_find(struct kept_pods *k, const karp_snapshot *before, size_t began, const uint64_t *removed, size_t removed_count);
void kept_pods_free(struct kept_pods *k, karp_context *context);

/* Whether so many are new that everything may as well be ordered anew; always without a snapshot before. */
bool mostly_new(const karp_snapshot *s);
/* All pods in the order of `compare`, which `was` has for those of the snapshot before; equals in the order of the input. */
bool kept_order(const karp_snapshot *s, const uint32_t *was, uint32_t *out, int (*compare)(uint32_t a, uint32_t b, const void *user));

#endif
