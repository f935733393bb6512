/* SPDX-License-Identifier: Apache-2.0 */
#include <io/tree.h>

#include <base/error.h>
#include <providers/members.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- errors ------------------------------------------------------------------------------------------------------ */

karp_status io_fail(karp_error *error, karp_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vfail(error, status, format, arguments);
    va_end(arguments);
    return status;
}

karp_status io_null(karp_error *error, const char *what) { return io_fail(error, KARP_E_INVALID, "NULL for %s", what); }

karp_status io_nomem(karp_error *error) { return io_fail(error, KARP_E_NOMEM, "out of memory"); }

void io_error_text(char *into, size_t room, karp_str text)
{
    size_t n = text.len < room - 1 ? text.len : room - 1;
    while (n < text.len && n > 0 && ((unsigned char)text.ptr[n] & 0xC0) == 0x80) n--;
    if (n) memcpy(into, text.ptr, n);
    into[n] = '\0';
}

void io_error_place(karp_error *error, const io_place *place)
{
    io_error_text(error->document, sizeof error->document, place->document);
    error->line = place->line;
    error->column = place->column;
    error->byte_offset = place->line ? place->offset : KARP_NO_OFFSET;
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

io_place io_place_of(karp_str document, const io_cursor *json)
{
    return (io_place){
        .document = document, .line = json->line, .column = io_cursor_column(json), .offset = json->pos, .json = json
    };
}

static bool find_in_text(io_cursor *at, const io_step *path, size_t depth)
{
    for (size_t i = 0; i < depth; i++) {
        io_cursor walk = *at, value = *at;
        bool first = true, found = false;
        for (size_t n = 0; !found; n++) {
            karp_str name = { 0 };
            io_scan result = path[i].name ? io_scan_member(&walk, &first, &name, &value)
                                          : io_scan_element(&walk, &first, &value);
            if (result != IO_SCAN_OK) return i > 0;
            found = path[i].name ? io_str_is(name, path[i].name) : n == path[i].index;
        }
        *at = value;
    }
    return true;
}

static io_mark *mark_slot(const io_marks *marks, const void *node)
{
    uint64_t hash = (uint64_t)(uintptr_t)node * UINT64_C(0x9e3779b97f4a7c15);
    size_t mask = marks->slot_count - 1;
    size_t at = (size_t)(hash >> 32) & mask;
    while (marks->slots[at].node && marks->slots[at].node != node) at = (at + 1) & mask;
    return &marks->slots[at];
}

bool io_marks_add(karp_context *context, io_marks *marks, io_mark mark)
{
    if (marks->count * 2 >= marks->slot_count) {
        io_marks bigger = { .slot_count = marks->slot_count ? marks->slot_count * 2 : 256, .count = marks->count };
        if (bigger.slot_count > SIZE_MAX / 2 / sizeof mark) return false;
        bigger.slots = karp_alloc(context, bigger.slot_count * sizeof mark);
        if (!bigger.slots) return false;
        memset(bigger.slots, 0, bigger.slot_count * sizeof mark);
        for (size_t i = 0; i < marks->slot_count; i++) {
            if (marks->slots[i].node) *mark_slot(&bigger, marks->slots[i].node) = marks->slots[i];
        }
        karp_free(context, marks->slots, marks->slot_count * sizeof mark);
        *marks = bigger;
    }
    io_mark *slot = mark_slot(marks, mark.node);
    if (!slot->node) marks->count++;
    *slot = mark;
    return true;
}

void io_marks_free(karp_context *context, io_marks *marks)
{
    karp_free(context, marks->slots, marks->slot_count * sizeof *marks->slots);
    memset(marks, 0, sizeof *marks);
}

static void find_mark(io_place *place, const void *node)
{
    if (place->marks->slot_count == 0) return;
    const io_mark *mark = mark_slot(place->marks, node);
    if (!mark->node) return;
    place->line = mark->line;
    place->column = mark->column;
    place->offset = mark->offset;
}

void io_place_refine(io_place *place, const json_t *root, const io_step *path, size_t depth)
{
    if (place->json) {
        io_cursor at = *place->json;
        if (!find_in_text(&at, path, depth)) return;
        place->line = at.line;
        place->column = io_cursor_column(&at);
        place->offset = at.pos;
    } else if (place->marks) {
        for (size_t i = 0; root; i++) {
            find_mark(place, root);
            if (i == depth) return;
            if (path[i].name) {
                void *member = NULL;
                if (json_is_object(root)) member = json_object_iter_at(same_object(root), path[i].name);
                if (!member) return;
                find_mark(place, json_object_iter_key(member));
                root = json_object_iter_value(member);
            } else {
                root = json_array_get(root, path[i].index);
            }
        }
    }
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

void io_write_string(io_text *out, const char *ptr, size_t length)
{
    static const char digits[] = "0123456789abcdef";
    io_text_addc(out, '"');
    size_t plain = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char ch = (unsigned char)ptr[i];
        if (ch >= 0x20 && ch != '"' && ch != '\\') continue;
        io_text_add(out, ptr + plain, i - plain);
        plain = i + 1;
        if (ch >= 0x20) {
            io_text_addc(out, '\\');
            io_text_addc(out, ptr[i]);
        } else if (ch == '\n') {
            io_text_adds(out, "\\n");
        } else if (ch == '\t') {
            io_text_adds(out, "\\t");
        } else if (ch == '\r') {
            io_text_adds(out, "\\r");
        } else {
            io_text_adds(out, "\\u00");
            io_text_addc(out, digits[ch >> 4]);
            io_text_addc(out, digits[ch & 15]);
        }
    }
    io_text_add(out, ptr + plain, length - plain);
    io_text_addc(out, '"');
}

static int compare_names(const void *a, const void *b) { return strcmp(a, b); }

static void sort_few(const void **names, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const void *name = names[i];
        size_t at = i;
        for (; at > 0 && compare_names(names[at - 1], name) > 0; at--) names[at] = names[at - 1];
        names[at] = name;
    }
}

