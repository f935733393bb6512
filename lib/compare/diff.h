/* SPDX-License-Identifier: Apache-2.0 */
/* The differences of two sides' answers. */
#pragma once

#include <compare/answers.h>

struct karp_diff {
    karp_context *context;
    arena data;
    karp_str names[2];
    diff_answers sides[2];
    karp_difference *rows; /* in the order of the diff_answers */
    size_t count, room;
    uint64_t rules; /* in which the sides differ */
};
