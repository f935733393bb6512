/* SPDX-License-Identifier: Apache-2.0 */
#include <optimise/certificate_plans.h>
#include <optimise/certify.h>

#include <base/bits.h>
#include <base/context.h>
#include <base/error.h>
#include <inttypes.h>
#include <model/groups.h>
#include <model/quantity.h>
#include <schedule/policy.h>
#include <schedule/pricing.h>
#include <schedule/options.h>
#include <schedule/result.h>
#include <schedule/solve.h>

/* ---- the bound of a round ---------------------------------------------------------------------------------------- */

enum {
    PARTS_A_STEP = 40,
    ROUNDS = 400,
    FEW_CLASSES = 50,
    LEAST_EFFORT = 5000,
    EFFORT_PART = 1,
    MOST_EFFORT = 10000000,
    TRAIL_CLASSES = 500, /* most classes of a trail */
    LEAST_RISE = 64 /* the first part of the bound by which they may raise it */
};
#define MOST_LEAST (INT64_MAX / 4) /* more than any plan that is looked at costs */
#define TOLERANCE 0.001 /* relative to the fluid optimum */
#define FEW_TOLERANCE 0.00001 /* the same for few classes, for which it is fast */

uint64_t round_bound_effort(uint64_t effort)
{
    return effort / EFFORT_PART < MOST_EFFORT ? LEAST_EFFORT + effort / EFFORT_PART : MOST_EFFORT;
}

bool round_problem(scheduler *s, arena *a, const uint16_t *steps, const karp_objective *aim, const bound_parts *parts,
                   round_bound *out)
{
    relaxed *r = &out->question;
    out->node_cost = aim->node_cost;
    out->ignores_preferences = (aim->flags & KARP_COST_IGNORE_PREFERENCES) != 0;
    out->spot_factor = aim->spot_factor > 0 ? aim->spot_factor : 1;
    if (!relaxed_make(s, a, steps, out->ignores_preferences, r) ||
        (parts->most_skew > 0 && !relaxed_split(s, a, steps, out->ignores_preferences, parts->most_skew, r)) ||
        (parts->choices && !relaxed_choose(s, a, r)))
        return false;
    int64_t *costs = arena_array(a, r->offer_count + (size_t)1, sizeof *costs);
    if (costs == NULL) return false;
    for (uint32_t o = 0; o < r->offer_count; o++)
        costs[o] = money_of(cost_of_price(aim, r->offers[o].price, r->offers[o].spot));
    out->problem = (bound_problem){ .dims = r->dims,
                                    .class_count = r->class_count,
                                    .offer_count = r->offer_count,
                                    .node_count = r->node_count,
                                    .requests = r->requests,
                                    .counts = r->counts,
                                    .bought = r->bought,
                                    .limits = r->limits,
                                    .capacity = r->capacity,
                                    .costs = costs,
                                    .allowed = r->allowed,
                                    .choices = r->choices,
                                    .choice_count = r->choice_count };
    return bound_use_whole_units(a, &out->problem);
}

bool round_problem_limits(arena *a, round_bound *out)
{
    const relaxed *r = &out->question;
    int64_t *limits = arena_array(a, r->class_count + (size_t)1, sizeof *limits);
    for (uint32_t c = 0; limits != NULL && c < r->class_count; c++) {
        int64_t most = r->most != NULL ? r->most[c] : r->counts[c], all = most > 0 ? most : 1;
        limits[c] = r->limits[c] < all ? r->limits[c] : all;
    }
    out->problem.limits = limits;
    return limits != NULL;
}

bool certificate_find_value(karp_context *context, const bound_problem *p, const bound_proof *proof, int64_t *out)
{
    amount value;
    proof_fault fault;
    *out = 0;
    if (!proof_holds(context, p, proof, &value, &fault)) return fault.kind != PROOF_NO_MEMORY;
    if (amount_sign(value) > 0 && !amount_scale(value, amount_from(1), out)) *out = INT64_MAX;
    return true;
}

/* The same, where nodes are whole: the least that nodes cost whose charges are as much as the value. */
__attribute__((cold)) static bool find_counts(karp_context *context, const bound_problem *p, const bound_proof *proof,
                                              int64_t *out)
{
    return certificate_find_value(context, p, proof, out) &&
           counts_raise(context, p, proof, &(const counts_nodes){ .needed = *out }, LEAST_RISE, out);
}

