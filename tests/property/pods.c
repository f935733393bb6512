/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads, and pods of them: pending, bound, ending, invalid. */
#include <string.h>

#include "maker.h"

/* ------------------------------------------------------------------------------------------------ constraints */

json_t *tolerations(struct maker *m)
{
    json_t *out = json_array();
    for (unsigned i = 0; i < 1 + below(m, 2); i++) {
        json_t *t = json_object();
        put(t, "key", i == 0 && chance(m, 75) ? "dedicated" : word(m, "soft maintenance starting"));
        if (chance(m, has(m, TOLERATION_KINDS) ? 30 : 80)) {
            put(t, "operator", "Exists");
        } else {
            put(t, "operator", has(m, TOLERATION_KINDS) ? word(m, "Lt Gt Equal") : "Equal");
            put(t, "value", has(m, TOLERATION_KINDS) ? word(m, "4 6 05 a") : word(m, "a b"));
        }
        if (chance(m, 40)) {
            put(t, "effect", word(m, "NoSchedule NoSchedule PreferNoSchedule NoExecute"));
        }
        if (has(m, TOLERATION_KINDS) && chance(m, 20)) {
            json_object_set_new(t, "tolerationSeconds", json_integer(below(m, 2) * 300));
        }
        json_array_append_new(out, t);
    }
    if (has(m, TOLERATION_KINDS) && chance(m, 30)) {
        json_array_append_new(out, json_pack("{s:s, s:s}", "operator", "Exists", "effect", "PreferNoSchedule"));
    }
    if (has(m, TOLERATION_KINDS) && chance(m, 15)) {
        json_array_append_new(out, json_pack("{s:s}", "operator", "Exists"));
    }
    return out;
}

/** Of the pod itself, of another workload, or of more. NULL: none is given. */
static json_t *selector(struct maker *m, json_t *labels)
{
    const char *app = chance(m, 85) ? json_string_value(json_object_get(labels, "app")) : word(m, "a b c d");
    if (has(m, ODD_SELECTORS)) {
        switch (below(m, 5)) {
        case 0: return NULL;
        case 1: return json_object();
        case 2:
            return json_pack("{s:[{s:s, s:s, s:[s,s,s]}]}", "matchExpressions", "key", "app", "operator", "In",
                             "values", app, "d", "d");
        case 3: return json_pack("{s:[{s:s, s:s}]}", "matchExpressions", "key", "app", "operator", "In");
        default:
            return json_pack("{s:[{s:s, s:s}, {s:s, s:s}]}", "matchExpressions", "key", "app", "operator", "Exists",
                             "key", "gone", "operator", "DoesNotExist");
        }
    }
    if (has(m, EXPRESSION_SELECTORS)) {
        const char *op = word(m, "In NotIn Exists");
        json_t *e = entry(chance(m, 70) ? "app" : "tier", op, NULL);
        if (strcmp(op, "Exists") != 0) {
            json_object_set_new(e, "values", json_pack("[s,s]", app, word(m, "x y a")));
        }
        return json_pack("{s:[o]}", "matchExpressions", e);
    }
    return json_pack("{s:{s:s}}", "matchLabels", "app", app);
}

static void add_spread(struct maker *m, json_t *list, json_t *labels, const char *key, const char *when)
{
    json_t *c = json_pack("{s:i, s:s, s:s}", "maxSkew", chance(m, 75) ? 1 : 2 + (int)below(m, 2), "topologyKey", key,
                          "whenUnsatisfiable", when);
    json_t *s = selector(m, labels);
    if (s != NULL) {
        json_object_set_new(c, "labelSelector", s);
    }
    if (strcmp(when, "DoNotSchedule") == 0 && has(m, MIN_DOMAINS)) {
        json_object_set_new(c, "minDomains", json_integer(1 + below(m, 4)));
    }
    if (has(m, SPREAD_POLICIES)) {
        put(c, "nodeTaintsPolicy", word(m, "Honor Ignore"));
    }
    if (has(m, SPREAD_POLICIES)) {
        put(c, "nodeAffinityPolicy", word(m, "Honor Ignore"));
    }
    if (s != NULL && has(m, MATCH_LABEL_KEYS)) {
        json_object_set_new(c, "matchLabelKeys", json_pack("[s]", word(m, "hash hash tier nothing")));
    }
    json_array_append_new(list, c);
}

