/* SPDX-License-Identifier: Apache-2.0 */
/* What is filled into plain objects, and what workloads become. */
#include "io_reading.h"

#include <stdio.h>

#define START "2026-01-01T00:00:00Z"

/* What the API server does not take a workload without. */
#define A_CONTAINER "containers: [{name: c}]"
#define ONE_POD "selector: {}, template: {spec: {" A_CONTAINER "}}"
#define ONE_RUN "template: {spec: {restartPolicy: Never, " A_CONTAINER "}}"

static void test_identity_and_clock(void **state)
{
    (void)state;
    reading r = read_text(
        "{apiVersion: v1, kind: Pod, metadata: {name: a}}\n---\n{apiVersion: v1, kind: Node, metadata: {name: n1, uid: "
        "mine}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: b, namespace: other}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: c, creationTimestamp: '2026-01-02T00:00:00Z'}}");
    assert_read(&r);
    /* The latest time stated is the clock; pods are a second apart from a day before it. */
    assert_string_equal(text_at(r.dump, "now"), "2026-01-02T00:00:00Z");
    const json_t *a = object_of(&r, "Pod", "default", "a"), *b = object_of(&r, "Pod", "other", "b");
    assert_string_equal(text_at(a, "metadata/creationTimestamp"), START);
    assert_string_equal(text_at(b, "metadata/creationTimestamp"), "2026-01-01T00:00:01Z");
    assert_string_equal(text_at(object_of(&r, "Pod", "default", "c"), "metadata/creationTimestamp"),
                        "2026-01-02T00:00:00Z");
    assert_string_equal(text_at(object_of(&r, "Node", NULL, "n1"), "metadata/creationTimestamp"), START);
    assert_string_equal(text_at(object_of(&r, "Node", NULL, "n1"), "metadata/uid"), "mine");
    assert_string_equal(text_at(a, "metadata/uid"), "00000000-0000-4000-8000-000000000001");
    assert_string_equal(text_at(b, "metadata/uid"), "00000000-0000-4000-8000-000000000003");
    /* Their namespaces exist. */
    assert_string_equal(
        text_at(object_of(&r, "Namespace", NULL, "other"), "metadata/labels/kubernetes.io~metadata.name"), "other");
    reading_free(&r);

    r = read_text("{apiVersion: v1, kind: Namespace, metadata: {name: x}}");
    assert_read(&r);
    assert_string_equal(text_at(r.dump, "now"), START);
    reading_free(&r);

    karp_reader_options options;
    karp_reader_options_init(&options, sizeof options);
    options.now = INT64_C(1700000000000000000);
    r = read_texts(&options, "input", "{apiVersion: karp/v1, kind: Snapshot, now: '2026-01-02T00:00:00Z'}", NULL);
    assert_read(&r);
    assert_string_equal(text_at(r.dump, "now"), "2023-11-14T22:13:20Z");
    reading_free(&r);
}

