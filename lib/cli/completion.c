/* SPDX-License-Identifier: Apache-2.0 */
/* karp completion: scripts for shells, made from the table of options, so that they are never outdated. */
#include "option_table.h"

#include <stdio.h>
#include <string.h>

/* A text in single quotes for bash, zsh and fish. */
static void print_quoted_for_shell(const char *text)
{
    putchar('\'');
    for (; *text != '\0'; text++) {
        if (*text == '\'') fputs("'\\''", stdout);
        else putchar(*text);
    }
    putchar('\'');
}

static void print_commands(void)
{
    const char *between = "";
    for (size_t i = 0; verb_at(i) != NULL; i++) {
        printf("%s%s", between, verb_at(i)->name);
        between = " ";
    }
}

static bool is_file(const cli_option_shown *o)
{
    return o->argument != NULL && (strstr(o->argument, "FILE") != NULL || strstr(o->argument, ".json") != NULL);
}

/* Prints "  plan) options='…'", followed by the values of its options that have a list. */
static bool print_cases(const cli_options *options, const char *begin, const char *end)
{
    static const char *const letters[][2] = { { "output", "|-o" }, { "namespace", "|-n" } };
    for (size_t i = 0; verb_at(i) != NULL; i++) {
        const cli_verb *verb = verb_at(i);
        cli_option_shown o;
        printf("  %s) options=%s", verb->name, begin);
        for (size_t k = 0; option_of(verb, &k, &o);) printf("--%s ", o.name);
        printf("%s\n    case $before in\n", end);
        if (verb->first_words != NULL) printf("    %s) values='%s' ;;\n", verb->name, verb->first_words);
        for (size_t k = 0; option_of(verb, &k, &o);) {
            const char *letter = "";
            if (o.argument == NULL || is_file(&o)) continue;
            for (size_t l = 0; l < 2; l++) {
                if (strcmp(o.name, letters[l][0]) == 0) letter = letters[l][1];
            }
            printf("    --%s%s) values='", o.name, letter);
            if (!print_option_words(options, verb, o.name)) return false;
            fputs(" ' ;;\n", stdout);
        }
        fputs("    esac ;;\n", stdout);
    }
    return true;
}

/* bash splits --option=word into three words. */
static bool bash(const cli_options *options)
{
    fputs(
        "_karp() {\n  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options=--help values=\n"
        "  [ \"$word\" = = ] && { word=; before=${COMP_WORDS[COMP_CWORD-1]}; }\n"
        "  [ \"$before\" = = ] && before=${COMP_WORDS[COMP_CWORD-2]}\n"
        "  case ${COMP_WORDS[1]} in\n",
        stdout);
    if (!print_cases(options, "'", "'")) return false;
    fputs("  esac\n  if [ \"$COMP_CWORD\" = 1 ]; then COMPREPLY=($(compgen -W '", stdout);
    print_commands();
    fputs("' -- \"$word\"))\n"
          "  elif [ -n \"$values\" ]; then COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
          "  elif [ \"${word#-}\" != \"$word\" ]; then COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
          "  else COMPREPLY=($(compgen -f -- \"$word\")); fi\n}\ncomplete -o filenames -F _karp karp\n",
          stdout);
    return true;
}

static bool zsh(const cli_options *options)
{
    fputs(
        "#compdef karp\n_karp() {\n  local -a commands options\n  local values= before=$words[CURRENT-1]\n  commands=(",
        stdout);
    print_commands();
    fputs(")\n  if (( CURRENT == 2 )); then compadd -a commands; return; fi\n"
          "  if [[ $PREFIX == --*=* ]]; then before=${PREFIX%%=*}; compset -P '*='; fi\n  case $words[2] in\n",
          stdout);
    if (!print_cases(options, "(", ")")) return false;
    fputs("  esac\n  if [[ -n $values ]]; then compadd -- ${=values}\n"
          "  elif [[ $PREFIX == -* ]]; then compadd -a options; else _files; fi\n}\ncompdef _karp karp\n",
          stdout);
    return true;
}

static bool fish(const cli_options *options)
{
    for (size_t i = 0; verb_at(i) != NULL; i++) {
        const cli_verb *verb = verb_at(i);
        printf("complete -c karp -n __fish_use_subcommand -a %s -d ", verb->name);
        print_quoted_for_shell(verb->summary);
        putchar('\n');
        cli_option_shown o;
        if (verb->first_words != NULL)
            printf("complete -c karp -n '__fish_seen_subcommand_from %s' -a '%s'\n", verb->name, verb->first_words);
        for (size_t k = 0; option_of(verb, &k, &o);) {
            printf("complete -c karp -n '__fish_seen_subcommand_from %s' -l %s", verb->name, o.name);
            if (o.argument != NULL && is_file(&o)) fputs(" -r", stdout);
            if (o.argument != NULL && !is_file(&o)) {
                fputs(" -x -a '", stdout);
                if (!print_option_words(options, verb, o.name)) return false;
                putchar('\'');
            }
            fputs(" -d ", stdout);
            print_quoted_for_shell(o.text);
            putchar('\n');
        }
    }
    return true;
}

static int run_completion(const cli_options *options)
{
    static const struct {
        const char *name;
        bool (*print)(const cli_options *options); /* false = out of memory */
    } shells[] = { { "bash", bash }, { "zsh", zsh }, { "fish", fish } };
    const char *shell = options->words.items[0];
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (strcmp(shell, shells[i].name) != 0) continue;
        if (shells[i].print(options)) return standard_output_written();
        return problem_of_use(NULL, "out of memory");
    }
    return problem_of_use(shell, "completion is for bash, zsh and fish");
}

const cli_verb verb_completion = {
    .name = "completion",
    .arguments = "bash|zsh|fish",
    .first_words = "bash zsh fish",
    .summary = "a script that completes commands and options in a shell",
    .details = "Writes the script: source <(karp completion bash), karp completion fish | source.",
    .word_count = 1,
    .run = run_completion,
};
