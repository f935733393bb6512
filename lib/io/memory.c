/* SPDX-License-Identifier: Apache-2.0 */
#include <io/memory.h>

#include <string.h>

/* ---- arena ------------------------------------------------------------------------------------------------------- */

struct io_block {
    io_block *older;
    size_t bytes; /* as allocated, this header included */
};

enum { BLOCK_HEADER = 16, BLOCK_FIRST = 16 * 1024, BLOCK_MOST = 1024 * 1024 };

_Static_assert(sizeof(io_block) <= BLOCK_HEADER, "block header");

void io_arena_init(io_arena *arena, karp_context *context)
{
    memset(arena, 0, sizeof *arena);
    arena->context = context;
}

void io_arena_free(io_arena *arena)
{
    while (arena->blocks) {
        io_block *older = arena->blocks->older;
        karp_free(arena->context, arena->blocks, arena->blocks->bytes);
        arena->blocks = older;
    }
    arena->next = arena->end = NULL;
}

void io_arena_reset(io_arena *arena)
{
    io_block *keep = arena->blocks;
    if (!keep) return;
    arena->blocks = keep->older;
    keep->older = NULL;
    io_arena_free(arena);
    /* One huge object must not pin its memory for all that follow. */
    if (keep->bytes > BLOCK_MOST) {
        karp_free(arena->context, keep, keep->bytes);
        return;
    }
    arena->blocks = keep;
    arena->next = (char *)keep + BLOCK_HEADER;
    arena->end = (char *)keep + keep->bytes;
}

void *io_arena_alloc(io_arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX / 2) return NULL;
    bytes = bytes == 0 ? 16 : (bytes + 15) & ~(size_t)15;
    if ((size_t)(arena->end - arena->next) < bytes) {
        size_t size = arena->blocks ? arena->blocks->bytes * 2 : BLOCK_FIRST;
        if (size > BLOCK_MOST) size = BLOCK_MOST;
        if (size < bytes + BLOCK_HEADER) size = bytes + BLOCK_HEADER;
        io_block *block = karp_alloc(arena->context, size);
        if (!block) return NULL;
        block->older = arena->blocks;
        block->bytes = size;
        arena->blocks = block;
        arena->next = (char *)block + BLOCK_HEADER;
        arena->end = (char *)block + size;
    }
    void *piece = arena->next;
    arena->next += bytes;
    return piece;
}

void *io_arena_array(io_arena *arena, size_t count, size_t elem)
{
    if (elem && count > SIZE_MAX / 2 / elem) return NULL;
    void *piece = io_arena_alloc(arena, count * elem);
    if (piece) memset(piece, 0, count * elem);
    return piece;
}

