/* SPDX-License-Identifier: Apache-2.0 */
/* Advice where something is missing: no time, no label, no node, no version; and instants at the ends of what can be
 * told. */
#include "planning.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <support/advising.h>

#define HEAD(settings)                                                                                                 \
    "apiVersion: karp/v1\nkind: Snapshot\nnow: 2026-06-01T00:00:00Z\nsettings: " settings                              \
    "\ncatalogues:\n- instanceTypes:\n" TYPE("m", "1", "") "objects:\n"
#define MEMBER ", labels: {karpenter.sh/nodepool: default}"
#define UP_MEMBER                                                                                                      \
    ", labels: {karpenter.sh/nodepool: default, karpenter.sh/registered: 'true', karpenter.sh/initialized: 'true'}"
#define CLAIM(name, meta, spec, status)                                                                                \
    "- {apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: " name meta "}, spec: {requirements: []" spec   \
    "}, status: {" status "}}\n"
#define NODE(name, meta, spec, status)                                                                                 \
    "- {apiVersion: v1, kind: Node, metadata: {name: " name meta "}, spec: {" spec "}, status: {" status "}}\n"
#define ON(name, more)                                                                                                 \
    "- {apiVersion: v1, kind: Pod, metadata: {name: " name                                                             \
    ", namespace: default}, spec: {nodeName: n1, containers: []" more "}, status: {phase: Running}}\n"
#define IS(type, status, more) "{type: " type ", status: '" status "'" more "}"
#define LONG_AGO ", creationTimestamp: 2026-01-01T00:00:00Z"

struct row {
    const char *world, *expected;
};

typedef karp_status (*question)(const karp_snapshot *snapshot, karp_advice **out, karp_error *error);

static void decide_each(question ask, const struct row *rows, size_t count)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        karp_context *context = NULL;
        karp_snapshot *snapshot = NULL;
        karp_advice *advice = NULL;
        karp_error error;
        char got[4096];
        karp_error_init(&error, sizeof error);
        assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
        if (world_of(context, "world", rows[i].world, &snapshot, &error) != KARP_OK)
            fail_msg("row %zu: %s: %s", i, error.field, error.message);
        karp_status status = ask(snapshot, &advice, &error);
        if (status == KARP_OK) advice_words(advice, got, sizeof got);
        else (void)snprintf(got, sizeof got, "%s", error.message);
        if (strcmp(got, rows[i].expected) != 0) {
            wrong++;
            print_message("row %zu\n  expected: %s\n  got: %s\n", i, rows[i].expected, got);
        }
        karp_advice_free(advice);
        karp_snapshot_unref(snapshot);
        karp_context_unref(context);
    }
    assert_int_equal(wrong, 0);
}

#define ASK(what, rows) decide_each(what, rows, sizeof rows / sizeof *rows)

/* ---- conditions -------------------------------------------------------------------------------------------------- */

#define POOLED(annotations, requirements, more)                                                                        \
    HEAD("{}")                                                                                                         \
    "- {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: default, annotations: {" annotations             \
    "}}, spec: {template: {spec: {nodeClassRef: "                                                                      \
    "{group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}, requirements: [" requirements "]}}" more "}}\n"
#define OF_TYPE(labels)                                                                                                \
    ", labels: {karpenter.sh/nodepool: default, node.kubernetes.io/instance-type: m, topology.kubernetes.io/zone: a, " \
    "karpenter.sh/capacity-type: on-demand" labels "}"
#define HASH "karpenter.sh/nodepool-hash: '1'"
#define VERSION "karpenter.sh/nodepool-hash-version: v3"
#define OTHER_HASH "karpenter.sh/nodepool-hash: '2'"
#define HASHED(pool, claim)                                                                                            \
    POOLED(pool, "", "")                                                                                               \
    CLAIM("c", LONG_AGO OF_TYPE("") ", annotations: {" claim "}", "", "conditions: [" IS("Launched", "True", "") "]")
#define SOON "again 2026-06-01T00:05:00Z"
#define HOST_RULE(rule, labels)                                                                                        \
    POOLED("", "{key: kubernetes.io/hostname, " rule "}", "")                                                          \
    CLAIM("c", LONG_AGO OF_TYPE(labels), "", "conditions: [" IS("Launched", "True", "") "]")
