/* SPDX-License-Identifier: Apache-2.0 */
/* karp completion: scripts for shells, made of the table of options, so that they cannot be out of date. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

/* A text between single quotes, as bash, zsh and fish read it. */
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

static void bash(void)
{
    fputs("_karp() {\n  local word=${COMP_WORDS[COMP_CWORD]} options=--help\n  case ${COMP_WORDS[1]} in\n", stdout);
    for (size_t i = 0; verb_at(i) != NULL; i++) {
        printf("  %s) options='", verb_at(i)->name);
        cli_option_shown o;
        for (size_t k = 0; option_of(verb_at(i), &k, &o);) printf("--%s ", o.name);
        fputs("' ;;\n", stdout);
    }
    fputs("  esac\n  if [ \"$COMP_CWORD\" = 1 ]; then COMPREPLY=($(compgen -W '", stdout);
    print_commands();
    fputs("' -- \"$word\"))\n  elif [ \"${word#-}\" != \"$word\" ]; then COMPREPLY=($(compgen -W \"$options\" -- "
          "\"$word\"))\n"
          "  else COMPREPLY=($(compgen -f -- \"$word\")); fi\n}\ncomplete -o filenames -F _karp karp\n",
          stdout);
}

static void zsh(void)
{
    fputs("#compdef karp\n_karp() {\n  local -a commands options\n  commands=(", stdout);
    print_commands();
    fputs(")\n  if (( CURRENT == 2 )); then compadd -a commands; return; fi\n  case $words[2] in\n", stdout);
    for (size_t i = 0; verb_at(i) != NULL; i++) {
        printf("  %s) options=(", verb_at(i)->name);
        cli_option_shown o;
        for (size_t k = 0; option_of(verb_at(i), &k, &o);) printf("--%s ", o.name);
        fputs(") ;;\n", stdout);
    }
    fputs("  esac\n  if [[ $PREFIX == -* ]]; then compadd -a options; else _files; fi\n}\ncompdef _karp karp\n",
          stdout);
}

static void fish(void)
{
    for (size_t i = 0; verb_at(i) != NULL; i++) {
        const cli_verb *verb = verb_at(i);
        printf("complete -c karp -n __fish_use_subcommand -a %s -d ", verb->name);
        print_quoted_for_shell(verb->summary);
        putchar('\n');
        cli_option_shown o;
        for (size_t k = 0; option_of(verb, &k, &o);) {
            printf("complete -c karp -n '__fish_seen_subcommand_from %s' -l %s%s -d ", verb->name, o.name,
                   o.argument != NULL ? " -r" : "");
            print_quoted_for_shell(o.text);
            putchar('\n');
        }
    }
}

static int run(const cli_options *options)
{
    const char *shell = options->words.items[0];
    if (strcmp(shell, "bash") == 0) bash();
    else if (strcmp(shell, "zsh") == 0) zsh();
    else if (strcmp(shell, "fish") == 0) fish();
    else {
        print_problem(shell, "completion is for bash, zsh and fish");
        return EXIT_ERROR;
    }
    return standard_output_written();
}

const cli_verb verb_completion = {
    .name = "completion",
    .arguments = "bash|zsh|fish",
    .summary = "a script that completes commands and options in a shell",
    .details = "Writes the script: source <(karp completion bash), karp completion fish | source.",
    .word_count = 1,
    .run = run,
};
