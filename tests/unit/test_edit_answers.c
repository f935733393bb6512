/* SPDX-License-Identifier: Apache-2.0 */
/* An edited snapshot decides, and can be verified, as one built afresh from the same objects: edits that change several
 * of a kind at once, and edits of what others were made from. (Random rows of edits: tests/property/test_edits.c.) */
#include "edited_world.h"

#include <base/sort.h>

#define L(k, v)                                                                                                        \
    {                                                                                                                  \
        { k, sizeof(k) - 1 }, { v, sizeof(v) - 1 }                                                                     \
    }
#define HOST(name) L("kubernetes.io/hostname", name)
#define IN(zone) L("topology.kubernetes.io/zone", zone)
#define NODE(name_, cpu_, zone)                                                                                        \
    {                                                                                                                  \
        .kind = "Node", .name = name_, .cpu = cpu_, .labels = { HOST(name_), IN(zone) }                                \
    }
#define RUNS(name_, node_, cpu_)                                                                                       \
    {                                                                                                                  \
        .kind = "Pod", .name = name_, .node = node_, .cpu = cpu_                                                       \
    }
#define WAITS(name_, cpu_)                                                                                             \
    {                                                                                                                  \
        .kind = "Pod", .name = name_, .cpu = cpu_                                                                      \
    }
#define POOL(name_)                                                                                                    \
    {                                                                                                                  \
        .kind = "NodePool", .name = name_                                                                              \
    }
#define GONE(kind_, name_)                                                                                             \
    {                                                                                                                  \
        .kind = kind_, .name = name_, .gone = true                                                                     \
    }

static const thing cluster[] = {
    POOL("pool"),
    NODE("n1", "4", "a"),
    NODE("n2", "4", "a"),
    NODE("n3", "4", "b"),
    NODE("n4", "4", "b"),
    RUNS("b1", "n1", "3"),
    RUNS("b2", "n2", "3"),
    RUNS("b3", "n3", "3"),
    RUNS("b4", "n4", "3"),
    RUNS("b5", "n4", "500m"),
    WAITS("w1", "2"),
    WAITS("w2", "2"),
    { .kind = "Pod", .name = "w3", .cpu = "1", .wants = IN("b") },
};

static uint32_t node_named(const karp_snapshot *s, const char *name)
{
    return state_node_named(s, (karp_str){ name, strlen(name) });
}

/* Pods on several nodes become others, come and go: each of the nodes has what is left now. */
static void several_nodes(void **state)
{
    (void)state;
    static edited_world w;
    static const thing smaller[] = { RUNS("b1", "n1", "1"), RUNS("b2", "n2", "1"), RUNS("b3", "n3", "2") };
    static const thing mixed[] = { GONE("Pod", "b1"),
                                   RUNS("b6", "n3", "1"),
                                   RUNS("b7", "n3", "500m"),
                                   { .kind = "Pod", .name = "b4", .node = "n4", .cpu = "3", .over = true } };
    edited_world_open(&w, HERE(cluster));
    edited_world_edit(&w, HERE(smaller));
    assert_ptr_equal(w.now->tables, w.before->tables);
    edited_world_edit(&w, HERE(mixed));
    assert_ptr_equal(w.now->tables, w.before->tables);
    assert_int_equal(w.now->nodes[node_named(w.now, "n3")].pod_count, 3);
    edited_world_close(&w);
}

/* Pods that go to other nodes in one edit. */
static void several_moves(void **state)
{
    (void)state;
    static edited_world w;
    static const thing moves[] = { RUNS("b1", "n2", "1"), RUNS("b2", "n3", "1"), RUNS("b5", "n1", "500m"),
                                   RUNS("w1", "n1", "2") };
    static const thing back[] = { WAITS("w1", "2"), RUNS("b1", "nowhere", "1"), RUNS("b5", "n4", "500m"),
                                  GONE("Pod", "b2") };
    edited_world_open(&w, HERE(cluster));
    edited_world_edit(&w, HERE(moves));
    assert_ptr_equal(w.now->tables, w.before->tables);
    edited_world_edit(&w, HERE(back));
    assert_int_equal(w.now->orphan_pods, 1);
    edited_world_close(&w);
}

