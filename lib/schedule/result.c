/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/result.h>

#include <base/str.h>
#include <schedule/devices.h>
#include <schedule/movable.h>
#include <schedule/pricing.h>
#include <schedule/scheduler.h>

uint64_t scheduler_steps(const scheduler *s) { return s->round.steps; }
bool scheduler_failed(const scheduler *s) { return s->failed || s->algebra.failed; }
bool scheduler_gave_up(const scheduler *s) { return devices_gave_up(s); }
void scheduler_fail(scheduler *s) { s->failed = true; }

bool scheduler_reuse(scheduler *s, const run_options *how)
{
    if (s->settings.shield != how->shield) return false;
    s->settings.options = how->options;
    return true;
}

/* Pods must not move to a node that is not initialized, unless their own node is being deleted. */
static bool refuse_uninitialized(scheduler *s)
{
    const karp_snapshot *snapshot = s->snapshot;
    if (!placement_settle(s)) return false;
    for (uint32_t i = 0; i < s->pods.count; i++) {
        uint32_t pod_number = s->pods.items[i], from = snapshot->pod_node[pod_number];
        place at = s->placement.places[pod_number];
        if (at.where != PLACE_HOST || snapshot->nodes[s->hosts.items[at.target].node].initialized) continue;
        if (from != NO_ID && bits_test(s->hosts.marked_nodes, from)) continue;
        failure *f = list_push(s->context, &s->placement.failures, sizeof *f);
        if (f == NULL) return false;
        *f = (failure){ .pod = pod_number, .view = NO_ID, .reason = KARP_REASON_UNINITIALIZED_NODE };
    }
    return true;
}

static void note_left_out(const scheduler *s, round_result *m)
{
    const karp_snapshot *snapshot = s->snapshot;
    m->all_scheduled = true;
    m->left_out = NO_ID;
    for (size_t i = 0; i < s->placement.failures.count; i++) {
        uint32_t pod_number = s->placement.failures.items[i].pod;
        if (pod_provisionable(pod_at(&snapshot->raw, pod_number))) continue;
        m->all_scheduled = false;
        if (m->left_out == NO_ID || snapshot->pod_rank[pod_number] < snapshot->pod_rank[m->left_out])
            m->left_out = pod_number;
    }
}

bool result_read(scheduler *s, arena *data, round_result *out)
{
    if (!report_claims_received(s, data, &out->got) || !report_finalize(s, data, &out->got, &out->finals) ||
        !refuse_uninitialized(s))
        return false;
    out->claims = arena_array(data, s->claims.list.count + 1, sizeof *out->claims);
    if (out->claims == NULL) return false;
    for (uint32_t c = 0; c < s->claims.list.count; c++) {
        if (!s->claims.list.items[c].dropped) out->claims[out->claim_count++] = c;
    }
    note_left_out(s, out);
    return report_sort_claims(s, &out->got, out->claims, out->claim_count) && !scheduler_failed(s);
}

bool result_cost(scheduler *s, arena *data, round_cost *out)
{
    received got;
    final_claim *finals;
    *out = (round_cost){ .launches = 0 };
    if (!report_claims_received(s, data, &got) || !report_finalize(s, data, &got, &finals)) return false;
    for (uint32_t c = 0; c < s->claims.list.count; c++) {
        uint32_t best;
        if (s->claims.list.items[c].dropped) continue;
        const type_table *t = result_table(s, c);
        out->launches++;
        if (finals[c].type_count > 0 && cheapest_offering(s, t, finals[c].types[0], finals[c].set, &best))
            out->price += t->offerings[best].price;
    }
    for (size_t i = 0; i < s->placement.failures.count; i++)
        out->left += s->snapshot->pod_node[s->placement.failures.items[i].pod] != NO_ID;
    return !scheduler_failed(s);
}

const type_table *result_table(const scheduler *s, uint32_t claim_number)
{
    return s->templates.items[s->claims.list.items[claim_number].template_].table;
}

bool result_allows(const scheduler *s, uint32_t set, uint32_t capacity_type)
{
    uint32_t r = set_get(&s->algebra, set, s->snapshot->known.capacity_type);
    return r == NO_ID || requirement_has(&s->algebra, requirement_get(&s->algebra, r), capacity_type);
}

uint32_t result_narrowed(scheduler *s, uint32_t set, uint32_t capacity_type)
{
    return set_add(&s->algebra, set, requirement_in(&s->algebra, s->snapshot->known.capacity_type, capacity_type));
}

