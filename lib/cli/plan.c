/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

static int exit_status(const cli_options *options, const karp_decision *plan, const karp_decision *disruption)
{
    if (options->fail_on_unschedulable && karp_decision_unschedulable_count(plan) > 0) {
        return EXIT_UNSCHEDULABLE;
    }
    bool changes = karp_decision_launch_count(plan) > 0 ||
                   (disruption != NULL && karp_decision_command_count(disruption) > 0);
    return options->detailed_exitcode && changes ? EXIT_CHANGES : EXIT_OK;
}

static karp_status decide(const cli_options *options, const cli_input *input, karp_decision **plan,
                          karp_decision **disruption, karp_error *error)
{
    karp_options common = decision_options(options);
    progress_begin("planning");
    karp_status status = karp_provision(input->snapshot, &common, plan, error);
    if (status == KARP_OK && options->disrupt) {
        karp_disrupt_options disrupt;
        karp_disrupt_options_init(&disrupt, sizeof(disrupt));
        disrupt.common = common;
        status = karp_disrupt(input->snapshot, &disrupt, disruption, error);
    }
    progress_end();
    return status;
}

static int run(const cli_options *options)
{
    cli_input input;
    bool records = options->format == KARP_FORMAT_YAML || options->format == KARP_FORMAT_JSON_LOG;
    if (!input_read(options, !records, &input)) {
        return EXIT_ERROR;
    }
    if (records) {
        print_warnings(&input);
    }
    karp_error error;
    karp_error_init(&error, sizeof(error));
    karp_decision *plan = NULL;
    karp_decision *disruption = NULL;
    karp_text text = {0};
    int result = EXIT_ERROR;
    karp_write_options write = write_options_of(options, &input);
    if (decide(options, &input, &plan, &disruption, &error) != KARP_OK ||
        karp_write_plan(options->context, plan, disruption, &write, &text, &error) != KARP_OK) {
        print_error(&error);
    } else if (print_text(&text)) {
        result = exit_status(options, plan, disruption);
    }
    karp_decision_unref(disruption);
    karp_decision_unref(plan);
    input_free(options, &input);
    return result;
}

const cli_verb verb_plan = {
    .name = "plan",
    .arguments = "[FILE...]",
    .summary = "which nodes to launch, for which pods, and why not",
    .details = "Reads pods, nodes, NodePools and whatever else bears on the decision, and says which nodes Karpenter\n"
               "would launch, which pods go to nodes that exist, and why the others fit nowhere.",
    .options = CLI_OPTION_INPUT | CLI_OPTION_CATALOGUE | CLI_OPTION_DECISION | CLI_OPTION_OUTPUT | CLI_OPTION_EXIT |
               CLI_OPTION_FAIL_ON | CLI_OPTION_DISRUPT,
    .formats = 1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT | 1u << KARP_FORMAT_YAML | 1u << KARP_FORMAT_JSON_LOG,
    .default_format = KARP_FORMAT_TEXT,
    .run = run,
};
