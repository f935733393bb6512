/* SPDX-License-Identifier: Apache-2.0 */
#include <base/joint.h>

#include <stdatomic.h>
#include <string.h>

struct joint {
    karp_context *context; /* no reference: owners of the array have one */
    _Atomic uint32_t holds;
    void *memory;
    size_t bytes;
};

joint *joint_new(karp_context *context, void *memory, size_t bytes)
{
    joint *j = mem_alloc(context, sizeof *j);
    if (j == NULL) return NULL;
    j->context = context;
    atomic_init(&j->holds, 1);
    j->memory = memory;
    j->bytes = bytes;
    return j;
}

joint *joint_hold(joint *j)
{
    if (j != NULL) atomic_fetch_add_explicit(&j->holds, 1, memory_order_relaxed);
    return j;
}

void joint_release(joint *j)
{
    if (j == NULL || atomic_fetch_sub_explicit(&j->holds, 1, memory_order_acq_rel) != 1) return;
    mem_free(j->context, j->memory, j->bytes);
    mem_free(j->context, j, sizeof *j);
}

void *joint_own(joint *j, size_t used)
{
    void *memory = j->memory;
    /* no other owner exists that could add a reference */
    if (atomic_load_explicit(&j->holds, memory_order_acquire) == 1) {
        mem_free(j->context, j, sizeof *j);
        return memory;
    }
    memory = mem_alloc(j->context, j->bytes);
    if (memory == NULL) return NULL;
    memcpy(memory, j->memory, used);
    joint_release(j);
    return memory;
}
