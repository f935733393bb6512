/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structs that start with `size` come from callers of any age. For every function that takes one: the first version's
 * size is accepted, and nothing beyond it is read; a larger struct is accepted when what the library does not know is
 * zero, and refused when it is not; impossible sizes are refused. test_callers_more.c has the rest.
 */
#include <abi/callers.h>

#include <stdlib.h>

#include <karp/admit.h>
#include <karp/groups.h>
#include <karp/builder.h>
#include <karp/columns.h>
#include <karp/devices.h>
#include <karp/fit.h>
#include <karp/inspect.h>
#include <karp/io.h>
#include <karp/karp.h>
#include <karp/objective.h>
#include <karp/passes.h>
#include <karp/peer.h>
#include <karp/provider.h>
#include <karp/settings.h>
#include <karp/what_if.h>

static karp_context *context;
static karp_snapshot *snapshot;
static karp_decision *plan, *pass;
static karp_provider *provider;
static karp_provider_memory *memory_of_provider;

static int set_up(void **state)
{
    static const char pod[] =
        "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: c}]}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: b}, spec: {containers: [{name: c, resources: {requests: {cpu: "
        "5}}}]}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: c}, spec: {nodeSelector: {there: none}, containers: [{name: "
        "c}]}}\n---\n"
        "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p}, spec: {template: {spec: {nodeClassRef: "
        "{group: karpenter.k8s.aws, kind: EC2NodeClass, name: d}}}}}\n---\n"
        "{apiVersion: v1, kind: Node, metadata: {name: node}, spec: {providerID: 'x://n'}, "
        "status: {allocatable: {cpu: 4, memory: 8Gi, pods: 10}, capacity: {cpu: 4, memory: 8Gi, pods: 10}}}\n";
    karp_reader *reader = NULL;
    (void)state;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    assert_int_equal(karp_reader_new(context, NULL, &reader, NULL), KARP_OK);
    assert_int_equal(karp_reader_add(reader, (karp_str)T("pod"), (karp_str){ pod, sizeof pod - 1 }, NULL), KARP_OK);
    assert_int_equal(karp_reader_finish(reader, &snapshot, NULL), KARP_OK);
    assert_int_equal(karp_provision(snapshot, NULL, &plan, NULL), KARP_OK);
    assert_int_equal(karp_disrupt(snapshot, NULL, &pass, NULL), KARP_OK);
    karp_reader_free(reader);
    assert_int_equal(karp_provider_open(context, (karp_str)T("aws"), NULL, &provider, NULL), KARP_OK);
    assert_int_equal(karp_provider_memory_new(context, &memory_of_provider, NULL), KARP_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    karp_provider_memory_free(memory_of_provider);
    karp_provider_close(provider);
    karp_decision_unref(plan);
    karp_decision_unref(pass);
    karp_snapshot_unref(snapshot);
    karp_context_unref(context);
    return 0;
}

/* ---- structs that go in ------------------------------------------------------------------------------------------ */

static karp_status give_context_options(const void *s)
{
    karp_context *made = NULL;
    karp_status status = karp_context_new(s, &made, NULL);
    karp_context_unref(made);
    return status;
}

static void *take(size_t bytes, void *user)
{
    (void)user;
    return malloc(bytes);
}
static void *resize(void *p, size_t old_bytes, size_t bytes, void *user)
{
    (void)user;
    (void)old_bytes;
    return realloc(p, bytes);
}
static void give_back(void *p, size_t bytes, void *user)
{
    (void)user;
    (void)bytes;
    free(p);
}

static karp_status give_allocator(const void *s)
{
    karp_context_options options;
    karp_context_options_init(&options, sizeof options);
    options.allocator = s;
    return give_context_options(&options);
}

static karp_status give_options(const void *s)
{
    karp_decision *made = NULL;
    karp_status status = karp_provision(snapshot, s, &made, NULL);
    karp_decision_unref(made);
    return status;
}

static karp_status give_objective(const void *s)
{
    const karp_options with = { .size = sizeof with, .objective = s };
    return give_options(&with);
}

static karp_status give_options_what_if(const void *s)
{
    karp_decision *made = NULL;
    karp_status status = karp_what_if(snapshot, NULL, 0, s, &made, NULL);
    karp_decision_unref(made);
    return status;
}

static karp_status give_options_explain(const void *s)
{
    karp_pod_explanation *made = NULL;
    karp_status status = karp_explain_pod(snapshot, s, (karp_str)T("default/a"), &made, NULL);
    karp_pod_explanation_free(made);
    return status;
}

static karp_status give_disrupt(const void *s)
{
    karp_decision *made = NULL;
    karp_status status = karp_disrupt(snapshot, s, &made, NULL);
    karp_decision_unref(made);
    return status;
}

static karp_status give_disrupt_explain(const void *s)
{
    karp_node_explanation *made = NULL;
    karp_status status = karp_explain_node(snapshot, s, (karp_str)T("node"), &made, NULL);
    karp_node_explanation_free(made);
    return status;
}

static karp_status give_memory(const void *s)
{
    const karp_disrupt_options options = { .size = sizeof options, .memory = s };
    return give_disrupt(&options);
}

static karp_status give_state(const void *s)
{
    karp_step *made = NULL;
    karp_status status = karp_command_step(snapshot, s, NULL, NULL, 0, &made, NULL);
    karp_step_free(made);
    return status;
}

static karp_status give_launch_of_state(const void *s)
{
    const karp_replacement replacement = { .launch = s };
    const karp_command_state state = { .size = sizeof state,
                                       .method = KARP_METHOD_DRIFT,
                                       .phase = KARP_COMMAND_PHASE_GIVEN_UP,
                                       .replacements = &replacement,
                                       .replacement_count = 1 };
    return give_state(&state);
}

static karp_status give_provider_options(const void *s)
{
    karp_provider *made = NULL;
    karp_status status = karp_provider_open(context, (karp_str)T("aws"), s, &made, NULL);
    karp_provider_close(made);
    return status;
}

static karp_status give_scope(const void *s) { return karp_provider_mark(provider, s, 0, 1, NULL); }

static karp_status give_provider_node(const void *s)
{
    karp_str reason = { NULL, 0 };
    return karp_provider_drift(provider, NULL, s, memory_of_provider, &reason, NULL);
}

static karp_status give_provider_launch(const void *s)
{
    karp_provider_candidate picked;
    karp_status status = karp_provider_launch_pick(provider, NULL, s, &picked, NULL);
    return status == KARP_E_PROVIDER ? KARP_OK : status; /* it was read: there is nothing to be had */
}

static karp_status give_plan(const void *s)
{
    karp_verification *made = NULL;
    karp_status status = karp_verify(snapshot, s, &made, NULL);
    karp_verification_free(made);
    return status;
}

static karp_status give_fit(const void *s)
{
    karp_fitting *made = NULL;
    karp_status status = karp_fit(context, s, &made, NULL);
    karp_fitting_free(made);
    return status;
}

static karp_status give_reader(const void *s)
{
    karp_reader *made = NULL;
    karp_status status = karp_reader_new(context, s, &made, NULL);
    karp_reader_free(made);
    return status;
}

static karp_status give_write(const void *s)
{
    karp_text text = { NULL, 0, NULL };
    karp_status status = karp_write_plan(context, plan, NULL, s, &text, NULL);
    karp_text_free(&text);
    return status;
}

static karp_status give_catalogue_options(const void *s)
{
    karp_catalogue *made = NULL;
    karp_status status = karp_catalogue_aws(context, s, &made, NULL);
    karp_catalogue_unref(made);
    return status;
}

static karp_status give_type(const void *s)
{
    karp_catalogue *made = NULL;
    karp_status status = karp_catalogue_new(context, s, 1, &made, NULL);
    karp_catalogue_unref(made);
    return status;
}

/* Builder calls: each in a builder of its own. */
#define GIVE(name, call, type)                                                                                         \
    static karp_status name(const void *s)                                                                             \
    {                                                                                                                  \
        karp_builder *b = NULL;                                                                                        \
        assert_int_equal(karp_builder_new(context, &b, NULL), KARP_OK);                                                \
        karp_status status = call(b, (const type *)s, NULL);                                                           \
        karp_builder_free(b);                                                                                          \
        return status;                                                                                                 \
    }
GIVE(give_settings, karp_builder_set_settings, karp_settings)
GIVE(give_pod, karp_builder_add_pod, karp_pod)
GIVE(give_node, karp_builder_add_node, karp_node)
GIVE(give_claim, karp_builder_add_node_claim, karp_node_claim)
GIVE(give_pool, karp_builder_add_node_pool, karp_node_pool)
GIVE(give_class, karp_builder_add_node_class, karp_node_class)
GIVE(give_daemon_set, karp_builder_add_daemon_set, karp_daemon_set)
GIVE(give_volume_claim, karp_builder_add_persistent_volume_claim, karp_persistent_volume_claim)
GIVE(give_volume, karp_builder_add_persistent_volume, karp_persistent_volume)
GIVE(give_storage_class, karp_builder_add_storage_class, karp_storage_class)
GIVE(give_csi_node, karp_builder_add_csi_node, karp_csi_node)
GIVE(give_budget, karp_builder_add_pod_disruption_budget, karp_pod_disruption_budget)
GIVE(give_namespace, karp_builder_add_namespace, karp_namespace)
GIVE(give_selecting, karp_builder_add_selecting, karp_selecting)
GIVE(give_overlay, karp_builder_add_node_overlay, karp_node_overlay)
GIVE(give_buffer, karp_builder_add_capacity_buffer, karp_capacity_buffer)
GIVE(give_group, karp_builder_add_pod_group, karp_pod_group)
GIVE(give_slice, karp_builder_add_resource_slice, karp_resource_slice)
GIVE(give_device_class, karp_builder_add_device_class, karp_device_class)
GIVE(give_resource_claim, karp_builder_add_resource_claim, karp_resource_claim)

static karp_status give_template(const void *s)
{
    karp_builder *b = NULL;
    uint32_t template_ = 0;
    assert_int_equal(karp_builder_new(context, &b, NULL), KARP_OK);
    karp_status status = karp_builder_add_pod_template(b, s, &template_, NULL);
    karp_builder_free(b);
    return status;
}

static karp_status give_templated(const void *s)
{
    karp_builder *b = NULL;
    uint32_t template_ = 0;
    assert_int_equal(karp_builder_new(context, &b, NULL), KARP_OK);
    assert_int_equal(karp_builder_add_pod_template(b, NULL, &template_, NULL), KARP_OK);
    karp_status status = karp_builder_add_templated_pod(b, template_, s, NULL);
    karp_builder_free(b);
    return status;
}

static karp_status give_claim_status(const void *s)
{
    karp_builder *b = NULL;
    const karp_node_claim claim = { .size = sizeof claim, .meta = { .name = T("x") } };
    assert_int_equal(karp_builder_new(context, &b, NULL), KARP_OK);
    assert_int_equal(karp_builder_add_node_claim(b, &claim, NULL), KARP_OK);
    karp_status status = karp_builder_set_node_claim_status(b, claim.meta.name, s, NULL);
    karp_builder_free(b);
    return status;
}

static karp_status give_pod_status(const void *s)
{
    karp_builder *b = NULL;
    const karp_pod named = { .size = sizeof named, .meta = { .name = T("x") } };
    assert_int_equal(karp_builder_new(context, &b, NULL), KARP_OK);
    assert_int_equal(karp_builder_add_pod(b, &named, NULL), KARP_OK);
    karp_status status = karp_builder_set_pod_status(b, named.meta.namespace_, named.meta.name, s, NULL);
    karp_builder_free(b);
    return status;
}

/* Objects with a name, else nothing. The daemon set's pod has its own size inside. */
static const karp_allocator allocator = { sizeof allocator, take, resize, give_back, NULL };
static const karp_context_options context_options = { .size = sizeof context_options };
static const karp_settings settings = { .size = sizeof settings };
static const karp_options options = { .size = sizeof options };
static const karp_objective objective = { .size = sizeof objective, .kind = KARP_OBJECTIVE_COST };
static const karp_disrupt_options disrupt_options = { .size = sizeof disrupt_options, .common = &options };
static const karp_memory memory = { .size = sizeof memory };
static const karp_command_state command_state = { .size = sizeof command_state,
                                                  .method = KARP_METHOD_DRIFT,
                                                  .phase = KARP_COMMAND_PHASE_GIVEN_UP };
static const karp_launch launch = { .size = sizeof launch };
static const karp_provider_options provider_options = { .size = sizeof provider_options };
static const karp_provider_scope scope = {
    .size = sizeof scope, .instance_type = T("m5.large"), .zone = T("us-west-2a"), .capacity_type = T("spot")
};
static const karp_provider_node provider_node = { .size = sizeof provider_node };
static const karp_provider_launch provider_launch = { .size = sizeof provider_launch };
static const karp_plan given_plan = { .size = sizeof given_plan };
static const karp_fit_request fit_request = { .size = sizeof fit_request };
static const karp_reader_options reader_options = { .size = sizeof reader_options };
static const karp_write_options write_options = { .size = sizeof write_options };
static const karp_catalogue_options catalogue_options = { .size = sizeof catalogue_options,
                                                          .vm_memory_overhead_percent = 0.075 };
static const karp_instance_type type = { .size = sizeof type, .name = T("x") };
static const karp_pod pod = { .size = sizeof pod, .meta = { .name = T("x") }, .termination_grace_seconds = -1 };
static const karp_templated_pod templated_pod = { .size = sizeof templated_pod, .name = T("x") };
static const karp_node node = { .size = sizeof node, .meta = { .name = T("x") } };
static const karp_node_claim node_claim = { .size = sizeof node_claim, .meta = { .name = T("x") } };
static const karp_node_claim_status claim_status = { .size = sizeof claim_status };
static const karp_pod_status pod_status = { .size = sizeof pod_status };
static const karp_node_pool node_pool = { .size = sizeof node_pool, .meta = { .name = T("x") } };
static const karp_node_class node_class = { .size = sizeof node_class, .meta = { .name = T("x") } };
static const karp_daemon_set daemon_set = { .size = sizeof daemon_set,
                                            .meta = { .name = T("x") },
                                            .template_ = { .size = sizeof pod } };
static const karp_persistent_volume_claim volume_claim = { .size = sizeof volume_claim, .meta = { .name = T("x") } };
static const karp_persistent_volume volume = { .size = sizeof volume, .meta = { .name = T("x") } };
static const karp_storage_class storage_class = { .size = sizeof storage_class, .meta = { .name = T("x") } };
static const karp_csi_node csi_node = { .size = sizeof csi_node, .meta = { .name = T("x") } };
static const karp_pod_disruption_budget budget = { .size = sizeof budget, .meta = { .name = T("x") } };
static const karp_namespace name_space = { .size = sizeof name_space, .meta = { .name = T("x") } };
static const karp_selecting selecting = { .size = sizeof selecting, .meta = { .name = T("x") } };
static const karp_node_overlay overlay = { .size = sizeof overlay, .meta = { .name = T("x") } };
static const karp_capacity_buffer buffer = { .size = sizeof buffer, .meta = { .name = T("x") }, .replicas = -1 };
static const karp_pod_group group = { .size = sizeof group, .meta = { .name = T("x") } };
static const karp_resource_slice slice = { .size = sizeof slice, .meta = { .name = T("x") } };
static const karp_device_class device_class = { .size = sizeof device_class, .meta = { .name = T("x") } };
static const karp_resource_claim resource_claim = { .size = sizeof resource_claim, .meta = { .name = T("x") } };

static const struct given in[] = {
    IN(context_options, give_context_options),
    IN(allocator, give_allocator),
    IN(settings, give_settings),
    GROWN(options, give_options, THROUGH(karp_options, flip_quirks)),
    IN(objective, give_objective),
    IN(options, give_options_what_if),
    IN(options, give_options_explain),
    GROWN(given_plan, give_plan, THROUGH(karp_plan, reserved)),
    GROWN(fit_request, give_fit, THROUGH(karp_fit_request, stop_user)),
    IN(reader_options, give_reader),
    IN(write_options, give_write),
    IN(catalogue_options, give_catalogue_options),
    GROWN(disrupt_options, give_disrupt, THROUGH(karp_disrupt_options, in_progress_count)),
    IN(disrupt_options, give_disrupt_explain),
    IN(memory, give_memory),
    IN(command_state, give_state),
    GROWN(launch, give_launch_of_state, THROUGH(karp_launch, termination_grace_period)),
    IN(provider_options, give_provider_options),
    GROWN(scope, give_scope, THROUGH(karp_provider_scope, family)),
    IN(provider_node, give_provider_node),
    IN(provider_launch, give_provider_launch),
    GROWN(type, give_type, THROUGH(karp_instance_type, capacity_from_overlay) + sizeof(uint32_t)),
    IN(pod, give_pod),
    IN(pod, give_template),
    IN(templated_pod, give_templated),
    IN(node, give_node),
    IN(node_claim, give_claim),
    IN(claim_status, give_claim_status),
    IN(pod_status, give_pod_status),
    IN(node_pool, give_pool),
    IN(node_class, give_class),
    IN(daemon_set, give_daemon_set),
    IN(volume_claim, give_volume_claim),
    IN(volume, give_volume),
    IN(storage_class, give_storage_class),
    IN(csi_node, give_csi_node),
    GROWN(budget, give_budget, THROUGH(karp_pod_disruption_budget, always_allow)),
    IN(name_space, give_namespace),
    IN(selecting, give_selecting),
    IN(overlay, give_overlay),
    IN(buffer, give_buffer),
    IN(group, give_group),
    IN(slice, give_slice),
    IN(device_class, give_device_class),
    IN(resource_claim, give_resource_claim),
};

static void structs_in(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(in); i++) check_given(&in[i]);
}

