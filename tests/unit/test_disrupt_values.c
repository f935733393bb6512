/* SPDX-License-Identifier: Apache-2.0 */
/* Budgets, costs and scores against values that Karpenter's own code printed, and at their edges. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include <base/sort.h>
#include <disrupt/balanced.h>
#include <disrupt/budgets.h>
#include <disrupt/costs.h>
#include <model/decimal.h>
#include <base/duration.h>
#include <model/instant.h>
#include <support/lines.h>

#define HOUR (INT64_C(3600) * SECOND_NS)

static int64_t at(const char *text)
{
    int64_t instant = 0;
    assert_true(instant_parse(text, strlen(text), &instant));
    return instant;
}

static double number(const char *text)
{
    double value = (double)NAN;
    if (strcmp(text, "NaN") == 0) return value;
    if (strcmp(text, "+Inf") == 0) return HUGE_VAL;
    assert_int_equal(decimal_parse(text, strlen(text), &value), DECIMAL_OK);
    return value;
}

static void same(double got, double expected, const char *line)
{
    if (got != expected) fail_msg("%s: got %.17g", line, got);
}

/* BUDGET {now:T sched:S dur:D nodes:N n:COUNT} active=… allowed=A err=E */
static void check_budget(const char *line)
{
    char now[LINE_ROOM], schedule[LINE_ROOM], length[LINE_ROOM], nodes[LINE_ROOM], total[LINE_ROOM], allowed[LINE_ROOM];
    assert_true(between(line, "{now:", " sched:", now) && between(line, " sched:", " dur:", schedule));
    assert_true(between(line, " dur:", " nodes:", length) && between(line, " nodes:", " n:", nodes));
    assert_true(between(line, " n:", "}", total) && between(line, " allowed=", " err=", allowed));
    budget b = { .nodes = str(nodes), .schedule = str(schedule), .duration = KARP_DURATION_UNSET };
    if (length[0] != '\0') assert_true(duration_parse(length, strlen(length), &b.duration));
    int64_t got = -99;
    bool valid = budget_allows(&b, (int64_t)number(total), at(now), true, &got);
    assert_int_equal(valid, strstr(line, "err=<nil>") != NULL);
    if (valid && got != (int64_t)number(allowed)) fail_msg("%s: got %lld", line, (long long)got);
    /* The same through a pool; what is invalid allows nothing. */
    node_pool pool = { .budgets = &b, .budget_count = 1 };
    int64_t through = pool_allows(&pool, KARP_BUDGET_EMPTY, (int64_t)number(total), at(now), UINT64_MAX, NULL,
                                  &(uint32_t){ 0 });
    assert_true(through == (valid ? got : 0));
}

/* EVICT "TEXT" prio=P COST; libkarp lets no NaN in: such a text counts as absent. */
static void check_eviction(const char *line)
{
    char text[LINE_ROOM], priority[LINE_ROOM], cost[LINE_ROOM];
    assert_true(between(line, "\"", "\" prio=", text) && between(line, " prio=", " ", priority));
    assert_true(between(line, " prio=", NULL, cost));
    const char *expected = strchr(cost, ' ') + 1;
    bool has = strcmp(priority, "nil") != 0;
    double got = eviction_cost_of(str(text), false, has, has ? (int32_t)number(priority) : 77);
    if (strcmp(text, "NaN") == 0)
        same(got, eviction_cost_of((karp_str){ NULL, 0 }, false, has, has ? (int32_t)number(priority) : 77), line);
    else same(got, number(expected), line);
}

/* LIFE [EXPIRE AGE] FRACTION; no life at all is none left. */
static void check_life(const char *line)
{
    char expire[LINE_ROOM], age[LINE_ROOM], left[LINE_ROOM];
    assert_true(between(line, "[", " ", expire) && between(line, "] ", NULL, left));
    char both[LINE_ROOM];
    assert_true(between(line, "[", "]", both));
    assert_true(between(both, " ", NULL, age));
    int64_t length = KARP_DURATION_NEVER, old = 0, now = at("2026-01-05T09:00:00Z");
    if (strcmp(expire, "Never") != 0) assert_true(duration_parse(expire, strlen(expire), &length));
    assert_true(duration_parse(age, strlen(age), &old));
    same(lifetime_remaining(now - old, length, now), strcmp(left, "NaN") == 0 ? 0.0 : number(left), line);
}

