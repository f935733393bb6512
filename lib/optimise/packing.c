/* SPDX-License-Identifier: Apache-2.0 */
/*
 * First whole plans by filling the node whose content is worth most per dollar, a few times with the worth of pods shaken; then
 * ruin and recreate: the pods of a few nodes are taken off, some go into the space of others, the rest on new nodes, and what
 * is not dearer stays (or is a little dearer, less and less until the next milestone).
 */
#include <optimise/packing.h>

#include <base/bits.h>
#include <base/sort.h>
#include <math.h>
#include <string.h>

/* What a step is: about a microsecond. Visits of a class while a node is filled are what most of the time goes into. */
enum { WORK_A_STEP = 160 };
enum {
    MOST_RUINED = 12,
    TOUCHED = 6,
    FEW_NODES = 12,
    MOVES_A_NODE = 1000,
    GREEDY_PLANS = 4,
    GREEDY_VISITS = 8192,
    SHAPES = 32
};

/* A node with what is left of it. */
typedef struct filled {
    uint32_t offer;
    LIST_OF(packing_entry) entries;
    int64_t *used; /* [dims] */
} filled;

/* Offers with the same proportions: one order of classes serves all of them. */
typedef struct shape_of_offer {
    uint32_t first; /* the offer that stands for them */
} shape_of_offer;

struct packing {
    karp_context *context;
    const packing_problem *p;
    arena data;
    size_t offer_words, class_words;
    uint64_t random, work;
    LIST_OF(filled) nodes; /* the plan at hand … */
    double cost; /* … and its cost, infinite = there is none */
    packing_bins best;
    bool best_is_at_hand; /* and has to be copied before it changes for the worse */
    bool failed;
    uint64_t stale; /* moves since the best plan was found */
    uint32_t plans; /* greedy ones that were made */
    uint64_t milestone, before; /* steps: where the temperature is down, and the milestone before it */
    uint32_t *shape; /* by offer */
    shape_of_offer shapes[SHAPES];
    uint32_t shape_count;
    /* what is to be placed */
    uint32_t *rest; /* by class */
    uint32_t *open; /* classes with a rest */
    uint32_t open_count;
    double *value; /* by class: its worth in this move */
    struct rated {
        double ratio;
        uint32_t class_;
    } * rated; /* [shape][class] */
    uint32_t *copies, *best_copies; /* by place among `open` … */
    uint32_t *place; /* … which is this, by class */
    uint64_t *barred; /* classes that conflict with what is on the node at hand */
    uint64_t *common; /* offers */
    int64_t *left; /* [dims] */
    LIST_OF(filled) fresh; /* of the move at hand; those beyond fresh_count keep their memory */
    uint32_t fresh_count;
};

/* ---- chance ------------------------------------------------------------------------------------------------------------ */

static uint64_t chance(packing *k)
{
    k->random ^= k->random << 13;
    k->random ^= k->random >> 7;
    k->random ^= k->random << 17;
    return k->random;
}

static uint32_t chance_below(packing *k, uint32_t n) { return (uint32_t)(((chance(k) >> 32) * n) >> 32); }
static double chance_part(packing *k) { return (double)(chance(k) >> 11) * (1.0 / 9007199254740992.0); }

/* How long until the first success, about: mostly short. (No logarithm: those differ between C libraries.) */
static double chance_delay(packing *k)
{
    uint64_t bits = chance(k) | 1;
    double whole = 0;
    while ((bits & (UINT64_C(1) << 63)) == 0) bits <<= 1, whole++;
    return 0.69 * (whole + chance_part(k));
}

/* ---- nodes --------------------------------------------------------------------------------------------------------------- */

static bool node_init(packing *k, filled *n)
{
    *n = (filled){ .offer = 0 };
    n->used = mem_zalloc(k->context, k->p->dims * sizeof *n->used);
    return n->used != NULL;
}

static void node_free(packing *k, filled *n)
{
    list_free(k->context, &n->entries, sizeof *n->entries.items);
    mem_free(k->context, n->used, k->p->dims * sizeof *n->used);
}

