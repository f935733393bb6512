/* SPDX-License-Identifier: Apache-2.0 */
/* VolumeRestrictions, NodeVolumeLimits, VolumeBinding and VolumeZone. Volumes that are yet to be provisioned are
 * nowhere until a controller provisions them. */
#include <kube/attempt.h>
#include <kube/objects.h>
#include <kube/pod_class.h>

#include <base/admit.h>

static const kube_refusal fits = { KUBE_PLUGINS, KUBE_FITS };

/* Of a claim that exists. */
static const kube_claim *claim_of(const kube_cluster *c, const kube_class *s, size_t i)
{
    return &c->objects.claim_list[s->claims[i]];
}

static const karp_storage_class *class_of(const kube_cluster *c, const kube_claim *claim)
{
    return kube_storage_class_find(c, claim->object.storage_class_name);
}

static bool waits(const kube_cluster *c, const kube_claim *claim)
{
    const karp_storage_class *class_ = class_of(c, claim);
    return class_ && class_->binding_mode == KARP_BINDING_WAIT_FOR_FIRST_CONSUMER;
}

kube_refusal kube_volumes_begin(const kube_attempt *a)
{
    const kube_cluster *c = a->cluster;
    const kube_class *s = &c->classes[a->class_];
    for (size_t i = 0; i < s->volume_count; i++) {
        if (s->claims[i] == KUBE_NONE) return (kube_refusal){ KUBE_VOLUME_RESTRICTIONS, KUBE_UNRESOLVABLE };
    }
    for (size_t i = 0; i < s->volume_count; i++) {
        const kube_claim *claim = claim_of(c, s, i);
        if (!claim->bound && !waits(c, claim)) return (kube_refusal){ KUBE_VOLUME_BINDING, KUBE_UNRESOLVABLE };
    }
    return fits;
}

/* ---- volumes that one pod alone may use -------------------------------------------------------------------------- */

