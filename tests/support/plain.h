/* SPDX-License-Identifier: Apache-2.0 */
/* A context of its own for every test of a program, and texts as the library takes them. */
#ifndef SUPPORT_PLAIN_H
#define SUPPORT_PLAIN_H

#include <stdbool.h>
#include <string.h>

#include <karp/base.h>

static karp_context *context;

static inline int set_up(void **state)
{
    (void)state;
    return karp_context_new(NULL, &context, NULL);
}

static inline int tear_down(void **state)
{
    (void)state;
    karp_context_unref(context);
    return 0;
}

static inline karp_str text_of(const char *text) { return (karp_str){ text, strlen(text) }; }

static inline bool same(karp_str a, karp_str b) { return a.len == b.len && memcmp(a.ptr, b.ptr, a.len) == 0; }

#endif
