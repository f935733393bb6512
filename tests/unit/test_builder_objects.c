/* SPDX-License-Identifier: Apache-2.0 */
/* Everything but pods: nodes, pools, volumes, budgets …; settings, states, catalogues, limits and sizes of structs. */
#include <karp/builder.h>
#include <karp/inspect.h>
#include <karp/settings.h>
#include <support/building.h>

#include <model/catalogue.h>
#include <model/store_pods.h>

static karp_label pair[] = { { T("a"), T("1") }, { T("b"), T("2") } };
static karp_str three[] = { T("x"), T("y"), T("z") };
static karp_requirement in_two = { T("zone"), KARP_OP_IN, 2, three, 2 };
static karp_requirement unknown_op = { T("zone"), KARP_OP_UNKNOWN, 0, NULL, 0 };
static karp_taint taints[] = { { T("k"), T("v"), T("NoSchedule") }, { T("l"), T(""), T("NoExecute") } };
static karp_resource amounts[] = { AMOUNT("memory", "-1Gi"), AMOUNT("cpu", "2") };
static karp_condition conditions[] = { { T("Ready"), T("True"), T("KubeletReady"), 5 },
                                       { T("Drifted"), T("False"), T(""), 0 } };
static karp_selector by_label = { pair, 1, NULL, 0 };
static karp_node_term terms[] = { { &in_two, 1, 1, 0 } };

static void test_nodes(void **state)
{
    building *f = *state;
    karp_node n = { .size = sizeof n,
                    .meta = { .name = T("node-1"), .namespace_ = T("not-read"), .labels = pair, .label_count = 2 },
                    .provider_id = T("aws:///1"),
                    .taints = taints,
                    .taint_count = 2,
                    .capacity = amounts,
                    .capacity_count = 2,
                    .allocatable = amounts + 1,
                    .allocatable_count = 1,
                    .conditions = conditions,
                    .condition_count = 2 };
    good(f, karp_builder_add_node(f->b, &n, &f->error));
    const node *added = &f->s->nodes.items[0];
    assert_int_equal(added->meta.name, name_id(f, "node-1"));
    assert_int_equal(added->meta.name_space, NO_TEXT);
    assert_int_equal(added->meta.uid, name_id(f, "Node/node-1"));
    assert_int_equal(label_get(added->meta.labels, text_id(f, "b")), text_id(f, "2"));
    assert_int_equal(added->provider_id, name_id(f, "aws:///1"));
    assert_int_equal(added->taints.items[1].effect, text_id(f, "NoExecute"));
    assert_string_equal(list_text(f, added->capacity), "cpu=2 memory=-1Gi");
    assert_string_equal(list_text(f, added->allocatable), "cpu=2");
    assert_true(condition_find(added->conditions, text_id(f, "Ready"))->since == 5);
    assert_true(condition_find(added->conditions, text_id(f, "Drifted"))->since == KARP_NO_TIME);
    assert_null(condition_find(added->conditions, text_id(f, "cpu")));
    assert_int_equal(store_find(f->s, KIND_NODE, NO_TEXT, added->meta.name), 0);
    n.meta.namespace_ = str("another");
    bad(f, karp_builder_add_node(f->b, &n, &f->error), KARP_E_DUPLICATE, "Node node-1", "metadata.name");
    amounts[1].text = str("two");
    n.meta.name = str("node-2");
    bad(f, karp_builder_add_node(f->b, &n, &f->error), KARP_E_INVALID, "Node node-2", "status.capacity[\"cpu\"]");
    amounts[1].text = str("2");
    assert_int_equal(f->s->nodes.count, 1);
}

