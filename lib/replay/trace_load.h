/* SPDX-License-Identifier: Apache-2.0 */
/* Documents of kind Load: Deployments whose replicas follow the day, and CronJobs. */
#ifndef REPLAY_TRACE_LOAD_H
#define REPLAY_TRACE_LOAD_H

#include <replay/story.h>

/* The load that the document, which a story has been read from, describes. Errors are in story.error. */
karp_status trace_tell_load(trace *t, story *s);

#endif
