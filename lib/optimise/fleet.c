/* SPDX-License-Identifier: Apache-2.0 */
#include <optimise/chance.h>
#include <optimise/fleet.h>

#include <base/bits.h>
#include <base/sort.h>
#include <math.h>
#include <string.h>

enum {
    FEW_PODS = 10, /* the search finds the best packing of so few anyway */
    MOST_PODS = 1000,
    MOST_BINS = 128,
    TOGETHER = 8, /* nodes of the plan that are looked at together */
    MOST_CHANGED = 3, /* of them, so many are exchanged */
    TRIES = 64,
    DRAWS = 200,
    DRAWN = 4, /* offers that are drawn in one of them */
    KEPT = 12,
    MOST_STALE = 400, /* if all nodes are looked at together: so often in vain */
    FIRST_MOVES = 1000,
    MOVES = 30000,
    LEVELS = 3, /* given nodes are packed with so many times MOVES: 1, 4, 16 */
    OVERLOADED_EVERY = 16
};
#define NONE UINT32_MAX
#define LEAST_SAVED 1e-9
#define MOST_AMOUNT 1e18 /* requested of a resource by all pods, so that sums do not overflow */
#define FIRST_HEAT 0.3
#define HEAT 0.7
#define CLOSE 2 /* by so many average pods too many, a longer search may succeed */

typedef struct fleet_bin {
    uint32_t offer, count;
    uint32_t *pods;
    int64_t *left; /* by resource; negative = there are too many pods */
} fleet_bin;

/* Nodes of the plan are exchanged: those that go, and offers that come. */
typedef struct exchange {
    uint32_t out[MOST_CHANGED], in[MOST_CHANGED + 1], out_count, in_count;
    double spare; /* what all nodes can be worth beyond what the pods are */
} exchange;

struct fleet {
    karp_context *context;
    const packing_problem *p;
    arena data;
    size_t offer_words, class_words;
    uint64_t random, work;
    packing_bins plan; /* the cheapest */
    uint32_t stale; /* attempts since it became cheaper */
    double *unit; /* by resource: so much is one in an average pod */
    double *charge; /* by offer: the most that its contents are worth */
    uint32_t *useful, useful_count; /* offers that may be in a cheaper plan */
    uint32_t most_pods, most_bins; /* of those that are looked at together; 0 = none are */
    bool holds_all; /* they may be all */
    /* The nodes that are looked at, and their pods. */
    uint32_t *chosen, chosen_count, pod_count, bin_count; /* chosen: indices in the plan */
    uint32_t *class_of, *bin_of, *place, *moving; /* by pod; moving: a list */
    fleet_bin *bins;
    double cost, needed; /* of these nodes; what the pods are worth */
    bool failed;
};

static const int64_t *request_of(const fleet *f, uint32_t x)
{
    return f->p->requests + (size_t)f->class_of[x] * f->p->dims;
}

/* ---- pods and bins ----------------------------------------------------------------------------------------------- */

static void take_out(fleet *f, uint32_t x)
{
    const int64_t *r = request_of(f, x);
    fleet_bin *b = &f->bins[f->bin_of[x]];
    uint32_t last = b->pods[--b->count];
    b->pods[f->place[x]] = last;
    f->place[last] = f->place[x];
    for (uint32_t d = 0; d < f->p->dims; d++) b->left[d] += r[d];
}

static void put_in(fleet *f, uint32_t x, uint32_t bin)
{
    const int64_t *r = request_of(f, x);
    fleet_bin *b = &f->bins[bin];
    f->bin_of[x] = bin;
    f->place[x] = b->count;
    b->pods[b->count++] = x;
    for (uint32_t d = 0; d < f->p->dims; d++) b->left[d] -= r[d];
}

/* Whether rules let the pod x join those of the bin, of which `without` leaves. */
static bool may_join(fleet *f, uint32_t x, const fleet_bin *b, uint32_t without)
{
    const packing_problem *p = f->p;
    uint32_t c = f->class_of[x], copies = 0;
    if (!bits_test(p->allowed + c * f->offer_words, b->offer)) return false;
    if (p->conflicts == NULL && p->limits[c] >= p->counts[c]) return true;
    f->work += b->count;
    for (uint32_t i = 0; i < b->count; i++) {
        uint32_t other = f->class_of[b->pods[i]];
        if (b->pods[i] == without) continue;
        copies += other == c;
        if (p->conflicts != NULL && bits_test(p->conflicts + c * f->class_words, other)) return false;
    }
    return copies < p->limits[c];
}

