/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities, durations, times and numbers: the laws that reading and writing them obey. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <karp/values.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void broken(const char *law, karp_str text)
{
    fprintf(stderr, "broken law: %s: \"%.*s\"\n", law, (int)text.len, text.ptr);
    abort();
}

static karp_str str(const char *text)
{
    karp_str s = { text, strlen(text) };
    return s;
}

static int32_t compare(karp_str a, karp_str b)
{
    int32_t order = 2;
    if (karp_quantity_compare(a, b, &order) != KARP_OK || order < -1 || order > 1)
        broken("two quantities can be compared", a);
    return order;
}

static void one_quantity(karp_str text)
{
    char canonical[KARP_VALUE_TEXT];
    char again[KARP_VALUE_TEXT];
    double value = 0;
    karp_status status = karp_quantity_check(text);
    if (status != KARP_OK && status != KARP_E_INVALID && status != KARP_E_RANGE)
        broken("a quantity is good, invalid or out of range", text);
    if (karp_quantity_canonical(text, canonical) != status || karp_quantity_double(text, &value) != status)
        broken("all readers of quantities agree on what is one", text);
    if (status != KARP_OK) return;
    if (memchr(canonical, 0, sizeof canonical) == NULL) broken("canonical text fits", text);
    /* An amount with a binary suffix that is no multiple of 1024 becomes one without a suffix, which then is a decimal
     * one. */
    bool binary = text.len > 0 && text.ptr[text.len - 1] == 'i';
    if (karp_quantity_canonical(str(canonical), again) != KARP_OK || (strcmp(canonical, again) != 0 && !binary))
        broken("canonical text is its own canonical text", text);
    if (compare(str(canonical), str(again)) != 0 || karp_quantity_canonical(str(again), canonical) != KARP_OK ||
        strcmp(canonical, again) != 0)
        broken("canonical text of canonical text stays as it is", text);
    if (compare(text, str(canonical)) != 0 || compare(text, text) != 0)
        broken("canonical text has the same value", text);
    if (!(value - value == 0)) broken("the double of a quantity is finite", text);
    if (compare(text, str("0")) != (value > 0) - (value < 0)) broken("the double of a quantity has its sign", text);
    if (karp_quantity_add(text, str("0"), again) == KARP_OK && compare(text, str(again)) != 0)
        broken("adding zero changes nothing", text);
}

static void two_quantities(karp_str a, karp_str b, karp_str both)
{
    if (karp_quantity_check(a) != KARP_OK || karp_quantity_check(b) != KARP_OK) return;
    if (compare(a, b) != -compare(b, a)) broken("comparison is antisymmetric", both);
    char ab[KARP_VALUE_TEXT];
    char ba[KARP_VALUE_TEXT];
    karp_status status = karp_quantity_add(a, b, ab);
    if (status != karp_quantity_add(b, a, ba)) broken("a + b exists when b + a does", both);
    if (status == KARP_E_RANGE) return;
    /* Kubernetes reads binary suffixes as at most 2^63 - 1, though sums beyond are written with them. */
    double sum = 0;
    if (karp_quantity_double(a, &sum) == KARP_OK && (sum > 4e18 || sum < -4e18)) return;
    if (karp_quantity_double(b, &sum) == KARP_OK && (sum > 4e18 || sum < -4e18)) return;
    if (status != KARP_OK || compare(str(ab), str(ba)) != 0) broken("a + b = b + a", both);
    if (compare(str(ab), a) != compare(b, str("0"))) broken("a + b > a when b > 0", both);
}

static void one_duration(karp_str text)
{
    int64_t value = 0;
    int64_t again = 0;
    if (karp_duration_parse(text, &value) != KARP_OK) return;
    char out[KARP_VALUE_TEXT];
    karp_duration_format(value, out);
    if (karp_duration_parse(str(out), &again) != KARP_OK || again != value) broken("a duration reads back", text);
}

static void one_time(karp_str text)
{
    int64_t value = 0;
    int64_t again = 0;
    if (karp_time_parse(text, &value) != KARP_OK) return;
    char out[KARP_VALUE_TEXT];
    karp_time_format(value, out);
    if (karp_time_parse(str(out), &again) != KARP_OK || again != value) broken("a time reads back", text);
}

static void number_reads_back(double value, karp_str text)
{
    char out[KARP_VALUE_TEXT];
    double again = 0;
    karp_double_format(value, out);
    if (memchr(out, 0, sizeof out) == NULL) broken("a number's text fits", text);
    /* Bit for bit: a negative zero may not turn positive. */
    if (karp_double_parse(str(out), &again) != KARP_OK || memcmp(&again, &value, sizeof value) != 0)
        broken("a number reads back", text);
}

static void one_number(karp_str text)
{
    double value = 0;
    if (karp_double_parse(text, &value) != KARP_OK) return;
    if (!(value - value == 0)) broken("a number is finite", text);
    number_reads_back(value, text);
}

static void eight_bytes(const uint8_t *data, karp_str text)
{
    double value;
    int64_t integer;
    int64_t again = 0;
    char out[KARP_VALUE_TEXT];
    memcpy(&value, data, sizeof value);
    memcpy(&integer, data, sizeof integer);
    if (value - value == 0) number_reads_back(value, text);
    karp_duration_format(integer, out);
    if (karp_duration_parse(str(out), &again) != KARP_OK || again != integer) broken("every duration reads back", text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* A private copy without a NUL behind it, so that reading too far shows. */
    char *copy = malloc(size + (size == 0));
    if (copy == NULL) return 0;
    if (size > 0) memcpy(copy, data, size);
    karp_str text = { copy, size };
    one_quantity(text);
    one_duration(text);
    one_time(text);
    one_number(text);
    const char *space = size > 0 ? memchr(copy, ' ', size) : NULL;
    if (space != NULL) {
        size_t first = (size_t)(space - copy);
        karp_str a = { copy, first };
        karp_str b = { space + 1, size - first - 1 };
        one_quantity(a);
        one_quantity(b);
        two_quantities(a, b, text);
    }
    if (size >= 8) eight_bytes(data, text);
    free(copy);
    return 0;
}
