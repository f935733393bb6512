/* SPDX-License-Identifier: Apache-2.0 */
/* Whom the constraints count that a pod without its own is given: what its Services and its controller select. */
#include "deciding.h"

#define ZONE "topology.kubernetes.io/zone"
#define OBJECT(api, kind_, name, spec)                                                                                 \
    "{apiVersion: " api ", kind: " kind_ ", metadata: {name: " name "}, spec: {" spec "}}" DOCUMENT
#define SERVICE(name, labels) OBJECT("v1", "Service", name, "selector: {" labels "}")
#define REPLICA_SET(name, selector) OBJECT("apps/v1", "ReplicaSet", name, "replicas: 0, selector: {" selector "}")
#define OWNED(name, labels, api, kind_, owner, more)                                                                   \
    "{apiVersion: v1, kind: Pod, metadata: {name: " name ", labels: {" labels "}, ownerReferences: [{apiVersion: " api \
    ", kind: " kind_ ", name: " owner ", uid: u1, controller: true}]}, spec: {" more REQUESTS("cpu: 2") "}}" DOCUMENT
#define BY_SET(name, labels, more) OWNED(name, labels, "apps/v1", "ReplicaSet", "set", more)
/* One is in z1 already; the next goes to z2 if it counts, and else to z1. */
#define THERE(labels) NODE("n1", ZONE ": z1", "1", "") BOUND("there", labels, "n1", REQUESTS("cpu: 1"))
#define COUNTS "default z2: a"
#define DOES_NOT "default z1: a"
#define NO_SPREAD "default: a"

static void decides(deciding d, const char *expected)
{
    assert_string_equal(words_of(&d, KARP_PROFILE_KARPENTER, 0), expected);
    deciding_free(&d);
}

#define DECIDES(expected, ...)                                                                                         \
    decides(decide_on(NULL, CASES "world.yaml", CASES "default-spread.yaml", __VA_ARGS__, NULL), expected)

static void services(void **state)
{
    (void)state;
    DECIDES(COUNTS, THERE("app: x") SERVICE("s", "app: x") POD("a", "app: x", REQUESTS("cpu: 2")));
    DECIDES(DOES_NOT, THERE("app: w") SERVICE("s", "app: x") POD("a", "app: x", REQUESTS("cpu: 2")));
    /* One that does not select the pod says nothing, nor does one without a selector. */
    DECIDES(NO_SPREAD, THERE("app: x") SERVICE("s", "app: w") POD("a", "app: x", REQUESTS("cpu: 2")));
    DECIDES(NO_SPREAD, THERE("app: x") OBJECT("v1", "Service", "s", "") POD("a", "app: x", REQUESTS("cpu: 2")));
    /* What two select is asked for together, whatever the order of the keys. */
    DECIDES(DOES_NOT, THERE("app: x") SERVICE("s", "tier: b") SERVICE("t", "app: x")
                          POD("a", "app: x, tier: b", REQUESTS("cpu: 2")));
    DECIDES(COUNTS, THERE("tier: b, app: x") SERVICE("s", "tier: b, app: x") SERVICE("t", "app: x")
                        POD("a", "app: x, tier: b", REQUESTS("cpu: 2")));
    /* Of another namespace. */
    DECIDES(NO_SPREAD, THERE("app: x") "{apiVersion: v1, kind: Service, metadata: {name: s, namespace: far}, spec: "
                                       "{selector: {app: x}}}" DOCUMENT POD("a", "app: x", REQUESTS("cpu: 2")));
    /* A pod that has constraints of its own has no others. */
    DECIDES("default: a", THERE("app: x") SERVICE("s", "app: x")
                              POD("a", "app: x",
                                  "topologySpreadConstraints: [{maxSkew: 1, topologyKey: kubernetes.io/hostname, "
                                  "whenUnsatisfiable: DoNotSchedule, labelSelector: {}}], " REQUESTS("cpu: 2")));
}

static void controllers(void **state)
{
    (void)state;
    DECIDES(COUNTS, THERE("app: x") REPLICA_SET("set", "matchLabels: {app: x}") BY_SET("a", "app: x", ""));
    DECIDES(COUNTS, THERE("app: x, tier: b") REPLICA_SET(
                        "set", "matchLabels: {app: x}, matchExpressions: [{key: tier, operator: In, values: [b]}, "
                               "{key: old, operator: DoesNotExist}]") BY_SET("a", "app: x, tier: b", ""));
    DECIDES(DOES_NOT, THERE("app: x, tier: c") REPLICA_SET(
                          "set", "matchLabels: {app: x}, matchExpressions: [{key: tier, operator: In, values: [b]}, "
                                 "{key: old, operator: DoesNotExist}]") BY_SET("a", "app: x, tier: b", ""));
    DECIDES(DOES_NOT, THERE("app: x, tier: b, old: w") REPLICA_SET(
                          "set", "matchLabels: {app: x}, matchExpressions: [{key: tier, operator: In, values: [b]}, "
                                 "{key: old, operator: DoesNotExist}]") BY_SET("a", "app: x, tier: b", ""));
    DECIDES(COUNTS, THERE("tier: b") REPLICA_SET("set", "matchExpressions: [{key: tier, operator: Exists}]")
                        BY_SET("a", "tier: c", ""));
    /* Both the Services' labels and the controller's selector. */
    DECIDES(DOES_NOT, THERE("app: x") SERVICE("s", "tier: b") REPLICA_SET("set", "matchLabels: {app: x}")
                          BY_SET("a", "app: x, tier: b", ""));
    DECIDES(COUNTS, THERE("app: x, tier: b") SERVICE("s", "tier: b") REPLICA_SET("set", "matchLabels: {app: x}")
                        BY_SET("a", "app: x, tier: b", ""));
    /* Another set, another kind of that name, one that is not there. */
    DECIDES(NO_SPREAD, THERE("app: x") REPLICA_SET("other", "matchLabels: {app: x}") BY_SET("a", "app: x", ""));
    DECIDES(NO_SPREAD, THERE("app: x") REPLICA_SET("set", "matchLabels: {app: x}")
                           OWNED("a", "app: x", "apps/v1", "StatefulSet", "set", ""));
    DECIDES(NO_SPREAD, THERE("app: x") BY_SET("a", "app: x", ""));
    /* A ReplicationController's labels replace those of the Services, key by key. */
#define CONTROLLER(labels) OBJECT("v1", "ReplicationController", "rc", "replicas: 0, selector: {" labels "}")
#define BY_CONTROLLER(labels) OWNED("a", labels, "v1", "ReplicationController", "rc", "")
    DECIDES(COUNTS, THERE("app: x") CONTROLLER("app: x") BY_CONTROLLER("app: x"));
    DECIDES(DOES_NOT, THERE("app: x") CONTROLLER("app: w") SERVICE("s", "app: x") BY_CONTROLLER("app: x"));
    DECIDES(COUNTS, THERE("app: w") CONTROLLER("app: w") SERVICE("s", "app: x") BY_CONTROLLER("app: x"));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(services), cmocka_unit_test(controllers) };
    return cmocka_run_group_tests_name("default_spread", tests, NULL, NULL);
}
