/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that take or fill a struct with `size` that test_callers.c or test_callers_more.c has for another one.
 */
#include <abi/callers_world.h>

#include <stdlib.h>

#include <karp/admit.h>
#include <karp/blockers.h>
#include <karp/certificate.h>
#include <karp/columns.h>
#include <karp/library.h>
#include <karp/lifecycle.h>
#include <karp/objective.h>
#include <karp/provider.h>
#include <karp/recording.h>
#include <karp/repack.h>
#include <karp/replay.h>
#include <karp/requests.h>
#include <karp/settings.h>
#include <karp/settle.h>
#include <karp/tune.h>

static karp_context *context;
static karp_snapshot *nodes, *pods;
static karp_decision *plan, *pass, *repacked;
static karp_bound *bound;
static karp_blockers *blockers;
static karp_admission *admission;
static karp_admit_options admit_options = { .size = sizeof admit_options };
static karp_node_list *node_list;
static karp_settlement *settlement;
static karp_reader *right_sizes, *dumped;
static karp_tune *tune;
static karp_lint *lint;
static karp_verification *verification;
static karp_pod_explanation *of_pod;
static karp_node_explanation *of_node;
static karp_catalogue *catalogue;
static karp_text replayed;
static karp_provider_registry *registry;
static karp_provider *mock;
static karp_provider_memory *memory_of_provider;

/* ---- a provider that launches ------------------------------------------------------------------------------------ */

static uint32_t mock_open(const karp_allocator *allocator, const karp_provider_options *options, void **handle,
                          karp_provider_problem *problem)
{
    (void)allocator, (void)options, (void)problem;
    *handle = NULL;
    return KARP_PROVIDER_OK;
}
static void mock_close(void *handle) { (void)handle; }

static const karp_offering offering = { .price = 1, .available = 1 };
static const karp_instance_type type = {
    .size = sizeof type, .name = T("x"), .offerings = &offering, .offering_count = 1
};
static const karp_instance_type *const types[] = { &type };

static uint32_t mock_types(void *handle, const void *node_class, const karp_provider_memory *memory,
                           const karp_instance_type **out, size_t *count, karp_provider_problem *problem)
{
    (void)handle, (void)node_class, (void)memory, (void)problem;
    *out = &type;
    *count = 1;
    return KARP_PROVIDER_OK;
}
static uint32_t mock_request(void *handle, const void *node_class, const karp_provider_launch *launch, karp_str claim,
                             const karp_provider_memory *memory, karp_str *request, karp_provider_problem *problem)
{
    (void)handle, (void)node_class, (void)launch, (void)memory, (void)problem;
    *request = claim;
    return KARP_PROVIDER_OK;
}
static uint32_t mock_result(void *handle, const void *node_class, const karp_provider_launch *launch, karp_str answer,
                            int64_t now, const karp_provider_memory *memory, karp_provider_node *node,
                            karp_provider_problem *problem)
{
    (void)handle, (void)node_class, (void)launch, (void)now, (void)memory, (void)problem;
    node->provider_id = answer;
    return KARP_PROVIDER_OK;
}
static uint32_t mock_create(void *handle, const void *node_class, const karp_provider_launch *launch, karp_str claim,
                            const karp_provider_http *http, const karp_provider_memory *memory,
                            karp_provider_node *node, karp_provider_problem *problem)
{
    (void)http;
    return mock_result(handle, node_class, launch, claim, 0, memory, node, problem);
}
static uint32_t mock_get(void *handle, karp_str provider_id, const karp_provider_http *http,
                         const karp_provider_memory *memory, karp_provider_node *node, karp_provider_problem *problem)
{
    return mock_create(handle, NULL, NULL, provider_id, http, memory, node, problem);
}
static uint32_t mock_list(void *handle, const karp_provider_http *http, const karp_provider_memory *memory,
                          const karp_provider_node **out, size_t *count, karp_provider_problem *problem)
{
    (void)handle, (void)http, (void)memory, (void)out, (void)problem;
    *count = 0;
    return KARP_PROVIDER_OK;
}