static void add_spreads(struct maker *m, json_t *spec, json_t *labels)
{
    json_t *list = json_array();
    if (has(m, ZONE_SPREAD)) {
        add_spread(m, list, labels, has(m, OLD_KEYS) ? OLD_ZONE : ZONE, "DoNotSchedule");
    }
    if (has(m, HOST_SPREAD)) {
        add_spread(m, list, labels, HOSTNAME, "DoNotSchedule");
    }
    if (has(m, TYPE_SPREAD)) {
        add_spread(m, list, labels, CAPACITY_TYPE, "DoNotSchedule");
    }
    if (has(m, CUSTOM_SPREAD)) {
        add_spread(m, list, labels, known_key(m, "rack team size family integer " ARCH " " ARCH " unknown"),
                   "DoNotSchedule");
    }
    for (unsigned i = 0; i < 2 && has(m, ANYWAY_SPREAD); i++) {
        add_spread(m, list, labels, word(m, ZONE " " HOSTNAME " " CAPACITY_TYPE " rack"), "ScheduleAnyway");
    }
    if (json_array_size(list) > 0) {
        json_object_set(spec, "topologySpreadConstraints", list);
    }
    json_decref(list);
}

static json_t *pod_term(struct maker *m, json_t *labels)
{
    const char *key = has(m, CUSTOM_AFFINITY) ? known_key(m, "rack team family size " CAPACITY_TYPE)
                                              : word(m, ZONE " " HOSTNAME);
    json_t *out = json_pack("{s:s}", "topologyKey", has(m, OLD_KEYS) ? OLD_ZONE : key), *s = selector(m, labels);
    if (s != NULL) {
        json_object_set_new(out, "labelSelector", s);
    }
    if (has(m, NAMESPACES)) {
        json_object_set_new(out, "namespaces", some_words(m, "ns-a ns-b ns-c", 1 + below(m, 2)));
    }
    if (has(m, NAMESPACES)) {
        json_object_set_new(out, "namespaceSelector",
                            chance(m, 50) ? json_object()
                                          : json_pack("{s:{s:s}}", "matchLabels", "env", word(m, "live dev")));
    }
    return out;
}

static json_t *preferred_terms(struct maker *m, json_t *labels)
{
    json_t *out = json_array();
    for (unsigned i = 0; i < 1 + below(m, 2); i++) {
        int weight = 10 + 10 * (int)below(m, 3);
        json_array_append_new(out, json_pack("{s:i, s:o}", "weight", weight, "podAffinityTerm", pod_term(m, labels)));
    }
    return out;
}

static json_t *required_terms(struct maker *m, json_t *labels)
{
    json_t *out = json_pack("[o]", pod_term(m, labels));
    if (chance(m, 15)) {
        json_array_append_new(out, pod_term(m, labels));
    }
    return out;
}

static json_t *node_affinity(struct maker *m)
{
    json_t *out = json_object(), *terms = json_array(), *preferred = json_array();
    unsigned count = has(m, NODE_TERMS) ? 2 + below(m, 2) : has(m, NODE_AFFINITY) ? 1 : 0;
    for (unsigned i = 0; i < count; i++) {
        json_t *list = json_pack("[o]", expression(m, false));
        if (chance(m, 30)) {
            json_array_append_new(list, expression(m, false));
        }
        json_array_append_new(terms, json_pack("{s:o}", "matchExpressions", list));
    }
    for (unsigned i = 0; i < 3 && has(m, NODE_PREFERENCES); i++) {
        int weight = 1 + 9 * (int)below(m, 3);
        json_array_append_new(preferred, json_pack("{s:i, s:{s:[o]}}", "weight", weight, "preference",
                                                   "matchExpressions", expression(m, false)));
    }
    if (count > 0) {
        json_object_set_new(out, "requiredDuringSchedulingIgnoredDuringExecution",
                            json_pack("{s:O}", "nodeSelectorTerms", terms));
    }
    if (json_array_size(preferred) > 0) {
        json_object_set(out, "preferredDuringSchedulingIgnoredDuringExecution", preferred);
    }
    json_decref(terms);
    json_decref(preferred);
    return out;
}

