/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/aws/retired.h>

#include <providers/scratch.h>

const char aws_retired_by[] = "October 2026";

const aws_retired_family aws_retired[AWS_RETIRED] = {
    { TEXT("cr1"), "" },
    { TEXT("dl1"), "March 2026" },
    { TEXT("f1"), "March 2026" },
    { TEXT("g2"), "August 2023" },
    { TEXT("g3"), "November 2024" },
    { TEXT("g3s"), "November 2024" },
    { TEXT("g4ad"), "March 2026" },
    { TEXT("i3.metal"), "February 2025" },
    { TEXT("p2"), "February 2025" },
    { TEXT("p3"), "March 2026" },
    { TEXT("u-12tb1"), "February 2025" },
    { TEXT("u-18tb1"), "February 2025" },
    { TEXT("u-24tb1"), "February 2025" },
    { TEXT("u-9tb1"), "February 2025" },
};

size_t aws_retired_find(karp_str name)
{
    karp_str family = name;
    const char *dot = name.len > 0 ? memchr(name.ptr, '.', name.len) : NULL;
    if (dot) family.len = (size_t)(dot - name.ptr);
    size_t i = 0;
    while (i < AWS_RETIRED && !equal_str(aws_retired[i].name, family) && !equal_str(aws_retired[i].name, name)) i++;
    return i;
}
