/* SPDX-License-Identifier: Apache-2.0 */
#include "option_table.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <karp/library.h>
#include <karp/recording.h>

enum { LOOK_TEXTS = 3, FILES_MOST = 100000, ROTATES_AT = 64 << 20 };

#define LISTS_AGAIN INT64_C(10000000000) /* after a watch that failed, or a list */

typedef struct recording {
    const char *path;
    cli_cluster cluster;
    karp_recorder *recorder;
    int64_t every, lasts; /* lasts: INT64_MAX = until it is interrupted */
    uint64_t most_bytes, looks; /* looks: 0 = any number */
    bool whole; /* the next line has all objects */
    bool listed; /* the last look was taken */
    bool polls; /* it is looked at again and again, and not watched */
    bool goes_on; /* no watch has ended */
    int64_t begins;
    uint64_t done; /* looks */
    int64_t last; /* of the last look that was taken; 0 = none */
    karp_replay_document *events; /* of a watch, since the last line */
    size_t event_count, event_capacity;
    bool no_memory;
} recording;

static int64_t wall_clock(void)
{
    struct timespec now = { 0 };
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static bool read_options(const cli_options *options, recording *r)
{
    const char *every = options->record[RECORD_EVERY], *lasts = options->record[RECORD_FOR],
               *rotate = options->record[RECORD_ROTATE], *looks = options->record[RECORD_LOOKS];
    *r = (recording){ .path = options->words.items[0],
                      .polls = options->polls != 0,
                      .lasts = INT64_MAX,
                      .most_bytes = ROTATES_AT,
                      .whole = true };
    r->every = (r->polls ? 10 : 1) * INT64_C(1000000000);
    if (every && (karp_duration_parse(str(every), &r->every) != KARP_OK || r->every <= 0))
        return problem_of_option("record", "--every", every, "not a duration like 10s");
    if (lasts && (karp_duration_parse(str(lasts), &r->lasts) != KARP_OK || r->lasts < 0))
        return problem_of_option("record", "--for", lasts, "not a duration like 24h");
    if (looks && (!parse_count(looks, &r->looks) || r->looks == 0))
        return problem_of_option("record", "--looks", looks, "not a number from 1 on");
    if (rotate && (!parse_size(rotate, &r->most_bytes) || r->most_bytes == 0))
        return problem_of_option("record", "--rotate", rotate, "not a size like 64Mi");
    return true;
}

static bool complain(const recording *r, const char *what) { return print_problem(r->path, what); }

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* A line that was interrupted ends here. */
static bool end_last_line(const recording *r)
{
    FILE *file = fopen(r->path, "r+b");
    bool fine = true;
    if (file == NULL) return true; /* a new recording */
    if (fseek(file, -1, SEEK_END) == 0 && fgetc(file) != '\n')
        fine = fseek(file, 0, SEEK_END) == 0 && fputc('\n', file) != EOF;
    fine = (fclose(file) == 0) && fine;
    return fine || complain(r, "cannot be written");
}

static bool append(const recording *r, const karp_text *line, uint64_t *size)
{
    FILE *file = fopen(r->path, "ab");
    if (file == NULL) return complain(r, "cannot be written");
    bool fine = fwrite(line->ptr, 1, line->len, file) == line->len;
    long end = ftell(file);
    fine = (fclose(file) == 0) && fine && end >= 0;
    *size = (uint64_t)(end < 0 ? 0 : end);
    return fine || complain(r, "cannot be written");
}

/* FILE becomes FILE.1, or the next number that is free, and a new FILE begins. */
static bool rotate(recording *r)
{
    char to[4096];
    for (int i = 1; i < FILES_MOST; i++) {
        if (snprintf(to, sizeof to, "%s.%d", r->path, i) >= (int)sizeof to) return complain(r, "the path is too long");
        if (access(to, F_OK) == 0) continue;
        r->whole = true;
        return rename(r->path, to) == 0 || complain(r, "cannot be renamed");
    }
    return complain(r, "there are too many parts of it");
}

/* One look. A cluster that does not answer is looked at again later: the recording has a gap. */
static bool look(recording *r, bool first)
{
    karp_replay_document documents[LOOK_TEXTS];
    karp_text line = { 0 };
    uint64_t size = 0;
    karp_error error = { .size = sizeof error };
    r->listed = false;
    if (!cluster_look(&r->cluster)) {
        print_problem(r->cluster.said, first ? "nothing is recorded" : "this look is left out");
        return !first;
    }
    for (size_t i = 0; i < r->cluster.count; i++) {
        const strbuf *text = &r->cluster.texts[i];
        documents[i] = (karp_replay_document){ str("kubectl get"), { text->ptr ? text->ptr : "", text->len } };
    }
    int64_t now = wall_clock();
    if (now <= r->last) {
        cluster_looked(&r->cluster);
        print_problem("the clock went back", "this look is left out");
        return true;
    }
    karp_status status = karp_recorder_take(r->recorder, documents, r->cluster.count, now, r->whole, &line, &error);
    cluster_looked(&r->cluster);
    if (status != KARP_OK) print_error(&error);
    else r->whole = false;
    r->listed = status == KARP_OK;
    r->last = now;
    bool fine = status == KARP_OK && (line.len == 0 || append(r, &line, &size));
    karp_text_free(&line);
    return fine && (size <= r->most_bytes || rotate(r));
}

/* ---- watches ----------------------------------------------------------------------------------------------------- */

static bool over(const recording *r)
{
    return streams_interrupted() || (r->looks > 0 && r->done >= r->looks) || wall_clock() - r->begins >= r->lasts;
}

static void add_event(karp_str event, void *user)
{
    recording *r = user;
    if (!grow(r->cluster.options->context, (void **)&r->events, &r->event_capacity, r->event_count + 1,
              sizeof *r->events))
        r->no_memory = true;
    else r->events[r->event_count++] = (karp_replay_document){ str("kubectl get --watch-only"), event };
}

/* Appends what has happened since the last line. false = it cannot be written; again = all is to be listed anew. */
static bool take_events(recording *r, bool *again)
{
    karp_text line = { 0 };
    uint64_t size = 0;
    karp_error error = { .size = sizeof error };
    int64_t now = wall_clock();
    if (now <= r->last) return true; /* the clock went back: they are taken later */
    r->event_count = 0;
    cluster_events(&r->cluster, add_event, r);
    karp_status status = r->no_memory ? KARP_E_NOMEM
                                      : karp_recorder_watch(r->recorder, r->events, r->event_count, now, r->whole,
                                                            &line, &error);
    cluster_forget_events(&r->cluster);
    if (r->no_memory) return complain(r, "out of memory");
    if (status != KARP_OK) print_error(&error);
    else r->whole = false;
    *again = status != KARP_OK;
    r->last = now;
    bool fine = line.len == 0 || append(r, &line, &size);
    karp_text_free(&line);
    return fine && (size <= r->most_bytes || rotate(r));
}

/* Until a watch ends, as the server ends each now and then: all is listed again after that. false = a failure. */
static bool watch(recording *r)
{
    bool again = false;
    do {
        r->goes_on = cluster_wait(&r->cluster, r->every / 1000000);
        if (!take_events(r, &again)) return false;
        r->done++;
    } while (r->goes_on && !again && !over(r));
    if (r->cluster.failed && !over(r))
        print_problem(r->cluster.said, "the cluster is listed again; --poll does not watch it");
    r->cluster.failed = r->cluster.failed || again;
    return true;
}

static void pause_for(int64_t time)
{
    struct timespec pause = { .tv_sec = (time_t)(time / 1000000000), .tv_nsec = (long)(time % 1000000000) };
    (void)nanosleep(&pause, NULL);
}

static bool record_all(recording *r)
{
    do {
        bool watches = !r->polls && cluster_watch(&r->cluster);
        if (!watches && !r->polls) return complain(r, r->cluster.said);
        if (!look(r, r->done == 0)) return false;
        r->done++;
        if (watches && r->listed && !over(r) && !watch(r)) return false;
        bool soon = watches && r->listed && !r->cluster.failed;
        cluster_unwatch(&r->cluster);
        if (!over(r)) pause_for(r->polls || soon ? r->every : LISTS_AGAIN);
    } while (!over(r));
    return true;
}

static int record(const cli_options *options, recording *r)
{
    karp_error error = { .size = sizeof error };
    r->begins = wall_clock();
    if (!end_last_line(r)) return EXIT_ERROR;
    if (karp_recorder_new(options->context, &r->recorder, &error) != KARP_OK) {
        print_error(&error);
        return EXIT_ERROR;
    }
    streams_catch_signals(true);
    bool fine = record_all(r);
    cluster_unwatch(&r->cluster); /* kubectl does not outlive it */
    streams_catch_signals(false);
    return fine ? EXIT_OK : EXIT_ERROR;
}

static int run_record(const cli_options *options)
{
    recording r;
    if (!read_options(options, &r)) return EXIT_ERROR;
    int result = cluster_begin(options, &r.cluster) ? record(options, &r) : EXIT_ERROR;
    karp_recorder_free(r.recorder);
    karp_free(options->context, r.events, r.event_capacity * sizeof *r.events);
    cluster_end(&r.cluster);
    return result;
}

const cli_verb verb_record = {
    .name = "record",
    .arguments = "FILE",
    .summary = "records the cluster that kubectl points to, for karp replay",
    .details =
        "Lists the cluster and watches it, and appends what has changed to FILE, a line of JSON every second in which\n"
        "something did, until it is interrupted. A FILE that is there is continued. Values of environment variables, "
        "commands\n"
        "and images of containers are left out, and Secrets are not read.",
    .word_count = 1,
    .options = CLI_OPTION_CLUSTER | CLI_OPTION_RECORD,
    .run = run_record,
};