static void add_affinity(struct maker *m, json_t *spec, json_t *labels)
{
    static const struct {
        enum feature feature;
        const char *kind, *strength;
    } table[] = {
        { AFFINITY, "podAffinity", "requiredDuringSchedulingIgnoredDuringExecution" },
        { PREFERRED_AFFINITY, "podAffinity", "preferredDuringSchedulingIgnoredDuringExecution" },
        { ANTI_AFFINITY, "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution" },
        { PREFERRED_ANTI, "podAntiAffinity", "preferredDuringSchedulingIgnoredDuringExecution" },
    };
    json_t *affinity = json_object();
    json_object_set_new(affinity, "nodeAffinity", node_affinity(m));
    for (size_t i = 0; i < 4; i++) {
        if (!has(m, table[i].feature)) {
            continue;
        }
        if (json_object_get(affinity, table[i].kind) == NULL) {
            json_object_set_new(affinity, table[i].kind, json_object());
        }
        json_object_set_new(json_object_get(affinity, table[i].kind), table[i].strength,
                            i % 2 == 0 ? required_terms(m, labels) : preferred_terms(m, labels));
    }
    json_object_set_new(spec, "affinity", affinity);
}

/* ------------------------------------------------------------------------------------------------ resources */

static json_t *requests(struct maker *m)
{
    json_t *out = json_object();
    if (!chance(m, 8)) {
        put(out, "cpu", amount(m, "50m 100m 250m 500m 0.5 1 1 1.5 2 3 7e0", "1 2 4"));
    }
    if (!chance(m, 12)) {
        put(out, "memory", amount(m, "64Mi 131072Ki 256Mi 0.5Gi 1Gi 1Gi 2Gi 15e8 4Gi", "4Gi 4Gi 8Gi 16Gi"));
    }
    if (has(m, EXTENDED) && chance(m, 50)) {
        put(out, "example.com/gpu", word(m, "0 1 1 2"));
    }
    if (has(m, HUGEPAGES) && chance(m, 50)) {
        put_some(m, out, "hugepages-2Mi hugepages-1Gi", "256Mi 1Gi");
    }
    if (chance(m, 5)) {
        put(out, "ephemeral-storage", word(m, "1Gi 30Gi"));
    }
    if (has(m, IMPOSSIBLE_PODS)) {
        put_some(m, out, "cpu example.com/nowhere", "5k 3");
    }
    return out;
}

static json_t *host_ports(struct maker *m)
{
    json_t *port = json_pack("{s:i, s:i}", "containerPort", 80, "hostPort", chance(m, 70) ? 80 : 8080);
    if (chance(m, 85)) {
        put(port, "protocol", word(m, "TCP TCP UDP"));
    }
    if (chance(m, 45)) {
        put(port, "hostIP", word(m, "10.0.0.1 10.0.0.2 0.0.0.0 :: fd00::1 ::ffff:10.0.0.1 ::ffff:0.0.0.0"));
    }
    return json_pack("[o, {s:i}]", port, "containerPort", 9090);
}