static void test_claims(void **state)
{
    building *f = *state;
    karp_node_claim n = { .size = sizeof n,
                          .meta = { .name = T("claim-1"), .uid = T("u") },
                          .image_id = T("ami"),
                          .node_class = { T("g"), T("k"), T("n") },
                          .startup_taints = taints,
                          .startup_taint_count = 1,
                          .requirements = &in_two,
                          .requirement_count = 1,
                          .expire_after = KARP_DURATION_NEVER,
                          .termination_grace_period = KARP_DURATION_UNSET };
    good(f, karp_builder_add_node_claim(f->b, &n, &f->error));
    const node_claim *added = &f->s->claims.items[0];
    assert_int_equal(added->meta.uid, name_id(f, "u"));
    assert_int_equal(added->provider_id, 0);
    assert_int_equal(added->image_id, name_id(f, "ami"));
    assert_int_equal(added->class_kind, text_id(f, "k"));
    assert_int_equal(added->startup_taints.count, 1);
    assert_int_equal(added->requirements.items[0].min_values, 2);
    assert_true(added->last_pod_event == KARP_NO_TIME);
    assert_true(added->expire_after == KARP_DURATION_NEVER);
    n.meta.name = str("claim-2");
    n.requirements = &unknown_op;
    bad(f, karp_builder_add_node_claim(f->b, &n, &f->error), KARP_E_INVALID, "NodeClaim claim-2",
        "spec.requirements[0].operator");
}

static void test_pools(void **state)
{
    building *f = *state;
    karp_budget budgets[] = { { T("10%"), T("@daily"), 7, 1, KARP_BUDGET_EMPTY }, { .duration = KARP_DURATION_UNSET } };
    karp_node_pool p = { .size = sizeof p,
                         .meta = { .name = T("general") },
                         .template_labels = pair,
                         .template_label_count = 2,
                         .taints = taints,
                         .taint_count = 1,
                         .requirements = &in_two,
                         .requirement_count = 1,
                         .limits = amounts + 1,
                         .limit_count = 1,
                         .budgets = budgets,
                         .budget_count = 2,
                         .replicas = -1,
                         .weight = 10,
                         .consolidation_policy = KARP_BALANCED,
                         .consolidate_after = 30 };
    good(f, karp_builder_add_node_pool(f->b, &p, &f->error));
    const node_pool *added = &f->s->pools.items[0];
    assert_int_equal(added->budget_count, 2);
    assert_string_equal(added->budgets[0].schedule.ptr, "@daily");
    assert_int_equal(added->budgets[0].reasons, KARP_BUDGET_EMPTY);
    assert_int_equal(added->budgets[1].nodes.len, 0);
    assert_int_equal(added->template_labels.count, 2);
    assert_true(added->replicas == -1 && added->weight == 10 && added->consolidate_after == 30);
    assert_int_equal(added->policy, KARP_BALANCED);
    p.meta.name = str("other");
    p.consolidation_policy = 3;
    bad(f, karp_builder_add_node_pool(f->b, &p, &f->error), KARP_E_INVALID, "NodePool other",
        "spec.disruption.consolidationPolicy");
    budgets[1].reasons = 16;
    bad(f, karp_builder_add_node_pool(f->b, &p, &f->error), KARP_E_INVALID, "NodePool other",
        "spec.disruption.budgets[1].reasons");
}

static void test_classes(void **state)
{
    building *f = *state;
    karp_node_class c = { .size = sizeof c,
                          .meta = { .name = T("default") },
                          .group = T("g1"),
                          .kind = T("EC2NodeClass"),
                          .document = T("{}") };
    good(f, karp_builder_add_node_class(f->b, &c, &f->error));
    bad(f, karp_builder_add_node_class(f->b, &c, &f->error), KARP_E_DUPLICATE, "EC2NodeClass default", "metadata.name");
    c.group = str("g2");
    good(f, karp_builder_add_node_class(f->b, &c, &f->error));
    assert_string_equal(f->s->node_classes.items[1].document.ptr, "{}");
    assert_int_equal(f->s->node_classes.count, 2);
}