static void check_score(const char *line)
{
    char savings[LINE_ROOM], disruption[LINE_ROOM], cost[LINE_ROOM], total[LINE_ROOM], score[LINE_ROOM];
    assert_true(between(line, "savings=", " ", savings) && between(line, " disruption=", " ", disruption));
    assert_true(between(line, "total_cost=", " ", cost) && between(line, "total_disruption=", " ", total));
    assert_true(between(line, " score=", " ", score));
    double got = balanced_score(number(savings), number(disruption), number(cost), number(total));
    assert_int_equal(balanced_approves(got), strstr(line, "approved=true") != NULL);
    if (strcmp(score, "NaN") != 0) same(got, number(score), line);
}

static void test_golden(void **state)
{
    (void)state;
    FILE *file = fopen("tests/data/golden/disruption.txt", "r");
    assert_non_null(file);
    char line[LINE_ROOM];
    int budgets = 0, evictions = 0, lives = 0, scores = 0;
    while (next_line(file, line)) {
        if (strncmp(line, "BUDGET ", 7) == 0) budgets++, check_budget(line);
        if (strncmp(line, "EVICT ", 6) == 0) evictions++, check_eviction(line);
        if (strncmp(line, "LIFE ", 5) == 0) lives++, check_life(line);
        if (strncmp(line, "SCORE ", 6) == 0) scores++, check_score(line);
    }
    (void)fclose(file);
    assert_int_equal(budgets, 43);
    assert_int_equal(evictions, 112);
    assert_int_equal(lives, 8);
    assert_int_equal(scores, 16);
}

/* ---- several budgets --------------------------------------------------------------------------------------------- */

static budget nodes_of(const char *nodes, bool has_reasons, uint32_t reasons)
{
    return (
        budget){ .nodes = str(nodes), .duration = KARP_DURATION_UNSET, .has_reasons = has_reasons, .reasons = reasons };
}

static int64_t allowed(const budget *list, uint32_t count, uint32_t reason, uint64_t quirks)
{
    node_pool pool = { .budgets = list, .budget_count = count };
    return pool_allows(&pool, reason, 10, at("2026-01-05T09:00:00Z"), quirks, NULL, &(uint32_t){ 0 });
}

static void test_reasons(void **state)
{
    (void)state;
    const uint64_t all = UINT64_MAX, none = 0;
    const budget some[] = { nodes_of("7", false, 0), nodes_of("3", true, KARP_BUDGET_EMPTY | KARP_BUDGET_DRIFTED),
                            nodes_of("50%", true, KARP_BUDGET_DRIFTED) };
    assert_true(allowed(some, 0, KARP_BUDGET_EMPTY, all) == BUDGET_UNLIMITED);
    assert_true(allowed(some, 3, KARP_BUDGET_UNDERUTILIZED, all) == 7);
    assert_true(allowed(some, 3, KARP_BUDGET_EMPTY, all) == 3);
    assert_true(allowed(some, 3, KARP_BUDGET_DRIFTED, all) == 3);
    assert_true(allowed(some + 2, 1, KARP_BUDGET_DRIFTED, all) == 5);
    /* D-Q2: an empty list is no reason at all, an invalid budget is one for every reason. */
    const budget empty = nodes_of("2", true, 0);
    assert_true(allowed(&empty, 1, KARP_BUDGET_EMPTY, all) == BUDGET_UNLIMITED);
    assert_true(allowed(&empty, 1, KARP_BUDGET_EMPTY, none) == 2);
    const budget broken[] = { nodes_of("5", true, KARP_BUDGET_EMPTY), nodes_of("many", true, KARP_BUDGET_DRIFTED) };
    assert_true(allowed(broken, 2, KARP_BUDGET_EMPTY, all) == 0);
    assert_true(allowed(broken, 2, KARP_BUDGET_EMPTY, none) == 5);
    assert_true(allowed(broken, 2, KARP_BUDGET_DRIFTED, none) == 0);
    /* Without nodes: 10%. */
    const budget plain = nodes_of("", false, 0);
    assert_true(allowed(&plain, 1, KARP_BUDGET_EMPTY, all) == 1);
}

