/* SPDX-License-Identifier: Apache-2.0 */
/* karp_fit() on random requests: what must hold of every answer, and what a plain way finds, copy by copy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include <support/random.h>

#include "fit_asking.h"

enum { TYPES = 4, NODES = 3, DEMANDS = 8, RESOURCES = 3 };

typedef struct maker {
    karp_resource amounts[TYPES + NODES + DEMANDS][RESOURCES];
    karp_fit_type types[TYPES];
    karp_fit_node nodes[NODES];
    karp_fit_demand demands[DEMANDS];
    size_t type_count, node_count, demand_count;
    uint64_t max_launches;
} maker;

static const karp_str names[RESOURCES] = { T("cpu"), T("memory"), T("gpu") };

static size_t some_amounts(uint64_t *seed, karp_resource *list, int64_t least, int64_t most)
{
    size_t n = 0;
    for (size_t r = 0; r < RESOURCES; r++) {
        if (random_below(seed, 4) == 0) continue;
        list[n++] = (karp_resource){ .name = names[r],
                                     .value = least + (int64_t)random_below(seed, (uint64_t)(most - least + 1)),
                                     .scale = -1 };
    }
    return n;
}

static void make(maker *m, uint64_t *seed)
{
    memset(m, 0, sizeof *m);
    size_t a = 0;
    m->type_count = random_below(seed, TYPES + 1);
    m->node_count = random_below(seed, NODES + 1);
    m->demand_count = random_below(seed, DEMANDS + 1);
    for (size_t i = 0; i < m->type_count; i++, a++) {
        uint64_t most = random_below(seed, 6);
        karp_fit_type *t = &m->types[i];
        *t = (karp_fit_type){ .resources = m->amounts[a],
                              .resource_count = some_amounts(seed, m->amounts[a], 0, 60),
                              .max_nodes = most };
        t->price = (double)random_below(seed, 5);
        t->min_nodes = most > 2 ? random_below(seed, 2) : 0;
    }
    /* Often none; else at least what is launched in any case. */
    if (random_below(seed, 2) == 0) {
        m->max_launches = random_below(seed, 6);
        for (size_t i = 0; i < m->type_count && m->max_launches > 0; i++) m->max_launches += m->types[i].min_nodes;
    }
    for (size_t i = 0; i < m->node_count; i++, a++) {
        m->nodes[i] = (karp_fit_node){ .free = m->amounts[a], .free_count = some_amounts(seed, m->amounts[a], 0, 40) };
        m->nodes[i].count = random_below(seed, 4);
    }
    for (size_t i = 0; i < m->demand_count; i++, a++) {
        karp_fit_demand *d = &m->demands[i];
        *d = (karp_fit_demand){ .requests = m->amounts[a], .request_count = some_amounts(seed, m->amounts[a], 0, 20) };
        d->count = random_below(seed, 12);
        d->max_per_node = random_below(seed, 4);
        d->group = (uint32_t)random_below(seed, 4);
        d->priority = (int32_t)random_below(seed, 3);
    }
}

static int64_t amount_in(const karp_resource *list, size_t count, size_t resource)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].name.ptr == names[resource].ptr) return list[i].value;
    }
    return 0;
}

/* No node holds more than it has, nor more copies of a demand than allowed. */
static void check_load(const maker *m, const karp_fit_load *l)
{
    for (size_t r = 0; r < RESOURCES; r++) {
        int64_t used = 0;
        for (size_t k = 0; k < l->share_count; k++) {
            const karp_fit_demand *d = &m->demands[l->shares[k].demand];
            used += (int64_t)l->shares[k].copies * amount_in(d->requests, d->request_count, r);
            assert_true(l->shares[k].copies > 0 && (d->max_per_node == 0 || l->shares[k].copies <= d->max_per_node));
        }
        if (l->launched)
            assert_true(used <= amount_in(m->types[l->index].resources, m->types[l->index].resource_count, r));
        else assert_true(used <= amount_in(m->nodes[l->index].free, m->nodes[l->index].free_count, r));
    }
}

