/* SPDX-License-Identifier: Apache-2.0 */
#include <karp/inspect.h>
#include <karp/library.h>
#include <replay/engine.h>
#include <replay/story.h>

static uint32_t find_node(const story *s, karp_str name) { return io_table_get(&s->e->nodes.index, name); }

static bool takes_pods(const story *s, uint32_t node)
{
    if (node == IO_NONE) return false;
    const replay_node *n = &s->e->nodes.list[node];
    return n->ready && !n->deleting && !n->gone;
}

static karp_status start_nodes(story *s, const karp_decision *d, size_t first, size_t count)
{
    karp_status status = KARP_OK;
    for (size_t i = first; i < first + count && !status; i++) {
        karp_launch launch = { .size = sizeof launch };
        status = karp_decision_launch(d, i, &launch);
        if (status) return fail_hidden(&s->error, status);
        uint32_t node = node_start(s->e, d, &launch);
        status = story_engine(s);
        if (!status && node != REPLAY_NONE)
            story_write_event(s, "launched", s->e->nodes.list[node].name, launch.choice.instance_type);
    }
    return status;
}

/* ---- provisioning ------------------------------------------------------------------------------------------------ */

/* Binds the pending pods of a placement; with `count_only` just counts them. */
static karp_status bind_placement(story *s, const karp_decision *d, const karp_placement *p, bool count_only,
                                  size_t *bound)
{
    uint32_t node = find_node(s, p->node);
    if (!takes_pods(s, node)) return KARP_OK;
    strbuf names = strbuf_on(s->context);
    karp_status status = KARP_OK;
    size_t before = *bound;
    for (size_t i = 0; i < p->pod_count && !status; i++) {
        karp_str name = karp_decision_pod_name(d, p->pods[i]);
        uint32_t pod = io_table_get(&s->e->pods.index, name);
        if (pod == IO_NONE || s->e->pods.list[pod].state != POD_PENDING) continue;
        (*bound)++;
        if (count_only) continue;
        if (names.len > 0) strbuf_addc(&names, ' ');
        strbuf_add(&names, name.ptr, name.len);
        pod_bind(s->e, pod, node);
        status = story_engine(s);
    }
    if (!status && names.failed) status = story_nomem(s);
    if (!status && !count_only && *bound > before)
        story_write_event(s, "bound", p->node, (karp_str){ names.ptr, names.len });
    strbuf_free(&names);
    return status;
}

static karp_status bind_pods(story *s, const karp_decision *d, bool count_only, size_t *bound)
{
    *bound = 0;
    for (size_t i = 0; i < karp_decision_placement_count(d); i++) {
        karp_placement p = { .size = sizeof p };
        karp_status status = karp_decision_placement(d, i, &p);
        if (status) return fail_hidden(&s->error, status);
        status = bind_placement(s, d, &p, count_only, bound);
        if (status) return status;
    }
    return KARP_OK;
}

/* A decision has been made for the pods of nodes that are being deleted. Under v1 they are evicted at once; in v1alpha5
 * an expired node waits for its replacements. */
static karp_status settle_deleting(story *s, uint32_t first, size_t launches)
{
    karp_status status = KARP_OK;
    for (size_t i = 0, next = 0; i < s->e->nodes.alive_count && s->e->nodes.alive[i] < first && !status; i = next) {
        uint32_t node = s->e->nodes.alive[i];
        next = i + 1;
        if (!s->e->nodes.list[node].deleting) continue;
        story_node *n = story_node_of(s, node);
        if (!n) return s->error.status;
        if (n->planned) continue;
        n->planned = true;
        n->wait_first = first;
        n->wait_count = s->old_rules ? (uint32_t)launches : 0;
        if (n->wait_count > 0) continue;
        status = story_drain(s, node);
        next = i; /* the next node has moved to this index */
    }
    return status;
}

bool story_any_unplanned(const story *s)
{
    for (size_t i = 0; i < s->e->nodes.alive_count; i++) {
        uint32_t node = s->e->nodes.alive[i];
        if (s->e->nodes.list[node].deleting && (node >= s->node_capacity || !s->nodes[node].planned)) return true;
    }
    return false;
}

