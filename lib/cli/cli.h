/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the commands of `karp`: options, input, output, errors. */
#pragma once

#include <stdio.h>

#include <base/incomplete.h>
#include <base/error.h>
#include <base/strbuf.h>
#include <karp/columns.h>
#include <karp/karp.h>
#include <karp/repack.h>
#include <karp/replay.h>
#include <karp/what_if.h>

/* Exit statuses (docs/formats.md). */
enum { EXIT_OK = 0, EXIT_ERROR = 1, EXIT_CHANGES = 2, EXIT_UNSCHEDULABLE = 3 };

typedef struct cli_list {
    const char **items;
    size_t count;
} cli_list;

/* Options that are passed on to kubectl. */
enum {
    KUBECTL_CONTEXT,
    KUBECTL_KUBECONFIG,
    KUBECTL_CLUSTER,
    KUBECTL_USER,
    KUBECTL_AS,
    KUBECTL_REQUEST_TIMEOUT,
    KUBECTL_OPTIONS
};

/* Options of karp replay that replay.c parses. */
enum {
    REPLAY_UNTIL,
    REPLAY_SEED,
    REPLAY_FORMAT,
    REPLAY_STEP,
    REPLAY_BOOT,
    REPLAY_BOOT_JITTER,
    REPLAY_INITIALIZATION,
    REPLAY_DISRUPTION_INTERVAL,
    REPLAY_INTERRUPTIONS,
    REPLAY_RESTART_LOSS,
    REPLAY_COMMITMENTS,
    REPLAY_INTERRUPTION_RATES,
    REPLAY_RUNS,
    REPLAY_DUMP_AT,
    REPLAY_REPACK,
    REPLAY_SCHEDULER,
    REPLAY_SCHEDULER_VERSION,
    REPLAY_SCHEDULER_CONFIG,
    REPLAY_OPTIONS
};

/* Options of karp record. */
enum { RECORD_EVERY, RECORD_FOR, RECORD_LOOKS, RECORD_ROTATE, RECORD_OPTIONS };

/* One difference of two inputs, to be applied to the input after reading. */
typedef struct cli_difference {
    const karp_reader *before, *after;
    size_t number;
} cli_difference;

/* Requests that are recommended. */
typedef struct cli_requests {
    uint32_t recommended; /* 1 = they replace those of the input */
    uint32_t limits; /* KARP_LIMITS_* */
    cli_list usage; /* --usage, as given */
    const char *cpu, *memory; /* rules; NULL = not given */
} cli_requests;

