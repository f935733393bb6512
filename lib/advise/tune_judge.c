/* SPDX-License-Identifier: Apache-2.0 */
/* Results of designs, and how they compare. */
#include <advise/tune.h>

#include <karp/inspect.h>
#include <karp/library.h>
#include <math.h>

/* ---- results ----------------------------------------------------------------------------------------------------- */

/* Sums of the same prices in another order are equal. */
static double rounded(double value) { return round(value * 1e9) / 1e9; }

static void add_node(karp_tune_design *r, karp_str capacity_type, double price)
{
    r->nodes++;
    r->cost += price;
    if (str_is(capacity_type, "spot")) r->exposure += price;
}

static karp_status count_nodes(const karp_decision *last, karp_tune_design *r)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < karp_decision_node_count(last) && !status; i++) {
        karp_node_use n = { .size = sizeof n };
        status = karp_decision_node(last, i, &n);
        if (!status && !n.marked) add_node(r, n.capacity_type, n.price);
    }
    /* Where it has not settled. */
    for (size_t i = 0; i < karp_decision_launch_count(last) && !status; i++) {
        karp_launch l = { .size = sizeof l };
        status = karp_decision_launch(last, i, &l);
        if (!status) add_node(r, l.choice.capacity_type, l.choice.price);
    }
    return status;
}

static karp_status find(karp_tune *t, size_t design, tune_design **out, karp_error *error)
{
    if (design >= t->design_count) return fail(error, KARP_E_NOT_FOUND, "no such design");
    *out = &t->designs[design];
    return KARP_OK;
}

static void keep(tune_design *d, karp_tune_design r)
{
    r.size = sizeof r;
    r.changes = d->result.changes;
    r.known = 1;
    r.cost = rounded(r.cost);
    r.exposure = rounded(r.exposure);
    r.restarts = rounded(r.restarts);
    d->result = r;
}

karp_status tune_add_settlement(karp_tune *t, karp_tune_design *sum, const karp_settlement *settlement,
                                karp_error *error)
{
    const karp_decision *last = karp_settlement_last(settlement);
    karp_settle_round round = { .size = sizeof round };
    double share = 0;
    sum->left += karp_decision_pods_left(last);
    sum->unpriced += karp_decision_unpriced_count(last);
    for (size_t i = 0; karp_settlement_round(settlement, i, &round) == KARP_OK; i++)
        sum->evictions += round.removed_count;
    karp_status status = count_nodes(last, sum);
    if (status) return fail(error, status, "the nodes of the settled cluster cannot be read");
    status = tune_spot_share(t->context, settlement, &share, error);
    if (share > sum->spot_share) sum->spot_share = share;
    return karp_context_refusal(t->context, status, error);
}

void tune_set_sum(karp_tune *t, size_t design, karp_tune_design sum, size_t loads)
{
    sum.cost /= (double)loads;
    sum.exposure /= (double)loads;
    keep(&t->designs[design], sum);
}

karp_status karp_tune_set_settlement(karp_tune *tune, size_t design, const karp_settlement *settlement,
                                     karp_error *error)
{
    if (!tune || !settlement) return fail_null(error, "tune or settlement");
    karp_tune_design sum = { .size = sizeof sum };
    tune_design *d = NULL;
    karp_status status = find(tune, design, &d, error);
    if (!status) status = tune_add_settlement(tune, &sum, settlement, error);
    if (!status) keep(d, sum);
    return status;
}

/* ---- replays ----------------------------------------------------------------------------------------------------- */

static uint64_t count_in(const tree *policy, const char *name)
{
    int64_t value = 0;
    return tree_integer(tree_get(policy, name), &value) && value > 0 ? (uint64_t)value : 0;
}

/* Hours of running pods: each point counts until the next. */
static double pod_hours(const tree *series)
{
    const tree *times = tree_get(series, "time"), *pods = tree_get(series, "pods");
    double sum = 0, from, to, count;
    for (size_t i = 0; i + 1 < tree_count(times); i++) {
        if (tree_double(tree_item(times, i), &from) && tree_double(tree_item(times, i + 1), &to) &&
            tree_double(tree_item(pods, i), &count))
            sum += count * (to - from) / 3600;
    }
    return sum;
}

static double hours_of(const tree *series)
{
    const tree *times = tree_get(series, "time");
    double begins = 0, ends = 0;
    (void)tree_double(tree_item(times, 0), &begins);
    if (tree_count(times) > 0) (void)tree_double(tree_item(times, tree_count(times) - 1), &ends);
    return (ends - begins) / 3600;
}

/* What restarts of pods cost: the work that each loses, at the price of the work of all. */
static double restarts_of(const karp_tune *t, const tree *policy, double dollars)
{
    double hours = t->restart_loss > 0 ? pod_hours(tree_get(policy, "series")) : 0;
    double restarts = (double)(count_in(policy, "evictions") + count_in(policy, "killedPods"));
    return hours > 0 ? restarts * ((double)t->restart_loss / 3.6e12) * dollars / hours : 0;
}

static karp_status read_figures(const karp_tune *t, const tree *replay, karp_tune_design *r, karp_error *error)
{
    const tree *policies = tree_get(replay, "policies"), *one = tree_item(policies, 0);
    if (!str_is(tree_get_text(replay, "kind"), "Replay") || tree_count(policies) != 1 ||
        !tree_double(tree_get(one, "dollars"), &r->cost))
        return fail(error, KARP_E_INVALID, "the result is not a Replay of one policy");
    (void)tree_double(tree_get(tree_get(one, "pendingSeconds"), "p99"), &r->pending);
    r->evictions = count_in(one, "evictions");
    r->exposure = (double)count_in(one, "interruptions");
    r->nodes = count_in(one, "nodesMost");
    r->left = count_in(one, tree_get(one, "podsUnplaced") ? "podsUnplaced" : "podsPending");
    r->restarts = restarts_of(t, one, r->cost);
    double expected = 0, hours = hours_of(tree_get(one, "series"));
    if (tree_double(tree_get(one, "expectedInterruptions"), &expected) && hours > 0)
        r->interruptions_per_hour = expected / hours;
    r->cost += r->restarts;
    return KARP_OK;
}

