/* SPDX-License-Identifier: Apache-2.0 */
#include "option_table.h"

#include <stdio.h>
#include <string.h>

static const option_row rows[] = {
    { KEY_FILE, "file", "FILE", CLI_OPTION_INPUT, "read a file, a directory, or - (repeatable); -f FILE" },
    { KEY_REPLACE, "replace", "FILE", CLI_OPTION_INPUT,
      "replace objects read before, or add new ones, as kubectl apply would (repeatable)" },
    { KEY_DELETE, "delete", "KIND/NAME", CLI_OPTION_INPUT,
      "leave out an object and what it owns; or KIND/NAMESPACE/NAME (repeatable)" },
    { KEY_SCALE, "scale", "WORKLOAD=N", CLI_OPTION_INPUT,
      "set the replicas of NAME, NAMESPACE/NAME or KIND/NAMESPACE/NAME to N (repeatable)" },
    { KEY_FEATURE_GATES, "feature-gates", "NAME=BOOL,...", CLI_OPTION_INPUT | CLI_OPTION_REPLAY | CLI_OPTION_GATES,
      "Karpenter's feature gates, such as NodeOverlay=true" },
    { KEY_PRICES, "prices", "FILE", CLI_OPTION_INPUT,
      "prices as you pay them: discounts, fees, volumes, commitments (repeatable)" },
    { KEY_FILE, "file", "FILE", CLI_OPTION_TYPES, "list the types of this node class; -f FILE" },
    { KEY_CONTEXT, "context", "NAME", CLI_OPTION_CLUSTER, "the kubectl context to use" },
    { KEY_KUBECONFIG, "kubeconfig", "FILE", CLI_OPTION_CLUSTER, "passed to kubectl, as are the next four" },
    { KEY_CLUSTER, "cluster", "NAME", CLI_OPTION_CLUSTER, "the cluster in the kubeconfig" },
    { KEY_USER, "user", "NAME", CLI_OPTION_CLUSTER, "the user in the kubeconfig" },
    { KEY_AS, "as", "NAME", CLI_OPTION_CLUSTER, "the user to act as" },
    { KEY_REQUEST_TIMEOUT, "request-timeout", "TIME", CLI_OPTION_CLUSTER, "how long a request may take; default 60s" },
    { KEY_NAMESPACE, "namespace", "NAME", CLI_OPTION_NAMESPACE,
      "namespace of a pod whose name has none; default: default; -n NAME" },
    { KEY_RESERVED_ENIS, "reserved-enis", "N", CLI_OPTION_TYPES,
      "network interfaces reserved, not for pods; default 0" },
    { KEY_VM_MEMORY_OVERHEAD, "vm-memory-overhead", "P", CLI_OPTION_TYPES,
      "share of memory that the hypervisor takes; default 0.075" },
    { KEY_ALL_TYPES, "all-types", NULL, CLI_OPTION_TYPES, "also types that the region does not offer" },
    { KEY_EXPORT_FACTS, "export-facts", NULL, CLI_OPTION_TYPES, "write the underlying facts, as a file for --facts" },
    { KEY_NOW, "now", "TIME", CLI_OPTION_INPUT,
      "the current time (RFC 3339), or +8h: that long after the input's own time, the default" },
    { KEY_RECURSIVE, "recursive", NULL, CLI_OPTION_INPUT, "read subdirectories, too; -R" },
    { KEY_STRICT, "strict", NULL, CLI_OPTION_INPUT, "do not add defaults" },
    { KEY_CATALOGUE, "catalogue", "FILE", CLI_OPTION_CATALOGUE, "instance types from a file (repeatable)" },
    { KEY_PROVIDER, "provider", "NAME", CLI_OPTION_CATALOGUE | CLI_OPTION_FACTS,
      "use the types of aws, azure, gcp, file, or of a plugin: its .so file" },
    { KEY_REGION, "region", "NAME", CLI_OPTION_CATALOGUE | CLI_OPTION_FACTS,
      "region of types and prices; karp --version lists those that are built in" },
    { KEY_FACTS, "facts", "[KIND=]FILE", CLI_OPTION_CATALOGUE | CLI_OPTION_FACTS,
      "override built-in instance data, all of it or one kind (repeatable)" },
    { KEY_SET, "set", "NAME=VALUE", CLI_OPTION_CATALOGUE | CLI_OPTION_FACTS, "a setting of the provider (repeatable)" },
    { KEY_PROFILE, "profile", "NAME", CLI_OPTION_DECISION | CLI_OPTION_REPACK,
      "karpenter (exactly its decisions), karpenter-1.14, karpenter-1.15, or karp (known defects off)" },
    { KEY_EXPLAIN, "explain", "LEVEL", CLI_OPTION_DECISION, "how much to explain: none, summary or full" },
    { KEY_MAX_STEPS, "max-steps", "N", CLI_OPTION_DECISION, "stop after N attempts to place a pod" },
    { KEY_OBJECTIVE, "objective", "NAME", CLI_OPTION_OBJECTIVE,
      "compatible (decide as Karpenter does; default) or cost (find the cheapest nodes)" },
    { KEY_EFFORT, "effort", "N", CLI_OPTION_OBJECTIVE | CLI_OPTION_REPACK,
      "how long to search: a number of steps, or about 10ms, 100ms (default), 1s or 10s" },
    { KEY_NODE_COST, "node-cost", "X", CLI_OPTION_OBJECTIVE | CLI_OPTION_REPACK,
      "added to the price of every node, $/h; default 0" },
    { KEY_SPOT_FACTOR, "spot-factor", "X", CLI_OPTION_OBJECTIVE,
      "with --objective cost: multiply spot prices by X; default 1" },
    { KEY_PRICE_SLACK, "price-slack", "X", CLI_OPTION_OBJECTIVE | CLI_OPTION_REPACK,
      "list types up to this share dearer; default 0, for spot 0.15" },
    { KEY_PREFERENCES, "preferences", "WORD", CLI_OPTION_OBJECTIVE,
      "with --objective cost: respect (keep those that Karpenter's plan keeps; default) or ignore" },
    { KEY_IGNORE_WEIGHTS, "ignore-weights", NULL, CLI_OPTION_OBJECTIVE | CLI_OPTION_REPACK,
      "use a cheaper NodePool even if another has a higher weight" },
    { KEY_COMMITMENTS, "commitments", "FILE", CLI_OPTION_OBJECTIVE | CLI_OPTION_REPACK,
      "savings plans and reserved instances, in a file of kind Prices (repeatable)" },
    { KEY_DEADLINE, "deadline", "TIME", CLI_OPTION_OBJECTIVE | CLI_OPTION_REPACK,
      "answer with the best plan found within TIME, such as 500ms or 2s; runs may differ" },
    { KEY_CERTIFICATE, "certificate", "FILE", CLI_OPTION_CERTIFICATE,
      "file of the proof of the lower bound: plan and repack write it, verify checks it" },
    { KEY_MAX_EVICTIONS, "max-evictions", "N", CLI_OPTION_REPACK,
      "evict at most N pods, or P% of all; default: any number" },
    { KEY_MAX_STEPS, "max-steps", "N", CLI_OPTION_REPACK, "plan at most N steps" },
    { KEY_MIN_SAVING, "min-saving", "X", CLI_OPTION_REPACK,
      "each step must save at least this, $/h; default: anything" },
    { KEY_MIN_SAVING_PER_EVICTION, "min-saving-per-eviction", "X", CLI_OPTION_REPACK,
      "and at least this for each pod that it evicts, $/h" },
    { KEY_IGNORE_BUDGETS, "ignore-budgets", NULL, CLI_OPTION_VERIFY, "steps may remove more nodes than budgets allow" },
    { KEY_IGNORE_BUDGETS, "ignore-budgets", NULL, CLI_OPTION_REPACK,
      "steps may remove more nodes at once than budgets allow" },
    { KEY_IGNORE_CONSOLIDATE_AFTER, "ignore-consolidate-after", NULL, CLI_OPTION_REPACK,
      "include nodes for which consolidateAfter has not passed" },
    { KEY_DISRUPT, "disrupt", NULL, CLI_OPTION_DISRUPT, "also say which nodes would be removed" },
    { KEY_SETTLE, "settle", NULL, CLI_OPTION_DISRUPT,
      "play all rounds, until nothing more is launched or consolidated" },
    { KEY_NO_DISRUPT, "no-disrupt", NULL, CLI_OPTION_DISRUPT, "with --settle: without consolidation" },
    { KEY_METHOD, "method", "NAME", CLI_OPTION_METHOD,
      "ask only Emptiness, StaticDrift, Drift, MultiNodeConsolidation, SingleNodeConsolidation, Expiration, Repair, or "
      "(profile karp) Repack" },
    { KEY_MAX_SIMULATIONS, "max-simulations", "N", CLI_OPTION_METHOD, "stop after N simulations" },
    { KEY_MEMORY_IN, "memory-in", "FILE", CLI_OPTION_METHOD, "state of the previous pass" },
    { KEY_MEMORY_OUT, "memory-out", "FILE", CLI_OPTION_METHOD, "write the state for the next pass" },
    { KEY_REMOVE, "remove", "NODE,...", CLI_OPTION_CHANGES, "plan as if these nodes were gone (repeatable)" },
    { KEY_LOSE_ZONE, "lose-zone", "ZONE,...", CLI_OPTION_CHANGES,
      "plan as if these zones were gone, with their nodes and offerings" },
    { KEY_PRICE_FACTOR, "price-factor", "TYPE=F,...", CLI_OPTION_CHANGES,
      "multiply prices of spot, on-demand or all by F" },
    { KEY_DESIGN, "design", "FILE", CLI_OPTION_CHANGES,
      "compare the input with itself after --replace FILE (repeatable)" },
    { KEY_ADD, "add", "FILE", CLI_OPTION_CHANGES, "read this file as well, like -f" },
    { KEY_NODEPOOLS, "nodepools", "FILE", CLI_OPTION_REPLAY,
      "NodePools, node classes, DaemonSets, budgets that exist from the start (repeatable)" },
    { KEY_POLICY, "policy", "NAME,...", CLI_OPTION_REPLAY,
      "karpenter, karpenter-1.14, karpenter-1.15, karp, cost, cost+repack; each is replayed (repeatable)" },
    { KEY_FORMAT, "format", "NAME", CLI_OPTION_REPLAY, "format of the traces; default: detected" },
    { KEY_UNTIL, "until", "TIME", CLI_OPTION_REPLAY, "end at this time (RFC 3339), or after a duration such as 36h" },
    { KEY_SEED, "seed", "N", CLI_OPTION_REPLAY, "seed of jitter and interruptions; default 0" },
    { KEY_STEP, "step", "TIME", CLI_OPTION_REPLAY, "time between points of the series; default: about 300 points" },
    { KEY_BOOT, "boot", "TIME", CLI_OPTION_REPLAY, "time from launch until a node is ready; default 45s" },
    { KEY_BOOT_JITTER, "boot-jitter", "TIME", CLI_OPTION_REPLAY, "random time added to --boot, at most; default 30s" },
    { KEY_DISRUPTION_INTERVAL, "disruption-interval", "TIME", CLI_OPTION_REPLAY,
      "time between disruption passes; default 10s, as in Karpenter" },
    { KEY_INTERRUPTIONS, "interruptions", "[TYPE=]RATE,...", CLI_OPTION_REPLAY,
      "interruptions of a running spot node per hour; default 0" },
    { KEY_MOST_ALLOCATED, "most-allocated", NULL, CLI_OPTION_REPLAY,
      "kube-scheduler fills nodes up (MostAllocated) instead of spreading pods" },
    { KEY_LENIENT, "lenient", NULL, CLI_OPTION_REPLAY, "skip and count contradictory entries of a trace" },
    { KEY_DUMP_AT, "dump-at", "TIME", CLI_OPTION_REPLAY,
      "write the cluster at that time (or after 36h) as a Snapshot instead" },
    { KEY_REPACK, "repack", "PLAN.json", CLI_OPTION_REPLAY,
      "carry out this RepackPlan on the cluster of --nodepools; needs no trace" },
    { KEY_AS_PLANNED, "as-planned", NULL, CLI_OPTION_REPLAY,
      "with --repack: bind moved pods to the nodes of the plan, not where kube-scheduler would" },
    { KEY_LIST, "list", NULL, CLI_OPTION_BENCH, "name the inputs that can be made" },
    { KEY_INPUT, "input", "NAME", CLI_OPTION_BENCH, "measure this input, or this Snapshot file (repeatable)" },
    { KEY_JSON, "json", NULL, CLI_OPTION_BENCH, "write JSON" },
    { KEY_RUNS, "runs", "N", CLI_OPTION_BENCH, "number of runs; medians are reported; default 5" },
    { KEY_OUTPUT, "output", "FORMAT", CLI_OPTION_OUTPUT, "output format, see below; -o FORMAT" },
    { KEY_COMPACT, "compact", NULL, CLI_OPTION_OUTPUT, "JSON on one line" },
    { KEY_DIGEST, "digest", NULL, CLI_OPTION_OUTPUT, "print the SHA-256 of the input in text output, too" },
    { KEY_COLOR, "color", "WHEN", CLI_OPTION_OUTPUT, "auto, always or never; NO_COLOR is respected" },
    { KEY_WIDTH, "width", "N", CLI_OPTION_OUTPUT, "columns of text; default: COLUMNS, the terminal's, or 100" },
    { KEY_DETAILED_EXITCODE, "detailed-exitcode", NULL, CLI_OPTION_EXIT,
      "exit 2 if nodes would be launched or removed" },
    { KEY_FAIL_ON, "fail-on", "WHAT,...", CLI_OPTION_FAIL_ON,
      "exit 3: unschedulable (pods are left), notes (there are some), cost=+10%, cost=+$50 or cost=$500 a month" },
    { KEY_FORMAT, "format", "FORMAT", CLI_OPTION_LINT, "the same as -o" },
    { KEY_FAIL_ON, "fail-on", "SEVERITY", CLI_OPTION_LINT, "exit 3 on findings this severe: info, warning, error" },
    { KEY_BASELINE, "baseline", "PLAN.json", CLI_OPTION_FAIL_ON,
      "the plan that cost=+ compares with; default: the cost today" },
    { KEY_QUIET, "quiet", NULL, CLI_OPTION_INPUT | CLI_OPTION_CATALOGUE | CLI_OPTION_REPLAY,
      "no notes and no progress on standard error; -q" },
    { KEY_VERBOSE, "verbose", NULL, CLI_OPTION_INPUT, "report on standard error what was read; -v" },
    { KEY_MAX_MEMORY, "max-memory", "SIZE", 0,
      "use at most this much memory, such as 4Gi; default: three quarters of the machine's" },
    { KEY_HELP, "help", NULL, 0, "this text" },
};

