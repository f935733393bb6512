/* SPDX-License-Identifier: Apache-2.0 */
/* A provider for tests: it does what a test tells it to, and acts through the host's http. */
#ifndef PROVIDERS_MOCK_CLOUD_H
#define PROVIDERS_MOCK_CLOUD_H

#include <karp/provider.h>

/* What the mock's next calls answer. */
typedef struct mock_behaviour {
    uint32_t kind; /* of instance_types */
    uint32_t nameless; /* 1 = a type without a name; 2 = no list; 3 = a quantity that is none */
    uint32_t filter; /* 1 = invents a candidate; 2 = drops all */
    uint32_t pick; /* 1 = one that was not given */
    uint64_t generation;
    unsigned calls; /* of instance_types, so far */
    unsigned open_handles;
} mock_behaviour;

extern mock_behaviour mock;

/* The table, for tests to change a copy of. */
extern const karp_provider_plugin mock_plugin;

#endif
