/* SPDX-License-Identifier: Apache-2.0 */
#include <base/error.h>

#include <stdio.h>

/* No struct of this API is larger. A larger size is garbage, not a newer caller. */
#define LARGEST_STRUCT ((size_t)4096)

/* karp_error as of 0.1: what a struct has that was only zeroed. */
#define FIRST_ERROR_SIZE (offsetof(karp_error, message) + sizeof(((karp_error *)0)->message))

/* Formatting truncates at the buffer's end, or fails with a negative number. Keeps one line of whole UTF-8
 * characters. */
static void tidy(char *text, size_t room, int wanted)
{
    size_t length = strlen(text);
    if ((size_t)wanted >= room) {
        size_t start = length;
        while (start > 0 && ((unsigned char)text[start - 1] & 0xc0) == 0x80) start--;
        if (start > 0 && (unsigned char)text[start - 1] >= 0xc0) {
            unsigned char lead = (unsigned char)text[start - 1];
            size_t whole = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
            if (length - (start - 1) < whole) length = start - 1;
        }
        text[length] = '\0';
    }
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f) text[i] = ' ';
    }
}

karp_status error_give(const karp_error *from, karp_error *to)
{
    if (!to) return from->status;
    size_t size = to->size, known = size == 0 ? FIRST_ERROR_SIZE : size < sizeof *from ? size : sizeof *from;
    if (known <= sizeof size) return from->status;
    memcpy((char *)to + sizeof size, (const char *)from + sizeof size, known - sizeof size);
    return from->status;
}

karp_status vfail(karp_error *error, karp_status status, const char *format, va_list arguments)
{
    if (!error) return status;
    karp_error filled;
    memset(&filled, 0, sizeof filled);
    filled.status = status;
    filled.byte_offset = KARP_NO_OFFSET;
    int wanted = vsnprintf(filled.message, sizeof filled.message, format, arguments);
    tidy(filled.message, sizeof filled.message, wanted);
    return error_give(&filled, error);
}

karp_status fail(karp_error *error, karp_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vfail(error, status, format, arguments);
    va_end(arguments);
    return status;
}

karp_status fail_reserved(karp_error *error, const char *what)
{
    return fail(error, KARP_E_ABI_NEW, "%s.reserved is set: this version of the library does not know what it means",
                what);
}

karp_status fail_bits(karp_error *error, const char *what)
{
    return fail(error, KARP_E_ABI_NEW, "%s has a bit that this version of the library does not know", what);
}

karp_status fail_null(karp_error *error, const char *what) { return fail(error, KARP_E_INVALID, "NULL for %s", what); }

karp_status fail_hidden(karp_error *error, karp_status status)
{
    return fail(error, status, "the decision does not show what it counts");
}

karp_status fail_nomem(karp_error *error) { return fail(error, KARP_E_NOMEM, "out of memory"); }

static void __attribute__((format(printf, 3, 4))) print(char *text, size_t room, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(text, room, format, arguments);
    va_end(arguments);
    tidy(text, room, wanted);
}

void error_set_object(karp_error *error, const char *kind, karp_str namespace_, karp_str name)
{
    if (!ERROR_HAS(error, object) || !kind) return;
    const char *space = namespace_.ptr ? namespace_.ptr : "";
    const char *own = name.ptr ? name.ptr : "";
    print(error->object, sizeof error->object, "%s%s%.*s%s%.*s", kind, namespace_.len + name.len > 0 ? " " : "",
          str_shown(namespace_, 1024), space, namespace_.len > 0 ? "/" : "", str_shown(name, 1024), own);
}

void error_set_field(karp_error *error, const char *format, ...)
{
    if (!ERROR_HAS(error, field)) return;
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(error->field, sizeof error->field, format, arguments);
    va_end(arguments);
    tidy(error->field, sizeof error->field, wanted);
}

void error_set_place(karp_error *error, karp_str document, uint32_t line, uint32_t column, uint64_t offset)
{
    if (!ERROR_HAS(error, document)) return;
    str_shorten(error->document, sizeof error->document, document);
    error->line = line;
    error->column = column;
    error->byte_offset = line ? offset : KARP_NO_OFFSET;
}

static size_t size_of(const void *given)
{
    size_t size = 0;
    memcpy(&size, given, sizeof size);
    return size;
}

karp_status struct_check_size(const void *out, size_t least, const char *what, karp_error *error)
{
    size_t size = size_of(out);
    if (size >= least && size <= LARGEST_STRUCT) return KARP_OK;
    return fail(error, KARP_E_ABI_SIZE, "%s.size is %zu, expected at least %zu", what, size, least);
}

karp_status struct_check(const void *given, size_t known, size_t least, void *copy, const char *what, karp_error *error)
{
    if (!given) {
        memset(copy, 0, known);
        memcpy(copy, &known, sizeof known);
        return KARP_OK;
    }
    size_t size = size_of(given);
    karp_status status = struct_check_size(given, least, what, error);
    if (status != KARP_OK) return status;
    const unsigned char *bytes = given;
    for (size_t i = known; i < size; i++) {
        if (bytes[i] != 0) {
            return fail(error, KARP_E_ABI_NEW,
                        "%s has a field set that this version of the library does not know (byte %zu)", what, i);
        }
    }
    memset(copy, 0, known);
    memcpy(copy, given, size < known ? size : known);
    memcpy(copy, &known, sizeof known);
    return KARP_OK;
}

karp_status struct_check_texts(const karp_str *const *texts, size_t count, const char *what, karp_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (!str_given(*texts[i]))
            return fail(error, KARP_E_INVALID, "%s: text %zu of %zu has a length, but is NULL", what, i + 1, count);
    }
    return KARP_OK;
}

karp_status struct_element(const void *array, size_t index, size_t known, size_t least, void *copy, const char *what,
                           karp_error *error)
{
    size_t stride = size_of(array);
    if (stride % sizeof(size_t) != 0) return fail(error, KARP_E_ABI_SIZE, "%s.size is %zu", what, stride);
    const void *given = (const char *)array + index * stride;
    if (index > 0 && size_of(given) != stride)
        return fail(error, KARP_E_ABI_SIZE, "%s.size differs between the elements of one array", what);
    return struct_check(given, known, least, copy, what, error);
}

karp_status struct_give(void *out, const void *value, size_t known, size_t least)
{
    size_t size = size_of(out);
    if (size < least || size > LARGEST_STRUCT) return KARP_E_ABI_SIZE;
    memcpy(out, value, size < known ? size : known);
    if (size > known) memset((char *)out + known, 0, size - known);
    memcpy(out, &size, sizeof size);
    return KARP_OK;
}

void struct_start(void *out, size_t size, const void *fresh, size_t known)
{
    if (out == NULL || size < sizeof size) return;
    memcpy(out, &size, sizeof size);
    (void)struct_give(out, fresh, known, sizeof size);
}
