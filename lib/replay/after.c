/* SPDX-License-Identifier: Apache-2.0 */
/* The input after a decision has been carried out: the next state of a cluster that was read from documents. */
#include <base/error.h>
#include <io/make_object.h>
#include <io/reader.h>

#include <io/kinds.h>
#include <string.h>

#include <karp/library.h>

typedef struct outcome {
    const karp_reader *before;
    const karp_decision *decision; /* NULL = only the time changes */
    karp_reader *next;
    int64_t now;
    io_table targets; /* "namespace/name" of pods to bind -> index in nodes */
    io_table touched; /* nodes that gain or lose pods */
    io_table gone; /* nodes to remove */
    io_table pools; /* consolidateAfter -> index in windows */
    karp_str *nodes; /* names, in next->keep */
    size_t node_count;
    int64_t *windows;
    size_t window_count;
    bool recount; /* a PodDisruptionBudget has pods that become healthy */
} outcome;

static karp_status nomem(outcome *o) { return io_reader_nomem(o->next); }

static karp_status hidden(outcome *o)
{
    return fail(&o->next->error, KARP_E_INTERNAL, "the decision does not show what it counts");
}

/* ---- the decision ------------------------------------------------------------------------------------------------ */

static bool bind_pods(outcome *o, karp_str node, const uint32_t *pods, size_t count)
{
    karp_str kept = io_keep(o->next, node);
    bool good = kept.ptr != NULL && io_table_put(&o->touched, node, 1);
    for (size_t i = 0; i < count && good; i++)
        good = io_table_put(&o->targets, karp_decision_pod_name(o->decision, pods[i]), (uint32_t)o->node_count);
    o->nodes[o->node_count++] = kept;
    return good;
}

static karp_status take_placements(outcome *o)
{
    for (size_t i = 0; i < karp_decision_placement_count(o->decision); i++) {
        karp_placement p = { .size = sizeof p };
        if (karp_decision_placement(o->decision, i, &p)) return hidden(o);
        /* A node that has not joined the cluster cannot have pods yet. */
        if (io_find(o->before, "Node", (karp_str){ "", 0 }, p.node) == IO_NONE) continue;
        if (!bind_pods(o, p.node, p.pods, p.pod_count)) return nomem(o);
    }
    return KARP_OK;
}

