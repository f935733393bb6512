/* SPDX-License-Identifier: Apache-2.0 */
/* HorizontalPodAutoscalers of Deployments whose usage the trace states: every 15 s they look at the pods, and scale. */
#pragma once

#include <kube/autoscaler.h>
#include <replay/common.h>

typedef struct replay_autoscaler {
    kube_autoscaler of;
    uint32_t shape; /* of the pods that it adds */
    bool active; /* the usage is known */
    uint64_t next; /* number in the name of the next pod */
    int64_t usage[KUBE_METRICS]; /* of all pods together, in thousandths; -1 = unknown */
} replay_autoscaler;

struct replay_autoscalers {
    replay_autoscaler *list; /* as in the trace */
    size_t count;
    int64_t due; /* the next look; INT64_MAX = none is active */
};

/* Reads those of the trace. Errors are in the engine. */
karp_status autoscalers_begin(engine *e);
void autoscalers_free(engine *e);
/* An event of kind TRACE_USAGE. */
void autoscalers_use(engine *e, const trace_event *event);
/* How many replicas an autoscaler asks for. */
uint64_t autoscaler_wants(engine *e, uint32_t autoscaler);
/* All of them look, and scale; when it is due. */
void autoscalers_look(engine *e);
void autoscalers_looked(engine *e); /* the next look */
tree *autoscalers_state(const engine *e, trees *t);
void autoscalers_resume(engine *e, const tree *state);
