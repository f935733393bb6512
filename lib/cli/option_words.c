/* SPDX-License-Identifier: Apache-2.0 */
#include "option_words.h"

#include <stdio.h>
#include <string.h>

typedef struct option_word {
    const char *text; /* NULL = the end of the list */
    uint64_t value;
} option_word;

typedef struct option_words {
    const char *option;
    uint32_t group; /* CLI_OPTION_* of the option's row: a name may have two meanings */
    const option_word *words;
} option_words;

#define LIST(...)                                                                                                      \
    (const option_word[])                                                                                              \
    {                                                                                                                  \
        __VA_ARGS__, { NULL, 0 }                                                                                       \
    }

static const option_words lists[] = {
    [WORDS_COLOR] = { "color", CLI_OPTION_OUTPUT,
                      LIST({ "auto", COLOR_AUTO }, { "always", COLOR_ALWAYS }, { "never", COLOR_NEVER }) },
    [WORDS_EFFORT] = { "effort", CLI_OPTION_OBJECTIVE | CLI_OPTION_REPACK,
                       LIST({ "10ms", KARP_EFFORT_10MS }, { "100ms", KARP_EFFORT_100MS }, { "1s", KARP_EFFORT_1S },
                            { "10s", UINT64_C(10) * KARP_EFFORT_1S }) },
    [WORDS_EXPLAIN] = { "explain", CLI_OPTION_DECISION,
                        LIST({ "none", KARP_EXPLAIN_NONE }, { "summary", KARP_EXPLAIN_SUMMARY },
                             { "full", KARP_EXPLAIN_FULL }) },
    [WORDS_FAIL_ON] = { "fail-on", CLI_OPTION_FAIL_ON,
                        LIST({ "unschedulable", FAIL_ON_UNSCHEDULABLE }, { "notes", FAIL_ON_NOTES },
                             { "cost=+10%", FAIL_ON_COST }) },
    [WORDS_OBJECTIVE] = { "objective", CLI_OPTION_OBJECTIVE,
                          LIST({ "compatible", KARP_OBJECTIVE_COMPATIBLE }, { "cost", KARP_OBJECTIVE_COST }) },
    [WORDS_PREFERENCES] = { "preferences", CLI_OPTION_OBJECTIVE,
                            LIST({ "respect", 0 }, { "ignore", KARP_COST_IGNORE_PREFERENCES }) },
    [WORDS_SEVERITY] = { "fail-on", CLI_OPTION_LINT,
                         LIST({ "info", KARP_LINT_INFO }, { "warning", KARP_LINT_WARNING },
                              { "error", KARP_LINT_ERROR }) },
    /* The library parses these. */
    { "profile", CLI_OPTION_DECISION | CLI_OPTION_REPACK,
      LIST({ "karpenter", 0 }, { "karpenter-1.14", 0 }, { "karpenter-1.15", 0 }, { "karp", 0 }) },
    { "policy", CLI_OPTION_REPLAY,
      LIST({ "karpenter", 0 }, { "karpenter-1.14", 0 }, { "karpenter-1.15", 0 }, { "karp", 0 }, { "cost", 0 },
           { "cost+repack", 0 }) },
    { "provider", CLI_OPTION_CATALOGUE | CLI_OPTION_FACTS,
      LIST({ "aws", 0 }, { "azure", 0 }, { "gcp", 0 }, { "file", 0 }) },
    { "format", CLI_OPTION_REPLAY,
      LIST({ "csv", 0 }, { "openb", 0 }, { "azure-packing", 0 }, { "simkube", 0 }, { "kubereplay", 0 }, { "dumps", 0 },
           { "story", 0 }, { "load", 0 }) },
    { "feature-gates", CLI_OPTION_INPUT | CLI_OPTION_REPLAY | CLI_OPTION_GATES,
      LIST({ "ReservedCapacity=true", 0 }, { "SpotToSpotConsolidation=true", 0 }, { "NodeRepair=true", 0 },
           { "NodeOverlay=true", 0 }, { "StaticCapacity=true", 0 }, { "CapacityBuffer=true", 0 },
           { "TerminateFirstDrift=true", 0 }, { "TerminateFirstRepair=true", 0 },
           { "PodDeletionCostManagement=true", 0 }) },
};

bool parse_word(size_t list, const char *text, uint64_t *value)
{
    for (const option_word *word = lists[list].words; word->text != NULL; word++) {
        if (strcmp(text, word->text) == 0) {
            *value = word->value;
            return true;
        }
    }
    return false;
}

int read_word(const cli_verb *verb, size_t list, const char *text, uint64_t *value)
{
    char option[32], message[160] = "";
    size_t used = 0;
    if (parse_word(list, text, value)) {
        return -1;
    }
    for (const option_word *word = lists[list].words; word->text != NULL && used < sizeof message; word++) {
        const char *between = word == lists[list].words ? "" : word[1].text == NULL ? " or " : ", ";
        used += (size_t)snprintf(message + used, sizeof message - used, "%s%s", between, word->text);
    }
    (void)snprintf(option, sizeof option, "--%s", lists[list].option);
    return wrong_option(verb, option, message);
}

void print_option_words(const cli_options *options, const cli_verb *verb, const char *option)
{
    bool formats = strcmp(option, "output") == 0 || (strcmp(option, "format") == 0 && strcmp(verb->name, "lint") == 0);
    const char *format;
    for (uint32_t i = 0; formats && (format = format_of(verb, &i)) != NULL;) printf(" %s", format);
    if (strcmp(option, "region") == 0) facts_print_regions(options);
    for (uint32_t i = KARP_METHOD_EMPTINESS; i <= KARP_METHOD_REPACK && strcmp(option, "method") == 0; i++) {
        printf(" %s", karp_method_name(i));
    }
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (strcmp(option, lists[i].option) != 0 || (verb->options & lists[i].group) == 0) continue;
        for (const option_word *word = lists[i].words; word->text != NULL; word++) printf(" %s", word->text);
    }
}
