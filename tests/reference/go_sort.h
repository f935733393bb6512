/* SPDX-License-Identifier: Apache-2.0 */
/** @file go_sort.h  Go's sort.Slice, which does not keep the order of equals. */
#ifndef REFERENCE_GO_SORT_H
#define REFERENCE_GO_SORT_H

#include <stddef.h>

void ref_go_sort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *));

#endif
