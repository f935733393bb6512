/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of single pieces of advice: what drifts from what, repair, static pools, initialisation, pod events,
 * terminations. */
#include <support/advising.h>

#define ALL ",\"budgets\":[{\"nodes\":\"100%\"}]"
#define IS(type, status, since)                                                                                        \
    ",{\"type\":\"" type "\",\"status\":\"" status "\",\"reason\":\"" type "\",\"lastTransitionTime\":\"" since "\"}"
#define UP                                                                                                             \
    "{\"type\":\"Launched\",\"status\":\"True\",\"lastTransitionTime\":\"2026-01-05T08:00:00Z\"},{\"type\":"           \
    "\"Registered\",\"status\":\"True\"}"
#define DAEMON                                                                                                         \
    ",\"ownerReferences\":[{\"apiVersion\":\"apps/"                                                                    \
    "v1\",\"kind\":\"DaemonSet\",\"name\":\"d\",\"uid\":\"u\",\"controller\":true}]"

static karp_str text(const char *t) { return (karp_str){ t, strlen(t) }; }

static void add_claim(cluster *c, const char *name, const char *metadata, const char *spec, const char *status)
{
    add(c,
        ",{\"apiVersion\":\"karpenter.sh/"
        "v1\",\"kind\":\"NodeClaim\",\"metadata\":{\"name\":\"%s\",\"creationTimestamp\":\"2026-01-05T08:00:00Z\"%s},"
        "\"spec\":{\"nodeClassRef\":{\"group\":\"g\",\"kind\":\"k\",\"name\":\"n\"},\"requirements\":[]%s},\"status\":{"
        "%s}}",
        name, metadata, spec, status);
}

static void add_bare_node(cluster *c, const char *name, const char *metadata, const char *spec, const char *status)
{
    add(c,
        ",{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"%s\"%s},\"spec\":{\"providerID\":\"p-%s\"%"
        "s},\"status\":{%s}}",
        name, metadata, name, spec, status);
}

/* ---- drift ------------------------------------------------------------------------------------------------------- */

static void drifting(cluster *c, const char *requirements, const char *labels, const char *annotations,
                     const char *conditions)
{
    char metadata[900];
    cluster_begin(c, 1, "");
    add(c,
        ",{\"apiVersion\":\"karpenter.sh/"
        "v1\",\"kind\":\"NodePool\",\"metadata\":{\"name\":\"pool\",\"annotations\":{\"karpenter.sh/"
        "nodepool-hash\":\"1\","
        "\"karpenter.sh/"
        "nodepool-hash-version\":\"v3\"}},\"spec\":{\"template\":{\"spec\":{\"nodeClassRef\":{\"group\":\"g\",\"kind\":"
        "\"k\",\"name\":\"n\"},"
        "\"requirements\":[%s]}},\"disruption\":{\"consolidateAfter\":\"0s\"}}}",
        requirements);
    (void)snprintf(metadata, sizeof metadata,
                   ",\"labels\":{\"karpenter.sh/nodepool\":\"pool\"%s},\"annotations\":{\"a\":\"b\"%s}", labels,
                   annotations);
    add_claim(c, "claim", metadata, "", "");
    c->length -= 2; /* the end of its status: "}}" */
    add(c, "\"conditions\":[" UP "%s]}}", conditions);
    cluster_ready(c);
}

static const char *drift_of(cluster *c, const karp_drift_answer *answer)
{
    static char got[64];
    karp_advice *a = NULL;
    got[0] = '\0';
    assert_int_equal(karp_advise_conditions(c->snapshot, 0, answer, answer != NULL, &a, &c->error), KARP_OK);
    for (size_t i = 0; i < karp_advice_action_count(a); i++) {
        karp_action x = { .size = sizeof x };
        assert_int_equal(karp_advice_action(a, i, &x), KARP_OK);
        if (x.kind == KARP_ACTION_SET_CONDITION && x.subject.len == 7)
            (void)snprintf(got, sizeof got, "%.*s", (int)x.value.len, x.value.ptr);
    }
    karp_advice_free(a);
    return got;
}

#define KEY(op, values) "{\"key\":\"k\",\"operator\":\"" op "\",\"values\":[" values "]}"
#define HASH(value) ",\"karpenter.sh/nodepool-hash\":\"" value "\",\"karpenter.sh/nodepool-hash-version\":\"v3\""
#define TYPE(capacity_type, more)                                                                                      \
    ",\"node.kubernetes.io/instance-type\":\"t01\",\"topology.kubernetes.io/zone\":\"z1\",\"karpenter.sh/"             \
    "capacity-type\":\"" capacity_type "\"" more

