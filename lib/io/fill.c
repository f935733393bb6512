/* SPDX-License-Identifier: Apache-2.0 */
#include <io/convert.h>
#include <io/fill.h>

#include <string.h>

/* ---- small parts ------------------------------------------------------------------------------------------------- */

bool io_default(json_t *object, const char *name, json_t *value)
{
    if (value && !io_get(object, name)) return io_set(object, name, value);
    bool ok = value != NULL;
    json_decref(value);
    return ok;
}

bool io_default_text(json_t *object, const char *name, const char *text)
{
    return io_get(object, name) != NULL || io_set(object, name, json_string(text));
}

bool io_default_str(json_t *object, const char *name, karp_str text)
{
    return io_get(object, name) != NULL || io_set(object, name, io_text_value(text));
}

json_t *io_time_value(int64_t instant)
{
    char text[KARP_VALUE_TEXT];
    karp_time_format(instant, text);
    return json_string(text);
}

int64_t io_creation(const json_t *tree)
{
    int64_t instant = KARP_NO_TIME;
    karp_str text = io_get_text(io_get(tree, "metadata"), "creationTimestamp");
    return text.len && karp_time_parse(text, &instant) == KARP_OK ? instant : KARP_NO_TIME;
}

json_t *io_condition(const char *type, const char *status, const char *reason, int64_t when)
{
    json_t *condition = io_map();
    bool ok = condition && io_set(condition, "type", json_string(type)) &&
              io_set(condition, "status", json_string(status)) &&
              (!*reason || io_set(condition, "reason", json_string(reason))) &&
              (when == KARP_NO_TIME || io_set(condition, "lastTransitionTime", io_time_value(when)));
    if (ok) return condition;
    json_decref(condition);
    return NULL;
}

bool io_add_condition(json_t *list, const char *type, const char *status, const char *reason, int64_t when)
{
    return io_append(list, io_condition(type, status, reason, when));
}

karp_str io_condition_status(const json_t *list, const char *type)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *condition = json_array_get(list, i);
        if (io_str_is(io_get_text(condition, "type"), type)) return io_get_text(condition, "status");
    }
    return (karp_str){ "", 0 };
}

json_t *io_new_object(const char *api_version, const char *kind, karp_str namespace_, karp_str name)
{
    json_t *object = io_map(), *metadata = io_map();
    bool ok = object && metadata && io_set(object, "apiVersion", json_string(api_version)) &&
              io_set(object, "kind", json_string(kind)) && io_set(metadata, "name", io_text_value(name)) &&
              (namespace_.len == 0 || io_set(metadata, "namespace", io_text_value(namespace_))) &&
              json_object_set(object, "metadata", metadata) == 0;
    json_decref(metadata);
    if (ok) return object;
    json_decref(object);
    return NULL;
}

/* ---- identity ---------------------------------------------------------------------------------------------------- */

static bool default_uid(json_t *metadata, uint64_t number)
{
    if (io_get_text(metadata, "uid").len) return true;
    char uid[] = "00000000-0000-4000-8000-000000000000";
    for (size_t i = sizeof uid - 2; number && uid[i] != '-'; i--, number /= 10) uid[i] = (char)('0' + number % 10);
    return io_set(metadata, "uid", json_string(uid));
}

static bool note_space(io_filler *f, karp_str name)
{
    if (io_table_get(&f->spaces, name) != IO_NONE) return true;
    void *list = f->space_list;
    if (!io_table_put(&f->spaces, name, 1) ||
        !io_grow(f->reader->context, &list, &f->space_capacity, f->space_count + 1, sizeof *f->space_list)) {
        return false;
    }
    f->space_list = list;
    char *copy = io_arena_string(&f->arena, name.ptr, name.len);
    if (!copy) return false;
    f->space_list[f->space_count++] = (karp_str){ copy, name.len };
    return true;
}

bool io_identify(io_filler *f, const io_kind_info *info, json_t *tree)
{
    json_t *metadata = io_get_or_make(tree, "metadata");
    if (!metadata) return false;
    if (info->namespaced) {
        if (io_get_text(metadata, "namespace").len == 0 && !io_set(metadata, "namespace", json_string("default")))
            return false;
        if (!note_space(f, io_get_text(metadata, "namespace"))) return false;
    }
    if (!f->fill) return true;
    int64_t at = f->start;
    if (info->kind == IO_KIND_POD) at += (int64_t)(f->pods++ % 1000000000) * 1000000000;
    return default_uid(metadata, ++f->uids) &&
           (io_creation(tree) != KARP_NO_TIME || io_set(metadata, "creationTimestamp", io_time_value(at)));
}

