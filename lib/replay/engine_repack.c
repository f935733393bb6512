/* SPDX-License-Identifier: Apache-2.0 */
/* Carries out a repack plan in virtual time: repack_play.h. */
#include <karp/inspect.h>
#include <replay/engine.h>
#include <replay/repack_play.h>

#include <io/decode_fields.h>

#define VALIDATION (15 * SECOND) /* after the decision; later steps are validated immediately */
#define RETRY (300 * SECOND) /* the delay before planning again after two failures in a row */
#define DRAINS (3600 * SECOND) /* the time limit for draining the nodes of a step */

enum { MOST_FRUITLESS = 3 };

bool repack_runs(const engine *e) { return e->repack && e->repack->phase != PLAY_OVER; }

bool repack_owns(const engine *e, const replay_command *c)
{
    return repack_runs(e) && e->repack->phase == PLAY_UNDER_WAY && c == &e->disruption.commands[e->repack->command];
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static replay_attempt *last_attempt(engine *e)
{
    replay_repack_result *r = &e->meter.result.repack;
    return r->attempt_count ? &r->attempts[r->attempt_count - 1] : NULL;
}

static void note_attempt(engine *e, const repack_play_step *step)
{
    const replay_repack *p = e->repack;
    replay_repack_result *r = &e->meter.result.repack;
    if (!grow(e->context, (void **)&r->attempts, &r->attempt_capacity, r->attempt_count + 1, sizeof *r->attempts)) {
        engine_nomem(e);
        return;
    }
    r->attempts[r->attempt_count++] = (replay_attempt){ .began = e->now,
                                                        .ended = KARP_NO_TIME,
                                                        .plan = r->plans,
                                                        .step = (uint32_t)p->next + 1,
                                                        .steps = (uint32_t)p->plan.step_count,
                                                        .nodes = (uint32_t)step->node_count,
                                                        .launches = (uint32_t)step->launch_count };
}

static void end_attempt(engine *e, uint32_t reason, bool done)
{
    replay_attempt *a = last_attempt(e);
    if (!a) return;
    a->ended = e->now;
    a->reason = reason;
    a->done = done;
    a->evictions = e->meter.result.evictions - e->repack->moved_before;
    a->cost = e->meter.cost_rate;
    e->meter.result.repack.done += done;
}

void repack_finish(engine *e)
{
    replay_repack_result *r = &e->meter.result.repack;
    if (!e->repack || r->ended != KARP_NO_TIME) return;
    r->cost_after = e->meter.cost_rate;
    r->evictions = e->meter.result.evictions - e->repack->evictions;
    r->pending = e->pods.still_pending;
}

/* Ends the plan. Without a trace the replay ends here. */
static void finish_play(engine *e)
{
    repack_finish(e);
    e->meter.result.repack.ended = e->now;
    e->repack->phase = PLAY_OVER;
    e->disruption.changes++;
    if (e->base->ends_with_plan) e->ends = e->now;
}

/* ---- launch data from NodePool and type -------------------------------------------------------------------------- */

static void take_pool(engine *e, karp_launch *l)
{
    for (size_t i = 0; i < tree_count(e->objects.documents); i++) {
        const tree *object = tree_item(e->objects.documents, i);
        if (!str_is(tree_get_text(object, "kind"), "NodePool") ||
            !equal_str(tree_get_text(tree_get(object, "metadata"), "name"), l->node_pool))
            continue;
        karp_node_pool pool;
        io_decoder d;
        karp_node_pool_init(&pool, sizeof pool);
        io_decoder_init(&d, &e->repack->plan.memory);
        io_decode(&d, &io_node_pool_record, object, &pool);
        if (d.status) {
            e->error = d.error;
            keep_failure(&e->status, d.status);
        }
        l->node_class = pool.node_class;
        l->expire_after = pool.expire_after;
        l->termination_grace_period = pool.termination_grace_period;
        return;
    }
}

static void take_type(const engine *e, karp_launch *l)
{
    const karp_catalogue *from = engine_catalogue(e, l->node_pool);
    l->capacity = l->allocatable;
    l->capacity_count = l->allocatable_count;
    for (size_t i = 0; i < (from ? karp_catalogue_count(from) : 0); i++) {
        const karp_instance_type *type = karp_catalogue_type(from, i);
        if (!equal_str(type->name, l->choice.instance_type)) continue;
        l->capacity = type->capacity;
        l->capacity_count = type->capacity_count;
        return;
    }
}

static void add_requests(const engine *e, karp_str name, int64_t amounts[RESOURCES_MOST])
{
    uint32_t pod = io_table_get(&e->pods.index, name);
    if (pod == IO_NONE) return;
    const replay_shape *s = &e->pods.shapes[e->pods.list[pod].shape];
    for (size_t k = 0; k < e->resource_names.count; k++) amounts[k] += s->requests[k];
}

/* A launch also has room for the pods that later steps move there. */
static void measure_launches(engine *e, repack_play_step *steps, size_t count)
{
    for (size_t i = 0; i < count && !e->status; i++) {
        for (size_t k = 0; k < steps[i].launch_count && !e->status; k++) {
            take_pool(e, &steps[i].launches[k]);
            take_type(e, &steps[i].launches[k]);
            for (size_t n = i; n < count; n++) {
                for (size_t m = 0; m < steps[n].move_count; m++) {
                    if (equal_str(steps[n].moves[m].to, steps[i].launches[k].id))
                        add_requests(e, steps[n].moves[m].pod, steps[i].amounts[k]);
                }
            }
        }
    }
}

/* ---- plans ------------------------------------------------------------------------------------------------------- */

static void take_plan(engine *e, karp_str name, karp_str text)
{
    replay_repack *p = e->repack;
    repack_plan_end(&p->plan);
    io_table_free(&p->launched);
    repack_plan_begin(&p->plan, e->context);
    p->next = 0;
    p->again = p->done_any = false;
    p->decided = e->now;
    karp_status status = repack_plan_take(&p->plan, e->context, name, text, &e->error);
    keep_failure(&e->status, status);
    if (!status) measure_launches(e, p->plan.steps, p->plan.step_count);
    if (p->plan.step_count) e->meter.result.repack.plans++;
}

static void begin_play(engine *e)
{
    replay_repack *p = e->repack;
    replay_repack_result *r = &e->meter.result.repack;
    p->begun = true;
    p->evictions = e->meter.result.evictions;
    take_plan(e, e->base->repack_name, e->base->repack_text);
    r->cost_before = e->meter.cost_rate;
    r->promised_before = p->plan.cost_before;
    r->promised_after = p->plan.cost_after;
    r->promised_evictions = p->plan.evictions;
    r->promised_effort = p->plan.effort;
    r->plans = 1;
}

/* The promised evictions that have not taken place yet. */
static uint64_t evictions_left(const engine *e)
{
    uint64_t moved = e->meter.result.evictions - e->repack->evictions,
             promised = e->meter.result.repack.promised_evictions;
    return promised > moved ? promised - moved : 0;
}

static void plan_again(engine *e)
{
    replay_repack_result *r = &e->meter.result.repack;
    karp_options common = e->decision;
    karp_objective objective = e->objective;
    karp_repack_options options;
    karp_write_options write;
    karp_decision *d = NULL;
    karp_text text = { .ptr = NULL };
    if (r->promised_effort) objective.effort = r->promised_effort;
    common.objective = &objective;
    karp_repack_options_init(&options, sizeof options);
    karp_write_options_init(&write, sizeof write);
    options.common = &common;
    options.max_evictions = evictions_left(e);
    write.format = KARP_FORMAT_JSON;
    write.compact = 1;
    (void)disrupt_conditions(e);
    karp_snapshot *snapshot = engine_snapshot(e);
    if (!snapshot) return;
    karp_status status = karp_repack(snapshot, &options, &d, &e->error);
    if (!status) status = karp_write_repack(e->context, d, &write, &text, &e->error);
    keep_failure(&e->status, status);
    if (!status) take_plan(e, str("the new plan"), (karp_str){ text.ptr, text.len });
    karp_text_free(&text);
    karp_decision_unref(d);
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

static void wake(engine *e, int64_t at)
{
    e->repack->not_before = at;
    if (at > e->now) engine_at(e, at, EVENT_PLAN, 0, 0);
}

static void begin_step(engine *e)
{
    replay_repack *p = e->repack;
    repack_play_step *step = &p->plan.steps[p->next];
    const karp_command command = { .size = sizeof command,
                                   .method = KARP_METHOD_REPACK,
                                   .nodes = step->nodes,
                                   .node_count = step->node_count,
                                   .launch_count = step->launch_count };
    note_attempt(e, step);
    p->command = disrupt_note(e, &command);
    if (e->status) return;
    replay_command *c = &e->disruption.commands[p->command];
    c->launches = step->launches;
    c->amounts = step->amounts;
    p->phase = PLAY_UNDER_WAY;
    p->pending = e->pods.still_pending;
    p->moved_before = e->meter.result.evictions;
    e->disruption.validating++;
    int64_t due = p->decided + VALIDATION;
    engine_at(e, due > e->now ? due : e->now, EVENT_VALIDATE, p->command, 0);
}

/* Sets the plan's target nodes for the pods that are evicted now, if the options request it. */
static void set_targets(engine *e, const repack_play_step *step)
{
    const replay_repack *p = e->repack;
    for (size_t i = 0; i < step->move_count && e->options->as_planned; i++) {
        uint32_t pod = io_table_get(&e->pods.index, step->moves[i].pod),
                 node = io_table_get(&p->launched, step->moves[i].to);
        if (node == IO_NONE) node = io_table_get(&e->nodes.index, step->moves[i].to);
        if (pod != IO_NONE) e->pods.list[pod].meant = node;
    }
}

void repack_carried_out(engine *e, const replay_command *c)
{
    replay_repack *p = e->repack;
    const repack_play_step *step = &p->plan.steps[p->next];
    for (size_t i = 0; i < c->replacement_count; i++) {
        if (!io_table_put(&p->launched, step->launches[i].id, c->replacements[i])) engine_nomem(e);
    }
    set_targets(e, step);
    p->phase = PLAY_DRAINING;
    p->done_any = true;
    p->fruitless = 0;
    wake(e, e->now + DRAINS);
}

void repack_refused(engine *e, uint32_t reason)
{
    replay_repack *p = e->repack;
    bool at_once = p->done_any;
    end_attempt(e, reason, false);
    p->phase = PLAY_BETWEEN;
    p->again = true;
    p->fruitless++;
    wake(e, at_once ? e->now : e->now + RETRY);
}

/* Begins the next step or makes a new plan. After repeated failures the plan is abandoned. */
static void go_on(engine *e)
{
    replay_repack *p = e->repack;
    if (!p->begun) begin_play(e);
    if (!e->status && p->again && p->fruitless < MOST_FRUITLESS) {
        plan_again(e);
        if (!e->status && p->plan.step_count == 0) {
            p->again = true;
            p->fruitless++;
            wake(e, e->now + RETRY);
            if (p->fruitless < MOST_FRUITLESS && evictions_left(e) > 0) return;
        }
    }
    if (e->status) return;
    if (p->again || p->next == p->plan.step_count) finish_play(e);
    else begin_step(e);
}

void repack_go_on(engine *e)
{
    replay_repack *p = e->repack;
    if (e->status || !repack_runs(e)) return;
    if (p->phase == PLAY_DRAINING) {
        if ((e->nodes.draining || e->pods.still_pending > p->pending) && e->now < p->not_before) return;
        end_attempt(e, KARP_REASON_NONE, true);
        p->phase = PLAY_BETWEEN;
        p->not_before = e->now;
        p->next++;
    }
    if (p->phase == PLAY_BETWEEN && e->now >= p->not_before) go_on(e);
}

/* ---- life cycle -------------------------------------------------------------------------------------------------- */

karp_status repack_begin(engine *e)
{
    if (!e->base->repack_text.ptr) return KARP_OK;
    replay_repack *p = arena_zalloc(&e->memory, sizeof *p);
    if (!p) return fail_nomem(&e->error);
    e->repack = p;
    e->meter.result.repack.ended = KARP_NO_TIME;
    e->meter.result.repack.played = true;
    repack_plan_begin(&p->plan, e->context);
    io_table_init(&p->launched, e->context);
    p->not_before = e->now;
    engine_at(e, e->now, EVENT_PLAN, 0, 0);
    return e->status;
}

void repack_free(engine *e)
{
    if (!e->repack) return;
    repack_plan_end(&e->repack->plan);
    io_table_free(&e->repack->launched);
}
