/* SPDX-License-Identifier: Apache-2.0 */
/* The fluid bound, that of whole pods, and their proofs: never above a plan that exists, near the optimum where that is
 * known, refused once it claims more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <base/bits.h>
#include <optimise/bound.h>
#include <optimise/certificate_plans.h>
#include <optimise/certify.h>
#include <optimise/contents.h>
#include <stdlib.h>
#include <string.h>

#define DIMS 3
#define CLASSES 9
#define OFFERS 12

typedef struct world {
    int64_t requests[CLASSES * DIMS], counts[CLASSES], limits[CLASSES], capacity[OFFERS * DIMS], costs[OFFERS];
    uint64_t allowed[OFFERS];
    bound_problem problem;
} world;

static uint64_t random_state;

/* How many times as many random problems as usual: KARP_BOUND_TIMES, which suite long sets. */
static int times(void)
{
    const char *text = getenv("KARP_BOUND_TIMES");
    int found = text ? atoi(text) : 1;
    return found > 0 ? found : 1;
}

static uint64_t next(uint64_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (random_state >> 33) % below;
}

static void world_init(world *w)
{
    *w = (world){ .problem = { .dims = DIMS, .class_count = CLASSES, .offer_count = OFFERS } };
    bound_problem *p = &w->problem;
    p->requests = w->requests, p->counts = w->counts, p->limits = w->limits;
    p->capacity = w->capacity, p->costs = w->costs, p->allowed = w->allowed;
}

static karp_context *new_context(void)
{
    karp_context *context = NULL;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    return context;
}

static void random_world(world *w, uint64_t seed)
{
    random_state = seed;
    world_init(w);
    for (int c = 0; c < CLASSES; c++) {
        w->requests[c * DIMS] = (int64_t)(50 + next(4000));
        w->requests[c * DIMS + 1] = (int64_t)(next(3) == 0 ? 0 : (1 + next(16000)) << 20);
        w->requests[c * DIMS + 2] = 1;
        w->counts[c] = (int64_t)next(60);
        w->limits[c] = next(3) == 0 ? (int64_t)(1 + next(3)) : COPIES_ANY;
    }
    for (int o = 0; o < OFFERS; o++) {
        int64_t cpus = INT64_C(1) << (1 + next(6));
        w->capacity[o * DIMS] = cpus * 1000 - 100;
        w->capacity[o * DIMS + 1] = cpus * (int64_t)(2 << next(3)) << 30;
        w->capacity[o * DIMS + 2] = (int64_t)(8 + next(100));
        w->costs[o] = cpus * (int64_t)(30000000000 + next(40000000000));
        w->allowed[o] = next(4) == 0 ? next(1 << CLASSES) : (1 << CLASSES) - 1;
    }
}

/* What a plan costs that fills nodes of one offer after the other, first fit; -1 when some pod fits nowhere. */
static int64_t first_fit(const world *w, uint32_t shift)
{
    int64_t left[CLASSES], cost = 0;
    memcpy(left, w->counts, sizeof left);
    for (uint32_t c = 0; c < CLASSES; c++) {
        while (left[c] > 0) {
            uint32_t offer = OFFERS;
            for (uint32_t i = 0; i < OFFERS && offer == OFFERS; i++) {
                if (bound_copies(&w->problem, (i + shift) % OFFERS, c) > 0) offer = (i + shift) % OFFERS;
            }
            if (offer == OFFERS) return -1;
            int64_t space[DIMS];
            memcpy(space, w->capacity + (size_t)offer * DIMS, sizeof space);
            for (uint32_t k = c; k < CLASSES; k++) {
                int64_t most = bound_copies(&w->problem, offer, k);
                for (int64_t n = 0; n < most && left[k] > 0; n++) {
                    bool fits = true;
                    for (uint32_t d = 0; d < DIMS; d++) fits = fits && w->requests[k * DIMS + d] <= space[d];
                    if (!fits) break;
                    for (uint32_t d = 0; d < DIMS; d++) space[d] -= w->requests[k * DIMS + d];
                    left[k]--;
                }
            }
            cost += w->costs[offer];
        }
    }
    return cost;
}

/* The proof must hold. */
static int64_t value_of(const arena *a, const bound_problem *p, const bound_proof *proof)
{
    amount value;
    int64_t out;
    proof_fault fault;
    assert_true(proof_holds(a->context, p, proof, &value, &fault));
    assert_true(amount_scale(value, amount_from(1), &out));
    return out;
}

