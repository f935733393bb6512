/* SPDX-License-Identifier: Apache-2.0 */
/* Karpenter's providers that are not built in, by their node classes. Sources: the repositories named in others.c. */
#pragma once

#include <base/str.h>

typedef struct other_provider {
    const char *cloud; /* "Oracle Cloud" */
    const char *group, *kind; /* of its node classes; the group is the domain of its nodes' labels, too */
    const char *repository;
} other_provider;

/* That of a node class's group, or of its kind if the group is not stated. NULL = it is not known either. */
const other_provider *other_provider_for_class(karp_str group, karp_str kind);
/* The cloud that is not built in, of a node's providerID. NULL = it is built in, or not known either. */
const char *other_cloud_of_id(karp_str provider_id);
/* Whether one of them sets the label on its nodes. */
bool other_provider_has_label(karp_str key);
