/* SPDX-License-Identifier: Apache-2.0 */
/* Right sizes in a replay: what pods of the trace and of the objects request by recommendations. */
#pragma once

#include <replay/replay.h>

/* Tells the reader of the objects the rules, what containers use, and which pods the trace has. karp_reader_finish()
 * then changes the trace, too. Nothing if the options have no rules. */
karp_status replay_read_requests(replay *r, karp_reader *reader);
/* Changes the pods and DaemonSets of base.objects as that reader, which has finished, did with its own. */
karp_status replay_resize_objects(replay *r);
