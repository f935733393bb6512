/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Disruption passes, as in Karpenter's loop: every 10 s, and again at once after a command was started. A command of
 * consolidation is validated after 15 s; if it is not valid, the pass goes on with the methods after it. Passes that
 * certainly find nothing are skipped, but the others keep their times. Also each command from its start to the end of
 * its nodes.
 */
#include <karp/library.h>
#include <records/copy.h>
#include <records/tables.h>
#include <replay/engine.h>

#define REPACK_INTERVAL (300 * SECOND)
#define REPACK_VALIDATION (15 * SECOND) /* the same delay as for consolidation commands */
#define FRUITLESS (300 * SECOND) /* after a change, Karpenter assumes that something else has changed */

static int64_t interval(const engine *e)
{
    return e->options->disruption_interval ? e->options->disruption_interval : 10 * SECOND;
}

/* ---- schedule ---------------------------------------------------------------------------------------------------- */

/* Karpenter's loop has run for long, so the seed says where in its interval the replay begins. */
void disrupt_begin(engine *e)
{
    karp_memory_init(&e->disruption.memory, sizeof e->disruption.memory);
    disrupt_changed(e);
    e->disruption.last_pass = e->now - (int64_t)(engine_random(e, UINT64_MAX - 1, 0) % (uint64_t)interval(e));
}

/* Two changes at one time have different numbers. */
void disrupt_changed(engine *e)
{
    int64_t *changed = &e->disruption.memory.changed;
    *changed = *changed < e->now ? e->now : *changed + 1;
}

/* The first pass at or after this time, if no command is started before. */
static int64_t next_pass(const engine *e, int64_t at)
{
    if (at < e->now) at = e->now;
    int64_t since = at - e->disruption.last_pass, every = interval(e);
    return since <= every ? e->disruption.last_pass + every : at + (every - since % every) % every;
}

/* Whether a pass could select the node: a pool with policy WhenEmpty excludes nodes with pods. */
static bool eligible(const engine *e, const replay_node *n)
{
    return n->drifted || n->pod_count == 0 || n->pool_number == REPLAY_NONE ||
           !e->nodes.pools[n->pool_number].when_empty;
}

/* The time at which the node may be consolidated if there is no pod event until then; KARP_NO_TIME = never. */
int64_t disrupt_consolidatable_at(const engine *e, const replay_node *n)
{
    int64_t window = n->pool_number == REPLAY_NONE ? KARP_DURATION_NEVER : e->nodes.pools[n->pool_number].window;
    if (window > INT64_MAX / 4) return KARP_NO_TIME;
    return (n->last_event == KARP_NO_TIME ? n->ready_at + e->options->initialization : n->last_event) + window;
}

/* The earliest time at which a node becomes a candidate; INT64_MAX = none will. `only_new`: ignores nodes that are
 * candidates already. Any time up to `enough` is as good as the earliest. */
static int64_t first_candidate(const engine *e, bool only_new, int64_t enough)
{
    int64_t first = INT64_MAX;
    for (size_t i = 0; i < e->nodes.alive_count; i++) {
        const replay_node *n = &e->nodes.list[e->nodes.alive[i]];
        engine_ahead(e, i);
        bool sick = n->unready; /* repair looks at it in every pass */
        if (!node_takes_pods(n) || n->initializing || (!sick && !eligible(e, n))) continue;
        int64_t at = n->drifted || sick ? e->now : disrupt_consolidatable_at(e, n);
        if (at == KARP_NO_TIME || (only_new && !sick && !n->nominated && (n->consolidatable || n->drifted))) continue;
        if (at < n->nominated_until) at = n->nominated_until;
        if (at >= first) continue;
        first = at;
        if (first <= enough) return first;
    }
    return first;
}

static void schedule(engine *e, int64_t at)
{
    if (at == INT64_MAX) {
        e->disruption.pass_due = KARP_NO_TIME;
        return;
    }
    e->disruption.pass_due = at;
    engine_at(e, at, EVENT_PASS, 0, 0);
}

