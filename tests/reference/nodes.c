/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that exist (scheduling.md 12.4, 16, 18). */
#include <string.h>

#include "memory.h"
#include "scheduler.h"

/* ------------------------------------------------------------------------------------------------ construction (16.4)
 */

/** What daemons are still going to take of the node (12.4). */
static struct resources daemon_reserve(const struct scheduler *s, const struct existing *n)
{
    const struct pod **due = ref_alloc((s->daemon_count + 1) * sizeof *due), **running;
    size_t due_count = 0, running_count = 0;
    struct requirements labels = ref_requirements_of_labels(n->state->labels);
    running = ref_alloc((n->state->bound_count + 1) * sizeof *running);
    for (size_t i = 0; i < s->daemon_count; i++) {
        const struct pod *d = &s->daemons[i];
        if (s->world->ignore_devices && d->wants_devices) {
            continue;
        }
        if (ref_tolerates(d->tolerations, n->taints) && ref_compatible(labels, ref_strict_requirements(d), false)) {
            due[due_count++] = d;
        }
    }
    for (size_t i = 0; i < n->state->bound_count; i++) {
        if (n->state->bound[i]->daemon_owned) {
            running[running_count++] = n->state->bound[i];
        }
    }
    struct resources out = ref_resources_subtract(ref_requests(due, due_count), ref_requests(running, running_count));
    for (size_t i = 0; i < out.count; i++) {
        out.items[i].value = out.items[i].value > 0 ? out.items[i].value : 0;
    }
    return out;
}

/** The pool of that name, if nodes may be made from it: of others the scheduler knows nothing. */
static const json_t *pool_of(const struct scheduler *s, const char *name)
{
    for (size_t i = 0; i < s->pool_count; i++) {
        if (strcmp(s->pools[i].name, name) == 0) {
            return s->pools[i].doc;
        }
    }
    return NULL;
}

static bool is_shielded(const struct scheduler *s, const struct state_node *state)
{
    const struct world *world = s->world;
    const json_t *pool = pool_of(s, state->pool), *status = ref_at(state->claim, "status");
    const char *text = ref_text(ref_at(ref_at(pool, "spec"), "disruption"), "consolidateAfter");
    int64_t after, since = ref_instant_at(status, "lastPodEventTime");
    if (!world->consolidation || pool == NULL || state->claim == NULL || !ref_duration(text, &after) || after == 0 ||
        strcmp(ref_condition(state->claim, "Initialized"), "True") != 0) {
        return false;
    }
    for (size_t i = 0; since == 0 && i < ref_length(status, "conditions"); i++) {
        const json_t *c = ref_item(status, "conditions", i);
        if (strcmp(ref_text(c, "type"), "Initialized") == 0) {
            since = ref_instant_at(c, "lastTransitionTime");
        }
    }
    return world->now - since < after;
}

static void attach(struct existing *n, struct attachments more)
{
    for (size_t i = 0; i < more.count; i++) {
        n->attached.items = ref_push(n->attached.items, n->attached.count, sizeof n->attached.items[0]);
        n->attached.items[n->attached.count++] = more.items[i];
    }
}

void ref_nodes_make(struct scheduler *s, const struct state_node *const *states, size_t count)
{
    s->nodes = ref_alloc((count + 1) * sizeof s->nodes[0]);
    for (size_t i = 0; i < count; i++) {
        const struct state_node *state = states[i];
        struct existing *n = &s->nodes[s->node_count++];
        *n = (struct existing){ .state = state, .taints = ref_state_taints(state) };
        struct resources free = ref_resources_subtract(ref_state_resources(state, "allocatable"),
                                                       ref_requests(state->bound, state->bound_count));
        n->remaining = ref_resources_subtract(free, daemon_reserve(s, n));
        n->requirements = ref_union(ref_requirements_of_labels(state->labels),
                                    ref_requirements_of_labels(ref_labels_one(HOSTNAME, state->hostname)));
        n->csi = state->node != NULL ? ref_named(s->world, "CSINode", state->node->name, NULL) : NULL;
        n->shielded = is_shielded(s, state);
        for (size_t j = 0; j < state->bound_count; j++) {
            struct attachments volumes;
            ref_usages_add(&n->ports, state->bound[j]);
            if (ref_attachments(s->world, state->bound[j], &volumes)) {
                attach(n, volumes);
            }
        }
        ref_topology_register(s->topology, state->hostname);
    }
}

/* ------------------------------------------------------------------------------------------------ the attempt (18) */

static bool among(struct attachments list, size_t count, const struct attachment *a)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list.items[i].driver, a->driver) == 0 && strcmp(list.items[i].claim, a->claim) == 0) {
            return true;
        }
    }
    return false;
}

/** Distinct claims of one driver on the node and of the pod. */
static int64_t attached_to(const struct existing *n, struct attachments more, const char *driver)
{
    int64_t count = 0;
    for (size_t i = 0; i < n->attached.count; i++) {
        const struct attachment *a = &n->attached.items[i];
        count += strcmp(a->driver, driver) == 0 && !among(n->attached, i, a);
    }
    for (size_t i = 0; i < more.count; i++) {
        const struct attachment *a = &more.items[i];
        count += strcmp(a->driver, driver) == 0 && !among(more, i, a) && !among(n->attached, n->attached.count, a);
    }
    return count;
}

