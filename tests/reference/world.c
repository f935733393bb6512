/* SPDX-License-Identifier: Apache-2.0 */
#include "world.h"

#include <string.h>

#include "memory.h"

/* ------------------------------------------------------------------------------------------------ objects */

static struct objects *of_kind(const struct world *world, const char *kind)
{
    for (size_t i = 0; i < world->kind_count; i++) {
        if (strcmp(world->kinds[i].kind, kind) == 0) {
            return &world->kinds[i];
        }
    }
    return NULL;
}

static void read_kinds(struct world *world)
{
    for (size_t i = 0; i < ref_length(world->doc, "objects"); i++) {
        const json_t *o = ref_item(world->doc, "objects", i);
        struct objects *list = of_kind(world, ref_text(o, "kind"));
        if (list == NULL) {
            world->kinds = ref_push(world->kinds, world->kind_count, sizeof world->kinds[0]);
            list = &world->kinds[world->kind_count++];
            *list = (struct objects){ .kind = ref_text(o, "kind") };
        }
        list->items = ref_push(list->items, list->count, sizeof list->items[0]);
        list->items[list->count++] = o;
    }
}

struct objects ref_objects(const struct world *world, const char *kind)
{
    const struct objects *list = of_kind(world, kind);
    return list != NULL ? *list : (struct objects){ .kind = kind };
}

static const char *namespace_of(const json_t *object)
{
    const char *text = ref_text(ref_at(object, "metadata"), "namespace");
    return *text != '\0' ? text : "default";
}

const json_t *ref_named(const struct world *world, const char *kind, const char *name, const char *namespace)
{
    struct objects list = ref_objects(world, kind);
    for (size_t i = 0; i < list.count; i++) {
        const json_t *o = list.items[i];
        if (strcmp(ref_text(ref_at(o, "metadata"), "name"), name) == 0 &&
            (namespace == NULL || strcmp(namespace_of(o), namespace) == 0)) {
            return o;
        }
    }
    return NULL;
}

const struct node *ref_node_named(const struct world *world, const char *name)
{
    for (size_t i = 0; *name != '\0' && i < world->node_count; i++) {
        if (strcmp(world->nodes[i].name, name) == 0) {
            return &world->nodes[i];
        }
    }
    return NULL;
}

const char *ref_condition(const json_t *object, const char *type)
{
    const json_t *status = ref_at(object, "status");
    for (size_t i = 0; i < ref_length(status, "conditions"); i++) {
        const json_t *c = ref_item(status, "conditions", i);
        if (strcmp(ref_text(c, "type"), type) == 0) {
            return ref_text(c, "status");
        }
    }
    return "";
}

/* ------------------------------------------------------------------------------------------------ reading */

static int by_key(const void *a, const void *b)
{
    const struct pod *x = a, *y = b;
    int order = strcmp(x->namespace, y->namespace);
    return order != 0 ? order : strcmp(x->name, y->name);
}

static void read_pods(struct world *world)
{
    struct objects docs = ref_objects(world, "Pod");
    world->pods = ref_alloc((docs.count + 1) * sizeof world->pods[0]);
    world->pod_count = docs.count;
    for (size_t i = 0; i < docs.count; i++) {
        world->pods[i] = ref_pod_read(docs.items[i]);
    }
    ref_sort(world->pods, world->pod_count, sizeof world->pods[0], by_key);
    for (size_t i = 0; i < world->pod_count; i++) {
        world->pods[i].index = i;
    }
}

static void read_nodes(struct world *world)
{
    struct objects docs = ref_objects(world, "Node");
    world->nodes = ref_alloc((docs.count + 1) * sizeof world->nodes[0]);
    for (size_t i = 0; i < docs.count; i++) {
        const json_t *doc = docs.items[i], *metadata = ref_at(doc, "metadata"), *spec = ref_at(doc, "spec");
        world->nodes[world->node_count++] = (struct node){
            .doc = doc,
            .name = ref_text(metadata, "name"),
            .provider_id = ref_text(spec, "providerID"),
            .labels = ref_labels_read(ref_at(metadata, "labels")),
            .taints = ref_taints_read(ref_at(spec, "taints")),
        };
    }
}