static void test_volumes(void **state)
{
    building *f = *state;
    karp_label annotation = { T("pv.kubernetes.io/bind-completed"), T("") };
    karp_persistent_volume_claim c = { .size = sizeof c,
                                       .meta = { .name = T("data") },
                                       .storage_class_name = T("gp3") };
    good(f, karp_builder_add_persistent_volume_claim(f->b, &c, &f->error));
    assert_int_equal(f->s->volume_claims.items[0].storage_class, 0); /* the name without its flag is not read */
    assert_false(f->s->volume_claims.items[0].bind_completed);
    c = (karp_persistent_volume_claim){
        .size = sizeof c,
        .meta = { .name = T("more"), .annotations = &annotation, .annotation_count = 1 },
        .volume_name = T("pv"),
        .storage_class_name = T("gp3"),
        .has_storage_class = 1,
        .phase = KARP_CLAIM_BOUND
    };
    good(f, karp_builder_add_persistent_volume_claim(f->b, &c, &f->error));
    assert_int_equal(f->s->volume_claims.items[1].storage_class, name_id(f, "gp3"));
    assert_int_equal(f->s->volume_claims.items[1].volume, name_id(f, "pv"));
    assert_true(f->s->volume_claims.items[1].bind_completed);
    assert_int_equal(f->s->volume_claims.items[1].meta.name_space, text_id(f, "default"));
    c.meta.name = str("third");
    c.phase = 4;
    bad(f, karp_builder_add_persistent_volume_claim(f->b, &c, &f->error), KARP_E_INVALID,
        "PersistentVolumeClaim default/third", "status.phase");

    karp_persistent_volume v = { .size = sizeof v,
                                 .meta = { .name = T("pv") },
                                 .csi_driver = T("x"),
                                 .aws_elastic_block_store = 1,
                                 .local = 1,
                                 .node_terms = terms,
                                 .node_term_count = 1 };
    good(f, karp_builder_add_persistent_volume(f->b, &v, &f->error));
    assert_int_equal(f->s->volumes_bound.items[0].driver, text_id(f, "x"));
    assert_true(f->s->volumes_bound.items[0].terms.items[0].has_fields && f->s->volumes_bound.items[0].local);
    v = (karp_persistent_volume){ .size = sizeof v, .meta = { .name = T("ebs") }, .aws_elastic_block_store = 1 };
    good(f, karp_builder_add_persistent_volume(f->b, &v, &f->error));
    assert_int_equal(f->s->volumes_bound.items[1].driver, text_id(f, "ebs.csi.aws.com"));
    v = (karp_persistent_volume){ .size = sizeof v, .meta = { .name = T("none") } };
    good(f, karp_builder_add_persistent_volume(f->b, &v, &f->error));
    assert_int_equal(f->s->volumes_bound.items[2].driver, NO_TEXT);
}

static void test_storage_classes(void **state)
{
    building *f = *state;
    static const struct {
        const char *provisioner, *driver;
    } table[] = {
        { "kubernetes.io/aws-ebs", "ebs.csi.aws.com" },
        { "kubernetes.io/gce-pd", "pd.csi.storage.gke.io" },
        { "kubernetes.io/azure-disk", "disk.csi.azure.com" },
        { "kubernetes.io/azure-file", "file.csi.azure.com" },
        { "kubernetes.io/cinder", "cinder.csi.openstack.org" },
        { "kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com" },
        { "kubernetes.io/portworx-volume", "pxd.portworx.com" },
        { "ebs.csi.aws.com", "ebs.csi.aws.com" },
        { "kubernetes.io/no-provisioner", "kubernetes.io/no-provisioner" },
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        char name[] = { 's', (char)('0' + i), '\0' };
        karp_storage_class c = { .size = sizeof c,
                                 .meta = { .name = str(name) },
                                 .provisioner = str(table[i].provisioner),
                                 .binding_mode = KARP_BINDING_IMMEDIATE };
        good(f, karp_builder_add_storage_class(f->b, &c, &f->error));
        assert_int_equal(f->s->storage_classes.items[i].driver, text_id(f, table[i].driver));
        assert_int_equal(f->s->storage_classes.items[i].provisioner, text_id(f, table[i].provisioner));
    }
    karp_csi_driver drivers[] = { { T("free"), 0, 0 }, { T("ebs.csi.aws.com"), 25, 1 } };
    karp_csi_node n = { .size = sizeof n, .meta = { .name = T("node-1") }, .drivers = drivers, .driver_count = 2 };
    good(f, karp_builder_add_csi_node(f->b, &n, &f->error));
    assert_int_equal(f->s->csi_nodes.items[0].limit_count, 2);
    assert_int_equal(f->s->csi_nodes.items[0].limits[0].has_count, 0);
    assert_int_equal(f->s->csi_nodes.items[0].limits[1].has_count, 1);
    assert_int_equal(f->s->csi_nodes.items[0].limits[1].count, 25);
}