static karp_status take_commands(outcome *o)
{
    for (size_t i = 0; i < karp_decision_command_count(o->decision); i++) {
        karp_command c = { .size = sizeof c };
        if (karp_decision_command(o->decision, i, &c)) return hidden(o);
        for (size_t k = 0; k < c.node_count && c.decision != KARP_COMMAND_REBOOT; k++) {
            if (!io_table_put(&o->gone, c.nodes[k], 1)) return nomem(o);
        }
    }
    return KARP_OK;
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static tree *labels_of(trees *t, const karp_launch *l, karp_str name)
{
    tree *labels = tree_new(t, TREE_MAP);
    io_set_labels(t, labels, l->choice_labels, l->choice_label_count);
    io_set_labels(t, labels, l->labels, l->label_count);
    tree_set_text(t, labels, "karpenter.sh/nodepool", l->node_pool);
    tree_set_text(t, labels, "kubernetes.io/hostname", name);
    return labels;
}

/* A Node or its NodeClaim of a launch. Here both have the same content, and the reader completes it. */
static tree *launched(trees *t, const karp_launch *l, karp_str name, int64_t created, bool claim)
{
    tree *object = io_new_node(t, claim, name, created), *status = tree_get(object, "status");
    tree_set(t, tree_get(object, "metadata"), "labels", labels_of(t, l, name));
    tree_set(t, tree_get(object, "spec"), "taints", io_new_taints(t, l->taints, l->taint_count, true));
    tree_set(t, status, "capacity", io_new_amounts(t, l->capacity, l->capacity_count));
    tree_set(t, status, "allocatable", io_new_amounts(t, l->allocatable, l->allocatable_count));
    return object;
}

/* An unused node name: "POOL-1". */
static karp_str free_name(outcome *o, karp_str pool, uint64_t *number)
{
    static const karp_str no_namespace = { "", 0 };
    for (;;) {
        strbuf text;
        strbuf_init(&text, o->next->context);
        strbuf_add(&text, pool.ptr, pool.len);
        strbuf_addc(&text, '-');
        strbuf_addu(&text, ++*number);
        karp_str name = { text.ptr, text.len };
        bool taken = !text.failed && (io_find(o->before, "Node", no_namespace, name) != IO_NONE ||
                                      io_find(o->before, "NodeClaim", no_namespace, name) != IO_NONE);
        karp_str kept = text.failed || taken ? (karp_str){ NULL, 0 } : io_keep(o->next, name);
        bool failed = text.failed;
        strbuf_free(&text);
        if (!taken || failed) return kept;
    }
}

static karp_status launch(outcome *o, const karp_launch *l, karp_str name)
{
    trees *t = &o->next->trees;
    io_place place = { .document = str("a launch") };
    tree *claim = launched(t, l, name, o->now, true), *node = launched(t, l, name, o->now, false);
    tree *status = tree_get(claim, "status");
    io_set_time(t, status, "lastPodEventTime", o->now);
    tree_set_text(t, status, "nodeName", name);
    if (l->expire_after != KARP_DURATION_UNSET) {
        char age[KARP_VALUE_TEXT];
        karp_duration_format(l->expire_after, age);
        tree_set_text(t, tree_get(claim, "spec"), "expireAfter", str(age));
    }
    if (t->status) return nomem(o);
    karp_status result = io_read_item(o->next, claim, &place, false, (karp_str){ "", 0 }, (karp_str){ "", 0 });
    return result ? result : io_read_item(o->next, node, &place, false, (karp_str){ "", 0 }, (karp_str){ "", 0 });
}

static karp_status take_launches(outcome *o)
{
    uint64_t number = 0;
    for (size_t i = 0; i < karp_decision_launch_count(o->decision); i++) {
        karp_launch l = { .size = sizeof l };
        if (karp_decision_launch(o->decision, i, &l)) return hidden(o);
        /* Nothing that a static pool allows is available, so the launch would fail. */
        if (l.choice.instance_type.len == 0 && l.instance_type_count == 0) continue;
        karp_str name = free_name(o, l.node_pool, &number);
        if (!name.ptr) return nomem(o);
        karp_status status = launch(o, &l, name);
        if (status) return status;
    }
    return KARP_OK;
}

/* ---- existing objects -------------------------------------------------------------------------------------------- */

static bool is_gone(const outcome *o, karp_str node) { return node.len > 0 && io_table_get(&o->gone, node) != IO_NONE; }

static karp_str controller_kind(const tree *pod)
{
    const tree *owners = tree_get(tree_get(pod, "metadata"), "ownerReferences");
    for (size_t i = 0; i < tree_count(owners); i++) {
        const tree *owner = tree_item(owners, i);
        if (tree_is(tree_get(owner, "controller"), TREE_TRUE)) return tree_get_text(owner, "kind");
    }
    return (karp_str){ "", 0 };
}

/* Evicts a pod of a removed node: a controller recreates it as pending. false = it ends for good. */
static bool evict(const outcome *o, trees *t, tree *pod)
{
    karp_str kind = controller_kind(pod), phase = tree_get_text(tree_get(pod, "status"), "phase");
    if (str_is(kind, "DaemonSet") || str_is(kind, "Node") || str_is(phase, "Succeeded") || str_is(phase, "Failed") ||
        tree_get(tree_get(pod, "metadata"), "deletionTimestamp"))
        return false;
    io_set_pending(t, pod, o->now);
    return true;
}

static void bind(outcome *o, trees *t, tree *pod, karp_str node)
{
    tree *status = tree_get_or_make(t, pod, "status"), *conditions = tree_new(t, TREE_LIST);
    tree_set_text(t, tree_get_or_make(t, pod, "spec"), "nodeName", node);
    tree_set_text(t, status, "phase", str("Running"));
    io_add_condition(t, conditions, "Ready", "True", "Ready", o->now);
    tree_set(t, status, "conditions", conditions);
    tree_remove(t, status, "nominatedNodeName");
    io_set_time(t, status, "startTime", o->now);
}

/* Updates the pod; false = it no longer exists. */
static bool change_pod(outcome *o, trees *t, const io_kept *kept, tree *pod)
{
    karp_str node = tree_get_text(tree_get(pod, "spec"), "nodeName");
    bool stays = !is_gone(o, node) || evict(o, t, pod);
    strbuf name;
    strbuf_init(&name, o->next->context);
    strbuf_addname(&name, kept->namespace_, kept->name);
    uint32_t target = name.failed ? IO_NONE : io_table_get(&o->targets, (karp_str){ name.ptr, name.len });
    if (name.failed) t->status = KARP_E_NOMEM;
    strbuf_free(&name);
    if (stays && target != IO_NONE) bind(o, t, pod, o->nodes[target]);
    return stays;
}

/* The time of the node's last pod event; KARP_NO_TIME = unknown. */
static int64_t quiet_since(const tree *status, const tree *conditions, bool *initialized)
{
    karp_str stated = tree_get_text(status, "lastPodEventTime");
    int64_t since = KARP_NO_TIME, event = 0;
    for (size_t i = 0; i < tree_count(conditions); i++) {
        const tree *condition = tree_item(conditions, i);
        if (!str_is(tree_get_text(condition, "type"), "Initialized")) continue;
        *initialized = str_is(tree_get_text(condition, "status"), "True");
        if (karp_time_parse(tree_get_text(condition, "lastTransitionTime"), &event) == KARP_OK) since = event;
    }
    if (stated.len > 0 && karp_time_parse(stated, &event) == KARP_OK) since = event;
    return since;
}

/* Updates the condition Consolidatable to that time. */
static void change_claim(outcome *o, trees *t, tree *claim)
{
    tree *status = tree_get_or_make(t, claim, "status");
    karp_str pool = tree_get_text(tree_get(tree_get(claim, "metadata"), "labels"), "karpenter.sh/nodepool");
    if (io_table_get(&o->touched, tree_get_text(status, "nodeName")) != IO_NONE)
        io_set_time(t, status, "lastPodEventTime", o->now);
    tree *conditions = tree_get(status, "conditions");
    if (!tree_is(conditions, TREE_LIST)) return;
    for (size_t i = tree_count(conditions); i-- > 0;) {
        if (str_is(tree_get_text(tree_item(conditions, i), "type"), "Consolidatable"))
            tree_remove_item(t, conditions, i);
    }
    bool initialized = false;
    int64_t since = quiet_since(status, conditions, &initialized);
    uint32_t number = io_table_get(&o->pools, pool);
    if (!initialized || number == IO_NONE || o->windows[number] == KARP_DURATION_NEVER) return;
    if (o->windows[number] > 0 && since != KARP_NO_TIME && o->now - since < o->windows[number]) return;
    io_add_condition(t, conditions, "Consolidatable", "True", "Consolidatable", o->now);
}

/* Whether bound pods are still to become healthy, after which the budget allows more. */
static bool is_waiting(const tree *budget)
{
    int64_t healthy = 0, expected = 0;
    const tree *status = tree_get(budget, "status");
    return tree_integer(tree_get(status, "currentHealthy"), &healthy) &&
           tree_integer(tree_get(status, "expectedPods"), &expected) && healthy < expected;
}

/* Nodes that are being deleted have ended by then; their pods have been planned for. */
static karp_status note_object(outcome *o, const io_kept *kept, const tree *root)
{
    if (str_is(kept->kind, "NodePool")) {
        const tree *spec = tree_get(root, "spec");
        int64_t window = KARP_DURATION_NEVER;
        karp_str after = tree_get_text(tree_get(spec, "disruption"), "consolidateAfter");
        if (tree_get(spec, "replicas") || karp_duration_parse(after, &window)) return KARP_OK;
        o->windows[o->window_count] = window;
        return io_table_put(&o->pools, kept->name, (uint32_t)o->window_count++) ? KARP_OK : nomem(o);
    }
    if (str_is(kept->kind, "PodDisruptionBudget")) {
        o->recount = o->recount || is_waiting(root);
        return KARP_OK;
    }
    karp_str node = str_is(kept->kind, "Node") ? kept->name : tree_get_text(tree_get(root, "status"), "nodeName");
    bool deleted = tree_get(tree_get(root, "metadata"), "deletionTimestamp") != NULL;
    if (o->decision && deleted && node.len > 0 && !io_table_put(&o->gone, node, 1)) return nomem(o);
    return KARP_OK;
}

/* Whether the object's status is computed again, because budgets count the pods. */
static bool is_recounted(const outcome *o, const io_kept *kept)
{
    return o->recount && (str_is(kept->kind, "Pod") || str_is(kept->kind, "PodDisruptionBudget"));
}

static karp_status take_object(outcome *o, trees *t, const io_kept *kept, tree *root)
{
    io_place place = { .document = str("the input") };
    bool stays = true, stated = !is_recounted(o, kept);
    if (o->recount && str_is(kept->kind, "PodDisruptionBudget")) {
        stated = !is_waiting(root);
        if (!stated) tree_remove(t, root, "status");
    }
    if (str_is(kept->kind, "Pod")) {
        stays = change_pod(o, t, kept, root);
    } else if (str_is(kept->kind, "NodeClaim")) {
        stays = !is_gone(o, tree_get_text(tree_get(root, "status"), "nodeName")) && !is_gone(o, kept->name);
        if (stays) change_claim(o, t, root);
    } else if (str_is(kept->kind, "Node") || str_is(kept->kind, "CSINode")) {
        stays = !is_gone(o, kept->name);
    }
    if (t->status) return nomem(o);
    return stays ? io_read_item(o->next, root, &place, stated, (karp_str){ "", 0 }, (karp_str){ "", 0 }) : KARP_OK;
}

static bool is_learned(const io_kept *kept)
{
    static const char *const kinds[] = { "NodePool", "Node", "NodeClaim", "PodDisruptionBudget" };
    return str_in_words(kept->kind, kinds, sizeof kinds / sizeof kinds[0]);
}

/* Visits every object; the first walk only collects pools, nodes and budgets. */
static karp_status walk(outcome *o, bool learn)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < o->before->kept_count && !status; i++) {
        const io_kept *kept = &o->before->kept[i];
        tree *root = NULL;
        if (learn && !is_learned(kept)) continue;
        if (!karp_context_work(o->next->context, kept->text.len)) return nomem(o);
        trees_clear(&o->next->passing);
        trees *t = !learn && is_recounted(o, kept) ? &o->next->trees : &o->next->passing;
        status = tree_read(t, str("the input"), kept->text, &root, &o->next->error);
        if (!status) status = learn ? note_object(o, kept, root) : take_object(o, t, kept, root);
    }
    return status;
}

