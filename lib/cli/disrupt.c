/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include <karp/library.h>

/* Reads the memory of the previous pass; without --memory-in it is that of a first pass. */
static karp_status read_memory(const cli_options *options, karp_memory_document **document, karp_memory *memory,
                               karp_error *error)
{
    karp_memory_init(memory, sizeof(*memory));
    if (options->memory_in == NULL) return KARP_OK;
    karp_status status = karp_memory_read_file(options->context, options->memory_in, document, error);
    if (status == KARP_OK) *memory = *karp_memory_document_memory(*document);
    return status;
}

static karp_status refuse(cli_answer *answer, const char *why)
{
    return fail(&answer->error, KARP_E_INVALID, "%s", why);
}

/* Makes a repack plan instead of a pass: Karpenter has no such method. */
static karp_status repack(cli_answer *answer, karp_decision **decision)
{
    const cli_options *options = answer->options;
    karp_options common = decision_options(options);
    karp_repack_options repack;
    if (options->profile != KARP_PROFILE_KARP)
        return refuse(answer, "--method Repack needs --profile karp: Karpenter has no such method");
    if (options->memory_in != NULL || options->memory_out != NULL || options->max_simulations != 0)
        return refuse(answer, "--memory-in, --memory-out and --max-simulations are not for --method Repack");
    karp_repack_options_init(&repack, sizeof(repack));
    repack.common = &common;
    progress_begin("planning");
    karp_status status = karp_repack(answer->input.snapshot, &repack, decision, &answer->error);
    progress_end();
    return status;
}

static karp_status decide(cli_answer *answer, karp_decision **decision)
{
    const cli_options *options = answer->options;
    karp_error *error = &answer->error;
    karp_options common = decision_options(options);
    karp_disrupt_options disrupt;
    karp_disrupt_options_init(&disrupt, sizeof(disrupt));
    disrupt.common = &common;
    disrupt.method = options->method != KARP_METHOD_ANY ? options->method : karp_reader_method(answer->input.reader);
    if (disrupt.method == KARP_METHOD_REPACK) return repack(answer, decision);
    disrupt.max_simulations = options->max_simulations;
    karp_memory_document *document = NULL;
    karp_memory memory;
    karp_status status = read_memory(options, &document, &memory, error);
    if (status == KARP_OK) {
        if (options->memory_in != NULL || options->memory_out != NULL) disrupt.memory = &memory;
        progress_begin("simulating");
        status = karp_disrupt(answer->input.snapshot, &disrupt, decision, error);
        if (status == KARP_OK) status = nomination_note(answer, &common, *decision, str(""));
        if (status == KARP_OK) status = drift_note(answer, *decision);
        progress_end();
    }
    karp_memory_document_free(document);
    return status;
}

static karp_status write_memory(cli_answer *answer, const karp_decision *decision)
{
    const cli_options *options = answer->options;
    karp_memory memory = { .size = sizeof(memory) };
    karp_text text = { 0 };
    if (options->memory_out == NULL) return KARP_OK;
    karp_status status = karp_decision_memory(decision, &memory);
    if (status == KARP_OK) status = karp_write_memory(options->context, &memory, NULL, &text, &answer->error);
    if (status == KARP_OK) status = text_file_replace(options->context, options->memory_out, &text, &answer->error);
    karp_text_free(&text);
    return status;
}

static karp_status answer_disrupt(cli_answer *answer, void *own, int *result)
{
    (void)own;
    const cli_options *options = answer->options;
    karp_decision *decision = NULL;
    karp_settlement *rounds = NULL;
    karp_drift drift = { .size = sizeof drift };
    karp_status status = decide(answer, &decision);
    if (status == KARP_OK) status = drift_course(options, answer->input.snapshot, &drift, &rounds, &answer->error);
    answer->write.drift = &drift;
    if (status == KARP_OK)
        status = karp_write_disruption(options->context, decision, &answer->write, &answer->text, &answer->error);
    if (status == KARP_OK) status = write_memory(answer, decision);
    if (status == KARP_OK) *result = exit_status_of_pass(answer, decision, rounds);
    karp_settlement_free(rounds);
    karp_decision_unref(decision);
    return status;
}

static int run_disrupt(const cli_options *options) { return answer_input(options, true, false, answer_disrupt, NULL); }

const cli_verb verb_disrupt = {
    .name = "disrupt",
    .arguments = "[FILE...]",
    .summary = "which nodes Karpenter would remove, what replaces them, and why the others stay",
    .details = "Makes one disruption pass: emptiness, drift, consolidation, in Karpenter's order. The pass ends with\n"
               "the first method that finds a command. With --method (or state.method of a Snapshot) only that method\n"
               "is tried; --method Repack, with profile karp, plans the steps of karp repack. --memory-out writes the\n"
               "state for the next pass, and --memory-in reads it.",
    .options = CLI_OPTION_INPUT | CLI_OPTION_CATALOGUE | CLI_OPTION_DECISION | CLI_OPTION_OUTPUT | CLI_OPTION_EXIT |
               CLI_OPTION_METHOD | CLI_OPTION_FAIL_ON | CLI_OPTION_UNAVAILABLE,
    .formats = 1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT | 1u << KARP_FORMAT_HTML | 1u << KARP_FORMAT_MARKDOWN |
               1u << KARP_FORMAT_CSV | 1u << KARP_FORMAT_PROMETHEUS,
    .default_format = KARP_FORMAT_TEXT,
    .run = run_disrupt,
};
