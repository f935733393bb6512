/* SPDX-License-Identifier: Apache-2.0 */
/* A decision made of tables, for tests of what writes decisions: every part present once, awkward characters included.
 * It defines the getters of the library, so that one file of a program includes it. */
#ifndef TESTS_UNIT_WRITTEN_DECISION_H
#define TESTS_UNIT_WRITTEN_DECISION_H

#include <karp/groups.h>
#include <stdint.h>
#include <string.h>

#include <karp/inspect.h>
#include <karp/io.h>
#include <karp/passes.h>
#include <karp/peer.h>
#include <karp/repack.h>
#include <karp/what_if.h>

#define S(text)                                                                                                        \
    {                                                                                                                  \
        (text), sizeof(text) - 1                                                                                       \
    }
#define LIST(array) (array), sizeof(array) / sizeof((array)[0])

struct karp_decision {
    int is_empty;
};

static const struct karp_decision full = { 0 };
static const struct karp_decision empty = { 1 };

static const char *const pod_names[] = {
    "batch/etl-0",
    "batch/etl-1",
    "other/web-0",
    "other/web-1",
    "other/web-10",
    "other/web-2",
    "ml/train-0",
    "ml/train-1",
    "kube-system/dns",
    "default/api-6ffb6f8dcd-2kn9r",
    "default/api-6ffb6f8dcd-cck7v",
    "ml/train-9",
};

karp_str karp_decision_pod_name(const karp_decision *decision, uint32_t pod)
{
    (void)decision;
    if (pod >= sizeof(pod_names) / sizeof(pod_names[0])) return (karp_str){ 0 };
    return (karp_str){ pod_names[pod], strlen(pod_names[pod]) };
}

uint32_t karp_decision_complete(const karp_decision *decision) { return (uint32_t)decision->is_empty; }
uint32_t karp_decision_profile(const karp_decision *decision)
{
    (void)decision;
    return KARP_PROFILE_KARPENTER;
}
uint32_t karp_decision_peer_version(const karp_decision *decision)
{
    (void)decision;
    return KARP_PEER_1_14;
}
int64_t karp_decision_now(const karp_decision *decision)
{
    (void)decision;
    return INT64_C(1700173920413000000);
}
double karp_decision_cost_before(const karp_decision *d) { return d->is_empty ? 0 : 0.384; }
double karp_decision_cost_after(const karp_decision *d) { return d->is_empty ? 0 : 0.6204; }

static const uint32_t etl[] = { 0, 1 };
static const uint32_t web[] = { 2, 3, 4, 5 };
static const uint32_t api[] = { 9, 10, 8 };
static const karp_resource requests[] = { { S("cpu"), S("2125m"), 0, 0, 0 },
                                          { S("memory"), S("2Gi"), 0, 0, 0 },
                                          { S("pods"), S("6"), 0, 0, 0 } };
static const karp_resource allocatable[] = { { S("cpu"), S("3920m"), 0, 0, 0 },
                                             { S("memory"), S("8Gi"), 0, 0, 0 },
                                             { S("pods"), S("58"), 0, 0, 0 } };
static const karp_str zones[] = { S("us-west-2a"), S("us-west-2b") };
static const karp_str host[] = { S("placeholder-1") };
static const karp_str three[] = { S("3") };
static const karp_str types[] = { S("m6g.xlarge"), S("c5.xlarge"), S("m5.xlarge"), S("r5.xlarge"), S("m5a.xlarge") };
static const karp_requirement loose[] = {
    { S("example.com/gen"), KARP_OP_EXISTS, 2, NULL, 0 },
    { S("example.com/gen"), KARP_OP_GTE, 0, LIST(three) },
    { S("karpenter.sh/registered"), KARP_OP_IN, 0, LIST(host) },
    { S("kubernetes.io/hostname"), KARP_OP_IN, 0, LIST(host) },
    { S("topology.kubernetes.io/zone"), KARP_OP_IN, 0, LIST(zones) },
};
static const karp_requirement narrow[] = {
    { S("example.com/gen"), KARP_OP_GTE, 0, LIST(three) },
    { S("node.kubernetes.io/instance-type"), KARP_OP_IN, 2, LIST(types) },
};
static const karp_label labels[] = { { S("karpenter.sh/nodepool"), S("default") }, { S("team"), S("yes") } };
static const karp_label notes[] = { { S("note"), S("a \"b\"\n\x01\xff\xc3\xa9") } };
static const karp_label choice_labels[] = {
    { S("karpenter.sh/capacity-type"), S("spot") },        { S("kubernetes.io/arch"), S("arm64") },
    { S("kubernetes.io/hostname"), S("nobody") },          { S("node.kubernetes.io/instance-type"), S("m6g.xlarge") },
    { S("topology.kubernetes.io/zone"), S("us-west-2b") },
};
static const karp_taint taints[] = { { S("dedicated"), S("gpu"), S("NoSchedule") },
                                     { S("bare"), S(""), S("NoExecute") } };

