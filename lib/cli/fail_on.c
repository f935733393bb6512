/* SPDX-License-Identifier: Apache-2.0 */
/* --fail-on: conditions under which the command fails. */
#include "designs.h"
#include "option_table.h"
#include "writer.h"

#include <base/licence_words.h>
#include <base/nearest.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include <karp/inspect.h>

/* Removes the commas of "6,000.50"; false = they are not thousands separators. */
static bool join_thousands(char *text)
{
    size_t digits = strspn(text, "+$"), out = digits;
    size_t whole = digits + strcspn(text + digits, ".%");
    for (size_t i = digits; text[i] != '\0'; i++) {
        if (text[i] == ',' && (i == digits || i > whole || strspn(text + i + 1, "0123456789") != 3)) return false;
        if (text[i] != ',') text[out++] = text[i];
    }
    text[out] = '\0';
    return true;
}

/* "cost=+10%", "cost=+$50", "cost=$500", "cost=$6,000" */
static bool read_cost(cli_options *options, char *text)
{
    if (!join_thousands(text)) return false;
    size_t length = strlen(text);
    options->cost_is_more = length > 0 && text[0] == '+';
    text += options->cost_is_more;
    length -= options->cost_is_more;
    options->cost_is_part = length > 0 && text[length - 1] == '%';
    if (options->cost_is_part ? !options->cost_is_more : length == 0 || text[0] != '$') return false;
    karp_str number = { options->cost_is_part ? text : text + 1, length - 1 };
    options->fail_on_cost = true;
    return karp_double_parse(number, &options->cost_limit) == KARP_OK && options->cost_limit >= 0;
}

static bool read_one(cli_options *options, const char *word, size_t length)
{
    char text[64];
    if (length >= sizeof(text)) return false;
    memcpy(text, word, length);
    text[length] = '\0';
    uint64_t condition = FAIL_ON_COST; /* any "cost=…" is one */
    (void)parse_word(WORDS_FAIL_ON, text, &condition);
    if (condition == FAIL_ON_COST) return strncmp(text, "cost=", 5) == 0 && read_cost(options, text + 5);
    if (condition == FAIL_ON_NOTES) options->fail_on_notes = true;
    else options->fail_on_unschedulable = true;
    return true;
}

/* The comma that ends the word. A comma before a digit is a thousands separator. */
static const char *end_of_word(const char *word)
{
    const char *comma = strchr(word, ',');
    while (comma != NULL && strncmp(word, "cost=", 5) == 0 && comma[1] >= '0' && comma[1] <= '9')
        comma = strchr(comma + 1, ',');
    return comma;
}

int options_together(const cli_verb *verb, const cli_options *options)
{
    if (options->baseline != NULL && !options->fail_on_cost) {
        return wrong_option(verb, "--baseline",
                            "is what --fail-on cost=+10% (or +$50, $500) compares with: give that, too");
    }
    bool plays = strcmp(verb->name, "simulate") == 0 || strcmp(verb->name, "replay") == 0;
    if (plays && (options->baseline != NULL || (options->fail_on_cost && options->cost_is_more)))
        return wrong_option(verb, "--fail-on cost",
                            "has nothing to compare with here: give an amount for the average of a month, as in "
                            "cost=$500; karp diff compares two replays (-o json)");
    if (options->no_disrupt && !options->settle)
        return wrong_option(verb, "--no-disrupt", "is for --settle: give that, too");
    if (options->first_round && options->settle)
        return wrong_option(verb, "--first-round", "shows one round, --settle all of them: give one of the two");
    return requests_together(verb, &options->requests);
}

bool gates_are_set(const cli_options *options)
{
    return options->fail_on_unschedulable || options->fail_on_notes || options->fail_on_cost;
}

