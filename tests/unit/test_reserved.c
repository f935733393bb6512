/* SPDX-License-Identifier: Apache-2.0 */
/* A reserved field becomes a field with a meaning in a later version. A caller that sets it is newer than this library
 * and is told so (KARP_E_ABI_NEW): leaving it out in silence would be another answer than the one that was asked for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <karp/groups.h>
#include <karp/admit.h>
#include <karp/blockers.h>
#include <karp/builder.h>
#include <karp/certificate.h>
#include <karp/compare.h>
#include <karp/command.h>
#include <karp/devices.h>
#include <karp/explain.h>
#include <karp/fit.h>
#include <karp/io.h>
#include <karp/karp.h>
#include <karp/lifecycle.h>
#include <karp/lint.h>
#include <karp/nodes.h>
#include <karp/objective.h>
#include <karp/passes.h>
#include <karp/provider.h>
#include <karp/repack.h>
#include <karp/requests.h>
#include <karp/settle.h>
#include <karp/what_if.h>

#define T(text)                                                                                                        \
    {                                                                                                                  \
        text, sizeof(text) - 1                                                                                         \
    }
#define ONE(type, ...)                                                                                                 \
    &(const type) { __VA_ARGS__ }

static const char *set_in; /* the struct whose reserved field is set */

static uint32_t set(const char *name) { return strcmp(set_in, name) == 0; }

static const karp_meta named = { .name = T("a"), .namespace_ = T("default") };

/* ---- objects ----------------------------------------------------------------------------------------------------- */

typedef struct world {
    karp_context *context;
    karp_builder *builder;
    karp_error error;
} world;

static karp_status add_pod(world *w)
{
    const karp_resource cpu = { .name = T("cpu"), .text = T("1"), .reserved = set("karp_resource") };
    const karp_host_port port = { .port = 80, .protocol = T("TCP"), .reserved = set("karp_host_port") };
    const karp_container container = { .name = T("c"),
                                       .requests = &cpu,
                                       .request_count = 1,
                                       .ports = &port,
                                       .port_count = 1,
                                       .reserved = set("karp_container") };
    const karp_container_status status = { .name = T("c"), .reserved = set("karp_container_status") };
    const karp_spread_constraint spread = { .max_skew = 1,
                                            .topology_key = T("zone"),
                                            .reserved = set("karp_spread_constraint") };
    const karp_pod_term term = { .topology_key = T("zone"), .reserved = set("karp_pod_term") };
    const karp_pod_volume volume = {
        .name = T("v"), .kind = KARP_VOLUME_CLAIM, .claim_name = T("v"), .reserved = set("karp_pod_volume")
    };
    const karp_pod_claim claim = { .name = T("gpu"), .reserved = set("karp_pod_claim") };
    const karp_owner owner = { .kind = T("ReplicaSet"), .name = T("r"), .reserved = set("karp_owner") };
    karp_pod pod;
    karp_pod_init(&pod, sizeof pod);
    pod.meta.name = named.name;
    pod.meta.owners = &owner;
    pod.meta.owner_count = 1;
    pod.containers = &container;
    pod.container_count = 1;
    pod.container_statuses = &status;
    pod.container_status_count = 1;
    pod.spread = &spread;
    pod.spread_count = 1;
    pod.required_affinity = &term;
    pod.required_affinity_count = 1;
    pod.volumes = &volume;
    pod.volume_count = 1;
    pod.resource_claims = &claim;
    pod.resource_claim_count = 1;
    pod.reserved = set("karp_pod");
    karp_status added = karp_builder_add_pod(w->builder, &pod, &w->error);
    const karp_pod_status now = { .size = sizeof now, .reserved = set("karp_pod_status") };
    const karp_str none = { NULL, 0 };
    return added == KARP_OK ? karp_builder_set_pod_status(w->builder, none, named.name, &now, &w->error) : added;
}

static karp_status add_templated_pod(world *w)
{
    karp_pod pod;
    karp_templated_pod own;
    uint32_t number = 0;
    karp_pod_init(&pod, sizeof pod);
    karp_templated_pod_init(&own, sizeof own);
    own.name = (karp_str)T("t");
    own.reserved = set("karp_templated_pod");
    karp_status status = karp_builder_add_pod_template(w->builder, &pod, &number, &w->error);
    return status == KARP_OK ? karp_builder_add_templated_pod(w->builder, number, &own, &w->error) : status;
}

