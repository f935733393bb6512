/* SPDX-License-Identifier: Apache-2.0 */
#include "write_json.h"

#include <base/money.h>
#include <math.h>
#include <string.h>

#include <karp/library.h>
#include <karp/peer.h>

enum { FILL_COLUMN = 120 };

static size_t hash_bits(uint64_t value, unsigned bits) { return value * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits); }

void json_init(json_out *j, write_buffer *out, bool compact)
{
    *j = (json_out){ .out = out, .line_start = out->text.len, .compact = compact };
}

static void new_line(json_out *j)
{
    buffer_char(j->out, '\n');
    j->line_start = j->out->text.len;
    buffer_repeat(j->out, "  ", j->depth);
}

/* Writes the comma and the layout before a value. `size` is the approximate length of the value. */
static void before_value(json_out *j, size_t size)
{
    if (j->after_key) {
        j->after_key = false;
        return;
    }
    if (j->depth == 0) return;
    bool first = !j->has_items[j->depth];
    j->has_items[j->depth] = true;
    if (!first) buffer_char(j->out, ',');
    if (j->compact) return;
    if (j->flat_from == 0) {
        new_line(j);
    } else if (!first) {
        bool fill = j->is_array[j->depth] && size > 0;
        if (fill && j->out->text.len - j->line_start + size + 2 > FILL_COLUMN) new_line(j);
        else buffer_char(j->out, ' ');
    }
}

static bool has_sink(const json_out *j) { return j->out->sink != NULL; }

static void open_value(json_out *j, bool is_array, bool flat)
{
    if (has_sink(j)) {
        values_add(j, &(karp_value){ .kind = is_array ? KARP_VALUE_ARRAY : KARP_VALUE_OBJECT });
        return;
    }
    before_value(j, 0);
    buffer_char(j->out, is_array ? '[' : '{');
    if (j->depth + 1 >= JSON_DEPTH) {
        j->out->text.failed = true;
        return;
    }
    j->depth++;
    j->has_items[j->depth] = false;
    j->is_array[j->depth] = is_array;
    if (flat && j->flat_from == 0) j->flat_from = j->depth;
}

void json_open_object(json_out *j) { open_value(j, false, false); }

void json_open_array(json_out *j) { open_value(j, true, false); }

void json_flat_object(json_out *j) { open_value(j, false, true); }

void json_flat_array(json_out *j) { open_value(j, true, true); }

void json_end(json_out *j)
{
    if (j->depth == 0) return;
    if (has_sink(j)) {
        j->depth--;
        return;
    }
    bool flat = j->flat_from != 0;
    bool items = j->has_items[j->depth];
    bool is_array = j->is_array[j->depth];
    if (j->flat_from == j->depth) j->flat_from = 0;
    j->depth--;
    if (items && !flat && !j->compact) new_line(j);
    buffer_char(j->out, is_array ? ']' : '}');
}

void json_close(json_out *j)
{
    json_end(j);
    if (!has_sink(j)) buffer_char(j->out, '\n');
}

void json_key_str(json_out *j, karp_str key)
{
    if (has_sink(j)) {
        values_name(j, key);
        return;
    }
    before_value(j, 0);
    buffer_json_string(j->out, key);
    buffer_text(j->out, j->compact ? ":" : ": ");
    j->after_key = true;
}

void json_key(json_out *j, const char *key) { json_plain_key(j, key, strlen(key)); }

void json_plain_key(json_out *j, const char *key, size_t length)
{
    if (has_sink(j)) {
        values_name(j, (karp_str){ key, length });
        return;
    }
    before_value(j, 0);
    size_t end = j->compact ? 2 : 3;
    char *space = strbuf_space(&j->out->text, 1 + length + end);
    j->after_key = true;
    if (space == NULL) return;
    space[0] = '"';
    memcpy(space + 1, key, length);
    memcpy(space + 1 + length, "\": ", end);
}

static void escaped(write_buffer *b, unsigned char c)
{
    static const char digits[] = "0123456789abcdef";
    switch (c) {
    case '"': buffer_text(b, "\\\""); return;
    case '\\': buffer_text(b, "\\\\"); return;
    case '\n': buffer_text(b, "\\n"); return;
    case '\t': buffer_text(b, "\\t"); return;
    case '\r': buffer_text(b, "\\r"); return;
    default:
        buffer_text(b, "\\u00");
        buffer_char(b, digits[c >> 4]);
        buffer_char(b, digits[c & 15]);
        return;
    }
}

