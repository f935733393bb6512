/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes objects of every kind and adds them to the builder. */
#include <io/decode_fields.h>
#include <io/groups.h>
#include <io/notes.h>
#include <io/pods_of.h>
#include <io/rules.h>
#include <io/previews.h>
#include <io/verticals.h>
#include <io/prices.h>

#include <math.h>

#include <karp/devices.h>

/* An object being decoded and added. */
typedef struct adding {
    karp_reader *reader;
    const io_kind_info *info;
    const tree *root;
    io_decoder d;
    union {
        karp_pod pod;
        karp_node node;
        karp_node_claim node_claim;
        karp_node_pool node_pool;
        karp_node_overlay node_overlay;
        karp_node_class node_class;
        karp_daemon_set daemon_set;
        karp_persistent_volume_claim volume_claim;
        karp_persistent_volume volume;
        karp_storage_class storage_class;
        karp_csi_node csi_node;
        karp_pod_disruption_budget budget;
        karp_namespace namespace_;
        karp_selecting selecting;
        karp_capacity_buffer buffer;
        karp_pod_group group;
        karp_resource_claim resource_claim;
        karp_resource_slice resource_slice;
        karp_device_class device_class;
    } o;
} adding;

/* ---- decoding: failures are recorded in the decoder -------------------------------------------------------------- */

static void decode_pod(adding *a) { io_decode_pod(&a->d, a->root, &a->o.pod); }

static void decode_node_class(adding *a)
{
    karp_node_class *class_ = &a->o.node_class;
    memset(class_, 0, sizeof *class_);
    class_->size = sizeof *class_;
    class_->meta = io_meta(&a->d, a->root, false);
    class_->group = str_before(io_string(&a->d, a->root, "apiVersion"), '/');
    class_->kind = io_string(&a->d, a->root, "kind");
}

/* Checks the pod template of a workload in the same way as the pods. */
static void decode_workload(adding *a)
{
    io_decoder *d = &a->d;
    (void)io_meta(d, a->root, true);
    const tree *spec = io_enter(d, a->root, "spec");
    (void)io_integer(d, spec, "replicas", 0, INT32_MAX, 1);
    (void)io_integer(d, spec, "parallelism", 0, INT32_MAX, 1);
    (void)io_boolean(d, spec, "suspend", false);
    (void)io_selector(d, spec, "selector");
    const tree *template_ = io_enter(d, spec, "template");
    io_decode_template(d, template_, &a->o.pod);
    io_pop(d);
    size_t count = 0;
    const tree *claims = io_array(d, spec, "volumeClaimTemplates", &count);
    io_push(d, "volumeClaimTemplates");
    for (size_t i = 0; i < count && !d->status; i++) {
        io_decode(d, &io_claim_record, io_element(d, claims, i), &a->o.volume_claim);
        io_pop(d);
    }
    io_pop(d);
    io_pop(d);
}

static uint32_t selecting_kind(io_kind kind)
{
    return kind == IO_KIND_SERVICE        ? KARP_SELECTS_SERVICE
           : kind == IO_KIND_REPLICA_SET  ? KARP_SELECTS_REPLICA_SET
           : kind == IO_KIND_STATEFUL_SET ? KARP_SELECTS_STATEFUL_SET
                                          : KARP_SELECTS_REPLICATION_CONTROLLER;
}

static void decode_selecting(adding *a)
{
    io_decode_selecting(&a->d, a->root, selecting_kind(a->info->kind), &a->o.selecting);
}

static void decode_set(adding *a)
{
    /* The template of a set that was made for a Deployment was checked with the Deployment. */
    if (a->root->at != TREE_NOWHERE) decode_workload(a);
    decode_selecting(a);
}

static void decode_controller(adding *a)
{
    const tree *spec = io_enter(&a->d, a->root, "spec");
    (void)io_integer(&a->d, spec, "replicas", 0, INT32_MAX, 1);
    io_decode_template(&a->d, io_enter(&a->d, spec, "template"), &a->o.pod);
    io_pop(&a->d);
    io_pop(&a->d);
    decode_selecting(a);
}

static void decode_priority_class(adding *a)
{
    (void)io_meta(&a->d, a->root, false);
    (void)io_integer(&a->d, a->root, "value", INT32_MIN, INT32_MAX, 0);
    (void)io_boolean(&a->d, a->root, "globalDefault", false);
}

