/* SPDX-License-Identifier: Apache-2.0 */
#include <base/sort.h>

#include <base/bisect.h>

/* Runs up to this length are sorted by insertion. */
#define SHORT_RUN ((size_t)8)

/* should_stop is polled after so many elements, each of which counts as this much work. */
#define POLL_EVERY ((size_t)512)
#define OF_ONE ((size_t)32)

int by_text(const void *a, const void *b, const void *user)
{
    (void)user;
    return compare_str(*(const karp_str *)a, *(const karp_str *)b);
}

int by_number(const void *a, const void *b, const void *user)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    (void)user;
    return x < y ? -1 : x > y;
}

int by_double(const void *a, const void *b, const void *user)
{
    double x = *(const double *)a, y = *(const double *)b;
    (void)user;
    return x < y ? -1 : x > y;
}

int by_falling(uint32_t a, uint32_t b, const void *values)
{
    const double *list = values;
    return list[a] > list[b] ? -1 : list[a] < list[b];
}

int by_rank(uint32_t a, uint32_t b, const void *ranks)
{
    const uint32_t *rank = ranks;
    return rank[a] < rank[b] ? -1 : rank[a] > rank[b];
}

int by_first_rank(const void *a, const void *b, const void *ranks)
{
    return by_rank(*(const uint32_t *)a, *(const uint32_t *)b, ranks);
}

/* Once stopped, a sort makes no more comparisons. The array still has all its elements, in any order. */
typedef struct stopping {
    karp_context *context; /* NULL = it is not stopped */
    bool stopped;
} stopping;

static bool goes_on(stopping *s, size_t done)
{
    if (done % POLL_EVERY == 0 && !s->stopped && s->context) s->stopped = !mem_work(s->context, POLL_EVERY * OF_ONE);
    return !s->stopped;
}

typedef struct sorter {
    stopping *stop;
    size_t size;
    compare_fn compare;
    const void *user;
    char *scratch; /* for half of the elements, at least one */
} sorter;

static void insert_sort(const sorter *s, char *base, size_t count)
{
    size_t size = s->size;
    for (size_t i = 1; i < count; i++) {
        char *piece = base + i * size;
        size_t to = i;
        while (to > 0 && s->compare(base + (to - 1) * size, piece, s->user) > 0) to--;
        if (to == i) continue;
        memcpy(s->scratch, piece, size);
        memmove(base + (to + 1) * size, base + to * size, (i - to) * size);
        memcpy(base + to * size, s->scratch, size);
    }
}

/* The left half is copied to scratch memory, so that the merged run never overwrites unread elements of the right
 * half. */
static void merge(const sorter *s, char *base, size_t left, size_t count)
{
    size_t size = s->size;
    memcpy(s->scratch, base, left * size);
    size_t from_left = 0, from_right = left, to = 0;
    while (from_left < left && from_right < count && goes_on(s->stop, to + 1)) {
        const char *a = s->scratch + from_left * size;
        const char *b = base + from_right * size;
        bool take_right = s->compare(a, b, s->user) > 0;
        memcpy(base + to * size, take_right ? b : a, size);
        if (take_right) from_right++;
        else from_left++;
        to++;
    }
    memcpy(base + to * size, s->scratch + from_left * size, (left - from_left) * size);
}

static void sort_run(const sorter *s, char *base, size_t count)
{
    if (count <= SHORT_RUN) {
        insert_sort(s, base, count);
        return;
    }
    size_t left = count / 2;
    char *right = base + left * s->size;
    sort_run(s, base, left);
    sort_run(s, right, count - left);
    if (!s->stop->stopped && s->compare(right - s->size, right, s->user) > 0) merge(s, base, left, count);
}

