/* SPDX-License-Identifier: Apache-2.0 */

#include <base/bits.h>
#include <schedule/claim_order.h>
#include <schedule/claims.h>
#include <schedule/volumes.h>
#include <schedule/placement.h>
#include <schedule/scheduler.h>
#include <schedule/templates.h>

bool claims_countable(scheduler *s, const view *v)
{
    const class_state *k = &s->pods.classes[v->class_];
    const label_group *selected = &s->topology.label_groups.items[k->label_group];
    bool counted = v->owned_count > 0 || k->inverse_count > 0 || selected->counted_count > 0 ||
                   selected->barred_count > 0;
    return !counted && refusals_last(s, v) && shape_of(s->snapshot, v->class_)->ports.count == 0 &&
           s->snapshot->classes[v->class_].alternative_count == 0 &&
           (s->volumes.limited_drivers == 0 || !launch_volumes_limited(s, v->class_));
}

/* ---- one claim --------------------------------------------------------------------------------------------------- */

/* The result of checking a claim's requirements and taints against the pods of a run. */
enum fits { FITS_NO, FITS_YES, FITS_UNKNOWN /* a pod would narrow the requirements, or check_list() is needed */ };

static enum fits check_claim(scheduler *s, const view *v, const claim *c)
{
    const template_ *t = &s->templates.items[c->template_];
    if (!bits_test(v->tolerated, c->template_) || !template_host_allows(s, t, v->full.host)) return FITS_NO;
    if (!set_compatible(&s->algebra, c->set, v->full.set, true)) return FITS_NO;
    bool listed = set_has_min_values(s, c->set) || t->table->has_reservations;
    return listed || set_meet(&s->algebra, c->set, v->full.set) != c->set ? FITS_UNKNOWN : FITS_YES;
}

/* The number of additional pods with requests `each` for which some type of the claim has space, at most `most`. */
static uint32_t most_that_fit(scheduler *s, const claim *c, const int64_t *each, uint32_t most)
{
    const typeset *ts = &s->types.sets.items[c->types];
    const int64_t *spaces = s->templates.items[ts->template_].space;
    uint32_t best = 0;
    for (uint32_t i = 0; i < ts->maximal_count && best < most; i++) {
        const int64_t *space = spaces + (size_t)ts->maximal[i] * s->vectors.dims;
        int64_t fit = most;
        for (uint32_t d = 0; d < s->vectors.dims && fit > 0; d++) {
            int64_t left = space[d] - c->requests[d];
            if (left < 0) fit = 0;
            else if (each[d] > 0 && left / each[d] < fit) fit = left / each[d];
        }
        if (fit > best) best = (uint32_t)fit;
    }
    return best;
}

/* Adds the requests of `count` pods of the view to the claim, which is in no list, and puts it back into the order. */
static void put_back(scheduler *s, uint32_t number, const view *v, uint32_t count)
{
    claim *c = &s->claims.list.items[number];
    const int64_t *each = s->pods.classes[v->class_].requests;
    for (uint32_t d = 0; d < s->vectors.dims; d++) c->requests[d] += (int64_t)count * each[d];
    claim_note_families(s, c, shape_of(s->snapshot, v->class_));
    if (!claim_measure(s, c)) s->failed = true;
    if (!c->retired) claim_link_front(s, number);
}

/* ---- one claim and a run ----------------------------------------------------------------------------------------- */

static uint32_t fill_one(scheduler *s, uint32_t number, const uint32_t *pods, uint32_t first, uint32_t count,
                         const view *v)
{
    claim *c = &s->claims.list.items[number];
    if (c->retired || check_claim(s, v, c) != FITS_YES) return 0;
    uint32_t fit = most_that_fit(s, c, s->pods.classes[v->class_].requests, count);
    if (fit == 0) return 0;
    claim_unlink(s, number);
    c->pods += fit;
    placement_put_run(s, pods, first, fit, number);
    put_back(s, number, v, fit);
    return fit;
}

/* ---- many claims ------------------------------------------------------------------------------------------------- */

/* Distributes a run over many claims. Claims that have received pods are removed from their buckets and kept in a
 * list, in the order in which they last received one. */
typedef struct sweeps {
    const view *v;
    const uint32_t *pods;
    uint32_t queued; /* position of `pods` in the queue */
    uint32_t count, placed;
    uint32_t first, last; /* ends of that list, NO_ID = empty */
    uint32_t level; /* pod count of the claims in the current sweep */
    uint32_t reached; /* number of claims that received a pod in the current sweep */
    uint32_t set, template_; /* requirements and template of the claims checked last */
    enum fits fits; /* the result for these */
} sweeps;