/* plans_least() with the prices of a proof. */
__attribute__((cold)) static enum proof_verdict whole_plans(karp_context *context, const bound_problem *p,
                                                            const bound_proof *proof, int64_t enough, uint64_t *work,
                                                            int64_t *least)
{
    arena a = arena_on(context);
    amount value, *spent = arena_array(&a, p->node_count + (size_t)1, sizeof *spent);
    int64_t *most = arena_array(&a, p->node_count + (size_t)1, sizeof *most), all = 0;
    proof_fault fault;
    enum proof_verdict verdict = PROOF_NO_MEMORY;
    if (spent != NULL && most != NULL)
        verdict = proof_holds_for(context, p, proof, &value, spent, &fault) ? PROOF_HOLDS : fault.kind;
    for (uint32_t i = 0; i < p->node_count && verdict == PROOF_HOLDS; i++) {
        if (!amount_scale(spent[i], amount_from(1), &most[i]) || most[i] > MOST_LEAST - all) verdict = PROOF_TOO_MUCH;
        else all += most[i];
    }
    const plans_prices prices = { proof->y, most };
    if (verdict == PROOF_HOLDS) verdict = plans_least(context, p, &prices, enough, work, least);
    arena_free(&a);
    return verdict;
}

/* If there are few pods, the bound becomes the least that whole nodes for them cost. false = out of memory, or stopped.
 */
static bool find_least(karp_context *context, const karp_objective *aim, round_bound *out)
{
    uint64_t work = round_bound_effort(aim->effort) * PARTS_A_STEP;
    int64_t least = 0;
    if (work > PLANS_WORK) work = PLANS_WORK;
    enum proof_verdict verdict = whole_plans(context, &out->problem, &out->proof, MOST_LEAST, &work, &least);
    if (verdict == PROOF_HOLDS && least >= out->value && least < MOST_LEAST) {
        out->value = least;
        out->tree.nodes = NULL; /* whoever checks the bound looks at all plans instead */
    }
    return verdict != PROOF_NO_MEMORY;
}

/* The bound for whole pods, with its trail. false = out of memory, or stopped. */
static bool find_whole(arena *a, const karp_objective *aim, const round_bound *b, round_trail *trail,
                       bound_charges *charges, bound_proof *out)
{
    const bound_problem *p = &b->problem;
    bound_trail *x = trail != NULL && p->class_count <= TRAIL_CLASSES ? &trail->solutions : NULL, own;
    int64_t pods = 0;
    if (trail != NULL) trail->solutions.fleet_count = 0;
    for (uint32_t c = 0; c < p->class_count && pods <= COUNTS_PODS; c++) pods += p->counts[c];
    if (pods > COUNTS_PODS) charges = NULL;
    if (x == NULL) return bound_whole(a, p, &b->proof, round_bound_effort(aim->effort), NULL, charges, out);
    uint64_t *stops = arena_array(a, x->count + (size_t)1, sizeof *stops);
    own = (bound_trail){ .count = x->count, .stops = stops, .at = x->at };
    for (uint32_t i = 0; stops != NULL && i < x->count; i++) {
        stops[i] = round_bound_effort(x->stops[i]);
        x->at[i] = (bound_patterns){ .count = 0 };
    }
    bool ok = stops != NULL && bound_whole(a, p, &b->proof, round_bound_effort(aim->effort), &own, charges, out);
    memcpy(x->fleets, own.fleets, sizeof x->fleets);
    x->fleet_count = own.fleet_count;
    return ok;
}

/* Copies what the search needs of the trail. */
static bool keep_trail(arena *keep, const round_bound *b, round_trail *trail)
{
    const relaxed *r = &b->question;
    trail->class_count = r->class_count;
    trail->samples = arena_copy(keep, r->samples, r->class_count * sizeof *r->samples);
    trail->offers = arena_copy(keep, r->offers, r->offer_count * sizeof *r->offers);
    for (uint32_t i = 0; i < trail->solutions.count; i++) {
        bound_patterns *x = &trail->solutions.at[i];
        x->offer = arena_copy(keep, x->offer, x->count * sizeof *x->offer);
        x->copies = arena_copy(keep, x->copies, x->count * (size_t)r->class_count * sizeof *x->copies);
        if (x->offer == NULL || x->copies == NULL) return false;
    }
    for (uint32_t i = 0; i < trail->solutions.fleet_count; i++) {
        bound_fleet *x = &trail->solutions.fleets[i];
        x->offer = arena_copy(keep, x->offer, x->count * sizeof *x->offer);
        x->copies = arena_copy(keep, x->copies, x->count * (size_t)r->class_count * sizeof *x->copies);
        if (x->offer == NULL || x->copies == NULL) return false;
    }
    return trail->samples != NULL && trail->offers != NULL;
}

