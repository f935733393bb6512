/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file columns.h  Tables of columns: how decisions, snapshots and catalogues are read as a whole.
 *
 * For callers to whom a call per item is dear (other languages) or who want data frames. The memory is laid out as
 * Apache Arrow lays it out, little- or big-endian as the machine is: a column of numbers is an array; of text, an array
 * of bytes and one of offsets; repeated text is an array of indices into a dictionary. No column has nulls: what is
 * absent is "", 0 or what the field's description says, as in the structs of decision.h.
 *
 * A table is computed when it is asked for, owns everything it shows, and outlives what it was made of. Every table may
 * be read by several threads at once. Which columns a table has is listed in docs/columns.md; columns may be added in
 * later versions (find them by name), none is taken away or changes its meaning.
 */
#ifndef KARP_COLUMNS_H
#define KARP_COLUMNS_H

#include <karp/decision.h>
#include <karp/snapshot.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What the values of a column are. */
enum {
    KARP_COLUMN_UINT32 = 1, /**< array of uint32_t */
    KARP_COLUMN_INT64 = 2, /**< array of int64_t */
    KARP_COLUMN_DOUBLE = 3, /**< array of double */
    KARP_COLUMN_TEXT = 4, /**< UTF-8, all rows one after the other; row i is bytes offsets[i] … offsets[i+1] − 1 */
    KARP_COLUMN_DICTIONARY = 5 /**< array of uint32_t, each the number of a text of the dictionary */
};

/** One column. Everything it points to is borrowed from the table and is never NULL where the type has it. */
typedef struct karp_column {
    size_t size;
    karp_str name;
    uint32_t type; /**< KARP_COLUMN_*; of the elements when it is a list */
    uint32_t is_list; /**< 1 = row i has the values offsets[i] … offsets[i+1] − 1; never with KARP_COLUMN_TEXT */
    size_t row_count;
    const void *values; /**< as the type says */
    size_t value_count; /**< elements; bytes of KARP_COLUMN_TEXT */
    const int32_t *offsets; /**< row_count + 1 of them; NULL unless it is a list or text */
    const char *dictionary; /**< its texts one after the other; NULL unless KARP_COLUMN_DICTIONARY */
    const int32_t *dictionary_offsets; /**< dictionary_count + 1 of them; likewise */
    size_t dictionary_count;
} karp_column;

/**
 * Columns of equal length: karp_decision_table(), karp_snapshot_table(), karp_catalogue_table(). Single ownership.
 * Since 0.1.
 */
typedef struct karp_table karp_table;

/** Frees a table and all its columns. NULL is allowed. Since 0.1. */
KARP_API void karp_table_free(karp_table *table);

/** How many rows it has. Since 0.1. */
KARP_API size_t karp_table_row_count(const karp_table *table);

/** How many columns it has. Since 0.1. */
KARP_API size_t karp_table_column_count(const karp_table *table);

/** Column @p index into @p out, whose size must be set. Errors: NOT_FOUND, ABI_SIZE. Since 0.1. */
KARP_API karp_status karp_table_column(const karp_table *table, size_t index, karp_column *out);

/** The column of that name. Errors: NOT_FOUND, ABI_SIZE. Since 0.1. */
KARP_API karp_status karp_table_find(const karp_table *table, karp_str name, karp_column *out);

/** Tables of a decision, karp_decision_table(). */
enum {
    KARP_TABLE_PODS = 1, /**< what became of each pod, by name */
    KARP_TABLE_LAUNCHES = 2, /**< as karp_decision_launch(): with their pods and instance types as lists */
    KARP_TABLE_PLACEMENTS = 3, /**< as karp_decision_placement() */
    KARP_TABLE_UNSCHEDULABLE = 4, /**< as karp_decision_unschedulable(), without the refusals */
    KARP_TABLE_REFUSALS = 5, /**< what each NodePool said to each unschedulable pod */
    KARP_TABLE_IGNORED = 6, /**< as karp_decision_ignored() */
    KARP_TABLE_NODES = 7, /**< as karp_decision_node() */
    KARP_TABLE_CANDIDATES = 8, /**< of a disruption, as karp_decision_candidate() */
    KARP_TABLE_COMMANDS = 9, /**< of a disruption, as karp_decision_command() */
    KARP_TABLE_KEPT = 10 /**< of a disruption, as karp_decision_kept() */
};

/**
 * Makes a table of a decision. @p table is one of KARP_TABLE_PODS … KARP_TABLE_KEPT; those of a disruption have no rows for
 * a launch decision. The work grows with the rows. May be called by several threads at once on one decision.
 * Errors: NOT_FOUND (no such table), NOMEM, LIMIT (2 GiB of text in one column). Since 0.1.
 */
KARP_API karp_status karp_decision_table(const karp_decision *decision, uint32_t table, karp_table **out,
                                         karp_error *error);

/** Tables of a snapshot, karp_snapshot_table(). */
enum {
    KARP_TABLE_SNAPSHOT_PODS = 101, /**< every pod, in the order they were added: a row's number is the pod's index */
    KARP_TABLE_SNAPSHOT_NODES = 102 /**< state nodes, by name */
};

/**
 * Makes a table of a snapshot: KARP_TABLE_SNAPSHOT_*. The work grows with the rows. May be called by several threads at once.
 * Errors: NOT_FOUND (no such table), NOMEM, LIMIT (2 GiB of text in one column). Since 0.1.
 */
KARP_API karp_status karp_snapshot_table(const karp_snapshot *snapshot, uint32_t table, karp_table **out,
                                         karp_error *error);

/** Tables of a catalogue, karp_catalogue_table(). */
enum {
    KARP_TABLE_INSTANCE_TYPES = 201, /**< in the catalogue's order, with allocatable and capacity */
    KARP_TABLE_OFFERINGS = 202 /**< of all types, in the catalogue's order */
};

/**
 * Makes a table of a catalogue: KARP_TABLE_INSTANCE_TYPES, KARP_TABLE_OFFERINGS. The work grows with the rows. May be called
 * by several threads at once. Errors: NOT_FOUND (no such table), NOMEM, LIMIT (2 GiB of text in one column). Since 0.1.
 */
KARP_API karp_status karp_catalogue_table(const karp_catalogue *catalogue, uint32_t table, karp_table **out,
                                          karp_error *error);

/* ---- Arrow's C interfaces ------------------------------------------------------------------------------------------ */

/* As https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html give them, to be copied. */
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
 * The table as a struct array of Arrow, a field per column; nothing is copied. What is handed out holds the table until its
 * `release` is called, from any one thread, whatever becomes of @p table before. Errors: NOMEM, INVALID. Since 0.1.
 */
KARP_API karp_status karp_table_arrow(karp_table *table, struct ArrowSchema *schema, struct ArrowArray *array,
                                      karp_error *error);

/** The same as a stream of one batch, which is what data frames take. Errors: NOMEM, INVALID. Since 0.1. */
KARP_API karp_status karp_table_arrow_stream(karp_table *table, struct ArrowArrayStream *out, karp_error *error);

#ifdef __cplusplus
}
#endif
#endif