static int wrong_condition(const cli_verb *verb, karp_str given)
{
    char message[160];
    nearest meant = nearest_to(given);
    nearest_offer(&meant, str("unschedulable"));
    nearest_offer(&meant, str("notes"));
    (void)snprintf(message, sizeof message,
                   "%.*s is none of unschedulable, notes, cost=+10%%, cost=+$50 and cost=$500%s%s%s",
                   str_shown(given, 40), given.ptr, meant.best.ptr != NULL ? "; did you mean " : "",
                   meant.best.ptr != NULL ? meant.best.ptr : "", meant.best.ptr != NULL ? "?" : "");
    return wrong_option(verb, "--fail-on", message);
}

int set_fail_on(const cli_verb *verb, cli_options *options, const char *value)
{
    for (const char *word = value; word != NULL;) {
        const char *comma = end_of_word(word);
        size_t length = comma == NULL ? strlen(word) : (size_t)(comma - word);
        if (!read_one(options, word, length)) return wrong_condition(verb, (karp_str){ word, length });
        word = comma == NULL ? NULL : comma + 1;
    }
    return -1;
}

bool some_pod_left(const karp_decision *plan)
{
    if (karp_decision_unschedulable_count(plan) > 0) return true;
    for (size_t i = 0; i < karp_decision_ignored_count(plan); i++) {
        karp_ignored pod = { .size = sizeof(pod) };
        if (karp_decision_ignored(plan, i, &pod) == KARP_OK && pod.code != KARP_REASON_NOT_FOR_KARPENTER &&
            pod.code != KARP_REASON_NOT_CREATED)
            return true; /* the pod before one that is not created is left, too, or starts */
    }
    return false;
}

static size_t note_count(const cli_answer *answer, const karp_decision *plan, const karp_decision *disruption)
{
    size_t count = decision_note_count(plan);
    for (size_t i = 0; i < answer->write.warning_count; i++) {
        karp_str note = answer->write.warnings[i];
        count += !is_change(&note); /* that is not a note on the input */
    }
    return disruption == NULL || disruption == plan ? count : count + karp_decision_warning_count(disruption);
}

/* The cost to compare with. */
typedef struct base {
    double cost; /* per hour */
    const char *name; /* "today"; NULL = there is none */
} base;

/* Reads the cost after the Plan of --baseline into *out; false after printing the error. */
static bool base_cost(const cli_options *options, double *out)
{
    if (options->baseline == NULL) return true;
    karp_plan_document *document = NULL;
    karp_error error = { .size = sizeof error };
    if (karp_plan_read_file(options->context, options->baseline, &document, &error) != KARP_OK)
        return print_error(&error);
    *out = karp_plan_document_cost(document);
    karp_plan_document_free(document);
    if (*out < 0) print_problem(options->baseline, "the plan does not say what it costs (cost.after)");
    return *out >= 0;
}

static double cents_a_month(double hourly) { return round(hourly * HOURS_A_MONTH * 100); }

/* Whether the cost exceeds the limit; if so, prints that. -1 = the limit is unknown. */
static int exceeds_cost_limit(const cli_options *options, base than, double after)
{
    double before = than.cost;
    if (!base_cost(options, &before)) return -1;
    double limit = options->cost_is_part   ? before * (1 + options->cost_limit / 100)
                   : options->cost_is_more ? before + options->cost_limit / HOURS_A_MONTH
                                           : options->cost_limit / HOURS_A_MONTH;
    /* Compares the printed amounts, which are rounded to cents. */
    if (cents_a_month(after) <= cents_a_month(limit)) return 0;
    char money[3][MONEY_TEXT];
    (void)money_dollars(after * HOURS_A_MONTH, false, money[0]);
    (void)money_dollars(limit * HOURS_A_MONTH, false, money[1]);
    (void)money_dollars(before * HOURS_A_MONTH, false, money[2]);
    fprintf(stderr, "karp: --fail-on cost: %s/month (730 h) is more than %s/month", money[0], money[1]);
    if (than.name == NULL) fprintf(stderr, "\n");
    else fprintf(stderr, " (%s %s/month)\n", options->baseline != NULL ? "baseline" : than.name, money[2]);
    return 1;
}