static void add_containers(struct maker *m, json_t *spec)
{
    json_t *main_container = json_pack("{s:s, s:{s:o}}", "name", "main", "resources", "requests", requests(m));
    json_t *list = json_pack("[o]", main_container), *init = json_array();
    if (has(m, PORTS)) {
        json_object_set_new(main_container, "ports", host_ports(m));
    }
    if (chance(m, 10)) {
        json_array_append_new(list,
                              json_pack("{s:s, s:{s:o}}", "name", "second", "resources", "requests", requests(m)));
    }
    if (has(m, INIT_CONTAINERS)) {
        json_array_append_new(init,
                              json_pack("{s:s, s:{s:o}}", "name", "init-0", "resources", "requests", requests(m)));
    }
    if (has(m, SIDECARS)) {
        json_array_append_new(init, json_pack("{s:s, s:s, s:{s:{s:s}}}", "name", "proxy", "restartPolicy", "Always",
                                              "resources", "requests", "cpu", word(m, "100m 500m")));
    }
    if (has(m, INIT_CONTAINERS) && chance(m, 50)) {
        json_array_append_new(init,
                              json_pack("{s:s, s:{s:o}}", "name", "init-1", "resources", "requests", requests(m)));
    }
    json_object_set_new(spec, "containers", list);
    json_object_set_new(spec, "initContainers", init);
    if (has(m, OVERHEAD)) {
        json_object_set_new(spec, "overhead", json_pack("{s:s, s:s}", "cpu", word(m, "100m 250m"), "memory", "120Mi"));
    }
    if (has(m, POD_RESOURCES)) {
        json_t *amounts = json_object();
        put_some(m, amounts, "cpu memory hugepages-2Mi", "2 3");
        json_object_set_new(spec, "resources", json_pack("{s:o}", word(m, "requests limits"), amounts));
    }
    if (has(m, DEVICES)) {
        json_object_set_new(spec, "resourceClaims",
                            json_pack("[{s:s, s:s}]", "name", "gpu", "resourceClaimName", "gpu"));
    }
}

/* ------------------------------------------------------------------------------------------------ workloads */

static void make_owner(struct maker *m, json_t *workload, json_t *labels)
{
    const char *kind = word(m, "ReplicaSet ReplicaSet StatefulSet ReplicationController Job");
    const char *api = kind[7] == 'S' || *kind == 'S' ? "apps/v1" : *kind == 'J' ? "batch/v1" : "v1";
    const char *name = json_string_value(json_object_get(workload, "name"));
    const char *namespace = json_string_value(json_object_get(workload, "namespace"));
    json_t *app = json_object_get(labels, "app"), *owner = NULL;
    if (*kind == 'J' || chance(m, 30)) {
        kind = "Job";
        api = "batch/v1";
    } else {
        owner = object(m, api, kind, namespace, name);
        json_object_set_new(owner, "spec",
                            *api == 'v' ? json_pack("{s:{s:O}}", "selector", "app", app)
                                        : json_pack("{s:{s:{s:O}}}", "selector", "matchLabels", "app", app));
    }
    json_object_set_new(workload, "owner",
                        json_pack("{s:s, s:s, s:s, s:s, s:b}", "apiVersion", api, "kind", kind, "name", name, "uid",
                                  owner != NULL
                                      ? json_string_value(json_object_get(json_object_get(owner, "metadata"), "uid"))
                                      : "uid-of-a-job",
                                  "controller", 1));
    if (chance(m, 20)) {
        json_t *service = object(m, "v1", "Service", namespace, text(m, "%s-service", name));
        json_object_set_new(service, "spec", json_pack("{s:{s:O}}", "selector", "app", app));
    }
}

static void spoil(struct maker *m, json_t *workload, json_t *spec)
{
    json_t *node = json_object_get(json_object_get(spec, "affinity"), "nodeAffinity"), *term = NULL;
    switch (below(m, 6)) {
    case 0: put(workload, "volume", "broken"); return;
    case 1:
        json_object_set_new(spec, "nodeSelector",
                            json_pack("{s:s}", word(m, "karpenter.sh/other " HOSTNAME), "node-01"));
        return;
    case 2: term = entry(NODEPOOL, "DoesNotExist", NULL); break;
    case 3: term = entry("integer", "Gt", json_pack("[s]", word(m, "x -1"))); break;
    case 4: term = entry(CAPACITY_TYPE, "In", json_pack("[s]", "borrowed")); break;
    default:
        json_object_set_new(node, "requiredDuringSchedulingIgnoredDuringExecution",
                            json_pack("{s:[{s:[{s:s, s:s, s:[s]}]}]}", "nodeSelectorTerms", "matchFields", "key",
                                      "metadata.name", "operator", "In", "values", "node-01"));
        return;
    }
    json_object_set_new(node, "requiredDuringSchedulingIgnoredDuringExecution",
                        json_pack("{s:[{s:[o]}]}", "nodeSelectorTerms", "matchExpressions", term));
}

