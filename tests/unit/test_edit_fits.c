/* SPDX-License-Identifier: Apache-2.0 */
/* Edits that bring what the snapshot before has no words, units or classes for: whether it is taken over or made anew,
 * the decisions are those on one built afresh. */
#include "edited_world.h"

#include <base/sort.h>
#include <stdio.h>

#include <karp/builder.h>

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
#define USES(name_, claim_, cpu_)                                                                                      \
    {                                                                                                                  \
        .kind = "Pod", .name = name_, .claim = claim_, .cpu = cpu_                                                     \
    }
#define GONE(kind_, name_)                                                                                             \
    {                                                                                                                  \
        .kind = kind_, .name = name_, .gone = true                                                                     \
    }
#define CLAIM(name_, volume)                                                                                           \
    {                                                                                                                  \
        .kind = "PersistentVolumeClaim", .name = name_, .claim = volume                                                \
    }

static const thing cluster[] = {
    { .kind = "NodePool", .name = "pool" },
    NODE("n1", "4", "a"),
    NODE("n2", "4", "b"),
    NODE("n3", "4", "b"),
    RUNS("b1", "n1", "3"),
    RUNS("b2", "n2", "3"),
    RUNS("b3", "n3", "1"),
    WAITS("w1", "2"),
    { .kind = "Pod", .name = "w2", .cpu = "1", .wants = IN("b") },
};

/* The world, two edits of it one after the other, and whether the first is taken over. */
static void edit_twice(const thing *first, size_t first_count, const thing *second, size_t second_count, bool taken)
{
    static edited_world w;
    edited_world_open(&w, HERE(cluster));
    edited_world_edit(&w, first, first_count);
    assert_int_equal(w.now->tables == w.before->tables, taken);
    edited_world_edit(&w, second, second_count);
    edited_world_close(&w);
}

static const thing small[] = { RUNS("b3", "n3", "2"), WAITS("w1", "1") };

/* ---- Nodes and claims -------------------------------------------------------------------------------------------- */

static void amounts_of_nodes(void **state)
{
    (void)state;
    static const thing finer[] = { NODE("n3", "3500m", "b") }, finer_whole[] = {
        { .kind = "Node", .name = "n3", .cpu = "3", .whole = "3500m", .labels = { HOST("n3"), IN("b") } }
    };
    static const thing claim[] = { { .kind = "NodeClaim", .name = "c4", .cpu = "3500m" } },
                       whole_claim[] = { { .kind = "NodeClaim", .name = "c4", .cpu = "3", .whole = "3500m" } };
    static const thing plain_claim[] = { { .kind = "NodeClaim", .name = "c4", .cpu = "4" } };
    edit_twice(HERE(finer), HERE(small), false);
    edit_twice(HERE(finer_whole), HERE(small), false);
    edit_twice(HERE(claim), HERE(small), false);
    edit_twice(HERE(whole_claim), HERE(small), false);
    edit_twice(HERE(plain_claim), HERE(small), true);
}

static void words_of_nodes(void **state)
{
    (void)state;
    static const thing elsewhere[] = { NODE("n4", "4", "c") };
    static const thing unnamed[] = { { .kind = "NodeClaim", .name = "c4", .cpu = "4", .provider = "" },
                                     { .kind = "NodeClaim", .name = "c5", .cpu = "4", .provider = "" } };
    static const thing named[] = { GONE("NodeClaim", "c4"),
                                   { .kind = "NodeClaim", .name = "c5", .cpu = "4", .provider = "n3" } };
    edit_twice(HERE(elsewhere), HERE(small), false);
    edit_twice(HERE(unnamed), HERE(named), true);
}