static void take_better(round_bound *out, const bound_proof *proof, int64_t value)
{
    if (value <= out->value) return;
    out->proof = *proof;
    out->value = value;
}

/* Makes the problem and a checked proof: the fluid bound first, then the bound for whole pods with a part of the
 * objective's effort. An invalid proof counts as the bound 0. false = out of memory, or stopped through the context
 * of `a`. */
__attribute__((cold)) static bool find_bound(scheduler *s, arena *a, const uint16_t *steps, const karp_objective *aim,
                                             bool choices, round_trail *trail, round_bound *out)
{
    const bound_parts parts = { INT32_MAX, choices };
    bound_proof whole;
    bound_charges charges = { .tree_steps = aim->effort };
    if (!round_problem(s, a, steps, aim, &parts, out)) return false;
    const relaxed *r = &out->question;
    if (r->choice_count == r->spread_choices) out->problem.samples = r->samples; /* groups are of several samples */
    double tolerance = out->problem.class_count <= FEW_CLASSES ? FEW_TOLERANCE : TOLERANCE;
    if (!bound_fluid(a, &out->problem, tolerance, ROUNDS, &out->proof)) return false;
    if (!round_problem_limits(a, out)) return false;
    if (!certificate_find_value(a->context, &out->problem, &out->proof, &out->value)) return false;
    if (!find_whole(a, aim, out, trail, &charges, &whole)) return false;
    int64_t value = 0;
    if (whole.y != NULL && !certificate_find_value(a->context, &out->problem, &whole, &value)) return false;
    take_better(out, &whole, value);
    for (uint32_t i = 0; i < charges.count; i++) {
        if (!find_counts(a->context, &out->problem, &charges.proofs[i], &value)) return false;
        take_better(out, &charges.proofs[i], value);
    }
    return certificate_take_tree(a, &charges.tree, out) && find_least(a->context, aim, out);
}

/* Prices that know the choices prove more or less than prices without them, which are optimised for fewer classes: the
 * better one is used. The trail, copied to `keep`, is that of the classes without choices. */
static bool round_bound_find(scheduler *s, arena *a, const uint16_t *steps, const karp_objective *aim,
                             round_trail *trail, arena *keep, round_bound *out)
{
    round_bound with = { .value = 0 };
    if (!find_bound(s, a, steps, aim, true, trail, &with)) return false;
    *out = with;
    bool groups = with.question.choice_count > with.question.spread_choices;
    if (groups && !find_bound(s, a, steps, aim, false, trail, out)) return false;
    if (trail != NULL && !keep_trail(keep, out, trail)) return false;
    if (with.value >= out->value) *out = with;
    return true;
}

/* ---- the description of the snapshot ----------------------------------------------------------------------------- */

typedef struct writer {
    const karp_snapshot *seen;
    scheduler *s;
    const round_bound *b;
    arena *a;
    karp_certificate *out;
} writer;

static bool list_resources(writer *w)
{
    const relaxed *q = &w->b->question;
    karp_certificate_resource *list = arena_array(w->a, q->dims + (size_t)1, sizeof *list);
    for (uint32_t d = 0; list != NULL && d < q->dims; d++) {
        char text[QUANTITY_TEXT];
        size_t length = quantity_format((quantity){ .value = q->units[d] }, text);
        char *unit = arena_string(w->a, text, length);
        if (unit == NULL) return false;
        list[d] = (karp_certificate_resource){ q->resources[d], { unit, length } };
    }
    w->out->resources = list;
    w->out->resource_count = q->dims;
    return list != NULL;
}

static bool list_classes(writer *w)
{
    const bound_problem *p = &w->b->problem;
    karp_certificate_class *list = arena_array(w->a, p->class_count + (size_t)1, sizeof *list);
    const int64_t *requests = arena_copy(w->a, p->requests, (size_t)p->class_count * p->dims * sizeof *requests);
    if (list == NULL || requests == NULL) return false;
    for (uint32_t c = 0; c < p->class_count; c++) {
        list[c] = (karp_certificate_class){ .pod = pod_name(w->seen, w->b->question.samples[c]),
                                            .count = p->counts[c],
                                            .price = w->b->proof.y != NULL ? w->b->proof.y[c] : 0,
                                            .limit = p->limits[c] == COPIES_ANY ? 0 : p->limits[c],
                                            .requests = requests + (size_t)c * p->dims };
    }
    w->out->classes = list;
    w->out->class_count = p->class_count;
    return true;
}

