/* SPDX-License-Identifier: Apache-2.0 */
#include <io/convert.h>
#include <io/decode_fields.h>
#include <io/notes.h>
#include <io/fill.h>
#include <io/owner.h>

#include <base/admit.h>
#include <base/assumed.h>

int64_t io_creation(const tree *root)
{
    int64_t instant = KARP_NO_TIME;
    karp_str text = tree_get_text(tree_get(root, "metadata"), "creationTimestamp");
    return text.len && karp_time_parse(text, &instant) == KARP_OK ? instant : KARP_NO_TIME;
}

/* ---- identity ---------------------------------------------------------------------------------------------------- */

bool io_is_stated(const tree *object, const char *name)
{
    const tree *value = tree_get(object, name);
    return value && !(tree_is(value, TREE_STRING) && value->count == 0);
}

static void default_uid(trees *t, tree *metadata, uint64_t number)
{
    if (io_is_stated(metadata, "uid")) return;
    char uid[] = ASSUMED_UID "000000000000";
    for (size_t i = sizeof uid - 2; number && uid[i] != '-'; i--, number /= 10) uid[i] = (char)('0' + number % 10);
    tree_set_text(t, metadata, "uid", str(uid));
}

static bool note_space(io_filler *f, karp_str space)
{
    const uint32_t *place = io_table_at(&f->spaces, space);
    if (place) f->last_space = (uint32_t)(place - f->spaces.values);
    return place != NULL;
}

void io_identify(io_filler *f, const io_kind_info *info, tree *root)
{
    trees *t = f->t;
    tree *metadata = tree_get_or_make(t, root, "metadata");
    if (info->namespaced) {
        if (!io_is_stated(metadata, "namespace")) tree_set_text(t, metadata, "namespace", str("default"));
        karp_str space = tree_get_text(metadata, "namespace");
        /* Objects of a namespace usually follow each other. */
        bool known = f->spaces.names.count > 0 && equal_str(strings_get(&f->spaces.names, f->last_space), space);
        if (t->status == KARP_OK && !known && !note_space(f, space)) t->status = KARP_E_NOMEM;
    }
    if (!f->fill) return;
    int64_t at = f->start;
    if (info->kind == IO_KIND_POD) at += (int64_t)(f->pods++ % 1000000000) * 1000000000;
    default_uid(t, metadata, ++f->uids);
    if (!io_is_stated(metadata, "creationTimestamp")) io_set_time(t, metadata, "creationTimestamp", at);
}

void io_fill_claim_volume(io_filler *f, tree *root)
{
    trees *t = f->t;
    tree *spec = tree_get_or_make(t, root, "spec"), *status = tree_get_or_make(t, root, "status");
    bool bound = tree_get_text(spec, "volumeName").len > 0;
    if (f->default_class.len) tree_default_text(t, spec, "storageClassName", f->default_class);
    io_assume_class(&f->assumed, t, root);
    if (bound && !tree_get(status, "phase")) {
        tree *annotations = tree_get_or_make(t, tree_get(root, "metadata"), "annotations");
        tree_default_text(t, annotations, "pv.kubernetes.io/bind-completed", str("yes"));
    }
    tree_default_text(t, status, "phase", str(bound ? "Bound" : "Pending"));
}

/* ---- PodDisruptionBudget ----------------------------------------------------------------------------------------- */

/* A budget that cannot be decoded is reported when it is added. */
static karp_status postpone_budget(io_filler *f, const io_deferred *w)
{
    io_decoder d;
    if (!grow(f->reader->context, (void **)&f->budgets, &f->budget_capacity, f->budget_count + 1, sizeof *f->budgets))
        return io_reader_nomem(f->reader);
    io_open_budget *b = &f->budgets[f->budget_count++];
    *b = (io_open_budget){ .deferred = w };
    io_decoder_init(&d, &f->reader->keep);
    io_decode(&d, &io_budget_record, w->root, &b->object);
    return d.status == KARP_E_NOMEM ? io_reader_nomem(f->reader) : KARP_OK;
}

static bool status_is_open(const tree *root)
{
    const tree *status = tree_get(root, "status");
    return !tree_get(status, "disruptionsAllowed") && !tree_get(status, "expectedPods") &&
           !tree_get(status, "currentHealthy");
}

