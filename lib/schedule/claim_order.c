/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/claim_order.h>

#include <base/bits.h>
#include <schedule/claim_rest.h>
#include <string.h>

/* More sets than this share a lane, in which every claim is asked by itself. */
enum { MOST_LANES = 32 };

/* ---- lanes ----------------------------------------------------------------------------------------------------------- */

void claim_order_clear(scheduler *s)
{
    s->lanes.count = 0;
    s->front = s->back = 0;
    search_end(s);
}

static uint32_t lane_of_set(scheduler *s, uint32_t set)
{
    uint32_t n = (uint32_t)s->lanes.count;
    for (uint32_t i = 0; i < n; i++) {
        if (s->lanes.items[i].set == set) return i;
    }
    if (n == MOST_LANES) return n - 1;
    lane *fresh = list_push(s->context, &s->lanes, sizeof *fresh);
    if (fresh == NULL) {
        s->failed = true;
        return NO_ID;
    }
    *fresh = (lane){ .set = n + 1 == MOST_LANES ? NO_ID : set, .from = { 0, NO_ID }, .at = { 0, NO_ID } };
    return n;
}

/* Room for claims of that many pods. */
static bool widen(scheduler *s, lane *l, uint32_t pods)
{
    if (pods < l->bucket_count) return true;
    uint32_t wanted = l->bucket_count == 0 ? 64 : l->bucket_count;
    while (wanted <= pods) wanted *= 2;
    bucket *wider = arena_array(&s->round_data, wanted, sizeof *wider);
    uint64_t *filled = arena_array(&s->round_data, bits_words(wanted), sizeof *filled);
    if (wider == NULL || filled == NULL) {
        s->failed = true;
        return false;
    }
    if (l->bucket_count > 0) {
        memcpy(wider, l->buckets, l->bucket_count * sizeof *wider);
        memcpy(filled, l->filled, bits_words(l->bucket_count) * sizeof *filled);
    }
    for (uint32_t i = l->bucket_count; i < wanted; i++) wider[i] = (bucket){ .first = NO_ID, .last = NO_ID };
    l->buckets = wider;
    l->filled = filled;
    l->bucket_count = wanted;
    return true;
}

void claim_unlink(scheduler *s, uint32_t number)
{
    claim *c = &s->claims.items[number];
    lane *l = &s->lanes.items[c->lane];
    bucket *b = &l->buckets[c->pods];
    if (c->prev == NO_ID) b->first = c->next;
    else s->claims.items[c->prev].next = c->next;
    if (c->next == NO_ID) b->last = c->prev;
    else s->claims.items[c->next].prev = c->prev;
    if (b->first == NO_ID) bits_clear(l->filled, c->pods);
}

/* The lane a claim belongs to now, with room for its bucket; NULL = refused. */
static lane *enter_lane(scheduler *s, claim *c)
{
    c->lane = lane_of_set(s, c->set);
    if (c->lane == NO_ID || !widen(s, &s->lanes.items[c->lane], c->pods)) return NULL;
    bits_set(s->lanes.items[c->lane].filled, c->pods);
    c->rest = s->lanes.items[c->lane].buckets[c->pods].rest = (struct rest){ 0, 0 };
    return &s->lanes.items[c->lane];
}

void claim_link_front(scheduler *s, uint32_t number)
{
    claim *c = &s->claims.items[number];
    lane *l = enter_lane(s, c);
    if (l == NULL) return;
    bucket *b = &l->buckets[c->pods];
    c->stamp = --s->front;
    c->prev = NO_ID;
    c->next = b->first;
    if (b->first == NO_ID) b->last = number;
    else s->claims.items[b->first].prev = number;
    b->first = number;
    /* One that comes from another lane may be behind the run. */
    if (l->from.count >= c->pods) l->from = (lane_spot){ c->pods - 1, NO_ID };
}

void claim_link_back(scheduler *s, uint32_t number)
{
    claim *c = &s->claims.items[number];
    lane *l = enter_lane(s, c);
    if (l == NULL) return;
    bucket *b = &l->buckets[c->pods];
    c->stamp = ++s->back;
    c->next = NO_ID;
    c->prev = b->last;
    if (b->last == NO_ID) b->first = number;
    else s->claims.items[b->last].next = number;
    b->last = number;
    if (l->from.count > c->pods || (l->from.count == c->pods && l->from.claim == NO_ID))
        l->from = (lane_spot){ c->pods, number };
}

/* ---- refusals -------------------------------------------------------------------------------------------------------- */

/* A refusal holds for the rest of the run when nothing but the claim itself decides: domains of other keys than the host
 * name change with every placement, wherever it is, and so do reservations. */
bool refusals_last(const scheduler *s, const view *v)
{
    const shape *h = shape_of(s->snapshot, v->class_);
    if (h->has_claims) return false; /* devices come free when another claim loses a type */
    for (uint32_t t = 0; t < s->template_count && h->ports.count > 0; t++) {
        if (s->templates[t].named_ports)
            return false; /* it is not the same for all pods of the class which ports are taken */
    }
    return v->settled && !v->elsewhere && s->reservations.count == 0 &&
           !s->kins.items[s->classes[v->class_].kin].barred_elsewhere;
}

static bool noted(const struct claim_bits *b, uint32_t number)
{
    return number < b->words * 64 && bits_test(b->bits, number);
}

static void note(scheduler *s, struct claim_bits *b, uint32_t number)
{
    if (number >= b->words * 64) {
        uint32_t words_ = b->words == 0 ? 4 : b->words;
        while (number >= words_ * 64) words_ *= 2;
        uint64_t *wider = arena_array(&s->round_data, words_, sizeof *wider);
        if (wider == NULL) {
            s->failed = true;
            return;
        }
        if (b->words > 0) memcpy(wider, b->bits, b->words * sizeof *wider);
        *b = (struct claim_bits){ wider, words_ };
    }
    bits_set(b->bits, number);
}

