/* SPDX-License-Identifier: Apache-2.0 */
/* The writers, against the decision of written_decision.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include "written_decision.h"
#include <support/fault.h>
#include <support/plain.h>

/* ---- helpers ----------------------------------------------------------------------------------------------------- */

static karp_write_options options_for(uint32_t format)
{
    karp_write_options options;
    karp_write_options_init(&options, sizeof(options));
    options.format = format;
    return options;
}

static void expect_text(karp_text *text, const char *expected)
{
    assert_int_equal(text->len, strlen(text->ptr));
    assert_string_equal(text->ptr, expected);
    karp_text_free(text);
    assert_null(text->ptr);
}

/* Every line of `wanted` stands in the text, in this order. */
static void expect_lines(karp_text *text, const char *const *wanted, size_t count)
{
    const char *at = text->ptr;
    for (size_t i = 0; i < count; i++) {
        const char *found = strstr(at, wanted[i]);
        if (found == NULL) fail_msg("missing or out of order: %s\nin:\n%s", wanted[i], text->ptr);
        at = found + strlen(wanted[i]);
    }
    karp_text_free(text);
}

#define EXPECT_LINES(text, ...)                                                                                        \
    do {                                                                                                               \
        static const char *const wanted_[] = { __VA_ARGS__ };                                                          \
        expect_lines((text), wanted_, sizeof(wanted_) / sizeof(wanted_[0]));                                           \
    } while (0)