enum { ROW_COUNT = sizeof(rows) / sizeof(rows[0]) };
_Static_assert((size_t)ROW_COUNT < (size_t)OPTION_ROOM, "getopt needs an empty row at the end");

bool option_is_of(const cli_verb *verb, const option_row *row)
{
    return row->group == 0 || (verb->options & row->group) != 0;
}

/* ---- for the parser ---------------------------------------------------------------------------------------------- */

const option_row *option_row_of(const cli_verb *verb, int key)
{
    const option_row *found = NULL;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (rows[i].key == key && (found == NULL || option_is_of(verb, &rows[i]))) {
            found = &rows[i];
        }
    }
    return found;
}

void fill_getopt_table(struct option table[OPTION_ROOM])
{
    memset(table, 0, OPTION_ROOM * sizeof(table[0]));
    for (size_t i = 0; i < ROW_COUNT; i++) {
        table[i].name = rows[i].name;
        table[i].has_arg = rows[i].argument != NULL ? required_argument : no_argument;
        table[i].val = rows[i].key;
    }
}

bool option_of(const cli_verb *verb, size_t *next, cli_option_shown *out)
{
    while (*next < ROW_COUNT) {
        const option_row *row = &rows[(*next)++];
        if (option_is_of(verb, row)) {
            *out = (cli_option_shown){ row->name, row->argument, row->text };
            return true;
        }
    }
    return false;
}