static bool node_put(packing *k, filled *n, uint32_t class_, uint32_t copies)
{
    const int64_t *r = k->p->requests + (size_t)class_ * k->p->dims;
    for (uint32_t d = 0; d < k->p->dims; d++) n->used[d] += r[d] * (int64_t)copies;
    for (size_t i = 0; i < n->entries.count; i++) {
        if (n->entries.items[i].class_ != class_) continue;
        n->entries.items[i].copies += copies;
        return true;
    }
    packing_entry *e = list_push(k->context, &n->entries, sizeof *e);
    if (e == NULL) {
        k->failed = true;
        return false;
    }
    *e = (packing_entry){ class_, copies };
    return true;
}

static void node_clear(packing *k, filled *n)
{
    n->entries.count = 0;
    memset(n->used, 0, k->p->dims * sizeof *n->used);
}

static bool holds(const packing *k, uint32_t offer, const int64_t *used)
{
    const int64_t *room = k->p->rooms + (size_t)offer * k->p->dims;
    for (uint32_t d = 0; d < k->p->dims; d++) {
        if (used[d] > room[d]) return false;
    }
    return true;
}

uint32_t packing_offer_for(packing *k, const packing_entry *pods, uint32_t count, const int64_t *used)
{
    const packing_problem *p = k->p;
    memset(k->common, 0xff, k->offer_words * sizeof *k->common);
    for (uint32_t i = 0; i < count; i++)
        bits_and(k->common, p->allowed + pods[i].class_ * k->offer_words, k->offer_words);
    k->work += count * k->offer_words / 4 + 1;
    for (size_t o = bits_next(k->common, p->offer_count, 0); o < p->offer_count;
         o = bits_next(k->common, p->offer_count, o + 1)) {
        k->work++;
        if (holds(k, (uint32_t)o, used)) return (uint32_t)o;
    }
    return UINT32_MAX;
}

static uint32_t cheapest_for(packing *k, const filled *n)
{
    return packing_offer_for(k, n->entries.items, (uint32_t)n->entries.count, n->used);
}

/* ---- filling a node -------------------------------------------------------------------------------------------------------- */

/* What a pod takes, in shares of a node of the shape, each resource weighed by how much of it is still asked for. */
static void rate_classes(packing *k, uint32_t shape_number)
{
    const packing_problem *p = k->p;
    const int64_t *room = p->rooms + (size_t)k->shapes[shape_number].first * p->dims;
    struct rated *list = k->rated + (size_t)shape_number * p->class_count;
    double weight[64], total = 0;
    uint32_t dims = p->dims < 64 ? p->dims : 64;
    for (uint32_t d = 0; d < dims; d++) {
        double asked = 0;
        for (uint32_t i = 0; i < k->open_count; i++) {
            uint32_t c = k->open[i];
            asked += (double)k->rest[c] * (double)p->requests[(size_t)c * p->dims + d];
        }
        weight[d] = room[d] > 0 ? asked / (double)room[d] : 0;
        total += weight[d];
    }
    for (uint32_t d = 0; d < dims; d++) weight[d] = room[d] > 0 && total > 0 ? weight[d] / total / (double)room[d] : 0;
    for (uint32_t i = 0; i < k->open_count; i++) {
        uint32_t c = k->open[i];
        double size = 1e-12;
        for (uint32_t d = 0; d < dims; d++) size += weight[d] * (double)p->requests[(size_t)c * p->dims + d];
        struct rated r = { k->value[c] / size * (1 + 0.15 * chance_part(k)), c };
        uint32_t at = i;
        for (; at > 0 && list[at - 1].ratio < r.ratio; at--) list[at] = list[at - 1];
        list[at] = r;
    }
    k->work += (size_t)k->open_count * (dims + 4) + (size_t)k->open_count * k->open_count / 16;
}

