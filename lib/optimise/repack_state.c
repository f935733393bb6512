/* SPDX-License-Identifier: Apache-2.0 */
#include <optimise/repack_state.h>

#include <base/bits.h>
#include <math.h>
#include <string.h>

/* ---- free space -------------------------------------------------------------------------------------------------- */

static bool is_host(const repack_search *q, uint32_t place) { return place < q->p->host_count; }

static bool conflicts(const repack_search *q, uint32_t class_, const packing_entry *entries, size_t count)
{
    const uint64_t *row = q->p->launches.conflicts + class_ * q->class_words;
    for (size_t i = 0; i < count; i++) {
        if (bits_test(row, entries[i].class_)) return true;
    }
    return false;
}

uint32_t state_copies(const repack_search *q, uint32_t place, uint32_t class_)
{
    const repack_place *x = &q->places.items[place];
    for (size_t i = 0; i < x->entries.count; i++) {
        if (x->entries.items[i].class_ == class_) return x->entries.items[i].copies;
    }
    return 0;
}

/* The number of copies, at most `want`, that the class's rules allow in addition to those that are there. */
static uint32_t rules_leave(repack_search *q, uint32_t place, uint32_t class_, uint32_t want)
{
    const packing_problem *l = &q->p->launches;
    const repack_place *x = &q->places.items[place];
    bool limited = l->limits[class_] != UINT32_MAX || (is_host(q, place) && q->p->alone[class_]);
    if (limited) {
        uint32_t most = is_host(q, place) && q->p->alone[class_] ? 1 : l->limits[class_];
        uint32_t here = state_copies(q, place, class_);
        uint32_t which = is_host(q, place) ? q->p->node_of_host[place] : UINT32_MAX;
        for (uint32_t i = 0; which != UINT32_MAX && i < q->p->nodes[which].entry_count; i++) {
            if (q->p->nodes[which].entries[i].class_ == class_) here += q->p->nodes[which].entries[i].copies;
        }
        if (here >= most) return 0;
        if (want > most - here) want = most - here;
    }
    if (l->conflicts == NULL) return want;
    if (conflicts(q, class_, x->entries.items, x->entries.count)) return 0;
    if (is_host(q, place) && q->p->node_of_host[place] != UINT32_MAX) {
        const repack_node *n = &q->p->nodes[q->p->node_of_host[place]];
        if (conflicts(q, class_, n->entries, n->entry_count)) return 0;
    }
    return want;
}

uint32_t state_fits(repack_search *q, uint32_t place, uint32_t class_, uint32_t want)
{
    const packing_problem *l = &q->p->launches;
    const repack_place *x = &q->places.items[place];
    const int64_t *r = l->requests + (size_t)class_ * l->dims;
    q->work += 4;
    if (is_host(q, place)) {
        if (q->host_removed[place] || !bits_test(q->p->host_allowed + class_ * q->host_words, place)) return 0;
    } else if (x->offer == NO_OFFER || !bits_test(l->allowed + class_ * q->offer_words, x->offer)) {
        return 0;
    }
    for (uint32_t d = 0; d < l->dims && want > 0; d++) {
        if (r[d] * (int64_t)want > x->free[d]) want = r[d] > x->free[d] ? 0 : (uint32_t)(x->free[d] / r[d]);
    }
    return want > 0 ? rules_leave(q, place, class_, want) : 0;
}

/* ---- changes ----------------------------------------------------------------------------------------------------- */

static bool refuse(repack_search *q) { return mem_refused(&q->failed); }

static bool note(repack_search *q, repack_change change)
{
    repack_change *slot = list_push(q->context, &q->log, sizeof *slot);
    if (slot == NULL) return refuse(q);
    *slot = change;
    return true;
}

