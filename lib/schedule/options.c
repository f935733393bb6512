/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/options.h>

#include <base/context.h>
#include <base/error.h>
#include <model/peer.h>

#define MOST_NODE_COST 1e6
#define MOST_FACTOR 1e6 /* most that prices may be multiplied by */

void karp_options_init(karp_options *options, size_t size)
{
    const karp_options fresh = { .size = sizeof fresh };
    struct_start(options, size, &fresh, sizeof fresh);
}

void karp_objective_init(karp_objective *objective, size_t size)
{
    const karp_objective fresh = { .effort = KARP_EFFORT_100MS };
    struct_start(objective, size, &fresh, sizeof fresh);
}

karp_status objective_check(const karp_options *options, karp_objective *out, karp_error *error)
{
    karp_status status = struct_check(options->objective, sizeof *out, SIZE_THROUGH(karp_objective, node_cost), out,
                                      "karp_objective", error);
    if (status != KARP_OK) return status;
    if (out->flags > (KARP_COST_PRICE_SLACK | KARP_COST_IGNORE_PREFERENCES | KARP_COST_IGNORE_WEIGHTS))
        return fail(error, KARP_E_INVALID, "unknown flags of karp_objective: %u", (unsigned)out->flags);
    if (out->kind > KARP_OBJECTIVE_COST)
        return fail(error, KARP_E_INVALID, "unknown objective %u", (unsigned)out->kind);
    if (!(out->node_cost >= 0 && out->node_cost <= MOST_NODE_COST))
        return fail(error, KARP_E_INVALID, "node_cost has to be from 0 to a million");
    if (!(out->spot_factor >= 0 && out->spot_factor <= MOST_FACTOR))
        return fail(error, KARP_E_INVALID, "spot_factor has to be from 0 to a million");
    if (!(out->price_slack >= 0 && out->price_slack <= MOST_FACTOR))
        return fail(error, KARP_E_INVALID, "price_slack has to be from 0 to a million");
    if (!(out->spot_factor > 0)) out->spot_factor = 1;
    return KARP_OK;
}

karp_status objective_of_nodes(const karp_objective *objective, karp_error *error)
{
    bool weighs = objective->spot_factor > 0 && (objective->spot_factor < 1 || objective->spot_factor > 1);
    if (!weighs && (objective->flags & KARP_COST_IGNORE_PREFERENCES) == 0) return KARP_OK;
    return fail(error, KARP_E_INVALID, "spot_factor and IGNORE_PREFERENCES are of launch decisions alone");
}

karp_status options_prices(const karp_snapshot *s, karp_error *error)
{
    for (uint32_t t = 0; t < s->table_count; t++) {
        for (uint32_t i = 0; i < s->tables[t].offering_count; i++) {
            const offering *o = &s->tables[t].offerings[i];
            if (o->price >= 0) continue;
            karp_str type = text_of(s, s->tables[t].types[o->type].name);
            return fail(error, KARP_E_UNSUPPORTED,
                        "a NodeOverlay gives %.*s the price %g: least costs are not computed with negative prices",
                        str_shown(type, 100), type.ptr, o->price);
        }
    }
    return KARP_OK;
}

/* Checks that the profile and the explain level are known. */
static karp_status options_known(const karp_options *options, karp_error *error)
{
    if (options->profile > KARP_PROFILE_KARP)
        return fail(error, KARP_E_INVALID, "unknown profile %u", (unsigned)options->profile);
    if (!peer_known(options->peer_version))
        return fail(error, KARP_E_INVALID, "unknown version of Karpenter %u", (unsigned)options->peer_version);
    if (options->explain > KARP_EXPLAIN_FULL)
        return fail(error, KARP_E_INVALID, "unknown explain level %u", (unsigned)options->explain);
    if (options->claim_order > KARP_CLAIM_ORDER_STABLE)
        return fail(error, KARP_E_INVALID, "unknown order of claims %u", (unsigned)options->claim_order);
    if (options->preferences > 1 + KARP_PREFERENCES_IGNORE)
        return fail(error, KARP_E_INVALID, "unknown preference policy %u", (unsigned)options->preferences);
    if (rule_of(options_rules(options), RULE_MOST_ALLOCATED) && rule_of(options_rules(options), RULE_LEAST_ALLOCATED))
        return fail(error, KARP_E_INVALID, "most-allocated and least-allocated exclude each other");
    return KARP_OK;
}