static void test_pods(void **state)
{
    (void)state;
    reading r = read_text(
        "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}\n---\n"
        "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: usual}, value: 7, globalDefault: "
        "true}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {priorityClassName: high, hostNetwork: true, "
        "containers: [{ports: [{containerPort: 80}]}]}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: b}, spec: {nodeName: n1}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: c}, spec: {schedulingGates: [{name: g}]}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: d}, spec: {priority: 3, priorityClassName: high}, status: "
        "{phase: Failed}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: e}, spec: {priorityClassName: system-node-critical}, status: "
        "{conditions: [{type: PodScheduled, status: 'False', reason: Other}]}}");
    assert_read(&r);
    const json_t *a = object_of(&r, "Pod", "default", "a"), *b = object_of(&r, "Pod", "default", "b");
    assert_int_equal(number_at(a, "spec/priority"), 1000);
    assert_int_equal(number_at(a, "spec/containers/0/ports/0/hostPort"), 80);
    assert_string_equal(text_at(a, "spec/containers/0/ports/0/protocol"), "TCP");
    assert_string_equal(text_at(a, "status/phase"), "Pending");
    assert_string_equal(text_at(a, "status/conditions/0/type"), "PodScheduled");
    assert_string_equal(text_at(a, "status/conditions/0/status"), "False");
    assert_string_equal(text_at(a, "status/conditions/0/reason"), "Unschedulable");
    assert_int_equal(number_at(b, "spec/priority"), 7);
    assert_string_equal(text_at(b, "status/phase"), "Running");
    assert_string_equal(text_at(b, "status/conditions/1/type"), "Ready");
    assert_string_equal(text_at(b, "status/startTime"), text_at(b, "metadata/creationTimestamp"));
    assert_string_equal(text_at(object_of(&r, "Pod", "default", "c"), "status/conditions/0/reason"), "SchedulingGated");
    const json_t *d = object_of(&r, "Pod", "default", "d"), *e = object_of(&r, "Pod", "default", "e");
    assert_int_equal(number_at(d, "spec/priority"), 3);
    assert_int_equal(json_array_size(at(d, "status/conditions")), 0);
    assert_int_equal(number_at(e, "spec/priority"), 2000001000);
    assert_int_equal(json_array_size(at(e, "status/conditions")), 1);
    assert_string_equal(text_at(e, "status/conditions/0/reason"), "Other");
    reading_free(&r);
}

/* Kinds that no decision refers to are objects, too: the second of a name is an error, whatever the first one says. */
static void test_repeated_objects(void **state)
{
    (void)state;
    static const char *const kinds[] = {
        "apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, globalDefault: true, value: 7",
        "apiVersion: apps/v1, kind: Deployment",
        "apiVersion: batch/v1, kind: Job",
        "apiVersion: v1, kind: PodTemplate",
        "apiVersion: apps/v1, kind: ReplicaSet",
        "apiVersion: v1, kind: Pod",
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "{%s, metadata: {name: a}}\n---\n{%s, metadata: {name: b}}\n---\n{%s, metadata: {name: a}}", kinds[i],
                 kinds[i], kinds[i]);
        reading r = read_text(text);
        assert_refused(&r, KARP_E_DUPLICATE, 0, NULL);
        reading_free(&r);
    }
}

static void test_strict_fills_nothing(void **state)
{
    (void)state;
    reading r = read_strictly("{apiVersion: v1, kind: Pod, metadata: {name: a}}\n---\n{apiVersion: v1, kind: Node, "
                              "metadata: {name: n1, labels: {karpenter.sh/nodepool: p}}}\n---\n"
                              "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p}}\n---\n"
                              "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: rs}, spec: {replicas: 2}}");
    assert_read(&r);
    const json_t *a = object_of(&r, "Pod", "default", "a");
    assert_non_null(a);
    assert_null(at(a, "metadata/uid"));
    assert_null(at(a, "status"));
    assert_null(object_of(&r, "NodeClaim", NULL, "n1"));
    assert_null(at(object_of(&r, "NodePool", NULL, "p"), "spec"));
    assert_int_equal(object_count(&r, "Namespace"), 0);
    /* Workloads still become pods. */
    assert_int_equal(r.counts.pods, 3);
    reading_free(&r);
}

