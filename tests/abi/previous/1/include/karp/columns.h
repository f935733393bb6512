/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file columns.h  Decisions, snapshots and catalogues as tables of columns.
 *
 * For callers for whom a call per item costs too much (other languages), or who want data frames. The layout in memory
 * is that of Apache Arrow, in the byte order of the machine. A column of numbers is an array. A column of text is an
 * array of bytes and an array of offsets. Text that repeats is an array of indices into a dictionary. No column has
 * nulls: an absent value is "", 0, or what the description of the field says, as in the structs of decision.h.
 *
 * A table is made on request. It owns everything that it returns, and outlives the object that it was made
 * of. Several threads may read a table at once. docs/columns.md lists the columns of every table. Later versions may
 * add columns, so find them by name; no column is removed, and none changes its meaning. Everything in this file is
 * since 1.0.
 */
#ifndef KARP_COLUMNS_H
#define KARP_COLUMNS_H

#include <karp/decision.h>
#include <karp/snapshot.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Types of columns. Numbers never change. */
enum {
    KARP_COLUMN_UINT32 = 1, /**< array of uint32_t */
    KARP_COLUMN_INT64 = 2, /**< array of int64_t */
    KARP_COLUMN_DOUBLE = 3, /**< array of double */
    KARP_COLUMN_TEXT = 4, /**< UTF-8 text of all rows; that of row i is the bytes offsets[i] … offsets[i+1] − 1 */
    KARP_COLUMN_DICTIONARY = 5 /**< array of uint32_t: numbers of texts of the dictionary */
};

/** A column. Everything that it points to is borrowed from the table. Members that its type has are never NULL. */
typedef struct karp_column {
    size_t size;
    karp_str name;
    uint32_t type; /**< KARP_COLUMN_*; for a list, the type of its elements */
    uint32_t is_list; /**< 1 = row i has the values offsets[i] … offsets[i+1] − 1; never with KARP_COLUMN_TEXT */
    size_t row_count;
    const void *values; /**< as the type says */
    size_t value_count; /**< number of elements; for KARP_COLUMN_TEXT, of bytes */
    const int32_t *offsets; /**< row_count + 1 of them; NULL unless it is a list or text */
    const char *dictionary; /**< UTF-8 text of all entries; NULL unless KARP_COLUMN_DICTIONARY */
    const int32_t *dictionary_offsets; /**< dictionary_count + 1 of them; NULL unless KARP_COLUMN_DICTIONARY */
    size_t dictionary_count; /**< number of entries */
} karp_column;

/**
 * Columns of equal length, from karp_decision_table(), karp_snapshot_table() or karp_catalogue_table(). Immutable. It
 * has one owner. Since 1.0.
 */
typedef struct karp_table karp_table;

/** Frees a table and all its columns. NULL is allowed. Since 1.0. */
KARP_API void karp_table_free(karp_table *table);

/** The number of rows. Since 1.0. */
KARP_API size_t karp_table_row_count(const karp_table *table);

/** The number of columns. Since 1.0. */
KARP_API size_t karp_table_column_count(const karp_table *table);

/**
 * Fills @p out, whose size the caller has set, with column @p index; borrowed. Errors: NOT_FOUND beyond the end,
 * ABI_SIZE. Since 1.0.
 */
KARP_API karp_status karp_table_column(const karp_table *table, size_t index, karp_column *out);

/**
 * Fills @p out, whose size the caller has set, with the column @p name; borrowed. Errors: NOT_FOUND, ABI_SIZE. Since
 * 1.0.
 */
KARP_API karp_status karp_table_find(const karp_table *table, karp_str name, karp_column *out);

