/* SPDX-License-Identifier: Apache-2.0 */
#include "option_table.h"

#include <base/nearest.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int wrong_option(const cli_verb *verb, const char *what, const char *message)
{
    fprintf(stderr, "karp %s: %s: %s (%s %s --help)\n", verb->name, what, message, verb->program, verb->name);
    return EXIT_ERROR;
}

int wrong_row(const cli_verb *verb, const option_row *row, const char *message)
{
    char name[64];
    (void)snprintf(name, sizeof(name), "--%s", row->name);
    return wrong_option(verb, name, message);
}

int list_add(cli_options *options, cli_list *list, const char *value)
{
    if (list->items == NULL) list->items = arena_array(&options->lists, options->argument_count + 1, sizeof(char *));
    if (list->items == NULL) return problem_of_use(NULL, "out of memory");
    list->items[list->count++] = value;
    return -1;
}

/* Stores the value of an option where its row says. Returns -1 to go on, or the exit status. */
static int set_option(const cli_verb *verb, cli_options *options, const option_row *row, const char *value)
{
    void *at = (char *)options + row->at;
    switch (row->store) {
    case STORE_LIST: return list_add(options, at, value);
    case STORE_TEXT: *(const char **)at = value; return -1;
    case STORE_FLAG: *(bool *)at = true; return -1;
    case STORE_VALUE: *(uint32_t *)at = (uint32_t)row->number.least; return -1;
    case STORE_WORD: return set_word(verb, row, value, at);
    case STORE_COUNT:
    case STORE_DECIMAL: return set_number(verb, row, value, at);
    case STORE_CALL: return row->set(verb, options, value);
    }
    return EXIT_ERROR;
}

void options_free(cli_options *options) { arena_free(&options->lists); }

/* "pod/web-0" is "pod" and "web-0". */
static int take_slash_words(cli_options *options, const char *given)
{
    size_t kind = strcspn(given, "/");
    const char *copy = arena_string(&options->lists, given, kind);
    if (copy == NULL) return problem_of_use(NULL, "out of memory");
    options->slashed = true;
    int status = list_add(options, &options->words, copy);
    return status >= 0 ? status : list_add(options, &options->words, given + kind + 1);
}

static int take_words(const cli_verb *verb, cli_options *options, int argc, char **argv)
{
    size_t words = options->certificate != NULL ? 0 : verb->word_count; /* verify: a proof instead of a plan */
    for (int i = optind; i < argc; i++) {
        if (verb->slash_words && options->words.count == 0 && strchr(argv[i], '/') != NULL) {
            int status = take_slash_words(options, argv[i]);
            if (status >= 0) return status;
            continue;
        }
        cli_list *list = options->words.count < words ? &options->words : &options->files;
        if (list == &options->files && (verb->options & (CLI_OPTION_INPUT | CLI_OPTION_REPLAY | CLI_OPTION_PARTS)) == 0)
            return wrong_option(verb, argv[i], "not expected");
        int status = list_add(options, list, argv[i]);
        if (status >= 0) return status;
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
    } while (key != -1 && key != '?' && key != ':' && key != 'h');
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
        if (key >= OPTION_FIRST && strcmp(table[key - OPTION_FIRST].name, "max-memory") == 0)
            (void)parse_size(optarg, bytes);
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
    for (size_t i = 0; given[0] == '-' && given[1] == '-' && option_of(verb, &i, &o);)
        nearest_offer(&meant, str(o.name));
    if (strcmp(word, "lose-node") == 0 && strcmp(verb->name, "whatif") == 0) meant.best = str("remove");
    (void)snprintf(message, sizeof(message),
                   meant.best.ptr != NULL ? "no such option; did you mean --%s?" : "no such option", meant.best.ptr);
    return wrong_option(verb, given, message);
}

/* Whether the option is one of the whole command, which a side of a comparison does not have. */
static bool is_of_answer(const option_row *row)
{
    return (row->group & (CLI_OPTION_OUTPUT | CLI_OPTION_EXIT | CLI_OPTION_FAIL_ON)) != 0 ||
           strcmp(row->name, "max-memory") == 0 || strcmp(row->name, "deadline") == 0 ||
           strcmp(row->name, "settle") == 0 || strcmp(row->name, "no-disrupt") == 0;
}

int options_read(const cli_verb *verb, int argc, char **argv, cli_options *options)
{
    struct option table[OPTION_ROOM];
    fill_getopt_table(table);
    const char *no_color = getenv("NO_COLOR");
    options->format = verb->default_format;
    options->runs = 5;
    options->changes = 3;
    karp_objective_init(&options->objective, sizeof(options->objective));
    karp_repack_options_init(&options->repack, sizeof(options->repack));
    options->cluster = (verb->options & CLI_OPTION_CLUSTER) != 0;
    options->takes_away = (verb->options & CLI_OPTION_UNAVAILABLE) != 0;
    options->color = isatty(STDOUT_FILENO) && (no_color == NULL || no_color[0] == '\0');
    options->argument_count = (size_t)argc;
    arena_init(&options->lists, options->context);
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
        if (key == ':') return wrong_option(verb, argv[optind - 1], "needs a value");
        if (key == '?') return unknown_option(verb, argv[optind - 1]);
        const option_row *row = option_row_of(verb, key);
        if (!option_is_of(verb, row)) return wrong_row(verb, row, "not an option of this command");
        if (is_of_answer(row)) options->of_answer = row->name;
        int status = set_option(verb, options, row, optarg);
        if (status >= 0) return status;
    }
}