bool kube_claims_in_use(const kube_cluster *c, const kube_class *s)
{
    for (size_t i = 0; i < s->volume_count; i++) {
        const kube_claim *claim = claim_of(c, s, i);
        if (!str_in(str("ReadWriteOncePod"), claim->modes, claim->mode_count)) continue;
        for (size_t k = 0; k < c->pod_count; k++) {
            const kube_class *other = &c->classes[c->pods[k].class_];
            if (c->pods[k].used && c->pods[k].node != KUBE_NONE &&
                str_in(s->volumes[i], other->volumes, other->volume_count) &&
                equal_str(other->pod.meta.namespace_, s->pod.meta.namespace_))
                return true;
        }
    }
    return false;
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

/* A volume as its driver counts it: "" = it does not count. */
typedef struct attached {
    karp_str driver, name, claim;
} attached;

static attached attached_volume(const kube_cluster *c, const kube_class *s, size_t i)
{
    if (s->claims[i] == KUBE_NONE) return (attached){ .driver = { "", 0 } };
    const kube_claim *claim = claim_of(c, s, i);
    if (claim->object.volume_name.len) {
        const kube_volume *v = kube_volume_find(c, claim->object.volume_name);
        if (v) return (attached){ v->object.csi_driver, v->object.meta.name, { "", 0 } };
    }
    const karp_storage_class *class_ = class_of(c, claim);
    return (attached){ class_ ? class_->provisioner : (karp_str){ "", 0 }, s->pod.meta.namespace_, s->volumes[i] };
}

static bool same(const attached *x, const attached *y)
{
    return equal_str(x->driver, y->driver) && equal_str(x->name, y->name) && equal_str(x->claim, y->claim);
}

static void add_volumes(const kube_cluster *c, const kube_class *s, karp_str driver, attached *list, size_t *count,
                        size_t most)
{
    for (size_t i = 0; i < s->volume_count; i++) {
        attached v = attached_volume(c, s, i);
        bool known = !equal_str(v.driver, driver);
        for (size_t k = 0; k < *count && !known; k++) known = same(&list[k], &v);
        if (!known && *count < most) list[(*count)++] = v;
    }
}

static bool too_many(kube_attempt *a, uint32_t node, const karp_csi_driver *driver)
{
    kube_cluster *c = a->cluster;
    const kube_class *s = &c->classes[a->class_];
    size_t before = 0, after, most = s->volume_count;
    for (uint32_t pod = c->nodes[node].first_pod; pod != KUBE_NONE; pod = c->pods[pod].next)
        most += c->classes[c->pods[pod].class_].volume_count;
    attached *list = mem_alloc(c->context, most * sizeof *list);
    if (!list) return kube_nomem(c);
    for (uint32_t pod = c->nodes[node].first_pod; pod != KUBE_NONE; pod = c->pods[pod].next)
        add_volumes(c, &c->classes[c->pods[pod].class_], driver->name, list, &before, most);
    after = before;
    add_volumes(c, s, driver->name, list, &after, most);
    mem_free(c->context, list, most * sizeof *list);
    return after > before && (int64_t)after > driver->count;
}

static bool limits_exceeded(kube_attempt *a, uint32_t node)
{
    const karp_csi_node *limits = kube_csi_node_find(a->cluster, a->cluster->nodes[node].spec.name);
    for (size_t i = 0; limits && i < limits->driver_count; i++) {
        if (limits->drivers[i].has_count == 1 && too_many(a, node, &limits->drivers[i])) return true;
    }
    return false;
}

/* ---- where volumes are ------------------------------------------------------------------------------------------- */

static bool any_matches(const karp_node_term *terms, size_t count, const kube_node_spec *node)
{
    static const kube_fields none = { NULL, 0 };
    for (size_t i = 0; i < count; i++) {
        if (kube_term_matches(&terms[i], &none, node)) return true;
    }
    return false;
}

static bool reaches(const kube_volume *v, const kube_node_spec *node)
{
    return v->object.node_terms == NULL || any_matches(v->object.node_terms, v->object.node_term_count, node);
}

static bool serves(const kube_volume *v, const kube_claim *claim)
{
    const karp_meta *meta = &claim->object.meta;
    bool own = equal_str(v->claim_namespace, meta->namespace_) && equal_str(v->claim_name, meta->name);
    if (v->claim_name.len ? !own : !v->available) return false;
    if (!equal_str(v->storage_class, claim->object.storage_class_name) || v->size < claim->size) return false;
    for (size_t i = 0; i < claim->mode_count; i++) {
        if (!str_in(claim->modes[i], v->modes, v->mode_count)) return false;
    }
    return true;
}

/* The smallest volume for the claim that this pod does not use yet. */
static const kube_volume *find_volume(const kube_cluster *c, const kube_claim *claim, const kube_node_spec *node,
                                      const kube_volume *const *used, size_t used_count)
{
    const kube_volume *best = NULL;
    for (size_t i = 0; i < c->objects.volume_count; i++) {
        const kube_volume *v = &c->objects.volume_list[i];
        bool free = serves(v, claim) && reaches(v, node);
        for (size_t k = 0; k < used_count && free; k++) free = used[k] != v;
        if (free && (!best || v->size < best->size)) best = v;
    }
    return best;
}

static bool allows(const karp_storage_class *class_, const kube_node_spec *node)
{
    return class_->allowed_topology_count == 0 ||
           any_matches(class_->allowed_topologies, class_->allowed_topology_count, node);
}

static bool provisions(const kube_cluster *c, const kube_claim *claim, const kube_node_spec *node)
{
    const karp_storage_class *class_ = class_of(c, claim);
    return class_ && class_->provisioner.len && !str_is(class_->provisioner, "kubernetes.io/no-provisioner") &&
           allows(class_, node);
}

static bool binds(kube_cluster *c, const kube_class *s, const kube_node_spec *node)
{
    const kube_volume **used = mem_alloc(c->context, s->volume_count * sizeof(kube_volume *));
    size_t count = 0;
    bool all = used != NULL;
    if (!used) kube_nomem(c);
    for (size_t i = 0; i < s->volume_count && all; i++) {
        const kube_claim *claim = claim_of(c, s, i);
        const kube_volume *v = claim->bound ? kube_volume_find(c, claim->object.volume_name)
                                            : find_volume(c, claim, node, used, count);
        if (claim->bound) all = v && reaches(v, node);
        else if (!v) all = provisions(c, claim, node);
        if (v) used[count++] = v;
    }
    mem_free(c->context, used, s->volume_count * sizeof(kube_volume *));
    return all;
}

/* ---- zones ------------------------------------------------------------------------------------------------------- */

static bool is_zone(karp_str key)
{
    static const char *const keys[] = { LABEL_ZONE, LABEL_REGION, "failure-domain.beta.kubernetes.io/zone",
                                        "failure-domain.beta.kubernetes.io/region" };
    return str_in_words(key, keys, sizeof keys / sizeof *keys);
}

/* A label of a volume may list several zones: "a__b". */
static bool listed(karp_str list, karp_str value)
{
    for (size_t from = 0; from <= list.len;) {
        size_t to = from;
        while (to < list.len && !(to + 1 < list.len && list.ptr[to] == '_' && list.ptr[to + 1] == '_')) to++;
        if (equal_str((karp_str){ list.ptr + from, to - from }, value)) return true;
        from = to + 2;
    }
    return false;
}

static bool zones_agree(const kube_volume *v, const kube_node_spec *node)
{
    bool has_zone = false;
    for (size_t i = 0; i < node->label_count; i++) has_zone = has_zone || is_zone(node->labels[i].key);
    for (size_t i = 0; i < v->object.meta.label_count && has_zone; i++) {
        const karp_label *l = &v->object.meta.labels[i];
        if (!is_zone(l->key)) continue;
        const karp_str *value = label_value(node->labels, node->label_count, l->key);
        if (!value || !listed(l->value, *value)) return false;
    }
    return true;
}

kube_refusal kube_volumes_filter(kube_attempt *a, uint32_t node)
{
    kube_cluster *c = a->cluster;
    const kube_class *s = &c->classes[a->class_];
    const kube_node_spec *spec = &c->nodes[node].spec;
    const bool *on = s->profile->filters;
    if (on[KUBE_VOLUME_RESTRICTIONS] && a->claims_in_use)
        return (kube_refusal){ KUBE_VOLUME_RESTRICTIONS, KUBE_UNSCHEDULABLE };
    if (on[KUBE_NODE_VOLUME_LIMITS] && limits_exceeded(a, node))
        return (kube_refusal){ KUBE_NODE_VOLUME_LIMITS, KUBE_UNSCHEDULABLE };
    if (on[KUBE_VOLUME_BINDING] && !binds(c, s, spec)) return (kube_refusal){ KUBE_VOLUME_BINDING, KUBE_UNRESOLVABLE };
    for (size_t i = 0; i < s->volume_count && on[KUBE_VOLUME_ZONE]; i++) {
        const kube_volume *v = kube_volume_find(c, claim_of(c, s, i)->object.volume_name);
        if (v && !zones_agree(v, spec)) return (kube_refusal){ KUBE_VOLUME_ZONE, KUBE_UNRESOLVABLE };
    }
    return fits;
}
