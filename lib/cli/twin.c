/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include <karp/recording.h>

static karp_status answer_twin(cli_answer *answer, void *own, int *result)
{
    size_t differences = 0;
    karp_status status = karp_twin(answer->options->context, own, &answer->write, &answer->text, &differences,
                                   &answer->error);
    if (status == KARP_OK && differences > 0 && answer->options->detailed_exitcode) *result = EXIT_CHANGES;
    return status;
}

static int print_twin(karp_replay_options *replay, void *own) { return answer_without_input(own, answer_twin, replay); }

static int run_twin(const cli_options *options)
{
    cli_options all = *options;
    return replay_of(options, &options->files, &options->pools, print_twin, &all);
}

const cli_verb verb_twin = {
    .name = "twin",
    .arguments = "RECORDING...",
    .summary = "whether Karpenter decided in a recording as it is predicted",
    .details =
        "Compares every launch and every disruption in a recording of karp record with the decision that is made for\n"
        "the recorded cluster just before it. Shows the first one that differs, and what may explain it.",
    .options = CLI_OPTION_PARTS | CLI_OPTION_CATALOGUE | CLI_OPTION_DECISION | CLI_OPTION_GATES | CLI_OPTION_OUTPUT |
               CLI_OPTION_EXIT,
    .formats = 1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT,
    .default_format = KARP_FORMAT_TEXT,
    .run = run_twin,
};
