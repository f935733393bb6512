/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <io/reader.h>

/* Sets the replicas of workloads without pods as their autoscalers would, and notes it; notes what
 * VerticalPodAutoscalers recommend. Called after everything has been read and counted. */
karp_status io_settle_autoscalers(karp_reader *reader);
