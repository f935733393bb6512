/* SPDX-License-Identifier: Apache-2.0 */
#include "worlds.h"

#include <stdlib.h>
#include <string.h>

#include "maker.h"

/** Features that say something together. FEATURES ends a list. */
static const enum feature themes[][16] = {
    { ZONE_SPREAD, HOST_SPREAD, TYPE_SPREAD, MIN_DOMAINS, SPREAD_POLICIES, NODES, BOUND_PODS, POOL_TAINTS, NODE_TAINTS,
      NODE_SELECTOR, TOLERATIONS, FEATURES },
    { ZONE_SPREAD, CUSTOM_SPREAD, MATCH_LABEL_KEYS, MIN_DOMAINS, SPREAD_POLICIES, POOL_LABELS, POOL_REQUIREMENTS,
      MANY_POOLS, NODE_AFFINITY, ODD_SELECTORS, POOL_NOT_IN, FEATURES },
    { AFFINITY, ANTI_AFFINITY, PREFERRED_AFFINITY, PREFERRED_ANTI, NAMESPACES, NODES, BOUND_PODS, EXPRESSION_SELECTORS,
      CUSTOM_AFFINITY, NO_HOSTNAME, FEATURES },
    { NODES, BOUND_PODS, MARKED, DELETING, BUDGETS, DO_NOT_DISRUPT, ENDING_PODS, TIGHT_NODES, VOLUMES, FEATURES },
    { NODES, OLD_LABELS, UNMANAGED, NODE_SELECTOR, NODE_AFFINITY, ZONE_SPREAD, BOUND_PODS, VOLUMES, FEATURES },
    { NODES, UNINITIALIZED, UNREGISTERED, IN_FLIGHT, STARTUP_TAINTS, NODE_TAINTS, DAEMONS, EXTENDED, UNMANAGED,
      POOL_TAINTS, FEATURES },
    { NODES, BOUND_PODS, CONSOLIDATION, STATE_PODS, STATE_NODES, FALLBACK, RESERVATIONS, UNINITIALIZED, MARKED,
      FEATURES },
    { PORTS, DAEMON_PORTS, DAEMONS, NODES, BOUND_PODS, TOLERATIONS, MANY_POOLS, FEATURES },
    { VOLUMES, GONE_CLAIMS, NODES, BOUND_PODS, MARKED, DELETING, ZONE_SPREAD, ANTI_AFFINITY, FEATURES },
    { VOLUMES, CLASS_VOLUMES, TWO_VOLUMES, LOCAL_VOLUMES, CSI_LIMITS, NODES, BOUND_PODS, STATE_PODS, FEATURES },
    { ANYWAY_SPREAD, PREFERRED_AFFINITY, PREFERRED_ANTI, NODE_PREFERENCES, NODE_TERMS, SOFT_TAINTS, IGNORE_PREFERENCES,
      MANY_POOLS, POOL_LABELS, NODES, FEATURES },
    { MANY_POOLS, WEIGHTS, LIMITS, NODE_LIMITS, MIN_VALUES, BEST_EFFORT, MANY_TYPES, POOL_CATALOGUES, NODES, FEATURES },
    { RESERVATIONS, FALLBACK, NO_RESERVATIONS, MANY_POOLS, WEIGHTS, NODE_AFFINITY, HOST_SPREAD, MANY_TYPES, FEATURES },
    { MULTI_ARCH, EXTENDED, HUGEPAGES, OVERRIDES, UNAVAILABLE, ODD_TYPES, NODE_AFFINITY, MIN_VALUES, FEATURES },
    { DAEMONS, DAEMON_TERMS, MULTI_ARCH, POOL_TAINTS, SOFT_TAINTS, TOLERATION_KINDS, NODES, MANY_POOLS, FEATURES },
    { INIT_CONTAINERS, SIDECARS, OVERHEAD, POD_RESOURCES, RESIZED, INVALID_PODS, DEVICES, OTHER_PODS, FEATURES },
    { DEFAULT_SPREAD, NODES, BOUND_PODS, ZONE_SPREAD, STATE_PODS, IGNORE_PREFERENCES, FEATURES },
    { REPLICAS, MANY_TYPES, MANY_POOLS, WEIGHTS, NODE_SELECTOR, FEATURES },
    { REPLICAS, MANY_TYPES, HOST_SPREAD, ANTI_AFFINITY, EXTENDED, FEATURES },
    { COARSE, HUGEPAGES, EXTENDED, OVERRIDES, ODD_TYPES, SIDECARS, OVERHEAD, RESIZED, LIMITS, NODES, BOUND_PODS,
      DAEMONS, FEATURES },
    { HOST_SPREAD, ZONE_SPREAD, CUSTOM_SPREAD, ANYWAY_SPREAD, NODE_TERMS, NODE_PREFERENCES, SOFT_TAINTS,
      SPREAD_POLICIES, MATCH_LABEL_KEYS, POOL_LABELS, MANY_POOLS, NODES, BOUND_PODS, FEATURES },
    { HOST_SPREAD, ANTI_AFFINITY, PREFERRED_ANTI, PREFERRED_AFFINITY, NODE_TERMS, NODE_PREFERENCES, SOFT_TAINTS,
      SPREAD_POLICIES, POOL_LABELS, MANY_POOLS, FEATURES },
};

