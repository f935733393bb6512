/* SPDX-License-Identifier: Apache-2.0 */
#include <kube/autoscaler.h>

#include <math.h>

#define SECOND INT64_C(1000000000)
#define INITIALISES (300 * SECOND) /* cpu of a younger pod counts only while it is ready */
#define FIRST_READY (30 * SECOND) /* a pod whose readiness changed later than that has been ready */
#define WINDOW (300 * SECOND) /* of scaling down, without a behavior */

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

#define MOST (INT64_MAX / 4) /* sums stay below it */

static int64_t sum_of(int64_t a, int64_t b) { return a > MOST - b ? MOST : a + b; }

/* a · percent / b, rounded down; at most MOST. */
static int64_t share_of(int64_t a, int64_t percent, int64_t b)
{
    if (a <= INT64_MAX / percent) return a * percent / b;
    double about = (double)a * (double)percent / (double)b;
    return about < (double)MOST ? (int64_t)about : MOST;
}

static int32_t replicas_of(double wanted) { return wanted < (double)INT32_MAX ? (int32_t)ceil(wanted) : INT32_MAX; }

/* ---- pods -------------------------------------------------------------------------------------------------------- */

enum { IGNORED, UNREADY, MISSING, COUNTED };

static int group_of(const kube_metric *m, const kube_scaled_pod *p, int64_t now)
{
    if (p->terminating || p->phase == KARP_PHASE_FAILED) return IGNORED;
    if (p->phase == KARP_PHASE_PENDING) return UNREADY;
    if (p->usage[m->resource] < 0) return MISSING;
    if (m->resource != KUBE_METRIC_CPU) return COUNTED;
    if (p->ready == KUBE_READINESS_UNKNOWN || p->started == KARP_NO_TIME) return UNREADY;
    bool unready = p->ready == KUBE_NOT_READY;
    if (p->started + INITIALISES > now) return unready || p->sampled < p->changed + p->window ? UNREADY : COUNTED;
    return unready && p->started + FIRST_READY > p->changed ? UNREADY : COUNTED;
}

typedef struct tally {
    int64_t usage, requests, pods;
} tally;

static void add(tally *t, const kube_metric *m, const kube_scaled_pod *p, int64_t usage)
{
    t->usage = sum_of(t->usage, usage);
    if (m->utilization) t->requests = sum_of(t->requests, p->requests[m->resource]);
    t->pods++;
}

/* The usage relative to the target. false = there is nothing to compare with. */
static bool ratio_of(const kube_metric *m, const tally *t, double *ratio, kube_scaling_verdict *seen)
{
    if (t->pods == 0 || (m->utilization && t->requests <= 0)) return false;
    int64_t average = t->usage / t->pods;
    int64_t percent = m->utilization ? share_of(t->usage, 100, t->requests) : -1;
    int32_t utilization = percent < INT32_MAX ? (int32_t)percent : INT32_MAX;
    *ratio = m->utilization ? (double)utilization / (double)m->utilization : (double)average / (double)m->average;
    if (seen) {
        seen->utilization = utilization;
        seen->average = average;
    }
    return true;
}

static bool is_within(const kube_autoscaler *a, double ratio)
{
    return 1.0 - a->down.tolerance <= ratio && ratio <= 1.0 + a->up.tolerance;
}

/* Pods without a sample count as if they used what keeps the direction from being exaggerated. */
static void fill_in(const kube_metric *m, const kube_scaled_pod *pods, size_t count, int64_t now, double ratio,
                    bool unready, tally *t)
{
    int64_t percent = m->utilization > 100 ? m->utilization : 100;
    for (size_t i = 0; i < count; i++) {
        int group = group_of(m, &pods[i], now);
        int64_t full = m->utilization ? share_of(pods[i].requests[m->resource], percent, 100) : m->average;
        if (group == MISSING && ratio < 1) add(t, m, &pods[i], full);
        else if ((group == MISSING && ratio > 1) || (group == UNREADY && unready)) add(t, m, &pods[i], 0);
    }
}

