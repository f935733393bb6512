/* SPDX-License-Identifier: Apache-2.0 */
#include <base/serves.h>

#include <base/str.h>
#include <karp/values.h>

const karp_requirement *requirement_find(const karp_requirement *list, size_t count, karp_str key)
{
    for (size_t i = 0; i < count; i++) {
        if (equal_str(list[i].key, key)) return &list[i];
    }
    return NULL;
}

static bool is_beyond(karp_str value, const karp_requirement *wanted)
{
    int32_t order = 0;
    if (karp_quantity_compare(value, wanted->values[0], &order) != KARP_OK) return false;
    return wanted->op == KARP_OP_GT ? order > 0 : order < 0;
}

/* Whether one of the values that the offering may have satisfies the requirement. */
static bool serves(const karp_requirement *has, const karp_requirement *wanted)
{
    bool there = has != NULL && has->op == KARP_OP_IN && has->value_count > 0;
    if (wanted->op == KARP_OP_EXISTS) return there;
    if (wanted->op == KARP_OP_DOES_NOT_EXIST) return !there;
    if (!there) return wanted->op == KARP_OP_NOT_IN;
    for (size_t i = 0; i < has->value_count; i++) {
        bool listed = str_in(has->values[i], wanted->values, wanted->value_count);
        if (wanted->op == KARP_OP_IN       ? listed
            : wanted->op == KARP_OP_NOT_IN ? !listed
                                           : is_beyond(has->values[i], wanted))
            return true;
    }
    return false;
}

bool requirements_served(const karp_requirement *wanted, size_t count, const karp_requirement *own, size_t own_count,
                         const karp_requirement *others, size_t other_count)
{
    for (size_t i = 0; i < count; i++) {
        const karp_requirement *has = requirement_find(own, own_count, wanted[i].key);
        if (has == NULL) has = requirement_find(others, other_count, wanted[i].key);
        if (!serves(has, &wanted[i])) return false;
    }
    return true;
}
