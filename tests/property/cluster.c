/* SPDX-License-Identifier: Apache-2.0 */
/* NodePools, nodes with and without claims, DaemonSets. */
#include <string.h>

#include "maker.h"

/* ------------------------------------------------------------------------------------------------ pools */

static json_t *taint(struct maker *m, const char *key, const char *effect)
{
    json_t *out = json_pack("{s:s, s:s}", "key", key, "effect", effect);
    if (chance(m, 80)) {
        put(out, "value", word(m, "a a b 5"));
    }
    return out;
}

static json_t *pool_taints(struct maker *m)
{
    json_t *out = json_array();
    if (has(m, POOL_TAINTS)) {
        json_array_append_new(out, taint(m, "dedicated", word(m, "NoSchedule NoSchedule NoExecute")));
    }
    if (has(m, SOFT_TAINTS)) {
        json_array_append_new(out, taint(m, "soft", "PreferNoSchedule"));
    }
    return out;
}

static json_t *least_values(struct maker *m)
{
    const char *key = word(m, TYPE " " TYPE " family integer " ZONE " team");
    json_t *out = entry(key, "Exists", NULL);
    if (chance(m, 30)) {
        json_object_set_new(out, "operator", json_string("In"));
        json_object_set_new(out, "values", some_words(m, values_of(m, key), 3));
    }
    size_t listed = json_array_size(json_object_get(out, "values"));
    unsigned least = 1 + below(m, 3);
    json_object_set_new(out, "minValues",
                        json_integer(listed > 0 && listed < least ? (json_int_t)listed : (json_int_t)least));
    return out;
}

static json_t *pool_requirements(struct maker *m)
{
    json_t *out = json_array();
    if (chance(m, 50)) {
        json_t *types = json_pack("[s]", word(m, "on-demand on-demand spot"));
        if (chance(m, 75)) {
            json_array_append_new(types, json_string("reserved"));
            json_array_append_new(types, json_string(word(m, "spot on-demand")));
        }
        json_array_append_new(out, entry(CAPACITY_TYPE, "In", types));
    }
    for (unsigned i = 0; i < 2 && has(m, POOL_REQUIREMENTS) && chance(m, 40); i++) {
        json_array_append_new(out, expression(m, true));
    }
    if (has(m, POOL_REQUIREMENTS)) {
        json_array_append_new(out, entry("rack", "In", some_words(m, "r1 r2 r3", 1 + below(m, 3))));
    } else if (has(m, POOL_NOT_IN)) {
        json_array_append_new(out, entry("rack", "NotIn", some_words(m, "r1 r2 r9", 1 + below(m, 2))));
    }
    if (has(m, MIN_VALUES)) {
        json_array_append_new(out, least_values(m));
    }
    return out;
}

static void add_limits(struct maker *m, json_t *spec)
{
    json_t *limits = json_object();
    if (has(m, LIMITS)) {
        put(limits, "cpu", word(m, "1 4 8 16 40 100 12500m"));
    }
    if (has(m, LIMITS)) {
        put(limits, "memory", word(m, "8Gi 32Gi 100Gi 1Ti"));
    }
    if (has(m, LIMITS) && chance(m, 20)) {
        put(limits, "example.com/gpu", word(m, "0 1 4"));
    }
    if (has(m, LIMITS) && chance(m, 20)) {
        put_some(m, limits, "pods ephemeral-storage", "20 100 200Gi");
    }
    if (has(m, NODE_LIMITS)) {
        put(limits, "nodes", word(m, "0 1 2 3 5 500m 1500m 2.5"));
    }
    if (json_object_size(limits) > 0) {
        json_object_set(spec, "limits", limits);
    }
    json_decref(limits);
}