static void test_cluster(void **state)
{
    building *f = *state;
    karp_pod_disruption_budget b = { .size = sizeof b,
                                     .meta = { .name = T("b") },
                                     .selector = &by_label,
                                     .always_allow = 1,
                                     .min_available = { T("50%"), 3, 1, 1, 0 },
                                     .max_unavailable = { T("not-read"), 2, 1, 0, 0 } };
    good(f, karp_builder_add_pod_disruption_budget(f->b, &b, &f->error));
    const disruption_budget *added = &f->s->budgets.items[0];
    assert_int_equal(added->selects->labels.count, 1);
    assert_string_equal(added->min_available.text.ptr, "50%");
    assert_true(added->max_unavailable.is_set && !added->max_unavailable.is_text && added->max_unavailable.value == 2);
    assert_int_equal(added->max_unavailable.text.len, 0);
    b.meta.name = str("nil");
    b.selector = NULL;
    good(f, karp_builder_add_pod_disruption_budget(f->b, &b, &f->error));
    assert_null(f->s->budgets.items[1].selects);

    karp_namespace ns = { .size = sizeof ns, .meta = { .name = T("team-a"), .labels = pair, .label_count = 1 } };
    good(f, karp_builder_add_namespace(f->b, &ns, &f->error));
    assert_int_equal(f->s->namespaces.items[0].labels.count, 1);

    karp_selecting s = { .size = sizeof s, .meta = { .name = T("web") }, .selector = &by_label };
    for (uint32_t kind = 0; kind <= KARP_SELECTS_STATEFUL_SET; kind++) {
        s.kind = kind;
        good(f, karp_builder_add_selecting(f->b, &s, &f->error));
        assert_int_equal(store_find_selecting(f->s, kind, text_id(f, "default"), name_id(f, "web")), kind);
    }
    bad(f, karp_builder_add_selecting(f->b, &s, &f->error), KARP_E_DUPLICATE, "StatefulSet default/web",
        "metadata.name");
    s.kind = 4;
    assert_int_equal(karp_builder_add_selecting(f->b, &s, &f->error), KARP_E_INVALID);

    karp_node_overlay o = { .size = sizeof o,
                            .meta = { .name = T("o") },
                            .requirements = &in_two,
                            .requirement_count = 1,
                            .price_adjustment = T("-10%"),
                            .capacity = amounts + 1,
                            .capacity_count = 1,
                            .weight = 3 };
    good(f, karp_builder_add_node_overlay(f->b, &o, &f->error));
    assert_string_equal(f->s->overlays.items[0].price_adjustment.ptr, "-10%");
    assert_int_equal(f->s->overlays.items[0].price.len, 0);
}

static void test_buffers(void **state)
{
    building *f = *state;
    karp_condition ready = { T("ReadyForProvisioning"), T("True"), T(""), 0 };
    karp_pod template_ = {
        .size = sizeof template_, .meta = { .labels = pair, .label_count = 2 }, .has_priority = 1, .priority = 9
    };
    karp_capacity_buffer b = { .size = sizeof b,
                               .meta = { .name = T("spare") },
                               .template_ = &template_,
                               .conditions = &ready,
                               .condition_count = 1,
                               .replicas = 4 };
    good(f, karp_builder_add_capacity_buffer(f->b, &b, &f->error));
    const capacity_buffer *added = &f->s->buffers.items[0];
    assert_true(added->ready && added->has_template && added->replicas == 4);
    assert_int_equal(f->s->shapes.items[added->shape].priority, INT32_MIN);
    assert_int_equal(store_pod_labels(f->s, added->labels).count, 2);
    b = (karp_capacity_buffer){ .size = sizeof b, .meta = { .name = T("empty") }, .replicas = -1 };
    good(f, karp_builder_add_capacity_buffer(f->b, &b, &f->error));
    assert_false(f->s->buffers.items[1].ready || f->s->buffers.items[1].has_template);
}