static karp_status add_cluster_objects(world *w)
{
    karp_storage_class class_;
    karp_storage_class_init(&class_, sizeof class_);
    class_.meta = named;
    class_.reserved = set("karp_storage_class");
    const karp_pod_disruption_budget budget = { .size = sizeof budget,
                                                .meta = named,
                                                .min_available = { .reserved = set("karp_int_or_string") } };
    const karp_selecting service = { .size = sizeof service, .meta = named, .reserved = set("karp_selecting") };
    const karp_node_overlay overlay = { .size = sizeof overlay, .meta = named, .reserved = set("karp_node_overlay") };
    karp_status status = karp_builder_add_storage_class(w->builder, &class_, &w->error);
    if (status == KARP_OK) status = karp_builder_add_pod_disruption_budget(w->builder, &budget, &w->error);
    if (status == KARP_OK) status = karp_builder_add_selecting(w->builder, &service, &w->error);
    const karp_pod_group group = {
        .size = sizeof group, .meta = named, .gang = 1, .min_count = 1, .reserved = set("karp_pod_group")
    };
    if (status == KARP_OK) status = karp_builder_add_pod_group(w->builder, &group, &w->error);
    return status == KARP_OK ? karp_builder_add_node_overlay(w->builder, &overlay, &w->error) : status;
}

