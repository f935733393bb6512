/* SPDX-License-Identifier: Apache-2.0 */
#include <base/block.h>

#include <stdatomic.h>
#include <string.h>

typedef struct block_head {
    karp_context *context;
    size_t bytes;
    _Atomic uint32_t references;
} block_head;

enum { HEAD_BYTES = 32 }; /* keeps the alignment of the allocator */
_Static_assert(sizeof(block_head) <= HEAD_BYTES, "the head fits before the block");

static block_head *head_of(void *block) { return (block_head *)(void *)((char *)block - HEAD_BYTES); }

void *block_new(karp_context *context, size_t count, size_t element_bytes)
{
    size_t bytes;
    if (!size_mul(count, element_bytes, &bytes) || !size_add(bytes, HEAD_BYTES, &bytes)) return NULL;
    block_head *head = mem_alloc(context, bytes);
    if (head == NULL) return NULL;
    head->context = context;
    head->bytes = bytes;
    atomic_init(&head->references, 1);
    return (char *)head + HEAD_BYTES;
}

void *block_copy(karp_context *context, const void *from, size_t count, size_t element_bytes)
{
    void *block = block_new(context, count + 1, element_bytes);
    if (block != NULL && count > 0) memcpy(block, from, count * element_bytes);
    return block;
}

void *block_ref(void *block)
{
    if (block != NULL) atomic_fetch_add_explicit(&head_of(block)->references, 1, memory_order_relaxed);
    return block;
}

void block_unref(void *block)
{
    if (block == NULL || atomic_fetch_sub_explicit(&head_of(block)->references, 1, memory_order_acq_rel) != 1) return;
    block_head *head = head_of(block);
    mem_free(head->context, head, head->bytes);
}
