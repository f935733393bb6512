/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include <base/nearest.h>
#include <stdio.h>
#include <string.h>

/* Reports an unknown option, and the command's option that was most likely meant. */
int unknown_option(const cli_verb *verb, const char *given)
{
    char word[64] = "", message[160];
    const char *name = given + strspn(given, "-");
    (void)snprintf(word, sizeof(word), "%.*s", (int)strcspn(name, "="), name);
    nearest meant = { .wanted = str(word), .distance = 2 }; /* two letters may be wrong */
    cli_option_shown o;
    for (size_t i = 0; given[0] == '-' && given[1] == '-' && option_of(verb, &i, &o);) {
        nearest_offer(&meant, str(o.name));
    }
    (void)snprintf(message, sizeof(message),
                   meant.best.ptr != NULL ? "no such option; did you mean --%s?" : "no such option", meant.best.ptr);
    return wrong_option(verb, given, message);
}
