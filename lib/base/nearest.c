/* SPDX-License-Identifier: Apache-2.0 */
#include <base/nearest.h>

enum { LONGEST_NAME = 96 };

/* Insertions, deletions, replacements and swaps of neighbours; more than `most` is `most + 1`. */
static uint32_t edits(karp_str a, karp_str b, uint32_t most)
{
    uint32_t rows[3][LONGEST_NAME + 1];
    size_t apart = a.len > b.len ? a.len - b.len : b.len - a.len;
    if (a.len > LONGEST_NAME || b.len > LONGEST_NAME || apart > most) return most + 1;
    for (size_t j = 0; j <= b.len; j++) rows[0][j] = (uint32_t)j;
    for (size_t i = 1; i <= a.len; i++) {
        uint32_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3],
                 least = row[0] = (uint32_t)i;
        for (size_t j = 1; j <= b.len; j++) {
            bool same = a.ptr[i - 1] == b.ptr[j - 1];
            uint32_t best = above[j - 1] + !same;
            if (above[j] + 1 < best) best = above[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            bool swapped = i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] && a.ptr[i - 2] == b.ptr[j - 1];
            if (swapped && before[j - 2] + 1 < best) best = before[j - 2] + 1;
            row[j] = best;
            if (best < least) least = best;
        }
        if (least > most) return most + 1;
    }
    return rows[a.len % 3][b.len];
}

nearest nearest_to(karp_str wanted)
{
    uint32_t most = wanted.len < 9 ? (uint32_t)(wanted.len / 3) : 3; /* a third of the letters, but not many */
    return (nearest){ .wanted = wanted, .distance = most };
}

void nearest_offer(nearest *n, karp_str candidate)
{
    uint32_t distance = candidate.len == 0 ? 0 : edits(n->wanted, candidate, n->distance);
    if (distance == 0 || distance > n->distance) return;
    if (n->best.ptr != NULL && distance == n->distance && compare_str(candidate, n->best) >= 0) return;
    n->distance = distance;
    n->best = candidate;
}
