/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include <math.h>

/* A plan may be checked against another input than its own, e.g. a later state of the cluster. That is noted. */
static void compare_inputs(karp_str plan, karp_str input)
{
    static const char note[] = "the plan was made for a different input: its input.sha256 differs";
    if (plan.len > 0 && !equal_str(plan, input)) {
        print_note((karp_str){ note, sizeof(note) - 1 });
    }
}

static karp_status verify_document(cli_answer *answer, const karp_plan_document *document, karp_verification **found)
{
    const karp_snapshot *snapshot = answer->input.snapshot;
    size_t count = 0;
    double cost = 0;
    const karp_plan_step *steps = karp_plan_document_steps(document, &count, &cost);
    if (steps == NULL) return karp_verify(snapshot, karp_plan_document_plan(document), found, &answer->error);
    /* A repack plan states the cluster's cost, and its steps are executed one after the other. */
    uint32_t flags = isnan(cost) ? 0 : KARP_VERIFY_EVICTIONS_AT_ONCE;
    flags |= answer->options->repack.ignore_budgets ? KARP_VERIFY_IGNORE_BUDGETS : 0;
    flags |= KARP_VERIFY_PREDICTED; /* predictions are read with --preview vpa-prediction only */
    return karp_verify_steps(snapshot, steps, count, cost, flags, found, &answer->error);
}

static karp_status verify(cli_answer *answer, karp_verification **found)
{
    const cli_options *options = answer->options;
    karp_plan_document *document = NULL;
    karp_status status = karp_plan_read_file(options->context, options->words.items[0], &document, &answer->error);
    if (status == KARP_OK) {
        compare_inputs(karp_plan_document_digest(document), karp_reader_digest(answer->input.reader));
        progress_begin("checking");
        status = verify_document(answer, document, found);
        progress_end();
    }
    karp_plan_document_free(document);
    return status;
}

static bool other_input(karp_str stated, karp_str input)
{
    return stated.len > 0 && input.len > 0 && !equal_str(stated, input);
}

/* An invalid proof is an answer, not an error. */
static karp_status make_check(cli_answer *answer, int *result)
{
    const cli_options *options = answer->options;
    karp_certificate_document *document = NULL;
    karp_options common = decision_options(options);
    karp_error refusal = { .size = sizeof refusal };
    karp_status status = karp_certificate_read_file(options->context, options->certificate, &document, &answer->error);
    if (status != KARP_OK) return status;
    const karp_certificate *proof = karp_certificate_document_certificate(document);
    karp_str stated = karp_certificate_document_digest(document);
    if (stated.len == 0 || other_input(stated, karp_reader_digest(answer->input.reader))) {
        status = fail(&refusal, KARP_E_INVALID, "%s",
                      stated.len == 0 ? "the certificate does not say of which input it is: input.sha256 is missing"
                                      : "the certificate is of a different input: its input.sha256 differs");
    } else {
        progress_begin("checking");
        status = karp_certificate_check(answer->input.snapshot, &common, proof, &refusal);
        progress_end();
    }
    if (status == KARP_OK || status == KARP_E_INVALID) {
        *result = status == KARP_OK ? EXIT_OK : EXIT_ERROR;
        status = karp_write_certificate_check(options->context, proof, status == KARP_OK ? NULL : &refusal,
                                              &answer->write, &answer->text, &answer->error);
    } else {
        answer->error = refusal;
    }
    karp_certificate_document_free(document);
    return status;
}

static karp_status answer_verify(cli_answer *answer, void *own, int *result)
{
    (void)own;
    karp_verification *found = NULL;
    if (answer->options->certificate != NULL) return make_check(answer, result);
    karp_status status = verify(answer, &found);
    if (status == KARP_OK) {
        status = karp_write_verification(answer->options->context, found, &answer->write, &answer->text,
                                         &answer->error);
        *result = karp_verification_count(found) == 0 ? EXIT_OK : EXIT_ERROR;
    }
    karp_verification_free(found);
    return status;
}

static int run_verify(const cli_options *options) { return answer_input(options, true, true, answer_verify, NULL); }

const cli_verb verb_verify = {
    .name = "verify",
    .arguments = "PLAN.json|--certificate FILE [FILE...]",
    .summary = "whether a plan keeps every constraint of the pods it places",
    .details =
        "Checks a Plan, a DisruptionPlan or a RepackPlan, made by karp or anything else, on the input it was made\n"
        "for. The checker shares no code with what decides. Each step is checked on the cluster that the steps\n"
        "before it leave. Violations are listed, and the exit status is then 1.\n"
        "With --certificate it checks the proof of a bound in exact arithmetic instead.",
    .word_count = 1,
    .options = CLI_OPTION_INPUT | CLI_OPTION_CATALOGUE | CLI_OPTION_CERTIFICATE | CLI_OPTION_DECISION |
               CLI_OPTION_OUTPUT | CLI_OPTION_VERIFY,
    .formats = 1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT,
    .default_format = KARP_FORMAT_JSON,
    .run = run_verify,
};
