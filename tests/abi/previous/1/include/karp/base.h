/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file base.h  Status codes, strings, errors, allocators and the context.
 *
 * Rules for every declaration of libkarp, unless it says otherwise:
 *  - A function returns a #karp_status or a plain value, never both. On failure out-parameters are unchanged.
 *  - `karp_error *error` may be NULL. It is set only on failure, without an allocation.
 *  - Several threads may use a `const` handle at the same time; any other handle must be used by one thread at a time.
 *  - `_new` / `_free` is single ownership, `_ref` / `_unref` is reference counting. Everything else that is returned is
 *    borrowed and valid as long as the object that returned it.
 *  - The `size` at the beginning of a struct must be set to its sizeof (the `_init` functions do). Zero in any other
 *    field means "default". Bytes that the library does not know must be zero.
 *  - Input strings are UTF-8 and need no terminating NUL; returned strings are also NUL-terminated.
 *  - Since 1.0, unless stated.
 */
#ifndef KARP_BASE_H
#define KARP_BASE_H

#include <stddef.h>
#include <stdint.h>

#include <karp/version.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef KARP_API
#define KARP_API __attribute__((visibility("default")))
#endif

/**
 * 0 is success, negative values are the errors below. Values never change.
 *
 * Every function that returns a status may return INVALID (an argument is NULL, or an option has an impossible value),
 * ABI_* (a struct has an impossible size, or is of a newer version) and INTERNAL. One that has a karp_error may also
 * return NOMEM, LIMIT (max_memory) and CANCELED; and STATE, if it is one of a builder or a reader and
 * #KARP_DEBUG_THREADS finds two calls at a time. Its comment lists everything else that it returns, and these where
 * there is more to say.
 */
typedef int32_t karp_status;

#define KARP_OK 0
#define KARP_E_INTERNAL (-1) /**< a defect of the library; please report */
#define KARP_E_NOMEM (-2) /**< the allocator refused */
#define KARP_E_INVALID (-3) /**< bad input: object and field are named in the error */
#define KARP_E_SYNTAX (-4) /**< a document that is not JSON or YAML */
#define KARP_E_LIMIT (-5) /**< a limit of the context (pods, nodes, types, bytes, nesting, memory) */
#define KARP_E_RANGE (-6) /**< a number that cannot be represented exactly */
#define KARP_E_CANCELED (-7) /**< should_stop said yes, or the step budget ran out */
#define KARP_E_NOT_FOUND (-8) /**< a name that is not in the input */
#define KARP_E_DUPLICATE (-9) /**< an object that is in the input already */
#define KARP_E_STATE (-10) /**< a call that is not allowed in this state of the object */
#define KARP_E_ABI_SIZE (-11) /**< a struct's size is impossible */
#define KARP_E_ABI_OLD (-12) /**< a struct lacks a field this call needs */
#define KARP_E_ABI_NEW (-13) /**< a struct has non-zero bytes this library does not know */
#define KARP_E_IO (-14) /**< a file could not be read (libkarp-io only) */
#define KARP_E_UNSUPPORTED (-15) /**< known, but not supported by this library */
#define KARP_E_PROVIDER (-16) /**< a cloud's plugin failed, in a way of its own (provider.h) */

/** A borrowed string. `ptr` may be NULL when `len` is 0. */
typedef struct karp_str {
    const char *ptr;
    size_t len;
} karp_str;

/** Size of a digest as text: 64 hex digits and a NUL. */
#define KARP_DIGEST_TEXT 65

/** #karp_error.byte_offset is unknown. */
#define KARP_NO_OFFSET UINT64_MAX

/** Caller-owned description of a failure. */
typedef struct karp_error {
    size_t size; /**< sizeof(karp_error) */
    karp_status status; /**< as returned */
    uint32_t line; /**< 1-based, 0 = unknown */
    uint32_t column; /**< 1-based, 0 = unknown */
    uint32_t reserved; /**< 0 */
    uint64_t byte_offset; /**< in the document, or #KARP_NO_OFFSET */
    char document[128]; /**< file name, or "" */
    char object[192]; /**< "Pod default/web-0", or "" */
    char field[128]; /**< "spec.containers[0].resources.requests.cpu", or "" */
    char message[256]; /**< one line of English */
} karp_error;

/** Zeroes @p error and sets its size. @p size is sizeof(karp_error) as the caller sees it. */
KARP_API void karp_error_init(karp_error *error, size_t size);