static int64_t proven(const world *w, arena *a, bound_proof *proof)
{
    assert_true(bound_fluid(a, &w->problem, 1e-6, 200, proof));
    return value_of(a, &w->problem, proof);
}

static void never_above_a_plan(void **state)
{
    (void)state;
    karp_context *context = new_context();
    int compared = 0;
    const uint64_t most = 100 * (uint64_t)times();
    for (uint64_t seed = 1; seed <= most; seed++) {
        world w;
        bound_proof proof;
        arena a;
        arena_init(&a, context);
        random_world(&w, seed);
        int64_t bound = proven(&w, &a, &proof);
        for (uint32_t shift = 0; shift < OFFERS; shift++) {
            int64_t cost = first_fit(&w, shift);
            if (cost < 0) continue;
            assert_true(bound <= cost);
            compared++;
        }
        arena_free(&a);
    }
    assert_true(compared > 1000);
    karp_context_unref(context);
}

/* One offer, one resource: the fluid optimum is what the pods take of a node, times its price. */
static void known_optimum(void **state)
{
    (void)state;
    karp_context *context = new_context();
    arena a;
    arena_init(&a, context);
    world w;
    bound_proof proof;
    world_init(&w);
    w.problem.class_count = 2, w.problem.offer_count = 2;
    w.problem.dims = 1;
    w.requests[0] = 250, w.requests[1] = 1000;
    w.counts[0] = 100, w.counts[1] = 30;
    w.limits[0] = w.limits[1] = COPIES_ANY;
    w.capacity[0] = 4000, w.capacity[1] = 2000;
    w.costs[0] = INT64_C(200000000000), w.costs[1] = INT64_C(110000000000);
    w.allowed[0] = w.allowed[1] = 3;
    assert_in_range(proven(&w, &a, &proof), INT64_C(2749999000000),
                    INT64_C(2750000000000)); /* 55,000 m at 0.2 $ per 4,000 m */
    w.limits[1] = 1; /* 30 nodes: the cheaper ones, which hold the small pods, too */
    assert_in_range(proven(&w, &a, &proof), INT64_C(3299999000000), INT64_C(3300000000000));
    w.allowed[0] = w.allowed[1] = 1; /* the large ones fit nowhere, and count nothing */
    assert_in_range(proven(&w, &a, &proof), INT64_C(1249999000000), INT64_C(1250000000000));
    arena_free(&a);
    karp_context_unref(context);
}

static void mutations_that_claim_more(void **state)
{
    (void)state;
    karp_context *context = new_context();
    int refused = 0;
    const int enough = 250 * times();
    for (uint64_t seed = 1; refused < enough; seed++) {
        world w;
        bound_proof proof;
        arena a;
        arena_init(&a, context);
        random_world(&w, seed);
        (void)proven(&w, &a, &proof);
        for (int i = 0; i < 20; i++) {
            /* a price that is the least any offer bears cannot rise: every one of these is an inequality that fails */
            uint32_t c = (uint32_t)next(CLASSES);
            amount value;
            proof_fault fault;
            int64_t before = proof.y[c];
            proof.y[c] += (int64_t)(1 + next(1000000));
            assert_false(proof_holds(a.context, &w.problem, &proof, &value, &fault));
            assert_int_equal(fault.kind, PROOF_CLASS_TOO_DEAR);
            assert_int_equal(fault.class_, c);
            refused++;
            proof.y[c] = before;
            size_t at = next(proof.share_count * DIMS);
            before = proof.shares[at];
            proof.shares[at] += w.costs[proof.of[at / DIMS]] + 1;
            assert_false(proof_holds(a.context, &w.problem, &proof, &value, &fault));
            assert_int_equal(fault.kind, PROOF_OFFER_TOO_CHEAP);
            proof.shares[at] = -1;
            assert_false(proof_holds(a.context, &w.problem, &proof, &value, &fault));
            assert_int_equal(fault.kind, PROOF_NEGATIVE);
            proof.shares[at] = before;
        }
        arena_free(&a);
    }
    karp_context_unref(context);
}

/* ---- whole pods -------------------------------------------------------------------------------------------------- */

/* A bound of whole pods for the world, which has few of each class; false = none that is better than that of fractions.
 */
static bool charged_bound(world *w, arena *a, bound_charges *charges, bound_proof *whole, int64_t *fluid)
{
    bound_proof proof;
    *fluid = proven(w, a, &proof);
    for (int c = 0; c < CLASSES; c++) {
        if (w->counts[c] > 0 && w->limits[c] > w->counts[c]) w->limits[c] = w->counts[c];
    }
    assert_true(bound_whole(a, &w->problem, &proof, 20000, NULL, charges, whole));
    return whole->y != NULL;
}

