/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types that EC2 described once and no longer does. They are in no catalogue. Source: moto 4.2.0 to 5.2.5, which keep
 * EC2's answers to DescribeInstanceTypes; cr1 is from the price list of us-east-1 in the aws provider 1.15.2.
 */
#pragma once

#include <base/str.h>

enum { AWS_RETIRED = 14 };

typedef struct aws_retired_family {
    karp_str name; /* a family, or a type */
    const char *last; /* the month in which EC2 still described it; "" = not known */
} aws_retired_family;

extern const aws_retired_family aws_retired[AWS_RETIRED];
/* The month in which EC2 was found not to describe them. */
extern const char aws_retired_by[];

/* The row of a type or family by its name; AWS_RETIRED = it is not retired. */
size_t aws_retired_find(karp_str name);
