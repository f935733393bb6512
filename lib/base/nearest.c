/* SPDX-License-Identifier: Apache-2.0 */
#include <base/labels.h>
#include <base/nearest.h>

enum { LONGEST_NAME = 96 };

/*
 * The edit distance: insertions, deletions, replacements and swaps of neighbours. Returns most + 1 if it is more than
 * `most`.
 */
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

/* The family in an instance type's name: "p3dn" in p3dn.24xlarge, with the letters "p" and the generation 3. letters
 * 0 = not such a name. */
typedef struct family {
    size_t length, letters;
    uint32_t generation;
} family;

static family family_of(karp_str type)
{
    family f = { 0, 0, 0 };
    while (f.letters < type.len && type.ptr[f.letters] >= 'a' && type.ptr[f.letters] <= 'z') f.letters++;
    size_t at = f.letters;
    for (; at < type.len && is_digit(type.ptr[at]) && f.generation < 100; at++)
        f.generation = f.generation * 10 + (uint32_t)(type.ptr[at] - '0');
    f.length = at;
    while (f.length < type.len && type.ptr[f.length] != '.') f.length++;
    if (at == f.letters || f.length == type.len) f.letters = 0;
    return f;
}

/* A difference in family rank counts more than any number of edits. */
enum { RANK = 256, OTHER_GENERATION = 1, FAR_GENERATION = 10, OTHER_FAMILY };

static uint32_t family_rank(karp_str wanted, karp_str candidate)
{
    family a = family_of(wanted), b = family_of(candidate);
    if (equal_str((karp_str){ wanted.ptr, a.length }, (karp_str){ candidate.ptr, b.length })) return 0;
    if (!equal_str((karp_str){ wanted.ptr, a.letters }, (karp_str){ candidate.ptr, b.letters })) return OTHER_FAMILY;
    uint32_t apart = a.generation > b.generation ? a.generation - b.generation : b.generation - a.generation;
    return apart + OTHER_GENERATION < FAR_GENERATION ? apart + OTHER_GENERATION : FAR_GENERATION;
}

nearest nearest_to(karp_str wanted)
{
    uint32_t most = wanted.len < 9 ? (uint32_t)(wanted.len / 3) : 3; /* a third of the letters, at most 3 */
    return (nearest){ .wanted = wanted, .distance = most };
}

nearest nearest_to_value(karp_str key, karp_str value)
{
    nearest n = nearest_to(value);
    n.by_zone = str_is(key, LABEL_ZONE);
    n.by_family = str_is(key, LABEL_TYPE) && family_of(value).letters > 0;
    if (n.by_family) n.distance += OTHER_FAMILY * RANK;
    return n;
}

/* us-west-2a is meant by no one who writes us-west-2d. */
static bool is_beside(karp_str zone, karp_str other)
{
    return zone.len > 0 && zone.len == other.len && memcmp(zone.ptr, other.ptr, zone.len - 1) == 0;
}

void nearest_offer(nearest *n, karp_str candidate)
{
    if (n->by_zone && is_beside(n->wanted, candidate)) return;
    uint32_t rank = n->by_family ? family_rank(n->wanted, candidate) : 0;
    if (candidate.len == 0 || rank > n->distance / RANK) return;
    uint32_t most = rank < n->distance / RANK ? LONGEST_NAME : n->distance % RANK;
    uint32_t distance = edits(n->wanted, candidate, most);
    if (distance == 0 || distance > most) return;
    distance += rank * RANK;
    if (n->best.ptr != NULL && distance == n->distance && compare_str(candidate, n->best) >= 0) return;
    n->distance = distance;
    n->best = candidate;
}

bool is_customary_value(karp_str key, karp_str value)
{
    static const char *const all[][4] = {
        { LABEL_CAPACITY_TYPE, "on-demand", "reserved", "spot" },
        { LABEL_ARCH, "amd64", "arm64", NULL },
        { LABEL_OS, "linux", "windows", NULL },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        for (size_t k = 1; k < 4 && all[i][k] && str_is(key, all[i][0]); k++) {
            if (str_is(value, all[i][k])) return true;
        }
    }
    return false;
}

/* How many of the characters there are; 256 counts. */
static void count_letters(karp_str name, int32_t counts[256], int32_t by)
{
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.ptr[i];
        if (c != '-' && c != '_' && c != ' ') counts[c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c] += by;
    }
}

static bool is_place_meant(karp_str wanted, karp_str name)
{
    int32_t counts[256] = { 0 };
    bool same = true;
    count_letters(wanted, counts, 1);
    count_letters(name, counts, -1);
    for (size_t c = '0'; c <= '9'; c++) {
        if (counts[c] != 0) return false;
    }
    for (size_t c = 0; c < 256 && same; c++) same = counts[c] == 0;
    return same || edits(wanted, name, 1) <= 1;
}

karp_str nearest_place(karp_str wanted, karp_str names)
{
    while (names.len > 0) {
        karp_str name = str_until(&names, ',');
        while (name.len > 0 && *name.ptr == ' ') name = (karp_str){ name.ptr + 1, name.len - 1 };
        if (wanted.len > 0 && name.len > 0 && is_place_meant(wanted, name)) return name;
    }
    return (karp_str){ NULL, 0 };
}
