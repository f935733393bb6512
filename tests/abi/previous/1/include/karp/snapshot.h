/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file snapshot.h  The input of decisions. A builder takes objects in any order; a snapshot is the validated and
 * indexed objects.
 *
 * A builder belongs to one thread at a time. A snapshot is immutable and reference-counted; any number of threads may
 * decide on it at the same time. Everything in this file is since 1.0. settings.h and builder.h have what fewer
 * callers need, inspect.h what a snapshot says of itself.
 */
#ifndef KARP_SNAPSHOT_H
#define KARP_SNAPSHOT_H

#include <karp/catalogue.h>
#include <karp/objects.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Collects objects. It belongs to one thread at a time. */
typedef struct karp_builder karp_builder;

/**
 * The whole input of decisions. Immutable and reference-counted; any number of threads may decide on it at the same
 * time.
 */
typedef struct karp_snapshot karp_snapshot;

/** Makes an empty builder. The caller owns *@p out (karp_builder_free()). Errors: NOMEM. */
KARP_API karp_status karp_builder_new(karp_context *context, karp_builder **out, karp_error *error);

/** Frees a builder. NULL is allowed. */
KARP_API void karp_builder_free(karp_builder *builder);

/**
 * Sets the time of the snapshot, an instant in nanoseconds. The clock of the machine is not read. Default:
 * 2026-01-01T00:00:00Z. Errors: NOMEM, LIMIT, CANCELED, INVALID (KARP_NO_TIME).
 */
KARP_API karp_status karp_builder_set_now(karp_builder *builder, int64_t now, karp_error *error);

/**
 * Adds the instance types of @p catalogue to NodePools: to those named in @p pools, or to all when @p pool_count is 0.
 * They come after types that were added before. The builder takes a reference to @p catalogue. Errors: NOMEM.
 */
KARP_API karp_status karp_builder_add_catalogue(karp_builder *builder, karp_catalogue *catalogue, const karp_str *pools,
                                                size_t pool_count, karp_error *error);

/**
 * Adds a Pod; copied. Each kind has such a function. Errors of all of them: NOMEM, INVALID (with object and field),
 * DUPLICATE (the builder has an object of this kind, namespace and name), LIMIT, RANGE (a quantity beyond 128 bits),
 * ABI_*. After an error the builder is unchanged.
 */
KARP_API karp_status karp_builder_add_pod(karp_builder *builder, const karp_pod *pod, karp_error *error);

/** Adds a Node; copied. Errors: as karp_builder_add_pod(). */
KARP_API karp_status karp_builder_add_node(karp_builder *builder, const karp_node *node, karp_error *error);
/** Adds a NodeClaim; copied. Errors: as karp_builder_add_pod(). */
KARP_API karp_status karp_builder_add_node_claim(karp_builder *builder, const karp_node_claim *claim,
                                                 karp_error *error);
/** Adds a NodePool; copied. Errors: as karp_builder_add_pod(). */
KARP_API karp_status karp_builder_add_node_pool(karp_builder *builder, const karp_node_pool *pool, karp_error *error);
/** Adds a DaemonSet; copied. Errors: as karp_builder_add_pod(). */
KARP_API karp_status karp_builder_add_daemon_set(karp_builder *builder, const karp_daemon_set *daemon_set,
                                                 karp_error *error);

/**
 * Validates and indexes all objects. The caller owns *@p out (karp_snapshot_unref()). Afterwards the builder is empty;
 * after an error it is unchanged. A reference to a missing object is not an error: decisions give it as the reason of
 * the pods concerned. Errors: NOMEM, INVALID, LIMIT, RANGE (the amounts of a resource have no common 62-bit scale).
 */
KARP_API karp_status karp_builder_finish(karp_builder *builder, karp_snapshot **out, karp_error *error);

/** Drops a reference; the last one frees. NULL is allowed. */
KARP_API void karp_snapshot_unref(karp_snapshot *snapshot);

#ifdef __cplusplus
}
#endif
#endif
