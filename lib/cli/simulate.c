/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

static karp_status answer_simulate(cli_answer *answer, void *catalogue, int *result)
{
    const cli_options *options = answer->options;
    karp_replay_outcome outcome = { .size = sizeof outcome };
    answer->write.outcome = &outcome;
    karp_options common = decision_options(options);
    karp_story_options how;
    karp_story_options_init(&how, sizeof how);
    how.catalogue = catalogue;
    how.feature_gates = str(options->feature_gates);
    how.decision = &common;
    how.ignored_kinds = str(options->ignored_kinds);
    if (!rules_text(options, &how.pods_from)) return KARP_E_NOMEM;
    progress_begin("playing the story");
    karp_status status = karp_story_play_with(options->context, options->words.items[0], &how, &answer->write,
                                              &answer->text, &answer->error);
    progress_end();
    rules_free(options, how.pods_from);
    answer->write.outcome = NULL;
    if (status == KARP_OK) *result = exit_status_of_replay(options, &outcome);
    return status;
}

static int run_simulate(const cli_options *options)
{
    karp_catalogue *catalogue = NULL;
    bool named = options->catalogues.count > 0 || options->region != NULL;
    if (named) catalogue = catalogue_read(options);
    int result = named && catalogue == NULL ? EXIT_ERROR : answer_without_input(options, answer_simulate, catalogue);
    karp_catalogue_unref(catalogue);
    return result;
}

const cli_verb verb_simulate = {
    .name = "simulate",
    .arguments = "STORY.yaml",
    .summary = "a story of a cluster in virtual time: what is decided as it is scaled and time passes",
    .details =
        "Plays a story: the documents of a cluster, and steps that scale Deployments, let time pass, or expire\n"
        "nodes. Pods are bound and nodes become ready in virtual time; each decision is printed, and the total cost.",
    .word_count = 1,
    .options = CLI_OPTION_CATALOGUE | CLI_OPTION_DECISION | CLI_OPTION_GATES | CLI_OPTION_OUTPUT | CLI_OPTION_FAIL_ON,
    .formats = 1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT | 1u << KARP_FORMAT_CSV | 1u << KARP_FORMAT_HTML,
    .default_format = KARP_FORMAT_TEXT,
    .run = run_simulate,
};
