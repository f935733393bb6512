/* SPDX-License-Identifier: Apache-2.0 */
#include <optimise/certificate_plans.h>

#include <base/bits.h>
#include <base/sort.h>

enum { MOST_PODS = 300, MOST_STATES = 1 << 19 };

/* Pods that are left, as digits of a number; `cost` of the nodes that were bought. */
typedef struct state {
    uint64_t left;
    int64_t cost, total; /* total: with the prices of the pods that are left */
    bool done; /* its continuations were looked at */
} state;

typedef struct plans {
    karp_context *context;
    const bound_problem *p;
    const int64_t *y;
    uint32_t class_count, row_count;
    uint32_t *classes, *rows; /* the classes with pods, the most expensive first; offers that no other one replaces */
    uint64_t *digit; /* by index in `classes`: what one pod counts in a state's number */
    int64_t *left, *copies, *limit; /* by index: pods that are left; of the current content; most copies of it */
    int64_t *space; /* by resource: what is left of the current node */
    state *states;
    uint32_t *slots, *heap, state_count, heap_count, most_states, slot_bits;
    uint64_t state_numbers; /* number of different states */
    int64_t enough;
    uint64_t *work;
    const state *from; /* the state whose continuations are looked at */
} plans;

/* ---- the problem ------------------------------------------------------------------------------------------------- */

static int by_price(uint32_t a, uint32_t b, const void *user)
{
    const int64_t *y = user;
    return y[a] > y[b] ? -1 : y[a] < y[b] ? 1 : (a > b) - (a < b);
}

/* The classes with pods; false = there are too many pods, or out of memory. */
static bool find_classes(plans *k)
{
    const bound_problem *p = k->p;
    int64_t pods = 0;
    for (uint32_t c = 0; c < p->class_count; c++) {
        if (p->counts[c] > MOST_PODS - pods) return false;
        pods += p->counts[c];
        if (p->counts[c] > 0) k->classes[k->class_count++] = c;
    }
    if (!sort_ids(k->context, k->classes, k->class_count, by_price, k->y)) return false;
    for (uint32_t i = k->class_count; i-- > 0;) {
        k->digit[i] = k->state_numbers;
        if (k->state_numbers > UINT64_MAX / (MOST_PODS + 1)) return false;
        k->state_numbers *= (uint64_t)p->counts[k->classes[i]] + 1;
    }
    return true;
}

/* Whether the offer can have all contents of the other one, and costs no more. */
static bool replaces(const bound_problem *p, uint32_t offer, uint32_t other)
{
    size_t words = bits_words(p->class_count);
    if (p->costs[offer] > p->costs[other]) return false;
    for (uint32_t d = 0; d < p->dims; d++) {
        if (p->capacity[(size_t)offer * p->dims + d] < p->capacity[(size_t)other * p->dims + d]) return false;
    }
    for (size_t w = 0; w < words; w++) {
        if (p->allowed[other * words + w] & ~p->allowed[offer * words + w]) return false;
    }
    return true;
}