/* Whether there was a node, or a pod to place. For a launch decision, pods that have finished or that are gated are
 * none; a pass does not say which pods they are. */
static bool had_something(const cli_input *input, const karp_decision *plan)
{
    karp_snapshot_counts counts = { .size = sizeof(counts) };
    karp_disruption pass = { .size = sizeof(pass) };
    karp_snapshot_get_counts(input->snapshot, &counts);
    if (karp_decision_disruption(plan, &pass) == KARP_OK && counts.pods > 0) return true;
    return counts.nodes + karp_decision_launch_count(plan) + karp_decision_placement_count(plan) +
               karp_decision_unschedulable_count(plan) + karp_decision_ignored_count(plan) >
           0;
}

/* Whether the decision is about all of the input, and about something. A gate that is asked about anything else must
 * not pass. */
static bool is_about_input(const cli_options *options, const cli_input *input, const karp_decision *plan)
{
    if (!gates_are_set(options) || input->snapshot == NULL) return true;
    char incomplete[INCOMPLETE_TEXT];
    if (input_incomplete(input, incomplete)) return print_problem("--fail-on", incomplete);
    bool something = had_something(input, plan);
    if (!something) print_problem("--fail-on", "the input has no pod and no node to decide on");
    return something;
}

/* Whether a gate on the cost is asked about a cluster whose cost is not known, because rounds would go on. */
static bool cost_is_unknown(const cli_options *options, const karp_settlement *settlement, const karp_drift *drift)
{
    if (settlement == NULL && !options->first_round && !options->settle && drift != NULL && drift->nodes > 0 &&
        drift->played == 0) {
        print_problem(
            "--fail-on cost",
            "nodes drift, and what they cost when they are replaced is not known with lost zones, unavailable "
            "types or other prices; --first-round judges the cost before that");
        return true;
    }
    if (settlement == NULL || karp_settlement_settled(settlement)) return false;
    print_problem("--fail-on cost", "the cluster has not settled; karp plan --settle shows the rounds");
    return true;
}

/* Whether the cost that a gate is asked about is only the least that it can be. */
static bool cost_is_partial(karp_str licences, size_t nodes)
{
    char text[256];
    if (nodes > 0) {
        (void)snprintf(text, sizeof text,
                       "%zu %s no known price and %s as $0: --catalogue or --facts can state it, and "
                       "\"karp nodes\" lists them",
                       nodes, nodes == 1 ? "node has" : "nodes have", nodes == 1 ? "counts" : "count");
        print_problem("--fail-on cost", text);
    }
    if (licences.len > 0) {
        (void)snprintf(text, sizeof text, "the cost is without %s%s: --prices FILE adds them (docs/prices.md)",
                       licence_words(licences), licences.ptr);
        print_problem("--fail-on cost", text);
    }
    return nodes > 0 || licences.len > 0;
}

static bool notes_fail(const cli_options *options, size_t notes)
{
    bool failed = options->fail_on_notes && notes > 0;
    if (failed) print_problem("--fail-on notes", "there are notes");
    return failed;
}

/* EXIT_OK if no condition of --fail-on is met. Cost and pods are those after all rounds of launching, and after nodes
 * that drift are replaced; `settlement` NULL = after the plan. */
static int failure(const cli_options *options, const cli_input *input, base than, const karp_decision *plan,
                   const karp_settlement *settlement, const karp_drift *drift, size_t notes)
{
    const karp_decision *end = settlement != NULL ? karp_settlement_last(settlement) : plan;
    double after = karp_decision_cost_after(end);
    const karp_decision *first = settlement != NULL ? karp_settlement_first(settlement) : plan;
    bool failed = !is_about_input(options, input, first);
    if (options->fail_on_cost) {
        failed = cost_is_unknown(options, settlement, drift) || failed;
        karp_str licences = input->reader != NULL ? karp_reader_missing_licences(input->reader) : str("");
        failed = cost_is_partial(licences, karp_decision_unpriced_count(end)) || failed;
    }
    failed = (options->fail_on_unschedulable && some_pod_left(end)) || failed;
    failed = notes_fail(options, notes) || failed;
    if (options->fail_on_cost) {
        int dear = exceeds_cost_limit(options, than, after);
        if (dear < 0) return EXIT_ERROR;
        failed = failed || dear > 0;
    }
    return failed ? EXIT_UNSCHEDULABLE : EXIT_OK;
}

