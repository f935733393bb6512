/* SPDX-License-Identifier: Apache-2.0 */
/* The verifier's reading of taints, selectors and requirements: what labels may be, and whether that is enough. */
#include "verifying.h"

#define REQUIRED(expressions)                                                                                          \
    ", affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "                 \
    "[{matchExpressions: [" expressions "]}]}}}"
#define PREFERRED(expressions)                                                                                         \
    ", affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: "           \
    "{matchExpressions: [" expressions "]}}]}}"
#define REQUIRED_AND_PREFERRED(required, preferred)                                                                    \
    ", affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "                 \
    "[{matchExpressions: [{key: level, operator: " required "}]}]}, "                                                  \
    "preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {matchExpressions: [{key: level, "      \
    "operator: " preferred "}]}}]}}"
#define LABELLED_NODE(labels)                                                                                          \
    "- {apiVersion: v1, kind: Node, metadata: {name: n1, labels: {" labels                                             \
    "}}, spec: {}, status: {capacity: {cpu: '4', memory: 64Gi, pods: '10'}, "                                          \
    "allocatable: {cpu: '4', memory: 64Gi, pods: '10'}}}\n"
#define ON_NODE(pods) "\"placements\":[{\"node\":\"n1\",\"pods\":[" pods "]}]}"
#define PLACED(pods) "{" ON_NODE(pods)
#define PLACED_KARP(pods) KARP "," ON_NODE(pods)
#define LAUNCHED(more) "{\"launches\":[" LAUNCH(A, "\"m\"", more) "]}"
#define RULE(key, operator, values) "{\"key\":\"" key "\",\"operator\":\"" operator"\",\"values\":[" values "]}"
#define TAINTED(value) BOTH NODE("n1", "a", "4", "taints: [{key: t, value: '" value "', effect: NoSchedule}]")
#define TOLERATING(operator, value)                                                                                    \
    POD("a", "1", ", tolerations: [{key: t, operator: " operator", value: '" value "'}]")
#define NUMBERED(number) BOTH LABELLED_NODE("level: '" number "'")

/* ---- taints ------------------------------------------------------------------------------------------------------ */

/* Gt and Lt compare the taint's value with the toleration's, as plain 64-bit integers. */
static const struct check taints[] = {
    { TAINTED("3") TOLERATING("Lt", "5"), PLACED(A), "" },
    { TAINTED("5") TOLERATING("Lt", "5"), PLACED(A), "TAINTS pod default/a\n" },
    { TAINTED("6") TOLERATING("Gt", "5"), PLACED(A), "" },
    { TAINTED("5") TOLERATING("Gt", "5"), PLACED(A), "TAINTS pod default/a\n" },
    { TAINTED("-3") TOLERATING("Lt", "0"), PLACED(A), "" },
    { TAINTED("-3") TOLERATING("Gt", "-2"), PLACED(A), "TAINTS pod default/a\n" },
    { TAINTED("") TOLERATING("Gt", "-2"), PLACED(A), "TAINTS pod default/a\n" }, /* no number */
    { TAINTED("-") TOLERATING("Gt", "-2"), PLACED(A), "TAINTS pod default/a\n" },
    { TAINTED("7") TOLERATING("Gt", "05"), PLACED(A), "TAINTS pod default/a\n" }, /* not written plainly */
    { TAINTED("7") TOLERATING("Gt", "+5"), PLACED(A), "TAINTS pod default/a\n" },
    { TAINTED("9223372036854775807") TOLERATING("Gt", "9223372036854775806"), PLACED(A), "" },
    { TAINTED("9223372036854775808") TOLERATING("Gt", "5"), PLACED(A), "TAINTS pod default/a\n" }, /* does not fit */
    { TAINTED("-9223372036854775808") TOLERATING("Lt", "-9223372036854775807"), PLACED(A), "" },
    { TAINTED("-9223372036854775809") TOLERATING("Lt", "5"), PLACED(A), "TAINTS pod default/a\n" },
    { TAINTED("5x") TOLERATING("Gt", "1"), PLACED(A), "TAINTS pod default/a\n" },
    { TAINTED("5!") TOLERATING("Gt", "1"), PLACED(A), "TAINTS pod default/a\n" },
    { TAINTED("5") TOLERATING("Near", "5"), PLACED(A), "TAINTS pod default/a\n" }, /* an operator that nobody knows */
};