void disrupt_plan(engine *e)
{
    if (e->status || e->disruption.validating || repack_runs(e)) return;
    int64_t soonest = next_pass(e, e->now);
    if (e->disruption.pass_due != KARP_NO_TIME && e->disruption.pass_due <= soonest) return;
    if (e->disruption.changes == e->disruption.planned_changes) return;
    e->disruption.planned_changes = e->disruption.changes;
    int64_t first = first_candidate(e, e->disruption.judged == e->disruption.memory.changed, soonest);
    if (first != INT64_MAX) first = next_pass(e, first);
    if (e->disruption.pass_due == KARP_NO_TIME || first < e->disruption.pass_due) schedule(e, first);
}

/* A pass found nothing. Schedules the next one for the time at which the result may differ without other changes. */
static void after_nothing(engine *e)
{
    int64_t soonest = e->now + interval(e), next = first_candidate(e, true, soonest);
    int64_t again = e->disruption.memory.changed + FRUITLESS;
    if (again <= e->now) again = e->now + FRUITLESS;
    if (e->disruption.look_again != KARP_NO_TIME && e->disruption.look_again > e->now &&
        e->disruption.look_again < again)
        again = e->disruption.look_again;
    if (e->repacks && e->repack_due != KARP_NO_TIME && e->repack_due > e->now && e->repack_due < again)
        again = e->repack_due;
    if (first_candidate(e, false, INT64_MAX) == INT64_MAX) again = INT64_MAX;
    e->disruption.planned_changes = e->disruption.changes;
    if (again < next) next = again;
    schedule(e, next == INT64_MAX ? next : next_pass(e, next));
}

/* ---- a pass ------------------------------------------------------------------------------------------------------ */

static bool is_consolidatable(const engine *e, const replay_node *n)
{
    int64_t at = disrupt_consolidatable_at(e, n);
    return at != KARP_NO_TIME && at <= e->now && !n->initializing;
}

static void review(engine *e, uint32_t node)
{
    replay_node *n = &e->nodes.list[node];
    bool now = is_consolidatable(e, n), nominated = e->now < n->nominated_until;
    if (now == n->consolidatable && nominated == n->nominated) return;
    n->consolidatable = now;
    n->nominated = nominated;
    node_touch(e, node);
}

/* Its conditions stay as they are until a pod event, a nomination or a change of its pool. */
static bool lasts(const replay_node *n) { return n->consolidatable && !n->nominated; }

/* Reviews all nodes, and lists those whose conditions may change with time. */
static void review_all(engine *e)
{
    e->disruption.review_all = false;
    e->disruption.young_count = 0;
    for (size_t i = 0; i < e->nodes.alive_count; i++) {
        uint32_t node = e->nodes.alive[i];
        const replay_node *n = &e->nodes.list[node];
        engine_ahead(e, i);
        if (node_takes_pods(n)) review(e, node);
        if (!node_takes_pods(n) || !lasts(n)) disrupt_young(e, node);
    }
}

/* Likewise, for the nodes of that list only. They are reviewed in the order of their numbers, which is that of all
 * running nodes. */
static void review_young(engine *e)
{
    size_t kept = 0;
    e->disruption.changing_count = 0;
    for (size_t i = 0; i < e->disruption.young_count; i++) {
        uint32_t node = e->disruption.young[i];
        const replay_node *n = &e->nodes.list[node];
        bool takes = node_takes_pods(n), now = takes && is_consolidatable(e, n),
             nominated = e->now < n->nominated_until;
        if (n->gone) continue;
        if (takes && (now != n->consolidatable || nominated != n->nominated))
            (void)engine_push(e, &e->disruption.changing, &e->disruption.changing_count,
                              &e->disruption.changing_capacity, node);
        if (!now || nominated) e->disruption.young[kept++] = node;
    }
    e->disruption.young_count = kept;
    if (!sort_numbers(e->context, e->disruption.changing, e->disruption.changing_count)) engine_nomem(e);
    for (size_t i = 0; i < e->disruption.changing_count; i++) review(e, e->disruption.changing[i]);
}

void disrupt_young(engine *e, uint32_t node)
{
    (void)engine_push(e, &e->disruption.young, &e->disruption.young_count, &e->disruption.young_capacity, node);
}

bool disrupt_conditions(engine *e)
{
    if (e->disruption.review_all) review_all(e);
    else review_young(e);
    for (size_t i = 0; i < e->nodes.alive_count; i++) {
        const replay_node *n = &e->nodes.list[e->nodes.alive[i]];
        if (!node_takes_pods(n) || n->nominated) continue;
        if (n->unready || ((n->consolidatable || n->drifted) && eligible(e, n))) return true;
    }
    return false;
}

