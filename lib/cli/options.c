/* SPDX-License-Identifier: Apache-2.0 */
#include "option_table.h"

#include <base/nearest.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <karp/library.h>
#include <karp/peer.h>

int wrong_option(const cli_verb *verb, const char *what, const char *message)
{
    fprintf(stderr, "karp %s: %s: %s (%s %s --help)\n", verb->name, what, message, verb->program, verb->name);
    return EXIT_ERROR;
}

bool parse_count(const char *text, uint64_t *out)
{
    uint64_t value = 0;
    if (text[0] == '\0') {
        return false;
    }
    for (const char *p = text; *p != '\0'; p++) {
        if (*p < '0' || *p > '9' || value > (UINT64_MAX - 9) / 10) {
            return false;
        }
        value = value * 10 + (uint64_t)(*p - '0');
    }
    *out = value;
    return true;
}

/* -o wide: the largest width that --width accepts, so that nothing is wrapped or shortened. */
enum { WIDE = 1000 };

static int set_format(const cli_verb *verb, cli_options *options, const char *text)
{
    uint32_t format = 0;
    if (strcmp(text, "wide") == 0 && (verb->formats & (1u << KARP_FORMAT_TEXT)) != 0) {
        options->format = KARP_FORMAT_TEXT;
        options->width = WIDE;
        return -1;
    }
    if (!parse_format(verb, text, &format)) {
        char formats[FORMATS_TEXT];
        name_formats(verb, formats, sizeof(formats));
        fprintf(stderr, "karp %s: -o %s: the formats are: %s\n", verb->name, text, formats);
        return EXIT_ERROR;
    }
    options->format = format;
    return -1;
}

static int set_color(const cli_verb *verb, cli_options *options, const char *text)
{
    uint64_t word = 0;
    int status = read_word(verb, WORDS_COLOR, text, &word);
    if (status < 0 && word != COLOR_AUTO) options->color = word == COLOR_ALWAYS;
    return status;
}

static int set_severity(const cli_verb *verb, cli_options *options, const char *text)
{
    uint64_t severity = 0;
    int status = read_word(verb, WORDS_SEVERITY, text, &severity);
    options->lint_fails = (uint32_t)severity + 1;
    return status;
}

static int set_explain(const cli_verb *verb, cli_options *options, const char *text)
{
    uint64_t level = 0;
    int status = read_word(verb, WORDS_EXPLAIN, text, &level);
    options->explain = (uint32_t)level;
    return status;
}

static int set_method(const cli_verb *verb, cli_options *options, const char *text)
{
    for (uint32_t method = KARP_METHOD_EMPTINESS; method <= KARP_METHOD_REPACK; method++) {
        if (strcmp(text, karp_method_name(method)) == 0) {
            options->method = method;
            return -1;
        }
    }
    return wrong_option(verb, text, "no such method");
}

static int set_now(const cli_verb *verb, cli_options *options, const char *text)
{
    int64_t now = 0;
    if (text[0] == '+' && karp_duration_parse(str(text + 1), &options->now_later) == KARP_OK &&
        options->now_later >= 0) {
        return -1;
    }
    if (karp_time_parse(str(text), &now) != KARP_OK) {
        return wrong_option(verb, "--now", "not a time like 2026-11-21T10:00:00Z, or like +8h");
    }
    options->now = now != 0 ? now : 1; /* zero means "not given"; a nanosecond later makes no difference to any rule */
    return -1;
}

static int set_overhead(const cli_verb *verb, cli_options *options, const char *text)
{
    double part = 0;
    if (karp_double_parse(str(text), &part) != KARP_OK || !(part >= 0 && part < 1)) {
        return wrong_option(verb, "--vm-memory-overhead", "a part like 0.075: at least 0 and less than 1");
    }
    options->vm_memory_overhead = part;
    options->vm_memory_overhead_given = true;
    return -1;
}

/* A number of pods, or a percentage of all pods. */
static int set_max_evictions(const cli_verb *verb, cli_options *options, const char *text)
{
    size_t length = strlen(text);
    double percent = 0;
    if (parse_count(text, &options->repack.max_evictions)) {
        return -1;
    }
    if (length < 2 || text[length - 1] != '%' ||
        karp_double_parse((karp_str){ text, length - 1 }, &percent) != KARP_OK || !(percent >= 0 && percent <= 100)) {
        return wrong_option(verb, "--max-evictions", "a number of pods, or a part of them as 10%");
    }
    options->repack.max_evicted_percent = percent;
    return -1;
}

static int set_saving(const cli_verb *verb, const char *name, const char *text, double *out)
{
    if (karp_double_parse(str(text), out) != KARP_OK || !(*out >= 0 && *out <= 1e12)) {
        return wrong_option(verb, name, "dollars an hour, at least 0");
    }
    return -1;
}

