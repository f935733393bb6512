/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The builder fills a store, one object per call. A call builds its record from pieces in the store's arena and
 * commits it in its last step that can fail. So a failed call leaves only interned strings behind.
 */
#pragma once

#include <base/in_use.h>
#include <model/copy.h>

struct karp_builder {
    karp_context *context; /* one reference */
    store s; /* zeroed after finishing: see builder_ready() */
    arena scratch; /* empty between calls */
    shape_key key; /* identity of the shape being read */
    uint64_t types; /* number of instance types in the catalogues so far; each catalogue is counted once */
    LIST_OF(removed_object) removed; /* objects that finishing removes */
    karp_snapshot *before; /* the snapshot that this one continues, one reference; NULL = none */
    bool alone; /* it is known that nobody else has `before` */
    in_use use;
};

/* The beginning of a call that changes a builder; it ends with builder_leave(), which returns the status. */
karp_status builder_enter(karp_builder *builder, karp_error *error);
karp_status builder_leave(karp_builder *builder, karp_status status);

/* A builder with this store, which it owns in any case. NULL = out of memory. */
karp_builder *builder_of(karp_context *context, store *s);
/* Makes the store of a builder that was finished; most builders are not used again. false = out of memory. */
bool builder_ready(karp_builder *builder);
/* Moves the store out and leaves an empty builder. The store has no reference to the context. */
void builder_take_store(karp_builder *builder, store *out);

/* The state of a call that adds an object. */
typedef struct adding {
    karp_builder *b;
    copier c; /* copies into the store's arena */
    enum kind kind;
    const char *kind_name;
    karp_str shown_namespace, shown_name; /* for errors */
    uint32_t name_space, name; /* text id (NO_TEXT: cluster-wide), names id */
    uint32_t identity[5];
    size_t identity_count;
    arena_mark mark; /* the arena's position to which a failure returns */
    bool entered; /* false = another call uses the builder: it is not touched */
} adding;

enum scope { CLUSTER_WIDE, NAMESPACED };

/* Begins a call that adds or changes an object, and interns the name and checks for a duplicate, unless another call
 * uses the builder: then a->entered is false, and the call ends with adding_end(). `more` has up to two words that are
 * part of the identity, in addition to kind, namespace and name. */
void adding_begin(adding *a, karp_builder *b, enum kind kind, const char *kind_name, const karp_meta *meta,
                  enum scope scope, const uint32_t *more, size_t more_count, karp_error *error);
/* The same without a name: for a template, for a change of an object, or where adding_name() follows. */
void adding_begin_unnamed(adding *a, karp_builder *b, enum kind kind, const char *kind_name, const karp_meta *meta,
                          enum scope scope, karp_error *error);
/* Sets a->name and the identity, in the namespace a->name_space. */
void adding_name(adding *a, karp_str name, const uint32_t *more, size_t more_count);
/* For kinds whose identity is kind, namespace and name: copies the caller's struct to *own and begins. Fails when the
 * struct's size is invalid. Later failures are recorded in a->c.status. */
karp_status adding_open(adding *a, karp_builder *b, enum kind kind, const void *given, void *own, karp_error *error);
/* Appends the record to the list, or undoes the call if something failed. */
karp_status adding_finish(adding *a, void *list, const void *record, size_t record_bytes);
/* Writes the record over that of an object of a->kind, or undoes the call if something failed. */
karp_status adding_finish_change(adding *a, void *list, uint32_t index, const void *record, size_t record_bytes);
karp_status adding_finish_pod(adding *a, const pod *p, karp_str shown);
/* Interns the template; *out receives its number. */
karp_status adding_finish_template(adding *a, const pod_shared *shared, uint32_t *out);
/* Completes a call, or undoes it if anything failed. */
karp_status adding_end(adding *a);
object copy_meta(adding *a, const karp_meta *meta);
uint32_t copy_name(adding *a, karp_str text); /* names id */
/* Checks a list against the context's limit on elements. */
void check_limit(adding *a, size_t count, uint64_t most, const char *what);

/* Drops what was given for one decision only: states of nodes, pods to place, reservations that get free, and the kind
 * of the decision. */
void builder_forget_state(karp_builder *builder);

/* Writes over a PodDisruptionBudget. false = out of memory. */
bool builder_set_budget(karp_builder *builder, uint32_t index, const disruption_budget *now);

/* ---- pods (builder_requests.c) ----------------------------------------------------------------------------------- */

enum pod_source { POD_ITSELF, DAEMON_TEMPLATE, BUFFER_TEMPLATE };

/* The pod's requests, including pods: 1, in the builder's scratch arena. */
resource_list pod_requests(adding *a, const karp_pod *given, enum pod_source source, beside_requests *beside);

/* The pod is created again: it requests what was predicted. false = out of memory. */
bool builder_create_again(karp_builder *builder, uint32_t name_space, uint32_t name);

/* ---- pods (builder_devices.c) ------------------------------------------------------------------------------------ */

/* The id of the pod's resource claims in store.claim_names. */
uint32_t intern_pod_claims(adding *a, const karp_pod *given);
