/* SPDX-License-Identifier: Apache-2.0 */
#include <kube/profile.h>

#include <base/labels.h>

void kube_profile_default(kube_profile *profile, uint32_t minor)
{
    static const kube_weighed cpu_and_memory[] = { { { "cpu", 3 }, 1 }, { { "memory", 6 }, 1 } };
    static const karp_spread_constraint spread[] = { { .topology_key = { LABEL_HOSTNAME, sizeof LABEL_HOSTNAME - 1 },
                                                       .max_skew = 3,
                                                       .when_unsatisfiable = KARP_SCHEDULE_ANYWAY },
                                                     { .topology_key = { LABEL_ZONE, sizeof LABEL_ZONE - 1 },
                                                       .max_skew = 5,
                                                       .when_unsatisfiable = KARP_SCHEDULE_ANYWAY } };
    *profile = (kube_profile){ .minor = minor,
                               .backoff = 1,
                               .backoff_most = 10,
                               .resources = cpu_and_memory,
                               .resource_count = 2,
                               .balanced = cpu_and_memory,
                               .balanced_count = 2,
                               .candidates_percentage = 10,
                               .candidates_least = 100,
                               .hard_affinity_weight = 1,
                               .spread = spread,
                               .spread_count = 2,
                               .system_spread = true };
    for (size_t i = 0; i < KUBE_PLUGINS; i++) profile->filters[i] = true;
    profile->weights[KUBE_TAINT_TOLERATION] = 3;
    profile->weights[KUBE_NODE_AFFINITY] = profile->weights[KUBE_POD_TOPOLOGY_SPREAD] =
        profile->weights[KUBE_INTER_POD_AFFINITY] = 2;
    profile->weights[KUBE_NODE_RESOURCES_FIT] = profile->weights[KUBE_BALANCED_ALLOCATION] =
        profile->weights[KUBE_IMAGE_LOCALITY] = 1;
}
