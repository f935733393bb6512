/* SPDX-License-Identifier: Apache-2.0 */
/* karp plan --settle: shows how a cluster develops when every decision is executed and time passes. */
#include "designs.h"
#include "writer.h"

#include <base/memory.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <karp/library.h>
#include <karp/lifecycle.h>
#include <karp/passes.h>

#define SECOND_NS INT64_C(1000000000)
#define BOOT (60 * SECOND_NS) /* from a launch until its pods run */
#define LOOK_AGAIN (15 * SECOND_NS) /* Karpenter's delay before validation */
#define HORIZON (7 * 24 * 3600 * SECOND_NS) /* no waits for budgets or consolidateAfter beyond this time */

enum { ROUNDS_MOST = 500 };

typedef struct settle_round {
    int64_t at;
    uint32_t method; /* KARP_METHOD_ANY = nodes were launched for pending pods … */
    bool is_static; /* … or for static NodePools */
    size_t launched, removed, placed, left;
    double cost; /* per hour, after the round */
    size_t removed_text, launched_text; /* offsets in the texts */
} settle_round;

typedef struct settling {
    const cli_options *options;
    karp_options common;
    karp_error *error;
    karp_reader *reader; /* reader of the current round */
    karp_snapshot *snapshot;
    bool own; /* the reader and the snapshot are not the input's */
    int64_t began, now, step; /* step: delay before rechecking nodes that were not yet consolidatable */
    settle_round *rounds;
    size_t count, room;
    strbuf texts;
    size_t first_round; /* the round of the decision `first`: nodes of static NodePools may have been launched before */
    karp_decision *first, *last;
} settling;

static karp_status no_memory(settling *s)
{
    s->error->status = KARP_E_NOMEM;
    return KARP_E_NOMEM;
}

static void leave(settling *s)
{
    if (s->own) {
        karp_snapshot_unref(s->snapshot);
        karp_reader_free(s->reader);
    }
    s->own = false;
}

/* Executes the decision (NULL = none) and lets that much time pass. */
static karp_status go_on(settling *s, const karp_decision *decision, int64_t later)
{
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_status status = karp_reader_after(s->reader, decision, s->now + later, &reader, &snapshot, s->error);
    if (status != KARP_OK) return status;
    leave(s);
    s->now += later;
    s->reader = reader;
    s->snapshot = snapshot;
    s->own = true;
    return KARP_OK;
}

/* ---- a round ----------------------------------------------------------------------------------------------------- */

static karp_status group_launches(settling *s, const karp_decision *d, settle_round *round, design_groups *types)
{
    for (size_t i = 0; i < karp_decision_launch_count(d); i++) {
        karp_launch l = { .size = sizeof l };
        karp_status status = karp_decision_launch(d, i, &l);
        if (status != KARP_OK) return status;
        if (l.choice.instance_type.len == 0)
            round->launched--; /* no offering that the static pool allows is available */
        else if (!design_group_add(s->options, types, l.choice.instance_type, l.choice.price)) return no_memory(s);
    }
    return KARP_OK;
}

/* "2 × c6g.large, 1 × m6a.large" */
static karp_status note_launches(settling *s, const karp_decision *d, settle_round *round)
{
    design_groups types = { 0 };
    char number[32];
    karp_status status = group_launches(s, d, round, &types);
    round->launched_text = s->texts.len;
    for (size_t i = 0; i < types.count; i++) {
        const design_group *g = &types.items[i];
        (void)snprintf(number, sizeof number, "%s%zu \xc3\x97 ", i > 0 ? ", " : "", g->nodes);
        strbuf_adds(&s->texts, number);
        strbuf_addstr(&s->texts, g->name);
    }
    strbuf_add(&s->texts, "", 1);
    design_groups_free(s->options, &types);
    if (status != KARP_OK) return status;
    return s->texts.failed ? no_memory(s) : KARP_OK;
}

