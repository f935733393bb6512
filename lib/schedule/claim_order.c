/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/claim_order.h>

#include <base/sort.h>
#include <schedule/capacity.h>
#include <schedule/scheduler.h>

/* ---- skip ranges ------------------------------------------------------------------------------------------------- */

enum {
    FEW_CLASSES = 16, /* with fewer classes, or */
    FEW_PODS = 16, /* with fewer pods per class, checking every claim is as fast */
    LEAST_AHEAD = 4, /* how many sizes ahead a claim is checked initially */
    MOST_AHEAD = 64 /* then as many as it has been skipped for, but at most this many */
};

static int by_size(uint32_t x, uint32_t y, const void *user)
{
    const class_state *classes = user;
    const int64_t *a = classes[x].requests, *b = classes[y].requests;
    if (a[RESOURCE_CPU] != b[RESOURCE_CPU]) return a[RESOURCE_CPU] > b[RESOURCE_CPU] ? -1 : 1;
    if (a[RESOURCE_MEMORY] != b[RESOURCE_MEMORY]) return a[RESOURCE_MEMORY] > b[RESOURCE_MEMORY] ? -1 : 1;
    return 0;
}

/* Sorts all classes by size, once for all rounds. */
static bool order_classes(scheduler *s)
{
    uint32_t count = s->snapshot->class_count;
    if (s->claims.size_ranks.by_size != NULL) return true;
    s->claims.size_ranks.of_class = arena_array(&s->data, count, sizeof *s->claims.size_ranks.of_class);
    s->claims.size_ranks.by_size = arena_array(&s->data, count, sizeof *s->claims.size_ranks.by_size);
    if (s->claims.size_ranks.of_class == NULL || s->claims.size_ranks.by_size == NULL) return false;
    for (uint32_t c = 0; c < count; c++) s->claims.size_ranks.by_size[c] = c;
    return sort_ids(s->context, s->claims.size_ranks.by_size, count, by_size, s->pods.classes);
}

bool skip_begin_round(scheduler *s, uint32_t entered)
{
    s->claims.size_ranks.count = 0;
    if (entered < FEW_CLASSES || s->pods.count / FEW_PODS < entered) return true;
    s->claims.size_ranks.sizes = arena_array(&s->round.data, (size_t)entered * s->vectors.dims,
                                             sizeof *s->claims.size_ranks.sizes);
    if (s->claims.size_ranks.sizes == NULL || !order_classes(s)) return false;
    for (uint32_t i = 0; i < s->snapshot->class_count; i++) {
        uint32_t c = s->claims.size_ranks.by_size[i];
        if (s->pods.entered[c] != s->round.number) continue;
        memcpy(s->claims.size_ranks.sizes + (size_t)s->claims.size_ranks.count * s->vectors.dims,
               s->pods.classes[c].requests, s->vectors.dims * sizeof *s->claims.size_ranks.sizes);
        s->claims.size_ranks.of_class[c] = s->claims.size_ranks.count++;
    }
    return true;
}

/* The rank of a class; NO_ID = nothing is skipped in this round. */
static uint32_t skip_rank(const scheduler *s, uint32_t class_number)
{
    return s->claims.size_ranks.count == 0 ? NO_ID : s->claims.size_ranks.of_class[class_number];
}

static bool claim_fits(const scheduler *s, const claim *c, const int64_t *size)
{
    const typeset *ts = &s->types.sets.items[c->types];
    const int64_t *spaces = s->templates.items[ts->template_].space;
    for (uint32_t i = 0; i < ts->maximal_count; i++) {
        const int64_t *space = spaces + (size_t)ts->maximal[i] * s->vectors.dims;
        uint32_t d = 0;
        while (d < s->vectors.dims && size[d] <= space[d] - c->requests[d]) d++;
        if (d == s->vectors.dims) return true;
    }
    return false;
}

/* The claim has no space for the class of this rank. Computes how many of the next smaller classes it has no space for
 * either. */