static void test_requirement_drift(void **state)
{
    static const struct {
        const char *requirements, *labels;
        bool drifted;
    } rows[] = {
        { KEY("In", "\"a\""), ",\"k\":\"a\"", false },
        { KEY("In", "\"b\""), ",\"k\":\"a\"", true },
        { KEY("In", "\"a\",\"b\""), ",\"k\":\"a\"", false },
        { KEY("In", "\"a\""), "", true },
        { "", ",\"k\":\"a\"", false },
        { KEY("Exists", ""), ",\"k\":\"a\"", false },
        { KEY("Exists", ""), "", true },
        { KEY("DoesNotExist", ""), ",\"k\":\"a\"", true },
        { KEY("DoesNotExist", ""), "", false },
        { KEY("NotIn", "\"a\""), ",\"k\":\"a\"", true },
        { KEY("NotIn", "\"a\""), "", false },
        { KEY("Gt", "\"5\""), ",\"k\":\"5\"", true },
        { KEY("Gt", "\"5\""), ",\"k\":\"6\"", false },
        { KEY("Lt", "\"5\""), ",\"k\":\"5\"", true },
        { KEY("Lt", "\"5\""), ",\"k\":\"4\"", false },
        { KEY("Gt", "\"5\""), "", true },
        { "{\"key\":\"topology.kubernetes.io/zone\",\"operator\":\"In\",\"values\":[\"z1\"]}", "",
          true }, /* no leniency for keys that are well known */
    };
    cluster *c = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *labels = rows[i].labels;
        char all[300];
        /* A type that is there, so that nothing else drifts. */
        (void)snprintf(all, sizeof all, "%s%s", strstr(rows[i].requirements, "zone") != NULL ? "" : TYPE("spot", ""),
                       labels);
        drifting(c, rows[i].requirements, all, "", "");
        const char *got = drift_of(c, NULL);
        if (strcmp(got, rows[i].drifted ? "RequirementsDrifted" : "") != 0)
            fail_msg("%s %s: \"%s\"", rows[i].requirements, labels, got);
    }
}

/* The static hash, then the requirements, then the type, then what the provider says. */
static void test_drift_order(void **state)
{
    cluster *c = *state;
    const karp_drift_answer told = { text("claim"), text("AMIDrift"), 1, 0 };
    drifting(c, KEY("In", "\"b\""), ",\"k\":\"a\",\"node.kubernetes.io/instance-type\":\"gone\"", HASH("2"), "");
    assert_string_equal(drift_of(c, &told), "NodePoolDrifted");
    drifting(c, KEY("In", "\"b\""), ",\"k\":\"a\",\"node.kubernetes.io/instance-type\":\"gone\"", HASH("1"), "");
    assert_string_equal(drift_of(c, &told), "RequirementsDrifted");
    drifting(c, "", ",\"node.kubernetes.io/instance-type\":\"gone\"", HASH("1"), "");
    assert_string_equal(drift_of(c, &told), "InstanceTypeNotFound");
    drifting(c, "", TYPE("spot", ""), HASH("1"), "");
    assert_string_equal(drift_of(c, &told), "AMIDrift");
    assert_string_equal(drift_of(c, NULL), "");
}

/* A claim on reserved capacity is served by a reserved or an on-demand offering of its type, whatever the reservation.
 */
static void test_reserved_types(void **state)
{
    static const struct {
        const char *labels;
        bool drifted;
    } rows[] = {
        { TYPE("reserved", ""), false },
        { TYPE("reserved", ",\"karpenter.k8s.aws/capacity-reservation-id\":\"r9\""), false },
        { TYPE("on-demand", ""), false },
        { TYPE("spot", ""), false },
        { TYPE("other", ""), true },
        { ",\"node.kubernetes.io/instance-type\":\"t01\",\"topology.kubernetes.io/zone\":\"z9\",\"karpenter.sh/"
          "capacity-type\":\"reserved\"",
          true },
    };
    cluster *c = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        drifting(c, "", rows[i].labels, "", "");
        const char *got = drift_of(c, NULL);
        if (strcmp(got, rows[i].drifted ? "InstanceTypeNotFound" : "") != 0)
            fail_msg("%s: \"%s\"", rows[i].labels, got);
    }
}

