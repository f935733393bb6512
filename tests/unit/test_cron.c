/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <base/cron.h>
#include <base/duration.h>
#include <model/instant.h>
#include <support/lines.h>
#include <support/random.h>

static int64_t at(const char *text)
{
    int64_t instant = 0;
    assert_true(instant_parse(text, strlen(text), &instant));
    return instant;
}

static cron schedule(const char *text)
{
    cron c;
    if (!cron_parse(text, strlen(text), &c)) fail_msg("\"%s\" was refused", text);
    return c;
}

/* CRON "0 0 1 * *" from T: T1 T2 T3 T4, or: CRON "…" error … The peer's zero time stands for "no hit". */
static void check_hits(const char *line)
{
    char text[LINE_ROOM], from[LINE_ROOM], hits[LINE_ROOM];
    cron c;
    assert_true(between(line, "CRON \"", "\"", text));
    if (strstr(line, "\" error ")) {
        memset(&c, 0x5a, sizeof c);
        cron before = c;
        assert_false(cron_parse(text, strlen(text), &c));
        assert_memory_equal(&c, &before, sizeof c);
        return;
    }
    assert_true(between(line, "\" from ", ": ", from));
    assert_true(between(line, "Z: ", NULL, hits));
    c = schedule(text);
    int64_t now = at(from);
    int count = 0;
    for (const char *hit = hits; *hit; hit += strlen("2026-01-05T12:00:00Z ")) {
        int64_t next = 0;
        bool found = cron_next(&c, now, &next);
        count++;
        if (strncmp(hit, "0001-", 5) == 0) {
            assert_false(found);
            return;
        }
        char expected[LINE_ROOM];
        (void)snprintf(expected, sizeof expected, "%.20s", hit);
        assert_true(found);
        assert_true(next == at(expected));
        now = next;
    }
    assert_int_equal(count, 4);
}

/* BUDGET {now:T sched:S dur:D nodes:0 n:10} active=true/false …: the second word says whether the schedule is refused.
 * A budget is active when a hit lies in (now - duration, now], or when there is none at all. */
static void check_window(const char *line)
{
    char text[LINE_ROOM], now_text[LINE_ROOM], duration[LINE_ROOM];
    assert_true(between(line, "{now:", " sched:", now_text));
    assert_true(between(line, " sched:", " dur:", text));
    assert_true(between(line, " dur:", " nodes:", duration));
    cron c;
    bool parsed = cron_parse(text, strlen(text), &c);
    assert_int_equal(parsed, strstr(line, "/false") != NULL);
    if (!parsed) return;
    int64_t now = at(now_text), length = 0, next = 0;
    assert_true(duration_parse(duration, strlen(duration), &length));
    bool active = !cron_next(&c, now - length, &next) || next <= now;
    assert_int_equal(active, strstr(line, "active=true") != NULL);
}

static void check_file(const char *path, int *hits_out, int *windows_out)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char line[LINE_ROOM];
    int hits = 0, windows = 0;
    while (next_line(file, line)) {
        if (strncmp(line, "CRON ", 5) == 0) {
            check_hits(line);
            hits++;
        } else {
            check_window(line);
            windows++;
        }
    }
    (void)fclose(file);
    *hits_out = hits;
    *windows_out = windows;
}

static void test_golden(void **state)
{
    (void)state;
    int hits = 0, windows = 0;
    check_file("tests/data/golden/cron.txt", &hits, &windows);
    assert_int_equal(hits, 26);
    assert_int_equal(windows, 27);
}

/* What Karpenter's parser says of expressions that were made at random (tests/long/test_cron.py --golden 1200); the
 * long suite has many more in a file of its own. */
static void test_many(void **state)
{
    (void)state;
    int hits = 0, windows = 0;
    const char *path = getenv("KARP_CRON_LINES");
    check_file(path != NULL ? path : "tests/data/golden/cron-peer.txt", &hits, &windows);
    assert_true(hits >= 1200);
    assert_int_equal(windows, 0);
}

static void expect_next(const char *text, const char *after, const char *hit)
{
    cron c = schedule(text);
    int64_t next = 0;
    bool found = cron_next(&c, at(after), &next);
    if (found != (hit != NULL) || (hit && next != at(hit))) {
        char got[INSTANT_TEXT] = "none";
        if (found) (void)instant_format(next, got);
        fail_msg("\"%s\" after %s: %s", text, after, got);
    }
}