#define TIMED(after, status) POOLED("", "", after) CLAIM("c", LONG_AGO OF_TYPE(""), "", status)

static karp_status conditions(const karp_snapshot *s, karp_advice **out, karp_error *error)
{
    return karp_advise_conditions(s, 0, NULL, 0, out, error);
}

static void test_conditions(void **state)
{
    (void)state;
    static const struct row rows[] = {
        /* hash and version have to be there on both sides */
        { HASHED(HASH "," VERSION, OTHER_HASH "," VERSION), "set c Drifted=NodePoolDrifted; " SOON },
        { HASHED(HASH, OTHER_HASH "," VERSION), SOON },
        { HASHED(HASH "," VERSION, OTHER_HASH), SOON },
        { HASHED(VERSION, OTHER_HASH "," VERSION), SOON },
        { HASHED(HASH "," VERSION, VERSION), SOON },
        { HASHED(HASH "," VERSION, OTHER_HASH ", karpenter.sh/nodepool-hash-version: v2"), SOON },
        /* the host name is a label as any other */
        { HOST_RULE("operator: In, values: [h1]", ", kubernetes.io/hostname: h1"), SOON },
        { HOST_RULE("operator: In, values: [h1]", ", kubernetes.io/hostname: h2"),
          "set c Drifted=RequirementsDrifted; " SOON },
        { HOST_RULE("operator: In, values: [h1]", ""), "set c Drifted=RequirementsDrifted; " SOON },
        { HOST_RULE("operator: NotIn, values: [h1]", ""), SOON },
        { HOST_RULE("operator: NotIn, values: [h1]", ", kubernetes.io/hostname: h1"),
          "set c Drifted=RequirementsDrifted; " SOON },
        /* made at a time that nobody knows: long ago */
        { POOLED("", "", "") CLAIM("c", MEMBER, "", "conditions: [" IS("Launched", "True", "") "]"),
          "set c Drifted=InstanceTypeNotFound; " SOON },
        { POOLED("", "", "") CLAIM("c", MEMBER ", creationTimestamp: 2026-05-31T23:30:00Z", "",
                                   "conditions: [" IS("Launched", "True", "") "]"),
          SOON },
        /* without a time to wait, or without a time to count from, it may go at once */
        { TIMED("", "conditions: [" IS("Initialized", "True", "") "]"), "set c Consolidatable=Consolidatable" },
        { TIMED(", disruption: {consolidateAfter: 5m}", "conditions: [" IS("Initialized", "True", "") "]"),
          "set c Consolidatable=Consolidatable" },
        { TIMED(", disruption: {consolidateAfter: 5m}",
                "conditions: [" IS("Initialized", "True", ", lastTransitionTime: 2026-05-31T23:56:00Z") "]"),
          "again 2026-06-01T00:01:00Z" },
        { TIMED(", disruption: {consolidateAfter: 5m}",
                "conditions: [" IS("Initialized", "True", ", lastTransitionTime: 2026-05-31T23:55:00Z") "]"),
          "set c Consolidatable=Consolidatable" },
        { TIMED(", disruption: {consolidateAfter: 0s}",
                "conditions: [" IS("Initialized", "True", ", lastTransitionTime: 2026-05-31T23:59:59Z") "]"),
          "set c Consolidatable=Consolidatable" },
        { TIMED(", disruption: {consolidateAfter: 0s}", "conditions: [" IS("Initialized", "False", "") "]"), "" },
        { TIMED(", disruption: {consolidateAfter: Never}", "conditions: [" IS("Initialized", "True", "") "]"), "" },
    };
    ASK(conditions, rows);
}

/* ---- repair, expiration, time-outs ------------------------------------------------------------------------------- */

#define BROKEN(more)                                                                                                   \
    "conditions: [" IS("Ready", "False", more) "," IS("Disk", "Bad", ", lastTransitionTime: 2026-05-31T23:59:00Z") "]"
#define SICK(more) CLAIM("c1", MEMBER, "", "providerID: p1") NODE("n1", UP_MEMBER, "providerID: p1", BROKEN(more))
#define SINCE ", lastTransitionTime: 2026-05-31T23:58:00Z"

