/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/trace_load.h>

#include <replay/objects.h>
#include <replay/trace_read.h>

#include <io/notes.h>

#include <math.h>
#include <stdio.h>

#include <karp/library.h>

#define SETTLES (5 * MINUTE) /* a HorizontalPodAutoscaler's stabilization window for scaling down */

enum { MOST_COPIES = 10000, MOST_STEPS = 10000000, RECENT_MOST = 300 };

typedef struct curve {
    int64_t least, most, peak; /* peak: nanoseconds after midnight, UTC */
    double noise, weekend;
} curve;

double load_draw(const load *l, uint64_t a, uint64_t b)
{
    uint64_t mixed = hash_mix(hash_mix(l->seed + UINT64_C(0x9e3779b97f4a7c15) * (a + 1)) +
                              UINT64_C(0xd1b54a32d192ed03) * (b + 1));
    return (double)(mixed >> 11) / 9007199254740992.0;
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

bool load_bad(load *l, const char *where, const char *name, const char *message)
{
    char field[96];
    (void)snprintf(field, sizeof field, "%s%s%s", where, *where ? "." : "", name);
    (void)story_fail_at(l->s, KARP_E_INVALID, field, "%s", message);
    return false;
}

/* Checks that a Load has only the listed members; each name in the list is followed by a space. */
bool load_members(load *l, const tree *map, const char *where, const char *names)
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
        return load_bad(l, where, own, message);
    }
    return true;
}

bool load_whole(load *l, const tree *map, const char *name, int64_t absent, int64_t most, const char *where,
                int64_t *out)
{
    const tree *value = tree_get(map, name);
    *out = absent;
    if (tree_is_null(value) || (tree_integer(value, out) && *out >= 0 && *out <= most)) return true;
    char message[64];
    (void)snprintf(message, sizeof message, "not a number from 0 to %lld", (long long)most);
    return load_bad(l, where, name, message);
}

bool load_part(load *l, const tree *map, const char *name, double absent, const char *where, double *out)
{
    const tree *value = tree_get(map, name);
    *out = absent;
    if (tree_is_null(value) || (tree_double(value, out) && *out >= 0 && *out <= 1)) return true;
    return load_bad(l, where, name, "not a number from 0 to 1");
}

bool load_duration(load *l, const tree *map, const char *name, int64_t absent, const char *where, int64_t *out)
{
    karp_str text = tree_get_text(map, name);
    *out = absent;
    if (!tree_get(map, name)) return true;
    if (karp_duration_parse(text, out) == KARP_OK && *out > 0 && *out < INT64_MAX / 8) return true;
    return load_bad(l, where, name, "not a duration like 10m");
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
    return load_bad(l, where, name, "not a time of the day like \"14:00\"");
}

/* The given pod template, or one with a container that requests cpu and memory. */
tree *load_pod(load *l, const tree *given, const char *kind, karp_str name, karp_str namespace_)
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

karp_status load_named(load *l, const tree *given, const char *where, karp_str *name, karp_str *namespace_)
{
    *name = tree_get_text(given, "name");
    *namespace_ = tree_get_text(given, "namespace");
    if (namespace_->len == 0) *namespace_ = str("default");
    if (!name->len || name->len >= 200) (void)load_bad(l, where, "name", "expected a name");
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
    wanted *= 1 + c->noise * (2 * load_draw(l, number, step) - 1);
    int64_t rounded = (int64_t)ceil(wanted - 1e-9);
    return rounded < c->least ? c->least : rounded;
}

static karp_status generate_curve(load *l, const curve *c, uint64_t number, karp_str name, karp_str namespace_,
                                  tree *pod)
{
    int64_t recent[RECENT_MOST] = { 0 }, running = -1;
    size_t kept = (size_t)(SETTLES / l->step) + 1;
    karp_str kind = str("Deployment");
    if (kept > RECENT_MOST) kept = RECENT_MOST;
    strbuf key = strbuf_on(l->t->context);
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
    if (!load_members(l, given, where, "name namespace copies replicas template cpu memory "))
        return l->s->error.status;
    karp_status status = load_named(l, given, where, &name, &namespace_);
    if (status) return status;
    if (!load_whole(l, given, "copies", 1, MOST_COPIES, where, &copies)) return l->s->error.status;
    (void)snprintf(where, sizeof where, "deployments[%zu].replicas", index);
    if (!load_members(l, replicas, where, "least most peak noise weekend ") ||
        !load_whole(l, replicas, "least", 1, LOAD_REPLICAS_MOST, where, &c.least) ||
        !load_whole(l, replicas, "most", c.least, LOAD_REPLICAS_MOST, where, &c.most) ||
        !clock_time(l, replicas, "peak", where, &c.peak) || !load_part(l, replicas, "noise", 0, where, &c.noise) ||
        !load_part(l, replicas, "weekend", 1, where, &c.weekend))
        return l->s->error.status;
    if (c.most < c.least) (void)load_bad(l, where, "most", "below least");
    status = l->s->error.status;
    for (int64_t i = 0; i < copies && !status; i++) {
        strbuf own = strbuf_on(l->t->context);
        strbuf_addstr(&own, name);
        if (copies > 1) strbuf_addc(&own, '-');
        if (copies > 1) strbuf_addu(&own, (uint64_t)i);
        karp_str full = own.failed ? (karp_str){ NULL, 0 } : trace_keep(l->t, (karp_str){ own.ptr, own.len });
        strbuf_free(&own);
        if (!full.ptr) return story_nomem(l->s);
        status = generate_curve(l, &c, (*number)++, full, namespace_,
                                load_pod(l, given, "Deployment", full, namespace_));
    }
    return status;
}

/* ---- the whole load ---------------------------------------------------------------------------------------------- */

static karp_status generate(load *l)
{
    const tree *root = l->s->root, *deployments = tree_get(root, "deployments"), *jobs = tree_get(root, "cronJobs");
    int64_t seed = 0;
    uint64_t number = 0;
    if (!load_members(l, root, "",
                      "apiVersion kind metadata start region nodeReadyAfter semantics files objects ignoredKinds "
                      "podsFrom length step seed "
                      "deployments cronJobs ") ||
        !load_duration(l, root, "length", DAY, "", &l->length) ||
        !load_duration(l, root, "step", 5 * MINUTE, "", &l->step) ||
        !load_whole(l, root, "seed", 0, INT64_MAX, "", &seed))
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
    for (size_t i = 0; i < tree_count(jobs) && !status; i++) status = load_cron_job(l, tree_item(jobs, i), i, number++);
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
