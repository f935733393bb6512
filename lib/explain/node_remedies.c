/* SPDX-License-Identifier: Apache-2.0 */
#include <explain/node_remedies.h>

#include <base/error.h>
#include <decision/decision.h>
#include <explain/explain_pod.h>
#include <explain/node_causes.h>
#include <schedule/movable.h>

/* What is changed for a reason, and of which object; NULL = nothing that a person could change ends it. */
typedef struct change {
    uint32_t code;
    const char *text;
    bool of_pool; /* " of NodePool NAME" follows */
} change;

static const change changes[] = {
    { KARP_REASON_POD_DO_NOT_DISRUPT, "remove karpenter.sh/do-not-disrupt from ", false },
    { KARP_REASON_PDB_BLOCKED, "let PodDisruptionBudgets allow the eviction of ", false },
    { KARP_REASON_PDB_MULTIPLE, "let at most one PodDisruptionBudget cover ", false },
    { KARP_REASON_NODE_DO_NOT_DISRUPT, "remove karpenter.sh/do-not-disrupt from the node and its NodeClaim", false },
    { KARP_REASON_BUDGET, "let the disruption budgets allow ", true },
    { KARP_REASON_CONSOLIDATION_DISABLED, "set consolidateAfter to a duration", true },
    { KARP_REASON_NOT_CONSOLIDATABLE, "shorten consolidateAfter", true },
    { KARP_REASON_POLICY_WHEN_EMPTY, "set consolidationPolicy WhenEmptyOrUnderutilized", true },
    { KARP_REASON_BALANCED_SCORE, "set consolidationPolicy WhenEmptyOrUnderutilized", true },
    { KARP_REASON_SPOT_TO_SPOT_DISABLED, "switch on the feature gate SpotToSpotConsolidation", false },
};

static const change *change_of(uint32_t code)
{
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        if (changes[i].code == code) return &changes[i];
    }
    return NULL;
}

static bool of_pods(uint32_t code)
{
    return code == KARP_REASON_POD_DO_NOT_DISRUPT || code == KARP_REASON_PDB_BLOCKED ||
           code == KARP_REASON_PDB_MULTIPLE;
}

static int64_t now_of(const node_remedies *r)
{
    return r->options->common->now != 0 ? r->options->common->now : r->snapshot->raw.now;
}

/* Whether the pod causes the reason. */
static bool causes(const node_remedies *r, uint32_t pod_number, uint32_t code)
{
    const karp_snapshot *s = r->snapshot;
    int64_t now = now_of(r);
    if (code == KARP_REASON_POD_DO_NOT_DISRUPT) return !pod_disruptable(s, pod_at(&s->raw, pod_number), now);
    enum pdb_answer answer = pod_pdb_check(s, pod_number, now, PDB_ZERO_DISRUPTIONS, NULL);
    return answer == (code == KARP_REASON_PDB_MULTIPLE ? PDB_SEVERAL : PDB_ONE_BLOCKS);
}

/* Takes the reason from the view, for all pods of the node. */
static bool lift_code(const node_remedies *r, node_view *v, uint32_t code)
{
    const state_node *n = &r->snapshot->nodes[r->node];
    if (code == KARP_REASON_NOT_CONSOLIDATABLE) node_view_lift_wait(v);
    if (!of_pods(code)) return node_view_lift(v, code, NO_ID);
    bool some = false;
    for (uint32_t i = 0; i < n->all_pod_count && !v->refused; i++) {
        if (causes(r, n->all_pods[i], code)) some = node_view_lift(v, code, n->all_pods[i]) || some;
    }
    return some;
}

static void show_change(const node_remedies *r, const change *c, strbuf *b)
{
    const karp_snapshot *s = r->snapshot;
    const state_node *n = &s->nodes[r->node];
    uint32_t count = 0;
    strbuf_adds(b, c->text);
    for (uint32_t i = 0; of_pods(c->code) && i < n->all_pod_count; i++) {
        if (!causes(r, n->all_pods[i], c->code) || count++ >= MOST_NAMED) continue;
        if (count > 1) strbuf_adds(b, ", ");
        strbuf_addstr(b, pod_name(s, n->all_pods[i]));
    }
    show_more(b, count, MOST_NAMED, " more pod", " more pods");
    if (c->code == KARP_REASON_BUDGET) add_count(b, r->busy + 1, " node at a time", " nodes at a time");
    if (!c->of_pool || n->pool == NO_ID) return;
    strbuf_put(b, " in NodePool ", name_of(s, s->raw.pools.items[n->pool].meta.name), "");
}

