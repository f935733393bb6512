/* SPDX-License-Identifier: Apache-2.0 */
/* Where consolidation ends, changes that are laid over a cluster, and commands that are given as structs. */
#include <support/disrupting.h>

#include <karp/command.h>
#include <karp/lifecycle.h>
#include <karp/passes.h>
#include <karp/what_if.h>

#define ALL ",\"budgets\":[{\"nodes\":\"100%\"}]"
#define REQUIRES(key, values, more)                                                                                    \
    ",\"template\":{\"spec\":{\"nodeClassRef\":{\"group\":\"karpenter.k8s.aws\",\"kind\":\"EC2NodeClass\",\"name\":"   \
    "\"default\"},\"expireAfter\":\"Never\",\"requirements\":[{\"key\":\"" key                                         \
    "\",\"operator\":\"In\",\"values\":[" values "]" more "}]}}"

static karp_str text(const char *t) { return (karp_str){ t, strlen(t) }; }

/* ---- consolidation ----------------------------------------------------------------------------------------------- */

/* A pool of spot nodes alone replaces a node on demand: no requirement is narrowed, and on-demand is never what it
 * falls back to. */
static void test_spot_alone(void **state)
{
    cluster *c = *state;
    cluster_begin(c, 4, "");
    add_pool(c, "pool", REQUIRES("karpenter.sh/capacity-type", "\"spot\"", ""), ALL);
    add_node(c, "a", 4, "on-demand", CONSOLIDATABLE);
    add_pod(c, "p", "a", "1");
    cluster_ready(c);
    decide(c, KARP_METHOD_SINGLE_NODE);
    expect_commands(c, "a");
    assert_string_equal(launch_at(c, 0).choice.capacity_type.ptr, "spot");
    assert_string_equal(launch_at(c, 0).choice.instance_type.ptr, "t01");
}

/* The pod that would be left out is the first in the order of names, not the first that found no place. */
static void test_first_left_out(void **state)
{
    cluster *c = *state;
    char detail[128];
    cluster_begin(c, 2, "");
    add_pool(c, "pool", ",\"limits\":{\"cpu\":\"4\"}", ALL);
    add_node(c, "a", 2, "on-demand", CONSOLIDATABLE);
    add_pod_with(c, "small", "a", "1", "", ",\"nodeSelector\":{\"rack\":\"r\"}");
    add_pod_with(c, "tall", "a", "2", "", ",\"nodeSelector\":{\"rack\":\"r\"}");
    cluster_ready(c);
    decide(c, KARP_METHOD_SINGLE_NODE);
    expect_commands(c, "");
    assert_string_equal(kept(c, "a", detail), "PODS_WOULD_NOT_SCHEDULE");
    assert_string_equal(detail, "default/small");
}

/* Durations protect a node in the profile karp, from its creation on; what is no length does not. */
static void test_protected_for_a_time(void **state)
{
    static const struct {
        const char *value;
        bool stays;
    } rows[] = {
        { "true", true }, { "107h", false }, { "109h", true },     { "0s", false },
        { "-1h", false }, { "long", false }, { "2540000h", true },
    };
    cluster *c = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char annotation[100];
        (void)snprintf(annotation, sizeof annotation, ",\"karpenter.sh/do-not-disrupt\":\"%s\"", rows[i].value);
        cluster_begin(c, 1, "");
        add_pool(c, "pool", "", ALL);
        add_node_with(c, "a", "pool", 1, "on-demand", CONSOLIDATABLE, "", annotation); /* made 108 hours ago */
        cluster_ready(c);
        c->common.profile = KARP_PROFILE_KARP;
        decide(c, KARP_METHOD_EMPTINESS);
        expect_commands(c, rows[i].stays ? "" : "a");
        c->common.profile = KARP_PROFILE_KARPENTER;
        decide(c, KARP_METHOD_EMPTINESS);
        expect_commands(c, i == 0 ? "" : "a");
    }
}

/* ---- lent threads ------------------------------------------------------------------------------------------------ */

static size_t rows_ahead;

static void one_by_one(size_t count, void (*work)(size_t index, void *data), void *data, void *user)
{
    (void)user;
    rows_ahead++;
    for (size_t i = 0; i < count; i++) work(i, data);
}