static void make_workload(struct maker *m, const char *name)
{
    json_t *labels = json_pack("{s:s}", "app", word(m, "a b c d")), *spec = json_object();
    json_t *workload = json_pack("{s:s, s:s, s:O, s:O, s:s}", "name", name, "namespace", word(m, "ns-a ns-a ns-b ns-c"),
                                 "labels", labels, "spec", spec, "volume", "");
    if (chance(m, 40)) {
        put(labels, "tier", word(m, "x y"));
    }
    if (chance(m, 50)) {
        put(labels, "hash", word(m, "h1 h2"));
    }
    add_containers(m, spec);
    add_affinity(m, spec, labels);
    add_spreads(m, spec, labels);
    if (has(m, TOLERATIONS)) {
        json_object_set_new(spec, "tolerations", tolerations(m));
    }
    if (has(m, NODE_SELECTOR)) {
        const char *key = known_key(m, ZONE " " CAPACITY_TYPE " " ARCH " size team rack family " NODEPOOL);
        json_object_set_new(spec, "nodeSelector", json_pack("{s:s}", key, word(m, values_of(m, key))));
    }
    if (has(m, VOLUMES)) {
        put(workload, "volume", "bound");
    } else if (has(m, CLASS_VOLUMES)) {
        put(workload, "volume", "class");
    }
    if (has(m, INVALID_PODS)) {
        spoil(m, workload, spec);
    }
    make_owner(m, workload, labels);
    json_array_append_new(m->workloads, workload);
    json_decref(labels);
    json_decref(spec);
}

void make_workloads(struct maker *m)
{
    unsigned count = chance(m, 15) ? 1 : 2 + below(m, 5);
    for (unsigned i = 0; i < count; i++) {
        make_workload(m, text(m, "w%u", i));
    }
}

/* ------------------------------------------------------------------------------------------------ pods */

/** Most pods that run are small, or nodes would be overcommitted and take nothing. */
static void make_small(struct maker *m, json_t *spec)
{
    json_t *amounts = json_object();
    put(amounts, "cpu", amount(m, "10m 50m 100m 250m", "1 0"));
    put(amounts, "memory", amount(m, "32Mi 64Mi 128Mi", "4Gi 0"));
    json_object_set_new(spec, "containers",
                        json_pack("[{s:s, s:{s:o}}]", "name", "main", "resources", "requests", amounts));
    json_object_del(spec, "initContainers");
    json_object_del(spec, "resources");
}

static json_t *daemon_owner(struct maker *m, json_t *pod)
{
    json_t *set = random_item(m, m->daemons), *metadata = json_object_get(set, "metadata");
    json_t *template = json_object_get(json_object_get(set, "spec"), "template");
    json_object_set(json_object_get(pod, "metadata"), "namespace", json_object_get(metadata, "namespace"));
    json_object_set_new(pod, "spec", json_deep_copy(json_object_get(template, "spec")));
    return json_pack("{s:s, s:s, s:O, s:O, s:b}", "apiVersion", "apps/v1", "kind", "DaemonSet", "name",
                     json_object_get(metadata, "name"), "uid", json_object_get(metadata, "uid"), "controller", 1);
}

static void resize(struct maker *m, json_t *status, const char *name)
{
    json_t *s = json_pack("{s:s, s:{s:s}}", "name", name, "allocatedResources", "cpu", word(m, "200m 2"));
    if (chance(m, 80)) {
        json_object_set_new(s, "resources",
                            json_pack("{s:{s:s, s:s}}", "requests", "cpu", word(m, "300m 1"), "memory", "100Mi"));
    }
    json_object_set_new(status, strcmp(name, "main") == 0 ? "containerStatuses" : "initContainerStatuses",
                        json_pack("[o]", s));
    if (chance(m, 30)) {
        json_array_append_new(json_object_get(status, "conditions"),
                              condition(m, "PodResizePending", "True", "Infeasible"));
    }
}

