/* SPDX-License-Identifier: Apache-2.0 */
#include <io/reader.h>

/* What follows a text of a form, if it is not a shared text: an own scalar, or nothing. */
static const uint32_t own_scalar = UINT32_MAX, end_of_form = UINT32_MAX - 1;

/* In the map of shared values: met once, and not written yet. */
static const uint32_t met_once = NO_ID - 1;

void io_packing_init(io_packing *p, karp_context *context)
{
    memset(p, 0, sizeof *p);
    io_table_init(&p->places, context);
    strings_init(&p->forms, context);
    strbuf_init(&p->form, context);
    strbuf_init(&p->own, context);
}

void io_packing_free(io_packing *p)
{
    mem_free(p->form.context, p->place_list, p->place_capacity * sizeof *p->place_list);
    io_table_free(&p->places);
    strings_free(&p->forms);
    mem_free(p->form.context, p->shared, p->shared_capacity * sizeof *p->shared);
    strbuf_free(&p->form);
    strbuf_free(&p->own);
}

/* ---- packing ----------------------------------------------------------------------------------------------------- */

static void put_number(strbuf *form, uint32_t number) { strbuf_add(form, (const char *)&number, sizeof number); }

static void begin_text(io_packing *p)
{
    p->length_at = p->form.len;
    put_number(&p->form, 0);
}

static void end_text(io_packing *p, uint32_t next)
{
    size_t length = p->form.len - p->length_at - sizeof(uint32_t);
    if (length >= end_of_form) p->form.failed = true;
    if (p->form.failed) return;
    uint32_t number = (uint32_t)length;
    memcpy(p->form.ptr + p->length_at, &number, sizeof number);
    put_number(&p->form, next);
}

static uint32_t write_shared(karp_reader *reader, const tree *value)
{
    io_packing *p = &reader->packing;
    karp_str text = io_keep_json(reader, value);
    if (p->shared_count >= met_once || !text.ptr ||
        !grow(reader->context, (void **)&p->shared, &p->shared_capacity, p->shared_count + 1, sizeof text))
        return NO_ID;
    p->shared[p->shared_count] = text;
    return (uint32_t)p->shared_count++;
}

/* Whether the value is one that was met before, which needs no text of its own. */
static bool pack_shared(karp_reader *reader, const tree *value)
{
    io_packing *p = &reader->packing;
    map64 *met = &reader->pod_templates.written;
    uint64_t address = io_shared_address(value);
    if (address == 0) return false;
    uint32_t number = map64_get(met, address), now = number;
    if (number == NO_ID) now = met_once;
    else if (number == met_once) now = write_shared(reader, value);
    if (now != number && (now == NO_ID || !map64_put(met, address, now))) p->form.failed = true;
    if (now == met_once) return false;
    end_text(p, now);
    begin_text(p);
    return true;
}

static void pack(karp_reader *reader, const tree *value);

/* Whether pods with the same labels and owners usually have this text in common as well. */
static bool is_common(const tree_member *member)
{
    karp_str name = tree_member_name(member);
    return tree_is(member->value, TREE_STRING) &&
           (str_is(name, "apiVersion") || str_is(name, "kind") || str_is(name, "namespace"));
}

static void pack_map(karp_reader *reader, const tree *map)
{
    strbuf *form = &reader->packing.form;
    const tree_member *order[TREE_FEW];
    tree_order(map, order);
    strbuf_addc(form, '{');
    for (size_t i = 0; i < map->count; i++) {
        if (i) strbuf_addc(form, ',');
        tree_write_string(form, tree_member_name(order[i]));
        strbuf_addc(form, ':');
        if (is_common(order[i])) tree_write(form, order[i]->value);
        else pack(reader, order[i]->value);
    }
    strbuf_addc(form, '}');
}

static void pack_list(karp_reader *reader, const tree *list)
{
    strbuf *form = &reader->packing.form;
    strbuf_addc(form, '[');
    for (size_t i = 0; i < list->count; i++) {
        if (i) strbuf_addc(form, ',');
        pack(reader, list->of.items[i]);
    }
    strbuf_addc(form, ']');
}

static void pack(karp_reader *reader, const tree *value)
{
    io_packing *p = &reader->packing;
    if (tree_count(value) > 0 && pack_shared(reader, value)) return;
    if (tree_is(value, TREE_LIST)) {
        pack_list(reader, value);
    } else if (tree_is(value, TREE_MAP) && value->count <= TREE_FEW) {
        pack_map(reader, value);
    } else {
        tree_write(&p->own, value);
        strbuf_addc(&p->own, '\n');
        end_text(p, own_scalar);
        begin_text(p);
    }
}

