/* SPDX-License-Identifier: Apache-2.0 */
/* Label groups: pods of one namespace whose labels no selector distinguishes. */
#pragma once

#include <schedule/common.h>

/* A namespace, and those labels of its pods that selectors read. */
typedef struct label_group {
    uint32_t name_space, labels;
    uint32_t *counted_by; /* groups that select it, for recording (not the inverse ones) */
    uint32_t counted_count, counted_capacity;
    uint32_t *barred_by; /* inverse groups that select it */
    uint32_t barred_count, barred_capacity;
    bool barred_elsewhere; /* some of them have keys other than host names */
    uint32_t *spared_by; /* among those wide inverse groups, narrower ones that exclude it */
    uint32_t spared_count, spared_capacity;
} label_group;

typedef struct group group;

/* Creates the label groups and assigns one to each class. */
bool label_groups_init(scheduler *s);
void label_groups_free(scheduler *s);

label_list label_group_labels(const scheduler *s, const label_group *k);

/* Numbers of label groups in ascending order. */
typedef struct label_group_list {
    const uint32_t *items; /* NULL: 0, 1, 2 … */
    uint32_t count;
} label_group_list;

static inline uint32_t label_group_list_at(label_group_list list, uint32_t i)
{
    return list.items == NULL ? i : list.items[i];
}

/* The label groups that have the rarest of the labels that the group's selector requires; all label groups if it
 * requires none. Every label group that the group selects is among them. Empty, with s->failed set, when out of
 * memory. */
label_group_list label_groups_for(scheduler *s, const group *g);