/* How much too many pods the bin has, if the pod x leaves it and y joins. */
static double excess(const fleet *f, const fleet_bin *b, uint32_t x, uint32_t y)
{
    double sum = 0;
    const int64_t *r = x != NONE ? request_of(f, x) : NULL, *s = y != NONE ? request_of(f, y) : NULL;
    for (uint32_t d = 0; d < f->p->dims; d++) {
        int64_t left = b->left[d] + (r != NULL ? r[d] : 0) - (s != NULL ? s[d] : 0);
        if (left < 0) sum -= (double)left * f->unit[d];
    }
    return sum;
}

static double all_excess(const fleet *f)
{
    double sum = 0;
    for (uint32_t i = 0; i < f->bin_count; i++) sum += excess(f, &f->bins[i], NONE, NONE);
    return sum;
}

/* Puts the pod where it is too much by the least. false = no bin may have it. */
static bool place_pod(fleet *f, uint32_t x)
{
    uint32_t best = NONE;
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < f->bin_count; i++) {
        if (!may_join(f, x, &f->bins[i], NONE)) continue;
        double more = excess(f, &f->bins[i], NONE, x) - excess(f, &f->bins[i], NONE, NONE);
        if (more < least) least = more, best = i;
    }
    f->work += f->bin_count * 4;
    if (best == NONE) return false;
    put_in(f, x, best);
    return true;
}

static void add_bin(fleet *f, uint32_t offer)
{
    fleet_bin *b = &f->bins[f->bin_count++];
    b->offer = offer;
    b->count = 0;
    memcpy(b->left, f->p->spaces + (size_t)offer * f->p->dims, f->p->dims * sizeof *b->left);
}

/* ---- packing ----------------------------------------------------------------------------------------------------- */

/* A bin with too many pods, by chance the one with most; NONE = there is none. */
static uint32_t find_overloaded(fleet *f)
{
    uint32_t found = NONE;
    double most = 0;
    for (uint32_t i = 0; i < f->bin_count; i++) {
        double over = excess(f, &f->bins[i], NONE, NONE) * (0.1 + chance_part(&f->random));
        if (over > most) most = over, found = i;
    }
    f->work += f->bin_count * 2;
    return found;
}

/* Moves random pods, or exchanges them, mostly those of a bin that has too many. Simulated annealing: at first moves to
 * the worse are kept, too. Returns by how much there are too many in the end. */
static double anneal(fleet *f, uint32_t moves, double heat)
{
    double total = all_excess(f);
    uint32_t from = NONE;
    for (uint32_t n = 0; n < moves && total > 1e-12; n++) {
        if (n % OVERLOADED_EVERY == 0) from = find_overloaded(f);
        uint32_t x = chance_below(&f->random, f->pod_count), y = NONE, j;
        if (n % 4 != 3 && from != NONE && f->bins[from].count > 0)
            x = f->bins[from].pods[chance_below(&f->random, f->bins[from].count)];
        if (chance_next(&f->random) >> 63) {
            y = chance_below(&f->random, f->pod_count);
            j = f->bin_of[y];
        } else {
            j = chance_below(&f->random, f->bin_count);
        }
        fleet_bin *a = &f->bins[f->bin_of[x]], *b = &f->bins[j];
        f->work += 3 * (f->p->dims + (uint64_t)2);
        if (a == b || (y != NONE && f->class_of[x] == f->class_of[y])) continue;
        double more = excess(f, a, x, y) + excess(f, b, y, x) - excess(f, a, NONE, NONE) - excess(f, b, NONE, NONE);
        double slack = heat * (1 - (double)n / (double)moves) * chance_part(&f->random) * chance_part(&f->random);
        if (more > slack || !may_join(f, x, b, y) || (y != NONE && !may_join(f, y, a, x))) continue;
        uint32_t i = f->bin_of[x];
        take_out(f, x);
        if (y != NONE) take_out(f, y);
        put_in(f, x, j);
        if (y != NONE) put_in(f, y, i);
        total += more;
    }
    return all_excess(f);
}