/* Fills a node of the offer with what is still to be placed, best first: k->copies. Returns what that is worth. */
static double fill(packing *k, uint32_t offer)
{
    const packing_problem *p = k->p;
    const struct rated *list = k->rated + (size_t)k->shape[offer] * p->class_count;
    double worth = 0;
    memcpy(k->left, p->rooms + (size_t)offer * p->dims, p->dims * sizeof *k->left);
    if (p->conflicts != NULL) memset(k->barred, 0, k->class_words * sizeof *k->barred);
    k->work += k->open_count;
    for (uint32_t i = 0; i < k->open_count; i++) {
        uint32_t c = list[i].class_;
        const int64_t *r = p->requests + (size_t)c * p->dims;
        uint32_t n = k->rest[c] < p->limits[c] ? k->rest[c] : p->limits[c];
        k->copies[k->place[c]] = 0;
        for (uint32_t d = 0; d < p->dims && n > 0; d++) {
            if (k->left[d] < r[d] * (int64_t)n) n = r[d] > k->left[d] ? 0 : (uint32_t)(k->left[d] / r[d]);
        }
        if (n == 0 || !bits_test(p->allowed + c * k->offer_words, offer)) continue;
        if (p->conflicts != NULL) {
            if (bits_test(k->barred, c)) continue;
            bits_or(k->barred, p->conflicts + c * k->class_words, k->class_words);
        }
        k->copies[k->place[c]] = n;
        worth += k->value[c] * n;
        for (uint32_t d = 0; d < p->dims; d++) k->left[d] -= r[d] * (int64_t)n;
    }
    return worth;
}

/* ---- placing what is to be placed -------------------------------------------------------------------------------------------- */

static void find_open(packing *k)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->open_count; i++) {
        uint32_t c = k->open[i];
        if (k->rest[c] == 0) continue;
        k->place[c] = n;
        k->open[n++] = c;
    }
    k->open_count = n;
}

static filled *fresh_node(packing *k)
{
    if (k->fresh_count == k->fresh.count) {
        filled *slot = list_push(k->context, &k->fresh, sizeof *slot);
        if (slot == NULL || !node_init(k, slot)) {
            if (slot != NULL) k->fresh.count--;
            k->failed = true;
            return NULL;
        }
    }
    filled *n = &k->fresh.items[k->fresh_count++];
    node_clear(k, n);
    return n;
}

/* The best content of any offer of a sample, one in `sample`: k->best_copies. false = nothing fits. */
static bool best_content(packing *k, uint32_t sample)
{
    const packing_problem *p = k->p;
    double best = -1;
    bool rated[SHAPES] = { false };
    for (uint32_t o = sample > 1 ? chance_below(k, sample) : 0;
         o<p->offer_count; o += sample> 1 ? 1 + chance_below(k, 2 * sample - 1) : 1) {
        uint32_t s = k->shape[o];
        if (!rated[s]) rate_classes(k, s);
        rated[s] = true;
        double worth = fill(k, o);
        double score = p->prices[o] > 0 ? worth / p->prices[o] : worth > 0 ? HUGE_VAL : 0;
        if (!(worth > 0) || !(score > best)) continue;
        best = score;
        memcpy(k->best_copies, k->copies, k->open_count * sizeof *k->copies);
    }
    return best > 0;
}

/* Puts everything that is to be placed on new nodes. Returns what they cost; infinite = more than `most`, or it cannot be. */
static double recreate(packing *k, double most, uint32_t sample)
{
    const packing_problem *p = k->p;
    double cost = 0;
    for (find_open(k); k->open_count > 0; find_open(k)) {
        if (!best_content(k, sample)) {
            if (sample == 1) return HUGE_VAL;
            sample = 1;
            continue;
        }
        filled *n = fresh_node(k);
        if (n == NULL) return HUGE_VAL;
        uint32_t times = UINT32_MAX;
        for (uint32_t i = 0; i < k->open_count; i++) {
            uint32_t c = k->open[i], copies = k->best_copies[i];
            if (copies == 0) continue;
            if (!node_put(k, n, c, copies)) return HUGE_VAL;
            if (k->rest[c] / copies < times) times = k->rest[c] / copies;
        }
        uint32_t offer = cheapest_for(k, n), first = k->fresh_count - 1;
        if (offer == UINT32_MAX) return HUGE_VAL;
        n->offer = offer;
        for (uint32_t i = 0; i < k->open_count; i++) k->rest[k->open[i]] -= times * k->best_copies[i];
        cost += p->prices[offer] * times;
        if (cost >= most) return HUGE_VAL;
        for (uint32_t t = 1; t < times; t++) {
            filled *again = fresh_node(k);
            if (again == NULL) return HUGE_VAL;
            const filled *like = &k->fresh.items[first];
            again->offer = offer;
            for (size_t i = 0; i < like->entries.count; i++) {
                if (!node_put(k, again, like->entries.items[i].class_, like->entries.items[i].copies)) return HUGE_VAL;
            }
        }
        k->work += (size_t)times * 8;
    }
    return cost;
}