/* ---- structs that come out --------------------------------------------------------------------------------------- */

static karp_status ask_placement(void *out) { return karp_decision_placement(plan, 0, out); }
static karp_status ask_cost(void *out)
{
    const karp_options with = { .size = sizeof with, .objective = &objective };
    karp_decision *made = NULL;
    assert_int_equal(karp_provision(snapshot, &with, &made, NULL), KARP_OK);
    karp_status status = karp_decision_cost(made, out);
    karp_decision_unref(made);
    return status;
}

static karp_status ask_node(void *out) { return karp_decision_node(plan, 0, out); }
static karp_status ask_disruption(void *out) { return karp_decision_disruption(pass, out); }
static karp_status ask_launch(void *out) { return karp_decision_launch(plan, 0, out); }
static karp_status ask_column(void *out)
{
    karp_table *t = NULL;
    assert_int_equal(karp_decision_table(plan, KARP_TABLE_NODES, &t, NULL), KARP_OK);
    karp_status status = karp_table_column(t, 0, out);
    karp_table_free(t);
    return status;
}
static karp_status ask_left(void *out)
{
    const karp_fit_demand demand = { .count = 1 };
    const karp_fit_request request = { .size = sizeof request, .demands = &demand, .demand_count = 1 };
    karp_fitting *f = NULL;
    assert_int_equal(karp_fit(context, &request, &f, NULL), KARP_OK);
    karp_status status = karp_fitting_left(f, 0, out);
    karp_fitting_free(f);
    return status;
}

