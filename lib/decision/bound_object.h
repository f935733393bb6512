/* SPDX-License-Identifier: Apache-2.0 */
/* A bound and its certificate, in memory of their own. */
#ifndef DECISION_BOUND_OBJECT_H
#define DECISION_BOUND_OBJECT_H

#include <karp/certificate.h>
#include <model/snapshot.h>

struct karp_bound {
    karp_snapshot *snapshot; /* held: names are its */
    arena data;
    karp_certificate certificate;
};

#endif
