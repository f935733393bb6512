/* SPDX-License-Identifier: Apache-2.0 */
/* karp bench: measures the parts of a decision. It is the only command that measures processor time. */
#include "cli.h"

#include <base/sort.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include <karp/inspect.h>
#include <karp/library.h>

#include "bench.h"

enum { STAGE_READ, STAGE_PREPARE, STAGE_SOLVE, STAGE_EMIT, STAGE_COUNT };
enum { MOST_RUNS = 1000 };

static const char *const stage_names[STAGE_COUNT] = { "read", "prepare", "solve", "emit" };

typedef struct measure {
    karp_context *context; /* its allocator counts allocations */
    double times[STAGE_COUNT][MOST_RUNS]; /* milliseconds of processor time; for solve: per decision */
    uint64_t requests; /* allocation requests since the context was created */
    uint64_t allocations[STAGE_COUNT]; /* in the last run */
    size_t decisions; /* in one run */
    size_t runs;
    karp_snapshot_counts counts;
    size_t launches;
    size_t commands;
    bool disrupts;
    double price; /* cost of the launches, or savings of the commands */
    uint64_t peak;
} measure;

static double now_ms(void)
{
    struct timespec t = { 0 };
#if defined(CLOCK_PROCESS_CPUTIME_ID)
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
#else /* some C libraries for WASI do not have it */
    clock_gettime(CLOCK_MONOTONIC, &t);
#endif
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void *count_alloc(size_t bytes, void *user)
{
    ++*(uint64_t *)user;
    return malloc(bytes);
}

static void *count_realloc(void *ptr, size_t old_bytes, size_t new_bytes, void *user)
{
    (void)old_bytes;
    ++*(uint64_t *)user;
    return realloc(ptr, new_bytes);
}

static void count_free(void *ptr, size_t bytes, void *user)
{
    (void)bytes;
    (void)user;
    free(ptr);
}

static karp_status counting_context(measure *m, karp_error *error)
{
    const karp_allocator allocator = { sizeof(allocator), count_alloc, count_realloc, count_free, &m->requests };
    karp_context_options options;
    karp_context_options_init(&options, sizeof(options));
    options.allocator = &allocator;
    options.hash_seed = 1; /* the same hash tables in every run */
    return karp_context_new(&options, &m->context, error);
}

/* ---- stages ------------------------------------------------------------------------------------------------------ */

/* Processor time and allocation requests at the beginning of a stage. */
typedef struct start {
    double time;
    uint64_t requests;
} start;

static start start_measuring(const measure *m) { return (start){ now_ms(), m->requests }; }

/* Adds everything since *from to the stage; *from is set to now. */
static void end_stage(measure *m, int stage, start *from)
{
    start now = start_measuring(m);
    m->times[stage][m->runs] = now.time - from->time;
    m->allocations[stage] = now.requests - from->requests;
    *from = start_measuring(m);
}

/* ---- one run ----------------------------------------------------------------------------------------------------- */

/* Builder calls count as reading, like the reading of a file. So does the creation of the snapshot that an edit starts
 * from, which is an edited snapshot itself. */
static karp_status build_snapshot(const char *name, measure *m, karp_snapshot **out, bench_question *question,
                                  karp_error *error)
{
    karp_builder *builder = NULL;
    start clock = start_measuring(m);
    karp_status status = karp_builder_new(m->context, &builder, error);
    if (status == KARP_OK) status = bench_named->fill(m->context, name, builder, question, error);
    bool edits = question->edits;
    if (!edits) end_stage(m, STAGE_READ, &clock);
    if (status == KARP_OK) status = karp_builder_finish(builder, out, error);
    if (edits && status == KARP_OK) status = bench_named->edit(out, *question, 0, error);
    if (edits) end_stage(m, STAGE_READ, &clock);
    if (edits && status == KARP_OK) status = bench_named->edit(out, *question, 1, error);
    end_stage(m, STAGE_PREPARE, &clock);
    karp_builder_free(builder);
    return status;
}

static karp_status read_snapshot(const char *name, measure *m, karp_snapshot **out, bench_question *question,
                                 karp_error *error)
{
    karp_reader *reader = NULL;
    start clock = start_measuring(m);
    karp_status status = karp_reader_new(m->context, NULL, &reader, error);
    if (status == KARP_OK) status = karp_reader_add_path(reader, name, error);
    end_stage(m, STAGE_READ, &clock);
    if (status == KARP_OK) status = karp_reader_finish(reader, out, error);
    end_stage(m, STAGE_PREPARE, &clock);
    question->method = status == KARP_OK ? karp_reader_method(reader) : KARP_METHOD_ANY;
    karp_reader_free(reader);
    return status;
}

karp_status bench_decide(const karp_snapshot *snapshot, uint32_t method, karp_decision **out, karp_error *error)
{
    if (method == KARP_METHOD_ANY) {
        karp_options plain;
        karp_options_init(&plain, sizeof(plain));
        return karp_provision(snapshot, &plain, out, error);
    }
    if (method == KARP_METHOD_REPACK) return karp_repack(snapshot, NULL, out, error);
    karp_disrupt_options disrupt;
    karp_disrupt_options_init(&disrupt, sizeof(disrupt));
    disrupt.method = method;
    return karp_disrupt(snapshot, &disrupt, out, error);
}

static void note_plan(measure *m, const karp_decision *decision)
{
    m->launches = karp_decision_launch_count(decision);
    m->price = 0;
    for (size_t i = 0; i < m->launches; i++) {
        karp_launch launch = { .size = sizeof(launch) };
        if (karp_decision_launch(decision, i, &launch) == KARP_OK) m->price += launch.choice.price;
    }
}

static void note_disruption(measure *m, const karp_decision *decision)
{
    m->launches = karp_decision_launch_count(decision);
    m->commands = karp_decision_command_count(decision);
    m->price = 0;
    for (size_t i = 0; i < m->commands; i++) {
        karp_command command = { .size = sizeof(command) };
        if (karp_decision_command(decision, i, &command) == KARP_OK) m->price += command.savings;
    }
}

static karp_status write_decision(measure *m, const karp_decision *decision, karp_error *error)
{
    karp_text text = { 0 };
    karp_write_options write;
    karp_write_options_init(&write, sizeof(write));
    write.compact = 1;
    karp_status status = m->disrupts ? karp_write_disruption(m->context, decision, &write, &text, error)
                                     : karp_write_plan(m->context, decision, NULL, &write, &text, error);
    karp_text_free(&text);
    return status;
}

static karp_status run_once(const char *name, measure *m, karp_error *error)
{
    karp_snapshot *snapshot = NULL;
    karp_decision *decision = NULL;
    bench_question question = { .method = KARP_METHOD_ANY };
    bool named = bench_named != NULL && bench_named->known(name);
    karp_status status = (named ? build_snapshot : read_snapshot)(name, m, &snapshot, &question, error);
    if (status != KARP_OK) {
        karp_snapshot_unref(snapshot);
        return status;
    }
    m->disrupts = question.method != KARP_METHOD_ANY;
    m->counts.size = sizeof(m->counts);
    karp_snapshot_get_counts(snapshot, &m->counts);
    start clock = start_measuring(m);
    m->decisions = 1;
    status = named ? bench_named->answer(snapshot, question, &decision, &m->decisions, error)
                   : bench_decide(snapshot, question.method, &decision, error);
    end_stage(m, STAGE_SOLVE, &clock);
    m->times[STAGE_SOLVE][m->runs] /= (double)m->decisions;
    m->allocations[STAGE_SOLVE] /= m->decisions;
    if (status == KARP_OK) status = write_decision(m, decision, error);
    end_stage(m, STAGE_EMIT, &clock);
    if (status == KARP_OK) {
        (m->disrupts ? note_disruption : note_plan)(m, decision);
        m->runs++;
    }
    karp_decision_unref(decision);
    karp_snapshot_unref(snapshot);
    return status;
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static double median(double *values, size_t count)
{
    double half[MOST_RUNS / 2];
    sort_with(half, values, count, sizeof *values, by_double, NULL);
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* The speed of solve; 0 when the time was too short to measure. */
static double pods_per_second(measure *m)
{
    double solve = median(m->times[STAGE_SOLVE], m->runs);
    return solve > 0 ? (double)m->counts.pods / solve * 1e3 : 0;
}

static void print_json(const char *name, measure *m, bool first)
{
    char text[KARP_VALUE_TEXT];
    printf("%s{\"input\":\"", first ? "" : ",\n");
    for (const char *p = name; *p != '\0'; p++) {
        if (*p == '"' || *p == '\\' || (unsigned char)*p < 0x20) printf("\\u%04x", (unsigned)(unsigned char)*p);
        else putchar(*p);
    }
    printf("\",\"pods\":%zu,\"nodes\":%zu,\"types\":%zu", m->counts.pods, m->counts.nodes, m->counts.instance_types);
    for (size_t i = 0; i < STAGE_COUNT; i++) {
        printf(",\"%s_ms\":%.3f,\"%s_allocations\":%llu", stage_names[i], median(m->times[i], m->runs), stage_names[i],
               (unsigned long long)m->allocations[i]);
    }
    karp_double_format(m->price, text);
    printf(",\"decisions\":%zu,\"pods_per_second\":%.0f", m->decisions, pods_per_second(m));
    printf(",\"peak_bytes\":%llu,\"launches\":%zu,\"%s\":%s", (unsigned long long)m->peak, m->launches,
           m->disrupts ? "savings" : "price", text);
    if (m->disrupts) printf(",\"commands\":%zu", m->commands);
    putchar('}');
}

static void print_row(const char *name, measure *m)
{
    printf("%-20s %9zu %7zu %6zu", name, m->counts.pods, m->counts.nodes, m->counts.instance_types);
    for (size_t i = 0; i < STAGE_COUNT; i++) printf(" %10.1f", median(m->times[i], m->runs));
    uint64_t requests = 0;
    for (size_t i = 0; i < STAGE_COUNT; i++) requests += m->allocations[i];
    printf(" %10.0f %9.1f %9llu %9zu %12.2f\n", pods_per_second(m), (double)m->peak / 1048576.0,
           (unsigned long long)requests, m->launches, m->price);
}

static bool measure_input(const cli_options *options, const char *name, measure *m)
{
    karp_error error = { .size = sizeof error };
    memset(m, 0, sizeof(*m));
    bool good = counting_context(m, &error) == KARP_OK;
    for (uint32_t i = 0; i < options->runs && good; i++) good = run_once(name, m, &error) == KARP_OK;
    karp_context_unref(m->context);
    if (!good) return print_error(&error);
#if !defined(__wasi__) /* getrusage() of WASI has only times */
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0 && usage.ru_maxrss > 0) m->peak = (uint64_t)usage.ru_maxrss * 1024;
#endif
    return true;
}

static int run_bench(const cli_options *options)
{
    if (options->list) {
        if (bench_named == NULL)
            return problem_of_use(NULL, "this program was built without the tests, whose inputs have names");
        bench_named->list();
        return standard_output_written();
    }
    if (options->inputs.count == 0)
        return problem_of_use(NULL, "no input: name a file, or an input that --list names, with --input");
    bool json = options->format == KARP_FORMAT_JSON;
    measure *m = karp_alloc(options->context, sizeof(*m));
    if (m == NULL) return problem_of_use(NULL, "out of memory");
    bool good = true;
    for (size_t i = 0; i < options->inputs.count && good; i++) {
        good = measure_input(options, options->inputs.items[i], m);
        if (i == 0 && good) {
            fputs(json ? "{\"results\":["
                       : "input                     pods   nodes  types    read ms prepare ms   solve ms    emit ms    "
                         " pods/s  peak MiB    allocs  launches          $/h\n",
                  stdout);
        }
        if (good && json) print_json(options->inputs.items[i], m, i == 0);
        else if (good) print_row(options->inputs.items[i], m);
    }
    if (good && json) fputs("]}\n", stdout);
    karp_free(options->context, m, sizeof(*m));
    return good ? standard_output_written() : EXIT_ERROR;
}

const cli_verb verb_bench = {
    .name = "bench",
    .arguments = "",
    .summary = "how long a decision takes, part by part",
    .details =
        "Reads a file (or makes an input from a fixed seed, if karp was built with its tests), decides on it several\n"
        "times, and prints the medians of the processor time of reading, preparing, deciding and writing JSON. Peak\n"
        "memory is that of the process: of several inputs the largest so far. Allocations are requests to the\n"
        "allocator in one run.",
    .options = CLI_OPTION_BENCH,
    .formats = 1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT,
    .default_format = KARP_FORMAT_TEXT,
    .run = run_bench,
};
