/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison of two replays: lists every figure of a policy that differs. */
#include <karp/library.h>

#include <base/money.h>
#include <replay/document.h>
#include <io/write_json.h>
#include <io/write_text.h>
#include <json/tree.h>

#include <math.h>

typedef struct side {
    karp_context *context;
    strbuf text; /* of the file; the tree refers to it */
    trees trees;
    tree *root;
} side;

typedef struct comparison {
    karp_error *error;
    write_buffer out;
    json_out j;
    bool json, any; /* any: a figure of this policy has been written */
    size_t differences;
} comparison;

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static void side_init(side *s, karp_context *context)
{
    s->context = context;
    s->root = NULL;
    strbuf_init(&s->text, context);
    trees_init(&s->trees, context);
}

static void side_free(side *s)
{
    trees_free(&s->trees);
    strbuf_free(&s->text);
}

static karp_status side_read(side *s, const karp_replay_document *document, karp_error *error)
{
    karp_str text;
    karp_status status = document_text(s->context, document, &s->text, &text, error);
    if (!status) status = tree_read(&s->trees, document->name, text, &s->root, error);
    if (!status &&
        (!str_is(tree_get_text(s->root, "kind"), "Replay") || !tree_is(tree_get(s->root, "policies"), TREE_LIST))) {
        status = fail(error, KARP_E_INVALID, "not a Replay: karp replay -o json writes one");
        error_set_place(error, document->name, 1, 0, KARP_NO_OFFSET);
    }
    return status;
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

static karp_str policy_name(const tree *policy) { return tree_get_text(policy, "policy"); }

static void write_heading(comparison *c, const tree *before, const tree *after)
{
    karp_str a = policy_name(before), b = policy_name(after);
    if (c->json) {
        json_open_object(&c->j);
        json_member_str(&c->j, "before", a);
        json_member_str(&c->j, "after", b);
        json_key(&c->j, "figures");
        json_open_array(&c->j);
        return;
    }
    if (c->out.text.len) buffer_char(&c->out, '\n');
    buffer_str(&c->out, a);
    if (!equal_str(a, b)) buffer_text(&c->out, " -> ");
    if (!equal_str(a, b)) buffer_str(&c->out, b);
    buffer_char(&c->out, '\n');
}

/* Writes at least one space. */
static void pad(comparison *c, size_t from, size_t width)
{
    size_t n = c->out.text.len - from;
    do buffer_char(&c->out, ' ');
    while (++n < width);
}

static void write_change(comparison *c, double before, double after)
{
    double percent = money_seen(before) ? round((after - before) / before * 1000) / 10 : 0;
    if (!money_seen(before)) return;
    buffer_text(&c->out, percent < 0 ? "  " : "  +");
    buffer_double(&c->out, percent);
    buffer_text(&c->out, "%");
}

static void write_figure(comparison *c, karp_str group, karp_str name, double before, double after)
{
    size_t start = c->out.text.len;
    c->differences++;
    c->any = true;
    if (c->json) {
        json_flat_object(&c->j);
        if (group.len) json_member_str(&c->j, "group", group);
        json_member_str(&c->j, "figure", name);
        json_key(&c->j, "before");
        json_double(&c->j, before);
        json_key(&c->j, "after");
        json_double(&c->j, after);
        json_end(&c->j);
        return;
    }
    buffer_text(&c->out, "  ");
    buffer_str(&c->out, group);
    if (group.len) buffer_char(&c->out, '.');
    buffer_str(&c->out, name);
    pad(c, start, 32);
    buffer_double(&c->out, before);
    buffer_text(&c->out, " -> ");
    buffer_double(&c->out, after);
    pad(c, start, 60);
    write_change(c, before, after);
    buffer_char(&c->out, '\n');
}

static double number_of(const tree *value)
{
    double number = 0;
    return tree_double(value, &number) ? number : 0;
}

/* A member that only one of them has counts as 0 in the other: disruptions that did not happen. */
static void compare_maps(comparison *c, karp_str group, const tree *before, const tree *after)
{
    for (size_t i = 0; i < tree_count(before); i++) {
        const tree_member *m = tree_member_at(before, i);
        karp_str name = tree_member_name(m);
        const tree *other = tree_find_str(after, name);
        if (tree_is(m->value, TREE_MAP) && group.len == 0 && !str_is(name, "series"))
            compare_maps(c, name, m->value, other);
        if (tree_is_number(m->value) && number_of(m->value) != number_of(other))
            write_figure(c, group, name, number_of(m->value), number_of(other));
    }
    for (size_t i = 0; i < tree_count(after); i++) {
        const tree_member *m = tree_member_at(after, i);
        if (tree_find_str(before, tree_member_name(m)) || !tree_is_number(m->value) || number_of(m->value) == 0)
            continue;
        write_figure(c, group, tree_member_name(m), 0, number_of(m->value));
    }
}

static void compare_policies(comparison *c, const tree *before, const tree *after)
{
    c->any = false;
    write_heading(c, before, after);
    if (tree_is(before, TREE_MAP) && tree_is(after, TREE_MAP)) compare_maps(c, (karp_str){ "", 0 }, before, after);
    if (c->json) {
        json_end(&c->j);
        json_end(&c->j);
    } else if (!c->any) {
        buffer_text(&c->out, "  no difference\n");
    }
}

/* The policy with the same name; if both replays have a single policy, these two in any case. */
static const tree *counterpart(const tree *policies, const tree *of, size_t count)
{
    if (count == 1 && tree_count(policies) == 1) return tree_item(policies, 0);
    for (size_t i = 0; i < tree_count(policies); i++) {
        if (equal_str(policy_name(tree_item(policies, i)), policy_name(of))) return tree_item(policies, i);
    }
    return NULL;
}

static karp_status compare_all(comparison *c, const side *before, const side *after)
{
    const tree *a = tree_get(before->root, "policies"), *b = tree_get(after->root, "policies");
    size_t compared = 0;
    if (c->json) {
        json_open_object(&c->j);
        json_member_text(&c->j, "apiVersion", "karp/v1");
        json_member_text(&c->j, "kind", "ReplayDiff");
        json_key(&c->j, "policies");
        json_open_array(&c->j);
    }
    for (size_t i = 0; i < tree_count(a); i++) {
        const tree *other = counterpart(b, tree_item(a, i), tree_count(a));
        if (!other) continue;
        compare_policies(c, tree_item(a, i), other);
        compared++;
    }
    if (c->json) {
        json_end(&c->j);
        json_close(&c->j);
    }
    return compared ? KARP_OK : fail(c->error, KARP_E_INVALID, "the two replays have no policy in common");
}

karp_status karp_replay_compare(karp_context *context, const karp_replay_document *before,
                                const karp_replay_document *after, const karp_write_options *write, karp_text *out,
                                size_t *differences, karp_error *error)
{
    side a, b;
    comparison c = { .error = error };
    karp_write_options options;
    if (!context || !before || !after || !out || !str_given(before->name) || !str_given(after->name))
        return fail(error, KARP_E_INVALID, "a context, two documents and a place for the text are needed");
    karp_status status = check_write_options(write, &options, error);
    if (!status && options.format != KARP_FORMAT_JSON && options.format != KARP_FORMAT_TEXT)
        status = fail(error, KARP_E_UNSUPPORTED, "a comparison of replays is not written in that format");
    if (status) return status;
    c.json = options.format == KARP_FORMAT_JSON;
    side_init(&a, context);
    side_init(&b, context);
    buffer_begin(&c.out, context, &options);
    json_init(&c.j, &c.out, options.compact != 0);
    status = side_read(&a, before, error);
    if (!status) status = side_read(&b, after, error);
    if (!status) status = compare_all(&c, &a, &b);
    if (!status && !c.json) text_fold_buffer(&c.out, options.width);
    if (!status) status = buffer_finish(&c.out, out, error);
    else buffer_free(&c.out);
    if (!status && differences) *differences = c.differences;
    side_free(&a);
    side_free(&b);
    return karp_context_refusal(context, status, error);
}