/* Both conditions come and go by themselves. */
static void test_two_conditions(void **state)
{
    cluster *c = *state;
    karp_advice *a = NULL;
    drifting(c, KEY("In", "\"b\""), TYPE("spot", ",\"k\":\"a\""), "",
             IS("Initialized", "True", "2026-01-05T09:00:00Z"));
    assert_int_equal(karp_advise_conditions(c->snapshot, 0, NULL, 0, &a, &c->error), KARP_OK);
    expect_advice(
        a,
        "set claim Drifted=RequirementsDrifted; set claim Consolidatable=Consolidatable; again 2026-01-05T12:05:00Z");
    drifting(c, "", TYPE("spot", ",\"k\":\"a\""), "",
             IS("Initialized", "False", "2026-01-05T09:00:00Z") IS("Drifted", "True", "2026-01-05T09:00:00Z")
                 IS("Consolidatable", "True", "2026-01-05T09:00:00Z"));
    assert_int_equal(karp_advise_conditions(c->snapshot, 0, NULL, 0, &a, &c->error), KARP_OK);
    expect_advice(a, "clear claim Drifted; clear claim Consolidatable; again 2026-01-05T12:05:00Z");
}

/* ---- forceful ---------------------------------------------------------------------------------------------------- */

static void test_expiration_asks_nobody(void **state)
{
    cluster *c = *state;
    karp_advice *a = NULL;
    cluster_begin(c, 1, "");
    add_pool(c, "pool", "", ",\"budgets\":[{\"nodes\":\"0\"}]");
    add_node_with(c, "a", "pool", 1, "spot", "", ",\"expireAfter\":\"24h\"",
                  ",\"karpenter.sh/do-not-disrupt\":\"true\"");
    add_pod_with(c, "p", "a", "1", ",\"annotations\":{\"karpenter.sh/do-not-disrupt\":\"true\"}", "");
    add(c, ",{\"apiVersion\":\"policy/"
           "v1\",\"kind\":\"PodDisruptionBudget\",\"metadata\":{\"name\":\"b\",\"namespace\":\"default\"},\"spec\":{"
           "\"selector\":{},\"maxUnavailable\":0},"
           "\"status\":{\"disruptionsAllowed\":0}}");
    cluster_ready(c);
    assert_int_equal(karp_advise_expiration(c->snapshot, 0, &a, &c->error), KARP_OK);
    expect_advice(a, "delete claim-a=Expired");
}

#define SICK(status, since)                                                                                            \
    "\"conditions\":[{\"type\":\"Ready\",\"status\":\"" status "\",\"lastTransitionTime\":\"" since "\"}"

static void add_sick(cluster *c, const char *name, const char *pool, const char *annotations, const char *claim_spec,
                     const char *conditions)
{
    char metadata[300], labels[200], status[300];
    (void)snprintf(labels, sizeof labels, pool[0] != '\0' ? ",\"labels\":{\"karpenter.sh/nodepool\":\"%s\"}" : "%s",
                   pool);
    (void)snprintf(metadata, sizeof metadata, "%s,\"annotations\":{\"a\":\"b\"%s}", labels, annotations);
    (void)snprintf(status, sizeof status,
                   "\"providerID\":\"p-%s\",\"conditions\":[{\"type\":\"Registered\",\"status\":\"True\"}]", name);
    char claim[40];
    (void)snprintf(claim, sizeof claim, "claim-%s", name);
    add_claim(c, claim, metadata, claim_spec, status);
    (void)snprintf(metadata, sizeof metadata,
                   pool[0] != '\0' ? ",\"annotations\":{\"karpenter.sh/"
                                     "do-not-disrupt\":\"true\"},\"labels\":{\"karpenter.sh/nodepool\":\"%s\","
                                   : ",\"labels\":{%s",
                   pool);
    (void)snprintf(metadata + strlen(metadata), sizeof metadata - strlen(metadata),
                   "\"karpenter.sh/registered\":\"true\",\"karpenter.sh/initialized\":\"true\"}");
    add_bare_node(c, name, metadata, "", conditions);
}

static void repair(cluster *c, const char *expected)
{
    const int64_t minute = INT64_C(60000000000);
    const karp_repair_policy policies[] = { { text("Ready"), text("False"), 30 * minute },
                                            { text("Kernel"), text("Bad"), 10 * minute } };
    karp_advice *a = NULL;
    cluster_ready(c);
    assert_int_equal(karp_advise_repair(c->snapshot, 0, policies, 2, &a, &c->error), KARP_OK);
    expect_advice(a, expected);
}

#define STAMP "karpenter.sh/nodeclaim-termination-timestamp"