int exit_status_of_plan(const cli_answer *answer, const karp_decision *plan, const karp_decision *disruption)
{
    base today = { karp_decision_cost_before(plan), "today" };
    int status = failure(answer->options, &answer->input, today, plan, answer->write.settlement, answer->write.drift,
                         note_count(answer, plan, disruption));
    bool changes = karp_decision_launch_count(plan) > 0 ||
                   (disruption != NULL && karp_decision_command_count(disruption) > 0);
    return status == EXIT_OK && answer->options->detailed_exitcode && changes ? EXIT_CHANGES : status;
}

int exit_status_of_pass(const cli_answer *answer, const karp_decision *pass, const karp_settlement *drift)
{
    uint32_t method = answer->options->method;
    if (method != KARP_METHOD_ANY && method != KARP_METHOD_DRIFT) drift = NULL; /* it is not asked about */
    base today = { karp_decision_cost_before(pass), "today" };
    int status = failure(answer->options, &answer->input, today, pass, drift, NULL, note_count(answer, pass, NULL));
    bool changes = karp_decision_command_count(pass) > 0;
    return status == EXIT_OK && answer->options->detailed_exitcode && changes ? EXIT_CHANGES : status;
}

int exit_status_of_settled(const cli_answer *answer, const karp_settlement *settlement)
{
    const karp_decision *first = karp_settlement_first(settlement);
    base today = { karp_decision_cost_before(first), "today" };
    int status = failure(answer->options, &answer->input, today, karp_settlement_last(settlement), settlement, NULL,
                         note_count(answer, first, NULL));
    bool changes = karp_settlement_round_count(settlement) > 0;
    return status == EXIT_OK && answer->options->detailed_exitcode && changes ? EXIT_CHANGES : status;
}

int exit_status_of_design(const cli_options *options, const design *first, const design *d)
{
    base than = { first->totals.price, first->name };
    if (!is_about_input(options, &first->input, first->plan)) return EXIT_UNSCHEDULABLE;
    return failure(options, &d->input, than, d->plan, d->settlement, &d->drift,
                   d->input.warning_count + karp_decision_warning_count(d->plan));
}

int exit_status_of_replay(const cli_options *options, const karp_replay_outcome *o)
{
    char text[INCOMPLETE_TEXT];
    bool failed = false;
    if (!gates_are_set(options)) return EXIT_OK;
    incomplete_text((size_t)o->unplanned, (size_t)o->not_understood, text);
    if (text[0] == '\0' && o->pods + o->nodes_most == 0)
        str_append(text, sizeof text, "there was no pod and no node to decide on");
    if (text[0] != '\0') {
        print_problem("--fail-on", text);
        failed = true;
    }
    if (options->fail_on_unschedulable && o->pods_pending > 0) {
        (void)snprintf(text, sizeof text, "%" PRIu64 " %s pending at the end", o->pods_pending,
                       o->pods_pending == 1 ? "pod is" : "pods are");
        print_problem("--fail-on unschedulable", text);
        failed = true;
    }
    failed = notes_fail(options, (size_t)o->notes) || failed;
    if (options->fail_on_cost) {
        failed = cost_is_partial(str(o->licences), (size_t)o->nodes_without_price) || failed;
        failed = exceeds_cost_limit(options, (base){ 0, NULL }, o->cost) != 0 || failed;
    }
    return failed ? EXIT_UNSCHEDULABLE : EXIT_OK;
}
