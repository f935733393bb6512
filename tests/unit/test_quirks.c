/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The quirks of Karpenter that libkarp can switch (docs/conformance.md), one test each: what is decided with it and
 * without. Each is looked at from both sides: profile karpenter with this one off, profile karp with this one on.
 */
#include "deciding.h"
#include "quirk_list.h"

#include <stdio.h>

#include <karp/disrupt.h>
#include <karp/explain.h>
#include <karp/inspect.h>
#include <karp/what_if.h>
#include <support/fault.h>

#define Q(n) (UINT64_C(1) << ((n)-1))
#define ZONE "topology.kubernetes.io/zone"
#define SPREAD(key, skew, selector)                                                                                    \
    "{maxSkew: " skew ", topologyKey: " key ", whenUnsatisfiable: DoNotSchedule, labelSelector: " selector "}"

/* The flags that were seen to change an answer, bit n−1 for S-Qn. */
static uint64_t seen;

/* What comes out with the quirk, and without it; frees `d`. `others` are switched as well, on both sides. */
static void differs(deciding d, uint64_t bit, uint64_t others, const char *with, const char *without)
{
    assert_string_equal(words_of(&d, KARP_PROFILE_KARPENTER, 0), with);
    assert_string_equal(words_of(&d, KARP_PROFILE_KARPENTER, bit | others), without);
    assert_string_equal(words_of(&d, KARP_PROFILE_KARP, 0), without);
    assert_string_equal(words_of(&d, KARP_PROFILE_KARP, bit | others), with);
    assert_string_not_equal(with, without);
    seen |= bit;
    deciding_free(&d);
}

/* an OR-term that a daemon failed on one type is not tried on the next. Of two terms, the first is met by `small`
 * only; `medium` comes after and leaves it; `large` has no daemon then. */
