/* SPDX-License-Identifier: Apache-2.0 */
#include "hooks.h"

#include <stdio.h>
#include <string.h>

#include <karp/library.h>

/* Names of the nodes that the plan gives pods: Karpenter nominates them, and does not disrupt them in the same time.
 * NULL = out of memory. */
static karp_str *nominated_nodes(karp_context *context, const karp_decision *plan, size_t *count)
{
    *count = karp_decision_placement_count(plan);
    karp_str *names = karp_alloc(context, (*count + 1) * sizeof *names);
    for (size_t i = 0; names != NULL && i < *count; i++) {
        karp_placement row = { .size = sizeof row };
        names[i] = karp_decision_placement(plan, i, &row) == KARP_OK ? row.node : str("");
    }
    return names;
}

static karp_status decide_disruption(cli_answer *answer, const karp_options *common, const karp_decision *plan,
                                     karp_decision **out)
{
    karp_disrupt_options options;
    karp_disrupt_options_init(&options, sizeof(options));
    options.common = common;
    karp_str *names = nominated_nodes(answer->options->context, plan, &options.nominated_count);
    if (names == NULL) return fail_nomem(&answer->error);
    options.nominated = names;
    karp_status status = karp_disrupt(answer->input.snapshot, &options, out, &answer->error);
    karp_free(answer->options->context, names, (options.nominated_count + 1) * sizeof *names);
    return status;
}

static karp_status decide(cli_answer *answer, karp_decision **plan, karp_decision **disruption)
{
    karp_options common = decision_options(answer->options);
    show_deadline(&common);
    progress_begin("planning");
    karp_status status = karp_provision(answer->input.snapshot, &common, plan, &answer->error);
    if (status == KARP_OK && answer->options->disrupt) status = decide_disruption(answer, &common, *plan, disruption);
    progress_end();
    return status;
}

/* Counts the pods that a limit rejects while the same round launches nodes: towards the limit a launch counts as its
 * largest possible type. */
/* Whether a launch may turn out to be of a smaller type than the largest, as which limits count it. */
static bool some_launch_may_shrink(const karp_decision *plan)
{
    for (size_t i = 0; i < karp_decision_launch_count(plan); i++) {
        karp_launch launch = { .size = sizeof(launch) };
        if (karp_decision_launch(plan, i, &launch) == KARP_OK && launch.instance_type_count > 1) return true;
    }
    return false;
}

static size_t limited_pods(const karp_decision *plan)
{
    size_t count = 0;
    if (!some_launch_may_shrink(plan)) return 0;
    for (size_t i = 0; i < karp_decision_unschedulable_count(plan) && karp_decision_launch_count(plan) > 0; i++) {
        karp_unschedulable pod = { .size = sizeof(pod) };
        bool limited = false;
        if (karp_decision_unschedulable(plan, i, &pod) != KARP_OK) continue;
        for (size_t k = 0; k < pod.pool_count; k++) limited = limited || pod.pools[k].code == KARP_REASON_LIMITS;
        count += limited;
    }
    return count;
}

static void note_limits(size_t pods, char *text, size_t room)
{
    (void)snprintf(text, room,
                   "%zu %s beyond the limits of NodePools in this round, which counts a launch as its largest possible "
                   "type; the next round, when the types are known, may place %s (karp plan --settle plays the rounds)",
                   pods, pods == 1 ? "pod is" : "pods are", pods == 1 ? "it" : "them");
}

karp_status write_proof(cli_answer *answer, const karp_decision *plan, const char *none)
{
    const cli_options *options = answer->options;
    const karp_certificate *proof = karp_decision_certificate(plan);
    if (options->certificate == NULL) return KARP_OK;
    if (proof == NULL) return fail(&answer->error, KARP_E_INVALID, "--certificate: the plan has no bound; %s", none);
    karp_text text = { 0 };
    karp_write_options write = answer->write;
    write.format = KARP_FORMAT_JSON;
    write.digest = karp_reader_digest(answer->input.reader);
    karp_status status = karp_write_certificate(options->context, proof, &write, &text, &answer->error);
    if (status == KARP_OK) status = text_file_replace(options->context, options->certificate, &text, &answer->error);
    karp_text_free(&text);
    return status;
}

