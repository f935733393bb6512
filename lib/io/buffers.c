/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CapacityBuffers: their pod templates, and how many replicas Karpenter's controller gives them. Source:
 * Karpenter 1.15.0, pkg/controllers/capacitybuffer and pkg/utils/apps.
 */
#include <io/fill.h>
#include <io/notes.h>
#include <io/owner.h>
#include <io/pod_amount.h>
#include <io/previews.h>

#include <base/assumed.h>
#include <math.h>

/* ---- the pod template -------------------------------------------------------------------------------------------- */

/* The object that has the buffer's pod template. NULL = there is none. */
static const io_deferred *template_owner(const karp_reader *reader, const tree *root)
{
    static const char *const scalable[] = { "Deployment", "StatefulSet", "ReplicaSet" };
    const tree *spec = tree_get(root, "spec"), *ref = tree_get(spec, "podTemplateRef");
    karp_str space = io_namespace(root);
    if (ref) return io_find_deferred(reader, str("PodTemplate"), space, tree_get_text(ref, "name"));
    ref = tree_get(spec, "scalableRef");
    karp_str group = tree_get_text(ref, "apiGroup");
    if (group.len && !str_is(group, "apps")) return NULL;
    for (size_t i = 0; i < sizeof scalable / sizeof *scalable; i++) {
        if (str_is(tree_get_text(ref, "kind"), scalable[i]))
            return io_find_deferred(reader, str(scalable[i]), space, tree_get_text(ref, "name"));
    }
    return NULL;
}

static const tree *template_in(const io_deferred *owner)
{
    if (!owner) return NULL;
    return tree_get(owner->info->kind == IO_KIND_POD_TEMPLATE ? owner->root : tree_get(owner->root, "spec"),
                    "template");
}

/* ---- one-shot buffers: kubernetes-sigs/karpenter#3257 ------------------------------------------------------------ */

static bool is_true(const tree *status, const char *type)
{
    return str_is(io_condition_status(tree_get(status, "conditions"), type), "True");
}

/* When it became ready for provisioning: fillDeadlineSeconds counts from then on. */
static int64_t ready_since(const karp_capacity_buffer *buffer)
{
    for (size_t i = 0; i < buffer->condition_count; i++) {
        const karp_condition *c = &buffer->conditions[i];
        if (str_is(c->type, "ReadyForProvisioning") && str_is(c->status, "True") && c->last_transition != KARP_NO_TIME)
            return c->last_transition;
    }
    return buffer->meta.creation;
}

static bool deadline_is_over(const karp_reader *reader, const tree *spec, const karp_capacity_buffer *buffer)
{
    int64_t seconds = 0, since = ready_since(buffer);
    if (!tree_integer(tree_get(spec, "fillDeadlineSeconds"), &seconds) || since == KARP_NO_TIME) return false;
    if (since == reader->asked.now - assumed_age) return false; /* nobody says since when */
    /* Times may be further apart than a number with a sign can say. */
    uint64_t passed = (uint64_t)reader->asked.now - (uint64_t)since;
    return reader->asked.now > since && (seconds < 0 || passed / UINT64_C(1000000000) >= (uint64_t)seconds);
}

/* A buffer that is not filled again has so many pods less as were consumed, and none once it has ended. */
static karp_status shrink(karp_reader *reader, const tree *root, karp_capacity_buffer *buffer)
{
    const tree *spec = tree_get(root, "spec"), *status = tree_get(root, "status");
    int64_t consumed = 0;
    if (!str_is(tree_get_text(spec, "refillStrategy"), "none")) return KARP_OK;
    if (!io_preview(reader->options.previews, "one-shot-buffers")) return KARP_OK;
    (void)tree_integer(tree_get(status, "consumedReplicas"), &consumed);
    if (consumed > 0) buffer->replicas = buffer->replicas > consumed ? buffer->replicas - consumed : 0;
    bool filled = is_true(status, "Fulfilled"), expired = is_true(status, "Expired");
    bool over = !filled && buffer->replicas > 0 && !expired && deadline_is_over(reader, spec, buffer);
    if (filled || expired || over) buffer->replicas = 0;
    if (!over) return KARP_OK;
    return io_warn(reader, "CapacityBuffer %.*s: its fill deadline is over, so that it has no pods any more",
                   str_shown(buffer->meta.name, 100), buffer->meta.name.ptr);
}

karp_status io_add_buffer(karp_reader *reader, io_decoder *d, const tree *root, karp_capacity_buffer *buffer)
{
    const io_deferred *owner = template_owner(reader, root);
    if (owner) {
        karp_pod *pod = io_make(d, 1, sizeof *pod);
        if (pod) io_decode_template(d, template_in(owner), pod);
        buffer->template_ = pod;
    }
    karp_status status = d->status;
    if (status == KARP_OK) status = shrink(reader, root, buffer);
    if (status == KARP_OK) status = io_unused_object(reader, KARP_GATE_CAPACITY_BUFFER, buffer->meta.name);
    if (status == KARP_OK) status = karp_builder_add_capacity_buffer(reader->builder, buffer, &reader->error);
    return status;
}

