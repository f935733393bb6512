/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

static karp_status decide(cli_answer *answer, karp_decision **plan, karp_decision **disruption)
{
    karp_options common = decision_options(answer->options);
    progress_begin("planning");
    karp_status status = karp_provision(answer->input.snapshot, &common, plan, &answer->error);
    if (status == KARP_OK && answer->options->disrupt) {
        karp_disrupt_options disrupt;
        karp_disrupt_options_init(&disrupt, sizeof(disrupt));
        disrupt.common = &common;
        status = karp_disrupt(answer->input.snapshot, &disrupt, disruption, &answer->error);
    }
    progress_end();
    return status;
}

static karp_status make(cli_answer *answer, void *own, int *result)
{
    (void)own;
    karp_decision *plan = NULL;
    karp_decision *disruption = NULL;
    karp_status status = decide(answer, &plan, &disruption);
    if (status == KARP_OK) {
        status = karp_write_plan(answer->options->context, plan, disruption, &answer->write, &answer->text,
                                 &answer->error);
        *result = exit_status_of_plan(answer, plan, disruption);
    }
    karp_decision_unref(disruption);
    karp_decision_unref(plan);
    return status;
}

static int run(const cli_options *options)
{
    bool records = options->format == KARP_FORMAT_YAML || options->format == KARP_FORMAT_JSON_LOG;
    return answer_input(options, !records, records, make, NULL);
}

const cli_verb verb_plan = {
    .name = "plan",
    .arguments = "[FILE...]",
    .summary = "which nodes to launch, for which pods, and why not",
    .details = "Reads pods, nodes, NodePools and whatever else bears on the decision, and says which nodes Karpenter\n"
               "would launch, which pods go to nodes that exist, and why the others fit nowhere.",
    .options = CLI_OPTION_INPUT | CLI_OPTION_CATALOGUE | CLI_OPTION_DECISION | CLI_OPTION_OBJECTIVE |
               CLI_OPTION_OUTPUT | CLI_OPTION_EXIT | CLI_OPTION_FAIL_ON | CLI_OPTION_DISRUPT,
    .formats = 1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT | 1u << KARP_FORMAT_YAML | 1u << KARP_FORMAT_JSON_LOG |
               1u << KARP_FORMAT_HTML,
    .default_format = KARP_FORMAT_TEXT,
    .run = run,
};
