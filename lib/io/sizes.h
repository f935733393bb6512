/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Right sizes: what is recommended for containers, and the requests that follow (karp/requests.h). Amounts are exact.
 * sizes.c keeps what is known, size_usage.c and size_json.c read it from texts, size_owners.c finds the workloads it is
 * about, size_rule.c makes a request of it, and size_apply.c changes the input. Failures leave their error in
 * reader->error.
 */
#pragma once

#include <base/amount.h>
#include <io/reader.h>
#include <karp/requests.h>

enum { SIZE_CPU, SIZE_MEMORY, SIZE_RESOURCES };
extern const char *const io_size_resources[SIZE_RESOURCES]; /* "cpu", "memory" */

/* ---- amounts: exact.c -------------------------------------------------------------------------------------------- */

/* Reads a quantity that is not negative. false = it is none, or too large. */
bool io_exact(karp_str quantity, amount *out);
/* Rounds up to whole units of so many 10^-9; false = overflow. */
bool io_exact_up(amount *a, uint64_t unit);
/* The quantity of whole millicores or bytes. Returns the text. */
const char *io_exact_text(amount a, size_t resource, char text[KARP_VALUE_TEXT]);

/* ---- rules: size_rule.c ------------------------------------------------------------------------------------------ */

enum { SIZE_TARGET, SIZE_LOWER, SIZE_UPPER, SIZE_FIGURES };

typedef enum io_size_statistic { SIZE_OF_FIGURE, SIZE_PERCENTILE, SIZE_MEAN, SIZE_KEEP } io_size_statistic;

typedef struct io_size_rule {
    io_size_statistic statistic;
    uint32_t which; /* SIZE_TARGET …, or thousandths of a percent, 100000 = the largest */
    uint32_t more; /* hundredths of a percent that are added */
    amount least, most;
    bool has_least, has_most;
} io_size_rule;

/* What is known about a resource of a container. */
typedef struct io_size_known {
    amount figures[SIZE_FIGURES];
    bool has[SIZE_FIGURES];
    amount *samples;
    size_t count, room;
    karp_str of_figures, of_samples; /* where they are from; "" = there are none */
} io_size_known;

/* Parses a rule; `resource` has the defaults for "". false = it is none. */
bool io_size_rule_read(karp_str text, size_t resource, io_size_rule *out);
/* The request. false = nothing is known for it, or the rule keeps what is there. Errors: NOMEM, RANGE in *status. */
bool io_size_of(karp_context *context, const io_size_rule *rule, size_t resource, io_size_known *known, amount *out,
                karp_status *status);
/* "p95 of 2016 samples in usage.csv" */
void io_size_source(const io_size_rule *rule, size_t resource, const io_size_known *known, char *text, size_t room);

/* ---- what is known: sizes.c -------------------------------------------------------------------------------------- */

/* A container of a workload; before the workloads are known, of a pod or workload as a table names it. */
typedef struct io_size {
    karp_str kind, namespace_, name, container; /* kind "" = not known yet; container "" = the only one */
    bool is_pod; /* `name` is that of a pod */
    bool merged; /* what is known was added to the workload's */
    bool requests_only; /* by the policy of its VerticalPodAutoscaler, limits stay */
    io_size_known known[SIZE_RESOURCES];
    /* what follows */
    bool sized[SIZE_RESOURCES];
    amount wanted[SIZE_RESOURCES];
    bool met, changes; /* a container of this name was found; its requests change */
    bool init; /* it is an init container, which is a sidecar */
    uint32_t position; /* of the container in its list */
    karp_request_change change;
} io_size;

/* A workload that has sizes. */
typedef struct io_sized_workload {
    uint32_t first; /* in `chain` */
    uint32_t pods, resized, deferred, infeasible, not_resizable;
} io_sized_workload;