/* Parses a number of bytes, written as a quantity. */
static bool parse_size(const char *text, uint64_t *bytes)
{
    double size = 0;
    if (karp_quantity_double(str(text), &size) != KARP_OK || !(size >= 1 && size < 1e18)) {
        return false;
    }
    *bytes = (uint64_t)size;
    return true;
}

static int set_option(const cli_verb *verb, cli_options *options, int key, char *value)
{
    uint64_t number = 0;
    switch (key) {
    case KEY_FILE: options->files.items[options->files.count++] = value; return -1;
    case KEY_CATALOGUE: options->catalogues.items[options->catalogues.count++] = value; return -1;
    case KEY_PROVIDER: options->provider = value; return -1;
    case KEY_FACTS: options->facts.items[options->facts.count++] = value; return -1;
    case KEY_SET: options->settings.items[options->settings.count++] = value; return -1;
    case KEY_REGION: options->region = value; return -1;
    case KEY_NOW: return set_now(verb, options, value);
    case KEY_STRICT: options->strict = true; return -1;
    case KEY_RECURSIVE: options->recursive = true; return -1;
    case KEY_QUIET: output_quiet(); return -1;
    case KEY_VERBOSE: options->verbose = true; return -1;
    case KEY_PROFILE:
        options->profiles.items[options->profiles.count++] = value;
        return karp_profile_parse(str(value), &options->profile, &options->peer_version) == KARP_OK
                   ? -1
                   : wrong_option(verb, "--profile", "karpenter, karpenter-1.14, karpenter-1.15 or karp");
    case KEY_EXPLAIN: return set_explain(verb, options, value);
    case KEY_OUTPUT: return set_format(verb, options, value);
    case KEY_COMPACT: options->compact = true; return -1;
    case KEY_DIGEST: options->digest = true; return -1;
    case KEY_COLOR: return set_color(verb, options, value);
    case KEY_WIDTH:
        if (!parse_count(value, &number) || number < 40 || number > 1000) {
            return wrong_option(verb, "--width", "a number from 40 to 1000");
        }
        options->width = (uint32_t)number;
        return -1;
    case KEY_DETAILED_EXITCODE: options->detailed_exitcode = true; return -1;
    case KEY_FAIL_ON:
        if (verb->options & CLI_OPTION_LINT) return set_severity(verb, options, value);
        return fail_on_read(options, value)
                   ? -1
                   : wrong_option(verb, "--fail-on",
                                  "unschedulable, notes, cost=+10%, cost=+$50 or cost=$500, or some of them");
    case KEY_BASELINE: options->baseline = value; return -1;
    case KEY_DISRUPT: options->disrupt = true; return -1;
    case KEY_SETTLE: options->settle = true; return -1;
    case KEY_NO_DISRUPT: options->no_disrupt = true; return -1;
    case KEY_METHOD: return set_method(verb, options, value);
    case KEY_MAX_SIMULATIONS:
        return parse_count(value, &options->max_simulations) ? -1
                                                             : wrong_option(verb, "--max-simulations", "not a number");
    case KEY_MEMORY_IN: options->memory_in = value; return -1;
    case KEY_MEMORY_OUT: options->memory_out = value; return -1;
    case KEY_RESERVED_ENIS:
        options->reserved_enis = parse_count(value, &number) && number <= INT32_MAX ? (int64_t)number : -1;
        return options->reserved_enis >= 0 ? -1 : wrong_option(verb, "--reserved-enis", "not a number of interfaces");
    case KEY_VM_MEMORY_OVERHEAD: return set_overhead(verb, options, value);
    case KEY_ALL_TYPES: options->all_types = true; return -1;
    case KEY_EXPORT_FACTS: options->export_facts = true; return -1;
    case KEY_REMOVE: options->removed.items[options->removed.count++] = value; return -1;
    case KEY_LOSE_ZONE: options->zones.items[options->zones.count++] = value; return -1;
    case KEY_PRICE_FACTOR: options->factors.items[options->factors.count++] = value; return -1;
    case KEY_ADD: options->files.items[options->files.count++] = value; return -1;
    case KEY_REPLACE: options->replaced.items[options->replaced.count++] = value; return -1;
    case KEY_DELETE: options->deleted.items[options->deleted.count++] = value; return -1;
    case KEY_SCALE: options->scaled.items[options->scaled.count++] = value; return -1;
    case KEY_FEATURE_GATES: options->feature_gates = value; return -1;
    case KEY_COMMITMENTS:
    case KEY_PRICES: options->prices.items[options->prices.count++] = value; return -1;
    case KEY_DESIGN: options->designs.items[options->designs.count++] = value; return -1;
    case KEY_CONTEXT:
    case KEY_KUBECONFIG:
    case KEY_CLUSTER:
    case KEY_USER:
    case KEY_AS:
    case KEY_REQUEST_TIMEOUT: options->kubectl[key - KEY_CONTEXT] = value; return -1;
    case KEY_NAMESPACE: options->pod_namespace = value; return -1;
    case KEY_NODEPOOLS: options->pools.items[options->pools.count++] = value; return -1;
    case KEY_POLICY: options->policies.items[options->policies.count++] = value; return -1;
    case KEY_MOST_ALLOCATED: options->most_allocated = true; return -1;
    case KEY_LENIENT: options->lenient = true; return -1;
    case KEY_AS_PLANNED: options->as_planned = true; return -1;
    case KEY_UNTIL:
    case KEY_SEED:
    case KEY_FORMAT:
    case KEY_STEP:
    case KEY_BOOT:
    case KEY_BOOT_JITTER:
    case KEY_DISRUPTION_INTERVAL:
    case KEY_INTERRUPTIONS:
    case KEY_DUMP_AT:
    case KEY_REPACK:
        if (verb->options & CLI_OPTION_LINT) return set_format(verb, options, value);
        options->replay[key - KEY_UNTIL] = value;
        return -1;
    case KEY_LIST: options->list = true; return -1;
    case KEY_INPUT: options->inputs.items[options->inputs.count++] = value; return -1;
    case KEY_JSON: options->format = KARP_FORMAT_JSON; return -1;
    case KEY_RUNS:
        options->runs = parse_count(value, &number) && number >= 1 && number <= 1000 ? (uint32_t)number : 0;
        return options->runs > 0 ? -1 : wrong_option(verb, "--runs", "a number from 1 to 1000");
    case KEY_OBJECTIVE: return set_objective(verb, options, value);
    case KEY_EFFORT: return set_effort(verb, options, value);
    case KEY_CERTIFICATE: options->certificate = value; return -1;
    case KEY_NODE_COST: return set_node_cost(verb, options, value);
    case KEY_SPOT_FACTOR: return set_spot_factor(verb, options, value);
    case KEY_PRICE_SLACK: return set_price_slack(verb, options, value);
    case KEY_PREFERENCES: return set_preferences(verb, options, value);
    case KEY_IGNORE_WEIGHTS: return set_ignore_weights(options);
    case KEY_DEADLINE: return set_deadline(verb, options, value);
    case KEY_MAX_EVICTIONS: return set_max_evictions(verb, options, value);
    case KEY_MIN_SAVING: return set_saving(verb, "--min-saving", value, &options->repack.min_saving);
    case KEY_MIN_SAVING_PER_EVICTION:
        return set_saving(verb, "--min-saving-per-eviction", value, &options->repack.min_saving_per_eviction);
    case KEY_IGNORE_BUDGETS: options->repack.ignore_budgets = 1; return -1;
    case KEY_IGNORE_CONSOLIDATE_AFTER: options->repack.ignore_consolidate_after = 1; return -1;
    case KEY_MAX_STEPS:
        return parse_count(value,
                           (verb->options & CLI_OPTION_REPACK) != 0 ? &options->repack.max_steps : &options->max_steps)
                   ? -1
                   : wrong_option(verb, "--max-steps", "not a number");
    case KEY_MAX_MEMORY: /* read by options_memory() */
        return parse_size(value, &number) ? -1 : wrong_option(verb, "--max-memory", "a size like 500Mi or 4Gi");
    default: return EXIT_ERROR;
    }
}