static karp_text plan(const karp_decision *decision, const karp_decision *disruption, karp_write_options options)
{
    karp_text text = { 0 };
    assert_int_equal(karp_write_plan(context, decision, disruption, &options, &text, NULL), KARP_OK);
    return text;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void empty_plan(void **state)
{
    (void)state;
    karp_write_options options = options_for(KARP_FORMAT_JSON);
    options.compact = 1;
    karp_text text = plan(&empty, NULL, options);
    char expected[512];
    snprintf(expected, sizeof(expected),
             "{\"apiVersion\":\"karp/v1\",\"kind\":\"Plan\",\"engine\":{\"name\":\"libkarp\",\"version\":\"%s\","
             "\"abi\":%d},\"input\":{\"now\":\"2023-11-16T22:32:00.413Z\"},\"profile\":\"karpenter\",\"peerVersion\":"
             "\"1.14\","
             "\"complete\":true,\"launches\":[],\"placements\":[],\"unschedulable\":[],\"ignored\":[],"
             "\"cost\":{\"before\":\"0\",\"after\":\"0\",\"delta\":\"0\"},\"warnings\":[]}\n",
             karp_version(), KARP_VERSION_MAJOR);
    expect_text(&text, expected);
}

static void compact_plan(void **state)
{
    (void)state;
    karp_write_options options = options_for(KARP_FORMAT_JSON);
    karp_str own = S("a note");
    options.compact = 1;
    options.digest = (karp_str)S("4f1c");
    options.warnings = &own;
    options.warning_count = 1;
    karp_text text = plan(&full, &full, options);
    EXPECT_LINES(
        &text, "\"sha256\":\"4f1c\"", "\"complete\":false",
        "{\"id\":\"new-1\",\"nodePool\":\"default\",\"pods\":[\"batch/etl-0\",\"batch/etl-1\"],"
        "\"requests\":{\"cpu\":\"2125m\",\"memory\":\"2Gi\",\"pods\":\"6\"},\"requirements\":["
        "{\"key\":\"example.com/gen\",\"operator\":\"Exists\",\"minValues\":2},"
        "{\"key\":\"example.com/gen\",\"operator\":\"Gte\",\"values\":[\"3\"]},"
        "{\"key\":\"topology.kubernetes.io/zone\",\"operator\":\"In\",\"values\":[\"us-west-2a\",\"us-west-2b\"]}],"
        "\"labels\":{\"karpenter.sh/nodepool\":\"default\",\"team\":\"yes\"},",
        "\"annotations\":{\"note\":\"a \\\"b\\\"\\n\\u0001\xef\xbf\xbd\xc3\xa9\"},"
        "\"taints\":[{\"key\":\"dedicated\",\"value\":\"gpu\",\"effect\":\"NoSchedule\"},"
        "{\"key\":\"bare\",\"effect\":\"NoExecute\"}],\"startupTaints\":[],\"instanceTypes\":[\"m6g.xlarge\",",
        "\"choice\":{\"instanceType\":\"m6g.xlarge\",\"zone\":\"us-west-2b\",\"capacityType\":\"spot\","
        "\"price\":\"0.1544\",\"allocatable\":{\"cpu\":\"3920m\",\"memory\":\"8Gi\",\"pods\":\"58\"},"
        "\"nodeLabels\":{\"beta.kubernetes.io/arch\":\"arm64\",\"beta.kubernetes.io/instance-type\":\"m6g.xlarge\","
        "\"failure-domain.beta.kubernetes.io/zone\":\"us-west-2b\",\"karpenter.sh/capacity-type\":\"spot\","
        "\"karpenter.sh/nodepool\":\"default\",\"kubernetes.io/arch\":\"arm64\",",
        "{\"id\":\"new-3\",\"nodePool\":\"2024-01\",\"pods\":[],\"requests\":{},\"requirements\":[],\"labels\":{},"
        "\"annotations\":{},\"taints\":[],\"startupTaints\":[],\"instanceTypes\":[]}],",
        "\"placements\":[{\"node\":\"ip-10-0-2-40\",\"pods\":[\"default/api-6ffb6f8dcd-2kn9r\",",
        "{\"pod\":\"ml/train-0\",\"code\":\"SEVERAL\",\"permanent\":true,\"message\":\"two pools refuse\",\"pools\":["
        "{\"nodePool\":\"gpu\",\"code\":\"TAINTS\",\"detail\":\"taint nvidia.com/gpu=true:NoSchedule is not "
        "tolerated\","
        "\"types\":{\"start\":742,\"requirements\":11,\"resources\":4,\"offerings\":4}},",
        "\"targets\":[{\"node\":\"ip-10-0-2-40\",\"code\":\"RESOURCES\"},{\"launch\":\"new-1\",",
        "\"relax\":[\"preferred node affinity, weight 1\"]",
        "\"ignored\":[{\"pod\":\"kube-system/dns\",\"code\":\"NOT_FOR_KARPENTER\",",
        "\"groups\":[{\"group\":\"batch/etl\",\"source\":\"PodGroup\",\"starts\":true,\"policy\":\"gang\",",
        "{\"group\":\"batch/fit\",\"source\":\"Volcano\",\"starts\":false,\"code\":\"GROUP_INCOMPLETE\",",
        "\"placed\":0,\"topologyKey\":\"rack\",\"domain\":\"r1\"}]",
        "\"disruptions\":[{\"method\":\"MultiNodeConsolidation\",\"reason\":\"Underutilized\",\"decision\":\"replace\","
        "\"nodes\":[\"ip-10-0-2-17\",\"ip-10-0-2-18\"],\"replacements\":[{\"id\":\"new-2\",",
        "\"savings\":\"0.23\",\"score\":0.5,\"validateAfter\":\"15s\"},{\"method\":\"Emptiness\",\"reason\":\"Empty\","
        "\"decision\":\"delete\",\"nodes\":[\"ip-10-0-2-17\"],\"replacements\":[],\"placements\":[],"
        "\"savings\":\"0.1\"}],",
        "\"kept\":[{\"node\":\"ip-10-0-2-40\",\"code\":\"PDB_BLOCKED\",\"detail\":\"db/db-0 (pdb db/db)\"}],",
        "\"warnings\":[\"a note\",\"NodePool gpu: no instance type meets its requirements\"]}\n");
}

static void laid_out_plan(void **state)
{
    (void)state;
    karp_text text = plan(&full, NULL, options_for(KARP_FORMAT_JSON));
    EXPECT_LINES(&text, "{\n  \"apiVersion\": \"karp/v1\",\n", "  \"launches\": [\n    {\n      \"id\": \"new-1\",\n",
                 "      \"pods\": [\"batch/etl-0\", \"batch/etl-1\"],\n",
                 "        {\"key\": \"topology.kubernetes.io/zone\", \"operator\": \"In\", "
                 "\"values\": [\"us-west-2a\", \"us-west-2b\"]}\n      ],\n",
                 "      \"labels\": {},\n", "  \"warnings\": [\n", "  ]\n}\n");
}

static void disruption_json(void **state)
{
    (void)state;
    karp_write_options options = options_for(KARP_FORMAT_JSON);
    karp_text text = { 0 };
    options.compact = 1;
    assert_int_equal(karp_write_disruption(context, &full, &options, &text, NULL), KARP_OK);
    EXPECT_LINES(
        &text, "\"kind\":\"DisruptionPlan\"",
        "\"method\":\"MultiNodeConsolidation\",\"reason\":\"Underutilized\",\"simulations\":7,\"requeueAfter\":\"0s\","
        "\"budgets\":{\"default\":2},\"candidates\":[{\"node\":\"ip-10-0-2-17\",\"nodePool\":\"default\","
        "\"price\":\"0.384\",\"disruptionCost\":8.990625,\"rescheduleDisruptionCost\":8,\"pods\":[",
        "\"commands\":[{\"method\":\"MultiNodeConsolidation\"", "\"kept\":[{");
    assert_int_equal(karp_write_disruption(context, &empty, &options, &text, NULL), KARP_OK);
    EXPECT_LINES(&text, "\"error\":{\"code\":\"NODEPOOLS_NOT_FOUND\",\"message\":\"no usable pool\"},\"budgets\":{},"
                        "\"candidates\":[],\"commands\":[],\"kept\":[]");
}

/* ---- YAML and records -------------------------------------------------------------------------------------------- */

static void claims_as_yaml(void **state)
{
    (void)state;
    karp_text text = plan(&full, NULL, options_for(KARP_FORMAT_YAML));
    expect_text(&text, "apiVersion: karpenter.sh/v1\n"
                       "kind: NodeClaim\n"
                       "metadata:\n"
                       "  annotations:\n"
                       "    note: \"a \\\"b\\\"\\n\\u0001\xef\xbf\xbd\xc3\xa9\"\n"
                       "  labels:\n"
                       "    karpenter.sh/nodepool: default\n"
                       "    team: \"yes\"\n"
                       "  name: default-1\n"
                       "spec:\n"
                       "  expireAfter: 720h0m0s\n"
                       "  nodeClassRef:\n"
                       "    group: karpenter.k8s.aws\n"
                       "    kind: EC2NodeClass\n"
                       "    name: default\n"
                       "  requirements:\n"
                       "  - key: example.com/gen\n"
                       "    operator: Gte\n"
                       "    values:\n"
                       "    - \"3\"\n"
                       "  - key: node.kubernetes.io/instance-type\n"
                       "    minValues: 2\n"
                       "    operator: In\n"
                       "    values:\n"
                       "    - m6g.xlarge\n"
                       "    - c5.xlarge\n"
                       "    - m5.xlarge\n"
                       "    - r5.xlarge\n"
                       "    - m5a.xlarge\n"
                       "  resources:\n"
                       "    requests:\n"
                       "      cpu: 2125m\n"
                       "      memory: 2Gi\n"
                       "      pods: \"6\"\n"
                       "  taints:\n"
                       "  - effect: NoSchedule\n"
                       "    key: dedicated\n"
                       "    value: gpu\n"
                       "  - effect: NoExecute\n"
                       "    key: bare\n"
                       "---\n"
                       "apiVersion: karpenter.sh/v1\n"
                       "kind: NodeClaim\n"
                       "metadata:\n"
                       "  name: default-2\n"
                       "spec:\n"
                       "  expireAfter: Never\n"
                       "  nodeClassRef:\n"
                       "    group: karpenter.k8s.aws\n"
                       "    kind: EC2NodeClass\n"
                       "    name: default\n"
                       "  requirements: []\n"
                       "  resources:\n"
                       "    requests:\n"
                       "      cpu: 2125m\n"
                       "      memory: 2Gi\n"
                       "      pods: \"6\"\n"
                       "  startupTaints:\n"
                       "  - effect: NoSchedule\n"
                       "    key: dedicated\n"
                       "    value: gpu\n"
                       "  terminationGracePeriod: 1m30s\n"
                       "---\n"
                       "apiVersion: karpenter.sh/v1\n"
                       "kind: NodeClaim\n"
                       "metadata:\n"
                       "  name: \"2024-01-1\"\n"
                       "spec:\n"
                       "  nodeClassRef:\n"
                       "    group: karpenter.k8s.aws\n"
                       "    kind: EC2NodeClass\n"
                       "    name: default\n"
                       "  requirements: []\n"
                       "  resources:\n"
                       "    requests: {}\n");
}

static void launches_as_records(void **state)
{
    (void)state;
    karp_text first = plan(&full, NULL, options_for(KARP_FORMAT_JSON_LOG));
    karp_text second = plan(&full, NULL, options_for(KARP_FORMAT_JSON_LOG));
    assert_string_equal(first.ptr, second.ptr);
    karp_text_free(&second);
    const char *id = strstr(first.ptr, "aws:///us-west-2b/i-");
    assert_non_null(id);
    assert_int_equal(strspn(id + 20, "0123456789abcdef"), 17);
    const char *other = strstr(first.ptr, "aws:///us-west-2a/i-");
    assert_non_null(other);
    assert_memory_not_equal(id + 20, other + 20, 17);
    assert_null(strstr(first.ptr, "2024-01")); /* a static launch has no offering yet */
    EXPECT_LINES(&first,
                 "{\"level\":\"INFO\",\"time\":\"2023-11-16T22:32:00.413Z\","
                 "\"logger\":\"controller.nodeclaim.lifecycle\",\"message\":\"launched nodeclaim\","
                 "\"nodeclaim\":\"default-1\",\"nodepool\":\"default\",\"provider-id\":\"aws:///us-west-2b/i-0",
                 "\",\"instance-type\":\"m6g.xlarge\",\"zone\":\"us-west-2b\",\"capacity-type\":\"spot\","
                 "\"allocatable\":{\"cpu\":\"3920m\",\"memory\":\"8Gi\",\"pods\":\"58\"}}\n",
                 "\"nodeclaim\":\"default-2\"");
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static size_t columns(const char *line, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++) count += ((unsigned char)line[i] & 0xc0) != 0x80;
    return count;
}

static void text_fits(void **state)
{
    (void)state;
    static const uint32_t widths[] = { 72, 100, 140 };
    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
        karp_write_options options = options_for(KARP_FORMAT_TEXT);
        options.width = widths[i];
        karp_text text = plan(&full, NULL, options);
        const char *line = text.ptr;
        /* the two summary lines are one sentence each and stay whole */
        while (*line != '\0' && strncmp(line, "Plan:", 5) != 0) {
            size_t length = strcspn(line, "\n");
            if (columns(line, length) > widths[i] + (widths[i] < 100 ? 24 : 0))
                fail_msg("%zu: %.*s", columns(line, length), (int)length, line);
            line += length + 1;
        }
        karp_text_free(&text);
    }
}