static bool list_zones(writer *w)
{
    const relaxed *q = &w->b->question;
    karp_certificate_zone *list = arena_array(w->a, q->class_count + (size_t)1, sizeof *list);
    if (list == NULL) return false;
    for (uint32_t c = 0; q->domains != NULL && c < q->class_count; c++) {
        if (q->domains[c] == NO_ID) continue;
        list[w->out->zone_count++] = (karp_certificate_zone){ c, q->surplus != NULL ? q->surplus[c] : 0,
                                                              text_of(w->seen, q->domains[c]) };
    }
    w->out->zones = list;
    return true;
}

/* "namespace/name"; ptr NULL = out of memory. */
static karp_str group_text(arena *a, const karp_snapshot *seen, const member_group *g)
{
    karp_str space = text_of(seen, g->name_space), name = name_of(seen, g->name);
    char *text = arena_alloc(a, space.len + name.len + 2);
    if (text == NULL) return (karp_str){ NULL, 0 };
    memcpy(text, space.ptr, space.len);
    text[space.len] = '/';
    memcpy(text + space.len + 1, name.ptr, name.len);
    return (karp_str){ text, space.len + name.len + 1 };
}

/* The names of so many domains, separated by commas; ptr NULL = out of memory. */
static karp_str domains_text(arena *a, const karp_snapshot *seen, const uint32_t *domains, size_t count)
{
    karp_str out = { NULL, 0 };
    for (size_t i = 0; i < count; i++) out.len += text_of(seen, domains[i]).len + (i > 0);
    char *text = arena_alloc(a, out.len + 1), *at = text;
    for (size_t i = 0; text != NULL && i < count; i++) {
        karp_str name = text_of(seen, domains[i]);
        if (i > 0) *at++ = ',';
        memcpy(at, name.ptr, name.len);
        at += name.len;
    }
    out.ptr = text;
    return out;
}

/* Lists one of the groups that are alike, its pods and its domains. */
static bool list_choice(writer *w, const relaxed_choice *x, karp_certificate_choice *out)
{
    bool spread = x->group == NO_ID;
    uint32_t names = spread ? x->member_count : 1;
    karp_certificate_copies *pods = arena_array(w->a, x->member_count + (size_t)1, sizeof *pods);
    karp_certificate_domain *domains = arena_array(w->a, x->domain_count + (size_t)1, sizeof *domains);
    const uint32_t *classes = arena_copy(w->a, x->classes, (size_t)x->domain_count * x->member_count * sizeof *classes);
    if (pods == NULL || domains == NULL || classes == NULL) return false;
    for (uint32_t n = 0; n < x->member_count; n++)
        pods[n] = (karp_certificate_copies){ x->members[n], (uint32_t)x->copies[n] };
    for (uint32_t d = 0; d < x->domain_count; d++) {
        domains[d] = (karp_certificate_domain){ domains_text(w->a, w->seen, x->domains + (size_t)d * names, names),
                                                classes + (size_t)d * x->member_count };
        if (domains[d].domain.ptr == NULL) return false;
    }
    *out = (karp_certificate_choice){ .group = spread ? (karp_str){ "", 0 }
                                                      : group_text(w->a, w->seen, &w->seen->groups->items[x->group]),
                                      .topology_key = text_of(w->seen, x->key),
                                      .class_number = x->class_,
                                      .count = (uint32_t)x->groups,
                                      .pod_count = x->member_count,
                                      .pods = pods,
                                      .domain_count = x->domain_count,
                                      .domains = domains };
    return out->group.ptr != NULL;
}

static bool list_choices(writer *w)
{
    const relaxed *q = &w->b->question;
    karp_certificate_choice *list = arena_array(w->a, q->choice_count + (size_t)1, sizeof *list);
    for (uint32_t i = 0; list != NULL && i < q->choice_count; i++) {
        if (!list_choice(w, &q->choices[i], &list[i])) return false;
    }
    w->out->choices = list;
    w->out->choice_count = q->choice_count;
    return list != NULL;
}

