/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file library.h  For libraries on top of libkarp: the memory, the limits and the callbacks of a context, and catalogues that
 * are lent instead of copied.
 */
#ifndef KARP_LIBRARY_H
#define KARP_LIBRARY_H

#include <karp/catalogue.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Takes a reference and returns @p context; each reference is dropped by karp_context_free(). NULL is allowed. Any thread.
 * Since 0.1. */
KARP_API karp_context *karp_context_ref(karp_context *context);

/** The limits and callbacks in force (defaults filled in). Borrowed. */
KARP_API const karp_context_options *karp_context_get_options(const karp_context *context);

/** Memory from the context's allocator; NULL = out of memory. */
KARP_API void *karp_alloc(karp_context *context, size_t bytes);

/** Bytes that objects of the context have from its allocator now; 0 unless it has a ceiling (max_memory). Any thread. Since 0.1. */
KARP_API uint64_t karp_context_memory(const karp_context *context);

/**
 * Says that work was done for which no memory was asked: @p units of about a byte that is read, compared or written. 0 = the caller of
 * the context wants to stop: end the call as if karp_alloc() had returned NULL. Non-zero = go on. For loops
 * that may be long. Any thread. Since 0.1.
 */
KARP_API int32_t karp_context_work(karp_context *context, uint64_t units);

/**
 * What #KARP_E_NOMEM means after karp_alloc() returned NULL: #KARP_E_LIMIT when max_memory, #KARP_E_CANCELED when should_stop refused,
 * #KARP_E_NOMEM when the allocator did. Fills @p error accordingly, forgets it, and returns any other @p status as it is. To be
 * asked at the end of a call. Since 0.1.
 */
KARP_API karp_status karp_context_refusal(karp_context *context, karp_status status, karp_error *error);

/** Gives back what a catalogue was lent. */
typedef void (*karp_catalogue_release)(void *user);

/**
 * karp_catalogue_new() without a copy of the lists of requirements and offerings, which is most of the work and of the memory: @p types and
 * all that they point to, texts included, have to stay as they are until @p release is called with @p user: once, by the thread
 * that drops the last reference, before the context goes. karp_catalogue_type() shows these lists as they were given. @p release may be
 * NULL: then they live for ever. After a failure nothing is called and everything is the caller's as before. Errors: as
 * karp_catalogue_new(). Since 0.1.
 */
KARP_API karp_status karp_catalogue_adopt(karp_context *context, const karp_instance_type *types, size_t count,
                                          karp_catalogue_release release, void *user, karp_catalogue **out,
                                          karp_error *error);

#ifdef __cplusplus
}
#endif
#endif
