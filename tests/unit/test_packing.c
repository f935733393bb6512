/* SPDX-License-Identifier: Apache-2.0 */
/* Packings in numbers: every pod on exactly one node, nothing beyond a node's room and rules, and never dearer with
 * more steps. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include <base/bits.h>
#include <optimise/fleet.h>
#include <support/random.h>

enum { DIMS = 3, CLASSES = 12, OFFERS = 20 };

/* A random problem. */
typedef struct world {
    int64_t requests[CLASSES * DIMS], rooms[OFFERS * DIMS];
    uint32_t counts[CLASSES], limits[CLASSES];
    double prices[OFFERS], worth[CLASSES];
    uint64_t allowed[CLASSES], conflicts[CLASSES];
    packing_problem problem;
} world;

static void make_world(world *w, uint64_t seed)
{
    memset(w, 0, sizeof *w);
    for (size_t c = 0; c < CLASSES; c++) {
        w->requests[c * DIMS] = 1 + (int64_t)random_below(&seed, 16);
        w->requests[c * DIMS + 1] = 1 + (int64_t)random_below(&seed, 64);
        w->requests[c * DIMS + 2] = 1;
        w->counts[c] = 1 + (uint32_t)random_below(&seed, 9);
        w->limits[c] = random_below(&seed, 4) == 0 ? 1 : UINT32_MAX;
        w->worth[c] = (double)w->requests[c * DIMS] + (double)w->requests[c * DIMS + 1] / 4;
        w->allowed[c] = (UINT64_C(1) << OFFERS) - 1;
        if (random_below(&seed, 4) == 0) w->allowed[c] &= ~(UINT64_C(0x55555));
    }
    for (size_t o = 0; o < OFFERS; o++) {
        w->rooms[o * DIMS] = 16 + 4 * (int64_t)o;
        w->rooms[o * DIMS + 1] = (64 + 16 * (int64_t)o) * (o % 2 == 0 ? 1 : 2);
        w->rooms[o * DIMS + 2] = 40;
        w->prices[o] = 1 + 0.26 * (double)o;
    }
    for (size_t i = 0; i < 4; i++) {
        size_t x = random_below(&seed, CLASSES), y = random_below(&seed, CLASSES);
        if (x == y) continue;
        w->conflicts[x] |= UINT64_C(1) << y;
        w->conflicts[y] |= UINT64_C(1) << x;
    }
    w->problem = (packing_problem){ DIMS,      CLASSES,    OFFERS,       w->requests, w->counts, w->limits, w->rooms,
                                    w->prices, w->allowed, w->conflicts, w->worth,    NULL,      NULL };
}

static void check_bin(const world *w, const packing_bin *b, uint32_t *placed)
{
    int64_t used[DIMS] = { 0 };
    for (size_t e = 0; e < b->entries.count; e++) {
        const packing_entry *x = &b->entries.items[e];
        assert_true(x->copies > 0 && x->copies <= w->limits[x->class_]);
        assert_true((w->allowed[x->class_] >> b->offer) & 1);
        placed[x->class_] += x->copies;
        for (size_t d = 0; d < DIMS; d++) used[d] += w->requests[x->class_ * DIMS + d] * (int64_t)x->copies;
        for (size_t f = 0; f < b->entries.count; f++)
            assert_false((w->conflicts[x->class_] >> b->entries.items[f].class_) & 1);
    }
    for (size_t d = 0; d < DIMS; d++) assert_true(used[d] <= w->rooms[b->offer * DIMS + d]);
}

static void check_plan(const world *w, const packing_bins *bins)
{
    uint32_t placed[CLASSES] = { 0 };
    double cost = 0;
    for (size_t i = 0; i < bins->list.count; i++) {
        check_bin(w, &bins->list.items[i], placed);
        cost += w->prices[bins->list.items[i].offer];
    }
    for (size_t c = 0; c < CLASSES; c++) assert_int_equal(placed[c], w->counts[c]);
    assert_true(fabs(cost - bins->cost) < 1e-9);
}