static void write_bound(story *s, const replay_pod *p)
{
    strbuf name = strbuf_on(s->context);
    strbuf_addname(&name, p->namespace_, p->name);
    if (name.failed) (void)story_nomem(s);
    else story_write_event(s, "bound", s->e->nodes.list[p->node].name, (karp_str){ name.ptr, name.len });
    strbuf_free(&name);
}

static bool without_pools(const karp_decision *d)
{
    for (size_t i = 0; i < karp_decision_ignored_count(d); i++) {
        karp_ignored row = { .size = sizeof row };
        if (karp_decision_ignored(d, i, &row) == KARP_OK && row.code == KARP_REASON_NO_NODEPOOLS) return true;
    }
    return false;
}

/* Karpenter plans nothing if no NodePool accepts pods, for example if all are static. kube-scheduler still binds the
 * pods. */
static karp_status bind_unplanned(story *s, const karp_decision *d)
{
    size_t count = 0, room = s->e->pods.still_pending + (size_t)1;
    if (!without_pools(d)) return KARP_OK;
    uint32_t *pods = karp_alloc(s->context, room * sizeof *pods);
    if (!pods) return story_nomem(s);
    for (size_t i = 0; i < s->e->pods.count && count < room; i++) {
        if (s->e->pods.list[i].state == POD_PENDING) pods[count++] = (uint32_t)i;
    }
    pods_settle(s->e);
    karp_status status = story_engine(s);
    for (size_t i = 0; i < count && !status; i++) {
        const replay_pod *p = &s->e->pods.list[pods[i]];
        if (p->state == POD_RUNNING) write_bound(s, p);
    }
    karp_free(s->context, pods, room * sizeof *pods);
    return status ? status : s->error.status;
}

static karp_status follow_plan(story *s, const karp_decision *d)
{
    size_t launches = karp_decision_launch_count(d), unschedulable = karp_decision_unschedulable_count(d), bound = 0;
    karp_status status = bind_pods(s, d, true, &bound);
    if (status) return status;
    if (launches > 0 || bound > 0 || story_any_unplanned(s) || unschedulable != s->unschedulable)
        status = story_write_decision(s, d, false);
    s->unschedulable = unschedulable;
    uint32_t first = (uint32_t)s->e->nodes.count;
    if (!status) status = start_nodes(s, d, 0, launches);
    if (!status) status = settle_deleting(s, first, s->e->nodes.count - first);
    if (!status) status = bind_pods(s, d, false, &bound);
    return status ? status : bind_unplanned(s, d);
}

/* The work of a decision beyond its own pods and nodes; the number of running pods that count as a step. */
enum { DECISION = 1000, PENDING_POD = 4, NODE_OF_A_PASS = 30, RUNNING_PODS = 4 };

static karp_status decided(story *s, uint64_t steps)
{
    return story_worked(s, DECISION + steps + s->e->meter.running / RUNNING_PODS);
}

static karp_status execute(story *s, const karp_decision *d, const karp_command *c);

karp_status story_provision(story *s)
{
    karp_snapshot *snapshot = NULL;
    karp_decision *d = NULL;
    karp_status status = story_snapshot(s, &snapshot);
    if (!status) status = karp_provision(snapshot, &s->options, &d, &s->error);
    s->e->meter.result.decisions++;
    if (!status) status = decided(s, s->e->pods.still_pending * (uint64_t)PENDING_POD);
    buffers_decided(s->e);
    if (!status) status = follow_plan(s, d);
    karp_decision_unref(d);
    return status;
}

static bool has_static_pools(const story *s)
{
    for (size_t i = 0; i < tree_count(s->e->objects.documents); i++) {
        const tree *object = tree_item(s->e->objects.documents, i);
        if (str_is(tree_get_text(object, "kind"), "NodePool") && tree_get(tree_get(object, "spec"), "replicas"))
            return true;
    }
    return false;
}

/* The number of nodes in the commands that the story may remove: nodes from the documents are left alone. */
static size_t count_removable(const story *s, const karp_decision *d)
{
    size_t count = 0;
    for (size_t i = 0; i < karp_decision_command_count(d); i++) {
        karp_command c = { .size = sizeof c };
        if (karp_decision_command(d, i, &c)) return 0;
        for (size_t k = 0; k < c.node_count; k++) {
            uint32_t node = find_node(s, c.nodes[k]);
            count += node != IO_NONE && !s->e->nodes.list[node].given;
        }
    }
    return count;
}