#define CLASS                                                                                                          \
    {                                                                                                                  \
        S("karpenter.k8s.aws"), S("EC2NodeClass"), S("default")                                                        \
    }
#define WITH_TYPES(pods_)                                                                                              \
    .pods = (pods_), .pod_count = sizeof(pods_) / sizeof((pods_)[0]), .requests = requests, .request_count = 3,        \
    .instance_types = types, .instance_type_count = 5, .allocatable = allocatable, .allocatable_count = 3,             \
    .node_class = CLASS

static const karp_launch launches[] = {
    { .id = S("new-1"),
      .node_pool = S("default"),
      WITH_TYPES(etl),
      .requirements = loose,
      .requirement_count = 5,
      .claim_requirements = narrow,
      .claim_requirement_count = 2,
      .labels = labels,
      .label_count = 2,
      .annotations = notes,
      .annotation_count = 1,
      .taints = taints,
      .taint_count = 2,
      .choice = { S("m6g.xlarge"), S("us-west-2b"), S("spot"), 0.1544 },
      .choice_labels = choice_labels,
      .choice_label_count = 5,
      .expire_after = INT64_C(720) * 3600 * 1000000000,
      .termination_grace_period = KARP_DURATION_UNSET },
    { .id = S("new-2"),
      .node_pool = S("default"),
      WITH_TYPES(web),
      .startup_taints = taints,
      .startup_taint_count = 1,
      .choice = { S("c5.xlarge"), S("us-west-2a"), S("on-demand"), 0.082 },
      .expire_after = KARP_DURATION_NEVER,
      .termination_grace_period = INT64_C(90000000000) },
    { .id = S("new-3"),
      .node_pool = S("2024-01"),
      .node_class = CLASS,
      .expire_after = KARP_DURATION_UNSET,
      .termination_grace_period = KARP_DURATION_UNSET },
};
static const karp_placement placements[] = { { .node = S("ip-10-0-2-40"), .pods = api, .pod_count = 3 } };
static const karp_pool_refusal refusals[] = {
    { S("gpu"), S("taint nvidia.com/gpu=true:NoSchedule is not tolerated"), KARP_REASON_TAINTS, 742, 11, 4, 4, 0 },
    { S("default"), S("no type has nvidia.com/gpu"), KARP_REASON_TYPE_RESOURCES, 742, 38, 0, 0, 0 },
};
static const karp_target_refusal targets[] = { { S("ip-10-0-2-40"), KARP_REASON_RESOURCES, 0 },
                                               { S("new-1"), KARP_REASON_RESOURCES, 1 } };
static const karp_str relaxed[] = { S("preferred node affinity, weight 1") };
static const karp_unschedulable unschedulable[] = {
    { .pod = 6,
      .code = KARP_REASON_SEVERAL,
      .permanent = 1,
      .message = S("two pools refuse"),
      .pools = refusals,
      .pool_count = 2 },
    { .pod = 7,
      .code = KARP_REASON_SEVERAL,
      .permanent = 1,
      .message = S("two pools refuse"),
      .pools = refusals,
      .pool_count = 2 },
    { .pod = 11,
      .code = KARP_REASON_NO_NODEPOOLS,
      .message = S("there is no NodePool"),
      .targets = targets,
      .target_count = 2,
      .relaxed = relaxed,
      .relaxed_count = 1 },
};
static const karp_group_outcome groups[] = {
    { .size = sizeof groups[0], .name = S("batch/etl"), .gang = 1, .min_count = 2, .member_count = 3, .placed = 2 },
    { .size = sizeof groups[0],
      .name = S("batch/fit"),
      .source = KARP_GROUP_VOLCANO,
      .gang = 1,
      .min_count = 4,
      .member_count = 3,
      .bound = 1,
      .code = KARP_REASON_GROUP_INCOMPLETE,
      .detail = S("3 pods count, and its minimum is 4"),
      .topology_key = S("rack"),
      .domain = S("r1") }
};
static const karp_ignored ignored[] = {
    { .pod = 8, .code = KARP_REASON_NOT_FOR_KARPENTER, .message = S("not for Karpenter") }
};
static const karp_node_use nodes[] = {
    { .node = S("ip-10-0-2-17"),
      .node_pool = S("default"),
      .instance_type = S("m5.2xlarge"),
      .zone = S("us-west-2b"),
      .capacity_type = S("on-demand"),
      .price = 0.384,
      .cpu_requested = 1,
      .cpu_allocatable = 7.91,
      .memory_requested = 1024,
      .memory_allocatable = 4096 },
    { .node = S("ip-10-0-2-40"),
      .instance_type = S("m5.xlarge"),
      .zone = S("us-west-2b"),
      .cpu_requested = 3.65,
      .cpu_allocatable = 3.92,
      .memory_requested = 3000,
      .memory_allocatable = 4096,
      .pods_received = 3 },
};
static const karp_str gone[] = { S("ip-10-0-2-17"), S("ip-10-0-2-18") };
static const karp_command commands[] = {
    { .method = KARP_METHOD_MULTI_NODE,
      .replaces = 1,
      .nodes = gone,
      .node_count = 2,
      .launch_first = 1,
      .launch_count = 1,
      .placement_first = 0,
      .placement_count = 1,
      .savings = 0.23,
      .validate_after = 15000000000,
      .score = 0.5,
      .decision = KARP_COMMAND_REPLACE,
      .termination_grace_period = KARP_DURATION_UNSET },
    { .method = KARP_METHOD_EMPTINESS,
      .nodes = gone,
      .node_count = 1,
      .savings = 0.1,
      .score = -1,
      .termination_grace_period = KARP_DURATION_UNSET },
};
static const karp_candidate candidates[] = { { .node = S("ip-10-0-2-17"),
                                               .node_pool = S("default"),
                                               .price = 0.384,
                                               .disruption_cost = 8.990625,
                                               .reschedule_cost = 8,
                                               .pods = api,
                                               .pod_count = 3 } };
