/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

static karp_status verify(const cli_options *options, const cli_input *input, karp_verification **found, karp_error *error)
{
    karp_plan_document *document = NULL;
    karp_status status = karp_plan_read_file(options->context, options->words.items[0], &document, error);
    if (status == KARP_OK) {
        progress_begin("checking");
        status = karp_verify(input->snapshot, karp_plan_document_plan(document), found, error);
        progress_end();
    }
    karp_plan_document_free(document);
    return status;
}

static int run(const cli_options *options)
{
    cli_input input;
    if (!input_read(options, false, &input)) {
        return EXIT_ERROR;
    }
    print_warnings(&input);
    karp_error error;
    karp_error_init(&error, sizeof(error));
    karp_verification *found = NULL;
    karp_text text = {0};
    int result = EXIT_ERROR;
    karp_write_options write = write_options_of(options, &input);
    if (verify(options, &input, &found, &error) != KARP_OK ||
        karp_write_verification(options->context, found, &write, &text, &error) != KARP_OK) {
        print_error(&error);
    } else if (print_text(&text) && karp_verification_count(found) == 0) {
        result = EXIT_OK;
    }
    karp_verification_free(found);
    input_free(options, &input);
    return result;
}

const cli_verb verb_verify = {
    .name = "verify",
    .arguments = "PLAN.json [FILE...]",
    .summary = "whether a plan keeps every constraint of the pods it places",
    .details = "Replays a Plan, of karp or of anything else, on the input it was made for, by a checker that shares no code\n"
               "with the scheduler, and lists what it violates; the exit status is 1 then.",
    .word_count = 1,
    .options = CLI_OPTION_INPUT | CLI_OPTION_CATALOGUE | CLI_OPTION_OUTPUT,
    .formats = 1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT,
    .default_format = KARP_FORMAT_JSON,
    .run = run,
};
