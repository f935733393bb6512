/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the cluster to which the pods that are being placed are confined: one domain of their group's topology
 * key (gang_domains.h). Existing nodes outside of it are not in `hosts.offered` meanwhile.
 */
#pragma once

#include <stdint.h>

enum { LAUNCHES_ANY = 0, LAUNCHES_NONE = 1, LAUNCHES_ONE = 2 };

struct within {
    uint32_t set; /* launches have to meet it as well */
    uint32_t launches; /* LAUNCHES_*: with a host name as domain, none, or the same one for all */
    uint32_t claim; /* that one; NO_ID = not open yet */
};
