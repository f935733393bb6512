/* SPDX-License-Identifier: Apache-2.0 */
/* The label algebra: Karpenter's own table, and its laws on random requirements. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <karp/objects.h>
#include <model/requirement.h>
#include <support/algebra_laws.h>
#include <support/lines.h>
#include <support/random.h>

typedef law_world world;

static uint32_t word_id(const char *text)
{
    uint32_t id = law_word_id(text);
    assert_int_not_equal(id, NO_ID);
    return id;
}

static int set_up(void **state)
{
    static world w;
    *state = &w;
    return law_world_open(&w) ? 0 : -1;
}

static int tear_down(void **state)
{
    world *w = *state;
    int failed = w->a.failed;
    law_world_close(w);
    return failed ? -1 : 0;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static const char *op_name(uint32_t op)
{
    return op == KARP_OP_IN ? "In" : op == KARP_OP_NOT_IN ? "NotIn" : op == KARP_OP_EXISTS ? "Exists" : "DoesNotExist";
}

/* As Karpenter prints it. */
static const char *show(const world *w, uint32_t id)
{
    static char out[256];
    const requirement *r = requirement_get(&w->a, id);
    size_t n = (size_t)snprintf(out, sizeof out, "%s %s", law_words[r->key].text, op_name(requirement_op(r)));
    for (uint32_t i = 0; i < r->value_count; i++) {
        n += (size_t)snprintf(out + n, sizeof out - n, "%s%s%s", i == 0 ? " [" : " ", law_words[r->values[i]].text,
                              i + 1 == r->value_count ? "]" : "");
    }
    if (r->has_gte) n += (size_t)snprintf(out + n, sizeof out - n, " >=%lld", (long long)r->gte);
    if (r->has_lte) n += (size_t)snprintf(out + n, sizeof out - n, " <=%lld", (long long)r->lte);
    if (r->min_values) snprintf(out + n, sizeof out - n, " minValues %u", r->min_values);
    return out;
}

static uint32_t make(world *w, const char *key, uint32_t op, const char *values, uint32_t min_values)
{
    uint32_t ids[8];
    size_t n = 0;
    char one[64];
    for (; *values != '\0'; values += strspn(values, " ")) {
        size_t length = strcspn(values, " ");
        snprintf(one, sizeof one, "%.*s", (int)length, values);
        ids[n++] = word_id(one);
        values += length;
    }
    return requirement_make(&w->a, word_id(key), op, ids, n, min_values);
}

/* "k NotIn [1 a] >=2 <=9" */
static uint32_t parse(world *w, const char *text)
{
    char copy[LINE_ROOM], values[LINE_ROOM] = "";
    snprintf(copy, sizeof copy, "%s", text);
    uint32_t op = strstr(copy, "NotIn")    ? KARP_OP_NOT_IN
                  : strstr(copy, "Does")   ? KARP_OP_DOES_NOT_EXIST
                  : strstr(copy, "Exists") ? KARP_OP_EXISTS
                                           : KARP_OP_IN;
    (void)between(copy, "[", "]", values);
    uint32_t r = make(w, "k", op, values, 0);
    static const struct {
        const char *sign;
        uint32_t op;
    } bounds[] = { { ">=", KARP_OP_GTE }, { "<=", KARP_OP_LTE } };
    for (size_t i = 0; i < 2; i++) {
        const char *bound = strstr(text, bounds[i].sign);
        if (bound == NULL) continue;
        snprintf(values, sizeof values, "%.*s", (int)strcspn(bound + 2, " "), bound + 2);
        r = requirement_meet(&w->a, r, make(w, "k", bounds[i].op, values, 0));
    }
    return r;
}

/* Without white space at the end. */
static char *trim(char *text)
{
    size_t n = strlen(text);
    while (n > 0 && text[n - 1] == ' ') text[--n] = '\0';
    return text;
}

