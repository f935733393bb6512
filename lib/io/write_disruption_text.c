/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a DisruptionPlan as text. */
#include "write_licences.h"
#include "write_rows.h"
#include "write_notes.h"
#include <stdio.h>

/* ", schedule '0 9 * * 1-5' for 8h" */
static void write_schedule(write_buffer *b, const karp_pool_budget *budget)
{
    char length[KARP_VALUE_TEXT];
    if (budget->schedule.len == 0) return;
    text_between(b, ", schedule '", budget->schedule, "");
    buffer_char(b, '\'');
    if (budget->duration <= 0) return;
    karp_duration_format(budget->duration, length);
    text_between(b, " for ", str_short_duration(str(length)), "");
}

/* "budgets[0] allows 1 of 4 nodes, in use: n0 (not ready)" */
static void write_busy(const text_out *t, const karp_pool_budget *budget)
{
    enum { NAMED = 3 };
    static const char *const why[] = { "", " (being deleted)", " (rebooting)", " (not ready)" };
    write_buffer *b = t->out;
    if (budget->tightest == KARP_NO_BUDGET) return;
    buffer_between_u(b, "        budgets[", budget->tightest, "] allows ");
    buffer_int(b, budget->allowed);
    buffer_text(b, " of ");
    buffer_count(b, budget->nodes, "node");
    write_schedule(b, budget);
    for (size_t i = 0; i < budget->busy_count && i < NAMED; i++) {
        buffer_text(b, i == 0 ? "; in use: " : ", ");
        text_clean(b, budget->busy[i].node);
        buffer_text(b, why[budget->busy[i].code]);
    }
    if (budget->busy_count > NAMED) {
        buffer_between_u(b, " and ", budget->busy_count - NAMED, " more");
    }
    buffer_char(b, '\n');
}

static void write_budgets(const text_out *t, const write_job *job, uint32_t method)
{
    size_t count = karp_decision_budget_count(job->decision);
    if (count == 0) return;
    const char *reason = karp_method_reason(method); /* another reason may have other budgets */
    char title[80] = "Budgets";
    if (reason[0] != '\0') (void)snprintf(title, sizeof title, "Budgets for %s", reason);
    section(t, title);
    for (size_t i = 0; i < count; i++) {
        karp_pool_budget budget;
        get_budget(job, job->decision, i, &budget);
        text_between(t->out, "      ", budget.node_pool, "  ");
        if (budget.tightest == KARP_NO_BUDGET && budget.allowed == KARP_UNLIMITED) {
            buffer_text(t->out, "none applies now");
        } else {
            buffer_int(t->out, budget.remaining);
            buffer_text(t->out,
                        budget.remaining == 1 ? " disruption allowed at a time" : " disruptions allowed at a time");
        }
        if (budget.next_change != KARP_NO_TIME && budget.next_change != 0) {
            char when[KARP_VALUE_TEXT];
            karp_time_format(budget.next_change, when);
            buffer_text(t->out, ", changes at ");
            buffer_text(t->out, when);
        }
        buffer_char(t->out, '\n');
        if (budget.remaining == 0) write_busy(t, &budget);
    }
}

static void write_candidates(const text_out *t, const write_job *job)
{
    enum { FIGURES = 53 }; /* columns of "  pool …  $12.3456/h  disruption cost 12.3456  12 pods" without the name */
    write_buffer *b = t->out;
    size_t count = karp_decision_candidate_count(job->decision);
    if (count == 0) return;
    section(t, "Candidates");
    size_t width = 0, pool = 0;
    for (size_t i = 0; i < count; i++) {
        karp_candidate candidate;
        get_candidate(job, job->decision, i, &candidate);
        size_t columns = text_columns(candidate.node);
        width = columns > width ? columns : width;
        columns = text_columns(candidate.node_pool);
        pool = columns > pool ? columns : pool;
    }
    bool apart = ROW_INDENT + width + FIGURES + pool > t->width; /* the figures are below the name */
    for (size_t i = 0; i < count; i++) {
        karp_candidate candidate;
        get_candidate(job, job->decision, i, &candidate);
        buffer_text(b, "      ");
        text_left(b, candidate.node, apart ? 0 : width);
        buffer_text(b, apart ? "\n        pool " : "  pool ");
        text_clean(b, candidate.node_pool);
        text_between_money(b, "  $", candidate.price, "/h  disruption cost ");
        text_fixed(b, candidate.disruption_cost, 3, 4);
        buffer_text(b, "  ");
        buffer_count(b, candidate.pod_count, "pod");
        buffer_char(b, '\n');
    }
}

/* The nodes that are not removed, and are not being deleted. */
static size_t staying(const write_job *job)
{
    size_t count = 0;
    for (size_t i = 0; i < karp_decision_kept_count(job->decision); i++) {
        karp_kept kept;
        get_kept(job, job->decision, i, &kept);
        count += kept.code != KARP_REASON_DELETING;
    }
    return count;
}

void disruption_as_text(const write_job *job)
{
    const text_out *t = &(text_out){ job->out, job->options->width, job->options->color != 0 };
    write_buffer *b = job->out;
    karp_disruption header;
    command_totals totals;
    get_disruption(job, job->decision, &header);
    count_commands(job, job->decision, &totals);
    header_line(t, job, "karp disrupt");
    if (header.error_code.len > 0) {
        buffer_text(b, "\n  ");
        text_styled(t, STYLE_ALERT, "!   ");
        buffer_text(b, karp_method_name(header.method));
        buffer_text(b, " could not be evaluated: ");
        text_clean(b, header.error_message.len > 0 ? header.error_message : header.error_code);
        buffer_char(b, '\n');
    }
    totals_as_text(t, job);
    write_budgets(t, job, header.method);
    write_candidates(t, job);
    if (karp_decision_command_count(job->decision) > 0) {
        section(t, "Disrupt");
        rows_commands(t, job, job->decision);
    }
    if (karp_decision_kept_count(job->decision) > 0) {
        section(t, "Not disrupted in this pass");
        rows_kept(t, job, job->decision);
    }
    notes_section(t, job);
    buffer_between_u(b, "\nPlan: ", totals.deleted, " to delete, ");
    buffer_uint(b, totals.replaced);
    buffer_text(b, " to replace by ");
    buffer_text(b, karp_method_name(header.method));
    buffer_text(b, "; ");
    size_t candidates = karp_decision_candidate_count(job->decision);
    size_t kept = staying(job);
    buffer_uint(b, candidates);
    buffer_text(b, candidates == 1 ? " candidate, " : " candidates, ");
    buffer_uint(b, kept);
    buffer_text(b, kept == 1 ? " node stays in this pass.\n" : " nodes stay in this pass.\n");
    /* What nodes cost after a drift stands in its course. */
    bool drifts = job->options->drift != NULL && job->options->drift->nodes > 0 &&
                  karp_decision_command_count(job->decision) > 0;
    cost_line(t,
              totals.expired > 0 ? "Cost if no node had expired"
              : drifts           ? "Cost of these commands alone"
                                 : "Cost",
              karp_decision_cost_before(job->decision), karp_decision_cost_after(job->decision));
    buffer_char(b, '\n');
    licences_line(b, job->options, false);
    unknown_prices_line(b, job->decision, false);
    drift_line(b, job, false);
}
