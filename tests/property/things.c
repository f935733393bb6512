/* SPDX-License-Identifier: Apache-2.0 */
#include "things.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <karp/builder.h>

/* ---- objects, each made of its kind, its number and a variant ---------------------------------------------------- */

static const char *const zones[] = { "a", "b", "c" };
static const char *const sizes[] = { "100m", "250m", "500m", "1", "3" };

static karp_str str(const char *text) { return (karp_str){ text, strlen(text) }; }

void must(karp_status status, const karp_error *error)
{
    if (status != KARP_OK)
        print_message("%s %s %s: %s\n", karp_status_name(status), error->object, error->field, error->message);
    assert_int_equal(status, KARP_OK);
}

static const char *pod_namespace(unsigned v)
{
    static const char *const fleeting[] = { "night", "day" };
    if (v % 7 == 0) return "other";
    return v % 17 == 5 ? fleeting[v % 2] : "default";
}

/* What few pods have: it comes, and goes again without a trace. */
static void add_oddity(karp_pod *pod, unsigned v)
{
    static const karp_label tier = { { "tier", 4 }, { "front", 5 } };
    static const karp_selector of_tier = { .match_labels = &tier, .match_label_count = 1 };
    static const karp_pod_term beside = { .topology_key = { "kubernetes.io/hostname", 22 },
                                          .label_selector = &of_tier };
    static const karp_pod_volume volumes[] = { { { "data", 4 }, { "claim-1", 7 }, KARP_VOLUME_CLAIM, 0 },
                                               { { "data", 4 }, { "claim-2", 7 }, KARP_VOLUME_CLAIM, 0 } };
    static const karp_owner daemon = {
        { "apps/v1", 7 }, { "DaemonSet", 9 }, { "daemon-0", 8 }, { "DaemonSet/default/daemon-0", 26 }, 1, 0
    };
    static const karp_resource fine = { .name = { "cpu", 3 }, .text = { "123u", 4 } },
                               strange = { .name = { "example.com/x", 13 }, .text = { "1", 1 } };
    switch (v % 41) {
    case 1:
        pod->required_anti_affinity = &beside;
        pod->required_anti_affinity_count = 1;
        return;
    case 2:
    case 3:
        pod->volumes = &volumes[v % 2];
        pod->volume_count = 1;
        return;
    case 4:
    case 5:
        pod->meta.owners = &daemon;
        pod->meta.owner_count = 1;
        return;
    case 6:
        pod->overhead = &fine;
        pod->overhead_count = 1;
        return;
    case 7:
        pod->overhead = &strange;
        pod->overhead_count = 1;
        return;
    default: return;
    }
}

karp_status add_pod(karp_builder *b, unsigned number, unsigned v, karp_error *error)
{
    char name[24], node[24], app[8], job[24];
    (void)snprintf(job, sizeof job, "job-%u", v % 19 == 1 ? v : 0);
    (void)snprintf(name, sizeof name, "pod-%u", number);
    (void)snprintf(node, sizeof node, "node-%u", v / 15 % NODES);
    (void)snprintf(app, sizeof app, "app%u", v % 4);
    karp_resource requests[] = { { .name = str("cpu"), .text = str(sizes[v % 5]) },
                                 { .name = str("memory"), .text = str("256Mi") } };
    karp_container container = { .name = str("c"), .requests = requests, .request_count = 1 + v % 2 };
    const karp_label labels[] = { { str("app"), str(app) }, { str("job"), str(job) } };
    karp_selector selector = { .match_labels = labels, .match_label_count = 1 };
    karp_spread_constraint spread = { .topology_key = str("topology.kubernetes.io/zone"),
                                      .label_selector = &selector,
                                      .max_skew = 1 };
    karp_pod_term anti = { .topology_key = str("kubernetes.io/hostname"), .label_selector = &selector };
    karp_label zone = { str("topology.kubernetes.io/zone"), str(zones[v % 3]) };
    karp_condition waiting = { str("PodScheduled"), str("False"), str("Unschedulable"), 0 };
    karp_pod pod = {
        .size = sizeof pod, .containers = &container, .container_count = 1, .termination_grace_seconds = -1
    };
    pod.meta = (karp_meta){ .name = str(name),
                            .namespace_ = str(pod_namespace(v)),
                            .labels = labels,
                            .label_count = v % 3 == 1 ? 2 : 1,
                            .creation = (int64_t)(v % 9) * 1000000000 };
    if (v % 11 == 1) pod.spread = &spread, pod.spread_count = 1;
    if (v % 11 == 2) pod.required_anti_affinity = &anti, pod.required_anti_affinity_count = 1;
    if (v % 11 == 3) pod.node_selector = &zone, pod.node_selector_count = 1;
    if (v % 3 == 0) {
        pod.node_name = str(node);
        pod.phase = KARP_PHASE_RUNNING;
    } else {
        pod.phase = KARP_PHASE_PENDING;
        pod.conditions = &waiting;
        pod.condition_count = 1;
    }
    add_oddity(&pod, v);
    return karp_builder_add_pod(b, &pod, error);
}

