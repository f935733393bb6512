/* SPDX-License-Identifier: Apache-2.0 */
/* What makes consolidation look again: one number that every such change changes, and no other.
 */
#include <support/disrupting.h>

#include <disrupt/marks.h>

#define META(name) "\"metadata\":{\"name\":\"" name "\",\"namespace\":\"default\",\"uid\":\"u-" name "\"}"

static const char pool_text[] = ",{\"apiVersion\":\"karpenter.sh/v1\",\"kind\":\"NodePool\"," META(
    "pool") ",\"spec\":{\"weight\":1,\"replicas\":5,\"limits\":{\"cpu\":\"10\"},"
            "\"disruption\":{\"consolidateAfter\":\"1s\",\"consolidationPolicy\":\"WhenEmpty\",\"budgets\":[{\"nodes\":"
            "\"7\",\"schedule\":\"0 9 * * *\",\"duration\":\"1h\","
            "\"reasons\":[\"Empty\"]}]},\"template\":{\"metadata\":{\"labels\":{\"team\":\"red\",\"rack\":\"r1\"},"
            "\"annotations\":{\"note\":\"n1\"}},\"spec\":{\"nodeClassRef\":"
            "{\"group\":\"karpenter.k8s.aws\",\"kind\":\"EC2NodeClass\",\"name\":\"class\"},\"expireAfter\":\"2h\","
            "\"terminationGracePeriod\":\"3h\",\"taints\":[{\"key\":\"t\","
            "\"value\":\"tv\",\"effect\":\"NoSchedule\"}],\"startupTaints\":[{\"key\":\"s\",\"value\":\"sv\","
            "\"effect\":\"NoSchedule\"}],\"requirements\":[{\"key\":\"size\","
            "\"operator\":\"In\",\"values\":[\"va\",\"vb\"],\"minValues\":2}]}}}}";
static const char overlay_text[] = ",{\"apiVersion\":\"karpenter.sh/v1alpha1\",\"kind\":\"NodeOverlay\"," META(
    "over") ",\"spec\":{\"weight\":4,\"requirements\":[{\"key\":\"over-key\","
            "\"operator\":\"Exists\"}],\"price\":\"8\",\"capacity\":{\"example.com/gpu\":\"6\"}}}";
static const char node_text[] = ",{\"apiVersion\":\"v1\",\"kind\":\"Node\"," META(
    "node") ",\"spec\":{\"providerID\":\"p-node\"},\"status\":{\"capacity\":{\"cpu\":\"4\"},"
            "\"allocatable\":{\"cpu\":\"4\"}}}";
static const char pod_text[] = ",{\"apiVersion\":\"v1\",\"kind\":\"Pod\"," META(
    "pod") ",\"spec\":{\"nodeName\":\"node\",\"containers\":[{\"name\":\"c\"}]},\"status\":{\"phase\":\"Running\"}}";

/* The texts, with `to` instead of the only `from`. */
static uint64_t digest_with(cluster *c, const char *from, const char *to)
{
    const char *const texts[] = { pool_text, overlay_text, node_text, pod_text };
    size_t replaced = 0;
    cluster_begin(c, 1, "");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *at = from != NULL ? strstr(texts[i], from) : NULL;
        if (at == NULL) {
            add(c, "%s", texts[i]);
            continue;
        }
        add(c, "%.*s%s%s", (int)(at - texts[i]), texts[i], to, at + strlen(from));
        assert_null(strstr(at + 1, from));
        replaced++;
    }
    if (from != NULL && replaced != 1) fail_msg("%s is there %zu times", from, replaced);
    cluster_ready(c);
    return cluster_digest(c->snapshot);
}

