/* SPDX-License-Identifier: Apache-2.0 */
#include <io/builtin.h>
#include <io/convert.h>
#include <io/fill.h>

#include <string.h>

#define AWS_CLASS "EC2NodeClass"

static const karp_str nothing = { "", 0 };

bool io_builtin_types(const karp_reader *reader)
{
    return !reader->own_catalogues && (!reader->has_catalogues || reader->options.provider.len > 0);
}

/* ---- node classes ------------------------------------------------------------------------------------------------ */

bool io_complete_from_base(karp_reader *reader, const io_kind_info *info, json_t *tree)
{
    karp_str base = io_get_text(io_get(io_get(tree, "metadata"), "annotations"), IO_BASE_CLASS);
    if (info->kind != IO_KIND_NODE_CLASS || base.len == 0) return true;
    uint32_t number = io_find(reader, AWS_CLASS, nothing, base);
    json_t *from = number < reader->waiting_count ? io_waiting_tree(reader, &reader->waiting[number]) : NULL;
    bool ok = io_complete_class(tree, from);
    json_decref(from);
    return ok;
}

/* spec.blockDeviceMappings[1].ebs and evictionHard["memory.available"] as steps; the names are put into `buffer`. */
static size_t split_field(const char *field, char *buffer, size_t room, io_step *steps, size_t most)
{
    size_t count = 0, index = 0;
    io_error_text(buffer, room, io_str(field));
    for (char *at = buffer; *at && count < most;) {
        if (*at >= '0' && *at <= '9') { /* behind a bracket: no name begins with a digit */
            for (index = 0; *at >= '0' && *at <= '9' && index < 1000000; at++) index = index * 10 + (size_t)(*at - '0');
            steps[count++] = (io_step){ NULL, index };
            at += strspn(at, "].");
            continue;
        }
        bool quoted = *at == '"';
        if (quoted) at++;
        size_t length = strcspn(at, quoted ? "\"" : ".[");
        if (length) steps[count++] = (io_step){ at, 0 };
        at += length;
        size_t between = strspn(at, "\"].[");
        *at = '\0';
        if (between && at[between - 1] == '"') between--; /* the next name's own */
        at += between;
    }
    return count;
}

static karp_status read_class(karp_reader *reader, const json_t *tree, const io_place *place, scratch *s, aws_node_class *out)
{
    io_text text;
    io_text_init(&text, reader->context);
    io_write_json(&text, tree);
    karp_status status = text.failed ? io_reader_nomem(reader) : KARP_OK;
    if (status == KARP_OK) status = aws_node_class_read(s, (karp_str){ text.ptr, text.len }, out, &reader->error);
    io_text_free(&text);
    if (status == KARP_OK || status == KARP_E_NOMEM) return status;
    io_step steps[8];
    char buffer[sizeof reader->error.field];
    io_place at = *place;
    io_place_refine(&at, tree, steps, split_field(reader->error.field, buffer, sizeof buffer, steps, 8));
    io_error_place(&reader->error, &at);
    io_reader_name(reader, io_get_text(tree, "kind"), nothing, io_get_text(io_get(tree, "metadata"), "name"));
    return status;
}

karp_status io_check_node_class(karp_reader *reader, const json_t *tree, const io_place *place)
{
    bool ours = io_str_is(io_get_text(tree, "kind"), AWS_CLASS) && io_str_is(io_group_of(io_get_text(tree, "apiVersion")), IO_AWS);
    if (!ours || !io_builtin_types(reader)) return KARP_OK;
    aws_node_class class_;
    scratch s;
    scratch_init(&s, reader->context);
    karp_status status = read_class(reader, tree, place, &s, &class_);
    scratch_free(&s);
    return status;
}

karp_status io_read_node_class(karp_reader *reader, uint32_t number, scratch *s, aws_node_class *out)
{
    const io_waiting *w = &reader->waiting[number];
    io_place place = io_waiting_place(w);
    json_t *tree = io_waiting_tree(reader, w);
    if (!tree) return reader->error.status;
    karp_status status = io_complete_from_base(reader, w->info, tree) ? KARP_OK : io_reader_nomem(reader);
    if (status == KARP_OK) status = read_class(reader, tree, &place, s, out);
    json_decref(tree);
    return status;
}