/* The labels of an object, in scratch memory; NULL = out of memory. */
static karp_label *labels_of(io_filler *f, const tree *metadata, size_t *count)
{
    const tree *labels = tree_get(metadata, "labels");
    karp_label *list = arena_array(&f->reader->scratch, tree_count(labels) + 1, sizeof *list);
    *count = 0;
    for (size_t i = 0; list && tree_is(labels, TREE_MAP) && i < tree_count(labels); i++) {
        const tree_member *member = tree_member_at(labels, i);
        list[(*count)++] = (karp_label){ tree_member_name(member), tree_text(member->value) };
    }
    return list;
}

static void count_pod(io_filler *f, const tree *pod)
{
    if (f->budget_count == 0) return;
    const tree *metadata = tree_get(pod, "metadata"), *status = tree_get(pod, "status");
    if (tree_get(metadata, "deletionTimestamp") || io_pod_ended(pod)) return;
    bool ready = str_is(io_condition_status(tree_get(status, "conditions"), "Ready"), "True");
    size_t count;
    arena_mark mark = arena_get_mark(&f->reader->scratch);
    const karp_label *labels = labels_of(f, metadata, &count);
    if (!labels) f->t->status = KARP_E_NOMEM;
    for (size_t i = 0; labels && i < f->budget_count; i++) {
        io_open_budget *b = &f->budgets[i];
        if (!equal_str(b->deferred->namespace_, tree_get_text(metadata, "namespace"))) continue;
        if (!b->object.selector || !selector_admits(b->object.selector, labels, count)) continue;
        b->expected++;
        b->controlled += io_controller(pod).kind[0] != '\0';
        b->healthy += ready;
    }
    arena_release(&f->reader->scratch, mark);
}

static void settle(trees *t, const io_open_budget *b)
{
    const tree *spec = tree_get(b->deferred->root, "spec"), *least = tree_get(spec, "minAvailable");
    int64_t number = 0;
    /* Its controller takes the number of pods from their controllers, except for a plain minAvailable. */
    bool counted = tree_get(spec, "maxUnavailable") || (least && !tree_integer(least, &number));
    uint64_t expected = counted ? b->controlled : b->expected;
    uint64_t to_stay = pods_to_stay(&b->object.min_available, &b->object.max_unavailable, expected);
    const struct {
        const char *name;
        uint64_t count;
    } members[] = { { "expectedPods", expected },
                    { "currentHealthy", b->healthy },
                    { "desiredHealthy", to_stay },
                    { "disruptionsAllowed", (uint64_t)evictions_left(to_stay, expected, b->healthy) } };
    tree *status = tree_get_or_make(t, b->deferred->root, "status");
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        tree_set(t, status, members[i].name, tree_new_integer(t, (int64_t)members[i].count));
}

static karp_status settle_budgets(io_filler *f)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < f->budget_count && status == KARP_OK; i++) {
        const io_deferred *w = f->budgets[i].deferred;
        io_place place = io_place_whole(&w->place);
        settle(f->t, &f->budgets[i]);
        status = io_add_filled(f, w->info, w->root, &place);
    }
    return status ? io_first_mistake(f->reader, f->reader->deferred_count, status) : KARP_OK;
}

/* ---- pods -------------------------------------------------------------------------------------------------------- */

/* Replaces the member by a copy that may be changed, because other pods may have the same value. */
static tree *own_member(trees *t, tree *object, const char *name, bool deep)
{
    const tree *shared = tree_get(object, name);
    tree *copy = deep ? tree_deep_copy(t, shared, false) : tree_copy(t, shared);
    tree_set(t, object, name, copy);
    return copy;
}

/* Whether the value is a whole number in this range. A wrong one is not copied, so that it is reported where it is. */
static bool is_whole(const tree *value, double least, double most)
{
    double number = 0;
    return tree_double(value, &number) && number >= least && number <= most && number == (double)(int64_t)number;
}

/* Fills in ports as the API server does. */
static void fill_port(trees *t, tree *port, bool host)
{
    tree_default_text(t, port, "protocol", str("TCP"));
    if (host && is_whole(tree_get(port, "containerPort"), 0, UINT16_MAX))
        tree_default(t, port, "hostPort", tree_get(port, "containerPort"));
}

