/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The structs with `size` that test_callers.c does not have: rows of disruption passes, repack plans, blockers, lint
 * and explanations, certificates, replays, and what is passed to plugins. Then those with rules of their own: errors,
 * digests and what _init functions do.
 */
#include <abi/callers_world.h>

#include <stdlib.h>

#include <karp/admit.h>
#include <karp/groups.h>
#include <karp/builder.h>
#include <karp/certificate.h>
#include <karp/fit.h>
#include <karp/inspect.h>
#include <karp/io.h>
#include <karp/karp.h>
#include <karp/lifecycle.h>
#include <karp/objective.h>
#include <karp/peer.h>
#include <karp/provider.h>
#include <karp/repack.h>
#include <karp/replay.h>
#include <karp/requests.h>
#include <karp/tune.h>
#include <karp/settings.h>
#include <karp/values.h>

static karp_context *context;
static karp_snapshot *nodes, *pods;
static karp_decision *pass, *plan, *repacked;
static karp_bound *bound;
static karp_provider *aws, *mock;
static karp_provider_memory *memory_of_provider;

/* ---- a provider that acts ---------------------------------------------------------------------------------------- */

static uint32_t mock_open(const karp_allocator *allocator, const karp_provider_options *options, void **handle,
                          karp_provider_problem *problem)
{
    (void)allocator, (void)options, (void)problem;
    *handle = NULL;
    return KARP_PROVIDER_OK;
}
static void mock_close(void *handle) { (void)handle; }
static uint32_t mock_types(void *handle, const void *node_class, const karp_provider_memory *memory,
                           const karp_instance_type **types, size_t *count, karp_provider_problem *problem)
{
    (void)handle, (void)node_class, (void)memory, (void)types, (void)problem;
    *count = 0;
    return KARP_PROVIDER_OK;
}
static uint32_t mock_delete(void *handle, karp_str provider_id, const karp_provider_http *http,
                            const karp_provider_memory *memory, karp_provider_problem *problem)
{
    (void)handle, (void)provider_id, (void)memory, (void)problem;
    return http->user == NULL ? KARP_PROVIDER_OK : KARP_PROVIDER_INVALID;
}
static uint32_t mock_get(void *handle, karp_str provider_id, const karp_provider_http *http,
                         const karp_provider_memory *memory, karp_provider_node *node, karp_provider_problem *problem)
{
    (void)handle, (void)http, (void)memory, (void)problem;
    node->provider_id = provider_id;
    return KARP_PROVIDER_OK;
}

static const karp_provider_plugin plugin = { .abi_version = KARP_PROVIDER_ABI,
                                             .size = sizeof plugin,
                                             .name = "mock",
                                             .open = mock_open,
                                             .close = mock_close,
                                             .instance_types = mock_types,
                                             .delete_ = mock_delete,
                                             .get = mock_get };

/* ---- the clusters ------------------------------------------------------------------------------------------------ */

static const karp_objective objective = { .size = sizeof objective, .kind = KARP_OBJECTIVE_COST };
static const karp_options at_least_cost = { .size = sizeof at_least_cost, .objective = &objective };
static const karp_memory memory = { .size = sizeof memory };
static karp_certificate certificate; /* of the bound */