static json_t *pool_conditions(struct maker *m)
{
    const char *ready = has(m, UNUSABLE_POOLS) ? word(m, "False Unknown True") : "True";
    json_t *out = json_pack("[o]", condition(m, "ValidationSucceeded", "True", "ValidationSucceeded"));
    json_array_append_new(out, condition(m, "NodeClassReady", ready, "NodeClassReady"));
    json_array_append_new(out, condition(m, "Ready", ready, "Ready"));
    return out;
}

static void make_pool(struct maker *m, const char *name)
{
    json_t *pool = object(m, "karpenter.sh/v1", "NodePool", NULL, name);
    json_t *node_spec = json_pack("{s:{s:s, s:s, s:s}, s:s}", "nodeClassRef", "group", "karpenter.example.com", "kind",
                                  "ExampleNodeClass", "name", word(m, "default default gpu"), "expireAfter", "720h");
    json_t *labels = json_object(), *spec;
    json_object_set_new(node_spec, "requirements", pool_requirements(m));
    json_object_set_new(node_spec, "taints", pool_taints(m));
    if (has(m, STARTUP_TAINTS)) {
        json_object_set_new(node_spec, "startupTaints", json_pack("[o]", taint(m, "starting", "NoSchedule")));
    }
    if (has(m, POOL_LABELS)) {
        put(labels, "team", word(m, "a b c"));
    }
    if (has(m, POOL_LABELS) && chance(m, 30)) {
        put_some(m, labels, "size tier family", "large fa gold");
    }
    spec = json_pack("{s:{s:{s:o}, s:o}, s:{s:s, s:s, s:[{s:s}]}}", "template", "metadata", "labels", labels, "spec",
                     node_spec, "disruption", "consolidateAfter",
                     m->percent[CONSOLIDATION] > 0 ? word(m, "30m 45m 1h30m") : word(m, "0s 5m Never"),
                     "consolidationPolicy", "WhenEmptyOrUnderutilized", "budgets", "nodes", "10%");
    if (has(m, WEIGHTS)) {
        json_object_set_new(spec, "weight", json_integer(1 + below(m, 3)));
    }
    add_limits(m, spec);
    json_object_set_new(pool, "spec", spec);
    json_object_set_new(pool, "status", json_pack("{s:o}", "conditions", pool_conditions(m)));
    if (has(m, UNUSABLE_POOLS) && chance(m, 30)) {
        put(json_object_get(pool, "metadata"), "deletionTimestamp", ago(m, 60));
    }
    json_array_append(m->pools, pool);
}

void make_pools(struct maker *m)
{
    unsigned count = has(m, MANY_POOLS) ? 2 + below(m, 3) : 1;
    for (unsigned i = 0; i < count; i++) {
        make_pool(m, text(m, "pool-%c", 'a' + (int)i));
    }
    if (has(m, UNUSABLE_POOLS) && chance(m, 10)) {
        make_pool(m, "pool-static");
        json_object_set_new(json_object_get(json_array_get(m->pools, count), "spec"), "replicas", json_integer(2));
        json_array_remove(m->pools, count);
    }
}

/* ------------------------------------------------------------------------------------------------ nodes */

/** Single values of a requirement list become labels. */
static void add_labels(struct maker *m, json_t *labels, const json_t *requirements)
{
    for (size_t i = 0; i < json_array_size(requirements); i++) {
        json_t *r = json_array_get(requirements, i);
        json_t *value = random_item(m, json_object_get(r, "values"));
        if (strcmp(json_string_value(json_object_get(r, "operator")), "In") == 0 && value != NULL) {
            json_object_set(labels, json_string_value(json_object_get(r, "key")), value);
        }
    }
}

