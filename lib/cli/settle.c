/* SPDX-License-Identifier: Apache-2.0 */
/* karp plan --settle: shows how a cluster develops when every decision is executed and time passes. */
#include "designs.h"
#include "hooks.h"

#include <base/licence_words.h>

#include <stdio.h>

#include <karp/inspect.h>
#include <karp/library.h>

/* ---- the answer -------------------------------------------------------------------------------------------------- */

static karp_settle_round round_at(const karp_settlement *s, size_t index)
{
    karp_settle_round round = { .size = sizeof round };
    (void)karp_settlement_round(s, index, &round);
    return round;
}

/* "2 × c6g.large, 1 × m6a.large" */
static void list_launched(const karp_settle_round *r, strbuf *out)
{
    for (size_t i = 0; i < r->launched_count; i++) {
        if (i > 0) strbuf_adds(out, ", ");
        strbuf_addu(out, r->launched[i].nodes);
        strbuf_put(out, " \xc3\x97 ", r->launched[i].instance_type, "");
    }
}

static void list_removed(const karp_settle_round *r, strbuf *out)
{
    for (size_t i = 0; i < r->removed_count; i++) {
        if (i > 0) strbuf_addc(out, ' ');
        strbuf_addstr(out, r->removed[i]);
    }
}

/* "SingleNodeConsolidation: remove on-demand-3; launch 1 × c6a.large" */
static void describe(const karp_settle_round *r, strbuf *out)
{
    bool provisioned = r->method == KARP_METHOD_ANY && !r->is_static;
    if (r->removed_count > 0) {
        strbuf_adds(out, karp_method_name(r->method));
        strbuf_adds(out, ": remove ");
        list_removed(r, out);
    }
    if (r->launches > 0) {
        strbuf_adds(out, r->removed_count > 0 ? "; launch " : "launch ");
        list_launched(r, out);
    }
    if (r->launches > 0 && r->is_static) strbuf_adds(out, " for static NodePools");
    if (r->launches > 0 && provisioned) {
        strbuf_putu(out, " for ", r->pods_launched_for, "");
        strbuf_adds(out, r->pods_launched_for == 1 ? " pod" : " pods");
    }
    if (provisioned && r->pods_left > 0) {
        strbuf_putu(out, ", ", r->pods_left, " left");
    }
}

enum { WHAT_COLUMN = 30 }; /* the column of a round's actions */

static void text_round(cli_writer *w, const karp_settlement *s, size_t number, int64_t began)
{
    const karp_settle_round r = round_at(s, number);
    char later[KARP_VALUE_TEXT], cost[MONEY_TEXT];
    strbuf what = { .context = w->options->context };
    karp_duration_format(r.at - began, later);
    (void)money_rate(r.cost, false, cost);
    describe(&r, &what);
    w->out->failed = w->out->failed || what.failed;
    cli_put_format(w, w->markdown ? "%zu. +%s %s " : " %3zu  +%-9s %11s  ", number + 1, later, cost);
    if (w->markdown) cli_put_shown(w, what.ptr, what.len);
    else cli_put_words(w, WHAT_COLUMN, WHAT_COLUMN, what.ptr, what.len);
    cli_put_text(w, "\n");
    strbuf_free(&what);
}

/* The catalogue price of nodes of the type that the cost does not include, because they are in no NodePool; 0 =
 * unknown. */
static double price_outside(const karp_settlement *s, const cli_input *input, karp_str type)
{
    const karp_decision *last = karp_settlement_last(s);
    double sum = 0;
    for (size_t i = 0; i < karp_decision_node_count(last); i++) {
        karp_node_use n = { .size = sizeof n };
        bool same = karp_decision_node(last, i, &n) == KARP_OK && equal_str(n.instance_type, type);
        if (!same || n.marked || n.price > 0) continue;
        double price = karp_reader_price(input->reader, type, n.zone, n.capacity_type);
        if (price <= 0) return 0;
        sum += price;
    }
    return sum;
}

static void put_prices(cli_writer *w, const karp_settlement *s, const cli_input *input, const karp_design_group *g)
{
    char counted[MONEY_TEXT], other[MONEY_TEXT];
    double outside = price_outside(s, input, g->name);
    (void)money_rate(g->price, false, counted);
    (void)money_rate(outside, false, other);
    if (g->price > 0) cli_put_text(w, counted);
    if (outside > 0) cli_put_format(w, "%s%s by the catalogue, not in the cost", g->price > 0 ? ", " : "", other);
    if (g->price <= 0 && outside <= 0) cli_put_text(w, "$/h unknown");
}

