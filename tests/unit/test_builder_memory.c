/* SPDX-License-Identifier: Apache-2.0 */
/* Every request for memory is refused once: the call fails, leaves the builder as it was, and succeeds when repeated.
 */
#include <karp/builder.h>
#include <karp/inspect.h>
#include <karp/settings.h>
#include <model/snapshot.h>
#include <support/building.h>

static karp_str two_words[] = { T("x"), T("y") };
static karp_requirement in_two = { T("zone"), KARP_OP_IN, 0, two_words, 2 };
static karp_label labels[] = { { T("a"), T("1") }, { T("b"), T("2") } };
static karp_label many_labels[40];
static char many_text[40][3];
static karp_selector selects = { labels, 2, &in_two, 1 };
static karp_node_term term = { &in_two, 1, 0, 1 };
static karp_pod_term affine = { T("zone"), two_words, 2, &selects, &selects, 1, 0 };
static karp_spread_constraint spread = { .topology_key = T("zone"),
                                         .max_skew = 1,
                                         .label_selector = &selects,
                                         .match_label_keys = two_words,
                                         .match_label_key_count = 1 };
static karp_toleration tolerated = { T("k"), T("v"), T("NoSchedule"), 0, 1, 300 };
static karp_taint tainted = { T("k"), T("v"), T("NoSchedule") };
static karp_host_port port = { T("10.0.0.1"), T("TCP"), 80, 0 };
static karp_resource amounts[] = { AMOUNT("memory", "1Gi"), AMOUNT("cpu", "2"), AMOUNT("example.com/x", "3") };
static karp_container box = { .name = T("a"),
                              .requests = amounts,
                              .request_count = 3,
                              .limits = amounts,
                              .limit_count = 2,
                              .ports = &port,
                              .port_count = 1 };
static karp_container inits[] = { { .name = T("i"), .requests = amounts, .request_count = 2, .restart_always = 1 },
                                  { .name = T("j"), .requests = amounts + 1, .request_count = 2 } };
static karp_container_status statuses[20];
static karp_condition ready = { T("Ready"), T("True"), T("Because"), 3 };
static karp_owner owner = { T("apps/v1"), T("ReplicaSet"), T("web"), T("u-web"), 1, 0 };
static karp_pod_volume pod_volumes[] = { { T("data"), T("claim"), KARP_VOLUME_CLAIM, 0 },
                                         { T("tmp"), T(""), KARP_VOLUME_EPHEMERAL, 0 } };
static karp_budget daily = { T("1"), T("@daily"), 1, 0, 0 };
static karp_csi_driver driver = { T("d"), 5, 1 };
static karp_offering offered = { .requirements = &in_two, .requirement_count = 1, .price = 1.5, .available = 1 };
static karp_node_state node_states[] = { { T("s1"), 1, 0 }, { T("s2"), 0, 1 } };
static karp_str places[] = { T("default/p1"), T("default/p2") };

static karp_meta meta_of(const char *name)
{
    karp_meta m = { .name = str(name),
                    .labels = labels,
                    .label_count = 2,
                    .annotations = labels,
                    .annotation_count = 2,
                    .owners = &owner,
                    .owner_count = 1 };
    return m;
}

static karp_pod pod_of(const char *name)
{
    karp_pod p = { .size = sizeof p,
                   .meta = meta_of(name),
                   .node_name = T("node-1"),
                   .node_selector = many_labels,
                   .node_selector_count = 40,
                   .required_node_terms = &term,
                   .required_node_term_count = 1,
                   .preferred_node_terms = &term,
                   .preferred_node_term_count = 1,
                   .required_affinity = &affine,
                   .required_affinity_count = 1,
                   .preferred_anti_affinity = &affine,
                   .preferred_anti_affinity_count = 1,
                   .spread = &spread,
                   .spread_count = 1,
                   .tolerations = &tolerated,
                   .toleration_count = 1,
                   .containers = &box,
                   .container_count = 1,
                   .init_containers = inits,
                   .init_container_count = 2,
                   .overhead = amounts + 1,
                   .overhead_count = 1,
                   .pod_requests = amounts,
                   .pod_request_count = 1,
                   .volumes = pod_volumes,
                   .volume_count = 2,
                   .conditions = &ready,
                   .condition_count = 1,
                   .container_statuses = statuses,
                   .container_status_count = 20 };
    return p;
}

