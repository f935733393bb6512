/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads instance-type catalogues from documents. Entries are added one at a time, as trees. Everything that depends on
 * the whole list (labels that only other types have, reservations) is done by catalogue_reader_finish().
 */
#pragma once

#include <io/decode.h>

/* One entry of the list, with notes for catalogue_reader_finish(). */
typedef struct catalogue_entry {
    karp_instance_type type;
    bool full; /* in the full format, not kwok's */
    bool derive; /* full, without "requirements": missing labels are derived from the list */
    bool ignored_false; /* the entry is in kwok's format and contains Available: false, which kwok ignores */
    const karp_resource *allocatable; /* as stated; NULL = not stated */
    size_t allocatable_count;
} catalogue_entry;

typedef struct catalogue_reader {
    karp_context *context;
    karp_str document; /* borrowed */
    trees trees; /* the strings of the entries that are not slices of the text */
    arena arena;
    catalogue_entry *entries;
    size_t count, capacity;
} catalogue_reader;

void catalogue_reader_init(catalogue_reader *reader, karp_context *context, karp_str document);
void catalogue_reader_free(catalogue_reader *reader);

/* Decodes one entry; the tree must outlive the reader. `place` is the entry's position. Errors: INVALID, RANGE, LIMIT,
 * NOMEM. */
karp_status catalogue_reader_add(catalogue_reader *reader, const tree *root, const io_place *place, karp_error *error);

/* Reads the JSON list at the cursor and moves the cursor past it. Errors: as above, and SYNTAX. */
karp_status catalogue_reader_add_list(catalogue_reader *reader, io_cursor *list, karp_error *error);

/* Reads a price list in CSV; the text must outlive the reader. Errors: as above. */
karp_status catalogue_read_csv(catalogue_reader *reader, karp_str text, karp_error *error);

/* Makes the catalogue and logs warnings about ignored values. After that the reader can only be freed. */
karp_status catalogue_reader_finish(catalogue_reader *reader, karp_catalogue **out, karp_error *error);

/* ---- internal to the reader's files ------------------------------------------------------------------------------ */

/* Decode one entry. Failures are recorded in the decoder. */
void catalogue_decode_full(io_decoder *d, const tree *root, catalogue_entry *entry);
void catalogue_decode_kwok(io_decoder *d, const tree *root, catalogue_entry *entry);

/* A price: a finite number that is not negative, or its text. Returns *absent when the member is missing; absent NULL
 * = then it is required. */
double catalogue_price(io_decoder *d, const tree *object, const char *name, const double *absent);
/* A requirement list; an unknown operator is an error. */
const karp_requirement *catalogue_requirements(io_decoder *d, const tree *object, const char *name, size_t *count);
/* The object's spelling of a member's name, found as Go's JSON decoder finds it: the exact name first, then ignoring
 * case. Returns `name` if there is no such member. */
const char *catalogue_member(io_decoder *d, const tree *object, const char *name);
/* The requirement: key In values. */
karp_requirement catalogue_in(karp_str key, const karp_str *values, size_t count);
/* The distinct values of `key` in the type's offerings, sorted. NULL = out of memory. */
const karp_str *catalogue_offering_values(arena *memory, const karp_instance_type *type, karp_str key, size_t *count);

extern const karp_str catalogue_key_type, catalogue_key_arch, catalogue_key_os, catalogue_key_zone,
    catalogue_key_capacity_type, catalogue_key_reservation;