static void write_text(cli_writer *w, const karp_settlement *s, const cli_input *input, const design *both,
                       const hook_rounds *hooks)
{
    const char *heading = w->markdown ? "## " : "";
    if (!w->markdown) cli_put_made_by(w, "plan --settle", w->options, input);
    double before = both[0].totals.price, after = both[1].totals.price;
    char money[4][MONEY_TEXT];
    (void)money_rate(before, false, money[0]);
    (void)money_rate(after, false, money[1]);
    (void)money_rate(after - before, true, money[2]);
    (void)money_dollars((after - before) * HOURS_A_MONTH, true, money[3]);
    const char *name = both[0].name; /* "first round", "round 2" */
    cli_put_format(w, "%s%c%s %s, settled %s (%s, %s/month (%d h))\n", w->markdown ? "# " : "", name[0] - 'a' + 'A',
                   name + 1, money[0], money[1], money[2], money[3], (int)HOURS_A_MONTH);
    if (w->markdown) {
        cli_put_text(w, "\n");
        cli_put_made_by(w, "plan --settle", w->options, input);
    }
    karp_str licences = karp_reader_missing_licences(input->reader);
    if (licences.len > 0)
        cli_put_format(w, "%sWithout %s%s.\n", w->markdown ? "\n" : "", licence_words(licences), licences.ptr);
    size_t rounds = karp_settlement_round_count(s);
    karp_drift drift = { .size = sizeof drift };
    (void)karp_settlement_drift(s, &drift);
    cli_put_drift(w, NULL, &drift);
    if (!karp_settlement_settled(s)) cli_put_format(w, "It has not settled after %zu rounds.\n", rounds);
    hook_rounds_write(w, hooks);
    int64_t began = karp_snapshot_now(input->snapshot);
    char shown[KARP_VALUE_TEXT];
    karp_time_format(began, shown);
    cli_put_format(w, "\n%sRounds, from %s on\n", heading, shown);
    cli_put_text(w, w->markdown ? "\n" : "");
    for (size_t i = 0; i < rounds; i++) text_round(w, s, i, began);
    if (rounds == 0) cli_put_text(w, "  none: nothing is launched or removed\n");
    cli_put_format(w, "\n%sNodes at the end\n", heading);
    cli_put_text(w, w->markdown ? "\n" : "");
    for (size_t i = 0; i < both[1].totals.instance_type_count; i++) {
        const karp_design_group *g = &both[1].totals.instance_types[i];
        cli_put_format(w, w->markdown ? "- %zu \xc3\x97 " : "  %4zu \xc3\x97 ", g->nodes);
        cli_put_shown(w, g->name.len > 0 ? g->name.ptr : "no type known", g->name.len > 0 ? g->name.len : 13);
        cli_put_text(w, "  ");
        put_prices(w, s, input, g);
        cli_put_text(w, "\n");
    }
    cli_put_text(w, "\n");
    w->settled = true;
    designs_write_table(w, both, 2);
    if (w->markdown) cli_list_notes(w, input, NULL, NULL);
    cli_put_incomplete(w, NULL, input);
}

/* *told: the answer was printed; otherwise the error was. */
static karp_status print_text_of(cli_answer *answer, const karp_settlement *s, const hook_rounds *hooks, bool *told)
{
    const cli_options *options = answer->options;
    const karp_decision *plans[] = { karp_settlement_first(s), karp_settlement_last(s) };
    char names[2][32];
    design both[2] = { { .plan = NULL } };
    karp_comparison *comparison = NULL;
    karp_status status = karp_compare_settlement(options->context, s, &comparison, &answer->error);
    for (size_t i = 0; i < 2 && status == KARP_OK; i++) {
        both[i] = (design){ .name = names[i], .options = *options, .plan = karp_decision_ref(plans[i]) };
        both[i].totals.size = sizeof both[i].totals;
        status = karp_comparison_totals(comparison, i, &both[i].totals);
        str_shorten(names[i], sizeof names[i], both[i].totals.name);
    }
    if (status == KARP_OK) {
        strbuf out = { .context = options->context };
        cli_writer w = { .options = options, .out = &out, .markdown = options->format == KARP_FORMAT_MARKDOWN };
        write_text(&w, s, &answer->input, both, hooks);
        if (out.failed) status = fail(&answer->error, KARP_E_NOMEM, "out of memory");
        else *told = print_folded(options, (karp_str){ out.ptr, out.len });
        strbuf_free(&out);
    }
    for (size_t i = 0; i < 2; i++) karp_decision_unref(both[i].plan);
    karp_comparison_free(comparison);
    return status;
}

