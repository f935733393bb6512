/* SPDX-License-Identifier: Apache-2.0 */
/* Where daemons run that name hosts or use devices, what a pool's own labels are worth, and volumes that a pod has
 * twice. */
#include "planning.h"

#define PLAIN TYPE("m", "1", "")
#define NODE                                                                                                           \
    "- {apiVersion: v1, kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: n1, "                        \
    "topology.kubernetes.io/zone: a}}, spec: {}, "                                                                     \
    "status: {capacity: {cpu: 4, memory: 16Gi, pods: 10}, allocatable: {cpu: 4, memory: 16Gi, pods: 10}}}\n"
#define DAEMON(spec)                                                                                                   \
    "- {apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d, namespace: default}, spec: {selector: "              \
    "{matchLabels: {d: d}}, template: {metadata: {labels: {d: d}}, spec: {" spec                                       \
    ", containers: [{name: c, resources: {requests: {cpu: 1}}}]}}}}\n"
#define HOSTS(op, list)                                                                                                \
    "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "                   \
    "[{matchExpressions: [{key: kubernetes.io/hostname, operator: " op ", values: [" list "]}]}]}}}"
/* It fits beside nothing on a node of four cpus. */
#define LARGE POD("p", "3500m", "")

/* A daemon that names a host is on no node that is to start; one that names another is. */
static void daemons_of_hosts(void **state)
{
    (void)state;
    assert_plan(SNAPSHOT("{}", PLAIN) DAEMON("nodeSelector: {}") LARGE, "no p TYPE_RESOURCES\n");
    assert_plan(SNAPSHOT("{}", PLAIN) DAEMON(HOSTS("In", "n1")) LARGE, "new default p on m\n");
    assert_plan(SNAPSHOT("{}", PLAIN) DAEMON("nodeSelector: {kubernetes.io/hostname: n1}") LARGE,
                "new default p on m\n");
    assert_plan(SNAPSHOT("{}", PLAIN) DAEMON(HOSTS("NotIn", "n1")) LARGE, "no p TYPE_RESOURCES\n");
    /* On the node itself. */
    assert_plan(SNAPSHOT("{}", PLAIN) NODE DAEMON(HOSTS("In", "n1")) LARGE, "new default p on m\n");
    assert_plan(SNAPSHOT("{}", PLAIN) NODE DAEMON(HOSTS("In", "n2")) LARGE, "node n1 p\n");
    assert_plan(SNAPSHOT("{}", PLAIN) NODE DAEMON(HOSTS("NotIn", "n1")) LARGE, "node n1 p\n");
    assert_plan(SNAPSHOT("{}", PLAIN) NODE DAEMON(HOSTS("NotIn", "n2")) LARGE, "no p TYPE_RESOURCES\n");
}

/* A daemon with resource claims takes no room as long as claims are ignored. */
static void daemons_with_devices(void **state)
{
    (void)state;
#define CLAIMS "resourceClaims: [{name: x, resourceClaimName: c}]"
    assert_plan(SNAPSHOT("{}", PLAIN) DAEMON(CLAIMS) LARGE, "new default p on m\n");
    assert_plan(SNAPSHOT("{ignoreDRARequests: true}", PLAIN) NODE DAEMON(CLAIMS) LARGE, "node n1 p\n");
    assert_plan(SNAPSHOT("{ignoreDRARequests: false}", PLAIN) NODE DAEMON(CLAIMS) LARGE, "no p TYPE_RESOURCES\n");
}

/* More than can be counted is as much as can be: nothing else fits. */
static void immense_daemons(void **state)
{
    (void)state;
#define IMMENSE(name)                                                                                                  \
    "- {apiVersion: apps/v1, kind: DaemonSet, metadata: {name: " name                                                  \
    ", namespace: default}, spec: {selector: {matchLabels: {d: d}}, template: {metadata: {labels: {d: d}}, spec: "     \
    "{containers: [{name: c, resources: "                                                                              \
    "{requests: {cpu: '1000000000000000000'}}}]}}}}\n"
    assert_plan(SNAPSHOT("{}", PLAIN) NODE IMMENSE("d") LARGE, "no p TYPE_RESOURCES\n");
    assert_plan(SNAPSHOT("{}", PLAIN) NODE IMMENSE("d") IMMENSE("e") IMMENSE("f") LARGE, "no p TYPE_RESOURCES\n");
}

