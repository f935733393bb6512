/* SPDX-License-Identifier: Apache-2.0 */
/* Objects other than pods and devices. */
#include <karp/builder.h>
#include <karp/library.h>
#include <model/builder.h>
#include <model/price_expression.h>

#include <base/context.h>
#include <base/error.h>

/* ---- parts ------------------------------------------------------------------------------------------------------- */

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

/* ---- nodes and claims -------------------------------------------------------------------------------------------- */

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
    n.taints = copy_taints(c, "spec.taints", own.taints, own.taint_count);
    n.capacity = copy_resources(c, "status.capacity", own.capacity, own.capacity_count, true);
    n.allocatable = copy_resources(c, "status.allocatable", own.allocatable, own.allocatable_count, true);
    n.conditions = copy_conditions(c, own.conditions, own.condition_count);
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
    n.taints = copy_taints(c, "spec.taints", own.taints, own.taint_count);
    n.startup_taints = copy_taints(c, "spec.startupTaints", own.startup_taints, own.startup_taint_count);
    n.requirements = read_requirements(c, "spec.requirements", own.requirements, own.requirement_count);
    n.requests = copy_resources(c, "spec.resources.requests", own.requests, own.request_count, true);
    n.capacity = copy_resources(c, "status.capacity", own.capacity, own.capacity_count, true);
    n.allocatable = copy_resources(c, "status.allocatable", own.allocatable, own.allocatable_count, true);
    n.conditions = copy_conditions(c, own.conditions, own.condition_count);
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
    if (!a.entered) return adding_end(&a);
    uint32_t index = find_claim(&a, name);
    node_claim n = { .last_pod_event = 0 };
    if (index != NO_ID) n = builder->s.claims.items[index];
    n.conditions = copy_conditions_like(&a.c, own.conditions, own.condition_count, n.conditions);
    n.last_pod_event = copy_time(own.last_pod_event);
    n.meta.deletion = copy_time(own.deletion);
    return adding_finish_change(&a, &builder->s.claims, index, &n, sizeof n);
}

/* The conditions without that of the type, then the new one, if it has a status. */
static condition_list with_condition(copier *c, condition_list had, const condition_list *given)
{
    condition *items = arena_array(c->to, had.count + (size_t)1, sizeof *items);
    uint32_t count = 0;
    if (items == NULL) {
        copy_refuse(c);
        return had;
    }
    for (uint32_t i = 0; i < had.count; i++) {
        if (had.items[i].type != given->items[0].type) items[count++] = had.items[i];
    }
    if (given->items[0].status != NO_TEXT) items[count++] = given->items[0];
    return (condition_list){ items, count };
}

karp_status karp_builder_set_node_claim_condition(karp_builder *builder, karp_str name, const karp_condition *given,
                                                  karp_error *error)
{
    adding a;
    if (builder == NULL) return fail_null(error, "builder");
    if (!str_given(name)) return fail_null(error, "name");
    if (given == NULL) return fail_null(error, "condition");
    const karp_meta named = { .name = name };
    adding_begin_unnamed(&a, builder, KIND_NODE_CLAIM, "NodeClaim", &named, CLUSTER_WIDE, error);
    if (!a.entered) return adding_end(&a);
    uint32_t index = find_claim(&a, name);
    node_claim n = { .last_pod_event = 0 };
    if (index != NO_ID) n = builder->s.claims.items[index];
    condition_list added = copy_conditions(&a.c, given, 1);
    if (a.c.status == KARP_OK) n.conditions = with_condition(&a.c, n.conditions, &added);
    return adding_finish_change(&a, &builder->s.claims, index, &n, sizeof n);
}