static karp_status write_answer(cli_answer *answer, const karp_settlement *s, const hook_rounds *hooks, bool *told)
{
    if (answer->options->format != KARP_FORMAT_JSON) return print_text_of(answer, s, hooks, told);
    *told = true;
    return karp_write_settlement(answer->options->context, s, &answer->write, &answer->text, &answer->error);
}

static void count_round(size_t round, void *user)
{
    (void)user;
    progress_round((uint32_t)round);
}

static karp_status play(const cli_options *options, const karp_snapshot *snapshot, uint32_t disrupt,
                        karp_settlement **out, karp_error *error)
{
    const karp_options common = decision_options(options);
    karp_settle_options how;
    karp_settle_options_init(&how, sizeof how);
    how.common = &common;
    how.disrupt = disrupt;
    how.progress = count_round;
    progress_round(1);
    progress_begin("playing rounds");
    karp_status status = karp_settle(snapshot, &how, out, error);
    progress_end();
    return status;
}

karp_status settle_launches(const cli_options *options, const karp_snapshot *snapshot, const karp_decision *plan,
                            karp_settlement **out, karp_error *error)
{
    *out = NULL;
    if (options->settle) return play(options, snapshot, !options->no_disrupt, out, error);
    if (options->first_round || !karp_more_rounds(snapshot, plan)) return KARP_OK;
    return play(options, snapshot, KARP_SETTLE_LAUNCHES, out, error);
}

karp_status drift_course(const cli_options *options, const karp_snapshot *snapshot, karp_drift *out,
                         karp_settlement **rounds, karp_error *error)
{
    enum { NODES_MOST = 100 }; /* to play at once beside another answer, unless a gate asks for the cost */
    karp_settlement *s = NULL;
    if (rounds != NULL) *rounds = NULL;
    *out = (karp_drift){ .size = sizeof *out, .nodes = karp_drifted_nodes(snapshot) };
    if (out->nodes == 0 || (out->nodes > NODES_MOST && !options->fail_on_cost)) return KARP_OK;
    karp_status status = play(options, snapshot, KARP_SETTLE_DRIFT, &s, error);
    if (status == KARP_OK) status = karp_settlement_drift(s, out);
    if (status == KARP_OK && rounds != NULL && !options->first_round && !options->settle) *rounds = s;
    else karp_settlement_free(s);
    return status;
}

static karp_status answer_settlement(cli_answer *answer, void *own, int *result)
{
    (void)own;
    karp_settlement *s = NULL;
    bool told = false;
    karp_status status = play(answer->options, answer->input.snapshot,
                              answer->options->no_disrupt ? KARP_SETTLE_LAUNCHES : KARP_SETTLE_ALL, &s, &answer->error);
    if (status == KARP_OK && !input_add_notes(answer->options, &answer->input, karp_settlement_last(s)))
        status = answer->error.status = KARP_E_NOMEM;
    print_warnings(&answer->input);
    answer->write.warnings = answer->input.warnings;
    answer->write.warning_count = answer->input.warning_count;
    hook_rounds hooks = { .count = 0 };
    if (status == KARP_OK) status = hook_rounds_answer(answer, NULL, 0, &hooks);
    if (status == KARP_OK) status = write_answer(answer, s, &hooks, &told);
    if (status == KARP_OK) *result = told ? exit_status_of_settled(answer, s) : EXIT_ERROR;
    bool fails = status == KARP_OK && told && answer->options->fail_on_unschedulable && hook_rounds_fail(&hooks);
    if (fails) *result = EXIT_UNSCHEDULABLE;
    hook_rounds_free(answer->options, &hooks);
    karp_settlement_free(s);
    return status;
}

int settle(const cli_options *options)
{
    uint32_t formats = 1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT | 1u << KARP_FORMAT_MARKDOWN;
    if (!(formats & (1u << options->format)))
        return problem_of_use("--settle", "can be written as text, json or markdown only");
    return answer_input(options, true, false, answer_settlement, NULL);
}