/* Eight nodes that cannot go, and four of a pool whose budget is used up. What is asked ahead depends on what may be
 * asked at all; the answer does not. */
static void twelve(cluster *c, const char *budget)
{
    cluster_begin(c, 1, "");
    karp_context_unref(c->context);
    karp_context_options lent = { .size = sizeof lent, .parallel_for = one_by_one };
    assert_int_equal(karp_context_new(&lent, &c->context, NULL), KARP_OK);
    rows_ahead = 0;
    add_pool(c, "open", "", ALL);
    add_pool(c, "shut", "", budget);
    for (int i = 0; i < 12; i++) {
        char name[8];
        (void)snprintf(name, sizeof name, "n%02d", i);
        add_node_with(c, name, i < 8 ? "open" : "shut", 1, "spot", CONSOLIDATABLE, "", "");
        add_pod(c, name, name, "1500m");
    }
    cluster_ready(c);
}

static int32_t never(void *user)
{
    (void)user;
    return 0;
}

static void test_ahead(void **state)
{
    cluster *c = *state;
    twelve(c, ",\"budgets\":[{\"nodes\":\"0\"}]");
    decide(c, KARP_METHOD_SINGLE_NODE);
    expect_commands(c, "");
    expect_kept(c, "n00", "SPOT_TO_SPOT_DISABLED");
    expect_kept(c, "n11", "BUDGET");
    assert_true(rows_ahead > 0);
    /* a budget of steps, and somebody to ask, end rows where they would have ended */
    rows_ahead = 0;
    c->common.max_steps = 1000000;
    decide(c, KARP_METHOD_SINGLE_NODE);
    c->common.max_steps = 0;
    c->common.should_stop = never;
    decide(c, KARP_METHOD_SINGLE_NODE);
    assert_int_equal(rows_ahead, 0);
    expect_kept(c, "n00", "SPOT_TO_SPOT_DISABLED");
}

/* Where the turns that come next are all of a pool that is used up, nothing is asked ahead. */
static void test_nothing_ahead(void **state)
{
    cluster *c = *state;
    cluster_begin(c, 1, "");
    karp_context_unref(c->context);
    karp_context_options lent = { .size = sizeof lent, .parallel_for = one_by_one };
    assert_int_equal(karp_context_new(&lent, &c->context, NULL), KARP_OK);
    rows_ahead = 0;
    add_pool(c, "shut", "", ",\"budgets\":[{\"nodes\":\"0\"}]");
    for (int i = 0; i < 6; i++) {
        char name[8];
        (void)snprintf(name, sizeof name, "n%02d", i);
        add_node_with(c, name, "shut", 1, "on-demand", CONSOLIDATABLE, "", "");
        add_pod(c, name, name, "1500m");
    }
    cluster_ready(c);
    decide(c, KARP_METHOD_SINGLE_NODE);
    expect_commands(c, "");
    expect_kept(c, "n05", "BUDGET");
    assert_int_equal(rows_ahead, 0);
}

/* ---- what if ----------------------------------------------------------------------------------------------------- */

static void refused(cluster *c, karp_change change, karp_status expected, const char *message)
{
    karp_decision *d = NULL;
    assert_int_equal(karp_what_if(c->snapshot, &change, 1, NULL, &d, &c->error), expected);
    assert_null(d);
    assert_string_equal(c->error.message, message);
}

