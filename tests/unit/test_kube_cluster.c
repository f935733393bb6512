/* SPDX-License-Identifier: Apache-2.0 */
/* A cluster that nodes and pods come to and leave answers as one that was just made. */
#include <io/decode.h>
#include <kube/attempt.h>
#include <kube/groups.h>
#include <kube/objects.h>
#include <kube/pod_class.h>
#include <kube/profile.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <support/random.h>

#include <cmocka.h>

enum { NODES = 12, PODS = 30, CLASSES = 5 };

static const char *const texts[CLASSES] = {
    "{\"metadata\":{\"name\":\"a\",\"namespace\":\"n\",\"labels\":{\"app\":\"a\"}},\"spec\":{\"containers\":[{\"name\":"
    "\"c\","
    "\"resources\":{\"requests\":{\"cpu\":\"500m\",\"memory\":\"1Gi\"}}}]}}",
    "{\"metadata\":{\"name\":\"b\",\"namespace\":\"n\",\"labels\":{\"app\":\"b\"}},\"spec\":{\"containers\":[{\"name\":"
    "\"c\","
    "\"ports\":[{\"containerPort\":80,\"hostPort\":80,\"protocol\":\"TCP\"}]}]}}",
    "{\"metadata\":{\"name\":\"c\",\"namespace\":\"n\",\"labels\":{\"app\":\"c\"}},\"spec\":{\"containers\":[{\"name\":"
    "\"c\"}],"
    "\"affinity\":{\"podAntiAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[{\"topologyKey\":"
    "\"kubernetes.io/hostname\","
    "\"labelSelector\":{\"matchLabels\":{\"app\":\"a\"}}}]}}}}",
    "{\"metadata\":{\"name\":\"d\",\"namespace\":\"n\",\"labels\":{\"app\":\"d\"}},\"spec\":{\"containers\":[{\"name\":"
    "\"c\"}],"
    "\"topologySpreadConstraints\":[{\"topologyKey\":\"topology.kubernetes.io/"
    "zone\",\"maxSkew\":1,\"whenUnsatisfiable\":"
    "\"DoNotSchedule\",\"labelSelector\":{\"matchLabels\":{\"app\":\"d\"}}}]}}",
    "{\"metadata\":{\"name\":\"e\",\"namespace\":\"n\",\"labels\":{\"app\":\"e\"}},\"spec\":{\"containers\":[{\"name\":"
    "\"c\"}],"
    "\"affinity\":{\"podAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[{\"topologyKey\":\"topology."
    "kubernetes.io/"
    "zone\",\"labelSelector\":{\"matchLabels\":{\"app\":\"d\"}}}]}}}}"
};
static const char *const zones[] = { "east", "north", "west" };

typedef struct world {
    karp_context *context;
    trees trees;
    arena memory;
    karp_pod pods[CLASSES];
    tree *objects[CLASSES];
    char names[NODES][8];
    karp_label labels[NODES][2];
    karp_taint taint;
    bool present[NODES], tainted[NODES];
    uint32_t class_of[PODS], node_of[PODS]; /* node_of: KUBE_NONE = the pod does not exist */
} world;

/* Numbers of the nodes and pods in one cluster. */
typedef struct side {
    kube_profile profile;
    kube_cluster cluster;
    kube_attempt attempt;
    uint32_t nodes[NODES], pods[PODS];
} side;

static void read_world(world *w)
{
    karp_error error;
    karp_error_init(&error, sizeof error);
    assert_int_equal(karp_context_new(NULL, &w->context, &error), KARP_OK);
    trees_init(&w->trees, w->context);
    arena_init(&w->memory, w->context);
    for (size_t i = 0; i < CLASSES; i++) {
        io_decoder d;
        io_decoder_init(&d, &w->memory);
        assert_int_equal(tree_read(&w->trees, str("a pod"), str(texts[i]), &w->objects[i], &error), KARP_OK);
        io_decode_pod(&d, w->objects[i], &w->pods[i]);
        assert_int_equal(d.status, KARP_OK);
    }
    for (size_t i = 0; i < NODES; i++) {
        w->names[i][0] = 'n';
        w->names[i][1] = (char)('a' + i);
        w->labels[i][0] = (karp_label){ str("kubernetes.io/hostname"), str(w->names[i]) };
        w->labels[i][1] = (karp_label){ str("topology.kubernetes.io/zone"), str(zones[i % 3]) };
    }
    w->taint = (karp_taint){ str("gone"), str(""), str("NoSchedule") };
    for (size_t i = 0; i < PODS; i++) w->node_of[i] = KUBE_NONE;
}

static void add_node(world *w, side *s, size_t i)
{
    static const karp_resource resources[] = { { .name = { "cpu", 3 }, .value = 2 },
                                               { .name = { "memory", 6 }, .value = 4, .scale = 9 },
                                               { .name = { "pods", 4 }, .value = 6 } };
    kube_node_spec spec = { .name = str(w->names[i]),
                            .labels = w->labels[i],
                            .label_count = 2,
                            .taints = &w->taint,
                            .taint_count = w->tainted[i],
                            .allocatable = resources,
                            .allocatable_count = 3 };
    s->nodes[i] = kube_node_add(&s->cluster, &spec);
    assert_int_not_equal(s->nodes[i], KUBE_NONE);
}

