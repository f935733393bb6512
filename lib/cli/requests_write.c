/* SPDX-License-Identifier: Apache-2.0 */
/* Shows which requests a design changes, and what they are worth. */
#include "designs.h"
#include "writer.h"

#include <base/sort.h>
#include <inttypes.h>
#include <stdio.h>

#include <karp/library.h>

/* The nodes of a design when its plan is carried out. Without further rounds of its own, the launched nodes would be
 * empty: the rounds bind their pods. */
static karp_status list_nodes(const design *d, karp_node_list **out, karp_error *error)
{
    karp_options common = decision_options(&d->options);
    karp_settlement *rounds = NULL;
    karp_node_list_options options;
    karp_settle_options settle;
    karp_node_list_options_init(&options, sizeof options);
    karp_settle_options_init(&settle, sizeof settle);
    options.common = settle.common = &common;
    options.price = input_price;
    options.price_user = d->input.reader;
    karp_status status = KARP_OK;
    if (d->settlement == NULL) status = karp_settle(d->input.snapshot, &settle, &rounds, error);
    const karp_settlement *settled = d->settlement != NULL ? d->settlement : rounds;
    if (status == KARP_OK) status = karp_list_nodes(karp_settlement_snapshot(settled), &options, out, error);
    karp_settlement_free(rounds);
    return status;
}