double packing_buy(packing *k, const packing_entry *pods, uint32_t count, double most)
{
    double shake = 0.3 * chance_part(k);
    k->open_count = count;
    k->fresh_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t c = pods[i].class_;
        k->open[i] = c;
        k->rest[c] = pods[i].copies;
        k->value[c] = k->p->worth[c] * (1 + shake * (chance_part(k) - 0.5));
    }
    uint32_t sample = 1 + (uint32_t)((uint64_t)k->p->offer_count * count / GREEDY_VISITS);
    double cost = recreate(k, most, sample < 3 ? sample : 3);
    for (uint32_t i = 0; i < count; i++) k->rest[pods[i].class_] = 0;
    return k->failed ? HUGE_VAL : cost;
}

uint32_t packing_bought_count(const packing *k) { return k->fresh_count; }

uint32_t packing_bought(const packing *k, uint32_t index, const packing_entry **entries, uint32_t *count)
{
    *entries = k->fresh.items[index].entries.items;
    *count = (uint32_t)k->fresh.items[index].entries.count;
    return k->fresh.items[index].offer;
}

/* ---- the best plan ------------------------------------------------------------------------------------------------------------- */

/* Copies the plan at hand, which is the best. */
static bool save_best(packing *k)
{
    packing_bins_free(k->context, &k->best);
    k->best_is_at_hand = false;
    for (size_t i = 0; i < k->nodes.count; i++) {
        const filled *n = &k->nodes.items[i];
        packing_bin *b = packing_add_bin(k->context, &k->best, n->offer);
        for (size_t e = 0; b != NULL && e < n->entries.count; e++) {
            if (!packing_add_entry(k->context, b, n->entries.items[e].class_, n->entries.items[e].copies)) b = NULL;
        }
        if (b == NULL) {
            k->failed = true;
            return false;
        }
        k->work += n->entries.count;
    }
    k->best.cost = k->cost;
    return true;
}

static void clear_nodes(packing *k)
{
    for (size_t i = 0; i < k->nodes.count; i++) node_free(k, &k->nodes.items[i]);
    k->nodes.count = 0;
}

/* Makes bins the plan at hand, each on the cheapest offer that holds it. */
static bool take_bins(packing *k, const packing_bins *from)
{
    clear_nodes(k);
    k->cost = 0;
    for (size_t i = 0; i < from->list.count; i++) {
        const packing_bin *b = &from->list.items[i];
        filled *n = list_push(k->context, &k->nodes, sizeof *n);
        if (n == NULL || !node_init(k, n)) {
            if (n != NULL) k->nodes.count--;
            k->failed = true;
            return false;
        }
        for (size_t e = 0; e < b->entries.count; e++) {
            if (!node_put(k, n, b->entries.items[e].class_, b->entries.items[e].copies)) return false;
        }
        n->offer = cheapest_for(k, n);
        if (n->offer == UINT32_MAX) n->offer = b->offer;
        k->cost += k->p->prices[n->offer];
        k->work += b->entries.count;
    }
    return true;
}

/* ---- whole plans ----------------------------------------------------------------------------------------------------------------- */

/* The nodes of the move at hand are the plan. */
static void take_fresh(packing *k, double cost)
{
    clear_nodes(k);
    for (uint32_t i = 0; i < k->fresh_count; i++) {
        filled *slot = list_push(k->context, &k->nodes, sizeof *slot);
        if (slot == NULL) {
            k->failed = true;
            return;
        }
        *slot = k->fresh.items[i];
        k->fresh.items[i] = (filled){ .offer = 0 };
    }
    for (uint32_t i = 0; i < k->fresh_count && !k->failed; i++) k->failed = !node_init(k, &k->fresh.items[i]);
    k->cost = cost;
    k->best_is_at_hand = true;
}

