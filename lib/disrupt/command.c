/* SPDX-License-Identifier: Apache-2.0 */
/* Execution of a command: one step at a time, each a function of state, snapshot and time. */
#include <base/civil.h>
#include <disrupt/step.h>

#include <base/context.h>
#include <schedule/options.h>

static const int64_t pause = SECOND_NS, per_node = SECOND_NS / 1000 * 80, least_time = INT64_C(600) * SECOND_NS,
                     most_time = INT64_C(3600) * SECOND_NS;

/* The context of one step. */
struct stepping {
    karp_step *step;
    const karp_snapshot *snapshot;
    const karp_disrupt_options *options;
    const karp_observation *observed;
    size_t observed_count;
    int64_t now;
    uint64_t quirks;
};

static bool step_quirk(const struct stepping *g, unsigned n) { return (g->quirks >> (n - 1)) & 1; }

static bool observed(const struct stepping *g, uint32_t kind, karp_str name)
{
    for (size_t i = 0; i < g->observed_count; i++) {
        if (g->observed[i].kind == kind && equal_str(g->observed[i].object, name)) return true;
    }
    return false;
}

static void enter(struct stepping *g, uint32_t phase, int64_t look_again)
{
    g->step->state.phase = phase;
    advice_look_again(g->step->advice, look_again);
}

static void finish(struct stepping *g, uint32_t phase, uint32_t reason)
{
    karp_step *s = g->step;
    s->state.phase = phase;
    s->state.reason = reason;
    s->advice->look_again = KARP_NO_TIME;
    s->advice->finished = true;
}

/* ---- one action for every node ----------------------------------------------------------------------------------- */

static bool node_exists(const struct stepping *g, karp_str name)
{
    return state_node_named(g->snapshot, name) != NO_ID;
}

/* A node that no longer exists needs no action. */
static void for_node(struct stepping *g, uint32_t kind, const karp_command_node *n, karp_str subject)
{
    if (node_exists(g, n->node))
        advise(g->step->advice, (karp_action){ .kind = kind, .object = n->node, .subject = subject });
}

static void for_claim(struct stepping *g, uint32_t kind, karp_str claim, karp_str subject, karp_str value)
{
    if (claim_named(g->snapshot, claim) != NO_ID)
        advise(g->step->advice, (karp_action){ .kind = kind, .object = claim, .subject = subject, .value = value });
}

static void mark_nodes(struct stepping *g)
{
    const karp_command_state *s = &g->step->state;
    for (size_t i = 0; i < s->node_count; i++) for_node(g, KARP_ACTION_MARK_NODE, &s->nodes[i], str(""));
    for (size_t i = 0; i < s->receiver_count; i++) {
        if (node_exists(g, s->receivers[i]))
            advise(g->step->advice, (karp_action){ .kind = KARP_ACTION_NOMINATE_NODE, .object = s->receivers[i] });
    }
}

/* Undoes everything; launched nodes become ordinary capacity. */
static void roll_back(struct stepping *g, uint32_t reason, bool marked)
{
    const karp_command_state *s = &g->step->state;
    for (size_t i = 0; i < s->node_count; i++) {
        for_node(g, KARP_ACTION_REMOVE_TAINT, &s->nodes[i], str("karpenter.sh/disrupted"));
        for_claim(g, KARP_ACTION_CLEAR_CONDITION, s->nodes[i].claim, str("DisruptionReason"), str(""));
        if (marked) for_node(g, KARP_ACTION_UNMARK_NODE, &s->nodes[i], str(""));
    }
    finish(g, KARP_COMMAND_PHASE_GIVEN_UP, reason);
}

/* ---- in progress ------------------------------------------------------------------------------------------------- */

static int64_t time_limit(const struct stepping *g)
{
    uint64_t nodes = (uint64_t)g->options->in_progress_count + g->step->state.node_count;
    int64_t limit = nodes > (uint64_t)(most_time / per_node) ? most_time : (int64_t)nodes * per_node;
    return limit < least_time ? least_time : limit;
}

static bool out_of_time(const struct stepping *g)
{
    return g->now > instant_after(g->step->state.started, time_limit(g));
}