static void test_repair_rules(void **state)
{
    cluster *c = *state;
    const char *gate = "\"featureGates\":{\"NodeRepair\":true}";
    /* The earliest end among the conditions decides. */
    cluster_begin(c, 1, gate);
    add_sick(c, "a", "a", "", "",
             SICK("False", "2026-01-05T11:50:00Z") IS("Kernel", "Bad", "2026-01-05T11:55:00Z") "]");
    repair(c, "again 2026-01-05T12:05:00Z");
    cluster_begin(c, 1, gate);
    add_sick(c, "a", "a", "", "",
             SICK("False", "2026-01-05T11:31:00Z") IS("Kernel", "Good", "2026-01-05T11:00:00Z") "]");
    repair(c, "again 2026-01-05T12:01:00Z");
    /* The deadline is now, whatever grace period the claim has; one that is over is kept, a later one is not. Budgets
     * and do-not-disrupt are not asked. */
    cluster_begin(c, 1, gate);
    add_pool(c, "a", "", ",\"budgets\":[{\"nodes\":\"0\"}]");
    add_sick(c, "a", "a", "", ",\"terminationGracePeriod\":\"5h\"", SICK("False", "2026-01-05T11:00:00Z") "]");
    add_sick(c, "b", "b", ",\"" STAMP "\":\"2026-01-05T11:00:00Z\"", "", SICK("False", "2026-01-05T11:00:00Z") "]");
    add_sick(c, "c", "c", ",\"" STAMP "\":\"2026-01-05T13:00:00Z\"", "", SICK("False", "2026-01-05T11:00:00Z") "]");
    repair(c, "annotate claim-a " STAMP "=2026-01-05T12:00:00Z; delete claim-a=Unhealthy; delete claim-b=Unhealthy; "
              "annotate claim-c " STAMP "=2026-01-05T12:00:00Z; delete claim-c=Unhealthy");
    /* A fifth, rounded up: one of five, two of six; of all nodes for a claim without a pool. */
    for (int nodes = 5; nodes <= 6; nodes++) {
        for (int labelled = 0; labelled < 2; labelled++) {
            cluster_begin(c, 1, gate);
            for (int i = 0; i < nodes; i++) {
                char name[8];
                (void)snprintf(name, sizeof name, "n%d", i);
                add_sick(c, name, labelled ? "a" : "", "", "",
                         i < 2 ? SICK("False", "2026-01-05T11:00:00Z") "]" : SICK("True", "2026-01-05T11:00:00Z") "]");
            }
            repair(c, nodes == 5
                          ? "blocked n0=TooManyUnhealthy; blocked n1=TooManyUnhealthy; again 2026-01-05T12:05:00Z"
                          : "annotate claim-n0 " STAMP
                            "=2026-01-05T12:00:00Z; delete claim-n0=Unhealthy; annotate claim-n1 " STAMP
                            "=2026-01-05T12:00:00Z; delete claim-n1=Unhealthy");
        }
    }
}

/* Claims that are going do not count; none wanted is none left. */
static void test_static_scale(void **state)
{
    cluster *c = *state;
    karp_advice *a = NULL;
    cluster_begin(c, 1, "\"featureGates\":{\"StaticCapacity\":true}");
    add_pool(c, "even", ",\"replicas\":1", ALL);
    add_pool(c, "none", ",\"replicas\":0", ALL);
    add_node_with(c, "e1", "even", 1, "spot", "", "", "");
    add_claim(c, "e2",
              ",\"labels\":{\"karpenter.sh/nodepool\":\"even\"},\"deletionTimestamp\":\"2026-01-05T11:00:00Z\"", "",
              "\"providerID\":\"p-e2\"");
    add_node_with(c, "n1", "none", 1, "spot", "", "", "");
    add_node_with(c, "n2", "none", 1, "spot", "", "", ",\"karpenter.sh/do-not-disrupt\":\"true\"");
    cluster_ready(c);
    assert_int_equal(karp_advise_static_pools(c->snapshot, 0, &a, &c->error), KARP_OK);
    expect_advice(a, "delete claim-n1=ScaleDown; delete claim-n2=ScaleDown; again 2026-01-05T12:01:00Z");
}

/* A node that is marked counts as being deleted, not as pending disruption, although its claim has no deletion
 * timestamp: Karpenter marks the nodes of a command once their replacements are there. Only those, and nodes that
 * nobody replaces, are missing then. */
static void test_static_marked(void **state)
{
    cluster *c = *state;
    for (int replaced = 0; replaced < 2; replaced++) {
        karp_advice *a = NULL;
        cluster_begin(c, 1,
                      "\"featureGates\":{\"StaticCapacity\":true}},\"state\":{\"nodes\":[{\"name\":\"n1\","
                      "\"markedForDeletion\":true},{\"name\":\"n2\"}]");
        add_pool(c, "pool", ",\"replicas\":2", ALL);
        add_node(c, "n1", 1, "spot", DRIFTED("03"));
        add_node(c, "n2", 1, "spot", "");
        if (replaced) add_claim(c, "n3", ",\"labels\":{\"karpenter.sh/nodepool\":\"pool\"}", "", "\"conditions\":[]");
        cluster_ready(c);
        assert_int_equal(karp_advise_static_pools(c->snapshot, 0, &a, &c->error), KARP_OK);
        expect_advice(a, replaced ? "again 2026-01-05T12:01:00Z" : "create pool 1; again 2026-01-05T12:01:00Z");
    }
}