static karp_status note_removed(settling *s, const karp_decision *d, settle_round *round)
{
    round->removed_text = s->texts.len;
    for (size_t i = 0; i < karp_decision_command_count(d); i++) {
        karp_command c = { .size = sizeof c };
        karp_status status = karp_decision_command(d, i, &c);
        if (status != KARP_OK) return status;
        round->method = c.method;
        for (size_t k = 0; k < c.node_count; k++) {
            if (round->removed++ > 0) strbuf_addc(&s->texts, ' ');
            strbuf_addstr(&s->texts, c.nodes[k]);
        }
    }
    strbuf_add(&s->texts, "", 1);
    return s->texts.failed ? no_memory(s) : KARP_OK;
}

static karp_status note_round(settling *s, const karp_decision *d, size_t placed)
{
    if (s->count == ROUNDS_MOST)
        return fail(s->error, KARP_E_LIMIT, "the cluster has not settled after %d rounds", (int)ROUNDS_MOST);
    if (!grow(s->options->context, (void **)&s->rounds, &s->room, s->count + 1, sizeof *s->rounds)) return no_memory(s);
    settle_round *round = &s->rounds[s->count++];
    progress_round((uint32_t)s->count + 1);
    *round = (settle_round){ .at = s->now,
                             .method = KARP_METHOD_ANY,
                             .launched = karp_decision_launch_count(d),
                             .placed = placed,
                             .left = karp_decision_unschedulable_count(d),
                             .cost = karp_decision_cost_after(d) };
    karp_status status = note_removed(s, d, round);
    return status == KARP_OK ? note_launches(s, d, round) : status;
}

/* Adds a round, executes its decision and lets that much time pass. */
static karp_status play_round(settling *s, const karp_decision *d, size_t placed, int64_t later)
{
    karp_status status = note_round(s, d, placed);
    return status == KARP_OK ? go_on(s, d, later) : status;
}

/* Counts the pods for which nodes are launched and those placed on existing nodes, and checks whether nodes are being
 * deleted. */
static karp_status look_at(const karp_decision *d, size_t *launched_for, size_t *received, bool *deleting)
{
    *launched_for = *received = 0;
    *deleting = false;
    for (size_t i = 0; i < karp_decision_launch_count(d); i++) {
        karp_launch l = { .size = sizeof l };
        karp_status status = karp_decision_launch(d, i, &l);
        if (status != KARP_OK) return status;
        *launched_for += l.pod_count;
    }
    for (size_t i = 0; i < karp_decision_node_count(d); i++) {
        karp_node_use n = { .size = sizeof n };
        karp_status status = karp_decision_node(d, i, &n);
        if (status != KARP_OK) return status;
        *received += n.pods_received;
        *deleting = *deleting || n.marked != 0;
    }
    return KARP_OK;
}

/* ---- until nothing changes --------------------------------------------------------------------------------------- */

/* The controllers of static NodePools run first: their nodes receive pods like any others. */
static karp_status settle_static(settling *s)
{
    karp_decision *decision = NULL;
    karp_status status = karp_launch_static_pools(s->snapshot, &s->common, &decision, s->error);
    if (status != KARP_OK) return status;
    bool launches = karp_decision_launch_count(decision) > 0;
    if (launches || karp_decision_command_count(decision) > 0) {
        status = play_round(s, decision, 0, launches ? BOOT : 0);
        if (status == KARP_OK) s->rounds[s->count - 1].is_static = true;
    }
    karp_decision_unref(decision);
    return status;
}

static karp_status provision_again(settling *s)
{
    karp_decision_unref(s->last);
    s->last = NULL;
    return karp_provision(s->snapshot, &s->common, &s->last, s->error);
}

/* Runs rounds until pending pods get no more nodes. The last decision is kept in s->last. */
static karp_status provision(settling *s)
{
    size_t received_before = SIZE_MAX;
    karp_status status = settle_static(s);
    if (status != KARP_OK) return status;
    while (s->count < ROUNDS_MOST) {
        size_t launched_for, received;
        bool deleting;
        status = provision_again(s);
        if (status != KARP_OK) return status;
        status = look_at(s->last, &launched_for, &received, &deleting);
        if (status != KARP_OK) return status;
        if (s->first == NULL) s->first = karp_decision_ref(s->last);
        bool launches = karp_decision_launch_count(s->last) > 0, acts = launches || deleting;
        if (s->first_round == 0) s->first_round = s->count > 0 && !launches ? s->count : s->count + 1;
        /* Pods on nodes that have not joined the cluster are placed again in each round. */
        if (!acts && (received == 0 || received == received_before)) return KARP_OK;
        received_before = acts ? SIZE_MAX : received;
        status = acts ? play_round(s, s->last, launched_for, launches ? BOOT : 0) : go_on(s, s->last, 0);
        if (status != KARP_OK) return status;
    }
    return KARP_OK;
}

