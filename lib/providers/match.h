/* SPDX-License-Identifier: Apache-2.0 */
/* Whether what is asked of a node and what a type or an offering has agree, label by label, on the public structs. */
#ifndef PROVIDERS_MATCH_H
#define PROVIDERS_MATCH_H

#include <stdbool.h>

#include <karp/catalogue.h>

/* Intersects: every key that both lists have is satisfiable. Labels only one of them has do not count, as all that
 * types carry are well known. Supply: In or DoesNotExist; every operator is understood. */
bool match_agree(const karp_requirement *asked, size_t asked_count, const karp_requirement *supply,
                 size_t supply_count);

/* Is this value of the key allowed by every requirement on it? */
bool match_allows(const karp_requirement *asked, size_t asked_count, karp_str key, karp_str value);

const karp_requirement *match_find(const karp_requirement *list, size_t count, const char *key);
/* The value of In with a single one; "" = there is none. */
karp_str match_single(const karp_requirement *list, size_t count, const char *key);

bool match_is(karp_str a, const char *text);
bool match_same(karp_str a, karp_str b);
int match_compare(karp_str a, karp_str b); /* by bytes */

#endif
