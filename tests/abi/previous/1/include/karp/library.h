/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file library.h  For libraries on top of libkarp, and callers with several threads: references to what is shared, the
 * memory, the limits and the callbacks of a context, and catalogues that borrow their types instead of copying them.
 */
#ifndef KARP_LIBRARY_H
#define KARP_LIBRARY_H

#include <karp/decision.h>
#include <karp/snapshot.h>

#ifdef __cplusplus
extern "C" {
#endif

/** #KARP_VERSION_NUMBER of the library in use. */
KARP_API uint32_t karp_version_number(void);

/** Takes a reference and returns @p context; each reference is dropped by karp_context_unref(). NULL is allowed. Any
 * thread. Since 1.0. */
KARP_API karp_context *karp_context_ref(karp_context *context);

/** Takes a reference and returns @p catalogue. NULL is allowed. A const result can be kept as well. */
KARP_API karp_catalogue *karp_catalogue_ref(const karp_catalogue *catalogue);

/** Takes a reference and returns @p snapshot. NULL is allowed. A const result can be kept as well. */
KARP_API karp_snapshot *karp_snapshot_ref(const karp_snapshot *snapshot);

/** Takes a reference and returns @p decision. NULL is allowed. A const result can be kept as well. */
KARP_API karp_decision *karp_decision_ref(const karp_decision *decision);

/** The limits and callbacks in force (defaults filled in). Borrowed. */
KARP_API const karp_context_options *karp_context_get_options(const karp_context *context);

/** Memory from the context's allocator; NULL = out of memory. */
KARP_API void *karp_alloc(karp_context *context, size_t bytes);

/** Frees memory of karp_alloc(), or of a function that says so; @p bytes as allocated. NULL is allowed. */
KARP_API void karp_free(karp_context *context, void *memory, size_t bytes);

/** Bytes that objects of the context have allocated now; 0 unless max_memory is set. Any thread. Since 1.0. */
KARP_API uint64_t karp_context_memory(const karp_context *context);

/**
 * Reports work that allocates no memory, for long loops: a unit is about one byte read, compared or written. 0 =
 * should_stop wants to stop: end the call as if karp_alloc() had returned NULL. Non-zero = go on. Any thread. Since
 * 1.0.
 */
KARP_API int32_t karp_context_work(karp_context *context, uint64_t units);

/**
 * Why karp_alloc() returned NULL, if @p status is #KARP_E_NOMEM: #KARP_E_LIMIT for max_memory, #KARP_E_CANCELED for
 * should_stop, #KARP_E_NOMEM for the allocator. Fills in @p error accordingly and clears the reason. Any other @p
 * status is returned as it is. Call it at the end of a call. Since 1.0.
 */
KARP_API karp_status karp_context_refusal(karp_context *context, karp_status status, karp_error *error);

/** Releases the memory that an adopted catalogue uses. */
typedef void (*karp_catalogue_release)(void *user);

/**
 * karp_catalogue_new() without copying the lists of requirements and offerings, which are most of the work and the
 * memory. @p types and all they point to, texts included, must stay unchanged until @p release is called with @p user.
 * That happens once, in the thread that drops the last reference, before the context is freed. karp_catalogue_type()
 * returns these lists as they were given.
 * @p release NULL = they are never released. After a failure @p release is not called, and the caller still owns
 * everything. Errors: as karp_catalogue_new(). Since 1.0.
 */
KARP_API karp_status karp_catalogue_adopt(karp_context *context, const karp_instance_type *types, size_t count,
                                          karp_catalogue_release release, void *user, karp_catalogue **out,
                                          karp_error *error);

#ifdef __cplusplus
}
#endif
#endif
