/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of decisions, snapshots and catalogues: what is in the columns is what the getters say, laid out as promised.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include <base/columns.h>
#include <base/sort.h>
#include <karp/inspect.h>
#include <karp/io.h>
#include <karp/karp.h>
#include <karp/passes.h>
#include <support/fault.h>

#define FOLDER "tests/data/fault/"

typedef struct world {
    fault fault;
    karp_context *context;
    karp_catalogue *catalogue;
    karp_snapshot *snapshot;
    karp_decision *plan, *pass;
} world;

static int set_up(void **state)
{
    static world w;
    memset(&w, 0, sizeof w);
    w.context = fault_context(&w.fault);
    karp_reader *reader = NULL;
    assert_int_equal(karp_reader_new(w.context, NULL, &reader, NULL), KARP_OK);
    assert_int_equal(karp_catalogue_read_file(w.context, FOLDER "catalogue.json", &w.catalogue, NULL), KARP_OK);
    assert_int_equal(karp_reader_add_catalogue(reader, w.catalogue, NULL), KARP_OK);
    assert_int_equal(karp_reader_add_path(reader, FOLDER "cluster.yaml", NULL), KARP_OK);
    assert_int_equal(karp_reader_finish(reader, &w.snapshot, NULL), KARP_OK);
    karp_reader_free(reader);
    assert_int_equal(karp_provision(w.snapshot, NULL, &w.plan, NULL), KARP_OK);
    assert_int_equal(karp_disrupt(w.snapshot, NULL, &w.pass, NULL), KARP_OK);
    *state = &w;
    return 0;
}

static int tear_down(void **state)
{
    world *w = *state;
    karp_decision_unref(w->plan);
    karp_decision_unref(w->pass);
    karp_snapshot_unref(w->snapshot);
    karp_catalogue_unref(w->catalogue);
    karp_context_unref(w->context);
    return w->fault.live_blocks == 0 && w->fault.wrong_sizes == 0 ? 0 : -1;
}

/* ---- reading columns --------------------------------------------------------------------------------------------- */

static karp_column of(const karp_table *t, const char *name)
{
    karp_column c = { .size = sizeof c };
    if (karp_table_find(t, str(name), &c) != KARP_OK) fail_msg("there is no column %s", name);
    return c;
}

static uint32_t uint32_at(const karp_column *c, size_t i)
{
    assert_int_equal(c->type, KARP_COLUMN_UINT32);
    assert_true(i < c->value_count);
    return ((const uint32_t *)c->values)[i];
}

static double double_at(const karp_column *c, size_t i)
{
    assert_int_equal(c->type, KARP_COLUMN_DOUBLE);
    assert_true(i < c->value_count);
    return ((const double *)c->values)[i];
}

/* Of a text column a row, of a dictionary a value. */
static karp_str text_at(const karp_column *c, size_t i)
{
    if (c->type == KARP_COLUMN_TEXT) {
        assert_true(i < c->row_count);
        return (karp_str){ (const char *)c->values + c->offsets[i], (size_t)(c->offsets[i + 1] - c->offsets[i]) };
    }
    assert_int_equal(c->type, KARP_COLUMN_DICTIONARY);
    assert_true(i < c->value_count);
    uint32_t id = ((const uint32_t *)c->values)[i];
    assert_true(id < c->dictionary_count);
    return (karp_str){ c->dictionary + c->dictionary_offsets[id],
                       (size_t)(c->dictionary_offsets[id + 1] - c->dictionary_offsets[id]) };
}

static void assert_text(karp_str got, karp_str wanted)
{
    if (!equal_str(got, wanted))
        fail_msg("\"%.*s\", expected \"%.*s\"", (int)got.len, got.ptr, (int)wanted.len, wanted.ptr);
}

static void check_offsets(const int32_t *offsets, size_t count, size_t total)
{
    assert_int_equal(offsets[0], 0);
    for (size_t i = 0; i < count; i++) assert_true(offsets[i] <= offsets[i + 1]);
    assert_int_equal(offsets[count], total);
}

