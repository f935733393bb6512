/* SPDX-License-Identifier: Apache-2.0 */
/* Advice on nodes outside a pass: conditions, ages, repair, garbage, static pools, interruptions, hashes. */
#include <support/advising.h>

#include <karp/inspect.h>

#define ALL ",\"budgets\":[{\"nodes\":\"100%\"}]"
#define IS(type, status, since)                                                                                        \
    ",{\"type\":\"" type "\",\"status\":\"" status "\",\"reason\":\"" type "\",\"lastTransitionTime\":\"" since "\"}"

static karp_str text(const char *t) { return (karp_str){ t, strlen(t) }; }

static void add_claim_of(cluster *c, const char *creation, const char *name, const char *metadata, const char *spec,
                         const char *status)
{
    add(c,
        ",{\"apiVersion\":\"karpenter.sh/"
        "v1\",\"kind\":\"NodeClaim\",\"metadata\":{\"name\":\"%s\",\"creationTimestamp\":\"%s\"%s},"
        "\"spec\":{\"nodeClassRef\":{\"group\":\"g\",\"kind\":\"k\",\"name\":\"n\"},\"requirements\":[]%s},\"status\":{"
        "%s}}",
        name, creation, metadata, spec, status);
}

/* A claim alone, whatever its conditions. */
static void add_claim(cluster *c, const char *name, const char *metadata, const char *spec, const char *status)
{
    add_claim_of(c, "2026-01-05T08:00:00Z", name, metadata, spec, status);
}

static void test_meanings(void **state)
{
    (void)state;
    karp_action_meaning m = { .size = sizeof m };
    for (uint32_t kind = 1; kind <= KARP_ACTION_REBOOT_INSTANCE; kind++)
        assert_int_equal(karp_action_describe(kind, &m), KARP_OK);
    assert_string_equal(m.name, "REBOOT_INSTANCE");
    assert_int_equal(m.subject, KARP_MEANS_BOOT_ID);
    assert_int_equal(karp_action_describe(0, &m), KARP_E_NOT_FOUND);
    assert_int_equal(karp_action_describe(KARP_ACTION_REBOOT_INSTANCE + 1, &m), KARP_E_NOT_FOUND);
}

/* ---- ages -------------------------------------------------------------------------------------------------------- */

static void test_expiration(void **state)
{
    cluster *c = *state;
    karp_advice *a = NULL;
    cluster_begin(c, 1, "");
    add_claim(c, "exact", "", ",\"expireAfter\":\"4h\"", "");
    add_claim(c, "never", "", ",\"expireAfter\":\"Never\"", "");
    add_claim(c, "old", "", ",\"expireAfter\":\"1h\"", "");
    add_claim(c, "leaving", ",\"deletionTimestamp\":\"2026-01-05T09:00:00Z\"", ",\"expireAfter\":\"1h\"", "");
    add_claim(c, "soon", "", ",\"expireAfter\":\"5h\"", "");
    add_claim(c, "young", "", ",\"expireAfter\":\"6h\"", "");
    cluster_ready(c);
    assert_int_equal(karp_advise_expiration(c->snapshot, 0, &a, &c->error), KARP_OK);
    expect_advice(a, "delete exact=Expired; delete old=Expired; again 2026-01-05T13:00:00Z");
    int64_t now;
    assert_int_equal(karp_time_parse(text("2026-01-05T13:30:00Z"), &now), KARP_OK);
    assert_int_equal(karp_advise_expiration(c->snapshot, now, &a, &c->error), KARP_OK);
    expect_advice(a, "delete exact=Expired; delete old=Expired; delete soon=Expired; again 2026-01-05T14:00:00Z");
    assert_int_equal(karp_advise_expiration(NULL, 0, &a, &c->error), KARP_E_INVALID);
}

/* Instants before 1970 are below 0. */
static void test_expiration_of_the_ancient(void **state)
{
    cluster *c = *state;
    karp_advice *a = NULL;
    cluster_begin(c, 1, "");
    add_claim_of(c, "1960-01-01T00:00:00Z", "ancient", "", ",\"expireAfter\":\"720h\"", "");
    add_claim_of(c, "1960-01-01T00:00:00Z", "kept", "", ",\"expireAfter\":\"876000h\"", "");
    cluster_ready(c);
    assert_int_equal(karp_advise_expiration(c->snapshot, 0, &a, &c->error), KARP_OK);
    expect_advice(a, "delete ancient=Expired; again 2059-12-07T00:00:00Z");
}

