/* SPDX-License-Identifier: Apache-2.0 */
#include <io/clouds.h>
#include <io/notes.h>
#include <providers/builtin.h>

#include <stdio.h>

#include <karp/inspect.h>
#include <karp/library.h>

const char *io_meant(const nearest *near, char text[MEANT])
{
    text[0] = '\0';
    if (near->best.ptr) (void)snprintf(text, MEANT, "; did you mean %.*s?", str_shown(near->best, 128), near->best.ptr);
    return text;
}

/* ---- searching the catalogues ------------------------------------------------------------------------------------ */

/* Visits the labels of a type or an offering. false = stop. */
typedef bool take_labels(void *user, const karp_requirement *labels, size_t count);

static void look_through(const karp_reader *reader, take_labels *take, void *user)
{
    for (size_t c = 0; c < reader->catalogues.count; c++) {
        const karp_catalogue *catalogue = reader->catalogues.list[c].catalogue;
        for (size_t i = 0; i < karp_catalogue_count(catalogue); i++) {
            const karp_instance_type *type = karp_catalogue_type(catalogue, i);
            if (!take(user, type->requirements, type->requirement_count)) return;
            for (size_t k = 0; k < type->offering_count; k++) {
                if (!take(user, type->offerings[k].requirements, type->offerings[k].requirement_count)) return;
            }
        }
    }
}

typedef struct seek_key {
    karp_str key;
    nearest *near;
    bool found;
} seek_key;

static bool take_keys(void *user, const karp_requirement *labels, size_t count)
{
    seek_key *s = user;
    for (size_t i = 0; i < count && !s->found; i++) {
        s->found = equal_str(labels[i].key, s->key);
        if (!s->found) nearest_offer(s->near, labels[i].key);
    }
    return !s->found;
}

bool io_is_had(const karp_reader *reader, karp_str key, nearest *near)
{
    seek_key s = { key, near, false };
    look_through(reader, take_keys, &s);
    return s.found;
}

typedef struct seek_values {
    const karp_requirement *required;
    bool *found; /* by value of the list */
    size_t left;
    bool had; /* whether the label was found */
} seek_values;

static bool take_values(void *user, const karp_requirement *labels, size_t count)
{
    seek_values *s = user;
    for (size_t i = 0; i < count && s->left > 0; i++) {
        if (!equal_str(labels[i].key, s->required->key)) continue;
        s->had = true;
        /* Another operator than In may allow any value. */
        if (labels[i].op != KARP_OP_IN && labels[i].op != KARP_OP_DOES_NOT_EXIST) s->left = 0;
        for (size_t w = 0; w < s->required->value_count && s->left > 0; w++) {
            for (size_t k = 0; k < labels[i].value_count && !s->found[w]; k++) {
                s->found[w] = equal_str(labels[i].values[k], s->required->values[w]);
                if (s->found[w]) s->left--;
            }
        }
    }
    return s->left > 0;
}

typedef struct offer {
    karp_str key;
    nearest near;
} offer;

static bool take_offers(void *user, const karp_requirement *labels, size_t count)
{
    offer *o = user;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < labels[i].value_count && equal_str(labels[i].key, o->key); k++)
            nearest_offer(&o->near, labels[i].values[k]);
    }
    return true;
}

karp_status io_find_absent(karp_reader *reader, const karp_requirement *required, io_absent *out)
{
    enum { NAMED = 4 };
    char shown[48];
    size_t first = 0;
    uint64_t offerings = 0;
    memset(out, 0, sizeof *out);
    for (size_t c = 0; c < reader->catalogues.count; c++)
        offerings += 16 * karp_catalogue_count(reader->catalogues.list[c].catalogue);
    if (!karp_context_work(reader->context, offerings * (required->value_count + 1))) return io_reader_nomem(reader);
    seek_values s = { required, mem_zalloc(reader->context, required->value_count * sizeof(bool) + 1),
                      required->value_count, false };
    if (!s.found) return io_reader_nomem(reader);
    look_through(reader, take_values, &s);
    io_table absent;
    bool ok = true;
    io_table_init(&absent, reader->context);
    for (size_t i = 0; i < required->value_count && s.left > 0 && s.had && ok; i++) {
        if (s.found[i] || io_table_get(&absent, required->values[i]) != IO_NONE) continue;
        ok = io_table_put(&absent, required->values[i], (uint32_t)i);
        if (out->count++ == 0) first = i;
        if (out->count > NAMED) continue;
        str_shorten(shown, sizeof shown, required->values[i]);
        str_append(out->list, sizeof out->list, "%s%s", *out->list ? ", " : "", shown);
    }
    mem_free(reader->context, s.found, required->value_count * sizeof(bool) + 1);
    io_table_free(&absent);
    if (!ok) return io_reader_nomem(reader);
    if (out->count > NAMED) str_append(out->list, sizeof out->list, " and %zu more", out->count - NAMED);
    /* one that is retired was not misspelt */
    if (out->count != 1 || aws_retired_find(required->values[first]) != AWS_RETIRED) return KARP_OK;
    offer o = { required->key, nearest_to_value(required->key, required->values[first]) };
    look_through(reader, take_offers, &o);
    (void)io_meant(&o.near, out->meant);
    return KARP_OK;
}