/* ---- sets of nodes ----------------------------------------------------------------------------------------------- */

/* Chooses some nodes of the plan that pods of the first of them may be on. */
__attribute__((cold)) static void choose_bins(fleet *f)
{
    uint32_t all = (uint32_t)f->plan.list.count, pods = 0, wanted = TOGETHER;
    const packing_bin *first = &f->plan.list.items[chance_below(&f->random, all)];
    f->chosen_count = 0;
    for (uint32_t n = 0; n < (all <= wanted ? all : TRIES) && f->chosen_count < wanted; n++) {
        uint32_t i = all <= wanted ? n
                     : n == 0      ? (uint32_t)(first - f->plan.list.items)
                                   : chance_below(&f->random, all);
        const packing_bin *b = &f->plan.list.items[i];
        uint32_t c = first->entries.items[chance_below(&f->random, (uint32_t)first->entries.count)].class_, more = 0;
        if (ids_have(f->chosen, f->chosen_count, i)) continue;
        if (all > wanted && !bits_test(f->p->allowed + c * f->offer_words, b->offer)) continue;
        for (size_t e = 0; e < b->entries.count; e++) more += b->entries.items[e].copies;
        if (more > f->most_pods - pods) continue;
        pods += more;
        f->chosen[f->chosen_count++] = i;
    }
    f->work += TRIES * 2;
}

/* The chosen nodes with their pods. */
__attribute__((cold)) static void load(fleet *f)
{
    const packing_problem *p = f->p;
    f->pod_count = f->bin_count = 0;
    f->cost = f->needed = 0;
    for (uint32_t n = 0; n < f->chosen_count; n++) {
        const packing_bin *b = &f->plan.list.items[f->chosen[n]];
        add_bin(f, b->offer);
        f->cost += p->prices[b->offer];
        for (size_t e = 0; e < b->entries.count; e++) {
            f->needed += p->worth[b->entries.items[e].class_] * b->entries.items[e].copies;
            for (uint32_t i = 0; i < b->entries.items[e].copies; i++) {
                f->class_of[f->pod_count] = b->entries.items[e].class_;
                put_in(f, f->pod_count++, n);
            }
        }
    }
    f->work += f->pod_count;
}

/* A random one of the useful offers, that is cheaper and can be worth enough; NONE = none was found. */
static uint32_t any_cheaper(fleet *f, double price, double enough)
{
    uint32_t count = 0, past = f->useful_count;
    while (count < past) { /* the offers are in the order of price */
        uint32_t middle = (count + past) / 2;
        if (f->p->prices[f->useful[middle]] < price) count = middle + 1;
        else past = middle;
    }
    for (uint32_t t = 0; t < DRAWN && count > 0; t++) { /* in the upper half */
        uint32_t o = f->useful[count - 1 - chance_below(&f->random, (count + 1) / 2)];
        if (f->charge[o] >= enough) return o;
    }
    return NONE;
}

/* Draws an exchange. false = it is of no use. */
__attribute__((cold)) static bool draw(fleet *f, exchange *x)
{
    const packing_problem *p = f->p;
    double left = 0;
    uint32_t wanted = 1 + chance_below(&f->random, MOST_CHANGED), in = chance_below(&f->random, MOST_CHANGED + 1);
    x->out_count = x->in_count = 0;
    x->spare = -f->needed;
    for (uint32_t i = 0; i < f->bin_count; i++) x->spare += f->charge[f->bins[i].offer];
    for (uint32_t n = 0; n < wanted; n++) {
        uint32_t i = chance_below(&f->random, f->bin_count);
        if (ids_have(x->out, x->out_count, i)) continue;
        x->out[x->out_count++] = i;
        left += p->prices[f->bins[i].offer];
        x->spare -= f->charge[f->bins[i].offer];
    }
    while (x->in_count < in) {
        uint32_t o = f->useful[chance_below(&f->random, f->useful_count)];
        if (p->prices[o] >= left) break;
        x->in[x->in_count++] = o;
        left -= p->prices[o];
        x->spare += f->charge[o];
    }
    uint32_t last = any_cheaper(f, left - LEAST_SAVED, -x->spare);
    f->work += f->bin_count + 32;
    if (last == NONE) return false;
    x->in[x->in_count++] = last;
    x->spare += f->charge[last];
    return true;
}