static bool whole_bound(world *w, arena *a, bound_proof *whole, int64_t *fluid)
{
    return charged_bound(w, a, NULL, whole, fluid);
}

static int64_t value_if_it_holds(const world *w, const arena *a, const bound_proof *proof)
{
    amount value;
    proof_fault fault;
    int64_t out;
    if (!proof_holds(a->context, &w->problem, proof, &value, &fault)) return -1;
    return amount_scale(value, amount_from(1), &out) ? out : INT64_MAX;
}

static int64_t cheapest_first_fit(const world *w)
{
    int64_t least = INT64_MAX;
    for (uint32_t shift = 0; shift < OFFERS; shift++) {
        int64_t cost = first_fit(w, shift);
        if (cost >= 0 && cost < least) least = cost;
    }
    return least;
}

static void few_pods(world *w, uint64_t seed)
{
    random_world(w, seed);
    for (int c = 0; c < CLASSES; c++) w->counts[c] = (int64_t)next(6);
    for (int o = 0; o < OFFERS; o++) w->allowed[o] = (1 << CLASSES) - 1;
}

/* What whole nodes cost whose charges are as much as the pods are worth is never below what prices prove, nor above a
 * plan. */
static bool counts_above(const world *w, const arena *a, const bound_charges *charges, int64_t plan)
{
    int64_t least = 0;
    bool above = false;
    for (uint32_t i = 0; i < charges->count; i++) {
        int64_t value = value_if_it_holds(w, a, &charges->proofs[i]);
        assert_true(value >= 0);
        if (counts_least(a->context, &w->problem, &charges->proofs[i], value, INT64_MAX / 8, &least) != PROOF_HOLDS)
            continue;
        assert_in_range(least, value, plan);
        above = above || least > value + value / 1000;
    }
    return above;
}

/* Whether the tree over numbers of nodes proves more than prices alone, and no more than a plan costs. */
static bool tree_above(world *w, arena *a, const bound_charges *charges, int64_t plan)
{
    const bound_tree *t = &charges->tree;
    int64_t least = 0, most = 0;
    if (t->nodes == NULL) return false;
    for (uint32_t i = 0; i < t->proof_count; i++) {
        int64_t value = value_if_it_holds(w, a, &t->proofs[i]);
        assert_true(value >= 0);
        if (value > most) most = value;
    }
    assert_int_equal(tree_least(a->context, &w->problem, t, INT64_MAX / 8, &least), PROOF_HOLDS);
    assert_in_range(least, 0, plan);
    bound_tree shorter = *t;
    int64_t none = 0;
    shorter.node_count--;
    assert_int_equal(tree_least(a->context, &w->problem, &shorter, INT64_MAX / 8, &none), PROOF_NOT_COVERED);
    return least > most + most / 1000;
}

static void whole_pods_never_above_a_plan(void **state)
{
    (void)state;
    karp_context *context = new_context();
    int sharper = 0, compared = 0, exact = 0, counted = 0, trees = 0;
    const int most = 20 * times();
    for (uint64_t seed = 1; seed <= (uint64_t)most; seed++) {
        world w;
        bound_proof whole;
        arena a;
        int64_t fluid;
        arena_init(&a, context);
        bound_charges charges = { .tree_steps = 2000 };
        few_pods(&w, seed);
        if (charged_bound(&w, &a, &charges, &whole, &fluid)) {
            int64_t value = value_if_it_holds(&w, &a, &whole), plan = cheapest_first_fit(&w);
            counted += counts_above(&w, &a, &charges, plan);
            trees += tree_above(&w, &a, &charges, plan);
            assert_true(value >= 0);
            assert_true(value <= plan);
            compared++;
            sharper += value > fluid + fluid / 100;
            uint64_t work = UINT64_C(1) << 20;
            int64_t least = 0, none = 0;
            if (plans_least(context, &w.problem, &(const plans_prices){ whole.y, NULL }, INT64_MAX / 4, &work,
                            &least) == PROOF_HOLDS) {
                assert_in_range(least, value, plan);
                exact++;
                work = UINT64_C(1) << 20;
                assert_int_equal(
                    plans_least(context, &w.problem, &(const plans_prices){ whole.y, NULL }, least, &work, &none),
                    PROOF_HOLDS);
                assert_int_equal(none, least); /* no plan is cheaper */
                work = 3;
                assert_int_equal(
                    plans_least(context, &w.problem, &(const plans_prices){ whole.y, NULL }, least + 1, &work, &none),
                    PROOF_TOO_MUCH);
            }
        }
        arena_free(&a);
    }
    assert_true(compared > most / 2);
    assert_true(sharper > most / 4);
    assert_true(exact > most / 4);
    assert_true(trees > 0);
    assert_true(counted > most / 4);
    assert_true(trees > most / 20);
    karp_context_unref(context);
}

