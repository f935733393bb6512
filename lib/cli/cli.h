/* SPDX-License-Identifier: Apache-2.0 */
/* What the verbs of `karp` share: options, input, output, errors. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include <karp/columns.h>
#include <karp/io.h>
#include <karp/karp.h>
#include <karp/objective.h>
#include <karp/repack.h>
#include <karp/replay.h>
#include <karp/what_if.h>

/* Exit statuses; docs/formats.md. */
enum { EXIT_OK = 0, EXIT_ERROR = 1, EXIT_CHANGES = 2, EXIT_UNSCHEDULABLE = 3 };

typedef struct cli_list {
    const char **items;
    size_t count;
} cli_list;

/* Options of kubectl that are its own business. */
enum {
    KUBECTL_CONTEXT,
    KUBECTL_KUBECONFIG,
    KUBECTL_CLUSTER,
    KUBECTL_USER,
    KUBECTL_AS,
    KUBECTL_REQUEST_TIMEOUT,
    KUBECTL_OPTIONS
};

/* Options of a replay that replay.c reads. */
enum {
    REPLAY_UNTIL,
    REPLAY_SEED,
    REPLAY_FORMAT,
    REPLAY_STEP,
    REPLAY_BOOT,
    REPLAY_BOOT_JITTER,
    REPLAY_DISRUPTION_INTERVAL,
    REPLAY_INTERRUPTIONS,
    REPLAY_DUMP_AT,
    REPLAY_REPACK,
    REPLAY_OPTIONS
};

/* One difference of two inputs, to be laid over what is read. */
typedef struct cli_difference {
    const karp_reader *before, *after;
    size_t number;
} cli_difference;

typedef struct cli_options {
    karp_context *context;
    bool *log_notes; /* whether what the library logs is printed: off while a reader keeps its notes itself */
    cli_list files; /* -f, and what stands after the verb's own words */
    cli_list catalogues; /* --catalogue */
    cli_list words; /* what the verb takes before files */
    cli_list prices;
    cli_list replaced; /* --replace, as given; likewise the next two */
    cli_list deleted;
    cli_list scaled;
    cli_list designs; /* --design */
    const cli_difference *laid; /* NULL = none; karp diff plans with one at a time */
    const char *program; /* what it was called by */
    char **sides; /* of karp diff A -- B: from the first "--" on, NULL = there is none */
    int side_count;
    const char *of_answer; /* an option of how the answer is written or judged that was given; NULL = none */
    cli_list removed; /* --remove, as given; likewise below */
    cli_list zones;
    cli_list factors;
    cli_list inputs; /* bench --input */
    cli_list facts; /* --facts, as given */
    cli_list settings; /* --set, likewise */
    cli_list profiles; /* --profile, every one that was given */
    cli_list pools, policies; /* --nodepools, --policy, as given */
    const char *replay[REPLAY_OPTIONS]; /* NULL = not given */
    bool most_allocated, lenient, as_planned;
    size_t list_bytes; /* of each list's memory: enough for every argument */
    const char *region; /* NULL = not given; likewise below */
    const char *provider;
    const char *pod_namespace;
    const char *feature_gates;
    int64_t now; /* 0 = not given */
    uint32_t profile, peer_version;
    uint32_t explain;
    uint32_t format;
    uint32_t width;
    uint32_t method;
    uint64_t max_simulations;
    uint64_t max_steps;
    karp_objective objective;
    uint32_t objective_given; /* OBJECTIVE_*, ored */
    int64_t deadline, deadline_from; /* of the monotonic clock, nanoseconds; 0 = none. When it was set */
    karp_repack_options repack;
    int64_t reserved_enis;
    double vm_memory_overhead;
    bool vm_memory_overhead_given;
    const char *memory_in; /* NULL = not given; likewise the next */
    const char *memory_out;
    const char *certificate;
    uint32_t runs;
    bool list;
    bool export_facts;
    bool all_types;
    bool format_given;
    bool compact;
    uint32_t lint_fails; /* the least severity that fails, plus one; 0 = none */
    bool digest; /* text says that of the input */
    bool strict;
    bool recursive;
    bool note_deleted; /* pods that --replace, --delete and --scale take away */
    bool verbose;
    int64_t now_later; /* --now +8h: nanoseconds */
    bool color;
    bool disrupt;
    bool settle;
    bool no_disrupt;
    bool detailed_exitcode;
    bool fail_on_unschedulable;
    bool fail_on_notes;
    bool fail_on_cost;
    bool cost_is_part,
        cost_is_more; /* a part of the baseline, and what it may be more than that; else an amount per month */
    double cost_limit;
    const char *baseline; /* --baseline; NULL = the cost before */
    bool cluster; /* the input is what kubectl shows, and files after it */
    const char *kubectl[KUBECTL_OPTIONS]; /* what is passed on to it; NULL = not given */
} cli_options;

