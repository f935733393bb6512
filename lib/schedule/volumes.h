/* SPDX-License-Identifier: Apache-2.0 */
/* CSI volume limits of existing nodes (scheduling.md §13.4). */
#ifndef SCHEDULE_VOLUMES_H
#define SCHEDULE_VOLUMES_H

#include <schedule/scheduler.h>

/* A claim that a node or a class of pods holds. */
typedef struct volume_use {
    uint32_t driver, name_space, claim;
} volume_use;

/* Whether the node stays within every limit it has with the volumes of one more pod of the class. */
bool volumes_within(scheduler *s, host *h, uint32_t class_number);
bool volumes_take(scheduler *s, host *h, uint32_t class_number);
void volumes_undo(host *h); /* leaves the volumes of bound pods */
void volumes_free(scheduler *s, host *h);
/* Whether the volumes alone keep pods of the class from every node. */
bool volumes_rule_out(const scheduler *s, uint32_t class_number);

#endif