static void test_golden(void **state)
{
    world *w = *state;
    char line[LINE_ROOM], x[LINE_ROOM], y[LINE_ROOM], result[LINE_ROOM], op[LINE_ROOM], has[LINE_ROOM];
    FILE *file = fopen("tests/data/golden/requirements.txt", "r");
    int rows = 0, undefined = 0;
    assert_non_null(file);
    while (next_line(file, line)) {
        if (between(line, "undefined custom key, incoming ", "compatible=", x)) {
            uint32_t asked = set_add(&w->a, EMPTY_SET, parse(w, x));
            assert_int_equal(set_compatible(&w->a, EMPTY_SET, asked, false), strstr(line, "compatible=true") != NULL);
            undefined++;
        }
        if (!between(line, "", " \xe2\x88\xa9 ", x) || !between(line, "\xe2\x88\xa9 ", " = ", y) ||
            !between(line, " = ", " op=", result))
            continue;
        assert_true(between(line, " op=", " has=", op) && between(line, " has=", NULL, has));
        uint32_t rx = parse(w, x), ry = parse(w, y), meet = requirement_meet(&w->a, rx, ry);
        assert_string_equal(show(w, meet), trim(result));
        assert_string_equal(op_name(requirement_op(requirement_get(&w->a, meet))), trim(op));
        assert_int_equal(requirement_overlap(&w->a, rx, ry), strcmp(has, "true") == 0);
        rows++;
    }
    fclose(file);
    assert_int_equal(rows, 169);
    assert_int_equal(undefined, 6);
}

/* ---- single rules ------------------------------------------------------------------------------------------------ */

static void test_construction(void **state)
{
    world *w = *state;
    /* Old names stand for new ones; an In without values is a DoesNotExist; values are a set. */
    assert_int_equal(make(w, "beta.kubernetes.io/arch", KARP_OP_IN, "a", 0),
                     make(w, "kubernetes.io/arch", KARP_OP_IN, "a", 0));
    assert_int_equal(make(w, "k", KARP_OP_IN, "", 0), make(w, "k", KARP_OP_DOES_NOT_EXIST, "", 0));
    assert_int_equal(make(w, "k", KARP_OP_NOT_IN, "", 0), make(w, "k", KARP_OP_EXISTS, "", 0));
    assert_string_equal(show(w, make(w, "k", KARP_OP_IN, "b a b 10", 0)), "k In [10 a b]");
    /* Gt and Lt are Gte and Lte one further. */
    assert_int_equal(make(w, "k", KARP_OP_GT, "1", 0), make(w, "k", KARP_OP_GTE, "2", 0));
    assert_int_equal(make(w, "k", KARP_OP_LT, "10", 0), make(w, "k", KARP_OP_LTE, "9", 0));
    assert_string_equal(show(w, make(w, "k", KARP_OP_GTE, "0", 0)), "k Exists >=0");
    assert_string_equal(show(w, make(w, "k", KARP_OP_LTE, "0", 0)), "k Exists <=0");
    assert_string_equal(show(w, make(w, "k", KARP_OP_LT, "0", 0)), "k Exists <=-1");
    assert_string_equal(show(w, make(w, "k", KARP_OP_GT, "9223372036854775807", 3)), "k DoesNotExist");
    assert_string_equal(show(w, make(w, "k", KARP_OP_GT, "a", 3)),
                        "k Exists >=1 minValues 3"); /* no number counts as 0 */
    assert_string_equal(show(w, make(w, "k", 99, "a", 0)), "k DoesNotExist");
}

static int has(world *w, const char *requirement_text, const char *value)
{
    return requirement_has(&w->a, requirement_get(&w->a, parse(w, requirement_text)), word_id(value));
}

static void test_has(void **state)
{
    world *w = *state;
    assert_true(has(w, "k In [a b]", "a"));
    assert_false(has(w, "k In [a b]", "c"));
    assert_false(has(w, "k NotIn [a b]", "a"));
    assert_true(has(w, "k NotIn [a b]", "c"));
    assert_true(has(w, "k Exists", "c"));
    assert_false(has(w, "k DoesNotExist", "c"));
    /* Bounds: Go's Atoi decides what is a number. */
    assert_true(has(w, "k Exists >=5 <=8", "007"));
    assert_true(has(w, "k Exists >=2 <=5", "+4"));
    assert_true(has(w, "k Exists <=0", "-3"));
    assert_false(has(w, "k Exists >=1", "1.5"));
    assert_false(has(w, "k Exists >=0", "a"));
    assert_false(has(w, "k NotIn [5] >=2", "5"));
    /* A name that no string is yet (a new host): only what excludes nothing numeric allows it. */
    assert_true(requirement_has_fresh(requirement_get(&w->a, parse(w, "k NotIn [a]"))));
    assert_false(requirement_has_fresh(requirement_get(&w->a, parse(w, "k Exists >=1"))));
    assert_false(requirement_has_fresh(requirement_get(&w->a, parse(w, "k NotIn [a] <=1"))));
    assert_false(requirement_has_fresh(requirement_get(&w->a, parse(w, "k In [a]"))));
}

