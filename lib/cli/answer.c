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
    if (result == EXIT_ERROR && answer->text.len == 0) { /* the reason has been printed */
        karp_text_free(&answer->text);
        return result;
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
    /* The digest is computed once. If this ran out of memory, the answer would silently lack it. */
    if (keep_documents && digest_wanted(options) && karp_reader_digest(answer.input.reader).len == 0) {
        print_problem("input", "there is not enough memory for its digest");
        input_free(options, &answer.input);
        return EXIT_ERROR;
    }
    if (notes_apart) {
        print_warnings(&answer.input);
    }
    int result = give(&answer, make, own);
    input_free(options, &answer.input);
    return result;
}
