/* SPDX-License-Identifier: Apache-2.0 */
/* Deep copies by the rows of records. */
#pragma once

#include <base/memory.h>
#include <karp/objects.h>
#include <records/record.h>

/* The first failure is recorded, so that one check at the end is enough. What could not be copied is empty. */
typedef struct record_copier {
    arena *to;
    uint32_t document; /* IN_…: only members of this document are copied */
    bool failed; /* no memory, or a struct of a version that is not known */
    karp_str (*text)(void *owner, karp_str text); /* makes copies of texts; NULL = they are in `to` */
    void *owner;
} record_copier;

/* Fills the struct `into`. Members without a row have the record's initial value. */
void record_copy(record_copier *c, const record *r, const void *from, void *into);

/* Copies of lists. NULL = failed. */
const karp_label *record_copy_labels(record_copier *c, const karp_label *list, size_t count);
const karp_resource *record_copy_amounts(record_copier *c, const karp_resource *list, size_t count);
const void *record_copy_list(record_copier *c, const record *r, const void *list, size_t count);
