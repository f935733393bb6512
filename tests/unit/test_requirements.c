/* SPDX-License-Identifier: Apache-2.0 */
/* The label algebra (scheduling.md §5, §6): Karpenter's own table, and its laws on random requirements. */
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
#include <support/lines.h>
#include <support/random.h>

/* ---- a few strings ---------------------------------------------------------------------------------------------------- */

/* In the order of names, so that a string's rank is its number. */
static const struct word {
    const char *text;
    int64_t number;
    int is_number;
} words_[] = {
    { "+4", 4, 1 }, { "-3", -3, 1 }, { "0", 0, 1 }, { "007", 7, 1 }, { "1", 1, 1 }, { "1.5", 0, 0 }, { "10", 10, 1 },
    { "2", 2, 1 }, { "5", 5, 1 }, { "8", 8, 1 }, { "9", 9, 1 }, { "9223372036854775807", INT64_MAX, 1 }, { "a", 0, 0 },
    { "b", 0, 0 }, { "beta.kubernetes.io/arch", 0, 0 }, { "c", 0, 0 }, { "k", 0, 0 }, { "kubernetes.io/arch", 0, 0 },
    { "kubernetes.io/hostname", 0, 0 }, { "m", 0, 0 },
};
enum { WORDS = sizeof words_ / sizeof *words_ };

typedef struct world {
    karp_context *context;
    algebra a;
    string_facts facts;
    uint32_t rank[WORDS], normalized[WORDS];
    string_number numbers[WORDS];
    uint8_t well_known[WORDS];
    uint64_t seed;
} world;

static uint32_t word_id(const char *text)
{
    for (uint32_t i = 0; i < WORDS; i++) {
        if (strcmp(words_[i].text, text) == 0) return i;
    }
    fail_msg("no word %s", text);
    return 0;
}

static int set_up(void **state)
{
    static world w;
    memset(&w, 0, sizeof w);
    for (uint32_t i = 0; i < WORDS; i++) {
        w.rank[i] = w.normalized[i] = i;
        w.numbers[i] = (string_number){ words_[i].number, words_[i].is_number };
    }
    w.well_known[word_id("kubernetes.io/arch")] = 1;
    w.normalized[word_id("beta.kubernetes.io/arch")] = word_id("kubernetes.io/arch");
    w.facts = (string_facts){ w.rank, w.numbers, w.well_known, w.normalized, word_id("kubernetes.io/hostname"), WORDS };
    if (karp_context_new(NULL, &w.context, NULL) != KARP_OK || !algebra_init(&w.a, w.context, &w.facts, NULL)) return -1;
    *state = &w;
    return 0;
}

static int tear_down(void **state)
{
    world *w = *state;
    int failed = w->a.failed;
    algebra_free(&w->a);
    karp_context_free(w->context);
    return failed ? -1 : 0;
}

/* ---- text ---------------------------------------------------------------------------------------------------------------- */

static const char *op_name(uint32_t op)
{
    return op == KARP_OP_IN ? "In" : op == KARP_OP_NOT_IN ? "NotIn" : op == KARP_OP_EXISTS ? "Exists" : "DoesNotExist";
}

