/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include <string.h>

static karp_status explain_pod(const cli_options *options, const cli_input *input, karp_str name,
                               const karp_write_options *write, karp_text *text, karp_error *error)
{
    karp_options common = decision_options(options);
    karp_pod_explanation *explanation = NULL;
    progress_begin("trying changes");
    karp_status status = karp_explain_pod(input->snapshot, &common, name, &explanation, error);
    progress_end();
    if (status == KARP_OK) {
        status = karp_write_pod_explanation(options->context, explanation, write, text, error);
    }
    karp_pod_explanation_free(explanation);
    return status;
}

static karp_status explain_node(const cli_options *options, const cli_input *input, karp_str name,
                                const karp_write_options *write, karp_text *text, karp_error *error)
{
    karp_disrupt_options disrupt;
    karp_node_explanation *explanation = NULL;
    karp_disrupt_options_init(&disrupt, sizeof(disrupt));
    disrupt.common = decision_options(options);
    disrupt.common.explain = KARP_EXPLAIN_FULL;
    disrupt.method = karp_reader_method(input->reader);
    progress_begin("simulating");
    karp_status status = karp_explain_node(input->snapshot, &disrupt, name, &explanation, error);
    progress_end();
    if (status == KARP_OK) {
        status = karp_write_node_explanation(options->context, explanation, write, text, error);
    }
    karp_node_explanation_free(explanation);
    return status;
}

static int run(const cli_options *options)
{
    const char *kind = options->words.items[0];
    const char *name = options->words.items[1];
    bool is_pod = strcmp(kind, "pod") == 0;
    if (!is_pod && strcmp(kind, "node") != 0) {
        print_problem(kind, "only a pod or a node can be explained");
        return EXIT_ERROR;
    }
    cli_input input;
    if (!input_read(options, true, &input)) {
        return EXIT_ERROR;
    }
    karp_error error;
    karp_error_init(&error, sizeof(error));
    karp_text text = {0};
    karp_write_options write = write_options_of(options, &input);
    karp_str subject = {name, strlen(name)};
    karp_status status = is_pod ? explain_pod(options, &input, subject, &write, &text, &error)
                                : explain_node(options, &input, subject, &write, &text, &error);
    int result = EXIT_ERROR;
    if (status == KARP_E_NOT_FOUND) {
        print_problem(name, error.message);
    } else if (status != KARP_OK) {
        print_error(&error);
    } else if (print_text(&text)) {
        result = EXIT_OK;
    }
    input_free(options, &input);
    return result;
}

const cli_verb verb_explain = {
    .name = "explain",
    .arguments = "pod NAMESPACE/NAME | node NAME [FILE...]",
    .summary = "why a pod goes where it goes or nowhere; why a node stays",
    .details = "For a pod: the node it goes to, or what each NodePool says to it, with the number of instance types\n"
               "left after each step, and the smallest change that places it. For a node: the command that takes it\n"
               "away, or everything that keeps it, and what would become of its pods.",
    .word_count = 2,
    .options = CLI_OPTION_INPUT | CLI_OPTION_CATALOGUE | CLI_OPTION_DECISION | CLI_OPTION_OUTPUT,
    .formats = 1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT,
    .default_format = KARP_FORMAT_TEXT,
    .run = run,
};