static karp_disrupt_options pass_options(engine *e)
{
    karp_disrupt_options options;
    karp_disrupt_options_init(&options, sizeof options);
    options.common = &e->decision;
    options.method = KARP_METHOD_ANY;
    options.commands_only = 1;
    options.watched = 1;
    int64_t goes_on = KARP_NO_TIME;
    options.backed_off_count = backoffs_waiting(e, &options.backed_off, &goes_on);
    return options;
}

static void note_budgets(engine *e, const karp_decision *d)
{
    const karp_str *pools = NULL;
    e->disruption.look_again = KARP_NO_TIME;
    (void)backoffs_waiting(e, &pools, &e->disruption.look_again);
    for (size_t i = 0; i < karp_decision_budget_count(d); i++) {
        karp_pool_budget budget = { .size = sizeof budget };
        if (karp_decision_budget(d, i, &budget) || budget.next_change == KARP_NO_TIME || budget.next_change <= e->now)
            continue;
        if (e->disruption.look_again == KARP_NO_TIME || budget.next_change < e->disruption.look_again)
            e->disruption.look_again = budget.next_change;
    }
}

/* A pass of policy cost+repack: Karpenter's emptiness and drift; if they find nothing, every 5 minutes, the first step
 * of a repack plan. */
static karp_status decide_repacking(engine *e, const karp_snapshot *snapshot, karp_decision **out, bool *repacks)
{
    static const uint32_t methods[] = { KARP_METHOD_EMPTINESS, KARP_METHOD_STATIC_DRIFT, KARP_METHOD_DRIFT };
    karp_disrupt_options options = pass_options(e);
    karp_repack_options repack;
    karp_status status = KARP_OK;
    for (size_t i = 0; i < sizeof methods / sizeof methods[0] && !status; i++) {
        karp_decision_unref(*out);
        *out = NULL;
        options.method = methods[i];
        status = karp_disrupt(snapshot, &options, out, &e->error);
        if (!status && karp_decision_command_count(*out) > 0) return KARP_OK;
    }
    if (status || (e->repack_due != KARP_NO_TIME && e->now < e->repack_due)) return status;
    e->repack_due = e->now + REPACK_INTERVAL;
    note_budgets(e, *out);
    karp_decision_unref(*out);
    *out = NULL;
    *repacks = true;
    karp_repack_options_init(&repack, sizeof repack);
    repack.common = &e->decision;
    return karp_repack(snapshot, &repack, out, &e->error);
}

static void free_command(engine *e, replay_command *c)
{
    arena_free(&c->memory);
    karp_free(e->context, c->nodes, (c->node_count + c->dropped + 1) * sizeof *c->nodes);
    karp_free(e->context, c->replacements, (c->launch_count + 1) * sizeof *c->replacements);
    karp_free(e->context, c->receivers, (c->receiver_count + 1) * sizeof *c->receivers);
    c->nodes = c->replacements = c->receivers = NULL;
    c->over = true;
}

uint32_t disrupt_note(engine *e, const karp_command *command)
{
    if (!grow(e->context, (void **)&e->disruption.commands, &e->disruption.command_capacity,
              e->disruption.command_count + 1, sizeof *e->disruption.commands)) {
        engine_nomem(e);
        return REPLAY_NONE;
    }
    replay_command *c = &e->disruption.commands[e->disruption.command_count];
    *c = (replay_command){ .method = command->method,
                           .memory = arena_on(e->context),
                           .launch_count = command->launch_count,
                           .drain_limit = KARP_DURATION_UNSET };
    c->nodes = karp_alloc(e->context, (command->node_count + 1) * sizeof *c->nodes);
    c->replacements = karp_alloc(e->context, (command->launch_count + 1) * sizeof *c->replacements);
    if (!c->nodes || !c->replacements) engine_nomem(e);
    c->node_count = c->nodes ? command->node_count : 0;
    for (size_t i = 0; i < c->node_count; i++) c->nodes[i] = io_table_get(&e->nodes.index, command->nodes[i]);
    return (uint32_t)e->disruption.command_count++;
}