/* Labels that stand for others, before and beside those. */
static void labels_by_other_names(void **state)
{
    (void)state;
    static edited_world w;
#define OLD_ZONE(zone) L("failure-domain.beta.kubernetes.io/zone", zone)
#define OF_TYPE(type) L("node.kubernetes.io/instance-type", type)
    static const thing asks[] = {
        { .kind = "Pod", .name = "w3", .cpu = "1", .wants = OF_TYPE("four") },
        { .kind = "Node", .name = "n3", .cpu = "4", .labels = { HOST("n3"), IN("b"), OF_TYPE("four") } }
    };
    static const thing by_old[] = { { .kind = "Pod", .name = "w4", .cpu = "1", .wants = OLD_ZONE("b") } };
    static const thing old[] = {
        { .kind = "Node", .name = "n3", .cpu = "4", .labels = { HOST("n3"), OF_TYPE("four"), OLD_ZONE("b") } }
    };
    static const thing both[] = {
        { .kind = "Node", .name = "n3", .cpu = "4", .labels = { HOST("n3"), IN("b"), OLD_ZONE("b") } }
    };
    static const thing unlike[] = {
        { .kind = "Node", .name = "n3", .cpu = "4", .labels = { HOST("n3"), IN("a"), OLD_ZONE("b") } }
    };
    edited_world_open(&w, HERE(cluster));
    edited_world_edit(&w, HERE(asks));
    edited_world_edit(&w, HERE(by_old));
    edited_world_edit(&w, HERE(old)); /* what it says is what it said */
    assert_ptr_equal(w.now->tables, w.before->tables);
    edited_world_edit(&w, HERE(both));
    edited_world_edit(&w, HERE(unlike));
    edited_world_close(&w);
}

/* A claim of a Node's name that is another's, so that two go by one name. */
static void namesakes(void **state)
{
    (void)state;
    static edited_world w;
    static const thing claim[] = { { .kind = "NodeClaim", .name = "n1", .cpu = "4", .provider = "else" } };
    static const thing more[] = { { .kind = "NodeClaim", .name = "n1", .cpu = "3", .provider = "else" },
                                  { .kind = "NodeClaim", .name = "n2", .cpu = "4", .provider = "more" },
                                  NODE("n2", "3", "b") };
    edited_world_open(&w, HERE(cluster));
    edited_world_edit(&w, HERE(claim));
    assert_int_equal(w.now->node_count, 4);
    edited_world_edit(&w, HERE(more));
    edited_world_edit(&w, HERE(small));
    edited_world_close(&w);
}

/* A Node that gets a claim, gives it to another, and loses it. */
static void joined(void **state)
{
    (void)state;
    static edited_world w;
    static const thing claim[] = { { .kind = "NodeClaim", .name = "c1", .cpu = "4", .provider = "n1" } };
    static const thing moves[] = {
        { .kind = "NodeClaim", .name = "c1", .cpu = "4", .provider = "n2" },
        { .kind = "Node", .name = "n3", .cpu = "4", .provider = "n9", .labels = { HOST("n3"), IN("b") } }
    };
    static const thing none[] = { GONE("NodeClaim", "c1"), GONE("Node", "n1") };
    edited_world_open(&w, HERE(cluster));
    edited_world_edit(&w, HERE(claim));
    edited_world_edit(&w, HERE(moves));
    edited_world_edit(&w, HERE(none));
    edited_world_close(&w);
}

/* More objects than are looked at one by one; then as few as before. */
static void many_nodes(void **state)
{
    (void)state;
    enum { MANY = 70 };
    static edited_world w;
    static char names[MANY][8];
    static thing come[MANY], gone[MANY];
    for (unsigned i = 0; i < MANY; i++) {
        (void)snprintf(names[i], sizeof names[i], "x%02u", i);
        come[i] = (thing){
            .kind = "Node", .name = names[i], .cpu = i % 2 ? "1" : "2", .labels = { HOST("x"), IN("a") }
        };
        come[i].labels[0].value = (karp_str){ names[i], 3 };
        gone[i] = (thing){ .kind = "Node", .name = names[i], .gone = true };
    }
    edited_world_open(&w, HERE(cluster));
    edited_world_edit(&w, come, MANY);
    assert_ptr_not_equal(w.now->tables, w.before->tables);
    edited_world_edit(&w, gone, 8);
    assert_ptr_equal(w.now->tables, w.before->tables);
    edited_world_edit(&w, gone + 8, MANY - 8);
    edited_world_close(&w);
}

/* ---- volumes ----------------------------------------------------------------------------------------------------- */