typedef struct io_sizes {
    io_size_rule rules[SIZE_RESOURCES];
    uint32_t limits; /* KARP_LIMITS_* */
    io_size *list;
    size_t count, capacity;
    io_table names; /* of each, by io_size_key() */
    io_table workloads; /* "Kind\nnamespace/name" -> index in `sized` */
    io_sized_workload *sized;
    size_t sized_count, sized_capacity;
    uint32_t *next; /* by size: the next one of its workload, plus 1; 0 = none */
    size_t next_count;
    io_table pods; /* "namespace/name" of pods with sizes -> index in `sized` */
    io_table elsewhere; /* "Kind\nnamespace/name" of workloads whose pods are not in the input */
    io_table their_pods; /* "namespace/name" of these pods -> number in `elsewhere` */
    /* Called when the requests are known, to change pods that are not in the input; NULL = there are none. */
    karp_status (*resize_elsewhere)(karp_reader *reader, void *user);
    void *user;
    uint32_t *changed; /* sizes that change something, in the order of the public getter */
    size_t changed_count;
    karp_status status; /* the first failure of a function that returns none; its error is in the reader */
} io_sizes;

/* The container with this name; it is made if it is not there. NULL = out of memory. */
io_size *io_size_at(karp_reader *reader, karp_str kind, karp_str namespace_, karp_str name, bool is_pod,
                    karp_str container);
bool io_size_add_sample(karp_reader *reader, io_size *s, size_t resource, amount value, karp_str source);
/* Does nothing if the figure is there already. */
void io_size_add_figure(io_size *s, size_t resource, size_t figure, amount value, karp_str source);
void io_sizes_free(karp_reader *reader);

/* ---- reading: size_usage.c, size_json.c -------------------------------------------------------------------------- */

/* `resource` SIZE_RESOURCES = the text says it. */
karp_status io_usage_read(karp_reader *reader, karp_str name, karp_str text, size_t resource);
/* The same of a text that is JSON. `source` is what notes call it. */
karp_status io_usage_json(karp_reader *reader, karp_str document, karp_str source, karp_str text, size_t resource);
/* The kind of a workload as tables write it, "deployment": "Deployment". Others are left as they are. */
karp_str io_usage_kind(karp_str word);

/* ---- workloads: size_owners.c ------------------------------------------------------------------------------------ */

/* Finds the workloads of what tables name, and adds what VerticalPodAutoscalers recommend. */
karp_status io_sizes_settle(karp_reader *reader);
/* The workload of a pod, or with this name, in `sized`; IO_NONE = it has no sizes. */
uint32_t io_sized_of_pod(karp_reader *reader, const tree *pod);
uint32_t io_sized_of(karp_reader *reader, karp_str kind, karp_str namespace_, karp_str name);

/* ---- pods that are not in the input, such as those of a trace */

/* The workload in `sized` of such a pod, which may lack a name; IO_NONE = it has no sizes. */
uint32_t io_sized_elsewhere(karp_reader *reader, const tree *pod);
/* Tells that there are pods like this one; its number for the next function. IO_NONE = without a workload, or out of
 * memory, which is in the sizes' status. Before karp_reader_finish(). */
uint32_t io_size_elsewhere(karp_reader *reader, const tree *pod);
/* One of these pods by its name. false = out of memory. */
bool io_size_name_elsewhere(karp_reader *reader, uint32_t number, karp_str namespace_, karp_str name);

/* ---- changing: size_apply.c -------------------------------------------------------------------------------------- */

/* Called after everything was read, before objects are added: changes templates and pods. Does nothing if requests are
 * not recommended. */
karp_status io_settle_sizes(karp_reader *reader);
/* A copy of the spec of a pod with its new requests; NULL = nothing changes, or a failure, which is in
 * sizes->status or in the trees. */
tree *io_resized_spec(karp_reader *reader, trees *t, uint32_t workload, const tree *spec);
/* Notes a pod that is added. */
void io_sizes_note_pod(karp_reader *reader, const tree *pod);
/* Called at the end: what was found of no use, and the list for the getters. */
karp_status io_sizes_end(karp_reader *reader);

/* What size_place.c does for size_apply.c: pods of the input. */

/* Changes the pods of the input: in place, or they are evicted. */
karp_status io_resize_pods(karp_reader *reader);