static void test_never_active(void **state)
{
    (void)state;
    budget b = nodes_of("0", false, 0);
    b.schedule = str("0 0 30 2 *");
    b.duration = HOUR;
    assert_true(allowed(&b, 1, KARP_BUDGET_EMPTY, UINT64_MAX) == 0);
    assert_true(allowed(&b, 1, KARP_BUDGET_EMPTY, UINT64_MAX ^ 1) == BUDGET_UNLIMITED); /* D-Q1 */
    b.schedule = str("");
    assert_true(allowed(&b, 1, KARP_BUDGET_EMPTY, UINT64_MAX) == 0); /* a duration alone is invalid */
    b = nodes_of("0", false, 0);
    b.schedule = str("* * * * *");
    assert_true(allowed(&b, 1, KARP_BUDGET_EMPTY, UINT64_MAX) ==
                BUDGET_UNLIMITED); /* a schedule alone is never active */
}

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *nodes;
        int64_t total, allowed;
    } rows[] = {
        { "9223372036854775807", 1, INT64_MAX },
        { "-9223372036854775807", 1, -INT64_MAX },
        { "99999999999%", 5, (INT64_C(5) * (INT64_C(1) << 31) + 99) / 100 },
        { "-5%", 30, -1 },
        { "1%", 0, 0 },
        { "1%", 1, 1 },
        { "+1%", 101, 2 },
        { "100%", 4294967295, 4294967295 },
    };
    static const char *const bad[] = { "%", "+", "-", "9223372036854775808", "1.5", "10 %", " 1", "1%%", "0x1", "-%" };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        budget b = nodes_of(rows[i].nodes, false, 0);
        int64_t got = 0;
        assert_true(budget_allows(&b, rows[i].total, 0, true, &got));
        if (got != rows[i].allowed)
            fail_msg("%s of %lld: %lld", rows[i].nodes, (long long)rows[i].total, (long long)got);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        budget b = nodes_of(bad[i], false, 0);
        int64_t got = 4711;
        if (budget_allows(&b, 10, 0, true, &got)) fail_msg("\"%s\" is accepted", bad[i]);
        assert_true(got == 4711);
    }
}

/* ---- when it changes --------------------------------------------------------------------------------------------- */

static void expect_change(const char *schedule, int64_t length, const char *now, const char *expected)
{
    budget b = nodes_of("0", true, KARP_BUDGET_EMPTY);
    b.schedule = str(schedule);
    b.duration = length;
    node_pool pool = { .budgets = &b, .budget_count = 1 };
    int64_t got = pool_next_change(&pool, KARP_BUDGET_EMPTY, at(now), UINT64_MAX, NULL);
    char text[INSTANT_TEXT] = "never";
    if (got != KARP_NO_TIME) (void)instant_format(got, text);
    if (strcmp(text, expected) != 0) fail_msg("%s for %lld at %s: %s", schedule, (long long)length, now, text);
    assert_true(pool_next_change(&pool, KARP_BUDGET_DRIFTED, at(now), UINT64_MAX, NULL) == KARP_NO_TIME);
}

