/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/story.h>

static uint32_t find_node(const story *s, karp_str name) { return io_table_get(&s->node_index, name); }

static bool takes_pods(const story *s, uint32_t node)
{
    if (node == IO_NONE) return false;
    return node >= STORY_OWN_NODES || (s->nodes[node].ready && !s->nodes[node].deleting && !s->nodes[node].gone);
}

static karp_status start_nodes(story *s, const karp_decision *d, size_t first, size_t count)
{
    karp_status status = KARP_OK;
    for (size_t i = first; i < first + count && !status; i++) {
        karp_launch launch = { .size = sizeof launch };
        status = karp_decision_launch(d, i, &launch);
        if (status) return story_fail(s, status, "the decision does not show what it counts");
        status = story_start_node(s, &launch);
        if (!status) story_write_event(s, "launched", s->nodes[s->node_count - 1].name, launch.choice.instance_type);
    }
    return status;
}

/* ---- provisioning -------------------------------------------------------------------------------------------------------- */

/* Binds the pods of a placement that wait for a node; with `count_only` just says how many they are. */
static karp_status bind_placement(story *s, const karp_decision *d, const karp_placement *p, bool count_only,
                                  size_t *bound)
{
    uint32_t node = find_node(s, p->node);
    if (!takes_pods(s, node)) return KARP_OK;
    strbuf names;
    strbuf_init(&names, s->context);
    karp_status status = KARP_OK;
    size_t before = *bound;
    for (size_t i = 0; i < p->pod_count && !status; i++) {
        karp_str name = karp_decision_pod_name(d, p->pods[i]);
        uint32_t pod = io_table_get(&s->pod_index, name);
        if (pod == IO_NONE || s->pods[pod].gone || s->pods[pod].node != IO_NONE) continue;
        (*bound)++;
        if (count_only) continue;
        if (names.len > 0) strbuf_addc(&names, ' ');
        strbuf_add(&names, name.ptr, name.len);
        status = story_bind(s, pod, node);
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
        if (status) return story_fail(s, status, "the decision does not show what it counts");
        status = bind_placement(s, d, &p, count_only, bound);
        if (status) return status;
    }
    return KARP_OK;
}

/* A decision has been made for the pods of nodes that are being deleted. Under v1 they leave at once; in v1alpha5 a node
 * that expires waits for what replaces it. */
static karp_status settle_deleting(story *s, uint32_t first, size_t launches)
{
    karp_status status = KARP_OK;
    for (uint32_t i = 0; i < first && !status; i++) {
        story_node *n = &s->nodes[i];
        if (!n->deleting || n->planned || n->gone) continue;
        n->planned = true;
        n->wait_first = first;
        n->wait_count = s->old_rules ? (uint32_t)launches : 0;
        if (n->wait_count == 0) status = story_drain(s, i);
    }
    return status;
}

static bool any_unplanned(const story *s)
{
    for (size_t i = 0; i < s->node_count; i++) {
        if (s->nodes[i].deleting && !s->nodes[i].planned && !s->nodes[i].gone) return true;
    }
    return false;
}

static karp_status follow_plan(story *s, const karp_decision *d)
{
    size_t launches = karp_decision_launch_count(d), unschedulable = karp_decision_unschedulable_count(d), bound = 0;
    karp_status status = bind_pods(s, d, true, &bound);
    if (status) return status;
    if (launches > 0 || bound > 0 || any_unplanned(s) || unschedulable != s->unschedulable)
        status = story_write_decision(s, d, false);
    s->unschedulable = unschedulable;
    uint32_t first = (uint32_t)s->node_count;
    if (!status) status = start_nodes(s, d, 0, launches);
    if (!status) status = settle_deleting(s, first, launches);
    return status ? status : bind_pods(s, d, false, &bound);
}

karp_status story_provision(story *s)
{
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_decision *d = NULL;
    karp_status status = story_snapshot(s, &reader, &snapshot);
    if (!status) status = karp_provision(snapshot, &s->options, &d, &s->error);
    if (!status) status = follow_plan(s, d);
    karp_decision_unref(d);
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    return status;
}

/* ---- graceful expiry ------------------------------------------------------------------------------------------------------- */