/* What the header says of every column. */
static void check_layout(const karp_table *t)
{
    assert_true(karp_table_column_count(t) > 0);
    for (size_t i = 0; i < karp_table_column_count(t); i++) {
        karp_column c = { .size = sizeof c }, same = { .size = sizeof same };
        assert_int_equal(karp_table_column(t, i, &c), KARP_OK);
        assert_int_equal(karp_table_find(t, c.name, &same), KARP_OK);
        assert_memory_equal(&c, &same, sizeof c);
        assert_int_equal(c.row_count, karp_table_row_count(t));
        assert_non_null(c.values);
        if (c.is_list || c.type == KARP_COLUMN_TEXT) check_offsets(c.offsets, c.row_count, c.value_count);
        else assert_null(c.offsets);
        if (!c.is_list && c.type != KARP_COLUMN_TEXT) assert_int_equal(c.value_count, c.row_count);
        if (c.type != KARP_COLUMN_DICTIONARY) {
            assert_null(c.dictionary);
            assert_null(c.dictionary_offsets);
            continue;
        }
        check_offsets(c.dictionary_offsets, c.dictionary_count, (size_t)c.dictionary_offsets[c.dictionary_count]);
        for (size_t k = 0; k < c.value_count; k++) (void)text_at(&c, k);
    }
    karp_column none = { .size = sizeof none };
    assert_int_equal(karp_table_column(t, karp_table_column_count(t), &none), KARP_E_NOT_FOUND);
    assert_int_equal(karp_table_find(t, str("no such column"), &none), KARP_E_NOT_FOUND);
}

static karp_table *table_of(const karp_decision *d, uint32_t which)
{
    karp_table *t = NULL;
    assert_int_equal(karp_decision_table(d, which, &t, NULL), KARP_OK);
    check_layout(t);
    return t;
}

/* ---- launch decisions -------------------------------------------------------------------------------------------- */

static void launches(void **state)
{
    const world *w = *state;
    karp_table *t = table_of(w->plan, KARP_TABLE_LAUNCHES);
    karp_column id = of(t, "id"), pool = of(t, "node_pool"), type = of(t, "instance_type"), zone = of(t, "zone");
    karp_column capacity_type = of(t, "capacity_type"), price = of(t, "price"), pods = of(t, "pods"),
                types = of(t, "instance_types");
    karp_column cpu = of(t, "requests.cpu"), memory = of(t, "allocatable.memory");
    assert_int_equal(karp_table_row_count(t), karp_decision_launch_count(w->plan));
    assert_true(karp_table_row_count(t) == 3);
    for (size_t i = 0; i < karp_table_row_count(t); i++) {
        karp_launch l = { .size = sizeof l };
        assert_int_equal(karp_decision_launch(w->plan, i, &l), KARP_OK);
        assert_text(text_at(&id, i), l.id);
        assert_text(text_at(&pool, i), l.node_pool);
        assert_text(text_at(&type, i), l.choice.instance_type);
        assert_text(text_at(&zone, i), l.choice.zone);
        assert_text(text_at(&capacity_type, i), l.choice.capacity_type);
        assert_true(double_at(&price, i) == l.choice.price);
        assert_int_equal(pods.offsets[i + 1] - pods.offsets[i], l.pod_count);
        for (size_t k = 0; k < l.pod_count; k++)
            assert_int_equal(uint32_at(&pods, (size_t)pods.offsets[i] + k), l.pods[k]);
        assert_int_equal(types.offsets[i + 1] - types.offsets[i], l.instance_type_count);
        for (size_t k = 0; k < l.instance_type_count; k++)
            assert_text(text_at(&types, (size_t)types.offsets[i] + k), l.instance_types[k]);
        for (size_t k = 0; k < l.request_count; k++) {
            double value;
            if (!equal_str(l.requests[k].name, str("cpu"))) continue;
            assert_int_equal(karp_quantity_double(l.requests[k].text, &value), KARP_OK);
            assert_true(double_at(&cpu, i) == value && value > 0);
        }
        assert_true(double_at(&memory, i) > 1e9);
    }
    assert_int_equal(types.dictionary_count, 2); /* medium and large, once each */
    karp_table_free(t);
}