static void fill_ports_of(trees *t, tree *spec, const char *name)
{
    bool host = tree_is(tree_get(spec, "hostNetwork"), TREE_TRUE), copied = false;
    const tree *containers = tree_get(spec, name);
    for (size_t i = 0; i < tree_count(containers); i++) {
        const tree *ports = tree_get(tree_item(containers, i), "ports");
        for (size_t k = 0; k < tree_count(ports); k++) {
            const tree *port = tree_item(ports, k);
            if (tree_get(port, "protocol") && (!host || tree_get(port, "hostPort"))) continue;
            if (!copied) {
                containers = own_member(t, spec, name, true);
                ports = tree_get(tree_item(containers, i), "ports");
                copied = true;
            }
            fill_port(t, tree_item(ports, k), host);
        }
    }
}

void io_fill_ports(trees *t, tree *spec)
{
    fill_ports_of(t, spec, "containers");
    fill_ports_of(t, spec, "initContainers");
}

/* The value of the class, or with "" of the class for all; NULL = it is not in the input. */
static tree *priority_of(const io_filler *f, karp_str name)
{
    uint32_t number = name.len ? io_table_get(&f->priorities, name) : IO_NONE;
    const tree *class_ = number != IO_NONE ? f->reader->deferred[number].root : name.len ? NULL : f->global_class;
    if (class_) {
        tree *value = tree_get(class_, "value");
        return value ? value : tree_new_integer(f->t, 0);
    }
    for (size_t i = 0; i < IO_SYSTEM_CLASSES; i++) {
        if (str_is(name, io_system_classes[i].name))
            return tree_new_slice(f->t, TREE_INTEGER, str(io_system_classes[i].value));
    }
    return NULL;
}

static void fill_priority(const io_filler *f, tree *spec)
{
    tree *value = tree_get(spec, "priority") ? NULL : priority_of(f, tree_get_text(spec, "priorityClassName"));
    if (value) tree_set(f->t, spec, "priority", value);
}

/* Source: Kubernetes' plugin/pkg/admission/priority. */
static void check_priority(const io_filler *f, const tree *spec, char *why, size_t room)
{
    karp_str name = tree_get_text(spec, "priorityClassName");
    int64_t stated = 0, own = 0;
    if (why[0] || name.len == 0 || !tree_integer(tree_get(spec, "priority"), &stated) ||
        !tree_integer(priority_of(f, name), &own) || stated == own)
        return;
    str_append(why, room, "its priority is %lld, and that of PriorityClass %.*s is %lld", (long long)stated,
               str_shown(name, 100), name.ptr, (long long)own);
}

void io_fill_pod_spec(io_filler *f, tree *spec)
{
    io_fill_ports(f->t, spec);
    fill_priority(f, spec);
}

static void fill_pod_status(trees *t, tree *root)
{
    tree *status = tree_get_or_make(t, root, "status");
    const tree *spec = tree_get(root, "spec"), *phase_ = tree_get(status, "phase"),
               *conditions = tree_get(status, "conditions");
    bool bound = tree_get_text(spec, "nodeName").len > 0;
    karp_str phase = phase_ ? tree_text(phase_) : str(bound ? "Running" : "Pending");
    if (!phase_) tree_set_text(t, status, "phase", phase);
    if (!conditions) {
        tree_set(t, status, "conditions", tree_new(t, TREE_LIST));
        conditions = tree_get(status, "conditions");
    }
    if (bound && tree_count(conditions) == 0) {
        tree *own = own_member(t, status, "conditions", false);
        io_add_condition(t, own, "PodScheduled", "True", "", io_creation(root));
        if (str_is(phase, "Running")) io_add_condition(t, own, "Ready", "True", "", io_creation(root));
    } else if (!bound && str_is(phase, "Pending") && io_condition_status(conditions, "PodScheduled").len == 0 &&
               !str_is(io_condition_status(conditions, "Created"), "False")) {
        bool gated = tree_count(tree_get(spec, "schedulingGates")) > 0;
        io_add_condition(t, own_member(t, status, "conditions", false), "PodScheduled", "False",
                         gated ? "SchedulingGated" : "Unschedulable", io_creation(root));
    }
    if (bound && !tree_get(status, "startTime")) io_set_time(t, status, "startTime", io_creation(root));
}