/** Memory functions of a context; they must be callable from every thread that uses its objects. */
typedef struct karp_allocator {
    size_t size;
    void *(*alloc)(size_t bytes, void *user); /**< NULL = out of memory; aligned as malloc aligns; bytes > 0 */
    void *(*realloc)(void *ptr, size_t old_bytes, size_t new_bytes, void *user);
    void (*free)(void *ptr, size_t bytes, void *user); /**< ptr is never NULL */
    void *user;
} karp_allocator;

/** The level of #karp_context_options.log: all messages are warnings. Other levels may follow. */
enum { KARP_LOG_WARNING = 1 };

/** What #karp_context_options.debug checks. Values never change. */
enum {
    /**
     * Calls on a builder, or on a reader, that overlap: two threads use it at the same time, or a callback uses it
     * again. The second call fails with #KARP_E_STATE and changes nothing.
     */
    KARP_DEBUG_THREADS = 1
};

/** Options of karp_context_new(). */
typedef struct karp_context_options {
    size_t size;
    const karp_allocator *allocator; /**< NULL = libc; copied */
    /** Called with messages for the user that are not errors. NULL = off. May be called from any thread of a call. */
    void (*log)(uint32_t level, karp_str message, void *user);
    void *log_user;
    uint64_t max_pods; /**< default 10,000,000 */
    uint64_t max_nodes; /**< nodes, and claims without a node; default 1,000,000 */
    uint64_t max_instance_types; /**< over all catalogues of a snapshot; default 100,000 */
    /**
     * Bytes of one document; default 4 GiB. Expanded YAML aliases count as well, with 48 bytes for each node in
     * addition to its text. In all documents of a text together they may have 64 MiB, or 16 times the length of the
     * text if that is more.
     */
    uint64_t max_document_bytes;
    uint32_t max_nesting; /**< of a document; default 100 */
    uint32_t debug; /**< KARP_DEBUG_*, ored; 0 = no checks of the caller. Since 1.0 */
    uint64_t max_aliases; /**< YAML nodes that aliases may expand to, per document; default 100,000 */
    /**
     * Threads of the caller: calls @p body with every index below @p count, each once, on any threads and in any
     * order, and returns when all calls have returned. NULL = a call does all its work on its own thread. The allocator
     * must be callable from these threads, too. Single-node consolidation uses them, only without a limit of
     * steps and without should_stop, and karp_tune_settle() and karp_tune_replay(). Decisions are the same with and
     * without, for any number of threads.
     */
    void (*parallel_for)(size_t count, void (*body)(size_t index, void *data), void *data, void *user);
    void *parallel_user;
    /**
     * Secret seed of the context's hash tables. Without knowing it, nobody can choose names that all collide. Should be
     * random for each context; the library itself has no source of randomness. 0 = made from addresses, which is
     * sufficient if the system randomises addresses. No decision depends on it. Since 1.0.
     */
    uint64_t hash_seed;
    /**
     * Most bytes that all objects of the context together may have allocated at a time; 0 = no limit. A call that needs
     * more fails with #KARP_E_LIMIT and changes nothing. Since 1.0.
     */
    uint64_t max_memory;
    /**
     * Called every few thousand steps of work, on the thread of the call, during every call that allocates: reading,
     * building, finishing, deciding, writing. Non-zero = the call fails with #KARP_E_CANCELED and changes nothing; the
     * next call is not affected. NULL = never. If a call has karp_options.should_stop, that one is called instead.
     * Since 1.0.
     */
    int32_t (*should_stop)(void *user);
    void *stop_user;
} karp_context_options;

/** Allocator, log and limits. Contexts share nothing with each other. */
typedef struct karp_context karp_context;

/** Zeroes @p options and sets its size. */
KARP_API void karp_context_options_init(karp_context_options *options, size_t size);

/** Makes a context. @p options may be NULL. Errors: NOMEM, ABI_*. */
KARP_API karp_status karp_context_new(const karp_context_options *options, karp_context **out, karp_error *error);

/**
 * Releases the caller's reference. Objects made in the context keep what they need of it, so they may be freed in any
 * order. NULL is allowed.
 */
KARP_API void karp_context_unref(karp_context *context);

/** "1.0.0" of the library in use, "1.0.0-rc1" before its release. */
KARP_API const char *karp_version(void);

/** "KARP_E_NOMEM" …; "unknown status" for any other value. */
KARP_API const char *karp_status_name(karp_status status);

#ifdef __cplusplus
}
#endif
#endif