static void test_timeouts(void **state)
{
    cluster *c = *state;
    karp_advice *a = NULL;
    cluster_begin(c, 1, "");
    add_claim(c, "a", "", "",
              "\"conditions\":[{\"type\":\"x\",\"status\":\"True\",\"lastTransitionTime\":\"2026-01-05T08:00:00Z\"}" IS(
                  "Launched", "Unknown", "2026-01-05T11:55:00Z") "]");
    add_claim(c, "b", "", "",
              "\"conditions\":[{\"type\":\"x\",\"status\":\"True\",\"lastTransitionTime\":\"2026-01-05T08:00:00Z\"}" IS(
                  "Launched", "Unknown", "2026-01-05T11:55:01Z") "]");
    add_claim(c, "c", "", "",
              "\"conditions\":[{\"type\":\"Launched\",\"status\":\"True\",\"lastTransitionTime\":\"2026-01-05T08:00:"
              "00Z\"}" IS("Registered", "Unknown", "2026-01-05T11:45:00Z") "]");
    add_claim(c, "d", "", "",
              "\"conditions\":[{\"type\":\"Launched\",\"status\":\"True\",\"lastTransitionTime\":\"2026-01-05T08:00:"
              "00Z\"}" IS("Registered", "Unknown", "2026-01-05T11:50:00Z") "]");
    add_claim(c, "e", "", "",
              "\"conditions\":[{\"type\":\"Launched\",\"status\":\"True\",\"lastTransitionTime\":\"2026-01-05T08:00:"
              "00Z\"}" IS("Registered", "True", "2026-01-05T08:50:00Z") "]");
    add_claim(c, "f", "", "", "");
    cluster_ready(c);
    assert_int_equal(karp_advise_timeouts(c->snapshot, 0, &a, &c->error), KARP_OK);
    expect_advice(
        a, "delete a=LaunchTimeout; delete c=RegistrationTimeout; delete f=LaunchTimeout; again 2026-01-05T12:00:01Z");
}

/* ---- conditions -------------------------------------------------------------------------------------------------- */

#define STAMPS(hash, version)                                                                                          \
    ",\"annotations\":{\"karpenter.sh/nodepool-hash\":\"" hash "\",\"karpenter.sh/nodepool-hash-version\":\"" version  \
    "\"}"
#define LIVE                                                                                                           \
    "\"conditions\":[{\"type\":\"Launched\",\"status\":\"True\",\"lastTransitionTime\":\"2026-01-05T08:00:00Z\"}" IS(  \
        "Initialized", "True", "2026-01-05T11:59:00Z")

static void add_stamped_pool(cluster *c, const char *name, const char *disruption)
{
    add(c,
        ",{\"apiVersion\":\"karpenter.sh/v1\",\"kind\":\"NodePool\",\"metadata\":{\"name\":\"%s\"" STAMPS(
            "1", "v3") "},\"spec\":{\"template\":{\"spec\":{"
                       "\"nodeClassRef\":{\"group\":\"g\",\"kind\":\"k\",\"name\":\"n\"},\"requirements\":[{\"key\":"
                       "\"tier\",\"operator\":\"In\",\"values\":[\"a\",\"b\"]},"
                       "{\"key\":\"old\",\"operator\":\"DoesNotExist\"}]}},\"disruption\":{%s}}}",
        name, disruption);
}

static void add_of_pool(cluster *c, const char *name, const char *pool, const char *labels, const char *stamps,
                        const char *status)
{
    char metadata[700];
    (void)snprintf(metadata, sizeof metadata,
                   ",\"labels\":{\"karpenter.sh/nodepool\":\"%s\",\"topology.kubernetes.io/zone\":\"z1\"%s}%s", pool,
                   labels, stamps);
    add_claim(c, name, metadata, "", status);
}

#define FINE ",\"tier\":\"a\",\"node.kubernetes.io/instance-type\":\"t01\",\"karpenter.sh/capacity-type\":\"spot\""

