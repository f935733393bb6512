/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "objective_options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <karp/library.h>
#include <karp/peer.h>

enum {
    KEY_FILE = 'f',
    KEY_OUTPUT = 'o',
    KEY_HELP = 'h',
    KEY_NAMESPACE = 'n',
    KEY_RECURSIVE = 'R',
    KEY_QUIET = 'q',
    KEY_VERBOSE = 'v',
    KEY_CATALOGUE = 256,
    KEY_PROVIDER,
    KEY_REGION,
    KEY_FACTS,
    KEY_SET,
    KEY_NOW,
    KEY_STRICT,
    KEY_PROFILE,
    KEY_EXPLAIN,
    KEY_COMPACT,
    KEY_DIGEST,
    KEY_COLOR,
    KEY_WIDTH,
    KEY_DETAILED_EXITCODE,
    KEY_FAIL_ON,
    KEY_BASELINE,
    KEY_DISRUPT,
    KEY_SETTLE,
    KEY_NO_DISRUPT,
    KEY_METHOD,
    KEY_MAX_SIMULATIONS,
    KEY_MEMORY_IN,
    KEY_MEMORY_OUT,
    KEY_MAX_STEPS,
    KEY_OBJECTIVE,
    KEY_EFFORT,
    KEY_NODE_COST,
    KEY_SPOT_FACTOR,
    KEY_PRICE_SLACK,
    KEY_PREFERENCES,
    KEY_IGNORE_WEIGHTS,
    KEY_DEADLINE,
    KEY_COMMITMENTS,
    KEY_MAX_MEMORY,
    KEY_MAX_EVICTIONS,
    KEY_MIN_SAVING,
    KEY_MIN_SAVING_PER_EVICTION,
    KEY_IGNORE_BUDGETS,
    KEY_IGNORE_CONSOLIDATE_AFTER,
    KEY_CERTIFICATE,
    KEY_RESERVED_ENIS,
    KEY_VM_MEMORY_OVERHEAD,
    KEY_ALL_TYPES,
    KEY_EXPORT_FACTS,
    KEY_REMOVE,
    KEY_LOSE_ZONE,
    KEY_PRICE_FACTOR,
    KEY_ADD,
    KEY_REPLACE,
    KEY_DELETE,
    KEY_SCALE,
    KEY_FEATURE_GATES,
    KEY_PRICES,
    KEY_DESIGN,
    KEY_LIST,
    KEY_INPUT,
    KEY_JSON,
    KEY_RUNS,
    KEY_CONTEXT, /* this and the following in the order of KUBECTL_* */
    KEY_KUBECONFIG,
    KEY_CLUSTER,
    KEY_USER,
    KEY_AS,
    KEY_REQUEST_TIMEOUT,
    KEY_NODEPOOLS,
    KEY_POLICY,
    KEY_MOST_ALLOCATED,
    KEY_LENIENT,
    KEY_AS_PLANNED,
    KEY_UNTIL, /* this and the following in the order of REPLAY_* */
    KEY_SEED,
    KEY_FORMAT,
    KEY_STEP,
    KEY_BOOT,
    KEY_BOOT_JITTER,
    KEY_DISRUPTION_INTERVAL,
    KEY_INTERRUPTIONS,
    KEY_DUMP_AT,
    KEY_REPACK
};

typedef struct option_row {
    int key;
    const char *name;
    const char *argument; /* NULL = no argument */
    uint32_t group; /* CLI_OPTION_*, 0 = every command */
    const char *text;
} option_row;

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

static bool takes(const cli_verb *verb, const option_row *row)
{
    return row->group == 0 || (verb->options & row->group) != 0;
}

static const char *const format_names[] = {
    [KARP_FORMAT_JSON] = "json",         [KARP_FORMAT_TEXT] = "text",   [KARP_FORMAT_YAML] = "yaml",
    [KARP_FORMAT_JSON_LOG] = "json-log", [KARP_FORMAT_HTML] = "html",   [KARP_FORMAT_CSV] = "csv",
    [KARP_FORMAT_MARKDOWN] = "markdown", [KARP_FORMAT_SARIF] = "sarif", [KARP_FORMAT_PROMETHEUS] = "prometheus",
};

