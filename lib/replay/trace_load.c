/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/trace_read.h>

#include <replay/objects.h>
#include <replay/story.h>
#include <replay/trace_workloads.h>

#include <base/hash.h>
#include <io/notes.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <karp/library.h>

#define MINUTE (60 * SECOND)
#define DAY (1440 * MINUTE)
#define SETTLES (5 * MINUTE) /* a HorizontalPodAutoscaler's stabilization window for scaling down */

enum { MOST_COPIES = 10000, MOST_REPLICAS = 100000, MOST_STEPS = 10000000, RECENT_MOST = 300 };

typedef struct load {
    trace *t;
    story *s;
    workloads w;
    int64_t length, step;
    uint64_t seed;
} load;

typedef struct curve {
    int64_t least, most, peak; /* peak: nanoseconds after midnight, UTC */
    double noise, weekend;
} curve;

static double draw(const load *l, uint64_t a, uint64_t b)
{
    uint64_t mixed = hash_mix(hash_mix(l->seed + UINT64_C(0x9e3779b97f4a7c15) * (a + 1)) +
                              UINT64_C(0xd1b54a32d192ed03) * (b + 1));
    return (double)(mixed >> 11) / 9007199254740992.0;
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

static bool bad(load *l, const char *where, const char *name, const char *message)
{
    char field[96];
    (void)snprintf(field, sizeof field, "%s%s%s", where, *where ? "." : "", name);
    (void)story_fail_at(l->s, KARP_E_INVALID, field, "%s", message);
    return false;
}

/* Checks that a Load has only the listed members; each name in the list is followed by a space. */
static bool members_known(load *l, const tree *map, const char *where, const char *names)
{
    for (size_t i = 0; i < tree_count(map); i++) {
        karp_str name = tree_member_name(tree_member_at(map, i));
        nearest near = nearest_to(name);
        bool known = false;
        for (const char *at = names; *at && !known; at = strchr(at, ' ') + 1) {
            karp_str one = { at, strcspn(at, " ") };
            known = equal_str(one, name);
            nearest_offer(&near, one);
        }
        if (known) continue;
        char own[48], meant[MEANT], message[MEANT + 16];
        str_shorten(own, sizeof own, name);
        (void)snprintf(message, sizeof message, "no such field%s", io_meant(&near, meant));
        return bad(l, where, own, message);
    }
    return true;
}

static bool whole(load *l, const tree *map, const char *name, int64_t absent, int64_t most, const char *where,
                  int64_t *out)
{
    const tree *value = tree_get(map, name);
    *out = absent;
    if (tree_is_null(value) || (tree_integer(value, out) && *out >= 0 && *out <= most)) return true;
    char message[64];
    (void)snprintf(message, sizeof message, "not a number from 0 to %lld", (long long)most);
    return bad(l, where, name, message);
}

static bool part(load *l, const tree *map, const char *name, double absent, const char *where, double *out)
{
    const tree *value = tree_get(map, name);
    *out = absent;
    if (tree_is_null(value) || (tree_double(value, out) && *out >= 0 && *out <= 1)) return true;
    return bad(l, where, name, "not a number from 0 to 1");
}

static bool duration(load *l, const tree *map, const char *name, int64_t absent, const char *where, int64_t *out)
{
    karp_str text = tree_get_text(map, name);
    *out = absent;
    if (!tree_get(map, name)) return true;
    if (karp_duration_parse(text, out) == KARP_OK && *out > 0 && *out < INT64_MAX / 8) return true;
    return bad(l, where, name, "not a duration like 10m");
}

/* Parses a time of day such as "14:30". */
static bool clock_time(load *l, const tree *map, const char *name, const char *where, int64_t *out)
{
    karp_str t = tree_get_text(map, name);
    *out = 14 * 60 * MINUTE;
    if (!tree_get(map, name)) return true;
    bool digits = t.len == 5 && t.ptr[2] == ':';
    for (size_t i = 0; digits && i < 5; i++) digits = i == 2 || (t.ptr[i] >= '0' && t.ptr[i] <= '9');
    int64_t hour = digits ? (t.ptr[0] - '0') * 10 + t.ptr[1] - '0' : 24,
            minute = digits ? (t.ptr[3] - '0') * 10 + t.ptr[4] - '0' : 60;
    *out = (hour * 60 + minute) * MINUTE;
    if (hour < 24 && minute < 60) return true;
    return bad(l, where, name, "not a time of the day like \"14:00\"");
}

/* The given pod template, or one with a container that requests cpu and memory. */
static tree *pod_of(load *l, const tree *given, const char *kind, karp_str name, karp_str namespace_)
{
    trees *t = &l->w.memory;
    const tree *template_ = tree_get(given, "template");
    if (!template_) {
        tree *made = tree_new(t, TREE_MAP), *container = tree_new(t, TREE_MAP), *containers = tree_new(t, TREE_LIST);
        tree *requests = tree_get_or_make(t, tree_get_or_make(t, container, "resources"), "requests");
        static const char *const resources[] = { "cpu", "memory" };
        for (size_t i = 0; i < 2; i++) {
            tree *amount = tree_get(given, resources[i]);
            if (amount) tree_set(t, requests, resources[i], amount);
        }
        tree_set_text(t, container, "name", str("main"));
        tree_append(t, containers, container);
        tree_set(t, tree_get_or_make(t, made, "spec"), "containers", containers);
        tree_set_text(t, tree_get_or_make(t, tree_get_or_make(t, made, "metadata"), "labels"), "app", name);
        template_ = made;
    }
    return replay_template_pod(t, str(kind), name, template_, namespace_);
}

static karp_status named(load *l, const tree *given, const char *where, karp_str *name, karp_str *namespace_)
{
    *name = tree_get_text(given, "name");
    *namespace_ = tree_get_text(given, "namespace");
    if (namespace_->len == 0) *namespace_ = str("default");
    if (!name->len || name->len >= 200) (void)bad(l, where, "name", "expected a name");
    return l->s->error.status;
}

/* ---- curves ------------------------------------------------------------------------------------------------------ */

/* The curve is lowest half a day from the peak. Saturdays and Sundays have a fraction of it. */
static int64_t wanted_at(const load *l, const curve *c, int64_t at, uint64_t number, uint64_t step)
{
    double share = (1 + cos((double)((at - c->peak) % DAY) / (double)DAY * 6.283185307179586)) / 2;
    int64_t day = (at / DAY + 4) % 7;
    if (day == 0 || day == 6) share *= c->weekend;
    double wanted = (double)c->least + (double)(c->most - c->least) * share;
    wanted *= 1 + c->noise * (2 * draw(l, number, step) - 1);
    int64_t rounded = (int64_t)ceil(wanted - 1e-9);
    return rounded < c->least ? c->least : rounded;
}

static karp_status generate_curve(load *l, const curve *c, uint64_t number, karp_str name, karp_str namespace_,
                                  tree *pod)
{
    int64_t recent[RECENT_MOST] = { 0 }, running = -1;
    size_t kept = (size_t)(SETTLES / l->step) + 1;
    karp_str kind = str("Deployment");
    strbuf key;
    if (kept > RECENT_MOST) kept = RECENT_MOST;
    strbuf_init(&key, l->t->context);
    strbuf_addname(&key, namespace_, name);
    karp_status status = key.failed ? story_nomem(l->s) : KARP_OK;
    for (uint64_t i = 0; !status && (int64_t)i * l->step < l->length; i++) {
        int64_t at = l->s->begins + (int64_t)i * l->step, most = 0;
        if (!karp_context_work(l->t->context, 16)) status = story_nomem(l->s);
        recent[i % kept] = wanted_at(l, c, at, number, i);
        for (size_t k = 0; k < kept; k++) most = recent[k] > most ? recent[k] : most;
        if (most == running) continue;
        status = running < 0
                     ? workloads_set(&l->w, at, NULL, kind, namespace_, name, pod, (uint64_t)most, KARP_DURATION_UNSET)
                     : workloads_scale(&l->w, at, NULL, kind, (karp_str){ key.ptr, key.len }, most);
        running = most;
    }
    strbuf_free(&key);
    return status;
}

static karp_status generate_deployment(load *l, const tree *given, size_t index, uint64_t *number)
{
    char where[48];
    curve c;
    int64_t copies = 1;
    karp_str name, namespace_;
    const tree *replicas = tree_get(given, "replicas");
    (void)snprintf(where, sizeof where, "deployments[%zu]", index);
    if (!members_known(l, given, where, "name namespace copies replicas template cpu memory "))
        return l->s->error.status;
    karp_status status = named(l, given, where, &name, &namespace_);
    if (status) return status;
    if (!whole(l, given, "copies", 1, MOST_COPIES, where, &copies)) return l->s->error.status;
    (void)snprintf(where, sizeof where, "deployments[%zu].replicas", index);
    if (!members_known(l, replicas, where, "least most peak noise weekend ") ||
        !whole(l, replicas, "least", 1, MOST_REPLICAS, where, &c.least) ||
        !whole(l, replicas, "most", c.least, MOST_REPLICAS, where, &c.most) ||
        !clock_time(l, replicas, "peak", where, &c.peak) || !part(l, replicas, "noise", 0, where, &c.noise) ||
        !part(l, replicas, "weekend", 1, where, &c.weekend))
        return l->s->error.status;
    if (c.most < c.least) (void)bad(l, where, "most", "below least");
    status = l->s->error.status;
    for (int64_t i = 0; i < copies && !status; i++) {
        strbuf own;
        strbuf_init(&own, l->t->context);
        strbuf_addstr(&own, name);
        if (copies > 1) strbuf_addc(&own, '-');
        if (copies > 1) strbuf_addu(&own, (uint64_t)i);
        karp_str full = own.failed ? (karp_str){ NULL, 0 } : trace_keep(l->t, (karp_str){ own.ptr, own.len });
        strbuf_free(&own);
        if (!full.ptr) return story_nomem(l->s);
        status = generate_curve(l, &c, (*number)++, full, namespace_, pod_of(l, given, "Deployment", full, namespace_));
    }
    return status;
}

/* ---- schedules --------------------------------------------------------------------------------------------------- */

static bool digits(const char **at, unsigned *out)
{
    const char *first = *at;
    for (*out = 0; **at >= '0' && **at <= '9' && *at - first < 3; ++*at) *out = *out * 10 + (unsigned)(**at - '0');
    return *at > first;
}

/* Parses a field of a schedule to a bit set: *, 5, 1-5, 1,3, and each with /STEP. */
static bool read_field(const char **at, unsigned low, unsigned high, uint64_t *bits, bool *any)
{
    *bits = 0;
    *any = **at == '*' && ((*at)[1] == '\0' || (*at)[1] == ' ');
    for (;; ++*at) {
        unsigned first = low, last = high, step = 1;
        if (**at == '*') {
            ++*at;
        } else {
            if (!digits(at, &first)) return false;
            last = **at == '/' ? high : first;
            if (**at == '-' && (++*at, !digits(at, &last))) return false;
        }
        if (**at == '/' && (++*at, !digits(at, &step))) return false;
        if (first < low || last > high || first > last || step == 0) return false;
        for (unsigned i = first; i <= last; i += step) *bits |= UINT64_C(1) << i;
        if (**at != ',') return true;
    }
}

typedef struct schedule {
    uint64_t minutes, hours, days, months, weekdays;
    bool any_day, any_weekday;
} schedule;

static bool read_schedule(const char *text, schedule *out)
{
    struct {
        uint64_t *bits;
        unsigned low, high;
    } fields[] = { { &out->minutes, 0, 59 },
                   { &out->hours, 0, 23 },
                   { &out->days, 1, 31 },
                   { &out->months, 1, 12 },
                   { &out->weekdays, 0, 7 } };
    for (size_t i = 0; i < 5; i++) {
        bool any = false;
        while (*text == ' ') text++;
        if (!read_field(&text, fields[i].low, fields[i].high, fields[i].bits, &any)) return false;
        if (*text && *text != ' ') return false;
        if (i == 2) out->any_day = any;
        if (i == 4) out->any_weekday = any;
    }
    if (out->weekdays >> 7 & 1) out->weekdays |= 1;
    while (*text == ' ') text++;
    return *text == '\0';
}

/* Day of the month and month, from days since 1970. */
static void civil(int64_t days, unsigned *day, unsigned *month)
{
    int64_t shifted = days + 719468, era = shifted / 146097, of_era = shifted - era * 146097;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100), part_ = (5 * of_year + 2) / 153;
    *day = (unsigned)(of_year - (153 * part_ + 2) / 5 + 1);
    *month = (unsigned)(part_ < 10 ? part_ + 3 : part_ - 9);
}

