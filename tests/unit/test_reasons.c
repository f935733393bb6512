/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reason codes: each has a name and a text and stands in docs/reasons.md as it does in the library, and each code of a
 * pod comes up in some small world, but for those that cannot.
 */
#include "planning.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <karp/inspect.h>
#include <karp/io.h>

enum { MOST_CODE = 400 };

static bool is_code(uint32_t code)
{
    return code == KARP_REASON_NONE || strcmp(karp_reason_name(code), "UNKNOWN") != 0;
}

/* ---- names and texts --------------------------------------------------------------------------------------------- */

static void test_names(void **state)
{
    (void)state;
    uint32_t count = 0;
    for (uint32_t a = 1; a < MOST_CODE; a++) {
        if (!is_code(a)) {
            assert_string_equal(karp_reason_text(a), "");
            assert_int_equal(karp_reason_permanent(a), 0);
            continue;
        }
        count++;
        assert_true(strlen(karp_reason_text(a)) > 10);
        assert_true(strspn(karp_reason_name(a), "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == strlen(karp_reason_name(a)));
        for (uint32_t b = 1; b < a; b++)
            assert_true(!is_code(b) || strcmp(karp_reason_name(a), karp_reason_name(b)) != 0);
    }
    assert_true(count > 70);
    assert_string_equal(karp_reason_name(KARP_REASON_NONE), "NONE");
}

static char *read_document(void)
{
    const char *source = getenv("KARP_SOURCE");
    char path[1024];
    snprintf(path, sizeof path, "%s/docs/reasons.md", source != NULL ? source : ".");
    FILE *file = fopen(path, "rb");
    if (file == NULL) return NULL;
    char *text = calloc(1, 1 << 16);
    size_t length = text == NULL ? 0 : fread(text, 1, (1 << 16) - 1, file);
    fclose(file);
    if (length == 0) {
        free(text);
        return NULL;
    }
    return text;
}

static void test_document(void **state)
{
    (void)state;
    char *text = read_document(), line[512];
    uint32_t rows = 0, codes = 0;
    assert_non_null(text);
    for (uint32_t a = 1; a < MOST_CODE; a++) {
        if (!is_code(a)) continue;
        codes++;
        snprintf(line, sizeof line, "| %u | `%s` | %s | %s |", (unsigned)a, karp_reason_name(a),
                 karp_reason_permanent(a) ? "yes" : "", karp_reason_text(a));
        if (strstr(text, line) == NULL) print_message("docs/reasons.md lacks: %s\n", line);
        assert_non_null(strstr(text, line));
    }
    for (const char *at = strstr(text, "\n| "); at != NULL; at = strstr(at + 1, "\n| "))
        rows += at[3] >= '0' && at[3] <= '9';
    assert_int_equal(rows, codes);
    free(text);
}

/* ---- a world for each -------------------------------------------------------------------------------------------- */

#define META "metadata: {name: a, namespace: default, uid: u-a}, "
#define WAITS "status: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable}]}}\n"
#define LARGE                                                                                                          \
    "  - {name: large, capacity: {cpu: '16', memory: 64Gi, pods: '10'}, labels: {node.kubernetes.io/instance-type: "   \
    "[large], "                                                                                                        \
    "topology.kubernetes.io/zone: [a, b], karpenter.sh/capacity-type: [on-demand]}, "                                  \
    "offerings: [{zone: a, capacityType: on-demand, price: 3}, {zone: b, capacityType: on-demand, price: 3}]}\n"
#define SOLD_OUT                                                                                                       \
    "  - {name: m, capacity: {cpu: '4', memory: 16Gi, pods: '10'}, labels: {node.kubernetes.io/instance-type: [m], "   \
    "topology.kubernetes.io/zone: [a, b], karpenter.sh/capacity-type: [on-demand]}, "                                  \
    "offerings: [{zone: a, capacityType: on-demand, price: 1}, {zone: b, capacityType: on-demand, price: 1, "          \
    "available: false}]}\n"
#define RESERVED_TYPE                                                                                                  \
    "  - {name: m, capacity: {cpu: '4', memory: 16Gi, pods: '10'}, labels: {node.kubernetes.io/instance-type: [m], "   \
    "topology.kubernetes.io/zone: [a], karpenter.sh/capacity-type: [on-demand, reserved], "                            \
    "karpenter.k8s.aws/capacity-reservation-id: [r]}, "                                                                \
    "offerings: [{zone: a, capacityType: on-demand, price: 1}, {zone: a, capacityType: reserved, price: 0, "           \
    "reservationID: r, reservationCapacity: 1}]}\n"
#define FULL_TYPE                                                                                                      \
    "  - {name: m, capacity: {cpu: '4', memory: 16Gi, pods: '10'}, labels: {node.kubernetes.io/instance-type: [m], "   \
    "topology.kubernetes.io/zone: [a], karpenter.sh/capacity-type: [reserved], "                                       \
    "karpenter.k8s.aws/capacity-reservation-id: [r]}, "                                                                \
    "offerings: [{zone: a, capacityType: reserved, price: 0, reservationID: r, reservationCapacity: 0}]}\n"
/* A Snapshot with a NodePool of its own in the place of the usual one; `pool` are members of its spec. */
#define HEAD(types)                                                                                                    \
    "apiVersion: karp/v1\nkind: Snapshot\nnow: 2026-06-01T00:00:00Z\nsettings: {}\ncatalogues:\n- "                    \
    "instanceTypes:\n" types "objects:\n"
#define OWN_POOL(more, spec)                                                                                           \
    "- {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: default}, spec: {" more                          \
    "template: {spec: {nodeClassRef: "                                                                                 \
    "{group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}" spec                                              \
    "}}}, status: {conditions: [{type: Ready, status: 'True'}, "                                                       \
    "{type: ValidationSucceeded, status: 'True'}, {type: NodeClassReady, status: 'True'}]}}\n"
#define NODE(labels, more, cpu)                                                                                        \
    "- {apiVersion: v1, kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: n1" labels                   \
    "}}, spec: {" more "}, status: {capacity: {cpu: '" cpu "', "                                                       \
    "memory: 64Gi, pods: '10'}, allocatable: {cpu: '" cpu "', memory: 64Gi, pods: '10'}}}\n"
#define SELECT(label) ", nodeSelector: {" label "}"

/* Where a code comes up. */
enum place { OF_POD, OF_POOL, OF_TARGET, LEFT_OUT };

struct world {
    uint32_t code;
    enum place place;
    const char *text;
    uint64_t max_steps; /* of the options */
};

static const struct world worlds[] = {
    { KARP_REASON_MIN_VALUES, OF_POOL,
      HEAD(TYPE("m", "1", "") LARGE)
          OWN_POOL("", ", requirements: [{key: node.kubernetes.io/instance-type, operator: Exists, minValues: 2}]")
              POD("a", "10", ""),
      0 },
    { KARP_REASON_NOTHING_MATCHED, OF_POOL,
      SNAPSHOT("{}", TYPE("m", "1", "")) POD("a", "1", SELECT("topology.kubernetes.io/zone: z")), 0 },
    { KARP_REASON_REQUIREMENTS_AND_RESOURCES, OF_POOL,
      SNAPSHOT("{}", TYPE("m", "1", "")) POD("a", "100", SELECT("node.kubernetes.io/instance-type: x")), 0 },
    { KARP_REASON_RESOURCES_AND_OFFERING, OF_POOL,
      SNAPSHOT("{}", SOLD_OUT) POD("a", "1", SELECT("topology.kubernetes.io/zone: b")), 0 },
    { KARP_REASON_TYPE_REQUIREMENTS, OF_POOL,
      SNAPSHOT("{}", TYPE("m", "1", "")) POD("a", "1", SELECT("node.kubernetes.io/instance-type: x")), 0 },
    { KARP_REASON_TYPE_RESOURCES, OF_POOL, SNAPSHOT("{}", TYPE("m", "1", "")) POD("a", "100", ""), 0 },
    { KARP_REASON_FITS_OFFERING_NOT_COMPATIBLE, OF_POOL,
      SNAPSHOT("{}", TYPE("m", "1", "") LARGE) POD("a", "10", SELECT("node.kubernetes.io/instance-type: m")), 0 },
    { KARP_REASON_TAINTS, OF_POOL,
      HEAD(TYPE("m", "1", "")) OWN_POOL("", ", taints: [{key: t, effect: NoSchedule}], requirements: []")
          POD("a", "1", ""),
      0 },
    { KARP_REASON_TAINTS, OF_TARGET,
      SNAPSHOT("{}", TYPE("m", "1", "")) NODE("", "taints: [{key: t, effect: NoSchedule}]", "200") POD("a", "100", ""),
      0 },
    { KARP_REASON_REQUIREMENTS, OF_POOL, SNAPSHOT("{}", TYPE("m", "1", "")) POD("a", "1", SELECT("team: x")), 0 },
    { KARP_REASON_REQUIREMENTS, OF_TARGET,
      SNAPSHOT("{}", TYPE("m", "1", "")) NODE("", "", "200") POD("a", "100", SELECT("team: x")), 0 },
    { KARP_REASON_VOLUME, OF_POOL,
      HEAD(TYPE("m", "1", ""))
          OWN_POOL("", ", requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [a]}]")
              BOUND_CLAIM("b") POD("a", "1", USES_CLAIM),
      0 },
    { KARP_REASON_VOLUME, OF_TARGET,
      SNAPSHOT("{}", TYPE("m", "1", "")) NODE(", topology.kubernetes.io/zone: a", "", "200") BOUND_CLAIM("b")
          POD("a", "100", USES_CLAIM),
      0 },
    { KARP_REASON_VOLUME_LIMIT, OF_TARGET,
      SNAPSHOT("{}", TYPE("m", "1", ""))
          NODE(", topology.kubernetes.io/zone: a", "",
               "200") "- {apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: n1}, spec: {drivers: [{name: "
                      "d, nodeID: n1, allocatable: {count: 0}}]}}\n" BOUND_CLAIM("a") POD("a", "100", USES_CLAIM),
      0 },
    { KARP_REASON_HOST_PORT, OF_TARGET,
      SNAPSHOT("{}", TYPE("m", "1", ""))
          NODE("", "", "200") "- {apiVersion: v1, kind: Pod, metadata: {name: b, namespace: default, uid: u-b}, spec: "
                              "{nodeName: n1, containers: [{name: c, ports: [{containerPort: 80, "
                              "hostPort: 80, protocol: TCP}]}]}, status: {phase: Running}}\n"
                              "- {apiVersion: v1, kind: Pod, " META
                              "spec: {containers: [{name: c, resources: {requests: {cpu: 100}}, ports: "
                              "[{containerPort: 80, hostPort: 80, protocol: TCP}]}]}, " WAITS,
      0 },
    { KARP_REASON_RESOURCES, OF_TARGET, SNAPSHOT("{}", TYPE("m", "1", "")) NODE("", "", "50") POD("a", "100", ""), 0 },
    { KARP_REASON_TOPOLOGY, OF_POOL,
      SNAPSHOT("{}", TYPE("m", "1", ""))
          POD("a", "1",
              ", affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
              "topology.kubernetes.io/zone, labelSelector: {matchLabels: {app: nobody}}}]}}"),
      0 },
    { KARP_REASON_NODE_LIMITS, OF_POOL,
      HEAD(TYPE("m", "1", "")) OWN_POOL("limits: {nodes: '0'}, ", ", requirements: []") POD("a", "1", ""), 0 },
    { KARP_REASON_LIMITS, OF_POOL,
      HEAD(TYPE("m", "1", "")) OWN_POOL("limits: {cpu: '2'}, ", ", requirements: []") POD("a", "1", ""), 0 },
    { KARP_REASON_LIMITS, OF_POOL,
      HEAD(TYPE("m", "1", "") LARGE) OWN_POOL("limits: {cpu: '8'}, ", ", requirements: []") POD("a", "10", ""), 0 },
    { KARP_REASON_RESERVED, OF_POD,
      "apiVersion: karp/v1\nkind: Snapshot\nnow: 2026-06-01T00:00:00Z\nsettings: {featureGates: {ReservedCapacity: "
      "true}}\n"
      "labels: {wellKnown: [karpenter.k8s.aws/capacity-reservation-id], reservationID: "
      "karpenter.k8s.aws/capacity-reservation-id}\n"
      "catalogues:\n- instanceTypes:\n" RESERVED_TYPE "objects:\n" OWN_POOL("", ", requirements: []") POD("a", "3", "")
          POD("b", "3", ""),
      0 },
    { KARP_REASON_RESERVED_FULL, OF_POOL,
      "apiVersion: karp/v1\nkind: Snapshot\nnow: 2026-06-01T00:00:00Z\nsettings: {featureGates: {ReservedCapacity: "
      "true}, reservedOfferingMode: Fallback}\n"
      "labels: {wellKnown: [karpenter.k8s.aws/capacity-reservation-id], reservationID: "
      "karpenter.k8s.aws/capacity-reservation-id}\n"
      "catalogues:\n- instanceTypes:\n" FULL_TYPE "objects:\n" OWN_POOL("", ", requirements: []") POD("a", "3", ""),
      0 },
    { KARP_REASON_VOLUME_LIMIT, OF_POOL,
      SNAPSHOT("{}", TYPE("m", "1", ", volumeAttachmentLimits: {d: 0}")) BOUND_CLAIM("a") POD("a", "1", USES_CLAIM),
      0 },
    { KARP_REASON_DRA, OF_POD,
      SNAPSHOT("{}", TYPE("m", "1", "")) POD("a", "1", ", resourceClaims: [{name: r, resourceClaimName: r}]"), 0 },
    { KARP_REASON_NO_TEMPLATES, OF_POD,
      HEAD(TYPE("m", "1", "")) OWN_POOL(
          "", ", requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [z]}]") POD("a", "1", ""),
      0 },
    { KARP_REASON_NO_NODEPOOLS, LEFT_OUT, HEAD(TYPE("m", "1", "")) POD("a", "1", ""), 0 },
    { KARP_REASON_NOT_REACHED, OF_POD, SNAPSHOT("{}", TYPE("m", "1", "")) POD("a", "1", "") POD("b", "1", ""), 1 },
    { KARP_REASON_SEVERAL, OF_POD,
      SNAPSHOT("{}",
               TYPE("m", "1", "")) "- {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: second}, spec: "
                                   "{template: {spec: {nodeClassRef: {group: "
                                   "karpenter.kwok.sh, kind: KWOKNodeClass, name: default}, taints: [{key: t, effect: "
                                   "NoSchedule}], requirements: []}}}, status: {conditions: [{type: Ready, status: "
                                   "'True'}, {type: ValidationSucceeded, status: 'True'}, {type: NodeClassReady, "
                                   "status: 'True'}]}}\n" POD("a", "100", ""),
      0 },
    { KARP_REASON_RESOURCE_CLAIM, OF_POD,
      SNAPSHOT("{ignoreDRARequests: false}", TYPE("m", "1", ""))
          POD("a", "1", ", resourceClaims: [{name: r, resourceClaimName: gone}]"),
      0 },
    { KARP_REASON_NOT_FOR_KARPENTER, LEFT_OUT,
      SNAPSHOT("{}", TYPE("m", "1", ""))
          POD("a", "1",
              ", affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
              "[{matchExpressions: [{key: karpenter.sh/nodepool, operator: DoesNotExist}]}]}}}"),
      0 },
    { KARP_REASON_INVALID_SELECTOR, LEFT_OUT,
      SNAPSHOT("{}", TYPE("m", "1", "")) POD("a", "1", SELECT("kubernetes.io/hostname: n1")), 0 },
    { KARP_REASON_INVALID_AFFINITY, LEFT_OUT,
      SNAPSHOT("{}", TYPE("m", "1", ""))
          POD("a", "1",
              ", affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
              "[{matchExpressions: [{key: karpenter.sh/other, operator: Exists}]}]}}}"),
      0 },
    { KARP_REASON_INVALID_VOLUME, LEFT_OUT, SNAPSHOT("{}", TYPE("m", "1", "")) POD("a", "1", USES_CLAIM), 0 },
    { KARP_REASON_INVALID_SEVERAL, LEFT_OUT,
      SNAPSHOT("{}", TYPE("m", "1", "")) POD("a", "1", SELECT("kubernetes.io/hostname: n1") USES_CLAIM), 0 },
    { KARP_REASON_NOT_CREATED, LEFT_OUT,
      SNAPSHOT("{}",
               TYPE("m", "1", "")) "- {apiVersion: v1, kind: Pod, metadata: {name: a, namespace: default, uid: u-a}, "
                                   "spec: {containers: [{name: "
                                   "c}]}, status: {phase: Pending, conditions: [{type: Created, status: 'False'}]}}\n",
      0 },
};

/* Codes of pods that no world makes, and why. */
static const struct unreachable {
    uint32_t code;
    const char *why;
} unreachable[] = {
    { KARP_REASON_REQUIREMENTS_AND_OFFERING,
      "a type that is large enough has an offering, or it does not count as large enough" },
    { KARP_REASON_TYPE_OFFERING, "likewise" },
    { KARP_REASON_FITS_COMPATIBLE_NO_OFFERING, "likewise" },
    { KARP_REASON_COMPATIBLE_OFFERING_NO_FIT,
      "some type is large enough, then: it has an offering, so that FITS_OFFERING_NOT_COMPATIBLE comes first" },
    { KARP_REASON_TUPLE, "likewise" },
    { KARP_REASON_TOPOLOGY_REQUIREMENTS, "a domain that contradicts the place is refused as TOPOLOGY" },
    { KARP_REASON_UNINITIALIZED_NODE,
      "of simulations only: the node stays with PODS_WOULD_NOT_SCHEDULE (tests of disruption)" },
    { KARP_REASON_CONSOLIDATE_AFTER, "likewise" },
    { KARP_REASON_MIN_VALUES_TRUNCATED, "takes more than 600 instance types (conformance)" },
    { KARP_REASON_DRA_NOT_EVALUATED, "takes devices (tests of devices)" },
    { KARP_REASON_DEVICES, "likewise" },
    { KARP_REASON_DEVICE_SEARCH, "likewise" },
    { KARP_REASON_GROUP_MISSING, "of groups (test_gangs.py)" },
    { KARP_REASON_GROUP_GATED, "likewise" },
    { KARP_REASON_GROUP_INCOMPLETE, "likewise" },
    { KARP_REASON_GROUP_PRIORITY, "likewise" },
    { KARP_REASON_GROUP_DOMAINS, "likewise" },
    { KARP_REASON_GROUP_MINIMUM, "likewise" },
    { KARP_REASON_GROUP_COMPOSITE, "likewise" },
    { KARP_REASON_GROUP_DOMAIN_FULL, "likewise" },
    { KARP_REASON_GROUP_REFUSED, "likewise (test_admit.py)" },
    { KARP_REASON_VOLUME_LOOK_UP, "of pods that move; admission refuses the others (text cases)" },
};

/* What the code came up as in the decision. */
static bool comes_up(const karp_decision *d, const struct world *w)
{
    for (size_t i = 0; i < karp_decision_unschedulable_count(d); i++) {
        karp_unschedulable row = { .size = sizeof row };
        assert_int_equal(karp_decision_unschedulable(d, i, &row), KARP_OK);
        if (w->place == OF_POD && row.code == w->code) return true;
        for (size_t k = 0; w->place == OF_POOL && k < row.pool_count; k++) {
            if (row.pools[k].code == w->code && row.pools[k].detail.len > 0) return true;
        }
        for (size_t k = 0; w->place == OF_TARGET && k < row.target_count; k++) {
            if (row.targets[k].code == w->code) return true;
        }
    }
    for (size_t i = 0; w->place == LEFT_OUT && i < karp_decision_ignored_count(d); i++) {
        karp_ignored row = { .size = sizeof row };
        assert_int_equal(karp_decision_ignored(d, i, &row), KARP_OK);
        if (row.code == w->code) return true;
    }
    return false;
}

static void show(const karp_decision *d)
{
    for (size_t i = 0; i < karp_decision_unschedulable_count(d); i++) {
        karp_unschedulable row = { .size = sizeof row };
        assert_int_equal(karp_decision_unschedulable(d, i, &row), KARP_OK);
        print_message("  pod %s\n", karp_reason_name(row.code));
        for (size_t k = 0; k < row.pool_count; k++)
            print_message("    pool %s %s\n", karp_reason_name(row.pools[k].code), row.pools[k].detail.ptr);
        for (size_t k = 0; k < row.target_count; k++)
            print_message("    target %s\n", karp_reason_name(row.targets[k].code));
    }
    for (size_t i = 0; i < karp_decision_ignored_count(d); i++) {
        karp_ignored row = { .size = sizeof row };
        assert_int_equal(karp_decision_ignored(d, i, &row), KARP_OK);
        print_message("  left out %s %s\n", karp_reason_name(row.code), row.message.ptr);
    }
}

static void test_world(const struct world *w)
{
    karp_context *context = NULL;
    karp_snapshot *snapshot = NULL;
    karp_decision *decision = NULL;
    karp_error error;
    karp_options options;
    karp_error_init(&error, sizeof error);
    karp_options_init(&options, sizeof options);
    options.explain = KARP_EXPLAIN_FULL;
    options.max_steps = w->max_steps;
    options.keep_partial = 1;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    karp_status status = world_of(context, "world", w->text, &snapshot, &error);
    if (status != KARP_OK)
        print_message("%s: line %u: %s: %s\n", karp_reason_name(w->code), (unsigned)error.line, error.field,
                      error.message);
    assert_int_equal(status, KARP_OK);
    bool seen = false;
    for (uint32_t version = KARP_PEER_1_14; version <= KARP_PEER_1_15 && !seen; version++) {
        options.peer_version = version;
        assert_int_equal(karp_provision(snapshot, &options, &decision, &error), KARP_OK);
        seen = comes_up(decision, w);
        if (!seen && version == KARP_PEER_1_15) {
            print_message("%s does not come up:\n", karp_reason_name(w->code));
            show(decision);
        }
        karp_decision_unref(decision);
    }
    karp_snapshot_unref(snapshot);
    karp_context_unref(context);
    assert_true(seen);
}

static void test_worlds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) test_world(&worlds[i]);
}