/* ---- pools ------------------------------------------------------------------------------------------------------- */

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
        uint32_t unknown = list[i].reasons & ~(uint32_t)(KARP_BUDGET_UNDERUTILIZED | KARP_BUDGET_EMPTY |
                                                         KARP_BUDGET_DRIFTED | KARP_BUDGET_UNHEALTHY);
        if (c->status == KARP_OK && unknown != 0)
            copy_blame(c, fail(c->error, KARP_E_INVALID, "unknown reason 0x%x", (unsigned)unknown), "reasons");
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
    p->taints = copy_taints(c, "spec.template.spec.taints", own->taints, own->taint_count);
    p->startup_taints = copy_taints(c, "spec.template.spec.startupTaints", own->startup_taints,
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
    p.limits = copy_resources(c, "spec.limits", own.limits, own.limit_count, true);
    p.budgets = read_budgets(c, own.budgets, own.budget_count, &p.budget_count);
    p.conditions = copy_conditions(c, own.conditions, own.condition_count);
    p.replicas = own.replicas < 0 ? -1 : own.replicas;
    p.consolidate_after = own.consolidate_after;
    p.expire_after = own.expire_after;
    p.termination_grace_period = own.termination_grace_period;
    p.weight = own.weight;
    p.policy = own.consolidation_policy;
    if (c->status == KARP_OK && p.policy > KARP_BALANCED) {
        copy_blame(c, fail(error, KARP_E_INVALID, "unknown policy %u", (unsigned)p.policy),
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
    if (!a.entered) return adding_end(&a);
    node_class n = { .meta = copy_meta(&a, &own.meta), .group = more[0], .kind = more[1] };
    n.document = copy_string(&a.c, own.document);
    return adding_finish(&a, &s->node_classes, &n, sizeof n);
}

/* ---- volumes ----------------------------------------------------------------------------------------------------- */

/* The CSI drivers of Kubernetes' former in-tree volumes. */
static karp_str csi_name(karp_str provisioner)
{
    static const struct {
        const char *in_tree, *driver;
    } table[] = {
        { "kubernetes.io/aws-ebs", "ebs.csi.aws.com" },
        { "kubernetes.io/gce-pd", "pd.csi.storage.gke.io" },
        { "kubernetes.io/azure-disk", "disk.csi.azure.com" },
        { "kubernetes.io/azure-file", "file.csi.azure.com" },
        { "kubernetes.io/cinder", "cinder.csi.openstack.org" },
        { "kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com" },
        { "kubernetes.io/portworx-volume", "pxd.portworx.com" },
    };
    for (size_t i = 0; provisioner.ptr != NULL && i < sizeof table / sizeof table[0]; i++) {
        if (equal_str(provisioner, str(table[i].in_tree))) return str(table[i].driver);
    }
    return provisioner;
}

static bool has_annotation(copier *c, const karp_meta *meta, const char *key)
{
    if (!copy_has(c, meta->annotations, meta->annotation_count)) return false;
    for (size_t i = 0; i < meta->annotation_count; i++) {
        if (meta->annotations[i].key.ptr && equal_str(meta->annotations[i].key, str(key))) return true;
    }
    return false;
}

karp_status karp_builder_add_persistent_volume_claim(karp_builder *builder, const karp_persistent_volume_claim *given,
                                                     karp_error *error)
{
    karp_persistent_volume_claim own;
    adding a;
    karp_status status = adding_open(&a, builder, KIND_VOLUME_CLAIM, given, &own, error);
    if (status != KARP_OK) return status;
    volume_claim v = { .meta = copy_meta(&a, &own.meta), .phase = own.phase };
    if (a.c.status == KARP_OK && own.phase > KARP_CLAIM_LOST)
        copy_blame(&a.c, fail(error, KARP_E_INVALID, "unknown phase %u", (unsigned)own.phase), "status.phase");
    v.volume = copy_name(&a, own.volume_name);
    v.storage_class = own.has_storage_class ? copy_name(&a, own.storage_class_name) : NO_TEXT;
    v.bind_completed = has_annotation(&a.c, &own.meta, "pv.kubernetes.io/bind-completed");
    return adding_finish(&a, &builder->s.volume_claims, &v, sizeof v);
}

karp_status karp_builder_add_persistent_volume(karp_builder *builder, const karp_persistent_volume *given,
                                               karp_error *error)
{
    karp_persistent_volume own;
    adding a;
    karp_status status = adding_open(&a, builder, KIND_VOLUME, given, &own, error);
    if (status != KARP_OK) return status;
    volume v = { .meta = copy_meta(&a, &own.meta) };
    v.in_tree_ebs = own.aws_elastic_block_store != 0;
    v.local = own.local != 0;
    v.driver = copy_text(&a.c, own.csi_driver);
    if (v.driver == NO_TEXT && v.in_tree_ebs) v.driver = copy_text(&a.c, str("ebs.csi.aws.com"));
    v.terms = copy_node_terms(&a.c, "spec.nodeAffinity.required.nodeSelectorTerms", own.node_terms,
                              own.node_term_count);
    return adding_finish(&a, &builder->s.volumes_bound, &v, sizeof v);
}

karp_status karp_builder_add_storage_class(karp_builder *builder, const karp_storage_class *given, karp_error *error)
{
    karp_storage_class own;
    adding a;
    karp_status status = adding_open(&a, builder, KIND_STORAGE_CLASS, given, &own, error);
    if (status != KARP_OK) return status;
    storage_class sc = { .meta = copy_meta(&a, &own.meta), .binding_mode = own.binding_mode };
    if (a.c.status == KARP_OK && own.binding_mode > KARP_BINDING_WAIT_FOR_FIRST_CONSUMER)
        copy_blame(&a.c, fail(error, KARP_E_INVALID, "unknown mode %u", (unsigned)own.binding_mode),
                   "volumeBindingMode");
    copy_reserved(&a.c, own.reserved, "karp_storage_class");
    sc.provisioner = copy_text(&a.c, own.provisioner);
    sc.driver = copy_text(&a.c, csi_name(own.provisioner));
    sc.topologies = copy_node_terms(&a.c, "allowedTopologies", own.allowed_topologies, own.allowed_topology_count);
    return adding_finish(&a, &builder->s.storage_classes, &sc, sizeof sc);
}

karp_status karp_builder_add_csi_node(karp_builder *builder, const karp_csi_node *given, karp_error *error)
{
    karp_csi_node own;
    adding a;
    karp_status status = adding_open(&a, builder, KIND_CSI_NODE, given, &own, error);
    if (status != KARP_OK) return status;
    csi_node n = { .meta = copy_meta(&a, &own.meta) };
    path_enter(&a.c, "spec.drivers");
    csi_limit *limits = copy_alloc_list(&a.c, own.drivers, own.driver_count, sizeof *limits);
    for (size_t i = 0; limits != NULL && i < own.driver_count; i++) {
        limits[n.limit_count].driver = copy_text(&a.c, own.drivers[i].name);
        limits[n.limit_count].has_count = own.drivers[i].has_count;
        limits[n.limit_count++].count = own.drivers[i].count;
    }
    n.limits = limits;
    return adding_finish(&a, &builder->s.csi_nodes, &n, sizeof n);
}

/* ---- budgets, namespaces, selectors ------------------------------------------------------------------------------ */

static karp_int_or_string read_int_or_string(copier *c, const karp_int_or_string *given)
{
    karp_int_or_string out = { .text = { "", 0 } };
    copy_reserved(c, given->reserved, "karp_int_or_string");
    out.is_set = given->is_set != 0;
    out.is_text = out.is_set && given->is_text;
    if (out.is_text) out.text = copy_string(c, given->text);
    else if (out.is_set) out.value = given->value;
    return out;
}

karp_status karp_builder_add_pod_disruption_budget(karp_builder *builder, const karp_pod_disruption_budget *given,
                                                   karp_error *error)
{
    karp_pod_disruption_budget own;
    adding a;
    karp_status status = adding_open(&a, builder, KIND_BUDGET, given, &own, error);
    if (status != KARP_OK) return status;
    disruption_budget b = { .meta = copy_meta(&a, &own.meta) };
    b.min_available = read_int_or_string(&a.c, &own.min_available);
    b.max_unavailable = read_int_or_string(&a.c, &own.max_unavailable);
    b.disruptions_allowed = own.disruptions_allowed;
    b.current_healthy = own.current_healthy;
    b.expected_pods = own.expected_pods;
    b.always_allow = own.always_allow != 0;
    path_enter(&a.c, "spec.selector");
    b.selects = copy_selector(&a.c, own.selector);
    return adding_finish(&a, &builder->s.budgets, &b, sizeof b);
}

bool builder_set_budget(karp_builder *builder, uint32_t index, const disruption_budget *now)
{
    store *s = &builder->s;
    if (!list_own(&s->budgets, sizeof *now) || !store_reserve_changes(s, 1)) return false;
    s->budgets.items[index] = *now;
    store_note_change(s, KIND_BUDGET, index);
    store_touch(s, KIND_BUDGET);
    return true;
}

karp_status karp_builder_add_namespace(karp_builder *builder, const karp_namespace *given, karp_error *error)
{
    karp_namespace own;
    adding a;
    karp_status status = adding_open(&a, builder, KIND_NAMESPACE, given, &own, error);
    if (status != KARP_OK) return status;
    object o = copy_meta(&a, &own.meta);
    return adding_finish(&a, &builder->s.namespaces, &o, sizeof o);
}

karp_status karp_builder_add_selecting(karp_builder *builder, const karp_selecting *given, karp_error *error)
{
    if (builder == NULL) return fail_null(error, "builder");
    static const char *const kinds[] = { "Service", "ReplicationController", "ReplicaSet", "StatefulSet" };
    karp_selecting own;
    adding a;
    karp_status status = struct_check(given, sizeof own, SIZE_THROUGH(karp_selecting, kind), &own, "karp_selecting",
                                      error);
    if (status != KARP_OK) return status;
    if (own.kind > KARP_SELECTS_STATEFUL_SET)
        return fail(error, KARP_E_INVALID, "karp_selecting: unknown kind %u", (unsigned)own.kind);
    adding_begin(&a, builder, KIND_SELECTING, kinds[own.kind], &own.meta, NAMESPACED, &own.kind, 1, error);
    if (!a.entered) return adding_end(&a);
    selecting s = { .meta = copy_meta(&a, &own.meta), .kind = own.kind };
    copy_reserved(&a.c, own.reserved, "karp_selecting");
    path_enter(&a.c, "spec.selector");
    s.selects = copy_selector(&a.c, own.selector);
    return adding_finish(&a, &builder->s.selecting, &s, sizeof s);
}

/* ---- overlays ---------------------------------------------------------------------------------------------------- */

static void check_expression(copier *c, const karp_node_overlay *own)
{
    double price;
    const char *why;
    bool beyond;
    if (!str_given(own->price_expression) || own->price_expression.len == 0) return;
    if (own->price.len > 0 || own->price_adjustment.len > 0)
        copy_blame(c, fail(c->error, KARP_E_INVALID, "price, priceAdjustment and priceExpression exclude each other"),
                   "spec.priceExpression");
    else if (!price_evaluate(own->price_expression, 1, &price, &why, &beyond))
        copy_blame(c, fail(c->error, beyond ? KARP_E_UNSUPPORTED : KARP_E_INVALID, "%s", why), "spec.priceExpression");
}

karp_status karp_builder_add_node_overlay(karp_builder *builder, const karp_node_overlay *given, karp_error *error)
{
    karp_node_overlay own;
    adding a;
    karp_status status = adding_open(&a, builder, KIND_OVERLAY, given, &own, error);
    if (status != KARP_OK) return status;
    overlay o = { .meta = copy_meta(&a, &own.meta), .weight = own.weight };
    copy_reserved(&a.c, own.reserved, "karp_node_overlay");
    o.price = copy_string(&a.c, own.price);
    o.price_adjustment = copy_string(&a.c, own.price_adjustment);
    o.price_expression = copy_string(&a.c, own.price_expression);
    check_expression(&a.c, &own);
    o.requirements = read_requirements(&a.c, "spec.requirements", own.requirements, own.requirement_count);
    o.capacity = copy_resources(&a.c, "spec.capacity", own.capacity, own.capacity_count, true);
    return adding_finish(&a, &builder->s.overlays, &o, sizeof o);
}
