/* SPDX-License-Identifier: Apache-2.0 */
/* What would place a pod: changes of each kind, their order, and a search that has only so many rounds. */
#include "explaining.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <karp/builder.h>
#include <karp/explain.h>
#include <karp/inspect.h>

#define REQUESTING(amounts, more)                                                                                      \
    "- {apiVersion: v1, kind: Pod, metadata: {name: a, namespace: default, uid: u-a}, spec: {containers: [{name: c, "  \
    "resources: {requests: {" amounts "}}}]" more "}, "                                                                \
    "status: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable}]}}\n"
#define NAMED_POOL(name, spec)                                                                                         \
    "- {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: " name                                           \
    "}, spec: {template: {spec: {nodeClassRef: {group: karpenter.kwok.sh, "                                            \
    "kind: KWOKNodeClass, name: default}" spec                                                                         \
    "}}}, status: {conditions: [{type: Ready, status: 'True'}, {type: ValidationSucceeded, status: 'True'}, "          \
    "{type: NodeClassReady, status: 'True'}]}}\n"
#define HARD(key) "{key: " key ", effect: NoSchedule}"
#define TAINTED(taints) HEAD NAMED_POOL("default", ", taints: [" taints "], requirements: []")
#define TYPE_IS(name) ", requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [" name "]}]"
#define ZONES_ARE(operator, values)                                                                                    \
    HEAD OWN_POOL("",                                                                                                  \
                  ", requirements: [{key: topology.kubernetes.io/zone, operator: " operator", values: [" values "]}]")
#define IN_ZONE_B ", nodeSelector: {topology.kubernetes.io/zone: b}"
#define CLAIM_IN(rule)                                                                                                 \
    "- {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c, namespace: default, annotations: "            \
    "{pv.kubernetes.io/bind-completed: 'yes'}}, "                                                                      \
    "spec: {volumeName: v, storageClassName: s}, status: {phase: Bound}}\n"                                            \
    "- {apiVersion: v1, kind: PersistentVolume, metadata: {name: v}, spec: {csi: {driver: d}, nodeAffinity: "          \
    "{required: {nodeSelectorTerms: [{matchExpressions: [{" rule "}]}]}}}}\n"
#define OFFERING(zone, kind, more)                                                                                     \
    "{requirements: [" zone "{key: karpenter.sh/capacity-type, operator: In, values: [" kind "]}], price: 1" more "}"
#define ZONE_RULE(operator, values) "{key: topology.kubernetes.io/zone, operator: " operator", values: [" values "]}, "
#define OFFERED(offerings)                                                                                             \
    "apiVersion: karp/v1\nkind: Snapshot\nnow: 2026-06-01T00:00:00Z\nsettings: {}\ncatalogues:\n- instanceTypes:\n  "  \
    "- {name: m, capacity: {cpu: '4', memory: 16Gi, pods: '10'}, "                                                     \
    "labels: {node.kubernetes.io/instance-type: [m]}, offerings: [" offerings "]}\nobjects:\n"

#define BIG_NODE(name)                                                                                                 \
    "- {apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: " name                                          \
    ", labels: {karpenter.sh/nodepool: default}}, spec: {requirements: []}, status: {providerID: " name ", "           \
    "conditions: [{type: Launched, status: 'True'}, {type: Registered, status: 'True'}, {type: Initialized, status: "  \
    "'True'}]}}\n"                                                                                                     \
    "- {apiVersion: v1, kind: Node, metadata: {name: " name                                                            \
    ", labels: {karpenter.sh/nodepool: default, karpenter.sh/registered: 'true', karpenter.sh/initialized: 'true'}}, " \
    "spec: {providerID: " name "}, status: {capacity: {example.com/big: 150e27}, allocatable: {cpu: 100m}}}\n"
#define ZONE_B_WILL_DO                                                                                                 \
    "1 ALLOW_VALUE allow topology.kubernetes.io/zone=b in the requirements of NodePool default -> m,b,1\n"