/* One in so many offers is looked at. */
static uint32_t greedy_sample(const packing *k)
{
    uint32_t sample = 1 + (uint32_t)((uint64_t)k->p->offer_count * k->p->class_count / GREEDY_VISITS);
    return sample < k->p->offer_count / 8 + 1 ? sample : k->p->offer_count / 8 + 1;
}

/* Everything anew; the plan stays when it is the best. */
static void greedy_plan(packing *k)
{
    const packing_problem *p = k->p;
    k->open_count = p->class_count;
    k->fresh_count = 0;
    for (uint32_t c = 0; c < p->class_count; c++) {
        k->open[c] = c;
        k->rest[c] = p->counts[c];
        k->value[c] = p->worth[c] * (k->plans == 0 ? 1 : 1 + 0.1 * (chance_part(k) - 0.5));
    }
    k->plans++;
    double cost = recreate(k, k->cost, greedy_sample(k));
    memset(k->rest, 0, p->class_count * sizeof *k->rest); /* of a plan that was given up */
    if (!k->failed && cost < k->cost) take_fresh(k, cost);
}

bool packing_complete(packing *k, const packing_bins *part)
{
    const packing_problem *p = k->p;
    double cost = 0;
    k->open_count = p->class_count;
    k->fresh_count = 0;
    for (uint32_t c = 0; c < p->class_count; c++) k->open[c] = c, k->rest[c] = p->counts[c], k->value[c] = p->worth[c];
    for (size_t i = 0; i < part->list.count; i++) {
        const packing_bin *b = &part->list.items[i];
        filled *n = fresh_node(k);
        for (size_t e = 0; n != NULL && e < b->entries.count; e++) {
            if (!node_put(k, n, b->entries.items[e].class_, b->entries.items[e].copies)) return false;
            k->rest[b->entries.items[e].class_] -= b->entries.items[e].copies;
        }
        if (n == NULL) return false;
        n->offer = cheapest_for(k, n);
        cost += n->offer != UINT32_MAX ? p->prices[n->offer] : HUGE_VAL;
    }
    if (cost < k->best.cost) cost += recreate(k, k->best.cost - cost, greedy_sample(k));
    memset(k->rest, 0, p->class_count * sizeof *k->rest);
    if (k->failed || !(cost < k->best.cost)) return !k->failed;
    take_fresh(k, cost);
    k->plans = GREEDY_PLANS; /* the search goes on from this one */
    k->best.cost = cost;
    k->stale = 0;
    return !k->failed;
}

/* ---- ruin and recreate ------------------------------------------------------------------------------------------------------------- */

/* What the node's pods are worth per dollar. */
static double use_of(packing *k, const filled *n)
{
    double worth = 0;
    for (size_t i = 0; i < n->entries.count; i++)
        worth += k->p->worth[n->entries.items[i].class_] * n->entries.items[i].copies;
    k->work += n->entries.count;
    return k->p->prices[n->offer] > 0 ? worth / k->p->prices[n->offer] : HUGE_VAL;
}

/* The worst of three, and others by chance; in falling order. */
static uint32_t choose_ruined(packing *k, uint32_t *chosen)
{
    uint32_t all = (uint32_t)k->nodes.count, most = all < MOST_RUINED ? all : MOST_RUINED;
    uint32_t wanted = 2 + chance_below(k, 6), count = 0;
    double least = HUGE_VAL;
    chosen[0] = 0;
    for (uint32_t t = 0; t < 3; t++) {
        uint32_t i = chance_below(k, all);
        double use = use_of(k, &k->nodes.items[i]);
        if (use < least) least = use, chosen[0] = i;
    }
    count = 1;
    if (wanted > most) wanted = most;
    while (count < wanted) {
        uint32_t i = chance_below(k, all), at = 0;
        while (at < count && chosen[at] != i) at++;
        if (at < count) continue;
        chosen[count++] = i;
    }
    for (uint32_t i = 1; i < count; i++) {
        uint32_t x = chosen[i], at = i;
        for (; at > 0 && chosen[at - 1] < x; at--) chosen[at] = chosen[at - 1];
        chosen[at] = x;
    }
    return count;
}

