/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include <string.h>

#include <karp/library.h>

/* A bottom-up merge sort. */
bool list_sort(const cli_options *options, void *items, size_t count, size_t size, list_order *order, const void *user)
{
    if (count < 2) return true;
    char *from = items, *to = karp_alloc(options->context, count * size), *other = to;
    if (to == NULL) return false;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t first = 0; first < count; first += 2 * width) {
            size_t middle = first + width < count ? first + width : count;
            size_t end = middle + width < count ? middle + width : count;
            for (size_t i = first, j = middle, k = first; k < end; k++) {
                bool left = j == end || (i < middle && order(from + i * size, from + j * size, user) <= 0);
                memcpy(to + k * size, from + (left ? i++ : j++) * size, size);
            }
        }
        char *swap = from;
        from = to;
        to = swap;
    }
    if (from != items) memcpy(items, from, count * size);
    karp_free(options->context, other, count * size);
    return true;
}
