/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the lists of an instance type: labels, amounts, offerings. A refused allocation is recorded in the scratch. */
#pragma once

#include <base/labels.h>
#include <base/str.h>
#include <providers/scratch.h>

/* Cache of short texts and numbers that many types share. */
enum { CLOUD_SHARED = 1024 };

typedef struct cloud_shared {
    struct {
        int64_t number;
        const char *unit;
        const karp_str *value;
    } numbers[CLOUD_SHARED];
} cloud_shared;

/* Requirements under construction; `list` has space for `room`. */
typedef struct cloud_labels {
    scratch *s;
    cloud_shared *shared;
    karp_requirement *list;
    size_t count, room;
} cloud_labels;

/* false = out of memory. */
bool cloud_labels_begin(cloud_labels *l, scratch *s, cloud_shared *shared, size_t room);
void cloud_in(cloud_labels *l, karp_str key, const karp_str *values, size_t count); /* no values: DoesNotExist */
void cloud_in_one(cloud_labels *l, karp_str key, karp_str value);
void cloud_in_word(cloud_labels *l, karp_str key, const karp_str *word); /* `word` must live forever */
void cloud_in_number(cloud_labels *l, karp_str key, int64_t number);
void cloud_absent(cloud_labels *l, karp_str key);

/* Amounts under construction. */
typedef struct cloud_amounts {
    scratch *s;
    cloud_shared *shared;
    karp_resource *list;
    size_t count, room;
} cloud_amounts;

bool cloud_amounts_begin(cloud_amounts *a, scratch *s, cloud_shared *shared, size_t room);
void cloud_amount(cloud_amounts *a, karp_str name, int64_t number, const char *unit); /* the number may be negative */
/* Replaces the amount with this name, or adds it. */
void cloud_amount_text(cloud_amounts *a, karp_str name, karp_str text);

/* The names of zones. Consecutive types with equal zones share the list. */
enum { CLOUD_ZONES_MOST = 26 };
typedef struct cloud_zones {
    karp_str names[CLOUD_ZONES_MOST];
    uint32_t listed; /* the zones in the list */
    const karp_str *list; /* NULL = none yet */
    size_t count;
} cloud_zones;

/* Lists the names of these zones. */
void cloud_list_zones(scratch *s, cloud_zones *z, uint32_t zones);

/* launch_labels() in a list with space for `more` further labels. */
karp_label *cloud_node_labels(scratch *s, const karp_instance_type *type, const karp_offering *o, size_t more,
                              size_t *count);
