/* SPDX-License-Identifier: Apache-2.0 */
/* The rounds of a cluster, until nothing changes. */
#include <karp/inspect.h>
#include <karp/passes.h>

#include <base/context.h>
#include <base/error.h>
#include <disrupt/advice.h>
#include <settle/carry_out.h>

#define SECOND INT64_C(1000000000)
#define BOOT (60 * SECOND)
#define LOOK_AGAIN (15 * SECOND) /* Karpenter's delay before validation */
#define HORIZON (7 * 24 * 3600 * SECOND) /* no waits for budgets or consolidateAfter beyond this time */

enum { ROUNDS_MOST = 500 };

struct karp_settlement {
    karp_context *context; /* one reference */
    karp_settle_options options;
    karp_options common;
    arena memory; /* of the rounds' lists */
    karp_snapshot *snapshot;
    int64_t began, step; /* step: delay before nodes that were not yet consolidatable are looked at again */
    karp_settle_round *rounds;
    size_t count, capacity;
    size_t first_round;
    karp_decision *first, *last;
    bool unsettled;
    karp_drift drift;
};

static karp_status refuse(const karp_settlement *s, karp_error *error) { return context_nomem(s->context, error); }

/* Carries the decisions out (none = time passes) and lets that much time pass. */
static karp_status go_on_with(karp_settlement *s, const karp_decision *const *decisions, size_t count, int64_t later,
                              karp_error *error)
{
    karp_snapshot *next = NULL;
    karp_status status = snapshot_after(s->snapshot, decisions, count, false, karp_snapshot_now(s->snapshot) + later,
                                        &next, error);
    if (status != KARP_OK) return status;
    karp_snapshot_unref(s->snapshot);
    s->snapshot = next;
    return KARP_OK;
}

static karp_status go_on(karp_settlement *s, const karp_decision *decision, int64_t later, karp_error *error)
{
    return go_on_with(s, &decision, decision != NULL, later, error);
}

/* ---- a round ----------------------------------------------------------------------------------------------------- */

/* Counts the launch with those of its type. The list is by name and has room. */
static void count_launch(karp_settle_round *round, karp_launched *list, karp_str type, double price)
{
    size_t at = 0;
    while (at < round->launched_count && compare_str(list[at].instance_type, type) < 0) at++;
    if (at == round->launched_count || !equal_str(list[at].instance_type, type)) {
        memmove(&list[at + 1], &list[at], (round->launched_count - at) * sizeof *list);
        list[at] = (karp_launched){ .instance_type = type };
        round->launched_count++;
    }
    list[at].nodes++;
    list[at].price += price;
    round->launches++;
}

static karp_str keep(karp_settlement *s, karp_str text)
{
    return (karp_str){ arena_string(&s->memory, text.ptr, text.len), text.len };
}

static karp_status note_launches(karp_settlement *s, const karp_decision *d, karp_settle_round *round,
                                 karp_error *error)
{
    size_t count = karp_decision_launch_count(d);
    karp_launched *list = arena_array(&s->memory, count, sizeof *list);
    if (count > 0 && list == NULL) return refuse(s, error);
    for (size_t i = 0; i < count; i++) {
        karp_launch l = { .size = sizeof l };
        if (karp_decision_launch(d, i, &l) != KARP_OK) return fail_hidden(error, KARP_E_INTERNAL);
        /* Without a type, no offering that the static pool allows is available. */
        if (l.choice.instance_type.len > 0) count_launch(round, list, l.choice.instance_type, l.choice.price);
    }
    for (size_t i = 0; i < round->launched_count; i++) {
        list[i].instance_type = keep(s, list[i].instance_type);
        if (list[i].instance_type.ptr == NULL) return refuse(s, error);
    }
    round->launched = list;
    return KARP_OK;
}