static void check_answer(const maker *m, const karp_fitting *f)
{
    uint64_t placed[DEMANDS] = { 0 }, launched[TYPES] = { 0 }, used[NODES] = { 0 }, over[DEMANDS] = { 0 };
    double cost = 0;
    for (size_t i = 0; i < karp_fitting_load_count(f); i++) {
        karp_fit_load l = { .size = sizeof l };
        assert_int_equal(karp_fitting_load(f, i, &l), KARP_OK);
        assert_true(l.nodes > 0);
        check_load(m, &l);
        *(l.launched ? &launched[l.index] : &used[l.index]) += l.nodes;
        for (size_t k = 0; k < l.share_count; k++) placed[l.shares[k].demand] += l.shares[k].copies * l.nodes;
    }
    for (size_t t = 0; t < m->type_count; t++) {
        assert_true(launched[t] == karp_fitting_launches(f, t));
        assert_true(m->types[t].max_nodes == 0 || launched[t] <= m->types[t].max_nodes);
        assert_true(launched[t] >= m->types[t].min_nodes);
        cost += m->types[t].price * (double)launched[t];
    }
    assert_true(cost == karp_fitting_cost(f));
    uint64_t all = 0;
    for (size_t t = 0; t < m->type_count; t++) all += launched[t];
    assert_true(m->max_launches == 0 || all <= m->max_launches);
    for (size_t n = 0; n < m->node_count; n++) assert_true(used[n] <= (m->nodes[n].count != 0 ? m->nodes[n].count : 1));
    for (size_t i = 0; i < karp_fitting_left_count(f); i++) {
        karp_fit_left l = { .size = sizeof l };
        assert_int_equal(karp_fitting_left(f, i, &l), KARP_OK);
        assert_true(l.copies > 0 && karp_fit_reason_name(l.reason)[0] != '\0');
        over[l.demand] = l.copies;
    }
    for (size_t d = 0; d < m->demand_count; d++) {
        assert_true(placed[d] + over[d] == m->demands[d].count);
        for (size_t e = 0; e < m->demand_count; e++) { /* of a group all or none */
            if (m->demands[d].group == 0 || m->demands[d].group != m->demands[e].group) continue;
            assert_true(over[d] == 0 || placed[e] == 0);
        }
    }
}

/* ---- the rules once more, copy by copy and node by node ---------------------------------------------------------- */

enum { MOST_NODES = 256 };

typedef struct plain {
    const maker *m;
    struct plain_node {
        size_t source;
        int64_t room[RESOURCES];
        uint64_t copies[DEMANDS];
    } nodes[MOST_NODES];
    size_t node_count;
    uint64_t launched[TYPES], launched_all, left[DEMANDS];
} plain;

static void plain_add(plain *p, size_t source)
{
    bool launched = source >= p->m->node_count;
    struct plain_node *n = &p->nodes[p->node_count++];
    assert_true(p->node_count < MOST_NODES);
    memset(n, 0, sizeof *n);
    n->source = source;
    for (size_t r = 0; r < RESOURCES; r++) {
        if (launched)
            n->room[r] = amount_in(p->m->types[source - p->m->node_count].resources,
                                   p->m->types[source - p->m->node_count].resource_count, r);
        else n->room[r] = amount_in(p->m->nodes[source].free, p->m->nodes[source].free_count, r);
    }
    if (!launched) return;
    p->launched[source - p->m->node_count]++;
    p->launched_all++;
}

static bool plain_copy(const plain *p, struct plain_node *n, size_t d)
{
    const karp_fit_demand *demand = &p->m->demands[d];
    if (demand->max_per_node != 0 && n->copies[d] >= demand->max_per_node) return false;
    for (size_t r = 0; r < RESOURCES; r++) {
        if (amount_in(demand->requests, demand->request_count, r) > n->room[r]) return false;
    }
    for (size_t r = 0; r < RESOURCES; r++) n->room[r] -= amount_in(demand->requests, demand->request_count, r);
    n->copies[d]++;
    return true;
}

