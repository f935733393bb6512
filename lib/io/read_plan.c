/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a Plan document (docs/formats.md) to the struct of karp_verify(). */
#include <io/one_document.h>
#include <karp/peer.h>
#include <math.h>

/* The contents of a document: the plan, and the input it was made from. */
struct stated {
    karp_plan plan;
    karp_str digest;
    double cost; /* negative = not stated */
    karp_plan_step *steps; /* steps of a DisruptionPlan or a RepackPlan; NULL = it is a Plan */
    size_t step_count;
    double cost_before; /* NAN = not stated */
};

struct karp_plan_document {
    io_document document; /* must be the first member */
    struct stated stated;
};

static void launch(io_decoder *d, const tree *value, void *into)
{
    karp_plan_launch *out = into;
    out->id = io_string(d, value, "id");
    out->node_pool = io_required_string(d, value, "nodePool");
    out->pods = io_strings(d, value, "pods", &out->pod_count);
    out->instance_types = io_strings(d, value, "instanceTypes", &out->instance_type_count);
    out->requirements = io_requirements(d, value, "requirements", IO_FOR_POOL, &out->requirement_count);
}

static void placement(io_decoder *d, const tree *value, void *into)
{
    karp_plan_placement *out = into;
    out->node = io_required_string(d, value, "node");
    out->pods = io_strings(d, value, "pods", &out->pod_count);
}

/* The pods of both lists of pods that are not placed. */
static const karp_str *read_left(io_decoder *d, const tree *root, size_t *count)
{
    static const char *const names[] = { "unschedulable", "ignored" };
    const tree *arrays[2];
    size_t counts[2], n = 0;
    for (size_t k = 0; k < 2; k++) arrays[k] = io_array(d, root, names[k], &counts[k]);
    karp_str *list = io_make(d, counts[0] + counts[1], sizeof *list);
    for (size_t k = 0; k < 2; k++) {
        io_push(d, names[k]);
        for (size_t i = 0; list && i < counts[k] && !d->status; i++) {
            list[n++] = io_required_string(d, io_element(d, arrays[k], i), "pod");
            io_pop(d);
        }
        io_pop(d);
    }
    *count = n;
    return list;
}

/* ---- plans of several steps -------------------------------------------------------------------------------------- */

/* NAN = there is none. */
static double amount_in(const tree *object, const char *name)
{
    double amount;
    return io_amount(tree_get(object, name), &amount) ? amount : (double)NAN;
}

/* With these methods no simulation has placed the pods: the next launch decision does. */
static uint32_t flags_of(karp_str method, karp_str decision)
{
    uint32_t number = 1;
    while (karp_method_name(number)[0] != '\0' && !str_is(method, karp_method_name(number))) number++;
    uint32_t flags = karp_method_flags(number);
    bool later = (flags & KARP_METHOD_FLAG_PODS_LATER) != 0 || str_is(decision, "terminate-first");
    return (later ? KARP_STEP_PODS_LATER : 0u) | (flags & KARP_METHOD_FLAG_FORCED ? KARP_STEP_FORCED : 0u);
}

static void read_step(io_decoder *d, const tree *value, void *into, bool repack)
{
    karp_plan_step *step = into;
    karp_plan *plan = io_make(d, 1, sizeof *plan);
    if (plan == NULL) return;
    plan->size = sizeof *plan;
    plan->launches = io_elements(d, value, repack ? "launches" : "replacements", sizeof(karp_plan_launch), launch,
                                 &plan->launch_count);
    plan->placements = io_elements(d, value, "placements", sizeof(karp_plan_placement), placement,
                                   &plan->placement_count);
    step->size = sizeof *step;
    step->plan = plan;
    step->nodes = io_strings(d, value, "nodes", &step->node_count);
    step->saving = amount_in(value, repack ? "saving" : "savings");
    step->cost_after = repack ? amount_in(value, "costAfter") : (double)NAN;
    karp_str reason = io_string(d, value, "reason");
    step->flags = repack ? 0 : flags_of(io_string(d, value, "method"), io_string(d, value, "decision"));
    step->reason = io_budget_reason(reason);
    if (step->reason == 0 && repack) step->reason = KARP_BUDGET_UNDERUTILIZED;
}

static void command_step(io_decoder *d, const tree *value, void *into) { read_step(d, value, into, false); }

static void repack_step(io_decoder *d, const tree *value, void *into) { read_step(d, value, into, true); }

