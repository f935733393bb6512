/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements the allocation functions of lib/base for libkarp-io and the program. The contents of a context are private
 * to libkarp, which may have another version than they. So only public functions are used here, and a growing block
 * is copied.
 */
#include <base/memory.h>

#include <string.h>

#include <karp/library.h>

void *mem_alloc(karp_context *context, size_t bytes) { return karp_alloc(context, bytes); }

void *mem_zalloc(karp_context *context, size_t bytes)
{
    void *ptr = karp_alloc(context, bytes);
    if (ptr) memset(ptr, 0, bytes ? bytes : 1);
    return ptr;
}

void *mem_realloc(karp_context *context, void *ptr, size_t old_bytes, size_t new_bytes)
{
    void *moved = karp_alloc(context, new_bytes);
    if (!moved || !ptr) return moved;
    memcpy(moved, ptr, old_bytes < new_bytes ? old_bytes : new_bytes);
    karp_free(context, ptr, old_bytes);
    return moved;
}

bool mem_work(karp_context *context, size_t units) { return karp_context_work(context, units) != 0; }

void mem_free(karp_context *context, void *ptr, size_t bytes) { karp_free(context, ptr, bytes); }