static void test_bad_changes(void **state)
{
    cluster *c = *state;
    char name[301], message[256];
    cluster_begin(c, 1, "");
    add_pool(c, "pool", "", ALL);
    add_refuge(c); /* in no zone */
    cluster_ready(c);
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    (void)snprintf(message, sizeof message, "no such node: %.200s", name);
    refused(c, (karp_change){ .kind = KARP_CHANGE_REMOVE_NODE, .name = text(name) }, KARP_E_NOT_FOUND, message);
    refused(c, (karp_change){ .kind = KARP_CHANGE_REMOVE_NODE }, KARP_E_NOT_FOUND, "no such node: ");
    refused(c, (karp_change){ .kind = KARP_CHANGE_LOSE_ZONE, .name = text("z9") }, KARP_E_NOT_FOUND,
            "no such zone: z9; the catalogue has z1, z2");
    refused(c, (karp_change){ .kind = KARP_CHANGE_SCALE_PRICE, .name = text("spott"), .factor = 2 }, KARP_E_NOT_FOUND,
            "no such capacity type: spott; the catalogue has on-demand, spot");
    refused(c, (karp_change){ .kind = KARP_CHANGE_LOSE_ZONE, .name = text("z1"), .reserved = 1 }, KARP_E_ABI_NEW,
            "karp_change.reserved is set: this version of the library does not know what it means");
    karp_change change = { .kind = KARP_CHANGE_LOSE_ZONE, .name = text("z1") };
    karp_options options;
    karp_decision *d = NULL;
    karp_options_init(&options, sizeof options);
    assert_int_equal(karp_what_if(NULL, &change, 1, &options, &d, &c->error), KARP_E_INVALID);
    assert_int_equal(karp_what_if(c->snapshot, &change, 1, &options, NULL, &c->error), KARP_E_INVALID);
    assert_int_equal(karp_what_if(c->snapshot, NULL, 1, &options, &d, &c->error), KARP_E_INVALID);
    options.size = 3;
    assert_int_equal(karp_what_if(c->snapshot, &change, 1, &options, &d, &c->error), KARP_E_ABI_SIZE);
    assert_null(d);
}

static void add_waiting(cluster *c, const char *name, const char *spec)
{
    add(c,
        ",{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\",\"namespace\":\"default\"},\"spec\":{"
        "\"containers\":[{\"name\":\"m\",\"resources\":{\"requests\":"
        "{\"cpu\":\"1\"}}}]%s},\"status\":{\"phase\":\"Pending\",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":"
        "\"False\",\"reason\":\"Unschedulable\"}]}}",
        name, spec);
}

/* A pod is left out for good only if it would be with the zone as well. */
static void test_lost_for_now(void **state)
{
    cluster *c = *state;
    cluster_begin(c, 1, "");
    add_pool(c, "pool", "", ALL);
    add_waiting(c, "in-z1", ",\"nodeSelector\":{\"topology.kubernetes.io/zone\":\"z1\"}");
    add_waiting(c, "nowhere", ",\"nodeSelector\":{\"rack\":\"r\"}");
    add_waiting(c, "fine", "");
    cluster_ready(c);
    karp_change change = { .kind = KARP_CHANGE_LOSE_ZONE, .name = text("z1") };
    karp_decision_unref(c->decision);
    assert_int_equal(karp_what_if(c->snapshot, &change, 1, NULL, &c->decision, &c->error), KARP_OK);
    assert_int_equal(karp_decision_unschedulable_count(c->decision), 2);
    for (size_t i = 0; i < 2; i++) {
        karp_unschedulable u = { .size = sizeof u };
        assert_int_equal(karp_decision_unschedulable(c->decision, i, &u), KARP_OK);
        bool nowhere = strcmp(karp_decision_pod_name(c->decision, u.pod).ptr, "default/nowhere") == 0;
        assert_int_equal(u.permanent, nowhere);
    }
}

/* ---- small structs ----------------------------------------------------------------------------------------------- */

static void test_small_structs(void **state)
{
    (void)state;
    karp_disrupt_options options = { .size = 77, .method = 5 };
    karp_memory memory = { .size = 77, .unseen_count = 5 };
    karp_disrupt_options_init(NULL, sizeof options);
    karp_disrupt_options_init(&options, sizeof options.size - 1);
    assert_int_equal(options.size, 77);
    assert_int_equal(options.method, 5);
    karp_disrupt_options_init(&options, sizeof options);
    assert_int_equal(options.method, 0);
    karp_memory_init(NULL, sizeof memory);
    karp_memory_init(&memory, sizeof memory.size - 1);
    assert_int_equal(memory.size, 77);
    assert_int_equal(memory.unseen_count, 5);
    karp_memory_init(&memory, sizeof memory);
    assert_int_equal(memory.unseen_count, 0);
    assert_string_equal(karp_method_reason(KARP_METHOD_EXPIRATION), "Expired");
    assert_string_equal(karp_method_reason(KARP_METHOD_REPAIR), "Unhealthy");
    assert_string_equal(karp_method_reason(KARP_METHOD_STATIC_DEPROVISIONING + 1), "");
    assert_string_equal(karp_method_reason(KARP_METHOD_ANY), "");
    assert_string_equal(karp_method_name(KARP_METHOD_ANY), "");
}

