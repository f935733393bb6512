/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans of several steps: disruption commands, or a repack plan. The cluster after the first n steps is checked as if
 * one launch decision had led to it: removed nodes count as being deleted, so that all their pods have to be placed.
 * So everything that karp_verify() checks is also checked for each step, in the cluster that the previous steps
 * leave.
 */
#include <verify/verify.h>

#include <base/context.h>
#include <base/error.h>
#include <math.h>
#include <base/cron.h>

/* The removed nodes, and the places of their pods, after so many steps. */
typedef struct prefix {
    verifier *v; /* for findings and memory; it checks no plan itself */
    karp_snapshot view;
    const karp_plan_step *steps;
    karp_plan plan; /* combination of all steps so far */
    karp_plan_launch *launches;
    karp_plan_placement *placements;
    uint32_t *moved_of_budget; /* by PodDisruptionBudget: number of pods that the step moves */
    uint8_t *is_moved; /* by pod: a step contains a placement for it */
} prefix;

static karp_str step_name(const prefix *p, size_t index)
{
    char text[32] = "";
    size_t at = sizeof text;
    for (size_t n = index + 1; n > 0; n /= 10) text[--at] = (char)('0' + n % 10);
    karp_str number = { text + at, sizeof text - at };
    return object_name(p->v, "step", number);
}

/* ---- disruption budgets ------------------------------------------------------------------------------------------ */

static bool has_do_not_disrupt(const karp_snapshot *s, label_list annotations)
{
    for (uint32_t i = 0; i < annotations.count; i++) {
        if (annotations.items[i].key == s->known.do_not_disrupt && annotations.items[i].value == s->known.true_)
            return true;
    }
    return false;
}

static const char *why_it_stays(const karp_snapshot *s, const state_node *n)
{
    if (n->node == NO_ID || n->claim == NO_ID || n->pool == NO_ID) return "it is not of a NodePool";
    if (!n->initialized) return "it is not initialized yet";
    if (has_do_not_disrupt(s, s->raw.nodes.items[n->node].meta.annotations))
        return "it carries karpenter.sh/do-not-disrupt";
    return NULL;
}

/* Whether a budget is active at `now`. */
static bool in_force(const budget *b, int64_t now)
{
    cron schedule;
    int64_t hit, length = b->duration == KARP_DURATION_UNSET || b->duration < 0 ? 0 : b->duration;
    if (b->schedule.len == 0 && b->duration == KARP_DURATION_UNSET) return true;
    if (!cron_parse(b->schedule.ptr, b->schedule.len, &schedule)) return true; /* an invalid schedule allows nothing */
    int64_t from = now < INT64_MIN + length ? INT64_MIN : now - length;
    return cron_next(&schedule, from, &hit) && hit <= now;
}

/* "3", or a percentage such as "10%" of all, rounded up. An invalid text allows nothing. */
static uint64_t allowed_by(karp_str nodes, uint64_t all)
{
    uint64_t number = 0;
    if (nodes.len == 0) nodes = (karp_str){ "10%", 3 };
    bool percent = nodes.ptr[nodes.len - 1] == '%';
    for (size_t i = 0; i + percent < nodes.len; i++) {
        if (nodes.ptr[i] < '0' || nodes.ptr[i] > '9' || i > 9) return 0;
        number = 10 * number + (uint64_t)(nodes.ptr[i] - '0');
    }
    return percent ? (number * all + 99) / 100 : number;
}

static void check_budgets(const prefix *p, const karp_plan_step *step, size_t index, uint32_t pool)
{
    const karp_snapshot *s = p->v->snapshot;
    const node_pool *owner = &s->raw.pools.items[pool];
    uint64_t all = 0, leaving = 0, going = 0;
    for (uint32_t i = 0; i < s->node_count; i++) {
        all += s->nodes[i].pool == pool;
        leaving += s->nodes[i].pool == pool && s->nodes[i].marked;
    }
    for (size_t i = 0; i < step->node_count; i++) {
        uint32_t number = state_node_named(s, step->nodes[i]);
        going += number != NO_ID && s->nodes[number].pool == pool;
    }
    for (uint32_t i = 0; i < owner->budget_count && going > 0; i++) {
        const budget *b = &owner->budgets[i];
        bool applies = !b->has_reasons || step->reason == 0 || (b->reasons & step->reason) != 0;
        uint64_t most = applies && in_force(b, p->v->now) ? allowed_by(b->nodes, all) : UINT64_MAX;
        if (going + leaving <= most) continue;
        note(p->v, KARP_FINDING_BUDGET, step_name(p, index),
             "it removes %u nodes of NodePool %.*s, whose budget allows %u", (unsigned)going,
             SHOW(name_of(s, owner->meta.name)), (unsigned)(most < leaving ? 0 : most - leaving));
        return;
    }
}