static void skip_from_now(const scheduler *s, claim *c, uint32_t rank)
{
    if (rank == NO_ID) return;
    if (c->skip.to != rank) c->skip = (struct skip_range){ rank, rank };
    uint32_t ahead = c->skip.to - c->skip.from, left = s->claims.size_ranks.count - rank - 1;
    if (ahead < LEAST_AHEAD) ahead = LEAST_AHEAD;
    if (ahead > MOST_AHEAD) ahead = MOST_AHEAD;
    if (ahead > left) ahead = left;
    c->skip.to = rank + 1;
    while (ahead-- > 0 && !claim_fits(s, c, s->claims.size_ranks.sizes + (size_t)c->skip.to * s->vectors.dims))
        c->skip.to++;
}

static bool skips(const struct skip_range *r, uint32_t rank) { return rank - r->from < r->to - r->from; }

/* The first claim of the list that is not skipped. NO_ID = all are skipped, which the list's own range then records. */
static uint32_t skip_to_first(const scheduler *s, claim_list *b, uint32_t rank)
{
    struct skip_range all = { 0, NO_ID };
    if (skips(&b->skip, rank)) return NO_ID;
    for (uint32_t number = b->first; number != NO_ID; number = s->claims.list.items[number].next) {
        const struct skip_range *r = &s->claims.list.items[number].skip;
        if (!skips(r, rank)) return number;
        if (r->from > all.from) all.from = r->from;
        if (r->to < all.to) all.to = r->to;
    }
    b->skip = all;
    return NO_ID;
}

/* ---- buckets ----------------------------------------------------------------------------------------------------- */

void claim_order_clear(scheduler *s)
{
    s->claims.buckets.count = 0;
    s->claims.front_stamp = s->claims.back_stamp = 0;
    s->claims.linked = 0;
    slice_clear(s);
    search_end(s);
}

static uint32_t bucket_of_set(scheduler *s, uint32_t set)
{
    uint32_t n = (uint32_t)s->claims.buckets.count;
    for (uint32_t i = 0; i < n; i++) {
        if (s->claims.buckets.items[i].set == set) return i;
    }
    if (n == MOST_BUCKETS) return n - 1;
    requirement_bucket *fresh = list_push(s->context, &s->claims.buckets, sizeof *fresh);
    if (fresh == NULL) return mem_refused_id(&s->failed);
    *fresh = (requirement_bucket){ .set = n + 1 == MOST_BUCKETS ? NO_ID : set,
                                   .from = { 0, NO_ID },
                                   .at = { 0, NO_ID } };
    return n;
}

/* Makes room for lists of claims with up to that many pods. */
static bool widen(scheduler *s, requirement_bucket *l, uint32_t pods)
{
    if (pods < l->list_count) return true;
    uint32_t wanted = l->list_count == 0 ? 64 : l->list_count;
    while (wanted <= pods) wanted *= 2;
    claim_list *wider = arena_array(&s->round.data, wanted, sizeof *wider);
    uint64_t *filled = arena_array(&s->round.data, bits_words(wanted), sizeof *filled);
    if (wider == NULL || filled == NULL) return mem_refused(&s->failed);
    if (l->list_count > 0) {
        memcpy(wider, l->lists, l->list_count * sizeof *wider);
        memcpy(filled, l->filled, bits_words(l->list_count) * sizeof *filled);
    }
    for (uint32_t i = l->list_count; i < wanted; i++) wider[i] = (claim_list){ .first = NO_ID, .last = NO_ID };
    l->lists = wider;
    l->filled = filled;
    l->list_count = wanted;
    return true;
}

void claim_unlink(scheduler *s, uint32_t number)
{
    claim *c = &s->claims.list.items[number];
    requirement_bucket *l = &s->claims.buckets.items[c->bucket];
    claim_list *b = &l->lists[c->pods];
    s->claims.linked--;
    if (c->prev == NO_ID) b->first = c->next;
    else s->claims.list.items[c->prev].next = c->next;
    if (c->next == NO_ID) b->last = c->prev;
    else s->claims.list.items[c->next].prev = c->prev;
    if (b->first == NO_ID) bits_clear(l->filled, c->pods);
}