static void test_drifted(void **state)
{
    cluster *c = *state;
    karp_advice *a = NULL;
    cluster_begin(c, 1, "");
    add_stamped_pool(c, "never", "\"consolidateAfter\":\"Never\"");
    add_of_pool(c, "fine", "never", FINE, STAMPS("1", "v3"), LIVE IS("Drifted", "True", "2026-01-05T11:00:00Z") "]");
    add_of_pool(c, "hash", "never", FINE, STAMPS("2", "v3"), LIVE "]");
    add_of_pool(c, "hash-known", "never", FINE, STAMPS("2", "v3"),
                LIVE ",{\"type\":\"Drifted\",\"status\":\"True\",\"reason\":\"NodePoolDrifted\"}]");
    add_of_pool(c, "version", "never", FINE, STAMPS("2", "v2"), LIVE "]");
    add_of_pool(c, "bare", "never", FINE, "", LIVE "]");
    add_of_pool(c, "tierless", "never",
                ",\"node.kubernetes.io/instance-type\":\"t01\",\"karpenter.sh/capacity-type\":\"spot\"", "", LIVE "]");
    add_of_pool(c, "wrong-tier", "never",
                ",\"tier\":\"c\",\"node.kubernetes.io/instance-type\":\"t01\",\"karpenter.sh/capacity-type\":\"spot\"",
                "", LIVE "]");
    add_of_pool(c, "has-old", "never", FINE ",\"old\":\"x\"", "", LIVE "]");
    add_of_pool(c, "type-gone", "never", ",\"tier\":\"b\",\"node.kubernetes.io/instance-type\":\"t99\"", "", LIVE "]");
    add_of_pool(c, "type-seen", "never", ",\"tier\":\"b\",\"node.kubernetes.io/instance-type\":\"t99\"", "", LIVE "]");
    add_of_pool(c, "offering-gone", "never",
                ",\"tier\":\"b\",\"node.kubernetes.io/instance-type\":\"t01\",\"karpenter.sh/capacity-type\":\"other\"",
                "", LIVE "]");
    add_of_pool(
        c, "reserved", "never",
        ",\"tier\":\"b\",\"node.kubernetes.io/instance-type\":\"t01\",\"karpenter.sh/capacity-type\":\"reserved\"", "",
        LIVE "]");
    add_of_pool(c, "provider", "never", FINE, "", LIVE "]");
    add_of_pool(c, "vanished", "never", FINE, "", LIVE IS("Drifted", "True", "2026-01-05T11:00:00Z") "]");
    add_of_pool(c, "unlaunched", "never", FINE, STAMPS("2", "v3"),
                "\"conditions\":[{\"type\":\"Launched\",\"status\":\"False\"}" IS("Drifted", "True",
                                                                                  "2026-01-05T11:00:00Z") "]");
    add_of_pool(c, "homeless", "gone", FINE, STAMPS("2", "v3"), LIVE "]");
    cluster_ready(c);
    const karp_drift_answer answers[] = { { text("provider"), text("AMIDrift"), 1, 0 },
                                          { text("vanished"), text(""), 0, 0 },
                                          { text("type-seen"), text(""), 1, 1 } };
    assert_int_equal(karp_advise_conditions(c->snapshot, 0, answers, 3, &a, &c->error), KARP_OK);
    /* Whose types were found: what drifted for another reason was not looked at, nor what was found before. */
    static const char *const found[] = { "bare", "fine", "provider", "reserved", "vanished", "version" };
    assert_int_equal(karp_advice_found_count(a), sizeof found / sizeof *found);
    for (size_t k = 0; k < sizeof found / sizeof *found; k++)
        assert_string_equal(karp_advice_found(a, k).ptr, found[k]);
    assert_null(karp_advice_found(a, karp_advice_found_count(a)).ptr);
    expect_advice(a, "clear fine Drifted; set has-old Drifted=RequirementsDrifted; set hash Drifted=NodePoolDrifted; "
                     "set offering-gone Drifted=InstanceTypeNotFound; "
                     "set provider Drifted=AMIDrift; set tierless Drifted=RequirementsDrifted; set type-gone "
                     "Drifted=InstanceTypeNotFound; clear unlaunched Drifted; "
                     "set wrong-tier Drifted=RequirementsDrifted; again 2026-01-05T12:05:00Z");
    /* Young claims' types are not looked at. */
    int64_t now;
    assert_int_equal(karp_time_parse(text("2026-01-05T09:00:00Z"), &now), KARP_OK);
    assert_int_equal(karp_advise_conditions(c->snapshot, now, answers, 3, &a, &c->error), KARP_OK);
    expect_advice(a, "clear fine Drifted; set has-old Drifted=RequirementsDrifted; set hash Drifted=NodePoolDrifted; "
                     "set provider Drifted=AMIDrift; "
                     "set tierless Drifted=RequirementsDrifted; clear unlaunched Drifted; set wrong-tier "
                     "Drifted=RequirementsDrifted; again 2026-01-05T09:05:00Z");
}