static bool change_copies(repack_search *q, uint32_t place, uint32_t class_, int32_t copies)
{
    repack_place *x = &q->places.items[place];
    const packing_problem *l = &q->p->launches;
    const int64_t *r = l->requests + (size_t)class_ * l->dims;
    size_t i = 0;
    if (is_host(q, place)) q->touched[place] = q->move;
    while (i < x->entries.count && x->entries.items[i].class_ != class_) i++;
    if (i == x->entries.count) {
        packing_entry *slot = list_push(q->context, &x->entries, sizeof *slot);
        if (slot == NULL) return refuse(q);
        *slot = (packing_entry){ class_, 0 };
    }
    for (uint32_t d = 0; d < l->dims; d++) x->free[d] -= r[d] * copies;
    x->entries.items[i].copies += (uint32_t)copies;
    if (q->space != NULL) {
        double all = is_host(q, place) ? q->space[place] : 0, more = l->worth[class_] * copies;
        if (x->offer != NO_OFFER) all = l->prices[x->offer];
        double was = all - x->worth, is = was - more;
        q->spread += is * is - was * was;
        x->worth += more;
    }
    if (x->entries.items[i].copies == 0) x->entries.items[i] = x->entries.items[--x->entries.count];
    q->work += i + l->dims;
    return true;
}

bool state_put(repack_search *q, uint32_t place, uint32_t class_, int32_t copies)
{
    return note(q, (repack_change){ CHANGE_PUT, place, class_, copies, 0 }) && change_copies(q, place, class_, copies);
}

static void change_offer(repack_search *q, uint32_t place, uint32_t offer)
{
    repack_place *x = &q->places.items[place];
    const packing_problem *l = &q->p->launches;
    for (uint32_t d = 0; d < l->dims; d++) {
        if (x->offer != NO_OFFER) x->free[d] -= l->spaces[(size_t)x->offer * l->dims + d];
        if (offer != NO_OFFER) x->free[d] += l->spaces[(size_t)offer * l->dims + d];
    }
    double was = x->offer != NO_OFFER ? l->prices[x->offer] : 0, is = offer != NO_OFFER ? l->prices[offer] : 0;
    q->cost += is - was;
    if (q->space != NULL) q->spread += (is - x->worth) * (is - x->worth) - (was - x->worth) * (was - x->worth);
    x->offer = offer;
}

static void set_offer(repack_search *q, uint32_t place, uint32_t offer)
{
    if (note(q, (repack_change){ CHANGE_OFFER, place, 0, 0, q->places.items[place].offer }))
        change_offer(q, place, offer);
}

static bool push_place(repack_search *q)
{
    repack_place *x = list_push(q->context, &q->places, sizeof *x);
    if (x == NULL) return refuse(q);
    *x = (repack_place){ .offer = NO_OFFER };
    x->free = mem_zalloc(q->context, (q->p->launches.dims + (size_t)1) * sizeof *x->free);
    if (x->free != NULL) return true;
    q->places.count--;
    return refuse(q);
}

static void pop_place(repack_search *q)
{
    repack_place *x = &q->places.items[--q->places.count];
    mem_free(q->context, x->free, (q->p->launches.dims + (size_t)1) * sizeof *x->free);
    list_free(q->context, &x->entries, sizeof *x->entries.items);
}

bool state_new_bin(repack_search *q, uint32_t offer, uint32_t *place)
{
    *place = (uint32_t)q->places.count;
    if (!push_place(q)) return false;
    if (!note(q, (repack_change){ CHANGE_NEW, *place, 0, 0, NO_OFFER })) {
        pop_place(q);
        return false;
    }
    change_offer(q, *place, offer);
    return true;
}

static void swap_nodes(repack_search *q, uint32_t x, uint32_t y)
{
    uint32_t a = q->list[x], b = q->list[y];
    q->list[x] = b;
    q->list[y] = a;
    q->at[b] = x;
    q->at[a] = y;
}

static void toggle(repack_search *q, uint32_t which)
{
    const repack_node *n = &q->p->nodes[which];
    if (q->gone[which]) {
        swap_nodes(q, q->at[which], q->kept_count);
        q->kept_count++;
        q->cost += n->price;
        q->evictions -= n->evictions;
    } else {
        q->kept_count--;
        swap_nodes(q, q->at[which], q->kept_count);
        q->cost -= n->price;
        q->evictions += n->evictions;
    }
    q->gone[which] = !q->gone[which];
    if (n->host == UINT32_MAX) return;
    q->host_removed[n->host] = q->gone[which];
    q->touched[n->host] = q->move;
}

static void open_pods(repack_search *q, uint32_t class_, int64_t copies)
{
    if (!q->is_open[class_]) {
        q->is_open[class_] = true;
        q->open[q->open_count++] = class_;
    }
    q->demand[class_] += copies;
}

