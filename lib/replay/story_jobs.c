/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of a story that say how long their pods run, in the words of kwok. */
#include <replay/story.h>

#include <io/owner.h>
#include <io/pods_rules.h>
#include <replay/schedule.h>

enum { PODS_MOST = 100000, VALUES_MOST = 256 };

typedef struct reading {
    trace *t;
    const char *wrong; /* the first wrong field; NULL = none */
    bool refused; /* out of memory */
} reading;

static void *keep(reading *r, size_t count, size_t size)
{
    void *kept = arena_array(&r->t->memory, count + 1, size);
    r->refused = r->refused || !kept;
    return kept;
}

static int32_t count_in(reading *r, const tree *spec, const char *name, int32_t absent, int32_t most)
{
    const tree *value = tree_get(spec, name);
    int64_t out = absent;
    if (tree_is_null(value)) return absent;
    if (!tree_integer(value, &out) || out < 0 || out > most) r->wrong = name;
    return (int32_t)out;
}

/* ---- podFailurePolicy -------------------------------------------------------------------------------------------- */

static uint32_t action_of(reading *r, karp_str text)
{
    if (str_is(text, "Ignore")) return KUBE_POD_IGNORED;
    if (str_is(text, "FailJob")) return KUBE_POD_FAILS_JOB;
    if (str_is(text, "FailIndex")) return KUBE_POD_FAILS_INDEX;
    if (!str_is(text, "Count")) r->wrong = "podFailurePolicy.rules: an action is not known";
    return KUBE_POD_COUNTS;
}

static void read_rule(reading *r, const tree *given, kube_failure_rule *out)
{
    const tree *codes = tree_get(given, "onExitCodes"), *values = tree_get(codes, "values"),
               *conditions = tree_get(given, "onPodConditions");
    int32_t *kept = keep(r, tree_count(values), sizeof *kept);
    karp_str *types = keep(r, tree_count(conditions), sizeof *types);
    *out = (kube_failure_rule){ .action = action_of(r, tree_get_text(given, "action")),
                                .exit_codes = kept,
                                .exit_code_count = tree_count(values),
                                .other_codes = str_is(tree_get_text(codes, "operator"), "NotIn"),
                                .conditions = types,
                                .condition_count = 0 };
    for (size_t i = 0; i < tree_count(values) && !r->refused; i++) {
        int64_t code = 0;
        if (!tree_integer(tree_item(values, i), &code) || code < 0 || code > INT32_MAX)
            r->wrong = "podFailurePolicy.rules: onExitCodes.values";
        kept[i] = (int32_t)code;
    }
    for (size_t i = 0; i < tree_count(conditions) && !r->refused; i++) {
        const tree *one = tree_item(conditions, i);
        if (tree_get(one, "status") && !str_is(tree_get_text(one, "status"), "True")) continue; /* none is so here */
        types[out->condition_count] = trace_keep(r->t, tree_get_text(one, "type"));
        r->refused = r->refused || !types[out->condition_count++].ptr;
    }
}

/* ---- successPolicy ----------------------------------------------------------------------------------------------- */

static bool number_at(karp_str text, size_t *at, int32_t *out)
{
    size_t first = *at;
    int64_t value = 0;
    for (; *at < text.len && is_digit(text.ptr[*at]) && value <= PODS_MOST; ++*at)
        value = value * 10 + (text.ptr[*at] - '0');
    *out = (int32_t)value;
    return *at > first && value <= PODS_MOST;
}

/* Such as 0,2-4. */
static size_t read_ranges(reading *r, karp_str text, int32_t *out)
{
    size_t count = 0;
    for (size_t at = 0; at < text.len; at++) {
        if (!number_at(text, &at, &out[2 * count])) break;
        out[2 * count + 1] = out[2 * count];
        if (at < text.len && text.ptr[at] == '-' && (at++, !number_at(text, &at, &out[2 * count + 1]))) break;
        count++;
        if (at >= text.len) return count;
        if (text.ptr[at] != ',') break;
    }
    r->wrong = "successPolicy.rules: succeededIndexes";
    return 0;
}

static void read_success(reading *r, const tree *given, kube_success_rule *out)
{
    karp_str text = tree_get_text(given, "succeededIndexes");
    int32_t *ranges = keep(r, 2 * (text.len + 1), sizeof *ranges);
    *out = (kube_success_rule){ .count = count_in(r, given, "succeededCount", 0, PODS_MOST) };
    if (!text.len || r->refused) return;
    out->ranges = ranges;
    out->range_count = read_ranges(r, text, ranges);
}