/* As Karpenter prints it. */
static const char *show(const world *w, uint32_t id)
{
    static char out[256];
    const requirement *r = requirement_get(&w->a, id);
    size_t n = (size_t)snprintf(out, sizeof out, "%s %s", words_[r->key].text, op_name(requirement_op(r)));
    for (uint32_t i = 0; i < r->value_count; i++) {
        n += (size_t)snprintf(out + n, sizeof out - n, "%s%s%s", i == 0 ? " [" : " ", words_[r->values[i]].text, i + 1 == r->value_count ? "]" : "");
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
    uint32_t op = strstr(copy, "NotIn") ? KARP_OP_NOT_IN : strstr(copy, "Does") ? KARP_OP_DOES_NOT_EXIST :
                  strstr(copy, "Exists") ? KARP_OP_EXISTS : KARP_OP_IN;
    (void)between(copy, "[", "]", values);
    uint32_t r = make(w, "k", op, values, 0);
    static const struct { const char *sign; uint32_t op; } bounds[] = { { ">=", KARP_OP_GTE }, { "<=", KARP_OP_LTE } };
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
        if (!between(line, "", " \xe2\x88\xa9 ", x) || !between(line, "\xe2\x88\xa9 ", " = ", y) || !between(line, " = ", " op=", result)) continue;
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

/* ---- single rules ---------------------------------------------------------------------------------------------------------- */

static void test_construction(void **state)
{
    world *w = *state;
    /* Old names stand for new ones; an In without values is a DoesNotExist; values are a set. */
    assert_int_equal(make(w, "beta.kubernetes.io/arch", KARP_OP_IN, "a", 0), make(w, "kubernetes.io/arch", KARP_OP_IN, "a", 0));
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
    assert_string_equal(show(w, make(w, "k", KARP_OP_GT, "a", 3)), "k Exists >=1 minValues 3"); /* no number counts as 0 */
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
    assert_false(requirement_has_fresh(requirement_get(&w->a, parse(w, "k In [a]"))));
}

static void test_bounds(void **state)
{
    world *w = *state;
    /* NotIn beside a bound keeps the exclusions inside and forgets those outside (§5). */
    assert_string_equal(show(w, requirement_meet(&w->a, parse(w, "k NotIn [1 5 a]"), parse(w, "k Exists >=2"))), "k NotIn [5] >=2");
    assert_string_equal(show(w, requirement_meet(&w->a, parse(w, "k NotIn [5] >=2"), parse(w, "k Exists <=2"))), "k Exists >=2 <=2");
    /* Listed values lose the bounds. */
    assert_string_equal(show(w, requirement_meet(&w->a, parse(w, "k In [1 5 9 a]"), parse(w, "k Exists >=2 <=8"))), "k In [5]");
    /* The tighter bound stays; crossed ones allow nothing and keep minValues. */
    assert_string_equal(show(w, requirement_meet(&w->a, parse(w, "k Exists >=2 <=9"), parse(w, "k Exists >=1 <=8"))), "k Exists >=2 <=8");
    uint32_t few = make(w, "k", KARP_OP_GTE, "9", 2), more = make(w, "k", KARP_OP_LTE, "8", 5);
    assert_string_equal(show(w, requirement_meet(&w->a, few, more)), "k DoesNotExist minValues 5");
    /* Excluding all of a range is not noticed. */
    assert_true(requirement_overlap(&w->a, parse(w, "k NotIn [5]"), parse(w, "k Exists >=5 <=5")));
}

static void test_min_values(void **state)
{
    world *w = *state;
    uint32_t two = make(w, "k", KARP_OP_IN, "a b", 2), three = make(w, "k", KARP_OP_EXISTS, "", 3), none = make(w, "k", KARP_OP_IN, "b c", 0);
    assert_string_equal(show(w, requirement_meet(&w->a, two, three)), "k In [a b] minValues 3");
    assert_string_equal(show(w, requirement_meet(&w->a, two, none)), "k In [b] minValues 2");
    assert_string_equal(show(w, requirement_with_min_values(&w->a, two, 1)), "k In [a b] minValues 1");
    /* Relaxed to nothing is not the same as never asked. */
    uint32_t relaxed = requirement_with_min_values(&w->a, two, 0);
    assert_true(requirement_get(&w->a, relaxed)->min_zero);
    assert_int_not_equal(relaxed, make(w, "k", KARP_OP_IN, "b a", 0));
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
    assert_int_equal(set_first_conflict(&w->a, EMPTY_SET, set_meet(&w->a, other, arch), true, &undefined), word_id("k"));
    assert_true(undefined);
    assert_int_equal(set_first_conflict(&w->a, k, arch, true, &undefined), NO_ID);
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
}

/* ---- laws -------------------------------------------------------------------------------------------------------------------- */

static uint32_t any_value(world *w) { return (uint32_t)random_below(&w->seed, WORDS); }

static uint32_t any_requirement(world *w, uint32_t key)
{
    uint32_t values[4], op = (uint32_t)(KARP_OP_IN + random_below(&w->seed, 8));
    size_t n = random_below(&w->seed, 5);
    for (size_t i = 0; i < n; i++) values[i] = any_value(w);
    if (op >= KARP_OP_GT) values[0] = (uint32_t)random_below(&w->seed, 11); /* mostly numbers */
    uint32_t r = requirement_make(&w->a, key, op, values, op >= KARP_OP_GT ? 1 : n, (uint32_t)random_below(&w->seed, 4));
    return random_below(&w->seed, 3) == 0 ? requirement_meet(&w->a, r, any_requirement(w, key)) : r;
}

static void check_meet(world *w, uint32_t x, uint32_t y, uint32_t z)
{
    algebra *a = &w->a;
    uint32_t xy = requirement_meet(a, x, y);
    assert_int_equal(xy, requirement_meet(a, y, x));
    assert_int_equal(requirement_meet(a, x, x), x);
    const requirement *rx = requirement_get(a, x), *ry = requirement_get(a, y), *meet = requirement_get(a, xy);
    assert_int_equal(meet->min_values, rx->min_values > ry->min_values ? rx->min_values : ry->min_values);
    for (uint32_t v = 0; v < WORDS; v++) {
        assert_int_equal(requirement_has(a, meet, v), requirement_has(a, rx, v) && requirement_has(a, ry, v));
    }
    /* HasIntersection is the emptiness of the intersection. */
    assert_int_equal(requirement_overlap(a, x, y), requirement_op(meet) != KARP_OP_DOES_NOT_EXIST);
    assert_int_equal(requirement_overlap(a, x, y), requirement_overlap(a, y, x));
    assert_int_equal(requirement_agree(a, x, y), requirement_overlap(a, x, y) || (requirement_negative(rx) && requirement_negative(ry)));
    uint32_t left = requirement_meet(a, xy, z), right = requirement_meet(a, x, requirement_meet(a, y, z));
    for (uint32_t v = 0; v < WORDS; v++) {
        assert_int_equal(requirement_has(a, requirement_get(a, left), v), requirement_has(a, requirement_get(a, right), v));
    }
    for (uint32_t i = 1; i < requirement_get(a, xy)->value_count; i++) {
        assert_true(w->rank[requirement_get(a, xy)->values[i - 1]] < w->rank[requirement_get(a, xy)->values[i]]);
    }
}

static void test_laws_of_one_key(void **state)
{
    world *w = *state;
    w->seed = 1;
    uint32_t k = word_id("k");
    for (int i = 0; i < 20000; i++) check_meet(w, any_requirement(w, k), any_requirement(w, k), any_requirement(w, k));
}

/* Sets as plain arrays by key. */
enum { KEYS = 4 };
typedef struct plain { uint32_t of_key[KEYS]; } plain;
static const char *const key_names[KEYS] = { "a", "k", "kubernetes.io/arch", "m" };

static plain any_plain(world *w, uint32_t *set)
{
    plain p;
    *set = EMPTY_SET;
    for (uint32_t i = 0; i < KEYS; i++) {
        p.of_key[i] = random_below(&w->seed, 2) ? any_requirement(w, word_id(key_names[i])) : NO_ID;
        if (p.of_key[i] != NO_ID) *set = set_add(&w->a, *set, p.of_key[i]);
    }
    return p;
}

static bool plain_agree(world *w, const plain *x, const plain *y)
{
    for (uint32_t i = 0; i < KEYS; i++) {
        if (x->of_key[i] != NO_ID && y->of_key[i] != NO_ID && !requirement_agree(&w->a, x->of_key[i], y->of_key[i])) return false;
    }
    return true;
}

static bool plain_compatible(world *w, const plain *supply, const plain *asked, bool lenient)
{
    for (uint32_t i = 0; i < KEYS; i++) {
        if (asked->of_key[i] == NO_ID || supply->of_key[i] != NO_ID || (lenient && i == 2)) continue;
        if (!requirement_negative(requirement_get(&w->a, asked->of_key[i]))) return false;
    }
    return plain_agree(w, supply, asked);
}

static void test_laws_of_sets(void **state)
{
    world *w = *state;
    w->seed = 2;
    for (int i = 0; i < 20000; i++) {
        uint32_t x, y;
        plain px = any_plain(w, &x), py = any_plain(w, &y);
        assert_int_equal(set_agree(&w->a, x, y), plain_agree(w, &px, &py));
        assert_int_equal(set_compatible(&w->a, x, y, false), plain_compatible(w, &px, &py, false));
        assert_int_equal(set_compatible(&w->a, x, y, true), plain_compatible(w, &px, &py, true));
        bool undefined;
        assert_int_equal(set_first_conflict(&w->a, x, y, true, &undefined) == NO_ID, plain_compatible(w, &px, &py, true));
        uint32_t meet = set_meet(&w->a, x, y);
        assert_int_equal(meet, set_meet(&w->a, y, x));
        for (uint32_t k = 0; k < KEYS; k++) {
            uint32_t a = px.of_key[k], b = py.of_key[k];
            uint32_t expected = a == NO_ID ? b : b == NO_ID ? a : requirement_meet(&w->a, a, b);
            assert_int_equal(set_get(&w->a, meet, word_id(key_names[k])), expected);
        }
        assert_int_equal(set_get(&w->a, set_remove(&w->a, x, word_id("k")), word_id("k")), NO_ID);
        if (py.of_key[1] != NO_ID) assert_int_equal(set_get(&w->a, set_replace(&w->a, x, py.of_key[1]), word_id("k")), py.of_key[1]);
    }
}

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
        cmocka_unit_test_setup_teardown(test_supply_and_demand, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_host_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_laws_of_one_key, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_laws_of_sets, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_copies, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