static void test_pools(void **state)
{
    (void)state;
    reading r = read_text(
        "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p}, spec: {template: {spec: {nodeClassRef: "
        "{group: g, kind: k, name: n1}}}}}\n---\n"
        "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: q}, spec: {disruption: {budgets: [{schedule: "
        "'0 9 * * *', duration: 1h}], consolidateAfter: Never},"
        " template: {spec: {expireAfter: 1h}}}, status: {conditions: [{type: Ready, status: 'False'}]}}\n---\n"
        "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: none}, spec: {disruption: {budgets: []}}}");
    assert_read(&r);
    const json_t *p = object_of(&r, "NodePool", NULL, "p"), *q = object_of(&r, "NodePool", NULL, "q");
    assert_string_equal(text_at(p, "spec/disruption/budgets/0/nodes"), "10%");
    assert_string_equal(text_at(p, "spec/disruption/consolidateAfter"), "0s");
    assert_string_equal(text_at(p, "spec/disruption/consolidationPolicy"), "WhenEmptyOrUnderutilized");
    assert_string_equal(text_at(p, "spec/template/spec/expireAfter"), "720h");
    assert_string_equal(text_at(p, "spec/template/spec/nodeClassRef/kind"), "k");
    assert_string_equal(text_at(p, "status/conditions/2/type"), "Ready");
    assert_string_equal(text_at(p, "status/conditions/2/status"), "True");
    assert_string_equal(text_at(q, "spec/disruption/budgets/0/nodes"), "10%");
    assert_string_equal(text_at(q, "spec/disruption/consolidateAfter"), "Never");
    assert_string_equal(text_at(q, "spec/template/spec/expireAfter"), "1h");
    assert_string_equal(text_at(q, "status/conditions/0/status"), "False");
    assert_int_equal(json_array_size(at(q, "status/conditions")), 1);
    assert_int_equal(json_array_size(at(object_of(&r, "NodePool", NULL, "none"), "spec/disruption/budgets")), 0);
    reading_free(&r);
}

#define POOL                                                                                                           \
    "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p}, spec: {disruption: {consolidateAfter: 30s}, "  \
    "template: {metadata: {labels: {team: x}},\n"                                                                      \
    "  spec: {taints: [{key: k, effect: NoSchedule}], expireAfter: 5h}}}}\n---\n"

static const char *condition(const json_t *object, const char *type)
{
    size_t i;
    json_t *one;
    json_array_foreach(at(object, "status/conditions"), i, one)
    {
        if (strcmp(text_at(one, "type"), type) == 0) return text_at(one, "status");
    }
    return "";
}

static void test_claims_are_invented(void **state)
{
    (void)state;
    reading r = read_text(
        POOL
        "{apiVersion: v1, kind: Node, metadata: {name: sketch, labels: {karpenter.sh/nodepool: p, zone: z}}}\n---\n"
        "{apiVersion: v1, kind: Node, metadata: {name: full, creationTimestamp: '2026-01-02T00:00:00Z', labels: "
        "{karpenter.sh/nodepool: p}}, spec: {providerID: 'x:///1', unschedulable: true}, status: {capacity: {cpu: "
        "4}}}\n---\n"
        "{apiVersion: v1, kind: Node, metadata: {name: own}}");
    assert_read(&r);
    const json_t *sketch = object_of(&r, "Node", NULL, "sketch"), *full = object_of(&r, "Node", NULL, "full");
    assert_string_equal(text_at(sketch, "metadata/labels/karpenter.sh~registered"), "true");
    assert_string_equal(text_at(sketch, "metadata/labels/karpenter.sh~initialized"), "true");
    assert_string_equal(text_at(sketch, "metadata/labels/kubernetes.io~hostname"), "sketch");
    assert_string_equal(text_at(sketch, "metadata/labels/team"), "x");
    assert_string_equal(text_at(sketch, "spec/taints/0/key"), "k");
    assert_string_equal(text_at(sketch, "spec/providerID"), "karp://sketch");
    /* A node that says what it has is complete: the pool adds nothing. */
    assert_null(at(full, "metadata/labels/team"));
    assert_string_equal(text_at(full, "spec/taints/0/key"), "node.kubernetes.io/unschedulable");
    assert_int_equal(json_array_size(at(full, "spec/taints")), 1);
    assert_int_equal(number_at(full, "status/allocatable/cpu"), 4);

    const json_t *claim = object_of(&r, "NodeClaim", NULL, "full");
    assert_string_equal(text_at(claim, "status/providerID"), "x:///1");
    assert_string_equal(text_at(claim, "status/nodeName"), "full");
    assert_int_equal(number_at(claim, "status/capacity/cpu"), 4);
    assert_string_equal(text_at(claim, "metadata/labels/team"), "x");
    assert_null(at(claim, "metadata/labels/karpenter.sh~registered"));
    assert_string_equal(text_at(claim, "spec/expireAfter"), "5h");
    assert_string_equal(text_at(claim, "spec/taints/0/key"), "k");
    assert_string_equal(condition(claim, "Launched"), "True");
    assert_string_equal(condition(claim, "Registered"), "True");
    assert_string_equal(condition(claim, "Initialized"), "True");
    assert_string_equal(condition(claim, "Drifted"), "");
    /* It was made at this very moment: less than consolidateAfter ago. The other a day before. */
    assert_string_equal(condition(claim, "Consolidatable"), "");
    assert_string_equal(condition(object_of(&r, "NodeClaim", NULL, "sketch"), "Consolidatable"), "True");
    assert_null(object_of(&r, "NodeClaim", NULL, "own"));
    assert_int_equal(r.counts.nodes, 3);
    reading_free(&r);
}

