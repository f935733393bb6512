/* SPDX-License-Identifier: Apache-2.0 */
/* Documents of kind Load: Deployments whose replicas follow a daily curve, and CronJobs. */
#ifndef REPLAY_TRACE_LOAD_H
#define REPLAY_TRACE_LOAD_H

#include <replay/story.h>

/* Adds the load of the document from which the story was read. Errors are in story.error. */
karp_status trace_generate_load(trace *t, story *s);

#endif