static json_t *pending_status(struct maker *m)
{
    json_t *status = json_pack("{s:s, s:[o]}", "phase", "Pending", "conditions",
                               condition(m, "PodScheduled", "False", "Unschedulable"));
    if (has(m, OTHER_PODS)) {
        switch (below(m, 3)) {
        case 0:
            json_object_set_new(status, "conditions",
                                json_pack("[o]", condition(m, "PodScheduled", "False", "SchedulingGated")));
            break;
        case 1: put(status, "nominatedNodeName", "node-00"); break;
        default: json_object_del(status, "phase");
        }
    }
    return status;
}

static json_t *bound_status(struct maker *m, json_t *metadata)
{
    json_t *conditions = json_pack("[o]", condition(m, "PodScheduled", "True", "Scheduled"));
    json_t *status = json_pack("{s:s, s:o, s:s}", "phase", "Running", "conditions", conditions, "startTime",
                               ago(m, 1000));
    const char *ready = chance(m, 85) ? "True" : "False";
    json_array_append_new(conditions, condition(m, "Ready", ready, "Ready"));
    if (has(m, ENDING_PODS)) {
        if (chance(m, 50)) {
            put(status, "phase", word(m, "Succeeded Failed"));
        } else {
            put(metadata, "deletionTimestamp", ago(m, 10));
            json_object_set_new(metadata, "deletionGracePeriodSeconds", json_integer(30));
        }
    }
    if (has(m, DO_NOT_DISRUPT)) {
        json_object_set_new(metadata, "annotations",
                            json_pack("{s:s}", "karpenter.sh/do-not-disrupt", word(m, "true true 1h 5m false soon")));
    }
    return status;
}

void make_pod(struct maker *m, json_t *node)
{
    json_t *workload = random_item(m, m->workloads);
    const char *namespace = json_string_value(json_object_get(workload, "namespace"));
    json_t *pod = object(m, "v1", "Pod", namespace,
                         text(m, "%s-%02d", json_string_value(json_object_get(workload, "name")), m->serial));
    json_t *metadata = json_object_get(pod, "metadata"), *owner = json_incref(json_object_get(workload, "owner")),
           *status;
    bool daemon = node != NULL && json_array_size(m->daemons) > 0 && chance(m, 30);
    json_object_set(metadata, "labels", json_object_get(workload, "labels"));
    put(metadata, "creationTimestamp", ago(m, 60 * below(m, 4)));
    json_object_set_new(pod, "spec", json_deep_copy(json_object_get(workload, "spec")));
    if (daemon) {
        json_decref(owner);
        owner = daemon_owner(m, pod);
    }
    if (has(m, OTHER_PODS) && chance(m, 10)) {
        json_decref(owner);
        owner = json_pack("{s:s, s:s, s:s, s:s}", "apiVersion", "v1", "kind", "Node", "name", "node-00", "uid",
                          "uid-node");
    }
    json_object_set_new(metadata, "ownerReferences", json_pack("[o]", owner));
    status = node != NULL ? bound_status(m, metadata) : pending_status(m);
    if (node != NULL) {
        json_object_set(json_object_get(pod, "spec"), "nodeName",
                        json_object_get(json_object_get(node, "metadata"), "name"));
        if (!daemon && chance(m, 85)) {
            make_small(m, json_object_get(pod, "spec"));
        }
    } else if (chance(m, 15)) {
        json_t *container = json_array_get(json_object_get(json_object_get(pod, "spec"), "containers"), 0);
        json_object_set_new(json_object_get(container, "resources"), "requests", requests(m));
    }
    if (has(m, RESIZED)) {
        resize(m, status, chance(m, 70) ? "main" : "proxy");
    }
    json_object_set_new(pod, "status", status);
    const char *volume = json_string_value(json_object_get(workload, "volume"));
    if (!daemon && *volume != '\0') {
        add_volumes(m, pod, volume, node != NULL);
    }
}