/* Computes when a later pass can have another result without any action: when a budget opens, or when a node becomes
 * consolidatable. The latter is rechecked repeatedly, each time after twice the delay. KARP_NO_TIME = never. */
static karp_status next_look(settling *s, const karp_decision *pass, int64_t *next)
{
    *next = KARP_NO_TIME;
    for (size_t i = 0; i < karp_decision_kept_count(pass); i++) {
        karp_kept k = { .size = sizeof k };
        karp_status status = karp_decision_kept(pass, i, &k);
        if (status != KARP_OK) return status;
        if (k.code == KARP_REASON_NOT_CONSOLIDATABLE || k.code == KARP_REASON_CONSOLIDATE_AFTER)
            *next = s->now + s->step;
    }
    s->step *= 2;
    for (size_t i = 0; i < karp_decision_budget_count(pass); i++) {
        karp_pool_budget b = { .size = sizeof b };
        karp_status status = karp_decision_budget(pass, i, &b);
        if (status != KARP_OK) return status;
        bool opens = b.remaining == 0 && b.next_change != KARP_NO_TIME && b.next_change > s->now;
        if (opens && (*next == KARP_NO_TIME || b.next_change < *next)) *next = b.next_change;
    }
    return KARP_OK;
}

/* Executes what a pass decided, or waits until it can have another result. *more = another pass follows. */
static karp_status execute_pass(settling *s, const karp_decision *pass, bool *more)
{
    *more = karp_decision_command_count(pass) > 0;
    if (*more) {
        s->step = LOOK_AGAIN;
        karp_status status = play_round(s, pass, 0, karp_decision_launch_count(pass) > 0 ? BOOT : LOOK_AGAIN);
        return status == KARP_OK ? provision(s) : status;
    }
    int64_t next;
    karp_status status = next_look(s, pass, &next);
    if (status != KARP_OK) return status;
    *more = next != KARP_NO_TIME && next > s->now && next - s->began <= HORIZON;
    return *more ? go_on(s, NULL, next - s->now) : KARP_OK;
}

static karp_status consolidate(settling *s)
{
    karp_disrupt_options options;
    karp_disrupt_options_init(&options, sizeof options);
    options.common = &s->common;
    bool more = false;
    do {
        karp_decision *pass = NULL;
        karp_status status = karp_disrupt(s->snapshot, &options, &pass, s->error);
        if (status == KARP_OK) status = execute_pass(s, pass, &more);
        karp_decision_unref(pass);
        if (status != KARP_OK) return status;
    } while (more && s->count < ROUNDS_MOST);
    return KARP_OK;
}

static karp_status play(settling *s)
{
    karp_status status = provision(s);
    if (status == KARP_OK && !s->options->no_disrupt) status = consolidate(s);
    if (status != KARP_OK) return status;
    return provision_again(s); /* the final cluster, with its cost and utilisation */
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

static void put_time(cli_writer *w, int64_t at)
{
    char text[KARP_VALUE_TEXT];
    karp_time_format(at, text);
    cli_put_text(w, text);
}

static void json_rounds(cli_writer *w, const settling *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const settle_round *r = &s->rounds[i];
        const char *method = r->method != KARP_METHOD_ANY ? karp_method_name(r->method)
                             : r->is_static               ? "StaticProvisioning"
                                                          : "";
        const char *launched = s->texts.ptr + r->launched_text, *removed = s->texts.ptr + r->removed_text;
        cli_put_format(w, "%s\n  {\"time\": \"", i > 0 ? "," : "");
        put_time(w, r->at);
        cli_put_format(w, "\", \"method\": \"%s\", \"launches\": %zu, \"launched\": ", method, r->launched);
        cli_put_quoted(w, launched, strlen(launched));
        cli_put_format(w, ", \"nodesRemoved\": %zu, \"removed\": ", r->removed);
        cli_put_quoted(w, removed, strlen(removed));
        cli_put_format(w, ", \"podsLaunchedFor\": %zu, \"podsLeft\": %zu, \"perHour\": ", r->placed, r->left);
        cli_put_number(w, r->cost);
        cli_put_text(w, "}");
    }
}

