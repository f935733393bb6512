/* SPDX-License-Identifier: Apache-2.0 */
/* Topology where there are many domains, and where the domains are hosts; sets of many labels. */
#include "planning.h"

#include <stdio.h>
#include <string.h>

#define NODE(name, cpu)                                                                                                \
    "- {apiVersion: v1, kind: Node, metadata: {name: " name ", labels: {kubernetes.io/hostname: " name                 \
    ", topology.kubernetes.io/zone: a}}, "                                                                             \
    "spec: {}, status: {capacity: {cpu: '" cpu "', memory: 64Gi, pods: '10'}, allocatable: {cpu: '" cpu                \
    "', memory: 64Gi, pods: '10'}}}\n"
#define RUNNING(name, node)                                                                                            \
    "- {apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: default, uid: u-" name                        \
    ", labels: {app: x}}, spec: {nodeName: " node ", containers: "                                                     \
    "[{name: c, resources: {requests: {cpu: 100m}}}]}, status: {phase: Running}}\n"
#define LABELLED(name, more, volumes)                                                                                  \
    "- {apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: default, uid: u-" name                        \
    ", labels: {app: x}}, spec: {containers: [{name: c, "                                                              \
    "resources: {requests: {cpu: 1}}}], affinity: {" more "}" volumes                                                  \
    "}, status: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable}]}}\n"
#define NEAR(kind, key)                                                                                                \
    kind ": {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: " key                                      \
         ", labelSelector: {matchLabels: {app: x}}}]}"
#define LEAVING(name)                                                                                                  \
    "- {apiVersion: v1, kind: Node, metadata: {name: " name                                                            \
    ", deletionTimestamp: 2026-06-01T00:00:00Z, finalizers: [karpenter.sh/termination], "                              \
    "labels: {kubernetes.io/hostname: " name                                                                           \
    ", topology.kubernetes.io/zone: a}}, spec: {}, status: {capacity: {cpu: 4, memory: 64Gi, pods: '10'}, "            \
    "allocatable: {cpu: 4, memory: 64Gi, pods: '10'}}}\n"
#define MOVING(name, node, host, more)                                                                                 \
    "- {apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: default, uid: u-" name                        \
    ", labels: {app: x}}, spec: {nodeName: " node ", nodeSelector: {kubernetes.io/hostname: " host "}, "               \
    "containers: [{name: c, resources: {requests: {cpu: 1}}}], affinity: {" more "}}, status: {phase: Running}}\n"
/* A claim whose volume can be reached from some hosts only. A pod itself may not name hosts. */
#define VOLUME(hosts)                                                                                                  \
    "- {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c, namespace: default, annotations: "            \
    "{pv.kubernetes.io/bind-completed: 'yes'}}, "                                                                      \
    "spec: {volumeName: v, storageClassName: s}, status: {phase: Bound}}\n"                                            \
    "- {apiVersion: v1, kind: PersistentVolume, metadata: {name: v}, spec: {csi: {driver: d}, nodeAffinity: "          \
    "{required: {nodeSelectorTerms: "                                                                                  \
    "[{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [" hosts "]}]}]}}}}\n"
#define HOST "kubernetes.io/hostname"

/* A pod that wants to be beside its like on a host, and may use certain hosts only. */
static void beside_on_hosts(void **state)
{
    (void)state;
    static const char world[] = SNAPSHOT("{}", TYPE("m", "1", "")) NODE("n1", "4") NODE("n2", "4");
    static const char *const beside = LABELLED("p", NEAR("podAffinity", HOST), USES_CLAIM),
                             *const apart = LABELLED("p", NEAR("podAntiAffinity", HOST), USES_CLAIM);
    char yaml[8192];
    /* Nobody is there yet: it may start on a host that it may use. */
    snprintf(yaml, sizeof yaml, "%s%s%s", world, VOLUME("n2"), beside);
    assert_plan(yaml, "node n2 p\n");
    /* Somebody is, and it may go there. */
    snprintf(yaml, sizeof yaml, "%s%s%s%s", world, VOLUME("n1, n2"), RUNNING("r", "n2"), beside);
    assert_plan(yaml, "node n2 p\n");
    /* Somebody is, but where its volume is not: it may not start anew. */
    snprintf(yaml, sizeof yaml, "%s%s%s%s", world, VOLUME("n2"), RUNNING("r", "n1"), beside);
    assert_plan(yaml, "no p VOLUME\n");
    /* A host that is not there. */
    snprintf(yaml, sizeof yaml, "%s%s%s", world, VOLUME("n9"), beside);
    assert_plan(yaml, "no p VOLUME\n");
    /* One that may not be where another is. */
    snprintf(yaml, sizeof yaml, "%s%s%s%s", world, VOLUME("n1, n2"), RUNNING("r", "n1"), apart);
    assert_plan(yaml, "node n2 p\n");
}

/* The pod of a node that goes may name a host: where its like are counts on the hosts it names. */
static void host_named(void **state)
{
    (void)state;
    static const char world[] = SNAPSHOT("{}", TYPE("m", "1", "")) NODE("n1", "4") NODE("n2", "4") LEAVING("old")
        MOVING("p", "old", "n2", NEAR("podAffinity", HOST));
    char yaml[8192];
    assert_plan(world, "node n2 p\n");
    snprintf(yaml, sizeof yaml, "%s%s", world, RUNNING("r", "n2"));
    assert_plan(yaml, "node n2 p\n");
    snprintf(yaml, sizeof yaml, "%s%s", world, RUNNING("r", "n1"));
    assert_plan(yaml, "node n2 p\n");
}