enum { STEPS = 26, TAKING = 22 };

static karp_status add_catalogue(building *f)
{
    karp_instance_type type = { .size = sizeof type,
                                .name = T("m5"),
                                .requirements = &in_two,
                                .requirement_count = 1,
                                .capacity = amounts,
                                .capacity_count = 3,
                                .offerings = &offered,
                                .offering_count = 1 };
    karp_catalogue *catalogue = NULL;
    karp_status status = karp_catalogue_new(f->context, &type, 1, &catalogue, &f->error);
    if (status != KARP_OK) return status;
    status = karp_builder_add_catalogue(f->b, catalogue, two_words, 2, &f->error);
    karp_catalogue_unref(catalogue);
    return status;
}

static karp_status set_settings(building *f)
{
    karp_spread_constraint plain = { .topology_key = T("zone"), .max_skew = 1 };
    karp_settings s;
    karp_settings_init(&s, sizeof s);
    s.default_spread = &plain;
    s.default_spread_count = 1;
    s.well_known = s.restricted = s.restricted_domains = two_words;
    s.well_known_count = s.restricted_count = s.restricted_domain_count = 2;
    s.normalized = labels;
    s.normalized_count = 2;
    s.reservation_id_label = str("reservation");
    return karp_builder_set_settings(f->b, &s, &f->error);
}

static karp_status run_workload(building *f, size_t n)
{
    karp_pod p = pod_of("web-0"), q = pod_of("web-1"), shared = pod_of("");
    karp_templated_pod own = {
        .size = sizeof own, .name = T("web-2"), .node_name = T("node-2"), .conditions = &ready, .condition_count = 1
    };
    uint32_t template_ = 0;
    shared.volume_count = 1;
    karp_daemon_set d = { .size = sizeof d, .meta = meta_of("d"), .template_ = pod_of("") };
    karp_capacity_buffer b = { .size = sizeof b, .meta = meta_of("b"), .template_ = &p, .replicas = 3 };
    switch (n) {
    case 0: return karp_builder_add_pod(f->b, &p, &f->error);
    case 1: return karp_builder_add_pod(f->b, &q, &f->error); /* its shape is known */
    case 2: return karp_builder_add_daemon_set(f->b, &d, &f->error);
    case 3: return karp_builder_add_capacity_buffer(f->b, &b, &f->error);
    case 4: return karp_builder_add_pod_template(f->b, &shared, &template_, &f->error);
    default: return karp_builder_add_templated_pod(f->b, 0, &own, &f->error);
    }
}

static karp_status run_nodes(building *f, size_t n)
{
    karp_node node_given = { .size = sizeof node_given,
                             .meta = meta_of("n"),
                             .provider_id = T("id"),
                             .taints = &tainted,
                             .taint_count = 1,
                             .capacity = amounts,
                             .capacity_count = 3,
                             .conditions = &ready,
                             .condition_count = 1 };
    karp_node_claim c = { .size = sizeof c,
                          .meta = meta_of("c"),
                          .requirements = &in_two,
                          .requirement_count = 1,
                          .requests = amounts,
                          .request_count = 2 };
    karp_node_pool p = { .size = sizeof p,
                         .meta = meta_of("p"),
                         .template_labels = labels,
                         .template_label_count = 2,
                         .budgets = &daily,
                         .budget_count = 1,
                         .limits = amounts,
                         .limit_count = 1 };
    karp_node_class k = {
        .size = sizeof k, .meta = meta_of("k"), .group = T("g"), .kind = T("K"), .document = T("{}")
    };
    switch (n) {
    case 0: return karp_builder_add_node(f->b, &node_given, &f->error);
    case 1: return karp_builder_add_node_claim(f->b, &c, &f->error);
    case 2: return karp_builder_add_node_pool(f->b, &p, &f->error);
    default: return karp_builder_add_node_class(f->b, &k, &f->error);
    }
}