/* ---- labels of nodes --------------------------------------------------------------------------------------------- */

static const struct check labels[] = {
    /* bounds are integers, the label's value too */
    { NUMBERED("6") POD("a", "1", REQUIRED("{key: level, operator: Gt, values: ['5']}")), PLACED(A), "" },
    { NUMBERED("5") POD("a", "1", REQUIRED("{key: level, operator: Gt, values: ['5']}")), PLACED(A),
      "REQUIREMENTS pod default/a\n" },
    { NUMBERED("4") POD("a", "1", REQUIRED("{key: level, operator: Lt, values: ['5']}")), PLACED(A), "" },
    { NUMBERED("5") POD("a", "1", REQUIRED("{key: level, operator: Lt, values: ['5']}")), PLACED(A),
      "REQUIREMENTS pod default/a\n" },
    { NUMBERED("-4") POD("a", "1", REQUIRED("{key: level, operator: Lt, values: ['5']}")), PLACED(A), "" },
    { NUMBERED("+6") POD("a", "1", REQUIRED("{key: level, operator: Gt, values: ['5']}")), PLACED(A), "" },
    { NUMBERED("six") POD("a", "1", REQUIRED("{key: level, operator: Gt, values: ['5']}")), PLACED(A),
      "REQUIREMENTS pod default/a\n" },
    { NUMBERED("") POD("a", "1", REQUIRED("{key: level, operator: Gt, values: ['5']}")), PLACED(A),
      "REQUIREMENTS pod default/a\n" },
    { NUMBERED("6") POD(
          "a", "1", REQUIRED("{key: level, operator: Gt, values: ['5']}, {key: level, operator: Lt, values: ['8']}")),
      PLACED(A), "" },
    { NUMBERED("8") POD(
          "a", "1", REQUIRED("{key: level, operator: Gt, values: ['5']}, {key: level, operator: Lt, values: ['8']}")),
      PLACED(A), "REQUIREMENTS pod default/a\n" },
    { NUMBERED("8") POD(
          "a", "1", REQUIRED("{key: level, operator: Lt, values: ['8']}, {key: level, operator: Lt, values: ['9']}")),
      PLACED(A), "REQUIREMENTS pod default/a\n" },
    { NUMBERED("8") POD(
          "a", "1", REQUIRED("{key: level, operator: Lt, values: ['9']}, {key: level, operator: Lt, values: ['8']}")),
      PLACED(A), "REQUIREMENTS pod default/a\n" },
    { NUMBERED("6") POD(
          "a", "1",
          REQUIRED("{key: level, operator: NotIn, values: ['6', '70']}, {key: level, operator: Lt, values: ['9']}")),
      PLACED(A), "REQUIREMENTS pod default/a\n" },
    { NUMBERED("7") POD(
          "a", "1",
          REQUIRED("{key: level, operator: NotIn, values: ['6', '70']}, {key: level, operator: Lt, values: ['9']}")),
      PLACED(A), "" },
    /* what one lists and another rules out; the same with what only has to be there */
    { NUMBERED("6")
          POD("a", "1",
              REQUIRED("{key: level, operator: In, values: ['6', '7']}, {key: level, operator: NotIn, values: ['7']}")),
      PLACED(A), "" },
    { NUMBERED("7")
          POD("a", "1",
              REQUIRED("{key: level, operator: In, values: ['6', '7']}, {key: level, operator: NotIn, values: ['7']}")),
      PLACED(A), "REQUIREMENTS pod default/a\n" },
    { NUMBERED("6")
          POD("a", "1", REQUIRED("{key: level, operator: Exists}, {key: level, operator: In, values: ['6', '7']}")),
      PLACED(A), "" },
    { NUMBERED("8")
          POD("a", "1", REQUIRED("{key: level, operator: Exists}, {key: level, operator: In, values: ['6', '7']}")),
      PLACED(A), "REQUIREMENTS pod default/a\n" },
    /* beyond the last integer there is none: nothing can satisfy that */
    { NUMBERED("9223372036854775807")
          POD("a", "1", REQUIRED("{key: level, operator: Gt, values: ['9223372036854775807']}")),
      PLACED(A), "REQUIREMENTS pod default/a\n" },
    { NUMBERED("-9223372036854775808")
          POD("a", "1", REQUIRED("{key: level, operator: Lt, values: ['-9223372036854775808']}")),
      PLACED(A), "REQUIREMENTS pod default/a\n" },
    /* Bounds that exclude each other are taken for a wish that the label be absent, which it is not. */
    { NUMBERED("4") POD(
          "a", "1", REQUIRED("{key: level, operator: Gt, values: ['5']}, {key: level, operator: Lt, values: ['3']}")),
      PLACED(A), "REQUIREMENTS pod default/a\n" },
    /* a node without its host name as a label */
    { BOTH LABELLED_NODE("team: x") PICKY_DAEMON("3", "kubernetes.io/hostname: n1") POD("a", "2", ""), PLACED(A), "" },
    { BOTH LABELLED_NODE("kubernetes.io/hostname: n1") PICKY_DAEMON("3", "kubernetes.io/hostname: n1")
          POD("a", "2", ""),
      PLACED(A), "RESOURCES node n1\n" },
    /* What a pod excludes of a label that the node lacks is taken for known, and others that ask for it are let in
       (S-Q36). */
    { BOTH LABELLED_NODE("rack: r") POD("a", "1", ", nodeSelector: {team: x}"), PLACED(A),
      "REQUIREMENTS pod default/a\n" },
    { BOTH LABELLED_NODE("rack: r") POD("a", "1", ", nodeSelector: {team: x}")
          POD("b", "1", REQUIRED("{key: team, operator: NotIn, values: [z]}")),
      PLACED(AB), "" },
    { BOTH LABELLED_NODE("rack: r") POD("a", "1", ", nodeSelector: {team: x}")
          POD("b", "1", REQUIRED("{key: team, operator: DoesNotExist}")),
      PLACED(AB), "" },
    { BOTH LABELLED_NODE("rack: r") POD("a", "1", ", nodeSelector: {team: x}")
          POD("b", "1", PREFERRED("{key: team, operator: NotIn, values: [z]}")),
      PLACED(AB), "" },
    { BOTH LABELLED_NODE("rack: r") POD("a", "1", ", nodeSelector: {team: x}")
          POD("b", "1", REQUIRED("{key: other, operator: NotIn, values: [z]}")),
      PLACED(AB), "REQUIREMENTS pod default/a\n" },
    { BOTH LABELLED_NODE("rack: r") POD("a", "1", ", nodeSelector: {team: x}")
          POD("b", "1", PREFERRED("{key: team, operator: Exists}")),
      PLACED(AB), "REQUIREMENTS pod default/a\n" },
    { BOTH LABELLED_NODE("rack: r") POD("a", "1", ", nodeSelector: {team: x}")
          POD("b", "1", REQUIRED("{key: team, operator: NotIn, values: [z]}")),
      PLACED_KARP(AB), "REQUIREMENTS pod default/a\n" },
    /* A preference that contradicts what is required counts for nothing where the label is there. */
    { NUMBERED("4") POD("a", "1", REQUIRED_AND_PREFERRED("In, values: ['5']", "In, values: ['6']")), PLACED(A),
      "REQUIREMENTS pod default/a\n" },
    { NUMBERED("5") POD("a", "1", REQUIRED_AND_PREFERRED("In, values: ['5']", "In, values: ['6']")), PLACED(A), "" },
};

