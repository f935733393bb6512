/* SPDX-License-Identifier: Apache-2.0 */
/* What the input as a whole tells: the latest time stated in it, and the region its labels name. */
#include <io/reader.h>

#include <string.h>

static void note_time(karp_reader *reader, karp_str text)
{
    int64_t instant;
    if (text.len < 20 || text.ptr[0] < '0' || text.ptr[0] > '9') return;
    if (karp_time_parse(text, &instant) == KARP_OK && instant > reader->latest) reader->latest = instant;
}

static bool lower(char c) { return c >= 'a' && c <= 'z'; }

static bool digit(char c) { return c >= '0' && c <= '9'; }

/* "us-west-2a" and "us-west-2-lax-1a" lie in "us-west-2": words, then the first number. 0 = not such a name. */
static size_t region_length(karp_str zone)
{
    size_t i = 0, words = 0;
    while (i < zone.len && lower(zone.ptr[i])) {
        while (i < zone.len && lower(zone.ptr[i])) i++;
        words++;
        if (i == zone.len || zone.ptr[i] != '-') return 0;
        i++;
    }
    size_t number = i;
    while (i < zone.len && digit(zone.ptr[i])) i++;
    return words >= 2 && i > number && i < zone.len ? i : 0;
}

/* The lowest rank wins, then the first. */
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
    return io_str_is(key, "topology.kubernetes.io/zone") || io_str_is(key, "failure-domain.beta.kubernetes.io/zone");
}

static bool is_region(karp_str key)
{
    return io_str_is(key, "topology.kubernetes.io/region") ||
           io_str_is(key, "failure-domain.beta.kubernetes.io/region");
}

static bool note_requirement(karp_reader *reader, const json_t *object, uint32_t rank)
{
    karp_str key = io_get_text(object, "key");
    if (key.len == 0 || (!is_zone(key) && !is_region(key)) || !io_str_is(io_get_text(object, "operator"), "In"))
        return true;
    const json_t *first = json_array_get(io_get(object, "values"), 0);
    if (!json_is_string(first)) return true;
    return note_region(reader, (karp_str){ json_string_value(first), json_string_length(first) }, is_zone(key), rank);
}

static bool walk(karp_reader *reader, const json_t *value, uint32_t rank)
{
    if (json_is_array(value)) {
        for (size_t i = 0; i < json_array_size(value); i++) {
            if (!walk(reader, json_array_get(value, i), rank)) return false;
        }
        return true;
    }
    if (!json_is_object(value)) return true;
    json_t *changeable; /* jansson's iterators want it so; nothing is changed */
    memcpy(&changeable, &value, sizeof changeable);
    for (void *at = json_object_iter(changeable); at; at = json_object_iter_next(changeable, at)) {
        const json_t *member = json_object_iter_value(at);
        if (!json_is_string(member)) {
            if (!walk(reader, member, rank)) return false;
            continue;
        }
        karp_str key = io_str(json_object_iter_key(at));
        karp_str text = { json_string_value(member), json_string_length(member) };
        if (io_str_ends(key, "Time") || io_str_ends(key, "Timestamp")) note_time(reader, text);
        if (is_zone(key) && !note_region(reader, text, true, rank)) return false;
        if (is_region(key) && !note_region(reader, text, false, rank)) return false;
    }
    return note_requirement(reader, value, rank);
}

karp_status io_survey_class(karp_reader *reader, const json_t *tree)
{
    const json_t *subnets = io_get(io_get(tree, "status"), "subnets");
    for (size_t i = 0; i < json_array_size(subnets); i++) {
        if (!note_region(reader, io_get_text(json_array_get(subnets, i), "zone"), true, 1))
            return io_reader_nomem(reader);
    }
    return KARP_OK;
}

karp_status io_survey(karp_reader *reader, const json_t *tree, uint32_t region_rank)
{
    return walk(reader, tree, region_rank) ? KARP_OK : io_reader_nomem(reader);
}