/* Puts the claim in its bucket and makes room for its list. NULL = out of memory. */
static requirement_bucket *enter_bucket(scheduler *s, claim *c)
{
    c->bucket = bucket_of_set(s, c->set);
    if (c->bucket == NO_ID || !widen(s, &s->claims.buckets.items[c->bucket], c->pods)) {
        c->bucket = NO_ID; /* it is in no list */
        return NULL;
    }
    bits_set(s->claims.buckets.items[c->bucket].filled, c->pods);
    s->claims.linked++;
    c->skip = s->claims.buckets.items[c->bucket].lists[c->pods].skip = (struct skip_range){ 0, 0 };
    return &s->claims.buckets.items[c->bucket];
}

static void link_last(scheduler *s, claim_list *b, uint32_t number)
{
    claim *c = &s->claims.list.items[number];
    c->next = NO_ID;
    c->prev = b->last;
    if (b->last == NO_ID) b->first = number;
    else s->claims.list.items[b->last].next = number;
    b->last = number;
}

/* Equals have changed places in Karpenter's slice: puts all lists in its order. Searches begin again at the lists in
 * which they are. */
static void relink(scheduler *s)
{
    for (size_t i = 0; i < s->claims.buckets.count; i++) {
        requirement_bucket *l = &s->claims.buckets.items[i];
        for (size_t k = bits_next(l->filled, l->list_count, 0); k < l->list_count;
             k = bits_next(l->filled, l->list_count, k + 1))
            l->lists[k].first = l->lists[k].last = NO_ID;
        if (l->from.claim != NO_ID) l->from = (bucket_spot){ l->from.count - 1, NO_ID };
        l->at = l->from;
    }
    for (uint32_t number = s->claims.slice.first; number != NO_ID; number = s->claims.list.items[number].after) {
        const claim *c = &s->claims.list.items[number];
        if (!c->retired) link_last(s, &s->claims.buckets.items[c->bucket].lists[c->pods], number);
    }
}

/* Sorts Karpenter's slice as often as it is sorted while the claim receives its last pods. */
static bool sort_received(scheduler *s, claim *c, uint32_t number, uint32_t more)
{
    bool moved = false;
    if (!s->settings.peer_order) {
        c->stamp = --s->claims.front_stamp;
        return false;
    }
    c->pods -= more;
    for (uint32_t i = 0; i < more; i++) {
        c->pods++;
        moved = slice_sort_grown(s, number) || moved;
    }
    return moved;
}

bool claim_link_grown(scheduler *s, uint32_t number, uint32_t more)
{
    claim *c = &s->claims.list.items[number];
    bool moved = sort_received(s, c, number, more);
    requirement_bucket *l = c->retired || s->failed ? NULL : enter_bucket(s, c);
    if (l != NULL) {
        claim_list *b = &l->lists[c->pods];
        c->prev = NO_ID;
        c->next = b->first;
        if (b->first == NO_ID) b->last = number;
        else s->claims.list.items[b->first].prev = number;
        b->first = number;
        /* A claim that comes from another bucket may belong before the position of the run. */
        if (l->from.count >= c->pods) l->from = (bucket_spot){ c->pods - 1, NO_ID };
    }
    if (moved && !s->failed) relink(s);
    return moved;
}

void claim_link_opened(scheduler *s, uint32_t number)
{
    claim *c = &s->claims.list.items[number];
    bool moved = false;
    if (s->settings.peer_order) moved = slice_sort_opened(s, number);
    else c->stamp = ++s->claims.back_stamp;
    requirement_bucket *l = c->retired || s->failed ? NULL : enter_bucket(s, c);
    if (l != NULL) {
        link_last(s, &l->lists[c->pods], number);
        if (l->from.count > c->pods || (l->from.count == c->pods && l->from.claim == NO_ID))
            l->from = (bucket_spot){ c->pods, number };
    }
    if (moved && !s->failed) relink(s);
}