static void decode_pod_template(adding *a)
{
    (void)io_meta(&a->d, a->root, true);
    io_decode_template(&a->d, io_enter(&a->d, a->root, "template"), &a->o.pod);
    io_pop(&a->d);
}

static void decode_prices(adding *a) { io_check_prices(&a->d, a->root); }

static void decode_found(io_decoder *d, const io_found_template *found, void *user)
{
    adding *a = user;
    io_decode_template(d, found->template_, &a->o.pod);
}

/* What the tables of the API server's rules say of the object. */
static void decode_by_rules(adding *a, void (*check)(io_reason *, const tree *))
{
    char why[400] = "";
    io_reason r = { .text = why, .room = sizeof why, .of = "" };
    if (!a->d.status) check(&r, a->root);
    if (why[0]) io_bad(&a->d, KARP_E_INVALID, "%s", why);
}

static void decode_bounds(adding *a) { decode_by_rules(a, io_check_workload_rules); }

/* Checks the counts, and the pod templates in the same way as the pods. */
static void decode_operated(adding *a)
{
    decode_by_rules(a, io_check_operated_rules);
    if (a->d.status) return;
    const io_pod_kind *kind = io_pod_kind_of(a->info);
    (void)io_meta(&a->d, a->root, true);
    for (size_t i = 0; i < IO_POD_PLACES && kind->places[i].template_; i++)
        io_find_templates(&a->d, a->root, &kind->places[i], decode_found, a);
    trees t = trees_on(a->reader->context);
    io_pods pods = { .context = a->reader->context,
                     .d = &a->d,
                     .t = &t,
                     .kind = kind,
                     .object = a->root,
                     .name = tree_get_text(tree_get(a->root, "metadata"), "name") };
    (void)io_pods_of(&pods);
    io_pods_free(&pods);
    trees_free(&t);
}

static void decode_autoscaler(adding *a)
{
    static const char *const counts[] = { "minReplicas", "maxReplicas", "minReplicaCount", "maxReplicaCount" };
    (void)io_meta(&a->d, a->root, true);
    const tree *spec = io_enter(&a->d, a->root, "spec");
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        (void)io_integer(&a->d, spec, counts[i], 0, INT32_MAX, 0);
    io_pop(&a->d);
}

/* Whatever else the object has is not read. */
static void decode_maker(adding *a) { (void)a; }

/* ResourceClaimTemplates are not used. */
static void decode_claim_template(adding *a) { (void)io_meta(&a->d, a->root, true); }

/* ---- adding: failures are recorded in reader->error or in the decoder -------------------------------------------- */

static karp_status add_daemon_set(adding *a)
{
    const karp_meta *own = &a->o.daemon_set.meta;
    io_predict(a->reader, &a->d, str("DaemonSet"), own->namespace_, own->name, &a->o.daemon_set.template_);
    if (a->d.status) return a->d.status;
    return karp_builder_add_daemon_set(a->reader->builder, &a->o.daemon_set, &a->reader->error);
}

static karp_status add_persistent_volume_claim(adding *a)
{
    decode_bounds(a);
    if (a->d.status) return a->d.status;
    return karp_builder_add_persistent_volume_claim(a->reader->builder, &a->o.volume_claim, &a->reader->error);
}

static karp_status add_persistent_volume(adding *a)
{
    return karp_builder_add_persistent_volume(a->reader->builder, &a->o.volume, &a->reader->error);
}

static karp_status add_storage_class(adding *a)
{
    return karp_builder_add_storage_class(a->reader->builder, &a->o.storage_class, &a->reader->error);
}

static karp_status add_csi_node(adding *a)
{
    return karp_builder_add_csi_node(a->reader->builder, &a->o.csi_node, &a->reader->error);
}

static karp_status add_pod_disruption_budget(adding *a)
{
    return karp_builder_add_pod_disruption_budget(a->reader->builder, &a->o.budget, &a->reader->error);
}

static karp_status add_namespace(adding *a)
{
    return karp_builder_add_namespace(a->reader->builder, &a->o.namespace_, &a->reader->error);
}

