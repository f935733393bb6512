/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes and NodeClaims as the scheduler knows them. */
#include <support/building.h>

#include <karp/inspect.h>
#include <karp/snapshot.h>
#include <model/snapshot.h>
#include <stdio.h>

#define LABEL(key, value)                                                                                              \
    {                                                                                                                  \
        T(key), T(value)                                                                                               \
    }
#define IS_REGISTERED LABEL("karpenter.sh/registered", "true")
#define IS_INITIALIZED LABEL("karpenter.sh/initialized", "true")
#define OF_POOL LABEL("karpenter.sh/nodepool", "default")

static karp_snapshot *finish(building *f)
{
    karp_snapshot *s = NULL;
    good(f, karp_builder_finish(f->b, &s, &f->error));
    return s;
}

static karp_node node_of(const char *name, const karp_label *labels, size_t label_count)
{
    return (karp_node){ .size = sizeof(karp_node),
                        .meta = { .name = str(name), .labels = labels, .label_count = label_count },
                        .provider_id = str(name) };
}

static uint32_t place_of(const karp_snapshot *s, const char *name)
{
    uint32_t i = 0;
    while (i < s->node_count && !equal_str(name_of(s, s->nodes[i].name), str(name))) i++;
    return i;
}

static state_node known(const karp_snapshot *s, const char *name)
{
    assert_true(place_of(s, name) < s->node_count);
    return s->nodes[place_of(s, name)];
}

/* ---- taints ------------------------------------------------------------------------------------------------------ */

static const karp_taint all_taints[] = {
    { T("node.kubernetes.io/not-ready"), T(""), T("NoSchedule") },
    { T("node.kubernetes.io/not-ready"), T(""), T("NoExecute") },
    { T("node.kubernetes.io/not-ready"), T(""), T("PreferNoSchedule") }, /* 2 stays */
    { T("node.kubernetes.io/unreachable"), T(""), T("NoSchedule") },
    { T("node.kubernetes.io/unreachable"), T(""), T("NoExecute") }, /* 4 stays */
    { T("node.cloudprovider.kubernetes.io/uninitialized"), T("any"), T("NoSchedule") },
    { T("node.cloudprovider.kubernetes.io/uninitialized"), T("true"), T("NoExecute") }, /* 6 stays */
    { T("karpenter.sh/unregistered"), T(""), T("NoExecute") },
    { T("karpenter.sh/unregistered"), T(""), T("NoSchedule") }, /* 8 stays */
    { T("readiness.k8s.io/network"), T(""), T("PreferNoSchedule") },
    { T("readiness.k8s.ip/network"), T(""), T("NoSchedule") }, /* 10 stays */
    { T("readiness"), T(""), T("NoSchedule") }, /* 11 stays */
    { T("start"), T("x"), T("NoSchedule") },
    { T("start"), T("y"), T("NoExecute") }, /* 13 stays */
};
static const karp_taint startup[] = { { T("start"), T("other"), T("NoSchedule") } };

static void assert_taints(const karp_snapshot *s, const char *name, const size_t *stay, size_t count)
{
    state_node n = known(s, name);
    assert_int_equal(n.taints.count, count);
    for (size_t i = 0; i < count; i++) {
        const karp_taint *wanted = &all_taints[stay != NULL ? stay[i] : i];
        assert_true(equal_str(text_of(s, n.taints.items[i].key), wanted->key));
        assert_true(equal_str(text_of(s, n.taints.items[i].effect), wanted->effect));
    }
}

