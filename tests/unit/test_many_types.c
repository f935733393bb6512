/* SPDX-License-Identifier: Apache-2.0 */
/* More instance types than bits in a word: sets of them are several words, of which each bit counts. */
#include <support/disrupting.h>

#include <karp/schedule.h>

/* Type N has 2 N cores: the pods get the types from `first` on. */
static void pending(cluster *c, const char *name, const char *cpu, const char *spec)
{
    add(c,
        ",{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\",\"namespace\":\"default\"},\"spec\":{"
        "\"containers\":[{\"name\":\"m\",\"resources\":{\"requests\":{\"cpu\":\"%s\"}}}]%s},"
        "\"status\":{\"phase\":\"Pending\",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\",\"reason\":"
        "\"Unschedulable\"}]}}",
        name, cpu, spec);
}

static void plan(cluster *c)
{
    cluster_ready(c);
    karp_status status = karp_provision(c->snapshot, NULL, &c->decision, &c->error);
    if (status != KARP_OK) print_message("%s\n", c->error.message);
    assert_int_equal(status, KARP_OK);
}

/* The launch with that pod has the types t(first) … t(last), cheapest first, which is their order. */
static void expect_types(const cluster *c, const char *pod, int first, int last)
{
    for (size_t i = 0; i < karp_decision_launch_count(c->decision); i++) {
        karp_launch l = launch_at(c, i);
        if (strcmp(karp_decision_pod_name(c->decision, l.pods[0]).ptr + strlen("default/"), pod) != 0) continue;
        assert_int_equal(l.instance_type_count, last - first + 1);
        for (int t = first; t <= last; t++) {
            char name[16];
            (void)snprintf(name, sizeof name, "t%02d", t);
            assert_string_equal(l.instance_types[t - first].ptr, name);
        }
        return;
    }
    fail_msg("no launch of %s", pod);
}

/* Each pod's smallest type is in another word, or at the edge of one. */
static void test_by_size(void **state)
{
    static const struct {
        const char *pod, *cpu;
        int first;
    } pods[] = {
        { "a", "1", 1 },     { "b", "125", 63 },  { "c", "127", 64 },  { "d", "129", 65 },
        { "e", "255", 128 }, { "f", "257", 129 }, { "g", "259", 130 },
    };
    cluster *c = *state;
    for (size_t i = 0; i < sizeof pods / sizeof *pods; i++) {
        cluster_begin(c, 130, "");
        add_pool(c, "pool", "", "");
        pending(c, pods[i].pod, pods[i].cpu, "");
        plan(c);
        expect_types(c, pods[i].pod, pods[i].first, 130);
    }
    cluster_begin(c, 130, "");
    add_pool(c, "pool", "", "");
    pending(c, "too-large", "261", "");
    plan(c);
    assert_int_equal(karp_decision_launch_count(c->decision), 0);
}

/* Sets of several words meet those of labels, of offerings and of a second pod. */
static void test_by_labels(void **state)
{
    cluster *c = *state;
    cluster_begin(c, 130, "");
    add_pool(c, "pool", "", "");
#define TYPES(list)                                                                                                    \
    ",\"affinity\":{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":[{"    \
    "\"matchExpressions\":["                                                                                           \
    "{\"key\":\"node.kubernetes.io/instance-type\",\"operator\":\"In\",\"values\":[" list "]}]}]}}}"
    pending(c, "first", "100", TYPES("\"t62\",\"t63\",\"t64\",\"t65\",\"t66\""));
    pending(c, "second", "28", TYPES("\"t64\",\"t65\",\"t66\",\"t128\""));
    pending(c, "third", "90", TYPES("\"t128\",\"t129\",\"t130\""));
    pending(c, "fourth", "125", TYPES("\"t70\",\"t71\""));
    plan(c);
    /* 128 cores are too little for the first with the third, which have no type in common; the first two fit t64. */
    assert_int_equal(karp_decision_launch_count(c->decision), 3);
    expect_types(c, "first", 64, 66);
    expect_types(c, "third", 128, 130);
    expect_types(c, "fourth", 70, 71);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_by_size, cluster_set_up, cluster_tear_down),
        cmocka_unit_test_setup_teardown(test_by_labels, cluster_set_up, cluster_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