/* Makes the exchange. Pods of the nodes that go are placed on others. false = that cannot be. */
__attribute__((cold)) static bool make_exchange(fleet *f, const exchange *x)
{
    uint32_t kept = 0, gone = 0, count = 0;
    fleet_bin old[MOST_CHANGED];
    for (uint32_t i = 0; i < f->bin_count; i++) {
        fleet_bin b = f->bins[i];
        bool goes = ids_have(x->out, x->out_count, i);
        if (goes) old[gone++] = b;
        for (uint32_t k = 0; k < b.count; k++) {
            if (goes) f->moving[count++] = b.pods[k];
            else f->bin_of[b.pods[k]] = kept;
        }
        if (!goes) f->bins[kept++] = b;
    }
    memcpy(f->bins + kept, old, gone * sizeof *old); /* for their memory */
    f->bin_count = kept;
    for (uint32_t n = 0; n < x->in_count; n++) add_bin(f, x->in[n]);
    for (uint32_t n = 0; n < count; n++) {
        if (!place_pod(f, f->moving[n])) return false;
    }
    return true;
}

/* The cheapest offer that can have the pods of the bin. */
static uint32_t cheapest_offer(const fleet *f, const fleet_bin *b)
{
    const packing_problem *p = f->p;
    const int64_t *space = p->spaces + (size_t)b->offer * p->dims;
    for (uint32_t o = 0; o < b->offer; o++) {
        const int64_t *other = p->spaces + (size_t)o * p->dims;
        bool fits = true;
        for (uint32_t d = 0; fits && d < p->dims; d++) fits = space[d] - b->left[d] <= other[d];
        for (uint32_t n = 0; fits && n < b->count; n++)
            fits = bits_test(p->allowed + f->class_of[b->pods[n]] * f->offer_words, o);
        if (fits) return o;
    }
    return b->offer;
}

/* The pods of a bin become a node of the plan. false = out of memory. */
__attribute__((cold)) static bool keep_bin(fleet *f, const fleet_bin *b)
{
    packing_bin *bin = packing_add_bin(f->context, &f->plan, cheapest_offer(f, b));
    for (uint32_t n = 0; bin != NULL && n < b->count; n++) {
        uint32_t c = f->class_of[b->pods[n]];
        size_t e = 0;
        while (e < bin->entries.count && bin->entries.items[e].class_ != c) e++;
        if (e < bin->entries.count) bin->entries.items[e].copies++;
        else if (!packing_add_entry(f->context, bin, c, 1)) return false;
    }
    return bin != NULL;
}

/* The chosen nodes of the plan become those that were packed. false = out of memory. */
__attribute__((cold)) static bool keep(fleet *f)
{
    size_t count = 0;
    for (uint32_t n = 0; n < f->chosen_count; n++) f->plan.list.items[f->chosen[n]].offer = NONE;
    for (size_t i = 0; i < f->plan.list.count; i++) {
        packing_bin b = f->plan.list.items[i];
        if (b.offer == NONE) list_free(f->context, &b.entries, sizeof *b.entries.items);
        else f->plan.list.items[count++] = b;
    }
    f->plan.list.count = count;
    for (uint32_t i = 0; i < f->bin_count; i++) {
        if (f->bins[i].count > 0 && !keep_bin(f, &f->bins[i])) return mem_refused(&f->failed);
    }
    f->plan.cost = 0;
    for (size_t i = 0; i < f->plan.list.count; i++) f->plan.cost += f->p->prices[f->plan.list.items[i].offer];
    f->work += f->pod_count;
    f->stale = 0;
    return true;
}

/* Loads the nodes again, makes the exchange and packs the pods. Returns by how much they are too many. */
static double try_exchange(fleet *f, const exchange *x, uint32_t moves, double heat)
{
    load(f);
    return make_exchange(f, x) ? anneal(f, moves, heat) : HUGE_VAL;
}