/* How many of `wanted` copies a new node of a type would take. */
static uint64_t plain_takes(plain *p, size_t type, size_t d, uint64_t wanted)
{
    static plain trial;
    trial.m = p->m;
    trial.node_count = 0;
    plain_add(&trial, p->m->node_count + type);
    uint64_t n = 0;
    while (n < wanted && plain_copy(&trial, &trial.nodes[0], d)) n++;
    return n;
}

static uint64_t plain_place(plain *p, size_t d)
{
    uint64_t wanted = p->m->demands[d].count;
    for (size_t n = 0; n < p->node_count; n++) {
        while (wanted > 0 && plain_copy(p, &p->nodes[n], d)) wanted--;
    }
    while (wanted > 0) {
        size_t best = TYPES;
        uint64_t most = 0;
        for (size_t t = 0; t < p->m->type_count; t++) {
            const karp_fit_type *type = &p->m->types[t];
            if (type->max_nodes != 0 && p->launched[t] >= type->max_nodes) continue;
            if (p->m->max_launches != 0 && p->launched_all >= p->m->max_launches) continue;
            uint64_t n = plain_takes(p, t, d, wanted);
            if (n == 0) continue;
            double mine = type->price * (double)most, other = best < TYPES ? p->m->types[best].price * (double)n : 0;
            if (best < TYPES && (mine > other || (mine >= other && n <= most))) continue;
            best = t;
            most = n;
        }
        if (best == TYPES) break;
        plain_add(p, p->m->node_count + best);
        while (wanted > 0 && plain_copy(p, &p->nodes[p->node_count - 1], d)) wanted--;
    }
    return wanted;
}

/* Whether demand x goes before y: priority, then size, each against the largest amount that anything has. */
static bool plain_before(const plain *p, size_t x, size_t y)
{
    double size[2] = { 0, 0 };
    const size_t both[2] = { x, y };
    if (p->m->demands[x].priority != p->m->demands[y].priority)
        return p->m->demands[x].priority > p->m->demands[y].priority;
    for (size_t r = 0; r < RESOURCES; r++) {
        int64_t most = 0;
        for (size_t t = 0; t < p->m->type_count; t++) {
            int64_t has = amount_in(p->m->types[t].resources, p->m->types[t].resource_count, r);
            most = has > most ? has : most;
        }
        for (size_t n = 0; n < p->m->node_count; n++) {
            int64_t has = amount_in(p->m->nodes[n].free, p->m->nodes[n].free_count, r);
            most = has > most ? has : most;
        }
        for (size_t k = 0; k < 2; k++) {
            int64_t need = amount_in(p->m->demands[both[k]].requests, p->m->demands[both[k]].request_count, r);
            double part = need == 0   ? 0
                          : most == 0 ? 1e9
                                      : (double)need / (double)most; /* of small numbers: exact enough to compare */
            size[k] = part > size[k] ? part : size[k];
        }
    }
    return size[0] > size[1];
}

static void plain_fit(plain *p, const maker *m)
{
    size_t order[DEMANDS];
    bool done[DEMANDS] = { false };
    memset(p, 0, sizeof *p);
    p->m = m;
    for (size_t n = 0; n < m->node_count; n++) {
        for (uint64_t k = 0; k < (m->nodes[n].count != 0 ? m->nodes[n].count : 1); k++) plain_add(p, n);
    }
    for (size_t t = 0; t < m->type_count; t++) {
        for (uint64_t k = 0; k < m->types[t].min_nodes; k++) plain_add(p, m->node_count + t);
    }
    for (size_t d = 0; d < m->demand_count; d++) {
        size_t to = d;
        for (; to > 0 && plain_before(p, d, order[to - 1]); to--) order[to] = order[to - 1];
        order[to] = d;
    }
    for (size_t i = 0; i < m->demand_count; i++) {
        static plain before;
        uint32_t group = m->demands[order[i]].group;
        bool whole = true;
        if (done[order[i]]) continue;
        if (group == 0) {
            p->left[order[i]] = plain_place(p, order[i]);
            continue;
        }
        before = *p;
        for (size_t k = i; k < m->demand_count; k++) {
            if (m->demands[order[k]].group != group) continue;
            done[order[k]] = true;
            if (plain_place(p, order[k]) > 0) whole = false;
        }
        if (whole) continue;
        *p = before;
        for (size_t k = i; k < m->demand_count; k++) {
            if (m->demands[order[k]].group == group) p->left[order[k]] = m->demands[order[k]].count;
        }
    }
}

