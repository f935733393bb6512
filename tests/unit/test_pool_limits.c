/* SPDX-License-Identifier: Apache-2.0 */
/* What a launch takes from its pool's limit: the most that a type has on which its pods fit, however many types there
 * are. */
#include "planning.h"

#include <stdio.h>
#include <string.h>

#define HEAD                                                                                                           \
    "apiVersion: karp/v1\nkind: Snapshot\nnow: 2026-06-01T00:00:00Z\nsettings: {}\ncatalogues:\n- instanceTypes:\n"
#define OF_SIZE                                                                                                        \
    "  - {name: %s, capacity: {cpu: '%d', memory: %dGi, pods: '10'}, labels: {node.kubernetes.io/instance-type: "      \
    "[%s]}, offerings: [{zone: a, capacityType: on-demand, price: %d}]}\n"
#define LIMITED                                                                                                        \
    "objects:\n- {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: default}, spec: {limits: {memory: "    \
    "%dGi}, template: {spec: {nodeClassRef: "                                                                          \
    "{group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}, requirements: []}}}, status: {conditions: "       \
    "[{type: Ready, status: 'True'}, "                                                                                 \
    "{type: ValidationSucceeded, status: 'True'}, {type: NodeClassReady, status: 'True'}]}}\n"

/* `small` types of 1 cpu and 64 Gi in front of one of 8 cpus and 16 Gi; pods of 5 cpus, so that a launch holds one. */
static void holds(int small, int limit, const char *expected)
{
    static char text[60000];
    size_t n = (size_t)snprintf(text, sizeof text, HEAD);
    for (int i = 0; i < small; i++) {
        char name[16];
        snprintf(name, sizeof name, "s%03d", i);
        n += (size_t)snprintf(text + n, sizeof text - n, OF_SIZE, name, 1, 64, name, i + 2);
    }
    n += (size_t)snprintf(text + n, sizeof text - n, OF_SIZE, "big", 8, 16, "big", 1);
    n += (size_t)snprintf(text + n, sizeof text - n, LIMITED, limit);
    snprintf(text + n, sizeof text - n, "%s", POD("a", "5", "") POD("b", "5", "") POD("c", "5", ""));
    assert_plan(text, expected);
}

static void largest_that_fits(void **state)
{
    (void)state;
    static const int many[] = { 1, 62, 63, 64, 127, 128, 150 };
    for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
        holds(many[i], 80, "new default a on big\nnew default b on big\nnew default c on big\n");
        holds(many[i], 48, "new default a on big\nnew default b on big\nnew default c on big\n");
        holds(many[i], 47, "new default a on big\nnew default b on big\nno c LIMITS\n");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(largest_that_fits) };
    return cmocka_run_group_tests_name("pool_limits", tests, NULL, NULL);
}
