/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses a workload's colour by its name, so that pages about designs of one cluster use the same colours. */
#include "picture.h"

static uint32_t wanted_colour(karp_str name)
{
    uint32_t sum = UINT32_C(2166136261); /* FNV-1a: the same on every machine */
    for (size_t i = 0; i < name.len; i++) sum = (sum ^ (unsigned char)name.ptr[i]) * UINT32_C(16777619);
    return sum % PICTURE_COLOURS;
}

static void take_colour(picture_workload *workload, bool taken[PICTURE_COLOURS])
{
    uint32_t colour = wanted_colour(workload->name);
    while (taken[colour]) colour = (colour + 1) % PICTURE_COLOURS;
    taken[colour] = true;
    workload->colour = colour;
}

/* Running workloads choose first, because every design has them; the others follow in the order of their names. */
static bool chooses_before(const picture_workload *x, const picture_workload *y)
{
    if (x->running > 0 || y->running > 0) return x->running > 0 && (!(y->running > 0) || x->rank < y->rank);
    return compare_str(x->name, y->name) < 0;
}

void picture_give_colours(picture *s)
{
    picture_workload *first[PICTURE_COLOURS]; /* the largest workloads, in the order of choosing */
    bool taken[PICTURE_COLOURS] = { false };
    size_t count = 0;
    for (size_t i = 0; i < s->workload_count; i++) {
        picture_workload *workload = &s->workloads[i];
        workload->colour = PICTURE_COLOURS;
        if (workload->rank >= PICTURE_COLOURS) continue;
        size_t at = count++;
        for (; at > 0 && chooses_before(workload, first[at - 1]); at--) first[at] = first[at - 1];
        first[at] = workload;
    }
    for (size_t i = 0; i < count; i++) take_colour(first[i], taken);
}