static void write_json(cli_writer *w, const settling *s, const cli_input *input, const design *both)
{
    cli_put_text(w, "{\"apiVersion\": \"karp/v1\", \"kind\": \"Settlement\", ");
    cli_put_engine(w);
    design_write_clouds(w, input->reader);
    cli_put_text(w, ",\n \"rounds\": [");
    json_rounds(w, s);
    cli_put_text(w, "],\n \"designs\": [");
    design_write_json(w, &both[0]);
    cli_put_text(w, ",");
    design_write_json(w, &both[1]);
    cli_put_text(w, "]");
    cli_put_notes(w, input);
    cli_put_text(w, "}\n");
}

/* "SingleNodeConsolidation: remove on-demand-3; launch 1 × c6a.large" */
static void describe(const settling *s, const settle_round *r, strbuf *out)
{
    const char *launched = s->texts.ptr + r->launched_text, *removed = s->texts.ptr + r->removed_text;
    char counts[96] = "", left[48] = "";
    bool provisioned = r->method == KARP_METHOD_ANY && !r->is_static;
    if (r->is_static && r->launched > 0) (void)snprintf(counts, sizeof counts, " for static NodePools");
    else if (provisioned && r->launched > 0)
        (void)snprintf(counts, sizeof counts, " for %zu %s", r->placed, r->placed == 1 ? "pod" : "pods");
    if (provisioned && r->left > 0) (void)snprintf(left, sizeof left, ", %zu left", r->left);
    const char *words[] = { r->removed > 0 ? karp_method_name(r->method) : "",
                            r->removed > 0 ? ": remove " : "",
                            removed,
                            r->removed > 0 && r->launched > 0 ? "; " : "",
                            r->launched > 0 ? "launch " : "",
                            launched,
                            counts,
                            left };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) strbuf_adds(out, words[i]);
}

enum { WHAT_COLUMN = 30 }; /* the column of a round's actions */

static void text_round(cli_writer *w, const settling *s, size_t number)
{
    const settle_round *r = &s->rounds[number];
    char later[KARP_VALUE_TEXT], cost[MONEY_TEXT];
    strbuf what = { .context = s->options->context };
    karp_duration_format(r->at - s->began, later);
    (void)money_rate(r->cost, false, cost);
    describe(s, r, &what);
    w->out->failed = w->out->failed || what.failed;
    cli_put_format(w, w->markdown ? "%zu. +%s %s " : " %3zu  +%-9s %11s  ", number + 1, later, cost);
    if (w->markdown) cli_put_shown(w, what.ptr, what.len);
    else cli_put_words(w, WHAT_COLUMN, WHAT_COLUMN, what.ptr, what.len);
    cli_put_text(w, "\n");
    strbuf_free(&what);
}

/* The catalogue price of nodes of the type that the cost does not include, because they are in no NodePool; 0 =
 * unknown. */
static double price_outside(const settling *s, const cli_input *input, karp_str type)
{
    double sum = 0;
    for (size_t i = 0; i < karp_decision_node_count(s->last); i++) {
        karp_node_use n = { .size = sizeof n };
        bool same = karp_decision_node(s->last, i, &n) == KARP_OK && equal_str(n.instance_type, type);
        if (!same || n.marked || n.price > 0) continue;
        double price = karp_reader_price(input->reader, type, n.zone, n.capacity_type);
        if (price <= 0) return 0;
        sum += price;
    }
    return sum;
}

static void put_prices(cli_writer *w, const settling *s, const cli_input *input, const design_group *g)
{
    char counted[MONEY_TEXT], other[MONEY_TEXT];
    double outside = price_outside(s, input, g->name);
    (void)money_rate(g->price, false, counted);
    (void)money_rate(outside, false, other);
    if (g->price > 0) cli_put_text(w, counted);
    if (outside > 0) cli_put_format(w, "%s%s by the catalogue, not in the cost", g->price > 0 ? ", " : "", other);
    if (g->price <= 0 && outside <= 0) cli_put_text(w, "$/h unknown");
}