static karp_status add_selecting(adding *a)
{
    return karp_builder_add_selecting(a->reader->builder, &a->o.selecting, &a->reader->error);
}

static karp_status add_resource_claim(adding *a)
{
    return karp_builder_add_resource_claim(a->reader->builder, &a->o.resource_claim, &a->reader->error);
}

static bool is_tainted(const tree *device)
{
    const tree *taints = tree_get(device, "taints");
    for (size_t i = 0; i < tree_count(taints); i++) {
        karp_str effect = tree_get_text(tree_item(taints, i), "effect");
        if (str_is(effect, "NoSchedule") || str_is(effect, "NoExecute")) return true;
    }
    return false;
}

/* Whether the quantity is no whole number. */
static bool is_fraction(const tree *quantity)
{
    double value = 0;
    return quantity && karp_quantity_double(tree_text_or_digits(quantity), &value) == KARP_OK && value != floor(value);
}

static bool has_fractions(const tree *device)
{
    const tree *capacity = tree_get(device, "capacity");
    for (size_t i = 0; tree_is(capacity, TREE_MAP) && i < tree_count(capacity); i++) {
        const tree *range = tree_get(tree_get(tree_member_at(capacity, i)->value, "requestPolicy"), "validRange");
        if (is_fraction(tree_get(range, "min")) || is_fraction(tree_get(range, "step"))) return true;
    }
    return false;
}

/* What kube-scheduler reads in devices, and Karpenter 1.15.0 does not (pkg/scheduling/dynamicresources). Source:
 * k8s.io/dynamic-resource-allocation 0.37.2, structured/internal. */
static karp_status note_devices(const adding *a)
{
    const tree *devices = tree_get(tree_get(a->root, "spec"), "devices");
    karp_str name = a->o.resource_slice.meta.name;
    size_t tainted = 0, fractions = 0;
    for (size_t i = 0; i < tree_count(devices); i++) {
        tainted += is_tainted(tree_item(devices, i));
        fractions += has_fractions(tree_item(devices, i));
    }
    karp_status status = KARP_OK;
    if (tainted > 0)
        status = io_warn(a->reader,
                         "ResourceSlice %.*s: Karpenter 1.15 does not read the taints of %zu of its devices, which "
                         "kube-scheduler gives only to claims that tolerate them (Kubernetes 1.36)",
                         str_shown(name, 100), name.ptr, tainted);
    if (status == KARP_OK && fractions > 0)
        status = io_warn(
            a->reader,
            "ResourceSlice %.*s: Karpenter 1.15 rounds the minimum and step of capacity up to whole numbers, "
            "of %zu of its devices; kube-scheduler counts thousandths (Kubernetes 1.37)",
            str_shown(name, 100), name.ptr, fractions);
    return status;
}

static karp_status add_resource_slice(adding *a)
{
    karp_status status = note_devices(a);
    if (status) return status;
    return karp_builder_add_resource_slice(a->reader->builder, &a->o.resource_slice, &a->reader->error);
}

/* Kubernetes gives a pod that requests the resource a device of the class (beta in 1.36, for good in 1.37), and so does
 * profile karp. The profile is not known here. */
static karp_status note_extended_resource(const adding *a)
{
    karp_str resource = tree_get_text(tree_get(a->root, "spec"), "extendedResourceName"),
             name = a->o.device_class.meta.name;
    if (resource.len == 0) return KARP_OK;
    return io_warn(
        a->reader,
        "DeviceClass %.*s: kube-scheduler gives pods that request its extendedResourceName %.*s devices of the class; "
        "Karpenter 1.15 does not, and launches only types that have the resource. --profile karp does, with "
        "--ignore-dra-requests false",
        str_shown(name, 100), name.ptr, str_shown(resource, 100), resource.ptr);
}

static karp_status add_device_class(adding *a)
{
    karp_status status = note_extended_resource(a);
    if (status) return status;
    return karp_builder_add_device_class(a->reader->builder, &a->o.device_class, &a->reader->error);
}

static karp_status add_pod(adding *a) { return io_add_pod(a->reader, &a->d, a->root); }

static karp_status add_node(adding *a)
{
    karp_status status = io_unused_node(a->reader, &a->o.node);
    return status ? status : karp_builder_add_node(a->reader->builder, &a->o.node, &a->reader->error);
}

