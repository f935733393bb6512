/* SPDX-License-Identifier: Apache-2.0 */
/* Fills the caller's karp_error, and checks structs that begin with their size. */
#pragma once

#include <stdarg.h>
#include <base/str.h>

/* Fills *error (NULL allowed) and returns status. The format is printf's, without floating point. */
karp_status fail(karp_error *error, karp_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
karp_status vfail(karp_error *error, karp_status status, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

/* Whether the caller's error (NULL allowed) has this member. A struct that was only zeroed counts as a whole one of
 * 0.1. */
#define ERROR_HAS(error, member)                                                                                       \
    ((error) != NULL && ((error)->size == 0 || (error)->size >= offsetof(karp_error, member) + sizeof(error)->member))

/* Copies an error to the caller's (NULL allowed), limited to the caller's size. Returns from->status. */
karp_status error_give(const karp_error *from, karp_error *to);

/* Set the object ("Pod default/web-0") and the field of an error that is already filled. A NULL argument leaves that
 * part unchanged. */
void error_set_object(karp_error *error, const char *kind, karp_str namespace_, karp_str name);
void error_set_field(karp_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets the position of the error in a document. line 0 = unknown; then there is no offset either. */
void error_set_place(karp_error *error, karp_str document, uint32_t line, uint32_t column, uint64_t offset);

/* Of several statuses that are checked once in the end, the first failure is kept. */
static inline void keep_failure(karp_status *kept, karp_status status)
{
    if (*kept == KARP_OK) *kept = status;
}

karp_status fail_nomem(karp_error *error);
/* INVALID: a required argument is NULL. */
karp_status fail_null(karp_error *error, const char *what);
/* ABI_NEW: a newer caller has set a bit that this version does not know. */
karp_status fail_bits(karp_error *error, const char *what);
/* ABI_NEW: a newer caller has set a member that is reserved in this version. */
karp_status fail_reserved(karp_error *error, const char *what);
/* A getter of a decision refuses what the decision counts. */
karp_status fail_hidden(karp_error *error, karp_status status);
#ifdef __clang_analyzer__ /* It analyses one file at a time, so it is told that fail() never returns KARP_OK. */
#define fail(error, status, ...) (fail(error, status, __VA_ARGS__), (status))
#endif

/* The size of a struct's first version: everything up to and including this member. Unlike sizeof, it stays the same
 * when members are appended. */
#define SIZE_THROUGH(type, field) (offsetof(type, field) + sizeof(((type *)NULL)->field))

/* Checks a caller's struct that begins with its size. This library knows `known` bytes, and the first version had
 * `least`. On success copies min(size, known) bytes to `copy`, zeroes the rest, and sets its size to known. If
 * `given` is NULL, the copy is all zero except its size. Errors: ABI_SIZE, ABI_OLD, ABI_NEW. */
karp_status struct_check(const void *given, size_t known, size_t least, void *copy, const char *what,
                         karp_error *error);

/* INVALID: one of the texts of a caller's struct has a length, but is NULL. */
karp_status struct_check_texts(const karp_str *const *texts, size_t count, const char *what, karp_error *error);
#define STRUCT_CHECK_TEXTS(what, error, ...)                                                                           \
    struct_check_texts((const karp_str *const[]){ __VA_ARGS__ },                                                       \
                       sizeof((const karp_str *const[]){ __VA_ARGS__ }) / sizeof(const karp_str *), what, error)

/* The same for an element of an array whose stride is the caller's size of the struct, which every element states. Also
 * ABI_SIZE: the elements differ, or their size is no multiple of a size_t. */
karp_status struct_element(const void *array, size_t index, size_t known, size_t least, void *copy, const char *what,
                           karp_error *error);

/* Writes an output struct whose caller may know fewer bytes: copies min(out->size, known) bytes and keeps out->size. */
karp_status struct_give(void *out, const void *value, size_t known, size_t least);

/* Initializes a caller's struct, of which the caller knows `size` bytes: copies min(size, known) bytes, zeroes the
 * rest, and sets its size. NULL is allowed. */
void struct_start(void *out, size_t size, const void *fresh, size_t known);

/* Whether an output struct is large enough, for functions that must check this before doing any work. Errors:
 * ABI_SIZE. */
karp_status struct_check_size(const void *out, size_t least, const char *what, karp_error *error);
