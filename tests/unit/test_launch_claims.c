/* SPDX-License-Identifier: Apache-2.0 */
/* What the NodeClaim of a launch says, whatever its offerings leave out, and how demands are shown to who does not meet
 * them. */
#include "deciding.h"

#include <stdio.h>

#define TYPE(name, offerings)                                                                                          \
    "- {name: " name                                                                                                   \
    ", labels: {kubernetes.io/arch: [amd64]}, capacity: {cpu: 4, memory: 8Gi, pods: 10}, offerings: [" offerings       \
    "]}\n"

/* The values that the claim lists for a key, "a,b,c". */
static const char *claim_values(const karp_launch *l, const char *key)
{
    static char text[512];
    size_t n = 0;
    text[0] = '\0';
    for (size_t i = 0; i < l->claim_requirement_count; i++) {
        const karp_requirement *r = &l->claim_requirements[i];
        if (r->key.len != strlen(key) || memcmp(r->key.ptr, key, r->key.len) != 0) continue;
        for (size_t v = 0; v < r->value_count; v++)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%.*s", v > 0 ? "," : "", (int)r->values[v].len,
                                  r->values[v].ptr);
    }
    return text;
}

static const char *annotation_of(const karp_launch *l, const char *key)
{
    for (size_t i = 0; i < l->annotation_count; i++) {
        if (l->annotations[i].key.len == strlen(key) &&
            memcmp(l->annotations[i].key.ptr, key, l->annotations[i].key.len) == 0)
            return l->annotations[i].value.ptr;
    }
    return NULL;
}

/* Every capacity type of an offering that the claim can have, once, however many. */
static void capacity_types(void **state)
{
    (void)state;
    static char types[6000], expected[300];
    size_t n = (size_t)snprintf(types, sizeof types,
                                "- {name: t, labels: {}, capacity: {cpu: 4, memory: 8Gi, pods: 10}, offerings: ["),
           e = 0;
    for (int i = 0; i < 40; i++) {
        n += (size_t)snprintf(types + n, sizeof types - n,
                              "%s{zone: z%d, capacityType: c%02d, price: 1, available: %s}", i > 0 ? ", " : "", i / 20,
                              i % 20, i == 19 || i == 39 ? "false" : "true");
        if (i < 19) e += (size_t)snprintf(expected + e, sizeof expected - e, "%sc%02d", i > 0 ? "," : "", i);
    }
    snprintf(types + n, sizeof types - n, "]}\n");
    deciding d = decide_on(types, CASES "world.yaml", POD("a", "", REQUESTS("cpu: 1")), NULL);
    karp_decision *decision = decide(&d, NULL);
    karp_launch l = { .size = sizeof l };
    assert_int_equal(karp_decision_launch(decision, 0, &l), KARP_OK);
    assert_string_equal(claim_values(&l, "karpenter.sh/capacity-type"), expected);
    assert_string_equal(claim_values(&l, "node.kubernetes.io/instance-type"), "t");
    karp_decision_unref(decision);
    deciding_free(&d);
}

/* "Gte 5, Lte 8": the rows of a list about a key. */
static const char *rows_of(const karp_requirement *rows, size_t count, const char *key)
{
    static char text[512];
    static const char *const names[] = { [KARP_OP_IN] = "In",         [KARP_OP_NOT_IN] = "NotIn",
                                         [KARP_OP_EXISTS] = "Exists", [KARP_OP_DOES_NOT_EXIST] = "DoesNotExist",
                                         [KARP_OP_GTE] = "Gte",       [KARP_OP_LTE] = "Lte" };
    size_t n = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        if (rows[i].key.len != strlen(key) || memcmp(rows[i].key.ptr, key, rows[i].key.len) != 0) continue;
        assert_true(rows[i].op < sizeof names / sizeof *names && names[rows[i].op] != NULL);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n > 0 ? ", " : "", names[rows[i].op]);
        for (size_t v = 0; v < rows[i].value_count; v++)
            n += (size_t)snprintf(text + n, sizeof text - n, " %.*s", (int)rows[i].values[v].len,
                                  rows[i].values[v].ptr);
    }
    return text;
}