/* Looks for cheaper nodes for the pods of some nodes. */
__attribute__((cold)) static bool attempt(fleet *f)
{
    exchange best[KEPT], x;
    uint32_t count = 0, which = 0;
    double least = CLOSE;
    choose_bins(f);
    if (f->chosen_count == 0) return true;
    load(f);
    f->useful_count = 0;
    for (uint32_t o = 0; o < f->p->offer_count; o++) {
        if (f->p->prices[o] - f->charge[o] < f->cost - f->needed) f->useful[f->useful_count++] = o;
    }
    f->work += f->p->offer_count / 4;
    for (uint32_t n = 0; n < DRAWS && f->useful_count > 0; n++) {
        if (!draw(f, &x) || (count == KEPT && x.spare <= best[count - 1].spare)) continue;
        uint32_t at = count < KEPT ? count++ : count - 1;
        for (; at > 0 && best[at - 1].spare < x.spare; at--) best[at] = best[at - 1];
        best[at] = x;
    }
    for (uint32_t n = 0; n < count; n++) {
        double over = try_exchange(f, &best[n], FIRST_MOVES, FIRST_HEAT);
        if (over <= 0) return keep(f);
        if (over < least) least = over, which = n;
    }
    if (!(least < CLOSE)) return true;
    double over = try_exchange(f, &best[which], MOVES, HEAT);
    return over > 0 || keep(f);
}

/* Puts so many pods with the requests of the class into the bin. */
__attribute__((cold)) static void put_alike(fleet *f, uint32_t class_, uint32_t copies, uint32_t bin)
{
    const packing_problem *p = f->p;
    const int64_t *r = p->requests + (size_t)class_ * p->dims;
    for (uint32_t x = 0; copies > 0 && x < f->pod_count; x++) {
        if (f->bin_of[x] != NONE || memcmp(request_of(f, x), r, p->dims * sizeof *r) != 0 ||
            !may_join(f, x, &f->bins[bin], NONE))
            continue;
        put_in(f, x, bin);
        copies--;
    }
    f->work += f->pod_count;
}

/* Loads all pods into new bins: those of contents first. false = a pod may be in none of them. */
__attribute__((cold)) static bool load_all(fleet *f, const packing_contents *nodes)
{
    f->chosen_count = f->pod_count = f->bin_count = 0;
    for (uint32_t i = 0; i < f->plan.list.count; i++) {
        const packing_bin *b = &f->plan.list.items[i];
        f->chosen[f->chosen_count++] = i;
        for (size_t e = 0; e < b->entries.count; e++) {
            for (uint32_t n = 0; n < b->entries.items[e].copies; n++) {
                f->bin_of[f->pod_count] = NONE;
                f->class_of[f->pod_count++] = b->entries.items[e].class_;
            }
        }
    }
    for (uint32_t i = 0; i < nodes->count; i++) {
        add_bin(f, nodes->offer[i]);
        for (uint32_t k = 0; k < nodes->kind_count; k++) {
            uint32_t copies = nodes->copies[(size_t)i * nodes->kind_count + k];
            if (copies > 0 && nodes->class_of[k] != NONE) put_alike(f, nodes->class_of[k], copies, i);
        }
    }
    for (uint32_t x = 0; x < f->pod_count; x++) {
        if (f->bin_of[x] == NONE && !place_pod(f, x)) return false;
    }
    return true;
}

