/* SPDX-License-Identifier: Apache-2.0 */
/* MessagePack as a tree. Keys that are not text become text: numbers in decimal, lists joined by colons. */
#include <replay/trace_read.h>

#include <math.h>

enum { DEEPEST = 200 };

typedef struct unpacker {
    trees *t;
    const unsigned char *bytes;
    size_t length, at;
    const char *why; /* NULL = no error so far */
} unpacker;

static tree *bad(unpacker *u, const char *why)
{
    if (!u->why) u->why = why;
    return NULL;
}

static uint64_t big_endian(unpacker *u, size_t bytes)
{
    uint64_t value = 0;
    if (u->length - u->at < bytes) {
        (void)bad(u, "the document ends in the middle of a value");
        return 0;
    }
    for (size_t i = 0; i < bytes; i++) value = value << 8 | u->bytes[u->at++];
    return value;
}

static tree *number(unpacker *u, uint64_t value, bool negative)
{
    if (!negative && value > INT64_MAX) return tree_new_double(u->t, (double)value);
    int64_t as_signed = 0;
    memcpy(&as_signed, &value, sizeof as_signed);
    return tree_new_integer(u->t, as_signed);
}

/* A two's complement number of this many bytes. */
static tree *signed_number(unpacker *u, size_t bytes)
{
    uint64_t value = big_endian(u, bytes), sign = UINT64_C(1) << (bytes * 8 - 1);
    bool negative = (value & sign) != 0;
    if (negative && bytes < 8) value |= ~((sign << 1) - 1);
    return number(u, value, negative);
}

static tree *real(unpacker *u, size_t bytes)
{
    uint64_t bits = big_endian(u, bytes);
    double value = 0;
    if (bytes == 4) {
        uint32_t half = (uint32_t)bits;
        float single = 0;
        memcpy(&single, &half, sizeof single);
        value = (double)single;
    } else {
        memcpy(&value, &bits, sizeof value);
    }
    return isfinite(value) ? tree_new_double(u->t, value) : bad(u, "a number that is not finite");
}

static tree *text(unpacker *u, uint64_t length)
{
    if (u->length - u->at < length) return bad(u, "the document ends in the middle of a text");
    karp_str value = { (const char *)u->bytes + u->at, (size_t)length };
    u->at += (size_t)length;
    return tree_new_text(u->t, value);
}

static tree *value(unpacker *u, int depth);

static tree *list(unpacker *u, uint64_t count, int depth)
{
    tree *out = tree_new(u->t, TREE_LIST);
    if (count > u->length - u->at) return bad(u, "the document ends in the middle of a list");
    for (uint64_t i = 0; i < count && !u->why; i++) tree_append(u->t, out, value(u, depth + 1));
    return out;
}

static karp_str key_text(unpacker *u, const tree *key)
{
    if (tree_is(key, TREE_STRING)) return tree_text(key);
    strbuf joined = strbuf_on(u->t->memory.context);
    for (size_t i = 0; i < tree_count(key) && tree_is(key, TREE_LIST); i++) {
        if (i) strbuf_addc(&joined, ':');
        strbuf_addstr(&joined, tree_text(tree_item(key, i)));
    }
    if (tree_is_number(key)) tree_write(&joined, key);
    karp_str kept = tree_text(tree_new_text(u->t, (karp_str){ joined.ptr ? joined.ptr : "", joined.len }));
    if (joined.failed) u->t->status = KARP_E_NOMEM;
    strbuf_free(&joined);
    return kept;
}

static tree *map(unpacker *u, uint64_t count, int depth)
{
    tree *out = tree_new(u->t, TREE_MAP);
    if (count > (u->length - u->at) / 2) return bad(u, "the document ends in the middle of a map");
    for (uint64_t i = 0; i < count && !u->why; i++) {
        const tree *key = value(u, depth + 1);
        tree *member = u->why ? NULL : value(u, depth + 1);
        if (!u->why) tree_set_named(u->t, out, key_text(u, key), member);
    }
    return out;
}

static tree *long_value(unpacker *u, unsigned char head, int depth)
{
    switch (head) {
    case 0xc0: return tree_new(u->t, TREE_NULL);
    case 0xc2: return tree_new(u->t, TREE_FALSE);
    case 0xc3: return tree_new(u->t, TREE_TRUE);
    case 0xca: return real(u, 4);
    case 0xcb: return real(u, 8);
    case 0xcc: return number(u, big_endian(u, 1), false);
    case 0xcd: return number(u, big_endian(u, 2), false);
    case 0xce: return number(u, big_endian(u, 4), false);
    case 0xcf: return number(u, big_endian(u, 8), false);
    case 0xd0: return signed_number(u, 1);
    case 0xd1: return signed_number(u, 2);
    case 0xd2: return signed_number(u, 4);
    case 0xd3: return signed_number(u, 8);
    case 0xd9: return text(u, big_endian(u, 1));
    case 0xda: return text(u, big_endian(u, 2));
    case 0xdb: return text(u, big_endian(u, 4));
    case 0xdc: return list(u, big_endian(u, 2), depth);
    case 0xdd: return list(u, big_endian(u, 4), depth);
    case 0xde: return map(u, big_endian(u, 2), depth);
    case 0xdf: return map(u, big_endian(u, 4), depth);
    default: return bad(u, "bytes or an extension, which a trace has not");
    }
}

static tree *value(unpacker *u, int depth)
{
    if (depth > DEEPEST) return bad(u, "nested too deeply");
    if (u->t->status) return bad(u, "");
    unsigned char head = (unsigned char)big_endian(u, 1);
    if (u->why) return NULL;
    if (head < 0x80) return number(u, head, false);
    if (head < 0x90) return map(u, head & 0x0f, depth);
    if (head < 0xa0) return list(u, head & 0x0f, depth);
    if (head < 0xc0) return text(u, head & 0x1f);
    if (head >= 0xe0) return tree_new_integer(u->t, (int64_t)head - 0x100);
    return long_value(u, head, depth);
}

karp_status trace_unpack(trees *t, karp_str name, karp_str text_, tree **out, karp_error *error)
{
    unpacker u = { .t = t, .bytes = (const unsigned char *)text_.ptr, .length = text_.len };
    *out = value(&u, 0);
    if (!u.why && !t->status && u.at < u.length) (void)bad(&u, "something follows the value");
    if (t->status) return fail_nomem(error);
    if (!u.why) return KARP_OK;
    karp_status status = fail(error, KARP_E_SYNTAX, "MessagePack, byte %zu: %s", u.at, u.why);
    error_set_place(error, name, 0, 0, KARP_NO_OFFSET);
    return status;
}
