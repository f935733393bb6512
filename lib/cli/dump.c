/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

static karp_status answer_dump(cli_answer *answer, void *own, int *result)
{
    (void)own;
    (void)result;
    return karp_reader_dump(answer->input.reader, &answer->text, &answer->error);
}

static int run_dump(const cli_options *options) { return answer_input(options, true, true, answer_dump, NULL); }

const cli_verb verb_dump = {
    .name = "dump",
    .arguments = "[FILE...]",
    .summary = "the whole input of a decision as one Snapshot",
    .details = "Writes what was read, with all defaults added, as one canonical Snapshot (JSON): the same for any\n"
               "order of the same objects, and by itself enough to repeat the decision elsewhere.",
    .options = CLI_OPTION_INPUT | CLI_OPTION_CATALOGUE,
    .run = run_dump,
};
