/* SPDX-License-Identifier: Apache-2.0 */
#include "option_table.h"

#include <string.h>

enum { SHOWN_BY_DEFAULT = 10 }; /* so many workloads are shown with all flavours, unless --flavours says which */

static const struct flavour_word {
    const char *name;
    uint32_t flag;
} flavour_words[] = {
    { "nodepool", KARP_FLAVOUR_NODE_POOL },
    { "zone", KARP_FLAVOUR_ZONE },
    { "capacity-type", KARP_FLAVOUR_CAPACITY_TYPE },
    { "reservation", KARP_FLAVOUR_RESERVATION },
    { "resource-flavor", KARP_FLAVOUR_RESOURCE_FLAVOR },
    { "all", KARP_FLAVOUR_ALL },
    { "none", 0 },
};

int set_flavours(const cli_verb *verb, cli_options *options, const char *text)
{
    options->flavours = 0;
    options->flavours_given = true;
    for (const char *word = text; word != NULL;) {
        const char *comma = strchr(word, ',');
        size_t length = comma == NULL ? strlen(word) : (size_t)(comma - word), i = 0;
        enum { WORDS = sizeof flavour_words / sizeof *flavour_words };
        while (i < WORDS &&
               (strlen(flavour_words[i].name) != length || memcmp(flavour_words[i].name, word, length) != 0))
            i++;
        if (i == WORDS)
            return wrong_option(verb, "--flavours",
                                "nodepool, zone, capacity-type, reservation, resource-flavor, all or none");
        options->flavours |= flavour_words[i].flag;
        word = comma == NULL ? NULL : comma + 1;
    }
    return -1;
}

int set_boot(const cli_verb *verb, cli_options *options, const char *text)
{
    if (karp_duration_parse(str(text), &options->boot) == KARP_OK && options->boot > 0) return -1;
    return wrong_option(verb, "--boot", "a duration such as 60s or 3m");
}

/* Whether an answer is at least as bad as --fail-on says. */
static bool fails(const cli_answer *answer, const karp_admission *found)
{
    uint32_t least = answer->options->admit_fails;
    karp_admitted row = { .size = sizeof row };
    for (size_t i = 0; least > 0 && karp_admission_at(found, i, &row) == KARP_OK; i++) {
        if (row.verdict >= least) return true;
    }
    char incomplete[INCOMPLETE_TEXT];
    if (least == 0 || !input_incomplete(&answer->input, incomplete)) return false;
    print_problem("--fail-on", incomplete);
    return true;
}

karp_status admit_queue(cli_answer *answer, karp_str only, karp_admission **out)
{
    const cli_options *given = answer->options;
    karp_options common = decision_options(given);
    karp_admit_options options;
    karp_admit_options_init(&options, sizeof options);
    options.common = &common;
    options.boot = given->boot;
    options.flavours = given->flavours_given ? given->flavours : KARP_FLAVOUR_ALL;
    options.flavours_up_to = given->flavours_given || only.len > 0 ? 0 : SHOWN_BY_DEFAULT;
    options.most_changes = given->changes;
    options.only = only;
    progress_begin("deciding on the queue");
    karp_status status = karp_admit(answer->input.snapshot, &options, out, &answer->error);
    progress_end();
    return status;
}

static karp_status answer_admit(cli_answer *answer, void *own, int *result)
{
    (void)own;
    const cli_options *options = answer->options;
    karp_admission *found = NULL;
    karp_status status = admit_queue(answer, str(""), &found);
    if (status == KARP_OK) {
        status = karp_write_admission(options->context, found, &answer->write, &answer->text, &answer->error);
        *result = fails(answer, found) ? EXIT_UNSCHEDULABLE : EXIT_OK;
    }
    karp_admission_free(found);
    if (status == KARP_OK && options->format == KARP_FORMAT_TEXT && !print_made_by(answer, "admit"))
        status = answer->error.status = KARP_E_NOMEM;
    return status;
}

static int run_admit(const cli_options *options)
{
    cli_options own = *options;
    own.queued = true;
    own.profile = KARP_PROFILE_KARP;
    return answer_input(&own, false, options->format == KARP_FORMAT_TEXT, answer_admit, NULL);
}

const cli_verb verb_admit = {
    .name = "admit",
    .arguments = "[FILE...]",
    .summary = "whether queued workloads could start: now, after a launch, or never, and why",
    .details =
        "Reads a cluster and what waits in it: Workloads of Kueue, PodGroups, suspended and other Jobs,\n"
        "ProvisioningRequests, CapacityBuffers, pods. Says for each workload, in the order of the queue, whether it "
        "can\n"
        "start now, after which launches, or never, and what would have to change. A workload starts as a whole or\n"
        "not at all; what one gets is not there for the next. Decided with profile karp.",
    .options = CLI_OPTION_INPUT | CLI_OPTION_CATALOGUE | CLI_OPTION_OUTPUT | CLI_OPTION_ADMIT,
    .formats = 1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT | 1u << KARP_FORMAT_MARKDOWN,
    .default_format = KARP_FORMAT_TEXT,
    .run = run_admit,
};