/* The options and decisions of these tests have no preferences and no unknown prices. */
size_t karp_decision_unpriced_count(const karp_decision *decision) { return decision == NULL; }
size_t karp_decision_preference_count(const karp_decision *decision) { return decision == NULL; }
karp_status karp_decision_preference(const karp_decision *decision, size_t index, karp_preference *out)
{
    (void)decision, (void)index, (void)out;
    return KARP_E_NOT_FOUND;
}
const char *karp_preference_name(uint32_t kind) { return kind > 0 ? "" : NULL; }
size_t karp_preferences_count(const karp_preferences *preferences) { return preferences != NULL; }
karp_status karp_preferences_at(const karp_preferences *preferences, size_t index, karp_preference *out)
{
    (void)preferences, (void)index, (void)out;
    return KARP_E_NOT_FOUND;
}
double karp_preferences_cost(const karp_preferences *preferences) { return preferences != NULL; }
double karp_preferences_cost_ignored(const karp_preferences *preferences) { return preferences != NULL; }

static void plan_as_text(void **state)
{
    (void)state;
    karp_write_options options = options_for(KARP_FORMAT_TEXT);
    options.title = (karp_str)S("cluster.json");
    options.catalogue = (karp_str)S("aws/us-west-2");
    options.digest = (karp_str)S("4f1c00000000009e");
    karp_text text = plan(&full, &full, options);
    assert_null(strstr(text.ptr, "\033"));
    EXPECT_LINES(&text,
                 "karp plan  cluster.json  \xc2\xb7  profile karpenter-1.14  \xc2\xb7  catalogue aws/us-west-2\n  now "
                 "2023-11-16T22:32:00.413Z  \xc2\xb7  "
                 "input sha256:4f1c\xe2\x80\xa6"
                 "9e",
                 "incomplete", "\nLaunch\n  +   new-1         m6g.xlarge us-west-2b spot      ", "cpu ", " 54%  mem ",
                 " 25%  $0.1544/h\n", "      2 pods  batch/etl-{0,1}\n",
                 "      why        pool default; cpu 2125m, memory 2Gi, DaemonSets included; fits no existing node\n",
                 "                 also c5.xlarge, m5.xlarge and 2 more types\n", "  +   new-2 ",
                 "      4 pods  other/web-{0..2,10}\n", "  +   new-3         any type\n",
                 "      why        pool 2024-01",
                 "\nDisrupt\n  -/+ ip-10-0-2-17  m5.2xlarge us-west-2b on-demand   $0.384/h\n  -/+ ip-10-0-2-18\n",
                 "      replace, Underutilized (MultiNodeConsolidation)  saves $0.230/h  score 0.500 >= 0.5\n"
                 "      7 pods move  budget of default 2  to be validated after 15s\n",
                 "      -> c5.xlarge us-west-2a on-demand  $0.082/h\n", "      -> ip-10-0-2-40\n",
                 "  -   ip-10-0-2-17  m5.2xlarge us-west-2b on-demand   $0.384/h\n      delete, Empty (Emptiness)  "
                 "saves $0.100/h\n",
                 "\nExisting nodes that receive pods\n  ~   ip-10-0-2-40  m5.xlarge  us-west-2b", " 93%  mem ",
                 " 73%\n", "      receives 3 pods  default/api-6ffb6f8dcd-{2kn9r,cck7v} kube-system/dns\n",
                 "\nNot disrupted in this pass\n      ip-10-0-2-40  a PodDisruptionBudget allows no disruption: "
                 "db/db-0 (pdb db/db) "
                 " PDB_BLOCKED\n",
                 "\nUnschedulable (3)\n  !   ml/train-{0,1}  the pools refuse the pod for different reasons  SEVERAL, "
                 "permanent\n",
                 "      pool gpu      taint nvidia.com/gpu=true:NoSchedule is not tolerated",
                 "      pool default  no type has nvidia.com/gpu (742 types -> 38 by requirements -> 0 by resources)\n",
                 "  !   ml/train-9  there is no NodePool that is ready and not static  NO_NODEPOOLS\n",
                 "      there is no NodePool\n", "      node ip-10-0-2-40  ", "      launch new-1  ",
                 "      preferences dropped without success: preferred node affinity, weight 1\n",
                 "\nNot considered\n      kube-system/dns  not for Karpenter\n",
                 "\nNotes\n  *   NodePool gpu: no instance type meets its requirements\n",
                 "\nPlan: 3 to launch, 1 to delete, 2 to replace, 1 node receives pods. 9 of 12 pods placed,"
                 "\n      3 unschedulable, 1 not considered.\n",
                 "Cost: $0.384/h -> $0.2904/h  (-$0.0936/h, -$68.33/month (730 h), -24.4%)");
}

