/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what a search of designs found. */
#include "tune.h"
#include "writer.h"

#include <base/licence_words.h>

#include <inttypes.h>
#include <stdio.h>

static karp_tune_axis axis_at(const cli_tuning *t, size_t index)
{
    karp_tune_axis a = { .size = sizeof a };
    (void)karp_tune_get_axis(t->tune, index, &a);
    return a;
}

static karp_tune_design design_at(const cli_tuning *t, size_t index)
{
    karp_tune_design d = { .size = sizeof d };
    (void)karp_tune_get_design(t->tune, index, &d);
    return d;
}

/* "web: consolidateAfter" */
static void add_name(strbuf *out, const karp_tune_axis *axis)
{
    strbuf_addstr(out, axis->pool);
    if (axis->pool.len > 0) strbuf_adds(out, ": ");
    strbuf_addstr(out, axis->name);
}

/* "capacity-type spot+on-demand, consolidateAfter 5m" */
static void add_changes(const cli_tuning *t, const karp_tune_design *d, strbuf *out)
{
    if (d->changes == 0) strbuf_adds(out, "as it is");
    for (size_t a = 0, done = 0; a < karp_tune_axis_count(t->tune); a++) {
        const karp_tune_axis axis = axis_at(t, a);
        if (d->values[a] == 0) continue;
        strbuf_adds(out, done++ > 0 ? ", " : "");
        add_name(out, &axis);
        strbuf_addc(out, ' ');
        strbuf_addstr(out, axis.values[d->values[a]]);
    }
}