karp_status options_check(const karp_options *given, karp_options *out, karp_error *error)
{
    karp_status status = struct_check(given, sizeof *out, SIZE_THROUGH(karp_options, flip_quirks), out, "karp_options",
                                      error);
    karp_objective objective;
    if (status == KARP_OK && (out->reserved != 0 || out->reserved_ != 0)) status = fail_reserved(error, "karp_options");
    if (status == KARP_OK) status = options_known(out, error);
    return status == KARP_OK ? objective_check(out, &objective, error) : status;
}

karp_status disrupt_options_check(const karp_disrupt_options *given, karp_disrupt_options *out, karp_options *common,
                                  karp_error *error)
{
    karp_status status = struct_check(given, sizeof *out, SIZE_THROUGH(karp_disrupt_options, in_progress_count), out,
                                      "karp_disrupt_options", error);
    if (status == KARP_OK) status = options_check(out->common, common, error);
    if (status != KARP_OK) return status;
    out->common = common;
    uint32_t flags = karp_method_flags(out->method);
    bool known = out->method == KARP_METHOD_ANY || karp_method_name(out->method)[0] != '\0';
    if (!known) return fail(error, KARP_E_INVALID, "unknown method %u", (unsigned)out->method);
    if (out->method != KARP_METHOD_ANY && (flags & KARP_METHOD_FLAG_PASS) == 0)
        return fail(error, KARP_E_INVALID, "method %s is no disruption pass: %s", karp_method_name(out->method),
                    flags & KARP_METHOD_FLAG_REPACK ? "karp_repack() makes its plans"
                                                    : "karp_launch_static_pools() decides on it");
    if (out->in_progress == NULL && out->in_progress_count > 0)
        return fail(error, KARP_E_INVALID, "karp_disrupt_options: in_progress_count is not 0, but in_progress is NULL");
    if (out->backed_off == NULL && out->backed_off_count > 0)
        return fail(error, KARP_E_INVALID, "karp_disrupt_options: backed_off_count is not 0, but backed_off is NULL");
    if (out->nominated == NULL && out->nominated_count > 0)
        return fail(error, KARP_E_INVALID, "karp_disrupt_options: nominated_count is not 0, but nominated is NULL");
    return KARP_OK;
}

uint64_t options_quirks(const karp_options *options)
{
    return (options->profile == KARP_PROFILE_KARPENTER ? UINT64_MAX : 0) ^ options->flip_quirks;
}

uint64_t options_rules(const karp_options *options)
{
    return peer_rules(options->profile, options->peer_version) ^ options->flip_rules;
}

bool options_peer_order(const karp_options *options)
{
    if (options->claim_order == KARP_CLAIM_ORDER_DEFAULT) return options->profile == KARP_PROFILE_KARPENTER;
    return options->claim_order == KARP_CLAIM_ORDER_PEER;
}

uint32_t options_peer(const karp_options *options)
{
    return peer_version(options->profile == KARP_PROFILE_KARP ? KARP_PEER_NEWEST : options->peer_version);
}

const karp_snapshot *options_view(const karp_options *options, const karp_snapshot *snapshot, karp_snapshot *seen)
{
    const karp_snapshot *known = snapshot_remaining(snapshot, (options_quirks(options) >> 34) & 1, seen);
    if (options->preferences == 0 || known->raw.settings.preference_policy + 1 == options->preferences) return known;
    if (known != seen) snapshot_borrow(seen, known);
    seen->pool_templates = known->pool_templates;
    seen->raw.settings.preference_policy = options->preferences - 1;
    return seen;
}

karp_status provision_nothing(const karp_snapshot *seen, const karp_options *options, karp_decision **out,
                              karp_error *error)
{
    karp_decision *d = decision_new(seen);
    if (d == NULL) return context_nomem(seen->context, error);
    d->complete = false;
    d->profile = options->profile;
    d->peer_version = options_peer(options);
    d->now = options->now != 0 ? options->now : seen->raw.now;
    *out = d;
    return KARP_OK;
}
