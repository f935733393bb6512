/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/order.h>

#include <string.h>

typedef struct heap {
    char *list;
    size_t elem;
    int (*compare)(const void *a, const void *b, const void *about);
    const void *about;
} heap;

static void swap(const heap *h, size_t a, size_t b)
{
    char piece[64];
    char *x = h->list + a * h->elem, *y = h->list + b * h->elem;
    for (size_t at = 0; at < h->elem; at += sizeof piece) {
        size_t n = h->elem - at < sizeof piece ? h->elem - at : sizeof piece;
        memcpy(piece, x + at, n);
        memcpy(x + at, y + at, n);
        memcpy(y + at, piece, n);
    }
}

static int compare(const heap *h, size_t a, size_t b)
{
    return h->compare(h->list + a * h->elem, h->list + b * h->elem, h->about);
}

/* Moves an element down to its position in the heap. */
static void sink(const heap *h, size_t at, size_t count)
{
    for (size_t child = at * 2 + 1; child < count; at = child, child = at * 2 + 1) {
        if (child + 1 < count && compare(h, child, child + 1) < 0) child++;
        if (compare(h, at, child) >= 0) return;
        swap(h, at, child);
    }
}

void order_heap(void *list, size_t count, size_t elem, int (*compare_)(const void *a, const void *b, const void *about),
                const void *about)
{
    const heap h = { list, elem, compare_, about };
    for (size_t i = count / 2; i-- > 0;) sink(&h, i, count);
    for (size_t end = count; end-- > 1;) {
        swap(&h, 0, end);
        sink(&h, 0, end);
    }
}
