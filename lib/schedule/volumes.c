/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/volumes.h>

#include <model/prepare.h>
#include <schedule/scheduler.h>
#include <schedule/types.h>
#include <string.h>

/* The volumes on a node with limits. Only volumes of drivers with a limit there are recorded. */
struct node_volumes {
    map64 limit_of; /* driver -> its first limit */
    struct limit_use {
        uint32_t driver;
        int64_t most;
        uint32_t first; /* the first limit of the same driver, which has the counts for all of them */
        uint32_t held, more; /* number of claims on the node; while a pod is checked, of those that it would add */
    } * limits;
    uint32_t limit_count;
    volume_use *items;
    size_t count, capacity, bound; /* bound: number of claims of bound pods, which come first */
    map64 places; /* claim -> its current or former index in `items` */
};

/* NULL = the node has no CSINode. */
static const csi_node *csi_of(const scheduler *s, const host *h)
{
    const karp_snapshot *snapshot = s->snapshot;
    /* the Node's own name: until it is registered, the state node has its claim's */
    uint32_t n = snapshot->nodes[h->node].node;
    uint32_t i = n == NO_ID
                     ? NO_ID
                     : store_find(&snapshot->raw, KIND_CSI_NODE, NO_TEXT, snapshot->raw.nodes.items[n].meta.name);
    return i == NO_ID ? NULL : &snapshot->raw.csi_nodes.items[i];
}

/* The instance type whose limits apply if the node publishes none (K15-2); NULL = none. Karpenter has only the types of
 * NodePools to which it can schedule pods. */
static const instance_type *type_behind(const scheduler *s, const host *h)
{
    const karp_snapshot *snapshot = s->snapshot;
    if (!in_force(s, RULE_TYPE_VOLUME_LIMITS)) return NULL;
    const instance_type *found = type_of_node(snapshot, &snapshot->nodes[h->node], quirk(s, 40));
    return found != NULL && found->overlaid && !in_force(s, RULE_OVERLAYS_KEEP) ? NULL : found;
}

static bool listed(const csi_node *csi, uint32_t driver)
{
    for (uint32_t i = 0; csi != NULL && i < csi->limit_count; i++) {
        if (csi->limits[i].driver == driver) return true;
    }
    return false;
}

/* The limits of the node: those that it publishes, and its type's for other drivers. Returns their number; `out` may
 * be NULL. */
static uint32_t find_limits(const scheduler *s, const csi_node *csi, const instance_type *type, struct limit_use *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; csi != NULL && i < csi->limit_count; i++) {
        const csi_limit *l = &csi->limits[i];
        /* before K15-2 a missing count was read as 0 */
        bool none = l->has_count == 2 && !in_force(s, RULE_TYPE_VOLUME_LIMITS);
        if (l->has_count != 1 && !none) continue;
        if (out != NULL) out[n] = (struct limit_use){ .driver = l->driver, .most = none ? 0 : l->count };
        n++;
    }
    for (uint32_t i = 0; type != NULL && i < type->volume_limit_count; i++) {
        const volume_limit *l = &type->volume_limits[i];
        if (listed(csi, l->driver)) continue;
        if (out != NULL) out[n] = (struct limit_use){ .driver = l->driver, .most = l->count };
        n++;
    }
    return n;
}

static uint64_t claim_key(const volume_use *u) { return pair_key(u->name_space, u->claim); }

/* Undoing a round leaves outdated indices, which refer to no claim or to another one. */
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

/* Adds all claims of a bound pod, or none if one of them cannot be looked up. */
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

/* A node with limits and without volumes; NULL = out of memory. */
static struct node_volumes *new_volumes(scheduler *s, uint32_t limit_count)
{
    struct node_volumes *n = arena_alloc(&s->data, sizeof *n);
    struct limit_use *limits = arena_array(&s->data, limit_count, sizeof *limits);
    if (n == NULL || limits == NULL) return NULL;
    *n = (struct node_volumes){ .limits = limits, .limit_count = limit_count };
    map64_init(&n->limit_of, s->context);
    map64_init(&n->places, s->context);
    return n;
}

