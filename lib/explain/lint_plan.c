/* SPDX-License-Identifier: Apache-2.0 */
/* What the plan for the pending pods shows: nodes beyond a limit, and more volumes than a node can attach. Rules that
 * say how many pods stay pending count them in the same plan. */
#include <explain/lint.h>
#include <explain/node_causes.h>

#include <model/prepare.h>
#include <model/quantity.h>
#include <provision/provision.h>
#include <schedule/report.h>

static karp_decision *decide(linting *l, uint32_t preferences)
{
    static const round_changes none = { .removed_count = 0 };
    karp_options options;
    karp_decision *d = NULL;
    karp_snapshot view;
    snapshot_borrow(&view, l->snapshot);
    view.raw.settings.preference_policy = preferences;
    l->unplanned = options_check(NULL, &options, l->error);
    if (l->unplanned == KARP_OK) l->unplanned = provision_view(&view, &options, &none, &d, l->error);
    l->refused = l->unplanned != KARP_OK;
    return d;
}

const karp_decision *lint_plan(linting *l)
{
    if (l->plan == NULL && !l->refused) l->plan = decide(l, l->snapshot->raw.settings.preference_policy);
    return l->plan;
}

const karp_decision *lint_plan_without_preferences(linting *l)
{
    if (l->plan_without_preferences == NULL && !l->refused)
        l->plan_without_preferences = decide(l, KARP_PREFERENCES_IGNORE);
    return l->plan_without_preferences;
}

uint32_t lint_left_pending(linting *l, const lint_group *g, uint32_t *first)
{
    const karp_snapshot *s = l->snapshot;
    const karp_decision *plan = lint_plan(l);
    uint32_t count = 0, group = lint_group_id(s, pod_at(&s->raw, g->pod), g->alike);
    for (size_t i = 0; plan != NULL && i < plan->unschedulable.count; i++) {
        uint32_t pod_number = plan->unschedulable.items[i].pod;
        if (lint_group_id(s, pod_at(&s->raw, pod_number), g->alike) != group) continue;
        if (count++ == 0 && first != NULL) *first = pod_number;
    }
    return count;
}

static void check_nodes_limit(linting *l, uint32_t pool)
{
    const karp_snapshot *s = l->snapshot;
    const resource_amount *limit = resource_list_find(s->raw.pools.items[pool].limits, RESOURCE_NODES);
    const karp_decision *plan = limit != NULL ? lint_plan(l) : NULL;
    uint64_t nodes = plan != NULL ? nodes_beyond_limit(s, plan, pool) : 0;
    char number[QUANTITY_TEXT];
    if (nodes == 0) return;
    strbuf_adds(&l->field, "spec.limits.nodes");
    strbuf_putu(&l->text, "the next pass brings it to ", nodes, " nodes, more than the limit of ");
    strbuf_add(&l->text, number, quantity_format((quantity){ .value = limit->value, .binary = limit->binary }, number));
    strbuf_adds(&l->text, ": Karpenter compares this limit with the nodes before the pass only");
    strbuf_adds(&l->remedy, "limit cpu or memory, which count the nodes of the same pass too");
    lint_note(l, LINT_NODES_LIMIT_EXCEEDED, "NodePool", pool_name(s, pool));
}

/* ---- volumes ----------------------------------------------------------------------------------------------------- */

/* What most types of a driver's cloud attach, network interfaces included, where the provider states no limit. */
static const struct usual_limit {
    const char *driver;
    uint32_t count;
} usual[] = { { "ebs.csi.aws.com", 28 } };

static const struct usual_limit *usual_of(const karp_snapshot *s, uint32_t driver)
{
    for (size_t i = 0; driver != NO_TEXT && i < sizeof usual / sizeof *usual; i++) {
        if (str_is(text_of(s, driver), usual[i].driver)) return &usual[i];
    }
    return NULL;
}

uint32_t crowded_volumes(const karp_snapshot *s, const karp_launch *launch, const char **driver, uint32_t *most)
{
    uint32_t count = 0;
    for (size_t i = 0; i < launch->pod_count; i++) {
        const pod *p = pod_at(&s->raw, launch->pods[i]);
        const struct words_entry *claims = &s->raw.volumes.entries[p->volumes];
        for (uint32_t k = 0; k < claims->count; k++) {
            bool found = true;
            const struct usual_limit *one = usual_of(s, volume_driver(&s->raw, p->name_space, claims->ptr[k], &found));
            if (one == NULL) continue;
            *driver = one->driver;
            *most = one->count;
            count++;
        }
    }
    return count > 0 && count > *most ? count : 0;
}