/** Turns features on: single ones anywhere, and one or two themes. */
static void choose_features(struct maker *m)
{
    static const enum feature usual[] = { MANY_POOLS, MANY_TYPES, NODES, BOUND_PODS, MULTI_ARCH };
    /* Some nodes and pools should be ordinary. */
    static const enum feature partly[] = { UNMANAGED,      UNINITIALIZED, UNREGISTERED, IN_FLIGHT,   DELETING,
                                           MARKED,         TIGHT_NODES,   NODE_TAINTS,  NO_HOSTNAME, ENDING_PODS,
                                           DO_NOT_DISRUPT, POOL_TAINTS,   OLD_LABELS };
    /* Settings of the whole world: on or off. */
    static const enum feature whole[] = { STATE_NODES,    STATE_PODS,         CONSOLIDATION, FALLBACK,
                                          DEFAULT_SPREAD, IGNORE_PREFERENCES, BEST_EFFORT,   NO_RESERVATIONS };
    /* What leaves nothing to decide must not be everywhere. */
    static const enum feature seldom[] = { INVALID_PODS, IMPOSSIBLE_PODS, UNUSABLE_POOLS, OTHER_PODS,
                                           OLD_KEYS,     LIMITS,          NODE_LIMITS };
    static const unsigned most[] = { 12, 5, 15, 12, 12, 50, 40 };
    unsigned on = (unsigned)strtoul(word(m, "2 2 5 10 30"), NULL, 10), count = sizeof themes / sizeof themes[0];
    for (unsigned f = 0; f < TYPE_DEVICES; f++) {
        if (chance(m, on)) {
            m->percent[f] = chance(m, 40) ? 15 : chance(m, 60) ? 40 : 85;
        }
    }
    for (unsigned n = chance(m, 10) ? 0 : 1 + below(m, 3); n > 0; n--) {
        const enum feature *theme = themes[below(m, count)];
        for (; *theme != FEATURES; theme++) {
            m->percent[*theme] = *theme == NODES ? 100 : (unsigned)strtoul(word(m, "30 60 80 80 100"), NULL, 10);
        }
    }
    for (size_t i = 0; i < sizeof partly / sizeof partly[0]; i++) {
        m->percent[partly[i]] = m->percent[partly[i]] > 50 ? 50 : m->percent[partly[i]];
    }
    for (unsigned i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        m->percent[usual[i]] += m->percent[usual[i]] == 0 ? below(m, 2) * 60 : 0;
    }
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++) {
        m->percent[whole[i]] = chance(m, m->percent[whole[i]]) ? 100 : 0;
    }
    for (size_t i = 0; i < sizeof seldom / sizeof seldom[0]; i++) {
        m->percent[seldom[i]] = m->percent[seldom[i]] > most[i] ? most[i] : m->percent[seldom[i]];
    }
    m->percent[DEVICES] = m->percent[DEVICES] > 3 ? 3 : m->percent[DEVICES];
    if (m->percent[POOL_TAINTS] > 0 && m->percent[TOLERATIONS] < 80) {
        m->percent[TOLERATIONS] = 80;
    }
}

static json_t *settings(struct maker *m)
{
    json_t *out = json_pack("{s:s, s:s, s:{s:b}, s:b}", "preferencePolicy",
                            m->percent[IGNORE_PREFERENCES] > 0 ? "Ignore" : "Respect", "minValuesPolicy",
                            m->percent[BEST_EFFORT] > 0 ? "BestEffort" : "Strict", "featureGates", "ReservedCapacity",
                            m->percent[NO_RESERVATIONS] == 0, "ignoreDRARequests", 1);
    if (m->percent[FALLBACK] > 0) {
        put(out, "reservedOfferingMode", "Fallback");
    }
    if (m->percent[DEFAULT_SPREAD] > 0) {
        json_t *c = json_pack("{s:i}", "maxSkew", 1 + (int)below(m, 2));
        put(c, "topologyKey", word(m, ZONE " " HOSTNAME));
        put(c, "whenUnsatisfiable", word(m, "DoNotSchedule ScheduleAnyway"));
        json_object_set_new(out, "schedulerConfig",
                            json_pack("{s:{s:[o]}}", "podTopologySpread", "defaultConstraints", c));
    }
    return out;
}

