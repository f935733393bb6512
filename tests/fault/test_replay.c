/* SPDX-License-Identifier: Apache-2.0 */
/* A replay, its dump and the comparison of two while memory is refused: nothing leaks, and the call says so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <karp/replay.h>
#include <support/fault.h>

static const char pool[] = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: default}\nspec: {disruption: "
                           "{consolidateAfter: 1m}}\n---\n"
                           "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b}\nspec: "
                           "{maxUnavailable: 1, selector: {matchLabels: {app: a}}}\n";
static const char table[] = "name,start,end,duration,cpu,memory,labels\n"
                            "a,0,1800,,1,1Gi,app=a\nb,60,,5m,3,1Gi,app=a\nc,90,,10m,500m,,app=c\n";

static const char nodes[] =
    "apiVersion: v1\nkind: Node\nmetadata: {name: n1, labels: {kubernetes.io/hostname: n1, karpenter.sh/nodepool: "
    "default, node.kubernetes.io/instance-type: t, karpenter.sh/capacity-type: on-demand, "
    "topology.kubernetes.io/zone: a}}\nstatus: {capacity: {cpu: 4, memory: 8Gi, pods: 50}, allocatable: {cpu: 4, "
    "memory: 8Gi, pods: 50}}\n---\n"
    "apiVersion: v1\nkind: Pod\nmetadata: {name: r, labels: {app: a}, ownerReferences: [{apiVersion: apps/v1, kind: "
    "ReplicaSet, name: r, uid: r, controller: true}]}\nspec: {nodeName: n1, containers: [{name: c, resources: "
    "{requests: "
    "{cpu: 1}}}]}\n---\n"
    "apiVersion: v1\nkind: Pod\nmetadata: {name: d, ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: d, "
    "uid: d, controller: true}]}\nspec: {nodeName: n1, containers: [{name: c, resources: {requests: {cpu: 100m}}}]}\n";

/* A step that would not pay, and so is refused and planned anew; and one whose node does not exist. */
static const char plan[] = "{\"kind\":\"RepackPlan\",\"costBefore\":0.1,\"costAfter\":0.05,\"evictions\":1,\"effort\":"
                           "100,\"steps\":[{\"nodes\":[\"n1\"],"
                           "\"launches\":[{\"id\":\"new-1\",\"nodePool\":\"default\",\"pods\":[\"default/"
                           "r\"],\"instanceTypes\":[\"t\"],\"labels\":{"
                           "\"a\":\"b\"},\"taints\":[{\"key\":\"k\",\"effect\":\"NoSchedule\"}],\"choice\":{"
                           "\"instanceType\":\"t\",\"zone\":\"a\","
                           "\"capacityType\":\"on-demand\",\"price\":\"0.1\",\"allocatable\":{\"cpu\":\"4\",\"memory\":"
                           "\"8Gi\",\"pods\":\"50\"}}}],"
                           "\"placements\":[]},{\"nodes\":[\"n9\"]}]}";

enum { POINTS = 400 };

/* The other formats, each of a few pods. */
static const char *const traces[] = {
    "{\"version\":2,\"config\":{\"trackedObjects\":{\"apps/v1.Deployment\":{\"podSpecTemplatePath\":\"/spec/"
    "template\"}}},"
    "\"events\":[{\"ts\":1772409600,\"applied_objs\":[{\"apiVersion\":\"apps/"
    "v1\",\"kind\":\"Deployment\",\"metadata\":{"
    "\"name\":\"w\"},\"spec\":{\"replicas\":2,\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\"}]}}}}],"
    "\"deleted_objs\":[]}]}",
    "{\"captured\":\"\",\"events\":[{\"type\":\"create\",\"kind\":\"Job\",\"key\":\"d/j\",\"timestamp\":"
    "\"2026-03-02T10:00:00Z\",\"job\":{\"metadata\":{\"name\":\"j\"},\"spec\":{\"template\":{\"spec\":{\"containers\":["
    "{\"name\":\"c\"}]}}}}}]}",
    "{\"kind\":\"Snapshot\",\"now\":\"2026-03-02T10:00:00Z\",\"objects\":[{\"kind\":\"Pod\",\"apiVersion\":\"v1\","
    "\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\"}]}}]}",
    "apiVersion: karp/v1\nkind: Load\nlength: 30m\ndeployments:\n- {name: w, cpu: 1, replicas: {least: 1, most: 9}}\n"
    "cronJobs:\n- {name: j, cpu: 1, schedule: \"*/10 * * * *\"}\n",
    "apiVersion: karp/v1\nkind: Story\nnodeReadyAfter: 10s\nobjects:\n"
    "- {apiVersion: apps/v1, kind: StatefulSet, metadata: {name: s}, spec: {replicas: 2, podManagementPolicy: "
    "Parallel, "
    "selector: {matchLabels: {app: s}}, template: {metadata: {labels: {app: s}}, spec: {containers: [{name: c, "
    "resources: {requests: {cpu: 3}}}]}}}}\nsteps:\n- wait: 1m\n- fail: {nodes: 1, for: 8m}\n- wait: 10m\n",
};
enum { KINDS = 7, ALL = KINDS + sizeof traces / sizeof traces[0] };

