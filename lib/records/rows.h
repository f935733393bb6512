/* SPDX-License-Identifier: Apache-2.0 */
/* Macros for the rows of records: S is the struct, m its member. Only files with tables include this. */
#pragma once

#include <records/record.h>

#define NAMED_FIELD(text) .name = (text), .length = sizeof(text) - 1
#define MEMBER_AT(S, m, type_)                                                                                         \
    (offsetof(S, m) + 0 * sizeof(_Generic(((S *)0)->m, type_ : 1))) /* the member must have this type */
#define FIELD_ROW(text, kind_, S, m, type_) NAMED_FIELD(text), .kind = (kind_), .at = MEMBER_AT(S, m, type_)
#define CHECKED(text, kind_) NAMED_FIELD(text), .kind = (kind_), .at = FIELD_NOWHERE

#define TEXT(text, S, m) FIELD_ROW(text, FIELD_TEXT, S, m, karp_str)
#define NEEDED(text, S, m) FIELD_ROW(text, FIELD_NEEDED, S, m, karp_str), MUST
#define NAME(text, S, m) FIELD_ROW(text, FIELD_NAME, S, m, karp_str), MUST
#define TEXT_OR_INTEGER(text, S, m) FIELD_ROW(text, FIELD_TEXT_OR_NUMBER, S, m, karp_str)
#define TEXT_OR_NUMBER(text, S, m) FIELD_ROW(text, FIELD_TEXT_OR_NUMBER, S, m, karp_str), .more = 1
#define INT_OR_STRING(text, S, m) FIELD_ROW(text, FIELD_INT_OR_STRING, S, m, karp_int_or_string)
#define QUANTITY(text, S, m) FIELD_ROW(text, FIELD_QUANTITY, S, m, karp_str)
#define FLAG(text, S, m) FIELD_ROW(text, FIELD_FLAG, S, m, uint32_t)
#define BOOL(text, S, m) FIELD_ROW(text, FIELD_BOOL, S, m, bool)
#define TIME(text, S, m) FIELD_ROW(text, FIELD_TIME, S, m, int64_t)
#define DURATION(text, S, m) FIELD_ROW(text, FIELD_DURATION, S, m, int64_t)
#define DURATION_OR_NEVER(text, S, m) FIELD_ROW(text, FIELD_DURATION_OR_NEVER, S, m, int64_t)
#define INT32(text, S, m) FIELD_ROW(text, FIELD_INT32, S, m, int32_t)
#define INT64(text, S, m) FIELD_ROW(text, FIELD_INT64, S, m, int64_t)
#define WITHIN(from, to)                                                                                               \
    .by.range = &(const record_range) { (from), (to) } /* added to one of these */
#define NUMBER32(text, S, m, from, to) INT32(text, S, m), WITHIN(from, to)
#define NUMBER64(text, S, m, from, to) INT64(text, S, m), WITHIN(from, to)
#define SOME(text, S, m) FIELD_ROW(text, FIELD_SOME, S, m, int64_t)
#define UINT32(text, S, m) FIELD_ROW(text, FIELD_UINT32, S, m, uint32_t)
#define UINT64(text, S, m) FIELD_ROW(text, FIELD_UINT64, S, m, uint64_t)
#define SIZE(text, S, m) FIELD_ROW(text, FIELD_SIZE, S, m, size_t)
#define REAL(text, S, m) FIELD_ROW(text, FIELD_REAL, S, m, double)
#define MONEY(text, S, m) FIELD_ROW(text, FIELD_MONEY, S, m, double)
#define PRICE(text, S, m) FIELD_ROW(text, FIELD_PRICE, S, m, double)
#define SUM(text, S, m) FIELD_ROW(text, FIELD_SUM, S, m, double)
#define JSON(text, S, m) FIELD_ROW(text, FIELD_JSON, S, m, karp_str)
#define WORD(text, S, m, words_) FIELD_ROW(text, FIELD_WORD, S, m, uint32_t), .by.words = &(words_)
#define NAMED(text, S, m, names_) FIELD_ROW(text, FIELD_NAMED, S, m, uint32_t), .by.names = &(names_)
#define POD(text, S, m) FIELD_ROW(text, FIELD_POD, S, m, uint32_t)
#define COUNTED(text, kind_, S, m, n, type_)                                                                           \
    FIELD_ROW(text, kind_, S, m, const type_ *), .count = MEMBER_AT(S, n, size_t)