static bool number_limits(struct node_volumes *n)
{
    for (uint32_t i = 0; i < n->limit_count; i++) {
        uint32_t first = map64_get(&n->limit_of, n->limits[i].driver);
        if (first == NO_ID && !map64_put(&n->limit_of, n->limits[i].driver, i)) return false;
        n->limits[i].first = first == NO_ID ? i : first;
    }
    return true;
}

/* Loads the volumes of the node's bound pods, once and only if there is a limit. */
static bool load(scheduler *s, host *h)
{
    const state_node *n = &s->snapshot->nodes[h->node];
    if (h->volumes_loaded) return true;
    h->volumes_loaded = s->hosts.loaded = true;
    const csi_node *csi = csi_of(s, h);
    const instance_type *type = type_behind(s, h);
    uint32_t limit_count = find_limits(s, csi, type, NULL);
    if (limit_count == 0) return true;
    h->volumes = new_volumes(s, limit_count);
    if (h->volumes != NULL) (void)find_limits(s, csi, type, h->volumes->limits);
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

const struct class_volumes *volumes_of_class(scheduler *s, uint32_t class_number)
{
    static const struct class_volumes none = { .found = true };
    const pod_class *c = &s->snapshot->classes[class_number];
    class_state *state = &s->pods.classes[class_number];
    if (c->volumes == NO_ID || state->volumes != NULL) return c->volumes == NO_ID ? &none : state->volumes;
    struct class_volumes *list = arena_alloc(&s->data, sizeof *list);
    if (list == NULL || !list_claims(s, c, list)) return mem_refused_null(&s->failed);
    state->volumes = list;
    return list;
}

bool volumes_within(scheduler *s, host *h, uint32_t class_number)
{
    if (!s->volumes.limited) return true;
    if (!load(s, h)) return false;
    struct node_volumes *n = h->volumes;
    if (n == NULL) return true;
    const struct class_volumes *c = volumes_of_class(s, class_number);
    bool within = c != NULL;
    for (uint32_t i = 0; i < n->limit_count; i++) n->limits[i].more = 0;
    for (uint32_t i = 0; within && i < c->count; i++) {
        uint32_t limit = map64_get(&n->limit_of, c->items[i].driver);
        if (limit != NO_ID && !uses(n, &c->items[i])) n->limits[limit].more++;
    }
    for (uint32_t i = 0; within && i < n->limit_count; i++) {
        const struct limit_use *u = &n->limits[n->limits[i].first];
        within = (int64_t)u->held + u->more <= n->limits[i].most;
    }
    return within;
}

bool volumes_take(scheduler *s, host *h, uint32_t class_number)
{
    if (h->volumes == NULL) return true;
    const struct class_volumes *c = volumes_of_class(s, class_number);
    bool added = c != NULL;
    for (uint32_t i = 0; added && c->found && i < c->count; i++) added = add(s, h->volumes, c->items[i]);
    if (!added) s->failed = true;
    return added;
}

size_t volumes_held(const host *h) { return h->volumes == NULL ? 0 : h->volumes->count; }

void volumes_shrink(host *h, size_t count)
{
    struct node_volumes *n = h->volumes;
    size_t least = n == NULL || count > n->bound ? count : n->bound; /* bound ones may have been loaded since */
    while (n != NULL && n->count > least) n->limits[map64_get(&n->limit_of, n->items[--n->count].driver)].held--;
}

void volumes_undo(host *h) { volumes_shrink(h, 0); }

void volumes_free(scheduler *s, host *h)
{
    struct node_volumes *n = h->volumes;
    if (n == NULL) return;
    mem_free(s->context, n->items, n->capacity * sizeof(volume_use));
    map64_free(&n->limit_of);
    map64_free(&n->places);
}

void volumes_init(scheduler *s)
{
    const karp_snapshot *snapshot = s->snapshot;
    s->volumes.limited = snapshot->raw.csi_nodes.count > 0;
    for (uint32_t t = 0; t < snapshot->table_count && in_force(s, RULE_TYPE_VOLUME_LIMITS); t++)
        s->volumes.limited = s->volumes.limited || snapshot->tables[t].limits_volumes;
}

bool volumes_look_up_fails(const scheduler *s, uint32_t class_number)
{
    return in_force(s, RULE_VOLUME_LOOK_UP) && !s->snapshot->classes[class_number].counts_volumes;
}

bool volumes_rule_out(const scheduler *s, uint32_t class_number)
{
    const pod_class *c = &s->snapshot->classes[class_number];
    return c->too_many_alternatives || (!quirk(s, 2) && !c->volumes_found) || (!quirk(s, 37) && c->contradictory);
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* Number of volumes that a launch would have, for each driver that some type limits. */
struct volume_counts {
    uint32_t driver, count;
};

static bool add_driver(scheduler *s, uint32_t driver)
{
    for (uint32_t i = 0; i < s->volumes.limited_drivers; i++) {
        if (s->volumes.counts[i].driver == driver) return true;
    }
    struct volume_counts *list = arena_array(&s->data, s->volumes.limited_drivers + (size_t)1, sizeof *list);
    if (list == NULL) return false;
    if (s->volumes.limited_drivers > 0) memcpy(list, s->volumes.counts, s->volumes.limited_drivers * sizeof *list);
    list[s->volumes.limited_drivers++].driver = driver;
    s->volumes.counts = list;
    return true;
}

bool launch_volumes_init(scheduler *s)
{
    const karp_snapshot *snapshot = s->snapshot;
    if (!in_force(s, RULE_LAUNCH_VOLUMES)) return true;
    for (uint32_t t = 0; t < snapshot->table_count; t++) {
        for (uint32_t i = 0; snapshot->tables[t].limits_volumes && i < snapshot->tables[t].type_count; i++) {
            const instance_type *type = &snapshot->tables[t].types[i];
            for (uint32_t l = 0; l < type->volume_limit_count; l++) {
                if (!add_driver(s, type->volume_limits[l].driver)) return false;
            }
        }
    }
    return true;
}

static uint32_t place_of_driver(const scheduler *s, uint32_t driver)
{
    uint32_t i = 0;
    while (i < s->volumes.limited_drivers && s->volumes.counts[i].driver != driver) i++;
    return i;
}

bool launch_volumes_limited(scheduler *s, uint32_t class_number)
{
    if (s->volumes.limited_drivers == 0) return false;
    const struct class_volumes *v = volumes_of_class(s, class_number);
    for (uint32_t i = 0; v != NULL && v->found && i < v->count; i++) {
        if (place_of_driver(s, v->items[i].driver) < s->volumes.limited_drivers) return true;
    }
    return false;
}

static bool holds(const claim *c, const volume_use *u)
{
    for (uint32_t i = 0; i < c->volume_count; i++) {
        if (c->volumes[i].claim == u->claim && c->volumes[i].name_space == u->name_space) return true;
    }
    return false;
}

static void count_one(scheduler *s, const volume_use *u)
{
    uint32_t at = place_of_driver(s, u->driver);
    if (at < s->volumes.limited_drivers) s->volumes.counts[at].count++;
}

/* Counts the claim's volumes and those of one more pod, by driver; false = out of memory. */
static bool count_all(scheduler *s, const claim *c, uint32_t class_number)
{
    const struct class_volumes *v = volumes_of_class(s, class_number);
    if (v == NULL) return false;
    for (uint32_t i = 0; i < s->volumes.limited_drivers; i++) s->volumes.counts[i].count = 0;
    for (uint32_t i = 0; i < c->volume_count; i++) count_one(s, &c->volumes[i]);
    for (uint32_t i = 0; i < v->count; i++) {
        if (!holds(c, &v->items[i])) count_one(s, &v->items[i]);
    }
    return true;
}

/* Overlaid types have limits from Karpenter 1.15 on (K15-7). */
static bool has_limits(const scheduler *s, const instance_type *type)
{
    return type->volume_limit_count > 0 && (!type->overlaid || in_force(s, RULE_OVERLAYS_KEEP));
}

/* Whether the type can attach the counted volumes. `only`: of one driver; NO_ID = of all. */
static bool within(const scheduler *s, const instance_type *type, uint32_t only)
{
    for (uint32_t l = 0; has_limits(s, type) && l < type->volume_limit_count; l++) {
        uint32_t at = place_of_driver(s, type->volume_limits[l].driver);
        if (only != NO_ID && at != only) continue;
        if (s->volumes.counts[at].count > type->volume_limits[l].count && s->volumes.counts[at].count > 0) return false;
    }
    return true;
}

uint32_t launch_volumes_narrow(scheduler *s, const claim *c, uint32_t class_number, uint32_t types)
{
    const template_ *t = &s->templates.items[c->template_];
    size_t width = t->table->variant_count;
    const uint64_t *bits = s->types.sets.items[types].bits;
    if (!count_all(s, c, class_number)) return NO_ID;
    uint64_t *out = mem_zalloc(s->context, (template_words(t) + 1) * sizeof *out);
    if (out == NULL) return mem_refused_id(&s->failed);
    for (size_t v = bits_next(bits, width, 0); v < width; v = bits_next(bits, width, v + 1)) {
        if (!within(s, &t->table->types[t->table->variants[v].type], NO_ID)) bits_set(out, v);
    }
    uint32_t left = bits_any(out, template_words(t)) ? typeset_without(s, types, out) : types;
    mem_free(s->context, out, (template_words(t) + 1) * sizeof *out);
    return left;
}

bool launch_volumes_take(scheduler *s, claim *c, uint32_t class_number)
{
    const struct class_volumes *v = volumes_of_class(s, class_number);
    volume_use *all = v == NULL ? NULL
                                : arena_array(&s->round.data, c->volume_count + (size_t)v->count + 1, sizeof *all);
    if (all == NULL) return mem_refused(&s->failed);
    uint32_t n = c->volume_count;
    if (n > 0) memcpy(all, c->volumes, n * sizeof *all);
    for (uint32_t i = 0; i < v->count; i++) {
        if (v->items[i].driver != NO_TEXT && !holds(c, &v->items[i])) all[n++] = v->items[i];
    }
    c->volumes = all;
    c->volume_count = n;
    return true;
}

/* Whether the driver alone excludes every type. *largest receives the largest limit. */
static bool excludes_all(const scheduler *s, const template_ *t, const uint64_t *bits, uint32_t at, int64_t *largest)
{
    size_t width = t->table->variant_count;
    *largest = INT64_MIN;
    for (size_t v = bits_next(bits, width, 0); v < width; v = bits_next(bits, width, v + 1)) {
        const instance_type *type = &t->table->types[t->table->variants[v].type];
        if (within(s, type, at)) return false;
        for (uint32_t l = 0; l < type->volume_limit_count; l++) {
            bool own = type->volume_limits[l].driver == s->volumes.counts[at].driver;
            if (own && type->volume_limits[l].count > *largest) *largest = type->volume_limits[l].count;
        }
    }
    return true;
}

bool launch_volumes_blame(scheduler *s, const claim *c, uint32_t class_number, uint32_t types, uint32_t *driver,
                          uint32_t *count, int64_t *limit)
{
    const template_ *t = &s->templates.items[c->template_];
    if (!count_all(s, c, class_number)) return false;
    for (uint32_t i = 0; i < s->volumes.limited_drivers; i++) {
        if (!excludes_all(s, t, s->types.sets.items[types].bits, i, limit)) continue;
        *driver = s->volumes.counts[i].driver;
        *count = s->volumes.counts[i].count;
        return true;
    }
    return false;
}