void state_empty(repack_search *q, uint32_t place)
{
    while (q->places.items[place].entries.count > 0 && !q->failed) {
        packing_entry e = q->places.items[place].entries.items[q->places.items[place].entries.count - 1];
        if (state_put(q, place, e.class_, -(int32_t)e.copies)) open_pods(q, e.class_, e.copies);
    }
    if (!is_host(q, place) && q->places.items[place].offer != NO_OFFER && !q->failed) set_offer(q, place, NO_OFFER);
}

bool state_remove(repack_search *q, uint32_t which)
{
    const repack_node *n = &q->p->nodes[which];
    if (n->host != UINT32_MAX) state_empty(q, n->host);
    if (q->failed || !note(q, (repack_change){ CHANGE_TOGGLE, which, 0, 0, 0 })) return false;
    toggle(q, which);
    for (uint32_t i = 0; i < n->entry_count; i++) open_pods(q, n->entries[i].class_, n->entries[i].copies);
    return true;
}

void state_restore(repack_search *q, uint32_t which)
{
    const repack_node *n = &q->p->nodes[which];
    if (!note(q, (repack_change){ CHANGE_TOGGLE, which, 0, 0, 0 })) return;
    toggle(q, which);
    for (uint32_t i = 0; i < n->entry_count; i++) open_pods(q, n->entries[i].class_, -(int64_t)n->entries[i].copies);
}

void state_note_shrunk(repack_search *q, uint32_t place)
{
    uint32_t *slot = list_push(q->context, &q->shrunk, sizeof *slot);
    if (slot == NULL) q->failed = true;
    else *slot = place;
}

void state_resize(repack_search *q, uint32_t place)
{
    const packing_problem *l = &q->p->launches;
    const repack_place *x = &q->places.items[place];
    if (x->offer == NO_OFFER) return;
    if (x->entries.count == 0) {
        set_offer(q, place, NO_OFFER);
        return;
    }
    for (uint32_t d = 0; d < l->dims; d++) q->used[d] = l->spaces[(size_t)x->offer * l->dims + d] - x->free[d];
    uint32_t offer = packing_offer_for(q->packing, x->entries.items, (uint32_t)x->entries.count, q->used);
    if (offer != UINT32_MAX && offer != x->offer && l->prices[offer] < l->prices[x->offer]) set_offer(q, place, offer);
}

/* Removes dropped launches from the list. */
void state_commit(repack_search *q)
{
    q->log.count = 0;
    for (uint32_t i = (uint32_t)q->places.count; i-- > q->p->host_count;) {
        if (q->places.items[i].offer != NO_OFFER) continue;
        repack_place last = q->places.items[q->places.count - 1];
        q->places.items[q->places.count - 1] = q->places.items[i];
        q->places.items[i] = last;
        pop_place(q);
    }
    q->work += q->places.count - q->p->host_count;
}

void state_undo(repack_search *q)
{
    bool failed = q->failed;
    while (q->log.count > 0) {
        repack_change c = q->log.items[--q->log.count];
        if (c.kind == CHANGE_PUT) (void)change_copies(q, c.place, c.class_, -c.copies);
        if (c.kind == CHANGE_OFFER) change_offer(q, c.place, c.offer);
        if (c.kind == CHANGE_TOGGLE) toggle(q, c.place);
        if (c.kind == CHANGE_NEW) {
            change_offer(q, c.place, NO_OFFER);
            pop_place(q);
        }
    }
    q->cost = q->began.cost;
    q->evictions = q->began.evictions;
    q->failed = failed || q->failed;
}

void state_fix(repack_search *q, uint32_t which)
{
    if (q->fixed[which] || q->gone[which]) return;
    q->fixed[which] = true;
    /* moves it behind the removed nodes */
    q->kept_count--;
    swap_nodes(q, q->at[which], q->kept_count);
    q->fixed_count++;
    swap_nodes(q, q->kept_count, q->p->node_count - q->fixed_count);
}

/* ---- plans ------------------------------------------------------------------------------------------------------- */

void repack_plan_free(karp_context *context, repack_plan *p)
{
    list_free(context, &p->removed, sizeof *p->removed.items);
    list_free(context, &p->puts, sizeof *p->puts.items);
    packing_bins_free(context, &p->bins);
    *p = (repack_plan){ .saving = 0 };
}

