/* SPDX-License-Identifier: Apache-2.0 */
/* The two parts that change the input: size_apply.c templates, size_place.c pods. */
#ifndef IO_SIZE_APPLY_H
#define IO_SIZE_APPLY_H

#include <io/sizes.h>

/* A copy of the spec of a pod with its new requests; NULL = nothing changes, or a failure, which is in
 * sizes->status or in the trees. */
tree *io_resized_spec(karp_reader *reader, trees *t, uint32_t workload, const tree *spec);
/* Changes the pods of the input: in place, or they are evicted. */
karp_status io_resize_pods(karp_reader *reader);

#endif