/* A type with that many zones, and pods. */
static const char *wide_world(unsigned zones, const char *pods)
{
    static char yaml[300000];
    size_t n = (size_t)snprintf(
        yaml, sizeof yaml,
        "apiVersion: karp/v1\nkind: Snapshot\nnow: 2026-06-01T00:00:00Z\nsettings: {}\ncatalogues:\n- instanceTypes:\n"
        "  - {name: wide, capacity: {cpu: '4', memory: 16Gi, pods: '10'}, labels: {node.kubernetes.io/instance-type: "
        "[wide], karpenter.sh/capacity-type: [on-demand], "
        "topology.kubernetes.io/zone: [");
    for (unsigned i = 0; i < zones; i++)
        n += (size_t)snprintf(yaml + n, sizeof yaml - n, "%sz%04u", i > 0 ? ", " : "", i);
    n += (size_t)snprintf(yaml + n, sizeof yaml - n, "]}, offerings: [");
    for (unsigned i = 0; i < zones; i++)
        n += (size_t)snprintf(yaml + n, sizeof yaml - n, "%s{zone: z%04u, capacityType: on-demand, price: 1}",
                              i > 0 ? ", " : "", i);
    snprintf(yaml + n, sizeof yaml - n, "]}\nobjects:\n%s%s", POOL, pods);
    return yaml;
}

/* Pods keep to the zone of their like, or away from it, however many zones there are. */
static void many_zones(void **state)
{
    (void)state;
    static const unsigned counts[] = { 63, 64, 65, 1023, 1024, 1025, 1100 };
    static char plan[200000];
    karp_context *context = NULL;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        karp_error error;
        karp_error_init(&error, sizeof error);
        const char *yaml = wide_world(counts[i],
                                      LABELLED("p", NEAR("podAntiAffinity", "topology.kubernetes.io/zone"), "")
                                          LABELLED("q", NEAR("podAntiAffinity", "topology.kubernetes.io/zone"), ""));
        /* The first may still become a node of any zone, so that none is left for the second. */
        assert_int_equal(plan_of(context, yaml, plan, sizeof plan, &error), KARP_OK);
        assert_non_null(strstr(plan, "new default p on wide zone=z0000,"));
        assert_non_null(strstr(plan, "no q "));
        size_t zones = 0;
        for (const char *at = strstr(plan, "zone="); *at != '\n'; at++) zones += *at == 'z' && at[1] != 'o';
        assert_int_equal(zones, counts[i]);
        yaml = wide_world(counts[i], LABELLED("p", NEAR("podAffinity", "topology.kubernetes.io/zone"), "")
                                         LABELLED("q", NEAR("podAffinity", "topology.kubernetes.io/zone"), ""));
        assert_int_equal(plan_of(context, yaml, plan, sizeof plan, &error), KARP_OK);
        assert_string_equal(plan, "new default p,q on wide zone=z0000\n");
    }
    karp_context_unref(context);
}

/* A pool with that many labels, and a pod that asks for all of them; of the last one it may ask for another value. */
static const char *labelled_world(unsigned labels, const char *last)
{
    static char yaml[30000];
    size_t n = (size_t)snprintf(yaml, sizeof yaml,
                                "apiVersion: karp/v1\nkind: Snapshot\nnow: 2026-06-01T00:00:00Z\nsettings: "
                                "{}\ncatalogues:\n- instanceTypes:\n%sobjects:\n"
                                "- {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: default}, spec: "
                                "{template: {metadata: {labels: {",
                                TYPE("m", "1", ""));
    for (unsigned i = 0; i < labels; i++)
        n += (size_t)snprintf(yaml + n, sizeof yaml - n, "%sk%03u: v%u", i > 0 ? ", " : "", i, i);
    n += (size_t)snprintf(yaml + n, sizeof yaml - n,
                          "}}, spec: {nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}, "
                          "requirements: []}}}, status: {conditions: "
                          "[{type: Ready, status: 'True'}, {type: ValidationSucceeded, status: 'True'}, {type: "
                          "NodeClassReady, status: 'True'}]}}\n"
                          "- {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: default, uid: u-p}, spec: "
                          "{containers: [{name: c}], nodeSelector: {");
    for (unsigned i = 0; i + 1 < labels; i++) n += (size_t)snprintf(yaml + n, sizeof yaml - n, "k%03u: v%u, ", i, i);
    snprintf(yaml + n, sizeof yaml - n,
             "k%03u: %s}}, status: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: "
             "Unschedulable}]}}\n",
             labels - 1, last);
    return yaml;
}

static void many_labels(void **state)
{
    (void)state;
    assert_plan(labelled_world(60, "v59"), "new default p on m\n");
    assert_plan(labelled_world(64, "v63"), "new default p on m\n");
    assert_plan(labelled_world(64, "v64"), "no p REQUIREMENTS\n");
    assert_plan(labelled_world(65, "v64"), "new default p on m\n");
    assert_plan(labelled_world(100, "v99"), "new default p on m\n");
    assert_plan(labelled_world(100, "v0"), "no p REQUIREMENTS\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(beside_on_hosts), cmocka_unit_test(host_named),
                                        cmocka_unit_test(many_zones), cmocka_unit_test(many_labels) };
    return cmocka_run_group_tests_name("domains", tests, NULL, NULL);
}
