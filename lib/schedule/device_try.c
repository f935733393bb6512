/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/device_run.h>
#include <base/str.h>

#include <schedule/device_answers.h>
#include <schedule/scheduler.h>

const live_request *request_at(const search *x, const position *p)
{
    return p->alternative != NULL ? p->alternative : &x->a->resource_claims[p->claim].requests[p->request];
}

/* ---- amounts ----------------------------------------------------------------------------------------------------- */

/* The integer as which an amount is counted: rounded away from zero. */
static amount rounded(amount a)
{
    amount whole, out = a;
    uint64_t rest;
    bool negative = amount_sign(a) < 0;
    amount size = negative ? amount_neg(a) : a;
    amount_divide(size, (uint64_t)AMOUNT_NANO, &whole, &rest);
    if (rest != 0) (void)amount_add(whole, amount_from(1), &whole); /* cannot overflow after the division */
    if (!amount_mul(whole, (uint64_t)AMOUNT_NANO, &out)) return a;
    return negative ? amount_neg(out) : out;
}

/* The amount that this search adds to `before`. */
static amount tentative(const search *x, enum ledger_kind kind, uint32_t id, amount before)
{
    amount sum = before;
    for (size_t i = 0; i < x->entry_count; i++) {
        if (x->entries[i].kind == (uint32_t)kind && x->entries[i].id == id)
            (void)amount_add(sum, x->entries[i].value, &sum);
    }
    return sum;
}

static bool consume(search *x, enum ledger_kind kind, uint32_t id, amount value)
{
    void *entries = x->entries;
    if (!grow(x->s->context, &entries, &x->entry_capacity, x->entry_count + 1, sizeof *x->entries))
        return mem_refused(&x->s->failed);
    x->entries = entries;
    x->entries[x->entry_count++] = (entry){ (uint32_t)kind, id, value };
    return true;
}

/* ---- counters (D7 step 2) ---------------------------------------------------------------------------------------- */

static const counted *counter_find(counted_list list, uint32_t id)
{
    for (uint32_t i = 0; i < list.count; i++) {
        if (list.items[i].id == id) return &list.items[i];
    }
    return NULL;
}

/* The amount of a counter that is left before this search. false = the counter is not defined. Only a type's own
 * devices can refer to undefined counters: a pool with such devices is invalid. */
static bool budget_left(const search *x, bool of_type, uint32_t id, amount *left)
{
    if (!of_type) {
        *left = x->d->remaining[id];
        return true;
    }
    const counted *total = counter_find(x->d->index->device_sets[x->device_set].counters, id);
    if (total == NULL) return false;
    return amount_sub(total->value, ledger_committed(x->a, x->index, OF_TYPE_COUNTER, id), left);
}

static bool counters_suffice(const search *x, const indexed_device *w)
{
    bool of_type = w->slice == NO_ID;
    for (uint32_t i = 0; i < w->consumes.count; i++) {
        amount left, after;
        if (!budget_left(x, of_type, w->consumes.items[i].id, &left)) return false;
        amount used = tentative(x, of_type ? OF_TYPE_COUNTER : OF_COUNTER, w->consumes.items[i].id, amount_from(0));
        if (!amount_sub(rounded(left), rounded(used), &after)) return false;
        if (amount_cmp(after, rounded(w->consumes.items[i].value)) < 0) return false;
    }
    return true;
}

/* Whether this search has used up a counter of the pool. Then none of its devices that consume counters is
 * considered. */
bool pool_exhausted(const search *x, uint32_t pool)
{
    for (size_t i = 0; i < x->entry_count; i++) {
        uint32_t id = x->entries[i].id;
        amount after;
        if (x->entries[i].kind != OF_COUNTER || x->d->counter_pool[id] != pool) continue;
        amount used = tentative(x, OF_COUNTER, id, amount_from(0));
        if (amount_sub(rounded(x->d->remaining[id]), rounded(used), &after) && amount_sign(after) <= 0) return true;
    }
    return false;
}