/* Adds an ephemeral volume's claim, named POD-VOLUME, unless the input has it. */
static karp_status add_ephemeral_claim(io_filler *f, const tree *pod, const tree *volume, const tree *template_,
                                       const io_place *place)
{
    const io_kind_info *info = io_kind_find(str("v1"), str("PersistentVolumeClaim"));
    const tree *metadata = tree_get(pod, "metadata");
    karp_str space = tree_get_text(metadata, "namespace");
    strbuf name = strbuf_on(f->reader->context);
    strbuf_addstr(&name, tree_get_text(metadata, "name"));
    strbuf_addc(&name, '-');
    strbuf_addstr(&name, tree_get_text(volume, "name"));
    karp_status status = name.failed ? io_reader_nomem(f->reader) : KARP_OK;
    karp_str text = { name.ptr, name.len };
    if (status == KARP_OK && io_find(f->reader, "PersistentVolumeClaim", space, text) == IO_NONE) {
        tree *claim = io_new_object(f->t, "v1", "PersistentVolumeClaim", space, text);
        tree_set(f->t, claim, "spec", tree_copy(f->t, tree_get(template_, "spec")));
        io_identify(f, info, claim);
        io_fill_claim_volume(f, claim);
        status = io_add_filled(f, info, claim, place);
    }
    strbuf_free(&name);
    return status;
}

static karp_status add_ephemeral_claims(io_filler *f, const tree *pod, const io_place *place)
{
    const tree *volumes = tree_get(tree_get(pod, "spec"), "volumes");
    karp_status status = KARP_OK;
    for (size_t i = 0; i < tree_count(volumes) && status == KARP_OK; i++) {
        const tree *volume = tree_item(volumes, i);
        const tree *template_ = tree_get(tree_get(volume, "ephemeral"), "volumeClaimTemplate");
        if (template_) status = add_ephemeral_claim(f, pod, volume, template_, place);
    }
    return status;
}

/* Drops the gates that Kueue removes when it admits the pod, which is pending without gates. */
static void drop_gates(trees *t, tree *root)
{
    static const char *const gates[] = { "kueue.x-k8s.io/admission", "kueue.x-k8s.io/topology" };
    if (tree_count(tree_get(tree_get(root, "spec"), "schedulingGates")) == 0) return;
    tree *list = own_member(t, own_member(t, root, "spec", false), "schedulingGates", false);
    for (size_t i = tree_is(list, TREE_LIST) ? tree_count(list) : 0; i-- > 0;) {
        karp_str name = tree_get_text(tree_item(list, i), "name");
        if (str_is(name, gates[0]) || str_is(name, gates[1])) tree_remove_item(t, list, i);
    }
    if (tree_is(list, TREE_LIST) && tree_count(list) == 0) io_set_pending(t, root, io_creation(root));
}

/* Whether the spec makes or needs other objects. */
static bool names_claims(const tree *spec)
{
    const tree *volumes = tree_get(spec, "volumes");
    bool any = tree_get(spec, "resourceClaims") != NULL;
    for (size_t i = 0; i < tree_count(volumes) && !any; i++) {
        const tree *volume = tree_item(volumes, i);
        any = tree_get(volume, "persistentVolumeClaim") || tree_get(volume, "ephemeral");
    }
    return any;
}

/* Fills in the spec, and notes where a shared one lacks nothing: so do the other pods that have it. */
static bool fill_shared_spec(io_filler *f, tree *root, bool *claims)
{
    tree *spec = tree_get(root, "spec");
    uint64_t address = spec ? io_shared_address(spec) : 0;
    *claims = address == 0 || map64_get(&f->whole_specs, address) == NO_ID;
    if (!*claims) return true;
    io_fill_pod_spec(f, spec);
    *claims = names_claims(spec);
    bool whole = address != 0 && !*claims && io_shared_address(spec) == address;
    return !whole || map64_put(&f->whole_specs, address, 1);
}

/* false = the pod has to be looked at. */
static bool add_again(io_filler *f, const io_deferred *w)
{
    if (!f->fill || f->reader->mode.old || f->reader->options.queued || !io_add_again(f->reader, w)) return false;
    f->pods++;
    f->uids++;
    count_pod(f, w->root);
    return true;
}

/* A pod that was added: whether those like it lack nothing, either. The gates of pods are counted. */
static karp_status note_again(io_filler *f, const io_deferred *w)
{
    const tree *spec = tree_get(w->root, "spec");
    bool whole = f->fill && spec && map64_get(&f->whole_specs, io_shared_address(spec)) != NO_ID &&
                 tree_count(tree_get(spec, "schedulingGates")) == 0;
    return whole ? io_note_again(f->reader, w) : KARP_OK;
}

