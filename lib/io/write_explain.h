/* SPDX-License-Identifier: Apache-2.0 */
/* What the explanations of write_explain.c, of write_explain_pod.c and of write_explain_node.c take from each other. */
#pragma once

#include "encode.h"
#include "write_rows.h"
#include <karp/explain.h>

/* An addition to the output about a placed pod. A struct of functions, so that write_explain.c links without
 * lib/explain. */
typedef struct pod_addition {
    void (*json)(const encoder *e, const karp_pod_explanation *explanation, bool launched);
    void (*text)(const text_out *t, const write_job *job, const karp_pod_explanation *explanation);
    const karp_pod_explanation *explanation;
    bool running; /* the decision is about the cluster in which the pod has just been evicted */
} pod_addition;

/* " cannot be placed now.", or of a pod that runs what would be if it were evicted. */
void text_no_place(const text_out *t, const karp_unschedulable *pod, bool running);

/* Writes the output of karp_write_pod(), with the addition unless it is NULL. */
karp_status write_pod_with(karp_context *context, const karp_decision *decision, const pod_addition *addition,
                           karp_str pod, const karp_write_options *options, karp_text *out, karp_error *error);

/* Writes the output of karp_write_node(); `expired`: its expireAfter is over, and no pass decides on that. */
karp_status write_node_of(karp_context *context, const karp_decision *decision, karp_str node, bool expired,
                          const karp_write_options *options, karp_text *out, karp_error *error);