/* Updates a replacement's progress. false = its claim is gone. */
static bool look_at_replacement(struct stepping *g, karp_replacement *r)
{
    if (r->progress == KARP_REPLACEMENT_INITIALIZED) return true;
    uint32_t claim = claim_named(g->snapshot, r->claim);
    if (claim == NO_ID) return r->progress != KARP_REPLACEMENT_SEEN && !observed(g, KARP_OBSERVED_GONE, r->claim);
    bool up = condition_is_true(g->snapshot, g->snapshot->raw.claims.items[claim].conditions, "Initialized");
    r->progress = up ? KARP_REPLACEMENT_INITIALIZED : KARP_REPLACEMENT_SEEN;
    return true;
}

static void delete_claims(struct stepping *g, bool failed_only)
{
    const karp_command_state *s = &g->step->state;
    for (size_t i = 0; i < s->node_count; i++) {
        if (failed_only && !observed(g, KARP_OBSERVED_FAILED, s->nodes[i].claim)) continue;
        for_claim(g, KARP_ACTION_DELETE_CLAIM, s->nodes[i].claim, str(""), str(karp_method_reason(s->method)));
    }
}

static void progress(struct stepping *g)
{
    karp_step *s = g->step;
    bool all = true;
    for (size_t i = 0; i < s->state.replacement_count; i++) {
        if (!look_at_replacement(g, &s->replacements[i])) {
            roll_back(g, KARP_REASON_REPLACEMENT_GONE, true);
            return;
        }
        all = all && s->replacements[i].progress == KARP_REPLACEMENT_INITIALIZED;
    }
    if (all) delete_claims(g, false);
    if (out_of_time(g) && (!all || step_quirk(g, 7))) roll_back(g, KARP_REASON_TIMED_OUT, true);
    else if (all) enter(g, KARP_COMMAND_PHASE_DELETING, g->now);
    else enter(g, KARP_COMMAND_PHASE_WAITING, instant_after(g->now, pause));
}

static void finish_deleting(struct stepping *g)
{
    const karp_command_state *s = &g->step->state;
    bool failed = false;
    for (size_t i = 0; i < s->node_count; i++) {
        failed = failed || (observed(g, KARP_OBSERVED_FAILED, s->nodes[i].claim) &&
                            claim_named(g->snapshot, s->nodes[i].claim) != NO_ID);
    }
    if (!failed) {
        finish(g, KARP_COMMAND_PHASE_DONE, KARP_REASON_NONE);
    } else if (out_of_time(g)) {
        roll_back(g, KARP_REASON_TIMED_OUT, true);
    } else {
        delete_claims(g, true);
        enter(g, KARP_COMMAND_PHASE_DELETING, instant_after(g->now, pause));
    }
}

static void go_in_progress(struct stepping *g)
{
    g->step->state.started = g->now;
    mark_nodes(g);
    progress(g);
}

/* ---- before the launches ----------------------------------------------------------------------------------------- */

static bool in_queue(const struct stepping *g)
{
    const karp_command_state *s = &g->step->state;
    for (size_t i = 0; i < s->node_count; i++) {
        if (str_in(s->nodes[i].node, g->options->in_progress, g->options->in_progress_count)) return true;
    }
    return false;
}

static void start(struct stepping *g)
{
    const karp_command_state *s = &g->step->state;
    if (in_queue(g)) {
        finish(g, KARP_COMMAND_PHASE_GIVEN_UP, KARP_REASON_IN_QUEUE);
        return;
    }
    for (size_t i = 0; i < s->node_count; i++) {
        for_node(g, KARP_ACTION_ADD_TAINT, &s->nodes[i], str("karpenter.sh/disrupted"));
        for_claim(g, KARP_ACTION_SET_CONDITION, s->nodes[i].claim, str("DisruptionReason"),
                  str(karp_method_reason(s->method)));
    }
    enter(g, KARP_COMMAND_PHASE_STARTING, g->now);
}

static void create(struct stepping *g)
{
    const karp_step *s = g->step;
    for (size_t i = 0; i < s->state.replacement_count; i++) {
        if (s->replacements[i].progress != KARP_REPLACEMENT_WANTED) continue;
        advise(s->advice, (karp_action){ .kind = KARP_ACTION_CREATE_REPLACEMENT,
                                         .object = s->replacements[i].launch->node_pool,
                                         .subject = s->replacements[i].launch->id,
                                         .number = (int64_t)i });
    }
}

