/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/volumes.h>

#include <model/prepare.h>

/* The volumes on a node that limits them. Only those of drivers that have a limit there are told of. */
struct node_volumes {
    const csi_node *csi;
    map64 limit_of; /* driver -> its first limit */
    struct limit_use {
        uint32_t first; /* the first limit of the same driver, which counts for all of them: */
        uint32_t held, more; /* … claims that are there; while a pod is looked at, those that it would add */
    } * limits;
    volume_use *items;
    size_t count, capacity, bound; /* bound: those of bound pods, which come first */
    map64 places; /* claim -> where in `items` it is, or once was */
};

/* The claims of a class, each once. */
struct class_volumes {
    const volume_use *items;
    uint32_t count;
    bool found; /* all could be looked up */
};

static const csi_node *limits_of(const scheduler *s, const host *h)
{
    const karp_snapshot *w = s->snapshot;
    uint32_t n = w->nodes[h->node].node; /* its own name: while it registers it is known by its claim's */
    uint32_t i = n == NO_ID ? NO_ID : store_find(&w->raw, KIND_CSI_NODE, NO_TEXT, w->raw.nodes.items[n].meta.name);
    return i == NO_ID || w->raw.csi_nodes.items[i].limit_count == 0 ? NULL : &w->raw.csi_nodes.items[i];
}

static uint64_t claim_key(const volume_use *u) { return pair_key(u->name_space, u->claim); }

/* A round that was undone leaves places behind, at which there is nothing now or another claim. */
static bool uses(const struct node_volumes *n, const volume_use *u)
{
    uint32_t at = map64_get(&n->places, claim_key(u));
    return at < n->count && claim_key(&n->items[at]) == claim_key(u);
}

static bool add(scheduler *s, struct node_volumes *n, volume_use u)
{
    void *items = n->items;
    uint32_t limit = u.driver == NO_TEXT ? NO_ID : map64_get(&n->limit_of, u.driver);
    if (limit == NO_ID || uses(n, &u)) return true;
    if (!grow(s->context, &items, &n->capacity, n->count + 1, sizeof u)) return false;
    n->items = items;
    if (!map64_put(&n->places, claim_key(&u), (uint32_t)n->count)) return false;
    n->items[n->count++] = u;
    n->limits[limit].held++;
    return true;
}

/* Adds all claims of a bound pod, or none when one of them cannot be looked up. */
static bool add_bound(scheduler *s, struct node_volumes *n, const pod *p)
{
    const store *raw = &s->snapshot->raw;
    const struct words_entry *claims = &raw->volumes.entries[p->volumes];
    bool found = true, added = true;
    for (uint32_t i = 0; i < claims->count; i++) (void)volume_driver(raw, p->name_space, claims->ptr[i], &found);
    for (uint32_t i = 0; i < claims->count && found && added; i++) {
        added = add(
            s, n,
            (volume_use){ volume_driver(raw, p->name_space, claims->ptr[i], &found), p->name_space, claims->ptr[i] });
    }
    return added;
}

/* A node without volumes, with what limits it; NULL = refused. */
static struct node_volumes *make(scheduler *s, const csi_node *csi)
{
    struct node_volumes *n = arena_alloc(&s->data, sizeof *n);
    struct limit_use *limits = arena_array(&s->data, csi->limit_count, sizeof *limits);
    if (n == NULL || limits == NULL) return NULL;
    *n = (struct node_volumes){ .csi = csi, .limits = limits };
    map64_init(&n->limit_of, s->context);
    map64_init(&n->places, s->context);
    return n;
}

static bool number_limits(struct node_volumes *n)
{
    for (uint32_t i = 0; i < n->csi->limit_count; i++) {
        uint32_t first = map64_get(&n->limit_of, n->csi->limits[i].driver);
        if (first == NO_ID && !map64_put(&n->limit_of, n->csi->limits[i].driver, i)) return false;
        n->limits[i] = (struct limit_use){ .first = first == NO_ID ? i : first };
    }
    return true;
}

