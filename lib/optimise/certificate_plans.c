/* SPDX-License-Identifier: Apache-2.0 */
#include <optimise/certificate_plans.h>

#include <base/bits.h>
#include <base/sort.h>

enum { MOST_PODS = 300, FIRST_STATES = 1 << 8, MOST_STATES = 1 << 19, WORK_A_CHOICE = 64 };
#define ANY UINT32_MAX

/* Pods that are left, as digits of a number, and so many existing nodes looked at; `cost` of the nodes that were
 * bought. */
typedef struct state {
    uint64_t left;
    uint32_t nodes;
    int64_t cost, total; /* total: with the prices of the pods that are left */
    bool done; /* its continuations were looked at */
} state;

typedef struct plans {
    karp_context *context;
    const bound_problem *p;
    const int64_t *y;
    int64_t *counts; /* by class: pods, in the domains that were chosen */
    uint32_t *nodes, node_count; /* rows of existing nodes on which some pod fits */
    int64_t *charges; /* by index in `nodes`: the most that pods on it and on those after it are worth */
    uint32_t class_count, row_count;
    uint32_t *classes, *rows; /* the classes with pods, the most expensive first; offers that no other one replaces */
    uint64_t *digit; /* by index in `classes`: what one pod counts in a state's number */
    int64_t *left, *copies, *limit; /* by index: pods that are left; of the current content; most copies of it */
    int64_t *space; /* by resource: what is left of the current node */
    state *states;
    uint32_t *slots, *heap, state_count, heap_count, room, slot_bits;
    arena data; /* states, of which there is room for so many */
    bool failed; /* out of memory */
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
    int64_t pods = 0;
    k->class_count = 0;
    k->state_numbers = 1;
    for (uint32_t c = 0; c < k->p->class_count; c++) {
        if (k->counts[c] > MOST_PODS - pods) return false;
        pods += k->counts[c];
        if (k->counts[c] > 0) k->classes[k->class_count++] = c;
    }
    k->failed = !sort_ids(k->context, k->classes, k->class_count, by_price, k->y);
    if (k->failed) return false;
    for (uint32_t i = k->class_count; i-- > 0;) {
        k->digit[i] = k->state_numbers;
        if (k->state_numbers > UINT64_MAX / (MOST_PODS + 1)) return false;
        k->state_numbers *= (uint64_t)k->counts[k->classes[i]] + 1;
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

/* Chooses the offers; false = stopped. */
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
    return true;
}

/* Lists the existing nodes on which something fits; `spent` has what pods on each are worth at most. */
static void find_nodes(plans *k, const int64_t *spent)
{
    const bound_problem *p = k->p;
    for (uint32_t i = 0; i < p->node_count; i++) {
        bool fits = false;
        for (uint32_t c = 0; !fits && c < p->class_count; c++) fits = bound_copies(p, p->offer_count + i, c) > 0;
        if (!fits) continue;
        k->charges[k->node_count] = spent[i];
        k->nodes[k->node_count++] = p->offer_count + i;
    }
    for (uint32_t i = k->node_count; i-- > 1;) k->charges[i - 1] += k->charges[i];
}

/* Whether each class with pods fits somewhere. */
static bool all_fit(const plans *k)
{
    bool fit = true;
    for (uint32_t i = 0; fit && i < k->class_count; i++) {
        fit = false;
        for (uint32_t r = 0; !fit && r < k->row_count; r++) fit = bound_copies(k->p, k->rows[r], k->classes[i]) > 0;
        for (uint32_t n = 0; !fit && n < k->node_count; n++) fit = bound_copies(k->p, k->nodes[n], k->classes[i]) > 0;
    }
    return fit;
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

static uint64_t first_slot(const plans *k, const state *s)
{
    return ((s->left * (k->node_count + UINT64_C(1)) + s->nodes) * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - k->slot_bits);
}

/* The slot of the state with these pods and nodes, or the one that it would have. */
static uint64_t slot_of(const plans *k, const state *x)
{
    uint64_t mask = (UINT64_C(1) << k->slot_bits) - 1, at = first_slot(k, x);
    while (k->slots[at] != 0) {
        const state *s = &k->states[k->slots[at] - 1];
        if (s->left == x->left && s->nodes == x->nodes) break;
        at = (at + 1) & mask;
    }
    return at;
}

/* Makes room for twice as many states. false = too many, or out of memory. */
static bool make_room(plans *k)
{
    uint32_t room = k->room == 0 ? FIRST_STATES : 2 * k->room;
    if (room > MOST_STATES) return false;
    state *states = arena_alloc(&k->data, room * sizeof *states);
    uint32_t *heap = arena_alloc(&k->data, room * sizeof *heap);
    uint32_t *slots = arena_array(&k->data, 2 * (size_t)room, sizeof *slots);
    if (states == NULL || heap == NULL || slots == NULL) {
        k->failed = true;
        return false;
    }
    if (k->state_count > 0) memcpy(states, k->states, k->state_count * sizeof *states);
    if (k->heap_count > 0) memcpy(heap, k->heap, k->heap_count * sizeof *heap);
    k->states = states;
    k->heap = heap;
    k->slots = slots;
    k->room = room;
    for (k->slot_bits = 1; UINT32_C(1) << k->slot_bits < 2 * room;) k->slot_bits++;
    for (uint32_t i = 0; i < k->state_count; i++) k->slots[slot_of(k, &k->states[i])] = i + 1; /* the last one counts */
    return true;
}

/* Notes that the state can be reached at this cost. A state that is found again at a lower cost gets a new entry, and
 * the old one is skipped. false = too many. */
static bool reach(plans *k, uint64_t left, uint32_t nodes, int64_t cost, int64_t worth)
{
    const state x = { left, nodes, cost, cost + worth - k->charges[nodes], false };
    if (x.total >= k->enough) return true;
    if (k->state_count == k->room && !make_room(k)) return false;
    uint64_t at = slot_of(k, &x);
    if (k->slots[at] != 0) {
        state *s = &k->states[k->slots[at] - 1];
        if (s->cost <= cost) return true;
        s->done = true;
    }
    k->states[k->state_count] = x;
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
    if (row >= k->p->offer_count) return reach(k, left, k->from->nodes + 1, k->from->cost, worth);
    return reach(k, left, k->from->nodes, k->from->cost + k->p->costs[row], worth);
}

/* Looks at all contents that differ from here on. first: the first class, of which a bought node has pods; ANY = none
 * needs any. false = too much. */
static bool fill(plans *k, uint32_t row, uint32_t from, uint32_t first)
{
    while (from < k->class_count && k->limit[from] == 0) from++;
    if (*k->work == 0) return false;
    --*k->work;
    if (from == k->class_count) return close_node(k, row);
    int64_t most = more_of(k, from);
    bool ok = true;
    put(k, from, most);
    for (int64_t n = most; ok && n >= (from == first ? 1 : 0); n--) { /* some bought node has pods of the first class */
        ok = fill(k, row, from + 1, first);
        if (n > 0) put(k, from, -1);
    }
    if (k->copies[from] > 0) put(k, from, -k->copies[from]);
    return ok;
}

static bool fill_row(plans *k, uint32_t row, uint32_t from, uint32_t first)
{
    const bound_problem *p = k->p;
    for (uint32_t d = 0; d < p->dims; d++) {
        int64_t has = p->capacity[(size_t)row * p->dims + d];
        k->space[d] = has > 0 ? has : 0;
    }
    for (uint32_t i = 0; i < k->class_count; i++) {
        int64_t most = bound_copies(p, row, k->classes[i]);
        k->limit[i] = most < k->left[i] ? most : k->left[i];
        k->copies[i] = 0;
    }
    return fill(k, row, from, first);
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
    if (s->nodes < k->node_count) return fill_row(k, k->nodes[s->nodes], 0, ANY);
    for (uint32_t r = 0; r < k->row_count; r++) {
        if (bound_copies(p, k->rows[r], k->classes[first]) > 0 && !fill_row(k, k->rows[r], first, first)) return false;
    }
    return mem_work(k->context, k->row_count * (size_t)k->class_count);
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

/* Lowers `enough` to the least that nodes for the pods cost. */
static enum proof_verdict search(plans *k, int64_t worth)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < k->class_count; i++) all += (uint64_t)k->counts[k->classes[i]] * k->digit[i];
    if (!reach(k, all, 0, 0, worth)) return PROOF_NO_MEMORY;
    while (k->heap_count > 0) {
        state *s = &k->states[heap_pop(k)];
        if (s->done) continue;
        s->done = true;
        if (s->left == 0) {
            k->enough = s->cost;
            return PROOF_HOLDS;
        }
        const state now = *s;
        if (look_beyond(k, &now)) continue;
        bool much = *k->work == 0 || (k->state_count == k->room && !k->failed);
        return much ? PROOF_TOO_MUCH : PROOF_NO_MEMORY;
    }
    return PROOF_HOLDS;
}

/* Looks at all sets of nodes for the pods in the domains that were chosen. */
static enum proof_verdict look(plans *k)
{
    int64_t worth = 0;
    if (*k->work <= WORK_A_CHOICE || !find_classes(k) || !all_fit(k))
        return k->failed ? PROOF_NO_MEMORY : PROOF_TOO_MUCH;
    *k->work -= WORK_A_CHOICE;
    for (uint32_t i = 0; i < k->class_count; i++) {
        int64_t count = k->counts[k->classes[i]], price = k->y[k->classes[i]];
        if (price > (INT64_MAX / 4 - worth) / count) return PROOF_TOO_MUCH;
        worth += price * count;
    }
    if (worth - k->charges[0] >= k->enough) return PROOF_HOLDS;
    arena_init(&k->data, k->context);
    k->state_count = k->heap_count = k->room = 0;
    enum proof_verdict verdict = search(k, worth);
    arena_free(&k->data);
    return verdict;
}

/* Chooses domains for so many groups of a choice, and for the choices after it. Groups that are alike take domains in
 * ascending order. */
static enum proof_verdict choose(plans *k, uint32_t number, int64_t groups, uint32_t from)
{
    const bound_problem *p = k->p;
    while (number < p->choice_count && (groups == 0 || p->choices[number].domain_count == 0)) {
        groups = ++number < p->choice_count ? p->choices[number].groups : 0;
        from = 0;
    }
    if (number == p->choice_count) return look(k);
    const relaxed_choice *x = &p->choices[number];
    enum proof_verdict verdict = PROOF_HOLDS;
    for (uint32_t d = from; d < x->domain_count && verdict == PROOF_HOLDS; d++) {
        const uint32_t *classes = x->classes + (size_t)d * x->member_count;
        for (uint32_t n = 0; n < x->member_count; n++) k->counts[classes[n]] += x->copies[n];
        verdict = choose(k, number, groups - 1, d);
        for (uint32_t n = 0; n < x->member_count; n++) k->counts[classes[n]] -= x->copies[n];
    }
    return verdict;
}

/* Whether no sum of costs overflows, and there are not too many groups to choose domains for. */
static bool in_range(const plans *k)
{
    int64_t groups = 0;
    for (uint32_t r = 0; r < k->row_count; r++) {
        if (k->p->costs[k->rows[r]] > INT64_MAX / 4 / MOST_PODS) return false;
    }
    for (uint32_t i = 0; i < k->p->choice_count; i++) {
        if (k->p->choices[i].groups > MOST_PODS - groups) return false;
        groups += k->p->choices[i].groups;
    }
    return true;
}

enum proof_verdict plans_least(karp_context *context, const bound_problem *p, const plans_prices *prices,
                               int64_t enough, uint64_t *work, int64_t *least)
{
    plans k = { .context = context, .p = p, .y = prices->y, .enough = enough, .work = work };
    size_t n = p->class_count + (size_t)1;
    enum proof_verdict verdict = PROOF_TOO_MUCH;
    arena a = arena_on(context);
    k.classes = arena_array(&a, n, sizeof *k.classes);
    k.digit = arena_array(&a, n, sizeof *k.digit);
    k.left = arena_array(&a, 3 * n, sizeof *k.left);
    k.space = arena_array(&a, p->dims + (size_t)1, sizeof *k.space);
    k.rows = arena_array(&a, p->offer_count + (size_t)1, sizeof *k.rows);
    k.nodes = arena_array(&a, p->node_count + (size_t)1, sizeof *k.nodes);
    k.charges = arena_array(&a, p->node_count + (size_t)1, sizeof *k.charges);
    k.counts = arena_copy(&a, p->counts, n * sizeof *k.counts);
    bool ok = k.classes != NULL && k.digit != NULL && k.left != NULL && k.space != NULL && k.rows != NULL &&
              k.nodes != NULL && k.charges != NULL && k.counts != NULL && find_rows(&k);
    if (ok && in_range(&k)) {
        k.copies = k.left + n, k.limit = k.left + 2 * n;
        find_nodes(&k, prices->spent);
        for (uint32_t i = 0; i < p->choice_count; i++) {
            if (p->choices[i].domain_count > 0) k.counts[p->choices[i].class_] = 0;
        }
        verdict = choose(&k, 0, p->choice_count > 0 ? p->choices[0].groups : 0, 0);
        *least = k.enough;
    }
    arena_free(&a);
    return ok ? verdict : PROOF_NO_MEMORY;
}
