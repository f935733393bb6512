/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 20, ALIGN = 16 };

struct chunk {
    struct chunk *next;
    size_t size, used;
    _Alignas(16) char data[];
};

static _Thread_local struct chunk *first, *current;
static _Thread_local char fault[256];

static struct chunk *new_chunk(size_t size)
{
    size_t bytes = size > CHUNK ? size : CHUNK;
    struct chunk *c = malloc(sizeof *c + bytes);
    if (c == NULL) {
        fputs("reference: out of memory\n", stderr);
        exit(1);
    }
    c->next = NULL;
    c->size = bytes;
    c->used = 0;
    return c;
}

void *ref_alloc(size_t size)
{
    size = (size + ALIGN - 1) / ALIGN * ALIGN;
    if (current == NULL) {
        first = current = new_chunk(size);
    }
    if (current->size - current->used < size) {
        /* A chunk behind the current one is left over from a released attempt: empty. */
        if (current->next == NULL || current->next->size < size) {
            struct chunk *c = new_chunk(size);
            c->next = current->next;
            current->next = c;
        }
        current = current->next;
        current->used = 0;
    }
    void *out = current->data + current->used;
    current->used += size;
    return memset(out, 0, size);
}

struct ref_mark ref_mark(void)
{
    if (current == NULL) {
        first = current = new_chunk(0);
    }
    return (struct ref_mark){ .chunk = current, .used = current->used };
}

void ref_release(struct ref_mark mark)
{
    current = mark.chunk;
    current->used = mark.used;
}

void ref_free_all(void)
{
    while (first != NULL) {
        struct chunk *next = first->next;
        free(first);
        first = next;
    }
    current = NULL;
}

void *ref_push(void *items, size_t count, size_t size)
{
    if (count != 0 && (count & (count - 1)) != 0) {
        return items;
    }
    void *more = ref_alloc((count == 0 ? 1 : 2 * count) * size);
    if (count != 0) {
        memcpy(more, items, count * size);
    }
    return more;
}

char *ref_format(const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *out = ref_alloc((size_t)(length < 0 ? 0 : length) + 1);
    vsnprintf(out, (size_t)(length < 0 ? 0 : length) + 1, format, again);
    va_end(again);
    va_end(args);
    return out;
}

static void merge_sort(char *items, char *spare, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    if (count < 2) {
        return;
    }
    size_t half = count / 2, a = 0, b = half, n = 0;
    merge_sort(items, spare, half, size, compare);
    merge_sort(items + half * size, spare, count - half, size, compare);
    if (compare(items + (half - 1) * size, items + half * size) <= 0) {
        return;
    }
    while (a < half || b < count) {
        bool left = b == count || (a < half && compare(items + a * size, items + b * size) <= 0);
        memcpy(spare + n++ * size, items + (left ? a++ : b++) * size, size);
    }
    memcpy(items, spare, count * size);
}

void ref_sort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    struct ref_mark mark = ref_mark();
    if (count > 1) {
        merge_sort(items, ref_alloc(count * size), count, size, compare);
    }
    ref_release(mark);
}

void ref_fault(const char *format, ...)
{
    if (fault[0] != '\0') {
        return;
    }
    va_list args;
    va_start(args, format);
    vsnprintf(fault, sizeof fault, format, args);
    va_end(args);
}

const char *ref_fault_text(void) { return fault[0] != '\0' ? fault : NULL; }

void ref_fault_clear(void) { fault[0] = '\0'; }