static bool chosen_has(const uint32_t *chosen, uint32_t count, uint32_t i)
{
    for (uint32_t c = 0; c < count; c++) {
        if (chosen[c] == i) return true;
    }
    return false;
}

/* How many more copies of the class go on the node as it is. */
static uint32_t more_copies(const packing *k, const filled *n, uint32_t c)
{
    const packing_problem *p = k->p;
    const int64_t *r = p->requests + (size_t)c * p->dims, *room = p->rooms + (size_t)n->offer * p->dims;
    if (!bits_test(p->allowed + c * k->offer_words, n->offer)) return 0;
    uint32_t most = p->limits[c];
    for (size_t i = 0; i < n->entries.count; i++) {
        const packing_entry *e = &n->entries.items[i];
        if (e->class_ == c) most = e->copies >= most ? 0 : most - e->copies;
        else if (p->conflicts != NULL && bits_test(p->conflicts + c * k->class_words, e->class_)) return 0;
    }
    if (k->rest[c] < most) most = k->rest[c];
    for (uint32_t d = 0; d < p->dims && most > 0; d++) {
        int64_t left = room[d] - n->used[d];
        if (r[d] * (int64_t)most > left) most = r[d] > left ? 0 : (uint32_t)(left / r[d]);
    }
    return most;
}

/* What was put on nodes that stay, to be taken back. */
typedef struct put_more {
    uint32_t node, class_, copies;
} put_more;

typedef struct put_list {
    put_more items[64];
    uint32_t count;
} put_list;

static void fill_others(packing *k, const uint32_t *chosen, uint32_t count, put_list *done)
{
    done->count = 0;
    for (uint32_t t = 0; t < TOUCHED && k->nodes.count > count; t++) {
        uint32_t i = chance_below(k, (uint32_t)k->nodes.count);
        if (chosen_has(chosen, count, i)) continue;
        filled *n = &k->nodes.items[i];
        uint32_t from = chance_below(k, k->open_count);
        for (uint32_t o = 0; o < k->open_count && done->count < 64; o++) {
            uint32_t c = k->open[from + o < k->open_count ? from + o : from + o - k->open_count];
            if (k->rest[c] == 0) continue;
            uint32_t more = more_copies(k, n, c);
            if (more == 0) continue;
            if (!node_put(k, n, c, more)) return;
            k->rest[c] -= more;
            done->items[done->count++] = (put_more){ i, c, more };
        }
        k->work += k->open_count * 2;
    }
}

static void take_back(packing *k, const put_list *done)
{
    for (uint32_t i = done->count; i-- > 0;) {
        const put_more *m = &done->items[i];
        filled *n = &k->nodes.items[m->node];
        const int64_t *r = k->p->requests + (size_t)m->class_ * k->p->dims;
        for (uint32_t d = 0; d < k->p->dims; d++) n->used[d] -= r[d] * (int64_t)m->copies;
        for (size_t e = 0; e < n->entries.count; e++) {
            if (n->entries.items[e].class_ != m->class_) continue;
            n->entries.items[e].copies -= m->copies;
            if (n->entries.items[e].copies == 0) n->entries.items[e] = n->entries.items[--n->entries.count];
            break;
        }
    }
}

/* Saves the best plan, which is the one at hand without what was put on nodes that stay. */
static bool save_before(packing *k, const put_list *done)
{
    take_back(k, done);
    if (!save_best(k)) return false;
    for (uint32_t i = 0; i < done->count && !k->failed; i++) {
        const put_more *m = &done->items[i];
        (void)node_put(k, &k->nodes.items[m->node], m->class_, m->copies);
    }
    return !k->failed;
}