void claim_relink(scheduler *s, uint32_t number)
{
    claim *c = &s->claims.list.items[number];
    requirement_bucket *l = enter_bucket(s, c);
    if (l == NULL) return;
    claim_list *b = &l->lists[c->pods];
    uint32_t after = b->first, before = NO_ID;
    while (after != NO_ID && s->claims.list.items[after].stamp < c->stamp) {
        before = after;
        after = s->claims.list.items[after].next;
    }
    c->prev = before;
    c->next = after;
    if (before == NO_ID) b->first = number;
    else s->claims.list.items[before].next = number;
    if (after == NO_ID) b->last = number;
    else s->claims.list.items[after].prev = number;
}

/* ---- rejections -------------------------------------------------------------------------------------------------- */

bool refusals_last_but_for_domains(const scheduler *s, const view *v)
{
    const shape *h = shape_of(s->snapshot, v->class_);
    if (class_needs_devices(s, v->class_)) return false; /* devices become free when another claim loses a type */
    for (uint32_t t = 0; t < s->templates.count && h->ports.count > 0; t++) {
        if (s->templates.items[t].named_ports)
            return false; /* which ports conflict differs between pods of the class */
    }
    return v->settled && s->reservations.count == 0 &&
           !s->topology.label_groups.items[s->pods.classes[v->class_].label_group].barred_elsewhere;
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
        uint64_t *wider = arena_array(&s->round.data, words_, sizeof *wider);
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
    return noted(&s->pods.classes[k->like].barred, number) || noted(&k->refused, number);
}

void barred_for_good(scheduler *s, const class_state *k, uint32_t number)
{
    note(s, &s->pods.classes[k->like].barred, number);
}

void search_too_small(scheduler *s, class_state *k, uint32_t number)
{
    if (s->claims.run.size_rank == NO_ID) note(s, &k->refused, number);
    else skip_from_now(s, &s->claims.list.items[number], s->claims.run.size_rank);
}