static karp_status note_removed(karp_settlement *s, const karp_decision *d, karp_settle_round *round, karp_error *error)
{
    karp_str *list = NULL;
    size_t capacity = 0;
    for (size_t i = 0; i < karp_decision_command_count(d); i++) {
        karp_command c = { .size = sizeof c };
        if (karp_decision_command(d, i, &c) != KARP_OK) return fail_hidden(error, KARP_E_INTERNAL);
        round->method = c.method;
        if (!arena_grow(&s->memory, (void **)&list, &capacity, round->removed_count + c.node_count, sizeof *list))
            return refuse(s, error);
        for (size_t k = 0; k < c.node_count; k++) {
            list[round->removed_count] = keep(s, c.nodes[k]);
            if (list[round->removed_count++].ptr == NULL) return refuse(s, error);
        }
    }
    round->removed = list;
    return KARP_OK;
}

/* The pods that StatefulSets have not created yet. */
static size_t not_created(const karp_decision *d)
{
    size_t count = 0;
    for (size_t i = 0; i < karp_decision_ignored_count(d); i++) {
        karp_ignored row = { .size = sizeof row };
        count += karp_decision_ignored(d, i, &row) == KARP_OK && row.code == KARP_REASON_NOT_CREATED;
    }
    return count;
}

static karp_status add_round(karp_settlement *s, const karp_decision *d, size_t launched_for, karp_error *error)
{
    if (!grow(s->context, (void **)&s->rounds, &s->capacity, s->count + 1, sizeof *s->rounds)) return refuse(s, error);
    karp_settle_round *round = &s->rounds[s->count++];
    *round = (karp_settle_round){ .size = sizeof *round,
                                  .at = karp_snapshot_now(s->snapshot),
                                  .method = KARP_METHOD_ANY,
                                  .pods_launched_for = launched_for,
                                  .pods_left = karp_decision_pods_left(d),
                                  .cost = karp_decision_cost_after(d) };
    if (s->options.progress != NULL) s->options.progress(s->count + 1, s->options.progress_user);
    karp_status status = note_removed(s, d, round, error);
    return status == KARP_OK ? note_launches(s, d, round, error) : status;
}

/* Adds a round, carries its decision out and lets that much time pass. */
static karp_status play_round(karp_settlement *s, const karp_decision *d, size_t launched_for, int64_t later,
                              karp_error *error)
{
    karp_status status = add_round(s, d, launched_for, error);
    return status == KARP_OK ? go_on(s, d, later, error) : status;
}

/* Counts the pods for which nodes are launched and those placed on existing nodes, and checks whether nodes are being
 * deleted. */
static karp_status look_at(const karp_decision *d, size_t *launched_for, size_t *received, bool *deleting,
                           karp_error *error)
{
    *launched_for = *received = 0;
    *deleting = false;
    for (size_t i = 0; i < karp_decision_launch_count(d); i++) {
        karp_launch l = { .size = sizeof l };
        if (karp_decision_launch(d, i, &l) != KARP_OK) return fail_hidden(error, KARP_E_INTERNAL);
        *launched_for += l.pod_count;
    }
    for (size_t i = 0; i < karp_decision_node_count(d); i++) {
        karp_node_use n = { .size = sizeof n };
        if (karp_decision_node(d, i, &n) != KARP_OK) return fail_hidden(error, KARP_E_INTERNAL);
        *received += n.pods_received;
        *deleting = *deleting || n.marked != 0;
    }
    return KARP_OK;
}

/* ---- until nothing changes --------------------------------------------------------------------------------------- */

/* The controllers of static NodePools run first: their nodes receive pods like any others. */
static karp_status settle_static(karp_settlement *s, karp_error *error)
{
    karp_decision *decision = NULL;
    karp_status status = karp_launch_static_pools(s->snapshot, &s->common, &decision, error);
    if (status != KARP_OK) return status;
    bool launches = karp_decision_launch_count(decision) > 0;
    if (launches || karp_decision_command_count(decision) > 0) {
        status = play_round(s, decision, 0, launches ? s->options.boot : 0, error);
        if (status == KARP_OK) s->rounds[s->count - 1].is_static = 1;
    }
    karp_decision_unref(decision);
    return status;
}

static karp_status provision_again(karp_settlement *s, karp_error *error)
{
    karp_decision_unref(s->last);
    s->last = NULL;
    return karp_provision(s->snapshot, &s->common, &s->last, error);
}

