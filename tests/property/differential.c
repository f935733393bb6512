/* SPDX-License-Identifier: Apache-2.0 */
/*
 * differential [--from N] [--count N] [--save DIR] [--shrink] [--most N] [--in-process] [--ask PROGRAM]
 * differential --file WORLD.json [--save DIR] [--shrink] [--in-process] [--ask PROGRAM]
 * differential --print SEED
 * [--plain-selectors]: selectors are asked of every device (S-Q38 off)
 * [--peer 1.15]: from this version of Karpenter on; without it, all that are known
 *
 * Puts random worlds before the plain reference scheduler and before the library, and compares what they decide. A
 * world on which they part is named by its seed and, with --save, written to DIR/SEED.json; with --shrink, as small as
 * it gets. The library runs in a child process, so that a crash or a hang is one more difference; with --in-process it
 * does not, for sanitizers, valgrind and debuggers. With --ask another program takes the place of the reference
 * (asked.h): tests/oracle asks Karpenter itself, of the version --peer.
 */
#include <jansson.h>
#include <karp/io.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <reference/reference.h>

#include "asked.h"
#include "plans.h"
#include "shrink.h"
#include "worlds.h"

enum outcome { AGREED, PARTED, REFERENCE_FAILED, LIBRARY_FAILED, NOT_COVERED };

struct run {
    unsigned long from, count, most;
    const char *save, *file, *ask;
    struct asked *asked; /* instead of the reference */
    bool shrink, in_process;
    uint32_t peer; /* version of Karpenter that is compared first, and the only one when somebody is asked */
    const char *base; /* what catalogue paths are relative to */
    enum outcome wanted; /* while shrinking, and how the difference begins */
    char beginning[64];
    double reference_seconds, library_seconds;
};

/* ------------------------------------------------------------------------------------------------ the two answers */

static karp_str str(const char *text) { return (karp_str){ text, strlen(text) }; }

/** The version of Karpenter that is compared. */
static uint32_t peer = KARP_PEER_1_14;

/** Quirks that the library is to have the other way; the reference knows one of them, S-Q38. */
static uint64_t flipped;

/** The Plan's text, or an error's with @p failed set. To be freed with free(). */
static char *library_plan(const char *text, const char *base, bool *failed)
{
    karp_error error;
    karp_context *context = NULL;
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_decision *decision = NULL;
    karp_text plan = { NULL, 0, NULL };
    karp_reader_options options;
    karp_write_options format;
    karp_error_init(&error, sizeof error);
    karp_reader_options_init(&options, sizeof options);
    karp_write_options_init(&format, sizeof format);
    options.base_directory = str(base);
    format.compact = 1;
    karp_status status = karp_context_new(NULL, &context, &error);
    if (status == KARP_OK) {
        status = karp_reader_new(context, &options, &reader, &error);
    }
    if (status == KARP_OK) {
        status = karp_reader_add(reader, str("world"), str(text), &error);
    }
    if (status == KARP_OK) {
        status = karp_reader_finish(reader, &snapshot, &error);
    }
    if (status == KARP_OK) {
        karp_options how;
        karp_options_init(&how, sizeof how);
        how.peer_version = peer;
        how.flip_quirks = flipped;
        status = karp_provision(snapshot, &how, &decision, &error);
    }
    if (status == KARP_OK) {
        status = karp_write_plan(context, decision, NULL, &format, &plan, &error);
    }
    *failed = status != KARP_OK;
    char message[768];
    snprintf(message, sizeof message, "%s: %s %s %s", karp_status_name(status), error.object, error.field,
             error.message);
    const char *answer = status == KARP_OK ? plan.ptr : message;
    char *out = malloc(strlen(answer) + 1);
    if (out != NULL) {
        memcpy(out, answer, strlen(answer) + 1);
    }
    karp_text_free(&plan);
    karp_decision_unref(decision);
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    karp_context_unref(context);
    return out;
}

enum { SECONDS_A_WORLD = 20 };

#define CRASHED "ended by signal"

static bool write_all(int to, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t done = write(to, text, length);
        if (done <= 0) {
            return false;
        }
        text += done;
        length -= (size_t)done;
    }
    return true;
}

/** Everything that comes, NUL-terminated; NULL without memory. */
static char *read_all(int from)
{
    size_t room = 65536, length = 0;
    char *text = malloc(room);
    for (ssize_t got = 1; text != NULL && got > 0; length += got > 0 ? (size_t)got : 0) {
        if (room - length < 2) {
            char *more = realloc(text, 2 * room);
            if (more == NULL) {
                free(text);
                return NULL;
            }
            text = more;
            room *= 2;
        }
        got = read(from, text + length, room - length - 1);
    }
    if (text != NULL) {
        text[length] = '\0';
    }
    return text;
}