/* A Node is lost to Karpenter while a pod on it has a claim whose volume is gone. */
static void lost_nodes(void **state)
{
    (void)state;
    static edited_world w;
    static const thing missing[] = { CLAIM("lost", "nothing"),
                                     { .kind = "Pod", .name = "b4", .node = "n3", .cpu = "1", .claim = "lost" },
                                     RUNS("b5", "n3", "1") };
    static const thing waiting[] = { WAITS("w3", "1") }, bound[] = { RUNS("b1", "n1", "2") },
                       smaller[] = { NODE("n1", "2", "a") };
    static const thing fewer[] = { GONE("Pod", "b2") };
    static const thing lost[] = { GONE("PersistentVolume", "nothing") };
    static const thing found[] = { { .kind = "PersistentVolume", .name = "nothing" } };
    edited_world_open(&w, HERE(cluster));
    edited_world_edit(&w, HERE(missing));
    assert_non_null(w.now->remaining);
    edited_world_edit(&w, HERE(waiting)); /* nodes are what they were */
    assert_non_null(w.now->remaining);
    assert_ptr_equal(w.now->tables, w.before->tables);
    edited_world_edit(&w, HERE(fewer));
    assert_non_null(w.now->remaining);
    edited_world_edit(&w, HERE(bound));
    edited_world_edit(&w, HERE(smaller));
    edited_world_edit(&w, HERE(found));
    assert_null(w.now->remaining);
    edited_world_edit(&w, HERE(lost));
    assert_non_null(w.now->remaining);
    edited_world_close(&w);
}

/* One that is taken in only now, with such a pod on it. */
static void lost_when_told(void **state)
{
    (void)state;
    static edited_world w;
    static const thing untold[] = {
        CLAIM("lost", "nothing"),
        { .kind = "Node", .name = "n4", .cpu = "4", .labels = { HOST("n4"), L("karpenter.sh/nodepool", "pool") } },
        { .kind = "Pod", .name = "b4", .node = "n4", .cpu = "1", .claim = "lost" },
        RUNS("b5", "n4", "1")
    };
    static const thing there[] = { RUNS("b5", "n4", "2"), RUNS("b6", "n4", "1") };
    static const thing told[] = { { .kind = "Node",
                                    .name = "n4",
                                    .cpu = "4",
                                    .labels = { HOST("n4"), L("karpenter.sh/nodepool", "pool"),
                                                L("node.kubernetes.io/instance-type", "four") } } };
    edited_world_open(&w, HERE(cluster));
    edited_world_edit(&w, HERE(untold));
    assert_null(w.now->remaining);
    edited_world_edit(&w, HERE(there));
    assert_ptr_equal(w.now->tables, w.before->tables);
    edited_world_edit(&w, HERE(told));
    assert_non_null(w.now->remaining);
    edited_world_close(&w);
}

/* Pods on nodes whose volumes are there: one that was there, one that comes, in its place and behind all others. */
static void volumes_on_nodes(void **state)
{
    (void)state;
    static edited_world w;
    static const thing volumes[] = { CLAIM("data", "disk"),
                                     { .kind = "PersistentVolume", .name = "disk", .wants = IN("b") },
                                     { .kind = "Pod", .name = "b4", .node = "n3", .cpu = "1", .claim = "data" } };
    static const thing again[] = { { .kind = "Pod", .name = "b4", .node = "n2", .cpu = "1", .claim = "data" } };
    static const thing more[] = { { .kind = "Pod", .name = "b5", .node = "n3", .cpu = "1", .claim = "data" },
                                  { .kind = "Pod", .name = "b6", .node = "n3", .cpu = "1", .claim = "data" } };
    static const thing waiting[] = { CLAIM("lost", "nothing"), USES("b7", "lost", "1") },
                       bound[] = { { .kind = "Pod", .name = "b7", .node = "n1", .cpu = "1", .claim = "lost" } };
    edited_world_open(&w, HERE(cluster));
    edited_world_edit(&w, HERE(volumes));
    edited_world_edit(&w, HERE(again));
    assert_ptr_equal(w.now->tables, w.before->tables);
    edited_world_edit(&w, HERE(more));
    edited_world_edit(&w, HERE(waiting));
    edited_world_edit(&w, HERE(bound)); /* that takes the Node from Karpenter */
    assert_non_null(w.now->remaining);
    edited_world_close(&w);
}