/* Those of the input as it is stand for all designs. */
static bool take_problems(karp_tune *t, const tree *given)
{
    size_t count = tree_count(given);
    karp_str *list = arena_array(&t->data, count + 1, sizeof *list);
    if (!list) return false;
    for (size_t i = 0; i < count; i++) {
        karp_str text = tree_text(tree_item(given, i));
        list[i] = (karp_str){ arena_string(&t->data, text.ptr, text.len), text.len };
        if (!list[i].ptr) return false;
    }
    t->problems = list;
    t->problem_count = count;
    return true;
}

karp_str karp_tune_problem(const karp_tune *tune, size_t index)
{
    return tune && index < tune->problem_count ? tune->problems[index] : str("");
}

karp_status karp_tune_set_replay(karp_tune *tune, size_t design, karp_str replay, karp_error *error)
{
    if (!tune || !replay.ptr) return fail_null(error, "tune or replay");
    karp_tune_design r = { 0 };
    tune_design *d = NULL;
    tree *document = NULL;
    karp_status status = find(tune, design, &d, error);
    if (status) return status;
    trees memory = trees_on(tune->context);
    status = tree_read(&memory, str("the replay"), replay, &document, error);
    if (!status) status = read_figures(tune, document, &r, error);
    const tree *series = tree_get(tree_item(tree_get(document, "policies"), 0), "series");
    if (!status && !tune_take_days(tune, d, series)) status = fail_nomem(error);
    if (!status && design == 0 && !take_problems(tune, tree_get(document, "problems"))) status = fail_nomem(error);
    trees_free(&memory);
    if (!status) keep(d, r);
    return karp_context_refusal(tune->context, status, error);
}

/* ---- judgement --------------------------------------------------------------------------------------------------- */

/* Pods that design 0 leaves, too, are no fault of the others. */
static bool leaves_more(const karp_tune *t, const karp_tune_design *r)
{
    const karp_tune_design *own = &t->designs[0].result;
    return own->known && r->known && r->left > own->left;
}

void tune_figures_of(const karp_tune_design *r, double out[TUNE_FIGURES])
{
    out[TUNE_COST] = r->cost;
    out[TUNE_EVICTIONS] = (double)r->evictions;
    out[TUNE_PENDING] = r->pending;
    out[TUNE_EXPOSURE] = r->exposure;
    out[TUNE_LEFT] = (double)r->left;
}

bool tune_is_better(const karp_tune *t, size_t a, size_t b)
{
    const karp_tune_design *x = &t->designs[a].result, *y = &t->designs[b].result;
    double of_x[TUNE_FIGURES], of_y[TUNE_FIGURES];
    if (x->known != y->known) return x->known > y->known;
    if (leaves_more(t, x) != leaves_more(t, y)) return leaves_more(t, y);
    if (tune_is_beyond(t, x) != tune_is_beyond(t, y)) return tune_is_beyond(t, y);
    if (x->left != y->left) return x->left < y->left;
    tune_figures_of(x, of_x);
    tune_figures_of(y, of_y);
    for (size_t i = 0; i < TUNE_FIGURES; i++) {
        if (of_x[i] < of_y[i] || of_x[i] > of_y[i]) return of_x[i] < of_y[i];
    }
    return x->changes != y->changes ? x->changes < y->changes : a < b;
}

/* Of equal results, only the better design counts. */
static bool dominates(const karp_tune *t, size_t a, size_t b)
{
    double of_a[TUNE_FIGURES], of_b[TUNE_FIGURES];
    bool less = false;
    tune_figures_of(&t->designs[a].result, of_a);
    tune_figures_of(&t->designs[b].result, of_b);
    for (size_t i = 0; i < TUNE_FIGURES; i++) {
        if (of_a[i] > of_b[i]) return false;
        less = less || of_a[i] < of_b[i];
    }
    return less || tune_is_better(t, a, b);
}

static void judge(const karp_tune *t, size_t design, karp_tune_design *r)
{
    r->leaves_more = leaves_more(t, r);
    r->beyond_cap = tune_is_beyond(t, r);
    r->on_front = r->known && !r->leaves_more;
    r->best = r->on_front && !r->beyond_cap;
    for (size_t i = 0; i < t->design_count; i++) {
        const karp_tune_design *other = &t->designs[i].result;
        if (i == design || !other->known || leaves_more(t, other)) continue;
        if (tune_is_better(t, i, design)) r->best = 0;
        if (dominates(t, i, design)) r->on_front = 0;
    }
}

size_t karp_tune_design_count(const karp_tune *tune) { return tune ? tune->design_count : 0; }

karp_status karp_tune_get_design(const karp_tune *tune, size_t index, karp_tune_design *out)
{
    if (!tune || !out) return KARP_E_INVALID;
    if (index >= tune->design_count) return KARP_E_NOT_FOUND;
    karp_tune_design shown = tune->designs[index].result;
    shown.values = tune->designs[index].values;
    judge(tune, index, &shown);
    return struct_give(out, &shown, sizeof *out, SIZE_THROUGH(karp_tune_design, beyond_cap));
}