/* Equal nodes one after the other, as fit_words() writes them without what is left over. */
static void plain_compare(const plain *p, const karp_fitting *f)
{
    size_t at = 0;
    for (size_t i = 0; i < karp_fitting_load_count(f); i++) {
        karp_fit_load l = { .size = sizeof l };
        assert_int_equal(karp_fitting_load(f, i, &l), KARP_OK);
        for (uint64_t k = 0; k < l.nodes; k++, at++) {
            uint64_t copies[DEMANDS] = { 0 };
            for (size_t c = 0; c < l.share_count; c++) copies[l.shares[c].demand] = l.shares[c].copies;
            /* nodes that exist and receive nothing are not listed */
            static const uint64_t nothing[DEMANDS];
            while (p->nodes[at].source < p->m->node_count && memcmp(p->nodes[at].copies, nothing, sizeof nothing) == 0)
                at++;
            assert_true(at < p->node_count);
            assert_int_equal(p->nodes[at].source, l.launched ? p->m->node_count + l.index : l.index);
            assert_memory_equal(p->nodes[at].copies, copies, sizeof copies);
        }
    }
    uint64_t left[DEMANDS] = { 0 };
    for (size_t i = 0; i < karp_fitting_left_count(f); i++) {
        karp_fit_left l = { .size = sizeof l };
        assert_int_equal(karp_fitting_left(f, i, &l), KARP_OK);
        left[l.demand] = l.copies;
    }
    assert_memory_equal(left, p->left, sizeof left);
}

/* Sound, the same twice, and node for node what the plain way finds. */
static void random_requests(void **state)
{
    fit_world *w = *state;
    static maker m;
    static plain p;
    uint64_t seed = 11;
    size_t some_left = 0, all_placed = 0, limited = 0;
    for (int i = 0; i < 5000; i++) {
        make(&m, &seed);
        fit_ask(w, m.types, m.type_count, m.nodes, m.node_count, m.demands, m.demand_count);
        w->request.max_launches = m.max_launches;
        limited += m.max_launches > 0;
        karp_fitting *f = fit_made(w), *again = fit_made(w);
        check_answer(&m, f);
        plain_fit(&p, &m);
        plain_compare(&p, f);
        char first[2048];
        snprintf(first, sizeof first, "%s", fit_words(f));
        assert_string_equal(first, fit_words(again));
        *(karp_fitting_left_count(f) > 0 ? &some_left : &all_placed) += 1;
        karp_fitting_free(f);
        karp_fitting_free(again);
    }
    assert_true(some_left > 500 && all_placed > 500 && limited > 500);
}

/* A group that failed is as if it had not been asked for: the loads are those of the request without it. */
static void random_failed_groups(void **state)
{
    fit_world *w = *state;
    static maker m;
    uint64_t seed = 5;
    int compared = 0;
    for (int i = 0; i < 5000; i++) {
        make(&m, &seed);
        fit_ask(w, m.types, m.type_count, m.nodes, m.node_count, m.demands, m.demand_count);
        w->request.max_launches = m.max_launches;
        karp_fitting *f = fit_made(w);
        uint64_t launches[TYPES];
        size_t loads = karp_fitting_load_count(f);
        for (size_t t = 0; t < m.type_count; t++) launches[t] = karp_fitting_launches(f, t);
        bool failed = false;
        for (size_t k = 0; k < karp_fitting_left_count(f); k++) {
            karp_fit_left l = { .size = sizeof l };
            assert_int_equal(karp_fitting_left(f, k, &l), KARP_OK);
            uint32_t group = m.demands[l.demand].group;
            failed = failed || group != 0;
            for (size_t d = 0; d < m.demand_count && group != 0; d++) {
                if (m.demands[d].group == group) m.demands[d].count = 0;
            }
        }
        karp_fitting_free(f);
        if (!failed) continue;
        compared++;
        f = fit_made(w);
        check_answer(&m, f);
        for (size_t t = 0; t < m.type_count; t++) assert_true(launches[t] == karp_fitting_launches(f, t));
        assert_int_equal(karp_fitting_load_count(f), loads);
        karp_fitting_free(f);
    }
    assert_true(compared > 500);
}