static void test_bounds(void **state)
{
    world *w = *state;
    /* NotIn beside a bound keeps the exclusions inside and forgets those outside. */
    assert_string_equal(show(w, requirement_meet(&w->a, parse(w, "k NotIn [1 5 a]"), parse(w, "k Exists >=2"))),
                        "k NotIn [5] >=2");
    assert_string_equal(show(w, requirement_meet(&w->a, parse(w, "k NotIn [5] >=2"), parse(w, "k Exists <=2"))),
                        "k Exists >=2 <=2");
    /* Listed values lose the bounds. */
    assert_string_equal(show(w, requirement_meet(&w->a, parse(w, "k In [1 5 9 a]"), parse(w, "k Exists >=2 <=8"))),
                        "k In [5]");
    /* The tighter bound stays; crossed ones allow nothing and keep minValues. */
    assert_string_equal(show(w, requirement_meet(&w->a, parse(w, "k Exists >=2 <=9"), parse(w, "k Exists >=1 <=8"))),
                        "k Exists >=2 <=8");
    uint32_t few = make(w, "k", KARP_OP_GTE, "9", 2), more = make(w, "k", KARP_OP_LTE, "8", 5);
    assert_string_equal(show(w, requirement_meet(&w->a, few, more)), "k DoesNotExist minValues 5");
    /* What is no number, or not there, is 0: it was refused before. */
    assert_string_equal(show(w, make(w, "k", KARP_OP_GTE, "a", 0)), "k Exists >=0");
    assert_string_equal(show(w, make(w, "k", KARP_OP_GTE, "", 0)), "k Exists >=0");
    /* Excluding all of a range is not noticed. */
    assert_true(requirement_overlap(&w->a, parse(w, "k NotIn [5]"), parse(w, "k Exists >=5 <=5")));
}

static void test_min_values(void **state)
{
    world *w = *state;
    uint32_t two = make(w, "k", KARP_OP_IN, "a b", 2), three = make(w, "k", KARP_OP_EXISTS, "", 3),
             none = make(w, "k", KARP_OP_IN, "b c", 0);
    assert_string_equal(show(w, requirement_meet(&w->a, two, three)), "k In [a b] minValues 3");
    assert_string_equal(show(w, requirement_meet(&w->a, two, none)), "k In [b] minValues 2");
    assert_string_equal(show(w, requirement_with_min_values(&w->a, two, 1)), "k In [a b] minValues 1");
    /* Relaxed to nothing is not the same as never asked. */
    uint32_t relaxed = requirement_with_min_values(&w->a, two, 0);
    assert_true(requirement_get(&w->a, relaxed)->min_zero);
    assert_int_not_equal(relaxed, make(w, "k", KARP_OP_IN, "b a", 0));
    /* It stays so beside what never asked, from either side, until somebody asks for more. */
    assert_true(requirement_get(&w->a, requirement_meet(&w->a, relaxed, none))->min_zero);
    assert_true(requirement_get(&w->a, requirement_meet(&w->a, none, relaxed))->min_zero);
    assert_true(
        requirement_get(&w->a, requirement_meet(&w->a, make(w, "k", KARP_OP_EXISTS, "", 0), relaxed))->min_zero);
    uint32_t asked = requirement_meet(&w->a, relaxed, three);
    assert_false(requirement_get(&w->a, asked)->min_zero);
    assert_int_equal(requirement_get(&w->a, asked)->min_values, 3);
}