typedef struct cli_options {
    karp_context *context;
    bool *log_notes; /* whether the library's messages are printed: off while a reader collects them as notes */
    cli_list files; /* -f, and the arguments after the command's own words */
    cli_list catalogues; /* --catalogue */
    cli_list words; /* the command's own words, which come before files */
    cli_list prices;
    cli_list replaced; /* --replace, as given; so are the next two */
    cli_list deleted;
    cli_list scaled;
    const char *hooks; /* a phase; NULL = none */
    bool rounds_of_hooks; /* input that can be read only once is kept if it has Helm's hooks */
    const struct cli_kept *kept; /* such input, read before; NULL = none */
    cli_requests requests;
    cli_list pods_from; /* rules for kinds */
    const char *ignored_kinds; /* NULL = none */
    cli_list designs; /* --design */
    const cli_difference *laid; /* NULL = none; karp diff plans with one difference at a time */
    const char *program; /* name of the program as it was called */
    char **sides; /* for karp diff A -- B: argv from the first "--" on, NULL = there is none */
    int side_count;
    const char
        *of_answer; /* a given option of the whole command, such as how its answer is written or judged; NULL = none */
    cli_list removed; /* --remove, as given; so are the next ones */
    cli_list zones;
    cli_list unavailable;
    bool takes_away; /* `unavailable` is part of the input, and no change to it */
    cli_list factors;
    cli_list inputs; /* bench --input */
    cli_list facts; /* --facts, as given */
    cli_list settings; /* --set, as given */
    cli_list profiles; /* every --profile */
    cli_list pools, policies; /* --nodepools, --policy, as given */
    cli_list axes, caps, traces; /* --axis, --cap, --trace, as given */
    const char *image_architectures; /* a file; NULL = none */
    const char *loads; /* --load, as given; NULL = none */
    uint64_t most_designs, pick, threads; /* 0 = not given */
    const char *replay[REPLAY_OPTIONS]; /* NULL = not given; so are those of karp record */
    const char *record[RECORD_OPTIONS];
    uint32_t polls; /* --poll */
    bool most_allocated, lenient, as_planned;
    arena lists; /* their items */
    size_t argument_count; /* a list has at most so many items */
    const char *region; /* NULL = not given; likewise below */
    const char *provider;
    const char *pod_namespace;
    bool slashed; /* the first two words were one, with a slash */
    const char *feature_gates;
    uint32_t preferences; /* KARP_READ_PREFERENCES_* */
    int64_t now; /* 0 = not given */
    uint32_t profile, peer_version;
    uint64_t preview; /* rules of proposals, with the bits of karp_options.flip_rules */
    uint32_t claim_order, explain;
    uint32_t format;
    uint32_t width;
    uint32_t method;
    uint64_t max_simulations;
    uint64_t max_steps;
    karp_objective objective;
    uint32_t objective_given; /* OBJECTIVE_*, ored */
    int64_t deadline, deadline_from; /* on the monotonic clock, in nanoseconds; 0 = none; when it was set */
    karp_repack_options repack;
    int64_t reserved_enis;
    double vm_memory_overhead;
    bool vm_memory_overhead_given;
    const char *memory_in; /* NULL = not given; so is the next */
    const char *memory_out;
    const char *certificate;
    uint32_t runs;
    bool list;
    bool export_facts, from_nodes;
    bool all_types;
    bool compact;
    uint32_t lint_fails; /* the lowest severity that fails, plus one; 0 = none */
    uint32_t admit_fails; /* KARP_ADMIT_*: the best answer that fails; 0 = none */
    uint32_t flavours; /* KARP_FLAVOUR_* */
    bool flavours_given;
    uint32_t changes; /* for how many workloads they are looked for */
    int64_t boot; /* 0 = not given */
    bool queued; /* what waits for admission is read as if it were admitted */
    bool digest; /* text output includes the digest of the input */
    uint32_t replicas_from; /* KARP_REPLICAS_* */
    uint32_t dra_requests; /* KARP_READ_DRA_* */
    bool legacy_node_repair;
    bool strict, strict_storage;
    bool skip_unknown; /* leave out documents that are no objects */
    bool recursive;
    bool no_lint_notes; /* no notes on what karp lint finds as well */
    bool note_changes; /* note what --scale changes, and the pods that --replace, --delete and --scale delete */
    bool verbose;
    int64_t now_later; /* --now +8h: nanoseconds */
    bool color;
    bool disrupt;
    bool settle;
    bool first_round;
    bool no_disrupt;
    bool no_losses;
    bool watch;
    bool detailed_exitcode;
    bool fail_on_unschedulable;
    bool fail_on_notes;
    bool fail_on_cost;
    bool cost_is_part; /* cost_limit is a percentage of the baseline; otherwise an amount per month */
    bool cost_is_more; /* cost_limit is added to the baseline; otherwise it is the limit itself */
    double cost_limit;
    const char *baseline; /* --baseline; NULL = compare with the cost before */
    bool cluster; /* read the cluster through kubectl, and files after it */
    const char *kubectl[KUBECTL_OPTIONS]; /* options that are passed on to kubectl; NULL = not given */
} cli_options;

/* Which options of the objective were given. */
enum {
    OBJECTIVE_KIND = 1,
    OBJECTIVE_EFFORT = 2,
    OBJECTIVE_NODE_COST = 4,
    OBJECTIVE_SPOT_FACTOR = 8,
    OBJECTIVE_PRICE_SLACK = 16,
    OBJECTIVE_PREFERENCES = 32
};

typedef struct cli_verb {
    const char *program; /* the program's name, set when the command runs */
    const char *name;
    const char *arguments; /* arguments in the usage line, before the options */
    const char *first_words; /* what the first of them can be, for completion; NULL = anything */
    const char *summary; /* one line */
    const char *details; /* for --help */
    size_t word_count; /* number of the command's own words, which come before files */
    bool slash_words; /* the first two may be one, with a slash: pod/web-0 */
    uint32_t options; /* its options, CLI_OPTION_* ored */
    uint32_t formats; /* bit 1 << KARP_FORMAT_* for each supported format */
    uint32_t default_format;
    int (*run)(const cli_options *options);
} cli_verb;

