/* SPDX-License-Identifier: Apache-2.0 */

#include <schedule/claim_order.h>
#include <schedule/claims.h>
#include <schedule/volumes.h>
#include <schedule/placement.h>
#include <schedule/savepoint.h>
#include <schedule/scheduler.h>
#include <schedule/spread_run.h>
#include <schedule/templates.h>

/* Whether a pod of the view changes nothing of a claim but its amounts. */
static bool takes_amounts_only(scheduler *s, const view *v)
{
    return shape_of(s->snapshot, v->class_)->ports.count == 0 &&
           s->snapshot->classes[v->class_].alternative_count == 0 &&
           (s->volumes.limited_drivers == 0 || !launch_volumes_limited(s, v->class_));
}

bool claims_countable(scheduler *s, const view *v)
{
    const class_state *k = &s->pods.classes[v->class_];
    const label_group *selected = &s->topology.label_groups.items[k->label_group];
    bool counted = v->owned_count > 0 || k->inverse_count > 0 || selected->counted_count > 0 ||
                   selected->barred_count > 0;
    return !counted && refusals_last(s, v) && takes_amounts_only(s, v);
}

bool claims_countable_by_domain(scheduler *s, const view *v)
{
    return spread_run_applies(s, v) && refusals_last_but_for_domains(s, v) && takes_amounts_only(s, v);
}

/* ---- one claim --------------------------------------------------------------------------------------------------- */

/* The result of checking a claim's requirements and taints against the pods of a run. */
enum fits { FITS_NO, FITS_YES, FITS_UNKNOWN /* a pod would narrow the requirements, or check_list() is needed */ };