/* Two kinds of pods of which two and a half fit a node: only two do. */
static void parts_of_pods(void **state)
{
    (void)state;
    karp_context *context = new_context();
    arena a;
    arena_init(&a, context);
    world w;
    bound_proof whole;
    int64_t fluid;
    world_init(&w);
    w.problem.class_count = 2, w.problem.offer_count = 1, w.problem.dims = 1;
    w.requests[0] = w.requests[1] = 2, w.counts[0] = w.counts[1] = 10, w.limits[0] = w.limits[1] = COPIES_ANY;
    w.capacity[0] = 5, w.costs[0] = INT64_C(300000000000), w.allowed[0] = 3;
    assert_true(whole_bound(&w, &a, &whole, &fluid));
    assert_in_range(fluid, INT64_C(2399990000000), INT64_C(2400000000000));
    assert_in_range(value_if_it_holds(&w, &a, &whole), INT64_C(2999999000000), INT64_C(3000000000000));
    arena_free(&a);
    karp_context_unref(context);
}

/* Seven pods, of which two fit a node: four nodes, while three and a half are enough by prices. */
static void parts_of_nodes(void **state)
{
    (void)state;
    karp_context *context = new_context();
    arena a;
    arena_init(&a, context);
    world w;
    bound_proof whole;
    bound_charges charges = { .count = 0 };
    int64_t fluid, least = 0;
    world_init(&w);
    w.problem.class_count = 1, w.problem.offer_count = 1, w.problem.dims = 1;
    w.requests[0] = 2, w.counts[0] = 7, w.limits[0] = COPIES_ANY;
    w.capacity[0] = 5, w.costs[0] = INT64_C(300000000000), w.allowed[0] = 1;
    (void)charged_bound(&w, &a, &charges, &whole, &fluid);
    assert_int_equal(charges.count, 1);
    int64_t value = value_if_it_holds(&w, &a, &charges.proofs[0]);
    assert_in_range(value, INT64_C(1049999000000), INT64_C(1050000000000));
    assert_int_equal(counts_least(context, &w.problem, &charges.proofs[0], value, 2 * value, &least), PROOF_HOLDS);
    assert_int_equal(least, INT64_C(1200000000000));
    arena_free(&a);
    karp_context_unref(context);
}

/* Five pods, of which one kind of node holds two for 16 and another one for 9: prices of 8 prove 40, and whole nodes
 * cost
 * 41. The tree has to be complete, and its weights have to be those. */