static void test_claims_that_are_given(void **state)
{
    (void)state;
    reading r = read_text(
        POOL
        "{apiVersion: v1, kind: Node, metadata: {name: a}, spec: {providerID: 'x:///1'}, status: {capacity: {cpu: "
        "4}}}\n---\n"
        "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: ca, labels: {karpenter.sh/nodepool: p}}, "
        "status: {providerID: 'x:///1'}}\n---\n"
        "{apiVersion: v1, kind: Node, metadata: {name: b}, spec: {providerID: 'x:///2'}, status: {capacity: {cpu: "
        "4}}}\n---\n"
        "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: cb, labels: {karpenter.sh/nodepool: p}}, "
        "status: {providerID: 'x:///2', conditions: [{type: Registered, status: 'True'}, {type: Initialized, status: "
        "'False'}]}}\n---\n"
        "{apiVersion: v1, kind: Node, metadata: {name: c}, status: {capacity: {cpu: 4}}}\n---\n"
        "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: c, labels: {karpenter.sh/nodepool: p}}}\n---\n"
        "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: alone, labels: {karpenter.sh/nodepool: p}}}");
    assert_read(&r);
    assert_int_equal(object_count(&r, "NodeClaim"), 4);
    assert_string_equal(text_at(object_of(&r, "Node", NULL, "a"), "metadata/labels/karpenter.sh~initialized"), "true");
    assert_string_equal(text_at(object_of(&r, "Node", NULL, "a"), "metadata/labels/karpenter.sh~nodepool"), "p");
    assert_string_equal(text_at(object_of(&r, "Node", NULL, "b"), "metadata/labels/karpenter.sh~registered"), "true");
    assert_null(at(object_of(&r, "Node", NULL, "b"), "metadata/labels/karpenter.sh~initialized"));
    assert_string_equal(text_at(object_of(&r, "NodeClaim", NULL, "c"), "status/providerID"),
                        text_at(object_of(&r, "Node", NULL, "c"), "spec/providerID"));
    assert_string_equal(condition(object_of(&r, "NodeClaim", NULL, "c"), "Initialized"), "True");
    assert_string_equal(condition(object_of(&r, "NodeClaim", NULL, "alone"), "Launched"), "True");
    assert_string_equal(condition(object_of(&r, "NodeClaim", NULL, "alone"), "Registered"), "");
    assert_string_equal(text_at(object_of(&r, "NodeClaim", NULL, "alone"), "status/providerID"), "karp://alone");
    assert_int_equal(r.counts.nodes, 4); /* for b, not initialised and without a type, its claim counts alone */
    reading_free(&r);
}