static void nothing_to_do(void **state)
{
    (void)state;
    karp_text text = plan(&empty, NULL, options_for(KARP_FORMAT_TEXT));
    expect_text(&text, "karp plan  \xc2\xb7  profile karpenter-1.14  \xc2\xb7  now 2023-11-16T22:32:00.413Z\n\n"
                       "Plan: 0 to launch, 0 nodes receive pods. No pod to place.\n"
                       "Cost: $0.000/h -> $0.000/h\n");
}

static void colours_only_when_asked(void **state)
{
    (void)state;
    karp_write_options options = options_for(KARP_FORMAT_TEXT);
    options.color = 1;
    karp_text text = plan(&full, NULL, options);
    EXPECT_LINES(&text, "\033[1mkarp plan\033[0m", "\033[32m+   new-1", "\033[0m", "\033[1;31m!   \033[0m");
}

static void disruption_as_text(void **state)
{
    (void)state;
    karp_write_options options = options_for(KARP_FORMAT_TEXT);
    karp_text text = { 0 };
    assert_int_equal(karp_write_disruption(context, &full, &options, &text, NULL), KARP_OK);
    EXPECT_LINES(
        &text, "karp disrupt", "\nBudgets for Underutilized\n      default  2 disruptions allowed at a time\n",
        "\nCandidates\n      ip-10-0-2-17  pool default  $0.384/h  disruption cost 8.9906  3 pods\n", "\nDisrupt\n",
        "\nNot disrupted in this pass\n",
        "Plan: 1 to delete, 2 to replace by MultiNodeConsolidation; 1 candidate, 1 node stays in this pass.\n");
    assert_int_equal(karp_write_disruption(context, &empty, &options, &text, NULL), KARP_OK);
    EXPECT_LINES(&text, "MultiNodeConsolidation could not be evaluated: no usable pool");
}

