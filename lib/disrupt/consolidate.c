/* SPDX-License-Identifier: Apache-2.0 */
#include <disrupt/consolidate.h>

#include <base/bits.h>
#include <base/error.h>
#include <disrupt/balanced.h>
#include <math.h>
#include <schedule/pricing.h>

enum { SPOT_TO_SPOT_TYPES = 15 };

/* The types, in their order, with an offering that meets these requirements; `out` may be the same list. */
static uint32_t types_to_be_had(scheduler *s, const type_table *t, const uint32_t *types, uint32_t count, uint32_t set,
                                uint32_t *out)
{
    uint32_t kept = 0, best;
    for (uint32_t i = 0; i < count; i++) {
        if (cheapest_offering(s, t, types[i], set, &best)) out[kept++] = types[i];
    }
    return kept;
}

static double price_of(const pass *p, const uint32_t *candidates, uint32_t count)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < count; i++) sum += p->found.candidates[candidates[i]].price;
    return sum;
}

/* Keeps the types that cost less than the removed nodes, whichever the provider picks, and checks minValues for
 * them. */
static uint32_t cheaper_types(simulation *m, replacement *r, uint32_t *types, double limit, uint32_t *needed)
{
    const type_table *t = result_table(m->s, r->claim);
    uint32_t count = r->type_count;
    r->type_count = types_below(m->s, t, types, count, r->set, limit);
    if (!min_values_needed(m->s, t, types, r->type_count, r->set, needed))
        return r->type_count == 0 ? KARP_REASON_NO_CHEAPER_NODE : KARP_REASON_MIN_VALUES_BY_PRICE;
    return r->type_count == 0 ? KARP_REASON_NO_CHEAPER_NODE : KARP_REASON_NONE;
}

/* Puts the types in the order in which Karpenter takes the first ones. It has sorted all types of the launch. */
static bool order_as_peer(simulation *m, const replacement *r, uint32_t *types)
{
    const final_claim *f = &m->result.finals[r->claim];
    const type_table *t = result_table(m->s, r->claim);
    uint64_t *kept = arena_array(&m->data, bits_words(t->type_count) + 1, sizeof *kept);
    uint32_t *all = arena_array(&m->data, f->all_count + (size_t)1, sizeof *all), n = 0;
    if (kept == NULL || all == NULL) return false;
    memcpy(all, f->types, f->all_count * sizeof *all);
    for (uint32_t i = 0; i < r->type_count; i++) bits_set(kept, types[i]);
    if (!peer_order_by_price(m->s, t, all, f->all_count, f->set)) return false;
    for (uint32_t i = 0; i < f->all_count; i++) {
        if (bits_test(kept, all[i])) types[n++] = all[i];
    }
    return true;
}

static uint32_t spot_to_spot(const pass *p, simulation *m, const command *c, replacement *r, uint32_t *types,
                             double limit)
{
    uint32_t needed;
    const type_table *t = result_table(m->s, r->claim);
    if ((p->snapshot->raw.settings.gates & KARP_GATE_SPOT_TO_SPOT) == 0) return KARP_REASON_SPOT_TO_SPOT_DISABLED;
    if (c->candidate_count == 1 && !order_as_peer(m, r, types)) scheduler_fail(m->s);
    r->set = result_narrowed(m->s, r->set, p->snapshot->known.spot);
    r->type_count = types_to_be_had(m->s, t, types, r->type_count, r->set, types);
    uint32_t code = cheaper_types(m, r, types, limit, &needed);
    if (code != KARP_REASON_NONE || c->candidate_count > 1) return code;
    if (r->type_count < SPOT_TO_SPOT_TYPES) return KARP_REASON_SPOT_TO_SPOT_TOO_FEW_TYPES;
    uint32_t most = needed > SPOT_TO_SPOT_TYPES ? needed : SPOT_TO_SPOT_TYPES;
    if (r->type_count > most) r->type_count = most;
    if (!order_by_price(m->s, t, types, r->type_count, r->set)) scheduler_fail(m->s);
    return KARP_REASON_NONE;
}

/*
 * A replacement priced as spot must not fall back to on-demand. Karpenter narrows every claim that allows both to spot,
 * even without a spot offering, and then counts it as free (D-Q11). Otherwise it is narrowed to spot only if some type
 * has a spot offering.
 */