#define TEXTS(text, S, m, n) COUNTED(text, FIELD_TEXTS, S, m, n, karp_str)
#define LABELS(text, S, m, n) COUNTED(text, FIELD_LABELS, S, m, n, karp_label)
#define AMOUNTS(text, S, m, n) COUNTED(text, FIELD_AMOUNTS, S, m, n, karp_resource)
#define PODS(text, S, m, n) COUNTED(text, FIELD_PODS, S, m, n, uint32_t)
#define NODE_LABELS(text, S, m, n) COUNTED(text, FIELD_NODE_LABELS, S, m, n, karp_label)
#define LIST(text, S, m, n, record_)                                                                                   \
    NAMED_FIELD(text), .kind = FIELD_LIST, .at = offsetof(S, m), .count = MEMBER_AT(S, n, size_t), .inner = &(record_)
#define MAP(text, S, m, n, type_, function)                                                                            \
    COUNTED(text, FIELD_MAP, S, m, n, type_), .more = sizeof(type_), .by.member = (function)
#define POINTER(text, S, m, record_) NAMED_FIELD(text), .kind = FIELD_POINTER, .at = offsetof(S, m), .inner = &(record_)
#define SHARED(S, m, record_)                                                                                          \
    .name = "", .kind = FIELD_SHARED, .always = true, .at = offsetof(S, m), .inner = &(record_)
#define STRUCT(text, S, m, record_) NAMED_FIELD(text), .kind = FIELD_OBJECT, .at = offsetof(S, m), .inner = &(record_)
#define OBJECT(text, record_) NAMED_FIELD(text), .kind = FIELD_OBJECT, .inner = &(record_)
#define DIGEST(text, S, m) FIELD_ROW(text, FIELD_DIGEST, S, m, uint64_t)
#define CONSTANT(name_, value) NAMED_FIELD(name_), .kind = FIELD_CONSTANT, .by.text = (value)
#define CALL(text, function) NAMED_FIELD(text), .kind = FIELD_CALL, .by.call = (function)
#define RANGE(text, kind_, S, from, n)                                                                                 \
    FIELD_ROW(text, kind_, S, from, size_t), .count = MEMBER_AT(S, n, size_t) /* FIELD_LAUNCHES, FIELD_PLACEMENTS */

/* Added to a row. */
#define HAS(S, m) .has = MEMBER_AT(S, m, uint32_t) /* the member is set if the field is present */
#define WHEN(S, m) HAS(S, m), .show = SHOW_IF
#define IF_GIVEN(S, m, type_) .has = MEMBER_AT(S, m, type_), .show = SHOW_IF /* only written */
#define IF_MORE(S, m) .has = MEMBER_AT(S, m, size_t), .show = SHOW_IF_MORE
#define WHEN_NOT(S, m) HAS(S, m), .show = SHOW_UNLESS
#define GIVEN .show = SHOW_GIVEN
#define POSITIVE .show = SHOW_POSITIVE
#define NOT_NEGATIVE .show = SHOW_NOT_NEGATIVE
#define NEGATIVE_IS_NULL .show = SHOW_AS_NULL
#define NULL_IS_NULL .show = SHOW_AS_NULL /* of a text */
#define FLAT .flat = true
#define IN(documents) .in = (documents)
#define BIT(flag) .more = (flag)
#define MUST .needed = true
#define COLUMN .column = true
#define COLUMN_ALONE COLUMN, IN(IN_TABLE)
#define WORDS_COLUMN .column = true, .words = true

/* The parts of a record: the struct's size or its initial value, and the rows. */
#define OF(S) .size = sizeof(S)
#define VERSIONED(S, last) .first = offsetof(S, last) + sizeof(((S *)0)->last), .type = #S /* last: of version 1 */
#define SIZED(S, last) OF(S), VERSIONED(S, last)
#define LIKE(empty) .size = sizeof(empty), .absent = &(empty)
#define OPEN(...)                                                                                                      \
    .fields = (const record_field[]){ __VA_ARGS__ },                                                                   \
    .count = sizeof((const record_field[]){ __VA_ARGS__ }) / sizeof(record_field)
#define CLOSED(...) .closed = true, OPEN(__VA_ARGS__)
#define WORDS(name) .list = name##_list, .count = sizeof name##_list / sizeof name##_list[0]
