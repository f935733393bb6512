/* SPDX-License-Identifier: Apache-2.0 */
/* Deployments whose template changes: their pods are replaced as their strategy says. */
#pragma once

#include <replay/common.h>

typedef struct replay_rollout {
    kube_deployment d; /* its sets are in the order of the templates */
    kube_strategy strategy;
    bool active; /* the template has changed */
    uint64_t next; /* number in the name of the next pod */
} replay_rollout;

struct replay_rollouts {
    replay_rollout *list; /* as in the trace */
    size_t count;
    int64_t due; /* a pod becomes available then; INT64_MAX = none */
};

/* Makes those of the trace. Errors are in the engine. */
karp_status rollouts_begin(engine *e);
void rollouts_take(engine *e, const trace_event *event); /* an event of kind TRACE_ROLLED */
/* Their controllers look, and pods are created and deleted. false = nothing has changed. */
bool rollouts_go_on(engine *e);
/* Another number of replicas for the Deployment of the shape. false = its template has not changed. */
bool rollouts_scale(engine *e, uint32_t shape, uint64_t replicas);
/* The replicas that the Deployment of the shape should have; `absent` if its template has not changed. */
uint64_t rollouts_wanted(const engine *e, uint32_t shape, uint64_t absent);
tree *rollouts_state(const engine *e, trees *t);
void rollouts_resume(engine *e, const tree *state);