/* ---- pods -------------------------------------------------------------------------------------------------------- */

/* Ports as the API server stores them. */
static bool fill_ports(json_t *spec, const char *name)
{
    bool host = json_is_true(io_get(spec, "hostNetwork"));
    const json_t *containers = io_get(spec, name);
    for (size_t i = 0; i < json_array_size(containers); i++) {
        const json_t *ports = io_get(json_array_get(containers, i), "ports");
        for (size_t k = 0; k < json_array_size(ports); k++) {
            json_t *port = json_array_get(ports, k);
            if (!io_default_text(port, "protocol", "TCP")) return false;
            json_t *inner = io_get(port, "containerPort");
            if (host && inner && !io_get(port, "hostPort") && json_object_set(port, "hostPort", inner) != 0)
                return false;
        }
    }
    return true;
}

static bool fill_priority(const io_filler *f, json_t *spec)
{
    if (io_get(spec, "priority")) return true;
    karp_str name = io_get_text(spec, "priorityClassName");
    json_t *value = NULL;
    if (name.len) value = json_object_get(f->priorities, name.ptr);
    else value = f->global_priority;
    return !value || json_object_set(spec, "priority", value) == 0;
}

bool io_fill_pod_spec(io_filler *f, json_t *spec)
{
    return fill_ports(spec, "containers") && fill_ports(spec, "initContainers") && fill_priority(f, spec);
}

static bool fill_pod_status(json_t *tree)
{
    json_t *status = io_get_or_make(tree, "status");
    const json_t *spec = io_get(tree, "spec");
    if (!status) return false;
    bool bound = io_get_text(spec, "nodeName").len > 0;
    int64_t when = io_creation(tree);
    if (!io_default_text(status, "phase", bound ? "Running" : "Pending")) return false;
    json_t *conditions = io_get(status, "conditions");
    if (!conditions) {
        conditions = io_list();
        if (!io_set(status, "conditions", conditions)) return false;
    }
    bool none = json_array_size(conditions) == 0;
    bool pending = io_str_is(io_get_text(status, "phase"), "Pending");
    bool gated = json_array_size(io_get(spec, "schedulingGates")) > 0;
    if (bound && none) {
        if (!io_add_condition(conditions, "PodScheduled", "True", "", when)) return false;
        if (io_str_is(io_get_text(status, "phase"), "Running") &&
            !io_add_condition(conditions, "Ready", "True", "", when))
            return false;
    } else if (!bound && pending && io_condition_status(conditions, "PodScheduled").len == 0) {
        if (!io_add_condition(conditions, "PodScheduled", "False", gated ? "SchedulingGated" : "Unschedulable", when))
            return false;
    }
    return !bound || io_get(status, "startTime") || io_set(status, "startTime", io_time_value(when));
}

/* Left as it is, a pod without a node and without a condition is nobody's: Karpenter starts nodes for what the scheduler has
 * called unschedulable. */
static bool count_silent(io_filler *f, const json_t *tree)
{
    const json_t *spec = io_get(tree, "spec"), *status = io_get(tree, "status");
    karp_str phase = io_get_text(status, "phase");
    if (io_get_text(spec, "nodeName").len > 0 ||
        io_condition_status(io_get(status, "conditions"), "PodScheduled").len > 0)
        return true;
    if (phase.len > 0 && !io_str_is(phase, "Pending")) return true;
    if (f->silent++ > 0) return true;
    f->first_silent = io_keep(f->reader, io_get_text(io_get(tree, "metadata"), "name"));
    return f->first_silent.ptr != NULL;
}

static karp_status warn_of_silent(io_filler *f)
{
    char shown[64];
    if (f->silent == 0) return KARP_OK;
    io_error_text(shown, sizeof shown, f->first_silent);
    if (f->silent == 1) {
        return io_warn(
            f->reader,
            "Pod %s: it has no node, and without a condition PodScheduled nothing says that it waits for one (strict)",
            shown);
    }
    return io_warn(f->reader,
                   "Pod %s and %llu more: they have no node, and without a condition PodScheduled nothing says that "
                   "they wait for one (strict)",
                   shown, (unsigned long long)(f->silent - 1));
}

