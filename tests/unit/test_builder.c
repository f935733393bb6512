/* SPDX-License-Identifier: Apache-2.0 */
/* What the builder keeps of pods, and how it tells them apart. */
#include <support/building.h>

#include <model/store_pods.h>

#include <karp/settings.h>

static karp_pod pod_named(const char *name)
{
    karp_pod p = { .size = sizeof p, .meta = { .name = str(name) }, .termination_grace_seconds = -1 };
    return p;
}

static const pod *add_pod(building *f, const karp_pod *p)
{
    good(f, karp_builder_add_pod(f->b, p, &f->error));
    return pod_at(f->s, f->s->pods.count - 1);
}

static const shape *add_shape(building *f, const karp_pod *p)
{
    uint32_t id = add_pod(f, p)->shape;
    return &f->s->shapes.items[id];
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

static void test_empty(void **state)
{
    building *f = *state;
    assert_int_equal(text_id(f, ""), NO_TEXT);
    assert_int_equal(name_id(f, ""), NO_TEXT);
    assert_int_equal(strings_find(&f->s->resources, "cpu", 3), RESOURCE_CPU);
    assert_int_equal(strings_find(&f->s->resources, "nodes", 5), RESOURCE_NODES);
    assert_true(f->s->now == INT64_C(1767225600000000000));
    assert_int_equal(f->s->settings.gates, KARP_GATE_RESERVED_CAPACITY);
    assert_int_equal(f->s->pods.count, 0);
    karp_builder_free(NULL);
}

static void test_names(void **state)
{
    building *f = *state;
    karp_pod p = pod_named("");
    bad(f, karp_builder_add_pod(f->b, &p, &f->error), KARP_E_INVALID, "Pod", "metadata.name");
    bad(f, karp_builder_add_pod(f->b, NULL, &f->error), KARP_E_INVALID, "Pod", "metadata.name");
    assert_int_equal(karp_builder_add_pod(f->b, NULL, NULL), KARP_E_INVALID);

    p = pod_named("web-0");
    const pod *first = add_pod(f, &p);
    assert_int_equal(first->name_space, text_id(f, "default"));
    assert_int_equal(first->name, name_id(f, "web-0"));
    assert_string_equal(first->uid, "Pod/default/web-0");
    assert_int_equal(first->uid_len, strlen("Pod/default/web-0"));

    p.meta.namespace_ = str("default");
    bad(f, karp_builder_add_pod(f->b, &p, &f->error), KARP_E_DUPLICATE, "Pod default/web-0", "metadata.name");
    p.meta.namespace_ = str("other");
    p.meta.uid = str("8d0c-1");
    const pod *second = add_pod(f, &p);
    assert_string_equal(second->uid, "8d0c-1");
    assert_int_equal(f->s->pods.count, 2);
    assert_true(store_index_pods(&f->b->s)); /* as finishing does */
    assert_int_equal(store_find(f->s, KIND_POD, text_id(f, "other"), name_id(f, "web-0")), 1);
    assert_int_equal(store_find(f->s, KIND_POD, text_id(f, "default"), name_id(f, "web-0")), 0);
    assert_int_equal(store_find(f->s, KIND_DAEMON_SET, text_id(f, "default"), name_id(f, "web-0")), NO_ID);
}

static void test_times(void **state)
{
    building *f = *state;
    karp_pod p = pod_named("zeroed");
    const pod *added = add_pod(f, &p);
    assert_true(added->creation == 0 && added->deletion == KARP_NO_TIME && added->start == KARP_NO_TIME);
    p = pod_named("absent");
    p.meta.creation = p.meta.deletion = p.start_time = KARP_NO_TIME;
    added = add_pod(f, &p);
    assert_true(added->creation == 0 && added->deletion == KARP_NO_TIME && added->start == KARP_NO_TIME);
    p = pod_named("stated");
    p.meta.creation = 1;
    p.meta.deletion = 2;
    p.start_time = 3;
    added = add_pod(f, &p);
    assert_true(added->creation == 1 && added->deletion == 2 && added->start == 3);
}

static void test_flags(void **state)
{
    building *f = *state;
    static const struct {
        karp_owner owner;
        karp_condition condition;
        const char *nominated;
        unsigned expected;
    } cases[] = {
        { .expected = 0 },
        { .owner = { T("apps/v1"), T("DaemonSet"), T("a"), T("u"), 0, 0 }, .expected = POD_OF_DAEMON_SET },
        { .owner = { T("apps/v1beta1"), T("DaemonSet"), T("a"), T("u"), 1, 0 }, .expected = 0 },
        { .owner = { T("apps/v1"), T("daemonset"), T("a"), T("u"), 1, 0 }, .expected = 0 },
        { .owner = { T("v1"), T("Node"), T("a"), T("u"), 0, 0 }, .expected = POD_OF_NODE },
        { .owner = { T("apps/v1"), T("Node"), T("a"), T("u"), 0, 0 }, .expected = 0 },
        { .owner = { T("apps/v1"), T("StatefulSet"), T("a"), T("u"), 0, 0 }, .expected = POD_OF_STATEFUL_SET },
        { .condition = { T("PodScheduled"), T("False"), T("Unschedulable"), 0 }, .expected = POD_UNSCHEDULABLE },
        { .condition = { T("PodScheduled"), T("True"), T("Unschedulable"), 0 }, .expected = POD_UNSCHEDULABLE },
        { .condition = { T("PodScheduled"), T("False"), T("SchedulingGated"), 0 }, .expected = 0 },
        { .condition = { T("Ready"), T("False"), T(""), 0 }, .expected = POD_NOT_READY },
        { .condition = { T("Ready"), T("Unknown"), T(""), 0 }, .expected = 0 },
        { .owner = { T("batch/v1"), T("Job"), T("a"), T("u"), 0, 0 }, .expected = POD_OF_JOB },
        { .owner = { T("v1"), T("Job"), T("a"), T("u"), 0, 0 }, .expected = 0 },
        { .nominated = "node-1", .expected = POD_NOMINATED },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char name[2] = { (char)('a' + i), '\0' };
        /* Any of several owners and conditions counts. */
        karp_owner owners[] = { { T("batch/v1"), T("CronJob"), T("j"), T("uj"), 0, 0 }, cases[i].owner };
        karp_condition conditions[] = { { .type = T("PodScheduled"), .reason = T("Other") }, cases[i].condition };
        karp_pod p = pod_named(name);
        p.meta.owners = owners;
        p.meta.owner_count = 2;
        p.conditions = conditions;
        p.condition_count = 2;
        p.nominated_node_name = str(cases[i].nominated);
        assert_int_equal(add_pod(f, &p)->flags, cases[i].expected);
    }
    karp_pod p = pod_named("phase");
    p.phase = KARP_PHASE_RUNNING;
    p.node_name = str("node-1");
    assert_int_equal(add_pod(f, &p)->phase, KARP_PHASE_RUNNING);
    assert_int_equal(pod_at(f->s, f->s->pods.count - 1)->node, name_id(f, "node-1"));
    assert_int_equal(pod_at(f->s, 0)->node, NO_ID);
    p = pod_named("bad");
    p.phase = 6;
    bad(f, karp_builder_add_pod(f->b, &p, &f->error), KARP_E_INVALID, "Pod default/bad", "status.phase");
}

static void test_marks(void **state)
{
    building *f = *state;
    karp_pod p = pod_named("plain");
    const pod *added = add_pod(f, &p);
    assert_int_equal(added->marks, 0);
    const pod_marks *m = store_marks(f->s, added);
    assert_int_equal(m->do_not_disrupt, NO_ID);
    assert_int_equal(m->deletion_cost, NO_ID);
    assert_int_equal(m->controller_kind, NO_ID);
    assert_int_equal(m->controller_name, 0);
    assert_int_equal(m->controller_uid, NO_ID);

    karp_label annotations[] = { { T("x"), T("y") },
                                 { T("karpenter.sh/do-not-disrupt"), T("5m") },
                                 { T("controller.kubernetes.io/pod-deletion-cost"), T("") } };
    karp_owner owners[] = { { T("apps/v1"), T("ReplicaSet"), T("not-me"), T("u0"), 0, 0 },
                            { T("apps/v1"), T("StatefulSet"), T("db"), T("u1"), 1, 0 } };
    p = pod_named("marked");
    p.meta.annotations = annotations;
    p.meta.annotation_count = 3;
    p.meta.owners = owners;
    p.meta.owner_count = 2;
    m = store_marks(f->s, add_pod(f, &p));
    assert_int_equal(m->do_not_disrupt, text_id(f, "5m"));
    assert_int_equal(m->deletion_cost, NO_TEXT);
    assert_int_equal(m->controller_kind, KARP_SELECTS_STATEFUL_SET);
    assert_int_equal(m->controller_name, name_id(f, "db"));
    assert_int_equal(m->controller_uid, name_id(f, "u1"));

    static const struct {
        karp_owner owner;
        uint32_t kind;
    } kinds[] = {
        { { T("v1"), T("ReplicationController"), T("o"), T(""), 1, 0 }, KARP_SELECTS_REPLICATION_CONTROLLER },
        { { T("apps/v1"), T("ReplicaSet"), T("o"), T(""), 1, 0 }, KARP_SELECTS_REPLICA_SET },
        { { T("apps/v1"), T("ReplicationController"), T("o"), T(""), 1, 0 }, NO_ID },
        { { T("apps/v1"), T("DaemonSet"), T("o"), T(""), 1, 0 }, NO_ID },
    };
    for (size_t i = 0; i < COUNT(kinds); i++) {
        char name[2] = { (char)('a' + i), '\0' };
        p = pod_named(name);
        p.meta.owners = &kinds[i].owner;
        p.meta.owner_count = 1;
        m = store_marks(f->s, add_pod(f, &p));
        assert_int_equal(m->controller_kind, kinds[i].kind);
        assert_int_equal(m->controller_name, name_id(f, "o"));
        assert_int_equal(m->controller_uid, NO_ID);
    }
}

static void test_labels(void **state)
{
    building *f = *state;
    karp_label labels[] = { { T("b"), T("2") }, { T("a"), T("1") } },
               same[] = { { T("a"), T("1") }, { T("b"), T("2") } };
    karp_pod p = pod_named("none");
    assert_int_equal(add_pod(f, &p)->labels, 0);
    p = pod_named("first");
    p.meta.labels = labels;
    p.meta.label_count = 2;
    uint32_t id = add_pod(f, &p)->labels;
    p = pod_named("second");
    p.meta.labels = same;
    p.meta.label_count = 2;
    assert_int_equal(add_pod(f, &p)->labels, id);
    label_list list = store_pod_labels(f->s, id);
    assert_int_equal(list.count, 2);
    assert_true(list.items[0].key < list.items[1].key);
    assert_int_equal(label_get(list, text_id(f, "a")), text_id(f, "1"));
    assert_int_equal(label_get(list, text_id(f, "b")), text_id(f, "2"));
    assert_int_equal(label_get(list, text_id(f, "default")), NO_ID);
    assert_int_equal(store_pod_labels(f->s, 0).count, 0);

    same[1].key = str("a");
    p = pod_named("third");
    p.meta.labels = same;
    p.meta.label_count = 2;
    bad(f, karp_builder_add_pod(f->b, &p, &f->error), KARP_E_INVALID, "Pod default/third", "metadata.labels[\"a\"]");

    /* more than are sorted by insertion, in falling order of ids */
    enum { MANY = 60 };
    static char text[MANY][3];
    karp_label many[MANY];
    for (size_t i = 0; i < MANY; i++) {
        text[i][0] = 'k';
        text[i][1] = (char)('0' + i);
        (void)strings_add(&f->s->text, text[i], 2);
        many[MANY - 1 - i] = (karp_label){ str(text[i]), str(text[i]) };
    }
    p = pod_named("many");
    p.meta.labels = many;
    p.meta.label_count = MANY;
    id = add_pod(f, &p)->labels;
    list = store_pod_labels(f->s, id);
    assert_int_equal(list.count, MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        assert_int_equal(list.items[i].key, list.items[i].value);
        if (i > 0) assert_true(list.items[i - 1].key < list.items[i].key);
    }
    many[0].key = many[40].key;
    p = pod_named("many-again");
    p.meta.labels = many;
    p.meta.label_count = MANY;
    assert_int_equal(karp_builder_add_pod(f->b, &p, &f->error), KARP_E_INVALID);
}

static void test_volumes(void **state)
{
    building *f = *state;
    karp_pod_volume v[] = { { T("config"), T("not-read"), KARP_VOLUME_OTHER, 0 },
                            { T("data"), T("my-claim"), KARP_VOLUME_CLAIM, 0 },
                            { T("scratch"), T(""), KARP_VOLUME_EPHEMERAL, 0 } };
    karp_pod p = pod_named("web-0");
    p.volumes = v;
    p.volume_count = 3;
    uint32_t id = add_pod(f, &p)->volumes;
    const struct words_entry *e = &f->s->volumes.entries[id];
    assert_int_equal(e->count, 2);
    assert_int_equal(e->ptr[0], name_id(f, "my-claim"));
    assert_int_equal(e->ptr[1], name_id(f, "web-0-scratch"));
    p = pod_named("web-1");
    p.volumes = v;
    p.volume_count = 1;
    assert_int_equal(add_pod(f, &p)->volumes, 0);
    v[0].kind = 3;
    p = pod_named("web-2");
    p.volumes = v;
    p.volume_count = 1;
    bad(f, karp_builder_add_pod(f->b, &p, &f->error), KARP_E_INVALID, "Pod default/web-2", "spec.volumes[0]");
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

static karp_str three[] = { T("x"), T("y"), T("z") };
static karp_requirement in_two = { T("zone"), KARP_OP_IN, 0, three, 2 };
static karp_requirement not_in_two = { T("zone"), KARP_OP_NOT_IN, 0, three, 2 };
static karp_requirement in_three = { T("zone"), KARP_OP_IN, 0, three, 3 };
static karp_requirement in_other = { T("zone"), KARP_OP_IN, 0, three + 1, 2 };
static karp_node_term terms[] = { { &in_two, 1, 0, 0 },  { &not_in_two, 1, 0, 0 }, { &in_three, 1, 0, 0 },
                                  { &in_two, 1, 1, 0 },  { &in_two, 1, 0, 5 },     { NULL, 0, 0, 0 },
                                  { &in_other, 1, 0, 0 } };
static karp_label pair[] = { { T("a"), T("1") }, { T("b"), T("2") } };
static karp_label swapped[] = { { T("b"), T("2") }, { T("a"), T("1") } };
static karp_selector by_label = { pair, 1, NULL, 0 }, by_expression = { NULL, 0, &in_two, 1 },
                     of_all = { NULL, 0, NULL, 0 };
static karp_pod_term pod_terms[] = {
    { T("zone"), NULL, 0, NULL, &by_label, 0, 0 },  { T("host"), NULL, 0, NULL, &by_label, 0, 0 },
    { T("zone"), three, 1, NULL, &by_label, 0, 0 }, { T("zone"), NULL, 0, &of_all, &by_label, 0, 0 },
    { T("zone"), NULL, 0, NULL, NULL, 0, 0 },       { T("zone"), NULL, 0, NULL, &of_all, 0, 0 },
    { T("zone"), NULL, 0, NULL, &by_label, 3, 0 },  { T("zone"), NULL, 0, NULL, &by_expression, 0, 0 },
    { T("zone"), NULL, 0, &by_label, NULL, 0, 0 },
};
static karp_spread_constraint spreads[] = {
    { .topology_key = T("zone"), .max_skew = 1 },
    { .topology_key = T("host"), .max_skew = 1 },
    { .topology_key = T("zone"), .max_skew = 2 },
    { .topology_key = T("zone"), .max_skew = 1, .min_domains = 2 },
    { .topology_key = T("zone"), .max_skew = 1, .when_unsatisfiable = KARP_SCHEDULE_ANYWAY },
    { .topology_key = T("zone"), .max_skew = 1, .node_affinity_policy = KARP_POLICY_IGNORE },
    { .topology_key = T("zone"), .max_skew = 1, .node_taints_policy = KARP_POLICY_HONOR },
    { .topology_key = T("zone"), .max_skew = 1, .label_selector = &by_label },
    { .topology_key = T("zone"), .max_skew = 1, .label_selector = &of_all },
    { .topology_key = T("zone"), .max_skew = 1, .match_label_keys = three, .match_label_key_count = 1 },
};
static karp_toleration tolerations[] = { { T("k"), T("v"), T("NoSchedule"), KARP_TOLERATION_EQUAL, 0, 0 },
                                         { T("k"), T("v"), T("NoSchedule"), KARP_TOLERATION_EXISTS, 0, 0 },
                                         { T("k"), T("v"), T(""), KARP_TOLERATION_EQUAL, 0, 0 },
                                         { T("k"), T("w"), T("NoSchedule"), KARP_TOLERATION_EQUAL, 0, 0 },
                                         { T("l"), T("v"), T("NoSchedule"), KARP_TOLERATION_EQUAL, 0, 0 },
                                         { T("l"), T("v"), T("NoSchedule"), KARP_TOLERATION_EQUAL, 1, 0 },
                                         { T("l"), T("v"), T("NoSchedule"), KARP_TOLERATION_EQUAL, 1, 300 } };
static karp_host_port ports[] = { { T(""), T("TCP"), 80, 0 },
                                  { T("::"), T("TCP"), 80, 0 },
                                  { T("10.0.0.1"), T("TCP"), 80, 0 },
                                  { T("10.0.0.2"), T("TCP"), 80, 0 },
                                  { T("x"), T("TCP"), 80, 0 },
                                  { T(""), T("UDP"), 80, 0 },
                                  { T(""), T(""), 80, 0 },
                                  { T(""), T("TCP"), 81, 0 } };
static karp_resource cpus[] = { AMOUNT("cpu", "1024"), AMOUNT("cpu", "1025"), AMOUNT("cpu", "1Ki"),
                                AMOUNT("memory", "1024") };
static karp_container boxes[COUNT(ports) + COUNT(cpus) + 1];
static karp_pod_claim claim;

/* A pod that differs from every other variant in what a decision may read. false = there is no such variant. */
static bool variant(size_t n, karp_pod *p)
{
    if (n-- == 0) return true;
    if (n < COUNT(terms)) return p->required_node_terms = &terms[n], p->required_node_term_count = 1, true;
    n -= COUNT(terms);
    if (n < COUNT(terms)) return p->preferred_node_terms = &terms[n], p->preferred_node_term_count = 1, true;
    n -= COUNT(terms);
    if (n < COUNT(pod_terms)) return p->required_affinity = &pod_terms[n], p->required_affinity_count = 1, true;
    n -= COUNT(pod_terms);
    if (n < COUNT(pod_terms)) return p->preferred_affinity = &pod_terms[n], p->preferred_affinity_count = 1, true;
    n -= COUNT(pod_terms);
    if (n < COUNT(pod_terms))
        return p->required_anti_affinity = &pod_terms[n], p->required_anti_affinity_count = 1, true;
    n -= COUNT(pod_terms);
    if (n < COUNT(pod_terms))
        return p->preferred_anti_affinity = &pod_terms[n], p->preferred_anti_affinity_count = 1, true;
    n -= COUNT(pod_terms);
    if (n < COUNT(spreads)) return p->spread = &spreads[n], p->spread_count = 1, true;
    n -= COUNT(spreads);
    if (n < COUNT(tolerations)) return p->tolerations = &tolerations[n], p->toleration_count = 1, true;
    n -= COUNT(tolerations);
    if (n < COUNT(ports)) {
        boxes[n] = (karp_container){ .name = T("a"), .ports = &ports[n], .port_count = 1 };
        return p->containers = &boxes[n], p->container_count = 1, true;
    }
    n -= COUNT(ports);
    if (n < COUNT(cpus)) {
        boxes[COUNT(ports) + n] = (karp_container){ .name = T("a"), .requests = &cpus[n], .request_count = 1 };
        return p->containers = &boxes[COUNT(ports) + n], p->container_count = 1, true;
    }
    n -= COUNT(cpus);
    switch (n) {
    case 0: return p->node_selector = pair, p->node_selector_count = 1, true;
    case 1: return p->node_selector = pair, p->node_selector_count = 2, true;
    case 2: return p->required_node_terms = terms, p->required_node_term_count = 2, true;
    case 3: return p->tolerations = tolerations, p->toleration_count = 2, true;
    case 4: return p->tolerations = tolerations + 1, p->toleration_count = 2, true;
    case 5: return p->has_priority = 1, true;
    case 6: return p->has_priority = 1, p->priority = -1, true;
    case 7: return p->resource_claims = &claim, p->resource_claim_count = 1, true;
    case 8: return p->priority_class_name = str("system-node-critical"), true;
    case 9: return p->termination_grace_seconds = 0, true;
    case 10: return p->termination_grace_seconds = INT64_C(1) << 32, true;
    case 11: return p->spread = spreads, p->spread_count = 2, true;
    default: return false;
    }
}

static void test_shapes(void **state)
{
    building *f = *state;
    size_t variants = 0;
    for (int round = 0; round < 2; round++) {
        for (size_t n = 0;; n++) {
            char name[] = { (char)('p' + round), (char)('0' + n / 10), (char)('0' + n % 10), '\0' };
            karp_pod p = pod_named(name);
            if (!variant(n, &p)) break;
            assert_int_equal(add_pod(f, &p)->shape, n);
            if (round == 0) variants = n + 1;
            assert_int_equal(f->s->shapes.count, variants); /* the second time every shape is known */
        }
    }
    assert_int_equal(f->s->shape_keys.count, variants);
    assert_int_equal(f->s->rule_keys.count,
                     variants - COUNT(cpus)); /* those that differ in requests have their rules in common */
}

/* What makes no difference. */
static void test_equal_shapes(void **state)
{
    building *f = *state;
    karp_pod p = pod_named("a"), q = pod_named("b");
    p.node_selector = pair;
    q.node_selector = swapped;
    p.node_selector_count = q.node_selector_count = 2;
    p.priority = 7; /* not stated: has_priority is 0 */
    q.priority_class_name = str("high");
    q.termination_grace_seconds = -5;
    q.node_name = str("node-1");
    q.meta.labels = pair;
    q.meta.label_count = 2;
    uint32_t shape_of_p = add_pod(f, &p)->shape;
    assert_int_equal(add_pod(f, &q)->shape, shape_of_p);
}

/* A known shape leaves nothing behind: memory does not grow with the number of equal pods. */
static void test_known_shapes_are_free(void **state)
{
    building *f = *state;
    size_t total = 0;
    for (size_t i = 0; i < 1000; i++) {
        char name[4] = { (char)('a' + i % 26), (char)('a' + i / 26 % 26), (char)('a' + i / 676), '\0' };
        karp_pod p = pod_named(name);
        p.meta.uid = str("u");
        p.required_anti_affinity = pod_terms;
        p.required_anti_affinity_count = COUNT(pod_terms);
        p.spread = spreads;
        p.spread_count = COUNT(spreads);
        (void)add_pod(f, &p);
        if (i == 0) total = f->s->data.total;
    }
    assert_int_equal(f->s->shapes.count, 1);
    assert_true(f->s->data.total < total + 1000 * 32); /* the uids, and the names as they are shown */
}

static void test_shape_content(void **state)
{
    building *f = *state;
    karp_pod p = pod_named("a");
    p.preferred_node_terms = terms;
    p.preferred_node_term_count = COUNT(terms);
    p.required_affinity = pod_terms;
    p.required_affinity_count = COUNT(pod_terms);
    p.spread = spreads;
    p.spread_count = COUNT(spreads);
    p.tolerations = tolerations;
    p.toleration_count = COUNT(tolerations);
    const shape *s = add_shape(f, &p);
    assert_int_equal(s->preferred.count, COUNT(terms));
    assert_int_equal(s->preferred.items[2].expressions.items[0].value_count, 3);
    assert_int_equal(s->preferred.items[2].expressions.items[0].values[2], text_id(f, "z"));
    assert_int_equal(s->preferred.items[4].weight, 5);
    assert_true(s->preferred.items[3].has_fields);
    assert_int_equal(s->required_affinity.items[2].namespaces[0], text_id(f, "x"));
    assert_null(s->required_affinity.items[4].label_selector);
    assert_non_null(s->required_affinity.items[5].label_selector);
    assert_int_equal(s->required_affinity.items[5].label_selector->labels.count, 0);
    assert_non_null(s->required_affinity.items[8].namespace_selector);
    assert_true(s->spread.items[0].honor_affinity && !s->spread.items[0].honor_taints &&
                !s->spread.items[0].schedule_anyway);
    assert_true(s->spread.items[4].schedule_anyway);
    assert_false(s->spread.items[5].honor_affinity);
    assert_true(s->spread.items[6].honor_taints);
    assert_null(s->spread.items[9].label_selector);
    assert_int_equal(s->spread.items[9].match_label_keys[0], text_id(f, "x"));
    assert_int_equal(s->tolerations.items[1].op, KARP_TOLERATION_EXISTS);
    assert_int_equal(s->grace_seconds, -1);
    assert_false(s->critical || s->has_claims || s->has_priority);
}

static void test_ports(void **state)
{
    building *f = *state;
    karp_host_port of_first[] = { { T("::"), T("UDP"), 53, 0 }, { T("1.1.1.1"), T("TCP"), 0, 0 } };
    karp_container containers[] = { { .name = T("a"), .ports = of_first, .port_count = 2 },
                                    { .name = T("b"), .ports = ports, .port_count = 5 } };
    karp_container init = { .name = T("i"), .ports = ports, .port_count = 8 };
    karp_pod p = pod_named("a");
    p.containers = containers;
    p.container_count = 2;
    p.init_containers = &init;
    p.init_container_count = 1;
    const host_port_list *list = &add_shape(f, &p)->ports;
    assert_int_equal(list->count, 6); /* not the port 0, nor those of the init container */
    assert_true(list->items[0].any && list->items[0].ip_known);
    assert_int_equal(list->items[0].port, 53);
    assert_int_equal(list->items[0].protocol, text_id(f, "UDP"));
    assert_true(list->items[1].any); /* "" is 0.0.0.0 */
    assert_int_equal(list->items[1].ip[11], 0xff);
    assert_false(list->items[3].any);
    assert_int_equal(list->items[3].ip[15], 1);
    assert_true(list->items[3].ip_known);
    assert_false(list->items[5].ip_known || list->items[5].any);
}

static void test_claims(void **state)
{
    building *f = *state;
    karp_container with = { .name = T("a"), .claims = three, .claim_count = 1 };
    karp_pod p = pod_named("container");
    p.containers = &with;
    p.container_count = 1;
    assert_true(add_shape(f, &p)->has_claims);
    p = pod_named("init");
    p.init_containers = &with;
    p.init_container_count = 1;
    assert_true(add_shape(f, &p)->has_claims);
    p = pod_named("critical");
    p.priority_class_name = str("system-cluster-critical");
    assert_true(add_shape(f, &p)->critical);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static void test_refusals(void **state)
{
    building *f = *state;
    static karp_spread_constraint bad_spread = { .topology_key = T("zone"), .max_skew = 1 };
    static karp_toleration bad_toleration = { .key = T("a"), .op = 9 };
    static karp_requirement bad_op = { T("zone"), 9, 0, NULL, 0 };
    static karp_requirement bad_values = { T("zone"), KARP_OP_IN, 0, NULL, 2 };
    static karp_node_term bad_terms[] = { { &in_two, 1, 0, 0 }, { &bad_op, 1, 0, 0 } };
    static karp_selector bad_selector = { NULL, 0, &bad_values, 1 };
    static karp_pod_term bad_pod_term = { .topology_key = T("zone"), .label_selector = &bad_selector };
    const char *object_name = "Pod default/a";
    karp_pod p = pod_named("a");
    p.required_node_terms = bad_terms;
    p.required_node_term_count = 2;
    bad(f, karp_builder_add_pod(f->b, &p, &f->error), KARP_E_INVALID, object_name,
        "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[1]."
        "matchExpressions[0].operator");
    p = pod_named("a");
    p.preferred_anti_affinity = &bad_pod_term;
    p.preferred_anti_affinity_count = 1;
    bad(f, karp_builder_add_pod(f->b, &p, &f->error), KARP_E_INVALID, object_name,
        "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].labelSelector."
        "matchExpressions[0].values");
    p = pod_named("a");
    p.tolerations = &bad_toleration;
    p.toleration_count = 1;
    bad(f, karp_builder_add_pod(f->b, &p, &f->error), KARP_E_INVALID, object_name, "spec.tolerations[0].operator");
    p = pod_named("a");
    p.spread = &bad_spread;
    p.spread_count = 1;
    bad_spread.max_skew = 0;
    bad(f, karp_builder_add_pod(f->b, &p, &f->error), KARP_E_INVALID, object_name,
        "spec.topologySpreadConstraints[0].maxSkew");
    bad_spread.max_skew = 1;
    bad_spread.min_domains = -1;
    bad(f, karp_builder_add_pod(f->b, &p, &f->error), KARP_E_INVALID, object_name,
        "spec.topologySpreadConstraints[0].minDomains");
    bad_spread.min_domains = 0;
    bad_spread.when_unsatisfiable = 2;
    bad(f, karp_builder_add_pod(f->b, &p, &f->error), KARP_E_INVALID, object_name,
        "spec.topologySpreadConstraints[0].whenUnsatisfiable");
    bad_spread.when_unsatisfiable = 0;
    bad_spread.node_taints_policy = 3;
    bad(f, karp_builder_add_pod(f->b, &p, &f->error), KARP_E_INVALID, object_name,
        "spec.topologySpreadConstraints[0].nodeTaintsPolicy");
    p.spread_count = SIZE_MAX;
    bad(f, karp_builder_add_pod(f->b, &p, &f->error), KARP_E_LIMIT, object_name, "spec.topologySpreadConstraints");
    assert_int_equal(f->s->pods.count, 0);
    assert_int_equal(f->s->shapes.count, 0);
    assert_int_equal(f->s->taken.count, 0);
    p = pod_named("a");
    (void)add_pod(f, &p); /* the name is still free */
}

/* A shape that was new when its pod was refused stays whole: the next pod of that shape finds it. */
static void test_shape_of_a_refused_pod(void **state)
{
    building *f = *state;
    karp_pod_volume wrong = { T("v"), T(""), 9, 0 };
    karp_pod p = pod_named("a");
    p.tolerations = tolerations;
    p.toleration_count = COUNT(tolerations);
    p.volumes = &wrong;
    p.volume_count = 1;
    assert_int_equal(karp_builder_add_pod(f->b, &p, &f->error), KARP_E_INVALID);
    karp_pod other = pod_named("b"); /* would take the memory that was given back */
    other.spread = spreads;
    other.spread_count = COUNT(spreads);
    (void)add_pod(f, &other);
    p.volume_count = 0;
    const shape *s = add_shape(f, &p);
    assert_int_equal(f->s->shapes.count, 2);
    assert_int_equal(s->tolerations.count, COUNT(tolerations));
    assert_int_equal(s->tolerations.items[3].value, text_id(f, "w"));
    assert_int_equal(s->tolerations.items[4].key, text_id(f, "l"));
    assert_string_equal(list_text(f, s->requests), "pods=1");
}

/* Refused objects cost no memory, however many there are. */
static void test_refused_objects_are_free(void **state)
{
    building *f = *state;
    karp_node n = { .size = sizeof n, .meta = { .name = T("n"), .labels = pair, .label_count = 2 } };
    karp_resource wrong = AMOUNT("cpu", "x");
    n.capacity = &wrong;
    n.capacity_count = 1;
    size_t total = 0;
    for (size_t i = 0; i < 10000; i++) {
        assert_int_equal(karp_builder_add_node(f->b, &n, &f->error), KARP_E_INVALID);
        if (i == 0) total = f->s->data.total;
    }
    assert_int_equal(f->s->data.total, total);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_empty, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_names, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_times, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_flags, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_marks, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_labels, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_volumes, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_shapes, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_equal_shapes, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_known_shapes_are_free, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_shape_content, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_ports, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_claims, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_refusals, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_shape_of_a_refused_pod, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_refused_objects_are_free, building_set_up, building_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