bool refused_for_good(const scheduler *s, const class_state *k, uint32_t number)
{
    return noted(&s->classes[k->like].barred, number) || noted(&k->refused, number);
}

void barred_for_good(scheduler *s, const class_state *k, uint32_t number)
{
    note(s, &s->classes[k->like].barred, number);
}

void search_too_small(scheduler *s, class_state *k, uint32_t number)
{
    if (s->run.turn == NO_ID) note(s, &k->refused, number);
    else rest_from_now(s, &s->claims.items[number], s->run.turn);
}

/* A claim that has no room for the class never will: it only gets fuller. */
static bool outgrown(const scheduler *s, const class_state *k, const claim *c)
{
    for (uint32_t d = 0; d < s->dims; d++) {
        if (k->requests[d] > c->slack[d]) return true;
    }
    return false;
}

/* ---- the search ------------------------------------------------------------------------------------------------------ */

void search_begin(scheduler *s, uint32_t view_number)
{
    bool goes_on = s->run.view == view_number;
    if (!goes_on) s->run.only = NO_ID;
    if (!goes_on) s->run.turn = rest_turn(s, s->views.items[view_number].class_);
    s->run.view = view_number;
    s->run.lane = NO_ID;
    for (size_t i = 0; i < s->lanes.count; i++) {
        lane *l = &s->lanes.items[i];
        if (!goes_on) {
            l->from = (lane_spot){ 0, NO_ID };
            l->closed = false;
        }
        l->at = l->from;
        l->apart = l->passed = false;
    }
}

static void step_over(const scheduler *s, lane *l)
{
    l->at.claim = s->claims.items[l->at.claim].next;
    if (!l->apart) l->from = l->at;
}

/* Goes on to the next bucket in which some claim does not rest; false = there is none. */
static bool next_bucket(const scheduler *s, lane *l)
{
    while (l->at.claim == NO_ID) {
        size_t next = bits_next(l->filled, l->bucket_count, l->at.count + (size_t)1);
        if (next >= l->bucket_count) return false;
        bucket *b = &l->buckets[next];
        l->at = (lane_spot){ (uint32_t)next, s->run.turn == NO_ID ? b->first : rest_passes(s, b, s->run.turn) };
        if (!l->apart) l->from = l->at;
    }
    return true;
}

/* The lane's next claim, unless all of it refuses; NULL = it has no more. */
static inline const claim *lane_head(const scheduler *s, lane *l)
{
    if (l->closed || l->passed) return NULL;
    if (l->at.claim == NO_ID) l->passed = !next_bucket(s, l);
    return l->passed ? NULL : &s->claims.items[l->at.claim];
}

static bool comes_first(const claim *a, const claim *b)
{
    return b == NULL || a->pods < b->pods || (a->pods == b->pods && a->stamp < b->stamp);
}

/* The lane whose head comes first, and the head that comes next; NO_ID = all lanes are done. */
static uint32_t first_lane(scheduler *s, const claim **second)
{
    const claim *first = NULL;
    uint32_t found = NO_ID;
    *second = NULL;
    for (uint32_t i = 0; i < s->lanes.count; i++) {
        lane *l = &s->lanes.items[i];
        const claim *c = lane_head(s, l);
        if (c == NULL) continue;
        if (comes_first(c, first)) {
            *second = first;
            first = c;
            found = i;
        } else if (comes_first(c, *second)) {
            *second = c;
        }
    }
    return found;
}

static bool has_refused(scheduler *s, class_state *k, uint32_t number)
{
    const claim *c = &s->claims.items[number];
    if (rests(&c->rest, s->run.turn) || refused_for_good(s, k, number)) return true;
    if (!outgrown(s, k, c)) return false;
    search_too_small(s, k, number);
    return true;
}

uint32_t search_next(scheduler *s, class_state *k)
{
    if (s->run.lane == NO_ID) s->run.lane = first_lane(s, &s->run.second);
    for (; s->run.lane != NO_ID && !s->failed; s->run.lane = first_lane(s, &s->run.second)) {
        lane *l = &s->lanes.items[s->run.lane];
        for (const claim *c = lane_head(s, l); c != NULL && comes_first(c, s->run.second); c = lane_head(s, l)) {
            if (!has_refused(s, k, l->at.claim)) return l->at.claim;
            s->steps++;
            step_over(s, l);
        }
    }
    return NO_ID;
}

void search_refused(scheduler *s, enum refused_how how)
{
    lane *l = &s->lanes.items[s->run.lane];
    if (how == REFUSED_NOW) l->apart = true;
    step_over(s, l);
}

bool search_lane_refused(scheduler *s, enum refused_how how)
{
    lane *l = &s->lanes.items[s->run.lane];
    if (l->set == NO_ID) return false;
    if (how == REFUSED_FOR_THE_RUN) l->closed = true;
    l->passed = true;
    return true;
}

void search_took(scheduler *s)
{
    lane *l = &s->lanes.items[s->run.lane];
    l->at.claim = s->claims.items[l->at.claim].next;
    if (!l->apart) l->from = l->at;
}

void search_opened(scheduler *s, uint32_t view_number, uint32_t number)
{
    if (!refusals_last(s, &s->views.items[view_number]))
        return; /* what is behind the lanes' spots stays refused all the same */
    s->run.view = view_number;
    s->run.only = number;
}

void search_end(scheduler *s)
{
    s->run.view = NO_ID;
    s->run.only = NO_ID;
}
