/* SPDX-License-Identifier: Apache-2.0 */
/* The options of all commands, for the parser, the help and completion. */
#pragma once

#include "cli.h"

#include <getopt.h>

/* Reads an option's value. Returns -1 to go on, or the exit status. */
typedef int option_set(const cli_verb *verb, cli_options *options, const char *value);

/* STORE_LIST appends the value to a cli_list, STORE_TEXT sets a const char *, STORE_FLAG sets a bool, STORE_VALUE a
 * uint32_t, STORE_WORD a uint32_t to the value of a word, STORE_COUNT an unsigned number of decimal digits,
 * STORE_DECIMAL a double. */
typedef enum option_store {
    STORE_LIST,
    STORE_TEXT,
    STORE_FLAG,
    STORE_VALUE,
    STORE_WORD,
    STORE_COUNT,
    STORE_DECIMAL,
    STORE_CALL
} option_store;

/* The range of a number, and what to print about any other; for STORE_VALUE `least` is the value,
 * for STORE_WORD the list of words. */
typedef struct option_number {
    uint64_t least, most;
    size_t bytes; /* of the member */
    const char *message;
} option_number;

typedef struct option_row {
    char letter; /* 0 = it has no short form */
    const char *name;
    const char *argument; /* NULL = no argument */
    uint32_t group; /* CLI_OPTION_*, 0 = every command */
    option_store store;
    size_t at; /* the offset in cli_options */
    option_set *set; /* for STORE_CALL */
    option_number number;
    const char *text;
} option_row;

/* Whether the command has the option. */
bool option_is_of(const cli_verb *verb, const option_row *row);
/* The row for a value of getopt_long(): a letter, or a number from OPTION_FIRST. If several rows have one name, the row
 * of the command. */
const option_row *option_row_of(const cli_verb *verb, int key);
/* Fills in the options for getopt_long(). */
enum { OPTION_ROOM = 160, OPTION_FIRST = 256 };
void fill_getopt_table(struct option table[OPTION_ROOM]);

/* ---- option_values.c --------------------------------------------------------------------------------------------- */

/* Parses a number of bytes, written as a quantity. */
bool parse_size(const char *text, uint64_t *bytes);

/* Reads the value of a STORE_COUNT or STORE_DECIMAL. Returns as option_set does. */
int set_number(const cli_verb *verb, const option_row *row, const char *text, void *out);
/* The same for a STORE_WORD. */
int set_word(const cli_verb *verb, const option_row *row, const char *text, void *out);

/* Whether --method may name it: a pass or karp repack decides by it. */
bool is_asked(uint32_t method);

option_set set_color, set_fail_on, set_format, set_help, set_max_evictions, set_max_memory, set_method;
option_set set_boot, set_flavours;
option_set set_now, set_overhead, set_preview, set_profile, set_quiet, set_severity;
/* objective_options.c. They note in options->objective_given that they were given. */
option_set set_deadline, set_effort, set_ignore_weights, set_node_cost, set_objective, set_preferences;
option_set set_price_slack, set_spot_factor;

/* ---- options.c --------------------------------------------------------------------------------------------------- */

/* Appends to a list of the options. Returns -1, or the exit status if there is no memory. */
int list_add(cli_options *options, cli_list *list, const char *value);
/* wrong_option() about the option of the row. */
int wrong_row(const cli_verb *verb, const option_row *row, const char *message);

/* ---- formats ----------------------------------------------------------------------------------------------------- */

/* Parses a format that the command has. */
bool parse_format(const cli_verb *verb, const char *text, uint32_t *format);
/* "json, text (default), wide" */
enum { FORMATS_TEXT = 160 };
void name_formats(const cli_verb *verb, char *text, size_t room);

/* ---- the words that options accept: one list each, for parsing and for completion -------------------------------- */

/* Lists whose words have a value. */
enum {
    WORDS_ADMIT,
    WORDS_CLAIM_ORDER,
    WORDS_COLOR,
    WORDS_EFFORT,
    WORDS_EXPLAIN,
    WORDS_FAIL_ON,
    WORDS_LIMITS,
    WORDS_OBJECTIVE,
    WORDS_PREFERENCES,
    WORDS_REPLICAS_FROM,
    WORDS_DRA,
    WORDS_REQUESTS,
    WORDS_SEVERITY
};

enum { COLOR_NEVER, COLOR_ALWAYS, COLOR_AUTO }; /* values of WORDS_COLOR */
enum { FAIL_ON_UNSCHEDULABLE, FAIL_ON_NOTES, FAIL_ON_COST }; /* values of WORDS_FAIL_ON */

/* Sets *value to that of the word. false = the list does not have it. */
bool parse_word(size_t list, const char *text, uint64_t *value);
/* The same, and prints "--color: auto, always or never" if the list does not have it. Returns -1 to go on, or the exit
 * status. */
int read_word(const cli_verb *verb, size_t list, const char *text, uint64_t *value);
/* Prints the words of a command's option, with a space before each; nothing if it has no list. false = out of memory.
 */
bool print_option_words(const cli_options *options, const cli_verb *verb, const char *option);