/** Tables of a decision, for karp_decision_table(). Numbers never change. */
enum {
    KARP_TABLE_PODS = 1, /**< what is decided for each pod, by name */
    KARP_TABLE_LAUNCHES = 2, /**< as karp_decision_launch(); pods and instance types are lists */
    KARP_TABLE_PLACEMENTS = 3, /**< as karp_decision_placement() */
    KARP_TABLE_UNSCHEDULABLE = 4, /**< as karp_decision_unschedulable(), without the refusals */
    KARP_TABLE_REFUSALS = 5, /**< why each NodePool does not take each unschedulable pod */
    KARP_TABLE_IGNORED = 6, /**< as karp_decision_ignored() */
    KARP_TABLE_NODES = 7, /**< as karp_decision_node() */
    KARP_TABLE_CANDIDATES = 8, /**< of a disruption, as karp_decision_candidate() */
    KARP_TABLE_COMMANDS = 9, /**< of a disruption, as karp_decision_command() */
    KARP_TABLE_KEPT = 10 /**< of a disruption, as karp_decision_kept() */
};

/**
 * Makes a table of a decision. @p table is one of KARP_TABLE_PODS … KARP_TABLE_KEPT. Those of a disruption have no rows
 * for a launch decision. The work grows with the number of rows. Several threads may call it on one decision. The
 * caller owns *@p out (karp_table_free()). Errors: NOT_FOUND (no such table), NOMEM, LIMIT (more than 2 GiB of text in
 * a column). Since 1.0.
 */
KARP_API karp_status karp_decision_table(const karp_decision *decision, uint32_t table, karp_table **out,
                                         karp_error *error);

/** Tables of a snapshot, for karp_snapshot_table(). Numbers never change. */
enum {
    KARP_TABLE_SNAPSHOT_PODS = 101, /**< all pods, in the order in which they were added: the row is the pod's index */
    KARP_TABLE_SNAPSHOT_NODES = 102 /**< state nodes, by name */
};

/**
 * Makes a table of a snapshot, KARP_TABLE_SNAPSHOT_*. The work grows with the number of rows. Several threads may call
 * it on one snapshot. The caller owns *@p out (karp_table_free()). Errors: NOT_FOUND (no such table), NOMEM, LIMIT
 * (more than 2 GiB of text in a column). Since 1.0.
 */
KARP_API karp_status karp_snapshot_table(const karp_snapshot *snapshot, uint32_t table, karp_table **out,
                                         karp_error *error);

/** Tables of a catalogue, for karp_catalogue_table(). Numbers never change. */
enum {
    KARP_TABLE_INSTANCE_TYPES = 201, /**< in the catalogue's order, with allocatable and capacity */
    KARP_TABLE_OFFERINGS = 202 /**< of all types, in the catalogue's order */
};

/**
 * Makes a table of a catalogue, KARP_TABLE_INSTANCE_TYPES or KARP_TABLE_OFFERINGS. The work grows with the number of
 * rows. Several threads may call it on one catalogue. The caller owns *@p out (karp_table_free()). Errors: NOT_FOUND
 * (no such table), NOMEM, LIMIT (more than 2 GiB of text in a column). Since 1.0.
 */
KARP_API karp_status karp_catalogue_table(const karp_catalogue *catalogue, uint32_t table, karp_table **out,
                                          karp_error *error);

/* ---- Arrow's C interfaces ---------------------------------------------------------------------------------------- */

/* Copied, as they are meant to be, from https://arrow.apache.org/docs/format/CDataInterface.html and
 * CStreamInterface.html. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4
/** Arrow's: names and types of columns. */
struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};
/** Arrow's: the values of columns. */
struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
/** Arrow's: arrays one after the other. */
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};
#endif

/**
 * Exports the table as a struct array of Arrow with a field for each column. Nothing is copied. The two structs keep
 * the table alive until their `release` is called, by any thread, even if @p table is freed before. Errors: NOMEM,
 * INVALID. Since 1.0.
 */
KARP_API karp_status karp_table_arrow(karp_table *table, struct ArrowSchema *schema, struct ArrowArray *array,
                                      karp_error *error);

/**
 * Exports the table as a stream of one batch, which data frames read. Keeps the table alive likewise. Errors: NOMEM,
 * INVALID. Since 1.0.
 */
KARP_API karp_status karp_table_arrow_stream(karp_table *table, struct ArrowArrayStream *out, karp_error *error);

#ifdef __cplusplus
}
#endif
#endif