static const karp_provider_plugin plugin = { .abi_version = KARP_PROVIDER_ABI,
                                             .size = sizeof plugin,
                                             .name = "mock",
                                             .open = mock_open,
                                             .close = mock_close,
                                             .instance_types = mock_types,
                                             .launch_request = mock_request,
                                             .launch_result = mock_result,
                                             .create = mock_create,
                                             .get = mock_get,
                                             .list = mock_list };

/* ---- structs that go in ------------------------------------------------------------------------------------------ */

static uint32_t no_network(karp_str method, karp_str url, const karp_label *headers, size_t header_count, karp_str body,
                           const karp_provider_memory *of, uint32_t *http_status, karp_str *answer, void *user)
{
    (void)method, (void)url, (void)headers, (void)header_count, (void)body, (void)of, (void)http_status, (void)answer;
    (void)user;
    return KARP_PROVIDER_RETRY;
}

static const karp_objective objective = { .size = sizeof objective, .kind = KARP_OBJECTIVE_COST };
static const karp_options at_least_cost = { .size = sizeof at_least_cost, .objective = &objective };
static const karp_options options = { .size = sizeof options };
static const karp_disrupt_options disrupt_options = { .size = sizeof disrupt_options, .common = &options };
static const karp_node_list_options node_list_options = { .size = sizeof node_list_options, .common = &options };
static const karp_settle_options settle_options = { .size = sizeof settle_options, .common = &options };
static const karp_command_state command_state = { .size = sizeof command_state,
                                                  .method = KARP_METHOD_DRIFT,
                                                  .phase = KARP_COMMAND_PHASE_GIVEN_UP };
static const karp_launch replacing = { .size = sizeof replacing };
static const karp_request_rules request_rules = { .size = sizeof request_rules };
static const karp_tune_options tune_options = { .size = sizeof tune_options };
static const karp_write_options patches = { .size = sizeof patches, .format = KARP_FORMAT_PATCH };
static const karp_memory memory = { .size = sizeof memory };
static const karp_plan empty_plan = { .size = sizeof empty_plan };
static const karp_write_options write_options = { .size = sizeof write_options };
static const karp_provider_options provider_options = { .size = sizeof provider_options };
static const karp_provider_http http = { .size = sizeof http, .send = no_network };
static const karp_provider_launch new_launch = { .size = sizeof new_launch };
static const karp_provider_launch launch = { .size = sizeof launch, .types = types, .type_count = 1 };
static const karp_replay_document trace = {
    .name = T("trace"), .text = T("name,start,end,cpu,memory\na,2026-03-02T08:00:00Z,2026-03-02T08:05:00Z,1,1Gi\n")
};
static const karp_replay_document pool = { .name = T("pool"), .text = T(POOL("p", "10")) };
static const karp_replay_options replay_options = {
    .size = sizeof replay_options, .traces = &trace, .trace_count = 1, .objects = &pool, .object_count = 1
};
static const karp_replay_document looks = {
    .name = T("looks"), .text = T("{\"kind\":\"Recording\",\"now\":\"2026-03-02T08:00:00Z\",\"objects\":[]}\n")
};
static const karp_story_options story_options = { .size = sizeof story_options };
static const karp_replay_options twin_options = { .size = sizeof twin_options, .traces = &looks, .trace_count = 1 };
static karp_certificate certificate; /* of the bound */

#define WRITES(name, call)                                                                                             \
    static karp_status name(const void *s)                                                                             \
    {                                                                                                                  \
        karp_text text = { NULL, 0, NULL };                                                                            \
        karp_status status = call;                                                                                     \
        karp_text_free(&text);                                                                                         \
        return status;                                                                                                 \
    }
