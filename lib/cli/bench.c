/* SPDX-License-Identifier: Apache-2.0 */
/* karp bench: how long the parts of a decision take. The only verb that looks at a clock: the processor's. */
#include "cli.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "bench_inputs.h"

enum { STAGE_READ, STAGE_PREPARE, STAGE_SOLVE, STAGE_EMIT, STAGE_COUNT };
enum { MOST_RUNS = 1000 };

static const char *const stage_names[STAGE_COUNT] = {"read", "prepare", "solve", "emit"};

typedef struct measure {
    double times[STAGE_COUNT][MOST_RUNS]; /* milliseconds of processor time */
    size_t runs;
    karp_snapshot_counts counts;
    size_t launches;
    size_t commands;
    bool disrupts;
    double price; /* of the launches, or what the commands save */
    uint64_t peak;
} measure;

static double now_ms(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* The time since *from, which moves on. */
static double lap(double *from)
{
    double now = now_ms();
    double passed = now - *from;
    *from = now;
    return passed;
}

/* ---- one run --------------------------------------------------------------------------------------------------------- */

/* Builder calls count as reading, as the reading of a file does. */
static karp_status make_snapshot(const cli_options *options, const char *name, measure *m, karp_snapshot **out, uint32_t *method,
                                 karp_error *error)
{
    double *read = &m->times[STAGE_READ][m->runs];
    double *prepare = &m->times[STAGE_PREPARE][m->runs];
    double clock = now_ms();
    karp_status status;
    if (bench_known(name)) {
        karp_builder *builder = NULL;
        status = karp_builder_new(options->context, &builder, error);
        if (status == KARP_OK) {
            status = bench_fill(options->context, name, builder, method, error);
        }
        *read = lap(&clock);
        if (status == KARP_OK) {
            status = karp_builder_finish(builder, out, error);
        }
        *prepare = lap(&clock);
        karp_builder_free(builder);
        return status;
    }
    karp_reader *reader = NULL;
    status = karp_reader_new(options->context, NULL, &reader, error);
    if (status == KARP_OK) {
        status = karp_reader_add_path(reader, name, error);
    }
    *read = lap(&clock);
    if (status == KARP_OK) {
        status = karp_reader_finish(reader, out, error);
    }
    *prepare = lap(&clock);
    *method = status == KARP_OK ? karp_reader_method(reader) : KARP_METHOD_ANY;
    karp_reader_free(reader);
    return status;
}

static void note_plan(measure *m, const karp_decision *decision)
{
    m->launches = karp_decision_launch_count(decision);
    m->price = 0;
    for (size_t i = 0; i < m->launches; i++) {
        karp_launch launch = {.size = sizeof(launch)};
        if (karp_decision_launch(decision, i, &launch) == KARP_OK) {
            m->price += launch.choice.price;
        }
    }
}

static void note_disruption(measure *m, const karp_decision *decision)
{
    m->launches = karp_decision_launch_count(decision);
    m->commands = karp_decision_command_count(decision);
    m->price = 0;
    for (size_t i = 0; i < m->commands; i++) {
        karp_command command = {.size = sizeof(command)};
        if (karp_decision_command(decision, i, &command) == KARP_OK) {
            m->price += command.savings;
        }
    }
}

/* A Snapshot that names a disruption method is asked for that. */
static karp_status decide(const karp_snapshot *snapshot, uint32_t method, karp_decision **out, karp_error *error)
{
    if (method == KARP_METHOD_ANY) {
        karp_options plain;
        karp_options_init(&plain, sizeof(plain));
        return karp_provision(snapshot, &plain, out, error);
    }
    karp_disrupt_options disrupt;
    karp_disrupt_options_init(&disrupt, sizeof(disrupt));
    disrupt.method = method;
    return karp_disrupt(snapshot, &disrupt, out, error);
}

static karp_status run_once(const cli_options *options, const char *name, measure *m, karp_error *error)
{
    karp_snapshot *snapshot = NULL;
    karp_decision *decision = NULL;
    karp_text text = {0};
    uint32_t method = KARP_METHOD_ANY;
    karp_status status = make_snapshot(options, name, m, &snapshot, &method, error);
    if (status != KARP_OK) {
        return status;
    }
    m->disrupts = method != KARP_METHOD_ANY;
    m->counts.size = sizeof(m->counts);
    karp_snapshot_get_counts(snapshot, &m->counts);
    double clock = now_ms();
    status = decide(snapshot, method, &decision, error);
    m->times[STAGE_SOLVE][m->runs] = lap(&clock);
    if (status == KARP_OK) {
        karp_write_options write;
        karp_write_options_init(&write, sizeof(write));
        write.compact = 1;
        status = m->disrupts ? karp_write_disruption(options->context, decision, &write, &text, error)
                             : karp_write_plan(options->context, decision, NULL, &write, &text, error);
    }
    m->times[STAGE_EMIT][m->runs] = lap(&clock);
    if (status == KARP_OK) {
        (m->disrupts ? note_disruption : note_plan)(m, decision);
        m->runs++;
    }
    karp_text_free(&text);
    karp_decision_unref(decision);
    karp_snapshot_unref(snapshot);
    return status;
}

/* ---- results ----------------------------------------------------------------------------------------------------------- */

static double median(double *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        double moved = values[i];
        size_t k = i;
        for (; k > 0 && values[k - 1] > moved; k--) {
            values[k] = values[k - 1];
        }
        values[k] = moved;
    }
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static void print_json(const char *name, measure *m, bool first)
{
    char text[KARP_VALUE_TEXT];
    printf("%s{\"input\":\"", first ? "" : ",\n");
    for (const char *p = name; *p != '\0'; p++) {
        if (*p == '"' || *p == '\\' || (unsigned char)*p < 0x20) {
            printf("\\u%04x", (unsigned)(unsigned char)*p);
        } else {
            putchar(*p);
        }
    }
    printf("\",\"pods\":%zu,\"nodes\":%zu,\"types\":%zu", m->counts.pods, m->counts.nodes, m->counts.instance_types);
    for (size_t i = 0; i < STAGE_COUNT; i++) {
        printf(",\"%s_ms\":%.3f", stage_names[i], median(m->times[i], m->runs));
    }
    karp_double_format(m->price, text);
    printf(",\"peak_bytes\":%llu,\"launches\":%zu,\"%s\":%s", (unsigned long long)m->peak, m->launches,
           m->disrupts ? "savings" : "price", text);
    if (m->disrupts) {
        printf(",\"commands\":%zu", m->commands);
    }
    putchar('}');
}

static void print_row(const char *name, measure *m)
{
    printf("%-20s %9zu %7zu %6zu", name, m->counts.pods, m->counts.nodes, m->counts.instance_types);
    for (size_t i = 0; i < STAGE_COUNT; i++) {
        printf(" %10.1f", median(m->times[i], m->runs));
    }
    printf(" %9.1f %9zu %12.2f\n", (double)m->peak / 1048576.0, m->launches, m->price);
}

static bool measure_input(const cli_options *options, const char *name, measure *m)
{
    karp_error error;
    karp_error_init(&error, sizeof(error));
    memset(m, 0, sizeof(*m));
    for (uint32_t i = 0; i < options->runs; i++) {
        if (run_once(options, name, m, &error) != KARP_OK) {
            print_error(&error);
            return false;
        }
    }
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0 && usage.ru_maxrss > 0) {
        m->peak = (uint64_t)usage.ru_maxrss * 1024;
    }
    return true;
}

