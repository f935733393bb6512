/* SPDX-License-Identifier: Apache-2.0 */
#include <model/taints.h>

bool taint_tolerated(const karp_snapshot *s, toleration_list tolerations, const taint *t)
{
    for (uint32_t i = 0; i < tolerations.count; i++) {
        const toleration *x = &tolerations.items[i];
        if ((x->effect == NO_TEXT || x->effect == t->effect) && (x->key == NO_TEXT || x->key == t->key) &&
            toleration_allows(x->op, text_of(s, x->value), text_of(s, t->value)))
            return true;
    }
    return false;
}

bool has_such_taint(taint_list list, const taint *wanted)
{
    bool there = false;
    for (uint32_t i = 0; i < list.count && !there; i++)
        there = list.items[i].key == wanted->key && list.items[i].effect == wanted->effect;
    return there;
}

uint32_t first_untolerated(const karp_snapshot *s, toleration_list tolerations, taint_list taints)
{
    for (uint32_t i = 0; i < taints.count; i++) {
        if (!taint_tolerated(s, tolerations, &taints.items[i])) return i;
    }
    return NO_ID;
}