WRITES(give_write_disruption, karp_write_disruption(context, pass, s, &text, NULL))
WRITES(give_write_repack, karp_write_repack(context, repacked, s, &text, NULL))
WRITES(give_write_pod, karp_write_pod(context, plan, (karp_str)T("default/a"), s, &text, NULL))
WRITES(give_write_node, karp_write_node(context, pass, (karp_str)T("n1"), s, &text, NULL))
WRITES(give_write_pod_explanation, karp_write_pod_explanation(context, of_pod, s, &text, NULL))
WRITES(give_write_node_explanation, karp_write_node_explanation(context, of_node, s, &text, NULL))
WRITES(give_write_certificate, karp_write_certificate(context, &certificate, s, &text, NULL))
WRITES(give_certificate_to_write, karp_write_certificate(context, s, NULL, &text, NULL))
WRITES(give_write_check, karp_write_certificate_check(context, &certificate, NULL, s, &text, NULL))
WRITES(give_checked_certificate, karp_write_certificate_check(context, s, NULL, NULL, &text, NULL))
WRITES(give_write_lint, karp_write_lint(context, lint, s, &text, NULL))
WRITES(give_write_memory, karp_write_memory(context, &memory, s, &text, NULL))
WRITES(give_memory_to_write, karp_write_memory(context, s, NULL, &text, NULL))
WRITES(give_write_command, karp_write_command(context, &command_state, s, &text, NULL))
WRITES(give_command_to_write, karp_write_command(context, s, NULL, &text, NULL))
static karp_status give_launch_to_write(const void *s)
{
    const karp_replacement replacement = { .launch = s };
    karp_command_state with = command_state;
    with.replacements = &replacement;
    with.replacement_count = 1;
    return give_command_to_write(&with);
}
WRITES(give_write_verification, karp_write_verification(context, verification, s, &text, NULL))
WRITES(give_write_admission, karp_write_admission(context, admission, s, &text, NULL))
WRITES(give_write_blockers, karp_write_blockers(context, blockers, s, &text, NULL))
WRITES(give_write_nodes, karp_write_nodes(context, node_list, s, &text, NULL))
WRITES(give_write_top, karp_write_top(context, node_list, s, &text, NULL))
WRITES(give_write_tune, karp_write_tune(context, tune, s, &text, NULL))
WRITES(give_write_catalogue, karp_write_catalogue(context, catalogue, s, &text, NULL))
WRITES(give_write_replay, karp_replay(context, &replay_options, s, &text, NULL))
WRITES(give_write_twin, karp_twin(context, &twin_options, s, &text, NULL, NULL))
WRITES(give_twin, karp_twin(context, s, NULL, &text, NULL, NULL))

static karp_status give_write_compare(const void *s)
{
    const karp_replay_document document = { .name = T("replay"), .text = { replayed.ptr, replayed.len } };
    karp_text text = { NULL, 0, NULL };
    karp_status status = karp_replay_compare(context, &document, &document, s, &text, NULL, NULL);
    karp_text_free(&text);
    return status;
}

/* The options were accepted: there is no such story. */
static karp_status no_story(karp_status status) { return status == KARP_E_IO ? KARP_OK : status; }
WRITES(give_write_story, no_story(karp_story_play(context, "none", NULL, (karp_str){ NULL, 0 }, NULL, s, &text, NULL)))
WRITES(give_write_story_with, no_story(karp_story_play_with(context, "none", NULL, s, &text, NULL)))
WRITES(give_story_with, no_story(karp_story_play_with(context, "none", s, NULL, &text, NULL)))
WRITES(give_options_story,
       no_story(karp_story_play(context, "none", NULL, (karp_str){ NULL, 0 }, s, NULL, &text, NULL)))
static karp_status give_options_bound(const void *s)
{
    karp_bound *made = NULL;
    karp_status status = karp_cost_bound(pods, s, &made, NULL);
    karp_bound_free(made);
    return status;
}
static karp_status give_options_check(const void *s) { return karp_certificate_check(pods, s, &certificate, NULL); }
static karp_status give_options_static(const void *s)
{
    karp_decision *made = NULL;
    karp_status status = karp_launch_static_pools(pods, s, &made, NULL);
    karp_decision_unref(made);
    return status;
}

static karp_status give_options_preferences(const void *s)
{
    karp_preferences *made = NULL;
    karp_status status = karp_find_preferences(pods, s, (karp_str)T(""), &made, NULL);
    karp_preferences_free(made);
    return status;
}

static karp_status give_options_preferences_of(const void *s)
{
    karp_decision *decided = NULL;
    karp_preferences *made = NULL;
    assert_int_equal(karp_provision(pods, NULL, &decided, NULL), KARP_OK);
    karp_status status = karp_preferences_of(decided, s, (karp_str)T(""), &made, NULL);
    karp_preferences_free(made);
    karp_decision_unref(decided);
    return status;
}