static void test_volumes(void **state)
{
    (void)state;
    reading r = read_text("{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: gp3, annotations: "
                          "{storageclass.kubernetes.io/is-default-class: 'true'}}, provisioner: x}\n---\n"
                          "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: a}}\n---\n"
                          "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: b}, spec: {storageClassName: "
                          "'', volumeName: pv}}\n---\n"
                          "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {volumes: [{name: tmp, ephemeral: "
                          "{volumeClaimTemplate: {spec: {accessModes: [RWO]}}}}]}}");
    assert_read(&r);
    assert_string_equal(text_at(object_of(&r, "StorageClass", NULL, "gp3"), "volumeBindingMode"), "Immediate");
    const json_t *a = object_of(&r, "PersistentVolumeClaim", "default", "a"),
                 *b = object_of(&r, "PersistentVolumeClaim", "default", "b");
    assert_string_equal(text_at(a, "spec/storageClassName"), "gp3");
    assert_string_equal(text_at(a, "status/phase"), "Pending");
    assert_string_equal(text_at(b, "spec/storageClassName"), "");
    assert_string_equal(text_at(b, "status/phase"), "Bound");
    assert_string_equal(text_at(b, "metadata/annotations/pv.kubernetes.io~bind-completed"), "yes");
    assert_string_equal(text_at(object_of(&r, "PersistentVolumeClaim", "default", "p-tmp"), "spec/accessModes/0"),
                        "RWO");
    assert_null(
        at(object_of(&r, "Pod", "default", "p"), "spec/volumes/0/ephemeral/volumeClaimTemplate/spec/storageClassName"));
    reading_free(&r);
}

static void test_disruption_budgets(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        long allowed;
    } cases[] = {
        { "minAvailable: 2, selector: {matchLabels: {a: b}}", 1 },
        { "minAvailable: 50%, selector: {matchLabels: {a: b}}", 1 }, /* 2 of 4, rounded up */
        { "maxUnavailable: 1, selector: {}", 2 }, /* 3 expected, those with a controller; 4 healthy */
        { "maxUnavailable: 50%, selector: {}", 3 },
        { "minAvailable: 2", 0 },
        { "minAvailable: 0, selector: {matchExpressions: [{key: a, operator: NotIn, values: [b]}]}", 1 },
        { "minAvailable: 0, selector: {matchExpressions: [{key: a, operator: Exists}]}", 3 },
        { "minAvailable: 0, selector: {matchExpressions: [{key: a, operator: DoesNotExist}]}", 1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: x}, spec: {%s}}\n---\n"
            "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: rs}, spec: {replicas: 3, selector: {}, template: "
            "{metadata: "
            "{labels: {a: b}}, spec: {nodeName: n1, containers: [{name: c}]}}}}\n---\n"
            "{apiVersion: v1, kind: Pod, metadata: {name: other}, spec: {nodeName: n1}}\n---\n"
            "{apiVersion: v1, kind: Pod, metadata: {name: pending, labels: {a: b}}}\n---\n"
            "{apiVersion: v1, kind: Pod, metadata: {name: gone, labels: {a: b}}, spec: {nodeName: n1}, status: {phase: "
            "Succeeded}}\n---\n"
            "{apiVersion: v1, kind: Pod, metadata: {name: far, namespace: far, labels: {a: b}}, spec: {nodeName: n1}}",
            cases[i].spec);
        reading r = read_text(text);
        assert_read(&r);
        assert_int_equal(number_at(object_of(&r, "PodDisruptionBudget", "default", "x"), "status/disruptionsAllowed"),
                         cases[i].allowed);
        reading_free(&r);
    }
    reading r = read_text("{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: x}, spec: "
                          "{minAvailable: 1}, status: {disruptionsAllowed: 9}}");
    assert_read(&r);
    assert_int_equal(number_at(object_of(&r, "PodDisruptionBudget", "default", "x"), "status/disruptionsAllowed"), 9);
    reading_free(&r);
}

/* ---- workloads --------------------------------------------------------------------------------------------------- */