bool result_launch(scheduler *s, karp_decision *d, uint32_t claim_number, launch_source *from)
{
    const claim *c = &s->claims.list.items[claim_number];
    from->template_ = c->template_;
    from->relaxed_min_values = c->relaxed_min_values;
    return devices_drivers(s, claim_number, &d->data, &from->drivers) && report_launch(s, d, from);
}

/* The cheapest offering that is left, of the type that comes first by name; NULL = none. */
static const offering *cheapest_of_all(scheduler *s, const type_table *t, uint32_t set)
{
    const offering *chosen = NULL;
    uint32_t best;
    for (uint32_t i = 0; t != NULL && i < t->type_count; i++) {
        uint32_t type = t->by_name[i];
        if (!set_agree(&s->algebra, t->types[type].set, set) || !cheapest_left(s, t, type, set, &best)) continue;
        double price = t->offerings[best].price;
        bool equal = chosen != NULL && price == chosen->price, earlier = false;
        if (equal)
            earlier = compare_str(text_of(s->snapshot, t->types[type].name),
                                  text_of(s->snapshot, t->types[chosen->type].name)) < 0;
        if (chosen == NULL || price < chosen->price || earlier) chosen = &t->offerings[best];
    }
    return chosen;
}

/* The launches after it that choose nothing of their own are like it. */
static bool static_launch(scheduler *s, karp_decision *d, const type_table *t, bool daemons, launch_source *from)
{
    const offering *chosen = cheapest_of_all(s, t, from->set);
    from->requests = (resource_list){ .count = 0 };
    if (chosen != NULL && daemons && !template_daemons(s, from->template_, t, chosen->type, &from->requests))
        return false;
    if (!report_launch(s, d, from)) return false;
    karp_launch *row = &d->launches.items[d->launches.count - 1];
    row->choice = (karp_choice){ str(""), str(""), str(""), 0 };
    row->choice_label_count = row->capacity_count = row->allocatable_count = 0;
    if (chosen != NULL && !report_choice(s, d, t, chosen, row)) return false;
    if (chosen != NULL) reservation_use_one(s, chosen);
    return true;
}

bool result_static_launches(scheduler *s, karp_decision *d, uint32_t pool, uint64_t count, bool daemons)
{
    uint32_t number;
    if (count == 0 || !template_of_static(s, pool, &number)) return count == 0;
    launch_source from = { .template_ = number, .set = s->templates.items[number].set };
    const type_table *t = s->snapshot->pool_table[pool] == NO_ID ? NULL
                                                                 : &s->snapshot->tables[s->snapshot->pool_table[pool]];
    bool ok = t == NULL || reservations_add(s, t);
    for (uint64_t i = 0; i < count && ok; i++) {
        bool again = i == 0 || (t != NULL && t->has_reservations);
        from.same_as = again ? 0 : d->launches.count;
        ok = again ? static_launch(s, d, t, daemons, &from) : report_launch(s, d, &from);
    }
    return ok;
}

/* Visits the offerings for the NodePool's template. false = some are not full reservations. */
static bool only_full(scheduler *s, const type_table *t, uint32_t set, uint32_t *offered, uint32_t *count)
{
    for (uint32_t i = 0; i < t->offering_count; i++) {
        const offering *o = &t->offerings[i];
        if (!set_agree(&s->algebra, t->types[o->type].set, set) || !offering_compatible(s, o, set)) continue;
        bool reserved = o->capacity_type == s->snapshot->known.reserved;
        if (!reserved || (o->available && o->reservation_capacity > 0)) return false;
        if (o->available) offered[(*count)++] = o->reservation;
    }
    return true;
}

bool result_static_reserved(scheduler *s, uint32_t pool, uint32_t *offered, uint32_t *count, bool *full)
{
    uint32_t number;
    if (!template_of_static(s, pool, &number)) return false;
    const type_table *t = &s->snapshot->tables[s->snapshot->pool_table[pool]];
    *full = only_full(s, t, s->templates.items[number].set, offered, count);
    return !scheduler_failed(s);
}

bool result_buffer_nodes(scheduler *s, uint8_t *nodes)
{
    if (!placement_settle(s)) return false;
    for (uint32_t i = 0; i < s->pods.count; i++) {
        place at = s->placement.places[s->pods.items[i]];
        if (at.where == PLACE_HOST && (pod_at(&s->snapshot->raw, s->pods.items[i])->flags & POD_VIRTUAL))
            nodes[s->hosts.items[at.target].node] = 1;
    }
    return true;
}