/* The labels that tell pool and node class are the pool's own, whatever its template says. */
static void labels_of_pools(void **state)
{
    (void)state;
#define LABELLED(labels)                                                                                               \
    "apiVersion: karp/v1\nkind: Snapshot\nnow: 2026-06-01T00:00:00Z\nsettings: {}\ncatalogues:\n- "                    \
    "instanceTypes:\n" PLAIN "objects:\n"                                                                              \
    "- {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: default}, spec: {template: {metadata: {labels: " \
    "{" labels "}}, spec: {nodeClassRef: "                                                                             \
    "{group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}, requirements: []}}}, status: {conditions: "       \
    "[{type: Ready, status: 'True'}, "                                                                                 \
    "{type: ValidationSucceeded, status: 'True'}, {type: NodeClassReady, status: 'True'}]}}\n"
#define ASKS(key, value) POD("p", "1", ", nodeSelector: {" key ": " value "}")
    assert_plan(LABELLED("team: red") ASKS("team", "red"), "new default p on m\n");
    assert_plan(LABELLED("team: red") ASKS("team", "blue"), "no p REQUIREMENTS\n");
    assert_plan(LABELLED("karpenter.kwok.sh/kwoknodeclass: other") ASKS("karpenter.kwok.sh/kwoknodeclass", "default"),
                "new default p on m\n");
    assert_plan(LABELLED("karpenter.kwok.sh/kwoknodeclass: other") ASKS("karpenter.kwok.sh/kwoknodeclass", "other"),
                "no p REQUIREMENTS\n");
    assert_plan(LABELLED("karpenter.sh/nodepool: other") ASKS("karpenter.sh/nodepool", "default"),
                "new default p on m\n");
}

/* A claim that a pod names more than once is attached once. */
static void volumes_named_twice(void **state)
{
    (void)state;
#define VOLUME(name) "{name: " name ", persistentVolumeClaim: {claimName: c}}"
#define LIMITED(count)                                                                                                 \
    "- {apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: n1}, spec: {drivers: [{name: d, nodeID: n1, "   \
    "allocatable: {count: " count "}}]}}\n"
    assert_plan(SNAPSHOT("{}", PLAIN) NODE LIMITED("1") BOUND_CLAIM("a") POD("p", "1", ", volumes: [" VOLUME("v") "]"),
                "node n1 p\n");
    assert_plan(SNAPSHOT("{}", PLAIN) NODE LIMITED("1") BOUND_CLAIM("a")
                    POD("p", "1", ", volumes: [" VOLUME("v") "," VOLUME("w") "," VOLUME("x") "," VOLUME("z") "]"),
                "node n1 p\n");
    assert_plan(SNAPSHOT("{}", PLAIN) NODE LIMITED("0") BOUND_CLAIM("a")
                    POD("p", "1", ", volumes: [" VOLUME("v") "," VOLUME("w") "]"),
                "new default p on m zone=a\n");
    /* Two pods may share it. */
    assert_plan(SNAPSHOT("{}", PLAIN) NODE LIMITED("1") BOUND_CLAIM("a") POD("p", "2", ", volumes: [" VOLUME("v") "]")
                    POD("q", "1", ", volumes: [" VOLUME("v") "]"),
                "node n1 p,q\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(daemons_of_hosts), cmocka_unit_test(daemons_with_devices), cmocka_unit_test(immense_daemons),
        cmocka_unit_test(labels_of_pools),  cmocka_unit_test(volumes_named_twice),
    };
    return cmocka_run_group_tests_name("daemon_rules", tests, NULL, NULL);
}