static karp_status give_disrupt_step(const void *s)
{
    karp_step *made = NULL;
    karp_status status = karp_command_step(nodes, &command_state, s, NULL, 0, &made, NULL);
    karp_step_free(made);
    return status;
}
static karp_status give_disrupt_validate(const void *s)
{
    karp_validation out = { .size = sizeof out };
    return karp_disrupt_validate(nodes, s, pass, 0, NULL, &out, NULL);
}
static karp_status give_disrupt_blockers(const void *s)
{
    karp_blockers *made = NULL;
    karp_status status = karp_find_blockers(nodes, s, &made, NULL);
    karp_blockers_free(made);
    return status;
}
static karp_status give_admit_options(const void *s)
{
    karp_admission *made = NULL;
    karp_status status = karp_admit(pods, s, &made, NULL);
    karp_admission_free(made);
    return status;
}
static karp_status give_node_list_options(const void *s)
{
    karp_node_list *made = NULL;
    karp_status status = karp_list_nodes(nodes, s, &made, NULL);
    karp_node_list_free(made);
    return status;
}

/* A reader that changes the requests of a pod by what it uses. */
static karp_status give_sizes(const void *rules, karp_reader **out)
{
    static const char pod[] = "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"},"
                              "\"spec\":{\"containers\":[{\"name\":\"c\"}]}}";
    const karp_reader_options editable = { .size = sizeof editable, .editable = 1 };
    karp_snapshot *made = NULL;
    karp_status status = karp_reader_new(context, &editable, out, NULL);
    if (status == KARP_OK) status = karp_reader_recommend_requests(*out, rules, NULL);
    if (status == KARP_OK)
        status = karp_reader_add_usage(*out, (karp_str)T("u"), (karp_str)T("pod,cpu\na,2\n"), (karp_str)T(""), NULL);
    if (status == KARP_OK) status = karp_reader_add(*out, (karp_str)T("d"), (karp_str){ pod, sizeof pod - 1 }, NULL);
    if (status == KARP_OK) status = karp_reader_finish(*out, &made, NULL);
    karp_snapshot_unref(made);
    return status;
}
static karp_status give_request_rules(const void *s)
{
    karp_reader *made = NULL;
    karp_status status = give_sizes(s, &made);
    karp_reader_free(made);
    return status;
}
static karp_status give_write_patches(const void *s)
{
    karp_text text = { NULL, 0, NULL };
    karp_status status = karp_write_request_patches(context, right_sizes, NULL, s, &text, NULL);
    karp_text_free(&text);
    return status;
}
static karp_status give_tune_options(const void *s)
{
    karp_tune *made = NULL;
    karp_status status = karp_tune_new(context, dumped, s, &made, NULL);
    karp_tune_free(made);
    return status;
}
static karp_status give_options_floor(const void *s)
{
    double lowest;
    return karp_tune_floor(tune, s, &lowest, NULL);
}
static karp_status give_tune_settle(const void *s)
{
    karp_tune *made = NULL;
    size_t tried = 0;
    karp_status status = karp_tune_new(context, dumped, NULL, &made, NULL);
    if (!status) status = karp_tune_settle(made, s, &tried, NULL);
    karp_tune_free(made);
    return status;
}
static karp_status give_tune_replay(const void *s)
{
    karp_tune *made = NULL;
    karp_tune_options how = { .size = sizeof how, .replay = 1 };
    size_t tried = 0;
    karp_status status = karp_tune_new(context, dumped, &how, &made, NULL);
    if (!status) status = karp_tune_replay(made, s, &tried, NULL);
    karp_tune_free(made);
    return status;
}
static karp_status give_settle_options(const void *s)
{
    karp_settlement *made = NULL;
    karp_status status = karp_settle(nodes, s, &made, NULL);
    karp_settlement_free(made);
    return status;
}
/* A tree of one empty object, in and out. */
static void read_value(void *user, const void *node, karp_value *out)
{
    (void)user, (void)node;
    out->kind = KARP_VALUE_OBJECT;
}
static const void *next_value(void *user, const void *node, void **position, karp_str *name)
{
    (void)user, (void)node, (void)position, (void)name;
    return NULL;
}
static void *make_value(void *user, const karp_value *value)
{
    (void)value;
    return user;
}
static karp_status add_value(void *user, void *parent, karp_str name, void *child)
{
    (void)user, (void)parent, (void)name, (void)child;
    return KARP_OK;
}
static void end_value(void *user, void *root) { (void)user, (void)root; }
static int anything;
static const karp_value_source value_source = { sizeof value_source, NULL, read_value, next_value };
static const karp_value_sink value_sink = { sizeof value_sink, &anything, make_value, add_value, end_value, end_value };