bool sort_stable(karp_context *context, void *base, size_t count, size_t size, compare_fn compare, const void *user)
{
    if (count < 2 || size == 0) return true;
    size_t bytes = 0;
    if (!size_mul(count / 2, size, &bytes)) return false;
    char few[512]; /* short lists, which are frequent in objects, need no allocation */
    stopping stop = { context, false };
    sorter s = { &stop, size, compare, user, bytes <= sizeof few ? few : mem_alloc(context, bytes) };
    if (!s.scratch) return false;
    sort_run(&s, base, count);
    if (s.scratch != few) mem_free(context, s.scratch, bytes);
    return !stop.stopped;
}

void sort_with(void *scratch, void *base, size_t count, size_t size, compare_fn compare, const void *user)
{
    stopping never = { NULL, false };
    const sorter s = { &never, size, compare, user, scratch };
    sort_run(&s, base, count);
}

typedef struct id_sorter {
    stopping *stop;
    int (*compare)(uint32_t a, uint32_t b, const void *user);
    const void *user;
    uint32_t *scratch;
} id_sorter;

static void merge_ids(const id_sorter *s, uint32_t *ids, size_t left, size_t count)
{
    memcpy(s->scratch, ids, left * sizeof *ids);
    size_t from_left = 0, from_right = left, to = 0;
    while (from_left < left && from_right < count && goes_on(s->stop, to + 1)) {
        if (s->compare(s->scratch[from_left], ids[from_right], s->user) > 0) ids[to++] = ids[from_right++];
        else ids[to++] = s->scratch[from_left++];
    }
    while (from_left < left) ids[to++] = s->scratch[from_left++];
}

static void sort_id_run(const id_sorter *s, uint32_t *ids, size_t count)
{
    if (count <= SHORT_RUN) {
        for (size_t i = 1; i < count; i++) {
            uint32_t id = ids[i];
            size_t to = i;
            for (; to > 0 && s->compare(ids[to - 1], id, s->user) > 0; to--) ids[to] = ids[to - 1];
            ids[to] = id;
        }
        return;
    }
    size_t left = count / 2;
    sort_id_run(s, ids, left);
    sort_id_run(s, ids + left, count - left);
    if (!s->stop->stopped && s->compare(ids[left - 1], ids[left], s->user) > 0) merge_ids(s, ids, left, count);
}

bool sort_ids(karp_context *context, uint32_t *ids, size_t count,
              int (*compare)(uint32_t a, uint32_t b, const void *user), const void *user)
{
    if (count < 2) return true;
    uint32_t few[32];
    stopping stop = { context, false };
    id_sorter s = { &stop, compare, user, few };
    size_t bytes = 0;
    if (count / 2 > sizeof few / sizeof few[0]) {
        if (!size_mul(count / 2, sizeof *ids, &bytes)) return false;
        s.scratch = mem_alloc(context, bytes);
        if (!s.scratch) return false;
    }
    sort_id_run(&s, ids, count);
    if (s.scratch != few) mem_free(context, s.scratch, bytes);
    return !stop.stopped;
}

typedef struct pointer_order {
    int (*compare)(const void *a, const void *b);
} pointer_order;

static int by_target(const void *a, const void *b, const void *user)
{
    const void *const *x = a, *const *y = b;
    return ((const pointer_order *)user)->compare(*x, *y);
}

bool sort_pointers(karp_context *context, const void **items, size_t count,
                   int (*compare)(const void *a, const void *b))
{
    const pointer_order order = { compare };
    return sort_stable(context, items, count, sizeof *items, by_target, &order);
}

static int ascending(uint32_t a, uint32_t b, const void *user)
{
    (void)user;
    return a < b ? -1 : a > b;
}

bool sort_numbers(karp_context *context, uint32_t *numbers, size_t count)
{
    return sort_ids(context, numbers, count, ascending, NULL);
}

bool sort_numbers_once(karp_context *context, uint32_t *numbers, size_t *count)
{
    if (!sort_numbers(context, numbers, *count)) return false;
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        if (kept == 0 || numbers[kept - 1] != numbers[i]) numbers[kept++] = numbers[i];
    }
    *count = kept;
    return true;
}

