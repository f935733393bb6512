/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include <stdio.h>
#include <string.h>

/* The edit distance of two words: the number of letters to change, insert or delete. Very long words count as far
 * apart. */
static size_t distance(const char *a, const char *b)
{
    enum { MOST = 40 };
    size_t row[MOST + 1], n = strlen(b);
    if (n > MOST || strlen(a) > MOST) {
        return MOST;
    }
    for (size_t k = 0; k <= n; k++) {
        row[k] = k;
    }
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t k = 1; k <= n; k++) {
            size_t change = corner + (a[i - 1] != b[k - 1]), add = row[k] + 1, drop = row[k - 1] + 1;
            corner = row[k];
            row[k] = change < add ? (change < drop ? change : drop) : (add < drop ? add : drop);
        }
    }
    return row[n];
}

/* Reports an unknown option, and the command's option that was most likely meant. */
int unknown_option(const cli_verb *verb, const char *given)
{
    char word[64] = "", message[160];
    const char *name = given + strspn(given, "-"), *nearest = NULL;
    size_t best = 3;
    (void)snprintf(word, sizeof(word), "%.*s", (int)strcspn(name, "="), name);
    cli_option_shown o;
    for (size_t i = 0; given[0] == '-' && given[1] == '-' && option_of(verb, &i, &o);) {
        size_t far = distance(word, o.name);
        if (far < best) {
            best = far;
            nearest = o.name;
        }
    }
    (void)snprintf(message, sizeof(message), nearest != NULL ? "no such option; did you mean --%s?" : "no such option",
                   nearest);
    return wrong_option(verb, given, message);
}