karp_status io_fill_and_add_pod(io_filler *f, const io_kind_info *info, tree *root, const io_place *place)
{
    bool claims;
    if (f->reader->options.queued) drop_gates(f->t, root);
    if (!io_count_waiting(&f->waiting, f->reader, root)) return io_reader_nomem(f->reader);
    if (!f->fill) return io_add_filled(f, info, root, place);
    if (!fill_shared_spec(f, root, &claims)) return io_reader_nomem(f->reader);
    fill_pod_status(f->t, root);
    count_pod(f, root);
    if (claims && !io_assume_claims(&f->assumed, root)) return io_reader_nomem(f->reader);
    if (f->creates) io_quotas_count(&f->quotas, f->reader, root, true);
    karp_status status = claims ? io_make_device_claims(f, root, place) : KARP_OK;
    if (status == KARP_OK) status = io_add_filled(f, info, root, place);
    return status || !claims ? status : add_ephemeral_claims(f, root, place);
}

/* ---- one object -------------------------------------------------------------------------------------------------- */

static void fill_namespace(trees *t, tree *root)
{
    tree *metadata = tree_get(root, "metadata");
    tree_default_text(t, tree_get_or_make(t, metadata, "labels"), "kubernetes.io/metadata.name",
                      tree_get_text(metadata, "name"));
}

/* Fills in the kinds that need only little. Others are filled in elsewhere. */
static karp_status fill_simple(io_filler *f, const io_kind_info *info, tree *root)
{
    if (!f->fill) return KARP_OK;
    if (info->kind == IO_KIND_NODE_POOL) io_fill_pool(f->reader, f->t, root);
    if (info->kind == IO_KIND_DAEMON_SET) io_fill_pod_spec(f, io_template_spec(root));
    if (info->kind == IO_KIND_NAMESPACE) fill_namespace(f->t, root);
    if (info->kind == IO_KIND_CLAIM) io_fill_claim_volume(f, root);
    if (info->kind == IO_KIND_STORAGE_CLASS) tree_default_text(f->t, root, "volumeBindingMode", str("Immediate"));
    if (info->kind == IO_KIND_POD_GROUP || info->kind == IO_KIND_COMPOSITE_POD_GROUP)
        fill_priority(f, tree_get(root, "spec"));
    return info->kind == IO_KIND_CAPACITY_BUFFER ? io_fill_buffer(f->reader, f->t, root) : KARP_OK;
}

karp_status io_check_refused(io_filler *f, const io_deferred *w, const tree *template_, const tree *claims,
                             bool operated, bool *refused)
{
    char why[400] = "";
    io_why_refused(w->info->kind == IO_KIND_POD || operated ? NULL : w->root, template_, claims, operated, why,
                   sizeof why);
    io_admission_refuses(&f->admission, f->reader, tree_get(template_, "spec"), w->namespace_, why, sizeof why);
    check_priority(f, tree_get(template_, "spec"), why, sizeof why);
    return why[0] == '\0' ? KARP_OK : io_refuse(f, w, why, refused);
}

karp_status io_refuse(io_filler *f, const io_deferred *w, const char *why, bool *refused)
{
    *refused = f->reader->options.lenient == 0;
    f->reader->deferred[w - f->reader->deferred].refused = *refused;
    return *refused ? io_refused(f->reader, w, why)
                    : io_warn(f->reader, "%s %.*s: the API server refuses it: %s; planned all the same (--lenient)",
                              w->info->name, str_shown(w->name, 100), w->name.ptr, why);
}

/* Until a pod of a DaemonSet runs, Karpenter counts its template, which no admission plugin has completed. *filled =
 * the template of the pods that are created. */
static karp_status note_daemon(io_filler *f, const io_deferred *w, const tree *template_, tree **filled)
{
    const tree *spec = tree_get(template_, "spec");
    tree *admitted = tree_copy(f->t, spec);
    *filled = tree_copy(f->t, template_);
    karp_status status = io_admit(&f->admission, f->reader, f->t, admitted, w->namespace_);
    if (tree_is(admitted, TREE_MAP)) tree_set(f->t, *filled, "spec", admitted);
    if (status || tree_equal(admitted, spec)) return status;
    if (io_owned(f->reader, "DaemonSet", w->namespace_, w->name) > 0) return KARP_OK;
    return io_warn(
        f->reader,
        "DaemonSet %.*s: Karpenter counts its template, without what a LimitRange or RuntimeClass adds to its "
        "pods, until one of them runs",
        str_shown(w->name, 100), w->name.ptr);
}

