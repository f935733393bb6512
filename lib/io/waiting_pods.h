/* SPDX-License-Identifier: Apache-2.0 */
/* Pods without a node for which Karpenter launches none, because the scheduler has not marked them as unschedulable. */
#pragma once

#include <io/reader.h>

typedef struct io_waiting_group {
    uint64_t count;
    karp_str space, name, gate; /* of the first pod */
} io_waiting_group;

typedef struct io_waiting_pods {
    io_waiting_group gated; /* they have scheduling gates */
    io_waiting_group silent; /* they have no condition PodScheduled, and in strict mode they get none */
} io_waiting_pods;

/* Counts the pod if it is one of them. false = out of memory. */
bool io_count_waiting(io_waiting_pods *waiting, karp_reader *reader, const tree *pod);
/* A note for each group. */
karp_status io_warn_of_waiting(const io_waiting_pods *waiting, karp_reader *reader);