static karp_status run_cluster(building *f, size_t n)
{
    karp_persistent_volume_claim c = { .size = sizeof c, .meta = meta_of("claim"), .volume_name = T("v") };
    karp_persistent_volume v = { .size = sizeof v, .meta = meta_of("v"), .node_terms = &term, .node_term_count = 1 };
    karp_storage_class s = { .size = sizeof s,
                             .meta = meta_of("s"),
                             .provisioner = T("kubernetes.io/aws-ebs"),
                             .allowed_topologies = &term,
                             .allowed_topology_count = 1 };
    karp_csi_node csi = { .size = sizeof csi, .meta = meta_of("n"), .drivers = &driver, .driver_count = 1 };
    karp_pod_disruption_budget b = {
        .size = sizeof b, .meta = meta_of("b"), .selector = &selects, .min_available = { T("5%"), 0, 1, 1, 0 }
    };
    karp_namespace ns = { .size = sizeof ns, .meta = meta_of("ns") };
    karp_selecting e = { .size = sizeof e, .meta = meta_of("e"), .selector = &selects };
    karp_node_overlay o = { .size = sizeof o,
                            .meta = meta_of("o"),
                            .requirements = &in_two,
                            .requirement_count = 1,
                            .price = T("1.5"),
                            .capacity = amounts,
                            .capacity_count = 3 };
    switch (n) {
    case 0: return karp_builder_add_persistent_volume_claim(f->b, &c, &f->error);
    case 1: return karp_builder_add_persistent_volume(f->b, &v, &f->error);
    case 2: return karp_builder_add_storage_class(f->b, &s, &f->error);
    case 3: return karp_builder_add_csi_node(f->b, &csi, &f->error);
    case 4: return karp_builder_add_pod_disruption_budget(f->b, &b, &f->error);
    case 5: return karp_builder_add_namespace(f->b, &ns, &f->error);
    case 6: return karp_builder_add_selecting(f->b, &e, &f->error);
    default: return karp_builder_add_node_overlay(f->b, &o, &f->error);
    }
}

static karp_status take_store(building *f)
{
    store taken;
    builder_take_store(f->b, &taken);
    store_free(&taken);
    return KARP_OK;
}

static karp_status run_step(building *f, size_t n)
{
    if (n < 6) return run_workload(f, n);
    if (n < 10) return run_nodes(f, n - 6);
    if (n < 18) return run_cluster(f, n - 10);
    switch (n) {
    case 18: return set_settings(f);
    case 19: return karp_builder_set_node_states(f->b, node_states, 2, &f->error);
    case 20: return karp_builder_set_pods_to_place(f->b, places, 2, &f->error);
    case 21: return add_catalogue(f);
    case TAKING: return take_store(f);
    default: return run_workload(f, n - TAKING - 1); /* the builder is new again */
    }
}

/* Everything that a failed call must not have changed. Shapes may stay: they are identities, as strings are. */
static size_t count_everything(const karp_builder *b)
{
    const store *s = &b->s;
    size_t lists = s->nodes.count + s->claims.count + s->pools.count + s->node_classes.count + s->daemon_sets.count +
                   s->volume_claims.count + s->volumes_bound.count + s->storage_classes.count + s->csi_nodes.count +
                   s->budgets.count + s->namespaces.count + s->selecting.count + s->overlays.count + s->buffers.count;
    assert_int_equal(s->taken.count, lists);
    assert_int_equal(s->taken_index.count, lists);
    assert_int_equal(s->shapes.count, s->shape_keys.count);
    return lists + s->pods.count + s->templates.count + s->catalogues.count + s->states.count + s->pods_to_place.count +
           s->default_spread.count + s->well_known_count + s->normalized.count + s->pods_given + s->states_given;
}