/* ---- what is no object ------------------------------------------------------------------------------------------- */

static void test_settings(void **state)
{
    building *f = *state;
    karp_spread_constraint spread = { .topology_key = T("zone"), .max_skew = 1 };
    karp_settings s;
    karp_settings_init(&s, sizeof s);
    assert_int_equal(s.gates, KARP_GATE_RESERVED_CAPACITY);
    s.preference_policy = KARP_PREFERENCES_IGNORE;
    s.default_spread = &spread;
    s.default_spread_count = 1;
    s.well_known = three;
    s.well_known_count = 2;
    s.restricted = three;
    s.restricted_count = 3;
    s.restricted_domains = three;
    s.restricted_domain_count = 1;
    s.normalized = pair;
    s.normalized_count = 2;
    s.reservation_id_label = str("reservation");
    good(f, karp_builder_set_settings(f->b, &s, &f->error));
    assert_int_equal(f->s->settings.preference_policy, KARP_PREFERENCES_IGNORE);
    assert_null(f->s->settings.well_known);
    assert_int_equal(f->s->well_known_count, 2);
    assert_int_equal(f->s->restricted_count, 3);
    assert_int_equal(f->s->restricted_domains[0], text_id(f, "x"));
    assert_int_equal(f->s->normalized.count, 2);
    assert_int_equal(f->s->default_spread.count, 1);
    assert_int_equal(f->s->reservation_id, text_id(f, "reservation"));
    assert_string_equal(f->s->settings.reservation_id_label.ptr, "reservation");
    /* A caller of another version has another size; one too small for the size itself is left alone. */
    struct {
        karp_settings settings;
        uint64_t newer;
    } wide = { .newer = 7 };
    karp_settings_init(&wide.settings, sizeof wide);
    assert_true(wide.settings.size == sizeof wide && wide.settings.gates == KARP_GATE_RESERVED_CAPACITY &&
                wide.newer == 0);
    wide.newer = 7;
    wide.settings.well_known_count = 5;
    karp_settings_init(&wide.settings, offsetof(karp_settings, well_known));
    assert_true(wide.settings.size == offsetof(karp_settings, well_known) && wide.settings.well_known_count == 5 &&
                wide.newer == 7);
    karp_settings_init(&wide.settings, sizeof wide.settings.size - 1);
    assert_true(wide.settings.size == offsetof(karp_settings, well_known));

    s.gates = 8192;
    bad(f, karp_builder_set_settings(f->b, &s, &f->error), KARP_E_INVALID, "karp_settings", "gates");
    s.gates = 0;
    struct {
        uint32_t *value;
        const char *field;
    } switches[] = {
        { &s.preference_policy, "preference_policy" },
        { &s.min_values_policy, "min_values_policy" },
        { &s.reserved_mode, "reserved_mode" },
        { &s.dra_requests, "dra_requests" },
        { &s.consolidation_simulation, "consolidation_simulation" },
    };
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
        *switches[i].value = 2;
        bad(f, karp_builder_set_settings(f->b, &s, &f->error), KARP_E_INVALID, "karp_settings", switches[i].field);
        *switches[i].value = 0;
    }
    spread.label_selector = &by_label;
    bad(f, karp_builder_set_settings(f->b, &s, &f->error), KARP_E_INVALID, "karp_settings",
        "default_spread[0].labelSelector");
    karp_spread_constraint twice[] = { { .topology_key = T("zone"), .max_skew = 1 },
                                       { .topology_key = T("zone"), .max_skew = 2 } };
    s.default_spread = twice;
    s.default_spread_count = 2;
    bad(f, karp_builder_set_settings(f->b, &s, &f->error), KARP_E_DUPLICATE, "karp_settings", "default_spread[1]");
    static karp_str app[] = { T("app") };
    karp_spread_constraint by_key = {
        .topology_key = T("zone"), .max_skew = 1, .match_label_keys = app, .match_label_key_count = 1
    };
    s.default_spread = &by_key;
    s.default_spread_count = 1;
    bad(f, karp_builder_set_settings(f->b, &s, &f->error), KARP_E_INVALID, "karp_settings",
        "default_spread[0].labelSelector");
    karp_spread_constraint nowhere = { .topology_key = T(""), .max_skew = 1 };
    s.default_spread = &nowhere;
    bad(f, karp_builder_set_settings(f->b, &s, &f->error), KARP_E_INVALID, "karp_settings",
        "default_spread[0].topologyKey");
    static karp_spread_constraint many[65];
    for (size_t i = 0; i < 65; i++)
        many[i] = (karp_spread_constraint){
            .topology_key = { "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnop", i + 1 },
            .max_skew = 1
        };
    s.default_spread = many;
    s.default_spread_count = 65;
    bad(f, karp_builder_set_settings(f->b, &s, &f->error), KARP_E_LIMIT, "karp_settings", "default_spread");
    assert_int_equal(f->s->settings.gates, KARP_GATE_RESERVED_CAPACITY); /* as before */
    assert_int_equal(f->s->default_spread.count, 1);
    /* Twice is the same key and the same manner. */
    karp_spread_constraint three_of_them[] = {
        { .topology_key = T("zone"), .max_skew = 1 },
        { .topology_key = T("host"), .max_skew = 1 },
        { .topology_key = T("zone"), .max_skew = 1, .when_unsatisfiable = KARP_SCHEDULE_ANYWAY }
    };
    s.default_spread = three_of_them;
    s.default_spread_count = 3;
    good(f, karp_builder_set_settings(f->b, &s, &f->error));
    assert_int_equal(f->s->default_spread.count, 3);
    good(f, karp_builder_set_settings(f->b, NULL, &f->error)); /* the defaults */
    assert_int_equal(f->s->settings.gates, KARP_GATE_RESERVED_CAPACITY);
    assert_int_equal(f->s->well_known_count, 0);
    assert_int_equal(f->s->reservation_id, NO_TEXT);

    good(f, karp_builder_set_now(f->b, 42, &f->error));
    assert_true(f->s->now == 42);
    assert_int_equal(karp_builder_set_now(f->b, KARP_NO_TIME, &f->error), KARP_E_INVALID);
}