static bool is_due(const schedule *s, int64_t at)
{
    unsigned day = 1, month = 1;
    int64_t minute = at / MINUTE;
    if (!(s->minutes >> (minute % 60) & 1) || !(s->hours >> (minute / 60 % 24) & 1)) return false;
    civil(at / DAY, &day, &month);
    bool of_month = (s->days >> day & 1) != 0, of_week = (s->weekdays >> ((at / DAY + 4) % 7) & 1) != 0;
    /* If both are restricted, one match is enough, as in cron. */
    bool fits = s->any_day || s->any_weekday ? of_month && of_week : of_month || of_week;
    return (s->months >> month & 1) && fits;
}

/* A CronJob, and the Job that it started last. */
typedef struct cron_job {
    karp_str name, namespace_;
    tree *pod;
    schedule when;
    bool forbids, replaces; /* concurrencyPolicy */
    int64_t deadline; /* startingDeadline; 0 = none */
    int64_t parallel, lasts;
    double noise;
    uint64_t number, runs;
    int64_t busy_until; /* of the last Job, as if its pods ran at once */
    int64_t missed; /* the last time at which that Job was in the way; KARP_NO_TIME = none */
} cron_job;

static karp_status set_job(load *l, const cron_job *c, int64_t at, uint64_t run, int64_t parallel, int64_t lasts)
{
    strbuf own;
    strbuf_init(&own, l->t->context);
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
    int64_t its = (int64_t)((double)c->lasts * (1 + c->noise * (2 * draw(l, c->number, c->runs) - 1)));
    its -= its % SECOND;
    c->busy_until = at + its;
    c->missed = KARP_NO_TIME;
    return status ? status : set_job(l, c, at, c->runs++, c->parallel, its);
}

