/* SPDX-License-Identifier: Apache-2.0 */
/** @file taints.h  Taints and tolerations (scheduling.md 8). */
#ifndef REFERENCE_TAINTS_H
#define REFERENCE_TAINTS_H

#include "document.h"

struct taint {
    const char *key, *value, *effect;
};

struct taints {
    struct taint *items;
    size_t count;
};

struct toleration {
    const char *key, *op, *value, *effect;
    bool has_seconds;
    int64_t seconds;
};

struct tolerations {
    struct toleration *items;
    size_t count;
};

struct taints ref_taints_read(const json_t *array);
struct tolerations ref_tolerations_read(const json_t *array);
/** Every taint is tolerated by something. */
bool ref_tolerates(struct tolerations tolerations, struct taints taints);
/** Adds {Exists, PreferNoSchedule} to a copy; false if it is there literally. */
bool ref_tolerate_prefer_no_schedule(struct tolerations *tolerations);
/** Without what goes away by itself while a node starts: ephemeral taints and @p startup ones. */
struct taints ref_taints_lasting(struct taints taints, struct taints startup);

#endif
