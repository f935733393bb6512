/* SPDX-License-Identifier: Apache-2.0 */
#include <decision/decision.h>
#include <base/money.h>

#include <karp/peer.h>

#include <base/error.h>
#include <records/rows.h>
#include <records/tables.h>

karp_decision *decision_new(const karp_snapshot *snapshot)
{
    karp_decision *d = made_new(snapshot->context, sizeof *d);
    if (d == NULL) return NULL;
    d->snapshot = snapshot_hold(snapshot);
    atomic_init(&d->references, 1);
    d->complete = true;
    return d;
}

static void decision_free(karp_decision *d)
{
    list_free(d->context, &d->launches, sizeof(karp_launch));
    list_free(d->context, &d->placements, sizeof(karp_placement));
    list_free(d->context, &d->unschedulable, sizeof(karp_unschedulable));
    list_free(d->context, &d->ignored, sizeof(karp_ignored));
    list_free(d->context, &d->groups, sizeof(karp_group_outcome));
    list_free(d->context, &d->preferences, sizeof(karp_preference));
    list_free(d->context, &d->nodes, sizeof(karp_node_use));
    list_free(d->context, &d->warnings, sizeof(karp_str));
    list_free(d->context, &d->candidates, sizeof(karp_candidate));
    list_free(d->context, &d->budgets, sizeof(karp_pool_budget));
    list_free(d->context, &d->commands, sizeof(karp_command));
    list_free(d->context, &d->kept, sizeof(karp_kept));
    list_free(d->context, &d->repack_steps, sizeof(karp_repack_step));
    list_free(d->context, &d->repack_points, sizeof(karp_repack_point));
    karp_bound_free(d->bound);
    karp_snapshot_unref(d->snapshot);
    made_free(d, sizeof *d);
}

bool decision_warn(karp_decision *d, const char *text, size_t length)
{
    const char *copy = arena_string(&d->data, text, length);
    karp_str *slot = copy == NULL ? NULL : list_push(d->context, &d->warnings, sizeof *slot);
    if (slot == NULL) return false;
    *slot = (karp_str){ copy, length };
    return true;
}

double decision_staying(const karp_decision *d)
{
    double cost = 0;
    for (size_t i = 0; i < d->nodes.count; i++) cost += d->nodes.items[i].marked ? 0 : d->nodes.items[i].price;
    return cost;
}

double decision_with_launches(const karp_decision *d, double cost)
{
    for (size_t i = 0; i < d->launches.count; i++) cost += d->launches.items[i].choice.price;
    return cost;
}

const karp_snapshot *karp_decision_snapshot(const karp_decision *decision) { return decision->snapshot; }

karp_decision *karp_decision_ref(const karp_decision *decision)
{
    karp_decision *own = (karp_decision *)(uintptr_t)decision; /* the count is not part of what is constant */
    if (own != NULL) atomic_fetch_add_explicit(&own->references, 1, memory_order_relaxed);
    return own;
}

void karp_decision_unref(karp_decision *decision)
{
    if (decision == NULL) return;
    if (atomic_fetch_sub_explicit(&decision->references, 1, memory_order_acq_rel) == 1) decision_free(decision);
}

uint32_t karp_decision_complete(const karp_decision *decision) { return decision->complete; }
uint32_t karp_decision_profile(const karp_decision *decision) { return decision->profile; }
uint32_t karp_decision_peer_version(const karp_decision *decision) { return decision->peer_version; }
int64_t karp_decision_now(const karp_decision *decision) { return decision->now; }

double karp_decision_cost_before(const karp_decision *decision)
{
    return decision->nodes_later ? nodes_price(decision->snapshot, true) : decision->cost_before;
}

double karp_decision_cost_after(const karp_decision *decision)
{
    return decision->held + (decision->nodes_later
                                 ? decision_with_launches(decision, nodes_price(decision->snapshot, false))
                                 : decision->cost_after);
}

size_t karp_decision_unpriced_count(const karp_decision *decision)
{
    size_t count = decision->nodes_later ? nodes_unpriced(decision->snapshot) : 0;
    for (size_t i = 0; !decision->nodes_later && i < decision->nodes.count; i++) {
        const karp_node_use *n = &decision->nodes.items[i];
        count += !n->marked && n->node_pool.len > 0 && !has_price(n->price);
    }
    for (size_t i = 0; i < decision->launches.count; i++) count += !has_price(decision->launches.items[i].choice.price);
    return count;
}

karp_str karp_decision_pod_name(const karp_decision *decision, uint32_t pod_number)
{
    return karp_snapshot_pod_name(decision->snapshot, pod_number);
}

size_t karp_decision_warning_count(const karp_decision *decision) { return decision->warnings.count; }

karp_str karp_decision_warning(const karp_decision *decision, size_t index)
{
    return index < decision->warnings.count ? decision->warnings.items[index] : (karp_str){ NULL, 0 };
}

size_t karp_decision_preference_count(const karp_decision *decision) { return decision->preferences.count; }

karp_status karp_decision_preference(const karp_decision *decision, size_t index, karp_preference *out)
{
    if (index >= decision->preferences.count) return KARP_E_NOT_FOUND;
    return struct_give(out, &decision->preferences.items[index], sizeof *out, SIZE_THROUGH(karp_preference, dropped));
}

const karp_certificate *karp_decision_certificate(const karp_decision *decision)
{
    return decision->bound != NULL ? &decision->bound->certificate : NULL;
}

/* ---- bounds ------------------------------------------------------------------------------------------------------ */

double karp_bound_value(const karp_bound *bound) { return (double)bound->certificate.value / KARP_MONEY_PER_DOLLAR; }