karp_status find_preferences(cli_answer *answer, const karp_decision *plan, karp_str pod, karp_preferences **out)
{
    bool shown = answer->write.format == KARP_FORMAT_TEXT || answer->write.format == KARP_FORMAT_JSON;
    if (!shown || karp_decision_preference_count(plan) == 0) return KARP_OK;
    karp_options common = decision_options(answer->options);
    return karp_preferences_of(plan, &common, pod, out, &answer->error);
}

static karp_status answer_plan(cli_answer *answer, void *own, int *result)
{
    (void)own;
    karp_decision *plan = NULL;
    karp_decision *disruption = NULL;
    karp_status status = decide(answer, &plan, &disruption);
    char text[300];
    size_t limited = status == KARP_OK ? limited_pods(plan) : 0;
    if (limited > 0) {
        note_limits(limited, text, sizeof(text));
        status = answer_note(answer, text);
    }
    karp_settlement *settlement = NULL;
    karp_drift drift = { .size = sizeof drift };
    if (status == KARP_OK)
        status = drift_course(answer->options, answer->input.snapshot, &drift, &settlement, &answer->error);
    answer->write.drift = &drift;
    if (status == KARP_OK && settlement == NULL)
        status = settle_launches(answer->options, answer->input.snapshot, plan, &settlement, &answer->error);
    answer->write.settlement = settlement;
    karp_preferences *preferences = NULL;
    if (status == KARP_OK) status = find_preferences(answer, plan, str(""), &preferences);
    answer->write.preferences = preferences;
    hook_rounds hooks = { .count = 0 };
    if (status == KARP_OK) status = hook_rounds_answer(answer, NULL, 0, &hooks);
    if (status == KARP_OK) status = write_proof(answer, plan, "it needs --objective cost");
    if (status == KARP_OK) {
        status = karp_write_plan(answer->options->context, plan, disruption, &answer->write, &answer->text,
                                 &answer->error);
        *result = exit_status_of_plan(answer, plan, disruption);
        if (answer->options->fail_on_unschedulable && hook_rounds_fail(&hooks)) *result = EXIT_UNSCHEDULABLE;
    }
    hook_rounds_free(answer->options, &hooks);
    karp_settlement_free(settlement);
    karp_preferences_free(preferences);
    karp_decision_unref(disruption);
    karp_decision_unref(plan);
    return status;
}

static int run_plan(const cli_options *options)
{
    cli_options own = *options;
    own.rounds_of_hooks = options->hooks == NULL;
    if (options->settle) return settle(&own);
    bool records = options->format == KARP_FORMAT_YAML || options->format == KARP_FORMAT_JSON_LOG;
    return answer_input(&own, !records || options->certificate != NULL, records, answer_plan, NULL);
}

const cli_verb verb_plan = {
    .name = "plan",
    .arguments = "[FILE...]",
    .summary = "which nodes to launch for pending pods, and why some pods are unschedulable",
    .details = "Reads pods, nodes, NodePools and other objects that affect scheduling, and says which nodes Karpenter\n"
               "would launch, which pods go to existing nodes, and why the others are unschedulable.",
    .options = CLI_OPTION_INPUT | CLI_OPTION_CATALOGUE | CLI_OPTION_DECISION | CLI_OPTION_OBJECTIVE |
               CLI_OPTION_CERTIFICATE | CLI_OPTION_OUTPUT | CLI_OPTION_EXIT | CLI_OPTION_FAIL_ON | CLI_OPTION_DISRUPT |
               CLI_OPTION_ROUNDS,
    .formats = 1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT | 1u << KARP_FORMAT_YAML | 1u << KARP_FORMAT_JSON_LOG |
               1u << KARP_FORMAT_HTML | 1u << KARP_FORMAT_MARKDOWN | 1u << KARP_FORMAT_CSV |
               1u << KARP_FORMAT_PROMETHEUS,
    .default_format = KARP_FORMAT_TEXT,
    .run = run_plan,
};