static void test_hits(void **state)
{
    (void)state;
    /* Strictly after, in whole seconds. */
    expect_next("0 9 * * *", "2026-01-05T09:00:00Z", "2026-01-06T09:00:00Z");
    expect_next("0 9 * * *", "2026-01-05T08:59:59.999999999Z", "2026-01-05T09:00:00Z");
    expect_next("0 9 * * *", "2026-01-05T09:00:00.000000001Z", "2026-01-06T09:00:00Z");
    expect_next("* * * * *", "2026-01-05T09:00:01Z", "2026-01-05T09:01:00Z");
    expect_next("30 * * * *", "2026-01-05T23:30:00Z", "2026-01-06T00:30:00Z");
    expect_next("59 23 31 12 *", "2026-12-31T23:59:00Z", "2027-12-31T23:59:00Z");
    expect_next("* * * * *", "2026-12-31T23:59:59.5Z", "2027-01-01T00:00:00Z");
    expect_next("0 0 29 2 *", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z");
    expect_next("0 0 31 * *", "2026-03-31T00:00:00Z", "2026-05-31T00:00:00Z");
    /* Five calendar years, counted from the second after; 2096 and 2104 are leap years, 2100 is none. */
    expect_next("0 0 29 2 *", "2098-12-31T23:59:58Z", NULL);
    expect_next("0 0 29 2 *", "2098-12-31T23:59:59Z", "2104-02-29T00:00:00Z");
    expect_next("0 0 30 2 *", "2026-01-01T00:00:00Z", NULL);
    /* One field without a value: never. */
    expect_next(", * * * *", "2026-01-01T00:00:00Z", NULL);
    expect_next("* , * * *", "2026-01-01T00:00:00Z", NULL);
    expect_next("* * , , *", "2026-01-01T00:00:00Z", NULL);
    /* … but for the days of the month the days of the week suffice. */
    expect_next("0 0 , * 1", "2026-01-05T12:00:00Z", "2026-01-12T00:00:00Z");
    /* One star among a list makes the whole field a star. */
    expect_next("0 0 13,* * 1", "2026-01-05T12:00:00Z", "2026-01-12T00:00:00Z");
    expect_next("0 0 13 * 1", "2026-01-12T12:00:00Z", "2026-01-13T00:00:00Z");
    /* Before 1970 as after it. */
    expect_next("0 12 * * *", "1969-12-31T11:59:59.5Z", "1969-12-31T12:00:00Z");
    expect_next("@hourly", "1700-02-28T23:30:00Z", "1700-03-01T00:00:00Z");
}

static void test_descriptors(void **state)
{
    (void)state;
    expect_next("@yearly", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z");
    expect_next(" @daily\n", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z");
    expect_next("@every 1h30m", "2026-01-01T00:10:00.5Z", "2026-01-01T01:40:00Z");
    expect_next("@every 1.9s", "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z");
    expect_next("@every -5h", "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z");
    expect_next("@every 10ms", "1969-12-31T23:59:58.25Z", "1969-12-31T23:59:59Z");
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",
        " ",
        "*",
        "* * * *",
        "* * * * * *",
        "TZ=UTC * * * * *",
        "@",
        "@Daily",
        "@daily x",
        "@reboot",
        "@every",
        "@every ",
        "@every x",
        "@every 1",
        "60 * * * *",
        "-1 * * * *",
        "-0 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * 32 * *",
        "* * * 0 *",
        "* * * 13 *",
        "* * * * 7",
        "* * * * 5-7",
        "5-1 * * * *",
        "*/0 * * * *",
        "*/ * * * *",
        "/2 * * * *",
        "1/2/3 * * * *",
        "1-2-3 * * * *",
        "1- * * * *",
        "- * * * *",
        "x * * * *",
        "** * * * *",
        "*5 * * * *",
        "* * * january *",
        "* * * * monday",
        "jan * * * *",
        "* * * sun *",
        "* * L * *",
        "* * * * 1#2",
        "1.5 * * * *",
        "18446744073709551617 * * * *",
        "*/99999999999999999999 * * * *",
        "*/-1 * * * *",
        "*/-0 * * * *",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        cron c;
        if (cron_parse(wrong[i], strlen(wrong[i]), &c)) fail_msg("\"%s\" was taken", wrong[i]);
    }
    cron c;
    assert_false(cron_parse(NULL, 0, &c));
}

static void test_accepted(void **state)
{
    (void)state;
    static const char *const good[] = {
        "+5 007 1 1 *",         "*/9223372036854775807 * * * *",
        "59/5 23/1 31 dec SAT", "? ? ? ? ?",
        "*-1-2-x * * * *",      "1,,2 * * * *",
        "0\t0\v1\f*\r*",        "* * * Jan-3 mOn-fri/2",
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) (void)schedule(good[i]);
    cron c = schedule("*/9223372036854775807 * * * *");
    assert_true(c.minutes == 1);
    c = schedule("50/5 1-7/3 */10 2,4-6 1");
    assert_true(c.minutes == (UINT64_C(1) << 50 | UINT64_C(1) << 55));
    assert_true(c.hours == (1 << 1 | 1 << 4 | 1 << 7));
    assert_true(c.days == (UINT64_C(1) << 1 | 1 << 11 | 1 << 21 | UINT64_C(1) << 31));
    assert_true(c.months == (1 << 2 | 1 << 4 | 1 << 5 | 1 << 6));
    assert_true(c.weekdays == 1 << 1 && !c.any_day && !c.any_weekday && c.every == 0);
    c = schedule("* * */1 * ?");
    assert_true(c.any_day && c.any_weekday);
}

/* At the ends of time nothing overflows: a hit that no instant can hold is the last one. */
static void test_ends_of_time(void **state)
{
    (void)state;
    int64_t next = 0;
    cron c = schedule("0 0 1 1 *");
    assert_true(cron_next(&c, INT64_MAX, &next) && next == INT64_MAX);
    assert_true(cron_next(&c, INT64_MIN, &next) && next == at("1678-01-01T00:00:00Z"));
    c = schedule("@every 2000000h");
    assert_true(cron_next(&c, INT64_MAX - 5, &next) && next == INT64_MAX);
    assert_true(cron_next(&c, INT64_MIN, &next) && next > INT64_MIN);
}

/* Against the plainest search there is: minute by minute, with the rule for days spelled out. */
static bool plain_hit(const cron *c, int64_t minute)
{
    int64_t days = floor_divide(minute, 1440);
    unsigned of_day = (unsigned)(minute - days * 1440);
    civil_date date = civil_from_days(days);
    bool day = c->days >> date.day & 1, weekday = c->weekdays >> civil_weekday(days) & 1;
    bool days_match = c->any_day || c->any_weekday ? day && weekday : day || weekday;
    return (c->minutes >> of_day % 60 & 1) && (c->hours >> of_day / 60 & 1) && (c->months >> date.month & 1) &&
           days_match;
}

static uint64_t one_of(uint64_t *seed, uint64_t first, uint64_t count)
{
    return UINT64_C(1) << (first + random_below(seed, count));
}

static uint64_t one_in_four(uint64_t *seed)
{
    uint64_t bits = random_next(seed);
    return bits & random_next(seed);
}

static void test_against_plain_search(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int i = 0; i < 300; i++) {
        cron c;
        memset(&c, 0, sizeof c);
        c.minutes = one_in_four(&seed) >> 4;
        c.minutes |= one_of(&seed, 0, 60);
        c.hours = one_in_four(&seed) & 0xffffff;
        c.hours |= one_of(&seed, 0, 24);
        c.days = one_of(&seed, 1, 28);
        c.days |= one_of(&seed, 1, 31);
        c.months = (random_next(&seed) & 0x1ffe) | 2;
        c.weekdays = one_of(&seed, 0, 7);
        c.any_day = random_below(&seed, 2) == 0;
        if (c.any_day) c.days = 0xfffffffe;
        int64_t after = (int64_t)(random_next(&seed) % UINT64_C(9000000000)) * SECOND_NS -
                        INT64_C(4500000000) * SECOND_NS;
        int64_t next = 0;
        assert_true(cron_next(&c, after, &next));
        assert_true(next > after && next % (60 * SECOND_NS) == 0);
        int64_t minute = floor_divide(after, 60 * SECOND_NS) + 1, steps = 0;
        while (!plain_hit(&c, minute)) {
            minute++;
            assert_true(++steps < 1440 * 366);
        }
        assert_true(next == minute * 60 * SECOND_NS);
    }
}

/* ---- the calendar under it --------------------------------------------------------------------------------------- */

static void test_calendar(void **state)
{
    (void)state;
    assert_int_equal(civil_days(1970, 1, 1), 0);
    assert_int_equal(civil_days(2000, 3, 1), 11017);
    assert_true(civil_days(0, 1, 1) == -719528);
    assert_int_equal(civil_weekday(0), 4);
    assert_int_equal(civil_weekday(-4), 0);
    assert_int_equal(civil_weekday(-5), 6);
    assert_int_equal(civil_month_length(1900, 2), 28);
    assert_int_equal(civil_month_length(2000, 2), 29);
    assert_int_equal(civil_month_length(2023, 2), 28);
    assert_int_equal(civil_month_length(2024, 2), 29);
    /* Day by day through nine centuries. */
    civil_date expected = { 1599, 1, 1 };
    for (int64_t days = civil_days(1599, 1, 1); expected.year < 2500; days++) {
        civil_date date = civil_from_days(days);
        assert_true(date.year == expected.year);
        assert_int_equal(date.month, expected.month);
        assert_int_equal(date.day, expected.day);
        assert_true(civil_days(date.year, date.month, date.day) == days);
        if (++expected.day <= civil_month_length(expected.year, expected.month)) continue;
        expected.day = 1;
        if (++expected.month <= 12) continue;
        expected.month = 1;
        expected.year++;
    }
    civil_date before = civil_from_days(civil_days(-1, 12, 31));
    assert_true(before.year == -1 && before.month == 12 && before.day == 31);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),       cmocka_unit_test(test_many),
        cmocka_unit_test(test_hits),         cmocka_unit_test(test_descriptors),
        cmocka_unit_test(test_refused),      cmocka_unit_test(test_accepted),
        cmocka_unit_test(test_ends_of_time), cmocka_unit_test(test_against_plain_search),
        cmocka_unit_test(test_calendar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