/* A lower bound before the search: mode All uses all devices or none. */
static bool all_feasible(const search *x, const live_claim *c, const live_request *r)
{
    id_list of_type = c->over_limit[x->index] ? (id_list){ NULL, 0 } : r->all_of_type[x->index];
    struct {
        const id_list *list;
        bool of_type;
    } parts[2] = { { &r->all, false }, { &of_type, true } };
    for (size_t p = 0; p < 2; p++) {
        for (uint32_t i = 0; i < parts[p].list->count; i++) {
            const indexed_device *w = &x->d->index->devices[parts[p].list->items[i]];
            for (uint32_t k = 0; k < w->consumes.count; k++) {
                amount left;
                uint32_t id = w->consumes.items[k].id;
                if (!budget_left(x, parts[p].of_type, id, &left)) return true; /* left to the search itself */
                for (uint32_t b = 0; b <= i; b++) {
                    const indexed_device *before = &x->d->index->devices[parts[p].list->items[b]];
                    for (uint32_t n = 0; n < before->consumes.count; n++) {
                        if (before->consumes.items[n].id == id &&
                            !amount_sub(left, before->consumes.items[n].value, &left))
                            return false;
                    }
                }
                if (amount_sign(left) < 0) return false;
            }
        }
    }
    return true;
}

bool all_devices_feasible(const search *x)
{
    for (uint32_t c = 0; c < x->a->claim_count; c++) {
        const live_claim *claim_ = &x->a->resource_claims[c];
        for (uint32_t r = 0; r < claim_->request_count; r++) {
            const live_request *request = &claim_->requests[r];
            bool any = request->alternative_count == 0 && (!request->given->all || all_feasible(x, claim_, request));
            for (uint32_t i = 0; i < request->alternative_count && !any; i++) {
                const live_request *one = &request->alternatives[i];
                any = !one->given->all || all_feasible(x, claim_, one);
            }
            if (!any) return false;
        }
    }
    return true;
}

/* ---- capacity (D8) ----------------------------------------------------------------------------------------------- */

/* min + ceil((requested − min) / step) · step, in integers; false = overflow. */
static bool round_to_step(amount requested, amount least, amount step, amount *out)
{
    int64_t a, m, p, over, up;
    if (!amount_scale(rounded(requested), amount_whole(1), &a) || !amount_scale(rounded(least), amount_whole(1), &m) ||
        !amount_scale(rounded(step), amount_whole(1), &p) || p <= 0 || __builtin_sub_overflow(a, m, &over)) {
        return false;
    }
    int64_t times = over / p + (over % p != 0);
    if (__builtin_mul_overflow(times, p, &up) || __builtin_add_overflow(m, up, &up)) return false;
    *out = amount_whole(up);
    return true;
}

static bool consumed_share(const device_capacity *c, const named_amount *requested, amount *out)
{
    const request_policy *p = c->policy;
    *out = requested != NULL ? requested->value : p != NULL && p->default_.given ? p->default_.value : c->value;
    if (requested == NULL || p == NULL) return true;
    if (p->has_range && p->minimum.given) {
        if (amount_cmp(requested->value, p->minimum.value) < 0) *out = p->minimum.value;
        else if (p->step.given) return round_to_step(requested->value, p->minimum.value, p->step.value, out);
        return true;
    }
    for (uint32_t i = 0; i < p->valid_count; i++) {
        if (amount_cmp(requested->value, p->valid[i]) > 0) continue;
        *out = p->valid[i];
        break;
    }
    return true;
}

static bool within_range(const request_policy *p, amount value)
{
    int64_t v, m = 0, step, over;
    if (p->maximum.given && amount_cmp(value, p->maximum.value) > 0) return false;
    if (!p->step.given) return true;
    if (!amount_scale(rounded(value), amount_whole(1), &v) ||
        !amount_scale(rounded(p->step.value), amount_whole(1), &step) || step == 0)
        return false;
    if (p->minimum.given && !amount_scale(rounded(p->minimum.value), amount_whole(1), &m)) return false;
    return !__builtin_sub_overflow(v, m, &over) && (step == -1 || over % step == 0);
}

static bool policy_allows(const request_policy *p, amount value)
{
    if (p == NULL || (p->default_.given && amount_cmp(value, p->default_.value) == 0)) return true;
    if (p->has_range) return within_range(p, value);
    for (uint32_t i = 0; i < p->valid_count; i++) {
        if (amount_cmp(value, p->valid[i]) == 0) return true;
    }
    return p->valid_count == 0;
}

static const named_amount *requested_amount(const live_request *r, uint32_t name)
{
    for (uint32_t i = 0; i < r->given->capacity.count; i++) {
        if (r->given->capacity.items[i].name == name) return &r->given->capacity.items[i];
    }
    return NULL;
}

