/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

static karp_status answer_catalogue(cli_answer *answer, void *catalogue, int *result)
{
    (void)result;
    return karp_write_catalogue(answer->options->context, catalogue, &answer->write, &answer->text, &answer->error);
}

static bool read_nodes(const cli_options *options, karp_reader *reader, karp_error *error)
{
    for (size_t i = 0; i < options->files.count; i++) {
        if (karp_reader_add_path(reader, options->files.items[i], error) != KARP_OK) return false;
    }
    for (size_t i = 0; i < options->prices.count; i++) {
        if (karp_reader_add_prices_path(reader, options->prices.items[i], error) != KARP_OK) return false;
    }
    return true;
}

/* --from-nodes */
static karp_catalogue *survey(const cli_options *options)
{
    karp_catalogue *catalogue = NULL;
    karp_error error = { .size = sizeof error };
    karp_reader *reader = provider_reader(options);
    if (reader == NULL) return NULL;
    if (!read_nodes(options, reader, &error) || karp_reader_nodes_catalogue(reader, &catalogue, &error) != KARP_OK)
        print_error(&error);
    for (size_t i = 0; catalogue != NULL && i < karp_reader_warning_count(reader); i++)
        print_note(karp_reader_warning(reader, i));
    karp_reader_free(reader);
    return catalogue;
}

static int run_catalogue(const cli_options *options)
{
    if (options->from_nodes && (options->files.count == 0 || options->catalogues.count > 0 || options->export_facts)) {
        print_problem("--from-nodes", "give the nodes with -f, as in: kubectl get nodes -o yaml | karp catalogue "
                                      "--from-nodes -f - -o json; --catalogue and --export-facts do not go with it");
        return EXIT_ERROR;
    }
    if (options->prices.count > 0 && !options->from_nodes) {
        print_problem("--prices", "goes with --from-nodes; other catalogues get prices when they are used");
        return EXIT_ERROR;
    }
    if (options->export_facts && options->catalogues.count + options->files.count > 0)
        return problem_of_use("--export-facts",
                              "facts are the provider's: neither --catalogue nor a node class changes them");
    if (options->export_facts) return facts_export(options);
    progress_begin("reading");
    karp_catalogue *catalogue = options->from_nodes ? survey(options) : catalogue_read(options);
    progress_end();
    int result = catalogue == NULL ? EXIT_ERROR : answer_without_input(options, answer_catalogue, catalogue);
    karp_catalogue_unref(catalogue);
    return result;
}

const cli_verb verb_catalogue = {
    .name = "catalogue",
    .arguments = "",
    .summary = "the instance types: allocatable amounts, offerings, prices",
    .details =
        "Lists the types of the files given with --catalogue, or those that the provider (default: aws) has in\n"
        "--region for a node class. --catalogue can read the JSON back; --facts can read what --export-facts writes.\n"
        "--from-nodes makes a first catalogue of the types that a cluster's nodes have.",
    .options = CLI_OPTION_CATALOGUE | CLI_OPTION_TYPES | CLI_OPTION_OUTPUT,
    .formats = 1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT | 1u << KARP_FORMAT_CSV,
    .default_format = KARP_FORMAT_TEXT,
    .run = run_catalogue,
};