/* What is taken off the chosen nodes is to be placed. Returns what they cost. */
static double ruin(packing *k, const uint32_t *chosen, uint32_t count)
{
    double cost = 0;
    k->open_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const filled *n = &k->nodes.items[chosen[i]];
        cost += k->p->prices[n->offer];
        for (size_t e = 0; e < n->entries.count; e++) {
            uint32_t c = n->entries.items[e].class_;
            if (k->rest[c] == 0) k->open[k->open_count++] = c;
            k->rest[c] += n->entries.items[e].copies;
        }
        k->work += n->entries.count * 2;
    }
    double shake = 0.1 + 0.4 * chance_part(k);
    for (uint32_t i = 0; i < k->open_count; i++) {
        uint32_t c = k->open[i];
        k->value[c] = k->p->worth[c] * (1 + shake * (chance_part(k) - 0.5));
    }
    return cost;
}

static void exchange_nodes(packing *k, const uint32_t *chosen, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) { /* in falling order, so that the last is never one of them */
        filled removed = k->nodes.items[chosen[i]];
        k->nodes.items[chosen[i]] = k->nodes.items[--k->nodes.count];
        node_free(k, &removed);
    }
    for (uint32_t i = 0; i < k->fresh_count; i++) {
        filled *slot = list_push(k->context, &k->nodes, sizeof *slot);
        if (slot == NULL) {
            k->failed = true;
            return;
        }
        *slot = k->fresh.items[i];
        if (!node_init(k, &k->fresh.items[i])) k->failed = true;
    }
}

/* One move; it stays when the plan is at most `slack` dearer for it. */
static void move(packing *k, double slack)
{
    uint32_t chosen[MOST_RUINED];
    put_list done;
    uint32_t count = choose_ruined(k, chosen);
    double old = ruin(k, chosen, count);
    if (chance(k) >> 63) fill_others(k, chosen, count, &done);
    else done.count = 0;
    k->fresh_count = 0;
    double cost = k->failed ? HUGE_VAL : recreate(k, old + slack, k->nodes.count > 40 ? 3 : 2);
    for (uint32_t i = 0; i < k->open_count; i++) k->rest[k->open[i]] = 0; /* of a move that ended early */
    if (k->failed) return;
    if (!(cost < old + slack)) {
        k->stale++;
        take_back(k, &done);
        return;
    }
    if (k->best_is_at_hand && cost > old && !save_before(k, &done)) return;
    exchange_nodes(k, chosen, count);
    k->cost += cost - old;
    k->stale++;
    if (k->cost < k->best.cost * (1 - 1e-12) - 1e-12) {
        k->best_is_at_hand = true;
        k->best.cost = k->cost;
        k->stale = 0;
    }
}

/* Few nodes have few other ways: whether they have all been tried, more or less. */
static bool exhausted(const packing *k)
{
    return k->nodes.count <= FEW_NODES && k->stale > MOVES_A_NODE * k->nodes.count;
}

/* ---- the search ------------------------------------------------------------------------------------------------------------------------ */

static bool make_room(packing *k)
{
    const packing_problem *p = k->p;
    size_t classes = p->class_count + (size_t)1;
    k->shape = arena_array(&k->data, p->offer_count + (size_t)1, sizeof *k->shape);
    k->rest = arena_array(&k->data, classes, sizeof *k->rest);
    k->open = arena_array(&k->data, classes, sizeof *k->open);
    k->value = arena_array(&k->data, classes, sizeof *k->value);
    k->rated = arena_array(&k->data, classes * SHAPES, sizeof *k->rated);
    k->copies = arena_array(&k->data, classes, sizeof *k->copies);
    k->best_copies = arena_array(&k->data, classes, sizeof *k->best_copies);
    k->place = arena_array(&k->data, classes, sizeof *k->place);
    k->barred = arena_array(&k->data, k->class_words + 1, sizeof *k->barred);
    k->common = arena_array(&k->data, k->offer_words + 1, sizeof *k->common);
    k->left = arena_array(&k->data, p->dims + (size_t)1, sizeof *k->left);
    return k->shape != NULL && k->rest != NULL && k->open != NULL && k->value != NULL && k->rated != NULL &&
           k->copies != NULL && k->best_copies != NULL && k->place != NULL && k->barred != NULL && k->common != NULL &&
           k->left != NULL;
}