static const karp_node_class_ref node_class = { { "karpenter.k8s.aws", 17 }, { "EC2NodeClass", 12 }, { "default", 7 } };

karp_status add_node(karp_builder *b, unsigned number, unsigned v, bool claim_, karp_error *error)
{
    char name[24], provider[24];
    (void)snprintf(name, sizeof name, "node-%u", number);
    (void)snprintf(provider, sizeof provider, v % 23 >= 11 && v % 23 < 15 ? "other-%u" : "node-%u", number);
    const karp_label labels[] = { { str("kubernetes.io/hostname"), str(name) },
                                  { str("karpenter.sh/nodepool"), str("pool-0") },
                                  { str("karpenter.sh/registered"), str("true") },
                                  { str("karpenter.sh/initialized"), str("true") },
                                  { str("topology.kubernetes.io/zone"), str(zones[v % 3]) },
                                  { str("karpenter.sh/capacity-type"), str("on-demand") },
                                  { str("node.kubernetes.io/instance-type"), str("type-2") } };
    const karp_resource amounts[] = { { .name = str("cpu"), .text = str(v % 2 ? "4" : "8") },
                                      { .name = str("memory"), .text = str("16Gi") },
                                      { .name = str("pods"), .text = str("20") } };
    const karp_condition conditions[] = { { str("Ready"), str("True"), str("x"), 0 },
                                          { str("Launched"), str("True"), str("x"), 0 },
                                          { str("Registered"), str("True"), str("x"), 0 },
                                          { str("Initialized"), str("True"), str("x"), 0 },
                                          { str("Consolidatable"), str("True"), str("x"), 0 } };
    const karp_taint startup = { .key = str("example.com/starting"), .value = str("x"), .effect = str("NoSchedule") };
    char rack[16];
    (void)snprintf(rack, sizeof rack, "rack-%u", v % 23 == 6 ? v : 0);
    const karp_label odd[] = { { str("kubernetes.io/hostname"), str(name) },
                               { str("karpenter.sh/nodepool"), str("pool-0") },
                               { str("topology.kubernetes.io/zone"), str(v % 23 == 5 ? "z" : zones[v % 3]) },
                               { str("rack"), str(rack) },
                               { str("karpenter.sh/registered"), str("true") },
                               { str("karpenter.sh/initialized"), str("true") } };
    const karp_resource strange = { .name = str(v % 23 == 8 ? "example.com/x" : "cpu"),
                                    .text = str(v % 23 == 8 ? "1" : "1234567u") };
    karp_meta meta = { .name = str(name), .labels = labels, .label_count = 7 };
    if (v % 23 >= 2 &&
        v % 23 <= 6) { /* neither registered nor initialised, not initialised, or both, in a zone or rack of its own */
        meta.labels = odd;
        meta.label_count = v % 23 == 2 ? 4 : v % 23 == 3 ? 5 : 6;
    }
    if (v % 23 == 7) meta.deletion = 1000000000;
    const karp_node_claim claim = { .size = sizeof claim,
                                    .meta = meta,
                                    .provider_id = str(provider),
                                    .node_class = node_class,
                                    .capacity = amounts,
                                    .capacity_count = 3,
                                    .allocatable = v % 23 == 9 ? &strange : amounts,
                                    .allocatable_count = v % 23 == 9 ? 1 : 3,
                                    .conditions = conditions,
                                    .condition_count = 5,
                                    .startup_taints = &startup,
                                    .startup_taint_count = v % 23 < 4,
                                    .expire_after = KARP_DURATION_NEVER,
                                    .termination_grace_period = KARP_DURATION_UNSET };
    const karp_node node = { .size = sizeof node,
                             .meta = meta,
                             .provider_id = str(v % 23 == 10 ? "" : provider),
                             .taints = &startup,
                             .taint_count = v % 23 < 4,
                             .capacity = v % 23 == 8 ? &strange : amounts,
                             .capacity_count = v % 23 == 8 ? 1 : 3,
                             .allocatable = v % 23 < 4 ? amounts + 1 : amounts,
                             .allocatable_count = v % 23 < 4 ? 2 : 3,
                             .conditions = conditions,
                             .condition_count = 1 };
    return claim_ ? karp_builder_add_node_claim(b, &claim, error) : karp_builder_add_node(b, &node, error);
}