/* Chooses the offers; false = some class fits none, or stopped. */
static bool find_rows(plans *k)
{
    const bound_problem *p = k->p;
    for (uint32_t o = 0; o < p->offer_count; o++) {
        uint32_t kept = 0;
        bool needed = true;
        for (uint32_t i = 0; needed && i < k->row_count; i++) needed = !replaces(p, k->rows[i], o);
        for (uint32_t i = 0; needed && i < k->row_count; i++) {
            if (!replaces(p, o, k->rows[i])) k->rows[kept++] = k->rows[i];
        }
        if (!needed) continue;
        k->row_count = kept;
        k->rows[k->row_count++] = o;
        if (!mem_work(k->context, k->row_count * (size_t)p->dims)) return false;
    }
    for (uint32_t i = 0; i < k->class_count; i++) {
        bool fits = false;
        for (uint32_t r = 0; !fits && r < k->row_count; r++) fits = bound_copies(p, k->rows[r], k->classes[i]) > 0;
        if (!fits) return false;
    }
    return true;
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

static bool sooner(const plans *k, uint32_t a, uint32_t b)
{
    const state *x = &k->states[a], *y = &k->states[b];
    return x->total < y->total || (x->total == y->total && x->cost > y->cost);
}

static void heap_push(plans *k, uint32_t s)
{
    uint32_t at = k->heap_count++;
    for (; at > 0 && sooner(k, s, k->heap[(at - 1) / 2]); at = (at - 1) / 2) k->heap[at] = k->heap[(at - 1) / 2];
    k->heap[at] = s;
}

static uint32_t heap_pop(plans *k)
{
    uint32_t first = k->heap[0], last = k->heap[--k->heap_count], at = 0;
    while (2 * at + 1 < k->heap_count) {
        uint32_t next = 2 * at + 1;
        if (next + 1 < k->heap_count && sooner(k, k->heap[next + 1], k->heap[next])) next++;
        if (!sooner(k, k->heap[next], last)) break;
        k->heap[at] = k->heap[next];
        at = next;
    }
    k->heap[at] = last;
    return first;
}

/* Notes that the state can be reached at this cost. A state that is found again at a lower cost gets a new entry, and
 * the old one is skipped. false = too many. */
static bool reach(plans *k, uint64_t left, int64_t cost, int64_t worth)
{
    int64_t total = cost + worth;
    if (total >= k->enough) return true;
    uint64_t mask = (UINT64_C(1) << k->slot_bits) - 1,
             at = (left * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - k->slot_bits);
    for (; k->slots[at] != 0; at = (at + 1) & mask) {
        state *s = &k->states[k->slots[at] - 1];
        if (s->left != left) continue;
        if (s->cost <= cost) return true;
        s->done = true;
        break;
    }
    if (k->state_count == k->most_states) return false;
    k->states[k->state_count] = (state){ left, cost, total, false };
    k->slots[at] = ++k->state_count;
    heap_push(k, k->state_count - 1);
    return true;
}

/* ---- contents ---------------------------------------------------------------------------------------------------- */

static const int64_t *request_of(const plans *k, uint32_t i)
{
    return k->p->requests + (size_t)k->classes[i] * k->p->dims;
}

/* How many more copies of the class fit. */
static int64_t more_of(const plans *k, uint32_t i)
{
    const int64_t *request = request_of(k, i);
    int64_t most = k->limit[i] - k->copies[i];
    for (uint32_t d = 0; d < k->p->dims && most > 0; d++) {
        if (request[d] > 0 && k->space[d] / request[d] < most) most = k->space[d] / request[d];
    }
    return most;
}

static void put(plans *k, uint32_t i, int64_t copies)
{
    const int64_t *request = request_of(k, i);
    for (uint32_t d = 0; d < k->p->dims; d++) k->space[d] -= request[d] * copies;
    k->copies[i] += copies;
}

/* The state after a node with the current content, if nothing more fits on it. */
static bool close_node(plans *k, uint32_t row)
{
    uint64_t left = 0;
    int64_t worth = 0;
    for (uint32_t i = 0; i < k->class_count; i++) {
        if (more_of(k, i) > 0) return true;
        int64_t rest = k->left[i] - k->copies[i];
        left += (uint64_t)rest * k->digit[i];
        worth += rest * k->y[k->classes[i]];
    }
    return reach(k, left, k->from->cost + k->p->costs[row], worth);
}

/* Looks at all contents that differ from here on. false = too much. */
static bool fill(plans *k, uint32_t row, uint32_t from, uint32_t first)
{
    while (from < k->class_count && k->limit[from] == 0) from++;
    if (*k->work == 0) return false;
    --*k->work;
    if (from == k->class_count) return close_node(k, row);
    int64_t most = more_of(k, from);
    bool ok = true;
    put(k, from, most);
    for (int64_t n = most; ok && n >= (from == first ? 1 : 0); n--) { /* some node has pods of the first class */
        ok = fill(k, row, from + 1, first);
        if (n > 0) put(k, from, -1);
    }
    if (k->copies[from] > 0) put(k, from, -k->copies[from]);
    return ok;
}

static bool look_beyond(plans *k, const state *s)
{
    const bound_problem *p = k->p;
    uint64_t rest = s->left;
    uint32_t first = UINT32_MAX;
    k->from = s;
    for (uint32_t i = 0; i < k->class_count; i++) {
        k->left[i] = (int64_t)(rest / k->digit[i]);
        rest %= k->digit[i];
        if (k->left[i] > 0 && first == UINT32_MAX) first = i;
    }
    for (uint32_t r = 0; r < k->row_count; r++) {
        uint32_t row = k->rows[r];
        if (bound_copies(p, row, k->classes[first]) == 0) continue;
        for (uint32_t d = 0; d < p->dims; d++) {
            int64_t has = p->capacity[(size_t)row * p->dims + d];
            k->space[d] = has > 0 ? has : 0;
        }
        for (uint32_t i = 0; i < k->class_count; i++) {
            int64_t most = bound_copies(p, row, k->classes[i]);
            k->limit[i] = most < k->left[i] ? most : k->left[i];
            k->copies[i] = 0;
        }
        if (!fill(k, row, first, first)) return false;
    }
    return mem_work(k->context, k->row_count * (size_t)k->class_count);
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

static enum proof_verdict search(plans *k, int64_t *least)
{
    uint64_t all = 0;
    int64_t worth = 0;
    for (uint32_t i = 0; i < k->class_count; i++) {
        int64_t count = k->p->counts[k->classes[i]], price = k->y[k->classes[i]];
        if (price > (INT64_MAX / 4 - worth) / count) return PROOF_TOO_MUCH;
        worth += price * count;
        all += (uint64_t)count * k->digit[i];
    }
    for (uint32_t r = 0; r < k->row_count; r++) {
        if (k->p->costs[k->rows[r]] > INT64_MAX / 4 / MOST_PODS) return PROOF_TOO_MUCH;
    }
    *least = k->enough;
    if (!reach(k, all, 0, worth)) return PROOF_TOO_MUCH;
    while (k->heap_count > 0) {
        state *s = &k->states[heap_pop(k)];
        if (s->done) continue;
        s->done = true;
        if (s->left == 0) {
            *least = s->cost;
            return PROOF_HOLDS;
        }
        const state now = *s;
        if (look_beyond(k, &now)) continue;
        return *k->work == 0 || k->state_count == k->most_states ? PROOF_TOO_MUCH : PROOF_NO_MEMORY;
    }
    return PROOF_HOLDS;
}

/* Allocates memory for the states, some of which are found more than once. false = out of memory. */
static bool alloc_states(plans *k, arena *a)
{
    k->most_states = k->state_numbers < MOST_STATES / 4 ? (uint32_t)k->state_numbers * 4 : MOST_STATES;
    while (((uint32_t)1 << k->slot_bits) < 2 * k->most_states) k->slot_bits++;
    k->states = arena_alloc(a, k->most_states * sizeof *k->states);
    k->heap = arena_alloc(a, k->most_states * sizeof *k->heap);
    k->slots = arena_array(a, (size_t)1 << k->slot_bits, sizeof *k->slots);
    return k->states != NULL && k->heap != NULL && k->slots != NULL;
}

enum proof_verdict plans_least(karp_context *context, const bound_problem *p, const int64_t *y, int64_t enough,
                               uint64_t *work, int64_t *least)
{
    plans k = { .context = context, .p = p, .y = y, .enough = enough, .work = work, .state_numbers = 1 };
    size_t n = p->class_count + (size_t)1;
    enum proof_verdict verdict = PROOF_TOO_MUCH;
    if (p->node_count > 0) return verdict;
    arena a = arena_on(context);
    k.classes = arena_array(&a, n, sizeof *k.classes);
    k.digit = arena_array(&a, n, sizeof *k.digit);
    k.left = arena_array(&a, 3 * n, sizeof *k.left);
    k.space = arena_array(&a, p->dims + (size_t)1, sizeof *k.space);
    k.rows = arena_array(&a, p->offer_count + (size_t)1, sizeof *k.rows);
    bool ok = k.classes != NULL && k.digit != NULL && k.left != NULL && k.space != NULL && k.rows != NULL;
    if (ok && find_classes(&k) && find_rows(&k)) {
        k.copies = k.left + n, k.limit = k.left + 2 * n;
        ok = alloc_states(&k, &a);
        if (ok) verdict = search(&k, least);
    }
    arena_free(&a);
    return ok ? verdict : PROOF_NO_MEMORY;
}