/* A Job that ends lets the last time begin that it was in the way of, unless that is too long ago. */
static karp_status make_up(load *l, cron_job *c)
{
    int64_t late = c->busy_until - c->missed;
    if (c->deadline == 0 || late <= c->deadline) return start_job(l, c, c->busy_until);
    c->missed = KARP_NO_TIME;
    return KARP_OK;
}

static karp_status run_cron_job(load *l, cron_job *c)
{
    int64_t first = (l->s->begins + MINUTE - 1) / MINUTE * MINUTE, ends = l->s->begins + l->length;
    karp_status status = KARP_OK;
    for (int64_t at = first; at < ends && !status; at += MINUTE) {
        bool due = is_due(&c->when, at);
        if (!karp_context_work(l->t->context, 1)) return story_nomem(l->s);
        if (c->missed != KARP_NO_TIME && c->busy_until < at) status = make_up(l, c);
        if (!due || status) continue;
        if (c->forbids && c->busy_until > at) c->missed = at;
        else status = start_job(l, c, at);
    }
    bool waits = c->missed != KARP_NO_TIME && c->busy_until < ends;
    return !status && waits ? make_up(l, c) : status;
}

static bool read_policy(load *l, const tree *given, const char *where, cron_job *c)
{
    karp_str policy = tree_get_text(given, "concurrencyPolicy");
    c->forbids = str_is(policy, "Forbid");
    c->replaces = str_is(policy, "Replace");
    if (!tree_get(given, "concurrencyPolicy") || c->forbids || c->replaces || str_is(policy, "Allow")) return true;
    return bad(l, where, "concurrencyPolicy", "Allow, Forbid or Replace");
}

