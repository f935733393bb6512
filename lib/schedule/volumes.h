/* SPDX-License-Identifier: Apache-2.0 */
/* CSI volume limits of existing nodes (scheduling.md §13.4, K15-2). */
#ifndef SCHEDULE_VOLUMES_H
#define SCHEDULE_VOLUMES_H

#include <schedule/hosts.h>

/* A claim that a node or a class of pods holds. */
typedef struct volume_use {
    uint32_t driver, name_space, claim;
} volume_use;

/* The claims of a class, each once. */
struct class_volumes {
    const volume_use *items;
    uint32_t count;
    bool found; /* all could be looked up */
};

struct volumes {
    struct volume_counts *counts; /* see launch_volumes.c */
    uint32_t limited_drivers; /* that some type limits, when that matters */
    bool limited; /* some node or type may limit volumes */
};

void volumes_init(scheduler *s);
/* Made when first asked for; NULL = out of memory. Empty when no node and no type limits volumes. */
const struct class_volumes *volumes_of_class(scheduler *s, uint32_t class_number);
/* Whether the look-up of the class's volumes fails, and with it the pods (K15-13). */
bool volumes_look_up_fails(const scheduler *s, uint32_t class_number);
/* Whether the node stays within every limit it has with the volumes of one more pod of the class. */
bool volumes_within(scheduler *s, host *h, uint32_t class_number);
bool volumes_take(scheduler *s, host *h, uint32_t class_number);
void volumes_undo(host *h); /* leaves the volumes of bound pods */
void volumes_free(scheduler *s, host *h);
/* Whether the volumes alone keep pods of the class from every node. */
bool volumes_rule_out(const scheduler *s, uint32_t class_number);

#endif