static void fill_tables(void)
{
    for (size_t i = 0; i < 40; i++) {
        many_text[i][0] = 'l';
        many_text[i][1] = (char)('0' + i);
        many_labels[39 - i] = (karp_label){ str(many_text[i]), str("v") };
    }
    for (size_t i = 0; i < 20; i++) {
        statuses[i] = (karp_container_status){ .name = str(i == 19 ? "a" : many_text[i]),
                                               .requests = amounts,
                                               .request_count = 3,
                                               .allocated = amounts,
                                               .allocated_count = 2,
                                               .has_resources = 1 };
    }
}

/* One run in which request `fail_at` is refused; false when there are not that many. */
static bool run(size_t fail_at, bool keep_failing)
{
    building f;
    bool refused = false;
    memset(&f, 0, sizeof f);
    karp_error_init(&f.error, sizeof f.error);
    f.context = fault_context(&f.fault);
    assert_non_null(f.context);
    fault_arm(&f.fault, fail_at, keep_failing);
    karp_status status = karp_builder_new(f.context, &f.b, &f.error);
    if (status != KARP_OK) {
        assert_int_equal(status, KARP_E_NOMEM);
        assert_null(f.b);
        refused = true;
        fault_arm(&f.fault, 0, false);
        good(&f, karp_builder_new(f.context, &f.b, &f.error));
    }
    f.s = &f.b->s;
    for (size_t n = 0; n < STEPS; n++) {
        size_t before = count_everything(f.b);
        status = run_step(&f, n);
        if (status != KARP_OK) {
            assert_int_equal(status, KARP_E_NOMEM);
            assert_int_equal(f.error.status, KARP_E_NOMEM);
            assert_int_equal(count_everything(f.b), before);
            refused = true;
            fault_arm(&f.fault, 0, false);
            good(&f, run_step(&f, n));
        }
        if (n != TAKING) assert_true(count_everything(f.b) > before);
    }
    refused = refused || f.fault.refused > 0;
    karp_builder_free(f.b);
    karp_context_unref(f.context);
    assert_int_equal(f.fault.live_blocks, 0);
    assert_int_equal(f.fault.live_bytes, 0);
    assert_int_equal(f.fault.wrong_sizes, 0);
    return refused;
}

static void test_refused_once(void **state)
{
    (void)state;
    size_t runs = 1;
    fill_tables();
    while (run(runs, false)) runs++;
    assert_true(runs > 100); /* that many requests there are at least */
}

static void test_refused_from_then_on(void **state)
{
    (void)state;
    size_t runs = 1;
    fill_tables();
    while (run(runs, true)) runs++;
    assert_true(runs > 100);
}

/* A builder that has made a snapshot begins anew with its next call. When that is refused, later calls begin anew. */
static void test_refused_after_a_snapshot(void **state)
{
    (void)state;
    size_t refused = 0;
    for (size_t at = 1; at == 1 || refused == at - 1; at++) {
        fault memory = { 0 };
        karp_context *context = fault_context(&memory);
        karp_builder *builder = NULL;
        karp_snapshot *first = NULL, *second = NULL;
        assert_int_equal(karp_builder_new(context, &builder, NULL), KARP_OK);
        assert_int_equal(karp_builder_finish(builder, &first, NULL), KARP_OK);
        fault_arm(&memory, at, true);
        karp_status status = karp_builder_set_now(builder, 5, NULL);
        refused += memory.refused > 0;
        assert_int_equal(status, memory.refused > 0 ? KARP_E_NOMEM : KARP_OK);
        fault_arm(&memory, 0, false);
        assert_int_equal(karp_builder_finish(builder, &second, NULL), KARP_OK);
        assert_int_equal(karp_snapshot_now(second), status == KARP_OK ? 5 : karp_snapshot_now(first));
        assert_int_equal(second->raw.resources.count, first->raw.resources.count); /* those that always exist */
        karp_snapshot_unref(first);
        karp_snapshot_unref(second);
        karp_builder_free(builder);
        karp_context_unref(context);
        assert_int_equal(memory.live_blocks, 0);
        assert_int_equal(memory.wrong_sizes, 0);
    }
    assert_true(refused > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused_after_a_snapshot),
        cmocka_unit_test(test_refused_once),
        cmocka_unit_test(test_refused_from_then_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
