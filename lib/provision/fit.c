/* SPDX-License-Identifier: Apache-2.0 */
/*
 * karp_fit(). A run is a number of nodes with equal contents. Copies try the runs in order (fit_order). A run is
 * split when only some of its nodes receive copies, so that the work does not grow with the counts. While a group is
 * placed, its changes are logged, and undone if one of its copies cannot be placed.
 */
#include <base/context.h>
#include <base/error.h>
#include <base/sort.h>
#include <math.h>
#include <model/selector.h>
#include <optimise/fit_cost.h>
#include <schedule/fit.h>

enum { FIT_POLL_EVERY = 1024 };
#define OPTIMAL_GAP 1e-9 /* rounding errors of sums of prices */

/* Copies that a node received, in a list with the newest first. Runs share the older part after a split. */
typedef struct link {
    uint64_t copies;
    uint32_t demand, before; /* NO_ID = none */
} link;

typedef struct run {
    uint64_t nodes;
    uint32_t source;
    uint32_t links; /* the newest, NO_ID = none */
    bool fixed; /* exists in any case */
} run;

typedef struct left {
    uint64_t copies;
    uint32_t reason;
} left;

typedef struct fitter {
    karp_context *context;
    const karp_fit_request *request;
    fit_input in;
    LIST_OF(run) runs;
    fit_order order;
    LIST_OF(link) links;
    uint64_t *launched; /* by source */
    uint64_t launched_all;
    bool *suits; /* by source: the current demand's selector selects it, if there is a selector */
    left *lefts; /* by demand */
    /* While a group is placed. */
    size_t kept_runs; /* number of runs before the group; 0 = no group */
    LIST_OF(struct change {
        run old;
        uint32_t run;
    })
    changes;
    LIST_OF(int64_t) old_space;
    uint64_t *launched_before;
    fit_purchase purchase; /* for the objective COST */
    uint64_t steps, polled_at; /* polled_at: number of polls of should_stop */
    karp_status status;
} fitter;

struct karp_fitting {
    karp_context *context; /* one reference */
    arena data;
    double cost;
    bool costed; /* the objective was COST */
    karp_cost figures;
    uint64_t *launches;
    size_t type_count, load_count, left_count;
    karp_fit_load *loads;
    karp_fit_left *lefts;
};

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* Logs a run before it changes. Runs that the group added are removed with it and need no record. */
static bool log_change(fitter *f, uint32_t r)
{
    if (r >= f->kept_runs) return true;
    struct change *c = list_push(f->context, &f->changes, sizeof *c);
    if (c != NULL) *c = (struct change){ f->runs.items[r], r };
    else f->status = KARP_E_NOMEM;
    for (uint32_t d = 0; d < f->in.dims && f->status == KARP_OK; d++) {
        int64_t *place = list_push(f->context, &f->old_space, sizeof *place);
        if (place != NULL) *place = order_space(&f->order, r)[d];
        else f->status = KARP_E_NOMEM;
    }
    return f->status == KARP_OK;
}

/* Appends a run; NO_ID = out of memory. */
static uint32_t add_run(fitter *f, run fresh, const int64_t *space)
{
    run *r = list_push(f->context, &f->runs, sizeof *r);
    if (r != NULL && order_append(&f->order, space)) {
        *r = fresh;
        return (uint32_t)(f->runs.count - 1);
    }
    f->status = KARP_E_NOMEM;
    return NO_ID;
}

/* Splits a run: all but its first `nodes` nodes become the next run. */
static bool split(fitter *f, uint32_t r, uint64_t nodes)
{
    run *rest = list_push(f->context, &f->runs, sizeof *rest);
    if (rest == NULL || !order_split(&f->order, r)) {
        f->status = KARP_E_NOMEM;
        return false;
    }
    *rest = f->runs.items[r];
    rest->nodes -= nodes;
    f->runs.items[r].nodes = nodes;
    return true;
}