/* Nodes that go with their pods, and pods of them that go in the same edit. */
static void nodes_with_pods(void **state)
{
    (void)state;
    static edited_world w;
    static const thing fewer[] = { GONE("Node", "n1"), GONE("Node", "n3"), GONE("Pod", "b3"), GONE("Pod", "w1"),
                                   GONE("Pod", "b5") };
    static const thing others[] = { NODE("n2", "8", "a"), NODE("n5", "2", "b"), RUNS("b8", "n5", "1"),
                                    RUNS("b2", "n2", "1") };
    static const thing first[] = { GONE("Node", "n1") };
    static const thing with_pods[] = { NODE("n6", "4", "b"), RUNS("y1", "n6", "1"), RUNS("y2", "n4", "500m"),
                                       RUNS("y3", "n6", "500m") };
    static const thing moved[] = { GONE("Node", "n2"), GONE("Pod", "b2"), GONE("Pod", "w2"), GONE("Pod", "w3") };
    edited_world_open(&w, HERE(cluster));
    edited_world_edit(&w, HERE(with_pods));
    assert_ptr_equal(w.now->tables, w.before->tables);
    edited_world_edit(&w, HERE(moved)); /* the last Node takes a place, as do the last pods, which are its own */
    assert_ptr_equal(w.now->tables, w.before->tables);
    edited_world_close(&w);
    edited_world_open(&w, HERE(cluster));
    edited_world_edit(&w, HERE(first)); /* the last Node takes its place, with two pods that stay as they are */
    assert_ptr_equal(w.now->tables, w.before->tables);
    edited_world_close(&w);
    edited_world_open(&w, HERE(cluster));
    edited_world_edit(&w, HERE(fewer));
    assert_ptr_equal(w.now->tables, w.before->tables);
    edited_world_edit(&w, HERE(others));
    edited_world_close(&w);
}

/* Pods that go while others come under other names: all behind them move up, or down, whatever is in the memory that is
 * asked for. */
static void places_of_pods(void **state)
{
    (void)state;
    static edited_world w;
    static const thing later[] = { GONE("Pod", "w1"), WAITS("x1", "3") },
                       earlier[] = { GONE("Pod", "x1"), WAITS("a1", "500m") };
    static const thing both[] = { GONE("Pod", "b2"), GONE("Pod", "b3"), RUNS("b0", "n2", "1"), RUNS("z0", "n3", "1") };
    for (int cleared = 0; cleared < 2; cleared++) {
        edited_world_open(&w, HERE(cluster));
        w.fault.cleared = cleared;
        edited_world_edit(&w, HERE(later));
        edited_world_edit(&w, HERE(earlier));
        edited_world_edit(&w, HERE(both));
        edited_world_close(&w);
    }
}

/* ---- what is made of pools, overlays and budgets ----------------------------------------------------------------- */

static void pools(void **state)
{
    (void)state;
    static edited_world w;
    static const thing waiting[] = {
        { .kind = "Pod", .name = "w5", .cpu = "1", .wants = L("karpenter.sh/nodepool", "first") }
    };
    static const thing second[] = { { .kind = "NodePool", .name = "first", .labels = { L("team", "red") } } };
    static const thing red[] = { { .kind = "Pod", .name = "w4", .cpu = "1", .wants = L("team", "red") } };
    static const thing others[] = {
        { .kind = "NodePool", .name = "first", .labels = { L("team", "red") }, .of = "Other" }
    };
    static const thing relabelled[] = { { .kind = "NodePool", .name = "pool", .labels = { L("team", "blue") } } };
    static const thing of_others[] = {
        { .kind = "NodePool", .name = "first", .labels = { L("team", "red") }, .of = "Other", .group = "h" }
    };
    static const thing swapped[] = { GONE("NodePool", "pool"), POOL("last") };
    static const thing none[] = { GONE("NodePool", "first"), GONE("NodePool", "last") };
    edited_world_open(&w, HERE(cluster));
    edited_world_edit(&w, HERE(relabelled)); /* its types are what they were */
    assert_ptr_equal(w.now->tables, w.before->tables);
    edited_world_edit(&w, HERE(waiting));
    edited_world_edit(&w, HERE(second)); /* for which a pod waits */
    edited_world_edit(&w, HERE(red));
    edited_world_edit(&w, HERE(others));
    edited_world_edit(&w, HERE(of_others));
    edited_world_edit(&w, HERE(swapped));
    edited_world_edit(&w, HERE(none));
    edited_world_close(&w);
}

