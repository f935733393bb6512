/* SPDX-License-Identifier: Apache-2.0 */
/* What a round starts with: published slices, devices that claims of the cluster hold, counters (dra.md D2). */
#include <string.h>

#include "devices.h"
#include "memory.h"

/* ------------------------------------------------------------------------------------------------ slices */

/** The Node that owns the slice, or NULL. */
static const char *owner_of(const json_t *slice)
{
    const json_t *metadata = ref_at(slice, "metadata");
    for (size_t i = 0; i < ref_length(metadata, "ownerReferences"); i++) {
        const json_t *owner = ref_item(metadata, "ownerReferences", i);
        if (strcmp(ref_text(owner, "kind"), "Node") == 0) {
            return ref_text(owner, "name");
        }
    }
    return NULL;
}

static bool is_offered(const struct world *world, const char *node)
{
    for (size_t i = 0; i < world->state_count; i++) {
        const struct state_node *s = &world->states[i];
        if (s->node != NULL && s->initialized && !s->marked && strcmp(s->name, node) == 0) {
            return true;
        }
    }
    return false;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const struct slice *const *)a)->name, (*(const struct slice *const *)b)->name);
}

static struct slices read_slices(const struct world *world)
{
    struct objects docs = ref_objects(world, "ResourceSlice");
    struct slices out = { ref_alloc((docs.count + 1) * sizeof(void *)), 0 };
    for (size_t i = 0; i < docs.count; i++) {
        const char *owner = owner_of(docs.items[i]);
        if (owner == NULL || is_offered(world, owner)) {
            out.items[out.count++] = ref_slice_read(docs.items[i]);
        }
    }
    ref_sort(out.items, out.count, sizeof(void *), by_name);
    return out;
}

/* ------------------------------------------------------------------------------------------------ who holds what */

static bool is_pod(const json_t *consumer)
{
    return strcmp(ref_text(consumer, "resource"), "pods") == 0 && *ref_text(consumer, "apiGroup") == '\0';
}

/** Pods that leave a node are placed anew, and what they hold is free. */
static bool is_moving(const struct world *world, const char *uid)
{
    for (size_t i = 0; i < world->chosen_count; i++) {
        if (*world->chosen[i]->node_name != '\0' && strcmp(world->chosen[i]->uid, uid) == 0) {
            return true;
        }
    }
    return false;
}

/** Consumers of a claim. */
struct consumers {
    size_t pods, moving, others;
};

static struct consumers consumers_of(const struct world *world, const json_t *claim)
{
    const json_t *status = ref_at(claim, "status");
    struct consumers out = { 0, 0, 0 };
    for (size_t i = 0; i < ref_length(status, "reservedFor"); i++) {
        const json_t *c = ref_item(status, "reservedFor", i);
        out.pods += is_pod(c);
        out.others += !is_pod(c);
        out.moving += is_pod(c) && is_moving(world, ref_text(c, "uid"));
    }
    return out;
}

bool ref_claim_is_moving(const struct world *world, const json_t *claim)
{
    struct consumers c = consumers_of(world, claim);
    return c.pods > 0 && c.others == 0 && c.moving == c.pods;
}

/** What a claim says of a device; the last of several results counts. NULL if it does not have it. */
static const json_t *result_of(const json_t *claim, const struct device_id *id)
{
    const json_t *devices = ref_at(ref_at(ref_at(claim, "status"), "allocation"), "devices"), *found = NULL;
    for (size_t i = 0; i < ref_length(devices, "results"); i++) {
        const json_t *r = ref_item(devices, "results", i);
        if (strcmp(ref_text(r, "driver"), id->driver) == 0 && strcmp(ref_text(r, "pool"), id->pool) == 0 &&
            strcmp(ref_text(r, "device"), id->device) == 0) {
            found = r;
        }
    }
    return found;
}

static struct resources less(struct resources from, struct resources share)
{
    struct resources out = { ref_alloc((from.count + 1) * sizeof(struct resource)), 0 };
    for (size_t i = 0; i < from.count; i++) {
        const struct resource *taken = ref_resources_find(share, from.items[i].name);
        struct resource r = from.items[i];
        r.value -= taken != NULL ? taken->value : 0;
        if (taken == NULL || r.value > 0) {
            out.items[out.count++] = r;
        }
    }
    return out;
}