/* Removes the nodes of static NodePools beyond their replicas. */
static karp_status remove_static(story *s, const karp_decision *d)
{
    karp_status status = story_write_decision(s, d, true);
    for (size_t i = 0; i < karp_decision_command_count(d) && !status; i++) {
        karp_command c = { .size = sizeof c };
        status = karp_decision_command(d, i, &c);
        if (!status) status = execute(s, d, &c);
    }
    return status;
}

/* The actions of the static NodePools' controllers, regardless of pending pods. */
karp_status story_launch_static(story *s)
{
    karp_snapshot *snapshot = NULL;
    karp_decision *d = NULL;
    if (!has_static_pools(s)) return KARP_OK;
    karp_status status = story_snapshot(s, &snapshot);
    if (!status) status = karp_launch_static_pools(snapshot, &s->options, &d, &s->error);
    if (!status) status = decided(s, 0);
    size_t launches = status ? 0 : karp_decision_launch_count(d);
    if (launches > 0) status = story_write_decision(s, d, false);
    if (launches > 0 && !status) status = start_nodes(s, d, 0, launches);
    if (!status && count_removable(s, d) > 0) status = remove_static(s, d);
    karp_decision_unref(d);
    return status;
}

/* ---- graceful expiry --------------------------------------------------------------------------------------------- */

static void sooner_of(const story *s, int64_t instant, int64_t *when)
{
    if (instant > s->e->now && (*when == KARP_NO_TIME || instant < *when)) *when = instant;
}

/* Records when a pod's protection ends: an annotation of its workload, counted from the pod's start. */
static void note_protection(story *s, const replay_pod *p)
{
    const karp_meta *meta = &s->e->pods.shapes[p->shape].pod.meta;
    karp_str length = { "", 0 };
    for (size_t i = 0; i < meta->annotation_count; i++) {
        if (str_is(meta->annotations[i].key, "karpenter.sh/do-not-disrupt")) length = meta->annotations[i].value;
    }
    int64_t lasts = 0;
    if (length.len > 0 && karp_duration_parse(length, &lasts) == KARP_OK && lasts > 0 && lasts < INT64_MAX / 4)
        sooner_of(s, p->started + lasts, &s->unblocked_at);
}

/* Reports why an expired node is kept, if the reason is new, and records when that may end. */
static karp_status note_blocked(story *s, const karp_decision *d)
{
    for (size_t i = 0; i < karp_decision_kept_count(d); i++) {
        karp_kept kept = { .size = sizeof kept };
        karp_status status = karp_decision_kept(d, i, &kept);
        if (status) return fail_hidden(&s->error, status);
        uint32_t number = find_node(s, kept.node);
        bool unknown = kept.code == KARP_REASON_NOT_REACHED_IN_PASS || kept.code == KARP_REASON_SEARCH_STOPPED;
        if (number == IO_NONE || unknown || kept.code == KARP_REASON_NOT_EXPIRED) continue;
        int64_t expires = story_expires_at(s, number);
        if (s->e->nodes.list[number].deleting || expires == KARP_NO_TIME || expires > s->e->now) continue;
        story_node *n = story_node_of(s, number);
        if (!n) return s->error.status;
        if (n->blocked != kept.code)
            story_write_event(s, "blocked", s->e->nodes.list[number].name,
                              kept.detail.len > 0 ? kept.detail : str(karp_reason_text(kept.code)));
        n->blocked = kept.code;
        uint32_t pod = kept.code == KARP_REASON_POD_DO_NOT_DISRUPT ? s->e->nodes.list[number].first_pod : REPLAY_NONE;
        for (; pod != REPLAY_NONE; pod = s->e->pods.list[pod].next) note_protection(s, &s->e->pods.list[pod]);
    }
    for (size_t i = 0; i < karp_decision_budget_count(d); i++) {
        karp_pool_budget budget = { .size = sizeof budget };
        if (karp_decision_budget(d, i, &budget) == KARP_OK && budget.next_change != KARP_NO_TIME)
            sooner_of(s, budget.next_change, &s->unblocked_at);
    }
    return KARP_OK;
}

/* The first node that the pass selects. The pass also considered nodes whose pods have no place: then the longest
 * expired of them. */
