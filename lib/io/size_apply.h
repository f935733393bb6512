/* SPDX-License-Identifier: Apache-2.0 */
/* What size_place.c does for size_apply.c: pods of the input. */
#pragma once

#include <io/sizes.h>

/* Changes the pods of the input: in place, or they are evicted. */
karp_status io_resize_pods(karp_reader *reader);
