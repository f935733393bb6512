/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/aws/seen.h>

#include <providers/match.h>

static bool listed(const aws_seen *seen, karp_str image)
{
    for (size_t i = 0; i < seen->image_count; i++) {
        if (match_same(seen->images[i], image)) return true;
    }
    return false;
}

static bool in_class(const aws_node_class *c, karp_str image)
{
    for (size_t i = 0; i < c->image_count; i++) {
        if (match_same(c->images[i].id, image)) return true;
    }
    return false;
}

/* Compares both as sets. */
static bool of_images(const aws_seen *seen, const aws_node_class *c)
{
    bool same = true;
    for (size_t i = 0; same && i < c->image_count; i++) same = listed(seen, c->images[i].id);
    for (size_t i = 0; same && i < seen->image_count; i++) same = in_class(c, seen->images[i]);
    return same;
}

int64_t aws_seen_least(const aws_seen *seen, const aws_node_class *c)
{
    int64_t least = AWS_UNKNOWN;
    for (; seen; seen = seen->next) {
        if (least != AWS_UNKNOWN && seen->bytes >= least) continue;
        if (seen->image_count == 0 || of_images(seen, c)) least = seen->bytes;
    }
    return least;
}

const aws_seen *aws_seen_copy(scratch *s, const aws_seen *seen)
{
    const aws_seen *first = NULL, **at = &first;
    for (; seen && !s->failed; seen = seen->next) {
        aws_seen *copy = scratch_array(s, 1, sizeof *copy);
        karp_str *images = scratch_array(s, seen->image_count, sizeof *images);
        if (!copy || !images) break;
        for (size_t i = 0; i < seen->image_count; i++) images[i] = scratch_text(s, seen->images[i]);
        *copy = (aws_seen){ images, seen->image_count, seen->bytes, NULL };
        *at = copy;
        at = &copy->next;
    }
    return first;
}