static karp_status repaired(const karp_snapshot *s, int64_t ready, int64_t disk, karp_advice **out, karp_error *error)
{
    const karp_repair_policy policies[] = { { { "Ready", 5 }, { "False", 5 }, ready * INT64_C(60000000000) },
                                            { { "Disk", 4 }, { "Bad", 3 }, disk * INT64_C(60000000000) },
                                            { { "Else", 4 }, { "Bad", 3 }, 1 } };
    return karp_advise_repair(s, 0, policies, 3, out, error);
}

static karp_status ready_first(const karp_snapshot *s, karp_advice **out, karp_error *error)
{
    return repaired(s, 10, 20, out, error);
}
static karp_status disk_first(const karp_snapshot *s, karp_advice **out, karp_error *error)
{
    return repaired(s, 20, 10, out, error);
}

static void test_repair(void **state)
{
    (void)state;
    /* the policy that runs out first; one whose condition has no time says nothing; nodes without a claim, and claims
     * without a node */
    static const struct row first[] = {
        { HEAD("{featureGates: {NodeRepair: true}}") SICK(SINCE), "again 2026-06-01T00:08:00Z" },
        { HEAD("{featureGates: {NodeRepair: true}}") SICK(""), "again 2026-06-01T00:19:00Z" },
        { HEAD("{featureGates: {NodeRepair: true}}") NODE("n2", "", "providerID: p2", BROKEN(SINCE))
              CLAIM("c3", "", "", "providerID: p3"),
          "" },
        { HEAD("{}") SICK(SINCE), "" }
    };
    static const struct row second[] = { { HEAD("{featureGates: {NodeRepair: true}}") SICK(SINCE),
                                           "again 2026-06-01T00:09:00Z" } };
    ASK(ready_first, first);
    ASK(disk_first, second);
}

static karp_status expiration(const karp_snapshot *s, karp_advice **out, karp_error *error)
{
    return karp_advise_expiration(s, 0, out, error);
}
static karp_status timeouts(const karp_snapshot *s, karp_advice **out, karp_error *error)
{
    return karp_advise_timeouts(s, 0, out, error);
}
static karp_status expiration_at_the_end(const karp_snapshot *s, karp_advice **out, karp_error *error)
{
    return karp_advise_expiration(s, INT64_MAX - 1, out, error);
}

static void test_times(void **state)
{
    (void)state;
    static const struct row expire[] = {
        { HEAD("{}") CLAIM("c", LONG_AGO, ", expireAfter: 1h", ""), "delete c=Expired" },
        { HEAD("{}") CLAIM("c", "", ", expireAfter: 1h", ""), "delete c=Expired" }, /* made before anybody knows */
        { HEAD("{}") CLAIM("c", LONG_AGO, ", expireAfter: Never", ""), "" },
        { HEAD("{}") CLAIM("c", LONG_AGO, "", ""), "" },
    };
    static const struct row time_out[] = {
        { HEAD("{}") CLAIM("c", ", creationTimestamp: 2026-05-31T23:58:00Z", "", ""), "again 2026-06-01T00:03:00Z" },
        { HEAD("{}") CLAIM("c", ", creationTimestamp: 2026-05-31T23:58:00Z", "",
                           "conditions: [" IS("Launched", "Unknown", "") "]"),
          "again 2026-06-01T00:03:00Z" },
        { HEAD("{}") CLAIM("c", ", creationTimestamp: 2026-05-31T23:58:00Z", "",
                           "conditions: [" IS("Launched", "Unknown", ", lastTransitionTime: 2026-05-31T23:59:00Z") "]"),
          "again 2026-06-01T00:04:00Z" },
        { HEAD("{}") CLAIM("c", "", "", "conditions: [" IS("Launched", "Unknown", "") "]"), "delete c=LaunchTimeout" },
    };
    /* The end of time is as late as it gets. */
    static const struct row late[] = { { HEAD("{}") CLAIM("c", LONG_AGO, ", expireAfter: 2540000h", ""),
                                         "again 2262-04-11T23:47:16.854775807Z" } };
    ASK(expiration, expire);
    ASK(timeouts, time_out);
    ASK(expiration_at_the_end, late);
}

/* ---- garbage, clean-up, terminations ----------------------------------------------------------------------------- */