static void note_receivers(engine *e, replay_command *c, const karp_decision *d, const karp_command *command)
{
    c->receivers = karp_alloc(e->context, (command->placement_count + 1) * sizeof *c->receivers);
    if (!c->receivers) engine_nomem(e);
    c->receiver_count = c->receivers ? command->placement_count : 0;
    for (size_t i = 0; i < c->receiver_count; i++) {
        karp_placement p = { .size = sizeof p };
        karp_status status = karp_decision_placement(d, command->placement_first + i, &p);
        uint32_t node = status ? IO_NONE : io_table_get(&e->nodes.index, p.node);
        c->receivers[i] = node == IO_NONE ? REPLAY_NONE : node;
    }
}

/* Copies what the command launches, so that the decision does not keep its snapshot while the command waits. */
static void note_launches(engine *e, replay_command *c, const karp_decision *d, const karp_command *command)
{
    arena_free(&c->memory);
    record_copier copier = { .to = &c->memory, .document = IN_STATE };
    c->launches = arena_zalloc(&c->memory, (c->launch_count + 1) * sizeof *c->launches);
    c->amounts = arena_zalloc(&c->memory, (c->launch_count + 1) * sizeof *c->amounts);
    if (!c->launches || !c->amounts) engine_nomem(e);
    for (size_t i = 0; i < c->launch_count && !e->status; i++) {
        karp_launch launch = { .size = sizeof launch };
        keep_failure(&e->status, karp_decision_launch(d, command->launch_first + i, &launch));
        launch_amounts(e, d, &launch, c->amounts[i]);
        record_copy(&copier, &record_launch, &launch, &c->launches[i]);
    }
    if (copier.failed) engine_nomem(e);
    c->terminates_first = command->decision == KARP_COMMAND_TERMINATE_FIRST;
    c->drain_limit = command->termination_grace_period;
}

static uint32_t note_command(engine *e, const karp_decision *d, const karp_command *command)
{
    uint32_t number = disrupt_note(e, command);
    if (number == REPLAY_NONE) return number;
    replay_command *c = &e->disruption.commands[number];
    note_launches(e, c, d, command);
    note_receivers(e, c, d, command);
    return number;
}

static bool start_command(engine *e, uint32_t command);

/* Whether a command was started at once. */
static bool follow(engine *e, const karp_decision *d, bool repacks)
{
    size_t count = karp_decision_command_count(d);
    bool started = false;
    if (repacks && count > 1) count = 1; /* the other steps are planned again after this one */
    for (size_t i = 0; i < count && !e->status; i++) {
        karp_command c = { .size = sizeof c };
        karp_status status = karp_decision_command(d, i, &c);
        if (status) {
            keep_failure(&e->status, fail_hidden(&e->error, status));
            return false;
        }
        if (c.decision == KARP_COMMAND_REBOOT) continue;
        if (repacks) c.method = KARP_METHOD_ANY;
        uint32_t command = note_command(e, d, &c);
        if (e->status) return false;
        if (c.validate_after > 0 || repacks) {
            e->disruption.validating++;
            engine_at(e, e->now + (repacks ? REPACK_VALIDATION : c.validate_after), EVENT_VALIDATE, command, 0);
        } else {
            started = start_command(e, command) || started;
        }
    }
    return started;
}

/* One method, or all. The memory is that of all passes. */
static karp_status try_method(engine *e, const karp_snapshot *snapshot, uint32_t method, karp_decision **out)
{
    karp_disrupt_options options = pass_options(e);
    options.method = method;
    options.memory = &e->disruption.memory;
    karp_status status = karp_disrupt(snapshot, &options, out, &e->error);
    if (!status) status = karp_decision_memory(*out, &e->disruption.memory);
    e->disruption.memory.unseen_count = 0; /* no pass ends early */
    return status;
}

/* The decision of the methods after this one; KARP_METHOD_ANY = of all. */
static karp_status decide(engine *e, const karp_snapshot *snapshot, uint32_t after, karp_decision **out)
{
    static const uint32_t order[] = { KARP_METHOD_REPAIR, KARP_METHOD_EMPTINESS,  KARP_METHOD_STATIC_DRIFT,
                                      KARP_METHOD_DRIFT,  KARP_METHOD_MULTI_NODE, KARP_METHOD_SINGLE_NODE };
    enum { METHODS = sizeof order / sizeof order[0] };
    karp_status status = KARP_OK;
    size_t next = 0;
    if (after == KARP_METHOD_ANY) return try_method(e, snapshot, after, out);
    while (next < METHODS && order[next] != after) next++;
    for (next++; next < METHODS && !status && (!*out || karp_decision_command_count(*out) == 0); next++) {
        karp_decision_unref(*out);
        *out = NULL;
        status = try_method(e, snapshot, order[next], out);
    }
    return status;
}