/* Which bounds there are counts, not only where they would be: with each minValues another neighbour in the table. */
static void test_told_apart(void **state)
{
    world *w = *state;
    w->numbers[word_id("c")] = (string_number){ INT64_MIN, true };
    for (uint32_t m = 1; m <= 400; m++) {
        uint32_t any = make(w, "k", KARP_OP_EXISTS, "", m), from = make(w, "k", KARP_OP_GTE, "c", m),
                 below = make(w, "k", KARP_OP_LT, "c", m);
        assert_true(any != from && any != below && from != below);
        /* One less than the smallest number is the largest, as in Go. */
        assert_true(requirement_get(&w->a, below)->has_lte && requirement_get(&w->a, below)->lte == INT64_MAX);
        assert_int_equal(make(w, "k", KARP_OP_EXISTS, "", m), any);
        assert_int_equal(make(w, "k", KARP_OP_GTE, "c", m), from);
        assert_int_equal(make(w, "k", KARP_OP_LT, "c", m), below);
    }
    for (uint32_t v = 0; v < LAW_WORDS * LAW_WORDS; v++) {
        uint32_t values[2] = { v / LAW_WORDS, v % LAW_WORDS };
        uint32_t never = requirement_make(&w->a, word_id("k"), KARP_OP_NOT_IN, values, 2, 0);
        assert_int_not_equal(requirement_with_min_values(&w->a, never, 0), never);
        assert_int_equal(requirement_make(&w->a, word_id("k"), KARP_OP_NOT_IN, values, 2, 0), never);
    }
}

/* A set of more keys than a call keeps on its stack, and one of them met, so that new values come up in between. */
static void test_many_keys(void **state)
{
    (void)state;
    enum { KEYS = 70, WORDS = KEYS + 3 };
    uint32_t id[WORDS], set = EMPTY_SET, values[2] = { KEYS, KEYS + 1 }, others[2] = { KEYS + 1, KEYS + 2 };
    string_number numbers[WORDS] = { { 0, false } };
    uint8_t well_known[WORDS] = { 0 };
    for (uint32_t i = 0; i < WORDS; i++) id[i] = i;
    string_facts facts = { id, numbers, well_known, id, NO_ID, WORDS };
    karp_context *context = NULL;
    algebra a;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    assert_true(algebra_init(&a, context, &facts, NULL));
    assert_int_equal(requirement_find_in(&a, 5, KEYS), NO_ID);
    for (uint32_t key = 0; key < KEYS; key++)
        set = set_add(&a, set, requirement_make(&a, key, KARP_OP_IN, values, 2, 0));
    uint32_t met = set_add(&a, set, requirement_make(&a, 5, KARP_OP_IN, others, 2, 0));
    assert_int_equal(requirement_find_in(&a, 5, KEYS + 1), set_get(&a, met, 5));
    assert_int_equal(requirement_find_in(&a, 5, KEYS), NO_ID);
    assert_int_equal(set_get(&a, met, 5), requirement_in(&a, 5, KEYS + 1));
    assert_int_equal(set_get(&a, met, 6), set_get(&a, set, 6));
    assert_int_equal(set_add(&a, met, requirement_in(&a, 5, KEYS + 1)), met);
    uint32_t fewer = set_remove(&a, met, KEYS - 1);
    assert_int_equal(set_get(&a, fewer, KEYS - 1), NO_ID);
    assert_int_equal(set_meet(&a, fewer, set), met);
    assert_false(a.failed);
    algebra_free(&a);
    karp_context_unref(context);
}

/* A long list is gathered by key at once: the same set as one requirement after the other. So is one with the same keys
 * in the same order after it, which is not sorted anew, and one in which requirements come twice. */
