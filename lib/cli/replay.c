/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include <karp/library.h>

enum { MOST_POLICIES = 64, MOST_RATES = 64 };

typedef struct replaying {
    karp_replay_options options;
    karp_str policies[MOST_POLICIES];
    karp_replay_interruption rates[MOST_RATES];
    karp_replay_document plan, scheduler_config, rate_table, offers;
    karp_request_rules rules;
    karp_replay_usage *usage;
} replaying;

static bool duration(const cli_options *options, int which, const char *name, int64_t *out)
{
    const char *value = options->replay[which];
    if (value == NULL) return true;
    return (karp_duration_parse(str(value), out) == KARP_OK && *out >= 0) ||
           problem_of_option("replay", name, value, "not a duration like 10m");
}

/* The next word of a comma-separated list; false at its end. */
static bool next_word(const char **at, karp_str *word)
{
    if (**at == '\0') return false;
    size_t length = strcspn(*at, ",");
    *word = (karp_str){ *at, length };
    *at += length + ((*at)[length] == ',');
    return true;
}

static bool read_policies(const cli_options *options, replaying *r)
{
    for (size_t i = 0; i < options->policies.count; i++) {
        const char *at = options->policies.items[i];
        karp_str word;
        while (next_word(&at, &word)) {
            if (r->options.policy_count == MOST_POLICIES)
                return problem_of_option("replay", "--policy", options->policies.items[i], "too many");
            r->policies[r->options.policy_count++] = word;
        }
    }
    r->options.policies = r->policies;
    return true;
}

static bool read_rates(const cli_options *options, replaying *r)
{
    const char *value = options->replay[REPLAY_INTERRUPTIONS], *at = value ? value : "";
    karp_str word;
    while (next_word(&at, &word)) {
        const char *sign = memchr(word.ptr, '=', word.len);
        karp_replay_interruption *rate = &r->rates[r->options.interruption_count];
        karp_str number = word;
        if (r->options.interruption_count++ == MOST_RATES)
            return problem_of_option("replay", "--interruptions", value, "too many");
        if (sign != NULL) {
            rate->instance_type = (karp_str){ word.ptr, (size_t)(sign - word.ptr) };
            number = (karp_str){ sign + 1, word.len - rate->instance_type.len - 1 };
        }
        if (karp_double_parse(number, &rate->per_hour) != KARP_OK || !(rate->per_hour >= 0))
            return problem_of_option("replay", "--interruptions", value, "a rate per hour like 0.05, or m5.large=0.05");
    }
    r->options.interruptions = r->rates;
    return true;
}

/* An instant, or a duration after the beginning, which the library knows when it has read the traces. */
static bool instant(const cli_options *options, int which, const char *name, int64_t *at, int64_t *after)
{
    const char *value = options->replay[which];
    if (value == NULL || karp_time_parse(str(value), at) == KARP_OK) return true;
    return (karp_duration_parse(str(value), after) == KARP_OK && *after > 0) ||
           problem_of_option("replay", name, value,
                             "not a time like 2026-11-21T10:00:00Z, nor a duration after the beginning like 36h");
}

/* "1.36", also with a patch version or a v. */
static bool scheduler_version(const char *value, int64_t *minor)
{
    if (value == NULL) return true;
    const char *at = value + (*value == 'v');
    if (strncmp(at, "1.", 2) == 0) {
        for (at += 2; *at >= '0' && *at <= '9' && *minor < 1000; at++) *minor = *minor * 10 + (*at - '0');
        if (*minor > 0 && (*at == '\0' || *at == '.')) return true;
    }
    return problem_of_option("replay", "--scheduler-version", value, "not a version like 1.36");
}