/* ---- formats and help -------------------------------------------------------------------------------------------- */

static const char *const format_names[] = {
    [KARP_FORMAT_JSON] = "json",         [KARP_FORMAT_TEXT] = "text",   [KARP_FORMAT_YAML] = "yaml",
    [KARP_FORMAT_JSON_LOG] = "json-log", [KARP_FORMAT_HTML] = "html",   [KARP_FORMAT_CSV] = "csv",
    [KARP_FORMAT_MARKDOWN] = "markdown", [KARP_FORMAT_SARIF] = "sarif", [KARP_FORMAT_PROMETHEUS] = "prometheus",
};

enum { FORMAT_COUNT = sizeof(format_names) / sizeof(format_names[0]) };

const char *format_of(const cli_verb *verb, uint32_t *next)
{
    while (*next <= FORMAT_COUNT) {
        uint32_t i = (*next)++;
        bool wide = i == FORMAT_COUNT; /* wide text */
        if (verb->formats & 1u << (wide ? (uint32_t)KARP_FORMAT_TEXT : i)) {
            return wide ? "wide" : format_names[i];
        }
    }
    return NULL;
}

bool parse_format(const cli_verb *verb, const char *text, uint32_t *format)
{
    for (uint32_t i = 0; i < FORMAT_COUNT; i++) {
        if (strcmp(text, format_names[i]) == 0 && (verb->formats & (1u << i)) != 0) {
            *format = i;
            return true;
        }
    }
    return false;
}