static karp_status add_node_claim(adding *a)
{
    karp_status status = io_unused_claim(a->reader, &a->o.node_claim);
    return status ? status : karp_builder_add_node_claim(a->reader->builder, &a->o.node_claim, &a->reader->error);
}

static karp_status add_node_pool(adding *a)
{
    const karp_node_pool *pool = &a->o.node_pool;
    karp_status status = io_note_invalid_pool(a->reader, pool);
    if (status == KARP_OK) status = io_unused_pool(a->reader, pool);
    if (status == KARP_OK) status = io_values_pool(a->reader, pool);
    return status ? status : karp_builder_add_node_pool(a->reader->builder, pool, &a->reader->error);
}

static karp_status add_node_overlay(adding *a)
{
    karp_node_overlay *overlay = &a->o.node_overlay;
    /* Otherwise it is a field that is not understood. */
    if (!io_preview(a->reader->options.previews, "price-expression")) overlay->price_expression = str("");
    karp_status status = io_unused_object(a->reader, KARP_GATE_NODE_OVERLAY, overlay->meta.name);
    return status ? status : karp_builder_add_node_overlay(a->reader->builder, overlay, &a->reader->error);
}

static karp_status add_node_class(adding *a)
{
    strbuf text = strbuf_on(a->reader->context);
    tree_write(&text, a->root);
    karp_status status = text.failed ? io_reader_nomem(a->reader) : KARP_OK;
    a->o.node_class.document = (karp_str){ text.ptr, text.len };
    if (status == KARP_OK)
        status = karp_builder_add_node_class(a->reader->builder, &a->o.node_class, &a->reader->error);
    strbuf_free(&text);
    return status;
}

static karp_status add_buffer(adding *a) { return io_add_buffer(a->reader, &a->d, a->root, &a->o.buffer); }

static karp_status add_group(adding *a)
{
    a->o.group.source = io_group_source(a->root);
    karp_status status = io_note_network(a->reader, a->root);
    return status ? status : karp_builder_add_pod_group(a->reader->builder, &a->o.group, &a->reader->error);
}

/* ---- all kinds --------------------------------------------------------------------------------------------------- */

typedef struct kind_row {
    const record *record; /* the object's; NULL = `decode` is called */
    void (*decode)(adding *a); /* NULL without a record: other objects stand for the kind, and nothing is wrong in it */
    karp_status (*add)(adding *a); /* NULL = the builder does not need the kind: it is only checked */
} kind_row;

