/* SPDX-License-Identifier: Apache-2.0 */
/* What the NodePools say that a placed pod does not go to. */
#ifndef IO_WRITE_ALTERNATIVES_H
#define IO_WRITE_ALTERNATIVES_H

#include "write_call.h"
#include "write_launch.h"
#include "write_members.h"
#include "write_plan_json.h"
#include "write_rows.h"
#include <karp/explain.h>

karp_status alternatives_as_json(json_out *j, const write_job *job, const karp_pod_explanation *explanation);
karp_status alternatives_as_text(const text_out *t, const write_job *job, const karp_pod_explanation *explanation);
/* What else is written of a placed pod. */
typedef struct pod_addition {
    karp_status (*json)(json_out *j, const write_job *job, const karp_pod_explanation *explanation);
    karp_status (*text)(const text_out *t, const write_job *job, const karp_pod_explanation *explanation);
    const karp_pod_explanation *explanation;
} pod_addition;

/* What karp_write_pod() writes, and the addition when there is one. */
karp_status write_pod_with(karp_context *context, const karp_decision *decision, const pod_addition *addition,
                           karp_str pod, const karp_write_options *options, karp_text *out, karp_error *error);

#endif