static const karp_pool_budget budgets[] = {
    { .node_pool = S("default"), .remaining = 2, .next_change = KARP_NO_TIME }
};
static const karp_kept kept[] = {
    { .node = S("ip-10-0-2-40"), .detail = S("db/db-0 (pdb db/db)"), .code = KARP_REASON_PDB_BLOCKED }
};
static const karp_str warning = S("NodePool gpu: no instance type meets its requirements");

#define TABLE(name, type, table)                                                                                       \
    size_t karp_decision_##name##_count(const karp_decision *d)                                                        \
    {                                                                                                                  \
        return d->is_empty ? 0 : sizeof(table) / sizeof((table)[0]);                                                   \
    }                                                                                                                  \
    karp_status karp_decision_##name(const karp_decision *d, size_t index, type *out)                                  \
    {                                                                                                                  \
        if (index >= karp_decision_##name##_count(d)) return KARP_E_NOT_FOUND;                                         \
        assert_int_equal(out->size, sizeof(*out));                                                                     \
        *out = (table)[index];                                                                                         \
        out->size = sizeof(*out);                                                                                      \
        return KARP_OK;                                                                                                \
    }
TABLE(launch, karp_launch, launches)
TABLE(placement, karp_placement, placements)
TABLE(unschedulable, karp_unschedulable, unschedulable)
TABLE(ignored, karp_ignored, ignored)
TABLE(group, karp_group_outcome, groups)
TABLE(node, karp_node_use, nodes)
TABLE(candidate, karp_candidate, candidates)
TABLE(budget, karp_pool_budget, budgets)
TABLE(command, karp_command, commands)
TABLE(kept, karp_kept, kept)

/* Pages show pods as the snapshot has them: test_html.c. */
const karp_snapshot *karp_decision_snapshot(const karp_decision *d)
{
    (void)d;
    return NULL;
}
const karp_decision *karp_settlement_last(const karp_settlement *s)
{
    (void)s;
    return NULL;
}
size_t karp_decision_pods_left(const karp_decision *decision) { return karp_decision_unschedulable_count(decision); }

size_t karp_settlement_round_count(const karp_settlement *s)
{
    (void)s;
    return 0;
}
uint32_t karp_settlement_settled(const karp_settlement *s)
{
    (void)s;
    return 0;
}
karp_status karp_decision_cost(const karp_decision *d, karp_cost *out)
{
    (void)d;
    (void)out;
    return KARP_E_NOT_FOUND;
}
karp_status karp_decision_repack(const karp_decision *d, karp_repack_cost *out)
{
    (void)d;
    (void)out;
    return KARP_E_NOT_FOUND;
}
karp_status karp_decision_repack_step(const karp_decision *d, size_t index, karp_repack_step *out)
{
    (void)d;
    (void)index;
    (void)out;
    return KARP_E_NOT_FOUND;
}
size_t karp_decision_repack_point_count(const karp_decision *d)
{
    (void)d;
    return 0;
}
karp_status karp_decision_repack_point(const karp_decision *d, size_t index, karp_repack_point *out)
{
    (void)d;
    (void)index;
    (void)out;
    return KARP_E_NOT_FOUND;
}
size_t karp_decision_change_count(const karp_decision *d)
{
    (void)d;
    return 0;
}
size_t karp_decision_warning_count(const karp_decision *d) { return d->is_empty ? 0 : 1; }
karp_str karp_decision_warning(const karp_decision *d, size_t index)
{
    return !d->is_empty && index == 0 ? warning : (karp_str){ 0 };
}
karp_status karp_decision_disruption(const karp_decision *d, karp_disruption *out)
{
    *out = (karp_disruption){ .size = sizeof(*out), .method = KARP_METHOD_MULTI_NODE, .simulations = 7 };
    if (d->is_empty) {
        out->error_code = (karp_str)S("NODEPOOLS_NOT_FOUND");
        out->error_message = (karp_str)S("no usable pool");
    }
    return KARP_OK;
}

#endif
