/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

/* Groups of pods that are alike, each of which is in one domain of its topology key. They are a class of their own that
 * can be placed nowhere, of as many copies as they have pods; its price is the mean of those of a group's pods in the
 * cheapest domain. With the host name as key there are no domains: then its copies are groups, each one large pod.
 *
 * Or they are pods of a spread constraint, each of which is in another domain. Then every set of so many domains is a
 * domain of the choice. */
typedef struct relaxed_choice {
    uint32_t group, key; /* one of the groups, in the snapshot's index, UINT32_MAX = of a spread constraint; text id */
    uint32_t class_;
    int64_t groups, pods; /* number of groups; pods of each */
    uint32_t member_count, domain_count;
    uint32_t *members; /* classes that the pods of a group would have anywhere */
    int64_t *copies; /* by member: how many of its pods */
    uint32_t *domains; /* text ids: values of the key; of a spread constraint [domain * member] */
    uint32_t *classes; /* [domain * member]: classes of its pods in that domain */
} relaxed_choice;