char *io_arena_string(io_arena *arena, const char *text, size_t length)
{
    char *copy = io_arena_alloc(arena, length + 1);
    if (!copy) return NULL;
    if (length) memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

bool io_grow(karp_context *context, void **data, size_t *capacity, size_t need, size_t elem)
{
    if (need <= *capacity) return true;
    size_t most = SIZE_MAX / 2 / elem;
    if (need > most) return false;
    size_t count = *capacity < most / 2 ? *capacity * 2 : most;
    if (count < need) count = need;
    if (count < 16 && 16 <= most) count = 16;
    void *bigger = karp_alloc(context, count * elem);
    if (!bigger) return false;
    if (*data) {
        memcpy(bigger, *data, *capacity * elem);
        karp_free(context, *data, *capacity * elem);
    }
    *data = bigger;
    *capacity = count;
    return true;
}

void io_text_init(io_text *text, karp_context *context)
{
    memset(text, 0, sizeof *text);
    text->context = context;
}

void io_text_free(io_text *text)
{
    karp_free(text->context, text->ptr, text->capacity);
    text->ptr = NULL;
    text->len = text->capacity = 0;
}

void io_text_add(io_text *text, const char *ptr, size_t length)
{
    if (text->failed) return;
    void *data = text->ptr;
    if (length > SIZE_MAX / 4 || !io_grow(text->context, &data, &text->capacity, text->len + length + 1, 1)) {
        text->failed = true;
        return;
    }
    text->ptr = data;
    if (length) memcpy(text->ptr + text->len, ptr, length);
    text->len += length;
    text->ptr[text->len] = '\0';
}

void io_text_adds(io_text *text, const char *string) { io_text_add(text, string, strlen(string)); }

void io_text_addc(io_text *text, char c) { io_text_add(text, &c, 1); }

void io_text_addu(io_text *text, uint64_t value)
{
    char digits[20];
    size_t n = sizeof digits;
    do {
        digits[--n] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    io_text_add(text, digits + n, sizeof digits - n);
}

void io_text_addi(io_text *text, int64_t value)
{
    if (value < 0) io_text_addc(text, '-');
    io_text_addu(text, value < 0 ? UINT64_C(0) - (uint64_t)value : (uint64_t)value);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static uint64_t hash(karp_str key, uint64_t seed)
{
    uint64_t h = seed ^ key.len;
    for (size_t i = 0; i < key.len; i++) {
        h = (h ^ (unsigned char)key.ptr[i]) * UINT64_C(0x100000001b3);
    }
    h ^= h >> 32;
    h *= UINT64_C(0xd6e8feb86659fd93);
    return h ^ (h >> 32);
}

void io_table_init(io_table *table, io_arena *arena)
{
    memset(table, 0, sizeof *table);
    table->arena = arena;
    table->seed = UINT64_C(0xcbf29ce484222325) ^ karp_context_get_options(arena->context)->hash_seed;
}

void io_table_free(io_table *table)
{
    karp_free(table->arena->context, table->slots, table->slot_count * sizeof *table->slots);
    table->slots = NULL;
    table->slot_count = table->count = 0;
}

static io_table_slot *find(const io_table *table, karp_str key, uint64_t h)
{
    size_t mask = table->slot_count - 1;
    for (size_t i = (size_t)h & mask;; i = (i + 1) & mask) {
        io_table_slot *slot = &table->slots[i];
        if (!slot->key) return slot;
        if (slot->hash == h && slot->length == key.len && memcmp(slot->key, key.ptr, key.len) == 0) return slot;
    }
}

static bool enlarge(io_table *table)
{
    size_t count = table->slot_count ? table->slot_count * 2 : 64;
    if (count > SIZE_MAX / 2 / sizeof *table->slots) return false;
    io_table bigger = *table;
    bigger.slots = karp_alloc(table->arena->context, count * sizeof *table->slots);
    if (!bigger.slots) return false;
    memset(bigger.slots, 0, count * sizeof *table->slots);
    bigger.slot_count = count;
    for (size_t i = 0; i < table->slot_count; i++) {
        const io_table_slot *slot = &table->slots[i];
        if (slot->key) *find(&bigger, (karp_str){ slot->key, slot->length }, slot->hash) = *slot;
    }
    karp_free(table->arena->context, table->slots, table->slot_count * sizeof *table->slots);
    *table = bigger;
    return true;
}

bool io_table_put(io_table *table, karp_str key, uint32_t value)
{
    if (table->count * 4 >= table->slot_count * 3 && !enlarge(table)) return false;
    if (!key.ptr) key.ptr = "";
    uint64_t h = hash(key, table->seed);
    io_table_slot *slot = find(table, key, h);
    if (!slot->key) {
        const char *copy = io_arena_string(table->arena, key.ptr, key.len);
        if (!copy) return false;
        *slot = (io_table_slot){ copy, key.len, h, value };
        table->count++;
    }
    slot->value = value;
    return true;
}

uint32_t io_table_get(const io_table *table, karp_str key)
{
    if (table->slot_count == 0) return IO_NONE;
    if (!key.ptr) key.ptr = "";
    const io_table_slot *slot = find(table, key, hash(key, table->seed));
    return slot->key ? slot->value : IO_NONE;
}

/* ---- strings and sorting ----------------------------------------------------------------------------------------- */

karp_str io_str(const char *text) { return (karp_str){ text, strlen(text) }; }

bool io_str_equal(karp_str a, karp_str b) { return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0); }

bool io_str_is(karp_str a, const char *text) { return io_str_equal(a, io_str(text)); }

int io_str_compare(karp_str a, karp_str b)
{
    size_t least = a.len < b.len ? a.len : b.len;
    int order = least ? memcmp(a.ptr, b.ptr, least) : 0;
    if (order) return order;
    return a.len < b.len ? -1 : a.len > b.len;
}

bool io_str_ends(karp_str a, const char *suffix)
{
    size_t n = strlen(suffix);
    return a.len >= n && memcmp(a.ptr + a.len - n, suffix, n) == 0;
}

bool io_sort(karp_context *context, const void **items, size_t count, int (*compare)(const void *a, const void *b))
{
    if (count < 2) return true;
    if (count > SIZE_MAX / 2 / sizeof *items) return false;
    const void **half = karp_alloc(context, count * sizeof *items);
    if (!half) return false;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t from = 0; from < count; from += 2 * width) {
            size_t middle = from + width < count ? from + width : count;
            size_t to = middle + width < count ? middle + width : count;
            size_t a = from, b = middle;
            for (size_t out = from; out < to; out++) {
                bool left = a < middle && (b == to || compare(items[a], items[b]) <= 0);
                half[out] = left ? items[a++] : items[b++];
            }
        }
        memcpy(items, half, count * sizeof *items);
    }
    karp_free(context, half, count * sizeof *items);
    return true;
}
