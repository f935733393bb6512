/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of equal pods, which go on claims at once where nothing speaks against it: they end where each by itself would.
 */
#include "deciding.h"

#define ZONE "topology.kubernetes.io/zone"
#define HOST "kubernetes.io/hostname"
#define LARGE "nodeSelector: {test/size: large}, "
#define LARGE_IN(zone) "nodeSelector: {test/size: large, " ZONE ": " zone "}, "
#define REQUIRED(kind, key, labels)                                                                                    \
    kind ": {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: " key                                      \
         ", labelSelector: {matchLabels: {" labels "}}}]}"
#define EQUAL(name, spec)                                                                                              \
    POD(name "0", "", spec)                                                                                            \
    POD(name "1", "", spec)                                                                                            \
    POD(name "2", "", spec) POD(name "3", "", spec) POD(name "4", "", spec) POD(name "5", "", spec)

static void decides(deciding d, const char *expected)
{
    assert_string_equal(words_of(&d, KARP_PROFILE_KARPENTER, 0), expected);
    deciding_free(&d);
}

/* Pods that have to be beside another one go nowhere else, though they may all go there. */
static void beside_another(void **state)
{
    (void)state;
#define AWAY "affinity: {" REQUIRED("podAntiAffinity", HOST, "app: t") "}, "
#define BESIDE "affinity: {" REQUIRED("podAffinity", HOST, "app: t") "}, "
#define THREE_AWAY                                                                                                     \
    POD("u0", "", LARGE AWAY REQUESTS("cpu: 3"))                                                                       \
    POD("u1", "", LARGE AWAY REQUESTS("cpu: 3")) POD("u2", "", LARGE AWAY REQUESTS("cpu: 3"))
    decides(decide_on(NULL, CASES "world.yaml",
                      POD("t", "app: t", LARGE REQUESTS("cpu: 8"))
                          THREE_AWAY EQUAL("a", LARGE BESIDE REQUESTS("cpu: 1")),
                      NULL),
            "default: a0 a1 a2 a3 a4 a5 t | default: u0 u1 u2");
    decides(decide_on(NULL, CASES "world.yaml",
                      POD("t", "app: t", LARGE REQUESTS("cpu: 8")) THREE_AWAY EQUAL("a", LARGE REQUESTS("cpu: 1")),
                      NULL),
            "default: a0 a1 a2 a5 t | default: a3 a4 u0 u1 u2");
}

/* What they prefer holds for as many as there is room for; the others go where the first ones would not. */
static void preferring(void **state)
{
    (void)state;
#define POOL_OF(cpus)                                                                                                  \
    "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: default}, spec: {limits: {cpu: " cpus              \
    "}, template: {spec: {nodeClassRef: {group: karpenter.test, kind: TestNodeClass, name: default}}}}}" DOCUMENT
#define PREFERS_Z1                                                                                                     \
    "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: "             \
    "{matchExpressions: [{key: " ZONE ", operator: In, values: [z1]}]}}]}}, "
#define TWO_THERE                                                                                                      \
    POD("t0", "", LARGE_IN("z2") REQUESTS("cpu: 4"))                                                                   \
    POD("t1", "", LARGE_IN("z2") REQUESTS("cpu: 4")) POD("u", "", LARGE_IN("z1") REQUESTS("cpu: 7"))
#define SIX EQUAL("a", LARGE PREFERS_Z1 REQUESTS("cpu: 2"))
    decides(decide_on(NULL, POOL_OF("32"), TWO_THERE SIX, NULL), "default z1: a0 a1 a2 a3 u | default z2: a4 a5 t0 t1");
    decides(decide_on(NULL, POOL_OF("48"), TWO_THERE SIX, NULL),
            "default z1: a0 a1 a2 a3 u | default z1: a4 a5 | default z2: t0 t1");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(beside_another), cmocka_unit_test(preferring) };
    return cmocka_run_group_tests_name("pod_runs", tests, NULL, NULL);
}
