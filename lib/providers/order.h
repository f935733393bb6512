/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting in place, without allocation. */
#ifndef PROVIDERS_ORDER_H
#define PROVIDERS_ORDER_H

#include <stddef.h>

/* Heapsort, which is not stable: elements must differ, or equal ones must be interchangeable. */
void order_heap(void *list, size_t count, size_t elem, int (*compare)(const void *a, const void *b, const void *about),
                const void *about);

#endif