static karp_status ask_unschedulable(void *out) { return karp_decision_unschedulable(plan, 0, out); }
static karp_status ask_kept(void *out) { return karp_decision_kept(pass, 0, out); }
static karp_status ask_rule(void *out) { return karp_peer_rule_at(0, out); }
static karp_status ask_labels(void *out) { return karp_provider_get_labels(provider, out, NULL); }
static karp_status ask_state(void *out)
{
    karp_step *step = NULL;
    assert_int_equal(karp_command_step(snapshot, &command_state, NULL, NULL, 0, &step, NULL), KARP_OK);
    karp_status status = karp_step_state(step, out);
    karp_step_free(step);
    return status;
}
static karp_status ask_remedy(void *out)
{
    karp_pod_explanation *e = NULL;
    assert_int_equal(karp_explain_pod(snapshot, NULL, (karp_str)T("default/c"), &e, NULL), KARP_OK);
    karp_status status = karp_pod_explanation_remedy(e, 0, out);
    karp_pod_explanation_free(e);
    return status;
}
static karp_status ask_change(void *out)
{
    karp_admission *a = NULL;
    karp_admit_options all;
    karp_admit_options_init(&all, sizeof all);
    all.most_changes = UINT32_MAX;
    assert_int_equal(karp_admit(snapshot, &all, &a, NULL), KARP_OK);
    karp_status status = KARP_E_NOT_FOUND;
    for (size_t i = 0; i < karp_admission_count(a) && status == KARP_E_NOT_FOUND; i++)
        status = karp_admission_change(a, i, 0, out);
    karp_admission_free(a);
    return status;
}
static karp_status ask_blocker(void *out)
{
    karp_node_explanation *e = NULL;
    assert_int_equal(karp_explain_node(snapshot, NULL, (karp_str)T("node"), &e, NULL), KARP_OK);
    karp_status status = karp_node_explanation_blocker(e, 0, out);
    karp_node_explanation_free(e);
    return status;
}
static karp_status ask_finding(void *out)
{
    karp_verification *v = NULL;
    assert_int_equal(karp_verify(snapshot, &given_plan, &v, NULL), KARP_OK); /* which has none of the pods */
    karp_status status = karp_verification_at(v, 0, out);
    karp_verification_free(v);
    return status;
}
static karp_status ask_action(void *out)
{
    karp_advice *a = NULL;
    assert_int_equal(karp_advise_hashes(snapshot, &a, NULL), KARP_OK);
    karp_status status = karp_advice_action(a, 0, out);
    karp_advice_free(a);
    return status;
}

static const struct asked out[] = {
    OUT(karp_launch, termination_grace_period, ask_launch),
    OUT(karp_placement, pod_count, ask_placement),
    OUT(karp_cost, flags, ask_cost),
    OUT(karp_node_use, pods_received, ask_node),
    OUT(karp_disruption, error_message, ask_disruption),
    OUT(karp_column, dictionary_count, ask_column),
    OUT(karp_unschedulable, relaxed_count, ask_unschedulable),
    OUT(karp_kept, reserved, ask_kept),
    OUT(karp_peer_rule, in_karp, ask_rule),
    OUT(karp_provider_labels, exotic_count, ask_labels),
    OUT(karp_command_state, receiver_count, ask_state),
    OUT(karp_remedy, choice, ask_remedy),
    OUT(karp_remedy, choice, ask_change),
    OUT(karp_blocker, until, ask_blocker),
    OUT(karp_finding, detail, ask_finding),
    OUT(karp_action, number, ask_action),
    OUT(karp_fit_left, reserved, ask_left),
};

static void structs_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(out); i++) check_asked(&out[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(structs_in), cmocka_unit_test(structs_out) };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
