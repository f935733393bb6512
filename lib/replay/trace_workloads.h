/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads of a trace: what is said of Deployments, Jobs and the like becomes events of their pods. */
#ifndef REPLAY_TRACE_WORKLOADS_H
#define REPLAY_TRACE_WORKLOADS_H

#include <json/tree.h>
#include <karp/replay.h>
#include <replay/trace.h>

typedef struct workload {
    karp_str kind, namespace_, name;
    uint32_t shape;
    uint32_t round; /* how often its template was another: pods of each have their own names */
    uint64_t pods; /* that there are: numbers from 0 */
    bool there;
} workload;

/* How long pod `number` of a workload whose pods end by themselves runs; KARP_DURATION_UNSET = without end. */
typedef int64_t workload_lasts(void *user, const workload *w, const tree *object, uint64_t number);

typedef struct workloads {
    trace *t;
    trees memory;
    io_table index; /* "kind namespace/name" -> list */
    workload *list;
    size_t count, capacity;
    karp_error *error;
    karp_str document, text; /* whose trees are read: for the lines of errors */
    size_t told; /* the place in it whose line was asked for last … */
    uint32_t line; /* … and how many lines are before it */
    char event[32]; /* "events[3]." where there are no lines; "" else */
    bool lenient;
    workload_lasts *lasts;
    void *user;
} workloads;

karp_status workloads_init(workloads *w, trace *t, karp_str document, karp_str text, bool lenient, karp_error *error);
void workloads_free(workloads *w);

/* A fault at a tree of the text: an error with its line, the path of the field before the message; when lenient, a note. */
karp_status workloads_fault(workloads *w, const tree *at, const char *field, const char *why);

/* The object is there from now on, as it is here. Pods and what makes pods become events, other objects are kept for decisions: those
 * of the first instant from the start, later ones when they come. `template_path`: where its pod template is; NULL = as its kind has
 * it. Of an object that makes no pods nothing else is done. */
karp_status workloads_apply(workloads *w, int64_t at, const tree *object, const char *template_path);
/* `kind` "" = any. It is an error when there is none. */
karp_status workloads_scale(workloads *w, int64_t at, const tree *said, karp_str kind, karp_str key, int64_t replicas);
/* Likewise, of a kind that makes pods; `field` names it. */
karp_status workloads_delete(workloads *w, int64_t at, const tree *said, const char *field, karp_str kind,
                             karp_str namespace_, karp_str name);
/* The same of a workload that the caller describes by itself: `pod` is the Pod without a name. */
karp_status workloads_set(workloads *w, int64_t at, const tree *said, karp_str kind, karp_str namespace_, karp_str name,
                          tree *pod, uint64_t replicas, int64_t lasts);

#endif