/* An ephemeral volume's claim, POD-VOLUME, unless the input has it. */
static karp_status add_ephemeral_claims(io_filler *f, const json_t *pod, const io_place *place)
{
    const io_kind_info *info = io_kind_find(io_str("v1"), io_str("PersistentVolumeClaim"));
    const json_t *metadata = io_get(pod, "metadata"), *volumes = io_get(io_get(pod, "spec"), "volumes");
    for (size_t i = 0; i < json_array_size(volumes); i++) {
        const json_t *volume = json_array_get(volumes, i);
        const json_t *template_ = io_get(io_get(volume, "ephemeral"), "volumeClaimTemplate");
        if (!template_) continue;
        karp_str space = io_get_text(metadata, "namespace"), pod_name = io_get_text(metadata, "name"),
                 own = io_get_text(volume, "name");
        io_text name;
        io_text_init(&name, f->reader->context);
        io_text_add(&name, pod_name.ptr, pod_name.len);
        io_text_addc(&name, '-');
        io_text_add(&name, own.ptr, own.len);
        karp_status status = name.failed ? io_reader_nomem(f->reader) : KARP_OK;
        if (status == KARP_OK &&
            io_find(f->reader, "PersistentVolumeClaim", space, (karp_str){ name.ptr, name.len }) == IO_NONE) {
            json_t *claim = io_new_object("v1", "PersistentVolumeClaim", space, (karp_str){ name.ptr, name.len });
            json_t *spec = io_get(template_, "spec");
            bool ok = claim && (!spec || io_set(claim, "spec", json_copy(spec))) && io_identify(f, info, claim) &&
                      io_fill_claim_volume(f, claim);
            status = ok ? io_add_filled(f->reader, info, claim, place) : io_reader_nomem(f->reader);
            json_decref(claim);
        }
        io_text_free(&name);
        if (status) return status;
    }
    return KARP_OK;
}

karp_status io_fill_and_add_pod(io_filler *f, json_t *tree, const io_place *place)
{
    const io_kind_info *info = io_kind_find(io_str("v1"), io_str("Pod"));
    json_t *spec = io_get(tree, "spec");
    if (f->fill && ((spec && !io_fill_pod_spec(f, spec)) || !fill_pod_status(tree) || !io_count_pod(f, tree))) {
        return io_reader_nomem(f->reader);
    }
    if (!f->fill && !count_silent(f, tree)) return io_reader_nomem(f->reader);
    karp_status status = io_add_filled(f->reader, info, tree, place);
    if (status == KARP_OK && f->fill) status = add_ephemeral_claims(f, tree, place);
    return status;
}

/* ---- one object -------------------------------------------------------------------------------------------------- */

static bool fill_daemon_set(io_filler *f, json_t *tree)
{
    json_t *spec = io_get(io_get(io_get(tree, "spec"), "template"), "spec");
    return !spec || io_fill_pod_spec(f, spec);
}

static bool fill_namespace(json_t *tree)
{
    json_t *metadata = io_get(tree, "metadata");
    json_t *labels = io_get_or_make(metadata, "labels");
    return labels && io_default_str(labels, "kubernetes.io/metadata.name", io_get_text(metadata, "name"));
}

static bool fill_buffer(json_t *tree)
{
    json_t *replicas = io_get(io_get(tree, "spec"), "replicas");
    if (io_get(tree, "status") || !replicas) return true;
    json_t *status = io_map(), *conditions = io_list();
    bool ok = status && conditions &&
              io_add_condition(conditions, "ReadyForProvisioning", "True", "", io_creation(tree)) &&
              json_object_set(status, "replicas", replicas) == 0 &&
              json_object_set(status, "conditions", conditions) == 0 && json_object_set(tree, "status", status) == 0;
    json_decref(status);
    json_decref(conditions);
    return ok;
}

/* true = filled, as far as the kind has anything to fill and it is not done elsewhere. */
static bool fill_simple(io_filler *f, const io_kind_info *info, json_t *tree)
{
    if (!f->fill) return true;
    if (info->kind == IO_KIND_NODE_POOL) return io_fill_pool(tree);
    if (info->kind == IO_KIND_DAEMON_SET) return fill_daemon_set(f, tree);
    if (info->kind == IO_KIND_NAMESPACE) return fill_namespace(tree);
    if (info->kind == IO_KIND_CLAIM) return io_fill_claim_volume(f, tree);
    if (info->kind == IO_KIND_STORAGE_CLASS) return io_default_text(tree, "volumeBindingMode", "Immediate");
    if (info->kind == IO_KIND_CAPACITY_BUFFER) return fill_buffer(tree);
    return true;
}

static karp_status postpone_budget(io_filler *f, const io_waiting *w, json_t *tree)
{
    void *list = f->budgets;
    if (!io_grow(f->reader->context, &list, &f->budget_capacity, f->budget_count + 1, sizeof *f->budgets)) {
        return io_reader_nomem(f->reader);
    }
    f->budgets = list;
    f->budgets[f->budget_count++] = (io_open_budget){ w, json_incref(tree), 0, 0 };
    return KARP_OK;
}