/** Is the device held, exclusively or, with @p shared set, as far as @p used says? */
static bool is_in_use(const struct world *world, const struct device_id *id, bool *shared, struct resources *used)
{
    struct objects claims = ref_objects(world, "ResourceClaim");
    size_t pods = 0, moving = 0;
    bool releasable = true;
    *shared = false;
    *used = (struct resources){ NULL, 0 };
    for (size_t i = 0; i < claims.count; i++) {
        const json_t *result = result_of(claims.items[i], id);
        if (result != NULL) {
            struct consumers c = consumers_of(world, claims.items[i]);
            releasable = releasable && c.pods > 0 && c.others == 0;
            pods += c.pods;
            moving += c.moving;
            *shared = *shared || ref_at(result, "consumedCapacity") != NULL;
            *used = ref_resources_sum(*used, ref_resources_read(ref_at(result, "consumedCapacity")));
        }
    }
    for (size_t i = 0; i < claims.count; i++) {
        const json_t *result = result_of(claims.items[i], id);
        struct consumers c = consumers_of(world, claims.items[i]);
        if (result != NULL && c.pods > 0 && c.moving == c.pods) {
            *used = less(*used, ref_resources_read(ref_at(result, "consumedCapacity")));
        }
    }
    return !(releasable && pods == 0) && !(pods > 0 && moving == pods);
}

static bool is_known(const struct devices *d, const struct device_id *id)
{
    bool known = false;
    for (size_t i = 0; i < d->held_count; i++) {
        known = known || ref_same_device(&d->held[i], id);
    }
    for (size_t i = 0; i < d->shared_count; i++) {
        known = known || ref_same_device(&d->shared[i].id, id);
    }
    return known;
}

static void note_device(const struct world *world, struct devices *d, const struct device_id *id)
{
    bool shared;
    struct resources used;
    if (is_known(d, id) || !is_in_use(world, id, &shared, &used)) {
        return;
    }
    if (!shared) {
        d->held = ref_push(d->held, d->held_count, sizeof d->held[0]);
        d->held[d->held_count++] = *id;
    } else if (used.count > 0) {
        d->shared = ref_push(d->shared, d->shared_count, sizeof d->shared[0]);
        d->shared[d->shared_count++] = (struct shared_use){ *id, used };
    }
}

static void read_held(const struct world *world, struct devices *d)
{
    struct objects claims = ref_objects(world, "ResourceClaim");
    for (size_t i = 0; i < claims.count; i++) {
        const json_t *devices = ref_at(ref_at(ref_at(claims.items[i], "status"), "allocation"), "devices");
        for (size_t j = 0; j < ref_length(devices, "results"); j++) {
            const json_t *r = ref_item(devices, "results", j);
            struct device_id id = { ref_text(r, "driver"), ref_text(r, "pool"), ref_text(r, "device"), false };
            note_device(world, d, &id);
        }
    }
}

/* ------------------------------------------------------------------------------------------------ counters */

static void charge(struct devices *d, const struct device *device)
{
    for (size_t i = 0; i < device->consumes_count; i++) {
        const struct consumption *c = &device->consumes[i];
        for (size_t b = 0; b < d->budgets.count; b++) {
            struct budget *budget = &d->budgets.items[b];
            if (strcmp(budget->driver, device->id.driver) == 0 && strcmp(budget->pool, device->id.pool) == 0 &&
                strcmp(budget->set, c->set) == 0) {
                budget->total -= ref_resources_get(c->counters, budget->name);
            }
        }
    }
}

/** Also for devices that some candidate does not reach. */
static void count_counters(struct devices *d)
{
    struct device_pools pools = ref_device_pools(d->slices, (struct requirements){ NULL, 0 }, "");
    for (size_t p = 0; p < pools.count; p++) {
        const struct device_pool *pool = pools.items[p];
        for (size_t i = 0; i < pool->budgets.count; i++) {
            d->budgets.items = ref_push(d->budgets.items, d->budgets.count, sizeof d->budgets.items[0]);
            d->budgets.items[d->budgets.count++] = pool->budgets.items[i];
        }
    }
    for (size_t p = 0; p < pools.count; p++) {
        const struct slices *all = &pools.items[p]->all;
        for (size_t i = 0; i < all->count; i++) {
            for (size_t j = 0; all->items[i]->counters == NULL && j < all->items[i]->devices.count; j++) {
                if (is_known(d, &all->items[i]->devices.items[j]->id)) {
                    charge(d, all->items[i]->devices.items[j]);
                }
            }
        }
    }
}

struct devices *ref_devices_make(const struct scheduler *s)
{
    struct devices *d = ref_alloc(sizeof *d);
    d->slices = read_slices(s->world);
    read_held(s->world, d);
    count_counters(d);
    return d;
}