static const karp_str alive[] = { { "p-alive", 7 } };
static karp_status garbage(const karp_snapshot *s, karp_advice **out, karp_error *error)
{
    return karp_advise_garbage(s, 0, alive, 1, out, error);
}
static karp_status garbage_at_the_end(const karp_snapshot *s, karp_advice **out, karp_error *error)
{
    return karp_advise_garbage(s, INT64_MAX, NULL, 1, out, error);
}
static karp_status cleanup(const karp_snapshot *s, karp_advice **out, karp_error *error)
{
    return karp_advise_cleanup(s, NULL, 0, out, error);
}
static karp_status termination(const karp_snapshot *s, karp_advice **out, karp_error *error)
{
    return karp_advise_termination(s, 0, alive, 1, out, error);
}

#define REGISTERED "conditions: [" IS("Registered", "True", "") "]"
#define MARKED(effect) "taints: [{key: karpenter.sh/disrupted, effect: " effect "}]"
#define GOING ", deletionTimestamp: 2026-05-31T23:00:00Z, finalizers: [f]"
#define RUNS(name, conditions)                                                                                         \
    CLAIM("c-" name, "", "", "providerID: p-" name ", conditions: [" IS("Registered", "True", "") conditions "]")      \
    NODE(name, ", labels: {karpenter.sh/registered: 'true', karpenter.sh/initialized: 'true'}",                        \
         "providerID: p-" name ", " MARKED("NoSchedule"), "")

static void test_garbage(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { HEAD("{}") CLAIM("c", "", "", "providerID: p-gone, " REGISTERED),
          "delete c=InstanceGone; again 2026-06-01T00:02:00Z" }, /* without a node */
        { HEAD("{}") CLAIM("c", "", "", "providerID: p-alive, " REGISTERED), "again 2026-06-01T00:02:00Z" },
        { HEAD("{}") CLAIM("c", "", "", "providerID: p-gone, " REGISTERED)
              NODE("n1", "", "providerID: p-gone", "conditions: [" IS("Ready", "True", "") "]"),
          "again 2026-06-01T00:02:00Z" },
        { HEAD("{}") CLAIM("c", "", "", "providerID: p-gone, " REGISTERED)
              NODE("n1", "", "providerID: p-gone", "conditions: [" IS("Ready", "False", "") "]"),
          "delete c=InstanceGone; again 2026-06-01T00:02:00Z" },
    };
    static const struct row several[] = {
        /* One that goes already, one that never came: the next is looked at all the same. */
        { HEAD("{}") CLAIM("a", GOING, "", "providerID: p-a, " REGISTERED) CLAIM("b", "", "", "providerID: p-b")
              CLAIM("c", "", "", "providerID: p-gone, " REGISTERED),
          "delete c=InstanceGone; again 2026-06-01T00:02:00Z" },
    };
    static const struct row at_the_end[] = { { HEAD("{}"), "again 2262-04-11T23:47:16.854775807Z" } };
    static const struct row clean[] = {
        { HEAD("{}") NODE("n1", "", MARKED("NoSchedule"), ""), "untaint n1 karpenter.sh/disrupted" },
        { HEAD("{}") NODE("n1", "", MARKED("NoExecute"), ""), "" }, /* somebody else's */
        { HEAD("{}") RUNS("n1", ""), "untaint n1 karpenter.sh/disrupted" },
        { HEAD("{}") RUNS("n1", ", " IS("DisruptionReason", "True", "")),
          "clear c-n1 DisruptionReason; untaint n1 karpenter.sh/disrupted" },
    };
    ASK(garbage, rows);
    ASK(garbage, several);
    ASK(garbage_at_the_end, at_the_end);
    ASK(cleanup, clean);
}

static void test_termination(void **state)
{
    (void)state;
    /* without provider IDs nobody knows whose node it is, nor whether its instance is gone */
    static const struct row rows[] = {
        { HEAD("{}") CLAIM("c", GOING, "", REGISTERED) NODE("n1", "", "", ""), "finalizer c karpenter.sh/termination" },
        { HEAD("{}") NODE("n1", MEMBER GOING, "", "") CLAIM("c", "", "", ""), "" },
        { HEAD("{}") NODE("n1", MEMBER GOING, "providerID: p-gone", "") CLAIM("c", "", "", "providerID: p-gone"),
          "delete c=NodeDeleted; finalizer n1 karpenter.sh/termination=InstanceGone" },
        { HEAD("{}") NODE("n1", MEMBER GOING, "providerID: p-alive", "") CLAIM("c", "", "", "providerID: p-alive"),
          "delete c=NodeDeleted" },
    };
    ASK(termination, rows);
}