static bool status_is_open(const json_t *tree)
{
    const json_t *status = io_get(tree, "status");
    return !io_get(status, "disruptionsAllowed") && !io_get(status, "expectedPods") &&
           !io_get(status, "currentHealthy");
}

karp_status io_fill(io_filler *f, const io_waiting *w, json_t *tree, const io_place *place)
{
    karp_reader *reader = f->reader;
    bool ok = (!reader->old_objects || io_rename_old(w->info, tree)) && io_complete_from_base(reader, w->info, tree);
    /* Open budgets were taken, and numbered, before the first pod. */
    bool open_budget = f->fill && w->info->kind == IO_KIND_BUDGET && status_is_open(tree);
    if (!open_budget) ok = ok && io_identify(f, w->info, tree);
    ok = ok && fill_simple(f, w->info, tree);
    if (!ok) return io_reader_nomem(reader);
    switch (w->info->kind) {
    case IO_KIND_POD: return io_fill_and_add_pod(f, tree, place);
    case IO_KIND_NODE: return io_fill_and_add_node(f, tree, place);
    case IO_KIND_NODE_CLAIM: return io_fill_and_add_node_claim(f, tree, place);
    case IO_KIND_BUDGET: return open_budget ? KARP_OK : io_add_filled(reader, w->info, tree, place);
    case IO_KIND_DEPLOYMENT:
    case IO_KIND_REPLICA_SET:
    case IO_KIND_STATEFUL_SET:
    case IO_KIND_JOB: {
        karp_status status = io_add_filled(reader, w->info, tree, place);
        return status ? status : io_expand(f, w, tree, place);
    }
    case IO_KIND_UNKNOWN:
    case IO_KIND_NODE_POOL:
    case IO_KIND_NODE_OVERLAY:
    case IO_KIND_NODE_CLASS:
    case IO_KIND_DAEMON_SET:
    case IO_KIND_CLAIM:
    case IO_KIND_VOLUME:
    case IO_KIND_STORAGE_CLASS:
    case IO_KIND_CSI_NODE:
    case IO_KIND_PRIORITY_CLASS:
    case IO_KIND_NAMESPACE:
    case IO_KIND_SERVICE:
    case IO_KIND_REPLICATION_CONTROLLER:
    case IO_KIND_POD_TEMPLATE:
    case IO_KIND_CAPACITY_BUFFER:
    case IO_KIND_DEVICES:
    case IO_KIND_PROVISIONER:
    case IO_KIND_NODE_TEMPLATE: break;
    }
    return io_add_filled(reader, w->info, tree, place);
}

/* ---- before the first, after the last ---------------------------------------------------------------------------- */

static bool note_priority(io_filler *f, const json_t *tree)
{
    karp_str name = io_get_text(io_get(tree, "metadata"), "name");
    json_t *value = io_get(tree, "value");
    value = value ? json_incref(value) : json_integer(0);
    if (!value || json_object_set_new_nocheck(f->priorities, name.ptr, value) != 0) return false;
    if (json_is_true(io_get(tree, "globalDefault"))) f->global_priority = value;
    return true;
}

static bool note_pool(io_filler *f, json_t *tree)
{
    karp_str name = io_get_text(io_get(tree, "metadata"), "name");
    if (f->fill && !io_fill_pool(tree)) return false;
    return json_object_set_nocheck(f->pools, name.ptr, tree) == 0;
}

static bool note_claim(io_filler *f, const json_t *tree, uint32_t number)
{
    const json_t *status = io_get(tree, "status");
    karp_str provider = io_get_text(status, "providerID"), node = io_get_text(status, "nodeName");
    return (provider.len == 0 || io_table_put(&f->claim_providers, provider, number)) &&
           (node.len == 0 || io_table_put(&f->claim_nodes, node, number)) &&
           (io_table_get(&f->claim_nodes, io_get_text(io_get(tree, "metadata"), "name")) != IO_NONE ||
            io_table_put(&f->claim_nodes, io_get_text(io_get(tree, "metadata"), "name"), number));
}

static bool note_default_class(io_filler *f, json_t *tree)
{
    const json_t *metadata = io_get(tree, "metadata");
    karp_str marked = io_get_text(io_get(metadata, "annotations"), "storageclass.kubernetes.io/is-default-class");
    if (!io_str_is(marked, "true") || f->default_class_tree) return true;
    f->default_class_tree = json_incref(tree);
    f->default_class = io_get_text(metadata, "name");
    return true;
}