static void read_settings(struct world *world)
{
    const json_t *s = ref_at(world->doc, "settings");
    world->ignore_preferences = strcmp(ref_text(s, "preferencePolicy"), "Ignore") == 0;
    world->best_effort = strcmp(ref_text(s, "minValuesPolicy"), "BestEffort") == 0;
    world->reserved_fallback = strcmp(ref_text(s, "reservedOfferingMode"), "Fallback") == 0;
    world->reserved_gate = ref_true(ref_at(s, "featureGates"), "ReservedCapacity", true);
    world->ignore_devices = ref_true(s, "ignoreDRARequests", true);
    world->consolidation = ref_true(ref_at(world->doc, "state"), "consolidationSimulation", false);
    const json_t *spread = ref_at(ref_at(ref_at(s, "schedulerConfig"), "podTopologySpread"), "defaultConstraints");
    world->default_spreads = ref_spreads_read(spread);
}

/* ------------------------------------------------------------------------------------------------ state nodes (16.1)
 */

static bool is_true(struct labels labels, const char *key)
{
    const char *value = ref_label(labels, key);
    return value != NULL && strcmp(value, "true") == 0;
}

static void collect_bound(struct world *world, struct state_node *s)
{
    for (size_t i = 0; s->node != NULL && i < world->pod_count; i++) {
        const struct pod *p = &world->pods[i];
        if (strcmp(p->node_name, s->node->name) == 0 && !p->terminal) {
            s->bound = ref_push(s->bound, s->bound_count, sizeof s->bound[0]);
            s->bound[s->bound_count++] = p;
        }
    }
}

static struct state_node join(struct world *world, const struct node *node, const json_t *claim)
{
    struct state_node s = { .node = node, .claim = claim };
    bool managed = claim != NULL;
    s.registered = !managed || (node != NULL && is_true(node->labels, REGISTERED));
    s.initialized = !managed || (node != NULL && is_true(node->labels, INITIALIZED));
    if (node == NULL || (managed && !s.registered)) {
        s.name = ref_text(ref_at(claim, "metadata"), "name");
        s.labels = ref_labels_read(ref_at(ref_at(claim, "metadata"), "labels"));
    } else {
        s.name = node->name;
        s.labels = node->labels;
    }
    const char *hostname = ref_label(s.labels, HOSTNAME), *pool = ref_label(s.labels, NODEPOOL);
    s.hostname = hostname != NULL && *hostname != '\0' ? hostname : s.name;
    s.pool = pool != NULL ? pool : "";
    const json_t *owner = managed ? claim : node->doc;
    s.marked = *ref_text(ref_at(owner, "metadata"), "deletionTimestamp") != '\0' ||
               strcmp(ref_condition(claim, "InstanceTerminating"), "True") == 0;
    collect_bound(world, &s);
    return s;
}

/** Is the node known to the scheduler at all? Its mark is taken over. */
static bool is_tracked(const struct world *world, struct state_node *s)
{
    const json_t *state = ref_at(world->doc, "state");
    if (ref_at(state, "nodes") == NULL) {
        return true;
    }
    for (size_t i = 0; i < ref_length(state, "nodes"); i++) {
        const json_t *entry = ref_item(state, "nodes", i);
        if (strcmp(ref_text(entry, "name"), s->name) == 0) {
            s->marked = s->marked || ref_true(entry, "markedForDeletion", false);
            return true;
        }
    }
    return false;
}

static int by_state(const void *a, const void *b)
{
    const struct state_node *x = a, *y = b;
    return x->initialized != y->initialized ? (x->initialized ? -1 : 1) : strcmp(x->name, y->name);
}