/* ---- the least cost ---------------------------------------------------------------------------------------------- */

static karp_cost figures_of(const karp_fitting *f)
{
    karp_cost cost = { .size = sizeof cost };
    assert_int_equal(karp_fitting_objective(f, &cost), KARP_OK);
    return cost;
}

/* More to choose from: prices between whole ones, many copies, no limits. */
static void large(maker *m)
{
    m->max_launches = 0;
    for (size_t t = 0; t < m->type_count; t++) {
        m->types[t].max_nodes = 0;
        m->types[t].price += 0.1 + 0.07 * (double)t;
    }
    for (size_t d = 0; d < m->demand_count; d++) m->demands[d].count *= 6;
}

/* Sound; the same copies are left; never dearer than the rules, nor with more effort; never below the bound. */
static void random_least_cost(void **state)
{
    fit_world *w = *state;
    static maker m;
    uint64_t seed = 17;
    size_t cheaper = 0, bounded = 0, proven = 0;
    for (int i = 0; i < 400; i++) {
        make(&m, &seed);
        if (i % 2 == 0) large(&m);
        fit_ask(w, m.types, m.type_count, m.nodes, m.node_count, m.demands, m.demand_count);
        w->request.max_launches = m.max_launches;
        w->request.objective = KARP_OBJECTIVE_COMPATIBLE;
        karp_fitting *f = fit_made(w);
        karp_cost none = { .size = sizeof none };
        assert_int_equal(karp_fitting_objective(f, &none), KARP_E_NOT_FOUND);
        double before = karp_fitting_cost(f), bound = -1;
        char left[2048];
        snprintf(left, sizeof left, "%s", strchr(fit_words(f), '|') != NULL ? strchr(fit_words(f), '|') : "");
        karp_fitting_free(f);
        w->request.objective = KARP_OBJECTIVE_COST;
        static const uint64_t efforts[] = { 0, 300, 3000 };
        double rules = before;
        for (size_t e = 0; e < 3; e++) {
            w->request.effort = efforts[e];
            f = fit_made(w);
            check_answer(&m, f);
            karp_cost cost = figures_of(f);
            assert_true(cost.cost == karp_fitting_cost(f) && cost.compatible_cost == rules && cost.cost <= before);
            assert_true(cost.bound <= cost.cost && (bound < 0 || cost.bound >= bound || cost.bound >= cost.cost));
            assert_string_equal(strchr(fit_words(f), '|') != NULL ? strchr(fit_words(f), '|') : "", left);
            if (e == 0) assert_true(cost.cost == rules);
            before = cost.cost;
            bound = cost.bound;
            cheaper += e == 2 && cost.cost < rules;
            bounded += e == 2 && cost.bound > 0;
            proven += e == 2 && cost.cost > 0 && cost.optimal;
            karp_fitting_free(f);
        }
    }
    assert_true(cheaper > 15 && bounded > 100 && proven > 50);
}

/* Two demands that share nodes well; more copies than can be bought one by one; an objective that there is not. */
static void least_cost(void **state)
{
    fit_world *w = *state;
    static const karp_resource large[] = { { .name = T("cpu"), .text = T("10") } },
                               small[] = { { .name = T("cpu"), .text = T("4") } };
    static const karp_resource four[] = { { .name = T("cpu"), .text = T("4") } },
                               three[] = { { .name = T("cpu"), .text = T("3") } };
    static const karp_fit_type types[] = { { .resources = large, .resource_count = 1, .price = 10 },
                                           { .resources = small, .resource_count = 1, .price = 4.5 } };
    static const karp_fit_demand demands[] = { { .requests = four, .request_count = 1, .count = 2 },
                                               { .requests = three, .request_count = 1, .count = 2 } };
    fit_ask(w, types, 2, NULL, 0, demands, 2);
    w->request.objective = KARP_OBJECTIVE_COST;
    w->request.effort = KARP_EFFORT_10MS;
    karp_fitting *f = fit_made(w);
    karp_cost cost = figures_of(f);
    assert_true(cost.cost <= cost.compatible_cost && cost.bound > 0 && cost.bound <= cost.cost && cost.steps > 0);
    karp_fitting_free(f);
    /* More copies than are bought one by one: the rules, with a bound. */
    karp_fit_demand many = demands[1];
    many.count = UINT64_C(1) << 50;
    fit_ask(w, types, 2, NULL, 0, &many, 1);
    w->request.objective = KARP_OBJECTIVE_COST;
    f = fit_made(w);
    cost = figures_of(f);
    assert_true(cost.cost == cost.compatible_cost && cost.bound > 0 && cost.gap >= 0);
    karp_fitting_free(f);
    w->request.objective = 2;
    assert_int_equal(karp_fit(w->context, &w->request, &f, &w->error), KARP_E_INVALID);
}