static void plans_serve_every_pod(void **state)
{
    (void)state;
    karp_context *context = NULL;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    for (uint64_t seed = 1; seed <= 60; seed++) {
        world w;
        make_world(&w, seed);
        packing *k = packing_begin(context, &w.problem, NULL), *again = packing_begin(context, &w.problem, NULL);
        assert_non_null(k);
        assert_non_null(again);
        double last = HUGE_VAL;
        for (uint64_t stop = 100; stop <= 1600; stop *= 2) {
            assert_true(packing_search(k, stop));
            assert_true(packing_best(k)->cost <= last); /* C-7 */
            last = packing_best(k)->cost;
            check_plan(&w, packing_best(k));
            assert_true(packing_search(again, stop)); /* C-6 */
        }
        assert_true(packing_best(again)->cost == last);
        assert_true(packing_steps(again) == packing_steps(k));
        packing_end(again);
        packing_end(k);
    }
    karp_context_unref(context);
}

/* A plan that is given is where the search begins, and stays when there is none cheaper. */
static void begins_from_a_plan(void **state)
{
    (void)state;
    static const int64_t requests[] = { 2 }, rooms[] = { 4, 16 };
    static const uint32_t counts[] = { 8 }, limits[] = { UINT32_MAX };
    static const double prices[] = { 1, 9 }, worth[] = { 0.5 };
    static const uint64_t allowed[] = { 3 };
    const packing_problem p = { 1, 1, 2, requests, counts, limits, rooms, prices, allowed, NULL, worth, NULL, NULL };
    karp_context *context = NULL;
    packing_bins from = { .cost = 0 };
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    packing_bin *b = packing_add_bin(context, &from, 1);
    assert_non_null(b);
    assert_true(packing_add_entry(context, b, 0, 8));
    packing *k = packing_begin(context, &p, &from);
    assert_non_null(k);
    assert_true(packing_best(k)->cost == 9);
    assert_true(packing_search(k, 1000));
    assert_true(packing_best(k)->cost == 4);
    assert_int_equal(packing_best(k)->list.count, 4);
    packing_end(k);
    packing_bins_free(context, &from);
    karp_context_unref(context);
}

/* Where each of many classes is asked for a few times, the first plans take not much longer than they may, and are near
 * the bound. */
static void many_classes_take_no_longer(void **state)
{
    (void)state;
    enum { MANY = 800, KINDS = 6 };
    static int64_t requests[MANY * 2];
    static uint32_t counts[MANY], limits[MANY];
    static uint64_t allowed[MANY];
    static const int64_t rooms[KINDS * 2] = { 2000, 4000,  2000,  8000,  8000,  16000,
                                              8000, 32000, 32000, 64000, 32000, 128000 };
    static const double prices[KINDS] = { 1.05, 1.32, 4.1, 5.2, 16.2, 20.4 };
    packing_problem p = { 2, MANY, KINDS, requests, counts, limits, rooms, prices, allowed, NULL, NULL, NULL, NULL };
    uint64_t seed = 7;
    for (size_t c = 0; c < MANY; c++) {
        requests[2 * c] = 20 + (int64_t)random_below(&seed, 1500);
        requests[2 * c + 1] = 20 + (int64_t)random_below(&seed, 6000);
        counts[c] = 40 + (uint32_t)random_below(&seed, 60);
        limits[c] = UINT32_MAX;
        allowed[c] = (1 << KINDS) - 1;
    }
    karp_context *context = NULL;
    arena a;
    double bound = 0;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    arena_init(&a, context);
    assert_true(packing_rate(&a, &p));
    for (size_t c = 0; c < MANY; c++) bound += p.worth[c] * counts[c];
    for (size_t o = 0; o < KINDS; o++) assert_true(p.promise[o] > 0 && p.promise[o] <= 1);
    packing *k = packing_begin(context, &p, NULL);
    assert_non_null(k);
    assert_true(packing_search(k, 10000));
    assert_true(packing_steps(k) < 40000);
    assert_true(packing_best(k)->cost < 1.1 * bound);
    assert_true(packing_search(k, 100000));
    assert_true(packing_steps(k) < 400000);
    assert_true(packing_best(k)->cost < 1.07 * bound);
    packing_end(k);
    arena_free(&a);
    karp_context_unref(context);
}