static void tree_of_nodes(void **state)
{
    (void)state;
    karp_context *context = new_context();
    int64_t requests[] = { 2 }, counts[] = { 5 }, limits[] = { COPIES_ANY }, capacity[] = { 4, 2 }, costs[] = { 16, 9 };
    uint64_t allowed[] = { 1, 1 };
    int64_t y[] = { 8 }, shares[] = { 16, 8 }, extra[] = { 0, 0 }, least = 0;
    uint32_t of[] = { 0, 1 }, covered_by[] = { 0, 1 };
    const bound_problem p = { .dims = 1,
                              .class_count = 1,
                              .offer_count = 2,
                              .requests = requests,
                              .counts = counts,
                              .limits = limits,
                              .capacity = capacity,
                              .costs = costs,
                              .allowed = allowed };
    bound_proof proof = {
        .y = y, .share_count = 2, .of = of, .covered_by = covered_by, .shares = shares, .extra = extra
    };
    const tree_weight eighths = { 0, KARP_CERTIFICATE_PARTS / 8 * 9 }, lighter = { 0, KARP_CERTIFICATE_PARTS },
                      unknown = { 1, KARP_CERTIFICATE_PARTS }, negative = { 0, -1 };
    const tree_node all[] = { { 0, 2, NULL, 0 },
                              { KARP_CERTIFICATE_LEAF, 0, &eighths, 1 },
                              { KARP_CERTIFICATE_LEAF, 0, NULL, 0 } };
    tree_node nodes[3];
    const bound_tree tree = { &proof, 1, 3, nodes };
    const struct changed {
        uint32_t at;
        tree_node node;
        enum proof_verdict verdict;
        int64_t least;
    } changed[] = { { 0, all[0], PROOF_HOLDS, 41 },
                    { 1, { KARP_CERTIFICATE_LEAF, 0, &lighter, 1 }, PROOF_HOLDS, 40 },
                    { 0, { 0, 1, NULL, 0 }, PROOF_HOLDS, 32 }, /* two nodes of the first kind, and no weights */
                    { 0, { 1, 2, NULL, 0 }, PROOF_HOLDS, 0 }, /* of the other offer: any number of the first */
                    { 0, { 2, 2, NULL, 0 }, PROOF_NOT_COVERED, 0 },
                    { 0, { 0, -1, NULL, 0 }, PROOF_NOT_COVERED, 0 },
                    { 2, { 0, 5, NULL, 0 }, PROOF_NOT_COVERED, 0 }, /* leaves are missing */
                    { 0, { KARP_CERTIFICATE_LEAF, 0, NULL, 0 }, PROOF_NOT_COVERED, 0 }, /* there are too many */
                    { 1, { KARP_CERTIFICATE_LEAF, 0, &unknown, 1 }, PROOF_NEGATIVE, 0 },
                    { 1, { KARP_CERTIFICATE_LEAF, 0, &negative, 1 }, PROOF_NEGATIVE, 0 } };
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++) {
        memcpy(nodes, all, sizeof nodes);
        nodes[changed[i].at] = changed[i].node;
        assert_int_equal(tree_least(context, &p, &tree, 1000, &least), changed[i].verdict);
        if (changed[i].verdict == PROOF_HOLDS) assert_int_equal(least, changed[i].least);
    }
    memcpy(nodes, all, sizeof nodes);
    assert_int_equal(tree_least(context, &p, &tree, 39, &least), PROOF_HOLDS);
    assert_int_equal(least, 39); /* not less than enough */
    karp_context_unref(context);
}

/* More steps than can be counted in operations are as many as can. */
static void very_many_steps(void **state)
{
    (void)state;
    static const uint64_t steps[] = { 100000, UINT64_MAX / CONTENTS_A_STEP + 2, UINT64_MAX };
    karp_context *context = new_context();
    arena a;
    arena_init(&a, context);
    int trees = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        uint32_t nodes[3];
        for (size_t i = 0; i < 3; i++) {
            world w;
            bound_proof fluid, whole;
            random_world(&w, seed);
            (void)proven(&w, &a, &fluid);
            bound_charges charges = { .tree_steps = steps[i] };
            assert_true(bound_whole(&a, &w.problem, &fluid, 1, NULL, &charges, &whole));
            nodes[i] = charges.tree.node_count;
        }
        trees += nodes[0] > 1;
        assert_true(nodes[1] >= nodes[0]);
        assert_int_equal(nodes[2], nodes[1]);
    }
    assert_true(trees > 0);
    arena_free(&a);
    karp_context_unref(context);
}

enum { KINDS = 5, MOST_NEEDED = 400 };

/* The least of all sums, compared with that of a table over what is needed. */
static void least_sums(void **state)
{
    (void)state;
    karp_context *context = new_context();
    int limited = 0;
    random_state = 3;
    for (int turn = 0; turn < 400 * times(); turn++) {
        int64_t costs[KINDS], charges[KINDS], table[MOST_NEEDED + 1] = { 0 }, needed = 1 + (int64_t)next(MOST_NEEDED);
        uint32_t of[KINDS];
        for (uint32_t i = 0; i < KINDS; i++) {
            costs[i] = 3 + (int64_t)next(60);
            charges[i] = costs[i] - (int64_t)next(i > 2 ? 2 : (uint64_t)costs[i]);
            of[i] = i;
        }
        for (int64_t n = 1; n <= needed; n++) {
            table[n] = INT64_MAX;
            for (uint32_t i = 0; i < KINDS; i++) {
                int64_t rest = n > charges[i] ? n - charges[i] : 0;
                if (costs[i] + table[rest] < table[n]) table[n] = costs[i] + table[rest];
            }
        }
        const bound_problem p = { .dims = 1, .offer_count = KINDS, .costs = costs };
        const bound_proof proof = { .share_count = KINDS, .of = of, .shares = charges };
        int64_t enough = needed + (int64_t)next(80), least = 0;
        assert_int_equal(counts_least(context, &p, &proof, needed, enough, &least), PROOF_HOLDS);
        assert_int_equal(least, table[needed] < enough ? table[needed] : enough);
        limited += table[needed] < enough;
    }
    assert_in_range(limited, 100 * times(), 399 * times());
    karp_context_unref(context);
}