extern const cli_verb verb_plan, verb_disrupt, verb_explain, verb_verify, verb_catalogue, verb_dump;
extern const cli_verb verb_whatif, verb_simulate, verb_bench, verb_diff, verb_repack, verb_replay, verb_facts;
extern const cli_verb verb_lint, verb_blockers, verb_nodes, verb_top, verb_completion, verb_admit, verb_record,
    verb_tune, verb_twin;

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
    CLI_OPTION_CLUSTER = 2048, /* --context and others; added to those that read input, as kubectl-karp */
    CLI_OPTION_NAMESPACE = 4096, /* -n */
    CLI_OPTION_OBJECTIVE = 8192, /* --objective --effort --node-cost … */
    CLI_OPTION_SIDES = 16384, /* A -- B */
    CLI_OPTION_CERTIFICATE = 32768,
    CLI_OPTION_REPACK = 65536, /* --max-evictions --max-steps --min-saving … */
    CLI_OPTION_REPLAY = 131072, /* traces, --nodepools --policy and the other options of karp replay */
    CLI_OPTION_FACTS = 262144, /* --provider --region --facts --set */
    CLI_OPTION_LINT = 524288, /* --format --fail-on SEVERITY */
    CLI_OPTION_VERIFY = 1048576, /* --ignore-budgets */
    CLI_OPTION_GATES = 2097152, /* --feature-gates, for commands that read no input */
    CLI_OPTION_NODES = 4194304, /* --no-losses */
    CLI_OPTION_WATCH = 8388608, /* --watch */
    CLI_OPTION_ROUNDS = 16777216, /* --first-round */
    CLI_OPTION_ADMIT = 33554432, /* --flavours --changes --boot --fail-on launch|never */
    CLI_OPTION_RECORD = 67108864, /* --every --for --looks --rotate */
    CLI_OPTION_TUNE = 134217728, /* --axis --designs --trace --pick, and the options of karp replay about time */
    CLI_OPTION_PARTS = 268435456, /* of a recording, without -f */
    CLI_OPTION_UNAVAILABLE = 536870912
};

/* The index in argv of the first argument that is neither an option nor an option's value, or of an option that must
 * not come first. argc = none. */
int options_before(int argc, char **argv);

/* Reads --max-memory, because the context is created before the other options are read. An invalid size is left for
 * options_read() to report. */
void options_memory(int argc, char **argv, uint64_t *bytes);

/* Reads argv (argv[0] is the command). Returns -1 to go on, or the exit status (after --help or an error). */
int options_read(const cli_verb *verb, int argc, char **argv, cli_options *options);
void options_free(cli_options *options);
/* Parses a number of decimal digits only. false = it is no such number, or out of range. */
bool parse_count(const char *text, uint64_t *out);
/* Prints what is wrong with the option. Returns the exit status. */
/* "karpenter, karpenter-1.14 or karp": the names of all profiles. */
void name_profiles(char *text, size_t room);
int wrong_option(const cli_verb *verb, const char *what, const char *message);

/* ---- main.c ------------------------------------------------------------------------------------------------------ */

/* The commands in the order of the help; NULL beyond the end. */
const cli_verb *verb_at(size_t index);

/* ---- objective_options.c: least-cost plans ----------------------------------------------------------------------- */

/* Completes the objective of a side: options that it does not state are those of the first side. */
void objective_inherit(cli_options *side, const cli_options *own);

/* Checks the deadline with the clock, which decisions do not use otherwise. `user` is the cli_options. */
int32_t deadline_is_over(void *user);
/* Shows the elapsed part of the deadline as progress, if the decision is the only work. */
void show_deadline(karp_options *common);

/* ---- option_table.c ---------------------------------------------------------------------------------------------- */

void print_verb_help(const cli_verb *verb);

/* An option for help and completion. */
enum { OPTION_TEXT = 512 };

typedef struct cli_option_shown {
    const char *name, *argument, *text; /* argument NULL = the option has none */
    char room[OPTION_TEXT]; /* of a text that names versions */
} cli_option_shown;

/* The command's next option, at or after row *next, which is advanced. false = there are no more. */
bool option_of(const cli_verb *verb, size_t *next, cli_option_shown *out);

/* ---- whatif.c ---------------------------------------------------------------------------------------------------- */

