/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/policy.h>

#include <schedule/devices.h>
#include <schedule/gang_loop.h>
#include <schedule/pricing.h>
#include <schedule/scheduler.h>
#include <schedule/solve.h>

#define SPOT_SLACK 0.15 /* default, so that spot launches have several types to choose from */

void policy_aim(policy *p, const karp_objective *aim)
{
    bool given = (aim->flags & KARP_COST_PRICE_SLACK) != 0;
    p->slack = given ? aim->price_slack : 0;
    p->spot_slack = given ? aim->price_slack : SPOT_SLACK;
}

void scheduler_set_policy(scheduler *s, const policy *p) { s->policy = p; }

uint32_t policy_template_count(const scheduler *s) { return s->templates.count; }

uint32_t policy_types_within(scheduler *s, uint32_t template_number, int64_t cpus)
{
    const template_ *t = &s->templates.items[template_number];
    size_t words_ = template_words(t), width = t->table->variant_count;
    amount most = amount_whole(cpus);
    uint64_t *bits = mem_zalloc(s->context, (words_ + 1) * sizeof *bits);
    if (bits == NULL) return mem_refused_id(&s->failed);
    bool all = true;
    const uint64_t *initial = s->types.sets.items[t->initial].bits;
    for (size_t v = bits_next(initial, width, 0); v < width; v = bits_next(initial, width, v + 1)) {
        const instance_type *type = &t->table->types[t->table->variants[v].type];
        if (amount_cmp(resource_list_get(type->capacity_list, RESOURCE_CPU), most) <= 0) bits_set(bits, v);
        else all = false;
    }
    uint32_t id = all || !bits_any(bits, words_) ? NO_ID : typeset_make(s, template_number, bits);
    mem_free(s->context, bits, (words_ + 1) * sizeof *bits);
    return id;
}

static double price_of(scheduler *s, const type_table *t, uint32_t type, uint32_t set, bool *is_spot)
{
    uint32_t best;
    if (!cheapest_offering(s, t, type, set, &best)) return -1;
    *is_spot = t->offerings[best].capacity_type == s->snapshot->known.spot;
    return t->offerings[best].price;
}

bool policy_listed(scheduler *s, const type_table *t, const uint32_t *types, uint32_t set, uint32_t *count)
{
    bool is_spot = false, other;
    uint32_t needed, n = 1;
    if (*count < 2) return true;
    (void)min_values_needed(s, t, types, *count, set, &needed);
    double first = price_of(s, t, types[0], set, &is_spot);
    double most = first * (1 + (is_spot ? s->policy->spot_slack : s->policy->slack));
    while (n < *count) {
        double price = price_of(s, t, types[n], set, &other);
        if (price < 0 || price > most) break;
        n++;
    }
    *count = n < needed ? needed : n;
    return !s->failed;
}

bool policy_bill(scheduler *s, const karp_objective *aim, round_bill *out)
{
    final_lists lists;
    arena a = arena_on(s->context);
    *out = (round_bill){ .cost = 0, .priced = true };
    final_claim *finals = arena_array(&a, s->claims.list.count + 1, sizeof *finals);
    bool ok = final_lists_init(&lists, s, &a) && finals != NULL;
    for (uint32_t c = 0; ok && c < s->claims.list.count; c++) {
        const claim *k = &s->claims.list.items[c];
        ok = claim_finalize(s, c, &a, &lists, finals);
        out->dropped = out->dropped || k->dropped;
        if (!ok || k->dropped) continue;
        bool is_spot = false;
        double price = finals[c].type_count == 0 ? -1
                                                 : price_of(s, s->templates.items[k->template_].table,
                                                            finals[c].types[0], finals[c].set, &is_spot);
        out->launches++;
        out->cost += cost_of_price(aim, price < 0 ? 0 : price, is_spot);
        out->priced = out->priced && price >= 0;
    }
    final_lists_free(&lists);
    arena_free(&a);
    return ok && !s->failed && !s->algebra.failed;
}

void policy_note_given_up(scheduler *s, uint16_t *steps) { s->placement.gave_up = steps; }

void policy_left(scheduler *s, uint64_t *pods)
{
    bool dropped = false;
    for (size_t i = 0; i < s->placement.failures.count; i++) bits_set(pods, s->placement.failures.items[i].pod);
    for (uint32_t c = 0; c < s->claims.list.count; c++) dropped = dropped || s->claims.list.items[c].dropped;
    for (uint32_t i = 0; dropped && i < s->snapshot->raw.pods.count; i++) {
        place at = placement_get(s, i);
        if (at.where == PLACE_CLAIM && s->claims.list.items[at.target].dropped) bits_set(pods, i);
    }
}

bool policy_cut_short(const scheduler *s) { return s->round.stopped || devices_gave_up(s); }

bool policy_stopped(const scheduler *s) { return s->own_context.stop_noted || s->round.stopped; }

bool policy_round_stopped(const scheduler *s) { return s->round.stopped; }

bool policy_has_topology(const scheduler *s)
{
    return s->topology.groups.count > 0 || gang_loop_applies(s) || s->volumes.limited_drivers > 0 || s->devices != NULL;
}