/* A claim without space for the class never gets space again: its free capacity only shrinks. */
static bool outgrown(const scheduler *s, const class_state *k, const claim *c)
{
    if (k->requested == NULL) return !vector_within(k->requests, c->slack, s->vectors.dims);
    for (uint32_t i = 0; i < k->requested_count; i++) {
        if (k->requests[k->requested[i]] > c->slack[k->requested[i]]) return true;
    }
    return false;
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

void search_begin(scheduler *s, uint32_t view_number)
{
    bool goes_on = s->claims.run.view == view_number;
    if (!goes_on) s->claims.run.only = NO_ID;
    if (!goes_on) s->claims.run.size_rank = skip_rank(s, s->pods.views.items[view_number].class_);
    s->claims.run.view = view_number;
    s->claims.run.bucket = NO_ID;
    for (size_t i = 0; i < s->claims.buckets.count; i++) {
        requirement_bucket *l = &s->claims.buckets.items[i];
        if (!goes_on) {
            l->from = (bucket_spot){ 0, NO_ID };
            l->exhausted = false;
        }
        l->at = l->from;
        l->apart = l->passed = false;
    }
}

static void step_over(const scheduler *s, requirement_bucket *l)
{
    l->at.claim = s->claims.list.items[l->at.claim].next;
    if (!l->apart) l->from = l->at;
}

/* Moves to the next list with a claim that is not skipped. false = there is none. */
static bool next_list(const scheduler *s, requirement_bucket *l)
{
    while (l->at.claim == NO_ID) {
        size_t next = bits_next(l->filled, l->list_count, l->at.count + (size_t)1);
        if (next >= l->list_count) return false;
        claim_list *b = &l->lists[next];
        l->at = (bucket_spot){ (uint32_t)next, s->claims.run.size_rank == NO_ID
                                                   ? b->first
                                                   : skip_to_first(s, b, s->claims.run.size_rank) };
        if (!l->apart) l->from = l->at;
    }
    return true;
}

/* The bucket's next claim, unless the whole bucket rejects; NULL = it has none left. */
static inline const claim *bucket_head(const scheduler *s, requirement_bucket *l)
{
    if (l->exhausted || l->passed) return NULL;
    if (l->at.claim == NO_ID) l->passed = !next_list(s, l);
    return l->passed ? NULL : &s->claims.list.items[l->at.claim];
}

static bool comes_first(const claim *a, const claim *b)
{
    return b == NULL || a->pods < b->pods || (a->pods == b->pods && a->stamp < b->stamp);
}

/* The bucket whose head is first in the common order, and the head that comes next. NO_ID = no bucket has a claim
 * left. */
static uint32_t first_bucket(scheduler *s, const claim **second)
{
    const claim *first = NULL;
    uint32_t found = NO_ID;
    *second = NULL;
    for (uint32_t i = 0; i < s->claims.buckets.count; i++) {
        requirement_bucket *l = &s->claims.buckets.items[i];
        const claim *c = bucket_head(s, l);
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
    const claim *c = &s->claims.list.items[number];
    if (skips(&c->skip, s->claims.run.size_rank) || refused_for_good(s, k, number)) return true;
    if (!outgrown(s, k, c)) return false;
    search_too_small(s, k, number);
    return true;
}

uint32_t search_next(scheduler *s, class_state *k)
{
    if (s->claims.run.bucket == NO_ID) s->claims.run.bucket = first_bucket(s, &s->claims.run.second);
    for (; s->claims.run.bucket != NO_ID && !s->failed; s->claims.run.bucket = first_bucket(s, &s->claims.run.second)) {
        requirement_bucket *l = &s->claims.buckets.items[s->claims.run.bucket];
        for (const claim *c = bucket_head(s, l); c != NULL && comes_first(c, s->claims.run.second);
             c = bucket_head(s, l)) {
            if (!has_refused(s, k, l->at.claim)) return l->at.claim;
            s->round.steps++;
            step_over(s, l);
        }
    }
    return NO_ID;
}

void search_all_refused(scheduler *s)
{
    s->round.steps += s->claims.linked;
    for (size_t i = 0; i < s->claims.buckets.count; i++) {
        requirement_bucket *l = &s->claims.buckets.items[i];
        uint32_t last = l->list_count;
        while (last > 0 && !bits_test(l->filled, last - 1)) last--;
        l->from = l->at = (bucket_spot){ last > 0 ? last - 1 : 0, NO_ID };
        l->passed = true;
    }
}

void search_refused(scheduler *s, enum refused_how how)
{
    requirement_bucket *l = &s->claims.buckets.items[s->claims.run.bucket];
    if (how == REFUSED_NOW) l->apart = true;
    step_over(s, l);
}

bool search_bucket_refused(scheduler *s, enum refused_how how)
{
    requirement_bucket *l = &s->claims.buckets.items[s->claims.run.bucket];
    if (l->set == NO_ID) return false;
    if (how == REFUSED_FOR_THE_RUN) l->exhausted = true;
    l->passed = true;
    return true;
}

void search_took(scheduler *s)
{
    requirement_bucket *l = &s->claims.buckets.items[s->claims.run.bucket];
    l->at.claim = s->claims.list.items[l->at.claim].next;
    if (!l->apart) l->from = l->at;
}

void search_opened(scheduler *s, uint32_t view_number, uint32_t number)
{
    if (!refusals_last(s, &s->pods.views.items[view_number]))
        return; /* claims before the positions of the buckets continue to be skipped */
    s->claims.run.view = view_number;
    s->claims.run.only = number;
}

void search_end(scheduler *s)
{
    s->claims.run.view = NO_ID;
    s->claims.run.only = NO_ID;
}
