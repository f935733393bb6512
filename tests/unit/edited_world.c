/* SPDX-License-Identifier: Apache-2.0 */
#include "edited_world.h"

#include <base/sort.h>
#include <karp/builder.h>
#include <karp/devices.h>
#include <karp/io.h>

#define ZONE "topology.kubernetes.io/zone"
#define TYPE "node.kubernetes.io/instance-type"

static karp_str str_of(const char *text)
{
    return text == NULL ? (karp_str){ NULL, 0 } : (karp_str){ text, strlen(text) };
}

static void good(karp_status status, const karp_error *error)
{
    if (status != KARP_OK)
        fail_msg("%s %s %s: %s", karp_status_name(status), error->object, error->field, error->message);
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

static size_t count_labels(const thing *t)
{
    size_t n = 0;
    while (n < 3 && t->labels[n].key.ptr != NULL) n++;
    return n;
}

static karp_meta meta_of(const thing *t)
{
    return (karp_meta){ .name = str_of(t->name),
                        .namespace_ = str_of("default"),
                        .labels = t->labels,
                        .label_count = count_labels(t),
                        .creation = t->age };
}

static karp_status add_pod(karp_builder *b, const thing *t, karp_error *error)
{
    const karp_resource requests[] = { { .name = str_of("cpu"), .text = str_of(t->cpu) },
                                       { .name = str_of(t->resource), .text = str_of("1") } };
    const karp_container container = { .name = str_of("c"),
                                       .requests = requests,
                                       .request_count = t->resource != NULL ? 2 : 1 };
    const karp_condition waiting = { str_of("PodScheduled"), str_of("False"), str_of("Unschedulable"), 0 };
    const karp_owner set = { str_of("apps/v1"), str_of("DaemonSet"), str_of("set"), str_of(t->owner), 1, 0 };
    const karp_pod_volume mount = { .name = str_of("v"), .claim_name = str_of(t->claim), .kind = KARP_VOLUME_CLAIM };
    const karp_selector own = { .match_labels = t->labels, .match_label_count = 1 };
    const karp_pod_term apart = { .topology_key = str_of("kubernetes.io/hostname"), .label_selector = &own };
    const karp_pod_claim device = { .name = str_of("d"), .resource_claim_name = str_of(t->device) };
    karp_pod p = { .size = sizeof p,
                   .meta = meta_of(t),
                   .containers = &container,
                   .container_count = 1,
                   .termination_grace_seconds = -1,
                   .node_name = str_of(t->node),
                   .node_selector = &t->wants,
                   .node_selector_count = t->wants.key.ptr != NULL,
                   .volumes = &mount,
                   .volume_count = t->claim != NULL,
                   .required_anti_affinity = &apart,
                   .required_anti_affinity_count = t->apart };
    p.meta.owners = &set;
    p.meta.owner_count = t->owner != NULL;
    p.resource_claims = &device;
    p.resource_claim_count = t->device != NULL;
    p.phase = t->over ? KARP_PHASE_SUCCEEDED : t->node != NULL ? KARP_PHASE_RUNNING : KARP_PHASE_PENDING;
    p.conditions = &waiting;
    p.condition_count = t->node == NULL;
    return karp_builder_add_pod(b, &p, error);
}

static karp_status add_node(karp_builder *b, const thing *t, karp_error *error)
{
    const karp_resource amounts[] = { { .name = str_of("cpu"), .text = str_of(t->cpu) },
                                      { .name = str_of("memory"), .text = str_of("8Gi") },
                                      { .name = str_of("pods"), .text = str_of("10") },
                                      { .name = str_of(t->resource), .text = str_of("1") } };
    const size_t count = t->resource != NULL ? 4 : 3;
    karp_resource whole[4];
    memcpy(whole, amounts, sizeof whole);
    if (t->whole != NULL) whole[0].text = str_of(t->whole);
    const karp_str provider = str_of(t->provider != NULL ? t->provider : t->name);
    const karp_node n = { .size = sizeof n,
                          .meta = meta_of(t),
                          .provider_id = provider,
                          .capacity = whole,
                          .capacity_count = count,
                          .allocatable = amounts,
                          .allocatable_count = count };
    const karp_node_claim c = { .size = sizeof c,
                                .meta = meta_of(t),
                                .provider_id = provider,
                                .capacity = whole,
                                .capacity_count = count,
                                .allocatable = amounts,
                                .allocatable_count = count,
                                .expire_after = KARP_DURATION_NEVER,
                                .termination_grace_period = KARP_DURATION_UNSET };
    return strcmp(t->kind, "Node") == 0 ? karp_builder_add_node(b, &n, error)
                                        : karp_builder_add_node_claim(b, &c, error);
}

static karp_status add_pool(karp_builder *b, const thing *t, karp_error *error)
{
    const karp_condition ready[] = { { str_of("ValidationSucceeded"), str_of("True"), str_of("x"), 0 },
                                     { str_of("NodeClassReady"), str_of("True"), str_of("x"), 0 },
                                     { str_of("Ready"), str_of("True"), str_of("x"), 0 } };
    const karp_node_pool p = { .size = sizeof p,
                               .meta = { .name = str_of(t->name) },
                               .node_class = { str_of(t->group != NULL ? t->group : "g"),
                                               str_of(t->of != NULL ? t->of : "C"), str_of("default") },
                               .template_labels = t->labels,
                               .template_label_count = count_labels(t),
                               .conditions = ready,
                               .condition_count = 3,
                               .replicas = -1,
                               .expire_after = KARP_DURATION_NEVER,
                               .termination_grace_period = KARP_DURATION_UNSET };
    return karp_builder_add_node_pool(b, &p, error);
}

static karp_status add_daemon_set(karp_builder *b, const thing *t, karp_error *error)
{
    const karp_resource request = { .name = str_of("cpu"), .text = str_of(t->cpu) };
    const karp_container container = { .name = str_of("c"), .requests = &request, .request_count = 1 };
    karp_daemon_set d = { .size = sizeof d, .meta = meta_of(t) };
    d.meta.uid = str_of(t->name);
    d.template_ = (karp_pod){
        .size = sizeof d.template_, .containers = &container, .container_count = 1, .termination_grace_seconds = -1
    };
    return karp_builder_add_daemon_set(b, &d, error);
}

/* Room for pods of the buffer's own kind; a device of any class. */
static karp_status add_buffer_or_claim(karp_builder *b, const thing *t, karp_error *error)
{
    const karp_resource request = { .name = str_of("cpu"), .text = str_of(t->cpu) };
    const karp_container container = { .name = str_of("c"), .requests = &request, .request_count = 1 };
    const karp_pod room = {
        .size = sizeof room, .containers = &container, .container_count = 1, .termination_grace_seconds = -1
    };
    const karp_condition ready = { str_of("ReadyForProvisioning"), str_of("True"), str_of("x"), 0 };
    const karp_capacity_buffer buffer_ = { .size = sizeof buffer_,
                                           .meta = meta_of(t),
                                           .template_ = &room,
                                           .conditions = &ready,
                                           .condition_count = 1,
                                           .replicas = t->most };
    const karp_device_request any = {
        .name = str_of("r"), .device_class = str_of("any"), .count = 1, .mode = KARP_ALLOCATE_EXACT_COUNT, .exact = 1
    };
    const karp_resource_claim claim = {
        .size = sizeof claim, .meta = meta_of(t), .requests = &any, .request_count = 1
    };
    return strcmp(t->kind, "CapacityBuffer") == 0 ? karp_builder_add_capacity_buffer(b, &buffer_, error)
                                                  : karp_builder_add_resource_claim(b, &claim, error);
}

static karp_status add_rest(karp_builder *b, const thing *t, karp_error *error)
{
    const karp_selector selects = { .match_labels = t->labels, .match_label_count = count_labels(t) };
    const karp_requirement wants = {
        .key = t->wants.key, .op = KARP_OP_IN, .values = &t->wants.value, .value_count = 1
    };
    const karp_node_term term = { .expressions = &wants, .expression_count = 1 };
    const karp_pod_disruption_budget pdb = { .size = sizeof pdb, .meta = meta_of(t), .selector = &selects };
    const karp_node_overlay over = { .size = sizeof over,
                                     .meta = { .name = str_of(t->name) },
                                     .requirements = &wants,
                                     .requirement_count = 1,
                                     .price = str_of(t->cpu) };
    const karp_persistent_volume_claim pvc = { .size = sizeof pvc,
                                               .meta = meta_of(t),
                                               .volume_name = str_of(t->claim) };
    const karp_persistent_volume pv = { .size = sizeof pv,
                                        .meta = { .name = str_of(t->name) },
                                        .csi_driver = str_of("d"),
                                        .node_terms = &term,
                                        .node_term_count = t->wants.key.ptr != NULL };
    const karp_csi_driver driver = { str_of("d"), t->most, 1 };
    const karp_csi_node csi = {
        .size = sizeof csi, .meta = { .name = str_of(t->name) }, .drivers = &driver, .driver_count = 1
    };
    const karp_selecting service = { .size = sizeof service,
                                     .meta = { .name = str_of(t->name), .namespace_ = str_of("default") },
                                     .selector = &selects,
                                     .kind = KARP_SELECTS_SERVICE };
    const karp_namespace space = {
        .size = sizeof space, .meta = { .name = str_of(t->name), .labels = t->labels, .label_count = count_labels(t) }
    };
    if (strcmp(t->kind, "Service") == 0) return karp_builder_add_selecting(b, &service, error);
    if (strcmp(t->kind, "Namespace") == 0) return karp_builder_add_namespace(b, &space, error);
    if (strcmp(t->kind, "CSINode") == 0) return karp_builder_add_csi_node(b, &csi, error);
    if (strcmp(t->kind, "PodDisruptionBudget") == 0) return karp_builder_add_pod_disruption_budget(b, &pdb, error);
    if (strcmp(t->kind, "PersistentVolumeClaim") == 0) return karp_builder_add_persistent_volume_claim(b, &pvc, error);
    if (strcmp(t->kind, "PersistentVolume") == 0) return karp_builder_add_persistent_volume(b, &pv, error);
    assert_string_equal(t->kind, "NodeOverlay");
    return karp_builder_add_node_overlay(b, &over, error);
}

static karp_status add_thing(karp_builder *b, const thing *t, karp_error *error)
{
    if (strcmp(t->kind, "Pod") == 0) return add_pod(b, t, error);
    if (strcmp(t->kind, "Node") == 0 || strcmp(t->kind, "NodeClaim") == 0) return add_node(b, t, error);
    if (strcmp(t->kind, "NodePool") == 0) return add_pool(b, t, error);
    if (strcmp(t->kind, "DaemonSet") == 0) return add_daemon_set(b, t, error);
    if (strcmp(t->kind, "CapacityBuffer") == 0 || strcmp(t->kind, "ResourceClaim") == 0)
        return add_buffer_or_claim(b, t, error);
    return add_rest(b, t, error);
}

karp_catalogue *edited_world_types(karp_context *context, const char *first, const char *second)
{
    const karp_str zones[] = { str_of("a"), str_of("b") }, names[] = { str_of(first), str_of(second) };
    karp_requirement of_zones[2], of_types[2];
    karp_offering offerings[2][2];
    karp_resource capacities[2][3];
    karp_instance_type types[2];
    for (size_t z = 0; z < 2; z++)
        of_zones[z] = (karp_requirement){
            .key = str_of(ZONE), .op = KARP_OP_IN, .values = &zones[z], .value_count = 1
        };
    for (size_t i = 0; i < 2; i++) {
        of_types[i] = (karp_requirement){
            .key = str_of(TYPE), .op = KARP_OP_IN, .values = &names[i], .value_count = 1
        };
        for (size_t z = 0; z < 2; z++) {
            offerings[i][z] = (karp_offering){ .requirements = &of_zones[z],
                                               .requirement_count = 1,
                                               .price = (double)(i + 1) + 0.5 * (double)z,
                                               .available = 1 };
        }
        capacities[i][0] = (karp_resource){ .name = str_of("cpu"), .text = str_of(i == 0 ? "4" : "8") };
        capacities[i][1] = (karp_resource){ .name = str_of("memory"), .text = str_of("8Gi") };
        capacities[i][2] = (karp_resource){ .name = str_of("pods"), .text = str_of("10") };
        types[i] = (karp_instance_type){ .size = sizeof types[i],
                                         .name = names[i],
                                         .requirements = &of_types[i],
                                         .requirement_count = 1,
                                         .capacity = capacities[i],
                                         .capacity_count = 3,
                                         .offerings = offerings[i],
                                         .offering_count = 2 };
    }
    karp_catalogue *catalogue = NULL;
    assert_int_equal(karp_catalogue_new(context, types, 2, &catalogue, NULL), KARP_OK);
    return catalogue;
}

/* ---- the world --------------------------------------------------------------------------------------------------- */

static karp_snapshot *build_afresh(const edited_world *w)
{
    karp_builder *b = NULL;
    karp_snapshot *s = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    good(karp_builder_new(w->context, &b, &error), &error);
    good(karp_builder_set_now(b, INT64_C(3600000000000), &error), &error);
    good(karp_builder_set_settings(b, &w->settings, &error), &error);
    good(karp_builder_add_catalogue(b, w->catalogue, NULL, 0, &error), &error);
    for (size_t i = 0; i < w->count; i++) good(add_thing(b, &w->things[i], &error), &error);
    good(karp_builder_finish(b, &s, &error), &error);
    karp_builder_free(b);
    return s;
}

void edited_world_open(edited_world *w, const thing *things, size_t count)
{
    edited_world_open_with(w, NULL, false, things, count);
}

void edited_world_open_with(edited_world *w, const karp_spread_constraint *default_spread, bool devices,
                            const thing *things, size_t count)
{
    memset(w, 0, sizeof *w);
    karp_settings_init(&w->settings, sizeof w->settings);
    w->settings.gates |= KARP_GATE_NODE_OVERLAY | KARP_GATE_CAPACITY_BUFFER;
    w->settings.default_spread = default_spread;
    w->settings.default_spread_count = default_spread != NULL;
    w->settings.dra_requests = devices;
    w->context = fault_context(&w->fault);
    assert_non_null(w->context);
    w->catalogue = edited_world_types(w->context, "four", "eight");
    assert_true(count <= MOST_THINGS);
    memcpy(w->things, things, count * sizeof *things);
    w->count = count;
    w->now = build_afresh(w);
}

void edited_world_close(edited_world *w)
{
    karp_snapshot_unref(w->before);
    karp_snapshot_unref(w->now);
    karp_catalogue_unref(w->catalogue);
    karp_context_unref(w->context);
    assert_int_equal(w->fault.live_blocks, 0);
    assert_int_equal(w->fault.wrong_sizes, 0);
}

/* Whether there was one. */
static bool take_out(edited_world *w, const thing *t)
{
    for (size_t i = 0; i < w->count; i++) {
        if (strcmp(w->things[i].kind, t->kind) != 0 || strcmp(w->things[i].name, t->name) != 0) continue;
        memmove(&w->things[i], &w->things[i + 1], (--w->count - i) * sizeof *w->things);
        return true;
    }
    return false;
}

/* The decisions on it are those on the other, to the byte; the verifier finds nothing in them. */
static void expect_equal(const edited_world *w, const karp_snapshot *s, const karp_snapshot *other)
{
    const karp_snapshot *const both[] = { s, other };
    karp_text plans[2], commands[2];
    karp_error error;
    karp_error_init(&error, sizeof error);
    for (size_t i = 0; i < 2; i++) {
        karp_decision *plan = NULL, *disruption = NULL;
        karp_verification *found = NULL;
        karp_options options;
        karp_options_init(&options, sizeof options);
        options.explain = KARP_EXPLAIN_FULL;
        good(karp_provision(both[i], &options, &plan, &error), &error);
        good(karp_disrupt(both[i], NULL, &disruption, &error), &error);
        good(karp_verify_decision(both[i], plan, &found, &error), &error);
        assert_int_equal(karp_verification_count(found), 0);
        good(karp_write_plan(w->context, plan, NULL, NULL, &plans[i], &error), &error);
        good(karp_write_disruption(w->context, disruption, NULL, &commands[i], &error), &error);
        karp_verification_free(found);
        karp_decision_unref(plan);
        karp_decision_unref(disruption);
    }
    assert_string_equal(plans[0].ptr, plans[1].ptr);
    assert_string_equal(commands[0].ptr, commands[1].ptr);
    for (size_t i = 0; i < 2; i++) {
        karp_text_free(&plans[i]);
        karp_text_free(&commands[i]);
    }
}

static int64_t milli_cpu_left(const karp_snapshot *s, const state_node *n)
{
    return (int64_t)((double)n->available[RESOURCE_CPU] * amount_double(s->units[RESOURCE_CPU]) * 1000 + 0.5);
}

/* Every pod has its place in the order of names, and in the queue, and is on its node. */
static void expect_places(const karp_snapshot *s)
{
    for (uint32_t i = 0; i < s->raw.pods.count; i++) {
        assert_int_equal(s->pod_rank[s->by_name[i]], i);
        assert_int_equal(s->queue_rank[s->queue[i]], i);
        const pod *p = pod_at(&s->raw, i);
        assert_int_equal(s->pod_node[i], p->node == NO_ID ? NO_ID : store_find(&s->raw, KIND_NODE, NO_TEXT, p->node));
        if (i > 0) assert_true(compare_str(pod_name(s, s->by_name[i - 1]), pod_name(s, s->by_name[i])) < 0);
    }
}

/* Nodes have the pods they would have, and as much left. */
static void expect_same_parts(const karp_snapshot *s, const karp_snapshot *other)
{
    assert_int_equal(s->raw.pods.count, other->raw.pods.count);
    assert_int_equal(s->node_count, other->node_count);
    assert_int_equal(s->orphan_pods, other->orphan_pods);
    assert_true(s->class_count >= other->class_count); /* what is no longer read may still tell some apart */
    for (uint32_t i = 0; i < s->node_count; i++) {
        const state_node *x = &s->nodes[i], *y = &other->nodes[i];
        assert_true(equal_str(name_of(s, x->name), name_of(other, y->name)));
        assert_int_equal(x->pod_count, y->pod_count);
        for (uint32_t k = 0; k < x->pod_count; k++)
            assert_true(equal_str(pod_name(s, x->pods[k]), pod_name(other, y->pods[k])));
        assert_int_equal(milli_cpu_left(s, x), milli_cpu_left(other, y));
    }
}

size_t edited_world_refuse(edited_world *w, const thing *changes, size_t count)
{
    size_t blocks = w->fault.live_blocks, at = 1;
    for (size_t refused = 1; refused > 0; at++) {
        karp_builder *b = NULL;
        karp_snapshot *s = NULL;
        fault_arm(&w->fault, at, at % 2 == 0);
        karp_status status = karp_snapshot_edit(w->now, &b, NULL);
        for (size_t i = 0; i < count && status == KARP_OK; i++) {
            const thing *t = &changes[i];
            status = karp_builder_remove(b, str_of(t->kind), str_of("default"), str_of(t->name), NULL);
            if (status == KARP_E_NOT_FOUND) status = KARP_OK;
            if (status == KARP_OK && !t->gone) status = add_thing(b, t, NULL);
        }
        if (status == KARP_OK) status = karp_builder_finish(b, &s, NULL);
        refused = w->fault.refused;
        fault_arm(&w->fault, 0, false);
        karp_builder_free(b);
        assert_int_equal(s != NULL, status == KARP_OK);
        assert_true(status == KARP_E_NOMEM || status == KARP_OK);
        assert_true(refused > 0 || s != NULL);
        karp_snapshot_unref(s);
        assert_int_equal(w->fault.live_blocks, blocks);
    }
    return at;
}

void edited_world_edit(edited_world *w, const thing *changes, size_t count)
{
    karp_builder *b = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    good(karp_snapshot_edit(w->now, &b, &error), &error);
    for (size_t i = 0; i < count; i++) {
        const thing *t = &changes[i];
        bool there = take_out(w, t);
        if (there) good(karp_builder_remove(b, str_of(t->kind), str_of("default"), str_of(t->name), &error), &error);
        assert_true(there || !t->gone);
        if (t->gone) continue;
        good(add_thing(b, t, &error), &error);
        assert_true(w->count < MOST_THINGS);
        w->things[w->count++] = *t;
    }
    karp_snapshot_unref(w->before);
    w->before = w->now;
    w->now = NULL;
    good(karp_builder_finish(b, &w->now, &error), &error);
    karp_builder_free(b);
    karp_snapshot *afresh = build_afresh(w);
    w->classes = afresh->class_count;
    expect_places(w->now);
    expect_same_parts(w->now, afresh);
    expect_equal(w, w->now, afresh);
    karp_snapshot_unref(afresh);
}