#define LISTS_OF(options)                                                                                              \
    {                                                                                                                  \
        &(options)->files, &(options)->catalogues, &(options)->words, &(options)->removed, &(options)->zones,          \
            &(options)->factors, &(options)->inputs, &(options)->facts, &(options)->settings, &(options)->profiles,    \
            &(options)->replaced, &(options)->prices, &(options)->deleted, &(options)->scaled, &(options)->designs,    \
            &(options)->pools, &(options)->policies                                                                    \
    }

static bool make_lists(cli_options *options)
{
    size_t bytes = options->list_bytes;
    cli_list *lists[] = LISTS_OF(options);
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        lists[i]->items = karp_alloc(options->context, bytes);
        if (lists[i]->items == NULL) {
            print_problem(NULL, "out of memory");
            return false;
        }
        memset(lists[i]->items, 0, bytes);
    }
    return true;
}

void options_free(cli_options *options)
{
    cli_list *lists[] = LISTS_OF(options);
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        karp_free(options->context, lists[i]->items, options->list_bytes);
        *lists[i] = (cli_list){ 0 };
    }
}

static int take_words(const cli_verb *verb, cli_options *options, int argc, char **argv)
{
    size_t words = options->certificate != NULL ? 0 : verb->word_count; /* verify: a proof instead of a plan */
    for (int i = optind; i < argc; i++) {
        cli_list *list = options->words.count < words ? &options->words : &options->files;
        if (list == &options->files && (verb->options & (CLI_OPTION_INPUT | CLI_OPTION_REPLAY)) == 0) {
            return wrong_option(verb, argv[i], "not expected");
        }
        list->items[list->count++] = argv[i];
    }
    return options->words.count == words ? -1 : wrong_option(verb, "expected", verb->arguments);
}

