/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of kube-scheduler. */
#ifndef KUBE_PROFILE_H
#define KUBE_PROFILE_H

#include <kube/cluster.h>

enum { KUBE_OLDEST_MINOR = 34, KUBE_DEFAULT_MINOR = 36, KUBE_NEWEST_MINOR = 37 };

/* The default profile of version 1.`minor`. Its lists are static. */
void kube_profile_default(kube_profile *profile, uint32_t minor);

#endif
