/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

static bool fails(const cli_answer *answer, const karp_lint *lint)
{
    uint32_t least = answer->options->lint_fails;
    karp_lint_finding f = { .size = sizeof(f) };
    for (size_t i = 0; karp_lint_at(lint, i, &f) == KARP_OK; i++) {
        if (f.severity + 1 >= least && least > 0) return true;
    }
    if (least > 0 && answer->input.problem_count > 0) return true;
    return least > 0 && least <= KARP_LINT_WARNING + 1 && answer->write.warning_count > 0;
}

static karp_status answer_lint(cli_answer *answer, void *own, int *result)
{
    (void)own;
    karp_lint *lint = NULL;
    karp_status status = karp_lint_snapshot(answer->input.snapshot, &lint, &answer->error);
    if (status == KARP_OK) {
        status = karp_write_lint(answer->options->context, lint, &answer->write, &answer->text, &answer->error);
        *result = fails(answer, lint) ? EXIT_UNSCHEDULABLE : EXIT_OK;
    }
    karp_lint_free(lint);
    return status;
}

static int run_lint(const cli_options *options)
{
    cli_options own = *options;
    own.no_lint_notes = true;
    return answer_input(&own, true, false, answer_lint, NULL);
}

const cli_verb verb_lint = {
    .name = "lint",
    .arguments = "[FILE...]",
    .summary = "mistakes and likely mistakes in NodePools, pods and budgets",
    .details =
        "Checks every NodePool, pod and PodDisruptionBudget by the rules of docs/lint.md, without deciding anything:\n"
        "requirements that no instance type meets, limits below the smallest launch, values and labels that exist\n"
        "nowhere, budgets that never allow a disruption, and others. What karp does not use of the input is reported\n"
        "as input-note.",
    .word_count = 0,
    .options = CLI_OPTION_INPUT | CLI_OPTION_CATALOGUE | CLI_OPTION_OUTPUT | CLI_OPTION_LINT,
    .formats = 1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT | 1u << KARP_FORMAT_MARKDOWN | 1u << KARP_FORMAT_SARIF,
    .default_format = KARP_FORMAT_TEXT,
    .run = run_lint,
};