/* What a packing of so few pods costs at least, by every way to put one pod after the other on a node. */
static double least_cost(const world *w, uint32_t at, uint32_t count, const uint32_t *class_of, uint32_t *on,
                         uint32_t nodes)
{
    double least = HUGE_VAL, cost = 0;
    if (at < count) {
        for (uint32_t n = 0; n <= nodes; n++) {
            on[at] = n;
            double found = least_cost(w, at + 1, count, class_of, on, n == nodes ? nodes + 1 : nodes);
            least = found < least ? found : least;
        }
        return least;
    }
    for (uint32_t n = 0; n < nodes; n++) {
        uint64_t offers = (UINT64_C(1) << OFFERS) - 1;
        uint32_t copies[CLASSES] = { 0 };
        double price = HUGE_VAL;
        for (uint32_t i = 0; i < count; i++) {
            if (on[i] != n) continue;
            offers &= w->allowed[class_of[i]];
            if (++copies[class_of[i]] > w->limits[class_of[i]]) return HUGE_VAL;
            for (uint32_t j = 0; j < i; j++) {
                if (on[j] == n && (w->conflicts[class_of[i]] >> class_of[j] & 1) != 0) return HUGE_VAL;
            }
        }
        for (size_t o = 0; o < OFFERS; o++) {
            bool holds = (offers >> o & 1) != 0;
            for (size_t d = 0; d < DIMS; d++) {
                int64_t used = 0;
                for (size_t c = 0; c < CLASSES; c++) used += copies[c] * w->requests[c * DIMS + d];
                holds = holds && used <= w->rooms[o * DIMS + d];
            }
            if (holds && w->prices[o] < price) price = w->prices[o];
        }
        cost += price;
    }
    return cost;
}

/* Of at most ten pods the cheapest packing of all is found, within few steps. */
static void few_pods_are_exact(void **state)
{
    (void)state;
    karp_context *context = NULL;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    for (uint64_t seed = 1; seed <= 40; seed++) {
        world w;
        uint32_t class_of[6], on[6], count = 1 + (uint32_t)(seed % 6);
        uint64_t chance = seed;
        make_world(&w, seed);
        memset(w.counts, 0, sizeof w.counts);
        for (uint32_t i = 0; i < count; i++) {
            class_of[i] = (uint32_t)random_below(&chance, CLASSES);
            w.counts[class_of[i]]++;
        }
        packing *k = packing_begin(context, &w.problem, NULL);
        assert_non_null(k);
        assert_true(packing_search(k, 1000));
        double least = least_cost(&w, 0, count, class_of, on, 0);
        assert_true(fabs(packing_best(k)->cost - least) < 1e-9);
        check_plan(&w, packing_best(k));
        packing_end(k);
    }
    karp_context_unref(context);
}

/* Contents that another problem buys are used without the pods that rules of this one exclude. */
static void other_contents_keep_rules(void **state)
{
    (void)state;
    const int64_t requests[] = { 1, 2 }, spaces[] = { 5 };
    const uint32_t counts[] = { 3, 1 }, limits[] = { 1, UINT32_MAX }, copies[] = { 3, 1 }, offer[] = { 0 };
    const uint32_t class_of[] = { 0, 1 };
    const uint64_t allowed[] = { 1, 1 }, conflicts[] = { 2, 1 };
    const double prices[] = { 1 }, worth[] = { 1, 1 };
    const packing_problem p = {
        1, 2, 1, requests, counts, limits, spaces, prices, allowed, conflicts, worth, NULL, NULL
    };
    const packing_contents others = { 1, offer, copies, 2, class_of };
    karp_context *context = NULL;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    arena a;
    arena_init(&a, context);
    packing_patterns found;
    assert_true(packing_find_patterns(&a, &p, NULL, &others, 1000, &found));
    assert_true(found.count > 0);
    double nodes = 0;
    for (uint32_t i = 0; i < found.count; i++) {
        const uint32_t *has = found.copies + (size_t)i * found.group_count;
        assert_true(has[found.group_of[0]] <= 1);
        assert_true(has[found.group_of[0]] == 0 || has[found.group_of[1]] == 0);
        nodes += found.nodes[i];
    }
    assert_true(nodes > 3 - 1e-6); /* not one for all */
    arena_free(&a);
    karp_context_unref(context);
}