static const karp_command *command_on(const karp_decision *d, karp_str name)
{
    for (size_t i = 0; i < d->commands.count; i++) {
        const karp_command *c = &d->commands.items[i];
        if (str_in(name, c->nodes, c->node_count)) return c;
    }
    return NULL;
}

/* Decides on the view, in which only this node can go. *c: its command, NULL = it stays. The caller frees *d. */
static karp_status decide(const node_remedies *r, const node_view *v, karp_decision **d, const karp_command **c,
                          karp_error *error)
{
    karp_disrupt_options options = *r->options;
    karp_options common = *r->options->common;
    common.preferences = 0; /* the view has them */
    options.common = &common;
    options.memory = NULL;
    karp_status status = v->refused ? fail_nomem(error) : karp_disrupt(&v->view, &options, d, error);
    *c = *d == NULL ? NULL : command_on(*d, name_of(r->snapshot, r->snapshot->nodes[r->node].name));
    return status;
}

/* Notes the change of the view if the node goes with it. */
static karp_status try_view(node_remedies *r, node_view *v, uint32_t code, strbuf *text, karp_error *error)
{
    karp_decision *d = NULL;
    const karp_command *c = NULL;
    r->tried++;
    karp_status status = text->failed ? fail_nomem(error) : decide(r, v, &d, &c, error);
    if (c != NULL) {
        karp_node_remedy *row = list_push(r->context, &r->found, sizeof *row);
        const char *copy = row == NULL ? NULL : arena_string(r->data, text->ptr, text->len);
        karp_str type = c->launch_count == 0 ? str("") : d->launches.items[c->launch_first].choice.instance_type;
        const char *kind = copy == NULL ? NULL : arena_string(r->data, type.ptr, type.len);
        if (kind == NULL) status = fail_nomem(error);
        if (row != NULL)
            *row = (karp_node_remedy){ .size = sizeof *row,
                                       .code = code,
                                       .method = c->method,
                                       .text = { copy, text->len },
                                       .instance_type = { kind, type.len },
                                       .savings = c->savings };
    }
    karp_decision_unref(d);
    return status;
}

static bool open_view(const node_remedies *r, node_view *v)
{
    if (!node_view_init(v, r->snapshot, r->node)) return false;
    if (r->before != NULL) node_view_remove_commands(v, r->before);
    return true;
}

/* Whether the node goes with no change once other commands no longer come first. */
static karp_status try_nothing(const node_remedies *r, bool *goes, karp_error *error)
{
    node_view v;
    karp_decision *d = NULL;
    const karp_command *c = NULL;
    karp_status status = open_view(r, &v) ? decide(r, &v, &d, &c, error) : fail_nomem(error);
    *goes = c != NULL;
    karp_decision_unref(d);
    node_view_free(&v);
    return status;
}

/* The change for the blocker; NULL = there is none, or one before it has the same. `seen`: bits of the table. */
static const change *next_change(const node_remedies *r, size_t index, uint32_t *seen)
{
    const change *c = change_of(r->blockers[index].code);
    /* a shorter time is no help when that of now is over */
    if (r->blockers[index].code == KARP_REASON_NOT_CONSOLIDATABLE && wait_is_over(r->snapshot, r->node, now_of(r)))
        return NULL;
    uint32_t bit = c == NULL ? 0 : UINT32_C(1) << (c - changes);
    if (c == NULL || (*seen & bit) != 0) return NULL;
    *seen |= bit;
    return c;
}