static bool list_offers(writer *w)
{
    const bound_problem *p = &w->b->problem;
    const relaxed *q = &w->b->question;
    karp_certificate_offer *list = arena_array(w->a, p->offer_count + (size_t)1, sizeof *list);
    karp_certificate_node *nodes = arena_array(w->a, p->node_count + (size_t)1, sizeof *nodes);
    if (list == NULL || nodes == NULL) return false;
    const uint32_t *row = w->b->proof.covered_by;
    for (uint32_t o = 0; o < p->offer_count; o++) {
        karp_str names[4];
        relaxed_offer_names(w->s, &q->offers[o], names);
        list[o] = (karp_certificate_offer){ names[0], names[1],    names[2],
                                            names[3], p->costs[o], row != NULL ? row[o] : 0,
                                            0 };
    }
    for (uint32_t i = 0; i < p->node_count; i++)
        nodes[i] = (karp_certificate_node){ name_of(w->seen, w->seen->nodes[q->nodes[i]].name),
                                            row != NULL ? row[p->offer_count + i] : 0, 0 };
    w->out->offers = list;
    w->out->offer_count = p->offer_count;
    w->out->nodes = nodes;
    w->out->node_count = p->node_count;
    return true;
}

__attribute__((cold)) static bool fill(writer *w)
{
    *w->out = (karp_certificate){ .size = sizeof *w->out,
                                  .value = w->b->value,
                                  .node_cost = w->b->node_cost,
                                  .spot_factor = w->b->spot_factor,
                                  .ignore_preferences = w->b->ignores_preferences };
    return list_resources(w) && list_classes(w) && list_zones(w) && list_choices(w) && list_offers(w) &&
           (w->b->proof.y == NULL || certificate_list_proofs(w->b, w->a, w->out));
}

bool certificate_fill(const karp_snapshot *seen, scheduler *s, const round_bound *b, arena *a, karp_certificate *out)
{
    writer w = { seen, s, b, a, out };
    return fill(&w);
}

__attribute__((cold)) karp_status bound_of_round(scheduler *s, const karp_snapshot *seen, const karp_options *options,
                                                 const uint16_t *steps, const karp_objective *aim, round_trail *trail,
                                                 arena *keep, karp_bound **out)
{
    karp_context run;
    round_bound b = { .value = 0 };
    karp_bound *bound = mem_zalloc(seen->context, sizeof *bound);
    if (bound == NULL) return KARP_E_NOMEM;
    context_begin_run(&run, seen->context, options->should_stop, options->stop_user);
    arena work = arena_on(&run);
    arena_init(&bound->data, seen->context);
    bound->snapshot = snapshot_hold(seen);
    writer w = { seen, s, &b, &bound->data, &bound->certificate };
    bool ok = round_bound_find(s, &work, steps, aim, trail, keep, &b) && fill(&w);
    arena_free(&work);
    *out = ok ? bound : NULL;
    if (ok) return KARP_OK;
    karp_bound_free(bound);
    return run.stop_noted ? context_refusal(seen->context, KARP_E_NOMEM, NULL) : KARP_E_NOMEM;
}

/* ---- checking ---------------------------------------------------------------------------------------------------- */

karp_status certificate_differs(karp_error *error, const char *what, size_t index)
{
    return fail(error, KARP_E_INVALID,
                "the certificate is of another snapshot, version or options: its %s %zu is not what the snapshot has",
                what, index);
}

static bool same_choice(const karp_certificate_choice *a, const karp_certificate_choice *b)
{
    bool same = equal_str(a->group, b->group) && equal_str(a->topology_key, b->topology_key) &&
                a->class_number == b->class_number && a->count == b->count && a->pod_count == b->pod_count &&
                a->domain_count == b->domain_count;
    for (size_t i = 0; same && i < b->pod_count; i++)
        same = a->pods[i].class_number == b->pods[i].class_number && a->pods[i].count == b->pods[i].count;
    for (size_t i = 0; same && i < b->domain_count; i++)
        same = equal_str(a->domains[i].domain, b->domains[i].domain) &&
               (b->pod_count == 0 ||
                memcmp(a->domains[i].classes, b->domains[i].classes, b->pod_count * sizeof(uint32_t)) == 0);
    return same;
}

