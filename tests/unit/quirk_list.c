/* SPDX-License-Identifier: Apache-2.0 */
#include "quirk_list.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows of flags have four columns: the quirk, both profiles, the test. */
static int columns(const char *row)
{
    int bars = 0;
    for (const char *p = row; *p != '\0'; p++) bars += *p == '|';
    return bars - 1;
}

uint64_t quirks_documented(char room)
{
    const char begin[] = { '|', ' ', room, '-', 'Q', '\0' };
    FILE *page = fopen("docs/conformance.md", "r");
    assert_non_null(page);
    uint64_t all = 0;
    char row[4096];
    while (fgets(row, sizeof row, page) != NULL) {
        if (strncmp(row, begin, 5) != 0 || columns(row) != 4) continue;
        long number = strtol(row + 5, NULL, 10);
        assert_true(number >= 1 && number <= 64);
        all |= UINT64_C(1) << (number - 1);
    }
    assert_int_equal(fclose(page), 0);
    assert_true(all != 0);
    return all;
}