static karp_text cut; /* the dump of a replay, with its state */

static karp_str text_of(const char *text) { return (karp_str){ text, strlen(text) }; }

static karp_catalogue *make_types(karp_context *context)
{
    karp_str kind = text_of("on-demand"), zone = text_of("a");
    karp_requirement ways[2] = {
        { .key = text_of("karpenter.sh/capacity-type"), .op = KARP_OP_IN, .values = &kind, .value_count = 1 },
        { .key = text_of("topology.kubernetes.io/zone"), .op = KARP_OP_IN, .values = &zone, .value_count = 1 },
    };
    karp_offering offering = { .requirements = ways, .requirement_count = 2, .price = 0.1, .available = 1 };
    karp_resource amounts[3] = { { .name = text_of("cpu"), .text = text_of("4") },
                                 { .name = text_of("memory"), .text = text_of("8Gi") },
                                 { .name = text_of("pods"), .text = text_of("50") } };
    karp_instance_type type = { .size = sizeof type,
                                .name = text_of("t"),
                                .capacity = amounts,
                                .capacity_count = 3,
                                .offerings = &offering,
                                .offering_count = 1 };
    karp_catalogue *types = NULL;
    assert_int_equal(karp_catalogue_new(context, &type, 1, &types, NULL), KARP_OK);
    return types;
}

static karp_status ask(karp_context *context, karp_catalogue *types, int what, karp_text *out, karp_error *error)
{
    karp_replay_document trace = { text_of("t.csv"), text_of(table) },
                         objects[2] = { { text_of("pool"), text_of(pool) }, { text_of("nodes"), text_of(nodes) } };
    karp_replay_options options;
    karp_write_options write;
    karp_replay_options_init(&options, sizeof options);
    karp_write_options_init(&write, sizeof write);
    if (what >= KINDS) trace = (karp_replay_document){ text_of("trace"), text_of(traces[what - KINDS]) };
    options.traces = &trace;
    if (what == 5) objects[0] = (karp_replay_document){ text_of("cut"), { cut.ptr, cut.len } };
    options.objects = objects;
    options.trace_count = 1;
    options.object_count = what == 4 || what == 6 ? 2 : 1; /* 4: the cluster has a node at the start */
    const karp_replay_document repack = { text_of("plan"), text_of(plan) };
    if (what == 6) options.repack = &repack;
    options.catalogue = types;
    options.until_after = INT64_C(3600000000000);
    options.dump_after = what == 1 ? INT64_C(300000000000) : 0;
    write.format = what == 2 ? KARP_FORMAT_HTML : KARP_FORMAT_JSON;
    return karp_replay(context, &options, &write, out, error);
}

static karp_status compare(karp_context *context, const karp_text *one, karp_text *out, karp_error *error)
{
    karp_replay_document side = { text_of("one"), { one->ptr, one->len } };
    return karp_replay_compare(context, &side, &side, NULL, out, NULL, error);
}

static void refuse(int what)
{
    fault f = { 0 };
    karp_error error;
    karp_text first = { 0 };
    karp_context *context = fault_context(&f);
    karp_error_init(&error, sizeof error);
    karp_catalogue *types = make_types(context);
    karp_status status = ask(context, types, what == 3 ? 0 : what, &first, &error);
    if (status) print_message("# %s %s: %s\n", error.object, error.field, error.message);
    assert_int_equal(status, KARP_OK);
    fault_arm(&f, 0, false);
    karp_text text = { 0 };
    assert_int_equal(what == 3 ? compare(context, &first, &text, &error) : ask(context, types, what, &text, &error),
                     KARP_OK);
    karp_text_free(&text);
    size_t calls = f.calls, blocks = f.live_blocks, bytes = f.live_bytes, step = calls / POINTS + 1;
    for (size_t at = 1; at <= calls; at += step) {
        fault_arm(&f, at, false);
        status = what == 3 ? compare(context, &first, &text, &error) : ask(context, types, what, &text, &error);
        if (status == KARP_OK) karp_text_free(&text);
        else assert_int_equal(status, KARP_E_NOMEM);
        assert_int_equal(f.live_blocks, blocks);
        assert_int_equal(f.live_bytes, bytes);
        assert_int_equal(f.wrong_sizes, 0);
    }
    karp_text_free(&first);
    karp_catalogue_unref(types);
    karp_context_unref(context);
    assert_int_equal(f.live_blocks, 0);
}

static void test_refusals(void **state)
{
    (void)state;
    karp_context *plain = NULL;
    assert_int_equal(karp_context_new(NULL, &plain, NULL), KARP_OK);
    karp_catalogue *types = make_types(plain);
    assert_int_equal(ask(plain, types, 1, &cut, NULL), KARP_OK);
    for (int what = 0; what < (int)ALL; what++) refuse(what);
    karp_text_free(&cut);
    karp_catalogue_unref(types);
    karp_context_unref(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_refusals) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