static karp_status take_started(struct stepping *g, karp_error *error)
{
    karp_step *s = g->step;
    uint32_t *removed = arena_array(&s->data, s->state.node_count + 1, sizeof *removed);
    size_t good = 0, count = s->state.node_count;
    if (removed == NULL) return fail_nomem(error);
    for (size_t i = 0; i < count; i++) {
        removed[i] = !observed(g, KARP_OBSERVED_FAILED, s->nodes[i].node) &&
                     !observed(g, KARP_OBSERVED_FAILED, s->nodes[i].claim);
        good += removed[i];
    }
    if (good < count && (good == 0 || s->state.replacement_count > 0)) {
        finish(g, KARP_COMMAND_PHASE_GIVEN_UP, KARP_REASON_NOT_STARTED); /* the next pass removes the taints */
        return KARP_OK;
    }
    step_keep_nodes(s, removed);
    if (s->state.replacement_count == 0) {
        go_in_progress(g);
        return KARP_OK;
    }
    create(g);
    enter(g, KARP_COMMAND_PHASE_LAUNCHING, g->now);
    return KARP_OK;
}

static bool take_created(struct stepping *g, bool *failed)
{
    karp_step *s = g->step;
    for (size_t i = 0; i < g->observed_count; i++) {
        const karp_observation *o = &g->observed[i];
        if (o->kind == KARP_OBSERVED_NOT_CREATED) *failed = true;
        if (o->kind != KARP_OBSERVED_CREATED) continue;
        karp_replacement *r = &s->replacements[o->number];
        r->claim = (karp_str){ arena_string(&s->data, o->object.ptr, o->object.len), o->object.len };
        r->progress = KARP_REPLACEMENT_CREATED;
        if (r->claim.ptr == NULL) return false;
    }
    return true;
}

static void give_up_launching(struct stepping *g)
{
    const karp_step *s = g->step;
    if (step_quirk(g, 23)) {
        finish(g, KARP_COMMAND_PHASE_GIVEN_UP, KARP_REASON_REPLACEMENT_NOT_CREATED);
        return;
    }
    for (size_t i = 0; i < s->state.replacement_count; i++) {
        if (s->replacements[i].progress == KARP_REPLACEMENT_WANTED) continue;
        advise(s->advice, (karp_action){ .kind = KARP_ACTION_DELETE_CLAIM,
                                         .object = s->replacements[i].claim,
                                         .value = str(karp_reason_name(KARP_REASON_REPLACEMENT_NOT_CREATED)) });
    }
    roll_back(g, KARP_REASON_REPLACEMENT_NOT_CREATED, false);
}

static karp_status launch(struct stepping *g, karp_error *error)
{
    const karp_step *s = g->step;
    bool failed = false, all = true;
    if (!take_created(g, &failed)) return fail_nomem(error);
    for (size_t i = 0; i < s->state.replacement_count; i++)
        all = all && s->replacements[i].progress != KARP_REPLACEMENT_WANTED;
    if (failed) {
        give_up_launching(g);
    } else if (all) {
        go_in_progress(g);
    } else {
        create(g);
        enter(g, KARP_COMMAND_PHASE_LAUNCHING, instant_after(g->now, pause));
    }
    return KARP_OK;
}

static karp_status validate(struct stepping *g, karp_error *error)
{
    karp_step *s = g->step;
    size_t count = s->state.node_count;
    karp_validation answer = { .size = sizeof answer };
    karp_str *nodes = arena_array(&s->data, count + 1, sizeof *nodes);
    uint32_t *removed = arena_array(&s->data, count + 1, sizeof *removed);
    if (nodes == NULL || removed == NULL) return fail_nomem(error);
    for (size_t i = 0; i < count; i++) nodes[i] = s->nodes[i].node;
    karp_disrupt_options options = *g->options;
    karp_options common = *options.common;
    common.now = g->now;
    options.common = &common;
    options.memory = NULL;
    validated asked = {
        .method = s->state.method, .nodes = nodes, .node_count = count, .launch_count = s->state.replacement_count
    };
    if (asked.launch_count > 0) asked.launch = s->replacements[0].launch;
    karp_status status = validate_command(g->snapshot, &options, &asked, removed, &answer, error);
    if (status != KARP_OK) return status;
    if (answer.code != KARP_REASON_NONE) {
        finish(g, KARP_COMMAND_PHASE_GIVEN_UP, answer.code);
        return KARP_OK;
    }
    step_keep_nodes(s, removed);
    start(g);
    return KARP_OK;
}

/* ---- public functions -------------------------------------------------------------------------------------------- */