/* Adds `copies` copies of a demand to each of the run's first `nodes` nodes. Other nodes become the next run. */
static bool load(fitter *f, uint32_t r, uint64_t nodes, uint32_t demand, uint64_t copies)
{
    if (!log_change(f, r)) return false;
    if (nodes < f->runs.items[r].nodes && !split(f, r, nodes)) return false;
    /* never: so many links do not fit into memory */
    link *l = f->links.count < NO_ID - 1 ? list_push(f->context, &f->links, sizeof *l) : NULL;
    if (l == NULL) {
        f->status = KARP_E_NOMEM;
        return false;
    }
    *l = (link){ copies, demand, f->runs.items[r].links };
    f->runs.items[r].links = (uint32_t)(f->links.count - 1);
    order_take(&f->order, r, f->in.demands[demand].need, copies);
    return true;
}

/* ---- one demand -------------------------------------------------------------------------------------------------- */

/* The number of copies that fit on a node; UINT64_MAX = any number. */
static uint64_t takes(const fitter *f, const int64_t *space, const fit_demand *d)
{
    uint64_t most = d->most_per_node;
    for (uint32_t i = 0; i < f->in.dims && most > 0; i++) {
        if (d->need[i] == 0) continue;
        uint64_t fit = (uint64_t)(space[i] / d->need[i]);
        most = fit < most ? fit : most;
    }
    return most;
}

static bool suits(const fitter *f, const fit_demand *d, uint32_t source)
{
    return d->selects == NULL || f->suits[source];
}

static bool stopped(fitter *f)
{
    uint64_t due = (++f->steps + f->order.seen) / FIT_POLL_EVERY;
    if (due == f->polled_at || f->request->should_stop == NULL) return false;
    f->polled_at = due;
    if (f->request->should_stop(f->request->stop_user) == 0) return false;
    f->status = KARP_E_CANCELED;
    return true;
}

/* Places up to *wanted copies on a run. Returns the last run that was split off, after which the search continues. */
static uint32_t fill_run(fitter *f, uint32_t r, uint32_t demand, uint64_t each, uint64_t *wanted)
{
    uint64_t full = *wanted / each; /* NOLINT(clang-analyzer-core.DivideZero): the caller has found space for one */
    if (full > f->runs.items[r].nodes) full = f->runs.items[r].nodes;
    if (full > 0) {
        bool some_stay = full < f->runs.items[r].nodes;
        if (!load(f, r, full, demand, each)) return NO_ID;
        *wanted -= full * each;
        if (!some_stay) return r;
        r = order_next(&f->order, r);
    }
    if (*wanted == 0) return r; /* fewer than fit on a node */
    if (!load(f, r, 1, demand, *wanted)) return NO_ID;
    *wanted = 0;
    return r;
}

/* The type whose next node has the lowest price per copy; NO_ID = none may be launched. */
static uint32_t cheapest(const fitter *f, const fit_demand *d, uint64_t wanted, uint64_t *each)
{
    uint32_t best = NO_ID;
    if (f->launched_all >= f->in.most_launched) return NO_ID;
    for (uint32_t s = f->in.node_count; s < f->in.source_count; s++) {
        const fit_source *type = &f->in.sources[s];
        if (!suits(f, d, s) || f->launched[s] >= type->most) continue;
        uint64_t fit = takes(f, type->space, d);
        if (fit > wanted) fit = wanted;
        if (fit == 0) continue;
        if (best != NO_ID) {
            double mine = type->price * (double)*each, other = f->in.sources[best].price * (double)fit;
            if (mine > other || (mine >= other && fit <= *each)) continue;
        }
        best = s;
        *each = fit;
    }
    return best;
}