enum { ALIKE = 40 };

/* Forty kinds of pods, one of each, of which two fit a node by one resource: twenty nodes. In fractions less is enough,
 * and contents are so many that cases by the copies of a class would not end. */
static void many_alike(void **state)
{
    (void)state;
    karp_context *context = new_context();
    int64_t requests[ALIKE * 2], counts[ALIKE], limits[ALIKE];
    const int64_t capacity[] = { 100, 10000 }, costs[] = { INT64_C(1000000000000) };
    const uint64_t allowed[] = { (UINT64_C(1) << ALIKE) - 1 };
    for (int64_t c = 0; c < ALIKE; c++) {
        requests[2 * c] = 48, requests[2 * c + 1] = 1000 + 7 * c;
        counts[c] = limits[c] = 1;
    }
    bound_problem p = { .dims = 2,
                        .class_count = ALIKE,
                        .offer_count = 1,
                        .requests = requests,
                        .counts = counts,
                        .limits = limits,
                        .capacity = capacity,
                        .costs = costs,
                        .allowed = allowed };
    arena a;
    bound_proof fluid, whole;
    amount proves;
    proof_fault fault;
    arena_init(&a, context);
    assert_true(bound_fluid(&a, &p, 1e-6, 200, &fluid));
    assert_in_range(value_of(&a, &p, &fluid), INT64_C(19199000000000), INT64_C(19200000000000));
    assert_true(bound_whole(&a, &p, &fluid, 5000, NULL, NULL, &whole) && whole.y != NULL);
    assert_in_range(value_of(&a, &p, &whole), INT64_C(19999990000000), INT64_C(20000000000000));
    assert_int_equal(whole.cases[0].class_, CASE_CONTENTS);
    for (uint32_t c = 0; c < ALIKE; c++) whole.y[c] += whole.y[c] / 1000; /* two of them now cost more than a node */
    assert_false(proof_holds(context, &p, &whole, &proves, &fault));
    assert_int_equal(fault.kind, PROOF_OFFER_TOO_CHEAP);
    arena_free(&a);
    karp_context_unref(context);
}

enum { MIXED = 48 };

/* Many kinds of pods with a GPU and some without, on nodes with four: by prices of resources alone there are too many
 * contents to look at, so that the bound would stay that of fractions. */
static void kinds_with_gpus(void **state)
{
    (void)state;
    karp_context *context = new_context();
    int64_t requests[MIXED * 3], counts[MIXED], limits[MIXED];
    const int64_t capacity[] = { 23905, 178933, 4 }, costs[] = { INT64_C(3912000000000) };
    const uint64_t allowed[] = { (UINT64_C(1) << MIXED) - 1 };
    random_state = 7;
    for (int64_t c = 0; c < MIXED; c++) {
        int64_t cpu = 4000 + 50 * (int64_t)next(100);
        requests[3 * c] = cpu, requests[3 * c + 1] = cpu * 4 + (int64_t)next(40000), requests[3 * c + 2] = c % 6 > 0;
        counts[c] = limits[c] = 1 + (int64_t)next(12);
    }
    bound_problem p = { .dims = 3,
                        .class_count = MIXED,
                        .offer_count = 1,
                        .requests = requests,
                        .counts = counts,
                        .limits = limits,
                        .capacity = capacity,
                        .costs = costs,
                        .allowed = allowed };
    arena a;
    bound_proof fluid, whole;
    arena_init(&a, context);
    assert_true(bound_fluid(&a, &p, 1e-5, 400, &fluid));
    int64_t before = value_of(&a, &p, &fluid);
    assert_true(bound_whole(&a, &p, &fluid, 200000, NULL, NULL, &whole) && whole.y != NULL);
    int64_t after = value_of(&a, &p, &whole);
    assert_true(after > before + before / 10000);
    arena_free(&a);
    karp_context_unref(context);
}

enum { SIZES = 60 };

/* Many sizes of pods, most of which can take the places of larger ones, with or without a GPU. With that the bound for
 * whole pods rises within so few steps. */