static const struct explained pods[] = {
    /* without any NodePool nothing is decided at all */
    { HEAD POD("a", "1", ""), "" },
    { HEAD NODE("n1", "8", "taints: [" HARD("t") "]") POD("a", "1", ""), "" },
    /* what is tolerated already: by effect alone, by key and effect */
    { TAINTED(HARD("t") ", {key: u, effect: NoExecute}")
          POD("a", "1", ", tolerations: [{operator: Exists, effect: NoExecute}]"),
      "1 TOLERATE tolerate t:NoSchedule -> m,a,1\n" },
    { TAINTED(HARD("t") ", {key: u, effect: NoExecute}")
          POD("a", "1", ", tolerations: [{key: t, operator: Exists, effect: NoSchedule}]"),
      "1 TOLERATE tolerate u:NoExecute -> m,a,1\n" },
    { TAINTED(HARD("t") ", {key: u, effect: NoExecute}")
          POD("a", "1", ", tolerations: [{key: t, operator: Gt, value: '5'}]"),
      "2 TOLERATE tolerate t:NoSchedule and u:NoExecute -> m,a,1\n" },
    /* as many taints as there are */
    { TAINTED(HARD("t1") "," HARD("t2") "," HARD("t3") "," HARD("t4") "," HARD("t5") "," HARD("t6") "," HARD(
          "t7") "," HARD("t8") "," HARD("t9")) POD("a", "1", ""),
      "9 TOLERATE tolerate t1:NoSchedule and t2:NoSchedule and t3:NoSchedule and t4:NoSchedule and t5:NoSchedule and "
      "t6:NoSchedule and t7:NoSchedule and t8:NoSchedule and "
      "t9:NoSchedule -> m,a,1\n" },
    /* The order: fewest changes, then the easier kind, then a node that exists, then the cheaper one. */
    { TAINTED(HARD("t") "," HARD("u")) NODE("n1", "8", "taints: [" HARD("v") "]") POD("a", "1", ""),
      "1 TOLERATE tolerate v:NoSchedule -> n1\n2 TOLERATE tolerate t:NoSchedule and u:NoSchedule -> m,a,1\n" },
    { TAINTED(HARD("t")) NODE("n1", "8", "taints: [" HARD("u") "," HARD("v") "]") POD("a", "1", ""),
      "1 TOLERATE tolerate t:NoSchedule -> m,a,1\n2 TOLERATE tolerate u:NoSchedule and v:NoSchedule -> n1\n" },
    { TAINTED(HARD("t")) NODE("n1", "8", "taints: [" HARD("u") "]") POD("a", "1", ""),
      "1 TOLERATE tolerate u:NoSchedule -> n1\n1 TOLERATE tolerate t:NoSchedule -> m,a,1\n" },
    { SNAPSHOT("{}", TYPE("m", "2", "") TYPE("k", "1", "")) "" POD("a", "1", ", nodeSelector: {team: x}"),
      "1 ADD_LABEL add the label team=x to the template of NodePool default -> k,a,1\n"
      "1 DROP_SELECTOR drop the node selector team=x -> k,a,1\n" },
    { "apiVersion: karp/v1\nkind: Snapshot\nnow: 2026-06-01T00:00:00Z\nsettings: {}\ncatalogues:\n- "
      "instanceTypes:\n" TYPE("m", "2", "")
          TYPE("k", "1", "") "objects:\n" NAMED_POOL("p1", TYPE_IS("m") ", taints: [" HARD("t") "]")
              NAMED_POOL("p2", TYPE_IS("k") ", taints: [" HARD("u") "]") POD("a", "1", ""),
      "1 TOLERATE tolerate u:NoSchedule -> k,a,1\n1 TOLERATE tolerate t:NoSchedule -> m,a,2\n" },
    /* requests: what is not asked for cannot be lowered */
    { SNAPSHOT("{}", TYPE("m", "1", "")) REQUESTING("cpu: 0, memory: 20Gi", ""),
      "1 REQUEST_LESS request at most 16Gi memory -> m,a,1\n" },
    /* Whole Mi are tried, although another pod makes the unit one byte. */
    { SNAPSHOT("{}", TYPE("m", "1", "")) REQUESTING(
          "memory: 100Gi",
          "") "- {apiVersion: v1, kind: Pod, metadata: {name: b, namespace: default, uid: u-b}, spec: {containers: "
              "[{name: c, resources: {requests: {memory: '1'}}}]}, status: {phase: Succeeded}}\n",
      "1 REQUEST_LESS request at most 16Gi memory -> m,a,1\n" },
    /* limits: another pod takes what one more node's worth adds, so there has to be enough for both */
    { HEAD OWN_POOL("limits: {cpu: '1'}, ", ", requirements: []") POD("a", "3", "") POD("b", "4", ""),
      "1 RAISE_LIMIT raise the limit cpu of NodePool default to 8 -> m,a,1\n" },
    { HEAD OWN_POOL("limits: {cpu: '1'}, ", ", requirements: []") POD("a", "3", ""),
      "1 RAISE_LIMIT raise the limit cpu of NodePool default to 4 -> m,a,1\n" },
    /* what cannot be counted is not stated */
    { OFFERED(OFFERING(ZONE_RULE("In", "a"), "on-demand", "")) OWN_POOL(
          "limits: {example.com/big: '1'}, ", ", requirements: []") BIG_NODE("n1") BIG_NODE("n2") POD("a", "1", ""),
      "1 RAISE_LIMIT raise the limit example.com/big of NodePool default -> m,a,1\n" },
    /* values of a pool's requirement: one fewer of several that it rules out */
    { ZONES_ARE("NotIn", "b, c") POD("a", "1", IN_ZONE_B),
      "1 DROP_SELECTOR drop the node selector topology.kubernetes.io/zone=b -> m,a,1\n"
      "1 ALLOW_VALUE allow topology.kubernetes.io/zone=b in the requirements of NodePool default -> m,b,1\n" },
    /* only what the pod names of that label, and by In */
    { HEAD OWN_POOL("", ", requirements: [{key: team, operator: In, values: [x]}, {key: rack, operator: Exists}]")
          POD("a", "1",
              REQUIRED("{key: team, operator: In, values: [w, x2]}, {key: rack, operator: In, values: [r]}, {key: "
                       "team, operator: NotIn, values: [q]}")),
      "1 DROP_SELECTOR drop from the node affinity team In w,x2 -> m,a,1\n"
      "1 ALLOW_VALUE allow team=w in the requirements of NodePool default -> m,a,1\n"
      "1 ALLOW_VALUE allow team=x2 in the requirements of NodePool default -> m,a,1\n" },
    /* a volume names a zone as well; one that only rules zones out leaves it to the types */
    { ZONES_ARE("In", "a") CLAIM_IN("key: topology.kubernetes.io/zone, operator: In, values: [b]")
          POD("a", "1", USES_CLAIM),
      "1 ALLOW_VALUE allow topology.kubernetes.io/zone=b in the requirements of NodePool default -> m,b,1\n" },
    { ZONES_ARE("In", "a") CLAIM_IN("key: topology.kubernetes.io/zone, operator: NotIn, values: [a]")
          POD("a", "1", USES_CLAIM),
      "1 ALLOW_VALUE allow topology.kubernetes.io/zone=b in the requirements of NodePool default -> m,b,1\n" },
    { HEAD OWN_POOL("", ", requirements: [{key: team, operator: In, values: [x]}]")
          CLAIM_IN("key: team, operator: In, values: [w]") POD("a", "1", USES_CLAIM),
      "1 ALLOW_VALUE allow team=w in the requirements of NodePool default -> m,a,1\n" },
    /* zones in which nothing is for sale are not worth allowing; nor what is no zone */
    { OFFERED(OFFERING(ZONE_RULE("In", "a"), "on-demand", ", available: false") ", " OFFERING(
          ZONE_RULE("In", "b"), "on-demand",
          "") ", " OFFERING("", "spot", "") ", " OFFERING(ZONE_RULE("NotIn", "a, b, c"), "spot", ""))
          OWN_POOL("", ", requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [c]}, {key: "
                       "karpenter.sh/capacity-type, operator: In, values: [on-demand]}]") POD("a", "1", ""),
      "1 REMOVE_VALUE drop or correct the requirement on topology.kubernetes.io/zone of NodePool default, without "
      "which "
      "it has types -> m,b,1\n"
      "1 REMOVE_VALUE drop or correct the requirement on karpenter.sh/capacity-type of NodePool default, without which "
      "it has types -> m,,1\n" ZONE_B_WILL_DO },
    /* the only offering, and each of several, may be the one that is worth a zone */
    { OFFERED(OFFERING(ZONE_RULE("In", "b"), "on-demand", ""))
          OWN_POOL("", ", requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [c]}, {key: "
                       "karpenter.sh/capacity-type, operator: In, values: [on-demand]}]") POD("a", "1", ""),
      "1 REMOVE_VALUE drop or correct the requirement on topology.kubernetes.io/zone of NodePool default, without "
      "which "
      "it has types -> m,b,1\n" ZONE_B_WILL_DO },
    /* a pool without types has no zones to allow */
    { "apiVersion: karp/v1\nkind: Snapshot\nnow: 2026-06-01T00:00:00Z\nsettings: {}\ncatalogues:\n- nodePools: "
      "[other]\n  instanceTypes:\n" TYPE("m", "1", "") "objects:\n" OWN_POOL(
          "", ", requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [c]}]") POD("a", "1", ""),
      "" },
};