static void test_states(void **state)
{
    building *f = *state;
    karp_node_state states[] = { { T("n1"), 1, 0 }, { T("n2"), 0, 7 } };
    good(f, karp_builder_set_node_states(f->b, states, 2, &f->error));
    assert_true(f->s->states_given && f->s->states.count == 2);
    assert_true(f->s->states.items[0].marked && !f->s->states.items[0].nominated && f->s->states.items[1].nominated);
    states[1].name = str("n1");
    bad(f, karp_builder_set_node_states(f->b, states, 2, &f->error), KARP_E_DUPLICATE, "", "states[1].name");
    assert_int_equal(f->s->states.count, 2);
    states[1].name = str("");
    bad(f, karp_builder_set_node_states(f->b, states, 2, &f->error), KARP_E_INVALID, "", "states[1].name");
    states[1].name = (karp_str){ NULL, 3 };
    bad(f, karp_builder_set_node_states(f->b, states, 2, &f->error), KARP_E_INVALID, "", "states[1].name");
    assert_int_equal(f->s->states.count, 2);
    good(f, karp_builder_set_node_states(f->b, NULL, 0, &f->error)); /* none of them */
    assert_true(f->s->states_given && f->s->states.count == 0);

    karp_str names[] = { T("default/web-0"), T("other/web-0"), T("default/a/b") };
    good(f, karp_builder_set_pods_to_place(f->b, names, 3, &f->error));
    assert_true(f->s->pods_given && f->s->pods_to_place.count == 3);
    assert_true(f->s->pods_to_place.items[1] == pair_key(text_id(f, "other"), name_id(f, "web-0")));
    assert_true(f->s->pods_to_place.items[2] == pair_key(text_id(f, "default"), name_id(f, "a/b")));
    static const char *const wrong[] = { "web-0", "/web-0", "default/", "", "/" };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        names[1] = str(wrong[i]);
        bad(f, karp_builder_set_pods_to_place(f->b, names, 3, &f->error), KARP_E_INVALID, "", "podsToPlace[1]");
    }
    names[1] = (karp_str){ NULL, 9 };
    bad(f, karp_builder_set_pods_to_place(f->b, names, 3, &f->error), KARP_E_INVALID, "", "podsToPlace[1]");
    names[1] = names[0];
    bad(f, karp_builder_set_pods_to_place(f->b, names, 3, &f->error), KARP_E_DUPLICATE, "", "podsToPlace[1]");
    assert_int_equal(f->s->pods_to_place.count, 3);
}