static void explanations(void **state)
{
    (void)state;
    karp_write_options options = options_for(KARP_FORMAT_TEXT);
    karp_text text = { 0 };
    karp_error error;
    karp_error_init(&error, sizeof(error));
    assert_int_equal(karp_write_pod(context, &full, (karp_str)S("ml/train-1"), &options, &text, NULL), KARP_OK);
    EXPECT_LINES(&text, "ml/train-1 cannot be placed (permanent", "SEVERAL\n", "      pool gpu ");
    assert_int_equal(karp_write_pod(context, &full, (karp_str)S("other/web-10"), &options, &text, NULL), KARP_OK);
    EXPECT_LINES(&text, "other/web-10 goes to a new node.\n  +   new-2 ");
    assert_int_equal(karp_write_pod(context, &full, (karp_str)S("kube-system/dns"), &options, &text, NULL), KARP_OK);
    EXPECT_LINES(&text, "kube-system/dns goes to the node ip-10-0-2-40.\n");
    assert_int_equal(karp_write_pod(context, &full, (karp_str)S("a/b"), &options, &text, &error), KARP_E_NOT_FOUND);
    assert_null(text.ptr);
    assert_int_equal(error.status, KARP_E_NOT_FOUND);
    assert_int_equal(karp_write_node(context, &full, (karp_str)S("ip-10-0-2-17"), &options, &text, NULL), KARP_OK);
    EXPECT_LINES(&text, "ip-10-0-2-17 is replaced.\n  -/+ ip-10-0-2-17  m5.2xlarge us-west-2b on-demand   $0.384/h\n");
    assert_int_equal(karp_write_node(context, &full, (karp_str)S("ip-10-0-2-40"), &options, &text, NULL), KARP_OK);
    EXPECT_LINES(
        &text,
        "ip-10-0-2-40 stays.\n      a PodDisruptionBudget allows no disruption: db/db-0 (pdb db/db)  PDB_BLOCKED\n");
    options.format = KARP_FORMAT_JSON;
    options.compact = 1;
    assert_int_equal(karp_write_pod(context, &full, (karp_str)S("ml/train-9"), &options, &text, NULL), KARP_OK);
    EXPECT_LINES(&text, "\"kind\":\"PodExplanation\"",
                 "\"pod\":\"ml/train-9\",\"outcome\":\"unschedulable\",\"unschedulable\":{\"pod\":\"ml/train-9\",");
    assert_int_equal(karp_write_node(context, &full, (karp_str)S("ip-10-0-2-40"), &options, &text, NULL), KARP_OK);
    EXPECT_LINES(
        &text, "\"kind\":\"NodeExplanation\"",
        "\"node\":\"ip-10-0-2-40\",\"outcome\":\"kept\",\"candidate\":false,\"kept\":[{\"code\":\"PDB_BLOCKED\",");
    assert_int_equal(karp_write_node(context, &full, (karp_str)S("x"), &options, &text, NULL), KARP_E_NOT_FOUND);
}