static const kind_row rows[] = {
    [IO_KIND_POD] = { NULL, decode_pod, add_pod },
    [IO_KIND_NODE] = { &io_node_record, NULL, add_node },
    [IO_KIND_NODE_CLAIM] = { &io_node_claim_record, NULL, add_node_claim },
    [IO_KIND_NODE_POOL] = { &io_node_pool_record, NULL, add_node_pool },
    [IO_KIND_NODE_OVERLAY] = { &io_node_overlay_record, NULL, add_node_overlay },
    [IO_KIND_NODE_CLASS] = { NULL, decode_node_class, add_node_class },
    [IO_KIND_DAEMON_SET] = { &io_workload_record, NULL, add_daemon_set },
    [IO_KIND_CLAIM] = { &io_claim_record, NULL, add_persistent_volume_claim },
    [IO_KIND_VOLUME] = { &io_volume_record, NULL, add_persistent_volume },
    [IO_KIND_STORAGE_CLASS] = { &io_storage_class_record, NULL, add_storage_class },
    [IO_KIND_CSI_NODE] = { &io_csi_node_record, NULL, add_csi_node },
    [IO_KIND_BUDGET] = { &io_budget_record, NULL, add_pod_disruption_budget },
    [IO_KIND_PRIORITY_CLASS] = { NULL, decode_priority_class, NULL },
    [IO_KIND_NAMESPACE] = { &io_namespace_record, NULL, add_namespace },
    [IO_KIND_SERVICE] = { NULL, decode_selecting, add_selecting },
    [IO_KIND_REPLICATION_CONTROLLER] = { NULL, decode_controller, add_selecting },
    [IO_KIND_REPLICA_SET] = { NULL, decode_set, add_selecting },
    [IO_KIND_STATEFUL_SET] = { NULL, decode_set, add_selecting },
    [IO_KIND_DEPLOYMENT] = { NULL, decode_workload, NULL },
    [IO_KIND_JOB] = { NULL, decode_workload, NULL },
    [IO_KIND_POD_TEMPLATE] = { NULL, decode_pod_template, NULL },
    [IO_KIND_CAPACITY_BUFFER] = { &io_capacity_buffer_record, NULL, add_buffer },
    [IO_KIND_POD_GROUP] = { &io_pod_group_record, NULL, add_group },
    [IO_KIND_COMPOSITE_POD_GROUP] = { &io_composite_group_record, NULL, add_group },
    [IO_KIND_WORKLOAD] = { NULL, decode_maker, NULL },
    [IO_KIND_MEMBER_GROUP] = { &io_member_group_record, NULL, add_group },
    [IO_KIND_RESOURCE_CLAIM] = { &io_resource_claim_record, NULL, add_resource_claim },
    [IO_KIND_RESOURCE_CLAIM_TEMPLATE] = { NULL, decode_claim_template, NULL },
    [IO_KIND_RESOURCE_SLICE] = { &io_resource_slice_record, NULL, add_resource_slice },
    [IO_KIND_DEVICE_CLASS] = { &io_device_class_record, NULL, add_device_class },
    [IO_KIND_PRICES] = { NULL, decode_prices, NULL },
    [IO_KIND_AUTOSCALER] = { NULL, decode_autoscaler, NULL },
    [IO_KIND_SCALED_OBJECT] = { NULL, decode_autoscaler, NULL },
    [IO_KIND_VERTICAL_AUTOSCALER] = { NULL, decode_autoscaler, NULL },
    [IO_KIND_LIMIT_RANGE] = { NULL, decode_bounds, NULL },
    [IO_KIND_QUOTA] = { NULL, decode_bounds, NULL },
    [IO_KIND_REFERRED] = { NULL, decode_bounds, NULL },
    [IO_KIND_OPERATED] = { NULL, decode_operated, NULL },
    [IO_KIND_POD_MAKER] = { NULL, decode_maker, NULL },
};

bool io_is_added(const io_kind_info *info) { return rows[info->kind].add != NULL; }

static void begin_adding(adding *a, karp_reader *reader, const io_kind_info *info, const tree *root)
{
    a->reader = reader;
    a->info = info;
    a->root = root;
    arena_release(&reader->scratch, (arena_mark){ NULL, NULL });
    io_decoder_init(&a->d, &reader->scratch);
}

static karp_status decode(adding *a)
{
    const kind_row *row = &rows[a->info->kind];
    if (row->record) io_decode(&a->d, row->record, a->root, &a->o);
    else if (row->decode) row->decode(a);
    return a->d.status;
}

/* Finds the position of the field in the builder's error. */
static void place_of_field(karp_reader *reader, const io_place *place, const tree *root)
{
    io_place at = io_place_of_field(place, root, reader->error.field);
    io_error_place(&reader->error, &at);
}

/* Completes the error of a failure. */
static karp_status end(adding *a, karp_status status, const io_place *place)
{
    karp_reader *reader = a->reader;
    if (a->d.status) status = io_reader_bad(reader, &a->d, place, a->root);
    if (status == KARP_OK || status == KARP_E_NOMEM) return status;
    if (!a->d.status) {
        reader->error.status = status;
        place_of_field(reader, place, a->root);
    }
    karp_str namespace_, name;
    io_identity(a->info, a->root, &namespace_, &name);
    io_reader_name(reader, tree_get_text(a->root, "kind"), namespace_, name);
    return status;
}

karp_status io_object_check(karp_reader *reader, const io_kind_info *info, const tree *root, const io_place *place)
{
    adding a;
    begin_adding(&a, reader, info, root);
    return end(&a, decode(&a), place);
}

karp_status io_object_add(karp_reader *reader, const io_kind_info *info, const tree *root, const io_place *place)
{
    adding a;
    begin_adding(&a, reader, info, root);
    /* Only a part of most pods needs to be decoded. */
    karp_status status = info->kind == IO_KIND_POD ? KARP_OK : decode(&a);
    if (status == KARP_OK && io_is_added(info)) status = rows[info->kind].add(&a);
    return end(&a, status, place);
}
