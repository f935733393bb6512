/* SPDX-License-Identifier: Apache-2.0 */
/* CronJobs of a Load: when their controller creates Jobs. */
#include <replay/trace_load.h>

#include <karp/library.h>
#include <replay/schedule.h>

#include <stdio.h>

/* ---- one CronJob ------------------------------------------------------------------------------------------------- */

/* A CronJob, and the Job that it started last. */
typedef struct cron_job {
    karp_str name, namespace_;
    tree *pod;
    cron_schedule when;
    bool forbids, replaces; /* concurrencyPolicy */
    int64_t deadline; /* startingDeadline; 0 = none */
    int64_t suspended_from, suspended_until; /* the same = it is not */
    int64_t parallel, lasts;
    double noise;
    uint64_t number, runs;
    int64_t last; /* the time of the schedule that was served last */
    int64_t busy_until; /* of the last Job, as if its pods ran at once */
} cron_job;

static karp_status set_job(load *l, const cron_job *c, int64_t at, uint64_t run, int64_t parallel, int64_t lasts)
{
    strbuf own = strbuf_on(l->t->context);
    strbuf_addstr(&own, c->name);
    strbuf_addc(&own, '-');
    strbuf_addu(&own, run);
    karp_status status = own.failed ? story_nomem(l->s)
                                    : workloads_set(&l->w, at, NULL, str("Job"), c->namespace_,
                                                    (karp_str){ own.ptr, own.len }, c->pod, (uint64_t)parallel, lasts);
    strbuf_free(&own);
    return status;
}

static karp_status start_job(load *l, cron_job *c, int64_t at)
{
    karp_status status = KARP_OK;
    if (c->replaces && c->busy_until > at) status = set_job(l, c, at, c->runs - 1, 0, KARP_DURATION_UNSET);
    int64_t its = (int64_t)((double)c->lasts * (1 + c->noise * (2 * load_draw(l, c->number, c->runs) - 1)));
    its -= its % SECOND;
    c->busy_until = at + its;
    return status ? status : set_job(l, c, at, c->runs++, c->parallel, its);
}

/* The controller looks: of the times that were missed only the last one counts. */
static karp_status look(load *l, cron_job *c, int64_t now)
{
    int64_t after = c->last;
    bool suspended = c->suspended_from <= now && now < c->suspended_until;
    if (c->deadline && now - c->deadline > after) after = now - c->deadline;
    int64_t due = suspended ? KARP_NO_TIME : schedule_last(l->t->context, &c->when, after, now);
    if (due == KARP_NO_TIME || (c->forbids && c->busy_until > now)) return KARP_OK;
    c->last = due;
    return start_job(l, c, now);
}

/* It looks at the beginning, at each time of the schedule, when a Job ends that was in the way, and when the CronJob is
 * not suspended any more. */
static karp_status run_cron_job(load *l, cron_job *c)
{
    int64_t begins = l->s->begins, ends = begins + l->length, first = (begins + MINUTE) / MINUTE * MINUTE;
    karp_status status = look(l, c, begins);
    for (int64_t at = first; at < ends + MINUTE && !status; at += MINUTE) {
        int64_t before = at - MINUTE, between[] = { c->forbids ? c->busy_until : before, c->suspended_until };
        for (size_t i = 0; i < 2 && !status; i++) {
            if (before < between[i] && between[i] < at && between[i] < ends) status = look(l, c, between[i]);
        }
        if (!karp_context_work(l->t->context, 1)) return story_nomem(l->s);
        bool ended = at == c->busy_until || at == c->suspended_until;
        if (!status && at < ends && (ended || schedule_is_due(&c->when, at))) status = look(l, c, at);
    }
    return status;
}

/* ---- its fields -------------------------------------------------------------------------------------------------- */