/* ---- catalogues -------------------------------------------------------------------------------------------------- */

static karp_catalogue *read_catalogue(const char *text)
{
    karp_catalogue *catalogue = NULL;
    karp_error error;
    karp_error_init(&error, sizeof(error));
    if (karp_catalogue_read(context, (karp_str)S("c"), (karp_str){ text, strlen(text) }, &catalogue, &error) !=
        KARP_OK) {
        fail_msg("%s %s: %s", error.object, error.field, error.message);
    }
    return catalogue;
}

static const char catalogue_text[] =
    "[{\"name\":\"b.large\",\"labels\":{\"kubernetes.io/arch\":[\"amd64\"],\"x\":[\"1\",\"2\"]},"
    "\"capacity\":{\"cpu\":\"2\",\"memory\":\"8Gi\",\"pods\":\"29\",\"nvidia.com/gpu\":\"1\"},"
    "\"overhead\":{\"kubeReserved\":{\"cpu\":\"70m\"},\"systemReserved\":{},\"evictionThreshold\":{\"memory\":"
    "\"100Mi\"}},"
    "\"offerings\":[{\"zone\":\"z1\",\"capacityType\":\"on-demand\",\"price\":0.1,\"available\":true},"
    "{\"zone\":\"z2\",\"capacityType\":\"spot\",\"price\":\"0.0301\",\"available\":true},"
    "{\"zone\":\"z3\",\"capacityType\":\"on-demand\",\"price\":0.05,\"available\":false}]},"
    "{\"name\":\"a.large\",\"requirements\":[{\"key\":\"kubernetes.io/"
    "arch\",\"operator\":\"In\",\"values\":[\"arm64\"]},"
    "{\"key\":\"y\",\"operator\":\"NotIn\",\"values\":[\"q\"]}],\"capacity\":{\"cpu\":\"1\",\"memory\":\"1Gi\","
    "\"pods\":\"4\"},"
    "\"overhead\":{},\"offerings\":[]}]";