static karp_status generate_cron_job(load *l, const tree *given, size_t index, uint64_t number)
{
    char where[48], text[128];
    cron_job c = { .number = number, .parallel = 1, .missed = KARP_NO_TIME };
    karp_str stated = tree_get_text(given, "schedule");
    (void)snprintf(where, sizeof where, "cronJobs[%zu]", index);
    if (!members_known(l, given, where,
                       "name namespace schedule concurrencyPolicy startingDeadline parallelism duration noise template "
                       "cpu memory "))
        return l->s->error.status;
    karp_status status = named(l, given, where, &c.name, &c.namespace_);
    if (status) return status;
    str_shorten(text, sizeof text, stated);
    if (stated.len >= sizeof text || !read_schedule(text, &c.when))
        (void)bad(l, where, "schedule", "not a schedule like \"*/30 * * * *\"");
    if (l->s->error.status || !whole(l, given, "parallelism", 1, MOST_REPLICAS, where, &c.parallel) ||
        !duration(l, given, "duration", 10 * MINUTE, where, &c.lasts) ||
        !duration(l, given, "startingDeadline", 0, where, &c.deadline) || !read_policy(l, given, where, &c) ||
        !part(l, given, "noise", 0, where, &c.noise))
        return l->s->error.status;
    c.pod = pod_of(l, given, "Job", c.name, c.namespace_);
    return run_cron_job(l, &c);
}