/* A stable pass of radix sort. Passes are made only for bytes in which the numbers differ. */
static void order_by_byte(const uint32_t *ids, const uint64_t *numbers, uint32_t *to, uint64_t *numbers_to,
                          size_t count, unsigned shift)
{
    size_t first[257] = { 0 };
    for (size_t i = 0; i < count; i++) first[(numbers[i] >> shift & 0xff) + 1]++;
    for (size_t b = 1; b < 257; b++) first[b] += first[b - 1];
    for (size_t i = 0; i < count; i++) {
        size_t at = first[numbers[i] >> shift & 0xff]++;
        to[at] = ids[i];
        numbers_to[at] = numbers[i];
    }
}

/* Radix sort. `to` and `numbers_to` have space for as many. */
static void order_by_numbers(uint32_t *ids, uint64_t *numbers, uint32_t *to, uint64_t *numbers_to, size_t count,
                             uint64_t differ)
{
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if ((differ >> shift & 0xff) == 0) continue;
        order_by_byte(ids, numbers, to, numbers_to, count, shift);
        memcpy(ids, to, count * sizeof *ids);
        memcpy(numbers, numbers_to, count * sizeof *numbers);
    }
}

/* Sorts numbers of which few differ: these are kept in order, and all are counted once. false = too many differ, and
 * nothing has changed. `to` and `numbers_to` as above. */
static bool order_few(uint32_t *ids, uint64_t *numbers, uint32_t *to, uint64_t *numbers_to, size_t count)
{
    enum { FEW = 64 };
    struct {
        uint64_t number;
        uint32_t seen; /* how many others were seen before it */
    } few[FEW];
    size_t first[FEW] = { 0 }, at = 0; /* by `seen` */
    uint32_t differ = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t low = 0;
        for (uint32_t left = differ; left > 0; left /= 2) { /* without branches that depend on the numbers */
            uint32_t half = (left + 1) / 2;
            low += few[low + half - 1].number < numbers[i] ? half : 0;
        }
        if (low == differ || few[low].number != numbers[i]) {
            if (differ == FEW) return false;
            for (uint32_t k = differ; k > low; k--) few[k] = few[k - 1];
            few[low].number = numbers[i];
            few[low].seen = differ++;
        }
        to[i] = few[low].seen;
        first[to[i]]++;
    }
    for (uint32_t k = 0; k < differ; k++) {
        size_t equal = first[few[k].seen];
        first[few[k].seen] = at;
        for (size_t e = 0; e < equal; e++) numbers[at++] = few[k].number;
    }
    uint32_t *sorted = (uint32_t *)(void *)numbers_to;
    for (size_t i = 0; i < count; i++) sorted[first[to[i]]++] = ids[i];
    memcpy(ids, sorted, count * sizeof *ids);
    return true;
}

bool sort_ids_by_numbers(karp_context *context, uint32_t *ids, uint64_t *numbers, size_t count)
{
    size_t bytes = 0;
    uint64_t differ = 0;
    for (size_t i = 1; i < count; i++) differ |= numbers[i] ^ numbers[0];
    if (differ == 0) return true;
    if (!size_mul(count, sizeof *ids + sizeof *numbers, &bytes)) return false;
    uint64_t *numbers_to = mem_alloc(context, bytes);
    if (!numbers_to || !mem_work(context, count)) {
        mem_free(context, numbers_to, bytes);
        return false;
    }
    uint32_t *to = (uint32_t *)(void *)(numbers_to + count);
    if (!order_few(ids, numbers, to, numbers_to, count)) order_by_numbers(ids, numbers, to, numbers_to, count, differ);
    mem_free(context, numbers_to, bytes);
    return true;
}

bool numbers_have(const uint32_t *ascending, size_t count, uint32_t number)
{
    bisection b = bisect(count);
    while (bisecting(&b)) bisect_step(&b, ascending[b.at] < number);
    return b.at < count && ascending[b.at] == number;
}