/* What a pool's nodes are called decides which of its types an overlay is about. */
static void pools_with_overlays(void **state)
{
    (void)state;
    static edited_world w;
    static const thing dearer[] = { { .kind = "NodeOverlay", .name = "o", .cpu = "0.25", .wants = L("team", "red") } };
    static const thing red[] = { { .kind = "NodePool", .name = "pool", .labels = { L("team", "red") } } };
    static const thing pods[] = { RUNS("b1", "n1", "1"), WAITS("w1", "3") };
    static const thing without[] = { GONE("NodeOverlay", "o") };
    edited_world_open(&w, HERE(cluster));
    edited_world_edit(&w, HERE(dearer));
    edited_world_edit(&w, HERE(red));
    assert_true(w.now->tables[0].overlaid);
    edited_world_edit(&w, HERE(pods)); /* the pools are what they were */
    assert_ptr_equal(w.now->tables, w.before->tables);
    edited_world_edit(&w, HERE(without));
    assert_false(w.now->tables[0].overlaid);
    edited_world_close(&w);
}

/* A budget that selects by what is read of pods anyway leaves everything as it is. */
static void budgets(void **state)
{
    (void)state;
    static edited_world w;
#define OF(app_) .labels = { L("app", app_) }
    static const thing more[] = { { .kind = "Pod", .name = "a1", .node = "n1", .cpu = "100m", OF("x") },
                                  { .kind = "PodDisruptionBudget", .name = "x", OF("x") } };
    static const thing other[] = { { .kind = "PodDisruptionBudget", .name = "x", OF("y") } };
    static const thing none[] = { GONE("PodDisruptionBudget", "x") };
    edited_world_open(&w, HERE(cluster));
    edited_world_edit(&w, HERE(more));
    edited_world_edit(&w, HERE(other));
    assert_ptr_equal(w.now->tables, w.before->tables);
    edited_world_edit(&w, HERE(none));
    assert_ptr_equal(w.now->tables, w.before->tables);
    edited_world_close(&w);
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

/* Texts that an edit brings, before, between and behind those there were, have their places among them. */
static void new_words(void **state)
{
    (void)state;
    static edited_world w;
    static const thing come[] = {
        { .kind = "Pod", .name = "a1", .node = "n1", .cpu = "500m", OF("zz9") },
        { .kind = "Pod", .name = "a2", .node = "n1", .cpu = "500m", OF("zz7") },
        { .kind = "Pod", .name = "a3", .node = "n2", .cpu = "500m", OF("zz8") },
        { .kind = "Pod", .name = "a4", .node = "n2", .cpu = "500m", OF("!") },
        { .kind = "Pod", .name = "a5", .node = "n2", .cpu = "500m", OF("m2") },
        { .kind = "Pod", .name = "a6", .node = "n2", .cpu = "500m", OF("m1") },
    };
    edited_world_open(&w, HERE(cluster));
    edited_world_edit(&w, HERE(come));
    assert_ptr_equal(w.now->tables, w.before->tables);
    const string_facts *f = &w.now->facts;
    assert_true(f->count > w.before->facts.count + 5);
    for (uint32_t i = 0; i < f->count; i++) {
        assert_true(f->rank[i] < f->count);
        for (uint32_t k = 0; k < i; k++)
            assert_true((f->rank[i] < f->rank[k]) == (compare_str(text_of(w.now, i), text_of(w.now, k)) < 0));
    }
    edited_world_close(&w);
}

/* A Node's labels that nobody asks about stand before one that matters. */
static void labels_nobody_reads(void **state)
{
    (void)state;
    static edited_world w;
    static const thing wider[] = {
        { .kind = "Node", .name = "n4", .cpu = "8", .labels = { L("kubernetes.io/arch", "any"), HOST("n4"), IN("b") } }
    };
    edited_world_open(&w, HERE(cluster));
    edited_world_edit(&w, HERE(wider));
    assert_ptr_equal(w.now->tables, w.before->tables);
    assert_int_equal(w.now->nodes[node_named(w.now, "n4")].set, w.now->nodes[node_named(w.now, "n3")].set);
    edited_world_close(&w);
}

/* ---- daemons ----------------------------------------------------------------------------------------------------- */

#define DAEMON(name_, node_, cpu_, made)                                                                               \
    {                                                                                                                  \
        .kind = "Pod", .name = name_, .node = node_, .cpu = cpu_, .owner = "set", .age = made                          \
    }

static void expect_newest(const edited_world *w, const char *name)
{
    assert_int_equal(w->now->daemon_count, 1);
    assert_true(w->now->daemons[0].newest != NO_ID &&
                equal_str(pod_name(w->now, w->now->daemons[0].newest), (karp_str){ name, strlen(name) }));
}

/* The first there is, of a snapshot that continues none. */
static void first_of_daemons(void **state)
{
    (void)state;
    static edited_world w;
    static const thing few[] = { { .kind = "DaemonSet", .name = "set", .cpu = "1" },
                                 DAEMON("d2", "n1", "1", 10),
                                 DAEMON("d3", "n2", "1", 10),
                                 DAEMON("d1", "n3", "1", 5) };
    edited_world_open(&w, HERE(few));
    expect_newest(&w, "default/d2");
    edited_world_close(&w);
}

/* The newest of a DaemonSet's pods stands for it, whichever edit brought it. */
static void daemons(void **state)
{
    (void)state;
    static edited_world w;
    static const thing set[] = { { .kind = "DaemonSet", .name = "set", .cpu = "100m" } };
    static const thing second[] = { { .kind = "DaemonSet", .name = "another", .cpu = "3" } },
                       wider[] = { { .kind = "DaemonSet", .name = "another", .cpu = "2" } };
    static const thing last[] = { GONE("DaemonSet", "set") };
    static const thing first[] = { DAEMON("d1", "n1", "1", 10) };
    static const thing newer[] = { DAEMON("d2", "n2", "500m", 20), DAEMON("d3", "n3", "300m", 15),
                                   DAEMON("d5", "n1", "200m", 25), RUNS("b5", "n4", "100m") };
    static const thing older[] = { DAEMON("d4", "n4", "100m", 5) };
    static const thing gone[] = { GONE("Pod", "d5") }, more_gone[] = { GONE("Pod", "d2") };
    static const thing equal[] = { DAEMON("c2", "n2", "3", 15), GONE("Pod", "d1") }; /* the earlier by name */
    edited_world_open(&w, HERE(cluster));
    edited_world_edit(&w, HERE(set));
    edited_world_edit(&w, HERE(first));
    assert_ptr_equal(w.now->tables, w.before->tables);
    edited_world_edit(&w, HERE(newer));
    edited_world_edit(&w, HERE(older));
    edited_world_edit(&w, HERE(gone));
    edited_world_edit(&w, HERE(more_gone));
    expect_newest(&w, "default/d3");
    edited_world_edit(&w, HERE(equal));
    expect_newest(&w, "default/c2");
    edited_world_edit(&w, HERE(second));
    assert_ptr_equal(w.now->tables, w.before->tables);
    edited_world_edit(&w, HERE(wider));
    edited_world_edit(&w, HERE(last));
    assert_ptr_equal(w.now->tables, w.before->tables);
    edited_world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_nodes),    cmocka_unit_test(several_moves), cmocka_unit_test(nodes_with_pods),
        cmocka_unit_test(places_of_pods),   cmocka_unit_test(pools),         cmocka_unit_test(pools_with_overlays),
        cmocka_unit_test(budgets),          cmocka_unit_test(new_words),     cmocka_unit_test(labels_nobody_reads),
        cmocka_unit_test(first_of_daemons), cmocka_unit_test(daemons),
    };
    return cmocka_run_group_tests_name("edit_answers", tests, NULL, NULL);
}