/* A pod that asks for no volume is not of the class of one that does, be all else the same. */
static void classes_with_volumes(void **state)
{
    (void)state;
    static edited_world w;
    static const thing base[] = {
        { .kind = "NodePool", .name = "pool" },
        NODE("n1", "4", "a"),
        NODE("n2", "4", "b"),
        CLAIM("data", "disk"),
        CLAIM("plain", "any"),
        CLAIM("lost", "nothing"),
        { .kind = "PersistentVolume", .name = "disk", .wants = IN("b") },
        { .kind = "PersistentVolume", .name = "any" },
        USES("p1", "data", "1"),
        USES("p2", "missing", "2"),
        USES("p3", "lost", "3"),
        USES("p4", "plain", "500m"),
    };
    static const thing limits[] = { { .kind = "CSINode", .name = "n1", .most = 1 },
                                    { .kind = "CSINode", .name = "n2", .most = 1 } };
    static const thing unlimited[] = { GONE("CSINode", "n2"), GONE("CSINode", "n1"),
                                       GONE("PersistentVolumeClaim", "plain") };
    static const thing without[] = { WAITS("q1", "1"), WAITS("q2", "2"), WAITS("q3", "3"), WAITS("q4", "500m") };
    static const thing others[] = { WAITS("p1", "1"), WAITS("p2", "2"), USES("q4", "plain", "500m") };
    static const thing asking[] = { USES("q1", "data", "1"), USES("q2", "data", "2") };
    for (int limited = 0; limited < 2; limited++) {
        edited_world_open(&w, HERE(base));
        if (limited) edited_world_edit(&w, HERE(limits));
        edited_world_edit(&w, HERE(without));
        assert_ptr_equal(w.now->tables, w.before->tables);
        edited_world_edit(&w, HERE(asking));
        edited_world_edit(&w, HERE(others));
        if (limited) edited_world_edit(&w, HERE(unlimited));
        edited_world_close(&w);
    }
}

/* ---- classes ----------------------------------------------------------------------------------------------------- */

/* What default constraints count depends on who controls a pod, so that equal pods of two owners are of two classes. */
static void classes_by_owner(void **state)
{
    (void)state;
    static edited_world w;
    static const karp_spread_constraint spread = { .topology_key = { "topology.kubernetes.io/zone", 27 },
                                                   .max_skew = 1 };
#define OWNED(name_, owner_)                                                                                           \
    {                                                                                                                  \
        .kind = "Pod", .name = name_, .cpu = "1", .owner = owner_, .labels = { L("app", "x") }                         \
    }
    static const thing owned[] = { OWNED("o1", "one"), OWNED("o2", "one") }, other[] = { OWNED("o2", "two") },
                       none[] = { OWNED("o2", NULL), OWNED("o3", "one") };
    static const thing placed[] = {
        { .kind = "Pod", .name = "o1", .node = "n3", .cpu = "1", .owner = "one", .labels = { L("app", "x") } }
    };
    for (int given = 0; given < 2; given++) {
        edited_world_open_with(&w, given ? &spread : NULL, false, HERE(cluster));
        edited_world_edit(&w, HERE(owned));
        edited_world_edit(&w, HERE(other));
        edited_world_edit(&w, HERE(none));
        edited_world_edit(&w, HERE(placed));
        edited_world_close(&w);
    }
}