static void test_next_change(void **state)
{
    (void)state;
    expect_change("0 9 * * *", 8 * HOUR, "2026-01-05T08:00:00Z", "2026-01-05T09:00:00Z");
    expect_change("0 9 * * *", 8 * HOUR, "2026-01-05T09:00:00Z", "2026-01-05T17:00:00Z");
    expect_change("0 9 * * *", 8 * HOUR, "2026-01-05T16:59:59Z", "2026-01-05T17:00:00Z");
    expect_change("0 9 * * *", 8 * HOUR, "2026-01-05T17:00:00Z", "2026-01-06T09:00:00Z");
    expect_change("0 9,16 * * *", 8 * HOUR, "2026-01-05T10:00:00Z",
                  "2026-01-06T00:00:00Z"); /* windows that overlap are one */
    expect_change("0 9,17 * * *", 8 * HOUR, "2026-01-05T10:00:00Z", "2026-01-06T01:00:00Z"); /* or touch */
    expect_change("0 0 30 2 *", HOUR, "2026-01-05T10:00:00Z", "never");
    expect_change("not a schedule", HOUR, "2026-01-05T10:00:00Z", "never");
    expect_change("* * * * *", 0, "2026-01-05T10:00:00Z", "never");
    /* Always open: an instant to look again, not an endless walk. */
    budget b = nodes_of("0", false, 0);
    b.schedule = str("* * * * *");
    b.duration = 24 * HOUR;
    node_pool pool = { .budgets = &b, .budget_count = 1 };
    int64_t now = at("2026-01-05T10:00:00Z"), next = pool_next_change(&pool, KARP_BUDGET_EMPTY, now, UINT64_MAX, NULL);
    assert_true(next > now + 24 * HOUR && next != KARP_NO_TIME);
    b.duration = KARP_DURATION_NEVER - 1;
    next = pool_next_change(&pool, KARP_BUDGET_EMPTY, now, UINT64_MAX, NULL);
    assert_true(next > now || next == KARP_NO_TIME);
}

/* ---- costs ------------------------------------------------------------------------------------------------------- */

static void test_cost_texts(void **state)
{
    (void)state;
    static const char *const absent[] = { "",   "_1",      "1_",  "1__0", "+",     ".",
                                          "e5", "infinit", "--1", "nan",  "1e400", "\xff" };
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        same(eviction_cost_of(str(absent[i]), false, false, 0), 1.0, absent[i]);
    same(eviction_cost_of((karp_str){ NULL, 0 }, false, false, 0), 1.0, "no text");
    same(eviction_cost_of(str("-iNFinity"), false, false, 0), -10.0, "-iNFinity");
    same(eviction_cost_of(str("+inf"), false, true, INT32_MIN), 10.0, "+inf");
    same(eviction_cost_of(str("1_3421_7728"), false, true, 33554432), 3.0, "1_3421_7728");
    /* What stands behind a text is no part of it. */
    same(eviction_cost_of((karp_str){ "13421772_8", 9 }, false, false, 0), 1.0, "13421772_");
    same(eviction_cost_of((karp_str){ "1342177280", 9 }, false, false, 0), 2.0, "134217728");
    same(lifetime_remaining(KARP_NO_TIME, HOUR, 0), 0.0, "no creation");
    same(lifetime_remaining(INT64_MIN + 1, HOUR, INT64_MAX), 0.0, "far apart");
    same(lifetime_remaining(INT64_MAX, HOUR, INT64_MIN + 1), 1.0, "far in the future");
    same(lifetime_remaining(0, KARP_DURATION_UNSET, HOUR), 1.0, "unset");
    /* Instants of today are beyond the integers that a double has: only their difference may become one. */
    const int64_t created = INT64_C(1767614399000000000);
    same(lifetime_remaining(created, 1000, created + 1), (1e-6 - 1e-9) / 1e-6, "a nanosecond of a microsecond");
    same(lifetime_remaining(created, 60 * INT64_C(1000000000), created + 100000001), (60.0 - 0.100000001) / 60.0,
         "a tenth of a second, and a nanosecond");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),  cmocka_unit_test(test_reasons),     cmocka_unit_test(test_never_active),
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_next_change), cmocka_unit_test(test_cost_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