/* ---- labels of launches ------------------------------------------------------------------------------------------ */

static const struct check launches[] = {
    /* its name is not known: a pod may rule names out, but not ask for any */
    { BOTH POD("a", "1", ", nodeSelector: {kubernetes.io/hostname: n1}"), LAUNCHED(""),
      "REQUIREMENTS pod default/a\n" },
    { BOTH POD("a", "1", REQUIRED("{key: kubernetes.io/hostname, operator: NotIn, values: [n1]}")), LAUNCHED(""), "" },
    { BOTH POD("a", "1", REQUIRED("{key: kubernetes.io/hostname, operator: Exists}")), LAUNCHED(""), "" },
    { BOTH POD("a", "1", REQUIRED("{key: kubernetes.io/hostname, operator: Gt, values: ['5']}")), LAUNCHED(""),
      "REQUIREMENTS pod default/a\n" },
    { BOTH POD("a", "1", REQUIRED("{key: kubernetes.io/hostname, operator: Lt, values: ['5']}")), LAUNCHED(""),
      "REQUIREMENTS pod default/a\n" },
    /* what a plan says of it is of no use */
    { BOTH POD("a", "1", ""), LAUNCHED(RULE("kubernetes.io/hostname", "In", "\"x\"")), "" },
    { BOTH POD("a", "1", ", nodeSelector: {kubernetes.io/hostname: x}"),
      LAUNCHED(RULE("kubernetes.io/hostname", "In", "\"x\"")), "REQUIREMENTS pod default/a\n" },
    /* A preference that contradicts what is required: Karpenter takes the two for a wish that the label be absent. */
    { BOTH POD("a", "1", REQUIRED_AND_PREFERRED("In, values: ['5']", "In, values: ['6']")),
      LAUNCHED(RULE("level", "DoesNotExist", "")), "" },
    { BOTH POD("a", "1", REQUIRED_AND_PREFERRED("In, values: ['5']", "Exists")),
      LAUNCHED(RULE("level", "DoesNotExist", "")), "REQUIREMENTS pod default/a\n" },
    { BOTH POD("a", "1", REQUIRED_AND_PREFERRED("In, values: ['5']", "In, values: ['6']")),
      LAUNCHED(RULE("level", "In", "\"7\"")), "REQUIREMENTS pod default/a\n" },
    /* a label that only the plan has heard of */
    { BOTH POD("a", "1", ""), LAUNCHED(RULE("example.com/never-seen", "In", "\"neither\"")), "" },
    { BOTH POD("a", "1", ""), LAUNCHED(RULE("team", "In", "\"\"")), "" },
    /* any label but one is not for certain another one */
    { BOTH POD("a", "1", REQUIRED("{key: team, operator: NotIn, values: [x]}")), LAUNCHED(RULE("team", "Exists", "")),
      "REQUIREMENTS pod default/a\n" },
    { BOTH POD("a", "1", REQUIRED("{key: team, operator: NotIn, values: [x]}")),
      LAUNCHED(RULE("team", "NotIn", "\"x\",\"y\"")), "" },
    { BOTH POD("a", "1", REQUIRED("{key: team, operator: NotIn, values: [x]}")),
      LAUNCHED(RULE("team", "NotIn", "\"y\"")), "REQUIREMENTS pod default/a\n" },
    { BOTH POD("a", "1", REQUIRED("{key: team, operator: In, values: [x]}")), LAUNCHED(RULE("team", "NotIn", "\"y\"")),
      "REQUIREMENTS pod default/a\n" },
    { BOTH POD("a", "1", REQUIRED("{key: level, operator: Gt, values: ['5']}")),
      LAUNCHED(RULE("level", "Gte", "\"6\"")), "" },
    { BOTH POD("a", "1", REQUIRED("{key: level, operator: Gt, values: ['5']}")),
      LAUNCHED(RULE("level", "Gte", "\"5\"")), "REQUIREMENTS pod default/a\n" },
    { BOTH POD("a", "1", REQUIRED("{key: level, operator: Lt, values: ['5']}")),
      LAUNCHED(RULE("level", "Lte", "\"4\"")), "" },
    { BOTH POD("a", "1", REQUIRED("{key: level, operator: Lt, values: ['5']}")),
      LAUNCHED(RULE("level", "Lte", "\"5\"")), "REQUIREMENTS pod default/a\n" },
    { BOTH POD("a", "1", REQUIRED("{key: level, operator: NotIn, values: ['9']}")),
      LAUNCHED(RULE("level", "Lt", "\"9\"")), "" },
    { BOTH POD("a", "1", REQUIRED("{key: level, operator: NotIn, values: ['8']}")),
      LAUNCHED(RULE("level", "Lt", "\"9\"")), "REQUIREMENTS pod default/a\n" },
};