static karp_status chosen_node(const story *s, const karp_decision *d, uint32_t *node)
{
    if (karp_decision_command_count(d) > 0) {
        karp_command c = { .size = sizeof c };
        karp_status status = karp_decision_command(d, 0, &c);
        if (!status) *node = find_node(s, c.nodes[0]);
        return status;
    }
    for (size_t i = 0; i < karp_decision_kept_count(d); i++) {
        karp_kept kept = { .size = sizeof kept };
        karp_status status = karp_decision_kept(d, i, &kept);
        if (status) return status;
        uint32_t number = find_node(s, kept.node);
        if (kept.code != KARP_REASON_PODS_WOULD_NOT_SCHEDULE || number == IO_NONE || s->e->nodes.list[number].given)
            continue;
        if (*node == IO_NONE || story_expires_at(s, number) < story_expires_at(s, *node)) *node = number;
    }
    return KARP_OK;
}

/* The documents' own nodes do not change: the pass treats them as part of another command. */
karp_status story_choose_expired(story *s, uint32_t *node)
{
    size_t given = s->e->nodes.given_count;
    karp_str *own = mem_alloc(s->context, (given + 1) * sizeof *own);
    karp_snapshot *snapshot = NULL;
    karp_decision *d = NULL;
    karp_disrupt_options options;
    *node = IO_NONE;
    s->unblocked_at = KARP_NO_TIME;
    karp_disrupt_options_init(&options, sizeof options);
    options.common = &s->options;
    options.method = KARP_METHOD_EXPIRATION;
    for (size_t i = 0; own && i < given; i++) own[i] = s->e->nodes.list[i].name;
    options.in_progress = own;
    options.in_progress_count = given;
    karp_status status = own ? story_snapshot(s, &snapshot) : story_nomem(s);
    if (!status) status = karp_disrupt(snapshot, &options, &d, &s->error);
    if (!status) status = decided(s, s->e->nodes.alive_count * (uint64_t)NODE_OF_A_PASS);
    if (!status && chosen_node(s, d, node)) status = fail_hidden(&s->error, KARP_E_INTERNAL);
    if (!status && *node != IO_NONE && s->e->nodes.list[*node].given) *node = IO_NONE;
    if (!status && *node == IO_NONE) status = note_blocked(s, d);
    mem_free(s->context, own, (given + 1) * sizeof *own);
    karp_decision_unref(d);
    return status;
}

/* ---- disruption -------------------------------------------------------------------------------------------------- */

/* Lists method and nodes of every command. */
static karp_status describe(story *s, const karp_decision *d, strbuf *out)
{
    for (size_t i = 0; i < karp_decision_command_count(d); i++) {
        karp_command c = { .size = sizeof c };
        karp_status status = karp_decision_command(d, i, &c);
        if (status) return fail_hidden(&s->error, status);
        strbuf_adds(out, karp_method_name(c.method));
        for (size_t k = 0; k < c.node_count; k++) {
            strbuf_addc(out, ' ');
            strbuf_add(out, c.nodes[k].ptr, c.nodes[k].len);
        }
        strbuf_addc(out, '\n');
    }
    return out->failed ? story_nomem(s) : KARP_OK;
}

/* Replaces a node of a static pool. It is already marked as being removed, so that the pool's controller does not
 * launch a second replacement. */
static karp_status replace_static(story *s, const karp_decision *d, const karp_command *c)
{
    karp_launch launch = { .size = sizeof launch };
    karp_status status = karp_decision_launch(d, c->launch_first, &launch);
    if (status) return fail_hidden(&s->error, status);
    int64_t amounts[RESOURCES_MOST];
    launch_amounts(s->e, d, &launch, amounts);
    uint32_t node = static_replacement(s->e, &launch, amounts);
    status = story_engine(s);
    if (!status && node != REPLAY_NONE)
        story_write_event(s, "launched", s->e->nodes.list[node].name, launch.choice.instance_type);
    return status;
}

static karp_status execute(story *s, const karp_decision *d, const karp_command *c)
{
    uint32_t first = (uint32_t)s->e->nodes.count;
    bool is_static = c->method == KARP_METHOD_STATIC_DRIFT && c->launch_count > 0;
    karp_status status = is_static ? KARP_OK : start_nodes(s, d, c->launch_first, c->launch_count);
    if (!status && c->method < METHODS_MOST) s->e->meter.result.commands[c->method]++;
    for (size_t i = 0; i < c->node_count && !status; i++) {
        uint32_t node = find_node(s, c->nodes[i]);
        if (node == IO_NONE || s->e->nodes.list[node].given) {
            story_write_event(s, "left alone", c->nodes[i], str("it was there before the story"));
            continue;
        }
        node_delete(s->e, node);
        if (is_static) status = replace_static(s, d, c);
        uint32_t started = (uint32_t)s->e->nodes.count - first;
        story_node *n = status ? NULL : story_node_of(s, node);
        if (!n) return s->error.status;
        *n = (story_node){ .planned = true, .wait_first = first, .wait_count = started };
        status = n->wait_count == 0 ? story_drain(s, node) : story_engine(s);
    }
    return status;
}

