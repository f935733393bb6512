/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

static karp_status make(cli_answer *answer, void *own, int *result)
{
    (void)own;
    const cli_options *options = answer->options;
    karp_decision *decision = NULL;
    karp_disrupt_options disrupt;
    karp_disrupt_options_init(&disrupt, sizeof(disrupt));
    disrupt.common = decision_options(options);
    disrupt.method = options->method != KARP_METHOD_ANY ? options->method : karp_reader_method(answer->input.reader);
    disrupt.max_simulations = options->max_simulations;
    progress_begin("simulating");
    karp_status status = karp_disrupt(answer->input.snapshot, &disrupt, &decision, &answer->error);
    progress_end();
    if (status == KARP_OK) {
        status = karp_write_disruption(options->context, decision, &answer->write, &answer->text, &answer->error);
        bool changes = karp_decision_command_count(decision) > 0;
        *result = options->detailed_exitcode && changes ? EXIT_CHANGES : EXIT_OK;
    }
    karp_decision_unref(decision);
    return status;
}

static int run(const cli_options *options) { return answer_input(options, true, false, make, NULL); }

const cli_verb verb_disrupt = {
    .name = "disrupt",
    .arguments = "[FILE...]",
    .summary = "which nodes may go, what replaces them, and why the others stay",
    .details = "Makes one disruption pass: emptiness, drift, consolidation, in Karpenter's order; the first method\n"
               "that finds something answers. With --method (or state.method of a Snapshot) only that one is asked.",
    .options = CLI_OPTION_INPUT | CLI_OPTION_CATALOGUE | CLI_OPTION_DECISION | CLI_OPTION_OUTPUT | CLI_OPTION_EXIT |
               CLI_OPTION_METHOD,
    .formats = 1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT,
    .default_format = KARP_FORMAT_TEXT,
    .run = run,
};