/* The struct was accepted: an empty object is no object of Kubernetes. */
static karp_status no_object(karp_status status) { return status == KARP_E_INVALID ? KARP_OK : status; }
static karp_status give_source(const void *s)
{
    karp_reader *reader = NULL;
    karp_status status = karp_reader_new(context, NULL, &reader, NULL);
    if (status == KARP_OK) status = no_object(karp_reader_add_values(reader, (karp_str)T("d"), s, &anything, NULL));
    karp_reader_free(reader);
    return status;
}
static karp_status give_source_replace(const void *s)
{
    const karp_reader_options editable = { .size = sizeof editable, .editable = 1 };
    karp_reader *reader = NULL;
    karp_status status = karp_reader_new(context, &editable, &reader, NULL);
    if (status == KARP_OK) status = no_object(karp_reader_replace_values(reader, (karp_str)T("d"), s, &anything, NULL));
    karp_reader_free(reader);
    return status;
}
static karp_status give_sink(const void *s)
{
    const karp_write_options as_values = { .size = sizeof as_values, .values = s };
    return karp_write_plan(context, plan, NULL, &as_values, NULL, NULL);
}
static karp_status give_disrupt_events(const void *s)
{
    karp_advice *made = NULL;
    karp_status status = karp_advise_pod_events(nodes, nodes, s, &made, NULL);
    karp_advice_free(made);
    return status;
}

static karp_status give_type_adopt(const void *s)
{
    karp_catalogue *made = NULL;
    karp_status status = karp_catalogue_adopt(context, s, 1, NULL, NULL, &made, NULL);
    karp_catalogue_unref(made);
    return status;
}

static karp_status give_options_open(const void *s)
{
    karp_provider *made = NULL;
    karp_status status = karp_provider_registry_open(registry, (karp_str)T("mock"), s, &made, NULL);
    karp_provider_close(made);
    return status;
}

/* It also fills the struct, which is a copy of the caller's. */
static karp_status give_launch_filter(const void *s)
{
    return karp_provider_launch_filter(mock, NULL, memory_of_provider, (void *)(uintptr_t)s, NULL);
}
static karp_status give_launch_node(const void *s)
{
    karp_provider_node out = { .size = sizeof out };
    const karp_provider_candidate first = { 0, 0, 0, 0 };
    return karp_provider_launch_node(mock, NULL, s, first, memory_of_provider, &out, NULL);
}
static karp_status give_launch_request(const void *s)
{
    karp_str request;
    return karp_provider_launch_request(mock, NULL, s, (karp_str)T("c"), memory_of_provider, &request, NULL);
}
static karp_status give_launch_result(const void *s)
{
    karp_provider_node out = { .size = sizeof out };
    return karp_provider_launch_result(mock, NULL, s, (karp_str)T("{}"), 0, memory_of_provider, &out, NULL);
}
static karp_status give_launch_create(const void *s)
{
    karp_provider_node out = { .size = sizeof out };
    return karp_provider_create(mock, NULL, s, (karp_str)T("c"), &http, memory_of_provider, &out, NULL);
}
static karp_status give_http_create(const void *s)
{
    karp_provider_node out = { .size = sizeof out };
    return karp_provider_create(mock, NULL, &launch, (karp_str)T("c"), s, memory_of_provider, &out, NULL);
}
static karp_status give_http_get(const void *s)
{
    karp_provider_node out = { .size = sizeof out };
    return karp_provider_get(mock, (karp_str)T("x://n"), s, memory_of_provider, &out, NULL);
}
static karp_status give_http_list(const void *s)
{
    const karp_provider_node *list = NULL;
    size_t count = 0;
    return karp_provider_list(mock, s, memory_of_provider, &list, &count, NULL);
}

