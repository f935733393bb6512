/* SPDX-License-Identifier: Apache-2.0 */
#include "option_table.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <karp/recording.h>

enum { LOOK_TEXTS = 3, FILES_MOST = 100000, ROTATES_AT = 64 << 20 };

typedef struct recording {
    const char *path;
    cli_cluster cluster;
    karp_recorder *recorder;
    int64_t every, lasts; /* lasts: INT64_MAX = until it is interrupted */
    uint64_t most_bytes, looks; /* looks: 0 = any number */
    bool whole; /* the next line has all objects */
    int64_t last; /* of the last look that was taken; 0 = none */
} recording;

static int64_t wall_clock(void)
{
    struct timespec now = { 0 };
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static bool wrong(const char *option, const char *value, const char *message)
{
    char what[160];
    (void)snprintf(what, sizeof what, "record: %s %.100s", option, value);
    return print_problem(what, message);
}

static bool read_options(const cli_options *options, recording *r)
{
    const char *every = options->record[RECORD_EVERY], *lasts = options->record[RECORD_FOR],
               *rotate = options->record[RECORD_ROTATE], *looks = options->record[RECORD_LOOKS];
    *r = (recording){ .path = options->words.items[0],
                      .every = INT64_C(10000000000),
                      .lasts = INT64_MAX,
                      .most_bytes = ROTATES_AT,
                      .whole = true };
    if (every && (karp_duration_parse(str(every), &r->every) != KARP_OK || r->every <= 0))
        return wrong("--every", every, "not a duration like 10s");
    if (lasts && (karp_duration_parse(str(lasts), &r->lasts) != KARP_OK || r->lasts < 0))
        return wrong("--for", lasts, "not a duration like 24h");
    if (looks && (!parse_count(looks, &r->looks) || r->looks == 0))
        return wrong("--looks", looks, "not a number from 1 on");
    if (rotate && (!parse_size(rotate, &r->most_bytes) || r->most_bytes == 0))
        return wrong("--rotate", rotate, "not a size like 64Mi");
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

/* ---- looks ------------------------------------------------------------------------------------------------------- */

/* One look. A cluster that does not answer is looked at again later: the recording has a gap. */
static bool look(recording *r, bool first)
{
    karp_replay_document documents[LOOK_TEXTS];
    karp_text line = { 0 };
    uint64_t size = 0;
    karp_error error = { .size = sizeof error };
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
    r->last = now;
    bool fine = status == KARP_OK && (line.len == 0 || append(r, &line, &size));
    karp_text_free(&line);
    return fine && (size <= r->most_bytes || rotate(r));
}

static int record(const cli_options *options, recording *r)
{
    int64_t begins = wall_clock();
    struct timespec pause = { .tv_sec = (time_t)(r->every / 1000000000), .tv_nsec = (long)(r->every % 1000000000) };
    karp_error error = { .size = sizeof error };
    if (!end_last_line(r)) return EXIT_ERROR;
    if (karp_recorder_new(options->context, &r->recorder, &error) != KARP_OK) {
        print_error(&error);
        return EXIT_ERROR;
    }
    for (uint64_t done = 0;;) {
        if (!look(r, done == 0)) return EXIT_ERROR;
        if (++done == r->looks || wall_clock() - begins >= r->lasts) return EXIT_OK;
        (void)nanosleep(&pause, NULL);
    }
}

static int run_record(const cli_options *options)
{
    recording r;
    if (!read_options(options, &r)) return EXIT_ERROR;
    int result = cluster_begin(options, &r.cluster) ? record(options, &r) : EXIT_ERROR;
    karp_recorder_free(r.recorder);
    cluster_end(&r.cluster);
    return result;
}

const cli_verb verb_record = {
    .name = "record",
    .arguments = "FILE",
    .summary = "records the cluster that kubectl points to, for karp replay",
    .details =
        "Looks at the cluster again and again, and appends what has changed to FILE, a line of JSON for each look,\n"
        "until it is interrupted. A FILE that is there is continued. Values of environment variables, commands\n"
        "and images of containers are left out, and Secrets are not read.",
    .word_count = 1,
    .options = CLI_OPTION_CLUSTER | CLI_OPTION_RECORD,
    .run = run_record,
};