/* A pod without containers is planned all the same: nothing else may be wrong with it. */
static karp_status note_empty(io_filler *f, const io_deferred *w, const tree *spec)
{
    if (tree_count(tree_get(spec, "containers")) > 0) return KARP_OK;
    return io_not_understood(
        f->reader, "Pod %.*s/%.*s has no containers, so it is planned without requests; the API server refuses it",
        str_shown(w->namespace_, 64), w->namespace_.ptr, str_shown(w->name, 100), w->name.ptr);
}

/* Whether a pod without a uid is one of a cluster all the same: it runs, or has a status. */
static bool was_created(const tree *pod)
{
    return tree_get_text(tree_get(pod, "spec"), "nodeName").len > 0 || tree_count(tree_get(pod, "status")) > 0;
}

/* A pod or DaemonSet that is created: what the API server adds to the pods, or why it refuses them. */
static karp_status admit(io_filler *f, const io_deferred *w, tree *root, bool *refused)
{
    bool pod = w->info->kind == IO_KIND_POD;
    const tree *metadata = tree_get(root, "metadata");
    if (!f->fill || (!pod && w->info->kind != IO_KIND_DAEMON_SET) || io_is_stated(metadata, "uid")) return KARP_OK;
    if (tree_count(tree_get(metadata, "ownerReferences")) > 0) return KARP_OK; /* its controller has created it */
    tree *template_ = pod ? root : tree_get(tree_get(root, "spec"), "template"), *spec = tree_get(template_, "spec");
    karp_status status = io_note_amounts(f->reader, w, spec);
    if (status == KARP_OK) status = io_note_injected(f->reader, w, tree_get(template_, "metadata"), spec);
    if (pod && status == KARP_OK && tree_get_text(spec, "nodeName").len == 0) {
        f->creates = true;
        spec = own_member(f->t, root, "spec", false);
        status = io_admit_created(&f->admission, f->reader, f->t, spec, w);
    }
    if (status == KARP_OK) status = pod ? note_empty(f, w, spec) : note_daemon(f, w, template_, &template_);
    if (status || (pod && was_created(root))) return status;
    return io_check_refused(f, w, template_, NULL, false, refused);
}

karp_status io_fill(io_filler *f, const io_deferred *w)
{
    io_kind kind = w->info->kind;
    /* Budgets whose status is computed were numbered before the first pod. */
    if (f->fill && kind == IO_KIND_BUDGET && status_is_open(w->root)) return KARP_OK;
    if (kind == IO_KIND_PRICES) return KARP_OK; /* already applied to the catalogues */
    if (kind == IO_KIND_POD && add_again(f, w)) return io_keep_object(f->reader, w->info, w->root);
    f->reader->pod_templates.more = io_more_alike(f->reader, w);
    /* A copy is filled in, because other objects refer to the original. It gets parts of other objects, so the places
     * of its fields are not known. Nothing refers to pods, but they share values, in which labels may be renamed. */
    io_place place = kind == IO_KIND_POD ? w->place : io_place_whole(&w->place);
    f->t = kind == IO_KIND_POD ? &f->made : &f->work;
    bool own = kind == IO_KIND_POD && !f->reader->mode.old;
    tree *root = own ? w->root : tree_deep_copy(f->t, w->root, false);
    if (f->reader->mode.old) io_rename_old(f->t, w->info, root);
    io_complete_from_base(f->reader, f->t, w->info, root);
    bool refused = false, created = kind == IO_KIND_POD && io_is_stated(tree_get(root, "metadata"), "uid");
    karp_status status = created ? KARP_OK : admit(f, w, root, &refused);
    if (f->fill && kind == IO_KIND_POD && !created) io_merge_label_keys(f->t, root);
    io_identify(f, w->info, root);
    if (status == KARP_OK) status = fill_simple(f, w->info, root);
    if (status == KARP_OK && refused) status = io_object_check(f->reader, w->info, root, &place);
    else if (status == KARP_OK)
        status = kind == IO_KIND_POD          ? io_fill_and_add_pod(f, w->info, root, &place)
                 : kind == IO_KIND_NODE       ? io_fill_and_add_node(f, root, &place)
                 : kind == IO_KIND_NODE_CLAIM ? io_fill_and_add_node_claim(f, root, &place)
                                              : io_add_filled(f, w->info, root, &place);
    if (status == KARP_OK && kind == IO_KIND_POD && !refused) status = note_again(f, w);
    if (status == KARP_OK && (io_is_workload(kind) || kind == IO_KIND_OPERATED)) status = io_expand(f, w, root, &place);
    /* What is made of an object is not in the input: the error is about the object. */
    if (status == KARP_E_INVALID && kind != IO_KIND_POD)
        io_reader_name(f->reader, str(w->info->name), w->namespace_, w->name);
    if (status == KARP_OK && f->work.status) status = io_reader_nomem(f->reader);
    f->t = &f->reader->trees;
    f->creates = false;
    trees_clear(&f->made);
    trees_clear(&f->work);
    return status;
}