static void may_end(story *s, int64_t instant)
{
    if (instant > s->now && (s->unblocked_at == KARP_NO_TIME || instant < s->unblocked_at)) s->unblocked_at = instant;
}

/* When a pod's protection is over: an annotation of its workload, counted from the pod's start. */
static void note_protection(story *s, const story_pod *p)
{
    const tree *template_ = tree_get(tree_get(s->workloads[p->workload].object, "spec"), "template");
    karp_str length = tree_get_text(tree_get(tree_get(template_, "metadata"), "annotations"),
                                    "karpenter.sh/do-not-disrupt");
    int64_t lasts = 0;
    if (length.len > 0 && karp_duration_parse(length, &lasts) == KARP_OK && lasts > 0 && lasts < INT64_MAX / 4)
        may_end(s, p->bound_at + lasts);
}

/* Why an expired node stays, told when it is news; and when that may be over. */
static karp_status note_blocked(story *s, const karp_decision *d)
{
    for (size_t i = 0; i < karp_decision_kept_count(d); i++) {
        karp_kept kept = { .size = sizeof kept };
        karp_status status = karp_decision_kept(d, i, &kept);
        if (status) return story_fail(s, status, "the decision does not show what it counts");
        uint32_t number = find_node(s, kept.node);
        if (number >= s->node_count || kept.code == KARP_REASON_NOT_EXPIRED ||
            kept.code == KARP_REASON_NOT_REACHED_IN_PASS)
            continue;
        story_node *n = &s->nodes[number];
        if (n->deleting || n->expires_at == KARP_NO_TIME || n->expires_at > s->now) continue;
        if (n->blocked != kept.code)
            story_write_event(s, "blocked", n->name,
                              kept.detail.len > 0 ? kept.detail : str(karp_reason_text(kept.code)));
        n->blocked = kept.code;
        for (size_t k = 0; k < s->pod_count && kept.code == KARP_REASON_POD_DO_NOT_DISRUPT; k++) {
            if (!s->pods[k].gone && s->pods[k].node == number) note_protection(s, &s->pods[k]);
        }
    }
    for (size_t i = 0; i < karp_decision_budget_count(d); i++) {
        karp_pool_budget budget = { .size = sizeof budget };
        if (karp_decision_budget(d, i, &budget) == KARP_OK && budget.next_change != KARP_NO_TIME)
            may_end(s, budget.next_change);
    }
    return KARP_OK;
}

/* The first that the pass takes. It also took those whose pods had no place to go: the longest due of them. */
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
        if (kept.code != KARP_REASON_PODS_WOULD_NOT_SCHEDULE || number >= s->node_count) continue;
        if (*node == IO_NONE || s->nodes[number].expires_at < s->nodes[*node].expires_at) *node = number;
    }
    return KARP_OK;
}

/* The documents' own nodes stay as they are: for the pass they are in other hands. */
static karp_status own_nodes(const story *s, karp_str **list, size_t *capacity, size_t *count)
{
    void *data = NULL;
    for (size_t i = 0; i < tree_count(s->base); i++) {
        const tree *object = tree_item(s->base, i);
        if (!str_is(tree_get_text(object, "kind"), "Node")) continue;
        data = *list;
        if (!grow(s->context, &data, capacity, *count + 1, sizeof **list)) return KARP_E_NOMEM;
        *list = data;
        (*list)[(*count)++] = tree_get_text(tree_get(object, "metadata"), "name");
    }
    return KARP_OK;
}

karp_status story_choose_expired(story *s, uint32_t *node)
{
    karp_str *own = NULL;
    size_t capacity = 0;
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_decision *d = NULL;
    karp_disrupt_options options;
    *node = IO_NONE;
    s->unblocked_at = KARP_NO_TIME;
    karp_disrupt_options_init(&options, sizeof options);
    options.common = &s->options;
    options.method = KARP_METHOD_EXPIRATION;
    karp_status status = own_nodes(s, &own, &capacity, &options.in_progress_count) ? story_nomem(s) : KARP_OK;
    options.in_progress = own;
    if (!status) status = story_snapshot(s, &reader, &snapshot);
    if (!status) status = karp_disrupt(snapshot, &options, &d, &s->error);
    if (!status && chosen_node(s, d, node))
        status = story_fail(s, KARP_E_INTERNAL, "the decision does not show what it counts");
    if (!status && *node >= s->node_count) *node = IO_NONE;
    if (!status && *node == IO_NONE) status = note_blocked(s, d);
    karp_free(s->context, own, capacity * sizeof *own);
    karp_decision_unref(d);
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    return status;
}

