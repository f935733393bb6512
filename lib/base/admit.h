/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What requirements, selectors and tolerations admit, on the public structs. Numbers are Kubernetes' integers.
 *
 * The label algebra (model/requirement.h) does the same for interned texts; both read numbers, bounds and tolerations
 * by the functions here. The verifier (explain) has its own, so that a mistake here is not repeated there.
 */
#pragma once

#include <base/labels.h>
#include <stdbool.h>
#include <karp/objects.h>

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* The integer that a text is. */
typedef struct string_number {
    int64_t value; /* beyond 64 bits the nearest one; 0 if the text is none */
    bool is_number;
} string_number;

/* As Go's Atoi: digits with an optional sign. A number beyond 64 bits is none. */
string_number read_integer(karp_str text);

/* The values that Gt, Lt, Gte or Lte with this number allows. false = none. Karpenter subtracts with overflow: the
 * smallest number minus 1 is the greatest. */
bool bounds_of_operator(uint32_t op, int64_t number, int64_t *least, int64_t *most);

/* ---- labels ------------------------------------------------------------------------------------------------------ */

/* Whether a label meets In, NotIn, Exists or DoesNotExist. listed: it is there, and its value is one of the values. */
static inline bool operator_allows(uint32_t op, bool there, bool listed)
{
    switch (op) {
    case KARP_OP_IN: return listed;
    case KARP_OP_NOT_IN: return !listed;
    case KARP_OP_EXISTS: return there;
    case KARP_OP_DOES_NOT_EXIST: return !there;
    default: return false;
    }
}

/* NULL = there is no such label. */
const karp_str *label_value(const karp_label *list, size_t count, karp_str key);
karp_str label_or_none(const karp_label *list, size_t count, const char *key); /* "" = there is no such label */

/* Whether the value meets the requirement. NULL = the object does not have the label. */
bool requirement_allows(const karp_requirement *r, const karp_str *value);

/* Sets the label. The list has room for one more. */
void label_set(karp_label *list, size_t *count, karp_str key, karp_str value);

/* Whether the labels include all of `wanted`. */
bool labels_include(const karp_label *labels, size_t count, const karp_label *wanted, size_t wanted_count);

/* Whether the labels meet all of the requirements. */
bool labels_meet(const karp_label *labels, size_t count, const karp_requirement *wanted, size_t wanted_count);

/* Whether the labels have all of `match_labels` and meet all expressions. */
bool selector_admits(const karp_selector *selector, const karp_label *labels, size_t count);

/* ---- lists of requirements --------------------------------------------------------------------------------------- */

/* The first requirement on the key; NULL = none. */
const karp_requirement *requirement_find(const karp_requirement *list, size_t count, karp_str key);

/* The value of an In with a single value; "" = none. */
karp_str requirement_single(const karp_requirement *list, size_t count, const char *key);

/* Whether every requirement on this key allows the value. */
bool requirements_allow(const karp_requirement *list, size_t count, karp_str key, karp_str value);

/* Whether the lists intersect: every key in both lists must be satisfiable. Keys in only one list are ignored, because
 * all labels of types are well known. The supply uses In or DoesNotExist; all operators are supported. */
bool requirements_agree(const karp_requirement *required, size_t required_count, const karp_requirement *supply,
                        size_t supply_count);

/* Whether the labels in `own` and `others` satisfy all of `wanted`: one of the values that a label may have is enough.
 * `own` takes precedence. */
bool requirements_served(const karp_requirement *wanted, size_t count, const karp_requirement *own, size_t own_count,
                         const karp_requirement *others, size_t other_count);

/* ---- taints ------------------------------------------------------------------------------------------------------ */

/* Whether a toleration of the taint's key and effect tolerates its value. Gt and Lt compare decimal integers in
 * canonical form: no '+', no leading zeros, no -0. */
bool toleration_allows(uint32_t op, karp_str wanted, karp_str value);

/* The first that tolerates the taint; NULL = none. */
const karp_toleration *toleration_of(const karp_toleration *list, size_t count, const karp_taint *taint);
bool tolerations_allow(const karp_toleration *list, size_t count, const karp_taint *taint);

/* ---- PodDisruptionBudgets ---------------------------------------------------------------------------------------- */

/* A number of pods, or a percentage of `all`, rounded up. false = it is absent or invalid. */
bool pods_of_amount(const karp_int_or_string *amount, uint64_t all, uint64_t *out);

/* How many of `expected` pods have to stay healthy: all but maxUnavailable, or else minAvailable. Without a valid
 * amount no pod may be evicted. */
uint64_t pods_to_stay(const karp_int_or_string *min_available, const karp_int_or_string *max_unavailable,
                      uint64_t expected);

/* How many pods may be evicted while this many are healthy. */
static inline int32_t evictions_left(uint64_t to_stay, uint64_t expected, uint64_t healthy)
{
    uint64_t allowed = expected > 0 && healthy > to_stay ? healthy - to_stay : 0;
    return allowed > INT32_MAX ? INT32_MAX : (int32_t)allowed;
}
