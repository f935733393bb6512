/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

static int give(cli_answer *answer, cli_make *make, void *own)
{
    int result = EXIT_OK;
    karp_error_init(&answer->error, sizeof(answer->error));
    answer->write = write_options_of(answer->options, answer->input.reader == NULL ? NULL : &answer->input);
    karp_status status = make(answer, own, &result);
    if (status == KARP_E_NOT_FOUND && answer->subject != NULL) {
        print_problem(answer->subject, answer->error.message);
    } else if (status != KARP_OK) {
        print_error(&answer->error);
    }
    if (status != KARP_OK) {
        karp_text_free(&answer->text);
        return EXIT_ERROR;
    }
    return print_text(&answer->text) ? result : EXIT_ERROR;
}

int answer_without_input(const cli_options *options, cli_make *make, void *own)
{
    cli_answer answer = { .options = options };
    return give(&answer, make, own);
}

int answer_input(const cli_options *options, bool keep_documents, bool notes_apart, cli_make *make, void *own)
{
    cli_answer answer = { .options = options };
    if (!input_read(options, keep_documents, &answer.input)) {
        return EXIT_ERROR;
    }
    if (notes_apart) {
        print_warnings(&answer.input);
    }
    int result = give(&answer, make, own);
    input_free(options, &answer.input);
    return result;
}

/* Whether some pod waits that Karpenter is meant to start a node for, and starts none. */
static bool some_pod_left(const karp_decision *plan)
{
    if (karp_decision_unschedulable_count(plan) > 0) {
        return true;
    }
    for (size_t i = 0; i < karp_decision_ignored_count(plan); i++) {
        karp_ignored pod = { .size = sizeof(pod) };
        if (karp_decision_ignored(plan, i, &pod) == KARP_OK && pod.code != KARP_REASON_NOT_FOR_KARPENTER) {
            return true;
        }
    }
    return false;
}

int exit_status_of_plan(const cli_options *options, const karp_decision *plan, const karp_decision *disruption)
{
    if (options->fail_on_unschedulable && some_pod_left(plan)) {
        return EXIT_UNSCHEDULABLE;
    }
    bool changes = karp_decision_launch_count(plan) > 0 ||
                   (disruption != NULL && karp_decision_command_count(disruption) > 0);
    return options->detailed_exitcode && changes ? EXIT_CHANGES : EXIT_OK;
}
