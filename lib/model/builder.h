/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The builder: fills a store, one object a call. A call builds its record from pieces in the store's arena and commits
 * it with its last fallible step, so that a failure leaves nothing but interned strings behind.
 */
#ifndef MODEL_BUILDER_H
#define MODEL_BUILDER_H

#include <model/copy.h>

struct karp_builder {
    karp_context *context; /* held */
    store s;
    arena scratch; /* empty between calls */
    word_buffer key; /* identity of the shape being read */
    uint64_t types; /* in the catalogues given so far, each catalogue counted once */
    LIST_OF(removed_object) removed; /* what finishing leaves out */
    karp_snapshot *before; /* the snapshot that this one continues, held; NULL = none */
    LIST_OF(pod) templates; /* what their pods have in common; the rest is not set */
};

store *builder_store(karp_builder *builder);
/* Moves the store out and leaves an empty builder. The store does not hold the context. On failure nothing moves. */
karp_status builder_take_store(karp_builder *builder, store *out, karp_error *error);

/* One call that adds an object. */
typedef struct adding {
    karp_builder *b;
    copier c; /* into the store's arena */
    enum kind kind;
    const char *kind_name;
    karp_str shown_namespace, shown_name; /* for errors */
    uint32_t name_space, name; /* text id (NO_TEXT: cluster-wide), names id */
    uint32_t identity[5];
    size_t identity_count;
    arena_mark mark; /* where a failure goes back to */
} adding;

enum scope { CLUSTER_WIDE, NAMESPACED };

/* Interns the name and looks for a duplicate; `more` are up to two words of identity beyond kind, namespace, name. */
void adding_begin(adding *a, karp_builder *b, enum kind kind, const char *kind_name, const karp_meta *meta,
                  enum scope scope, const uint32_t *more, size_t more_count, karp_error *error);
/* For what has no name of its own in the input: ends with adding_finish_unnamed(). */
void adding_begin_unnamed(adding *a, karp_builder *b, enum kind kind, const char *kind_name, const karp_meta *meta,
                          enum scope scope, karp_error *error);
/* Copies the caller's struct to *own and begins, for kinds that need no more identity. Fails when the struct's size is
 * impossible; what fails later is in a->c.status. */
karp_status adding_open(adding *a, karp_builder *b, enum kind kind, const void *given, void *own, karp_error *error);
/* Appends the record to the list, or undoes the call if anything failed. */
karp_status adding_finish(adding *a, void *list, const void *record, size_t record_bytes);
karp_status adding_finish_pod(adding *a, const pod *p, karp_str shown);
karp_status adding_finish_unnamed(adding *a, void *list, const void *record, size_t record_bytes);
object copy_meta(adding *a, const karp_meta *meta);
/* The object's uid, or a text that identifies it as well; may live in the builder's scratch. */
karp_str uid_text(adding *a, const karp_meta *meta);
uint32_t copy_name(adding *a, karp_str text); /* names id */
/* The context's limit on objects of a list. */
void check_limit(adding *a, size_t count, uint64_t most, const char *what);

/* ---- pods (builder_requests.c) ---- */

enum pod_source { POD_ITSELF, DAEMON_TEMPLATE, BUFFER_TEMPLATE };

/* Requests of scheduling.md §3 with pods: 1, in the builder's scratch. */
resource_list pod_requests(adding *a, const karp_pod *given, enum pod_source source);

/* builder_devices.c: the id of the pod's resource claims in store.claim_names. */
uint32_t intern_pod_claims(adding *a, const karp_pod *given);

#endif