/* ---- drain ------------------------------------------------------------------------------------------------------- */

static karp_status drain(const karp_snapshot *s, karp_advice **out, karp_error *error)
{
    return karp_advise_drain(s, (karp_str){ "n1", 2 }, 0, out, error);
}

static karp_status detachment(const karp_snapshot *s, karp_advice **out, karp_error *error)
{
    const karp_str volumes[] = { { "v", 1 } };
    return karp_advise_detachment(s, (karp_str){ "n1", 2 }, 0, volumes, 1, out, error);
}

#define DEADLINE(time) ", annotations: {karpenter.sh/nodeclaim-termination-timestamp: '" time "'}"
#define DRAINED(deadline, conditions)                                                                                  \
    CLAIM("c", GOING deadline, "", "providerID: p1, conditions: [" conditions "]")                                     \
    NODE("n1", GOING, "providerID: p1", "")
#define STAYS ", tolerations: [{key: karpenter.sh/disrupted, operator: Exists}]"
#define HOLDING ", volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]"

static void test_drain(void **state)
{
    (void)state;
    static const struct row rows[] = {
        /* how long a pod needs: not said, longer than can be counted, and before a deadline of long ago */
        { HEAD("{}") DRAINED(DEADLINE("2026-06-01T00:00:10Z"), "") ON("p", ""),
          "set c Drained=Draining; evict default/p; again 2026-06-01T00:00:01Z" },
        { HEAD("{}") DRAINED(DEADLINE("2026-06-01T00:00:10Z"), "") ON("p", ", terminationGracePeriodSeconds: 10"),
          "set c Drained=Draining; evict default/p; again 2026-06-01T00:00:01Z" },
        { HEAD("{}") DRAINED(DEADLINE("2026-06-01T00:00:10Z"), "") ON("p", ", terminationGracePeriodSeconds: 11"),
          "set c Drained=Draining; force default/p 10; again 2026-06-01T00:00:01Z" },
        { HEAD("{}") DRAINED(DEADLINE("2026-06-01T00:00:10Z"), "")
              ON("p", ", terminationGracePeriodSeconds: 9300000000"),
          "set c Drained=Draining; force default/p 10; again 2026-06-01T00:00:01Z" },
        { HEAD("{}") DRAINED(DEADLINE("1960-01-01T00:00:00Z"), "")
              ON("p", ", terminationGracePeriodSeconds: 9300000000"),
          "set c Drained=Draining; force default/p 1; again 2026-06-01T00:00:01Z" },
        /* nobody is left: at once when that was so before, five seconds after it was first looked at, not without a
           time */
        { HEAD("{}") DRAINED("", IS("Drained", "True", "")), "" },
        { HEAD("{}") DRAINED("", IS("Drained", "Unknown", ", lastTransitionTime: 2026-05-31T23:59:55Z")),
          "set c Drained=Drained" },
        { HEAD("{}") DRAINED("", IS("Drained", "Unknown", ", lastTransitionTime: 2026-05-31T23:59:56Z")),
          "again 2026-06-01T00:00:01Z" },
        { HEAD("{}") DRAINED("", IS("Drained", "Unknown", "")), "again 2026-06-01T00:00:01Z" },
        { HEAD("{}") DRAINED("", ""), "set c Drained=Draining; again 2026-06-01T00:00:01Z" },
        { HEAD("{}") DRAINED("", IS("Drained", "True", "")) ON("p", ""),
          "evict default/p; again 2026-06-01T00:00:01Z" },
    };
    static const struct row volumes[] = {
        /* a pod that stays holds what its claim is bound to: not one that is missing, or bound to nothing, or to
           another */
        { HEAD("{}") DRAINED("", "") ON("p", STAYS HOLDING), "again 2026-06-01T00:00:01Z" },
        { HEAD("{}") DRAINED("", "") "- {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c, namespace: "
                                     "default}, spec: {}}\n" ON("p", STAYS HOLDING),
          "again 2026-06-01T00:00:01Z" },
        { HEAD("{}") DRAINED("", "") "- {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c, namespace: "
                                     "default}, spec: {volumeName: w}}\n" ON("p", STAYS HOLDING),
          "again 2026-06-01T00:00:01Z" },
        { HEAD("{}") DRAINED("", "") "- {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c, namespace: "
                                     "default}, spec: {volumeName: v}}\n" ON("p", STAYS HOLDING),
          "set c VolumesDetached=VolumesDetached" },
        { HEAD("{}") DRAINED("", IS("VolumesDetached", "True",
                                    "")) "- {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c, "
                                         "namespace: default}, spec: {volumeName: v}}\n" ON("p", STAYS HOLDING),
          "" },
    };
    ASK(drain, rows);
    ASK(detachment, volumes);
}