static karp_status compare_choices(const karp_certificate *given, const karp_certificate *expected, karp_error *error)
{
    if (given->choice_count != expected->choice_count)
        return certificate_differs(error, "number of groups,", given->choice_count);
    for (size_t i = 0; i < expected->choice_count; i++) {
        if (!same_choice(&given->choices[i], &expected->choices[i])) return certificate_differs(error, "group", i);
    }
    return KARP_OK;
}

/* Compares the certificate with the snapshot; `expected` describes the snapshot, without a proof. */
__attribute__((cold)) static karp_status compare(const karp_certificate *given, const karp_certificate *expected,
                                                 karp_error *error)
{
    if (given->resource_count != expected->resource_count)
        return certificate_differs(error, "number of resources,", given->resource_count);
    if (given->class_count != expected->class_count)
        return certificate_differs(error, "number of classes,", given->class_count);
    if (given->offer_count != expected->offer_count)
        return certificate_differs(error, "number of offerings,", given->offer_count);
    if (given->node_count != expected->node_count)
        return certificate_differs(error, "number of nodes,", given->node_count);
    if (given->zone_count != expected->zone_count)
        return certificate_differs(error, "number of zones,", given->zone_count);
    for (size_t i = 0; i < expected->resource_count; i++) {
        if (!equal_str(given->resources[i].name, expected->resources[i].name) ||
            !equal_str(given->resources[i].unit, expected->resources[i].unit))
            return certificate_differs(error, "resource", i);
    }
    for (size_t i = 0; i < expected->class_count; i++) {
        const karp_certificate_class *a = &given->classes[i], *b = &expected->classes[i];
        if (!equal_str(a->pod, b->pod) || a->count != b->count || a->limit != b->limit ||
            memcmp(a->requests, b->requests, expected->resource_count * sizeof(int64_t)) != 0)
            return certificate_differs(error, "class", i);
    }
    for (size_t i = 0; i < expected->offer_count; i++) {
        const karp_certificate_offer *a = &given->offers[i], *b = &expected->offers[i];
        if (a->reserved != 0) return fail_reserved(error, "karp_certificate_offer");
        if (!equal_str(a->node_pool, b->node_pool) || !equal_str(a->instance_type, b->instance_type) ||
            !equal_str(a->zone, b->zone) || !equal_str(a->capacity_type, b->capacity_type) || a->cost != b->cost)
            return certificate_differs(error, "offering", i);
    }
    for (size_t i = 0; i < expected->zone_count; i++) {
        const karp_certificate_zone *a = &given->zones[i], *b = &expected->zones[i];
        if (a->class_number != b->class_number || a->surplus != b->surplus || !equal_str(a->zone, b->zone))
            return certificate_differs(error, "zone of a class,", i);
    }
    karp_status status = compare_choices(given, expected, error);
    if (status != KARP_OK) return status;
    for (size_t i = 0; i < expected->node_count; i++) {
        if (given->nodes[i].reserved != 0) return fail_reserved(error, "karp_certificate_node");
        if (!equal_str(given->nodes[i].name, expected->nodes[i].name)) return certificate_differs(error, "node", i);
    }
    return KARP_OK;
}

/* A certificate that was written before capacity was rounded to what pods can fill has the whole capacity. It is then
 * checked with that. */
static karp_status compare_rows(const karp_certificate *c, const round_bound *b, int64_t *capacity, karp_error *error)
{
    const bound_problem *p = &b->problem;
    size_t width = bits_words(p->class_count);
    for (size_t i = 0; i < c->row_count; i++) {
        const karp_certificate_row *r = &c->rows[i];
        if (r->of >= p->offer_count + (uint64_t)p->node_count)
            return fail(error, KARP_E_INVALID, "row %zu of the certificate is of an offering that does not exist", i);
        for (size_t k = 0; k < r->extra_count; k++) {
            if (r->extras[k].reserved != 0) return fail_reserved(error, "karp_certificate_extra");
        }
        size_t first = (size_t)r->of * p->dims, bytes = p->dims * sizeof(int64_t);
        bool whole = memcmp(r->capacity, b->question.capacity + first, bytes) == 0;
        if (whole) memcpy(capacity + first, r->capacity, bytes);
        if ((!whole && memcmp(r->capacity, p->capacity + first, bytes) != 0) ||
            !bits_equal(r->classes, p->allowed + r->of * width, width))
            return certificate_differs(error, "row", i);
    }
    return KARP_OK;
}