static int set_up(void **state)
{
    const karp_disrupt_options with = { .size = sizeof with, .memory = &memory };
    karp_provider_registry *registry = NULL;
    (void)state;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    nodes = read_text(context, of_nodes, sizeof of_nodes - 1);
    pods = read_text(context, of_pods, sizeof of_pods - 1);
    assert_int_equal(karp_disrupt(nodes, &with, &pass, NULL), KARP_OK);
    assert_int_equal(karp_repack(nodes, NULL, &repacked, NULL), KARP_OK);
    assert_int_equal(karp_provision(pods, NULL, &plan, NULL), KARP_OK);
    assert_int_equal(karp_cost_bound(pods, &at_least_cost, &bound, NULL), KARP_OK);
    memcpy(&certificate, karp_bound_certificate(bound), sizeof certificate);
    assert_int_equal(karp_provider_open(context, (karp_str)T("aws"), NULL, &aws, NULL), KARP_OK);
    assert_int_equal(karp_provider_registry_new(context, &registry, NULL), KARP_OK);
    assert_int_equal(karp_provider_registry_add(registry, &plugin, NULL), KARP_OK);
    assert_int_equal(karp_provider_registry_open(registry, (karp_str)T("mock"), NULL, &mock, NULL), KARP_OK);
    karp_provider_registry_free(registry);
    assert_int_equal(karp_provider_memory_new(context, &memory_of_provider, NULL), KARP_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    karp_provider_memory_free(memory_of_provider);
    karp_provider_close(mock);
    karp_provider_close(aws);
    karp_bound_free(bound);
    karp_decision_unref(plan);
    karp_decision_unref(repacked);
    karp_decision_unref(pass);
    karp_snapshot_unref(pods);
    karp_snapshot_unref(nodes);
    karp_context_unref(context);
    return 0;
}

/* ---- structs that go in ------------------------------------------------------------------------------------------ */

static karp_status give_repack(const void *s)
{
    karp_decision *made = NULL;
    karp_status status = karp_repack(nodes, s, &made, NULL);
    karp_decision_unref(made);
    return status;
}

static karp_status give_replay(const void *s)
{
    karp_text text = { NULL, 0, NULL };
    karp_status status = karp_replay(context, s, NULL, &text, NULL);
    karp_text_free(&text);
    return status;
}

static karp_status give_certificate(const void *s) { return karp_certificate_check(pods, &at_least_cost, s, NULL); }

static karp_status give_http(const void *s)
{
    return karp_provider_delete(mock, (karp_str)T("x://n"), s, memory_of_provider, NULL);
}

static karp_status give_steps(const void *s, size_t count)
{
    karp_verification *made = NULL;
    karp_status status = karp_verify_steps(nodes, s, count, 0, 0, &made, NULL);
    karp_verification_free(made);
    return status;
}
static karp_status give_step(const void *s) { return give_steps(s, 1); }

static karp_status give_types(const void *s, size_t count)
{
    karp_catalogue *made = NULL;
    karp_status status = karp_catalogue_new(context, s, count, &made, NULL);
    karp_catalogue_unref(made);
    return status;
}

static uint32_t no_network(karp_str method, karp_str url, const karp_label *headers, size_t header_count, karp_str body,
                           const karp_provider_memory *of, uint32_t *http_status, karp_str *answer, void *user)
{
    (void)method, (void)url, (void)headers, (void)header_count, (void)body, (void)of, (void)http_status, (void)answer;
    (void)user;
    return KARP_PROVIDER_RETRY;
}

static const karp_replay_document trace = {
    .name = T("trace"), .text = T("name,start,end,cpu,memory\na,2026-03-02T08:00:00Z,2026-03-02T08:05:00Z,1,1Gi\n")
};
static const karp_replay_document pool = { .name = T("pool"), .text = T(POOL("p", "10")) };
static const karp_repack_options repack_options = { .size = sizeof repack_options,
                                                    .max_evictions = KARP_REPACK_ANY,
                                                    .max_steps = KARP_REPACK_ANY,
                                                    .max_evicted_percent = 100 };
static const karp_replay_options replay_options = {
    .size = sizeof replay_options, .traces = &trace, .trace_count = 1, .objects = &pool, .object_count = 1
};
static const karp_plan empty_plan = { .size = sizeof empty_plan };
static const karp_plan_step plan_step = { .size = sizeof plan_step, .plan = &empty_plan };
static const karp_instance_type instance_type = { .size = sizeof instance_type, .name = T("x") };
static const karp_provider_http provider_http = { .size = sizeof provider_http, .send = no_network };

static const karp_options replay_decision = { .size = sizeof replay_decision };

static karp_status give_replay_decision(const void *s)
{
    karp_replay_options with = replay_options;
    with.decision = s;
    return give_replay(&with);
}

static const struct given in[] = {
    GROWN(repack_options, give_repack, THROUGH(karp_repack_options, in_progress_count)),
    GROWN(replay_options, give_replay, THROUGH(karp_replay_options, decision)),
    GROWN(replay_decision, give_replay_decision, THROUGH(karp_options, flip_quirks)),
    GROWN(certificate, give_certificate, THROUGH(karp_certificate, nodes)),
    GROWN(plan_step, give_step, THROUGH(karp_plan_step, flags)),
    IN(provider_http, give_http),
};

static void structs_in(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(in); i++) check_given(&in[i]);
}