static void test_long_lists(void **state)
{
    enum { MOST = 200, TIMES = 3 };
    world *w = *state;
    static const char *const keys[] = { "k", "kubernetes.io/arch" };
    static const char *const values[] = { "a b", "b c", "a", "c" };
    uint64_t seed = 3;
    for (size_t n = 0; n < MOST; n++) {
        size_t count = n / TIMES * TIMES + 1;
        uint32_t ids[MOST], one = EMPTY_SET;
        uint64_t key_seed = count;
        for (size_t i = 0; i < count; i++) {
            const char *key = keys[random_below(&key_seed, 2)];
            uint32_t op = random_below(&seed, 3) == 0 ? KARP_OP_IN : KARP_OP_NOT_IN;
            const char *value = values[random_below(&seed, 4)];
            ids[i] = make(w, key, op, value, (uint32_t)random_below(&seed, 3));
        }
        for (size_t i = 0; i < count; i++) one = set_add(&w->a, one, ids[i]);
        assert_int_equal(set_of_all(&w->a, ids, count), one);
    }
    uint32_t not_a = make(w, "k", KARP_OP_NOT_IN, "a", 0), not_b = make(w, "k", KARP_OP_NOT_IN, "b", 0), ids[20];
    for (size_t other = 0; other <= 20; other++) {
        uint32_t one = set_add(&w->a, EMPTY_SET, not_a);
        for (size_t i = 0; i < 20; i++) ids[i] = i + 1 == other ? not_b : not_a;
        if (other > 0) one = set_add(&w->a, one, not_b);
        assert_int_equal(set_of_all(&w->a, ids, 20), one);
    }
}

static void test_supply_and_demand(void **state)
{
    world *w = *state;
    uint32_t arch = set_add(&w->a, EMPTY_SET, make(w, "kubernetes.io/arch", KARP_OP_IN, "a", 0));
    uint32_t k = set_add(&w->a, EMPTY_SET, make(w, "k", KARP_OP_IN, "a", 0));
    uint32_t other = set_add(&w->a, EMPTY_SET, make(w, "k", KARP_OP_IN, "b", 0));
    uint32_t not_a = set_add(&w->a, EMPTY_SET, make(w, "k", KARP_OP_NOT_IN, "a", 0));
    uint32_t absent = set_add(&w->a, EMPTY_SET, make(w, "k", KARP_OP_DOES_NOT_EXIST, "", 0));
    bool undefined;
    /* Only well-known labels may be undefined, and only where that is allowed. The two sides are not alike. */
    assert_true(set_compatible(&w->a, EMPTY_SET, arch, true));
    assert_false(set_compatible(&w->a, EMPTY_SET, arch, false));
    assert_false(set_compatible(&w->a, EMPTY_SET, k, true));
    assert_true(set_compatible(&w->a, k, EMPTY_SET, false));
    assert_true(set_compatible(&w->a, EMPTY_SET, not_a, false));
    assert_true(set_compatible(&w->a, EMPTY_SET, absent, false));
    /* Excluding on both sides is agreement, whatever is excluded. */
    assert_true(set_agree(&w->a, not_a, absent));
    assert_true(set_agree(&w->a, absent, absent));
    assert_false(set_agree(&w->a, k, absent));
    assert_false(set_agree(&w->a, k, other));
    assert_int_equal(set_first_conflict(&w->a, k, set_meet(&w->a, other, arch), false, &undefined), word_id("k"));
    assert_false(undefined);
    assert_int_equal(set_first_conflict(&w->a, EMPTY_SET, set_meet(&w->a, other, arch), true, &undefined),
                     word_id("k"));
    assert_true(undefined);
    assert_int_equal(set_first_conflict(&w->a, k, arch, true, &undefined), NO_ID);
}

/* Thousands of pools times thousands of pods: the tables stay small, and what they do not hold has the same answer. */
static void test_many_pairs(void **state)
{
    enum { SETS = 540, SOME = 7 };
    world *w = *state;
    uint32_t supply[SETS], asked[SETS];
    for (uint32_t i = 0; i < SETS; i++) {
        supply[i] = set_add(&w->a, EMPTY_SET, make(w, "k", KARP_OP_IN, "a b", i + 1));
        asked[i] = set_add(&w->a, EMPTY_SET,
                           make(w, "k", KARP_OP_IN,
                                i % SOME == 0   ? "c"
                                : i % SOME == 1 ? "b c"
                                                : "a",
                                i + 1));
    }
    for (uint32_t i = 0; i < SETS; i++) {
        for (uint32_t k = 0; k < SETS; k++)
            assert_int_equal(set_compatible(&w->a, supply[i], asked[k], true), k % SOME != 0);
    }
    assert_int_equal(w->a.set_lenient.count, PAIRS_KEPT);
    assert_true(w->a.overlaps.count <= PAIRS_KEPT);
}