/* ---- everything -------------------------------------------------------------------------------------------------- */

static karp_status take_head(outcome *o)
{
    karp_reader *next = o->next;
    io_place place = { .document = str("the input") };
    io_snapshot_head head = { NULL, NULL, NULL, NULL };
    karp_status status = KARP_OK;
    next->has_snapshot = next->has_now = next->has_catalogues = next->own_catalogues = true;
    for (size_t i = 0; i < o->before->catalogue_count && !status; i++) {
        const io_given_catalogue *given = &o->before->catalogues[i];
        status = io_give_catalogue(next, karp_catalogue_ref(given->catalogue), given->pools, given->pool_count);
    }
    trees_clear(&next->passing);
    if (!status && o->before->settings_text.len)
        status = tree_read(&next->passing, place.document, o->before->settings_text, &head.settings, &next->error);
    if (!status && o->before->labels_text.len)
        status = tree_read(&next->passing, place.document, o->before->labels_text, &head.labels, &next->error);
    return status ? status : io_snapshot_head_read(next, &head, &place, NULL);
}

static karp_status carry_out(outcome *o, karp_snapshot **out)
{
    size_t most = o->decision ? karp_decision_placement_count(o->decision) : 0;
    o->nodes = arena_array(&o->next->keep, most + 1, sizeof *o->nodes);
    o->windows = arena_array(&o->next->keep, o->before->kept_count + 1, sizeof *o->windows);
    karp_status status = o->nodes && o->windows ? take_head(o) : nomem(o);
    if (!status) status = walk(o, true);
    if (!status && o->decision) {
        status = karp_decision_command_count(o->decision) > 0 ? take_commands(o) : take_placements(o);
        if (!status) status = take_launches(o);
    }
    if (!status) status = walk(o, false);
    return status ? status : karp_reader_finish(o->next, out, &o->next->error);
}