/* Every code of pods has a world, or a reason why there is none. */
static void test_complete(void **state)
{
    (void)state;
    for (uint32_t code = 1; code < 200; code++) {
        bool known = !is_code(code);
        for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) known = known || worlds[i].code == code;
        for (size_t i = 0; i < sizeof unreachable / sizeof *unreachable; i++)
            known = known || (unreachable[i].code == code && unreachable[i].why[0] != '\0');
        if (!known) print_message("%s has no world\n", karp_reason_name(code));
        assert_true(known);
    }
}

/* ---- what is left of a pool's types ------------------------------------------------------------------------------ */

#define SIZED(name, cpu, zone, available)                                                                              \
    "  - {name: " name ", capacity: {cpu: '" cpu                                                                       \
    "', memory: 16Gi, pods: '10'}, labels: {node.kubernetes.io/instance-type: [" name "], "                            \
    "topology.kubernetes.io/zone: [a, b], karpenter.sh/capacity-type: [on-demand], size: [" name "]}, "                \
    "offerings: [{zone: " zone ", capacityType: on-demand, price: 1, available: " available "}]}\n"

/* Of five types one is excluded, two of the others are too small, and the rest have no offering in the zone: none is
 * left. */
static void test_types_left(void **state)
{
    (void)state;
    static const char yaml[] = SNAPSHOT("{}", SIZED("t1", "16", "a", "true") SIZED("t2", "2", "b", "true")
                                                  SIZED("t3", "4", "b", "true") SIZED("t4", "16", "a", "true")
                                                      SIZED("t5", "16", "a", "true"))
        POD("p", "8",
            ", nodeSelector: {topology.kubernetes.io/zone: b}, affinity: {nodeAffinity: "
            "{requiredDuringSchedulingIgnoredDuringExecution: "
            "{nodeSelectorTerms: [{matchExpressions: [{key: node.kubernetes.io/instance-type, operator: NotIn, values: "
            "[t1]}]}]}}}");
    karp_context *context = NULL;
    karp_snapshot *snapshot = NULL;
    karp_decision *d = NULL;
    karp_unschedulable row = { .size = sizeof row };
    karp_options options;
    karp_options_init(&options, sizeof options);
    options.explain = KARP_EXPLAIN_FULL;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    assert_int_equal(world_of(context, "case", yaml, &snapshot, NULL), KARP_OK);
    assert_int_equal(karp_provision(snapshot, &options, &d, NULL), KARP_OK);
    assert_int_equal(karp_decision_unschedulable(d, 0, &row), KARP_OK);
    assert_int_equal(row.pool_count, 1);
    assert_int_equal(row.pools[0].types_start, 5);
    assert_int_equal(row.pools[0].types_requirements, 4);
    assert_int_equal(row.pools[0].types_resources, 2);
    assert_int_equal(row.pools[0].types_offerings, 0);
    karp_decision_unref(d);
    karp_snapshot_unref(snapshot);
    karp_context_unref(context);
}

