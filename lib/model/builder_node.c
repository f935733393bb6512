/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes, NodeClaims, NodePools and node classes. */
#include <karp/builder.h>
#include <karp/library.h>
#include <model/builder.h>

#include <base/context.h>
#include <base/error.h>
#include <base/sort.h>

/* ---- parts --------------------------------------------------------------------------------------------------------- */

static taint_list read_taints(copier *c, const char *path, const karp_taint *list, size_t count)
{
    path_enter(c, path);
    taint_list out = copy_taints(c, list, count);
    path_leave(c);
    return out;
}

static resource_list read_amounts(copier *c, const char *path, const karp_resource *list, size_t count)
{
    path_enter(c, path);
    resource_list out = copy_resources(c, list, count, true);
    path_leave(c);
    return out;
}

static condition_list read_conditions(copier *c, const karp_condition *list, size_t count)
{
    path_enter(c, "status.conditions");
    condition_list out = copy_conditions(c, list, count);
    path_leave(c);
    return out;
}

static expression_list read_requirements(copier *c, const char *path, const karp_requirement *list, size_t count)
{
    path_enter(c, path);
    expression_list out = copy_expressions(c, list, count, true);
    path_leave(c);
    return out;
}

static label_list read_labels(copier *c, const char *path, const karp_label *list, size_t count)
{
    path_enter(c, path);
    label_list out = copy_labels(c, list, count);
    path_leave(c);
    return out;
}

/* ---- nodes and claims ---------------------------------------------------------------------------------------------- */

karp_status karp_builder_add_node(karp_builder *builder, const karp_node *given, karp_error *error)
{
    karp_node own;
    adding a;
    copier *c = &a.c;
    karp_status status = adding_open(&a, builder, KIND_NODE, given, &own, error);
    if (status != KARP_OK) return status;
    check_limit(&a, builder->s.nodes.count, karp_context_get_options(builder->context)->max_nodes, "nodes");
    node n = { .meta = copy_meta(&a, &own.meta) };
    n.provider_id = copy_name(&a, own.provider_id);
    n.taints = read_taints(c, "spec.taints", own.taints, own.taint_count);
    n.capacity = read_amounts(c, "status.capacity", own.capacity, own.capacity_count);
    n.allocatable = read_amounts(c, "status.allocatable", own.allocatable, own.allocatable_count);
    n.conditions = read_conditions(c, own.conditions, own.condition_count);
    return adding_finish(&a, &builder->s.nodes, &n, sizeof n);
}

karp_status karp_builder_add_node_claim(karp_builder *builder, const karp_node_claim *given, karp_error *error)
{
    karp_node_claim own;
    adding a;
    copier *c = &a.c;
    karp_status status = adding_open(&a, builder, KIND_NODE_CLAIM, given, &own, error);
    if (status != KARP_OK) return status;
    check_limit(&a, builder->s.claims.count, karp_context_get_options(builder->context)->max_nodes, "node claims");
    node_claim n = { .meta = copy_meta(&a, &own.meta) };
    n.provider_id = copy_name(&a, own.provider_id);
    n.image_id = copy_name(&a, own.image_id);
    n.class_group = copy_text(c, own.node_class.group);
    n.class_kind = copy_text(c, own.node_class.kind);
    n.class_name = copy_text(c, own.node_class.name);
    n.taints = read_taints(c, "spec.taints", own.taints, own.taint_count);
    n.startup_taints = read_taints(c, "spec.startupTaints", own.startup_taints, own.startup_taint_count);
    n.requirements = read_requirements(c, "spec.requirements", own.requirements, own.requirement_count);
    n.requests = read_amounts(c, "spec.resources.requests", own.requests, own.request_count);
    n.capacity = read_amounts(c, "status.capacity", own.capacity, own.capacity_count);
    n.allocatable = read_amounts(c, "status.allocatable", own.allocatable, own.allocatable_count);
    n.conditions = read_conditions(c, own.conditions, own.condition_count);
    n.last_pod_event = copy_time(own.last_pod_event);
    n.expire_after = own.expire_after;
    n.termination_grace_period = own.termination_grace_period;
    return adding_finish(&a, &builder->s.claims, &n, sizeof n);
}

/* The index of the claim; NO_ID = there is none, which is recorded as a failure. */
static uint32_t find_claim(adding *a, karp_str name)
{
    store *s = &a->b->s;
    uint32_t id = strings_find(&s->names, name.ptr, name.len);
    uint32_t index = id == NO_ID ? NO_ID : store_find(s, KIND_NODE_CLAIM, NO_TEXT, id);
    if (index == NO_ID) copy_blame(&a->c, fail(a->c.error, KARP_E_NOT_FOUND, "the object is not in the input"), NULL);
    return index;
}

karp_status karp_builder_set_node_claim_status(karp_builder *builder, karp_str name,
                                               const karp_node_claim_status *given, karp_error *error)
{
    karp_node_claim_status own;
    adding a;
    if (builder == NULL) return fail_null(error, "builder");
    if (!str_given(name)) return fail_null(error, "name");
    karp_status status = struct_check(given, sizeof own, SIZE_THROUGH(karp_node_claim_status, deletion), &own,
                                      "karp_node_claim_status", error);
    if (status != KARP_OK) return status;
    const karp_meta named = { .name = name };
    adding_begin_unnamed(&a, builder, KIND_NODE_CLAIM, "NodeClaim", &named, CLUSTER_WIDE, error);
    uint32_t index = find_claim(&a, name);
    node_claim n = { .last_pod_event = 0 };
    if (index != NO_ID) n = builder->s.claims.items[index];
    n.conditions = read_conditions(&a.c, own.conditions, own.condition_count);
    n.last_pod_event = copy_time(own.last_pod_event);
    n.meta.deletion = copy_time(own.deletion);
    return adding_finish_change(&a, &builder->s.claims, index, &n, sizeof n);
}

