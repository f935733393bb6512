/* SPDX-License-Identifier: Apache-2.0 */
/* Which values a pod may select: 63 letters and digits, with -, _ and . between them. */
#include "deciding.h"

#include <stdbool.h>
#include <stdio.h>

#define TEN "aaaaaaaaaa"

static void test_values(void **state)
{
    static const struct {
        const char *value;
        bool valid;
    } rows[] = {
        { "a", true },
        { "z", true },
        { "A", true },
        { "Z", true },
        { "0", true },
        { "9", true },
        { "a-b_c.d", true },
        { "Z--Z", true },
        { TEN TEN TEN TEN TEN TEN "aaa", true },
        { TEN TEN TEN TEN TEN TEN "aaaa", false },
        { "-a", false },
        { "a-", false },
        { "_", false },
        { "a.", false },
        { "a b", false },
        { "a/b", false },
        { "a@b", false },
        { "a[b", false },
        { "a`b", false },
        { "a{b", false },
        { "a:b", false },
        { "{", false },
        { "@", false },
        { ":", false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char pod[400];
        (void)snprintf(pod, sizeof pod, POD("a", "", "nodeSelector: {team: \"%s\"}, " REQUESTS("cpu: 1")),
                       rows[i].value);
        deciding d = decide_on(NULL, POOL("default", ", requirements: [{key: team, operator: Exists}]"), pod, NULL);
        const char *expected = rows[i].valid ? "default: a" : "?a INVALID_SELECTOR";
        if (strcmp(words_of(&d, KARP_PROFILE_KARPENTER, 0), expected) != 0)
            fail_msg("\"%s\": %s", rows[i].value, words_of(&d, KARP_PROFILE_KARPENTER, 0));
        deciding_free(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_values) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
