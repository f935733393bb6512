/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The syntax tree of an expression. The parser creates it, the checker resolves its types, and the evaluator walks
 * it.
 */
#pragma once

#include <model/cel.h>

enum cel_kind {
    CEL_CONSTANT, /* value */
    CEL_NAME, /* text */
    CEL_SELECT, /* first.text, first.?text */
    CEL_INDEX, /* first[second], first[?second] */
    CEL_CALL, /* text(arguments), first.text(arguments) */
    CEL_LIST, /* arguments */
    CEL_NOT,
    CEL_MINUS, /* first */
    CEL_AND,
    CEL_OR,
    CEL_EQUAL,
    CEL_UNEQUAL,
    CEL_LESS,
    CEL_LESS_EQUAL,
    CEL_MORE,
    CEL_MORE_EQUAL,
    CEL_IN,
    CEL_ADD,
    CEL_SUBTRACT,
    CEL_MULTIPLY,
    CEL_DIVIDE,
    CEL_MODULO, /* binary operators: first, second */
    CEL_CHOICE /* first ? second : third */
};

/* The static type of a value; CEL_ANY is known only at evaluation. */
enum cel_type {
    CEL_ANY,
    CEL_T_BOOL,
    CEL_T_INT,
    CEL_T_UINT,
    CEL_T_DOUBLE,
    CEL_T_TEXT,
    CEL_T_NULL,
    CEL_T_QUANTITY,
    CEL_T_VERSION,
    CEL_T_LIST,
    CEL_T_DEVICE,
    CEL_T_ATTRIBUTES,
    CEL_T_CAPACITIES,
    CEL_T_ATTRIBUTE_DOMAIN,
    CEL_T_CAPACITY_DOMAIN,
    CEL_T_FAILURE
};

typedef struct cel_version {
    uint64_t major, minor, patch;
    karp_str pre; /* without the hyphen */
} cel_version;

typedef struct cel_value {
    enum cel_type type;
    bool optional, present; /* for an optional value: whether it has a value */
    union {
        bool boolean;
        int64_t integer;
        uint64_t natural;
        double real;
        karp_str text; /* also the domain, for an attribute or capacity domain */
        amount quantity;
        cel_version version;
        const cel_node *list; /* a literal list; its elements are evaluated on use */
    } as;
} cel_value;

enum cel_function {
    CEL_F_NONE,
    CEL_F_HAS,
    CEL_F_BIND,
    CEL_F_ALL,
    CEL_F_EXISTS,
    CEL_F_EXISTS_ONE,
    CEL_F_QUANTITY,
    CEL_F_IS_QUANTITY,
    CEL_F_VERSION,
    CEL_F_IS_VERSION,
    CEL_F_SIZE,
    CEL_F_STARTS,
    CEL_F_ENDS,
    CEL_F_CONTAINS,
    CEL_F_COMPARE,
    CEL_F_GREATER,
    CEL_F_LESS,
    CEL_F_SIGN,
    CEL_F_IS_INTEGER,
    CEL_F_AS_INTEGER,
    CEL_F_AS_DOUBLE,
    CEL_F_ADD,
    CEL_F_SUB,
    CEL_F_MAJOR,
    CEL_F_MINOR,
    CEL_F_PATCH,
    CEL_F_HAS_VALUE,
    CEL_F_VALUE,
    CEL_F_OR_VALUE,
    CEL_F_OR,
    CEL_F_OPTIONAL_OF,
    CEL_F_OPTIONAL_NONE,
    CEL_F_DYN,
    CEL_F_INT
};

struct cel_node {
    enum cel_kind kind;
    enum cel_function function;
    uint16_t depth;
    bool maybe; /* .?name or [?key] */
    bool on_first; /* a call that has a receiver */
    cel_node *first, *second, *third;
    cel_node *arguments, *next; /* a linked list, in order */
    uint32_t argument_count;
    karp_str text;
    cel_value constant;
};

enum { CEL_MOST_DEPTH = 120, CEL_MOST_NESTING = 60 };

/* cel_parse.c: returns CEL_COMPILED, CEL_WRONG, CEL_BEYOND or CEL_REFUSED. *root is set on CEL_COMPILED. */
uint32_t cel_parse(arena *a, karp_str text, cel_node **root);

bool cel_read_version(karp_str text, bool lenient, cel_version *out);
int cel_compare_versions(const cel_version *x, const cel_version *y);
bool cel_equal(const cel_value *x, const cel_value *y);
/* *order becomes −1, 0, 1, or 2 for a NaN. false = not comparable. */
bool cel_order(const cel_value *x, const cel_value *y, int *order);
