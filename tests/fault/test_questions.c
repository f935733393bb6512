/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every question is asked of small clusters with each allocation refused in turn. With arguments, of other documents:
 *
 *     test_fault_questions MOST PROFILE CATALOGUE FILE...    MOST allocations of each question (0 = all of them);
 *                                                            profile karpenter or karp; catalogue "-" = none
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <karp/karp.h>
#include <support/questions.h>

static void refuse_all(const char *catalogue, const char *document)
{
    assert_true(refuse_questions(catalogue, &document, 1, KARP_PROFILE_KARPENTER, 0) > 0);
}

static void devices(void **state)
{
    (void)state;
    refuse_all(NULL, "tests/data/fault/devices.yaml");
}

static void worn_cluster(void **state)
{
    (void)state;
    refuse_all("tests/data/fault/catalogue.json", "tests/data/fault/worn.yaml");
}

static int files(int argc, char **argv)
{
    const char *catalogue = strcmp(argv[3], "-") == 0 ? NULL : argv[3];
    uint32_t profile = strcmp(argv[2], "karp") == 0 ? KARP_PROFILE_KARP : KARP_PROFILE_KARPENTER;
    size_t refused = refuse_questions(catalogue, (const char *const *)argv + 4, (size_t)argc - 4, profile,
                                      strtoul(argv[1], NULL, 10));
    printf("%zu refusals\n", refused);
    return refused > 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(devices), cmocka_unit_test(worn_cluster) };
    return argc > 4 ? files(argc, argv) : cmocka_run_group_tests(tests, NULL, NULL);
}
