/* SPDX-License-Identifier: Apache-2.0 */
/* Pods on existing nodes: free capacity. And limits on volumes, which launches have, too. */
#include <verify/verify.h>

#include <string.h>

/* ---- free capacity ----------------------------------------------------------------------------------------------- */

/* Whether the daemon will run on the node. With Karpenter's quirks, this is not known for daemons with several terms
 * or PreferNoSchedule taints, because it depends on earlier calculations. Such daemons are then not expected. */
static bool daemon_expected(verifier *v, uint32_t daemon, const target *t)
{
    const struct daemon *d = &v->snapshot->daemons[daemon];
    wishes *w = &v->daemon_wishes[daemon];
    if (!daemon_runs(v, d->shape)) return false;
    if (!w->ready) fill_wishes(v, w, d->shape->node_selector, d->required);
    if ((w->count > 1 && v->quirks) || untolerated(v, d->shape->tolerations, t->taints, v->quirks) != NULL)
        return false;
    target bare = *t; /* daemons are checked without the new pods */
    bare.pod_count = 0;
    uint32_t host = label_get(v->snapshot->nodes[t->node].labels, v->snapshot->known.hostname);
    for (uint32_t i = 0; i < w->count; i++) {
        if (labels_satisfy(v, &bare, &w->terms[i], host)) return true;
    }
    return false;
}

/* The capacity reserved for daemons: those that are expected minus those that already run. */
static void reserve_for_daemons(verifier *v, const target *t, int64_t *reserve)
{
    const karp_snapshot *s = v->snapshot;
    const state_node *n = &s->nodes[t->node];
    for (uint32_t i = 0; i < s->daemon_count; i++) {
        if (!daemon_expected(v, i, t)) continue;
        for (uint32_t r = 0; r < s->dims; r++)
            reserve[r] = add_clamped(reserve[r], v->daemon_requests[(size_t)i * s->dims + r]);
    }
    for (uint32_t i = 0; i < n->pod_count; i++) {
        if ((pod_at(&s->raw, n->pods[i])->flags & POD_OF_DAEMON_SET) == 0) continue;
        for (uint32_t r = 0; r < s->dims; r++) reserve[r] = add_clamped(reserve[r], -bound_vector(v, n->pods[i])[r]);
    }
    for (uint32_t r = 0; r < s->dims; r++) reserve[r] = reserve[r] > 0 ? reserve[r] : 0;
}

/* The first resource of the column that the target's new pods request. */
static uint32_t requested_resource(const verifier *v, const target *t, uint32_t column)
{
    for (uint32_t i = 0; i < t->pod_count; i++) {
        resource_list list = pod_shape(v, t->pods[i])->requests;
        for (uint32_t k = 0; k < list.count; k++) {
            if (v->snapshot->column_of[list.items[k].resource] == column && amount_sign(list.items[k].value) > 0)
                return list.items[k].resource;
        }
    }
    return v->snapshot->resource_of[column];
}

static void check_space(verifier *v, const target *t)
{
    const karp_snapshot *s = v->snapshot;
    const state_node *n = &s->nodes[t->node];
    int64_t *wanted = mem_zalloc(v->context, (size_t)s->dims * 2 * sizeof *wanted);
    if (wanted == NULL) {
        v->failed = true;
        return;
    }
    int64_t *reserve = wanted + s->dims;
    for (uint32_t i = 0; i < t->pod_count; i++) {
        for (uint32_t r = 0; r < s->dims; r++) wanted[r] = add_clamped(wanted[r], pod_vector(v, t->pods[i])[r]);
    }
    reserve_for_daemons(v, t, reserve);
    for (uint32_t r = 0; r < s->dims; r++) {
        bool named = resource_list_find(n->allocatable, s->resource_of[r]) != NULL;
        int64_t free_ = named ? add_clamped(n->available[r], -reserve[r]) : 0;
        if (wanted[r] <= 0 || wanted[r] <= free_ ||
            (served_by_devices(v, r) && amount_sign(resource_list_get(n->allocatable, s->resource_of[r])) <= 0))
            continue;
        note(v, KARP_FINDING_RESOURCES, t->name,
             "its %u new pods ask for more %.*s than is free beside its pods and daemons", (unsigned)t->pod_count,
             SHOW(strings_get(&s->raw.resources, requested_resource(v, t, r))));
    }
    mem_free(v->context, wanted, (size_t)s->dims * 2 * sizeof *wanted);
}

/* ---- volumes ----------------------------------------------------------------------------------------------------- */

/* The claim's driver; NO_TEXT = it counts against none. *found becomes false when the volume of a bound claim is
 * missing. */
static uint32_t driver_of(const store *raw, uint32_t name_space, uint32_t claim_name, bool *found)
{
    uint32_t c = store_find(raw, KIND_VOLUME_CLAIM, name_space, claim_name);
    if (c == NO_ID) return NO_TEXT;
    const volume_claim *claim = &raw->volume_claims.items[c];
    if (claim->volume != 0) {
        uint32_t bound = store_find(raw, KIND_VOLUME, NO_TEXT, claim->volume);
        *found = *found && bound != NO_ID;
        return bound == NO_ID ? NO_TEXT : raw->volumes_bound.items[bound].driver;
    }
    uint32_t class_ = claim->storage_class == 0 ? NO_ID
                                                : store_find(raw, KIND_STORAGE_CLASS, NO_TEXT, claim->storage_class);
    return class_ == NO_ID ? NO_TEXT : raw->storage_classes.items[class_].driver;
}

