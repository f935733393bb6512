/* SPDX-License-Identifier: Apache-2.0 */
/* Label groups: pods of one namespace whose labels no selector tells apart (scheduling.md §14.5). */
#ifndef SCHEDULE_LABEL_GROUPS_H
#define SCHEDULE_LABEL_GROUPS_H

#include <schedule/common.h>

/* Pods that every selector sees alike: a namespace and the labels that selectors read. */
typedef struct label_group {
    uint32_t name_space, labels;
    uint32_t *counted_by; /* groups that select it, for recording (not the inverse ones) */
    uint32_t counted_count, counted_capacity;
    uint32_t *barred_by; /* inverse groups that select it */
    uint32_t barred_count, barred_capacity;
    bool barred_elsewhere; /* some of them are about other keys than host names */
    uint32_t *spared_by; /* inverse groups that leave it out of a wide one among the above */
    uint32_t spared_count, spared_capacity;
} label_group;

typedef struct group group;

/* Makes them, and says of each class which one it is of. */
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

/* Those that have the rarest of the labels which the group's selector asks for; all of them when it asks for none. Every label group
 * that the group selects is among them. Empty and s->failed when memory runs out. */
label_group_list label_groups_for(scheduler *s, const group *g);

/* How many label groups have a label that the selector must not find, some of them counted more than once, if that is at most `most`;
 * their numbers, in no order, go to `out` unless it is NULL. More than `most`: there are more. Sets s->failed when memory runs out. */
uint32_t label_groups_left_out(scheduler *s, const selector *x, uint32_t most, uint32_t *out);

#endif
