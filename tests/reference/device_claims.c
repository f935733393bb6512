/* SPDX-License-Identifier: Apache-2.0 */
/* Claims of a pod: which they are, which have devices, and what becomes of those found (dra.md D5, D9). */
#include <string.h>

#include "devices.h"
#include "memory.h"

/* ------------------------------------------------------------------------------------------------ of a pod */

/** The name of the object behind an entry of spec.resourceClaims; NULL if there is nothing to allocate. */
static const char *claim_name(const struct pod *pod, const json_t *entry)
{
    const json_t *status = ref_at(pod->doc, "status");
    if (ref_at(entry, "resourceClaimName") != NULL) {
        return ref_text(entry, "resourceClaimName");
    }
    for (size_t i = 0; i < ref_length(status, "resourceClaimStatuses"); i++) {
        const json_t *s = ref_item(status, "resourceClaimStatuses", i);
        if (strcmp(ref_text(s, "name"), ref_text(entry, "name")) == 0) {
            return ref_at(s, "resourceClaimName") != NULL ? ref_text(s, "resourceClaimName") : NULL;
        }
    }
    return NULL;
}

/** Claims of a pod, in order. */
struct claims {
    const json_t **items;
    size_t count;
};

static bool resolve(const struct world *world, const struct pod *pod, struct claims *out)
{
    const json_t *spec = ref_at(pod->doc, "spec");
    *out = (struct claims){ ref_alloc((ref_length(spec, "resourceClaims") + 1) * sizeof out->items[0]), 0 };
    for (size_t i = 0; i < ref_length(spec, "resourceClaims"); i++) {
        const char *name = claim_name(pod, ref_item(spec, "resourceClaims", i));
        const json_t *claim = name != NULL ? ref_named(world, "ResourceClaim", name, pod->namespace) : NULL;
        if (name != NULL && claim == NULL) {
            return false;
        }
        if (claim != NULL) {
            out->items[out->count++] = claim;
        }
    }
    return true;
}

bool ref_claims_exist(const struct world *world, const struct pod *pod)
{
    struct claims claims;
    return resolve(world, pod, &claims);
}

/* ------------------------------------------------------------------------------------------------ with devices (D5)
 */

static const struct held_claim *allocated(const struct devices *d, const json_t *claim)
{
    for (size_t i = 0; i < d->claim_count; i++) {
        if (d->claims[i].doc == claim) {
            return &d->claims[i];
        }
    }
    return NULL;
}

static refusal agree(struct requirements *with, struct requirements more)
{
    if (!ref_compatible(*with, more, true)) {
        return "DEVICES";
    }
    *with = ref_union(*with, more);
    return NULL;
}

