/* SPDX-License-Identifier: Apache-2.0 */
/* karp: which nodes would Karpenter start and stop, offline. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

static const cli_verb *const verbs[] = {&verb_plan, &verb_disrupt, &verb_explain, &verb_verify, &verb_whatif,
                                         &verb_simulate, &verb_catalogue, &verb_dump, &verb_bench};

enum { VERB_COUNT = sizeof(verbs) / sizeof(verbs[0]) };

static void print_help(FILE *out)
{
    fputs("Usage: karp COMMAND [options]\n\n"
          "Says which nodes Karpenter would start and stop for a cluster, from files alone.\n\nCommands:\n",
          out);
    for (size_t i = 0; i < VERB_COUNT; i++) {
        fprintf(out, "  %-10s  %s\n", verbs[i]->name, verbs[i]->summary);
    }
    fputs("\nkarp COMMAND --help lists its options; karp --version prints the version.\n\n"
          "  kubectl get pods,nodes,nodepools,nodeclaims,daemonsets -A -o json | karp plan -f -\n",
          out);
}

static const cli_verb *find_verb(const char *name)
{
    for (size_t i = 0; i < VERB_COUNT; i++) {
        if (strcmp(verbs[i]->name, name) == 0) {
            return verbs[i];
        }
    }
    return NULL;
}

static void take_log(uint32_t level, karp_str message, void *user)
{
    const bool *wanted = user;
    if (*wanted && level == KARP_LOG_WARNING) {
        print_note(message);
    }
}

static int run(const cli_verb *verb, int argc, char **argv)
{
    karp_error error;
    karp_error_init(&error, sizeof(error));
    karp_context_options context_options;
    karp_context_options_init(&context_options, sizeof(context_options));
    bool log_notes = false;
    context_options.log = take_log;
    context_options.log_user = &log_notes;
    cli_options options;
    memset(&options, 0, sizeof(options));
    options.log_notes = &log_notes;
    if (karp_context_new(&context_options, &options.context, &error) != KARP_OK) {
        print_error(&error);
        return EXIT_ERROR;
    }
    int status = options_read(verb, argc, argv, &options);
    if (status < 0) {
        status = verb->run(&options);
    }
    options_free(&options);
    karp_context_free(options.context);
    return status;
}

static int unknown(const char *name)
{
    fprintf(stderr, "karp: unknown command '%s'; the commands are", name);
    for (size_t i = 0; i < VERB_COUNT; i++) {
        fprintf(stderr, "%s %s", i == 0 ? "" : ",", verbs[i]->name);
    }
    fputs(" (karp --help)\n", stderr);
    return EXIT_ERROR;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return EXIT_ERROR;
    }
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        printf("karp %s\n", karp_version());
        return fflush(stdout) == 0 ? EXIT_OK : EXIT_ERROR;
    }
    bool help = strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
    if (help && argc == 2) {
        print_help(stdout);
        return fflush(stdout) == 0 ? EXIT_OK : EXIT_ERROR;
    }
    const cli_verb *verb = find_verb(help ? argv[2] : word);
    if (verb == NULL) {
        return unknown(help ? argv[2] : word);
    }
    if (help) {
        print_verb_help(verb);
        return fflush(stdout) == 0 ? EXIT_OK : EXIT_ERROR;
    }
    return run(verb, argc - 1, argv + 1);
}
