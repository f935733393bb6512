/* SPDX-License-Identifier: Apache-2.0 */
#include <verify/verify.h>

#include <base/bisect.h>
#include <base/context.h>
#include <base/error.h>
#include <karp/inspect.h>
#include <model/reuse_pods.h>
#include <stdio.h>

static const char *const finding_names[] = {
    "UNKNOWN",
    "POD_UNKNOWN",
    "POD_TWICE",
    "POD_MISSING",
    "POD_NOT_PENDING",
    "NODE_UNKNOWN",
    "NODE_UNUSABLE",
    "POOL_UNKNOWN",
    "POOL_UNUSABLE",
    "NO_PODS",
    "NO_TYPES",
    "TYPE_UNKNOWN",
    "TYPE_REQUIREMENTS",
    "TYPE_OFFERING",
    "TYPE_RESOURCES",
    "TYPE_HOST_PORT",
    "POOL_REQUIREMENTS",
    "REQUIREMENTS",
    "TAINTS",
    "HOST_PORT",
    "VOLUME",
    "VOLUME_LIMIT",
    "RESOURCES",
    "LIMITS",
    "MIN_VALUES",
    "RESERVATION",
    "SPREAD",
    "AFFINITY",
    "ANTI_AFFINITY",
    "NODE_STAYS",
    "PDB",
    "BUDGET",
    "COST",
    "GROUP",
};

const char *karp_finding_name(uint32_t code)
{
    return code < sizeof finding_names / sizeof *finding_names ? finding_names[code] : finding_names[0];
}

/* ---- findings ---------------------------------------------------------------------------------------------------- */

void note(verifier *v, uint32_t code, karp_str subject, const char *format, ...)
{
    char text[600] = "";
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments); /* longer text is truncated */
    va_end(arguments);
    size_t length = strlen(text);
    karp_finding *row = list_push(v->out->context, &v->out->findings, sizeof *row);
    char *detail = arena_string(&v->out->data, text, length);
    if (row == NULL || detail == NULL) {
        v->failed = true;
        return;
    }
    *row = (karp_finding){ .size = sizeof *row, .code = code, .object = subject, .detail = { detail, length } };
}

karp_str object_name(verifier *v, const char *kind, karp_str name)
{
    size_t prefix = strlen(kind);
    char *text = name.len < SIZE_MAX / 2 ? arena_alloc(&v->out->data, prefix + name.len + 2) : NULL;
    if (text == NULL) {
        v->failed = true;
        return (karp_str){ "", 0 };
    }
    memcpy(text, kind, prefix);
    text[prefix] = ' ';
    if (name.len > 0) memcpy(text + prefix + 1, name.ptr, name.len);
    text[prefix + 1 + name.len] = '\0';
    return (karp_str){ text, prefix + 1 + name.len };
}

karp_str pod_object(verifier *v, uint32_t pod_number)
{
    return object_name(v, "pod", pod_name(v->snapshot, pod_number));
}

void *verifier_alloc(verifier *v, size_t count, size_t bytes)
{
    void *memory = arena_array(&v->data, count, bytes);
    v->failed |= memory == NULL;
    return memory;
}

int64_t add_clamped(int64_t a, int64_t b)
{
    if (b > 0 && a > INT64_MAX - b) return INT64_MAX;
    if (b < 0 && a < INT64_MIN - b) return INT64_MIN;
    return a + b;
}

/* ---- places of pods ---------------------------------------------------------------------------------------------- */

/* Pods of CapacityBuffers can only be found in the order by name. */
static uint32_t find_by_name(const karp_snapshot *s, uint32_t name_space, uint32_t name)
{
    const pod wanted = { .name_space = name_space, .name = name };
    bisection b = bisect(s->raw.pods.count);
    while (bisecting(&b)) {
        int order = pods_by_name(&s->raw, pod_at(&s->raw, s->by_name[b.at]), &wanted);
        if (order == 0) return s->by_name[b.at];
        bisect_step(&b, order < 0);
    }
    return NO_ID;
}

uint32_t verify_find_pod(const karp_snapshot *s, karp_str name)
{
    const char *slash = name.len > 0 ? memchr(name.ptr, '/', name.len) : NULL;
    if (slash == NULL) return NO_ID;
    size_t before = (size_t)(slash - name.ptr);
    uint32_t name_space = strings_find(&s->raw.text, name.ptr, before);
    uint32_t own = strings_find(&s->raw.names, slash + 1, name.len - before - 1);
    if (name_space == NO_ID || own == NO_ID) return NO_ID;
    uint32_t number = store_find(&s->raw, KIND_POD, name_space, own);
    return number == NO_ID && s->raw.buffers.count > 0 ? find_by_name(s, name_space, own) : number;
}