/* A pass, or the rest of one after this method. */
static void pass_after(engine *e, uint32_t after)
{
    karp_decision *d = NULL;
    e->disruption.last_pass = e->now;
    if (!disrupt_conditions(e)) {
        after_nothing(e);
        return;
    }
    karp_snapshot *snapshot = engine_snapshot(e);
    if (!snapshot) return;
    e->meter.result.passes++;
    bool repacks = false;
    karp_status status = e->repacks ? decide_repacking(e, snapshot, &d, &repacks) : decide(e, snapshot, after, &d);
    e->disruption.judged = e->disruption.memory.changed;
    if (status) {
        karp_decision_unref(d);
        keep_failure(&e->status, status);
        return;
    }
    if (d && !repacks) note_budgets(e, d);
    if (!d || karp_decision_command_count(d) == 0) {
        /* Nodes may have become candidates while the command waited: the methods before look at them in the next pass.
         */
        if (after == KARP_METHOD_ANY) after_nothing(e);
        else schedule(e, e->now + interval(e));
    } else {
        bool started = follow(e, d, repacks);
        if (!e->disruption.validating) schedule(e, started ? e->now : e->now + interval(e));
    }
    karp_decision_unref(d);
}

void disrupt_pass(engine *e)
{
    e->disruption.pass_due = KARP_NO_TIME;
    if (!repack_runs(e)) pass_after(e, KARP_METHOD_ANY);
}

/* ---- carrying out a command -------------------------------------------------------------------------------------- */

static void release_nodes(engine *e, const replay_command *c)
{
    for (size_t i = 0; i < c->node_count; i++) {
        if (c->nodes[i] == REPLAY_NONE) continue;
        replay_node *n = &e->nodes.list[c->nodes[i]];
        if (n->gone || n->deleting || !n->tainted) continue;
        n->tainted = false;
        drift_goes(e, c->nodes[i], false);
        node_freed(e, c->nodes[i]);
        node_touch(e, c->nodes[i]);
    }
}

/* What replaces drifted nodes is about one NodePool. */
static void note_drift(engine *e, const replay_command *c, bool succeeded)
{
    bool drift = c->method == KARP_METHOD_DRIFT || c->method == KARP_METHOD_STATIC_DRIFT;
    if (drift && c->node_count > 0 && c->nodes[0] != REPLAY_NONE)
        backoffs_note(e, e->nodes.list[c->nodes[0]].pool, succeeded);
}

static void give_up(engine *e, replay_command *c)
{
    bool step = repack_owns(e, c);
    uint32_t reason = c->reason;
    if (reason == KARP_REASON_REPLACEMENT_NOT_CREATED || reason == KARP_REASON_REPLACEMENT_GONE)
        note_drift(e, c, false);
    release_nodes(e, c);
    e->meter.result.given_up++;
    free_command(e, c);
    if (step) repack_refused(e, reason);
}

/* Nodes for which pods have been planned since this time. */
static void nominate(engine *e, const uint32_t *nodes, size_t count, int64_t since)
{
    for (size_t i = 0; i < count; i++) {
        if (nodes[i] != REPLAY_NONE) node_nominate_since(e, nodes[i], since);
    }
}

static void finish_command(engine *e, replay_command *c)
{
    if (repack_owns(e, c)) repack_carried_out(e, c);
    note_drift(e, c, true);
    nominate(e, c->receivers, c->receiver_count, c->started_at);
    nominate(e, c->replacements, c->replacement_count, c->started_at);
    for (size_t i = 0; i < c->node_count; i++) {
        if (c->nodes[i] == REPLAY_NONE) continue;
        e->nodes.list[c->nodes[i]].tainted = true;
        node_delete(e, c->nodes[i]);
        if (c->drain_limit != KARP_DURATION_UNSET) engine_at(e, e->now + c->drain_limit, EVENT_KILLED, c->nodes[i], 0);
    }
    uint32_t method = c->method == KARP_METHOD_REPACK ? KARP_METHOD_ANY : c->method;
    if (method < METHODS_MOST) e->meter.result.commands[method]++;
    free_command(e, c);
}

