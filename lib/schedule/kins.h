/* SPDX-License-Identifier: Apache-2.0 */
/* Kins: pods of one namespace whose labels no selector tells apart (scheduling.md §14.5). */
#ifndef SCHEDULE_KINS_H
#define SCHEDULE_KINS_H

#include <schedule/scheduler.h>

/* Makes them, and says of each class which one it is of. */
bool kins_init(scheduler *s);
void kins_free(scheduler *s);

label_list kin_labels(const scheduler *s, const kin *k);

/* Numbers of kins in ascending order. */
typedef struct kin_list {
    const uint32_t *items; /* NULL: 0, 1, 2 … */
    uint32_t count;
} kin_list;

static inline uint32_t kin_list_at(kin_list list, uint32_t i) { return list.items == NULL ? i : list.items[i]; }

/* Those that have the rarest of the labels which the group's selector asks for; all of them when it asks for none. Every kin
 * that the group selects is among them. Empty and s->failed when memory is refused. */
kin_list kins_for(scheduler *s, const group *g);

#endif