static karp_str text(const char *words) { return (karp_str){ words, strlen(words) }; }

static void test_pods(void **state)
{
    (void)state;
    explain_pods(pods, sizeof pods / sizeof *pods);
}

/* ---- who is asked about ------------------------------------------------------------------------------------------ */

typedef struct asking {
    karp_context *context;
    karp_snapshot *snapshot;
    karp_error error;
} asking;

static void ask_in(asking *a, const char *world)
{
    karp_error_init(&a->error, sizeof a->error);
    assert_int_equal(karp_context_new(NULL, &a->context, NULL), KARP_OK);
    assert_int_equal(world_of(a->context, "world", world, &a->snapshot, &a->error), KARP_OK);
}

static void ask_no_more(asking *a)
{
    karp_snapshot_unref(a->snapshot);
    karp_context_unref(a->context);
}

#define LOST_CLAIM ", volumes: [{name: v, persistentVolumeClaim: {claimName: nowhere}}]"
#define LONG_NAME "node-" TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define TEN "0123456789"

static void test_not_considered(void **state)
{
    (void)state;
    asking a;
    karp_pod_explanation *e = NULL;
    ask_in(&a, SNAPSHOT("{}", TYPE("m", "1", "")) POD("a", "1", LOST_CLAIM)
                   POD("b", "1", LOST_CLAIM) "- {apiVersion: v1, kind: Pod, metadata: {name: r, namespace: default, "
                                             "uid: u-r}, spec: {nodeName: " LONG_NAME
                                             ", containers: []}, status: {phase: Running}}\n");
    assert_int_equal(karp_explain_pod(a.snapshot, NULL, text("default/b"), &e, &a.error), KARP_OK);
    assert_string_equal(karp_pod_explanation_pod(e).ptr, "default/b");
    assert_int_equal(karp_pod_explanation_remedy_count(e), 0);
    assert_int_equal(karp_pod_explanation_tried(e), 0);
    assert_int_equal(karp_decision_ignored_count(karp_pod_explanation_decision(e)), 2);
    karp_pod_explanation_free(e);
    karp_placement_cause cause = { .size = sizeof cause };
    assert_int_equal(karp_explain_pod(a.snapshot, NULL, text("default/r"), &e, &a.error), KARP_OK);
    assert_int_equal(karp_pod_explanation_running(e), 1);
    assert_string_equal(karp_pod_explanation_pod(e).ptr, "default/r");
    assert_int_equal(karp_pod_explanation_cause(e, 0, &cause), KARP_OK);
    assert_int_equal(cause.kind, KARP_PLACEMENT_RUNNING);
    assert_non_null(strstr(cause.text.ptr, "it runs on node " LONG_NAME));
    karp_pod_explanation_free(e);
    ask_no_more(&a);
}