static void test_what_counts(void **state)
{
    static const struct {
        const char *from, *to;
    } changes[] = {
        { "\"u-pool\"", "\"u-other\"" },
        { "\"weight\":1", "\"weight\":2" },
        { "\"replicas\":5", "\"replicas\":6" },
        { "\"cpu\":\"10\"", "\"cpu\":\"11\"" },
        { "{\"cpu\":\"10\"}", "{\"memory\":\"10\"}" },
        { "\"1s\"", "\"2s\"" },
        { "WhenEmpty", "WhenEmptyOrUnderutilized" },
        { "\"7\"", "\"8\"" },
        { "0 9", "0 8" },
        { "\"1h\"", "\"2h\"" },
        { "\"Empty\"", "\"Drifted\"" },
        { ",\"reasons\":[\"Empty\"]", "" },
        { "\"red\"", "\"blue\"" },
        { "\"team\"", "\"crew\"" },
        { "\"n1\"", "\"n2\"" },
        { "karpenter.k8s.aws", "karpenter.test" },
        { "EC2NodeClass", "Other" },
        { "\"class\"", "\"clas\"" },
        { "\"2h\"", "\"3h0m1s\"" },
        { "\"3h\"", "\"4h\"" },
        { "\"tv\"", "\"tw\"" },
        { "\"sv\"", "\"sw\"" },
        { "\"va\"", "\"vc\"" },
        { "\"va\",", "" },
        { "\"minValues\":2", "\"minValues\":1" },
        { "\"In\"", "\"NotIn\"" },
        { "\"size\"", "\"sizes\"" },
        { "\"weight\":4", "\"weight\":3" },
        { "\"over-key\"", "\"key\"" },
        { "\"price\":\"8\"", "\"price\":\"9\"" },
        { "\"price\":\"8\"", "\"priceAdjustment\":\"8%\"" },
        { "\"example.com/gpu\":\"6\"", "\"example.com/gpu\":\"5\"" },
        { "\"u-node\"", "\"u-nod\"" },
        { "\"u-pod\"", "\"u-po\"" },
        { "\"nodeName\":\"node\",", "" },
        /* one bit of every byte of a number */
        { "\"weight\":1", "\"weight\":0" },
        { "\"replicas\":5", "\"replicas\":261" },
        { "\"replicas\":5", "\"replicas\":65541" },
        { "\"replicas\":5", "\"replicas\":16777221" },
        { "\"replicas\":5", "\"replicas\":4294967301" },
        { "\"replicas\":5", "\"replicas\":1099511627781" },
        { "\"replicas\":5", "\"replicas\":281474976710661" },
        { "\"replicas\":5", "\"replicas\":72057594037927941" },
    };
    cluster *c = *state;
    uint64_t seen[sizeof changes / sizeof *changes + 1];
    seen[0] = digest_with(c, NULL, NULL);
    assert_true(seen[0] != 0);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        seen[i + 1] = digest_with(c, changes[i].from, changes[i].to);
        for (size_t k = 0; k <= i; k++) {
            if (seen[k] == seen[i + 1]) fail_msg("%s -> %s is not seen", changes[i].from, changes[i].to);
        }
    }
}

static void test_what_does_not(void **state)
{
    cluster *c = *state;
    uint64_t before = digest_with(c, NULL, NULL);
    assert_true(digest_with(c, "\"red\",\"rack\":\"r1\"", "\"red\" , \"rack\":\"r1\"") == before);
    assert_true(digest_with(c, "\"team\":\"red\",\"rack\":\"r1\"", "\"rack\":\"r1\",\"team\":\"red\"") ==
                before); /* their order */
    assert_true(digest_with(c, "\"phase\":\"Running\"", "\"phase\":\"Succeeded\"") == before);
    assert_true(digest_with(c, "\"capacity\":{\"cpu\":\"4\"}", "\"capacity\":{\"cpu\":\"5\"}") == before);
    /* A pod that waits is none of them. */
    uint64_t unbound = digest_with(c, "\"nodeName\":\"node\",", "");
    assert_true(unbound != before);
    cluster_begin(c, 1, "");
    add(c, "%s%s%s", pool_text, overlay_text, node_text);
    cluster_ready(c);
    assert_true(cluster_digest(c->snapshot) == unbound);
    /* The order of the objects does not matter. */
    cluster_begin(c, 1, "");
    add(c, "%s%s%s%s", pod_text, node_text, overlay_text, pool_text);
    cluster_ready(c);
    assert_true(cluster_digest(c->snapshot) == before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_counts, cluster_set_up, cluster_tear_down),
        cmocka_unit_test_setup_teardown(test_what_does_not, cluster_set_up, cluster_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