static void catalogue_formats(void **state)
{
    (void)state;
    karp_catalogue *catalogue = read_catalogue(catalogue_text);
    karp_write_options options = options_for(KARP_FORMAT_CSV);
    karp_text text = { 0 };
    assert_int_equal(karp_write_catalogue(context, catalogue, &options, &text, NULL), KARP_OK);
    expect_text(&text, "instance_type,arch,zone,capacity_type,price,available,cpu,memory,ephemeral_storage,pods\n"
                       "b.large,amd64,z1,on-demand,0.1,true,1930m,8092Mi,0,29\n"
                       "b.large,amd64,z2,spot,0.0301,true,1930m,8092Mi,0,29\n"
                       "b.large,amd64,z3,on-demand,0.05,false,1930m,8092Mi,0,29\n");
    options.format = KARP_FORMAT_TEXT;
    assert_int_equal(karp_write_catalogue(context, catalogue, &options, &text, NULL), KARP_OK);
    EXPECT_LINES(&text, "TYPE     ARCH     CPU  MEMORY  PODS  ZONES  OTHER             ON-DEMAND  SPOT\n",
                 "a.large  arm64      1     1Gi     4      0                    -          -\n",
                 "b.large  amd64  1930m  8092Mi    29      2  1 nvidia.com/gpu  $0.100     $0.0301\n", "2 types; ");
    options.format = KARP_FORMAT_YAML;
    assert_int_equal(karp_write_catalogue(context, catalogue, &options, &text, NULL), KARP_E_UNSUPPORTED);
    karp_catalogue_unref(catalogue);
}

/* Written, read and written again: the same bytes, and nothing lost on the way. */
static void catalogue_survives(void **state)
{
    (void)state;
    karp_catalogue *first = read_catalogue(catalogue_text);
    karp_write_options options = options_for(KARP_FORMAT_JSON);
    karp_text once = { 0 };
    karp_text twice = { 0 };
    assert_int_equal(karp_write_catalogue(context, first, &options, &once, NULL), KARP_OK);
    karp_catalogue *second = read_catalogue(once.ptr);
    assert_int_equal(karp_write_catalogue(context, second, &options, &twice, NULL), KARP_OK);
    assert_string_equal(once.ptr, twice.ptr);
    karp_text_free(&twice);
    EXPECT_LINES(&once, "\"name\": \"b.large\"", "\"allocatable\": {",
                 "{\"zone\": \"z2\", \"capacityType\": \"spot\", \"price\": 0.0301, \"available\": true}",
                 "\"name\": \"a.large\"", "\"operator\": \"NotIn\"");
    karp_catalogue_unref(first);
    karp_catalogue_unref(second);
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

typedef karp_status write_call(karp_context *c, const karp_write_options *options, karp_text *out);

static karp_status call_plan(karp_context *c, const karp_write_options *options, karp_text *out)
{
    return karp_write_plan(c, &full, &full, options, out, NULL);
}
static karp_status call_disruption(karp_context *c, const karp_write_options *options, karp_text *out)
{
    return karp_write_disruption(c, &full, options, out, NULL);
}
static karp_status call_pod(karp_context *c, const karp_write_options *options, karp_text *out)
{
    return karp_write_pod(c, &full, (karp_str)S("other/web-10"), options, out, NULL);
}
static karp_status call_node(karp_context *c, const karp_write_options *options, karp_text *out)
{
    return karp_write_node(c, &full, (karp_str)S("ip-10-0-2-17"), options, out, NULL);
}

static void refused_memory(void **state)
{
    (void)state;
    static const struct {
        write_call *call;
        uint32_t format;
    } calls[] = { { call_plan, KARP_FORMAT_JSON },       { call_plan, KARP_FORMAT_TEXT },
                  { call_plan, KARP_FORMAT_YAML },       { call_plan, KARP_FORMAT_JSON_LOG },
                  { call_disruption, KARP_FORMAT_JSON }, { call_disruption, KARP_FORMAT_TEXT },
                  { call_disruption, KARP_FORMAT_CSV },  { call_disruption, KARP_FORMAT_PROMETHEUS },
                  { call_plan, KARP_FORMAT_PROMETHEUS }, { call_pod, KARP_FORMAT_JSON },
                  { call_pod, KARP_FORMAT_TEXT },        { call_node, KARP_FORMAT_JSON },
                  { call_node, KARP_FORMAT_TEXT } };
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        for (int keep = 0; keep < 2; keep++) {
            fault f = { 0 };
            karp_context *c = fault_context(&f);
            assert_non_null(c);
            size_t blocks = f.live_blocks;
            karp_write_options options = options_for(calls[i].format);
            for (size_t at = 1;; at++) {
                assert_true(at < 1000);
                karp_text text = { 0 };
                fault_arm(&f, at, keep);
                karp_status status = calls[i].call(c, &options, &text);
                bool refused = f.refused > 0;
                fault_arm(&f, 0, false);
                assert_int_equal(status, refused ? KARP_E_NOMEM : KARP_OK);
                karp_text_free(&text);
                assert_int_equal(f.live_blocks, blocks);
                assert_int_equal(f.wrong_sizes, 0);
                if (!refused) break;
            }
            karp_context_unref(c);
            assert_int_equal(f.live_blocks, 0);
        }
    }
}

