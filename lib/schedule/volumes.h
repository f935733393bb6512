/* SPDX-License-Identifier: Apache-2.0 */
/* CSI volume limits of existing nodes (scheduling.md §13.4, K15-2). */
#ifndef SCHEDULE_VOLUMES_H
#define SCHEDULE_VOLUMES_H

#include <schedule/hosts.h>

/* A PersistentVolumeClaim that a node or a class of pods uses. */
typedef struct volume_use {
    uint32_t driver, name_space, claim;
} volume_use;

/* The claims of a class, each once. */
struct class_volumes {
    const volume_use *items;
    uint32_t count;
    bool found; /* all of them could be looked up */
};

struct volumes {
    struct volume_counts *counts; /* see launch_volumes.c */
    uint32_t limited_drivers; /* number of drivers with a limit on some type, if launches consider limits */
    bool limited; /* whether some node or type may have volume limits */
};

void volumes_init(scheduler *s);
/* Computed on first use; empty when no node and no type limits volumes. NULL = out of memory. */
const struct class_volumes *volumes_of_class(scheduler *s, uint32_t class_number);
/* Whether looking up the class's volumes fails, so that its pods fail too (K15-13). */
bool volumes_look_up_fails(const scheduler *s, uint32_t class_number);
/* Whether the node stays within all its limits with one more pod of the class. */
bool volumes_within(scheduler *s, host *h, uint32_t class_number);
bool volumes_take(scheduler *s, host *h, uint32_t class_number);
void volumes_undo(host *h); /* keeps the volumes of bound pods */
void volumes_free(scheduler *s, host *h);
/* Whether its volumes keep the class's pods from every node. */
bool volumes_rule_out(const scheduler *s, uint32_t class_number);

#endif
