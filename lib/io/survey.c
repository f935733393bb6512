/* SPDX-License-Identifier: Apache-2.0 */
/* Collects data from the whole input: the latest time stated in it, and the region that its labels name. */
#include <io/convert.h>

#include <string.h>

static void note_time(karp_reader *reader, karp_str text)
{
    int64_t instant;
    if (text.len < 20 || text.ptr[0] < '0' || text.ptr[0] > '9') return;
    if (karp_time_parse(text, &instant) == KARP_OK && instant > reader->latest) reader->latest = instant;
}

static bool lower(char c) { return c >= 'a' && c <= 'z'; }

static bool digit(char c) { return c >= '0' && c <= '9'; }

/* The length of the region's name in a zone's: "us-west-2a" and "us-west-2-lax-1a" are in "us-west-2", which ends
 * after the first number. 0 = no such name. */
static size_t region_length(karp_str zone)
{
    size_t i = 0, word_count = 0;
    while (i < zone.len && lower(zone.ptr[i])) {
        while (i < zone.len && lower(zone.ptr[i])) i++;
        word_count++;
        if (i == zone.len || zone.ptr[i] != '-') return 0;
        i++;
    }
    size_t number = i;
    while (i < zone.len && digit(zone.ptr[i])) i++;
    return word_count >= 2 && i > number && i < zone.len ? i : 0;
}

/* The lowest rank wins; among equal ranks the first. */
static bool note_region(karp_reader *reader, karp_str text, bool zone, uint32_t rank)
{
    if (zone) text.len = region_length(text);
    if (text.len == 0 || rank >= reader->region_rank) return true;
    reader->region = io_keep(reader, text);
    reader->region_rank = rank;
    return reader->region.ptr != NULL;
}

static bool is_zone(karp_str key)
{
    return str_is(key, "topology.kubernetes.io/zone") || str_is(key, "failure-domain.beta.kubernetes.io/zone");
}

static bool is_region(karp_str key)
{
    return str_is(key, "topology.kubernetes.io/region") || str_is(key, "failure-domain.beta.kubernetes.io/region");
}

static bool note_requirement(karp_reader *reader, const tree *object, uint32_t rank)
{
    karp_str key = tree_get_text(object, "key");
    if (io_is_auto_mode(key)) reader->auto_mode_here = true;
    if (key.len == 0 || (!is_zone(key) && !is_region(key)) || !str_is(tree_get_text(object, "operator"), "In"))
        return true;
    return note_region(reader, tree_text(tree_item(tree_get(object, "values"), 0)), is_zone(key), rank);
}

/* Called for every text of the input. For most of them the first and last byte of the name are enough. */
static inline bool note_member(karp_reader *reader, const tree_member *member, uint32_t rank)
{
    char first = (char)(member->key >> 16 & 0xff), last = (char)(member->key & 0xff); /* see tree_key() */
    karp_str key = tree_member_name(member), text = tree_text(member->value);
    if ((last == 'e' && str_ends(key, "Time")) || (last == 'p' && str_ends(key, "Timestamp"))) note_time(reader, text);
    if ((first == 'e' && io_is_auto_mode(key)) || (text.len && text.ptr[0] == 'e' && io_is_auto_mode(text)))
        reader->auto_mode_here = true;
    if (first != 't' && first != 'f') return true;
    if (is_zone(key)) return note_region(reader, text, true, rank);
    return !is_region(key) || note_region(reader, text, false, rank);
}

static bool walk(karp_reader *reader, const tree *value, uint32_t rank)
{
    bool ok = true;
    if (tree_is(value, TREE_LIST)) {
        for (size_t i = 0; ok && i < value->count; i++) ok = walk(reader, value->of.items[i], rank);
    }
    if (!tree_is(value, TREE_MAP)) return ok;
    bool has_key = false;
    for (size_t i = 0; ok && i < value->count; i++) {
        const tree_member *m = tree_member_at(value, i);
        has_key = has_key || m->key == tree_key("key", 3);
        if (tree_is(m->value, TREE_STRING)) ok = note_member(reader, m, rank);
        else if (tree_count(m->value) > 0) ok = walk(reader, m->value, rank);
    }
    return ok && (!has_key || note_requirement(reader, value, rank));
}

karp_status io_survey_class(karp_reader *reader, const tree *root)
{
    const tree *subnets = tree_get(tree_get(root, "status"), "subnets");
    for (size_t i = 0; i < tree_count(subnets); i++) {
        if (!note_region(reader, tree_get_text(tree_item(subnets, i), "zone"), true, 1)) return io_reader_nomem(reader);
    }
    return KARP_OK;
}

karp_status io_survey(karp_reader *reader, const tree *root, uint32_t region_rank)
{
    return walk(reader, root, region_rank) ? KARP_OK : io_reader_nomem(reader);
}