static void test_bad_calls(void **state)
{
    (void)state;
    asking a;
    karp_pod_explanation *e = NULL;
    karp_options options;
    ask_in(&a, SNAPSHOT("{}", TYPE("m", "1", "")) POD("a", "1", ""));
    karp_options_init(&options, sizeof options);
    assert_int_equal(karp_explain_pod(NULL, &options, text("default/a"), &e, &a.error), KARP_E_INVALID);
    assert_int_equal(karp_explain_pod(a.snapshot, &options, text("default/a"), NULL, &a.error), KARP_E_INVALID);
    options.size = 1;
    assert_int_equal(karp_explain_pod(a.snapshot, &options, text("default/a"), &e, &a.error), KARP_E_ABI_SIZE);
    assert_null(e);
    assert_string_equal(karp_remedy_name(KARP_REMEDY_DROP_MIN_VALUES), "DROP_MIN_VALUES");
    assert_string_equal(karp_remedy_name(KARP_REMEDY_REQUIRE_DOMAINS + 1), "UNKNOWN");
    ask_no_more(&a);
}

/* ---- so many rounds ---------------------------------------------------------------------------------------------- */

/* The world with so many pods more that have ended: the more pods, the fewer rounds are made. */
static void crowd(asking *a, const char *world, unsigned count)
{
    karp_builder *builder = NULL;
    karp_pod model = { .size = sizeof model,
                       .meta = { .name = text("old"), .namespace_ = text("default") },
                       .phase = KARP_PHASE_SUCCEEDED,
                       .termination_grace_seconds = -1 };
    uint32_t template_;
    ask_in(a, world);
    assert_int_equal(karp_snapshot_edit(a->snapshot, &builder, &a->error), KARP_OK);
    assert_int_equal(karp_builder_add_pod_template(builder, &model, &template_, &a->error), KARP_OK);
    for (unsigned i = 0; i < count; i++) {
        char name[20];
        int length = snprintf(name, sizeof name, "old-%u", i);
        karp_templated_pod one = { .size = sizeof one,
                                   .name = { name, (size_t)length },
                                   .phase = KARP_PHASE_SUCCEEDED };
        assert_int_equal(karp_builder_add_templated_pod(builder, template_, &one, &a->error), KARP_OK);
    }
    karp_snapshot_unref(a->snapshot);
    a->snapshot = NULL;
    assert_int_equal(karp_builder_finish(builder, &a->snapshot, &a->error), KARP_OK);
    karp_builder_free(builder);
}