static karp_status add_devices(world *w)
{
    const karp_device_attribute attribute = {
        .name = T("model"), .text = T("m"), .kind = KARP_ATTRIBUTE_STRING, .reserved = set("karp_device_attribute")
    };
    const karp_request_policy policy = { .reserved = set("karp_request_policy") };
    const karp_device_capacity capacity = { .name = T("memory"), .value = T("1Gi"), .policy = &policy };
    const karp_device device = { .name = T("gpu-0"),
                                 .attributes = &attribute,
                                 .attribute_count = 1,
                                 .capacity = &capacity,
                                 .capacity_count = 1,
                                 .reserved = set("karp_device") };
    const karp_resource_slice slice = {
        .size = sizeof slice, .meta = named, .driver = T("d"), .pool = T("p"), .devices = &device, .device_count = 1
    };
    const karp_allocated_device result = { .device = { .driver = T("d"), .pool = T("p"), .device = T("gpu-0") },
                                           .reserved = set("karp_allocated_device") };
    const karp_resource_claim claim = { .size = sizeof claim,
                                        .meta = named,
                                        .allocated = 1,
                                        .results = &result,
                                        .result_count = 1,
                                        .reserved = set("karp_resource_claim") };
    karp_status status = karp_builder_add_resource_slice(w->builder, &slice, &w->error);
    return status == KARP_OK ? karp_builder_add_resource_claim(w->builder, &claim, &w->error) : status;
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static karp_status ask_fit(world *w)
{
    const karp_resource one = { .name = T("cpu"), .text = T("1") };
    const karp_fit_type type = {
        .name = T("t"), .resources = &one, .resource_count = 1, .price = 1, .reserved = set("karp_fit_type")
    };
    const karp_fit_node node = { .free = &one, .free_count = 1, .reserved = set("karp_fit_node") };
    const karp_fit_demand demand = {
        .requests = &one, .request_count = 1, .count = 2, .reserved = set("karp_fit_demand")
    };
    karp_fit_request request;
    karp_fitting *fitting = NULL;
    karp_fit_request_init(&request, sizeof request);
    request.reserved = set("karp_fit_request");
    request.types = &type;
    request.nodes = &node;
    request.demands = &demand;
    request.type_count = request.node_count = request.demand_count = 1;
    karp_status status = karp_fit(w->context, &request, &fitting, &w->error);
    karp_fitting_free(fitting);
    return status;
}

static karp_status ask_plan(world *w, const karp_snapshot *snapshot)
{
    karp_objective objective;
    karp_options options;
    karp_decision *decision = NULL;
    karp_objective_init(&objective, sizeof objective);
    karp_options_init(&options, sizeof options);
    options.objective = &objective;
    options.reserved = set("karp_options");
    karp_status status = karp_provision(snapshot, &options, &decision, &w->error);
    karp_decision_unref(decision);
    return status;
}

static karp_status ask_changes(world *w, const karp_snapshot *snapshot)
{
    const karp_change change = { .kind = KARP_CHANGE_REMOVE_NODE, .name = T("node"), .reserved = set("karp_change") };
    karp_decision *decision = NULL;
    karp_status status = karp_what_if(snapshot, &change, 1, NULL, &decision, &w->error);
    karp_decision_unref(decision);
    return status;
}

static karp_status ask_verify(world *w, const karp_snapshot *snapshot)
{
    const karp_plan plan = { .size = sizeof plan, .reserved = set("karp_plan") };
    karp_verification *found = NULL;
    karp_status status = karp_verify(snapshot, &plan, &found, &w->error);
    karp_verification_free(found);
    return status;
}

static karp_status ask_certificate(world *w, const karp_snapshot *snapshot)
{
    karp_objective objective;
    karp_options options;
    karp_bound *bound = NULL;
    karp_objective_init(&objective, sizeof objective);
    karp_options_init(&options, sizeof options);
    options.objective = &objective;
    objective.kind = KARP_OBJECTIVE_COST;
    karp_status status = karp_cost_bound(snapshot, &options, &bound, &w->error);
    if (status != KARP_OK) return status;
    karp_certificate c = *karp_bound_certificate(bound);
    c.reserved = set("karp_certificate");
    assert_true(c.offer_count > 0 && c.node_count > 0 && c.row_count > 0);
    karp_certificate_offer offer = c.offers[0];
    karp_certificate_node node = c.nodes[0];
    karp_certificate_row row = c.rows[0];
    karp_certificate_extra extra = { .reserved = set("karp_certificate_extra") };
    offer.reserved = set("karp_certificate_offer");
    node.reserved = set("karp_certificate_node");
    karp_certificate_weight weight = { .weight = KARP_CERTIFICATE_PARTS, .reserved = set("karp_certificate_weight") };
    karp_certificate_branch leaf = { .row = KARP_CERTIFICATE_LEAF, .weight_count = 1, .weights = &weight };
    if (weight.reserved) {
        c.branches = &leaf;
        c.branch_count = 1;
    }
    if (offer.reserved) c.offers = &offer;
    if (node.reserved) c.nodes = &node;
    if (extra.reserved) {
        row.extras = &extra;
        row.extra_count = 1;
        c.rows = &row;
    }
    status = karp_certificate_check(snapshot, &options, &c, &w->error);
    karp_bound_free(bound);
    return status;
}

static karp_status ask_lifecycle(world *w, const karp_snapshot *snapshot)
{
    const karp_interruption message = { .instance = T("i"), .kind = 1, .reserved = set("karp_interruption") };
    const karp_reboot_answer answer = {
        .claim = T("c"), .boot_id = T("b"), .asked = KARP_NO_TIME, .reserved = set("karp_reboot_answer")
    };
    karp_advice *advice = NULL;
    karp_status status = karp_advise_interruptions(snapshot, 1, &message, 1, &advice, &w->error);
    karp_advice_free(advice);
    advice = NULL;
    if (status == KARP_OK) status = karp_advise_reboots(snapshot, 1, &answer, 1, &advice, &w->error);
    karp_advice_free(advice);
    return status;
}

static karp_status ask_command(world *w, const karp_snapshot *snapshot)
{
    const karp_launch launch = { .size = sizeof launch };
    const karp_replacement replacement = { .launch = &launch, .claim = { "", 0 }, .reserved = set("karp_replacement") };
    const karp_command_state state = { .size = sizeof state,
                                       .method = KARP_METHOD_SINGLE_NODE,
                                       .phase = KARP_COMMAND_PHASE_VALIDATING,
                                       .validate_at = KARP_NO_TIME,
                                       .started = KARP_NO_TIME,
                                       .replacements = &replacement,
                                       .replacement_count = 1,
                                       .reserved = set("karp_command_state") };
    karp_step *step = NULL;
    const karp_node_list_options listing = { .size = sizeof listing, .reserved = set("karp_node_list_options") };
    karp_node_list *list = NULL;
    karp_status asked = karp_list_nodes(snapshot, &listing, &list, &w->error);
    karp_node_list_free(list);
    if (asked != KARP_OK) return asked;
    const karp_settle_options settling = { .size = sizeof settling, .reserved = set("karp_settle_options") };
    karp_settlement *settled = NULL;
    asked = karp_settle(snapshot, &settling, &settled, &w->error);
    karp_settlement_free(settled);
    if (asked != KARP_OK) return asked;
    const karp_diff_side side = { .size = sizeof side, .snapshot = snapshot, .reserved = set("karp_diff_side") };
    karp_diff *diff = NULL;
    asked = karp_compare_decisions(w->context, &side, &side, &diff, &w->error);
    karp_diff_free(diff);
    if (asked != KARP_OK) return asked;
    const karp_admit_options admitting = { .size = sizeof admitting, .reserved = set("karp_admit_options") };
    karp_admission *admission = NULL;
    asked = karp_admit(snapshot, &admitting, &admission, &w->error);
    karp_admission_free(admission);
    if (asked != KARP_OK) return asked;
    const karp_request_rules ruling = { .size = sizeof ruling, .reserved = set("karp_request_rules") };
    const karp_reader_options editing = { .size = sizeof editing, .editable = 1 };
    karp_reader *reader = NULL;
    asked = karp_reader_new(w->context, &editing, &reader, &w->error);
    if (asked == KARP_OK) asked = karp_reader_recommend_requests(reader, &ruling, &w->error);
    karp_reader_free(reader);
    if (asked != KARP_OK) return asked;
    karp_status status = karp_command_step(snapshot, &state, NULL, NULL, 0, &step, &w->error);
    karp_step_free(step);
    return status;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static karp_status add_supply(world *w)
{
    const karp_resource amounts[] = { { .name = T("cpu"), .text = T("4") },
                                      { .name = T("memory"), .text = T("8Gi") },
                                      { .name = T("pods"), .text = T("10") } };
    const karp_label labels[] = { { T("kubernetes.io/hostname"), T("node") } };
    const karp_offering offering = { .price = 1, .available = 1 };
    const karp_instance_type type = { .size = sizeof type,
                                      .name = T("t"),
                                      .offerings = &offering,
                                      .offering_count = 1,
                                      .capacity = amounts,
                                      .capacity_count = 3 };
    karp_catalogue *catalogue = NULL;
    karp_node node;
    karp_node_pool pool;
    karp_node_init(&node, sizeof node);
    node.meta.name = (karp_str)T("node");
    node.meta.labels = labels;
    node.meta.label_count = 1;
    node.allocatable = node.capacity = amounts;
    node.allocatable_count = node.capacity_count = 3;
    karp_node_pool_init(&pool, sizeof pool);
    pool.meta.name = (karp_str)T("pool");
    karp_status status = karp_catalogue_new(w->context, &type, 1, &catalogue, &w->error);
    if (status == KARP_OK) status = karp_builder_add_node(w->builder, &node, &w->error);
    if (status == KARP_OK) status = karp_builder_add_node_pool(w->builder, &pool, &w->error);
    if (status == KARP_OK) status = karp_builder_add_catalogue(w->builder, catalogue, &pool.meta.name, 1, &w->error);
    karp_catalogue_unref(catalogue);
    return status;
}

/* Everything that takes a struct with a reserved field, up to the first failure. */
static karp_status ask_all(const char *name, karp_error *error)
{
    static karp_status (*const adding[])(world *) = { add_supply,          add_pod,     add_templated_pod,
                                                      add_cluster_objects, add_devices, ask_fit };
    static karp_status (*const asking[])(world *,
                                         const karp_snapshot *) = { ask_plan,        ask_changes,   ask_verify,
                                                                    ask_certificate, ask_lifecycle, ask_command };
    world w = { .context = NULL };
    karp_context_options options;
    karp_snapshot *snapshot = NULL;
    set_in = name;
    karp_error_init(&w.error, sizeof w.error);
    karp_context_options_init(&options, sizeof options);
    karp_status status = karp_context_new(&options, &w.context, &w.error);
    if (status == KARP_OK) status = karp_builder_new(w.context, &w.builder, &w.error);
    for (size_t i = 0; status == KARP_OK && i < sizeof adding / sizeof *adding; i++) status = adding[i](&w);
    if (status == KARP_OK) status = karp_builder_finish(w.builder, &snapshot, &w.error);
    for (size_t i = 0; status == KARP_OK && i < sizeof asking / sizeof *asking; i++) status = asking[i](&w, snapshot);
    karp_snapshot_unref(snapshot);
    karp_builder_free(w.builder);
    karp_context_unref(w.context);
    *error = w.error;
    return status;
}

static const char *const given[] = {
    "karp_options",
    "karp_resource",
    "karp_owner",
    "karp_pod_term",
    "karp_spread_constraint",
    "karp_host_port",
    "karp_container",
    "karp_container_status",
    "karp_pod_volume",
    "karp_pod_claim",
    "karp_pod_group",
    "karp_pod",
    "karp_templated_pod",
    "karp_storage_class",
    "karp_int_or_string",
    "karp_selecting",
    "karp_node_overlay",
    "karp_device_attribute",
    "karp_request_policy",
    "karp_device",
    "karp_allocated_device",
    "karp_resource_claim",
    "karp_fit_type",
    "karp_fit_node",
    "karp_fit_demand",
    "karp_fit_request",
    "karp_certificate",
    "karp_change",
    "karp_plan",
    "karp_certificate_offer",
    "karp_certificate_node",
    "karp_certificate_extra",
    "karp_certificate_weight",
    "karp_interruption",
    "karp_reboot_answer",
    "karp_replacement",
    "karp_command_state",
    "karp_node_list_options",
    "karp_pod_status",
    "karp_request_rules",
    "karp_settle_options",
    "karp_diff_side",
    "karp_admit_options",
};

/* What the library alone fills in; options of reading are asked for in other tests. */
static const char *const shown[] = {
    "karp_error",
    "karp_savings_blocker",
    "karp_pool_refusal",
    "karp_unschedulable",
    "karp_candidate_repair",
    "karp_kept",
    "karp_blocker",
    "karp_busy_node",
    "karp_alternative",
    "karp_placement_cause",
    "karp_finding",
    "karp_flavour",
    "karp_fit_share",
    "karp_fit_left",
    "karp_action",
    "karp_lint_rule",
    "karp_lint_finding",
    "karp_cost",
    "karp_provider_field",
    "karp_provider_candidate",
    "karp_reader_options",
    "karp_reader_cloud",
    "karp_catalogue_options",
    "karp_provider_facts_kind",
    "karp_repack_cost",
    "karp_command",
    "karp_difference",
    "karp_design_field",
};

static void all_are_zero(void **state)
{
    karp_error error;
    (void)state;
    if (ask_all("", &error) != KARP_OK) fail_msg("%s: %s", error.field, error.message);
}

static void each_is_refused(void **state)
{
    karp_error error;
    (void)state;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        karp_status status = ask_all(given[i], &error);
        size_t length = strlen(given[i]);
        if (status != KARP_E_ABI_NEW || strncmp(error.message, given[i], length) != 0 || error.message[length] != '.')
            fail_msg("%s: %s: %s", given[i], karp_status_name(status), error.message);
    }
}

static bool among(const char *const *list, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(list[i]) == length && strncmp(list[i], name, length) == 0) return true;
    }
    return false;
}

/* No struct with a reserved field is missing above. */
static void every_struct_is_named(void **state)
{
    const char *source = getenv("KARP_SOURCE");
    char path[4096], line[256];
    (void)state;
    if (source == NULL) skip();
    snprintf(path, sizeof path, "%s/tests/abi/layout.txt", source);
    FILE *layout = fopen(path, "r");
    assert_non_null(layout);
    size_t found = 0;
    while (fgets(line, sizeof line, layout) != NULL) {
        const char *dot = strstr(line, ".reserved ");
        if (dot == NULL) continue;
        size_t length = (size_t)(dot - line);
        found++;
        if (!among(given, sizeof given / sizeof *given, line, length) &&
            !among(shown, sizeof shown / sizeof *shown, line, length))
            fail_msg("%.*s has a reserved field: is it refused when it is set?", (int)length, line);
    }
    fclose(layout);
    assert_true(found >= sizeof given / sizeof *given);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_zero),
        cmocka_unit_test(each_is_refused),
        cmocka_unit_test(every_struct_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
