/* SPDX-License-Identifier: Apache-2.0 */
/* karp_disrupt(): runs the methods in order and reports the first one with a command. */

#include <base/error.h>
#include <disrupt/balanced.h>
#include <disrupt/budgets.h>
#include <disrupt/candidates.h>
#include <disrupt/marks.h>
#include <disrupt/methods.h>

void karp_disrupt_options_init(karp_disrupt_options *options, size_t size)
{
    const karp_disrupt_options fresh = { 0 };
    struct_start(options, size, &fresh, sizeof fresh);
}

static bool keep_all(pass *p)
{
    bool ok = true;
    for (uint32_t i = 0; i < p->found.eligible_count && ok; i++) {
        ok = pass_keep(p, p->found.candidates[p->found.eligible[i]].node, KARP_REASON_NOTHING_CHANGED,
                       (karp_str){ "", 0 });
    }
    return ok;
}

static karp_status run_method(pass *p, uint32_t method, karp_error *error)
{
    pass_set_method(p, method);
    p->budgets.constrained = false;
    if (method == KARP_METHOD_REPAIR && !repair_offered(p)) {
        p->error_code = str("REPAIR_OFF");
        p->error_message = str(
            "node repair is no disruption method here: it takes Karpenter 1.15, the feature gate NodeRepair, "
            "repair policies, and no legacy node repair");
    }
    karp_status status = pass_candidates(p, error);
    if (status == KARP_OK) status = pass_budgets(p, error);
    if (status == KARP_OK) status = pass_totals(p, error);
    if (status != KARP_OK || p->found.eligible_count == 0) return status;
    if (marks_unchanged(p)) return keep_all(p) ? KARP_OK : fail_nomem(error);
    status = p->how->run(p, error);
    if (status == KARP_OK) marks_note(p);
    return status;
}

/* Emptiness kept every node: saves its reasons beyond the end of the method. */
static bool note_spared(pass *p)
{
    if (p->found.stays == NULL) return true;
    stay *copy = arena_array(&p->lasting, p->snapshot->node_count + (size_t)1, sizeof *copy);
    bool ok = copy != NULL;
    for (uint32_t i = 0; i < p->snapshot->node_count && ok; i++) {
        copy[i] = p->found.stays[i];
        if (copy[i].detail.len == 0) continue;
        copy[i].detail.ptr = arena_string(&p->lasting, copy[i].detail.ptr, copy[i].detail.len);
        ok = copy[i].detail.ptr != NULL;
    }
    p->nodes.spared = copy;
    return ok;
}

/* Runs the methods in Karpenter's order. A method that cannot be evaluated is recorded, and the other methods still
 * run. */
static karp_status run_methods(pass *p, uint32_t method, karp_error *error)
{
    if (method != KARP_METHOD_ANY) return run_method(p, method, error);
    karp_status status = KARP_OK;
    const disrupt_method *m;
    for (size_t i = 0; (m = method_at(i)) != NULL; i++) {
        if (m->run == NULL || (m->offered != NULL && !m->offered(p))) continue;
        pass_clear(p);
        status = run_method(p, m->number, error);
        if (status != KARP_OK || p->found.commands.count > 0 || p->work.stopped) break;
        if (m->number == KARP_METHOD_EMPTINESS && !note_spared(p)) return fail_nomem(error);
    }
    return status;
}

karp_status karp_disrupt(const karp_snapshot *snapshot, const karp_disrupt_options *options, karp_decision **out,
                         karp_error *error)
{
    pass p;
    uint32_t method;
    if (snapshot == NULL || out == NULL)
        return fail(error, KARP_E_INVALID, "a snapshot and a place for the decision are needed");
    karp_status status = pass_start(&p, snapshot, options, &method, error);
    if (status != KARP_OK) return context_refusal(snapshot->context, status, error);
    status = run_methods(&p, method, error);
    if (status == KARP_OK && p.work.canceled && !p.options.keep_partial)
        status = fail(error, KARP_E_CANCELED, "stopped before all candidates were looked at");
    karp_decision *d = status == KARP_OK ? decision_new(snapshot) : NULL;
    if (status == KARP_OK) status = d != NULL ? disruption_rows(&p, d, error) : fail_nomem(error);
    pass_end(&p);
    if (status != KARP_OK) {
        karp_decision_unref(d);
        return context_refusal(snapshot->context, status, error);
    }
    *out = d;
    return KARP_OK;
}