/* The only remedy's text, or "" for none; and how the search went. */
static void expect_search(asking *a, const char *pod, const char *remedy, unsigned tried, unsigned bounded)
{
    karp_pod_explanation *e = NULL;
    karp_remedy r = { .size = sizeof r };
    assert_int_equal(karp_explain_pod(a->snapshot, NULL, text(pod), &e, &a->error), KARP_OK);
    assert_int_equal(karp_pod_explanation_remedy_count(e), remedy[0] != '\0');
    if (remedy[0] != '\0') assert_int_equal(karp_pod_explanation_remedy(e, 0, &r), KARP_OK);
    if (remedy[0] != '\0') assert_string_equal(r.text.ptr, remedy);
    assert_int_equal(karp_pod_explanation_tried(e), tried);
    assert_int_equal(karp_pod_explanation_bounded(e), bounded);
    karp_pod_explanation_free(e);
}

/* Where rounds are dear, the first kind that helps ends the search. */
static void test_dear_rounds(void **state)
{
    (void)state;
    static const char world[] = SNAPSHOT("{}", TYPE("m", "1", ""))
        NODE("n1", "8", "taints: [{key: t, effect: NoSchedule}]") POD("a", "5", "");
    asking a;
    crowd(&a, world, 4000); /* 400,000 / 4,001 is more than 96 */
    karp_pod_explanation *e = NULL;
    assert_int_equal(karp_explain_pod(a.snapshot, NULL, text("default/a"), &e, &a.error), KARP_OK);
    assert_int_equal(karp_pod_explanation_remedy_count(e), 2);
    karp_pod_explanation_free(e);
    ask_no_more(&a);
    crowd(&a, world, 4200);
    expect_search(&a, "default/a", "tolerate t:NoSchedule", 1, 0);
    ask_no_more(&a);
}

/* Only what the pod does not tolerate is suggested, also where it compares numbers. */
static void test_tolerated_number(void **state)
{
    (void)state;
    static const char world[] = SNAPSHOT("{}", TYPE("m", "1", ""))
        NODE("n1", "8", "taints: [{key: sla, value: '950', effect: NoSchedule}, {key: t, effect: NoSchedule}]")
            POD("a", "5", ", tolerations: [{key: sla, operator: Gt, value: '900'}]");
    asking a;
    crowd(&a, world, 4200);
    expect_search(&a, "default/a", "tolerate t:NoSchedule", 1, 0);
    ask_no_more(&a);
}

#define PORT(number) "{containerPort: 80, hostPort: " number "}"
#define FOUR_PORTS(n) PORT(n "1") "," PORT(n "2") "," PORT(n "3") "," PORT(n "4")
#define WITH_PORTS(name, cpu, ports, more)                                                                             \
    "- {apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: default, uid: u-" name                        \
    "}, spec: {containers: [{name: c, resources: {requests: {cpu: " cpu "}}, ports: [" ports "]}]" more                \
    "}, status: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable}]}}\n"
#define SMALL                                                                                                          \
    "- {apiVersion: v1, kind: Pod, metadata: {name: small, namespace: default, uid: u-small}, spec: {containers: "     \
    "[{name: c, resources: {requests: {memory: '1'}}}]}, "                                                             \
    "status: {phase: Succeeded}}\n"