/* The replicas for one metric. false = the metric fails. */
static bool propose(const kube_autoscaler *a, const kube_metric *m, const kube_scaled_pod *pods, size_t count,
                    int64_t now, int32_t replicas, int32_t *out, kube_scaling_verdict *seen)
{
    size_t groups[COUNTED + 1] = { 0 };
    tally t = { 0 };
    double ratio, filled;
    *out = replicas;
    for (size_t i = 0; i < count; i++) {
        int group = group_of(m, &pods[i], now);
        if (m->utilization && pods[i].requests[m->resource] < 0) return false;
        groups[group]++;
        if (group == COUNTED) add(&t, m, &pods[i], pods[i].usage[m->resource]);
    }
    if (!ratio_of(m, &t, &ratio, seen)) return false;
    bool unready = groups[UNREADY] && ratio > 1;
    if (!unready && groups[MISSING] == 0) {
        if (!is_within(a, ratio)) *out = replicas_of(ratio * (double)t.pods);
        return true;
    }
    fill_in(m, pods, count, now, ratio, unready, &t);
    if (!ratio_of(m, &t, &filled, NULL)) return false;
    if (is_within(a, filled) || (ratio < 1 && filled > 1) || (ratio > 1 && filled < 1)) return true;
    int32_t wanted = replicas_of(filled * (double)t.pods);
    if (!(filled < 1 && wanted > replicas) && !(filled > 1 && wanted < replicas)) *out = wanted;
    return true;
}

/* The highest proposal. A metric that fails only keeps the others from shrinking. */
static bool compute(const kube_autoscaler *a, const kube_scaled_pod *pods, size_t count, int64_t now, int32_t replicas,
                    int32_t *out, kube_scaling_verdict *seen)
{
    size_t failed = 0;
    int32_t most = 0, wanted;
    for (size_t i = 0; i < a->metric_count; i++) {
        if (!propose(a, &a->metrics[i], pods, count, now, replicas, &wanted, i ? NULL : seen)) failed++;
        else if (wanted > most) most = wanted;
    }
    *out = most;
    return failed < a->metric_count && !(failed && most < replicas);
}

/* ---- the past ---------------------------------------------------------------------------------------------------- */

/* Takes the last place that is free, or a new one. */
static bool record_scaling(karp_context *context, kube_scalings *s, size_t free_place, int64_t now, int32_t replicas)
{
    size_t at = free_place < s->count ? free_place : s->count;
    if (at == s->count && !grow(context, (void **)&s->list, &s->capacity, s->count + 1, sizeof *s->list)) return false;
    if (at == s->count) s->count++;
    s->list[at] = (kube_scaling){ now, replicas, false };
    return true;
}

/* Without a behavior: the highest recommendation of the last five minutes. */
static bool stabilize(karp_context *context, kube_autoscaler *a, int64_t now, int32_t wanted, int32_t *out)
{
    size_t place = SIZE_MAX;
    *out = wanted;
    for (size_t i = 0; i < a->recommendations.count; i++) {
        const kube_scaling *r = &a->recommendations.list[i];
        if (r->at < now - WINDOW) place = i;
        else if (r->replicas > *out) *out = r->replicas;
    }
    return record_scaling(context, &a->recommendations, place, now, wanted);
}

static bool stabilize_both(karp_context *context, kube_autoscaler *a, int64_t now, int32_t replicas, int32_t wanted,
                           int32_t *out)
{
    size_t place = SIZE_MAX;
    int32_t least = wanted, most = wanted;
    int64_t up = now - a->up.window, down = now - a->down.window;
    for (size_t i = 0; i < a->recommendations.count; i++) {
        const kube_scaling *r = &a->recommendations.list[i];
        if (r->at > up && r->replicas < least) least = r->replicas;
        if (r->at > down && r->replicas > most) most = r->replicas;
        if (r->at < up && r->at < down) place = i;
    }
    *out = replicas < least ? least : replicas;
    if (*out > most) *out = most;
    return record_scaling(context, &a->recommendations, place, now, wanted);
}

static int64_t changes(const kube_scalings *s, int64_t after)
{
    int64_t sum = 0;
    for (size_t i = 0; i < s->count; i++) sum += s->list[i].at > after ? s->list[i].replicas : 0;
    return sum;
}

