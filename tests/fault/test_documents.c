/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Documents of every kind under refused memory: each allocation once, and from then on. What comes of it is
 * KARP_E_NOMEM, or the same snapshot.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <karp/io.h>
#include <karp/karp.h>
#include <support/fault.h>

/* Filled in from each other: nodes, claims and pools; pods, classes and budgets; workloads and what they expand to. */
static const char today[] =
    "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: default}, spec: {template: {metadata: {labels: "
    "{team: "
    "a}}, spec: {taints: [{key: t, effect: NoSchedule}], requirements: [{key: kubernetes.io/arch, operator: In, "
    "values: "
    "[amd64]}], nodeClassRef: {group: g, kind: ANodeClass, name: c}}}}}\n---\n"
    "{apiVersion: g/v1, kind: ANodeClass, metadata: {name: c}, spec: {x: 1.5}}\n---\n"
    "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: n1, labels: {karpenter.sh/nodepool: default}}, "
    "status: {nodeName: n1}}\n---\n"
    "{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {node.kubernetes.io/instance-type: small}}, spec: "
    "{unschedulable: true}}\n---\n"
    "{apiVersion: v1, kind: Node, metadata: {name: n2, labels: {karpenter.sh/nodepool: default, "
    "node.kubernetes.io/instance-type: small}}}\n---\n"
    "{apiVersion: v1, kind: Node, metadata: {name: n3}, status: {capacity: {cpu: 4, memory: 1073741824, pods: "
    "110}}}\n---\n"
    "{apiVersion: karp/v1, kind: Prices, metadata: {name: own}, spec: {rules: [{factor: 0.5, requirements: [{key: a, "
    "operator: Exists}]}], blockDevices: {gp3: 0.1}, commitments: [{name: c, vCPUs: 8, price: 0.01}]}}\n---\n"
    "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000, globalDefault: "
    "true}\n---\n"
    "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast, annotations: "
    "{storageclass.kubernetes.io/is-default-class: 'true'}}, provisioner: ebs.csi.aws.com}\n---\n"
    "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {minAvailable: 50%, selector: "
    "{matchLabels: {app: web}}}}\n---\n"
    "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 2, selector: {matchLabels: {app: "
    "web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, ports: [{containerPort: 80}], "
    "resources: {requests: {cpu: 0.5}}}]}}}}\n---\n"
    "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {replicas: 2, template: {metadata: {labels: "
    "{app: db}}, spec: {containers: [{name: c}]}}, volumeClaimTemplates: [{metadata: {name: data}, spec: {resources: "
    "{requests: {storage: 1Gi}}}}]}}\n---\n"
    "{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {parallelism: 1, template: {spec: "
    "{priorityClassName: "
    "high, containers: [{name: c}]}}}}\n---\n"
    "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d}, spec: {template: {spec: {containers: [{name: c, "
    "ports: "
    "[{containerPort: 1}]}]}}}}\n---\n"
    "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: other, labels: &labels {app: p}}, spec: {nodeName: n1, "
    "volumes: [{name: v, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce]}}}}]}}\n---\n"
    "{apiVersion: v1, kind: PodTemplate, metadata: {name: t}, template: {spec: {containers: [{name: c}]}}}\n---\n"
    "{apiVersion: autoscaling.x-k8s.io/v1beta1, kind: CapacityBuffer, metadata: {name: cb}, spec: {replicas: 2, "
    "podTemplateRef: {name: t}}}\n---\n"
    "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c1}, spec: {volumeName: pv1}}\n---\n"
    "{apiVersion: v1, kind: PersistentVolume, metadata: {name: pv1}, spec: {csi: {driver: d, volumeHandle: h}}}\n";

static const char of_2022[] =
    "{apiVersion: karpenter.sh/v1alpha5, kind: Provisioner, metadata: {name: old}, spec: {ttlSecondsAfterEmpty: 30, "
    "labels: {a: b}, limits: {resources: {cpu: 10}}, kubeletConfiguration: {maxPods: 20, containerRuntime: "
    "containerd}, "
    "providerRef: {name: base}}}\n---\n"
    "{apiVersion: karpenter.k8s.aws/v1alpha1, kind: AWSNodeTemplate, metadata: {name: base}, spec: {subnetSelector: "
    "{Name: 'a,b', team: x}, securityGroupSelector: {aws-ids: 'sg-1'}, tags: {a: b}}}\n---\n"
    "{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {karpenter.sh/provisioner-name: old}, annotations: "
    "{karpenter.sh/do-not-consolidate: 'true'}}, status: {capacity: {cpu: 4}}}\n---\n"
    "{apiVersion: v1, kind: Pod, metadata: {name: p, annotations: {karpenter.sh/do-not-evict: 'true'}}, spec: "
    "{nodeSelector: {karpenter.sh/provisioner-name: old}}}\n";

