/* SPDX-License-Identifier: Apache-2.0 */
/* karp_provision(): one run, reported. */
#include <schedule/report.h>

#include <base/error.h>

void karp_options_init(karp_options *options, size_t size)
{
    karp_options fresh = { .size = sizeof fresh };
    if (options == NULL || size < sizeof options->size) return;
    options->size = size;
    (void)struct_give(options, &fresh, sizeof fresh, sizeof options->size);
    options->size = size;
}

static karp_status check_options(const karp_options *given, karp_options *out, karp_error *error)
{
    karp_status status = struct_check(given, sizeof *out, sizeof *out, out, "karp_options", error);
    if (status != KARP_OK) return status;
    if (out->profile > KARP_PROFILE_KARP) return fail(error, KARP_E_INVALID, "unknown profile %u", (unsigned)out->profile);
    if (out->explain > KARP_EXPLAIN_FULL) return fail(error, KARP_E_INVALID, "unknown explain level %u", (unsigned)out->explain);
    return KARP_OK;
}

karp_status karp_provision(const karp_snapshot *snapshot, const karp_options *options, karp_decision **out, karp_error *error)
{
    karp_options checked;
    scheduler *s = NULL;
    if (snapshot == NULL || out == NULL) return fail(error, KARP_E_INVALID, "a snapshot and a place for the decision are needed");
    karp_status status = check_options(options, &checked, error);
    if (status != KARP_OK) return status;
    const run_options how = { .options = &checked };
    status = scheduler_new(snapshot, &how, &s, error);
    if (status != KARP_OK) return status;
    status = scheduler_round(s, NULL, 0, NULL, 0, error);
    karp_decision *d = status == KARP_OK ? decision_new(snapshot) : NULL;
    if (status == KARP_OK) status = d != NULL ? report_plan(s, d) : KARP_E_NOMEM;
    scheduler_free(s);
    if (status == KARP_OK) {
        *out = d;
        return KARP_OK;
    }
    karp_decision_unref(d);
    return status == KARP_E_NOMEM ? fail_nomem(error) : status;
}
