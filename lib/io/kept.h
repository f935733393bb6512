/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The canonical texts of all objects, for digests and dumps. Pods have most of their text in common, so they are kept
 * packed: the form of a pod is its text without its own scalars, and the same for all pods like it. Values that pods
 * share are written once.
 */
#pragma once

#include <io/table.h>

/* What the objects of one kind and namespace have in common. */
typedef struct io_kept_place {
    karp_str kind, api_version, namespace_;
    uint32_t number; /* index in the list */
} io_kept_place;

/* An object as it was added to the builder: part of the canonical Snapshot. */
typedef struct io_kept {
    const io_kept_place *of;
    karp_str name;
    karp_str text; /* of a Pod: its own scalars, each before a line feed */
    const karp_str *with_drift; /* the text with a condition that follows from changes; NULL = `text` */
    uint32_t form; /* of a Pod; NO_ID = `text` is complete */
} io_kept;

/* How a pod was packed: what its values were, in the order of the text. */
typedef enum io_pack_kind {
    IO_PACK_OWN, /* anything, which is the pod's own */
    IO_PACK_COMMON, /* this text, which is in the form */
    IO_PACK_SHARED, /* the value of this address */
    IO_PACK_LIST, /* so many items, which follow */
    IO_PACK_MAP, /* so many members, which follow, each before its value */
    IO_PACK_MEMBER /* its number in the map */
} io_pack_kind;
typedef struct io_pack_step {
    io_pack_kind kind;
    uint32_t number;
    uint64_t key; /* tree_key() of a name, or an address */
    const char *text; /* a name, or the text */
} io_pack_step;

/* Another pod whose values are these has the form, and the same kind and namespace. */
typedef struct io_pack_recipe {
    const io_kept_place *of;
    size_t first; /* step */
    uint32_t form;
} io_pack_recipe;

/* A form is a sequence of: the length of a text, the text, and what follows it. The numbers have 32 bits. */
typedef struct io_packing {
    io_table places; /* "kind\napiVersion\nnamespace" -> index */
    const io_kept_place **place_list;
    size_t place_capacity;
    strings forms;
    karp_str *shared; /* texts of values that several pods have */
    size_t shared_count, shared_capacity;
    strbuf form, own; /* of the pod that is being packed */
    size_t length_at; /* where the length of the last text stands in the form */
    bool notes_steps;
    io_pack_step *steps;
    size_t step_count, step_capacity;
    io_pack_recipe *recipes;
    size_t recipe_count, recipe_capacity;
} io_packing;

/* Receives a text piece by piece. */
typedef struct io_text_sink {
    void (*add)(void *to, const char *ptr, size_t length);
    void *to;
} io_text_sink;

void io_packing_init(io_packing *p, karp_context *context);
void io_packing_free(io_packing *p);

/* Writes the text, without `with_drift`. */
void io_kept_put(const karp_reader *reader, const io_kept *kept, const io_text_sink *sink);
/* The same in the arena. false = out of memory. */
bool io_kept_text(const karp_reader *reader, const io_kept *kept, arena *memory, karp_str *out);
