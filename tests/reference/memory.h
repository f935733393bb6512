/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file memory.h  One arena for a whole run: everything the reference makes lives until the answer is printed.
 *
 * An attempt that fails gives back what it took since its mark. That is safe because attempts are free of side effects
 * (scheduling.md 17.5): nothing made before the mark points to anything made after it.
 */
#ifndef REFERENCE_MEMORY_H
#define REFERENCE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

struct ref_mark {
    void *chunk;
    size_t used;
};

/** Zeroed memory. Ends the program when there is none: this is a test tool. */
void *ref_alloc(size_t size);
struct ref_mark ref_mark(void);
void ref_release(struct ref_mark mark);
/** Frees the arena of this thread. */
void ref_free_all(void);

/**
 * Room for one more item behind @p count of them; the (possibly moved) array. For arrays that were only ever grown by
 * this function: it doubles at powers of two.
 */
void *ref_push(void *items, size_t count, size_t size);

char *ref_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Stable. */
void ref_sort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *));

/** Notes that the input cannot be used; the first note is kept. */
void ref_fault(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** The note, or NULL. */
const char *ref_fault_text(void);
void ref_fault_clear(void);

#endif
