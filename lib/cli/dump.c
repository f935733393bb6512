/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

static int run(const cli_options *options)
{
    cli_input input;
    if (!input_read(options, true, &input)) {
        return EXIT_ERROR;
    }
    karp_error error;
    karp_error_init(&error, sizeof(error));
    karp_text text = {0};
    int result = EXIT_ERROR;
    print_warnings(&input);
    if (karp_reader_dump(input.reader, &text, &error) != KARP_OK) {
        print_error(&error);
    } else if (print_text(&text)) {
        result = EXIT_OK;
    }
    input_free(options, &input);
    return result;
}

const cli_verb verb_dump = {
    .name = "dump",
    .arguments = "[FILE...]",
    .summary = "the whole input of a decision as one Snapshot",
    .details = "Writes what was read, with everything that was filled in, as one canonical Snapshot (JSON): the same\n"
               "for every order of the same objects, and by itself enough to repeat the decision elsewhere.",
    .options = CLI_OPTION_INPUT | CLI_OPTION_CATALOGUE,
    .run = run,
};