/* -o wide: the largest width that --width accepts, so that nothing is wrapped or shortened. */
enum { WIDE = 1000 };

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

/* "json, text (default), wide" */
static void name_formats(const cli_verb *verb, char *text, size_t room)
{
    size_t used = 0;
    const char *name;
    text[0] = '\0';
    for (uint32_t i = 0; used < room && (name = format_of(verb, &i)) != NULL;) {
        used += (size_t)snprintf(text + used, room - used, "%s%s%s", used > 0 ? ", " : "", name,
                                 i - 1 == verb->default_format ? " (default)" : "");
    }
}

enum { FORMATS_TEXT = 160, HELP_COLUMN = 28 };

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
        if (takes(verb, &rows[i])) {
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

bool option_of(const cli_verb *verb, size_t *next, cli_option_shown *out)
{
    while (*next < ROW_COUNT) {
        const option_row *row = &rows[(*next)++];
        if (takes(verb, row)) {
            *out = (cli_option_shown){ row->name, row->argument, row->text };
            return true;
        }
    }
    return false;
}

/* The index of a word in a list; false when it is not there. */
bool parse_word(const char *text, const char *const *words, uint32_t count, uint32_t *out)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(text, words[i]) == 0) {
            *out = i;
            return true;
        }
    }
    return false;
}

static int set_format(const cli_verb *verb, cli_options *options, const char *text)
{
    uint32_t format = 0;
    if (strcmp(text, "wide") == 0 && (verb->formats & (1u << KARP_FORMAT_TEXT)) != 0) {
        options->format = KARP_FORMAT_TEXT;
        options->width = WIDE;
        return -1;
    }
    if (!parse_word(text, format_names, FORMAT_COUNT, &format) || (verb->formats & (1u << format)) == 0) {
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
    static const char *const words[] = { "never", "always", "auto" };
    uint32_t word = 0;
    if (!parse_word(text, words, 3, &word)) {
        return wrong_option(verb, "--color", "auto, always or never");
    }
    if (word < 2) options->color = word == 1;
    return -1;
}

static int set_severity(const cli_verb *verb, cli_options *options, const char *text)
{
    static const char *const words[] = { "info", "warning", "error" };
    if (!parse_word(text, words, 3, &options->lint_fails))
        return wrong_option(verb, "--fail-on", "info, warning or error");
    options->lint_fails++;
    return -1;
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
    static const char *const levels[] = { "summary", "none", "full" };
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
    case KEY_EXPLAIN:
        return parse_word(value, levels, 3, &options->explain)
                   ? -1
                   : wrong_option(verb, "--explain", "none, summary or full");
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

/* The row of that key; of several the one for this command. */
static const option_row *row_of(const cli_verb *verb, int key)
{
    const option_row *found = NULL;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (rows[i].key == key && (found == NULL || takes(verb, &rows[i]))) {
            found = &rows[i];
        }
    }
    return found;
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

/* The rows in the format of getopt. */
static void fill_table(struct option table[ROW_COUNT + 1])
{
    memset(table, 0, (ROW_COUNT + 1) * sizeof(table[0]));
    for (size_t i = 0; i < ROW_COUNT; i++) {
        table[i].name = rows[i].name;
        table[i].has_arg = rows[i].argument != NULL ? required_argument : no_argument;
        table[i].val = rows[i].key;
    }
}

#define SHORT_OPTIONS "f:o:hn:Rqv"

int options_before(int argc, char **argv)
{
    struct option table[ROW_COUNT + 1];
    fill_table(table);
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
    struct option table[ROW_COUNT + 1];
    fill_table(table);
    opterr = 0;
    for (int key; (key = getopt_long(argc, argv, "-:" SHORT_OPTIONS, table, NULL)) != -1;) {
        if (key == KEY_MAX_MEMORY) {
            (void)parse_size(optarg, bytes);
        }
    }
    optind = 0;
}

int options_read(const cli_verb *verb, int argc, char **argv, cli_options *options)
{
    struct option table[ROW_COUNT + 1];
    fill_table(table);
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
        const option_row *row = row_of(verb, key);
        if (row == NULL || !takes(verb, row)) {
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