/* Rounds until pending pods get no more nodes. */
static karp_status provision(karp_settlement *s, karp_error *error)
{
    size_t received_before = SIZE_MAX, missing_before = SIZE_MAX;
    karp_status status = settle_static(s, error);
    while (status == KARP_OK && s->count < ROUNDS_MOST) {
        size_t launched_for, received;
        bool deleting;
        status = provision_again(s, error);
        if (status == KARP_OK) status = look_at(s->last, &launched_for, &received, &deleting, error);
        if (status != KARP_OK) return status;
        if (s->first == NULL) s->first = karp_decision_ref(s->last);
        bool launches = karp_decision_launch_count(s->last) > 0, acts = launches || deleting;
        if (s->first_round == 0) s->first_round = s->count > 0 && !launches ? s->count : s->count + 1;
        /* Pods on nodes that have not joined the cluster are placed again in each round. */
        size_t missing = not_created(s->last);
        bool same = missing == missing_before && (received == 0 || received == received_before);
        if (!acts && (same || (received == 0 && missing == 0))) return KARP_OK;
        received_before = acts ? SIZE_MAX : received;
        missing_before = acts ? SIZE_MAX : missing;
        status = acts ? play_round(s, s->last, launched_for, launches ? s->options.boot : 0, error)
                      : go_on(s, s->last, 0, error);
    }
    return status;
}

/* When a later pass can have another result without any action: when a budget opens, or when a node becomes
 * consolidatable. The latter is looked at again and again, each time after twice the delay. KARP_NO_TIME = never. */
static karp_status next_look(karp_settlement *s, const karp_decision *pass, int64_t *next, karp_error *error)
{
    int64_t now = karp_snapshot_now(s->snapshot);
    *next = KARP_NO_TIME;
    for (size_t i = 0; i < karp_decision_kept_count(pass); i++) {
        karp_kept k = { .size = sizeof k };
        if (karp_decision_kept(pass, i, &k) != KARP_OK) return fail_hidden(error, KARP_E_INTERNAL);
        if (k.code == KARP_REASON_NOT_CONSOLIDATABLE || k.code == KARP_REASON_CONSOLIDATE_AFTER) *next = now + s->step;
    }
    s->step *= 2;
    for (size_t i = 0; i < karp_decision_budget_count(pass); i++) {
        karp_pool_budget b = { .size = sizeof b };
        if (karp_decision_budget(pass, i, &b) != KARP_OK) return fail_hidden(error, KARP_E_INTERNAL);
        bool opens = b.remaining == 0 && b.next_change != KARP_NO_TIME && b.next_change > now;
        if (opens && (*next == KARP_NO_TIME || b.next_change < *next)) *next = b.next_change;
    }
    return KARP_OK;
}

/* ---- drift ------------------------------------------------------------------------------------------------------- */

/* Commands that begin at one instant: Karpenter makes the next pass at once while budgets allow it. */
typedef struct wave {
    karp_decision **passes; /* one reference each */
    size_t count, capacity;
} wave;

static bool is_drift(uint32_t method) { return method == KARP_METHOD_DRIFT || method == KARP_METHOD_STATIC_DRIFT; }

static bool drifts(const karp_decision *pass)
{
    karp_command c = { .size = sizeof c };
    return karp_decision_command_count(pass) > 0 && karp_decision_command(pass, 0, &c) == KARP_OK && is_drift(c.method);
}

static bool wave_add(karp_settlement *s, wave *w, karp_decision *pass)
{
    if (!grow(s->context, (void **)&w->passes, &w->capacity, w->count + 1, sizeof(void *))) return false;
    w->passes[w->count++] = karp_decision_ref(pass);
    return true;
}

static const karp_decision *const *decisions_of(const wave *w) { return (const karp_decision *const *)w->passes; }

static void wave_free(karp_settlement *s, wave *w)
{
    for (size_t i = 0; i < w->count; i++) karp_decision_unref(w->passes[i]);
    mem_free(s->context, w->passes, w->capacity * sizeof(void *));
}

