/* SPDX-License-Identifier: Apache-2.0 */
/* A bound and its certificate, in memory of its own. */
#ifndef DECISION_BOUND_OBJECT_H
#define DECISION_BOUND_OBJECT_H

#include <karp/certificate.h>
#include <model/snapshot.h>

struct karp_bound {
    karp_snapshot *snapshot; /* one reference; it owns the names */
    arena data;
    karp_certificate certificate;
};

#endif