static json_t *label_tables(struct maker *m)
{
    json_t *known = some_words(m, "size family accel integer " RESERVATION, 3);
    json_array_append_new(known, json_string(RESERVATION));
    return json_pack("{s:o, s:[s], s:[s], s:{s:s}, s:s}", "wellKnown", known, "restricted", "example.com/forbidden",
                     "restrictedDomains", "private.example.com", "normalized",
                     chance(m, 80) ? DISK_ZONE : "other.example.com/zone", ZONE, "reservationID", RESERVATION);
}

static void make_namespaces(struct maker *m)
{
    static const char *const names[] = { "ns-a", "ns-b", "ns-c", "kube-system" };
    for (size_t i = 0; i < 4; i++) {
        json_t *namespace = object(m, "v1", "Namespace", NULL, names[i]);
        json_object_set_new(
            json_object_get(namespace, "metadata"), "labels",
            json_pack("{s:s, s:s}", "env", word(m, "live dev"), "kubernetes.io/metadata.name", names[i]));
    }
}

static void make_budgets(struct maker *m)
{
    for (unsigned i = 0; i < 2 && has(m, BUDGETS); i++) {
        json_t *budget = object(m, "policy/v1", "PodDisruptionBudget", word(m, "ns-a ns-a ns-a ns-b"),
                                text(m, "budget-%u", i));
        json_t *spec = chance(m, 50) ? json_pack("{s:{s:{s:s}}}", "selector", "matchLabels", "app", word(m, "a b c d"))
                                     : json_pack("{s:{}}", "selector");
        if (chance(m, 50)) {
            json_object_set_new(spec, "maxUnavailable", chance(m, 50) ? json_integer(below(m, 2)) : json_string("0%"));
        } else {
            json_object_set_new(spec, "minAvailable", chance(m, 60) ? json_string("100%") : json_integer(1));
        }
        if (chance(m, 40)) {
            put(spec, "unhealthyPodEvictionPolicy", word(m, "AlwaysAllow IfHealthyBudget"));
        }
        json_object_set_new(budget, "spec", spec);
    }
}

/** The name under which the scheduler knows a node: that of its claim while it is not registered. */
static json_t *state_nodes(struct maker *m)
{
    json_t *out = json_array(), *seen = json_object();
    for (size_t i = 0; i < json_array_size(m->objects); i++) {
        json_t *o = json_array_get(m->objects, i), *name = json_object_get(json_object_get(o, "metadata"), "name");
        const char *kind = json_string_value(json_object_get(o, "kind"));
        if ((strcmp(kind, "Node") != 0 && strcmp(kind, "NodeClaim") != 0) ||
            json_object_get(seen, json_string_value(name)) != NULL ||
            chance(m, m->percent[CONSOLIDATION] > 0 ? 35 : 15)) {
            continue;
        }
        json_object_set_new(seen, json_string_value(name), json_true());
        json_t *state = json_pack("{s:O}", "name", name);
        if (has(m, MARKED)) {
            json_object_set_new(state, "markedForDeletion", json_true());
        }
        json_array_append_new(out, state);
    }
    json_decref(seen);
    return out;
}

static bool is_listed(const json_t *nodes, const json_t *name)
{
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        if (json_equal(json_object_get(json_array_get(nodes, i), "name"), name)) {
            return true;
        }
    }
    return false;
}

/** Pods that are placed whatever their state: most pending ones, those of nodes left out, some others that run. */
static json_t *state_pods(struct maker *m, const json_t *nodes)
{
    json_t *out = json_array(), *daemon_set = json_string("DaemonSet");
    for (size_t i = 0; i < json_array_size(m->objects); i++) {
        json_t *o = json_array_get(m->objects, i), *metadata = json_object_get(o, "metadata");
        const json_t *node = json_object_get(json_object_get(o, "spec"), "nodeName");
        json_t *owner = json_array_get(json_object_get(metadata, "ownerReferences"), 0);
        if (json_equal(json_object_get(owner, "kind"), daemon_set)) {
            continue; /* nothing ever moves a daemon's pod */
        }
        unsigned percent = node == NULL ? 85 : nodes != NULL && !is_listed(nodes, node) ? 95 : 10;
        if (strcmp(json_string_value(json_object_get(o, "kind")), "Pod") == 0 && chance(m, percent)) {
            json_array_append_new(
                out, json_string(text(m, "%s/%s", json_string_value(json_object_get(metadata, "namespace")),
                                      json_string_value(json_object_get(metadata, "name")))));
        }
    }
    json_decref(daemon_set);
    return out;
}