/* Karpenter validates a command before it acts. A story acts when the same commands are decided a second time. */
static karp_status validate(story *s, const karp_decision *d, bool *valid)
{
    karp_command c = { .size = sizeof c };
    strbuf wanted = strbuf_on(s->context);
    karp_status status = describe(s, d, &wanted);
    if (!status) status = karp_decision_command(d, 0, &c);
    karp_str now = { wanted.ptr, wanted.len }, before = { s->proposed.ptr, s->proposed.len };
    bool same = !status && s->validate_at != KARP_NO_TIME && equal_str(now, before);
    *valid = !status && (s->old_rules || c.validate_after == 0 || (same && s->e->now >= s->validate_at));
    if (status || *valid || same) {
        strbuf_free(&wanted);
    } else {
        strbuf_free(&s->proposed);
        s->proposed = wanted;
        s->validate_at = s->e->now + c.validate_after;
    }
    if (*valid) s->validate_at = KARP_NO_TIME;
    return status;
}

/* *again: Karpenter's next pass follows at once, since drifted nodes are replaced as fast as budgets allow. */
static karp_status follow_disruption(story *s, const karp_decision *d, bool *again)
{
    bool valid = false;
    size_t count = karp_decision_command_count(d);
    *again = false;
    if (count == 0) {
        s->validate_at = KARP_NO_TIME;
        return KARP_OK;
    }
    karp_status status = validate(s, d, &valid);
    if (status || !valid) return status;
    status = story_write_decision(s, d, true);
    for (size_t i = 0; i < count && !status; i++) {
        karp_command c = { .size = sizeof c };
        status = karp_decision_command(d, i, &c);
        if (!status) status = execute(s, d, &c);
        if (c.method == KARP_METHOD_DRIFT || c.method == KARP_METHOD_STATIC_DRIFT) *again = !s->old_rules;
    }
    return status;
}

/* Whether every pod is placed, and no node is starting or being deleted. */
static bool settled(const story *s)
{
    for (size_t i = 0; i < s->e->nodes.alive_count; i++) {
        const replay_node *n = &s->e->nodes.list[s->e->nodes.alive[i]];
        if (!n->ready || n->deleting) return false;
    }
    return s->e->pods.still_pending == 0;
}

/* Records when an exhausted budget allows disruptions again. */
static karp_status note_budgets(story *s, const karp_decision *d)
{
    for (size_t i = 0; i < karp_decision_budget_count(d); i++) {
        karp_pool_budget b = { .size = sizeof b };
        karp_status status = karp_decision_budget(d, i, &b);
        if (status) return fail_hidden(&s->error, status);
        if (b.remaining == 0 && b.next_change != KARP_NO_TIME) sooner_of(s, b.next_change, &s->opens_at);
    }
    return KARP_OK;
}

static karp_status one_pass(story *s, bool *again)
{
    karp_snapshot *snapshot = NULL;
    karp_decision *d = NULL;
    karp_disrupt_options options;
    karp_disrupt_options_init(&options, sizeof options);
    options.common = &s->options;
    karp_status status = story_snapshot(s, &snapshot);
    if (!status) status = karp_disrupt(snapshot, &options, &d, &s->error);
    s->e->meter.result.passes++;
    if (!status) status = decided(s, s->e->nodes.alive_count * (uint64_t)NODE_OF_A_PASS);
    if (!status) status = follow_disruption(s, d, again);
    if (!status && !s->old_rules) status = note_budgets(s, d);
    karp_decision_unref(d);
    return status;
}

karp_status story_disrupt(story *s)
{
    karp_status status = KARP_OK;
    s->opens_at = KARP_NO_TIME;
    for (bool again = settled(s); again && !status;) status = one_pass(s, &again);
    return status;
}
