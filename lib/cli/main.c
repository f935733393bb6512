/* SPDX-License-Identifier: Apache-2.0 */
/* karp: shows offline which nodes Karpenter would launch and remove. */
#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* getentropy() … */
#endif

#include "cli.h"

#include <base/nearest.h>

#include <karp/peer.h>
#if defined(__APPLE__)
#include <sys/random.h> /* … which is here */
#endif
#include <unistd.h>

static const cli_verb *const verbs[] = { &verb_plan,   &verb_disrupt,    &verb_explain,   &verb_verify,
                                         &verb_whatif, &verb_simulate,   &verb_catalogue, &verb_dump,
                                         &verb_bench,  &verb_diff,       &verb_repack,    &verb_replay,
                                         &verb_facts,  &verb_lint,       &verb_blockers,  &verb_nodes,
                                         &verb_top,    &verb_completion, &verb_admit,     &verb_record,
                                         &verb_tune,   &verb_twin };

enum { VERB_COUNT = sizeof(verbs) / sizeof(verbs[0]) };

/* Under this name the program is a kubectl plugin, and its input is the cluster that kubectl points to. */
static const char plugin_name[] = "kubectl-karp";

static bool is_plugin(const char *called)
{
    const char *slash = strrchr(called, '/');
    return strcmp(slash == NULL ? called : slash + 1, plugin_name) == 0;
}

enum { SUMMARY_COLUMN = 14 };

static void print_help(FILE *out, bool plugin)
{
    fprintf(out, "Usage: %s COMMAND [options]\n\n", plugin ? "kubectl karp" : "karp");
    print_words(out,
                plugin ? "Says which nodes Karpenter would launch and terminate for the cluster that kubectl points to."
                       : "Says which nodes Karpenter would launch and terminate for a cluster, offline.",
                0, 0);
    fputs("\nCommands:\n", out);
    for (size_t i = 0; i < VERB_COUNT; i++) {
        fprintf(out, "  %-10s  ", verbs[i]->name);
        print_words(out, verbs[i]->summary, SUMMARY_COLUMN, SUMMARY_COLUMN);
    }
    fputc('\n', out);
    print_words(out,
                plugin
                    ? "kubectl karp COMMAND --help lists its options; files given with -f are read after the cluster."
                    : "karp COMMAND --help lists its options; karp --version prints the version and what is built in.",
                0, 0);
    if (!plugin) {
        fputs("\n  kubectl get -A -o json \\\n    pods,nodes,nodepools,nodeclaims,daemonsets |\n    karp plan -f -\n",
              out);
    }
}

const cli_verb *verb_at(size_t index) { return index < VERB_COUNT ? verbs[index] : NULL; }

static const cli_verb *find_verb(const char *name)
{
    for (size_t i = 0; i < VERB_COUNT; i++) {
        if (strcmp(verbs[i]->name, name) == 0) return verbs[i];
    }
    return NULL;
}

static void take_log(uint32_t level, karp_str message, void *user)
{
    const bool *wanted = user;
    if (*wanted && level == KARP_LOG_WARNING) print_note(message);
}

/* The command as it is under the name by which the program was called. */
static cli_verb called_as(const cli_verb *verb, bool plugin)
{
    cli_verb own = *verb;
    own.program = plugin ? "kubectl karp" : "karp";
    if (plugin && (own.options & CLI_OPTION_INPUT)) own.options |= CLI_OPTION_CLUSTER;
    return own;
}

/* Three quarters of the machine's memory: beyond that other programs would run out of memory first. 0 = unknown, no
 * limit. */
static uint64_t memory_to_use(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && bytes > 0 ? (uint64_t)pages / 4 * 3 * (uint64_t)bytes : 0;
}