static void append(scheduler *s, sweeps *w, uint32_t number)
{
    claim *c = &s->claims.list.items[number];
    c->prev = w->last;
    c->next = NO_ID;
    if (w->last == NO_ID) w->first = number;
    else s->claims.list.items[w->last].next = number;
    w->last = number;
}

static void take_out(scheduler *s, sweeps *w, uint32_t number)
{
    const claim *c = &s->claims.list.items[number];
    if (c->prev == NO_ID) w->first = c->next;
    else s->claims.list.items[c->prev].next = c->next;
    if (c->next == NO_ID) w->last = c->prev;
    else s->claims.list.items[c->next].prev = c->prev;
}

/* Places the next pod on the claim, which is the last of the list. */
static void give(scheduler *s, sweeps *w, uint32_t number)
{
    claim *c = &s->claims.list.items[number];
    placement_put_run(s, w->pods + w->placed, w->queued + w->placed, 1, number);
    w->placed++;
    c->pods++;
    c->more--;
    w->reached++;
}

/* Places pods on the claims that the previous sweep reached, starting with the last. */
static void sweep_reached(scheduler *s, sweeps *w, uint32_t before)
{
    uint32_t number = w->last;
    for (uint32_t i = 0; i < before && w->placed < w->count; i++) {
        uint32_t next = s->claims.list.items[number].prev;
        if (s->claims.list.items[number].more > 0) {
            take_out(s, w, number);
            append(s, w, number);
            give(s, w, number);
        }
        number = next;
    }
}

static enum fits check_set(scheduler *s, sweeps *w, const claim *c)
{
    if (w->set != c->set || w->template_ != c->template_) w->fits = check_claim(s, w->v, c);
    w->set = c->set;
    w->template_ = c->template_;
    return w->fits;
}

/* Places pods on the claims with the pod count of the level that have not received a pod of the run, in order. false
 * = one of them needs the full check. */
static bool sweep_list(scheduler *s, sweeps *w)
{
    class_state *k = &s->pods.classes[w->v->class_];
    while (w->placed < w->count && !s->failed) {
        uint32_t number = search_next(s, k);
        claim *c = number == NO_ID ? NULL : &s->claims.list.items[number];
        if (c == NULL || c->pods > w->level) return true;
        s->round.steps++;
        enum fits fits = check_set(s, w, c);
        if (fits == FITS_UNKNOWN) return false;
        c->more = fits == FITS_NO ? 0 : most_that_fit(s, c, k->requests, w->count - w->placed);
        if (c->more == 0) {
            if (fits == FITS_YES) search_too_small(s, k, number);
            search_refused(s, REFUSED_FOR_THE_RUN);
            continue;
        }
        c->before = c->pods;
        search_took(s);
        claim_unlink(s, number);
        append(s, w, number);
        give(s, w, number);
    }
    return true;
}

static void sweep_all(scheduler *s, sweeps *w)
{
    for (bool on = true; on && w->placed < w->count && !s->failed; w->level++) {
        uint32_t before = w->reached, number;
        w->reached = 0;
        if (before == 0) { /* there are no claims between the levels */
            number = search_next(s, &s->pods.classes[w->v->class_]);
            if (number == NO_ID) return;
            w->level = s->claims.list.items[number].pods;
        }
        sweep_reached(s, w, before);
        on = sweep_list(s, w);
    }
}

static uint32_t fill_many(scheduler *s, const uint32_t *pods, uint32_t first, uint32_t count, uint32_t view_number)
{
    sweeps w = { .v = &s->pods.views.items[view_number],
                 .pods = pods,
                 .queued = first,
                 .count = count,
                 .first = NO_ID,
                 .last = NO_ID,
                 .set = NO_ID };
    search_begin(s, view_number);
    sweep_all(s, &w);
    for (uint32_t number = w.first, next; number != NO_ID; number = next) {
        next = s->claims.list.items[number].next;
        put_back(s, number, w.v, s->claims.list.items[number].pods - s->claims.list.items[number].before);
    }
    return w.placed;
}

uint32_t claims_fill(scheduler *s, const uint32_t *pods, uint32_t first, uint32_t count, uint32_t view_number)
{
    if (s->claims.run.view != view_number) return 0;
    return s->claims.run.only != NO_ID
               ? fill_one(s, s->claims.run.only, pods, first, count, &s->pods.views.items[view_number])
               : fill_many(s, pods, first, count, view_number);
}

uint32_t claims_put_run(scheduler *s, uint32_t claim_number, const uint32_t *pods, uint32_t first, uint32_t count,
                        uint32_t view_number)
{
    return fill_one(s, claim_number, pods, first, count, &s->pods.views.items[view_number]);
}