static void test_host_name(void **state)
{
    world *w = *state;
    demand d = { EMPTY_SET, NO_ID };
    assert_true(demand_add(&w->a, &d, make(w, "k", KARP_OP_IN, "a", 0)));
    assert_true(demand_add(&w->a, &d, make(w, "kubernetes.io/hostname", KARP_OP_NOT_IN, "a", 0)));
    assert_true(demand_meet(&w->a, &d, (demand){ EMPTY_SET, make(w, "kubernetes.io/hostname", KARP_OP_IN, "a b", 0) }));
    assert_string_equal(show(w, d.host), "kubernetes.io/hostname In [b]");
    assert_int_equal(d.set, set_add(&w->a, EMPTY_SET, make(w, "k", KARP_OP_IN, "a", 0)));
    assert_true(demand_add(&w->a, &d, make(w, "kubernetes.io/hostname", KARP_OP_NOT_IN, "b", 0)));
    assert_string_equal(show(w, d.host), "kubernetes.io/hostname DoesNotExist");
    assert_true(demand_meet(&w->a, &d, (demand){ EMPTY_SET, NO_ID }));
    assert_string_equal(show(w, d.host), "kubernetes.io/hostname DoesNotExist");
}

/* What was refused before is refused now, and says so. */
static void test_nothing_to_add(void **state)
{
    (void)state;
    static world own;
    demand d = { EMPTY_SET, NO_ID };
    assert_true(law_world_open(&own));
    assert_false(demand_add(&own.a, &d, NO_ID));
    assert_true(d.set == EMPTY_SET && d.host == NO_ID && !own.a.failed);
    assert_int_equal(set_add(&own.a, EMPTY_SET, NO_ID), EMPTY_SET);
    assert_true(own.a.failed);
    own.a.failed = false;
    assert_int_equal(set_replace(&own.a, EMPTY_SET, NO_ID), EMPTY_SET);
    assert_true(own.a.failed);
    assert_int_equal(set_remove(&own.a, EMPTY_SET, 1), EMPTY_SET);
    uint32_t many[40] = { 0 };
    assert_int_equal(set_of_all(&own.a, many, 40), EMPTY_SET);
    assert_false(demand_add(&own.a, &d, requirement_in(&own.a, 1, 1)));
    law_world_close(&own);
}

/* ---- laws -------------------------------------------------------------------------------------------------------- */

static uint32_t draw(void *user, uint32_t below) { return (uint32_t)random_below(user, below); }

static void check_laws(world *w, uint64_t seed, const char *(*law)(law_world *))
{
    w->draw = draw;
    w->user = &seed;
    for (int i = 0; i < 20000; i++) {
        const char *broken = law(w);
        if (broken != NULL) fail_msg("%s (%d)", broken, i);
    }
    w->user = NULL;
}

static void test_laws_of_one_key(void **state) { check_laws(*state, 1, law_of_one_key); }

static void test_laws_of_sets(void **state) { check_laws(*state, 2, law_of_sets); }

/* A copy answers like its original and leaves it alone. */
static void test_copies(void **state)
{
    world *w = *state;
    algebra copy;
    uint32_t x = make(w, "k", KARP_OP_IN, "a b", 0), y = make(w, "k", KARP_OP_NOT_IN, "b", 0);
    size_t known = w->a.requirement_count;
    assert_true(algebra_init(&copy, w->context, &w->facts, &w->a));
    uint32_t meet = requirement_meet(&copy, x, y);
    assert_int_equal(w->a.requirement_count, known);
    assert_string_equal(show(w, requirement_meet(&w->a, x, y)), "k In [a]");
    assert_int_equal(requirement_get(&copy, meet)->value_count, 1);
    algebra_free(&copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_golden, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_construction, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_has, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bounds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_min_values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_told_apart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many_keys, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_long_lists, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_supply_and_demand, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many_pairs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_host_name, set_up, tear_down),
        cmocka_unit_test(test_nothing_to_add),
        cmocka_unit_test_setup_teardown(test_laws_of_one_key, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_laws_of_sets, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_copies, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