/* ---- static pools ------------------------------------------------------------------------------------------------ */

static karp_status scale(const karp_snapshot *s, karp_advice **out, karp_error *error)
{
    return karp_advise_static_pools(s, 0, out, error);
}

#define STATIC(meta, replicas, limits, ready)                                                                          \
    HEAD("{featureGates: {StaticCapacity: true}}")                                                                     \
    "- {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: default" meta                                    \
    "}, spec: {replicas: " replicas limits ", template: {spec: "                                                       \
    "{nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}, requirements: []}}}, status: "     \
    "{conditions: [" IS("Ready", ready, "") "]}}\n"
#define OWN(name)                                                                                                      \
    CLAIM("c-" name, MEMBER, "", "providerID: p-" name)                                                                \
    NODE(name, UP_MEMBER, "providerID: p-" name, "")
#define COSTING(name, node, meta, phase)                                                                               \
    "- {apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: default" meta "}, spec: {nodeName: " node     \
    ", containers: []}, status: {phase: " phase "}}\n"
#define COSTS(amount) ", annotations: {controller.kubernetes.io/pod-deletion-cost: '" amount "'}"
#define PROTECTS ", annotations: {karpenter.sh/do-not-disrupt: 'true'}"
#define MINUTE "again 2026-06-01T00:01:00Z"
#define HALF "again 2026-06-01T00:00:30Z"

static void test_static_pools(void **state)
{
    (void)state;
    static const struct row rows[] = {
        /* up: a pool that goes or is not ready makes nothing, nor one whose limit is reached; one without end makes
           what is asked for */
        { STATIC("", "2", "", "True"), "create default 2; " MINUTE },
        { STATIC("", "2", "", "False"), MINUTE },
        { STATIC(GOING, "2", "", "True"), MINUTE },
        { STATIC("", "2", ", limits: {nodes: '1'}", "True"), "create default 1; " HALF },
        { STATIC("", "2", ", limits: {nodes: '0'}", "True"), HALF },
        { STATIC("", "2", ", limits: {nodes: '1e20'}", "True"), "create default 2; " MINUTE },
        { STATIC("", "2", ", limits: {nodes: '1'}", "True") OWN("n1"), HALF },
        /* a Node that goes by itself is none of its own */
        { STATIC("", "1", "", "True") NODE("n9", UP_MEMBER GOING, "providerID: p9", ""), "create default 1; " MINUTE },
        /* down: those that have not come up go first, in their order, but for those that go already */
        { STATIC("", "0", "", "True") OWN("n1") CLAIM("z", MEMBER, "", "") CLAIM("b", MEMBER, "", ""),
          "delete b=ScaleDown; delete c-n1=ScaleDown; delete z=ScaleDown; " MINUTE },
        { STATIC("", "1", "", "True") OWN("n1") CLAIM("z", MEMBER, "", ""), "delete z=ScaleDown; " MINUTE },
        { STATIC("", "2", "", "True") OWN("n1") CLAIM("z", MEMBER, "", "") CLAIM("b", MEMBER, "", ""),
          "delete z=ScaleDown; " MINUTE },
        { STATIC("", "2", "", "True") OWN("n1") CLAIM("z", MEMBER GOING, "", "") CLAIM("b", MEMBER, "", ""),
          "delete b=ScaleDown; " MINUTE },
        /* then the empty ones, then by what their pods cost, then by name; those that are protected come last */
        { STATIC("", "1", "", "True") OWN("n1") OWN("n2") COSTING("p", "n1", "", "Running"),
          "delete c-n2=ScaleDown; " MINUTE },
        { STATIC("", "1", "", "True") OWN("n1") OWN("n2") COSTING("p", "n1", COSTS("5"), "Running")
              COSTING("q", "n2", COSTS("4"), "Running"),
          "delete c-n2=ScaleDown; " MINUTE },
        { STATIC("", "1", "", "True") OWN("n1") OWN("n2") COSTING("p", "n1", COSTS("4"), "Running")
              COSTING("q", "n2", COSTS("5"), "Running"),
          "delete c-n1=ScaleDown; " MINUTE },
        { STATIC("", "1", "", "True") OWN("n2") OWN("n1") COSTING("p", "n1", COSTS("4"), "Running")
              COSTING("q", "n2", COSTS("4"), "Running"),
          "delete c-n1=ScaleDown; " MINUTE },
        { STATIC("", "1", "", "True") OWN("n1") OWN("n2") COSTING("p", "n1", PROTECTS, "Running")
              COSTING("q", "n2", COSTS("9"), "Running"),
          "delete c-n2=ScaleDown; " MINUTE },
        { STATIC("", "1", "", "True") OWN("n1") OWN("n2") COSTING("p", "n1", PROTECTS, "Succeeded")
              COSTING("q", "n2", COSTS("90000000"), "Running"),
          "delete c-n1=ScaleDown; " MINUTE },
        /* nodes of nobody and of others are not looked at */
        { STATIC("", "1", "", "True") NODE("n0", UP_MEMBER, "providerID: p0", "") OWN("n1") OWN("n2"),
          "delete c-n1=ScaleDown; " MINUTE },
    };
    ASK(scale, rows);
}