/* ---- commands given as structs ----------------------------------------------------------------------------------- */

typedef struct carried {
    karp_launch launch;
    karp_command_node node;
    karp_replacement replacements[2];
    karp_str receivers[2];
    karp_command_state state;
} carried;

/* A command with two replacements, as some other program may have made it. */
static void carry(carried *k, uint32_t phase, uint32_t first, uint32_t second)
{
    static const karp_resource requests[] = { { .name = { "cpu", 3 }, .text = { "1", 1 } },
                                              { .name = { "memory", 6 }, .text = { NULL, 0 } } };
    static const karp_taint taints[] = { { { "t", 1 }, { "v", 1 }, { "NoSchedule", 10 } } };
    memset(k, 0, sizeof *k);
    k->launch = (karp_launch){ .size = sizeof k->launch,
                               .id = text("new-1"),
                               .node_pool = text("pool"),
                               .requests = requests,
                               .request_count = 2,
                               .taints = taints,
                               .taint_count = 1,
                               .startup_taints = taints,
                               .startup_taint_count = 1 };
    k->node = (karp_command_node){ text("a"), text("claim-a") };
    k->replacements[0] = (karp_replacement){ .launch = &k->launch,
                                             .claim = first != KARP_REPLACEMENT_WANTED ? text("r-0") : text(""),
                                             .progress = first };
    k->replacements[1] = (karp_replacement){ .launch = &k->launch,
                                             .claim = second != KARP_REPLACEMENT_WANTED ? text("r-1") : text(""),
                                             .progress = second };
    k->receivers[0] = text("refuge");
    k->receivers[1] = text("vanished");
    k->state = (karp_command_state){ .size = sizeof k->state,
                                     .phase = phase,
                                     .method = KARP_METHOD_DRIFT,
                                     .decided = 1,
                                     .validate_at = KARP_NO_TIME,
                                     .started = KARP_NO_TIME,
                                     .nodes = &k->node,
                                     .node_count = 1,
                                     .replacements = k->replacements,
                                     .replacement_count = 2,
                                     .receivers = k->receivers,
                                     .receiver_count = 2 };
}

static void one_node(cluster *c)
{
    cluster_begin(c, 1, "");
    add_pool(c, "pool", "", ALL);
    add_node(c, "a", 1, "on-demand", CONSOLIDATABLE);
    add_refuge(c);
    add(c, ",{\"apiVersion\":\"karpenter.sh/"
           "v1\",\"kind\":\"NodeClaim\",\"metadata\":{\"name\":\"r-1\"},\"spec\":{\"requirements\":[]},\"status\":{"
           "\"providerID\":\"p-r1\"}}");
    cluster_ready(c);
}

static size_t count_of(const karp_step *s, uint32_t kind, const char *object)
{
    size_t count = 0;
    for (size_t i = 0; i < karp_advice_action_count(karp_step_advice(s)); i++) {
        karp_action x = { .size = sizeof x };
        assert_int_equal(karp_advice_action(karp_step_advice(s), i, &x), KARP_OK);
        count += x.kind == kind && strcmp(x.object.ptr, object) == 0;
    }
    return count;
}

/* When all are created the command is in progress: nodes that have vanished are not nominated. One replacement of two
 * is up. */