/* ---- the types of each pool -------------------------------------------------------------------------------------- */

/* One class, and the pools that use it or an equal one. */
typedef struct class_use {
    aws_node_class class_;
    karp_str *pools;
    size_t pool_count;
} class_use;

typedef struct class_uses {
    karp_reader *reader;
    scratch s;
    io_arena arena;
    karp_str region;
    io_table names; /* of node classes -> index in list */
    class_use **list;
    size_t count;
} class_uses;

static bool in_region(const aws_node_class *c, karp_str region)
{
    for (size_t i = 0; i < c->subnet_count; i++) {
        karp_str zone = c->subnets[i].zone;
        if (zone.len > region.len && memcmp(zone.ptr, region.ptr, region.len) == 0) return true;
    }
    return c->subnet_count == 0;
}

/* What the class of that name says; all zero, with a note, when the input has none. */
static karp_status find_class(class_uses *u, karp_str pool, const json_t *ref, karp_str name, aws_node_class *out)
{
    karp_reader *reader = u->reader;
    karp_str group = io_get_text(ref, "group");
    int pool_length = (int)(pool.len < 100 ? pool.len : 100), length = (int)(name.len < 100 ? name.len : 100);
    memset(out, 0, sizeof *out);
    if (group.len && !io_str_is(group, IO_AWS)) {
        karp_str kind = io_get_text(ref, "kind");
        return io_warn(reader, "NodePool %.*s: its %.*s is no " AWS_CLASS ": without a catalogue its instance types are EC2's, as AL2023 has them",
                       pool_length, pool.ptr, (int)(kind.len < 100 ? kind.len : 100), kind.ptr);
    }
    uint32_t number = io_find(reader, AWS_CLASS, nothing, name);
    if (number >= reader->waiting_count) {
        return io_warn_once(reader, AWS_CLASS " %.*s is not in the input: its nodes are taken to be AL2023's, with default settings", length,
                            name.ptr);
    }
    karp_status status = io_read_node_class(reader, number, &u->s, out);
    if (status == KARP_OK && !in_region(out, u->region)) {
        status = io_warn(reader, AWS_CLASS " %.*s: none of its subnets is in %.*s", length, name.ptr, (int)u->region.len, u->region.ptr);
    }
    return status;
}

/* The index of the class in the list, where it is put unless an equal one is there. */
static karp_status use_class(class_uses *u, const aws_node_class *class_, size_t room, size_t *index)
{
    for (*index = 0; *index < u->count; ++*index) {
        if (aws_node_class_equal(&u->list[*index]->class_, class_)) return KARP_OK;
    }
    class_use *use = io_arena_array(&u->arena, 1, sizeof *use);
    if (use) use->pools = io_arena_array(&u->arena, room, sizeof *use->pools);
    if (!use || !use->pools) return io_reader_nomem(u->reader);
    use->class_ = *class_;
    u->list[u->count++] = use;
    return KARP_OK;
}

static karp_status add_pool(class_uses *u, const io_waiting *w, size_t room)
{
    karp_reader *reader = u->reader;
    json_t *tree = io_waiting_tree(reader, w);
    if (!tree) return reader->error.status;
    const json_t *ref = io_get(io_get(io_get(io_get(tree, "spec"), "template"), "spec"), "nodeClassRef");
    bool foreign = io_get_text(ref, "group").len && !io_str_is(io_get_text(ref, "group"), IO_AWS);
    karp_str name = io_get_text(ref, "name");
    if (name.len == 0) name = io_str("default");
    uint32_t known = foreign ? IO_NONE : io_table_get(&u->names, name);
    size_t index = known;
    karp_status status = KARP_OK;
    if (known == IO_NONE) {
        aws_node_class class_;
        status = find_class(u, w->name, ref, name, &class_);
        if (status == KARP_OK) status = use_class(u, &class_, room, &index);
        if (status == KARP_OK && !foreign && !io_table_put(&u->names, name, (uint32_t)index)) status = io_reader_nomem(reader);
    }
    if (status == KARP_OK) u->list[index]->pools[u->list[index]->pool_count++] = w->name;
    json_decref(tree);
    return status;
}