static json_t *state(struct maker *m)
{
    json_t *out = json_object();
    if (m->percent[STATE_NODES] > 0 || m->percent[MARKED] > 0) {
        json_object_set_new(out, "nodes", state_nodes(m));
    }
    if (m->percent[STATE_PODS] > 0) {
        json_object_set_new(out, "pods", state_pods(m, json_object_get(out, "nodes")));
    }
    if (m->percent[CONSOLIDATION] > 0) {
        json_object_set_new(out, "consolidationSimulation", json_true());
    }
    return out;
}

static void make_all_pods(struct maker *m)
{
    unsigned pending = chance(m, 30) ? 1 + below(m, 6) : chance(m, 97) ? 1 + below(m, 60) : 200 + below(m, 120);
    if (has(m, REPLICAS)) {
        pending += 100 + below(m, 100);
    }
    for (size_t i = 0; i < json_array_size(m->nodes); i++) {
        for (unsigned n = has(m, BOUND_PODS) ? below(m, 5) : 0; n > 0; n--) {
            make_pod(m, json_array_get(m->nodes, i));
        }
    }
    for (unsigned i = 0; i < pending && (!m->small || i < 12); i++) {
        make_pod(m, NULL);
    }
}

/** Devices come last, so that the rest of a world is the same whether or not there are any. */
static void add_devices(struct maker *m, json_t *world)
{
    if (!chance(m, 25)) {
        return;
    }
    for (unsigned f = TYPE_DEVICES; f < FEATURES; f++) {
        m->percent[f] = (unsigned)strtoul(word(m, "0 0 0 0 40 60 90"), NULL, 10);
    }
    const char *most = word(m, "types types cluster both both");
    if (*most != 'c') {
        m->percent[TYPE_DEVICES] = 70 + 10 * below(m, 4);
    }
    if (*most != 't') {
        m->percent[CLUSTER_DEVICES] = 70 + 10 * below(m, 4);
    }
    json_object_set_new(json_object_get(world, "settings"), "ignoreDRARequests", json_false());
    make_devices(m);
    make_device_claims(m);
}

static json_t *make(struct maker m)
{
    json_t *lists[] = { json_array(), json_array(), json_array(), json_array(), json_array(),
                        json_array(), json_array(), json_array(), json_array() };
    m.objects = lists[0];
    m.catalogues = lists[1];
    m.types = lists[2];
    m.pools = lists[3];
    m.nodes = lists[4];
    m.workloads = lists[5];
    m.daemons = lists[6];
    m.slices = lists[7];
    m.claims = lists[8];
    m.zones = 1 + (int)below(&m, 4);
    m.zones += m.zones == 4;
    choose_features(&m);
    make_catalogues(&m);
    make_namespaces(&m);
    make_pools(&m);
    make_nodes(&m);
    make_daemons(&m);
    make_storage(&m);
    make_workloads(&m);
    make_budgets(&m);
    make_all_pods(&m);
    json_t *world = json_pack("{s:s, s:s, s:s}", "apiVersion", "karp/v1", "kind", "Snapshot", "now",
                              "2026-11-21T12:00:00Z");
    json_object_set_new(world, "settings", settings(&m));
    json_object_set_new(world, "labels", label_tables(&m));
    json_object_set(world, "catalogues", m.catalogues);
    json_object_set_new(world, "state", state(&m));
    json_object_set(world, "objects", m.objects);
    add_devices(&m, world);
    add_later(&m);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        json_decref(lists[i]);
    }
    return world;
}

json_t *world_make(uint64_t seed) { return make((struct maker){ .random = seed, .small = seed % 4 != 0 }); }

char *world_text(uint64_t seed)
{
    json_t *world = world_make(seed);
    char *text = json_dumps(world, JSON_COMPACT);
    json_decref(world);
    return text;
}

json_t *world_make_from(const uint8_t *bytes, size_t count)
{
    return make((struct maker){ .bytes = bytes, .byte_count = count, .small = true });
}