static void many_sizes(void **state)
{
    (void)state;
    karp_context *context = new_context();
    int64_t requests[SIZES * 3], counts[SIZES], limits[SIZES];
    const int64_t capacity[] = { 47810, 188933, 4, 31850, 126000, 1, 15890, 58000, 0 };
    const int64_t costs[] = { INT64_C(3912000000000), INT64_C(2176000000000), INT64_C(680000000000) };
    const uint64_t all = (UINT64_C(1) << SIZES) - 1, allowed[] = { all, all, all };
    random_state = 11;
    for (int64_t c = 0; c < SIZES; c++) {
        int64_t cpu = 1000 + 500 * (int64_t)next(28);
        requests[3 * c] = cpu, requests[3 * c + 1] = cpu * 2 + 1000 * (int64_t)next(16),
                     requests[3 * c + 2] = c % 3 > 0;
        counts[c] = limits[c] = 5 + (int64_t)next(90);
    }
    bound_problem p = { .dims = 3,
                        .class_count = SIZES,
                        .offer_count = 3,
                        .requests = requests,
                        .counts = counts,
                        .limits = limits,
                        .capacity = capacity,
                        .costs = costs,
                        .allowed = allowed };
    arena a;
    bound_proof fluid, whole;
    arena_init(&a, context);
    assert_true(bound_fluid(&a, &p, 1e-5, 400, &fluid));
    int64_t before = value_of(&a, &p, &fluid);
    assert_true(bound_whole(&a, &p, &fluid, 16000, NULL, NULL, &whole) && whole.y != NULL);
    int64_t after = value_of(&a, &p, &whole);
    assert_in_range(before, INT64_C(1987900000000000), INT64_C(1988000000000000));
    assert_in_range(after, INT64_C(1995546000000000), INT64_C(1995547000000000));
    arena_free(&a);
    karp_context_unref(context);
}

enum { PLACED = 60, PLACES = 4, ROWS = 9 }; /* anywhere, and three zones */

/* Pods of many kinds, of which most have to be in one of three zones. With so few steps the bound rises
 * twice as far if it is known which classes are the same pods. */
static void many_places(void **state)
{
    (void)state;
    karp_context *context = new_context();
    static int64_t requests[PLACED * PLACES * 3], counts[PLACED * PLACES];
    static uint32_t samples[PLACED * PLACES];
    static uint64_t allowed[ROWS * ((PLACED * PLACES + 63) / 64)];
    const int64_t sizes[] = { 47810, 188933, 4, 31850, 126000, 1, 15890, 58000, 0 };
    const int64_t prices[] = { 3912, 2176, 680 }, dearer[] = { 100, 103, 107 };
    int64_t capacity[ROWS * 3], costs[ROWS];
    memset(allowed, 0, sizeof allowed);
    random_state = 7;
    for (uint32_t row = 0; row < ROWS; row++) {
        memcpy(capacity + row * 3, sizes + row % 3 * 3, 3 * sizeof *capacity);
        costs[row] = prices[row % 3] * dearer[row / 3] * INT64_C(10000000);
    }
    for (uint32_t c = 0; c < PLACED * PLACES; c++) {
        uint32_t place = c % PLACES;
        int64_t cpu = place == 0 ? 5100 + 700 * (int64_t)next(14) : requests[3 * (c - place)];
        requests[3 * c] = cpu;
        requests[3 * c + 1] = place == 0 ? cpu * 2 + 1000 * (int64_t)next(16) : requests[3 * (c - place) + 1];
        requests[3 * c + 2] = c / PLACES % 4 == 0;
        counts[c] = place == 0 ? (int64_t)next(10) : 5 + (int64_t)next(30);
        samples[c] = c / PLACES;
        for (uint32_t row = 0; row < ROWS; row++) {
            if (place == 0 || place == row / 3 + 1) bits_set(allowed + row * bits_words(PLACED * PLACES), c);
        }
    }
    bound_problem p = { .dims = 3,
                        .class_count = PLACED * PLACES,
                        .offer_count = ROWS,
                        .requests = requests,
                        .counts = counts,
                        .limits = counts,
                        .capacity = capacity,
                        .costs = costs,
                        .allowed = allowed };
    arena a;
    bound_proof fluid, apart, merged, later;
    arena_init(&a, context);
    assert_true(bound_fluid(&a, &p, 1e-3, 400, &fluid));
    int64_t before = value_of(&a, &p, &fluid), least = before / 100;
    assert_true(bound_whole(&a, &p, &fluid, 50000, NULL, NULL, &apart));
    p.samples = samples;
    assert_true(bound_whole(&a, &p, &fluid, 50000, NULL, NULL, &merged) && merged.y != NULL);
    assert_true(bound_whole(&a, &p, &fluid, 100000, NULL, NULL, &later) && later.y != NULL);
    int64_t after = value_of(&a, &p, &merged);
    assert_true(after > before + 3 * least);
    assert_true(value_of(&a, &p, &later) > before + 4 * least);
    arena_free(&a);
    karp_context_unref(context);
}

