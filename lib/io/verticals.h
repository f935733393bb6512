/* SPDX-License-Identifier: Apache-2.0 */
/* VerticalPodAutoscalers. */
#pragma once

#include <io/decode.h>
#include <io/reader.h>

/* Calls `take` for each of the input, the oldest first, then by name: of several for one workload, the first counts. */
karp_status io_each_vertical(karp_reader *reader, karp_status (*take)(karp_reader *reader, const io_deferred *w));
/* The policy for a container: its own, else that of "*"; NULL = none. */
const tree *io_vertical_policy(const io_deferred *w, karp_str container);
/* INVALID: the text in the recommendation is no amount. */
karp_status io_vertical_no_amount(karp_reader *reader, const io_deferred *w, karp_str text);
bool io_vertical_controls(const tree *policy, const char *resource);

/* ---- preview vpa-prediction: what pods will request when they are created again (verticals.c) -------------------- */

/* Reads what the autoscalers set, once; does nothing without the preview. Called before pods are added. */
karp_status io_settle_predictions(karp_reader *reader);
void io_predictions_free(karp_reader *reader);
/* Sets the predicted requests of the workload's pods, or of its template, in the decoder's memory. */
void io_predict(karp_reader *reader, io_decoder *d, karp_str kind, karp_str namespace_, karp_str name, karp_pod *pod);
/* Those of the pod's workload. */
void io_predict_pod(karp_reader *reader, io_decoder *d, const tree *root, karp_pod *pod);