static int32_t countdown(void *user)
{
    uint64_t *left = user;
    if (*left == 0) return 1;
    --*left;
    return 0;
}

/* Whenever it is stopped: CANCELED before all is placed, and what is found so far afterwards. */
static void stopped_anywhere(void **state)
{
    fit_world *w = *state;
    static maker m;
    uint64_t seed = 29;
    size_t canceled = 0, cut = 0, whole = 0;
    for (int i = 0; i < 40; i++) {
        make(&m, &seed);
        for (uint64_t n = 0; n < 40; n++) {
            uint64_t left = n;
            karp_fitting *f = NULL;
            fit_ask(w, m.types, m.type_count, m.nodes, m.node_count, m.demands, m.demand_count);
            w->request.max_launches = m.max_launches;
            w->request.objective = KARP_OBJECTIVE_COST;
            w->request.effort = 30000;
            w->request.should_stop = countdown;
            w->request.stop_user = &left;
            karp_status status = karp_fit(w->context, &w->request, &f, &w->error);
            assert_true(status == KARP_OK || status == KARP_E_CANCELED);
            canceled += status == KARP_E_CANCELED;
            if (status != KARP_OK) continue;
            check_answer(&m, f);
            *(figures_of(f).stopped ? &cut : &whole) += 1;
            karp_fitting_free(f);
        }
    }
    assert_true(cut > 20 && whole > 20);
    (void)canceled;
}

static void refused_memory(void **state)
{
    fit_world *w = *state;
    static maker m;
    uint64_t seed = 3;
    int worth = 0;
    for (int i = 0; i < 12 || worth < 4; i++) {
        make(&m, &seed);
        fit_ask(w, m.types, m.type_count, m.nodes, m.node_count, m.demands, m.demand_count);
        w->request.max_launches = m.max_launches;
        w->request.objective = i % 3 == 0 ? KARP_OBJECTIVE_COST : KARP_OBJECTIVE_COMPATIBLE;
        w->request.effort = 500;
        worth += m.type_count > 1 && m.demand_count > 3;
        for (size_t at = 1;; at++) {
            karp_fitting *f = NULL;
            fault_arm(&w->fault, at, i % 2 != 0);
            karp_status status = karp_fit(w->context, &w->request, &f, NULL);
            size_t hit = w->fault.refused;
            fault_arm(&w->fault, 0, false);
            if (hit == 0) {
                assert_int_equal(status, KARP_OK);
                check_answer(&m, f);
                karp_fitting_free(f);
                break;
            }
            assert_int_equal(status, KARP_E_NOMEM);
            assert_null(f);
            assert_int_equal(w->fault.live_blocks, 1); /* the context */
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(random_requests, fit_set_up, fit_tear_down),
        cmocka_unit_test_setup_teardown(random_failed_groups, fit_set_up, fit_tear_down),
        cmocka_unit_test_setup_teardown(random_least_cost, fit_set_up, fit_tear_down),
        cmocka_unit_test_setup_teardown(least_cost, fit_set_up, fit_tear_down),
        cmocka_unit_test_setup_teardown(stopped_anywhere, fit_set_up, fit_tear_down),
        cmocka_unit_test_setup_teardown(refused_memory, fit_set_up, fit_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