/* Two elements, the second of another name where they have one; each states its size. */
static void fill_two(unsigned char *room, size_t stride, const void *value, size_t size)
{
    const karp_str other = T("y");
    memset(room, 0, 2 * stride);
    for (size_t i = 0; i < 2; i++) {
        memcpy(room + i * stride, value, size);
        memcpy(room + i * stride, &stride, sizeof stride);
    }
    if (value == &instance_type) memcpy(room + stride + offsetof(karp_instance_type, name), &other, sizeof other);
}

/* The elements of an array are as far apart as the caller's struct is large, whatever the library's is. */
static void check_array(const void *value, size_t size, karp_status (*call)(const void *s, size_t count))
{
    const size_t newer = size + 64, odd = size + 2;
    unsigned char *room = malloc(2 * newer);
    assert_non_null(room);
    fill_two(room, size, value, size);
    assert_int_equal(call(room, 2), KARP_OK);
    fill_two(room, newer, value, size);
    assert_int_equal(call(room, 2), KARP_OK);
    room[2 * newer - 1] = 1;
    assert_int_equal(call(room, 2), KARP_E_ABI_NEW);
    fill_two(room, newer, value, size);
    memcpy(room + newer, &size, sizeof size);
    assert_int_equal(call(room, 2), KARP_E_ABI_SIZE);
    fill_two(room, size, value, size);
    memcpy(room, &odd, sizeof odd);
    assert_int_equal(call(room, 1), KARP_E_ABI_SIZE);
    free(room);
}

static void arrays(void **state)
{
    (void)state;
    check_array(&plan_step, sizeof plan_step, give_steps);
    check_array(&instance_type, sizeof instance_type, give_types);
}

/* ---- structs that come out --------------------------------------------------------------------------------------- */