karp_status certificate_fault(karp_error *error, const proof_fault *fault)
{
    static const char *const why[] = {
        [PROOF_HOLDS] = "",
        [PROOF_NEGATIVE] = "some price is negative",
        [PROOF_CLASS_TOO_DEAR] = "a class has a higher price than a row pays for it",
        [PROOF_GROUP_TOO_DEAR] = "a group of pods has a higher price than its pods in a domain",
        [PROOF_OFFER_TOO_CHEAP] = "a row spends more than its offering costs",
        [PROOF_NOT_COVERED] = "an offering or node has no row that holds for it",
        [PROOF_OVERFLOW] = "a sum is too large",
        [PROOF_TOO_MUCH] = "there are too many contents of a node to look at",
        [PROOF_NO_MEMORY] = ""
    };
    if (fault->kind == PROOF_NO_MEMORY) return fail_nomem(error);
    return fail(error, KARP_E_INVALID, "the certificate proves nothing: %s (offering %" PRId64 ", class %" PRId64 ")",
                why[fault->kind], fault->offer == UINT32_MAX ? -1 : (int64_t)fault->offer,
                fault->class_ == UINT32_MAX ? -1 : (int64_t)fault->class_);
}

static karp_status judge(arena *a, const karp_certificate *c, const bound_problem *p, const bound_proof *proof,
                         karp_error *error)
{
    karp_context *context = a->context;
    amount value;
    proof_fault fault;
    if (!proof_holds(context, p, proof, &value, &fault)) return certificate_fault(error, &fault);
    int64_t proven = 0;
    if (amount_sign(value) > 0 && !amount_scale(value, amount_from(1), &proven)) proven = INT64_MAX;
    if (c->value <= proven) return KARP_OK;
    /* More than prices prove may be what whole nodes cost, or what all plans of whole nodes show. */
    uint64_t work = PLANS_WORK;
    int64_t least = 0;
    enum proof_verdict verdict = counts_least(context, p, proof, proven, c->value, &least);
    if (verdict == PROOF_HOLDS && least >= c->value) return KARP_OK;
    if (verdict == PROOF_NO_MEMORY) return fail_nomem(error);
    if (c->branch_count > 0) return certificate_judge_tree(a, c, p, proof, error);
    verdict = whole_plans(context, p, proof, c->value, &work, &least);
    if (verdict == PROOF_NO_MEMORY) return fail_nomem(error);
    if (verdict != PROOF_HOLDS || c->value > least)
        return fail(error, KARP_E_INVALID, "the certificate claims %" PRId64 " and proves %" PRId64 " (10^-12 $/h)",
                    c->value, proven);
    return KARP_OK;
}

__attribute__((cold)) karp_status certificate_proof(scheduler *s, const karp_snapshot *seen, round_bound *b,
                                                    const karp_certificate *c, arena *a, bound_proof *out,
                                                    karp_error *error)
{
    round_bound facts = *b; /* without its proof, if it has one */
    karp_certificate expected;
    size_t rows = b->problem.offer_count + (size_t)b->problem.node_count;
    int64_t *capacity = arena_copy(a, b->problem.capacity, rows * b->problem.dims * sizeof *capacity);
    if (capacity == NULL) return fail_nomem(error);
    facts.proof = (bound_proof){ .y = NULL };
    if (!certificate_fill(seen, s, &facts, a, &expected)) return fail_nomem(error);
    karp_status status = compare(c, &expected, error);
    /* Each offering and node has at most one row. */
    if (status == KARP_OK && c->row_count > expected.offer_count + expected.node_count)
        status = certificate_differs(error, "number of rows,", c->row_count);
    if (status == KARP_OK) status = compare_rows(c, b, capacity, error);
    b->problem.capacity = capacity;
    return status == KARP_OK ? certificate_read_proof(c, &b->problem, a, out, error) : status;
}

static karp_status check(scheduler *s, const karp_snapshot *seen, const uint16_t *steps, const karp_certificate *c,
                         arena *a, karp_error *error)
{
    round_bound b = { .value = 0 };
    bound_proof proof;
    const karp_objective aim = { .node_cost = c->node_cost,
                                 .spot_factor = c->spot_factor,
                                 .flags = c->ignore_preferences != 0 ? KARP_COST_IGNORE_PREFERENCES : 0 };
    /* A certificate that was written before classes were divided by zones has none that are. */
    bool groups = false;
    for (size_t i = 0; i < c->choice_count; i++) groups = groups || c->choices[i].group.len > 0;
    const bound_parts parts = { c->zone_count > 0 ? INT32_MAX : 0, groups };
    if (!round_problem(s, a, steps, &aim, &parts, &b) || !round_problem_limits(a, &b)) return fail_nomem(error);
    karp_status status = certificate_proof(s, seen, &b, c, a, &proof, error);
    return status == KARP_OK ? judge(a, c, &b.problem, &proof, error) : status;
}

