/* SPDX-License-Identifier: Apache-2.0 */
/* The options of all commands, for the parser, the help and completion. */
#ifndef CLI_OPTION_TABLE_H
#define CLI_OPTION_TABLE_H

#include "cli.h"

#include <getopt.h>

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

/* Whether the command has the option. */
bool option_is_of(const cli_verb *verb, const option_row *row);
/* The row of that key; of several, the command's own. NULL = there is none. */
const option_row *option_row_of(const cli_verb *verb, int key);
/* Fills in the options for getopt_long(). */
enum { OPTION_ROOM = 160 };
void fill_getopt_table(struct option table[OPTION_ROOM]);

/* Parses a format that the command has. */
bool parse_format(const cli_verb *verb, const char *text, uint32_t *format);
/* "json, text (default), wide" */
enum { FORMATS_TEXT = 160 };
void name_formats(const cli_verb *verb, char *text, size_t room);

/* ---- the words that options accept: one list each, for parsing and for completion -------------------------------- */

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
