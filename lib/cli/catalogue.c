/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

static int run(const cli_options *options)
{
    progress_begin("reading");
    karp_catalogue *catalogue = catalogue_read(options);
    progress_end();
    if (catalogue == NULL) {
        return EXIT_ERROR;
    }
    karp_error error;
    karp_error_init(&error, sizeof(error));
    karp_text text = {0};
    karp_write_options write = write_options_of(options, NULL);
    int result = EXIT_ERROR;
    if (karp_write_catalogue(options->context, catalogue, &write, &text, &error) != KARP_OK) {
        print_error(&error);
    } else if (print_text(&text)) {
        result = EXIT_OK;
    }
    karp_catalogue_unref(catalogue);
    return result;
}

const cli_verb verb_catalogue = {
    .name = "catalogue",
    .arguments = "",
    .summary = "the instance types: allocatable amounts, offerings, prices",
    .details = "Lists the types of the files given with --catalogue, or the built-in ones of --region (us-west-2) as an\n"
               "EC2NodeClass makes them. The JSON can be read back with --catalogue.",
    .options = CLI_OPTION_CATALOGUE | CLI_OPTION_TYPES | CLI_OPTION_OUTPUT,
    .formats = 1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT | 1u << KARP_FORMAT_CSV,
    .default_format = KARP_FORMAT_TEXT,
    .run = run,
};
