/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a RepackPlan, as written by karp_write_repack(), as steps for the engine. */
#include <replay/repack_play.h>

#include <io/one_document.h>

static double money(const tree *object, const char *name)
{
    double amount;
    return io_amount(tree_get(object, name), &amount) ? amount : 0;
}

static uint64_t whole(const tree *object, const char *name)
{
    int64_t number = 0;
    return tree_integer(tree_get(object, name), &number) && number > 0 ? (uint64_t)number : 0;
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

static void read_launch(io_decoder *d, const karp_plan_launch *planned, const tree *object, karp_launch *l)
{
    const tree *choice = io_enter(d, object, "choice");
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
    l->choice_labels = io_labels(d, choice, "nodeLabels", &l->choice_label_count);
    l->allocatable = io_resources(d, choice, "allocatable", &l->allocatable_count);
    if (!l->choice.instance_type.len || !l->allocatable_count)
        io_bad(d, KARP_E_INVALID, "a launch of the plan does not say what it chooses");
    io_pop(d);
    l->labels = io_labels(d, object, "labels", &l->label_count);
    l->annotations = io_labels(d, object, "annotations", &l->annotation_count);
    l->taints = io_taints(d, object, "taints", &l->taint_count);
    l->startup_taints = io_taints(d, object, "startupTaints", &l->startup_taint_count);
    l->requests = io_resources(d, object, "requests", &l->request_count);
}

static const repack_move *read_moves(io_decoder *d, const karp_plan *planned, size_t *count)
{
    size_t all = 0;
    for (size_t i = 0; i < planned->launch_count; i++) all += planned->launches[i].pod_count;
    for (size_t i = 0; i < planned->placement_count; i++) all += planned->placements[i].pod_count;
    repack_move *moves = io_make(d, all, sizeof *moves);
    *count = 0;
    for (size_t i = 0; moves && i < planned->launch_count; i++) {
        for (size_t k = 0; k < planned->launches[i].pod_count; k++)
            moves[(*count)++] = (repack_move){ planned->launches[i].pods[k], planned->launches[i].id };
    }
    for (size_t i = 0; moves && i < planned->placement_count; i++) {
        for (size_t k = 0; k < planned->placements[i].pod_count; k++)
            moves[(*count)++] = (repack_move){ planned->placements[i].pods[k], planned->placements[i].node };
    }
    return moves;
}

static void read_step(io_decoder *d, const karp_plan_step *planned, const tree *object, repack_play_step *step)
{
    const karp_plan *plan = planned->plan;
    const tree *launches = tree_get(object, "launches");
    *step = (repack_play_step){ .nodes = planned->nodes, .node_count = planned->node_count };
    step->launch_count = plan->launch_count;
    step->launches = io_make(d, plan->launch_count, sizeof *step->launches);
    step->amounts = io_make(d, plan->launch_count, sizeof *step->amounts);
    step->moves = read_moves(d, plan, &step->move_count);
    io_push(d, "launches");
    for (size_t i = 0; i < plan->launch_count && !d->status; i++) {
        read_launch(d, &plan->launches[i], io_element(d, launches, i), &step->launches[i]);
        io_pop(d);
    }
    io_pop(d);
}

static karp_status read_steps(repack_plan_read *p, karp_str name, karp_str text, karp_error *error)
{
    const karp_plan_step *planned = karp_plan_document_steps(p->document, &p->step_count, &p->cost_before);
    const tree *list = tree_get(p->root, "steps");
    if (!str_is(tree_get_text(p->root, "kind"), "RepackPlan") || !planned)
        return fail(error, KARP_E_INVALID, "not a RepackPlan: karp repack -o json writes one");
    io_decoder d;
    io_decoder_init(&d, &p->memory);
    p->steps = io_make(&d, p->step_count, sizeof *p->steps);
    io_push(&d, "steps");
    for (size_t i = 0; i < p->step_count && !d.status; i++) {
        read_step(&d, &planned[i], io_element(&d, list, i), &p->steps[i]);
        io_pop(&d);
    }
    p->cost_before = money(p->root, "costBefore");
    p->cost_after = money(p->root, "costAfter");
    p->evictions = whole(p->root, "evictions");
    p->effort = whole(p->root, "effort");
    p->now = KARP_NO_TIME;
    (void)karp_time_parse(tree_get_text(tree_get(p->root, "input"), "now"), &p->now);
    return io_decoded(&d, p->root, name, text, error);
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
    if (!status) status = read_steps(p, name, text, error);
    if (status && error->document[0] == '\0') error_set_place(error, name, 1, 0, KARP_NO_OFFSET);
    return status;
}
