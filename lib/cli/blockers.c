/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

static karp_status answer_blockers(cli_answer *answer, void *own, int *result)
{
    (void)own;
    (void)result;
    karp_blockers *found = NULL;
    karp_options common = decision_options(answer->options);
    karp_disrupt_options options;
    karp_disrupt_options_init(&options, sizeof(options));
    options.common = &common;
    progress_begin("trying without each blocker");
    karp_status status = karp_find_blockers(answer->input.snapshot, &options, &found, &answer->error);
    progress_end();
    karp_table *nodes = NULL;
    if (status == KARP_OK)
        status = karp_snapshot_table(answer->input.snapshot, KARP_TABLE_SNAPSHOT_NODES, &nodes, &answer->error);
    if (status == KARP_OK && karp_table_row_count(nodes) == 0)
        print_note(str("the input has no nodes, so nothing keeps any; kubectl get nodes,nodeclaims,pods -A -o yaml "
                       "prints them"));
    karp_table_free(nodes);
    if (status == KARP_OK)
        status = karp_write_blockers(answer->options->context, found, &answer->write, &answer->text, &answer->error);
    karp_blockers_free(found);
    if (status == KARP_OK && answer->options->format == KARP_FORMAT_TEXT && !print_made_by(answer, "blockers"))
        status = answer->error.status = KARP_E_NOMEM;
    return status;
}

static int run_blockers(const cli_options *options)
{
    return answer_input(options, false, true, answer_blockers, NULL);
}

const cli_verb verb_blockers = {
    .name = "blockers",
    .arguments = "[FILE...]",
    .summary = "what keeps nodes from being consolidated, and what it costs",
    .details = "Lists PodDisruptionBudgets, annotations, disruption budgets, consolidateAfter, policies, the gate\n"
               "SpotToSpotConsolidation, limits, topology, and drains that wait for pods, with the nodes that each "
               "blocks and\n"
               "what the next disruption pass would save without it, by itself and all together. Each figure is a "
               "decision made\n"
               "without the blocker.",
    .options = CLI_OPTION_INPUT | CLI_OPTION_CATALOGUE | CLI_OPTION_DECISION | CLI_OPTION_OUTPUT,
    .formats = 1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT | 1u << KARP_FORMAT_MARKDOWN,
    .default_format = KARP_FORMAT_TEXT,
    .run = run_blockers,
};