/** Sorts out what has devices; what they ask is added to @p requirements. */
static refusal classify(const struct scheduler *s, const struct candidate *candidate, struct claims claims,
                        struct claims *open, struct requirements *requirements)
{
    *open = (struct claims){ ref_alloc((claims.count + 1) * sizeof open->items[0]), 0 };
    for (size_t i = 0; i < claims.count; i++) {
        const json_t *claim = claims.items[i], *allocation = ref_at(ref_at(claim, "status"), "allocation");
        const struct held_claim *held = allocated(s->devices, claim);
        refusal why = NULL;
        if (allocation != NULL && !ref_claim_is_moving(s->world, claim)) {
            why = agree(requirements, ref_all_terms(ref_at(allocation, "nodeSelector")));
        } else if (allocation == NULL && held != NULL && !held->template) {
            why = agree(requirements, held->total);
        } else if (allocation == NULL && held != NULL) {
            why = strcmp(held->candidate, candidate->id) == 0 ? NULL : "DEVICES";
        } else {
            open->items[open->count++] = claim;
        }
        if (why != NULL) {
            return why;
        }
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------------------ to allocate */

static struct device_pools pools_for(const struct devices *d, const struct candidate *candidate,
                                     struct requirements requirements)
{
    for (size_t i = 0; i < d->pool_count; i++) {
        if (strcmp(d->pools[i].candidate, candidate->id) == 0) {
            return ref_device_pools_narrow(d->pools[i].pools, requirements, candidate->node_name);
        }
    }
    return ref_device_pools(d->slices, requirements, candidate->node_name);
}

static refusal allocate(const struct scheduler *s, const struct candidate *candidate, const struct pod *pod,
                        struct allocation *out)
{
    struct claims all, open;
    struct requirements requirements = candidate->requirements;
    *out = (struct allocation){ .candidate = candidate->id, .type_count = candidate->type_count };
    out->types = ref_alloc((candidate->type_count + 1) * sizeof out->types[0]);
    for (size_t i = 0; i < candidate->type_count; i++) {
        out->types[i] = candidate->types[i].name;
    }
    if (!resolve(s->world, pod, &all) || all.count == 0) {
        return NULL;
    }
    refusal why = classify(s, candidate, all, &open, &requirements);
    out->requirements = requirements;
    if (why != NULL || open.count == 0) {
        return why;
    }
    struct device_pools pools = pools_for(s->devices, candidate, requirements);
    struct wanted_claim *wanted = ref_alloc((open.count + 1) * sizeof *wanted);
    for (size_t i = 0; i < open.count && why == NULL; i++) {
        why = ref_want(s, candidate, pools, open.items[i], &wanted[i]);
    }
    if (why == NULL && !ref_device_search(s, candidate, pools, wanted, open.count, requirements, out)) {
        why = "DEVICES";
    }
    return why;
}

/* ------------------------------------------------------------------------------------------------ candidates (D3) */

refusal ref_devices_for_claim(const struct scheduler *s, const struct claim *c, const struct pod *pod,
                              const struct allocation **out)
{
    struct candidate candidate = { c->hostname, "", c->template->pool->name, c->requirements, NULL, c->types.count };
    struct allocation *a = ref_alloc(sizeof *a);
    candidate.types = ref_alloc((c->types.count + 1) * sizeof candidate.types[0]);
    for (size_t i = 0; i < c->types.count; i++) {
        const struct instance_type *type = c->types.items[i];
        candidate.types[i] = (struct candidate_type){ type->name, type, type->devices->devices };
    }
    *out = a;
    return allocate(s, &candidate, pod, a);
}

static const struct instance_type *type_of_node(const struct scheduler *s, const struct state_node *node,
                                                const char *name)
{
    for (size_t p = 0; p < s->pool_count && *name != '\0'; p++) {
        for (size_t i = 0; strcmp(s->pools[p].name, node->pool) == 0 && i < s->pools[p].types.count; i++) {
            if (strcmp(s->pools[p].types.items[i]->name, name) == 0) {
                return s->pools[p].types.items[i];
            }
        }
    }
    return NULL;
}

/** Under what a node is known to the allocator: its provider id, or the name of a Node that has none. */
static const char *node_id(const struct state_node *node)
{
    const char *id = ref_text(ref_at(node->claim, "status"), "providerID");
    if (*id == '\0' && node->node != NULL) {
        id = *node->node->provider_id != '\0' ? node->node->provider_id : node->node->name;
    }
    return id;
}

refusal ref_devices_for_node(const struct scheduler *s, const struct existing *n, const struct pod *pod,
                             const struct allocation **out)
{
    const struct state_node *node = n->state;
    const char *name = ref_label(node->labels, INSTANCE_TYPE);
    struct candidate_type type = { .name = name != NULL ? name : "" };
    struct candidate candidate = { node_id(node), node->node != NULL ? node->node->name : "",
                                   node->pool,    n->requirements,
                                   &type,         1 };
    struct allocation *a = ref_alloc(sizeof *a);
    type.known = type_of_node(s, node, type.name);
    if (!node->initialized && type.known != NULL) {
        type.brings = type.known->devices->devices; /* nothing of it counts as published yet */
    }
    *out = a;
    return allocate(s, &candidate, pod, a);
}

/* ------------------------------------------------------------------------------------------------ commitment */

struct types ref_allocation_types(const struct allocation *a, struct types list)
{
    struct types out = { ref_alloc((list.count + 1) * sizeof(void *)), 0 };
    for (size_t i = 0; i < list.count; i++) {
        bool has = false;
        for (size_t j = 0; j < a->type_count && !has; j++) {
            has = strcmp(a->types[j], list.items[i]->name) == 0;
        }
        if (has) {
            out.items[out.count++] = list.items[i];
        }
    }
    return out;
}

struct requirements ref_allocation_requirements(const struct allocation *a) { return a->requirements; }

void ref_devices_commit(const struct scheduler *s, const struct allocation *a)
{
    struct devices *d = s->devices;
    if (a == NULL || !a->commits) {
        return;
    }
    for (size_t i = 0; i < a->type_count; i++) {
        d->shares.items = ref_push(d->shares.items, d->shares.count, sizeof d->shares.items[0]);
        d->shares.items[d->shares.count++] = a->shares[i];
    }
    for (size_t i = 0; i < a->claim_count; i++) {
        d->claims = ref_push(d->claims, d->claim_count, sizeof d->claims[0]);
        d->claims[d->claim_count++] = a->claims[i];
    }
    size_t at = 0;
    while (at < d->pool_count && strcmp(d->pools[at].candidate, a->candidate) != 0) {
        at++;
    }
    if (at == d->pool_count) {
        d->pools = ref_push(d->pools, d->pool_count++, sizeof d->pools[0]);
    }
    d->pools[at] = (struct remembered_pools){ a->candidate, a->pools };
}

static void release_share(struct devices *d, const char *candidate, const char *type)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->shares.count; i++) {
        const struct share *s = &d->shares.items[i];
        if (strcmp(s->candidate, candidate) != 0 || strcmp(s->type, type) != 0) {
            d->shares.items[kept++] = *s;
        }
    }
    d->shares.count = kept;
}

static void release_contributions(struct held_claim *h, const char *type)
{
    struct contribution *kept = ref_alloc((h->contribution_count + 1) * sizeof *kept);
    size_t count = 0;
    h->total = (struct requirements){ NULL, 0 };
    for (size_t i = 0; i < h->contribution_count; i++) {
        if (strcmp(h->contributions[i].type, type) != 0) {
            kept[count++] = h->contributions[i];
            h->total = ref_union(h->total, h->contributions[i].requirements);
        }
    }
    h->contributions = kept;
    h->contribution_count = count;
}

static bool has_type(struct types types, const char *name)
{
    for (size_t i = 0; i < types.count; i++) {
        if (strcmp(types.items[i]->name, name) == 0) {
            return true;
        }
    }
    return false;
}

void ref_devices_release(const struct scheduler *s, const struct allocation *a, struct types types)
{
    for (size_t i = 0; a != NULL && a->commits && i < a->type_count; i++) {
        if (has_type(types, a->types[i])) {
            continue;
        }
        release_share(s->devices, a->candidate, a->types[i]);
        for (size_t c = 0; c < s->devices->claim_count; c++) {
            if (strcmp(s->devices->claims[c].candidate, a->candidate) == 0) {
                release_contributions(&s->devices->claims[c], a->types[i]);
            }
        }
    }
}
