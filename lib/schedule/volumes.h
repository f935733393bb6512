/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CSI volume limits of existing nodes, and the attachment limits of the instance types of
 * launches (K15-1).
 */
#pragma once

#include <schedule/claims.h>
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
    struct volume_counts *counts; /* see volumes.c */
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
/* The number of recorded volumes, and going back to an earlier number. */
size_t volumes_held(const host *h);
void volumes_shrink(host *h, size_t count);
void volumes_undo(host *h); /* keeps the volumes of bound pods */
void volumes_free(scheduler *s, host *h);
/* Whether its volumes keep the class's pods from every node. */
bool volumes_rule_out(const scheduler *s, uint32_t class_number);

/* ---- launches ---------------------------------------------------------------------------------------------------- */

bool launch_volumes_init(scheduler *s);
/* Whether pods of the class have volumes of a driver that some instance type limits. */
bool launch_volumes_limited(scheduler *s, uint32_t class_number);
/* The types of the set that can attach the claim's volumes and those of one more pod of the class. NO_ID when
 * `failed`. */
uint32_t launch_volumes_narrow(scheduler *s, const claim *c, uint32_t class_number, uint32_t types);
/* Adds the volumes of a pod of the class to the claim. false = out of memory. */
bool launch_volumes_take(scheduler *s, claim *c, uint32_t class_number);
/* The driver that alone excludes every type of the set, the number of its volumes on the launch, and the largest
 * limit. false = no single driver excludes all. */
bool launch_volumes_blame(scheduler *s, const claim *c, uint32_t class_number, uint32_t types, uint32_t *driver,
                          uint32_t *count, int64_t *limit);