/* Replaces *name by the name of the only node that contains it. An unknown name is left as it is, for the caller's
 * look-up to report. */
karp_status find_node_name(karp_table *nodes, karp_str *name, karp_error *error);
/* The text in a row of a column of texts or words. */
karp_str column_text_at(const karp_column *c, size_t row);
/* karp_what_if(), where parts of node names are enough. */
karp_status what_if(const cli_options *options, const karp_snapshot *snapshot, const karp_change *changes,
                    size_t change_count, const karp_options *common, karp_decision **plan, karp_error *error);
/* drift_course() of the nodes that the changes leave. It is played if they only remove nodes; with others, only the
 * number of nodes is known. */
karp_status what_if_drift(const cli_options *options, const karp_snapshot *snapshot, const karp_change *changes,
                          size_t change_count, karp_drift *out, karp_settlement **rounds, karp_error *error);

/* ---- requests.c -------------------------------------------------------------------------------------------------- */

/* Checks for options that have no effect without --requests recommended. Returns as options_together() does. */
int requests_together(const cli_verb *verb, const cli_requests *requests);
/* A side has the options of the first one that it does not state. */
void requests_inherit(cli_requests *side, const cli_requests *own);
/* The rules that are given. */
karp_request_rules requests_rules(const cli_requests *requests);
/* The file of "cpu=rates.json", and what its numbers are where it does not say it. */
const char *requests_usage(const char *given, karp_str *resource);
/* Adds the usage and the rules to the reader. false = a failure. */
bool requests_read(const cli_requests *requests, karp_reader *reader, karp_error *error);

/* ---- replay.c ---------------------------------------------------------------------------------------------------- */

/* Uses the options of a replay of these traces and objects. Returns the exit status. */
int replay_of(const cli_options *options, const cli_list *traces, const cli_list *objects,
              int (*use)(karp_replay_options *replay, void *own), void *own);

/* ---- text_file.c ------------------------------------------------------------------------------------------------- */

/* Whether the file can be read only once: standard input, and what a shell gives for <(command). */
bool text_file_is_stream(const char *path);
/* Reads a whole file, or standard input ("-"). Free the text with strbuf_free(). false after printing the error. */
bool text_file_read(const cli_options *options, const char *path, strbuf *text);
/* Writes a new file and renames it over the old one, so that the file is either complete or unchanged. Symbolic links
 * are not followed. Errors: IO, NOMEM. */
karp_status text_file_replace(karp_context *context, const char *path, const karp_text *text, karp_error *error);

/* ---- input.c ----------------------------------------------------------------------------------------------------- */

/* Texts of the files that can be read only once, by the number of the file. */
typedef struct cli_kept {
    strbuf *texts;
    size_t count;
} cli_kept;

typedef struct cli_input {
    karp_provider *provider; /* NULL = the reader's own */
    karp_reader *reader;
    karp_snapshot *snapshot;
    karp_str *warnings; /* problems come first */
    size_t warning_count, problem_count;
    strbuf notes; /* notes about the cluster, each NUL-terminated */
    size_t note_count;
    cli_kept kept;
    bool out_of_memory; /* the input could not be read for this reason */
} cli_input;

/* Reads all files into a snapshot. false after printing the error. */
bool input_read(const cli_options *options, bool keep_documents, cli_input *input);
/* The rules of --pods-from, one a line; rules_free() frees them. false after printing "out of memory". */
bool rules_text(const cli_options *options, karp_str *out);
void rules_free(const cli_options *options, karp_str text);
void input_free(const cli_options *options, cli_input *input);
/* karp_reader_price(), as the price of karp_node_list_options; `user` is the reader. */
double input_price(karp_str instance_type, karp_str zone, karp_str capacity_type, void *user);
/* What the input has that is not planned or not understood; false = nothing. */
bool input_incomplete(const cli_input *input, char text[INCOMPLETE_TEXT]);
/* Adds the notes of a decision, except the changes of karp whatif, to the input. The decision must live as long as the
 * input. false = out of memory. */
bool input_add_notes(const cli_options *options, cli_input *input, const karp_decision *decision);

/* The catalogue that the options name, or the built-in one; NULL after printing the failure. */
karp_catalogue *catalogue_read(const cli_options *options);

karp_options decision_options(const cli_options *options);

/* ---- process.c --------------------------------------------------------------------------------------------------- */