/* The store moves out whole, holds included; the builder is as new. */
static void test_take(void **state)
{
    building *f = *state;
    karp_instance_type type = { .size = sizeof type, .name = T("m5.large") };
    karp_catalogue *catalogue = NULL;
    good(f, karp_catalogue_new(f->context, &type, 1, &catalogue, &f->error));
    good(f, karp_builder_add_catalogue(f->b, catalogue, three, 2, &f->error));
    assert_int_equal(karp_builder_add_catalogue(f->b, NULL, NULL, 0, &f->error), KARP_E_INVALID);
    karp_catalogue_unref(catalogue); /* the builder has its own hold */
    karp_pod p = { .size = sizeof p, .meta = { .name = T("web-0") } };
    good(f, karp_builder_add_pod(f->b, &p, &f->error));
    good(f, karp_builder_set_now(f->b, 42, &f->error));

    store taken;
    assert_true(store_index_pods(&f->b->s)); /* as finishing does */
    builder_take_store(f->b, &taken);
    assert_int_equal(taken.pods.count, 1);
    assert_int_equal(taken.catalogues.items[0].pool_count, 2);
    assert_int_equal(taken.catalogues.items[0].pools[1], strings_find(&taken.names, "y", 1));
    assert_int_equal(karp_catalogue_count(taken.catalogues.items[0].catalogue), 1);
    uint32_t space = strings_find(&taken.text, "default", 7), name = strings_find(&taken.names, "web-0", 5);
    assert_int_equal(store_find(&taken, KIND_POD, space, name), 0);
    assert_int_equal(f->s->pods.count, 0);
    assert_int_equal(f->s->catalogues.count, 0);
    assert_int_not_equal(f->s->now, 42);
    good(f, karp_builder_add_pod(f->b, &p, &f->error)); /* no duplicate */
    store_free(&taken);
}

/* ---- limits and sizes -------------------------------------------------------------------------------------------- */