static void launch_for(fitter *f, uint32_t demand, uint64_t *wanted)
{
    const fit_demand *d = &f->in.demands[demand];
    while (*wanted > 0 && !stopped(f)) {
        uint64_t each = 0;
        uint32_t source = cheapest(f, d, *wanted, &each);
        if (source == NO_ID) return;
        const fit_source *type = &f->in.sources[source];
        uint64_t nodes = *wanted / each, may = type->most - f->launched[source],
                 all = f->in.most_launched - f->launched_all;
        if (nodes > may) nodes = may;
        if (nodes > all) nodes = all;
        uint32_t r = add_run(f, (run){ .nodes = nodes, .source = source, .links = NO_ID }, type->space);
        if (r == NO_ID || !load(f, r, nodes, demand, each)) return;
        f->launched[source] += nodes;
        f->launched_all += nodes;
        *wanted -= nodes * each;
    }
}

static uint64_t place(fitter *f, uint32_t demand)
{
    const fit_demand *d = &f->in.demands[demand];
    uint64_t wanted = d->count;
    for (uint32_t s = 0; s < f->in.source_count && d->selects != NULL; s++)
        f->suits[s] = selector_selects(d->selects, f->in.sources[s].labels);
    uint32_t r = NO_ID;
    while (wanted > 0 && !stopped(f)) {
        r = order_find(&f->order, r, d->need);
        if (r == NO_ID) break;
        if (!suits(f, d, f->runs.items[r].source)) continue;
        r = fill_run(f, r, demand, takes(f, order_space(&f->order, r), d), &wanted);
        if (r == NO_ID) return wanted;
    }
    if (f->status == KARP_OK) launch_for(f, demand, &wanted);
    return wanted;
}