static json_t *node_labels(struct maker *m, const json_t *type, const json_t *pool)
{
    json_t *labels = json_object(), *template = json_object_get(json_object_get(pool, "spec"), "template");
    add_labels(m, labels, json_object_get(type, "requirements"));
    add_labels(m, labels, json_object_get(random_item(m, json_object_get(type, "offerings")), "requirements"));
    if (pool != NULL) {
        json_object_update(labels, json_object_get(json_object_get(template, "metadata"), "labels"));
        json_object_set(labels, NODEPOOL, json_object_get(json_object_get(pool, "metadata"), "name"));
        put(labels, "karpenter.example.com/examplenodeclass", "default");
    }
    if (chance(m, 20)) {
        put_some(m, labels, "rack team tier", "r1 a gold");
    }
    return labels;
}

static json_t *node_allocatable(struct maker *m, const json_t *type, bool tight)
{
    json_t *out = json_copy(json_object_get(type, "capacity"));
    put(out, "cpu", tight ? word(m, "500m 1 1500m") : amount(m, "1930m 3920m 7910m 15890m", "2 4 8 16"));
    put(out, "memory", tight ? word(m, "512Mi 1Gi 2Gi") : amount(m, "3Gi 7Gi 15Gi 30500Mi", "8Gi 16Gi 32Gi"));
    if (chance(m, 95)) {
        put(out, "pods", tight ? word(m, "3 4 6") : word(m, "8 29 110"));
    }
    return out;
}

static json_t *node_taints(struct maker *m, const json_t *template_spec, bool registered, bool initialized)
{
    json_t *out = json_array();
    json_array_extend(out, json_object_get(template_spec, "taints"));
    if (!initialized) {
        json_array_extend(out, json_object_get(template_spec, "startupTaints"));
        if (chance(m, 60)) {
            json_array_append_new(out, json_pack("{s:s, s:s}", "key",
                                                 word(m, "node.kubernetes.io/not-ready readiness.k8s.io/disk"),
                                                 "effect", "NoSchedule"));
        }
    }
    if (!registered) {
        json_array_append_new(out, json_pack("{s:s, s:s}", "key", "karpenter.sh/unregistered", "effect", "NoExecute"));
    }
    if (has(m, NODE_TAINTS)) {
        const char *key = word(m, "dedicated maintenance soft"), *effect = word(m, "NoSchedule PreferNoSchedule");
        json_array_append_new(out, taint(m, key, effect));
    }
    if (has(m, NODE_TAINTS) && chance(m, 20)) {
        json_array_append_new(out,
                              json_pack("{s:s, s:s}", "key", "node.kubernetes.io/unreachable", "effect", "NoSchedule"));
    }
    return out;
}

static void make_claim(struct maker *m, const char *name, const char *id, const json_t *pool, json_t *labels,
                       json_t *capacity, json_t *allocatable, bool registered, bool initialized)
{
    const json_t *template = json_object_get(json_object_get(json_object_get(pool, "spec"), "template"), "spec");
    json_t *claim = object(m, "karpenter.sh/v1", "NodeClaim", NULL, name), *spec = json_object();
    json_t *metadata = json_object_get(claim, "metadata"), *conditions = json_array(), *status;
    static const char *const fields[] = { "nodeClassRef", "requirements", "taints", "startupTaints", "expireAfter" };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (json_object_get(template, fields[i]) != NULL) {
            json_object_set(spec, fields[i], json_object_get(template, fields[i]));
        }
    }
    json_array_append_new(conditions, condition(m, "Launched", "True", "Launched"));
    json_array_append_new(conditions, condition(m, "Registered", registered ? "True" : "Unknown", "Registered"));
    json_array_append_new(conditions, condition(m, "Initialized", initialized ? "True" : "False", "Initialized"));
    if (has(m, DELETING) && chance(m, 30)) {
        json_array_append_new(conditions, condition(m, "InstanceTerminating", "True", "InstanceTerminating"));
    } else if (has(m, DELETING)) {
        put(metadata, "deletionTimestamp", ago(m, 30));
        json_object_set_new(metadata, "finalizers", json_pack("[s]", "karpenter.sh/termination"));
    }
    status = json_pack("{s:s, s:o, s:O, s:O}", "providerID", id, "conditions", conditions, "capacity", capacity,
                       "allocatable", allocatable);
    if (chance(m, m->percent[CONSOLIDATION] > 0 ? 60 : 15)) {
        put(status, "lastPodEventTime", ago(m, 60 * below(m, 90)));
    }
    json_object_set(metadata, "labels", labels);
    json_object_set_new(claim, "spec", spec);
    json_object_set_new(claim, "status", status);
}