static int run(const cli_options *options)
{
    if (options->list) {
        bench_list();
        return fflush(stdout) == 0 ? EXIT_OK : EXIT_ERROR;
    }
    if (options->inputs.count == 0) {
        print_problem(NULL, "no input: name one with --input (--list names them)");
        return EXIT_ERROR;
    }
    bool json = options->format == KARP_FORMAT_JSON;
    measure *m = karp_alloc(options->context, sizeof(*m));
    if (m == NULL) {
        print_problem(NULL, "out of memory");
        return EXIT_ERROR;
    }
    bool good = true;
    for (size_t i = 0; i < options->inputs.count && good; i++) {
        good = measure_input(options, options->inputs.items[i], m);
        if (i == 0 && good) {
            fputs(json ? "{\"results\":["
                       : "input                     pods   nodes  types    read ms prepare ms   solve ms    emit ms  peak MiB  launches   $/h\n",
                  stdout);
        }
        if (good && json) {
            print_json(options->inputs.items[i], m, i == 0);
        } else if (good) {
            print_row(options->inputs.items[i], m);
        }
    }
    if (good && json) {
        fputs("]}\n", stdout);
    }
    karp_free(options->context, m, sizeof(*m));
    return good && fflush(stdout) == 0 ? EXIT_OK : EXIT_ERROR;
}

const cli_verb verb_bench = {
    .name = "bench",
    .arguments = "",
    .summary = "how long a decision takes, part by part",
    .details = "Makes an input from a fixed seed (or reads a Snapshot file), decides on it several times, and prints the\n"
               "medians of the processor time of reading, preparing, deciding and writing JSON. Peak memory is that of\n"
               "the process: of several inputs the largest so far.",
    .options = CLI_OPTION_BENCH,
    .formats = 1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT,
    .default_format = KARP_FORMAT_TEXT,
    .run = run,
};
