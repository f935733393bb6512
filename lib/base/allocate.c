/* SPDX-License-Identifier: Apache-2.0 */
#include <base/memory.h>

#include <string.h>

#include <karp/library.h>

#include <base/context.h>

void *mem_alloc(karp_context *context, size_t bytes) { return karp_alloc(context, bytes); }

void *mem_zalloc(karp_context *context, size_t bytes)
{
    void *ptr = mem_alloc(context, bytes);
    if (ptr) memset(ptr, 0, bytes ? bytes : 1);
    return ptr;
}

static void *move(karp_context *context, void *ptr, size_t old_bytes, size_t new_bytes)
{
    const karp_allocator *a = &context->allocator;
    if (a->realloc) return a->realloc(ptr, allocated_size(old_bytes), allocated_size(new_bytes), a->user);
    void *moved = a->alloc(allocated_size(new_bytes), a->user);
    if (!moved) return NULL;
    memcpy(moved, ptr, old_bytes < new_bytes ? old_bytes : new_bytes);
    a->free(ptr, allocated_size(old_bytes), a->user);
    return moved;
}

void *mem_realloc(karp_context *context, void *ptr, size_t old_bytes, size_t new_bytes)
{
    if (!ptr) return mem_alloc(context, new_bytes);
    if (new_bytes > PTRDIFF_MAX) return NULL;
    if (!context->guarded) return move(context, ptr, old_bytes, new_bytes);
    /* Old and new memory may exist at the same time. */
    if (!context_admit(context, allocated_size(new_bytes))) return NULL;
    void *moved = move(context, ptr, old_bytes, new_bytes);
    context_give_back(context, allocated_size(moved ? old_bytes : new_bytes));
    return moved;
}

bool mem_work(karp_context *context, size_t units) { return context_work(context, units); }

void mem_free(karp_context *context, void *ptr, size_t bytes) { karp_free(context, ptr, bytes); }