static void make_csi_node(struct maker *m, const char *name)
{
    json_t *node = object(m, "storage.k8s.io/v1", "CSINode", NULL, name), *drivers = json_array();
    json_t *disk = json_pack("{s:s, s:s}", "name", "disk.example.com", "nodeID", name);
    if (chance(m, 90)) {
        json_object_set_new(disk, "allocatable", json_pack("{s:i}", "count", (int)below(m, 4)));
    }
    json_array_append_new(drivers, disk);
    if (chance(m, 60)) {
        json_array_append_new(drivers, json_pack("{s:s, s:s, s:{s:i}}", "name", "ebs.csi.aws.com", "nodeID", name,
                                                 "allocatable", "count", (int)below(m, 3)));
    }
    json_object_set_new(node, "spec", json_pack("{s:o}", "drivers", drivers));
}

/** Labels by their old names: instead of today's, beside them, and now and then of another value. */
static void add_old_labels(struct maker *m, json_t *labels)
{
    static const char *const names[][2] = { { OLD_ZONE, ZONE },
                                            { OLD_ZONE, ZONE },
                                            { "beta.kubernetes.io/arch", ARCH },
                                            { "beta.kubernetes.io/instance-type", TYPE } };
    const char *const *pair = names[below(m, sizeof names / sizeof names[0])];
    json_t *value = json_object_get(labels, pair[1]);
    if (value == NULL) {
        return;
    }
    if (chance(m, 15)) {
        put(labels, pair[0], word(m, "z1 z2 z3"));
        return;
    }
    json_object_set(labels, pair[0], value);
    if (chance(m, 60)) {
        json_object_del(labels, pair[1]);
    }
}

static void make_node(struct maker *m, unsigned number)
{
    const char *name = text(m, "node-%02u", number), *id = text(m, "example:///%02u", number);
    json_t *type = random_item(m, m->types), *pool = has(m, UNMANAGED) ? NULL : random_item(m, m->pools);
    bool registered = pool == NULL || !has(m, UNREGISTERED),
         initialized = pool == NULL || (registered && !has(m, UNINITIALIZED));
    bool in_flight = pool != NULL && has(m, IN_FLIGHT), tight = has(m, TIGHT_NODES);
    const json_t *template = json_object_get(json_object_get(json_object_get(pool, "spec"), "template"), "spec");
    json_t *labels = node_labels(m, type, pool), *capacity = json_object_get(type, "capacity");
    json_t *allocatable = node_allocatable(m, type, tight);
    if (pool != NULL) {
        make_claim(m, !registered && chance(m, 30) ? text(m, "claim-%02u", number) : name, id, pool, labels, capacity,
                   allocatable, registered && !in_flight, initialized && !in_flight);
    }
    if (!in_flight) {
        json_t *node = object(m, "v1", "Node", NULL, name), *node_labels_ = json_copy(labels);
        json_t *shown = json_copy(allocatable);
        if (!has(m, NO_HOSTNAME)) {
            put(node_labels_, HOSTNAME, name);
        }
        if (pool != NULL && registered) {
            put(node_labels_, "karpenter.sh/registered", "true");
        }
        if (pool != NULL && initialized) {
            put(node_labels_, "karpenter.sh/initialized", "true");
        }
        if (!initialized && chance(m, 10)) {
            json_object_del(node_labels_, TYPE); /* not told yet */
        }
        if (!initialized && chance(m, 50)) {
            put(shown, "example.com/gpu", "0");
            json_object_del(shown, "memory");
        }
        if (has(m, OLD_LABELS)) {
            add_old_labels(m, node_labels_);
        }
        json_object_set_new(json_object_get(node, "metadata"), "labels", node_labels_);
        const char *shown_id = !registered && chance(m, 10) ? "" : id;
        json_object_set_new(node, "spec",
                            json_pack("{s:s, s:o}", "providerID", shown_id, "taints",
                                      node_taints(m, template, registered, initialized)));
        json_object_set_new(node, "status",
                            json_pack("{s:O, s:o, s:[o]}", "capacity", capacity, "allocatable", shown, "conditions",
                                      condition(m, "Ready", "True", "KubeletReady")));
        if (pool == NULL && has(m, DELETING)) {
            put(json_object_get(node, "metadata"), "deletionTimestamp", ago(m, 30));
        }
        json_array_append(m->nodes, node);
        if (has(m, CSI_LIMITS)) {
            make_csi_node(m, name);
        }
    }
    json_decref(labels);
    json_decref(allocatable);
}

