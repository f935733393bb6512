/* SPDX-License-Identifier: Apache-2.0 */
/* YAML as people write manifests: block style, and quotes only where another type could be read. */
#include <json/tree.h>

/* Whether YAML 1.1 resolves the word to another type than a string, in any case. */
static bool is_word_with_meaning(karp_str text)
{
    static const char *const words[] = { "y", "n", "yes", "no", "true", "false", "on", "off", "null", "nan", "inf" };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (equal_letters(text, str(words[i]))) return true;
    }
    return false;
}

/* Whether the text can be a plain scalar of YAML, which every reader resolves to a string: names, and quantities whose
 * unit is not part of a number. */
static bool yaml_is_plain(karp_str text)
{
    bool unit = false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (is_letter(c)) unit = unit || strchr("abcdefoxABCDEFOX", c) == NULL;
        else if (!is_digit(c) && c != '-' && c != '.' && c != '/' && c != '_') return false;
    }
    if (text.len == 0 || is_word_with_meaning(text)) return false;
    return is_letter(text.ptr[0]) || (is_digit(text.ptr[0]) && unit);
}

static void spaces(strbuf *out, size_t count)
{
    for (size_t i = 0; i < count; i++) strbuf_addc(out, ' ');
}

static void write_text(strbuf *out, karp_str text)
{
    if (yaml_is_plain(text)) strbuf_addstr(out, text);
    else tree_write_string(out, text);
}

/* What fits on the line of its key or dash. */
static bool is_short(const tree *value) { return tree_count(value) == 0; }

static void write_short(strbuf *out, const tree *value)
{
    if (tree_is(value, TREE_STRING)) write_text(out, tree_text(value));
    else tree_write(out, value);
}

static void write_members(strbuf *out, const tree *map, size_t indent, bool begun);

static void write_items(strbuf *out, const tree *list, size_t indent)
{
    for (size_t i = 0; i < tree_count(list) && !out->failed; i++) {
        const tree *item = tree_item(list, i);
        spaces(out, indent);
        strbuf_adds(out, "- ");
        if (tree_is(item, TREE_MAP) && !is_short(item)) {
            write_members(out, item, indent + 2, true);
            continue;
        }
        write_short(out, item); /* a list in a list is written as JSON, which YAML includes */
        strbuf_addc(out, '\n');
    }
}

/* begun: the first member is on a line that has begun. */
static void write_members(strbuf *out, const tree *map, size_t indent, bool begun)
{
    for (size_t i = 0; i < tree_count(map) && !out->failed; i++) {
        const tree_member *member = tree_member_at(map, i);
        const tree *value = member->value;
        if (i > 0 || !begun) spaces(out, indent);
        write_text(out, tree_member_name(member));
        strbuf_addc(out, ':');
        if (is_short(value)) {
            strbuf_addc(out, ' ');
            write_short(out, value);
            strbuf_addc(out, '\n');
            continue;
        }
        strbuf_addc(out, '\n');
        if (tree_is(value, TREE_MAP)) write_members(out, value, indent + 2, false);
        else write_items(out, value, indent);
    }
}

void tree_write_yaml(strbuf *out, const tree *map) { write_members(out, map, 0, false); }
