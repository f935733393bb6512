/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a RepackPlan, as written by karp_write_repack(), as steps for the engine. */
#include <replay/repack_play.h>

#include <base/error.h>
#include <io/decode_fields.h>

/* ---- contents of a launch ---------------------------------------------------------------------------------------- */

static void *rows(repack_plan_read *p, size_t count, size_t bytes)
{
    void *list = arena_zalloc(&p->memory, (count + 1) * bytes);
    if (!list) p->failed = true;
    return list;
}

static const karp_label *labels_of(repack_plan_read *p, const tree *map, size_t *count)
{
    *count = tree_is(map, TREE_MAP) ? tree_count(map) : 0;
    karp_label *list = rows(p, *count, sizeof *list);
    for (size_t i = 0; list && i < *count; i++) {
        const tree_member *m = tree_member_at(map, i);
        list[i] = (karp_label){ tree_member_name(m), tree_text(m->value) };
    }
    return list;
}

static const karp_resource *amounts_of(repack_plan_read *p, const tree *map, size_t *count)
{
    *count = tree_is(map, TREE_MAP) ? tree_count(map) : 0;
    karp_resource *list = rows(p, *count, sizeof *list);
    for (size_t i = 0; list && i < *count; i++) {
        const tree_member *m = tree_member_at(map, i);
        list[i].name = tree_member_name(m);
        list[i].text = tree_is(m->value, TREE_STRING) ? tree_text(m->value) : tree_digits(m->value);
    }
    return list;
}

static const karp_taint *taints_of(repack_plan_read *p, const tree *list, size_t *count)
{
    *count = tree_is(list, TREE_LIST) ? tree_count(list) : 0;
    karp_taint *taints = rows(p, *count, sizeof *taints);
    for (size_t i = 0; taints && i < *count; i++) {
        const tree *taint = tree_item(list, i);
        taints[i] = (karp_taint){ tree_get_text(taint, "key"), tree_get_text(taint, "value"),
                                  tree_get_text(taint, "effect") };
    }
    return taints;
}

static double money(const tree *object, const char *name)
{
    const tree *value = tree_get(object, name);
    karp_str text = tree_is(value, TREE_STRING) ? tree_text(value) : tree_digits(value);
    double amount = 0;
    return text.len && karp_double_parse(text, &amount) == KARP_OK ? amount : 0;
}

