/* SPDX-License-Identifier: Apache-2.0 */
/* All of memory.h that mem_alloc() and the functions beside it are enough for. */
#include <base/memory.h>

#include <stdatomic.h>
#include <string.h>

#if defined __SANITIZE_ADDRESS__
#define ADDRESS_SANITIZER
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER
#endif
#endif
#ifdef ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

bool size_add(size_t a, size_t b, size_t *out)
{
    if (a > SIZE_MAX - b) return false;
    *out = a + b;
    return true;
}

bool size_mul(size_t a, size_t b, size_t *out)
{
    if (b != 0 && a > SIZE_MAX / b) return false;
    *out = a * b;
    return true;
}

/* The new capacity of a growable array, and its bytes. false = overflow. */
static bool larger(size_t old, size_t need, size_t elem, size_t *capacity, size_t *bytes)
{
    *capacity = old > SIZE_MAX / 2 ? need : old * 2;
    if (*capacity < need) *capacity = need;
    if (*capacity < 8) *capacity = 8;
    return size_mul(*capacity, elem, bytes);
}

bool grow(karp_context *context, void **data, size_t *capacity, size_t need, size_t elem)
{
    size_t wanted, bytes;
    if (need <= *capacity) return true;
    if (!larger(*capacity, need, elem, &wanted, &bytes)) return false;
    /* The caller's member has a different pointer type than void *, so it is accessed as bytes. */
    void *ptr = NULL;
    memcpy(&ptr, data, sizeof ptr);
    ptr = mem_realloc(context, ptr, *capacity * elem, bytes);
    if (!ptr) return false;
    memcpy(data, &ptr, sizeof ptr);
    *capacity = wanted;
    return true;
}

#define ARENA_ALIGN ((size_t)16)
#define ARENA_FIRST_BLOCK ((size_t)1024)
#define ARENA_LARGEST_BLOCK ((size_t)1 << 20)

struct arena_block {
    arena_block *older;
    size_t bytes; /* size of the block, including this header */
};