/* A step disrupts all pods of a group in disruption mode "all", or none. */
static void check_wholes(prefix *p, size_t index)
{
    const karp_plan_step *step = &p->steps[index];
    const karp_snapshot *s = p->v->snapshot;
    if (p->plan.profile != KARP_PROFILE_KARP || (step->flags & KARP_STEP_FORCED) != 0) return;
    uint8_t *going = verifier_alloc(p->v, s->raw.nodes.count + 1, 1);
    for (size_t i = 0; going != NULL && i < step->node_count; i++) {
        uint32_t number = state_node_named(s, step->nodes[i]);
        if (number != NO_ID && s->nodes[number].node != NO_ID) going[s->nodes[number].node] = 1;
    }
    if (going != NULL) check_whole_groups(p->v, going, p->is_moved, index);
}

static void check_nodes(prefix *p, size_t index, uint32_t flags)
{
    const karp_plan_step *step = &p->steps[index];
    const karp_snapshot *s = p->v->snapshot;
    for (size_t i = 0; i < step->node_count; i++) {
        uint32_t number = state_node_named(s, step->nodes[i]);
        karp_str name = object_name(p->v, "node", step->nodes[i]);
        if (number == NO_ID) {
            note(p->v, KARP_FINDING_NODE_UNKNOWN, name, "step %u removes it, but there is no such node",
                 (unsigned)index + 1);
            continue;
        }
        if (p->view.nodes[number].marked)
            note(p->v, KARP_FINDING_NODE_UNUSABLE, name, "step %u removes it, but it is removed already",
                 (unsigned)index + 1);
        const char *why = (step->flags & KARP_STEP_FORCED) != 0 ? NULL : why_it_stays(s, &s->nodes[number]);
        if (why != NULL)
            note(p->v, KARP_FINDING_NODE_STAYS, name, "step %u removes it, but %s", (unsigned)index + 1, why);
        p->view.nodes[number].marked = (step->flags & KARP_STEP_PODS_LATER) == 0;
    }
    if ((step->flags & KARP_STEP_FORCED) != 0 || (flags & KARP_VERIFY_IGNORE_BUDGETS) != 0) return;
    for (uint32_t pool = 0; pool < s->raw.pools.count; pool++) check_budgets(p, step, index, pool);
}

/* ---- PodDisruptionBudgets ---------------------------------------------------------------------------------------- */

/* Counts a pod that the step moves against each budget that selects it. */
static void count_moved(prefix *p, karp_str name)
{
    const karp_snapshot *s = p->v->snapshot;
    const store *raw = &s->raw;
    uint32_t number = verify_find_pod(s, name);
    if (number == NO_ID) return; /* karp_verify() reports it */
    const pod *moved = pod_at(raw, number);
    p->is_moved[number] = 1;
    if (moved->node == NO_ID) return;
    for (size_t i = 0; i < raw->budgets.count; i++) {
        const disruption_budget *b = &raw->budgets.items[i];
        bool unhealthy = b->always_allow && (moved->flags & POD_NOT_READY) != 0;
        if (b->meta.name_space == moved->name_space && b->selects != NULL && !unhealthy &&
            selector_matches(b->selects, store_pod_labels(raw, moved->labels)))
            p->moved_of_budget[i]++;
    }
}

static void check_evictions(prefix *p, size_t index, uint32_t flags)
{
    const karp_plan *plan = p->steps[index].plan;
    const store *raw = &p->v->snapshot->raw;
    memset(p->moved_of_budget, 0, (raw->budgets.count + 1) * sizeof *p->moved_of_budget);
    for (size_t i = 0; i < plan->launch_count; i++) {
        for (size_t k = 0; k < plan->launches[i].pod_count; k++) count_moved(p, plan->launches[i].pods[k]);
    }
    for (size_t i = 0; i < plan->placement_count; i++) {
        for (size_t k = 0; k < plan->placements[i].pod_count; k++) count_moved(p, plan->placements[i].pods[k]);
    }
    for (size_t i = 0; i < raw->budgets.count; i++) {
        const disruption_budget *b = &raw->budgets.items[i];
        int32_t most = b->disruptions_allowed < 0 ? 0 : b->disruptions_allowed;
        /* A budget that allows no disruption is checked by karp_verify(), in Karpenter's way. */
        if ((flags & KARP_VERIFY_EVICTIONS_AT_ONCE) == 0 || most == 0 || p->moved_of_budget[i] <= (uint32_t)most)
            continue;
        note(p->v, KARP_FINDING_PDB, step_name(p, index),
             "it evicts %u pods of PodDisruptionBudget %.*s, which allows %d", (unsigned)p->moved_of_budget[i],
             SHOW(name_of(p->v->snapshot, b->meta.name)), (int)most);
    }
}