/* Records the first mention of a pod; NO_ID = it is unknown, or was mentioned before. */
static uint32_t mention(verifier *v, karp_str name, karp_str place)
{
    uint32_t pod_number = verify_find_pod(v->snapshot, name);
    if (pod_number == NO_ID) {
        note(v, KARP_FINDING_POD_UNKNOWN, object_name(v, "pod", name), "%.*s lists it, but there is no such pod",
             SHOW(place));
        return NO_ID;
    }
    if (v->seen[pod_number]) {
        note(v, KARP_FINDING_POD_TWICE, pod_object(v, pod_number), "%.*s lists it a second time", SHOW(place));
        return NO_ID;
    }
    v->seen[pod_number] = 1;
    return pod_number;
}

static void take_pods(verifier *v, uint32_t number, const karp_str *names, size_t count)
{
    target *t = &v->targets[number];
    uint32_t *pods = verifier_alloc(v, count + 1, sizeof *pods);
    if (pods == NULL) return;
    for (size_t i = 0; i < count; i++) {
        if (!verifier_worked(v, 256)) return;
        uint32_t pod_number = mention(v, names[i], t->name);
        if (pod_number == NO_ID) continue;
        if (!v->waits[pod_number])
            note(v, KARP_FINDING_POD_NOT_PENDING, pod_object(v, pod_number), "%.*s takes it, but it needs no place",
                 SHOW(t->name));
        v->at[pod_number] = number;
        pods[t->pod_count++] = pod_number;
    }
    t->pods = pods;
}

static void take_launch(verifier *v, const karp_plan_launch *launch)
{
    uint32_t number = v->target_count++;
    target *t = &v->targets[number];
    *t = (target){ .is_launch = true,
                   .node = NO_ID,
                   .pool = pool_named(v->snapshot, launch->node_pool.len > 0 ? launch->node_pool : str("")),
                   .name = object_name(v, "launch", launch->id),
                   .launch = launch };
    if (t->pool != NO_ID) t->taints = v->snapshot->raw.pools.items[t->pool].taints;
    else note(v, KARP_FINDING_POOL_UNKNOWN, t->name, "there is no NodePool %.*s", SHOW(launch->node_pool));
    take_pods(v, number, launch->pods, launch->pod_count);
    if (launch->pod_count == 0) note(v, KARP_FINDING_NO_PODS, t->name, "no pod needs it");
}

static bool has_target(const verifier *v, uint32_t node_number)
{
    for (uint32_t i = 0; i < v->target_count; i++) {
        if (!v->targets[i].is_launch && v->targets[i].node == node_number) return true;
    }
    return false;
}

/* Whether the node has enough free capacity, without considering daemons. */
static bool seems_to_take(const verifier *v, const state_node *n, const karp_plan_placement *placement)
{
    const karp_snapshot *s = v->snapshot;
    for (uint32_t r = 0; r < s->dims; r++) {
        int64_t wanted = 0;
        for (size_t i = 0; i < placement->pod_count; i++) {
            uint32_t pod_number = verify_find_pod(s, placement->pods[i]);
            if (pod_number != NO_ID) wanted = add_clamped(wanted, pod_vector(v, pod_number)[r]);
        }
        if (wanted > 0 && wanted > n->available[r] && !served_by_devices(v, r)) return false;
    }
    return !n->marked;
}

/* A Node and a NodeClaim of another node may have the same name, and a plan has only names. Returns the first node
 * that is possible. */
static uint32_t node_meant(const verifier *v, const karp_plan_placement *placement)
{
    const karp_snapshot *s = v->snapshot;
    uint32_t first = state_node_named(s, placement->node), n = first;
    if (first == NO_ID || first + 1 == s->node_count || s->nodes[first + 1].name != s->nodes[first].name) return first;
    for (; n < s->node_count && s->nodes[n].name == s->nodes[first].name; n++) {
        if (!has_target(v, n) && seems_to_take(v, &s->nodes[n], placement)) return n;
    }
    return first;
}