static bool read_policy(load *l, const tree *given, const char *where, cron_job *c)
{
    karp_str policy = tree_get_text(given, "concurrencyPolicy");
    c->forbids = str_is(policy, "Forbid");
    c->replaces = str_is(policy, "Replace");
    if (!tree_get(given, "concurrencyPolicy") || c->forbids || c->replaces || str_is(policy, "Allow")) return true;
    return load_bad(l, where, "concurrencyPolicy", "Allow, Forbid or Replace");
}

static bool read_zone(load *l, const tree *given, const char *where, cron_job *c)
{
    if (!tree_get(given, "timeZone")) return true;
    karp_status status = schedule_read_zone(&c->when, l->t->context, &l->w.memory.memory,
                                            tree_get_text(given, "timeZone"));
    if (status == KARP_E_NOMEM) return story_nomem(l->s) == KARP_OK;
    return !status || load_bad(l, where, "timeZone", schedule_zone_wrong(status));
}

/* A time, or absent. */
static bool read_time(load *l, const tree *given, const char *name, int64_t absent, const char *where, int64_t *out)
{
    *out = absent;
    if (!tree_get(given, name)) return true;
    if (karp_time_parse(tree_get_text(given, name), out) == KARP_OK && *out >= 0 && *out <= REPLAY_LATEST) return true;
    return load_bad(l, where, name, "not a time like \"2026-03-02T08:00:00Z\"");
}

/* suspend: true, or from and until when. */
static bool read_suspension(load *l, const tree *given, const char *where, cron_job *c)
{
    const tree *suspend = tree_get(given, "suspend");
    char member[64];
    (void)snprintf(member, sizeof member, "%.50s.suspend", where);
    c->suspended_from = c->suspended_until = l->s->begins;
    if (tree_is(suspend, TREE_TRUE)) c->suspended_until = INT64_MAX;
    if (tree_is_null(suspend) || tree_is(suspend, TREE_TRUE) || tree_is(suspend, TREE_FALSE)) return true;
    if (!tree_is(suspend, TREE_MAP)) return load_bad(l, where, "suspend", "true, false, or from and until");
    return load_members(l, suspend, member, "from until ") &&
           read_time(l, suspend, "from", l->s->begins, member, &c->suspended_from) &&
           read_time(l, suspend, "until", INT64_MAX, member, &c->suspended_until);
}

static bool read_times(load *l, const tree *given, const char *where, cron_job *c)
{
    return load_duration(l, given, "duration", 10 * MINUTE, where, &c->lasts) &&
           load_duration(l, given, "startingDeadline", 0, where, &c->deadline) && read_zone(l, given, where, c) &&
           read_suspension(l, given, where, c) &&
           read_time(l, given, "lastScheduleTime", l->s->begins - 1, where, &c->last);
}

karp_status load_cron_job(load *l, const tree *given, size_t index, uint64_t number)
{
    char where[48];
    cron_job c = { .number = number, .parallel = 1 };
    karp_str stated = tree_get_text(given, "schedule");
    (void)snprintf(where, sizeof where, "cronJobs[%zu]", index);
    if (!load_members(l, given, where,
                      "name namespace schedule timeZone suspend concurrencyPolicy startingDeadline lastScheduleTime "
                      "parallelism duration noise template cpu memory "))
        return l->s->error.status;
    karp_status status = load_named(l, given, where, &c.name, &c.namespace_);
    if (status) return status;
    if (!schedule_read(&c.when, stated)) (void)load_bad(l, where, "schedule", "not a schedule like \"*/30 * * * *\"");
    if (l->s->error.status || !load_whole(l, given, "parallelism", 1, LOAD_REPLICAS_MOST, where, &c.parallel) ||
        !read_times(l, given, where, &c) || !read_policy(l, given, where, &c) ||
        !load_part(l, given, "noise", 0, where, &c.noise))
        return l->s->error.status;
    c.pod = load_pod(l, given, "Job", c.name, c.namespace_);
    return run_cron_job(l, &c);
}