static bool launch_replacements(engine *e, replay_command *c)
{
    while (c->replacement_count < c->launch_count && !e->status) {
        const karp_launch *launch = &c->launches[c->replacement_count];
        const int64_t *amounts = c->amounts[c->replacement_count];
        uint32_t node = c->method == KARP_METHOD_STATIC_DRIFT ? static_replacement(e, launch, amounts)
                                                              : node_launch(e, launch, amounts);
        if (node == REPLAY_NONE) break;
        c->replacements[c->replacement_count++] = node;
    }
    return c->replacement_count == c->launch_count;
}

/* false = its replacements could not be launched. */
static bool start_command(engine *e, uint32_t number)
{
    replay_command *c = &e->disruption.commands[number];
    c->started = true;
    c->started_at = e->now;
    for (size_t i = 0; i < c->node_count; i++) {
        replay_node *n = &e->nodes.list[c->nodes[i]];
        if (!n->tainted) drift_goes(e, c->nodes[i], true);
        n->tainted = true;
        n->deleted_at = e->now;
        node_touch(e, c->nodes[i]);
    }
    if (c->launch_count == 0 || c->terminates_first) {
        finish_command(e, c);
    } else if (!launch_replacements(e, c)) {
        c->reason = KARP_REASON_REPLACEMENT_NOT_CREATED;
        give_up(e, c);
        return false;
    } else {
        nominate(e, c->receivers, c->receiver_count, e->now);
    }
    return true;
}

/* Whether all its nodes can still be disrupted. */
static bool intact(const engine *e, const replay_command *c)
{
    for (size_t i = 0; i < c->node_count; i++) {
        if (c->nodes[i] == REPLAY_NONE || !node_takes_pods(&e->nodes.list[c->nodes[i]])) return false;
    }
    return true;
}

static bool same_nodes(const engine *e, const replay_command *c, const karp_command *again)
{
    size_t found = 0;
    for (size_t i = 0; i < again->node_count; i++) {
        uint32_t node = io_table_get(&e->nodes.index, again->nodes[i]);
        for (size_t k = 0; k < c->node_count; k++) found += c->nodes[k] == node;
    }
    return found == c->node_count && again->node_count == c->node_count;
}

/* A step of a repack plan is valid if a new plan begins with the same nodes and as many launches. The command then uses
 * the new step. */
static bool valid_step(engine *e, replay_command *c)
{
    karp_decision *d = NULL;
    karp_repack_options repack;
    karp_command again = { .size = sizeof again };
    if (!intact(e, c)) return false;
    (void)disrupt_conditions(e);
    const karp_snapshot *snapshot = engine_snapshot(e);
    if (!snapshot) return false;
    karp_repack_options_init(&repack, sizeof repack);
    repack.common = &e->decision;
    karp_status status = karp_repack(snapshot, &repack, &d, &e->error);
    keep_failure(&e->status, status);
    bool same = !status && karp_decision_command_count(d) > 0 && karp_decision_command(d, 0, &again) == KARP_OK &&
                again.launch_count == c->launch_count && same_nodes(e, c, &again);
    if (same) note_launches(e, c, d, &again);
    karp_decision_unref(d);
    return same;
}

/* Keeps those nodes that the state still contains; the others are dropped. */
static bool keep_nodes(const engine *e, replay_command *c, const karp_command_state *state)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->node_count; i++) {
        uint32_t node = c->nodes[i];
        for (size_t k = 0; k < state->node_count; k++) {
            if (!equal_str(state->nodes[k].node, e->nodes.list[node].name)) continue;
            c->nodes[kept++] = node;
            break;
        }
    }
    if (kept == 0) return false;
    c->dropped += c->node_count - kept;
    c->node_count = kept;
    return true;
}