static void test_limits(void **state)
{
    (void)state;
    karp_context_options options;
    karp_context_options_init(&options, sizeof options);
    options.max_pods = 1;
    options.max_nodes = 1;
    options.max_instance_types = 3;
    karp_context *context = NULL;
    karp_builder *b = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    assert_int_equal(karp_context_new(&options, &context, &error), KARP_OK);
    assert_int_equal(karp_builder_new(context, &b, &error), KARP_OK);
    karp_pod p = { .size = sizeof p, .meta = { .name = T("a") } };
    karp_node n = { .size = sizeof n, .meta = { .name = T("a") } };
    karp_node_claim c = { .size = sizeof c, .meta = { .name = T("a") } };
    assert_int_equal(karp_builder_add_pod(b, &p, &error), KARP_OK);
    assert_int_equal(karp_builder_add_node(b, &n, &error), KARP_OK);
    assert_int_equal(karp_builder_add_node_claim(b, &c, &error), KARP_OK);
    p.meta.name = n.meta.name = c.meta.name = str("b");
    assert_int_equal(karp_builder_add_pod(b, &p, &error), KARP_E_LIMIT);
    assert_string_equal(error.object, "Pod default/b");
    assert_int_equal(karp_builder_add_node(b, &n, &error), KARP_E_LIMIT);
    assert_int_equal(karp_builder_add_node_claim(b, &c, &error), KARP_E_LIMIT);

    karp_instance_type types[4];
    memset(types, 0, sizeof types);
    static const char *const names[] = { "t1", "t2", "t3", "t4" };
    for (size_t i = 0; i < 4; i++) {
        types[i].size = sizeof types[i];
        types[i].name = str(names[i]);
    }
    karp_catalogue *two = NULL, *other = NULL, *four = NULL;
    assert_int_equal(karp_catalogue_new(context, types, 4, &four, &error), KARP_E_LIMIT);
    assert_int_equal(karp_catalogue_new(context, types, 2, &two, &error), KARP_OK);
    assert_int_equal(karp_catalogue_new(context, types + 2, 2, &other, &error), KARP_OK);
    assert_int_equal(karp_builder_add_catalogue(b, two, NULL, 0, &error), KARP_OK);
    assert_int_equal(karp_builder_add_catalogue(b, two, three, 1, &error), KARP_OK); /* counted once */
    assert_int_equal(karp_builder_add_catalogue(b, other, NULL, 0, &error), KARP_E_LIMIT);
    karp_catalogue_unref(two);
    karp_catalogue_unref(other);
    karp_builder_free(b);
    karp_context_unref(context);
}

/* A pod as a newer library's caller has it. */
typedef struct newer_pod {
    karp_pod pod;
    uint64_t more;
} newer_pod;

static void test_sizes(void **state)
{
    building *f = *state;
    newer_pod p;
    memset(&p, 0, sizeof p);
    p.pod.meta.name = str("a");
    assert_int_equal(karp_builder_add_pod(f->b, &p.pod, &f->error), KARP_E_ABI_SIZE);
    p.pod.size = offsetof(karp_pod, group_name) - 1; /* less than the first version had */
    assert_int_equal(karp_builder_add_pod(f->b, &p.pod, &f->error), KARP_E_ABI_SIZE);
    p.pod.size = 5000;
    assert_int_equal(karp_builder_add_pod(f->b, &p.pod, &f->error), KARP_E_ABI_SIZE);
    p.pod.size = sizeof p;
    p.more = 1;
    assert_int_equal(karp_builder_add_pod(f->b, &p.pod, &f->error), KARP_E_ABI_NEW);
    p.more = 0;
    good(f, karp_builder_add_pod(f->b, &p.pod, &f->error));
    assert_int_equal(f->s->pods.count, 1);

    karp_daemon_set d = { .size = sizeof d, .meta = { .name = T("d") } };
    assert_int_equal(karp_builder_add_daemon_set(f->b, &d, &f->error), KARP_E_ABI_SIZE); /* the template has one, too */
    d.template_.size = sizeof d.template_ + 8;
    assert_int_equal(karp_builder_add_daemon_set(f->b, &d, &f->error), KARP_E_ABI_SIZE); /* beyond the struct */
    d.template_.size = sizeof d.template_;
    good(f, karp_builder_add_daemon_set(f->b, &d, &f->error));
    bad(f, karp_builder_add_daemon_set(f->b, NULL, &f->error), KARP_E_INVALID, "DaemonSet", "metadata.name");

    karp_settings s = { .size = 3 };
    assert_int_equal(karp_builder_set_settings(f->b, &s, &f->error), KARP_E_ABI_SIZE);
    karp_node n = { .size = 1 };
    assert_int_equal(karp_builder_add_node(f->b, &n, NULL), KARP_E_ABI_SIZE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_nodes, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_claims, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_pools, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_classes, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_volumes, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_storage_classes, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_cluster, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_buffers, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_settings, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_states, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_take, building_set_up, building_tear_down),
        cmocka_unit_test(test_limits),
        cmocka_unit_test_setup_teardown(test_sizes, building_set_up, building_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
