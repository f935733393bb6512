/* SPDX-License-Identifier: Apache-2.0 */
/* Converts a decision of this library to a plan, with names only, like a plan from outside. */
#include <base/context.h>
#include <base/error.h>
#include <base/memory.h>
#include <karp/explain.h>
#include <karp/peer.h>
#include <model/snapshot.h>

static const karp_str *pod_names(arena *a, const karp_decision *decision, const uint32_t *pods, size_t count)
{
    karp_str *names = arena_array(a, count + 1, sizeof *names);
    for (size_t i = 0; i < count && names != NULL; i++) names[i] = karp_decision_pod_name(decision, pods[i]);
    return names;
}

static bool copy_launches(arena *a, const karp_decision *decision, karp_plan *plan)
{
    size_t count = karp_decision_launch_count(decision);
    karp_plan_launch *rows = arena_array(a, count + 1, sizeof *rows);
    if (rows == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        karp_launch l = { .size = sizeof l };
        (void)karp_decision_launch(decision, i, &l); /* cannot fail: the launch exists; likewise below */
        rows[i] = (karp_plan_launch){ .id = l.id,
                                      .node_pool = l.node_pool,
                                      .pods = pod_names(a, decision, l.pods, l.pod_count),
                                      .pod_count = l.pod_count,
                                      .instance_types = l.instance_types,
                                      .instance_type_count = l.instance_type_count,
                                      .requirements = l.requirements,
                                      .requirement_count = l.requirement_count };
        if (rows[i].pods == NULL) return false;
    }
    plan->launches = rows;
    plan->launch_count = count;
    return true;
}

static bool copy_placements(arena *a, const karp_decision *decision, karp_plan *plan)
{
    size_t count = karp_decision_placement_count(decision);
    karp_plan_placement *rows = arena_array(a, count + 1, sizeof *rows);
    if (rows == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        karp_placement p = { .size = sizeof p };
        (void)karp_decision_placement(decision, i, &p);
        rows[i] = (karp_plan_placement){ p.node, pod_names(a, decision, p.pods, p.pod_count), p.pod_count };
        if (rows[i].pods == NULL) return false;
    }
    plan->placements = rows;
    plan->placement_count = count;
    return true;
}

static bool copy_left(arena *a, const karp_decision *decision, karp_plan *plan)
{
    size_t unplaced = karp_decision_unschedulable_count(decision), ignored = karp_decision_ignored_count(decision);
    karp_str *names = arena_array(a, unplaced + ignored + 1, sizeof *names);
    if (names == NULL) return false;
    for (size_t i = 0; i < unplaced; i++) {
        karp_unschedulable u = { .size = sizeof u };
        (void)karp_decision_unschedulable(decision, i, &u);
        names[i] = karp_decision_pod_name(decision, u.pod);
    }
    for (size_t i = 0; i < ignored; i++) {
        karp_ignored g = { .size = sizeof g };
        (void)karp_decision_ignored(decision, i, &g);
        names[unplaced + i] = karp_decision_pod_name(decision, g.pod);
    }
    plan->left = names;
    plan->left_count = unplaced + ignored;
    return true;
}

karp_status karp_verify_decision(const karp_snapshot *snapshot, const karp_decision *decision, karp_verification **out,
                                 karp_error *error)
{
    if (snapshot == NULL || decision == NULL)
        return fail(error, KARP_E_INVALID, "a snapshot and a decision are needed");
    arena a;
    karp_plan plan = { .size = sizeof plan,
                       .profile = karp_decision_profile(decision),
                       .peer_version = karp_decision_peer_version(decision) };
    arena_init(&a, snapshot->context);
    bool copied = copy_launches(&a, decision, &plan) && copy_placements(&a, decision, &plan) &&
                  copy_left(&a, decision, &plan);
    karp_status status = copied ? karp_verify(snapshot, &plan, out, error) : fail_nomem(error);
    arena_free(&a);
    return context_refusal(snapshot->context, status, error);
}