/* ---- initialisation ---------------------------------------------------------------------------------------------- */

static void initialising(cluster *c, const char *name, const char *conditions, const char *taints, const char *status)
{
    char claim[40], metadata[200], of_claim[300], spec[300];
    (void)snprintf(claim, sizeof claim, "claim-%s", name);
    (void)snprintf(of_claim, sizeof of_claim, "\"providerID\":\"p-%s\",\"conditions\":[%s]", name, conditions);
    add_claim(c, claim, "",
              ",\"startupTaints\":[{\"key\":\"start\",\"effect\":\"NoSchedule\"}],\"resources\":{\"requests\":{\"cpu\":"
              "\"1\",\"gpu\":\"1\",\"none\":\"0\"}}",
              of_claim);
    (void)snprintf(metadata, sizeof metadata, ",\"labels\":{\"karpenter.sh/registered\":\"true\"}");
    (void)snprintf(spec, sizeof spec, ",\"taints\":[{\"key\":\"own\",\"effect\":\"NoSchedule\"}%s]", taints);
    add_bare_node(c, name, metadata, spec, status);
}

#define READY(status) "\"conditions\":[{\"type\":\"Ready\",\"status\":\"" status "\"}]"
#define WHOLE ",\"allocatable\":{\"cpu\":\"2\",\"gpu\":\"1\"}"
#define TAINT(key, effect) ",{\"key\":\"" key "\",\"effect\":\"" effect "\"}"

static void test_initialization(void **state)
{
    cluster *c = *state;
    karp_advice *a = NULL;
    cluster_begin(c, 1, "");
    add_claim(c, "a-claim-first", "", "", "\"providerID\":\"p-a\",\"conditions\":[" UP "]");
    initialising(c, "a-fine", UP, "", READY("True") WHOLE);
    initialising(c, "b-not-ready", UP, "", READY("False") WHOLE);
    initialising(c, "c-silent", UP, "", "\"conditions\":[]" WHOLE);
    initialising(c, "d-starting", UP, TAINT("start", "NoSchedule"), READY("True") WHOLE);
    initialising(c, "e-other-effect", UP, TAINT("start", "NoExecute"), READY("True") WHOLE);
    initialising(c, "f-unreachable", UP, TAINT("node.kubernetes.io/unreachable", "NoSchedule"), READY("True") WHOLE);
    initialising(c, "g-readiness", UP, TAINT("readiness.k8s.io/net", "NoExecute"), READY("True") WHOLE);
    initialising(c, "h-no-gpu", UP, "", READY("True") ",\"allocatable\":{\"cpu\":\"2\"}");
    initialising(c, "i-zero-gpu", UP, "", READY("True") ",\"allocatable\":{\"cpu\":\"2\",\"gpu\":\"0\"}");
    initialising(c, "j-unregistered", "{\"type\":\"Registered\",\"status\":\"Unknown\"}", "", READY("True") WHOLE);
    initialising(c, "k-done", UP IS("Initialized", "True", "2026-01-05T09:00:00Z"), "", READY("False"));
    add_claim(c, "nodeless", "", "", "\"providerID\":\"p-x\",\"conditions\":[" UP "]");
    cluster_ready(c);
    assert_int_equal(karp_advise_initialization(c->snapshot, 0, &a, &c->error), KARP_OK);
    expect_advice(
        a, "set claim-a-fine Initialized=Initialized; blocked claim-b-not-ready Initialized=NodeNotReady; blocked "
           "claim-c-silent Initialized=NodeNotReady; "
           "blocked claim-d-starting Initialized=StartupTaintsExist; set claim-e-other-effect Initialized=Initialized; "
           "blocked claim-f-unreachable Initialized=KnownEphemeralTaintsExist; blocked claim-g-readiness "
           "Initialized=KnownEphemeralTaintsExist; "
           "blocked claim-h-no-gpu Initialized=ResourceNotRegistered; blocked claim-i-zero-gpu "
           "Initialized=ResourceNotRegistered");
    assert_int_equal(karp_advise_initialization(NULL, 0, &a, &c->error), KARP_E_INVALID);
}

/* ---- pod events -------------------------------------------------------------------------------------------------- */

/* What the pod "p" of node "a" was and is: JSON of its metadata with a comma in front, its node ("" = none), its phase;
 * NULL = not there. */
struct shown {
    const char *metadata, *node, *phase;
};

