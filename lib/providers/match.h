/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the requirements of a node agree with those of a type or an offering, label by label, on the public structs.
 */
#ifndef PROVIDERS_MATCH_H
#define PROVIDERS_MATCH_H

#include <base/serves.h>
#include <base/str.h>
#include <karp/catalogue.h>

/* Whether the lists intersect: every key in both lists must be satisfiable. Keys in only one list are ignored, because
 * all labels of types are well known. The supply uses In or DoesNotExist; all operators are supported. */
bool match_agree(const karp_requirement *required, size_t required_count, const karp_requirement *supply,
                 size_t supply_count);

/* Whether every requirement on this key allows the value. */
bool match_allows(const karp_requirement *required, size_t required_count, karp_str key, karp_str value);

/* The value of an In with a single value; "" = none. */
karp_str match_single(const karp_requirement *list, size_t count, const char *key);

#endif