/* What is wrong with a pod is said whole, not the first of it alone. */
static void test_complaints(void **state)
{
    (void)state;
    static const char yaml[] = SNAPSHOT("{}", TYPE("m", "1", ""))
        POD("p", "1",
            ", nodeSelector: {kubernetes.io/hostname: n1}, affinity: {nodeAffinity: "
            "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: k, "
            "operator: Gt, values: [many]}]}]}}}");
    karp_context *context = NULL;
    karp_snapshot *snapshot = NULL;
    karp_decision *d = NULL;
    karp_ignored row = { .size = sizeof row };
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    assert_int_equal(world_of(context, "case", yaml, &snapshot, NULL), KARP_OK);
    assert_int_equal(karp_provision(snapshot, NULL, &d, NULL), KARP_OK);
    assert_int_equal(karp_decision_ignored_count(d), 1);
    assert_int_equal(karp_decision_ignored(d, 0, &row), KARP_OK);
    assert_string_equal(row.message.ptr, "node selector label kubernetes.io/hostname is restricted; specify a well "
                                         "known label or a custom label that does not use a "
                                         "restricted domain; node affinity label k needs one non-negative integer");
    karp_decision_unref(d);
    karp_snapshot_unref(snapshot);
    karp_context_unref(context);
}

#define LABELLED_POOL(labels)                                                                                          \
    "- {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: own}, spec: {template: {metadata: {labels: "     \
    "{" labels "}}, spec: {nodeClassRef: "                                                                             \
    "{group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}, requirements: []}}}, status: {conditions: "       \
    "[{type: Ready, status: 'True'}, "                                                                                 \
    "{type: ValidationSucceeded, status: 'True'}, {type: NodeClassReady, status: 'True'}]}}\n"

