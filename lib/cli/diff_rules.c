/* SPDX-License-Identifier: Apache-2.0 */
/* Finds which of the rules that changed between Karpenter versions cause a difference. */
#include <karp/peer.h>
#include "diff.h"

static uint64_t rules_of(const karp_options *options)
{
    uint64_t rules = 0;
    uint32_t version = options->peer_version, newest = 0;
    for (size_t i = 0; i < karp_peer_rule_count(); i++) {
        karp_peer_rule rule = { .size = sizeof rule };
        if (karp_peer_rule_at(i, &rule) == KARP_OK && rule.since > newest) newest = rule.since;
    }
    if (version == KARP_PEER_NEWEST) version = newest;
    for (size_t i = 0; i < karp_peer_rule_count(); i++) {
        karp_peer_rule rule = { .size = sizeof rule };
        if (karp_peer_rule_at(i, &rule) != KARP_OK) continue;
        bool on = options->profile == KARP_PROFILE_KARP ? rule.in_karp != 0 : rule.since <= version;
        if (on) rules |= UINT64_C(1) << i;
    }
    return rules ^ options->flip_rules;
}

/* Whether the rule causes the row that only `side` has: the row disappears when the rule is switched on that side, or
 * appears when it is switched on the other. */
static bool makes(const diff_side *side, const diff_row *row, const diff_side *switched,
                  const diff_side *other_switched)
{
    return row != NULL && (!diff_side_has(switched, side, row) || diff_side_has(other_switched, side, row));
}

static karp_status try_rule(const cli_options *options, diff_list *list, uint64_t rule, karp_error *error)
{
    diff_side a = { .snapshot = list->a->snapshot, .options = list->a->options, .method = list->a->method };
    diff_side b = { .snapshot = list->b->snapshot, .options = list->b->options, .method = list->b->method };
    a.options.flip_rules ^= rule;
    b.options.flip_rules ^= rule;
    karp_status status = diff_side_decide(options, &a, error);
    if (status == KARP_OK) status = diff_side_decide(options, &b, error);
    for (size_t i = 0; i < list->count && status == KARP_OK; i++) {
        difference *d = &list->items[i];
        if (makes(list->a, d->before, &a, &b) || makes(list->b, d->after, &b, &a)) d->rules |= rule;
    }
    diff_side_free(options, &a);
    diff_side_free(options, &b);
    return status;
}

karp_status diff_blame(const cli_options *options, diff_list *list, karp_error *error)
{
    karp_status status = KARP_OK;
    list->rules = rules_of(&list->a->options) ^ rules_of(&list->b->options);
    for (size_t i = 0; i < karp_peer_rule_count() && status == KARP_OK && list->count > 0; i++) {
        uint64_t rule = UINT64_C(1) << i;
        if (list->rules & rule) status = try_rule(options, list, rule, error);
    }
    return status;
}