/* The number of the pod's claims with this driver that are not in `held` yet; adds them. */
static uint32_t hold_claims(verifier *v, map64 *held, uint32_t pod_number, uint32_t driver)
{
    const store *raw = &v->snapshot->raw;
    const struct pod *p = pod_at(raw, pod_number);
    const struct words_entry *claims = &raw->volumes.entries[p->volumes];
    uint32_t fresh = 0;
    bool found = true;
    if (!verifier_worked(v, (claims->count + (size_t)1) * 16)) return 0;
    for (uint32_t i = 0; i < claims->count; i++) (void)driver_of(raw, p->name_space, claims->ptr[i], &found);
    for (uint32_t i = 0; i < claims->count && found; i++) {
        uint64_t key = pair_key(p->name_space, claims->ptr[i]);
        if (driver_of(raw, p->name_space, claims->ptr[i], &found) != driver || map64_get(held, key) != NO_ID) continue;
        if (!map64_put(held, key, 1)) v->failed = true;
        fresh++;
    }
    return fresh;
}

static void check_driver(verifier *v, const target *t, uint32_t driver, int64_t most)
{
    const state_node *n = &v->snapshot->nodes[t->node];
    uint32_t total = 0, fresh = 0;
    map64 held;
    map64_init(&held, v->context);
    for (uint32_t i = 0; i < n->pod_count; i++) total += hold_claims(v, &held, n->pods[i], driver);
    for (uint32_t i = 0; i < t->pod_count; i++) fresh += hold_claims(v, &held, t->pods[i], driver);
    map64_free(&held);
    if (fresh == 0 || (int64_t)total + fresh <= most) return;
    note(v, KARP_FINDING_VOLUME_LIMIT, t->name, "%u volumes of %.*s, and it can attach %lld", (unsigned)(total + fresh),
         SHOW(text_of(v->snapshot, driver)), (long long)most);
}

static bool published(const csi_node *c, uint32_t driver)
{
    for (uint32_t i = 0; c != NULL && i < c->limit_count; i++) {
        if (c->limits[i].driver == driver) return true;
    }
    return false;
}

/* The type whose limits apply for drivers that the node does not publish; NULL = none (K15-2). Karpenter has only the
 * types of NodePools to which it can schedule pods (S-Q40). */
static const instance_type *type_behind(const verifier *v, const state_node *n)
{
    if (!rule_of(v->rules, RULE_TYPE_VOLUME_LIMITS)) return NULL;
    const instance_type *found = type_of_node(v->snapshot, n, v->quirks);
    return found != NULL && found->overlaid && !rule_of(v->rules, RULE_OVERLAYS_KEEP) ? NULL : found;
}

static void check_node_volumes(verifier *v, const target *t)
{
    const karp_snapshot *s = v->snapshot;
    const state_node *n = &s->nodes[t->node];
    uint32_t found = n->node == NO_ID
                         ? NO_ID
                         : store_find(&s->raw, KIND_CSI_NODE, NO_TEXT, s->raw.nodes.items[n->node].meta.name);
    const csi_node *c = found == NO_ID ? NULL : &s->raw.csi_nodes.items[found];
    const instance_type *type = type_behind(v, n);
    for (uint32_t l = 0; c != NULL && l < c->limit_count && !v->failed; l++) {
        if (c->limits[l].has_count == 1) check_driver(v, t, c->limits[l].driver, c->limits[l].count);
        else if (c->limits[l].has_count == 2 && !rule_of(v->rules, RULE_TYPE_VOLUME_LIMITS))
            check_driver(v, t, c->limits[l].driver, 0);
    }
    for (uint32_t l = 0; type != NULL && l < type->volume_limit_count && !v->failed; l++) {
        const volume_limit *own = &type->volume_limits[l];
        if (!published(c, own->driver)) check_driver(v, t, own->driver, own->count);
    }
}

static void check_type_volumes(verifier *v, const target *t, const instance_type *type)
{
    if (type->overlaid && !rule_of(v->rules, RULE_OVERLAYS_KEEP)) return;
    for (uint32_t l = 0; l < type->volume_limit_count && !v->failed; l++) {
        const volume_limit *limit = &type->volume_limits[l];
        uint32_t count = 0;
        map64 held;
        map64_init(&held, v->context);
        for (uint32_t i = 0; i < t->pod_count; i++) count += hold_claims(v, &held, t->pods[i], limit->driver);
        map64_free(&held);
        if (count == 0 || count <= limit->count) continue;
        note(v, KARP_FINDING_VOLUME_LIMIT, t->name, "%u volumes of %.*s, and instance type %.*s can attach %lld",
             (unsigned)count, SHOW(text_of(v->snapshot, limit->driver)), SHOW(text_of(v->snapshot, type->name)),
             (long long)limit->count);
    }
}

void check_launch_volumes(verifier *v, const target *t)
{
    const type_table *table = v->pools[t->pool].table;
    if (!table->limits_volumes || !rule_of(v->rules, RULE_LAUNCH_VOLUMES)) return;
    for (uint32_t i = 0; i < t->type_count && !v->failed; i++) check_type_volumes(v, t, &table->types[t->types[i]]);
}

void check_node(verifier *v, const target *t)
{
    check_pods_at(v, t);
    check_space(v, t);
    check_node_volumes(v, t);
}