static karp_status try_reason(node_remedies *r, const change *c, karp_error *error)
{
    node_view v;
    strbuf text = strbuf_on(r->context);
    show_change(r, c, &text);
    karp_status status = open_view(r, &v) ? KARP_OK : fail_nomem(error);
    bool lifted = status == KARP_OK && lift_code(r, &v, c->code);
    if (status == KARP_OK && (v.refused || text.failed)) status = fail_nomem(error);
    if (status == KARP_OK && lifted) status = try_view(r, &v, c->code, &text, error);
    node_view_free(&v);
    strbuf_free(&text);
    return status;
}

/* What no reason names: limits that leave no room for a replacement, and rules of pods about each other. */
static karp_status try_cluster(node_remedies *r, bool limits, karp_error *error)
{
    node_view v;
    if (limits ? !node_view_some_limits(r->snapshot) : !node_view_some_topology(r->snapshot)) return KARP_OK;
    strbuf text = strbuf_on(r->context);
    strbuf_adds(&text,
                limits ? "raise the limits of NodePools" : "drop topology spread, affinity and anti-affinity of pods");
    karp_status status = open_view(r, &v) ? KARP_OK : fail_nomem(error);
    if (status == KARP_OK && limits) node_view_lift_limits(&v);
    if (status == KARP_OK && !limits && !node_view_lift_topology(&v)) status = fail_nomem(error);
    if (status == KARP_OK) status = try_view(r, &v, 0, &text, error);
    node_view_free(&v);
    strbuf_free(&text);
    return status;
}

/* Preferences count as rules while they can be kept, in the simulations of disruption as well. */
static karp_status try_preferences(node_remedies *r, karp_error *error)
{
    node_view v;
    size_t found = r->found.count;
    if (r->snapshot->raw.settings.preference_policy == KARP_PREFERENCES_IGNORE ||
        !show_preference(NULL, r->snapshot, r->node))
        return KARP_OK;
    strbuf text = strbuf_on(r->context);
    strbuf_adds(&text, "ignore preferences of pods (PREFERENCE_POLICY=Ignore)");
    karp_status status = open_view(r, &v) ? KARP_OK : fail_nomem(error);
    v.view.raw.settings.preference_policy = KARP_PREFERENCES_IGNORE;
    if (status == KARP_OK) status = try_view(r, &v, 0, &text, error);
    r->by_preference = r->found.count > found;
    node_view_free(&v);
    strbuf_free(&text);
    return status;
}

/* "A, and B" */
static karp_status try_together(node_remedies *r, karp_error *error)
{
    node_view v;
    size_t count = 0;
    uint32_t seen = 0;
    strbuf text = strbuf_on(r->context);
    karp_status status = open_view(r, &v) ? KARP_OK : fail_nomem(error);
    for (size_t i = 0; i < r->blocker_count && status == KARP_OK; i++) {
        const change *c = next_change(r, i, &seen);
        if (c == NULL || !lift_code(r, &v, c->code)) continue;
        if (count++ > 0) strbuf_adds(&text, ", and ");
        show_change(r, c, &text);
    }
    if (status == KARP_OK && (v.refused || text.failed)) status = fail_nomem(error);
    if (count > 1 && status == KARP_OK) status = try_view(r, &v, 0, &text, error);
    node_view_free(&v);
    strbuf_free(&text);
    return status;
}

karp_status find_node_remedies(node_remedies *r, karp_error *error)
{
    karp_status status = KARP_OK;
    const state_node *n = &r->snapshot->nodes[r->node];
    if (n->claim == NO_ID || n->marked || n->node == NO_ID || r->blocker_count == 0) return KARP_OK;
    uint32_t seen = 0;
    bool goes = false;
    status = try_nothing(r, &goes, error);
    for (size_t i = 0; i < r->blocker_count && status == KARP_OK; i++) {
        const change *c = next_change(r, i, &seen);
        if (c != NULL && (!goes || c->code == KARP_REASON_BUDGET)) status = try_reason(r, c, error);
    }
    if (goes) return status; /* it needs no change, or only that this pass may take more nodes */
    if (status == KARP_OK) status = try_cluster(r, true, error);
    if (status == KARP_OK) status = try_preferences(r, error);
    if (status == KARP_OK && !r->by_preference) status = try_cluster(r, false, error);
    return status == KARP_OK && r->found.count == 0 ? try_together(r, error) : status;
}