static void take_placement(verifier *v, const karp_plan_placement *placement)
{
    uint32_t meant = node_meant(v, placement), number = v->target_count++;
    target *t = &v->targets[number];
    *t = (target){ .node = meant, .pool = NO_ID, .name = object_name(v, "node", placement->node) };
    if (t->node == NO_ID) {
        note(v, KARP_FINDING_NODE_UNKNOWN, t->name, "there is no such node, or the scheduler may not use it");
    } else {
        const state_node *n = &v->snapshot->nodes[t->node];
        t->taints = rule_of(v->rules, RULE_REBOOTING) ? n->taints_since_reboots : n->taints;
        rules_add_labels(&v->words, &t->labels, n->labels);
        if (n->marked) note(v, KARP_FINDING_NODE_UNUSABLE, t->name, "it is being deleted");
    }
    take_pods(v, number, placement->pods, placement->pod_count);
}

static void check_missing(verifier *v)
{
    for (size_t i = 0; i < v->snapshot->raw.pods.count; i++) {
        uint32_t pod_number = v->snapshot->by_name[i];
        if (v->waits[pod_number] && !v->seen[pod_number] && !pod_is_spare(v, pod_number))
            note(v, KARP_FINDING_POD_MISSING, pod_object(v, pod_number),
                 "it is pending, and the plan does not mention it");
    }
}

/* ---- the check --------------------------------------------------------------------------------------------------- */

static bool allocate(verifier *v, const karp_plan *plan)
{
    const karp_snapshot *s = v->snapshot;
    size_t pods = s->raw.pods.count;
    v->waits = verifier_alloc(v, pods + 1, 1);
    v->seen = verifier_alloc(v, pods + 1, 1);
    v->at = verifier_alloc(v, pods + 1, sizeof *v->at);
    v->targets = verifier_alloc(v, plan->launch_count + plan->placement_count + 1, sizeof *v->targets);
    v->wishes = verifier_alloc(v, s->raw.shapes.count + 1, sizeof *v->wishes);
    v->pools = verifier_alloc(v, s->raw.pools.count + 1, sizeof *v->pools);
    v->daemon_wishes = verifier_alloc(v, s->daemon_count + (size_t)1, sizeof *v->daemon_wishes);
    v->daemon_requests = verifier_alloc(v, ((size_t)s->daemon_count + 1) * s->dims, sizeof *v->daemon_requests);
    v->daemon_launched = verifier_alloc(v, ((size_t)s->daemon_count + 1) * s->dims, sizeof *v->daemon_launched);
    if (v->failed) return false;
    for (size_t i = 0; i < pods; i++) v->at[i] = NO_ID;
    for (uint32_t i = 0; i < s->daemon_count; i++) {
        const shape *h = s->daemons[i].shape;
        const resource_list predicted = beside_of(h).predicted;
        bool created = s->held != NULL && predicted.count > 0;
        vector_of(s, h->requests, v->daemon_requests + (size_t)i * s->dims);
        vector_of(s, created ? predicted : h->requests, v->daemon_launched + (size_t)i * s->dims);
    }
    return find_pending(v);
}

static void check_plan(verifier *v, const karp_plan *plan)
{
    for (size_t i = 0; i < plan->launch_count && !v->failed; i++) take_launch(v, &plan->launches[i]);
    for (size_t i = 0; i < plan->placement_count && !v->failed; i++) take_placement(v, &plan->placements[i]);
    for (size_t i = 0; i < plan->left_count && !v->failed; i++)
        (void)mention(v, plan->left[i], (karp_str){ "the list of pods left over", 26 });
    check_missing(v);
    for (uint32_t i = 0; i < v->target_count && !v->failed && !v->words.failed; i++) {
        target *t = &v->targets[i];
        if (!verifier_worked(v, 1024 * (t->pod_count + (size_t)1))) return;
        if (t->is_launch && t->pool != NO_ID) check_launch(v, t);
        if (!t->is_launch && t->node != NO_ID) check_node(v, t);
    }
    if (v->failed || v->words.failed) return;
    check_limits(v);
    check_reservations(v);
    check_topology(v);
    if (!v->failed && !v->words.failed) check_groups(v);
}

static bool withheld(const void *list, size_t count) { return list == NULL && count > 0; }