static bool read_options(const cli_options *options, replaying *r)
{
    const char *seed = options->replay[REPLAY_SEED], *format = options->replay[REPLAY_FORMAT];
    karp_replay_options *o = &r->options;
    if (seed != NULL && !parse_count(seed, &o->seed))
        return problem_of_option("replay", "--seed", seed, "not a number");
    if (format != NULL) o->format = str(format);
    if (options->replay[REPLAY_SCHEDULER] != NULL) o->scheduler = str(options->replay[REPLAY_SCHEDULER]);
    if (!scheduler_version(options->replay[REPLAY_SCHEDULER_VERSION], &o->scheduler_minor)) return false;
    if (options->region != NULL) o->region = str(options->region);
    if (options->feature_gates != NULL) o->feature_gates = str(options->feature_gates);
    if (options->ignored_kinds != NULL) o->ignored_kinds = str(options->ignored_kinds);
    o->most_allocated = options->most_allocated;
    o->lenient = options->lenient;
    o->as_planned = options->as_planned;
    if (options->replay[REPLAY_SCHEDULER_CONFIG] != NULL) {
        r->scheduler_config.name = str(options->replay[REPLAY_SCHEDULER_CONFIG]);
        o->scheduler_config = &r->scheduler_config;
    }
    const char *rates = options->replay[REPLAY_INTERRUPTION_RATES], *runs = options->replay[REPLAY_RUNS];
    if (runs != NULL && (!parse_count(runs, &o->runs) || o->runs == 0 || o->runs > 10000))
        return problem_of_option("replay", "--runs", runs, "a number from 1 to 10000");
    r->rate_table.name = str(rates);
    if (rates != NULL) o->interruption_table = &r->rate_table;
    r->offers.name = str(options->replay[REPLAY_COMMITMENTS]);
    if (options->replay[REPLAY_COMMITMENTS] != NULL) o->commitment_offers = &r->offers;
    if (options->replay[REPLAY_REPACK] != NULL) r->plan.name = str(options->replay[REPLAY_REPACK]);
    return read_policies(options, r) && read_rates(options, r) && duration(options, REPLAY_STEP, "--step", &o->step) &&
           duration(options, REPLAY_BOOT, "--boot", &o->boot) &&
           duration(options, REPLAY_BOOT_JITTER, "--boot-jitter", &o->boot_jitter) &&
           duration(options, REPLAY_INITIALIZATION, "--initialization", &o->initialization) &&
           duration(options, REPLAY_DISRUPTION_INTERVAL, "--disruption-interval", &o->disruption_interval) &&
           instant(options, REPLAY_UNTIL, "--until", &o->until, &o->until_after) &&
           instant(options, REPLAY_DUMP_AT, "--dump-at", &o->dump_at, &o->dump_after);
}

/* The documents of the named files; NULL after printing the error. */
static karp_replay_document *documents(const cli_options *options, const cli_list *list)
{
    karp_replay_document *out = karp_alloc(options->context, (list->count + 1) * sizeof *out);
    if (out == NULL) {
        print_problem(NULL, "out of memory");
        return NULL;
    }
    for (size_t i = 0; i < list->count; i++) {
        out[i] = (karp_replay_document){ .name = str(list->items[i]) };
    }
    return out;
}

static void documents_free(const cli_options *options, const cli_list *list, karp_replay_document *documents)
{
    karp_free(options->context, documents, (list->count + 1) * sizeof *documents);
}

/* What containers request, if that is recommended. false after printing an error. */
static bool read_requests(const cli_options *options, replaying *r)
{
    const cli_requests *given = &options->requests;
    if (given->recommended == 0) return true;
    r->rules = requests_rules(given);
    r->options.requests = &r->rules;
    r->usage = karp_alloc(options->context, (given->usage.count + 1) * sizeof *r->usage);
    if (r->usage == NULL) print_problem(NULL, "out of memory");
    for (size_t i = 0; r->usage != NULL && i < given->usage.count; i++) {
        const char *path = requests_usage(given->usage.items[i], &r->usage[i].resource);
        r->usage[i].document = (karp_replay_document){ .name = str(path) };
    }
    r->options.usage = r->usage;
    r->options.usage_count = given->usage.count;
    return r->usage != NULL;
}

/* Reports progress. Policies are replayed one after the other, each from the beginning to the end. */
static void report_progress(const karp_replay_progress *progress, void *user)
{
    const karp_replay_options *o = user;
    uint64_t policies = o->policy_count > 0 ? o->policy_count : 1, before = 0;
    uint64_t each = (uint64_t)progress->ends - (uint64_t)progress->begins;
    while (before + 1 < policies && !equal_str(o->policies[before], progress->policy)) before++;
    each /= policies; /* avoids an overflow of the sum */
    progress_part(before * each + ((uint64_t)progress->now - (uint64_t)progress->begins) / policies, policies * each);
}