typedef struct cli_process {
    strbuf out; /* its standard output */
    int status; /* its exit status; -1 = it did not run, or did not end normally */
    char said[400]; /* the last line of its standard error, or why the status is -1; "" = nothing */
} cli_process;

/* Runs a program found in PATH, without a shell and with empty input. It is killed if it writes nothing for `patience`
 * nanoseconds. */
void process_run(const cli_options *options, const char *const *words, int64_t patience, cli_process *process);

enum { STREAMS_MOST = 48 };

/* A program that goes on, and what it has written so far. */
typedef struct cli_stream {
    cli_process process; /* `out` loses what its owner has taken; the status, once it does not run */
    const cli_options *options;
    int pid, out, err; /* out, err: the pipes from which its output is read; -1 = closed */
    bool runs, ended;
    int how; /* its status from waitpid() */
    char line[400]; /* the current line of standard error */
    size_t line_length;
    uint64_t error_length; /* of standard error as a whole */
    size_t taken; /* of `out` */
} cli_stream;

/* Starts a program as process_run() does. false = `process.said` says why not. */
bool stream_start(const cli_options *options, const char *const *words, cli_stream *stream);
/* Takes what at most STREAMS_MOST programs write in so many milliseconds. false = one of them does not run any more, or
 * a signal has come: then it returns at once. */
bool streams_wait(cli_stream *list, size_t count, int64_t milliseconds);
void stream_end(cli_stream *stream); /* also of a program that was not started */
/* From now on signals that end programs do not end this one, but say so; false = as before, and one that has come since
 * takes effect. */
void streams_catch_signals(bool catches);
bool streams_interrupted(void);

/* ---- kubectl.c --------------------------------------------------------------------------------------------------- */

/* Adds the objects of the cluster that kubectl points to, and notes in `input` what could not be read. false after
 * printing the error. */
bool cluster_read(const cli_options *options, cli_input *input);

/* A cluster that is looked at again and again. */
typedef struct cli_cluster {
    const cli_options *options;
    strbuf names; /* of the resources but pods, separated by commas */
    strbuf texts[3]; /* of the last look, as kubectl writes them */
    size_t count;
    uint64_t looks;
    bool without_events; /* they may not be read */
    char said[400]; /* why a look failed, or how a watch ended */
    cli_stream streams[STREAMS_MOST]; /* kubectl that watches, for each resource */
    size_t stream_count;
    bool failed; /* a watch ended with an error */
} cli_cluster;

/* Finds out what there is to read. false after printing the error. */
bool cluster_begin(const cli_options *options, cli_cluster *cluster);
/* Reads everything. false = it failed as `said` says. */
bool cluster_look(cli_cluster *cluster);
void cluster_looked(cli_cluster *cluster); /* frees the texts */
/* Begins to watch what a look reads. false = it cannot, as `said` says. */
bool cluster_watch(cli_cluster *cluster);
/* Waits for so many milliseconds. false = a watch has ended, which `said` tells, or a signal has come. */
bool cluster_wait(cli_cluster *cluster, int64_t milliseconds);
/* Calls `take` for each event that has come since. */
void cluster_events(cli_cluster *cluster, void (*take)(karp_str event, void *user), void *user);
void cluster_forget_events(cli_cluster *cluster); /* that have been taken */
void cluster_unwatch(cli_cluster *cluster);
void cluster_end(cli_cluster *cluster);

/* ---- provider.c -------------------------------------------------------------------------------------------------- */

/* Whether the options state at most a name and a region of the provider. A reader opens such a provider itself. */
bool provider_is_plain(const cli_options *options);
/* Opens the provider that the options name, or else that of the objects in the reader, with its settings and facts.
 * NULL after printing the error. */
karp_provider *provider_open(const cli_options *options, karp_reader *reader);
/* A reader without objects, whose cloud is that of the options. NULL after printing the error. */
karp_reader *provider_reader(const cli_options *options);
/* The provider's types under a node class ("" = its defaults). NULL after printing the error. */
karp_catalogue *provider_catalogue(const cli_options *options, karp_str class_name, karp_str class_text);

/* ---- facts.c ----------------------------------------------------------------------------------------------------- */

/* Writes the facts of the provider's region, as given by the options. Returns the exit status. */
int facts_export(const cli_options *options);
/* Prints on standard error the commands that obtain the facts of those regions of the reader's clouds that are not
 * built in. */