/* How far the policies of one direction let it go. */
static int64_t limit_of(const kube_autoscaler *a, const kube_scaling_rules *rules, int64_t now, int32_t replicas,
                        int sign)
{
    if (rules->select == KUBE_SELECT_DISABLED) return replicas;
    bool highest = (rules->select == KUBE_SELECT_MAX) == (sign > 0);
    int64_t limit = highest ? INT32_MIN : INT32_MAX;
    for (size_t i = 0; i < rules->policy_count; i++) {
        const kube_scaling_policy *p = &rules->policies[i];
        int64_t before = replicas - changes(&a->ups, now - p->period) + changes(&a->downs, now - p->period);
        double scaled = (double)before * (1 + sign * (double)p->value / 100);
        int64_t proposed = !p->percent ? before + sign * p->value : (int64_t)(sign > 0 ? ceil(scaled) : scaled);
        if (highest ? proposed > limit : proposed < limit) limit = proposed;
    }
    return limit;
}

static int32_t within_rates(const kube_autoscaler *a, int64_t now, int32_t replicas, int32_t wanted)
{
    if (wanted > replicas) {
        int64_t limit = limit_of(a, &a->up, now, replicas, 1);
        if (limit < replicas) limit = replicas;
        if (limit > a->most) limit = a->most;
        return wanted > limit ? (int32_t)limit : wanted;
    }
    if (wanted == replicas) return wanted;
    int64_t limit = limit_of(a, &a->down, now, replicas, -1);
    if (limit > replicas) limit = replicas;
    if (limit < a->least) limit = a->least;
    return wanted < limit ? (int32_t)limit : wanted;
}

/* Without a behavior: at most twice as many, or 4. */
static int32_t within_bounds(const kube_autoscaler *a, int32_t replicas, int32_t wanted)
{
    int64_t limit = replicas > 2 ? 2 * (int64_t)replicas : 4;
    if (limit > a->most) limit = a->most;
    if (wanted < a->least) return a->least;
    return wanted > limit ? (int32_t)limit : wanted;
}

static bool note_change(karp_context *context, kube_autoscaler *a, int64_t now, int32_t replicas, int32_t wanted)
{
    kube_scalings *s = wanted > replicas ? &a->ups : &a->downs;
    const kube_scaling_rules *rules = wanted > replicas ? &a->up : &a->down;
    int64_t longest = 0;
    size_t place = SIZE_MAX;
    if (!a->behaves) return true;
    for (size_t i = 0; i < rules->policy_count; i++) {
        if (rules->policies[i].period > longest) longest = rules->policies[i].period;
    }
    for (size_t i = 0; i < s->count; i++) {
        s->list[i].outdated = s->list[i].outdated || s->list[i].at < now - longest;
        if (s->list[i].outdated) place = i;
    }
    return record_scaling(context, s, place, now, wanted > replicas ? wanted - replicas : replicas - wanted);
}

/* ---- a look ------------------------------------------------------------------------------------------------------ */

bool kube_autoscaler_look(karp_context *context, kube_autoscaler *a, int64_t now, int32_t replicas,
                          const kube_scaled_pod *pods, size_t count, kube_scaling_verdict *out)
{
    int32_t wanted, steady;
    *out = (kube_scaling_verdict){ .replicas = replicas, .utilization = -1, .average = -1 };
    if (a->recommendations.count == 0 && !record_scaling(context, &a->recommendations, 0, now, replicas)) return false;
    if (replicas == 0) return true; /* it is switched off */
    if (replicas > a->most || replicas < a->least) {
        out->replicas = replicas > a->most ? a->most : a->least;
        return note_change(context, a, now, replicas, out->replicas);
    }
    if (!compute(a, pods, count, now, replicas, &wanted, out)) {
        out->failed = true;
        return true;
    }
    if (a->behaves) {
        if (!stabilize_both(context, a, now, replicas, wanted, &steady)) return false;
        out->replicas = within_rates(a, now, replicas, steady);
    } else {
        if (!stabilize(context, a, now, wanted, &steady)) return false;
        out->replicas = within_bounds(a, replicas, steady);
    }
    return out->replicas == replicas || note_change(context, a, now, replicas, out->replicas);
}

void kube_autoscaler_free(karp_context *context, kube_autoscaler *a)
{
    kube_scalings *all[] = { &a->recommendations, &a->ups, &a->downs };
    for (size_t i = 0; i < 3; i++) mem_free(context, all[i]->list, all[i]->capacity * sizeof *all[i]->list);
}