static void every_pod_once(void **state)
{
    const world *w = *state;
    karp_table *t = table_of(w->plan, KARP_TABLE_PODS);
    karp_column index = of(t, "index"), space = of(t, "namespace"), name = of(t, "name"), outcome = of(t, "outcome");
    karp_column target = of(t, "target"), reason = of(t, "reason"), permanent = of(t, "permanent"),
                code = of(t, "code");
    const char *const expected[][4] = {
        { "db-0", "launch", "new-1", "" },         { "db-1", "launch", "new-2", "" },
        { "db-2", "launch", "new-3", "" },         { "gpu", "unschedulable", "", "TYPE_RESOURCES" },
        { "store-0", "node", "node-a", "" },       { "store-1", "node", "node-b", "" },
        { "web-0", "node", "node-b", "" },         { "web-1", "node", "node-a", "" },
        { "web-2", "node", "node-b", "" },         { "web-3", "launch", "new-2", "" },
        { "web-4", "launch", "new-1", "" },        { "web-5", "launch", "new-2", "" },
        { "wrong", "ignored", "", "INVALID_POD" },
    };
    assert_int_equal(karp_table_row_count(t), sizeof expected / sizeof *expected);
    for (size_t i = 0; i < karp_table_row_count(t); i++) {
        char full[64];
        assert_text(text_at(&name, i), str(expected[i][0]));
        assert_text(text_at(&outcome, i), str(expected[i][1]));
        assert_text(text_at(&target, i), str(expected[i][2]));
        if (uint32_at(&code, i) == KARP_REASON_NONE) assert_text(text_at(&reason, i), str(expected[i][3]));
        else assert_text(text_at(&reason, i), str(karp_reason_name(uint32_at(&code, i))));
        assert_int_equal(text_at(&reason, i).len > 0, expected[i][3][0] != '\0');
        assert_int_equal(uint32_at(&permanent, i), i == 3);
        assert_text(text_at(&space, i), str("default"));
        snprintf(full, sizeof full, "default/%s", expected[i][0]);
        assert_text(karp_decision_pod_name(w->plan, uint32_at(&index, i)), str(full));
    }
    karp_table_free(t);
}

static void pods_left_over(void **state)
{
    const world *w = *state;
    karp_unschedulable u = { .size = sizeof u };
    karp_ignored g = { .size = sizeof g };
    assert_int_equal(karp_decision_unschedulable(w->plan, 0, &u), KARP_OK);
    assert_int_equal(karp_decision_ignored(w->plan, 0, &g), KARP_OK);
    karp_table *t = table_of(w->plan, KARP_TABLE_UNSCHEDULABLE);
    karp_column pod = of(t, "pod"), code = of(t, "code"), message = of(t, "message"), relaxed = of(t, "relaxed"),
                name = of(t, "pod_name");
    assert_int_equal(karp_table_row_count(t), 1);
    assert_int_equal(uint32_at(&pod, 0), u.pod);
    assert_text(text_at(&name, 0), str("default/gpu"));
    assert_int_equal(uint32_at(&code, 0), u.code);
    assert_text(text_at(&message, 0), u.message);
    assert_int_equal(relaxed.value_count, u.relaxed_count);
    assert_true(u.relaxed_count > 0);
    assert_text(text_at(&relaxed, 0), u.relaxed[0]);
    karp_table_free(t);

    t = table_of(w->plan, KARP_TABLE_REFUSALS);
    karp_column pool = of(t, "node_pool"), detail = of(t, "detail"), start = of(t, "types_start"),
                resources = of(t, "types_resources");
    assert_int_equal(karp_table_row_count(t), u.pool_count);
    assert_int_equal(u.pool_count, 2);
    for (size_t i = 0; i < u.pool_count; i++) {
        assert_text(text_at(&pool, i), u.pools[i].node_pool);
        assert_text(text_at(&detail, i), u.pools[i].detail);
        assert_int_equal(uint32_at(&start, i), u.pools[i].types_start);
        assert_int_equal(uint32_at(&resources, i), u.pools[i].types_resources);
    }
    karp_table_free(t);

    t = table_of(w->plan, KARP_TABLE_IGNORED);
    pod = of(t, "pod");
    message = of(t, "message");
    assert_int_equal(karp_table_row_count(t), karp_decision_ignored_count(w->plan));
    assert_int_equal(uint32_at(&pod, 0), g.pod);
    assert_text(text_at(&message, 0), g.message);
    karp_table_free(t);
}

