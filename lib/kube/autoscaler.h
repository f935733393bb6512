/* SPDX-License-Identifier: Apache-2.0 */
/* HorizontalPodAutoscaler (autoscaling/v2 or v1) with metrics of resources: how many replicas it asks for. It looks
 * every 15 s. Times and durations are nanoseconds. */
#pragma once

#include <io/decode.h>

#define KUBE_AUTOSCALER_PERIOD INT64_C(15000000000)

enum { KUBE_METRIC_CPU, KUBE_METRIC_MEMORY, KUBE_METRICS };

typedef struct kube_metric {
    uint32_t resource; /* KUBE_METRIC_* */
    int32_t utilization; /* percent of the requests; 0 = `average` counts */
    int64_t average; /* thousandths of a core or of a byte */
} kube_metric;

typedef struct kube_scaling_policy {
    bool percent;
    int32_t value;
    int64_t period;
} kube_scaling_policy;

enum { KUBE_SELECT_MAX, KUBE_SELECT_MIN, KUBE_SELECT_DISABLED };

/* behavior.scaleUp or scaleDown. */
typedef struct kube_scaling_rules {
    int64_t window; /* stabilizationWindowSeconds */
    uint32_t select; /* KUBE_SELECT_* */
    const kube_scaling_policy *policies;
    size_t policy_count;
    double tolerance;
} kube_scaling_rules;

/* A recommendation, or a change of the replicas. */
typedef struct kube_scaling {
    int64_t at;
    int32_t replicas;
    bool outdated; /* its place is free */
} kube_scaling;

typedef struct kube_scalings {
    kube_scaling *list;
    size_t count, capacity;
} kube_scalings;

typedef struct kube_autoscaler {
    karp_str namespace_, name, target_kind, target; /* target: spec.scaleTargetRef */
    int32_t least, most;
    const kube_metric *metrics;
    size_t metric_count;
    bool behaves; /* it states a behavior */
    kube_scaling_rules up, down;
    kube_scalings recommendations, ups, downs; /* so far */
} kube_autoscaler;

enum { KUBE_NOT_READY, KUBE_READY, KUBE_READINESS_UNKNOWN /* there is no condition yet */ };

/* A pod of the target. */
typedef struct kube_scaled_pod {
    int64_t requests[KUBE_METRICS], usage[KUBE_METRICS]; /* thousandths; -1 = none is stated, or no sample */
    uint32_t phase; /* KARP_PHASE_* */
    uint32_t ready; /* KUBE_READY … */
    int64_t started, changed; /* changed: its readiness, last. KARP_NO_TIME = it has not started */
    int64_t sampled, window; /* when the sample ended, and what it covers */
    bool terminating;
} kube_scaled_pod;

/* What it saw and decided. */
typedef struct kube_scaling_verdict {
    int32_t replicas;
    bool failed; /* a metric: nothing changes */
    int32_t utilization; /* of the first metric; -1 = none */
    int64_t average; /* likewise */
} kube_scaling_verdict;

#define KUBE_THOUSANDTHS_MOST INT64_C(1000000000000000000)

/* The thousandths of a quantity from 0 on, rounded up as Kubernetes does. false = it is none, or beyond the most. */
bool kube_thousandths(karp_str text, int64_t *out);
/* Fills `a`, whose lists are in the decoder's arena. Metrics other than of cpu and memory are UNSUPPORTED. */
void kube_autoscaler_read(io_decoder *d, const tree *object, kube_autoscaler *a);
/* Its look at `now`, when the target has so many replicas. false = out of memory. */
bool kube_autoscaler_look(karp_context *context, kube_autoscaler *a, int64_t now, int32_t replicas,
                          const kube_scaled_pod *pods, size_t count, kube_scaling_verdict *out);
void kube_autoscaler_free(karp_context *context, kube_autoscaler *a);