/* What no type has is told of the pod's wishes, not of the labels that the pool itself gives, whatever they are called.
 */
static void test_unmet(void **state)
{
    (void)state;
    static const char *const labels[] = { LABELLED_POOL("a: b"), LABELLED_POOL("zz: b"), LABELLED_POOL("a: b, zz: b") };
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        char yaml[8192];
        karp_context *context = NULL;
        karp_snapshot *snapshot = NULL;
        karp_decision *d = NULL;
        karp_unschedulable row = { .size = sizeof row };
        snprintf(yaml, sizeof yaml, "%s%s%s", SNAPSHOT("{}", TYPE("m", "1", "")), labels[i],
                 POD("p", "1", ", nodeSelector: {topology.kubernetes.io/zone: nowhere}"));
        assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
        assert_int_equal(world_of(context, "case", yaml, &snapshot, NULL), KARP_OK);
        assert_int_equal(karp_provision(snapshot, NULL, &d, NULL), KARP_OK);
        assert_int_equal(karp_decision_unschedulable(d, 0, &row), KARP_OK);
        assert_int_equal(row.pool_count, 2);
        for (size_t k = 0; k < row.pool_count; k++)
            assert_non_null(strstr(row.pools[k].detail.ptr, "none has topology.kubernetes.io/zone In [nowhere]"));
        karp_decision_unref(d);
        karp_snapshot_unref(snapshot);
        karp_context_unref(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),    cmocka_unit_test(test_document),   cmocka_unit_test(test_worlds),
        cmocka_unit_test(test_complete), cmocka_unit_test(test_types_left), cmocka_unit_test(test_complaints),
        cmocka_unit_test(test_unmet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