static bool step_validates(engine *e, replay_command *c, const karp_snapshot *snapshot, karp_command_node *nodes,
                           karp_replacement *launches)
{
    karp_disrupt_options options = pass_options(e);
    karp_step *step = NULL;
    karp_command_state state = { .size = sizeof state,
                                 .method = c->method,
                                 .phase = KARP_COMMAND_PHASE_VALIDATING,
                                 .decided = e->now,
                                 .validate_at = e->now,
                                 .started = KARP_NO_TIME,
                                 .nodes = nodes,
                                 .node_count = c->node_count,
                                 .replacements = launches,
                                 .replacement_count = c->launch_count };
    for (size_t i = 0; i < c->node_count; i++)
        nodes[i] = (karp_command_node){ e->nodes.list[c->nodes[i]].name, e->nodes.list[c->nodes[i]].name };
    for (size_t i = 0; i < c->launch_count; i++)
        launches[i] = (karp_replacement){ .launch = &c->launches[i], .claim = { "", 0 } };
    karp_status status = karp_command_step(snapshot, &state, &options, NULL, 0, &step, &e->error);
    keep_failure(&e->status, status);
    bool holds = !status && !karp_step_state(step, &state) && state.phase == KARP_COMMAND_PHASE_STARTING &&
                 keep_nodes(e, c, &state);
    c->reason = state.reason;
    karp_step_free(step);
    return holds;
}

static bool valid(engine *e, replay_command *c)
{
    if (c->method == KARP_METHOD_ANY) return valid_step(e, c);
    c->reason = KARP_REASON_CHURN;
    if (!intact(e, c)) return false;
    (void)disrupt_conditions(e);
    const karp_snapshot *snapshot = engine_snapshot(e);
    if (!snapshot) return false;
    size_t count = c->node_count + 1;
    karp_command_node *nodes = karp_alloc(e->context, count * sizeof *nodes);
    karp_replacement *launches = karp_alloc(e->context, (c->launch_count + 1) * sizeof *launches);
    if (!nodes || !launches) engine_nomem(e);
    bool holds = !e->status && step_validates(e, c, snapshot, nodes, launches);
    karp_free(e->context, nodes, count * sizeof *nodes);
    karp_free(e->context, launches, (c->launch_count + 1) * sizeof *launches);
    return holds;
}

void disrupt_validate(engine *e, uint32_t number)
{
    replay_command *c = &e->disruption.commands[number];
    uint32_t method = c->method;
    bool of_plan = method == KARP_METHOD_ANY || method == KARP_METHOD_REPACK, started = false;
    e->disruption.validating--;
    bool holds = valid(e, c);
    if (e->status) return;
    if (holds) started = start_command(e, number);
    else give_up(e, c);
    e->disruption.last_pass = e->now;
    if (e->disruption.validating || e->status) return;
    if (!holds && !of_plan && !e->repacks) pass_after(e, method);
    else schedule(e, started && !of_plan ? e->now : e->now + interval(e));
}

/* ---- replacements ------------------------------------------------------------------------------------------------ */

static bool among_replacements(const replay_command *c, uint32_t node)
{
    for (size_t i = 0; i < c->replacement_count; i++) {
        if (c->replacements[i] == node) return true;
    }
    return false;
}

/* Skips the ended commands, which are mostly at the start of the list. */
static void each_waiting(engine *e, uint32_t node, void (*found)(engine *e, replay_command *c))
{
    while (e->disruption.first_command < e->disruption.command_count &&
           e->disruption.commands[e->disruption.first_command].over)
        e->disruption.first_command++;
    for (size_t i = e->disruption.first_command; i < e->disruption.command_count && !e->status; i++) {
        replay_command *c = &e->disruption.commands[i];
        if (c->started && !c->over && among_replacements(c, node)) found(e, c);
    }
}

static void check_replacements(engine *e, replay_command *c)
{
    for (size_t i = 0; i < c->replacement_count; i++) {
        if (!e->nodes.list[c->replacements[i]].ready || e->nodes.list[c->replacements[i]].initializing) return;
    }
    finish_command(e, c);
}

void disrupt_replacement_ready(engine *e, uint32_t node) { each_waiting(e, node, check_replacements); }

static void lost_replacement(engine *e, replay_command *c)
{
    c->reason = KARP_REASON_REPLACEMENT_GONE;
    give_up(e, c);
}

void disrupt_node_gone(engine *e, uint32_t node) { each_waiting(e, node, lost_replacement); }

void disrupt_free(engine *e)
{
    for (size_t i = 0; i < e->disruption.command_count; i++) {
        if (!e->disruption.commands[i].over) free_command(e, &e->disruption.commands[i]);
    }
}
