/* SPDX-License-Identifier: Apache-2.0 */
/* Canonical JSON: equal values always have the same text. */
#include <json/tree.h>

#include <base/sort.h>
#include <json/bytes.h>
#include <karp/values.h>

/* The number of bytes from here that are written as they are. */
static size_t plain_run(const char *text, size_t length)
{
    size_t at = 0;
    for (size_t found = PLAIN_AT_ONCE; found == PLAIN_AT_ONCE && length - at >= PLAIN_AT_ONCE; at += found)
        found = plain_bytes(text + at);
    if (length - at >= 8) at += plain_of_eight(text + at);
    for (; at < length; at++) {
        unsigned char c = (unsigned char)text[at];
        if (c < 0x20 || c == '"' || c == '\\') break;
    }
    return at;
}

static void write_escape(strbuf *out, unsigned char c)
{
    static const char digits[] = "0123456789abcdef", from[] = "\n\t\r", to[] = "ntr";
    const char *known = c ? strchr(from, c) : NULL;
    char escape[6] = { '\\',          c >= 0x20 ? (char)c : known ? to[known - from] : 'u', '0', '0', digits[c >> 4],
                       digits[c & 15] };
    strbuf_add(out, escape, escape[1] == 'u' ? 6 : 2);
}

void tree_write_string(strbuf *out, karp_str text)
{
    size_t plain = plain_run(text.ptr, text.len);
    char *space = strbuf_space(out, plain + 1);
    if (space == NULL) return;
    space[0] = '"';
    if (plain > 0) memcpy(space + 1, text.ptr, plain);
    for (size_t at = plain; at < text.len; at += plain) {
        write_escape(out, (unsigned char)text.ptr[at++]);
        plain = plain_run(text.ptr + at, text.len - at);
        strbuf_add(out, text.ptr + at, plain);
    }
    strbuf_addc(out, '"');
}

static int compare_names(const tree_member *a, const tree_member *b)
{
    unsigned first = (unsigned)(a->key >> 16 & 0xff), other = (unsigned)(b->key >> 16 & 0xff); /* see tree_key() */
    if (first != other) return first < other ? -1 : 1;
    return compare_str(tree_member_name(a), tree_member_name(b));
}

static int by_name(const void *a, const void *b, const void *user)
{
    (void)user;
    return compare_names(*(const tree_member *const *)a, *(const tree_member *const *)b);
}

void tree_order(const tree *map, const tree_member **order)
{
    for (size_t i = 0; i < map->count; i++) {
        const tree_member *member = &map->of.members[i];
        size_t at = i;
        for (; at > 0 && compare_names(member, order[at - 1]) < 0; at--) order[at] = order[at - 1];
        order[at] = member;
    }
}

static bool order_many(karp_context *context, const tree *map, const tree_member **order)
{
    for (size_t i = 0; i < map->count; i++) order[i] = &map->of.members[i];
    return sort_stable(context, order, map->count, sizeof *order, by_name, NULL);
}

static void write_map(strbuf *out, const tree *map)
{
    const tree_member *few[TREE_FEW];
    const tree_member **order = few;
    if (map->count > TREE_FEW) order = mem_alloc(out->context, map->count * sizeof *order);
    if (!order) {
        out->failed = true;
        return;
    }
    if (order == few) tree_order(map, order);
    else if (!order_many(out->context, map, order)) out->failed = true;
    strbuf_addc(out, '{');
    for (size_t i = 0; i < map->count && !out->failed; i++) {
        if (i) strbuf_addc(out, ',');
        tree_write_string(out, tree_member_name(order[i]));
        strbuf_addc(out, ':');
        tree_write(out, order[i]->value);
    }
    strbuf_addc(out, '}');
    if (order != few) mem_free(out->context, order, map->count * sizeof *order);
}

static void write_real(strbuf *out, const tree *value)
{
    char number[KARP_VALUE_TEXT];
    double real = 0;
    (void)tree_double(value, &real);
    karp_double_format(real, number);
    strbuf_adds(out, number);
    /* A number that looks like an integer must be readable as one. */
    bool plain = !strchr(number, '.') && !strchr(number, 'e');
    if (plain && (real >= 9e18 || real <= -9e18)) strbuf_adds(out, ".0");
}

void tree_write(strbuf *out, const tree *value)
{
    if (out->failed) return;
    switch (value ? (tree_type)value->type : TREE_NULL) {
    case TREE_MAP: write_map(out, value); break;
    case TREE_LIST:
        strbuf_addc(out, '[');
        for (size_t i = 0; i < value->count; i++) {
            if (i) strbuf_addc(out, ',');
            tree_write(out, value->of.items[i]);
        }
        strbuf_addc(out, ']');
        break;
    case TREE_STRING: tree_write_string(out, tree_text(value)); break;
    case TREE_INTEGER: {
        int64_t number = 0;
        (void)tree_integer(value, &number);
        strbuf_addi(out, number); /* -0 is written as 0 */
        break;
    }
    case TREE_REAL: write_real(out, value); break;
    case TREE_TRUE: strbuf_adds(out, "true"); break;
    case TREE_FALSE: strbuf_adds(out, "false"); break;
    case TREE_NULL: strbuf_adds(out, "null"); break;
    }
}