void name_formats(const cli_verb *verb, char *text, size_t room)
{
    size_t used = 0;
    const char *name;
    text[0] = '\0';
    for (uint32_t i = 0; used < room && (name = format_of(verb, &i)) != NULL;) {
        used += (size_t)snprintf(text + used, room - used, "%s%s%s", used > 0 ? ", " : "", name,
                                 i - 1 == verb->default_format ? " (default)" : "");
    }
}

enum { HELP_COLUMN = 28 };

static void print_option(const option_row *row)
{
    int used = printf("  --%s%s%s", row->name, row->argument ? " " : "", row->argument ? row->argument : "");
    if (used + 2 > HELP_COLUMN) {
        fputs("\n", stdout);
        used = 0;
    }
    printf("%*s", HELP_COLUMN - used, "");
    print_words(stdout, row->text, HELP_COLUMN, HELP_COLUMN);
}

void print_verb_help(const cli_verb *verb)
{
    char text[FORMATS_TEXT * 2];
    (void)snprintf(text, sizeof(text), "Usage: %s %s%s%s [options]", verb->program, verb->name,
                   verb->arguments[0] ? " " : "", verb->arguments);
    print_words(stdout, text, 0, 0);
    putchar('\n');
    print_words(stdout, verb->details, 0, 0);
    fputs("\nOptions:\n", stdout);
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (option_is_of(verb, &rows[i])) {
            print_option(&rows[i]);
        }
    }
    if (verb->options & CLI_OPTION_OUTPUT) {
        char formats[FORMATS_TEXT];
        name_formats(verb, formats, sizeof(formats));
        (void)snprintf(text, sizeof(text), "Formats: %s", formats);
        putchar('\n');
        print_words(stdout, text, 0, 0);
    }
    (void)snprintf(text, sizeof(text), "Exit status: 0 success, 1 an error%s%s.",
                   verb->options & CLI_OPTION_EXIT ? ", 2 changes (--detailed-exitcode)" : "",
                   verb->options & (CLI_OPTION_FAIL_ON | CLI_OPTION_LINT) ? ", 3 what --fail-on names" : "");
    putchar('\n');
    print_words(stdout, text, 0, 0);
}

/* ---- the words that options accept ------------------------------------------------------------------------------- */

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