/* ---- requirements of NodePools ----------------------------------------------------------------------------------- */

/* The values as one string, to compare lists. */
static karp_str joined(arena *a, const karp_requirement *r)
{
    size_t length = 0;
    for (size_t i = 0; i < r->value_count; i++) length += r->values[i].len + 1;
    char *text = arena_array(a, length + 1, 1);
    karp_str out = { text, 0 };
    for (size_t i = 0; text && i < r->value_count; i++) {
        if (r->values[i].len > 0) memcpy(text + out.len, r->values[i].ptr, r->values[i].len);
        out.len += r->values[i].len;
        text[out.len++] = '\n';
    }
    return out;
}

static bool keep(karp_reader *reader, karp_str pool, const karp_requirement *r)
{
    static const char sort[] = "values of NodePools";
    karp_str text = joined(&reader->scratch, r);
    if (!text.ptr) return false;
    uint32_t known = io_find(reader, sort, r->key, text);
    if (known != IO_NONE) {
        reader->survey.pool_values[known].pools++;
        return true;
    }
    karp_str *values = arena_array(&reader->keep, r->value_count, sizeof *values);
    if (!values ||
        !grow(reader->context, (void **)&reader->survey.pool_values, &reader->survey.pool_value_capacity,
              reader->survey.pool_value_count + 1, sizeof *reader->survey.pool_values) ||
        !io_note_name(reader, str(sort), r->key, text, (uint32_t)reader->survey.pool_value_count))
        return false;
    io_pool_values *kept = &reader->survey.pool_values[reader->survey.pool_value_count++];
    *kept = (io_pool_values){ io_keep(reader, pool), 1, { .key = io_keep(reader, r->key), .values = values }, false };
    for (size_t i = 0; i < r->value_count; i++) {
        if (is_customary_value(r->key, r->values[i])) {
            kept->others = true;
            continue;
        }
        karp_str *value = &values[kept->required.value_count++];
        *value = io_keep(reader, r->values[i]);
        if (!value->ptr) return false;
    }
    return kept->pool.ptr && kept->required.key.ptr;
}

/* Karpenter takes a label of another cloud as one of the user's own, so it restricts no instance types. */
static karp_status note_other_cloud(karp_reader *reader, const karp_node_pool *pool, const karp_requirement *r)
{
    const builtin_plugin *own = plugin_builtin_for_class(pool->node_class.group, pool->node_class.kind), *one;
    bool wants = r->op != KARP_OP_NOT_IN && r->op != KARP_OP_DOES_NOT_EXIST && io_builtin_types(reader);
    char name[128], key[128];
    for (size_t i = 0; own && wants && (one = plugin_builtin(i)) != NULL; i++) {
        if (one == own || !plugin_has_label(one, r->key)) continue;
        str_shorten(name, sizeof name, pool->meta.name);
        str_shorten(key, sizeof key, r->key);
        return io_warn(reader,
                       "NodePool %s: its requirement %s restricts nothing: it is a label of the provider %s, which "
                       "no instance type of %s has",
                       name, key, one->plugin->name, own->plugin->name);
    }
    return KARP_OK;
}

karp_status io_values_pool(karp_reader *reader, const karp_node_pool *pool)
{
    karp_status status = io_retired_requirements(reader, pool->requirements, pool->requirement_count);
    if (status) return status;
    if (pool->meta.deletion != KARP_NO_TIME || reader->options.no_lint_notes) return KARP_OK;
    for (size_t i = 0; i < pool->requirement_count && status == KARP_OK; i++) {
        const karp_requirement *r = &pool->requirements[i];
        if (r->op == KARP_OP_IN && r->value_count > 1 && !keep(reader, pool->meta.name, r))
            return io_reader_nomem(reader);
        status = note_other_cloud(reader, pool, r);
    }
    return status;
}

enum { MOST_LISTS = 1000, MOST_NOTES = 40 }; /* limits: lists to check, each against all offerings; notes */

karp_status io_values_note(karp_reader *reader)
{
    karp_status status = KARP_OK;
    size_t noted = 0;
    for (size_t i = 0; i < reader->survey.pool_value_count && i < MOST_LISTS && !status; i++) {
        const io_pool_values *kept = &reader->survey.pool_values[i];
        char pool[128], key[128], more[32] = "";
        io_absent absent;
        status = io_find_absent(reader, &kept->required, &absent);
        if (status || absent.count == 0 || (absent.count == kept->required.value_count && !kept->others)) continue;
        if (noted++ == MOST_NOTES)
            return io_warn(reader, "further values of NodePools that no instance type or offering has are not listed");
        if (kept->pools > 1) (void)snprintf(more, sizeof more, " and %zu more", kept->pools - 1);
        str_shorten(pool, sizeof pool, kept->pool);
        str_shorten(key, sizeof key, kept->required.key);
        status = io_warn(reader, "NodePool %s%s: no instance type or offering has %s as %s%s", pool, more, absent.list,
                         key, absent.meant);
    }
    return status;
}
