/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes JSON, member by member. It is indented by two spaces per level. A "flat" container is on one line; a flat
 * array of scalars is broken at about 120 columns. The output depends only on the calls. If the buffer has a sink, it
 * receives the values, and nothing is written.
 */
#pragma once

#include "write_buffer.h"

enum { JSON_COPY_BITS = 8 }; /* the logarithm of the number of lists that are remembered */
enum { JSON_PRICE_BITS = 5 }; /* of prices */

/* A list of strings that was written. */
typedef struct json_copy {
    const karp_str *values;
    size_t from; /* in the buffer, as `line` from there: start of its last line, 0 = it is on one line */
    uint32_t count, column, length, line;
} json_copy;

/* A price that was written. */
typedef struct json_price_text {
    uint64_t image; /* its bits */
    char text[KARP_VALUE_TEXT]; /* "" = none */
} json_price_text;

enum { JSON_DEPTH = 128 }; /* more than the nesting of documents that are quoted, which is limited to 100 by default */

typedef struct json_out {
    write_buffer *out;
    size_t line_start; /* offset of the last line */
    uint32_t depth;
    uint32_t flat_from; /* depth of the outermost flat container; 0 = none */
    bool compact; /* everything on one line, no spaces */
    bool after_key;
    bool has_items[JSON_DEPTH];
    bool is_array[JSON_DEPTH];
    json_copy copies[1 << JSON_COPY_BITS];
    json_price_text prices[1 << JSON_PRICE_BITS];
    void *open[JSON_DEPTH]; /* with a sink: its nodes of the containers that are open */
} json_out;

void json_init(json_out *j, write_buffer *out, bool compact);

/* Begins an object of this kind of the API version karp/v1. json_close() ends it. */
void json_open_document(json_out *j, write_buffer *out, bool compact, const char *kind);

/* A value is one container or scalar. In an object a key precedes each value. */
void json_open_object(json_out *j);
void json_open_array(json_out *j);
void json_flat_object(json_out *j);
void json_flat_array(json_out *j);
void json_end(json_out *j);
/* Ends the outermost container and its line. */
void json_close(json_out *j);

void json_key(json_out *j, const char *key);
/* A key without characters that JSON escapes. */
void json_plain_key(json_out *j, const char *key, size_t length);
void json_key_str(json_out *j, karp_str key);

void json_str(json_out *j, karp_str value);
void json_int(json_out *j, int64_t value);
void json_uint(json_out *j, uint64_t value);
void json_bool(json_out *j, bool value);
/* A value that is JSON already, on one line; null if it is empty. */
void json_value(json_out *j, karp_str json);
/* A number; null when it is not finite. */
void json_double(json_out *j, double value);
/* The shortest decimal, as a string; null when it is not finite. */
void json_price(json_out *j, double value);

/* A key and its value. A container is ended by json_end(). */
void json_member_str(json_out *j, const char *key, karp_str value);
void json_member_text(json_out *j, const char *key, const char *value);
void json_member_int(json_out *j, const char *key, int64_t value);
void json_member_uint(json_out *j, const char *key, uint64_t value);
void json_member_bool(json_out *j, const char *key, bool value);
void json_member_double(json_out *j, const char *key, double value);
void json_member_object(json_out *j, const char *key);
void json_member_array(json_out *j, const char *key);
void json_member_flat_object(json_out *j, const char *key);
void json_member_flat_array(json_out *j, const char *key);
/* A sum of prices: as json_price(), after removing rounding errors below a billionth of a dollar. */
void json_member_sum(json_out *j, const char *key, double value);
/* The same as a number. */
void json_member_money(json_out *j, const char *key, double value);
void json_member_time(json_out *j, const char *key, int64_t at); /* writes nothing for KARP_NO_TIME */
/* "profile": "karpenter" or "karp", for KARP_PROFILE_* */
void json_member_profile(json_out *j, uint32_t profile);

/* "catalogue": {"name": "us-west-2", "prices": "2026-07-20"} if there is one cloud, and "clouds": [{"provider": "aws",
 * "region": "us-west-2", "prices": "2026-07-20"}], from the catalogue's title ("aws us-west-2, prices 2026-07-20").
 * Writes nothing about a part without a date, e.g. a file name. */
void json_member_catalogue(json_out *j, karp_str title);
/* "engine": {"name": "libkarp", "version": "1.0.0", "abi": 1} */
void json_member_engine(json_out *j);
/* "peerVersion": "1.15": the Karpenter version that profile karpenter follows by default. */
void json_member_newest_peer(json_out *j);

/* A quoted JSON string. Invalid UTF-8 becomes U+FFFD. Also used for double-quoted YAML and log lines. */
void buffer_json_string(write_buffer *b, karp_str text);

/* ---- members that several documents share ------------------------------------------------------------------------ */

/* Values: an array of strings, and objects. Amounts are on one line. */
void json_strings(json_out *j, const karp_str *values, size_t count);
/* The same for a list that stays in place, unchanged, until the document is finished, and a value of an object at the
 * same depth whenever it is written. Where it was written before, its text is copied. */
void json_kept_strings(json_out *j, const karp_str *values, size_t count);
void json_labels(json_out *j, const karp_label *labels, size_t count);
void json_resources(json_out *j, const karp_resource *list, size_t count);

void json_member_strings(json_out *j, const char *key, const karp_str *values, size_t count);
/* {"cpu": "4", …} on one line. */
void json_member_resources(json_out *j, const char *key, const karp_resource *list, size_t count);

/* What write_json.h does where JSON is handed over as values (karp/document.h): nothing is laid out. */

/* The name of the next value. */
void values_name(json_out *j, karp_str name);
/* A value; an array or object is open from then on. */
void values_add(json_out *j, const karp_value *value);
void values_text(json_out *j, karp_str text);
/* The value that this JSON is. */
void values_json(json_out *j, karp_str json);
/* Null if it is not finite. */
void values_real(json_out *j, double real);