/* ---- the plan so far --------------------------------------------------------------------------------------------- */

/* Adds pods to a node that this step or an earlier one launches. */
static bool add_to_launch(prefix *p, const karp_plan_placement *more)
{
    for (size_t i = 0; i < p->plan.launch_count; i++) {
        karp_plan_launch *l = &p->launches[i];
        if (!equal_str(l->id, more->node) || l->id.len == 0) continue;
        karp_str *pods = verifier_alloc(p->v, l->pod_count + more->pod_count, sizeof *pods);
        if (pods == NULL) return true;
        if (l->pod_count > 0) memcpy(pods, l->pods, l->pod_count * sizeof *pods);
        if (more->pod_count > 0) memcpy(pods + l->pod_count, more->pods, more->pod_count * sizeof *pods);
        l->pods = pods;
        l->pod_count += more->pod_count;
        return true;
    }
    return false;
}

static void add_step(prefix *p, size_t index)
{
    const karp_plan *plan = p->steps[index].plan;
    for (size_t i = 0; i < plan->launch_count; i++) p->launches[p->plan.launch_count++] = plan->launches[i];
    for (size_t i = 0; i < plan->placement_count; i++) {
        if (!add_to_launch(p, &plan->placements[i])) p->placements[p->plan.placement_count++] = plan->placements[i];
    }
}

/* Pods that are pending anyway need not be placed by the plan. */
static void leave_pending(prefix *p, karp_str *left)
{
    const karp_snapshot *s = p->v->snapshot;
    p->plan.left = left;
    p->plan.left_count = 0;
    const uint32_t *pods = s->place != NULL ? s->place : s->pending;
    uint32_t count = s->place != NULL ? s->place_count : s->pending_count;
    for (uint32_t i = 0; i < count; i++) {
        if (!p->is_moved[pods[i]]) left[p->plan.left_count++] = pod_name(s, pods[i]);
    }
    /* The pods of CapacityBuffers are in neither list. */
    for (uint32_t i = 0; s->place == NULL && s->raw.buffers.count > 0 && i < s->raw.pods.count; i++) {
        bool virtual_ = (pod_at(&s->raw, i)->flags & POD_VIRTUAL) != 0;
        if (virtual_ && !p->is_moved[i]) left[p->plan.left_count++] = pod_name(s, i);
    }
}

/* Findings of karp_verify() become findings of this step. */
static karp_status check_prefix(prefix *p, size_t index, karp_error *error)
{
    karp_verification *found = NULL;
    karp_status status = karp_verify(&p->view, &p->plan, &found, error);
    if (status != KARP_OK) return status;
    bool quirks = p->plan.profile == KARP_PROFILE_KARPENTER;
    for (size_t i = 0; i < found->findings.count; i++) {
        const karp_finding *f = &found->findings.items[i];
        /* A replacement that is restricted to spot still lists types without spot offerings (D-Q11). That at least
         * one type remains is checked separately. */
        if (quirks && f->code == KARP_FINDING_TYPE_REQUIREMENTS) continue;
        char *subject = arena_string(&p->v->out->data, f->object.ptr, f->object.len);
        if (subject == NULL) p->v->failed = true;
        else
            note(p->v, f->code, (karp_str){ subject, f->object.len }, "step %u: %.*s", (unsigned)index + 1,
                 SHOW(f->detail));
    }
    karp_verification_free(found);
    return KARP_OK;
}

static void check_saving(prefix *p, size_t index, double *cost)
{
    const karp_plan_step *step = &p->steps[index];
    if (isnan(step->cost_after)) return;
    if (!isnan(*cost) && !(step->cost_after < *cost))
        note(p->v, KARP_FINDING_COST, step_name(p, index), "the cluster does not cost less after it than before it");
    if (!isnan(*cost) && !isnan(step->saving) &&
        fabs(*cost - step->saving - step->cost_after) > 1e-6 * (1 + fabs(*cost)))
        note(p->v, KARP_FINDING_COST, step_name(p, index),
             "what it saves is not the difference of the costs before and after it");
    *cost = step->cost_after;
}

/* Pods that are placed request what is predicted. Those that stay count on their nodes as before. */
static void predict(prefix *p)
{
    const karp_snapshot *s = p->v->snapshot;
    pod_class *classes = verifier_alloc(p->v, s->class_count + (size_t)1, sizeof *classes);
    for (uint32_t c = 0; c < s->class_count && !p->v->failed; c++) {
        classes[c] = s->classes[c];
        const resource_list list = beside_of(&s->raw.shapes.items[classes[c].shape]).predicted;
        int64_t *vector = list.count > 0 ? verifier_alloc(p->v, s->dims, sizeof *vector) : NULL;
        if (vector == NULL) continue;
        vector_of(s, list, vector);
        classes[c].requests = vector;
    }
    p->view.classes = classes;
    p->view.held = s->classes;
}