karp_status verify_check_plan(const karp_plan *plan, karp_error *error)
{
    if (withheld(plan->launches, plan->launch_count) || withheld(plan->placements, plan->placement_count) ||
        withheld(plan->left, plan->left_count)) {
        return fail(error, KARP_E_INVALID, "a list of the plan has a length but no elements");
    }
    if (plan->reserved != 0 || plan->reserved_ != 0) return fail_reserved(error, "karp_plan");
    if (plan->profile > KARP_PROFILE_KARP)
        return fail(error, KARP_E_INVALID, "unknown profile %u", (unsigned)plan->profile);
    if (!peer_known(plan->peer_version))
        return fail(error, KARP_E_INVALID, "unknown version %u of Karpenter", (unsigned)plan->peer_version);
    for (size_t i = 0; i < plan->launch_count; i++) {
        const karp_plan_launch *l = &plan->launches[i];
        if (withheld(l->pods, l->pod_count) || withheld(l->instance_types, l->instance_type_count) ||
            withheld(l->requirements, l->requirement_count)) {
            return fail(error, KARP_E_INVALID, "a list of launch %zu has a length but no elements", i);
        }
    }
    for (size_t i = 0; i < plan->placement_count; i++) {
        if (withheld(plan->placements[i].pods, plan->placements[i].pod_count))
            return fail(error, KARP_E_INVALID, "the pods of placement %zu have a number but no names", i);
    }
    return KARP_OK;
}

karp_verification *verification_new(karp_context *context)
{
    karp_verification *found = made_new(context, sizeof *found);
    if (found == NULL) return NULL;
    return found;
}

karp_status karp_verify(const karp_snapshot *snapshot, const karp_plan *plan, karp_verification **out,
                        karp_error *error)
{
    karp_plan given;
    karp_snapshot view;
    if (snapshot == NULL || plan == NULL || out == NULL)
        return fail(error, KARP_E_INVALID, "a snapshot, a plan and a place for the findings are needed");
    karp_status status = struct_check(plan, sizeof given, SIZE_THROUGH(karp_plan, reserved), &given, "karp_plan",
                                      error);
    if (status == KARP_OK) status = verify_check_plan(&given, error);
    if (status != KARP_OK) return status;
    karp_verification *found = verification_new(snapshot->context);
    if (found == NULL) return context_nomem(snapshot->context, error);
    const karp_snapshot *known = snapshot_remaining(snapshot, given.profile == KARP_PROFILE_KARPENTER, &view);
    verifier v = { .snapshot = known,
                   .context = snapshot->context,
                   .out = found,
                   .now = snapshot->raw.now,
                   .quirks = given.profile == KARP_PROFILE_KARPENTER,
                   .rules = peer_rules(given.profile, given.peer_version) };
    arena_init(&v.data, v.context);
    v.words.snapshot = known;
    v.words.stopped = &v.failed;
    strings_init(&v.words.extra, v.context);
    arena_init(&v.words.data, v.context);
    words_init(&v.daemon_sets, v.context);
    if (allocate(&v, &given)) check_plan(&v, &given);
    else v.failed = true;
    bool failed = v.failed || v.words.failed;
    words_free(&v.daemon_sets);
    arena_free(&v.words.data);
    strings_free(&v.words.extra);
    arena_free(&v.data);
    if (failed) {
        karp_verification_free(found);
        return context_nomem(snapshot->context, error);
    }
    *out = found;
    return KARP_OK;
}

void karp_verification_free(karp_verification *verification)
{
    if (verification == NULL) return;
    list_free(verification->context, &verification->findings, sizeof(karp_finding));
    made_free(verification, sizeof *verification);
}

size_t karp_verification_count(const karp_verification *verification)
{
    return verification == NULL ? 0 : verification->findings.count;
}

karp_status karp_verification_at(const karp_verification *verification, size_t index, karp_finding *out)
{
    if (verification == NULL || out == NULL) return KARP_E_INVALID;
    if (index >= verification->findings.count) return KARP_E_NOT_FOUND;
    return struct_give(out, &verification->findings.items[index], sizeof *out, SIZE_THROUGH(karp_finding, detail));
}

/* ---- decisions of this library ----------------------------------------------------------------------------------- */

/* They are converted to a plan, with names only, like a plan from outside. */
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
    karp_plan plan = { .size = sizeof plan,
                       .profile = karp_decision_profile(decision),
                       .peer_version = karp_decision_peer_version(decision) };
    arena a = arena_on(snapshot->context);
    bool copied = copy_launches(&a, decision, &plan) && copy_placements(&a, decision, &plan) &&
                  copy_left(&a, decision, &plan);
    karp_status status = copied ? karp_verify(snapshot, &plan, out, error) : fail_nomem(error);
    arena_free(&a);
    return context_refusal(snapshot->context, status, error);
}