void facts_hint(const cli_options *options, karp_reader *reader);
/* Prints the regions, dates and sources of all built-in facts on standard output. false = out of memory; so is the
 * next one's. */
bool facts_print_built_in(const cli_options *options);
/* Prints the built-in regions of all providers, with a space before each. */
bool facts_print_regions(const cli_options *options);

/* ---- output.c ---------------------------------------------------------------------------------------------------- */

/* The length in bytes of the character at text[at]. *hidden: it may not be shown, since it is a control character, has
 * no width, controls the text direction, or is no UTF-8, which some terminals take for a control character. */
size_t character_at(karp_str text, size_t at, bool *hidden);
/* Prints "karp: FILE:LINE:COL: OBJECT: FIELD: MESSAGE" on standard error. Like print_problem(),
 * returns false. */
bool print_error(const karp_error *error);
void output_suppress(bool on); /* on: errors, problems and notes are not printed until it is called with false */
/* From here on neither notes nor progress are printed. */
void output_quiet(void);
bool output_is_quiet(void);
/* Prints "karp: note: MESSAGE", unless output is quiet; a problem is always printed. */
void print_note(karp_str message);
/* Prints "karp: MESSAGE", with `what` "karp: WHAT: MESSAGE". */
bool print_problem(const char *what, const char *message);
/* Likewise of an option's value: "karp: COMMAND: OPTION VALUE: MESSAGE". */
bool problem_of_option(const char *command, const char *option, const char *value, const char *message);
int problem_of_use(const char *what, const char *message); /* the same; returns EXIT_ERROR */

/* Write options with format, layout, title, digest and the reader's notes. */
/* Whether the answer has the digest of its input. That takes longer than a small plan, so it is computed on request. */
bool digest_wanted(const cli_options *options);
karp_write_options write_options_of(const cli_options *options, const cli_input *input);
/* The line that states how an answer was made: "profile karpenter-1.15 · catalogue aws us-west-2, prices 2026-07-20".
 */
void made_by(const cli_options *options, const cli_input *input, strbuf *out);

/* Whether a note states a change of karp whatif; *text becomes the change without "what if: ". */
bool is_change(karp_str *text);
/* The number of a decision's warnings that are notes. After them come the changes of karp whatif. */
size_t decision_note_count(const karp_decision *decision);
/* Whether a note is a problem; *text becomes the problem without KARP_PROBLEM. */
bool is_problem(karp_str *text);
/* Prints the input's notes on standard error, for formats that cannot contain them. */
void print_warnings(const cli_input *input);
/* Whether the input has this note. */
bool has_warning(const cli_input *input, karp_str note);
/* Prints the notes with the name of the side, except those that the first side has too. */
void print_warnings_of_side(const cli_input *input, const char *name, const cli_input *first);
/* Prints the text, which the caller keeps. false = not everything was written. */
bool print_output(karp_str text);
/* Flushes standard output. Returns the exit status: an error if not everything was written. */
int standard_output_written(void);

/* The width of the output: COLUMNS, else that of the terminal, else 100. */
uint32_t columns_of_output(void);
/* print_output(), with long lines broken at the width of the options. */
bool print_folded(const cli_options *options, karp_str text);
/* Prints words and the end of the line. The cursor is at column `at`; further lines begin at `indent`. A line of
 * `text` that ends with '.' or ':' also ends in the output. */
void print_words(FILE *out, const char *text, size_t at, size_t indent);

/* The input and the answer of a command. */
typedef struct cli_answer {
    const cli_options *options;
    cli_input input; /* empty if the command reads none */
    karp_write_options write;
    karp_text text;
    karp_error error;
    const char *subject; /* the name reported as unknown for KARP_E_NOT_FOUND; NULL = the error's message is used */
    arena notes; /* of answer_note() */
} cli_answer;

/* One more note at the end of the answer's. */
karp_status answer_note(cli_answer *answer, const char *text);

/* Writes the line of made_by() as the first line of an answer: "karp blockers · …". */
bool print_made_by(const cli_answer *answer, const char *verb);

/* Creates answer->text, and sets *result if the exit status is not EXIT_OK. `own` is the command's data. */
typedef karp_status cli_make(cli_answer *answer, void *own, int *result);