/* The reason why copies of the current demand, for which suits[] is up to date, could not be placed. */
static uint32_t reason_of(const fitter *f, const fit_demand *d)
{
    uint32_t reason = KARP_FIT_SELECTOR;
    for (uint32_t s = 0; s < f->in.source_count; s++) {
        if (!suits(f, d, s)) continue;
        if (takes(f, f->in.sources[s].space, d) > 0) return KARP_FIT_FULL;
        reason = KARP_FIT_TOO_LARGE;
    }
    return reason;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static void begin_group(fitter *f)
{
    f->kept_runs = f->runs.count;
    f->changes.count = 0;
    f->old_space.count = 0;
    memcpy(f->launched_before, f->launched, f->in.source_count * sizeof *f->launched);
}

static void undo_group(fitter *f, size_t runs, size_t links)
{
    while (f->runs.count > runs) {
        order_drop(&f->order);
        f->runs.count--;
    }
    for (size_t i = f->changes.count; i-- > 0;) {
        const struct change *c = &f->changes.items[i];
        f->runs.items[c->run] = c->old;
        order_restore(&f->order, c->run, f->old_space.items + i * f->in.dims);
    }
    f->links.count = links;
    memcpy(f->launched, f->launched_before, f->in.source_count * sizeof *f->launched);
}

static void place_group(fitter *f, const uint32_t *members, uint32_t count)
{
    size_t runs = f->runs.count, links = f->links.count;
    uint64_t launched_all = f->launched_all;
    bool whole = true;
    begin_group(f);
    /* All members are tried, so that each member that can never be placed is reported. */
    for (uint32_t i = 0; i < count && f->status == KARP_OK; i++) {
        const fit_demand *d = &f->in.demands[members[i]];
        f->lefts[members[i]] = (left){ d->count, KARP_FIT_GROUP };
        if (place(f, members[i]) == 0 || f->status != KARP_OK) continue;
        f->lefts[members[i]].reason = reason_of(f, d);
        whole = false;
    }
    f->kept_runs = 0;
    if (f->status != KARP_OK) return;
    if (!whole) {
        undo_group(f, runs, links);
        f->launched_all = launched_all;
    }
    for (uint32_t i = 0; i < count && whole; i++) f->lefts[members[i]].copies = 0;
}

/* ---- all demands ------------------------------------------------------------------------------------------------- */

static int by_size(uint32_t x, uint32_t y, const void *user)
{
    const fit_input *in = user;
    const fit_demand *a = &in->demands[x], *b = &in->demands[y];
    amount mine, other;
    if (a->priority != b->priority) return a->priority > b->priority ? -1 : 1;
    (void)amount_mul(amount_from(a->part), (uint64_t)b->whole, &mine); /* below 2^122 */
    (void)amount_mul(amount_from(b->part), (uint64_t)a->whole, &other);
    return -amount_cmp(mine, other);
}

/* Moves all demands of a group to the position of the first one; `next` links them. */
static bool link_groups(fitter *f, const uint32_t *order, uint32_t *next)
{
    map64 foremost;
    bool done = true;
    map64_init(&foremost, f->context);
    for (uint32_t i = f->in.demand_count; i-- > 0 && done;) {
        uint32_t group = f->in.demands[order[i]].group;
        next[i] = NO_ID;
        if (group == 0) continue;
        next[i] = map64_get(&foremost, group);
        done = map64_put(&foremost, group, i);
    }
    map64_free(&foremost);
    if (!done) f->status = KARP_E_NOMEM;
    return done;
}

static void place_all(fitter *f)
{
    uint32_t n = f->in.demand_count;
    uint32_t *order = arena_array(&f->in.data, n, sizeof *order), *next = arena_array(&f->in.data, n, sizeof *next);
    uint32_t *members = arena_array(&f->in.data, n, sizeof *members);
    bool *done = arena_array(&f->in.data, n, sizeof *done);
    if (order == NULL || next == NULL || members == NULL || done == NULL) {
        f->status = KARP_E_NOMEM;
        return;
    }
    for (uint32_t i = 0; i < n; i++) order[i] = i;
    if (!sort_ids(f->context, order, n, by_size, &f->in)) f->status = KARP_E_NOMEM;
    if (f->status != KARP_OK || !link_groups(f, order, next)) return;
    for (uint32_t i = 0; i < n && f->status == KARP_OK; i++) {
        uint32_t demand = order[i], count = 0;
        if (done[i]) continue;
        if (f->in.demands[demand].group == 0) {
            uint64_t copies = place(f, demand);
            f->lefts[demand] = (left){ copies, copies > 0 ? reason_of(f, &f->in.demands[demand]) : 0 };
            continue;
        }
        for (uint32_t k = i; k != NO_ID; k = next[k]) {
            members[count++] = order[k];
            done[k] = true;
        }
        place_group(f, members, count);
    }
}

/* Existing nodes, and those that are launched in any case. */
static void begin_runs(fitter *f)
{
    for (uint32_t s = 0; s < f->in.source_count && f->status == KARP_OK; s++) {
        const fit_source *source = &f->in.sources[s];
        uint64_t nodes = s < f->in.node_count ? source->most : source->least;
        if (nodes == 0) continue;
        (void)add_run(f, (run){ .nodes = nodes, .source = s, .links = NO_ID, .fixed = true }, source->space);
        if (s < f->in.node_count) continue;
        f->launched[s] = nodes;
        f->launched_all += nodes;
    }
}

/* ---- the least cost ---------------------------------------------------------------------------------------------- */

static double price_of_launches(const fitter *f)
{
    double sum = 0;
    for (uint32_t s = f->in.node_count; s < f->in.source_count; s++)
        sum += f->in.sources[s].price * (double)f->launched[s];
    return sum;
}

/* By demand: the copies that were placed, and those of them on nodes launched for copies. */
static bool count_placed(fitter *f, fit_purchase *p)
{
    uint64_t *placed = arena_array(&f->in.data, f->in.demand_count + (size_t)1, sizeof *placed);
    uint64_t *bought = arena_array(&f->in.data, f->in.demand_count + (size_t)1, sizeof *bought);
    uint64_t *launched = arena_array(&f->in.data, f->in.source_count + (size_t)1, sizeof *launched);
    if (placed == NULL || bought == NULL || launched == NULL) return false;
    for (uint32_t d = 0; d < f->in.demand_count; d++) placed[d] = f->in.demands[d].count - f->lefts[d].copies;
    for (uint32_t s = f->in.node_count; s < f->in.source_count; s++)
        launched[s] = f->launched[s] - f->in.sources[s].least;
    for (size_t r = 0; r < f->runs.count; r++) {
        const run *x = &f->runs.items[r];
        for (uint32_t l = x->fixed ? NO_ID : x->links; l != NO_ID; l = f->links.items[l].before)
            bought[f->links.items[l].demand] += f->links.items[l].copies * x->nodes;
    }
    p->placed = placed;
    p->bought = bought;
    p->launched = launched;
    return true;
}

/* Replaces the nodes that the rules launched for copies by the cheapest ones. */
static karp_status buy_cheaper(fitter *f, karp_error *error)
{
    fit_purchase *p = &f->purchase;
    *p = (fit_purchase){ .context = f->context, .request = f->request, .in = &f->in, .data = &f->in.data };
    double cost = price_of_launches(f);
    p->cost = (karp_cost){
        .size = sizeof p->cost, .cost = cost, .compatible_cost = cost, .effort = f->request->effort
    };
    p->cost.compatible_launches = f->launched_all < UINT32_MAX ? (uint32_t)f->launched_all : UINT32_MAX;
    if (!count_placed(f, p)) return fail_nomem(error);
    karp_status status = isfinite(cost) ? fit_for_cost(p, error) : KARP_OK;
    for (uint32_t s = f->in.node_count; status == KARP_OK && p->count > 0 && s < f->in.source_count; s++)
        f->launched[s] = f->in.sources[s].least;
    for (size_t i = 0; status == KARP_OK && i < p->count; i++) f->launched[p->list[i].source] += p->list[i].nodes;
    if (p->cost.bound > p->cost.cost && p->cost.bound <= p->cost.cost * (1 + 1e-12))
        p->cost.bound = p->cost.cost; /* differences within rounding errors */
    double above = p->cost.cost - p->cost.bound;
    p->cost.gap = !(p->cost.cost > 0) ? 0 : p->cost.bound > 0 ? above / p->cost.bound : -1;
    p->cost.optimal = p->cost.gap >= 0 && p->cost.gap <= OPTIMAL_GAP;
    return status;
}

#ifdef KARP_NO_COST
karp_status fit_for_cost(fit_purchase *p, karp_error *error)
{
    (void)p;
    return fail(error, KARP_E_UNSUPPORTED, "this build of libkarp makes no cost plans");
}
#endif

/* ---- the result -------------------------------------------------------------------------------------------------- */

static bool show_shares(const fitter *f, karp_fitting *out, uint32_t newest, karp_fit_load *shown)
{
    size_t count = 0;
    for (uint32_t l = newest; l != NO_ID; l = f->links.items[l].before) count++;
    karp_fit_share *shares = arena_array(&out->data, count, sizeof *shares);
    if (shares == NULL) return false;
    shown->shares = shares;
    shown->share_count = count;
    for (uint32_t l = newest; l != NO_ID; l = f->links.items[l].before) {
        shares[--count] = (karp_fit_share){ .copies = f->links.items[l].copies, .demand = f->links.items[l].demand };
    }
    return true;
}

/* Reports the purchased nodes instead of those that the rules launched. */
static bool show_purchase(const fitter *f, karp_fitting *out)
{
    for (size_t i = 0; i < f->purchase.count; i++) {
        const fit_bought *from = &f->purchase.list[i];
        karp_fit_share *shares = arena_array(&out->data, from->copies_count + 1, sizeof *shares);
        if (shares == NULL) return false;
        for (size_t k = 0; k < from->copies_count; k++)
            shares[k] = (karp_fit_share){ .copies = from->copies[k].copies, .demand = from->copies[k].demand };
        out->loads[out->load_count++] = (karp_fit_load){ .size = sizeof *out->loads,
                                                         .launched = 1,
                                                         .nodes = from->nodes,
                                                         .index = from->source - f->in.node_count,
                                                         .shares = shares,
                                                         .share_count = from->copies_count };
    }
    return true;
}

static bool show_loads(const fitter *f, karp_fitting *out)
{
    out->loads = arena_array(&out->data, f->runs.count + f->purchase.count, sizeof *out->loads);
    if (out->loads == NULL) return false;
    for (uint32_t r = order_next(&f->order, NO_ID); r != NO_ID; r = order_next(&f->order, r)) {
        const run *from = &f->runs.items[r];
        bool launched = from->source >= f->in.node_count;
        if ((!launched && from->links == NO_ID) || (f->purchase.count > 0 && !from->fixed)) continue;
        karp_fit_load *shown = &out->loads[out->load_count++];
        *shown = (karp_fit_load){ .size = sizeof *shown,
                                  .launched = launched,
                                  .nodes = from->nodes,
                                  .index = launched ? from->source - f->in.node_count : from->source };
        if (!show_shares(f, out, from->links, shown)) return false;
    }
    return show_purchase(f, out);
}

/* A copy of a group cannot be placed if some other member never can. */
static bool show_lefts(const fitter *f, karp_fitting *out)
{
    map64 hopeless;
    bool done = true;
    map64_init(&hopeless, f->context);
    for (uint32_t d = 0; d < f->in.demand_count && done; d++) {
        uint32_t reason = f->lefts[d].reason;
        bool never = f->lefts[d].copies > 0 && (reason == KARP_FIT_SELECTOR || reason == KARP_FIT_TOO_LARGE);
        if (never && f->in.demands[d].group != 0) done = map64_put(&hopeless, f->in.demands[d].group, 1);
    }
    out->lefts = done ? arena_array(&out->data, f->in.demand_count, sizeof *out->lefts) : NULL;
    for (uint32_t d = 0; d < f->in.demand_count && out->lefts != NULL; d++) {
        const left *l = &f->lefts[d];
        uint32_t group = f->in.demands[d].group;
        if (l->copies == 0) continue;
        bool never = l->reason == KARP_FIT_SELECTOR || l->reason == KARP_FIT_TOO_LARGE ||
                     (group != 0 && map64_get(&hopeless, group) != NO_ID);
        out->lefts[out->left_count++] = (karp_fit_left){
            .size = sizeof *out->lefts, .copies = l->copies, .demand = d, .reason = l->reason, .permanent = never
        };
    }
    map64_free(&hopeless);
    return out->lefts != NULL;
}

static karp_status show(const fitter *f, karp_fitting **out, karp_error *error)
{
    karp_fitting *p = made_new(f->context, sizeof *p);
    if (p == NULL) return fail_nomem(error);
    p->type_count = f->in.source_count - f->in.node_count;
    p->launches = arena_copy(&p->data, f->launched + f->in.node_count, p->type_count * sizeof *p->launches);
    p->cost = price_of_launches(f);
    p->costed = f->request->objective == KARP_OBJECTIVE_COST;
    p->figures = f->purchase.cost;
    karp_status status = KARP_OK;
    if (p->launches == NULL || !show_loads(f, p) || !show_lefts(f, p)) status = fail_nomem(error);
    else if (!isfinite(p->cost))
        status = fail(error, KARP_E_RANGE, "the price of all launches is more than a double can hold");
    if (status == KARP_OK) *out = p;
    else karp_fitting_free(p);
    return status;
}

static void fitter_free(fitter *f)
{
    list_free(f->context, &f->runs, sizeof(run));
    order_free(&f->order);
    list_free(f->context, &f->links, sizeof(link));
    list_free(f->context, &f->changes, sizeof(struct change));
    list_free(f->context, &f->old_space, sizeof(int64_t));
    fit_input_free(&f->in);
}

static karp_status run_fit(fitter *f, karp_fitting **out, karp_error *error)
{
    uint32_t n = f->in.source_count;
    f->launched = arena_array(&f->in.data, n, sizeof *f->launched);
    f->launched_before = arena_array(&f->in.data, n, sizeof *f->launched);
    f->suits = arena_array(&f->in.data, n, sizeof *f->suits);
    f->lefts = arena_array(&f->in.data, f->in.demand_count, sizeof *f->lefts);
    if (f->launched == NULL || f->launched_before == NULL || f->suits == NULL || f->lefts == NULL)
        return fail_nomem(error);
    order_init(&f->order, f->context, f->in.dims);
    begin_runs(f);
    if (f->status == KARP_OK) place_all(f);
    if (f->status == KARP_E_NOMEM) return fail_nomem(error);
    if (f->status == KARP_E_CANCELED) return fail(error, KARP_E_CANCELED, "stopped on request");
    karp_status status = f->request->objective == KARP_OBJECTIVE_COST ? buy_cheaper(f, error) : KARP_OK;
    return status == KARP_OK ? show(f, out, error) : status;
}

karp_status karp_fit(karp_context *context, const karp_fit_request *request, karp_fitting **out, karp_error *error)
{
    if (context == NULL || request == NULL || out == NULL)
        return fail(error, KARP_E_INVALID, "a context, a request and a place for the answer are needed");
    karp_fit_request checked;
    karp_status status = struct_check(request, sizeof checked, SIZE_THROUGH(karp_fit_request, stop_user), &checked,
                                      "karp_fit_request", error);
    if (status != KARP_OK) return status;
    if (checked.objective > KARP_OBJECTIVE_COST)
        return fail(error, KARP_E_INVALID, "unknown objective %u", (unsigned)checked.objective);
    if (checked.reserved != 0) return fail_reserved(error, "karp_fit_request");
    fitter f = { .context = context, .request = &checked, .order = { .context = context } };
    status = fit_input_read(&f.in, context, &checked, error);
    if (status == KARP_OK) status = run_fit(&f, out, error);
    fitter_free(&f);
    return context_refusal(context, status, error);
}

void karp_fit_request_init(karp_fit_request *request, size_t size)
{
    const karp_fit_request fresh = { .effort = KARP_EFFORT_100MS };
    struct_start(request, size, &fresh, sizeof fresh);
}

const char *karp_fit_reason_name(uint32_t reason)
{
    static const char *const names[] = { "", "SELECTOR", "TOO_LARGE", "FULL", "GROUP" };
    return reason < sizeof names / sizeof *names ? names[reason] : "";
}

void karp_fitting_free(karp_fitting *fitting)
{
    if (fitting == NULL) return;
    made_free(fitting, sizeof *fitting);
}

uint64_t karp_fitting_launches(const karp_fitting *fitting, size_t type)
{
    return type < fitting->type_count ? fitting->launches[type] : 0;
}
double karp_fitting_cost(const karp_fitting *fitting) { return fitting->cost; }

karp_status karp_fitting_objective(const karp_fitting *fitting, karp_cost *out)
{
    if (out == NULL) return KARP_E_INVALID;
    if (!fitting->costed) return KARP_E_NOT_FOUND;
    return struct_give(out, &fitting->figures, sizeof *out, SIZE_THROUGH(karp_cost, flags));
}

size_t karp_fitting_load_count(const karp_fitting *fitting) { return fitting->load_count; }
size_t karp_fitting_left_count(const karp_fitting *fitting) { return fitting->left_count; }

karp_status karp_fitting_load(const karp_fitting *fitting, size_t index, karp_fit_load *out)
{
    if (out == NULL) return KARP_E_INVALID;
    if (index >= fitting->load_count) return KARP_E_NOT_FOUND;
    return struct_give(out, &fitting->loads[index], sizeof *out, SIZE_THROUGH(karp_fit_load, share_count));
}

karp_status karp_fitting_left(const karp_fitting *fitting, size_t index, karp_fit_left *out)
{
    if (out == NULL) return KARP_E_INVALID;
    if (index >= fitting->left_count) return KARP_E_NOT_FOUND;
    return struct_give(out, &fitting->lefts[index], sizeof *out, SIZE_THROUGH(karp_fit_left, reserved));
}