/* A block is aligned as malloc() aligns it. The header is padded so that allocations start at a multiple of 16. */
static const size_t block_header = (sizeof(arena_block) + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;

static char *block_end(arena_block *block) { return (char *)block + block->bytes; }

/* AddressSanitizer does not know the allocations within a block. It is told which parts of a block are not allocated,
 * including the gaps. */
#ifdef ADDRESS_SANITIZER
static void close_memory(void *from, const char *to) { __asan_poison_memory_region(from, (size_t)(to - (char *)from)); }
static void open_memory(void *from, size_t bytes) { __asan_unpoison_memory_region(from, bytes); }
#else
static void close_memory(void *from, const char *to) { (void)from, (void)to; }
static void open_memory(void *from, size_t bytes) { (void)from, (void)bytes; }
#endif

void arena_init(arena *a, karp_context *context)
{
    memset(a, 0, sizeof *a);
    a->context = context;
}

static void drop_block(arena *a, arena_block *block)
{
    if (!block) return;
    a->total -= block->bytes;
    open_memory(block, block->bytes);
    mem_free(a->context, block, block->bytes);
}

/* One freed block is kept, so that alternating allocation and release does not call the allocator each time. */
static void retire_block(arena *a, arena_block *block)
{
    if (a->spare && a->spare->bytes >= block->bytes) {
        drop_block(a, block);
        return;
    }
    drop_block(a, a->spare);
    a->spare = block;
}

void arena_free(arena *a)
{
    while (a->blocks) {
        arena_block *block = a->blocks;
        a->blocks = block->older;
        drop_block(a, block);
    }
    drop_block(a, a->spare);
    arena_init(a, a->context);
}

static bool add_block(arena *a, size_t piece)
{
    size_t least = 0;
    if (!size_add(piece, block_header + ARENA_ALIGN, &least)) return false;
    arena_block *block = a->spare;
    if (block && block->bytes >= least) {
        a->spare = NULL;
    } else {
        size_t bytes = ARENA_FIRST_BLOCK;
        if (a->blocks) bytes = a->blocks->bytes > ARENA_LARGEST_BLOCK / 2 ? ARENA_LARGEST_BLOCK : a->blocks->bytes * 2;
        if (bytes < least) bytes = least;
        block = mem_alloc(a->context, bytes);
        if (!block) return false;
        block->bytes = bytes;
        a->total += bytes;
    }
    block->older = a->blocks;
    a->blocks = block;
    a->next = (char *)block + block_header;
    a->end = block_end(block);
    close_memory(a->next, a->end);
    return true;
}

void *arena_alloc_aligned(arena *a, size_t bytes, size_t align)
{
    if (bytes == 0) bytes = 1;
    for (int attempt = 0; attempt < 2; attempt++) {
        size_t skip = (size_t)(-(uintptr_t)a->next) & (align - 1);
        size_t room = (size_t)(a->end - a->next);
        if (a->next && skip <= room && bytes <= room - skip) {
            char *piece = a->next + skip;
            a->next = piece + bytes;
            open_memory(piece, bytes);
            return piece;
        }
        if (attempt == 0 && !add_block(a, bytes)) break;
    }
    return NULL;
}

void *arena_alloc(arena *a, size_t bytes) { return arena_alloc_aligned(a, bytes, ARENA_ALIGN); }

void *arena_zalloc(arena *a, size_t bytes)
{
    void *ptr = arena_alloc(a, bytes);
    if (ptr) memset(ptr, 0, bytes);
    return ptr;
}

void *arena_array(arena *a, size_t count, size_t elem)
{
    size_t bytes = 0;
    if (!size_mul(count, elem, &bytes)) return NULL;
    return arena_zalloc(a, bytes);
}

void *arena_items(arena *a, size_t count, size_t elem)
{
    size_t bytes = 0;
    if (!size_mul(count, elem, &bytes)) return NULL;
    return arena_alloc(a, bytes);
}

bool arena_grow(arena *a, void **data, size_t *capacity, size_t need, size_t elem)
{
    size_t wanted, bytes;
    if (need <= *capacity) return true;
    if (!larger(*capacity, need, elem, &wanted, &bytes)) return false;
    void *old = NULL, *ptr = arena_alloc(a, bytes);
    if (!ptr) return false;
    memcpy(&old, data, sizeof old); /* as in grow() */
    if (old) memcpy(ptr, old, *capacity * elem);
    memcpy(data, &ptr, sizeof ptr);
    *capacity = wanted;
    return true;
}

void *arena_copy(arena *a, const void *data, size_t bytes)
{
    void *ptr = arena_alloc(a, bytes);
    if (ptr && bytes > 0) memcpy(ptr, data, bytes);
    return ptr;
}

char *arena_string(arena *a, const char *text, size_t length)
{
    size_t bytes = 0;
    if (!size_add(length, 1, &bytes)) return NULL;
    char *copy = arena_alloc_aligned(a, bytes, 1);
    if (!copy) return NULL;
    if (length > 0) memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

arena_mark arena_get_mark(const arena *a)
{
    arena_mark mark = { a->blocks, a->next };
    return mark;
}

void arena_release(arena *a, arena_mark mark)
{
    while (a->blocks && a->blocks != mark.block) {
        arena_block *block = a->blocks;
        a->blocks = block->older;
        retire_block(a, block);
    }
    a->next = a->blocks ? mark.next : NULL;
    a->end = a->blocks ? block_end(a->blocks) : NULL;
    if (a->blocks) close_memory(a->next, a->end);
}

/* ---- shared blocks ----------------------------------------------------------------------------------------------- */

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

bool block_shared(void *block) { return atomic_load_explicit(&head_of(block)->references, memory_order_acquire) > 1; }

void block_unref(void *block)
{
    if (block == NULL || atomic_fetch_sub_explicit(&head_of(block)->references, 1, memory_order_acq_rel) != 1) return;
    block_head *head = head_of(block);
    mem_free(head->context, head, head->bytes);
}

/* ---- shared arrays ----------------------------------------------------------------------------------------------- */

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

uint32_t shared_array_owners(const shared_array *j)
{
    return atomic_load_explicit(&j->references, memory_order_acquire);
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