karp_status karp_reader_after(const karp_reader *before, const karp_decision *decision, int64_t now, karp_reader **out,
                              karp_snapshot **snapshot, karp_error *error)
{
    if (!before || !out || !snapshot) return fail_null(error, "before, out or snapshot");
    if (!before->finished || !before->options.keep_documents)
        return fail(error, KARP_E_STATE, "only a finished reader that keeps documents can be continued");
    if (now < before->now) return fail(error, KARP_E_INVALID, "now is before the input's time");
    karp_reader_options options = before->options;
    options.size = sizeof options;
    options.now = now;
    options.editable = 0;
    options.provider = (karp_str){ NULL, 0 };
    outcome o = { .before = before, .decision = decision, .now = now };
    karp_status status = karp_reader_new(before->context, &options, &o.next, error);
    if (status) return status;
    io_table *const tables[] = { &o.targets, &o.touched, &o.gone, &o.pools };
    for (size_t i = 0; i < 4; i++) io_table_init(tables[i], before->context);
    status = carry_out(&o, snapshot);
    for (size_t i = 0; i < 4; i++) io_table_free(tables[i]);
    if (status) {
        status = karp_context_refusal(before->context, status, &o.next->error);
        o.next->error.status = status;
        (void)error_give(&o.next->error, error);
        karp_reader_free(o.next);
        return status;
    }
    *out = o.next;
    return KARP_OK;
}