const karp_certificate *karp_bound_certificate(const karp_bound *bound) { return &bound->certificate; }

void karp_bound_free(karp_bound *bound)
{
    if (bound == NULL) return;
    karp_context *context = bound->data.context;
    karp_snapshot *snapshot = bound->snapshot;
    arena_free(&bound->data);
    mem_free(context, bound, sizeof *bound);
    karp_snapshot_unref(snapshot);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Every row type starts with its size, so that callers compiled with any version get the members that they know. */
static karp_status give_row(const record *r, const void *items, size_t count, size_t index, void *out)
{
    if (out == NULL) return KARP_E_INVALID;
    if (index >= count) return KARP_E_NOT_FOUND;
    return struct_give(out, (const char *)items + index * r->size, r->size, r->first);
}

size_t karp_decision_launch_count(const karp_decision *decision) { return decision->launches.count; }
karp_status karp_decision_launch(const karp_decision *decision, size_t index, karp_launch *out)
{
    return give_row(&record_launch, decision->launches.items, decision->launches.count, index, out);
}

size_t karp_decision_placement_count(const karp_decision *decision) { return decision->placements.count; }
karp_status karp_decision_placement(const karp_decision *decision, size_t index, karp_placement *out)
{
    return give_row(&record_placement, decision->placements.items, decision->placements.count, index, out);
}

size_t karp_decision_unschedulable_count(const karp_decision *decision) { return decision->unschedulable.count; }
karp_status karp_decision_unschedulable(const karp_decision *decision, size_t index, karp_unschedulable *out)
{
    return give_row(&record_unschedulable, decision->unschedulable.items, decision->unschedulable.count, index, out);
}

size_t karp_decision_group_count(const karp_decision *decision) { return decision->groups.count; }
karp_status karp_decision_group(const karp_decision *decision, size_t index, karp_group_outcome *out)
{
    if (out == NULL) return KARP_E_INVALID;
    if (index >= decision->groups.count) return KARP_E_NOT_FOUND;
    return struct_give(out, &decision->groups.items[index], sizeof *out, SIZE_THROUGH(karp_group_outcome, domain));
}

size_t karp_decision_ignored_count(const karp_decision *decision) { return decision->ignored.count; }
karp_status karp_decision_ignored(const karp_decision *decision, size_t index, karp_ignored *out)
{
    return give_row(&record_ignored, decision->ignored.items, decision->ignored.count, index, out);
}

size_t karp_decision_node_count(const karp_decision *decision)
{
    return decision->nodes_later ? decision->snapshot->node_count : decision->nodes.count;
}

karp_status karp_decision_node(const karp_decision *decision, size_t index, karp_node_use *out)
{
    karp_node_use made;
    if (decision->nodes_later && index < decision->snapshot->node_count) {
        node_row(decision->snapshot, &decision->node_changes, (uint32_t)index, &made);
        return give_row(&record_node_use, &made, 1, 0, out);
    }
    return give_row(&record_node_use, decision->nodes.items, decision->nodes.count, index, out);
}

karp_status karp_decision_disruption(const karp_decision *decision, karp_disruption *out)
{
    return give_row(&(const record){ SIZED(karp_disruption, error_message) }, &decision->disruption, decision->disrupts,
                    0, out);
}

karp_status karp_decision_memory(const karp_decision *decision, karp_memory *out)
{
    return give_row(&(const record){ SIZED(karp_memory, unseen_count) }, &decision->memory, decision->remembers, 0,
                    out);
}

karp_status karp_decision_cost(const karp_decision *decision, karp_cost *out)
{
    return give_row(&(const record){ SIZED(karp_cost, flags) }, &decision->cost, decision->costed, 0, out);
}

karp_status karp_decision_repack(const karp_decision *decision, karp_repack_cost *out)
{
    return give_row(&(const record){ SIZED(karp_repack_cost, reserved) }, &decision->repack, decision->repacks, 0, out);
}

karp_status karp_decision_repack_step(const karp_decision *decision, size_t index, karp_repack_step *out)
{
    return give_row(&(const record){ SIZED(karp_repack_step, total_evictions) }, decision->repack_steps.items,
                    decision->repack_steps.count, index, out);
}

size_t karp_decision_repack_point_count(const karp_decision *decision) { return decision->repack_points.count; }
karp_status karp_decision_repack_point(const karp_decision *decision, size_t index, karp_repack_point *out)
{
    return give_row(&(const record){ SIZED(karp_repack_point, bound) }, decision->repack_points.items,
                    decision->repack_points.count, index, out);
}

size_t karp_decision_candidate_count(const karp_decision *decision) { return decision->candidates.count; }
karp_status karp_decision_candidate(const karp_decision *decision, size_t index, karp_candidate *out)
{
    return give_row(&record_candidate, decision->candidates.items, decision->candidates.count, index, out);
}

size_t karp_decision_budget_count(const karp_decision *decision) { return decision->budgets.count; }
karp_status karp_decision_budget(const karp_decision *decision, size_t index, karp_pool_budget *out)
{
    return give_row(&(const record){ SIZED(karp_pool_budget, next_change) }, decision->budgets.items,
                    decision->budgets.count, index, out);
}

size_t karp_decision_command_count(const karp_decision *decision) { return decision->commands.count; }
karp_status karp_decision_command(const karp_decision *decision, size_t index, karp_command *out)
{
    return give_row(&record_command, decision->commands.items, decision->commands.count, index, out);
}

size_t karp_decision_kept_count(const karp_decision *decision) { return decision->kept.count; }
karp_status karp_decision_kept(const karp_decision *decision, size_t index, karp_kept *out)
{
    return give_row(&record_kept, decision->kept.items, decision->kept.count, index, out);
}
