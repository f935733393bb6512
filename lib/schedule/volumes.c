/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/volumes.h>

#include <model/prepare.h>

static const csi_node *limits_of(const scheduler *s, const host *h)
{
    const karp_snapshot *w = s->snapshot;
    uint32_t n = w->nodes[h->node].node; /* its own name: while it registers it is known by its claim's */
    uint32_t i = n == NO_ID ? NO_ID : store_find(&w->raw, KIND_CSI_NODE, NO_TEXT, w->raw.nodes.items[n].meta.name);
    return i == NO_ID || w->raw.csi_nodes.items[i].limit_count == 0 ? NULL : &w->raw.csi_nodes.items[i];
}

static bool uses(const host *h, uint32_t driver, uint32_t name_space, uint32_t claim_name)
{
    for (uint32_t i = 0; i < h->volume_count; i++) {
        const volume_use *u = &h->volumes[i];
        if (u->driver == driver && u->name_space == name_space && u->claim == claim_name) return true;
    }
    return false;
}

static bool add(scheduler *s, host *h, uint32_t driver, uint32_t name_space, uint32_t claim_name)
{
    size_t room = h->volume_capacity;
    void *items = h->volumes;
    if (driver == NO_TEXT || uses(h, driver, name_space, claim_name)) return true;
    if (!grow(s->context, &items, &room, h->volume_count + (size_t)1, sizeof(volume_use))) {
        s->failed = true;
        return false;
    }
    h->volumes = items;
    h->volume_capacity = (uint32_t)room;
    h->volumes[h->volume_count++] = (volume_use){ driver, name_space, claim_name };
    return true;
}

/* Adds all claims of a list of volumes, or none when one of them cannot be looked up. */
static bool add_claims(scheduler *s, host *h, uint32_t name_space, uint32_t volumes)
{
    const store *raw = &s->snapshot->raw;
    const struct words_entry *claims = &raw->volumes.entries[volumes];
    bool found = true;
    for (uint32_t i = 0; i < claims->count; i++) (void)volume_driver(raw, name_space, claims->ptr[i], &found);
    for (uint32_t i = 0; i < claims->count && found; i++) {
        if (!add(s, h, volume_driver(raw, name_space, claims->ptr[i], &found), name_space, claims->ptr[i])) return false;
    }
    return true;
}

/* What the node's bound pods hold, read once and only where there is a limit. */
static bool load(scheduler *s, host *h)
{
    const state_node *n = &s->snapshot->nodes[h->node];
    if (h->volumes_loaded) return true;
    h->volumes_loaded = true;
    h->csi = limits_of(s, h);
    for (uint32_t i = 0; i < n->pod_count && h->csi != NULL; i++) {
        const pod *p = pod_at(&s->snapshot->raw, n->pods[i]);
        if (!add_claims(s, h, p->name_space, p->volumes)) return false;
    }
    h->volumes_bound = h->volume_count;
    return true;
}

static uint32_t held(const host *h, uint32_t driver)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < h->volume_count; i++) n += h->volumes[i].driver == driver;
    return n;
}

/* How many claims of the driver the class would add. */
static uint32_t more(scheduler *s, const host *h, const pod_class *c, uint32_t driver)
{
    const store *raw = &s->snapshot->raw;
    uint32_t n = 0;
    bool found = true;
    if (c->volumes == NO_ID) return 0;
    const struct words_entry *claims = &raw->volumes.entries[c->volumes];
    for (uint32_t i = 0; i < claims->count; i++) {
        bool repeated = false;
        for (uint32_t k = 0; k < i; k++) repeated = repeated || claims->ptr[k] == claims->ptr[i];
        if (repeated || volume_driver(raw, c->name_space, claims->ptr[i], &found) != driver) continue;
        n += !uses(h, driver, c->name_space, claims->ptr[i]);
    }
    return n;
}

bool volumes_within(scheduler *s, host *h, uint32_t class_number)
{
    if (s->snapshot->raw.csi_nodes.count == 0) return true;
    if (!load(s, h)) return false;
    for (uint32_t i = 0; h->csi != NULL && i < h->csi->limit_count; i++) {
        uint32_t driver = h->csi->limits[i].driver;
        int64_t total = (int64_t)held(h, driver) + more(s, h, &s->snapshot->classes[class_number], driver);
        if (total > h->csi->limits[i].count) return false;
    }
    return true;
}

bool volumes_take(scheduler *s, host *h, uint32_t class_number)
{
    const pod_class *c = &s->snapshot->classes[class_number];
    if (c->volumes == NO_ID || h->csi == NULL) return true;
    return add_claims(s, h, c->name_space, c->volumes);
}

void volumes_free(scheduler *s, host *h)
{
    mem_free(s->context, h->volumes, h->volume_capacity * sizeof(volume_use));
}

bool volumes_rule_out(const scheduler *s, uint32_t class_number)
{
    const pod_class *c = &s->snapshot->classes[class_number];
    return c->too_many_alternatives || (!quirk(s, 2) && !c->volumes_found) || (!quirk(s, 37) && c->contradictory);
}