/* What is left of a node beyond multiples of what pods request is of no use. */
static void whole_units(void **state)
{
    (void)state;
    karp_context *context = new_context();
    const int64_t requests[] = { 100, 0, 300, 0 }, counts[] = { 5, 5 }, limits[] = { COPIES_ANY, COPIES_ANY };
    const int64_t capacity[] = { 450, 77, 250, -5, 99, 1 }, costs[] = { 1, 1, 1 };
    const int64_t usable[] = { 400, 77, 200, -5, 99, 1 };
    const uint64_t allowed[] = { 3, 3, 3 };
    bound_problem p = { .dims = 2,
                        .class_count = 2,
                        .offer_count = 3,
                        .requests = requests,
                        .counts = counts,
                        .limits = limits,
                        .capacity = capacity,
                        .costs = costs,
                        .allowed = allowed };
    arena a;
    arena_init(&a, context);
    assert_true(bound_use_whole_units(&a, &p));
    assert_memory_equal(p.capacity, usable, sizeof usable);
    arena_free(&a);
    karp_context_unref(context);
}

static void change_cases(const world *w, bound_proof *proof)
{
    uint32_t count = proof->first_case[proof->share_count], i = (uint32_t)next(count > 0 ? count : 1);
    bool dearer = next(2) == 0; /* which hardly any proof survives */
    for (int c = 0; dearer && c < CLASSES; c++)
        proof->y[c] += (int64_t)next(2) * (proof->y[c] / (int64_t)(1 + next(100)));
    if (count == 0) return;
    switch (next(4)) {
    case 0: proof->cases[i].copies = (int64_t)next(8) - 1; break;
    case 1: proof->cases[i].class_ = next(2) == 0 ? UINT32_MAX - (uint32_t)next(2) : (uint32_t)next(CLASSES + 1); break;
    case 2: proof->first_case[next(proof->share_count + 1)] += next(2) == 0 ? 0 : 1; break;
    default:
        for (uint32_t d = 0; d < w->problem.dims; d++)
            proof->case_shares[i * w->problem.dims + d] = (int64_t)next(w->costs[0] > 0 ? (uint64_t)w->costs[0] : 1);
    }
    for (uint32_t k = 0; k < proof->share_count; k++) {
        if (proof->first_case[k + 1] > count) proof->first_case[k + 1] = count;
        if (proof->first_case[k + 1] < proof->first_case[k]) proof->first_case[k + 1] = proof->first_case[k];
    }
}

/* Whatever is changed in a proof with cases, what still holds is not above a plan. */
static void changed_cases(void **state)
{
    (void)state;
    karp_context *context = new_context();
    int refused = 0, held = 0;
    const int most = 75 * times();
    for (uint64_t seed = 1; seed <= (uint64_t)most; seed++) {
        world w;
        bound_proof whole;
        arena a;
        int64_t fluid;
        arena_init(&a, context);
        few_pods(&w, seed);
        bool any = whole_bound(&w, &a, &whole, &fluid);
        int64_t plan = cheapest_first_fit(&w);
        for (int i = 0; any && i < 5; i++) {
            change_cases(&w, &whole);
            int64_t value = value_if_it_holds(&w, &a, &whole);
            refused += value < 0;
            held += value >= 0;
            assert_true(value <= plan);
        }
        arena_free(&a);
    }
    assert_true(refused > most * 8 / 3);
    assert_true(held > most / 10);
    karp_context_unref(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never_above_a_plan),
        cmocka_unit_test(known_optimum),
        cmocka_unit_test(mutations_that_claim_more),
        cmocka_unit_test(whole_pods_never_above_a_plan),
        cmocka_unit_test(parts_of_pods),
        cmocka_unit_test(parts_of_nodes),
        cmocka_unit_test(tree_of_nodes),
        cmocka_unit_test(very_many_steps),
        cmocka_unit_test(least_sums),
        cmocka_unit_test(many_alike),
        cmocka_unit_test(kinds_with_gpus),
        cmocka_unit_test(many_sizes),
        cmocka_unit_test(many_places),
        cmocka_unit_test(whole_units),
        cmocka_unit_test(changed_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
