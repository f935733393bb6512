/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes to be started (scheduling.md 20, 21, 31.1). */
#include <string.h>

#include "memory.h"
#include "scheduler.h"

struct claim *ref_claim_new(struct scheduler *s, const struct template *template, struct types types)
{
    struct claim *c = ref_alloc(sizeof *c);
    c->template = template;
    c->types = types;
    c->hostname = ref_format("hostname-placeholder-%04d", ++s->hosts);
    c->requirements = ref_union(template->requirements,
                                ref_requirements_of_labels(ref_labels_one(HOSTNAME, c->hostname)));
    return c;
}

/** Lowers minValues to what the types have (20). */
static struct requirements lowered(struct requirements r, struct types types)
{
    for (size_t i = 0; i < r.count; i++) {
        int64_t there = ref_too_few_values(types, &r.items[i]);
        if (there >= 0) {
            struct requirement lower = r.items[i];
            lower.min = there;
            r = ref_replace(r, lower);
        }
    }
    return r;
}

static bool among(struct attachments list, size_t count, const struct attachment *one)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list.items[i].claim, one->claim) == 0) {
            return true;
        }
    }
    return false;
}

/** The claim's volumes and the pod's, each once. */
static struct attachments all_volumes(const struct scheduler *s, const struct claim *c, const struct pod *pod)
{
    struct attachments own, all = { NULL, 0 };
    (void)ref_attachments(s->world, pod, &own);
    for (size_t i = 0; i < c->volumes.count + own.count; i++) {
        const struct attachment *one = i < c->volumes.count ? &c->volumes.items[i] : &own.items[i - c->volumes.count];
        if (!among(all, all.count, one)) {
            all.items = ref_push(all.items, all.count, sizeof all.items[0]);
            all.items[all.count++] = *one;
        }
    }
    return all;
}

static bool takes_volumes(const struct instance_type *type, struct attachments all)
{
    for (size_t i = 0; i < all.count; i++) {
        int64_t most = ref_int(type->volume_limits, all.items[i].driver, INT64_MAX), count = 0;
        for (size_t j = 0; j < all.count; j++) {
            count += strcmp(all.items[j].driver, all.items[i].driver) == 0;
        }
        if (count > most) {
            return false;
        }
    }
    return true;
}

/** The claim's types that take the pod's volumes as well (K15-1). */
static struct types with_volumes(const struct scheduler *s, const struct claim *c, const struct pod *pod)
{
    struct attachments own;
    struct types out = { ref_alloc((c->types.count + 1) * sizeof(void *)), 0 };
    if (!ref_since(1015) || !ref_attachments(s->world, pod, &own) || own.count == 0) {
        return c->types;
    }
    struct attachments all = all_volumes(s, c, pod);
    for (size_t i = 0; i < c->types.count; i++) {
        if (takes_volumes(c->types.items[i], all)) {
            out.items[out.count++] = c->types.items[i];
        }
    }
    return out;
}

/** The requirements with a volume alternative and what the pod's devices ask of the node (21). */
static refusal with_devices(const struct scheduler *s, const struct claim *c, const struct pod *pod,
                            struct requirements base, struct requirements volumes, struct requirements *out,
                            const struct allocation **devices)
{
    *devices = NULL;
    if (!ref_compatible(base, volumes, true)) {
        return "VOLUME";
    }
    *out = ref_union(base, volumes);
    if (!pod->wants_devices) {
        return NULL;
    }
    refusal why = ref_devices_for_claim(s, c, pod, devices);
    if (why == NULL) {
        struct requirements asked = ref_allocation_requirements(*devices);
        why = ref_compatible(*out, asked, true) ? NULL : "DEVICES";
        *out = ref_union(*out, asked);
    }
    return why;
}

refusal ref_claim_try(const struct scheduler *s, const struct claim *c, const struct pod *pod, bool relax,
                      struct answer *answer)
{
    const struct pod_data *data = &s->data[pod->index];
    refusal why = NULL;
    if (!ref_tolerates(pod->tolerations, c->template->pool->taints)) {
        return "TAINTS";
    }
    struct types present = with_volumes(s, c, pod);
    if (present.count == 0) {
        return "VOLUME_LIMIT";
    }
    if (!ref_compatible(c->requirements, data->requirements, true)) {
        return "CLAIM_REQUIREMENTS";
    }
    struct requirements base = ref_union(c->requirements, data->requirements);
    struct resources total = ref_resources_sum(c->requests, data->requests);
    for (size_t i = 0; i < data->volumes.count; i++) {
        struct requirements r;
        why = with_devices(s, c, pod, base, data->volumes.items[i], &r, &answer->devices);
        if (why == NULL) {
            why = ref_narrow(s, r, (struct requirements){ NULL, 0 }, pod, true, &r);
        }
        if (why == NULL) {
            why = ref_filter_types(s, present, r, pod, total, c->template, c->ports, relax, &answer->types);
        }
        if (why == NULL) {
            answer->requirements = lowered(r, answer->types);
        }
        if (why == NULL && answer->devices != NULL) {
            answer->types = ref_allocation_types(answer->devices, answer->types);
            why = answer->types.count > 0 ? NULL : "DEVICES";
        }
        if (why == NULL) {
            why = ref_reserve(s, c, answer->types, answer->requirements, &answer->reservations);
        }
        if (why == NULL) {
            return NULL;
        }
    }
    return why; /* that of the last alternative */
}

void ref_claim_add(struct scheduler *s, struct claim *c, const struct pod *pod, const struct answer *answer)
{
    c->pods = ref_push(c->pods, c->pod_count, sizeof c->pods[0]);
    c->pods[c->pod_count++] = pod;
    c->types = answer->types;
    c->volumes = all_volumes(s, c, pod);
    c->requirements = answer->requirements;
    c->requests = ref_resources_sum(c->requests, s->data[pod->index].requests);
    ref_topology_register(s->topology, c->hostname);
    ref_topology_record(s->topology, pod, c->template->pool->taints, c->requirements);
    ref_usages_add(&c->ports, pod);
    ref_hold(s, c, answer->reservations);
    ref_devices_commit(s, answer->devices);
    ref_devices_release(s, answer->devices, answer->types);
}

static bool has_type_of(const struct claim *c, const struct daemon_group *group)
{
    for (size_t i = 0; i < c->types.count; i++) {
        for (size_t j = 0; j < group->types.count; j++) {
            if (c->types.items[i] == group->types.items[j]) {
                return true;
            }
        }
    }
    return false;
}

void ref_claim_finish(struct claim *c)
{
    struct resources daemons = { NULL, 0 };
    c->requirements = ref_without(c->requirements, HOSTNAME);
    if (c->held.count > 0) {
        struct requirement reserved = ref_requirement_in(CAPACITY_TYPE, ref_names_one("reserved"));
        struct requirement ids = ref_requirement_in(ref_reservation_label(), c->held);
        c->requirements = ref_union(ref_replace(c->requirements, reserved), ref_requirements_one(ids));
    }
    for (size_t g = 0; g < c->template->group_count; g++) {
        const struct daemon_group *group = &c->template->groups[g];
        if (has_type_of(c, group)) { /* ND-8: an empty sum is replaced, not kept */
            daemons = daemons.count > 0 ? ref_resources_min(daemons, group->overhead) : group->overhead;
        }
    }
    c->requests = ref_resources_sum(c->requests, daemons);
}