static void test_consolidatable(void **state)
{
    cluster *c = *state;
    karp_advice *a = NULL;
    const char *was = LIVE IS("Consolidatable", "True", "2026-01-05T11:00:00Z") "]";
    cluster_begin(c, 1, "");
    add_stamped_pool(c, "at-once", "\"consolidateAfter\":\"0s\"");
    add_stamped_pool(c, "minute", "\"consolidateAfter\":\"1m\"");
    add_stamped_pool(c, "never", "\"consolidateAfter\":\"Never\"");
    add(c, ",{\"apiVersion\":\"karpenter.sh/"
           "v1\",\"kind\":\"NodePool\",\"metadata\":{\"name\":\"static\"},\"spec\":{\"replicas\":1,\"template\":{"
           "\"spec\":{"
           "\"nodeClassRef\":{\"group\":\"g\",\"kind\":\"k\",\"name\":\"n\"},\"requirements\":[]}},\"disruption\":{"
           "\"consolidateAfter\":\"0s\"}}}");
    add_of_pool(c, "a", "at-once", FINE, "", LIVE "]");
    add_of_pool(c, "b", "minute", FINE, "", LIVE "]"); /* initialised a minute ago: over */
    add_of_pool(c, "c", "minute", FINE, "", LIVE "],\"lastPodEventTime\":\"2026-01-05T11:59:30Z\"");
    char recent[700];
    (void)snprintf(recent, sizeof recent, "%s,\"lastPodEventTime\":\"2026-01-05T11:59:10Z\"", was);
    add_of_pool(c, "d", "minute", FINE, "", recent);
    add_of_pool(c, "e", "never", FINE, "", was);
    add_of_pool(c, "f", "at-once", FINE, "",
                "\"conditions\":[{\"type\":\"Launched\",\"status\":\"True\"}" IS("Consolidatable", "True",
                                                                                 "2026-01-05T11:00:00Z") "]");
    add_of_pool(c, "g", "static", FINE, "", LIVE "]");
    cluster_ready(c);
    assert_int_equal(karp_advise_conditions(c->snapshot, 0, NULL, 5, &a, &c->error), KARP_OK);
    expect_advice(a, "set a Consolidatable=Consolidatable; set b Consolidatable=Consolidatable; clear d "
                     "Consolidatable; clear e Consolidatable; "
                     "clear f Consolidatable; again 2026-01-05T12:00:10Z");
}

/* ---- hashes ------------------------------------------------------------------------------------------------------ */

static void test_hashes(void **state)
{
    static const struct {
        const char *template_, *spec;
        uint64_t hash;
    } rows[] = {
        { "", ",\"expireAfter\":\"720h\"", UINT64_C(6821555240594823858) },
        { "", ",\"expireAfter\":\"43200m\"", UINT64_C(6821555240594823858) },
        { "", ",\"expireAfter\":\"Never\"", UINT64_C(17369979337536258260) },
        { "\"metadata\":{\"labels\":{\"a\":\"b\"}},", ",\"expireAfter\":\"720h\"", UINT64_C(11962592403282335759) },
        { "\"metadata\":{\"labels\":{}},", ",\"expireAfter\":\"720h\"", UINT64_C(1287117484082965808) }, /* D-Q24 */
        { "\"metadata\":{},", ",\"expireAfter\":\"720h\"", UINT64_C(6821555240594823858) },
        { "\"metadata\":{\"annotations\":{\"a\":\"b\"}},", ",\"expireAfter\":\"720h\"", UINT64_C(4269314868079315848) },
        { "", ",\"expireAfter\":\"720h\",\"taints\":[{\"key\":\"a\",\"effect\":\"NoSchedule\"}]",
          UINT64_C(8919242258545757417) },
        { "", ",\"expireAfter\":\"720h\",\"startupTaints\":[{\"key\":\"a\",\"effect\":\"NoSchedule\"}]",
          UINT64_C(7486790991185812591) },
        { "", ",\"expireAfter\":\"720h\",\"terminationGracePeriod\":\"0s\"", UINT64_C(10356118934572431967) },
        { "", ",\"expireAfter\":\"720h\",\"terminationGracePeriod\":\"1h\"", UINT64_C(14948894070871102041) },
    };
    cluster *c = *state;
    uint64_t hash = 0;
    cluster_begin(c, 1, "");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        add(c,
            ",{\"apiVersion\":\"karpenter.sh/"
            "v1\",\"kind\":\"NodePool\",\"metadata\":{\"name\":\"p%zu\"},\"spec\":{\"weight\":%zu,\"template\":{%"
            "s\"spec\":{\"nodeClassRef\":"
            "{\"group\":\"karpenter.k8s.aws\",\"kind\":\"EC2NodeClass\",\"name\":\"default\"},\"requirements\":[{"
            "\"key\":\"x\",\"operator\":\"Exists\"}]%s}}}}",
            i, i + 1, rows[i].template_, rows[i].spec);
    }
    cluster_ready(c);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "p%zu", i);
        assert_int_equal(karp_node_pool_hash(c->snapshot, text(name), &hash), KARP_OK);
        if (hash != rows[i].hash) fail_msg("%s: %llu", rows[i].spec, (unsigned long long)hash);
    }
    assert_int_equal(karp_node_pool_hash(c->snapshot, text("p99"), &hash), KARP_E_NOT_FOUND);
    assert_int_equal(karp_node_pool_hash(NULL, text("p1"), &hash), KARP_E_INVALID);
}