static void test_deployment(void **state)
{
    (void)state;
    reading r = read_text("{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: w}, spec: "
                          "{replicas: 3, selector: {matchLabels: {app: web}},"
                          " template: {metadata: {labels: {app: web}, annotations: {x: z}}, spec: {containers: [{name: "
                          "c, resources: {limits: {cpu: 1}}}]}}}}\n---\n"
                          "{apiVersion: v1, kind: Pod, metadata: {name: web-1, namespace: w}}\n---\n"
                          "{apiVersion: apps/v1, kind: Deployment, metadata: {name: none}, spec: {replicas: 0}}\n---\n"
                          "{apiVersion: apps/v1, kind: Deployment, metadata: {name: one}, spec: {" ONE_POD "}}");
    assert_read(&r);
    assert_int_equal(r.counts.pods, 4);
    const json_t *pod = object_of(&r, "Pod", "w", "web-2");
    const char *hash = text_at(pod, "metadata/labels/pod-template-hash");
    assert_int_equal(strlen(hash), 10);
    assert_string_equal(text_at(pod, "metadata/labels/app"), "web");
    assert_string_equal(text_at(pod, "metadata/annotations/x"), "z");
    assert_string_equal(text_at(pod, "metadata/ownerReferences/0/kind"), "ReplicaSet");
    const json_t *set = object_of(&r, "ReplicaSet", "w", text_at(pod, "metadata/ownerReferences/0/name"));
    assert_string_equal(text_at(set, "metadata/uid"), text_at(pod, "metadata/ownerReferences/0/uid"));
    assert_string_equal(text_at(set, "spec/selector/matchLabels/pod-template-hash"), hash);
    assert_string_equal(text_at(set, "spec/selector/matchLabels/app"), "web");
    assert_string_equal(text_at(set, "metadata/ownerReferences/0/kind"), "Deployment");
    assert_null(at(object_of(&r, "Pod", "w", "web-1"), "metadata/ownerReferences"));
    assert_non_null(object_of(&r, "Pod", "default", "one-0"));
    reading_free(&r);
}

/* As kubectl prints a cluster: the Deployment, its ReplicaSet and their pods are one and the same workload. */
static void test_pods_that_exist_are_counted(void **state)
{
    (void)state;
    static const char *const owner[] = { "ReplicaSet", "web-5f" };
    char text[2048];
    snprintf(text, sizeof text,
             "{apiVersion: v1, kind: Pod, metadata: {name: web-5f-x1, ownerReferences: [{kind: %s, name: %s, "
             "controller: true}]}}\n---\n"
             "{apiVersion: v1, kind: Pod, metadata: {name: web-5f-x2, ownerReferences: [{kind: %s, name: %s, "
             "controller: true}]}}\n---\n"
             "{apiVersion: v1, kind: Pod, metadata: {name: web-5f-x3, ownerReferences: [{kind: %s, name: %s, "
             "controller: true}]}, status: {phase: Failed}}\n---\n"
             "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-5f, ownerReferences: [{kind: Deployment, "
             "name: web, controller: true}]}, spec: {replicas: 3}}\n---\n"
             "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 3, " ONE_POD "}}",
             owner[0], owner[1], owner[0], owner[1], owner[0], owner[1]);
    reading r = read_text(text);
    assert_read(&r);
    assert_int_equal(r.counts.pods, 4);
    assert_non_null(object_of(&r, "Pod", "default", "web-0"));
    reading_free(&r);
}

static void test_stateful_set(void **state)
{
    (void)state;
    reading r = read_text(
        "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {replicas: 2, ordinals: {start: 5}, "
        "selector: {}, template: {spec: {" A_CONTAINER ", volumes: [{name: data, emptyDir: {}}, {name: tmp}]}},"
        " volumeClaimTemplates: [{metadata: {name: data, labels: {l: m}}, spec: {storageClassName: c, accessModes: "
        "[ReadWriteOnce]}}]}}\n---\n"
        "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data-db-6}, spec: {volumeName: pv}}");
    assert_read(&r);
    assert_int_equal(r.counts.pods, 2);
    const json_t *pod = object_of(&r, "Pod", "default", "db-5");
    assert_string_equal(text_at(pod, "metadata/labels/statefulset.kubernetes.io~pod-name"), "db-5");
    assert_string_equal(text_at(pod, "metadata/labels/apps.kubernetes.io~pod-index"), "5");
    assert_int_equal(json_array_size(at(pod, "spec/volumes")), 2);
    assert_string_equal(text_at(pod, "spec/volumes/1/persistentVolumeClaim/claimName"), "data-db-5");
    const json_t *claim = object_of(&r, "PersistentVolumeClaim", "default", "data-db-5");
    assert_string_equal(text_at(claim, "spec/storageClassName"), "c");
    assert_string_equal(text_at(claim, "metadata/labels/l"), "m");
    assert_string_equal(text_at(claim, "status/phase"), "Pending");
    assert_string_equal(text_at(object_of(&r, "PersistentVolumeClaim", "default", "data-db-6"), "status/phase"),
                        "Bound");
    assert_int_equal(object_count(&r, "PersistentVolumeClaim"), 2);
    reading_free(&r);
}