static void nodes_and_placements(void **state)
{
    const world *w = *state;
    karp_table *t = table_of(w->plan, KARP_TABLE_NODES);
    karp_column node = of(t, "node"), price = of(t, "price"), cpu = of(t, "cpu_requested"),
                received = of(t, "pods_received");
    assert_int_equal(karp_table_row_count(t), 2);
    for (size_t i = 0; i < 2; i++) {
        karp_node_use n = { .size = sizeof n };
        assert_int_equal(karp_decision_node(w->plan, i, &n), KARP_OK);
        assert_text(text_at(&node, i), n.node);
        assert_true(double_at(&price, i) == n.price && double_at(&cpu, i) == n.cpu_requested);
        assert_int_equal(uint32_at(&received, i), n.pods_received);
    }
    karp_table_free(t);
    t = table_of(w->plan, KARP_TABLE_PLACEMENTS);
    karp_column pods = of(t, "pods");
    node = of(t, "node");
    assert_int_equal(karp_table_row_count(t), 2);
    assert_text(text_at(&node, 1), str("node-b"));
    assert_int_equal(pods.offsets[1], 2);
    assert_int_equal(pods.value_count, 5);
    karp_table_free(t);
}

static void tables_of_a_disruption(void **state)
{
    const world *w = *state;
    karp_table *t = table_of(w->pass, KARP_TABLE_CANDIDATES);
    karp_column node = of(t, "node"), cost = of(t, "disruption_cost");
    assert_int_equal(karp_table_row_count(t), karp_decision_candidate_count(w->pass));
    assert_int_equal(karp_table_row_count(t), 2);
    for (size_t i = 0; i < 2; i++) {
        karp_candidate c = { .size = sizeof c };
        assert_int_equal(karp_decision_candidate(w->pass, i, &c), KARP_OK);
        assert_text(text_at(&node, i), c.node);
        assert_true(double_at(&cost, i) == c.disruption_cost);
    }
    karp_table_free(t);
    t = table_of(w->pass, KARP_TABLE_KEPT);
    karp_column reason = of(t, "reason"), detail = of(t, "detail");
    assert_int_equal(karp_table_row_count(t), 2);
    for (size_t i = 0; i < 2; i++) {
        karp_kept k = { .size = sizeof k };
        assert_int_equal(karp_decision_kept(w->pass, i, &k), KARP_OK);
        assert_text(text_at(&reason, i), str("SEVERAL_NODES_NEEDED"));
        assert_text(text_at(&detail, i), k.detail);
    }
    karp_table_free(t);
    for (uint32_t which = KARP_TABLE_CANDIDATES; which <= KARP_TABLE_KEPT; which++) {
        t = table_of(w->plan, which); /* a launch decision has the columns, no rows */
        assert_int_equal(karp_table_row_count(t), 0);
        karp_table_free(t);
    }
}

/* An empty node goes. */
static void commands(void **state)
{
    const world *w = *state;
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_decision *pass = NULL;
    static const char empty[] =
        "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p}, spec: {template: {spec: {nodeClassRef: "
        "{group: karpenter.test.sh, "
        "kind: TestNodeClass, name: default}}}, disruption: {consolidateAfter: 0s, budgets: [{nodes: '100%'}]}}}\n---\n"
        "{apiVersion: v1, kind: Node, metadata: {name: idle, labels: {karpenter.sh/nodepool: p, "
        "node.kubernetes.io/instance-type: medium, "
        "topology.kubernetes.io/zone: z1, karpenter.sh/capacity-type: on-demand, kubernetes.io/hostname: idle}}, spec: "
        "{providerID: 'test://i'}, "
        "status: {capacity: {cpu: 4, memory: 8Gi, pods: 40}, allocatable: {cpu: 4, memory: 8Gi, pods: 40}}}\n";
    assert_int_equal(karp_reader_new(w->context, NULL, &reader, NULL), KARP_OK);
    assert_int_equal(karp_reader_add_catalogue(reader, w->catalogue, NULL), KARP_OK);
    assert_int_equal(karp_reader_add(reader, str("idle"), (karp_str){ empty, sizeof empty - 1 }, NULL), KARP_OK);
    assert_int_equal(karp_reader_finish(reader, &snapshot, NULL), KARP_OK);
    assert_int_equal(karp_disrupt(snapshot, NULL, &pass, NULL), KARP_OK);
    assert_int_equal(karp_decision_command_count(pass), 1);
    karp_table *t = table_of(pass, KARP_TABLE_COMMANDS);
    karp_column method = of(t, "method"), reason = of(t, "reason"), nodes = of(t, "nodes"), savings = of(t, "savings"),
                replaces = of(t, "replaces");
    karp_command c = { .size = sizeof c };
    assert_int_equal(karp_decision_command(pass, 0, &c), KARP_OK);
    assert_int_equal(karp_table_row_count(t), 1);
    assert_text(text_at(&method, 0), str("Emptiness"));
    assert_text(text_at(&reason, 0), str("Empty"));
    assert_int_equal(nodes.offsets[1], 1);
    assert_text(text_at(&nodes, 0), str("idle"));
    assert_true(double_at(&savings, 0) == c.savings);
    assert_int_equal(uint32_at(&replaces, 0), 0);
    karp_decision_unref(pass);
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    check_layout(t); /* it outlives what it was made of */
    assert_text(text_at(&nodes, 0), str("idle"));
    karp_table_free(t);
}

