/* SPDX-License-Identifier: Apache-2.0 */
/* Which pools of devices that share counters are in order: every set that a device takes from is defined once, and
 * every counter of it. */
#include "device_documents.h"

#define SETS(list) SLICE_OF("s1", "pool", "1", "2", ALL, "sharedCounters: [" list "]")
#define SET(name, counter) "{name: " name ", counters: {" counter ": {value: 10}}}"
#define TAKER(list) SLICE_OF("s2", "pool", "1", "2", ALL, "devices: [{name: d0, consumesCounters: [" list "]}]")
#define FROM(set, counter) "{counterSet: " set ", counters: {" counter ": {value: 1}}}"
#define WORLD(sets, taken)                                                                                             \
    SNAPSHOT(ON, PLAIN) CLASS SETS(sets) TAKER(taken) CLAIM("c", ONE, "") POD("p", "1", CLAIMS("c"))
#define PLACED "new default p on plain drivers=gpu.example.com\n"
#define REFUSED "no p DEVICES\n"

static void defined(void **state)
{
    (void)state;
    assert_plan(WORLD(SET("a", "m"), FROM("a", "m")), PLACED);
    assert_plan(WORLD(SET("a", "m"), FROM("b", "m")), REFUSED);
    assert_plan(WORLD(SET("a", "m"), FROM("a", "n")), REFUSED);
    /* each of several */
    assert_plan(WORLD(SET("a", "m") "," SET("b", "m"), FROM("a", "m") "," FROM("b", "m")), PLACED);
    assert_plan(WORLD(SET("a", "m"), FROM("a", "m") "," FROM("b", "m")), REFUSED);
    assert_plan(WORLD(SET("a", "m"), FROM("b", "m") "," FROM("a", "m")), REFUSED);
    assert_plan(WORLD(SET("a", "m") "," SET("b", "m"), FROM("a", "m") "," FROM("b", "n")), REFUSED);
    assert_plan(WORLD(SET("a", "m") "," SET("b", "m"), FROM("a", "n") "," FROM("b", "m")), REFUSED);
    assert_plan(WORLD(SET("a", "m"), FROM("a", "m") ", {counterSet: b}"), REFUSED);
    assert_plan(WORLD(SET("a", "m") "," SET("b", "m"), FROM("a", "m") ", {counterSet: b}"), PLACED);
    /* once */
    assert_plan(WORLD(SET("a", "m") "," SET("a", "n"), FROM("a", "m")), REFUSED);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(defined) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