static void test_stamps(void **state)
{
    cluster *c = *state;
    karp_advice *a = NULL;
    cluster_begin(c, 1, "");
    add(c, ",{\"apiVersion\":\"karpenter.sh/v1\",\"kind\":\"NodePool\",\"metadata\":{\"name\":\"old\"" STAMPS(
               "1", "v2") "},\"spec\":{\"template\":{\"spec\":{"
                          "\"nodeClassRef\":{\"group\":\"karpenter.test.sh\",\"kind\":\"TestNodeClass\",\"name\":"
                          "\"default\"},\"requirements\":[],\"expireAfter\":\"Never\"}}}}");
    add(c,
        ",{\"apiVersion\":\"karpenter.sh/v1\",\"kind\":\"NodePool\",\"metadata\":{\"name\":\"new\"" STAMPS(
            "5568174970230275839", "v3") "},\"spec\":{\"template\":{\"spec\":{"
                                         "\"nodeClassRef\":{\"group\":\"karpenter.test.sh\",\"kind\":\"TestNodeClass\","
                                         "\"name\":\"default\"},\"requirements\":[],\"expireAfter\":\"Never\"}}}}");
    add_of_pool(c, "claim", "old", "", STAMPS("1", "v2"), "");
    add_of_pool(c, "current", "old", "", STAMPS("1", "v3"), "");
    add_of_pool(c, "drifted", "old", "", STAMPS("1", "v2"),
                "\"conditions\":[{\"type\":\"Drifted\",\"status\":\"True\"}]");
    add_of_pool(c, "elsewhere", "new", "", STAMPS("1", "v2"), "");
    cluster_ready(c);
    assert_int_equal(karp_advise_hashes(c->snapshot, &a, &c->error), KARP_OK);
    expect_advice(a, "annotate claim karpenter.sh/nodepool-hash-version=v3; annotate claim "
                     "karpenter.sh/nodepool-hash=5568174970230275839; "
                     "annotate drifted karpenter.sh/nodepool-hash-version=v3; annotate-pool old "
                     "karpenter.sh/nodepool-hash=5568174970230275839; "
                     "annotate-pool old karpenter.sh/nodepool-hash-version=v3");
}

/* ---- repair and garbage ------------------------------------------------------------------------------------------ */

static void add_sick_node(cluster *c, const char *name, const char *pool, const char *status, const char *since)
{
    add(c,
        ",{\"apiVersion\":\"karpenter.sh/"
        "v1\",\"kind\":\"NodeClaim\",\"metadata\":{\"name\":\"claim-%s\",\"labels\":{\"karpenter.sh/"
        "nodepool\":\"%s\"}},\"spec\":{},"
        "\"status\":{\"providerID\":\"p-%s\",\"conditions\":[{\"type\":\"Registered\",\"status\":\"True\"}]}}",
        name, pool, name);
    add(c,
        ",{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"%s\",\"labels\":{\"karpenter.sh/"
        "nodepool\":\"%s\",\"karpenter.sh/registered\":\"true\","
        "\"karpenter.sh/initialized\":\"true\"}},\"spec\":{\"providerID\":\"p-%s\",\"taints\":[{\"key\":\"karpenter.sh/"
        "disrupted\",\"effect\":\"NoSchedule\"}]},"
        "\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"%s\",\"lastTransitionTime\":\"%s\"}]}}",
        name, pool, name, status, since);
}

static void test_repair(void **state)
{
    cluster *c = *state;
    karp_advice *a = NULL;
    const int64_t minute = INT64_C(60000000000);
    const karp_repair_policy policies[] = { { text("Ready"), text("False"), 30 * minute },
                                            { text("Ready"), text("Unknown"), 10 * minute } };
    for (int on = 0; on < 2; on++) {
        cluster_begin(c, 1, on ? "\"featureGates\":{\"NodeRepair\":true}" : "");
        add_sick_node(c, "a1", "a", "False", "2026-01-05T11:30:00Z");
        add_sick_node(c, "b1", "b", "False", "2026-01-05T11:30:00Z");
        add_sick_node(c, "b2", "b", "Unknown", "2026-01-05T11:55:00Z");
        add_sick_node(c, "b3", "b", "True", "2026-01-05T11:00:00Z");
        add_sick_node(c, "c1", "c", "False", "2026-01-05T11:30:01Z");
        cluster_ready(c);
        assert_int_equal(karp_advise_repair(c->snapshot, 0, policies, 2, &a, &c->error), KARP_OK);
        expect_advice(a, on ? "blocked b1=TooManyUnhealthy; annotate claim-a1 "
                              "karpenter.sh/nodeclaim-termination-timestamp=2026-01-05T12:00:00Z; "
                              "delete claim-a1=Unhealthy; again 2026-01-05T12:00:01Z"
                            : "");
    }
    assert_int_equal(karp_advise_repair(c->snapshot, 0, NULL, 2, &a, &c->error), KARP_OK);
    expect_advice(a, "");
}