static enum fits check_claim(scheduler *s, const view *v, const claim *c)
{
    const template_ *t = &s->templates.items[c->template_];
    if (!bits_test(v->tolerated, c->template_) || !template_host_allows(s, t, v->full.host)) return FITS_NO;
    if (!set_compatible(&s->algebra, c->set, v->full.set, true)) return FITS_NO;
    if (!set_compatible(&s->algebra, c->set, s->within.set, true)) return FITS_NO;
    bool listed = set_has_min_values(s, c->set) || t->table->has_reservations;
    bool narrows = set_meet(&s->algebra, c->set, v->full.set) != c->set ||
                   set_meet(&s->algebra, c->set, s->within.set) != c->set ||
                   (!quirk(s, 37) && set_with_hidden(s, c->set, v) != c->set);
    return listed || narrows ? FITS_UNKNOWN : FITS_YES;
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

/* Adds the requests of pods that the claim has received since it had `had` pods. */
static void settle(scheduler *s, uint32_t number, const view *v, uint32_t had)
{
    claim *c = &s->claims.list.items[number];
    const int64_t *each = s->pods.classes[v->class_].requests;
    for (uint32_t d = 0; d < s->vectors.dims; d++) c->requests[d] += (int64_t)(c->pods - had) * each[d];
    claim_note_families(s, c, shape_of(s->snapshot, v->class_));
    if (!claim_measure(s, c)) s->failed = true;
}

static uint32_t fill_one(scheduler *s, uint32_t number, const uint32_t *pods, uint32_t first, uint32_t count,
                         const view *v)
{
    claim *c = &s->claims.list.items[number];
    if (c->retired || check_claim(s, v, c) != FITS_YES) return 0;
    uint32_t fit = most_that_fit(s, c, s->pods.classes[v->class_].requests, count), had = c->pods;
    if (fit == 0 || (s->saving.depth > 0 && !savepoint_note_claim(s, number))) return 0;
    claim_unlink(s, number);
    placement_put_run(s, pods, first, fit, number);
    c->pods += fit;
    settle(s, number, v, had);
    (void)claim_link_grown(s, number, fit);
    return fit;
}

/* ---- many claims ------------------------------------------------------------------------------------------------- */

/* Distributes a run over many claims. */
typedef struct filling {
    const view *v;
    spread_run *domains; /* NULL = the pods spread over no domains */
    uint32_t set, template_; /* requirements and template of the claim that was checked last */
    enum fits fits; /* the result for these */
} filling;

static enum fits check_set(scheduler *s, filling *w, const claim *c)
{
    if (w->set != c->set || w->template_ != c->template_) w->fits = check_claim(s, w->v, c);
    w->set = c->set;
    w->template_ = c->template_;
    return w->fits;
}

/* Computes how many of `most` pods fit on the claim, which the run reaches for the first time. */
static enum fits look_at(scheduler *s, filling *w, uint32_t number, uint32_t most)
{
    claim *c = &s->claims.list.items[number];
    bool unknown = w->domains != NULL && w->domains->unknown[c->bucket];
    enum fits fits = unknown ? FITS_UNKNOWN : check_set(s, w, c);
    c->more = fits == FITS_YES ? most_that_fit(s, c, s->pods.classes[w->v->class_].requests, most) : 0;
    if (fits == FITS_YES && c->more == 0) search_too_small(s, &s->pods.classes[w->v->class_], number);
    return fits;
}

/* The first claim in the order that accepts a pod; NO_ID = none, or one of them needs the full check. */
static uint32_t next_taker(scheduler *s, filling *w, uint32_t most)
{
    for (;;) {
        uint32_t number = search_next(s, &s->pods.classes[w->v->class_]);
        if (number == NO_ID || s->failed) return NO_ID;
        claim *c = &s->claims.list.items[number];
        s->round.steps++;
        if (c->had == 0 && look_at(s, w, number, most) == FITS_UNKNOWN) return NO_ID;
        if (c->more > 0) return number;
        search_refused(s, REFUSED_FOR_THE_RUN);
    }
}

static bool note_reached(scheduler *s, uint32_t number)
{
    bool saved = s->saving.depth == 0 || savepoint_note_claim(s, number);
    uint32_t *slot = saved ? list_push(s->context, &s->claims.reached, sizeof *slot) : NULL;
    if (slot == NULL) return mem_refused(&s->failed);
    *slot = number;
    s->claims.list.items[number].had = s->claims.list.items[number].pods;
    return true;
}

static inline uint32_t fill_many(scheduler *s, const uint32_t *pods, uint32_t first, uint32_t count,
                                 uint32_t view_number, spread_run *domains)
{
    filling w = { .v = &s->pods.views.items[view_number], .domains = domains, .set = NO_ID };
    uint32_t placed = 0;
    s->claims.reached.count = 0;
    search_begin(s, view_number);
    for (; placed < count && !s->failed; placed++) {
        if (domains != NULL) spread_run_search(s, domains);
        uint32_t number = next_taker(s, &w, count - placed);
        claim *c = number == NO_ID ? NULL : &s->claims.list.items[number];
        if (c == NULL || (c->had == 0 && !note_reached(s, number))) break;
        search_took(s);
        claim_unlink(s, number);
        placement_put_run(s, pods + placed, first + placed, 1, number);
        c->pods++;
        c->more--;
        if (domains != NULL) spread_run_count(s, domains, c->bucket, c->number);
        if (claim_link_grown(s, number, 1)) search_begin(s, view_number);
    }
    for (size_t i = 0; i < s->claims.reached.count && !s->failed; i++) {
        claim *c = &s->claims.list.items[s->claims.reached.items[i]];
        settle(s, s->claims.reached.items[i], w.v, c->had);
        c->had = 0;
        if (c->retired) claim_unlink(s, s->claims.reached.items[i]);
    }
    return placed;
}

uint32_t claims_fill(scheduler *s, const uint32_t *pods, uint32_t first, uint32_t count, uint32_t view_number)
{
    const view *v = &s->pods.views.items[view_number];
    spread_run domains;
    if (s->claims.run.view != view_number) return 0;
    if (s->claims.run.only != NO_ID) return fill_one(s, s->claims.run.only, pods, first, count, v);
    if (v->owned_count == 0) return fill_many(s, pods, first, count, view_number, NULL);
    return spread_run_begin(s, v, &domains) ? fill_many(s, pods, first, count, view_number, &domains) : 0;
}

uint32_t claims_put_run(scheduler *s, uint32_t claim_number, const uint32_t *pods, uint32_t first, uint32_t count,
                        uint32_t view_number)
{
    return fill_one(s, claim_number, pods, first, count, &s->pods.views.items[view_number]);
}