/* ---- disruption ------------------------------------------------------------------------------------------------------------ */

/* Method and nodes of every command. */
static karp_status describe(story *s, const karp_decision *d, strbuf *out)
{
    for (size_t i = 0; i < karp_decision_command_count(d); i++) {
        karp_command c = { .size = sizeof c };
        karp_status status = karp_decision_command(d, i, &c);
        if (status) return story_fail(s, status, "the decision does not show what it counts");
        strbuf_adds(out, karp_method_name(c.method));
        for (size_t k = 0; k < c.node_count; k++) {
            strbuf_addc(out, ' ');
            strbuf_add(out, c.nodes[k].ptr, c.nodes[k].len);
        }
        strbuf_addc(out, '\n');
    }
    return out->failed ? story_nomem(s) : KARP_OK;
}

static karp_status execute(story *s, const karp_decision *d, const karp_command *c)
{
    uint32_t first = (uint32_t)s->node_count;
    karp_status status = start_nodes(s, d, c->launch_first, c->launch_count);
    for (size_t i = 0; i < c->node_count && !status; i++) {
        uint32_t node = find_node(s, c->nodes[i]);
        if (node >= s->node_count) {
            story_write_event(s, "left alone", c->nodes[i], str("it was there before the story"));
            continue;
        }
        status = story_mark_deleting(s, node);
        story_node *n = &s->nodes[node];
        n->planned = true;
        n->wait_first = first;
        n->wait_count = (uint32_t)c->launch_count;
        if (!status && n->wait_count == 0) status = story_drain(s, node);
    }
    return status;
}

/* Karpenter looks again before it acts. Here it acts when the same commands come out the second time. */
static karp_status validate(story *s, const karp_decision *d, bool *valid)
{
    karp_command c = { .size = sizeof c };
    strbuf wanted;
    strbuf_init(&wanted, s->context);
    karp_status status = describe(s, d, &wanted);
    if (!status) status = karp_decision_command(d, 0, &c);
    karp_str now = { wanted.ptr, wanted.len }, before = { s->proposed.ptr, s->proposed.len };
    bool same = !status && s->validate_at != KARP_NO_TIME && equal_str(now, before);
    *valid = !status && (s->old_rules || c.validate_after == 0 || (same && s->now >= s->validate_at));
    if (status || *valid || same) {
        strbuf_free(&wanted);
    } else {
        strbuf_free(&s->proposed);
        s->proposed = wanted;
        s->validate_at = s->now + c.validate_after;
    }
    if (*valid) s->validate_at = KARP_NO_TIME;
    return status;
}

static karp_status follow_disruption(story *s, const karp_decision *d)
{
    bool valid = false;
    size_t count = karp_decision_command_count(d);
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
    }
    return status;
}

/* Whether every pod has its place and no node comes or goes. */
static bool settled(const story *s)
{
    for (size_t i = 0; i < s->pod_count; i++) {
        if (!s->pods[i].gone && s->pods[i].node == IO_NONE) return false;
    }
    for (size_t i = 0; i < s->node_count; i++) {
        if (!s->nodes[i].gone && (!s->nodes[i].ready || s->nodes[i].deleting)) return false;
    }
    return true;
}

karp_status story_disrupt(story *s)
{
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_decision *d = NULL;
    karp_disrupt_options options;
    if (!settled(s)) return KARP_OK;
    karp_disrupt_options_init(&options, sizeof options);
    options.common = &s->options;
    karp_status status = story_snapshot(s, &reader, &snapshot);
    if (!status) status = karp_disrupt(snapshot, &options, &d, &s->error);
    if (!status) status = follow_disruption(s, d);
    karp_decision_unref(d);
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    return status;
}