/* Bounds from below and from above are a row each, beside what else the key has to be. */
static void bounds(void **state)
{
    (void)state;
    static const struct {
        const char *pool, *of_launch, *of_claim;
    } cases[] = {
#define RACK(more) ", requirements: [" more ", {key: team, operator: Exists}, {key: a, operator: Exists}]"
#define GT "{key: rack, operator: Gt, values: ['4']}"
#define LT "{key: rack, operator: Lt, values: ['9']}"
#define NOT_IN "{key: rack, operator: NotIn, values: ['6']}"
        { RACK(GT), "Exists, Gte 5", "Gte 5" },
        { RACK(LT), "Exists, Lte 8", "Lte 8" },
        { RACK(GT ", " LT), "Exists, Gte 5, Lte 8", "Gte 5, Lte 8" },
        { RACK(GT ", " LT ", " NOT_IN), "NotIn 6, Gte 5, Lte 8", "Gte 5, Lte 8" },
        { RACK(NOT_IN), "NotIn 6", "NotIn 6" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char pool[1000];
        snprintf(pool, sizeof pool,
                 "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p}, spec: {template: {spec: "
                 "{nodeClassRef: {group: karpenter.test, kind: TestNodeClass, name: default}%s}}}}" DOCUMENT,
                 cases[i].pool);
        deciding d = decide_on(TYPE("t", "{zone: z1, capacityType: on-demand, price: 1}"), pool,
                               POD("a", "", REQUESTS("cpu: 1")), NULL);
        karp_decision *decision = decide(&d, NULL);
        karp_launch l = { .size = sizeof l };
        assert_int_equal(karp_decision_launch(decision, 0, &l), KARP_OK);
        assert_string_equal(rows_of(l.requirements, l.requirement_count, "rack"), cases[i].of_launch);
        assert_string_equal(rows_of(l.claim_requirements, l.claim_requirement_count, "rack"), cases[i].of_claim);
        assert_string_equal(rows_of(l.claim_requirements, l.claim_requirement_count, "team"), "Exists");
        assert_string_equal(rows_of(l.claim_requirements, l.claim_requirement_count, "a"), "Exists");
        karp_decision_unref(decision);
        deciding_free(&d);
    }
}

/* All that a cluster counts is asked for, even under the name by which pools limit nodes; each amount is shown as it
 * was written. */
static void every_resource(void **state)
{
    (void)state;
    for (int others = 0; others < 9; others++) {
        char types[1000], pod[1000], expected[500], found[500] = "";
        size_t t = 0, p = 0, e = 0, f = 0;
        t += (size_t)snprintf(types, sizeof types,
                              "- {name: t, labels: {}, capacity: {cpu: 4, memory: 8Gi, pods: 10, nodes: 3");
        p += (size_t)snprintf(pod, sizeof pod,
                              "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: c, "
                              "resources: {limits: {cpu: 1, memory: 2Gi, nodes: 2");
        e += (size_t)snprintf(expected, sizeof expected, "cpu=1 ");
        for (int i = 0; i < others; i++) {
            t += (size_t)snprintf(types + t, sizeof types - t, ", example.com/r%d: 64Ki", i);
            p += (size_t)snprintf(pod + p, sizeof pod - p, ", example.com/r%d: %dKi", i, i + 1);
            e += (size_t)snprintf(expected + e, sizeof expected - e, "example.com/r%d=%dKi ", i, i + 1);
        }
        snprintf(types + t, sizeof types - t, "}, offerings: [{zone: z1, capacityType: on-demand, price: 1}]}\n");
        snprintf(pod + p, sizeof pod - p, "}}}]}}" DOCUMENT);
        snprintf(expected + e, sizeof expected - e, "memory=2Gi nodes=2 pods=1 ");
        deciding d = decide_on(types, CASES "world.yaml", pod, NULL);
        karp_decision *decision = decide(&d, NULL);
        karp_launch l = { .size = sizeof l };
        assert_int_equal(karp_decision_launch(decision, 0, &l), KARP_OK);
        for (size_t i = 0; i < l.request_count; i++)
            f += (size_t)snprintf(found + f, sizeof found - f, "%s=%s ", l.requests[i].name.ptr,
                                  l.requests[i].text.ptr);
        assert_string_equal(found, expected);
        karp_decision_unref(decision);
        deciding_free(&d);
    }
}

/* A pool may have been hashed already; what else is noted at the pool stays there. */
static void annotations(void **state)
{
    (void)state;
    deciding d = decide_on(
        TYPE("t", "{zone: z1, capacityType: on-demand, price: 1}"),
        "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p, annotations: {karpenter.sh/nodepool-hash: "
        "\"123\", karpenter.sh/nodepool-hash-version: v3, note: none}}, spec: {template: "
        "{metadata: {annotations: {of-template: \"yes\"}}, spec: {nodeClassRef: {group: karpenter.test, kind: "
        "TestNodeClass, name: default}}}}}" DOCUMENT POD("a", "", REQUESTS("cpu: 1")),
        NULL);
    karp_decision *decision = decide(&d, NULL);
    karp_launch l = { .size = sizeof l };
    assert_int_equal(karp_decision_launch(decision, 0, &l), KARP_OK);
    assert_string_equal(annotation_of(&l, "karpenter.sh/nodepool-hash"), "123");
    assert_string_equal(annotation_of(&l, "karpenter.sh/nodepool-hash-version"), "v3");
    assert_string_equal(annotation_of(&l, "of-template"), "yes");
    assert_null(annotation_of(&l, "note"));
    karp_decision_unref(decision);
    deciding_free(&d);
}

/* The message of the only pod that fits nowhere. */
static void tells(deciding d, const char *expected)
{
    char text[600];
    karp_options options;
    karp_options_init(&options, sizeof options);
    karp_decision *decision = decide(&d, &options);
    karp_unschedulable u = { .size = sizeof u };
    assert_int_equal(karp_decision_unschedulable(decision, 0, &u), KARP_OK);
    snprintf(text, sizeof text, "%.*s", (int)u.message.len, u.message.ptr);
    assert_string_equal(text, expected);
    karp_decision_unref(decision);
    deciding_free(&d);
}

/* Five values are shown, and how many more there are. */
static void shown_requirements(void **state)
{
    (void)state;
#define ONE TYPE("t", "{zone: z1, capacityType: on-demand, price: 1}")
#define WANTS_RACK POD("a", "", "nodeSelector: {rack: r0}, " REQUESTS("cpu: 1"))
#define SAYS "incompatible with nodepool \"p\", incompatible requirements, key rack, rack In [r0] not in rack "
    tells(decide_on(ONE,
                    POOL("p", ", requirements: [{key: rack, operator: In, values: [r1, r2, r3, r4, r5]}]") WANTS_RACK,
                    NULL),
          SAYS "In [r1 r2 r3 r4 r5]");
    tells(decide_on(ONE,
                    POOL("p", ", requirements: [{key: rack, operator: In, values: [r1, r2, r3, r4, r5, r6, r7]}]")
                        WANTS_RACK,
                    NULL),
          SAYS "In [r1 r2 r3 r4 r5 and 2 others]");
    tells(
        decide_on(ONE, POOL("p", ", requirements: [{key: rack, operator: NotIn, values: [r0, r1]}]") WANTS_RACK, NULL),
        SAYS "NotIn [r0 r1]");
    tells(
        decide_on(
            ONE,
            POOL("p",
                 ", requirements: [{key: rack, operator: Gt, values: ['4']}, {key: rack, operator: Lt, values: ['9']}]")
                WANTS_RACK,
            NULL),
        SAYS "Exists >=5 <=8");
    tells(decide_on(ONE, POOL("p", ", requirements: [{key: rack, operator: DoesNotExist}]") WANTS_RACK, NULL),
          SAYS "DoesNotExist");
    tells(decide_on(ONE, POOL("p", "") WANTS_RACK, NULL),
          "incompatible with nodepool \"p\", incompatible requirements, label \"rack\" does not have known values");
}

/* The rows of a round of few pods are ordered as those of many are. */
static void few_of_many(void **state)
{
    (void)state;
    static char pods[12000];
    size_t n = 0;
    for (int i = 0; i < 60; i++)
        n += (size_t)snprintf(pods + n, sizeof pods - n, BOUND("r%02d", "", "n1", REQUESTS("")), i);
    deciding d = decide_on(
        ONE, POOL("p", "") NODE("n1", "", "1", ""), pods,
        POD("b", "", REQUESTS("cpu: 1")) POD("c", "", REQUESTS("cpu: 3")) POD("a", "", REQUESTS("cpu: 2")), NULL);
    assert_string_equal(words_of(&d, KARP_PROFILE_KARPENTER, 0), "p: a | p: b c");
    deciding_free(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(capacity_types),     cmocka_unit_test(bounds),
                                        cmocka_unit_test(every_resource),     cmocka_unit_test(annotations),
                                        cmocka_unit_test(shown_requirements), cmocka_unit_test(few_of_many) };
    return cmocka_run_group_tests_name("launch_claims", tests, NULL, NULL);
}
