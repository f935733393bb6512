/* SPDX-License-Identifier: Apache-2.0 */
/* Filling the caller's karp_error, and the checks of size-led structs. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdarg.h>
#include <base/str.h>
#include <karp/base.h>

/* Fills *error (NULL allowed) and returns status, so that a failure is one line. Format: printf's, without floating point. */
karp_status fail(karp_error *error, karp_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
karp_status vfail(karp_error *error, karp_status status, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

/* Hands an error on to the caller (NULL allowed), as far as the caller's size says; returns from->status. */
karp_status error_give(const karp_error *from, karp_error *to);

/* Names the object ("Pod default/web-0") and the field of an error that is already filled. NULL leaves a part as it is. */
void error_set_object(karp_error *error, const char *kind, karp_str namespace_, karp_str name);
void error_set_field(karp_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says where in which document the fault is; line 0 = unknown, and then no offset either. */
void error_set_place(karp_error *error, karp_str document, uint32_t line, uint32_t column, uint64_t offset);

karp_status fail_nomem(karp_error *error);
/* INVALID: what must be given is NULL. */
karp_status fail_null(karp_error *error, const char *what);
/* ABI_NEW: a caller newer than the library sets a field that is reserved here. */
karp_status fail_reserved(karp_error *error, const char *what);
#ifdef __clang_analyzer__ /* which sees one file, and is told that a failure is none of KARP_OK */
#define fail(error, status, ...) (fail(error, status, __VA_ARGS__), (status))
#endif

/* What a struct of the first version has: everything up to this field. Never sizeof, which grows with the struct. */
#define SIZE_THROUGH(type, field) (offsetof(type, field) + sizeof(((type *)NULL)->field))

/* Checks a caller's size-led struct: `known` bytes are what this library knows, `least` what the first version had.
 * On success copies min(size, known) bytes into `copy` (known bytes, the rest zeroed; its size field = known).
 * `given` NULL yields an all-zero copy. Errors: ABI_SIZE, ABI_OLD, ABI_NEW. */
karp_status struct_check(const void *given, size_t known, size_t least, void *copy, const char *what,
                         karp_error *error);

/* Writes an out-struct whose caller may know fewer bytes: copies min(out->size, known) bytes and keeps out->size. */
karp_status struct_give(void *out, const void *value, size_t known, size_t least);

/* Whether an out-struct can be written: for functions that must not find that out when all is done. Errors: ABI_SIZE. */
karp_status struct_room(const void *out, size_t least, const char *what, karp_error *error);

#endif