static void test_two_replacements(void **state)
{
    cluster *c = *state;
    carried k;
    karp_step *s = NULL;
    karp_command_state after = { .size = sizeof after };
    one_node(c);
    carry(&k, KARP_COMMAND_PHASE_LAUNCHING, KARP_REPLACEMENT_CREATED, KARP_REPLACEMENT_CREATED);
    assert_int_equal(karp_command_step(c->snapshot, &k.state, &c->options, NULL, 0, &s, &c->error), KARP_OK);
    assert_int_equal(karp_step_state(s, &after), KARP_OK);
    assert_int_equal(after.phase, KARP_COMMAND_PHASE_WAITING);
    assert_int_equal(count_of(s, KARP_ACTION_NOMINATE_NODE, "refuge"), 1);
    assert_int_equal(count_of(s, KARP_ACTION_NOMINATE_NODE, "vanished"), 0);
    assert_int_equal(after.replacements[0].progress, KARP_REPLACEMENT_CREATED); /* not to be seen yet */
    assert_int_equal(after.replacements[1].progress, KARP_REPLACEMENT_SEEN);
    /* what was handed in has been copied */
    assert_int_equal(after.replacements[0].launch->request_count, 2);
    assert_string_equal(after.replacements[0].launch->requests[0].text.ptr, "1");
    assert_null(after.replacements[0].launch->requests[1].text.ptr);
    assert_string_equal(after.replacements[0].launch->taints[0].effect.ptr, "NoSchedule");
    assert_string_equal(after.replacements[0].launch->startup_taints[0].key.ptr, "t");
    assert_true(after.replacements[0].launch != &k.launch);
    karp_step_free(s);
    carry(&k, KARP_COMMAND_PHASE_WAITING, KARP_REPLACEMENT_CREATED, KARP_REPLACEMENT_INITIALIZED);
    k.state.started = c->common.now = INT64_C(1767614400000000000);
    assert_int_equal(karp_command_step(c->snapshot, &k.state, &c->options, NULL, 0, &s, &c->error), KARP_OK);
    assert_int_equal(karp_step_state(s, &after), KARP_OK);
    assert_int_equal(after.phase, KARP_COMMAND_PHASE_WAITING);
    assert_int_equal(after.replacements[1].progress,
                     KARP_REPLACEMENT_INITIALIZED); /* although there is no such claim any more */
    karp_step_free(s);
    carry(&k, KARP_COMMAND_PHASE_WAITING, KARP_REPLACEMENT_INITIALIZED, KARP_REPLACEMENT_INITIALIZED);
    k.state.started = c->common.now;
    assert_int_equal(karp_command_step(c->snapshot, &k.state, &c->options, NULL, 0, &s, &c->error), KARP_OK);
    assert_int_equal(karp_step_state(s, &after), KARP_OK);
    assert_int_equal(after.phase, KARP_COMMAND_PHASE_DELETING);
    assert_int_equal(count_of(s, KARP_ACTION_DELETE_CLAIM, "claim-a"), 1);
    karp_step_free(s);
}

static void test_bad_commands(void **state)
{
    cluster *c = *state;
    carried k;
    karp_step *s = NULL;
    const karp_observation beyond = { KARP_OBSERVED_CREATED, 2, text("r-2") };
    one_node(c);
    carry(&k, KARP_COMMAND_PHASE_LAUNCHING, KARP_REPLACEMENT_WANTED, KARP_REPLACEMENT_WANTED);
    assert_int_equal(karp_command_step(c->snapshot, &k.state, &c->options, NULL, 0, NULL, &c->error), KARP_E_INVALID);
    assert_int_equal(karp_command_step(c->snapshot, &k.state, &c->options, &beyond, 1, &s, &c->error), KARP_E_INVALID);
    assert_string_equal(c->error.message, "observation 0: no such replacement is being created");
    c->options.size = 1;
    assert_int_equal(karp_command_step(c->snapshot, &k.state, &c->options, NULL, 0, &s, &c->error), KARP_E_ABI_SIZE);
    karp_disrupt_options_init(&c->options, sizeof c->options);
    k.state.replacements = NULL;
    assert_int_equal(karp_command_step(c->snapshot, &k.state, &c->options, NULL, 0, &s, &c->error), KARP_E_INVALID);
    k.state.replacement_count = 0;
    assert_int_equal(karp_command_step(c->snapshot, &k.state, &c->options, NULL, 0, &s, &c->error), KARP_OK);
    karp_step_free(s);
    s = NULL;
    k.state.receivers = NULL;
    assert_int_equal(karp_command_step(c->snapshot, &k.state, &c->options, NULL, 0, &s, &c->error), KARP_E_INVALID);
    assert_null(s);
    k.state.receiver_count = 0;
    k.state.nodes = NULL;
    assert_int_equal(karp_command_step(c->snapshot, &k.state, &c->options, NULL, 0, &s, &c->error), KARP_E_INVALID);
    k.state.node_count = 0;
    assert_int_equal(karp_command_step(c->snapshot, &k.state, &c->options, NULL, 0, &s, &c->error), KARP_OK);
    karp_step_free(s);
}