static const karp_drift drift = { .size = sizeof drift };
static karp_status give_drift_text(const void *s)
{
    char said[KARP_DRIFT_TEXT];
    return karp_drift_text(s, said);
}

static const struct given in[] = {
    IN(drift, give_drift_text),
    IN(value_source, give_source),
    IN(value_source, give_source_replace),
    IN(value_sink, give_sink),
    IN(write_options, give_write_disruption),
    IN(write_options, give_write_tune),
    IN(write_options, give_write_repack),
    IN(write_options, give_write_pod),
    IN(write_options, give_write_node),
    IN(write_options, give_write_pod_explanation),
    IN(write_options, give_write_node_explanation),
    IN(write_options, give_write_certificate),
    IN(write_options, give_write_check),
    IN(write_options, give_write_lint),
    IN(write_options, give_write_memory),
    IN(write_options, give_write_command),
    IN(write_options, give_write_verification),
    IN(write_options, give_write_admission),
    IN(write_options, give_write_blockers),
    IN(write_options, give_write_nodes),
    IN(write_options, give_write_top),
    IN(write_options, give_write_catalogue),
    IN(write_options, give_write_replay),
    IN(write_options, give_write_twin),
    GROWN(replay_options, give_tune_replay, THROUGH(karp_replay_options, decision)),
    GROWN(twin_options, give_twin, THROUGH(karp_replay_options, decision)),
    IN(write_options, give_write_compare),
    IN(write_options, give_write_story),
    IN(write_options, give_write_story_with),
    GROWN(story_options, give_story_with, THROUGH(karp_story_options, pods_from)),
    GROWN(certificate, give_certificate_to_write, THROUGH(karp_certificate, nodes)),
    GROWN(certificate, give_checked_certificate, THROUGH(karp_certificate, nodes)),
    IN(memory, give_memory_to_write),
    IN(command_state, give_command_to_write),
    GROWN(replacing, give_launch_to_write, THROUGH(karp_launch, termination_grace_period)),
    GROWN(options, give_options_story, THROUGH(karp_options, flip_quirks)),
    IN(at_least_cost, give_options_bound),
    IN(options, give_options_floor),
    IN(at_least_cost, give_options_check),
    GROWN(options, give_options_static, THROUGH(karp_options, flip_quirks)),
    GROWN(options, give_options_preferences, THROUGH(karp_options, flip_quirks)),
    GROWN(options, give_options_preferences_of, THROUGH(karp_options, flip_quirks)),
    GROWN(disrupt_options, give_disrupt_step, THROUGH(karp_disrupt_options, in_progress_count)),
    GROWN(disrupt_options, give_disrupt_validate, THROUGH(karp_disrupt_options, in_progress_count)),
    GROWN(disrupt_options, give_disrupt_blockers, THROUGH(karp_disrupt_options, in_progress_count)),
    IN(node_list_options, give_node_list_options),
    IN(admit_options, give_admit_options),
    IN(settle_options, give_settle_options),
    IN(request_rules, give_request_rules),
    IN(tune_options, give_tune_options),
    IN(settle_options, give_tune_settle),
    IN(patches, give_write_patches),
    GROWN(disrupt_options, give_disrupt_events, THROUGH(karp_disrupt_options, in_progress_count)),
    GROWN(type, give_type_adopt, THROUGH(karp_instance_type, capacity_from_overlay) + sizeof(uint32_t)),
    IN(provider_options, give_options_open),
    IN(new_launch, give_launch_filter),
    IN(launch, give_launch_node),
    IN(launch, give_launch_request),
    IN(launch, give_launch_result),
    IN(launch, give_launch_create),
    IN(http, give_http_create),
    IN(http, give_http_get),
    IN(http, give_http_list),
};

static void structs_in(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(in); i++) check_given(&in[i]);
}

/* ---- structs that come out --------------------------------------------------------------------------------------- */