static karp_status check_steps(prefix *p, size_t count, double cost, uint32_t flags, karp_error *error)
{
    const karp_snapshot *s = p->v->snapshot;
    size_t launches = 0, placements = 0;
    for (size_t i = 0; i < count; i++) {
        launches += p->steps[i].plan->launch_count;
        placements += p->steps[i].plan->placement_count;
    }
    p->launches = verifier_alloc(p->v, launches + 1, sizeof *p->launches);
    p->placements = verifier_alloc(p->v, placements + 1, sizeof *p->placements);
    p->moved_of_budget = verifier_alloc(p->v, s->raw.budgets.count + 1, sizeof *p->moved_of_budget);
    p->is_moved = verifier_alloc(p->v, s->raw.pods.count + 1, 1);
    p->view.nodes = verifier_alloc(p->v, s->node_count + (size_t)1, sizeof *p->view.nodes);
    karp_str *left = verifier_alloc(p->v, s->raw.pods.count + 1, sizeof *left);
    if ((flags & KARP_VERIFY_PREDICTED) != 0) predict(p);
    if (p->v->failed) return KARP_E_NOMEM;
    if (s->node_count > 0) memcpy(p->view.nodes, s->nodes, s->node_count * sizeof *s->nodes);
    p->plan.launches = p->launches;
    p->plan.placements = p->placements;
    karp_status status = KARP_OK;
    /* Ends at the first step that breaks a rule, since all later ones would be reported as well. */
    for (size_t i = 0; i < count && status == KARP_OK && p->v->out->findings.count == 0 && !p->v->failed; i++) {
        check_nodes(p, i, flags);
        check_wholes(p, i);
        check_evictions(p, i, flags);
        check_saving(p, i, &cost);
        if ((p->steps[i].flags & KARP_STEP_PODS_LATER) != 0) continue;
        add_step(p, i);
        leave_pending(p, left);
        if (!p->v->failed) status = check_prefix(p, i, error);
    }
    return p->v->failed && status == KARP_OK ? KARP_E_NOMEM : status;
}

/* Checks the steps, and copies them as this library knows them: a caller may know fewer members, of their plans as
 * well. */
static karp_status read_steps(verifier *v, const karp_plan_step *given, size_t count, const karp_plan_step **out,
                              karp_error *error)
{
    karp_plan_step *steps = verifier_alloc(v, count + 1, sizeof *steps);
    karp_plan *plans = verifier_alloc(v, count + 1, sizeof *plans);
    if (v->failed) return KARP_E_NOMEM;
    *out = steps;
    for (size_t i = 0; i < count; i++) {
        karp_status status = struct_element(given, i, sizeof *steps, SIZE_THROUGH(karp_plan_step, flags), &steps[i],
                                            "karp_plan_step", error);
        if (status != KARP_OK) return status;
        if (steps[i].plan == NULL || (steps[i].nodes == NULL && steps[i].node_count > 0))
            return fail(error, KARP_E_INVALID, "step %zu: it needs a plan and the names of its nodes", i);
        status = struct_check(steps[i].plan, sizeof *plans, SIZE_THROUGH(karp_plan, reserved), &plans[i], "karp_plan",
                              error);
        if (status == KARP_OK) status = verify_check_plan(&plans[i], error);
        if (status != KARP_OK) return status;
        steps[i].plan = &plans[i];
    }
    return KARP_OK;
}

karp_status karp_verify_steps(const karp_snapshot *snapshot, const karp_plan_step *steps, size_t count,
                              double cost_before, uint32_t flags, karp_verification **out, karp_error *error)
{
    if (snapshot == NULL || out == NULL || (steps == NULL && count > 0))
        return fail(error, KARP_E_INVALID, "a snapshot, steps and a place for the findings are needed");
    karp_verification *found = verification_new(snapshot->context);
    if (found == NULL) return context_nomem(snapshot->context, error);
    verifier v = { .snapshot = snapshot, .context = snapshot->context, .out = found, .now = snapshot->raw.now };
    arena_init(&v.data, v.context);
    prefix p = { .v = &v };
    snapshot_borrow(&p.view, snapshot);
    karp_status status = read_steps(&v, steps, count, &p.steps, error);
    if (status == KARP_OK && count > 0) p.plan = *p.steps[0].plan;
    p.plan.size = sizeof p.plan;
    p.plan.launch_count = p.plan.placement_count = p.plan.left_count = 0;
    if (status == KARP_OK) status = check_steps(&p, count, cost_before, flags, error);
    arena_free(&v.data);
    if (status == KARP_E_NOMEM) status = context_nomem(snapshot->context, error);
    if (status == KARP_OK) *out = found;
    else karp_verification_free(found);
    return status;
}
