/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include <karp/library.h>
#include <karp/recording.h>

typedef struct comparing {
    karp_replay_options options;
    size_t differences;
} comparing;

static karp_status answer_twin(cli_answer *answer, void *own, int *result)
{
    comparing *c = own;
    karp_status status = karp_twin(answer->options->context, &c->options, &answer->write, &answer->text,
                                   &c->differences, &answer->error);
    if (status == KARP_OK && c->differences > 0 && answer->options->detailed_exitcode) *result = EXIT_CHANGES;
    return status;
}

static int compare(const cli_options *options, comparing *c, karp_replay_document *parts)
{
    cli_options of_types = *options; /* here the files would be node classes */
    bool named = options->catalogues.count > 0 || options->region != NULL || options->provider != NULL;
    of_types.files.count = 0;
    for (size_t i = 0; i < options->files.count; i++)
        parts[i] = (karp_replay_document){ .name = str(options->files.items[i]) };
    c->options.traces = parts;
    c->options.trace_count = options->files.count;
    c->options.catalogue = named ? catalogue_read(&of_types) : NULL;
    if (named && c->options.catalogue == NULL) return EXIT_ERROR;
    int result = answer_without_input(options, answer_twin, c);
    karp_catalogue_unref(c->options.catalogue);
    return result;
}

static int run_twin(const cli_options *options)
{
    comparing c = { .differences = 0 };
    karp_options decision = decision_options(options);
    size_t bytes = (options->files.count + 1) * sizeof(karp_replay_document);
    karp_replay_document *parts = karp_alloc(options->context, bytes);
    karp_replay_options_init(&c.options, sizeof c.options);
    c.options.decision = &decision;
    if (options->region != NULL) c.options.region = str(options->region);
    if (options->feature_gates != NULL) c.options.feature_gates = str(options->feature_gates);
    int result = EXIT_ERROR;
    if (parts == NULL) print_problem(NULL, "out of memory");
    else result = compare(options, &c, parts);
    karp_free(options->context, parts, bytes);
    return result;
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