/* Buys the whole nodes of the patterns. `rest` receives the pods that are left. Returns what the fractions cost. */
static double buy_whole_nodes(const world *w, const packing_patterns *from, uint32_t *rest)
{
    double parts = 0;
    memcpy(rest, w->counts, sizeof w->counts);
    for (uint32_t i = 0; i < from->count; i++) {
        const uint32_t *copies = from->copies + (size_t)i * from->group_count;
        uint32_t nodes = (uint32_t)from->nodes[i];
        parts += (from->nodes[i] - nodes) * w->prices[from->offer[i]];
        for (uint32_t c = 0; c < CLASSES; c++) { /* each class is a group of its own */
            uint32_t n = nodes * copies[from->group_of[c]];
            rest[c] = n < rest[c] ? rest[c] - n : 0;
        }
    }
    return parts;
}

/* What the patterns cost, and pods that they do not have at twice what they are worth. */
static double cost_with_rest(const world *w, const packing_patterns *x, const uint32_t *rest, const double *worth)
{
    double sum = 0;
    for (uint32_t i = 0; i < x->count; i++) sum += x->nodes[i] * w->prices[x->offer[i]];
    for (uint32_t c = 0; c < CLASSES; c++) {
        double left = rest[c];
        for (uint32_t i = 0; i < x->count; i++)
            left -= x->nodes[i] * x->copies[(size_t)i * x->group_count + x->group_of[c]];
        if (left > 0) sum += 2 * left * worth[c];
    }
    return sum;
}

/* For the pods that whole nodes of patterns leave, known patterns and prices are as good within a step as without them
 * after many: about what the fractions of nodes cost. */
static void fewer_pods_begin_with_what_is_known(void **state)
{
    (void)state;
    karp_context *context = NULL;
    double parts = 0, known = 0, many = 0;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        world w;
        packing_patterns all, some;
        uint32_t rest[CLASSES];
        arena a = arena_on(context);
        make_world(&w, seed);
        for (uint32_t c = 0; c < CLASSES; c++) w.counts[c] *= 20, w.limits[c] = UINT32_MAX;
        for (uint32_t o = 2; o < OFFERS; o++) w.prices[o] *= 50; /* few pods fill a node, so fractions prove little */
        w.problem.conflicts = NULL;
        assert_true(packing_find_patterns(&a, &w.problem, NULL, NULL, 20000, &all));
        if (all.group_count < CLASSES) {
            arena_free(&a);
            continue;
        }
        packing_problem left = w.problem;
        parts += buy_whole_nodes(&w, &all, rest);
        left.counts = rest;
        all.holds = true;
        assert_true(packing_find_patterns(&a, &left, &all, NULL, 1, &some));
        known += cost_with_rest(&w, &some, rest, all.worth);
        assert_true(packing_find_patterns(&a, &left, NULL, NULL, 20000, &some));
        many += cost_with_rest(&w, &some, rest, all.worth);
        arena_free(&a);
    }
    assert_true(parts > 20 && known < 1.1 * parts && known < 1.1 * many);
    karp_context_unref(context);
}

