/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

static int run(const cli_options *options)
{
    karp_error error;
    karp_error_init(&error, sizeof(error));
    karp_catalogue *catalogue = NULL;
    karp_text text = {0};
    int result = EXIT_ERROR;
    karp_options common = decision_options(options);
    karp_write_options write = write_options_of(options, NULL);
    if (options->catalogues.count > 0 || options->region != NULL) {
        catalogue = catalogue_read(options);
        if (catalogue == NULL) {
            return EXIT_ERROR;
        }
    }
    progress_begin("playing the story");
    karp_status status = karp_story_play(options->context, options->words.items[0], catalogue, &common, &write, &text, &error);
    progress_end();
    if (status != KARP_OK) {
        print_error(&error);
    } else if (print_text(&text)) {
        result = EXIT_OK;
    }
    karp_catalogue_unref(catalogue);
    return result;
}

const cli_verb verb_simulate = {
    .name = "simulate",
    .arguments = "STORY.yaml",
    .summary = "what is decided as a cluster is scaled and time goes by",
    .details = "Plays a story: the documents of a cluster and steps that scale Deployments, let time pass, or expire\n"
               "nodes. Stand-ins bind the pods and start the nodes; what is decided on the way is printed.",
    .word_count = 1,
    .options = CLI_OPTION_CATALOGUE | CLI_OPTION_DECISION | CLI_OPTION_OUTPUT,
    .formats = 1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT,
    .default_format = KARP_FORMAT_TEXT,
    .run = run,
};