enum { FEW_MEMBERS = 24 };

static void write_object(io_text *out, const json_t *object)
{
    const void *few[FEW_MEMBERS];
    const void **names = few;
    size_t count = json_object_size(object), n = 0;
    if (count > FEW_MEMBERS) {
        names = karp_alloc(out->context, count * sizeof *names);
        if (!names) {
            out->failed = true;
            return;
        }
    }
    for (void *i = first_member(object); i && n < count; i = next_member(object, i)) {
        names[n++] = json_object_iter_key(i);
    }
    if (count <= FEW_MEMBERS) {
        sort_few(names, n);
    } else if (!io_sort(out->context, names, n, compare_names)) {
        out->failed = true;
    }
    io_text_addc(out, '{');
    for (size_t i = 0; i < n && !out->failed; i++) {
        const char *name = names[i];
        if (i) io_text_addc(out, ',');
        io_write_string(out, name, strlen(name));
        io_text_addc(out, ':');
        io_write_json(out, json_object_get(object, name));
    }
    io_text_addc(out, '}');
    if (names != few) karp_free(out->context, names, count * sizeof *names);
}

void io_write_json(io_text *out, const json_t *value)
{
    if (out->failed) return;
    switch (json_typeof(value)) {
    case JSON_OBJECT: write_object(out, value); break;
    case JSON_ARRAY:
        io_text_addc(out, '[');
        for (size_t i = 0; i < json_array_size(value); i++) {
            if (i) io_text_addc(out, ',');
            io_write_json(out, json_array_get(value, i));
        }
        io_text_addc(out, ']');
        break;
    case JSON_STRING: io_write_string(out, json_string_value(value), json_string_length(value)); break;
    case JSON_INTEGER: io_text_addi(out, json_integer_value(value)); break;
    case JSON_REAL: {
        char number[KARP_VALUE_TEXT];
        karp_double_format(json_real_value(value), number);
        io_text_adds(out, number);
        /* What looks like an integer must fit one when it is read again. */
        if (!strpbrk(number, ".e") && (json_real_value(value) >= 9e18 || json_real_value(value) <= -9e18))
            io_text_adds(out, ".0");
        break;
    }
    case JSON_TRUE: io_text_adds(out, "true"); break;
    case JSON_FALSE: io_text_adds(out, "false"); break;
    case JSON_NULL: io_text_adds(out, "null"); break;
    }
}

/* ---- building ---------------------------------------------------------------------------------------------------- */

json_t *io_map(void) { return json_pack("{}"); }

json_t *io_list(void) { return json_pack("[]"); }

bool io_set(json_t *object, const char *name, json_t *value)
{
    return value && json_object_set_new_nocheck(object, name, value) == 0;
}

bool io_append(json_t *array, json_t *value) { return value && json_array_append_new(array, value) == 0; }

json_t *io_text_value(karp_str text) { return json_stringn_nocheck(text.ptr ? text.ptr : "", text.len); }

json_t *io_get(const json_t *object, const char *name)
{
    json_t *value = json_object_get(object, name);
    return json_is_null(value) ? NULL : value;
}

karp_str io_get_text(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    if (!json_is_string(value)) return (karp_str){ "", 0 };
    return (karp_str){ json_string_value(value), json_string_length(value) };
}

json_t *io_get_or_make(json_t *object, const char *name)
{
    json_t *value = io_get(object, name);
    if (value) return json_is_object(value) ? value : NULL;
    value = io_map();
    if (!io_set(object, name, value)) return NULL;
    return value;
}
