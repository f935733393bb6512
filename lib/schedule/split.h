/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preview of kubernetes-sigs/karpenter#3133 (rule split-claims): after all pods were placed, each claim is looked at
 * once. If its last pods made it so much larger that it and a second claim for them would be cheaper, it goes back to
 * what it was before them, and they are placed again. Claims that were looked at receive no more pods. At most two
 * passes; never in simulations of disruption, as in the proposal.
 */
#pragma once

#include <schedule/claims.h>
#include <schedule/rounds.h>

/* A pod that a claim received. */
struct split_pod {
    uint32_t claim, pod, view;
    round_mark from, to; /* what topology counted for it */
};

/* A claim as it was while a type was its cheapest one: after the last pod that did not change that. */
struct split_step {
    uint32_t before; /* the step before it of the same claim, plus 1; 0 = none */
    uint32_t pods; /* how many the claim had */
    uint32_t type, variant; /* variant: the capacity of the type that is used */
    double price;
    claim state;
    int64_t *amounts; /* requests and slack */
    uint8_t *binary;
};

struct splitting {
    bool on;
    uint32_t passes;
    LIST_OF(struct split_pod) pods; /* in the order in which they were placed */
    LIST_OF(struct split_step) steps;
    uint32_t locked; /* so many claims, the first ones, were looked at */
};

void split_init(scheduler *s);
void split_begin_round(scheduler *s);
void split_free(scheduler *s);
/* While splitting is on: the claim has received the pod; `before`: the mark before topology counted it. false = out of
 * memory. */
bool split_note(scheduler *s, uint32_t claim_number, uint32_t pod_number, const view *v, round_mark before);
/* Looks at the claims that were not looked at yet. true = pods lost their places: they are to be placed again, in the
 * order of the queue. */
bool split_claims(scheduler *s, uint32_t **pods, uint32_t *count);