/* ---- pools --------------------------------------------------------------------------------------------------------- */

static const budget *read_budgets(copier *c, const karp_budget *list, size_t count, uint32_t *out_count)
{
    *out_count = 0;
    path_enter(c, "spec.disruption.budgets");
    budget *items = copy_alloc_list(c, list, count, sizeof *items);
    for (size_t i = 0; items != NULL && i < count && c->status == KARP_OK; i++) {
        path_at(c, i);
        items[i].nodes = copy_string(c, list[i].nodes);
        items[i].schedule = copy_string(c, list[i].schedule);
        items[i].duration = list[i].duration;
        items[i].has_reasons = list[i].has_reasons != 0;
        items[i].reasons = list[i].reasons;
        if (list[i].reasons >
            (KARP_BUDGET_UNDERUTILIZED | KARP_BUDGET_EMPTY | KARP_BUDGET_DRIFTED | KARP_BUDGET_UNHEALTHY)) {
            copy_blame(c, fail(c->error, KARP_E_INVALID, "a reason is none of the known ones"), "reasons");
        }
    }
    if (c->status != KARP_OK || items == NULL) items = NULL;
    else *out_count = (uint32_t)count;
    path_leave(c);
    return items;
}

static void read_template(copier *c, const karp_node_pool *own, node_pool *p)
{
    p->template_labels = read_labels(c, "spec.template.metadata.labels", own->template_labels,
                                     own->template_label_count);
    p->template_annotations = read_labels(c, "spec.template.metadata.annotations", own->template_annotations,
                                          own->template_annotation_count);
    p->has_labels = own->template_labels != NULL;
    p->has_annotations = own->template_annotations != NULL;
    p->class_group = copy_text(c, own->node_class.group);
    p->class_kind = copy_text(c, own->node_class.kind);
    p->class_name = copy_text(c, own->node_class.name);
    p->taints = read_taints(c, "spec.template.spec.taints", own->taints, own->taint_count);
    p->startup_taints = read_taints(c, "spec.template.spec.startupTaints", own->startup_taints,
                                    own->startup_taint_count);
    p->requirements = read_requirements(c, "spec.template.spec.requirements", own->requirements,
                                        own->requirement_count);
}

karp_status karp_builder_add_node_pool(karp_builder *builder, const karp_node_pool *given, karp_error *error)
{
    karp_node_pool own;
    adding a;
    copier *c = &a.c;
    karp_status status = adding_open(&a, builder, KIND_NODE_POOL, given, &own, error);
    if (status != KARP_OK) return status;
    node_pool p = { .meta = copy_meta(&a, &own.meta) };
    read_template(c, &own, &p);
    p.limits = read_amounts(c, "spec.limits", own.limits, own.limit_count);
    p.budgets = read_budgets(c, own.budgets, own.budget_count, &p.budget_count);
    p.conditions = read_conditions(c, own.conditions, own.condition_count);
    p.replicas = own.replicas < 0 ? -1 : own.replicas;
    p.consolidate_after = own.consolidate_after;
    p.expire_after = own.expire_after;
    p.termination_grace_period = own.termination_grace_period;
    p.weight = own.weight;
    p.policy = own.consolidation_policy;
    if (c->status == KARP_OK && p.policy > KARP_BALANCED) {
        copy_blame(c, fail(error, KARP_E_INVALID, "the policy is none of the known ones"),
                   "spec.disruption.consolidationPolicy");
    }
    return adding_finish(&a, &builder->s.pools, &p, sizeof p);
}

karp_status karp_builder_add_node_class(karp_builder *builder, const karp_node_class *given, karp_error *error)
{
    if (builder == NULL) return fail_null(error, "builder");
    karp_node_class own;
    adding a;
    store *s = &builder->s;
    karp_status status = struct_check(given, sizeof own, SIZE_THROUGH(karp_node_class, document), &own,
                                      "karp_node_class", error);
    if (status != KARP_OK) return status;
    if (!builder_ready(builder)) return context_nomem(builder->context, error);
    karp_str group = own.group.ptr ? own.group : str(""), kind = own.kind.ptr ? own.kind : str("");
    uint32_t more[2] = { strings_add(&s->text, group.ptr, group.len), strings_add(&s->text, kind.ptr, kind.len) };
    if (more[0] == NO_ID || more[1] == NO_ID) return context_nomem(builder->context, error);
    const char *kind_name = kind.len > 0 ? store_text(s, more[1]).ptr : "NodeClass";
    adding_begin(&a, builder, KIND_NODE_CLASS, kind_name, &own.meta, CLUSTER_WIDE, more, 2, error);
    node_class n = { .meta = copy_meta(&a, &own.meta), .group = more[0], .kind = more[1] };
    n.document = copy_string(&a.c, own.document);
    return adding_finish(&a, &s->classes, &n, sizeof n);
}