/* What was said of the objective. */
enum {
    OBJECTIVE_KIND = 1,
    OBJECTIVE_EFFORT = 2,
    OBJECTIVE_NODE_COST = 4,
    OBJECTIVE_SPOT_FACTOR = 8,
    OBJECTIVE_PRICE_SLACK = 16,
    OBJECTIVE_PREFERENCES = 32
};

typedef struct cli_verb {
    const char *program; /* what it was called by, set when it runs */
    const char *name;
    const char *arguments; /* of the usage line, before the options */
    const char *summary; /* one line */
    const char *details; /* for --help */
    size_t word_count; /* how many words come before files */
    uint32_t options; /* the options it takes, CLI_OPTION_* ored */
    uint32_t formats; /* bit 1 << KARP_FORMAT_* for each it writes */
    uint32_t default_format;
    int (*run)(const cli_options *options);
} cli_verb;

extern const cli_verb verb_plan, verb_disrupt, verb_explain, verb_verify, verb_catalogue, verb_dump;
extern const cli_verb verb_whatif, verb_simulate, verb_bench, verb_diff, verb_repack, verb_replay, verb_facts;
extern const cli_verb verb_lint, verb_blockers, verb_completion;

/* ---- options.c --------------------------------------------------------------------------------------------------- */

enum {
    CLI_OPTION_INPUT = 1, /* -f --replace --delete --scale --now --strict */
    CLI_OPTION_CATALOGUE = 2, /* --catalogue --provider --region --facts --set */
    CLI_OPTION_DECISION = 4, /* --profile --explain --max-steps */
    CLI_OPTION_OUTPUT = 8, /* -o --compact --digest --color --width */
    CLI_OPTION_EXIT = 16, /* --detailed-exitcode */
    CLI_OPTION_DISRUPT = 32, /* --disrupt --settle --no-disrupt */
    CLI_OPTION_METHOD = 64, /* --method --max-simulations --memory-in --memory-out */
    CLI_OPTION_TYPES = 128, /* -f (a node class) --reserved-enis --vm-memory-overhead --all-types */
    CLI_OPTION_CHANGES = 256, /* --remove --lose-zone --price-factor --add */
    CLI_OPTION_BENCH = 512, /* --list --input --json --runs */
    CLI_OPTION_FAIL_ON = 1024, /* --fail-on */
    CLI_OPTION_CLUSTER = 2048, /* --context and others; given to what reads input, when called as kubectl-karp */
    CLI_OPTION_NAMESPACE = 4096, /* -n */
    CLI_OPTION_OBJECTIVE = 8192, /* --objective --effort --node-cost … */
    CLI_OPTION_SIDES = 16384, /* A -- B */
    CLI_OPTION_CERTIFICATE = 32768,
    CLI_OPTION_REPACK = 65536, /* --max-evictions --max-steps --min-saving … */
    CLI_OPTION_REPLAY = 131072, /* traces, --nodepools --policy and what else a replay takes */
    CLI_OPTION_FACTS = 262144, /* --provider --region --facts --set */
    CLI_OPTION_LINT = 524288, /* --format --fail-on SEVERITY */
    CLI_OPTION_VERIFY = 1048576, /* --ignore-budgets */
    CLI_OPTION_GATES = 2097152 /* --feature-gates, where no input is read */
};

/* Where in argv the first word is that is no option and no option's value, or an option that cannot come first; argc = nowhere. */
int options_before(int argc, char **argv);

/* Reads --max-memory before there is a context to read the others with; what is no size is left for options_read() to say. */
void options_memory(int argc, char **argv, uint64_t *bytes);

/* Reads argv (argv[0] is the verb). Returns -1 to go on, or the exit status (after --help or an error). */
int options_read(const cli_verb *verb, int argc, char **argv, cli_options *options);
void options_free(cli_options *options);
/* A number in decimal digits alone; false = it is none, or beyond what the program can count. */
bool parse_count(const char *text, uint64_t *out);
/* One of the words; false = none of them. */
bool parse_word(const char *text, const char *const *words, uint32_t count, uint32_t *out);
/* Says what is wrong with the option; returns the exit status. */
int wrong_option(const cli_verb *verb, const char *what, const char *message);
int unknown_option(const cli_verb *verb, const char *given); /* the same, with the option that was most likely meant */
void print_verb_help(const cli_verb *verb);

/* An option as the help shows it. */
typedef struct cli_option_shown {
    const char *name, *argument, *text; /* argument NULL = it takes none */
} cli_option_shown;

