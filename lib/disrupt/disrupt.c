/* SPDX-License-Identifier: Apache-2.0 */
/* karp_disrupt(): the methods in turn, the first productive one reported (deprovisioning.md §2). */
#include <disrupt/pass.h>

#include <base/error.h>
#include <disrupt/balanced.h>
#include <disrupt/budgets.h>
#include <disrupt/candidates.h>
#include <disrupt/rows.h>
#include <disrupt/simulate.h>
#include <schedule/templates.h>

void karp_disrupt_options_init(karp_disrupt_options *options, size_t size)
{
    karp_disrupt_options fresh = { .size = sizeof fresh, .common = { .size = sizeof fresh.common } };
    if (options == NULL || size < sizeof options->size) return;
    options->size = size;
    (void)struct_give(options, &fresh, sizeof fresh, sizeof options->size);
    options->size = size;
}

static karp_status check_options(const karp_disrupt_options *given, karp_disrupt_options *out, karp_error *error)
{
    karp_status status = struct_check(given, sizeof *out, offsetof(karp_disrupt_options, flip_quirks), out, "karp_disrupt_options", error);
    if (status != KARP_OK) return status;
    if (out->common.size != 0 && out->common.size != sizeof out->common) {
        return fail(error, KARP_E_ABI_SIZE, "karp_disrupt_options: common has the size %zu", out->common.size);
    }
    out->common.size = sizeof out->common;
    if (out->common.profile > KARP_PROFILE_KARP) return fail(error, KARP_E_INVALID, "unknown profile %u", (unsigned)out->common.profile);
    if (out->common.explain > KARP_EXPLAIN_FULL) return fail(error, KARP_E_INVALID, "unknown explain level %u", (unsigned)out->common.explain);
    if (out->method > KARP_METHOD_SINGLE_NODE) return fail(error, KARP_E_INVALID, "unknown method %u", (unsigned)out->method);
    return KARP_OK;
}

static bool pass_init(pass *p, const karp_snapshot *snapshot, const karp_disrupt_options *options)
{
    *p = (pass){ .snapshot = snapshot, .context = snapshot->context, .options = options->common, .max_simulations = options->max_simulations };
    p->now = options->common.now != 0 ? options->common.now : snapshot->raw.now;
    p->quirks = (options->common.profile == KARP_PROFILE_KARPENTER ? UINT64_MAX : 0) ^ options->flip_quirks;
    p->error_code = p->error_message = (karp_str){ "", 0 };
    for (size_t i = 0; i < snapshot->raw.pools.count; i++) {
        p->usable_pools = p->usable_pools || pool_usable(snapshot, &snapshot->raw.pools.items[i]);
    }
    arena_init(&p->data, p->context);
    p->blocks = mem_alloc(p->context, (snapshot->node_count + (size_t)1) * sizeof *p->blocks);
    for (uint32_t i = 0; p->blocks != NULL && i < snapshot->node_count; i++) p->blocks[i] = (struct block){ NO_ID, NO_ID };
    return p->blocks != NULL;
}

/* What one method has gathered goes. */
static void pass_clear(pass *p)
{
    for (size_t i = 0; i < p->commands.count; i++) simulation_free(p, p->commands.items[i].simulation);
    list_free(p->context, &p->commands, sizeof(command));
    p->commands.items = NULL;
    p->commands.count = p->commands.capacity = 0;
    arena_free(&p->data);
}

static karp_status run_method(pass *p, uint32_t method, karp_error *error)
{
    static karp_status (*const methods[])(pass *, karp_error *) = {
        [KARP_METHOD_EMPTINESS] = method_emptiness,   [KARP_METHOD_STATIC_DRIFT] = method_static_drift,
        [KARP_METHOD_DRIFT] = method_drift,           [KARP_METHOD_MULTI_NODE] = method_multi_node,
        [KARP_METHOD_SINGLE_NODE] = method_single_node,
    };
    p->method = method;
    karp_status status = pass_candidates(p, error);
    if (status == KARP_OK) status = pass_budgets(p, error);
    if (status == KARP_OK) status = pass_totals(p, error);
    return status == KARP_OK && p->eligible_count > 0 ? methods[method](p, error) : status;
}

/* Tries the methods in Karpenter's order. One that cannot be evaluated is noted, and the others go on. */
static karp_status run_methods(pass *p, uint32_t method, karp_error *error)
{
    if (method != KARP_METHOD_ANY) return run_method(p, method, error);
    karp_status status = KARP_OK;
    for (uint32_t m = KARP_METHOD_EMPTINESS; m <= KARP_METHOD_SINGLE_NODE; m++) {
        pass_clear(p);
        status = run_method(p, m, error);
        if (status != KARP_OK || p->commands.count > 0 || p->stopped) break;
    }
    return status;
}

karp_status karp_disrupt(const karp_snapshot *snapshot, const karp_disrupt_options *options, karp_decision **out, karp_error *error)
{
    karp_disrupt_options checked;
    pass p;
    if (snapshot == NULL || out == NULL) return fail(error, KARP_E_INVALID, "a snapshot and a place for the decision are needed");
    karp_status status = check_options(options, &checked, error);
    if (status != KARP_OK) return status;
    if (!pass_init(&p, snapshot, &checked)) return fail_nomem(error);
    status = run_methods(&p, checked.method, error);
    if (status == KARP_OK && p.canceled && !checked.common.keep_partial) {
        status = fail(error, KARP_E_CANCELED, "stopped before all candidates were looked at");
    }
    karp_decision *d = status == KARP_OK ? decision_new(snapshot) : NULL;
    if (status == KARP_OK) status = d != NULL ? disruption_rows(&p, d, error) : fail_nomem(error);
    pass_clear(&p);
    simulations_end(&p);
    mem_free(p.context, p.blocks, (snapshot->node_count + (size_t)1) * sizeof *p.blocks);
    if (status != KARP_OK) {
        karp_decision_unref(d);
        return status;
    }
    *out = d;
    return KARP_OK;
}
