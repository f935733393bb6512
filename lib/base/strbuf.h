/* SPDX-License-Identifier: Apache-2.0 */
/* A growable text. The first failure sets `failed`. Later calls do nothing, so that one check at the end is enough. */
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

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
/* Appends so many bytes, which the caller fills in, before anything else is added. NULL = the buffer has failed. */
char *strbuf_space(strbuf *b, size_t length);
void strbuf_add(strbuf *b, const char *text, size_t length);
void strbuf_adds(strbuf *b, const char *text);
void strbuf_addstr(strbuf *b, karp_str text);
/* Appends "namespace/name". */
void strbuf_addname(strbuf *b, karp_str namespace_, karp_str name);
void strbuf_addc(strbuf *b, char c);
void strbuf_addu(strbuf *b, uint64_t value);
void strbuf_addi(strbuf *b, int64_t value);

/* Writes decimal digits without a NUL and returns their number. */
size_t write_digits(char out[20], uint64_t value);

#endif