static karp_status pass_on(const karp_settlement *s, const karp_snapshot *snapshot, karp_decision **out,
                           karp_error *error)
{
    karp_disrupt_options options;
    karp_disrupt_options_init(&options, sizeof options);
    options.common = &s->common;
    if (s->options.disrupt != KARP_SETTLE_DRIFT) return karp_disrupt(snapshot, &options, out, error);
    options.method = KARP_METHOD_STATIC_DRIFT;
    karp_status status = karp_disrupt(snapshot, &options, out, error);
    if (status != KARP_OK || karp_decision_command_count(*out) > 0) return status;
    karp_decision_unref(*out);
    *out = NULL;
    options.method = KARP_METHOD_DRIFT;
    return karp_disrupt(snapshot, &options, out, error);
}

/* The passes that follow while the commands before them go on. */
static karp_status add_passes(karp_settlement *s, wave *w, karp_error *error)
{
    bool more = true;
    karp_status status = KARP_OK;
    while (more && status == KARP_OK && s->count + w->count < ROUNDS_MOST) {
        karp_snapshot *begun = NULL;
        karp_decision *pass = NULL;
        status = snapshot_after(s->snapshot, decisions_of(w), w->count, true, karp_snapshot_now(s->snapshot), &begun,
                                error);
        if (status == KARP_OK) status = pass_on(s, begun, &pass, error);
        more = status == KARP_OK && drifts(pass);
        if (more && !wave_add(s, w, pass)) status = refuse(s, error);
        karp_decision_unref(pass);
        karp_snapshot_unref(begun);
    }
    return status;
}

/* How long the drains of the wave wait for pods that cannot be evicted. */
static int64_t drain_of(const karp_snapshot *snapshot, const wave *w, size_t *held)
{
    int64_t longest = 0;
    for (size_t i = 0; i < w->count; i++) {
        karp_command c = { .size = sizeof c };
        for (size_t k = 0; karp_decision_command(w->passes[i], k, &c) == KARP_OK; k++) {
            for (size_t n = 0; n < c.node_count; n++) {
                uint32_t number = state_node_named(snapshot, c.nodes[n]);
                int64_t lasts = number == NO_ID ? 0 : drain_held(snapshot, &snapshot->nodes[number]);
                *held += lasts > 0;
                if (lasts > longest) longest = lasts;
            }
        }
    }
    return longest;
}

/* Whether a static NodePool has no room for one more replacement. */
static size_t stopped_by_limit(const karp_decision *pass)
{
    size_t found = 0;
    karp_kept row = { .size = sizeof row };
    for (size_t i = 0; found == 0 && karp_decision_kept(pass, i, &row) == KARP_OK; i++)
        found = row.code == KARP_REASON_STATIC_LIMIT;
    return found;
}

/* Adds the wave to the course of the drift. */
static void count_wave(karp_settlement *s, const wave *w)
{
    karp_drift *d = &s->drift;
    size_t nodes = 0;
    double launched = 0;
    for (size_t i = 0; i < w->count; i++) {
        const karp_settle_round *round = &s->rounds[s->count - w->count + i];
        nodes += round->removed_count;
        for (size_t k = 0; k < round->launched_count; k++) launched += round->launched[k].price;
    }
    double before = karp_decision_cost_before(w->passes[0]);
    if (d->ends == KARP_NO_TIME) d->cost_before = before;
    for (size_t i = 0; i < w->count; i++) d->limited = d->limited || stopped_by_limit(w->passes[i]);
    if (nodes > d->at_once) d->at_once = nodes;
    if (before + launched > d->cost_during) d->cost_during = before + launched;
    d->ends = karp_snapshot_now(s->snapshot);
}

/* Plays the drift command and those that begin at the same time. */
static karp_status play_wave(karp_settlement *s, karp_decision *first, karp_error *error)
{
    wave w = { 0 };
    bool launches = false;
    karp_status status = wave_add(s, &w, first) ? add_passes(s, &w, error) : refuse(s, error);
    for (size_t i = 0; i < w.count && status == KARP_OK; i++) {
        status = add_round(s, w.passes[i], 0, error);
        launches = launches || karp_decision_launch_count(w.passes[i]) > 0;
    }
    int64_t drain = drain_of(s->snapshot, &w, &s->drift.held), takes = launches ? s->options.boot : LOOK_AGAIN;
    if (status == KARP_OK && drain > INT64_MAX - takes - karp_snapshot_now(s->snapshot))
        status = fail(error, KARP_E_RANGE, "a terminationGracePeriod ends after the last instant that there is");
    if (status == KARP_OK) status = go_on_with(s, decisions_of(&w), w.count, takes + drain, error);
    if (status == KARP_OK) count_wave(s, &w);
    wave_free(s, &w);
    return status;
}