static void add_pod(const world *w, side *s, size_t i)
{
    kube_pod pod = { .class_ = w->class_of[i], .started = KARP_NO_TIME };
    s->pods[i] = kube_pod_add(&s->cluster, &pod);
    kube_place(&s->cluster, s->pods[i], s->nodes[w->node_of[i]]);
}

static void begin(world *w, side *s)
{
    kube_profile_default(&s->profile, KUBE_DEFAULT_MINOR);
    kube_cluster_init(&s->cluster, w->context, &s->profile, 1);
    kube_attempt_init(&s->attempt, &s->cluster);
    for (size_t i = 0; i < CLASSES; i++) assert_int_equal(kube_class_add(&s->cluster, &w->pods[i], w->objects[i]), i);
    kube_groups_settle(&s->cluster);
    for (size_t i = 0; i < NODES; i++) {
        if (w->present[i]) add_node(w, s, i);
    }
    for (size_t i = 0; i < PODS; i++) {
        if (w->node_of[i] != KUBE_NONE) add_pod(w, s, i);
    }
}

static void end(side *s)
{
    assert_int_equal(s->cluster.status, KARP_OK);
    kube_attempt_free(&s->attempt);
    kube_cluster_free(&s->cluster);
}

static void drop_pod(world *w, side *s, size_t i)
{
    kube_pod_remove(&s->cluster, s->pods[i]);
    w->node_of[i] = KUBE_NONE;
}

static void change_node(world *w, side *s, size_t i, uint64_t what)
{
    if (!w->present[i]) {
        w->present[i] = true;
        add_node(w, s, i);
    } else if (what % 3 == 0) {
        w->tainted[i] = !w->tainted[i];
        s->cluster.nodes[s->nodes[i]].spec.taint_count = w->tainted[i];
        kube_node_changed(&s->cluster, s->nodes[i]);
    } else if (what % 3 == 1) {
        for (size_t k = 0; k < PODS; k++) {
            if (w->node_of[k] == i) drop_pod(w, s, k);
        }
        kube_node_remove(&s->cluster, s->nodes[i]);
        w->present[i] = false;
    }
}

/* The totals by node: -1 = the node does not take the pod. */
static void totals(const world *w, side *s, uint32_t class_, int64_t out[NODES])
{
    kube_pod pod = { .class_ = class_, .started = KARP_NO_TIME };
    uint32_t number = kube_pod_add(&s->cluster, &pod);
    kube_attempt_begin(&s->attempt, number);
    kube_attempt_filter(&s->attempt, true);
    kube_attempt_score(&s->attempt, NULL, NULL);
    for (size_t i = 0; i < NODES; i++) {
        out[i] = -1;
        for (size_t k = 0; k < s->attempt.feasible_count && w->present[i]; k++) {
            if (s->attempt.feasible[k] == s->nodes[i]) out[i] = s->attempt.totals[k];
        }
    }
    kube_pod_remove(&s->cluster, number);
}

static void test_changes(void **state)
{
    static world w;
    static side old, fresh;
    uint64_t seed = 7;
    size_t placed = 0, left = 0;
    (void)state;
    read_world(&w);
    begin(&w, &old);
    for (int step = 0; step < 600; step++) {
        size_t i = random_below(&seed, PODS);
        uint64_t what = random_below(&seed, 6);
        if (what < 3) change_node(&w, &old, random_below(&seed, NODES), what);
        if (w.node_of[i] != KUBE_NONE) {
            drop_pod(&w, &old, i);
            left++;
            continue;
        }
        w.class_of[i] = (uint32_t)random_below(&seed, CLASSES);
        kube_pod pod = { .class_ = w.class_of[i], .started = KARP_NO_TIME };
        old.pods[i] = kube_pod_add(&old.cluster, &pod);
        uint32_t node = kube_schedule(&old.attempt, old.pods[i], 0);
        for (uint32_t k = 0; k < NODES && node != KUBE_NONE; k++) {
            if (w.present[k] && old.nodes[k] == node) w.node_of[i] = k;
        }
        if (node != KUBE_NONE) kube_place(&old.cluster, old.pods[i], node);
        else kube_pod_remove(&old.cluster, old.pods[i]);
        placed += node != KUBE_NONE;
        begin(&w, &fresh);
        for (uint32_t k = 0; k < CLASSES; k++) {
            int64_t ours[NODES], theirs[NODES];
            totals(&w, &old, k, ours);
            totals(&w, &fresh, k, theirs);
            assert_memory_equal(ours, theirs, sizeof ours);
        }
        end(&fresh);
    }
    assert_true(placed > 100 && left > 100);
    end(&old);
    trees_free(&w.trees);
    arena_free(&w.memory);
    karp_context_unref(w.context);
}

