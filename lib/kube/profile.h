/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of kube-scheduler. */
#pragma once

#include <kube/cluster.h>

enum { KUBE_OLDEST_MINOR = 34, KUBE_DEFAULT_MINOR = 36, KUBE_NEWEST_MINOR = 37 };

/* The default profile of version 1.`minor`, without a name. Its lists are static. */
void kube_profile_default(kube_profile *profile, uint32_t minor);

/* That of the default version if none is given. */
static inline uint32_t kube_minor(int64_t given) { return given ? (uint32_t)given : KUBE_DEFAULT_MINOR; }