/** library_plan() in a process of its own, which may crash or hang. */
static char *isolated_plan(const char *text, const char *base, bool *failed)
{
    int ends[2], status = 0;
    *failed = true;
    fflush(stdout);
    if (pipe(ends) != 0) {
        return NULL;
    }
    pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS_A_WORLD);
        close(ends[0]);
        char *plan = library_plan(text, base, failed);
        bool ok = plan != NULL && write_all(ends[1], plan, strlen(plan));
        _exit(!ok ? 2 : *failed ? 1 : 0);
    }
    close(ends[1]);
    char *answer = read_all(ends[0]);
    close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) != child || answer == NULL) {
        free(answer);
        return NULL;
    }
    if (WIFSIGNALED(status)) {
        char *message = realloc(answer, 64);
        if (message != NULL) {
            snprintf(message, 64, CRASHED " %d", WTERMSIG(status));
        }
        return message;
    }
    *failed = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    return answer;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/** The Plan of the reference, or of whoever is asked; what went wrong if @p outcome is not AGREED. To be freed. */
static char *reference_answer(struct run *run, json_t *world, const char *text, enum outcome *outcome)
{
    bool covered = true, failed = false;
    char *plan = run->asked != NULL ? asked_plan(run->asked, text, &covered, &failed)
                                    : reference_plan(world, run->base);
    *outcome = !covered ? NOT_COVERED : plan == NULL || failed ? REFERENCE_FAILED : AGREED;
    return plan;
}

/** @p why: what was different or failed, to be freed. */
static enum outcome compare_peer(struct run *run, json_t *world, char **why)
{
    char *text = json_dumps(world, JSON_COMPACT);
    bool failed = false;
    *why = NULL;
    if (text == NULL) {
        fputs("differential: out of memory\n", stderr);
        exit(2);
    }
    double start = seconds();
    enum outcome outcome;
    char *ours = reference_answer(run, world, text, &outcome), *theirs = NULL;
    double middle = seconds();
    run->reference_seconds += middle - start;
    if (outcome == AGREED) {
        theirs = (run->in_process ? library_plan : isolated_plan)(text, run->base, &failed);
        run->library_seconds += seconds() - middle;
        outcome = failed || theirs == NULL ? LIBRARY_FAILED : AGREED;
    } else {
        *why = ours;
        ours = NULL;
    }
    if (outcome == AGREED) {
        *why = plans_difference(ours, theirs);
        outcome = *why != NULL ? PARTED : AGREED;
    } else if (outcome == LIBRARY_FAILED) {
        *why = theirs;
        theirs = NULL;
    }
    free(text);
    free(ours);
    free(theirs);
    return outcome;
}

/** Under every version, unless another program is asked: that one is of one version. */
static enum outcome compare(struct run *run, json_t *world, char **why)
{
    enum outcome outcome = AGREED;
    *why = NULL;
    for (uint32_t version = run->peer; version <= (run->asked != NULL ? run->peer : KARP_PEER_1_15); version++) {
        free(*why);
        peer = version;
        reference_follow(version);
        outcome = compare_peer(run, world, why);
        if (outcome != AGREED) {
            break;
        }
    }
    return outcome;
}

/* ------------------------------------------------------------------------------------------------ differences */

/** "only library: launch requires": which side has more of what. */
static void beginning(const char *why, char *out, size_t size)
{
    const char *line = why != NULL ? why : "", *end = line + strcspn(line, "\n"), *colon = strchr(line, ':');
    const char *word = colon == NULL ? end : colon[1] == ' ' ? strchr(colon + 2, ' ') : colon;
    const char *requires = strstr(line, "] requires "), *of = strstr(line, "] of ");
    const char *part = requires != NULL && requires < end ? " requires" : of != NULL && of < end ? " of" : "";
    snprintf(out, size, "%.*s%s", word != NULL ? (int)(word - line) : 0, line, part);
}

static void save(const struct run *run, const char *name, const json_t *world)
{
    char path[1024];
    if (run->save == NULL) {
        return;
    }
    snprintf(path, sizeof path, "%s/%s.json", run->save, name);
    if (json_dump_file(world, path, JSON_INDENT(1)) != 0) {
        fprintf(stderr, "differential: cannot write %s\n", path);
    }
}

static bool fails_alike(json_t *world, void *user)
{
    struct run *run = user;
    char *why, start[sizeof run->beginning];
    enum outcome outcome = compare(run, world, &why);
    bool alike = outcome == run->wanted;
    beginning(why, start, sizeof start);
    if (!alike && outcome == LIBRARY_FAILED && strncmp(start, CRASHED, strlen(CRASHED)) == 0) {
        printf("  on the way: %s\n", start); /* a find of its own */
        save(run, "crash", world);
    }
    free(why);
    return alike && strcmp(start, run->beginning) == 0;
}

