/* SPDX-License-Identifier: Apache-2.0 */
#include <io/previews.h>

#include <base/str.h>

bool io_preview(uint64_t flip_rules, const char *name)
{
    for (size_t i = 0; i < karp_peer_rule_count() && flip_rules >> i != 0; i++) {
        karp_peer_rule rule = { .size = sizeof rule };
        if ((flip_rules >> i & 1) != 0 && karp_peer_rule_at(i, &rule) == KARP_OK && str_is(rule.name, name) &&
            rule.since == KARP_PEER_PREVIEW)
            return true;
    }
    return false;
}