static karp_status add_pool(karp_builder *b, unsigned number, unsigned v, karp_error *error)
{
    char name[24];
    (void)snprintf(name, sizeof name, "pool-%u", number);
    const karp_str zone = str(zones[v % 3]);
    const karp_requirement requirement = {
        .key = str("topology.kubernetes.io/zone"), .op = KARP_OP_NOT_IN, .values = &zone, .value_count = 1
    };
    const karp_budget budget = { .nodes = str("100%"), .duration = KARP_DURATION_UNSET };
    const karp_condition ready[] = { { str("ValidationSucceeded"), str("True"), str("x"), 0 },
                                     { str("NodeClassReady"), str("True"), str("x"), 0 },
                                     { str("Ready"), str("True"), str("x"), 0 } };
    const karp_node_pool pool = { .size = sizeof pool,
                                  .meta = { .name = str(name) },
                                  .node_class = node_class,
                                  .requirements = &requirement,
                                  .requirement_count = v % 2,
                                  .budgets = &budget,
                                  .budget_count = 1,
                                  .conditions = ready,
                                  .condition_count = 3,
                                  .weight = (int32_t)(v % 4),
                                  .replicas = -1,
                                  .expire_after = KARP_DURATION_NEVER,
                                  .termination_grace_period = KARP_DURATION_UNSET };
    return karp_builder_add_node_pool(b, &pool, error);
}

static karp_status add_daemon(karp_builder *b, unsigned number, unsigned v, karp_error *error)
{
    char name[24];
    (void)snprintf(name, sizeof name, "daemon-%u", number);
    const karp_resource requests = { .name = str("cpu"), .text = str(sizes[v % 3]) };
    const karp_container container = { .name = str("c"), .requests = &requests, .request_count = 1 };
    karp_daemon_set set = { .size = sizeof set, .meta = { .name = str(name), .namespace_ = str("default") } };
    set.template_.size = sizeof set.template_;
    set.template_.containers = &container;
    set.template_.container_count = 1;
    set.template_.termination_grace_seconds = -1;
    return karp_builder_add_daemon_set(b, &set, error);
}

static karp_status add_budget(karp_builder *b, unsigned number, unsigned v, karp_error *error)
{
    char name[24], app[8];
    (void)snprintf(name, sizeof name, "budget-%u", number);
    (void)snprintf(app, sizeof app, "app%u", v % 4);
    const karp_label label = { str("app"), str(app) };
    const karp_selector selector = { .match_labels = &label, .match_label_count = 1 };
    const karp_pod_disruption_budget budget = { .size = sizeof budget,
                                                .meta = { .name = str(name), .namespace_ = str("default") },
                                                .selector = &selector,
                                                .disruptions_allowed = (int32_t)(v % 2) };
    return karp_builder_add_pod_disruption_budget(b, &budget, error);
}

/* ---- things: places in one row of numbers ------------------------------------------------------------------------ */

karp_status add_thing(karp_builder *b, unsigned thing, unsigned variant, karp_error *error)
{
    if (thing < PODS) return add_pod(b, thing, variant, error);
    if ((thing -= PODS) < NODES) return add_node(b, thing, variant, false, error);
    if ((thing -= NODES) < NODES) return add_node(b, thing, variant, true, error);
    if ((thing -= NODES) < POOLS) return add_pool(b, thing, variant, error);
    if ((thing -= POOLS) < DAEMONS) return add_daemon(b, thing, variant, error);
    return add_budget(b, thing - DAEMONS, variant, error);
}

karp_status remove_thing(karp_builder *b, unsigned thing, unsigned variant, karp_error *error)
{
    static const struct {
        const char *kind, *prefix;
        unsigned count;
    } kinds[] = {
        { "Pod", "pod", PODS },        { "Node", "node", NODES },          { "NodeClaim", "node", NODES },
        { "NodePool", "pool", POOLS }, { "DaemonSet", "daemon", DAEMONS }, { "PodDisruptionBudget", "budget", BUDGETS }
    };
    unsigned k = 0;
    for (; thing >= kinds[k].count; k++) thing -= kinds[k].count;
    char name[24];
    (void)snprintf(name, sizeof name, "%s-%u", kinds[k].prefix, thing);
    return karp_builder_remove(b, str(kinds[k].kind), str(k == 0 ? pod_namespace(variant) : ""), str(name), error);
}