/* ---- public functions -------------------------------------------------------------------------------------------- */

/* Decides like Karpenter, and then computes a bound (without a certificate) or checks the certificate. */
__attribute__((cold)) static karp_status decide_and(const karp_snapshot *snapshot, const karp_options *options,
                                                    const karp_certificate *c, karp_bound **out, karp_error *error)
{
    karp_options checked;
    karp_objective objective;
    karp_snapshot view;
    karp_status status = options_check(options, &checked, error);
    if (status == KARP_OK) status = objective_check(&checked, &objective, error);
    if (status == KARP_OK) status = options_prices(snapshot, error);
    if (status != KARP_OK) return status;
    const karp_snapshot *seen = options_view(&checked, snapshot, &view);
    bool ignores = c != NULL ? c->ignore_preferences != 0 : (objective.flags & KARP_COST_IGNORE_PREFERENCES) != 0;
    const run_options how = { .options = &checked, .ignore_preferences = ignores };
    scheduler *s = NULL;
    arena a = arena_on(snapshot->context);
    uint16_t *steps = arena_array(&a, seen->raw.pods.count + 1, sizeof *steps);
    status = steps != NULL ? scheduler_new(seen, &how, &s, error) : KARP_E_NOMEM;
    if (status == KARP_OK) {
        policy_note_given_up(s, steps);
        status = scheduler_round(s, NULL, 0, NULL, 0, error);
    }
    /* Launches that fail minValues in the end place no pods. */
    round_cost cost;
    if (status == KARP_OK && !result_cost(s, &a, &cost)) status = KARP_E_NOMEM;
    if (status == KARP_OK && c != NULL) status = check(s, seen, steps, c, &a, error);
    if (status == KARP_OK && c == NULL) {
        status = bound_of_round(s, seen, &checked, steps, &objective, NULL, NULL, out);
        if (status == KARP_E_CANCELED) (void)fail(error, status, "stopped before the bound was found");
    }
    scheduler_free(s);
    arena_free(&a);
    return status == KARP_E_NOMEM ? context_nomem(snapshot->context, error) : status;
}

karp_status karp_cost_bound(const karp_snapshot *snapshot, const karp_options *options, karp_bound **out,
                            karp_error *error)
{
    if (snapshot == NULL || out == NULL) return fail_null(error, "snapshot or out");
    return decide_and(snapshot, options, NULL, out, error);
}

static bool weights_reserved(const karp_certificate *c)
{
    for (size_t i = 0; i < c->branch_count; i++) {
        for (uint32_t n = 0; n < c->branches[i].weight_count; n++) {
            if (c->branches[i].weights[n].reserved != 0) return true;
        }
    }
    return false;
}

karp_status karp_certificate_check(const karp_snapshot *snapshot, const karp_options *options,
                                   const karp_certificate *certificate, karp_error *error)
{
    karp_certificate copy;
    if (snapshot == NULL || certificate == NULL) return fail_null(error, "snapshot or certificate");
    karp_status status = struct_check(certificate, sizeof copy, SIZE_THROUGH(karp_certificate, nodes), &copy,
                                      "karp_certificate", error);
    if (status == KARP_OK && copy.reserved != 0) status = fail_reserved(error, "karp_certificate");
    if (status == KARP_OK && !(copy.node_cost >= 0 && copy.node_cost <= 1e6))
        status = fail(error, KARP_E_INVALID, "the certificate's node cost is wrong");
    if (status == KARP_OK && !(copy.spot_factor >= 0 && copy.spot_factor <= 1e6))
        status = fail(error, KARP_E_INVALID, "the certificate's factor of spot is wrong");
    if (status == KARP_OK && weights_reserved(&copy)) status = fail_reserved(error, "karp_certificate_weight");
    if (status != KARP_OK) return status;
    if (copy.member_count > 0) return repack_certificate_check(snapshot, options, &copy, error);
    return decide_and(snapshot, options, &copy, NULL, error);
}