/* Names the launch of a NodePool with the most volumes. Types that state their limits never have too many. */
static void check_volumes(linting *l, uint32_t pool)
{
    const karp_snapshot *s = l->snapshot;
    const karp_decision *plan = s->raw.storage_classes.count > 0 ? lint_plan(l) : NULL;
    const karp_launch *worst = NULL;
    const char *driver = "";
    uint32_t most = 0, limit = 0;
    karp_str name = pool_name(s, pool);
    if (plan == NULL || s->pool_table[pool] == NO_ID || lint_table(l, pool)->limits_volumes) return;
    for (size_t i = 0; i < plan->launches.count && !l->refused; i++) {
        const karp_launch *launch = &plan->launches.items[i];
        uint32_t count = equal_str(launch->node_pool, name) ? crowded_volumes(s, launch, &driver, &limit) : 0;
        if (!mem_work(s->context, launch->pod_count + 1)) l->refused = true;
        if (count <= most) continue;
        most = count;
        worst = launch;
    }
    if (worst == NULL) return;
    strbuf_put(&l->text, "one new node (", worst->choice.instance_type, ") would get ");
    strbuf_putu(&l->text, "", most, " volumes of ");
    strbuf_adds(&l->text, driver);
    strbuf_putu(&l->text, ", and most types attach at most ", limit,
                ", network interfaces included: Karpenter knows a node's limit only from its CSINode");
    strbuf_adds(&l->remedy, "spread the pods over nodes; else the rest waits for further nodes, round by round");
    lint_note(l, LINT_TOO_MANY_VOLUMES, "NodePool", name);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* The memory of the launch's type that is left for pods. */
static amount memory_for_pods(const linting *l, const karp_launch *launch)
{
    uint32_t pool = pool_named(l->snapshot, launch->node_pool);
    const type_table *table = pool == NO_ID ? NULL : lint_table(l, pool);
    for (uint32_t t = 0; table != NULL && t < table->type_count; t++) {
        if (equal_str(text_of(l->snapshot, table->types[t].name), launch->choice.instance_type))
            return resource_list_get(table->types[t].allocatable_list, RESOURCE_MEMORY);
    }
    return amount_from(0);
}

/* Names the first node, or else the first launch, whose pods may use more memory than it has. */
static void check_memory(linting *l)
{
    const karp_snapshot *s = l->snapshot;
    const karp_decision *plan = NULL;
    bool limits = false, found = false;
    for (size_t i = 0; i < s->raw.shapes.count && !limits; i++) {
        limits = beside_of(&s->raw.shapes.items[i]).limits.count > 0;
    }
    for (uint32_t n = 0; limits && n < s->node_count && !found; n++) {
        found = show_overcommit_of_node(&l->text, s, n);
        if (found) strbuf_adds(&l->remedy, "request what the pods use, or limit them to what they request");
        if (found) lint_note(l, LINT_MEMORY_OVERCOMMIT, "Node", name_of(s, s->nodes[n].name));
    }
    if (limits && !found) plan = lint_plan(l);
    for (size_t i = 0; plan != NULL && i < plan->launches.count && !found; i++) {
        const karp_launch *launch = &plan->launches.items[i];
        strbuf_clear(&l->text);
        strbuf_put(&l->text, "", launch->id, " of the plan: ");
        found = show_overcommit(&l->text, s, launch->pods, launch->pod_count, memory_for_pods(l, launch));
        if (!found) continue;
        strbuf_adds(&l->remedy, "request what the pods use, or limit them to what they request");
        lint_note(l, LINT_MEMORY_OVERCOMMIT, "NodePool", launch->node_pool);
    }
    if (!found) strbuf_clear(&l->text);
}

void lint_launches(linting *l)
{
    check_memory(l);
    for (uint32_t p = 0; p < l->snapshot->raw.pools.count && !l->refused; p++) {
        check_nodes_limit(l, p);
        if (!l->refused) check_volumes(l, p);
    }
}