karp_catalogue *make_catalogue(karp_context *context)
{
    static const char *const names[] = { "type-0", "type-1", "type-2", "type-3", "type-4" }, *const cpus[] = { "1", "2",
                                                                                                               "4", "8",
                                                                                                               "16" };
    karp_instance_type types[5];
    karp_requirement of_types[5], of_offerings[3][2];
    karp_resource capacities[5][3];
    karp_offering offerings[5][3];
    karp_str values[5], zone_values[3], on_demand = str("on-demand");
    for (size_t z = 0; z < 3; z++) {
        zone_values[z] = str(zones[z]);
        of_offerings[z][0] = (karp_requirement){
            .key = str("topology.kubernetes.io/zone"), .op = KARP_OP_IN, .values = &zone_values[z], .value_count = 1
        };
        of_offerings[z][1] = (karp_requirement){
            .key = str("karpenter.sh/capacity-type"), .op = KARP_OP_IN, .values = &on_demand, .value_count = 1
        };
    }
    for (size_t i = 0; i < 5; i++) {
        values[i] = str(names[i]);
        of_types[i] = (karp_requirement){
            .key = str("node.kubernetes.io/instance-type"), .op = KARP_OP_IN, .values = &values[i], .value_count = 1
        };
        capacities[i][0] = (karp_resource){ .name = str("cpu"), .text = str(cpus[i]) };
        capacities[i][1] = (karp_resource){ .name = str("memory"), .text = str("32Gi") };
        capacities[i][2] = (karp_resource){ .name = str("pods"), .text = str("20") };
        for (size_t z = 0; z < 3; z++) {
            offerings[i][z] = (karp_offering){ .requirements = of_offerings[z],
                                               .requirement_count = 2,
                                               .price = 0.1 * (double)(i + 1) + 0.001 * (double)z,
                                               .available = 1 };
        }
        types[i] = (karp_instance_type){ .size = sizeof types[i],
                                         .name = values[i],
                                         .requirements = &of_types[i],
                                         .requirement_count = 1,
                                         .capacity = capacities[i],
                                         .capacity_count = 3,
                                         .offerings = offerings[i],
                                         .offering_count = 3 };
    }
    karp_catalogue *catalogue = NULL;
    must(karp_catalogue_new(context, types, 5, &catalogue, NULL), NULL);
    return catalogue;
}

karp_snapshot *build_afresh(const world *w)
{
    karp_builder *b = NULL;
    karp_snapshot *snapshot = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    must(karp_builder_new(w->context, &b, &error), &error);
    must(karp_builder_set_now(b, INT64_C(3600000000000), &error), &error);
    must(karp_builder_add_catalogue(b, w->catalogue, NULL, 0, &error), &error);
    for (unsigned i = 0; i < THINGS; i++) {
        if (w->variants[i] > 0) must(add_thing(b, i, w->variants[i] - 1, &error), &error);
    }
    must(karp_builder_finish(b, &snapshot, &error), &error);
    karp_builder_free(b);
    return snapshot;
}

char *decisions_on(const world *w, const karp_snapshot *snapshot)
{
    karp_decision *plan = NULL, *disruption = NULL;
    karp_text a = { NULL, 0, NULL }, b = { NULL, 0, NULL };
    karp_options options;
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_options_init(&options, sizeof options);
    options.explain = KARP_EXPLAIN_FULL;
    must(karp_provision(snapshot, &options, &plan, &error), &error);
    must(karp_disrupt(snapshot, NULL, &disruption, &error), &error);
    must(karp_write_plan(w->context, plan, NULL, NULL, &a, &error), &error);
    must(karp_write_disruption(w->context, disruption, NULL, &b, &error), &error);
    char *both = malloc(a.len + b.len + 1);
    assert_non_null(both);
    memcpy(both, a.ptr, a.len);
    memcpy(both + a.len, b.ptr, b.len + 1);
    karp_text_free(&a);
    karp_text_free(&b);
    karp_decision_unref(plan);
    karp_decision_unref(disruption);
    return both;
}