static karp_status ask_found_column(void *out)
{
    karp_table *t = NULL;
    assert_int_equal(karp_decision_table(pass, KARP_TABLE_NODES, &t, NULL), KARP_OK);
    karp_status status = karp_table_find(t, (karp_str)T("node"), out);
    karp_table_free(t);
    return status;
}
static karp_status ask_settle_round(void *out) { return karp_settlement_round(settlement, 0, out); }
static karp_status ask_drift(void *out) { return karp_settlement_drift(settlement, out); }
static karp_status ask_outcome(void *out)
{
    karp_write_options write;
    karp_text text = { NULL, 0, NULL };
    karp_write_options_init(&write, sizeof write);
    write.outcome = out;
    karp_status status = karp_replay(context, &replay_options, &write, &text, NULL);
    karp_text_free(&text);
    return status;
}
static karp_status ask_request_change(void *out) { return karp_reader_request_change(right_sizes, 0, out); }
static karp_status ask_tune_axis(void *out) { return karp_tune_get_axis(tune, 0, out); }
static karp_status ask_tune_design(void *out) { return karp_tune_get_design(tune, 0, out); }
static karp_status ask_tune_day(void *out) { return karp_tune_get_day(tune, 0, 0, out); }
static karp_status ask_launch_node(void *out)
{
    const karp_provider_candidate first = { 0, 0, 0, 0 };
    return karp_provider_launch_node(mock, NULL, &launch, first, memory_of_provider, out, NULL);
}
static karp_status ask_launch_result(void *out)
{
    return karp_provider_launch_result(mock, NULL, &launch, (karp_str)T("{}"), 0, memory_of_provider, out, NULL);
}
static karp_status ask_create(void *out)
{
    return karp_provider_create(mock, NULL, &launch, (karp_str)T("c"), &http, memory_of_provider, out, NULL);
}

static const struct asked out[] = {
    OUT(karp_drift, played, ask_drift),
    OUT(karp_replay_outcome, licences, ask_outcome),
    OUT(karp_settle_round, cost, ask_settle_round),
    OUT(karp_column, dictionary_count, ask_found_column),
    OUT(karp_provider_node, launched, ask_launch_node),
    OUT(karp_provider_node, launched, ask_launch_result),
    OUT(karp_provider_node, launched, ask_create),
    OUT(karp_request_change, not_resizable, ask_request_change),
    OUT(karp_tune_axis, value_count, ask_tune_axis),
    OUT(karp_tune_design, beyond_cap, ask_tune_design),
    OUT(karp_tune_day, cost, ask_tune_day),
};

static void structs_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(out); i++) check_asked(&out[i]);
}

/* The provider's part of the settings is written, nothing else. */
static void settings_of_a_provider(void **state)
{
    const size_t first = THROUGH(karp_settings, reservation_id_label), most = LARGEST_STRUCT + 8,
                 sizes[] = { first, sizeof(karp_settings), sizeof(karp_settings) + 24 },
                 wrong[] = { 0, sizeof(size_t), first - sizeof(size_t), most };
    unsigned char *room = malloc(most);
    (void)state;
    assert_non_null(room);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        memset(room, 0xa5, most);
        memcpy(room, &sizes[i], sizeof sizes[i]);
        assert_int_equal(karp_provider_settings(mock, (void *)room, NULL), KARP_OK);
        assert_memory_equal(room, &sizes[i], sizeof sizes[i]);
        for (size_t k = first; k < most; k++) assert_int_equal(room[k], 0xa5);
    }
    for (size_t i = 0; i < COUNT(wrong); i++) {
        memset(room, 0xa5, most);
        memcpy(room, &wrong[i], sizeof wrong[i]);
        assert_int_equal(karp_provider_settings(mock, (void *)room, NULL), KARP_E_ABI_SIZE);
        for (size_t k = sizeof wrong[i]; k < most; k++) assert_int_equal(room[k], 0xa5);
    }
    free(room);
}

/* ---- the clusters ------------------------------------------------------------------------------------------------ */

