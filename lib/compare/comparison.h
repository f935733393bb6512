/* SPDX-License-Identifier: Apache-2.0 */
/* Designs that are added up and compared with the first. */
#pragma once

#include <base/error.h>
#include <base/strbuf.h>

#include <karp/compare.h>
#include <io/encode.h>

typedef struct design_groups {
    karp_design_group *items; /* sorted by name */
    size_t count, room;
} design_groups;

enum { OF_POOLS, OF_ZONES, OF_CAPACITY_TYPES, OF_TYPES, GROUPINGS };

/* Where a pod is. */
typedef struct design_place {
    karp_str pod;
    size_t text, group; /* offsets in the design's texts: the exact place, and a more general one for summaries */
} design_place;

typedef struct summed_design {
    karp_context *context;
    karp_design design;
    karp_design_totals totals;
    design_groups groups[GROUPINGS];
    strbuf texts;
    design_place *places; /* by pod */
    size_t place_count, place_room;
    karp_design_move *moves;
    size_t move_count, move_room;
    karp_design_field *fields;
    size_t field_count, field_room;
    karp_status status; /* the first failure of design_add_up() */
} summed_design;

struct karp_comparison {
    karp_context *context;
    arena data; /* names and fields */
    summed_design *designs;
    size_t count;
};

/* totals.c: adds up the plan. Errors: NOMEM, and those of reading a decision. */
karp_status design_add_up(summed_design *d, karp_error *error);

/* A design as Comparisons and Settlements show it. */

void design_as_json(const encoder *e, const summed_design *d);