/* ---- looked at again --------------------------------------------------------------------------------------------- */

struct patience {
    unsigned asked, most;
};

static int32_t impatient(void *user)
{
    struct patience *p = user;
    return ++p->asked > p->most;
}

static void later_cluster(cluster *c, bool refuge, bool ready)
{
    cluster_begin(c, 1, "");
    add_pool(c, "pool", ready ? "" : ",\"replicas\":0", ALL);
    if (!ready) add_pool(c, "other", "", ALL);
    add_node(c, "a", 1, "on-demand", CONSOLIDATABLE);
    add_pod_with(c, "p", "a", "1", "", refuge ? "" : ",\"nodeSelector\":{\"rack\":\"r\"}");
    add_refuge(c);
    cluster_ready(c);
}

static void test_looked_at_again(void **state)
{
    cluster *c = *state;
    static cluster then;
    karp_validation v = { .size = sizeof v };
    later_cluster(c, true, true);
    decide(c, KARP_METHOD_SINGLE_NODE);
    expect_commands(c, "a");
    later_cluster(&then, true, true);
    assert_int_equal(karp_disrupt_validate(NULL, &c->options, c->decision, 0, NULL, &v, &c->error), KARP_E_INVALID);
    assert_int_equal(karp_disrupt_validate(then.snapshot, &c->options, NULL, 0, NULL, &v, &c->error), KARP_E_INVALID);
    assert_int_equal(karp_disrupt_validate(then.snapshot, &c->options, c->decision, 0, NULL, NULL, &c->error),
                     KARP_E_INVALID);
    assert_int_equal(karp_disrupt_validate(then.snapshot, &c->options, c->decision, 0, NULL, &v, &c->error), KARP_OK);
    assert_int_equal(v.code, KARP_REASON_NONE);
    /* stopped before it is simulated, and before it is weighed, which is the second time that anybody is asked */
    struct patience p = { 0, 0 };
    c->common.should_stop = impatient;
    c->common.stop_user = &p;
    c->common.profile = KARP_PROFILE_KARP;
    assert_int_equal(karp_disrupt_validate(then.snapshot, &c->options, c->decision, 0, NULL, &v, &c->error),
                     KARP_E_CANCELED);
    p = (struct patience){ 0, 1 };
    assert_int_equal(karp_disrupt_validate(then.snapshot, &c->options, c->decision, 0, NULL, &v, &c->error),
                     KARP_E_CANCELED);
    p = (struct patience){ 0, UINT32_MAX };
    assert_int_equal(karp_disrupt_validate(then.snapshot, &c->options, c->decision, 0, NULL, &v, &c->error), KARP_OK);
    assert_int_equal(v.code, KARP_REASON_NONE);
    c->common.should_stop = NULL;
    c->common.profile = KARP_PROFILE_KARPENTER;
    /* its pod has a place no more */
    later_cluster(&then, false, true);
    assert_int_equal(karp_disrupt_validate(then.snapshot, &c->options, c->decision, 0, NULL, &v, &c->error), KARP_OK);
    assert_int_equal(v.code, KARP_REASON_SCHEDULING);
    void *other = &then;
    assert_int_equal(cluster_tear_down(&other), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, cluster_set_up, cluster_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_spot_alone),           TEST(test_first_left_out),
        TEST(test_protected_for_a_time), TEST(test_ahead),
        TEST(test_nothing_ahead),        TEST(test_bad_changes),
        TEST(test_lost_for_now),         cmocka_unit_test(test_small_structs),
        TEST(test_two_replacements),     TEST(test_bad_commands),
        TEST(test_looked_at_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