karp_status design_price_requests(const design *first, design *d, karp_error *error)
{
    size_t count = karp_reader_request_change_count(d->input.reader);
    karp_node_list *nodes = NULL;
    if (count == 0) return KARP_OK;
    d->saved = karp_alloc(d->options.context, count * sizeof *d->saved);
    if (d->saved == NULL) return KARP_E_NOMEM;
    d->saved_count = count;
    karp_status status = list_nodes(first, &nodes, error);
    if (status == KARP_OK) status = karp_reader_price_requests(d->input.reader, nodes, d->saved, count, error);
    karp_node_list_free(nodes);
    return status;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static karp_request_change change_at(const design *d, size_t index)
{
    karp_request_change c = { .size = sizeof c };
    (void)karp_reader_request_change(d->input.reader, index, &c);
    return c;
}

/* The changes, those that are worth most first. NULL = out of memory. */
static uint32_t *sorted(const design *d)
{
    uint32_t *list = karp_alloc(d->options.context, d->saved_count * sizeof *list);
    for (uint32_t i = 0; list != NULL && i < d->saved_count; i++) list[i] = i;
    if (list != NULL && sort_ids(d->options.context, list, d->saved_count, by_falling, d->saved)) return list;
    karp_free(d->options.context, list, d->saved_count * sizeof *list);
    return NULL;
}

/* The changes to write, in the order of `sorted`; the caller frees them. NULL = there are none, or no memory. */
static uint32_t *begin_changes(cli_writer *w, const design *d)
{
    if (d->saved_count == 0) return NULL;
    uint32_t *list = sorted(d);
    if (list == NULL) w->out->failed = true;
    else w->differs = true;
    return list;
}

static void put_str(cli_writer *w, karp_str text) { cli_put_shown(w, text.len > 0 ? text.ptr : "", text.len); }

/* "cpu 500m → 120m" */
static void put_amount(cli_writer *w, const char *resource, karp_str before, karp_str after, bool more)
{
    if (after.len == 0) return;
    cli_put_format(w, "%s%s ", more ? ", " : "", resource);
    if (before.len > 0) put_str(w, before);
    else cli_put_text(w, "\xe2\x80\x93");
    cli_put_text(w, " \xe2\x86\x92 ");
    put_str(w, after);
}

static void put_change(cli_writer *w, const karp_request_change *c, double saved)
{
    char money[MONEY_TEXT];
    put_str(w, c->kind);
    cli_put_text(w, " ");
    put_str(w, c->namespace_);
    cli_put_text(w, "/");
    put_str(w, c->name);
    cli_put_text(w, ", container ");
    put_str(w, c->container);
    cli_put_text(w, ": ");
    put_amount(w, "cpu", c->cpu_before, c->cpu_after, false);
    put_amount(w, "memory", c->memory_before, c->memory_after, c->cpu_after.len > 0);
    cli_put_format(w, "; %" PRIu32 " %s", c->pods, c->pods == 1 ? "pod" : "pods");
    (void)money_dollars(-saved * HOURS_A_MONTH, true, money);
    cli_put_format(w, "; %s/month%s", money, c->larger ? " (larger)" : "");
}

enum { SHOWN_MOST = 40 };

typedef struct in_place {
    uint64_t resized, deferred, infeasible, not_resizable;
} in_place;

/* A pod is counted once, whatever the number of its containers: changes are in the order of workloads. */
static in_place count_in_place(const design *d)
{
    in_place all = { 0 };
    karp_request_change last = { .size = sizeof last };
    for (size_t i = 0; i < d->saved_count; i++) {
        karp_request_change c = change_at(d, i);
        if (i == 0 || compare_str(c.kind, last.kind) != 0 || compare_str(c.namespace_, last.namespace_) != 0 ||
            compare_str(c.name, last.name) != 0) {
            all.resized += c.resized;
            all.deferred += c.deferred;
            all.infeasible += c.infeasible;
            all.not_resizable += c.not_resizable;
        }
        last = c;
    }
    return all;
}

static void begin_line(cli_writer *w) { cli_put_text(w, w->html ? "<div class=\"l\">" : w->markdown ? "- " : "  "); }
static void end_line(cli_writer *w) { cli_put_text(w, w->html ? "</div>\n" : "\n"); }

static void put_in_place(cli_writer *w, const design *d)
{
    in_place all = count_in_place(d);
    if (all.resized + all.deferred + all.infeasible + all.not_resizable == 0) return;
    begin_line(w);
    cli_put_format(w, "of the pods that run, %" PRIu64 " are resized in place", all.resized);
    if (all.deferred > 0) cli_put_format(w, "; for %" PRIu64 " their node has no room", all.deferred);
    if (all.infeasible > 0) cli_put_format(w, "; %" PRIu64 " are larger than their node", all.infeasible);
    if (all.not_resizable > 0) cli_put_format(w, "; %" PRIu64 " would change their QoS class", all.not_resizable);
    if (all.deferred + all.infeasible + all.not_resizable > 0)
        cli_put_text(w, ": their controllers create these again");
    end_line(w);
}

void design_write_requests(cli_writer *w, const design *d)
{
    uint32_t *list = begin_changes(w, d);
    if (list == NULL) return;
    for (size_t i = 0; i < d->saved_count && i < SHOWN_MOST; i++) {
        karp_request_change c = change_at(d, list[i]);
        begin_line(w);
        put_change(w, &c, d->saved[list[i]]);
        end_line(w);
    }
    if (d->saved_count > SHOWN_MOST) {
        begin_line(w);
        cli_put_format(w, "and %zu more (-o json has all)", d->saved_count - SHOWN_MOST);
        end_line(w);
    }
    put_in_place(w, d);
    karp_free(d->options.context, list, d->saved_count * sizeof *list);
}

/* ---- patches ----------------------------------------------------------------------------------------------------- */

int design_print_patches(const cli_options *options, const design *d)
{
    karp_text text = { 0 };
    karp_error error = { .size = sizeof error };
    karp_write_options write = write_options_of(options, &d->input);
    karp_status status = karp_write_request_patches(options->context, d->input.reader, d->saved, &write, &text, &error);
    bool printed = status == KARP_OK && print_output((karp_str){ text.ptr, text.len });
    if (status == KARP_E_NOMEM) print_problem(NULL, "out of memory");
    else if (status != KARP_OK) print_error(&error);
    karp_text_free(&text);
    return printed ? EXIT_OK : EXIT_ERROR;
}