static void text_outlives_context(void **state)
{
    (void)state;
    fault f = { 0 };
    karp_context *c = fault_context(&f);
    karp_text text = { 0 };
    assert_int_equal(karp_write_plan(c, &empty, NULL, NULL, &text, NULL), KARP_OK);
    karp_context_unref(c);
    assert_non_null(strstr(text.ptr, "\"kind\": \"Plan\""));
    karp_text_free(&text);
    karp_text_free(&text);
    karp_text_free(NULL);
    assert_int_equal(f.live_blocks, 0);
    assert_int_equal(f.wrong_sizes, 0);
}

static void wrong_calls(void **state)
{
    (void)state;
    karp_text text = { 0 };
    struct {
        karp_write_options known;
        uint64_t more;
    } newer;
    karp_write_options_init(&newer.known, sizeof(newer));
    newer.more = 0;
    assert_int_equal(karp_write_plan(context, &empty, NULL, &newer.known, &text, NULL), KARP_OK);
    karp_text_free(&text);
    newer.more = 1;
    assert_int_equal(karp_write_plan(context, &empty, NULL, &newer.known, &text, NULL), KARP_E_ABI_NEW);
    karp_write_options options = options_for(KARP_FORMAT_SARIF);
    assert_int_equal(karp_write_plan(context, &empty, NULL, &options, &text, NULL), KARP_E_UNSUPPORTED);
    options.format = KARP_FORMAT_CSV;
    assert_int_equal(karp_write_plan(context, &empty, &empty, &options, &text, NULL), KARP_E_UNSUPPORTED);
    options.format = 99;
    assert_int_equal(karp_write_plan(context, &empty, NULL, &options, &text, NULL), KARP_E_UNSUPPORTED);
    options.format = KARP_FORMAT_YAML;
    assert_int_equal(karp_write_disruption(context, &empty, &options, &text, NULL), KARP_E_UNSUPPORTED);
    options.size = 4;
    assert_int_equal(karp_write_plan(context, &empty, NULL, &options, &text, NULL), KARP_E_ABI_SIZE);
    assert_int_equal(karp_write_plan(context, NULL, NULL, NULL, &text, NULL), KARP_E_INVALID);
    assert_int_equal(karp_write_plan(NULL, &empty, NULL, NULL, &text, NULL), KARP_E_INVALID);
    assert_int_equal(karp_write_plan(context, &empty, NULL, NULL, NULL, NULL), KARP_E_INVALID);
    assert_null(text.ptr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_plan),         cmocka_unit_test(compact_plan),
        cmocka_unit_test(laid_out_plan),      cmocka_unit_test(disruption_json),
        cmocka_unit_test(claims_as_yaml),     cmocka_unit_test(launches_as_records),
        cmocka_unit_test(text_fits),          cmocka_unit_test(plan_as_text),
        cmocka_unit_test(nothing_to_do),      cmocka_unit_test(colours_only_when_asked),
        cmocka_unit_test(disruption_as_text), cmocka_unit_test(explanations),
        cmocka_unit_test(catalogue_formats),  cmocka_unit_test(catalogue_survives),
        cmocka_unit_test(refused_memory),     cmocka_unit_test(text_outlives_context),
        cmocka_unit_test(wrong_calls),
    };
    return cmocka_run_group_tests_name("write", tests, set_up, tear_down);
}