static void test_garbage(void **state)
{
    cluster *c = *state;
    karp_advice *a = NULL;
    const karp_str alive[] = { text("p-a"), text("nobody's") };
    cluster_begin(c, 1, "");
    add_sick_node(c, "a", "x", "False", "2026-01-05T11:30:00Z");
    add_sick_node(c, "b", "x", "False", "2026-01-05T11:30:00Z");
    add_sick_node(c, "c", "x", "True", "2026-01-05T11:30:00Z");
    add_claim(c, "nodeless", "", "",
              "\"providerID\":\"p-gone\",\"conditions\":[{\"type\":\"Registered\",\"status\":\"True\"}]");
    add_claim(c, "unregistered", "", "", "\"providerID\":\"p-none\"");
    cluster_ready(c);
    assert_int_equal(karp_advise_garbage(c->snapshot, 0, alive, 2, &a, &c->error), KARP_OK);
    expect_advice(a, "delete claim-b=InstanceGone; delete nodeless=InstanceGone; again 2026-01-05T12:02:00Z");
    /* The taint stays on nodes of running commands. */
    const karp_str busy[] = { text("b") };
    assert_int_equal(karp_advise_cleanup(c->snapshot, busy, 1, &a, &c->error), KARP_OK);
    expect_advice(a, "untaint a karpenter.sh/disrupted; untaint c karpenter.sh/disrupted");
}

/* ---- static pools ------------------------------------------------------------------------------------------------ */

static void test_static_pools(void **state)
{
    cluster *c = *state;
    karp_advice *a = NULL;
    cluster_begin(c, 2, "\"featureGates\":{\"StaticCapacity\":true}");
    add_pool(c, "up", ",\"replicas\":5,\"limits\":{\"nodes\":\"4\"}", ALL);
    add_pool(c, "down", ",\"replicas\":1", ALL);
    add_pool(c, "even", ",\"replicas\":0", ALL);
    add_pool(c, "pool", "", ALL);
    add_node_with(c, "u1", "up", 1, "spot", "", "", "");
    add_claim(c, "waits", ",\"labels\":{\"karpenter.sh/nodepool\":\"down\"}", "", "");
    add_node_with(c, "d1-used", "down", 1, "spot", "", "", "");
    add_node_with(c, "d2-empty", "down", 1, "spot", "", "", "");
    add_node_with(c, "d3-busy", "down", 1, "spot", "", "", "");
    add_node_with(c, "d4-daemon", "down", 1, "spot", "", "", "");
    add_node_with(c, "d5-guarded", "down", 1, "spot", "", "", "");
    add_pod(c, "one", "d1-used", "1");
    add_pod(c, "two", "d3-busy", "1");
    add_pod(c, "three", "d3-busy", "500m");
    add_pod_with(c, "four", "d4-daemon", "1",
                 ",\"ownerReferences\":[{\"apiVersion\":\"apps/"
                 "v1\",\"kind\":\"DaemonSet\",\"name\":\"d\",\"uid\":\"u\",\"controller\":true}]",
                 "");
    add_pod_with(c, "five", "d5-guarded", "1", ",\"annotations\":{\"karpenter.sh/do-not-disrupt\":\"true\"}", "");
    cluster_ready(c);
    assert_int_equal(karp_advise_static_pools(c->snapshot, 0, &a, &c->error), KARP_OK);
    expect_advice(a, "delete claim-d1-used=ScaleDown; delete claim-d2-empty=ScaleDown; delete claim-d3-busy=ScaleDown; "
                     "delete claim-d4-daemon=ScaleDown; "
                     "create up 3; delete waits=ScaleDown; again 2026-01-05T12:00:30Z");
    /* The same as a decision. The three as launches: without pods, types and requests, at the cheapest offering of all.
     */
    karp_decision *launches = NULL;
    assert_int_equal(karp_launch_static_pools(c->snapshot, NULL, &launches, &c->error), KARP_OK);
    assert_int_equal(karp_decision_launch_count(launches), 3);
    double each = 0;
    for (size_t i = 0; i < 3; i++) {
        karp_launch l = { .size = sizeof l };
        assert_int_equal(karp_decision_launch(launches, i, &l), KARP_OK);
        assert_int_equal(l.node_pool.len, 2);
        assert_memory_equal(l.node_pool.ptr, "up", 2);
        assert_int_equal(l.pod_count + l.instance_type_count + l.request_count, 0);
        assert_true(l.choice.instance_type.len > 0 && l.capacity_count > 0 && l.choice_label_count > 0);
        assert_true(i == 0 || l.choice.price == each);
        each = l.choice.price;
    }
    static const char *const removed[] = { "d1-used", "d2-empty", "d3-busy", "d4-daemon", "waits" };
    karp_command gone = { .size = sizeof gone };
    assert_int_equal(karp_decision_command_count(launches), 1);
    assert_int_equal(karp_decision_command(launches, 0, &gone), KARP_OK);
    assert_int_equal(gone.method, KARP_METHOD_STATIC_DEPROVISIONING);
    assert_int_equal(gone.launch_count + gone.placement_count + gone.replaces, 0);
    assert_int_equal(gone.node_count, 5);
    for (size_t i = 0; i < 5; i++) assert_string_equal(gone.nodes[i].ptr, removed[i]);
    assert_true(gone.savings > 0);
    double more = karp_decision_cost_after(launches) - karp_decision_cost_before(launches) - 3 * each + gone.savings;
    assert_true(more < 1e-9 && more > -1e-9);
    karp_decision_unref(launches);
    assert_int_equal(karp_launch_static_pools(NULL, NULL, &launches, &c->error), KARP_E_INVALID);
    assert_int_equal(karp_launch_static_pools(c->snapshot, NULL, NULL, &c->error), KARP_E_INVALID);
    /* Order: the unresolved claim first. */
    cluster_begin(c, 2, "\"featureGates\":{\"StaticCapacity\":true}");
    add_pool(c, "down", ",\"replicas\":2", ALL);
    add_claim(c, "waits", ",\"labels\":{\"karpenter.sh/nodepool\":\"down\"}", "", "");
    add_node_with(c, "d1-used", "down", 1, "spot", "", "", "");
    add_node_with(c, "d2-empty", "down", 1, "spot", "", "", "");
    add_node_with(c, "d3-busy", "down", 1, "spot", "", "", "");
    add_pod(c, "one", "d1-used", "1");
    add_pod(c, "two", "d3-busy", "1");
    add_pod(c, "three", "d3-busy", "500m");
    cluster_ready(c);
    assert_int_equal(karp_advise_static_pools(c->snapshot, 0, &a, &c->error), KARP_OK);
    expect_advice(a, "delete claim-d2-empty=ScaleDown; delete waits=ScaleDown; again 2026-01-05T12:01:00Z");
}