/* ---- how long its pods run --------------------------------------------------------------------------------------- */

static int64_t time_in(reading *r, const tree *annotations, const char *name, int64_t absent)
{
    int64_t out = absent;
    if (!tree_get(annotations, name)) return absent;
    if (karp_duration_parse(tree_get_text(annotations, name), &out) || out < 0 || out > INT64_MAX / 8) r->wrong = name;
    return out;
}

static void read_course(reading *r, const tree *spec, trace_job *out)
{
    const tree *metadata = tree_get(tree_get(spec, "template"), "metadata"),
               *annotations = tree_get(metadata, "annotations");
    bool fails = str_is(tree_get_text(tree_get(metadata, "labels"), IO_JOB_FAILS), "true");
    karp_str code = tree_get_text(annotations, IO_JOB_FAILS "/exit-code");
    size_t at = 0;
    out->exit_code = fails ? 1 : 0;
    if (fails && code.len && (!number_at(code, &at, &out->exit_code) || at < code.len || out->exit_code == 0))
        r->wrong = IO_JOB_FAILS "/exit-code";
    /* kwok's defaults, and what it makes of a jitter that is shorter: the time is the jitter. */
    out->lasts = time_in(r, annotations, fails ? IO_JOB_FAILS "/delay" : IO_JOB_COMPLETES "/delay", SECOND);
    out->lasts_most = time_in(r, annotations, fails ? IO_JOB_FAILS "/jitter-delay" : IO_JOB_COMPLETES "/jitter-delay",
                              fails ? SECOND : 5 * SECOND);
    if (out->lasts_most < out->lasts) out->lasts = out->lasts_most;
}

/* ---- the schedule of a CronJob ------------------------------------------------------------------------------------
 */

