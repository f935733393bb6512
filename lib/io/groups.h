/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of pods as clusters state them: one table with a row for each source. */
#pragma once

#include <io/reader.h>

/* The source (KARP_GROUP_*) of a group object, by its apiVersion. */
uint32_t io_group_source(const tree *root);
/* The last step of decoding a pod: finds the group that its labels or annotations name. */
void io_finish_group(io_decoder *d, const tree *object, void *pod);
typedef struct io_filler io_filler;
/* Adds the group that the Job's controller makes if its spec asks for a gang; *template_ becomes one that names it. */
karp_status io_job_group(io_filler *f, const tree *job, karp_str namespace_, karp_str name, const tree **template_);
/* Adds the group of the pod, once, if it has no object of its own; moves the pod to the part of its group. */
karp_status io_group_of_pod(karp_reader *reader, io_decoder *d, const tree *root, karp_pod *pod);

/* Notes a topology of the PodGroup that karp does not know. */
karp_status io_note_network(karp_reader *reader, const tree *root);

/* ---- group_parts.c ----------------------------------------------------------------------------------------------- */

/* Whether the PodGroup is cut into parts. */
bool io_group_has_parts(const tree *object);
/* The group that the pod names in workloadRef, or as a task group of YuniKorn; "" = none. */
karp_str io_workload_ref(io_decoder *d, const tree *pod);
karp_str io_task_group(io_decoder *d, const tree *pod);
/* Moves the pod to its part, and adds what has no object of its own. */
karp_status io_group_part(karp_reader *reader, io_decoder *d, const tree *root, karp_pod *pod);