static karp_status note(io_filler *f, uint32_t number)
{
    karp_reader *reader = f->reader;
    const io_waiting *w = &reader->waiting[number];
    io_kind kind = w->info->kind;
    bool wanted = kind == IO_KIND_PRIORITY_CLASS || kind == IO_KIND_NODE_POOL || kind == IO_KIND_NODE_CLAIM ||
                  kind == IO_KIND_STORAGE_CLASS || (kind == IO_KIND_BUDGET && !w->stated) ||
                  (kind == IO_KIND_REPLICA_SET && !w->stated);
    if (!wanted) return KARP_OK;
    json_t *tree = io_waiting_tree(reader, w);
    if (!tree) return reader->error.status;
    bool ok = true;
    karp_status status = KARP_OK;
    if (kind == IO_KIND_PRIORITY_CLASS) ok = note_priority(f, tree);
    if (kind == IO_KIND_NODE_POOL) ok = note_pool(f, tree);
    if (kind == IO_KIND_NODE_CLAIM) ok = note_claim(f, tree, number);
    if (kind == IO_KIND_STORAGE_CLASS) ok = note_default_class(f, tree);
    if (kind == IO_KIND_REPLICA_SET) ok = io_note_replica_set(f, w, tree);
    if (ok && kind == IO_KIND_BUDGET && f->fill && status_is_open(tree)) {
        ok = io_identify(f, w->info, tree);
        if (ok) status = postpone_budget(f, w, tree);
    }
    json_decref(tree);
    return ok ? status : io_reader_nomem(reader);
}

karp_status io_filler_begin(io_filler *f, karp_reader *reader)
{
    memset(f, 0, sizeof *f);
    f->reader = reader;
    f->fill = reader->options.strict == 0;
    f->start = reader->now < INT64_MIN + INT64_C(86400000000000) ? reader->now : reader->now - INT64_C(86400000000000);
    io_arena_init(&f->arena, reader->context);
    io_table_init(&f->claim_providers, &f->arena);
    io_table_init(&f->claim_nodes, &f->arena);
    io_table_init(&f->spaces, &f->arena);
    f->pools = io_map();
    f->priorities = io_map();
    bool ok = f->pools && f->priorities && io_set(f->priorities, "system-cluster-critical", json_integer(2000000000)) &&
              io_set(f->priorities, "system-node-critical", json_integer(2000001000));
    karp_status status = ok ? KARP_OK : io_reader_nomem(reader);
    for (size_t i = 0; i < reader->waiting_count && status == KARP_OK; i++) status = note(f, (uint32_t)i);
    if (status) io_filler_free(f);
    return status;
}

void io_filler_free(io_filler *f)
{
    karp_context *context = f->reader->context;
    for (size_t i = 0; i < f->budget_count; i++) json_decref(f->budgets[i].tree);
    karp_free(context, f->budgets, f->budget_capacity * sizeof *f->budgets);
    karp_free(context, f->space_list, f->space_capacity * sizeof *f->space_list);
    for (size_t i = 0; i < f->type_table_count; i++) io_table_free(&f->types[i]);
    karp_free(context, f->types, f->type_table_count * sizeof *f->types);
    io_table_free(&f->claim_providers);
    io_table_free(&f->claim_nodes);
    io_table_free(&f->spaces);
    json_decref(f->pools);
    json_decref(f->priorities);
    json_decref(f->default_class_tree);
    io_arena_free(&f->arena);
}

/* Every namespace exists in a cluster, whether the input shows it or not. */
static karp_status add_namespaces(io_filler *f)
{
    const io_kind_info *info = io_kind_find(io_str("v1"), io_str("Namespace"));
    size_t count = f->space_count;
    for (size_t i = 0; i < count; i++) {
        if (io_find(f->reader, "Namespace", (karp_str){ "", 0 }, f->space_list[i]) != IO_NONE) continue;
        json_t *tree = io_new_object("v1", "Namespace", (karp_str){ "", 0 }, f->space_list[i]);
        io_place nowhere = { .document = { "", 0 } };
        bool ok = tree && io_identify(f, info, tree) && fill_namespace(tree);
        karp_status status = ok ? io_add_filled(f->reader, info, tree, &nowhere) : io_reader_nomem(f->reader);
        json_decref(tree);
        if (status) return status;
    }
    return KARP_OK;
}

karp_status io_filler_end(io_filler *f)
{
    karp_status status = io_settle_budgets(f);
    if (status == KARP_OK && f->fill) status = add_namespaces(f);
    return status ? status : warn_of_silent(f);
}