/* ---- pod events -------------------------------------------------------------------------------------------------- */

#define HOSTED(space, name, uid)                                                                                       \
    "- {apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: " space ", uid: '" uid                        \
    "'}, spec: {nodeName: n1, containers: []}, status: {phase: Running}}\n"

/* Whether something has happened to pods of n1 between two looks. */
static void expect_event(const char *before, const char *after, bool event)
{
    karp_context *context = NULL;
    karp_snapshot *was = NULL, *is = NULL;
    karp_advice *a = NULL;
    karp_error e;
    char first[3000], second[3000], got[400];
    karp_error_init(&e, sizeof e);
    (void)snprintf(first, sizeof first, "%s%s", HEAD("{}") OWN("n1"), before);
    (void)snprintf(second, sizeof second, "%s%s", HEAD("{}") OWN("n1"), after);
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    assert_int_equal(world_of(context, "before", first, &was, &e), KARP_OK);
    assert_int_equal(world_of(context, "after", second, &is, &e), KARP_OK);
    assert_int_equal(karp_advise_pod_events(was, is, NULL, &a, &e), KARP_OK);
    advice_words(a, got, sizeof got);
    assert_int_equal(strncmp(got, "pod-event c-n1", 14) == 0, event);
    assert_int_equal(got[0] != '\0', event);
    karp_advice_free(a);
    karp_snapshot_unref(was);
    karp_snapshot_unref(is);
    karp_context_unref(context);
}

/* A pod is the same one by name, namespace and UID, where it has one. */
static void test_pod_events(void **state)
{
    (void)state;
    expect_event(HOSTED("default", "p", "u-1"), HOSTED("default", "p", "u-1"), false);
    expect_event(HOSTED("default", "p", "u-1"), HOSTED("default", "p", "u-2"), true);
    expect_event(HOSTED("default", "p", "u-1"), HOSTED("default", "p", "u-10"), true);
    expect_event(HOSTED("default", "p", ""), HOSTED("default", "p", ""), false);
    expect_event(HOSTED("default", "p", "u-1"), HOSTED("other", "p", "u-1"), true);
    expect_event(HOSTED("default", "p", "u-1"), HOSTED("default", "q", "u-1"), true);
    expect_event("", HOSTED("nowhere-else", "never-seen", "u-1"), true);
    expect_event(HOSTED("default", "p", "u-1"), "", false);
}