static bool has_requested_capacity(const device *g, const live_request *r)
{
    for (uint32_t i = 0; i < r->given->capacity.count; i++) {
        uint32_t k = 0;
        while (k < g->capacity_count && g->capacity[k].name != r->given->capacity.items[i].name) k++;
        if (k == g->capacity_count) return false;
    }
    return true;
}

/* Adds the consumed capacity to the entries. After a failure the caller removes them again. */
static bool take_shares(search *x, const indexed_device *w, const live_request *r)
{
    const device *g = w->given;
    bool of_type = w->slice == NO_ID;
    enum ledger_kind kind = of_type ? OF_TYPE_DIMENSION : OF_DIMENSION;
    if (!has_requested_capacity(g, r)) return false;
    for (uint32_t i = 0; i < g->capacity_count; i++) {
        amount share, before = x->d->used[w->dimensions[i]];
        if (!consumed_share(&g->capacity[i], requested_amount(r, g->capacity[i].name), &share) ||
            !policy_allows(g->capacity[i].policy, share))
            return false;
        if (of_type) before = ledger_committed(x->a, x->index, kind, w->dimensions[i]);
        amount used = tentative(x, kind, w->dimensions[i], before);
        if (!amount_add(used, share, &used) || amount_cmp(used, g->capacity[i].value) > 0) return false;
        if (!consume(x, kind, w->dimensions[i], share)) return false;
    }
    return true;
}

/* ---- constraints ------------------------------------------------------------------------------------------------- */

bool constraint_applies(const live_constraint *c, const live_request *r)
{
    for (uint32_t i = 0; i < c->given->request_count; i++) {
        if (c->given->requests[i] == r->parent || c->given->requests[i] == r->given->full_name) return true;
    }
    return c->given->request_count == 0;
}

/* Finds an attribute by its full name, or by the part after the driver's own domain. */
const device_attribute *attribute_of(const scheduler *s, const indexed_device *w, uint32_t name)
{
    const device *g = w->given;
    karp_str full = text_of(s->snapshot, name), driver = text_of(s->snapshot, w->driver);
    for (uint32_t i = 0; i < g->attribute_count; i++) {
        if (g->attributes[i].name == name) return &g->attributes[i];
    }
    if (full.len <= driver.len || !str_has_prefix(full, driver) || full.ptr[driver.len] != '/') return NULL;
    karp_str own = { full.ptr + driver.len + 1, full.len - driver.len - 1 };
    for (uint32_t i = 0; i < g->attribute_count; i++) {
        if (equal_str(text_of(s->snapshot, g->attributes[i].name), own)) return &g->attributes[i];
    }
    return NULL;
}

static bool same_value(const device_attribute *a, const device_attribute *b)
{
    return a->kind == b->kind && a->text == b->text && a->number == b->number;
}

const binding *binding_of(const scheduler *s, const allocation *a, uint32_t index, uint32_t attribute,
                          uint32_t identity)
{
    uint32_t device_set = a->who.bindings[index];
    if (device_set == NO_ID) return NULL;
    const type_device_set *k = &s->devices->index->device_sets[device_set];
    for (uint32_t i = 0; i < k->binding_count; i++) {
        if (k->bindings[i].attribute == attribute && k->bindings[i].identity == identity) return &k->bindings[i];
    }
    return NULL;
}

static const binding *binding_find(const search *x, uint32_t attribute, uint32_t identity)
{
    return binding_of(x->s, x->a, x->index, attribute, identity);
}

static bool bound_to_first(const search *x, const live_constraint *c, uint32_t identity)
{
    const binding *one = binding_find(x, c->given->attribute, identity),
                  *first = binding_find(x, c->given->attribute, c->first);
    if (one == NULL || first == NULL) return false;
    return one->identity == first->identity ? one->size > 1 : one->group == first->group;
}

static bool constraint_add(const search *x, live_constraint *c, const indexed_device *w)
{
    const device_attribute *value = attribute_of(x->s, w, c->given->attribute);
    if (value != NULL) {
        if (c->bound || (c->count > 0 && !same_value(c->value, value))) return false;
        if (c->count == 0) c->value = value;
    } else {
        if ((c->count > 0 && !c->bound) || binding_find(x, c->given->attribute, w->identity) == NULL) return false;
        if (c->count > 0 && !bound_to_first(x, c, w->identity)) return false;
        c->bound = true;
    }
    if (c->count == 0) c->first = w->identity;
    c->count++;
    return true;
}

