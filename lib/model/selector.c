/* SPDX-License-Identifier: Apache-2.0 */
#include <model/selector.h>

#include <base/admit.h>

static bool expression_valid(const expression *e)
{
    switch (e->op) {
    case KARP_OP_IN:
    case KARP_OP_NOT_IN: return e->value_count > 0;
    case KARP_OP_EXISTS:
    case KARP_OP_DOES_NOT_EXIST: return e->value_count == 0;
    default: return false;
    }
}

bool selector_valid(const selector *x)
{
    for (uint32_t i = 0; x != NULL && i < x->expressions.count; i++) {
        if (!expression_valid(&x->expressions.items[i])) return false;
    }
    return true;
}

static bool expression_selects(const expression *e, label_list labels)
{
    uint32_t have = label_get(labels, e->key);
    bool listed = false;
    for (uint32_t i = 0; i < e->value_count && have != NO_ID; i++) listed = listed || e->values[i] == have;
    return operator_allows(e->op, have != NO_ID, listed);
}

bool selector_selects(const selector *x, label_list labels)
{
    if (!selector_valid(x)) return false;
    for (uint32_t i = 0; i < x->labels.count; i++) {
        if (label_get(labels, x->labels.items[i].key) != x->labels.items[i].value) return false;
    }
    for (uint32_t i = 0; i < x->expressions.count; i++) {
        if (!expression_selects(&x->expressions.items[i], labels)) return false;
    }
    return true;
}