/* The design with one of the changes alone, or SIZE_MAX if it was not tried. */
static size_t find_alone(const cli_tuning *t, size_t axis, size_t value)
{
    for (size_t i = 0; i < karp_tune_design_count(t->tune); i++) {
        const karp_tune_design d = design_at(t, i);
        if (d.changes == 1 && d.values[axis] == value) return i;
    }
    return SIZE_MAX;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void put_text(cli_writer *w, strbuf *text, size_t at, size_t indent)
{
    w->out->failed = w->out->failed || text->failed;
    if (text->len > 0) cli_put_words(w, at, indent, text->ptr, text->len);
    cli_put_text(w, "\n");
    strbuf_free(text);
}

static void money(const cli_tuning *t, double value, bool sign, char text[MONEY_TEXT])
{
    (void)money_dollars(t->replayed ? value : value * HOURS_A_MONTH, sign, text);
}

static void text_axes(cli_writer *w, const cli_tuning *t)
{
    cli_put_text(w, "\nWhat is varied\n");
    for (size_t a = 0; a < karp_tune_axis_count(t->tune); a++) {
        const karp_tune_axis axis = axis_at(t, a);
        strbuf line = { .context = w->options->context };
        add_name(&line, &axis);
        strbuf_put(&line, ": ", axis.now, "");
        strbuf_adds(&line, axis.now.len > 0 ? " (as it is)" : "as it is");
        for (size_t v = 1; v < axis.value_count; v++) {
            strbuf_put(&line, ", ", axis.values[v], "");
        }
        cli_put_text(w, "  ");
        put_text(w, &line, 2, 4);
    }
}

/* Images that keep architectures from being varied. */
static void text_images(cli_writer *w, const cli_tuning *t)
{
    size_t count = 0;
    while (karp_tune_kept_image(t->tune, count).len > 0) count++;
    if (count == 0) return;
    karp_str first = karp_tune_kept_image(t->tune, 0);
    strbuf line = { .context = w->options->context };
    strbuf_put(&line, "Architectures are kept by ", first, "");
    if (count > 1) {
        strbuf_putu(&line, " and ", count - 1, "");
        strbuf_adds(&line, count == 2 ? " other image" : " other images");
    }
    cli_put_text(w, "  ");
    put_text(w, &line, 2, 4);
}

enum { CHANGES_COLUMN = 58 };

static void text_heading(cli_writer *w, const cli_tuning *t)
{
    cli_put_text(w, "\nDesigns that no other is better than in everything\n");
    if (t->restart_loss > 0) cli_put_text(w, "(costs include what pods lose that are evicted or killed)\n");
    if (t->replayed)
        cli_put_format(w, "%7s %11s %9s %8s %5s %11s  %s\n", "design", "cost", "evictions", "p99 wait", "left",
                       "interrupted", "changes");
    else
        cli_put_format(w, "%7s %11s %9s %8s %5s %11s  %s\n", "design", "cost/month", "nodes", "removed", "left", "spot",
                       "changes");
}

static void text_design(cli_writer *w, const cli_tuning *t, size_t index)
{
    const karp_tune_design d = design_at(t, index);
    strbuf changes = { .context = w->options->context };
    char cost[MONEY_TEXT], other[MONEY_TEXT];
    money(t, d.cost, false, cost);
    if (t->replayed) {
        (void)snprintf(other, sizeof other, "%.0f", d.exposure);
        cli_put_format(w, "%7zu %11s %9" PRIu64 " %7.0fs %5" PRIu64 " %11s  ", index, cost, d.evictions, d.pending,
                       d.left, other);
    } else {
        money(t, d.exposure, false, other);
        cli_put_format(w, "%7zu %11s %9" PRIu64 " %8" PRIu64 " %5" PRIu64 " %11s  ", index, cost, d.nodes, d.evictions,
                       d.left, other);
    }
    add_changes(t, &d, &changes);
    put_text(w, &changes, CHANGES_COLUMN, CHANGES_COLUMN);
}

/* Where the best design has several changes. */
static void text_alone(cli_writer *w, const cli_tuning *t)
{
    const karp_tune_design best = design_at(t, t->best), own = design_at(t, 0);
    if (best.changes < 2) return;
    cli_put_text(w, "\nEach of its changes by itself\n");
    for (size_t a = 0; a < karp_tune_axis_count(t->tune); a++) {
        size_t one = best.values[a] == 0 ? SIZE_MAX : find_alone(t, a, best.values[a]);
        if (best.values[a] == 0) continue;
        strbuf line = { .context = w->options->context };
        char cost[MONEY_TEXT] = "not tried";
        if (one != SIZE_MAX) {
            const karp_tune_design d = design_at(t, one);
            money(t, d.cost - own.cost, true, cost);
            add_changes(t, &d, &line);
        } else {
            const karp_tune_axis axis = axis_at(t, a);
            add_name(&line, &axis);
        }
        cli_put_format(w, "  %12s  ", cost);
        put_text(w, &line, 16, 16);
    }
}

static void text_best(cli_writer *w, const cli_tuning *t)
{
    const karp_tune_design best = design_at(t, t->best), own = design_at(t, 0);
    const char *unit = t->replayed ? "" : "/month";
    char after[MONEY_TEXT], before[MONEY_TEXT], saved[MONEY_TEXT];
    money(t, best.cost, false, after);
    money(t, own.cost, false, before);
    money(t, best.cost - own.cost, true, saved);
    if (!best.best) cli_put_text(w, "\nNo design that was tried is within the caps.\n");
    else if (t->best == 0)
        cli_put_format(w, "\nNo design that was tried is better than the input as it is: %s%s.\n", before, unit);
    else
        cli_put_format(w, "\nThe best is design %zu: %s%s instead of %s%s (%s).\n", t->best, after, unit, before, unit,
                       saved);
    if (best.left < own.left)
        cli_put_format(w, "It has nodes for %" PRIu64 " %s that the input as it is has none for.\n",
                       own.left - best.left, own.left - best.left == 1 ? "pod" : "pods");
    if (best.left > 0 && t->best != 0)
        cli_put_format(w, "That is without %" PRIu64 " %s it has no node for; the input as it is leaves %" PRIu64 ".\n",
                       best.left, best.left == 1 ? "pod that" : "pods that", own.left);
    if (best.exposure > own.exposure && !t->replayed)
        cli_put_text(w, "It has more on spot nodes, which can be interrupted.\n");
}

/* Days on which the best design costs more than the input as it is. */
static void text_days(cli_writer *w, const cli_tuning *t)
{
    karp_tune_day own = { .size = sizeof own }, day = { .size = sizeof day };
    bool begun = false;
    for (size_t i = 0; t->best != 0 && karp_tune_get_day(t->tune, t->best, i, &day) == KARP_OK &&
                       karp_tune_get_day(t->tune, 0, i, &own) == KARP_OK;
         i++) {
        char text[KARP_VALUE_TEXT], cost[MONEY_TEXT];
        if (!(day.cost > own.cost + 1e-6)) continue;
        karp_time_format(day.begins, text);
        money(t, day.cost - own.cost, true, cost);
        cli_put_format(w, "%s%.10s %s", begun ? ", " : "It costs more on these days: ", text, cost);
        begun = true;
    }
    if (begun) cli_put_text(w, ".\n");
}

/* What the replays lack, in every design. */
static void text_problems(cli_writer *w, const cli_tuning *t)
{
    bool comment = w->options->format == KARP_FORMAT_YAML;
    size_t next = 0;
    for (karp_str problem; (problem = karp_tune_problem(t->tune, next)).len > 0; next++) {
        cli_put_text(w, comment ? "# INCOMPLETE: " : "INCOMPLETE: ");
        if (comment) cli_put_shown(w, problem.ptr, problem.len);
        else cli_put_words(w, 12, 2, problem.ptr, problem.len);
        cli_put_text(w, "\n");
    }
}

/* Costs with nodes that count as $0 compare with nothing. */
static void text_unpriced(cli_writer *w, const cli_tuning *t)
{
    const karp_tune_design best = design_at(t, t->best), own = design_at(t, 0);
    if (best.unpriced + own.unpriced == 0) return;
    cli_put_format(w,
                   "At least: %" PRIu64 " of its nodes, and %" PRIu64
                   " of the input as it is, have no known price and count as $0;\n"
                   "--catalogue or --facts can state it.\n",
                   best.unpriced, own.unpriced);
}

/* The bound is about all pods that the loosest design places. */
static void text_floor(cli_writer *w, const cli_tuning *t)
{
    const karp_tune_design best = design_at(t, t->best);
    char floor[MONEY_TEXT];
    if (t->floor <= 0) return;
    money(t, t->floor, false, floor);
    cli_put_format(w, "No values of these fields%s can be below %s/month (a lower bound with a proof)",
                   best.left > 0 ? " that place every pod that can be placed" : "", floor);
    if (best.unpriced > 0)
        cli_put_text(w, ";\nthe best is not compared with it, since not all of its prices are known");
    else if (best.left == 0 && best.cost < t->floor * 1.0005)
        cli_put_format(w, ",\nand design %zu reaches it", t->best);
    else if (best.left == 0)
        cli_put_format(w, ";\ndesign %zu is %.1f%% above it", t->best, (best.cost / t->floor - 1) * 100);
    else
        cli_put_format(w, ";\ndesign %zu leaves %" PRIu64 " %s without a node, so its cost is not compared with it",
                       t->best, best.left, best.left == 1 ? "pod" : "pods");
    cli_put_text(w, ".\n");
}

static void write_text(cli_writer *w, const cli_tuning *t)
{
    size_t count = karp_tune_design_count(t->tune);
    uint64_t grid = karp_tune_grid(t->tune);
    cli_put_made_by(w, "tune", w->options, &t->answer->input);
    cli_put_format(w, "%zu of %" PRIu64 " designs, each %s.", count, grid, t->replayed ? "replayed" : "settled");
    if (count < grid) cli_put_text(w, " --designs N tries more of them.");
    if (w->options->loads != NULL)
        cli_put_format(w,
                       "\nEach with %.80s times the pods of its workloads; costs are means, pods and nodes are sums.",
                       w->options->loads);
    cli_put_text(w, "\n");
    karp_str licences = karp_reader_missing_licences(t->answer->input.reader);
    if (licences.len > 0) cli_put_format(w, "Without %s%s.\n", licence_words(licences), licences.ptr);
    text_axes(w, t);
    text_images(w, t);
    text_heading(w, t);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || design_at(t, i).on_front) text_design(w, t, i);
    }
    text_best(w, t);
    text_days(w, t);
    text_unpriced(w, t);
    text_alone(w, t);
    cli_put_text(w, t->floor > 0 ? "\n" : "");
    text_floor(w, t);
    if (t->best != 0) cli_put_text(w, "Its NodePools: the same command with -o yaml\n");
    text_problems(w, t);
    cli_put_incomplete(w, NULL, &t->answer->input);
}

