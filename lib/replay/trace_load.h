/* SPDX-License-Identifier: Apache-2.0 */
/* A document of kind Load while its load is generated. Fields that are wrong are errors of the story. */
#pragma once

#include <replay/story.h>
#include <replay/trace_workloads.h>

#define MINUTE (60 * SECOND)
#define DAY (1440 * MINUTE)

enum { LOAD_REPLICAS_MOST = 100000 };

typedef struct load {
    trace *t;
    story *s;
    workloads w;
    int64_t length, step;
    uint64_t seed;
} load;

/* From 0 to 1, the same for the same seed and numbers. */
double load_draw(const load *l, uint64_t a, uint64_t b);

/* The error that a field is wrong; always false. `where`: what the field is a member of; "" = of the document. */
bool load_bad(load *l, const char *where, const char *name, const char *message);
/* Checks that there are only the listed members; each name in the list is followed by a space. */
bool load_members(load *l, const tree *map, const char *where, const char *names);
bool load_whole(load *l, const tree *map, const char *name, int64_t absent, int64_t most, const char *where,
                int64_t *out);
bool load_part(load *l, const tree *map, const char *name, double absent, const char *where, double *out);
bool load_duration(load *l, const tree *map, const char *name, int64_t absent, const char *where, int64_t *out);
karp_status load_named(load *l, const tree *given, const char *where, karp_str *name, karp_str *namespace_);
/* The given pod template, or one with a container that requests cpu and memory. */
tree *load_pod(load *l, const tree *given, const char *kind, karp_str name, karp_str namespace_);

/* trace_cron.c: the Jobs of cronJobs[index]. */
karp_status load_cron_job(load *l, const tree *given, size_t index, uint64_t number);