static void prefer_spot(pass *p, simulation *m, replacement *r, uint32_t *types)
{
    uint32_t set = result_narrowed(m->s, r->set, p->snapshot->known.spot), needed;
    if (!pass_quirk(p, 11)) {
        const type_table *t = result_table(m->s, r->claim);
        uint32_t *kept = arena_array(&p->data, r->type_count + (size_t)1, sizeof *kept);
        if (kept == NULL) {
            scheduler_fail(m->s);
            return;
        }
        uint32_t count = types_to_be_had(m->s, t, types, r->type_count, set, kept);
        if (count == 0 || !min_values_needed(m->s, t, kept, count, set, &needed)) return;
        memcpy(types, kept, count * sizeof *types);
        r->type_count = count;
    }
    r->set = set;
}

/* The decision from the step at which exactly one node would be launched. */
static uint32_t settle_replacement(pass *p, simulation *m, const command *c, replacement *r, uint32_t *types)
{
    const known_text *k = &p->snapshot->known;
    double limit = price_of(p, c->candidates, c->candidate_count);
    bool all_spot = true;
    uint32_t needed;
    for (uint32_t i = 0; i < c->candidate_count; i++)
        all_spot = all_spot && p->found.candidates[c->candidates[i]].capacity_type == k->spot;
    if (all_spot && result_allows(m->s, r->set, k->spot)) return spot_to_spot(p, m, c, r, types, limit);
    uint32_t code = cheaper_types(m, r, types, limit, &needed);
    if (code != KARP_REASON_NONE) return code;
    if (result_allows(m->s, r->set, k->spot) && result_allows(m->s, r->set, k->on_demand)) prefer_spot(p, m, r, types);
    return KARP_REASON_NONE;
}

/* ---- replacing a node with one of its own type ------------------------------------------------------------------- */

static uint32_t type_name(const pass *p, const candidate *c)
{
    return p->snapshot->tables[p->snapshot->pool_table[c->pool]].types[c->type].name;
}

static bool held_at(scheduler *s, const pass *p, const candidate *c, double *price)
{
    const karp_snapshot *snapshot = p->snapshot;
    return cheapest_of_labels(s, &snapshot->tables[snapshot->pool_table[c->pool]], c->type,
                              snapshot->nodes[c->node].labels, price);
}

/* The lowest price of a candidate of this type; 0 when no offering matches, infinite when no candidate has the type. */
static double price_of_kind(scheduler *s, const pass *p, const command *c, uint32_t name)
{
    double least = HUGE_VAL, one = 0.0;
    bool used = false, priced = false;
    for (uint32_t i = 0; i < c->candidate_count; i++) {
        const candidate *x = &p->found.candidates[c->candidates[i]];
        if (type_name(p, x) != name) continue;
        used = true;
        if (!held_at(s, p, x, &one)) continue;
        priced = true;
        if (one < least) least = one;
    }
    return used && !priced ? 0.0 : least;
}

/* Keeps only types that are cheaper than every removed node whose own type the replacement could have; false =
 * none is left, or minValues is violated. */
static bool same_type_filter(const pass *p, const command *c, replacement *r)
{
    scheduler *s = c->simulation->s;
    const type_table *t = result_table(s, r->claim);
    double limit = HUGE_VAL;
    uint32_t kept = 0, needed;
    uint32_t *types = arena_array(&c->simulation->data, r->type_count + (size_t)1, sizeof *types);
    if (types == NULL) {
        scheduler_fail(s);
        return false;
    }
    for (uint32_t i = 0; i < r->type_count; i++) {
        double one = price_of_kind(s, p, c, t->types[r->types[i]].name);
        if (one < limit) limit = one;
    }
    for (uint32_t i = 0; i < r->type_count; i++) types[i] = r->types[i];
    kept = types_below(s, t, types, r->type_count, r->set, limit);
    r->types = types;
    r->type_count = kept;
    return kept > 0 && min_values_needed(s, t, types, kept, r->set, &needed);
}

/* ---- one attempt ------------------------------------------------------------------------------------------------- */

