/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting by texts, eight bytes at a time: names of pods have much in common, and comparing two at a time reads it
 * again and again. */
#include <base/sort.h>

enum {
    FEW = 16, /* are sorted by comparing them */
    LONG = 256, /* texts that are equal as far as this, too */
    WORD = 8
};

/* What is sorted are positions of ids in the list given: their texts are gathered once. */
typedef struct sorting {
    const karp_str *texts;
    karp_context *context;
} sorting;

static int compare(uint32_t a, uint32_t b, const void *user)
{
    const text_order *o = user;
    uint64_t x = o->number(a, o->user), y = o->number(b, o->user);
    return x != y ? (x < y ? -1 : 1) : compare_str(o->text(a, o->user), o->text(b, o->user));
}

static int compare_texts(uint32_t a, uint32_t b, const void *user)
{
    const karp_str *texts = user;
    return compare_str(texts[a], texts[b]);
}

/* Eight bytes of the text, which compare as the bytes do; zeros after its end. */
static uint64_t word_at(karp_str text, size_t at)
{
    unsigned char bytes[WORD] = { 0 };
    size_t left = text.len > at ? text.len - at : 0;
    if (left > 0) memcpy(bytes, text.ptr + at, left < WORD ? left : WORD);
    uint64_t word = 0;
    for (size_t i = 0; i < WORD; i++) word = word << 8 | bytes[i];
    return word;
}

/* Sorts positions by their numbers, which begin at `numbers`, and those with equal numbers by their texts from `at` on.
 */
static bool sort_numbered(const sorting *s, uint32_t *list, uint64_t *numbers, size_t count, size_t at);

/* Whether the texts are in order already: pods of one workload often are. */
static bool in_order(const sorting *s, const uint32_t *list, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (compare_texts(list[i - 1], list[i], s->texts) > 0) return false;
    }
    return true;
}

/* Sorts positions of texts that are equal before `at`. */
static bool sort_from(const sorting *s, uint32_t *list, uint64_t *numbers, size_t count, size_t at)
{
    if (in_order(s, list, count)) return true;
    bool ended = count <= FEW || at >= LONG;
    for (size_t i = 0; i < count && !ended; i++) {
        karp_str text = s->texts[list[i]];
        numbers[i] = word_at(text, at);
        ended = text.len <= at; /* a zero may be a byte of another text */
    }
    return ended ? sort_ids(s->context, list, count, compare_texts, s->texts)
                 : sort_numbered(s, list, numbers, count, at + WORD);
}

static bool sort_numbered(const sorting *s, uint32_t *list, uint64_t *numbers, size_t count, size_t at)
{
    bool ok = sort_ids_by_numbers(s->context, list, numbers, count);
    for (size_t from = 0, to; from < count && ok; from = to) {
        for (to = from + 1; to < count && numbers[to] == numbers[from]; to++) {
        }
        if (to - from > 1) ok = sort_from(s, list + from, numbers + from, to - from, at);
    }
    return ok;
}

/* One block has room for the texts, the numbers and the positions. */
static bool sort_gathered(karp_context *context, uint32_t *ids, size_t count, const text_order *order, void *block)
{
    karp_str *texts = block;
    uint64_t *numbers = (uint64_t *)(void *)(texts + count);
    uint32_t *list = (uint32_t *)(void *)(numbers + count);
    for (size_t i = 0; i < count; i++) {
        texts[i] = order->text(ids[i], order->user);
        numbers[i] = order->number(ids[i], order->user);
        list[i] = (uint32_t)i;
    }
    if (!sort_numbered(&(sorting){ texts, context }, list, numbers, count, 0)) return false;
    uint32_t *sorted = (uint32_t *)(void *)numbers; /* which are not needed any more */
    for (size_t i = 0; i < count; i++) sorted[i] = ids[list[i]];
    memcpy(ids, sorted, count * sizeof *ids);
    return true;
}

bool sort_ids_by_texts(karp_context *context, uint32_t *ids, size_t count, const text_order *order)
{
    size_t bytes, sorted = 1;
    while (sorted < count && compare(ids[sorted - 1], ids[sorted], order) <= 0) sorted++;
    if (sorted >= count) return true;
    if (count <= FEW) return sort_ids(context, ids, count, compare, order);
    if (!size_mul(count, sizeof(karp_str) + sizeof(uint64_t) + sizeof(uint32_t), &bytes)) return false;
    void *block = mem_alloc(context, bytes);
    bool ok = block && sort_gathered(context, ids, count, order, block);
    mem_free(context, block, bytes);
    return ok;
}