static karp_status ask_command(void *out) { return karp_decision_command(pass, 0, out); }
static karp_status ask_candidate(void *out) { return karp_decision_candidate(pass, 0, out); }
static karp_status ask_budget(void *out) { return karp_decision_budget(pass, 0, out); }
static karp_status ask_memory(void *out) { return karp_decision_memory(pass, out); }
static karp_status ask_validation(void *out) { return karp_disrupt_validate(nodes, NULL, pass, 0, NULL, out, NULL); }
static karp_status ask_repack(void *out) { return karp_decision_repack(repacked, out); }
static karp_status ask_repack_step(void *out) { return karp_decision_repack_step(repacked, 0, out); }
static karp_status ask_repack_point(void *out) { return karp_decision_repack_point(repacked, 0, out); }
static karp_status ask_group(void *out) { return karp_decision_group(plan, 0, out); }
static karp_status ask_ignored(void *out) { return karp_decision_ignored(plan, 0, out); }
static karp_status ask_meaning(void *out) { return karp_action_describe(KARP_ACTION_EVICT, out); }
static karp_status ask_lint_rule(void *out) { return karp_lint_rule_at(0, out); }
static karp_status ask_lint_finding(void *out)
{
    karp_lint *lint = NULL;
    assert_int_equal(karp_lint_snapshot(pods, &lint, NULL), KARP_OK);
    karp_status status = karp_lint_at(lint, 0, out);
    karp_lint_free(lint);
    return status;
}
static karp_status ask_holding(void *out)
{
    karp_blockers *b = NULL;
    assert_int_equal(karp_find_blockers(nodes, NULL, &b, NULL), KARP_OK);
    karp_status status = karp_blockers_at(b, 0, out);
    karp_blockers_free(b);
    return status;
}
static karp_node_list *listed(void)
{
    karp_node_list *list = NULL;
    assert_int_equal(karp_list_nodes(nodes, NULL, &list, NULL), KARP_OK);
    return list;
}
static karp_status ask_listed_node(void *out)
{
    karp_node_list *list = listed();
    karp_status status = karp_node_list_at(list, 0, out);
    karp_node_list_free(list);
    return status;
}
static karp_status ask_listed_pod(void *out)
{
    karp_node_list *list = listed();
    karp_status status = karp_node_list_pod(list, 0, out);
    karp_node_list_free(list);
    return status;
}
static karp_status ask_move(void *out)
{
    karp_node_explanation *e = NULL;
    assert_int_equal(karp_explain_node(nodes, NULL, (karp_str)T("n3"), &e, NULL), KARP_OK);
    karp_status status = karp_node_explanation_move(e, out);
    karp_node_explanation_free(e);
    return status;
}
static karp_status ask_node_remedy(void *out)
{
    karp_node_explanation *e = NULL;
    assert_int_equal(karp_explain_node(nodes, NULL, (karp_str)T("n3"), &e, NULL), KARP_OK);
    karp_status status = karp_node_explanation_remedy(e, 0, out);
    karp_node_explanation_free(e);
    return status;
}
static karp_status ask_cause(void *out)
{
    karp_pod_explanation *e = NULL;
    assert_int_equal(karp_explain_pod(pods, NULL, (karp_str)T("default/a"), &e, NULL), KARP_OK);
    karp_status status = karp_pod_explanation_cause(e, 0, out);
    karp_pod_explanation_free(e);
    return status;
}
static karp_admission *admit_all(void)
{
    karp_admission *a = NULL;
    karp_admit_options all;
    karp_admit_options_init(&all, sizeof all);
    all.flavours = KARP_FLAVOUR_ALL;
    assert_int_equal(karp_admit(pods, &all, &a, NULL), KARP_OK);
    return a;
}
static karp_status ask_admitted(void *out)
{
    karp_admission *a = admit_all();
    karp_status status = karp_admission_at(a, 0, out);
    karp_admission_free(a);
    return status;
}
static karp_status ask_flavour(void *out)
{
    karp_admission *a = admit_all();
    karp_status status = karp_admission_flavour(a, 0, 0, out);
    karp_admission_free(a);
    return status;
}
static karp_status ask_condition(void *out)
{
    static const char text[] =
        "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": ["
        "{\"apiVersion\": \"v1\", \"kind\": \"PodTemplate\", \"metadata\": {\"name\": \"t\"}, \"template\": {\"spec\": "
        "{\"containers\": [{\"name\": \"c\"}]}}}, {\"apiVersion\": \"autoscaling.x-k8s.io/v1\", \"kind\": "
        "\"ProvisioningRequest\", \"metadata\": {\"name\": \"r\"}, \"spec\": {\"provisioningClassName\": "
        "\"check-capacity.autoscaling.x-k8s.io\", \"podSets\": [{\"podTemplateRef\": {\"name\": \"t\"}, \"count\": "
        "1}]}}]}";
    karp_snapshot *asked = read_text(context, text, sizeof text - 1);
    karp_admission *a = NULL;
    assert_int_equal(karp_admit(asked, NULL, &a, NULL), KARP_OK);
    karp_status status = karp_admission_condition(a, 0, 0, out);
    karp_admission_free(a);
    karp_snapshot_unref(asked);
    return status;
}
static karp_status ask_preference(void *out)
{
    karp_preferences *p = NULL;
    assert_int_equal(karp_find_preferences(pods, NULL, (karp_str)T(""), &p, NULL), KARP_OK);
    karp_status status = karp_preferences_at(p, 0, out);
    karp_preferences_free(p);
    return status;
}
static karp_status ask_decided_preference(void *out)
{
    karp_decision *d = NULL;
    assert_int_equal(karp_provision(pods, NULL, &d, NULL), KARP_OK);
    karp_status status = karp_decision_preference(d, 0, out);
    karp_decision_unref(d);
    return status;
}
static karp_status ask_alternative(void *out)
{
    karp_pod_explanation *e = NULL;
    assert_int_equal(karp_explain_pod(pods, NULL, (karp_str)T("default/a"), &e, NULL), KARP_OK);
    karp_status status = karp_pod_explanation_alternative(e, 0, out);
    karp_pod_explanation_free(e);
    return status;
}

/* A fit of one copy on one type. */
static karp_fitting *fit_one(uint32_t kind)
{
    const karp_resource capacity = { .name = T("cpu"), .text = T("2") };
    const karp_resource request = { .name = T("cpu"), .text = T("1") };
    const karp_fit_type type = { .resources = &capacity, .resource_count = 1, .price = 1 };
    const karp_fit_demand demand = { .requests = &request, .request_count = 1, .count = 1 };
    karp_fit_request asked;
    karp_fitting *f = NULL;
    karp_fit_request_init(&asked, sizeof asked);
    asked.types = &type;
    asked.type_count = 1;
    asked.demands = &demand;
    asked.demand_count = 1;
    asked.objective = kind;
    assert_int_equal(karp_fit(context, &asked, &f, NULL), KARP_OK);
    return f;
}
static karp_status ask_load(void *out)
{
    karp_fitting *f = fit_one(KARP_OBJECTIVE_COMPATIBLE);
    karp_status status = karp_fitting_load(f, 0, out);
    karp_fitting_free(f);
    return status;
}
static karp_status ask_fit_cost(void *out)
{
    karp_fitting *f = fit_one(KARP_OBJECTIVE_COST);
    karp_status status = karp_fitting_objective(f, out);
    karp_fitting_free(f);
    return status;
}

/* It returns no status: a size that is refused shows in that nothing is written. */
static karp_status ask_counts(void *out)
{
    unsigned char after_size;
    karp_snapshot_get_counts(nodes, out);
    memcpy(&after_size, (const char *)out + offsetof(karp_snapshot_counts, pods), 1);
    return after_size == 0xa5 ? KARP_E_ABI_SIZE : KARP_OK;
}
static karp_status ask_facts(void *out) { return karp_provider_get_facts_info(aws, memory_of_provider, out, NULL); }
static karp_status ask_cloud(void *out)
{
    karp_reader *reader = NULL;
    karp_status status = karp_reader_new(context, NULL, &reader, NULL);
    if (status == KARP_OK) status = karp_reader_get_cloud(reader, 0, out, NULL);
    karp_reader_free(reader);
    return status;
}
static karp_status ask_provider_node(void *out)
{
    return karp_provider_get(mock, (karp_str)T("x://n"), &provider_http, memory_of_provider, out, NULL);
}

static const struct asked out[] = {
    OUT(karp_command, score, ask_command),
    OUT(karp_candidate, pod_count, ask_candidate),
    OUT(karp_pool_budget, next_change, ask_budget),
    OUT(karp_memory, unseen_count, ask_memory),
    OUT(karp_validation, kept, ask_validation),
    OUT(karp_repack_cost, reserved, ask_repack),
    OUT(karp_repack_step, total_evictions, ask_repack_step),
    OUT(karp_repack_point, bound, ask_repack_point),
    OUT(karp_ignored, message, ask_ignored),
    OUT(karp_group_outcome, domain, ask_group),
    OUT(karp_action_meaning, number, ask_meaning),
    OUT(karp_lint_rule, reserved, ask_lint_rule),
    OUT(karp_lint_finding, remedy, ask_lint_finding),
    OUT(karp_savings_blocker, savings, ask_holding),
    OUT(karp_admitted, change_count, ask_admitted),
    OUT(karp_flavour, detail, ask_flavour),
    OUT(karp_request_condition, message, ask_condition),
    OUT(karp_listed_node, replacement, ask_listed_node),
    OUT(karp_listed_pod, idle, ask_listed_pod),
    OUT(karp_move, choice, ask_move),
    OUT(karp_node_remedy, savings, ask_node_remedy),
    OUT(karp_alternative, cost_change, ask_alternative),
    OUT(karp_placement_cause, text, ask_cause),
    OUT(karp_preference, dropped, ask_preference),
    OUT(karp_preference, dropped, ask_decided_preference),
    OUT(karp_fit_load, share_count, ask_load),
    OUT(karp_cost, flags, ask_fit_cost),
    OUT(karp_snapshot_counts, requirement_sets, ask_counts),
    OUT(karp_provider_facts_info, kind_count, ask_facts),
    OUT(karp_reader_cloud, reserved, ask_cloud),
    OUT(karp_provider_node, launched, ask_provider_node),
};

static void structs_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(out); i++) check_asked(&out[i]);
}