/* ---- before the first and after the last object ------------------------------------------------------------------ */

static bool note_claim(io_filler *f, const tree *root, uint32_t number)
{
    const tree *status = tree_get(root, "status");
    karp_str provider = tree_get_text(status, "providerID"), node = tree_get_text(status, "nodeName"),
             name = tree_get_text(tree_get(root, "metadata"), "name");
    if (provider.len && !io_table_put(&f->claim_providers, provider, number)) return false;
    if (node.len && !io_table_put(&f->claim_nodes, node, number)) return false;
    return io_table_get(&f->claim_nodes, name) != IO_NONE || io_table_put(&f->claim_nodes, name, number);
}

/* NodeClaims and nodes are filled in from their pools, in any order. Copies of the pools are used, because the pools
 * themselves are filled in later. */
static bool note_pool(io_filler *f, const tree *root)
{
    tree *copy = tree_deep_copy(f->t, root, false);
    if (f->fill) io_fill_pool(f->reader, f->t, copy);
    if (f->t->status || !grow(f->reader->context, (void **)&f->pool_copies, &f->pool_capacity, f->pool_count + 1,
                              sizeof *f->pool_copies))
        return false;
    f->pool_copies[f->pool_count] = copy;
    return io_table_put(&f->pools, tree_get_text(tree_get(root, "metadata"), "name"), (uint32_t)f->pool_count++);
}

static bool note_priority(io_filler *f, const io_deferred *w, uint32_t number)
{
    const tree *value = tree_get(w->root, "value");
    if (value && !is_whole(value, INT32_MIN, INT32_MAX)) return true;
    if (tree_is(tree_get(w->root, "globalDefault"), TREE_TRUE)) f->global_class = w->root;
    return io_table_put(&f->priorities, w->name, number);
}

/* The newest one; among those, the first by name. */
static void note_default_class(io_filler *f, const tree *root)
{
    const tree *metadata = tree_get(root, "metadata");
    const tree *annotations = tree_get(metadata, "annotations");
    if (!str_is(tree_get_text(annotations, "storageclass.kubernetes.io/is-default-class"), "true") &&
        !str_is(tree_get_text(annotations, "storageclass.beta.kubernetes.io/is-default-class"), "true"))
        return;
    karp_str name = tree_get_text(metadata, "name");
    int64_t at = io_creation(root);
    bool better = f->default_class.len == 0 || at > f->default_class_at ||
                  (at == f->default_class_at && compare_str(name, f->default_class) < 0);
    if (!better) return;
    f->default_class = name;
    f->default_class_at = at;
}

static karp_status note(io_filler *f, uint32_t number)
{
    const io_deferred *w = &f->reader->deferred[number];
    io_kind kind = w->info->kind;
    bool ok = true;
    if (kind == IO_KIND_PRIORITY_CLASS) ok = note_priority(f, w, number);
    if (kind == IO_KIND_NODE_POOL) ok = note_pool(f, w->root);
    if (kind == IO_KIND_NODE_CLAIM) ok = note_claim(f, w->root, number);
    if (kind == IO_KIND_STORAGE_CLASS) {
        f->assumed.on = false;
        note_default_class(f, w->root);
    }
    if (!ok) return io_reader_nomem(f->reader);
    karp_status status = f->fill ? io_admission_note(&f->admission, f->reader, w) : KARP_OK;
    if (status == KARP_OK && f->fill) status = io_quotas_note(&f->quotas, f->reader, w);
    if (status) return status;
    if (kind != IO_KIND_BUDGET || w->stated || !f->fill || !status_is_open(w->root)) return KARP_OK;
    io_identify(f, w->info, w->root);
    return postpone_budget(f, w);
}

static bool exists(const io_deferred *w)
{
    return io_is_stated(tree_get(w->root, "metadata"), "uid") ||
           tree_get_text(tree_get(w->root, "spec"), "nodeName").len > 0;
}

