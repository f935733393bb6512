/* SPDX-License-Identifier: Apache-2.0 */
/* Which pods are to be placed (scheduling.md 2). */
#include <string.h>

#include "memory.h"
#include "world.h"

/* ------------------------------------------------------------------------------------------------ pending pods
 * (2.1, 2.2) */

static bool is_provisionable(const struct pod *p)
{
    const json_t *status = ref_at(p->doc, "status");
    bool unschedulable = false;
    for (size_t i = 0; i < ref_length(status, "conditions"); i++) {
        const json_t *c = ref_item(status, "conditions", i);
        unschedulable = unschedulable || (strcmp(ref_text(c, "type"), "PodScheduled") == 0 &&
                                          strcmp(ref_text(c, "reason"), "Unschedulable") == 0);
    }
    return unschedulable && *p->node_name == '\0' && *ref_text(status, "nominatedNodeName") == '\0' &&
           !p->daemon_owned && !p->node_owned;
}

static const char *why_invalid(const struct world *world, const struct pod *p)
{
    const struct requirements full = ref_full_requirements(p);
    const struct requirement *pool = ref_get(full, NODEPOOL);
    const char *problem = NULL;
    if (pool != NULL && ref_operator(pool) == DOES_NOT_EXIST) {
        return "configured to not run on a Karpenter provisioned node";
    }
    for (size_t i = 0; i < p->node_selector.count && problem == NULL; i++) {
        problem = ref_invalid(p->node_selector.items[i].key, "In", ref_names_one(p->node_selector.items[i].value));
    }
    for (size_t i = 0; i < p->required_nodes.count && problem == NULL; i++) {
        const struct node_term *term = &p->required_nodes.items[i];
        if (term->match_fields) {
            return "matchFields is not supported";
        }
        for (size_t j = 0; j < term->expressions.count && problem == NULL; j++) {
            const struct expression *e = &term->expressions.items[j];
            problem = ref_invalid(e->key, e->op, e->values);
        }
    }
    return problem != NULL ? problem : ref_invalid_volumes(world, p);
}

/* ------------------------------------------------------------------------------------------------ deleted nodes' pods
 * (2.4) */

static bool do_not_disrupt(const struct world *world, const struct pod *p)
{
    const json_t *annotations = ref_at(ref_at(p->doc, "metadata"), "annotations");
    const char *value = ref_text(annotations, "karpenter.sh/do-not-disrupt");
    const char *start = ref_text(ref_at(p->doc, "status"), "startTime");
    int64_t duration, since;
    if (strcmp(value, "true") == 0) {
        return true;
    }
    if (!ref_duration(value, &duration) || duration <= 0) {
        return false;
    }
    return !ref_instant(start, &since) || world->now - since < duration;
}

static bool budget_blocks(const json_t *budget, const struct pod *p)
{
    const json_t *spec = ref_at(budget, "spec"), *most = ref_at(spec, "maxUnavailable");
    if (strcmp(ref_text(spec, "unhealthyPodEvictionPolicy"), "AlwaysAllow") == 0 &&
        strcmp(ref_condition(p->doc, "Ready"), "False") == 0) {
        return false;
    }
    return (json_is_integer(most) && json_integer_value(most) == 0) ||
           strcmp(ref_text(spec, "maxUnavailable"), "0%") == 0 || strcmp(ref_text(spec, "minAvailable"), "100%") == 0;
}

static bool fully_blocked(const struct world *world, const struct pod *p)
{
    struct taint disrupted = { "karpenter.sh/disrupted", "", "NoSchedule" };
    struct objects budgets = ref_objects(world, "PodDisruptionBudget");
    const json_t *match = NULL;
    size_t matches = 0;
    if (ref_tolerates(p->tolerations, (struct taints){ &disrupted, 1 })) {
        return false;
    }
    for (size_t i = 0; i < budgets.count; i++) {
        const char *namespace = ref_text(ref_at(budgets.items[i], "metadata"), "namespace");
        struct selector selector = ref_selector_read(ref_at(ref_at(budgets.items[i], "spec"), "selector"));
        if (strcmp(*namespace != '\0' ? namespace : "default", p->namespace) == 0 &&
            ref_selects(&selector, p->labels)) {
            match = budgets.items[i];
            matches++;
        }
    }
    return matches > 1 || (matches == 1 && budget_blocks(match, p));
}

static bool is_currently_reschedulable(const struct world *world, const struct pod *p)
{
    bool ending = p->terminal || p->terminating;
    if (p->daemon_owned || p->node_owned) {
        return false;
    }
    if (ending) {
        return p->stateful_owned && p->terminating;
    }
    return !do_not_disrupt(world, p) && !fully_blocked(world, p);
}

/* ------------------------------------------------------------------------------------------------ the list */

static void choose(struct world *world, struct pod *p)
{
    world->chosen = ref_push(world->chosen, world->chosen_count, sizeof world->chosen[0]);
    world->chosen[world->chosen_count++] = p;
}

static void ignore(struct world *world, const struct pod *p, const char *code, const char *message)
{
    world->ignored = ref_push(world->ignored, world->ignored_count, sizeof world->ignored[0]);
    world->ignored[world->ignored_count++] = (struct ignored){ p, code, message };
}

static void choose_stated(struct world *world, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *key = json_string_value(json_array_get(list, i));
        for (size_t j = 0; key != NULL && j < world->pod_count; j++) {
            if (strcmp(world->pods[j].key, key) == 0) {
                choose(world, &world->pods[j]);
            }
        }
    }
}

static int by_node_name(const void *a, const void *b)
{
    return strcmp((*(const struct node *const *)a)->name, (*(const struct node *const *)b)->name);
}

static void choose_deleting(struct world *world)
{
    const struct node **marked = ref_alloc((world->state_count + 1) * sizeof *marked);
    size_t count = 0;
    for (size_t i = 0; i < world->state_count; i++) {
        if (world->states[i].marked && world->states[i].node != NULL) {
            marked[count++] = world->states[i].node;
        }
    }
    ref_sort(marked, count, sizeof *marked, by_node_name);
    for (size_t n = 0; n < count; n++) {
        for (size_t i = 0; i < world->pod_count; i++) {
            struct pod *p = &world->pods[i];
            if (strcmp(p->node_name, marked[n]->name) == 0 && is_currently_reschedulable(world, p)) {
                choose(world, p);
            }
        }
    }
}

void ref_choose_pods(struct world *world)
{
    const json_t *stated = ref_at(ref_at(world->doc, "state"), "pods");
    if (stated != NULL) {
        choose_stated(world, stated);
        return;
    }
    for (size_t i = 0; i < world->pod_count; i++) {
        struct pod *p = &world->pods[i];
        const char *problem = is_provisionable(p) ? why_invalid(world, p) : NULL;
        if (problem != NULL) {
            ignore(world, p, "INVALID", problem);
        } else if (is_provisionable(p)) {
            choose(world, p);
        }
    }
    choose_deleting(world);
}

void ref_ignore_all(struct world *world)
{
    for (size_t i = 0; i < world->chosen_count; i++) {
        ignore(world, world->chosen[i], "NO_NODEPOOLS", "no dynamic nodepools found");
    }
}
