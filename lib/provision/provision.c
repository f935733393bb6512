/* SPDX-License-Identifier: Apache-2.0 */
/* karp_provision(): runs a scheduler and reports the result. */
#include <provision/provision.h>

#include <base/context.h>
#include <base/error.h>
#include <optimise/plan.h>
#include <schedule/result.h>

#ifdef KARP_NO_COST
karp_status provision_for_cost(const karp_snapshot *seen, const karp_options *options, const karp_objective *objective,
                               const round_changes *changes, karp_decision **out, karp_error *error)
{
    (void)seen;
    (void)options;
    (void)objective;
    (void)changes;
    (void)out;
    return fail(error, KARP_E_UNSUPPORTED, "this build of libkarp makes no cost plans");
}
#endif

karp_status provision_view(const karp_snapshot *seen, const karp_options *options, const round_changes *changes,
                           karp_decision **out, karp_error *error)
{
    karp_objective objective;
    karp_status known = objective_check(options, &objective, error);
    if (known != KARP_OK || objective.kind == KARP_OBJECTIVE_COST)
        return known != KARP_OK ? known : provision_for_cost(seen, options, &objective, changes, out, error);
    const run_options how = { .options = options };
    scheduler *s = NULL;
    karp_status status = scheduler_new(seen, &how, &s, error);
    if (status == KARP_E_CANCELED && options->keep_partial) return provision_nothing(seen, options, out, error);
    if (status != KARP_OK) return status;
    karp_decision *d = decision_new(seen);
    if (d == NULL || !preferences_begin(s, d)) status = KARP_E_NOMEM;
    if (status == KARP_OK)
        status = scheduler_round(s, changes->removed, changes->removed_count, changes->moving, changes->moving_count,
                                 error);
    if (status == KARP_OK) status = report_plan(s, d);
    if (status == KARP_OK && !(report_limited(s, d) && report_reservations(s, d) && report_selectors(s, d) &&
                               report_fallbacks(s, d) && preferences_report(s, d)))
        status = KARP_E_NOMEM;
    if (status == KARP_OK) status = scheduler_stopped(s, error);
    scheduler_free(s);
    if (status == KARP_OK) {
        *out = d;
        return KARP_OK;
    }
    karp_decision_unref(d);
    return status == KARP_E_NOMEM ? context_nomem(seen->context, error) : status;
}

karp_status karp_provision(const karp_snapshot *snapshot, const karp_options *options, karp_decision **out,
                           karp_error *error)
{
    static const round_changes none = { .removed_count = 0 };
    karp_options checked;
    karp_snapshot seen;
    if (snapshot == NULL || out == NULL)
        return fail(error, KARP_E_INVALID, "a snapshot and a place for the decision are needed");
    karp_status status = options_check(options, &checked, error);
    return status == KARP_OK ? provision_view(options_view(&checked, snapshot, &seen), &checked, &none, out, error)
                             : status;
}
