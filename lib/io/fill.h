/* SPDX-License-Identifier: Apache-2.0 */
/* What the API server and the controllers would have added to plain objects. Nothing that the input states is changed. */
#ifndef IO_FILL_H
#define IO_FILL_H

#include <io/reader.h>

typedef struct io_filler {
    karp_reader *reader;
    bool fill;      /* false = strict */
    int64_t start;  /* 24 h before now */
    uint64_t pods;  /* numbered so far */
    uint64_t uids;  /* given so far */
} io_filler;

karp_status io_filler_begin(io_filler *filler, karp_reader *reader);
void io_filler_free(io_filler *filler);
/* Fills one waiting object in and adds it, and what comes of it. */
karp_status io_fill(io_filler *filler, const io_waiting *w, json_t *tree, const io_place *place);
/* Adds what can only be told at the end. */
karp_status io_filler_end(io_filler *filler);

/* The tree of a waiting object; NULL = failed, status in reader->error. */
json_t *io_waiting_tree(karp_reader *reader, const io_waiting *w);
io_place io_waiting_place(const io_waiting *w);
/* Adds a finished object and keeps it for the dump. */
karp_status io_add_filled(karp_reader *reader, const io_kind_info *info, const json_t *tree, const io_place *place);

#endif
