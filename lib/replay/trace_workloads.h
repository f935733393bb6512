/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads of a trace: converts changes of Deployments, Jobs and other workloads into events of their pods. */
#pragma once

#include <karp/replay.h>
#include <replay/trace.h>

typedef struct workload {
    karp_str kind, namespace_, name;
    uint32_t shape;
    uint32_t round; /* number of template changes; each template's pods have their own names */
    uint64_t pods; /* number of its pods: numbered from 0 */
    bool there;
    bool ordered; /* a StatefulSet that creates its pods one after another */
    bool shares_name; /* with an earlier workload of another kind: the names of its pods have the kind, too */
} workload;

/* The run time of pod `number` of a workload whose pods end by themselves; KARP_DURATION_UNSET = unlimited. */
typedef int64_t workload_lasts(void *user, const workload *w, const tree *object, uint64_t number);

typedef struct workloads {
    trace *t;
    trees memory;
    io_table index; /* "kind namespace/name" -> list */
    io_table names; /* "namespace/name" of all workloads */
    workload *list;
    size_t count, capacity;
    karp_error *error;
    karp_str document, text; /* the source of the trees, for line numbers in errors */
    size_t *line_ends; /* their positions in the text; NULL = not needed yet */
    size_t line_count;
    char event[32]; /* "events[3]." if there are no lines; otherwise "" */
    bool lenient;
    workload_lasts *lasts;
    void *user;
} workloads;

karp_status workloads_init(workloads *w, trace *t, karp_str document, karp_str text, bool lenient, karp_error *error);
void workloads_free(workloads *w);

/* Reports a fault at a tree of the text: an error with its line, and the field's path before the message; a note if
 * lenient. */
karp_status workloads_fault(workloads *w, const tree *at, const char *field, const char *why);

/* Adds or replaces the object. Pods and workloads become events. Other objects are kept for decisions: those of the
 * first time from the start, later ones from their event on. `template_path`: the path of its pod template; NULL = that
 * of its kind. For an object without pods nothing else happens. */
karp_status workloads_apply(workloads *w, int64_t at, const tree *object, const char *template_path);
/* `kind` "" = any. It is an error if the workload does not exist. */
karp_status workloads_scale(workloads *w, int64_t at, const tree *source, karp_str kind, karp_str key,
                            int64_t replicas);
/* Likewise, for a kind that has pods; `field` names it. */
karp_status workloads_delete(workloads *w, int64_t at, const tree *source, const char *field, karp_str kind,
                             karp_str namespace_, karp_str name);
/* The same for a workload without an object: `pod` is the Pod without a name. */
karp_status workloads_set(workloads *w, int64_t at, const tree *source, karp_str kind, karp_str namespace_,
                          karp_str name, tree *pod, uint64_t replicas, int64_t lasts);