static bool save_place(repack_search *q, repack_plan *out, uint32_t place)
{
    const repack_place *x = &q->places.items[place];
    packing_bin *bin = is_host(q, place) ? NULL : packing_add_bin(q->context, &out->bins, x->offer);
    if (!is_host(q, place) && bin == NULL) return false;
    for (size_t i = 0; i < x->entries.count; i++) {
        const packing_entry *e = &x->entries.items[i];
        if (bin != NULL && !packing_add_entry(q->context, bin, e->class_, e->copies)) return false;
        repack_put *slot = bin == NULL ? list_push(q->context, &out->puts, sizeof *slot) : NULL;
        if (bin == NULL && slot == NULL) return false;
        if (slot != NULL) *slot = (repack_put){ place, e->class_, e->copies };
    }
    return true;
}

bool state_save(repack_search *q, repack_plan *out)
{
    repack_plan_free(q->context, out);
    for (uint32_t i = 0; i < q->p->node_count; i++) {
        uint32_t *slot = q->gone[i] ? list_push(q->context, &out->removed, sizeof *slot) : NULL;
        if (q->gone[i] && slot == NULL) return refuse(q);
        if (slot != NULL) *slot = i;
    }
    for (uint32_t i = 0; i < q->places.count; i++) {
        if (!save_place(q, out, i)) return refuse(q);
    }
    out->saving = -q->cost;
    out->evictions = q->evictions;
    q->work += q->places.count;
    return true;
}

static void clear_place(repack_search *q, uint32_t place)
{
    while (q->places.items[place].entries.count > 0) {
        packing_entry e = q->places.items[place].entries.items[0];
        (void)change_copies(q, place, e.class_, -(int32_t)e.copies);
    }
}

bool state_take(repack_search *q, const repack_plan *from)
{
    for (uint32_t h = 0; h < q->p->host_count; h++) clear_place(q, h);
    while (q->places.count > q->p->host_count) pop_place(q);
    for (uint32_t i = 0, r = 0; i < q->p->node_count; i++) {
        while (r < from->removed.count && from->removed.items[r] < i) r++;
        bool gone = r < from->removed.count && from->removed.items[r] == i;
        if (q->gone[i] != gone) toggle(q, i);
    }
    for (size_t i = 0; i < from->puts.count; i++) {
        const repack_put *x = &from->puts.items[i];
        if (!change_copies(q, x->host, x->class_, (int32_t)x->copies)) return false;
    }
    for (size_t b = 0; b < from->bins.list.count; b++) {
        const packing_bin *bin = &from->bins.list.items[b];
        uint32_t place = (uint32_t)q->places.count;
        if (!push_place(q)) return false;
        change_offer(q, place, bin->offer);
        for (size_t e = 0; e < bin->entries.count; e++) {
            if (!change_copies(q, place, bin->entries.items[e].class_, (int32_t)bin->entries.items[e].copies))
                return false;
        }
    }
    q->log.count = 0;
    q->cost = -from->saving;
    q->best_at_hand = true;
    return true;
}

bool state_copy_plan(karp_context *context, const repack_plan *from, repack_plan *out)
{
    *out = (repack_plan){ .saving = from->saving, .evictions = from->evictions };
    for (size_t i = 0; i < from->removed.count; i++) {
        uint32_t *slot = list_push(context, &out->removed, sizeof *slot);
        if (slot == NULL) return false;
        *slot = from->removed.items[i];
    }
    for (size_t i = 0; i < from->puts.count; i++) {
        repack_put *slot = list_push(context, &out->puts, sizeof *slot);
        if (slot == NULL) return false;
        *slot = from->puts.items[i];
    }
    for (size_t b = 0; b < from->bins.list.count; b++) {
        const packing_bin *bin = &from->bins.list.items[b];
        if (!packing_copy_bin(context, &out->bins, bin->offer, bin->entries.items, bin->entries.count)) return false;
    }
    return true;
}

/* ---- creating and freeing ---------------------------------------------------------------------------------------- */

