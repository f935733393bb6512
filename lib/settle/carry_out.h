/* SPDX-License-Identifier: Apache-2.0 */
/* Carrying a decision out: the edit of the snapshot that it was made for. */
#pragma once

#include <karp/settle.h>
#include <model/builder.h>
#include <model/snapshot.h>

typedef struct outcome {
    const karp_snapshot *before;
    const karp_decision *const *decisions; /* several have commands that are carried out together; none = time passes */
    size_t decision_count;
    const karp_str *lost; /* names of nodes that end without a decision */
    size_t lost_count;
    bool begins; /* the commands only begin: their nodes are being deleted, and their launches have no Node yet */
    karp_builder *builder;
    karp_error *error;
    int64_t now;
    arena memory;
    uint64_t *gone; /* names ids of Nodes, and of NodeClaims without one, that end */
    uint64_t *touched; /* names ids of Nodes that gain pods */
    karp_str *node_of; /* by pod: the Node that it is bound to; ptr NULL = none */
    karp_str *names; /* of the nodes of all decisions' launches, in their order; ptr NULL = the launch adds none */
    uint8_t *ends; /* by pod: it does not exist any more */
} outcome;

karp_status outcome_nomem(outcome *o);

/* karp_snapshot_after() of several decisions with commands. `begins`: the commands have only begun, all at once. */
karp_status snapshot_after(const karp_snapshot *before, const karp_decision *const *decisions, size_t count,
                           bool begins, int64_t now, karp_snapshot **out, karp_error *error);

/* Instances that launches take of a reservation, or that nodes which end return. */
karp_status take_reserved(outcome *o, const karp_label *labels, size_t count, int64_t instances);

/* launches.c: names the nodes of the launches, and places the pods on them that launch decisions name. */
karp_status name_launches(outcome *o);
/* launches.c: the nodes of the decisions' launches, each with its NodeClaim. */
karp_status carry_out_launches(outcome *o);