static void pack_pod(karp_reader *reader, const tree *root, io_kept *kept)
{
    io_packing *p = &reader->packing;
    strbuf_clear(&p->form);
    strbuf_clear(&p->own);
    begin_text(p);
    pack(reader, root);
    end_text(p, end_of_form);
    if (p->form.failed || p->own.failed) return;
    kept->form = strings_add(&p->forms, p->form.ptr, p->form.len);
    if (kept->form != NO_ID) kept->text = io_keep(reader, (karp_str){ p->own.ptr ? p->own.ptr : "", p->own.len });
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

static const io_kept_place *add_place(karp_reader *reader, const tree *root, karp_str namespace_)
{
    io_packing *p = &reader->packing;
    size_t count = p->places.names.count;
    io_kept_place *place = arena_alloc(&reader->keep, sizeof *place);
    if (!place || !grow(reader->context, (void **)&p->place_list, &p->place_capacity, count, sizeof place)) return NULL;
    *place = (io_kept_place){ io_keep(reader, tree_get_text(root, "kind")),
                              io_keep(reader, tree_get_text(root, "apiVersion")), io_keep(reader, namespace_) };
    if (!place->kind.ptr || !place->api_version.ptr || !place->namespace_.ptr) return NULL;
    p->place_list[count - 1] = place;
    return place;
}

static const io_kept_place *place_of(karp_reader *reader, const tree *root, karp_str namespace_)
{
    io_packing *p = &reader->packing;
    strbuf_clear(&p->own);
    strbuf_addstr(&p->own, tree_get_text(root, "kind"));
    strbuf_addc(&p->own, '\n');
    strbuf_addstr(&p->own, tree_get_text(root, "apiVersion"));
    strbuf_addc(&p->own, '\n');
    strbuf_addstr(&p->own, namespace_);
    uint32_t *number = p->own.failed ? NULL : io_table_at(&p->places, (karp_str){ p->own.ptr, p->own.len });
    if (!number) return NULL;
    if (*number != IO_NONE) return p->place_list[*number];
    *number = (uint32_t)p->places.names.count - 1;
    return add_place(reader, root, namespace_);
}

/* The name of a pod is usually among its own scalars, in quotes. */
static karp_str keep_name(karp_reader *reader, const io_kept *kept, karp_str name)
{
    karp_str own = kept->form == NO_ID || !kept->text.ptr ? str("") : kept->text;
    while (own.len > 0) {
        karp_str scalar = str_until(&own, '\n');
        if (scalar.len != name.len + 2) continue;
        scalar = (karp_str){ scalar.ptr + 1, name.len };
        if (equal_str(scalar, name)) return scalar;
    }
    return io_keep(reader, name);
}

karp_status io_keep_object(karp_reader *reader, const io_kind_info *info, const tree *root)
{
    /* Prices are not kept: they are in the kept catalogues. */
    if (!reader->options.keep_documents || info->kind == IO_KIND_UNKNOWN || info->kind == IO_KIND_PRICES)
        return KARP_OK;
    karp_str namespace_, name;
    io_identity(info, root, &namespace_, &name);
    if (!grow(reader->context, (void **)&reader->kept, &reader->kept_capacity, reader->kept_count + 1, sizeof(io_kept)))
        return io_reader_nomem(reader);
    io_kept *kept = &reader->kept[reader->kept_count];
    *kept = (io_kept){ .of = place_of(reader, root, namespace_), .form = NO_ID };
    if (info->kind == IO_KIND_POD) pack_pod(reader, root, kept);
    else kept->text = io_keep_json(reader, root);
    kept->name = keep_name(reader, kept, name);
    if (!kept->of || !kept->name.ptr || !kept->text.ptr) return io_reader_nomem(reader);
    reader->kept_count++;
    return KARP_OK;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void put_text(const io_text_sink *sink, karp_str text) { sink->add(sink->to, text.ptr, text.len); }

static uint32_t take_number(const char **form)
{
    uint32_t number;
    memcpy(&number, *form, sizeof number);
    *form += sizeof number;
    return number;
}

void io_kept_put(const karp_reader *reader, const io_kept *kept, const io_text_sink *sink)
{
    if (kept->form == NO_ID) {
        put_text(sink, kept->text);
        return;
    }
    const io_packing *p = &reader->packing;
    karp_str own = kept->text;
    const char *form = strings_get(&p->forms, kept->form).ptr;
    for (uint32_t next = own_scalar; next != end_of_form;) {
        karp_str text = { .len = take_number(&form) };
        text.ptr = form;
        form += text.len;
        put_text(sink, text);
        next = take_number(&form);
        if (next == own_scalar) put_text(sink, str_until(&own, '\n'));
        else if (next != end_of_form) put_text(sink, p->shared[next]);
    }
}

static void to_strbuf(void *to, const char *ptr, size_t length) { strbuf_add(to, ptr, length); }

bool io_kept_text(const karp_reader *reader, const io_kept *kept, arena *memory, karp_str *out)
{
    strbuf text = strbuf_on(reader->context);
    io_kept_put(reader, kept, &(io_text_sink){ to_strbuf, &text });
    return strbuf_move(&text, memory, out);
}