void make_nodes(struct maker *m)
{
    unsigned count = has(m, NODES) ? 1 + below(m, 8) : 0;
    for (unsigned i = 0; i < count; i++) {
        make_node(m, i);
    }
}

/* ------------------------------------------------------------------------------------------------ daemons */

static void make_daemon_set(struct maker *m, const char *name)
{
    json_t *set = object(m, "apps/v1", "DaemonSet", word(m, "kube-system ns-a"), name), *affinity = json_object();
    json_t *amounts = json_object();
    json_t *container = json_pack("{s:s, s:{s:o}}", "name", "main", "resources", chance(m, 80) ? "requests" : "limits",
                                  amounts);
    put(amounts, "cpu", amount(m, "50m 100m 500m 1", "1"));
    put(amounts, "memory", amount(m, "64Mi 128Mi 1Gi", "4Gi"));
    json_t *spec = json_pack("{s:[o]}", "containers", container);
    if (chance(m, 70)) {
        json_object_set_new(spec, "tolerations",
                            chance(m, 50) ? json_pack("[{s:s}]", "operator", "Exists") : tolerations(m));
    }
    if (chance(m, 25)) {
        const char *key = word(m, ZONE " " ARCH " size team accel");
        json_object_set_new(spec, "nodeSelector", json_pack("{s:s}", key, word(m, values_of(m, key))));
    }
    if (has(m, DAEMON_TERMS)) {
        json_t *terms = json_array();
        for (unsigned i = 0; i < 1 + below(m, 3); i++) {
            json_array_append_new(terms, json_pack("{s:[o]}", "matchExpressions", expression(m, false)));
        }
        json_object_set_new(
            affinity, "nodeAffinity",
            json_pack("{s:{s:o}}", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms", terms));
        json_object_set(spec, "affinity", affinity);
    }
    if (has(m, DAEMON_PORTS)) {
        json_object_set_new(container, "ports",
                            json_pack("[{s:i, s:i, s:s}]", "containerPort", 80, "hostPort", chance(m, 50) ? 80 : 8080,
                                      "protocol", "TCP"));
    }
    if (has(m, DEVICES)) {
        json_object_set_new(spec, "resourceClaims",
                            json_pack("[{s:s, s:s}]", "name", "gpu", "resourceClaimName", "gpu"));
    }
    json_object_set_new(set, "spec",
                        json_pack("{s:{s:{s:s}}, s:{s:{s:{s:s}}, s:o}}", "selector", "matchLabels", "app", name,
                                  "template", "metadata", "labels", "app", name, "spec", spec));
    json_array_append(m->daemons, set);
    json_decref(affinity);
}

void make_daemons(struct maker *m)
{
    for (unsigned i = 0; i < 3 && has(m, DAEMONS); i++) {
        make_daemon_set(m, text(m, "daemon-%u", i));
    }
}
