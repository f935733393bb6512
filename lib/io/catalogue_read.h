/* SPDX-License-Identifier: Apache-2.0 */
/* Instance-type catalogues from documents. Entries are added one at a time, as trees; what depends on the whole list
 * (labels that only other types have, reservations) is settled by catalogue_reader_finish(). */
#ifndef IO_CATALOGUE_READ_H
#define IO_CATALOGUE_READ_H

#include <io/decode.h>

/* One entry of the list, and what is still to be done with it. */
typedef struct catalogue_entry {
    karp_instance_type type;
    bool full; /* the full shape, not kwok's */
    bool derive; /* full, without "requirements": missing labels follow from the list */
    bool ignored_false; /* kwok's shape says Available: false somewhere, which kwok does not read */
    const karp_resource *allocatable; /* as stated, NULL = not */
    size_t allocatable_count;
} catalogue_entry;

typedef struct catalogue_reader {
    karp_context *context;
    karp_str document; /* borrowed */
    trees trees; /* the strings of the entries, as far as they are no slices of the text */
    arena arena;
    catalogue_entry *entries;
    size_t count, capacity;
} catalogue_reader;

void catalogue_reader_init(catalogue_reader *reader, karp_context *context, karp_str document);
void catalogue_reader_free(catalogue_reader *reader);

/* Decodes one entry, a tree that lasts. `place` is where the entry stands.
 * Errors: INVALID, RANGE, LIMIT, NOMEM. */
karp_status catalogue_reader_add(catalogue_reader *reader, const tree *root, const io_place *place, karp_error *error);

/* Reads the JSON list that the cursor is at, to behind it. Also: SYNTAX. */
karp_status catalogue_reader_add_list(catalogue_reader *reader, io_cursor *list, karp_error *error);

/* Reads a price list in CSV; the text must outlive the reader. Errors: as above. */
karp_status catalogue_read_csv(catalogue_reader *reader, karp_str text, karp_error *error);

/* Makes the catalogue and logs what was ignored. The reader can then only be freed. */
karp_status catalogue_reader_finish(catalogue_reader *reader, karp_catalogue **out, karp_error *error);

/* ---- between the files of the reader --------------------------------------------------------- */

/* Decode one entry; failures show in the decoder. */
void catalogue_decode_full(io_decoder *d, const tree *root, catalogue_entry *entry);
void catalogue_decode_kwok(io_decoder *d, const tree *root, catalogue_entry *entry);

/* A price: a number or text; `absent` when there is none. Finite and not negative. */
double catalogue_price(io_decoder *d, const tree *object, const char *name, const double *absent);
/* A requirement list in which every operator is known. */
const karp_requirement *catalogue_requirements(io_decoder *d, const tree *object, const char *name, size_t *count);
/* The object's own spelling of a member, as Go's JSON reader finds it: exact, else regardless of case; else `name`. */
const char *catalogue_member(io_decoder *d, const tree *object, const char *name);
/* The requirement on `key` in a list, or NULL. */
const karp_requirement *catalogue_find(const karp_requirement *list, size_t count, karp_str key);
/* Key In values. */
karp_requirement catalogue_in(karp_str key, const karp_str *values, size_t count);
/* The values that the type's offerings have for `key`, each once, sorted. NULL = no memory. */
const karp_str *catalogue_offering_values(arena *memory, const karp_instance_type *type, karp_str key, size_t *count);

extern const karp_str catalogue_key_type, catalogue_key_arch, catalogue_key_os, catalogue_key_zone,
    catalogue_key_capacity_type, catalogue_key_reservation;

#endif