static void keep_state(struct world *world, struct state_node s)
{
    if (is_tracked(world, &s)) {
        world->states = ref_push(world->states, world->state_count, sizeof world->states[0]);
        world->states[world->state_count++] = s;
    }
}

static bool has_label(const struct node *node, const char *key)
{
    const char *value = ref_label(node->labels, key);
    return value != NULL && *value != '\0';
}

bool ref_node_is_known(const struct world *world, const struct node *node)
{
    if (has_label(node, NODEPOOL) &&
        (*node->provider_id == '\0' || !(has_label(node, INITIALIZED) || has_label(node, INSTANCE_TYPE)))) {
        return false;
    }
    for (size_t i = 0; i < world->pod_count && ref_at(ref_at(world->doc, "state"), "nodes") == NULL; i++) {
        const struct pod *p = &world->pods[i];
        struct attachments volumes;
        if (strcmp(p->node_name, node->name) == 0 && !p->terminal && !ref_attachments(world, p, &volumes)) {
            return false;
        }
    }
    return true;
}

static void build_states(struct world *world)
{
    struct objects claims = ref_objects(world, "NodeClaim");
    bool *joined = ref_alloc(world->node_count + 1);
    for (size_t i = 0; i < claims.count; i++) {
        const char *id = ref_text(ref_at(claims.items[i], "status"), "providerID");
        const struct node *node = NULL;
        for (size_t j = 0; j < world->node_count && *id != '\0' && node == NULL; j++) {
            if (strcmp(world->nodes[j].provider_id, id) == 0 && ref_node_is_known(world, &world->nodes[j])) {
                node = &world->nodes[j];
                joined[j] = true;
            }
        }
        if (*id != '\0') {
            keep_state(world, join(world, node, claims.items[i]));
        }
    }
    for (size_t j = 0; j < world->node_count; j++) {
        if (!joined[j] && ref_node_is_known(world, &world->nodes[j])) {
            keep_state(world, join(world, &world->nodes[j], NULL));
        }
    }
    ref_sort(world->states, world->state_count, sizeof world->states[0], by_state);
}

struct world *ref_world_read(const json_t *doc)
{
    struct world *world = ref_alloc(sizeof *world);
    world->doc = doc;
    world->now = ref_instant_at(doc, "now");
    read_kinds(world);
    ref_tables_read(ref_at(doc, "labels"));
    read_settings(world);
    read_pods(world);
    read_nodes(world);
    build_states(world);
    ref_choose_pods(world);
    return world;
}

/* ------------------------------------------------------------------------------------------------ of a state node
 * (16.2, 16.3) */

struct taints ref_state_taints(const struct state_node *s)
{
    const json_t *spec = ref_at(s->claim, "spec");
    struct taints taints;
    if (s->node == NULL || !s->registered) {
        taints = ref_taints_read(ref_at(spec, "taints"));
    } else {
        taints = s->node->taints;
    }
    return s->initialized ? taints : ref_taints_lasting(taints, ref_taints_read(ref_at(spec, "startupTaints")));
}

struct resources ref_state_resources(const struct state_node *s, const char *which)
{
    struct resources of_node = { NULL, 0 };
    if (s->node != NULL) {
        of_node = ref_resources_read(ref_at(ref_at(s->node->doc, "status"), which));
    }
    struct resources of_claim = ref_resources_read(ref_at(ref_at(s->claim, "status"), which));
    if (s->initialized) {
        return of_node;
    }
    for (size_t i = 0; i < of_claim.count; i++) {
        if (ref_resources_get(of_node, of_claim.items[i].name) == 0) {
            of_node = ref_resources_set(of_node, of_claim.items[i].name, of_claim.items[i].value);
        }
    }
    return of_node;
}

bool ref_on_marked_node(const struct world *world, const struct pod *pod)
{
    for (size_t i = 0; *pod->node_name != '\0' && i < world->state_count; i++) {
        const struct state_node *s = &world->states[i];
        if (s->marked && strcmp(s->name, pod->node_name) == 0) {
            return true;
        }
    }
    return false;
}