static const char in_json[] = "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{\"apiVersion\":\"v1\",\"kind\":"
                              "\"Pod\",\"metadata\":{\"name\":"
                              "\"a\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{"
                              "\"cpu\":\"1\",\"memory\":1.5e3}}}]}}]}";

static const char stated[] =
    "{\"apiVersion\":\"karp/"
    "v1\",\"kind\":\"Snapshot\",\"now\":\"2026-01-01T00:00:00Z\",\"settings\":{\"minValuesPolicy\":"
    "\"BestEffort\",\"unknown\":1},\"labels\":{\"wellKnown\":[\"x\"]},\"state\":{\"nodes\":[{\"name\":\"b\"},{\"name\":"
    "\"a\"}]},\"catalogues\":[{\"instanceTypes\":[{\"name\":\"t\",\"capacity\":{\"cpu\":\"1\"},\"offerings\":[{"
    "\"zone\":"
    "\"z\",\"capacityType\":\"on-demand\",\"price\":1,\"available\":true}]}]}],\"objects\":[{\"apiVersion\":\"v1\","
    "\"kind\":"
    "\"Node\",\"metadata\":{\"name\":\"a\"}},{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"b\"}},"
    "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"d\"},\"spec\":{\"template\":{}}}]}";

static const char types[] =
    "[{\"name\":\"small\",\"capacity\":{\"cpu\":\"2\",\"memory\":\"4Gi\",\"pods\":\"29\"},"
    "\"requirements\":[{\"key\":\"kubernetes.io/arch\",\"operator\":\"In\",\"values\":[\"amd64\"]}],"
    "\"offerings\":[{\"zone\":\"z1\",\"capacityType\":\"spot\",\"price\":0.5,\"available\":true}]}]";

static karp_str str_of(const char *text) { return (karp_str){ text, strlen(text) }; }

/* Reads the text; the dump is the caller's to free. */
static karp_status read_text(karp_context *context, const char *text, bool with_types, karp_text *dump)
{
    karp_reader_options options;
    karp_reader_options_init(&options, sizeof options);
    options.keep_documents = 1;
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_catalogue *catalogue = NULL;
    karp_status status = karp_reader_new(context, &options, &reader, &error);
    if (!status && with_types) status = karp_catalogue_read(context, str_of("t"), str_of(types), &catalogue, &error);
    if (!status && with_types) status = karp_reader_add_catalogue(reader, catalogue, &error);
    if (!status) status = karp_reader_add(reader, str_of("input"), str_of(text), &error);
    if (!status) status = karp_reader_finish(reader, &snapshot, &error);
    if (!status) status = karp_reader_dump(reader, dump, &error);
    if (status && status != KARP_E_NOMEM)
        print_message("%s: %s (%s)\n", karp_status_name(status), error.message, error.object);
    karp_snapshot_unref(snapshot);
    karp_catalogue_unref(catalogue);
    karp_reader_free(reader);
    return status;
}

static void refuse_each(const char *text, bool with_types, bool keep_failing)
{
    fault faults;
    memset(&faults, 0, sizeof faults);
    karp_context *context = fault_context(&faults);
    karp_text expected = { NULL, 0, NULL };
    assert_int_equal(read_text(context, text, with_types, &expected), KARP_OK);
    size_t places = 0;
    for (size_t nth = 1;; nth++) {
        karp_text dump = { NULL, 0, NULL };
        size_t blocks = faults.live_blocks;
        fault_arm(&faults, nth, keep_failing);
        karp_status status = read_text(context, text, with_types, &dump);
        bool refused = faults.refused > 0;
        fault_arm(&faults, 0, false);
        if (status == KARP_OK) {
            assert_int_equal(dump.len, expected.len);
            assert_memory_equal(dump.ptr, expected.ptr, dump.len);
        } else if (status != KARP_E_NOMEM) {
            fail_msg("allocation %zu refused%s: status %d", nth, keep_failing ? " and all later ones" : "",
                     (int)status);
        }
        karp_text_free(&dump);
        assert_int_equal(faults.live_blocks, blocks);
        if (!refused) break;
        places++;
    }
    assert_true(places > 30);
    karp_text_free(&expected);
    karp_context_free(context);
    assert_int_equal(faults.live_blocks, 0);
    assert_int_equal(faults.wrong_sizes, 0);
}

static void test_objects(void **state)
{
    (void)state;
    refuse_each(today, true, false);
    refuse_each(today, true, true);
}

static void test_objects_of_2022(void **state)
{
    (void)state;
    refuse_each(of_2022, true, false);
    refuse_each(of_2022, true, true);
}

static void test_json(void **state)
{
    (void)state;
    refuse_each(in_json, true, false);
    refuse_each(in_json, true, true);
}

static void test_snapshot(void **state)
{
    (void)state;
    refuse_each(stated, false, false);
    refuse_each(stated, false, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_objects),
        cmocka_unit_test(test_objects_of_2022),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_snapshot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
