/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

static karp_status make(cli_answer *answer, void *catalogue, int *result)
{
    (void)result;
    return karp_write_catalogue(answer->options->context, catalogue, &answer->write, &answer->text, &answer->error);
}

static int run(const cli_options *options)
{
    if (options->export_facts && options->catalogues.count + options->files.count > 0) {
        print_problem("--export-facts", "facts are the provider's: neither --catalogue nor a node class changes them");
        return EXIT_ERROR;
    }
    if (options->export_facts) return facts_export(options);
    progress_begin("reading");
    karp_catalogue *catalogue = catalogue_read(options);
    progress_end();
    int result = catalogue == NULL ? EXIT_ERROR : answer_without_input(options, make, catalogue);
    karp_catalogue_unref(catalogue);
    return result;
}

const cli_verb verb_catalogue = {
    .name = "catalogue",
    .arguments = "",
    .summary = "the instance types: allocatable amounts, offerings, prices",
    .details =
        "Lists the types of the files given with --catalogue, or those that the provider (default: aws) has in\n"
        "--region for a node class. --catalogue can read the JSON back; --facts can read what --export-facts writes.",
    .options = CLI_OPTION_CATALOGUE | CLI_OPTION_TYPES | CLI_OPTION_OUTPUT,
    .formats = 1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT | 1u << KARP_FORMAT_CSV,
    .default_format = KARP_FORMAT_TEXT,
    .run = run,
};