/* Exchanging nodes leaves every pod on one, and never makes a plan dearer. More steps continue from fewer. */
static void exchanges_serve_every_pod(void **state)
{
    (void)state;
    karp_context *context = NULL;
    uint32_t cheaper = 0;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    for (uint64_t seed = 1; seed <= 60; seed++) {
        world w;
        arena a = arena_on(context);
        make_world(&w, seed);
        assert_true(packing_rate(&a, &w.problem)); /* prices by which exchanges are drawn */
        packing *k = packing_begin(context, &w.problem, NULL);
        fleet *f = fleet_begin(context, &w.problem), *again = fleet_begin(context, &w.problem);
        assert_true(k != NULL && f != NULL && again != NULL && packing_search(k, 300));
        double last = packing_best(k)->cost;
        assert_true(fleet_start(f, packing_best(k)) && fleet_start(again, packing_best(k)));
        for (uint64_t stop = 500; stop <= 8000; stop *= 2) {
            assert_true(fleet_search(f, stop));
            assert_true(fleet_best(f)->cost <= last);
            last = fleet_best(f)->cost;
            check_plan(&w, fleet_best(f));
        }
        cheaper += last < packing_best(k)->cost * (1 - 1e-9);
        assert_true(fleet_search(again, 8000) && fleet_best(again)->cost == last);
        fleet_end(again);
        fleet_end(f);
        packing_end(k);
        arena_free(&a);
    }
    print_message("# cheaper: %u of 60\n", cheaper);
    assert_true(cheaper >= 30);
    karp_context_unref(context);
}

enum { FULL_NODES = 5, FULL_CLASSES = 60 };

/* Pods that fill these nodes entirely are packed onto them, wherever they were before. */
static void full_nodes_are_found(void **state)
{
    (void)state;
    static const int64_t rooms[] = { 240, 480, 480, 480, 480, 960 };
    static const double prices[] = { 1, 1.5, 2 };
    static const uint32_t nodes[FULL_NODES] = { 0, 0, 1, 2, 2 };
    karp_context *context = NULL;
    uint32_t found = 0;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        uint64_t random = seed, allowed[FULL_CLASSES];
        int64_t requests[2 * FULL_CLASSES] = { 0 };
        uint32_t counts[FULL_CLASSES], limits[FULL_CLASSES];
        double worth[FULL_CLASSES];
        packing_bins from = { .cost = 0 };
        for (size_t n = 0; n < FULL_NODES; n++) { /* 12 pods of each node: cut at random places */
            for (size_t d = 0; d < 2; d++) {
                int64_t left = rooms[2 * nodes[n] + d];
                for (size_t i = 0; i < 12; i++) {
                    int64_t most = 2 * left / (int64_t)(12 - i);
                    int64_t part = i == 11 ? left : (int64_t)random_below(&random, (uint64_t)most);
                    requests[2 * (12 * n + i) + d] = part;
                    left -= part;
                }
            }
        }
        for (uint32_t c = 0; c < FULL_CLASSES; c++) {
            counts[c] = limits[c] = 1;
            allowed[c] = 7;
            worth[c] = 0.001 * (double)requests[2 * (size_t)c] + 0.001 * (double)requests[2 * (size_t)c + 1];
            packing_bin *b = packing_add_bin(context, &from, 2);
            assert_true(b != NULL && packing_add_entry(context, b, c, 1));
            from.cost += 2;
        }
        const packing_problem p = { 2,      FULL_CLASSES, 3,    requests, counts, limits, rooms,
                                    prices, allowed,      NULL, worth,    NULL,   NULL };
        fleet *f = fleet_begin(context, &p);
        assert_non_null(f);
        assert_true(fleet_start(f, &from) && fleet_try(f, &(packing_contents){ FULL_NODES, nodes, NULL, 0, NULL }));
        found += fleet_best(f)->cost <= 7.5 + 1e-9;
        assert_true(fleet_best(f)->cost <= 120);
        fleet_end(f);
        packing_bins_free(context, &from);
    }
    assert_true(found >= 18);
    print_message("# full nodes: %u of 20\n", found);
    karp_context_unref(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_serve_every_pod),       cmocka_unit_test(begins_from_a_plan),
        cmocka_unit_test(many_classes_take_no_longer), cmocka_unit_test(few_pods_are_exact),
        cmocka_unit_test(other_contents_keep_rules),   cmocka_unit_test(fewer_pods_begin_with_what_is_known),
        cmocka_unit_test(exchanges_serve_every_pod),   cmocka_unit_test(full_nodes_are_found)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