/* Nodes that have drifted, and are not being deleted. */
static size_t drifted_nodes(const karp_snapshot *snapshot)
{
    size_t count = 0;
    for (size_t i = 0; i < snapshot->node_count; i++) {
        const state_node *n = &snapshot->nodes[i];
        count += n->claim != NO_ID && n->drifted && !n->marked && n->pool != NO_ID;
    }
    return count;
}

size_t karp_drifted_nodes(const karp_snapshot *snapshot) { return snapshot == NULL ? 0 : drifted_nodes(snapshot); }

/* Carries out what a pass decided, or waits until it can have another result. *more = another pass follows. */
static karp_status follow_pass(karp_settlement *s, karp_decision *pass, bool *more, karp_error *error)
{
    int64_t next, now = karp_snapshot_now(s->snapshot);
    *more = karp_decision_command_count(pass) > 0;
    if (*more) {
        s->step = LOOK_AGAIN;
        bool launches = karp_decision_launch_count(pass) > 0;
        karp_status status = drifts(pass) ? play_wave(s, pass, error)
                                          : play_round(s, pass, 0, launches ? s->options.boot : LOOK_AGAIN, error);
        return status == KARP_OK ? provision(s, error) : status;
    }
    karp_status status = next_look(s, pass, &next, error);
    if (status != KARP_OK) return status;
    *more = next != KARP_NO_TIME && next > now && next - s->began <= HORIZON;
    return *more ? go_on(s, NULL, next - now, error) : KARP_OK;
}

static karp_status consolidate(karp_settlement *s, karp_error *error)
{
    bool more = true;
    karp_status status = KARP_OK;
    while (status == KARP_OK && more && s->count < ROUNDS_MOST) {
        karp_decision *pass = NULL;
        status = pass_on(s, s->snapshot, &pass, error);
        if (status == KARP_OK) status = follow_pass(s, pass, &more, error);
        karp_decision_unref(pass);
    }
    return status;
}

static karp_status play(karp_settlement *s, karp_error *error)
{
    if (s->options.progress != NULL) s->options.progress(1, s->options.progress_user);
    s->drift = (karp_drift){ .size = sizeof s->drift,
                             .nodes = drifted_nodes(s->snapshot),
                             .ends = KARP_NO_TIME,
                             .played = s->options.disrupt != 0 };
    karp_status status = provision(s, error);
    if (status == KARP_OK && s->options.disrupt) status = consolidate(s, error);
    s->unsettled = s->count >= ROUNDS_MOST;
    if (status == KARP_OK) status = provision_again(s, error);
    if (status != KARP_OK) return status;
    s->drift.begins = s->began;
    s->drift.left = drifted_nodes(s->snapshot);
    if (s->drift.ends == KARP_NO_TIME)
        s->drift.cost_before = karp_decision_cost_before(s->first != NULL ? s->first : s->last);
    s->drift.cost_after = karp_decision_cost_after(s->last);
    return KARP_OK;
}

size_t karp_decision_pods_left(const karp_decision *decision)
{
    return decision == NULL ? 0 : karp_decision_unschedulable_count(decision) + not_created(decision);
}

uint32_t karp_more_rounds(const karp_snapshot *snapshot, const karp_decision *decision)
{
    if (snapshot == NULL || decision == NULL) return 0;
    for (size_t i = 0; i < snapshot->raw.pools.count; i++) {
        if (snapshot->raw.pools.items[i].replicas >= 0) return 1;
    }
    if (not_created(decision) > 0) return 1;
    if (karp_decision_launch_count(decision) == 0) return 0;
    for (size_t i = 0; i < karp_decision_unschedulable_count(decision); i++) {
        karp_unschedulable u = { .size = sizeof u };
        if (karp_decision_unschedulable(decision, i, &u) == KARP_OK && u.permanent == 0) return 1;
    }
    return 0;
}

