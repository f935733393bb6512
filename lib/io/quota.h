/* SPDX-License-Identifier: Apache-2.0 */
/* ResourceQuotas: how many of the pods that are created they would refuse. The pods are planned all the same. */
#pragma once

#include <io/reader.h>

enum { IO_QUOTA_AMOUNTS = 6 };

typedef struct io_quota {
    uint32_t number, next; /* in reader->deferred; index + 1 of the next one of its namespace, 0 = none */
    uint64_t created, refused;
    char used[IO_QUOTA_AMOUNTS][KARP_VALUE_TEXT]; /* "" = not limited; of the amounts in quota.c */
} io_quota;

typedef struct io_quotas {
    io_table first; /* namespace -> index */
    io_quota *list;
    size_t count, capacity;
} io_quotas;

void io_quotas_init(io_quotas *q, karp_context *context);
void io_quotas_free(io_quotas *q, karp_context *context);
/* Takes note of a ResourceQuota. Errors: NOMEM. */
karp_status io_quotas_note(io_quotas *q, karp_reader *reader, const io_deferred *w);
/* Counts a filled pod: one that is created, or one that exists, which a quota cannot refuse. */
void io_quotas_count(io_quotas *q, const karp_reader *reader, const tree *pod, bool created);
/* Adds a note for each quota that refuses pods. Errors: NOMEM. */
karp_status io_quotas_end(const io_quotas *q, karp_reader *reader);
