/* SPDX-License-Identifier: Apache-2.0 */
/* Structs that start with `size`, as callers of any age have them. */
#ifndef ABI_CALLERS_H
#define ABI_CALLERS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <karp/base.h>

#define THROUGH(type, field) (offsetof(type, field) + sizeof(((type *)NULL)->field))
#define T(text)                                                                                                        \
    {                                                                                                                  \
        text, sizeof(text) - 1                                                                                         \
    }
#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

enum { LARGEST_STRUCT = 4096 };

/* A struct that goes in, and a call that takes it. */
struct given {
    const char *name;
    const void *value;
    size_t size, first; /* of now, and in the first version; 0 = it has not grown since */
    karp_status (*call)(const void *s);
};

#define IN(value, function)                                                                                            \
    {                                                                                                                  \
#value, &value, sizeof value, 0, function                                                                      \
    }
#define GROWN(value, function, first)                                                                                  \
    {                                                                                                                  \
#value, &value, sizeof value, first, function                                                                  \
    }

/* A struct that comes out, and a call that fills it. */
struct asked {
    const char *name;
    size_t size, first; /* of now, and in the first version */
    karp_status (*call)(void *out);
};

#define OUT(type, last, function)                                                                                      \
    {                                                                                                                  \
#type, sizeof(type), THROUGH(type, last), function                                                             \
    }

void check_given(const struct given *g);
void check_asked(const struct asked *a);

#endif
