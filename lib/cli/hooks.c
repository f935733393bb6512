/* SPDX-License-Identifier: Apache-2.0 */
#include "hooks.h"

#include <string.h>

#include <karp/inspect.h>

/* One word of karp_reader_hooks(). */
static karp_status plan_round(const cli_options *options, const cli_input *input, const karp_change *changes,
                              size_t change_count, karp_str word, hook_rounds *rounds, karp_error *error)
{
    size_t at = rounds->count++;
    char phase[40] = "";
    karp_str first = str_before(word, ',');
    str_shorten(phase, sizeof phase, first.len > 0 ? first : word);
    str_append(rounds->phases[at], sizeof rounds->phases[at], "%s%s", phase, first.len > 0 ? ", pre-upgrade" : "");
    cli_options own = *options;
    own.hooks = phase;
    own.verbose = false;
    own.kept = &input->kept;
    if (!input_read(&own, false, &rounds->inputs[at]))
        return fail(error, KARP_E_INVALID, "the round of %s cannot be planned", rounds->phases[at]);
    karp_options common = decision_options(&own);
    const karp_snapshot *snapshot = rounds->inputs[at].snapshot;
    karp_decision **plan = &rounds->plans[at];
    karp_status status = change_count > 0 ? what_if(&own, snapshot, changes, change_count, &common, plan, error)
                                          : karp_provision(snapshot, &common, plan, error);
    rounds->rows[at] = (karp_hook_round){ str(rounds->phases[at]), rounds->plans[at] };
    return status;
}

/* Only what -f names is kept for another reading. */
static bool reads_once(const cli_options *options)
{
    const cli_list *const lists[] = { &options->prices, &options->replaced, &options->catalogues, &options->files };
    bool once = false;
    for (size_t l = 0; l < sizeof lists / sizeof *lists - options->rounds_of_hooks; l++) {
        for (size_t i = 0; i < lists[l]->count; i++) once = once || text_file_is_stream(lists[l]->items[i]);
    }
    return once;
}

karp_status hook_rounds_plan(const cli_options *options, const cli_input *input, const karp_change *changes,
                             size_t change_count, hook_rounds *rounds, karp_error *error)
{
    karp_str words = karp_reader_hooks(input->reader);
    karp_status status = KARP_OK;
    if (words.len > 0 && reads_once(options)) {
        print_note(str("Helm's hooks before the release are not planned, as --prices, --replace, --catalogue or -f "
                       "names what can be read only once: write it to a file"));
        return KARP_OK;
    }
    while (words.len > 0 && rounds->count < HOOK_ROUNDS && status == KARP_OK)
        status = plan_round(options, input, changes, change_count, str_until(&words, ' '), rounds, error);
    return status;
}

karp_status hook_rounds_answer(cli_answer *answer, const karp_change *changes, size_t change_count, hook_rounds *rounds)
{
    karp_status status = hook_rounds_plan(answer->options, &answer->input, changes, change_count, rounds,
                                          &answer->error);
    answer->write.hook_rounds = rounds->rows;
    answer->write.hook_round_count = rounds->count;
    return status;
}

void hook_rounds_free(const cli_options *options, hook_rounds *rounds)
{
    for (size_t i = 0; i < rounds->count; i++) {
        karp_decision_unref(rounds->plans[i]);
        input_free(options, &rounds->inputs[i]);
    }
    rounds->count = 0;
}

/* "pre-install: 1 node to launch, $0.0208/h until the pods have ended". */
static void describe(const hook_rounds *rounds, size_t number, char *out, size_t room)
{
    const karp_decision *plan = rounds->plans[number];
    size_t nodes = karp_decision_launch_count(plan), left = karp_decision_unschedulable_count(plan);
    char cost[MONEY_TEXT];
    (void)money_rate(karp_decision_cost_after(plan) - karp_decision_cost_before(plan), false, cost);
    str_append(out, room, "%s: %zu %s to launch, %s until the pods have ended", rounds->phases[number], nodes,
               nodes == 1 ? "node" : "nodes", cost);
    if (left > 0) str_append(out, room, "; %zu %s no node", left, left == 1 ? "pod gets" : "pods get");
}

void hook_rounds_note(const char *side, const hook_rounds *rounds)
{
    for (size_t i = 0; i < rounds->count; i++) {
        char text[300] = "";
        str_append(text, sizeof text, "%.100s: before the release, Helm's hooks of ", side);
        describe(rounds, i, text, sizeof text);
        print_note(str(text));
    }
}

void hook_rounds_write(cli_writer *w, const hook_rounds *rounds)
{
    if (rounds->count == 0) return;
    cli_put_format(w, "\n%sBefore the release, Helm's hooks\n%s", w->markdown ? "## " : "", w->markdown ? "\n" : "");
    for (size_t i = 0; i < rounds->count; i++) {
        char text[200] = "";
        describe(rounds, i, text, sizeof text);
        cli_put_format(w, "%s%s", w->markdown ? "- " : "  ", text);
        cli_put_text(w, "\n");
    }
}

bool hook_rounds_fail(const hook_rounds *rounds)
{
    for (size_t i = 0; i < rounds->count; i++) {
        if (!some_pod_left(rounds->plans[i])) continue;
        print_problem("--fail-on unschedulable", "a pod of a Helm hook gets no node");
        return true;
    }
    return false;
}