/* Twelve rounds at least; where they end, the explanation says so. */
static void test_fewest_rounds(void **state)
{
    (void)state;
    asking a;
    crowd(&a,
          HEAD OWN_POOL("limits: {cpu: '0'}, ",
                        ", requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [a]}]")
              SMALL WITH_PORTS("many", "1", FOUR_PORTS("1") "," FOUR_PORTS("2") "," FOUR_PORTS("3") "," FOUR_PORTS("4"),
                               "")
                  WITH_PORTS("eleven", "1", FOUR_PORTS("1") "," FOUR_PORTS("2") "," PORT("31") "," PORT("32"), "")
                      WITH_PORTS("some", "1", FOUR_PORTS("1") "," FOUR_PORTS("2") "," PORT("31"), "")
                          POD("zones", "1",
                              REQUIRED("{key: topology.kubernetes.io/zone, operator: In, values: [z1, z2, z3, z4, z5, "
                                       "z6, z7, z8, z9, z10, z11, z12]}")),
          33500);
    expect_search(&a, "default/many", "", 12, 1); /* none of its ports is to blame */
    expect_search(&a, "default/eleven", "", 12,
                  1); /* ten ports, its request, and the limit, which would help, but nothing is left to say how far */
    expect_search(&a, "default/some", "", 12, 1);
    expect_search(&a, "default/zones", "", 12, 1);
    ask_no_more(&a);
    /* Halving ends early, and there is still a round to state the outcome: eleven halvings of 100 Gi are steps of 50
     * Mi. */
    crowd(&a, SNAPSHOT("{}", TYPE("m", "1", "")) SMALL REQUESTING("memory: 100Gi", ""), 33500);
    expect_search(&a, "default/a", "request at most 16350Mi memory", 13, 1);
    ask_no_more(&a);
}

/* ---- stopped ----------------------------------------------------------------------------------------------------- */

/* `b` goes where `a` is, and is tried before it: when a has a place, b is tried again. */
#define FOLLOWS_A                                                                                                      \
    ", affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "                       \
    "kubernetes.io/hostname, labelSelector: {matchLabels: {app: x}}}]}}"
#define LABELLED_A                                                                                                     \
    "- {apiVersion: v1, kind: Pod, metadata: {name: a, namespace: default, uid: u-a, labels: {app: x}}, spec: "        \
    "{containers: [{name: c, resources: {requests: {cpu: 1}}}], "                                                      \
    "nodeSelector: {team: x}}, status: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: "   \
    "Unschedulable}]}}\n"

static unsigned steps_needed(const asking *a, karp_options *options)
{
    for (options->max_steps = 1;; options->max_steps++) {
        karp_decision *d = NULL;
        assert_int_equal(karp_provision(a->snapshot, options, &d, NULL), KARP_OK);
        bool complete = karp_decision_complete(d) != 0;
        karp_decision_unref(d);
        if (complete) return (unsigned)options->max_steps;
    }
}

/* A round that is not complete shows nothing; and when the decision itself is not, nothing is looked for. */
static void test_stopped(void **state)
{
    (void)state;
    asking a;
    karp_options options;
    karp_pod_explanation *e = NULL;
    ask_in(&a, SNAPSHOT("{}", TYPE("m", "1", "")) LABELLED_A POD("b", "2", FOLLOWS_A));
    karp_options_init(&options, sizeof options);
    options.keep_partial = 1;
    assert_int_equal(karp_explain_pod(a.snapshot, &options, text("default/a"), &e, &a.error), KARP_OK);
    assert_int_equal(karp_pod_explanation_remedy_count(e), 2);
    karp_pod_explanation_free(e);
    options.max_steps = steps_needed(&a, &options);
    assert_int_equal(karp_explain_pod(a.snapshot, &options, text("default/a"), &e, &a.error), KARP_OK);
    assert_true(karp_pod_explanation_tried(e) > 0);
    assert_int_equal(karp_pod_explanation_remedy_count(e), 0);
    karp_pod_explanation_free(e);
    options.max_steps--;
    assert_int_equal(karp_explain_pod(a.snapshot, &options, text("default/a"), &e, &a.error), KARP_OK);
    assert_int_equal(karp_pod_explanation_tried(e), 0);
    assert_int_equal(karp_pod_explanation_remedy_count(e), 0);
    karp_pod_explanation_free(e);
    ask_no_more(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pods),        cmocka_unit_test(test_not_considered),
        cmocka_unit_test(test_bad_calls),   cmocka_unit_test(test_tolerated_number),
        cmocka_unit_test(test_dear_rounds), cmocka_unit_test(test_fewest_rounds),
        cmocka_unit_test(test_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
