/* SPDX-License-Identifier: Apache-2.0 */
/* A growable text. The first failure sets `failed`. Later calls do nothing, so that one check at the end is enough. */
#pragma once

#include <base/memory.h>

typedef struct strbuf {
    karp_context *context;
    char *ptr; /* NUL-terminated after the first addition */
    size_t len, capacity;
    size_t due; /* the length at which should_stop is called next */
    size_t most; /* maximum length, which may be exceeded a little; 0 = unlimited */
    bool failed; /* no memory, or too long */
    bool full; /* too long */
} strbuf;

void strbuf_init(strbuf *b, karp_context *context);
/* An empty one. */
static inline strbuf strbuf_on(karp_context *context) { return (strbuf){ .context = context }; }
void strbuf_free(strbuf *b);
void strbuf_clear(strbuf *b);
/* Moves the text into the arena, and frees the buffer. false = it has failed, or out of memory. */
bool strbuf_move(strbuf *b, arena *a, karp_str *out);
/* What strbuf_space() does when something is due, or the buffer has failed. */
bool strbuf_reach(strbuf *b, size_t length);
/* Appends so many bytes, which the caller fills in, before anything else is added. NULL = the buffer has failed. */
static inline char *strbuf_space(strbuf *b, size_t length)
{
    if ((b->failed || b->due - b->len <= length) && !strbuf_reach(b, length)) return NULL;
    char *space = b->ptr + b->len;
    b->len += length;
    b->ptr[b->len] = '\0';
    return space;
}
/* So many bytes more are expected, so that the text need not be moved as it grows. Nothing changes without memory. */
void strbuf_expect(strbuf *b, size_t length);
void strbuf_add(strbuf *b, const char *text, size_t length);
void strbuf_adds(strbuf *b, const char *text);
void strbuf_addstr(strbuf *b, karp_str text);
/* Append a text, or a number, between two others. */
void strbuf_put(strbuf *b, const char *before, karp_str text, const char *after);
void strbuf_putu(strbuf *b, const char *before, uint64_t number, const char *after);
/* Appends "namespace/name". */
void strbuf_addname(strbuf *b, karp_str namespace_, karp_str name);
static inline void strbuf_addc(strbuf *b, char c)
{
    char *space = strbuf_space(b, 1);
    if (space != NULL) *space = c;
}
void strbuf_addu(strbuf *b, uint64_t value);
void strbuf_addi(strbuf *b, int64_t value);
/* The number, and the text for one or that for any other number. */
void strbuf_plural(strbuf *b, uint64_t count, const char *one, const char *more);

/* Writes decimal digits without a NUL and returns their number. */
size_t write_digits(char out[20], uint64_t value);