static int compare_names(const void *a, const void *b)
{
    const io_waiting *x = a, *y = b;
    return io_str_compare(x->name, y->name);
}

/* The pools by name, so that the order of the input does not show. */
static karp_status add_pools(class_uses *u)
{
    karp_reader *reader = u->reader;
    const void **pools = io_arena_array(&u->arena, reader->waiting_count, sizeof *pools);
    size_t count = 0;
    if (!pools) return io_reader_nomem(reader);
    for (size_t i = 0; i < reader->waiting_count; i++) {
        if (reader->waiting[i].info->kind == IO_KIND_NODE_POOL) pools[count++] = &reader->waiting[i];
    }
    u->list = io_arena_array(&u->arena, count + 1, sizeof *u->list);
    if (!u->list || !io_sort(reader->context, pools, count, compare_names)) return io_reader_nomem(reader);
    karp_status status = KARP_OK;
    for (size_t i = 0; i < count && status == KARP_OK; i++) status = add_pool(u, pools[i], count);
    if (status == KARP_OK && count == 0) {
        static const aws_node_class plain;
        size_t index;
        status = use_class(u, &plain, 1, &index);
    }
    return status;
}

static karp_status give_types(class_uses *u)
{
    karp_reader *reader = u->reader;
    aws_settings settings = aws_settings_default(u->region);
    uint64_t types = 0, most = karp_context_get_options(reader->context)->max_instance_types;
    for (size_t i = 0; i < u->count; i++) {
        karp_catalogue *catalogue = NULL;
        /* The builder would refuse them too, but only when all are made. */
        if (types > most) {
            io_fail(&reader->error, KARP_E_LIMIT, "%zu node classes that differ make more than %llu instance types", u->count,
                    (unsigned long long)most);
            return KARP_E_LIMIT;
        }
        karp_status status = aws_catalogue(reader->context, &settings, &u->list[i]->class_, &catalogue, &reader->error);
        if (status == KARP_OK) types += karp_catalogue_count(catalogue);
        /* One for all serves nodes of pools that are not in the input, too. */
        if (status == KARP_OK) status = io_give_catalogue(reader, catalogue, u->list[i]->pools, u->count == 1 ? 0 : u->list[i]->pool_count);
        if (status) return status;
    }
    return KARP_OK;
}

static karp_status give_builtin(karp_reader *reader)
{
    bool told = reader->options.region.len == 0 && reader->region.len > 0;
    size_t found;
    class_uses u;
    memset(&u, 0, sizeof u);
    u.reader = reader;
    u.region = told ? reader->region : reader->options.region.len ? reader->options.region : io_str("us-west-2");
    if (told && !aws_region_find(u.region, &found)) {
        return io_warn(reader, "no catalogue is built in for region %.*s, which the input's labels name: no instance types",
                       (int)(u.region.len < 60 ? u.region.len : 60), u.region.ptr);
    }
    scratch_init(&u.s, reader->context);
    io_arena_init(&u.arena, reader->context);
    io_table_init(&u.names, &u.arena);
    karp_status status = add_pools(&u);
    if (status == KARP_OK) status = give_types(&u);
    io_table_free(&u.names);
    io_arena_free(&u.arena);
    scratch_free(&u.s);
    return status;
}

karp_status io_settle_catalogues(karp_reader *reader)
{
    karp_status status = io_builtin_types(reader) ? give_builtin(reader) : KARP_OK;
    for (size_t i = 0; i < reader->catalogue_count && status == KARP_OK; i++) {
        const io_given_catalogue *given = &reader->catalogues[i];
        status = karp_builder_add_catalogue(reader->builder, given->catalogue, given->pools, given->pool_count, &reader->error);
    }
    return status;
}