/* A pool wants a label to be there, whatever it is. Where a pod excludes values of it another may ask that it be
 * absent. */
#define WANTS_RACK HEAD OWN_POOL("", ", requirements: [{key: rack, operator: Exists}]", "True")
#define ABSENT "{\"key\":\"rack\",\"operator\":\"DoesNotExist\"}"
#define NO_RACK REQUIRED("{key: rack, operator: DoesNotExist}")
#define LAUNCHES(pods) "{\"launches\":[" LAUNCH(pods, "\"m\"", ABSENT) "]}"

#define ALL_THREE                                                                                                      \
    WANTS_RACK POD("a", "1", REQUIRED("{key: rack, operator: NotIn, values: [r3]}"))                                   \
        POD("b", "1", REQUIRED("{key: rack, operator: Exists}")) POD("c", "1", NO_RACK)

static const struct check absences[] = {
    { ALL_THREE, LAUNCHES(AB ",\"default/c\""), "" },
    { ALL_THREE, KARP ",\"launches\":[" LAUNCH(AB ",\"default/c\"", "\"m\"", ABSENT) "]}",
      "POOL_REQUIREMENTS launch new-1\nREQUIREMENTS pod default/b\n" },
    { WANTS_RACK POD("a", "1", REQUIRED("{key: rack, operator: NotIn, values: [r3]}")) POD("b", "1", NO_RACK),
      LAUNCHES(AB), "" },
    { WANTS_RACK POD("a", "1", PREFERRED("{key: rack, operator: NotIn, values: [r3]}")) POD("b", "1", NO_RACK),
      LAUNCHES(AB), "" },
    { WANTS_RACK POD("a", "1", NO_RACK) POD("b", "1", NO_RACK), LAUNCHES(AB), "POOL_REQUIREMENTS launch new-1\n" },
    { WANTS_RACK POD("a", "1", REQUIRED("{key: other, operator: NotIn, values: [r3]}")) POD("b", "1", NO_RACK),
      LAUNCHES(AB), "POOL_REQUIREMENTS launch new-1\n" },
    { WANTS_RACK POD("a", "1", REQUIRED("{key: rack, operator: NotIn, values: [r3]}"))
          POD("b", "1", REQUIRED("{key: rack, operator: Exists}")),
      LAUNCHES(AB), "REQUIREMENTS pod default/b\n" },
    { HEAD OWN_POOL("", ", requirements: [{key: rack, operator: In, values: [r1]}]", "True")
          POD("a", "1", REQUIRED("{key: rack, operator: NotIn, values: [r3]}")),
      LAUNCHES(A), "POOL_REQUIREMENTS launch new-1\n" },
};

static void test_taints(void **state)
{
    (void)state;
    verify_each(taints, sizeof taints / sizeof *taints);
}

static void test_labels(void **state)
{
    (void)state;
    verify_each(labels, sizeof labels / sizeof *labels);
}

static void test_launches(void **state)
{
    (void)state;
    verify_each(launches, sizeof launches / sizeof *launches);
}

static void test_absences(void **state)
{
    (void)state;
    verify_each(absences, sizeof absences / sizeof *absences);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_taints), cmocka_unit_test(test_labels),
                                        cmocka_unit_test(test_launches), cmocka_unit_test(test_absences) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