static karp_status take(struct stepping *g, karp_error *error)
{
    const karp_command_state *s = &g->step->state;
    switch (s->phase) {
    case KARP_COMMAND_PHASE_VALIDATING:
        if (s->validate_at != KARP_NO_TIME && g->now >= s->validate_at) return validate(g, error);
        if (s->validate_at == KARP_NO_TIME) start(g);
        else advice_look_again(g->step->advice, s->validate_at);
        return KARP_OK;
    case KARP_COMMAND_PHASE_STARTING: return take_started(g, error);
    case KARP_COMMAND_PHASE_LAUNCHING: return launch(g, error);
    case KARP_COMMAND_PHASE_WAITING: progress(g); return KARP_OK;
    case KARP_COMMAND_PHASE_DELETING: finish_deleting(g); return KARP_OK;
    default: finish(g, s->phase, s->reason); return KARP_OK;
    }
}

static karp_status check_state(const karp_command_state *s, karp_error *error)
{
    if (s->reserved != 0) return fail_reserved(error, "karp_command_state");
    if (s->phase < KARP_COMMAND_PHASE_VALIDATING || s->phase > KARP_COMMAND_PHASE_GIVEN_UP)
        return fail(error, KARP_E_INVALID, "unknown phase %u", (unsigned)s->phase);
    if (karp_method_name(s->method)[0] == '\0')
        return fail(error, KARP_E_INVALID, "unknown method %u", (unsigned)s->method);
    if ((s->nodes == NULL && s->node_count > 0) || (s->replacements == NULL && s->replacement_count > 0) ||
        (s->receivers == NULL && s->receiver_count > 0)) {
        return fail(error, KARP_E_INVALID, "a list of the command has a length but no elements");
    }
    bool running = s->phase == KARP_COMMAND_PHASE_WAITING || s->phase == KARP_COMMAND_PHASE_DELETING;
    if (running && s->started == KARP_NO_TIME)
        return fail(error, KARP_E_INVALID, "the command is in progress but was never started");
    for (size_t i = 0; i < s->replacement_count; i++) {
        const karp_replacement *r = &s->replacements[i];
        karp_launch launch;
        if (r->reserved != 0) return fail_reserved(error, "karp_replacement");
        if (r->launch == NULL) return fail(error, KARP_E_INVALID, "replacement %zu has no launch", i);
        karp_status status = struct_check(r->launch, sizeof launch, record_launch.first, &launch, "karp_launch", error);
        if (status != KARP_OK) return status;
        if (r->progress > KARP_REPLACEMENT_INITIALIZED)
            return fail(error, KARP_E_INVALID, "replacement %zu: unknown progress %u", i, (unsigned)r->progress);
        bool named = r->claim.len > 0;
        if (named != (r->progress != KARP_REPLACEMENT_WANTED))
            return fail(error, KARP_E_INVALID, "replacement %zu: name and progress do not agree", i);
        if (running && !named) return fail(error, KARP_E_INVALID, "replacement %zu was never created", i);
    }
    return KARP_OK;
}

static karp_status check_observed(const karp_command_state *s, const karp_observation *list, size_t count,
                                  karp_error *error)
{
    if (list == NULL && count > 0)
        return fail(error, KARP_E_INVALID, "observation_count is not 0, but there are no observations");
    for (size_t i = 0; i < count; i++) {
        const karp_observation *o = &list[i];
        if (o->kind < KARP_OBSERVED_FAILED || o->kind > KARP_OBSERVED_GONE)
            return fail(error, KARP_E_INVALID, "observation %zu: unknown kind", i);
        bool of_replacement = o->kind == KARP_OBSERVED_CREATED || o->kind == KARP_OBSERVED_NOT_CREATED;
        if (of_replacement && (s->phase != KARP_COMMAND_PHASE_LAUNCHING || o->number >= s->replacement_count))
            return fail(error, KARP_E_INVALID, "observation %zu: no such replacement is being created", i);
        if (o->kind == KARP_OBSERVED_CREATED && o->object.len == 0)
            return fail(error, KARP_E_INVALID, "observation %zu: the NodeClaim has no name", i);
    }
    return KARP_OK;
}