__attribute__((cold)) bool fleet_try(fleet *f, const packing_contents *nodes)
{
    double cost = 0, over = HUGE_VAL;
    if (!f->holds_all || nodes->count > f->most_bins) return true;
    for (uint32_t i = 0; i < nodes->count; i++)
        cost += nodes->offer[i] != NONE ? f->p->prices[nodes->offer[i]] : HUGE_VAL;
    if (!(cost < f->plan.cost * (1 - LEAST_SAVED))) return true;
    for (uint32_t n = 0; n < LEVELS && over > 0; n++) {
        if (!load_all(f, nodes)) return true;
        over = anneal(f, (uint32_t)MOVES << 2 * n, n == 0 ? FIRST_HEAT : HEAT);
    }
    return over > 0 || keep(f);
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

__attribute__((cold)) static bool allocate(fleet *f)
{
    size_t pods = f->most_pods + (size_t)1, dims = f->p->dims + (size_t)1;
    f->chosen = arena_array(&f->data, pods, sizeof *f->chosen);
    f->class_of = arena_array(&f->data, pods, sizeof *f->class_of);
    f->bin_of = arena_array(&f->data, pods, sizeof *f->bin_of);
    f->place = arena_array(&f->data, pods, sizeof *f->place);
    f->moving = arena_array(&f->data, pods, sizeof *f->moving);
    f->charge = arena_array(&f->data, f->p->offer_count + (size_t)1, sizeof *f->charge);
    f->useful = arena_array(&f->data, f->p->offer_count + (size_t)1, sizeof *f->useful);
    f->bins = arena_array(&f->data, f->most_bins + (size_t)1, sizeof *f->bins);
    if (f->chosen == NULL || f->class_of == NULL || f->bin_of == NULL || f->place == NULL || f->moving == NULL ||
        f->charge == NULL || f->useful == NULL || f->bins == NULL)
        return false;
    for (uint32_t i = 0; i < f->most_bins; i++) {
        f->bins[i].pods = arena_array(&f->data, pods, sizeof *f->bins[i].pods);
        f->bins[i].left = arena_array(&f->data, dims, sizeof *f->bins[i].left);
        if (f->bins[i].pods == NULL || f->bins[i].left == NULL) return false;
    }
    return true;
}

/* What all pods request of each resource, and how many of them are looked at. false = out of memory. */
__attribute__((cold)) static bool add_up(fleet *f)
{
    const packing_problem *p = f->p;
    uint64_t pods = 0;
    f->unit = arena_array(&f->data, p->dims + (size_t)1, sizeof *f->unit);
    if (f->unit == NULL) return false;
    for (uint32_t c = 0; c < p->class_count; c++) {
        pods += p->counts[c];
        for (uint32_t d = 0; d < p->dims; d++)
            f->unit[d] += (double)p->requests[(size_t)c * p->dims + d] * p->counts[c];
    }
    f->most_pods = pods <= FEW_PODS ? 0 : pods < MOST_PODS ? (uint32_t)pods : MOST_PODS;
    f->holds_all = f->most_pods == pods;
    for (uint32_t d = 0; d < p->dims; d++) {
        if (f->unit[d] > MOST_AMOUNT) f->most_pods = 0;
        f->unit[d] = f->unit[d] > 0 ? (double)pods / f->unit[d] : 0;
    }
    f->most_bins = f->most_pods == 0 ? 0 : MOST_BINS;
    return true;
}

__attribute__((cold)) fleet *fleet_begin(karp_context *context, const packing_problem *p)
{
    fleet *f = mem_zalloc(context, sizeof *f);
    if (f == NULL) return NULL;
    *f = (fleet){ .context = context,
                  .p = p,
                  .offer_words = bits_words(p->offer_count),
                  .class_words = bits_words(p->class_count),
                  .random = UINT64_C(0x9e3779b97f4a7c15),
                  .plan = { .cost = HUGE_VAL } };
    arena_init(&f->data, context);
    if (!add_up(f) || !allocate(f)) {
        fleet_end(f);
        return NULL;
    }
    for (uint32_t o = 0; o < p->offer_count; o++)
        f->charge[o] = p->prices[o] * (p->promise != NULL ? p->promise[o] : 1);
    return f;
}

void fleet_end(fleet *f)
{
    if (f == NULL) return;
    packing_bins_free(f->context, &f->plan);
    arena_free(&f->data);
    mem_free(f->context, f, sizeof *f);
}

__attribute__((cold)) static bool copy_plan(fleet *f, const packing_bins *from)
{
    packing_bins_free(f->context, &f->plan);
    for (size_t i = 0; i < from->list.count; i++) {
        const packing_bin *b = &from->list.items[i];
        if (b->entries.count == 0) continue;
        if (!packing_copy_bin(f->context, &f->plan, b->offer, b->entries.items, b->entries.count))
            return mem_refused(&f->failed);
        f->work += b->entries.count;
    }
    f->plan.cost = from->cost;
    return true;
}

__attribute__((cold)) bool fleet_start(fleet *f, const packing_bins *from)
{
    return !(from->cost < f->plan.cost) || copy_plan(f, from);
}

bool fleet_search(fleet *f, uint64_t steps)
{
    while (f->most_pods > 0 && f->plan.list.count > 0 && fleet_steps(f) < steps && !f->failed) {
        if (f->plan.list.count <= TOGETHER && f->stale > MOST_STALE) break;
        f->stale++;
        (void)attempt(f);
    }
    return !f->failed;
}

uint64_t fleet_steps(const fleet *f) { return f->work / WORK_A_STEP; }
const packing_bins *fleet_best(const fleet *f) { return &f->plan; }