static void test_jobs(void **state)
{
    (void)state;
    reading r = read_text("{apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: {parallelism: 2, " ONE_RUN
                          "}}\n---\n"
                          "{apiVersion: batch/v1, kind: Job, metadata: {name: b}, spec: {" ONE_RUN "}}\n---\n"
                          "{apiVersion: batch/v1, kind: Job, metadata: {name: c}, spec: {suspend: true}}\n---\n"
                          "{apiVersion: batch/v1, kind: Job, metadata: {name: d}, status: {conditions: [{type: "
                          "Complete, status: 'True'}]}}");
    assert_read(&r);
    assert_int_equal(r.counts.pods, 3);
    assert_string_equal(text_at(object_of(&r, "Pod", "default", "a-1"), "metadata/labels/job-name"), "a");
    assert_string_equal(text_at(object_of(&r, "Pod", "default", "b-0"), "metadata/ownerReferences/0/apiVersion"),
                        "batch/v1");
    reading_free(&r);
}

static void test_too_many_pods(void **state)
{
    (void)state;
    reading r = read_text(
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 2147483647}}");
    assert_refused(&r, KARP_E_LIMIT, 1, "spec.replicas");
    assert_string_equal(r.error.object, "Deployment default/web");
    reading_free(&r);
}

/* Plain objects beside a Snapshot know what is in it. */
static void test_added_to_a_snapshot(void **state)
{
    (void)state;
    reading r = read_texts(NULL, "s",
                           "{\"apiVersion\":\"karp/"
                           "v1\",\"kind\":\"Snapshot\",\"now\":\"2026-01-02T00:00:00Z\",\"objects\":[{\"apiVersion\":"
                           "\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"web-0\"}},"
                           "{\"apiVersion\":\"scheduling.k8s.io/"
                           "v1\",\"kind\":\"PriorityClass\",\"metadata\":{\"name\":\"high\"},\"value\":12}]}",
                           "more",
                           "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 2, "
                           "selector: {}, template: {spec: {" A_CONTAINER ", priorityClassName: high}}}}",
                           NULL);
    assert_read(&r);
    assert_int_equal(r.counts.pods, 2);
    assert_null(at(object_of(&r, "Pod", "default", "web-0"), "metadata/uid"));
    assert_int_equal(number_at(object_of(&r, "Pod", "default", "web-1"), "spec/priority"), 12);
    assert_string_equal(text_at(object_of(&r, "Pod", "default", "web-1"), "metadata/creationTimestamp"), START);
    reading_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identity_and_clock),
        cmocka_unit_test(test_pods),
        cmocka_unit_test(test_repeated_objects),
        cmocka_unit_test(test_strict_fills_nothing),
        cmocka_unit_test(test_pools),
        cmocka_unit_test(test_claims_are_invented),
        cmocka_unit_test(test_claims_that_are_given),
        cmocka_unit_test(test_volumes),
        cmocka_unit_test(test_disruption_budgets),
        cmocka_unit_test(test_deployment),
        cmocka_unit_test(test_pods_that_exist_are_counted),
        cmocka_unit_test(test_stateful_set),
        cmocka_unit_test(test_jobs),
        cmocka_unit_test(test_too_many_pods),
        cmocka_unit_test(test_added_to_a_snapshot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