/* ---- many nodes -------------------------------------------------------------------------------------------------- */

/* A cluster of equal nodes, with pods of the first class to schedule. */
static void begin_many(world *w, side *s, uint32_t minor, size_t nodes)
{
    static char names[400][24];
    static karp_label labels[400];
    static const karp_resource resources[] = { { .name = { "cpu", 3 }, .value = 2 },
                                               { .name = { "memory", 6 }, .value = 4, .scale = 9 },
                                               { .name = { "pods", 4 }, .value = 6 } };
    memset(w, 0, sizeof *w);
    memset(s, 0, sizeof *s);
    read_world(w);
    kube_profile_default(&s->profile, minor);
    kube_cluster_init(&s->cluster, w->context, &s->profile, 1);
    kube_attempt_init(&s->attempt, &s->cluster);
    assert_int_equal(kube_class_add(&s->cluster, &w->pods[0], w->objects[0]), 0);
    kube_groups_settle(&s->cluster);
    for (size_t i = 0; i < nodes; i++) {
        size_t length = 1 + write_digits(names[i] + 1, i);
        names[i][0] = 'n';
        labels[i] = (karp_label){ str("kubernetes.io/hostname"), { names[i], length } };
        kube_node_spec spec = { .name = { names[i], length },
                                .labels = &labels[i],
                                .label_count = 1,
                                .allocatable = resources,
                                .allocatable_count = 3 };
        assert_int_equal(kube_node_add(&s->cluster, &spec), i);
    }
}

static uint32_t schedule_one(side *s, uint64_t random)
{
    kube_pod pod = { .class_ = 0, .started = KARP_NO_TIME };
    uint32_t number = kube_pod_add(&s->cluster, &pod), node = kube_schedule(&s->attempt, number, random);
    if (node == KUBE_NONE) kube_pod_remove(&s->cluster, number);
    else kube_place(&s->cluster, number, node);
    return node;
}

static void end_many(world *w, side *s)
{
    end(s);
    trees_free(&w->trees);
    arena_free(&w->memory);
    karp_context_unref(w->context);
}

/* Of 300 nodes 48 % are enough, which are 144: each pod gets the first node of its walk. */
static void test_walk(void **state)
{
    static world w;
    static side s;
    (void)state;
    begin_many(&w, &s, 36, 300);
    assert_int_equal(schedule_one(&s, 0), 0);
    assert_int_equal(s.attempt.examined, 144);
    assert_int_equal(schedule_one(&s, 0), 144);
    assert_int_equal(schedule_one(&s, 0), 288);
    assert_int_equal(schedule_one(&s, 0), 132);
    end_many(&w, &s);
    begin_many(&w, &s, 36, 99);
    assert_int_equal(schedule_one(&s, 0), 0);
    assert_int_equal(s.attempt.examined, 99);
    end_many(&w, &s);
}

static void test_ties(void **state)
{
    static world w;
    static side s;
    (void)state;
    begin_many(&w, &s, 35, 10);
    assert_int_equal(schedule_one(&s, 7), 0);
    end_many(&w, &s);
    begin_many(&w, &s, 34, 10);
    assert_int_equal(schedule_one(&s, 7), 7);
    end_many(&w, &s);
}

/* A pod of 500m and 1Gi on an empty node of 2 and 4 GB: the fractions are 0.25 and 0.268. */
static void test_balance(void **state)
{
    static world w;
    static side s;
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        begin_many(&w, &s, 35 + i, 2);
        s.profile.weights[KUBE_NODE_RESOURCES_FIT] = s.profile.weights[KUBE_TAINT_TOLERATION] = 0;
        assert_int_equal(schedule_one(&s, 0), 0);
        assert_int_equal(s.attempt.totals[0], i == 0 ? 99 : 74);
        end_many(&w, &s);
    }
}

/* What was found out about many classes on few nodes is still known after all of them were scheduled. */
static void test_memos(void **state)
{
    enum { MANY = 200 };
    static world w;
    static side s;
    (void)state;
    begin_many(&w, &s, 36, 300);
    for (uint32_t i = 1; i < MANY; i++) assert_int_equal(kube_class_add(&s.cluster, &w.pods[0], w.objects[0]), i);
    kube_groups_settle(&s.cluster);
    for (uint32_t i = 0; i < MANY; i++) {
        kube_pod pod = { .class_ = i, .started = KARP_NO_TIME };
        uint32_t number = kube_pod_add(&s.cluster, &pod);
        assert_int_not_equal(kube_schedule(&s.attempt, number, 0), KUBE_NONE);
        kube_pod_remove(&s.cluster, number);
    }
    size_t known = 0;
    for (size_t i = 0; i < KUBE_MEMOS; i++) known += s.cluster.memos[i].class_ != KUBE_NONE;
    assert_int_equal(known, MANY);
    end_many(&w, &s);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_changes), cmocka_unit_test(test_walk),
                                        cmocka_unit_test(test_ties), cmocka_unit_test(test_balance),
                                        cmocka_unit_test(test_memos) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