static void constraint_remove(live_constraint *c)
{
    c->count--;
    if (c->count > 0) return;
    c->value = NULL;
    c->bound = false;
}

static void remove_constraints(live_claim *c, const live_request *r, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (constraint_applies(&c->constraints[i], r)) constraint_remove(&c->constraints[i]);
    }
}

static bool add_constraints(const search *x, live_claim *c, const live_request *r, const indexed_device *w)
{
    for (uint32_t i = 0; i < c->constraint_count; i++) {
        if (!constraint_applies(&c->constraints[i], r) || constraint_add(x, &c->constraints[i], w)) continue;
        remove_constraints(c, r, i);
        return false;
    }
    return true;
}

/* ---- one device -------------------------------------------------------------------------------------------------- */

static bool chosen_already(const search *x, uint32_t number)
{
    const indexed_device *w = x->d->index->devices;
    for (uint32_t i = 0; i < x->device_count; i++) {
        const indexed_device *other = &w[x->devices[i].device];
        if (other->identity == w[number].identity && (other->slice == NO_ID) == (w[number].slice == NO_ID)) return true;
    }
    return false;
}

static bool available(search *x, uint32_t number, const live_request *r)
{
    const indexed_device *w = &x->d->index->devices[number];
    if (w->given->shared) return take_shares(x, w, r);
    return device_free(x->d, x->a, x->index, w) && !chosen_already(x, number);
}

/* Narrows the requirements and the pools to where the device can be reached. */
static bool follow_topology(search *x, search_frame *f, const indexed_device *w)
{
    const indexed_slice *from = w->slice == NO_ID ? NULL : &x->d->index->slices[w->slice];
    f->set = x->set;
    if (from == NULL || !from->has_topology) return true;
    if (!reaches(x->s, &x->a->who, x->set, from->topology)) return false;
    x->set = set_meet(&x->s->algebra, x->set, from->topology.set);
    if (x->set == x->pools_set) return true;
    x->pools_set = x->set;
    if (!pools_filter(x->s, x->pools, &x->a->who, x->set, &x->pools)) x->s->failed = true;
    return !x->s->failed;
}

/* What Karpenter remembers of selectors depends on which devices it asks them about: those that are available. */
static bool can_be_taken(search *x, uint32_t number, const live_request *r)
{
    const indexed_device *w = &x->d->index->devices[number];
    if (!answers_kept(x->s, number))
        return device_matches(x->s, number, r) == CEL_YES && available(x, number, r) && counters_suffice(x, w);
    return available(x, number, r) && counters_suffice(x, w) && answers_visit(x->s, number, r) == CEL_YES;
}

bool note_visit(search *x, search_frame *f, uint32_t number)
{
    size_t entries = x->entry_count;
    bool could = can_be_taken(x, number, request_at(x, &f->at));
    x->entry_count = entries;
    return could && !x->s->failed;
}

bool add_device(search *x, search_frame *f, uint32_t number)
{
    const live_request *r = request_at(x, &f->at);
    live_claim *c = &x->a->resource_claims[f->at.claim];
    const indexed_device *w = &x->d->index->devices[number];
    x->s->round.steps++;
    f->entries = (uint32_t)x->entry_count;
    bool ok = can_be_taken(x, number, r) && !x->s->failed && add_constraints(x, c, r, w);
    if (ok && !follow_topology(x, f, w)) {
        remove_constraints(c, r, c->constraint_count);
        ok = false;
    }
    for (uint32_t i = 0; ok && i < w->consumes.count; i++) {
        ok = consume(x, w->slice == NO_ID ? OF_TYPE_COUNTER : OF_COUNTER, w->consumes.items[i].id,
                     w->consumes.items[i].value);
    }
    if (!ok) {
        x->entry_count = f->entries;
        return false;
    }
    x->d->search_steps++;
    f->taken = true;
    f->device = number;
    x->devices[x->device_count++] = (chosen){ f->at.claim, number, r->given };
    return true;
}

void remove_device(search *x, search_frame *f)
{
    live_claim *c = &x->a->resource_claims[f->at.claim];
    if (!f->taken) return;
    f->taken = false;
    x->device_count--;
    x->entry_count = f->entries;
    x->set = f->set;
    x->pools = f->pools;
    x->pools_set = f->pools_set;
    arena_release(&x->d->scratch, f->scratch);
    remove_constraints(c, request_at(x, &f->at), c->constraint_count);
}