static void taints(void **state)
{
    building *f = *state;
    static const size_t stay[] = { 2, 4, 6, 8, 10, 11, 13 };
    static const karp_label young[] = { IS_REGISTERED, OF_POOL, LABEL("node.kubernetes.io/instance-type", "t") },
                            old[] = { IS_REGISTERED, IS_INITIALIZED, OF_POOL };
    static const karp_label plain[] = { LABEL("a", "b") };
    const struct {
        const char *name;
        const karp_label *labels;
        size_t label_count;
        bool managed;
    } nodes[] = {
        { "young", young, 3, true },
        { "old", old, 3, true },
        { "foreign", plain, 1, false },
        { "unregistered", plain, 1, true },
    };
    for (size_t i = 0; i < COUNT(nodes); i++) {
        karp_node n = node_of(nodes[i].name, nodes[i].labels, nodes[i].label_count);
        n.taints = all_taints;
        n.taint_count = COUNT(all_taints);
        good(f, karp_builder_add_node(f->b, &n, &f->error));
        if (!nodes[i].managed) continue;
        karp_node_claim c = { .size = sizeof c,
                              .meta = { .name = str(nodes[i].name) },
                              .provider_id = str(nodes[i].name),
                              .startup_taints = startup,
                              .startup_taint_count = 1,
                              .taints = all_taints + 11,
                              .taint_count = 1 };
        good(f, karp_builder_add_node_claim(f->b, &c, &f->error));
    }
    karp_snapshot *s = finish(f);
    assert_taints(s, "young", stay, COUNT(stay)); /* not initialised: without those that go by themselves */
    assert_taints(s, "old", NULL, COUNT(all_taints));
    assert_taints(s, "foreign", NULL, COUNT(all_taints));
    assert_taints(s, "unregistered", stay + 5, 1); /* the claim's */
    karp_snapshot_unref(s);
}

/* A list of taints that no block of memory has room for besides others: where memory is refused, nothing is made. */
static void refused_taints(void **state)
{
    building *f = *state;
    enum { MANY = 20000 };
    static karp_taint many[MANY];
    static char keys[MANY][8];
    static const karp_label young[] = { IS_REGISTERED, OF_POOL, LABEL("node.kubernetes.io/instance-type", "t") };
    for (unsigned i = 0; i < MANY; i++) {
        many[i] = (karp_taint){ { keys[i], (size_t)snprintf(keys[i], sizeof keys[i], "k%u", i) },
                                T(""),
                                T("NoSchedule") };
    }
    karp_node n = node_of("n", young, COUNT(young));
    n.taints = many;
    n.taint_count = MANY;
    good(f, karp_builder_add_node(f->b, &n, &f->error));
    karp_node_claim c = { .size = sizeof c,
                          .meta = { .name = T("n") },
                          .provider_id = T("n"),
                          .startup_taints = many,
                          .startup_taint_count = 1 };
    good(f, karp_builder_add_node_claim(f->b, &c, &f->error));
    for (size_t at = 1;; at++) {
        karp_snapshot *s = NULL;
        fault_arm(&f->fault, at, false);
        karp_status status = karp_builder_finish(f->b, &s, &f->error);
        size_t refused = f->fault.refused;
        fault_arm(&f->fault, 0, false);
        assert_int_equal(status, refused > 0 ? KARP_E_NOMEM : KARP_OK);
        if (refused > 0) continue;
        assert_int_equal(known(s, "n").taints.count, MANY - 1);
        karp_snapshot_unref(s);
        break;
    }
}

/* ---- which exist, hostnames, deletion marks ---------------------------------------------------------------------- */

/* A node that carries a pool's name is in the cluster state once it has a provider id, and is initialised or has its
 * type. */
static void in_cluster_state(void **state)
{
    building *f = *state;
    static const karp_label pool[] = { OF_POOL }, no_pool[] = { LABEL("karpenter.sh/nodepool", "") },
                            typed[] = { OF_POOL, LABEL("node.kubernetes.io/instance-type", "t") };
    static const karp_label no_type[] = { OF_POOL, LABEL("node.kubernetes.io/instance-type", "") },
                            initialized[] = { OF_POOL, IS_INITIALIZED };
    const struct {
        const char *name;
        const karp_label *labels;
        size_t label_count;
        bool no_provider, expected;
    } nodes[] = {
        { "a", pool, 1, false, false }, { "b", no_pool, 1, true, true },   { "c", typed, 2, false, true },
        { "d", typed, 2, true, false }, { "e", no_type, 2, false, false }, { "f", initialized, 2, false, true },
        { "g", NULL, 0, true, true },
    };
    for (size_t i = 0; i < COUNT(nodes); i++) {
        karp_node n = node_of(nodes[i].name, nodes[i].labels, nodes[i].label_count);
        if (nodes[i].no_provider) n.provider_id = str("");
        good(f, karp_builder_add_node(f->b, &n, &f->error));
    }
    karp_snapshot *s = finish(f);
    for (size_t i = 0; i < COUNT(nodes); i++)
        assert_int_equal(place_of(s, nodes[i].name) < s->node_count, nodes[i].expected);
    karp_snapshot_unref(s);
}