static void with_pod(cluster *c, struct shown p, const char *claim_status)
{
    cluster_begin(c, 1, "");
    add_pool(c, "pool", "", ALL);
    add_node_with(c, "a", "pool", 1, "spot", claim_status, "", "");
    if (p.metadata != NULL) {
        add(c,
            ",{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"default\"%s},"
            "\"spec\":{%s%s%s\"containers\":[]},\"status\":{\"phase\":\"%s\"}}",
            p.metadata, p.node[0] != '\0' ? "\"nodeName\":\"" : "", p.node, p.node[0] != '\0' ? "\"," : "", p.phase);
    }
    cluster_ready(c);
}

static void expect_event(struct shown was, struct shown is, bool event)
{
    static cluster before, after;
    karp_advice *a = NULL;
    with_pod(&before, was, "");
    with_pod(&after, is, "");
    assert_int_equal(karp_advise_pod_events(before.snapshot, after.snapshot, NULL, &a, &after.error), KARP_OK);
    expect_advice(a, event ? "pod-event claim-a 1767614400000000000" : "");
    cluster *both[] = { &before, &after };
    for (size_t i = 0; i < 2; i++) {
        void *one = both[i];
        assert_int_equal(cluster_tear_down(&one), 0);
        memset(one, 0, sizeof *both[i]);
    }
}

#define GOING ",\"deletionTimestamp\":\"2026-01-05T12:00:30Z\""