static karp_status answer_replay(cli_answer *answer, void *own, int *result)
{
    karp_replay_options *o = own;
    karp_replay_outcome outcome = { .size = sizeof outcome };
    bool dumps = o->dump_at != 0 || o->dump_after != 0;
    answer->write.outcome = &outcome;
    o->progress = report_progress;
    o->progress_user = o;
    progress_begin("replaying");
    karp_status status = karp_replay(answer->options->context, o, &answer->write, &answer->text, &answer->error);
    progress_end();
    answer->write.outcome = NULL;
    if (status == KARP_OK && !dumps) *result = exit_status_of_replay(answer->options, &outcome);
    return status;
}

typedef struct replay_use {
    int (*use)(karp_replay_options *replay, void *own);
    void *own;
} replay_use;

static int replay_with(const cli_options *options, replaying *r, const cli_list *traces, const cli_list *objects,
                       const replay_use *use)
{
    karp_options decision = decision_options(options);
    bool named = options->catalogues.count > 0 || options->region != NULL || options->provider != NULL;
    cli_options of_types = *options; /* here the files would be node classes */
    of_types.files.count = 0;
    r->options.decision = &decision;
    r->options.catalogue = named ? catalogue_read(&of_types) : NULL;
    karp_replay_document *lists[] = { documents(options, traces), documents(options, objects),
                                      documents(options, &options->replaced) };
    r->options.traces = lists[0];
    r->options.trace_count = traces->count;
    r->options.objects = lists[1];
    r->options.object_count = objects->count;
    r->options.replaced = lists[2];
    r->options.replaced_count = options->replaced.count;
    r->options.repack = r->plan.name.ptr ? &r->plan : NULL;
    bool ready = rules_text(options, &r->options.pods_from) && read_requests(options, r) && lists[0] != NULL &&
                 lists[1] != NULL && lists[2] != NULL && (!named || r->options.catalogue != NULL);
    int result = ready ? use->use(&r->options, use->own) : EXIT_ERROR;
    documents_free(options, traces, lists[0]);
    documents_free(options, objects, lists[1]);
    documents_free(options, &options->replaced, lists[2]);
    if (r->usage != NULL) karp_free(options->context, r->usage, (options->requests.usage.count + 1) * sizeof *r->usage);
    rules_free(options, r->options.pods_from);
    karp_catalogue_unref(r->options.catalogue);
    return result;
}

int replay_of(const cli_options *options, const cli_list *traces, const cli_list *objects,
              int (*use)(karp_replay_options *replay, void *own), void *own)
{
    replaying r;
    memset(&r, 0, sizeof r);
    karp_replay_options_init(&r.options, sizeof r.options);
    const replay_use what = { use, own };
    return read_options(options, &r) ? replay_with(options, &r, traces, objects, &what) : EXIT_ERROR;
}

static int print_replay(karp_replay_options *replay, void *own)
{
    return answer_without_input(own, answer_replay, replay);
}

static int run_replay(const cli_options *options)
{
    cli_options all = *options;
    if (gates_are_set(options) && options->replay[REPLAY_DUMP_AT] != NULL)
        return problem_of_use("replay: --fail-on",
                              "--dump-at writes a cluster: give --fail-on to the replay without it, or to "
                              "karp plan of that cluster");
    return replay_of(options, &options->files, &options->pools, print_replay, &all);
}

const cli_verb verb_replay = {
    .name = "replay",
    .arguments = "[TRACE...]",
    .summary = "what a recorded or made-up load would have cost, under one policy or several",
    .details =
        "Replays traces in virtual time: pods come and go as the traces say, and Karpenter's launches and disruptions\n"
        "are decided on the way. Compares policies by cost, evictions and how long pods were pending. - is standard "
        "input.",
    .options = CLI_OPTION_CATALOGUE | CLI_OPTION_REPLAY | CLI_OPTION_OUTPUT | CLI_OPTION_FAIL_ON,
    .formats = 1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT | 1u << KARP_FORMAT_CSV | 1u << KARP_FORMAT_HTML |
               1u << KARP_FORMAT_YAML,
    .default_format = KARP_FORMAT_TEXT,
    .run = run_replay,
};