static bool is_plain(unsigned char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

typedef signed char sixteen __attribute__((vector_size(16)));
typedef uint64_t two_words __attribute__((vector_size(16)));

#define ALL_16(c)                                                                                                      \
    {                                                                                                                  \
        c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c                                                                 \
    }

/* is_plain() of sixteen bytes at once. As signed numbers, bytes from 0x80 are below 0x20 as well. */
static bool plain_bytes(sixteen bytes)
{
    const sixteen least = ALL_16(0x20), quote = ALL_16('"'), slash = ALL_16('\\'), del = ALL_16(0x7f);
    two_words found = (two_words)((bytes < least) | (bytes == quote) | (bytes == slash) | (bytes == del));
    return (found[0] | found[1]) == 0;
}

static bool plain_sixteen(const char *text)
{
    sixteen bytes;
    memcpy(&bytes, text, sizeof bytes);
    return plain_bytes(bytes);
}

/* At least 8, at most 16. */
static bool plain_short(const char *text, size_t length)
{
    char ends[16];
    sixteen bytes;
    memcpy(ends, text, 8);
    memcpy(ends + 8, text + length - 8, 8);
    memcpy(&bytes, ends, sizeof bytes);
    return plain_bytes(bytes);
}

/* The number of bytes from here that need no escape. */
static size_t plain_run(const char *text, size_t length)
{
    size_t at = 0;
    if (length >= 8 && length < 16 && plain_short(text, length)) return length;
    while (length - at >= 16 && plain_sixteen(text + at)) at += 16;
    if (at > 0 && length - at < 16 && plain_sixteen(text + length - 16)) return length;
    while (at < length && is_plain((unsigned char)text[at])) at++;
    return at;
}

/* Writes a text that needs no escape. */
static void plain_string(write_buffer *b, karp_str text)
{
    char *space = strbuf_space(&b->text, text.len + 2);
    if (space == NULL) return;
    space[0] = space[text.len + 1] = '"';
    memcpy(space + 1, text.ptr, text.len);
}

void buffer_json_string(write_buffer *b, karp_str text)
{
    if (text.len > 0 && plain_run(text.ptr, text.len) == text.len) {
        plain_string(b, text);
        return;
    }
    buffer_char(b, '"');
    size_t plain = 0; /* start of the bytes that need no escape */
    size_t at = 0;
    while (at < text.len) {
        unsigned char c = (unsigned char)text.ptr[at];
        if (is_plain(c)) {
            at += plain_run(text.ptr + at, text.len - at);
            continue;
        }
        size_t length = utf8_length(text, at);
        if (length > 1) {
            at += length;
            continue;
        }
        buffer_bytes(b, text.ptr + plain, at - plain);
        if (length == 0) buffer_text(b, "\xef\xbf\xbd");
        else escaped(b, c);
        at++;
        plain = at;
    }
    if (at > plain) buffer_bytes(b, text.ptr + plain, at - plain);
    buffer_char(b, '"');
}

void json_str(json_out *j, karp_str value)
{
    if (has_sink(j)) {
        values_text(j, value);
        return;
    }
    before_value(j, value.len + 2);
    buffer_json_string(j->out, value);
}

void json_int(json_out *j, int64_t value)
{
    if (has_sink(j)) {
        values_add(j, &(karp_value){ .kind = KARP_VALUE_INTEGER, .integer = value });
        return;
    }
    before_value(j, 8);
    buffer_int(j->out, value);
}

void json_uint(json_out *j, uint64_t value)
{
    if (has_sink(j)) {
        if (value > INT64_MAX) values_real(j, (double)value);
        else json_int(j, (int64_t)value);
        return;
    }
    before_value(j, 8);
    buffer_uint(j->out, value);
}

void json_bool(json_out *j, bool value)
{
    if (has_sink(j)) {
        values_add(j, &(karp_value){ .kind = KARP_VALUE_BOOLEAN, .boolean = value });
        return;
    }
    before_value(j, 5);
    buffer_text(j->out, value ? "true" : "false");
}

void json_value(json_out *j, karp_str json)
{
    if (json.len == 0) json = str("null");
    if (has_sink(j)) {
        values_json(j, json);
        return;
    }
    before_value(j, json.len);
    buffer_str(j->out, json);
}

void json_double(json_out *j, double value)
{
    if (has_sink(j)) {
        values_real(j, value);
        return;
    }
    before_value(j, 8);
    if (isfinite(value)) buffer_double(j->out, value);
    else buffer_text(j->out, "null");
}

void json_price(json_out *j, double value)
{
    if (!isfinite(value)) {
        json_double(j, value);
        return;
    }
    uint64_t image;
    memcpy(&image, &value, sizeof image);
    json_price_text *p = &j->prices[hash_bits(image, JSON_PRICE_BITS)];
    if (p->image != image || p->text[0] == '\0') karp_double_format(value, p->text);
    p->image = image;
    if (has_sink(j)) {
        values_text(j, str(p->text));
        return;
    }
    before_value(j, 8);
    buffer_json_string(j->out, str(p->text));
}

void json_member_str(json_out *j, const char *key, karp_str value)
{
    json_key(j, key);
    json_str(j, value);
}

void json_member_text(json_out *j, const char *key, const char *value) { json_member_str(j, key, str(value)); }

void json_member_int(json_out *j, const char *key, int64_t value)
{
    json_key(j, key);
    json_int(j, value);
}

void json_member_uint(json_out *j, const char *key, uint64_t value)
{
    json_key(j, key);
    json_uint(j, value);
}

void json_member_bool(json_out *j, const char *key, bool value)
{
    json_key(j, key);
    json_bool(j, value);
}

void json_member_double(json_out *j, const char *key, double value)
{
    json_key(j, key);
    json_double(j, value);
}

/* Only sums are rounded. Single prices remain exact, because decisions compare them. */
void json_member_money(json_out *j, const char *key, double value)
{
    json_member_double(j, key, money_without_noise(value));
}

void json_member_sum(json_out *j, const char *key, double value)
{
    json_key(j, key);
    json_price(j, money_without_noise(value));
}

void json_member_object(json_out *j, const char *key)
{
    json_key(j, key);
    json_open_object(j);
}

void json_member_array(json_out *j, const char *key)
{
    json_key(j, key);
    json_open_array(j);
}

void json_member_flat_object(json_out *j, const char *key)
{
    json_key(j, key);
    json_flat_object(j);
}

void json_member_flat_array(json_out *j, const char *key)
{
    json_key(j, key);
    json_flat_array(j);
}

void json_member_time(json_out *j, const char *key, int64_t at)
{
    char text[KARP_VALUE_TEXT];
    if (at == KARP_NO_TIME) return;
    karp_time_format(at, text);
    json_member_text(j, key, text);
}

void json_member_profile(json_out *j, uint32_t profile)
{
    json_member_text(j, "profile", profile == KARP_PROFILE_KARP ? "karp" : "karpenter");
}

void json_member_engine(json_out *j)
{
    json_member_flat_object(j, "engine");
    json_member_text(j, "name", "libkarp");
    json_member_text(j, "version", karp_version());
    json_member_uint(j, "abi", karp_version_number() >> 16);
    json_end(j);
}

void json_member_newest_peer(json_out *j)
{
    json_member_text(j, "peerVersion", karp_peer_version_name(KARP_PEER_NEWEST));
}

/* One part of a catalogue's title: "aws us-west-2, prices 2026-07-20". */
typedef struct title_part {
    karp_str provider, region, prices;
} title_part;

/* Takes the next part. false = none is left with a date. */
static bool next_part(karp_str *title, title_part *out)
{
    static const char between[] = ", prices ";
    const size_t length = sizeof(between) - 1;
    while (title->len > 0) {
        karp_str part = str_until(title, ';');
        if (part.len > 0 && part.ptr[0] == ' ') part = (karp_str){ part.ptr + 1, part.len - 1 };
        for (size_t i = 1; i + length < part.len; i++) {
            if (memcmp(part.ptr + i, between, length) != 0) continue;
            karp_str rest = { part.ptr, i };
            out->provider = str_until(&rest, ' ');
            out->region = rest;
            out->prices = (karp_str){ part.ptr + i + length, part.len - i - length };
            return true;
        }
    }
    return false;
}

void json_member_catalogue(json_out *j, karp_str title)
{
    title_part part, second;
    karp_str rest = title;
    if (!next_part(&rest, &part)) return;
    if (!next_part(&rest, &second)) {
        json_member_flat_object(j, "catalogue");
        json_member_str(j, "name", part.region.len ? part.region : part.provider);
        json_member_str(j, "prices", part.prices);
        json_end(j);
    }
    json_member_flat_array(j, "clouds");
    while (next_part(&title, &part)) {
        json_flat_object(j);
        json_member_str(j, "provider", part.provider);
        json_member_str(j, "region", part.region);
        json_member_str(j, "prices", part.prices);
        json_end(j);
    }
    json_end(j);
}

void json_open_document(json_out *j, write_buffer *out, bool compact, const char *kind)
{
    json_init(j, out, compact);
    json_open_object(j);
    json_member_text(j, "apiVersion", "karp/v1");
    json_member_text(j, "kind", kind);
}

/* ---- members that several documents share ------------------------------------------------------------------------ */

void json_strings(json_out *j, const karp_str *values, size_t count)
{
    json_flat_array(j);
    for (size_t i = 0; i < count; i++) json_str(j, values[i]);
    json_end(j);
}

enum { MANY_STRINGS = 8 }; /* shorter lists are not worth remembering */

/* Writes an item that is not the first of an array. */
static void kept_item(json_out *j, karp_str value)
{
    strbuf *text = &j->out->text;
    bool fits = !j->compact && text->len - j->line_start + value.len + 5 <= FILL_COLUMN;
    if (!fits || value.len == 0 || plain_run(value.ptr, value.len) < value.len) {
        json_str(j, value);
        return;
    }
    char *space = strbuf_space(text, value.len + 4);
    if (space == NULL) return;
    memcpy(space, ", \"", 3);
    memcpy(space + 3, value.ptr, value.len);
    space[3 + value.len] = '"';
}

static void kept_items(json_out *j, const karp_str *values, size_t count)
{
    if (has_sink(j) || count == 0) {
        json_strings(j, values, count);
        return;
    }
    json_flat_array(j);
    json_str(j, values[0]);
    for (size_t i = 1; i < count; i++) kept_item(j, values[i]);
    json_end(j);
}

void json_kept_strings(json_out *j, const karp_str *values, size_t count)
{
    strbuf *text = &j->out->text;
    size_t from = text->len, column = j->compact ? 0 : from - j->line_start;
    json_copy *c = &j->copies[hash_bits((uintptr_t)values, JSON_COPY_BITS)];
    if (has_sink(j) || count < MANY_STRINGS || c->values != values || c->count != count || c->column != column) {
        kept_items(j, values, count);
        size_t length = text->len - from, line = j->line_start > from ? j->line_start - from : 0;
        bool kept = count >= MANY_STRINGS && count <= UINT32_MAX && column <= UINT32_MAX && length <= UINT32_MAX;
        if (kept) *c = (json_copy){ values, from, (uint32_t)count, (uint32_t)column, (uint32_t)length, (uint32_t)line };
        return;
    }
    char *space = strbuf_space(text, c->length);
    if (space != NULL) memcpy(space, text->ptr + c->from, c->length);
    if (c->line > 0) j->line_start = from + c->line;
    j->after_key = false;
}

void json_member_strings(json_out *j, const char *key, const karp_str *values, size_t count)
{
    json_key(j, key);
    json_strings(j, values, count);
}

void json_resources(json_out *j, const karp_resource *list, size_t count)
{
    json_flat_object(j);
    for (size_t i = 0; i < count; i++) {
        json_key_str(j, list[i].name);
        json_str(j, list[i].text);
    }
    json_end(j);
}

void json_member_resources(json_out *j, const char *key, const karp_resource *list, size_t count)
{
    json_key(j, key);
    json_resources(j, list, count);
}

void json_labels(json_out *j, const karp_label *labels, size_t count)
{
    json_open_object(j);
    for (size_t i = 0; i < count; i++) {
        json_key_str(j, labels[i].key);
        json_str(j, labels[i].value);
    }
    json_end(j);
}