static void report(struct run *run, const char *name, json_t *world, enum outcome outcome, const char *why)
{
    static const char *const what[] = { "agreed", "parted", "the reference failed", "the library failed",
                                        "not covered" };
    char *small = NULL;
    printf("%s: %s\n%s%s", name, what[outcome],
           why != NULL        ? why
           : run->ask != NULL ? "it ended"
                              : reference_error(),
           outcome == PARTED ? "" : "\n");
    if (run->shrink) {
        run->wanted = outcome;
        beginning(why, run->beginning, sizeof run->beginning);
        shrink(world, fails_alike, run);
        compare(run, world, &small);
        printf("  made small, %zu objects:\n%s%s", json_array_size(json_object_get(world, "objects")),
               small != NULL ? small : "", outcome == PARTED ? "" : "\n");
        free(small);
    }
    save(run, name, world);
    fflush(stdout);
}

static enum outcome check(struct run *run, const char *name, json_t *world)
{
    char *why;
    enum outcome outcome = compare(run, world, &why);
    if (outcome != AGREED && outcome != NOT_COVERED) {
        report(run, name, world, outcome, why);
    }
    free(why);
    return outcome;
}

/* ------------------------------------------------------------------------------------------------ the program */

static bool start_asked(struct run *run)
{
    run->asked = run->ask != NULL ? asked_start(run->ask, run->base) : NULL;
    if (run->ask != NULL && run->asked == NULL) {
        fprintf(stderr, "differential: cannot start %s\n", run->ask);
    }
    return run->ask == NULL || run->asked != NULL;
}

static int check_file(struct run *run)
{
    char base[1024] = ".";
    const char *slash = strrchr(run->file, '/'), *name = slash != NULL ? slash + 1 : run->file;
    json_error_t error;
    json_t *world = json_load_file(run->file, 0, &error);
    if (world == NULL) {
        fprintf(stderr, "differential: %s: %s\n", run->file, error.text);
        return 2;
    }
    if (slash != NULL) {
        snprintf(base, sizeof base, "%.*s", (int)(slash - run->file), run->file);
    }
    run->base = base;
    if (!start_asked(run)) {
        json_decref(world);
        return 2;
    }
    enum outcome outcome = check(run, name, world);
    if (outcome == NOT_COVERED) {
        printf("%s: not covered\n", name);
    }
    json_decref(world);
    asked_end(run->asked);
    return outcome == AGREED || outcome == NOT_COVERED ? 0 : 1;
}

static int check_seeds(struct run *run)
{
    unsigned long bad = 0, skipped = 0;
    if (!start_asked(run)) {
        return 2;
    }
    for (unsigned long seed = run->from; seed - run->from < run->count && bad < run->most; seed++) {
        char name[32];
        json_t *world = world_make(seed);
        snprintf(name, sizeof name, "%lu", seed);
        enum outcome outcome = check(run, name, world);
        skipped += outcome == NOT_COVERED;
        bad += outcome != NOT_COVERED && outcome != AGREED;
        json_decref(world);
    }
    asked_end(run->asked);
    printf("%lu worlds from %lu on, %lu parted", run->count, run->from, bad);
    if (skipped > 0) {
        printf(", %lu not covered", skipped);
    }
    printf("; reference %.1f s, library %.1f s\n", run->reference_seconds, run->library_seconds);
    return bad > 0 ? 1 : 0;
}

static int print_world(const char *seed)
{
    json_t *world = world_make(strtoul(seed, NULL, 10));
    int status = json_dumpf(world, stdout, JSON_INDENT(1));
    puts("");
    json_decref(world);
    return status == 0 ? 0 : 2;
}

int main(int argc, char **argv)
{
    struct run run = { .from = 1, .count = 300, .most = 10, .peer = KARP_PEER_1_14, .base = "." };
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--shrink") == 0) {
            run.shrink = true;
            continue;
        }
        if (strcmp(argv[i], "--in-process") == 0) {
            run.in_process = true;
            continue;
        }
        if (strcmp(argv[i], "--plain-selectors") == 0) {
            reference_remember_selectors(false);
            flipped = (uint64_t)1 << (38 - 1);
            continue;
        }
        if (value == NULL) {
            fprintf(stderr, "differential: %s: unknown, or without a value\n", argv[i]);
            return 2;
        }
        if (strcmp(argv[i], "--print") == 0) {
            return print_world(value);
        } else if (strcmp(argv[i], "--from") == 0) {
            run.from = strtoul(value, NULL, 10);
        } else if (strcmp(argv[i], "--count") == 0) {
            run.count = strtoul(value, NULL, 10);
        } else if (strcmp(argv[i], "--most") == 0) {
            run.most = strtoul(value, NULL, 10);
        } else if (strcmp(argv[i], "--save") == 0) {
            run.save = value;
        } else if (strcmp(argv[i], "--peer") == 0) {
            run.peer = strcmp(value, "1.15") == 0 ? KARP_PEER_1_15 : KARP_PEER_1_14;
        } else if (strcmp(argv[i], "--ask") == 0) {
            run.ask = value;
        } else if (strcmp(argv[i], "--file") == 0) {
            run.file = value;
        } else {
            fprintf(stderr, "differential: unknown option %s\n", argv[i]);
            return 2;
        }
        i++;
    }
    return run.file != NULL ? check_file(&run) : check_seeds(&run);
}