static void count_existing(io_filler *f)
{
    for (size_t i = 0; f->quotas.count && i < f->reader->deferred_count; i++) {
        const io_deferred *w = &f->reader->deferred[i];
        if (w->info->kind == IO_KIND_POD && !w->gone && exists(w))
            io_quotas_count(&f->quotas, f->reader, w->root, false);
    }
}

karp_status io_filler_begin(io_filler *f, karp_reader *reader)
{
    memset(f, 0, sizeof *f);
    f->reader = reader;
    f->fill = reader->options.strict == 0;
    f->start = reader->asked.now < INT64_MIN + assumed_age ? reader->asked.now : reader->asked.now - assumed_age;
    f->t = &reader->trees;
    trees_init(&f->made, reader->context);
    trees_init(&f->work, reader->context);
    io_table_init(&f->pools, reader->context);
    io_table_init(&f->priorities, reader->context);
    io_table_init(&f->claim_providers, reader->context);
    io_table_init(&f->claim_nodes, reader->context);
    io_table_init(&f->spaces, reader->context);
    map64_init(&f->whole_specs, reader->context);
    io_assumed_init(&f->assumed, reader->context);
    f->assumed.on = f->fill && !reader->options.strict_storage;
    io_admission_init(&f->admission, reader->context);
    io_quotas_init(&f->quotas, reader->context);
    karp_status status = KARP_OK;
    for (size_t i = io_other(reader, 0); i < reader->deferred_count && status == KARP_OK; i = io_other(reader, i + 1)) {
        if (!reader->deferred[i].gone) status = note(f, (uint32_t)i);
    }
    count_existing(f);
    if (status) io_filler_free(f);
    return status;
}

void io_filler_free(io_filler *f)
{
    karp_context *context = f->reader->context;
    mem_free(context, f->budgets, f->budget_capacity * sizeof *f->budgets);
    mem_free(context, f->pool_copies, f->pool_capacity * sizeof *f->pool_copies);
    for (size_t i = 0; i < f->type_table_count; i++) io_table_free(&f->types[i]);
    mem_free(context, f->types, f->type_table_count * sizeof *f->types);
    io_table_free(&f->pools);
    io_table_free(&f->priorities);
    io_table_free(&f->claim_providers);
    io_table_free(&f->claim_nodes);
    io_table_free(&f->spaces);
    map64_free(&f->whole_specs);
    io_assumed_free(&f->assumed);
    io_admission_free(&f->admission, context);
    io_quotas_free(&f->quotas, context);
    trees_free(&f->made);
    trees_free(&f->work);
}

/* An error in a Namespace that no document has is about the first object in it. */
static void blame_user(karp_reader *reader, karp_str name)
{
    for (size_t i = 0; i < reader->deferred_count; i++) {
        const io_deferred *w = &reader->deferred[i];
        karp_str namespace_, own;
        io_identity(w->info, w->root, &namespace_, &own);
        if (w->gone || !equal_str(namespace_, name)) continue;
        str_shorten(reader->error.field, sizeof reader->error.field, str("metadata.namespace"));
        io_place at = io_place_of_field(&w->place, w->root, reader->error.field);
        io_error_place(&reader->error, &at);
        io_reader_name(reader, tree_get_text(w->root, "kind"), namespace_, own);
        return;
    }
}

/* Adds a Namespace for every namespace that is used but not in the input. */
static karp_status add_namespaces(io_filler *f)
{
    static const karp_str none = { "", 0 };
    const io_kind_info *info = io_kind_find(str("v1"), str("Namespace"));
    const io_place nowhere = { .document = { "", 0 } };
    size_t count = f->spaces.names.count;
    for (uint32_t i = 0; i < count; i++) {
        karp_str name = strings_get(&f->spaces.names, i);
        if (io_find(f->reader, "Namespace", none, name) != IO_NONE) continue;
        tree *root = io_new_object(f->t, "v1", "Namespace", none, name);
        io_identify(f, info, root);
        fill_namespace(f->t, root);
        karp_status status = io_add_filled(f, info, root, &nowhere);
        if (status == KARP_E_INVALID) blame_user(f->reader, name);
        if (status) return status;
    }
    return KARP_OK;
}

karp_status io_filler_end(io_filler *f)
{
    karp_status status = io_add_assumed(f);
    if (status == KARP_OK) status = settle_budgets(f);
    if (status == KARP_OK && f->fill) status = add_namespaces(f);
    if (status == KARP_OK) status = io_quotas_end(&f->quotas, f->reader);
    return status ? status : io_warn_of_waiting(&f->waiting, f->reader);
}