static void hostnames_and_marks(void **state)
{
    building *f = *state;
    static const karp_label host[] = { LABEL("kubernetes.io/hostname", "h") },
                            empty[] = { LABEL("kubernetes.io/hostname", "") };
    static const karp_condition going[] = { { T("InstanceTerminating"), T("True"), T(""), 5 } },
                                staying[] = { { T("InstanceTerminating"), T("False"), T(""), 5 } };
    const struct {
        const char *name, *hostname;
        const karp_label *labels;
        size_t label_count;
        const karp_condition *says;
        bool marked;
    } nodes[] = {
        { "n1", "h", host, 1, NULL, false },
        { "n2", "n2", empty, 1, staying, false },
        { "n3", "n3", NULL, 0, going, true },
    };
    for (size_t i = 0; i < COUNT(nodes); i++) {
        karp_node n = node_of(nodes[i].name, nodes[i].labels, nodes[i].label_count);
        karp_label labels[2] = { IS_REGISTERED };
        if (nodes[i].label_count > 0) labels[1] = nodes[i].labels[0];
        n.meta.labels = labels;
        n.meta.label_count = nodes[i].label_count + 1;
        good(f, karp_builder_add_node(f->b, &n, &f->error));
        karp_node_claim c = { .size = sizeof c,
                              .meta = { .name = str(nodes[i].name) },
                              .provider_id = str(nodes[i].name),
                              .conditions = nodes[i].says,
                              .condition_count = nodes[i].says != NULL };
        good(f, karp_builder_add_node_claim(f->b, &c, &f->error));
    }
    karp_snapshot *s = finish(f);
    for (size_t i = 0; i < COUNT(nodes); i++) {
        state_node n = known(s, nodes[i].name);
        assert_true(equal_str(text_of(s, n.hostname), str(nodes[i].hostname)));
        assert_int_equal(n.marked, nodes[i].marked);
    }
    karp_snapshot_unref(s);
}

/* ---- resources --------------------------------------------------------------------------------------------------- */

/* Far more is bound than there is: what is left stops where sums of it stay whole. */
static void overcommitted(void **state)
{
    building *f = *state;
    static const karp_resource little[] = { AMOUNT("memory", "1") }, much[] = { AMOUNT("memory", "2E") };
    karp_node n = node_of("n", NULL, 0);
    n.capacity = n.allocatable = little;
    n.capacity_count = n.allocatable_count = 1;
    good(f, karp_builder_add_node(f->b, &n, &f->error));
    static const char *const names[] = { "a", "b", "c" };
    for (size_t i = 0; i < COUNT(names); i++) {
        karp_container c = { .name = T("c"), .requests = much, .request_count = 1 };
        karp_pod p = { .size = sizeof p,
                       .meta = { .name = str(names[i]) },
                       .node_name = T("n"),
                       .containers = &c,
                       .container_count = 1 };
        good(f, karp_builder_add_pod(f->b, &p, &f->error));
    }
    karp_snapshot *s = finish(f);
    state_node full = known(s, "n");
    uint32_t memory = strings_find(&s->raw.resources, "memory", 6);
    assert_int_equal(full.pod_count, 3);
    assert_true(amount_cmp(s->units[memory], amount_whole(1)) == 0);
    assert_true(full.available[memory] == -(INT64_C(1) << 62));
    karp_snapshot_unref(s);
}

/* In the order of names, whatever the order they were added in. */
static void names(void **state)
{
    building *f = *state;
    static const char *const given[] = { "n-b", "n-c", "n-a" }, *const told_names[] = { "n-a", "n-b", "n-c" };
    for (size_t i = 0; i < 3; i++) {
        karp_node n = node_of(given[i], NULL, 0);
        good(f, karp_builder_add_node(f->b, &n, &f->error));
    }
    karp_snapshot *s = finish(f);
    for (size_t i = 0; i < 3; i++) assert_true(equal_str(karp_snapshot_node_name(s, i), str(told_names[i])));
    for (size_t i = 3; i < 5; i++) {
        karp_str beyond = karp_snapshot_node_name(s, i);
        assert_true(beyond.ptr == NULL && beyond.len == 0);
    }
    karp_snapshot_unref(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(taints, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(refused_taints, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(in_cluster_state, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(hostnames_and_marks, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(names, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(overcommitted, building_set_up, building_tear_down),
    };
    return cmocka_run_group_tests_name("state_nodes", tests, NULL, NULL);
}