/* Pods that ask for devices: the first of them, and such as ask for others or none. */
static void devices(void **state)
{
    (void)state;
    static edited_world w;
#define ASKS(name_, claim_)                                                                                            \
    {                                                                                                                  \
        .kind = "Pod", .name = name_, .cpu = "1", .device = claim_                                                     \
    }
    static const thing claims[] = { { .kind = "ResourceClaim", .name = "d1" },
                                    { .kind = "ResourceClaim", .name = "d2" } };
    static const thing before[] = { WAITS("a0", "2"), { .kind = "Pod", .name = "w1", .node = "n3", .cpu = "2" } };
    static const thing first[] = { ASKS("a1", "d1") }, others[] = { ASKS("a1", "d2"), WAITS("a2", "1") },
                       none[] = { GONE("Pod", "a1") };
    for (int allocated = 0; allocated < 2; allocated++) {
        edited_world_open_with(&w, NULL, allocated, HERE(cluster));
        edited_world_edit(&w, HERE(before));
        assert_ptr_equal(w.now->tables, w.before->tables);
        edited_world_edit(&w, HERE(claims));
        edited_world_edit(&w, HERE(first));
        edited_world_edit(&w, HERE(others));
        edited_world_edit(&w, HERE(none));
        edited_world_edit(&w, HERE(small));
        edited_world_close(&w);
    }
}

/* Whom Services, budgets and namespaces are about: labels that were read of pods before, and others. */
static void objects_about_pods(void **state)
{
    (void)state;
    static edited_world w;
#define AS(app_) .labels = { L("app", app_) }
    static const thing unread[] = { { .kind = "Pod", .name = "a0", .cpu = "1", .labels = { L("job", "1") } } };
    static const thing behind[] = {
        { .kind = "Pod", .name = "a2", .cpu = "1", .labels = { L("job", "2"), L("app", "x") } },
        { .kind = "Pod", .name = "a3", .cpu = "1", .labels = { L("job", "3") } }
    };
    static const thing pods[] = { { .kind = "Pod", .name = "a1", .node = "n3", .cpu = "1", AS("x") },
                                  { .kind = "Service", .name = "s", AS("x") } };
    static const thing as_read[] = { { .kind = "Service", .name = "s", AS("y") },
                                     { .kind = "Service", .name = "t", AS("x") },
                                     { .kind = "Namespace", .name = "default", .labels = { L("of", "all") } } };
    static const thing relabelled[] = { { .kind = "Pod", .name = "a1", .node = "n3", .cpu = "1", AS("y") } };
    static const thing others[] = { { .kind = "Service", .name = "s", .labels = { L("tier", "x") } },
                                    { .kind = "Namespace", .name = "default", .labels = { L("of", "none") } } };
    static const thing none[] = { GONE("Service", "s"), GONE("Namespace", "default"), GONE("Service", "t") };
    edited_world_open(&w, HERE(cluster));
    edited_world_edit(&w, HERE(unread));
    edited_world_edit(&w, HERE(pods));
    edited_world_edit(&w, HERE(behind)); /* what is read of it stands behind what is not */
    assert_int_equal(w.now->class_count, w.classes);
    assert_ptr_equal(w.now->tables, w.before->tables);
    edited_world_edit(&w, HERE(as_read));
    assert_ptr_equal(w.now->tables, w.before->tables);
    edited_world_edit(&w, HERE(relabelled)); /* in its place in all orders, and of another class */
    assert_ptr_equal(w.now->queue, w.before->queue);
    assert_ptr_not_equal(w.now->pod_class, w.before->pod_class);
    edited_world_edit(&w, HERE(others));
    assert_ptr_not_equal(w.now->tables, w.before->tables);
    edited_world_edit(&w, HERE(none));
    edited_world_close(&w);
}

/* More pods wait than one word of bits has room for; then fewer. */
static void around_a_word(void **state)
{
    (void)state;
    enum { MOST = 65, LEAST = 57 };
    static edited_world w;
    static char names[MOST][8];
    static thing waiting[MOST], gone[MOST];
    for (unsigned i = 0; i < MOST; i++) {
        (void)snprintf(names[i], sizeof names[i], "z%02u", i);
        waiting[i] = (thing){ .kind = "Pod", .name = names[i], .cpu = i % 2 ? "1" : "2" };
        gone[i] = (thing){ .kind = "Pod", .name = names[i], .gone = true };
    }
    edited_world_open(&w, HERE(cluster));
    edited_world_edit(&w, waiting, LEAST);
    edited_world_edit(&w, waiting + LEAST, MOST - LEAST);
    assert_ptr_equal(w.now->tables, w.before->tables);
    edited_world_edit(&w, gone, MOST - LEAST);
    edited_world_edit(&w, waiting, MOST - LEAST);
    edited_world_close(&w);
}