static void read_cron(reading *r, const tree *object, trace_job *out)
{
    const tree *spec = tree_get(object, "spec"), *status = tree_get(object, "status");
    karp_str policy = tree_get_text(spec, "concurrencyPolicy"), name = tree_get_text(spec, "timeZone");
    int32_t deadline = count_in(r, spec, "startingDeadlineSeconds", -1, INT32_MAX);
    trace_cron *kept = keep(r, 1, sizeof *kept);
    cron_schedule *when = keep(r, 1, sizeof *when);
    if (!kept || !when) return;
    *when = (cron_schedule){ .where.count = 0 };
    *kept = (trace_cron){ .when = when,
                          .forbids = str_is(policy, "Forbid"),
                          .replaces = str_is(policy, "Replace"),
                          .suspended = tree_is(tree_get(spec, "suspend"), TREE_TRUE),
                          .deadline = deadline < 0 ? 0 : deadline * SECOND,
                          .last = KARP_NO_TIME };
    if (!schedule_read(when, tree_get_text(spec, "schedule"))) r->wrong = "schedule";
    if (tree_get(spec, "concurrencyPolicy") && !kept->forbids && !kept->replaces && !str_is(policy, "Allow"))
        r->wrong = "concurrencyPolicy";
    if (tree_get(status, "lastScheduleTime") && karp_time_parse(tree_get_text(status, "lastScheduleTime"), &kept->last))
        r->wrong = "status.lastScheduleTime";
    karp_status read = tree_get(spec, "timeZone") ? schedule_read_zone(when, r->t->context, &r->t->memory, name)
                                                  : KARP_OK;
    r->refused = r->refused || read == KARP_E_NOMEM;
    if (read) r->wrong = schedule_zone_wrong(read);
    out->cron = kept;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static void read_spec(reading *r, const tree *spec, trace_job *out)
{
    const tree *rules = tree_get(tree_get(spec, "podFailurePolicy"), "rules"),
               *successes = tree_get(tree_get(spec, "successPolicy"), "rules");
    karp_str replaces = tree_get_text(spec, "podReplacementPolicy");
    int32_t deadline = count_in(r, spec, "activeDeadlineSeconds", -1, INT32_MAX);
    kube_failure_rule *kept = keep(r, tree_count(rules), sizeof *kept);
    kube_success_rule *met = keep(r, tree_count(successes), sizeof *met);
    out->j = (kube_job){ .parallelism = count_in(r, spec, "parallelism", 1, PODS_MOST),
                         .completions = count_in(r, spec, "completions", -1, PODS_MOST),
                         .backoff_limit = count_in(r, spec, "backoffLimit", 6, INT32_MAX),
                         .index_backoff = count_in(r, spec, "backoffLimitPerIndex", -1, INT32_MAX),
                         .failed_indexes = count_in(r, spec, "maxFailedIndexes", -1, INT32_MAX),
                         .deadline = deadline < 0 ? -1 : deadline * SECOND,
                         .indexed = str_is(tree_get_text(spec, "completionMode"), "Indexed"),
                         .suspended = tree_is(tree_get(spec, "suspend"), TREE_TRUE),
                         .replaces_failed = str_is(replaces, "Failed") || tree_get(spec, "podFailurePolicy"),
                         .successes = met,
                         .success_count = tree_count(successes),
                         .started = KARP_NO_TIME };
    /* With a limit for each index, that of the whole Job is only what is stated. */
    if (out->j.index_backoff >= 0 && tree_is_null(tree_get(spec, "backoffLimit"))) out->j.backoff_limit = INT32_MAX;
    /* Without either number both are 1. */
    if (tree_is_null(tree_get(spec, "parallelism")) && out->j.completions < 0) out->j.completions = 1;
    if (out->j.indexed && out->j.completions < 0) r->wrong = "completions";
    out->rules = kept;
    out->rule_count = tree_count(rules);
    for (size_t i = 0; i < tree_count(rules) && !r->refused; i++) read_rule(r, tree_item(rules, i), &kept[i]);
    for (size_t i = 0; i < tree_count(successes) && !r->refused; i++) read_success(r, tree_item(successes, i), &met[i]);
}

uint32_t story_last_job(const story *s, const tree *object)
{
    const tree *metadata = tree_get(object, "metadata");
    bool by_schedule = str_is(tree_get_text(object, "kind"), "CronJob");
    for (size_t i = s->trace->job_count; i > 0; i--) {
        const trace_job *one = &s->trace->jobs[i - 1];
        if ((one->cron != NULL) == by_schedule && equal_str(one->name, tree_get_text(metadata, "name")) &&
            equal_str(one->namespace_, io_namespace(object)))
            return (uint32_t)i - 1;
    }
    return IO_NONE;
}

const tree *story_ending_job(const tree *object)
{
    const tree *spec = tree_get(object, "spec");
    if (str_is(tree_get_text(object, "kind"), "CronJob")) spec = tree_get(tree_get(spec, "jobTemplate"), "spec");
    else if (!str_is(tree_get_text(object, "kind"), "Job")) return NULL;
    return io_job_ends(spec) ? spec : NULL;
}

karp_status story_take_jobs(story *s)
{
    tree *rest = tree_new(s->t, TREE_LIST), *jobs = tree_new(s->t, TREE_LIST);
    for (size_t i = 0; i < tree_count(s->base); i++) {
        tree *object = tree_item(s->base, i);
        tree_append(s->t, story_ending_job(object) ? jobs : rest, object);
    }
    if (s->t->status) return story_nomem(s);
    if (tree_count(jobs) == 0) return KARP_OK;
    tree_move_items(s->base, rest);
    return story_read_change(s, 0, "apply", jobs, &s->start);
}

karp_status story_read_job(story *s, const tree *object, uint32_t *out, const char **wrong)
{
    trace *t = s->trace;
    const tree *spec = story_ending_job(object);
    reading r = { .t = t };
    if (!grow(t->context, (void **)&t->jobs, &t->job_capacity, t->job_count + 1, sizeof *t->jobs))
        return story_nomem(s);
    uint32_t last = story_last_job(s, object);
    trace_job *made = &t->jobs[t->job_count];
    bool by_schedule = str_is(tree_get_text(object, "kind"), "CronJob");
    uint32_t *kinds = by_schedule ? &t->cron_kinds : &t->job_kinds;
    *made = (trace_job){ .job = last == IO_NONE ? (*kinds)++ : t->jobs[last].job, .shape = NO_ID };
    made->name = trace_keep(t, tree_get_text(tree_get(object, "metadata"), "name"));
    made->namespace_ = trace_keep(t, io_namespace(object));
    read_spec(&r, spec, made);
    read_course(&r, spec, made);
    if (by_schedule) read_cron(&r, object, made);
    if (r.refused || !made->name.ptr || !made->namespace_.ptr) return story_nomem(s);
    *out = (uint32_t)t->job_count++;
    *wrong = r.wrong;
    return KARP_OK;
}
