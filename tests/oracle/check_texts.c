/* SPDX-License-Identifier: Apache-2.0 */
/* What tests/oracle/texts says of random texts, on standard input, held against the library. Exit status 1: they part.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <karp/values.h>
#include <model/cel_tree.h>
#include <model/quantity.h>

enum { MOST_TEXT = 4096, MOST_SHOWN = 20 };

typedef struct tally {
    uint64_t quantities, versions, accepted, parted;
} tally;

/* "x6131" -> "a1"; the length, -1 = no such text. */
static int decode(const char *hex, char out[MOST_TEXT])
{
    size_t n = strlen(hex);
    if (hex[0] != 'x' || n % 2 == 0 || n / 2 >= MOST_TEXT) return -1;
    for (size_t i = 0; i < n / 2; i++) {
        char digits[3] = { hex[1 + 2 * i], hex[2 + 2 * i], 0 };
        out[i] = (char)strtoul(digits, NULL, 16);
    }
    return (int)(n / 2);
}

static void part(tally *t, const char *line, const char *what)
{
    if (t->parted++ < MOST_SHOWN) printf("%s: the library says %s\n", line, what);
}

static void check_quantity(tally *t, const char *line, const char *hex, const char *canonical, const char *value)
{
    char text[MOST_TEXT], own[KARP_VALUE_TEXT];
    int n = decode(hex, text);
    t->quantities++;
    if (n < 0) {
        part(t, line, "that this is no line");
        return;
    }
    karp_str it = { text, (size_t)n }, number = { value, strlen(value) }, named = { canonical, strlen(canonical) };
    karp_status status = karp_quantity_canonical(it, own);
    if (strcmp(canonical, "-") == 0) {
        if (status != KARP_E_INVALID) part(t, line, karp_status_name(status));
        return;
    }
    int32_t order = 2;
    if (karp_quantity_check(number) == KARP_E_RANGE) { /* Kubernetes has more than 128 bits */
        if (status != KARP_E_RANGE) part(t, line, karp_status_name(status));
        return;
    }
    if (status != KARP_OK) {
        part(t, line, karp_status_name(status));
        return;
    }
    t->accepted++;
    if (karp_quantity_compare(it, number, &order) != KARP_OK || order != 0) part(t, line, "another value");
    /* Beyond "E" Kubernetes writes the digits and loses the suffix; what is lost there is not lost here. */
    bool lost = karp_quantity_compare(named, number, &order) != KARP_OK || order != 0;
    if (lost && (karp_quantity_compare((karp_str){ own, strlen(own) }, number, &order) != KARP_OK || order != 0))
        part(t, line, "a canonical text of another value");
    if (!lost && strcmp(own, canonical) != 0) part(t, line, own);
}

static void check_versions(tally *t, const char *line, bool lenient, char hex[2][2 * MOST_TEXT], const int accepted[2],
                           int order)
{
    char text[2][MOST_TEXT];
    cel_version v[2];
    t->versions++;
    for (int i = 0; i < 2; i++) {
        int n = decode(hex[i], text[i]);
        if (n < 0 || cel_read_version((karp_str){ text[i], (size_t)n }, lenient, &v[i]) != (accepted[i] == 1)) {
            part(t, line, accepted[i] == 1 ? "that it is none" : "that it is one");
            return;
        }
    }
    if (accepted[0] != 1 || accepted[1] != 1) return;
    t->accepted++;
    if (cel_compare_versions(&v[0], &v[1]) != order) part(t, line, "another order");
}

int main(void)
{
    static char line[8 * MOST_TEXT], hex[2][2 * MOST_TEXT], canonical[2 * MOST_TEXT], value[2 * MOST_TEXT];
    tally t = { 0, 0, 0, 0 };
    while (fgets(line, sizeof line, stdin) != NULL) {
        int lenient, accepted[2], order = 2;
        line[strcspn(line, "\n")] = 0;
        value[0] = 0;
        if (sscanf(line, "quantity %8191s %8191s %8191s", hex[0], canonical, value) >= 2)
            check_quantity(&t, line, hex[0], canonical, value);
        else if (sscanf(line, "version %d %8191s %8191s %d %d %d", &lenient, hex[0], hex[1], &accepted[0], &accepted[1],
                        &order) >= 5)
            check_versions(&t, line, lenient == 1, hex, accepted, order);
        else part(&t, line, "that this is no line");
    }
    printf("%" PRIu64 " quantities, %" PRIu64 " pairs of versions, %" PRIu64 " accepted, %" PRIu64 " parted\n",
           t.quantities, t.versions, t.accepted, t.parted);
    return t.parted > 0 || t.quantities == 0;
}