/* Whether two offers have about the same proportions. */
static bool same_shape(const packing_problem *p, uint32_t x, uint32_t y)
{
    const int64_t *a = p->rooms + (size_t)x * p->dims, *b = p->rooms + (size_t)y * p->dims;
    for (uint32_t d = 1; d < p->dims; d++) {
        if ((a[d] > 0) != (b[d] > 0)) return false;
        double left = (double)a[d] * (double)b[0], right = (double)b[d] * (double)a[0];
        if (left > right * 1.3 || right > left * 1.3) return false;
    }
    return true;
}

static void find_shapes(packing *k)
{
    for (uint32_t o = 0; o < k->p->offer_count; o++) {
        uint32_t s = 0;
        while (s < k->shape_count && !same_shape(k->p, k->shapes[s].first, o)) s++;
        if (s == k->shape_count && s < SHAPES) k->shapes[k->shape_count++].first = o;
        k->shape[o] = s < SHAPES ? s : SHAPES - 1;
    }
}

packing *packing_begin(karp_context *context, const packing_problem *p, const packing_bins *from)
{
    packing *k = mem_zalloc(context, sizeof *k);
    if (k == NULL) return NULL;
    k->context = context;
    k->p = p;
    k->offer_words = bits_words(p->offer_count);
    k->class_words = bits_words(p->class_count);
    k->random = UINT64_C(0x9e3779b97f4a7c15);
    k->cost = k->best.cost = HUGE_VAL;
    k->milestone = 1000;
    arena_init(&k->data, context);
    bool ok = make_room(k);
    if (ok) find_shapes(k);
    if (ok && from != NULL && from->list.count > 0) {
        ok = take_bins(k, from);
        k->best_is_at_hand = ok;
        k->best.cost = k->cost;
    }
    if (ok) return k;
    packing_end(k);
    return NULL;
}

void packing_end(packing *k)
{
    if (k == NULL) return;
    clear_nodes(k);
    list_free(k->context, &k->nodes, sizeof(filled));
    for (size_t i = 0; i < k->fresh.count; i++) node_free(k, &k->fresh.items[i]);
    list_free(k->context, &k->fresh, sizeof(filled));
    packing_bins_free(k->context, &k->best);
    arena_free(&k->data);
    mem_free(k->context, k, sizeof *k);
}

uint64_t packing_steps(const packing *k) { return k->work / WORK_A_STEP; }
const packing_bins *packing_best(const packing *k) { return &k->best; }

/* How much dearer the plan may get: less and less until the milestone. */
static double slack_now(packing *k)
{
    uint64_t steps = packing_steps(k);
    double span = (double)(k->milestone - k->before), done = (double)(steps - k->before);
    double heat = k->best.cost * 0.003 / sqrt((double)k->nodes.count) * (1 - done / span);
    return heat > 0 ? heat * chance_delay(k) : 0;
}

/* From the best plan on, with the temperature up, to twice as many steps. */
static bool next_milestone(packing *k)
{
    k->before = k->milestone;
    k->milestone *= 2;
    return k->best_is_at_hand || take_bins(k, &k->best);
}

bool packing_search(packing *k, uint64_t steps)
{
    uint32_t moves = 0;
    while (packing_steps(k) < steps && !k->failed && k->p->class_count > 0) {
        if (k->plans < GREEDY_PLANS) {
            greedy_plan(k);
            if (k->best_is_at_hand) k->best.cost = k->cost;
            continue;
        }
        if (k->nodes.count == 0 || exhausted(k)) break;
        while (packing_steps(k) >= k->milestone && !k->failed) (void)next_milestone(k);
        if (k->failed) break;
        move(k, slack_now(k));
        k->work += 16;
        if (++moves % 64 == 0 && k->cost > k->best.cost * 1.01 && !take_bins(k, &k->best)) break;
    }
    if (!k->failed && k->best_is_at_hand && k->best.cost < HUGE_VAL) (void)save_best(k);
    return !k->failed;
}