static void read_steps(io_decoder *d, const tree *root, struct stated *stated, bool repack)
{
    size_t count = 0;
    const void *steps = repack ? io_elements(d, root, "steps", sizeof(karp_plan_step), repack_step, &count)
                               : io_elements(d, root, "commands", sizeof(karp_plan_step), command_step, &count);
    karp_plan_step *own = io_make(d, count + 1, sizeof *own);
    if (own == NULL || d->status != KARP_OK) return;
    if (count > 0) memcpy(own, steps, count * sizeof *own);
    stated->steps = own;
    stated->step_count = count;
    stated->cost_before = repack ? amount_in(root, "costBefore") : (double)NAN;
    for (size_t i = 0; i < count; i++) {
        karp_plan *plan = io_make(d, 1, sizeof *plan);
        if (plan == NULL) return;
        *plan = *own[i].plan;
        plan->profile = stated->plan.profile;
        plan->peer_version = stated->plan.peer_version;
        own[i].plan = plan;
    }
}

/* The versions of Karpenter that the library knows. */
static size_t version_words(record_word *list, size_t room)
{
    size_t count = 0;
    uint32_t profile, version;
    for (size_t i = 1; karp_profile_parse(str(karp_profile_at(i)), &profile, &version) == KARP_OK; i++) {
        if (profile == KARP_PROFILE_KARPENTER && count < room)
            list[count++] = (record_word){ karp_peer_version_name(version), version };
    }
    return count;
}

static void read_plan(io_decoder *d, const tree *root, void *out)
{
    struct stated *stated = out;
    karp_plan *plan = &stated->plan;
    enum { PLAN = 1, DISRUPTION = 2, REPACK = 3 };
    static const record_word kinds[] = { { "Plan", PLAN }, { "DisruptionPlan", DISRUPTION }, { "RepackPlan", REPACK } };
    static const record_word profiles[] = { { "karpenter", KARP_PROFILE_KARPENTER }, { "karp", KARP_PROFILE_KARP } };
    record_word versions[32];
    plan->size = sizeof *plan;
    uint32_t what = io_enum(d, root, "kind", kinds, 3, PLAN);
    plan->profile = io_enum(d, root, "profile", profiles, 2, KARP_PROFILE_KARPENTER);
    plan->peer_version = io_enum(d, root, "peerVersion", versions, version_words(versions, 32), KARP_PEER_NEWEST);
    plan->launches = io_elements(d, root, "launches", sizeof(karp_plan_launch), launch, &plan->launch_count);
    plan->placements = io_elements(d, root, "placements", sizeof(karp_plan_placement), placement,
                                   &plan->placement_count);
    plan->left = read_left(d, root, &plan->left_count);
    const tree *settled = tree_get(root, "settledCost");
    stated->cost = amount_in(settled != NULL ? settled : tree_get(root, "cost"), "after");
    if (!(stated->cost >= 0)) stated->cost = -1;
    stated->digest = io_string(d, io_enter(d, root, "input"), "sha256");
    io_pop(d);
    if (what != PLAN) read_steps(d, root, stated, what == REPACK);
}

static const io_document_kind kind = { "a plan", sizeof(karp_plan_document), offsetof(karp_plan_document, stated),
                                       read_plan };

karp_status karp_plan_read(karp_context *context, karp_str name, karp_str text, karp_plan_document **out,
                           karp_error *error)
{
    return io_document_read(context, &kind, name, text, out, error);
}

karp_status karp_plan_read_file(karp_context *context, const char *path, karp_plan_document **out, karp_error *error)
{
    return io_document_read_file(context, &kind, path, out, error);
}

const karp_plan *karp_plan_document_plan(const karp_plan_document *document)
{
    return document ? &document->stated.plan : NULL;
}

const karp_plan_step *karp_plan_document_steps(const karp_plan_document *document, size_t *count, double *cost_before)
{
    if (document == NULL || document->stated.steps == NULL) return NULL;
    if (count != NULL) *count = document->stated.step_count;
    if (cost_before != NULL) *cost_before = document->stated.cost_before;
    return document->stated.steps;
}

karp_str karp_plan_document_digest(const karp_plan_document *document) { return document->stated.digest; }

void karp_plan_document_free(karp_plan_document *document) { io_document_free(document ? &document->document : NULL); }

double karp_plan_document_cost(const karp_plan_document *document) { return document->stated.cost; }