/* What the node's bound pods hold, read once and only where there is a limit. */
static bool load(scheduler *s, host *h)
{
    const state_node *n = &s->snapshot->nodes[h->node];
    if (h->volumes_loaded) return true;
    h->volumes_loaded = true;
    const csi_node *csi = limits_of(s, h);
    if (csi == NULL) return true;
    h->volumes = make(s, csi);
    bool loaded = h->volumes != NULL && number_limits(h->volumes);
    for (uint32_t i = 0; i < n->pod_count && loaded; i++)
        loaded = add_bound(s, h->volumes, pod_at(&s->snapshot->raw, n->pods[i]));
    if (!loaded) s->failed = true;
    else h->volumes->bound = h->volumes->count;
    return loaded;
}

static bool list_claims(scheduler *s, const pod_class *c, struct class_volumes *out)
{
    const store *raw = &s->snapshot->raw;
    const struct words_entry *claims = &raw->volumes.entries[c->volumes];
    volume_use *items = arena_array(&s->data, claims->count, sizeof *items);
    map64 seen;
    map64_init(&seen, s->context);
    bool listed = items != NULL;
    *out = (struct class_volumes){ .items = items, .found = true };
    for (uint32_t i = 0; i < claims->count && listed; i++) {
        if (map64_get(&seen, claims->ptr[i]) != NO_ID) continue;
        items[out->count++] = (volume_use){ volume_driver(raw, c->name_space, claims->ptr[i], &out->found),
                                            c->name_space, claims->ptr[i] };
        listed = map64_put(&seen, claims->ptr[i], i);
    }
    map64_free(&seen);
    return listed;
}

/* Made when first asked for; NULL = refused. */
static const struct class_volumes *claims_of(scheduler *s, uint32_t class_number)
{
    static const struct class_volumes none = { .found = true };
    const pod_class *c = &s->snapshot->classes[class_number];
    class_state *state = &s->classes[class_number];
    if (c->volumes == NO_ID || state->volumes != NULL) return c->volumes == NO_ID ? &none : state->volumes;
    struct class_volumes *list = arena_alloc(&s->data, sizeof *list);
    if (list == NULL || !list_claims(s, c, list)) {
        s->failed = true;
        return NULL;
    }
    state->volumes = list;
    return list;
}

bool volumes_within(scheduler *s, host *h, uint32_t class_number)
{
    if (s->snapshot->raw.csi_nodes.count == 0) return true;
    if (!load(s, h)) return false;
    struct node_volumes *n = h->volumes;
    if (n == NULL) return true;
    const struct class_volumes *c = claims_of(s, class_number);
    bool within = c != NULL;
    for (uint32_t i = 0; i < n->csi->limit_count; i++) n->limits[i].more = 0;
    for (uint32_t i = 0; within && i < c->count; i++) {
        uint32_t limit = map64_get(&n->limit_of, c->items[i].driver);
        if (limit != NO_ID && !uses(n, &c->items[i])) n->limits[limit].more++;
    }
    for (uint32_t i = 0; within && i < n->csi->limit_count; i++) {
        const struct limit_use *u = &n->limits[n->limits[i].first];
        within = (int64_t)u->held + u->more <= n->csi->limits[i].count;
    }
    return within;
}

bool volumes_take(scheduler *s, host *h, uint32_t class_number)
{
    if (h->volumes == NULL) return true;
    const struct class_volumes *c = claims_of(s, class_number);
    bool added = c != NULL;
    for (uint32_t i = 0; added && c->found && i < c->count; i++) added = add(s, h->volumes, c->items[i]);
    if (!added) s->failed = true;
    return added;
}

void volumes_undo(host *h)
{
    struct node_volumes *n = h->volumes;
    while (n != NULL && n->count > n->bound) n->limits[map64_get(&n->limit_of, n->items[--n->count].driver)].held--;
}

void volumes_free(scheduler *s, host *h)
{
    struct node_volumes *n = h->volumes;
    if (n == NULL) return;
    mem_free(s->context, n->items, n->capacity * sizeof(volume_use));
    map64_free(&n->limit_of);
    map64_free(&n->places);
}

bool volumes_rule_out(const scheduler *s, uint32_t class_number)
{
    const pod_class *c = &s->snapshot->classes[class_number];
    return c->too_many_alternatives || (!quirk(s, 2) && !c->volumes_found) || (!quirk(s, 37) && c->contradictory);
}
