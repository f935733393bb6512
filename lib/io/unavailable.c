/* SPDX-License-Identifier: Apache-2.0 */
/* Offerings that the caller says cannot be launched: "m7i.large/us-west-2a", as in karp_change. */
#include <io/clouds.h>
#include <io/notes.h>

#include <base/admit.h>
#include <karp/inspect.h>

/* A part that is not stated, or "*", is that of every offering. */
static bool is_part(karp_str part, karp_str value)
{
    return part.len == 0 || str_is(part, "*") || equal_str(part, value);
}

static karp_str value_of(const karp_offering *o, const char *key)
{
    const karp_requirement *r = requirement_find(o->requirements, o->requirement_count, str(key));
    return r && r->value_count == 1 ? r->values[0] : (karp_str){ "", 0 };
}

/* The parts of one word, and how many offerings it has. */
typedef struct word_parts {
    karp_str type, zone, capacity_type;
    size_t found;
    nearest near;
} word_parts;

static bool parts_of(karp_str word, word_parts *w)
{
    karp_str rest = word;
    *w = (word_parts){ .type = str_until(&rest, '/') };
    w->zone = str_until(&rest, '/');
    w->capacity_type = str_until(&rest, '/');
    w->near = nearest_to_value(str("node.kubernetes.io/instance-type"), w->type);
    return w->type.len > 0 && rest.len == 0;
}

/* The type with the offerings of the word unavailable. false = out of memory. */
static bool take_away(arena *a, karp_instance_type *type, word_parts *w)
{
    nearest_offer(&w->near, type->name);
    if (!is_part(w->type, type->name)) return true;
    karp_offering *own = arena_copy(a, type->offerings, type->offering_count * sizeof *own);
    for (size_t i = 0; own && i < type->offering_count; i++) {
        if (!is_part(w->zone, value_of(&own[i], "topology.kubernetes.io/zone")) ||
            !is_part(w->capacity_type, value_of(&own[i], "karpenter.sh/capacity-type")))
            continue;
        own[i].available = 0;
        w->found++;
    }
    if (own) type->offerings = own;
    return own != NULL;
}

static karp_status without(karp_reader *reader, karp_catalogue **catalogue, word_parts *w)
{
    size_t count = karp_catalogue_count(*catalogue), before = w->found;
    karp_catalogue *made = NULL;
    arena a = arena_on(reader->context);
    karp_instance_type *types = arena_array(&a, count + 1, sizeof *types);
    bool ok = types != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        types[i] = *karp_catalogue_type(*catalogue, i);
        ok = take_away(&a, &types[i], w);
    }
    karp_status status = ok ? KARP_OK : io_reader_nomem(reader);
    bool has_it = w->found > before; /* else it stays: the near name is one of its */
    if (ok && has_it) status = karp_catalogue_new(reader->context, types, count, &made, &reader->error);
    arena_free(&a);
    if (status || !has_it) return status;
    karp_catalogue_unref(*catalogue);
    *catalogue = made;
    return KARP_OK;
}

karp_status io_take_away_offerings(karp_reader *reader)
{
    karp_status status = KARP_OK;
    for (karp_str rest = reader->options.unavailable; rest.len > 0 && status == KARP_OK;) {
        karp_str word = str_until(&rest, ',');
        word_parts w;
        if (!parts_of(word, &w))
            return fail(&reader->error, KARP_E_INVALID, "unavailable: expected TYPE[/ZONE[/CAPACITY]], not %.*s",
                        str_shown(word, 100), word.ptr ? word.ptr : "");
        for (size_t i = 0; i < reader->catalogues.count && status == KARP_OK; i++)
            status = without(reader, &reader->catalogues.list[i].catalogue, &w);
        if (status == KARP_OK && w.found == 0)
            return fail(&reader->error, KARP_E_NOT_FOUND,
                        "unavailable: no instance type has the offering %.*s%s%.*s%s (karp catalogue lists them)",
                        str_shown(word, 100), word.ptr, w.near.best.ptr ? "; did you mean " : "",
                        str_shown(w.near.best, 60), w.near.best.ptr ? w.near.best.ptr : "", w.near.best.ptr ? "?" : "");
        if (status == KARP_OK)
            status = io_warn(reader, "as if nothing could be launched of %.*s", str_shown(word, 100), word.ptr);
    }
    return status;
}
