/* SPDX-License-Identifier: Apache-2.0 */
/* Objects other than pods and nodes: volumes, PodDisruptionBudgets, namespaces, objects that select pods, overlays. */
#include <karp/builder.h>
#include <model/builder.h>

#include <base/error.h>
#include <base/sort.h>

/* ---- volumes ------------------------------------------------------------------------------------------------------- */

/* scheduling.md §35: the CSI drivers of Kubernetes' former in-tree volumes. */
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
    if (a.c.status == KARP_OK && own.phase > KARP_CLAIM_LOST) {
        copy_blame(&a.c, fail(error, KARP_E_INVALID, "the phase is none of the known ones"), "status.phase");
    }
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
    path_enter(&a.c, "spec.nodeAffinity.required.nodeSelectorTerms");
    v.terms = copy_node_terms(&a.c, own.node_terms, own.node_term_count);
    return adding_finish(&a, &builder->s.volumes_bound, &v, sizeof v);
}

karp_status karp_builder_add_storage_class(karp_builder *builder, const karp_storage_class *given, karp_error *error)
{
    karp_storage_class own;
    adding a;
    karp_status status = adding_open(&a, builder, KIND_STORAGE_CLASS, given, &own, error);
    if (status != KARP_OK) return status;
    storage_class sc = { .meta = copy_meta(&a, &own.meta), .binding_mode = own.binding_mode };
    if (a.c.status == KARP_OK && own.binding_mode > KARP_BINDING_WAIT_FOR_FIRST_CONSUMER) {
        copy_blame(&a.c, fail(error, KARP_E_INVALID, "the mode is none of the known ones"), "volumeBindingMode");
    }
    copy_reserved(&a.c, own.reserved, "karp_storage_class");
    sc.provisioner = copy_text(&a.c, own.provisioner);
    sc.driver = copy_text(&a.c, csi_name(own.provisioner));
    path_enter(&a.c, "allowedTopologies");
    sc.topologies = copy_node_terms(&a.c, own.allowed_topologies, own.allowed_topology_count);
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

/* ---- budgets, namespaces, selectors -------------------------------------------------------------------------------- */

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
    b.always_allow = own.always_allow != 0;
    path_enter(&a.c, "spec.selector");
    b.selects = copy_selector(&a.c, own.selector);
    return adding_finish(&a, &builder->s.budgets, &b, sizeof b);
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
        return fail(error, KARP_E_INVALID, "karp_selecting.kind is none of the known ones");
    adding_begin(&a, builder, KIND_SELECTING, kinds[own.kind], &own.meta, NAMESPACED, &own.kind, 1, error);
    selecting s = { .meta = copy_meta(&a, &own.meta), .kind = own.kind };
    copy_reserved(&a.c, own.reserved, "karp_selecting");
    path_enter(&a.c, "spec.selector");
    s.selects = copy_selector(&a.c, own.selector);
    return adding_finish(&a, &builder->s.selecting, &s, sizeof s);
}

/* ---- overlays ------------------------------------------------------------------------------------------------------ */

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
    path_enter(&a.c, "spec.requirements");
    o.requirements = copy_expressions(&a.c, own.requirements, own.requirement_count, true);
    path_leave(&a.c);
    path_enter(&a.c, "spec.capacity");
    o.capacity = copy_resources(&a.c, own.capacity, own.capacity_count, true);
    return adding_finish(&a, &builder->s.overlays, &o, sizeof o);
}