/* Classes come, the last of them goes, one in the middle goes, whose number another gets. */
static void classes_renumbered(void **state)
{
    (void)state;
    static edited_world w;
    static const thing come[] = { WAITS("c1", "500m"), WAITS("c2", "1500m"), WAITS("c3", "3500m") };
    static const thing last[] = { GONE("Pod", "c3"), WAITS("c4", "1500m") },
                       middle[] = { GONE("Pod", "c1"), GONE("Pod", "w1") },
                       all[] = { GONE("Pod", "w2"), GONE("Pod", "c2"), GONE("Pod", "c4") };
    edited_world_open(&w, HERE(cluster));
    edited_world_edit(&w, HERE(come));
    assert_int_equal(w.now->class_count, w.classes);
    edited_world_edit(&w, HERE(last));
    assert_int_equal(w.now->class_count, w.classes);
    edited_world_edit(&w, HERE(middle));
    assert_int_equal(w.now->class_count, w.classes);
    edited_world_edit(&w, HERE(all));
    assert_int_equal(w.now->class_count, w.classes);
    edited_world_close(&w);
}

/* A resource that nobody had. */
static void new_resources(void **state)
{
    (void)state;
    static const thing strange[] = { { .kind = "Pod", .name = "w3", .cpu = "1", .resource = "example.com/x" } };
    edit_twice(HERE(strange), HERE(small), false);
}

/* What nothing provided shares a column, until something provides it. */
static void provided_later(void **state)
{
    (void)state;
#define ASKS_FOR(name_, resource_)                                                                                     \
    {                                                                                                                  \
        .kind = "Pod", .name = name_, .cpu = "1", .resource = resource_                                                \
    }
    static const thing strange[] = { ASKS_FOR("w3", "example.com/x"), ASKS_FOR("w4", "example.com/y") };
    static const thing other[] = { ASKS_FOR("w4", "example.com/x") };
    static const thing has[] = {
        { .kind = "Node", .name = "n3", .cpu = "4", .resource = "example.com/y", .labels = { HOST("n3"), IN("b") } }
    };
    static const thing claim[] = { { .kind = "NodeClaim", .name = "c4", .cpu = "4", .resource = "example.com/x" } };
    const struct {
        const thing *edit;
        bool taken;
    } then[] = { { other, true }, { has, false }, { claim, false } };
    for (size_t i = 0; i < sizeof then / sizeof *then; i++) {
        static edited_world w;
        edited_world_open(&w, HERE(cluster));
        edited_world_edit(&w, strange, 2);
        assert_int_equal(w.now->nowhere, w.now->dims - 1);
        edited_world_edit(&w, then[i].edit, 1);
        assert_int_equal(w.now->tables == w.before->tables, then[i].taken);
        edited_world_edit(&w, HERE(small));
        edited_world_close(&w);
    }
}

typedef struct many_pods {
    unsigned count, size; /* the first asks for so many thousandths of a cpu, … */
    unsigned growth; /* … the next for so many more */
    const char *node;
} many_pods;

/* An edit that puts pods p0000, p0001, … there, in place of those that are there. */
static karp_snapshot *with_many(const karp_snapshot *from, const many_pods *m)
{
    karp_builder *b = NULL;
    karp_snapshot *s = NULL;
    assert_int_equal(karp_snapshot_edit(from, &b, NULL), KARP_OK);
    for (unsigned i = 0; i < m->count; i++) {
        char name[16], cpu[16];
        const karp_str named = { name, (size_t)snprintf(name, sizeof name, "p%04u", i) };
        const karp_resource request = {
            .name = { "cpu", 3 }, .text = { cpu, (size_t)snprintf(cpu, sizeof cpu, "%um", m->size + i * m->growth) }
        };
        const karp_container container = { .name = { "c", 1 }, .requests = &request, .request_count = 1 };
        const karp_pod p = { .size = sizeof p,
                             .meta = { .name = named },
                             .containers = &container,
                             .container_count = 1,
                             .termination_grace_seconds = -1,
                             .node_name = { m->node, m->node != NULL ? 2 : 0 },
                             .phase = m->node != NULL ? KARP_PHASE_RUNNING : KARP_PHASE_PENDING };
        (void)karp_builder_remove(b, (karp_str){ "Pod", 3 }, (karp_str){ NULL, 0 }, named, NULL);
        assert_int_equal(karp_builder_add_pod(b, &p, NULL), KARP_OK);
    }
    assert_int_equal(karp_builder_finish(b, &s, NULL), KARP_OK);
    karp_builder_free(b);
    return s;
}

