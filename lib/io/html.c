/* SPDX-License-Identifier: Apache-2.0 */
#include "html.h"

#include "write_text.h"

#include <math.h>

/* Longer texts are written in pieces, so that the buffer can check for cancellation. */
enum { PIECE = 4096 };

void html_text(write_buffer *b, karp_str text)
{
    size_t plain = 0; /* start of the bytes that need no escape */
    size_t at = 0;
    while (at < text.len) {
        size_t length = utf8_length(text, at);
        const char *instead = length == 1 ? html_entity(text.ptr[at]) : NULL;
        if (length == 0 || (instead == NULL && text.ptr[at] != '\n' && utf8_unseen(text.ptr + at, length)))
            instead = "\xef\xbf\xbd";
        length = length == 0 ? 1 : length;
        if (instead != NULL || at - plain >= PIECE) {
            buffer_bytes(b, text.ptr + plain, at - plain);
            plain = at;
        }
        if (instead != NULL) {
            buffer_text(b, instead);
            plain = at + length;
        }
        if (b->text.failed) return;
        at += length;
    }
    if (text.len > plain) buffer_bytes(b, text.ptr + plain, text.len - plain);
}

void html_words(write_buffer *b, const char *text) { html_text(b, str(text)); }

void html_json(write_buffer *b, karp_str json)
{
    size_t plain = 0;
    for (size_t i = 0; i < json.len; i++) {
        const char *instead = json.ptr[i] == '<'   ? "\\u003c"
                              : json.ptr[i] == '>' ? "\\u003e"
                              : json.ptr[i] == '&' ? "\\u0026"
                                                   : NULL;
        if (instead != NULL) {
            buffer_bytes(b, json.ptr + plain, i - plain);
            buffer_text(b, instead);
            plain = i + 1;
        }
    }
    if (json.len > plain) buffer_bytes(b, json.ptr + plain, json.len - plain);
}

void html_number(write_buffer *b, double value) { text_fixed(b, isfinite(value) ? value : 0, 0, 2); }