static uint64_t whole(const tree *object, const char *name)
{
    int64_t number = 0;
    return tree_integer(tree_get(object, name), &number) && number > 0 ? (uint64_t)number : 0;
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

static void read_launch(repack_plan_read *p, const karp_plan_launch *planned, const tree *object, karp_launch *l)
{
    const tree *choice = tree_get(object, "choice");
    *l = (karp_launch){ .size = sizeof *l,
                        .id = planned->id,
                        .node_pool = planned->node_pool,
                        .requirements = planned->requirements,
                        .requirement_count = planned->requirement_count,
                        .instance_types = planned->instance_types,
                        .instance_type_count = planned->instance_type_count,
                        .expire_after = KARP_DURATION_UNSET,
                        .termination_grace_period = KARP_DURATION_UNSET };
    l->choice = (karp_choice){ tree_get_text(choice, "instanceType"), tree_get_text(choice, "zone"),
                               tree_get_text(choice, "capacityType"), money(choice, "price") };
    l->choice_labels = labels_of(p, tree_get(choice, "nodeLabels"), &l->choice_label_count);
    l->labels = labels_of(p, tree_get(object, "labels"), &l->label_count);
    l->annotations = labels_of(p, tree_get(object, "annotations"), &l->annotation_count);
    l->taints = taints_of(p, tree_get(object, "taints"), &l->taint_count);
    l->startup_taints = taints_of(p, tree_get(object, "startupTaints"), &l->startup_taint_count);
    l->requests = amounts_of(p, tree_get(object, "requests"), &l->request_count);
    l->allocatable = amounts_of(p, tree_get(choice, "allocatable"), &l->allocatable_count);
}

static bool read_moves(repack_plan_read *p, const karp_plan *planned, repack_play_step *step)
{
    size_t all = 0;
    for (size_t i = 0; i < planned->launch_count; i++) all += planned->launches[i].pod_count;
    for (size_t i = 0; i < planned->placement_count; i++) all += planned->placements[i].pod_count;
    repack_move *moves = rows(p, all, sizeof *moves);
    for (size_t i = 0; moves && i < planned->launch_count; i++) {
        for (size_t k = 0; k < planned->launches[i].pod_count; k++)
            moves[step->move_count++] = (repack_move){ planned->launches[i].pods[k], planned->launches[i].id };
    }
    for (size_t i = 0; moves && i < planned->placement_count; i++) {
        for (size_t k = 0; k < planned->placements[i].pod_count; k++)
            moves[step->move_count++] = (repack_move){ planned->placements[i].pods[k], planned->placements[i].node };
    }
    step->moves = moves;
    return moves != NULL;
}

static karp_status read_step(repack_plan_read *p, const karp_plan_step *planned, const tree *object,
                             repack_play_step *step, karp_error *error)
{
    const karp_plan *plan = planned->plan;
    const tree *launches = tree_get(object, "launches");
    *step = (repack_play_step){ .nodes = planned->nodes, .node_count = planned->node_count };
    step->launch_count = plan->launch_count;
    step->launches = rows(p, plan->launch_count, sizeof *step->launches);
    step->amounts = rows(p, plan->launch_count, sizeof *step->amounts);
    if (!step->launches || !step->amounts || !read_moves(p, plan, step)) return fail_nomem(error);
    for (size_t i = 0; i < plan->launch_count; i++) {
        read_launch(p, &plan->launches[i], tree_item(launches, i), &step->launches[i]);
        if (p->failed) return fail_nomem(error);
        if (step->launches[i].choice.instance_type.len && step->launches[i].allocatable_count) continue;
        karp_status status = fail(error, KARP_E_INVALID, "a launch of the plan does not say what it chooses");
        error_set_field(error, "steps.launches.choice");
        return status;
    }
    return KARP_OK;
}

static karp_status read_steps(repack_plan_read *p, karp_error *error)
{
    const karp_plan_step *planned = karp_plan_document_steps(p->document, &p->step_count, &p->cost_before);
    const tree *list = tree_get(p->root, "steps");
    if (!str_is(tree_get_text(p->root, "kind"), "RepackPlan") || !planned)
        return fail(error, KARP_E_INVALID, "not a RepackPlan: karp repack -o json writes one");
    p->steps = rows(p, p->step_count, sizeof *p->steps);
    karp_status status = p->steps ? KARP_OK : fail_nomem(error);
    for (size_t i = 0; i < p->step_count && !status; i++)
        status = read_step(p, &planned[i], tree_item(list, i), &p->steps[i], error);
    p->cost_before = money(p->root, "costBefore");
    p->cost_after = money(p->root, "costAfter");
    p->evictions = whole(p->root, "evictions");
    p->effort = whole(p->root, "effort");
    p->now = KARP_NO_TIME;
    (void)karp_time_parse(tree_get_text(tree_get(p->root, "input"), "now"), &p->now);
    return status;
}

/* ---- the document ------------------------------------------------------------------------------------------------ */

void repack_plan_begin(repack_plan_read *p, karp_context *context)
{
    *p = (repack_plan_read){ .now = KARP_NO_TIME };
    arena_init(&p->memory, context);
    trees_init(&p->trees, context);
}

void repack_plan_end(repack_plan_read *p)
{
    karp_plan_document_free(p->document);
    trees_free(&p->trees);
    arena_free(&p->memory);
}

karp_status repack_plan_take(repack_plan_read *p, karp_context *context, karp_str name, karp_str text,
                             karp_error *error)
{
    tree *root = NULL;
    char *kept = arena_copy(&p->memory, text.ptr, text.len);
    if (!kept) return fail_nomem(error);
    text.ptr = kept;
    karp_status status = karp_plan_read(context, name, text, &p->document, error);
    if (!status) status = tree_read(&p->trees, name, text, &root, error);
    p->root = root;
    if (!status) status = read_steps(p, error);
    if (status && error->document[0] == '\0') error_set_place(error, name, 1, 0, KARP_NO_OFFSET);
    return status;
}