/**
 * What the node's instance type says of volumes, for drivers that the node does not list (K15-2); NULL for nothing.
 * Only the types of pools that pods can use are known (S-Q40).
 */
static const json_t *limits_of_type(const struct scheduler *s, const struct existing *n)
{
    const char *name = ref_label(n->state->labels, "node.kubernetes.io/instance-type");
    for (size_t p = 0; ref_since(1015) && name != NULL && p < s->pool_count; p++) {
        const struct pool *pool = &s->pools[p];
        for (size_t i = 0; strcmp(pool->name, n->state->pool) == 0 && i < pool->types.count; i++) {
            if (strcmp(pool->types.items[i]->name, name) == 0) {
                return pool->types.items[i]->volume_limits;
            }
        }
    }
    return NULL;
}

static bool lists_driver(const json_t *spec, const char *driver)
{
    for (size_t i = 0; i < ref_length(spec, "drivers"); i++) {
        if (strcmp(ref_text(ref_item(spec, "drivers", i), "name"), driver) == 0) {
            return true;
        }
    }
    return false;
}

/** Every limited driver of the node counts, also those the pod does not use. */
static bool exceeds_limits(const struct scheduler *s, const struct existing *n, struct attachments more)
{
    const json_t *spec = ref_at(n->csi, "spec");
    for (size_t i = 0; i < ref_length(spec, "drivers"); i++) {
        const json_t *driver = ref_item(spec, "drivers", i), *allocatable = ref_at(driver, "allocatable");
        bool limited = ref_at(allocatable, "count") != NULL || (allocatable != NULL && !ref_since(1015));
        if (limited && attached_to(n, more, ref_text(driver, "name")) > ref_int(allocatable, "count", 0)) {
            return true;
        }
    }
    const json_t *limits = limits_of_type(s, n);
    for (size_t i = 0; limits != NULL && i < n->attached.count + more.count; i++) {
        const char *driver = i < n->attached.count ? n->attached.items[i].driver
                                                   : more.items[i - n->attached.count].driver;
        if (!lists_driver(spec, driver) && attached_to(n, more, driver) > ref_int(limits, driver, INT64_MAX)) {
            return true;
        }
    }
    return false;
}

refusal ref_narrow(const struct scheduler *s, struct requirements base, struct requirements volumes,
                   const struct pod *pod, bool undefined_ok, struct requirements *out)
{
    struct requirements narrowed;
    if (!ref_compatible(base, volumes, undefined_ok)) {
        return "VOLUME";
    }
    *out = ref_union(base, volumes);
    if (!ref_topology_narrow(s->topology, pod, s->data[pod->index].strict, *out, &narrowed)) {
        return "TOPOLOGY";
    }
    if (!ref_compatible(*out, narrowed, undefined_ok)) {
        return "TOPOLOGY_REQUIREMENTS";
    }
    *out = ref_union(*out, narrowed);
    return NULL;
}

static bool accepts(const struct scheduler *s, const struct existing *n, const struct pod *pod,
                    struct attachments volumes, struct requirements *out, const struct allocation **devices)
{
    const struct pod_data *data = &s->data[pod->index];
    if (!ref_tolerates(pod->tolerations, n->taints) || exceeds_limits(s, n, volumes) ||
        ref_usages_clash(n->ports, pod) || !ref_resources_fit(data->requests, n->remaining) ||
        !ref_compatible(n->requirements, data->requirements, false)) {
        return false;
    }
    struct requirements base = ref_union(n->requirements, data->requirements);
    for (size_t i = 0; i < data->volumes.count; i++) {
        *devices = NULL;
        if (ref_narrow(s, base, data->volumes.items[i], pod, false, out) == NULL &&
            (!pod->wants_devices || ref_devices_for_node(s, n, pod, devices) == NULL)) {
            return true;
        }
    }
    return false;
}

bool ref_place_on_node(struct scheduler *s, const struct pod *pod)
{
    bool exempt = strcmp(pod->phase, "Pending") == 0 || ref_on_marked_node(s->world, pod);
    struct attachments volumes;
    if (!ref_attachments(s->world, pod, &volumes)) {
        return false;
    }
    for (size_t i = 0; i < s->node_count; i++) {
        struct existing *n = &s->nodes[i];
        struct requirements narrowed;
        const struct allocation *devices;
        struct ref_mark mark = ref_mark();
        if ((n->shielded && !exempt) || !accepts(s, n, pod, volumes, &narrowed, &devices)) {
            ref_release(mark);
            continue;
        }
        n->pods = ref_push(n->pods, n->pod_count, sizeof n->pods[0]);
        n->pods[n->pod_count++] = pod;
        n->remaining = ref_resources_take(n->remaining, s->data[pod->index].requests);
        n->requirements = narrowed;
        ref_topology_record(s->topology, pod, n->taints, narrowed);
        ref_usages_add(&n->ports, pod);
        attach(n, volumes);
        ref_devices_commit(s, devices);
        return true;
    }
    return false;
}