static int run_verb(const cli_verb *verb, int argc, char **argv)
{
    karp_error error = { .size = sizeof error };
    karp_context_options context_options;
    karp_context_options_init(&context_options, sizeof(context_options));
    bool log_notes = false;
    if (getentropy(&context_options.hash_seed, sizeof(context_options.hash_seed)) != 0) context_options.hash_seed = 0;
    context_options.max_memory = memory_to_use();
    options_memory(argc, argv, &context_options.max_memory);
    context_options.log = take_log;
    context_options.log_user = &log_notes;
    cli_options options;
    memset(&options, 0, sizeof(options));
    if (verb == &verb_tune) { /* nothing else is known to gain by it */
        context_options.parallel_for = threads_run;
        context_options.parallel_user = &options.threads;
    }
    options.log_notes = &log_notes;
    options.program = verb->program;
    if (karp_context_new(&context_options, &options.context, &error) != KARP_OK) {
        print_error(&error);
        return EXIT_ERROR;
    }
    int status = options_read(verb, argc, argv, &options);
    if (status < 0) status = options_together(verb, &options);
    if (status < 0) {
        status = verb->run(&options);
        if (status != EXIT_ERROR && standard_output_written() != EXIT_OK) status = EXIT_ERROR;
    }
    options_free(&options);
    karp_context_unref(options.context);
    return status;
}

/* Prints the version, and what is built in. */
static int print_version(void)
{
    karp_context_options context_options;
    cli_options options;
    memset(&options, 0, sizeof(options));
    karp_context_options_init(&context_options, sizeof(context_options));
    printf("karp %s\n", karp_version());
    char peers[256] = "";
    const char *newest = karp_peer_version_name(KARP_PEER_NEWEST);
    str_append(peers, sizeof(peers), "Decides as Karpenter %s does", newest);
    uint32_t profile, version;
    for (size_t i = 1; karp_profile_parse(str(karp_profile_at(i)), &profile, &version) == KARP_OK; i++) {
        const char *name = karp_peer_version_name(version);
        if (profile != KARP_PROFILE_KARPENTER || strcmp(name, newest) == 0) break;
        str_append(peers, sizeof(peers), ", or %s (--profile %s)", name, karp_profile_at(i));
    }
    str_append(peers, sizeof(peers), ".");
    print_words(stdout, peers, 0, 0);
    bool good = karp_context_new(&context_options, &options.context, NULL) == KARP_OK;
    if (good) {
        good = facts_print_built_in(&options);
        karp_context_unref(options.context);
    }
    if (good) return standard_output_written();
    return problem_of_use(NULL, "out of memory");
}

static int unknown(const char *name)
{
    nearest meant = { .wanted = str(name), .distance = 2 }; /* two letters may be wrong */
    for (size_t i = 0; i < VERB_COUNT; i++) nearest_offer(&meant, str(verbs[i]->name));
    if (meant.best.ptr != NULL) {
        fprintf(stderr, "karp: unknown command '%s'; did you mean karp %.*s? (karp --help)\n", name,
                (int)meant.best.len, meant.best.ptr);
        return EXIT_ERROR;
    }
    fprintf(stderr, "karp: unknown command '%s'; the commands are", name);
    for (size_t i = 0; i < VERB_COUNT; i++) fprintf(stderr, "%s %s", i == 0 ? "" : ",", verbs[i]->name);
    fputs(" (karp --help)\n", stderr);
    return EXIT_ERROR;
}

/* Options may precede the command, as in kubectl. The command is moved before them. */
static void command_first(int argc, char **argv)
{
    int at = options_before(argc, argv);
    if (at > 1 && at < argc) {
        char *word = argv[at];
        memmove(&argv[2], &argv[1], (size_t)(at - 1) * sizeof(argv[0]));
        argv[1] = word;
    }
}

int main(int argc, char **argv)
{
    bool plugin = argc > 0 && is_plugin(argv[0]);
    command_first(argc, argv);
    if (argc < 2) {
        print_help(stderr, plugin);
        return EXIT_ERROR;
    }
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) return print_version();
    bool help = strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
    if (help && (argc == 2 || argv[2][0] == '-')) {
        print_help(stdout, plugin);
        return standard_output_written();
    }
    const cli_verb *verb = find_verb(help ? argv[2] : word);
    if (verb == NULL) return unknown(help ? argv[2] : word);
    const cli_verb own = called_as(verb, plugin);
    if (help) {
        print_verb_help(&own);
        return standard_output_written();
    }
    return run_verb(&own, argc - 1, argv + 1);
}