/* ---- public functions -------------------------------------------------------------------------------------------- */

void karp_settle_options_init(karp_settle_options *options, size_t size)
{
    const karp_settle_options fresh = { 0 };
    struct_start(options, size, &fresh, sizeof fresh);
}

static karp_status take_options(karp_settlement *s, const karp_settle_options *given, karp_error *error)
{
    karp_status status = struct_check(given, sizeof s->options, SIZE_THROUGH(karp_settle_options, progress_user),
                                      &s->options, "karp_settle_options", error);
    if (status == KARP_OK && s->options.reserved != 0) status = fail_reserved(error, "karp_settle_options");
    if (status == KARP_OK && (s->options.boot < 0 || s->options.boot > HORIZON))
        status = fail(error, KARP_E_INVALID, "boot has to be from 0 to seven days");
    if (status == KARP_OK)
        status = struct_check(s->options.common, sizeof s->common, SIZE_THROUGH(karp_options, flip_quirks), &s->common,
                              "karp_options", error);
    s->common.now = 0; /* every round uses the time of its own snapshot */
    if (s->options.boot == 0) s->options.boot = BOOT;
    return status;
}

karp_status karp_settle(const karp_snapshot *snapshot, const karp_settle_options *options, karp_settlement **out,
                        karp_error *error)
{
    if (snapshot == NULL || out == NULL) return fail_null(error, "snapshot or out");
    karp_settlement *s = mem_zalloc(snapshot->context, sizeof *s);
    if (s == NULL) return context_nomem(snapshot->context, error);
    s->context = karp_context_ref(snapshot->context);
    arena_init(&s->memory, s->context);
    s->snapshot = snapshot_hold(snapshot);
    s->began = karp_snapshot_now(snapshot);
    s->step = LOOK_AGAIN;
    karp_status status = take_options(s, options, error);
    if (status == KARP_OK) status = play(s, error);
    if (status == KARP_OK) *out = s;
    else karp_settlement_free(s);
    return status;
}

void karp_settlement_free(karp_settlement *settlement)
{
    if (settlement == NULL) return;
    karp_context *context = settlement->context;
    karp_decision_unref(settlement->first);
    karp_decision_unref(settlement->last);
    karp_snapshot_unref(settlement->snapshot);
    mem_free(context, settlement->rounds, settlement->capacity * sizeof *settlement->rounds);
    arena_free(&settlement->memory);
    mem_free(context, settlement, sizeof *settlement);
    karp_context_unref(context);
}

uint32_t karp_settlement_settled(const karp_settlement *settlement)
{
    return settlement != NULL && !settlement->unsettled;
}

size_t karp_settlement_round_count(const karp_settlement *settlement)
{
    return settlement == NULL ? 0 : settlement->count;
}

karp_status karp_settlement_round(const karp_settlement *settlement, size_t index, karp_settle_round *out)
{
    if (settlement == NULL || out == NULL) return KARP_E_INVALID;
    if (index >= settlement->count) return KARP_E_NOT_FOUND;
    return struct_give(out, &settlement->rounds[index], sizeof *out, SIZE_THROUGH(karp_settle_round, cost));
}

size_t karp_settlement_first_round(const karp_settlement *settlement)
{
    return settlement == NULL ? 0 : settlement->first_round;
}

const karp_decision *karp_settlement_first(const karp_settlement *settlement)
{
    return settlement == NULL ? NULL : settlement->first;
}

const karp_decision *karp_settlement_last(const karp_settlement *settlement)
{
    return settlement == NULL ? NULL : settlement->last;
}

const karp_snapshot *karp_settlement_snapshot(const karp_settlement *settlement)
{
    return settlement == NULL ? NULL : settlement->snapshot;
}

karp_status karp_settlement_drift(const karp_settlement *settlement, karp_drift *out)
{
    if (settlement == NULL || out == NULL) return KARP_E_INVALID;
    return struct_give(out, &settlement->drift, sizeof *out, SIZE_THROUGH(karp_drift, played));
}
