/* SPDX-License-Identifier: Apache-2.0 */
/* The words that options accept, for options that have only a few: one list each, for parsing and for completion. */
#ifndef CLI_OPTION_WORDS_H
#define CLI_OPTION_WORDS_H

#include "cli.h"

/* Lists whose words have a value. */
enum { WORDS_COLOR, WORDS_EFFORT, WORDS_EXPLAIN, WORDS_FAIL_ON, WORDS_OBJECTIVE, WORDS_PREFERENCES, WORDS_SEVERITY };

enum { COLOR_NEVER, COLOR_ALWAYS, COLOR_AUTO }; /* values of WORDS_COLOR */
enum { FAIL_ON_UNSCHEDULABLE, FAIL_ON_NOTES, FAIL_ON_COST }; /* values of WORDS_FAIL_ON */

/* Sets *value to that of the word. false = the list does not have it. */
bool parse_word(size_t list, const char *text, uint64_t *value);
/* The same, and prints "--color: auto, always or never" if the list does not have it. Returns -1 to go on, or the exit
 * status. */
int read_word(const cli_verb *verb, size_t list, const char *text, uint64_t *value);
/* Prints the words of a command's option, with a space before each; nothing if it has no list. */
void print_option_words(const cli_options *options, const cli_verb *verb, const char *option);

#endif