/* ---- bad calls --------------------------------------------------------------------------------------------------- */

static void test_bad_calls(void **state)
{
    (void)state;
    karp_context *context = NULL;
    karp_snapshot *s = NULL;
    karp_advice *a = NULL;
    karp_error e;
    uint64_t hash;
    uint32_t bits;
    const karp_str name = { "n1", 2 };
    karp_error_init(&e, sizeof e);
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    assert_int_equal(world_of(context, "world", HEAD("{}") NODE("n1", "", "", ""), &s, &e), KARP_OK);
    const karp_status without_snapshot[] = {
        karp_advise_conditions(NULL, 0, NULL, 0, &a, &e),
        karp_advise_expiration(NULL, 0, &a, &e),
        karp_advise_repair(NULL, 0, NULL, 0, &a, &e),
        karp_advise_timeouts(NULL, 0, &a, &e),
        karp_advise_initialization(NULL, 0, &a, &e),
        karp_advise_pod_events(NULL, NULL, NULL, &a, &e),
        karp_advise_reboots(NULL, 0, NULL, 0, &a, &e),
        karp_advise_garbage(NULL, 0, NULL, 0, &a, &e),
        karp_advise_static_pools(NULL, 0, &a, &e),
        karp_advise_interruptions(NULL, 0, NULL, 0, &a, &e),
        karp_advise_drain(NULL, name, 0, &a, &e),
        karp_advise_detachment(NULL, name, 0, NULL, 0, &a, &e),
        karp_advise_termination(NULL, 0, NULL, 0, &a, &e),
        karp_advise_cleanup(NULL, NULL, 0, &a, &e),
        karp_advise_hashes(NULL, &a, &e),
        karp_node_pool_hash(NULL, name, &hash),
        karp_pod_flags(NULL, 0, 0, &bits),
    };
    const karp_status without_place[] = {
        karp_advise_conditions(s, 0, NULL, 0, NULL, &e),
        karp_advise_expiration(s, 0, NULL, &e),
        karp_advise_repair(s, 0, NULL, 0, NULL, &e),
        karp_advise_timeouts(s, 0, NULL, &e),
        karp_advise_initialization(s, 0, NULL, &e),
        karp_advise_pod_events(NULL, s, NULL, NULL, &e),
        karp_advise_reboots(s, 0, NULL, 0, NULL, &e),
        karp_advise_garbage(s, 0, NULL, 0, NULL, &e),
        karp_advise_static_pools(s, 0, NULL, &e),
        karp_advise_interruptions(s, 0, NULL, 0, NULL, &e),
        karp_advise_drain(s, name, 0, NULL, &e),
        karp_advise_detachment(s, name, 0, NULL, 0, NULL, &e),
        karp_advise_termination(s, 0, NULL, 0, NULL, &e),
        karp_advise_cleanup(s, NULL, 0, NULL, &e),
        karp_advise_hashes(s, NULL, &e),
        karp_node_pool_hash(s, name, NULL),
        karp_pod_flags(s, 0, 0, NULL),
    };
    for (size_t i = 0; i < sizeof without_snapshot / sizeof *without_snapshot; i++)
        assert_int_equal(without_snapshot[i], KARP_E_INVALID);
    for (size_t i = 0; i < sizeof without_place / sizeof *without_place; i++)
        assert_int_equal(without_place[i], KARP_E_INVALID);
    assert_int_equal(karp_advise_detachment(s, name, 0, NULL, 1, &a, &e), KARP_E_INVALID); /* counted but not given */
    assert_null(a);
    assert_int_equal(karp_advise_cleanup(s, NULL, 1, &a, &e), KARP_OK); /* as none */
    assert_int_equal(karp_advice_action(a, 0, NULL), KARP_E_INVALID);
    karp_advice_free(a);
    karp_snapshot_unref(s);
    karp_context_unref(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conditions),   cmocka_unit_test(test_repair),      cmocka_unit_test(test_times),
        cmocka_unit_test(test_garbage),      cmocka_unit_test(test_termination), cmocka_unit_test(test_drain),
        cmocka_unit_test(test_static_pools), cmocka_unit_test(test_pod_events),  cmocka_unit_test(test_bad_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