/* ---- YAML -------------------------------------------------------------------------------------------------------- */

static void write_yaml(cli_writer *w, const cli_tuning *t)
{
    size_t number = w->options->pick > 0 ? (size_t)w->options->pick : t->best;
    const karp_tune_design d = design_at(t, number), own = design_at(t, 0);
    karp_text pools = { .ptr = NULL };
    strbuf changes = { .context = w->options->context };
    char after[MONEY_TEXT], before[MONEY_TEXT];
    const char *unit = t->replayed ? "" : "/month";
    money(t, d.cost, false, after);
    money(t, own.cost, false, before);
    add_changes(t, &d, &changes);
    cli_put_format(w, "# Design %zu: ", number);
    cli_put(w, changes.len > 0 ? changes.ptr : "", changes.len);
    cli_put_format(w, "\n# %s%s instead of %s%s, %s\n", after, unit, before, unit,
                   t->replayed ? "replayed" : "settled");
    if (w->options->pick == 0 && !d.best) cli_put_text(w, "# No design that was tried is within the caps.\n");
    text_problems(w, t);
    if (d.changes == 0) cli_put_text(w, "# The NodePools stay as they are.\n");
    if (karp_tune_pools(t->tune, number, &pools, NULL) != KARP_OK) w->out->failed = true;
    else if (pools.len > 0) cli_put(w, pools.ptr, pools.len);
    w->out->failed = w->out->failed || changes.failed;
    strbuf_free(&changes);
    karp_text_free(&pools);
}

bool tuning_write(const cli_tuning *t, strbuf *out)
{
    const cli_options *options = t->answer->options;
    cli_writer w = { .options = options, .out = out };
    if (options->format == KARP_FORMAT_YAML) write_yaml(&w, t);
    else write_text(&w, t);
    return !out->failed;
}