/* So many classes that pods which changed are not looked for among them. */
static void many_classes(void **state)
{
    (void)state;
    static edited_world w;
    static const many_pods all = { 6000, 1, 1, NULL }, some = { 190, 7001, 1, NULL };
    edited_world_open(&w, cluster, 0);
    karp_snapshot *before = with_many(w.now, &all), *s = with_many(before, &some);
    assert_int_equal(s->class_count, all.count);
    for (uint32_t i = 0; i < all.count; i++) {
        int64_t expected = i < some.count ? some.size + i : all.size + i;
        assert_int_equal(s->classes[s->pod_class[s->by_name[i]]].requests[RESOURCE_CPU], expected);
    }
    karp_snapshot_unref(before);
    karp_snapshot_unref(s);
    edited_world_close(&w);
}

/* ---- none, and those of buffers ---------------------------------------------------------------------------------- */

static void from_nothing(void **state)
{
    (void)state;
    static edited_world w;
    static const thing pool[] = { { .kind = "NodePool", .name = "pool" } },
                       first[] = { WAITS("w1", "1"), WAITS("w0", "2") },
                       none[] = { GONE("Pod", "w1"), GONE("Pod", "w0") };
    edited_world_open(&w, HERE(pool));
    edited_world_edit(&w, HERE(first));
    edited_world_edit(&w, HERE(none));
    edited_world_edit(&w, HERE(first));
    edited_world_close(&w);
}

/* Pods of buffers stand behind the others, whatever comes and goes before them. */
static void buffers(void **state)
{
    (void)state;
    static edited_world w;
    static const thing come[] = { { .kind = "CapacityBuffer", .name = "b", .cpu = "1", .most = 3 } },
                       fewer[] = { { .kind = "CapacityBuffer", .name = "b", .cpu = "1", .most = 1 } };
    static const thing pods[] = { GONE("Pod", "w1"), RUNS("b7", "n2", "1") }, gone[] = { GONE("CapacityBuffer", "b") },
                       again[] = { WAITS("w1", "2") };
    edited_world_open(&w, HERE(cluster));
    edited_world_edit(&w, HERE(come));
    edited_world_edit(&w, HERE(pods));
    edited_world_edit(&w, HERE(fewer));
    edited_world_edit(&w, HERE(small));
    edited_world_edit(&w, HERE(gone));
    edited_world_edit(&w, HERE(again));
    edited_world_close(&w);
}

/* ---- refused memory ---------------------------------------------------------------------------------------------- */

static void refused(void **state)
{
    (void)state;
    static edited_world w;
    static const thing pods[] = {
        RUNS("b1", "n2", "1"),
        RUNS("b4", "n1", "500m"),
        GONE("Pod", "b3"),
        WAITS("w0", "1"),
        { .kind = "Pod", .name = "w2", .cpu = "2", .wants = IN("b"), .labels = { L("app", "new") } }
    };
    static const thing nodes[] = { GONE("Node", "n1"),
                                   NODE("n4", "4", "a"),
                                   { .kind = "NodeClaim", .name = "c2", .cpu = "4", .provider = "n2" },
                                   RUNS("b4", "n4", "1") };
    static const thing rest[] = { { .kind = "NodePool", .name = "pool", .labels = { L("team", "red") } },
                                  { .kind = "PodDisruptionBudget", .name = "x" },
                                  { .kind = "DaemonSet", .name = "set", .cpu = "1" } };
    edited_world_open(&w, HERE(cluster));
    assert_true(edited_world_refuse(&w, HERE(pods)) > 30);
    assert_true(edited_world_refuse(&w, HERE(nodes)) > 30);
    assert_true(edited_world_refuse(&w, HERE(rest)) > 20);
    edited_world_edit(&w, HERE(pods));
    assert_true(edited_world_refuse(&w, HERE(nodes)) > 30);
    edited_world_close(&w);
}

