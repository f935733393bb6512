/* SPDX-License-Identifier: Apache-2.0 */
#include <base/shared_array.h>

#include <stdatomic.h>
#include <string.h>

struct shared_array {
    karp_context *context; /* no reference: owners of the array have one */
    _Atomic uint32_t references;
    void *memory;
    size_t bytes;
};

shared_array *shared_array_new(karp_context *context, void *memory, size_t bytes)
{
    shared_array *j = mem_alloc(context, sizeof *j);
    if (j == NULL) return NULL;
    j->context = context;
    atomic_init(&j->references, 1);
    j->memory = memory;
    j->bytes = bytes;
    return j;
}

shared_array *shared_array_ref(shared_array *j)
{
    if (j != NULL) atomic_fetch_add_explicit(&j->references, 1, memory_order_relaxed);
    return j;
}

void shared_array_unref(shared_array *j)
{
    if (j == NULL || atomic_fetch_sub_explicit(&j->references, 1, memory_order_acq_rel) != 1) return;
    mem_free(j->context, j->memory, j->bytes);
    mem_free(j->context, j, sizeof *j);
}

void *shared_array_take(shared_array *j, size_t used)
{
    void *memory = j->memory;
    /* no other owner exists that could add a reference */
    if (atomic_load_explicit(&j->references, memory_order_acquire) == 1) {
        mem_free(j->context, j, sizeof *j);
        return memory;
    }
    memory = mem_alloc(j->context, j->bytes);
    if (memory == NULL) return NULL;
    memcpy(memory, j->memory, used);
    shared_array_unref(j);
    return memory;
}
