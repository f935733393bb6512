/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting by texts, eight bytes at a time: names of pods have much in common, and comparing two at a time reads it
 * again and again. */
#include <base/sort.h>

enum {
    FEW = 16, /* are sorted by comparing them */
    LONG = 256, /* texts that are equal as far as this, too */
    WORD = 8
};

typedef struct sorting {
    const text_order *order;
    karp_context *context;
} sorting;

static int compare(uint32_t a, uint32_t b, const void *user)
{
    const text_order *o = user;
    uint64_t x = o->number(a, o->user), y = o->number(b, o->user);
    return x != y ? (x < y ? -1 : 1) : compare_str(o->text(a, o->user), o->text(b, o->user));
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

/* Sorts ids by their numbers, which begin at `numbers`, and those with equal numbers by their texts from `at` on. */
static bool sort_numbered(const sorting *s, uint32_t *ids, uint64_t *numbers, size_t count, size_t at);

/* Whether the texts are in order already: pods of one workload often are. */
static bool in_order(const sorting *s, const uint32_t *ids, size_t count)
{
    const text_order *o = s->order;
    karp_str last = o->text(ids[0], o->user);
    for (size_t i = 1; i < count; i++) {
        karp_str text = o->text(ids[i], o->user);
        if (compare_str(last, text) > 0) return false;
        last = text;
    }
    return true;
}

/* Sorts ids whose texts are equal before `at`. */
static bool sort_from(const sorting *s, uint32_t *ids, uint64_t *numbers, size_t count, size_t at)
{
    if (in_order(s, ids, count)) return true;
    bool ended = count <= FEW || at >= LONG;
    for (size_t i = 0; i < count && !ended; i++) {
        karp_str text = s->order->text(ids[i], s->order->user);
        numbers[i] = word_at(text, at);
        ended = text.len <= at; /* a zero may be a byte of another text */
    }
    return ended ? sort_ids(s->context, ids, count, compare, s->order)
                 : sort_numbered(s, ids, numbers, count, at + WORD);
}

static bool sort_numbered(const sorting *s, uint32_t *ids, uint64_t *numbers, size_t count, size_t at)
{
    bool ok = sort_ids_by_numbers(s->context, ids, numbers, count);
    for (size_t from = 0, to; from < count && ok; from = to) {
        for (to = from + 1; to < count && numbers[to] == numbers[from]; to++) {
        }
        if (to - from > 1) ok = sort_from(s, ids + from, numbers + from, to - from, at);
    }
    return ok;
}

bool sort_ids_by_texts(karp_context *context, uint32_t *ids, size_t count, const text_order *order)
{
    size_t bytes, sorted = 1;
    while (sorted < count && compare(ids[sorted - 1], ids[sorted], order) <= 0) sorted++;
    if (sorted >= count) return true;
    if (count <= FEW) return sort_ids(context, ids, count, compare, order);
    if (!size_mul(count, sizeof(uint64_t), &bytes)) return false;
    uint64_t *numbers = mem_alloc(context, bytes);
    if (!numbers) return false;
    for (size_t i = 0; i < count; i++) numbers[i] = order->number(ids[i], order->user);
    bool ok = sort_numbered(&(sorting){ order, context }, ids, numbers, count, 0);
    mem_free(context, numbers, bytes);
    return ok;
}