/* Makes and prints an answer, or prints why there is none. Returns the exit status. */
int answer_without_input(const cli_options *options, cli_make *make, void *own);
/* The same after reading the input. With `notes_apart` the input's notes are printed on standard error. */
int answer_input(const cli_options *options, bool keep_documents, bool notes_apart, cli_make *make, void *own);

/* ---- admit.c ----------------------------------------------------------------------------------------------------- */

/* Answers for the queue, or for one workload of it; only.len 0 = for all. */
karp_status admit_queue(cli_answer *answer, karp_str only, karp_admission **out);

/* ---- fail_on.c --------------------------------------------------------------------------------------------------- */

/* Whether a pending pod that Karpenter is responsible for gets no node. */
bool some_pod_left(const karp_decision *plan);

/* Checks for options that have no effect without another one. Returns the exit status after printing an error, or -1
 * if there are none. */
int options_together(const cli_verb *verb, const cli_options *options);
/* Whether --fail-on is given. */
bool gates_are_set(const cli_options *options);
/* The exit status for --detailed-exitcode and --fail-on; prints which condition failed. `disruption` NULL = none. The
 * cost is that of answer->write.settlement, if there is one. */
int exit_status_of_plan(const cli_answer *answer, const karp_decision *plan, const karp_decision *disruption);
/* The same for a disruption pass. The cost is that after the course of the drift, if it was played (NULL = not). */
int exit_status_of_pass(const cli_answer *answer, const karp_decision *pass, const karp_settlement *drift);
/* The same for a replay or a story. Its cost is that on average. */
int exit_status_of_replay(const cli_options *options, const karp_replay_outcome *outcome);
/* The same for karp plan --settle. */
int exit_status_of_settled(const cli_answer *answer, const karp_settlement *settlement);

/* ---- plan.c ------------------------------------------------------------------------------------------------------ */

/* Writes the proof of the plan's bounds to the file of --certificate, if it is given. `none`: why there may be no
 * proof. */
karp_status write_proof(cli_answer *answer, const karp_decision *plan, const char *none);
/* What became of the preferences of the pod ("" = of all pods) in the plan, and what they cost, for formats that show
 * it. */
karp_status find_preferences(cli_answer *answer, const karp_decision *plan, karp_str pod, karp_preferences **out);

/* ---- settle.c ---------------------------------------------------------------------------------------------------- */

/* plan --settle: rounds until nothing more is launched or removed. */
int settle(const cli_options *options);

/* ---- pass_notes.c ------------------------------------------------------------------------------------------------ */

/* Notes why nodes are drifted, of a pass of drift. */
karp_status drift_note(cli_answer *answer, const karp_decision *pass);
/* Notes that one node would take the pods of this node and another one at the price of both. */
karp_status pair_note(cli_answer *answer, const karp_options *common, const karp_node_explanation *explanation);
/* Notes that the pass removes nodes that a plan gives pods; only on the node `only`, unless it is "". */
karp_status nomination_note(cli_answer *answer, const karp_options *common, const karp_decision *pass, karp_str only);
/* How the nodes that have drifted are replaced; of many, only how many there are, unless a gate asks for the cost.
 * *rounds (NULL = not wanted) receives the course, which the caller frees; NULL if it was not played, with
 * --first-round, and with --settle, whose rounds are others. */
karp_status drift_course(const cli_options *options, const karp_snapshot *snapshot, karp_drift *out,
                         karp_settlement **rounds, karp_error *error);
/* All rounds of launching after this plan; NULL if its cost is the settled one, or with --first-round. The caller frees
 * it. */
karp_status settle_launches(const cli_options *options, const karp_snapshot *snapshot, const karp_decision *plan,
                            karp_settlement **out, karp_error *error);

/* ---- progress.c -------------------------------------------------------------------------------------------------- */

/* Shows progress in a line on standard error, if that is a terminal and the work takes longer than a second. */
void progress_begin(const char *what);
/* Sets how much of the work is done. Before the first call the line shows no percentage. */
void progress_part(uint64_t done, uint64_t all);
/* Sets the number of the current round, from 1, for work whose end is not known. */
void progress_round(uint32_t number);
void progress_end(void);

/* Threads that the program lends to the library (karp_context_options.parallel_for). */

/* Calls the body with every index, on at most *user threads (uint64_t); 0 = one for each processor. */
void threads_run(size_t count, void (*body)(size_t index, void *data), void *data, void *user);