static void test_pod_events(void **state)
{
    cluster *c = *state;
    const struct shown absent = { NULL, "", "" }, waits = { "", "", "Pending" }, runs = { "", "a", "Running" },
                       ended = { "", "a", "Succeeded" }, going = { GOING, "a", "Running" },
                       ended_going = { GOING, "a", "Succeeded" }, daemon = { DAEMON, "a", "Running" },
                       first = { ",\"uid\":\"1\"", "a", "Running" }, second = { ",\"uid\":\"2\"", "a", "Running" };
    expect_event(absent, absent, false);
    expect_event(absent, runs, true); /* created with a node */
    expect_event(waits, runs, true);
    expect_event(runs, runs, false);
    expect_event(runs, ended, true);
    expect_event(runs, going, true);
    expect_event(going, going, false);
    expect_event(ended, ended, false);
    expect_event(ended, ended_going, true);
    expect_event(runs, absent, false);
    expect_event(absent, daemon, false);
    expect_event(first, second, true); /* another pod of the name */
    /* Not twice in ten seconds. */
    static const struct {
        const char *last;
        bool event;
    } rows[] = { { "2026-01-05T11:59:51Z", false }, { "2026-01-05T11:59:50Z", true } };
    for (size_t i = 0; i < 2; i++) {
        karp_advice *a = NULL;
        cluster_begin(c, 1, "");
        add_claim(c, "claim", "", "", "\"providerID\":\"p-a\"");
        c->length -= 2;
        add(c, ",\"lastPodEventTime\":\"%s\"}}", rows[i].last);
        add_bare_node(c, "a", ",\"labels\":{\"karpenter.sh/registered\":\"true\"}", "", "");
        add_pod(c, "p", "a", "1");
        cluster_ready(c);
        /* D-Q15: after a start every pod has just come. */
        assert_int_equal(karp_advise_pod_events(NULL, c->snapshot, NULL, &a, &c->error), KARP_OK);
        expect_advice(a, rows[i].event ? "pod-event claim 1767614400000000000" : "");
        c->options.flip_quirks = UINT64_C(1) << 14;
        assert_int_equal(karp_advise_pod_events(NULL, c->snapshot, &c->options, &a, &c->error), KARP_OK);
        expect_advice(a, "");
        c->common.profile = KARP_PROFILE_KARP;
        assert_int_equal(karp_advise_pod_events(NULL, c->snapshot, &c->options, &a, &c->error), KARP_OK);
        expect_advice(a, rows[i].event ? "pod-event claim 1767614400000000000" : "");
    }
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

#define LEAVING ",\"deletionTimestamp\":\"2026-01-05T11:59:00Z\""
#define OF_POOL ",\"labels\":{\"karpenter.sh/nodepool\":\"pool\"}"
#define REGISTERED "\"conditions\":[{\"type\":\"Registered\",\"status\":\"True\"}"

static void expect_end(cluster *c, const char *expected)
{
    const karp_str alive[] = { text("p-a"), text("p-b"), text("nobody's") };
    karp_advice *a = NULL;
    cluster_ready(c);
    assert_int_equal(karp_advise_termination(c->snapshot, 0, alive, 3, &a, &c->error), KARP_OK);
    expect_advice(a, expected);
}

static void test_termination(void **state)
{
    cluster *c = *state;
    /* A claim that is deleted: the deadline once, then its nodes. */
    cluster_begin(c, 1, "");
    add_claim(c, "a", LEAVING, ",\"terminationGracePeriod\":\"10m\"", "\"providerID\":\"p-a\"," REGISTERED "]");
    add_bare_node(c, "a", OF_POOL, "", READY("True"));
    expect_end(c, "annotate a " STAMP "=2026-01-05T12:09:00Z; delete-node a");
    cluster_begin(c, 1, "");
    add_claim(c, "a", LEAVING ",\"annotations\":{\"" STAMP "\":\"2026-01-05T11:59:30Z\"}",
              ",\"terminationGracePeriod\":\"10m\"", "\"providerID\":\"p-a\"," REGISTERED "]");
    add_bare_node(c, "a", OF_POOL LEAVING, "", READY("True"));
    expect_end(c, ""); /* the drain goes on */
    /* Its nodes are gone, or it never registered: the instance, then the finalizer. */
    cluster_begin(c, 1, "");
    add_claim(c, "a", LEAVING, "", "\"providerID\":\"p-a\"," REGISTERED "]");
    add_claim(c, "b", LEAVING, "",
              "\"providerID\":\"p-b\",\"conditions\":[{\"type\":\"Registered\",\"status\":\"Unknown\"}" IS(
                  "InstanceTerminating", "True", "2026-01-05T11:59:00Z") "]");
    add_bare_node(c, "b", OF_POOL, "", READY("False"));
    add_claim(c, "gone", LEAVING, "", "\"providerID\":\"p-gone\"," REGISTERED "]");
    add_claim(c, "unlaunched", LEAVING, "", "");
    add_claim(c, "stays", "", ",\"terminationGracePeriod\":\"10m\"", "\"providerID\":\"p-stays\"," REGISTERED "]");
    expect_end(c, "delete-instance a; set a InstanceTerminating=InstanceTerminating; delete-instance b; finalizer gone "
                  "karpenter.sh/termination; "
                  "finalizer unlaunched karpenter.sh/termination; again 2026-01-05T12:00:05Z");
    /* A node that is deleted takes its claim along, if it has one; without its instance it is not drained, unless it is
     * ready. */
    cluster_begin(c, 1, "");
    add_claim(c, "claim-a", "", "", "\"providerID\":\"p-a\"," REGISTERED "]");
    add_bare_node(c, "a", OF_POOL LEAVING, "", READY("False"));
    add_claim(c, "twin-1", "", "", "\"providerID\":\"p-twin\"," REGISTERED "]");
    add_claim(c, "twin-2", "", "", "\"providerID\":\"p-twin\"," REGISTERED "]");
    add_bare_node(c, "twin", OF_POOL LEAVING, "", READY("True"));
    add_bare_node(c, "lost", OF_POOL LEAVING, "", READY("Unknown"));
    add_bare_node(c, "foreign", LEAVING, "", READY("Unknown"));
    expect_end(c, "delete claim-a=NodeDeleted; finalizer lost karpenter.sh/termination=InstanceGone");
}

static void detaching(cluster *c, const char *deadline, const char *tolerations)
{
    cluster_begin(c, 1, "");
    add_claim(c, "claim", deadline, "", "\"providerID\":\"p-n\"," REGISTERED "]");
    add_bare_node(c, "n", ",\"labels\":{\"karpenter.sh/registered\":\"true\"}" LEAVING, "", "");
    add(c, ",{\"apiVersion\":\"v1\",\"kind\":\"PersistentVolumeClaim\",\"metadata\":{\"name\":\"data\",\"namespace\":"
           "\"default\"},\"spec\":{\"volumeName\":\"pv-1\"}}");
    add(c,
        ",{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"default\"},\"spec\":{"
        "\"nodeName\":\"n\",\"containers\":[],\"volumes\":[{\"name\":\"v\","
        "\"persistentVolumeClaim\":{\"claimName\":\"data\"}}]%s},\"status\":{\"phase\":\"Running\"}}",
        tolerations);
    cluster_ready(c);
}

static void expect_detachment(cluster *c, const char *volume, bool finished, const char *expected)
{
    const karp_str volumes[] = { text(volume), text("") };
    karp_advice *a = NULL;
    assert_int_equal(karp_advise_detachment(c->snapshot, text("n"), 0, volumes, 2, &a, &c->error), KARP_OK);
    assert_int_equal(karp_advice_finished(a), finished);
    expect_advice(a, expected);
}

#define UNTIL(time) ",\"annotations\":{\"" STAMP "\":\"" time "\"}"

static void test_detachment(void **state)
{
    cluster *c = *state;
    karp_advice *a = NULL;
    const char *stays = ",\"tolerations\":[{\"operator\":\"Exists\"}]";
    detaching(c, "", "");
    expect_detachment(c, "pv-1", false, "again 2026-01-05T12:00:01Z");
    expect_detachment(c, "", true, "set claim VolumesDetached=VolumesDetached");
    assert_int_equal(karp_advise_detachment(c->snapshot, text("m"), 0, NULL, 0, &a, &c->error), KARP_E_NOT_FOUND);
    assert_int_equal(karp_advise_detachment(c->snapshot, text("n"), 0, NULL, 1, &a, &c->error), KARP_E_INVALID);
    detaching(c, "", stays); /* it will never be detached */
    expect_detachment(c, "pv-1", true, "set claim VolumesDetached=VolumesDetached");
    expect_detachment(c, "pv-2", false, "again 2026-01-05T12:00:01Z");
    detaching(c, UNTIL("2026-01-05T12:00:00Z"), "");
    expect_detachment(c, "pv-1", false, "again 2026-01-05T12:00:01Z");
    detaching(c, UNTIL("2026-01-05T11:59:59Z"), "");
    expect_detachment(c, "pv-1", true, "");
}

/* Pods that have ended hold nobody up. */
static void test_drain_ended(void **state)
{
    cluster *c = *state;
    karp_advice *a = NULL;
    cluster_begin(c, 1, "");
    add_bare_node(c, "n", LEAVING, "", "");
    add(c, ",{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"default\"},\"spec\":{"
           "\"nodeName\":\"n\",\"containers\":[]},\"status\":{\"phase\":\"Failed\"}}");
    add_pod_with(
        c, "q", "n", "1", "",
        ",\"tolerations\":[{\"key\":\"karpenter.sh/disrupted\",\"operator\":\"Equal\",\"effect\":\"NoSchedule\"}]");
    cluster_ready(c);
    assert_int_equal(karp_advise_drain(c->snapshot, text("n"), 0, &a, &c->error), KARP_OK);
    assert_int_equal(karp_advice_finished(a), 1);
    expect_advice(a, "");
}

#define WHOLE_NODE                                                                                                     \
    ",\"labels\":{\"karpenter.sh/nodepool\":\"pool\",\"karpenter.sh/registered\":\"true\",\"karpenter.sh/"             \
    "initialized\":\"true\"}"

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static karp_status advice_number(const cluster *c, int which, karp_advice **out)
{
    const karp_str name = { "p-n", 3 };
    switch (which) {
    case 0: return karp_advise_initialization(c->snapshot, 0, out, NULL);
    case 1: return karp_advise_pod_events(NULL, c->snapshot, NULL, out, NULL);
    case 2: return karp_advise_termination(c->snapshot, 0, &name, 1, out, NULL);
    default: return karp_advise_detachment(c->snapshot, (karp_str){ "n", 1 }, 0, &name, 1, out, NULL);
    }
}

static void test_memory(void **state)
{
    cluster *c = *state;
    cluster_begin(c, 1, "");
    add_claim(c, "claim", LEAVING, ",\"terminationGracePeriod\":\"10m\"", "\"providerID\":\"p-n\"," REGISTERED "]");
    add_bare_node(c, "n", WHOLE_NODE, "", READY("True"));
    add_claim(c, "fresh", "", "", "\"providerID\":\"p-m\"," REGISTERED "]");
    add_bare_node(c, "m", WHOLE_NODE, "", READY("True"));
    add_pod(c, "p", "n", "1");
    cluster_ready(c);
    for (int which = 0; which < 4; which++) {
        for (size_t n = 1;; n++) {
            size_t blocks = c->fault.live_blocks;
            karp_advice *a = NULL;
            fault_arm(&c->fault, n, n % 2 == 0);
            karp_status status = advice_number(c, which, &a);
            bool refused = c->fault.refused > 0;
            fault_arm(&c->fault, 0, false);
            if (status == KARP_OK) karp_advice_free(a);
            else assert_int_equal(status, KARP_E_NOMEM);
            assert_int_equal(c->fault.live_blocks, blocks);
            if (!refused) break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requirement_drift), cmocka_unit_test(test_drift_order),
        cmocka_unit_test(test_reserved_types),    cmocka_unit_test(test_two_conditions),
        cmocka_unit_test(test_repair_rules),      cmocka_unit_test(test_expiration_asks_nobody),
        cmocka_unit_test(test_static_scale),      cmocka_unit_test(test_static_marked),
        cmocka_unit_test(test_initialization),    cmocka_unit_test(test_pod_events),
        cmocka_unit_test(test_termination),       cmocka_unit_test(test_detachment),
        cmocka_unit_test(test_drain_ended),       cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, cluster_set_up, cluster_tear_down);
}