/* ---- replicas ---------------------------------------------------------------------------------------------------- */

/* Quantity.MilliValue(): rounded up, and 0 beyond 64 bits. A quantity has at most nine decimals. */
static double thousandths(karp_str quantity)
{
    double value = 0;
    if (karp_quantity_double(quantity, &value) != KARP_OK) return 0;
    value = ceil(value * 1000 - 5e-7);
    return value < 9223372036854775808.0 ? value : 0;
}

/* How many pods fit into spec.limits. false = they limit nothing that the pods request. */
static bool fit_in_limits(const tree *limits, const tree *pod_spec, double *most)
{
    bool limited = false;
    for (size_t i = 0; tree_is(limits, TREE_MAP) && i < tree_count(limits); i++) {
        const tree_member *limit = tree_member_at(limits, i);
        char request[KARP_VALUE_TEXT];
        int32_t order = 0;
        io_pod_amount(pod_spec, tree_member_name(limit), false, request);
        if (!request[0] || karp_quantity_compare(str(request), str("0"), &order) != KARP_OK || order == 0) continue;
        double own = thousandths(str(request));
        double fits = own > 0 ? floor(thousandths(tree_text_or_digits(limit->value)) / own) : 0;
        if (!limited || fits < *most) *most = fits;
        limited = true;
    }
    return limited;
}

/* The percentage of the workload's replicas, rounded up. false = none is stated, or the workload has no replicas. */
static bool share_of(const io_deferred *owner, const tree *spec, double *share)
{
    int64_t replicas = 1, percentage = 0;
    if (owner->info->kind == IO_KIND_POD_TEMPLATE || !tree_integer(tree_get(spec, "percentage"), &percentage))
        return false;
    (void)tree_integer(tree_get(tree_get(owner->root, "spec"), "replicas"), &replicas);
    *share = ceil((double)replicas * (double)percentage / 100);
    return replicas > 0;
}

static int64_t replicas_of(const io_deferred *owner, const tree *spec)
{
    int64_t stated = 0;
    double share = 0, most = 0;
    bool sized = tree_integer(tree_get(spec, "replicas"), &stated), shared = share_of(owner, spec, &share);
    double replicas = shared && (!sized || share > (double)stated) ? share : (double)stated;
    bool limited = fit_in_limits(tree_get(spec, "limits"), tree_get(template_in(owner), "spec"), &most);
    if (limited && ((!sized && !shared) || most < replicas)) replicas = most;
    return replicas < INT32_MAX ? (int64_t)replicas : INT32_MAX;
}

static karp_status note_no_template(karp_reader *reader, const tree *root)
{
    const tree *spec = tree_get(root, "spec"), *ref = tree_get(spec, "podTemplateRef");
    karp_str name = tree_get_text(tree_get(root, "metadata"), "name");
    if (!ref) ref = tree_get(spec, "scalableRef");
    karp_str kind = tree_get(spec, "podTemplateRef") ? str("PodTemplate") : tree_get_text(ref, "kind"),
             to = tree_get_text(ref, "name");
    if (!ref)
        return io_warn(reader, "CapacityBuffer %.*s has neither podTemplateRef nor scalableRef: it has no pods",
                       str_shown(name, 100), name.ptr);
    return io_warn(reader,
                   "CapacityBuffer %.*s: the input has no %.*s %.*s of a kind that Karpenter reads (PodTemplate, or "
                   "Deployment, StatefulSet, ReplicaSet of apps): the buffer has no pods",
                   str_shown(name, 100), name.ptr, str_shown(kind, 100), kind.ptr, str_shown(to, 100), to.ptr);
}

karp_status io_fill_buffer(karp_reader *reader, trees *t, tree *root)
{
    const io_deferred *owner = template_owner(reader, root);
    const tree *given = tree_get(root, "status");
    /* What a replay has counted is not what Karpenter's controller has decided. */
    bool counted = tree_count(given) == 1 && tree_get(given, "consumedReplicas");
    if (given && !counted) return KARP_OK;
    if (!owner) return note_no_template(reader, root);
    tree *status = tree_get_or_make(t, root, "status"), *conditions = tree_new(t, TREE_LIST);
    io_add_condition(t, conditions, "ReadyForProvisioning", "True", "", io_creation(root));
    tree_set(t, status, "replicas", tree_new_integer(t, replicas_of(owner, tree_get(root, "spec"))));
    tree_set(t, status, "conditions", conditions);
    return KARP_OK;
}