/* So many pods that lists of them take memory to sort. */
static void many_refused(void **state)
{
    (void)state;
    enum { CHANGED = 70 };
    static edited_world w;
    static char names[CHANGED][8];
    static thing moves[CHANGED];
    static const many_pods all = { 2200, 10, 0, "n3" };
    for (unsigned i = 0; i < CHANGED; i++) {
        (void)snprintf(names[i], sizeof names[i], "p%04u", i * 31);
        moves[i] = (thing){ .kind = "Pod", .name = names[i], .cpu = i % 2 ? "1" : "2", .node = i % 3 ? "n1" : "n2" };
    }
    edited_world_open(&w, HERE(cluster));
    karp_snapshot *s = with_many(w.now, &all);
    karp_snapshot_unref(w.now);
    w.now = s;
    assert_true(edited_world_refuse(&w, moves, CHANGED) > 50);
    for (unsigned i = 0; i < CHANGED; i++) moves[i].gone = true;
    assert_true(edited_world_refuse(&w, moves, CHANGED) > 30);
    edited_world_close(&w);
}

/* ---- many edits -------------------------------------------------------------------------------------------------- */

/* So many that data of former nodes is gathered: of Nodes with and without claims, of claims without Nodes, with pods
 * that ended. */
static void gathered_nodes(void **state)
{
    (void)state;
    enum { EDITS = 120 };
    static const thing varied[] = {
        { .kind = "NodePool", .name = "pool" },
        NODE("n1", "4", "a"),
        { .kind = "Node", .name = "n2", .cpu = "4", .provider = "p2", .labels = { HOST("n2"), IN("b") } },
        { .kind = "NodeClaim", .name = "c2", .cpu = "4", .provider = "p2" },
        { .kind = "NodeClaim", .name = "c3", .cpu = "2" },
        RUNS("b1", "n1", "1"),
        { .kind = "Pod", .name = "b2", .node = "n1", .cpu = "1", .over = true },
        RUNS("b3", "n2", "1"),
        WAITS("w1", "2"),
    };
    static edited_world w;
    edited_world_open(&w, HERE(varied));
    const type_table *tables = w.now->tables;
    for (unsigned i = 0; i < EDITS; i++) {
        const thing changes[] = {
            RUNS("b3", "n2", i % 2 ? "1" : "2"),
            { .kind = "NodeClaim", .name = i % 3 ? "c2" : "c3", .cpu = "4", .provider = i % 3 ? "p2" : NULL },
            { .kind = "Node", .name = "n1", .cpu = i % 5 ? "4" : "3", .labels = { HOST("n1"), IN("a") } },
        };
        if (i >= EDITS / 4 && i < EDITS / 2) edited_world_refuse(&w, HERE(changes));
        edited_world_edit(&w, HERE(changes));
        assert_ptr_equal(w.now->tables, tables);
    }
    edited_world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(amounts_of_nodes),
        cmocka_unit_test(words_of_nodes),
        cmocka_unit_test(labels_by_other_names),
        cmocka_unit_test(namesakes),
        cmocka_unit_test(joined),
        cmocka_unit_test(many_nodes),
        cmocka_unit_test(lost_nodes),
        cmocka_unit_test(lost_when_told),
        cmocka_unit_test(volumes_on_nodes),
        cmocka_unit_test(classes_with_volumes),
        cmocka_unit_test(classes_by_owner),
        cmocka_unit_test(devices),
        cmocka_unit_test(classes_renumbered),
        cmocka_unit_test(new_resources),
        cmocka_unit_test(provided_later),
        cmocka_unit_test(objects_about_pods),
        cmocka_unit_test(around_a_word),
        cmocka_unit_test(many_classes),
        cmocka_unit_test(from_nothing),
        cmocka_unit_test(buffers),
        cmocka_unit_test(refused),
        cmocka_unit_test(many_refused),
        cmocka_unit_test(gathered_nodes),
    };
    return cmocka_run_group_tests_name("edit_fits", tests, NULL, NULL);
}