#define SHORT_OPTIONS "f:o:hn:Rqv"

int options_before(int argc, char **argv)
{
    struct option table[OPTION_ROOM];
    fill_getopt_table(table);
    opterr = 0;
    int key;
    do {
        key = getopt_long(argc, argv, "+:" SHORT_OPTIONS, table, NULL);
    } while (key != -1 && key != '?' && key != ':' && key != KEY_HELP);
    int seen = key == -1 ? optind : optind - 1;
    optind = 0; /* getopt is reset for the command's options */
    return seen;
}

void options_memory(int argc, char **argv, uint64_t *bytes)
{
    struct option table[OPTION_ROOM];
    fill_getopt_table(table);
    opterr = 0;
    for (int key; (key = getopt_long(argc, argv, "-:" SHORT_OPTIONS, table, NULL)) != -1;) {
        if (key == KEY_MAX_MEMORY) {
            (void)parse_size(optarg, bytes);
        }
    }
    optind = 0;
}

/* Reports an unknown option, and the command's option that was most likely meant. */
static int unknown_option(const cli_verb *verb, const char *given)
{
    char word[64] = "", message[160];
    const char *name = given + strspn(given, "-");
    (void)snprintf(word, sizeof(word), "%.*s", (int)strcspn(name, "="), name);
    nearest meant = { .wanted = str(word), .distance = 2 }; /* two letters may be wrong */
    cli_option_shown o;
    for (size_t i = 0; given[0] == '-' && given[1] == '-' && option_of(verb, &i, &o);) {
        nearest_offer(&meant, str(o.name));
    }
    (void)snprintf(message, sizeof(message),
                   meant.best.ptr != NULL ? "no such option; did you mean --%s?" : "no such option", meant.best.ptr);
    return wrong_option(verb, given, message);
}

int options_read(const cli_verb *verb, int argc, char **argv, cli_options *options)
{
    struct option table[OPTION_ROOM];
    fill_getopt_table(table);
    const char *no_color = getenv("NO_COLOR");
    options->format = verb->default_format;
    options->runs = 5;
    karp_objective_init(&options->objective, sizeof(options->objective));
    karp_repack_options_init(&options->repack, sizeof(options->repack));
    options->cluster = (verb->options & CLI_OPTION_CLUSTER) != 0;
    options->color = isatty(STDOUT_FILENO) && (no_color == NULL || no_color[0] == '\0');
    options->list_bytes = ((size_t)argc + 1) * sizeof(char *);
    if (!make_lists(options)) {
        return EXIT_ERROR;
    }
    for (int i = 1; i < argc && (verb->options & CLI_OPTION_SIDES) && options->sides == NULL; i++) {
        if (strcmp(argv[i], "--") == 0) {
            options->sides = argv + i;
            options->side_count = argc - i;
        }
    }
    argc -= options->side_count;
    opterr = 0;
    optind = 0; /* resets getopt, which may have parsed other arguments */
    for (;;) {
        int key = getopt_long(argc, argv, ":" SHORT_OPTIONS, table, NULL);
        if (key == -1) {
            options->width = options->width > 0 ? options->width : columns_of_output();
            return take_words(verb, options, argc, argv);
        }
        if (key == ':') {
            return wrong_option(verb, argv[optind - 1], "needs a value");
        }
        if (key == '?') {
            return unknown_option(verb, argv[optind - 1]);
        }
        const option_row *row = option_row_of(verb, key);
        if (row == NULL || !option_is_of(verb, row)) {
            char name[64] = "";
            (void)snprintf(name, sizeof(name), "--%s", row == NULL ? "?" : row->name);
            return wrong_option(verb, name, "not an option of this command");
        }
        if (key == KEY_HELP) {
            print_verb_help(verb);
            return standard_output_written();
        }
        if (row->group & (CLI_OPTION_OUTPUT | CLI_OPTION_EXIT | CLI_OPTION_FAIL_ON)) options->of_answer = row->name;
        int status = set_option(verb, options, key, optarg);
        if (status >= 0) {
            return status;
        }
    }
}
