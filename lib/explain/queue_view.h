/* SPDX-License-Identifier: Apache-2.0 */
/* A snapshot in which every pending pod is in a group: the workloads of karp_admit(). */
#pragma once

#include <model/groups.h>
#include <schedule/workloads.h>

typedef struct queue_view {
    const karp_snapshot *snapshot; /* the unchanged one */
    karp_snapshot view;
    arena data;
    const uint32_t *pending; /* pods of the queue */
    uint32_t pending_count;
    struct workloads workloads;
    uint32_t *roots; /* the workloads, in the order of the queue */
    uint32_t root_count;
    karp_str *kinds; /* by group */
} queue_view;

/* Whatever the result is, call queue_view_free(). false = out of memory. */
bool queue_view_init(queue_view *q, const karp_snapshot *snapshot);
void queue_view_free(queue_view *q);
/* Asks about the workloads of that name alone, and about those that have a group of that name. */
karp_status queue_view_ask_only(queue_view *q, karp_str name, karp_error *error);
/* Forgets the workloads that are not asked about; their rounds are over. */
void queue_view_drop_others(queue_view *q);
/* The kind of a group, or of what it is for, as answers have it. */
const char *queue_view_kind(const member_group *g);
/* The topmost group above this one. */
uint32_t queue_view_root(const queue_view *q, uint32_t group);
