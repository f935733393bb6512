/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

static karp_status answer_repack(cli_answer *answer, void *own, int *result)
{
    (void)own;
    const cli_options *options = answer->options;
    karp_decision *decision = NULL;
    karp_options common = decision_options(options);
    karp_repack_options repack = options->repack;
    common.objective = &options->objective;
    repack.common = &common;
    repack.certificate = options->certificate != NULL;
    show_deadline(&common);
    progress_begin("planning");
    karp_status status = karp_repack(answer->input.snapshot, &repack, &decision, &answer->error);
    progress_end();
    if (status == KARP_OK)
        status = write_proof(answer, decision, "no node can be removed, or there are too many nodes and kinds of pods");
    if (status == KARP_OK) {
        status = karp_write_repack(options->context, decision, &answer->write, &answer->text, &answer->error);
        bool changes = karp_decision_command_count(decision) > 0;
        *result = options->detailed_exitcode && changes ? EXIT_CHANGES : EXIT_OK;
    }
    karp_decision_unref(decision);
    return status;
}

static int run_repack(const cli_options *options)
{
    return answer_input(options, true, options->format == KARP_FORMAT_YAML, answer_repack, NULL);
}

const cli_verb verb_repack = {
    .name = "repack",
    .arguments = "[FILE...]",
    .summary = "a cheaper cluster for the same pods, step by step",
    .details =
        "Finds a cheaper cluster for the same pods: which nodes to replace by which, in steps that each leave a\n"
        "feasible, cheaper cluster. Only nodes that consolidation may disrupt are removed. The curve shows how much\n"
        "each number of evictions would save.",
    .options = CLI_OPTION_INPUT | CLI_OPTION_CATALOGUE | CLI_OPTION_REPACK | CLI_OPTION_CERTIFICATE |
               CLI_OPTION_OUTPUT | CLI_OPTION_EXIT,
    .formats = 1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT | 1u << KARP_FORMAT_YAML | 1u << KARP_FORMAT_HTML,
    .default_format = KARP_FORMAT_TEXT,
    .run = run_repack,
};