/* ---- snapshots and catalogues ------------------------------------------------------------------------------------ */

/* The controller, whichever place it has in the list. */
static void owners(void **state)
{
    const world *w = *state;
    static const char *const cases[][4] = {
        { "apps/v1", "ReplicaSet", "ReplicaSet", "x" },
        { "apps/v1", "DaemonSet", "DaemonSet", "x" },
        { "apps/v1", "StatefulSet", "StatefulSet", "x" },
        { "v1", "ReplicationController", "ReplicationController", "x" },
        { "v1", "Node", "Node", "x" },
        { "batch/v1", "Job", "", "x" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[512];
        karp_reader *reader = NULL;
        karp_snapshot *snapshot = NULL;
        karp_table *t = NULL;
        snprintf(
            text, sizeof text,
            "{apiVersion: v1, kind: Pod, metadata: {name: p, ownerReferences: [{apiVersion: a/v1, kind: Other, name: "
            "o, uid: "
            "o}, {apiVersion: %s, kind: %s, name: x, uid: u, controller: true}]}, spec: {containers: [{name: c}]}}",
            cases[i][0], cases[i][1]);
        assert_int_equal(karp_reader_new(w->context, NULL, &reader, NULL), KARP_OK);
        assert_int_equal(karp_reader_add_catalogue(reader, w->catalogue, NULL), KARP_OK);
        assert_int_equal(karp_reader_add(reader, str("p"), (karp_str){ text, strlen(text) }, NULL), KARP_OK);
        assert_int_equal(karp_reader_finish(reader, &snapshot, NULL), KARP_OK);
        assert_int_equal(karp_snapshot_table(snapshot, KARP_TABLE_SNAPSHOT_PODS, &t, NULL), KARP_OK);
        karp_column kind = of(t, "owner_kind"), owner = of(t, "owner");
        assert_text(text_at(&kind, 0), str(cases[i][2]));
        assert_text(text_at(&owner, 0), str(cases[i][3]));
        karp_table_free(t);
        karp_snapshot_unref(snapshot);
        karp_reader_free(reader);
    }
}

static void snapshot_tables(void **state)
{
    const world *w = *state;
    karp_snapshot_counts counts = { .size = sizeof counts };
    karp_table *t = NULL;
    karp_snapshot_get_counts(w->snapshot, &counts);
    assert_int_equal(karp_snapshot_table(w->snapshot, KARP_TABLE_SNAPSHOT_PODS, &t, NULL), KARP_OK);
    check_layout(t);
    karp_column space = of(t, "namespace"), name = of(t, "name"), node = of(t, "node"), cpu = of(t, "requests.cpu"),
                gpu = of(t, "requests.nvidia.com/gpu"), kind = of(t, "owner_kind"), owner = of(t, "owner");
    karp_column pods_each = of(t, "requests.pods");
    assert_int_equal(karp_table_row_count(t), counts.pods);
    size_t bound = 0;
    for (size_t i = 0; i < counts.pods; i++) {
        char full[128];
        karp_str s = text_at(&space, i), n = text_at(&name, i);
        snprintf(full, sizeof full, "%.*s/%.*s", (int)s.len, s.ptr, (int)n.len, n.ptr);
        assert_text(karp_snapshot_pod_name(w->snapshot, i), str(full));
        assert_true(double_at(&pods_each, i) == 1.0);
        assert_true(double_at(&gpu, i) == (strcmp(full, "default/gpu") == 0 ? 1.0 : 0.0));
        if (text_at(&node, i).len == 0) continue;
        bound++;
        if (strcmp(full, "default/on-a") == 0) assert_true(double_at(&cpu, i) == 0.3);
        assert_text(text_at(&kind, i), str(""));
        assert_text(text_at(&owner, i), str(""));
    }
    assert_true(bound == 2);
    karp_table_free(t);
    assert_int_equal(karp_snapshot_table(w->snapshot, KARP_TABLE_SNAPSHOT_NODES, &t, NULL), KARP_OK);
    check_layout(t);
    name = of(t, "name");
    karp_column pool = of(t, "node_pool"), zone = of(t, "zone"), allocatable = of(t, "allocatable.cpu"),
                available = of(t, "available.cpu");
    assert_int_equal(karp_table_row_count(t), 2);
    assert_text(text_at(&name, 0), str("node-a"));
    assert_text(text_at(&pool, 1), str("second"));
    assert_text(text_at(&zone, 1), str("z2"));
    assert_true(double_at(&allocatable, 0) == 3.9);
    assert_true(double_at(&available, 0) == 3.6); /* on-a takes 300m */
    karp_table_free(t);
}

static void catalogue_tables(void **state)
{
    const world *w = *state;
    karp_table *t = NULL;
    assert_int_equal(karp_catalogue_table(w->catalogue, KARP_TABLE_INSTANCE_TYPES, &t, NULL), KARP_OK);
    check_layout(t);
    karp_column name = of(t, "name"), cpu = of(t, "capacity.cpu"), allocatable = of(t, "allocatable.cpu"),
                offering_count = of(t, "offering_count");
    size_t offerings = 0;
    assert_int_equal(karp_table_row_count(t), karp_catalogue_count(w->catalogue));
    for (size_t i = 0; i < karp_table_row_count(t); i++) {
        const karp_instance_type *type = karp_catalogue_type(w->catalogue, i);
        assert_text(text_at(&name, i), type->name);
        assert_true(double_at(&allocatable, i) <= double_at(&cpu, i) && double_at(&cpu, i) >= 1);
        assert_int_equal(uint32_at(&offering_count, i), type->offering_count);
        offerings += type->offering_count;
    }
    karp_table_free(t);
    assert_int_equal(karp_catalogue_table(w->catalogue, KARP_TABLE_OFFERINGS, &t, NULL), KARP_OK);
    check_layout(t);
    karp_column type = of(t, "type"), price = of(t, "price"), zone = of(t, "zone");
    name = of(t, "instance_type");
    assert_int_equal(karp_table_row_count(t), offerings);
    assert_true(offerings > 2);
    for (size_t i = 0, at = 0; i < karp_catalogue_count(w->catalogue); i++) {
        const karp_instance_type *given = karp_catalogue_type(w->catalogue, i);
        for (size_t k = 0; k < given->offering_count; k++, at++) {
            assert_int_equal(uint32_at(&type, at), i);
            assert_text(text_at(&name, at), given->name);
            assert_true(double_at(&price, at) == given->offerings[k].price);
            assert_true(text_at(&zone, at).len == 2);
        }
    }
    karp_table_free(t);
}

/* ---- what can go wrong ------------------------------------------------------------------------------------------- */

static void refused_questions(void **state)
{
    const world *w = *state;
    karp_table *t = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    assert_int_equal(karp_decision_table(w->plan, 0, &t, &error), KARP_E_NOT_FOUND);
    assert_string_equal(error.message, "a decision has no table 0");
    assert_int_equal(karp_decision_table(w->plan, KARP_TABLE_KEPT + 1, &t, &error), KARP_E_NOT_FOUND);
    assert_int_equal(karp_decision_table(w->plan, KARP_TABLE_SNAPSHOT_PODS, &t, &error), KARP_E_NOT_FOUND);
    assert_int_equal(karp_decision_table(w->plan, UINT32_MAX, &t, &error), KARP_E_NOT_FOUND);
    assert_int_equal(karp_snapshot_table(w->snapshot, KARP_TABLE_PODS, &t, &error), KARP_E_NOT_FOUND);
    assert_int_equal(karp_catalogue_table(w->catalogue, KARP_TABLE_PODS, &t, &error), KARP_E_NOT_FOUND);
    assert_int_equal(karp_decision_table(w->plan, KARP_TABLE_PODS, NULL, &error), KARP_E_INVALID);
    assert_int_equal(karp_decision_table(NULL, KARP_TABLE_PODS, &t, &error), KARP_E_INVALID);
    assert_int_equal(karp_snapshot_table(NULL, KARP_TABLE_SNAPSHOT_PODS, &t, NULL), KARP_E_INVALID);
    assert_int_equal(karp_catalogue_table(NULL, KARP_TABLE_OFFERINGS, &t, NULL), KARP_E_INVALID);
    assert_null(t);
    karp_table_free(NULL);
    t = table_of(w->plan, KARP_TABLE_PODS);
    karp_column c = { .size = 8 };
    assert_int_equal(karp_table_column(t, 0, &c), KARP_E_ABI_SIZE);
    c.size = 100000;
    assert_int_equal(karp_table_column(t, 0, &c), KARP_E_ABI_SIZE);
    assert_int_equal(karp_table_column(t, 0, NULL), KARP_E_INVALID);
    karp_table_free(t);
}

typedef karp_status (*make_fn)(const world *w, uint32_t which, karp_table **out);

static karp_status of_plan(const world *w, uint32_t which, karp_table **out)
{
    return karp_decision_table(w->plan, which, out, NULL);
}
static karp_status of_pass(const world *w, uint32_t which, karp_table **out)
{
    return karp_decision_table(w->pass, which, out, NULL);
}
static karp_status of_snapshot(const world *w, uint32_t which, karp_table **out)
{
    return karp_snapshot_table(w->snapshot, which, out, NULL);
}
static karp_status of_catalogue(const world *w, uint32_t which, karp_table **out)
{
    return karp_catalogue_table(w->catalogue, which, out, NULL);
}

static void refuse_each(world *w, make_fn make, uint32_t which, bool keep_failing)
{
    size_t blocks = w->fault.live_blocks, bytes = w->fault.live_bytes;
    for (size_t at = 1;; at++) {
        karp_table *t = NULL;
        fault_arm(&w->fault, at, keep_failing);
        karp_status status = make(w, which, &t);
        size_t refused = w->fault.refused;
        fault_arm(&w->fault, 0, false);
        if (refused == 0) {
            assert_int_equal(status, KARP_OK);
            assert_true(at > 5);
            check_layout(t);
            karp_table_free(t);
            break;
        }
        assert_int_equal(status, KARP_E_NOMEM);
        assert_null(t);
        assert_int_equal(w->fault.live_blocks, blocks);
        assert_int_equal(w->fault.live_bytes, bytes);
    }
    assert_int_equal(w->fault.live_blocks, blocks);
}

static void refused_memory(void **state)
{
    world *w = *state;
    for (int keep = 0; keep < 2; keep++) {
        for (uint32_t which = KARP_TABLE_PODS; which <= KARP_TABLE_NODES; which++) refuse_each(w, of_plan, which, keep);
        for (uint32_t which = KARP_TABLE_CANDIDATES; which <= KARP_TABLE_KEPT; which++)
            refuse_each(w, of_pass, which, keep);
        for (uint32_t which = KARP_TABLE_SNAPSHOT_PODS; which <= KARP_TABLE_SNAPSHOT_NODES; which++)
            refuse_each(w, of_snapshot, which, keep);
        for (uint32_t which = KARP_TABLE_INSTANCE_TYPES; which <= KARP_TABLE_OFFERINGS; which++)
            refuse_each(w, of_catalogue, which, keep);
    }
}

/* The check of the builder itself: columns of different lengths are a defect that is told, not handed out. */
static void uneven_columns(void **state)
{
    const world *w = *state;
    karp_table *t = table_new(w->context), *out = NULL;
    column_uint32(table_uint32(t, "one"), 1);
    (void)table_text(t, "none");
    assert_int_equal(table_finish(t, &out, NULL), KARP_E_INTERNAL);
    assert_null(out);
}

/* docs/columns.md: in the table's section, the columns in their order with their types. */
static void check_document(const char *page, const char *heading, const karp_table *t)
{
    static const char *const types[] = { "", "uint32", "int64", "double", "text", "words" };
    const char *at = strstr(page, heading);
    char row[192], last[192] = "";
    assert_non_null(at);
    for (size_t i = 0; i < karp_table_column_count(t); i++) {
        karp_column c = { .size = sizeof c };
        assert_int_equal(karp_table_column(t, i, &c), KARP_OK);
        const char *dot = memchr(c.name.ptr, '.', c.name.len);
        int length = dot != NULL ? (int)(dot - c.name.ptr) : (int)c.name.len;
        snprintf(row, sizeof row, "| `%.*s%s` | %s%s |", length, c.name.ptr, dot != NULL ? ".RESOURCE" : "",
                 c.is_list ? "list of " : "", types[c.type]);
        if (strcmp(row, last) == 0) continue; /* the next resource */
        at = strstr(at + 1, "\n| `"); /* rows of columns alone begin so */
        if (at == NULL || strncmp(at + 1, row, strlen(row)) != 0)
            fail_msg("%s: no row \"%s\" in its place", heading, row);
        snprintf(last, sizeof last, "%s", row);
    }
    const char *next = strstr(at + 1, "\n| `"), *end = strstr(at + 1, "\n## ");
    if (next != NULL && (end == NULL || next < end)) fail_msg("%s: %.40s: there is no such column", heading, next + 1);
}

static void documented(void **state)
{
    const world *w = *state;
    static char page[32768];
    static const char *const of_decisions[] = { "PODS",    "LAUNCHES", "PLACEMENTS", "UNSCHEDULABLE", "REFUSALS",
                                                "IGNORED", "NODES",    "CANDIDATES", "COMMANDS",      "KEPT" };
    char heading[64];
    karp_table *t = NULL;
    FILE *file = fopen("docs/columns.md", "r");
    assert_non_null(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    for (uint32_t i = 0; i < sizeof of_decisions / sizeof *of_decisions; i++) {
        t = table_of(w->plan, KARP_TABLE_PODS + i);
        snprintf(heading, sizeof heading, "\n## KARP_TABLE_%s\n", of_decisions[i]);
        check_document(page, heading, t);
        karp_table_free(t);
    }
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(karp_snapshot_table(w->snapshot, KARP_TABLE_SNAPSHOT_PODS + i, &t, NULL), KARP_OK);
        check_document(page, i == 0 ? "\n## KARP_TABLE_SNAPSHOT_PODS\n" : "\n## KARP_TABLE_SNAPSHOT_NODES\n", t);
        karp_table_free(t);
        assert_int_equal(karp_catalogue_table(w->catalogue, KARP_TABLE_INSTANCE_TYPES + i, &t, NULL), KARP_OK);
        check_document(page, i == 0 ? "\n## KARP_TABLE_INSTANCE_TYPES\n" : "\n## KARP_TABLE_OFFERINGS\n", t);
        karp_table_free(t);
    }
}

/* An empty cluster has tables without rows. */
static void nothing_at_all(void **state)
{
    const world *w = *state;
    karp_builder *b = NULL;
    karp_snapshot *s = NULL;
    karp_decision *d = NULL;
    assert_int_equal(karp_builder_new(w->context, &b, NULL), KARP_OK);
    assert_int_equal(karp_builder_finish(b, &s, NULL), KARP_OK);
    assert_int_equal(karp_provision(s, NULL, &d, NULL), KARP_OK);
    for (uint32_t which = KARP_TABLE_PODS; which <= KARP_TABLE_KEPT; which++) {
        karp_table *t = table_of(d, which);
        assert_int_equal(karp_table_row_count(t), 0);
        karp_table_free(t);
    }
    for (uint32_t which = KARP_TABLE_SNAPSHOT_PODS; which <= KARP_TABLE_SNAPSHOT_NODES; which++) {
        karp_table *t = NULL;
        assert_int_equal(karp_snapshot_table(s, which, &t, NULL), KARP_OK);
        check_layout(t);
        assert_int_equal(karp_table_row_count(t), 0);
        karp_table_free(t);
    }
    karp_decision_unref(d);
    karp_snapshot_unref(s);
    karp_builder_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches),
        cmocka_unit_test(every_pod_once),
        cmocka_unit_test(pods_left_over),
        cmocka_unit_test(nodes_and_placements),
        cmocka_unit_test(tables_of_a_disruption),
        cmocka_unit_test(commands),
        cmocka_unit_test(snapshot_tables),
        cmocka_unit_test(owners),
        cmocka_unit_test(catalogue_tables),
        cmocka_unit_test(refused_questions),
        cmocka_unit_test(refused_memory),
        cmocka_unit_test(uneven_columns),
        cmocka_unit_test(nothing_at_all),
        cmocka_unit_test(documented),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
