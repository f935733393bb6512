/* SPDX-License-Identifier: Apache-2.0 */
/* What a requirement on a label may say (scheduling.md §7.2, §7.4). */
#ifndef MODEL_LABEL_RULES_H
#define MODEL_LABEL_RULES_H

#include <model/snapshot.h>

/* What is wrong with a requirement; NULL = nothing. Values are text ids. */
const char *requirement_wrong(const karp_snapshot *s, uint32_t given_key, uint32_t op, const uint32_t *values,
                              uint32_t count, uint32_t min_values);

/* Whether it is one (RFC 1123): the prefix of a key, and the name of nearly every object. A name without a dot and at most 63
 * characters long is a DNS label, which namespaces are. */
bool dns_subdomain(karp_str t);

#endif
