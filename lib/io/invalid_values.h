/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notes values that an API server would have rejected but that have no effect on decisions by themselves. Each kind of
 * value is noted once.
 */
#ifndef IO_INVALID_VALUES_H
#define IO_INVALID_VALUES_H

#include <io/reader.h>

karp_status io_note_invalid_pod(karp_reader *reader, const karp_pod *pod);
karp_status io_note_invalid_pool(karp_reader *reader, const karp_node_pool *pool);

#endif