/* ---- rules of their own ------------------------------------------------------------------------------------------ */

/* A failed call fills an error up to its size. One that is only zeroed counts as that of the first version. */
static void errors(void **state)
{
    const size_t first = THROUGH(karp_error, message),
                 sizes[] = { 0, first, sizeof(karp_error), sizeof(karp_error) + 24 };
    struct {
        karp_error error;
        unsigned char after[64];
    } room;
    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        size_t known = sizes[i] > first ? sizes[i] : first;
        memset(&room, 0xa5, sizeof room);
        memset(&room, 0, known);
        room.error.size = sizes[i];
        assert_int_equal(karp_context_new(NULL, NULL, &room.error), KARP_E_INVALID);
        assert_int_equal(room.error.size, sizes[i]);
        assert_int_equal(room.error.status, KARP_E_INVALID);
        assert_true(room.error.message[0] != '\0');
        for (size_t k = sizeof room.error; k < sizeof room; k++)
            assert_int_equal(((const unsigned char *)&room)[k], k < known ? 0 : 0xa5);
    }
}

/* A digest of any size has the same text, and no more than its size is written. */
static void digests(void **state)
{
    const size_t first = THROUGH(karp_digest, block),
                 sizes[] = { first, sizeof(karp_digest), sizeof(karp_digest) + 24 };
    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        karp_digest *digest = malloc(sizes[i]);
        char text[KARP_DIGEST_TEXT];
        assert_non_null(digest);
        karp_digest_init(digest, sizes[i]);
        assert_int_equal(digest->size, sizes[i]);
        karp_digest_add(digest, "abc", 3);
        karp_digest_text(digest, text);
        assert_string_equal(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        free(digest);
    }
}