static uint32_t add_replacement(pass *p, simulation *m, command *c, bool filter_types)
{
    const final_claim *f = &m->result.finals[m->result.claims[0]];
    replacement *r = arena_array(&p->data, 1, sizeof *r);
    uint32_t *types = arena_array(&p->data, f->type_count + (size_t)1, sizeof *types);
    if (r == NULL || types == NULL) {
        scheduler_fail(m->s);
        return KARP_REASON_NONE;
    }
    memcpy(types, f->types, f->type_count * sizeof *types); /* a claim has at least one type */
    *r = (replacement){ .claim = m->result.claims[0], .set = f->set, .types = types, .type_count = f->type_count };
    c->replacements = r;
    c->replacement_count = 1;
    uint32_t code = settle_replacement(p, m, c, r, types);
    if (code == KARP_REASON_NONE && filter_types && !same_type_filter(p, c, r)) code = KARP_REASON_SAME_TYPE;
    return code;
}

/* Evaluates the simulation and fills the command. */
static uint32_t judge(pass *p, simulation *m, command *c, bool filter_types, karp_str *detail)
{
    if (!m->result.all_scheduled) {
        *detail = pod_name(p->snapshot, m->result.left_out);
        return KARP_REASON_PODS_WOULD_NOT_SCHEDULE;
    }
    if (m->result.claim_count > 1) return KARP_REASON_SEVERAL_NODES_NEEDED;
    uint32_t code = m->result.claim_count == 1 ? add_replacement(p, m, c, filter_types) : KARP_REASON_NONE;
    if (code != KARP_REASON_NONE) return code;
    c->savings = command_savings(p, c);
    if (command_approved(p, c, &c->score)) return KARP_REASON_NONE;
    *detail = balanced_detail(p, c->score);
    if (detail->ptr == NULL) scheduler_fail(m->s);
    return KARP_REASON_BALANCED_SCORE;
}

karp_status consolidate(pass *p, const uint32_t *candidates, uint32_t count, bool filter_types, attempt *out,
                        karp_error *error)
{
    simulation *m;
    bool vain;
    karp_status status = simulation_in_vain(p, candidates, count, price_of(p, candidates, count), &vain, error);
    if (status == KARP_OK && vain) {
        *out = (attempt){ .outcome = SIMULATED, .code = KARP_REASON_NO_CHEAPER_NODE, .detail = { "", 0 } };
        return KARP_OK;
    }
    if (status == KARP_OK) status = simulate(p, candidates, count, true, &m, error);
    if (status != KARP_OK) return status;
    *out = (attempt){ .outcome = m->outcome, .code = KARP_REASON_NO_NODEPOOLS, .detail = { "", 0 } };
    if (m->outcome == SIMULATION_STOPPED) out->code = KARP_REASON_SEARCH_STOPPED;
    if (m->outcome == SIMULATED) {
        out->command = (command){ .candidates = candidates,
                                  .candidate_count = count,
                                  .simulation = m,
                                  .bound = KARP_DURATION_UNSET,
                                  .score = -1.0 };
        out->code = judge(p, m, &out->command, filter_types, &out->detail);
        if (scheduler_failed(m->s)) {
            simulation_free(p, m);
            return fail_nomem(error);
        }
        if (out->code == KARP_REASON_SEVERAL_NODES_NEEDED) out->found = m->result.claim_count;
        if (out->code == KARP_REASON_SPOT_TO_SPOT_TOO_FEW_TYPES) out->found = out->command.replacements->type_count;
        out->possible = out->code == KARP_REASON_NONE;
        if (out->command.replacement_count > 0) out->command.decision = KARP_COMMAND_REPLACE;
    }
    if (!out->possible) simulation_free(p, m);
    return KARP_OK;
}

/* The price of a replacement in savings; Karpenter considers the first type only (D-Q11). */
static double replacement_price(const pass *p, const simulation *m, const replacement *r)
{
    const type_table *t = result_table(m->s, r->claim);
    uint32_t last = pass_quirk(p, 11) && r->type_count > 1 ? 1 : r->type_count, best;
    double least = 0.0;
    bool some = false;
    for (uint32_t i = 0; i < last; i++) {
        if (!cheapest_offering(m->s, t, r->types[i], r->set, &best)) continue;
        if (!some || t->offerings[best].price < least) least = t->offerings[best].price;
        some = true;
    }
    return least;
}

double command_savings(const pass *p, const command *c)
{
    double savings = 0.0;
    for (uint32_t i = 0; i < c->candidate_count; i++) savings += p->found.candidates[c->candidates[i]].price;
    for (uint32_t i = 0; i < c->replacement_count; i++)
        savings -= replacement_price(p, c->simulation, &c->replacements[i]);
    return savings;
}