static bool allocate(repack_search *q)
{
    const repack_problem *p = q->p;
    size_t classes = p->launches.class_count + (size_t)1, nodes = p->node_count + (size_t)1;
    q->gone = arena_array(&q->data, nodes, sizeof *q->gone);
    q->fixed = arena_array(&q->data, nodes, sizeof *q->fixed);
    q->list = arena_array(&q->data, nodes, sizeof *q->list);
    q->at = arena_array(&q->data, nodes, sizeof *q->at);
    q->by_ratio = arena_array(&q->data, nodes, sizeof *q->by_ratio);
    q->worth = arena_array(&q->data, nodes, sizeof *q->worth);
    q->host_removed = arena_array(&q->data, p->host_count + (size_t)1, sizeof *q->host_removed);
    q->host_order = arena_array(&q->data, p->host_count + (size_t)1, sizeof *q->host_order);
    q->demand = arena_array(&q->data, classes, sizeof *q->demand);
    q->is_open = arena_array(&q->data, classes, sizeof *q->is_open);
    q->open = arena_array(&q->data, classes, sizeof *q->open);
    q->rated = arena_array(&q->data, classes, sizeof *q->rated);
    q->ratio = arena_array(&q->data, classes, sizeof *q->ratio);
    q->ruined = arena_array(&q->data, p->host_count + (size_t)1, sizeof *q->ruined);
    q->value = arena_array(&q->data, classes, sizeof *q->value);
    q->wanted = arena_array(&q->data, classes, sizeof *q->wanted);
    q->first_open = arena_array(&q->data, classes, sizeof *q->first_open);
    q->touched = arena_array(&q->data, p->host_count + (size_t)1, sizeof *q->touched);
    q->used = arena_array(&q->data, p->launches.dims + (size_t)1, sizeof *q->used);
    return q->gone != NULL && q->fixed != NULL && q->list != NULL && q->at != NULL && q->by_ratio != NULL &&
           q->host_removed != NULL && q->host_order != NULL && q->demand != NULL && q->is_open != NULL &&
           q->open != NULL && q->worth != NULL && q->value != NULL && q->wanted != NULL && q->first_open != NULL &&
           q->touched != NULL && q->used != NULL && q->rated != NULL && q->ratio != NULL && q->ruined != NULL;
}

static bool make_hosts(repack_search *q)
{
    const repack_problem *p = q->p;
    size_t dims = p->launches.dims;
    for (uint32_t h = 0; h < p->host_count; h++) {
        if (!push_place(q)) return false;
        memcpy(q->places.items[h].free, p->left + h * dims, dims * sizeof(int64_t));
    }
    for (uint32_t i = 0; i < p->node_count; i++) {
        q->list[i] = q->at[i] = i;
        for (uint32_t e = 0; e < p->nodes[i].entry_count; e++)
            q->worth[i] += p->launches.worth[p->nodes[i].entries[e].class_] * p->nodes[i].entries[e].copies;
        q->mean_price += p->nodes[i].price / p->node_count;
    }
    q->kept_count = p->node_count;
    return true;
}

repack_search *repack_search_begin(karp_context *context, const repack_problem *p)
{
    repack_search *q = mem_zalloc(context, sizeof *q);
    if (q == NULL) return NULL;
    q->context = context;
    q->p = p;
    q->host_words = bits_words(p->host_count);
    q->offer_words = bits_words(p->launches.offer_count);
    q->class_words = bits_words(p->launches.class_count);
    q->random = UINT64_C(0x2545f4914f6cdd1d);
    q->counts_space = true;
    q->best_objective = HUGE_VAL;
    q->best_at_hand = true;
    arena_init(&q->data, context);
    q->packing = packing_begin(context, &p->launches, NULL);
    if (q->packing != NULL && allocate(q) && make_hosts(q) && state_value_hosts(q)) return q;
    repack_search_end(q);
    return NULL;
}

void repack_search_end(repack_search *q)
{
    if (q == NULL) return;
    while (q->places.count > 0) pop_place(q);
    list_free(q->context, &q->places, sizeof *q->places.items);
    list_free(q->context, &q->log, sizeof *q->log.items);
    list_free(q->context, &q->shrunk, sizeof *q->shrunk.items);
    repack_plan_free(q->context, &q->best);
    packing_end(q->packing);
    arena_free(&q->data);
    mem_free(q->context, q, sizeof *q);
}