#define INIT(type)                                                                                                     \
    static void init_##type(void *s, size_t size) { type##_init(s, size); }
#define INITS(type)                                                                                                    \
    {                                                                                                                  \
#type, sizeof(type), init_##type                                                                               \
    }
INIT(karp_capacity_buffer)
INIT(karp_catalogue_options)
INIT(karp_context_options)
INIT(karp_daemon_set)
INIT(karp_digest)
INIT(karp_disrupt_options)
INIT(karp_error)
INIT(karp_fit_request)
INIT(karp_memory)
INIT(karp_pod_group)
INIT(karp_node)
INIT(karp_node_claim)
INIT(karp_node_pool)
INIT(karp_objective)
INIT(karp_options)
INIT(karp_pod)
INIT(karp_provider_options)
INIT(karp_reader_options)
INIT(karp_repack_options)
INIT(karp_replay_options)
INIT(karp_story_options)
INIT(karp_request_rules)
INIT(karp_settings)
INIT(karp_tune_options)
INIT(karp_storage_class)
INIT(karp_templated_pod)
INIT(karp_write_options)

static const struct initialised {
    const char *name;
    size_t size;
    void (*init)(void *s, size_t size);
} inits[] = {
    INITS(karp_capacity_buffer),
    INITS(karp_catalogue_options),
    INITS(karp_context_options),
    INITS(karp_daemon_set),
    INITS(karp_digest),
    INITS(karp_disrupt_options),
    INITS(karp_error),
    INITS(karp_fit_request),
    INITS(karp_memory),
    INITS(karp_pod_group),
    INITS(karp_node),
    INITS(karp_node_claim),
    INITS(karp_node_pool),
    INITS(karp_objective),
    INITS(karp_options),
    INITS(karp_pod),
    INITS(karp_provider_options),
    INITS(karp_reader_options),
    INITS(karp_repack_options),
    INITS(karp_replay_options),
    INITS(karp_story_options),
    INITS(karp_request_rules),
    INITS(karp_settings),
    INITS(karp_tune_options),
    INITS(karp_storage_class),
    INITS(karp_templated_pod),
    INITS(karp_write_options),
};

/* Whatever the size, nothing is written beyond it; the whole struct knows its size, and is zero where the library knows
 * nothing. */
static void initialised_structs(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(inits); i++) {
        const struct initialised *s = &inits[i];
        size_t newer = s->size + 24, kept;
        unsigned char *room = malloc(newer + 8);
        assert_non_null(room);
        for (size_t size = 0; size <= newer; size += 4) {
            memset(room, 0xa5, newer + 8);
            s->init(room, size);
            for (size_t k = size; k < newer + 8; k++)
                if (room[k] != 0xa5) fail_msg("%s_init(%zu) writes byte %zu", s->name, size, k);
            if (size < s->size) continue;
            memcpy(&kept, room, sizeof kept);
            assert_int_equal(kept, size);
            for (size_t k = s->size; k < size; k++)
                if (room[k] != 0) fail_msg("%s_init(%zu) leaves byte %zu", s->name, size, k);
        }
        free(room);
        s->init(NULL, s->size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(structs_in),  cmocka_unit_test(arrays),
                                        cmocka_unit_test(structs_out), cmocka_unit_test(errors),
                                        cmocka_unit_test(digests),     cmocka_unit_test(initialised_structs) };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