static void write_text(cli_writer *w, const settling *s, const cli_input *input, const design *both)
{
    const char *heading = w->markdown ? "## " : "";
    if (!w->markdown) cli_put_made_by(w, "plan --settle", s->options, input);
    double before = both[0].price, after = both[1].price;
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
        cli_put_made_by(w, "plan --settle", s->options, input);
    }
    if (s->count >= ROUNDS_MOST) cli_put_format(w, "It has not settled after %d rounds.\n", (int)ROUNDS_MOST);
    char began[KARP_VALUE_TEXT];
    karp_time_format(s->began, began);
    cli_put_format(w, "\n%sRounds, from %s on\n", heading, began);
    cli_put_text(w, w->markdown ? "\n" : "");
    for (size_t i = 0; i < s->count; i++) text_round(w, s, i);
    if (s->count == 0) cli_put_text(w, "  none: nothing is launched or removed\n");
    cli_put_format(w, "\n%sNodes at the end\n", heading);
    cli_put_text(w, w->markdown ? "\n" : "");
    for (size_t i = 0; i < both[1].types.count; i++) {
        const design_group *g = &both[1].types.items[i];
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
static karp_status write_answer(cli_answer *answer, const settling *s, bool *told)
{
    const cli_options *options = answer->options;
    char name[32] = "first round";
    if (s->first_round > 1) (void)snprintf(name, sizeof name, "round %zu", s->first_round);
    design both[2] = { { .name = name, .options = *options, .plan = karp_decision_ref(s->first) },
                       { .name = "settled", .options = *options, .plan = karp_decision_ref(s->last) } };
    strbuf out = { .context = options->context };
    cli_writer w = { .options = options,
                     .out = &out,
                     .json = options->format == KARP_FORMAT_JSON,
                     .markdown = options->format == KARP_FORMAT_MARKDOWN };
    karp_status status = design_add_up(&both[0]);
    if (status == KARP_OK) status = design_add_up(&both[1]);
    if (status == KARP_OK) {
        if (w.json) write_json(&w, s, &answer->input, both);
        else write_text(&w, s, &answer->input, both);
        if (out.failed) status = KARP_E_NOMEM;
    }
    if (status == KARP_OK) *told = print_folded(options, (karp_str){ out.ptr, out.len });
    answer->error.status = status;
    strbuf_free(&out);
    design_free(&both[0]);
    design_free(&both[1]);
    return status;
}

static karp_status make(cli_answer *answer, void *own, int *result)
{
    (void)own;
    const cli_options *options = answer->options;
    settling s = { .options = options,
                   .common = decision_options(options),
                   .texts = { .context = options->context },
                   .error = &answer->error,
                   .reader = answer->input.reader,
                   .snapshot = answer->input.snapshot };
    s.began = s.now = karp_snapshot_now(s.snapshot);
    s.common.now = 0; /* every round uses the time of its own snapshot */
    s.step = LOOK_AGAIN;
    progress_round(1);
    progress_begin("playing rounds");
    karp_status status = play(&s);
    progress_end();
    bool told = false;
    if (status == KARP_OK && !input_add_notes(options, &answer->input, s.last)) status = no_memory(&s);
    print_warnings(&answer->input);
    answer->write.warnings = answer->input.warnings;
    answer->write.warning_count = answer->input.warning_count;
    if (status == KARP_OK) status = write_answer(answer, &s, &told);
    if (status == KARP_OK) *result = told ? exit_status_of_settled(answer, s.first, s.last, s.count > 0) : EXIT_ERROR;
    leave(&s);
    karp_decision_unref(s.first);
    karp_decision_unref(s.last);
    karp_free(options->context, s.rounds, s.room * sizeof *s.rounds);
    strbuf_free(&s.texts);
    return status;
}

int settle(const cli_options *options)
{
    uint32_t formats = 1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT | 1u << KARP_FORMAT_MARKDOWN;
    if (!(formats & (1u << options->format))) {
        print_problem("--settle", "can be written as text, json or markdown only");
        return EXIT_ERROR;
    }
    return answer_input(options, true, false, make, NULL);
}