static void test_daemon_terms(void **state)
{
    (void)state;
    deciding d = decide_on(
        NULL, CASES "world.yaml",
        "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d}, spec: {selector: {matchLabels: {d: d}}, template: "
        "{metadata: {labels: {d: d}}, spec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "{nodeSelectorTerms: [{matchExpressions: [{key: test/size, operator: In, values: [small, large]}]}, "
        "{matchExpressions: [{key: test/size, operator: In, values: [medium]}]}]}}}, " REQUESTS(
            "cpu: 1") "}}}}" DOCUMENT POD("a", "", "nodeSelector: {test/size: large}, " REQUESTS("cpu: 15500m")),
        NULL);
    differs(d, Q(1), 0, "default: a", "!a TYPE_RESOURCES");
}

/* a pod that moves although its volume is gone is packed without it. */
static void test_lost_volume(void **state)
{
    (void)state;
    differs(decide_on(NULL, CASES "world.yaml", CASES "volumes/lookup-fails.yaml", NULL), Q(2), 0, "default: moving",
            "!moving VOLUME");
}

/* groups are shared by pods that differ in what their filters ask. */
static void test_shared_groups(void **state)
{
    (void)state;
    differs(decide_on(NULL, CASES "world.yaml", CASES "spread/filters-are-their-own.yaml", NULL), Q(3), 0,
            "default z1 on-demand: a-0 | default z1 spot: a-1 | default z2 on-demand: b-0 b-1",
            "default z1 on-demand: a-0 | default z1 spot: a-1 | default z2 on-demand: b-0 | default z2 spot: b-1");
}

/* groups of affinity and anti-affinity know only the domains whose taints the first of their pods tolerates. */
static void test_affinity_honours_taints(void **state)
{
    (void)state;
#define APART                                                                                                          \
    "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: " ZONE                \
    ", labelSelector: {matchLabels: {app: x}}}]}}"
    deciding d = decide_on(
        NULL,
        POOL("open", ", requirements: [{key: " ZONE ", operator: In, values: [z2]}]")
            POOL("tainted", ", taints: [{key: t, effect: NoSchedule}], requirements: [{key: " ZONE
                            ", operator: In, values: [z1]}]") POD("first", "app: a", APART ", " REQUESTS("cpu: 2"))
                POD("second", "app: b",
                    "nodeSelector: {karpenter.sh/nodepool: tainted}, tolerations: [{operator: Exists}], " APART
                    ", " REQUESTS("cpu: 1")),
        NULL);
    differs(d, Q(4), 0, "open z2: first | !second SEVERAL", "open z2: first | tainted z1: second");
}

/* a constraint that only comes up when a pod gives an OR-term up does not see what the round has placed. `a` is in
 * z1 with a filter of its own; `b` arrives at the same filter by its second term. */
static void test_groups_made_late(void **state)
{
    (void)state;
    deciding d = decide_on(
        NULL, CASES "world.yaml",
        POD("a", "app: web", "nodeSelector: {" ZONE ": z1}, " REQUESTS("cpu: 2"))
            POD("b", "app: web",
                "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
                "[{matchExpressions: [{key: nowhere.io/known, operator: Exists}]}, {matchExpressions: [{key: " ZONE
                ", operator: In, values: [z1, z2]}]}]}}}, topologySpreadConstraints: [" SPREAD(
                    ZONE, "1", "{matchLabels: {app: web}}") "], " REQUESTS("cpu: 1")),
        NULL);
    differs(d, Q(5), 0, "default z1: a b", "default z1: a | default z2: b");
}

/* values that a pool excludes are taken for domains. */
static void test_excluded_domains(void **state)
{
    (void)state;
    differs(decide_on(NULL, CASES "spread/excluded-values.yaml", NULL), Q(6), 0, "default: web-0 | !web-1 SEVERAL",
            "default: web-0 web-1");
}

static const char *annotation(const karp_decision *decision, size_t launch)
{
    static const char key[] = "karpenter.sh/nodeclaim-min-values-relaxed";
    karp_launch l = { .size = sizeof l };
    assert_int_equal(karp_decision_launch(decision, launch, &l), KARP_OK);
    for (size_t i = 0; i < l.annotation_count; i++) {
        if (l.annotations[i].key.len == strlen(key) && memcmp(l.annotations[i].key.ptr, key, strlen(key)) == 0) {
            return l.annotations[i].value.len == 4 ? "true" : "false";
        }
    }
    return "none";
}

/* the last launch of a pool says for all whether minValues was lowered. */
static void test_shared_annotation(void **state)
{
    (void)state;
    deciding d = decide_on(NULL, CASES "min-zones.yaml", CASES "best-effort.yaml", CASES "min-values/annotation.yaml",
                           NULL);
    karp_options options;
    karp_options_init(&options, sizeof options);
    for (int off = 0; off < 2; off++) {
        options.flip_quirks = off ? Q(7) : 0;
        karp_decision *decision = decide(&d, &options);
        assert_string_equal(decision_words(decision), "default: large | default on-demand: small");
        assert_string_equal(annotation(decision, 0), off ? "true" : "false");
        assert_string_equal(annotation(decision, 1), "false");
        karp_decision_unref(decision);
    }
    seen |= Q(7);
    deciding_free(&d);
}

/* The operators that the NodeClaim has for a key, as their numbers. */
static size_t claim_operators(const deciding *d, uint64_t flip, const char *key, uint32_t ops[4])
{
    karp_options options;
    karp_launch l = { .size = sizeof l };
    karp_options_init(&options, sizeof options);
    options.flip_quirks = flip;
    karp_decision *decision = decide(d, &options);
    size_t n = 0;
    assert_int_equal(karp_decision_launch(decision, 0, &l), KARP_OK);
    for (size_t i = 0; i < l.claim_requirement_count; i++) {
        const karp_requirement *r = &l.claim_requirements[i];
        if (r->key.len == strlen(key) && memcmp(r->key.ptr, key, r->key.len) == 0 && n < 4) ops[n++] = r->op;
    }
    karp_decision_unref(decision);
    return n;
}

/* beside a bound exclusions are lost in the NodeClaim. */
static void test_exclusions_beside_bounds(void **state)
{
    (void)state;
    uint32_t ops[4] = { 0 };
    deciding d = decide_on(NULL, CASES "world.yaml",
                           POD("a", "",
                               "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                               "{nodeSelectorTerms: [{matchExpressions: "
                               "[{key: test/cpu, operator: Gt, values: ['1']}, {key: test/cpu, operator: NotIn, "
                               "values: ['4', '1']}]}]}}}, " REQUESTS("cpu: 1")),
                           NULL);
    assert_int_equal(claim_operators(&d, 0, "test/cpu", ops), 1);
    assert_int_equal(ops[0], KARP_OP_GTE);
    assert_int_equal(claim_operators(&d, Q(8), "test/cpu", ops), 2);
    assert_int_equal(ops[0], KARP_OP_NOT_IN);
    assert_int_equal(ops[1], KARP_OP_GTE);
    seen |= Q(8);
    deciding_free(&d);
}

/* limits.nodes is not counted down within a round. */
static void test_node_limit(void **state)
{
    (void)state;
    deciding d = decide_on(NULL, CASES "limited-pools.yaml",
                           "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 3, "
                           "selector: {matchLabels: {app: web}}, "
                           "template: {metadata: {labels: {app: web}}, spec: {nodeSelector: {karpenter.sh/nodepool: "
                           "by-nodes}, affinity: {podAntiAffinity: "
                           "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, "
                           "labelSelector: {}}]}}, " REQUESTS("cpu: 1") "}}}}" DOCUMENT,
                           NULL);
    differs(d, Q(10), 0, "by-nodes: web-0 | by-nodes: web-1 | by-nodes: web-2",
            "by-nodes: web-0 | by-nodes: web-1 | !web-2 SEVERAL");
}

/* host ports that daemons hold on every type are called "nothing matched". */
static void test_port_clash(void **state)
{
    (void)state;
    deciding d = decide_on(
        NULL, CASES "world.yaml",
        "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d}, spec: {selector: {matchLabels: {d: d}}, template: "
        "{metadata: "
        "{labels: {d: d}}, spec: {containers: [{name: c, ports: [{containerPort: 80, hostPort: 80}]}]}}}}" DOCUMENT POD(
            "a", "", "containers: [{name: c, ports: [{containerPort: 80, hostPort: 80}]}]"),
        NULL);
    differs(d, Q(13), 0, "!a NOTHING_MATCHED", "!a HOST_PORT");
}

/* the domain is chosen before the types are looked at. */
static void test_domain_before_types(void **state)
{
    (void)state;
    differs(
        decide_on(NULL, CASES "world.yaml", CASES "spread/zone-without-offerings.yaml", NULL), Q(17), 0,
        "default z1: web-0 | default z2: web-1 | !web-2 TYPE_RESOURCES | !web-3 TYPE_RESOURCES | !web-4 TYPE_RESOURCES",
        "default z1: web-0 | default z2: web-1 | default z1: web-2 | default z2: web-3 | !web-4 TYPE_RESOURCES");
}

/* minValues counts values that no launch can have. */
static void test_values_out_of_reach(void **state)
{
    (void)state;
    differs(decide_on(NULL, CASES "min-zones.yaml", CASES "min-values/cannot-be-launched.yaml", NULL), Q(20), 0,
            "default spot: a", "!a MIN_VALUES");
    differs(decide_on(CASES "two-reservations-types.yaml", CASES "reserving.yaml", CASES "min-values/reservations.yaml",
                      NULL),
            Q(20), 0, "!a MIN_VALUES_TRUNCATED", "!a MIN_VALUES");
}

/* an OR-term that was left is not tried again when a preference has gone. */
static void test_terms_come_back(void **state)
{
    (void)state;
    differs(decide_on(NULL, CASES "world.yaml", CASES "relaxation/or-terms-and-preferences.yaml", NULL), Q(21), 0,
            "!a REQUIREMENTS", "default z1: a");
}

/* a node that is over-committed in one resource takes no pod, whatever it asks for. */
static void test_over_committed_node(void **state)
{
    (void)state;
    deciding d = decide_on(NULL, CASES "world.yaml",
                           NODE("n1", "a: b", "4", "") BOUND("greedy", "", "n1", REQUESTS("memory: 9Gi"))
                               POD("a", "", REQUESTS("cpu: 1")),
                           NULL);
    differs(d, Q(24), 0, "default: a", "n1 <- a");
}

/* a pod that names an existing node is invalid. */
static void test_named_node(void **state)
{
    (void)state;
    deciding d = decide_on(NULL, CASES "world.yaml",
                           NODE("n0", "a: b", "4", "") NODE("n1", "a: b", "4", "")
                               POD("a", "", "nodeSelector: {kubernetes.io/hostname: n1}, " REQUESTS("cpu: 1")),
                           NULL);
    differs(d, Q(26), 0, "?a INVALID_SELECTOR", "n1 <- a");
}

/* two constraints on one key choose apart. */
static void test_two_on_one_key(void **state)
{
    (void)state;
    differs(decide_on(NULL, CASES "world.yaml", CASES "spread/two-on-one-key.yaml", NULL), Q(32), 0,
            "!both NOTHING_MATCHED", "default z3: both");
}

/* … also a spread and an affinity, and with the anti-affinity of others: each accepts two of the three zones. */
static void test_three_kinds_on_one_key(void **state)
{
    (void)state;
    deciding d = decide_on(
        NULL, CASES "world.yaml",
        NODE("n1", ZONE ": z1", "1", "") NODE("n2", ZONE ": z2", "1", "") NODE("n3", ZONE ": z3", "1", "")
            BOUND("friend-1", "friend: '1'", "n1", REQUESTS("cpu: 1")) BOUND("friend-2", "friend: '1'", "n2",
                                                                             REQUESTS("cpu: 1"))
                BOUND("other", "app: x", "n3", REQUESTS("cpu: 1")) BOUND(
                    "hater", "", "n1",
                    "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: " ZONE
                    ", labelSelector: {matchLabels: {app: x}}}]}}, " REQUESTS(""))
                    POD("a", "app: x",
                        "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: " ZONE
                        ", labelSelector: {matchLabels: {friend: '1'}}}]}}, topologySpreadConstraints: [" SPREAD(
                            ZONE, "1", "{matchLabels: {app: x}}") "], " REQUESTS("cpu: 2")),
        NULL);
    differs(d, Q(32), 0, "!a NOTHING_MATCHED", "default z2: a");
}

#define OLD_ZONE "failure-domain.beta.kubernetes.io/zone"
/* a constraint on a key by its old name knows only the domains of nodes that exist. */
static void test_old_key(void **state)
{
    (void)state;
    deciding d = decide_on(
        NULL, CASES "world.yaml",
        POD("a", "app: web",
            "topologySpreadConstraints: [" SPREAD(OLD_ZONE, "1", "{matchLabels: {app: web}}") "], " REQUESTS("cpu: 1")),
        NULL);
    differs(d, Q(34), 0, "!a TOPOLOGY", "default z1: a");
    /* Nodes that say where they are by the old name alone. */
    d = decide_on(
        NULL, CASES "world.yaml",
        NODE("n1", OLD_ZONE ": z1", "1", "") NODE("n2", OLD_ZONE ": z2", "1", "") BOUND(
            "there-1", "app: web", "n1", REQUESTS("cpu: 1")) BOUND("there-2", "app: web", "n2", REQUESTS("cpu: 1"))
            POD("a", "app: web",
                "topologySpreadConstraints: [" SPREAD(ZONE, "1", "{matchLabels: {app: web}}") "], " REQUESTS("cpu: 1")),
        NULL);
    differs(d, Q(34), 0, "default z1: a", "default z3: a");
}

/* a node is not known while the volume of a pod on it cannot be looked up. */
#define LOST CASES "world.yaml", CASES "volumes/lost-node.yaml"
static void test_lost_node(void **state)
{
    (void)state;
    differs(decide_on(NULL, LOST, NULL), Q(35), 0, "default z2: large picky web | claim-3 <- small",
            "default z2: picky web | n1 <- large | n3 <- small");
}

/* `shy` excludes a value of a label that the node lacks; then the node takes `needy`, which asks for another
 * value. */
static void test_imagined_label(void **state)
{
    (void)state;
    deciding d = decide_on(NULL, CASES "world.yaml",
                           NODE("n1", "", "4", "")
                               POD("shy", "",
                                   "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                                   "{nodeSelectorTerms: [{matchExpressions: "
                                   "[{key: rack, operator: NotIn, values: [r1]}]}]}}}, " REQUESTS("cpu: 2"))
                                   POD("needy", "", "nodeSelector: {rack: r2}, " REQUESTS("cpu: 1")),
                           NULL);
    differs(d, Q(36), 0, "n1 <- needy shy", "n1 <- shy | !needy REQUIREMENTS");
    d = decide_on(NULL, CASES "world.yaml",
                  NODE("n1", "", "4", "")
                      POD("shy", "",
                          "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                          "{nodeSelectorTerms: [{matchExpressions: "
                          "[{key: rack, operator: NotIn, values: [r1]}]}]}}}, " REQUESTS("cpu: 2"))
                          POD("any", "",
                              "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                              "{nodeSelectorTerms: [{matchExpressions: "
                              "[{key: rack, operator: Exists}]}]}}}, " REQUESTS("cpu: 1")),
                  NULL);
    differs(d, Q(36), 0, "n1 <- any shy", "n1 <- shy | !any REQUIREMENTS");
}

#define PREFERS(key, value)                                                                                            \
    "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: "             \
    "{matchExpressions: [{key: " key ", operator: In, values: [" value "]}]}}]}}"

#define ON_RACK(operator)                                                                                              \
    "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "                   \
    "[{matchExpressions: [{key: rack, operator: "                                                                      \
    operator"}]}]}}}"

/* on a node without a rack, demand and preference together pass for "no rack"; so do two volumes in different
 * places. */
static void test_contradictions(void **state)
{
    (void)state;
    deciding d = decide_on(NULL, CASES "world.yaml",
                           NODE("n1", "", "4", "") POD(
                               "torn", "", "nodeSelector: {rack: r1}, " PREFERS("rack", "r2") ", " REQUESTS("cpu: 1")),
                           NULL);
    differs(d, Q(37), 0, "n1 <- torn", "!torn REQUIREMENTS");
    d = decide_on(NULL, CASES "world.yaml", CASES "volumes/contradicting-racks.yaml", NULL);
    differs(d, Q(37), 0, "n1 <- torn", "!torn VOLUME");
    d = decide_on(
        NULL,
        POOL("open",
             ", requirements: [{key: rack, operator: In, values: [r1]}], taints: [{key: t, effect: NoSchedule}]")
            POOL("other", ", requirements: [{key: rack, operator: NotIn, values: [r1]}]")
                POD("first", "app: a",
                    "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: rack, "
                    "labelSelector: "
                    "{matchLabels: {app: a}}}]}}, tolerations: [{operator: Exists}], " REQUESTS("cpu: 1")),
        NULL);
    differs(d, Q(37), Q(6), "other: first", "open: first");
    d = decide_on(NULL, CASES "world.yaml",
                  POD("a", "", ON_RACK("NotIn, values: [r1]") ", " REQUESTS("cpu: 3"))
                      POD("b", "", ON_RACK("Exists") ", " REQUESTS("cpu: 2"))
                          POD("c", "", ON_RACK("DoesNotExist") ", " REQUESTS("cpu: 1")),
                  NULL);
    differs(d, Q(37), 0, "default: a b c", "default: a b | default: c");
}

#define WITH_GPU(name, price, model)                                                                                   \
    "- {name: " name                                                                                                   \
    ", labels: {kubernetes.io/arch: [amd64], kubernetes.io/os: [linux], topology.kubernetes.io/zone: "                 \
    "[z1], karpenter.sh/capacity-type: [on-demand]}, capacity: {cpu: 4, memory: 16Gi, pods: 20}, dynamicResources: "   \
    "{resourceSlices: [{driver: gpu.example.com, pool: own, devices: [{name: g0, attributes: {model: {string: " model  \
    "}}}]}]}, offerings: [{zone: z1, capacityType: on-demand, price: " price "}]}\n"

/* what a selector said of the first type's g0 also counts for the g0 of the next. */
static void test_remembered_selectors(void **state)
{
    (void)state;
    deciding d = decide_on(
        WITH_GPU("small", "1", "t4") WITH_GPU("big", "9", "a100"),
        "{apiVersion: karp/v1, kind: Snapshot, settings: {ignoreDRARequests: false}, objects: []}", CASES "world.yaml",
        "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: {}}" DOCUMENT
        "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: c, namespace: default}, spec: "
        "{devices: "
        "{requests: [{name: r, exactly: {deviceClassName: gpu, selectors: [{cel: {expression: "
        "\"device.attributes['gpu.example.com'].model == 'a100'\"}}]}}]}}}" DOCUMENT POD(
            "trainer", "", "resourceClaims: [{name: g, resourceClaimName: c}], " REQUESTS("cpu: 1")),
        NULL);
    differs(d, Q(38), 0, "!trainer DEVICES", "default: trainer");
}

/* a claim that the pod names twice gets its devices for each entry, and the type has one. */
static void test_claim_named_twice(void **state)
{
    (void)state;
    deciding d = decide_on(
        WITH_GPU("small", "1", "t4"),
        "{apiVersion: karp/v1, kind: Snapshot, settings: {ignoreDRARequests: false}, objects: []}", CASES "world.yaml",
        "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: {}}" DOCUMENT
        "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: c, namespace: default}, spec: "
        "{devices: "
        "{requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}" DOCUMENT POD(
            "trainer", "",
            "resourceClaims: [{name: a, resourceClaimName: c}, {name: b, resourceClaimName: c}], " REQUESTS("cpu: 1")),
        NULL);
    differs(d, Q(39), 0, "!trainer DEVICES", "default: trainer");
}

/* a node's instance type, and so its volume limits, is known only if pods can be scheduled to its NodePool. */
static void test_known_types(void **state)
{
    (void)state;
    differs(
        decide_on(CASES "volume-limits-types.yaml", CASES "world.yaml", CASES "volumes/attach-limits-pools.yaml", NULL),
        Q(40), 0, "n1 <- a b | n2 <- c | !d REQUIREMENTS", "n1 <- a | n2 <- c | !b REQUIREMENTS | !d REQUIREMENTS");
}

static size_t nodes_disrupted(const deciding *d, uint32_t profile)
{
    karp_options common;
    karp_disrupt_options options;
    karp_decision *decision = NULL;
    karp_options_init(&common, sizeof common);
    karp_disrupt_options_init(&options, sizeof options);
    options.common = &common;
    common.profile = profile;
    assert_int_equal(karp_disrupt(d->snapshot, &options, &decision, NULL), KARP_OK);
    size_t count = karp_decision_node_count(decision);
    karp_decision_unref(decision);
    return count;
}

/* `shown` is the name that the answer has; NULL = there is no such node. */
static void check_explained(const deciding *d, uint32_t profile, const char *name, const char *shown)
{
    karp_options common;
    karp_disrupt_options options;
    karp_node_explanation *explanation = NULL;
    karp_options_init(&common, sizeof common);
    karp_disrupt_options_init(&options, sizeof options);
    options.common = &common;
    common.profile = profile;
    karp_status status = karp_explain_node(d->snapshot, &options, (karp_str){ name, strlen(name) }, &explanation, NULL);
    assert_int_equal(status, shown != NULL ? KARP_OK : KARP_E_NOT_FOUND);
    if (shown != NULL) assert_string_equal(karp_node_explanation_node(explanation).ptr, shown);
    karp_node_explanation_free(explanation);
}

static karp_status without(const deciding *d, uint32_t profile, const char *name)
{
    karp_options options;
    karp_decision *decision = NULL;
    karp_change change = { .kind = KARP_CHANGE_REMOVE_NODE, .name = { name, strlen(name) } };
    karp_options_init(&options, sizeof options);
    options.profile = profile;
    karp_status status = karp_what_if(d->snapshot, &change, 1, &options, &decision, NULL);
    if (status == KARP_OK) assert_ptr_equal(karp_decision_snapshot(decision), d->snapshot);
    karp_decision_unref(decision);
    return status;
}

static size_t findings(const deciding *d, uint32_t profile)
{
    karp_options options;
    karp_verification *found = NULL;
    karp_options_init(&options, sizeof options);
    options.profile = profile;
    karp_decision *decision = decide(d, &options);
    assert_int_equal(karp_verify_decision(d->snapshot, decision, &found, NULL), KARP_OK);
    size_t count = karp_verification_count(found);
    karp_verification_free(found);
    karp_decision_unref(decision);
    return count;
}

/* Whatever is asked, a profile knows the same nodes. */
static void test_lost_node_everywhere(void **state)
{
    (void)state;
    deciding d = decide_on(NULL, LOST, NULL);
    assert_int_equal(nodes_disrupted(&d, KARP_PROFILE_KARPENTER), 1);
    assert_int_equal(nodes_disrupted(&d, KARP_PROFILE_KARP), 2);
    check_explained(&d, KARP_PROFILE_KARPENTER, "claim-3", "claim-3");
    check_explained(&d, KARP_PROFILE_KARPENTER, "n3", NULL);
    check_explained(&d, KARP_PROFILE_KARP, "n3", "n3");
    check_explained(&d, KARP_PROFILE_KARP, "claim-3", "n3");
    assert_int_equal(without(&d, KARP_PROFILE_KARPENTER, "n1"), KARP_E_NOT_FOUND);
    assert_int_equal(without(&d, KARP_PROFILE_KARPENTER, "claim-3"), KARP_OK);
    assert_int_equal(without(&d, KARP_PROFILE_KARP, "n1"), KARP_OK);
    assert_int_equal(findings(&d, KARP_PROFILE_KARPENTER), 0);
    assert_int_equal(findings(&d, KARP_PROFILE_KARP), 0);
    deciding_free(&d);
}

static karp_status read_lost(karp_context *context)
{
    const char *const paths[] = { LOST };
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_catalogue *none = NULL;
    karp_status status = karp_reader_new(context, NULL, &reader, NULL);
    if (status == KARP_OK) status = karp_catalogue_new(context, NULL, 0, &none, NULL);
    if (status == KARP_OK) status = karp_reader_add_catalogue(reader, none, NULL);
    for (size_t i = 0; i < 2 && status == KARP_OK; i++) status = karp_reader_add_path(reader, paths[i], NULL);
    if (status == KARP_OK) status = karp_reader_finish(reader, &snapshot, NULL);
    karp_reader_free(reader);
    karp_snapshot_unref(snapshot);
    karp_catalogue_unref(none);
    return status;
}

static void test_lost_node_refused_memory(void **state)
{
    (void)state;
    static fault f;
    karp_context *context = fault_context(&f);
    karp_status status = KARP_E_NOMEM;
    for (size_t at = 1; status != KARP_OK; at++) {
        fault_arm(&f, at, at % 2 == 0);
        status = read_lost(context);
        assert_true(status == KARP_OK || status == KARP_E_NOMEM);
        fault_arm(&f, 0, false);
    }
    karp_context_unref(context);
    assert_int_equal(f.live_blocks, 0);
}

/* Comes after the tests above: each flag that is documented has changed an answer, and none has that is not. */
static void test_all_were_seen(void **state)
{
    (void)state;
    assert_true(seen == quirks_documented('S'));
}

/* A flag that nothing reads changes nothing. */
static void test_unused_flags(void **state)
{
    (void)state;
    deciding d = decide_on(NULL, CASES "world.yaml", CASES "spread/zones.yaml", NULL);
    char usual[512];
    snprintf(usual, sizeof usual, "%s", words_of(&d, KARP_PROFILE_KARPENTER, 0));
    assert_string_equal(words_of(&d, KARP_PROFILE_KARPENTER, Q(9) | Q(12) | Q(15) | UINT64_C(1) << 63), usual);
    deciding_free(&d);
}

/* Without the quirks other code runs: every refused allocation in it is an error that leaves nothing behind. */
static void test_refused_memory(void **state)
{
    (void)state;
    static fault f;
    deciding d = decide_in(fault_context(&f), NULL, CASES "world.yaml", CASES "spread/two-on-one-key.yaml",
                           CASES "spread/zone-without-offerings.yaml", CASES "relaxation/or-terms-and-preferences.yaml",
                           CASES "daemons/room.yaml", CASES "ports/host-ports.yaml", NULL);
    karp_options options;
    karp_options_init(&options, sizeof options);
    options.profile = KARP_PROFILE_KARP;
    options.explain = KARP_EXPLAIN_FULL;
    size_t bytes = f.live_bytes, refused = 0;
    karp_status status = KARP_E_NOMEM;
    for (size_t at = 1; status != KARP_OK; at++) {
        karp_decision *decision = NULL;
        fault_arm(&f, at, at % 2 == 0);
        status = karp_provision(d.snapshot, &options, &decision, NULL);
        assert_true(status == KARP_OK || status == KARP_E_NOMEM);
        refused += status != KARP_OK;
        karp_decision_unref(decision);
        fault_arm(&f, 0, false);
        assert_int_equal(f.live_bytes, bytes);
    }
    assert_true(refused > 100);
    deciding_free(&d);
    assert_int_equal(f.live_blocks, 0);
    assert_int_equal(f.wrong_sizes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_daemon_terms),
        cmocka_unit_test(test_lost_volume),
        cmocka_unit_test(test_shared_groups),
        cmocka_unit_test(test_affinity_honours_taints),
        cmocka_unit_test(test_groups_made_late),
        cmocka_unit_test(test_excluded_domains),
        cmocka_unit_test(test_shared_annotation),
        cmocka_unit_test(test_exclusions_beside_bounds),
        cmocka_unit_test(test_node_limit),
        cmocka_unit_test(test_port_clash),
        cmocka_unit_test(test_domain_before_types),
        cmocka_unit_test(test_values_out_of_reach),
        cmocka_unit_test(test_terms_come_back),
        cmocka_unit_test(test_over_committed_node),
        cmocka_unit_test(test_named_node),
        cmocka_unit_test(test_two_on_one_key),
        cmocka_unit_test(test_three_kinds_on_one_key),
        cmocka_unit_test(test_old_key),
        cmocka_unit_test(test_lost_node),
        cmocka_unit_test(test_lost_node_everywhere),
        cmocka_unit_test(test_lost_node_refused_memory),
        cmocka_unit_test(test_imagined_label),
        cmocka_unit_test(test_contradictions),
        cmocka_unit_test(test_remembered_selectors),
        cmocka_unit_test(test_claim_named_twice),
        cmocka_unit_test(test_known_types),
        cmocka_unit_test(test_all_were_seen),
        cmocka_unit_test(test_unused_flags),
        cmocka_unit_test(test_refused_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