/* The verb's option at or after row *next, which is moved on; false = there are no more. */
bool option_of(const cli_verb *verb, size_t *next, cli_option_shown *out);
/* The verb's next format of -o; NULL = there are no more. */
const char *format_of(const cli_verb *verb, uint32_t *next);
/* main.c: the verbs in their order; NULL beyond the end. */
const cli_verb *verb_at(size_t index);

/* ---- node_name.c ------------------------------------------------------------------------------------------------- */

/* The name becomes that of the only node which has it as a part. One that there is not is left to who looks it up. */
karp_status find_node_name(karp_table *nodes, karp_str *name, karp_error *error);
/* karp_what_if() with nodes by a part of their names. */
karp_status what_if(const cli_options *options, const karp_snapshot *snapshot, const karp_change *changes,
                    size_t change_count, const karp_options *common, karp_decision **plan, karp_error *error);

/* ---- text_file.c ------------------------------------------------------------------------------------------------- */

typedef struct cli_text {
    char *ptr;
    size_t len, room;
} cli_text;

/* More room; false = no memory. */
bool text_grow(const cli_options *options, cli_text *text);
/* Bytes at its end; likewise. */
bool text_add(const cli_options *options, cli_text *text, const char *bytes, size_t length);
/* A whole file, or standard input ("-"); false after printing the failure. */
bool text_file_read(const cli_options *options, const char *path, cli_text *text);
void text_file_free(const cli_options *options, cli_text *text);
/* Writes beside the file, and then takes its place: it is whole, or as it was. Symbolic links are not followed. Errors: IO, NOMEM. */
karp_status text_file_replace(karp_context *context, const char *path, const karp_text *text, karp_error *error);

/* ---- sort.c ------------------------------------------------------------------------------------------------------ */

typedef int list_order(const void *a, const void *b, const void *user);
/* Sorts, stable; false = no memory. */
bool list_sort(const cli_options *options, void *items, size_t count, size_t size, list_order *order, const void *user);

/* ---- input.c ----------------------------------------------------------------------------------------------------- */

typedef struct cli_input {
    karp_provider *provider; /* NULL = the reader's own */
    karp_reader *reader;
    karp_snapshot *snapshot;
    karp_str *warnings;
    size_t warning_count;
    cli_text notes; /* on the cluster, each with a NUL; they come first among the warnings */
    size_t note_count;
} cli_input;

/* Reads every file into a snapshot; the failure is printed. */
bool input_read(const cli_options *options, bool keep_documents, cli_input *input);
void input_free(const cli_options *options, cli_input *input);
/* Adds what a decision notes, but for the changes of karp whatif, which lives as long as the input does. false = no memory. */
bool input_add_notes(const cli_options *options, cli_input *input, const karp_decision *decision);

/* The catalogue that the options name, or the built-in one; NULL after printing the failure. */
karp_catalogue *catalogue_read(const cli_options *options);

karp_options decision_options(const cli_options *options);

/* ---- kubectl.c --------------------------------------------------------------------------------------------------- */

/* Gives the reader the objects of the cluster that kubectl points to, and notes in `input` what could not be read; false
 * after printing the failure. */
bool cluster_read(const cli_options *options, cli_input *input);

/* ---- process.c --------------------------------------------------------------------------------------------------- */

typedef struct cli_process {
    cli_text out; /* what it wrote to standard output */
    int status; /* what it ended with; -1 = it did not run, or not to its end */
    char said[400]; /* the last line on its standard error, or why the status is -1; "" = nothing */
} cli_process;

/* Runs a program of PATH, without a shell and with nothing to read. One that stays silent for `patience` nanoseconds is ended. */
void process_run(const cli_options *options, const char *const *words, int64_t patience, cli_process *process);
void process_free(const cli_options *options, cli_process *process);

/* ---- provider.c -------------------------------------------------------------------------------------------------- */

/* Whether no more than a name and a region are said of the provider: a reader opens such by itself. */
bool provider_is_plain(const cli_options *options);
/* The provider with its settings and facts; NULL after printing the failure. */
karp_provider *provider_open(const cli_options *options);
/* Its types under a node class ("" = its defaults); likewise. */
karp_catalogue *provider_catalogue(const cli_options *options, karp_str class_name, karp_str class_text);

/* ---- facts.c ----------------------------------------------------------------------------------------------------- */

/* Writes the facts of the provider's region, as options describe it. Returns the exit status. */
int facts_export(const cli_options *options);
/* Which commands tell the facts of a region that is not built in, on standard error. */
void facts_hint(const cli_options *options, const char *name, karp_str region);
/* Regions, dates and sources of all that is built in, on standard output. */
void facts_print_built_in(const cli_options *options);
/* The regions that are built in, of all providers, with a space before each. */
void facts_print_regions(const cli_options *options);

/* ---- output.c ---------------------------------------------------------------------------------------------------- */