karp_status karp_command_step(const karp_snapshot *snapshot, const karp_command_state *state,
                              const karp_disrupt_options *options, const karp_observation *observed_,
                              size_t observed_count, karp_step **out, karp_error *error)
{
    karp_command_state from;
    karp_disrupt_options checked;
    karp_options common;
    if (snapshot == NULL || state == NULL || out == NULL)
        return fail(error, KARP_E_INVALID, "a snapshot, a state and a place for the step are needed");
    karp_status status = struct_check(state, sizeof from, record_command_state.first, &from, "karp_command_state",
                                      error);
    if (status == KARP_OK) status = check_state(&from, error);
    if (status == KARP_OK) status = check_observed(&from, observed_, observed_count, error);
    if (status == KARP_OK) status = disrupt_options_check(options, &checked, &common, error);
    if (status != KARP_OK) return status;
    karp_step *step = step_new(snapshot, &from, common.now);
    if (step == NULL) return context_nomem(snapshot->context, error);
    struct stepping g = { .step = step,
                          .snapshot = snapshot,
                          .options = &checked,
                          .observed = observed_,
                          .observed_count = observed_count,
                          .now = step->advice->now };
    g.quirks = (common.profile == KARP_PROFILE_KARPENTER ? UINT64_MAX : 0) ^ checked.flip_quirks;
    status = take(&g, error);
    if (status == KARP_OK && step->advice->failed) status = fail_nomem(error);
    if (status != KARP_OK) {
        karp_step_free(step);
        return context_refusal(snapshot->context, status, error);
    }
    *out = step;
    return KARP_OK;
}

/* ---- the first state --------------------------------------------------------------------------------------------- */

/* The command's nodes are from the decision's snapshot and have a claim. */
static karp_str claim_of(const karp_snapshot *s, karp_str node_name)
{
    return claim_name(s, s->nodes[state_node_named(s, node_name)].claim);
}

/* The lists refer to the decision; step_new() copies them. */
static bool gather(const karp_decision *d, const karp_command *c, arena *a, karp_command_state *s)
{
    karp_command_node *nodes = arena_array(a, c->node_count + 1, sizeof *nodes);
    karp_replacement *replacements = arena_array(a, c->launch_count + 1, sizeof *replacements);
    karp_str *receivers = arena_array(a, c->placement_count + 1, sizeof *receivers);
    if (nodes == NULL || replacements == NULL || receivers == NULL) return false;
    for (size_t i = 0; i < c->node_count; i++)
        nodes[i] = (karp_command_node){ c->nodes[i], claim_of(d->snapshot, c->nodes[i]) };
    for (size_t i = 0; i < c->launch_count; i++) {
        replacements[i] = (karp_replacement){ .launch = &d->launches.items[c->launch_first + i], .claim = { "", 0 } };
    }
    for (size_t i = 0; i < c->placement_count; i++) receivers[i] = d->placements.items[c->placement_first + i].node;
    *s = (karp_command_state){ .size = sizeof *s,
                               .method = c->method,
                               .decided = d->now,
                               .validate_at = KARP_NO_TIME,
                               .started = KARP_NO_TIME,
                               .savings = c->savings,
                               .nodes = nodes,
                               .node_count = c->node_count,
                               .replacements = replacements,
                               .replacement_count = c->launch_count,
                               .receivers = receivers,
                               .receiver_count = c->placement_count };
    s->phase = KARP_COMMAND_PHASE_VALIDATING;
    if (c->validate_after > 0) s->validate_at = instant_after(d->now, c->validate_after);
    return true;
}

karp_status karp_command_begin(const karp_decision *decision, size_t command_index, karp_step **out, karp_error *error)
{
    if (decision == NULL || out == NULL)
        return fail(error, KARP_E_INVALID, "a decision and a place for the step are needed");
    if (command_index >= decision->commands.count)
        return fail(error, KARP_E_NOT_FOUND, "the decision has no such command");
    if (decision->commands.items[command_index].decision == KARP_COMMAND_REBOOT)
        return fail(error, KARP_E_INVALID,
                    "a reboot is carried out by its controller: the claim gets the condition Rebooting");
    karp_command_state state;
    arena scratch = arena_on(decision->context);
    bool ok = gather(decision, &decision->commands.items[command_index], &scratch, &state);
    karp_step *step = ok ? step_new(decision->snapshot, &state, decision->now) : NULL;
    arena_free(&scratch);
    if (step == NULL) return context_nomem(decision->context, error);
    advice_look_again(step->advice, state.validate_at != KARP_NO_TIME ? state.validate_at : decision->now);
    *out = step;
    return KARP_OK;
}