/* ---- the whole load ---------------------------------------------------------------------------------------------- */

static karp_status generate(load *l)
{
    const tree *root = l->s->root, *deployments = tree_get(root, "deployments"), *jobs = tree_get(root, "cronJobs");
    int64_t seed = 0;
    uint64_t number = 0;
    if (!members_known(l, root, "",
                       "apiVersion kind metadata start region nodeReadyAfter semantics files objects length step seed "
                       "deployments cronJobs ") ||
        !duration(l, root, "length", DAY, "", &l->length) || !duration(l, root, "step", 5 * MINUTE, "", &l->step) ||
        !whole(l, root, "seed", 0, INT64_MAX, "", &seed))
        return l->s->error.status;
    l->seed = (uint64_t)seed;
    if (l->s->begins < 0 || l->s->begins > REPLAY_LATEST)
        return story_fail(l->s, KARP_E_RANGE, "start: before 1970, or after 2115");
    if (l->step < SECOND || l->length / l->step > MOST_STEPS || l->length > 3660 * DAY)
        return story_fail(l->s, KARP_E_RANGE, "length, step: more than ten years, or than ten million steps");
    if (tree_count(deployments) + tree_count(jobs) == 0)
        return story_fail(l->s, KARP_E_INVALID, "a Load has deployments or cronJobs");
    karp_status status = KARP_OK;
    for (size_t i = 0; i < tree_count(deployments) && !status; i++)
        status = generate_deployment(l, tree_item(deployments, i), i, &number);
    for (size_t i = 0; i < tree_count(jobs) && !status; i++)
        status = generate_cron_job(l, tree_item(jobs, i), i, number++);
    if (l->t->ends < l->s->begins + l->length) l->t->ends = l->s->begins + l->length;
    return !status && l->w.memory.status ? story_nomem(l->s) : status;
}

karp_status trace_generate_load(trace *t, story *s)
{
    load l = { .t = t, .s = s };
    karp_status status = workloads_init(&l.w, t, str("the load"), (karp_str){ "", 0 }, false, &s->error);
    if (!status) status = generate(&l);
    workloads_free(&l.w);
    return status;
}