static void begin_tune(void)
{
    static const char of_replay[] = "{\"kind\":\"Replay\",\"policies\":[{\"dollars\":1,\"series\":{\"time\":[0,3600],"
                                    "\"dollars\":[0,1],\"pods\":[1,1]}}]}";
    const karp_reader_options keeping = { .size = sizeof keeping, .keep_documents = 1 };
    karp_snapshot *made = NULL;
    size_t design;
    assert_int_equal(karp_reader_new(context, &keeping, &dumped, NULL), KARP_OK);
    assert_int_equal(karp_reader_add(dumped, (karp_str)T("pods"), (karp_str){ of_pods, sizeof of_pods - 1 }, NULL),
                     KARP_OK);
    assert_int_equal(karp_reader_finish(dumped, &made, NULL), KARP_OK);
    assert_int_equal(karp_tune_new(context, dumped, NULL, &tune, NULL), KARP_OK);
    assert_int_equal(karp_tune_next(tune, &design), KARP_OK);
    assert_int_equal(karp_tune_set_replay(tune, design, (karp_str){ of_replay, sizeof of_replay - 1 }, NULL), KARP_OK);
    karp_snapshot_unref(made);
}

static int set_up(void **state)
{
    (void)state;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    nodes = read_text(context, of_nodes, sizeof of_nodes - 1);
    pods = read_text(context, of_pods, sizeof of_pods - 1);
    assert_int_equal(karp_disrupt(nodes, NULL, &pass, NULL), KARP_OK);
    assert_int_equal(karp_repack(nodes, NULL, &repacked, NULL), KARP_OK);
    assert_int_equal(karp_provision(pods, NULL, &plan, NULL), KARP_OK);
    assert_int_equal(karp_cost_bound(pods, &at_least_cost, &bound, NULL), KARP_OK);
    memcpy(&certificate, karp_bound_certificate(bound), sizeof certificate);
    assert_int_equal(karp_find_blockers(nodes, NULL, &blockers, NULL), KARP_OK);
    assert_int_equal(karp_admit(pods, NULL, &admission, NULL), KARP_OK);
    assert_int_equal(karp_list_nodes(nodes, NULL, &node_list, NULL), KARP_OK);
    assert_int_equal(karp_settle(pods, NULL, &settlement, NULL), KARP_OK);
    assert_int_equal(give_sizes(NULL, &right_sizes), KARP_OK);
    begin_tune();
    assert_int_equal(karp_lint_snapshot(pods, &lint, NULL), KARP_OK);
    assert_int_equal(karp_verify(pods, &empty_plan, &verification, NULL), KARP_OK);
    assert_int_equal(karp_explain_pod(pods, NULL, (karp_str)T("default/a"), &of_pod, NULL), KARP_OK);
    assert_int_equal(karp_explain_node(nodes, NULL, (karp_str)T("n3"), &of_node, NULL), KARP_OK);
    assert_int_equal(karp_catalogue_new(context, &type, 1, &catalogue, NULL), KARP_OK);
    assert_int_equal(karp_replay(context, &replay_options, NULL, &replayed, NULL), KARP_OK);
    assert_int_equal(karp_provider_registry_new(context, &registry, NULL), KARP_OK);
    assert_int_equal(karp_provider_registry_add(registry, &plugin, NULL), KARP_OK);
    assert_int_equal(karp_provider_registry_open(registry, (karp_str)T("mock"), NULL, &mock, NULL), KARP_OK);
    assert_int_equal(karp_provider_memory_new(context, &memory_of_provider, NULL), KARP_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    karp_provider_memory_free(memory_of_provider);
    karp_provider_close(mock);
    karp_provider_registry_free(registry);
    karp_text_free(&replayed);
    karp_catalogue_unref(catalogue);
    karp_node_explanation_free(of_node);
    karp_pod_explanation_free(of_pod);
    karp_verification_free(verification);
    karp_lint_free(lint);
    karp_admission_free(admission);
    karp_blockers_free(blockers);
    karp_node_list_free(node_list);
    karp_settlement_free(settlement);
    karp_reader_free(right_sizes);
    karp_tune_free(tune);
    karp_reader_free(dumped);
    karp_bound_free(bound);
    karp_decision_unref(plan);
    karp_decision_unref(repacked);
    karp_decision_unref(pass);
    karp_snapshot_unref(pods);
    karp_snapshot_unref(nodes);
    karp_context_unref(context);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(structs_in), cmocka_unit_test(structs_out),
                                        cmocka_unit_test(settings_of_a_provider) };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