/* "karp: FILE:LINE:COL: OBJECT: FIELD: MESSAGE" on standard error. */
void print_error(const karp_error *error);
/* From here on no notes and no progress. */
void output_hush(bool on); /* problems and notes are not printed */
void output_quiet(void);
bool output_is_quiet(void);
/* "karp: note: MESSAGE", unless it is quiet. */
void print_note(karp_str message);
/* "karp: MESSAGE", and with `what` "karp: WHAT: MESSAGE". */
void print_problem(const char *what, const char *message);

/* Write options with format, layout, title, digest and the reader's notes. */
bool digest_asked(const cli_options *options); /* whether the answer states the digest of the input */
karp_write_options write_options_of(const cli_options *options, const cli_input *input);
/* By what an answer is made: "profile karpenter-1.15  ·  catalogue us-west-2, prices 2026-07-20"; false = no memory. */
bool made_by(const cli_options *options, const cli_input *input, cli_text *out);

/* Notes of the input on standard error, for formats that cannot carry them. */
void print_warnings(const cli_input *input);
/* Whether it has this note. */
bool has_warning(const cli_input *input, karp_str note);
/* With the name of the side, but for those of the first. */
void print_warnings_of_side(const cli_input *input, const char *name, const cli_input *first);
/* Writes the text to standard output and frees it; false after printing the failure. */
bool print_text(karp_text *text);
/* Likewise a text that stays the caller's. */
bool print_output(karp_str text);
/* The exit status after all that was printed: an error, when it has not arrived. */
int standard_output_written(void);

/* ---- width.c ----------------------------------------------------------------------------------------------------- */

/* COLUMNS, else the terminal's, else 100. */
uint32_t columns_of_output(void);
/* print_output(), of text with long lines broken at the width of the options. */
bool print_folded(const cli_options *options, karp_str text);
/* Words from column `at` on, where the cursor is, further lines from `indent` on, and the line's end. A line that ends with '.' or
 * ':' ends here, too. */
void print_words(FILE *out, const char *text, size_t at, size_t indent);

/* ---- answer.c ---------------------------------------------------------------------------------------------------- */

/* What a verb answers from, and its answer. */
typedef struct cli_answer {
    const cli_options *options;
    cli_input input; /* empty when the verb reads none */
    karp_write_options write;
    karp_text text;
    karp_error error;
    const char *subject; /* what is said to be unknown when the answer is KARP_E_NOT_FOUND; NULL = the error says it */
} cli_answer;

/* What made_by() says as the first line of an answer, "karp blockers  ·  …". */
bool print_made_by(const cli_answer *answer, const char *verb);

/* Makes answer->text, and sets *result when the exit status is another than EXIT_OK. `own` is the verb's. */
typedef karp_status cli_make(cli_answer *answer, void *own, int *result);

/* Makes and prints an answer, or prints why there is none. Returns the exit status. */
int answer_without_input(const cli_options *options, cli_make *make, void *own);
/* The same after reading the input, whose notes go to standard error when they stand apart from the answer. */
int answer_input(const cli_options *options, bool keep_documents, bool notes_apart, cli_make *make, void *own);

/* ---- fail_on.c --------------------------------------------------------------------------------------------------- */

/* Options that do nothing without another one: the exit status after printing so, -1 = there are none. */
int options_together(const cli_verb *verb, const cli_options *options);
/* Takes a value of --fail-on; false = it is none. */
bool fail_on_read(cli_options *options, const char *value);
/* The status of --detailed-exitcode and --fail-on, which says what has failed; no disruption is NULL. */
int exit_status_of_plan(const cli_answer *answer, const karp_decision *plan, const karp_decision *disruption);
/* Writes the proof of the bounds that the plan states to the file of --certificate, if one is given; `none`: why there may be none. */
karp_status write_proof(cli_answer *answer, const karp_decision *plan, const char *none);
/* The same of a disruption pass. */
int exit_status_of_pass(const cli_answer *answer, const karp_decision *pass);
/* The same of a cluster that has settled: `first` says what it costs today, `last` what is left of it in the end. */
int exit_status_of_settled(const cli_answer *answer, const karp_decision *first, const karp_decision *last,
                           bool changes);

/* ---- settle.c ---------------------------------------------------------------------------------------------------- */

/* plan --settle: rounds until nothing more is launched or removed. */
int settle(const cli_options *options);

/* ---- progress.c -------------------------------------------------------------------------------------------------- */

/* While work takes longer than a second and standard error is a terminal, a line there says what is being done. */
void progress_begin(const char *what);
/* How much of it is done; until then, and where nobody knows, the line says no percentage. */
void progress_part(uint64_t done, uint64_t all);
/* Which round it is, from 1, of work that ends nobody knows when. */
void progress_round(uint32_t number);
void progress_end(void);

#endif