/* ---- interruptions ----------------------------------------------------------------------------------------------- */

static void test_interruptions(void **state)
{
    cluster *c = *state;
    karp_advice *a = NULL;
    static const char *const said[] = {
        "delete claim-a=SpotInterruption; unavailable t01 z1=spot",
        "event claim-a=RebalanceRecommendation",
        "delete claim-a=ScheduledChange",
        "delete claim-a=InstanceStopping",
        "delete claim-a=InstanceTerminating",
        "delete claim-a=ScheduledEvent",
        "delete claim-a=CapacityReservationInterruption",
        "annotate claim-a karpenter.sh/nodeclaim-termination-timestamp=2026-01-05T12:00:00Z; delete "
        "claim-a=InstanceStatusFailure",
        "annotate claim-a karpenter.sh/nodeclaim-termination-timestamp=2026-01-05T12:00:00Z; delete "
        "claim-a=SystemStatusFailure",
        "event claim-a=NoOp",
    };
    cluster_begin(c, 1, "");
    add_pool(c, "pool", "", ALL);
    add_node(c, "a", 1, "spot", "");
    add_claim(c, "slashes",
              ",\"annotations\":{\"karpenter.sh/nodeclaim-termination-timestamp\":\"2026-01-05T11:00:00Z\"}", "",
              "\"providerID\":\"aws:///z1/i-1\"");
    add_claim(c, "leaving", ",\"deletionTimestamp\":\"2026-01-05T09:00:00Z\"", "", "\"providerID\":\"aws:///z1/i-2\"");
    add_claim(c, "nowhere", "", "", "\"conditions\":[]");
    add_claim(c, "zoneless", ",\"labels\":{\"node.kubernetes.io/instance-type\":\"t01\"}", "",
              "\"providerID\":\"aws:///z1/i-3\"");
    cluster_ready(c);
    for (uint32_t kind = 1; kind <= sizeof said / sizeof *said; kind++) {
        const karp_interruption message = { text("p-a"), kind, 0 };
        assert_int_equal(karp_advise_interruptions(c->snapshot, 0, &message, 1, &a, &c->error), KARP_OK);
        expect_advice(a, said[kind - 1]);
        assert_non_null(strstr(said[kind - 1], karp_interruption_name(kind)));
    }
    /* By the last part of the ID; twice said is once done; what is going needs nothing; strangers and parts of names
     * are skipped. */
    const karp_interruption many[] = {
        { text("i-1"), KARP_INTERRUPTION_SYSTEM_STATUS, 0 }, { text("aws:///z1/i-1"), KARP_INTERRUPTION_STOPPING, 0 },
        { text("i-2"), KARP_INTERRUPTION_SPOT, 0 },          { text("1"), KARP_INTERRUPTION_STOPPING, 0 },
        { text("i-9"), KARP_INTERRUPTION_SPOT, 0 },          { text(""), KARP_INTERRUPTION_SPOT, 0 },
        { text("i-2"), KARP_INTERRUPTION_REBALANCE, 0 }
    };
    assert_int_equal(karp_advise_interruptions(c->snapshot, 0, many, 7, &a, &c->error), KARP_OK);
    expect_advice(a, "event leaving=RebalanceRecommendation; delete slashes=SystemStatusFailure");
    /* What was sold out is not known without a zone. */
    const karp_interruption zoneless = { text("i-3"), KARP_INTERRUPTION_SPOT, 0 };
    assert_int_equal(karp_advise_interruptions(c->snapshot, 0, &zoneless, 1, &a, &c->error), KARP_OK);
    expect_advice(a, "delete zoneless=SpotInterruption");
    assert_int_equal(karp_advise_interruptions(c->snapshot, 0, NULL, 0, &a, &c->error), KARP_OK);
    expect_advice(a, "");
    const karp_interruption wrong[] = { { text("i-1"), 0, 0 }, { text("i-1"), 11, 0 } };
    for (int i = 0; i < 2; i++)
        assert_int_equal(karp_advise_interruptions(c->snapshot, 0, &wrong[i], 1, &a, &c->error), KARP_E_INVALID);
    assert_int_equal(karp_advise_interruptions(c->snapshot, 0, NULL, 1, &a, &c->error), KARP_E_INVALID);
    assert_int_equal(karp_advise_interruptions(NULL, 0, NULL, 0, &a, &c->error), KARP_E_INVALID);
    assert_string_equal(karp_interruption_name(0), "");
    assert_string_equal(karp_interruption_name(11), "");
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static karp_status advice_number(const cluster *c, int which, karp_advice **out)
{
    static const karp_repair_policy policy = { { "Ready", 5 }, { "False", 5 }, 0 };
    static const karp_interruption message = { { "p-n", 3 }, KARP_INTERRUPTION_SYSTEM_STATUS, 0 };
    switch (which) {
    case 0: return karp_advise_conditions(c->snapshot, 0, NULL, 0, out, NULL);
    case 1: return karp_advise_expiration(c->snapshot, 0, out, NULL);
    case 2: return karp_advise_repair(c->snapshot, 0, &policy, 1, out, NULL);
    case 3: return karp_advise_timeouts(c->snapshot, 0, out, NULL);
    case 4: return karp_advise_garbage(c->snapshot, 0, &policy.status, 1, out, NULL);
    case 5: return karp_advise_static_pools(c->snapshot, 0, out, NULL);
    case 6: return karp_advise_drain(c->snapshot, (karp_str){ "n", 1 }, 0, out, NULL);
    case 9: return karp_advise_interruptions(c->snapshot, 0, &message, 1, out, NULL);
    case 7: return karp_advise_cleanup(c->snapshot, &policy.status, 1, out, NULL);
    default: return karp_advise_hashes(c->snapshot, out, NULL);
    }
}

static void test_memory(void **state)
{
    cluster *c = *state;
    cluster_begin(c, 1, "\"featureGates\":{\"StaticCapacity\":true,\"NodeRepair\":true}");
    add_pool(c, "up", ",\"replicas\":5", ALL);
    add_pool(c, "down", ",\"replicas\":0", ALL);
    add_stamped_pool(c, "minute", "\"consolidateAfter\":\"1m\"");
    add_sick_node(c, "n", "down", "False", "2026-01-05T11:30:00Z");
    add_of_pool(c, "claim", "minute", FINE, STAMPS("2", "v3"), LIVE "]");
    add_pod(c, "one", "n", "1");
    cluster_ready(c);
    for (int which = 0; which < 10; which++) {
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
    karp_advice_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meanings),
        cmocka_unit_test(test_expiration),
        cmocka_unit_test(test_expiration_of_the_ancient),
        cmocka_unit_test(test_timeouts),
        cmocka_unit_test(test_drifted),
        cmocka_unit_test(test_consolidatable),
        cmocka_unit_test(test_hashes),
        cmocka_unit_test(test_stamps),
        cmocka_unit_test(test_repair),
        cmocka_unit_test(test_garbage),
        cmocka_unit_test(test_static_pools),
        cmocka_unit_test(test_interruptions),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, cluster_set_up, cluster_tear_down);
}
