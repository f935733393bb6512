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
    mem_free(p->form.context, p->steps, p->step_capacity * sizeof *p->steps);
    mem_free(p->form.context, p->recipes, p->recipe_capacity * sizeof *p->recipes);
    strbuf_free(&p->form);
    strbuf_free(&p->own);
}

/* ---- packing ----------------------------------------------------------------------------------------------------- */

/* The length of the text is filled in when it ends. */
static void begin_form(io_packing *p)
{
    const uint32_t length = 0;
    strbuf_clear(&p->form);
    strbuf_clear(&p->own);
    strbuf_add(&p->form, (const char *)&length, sizeof length);
    p->length_at = 0;
}

static void end_text(io_packing *p, uint32_t next)
{
    const uint32_t numbers[2] = { next, 0 };
    size_t length = p->form.len - p->length_at - sizeof(uint32_t);
    if (length >= end_of_form) p->form.failed = true;
    if (p->form.failed) return;
    uint32_t number = (uint32_t)length;
    memcpy(p->form.ptr + p->length_at, &number, sizeof number);
    strbuf_add(&p->form, (const char *)numbers, next == end_of_form ? sizeof next : sizeof numbers);
    p->length_at = p->form.len - sizeof(uint32_t);
}

static void note_step(io_packing *p, io_pack_kind kind, size_t number, uint64_t key, karp_str text)
{
    if (!p->notes_steps) return;
    uint32_t id = text.len > 0 ? strings_add(&p->forms, text.ptr, text.len) : NO_ID;
    if ((text.len > 0 && id == NO_ID) ||
        !grow(p->form.context, (void **)&p->steps, &p->step_capacity, p->step_count + 1, sizeof *p->steps)) {
        p->form.failed = true;
        return;
    }
    p->steps[p->step_count++] = (io_pack_step){ kind, (uint32_t)number, key,
                                                id == NO_ID ? "" : strings_get(&p->forms, id).ptr };
}

static void pack_own(io_packing *p, const tree *value)
{
    tree_write(&p->own, value);
    strbuf_addc(&p->own, '\n');
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
    note_step(p, IO_PACK_SHARED, 0, address, str(""));
    end_text(p, now);
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
    io_packing *p = &reader->packing;
    const tree_member *order[TREE_FEW];
    tree_order(map, order);
    note_step(p, IO_PACK_MAP, map->count, 0, str(""));
    strbuf_addc(&p->form, '{');
    for (size_t i = 0; i < map->count; i++) {
        const tree_member *member = order[i];
        karp_str name = tree_member_name(member);
        if (i) strbuf_addc(&p->form, ',');
        tree_write_string(&p->form, name);
        strbuf_addc(&p->form, ':');
        note_step(p, IO_PACK_MEMBER, (size_t)(member - map->of.members), member->key, name);
        if (is_common(member)) {
            note_step(p, IO_PACK_COMMON, member->value->count, 0, tree_text(member->value));
            tree_write(&p->form, member->value);
        } else {
            pack(reader, member->value);
        }
    }
    strbuf_addc(&p->form, '}');
}

static void pack_list(karp_reader *reader, const tree *list)
{
    io_packing *p = &reader->packing;
    note_step(p, IO_PACK_LIST, list->count, 0, str(""));
    strbuf_addc(&p->form, '[');
    for (size_t i = 0; i < list->count; i++) {
        if (i) strbuf_addc(&p->form, ',');
        pack(reader, list->of.items[i]);
    }
    strbuf_addc(&p->form, ']');
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
        note_step(p, IO_PACK_OWN, 0, 0, str(""));
        pack_own(p, value);
        end_text(p, own_scalar);
    }
}

/* ---- packing another pod as one before --------------------------------------------------------------------------- */

/* Writes what is the pod's own. false = the value is not as these steps say. */
static bool follow(io_packing *p, const io_pack_step **at, const tree *value)
{
    const io_pack_step *step = (*at)++;
    tree_type type = step->kind == IO_PACK_MAP ? TREE_MAP : TREE_LIST;
    switch (step->kind) {
    case IO_PACK_OWN: pack_own(p, value); return true;
    case IO_PACK_COMMON:
        return tree_is(value, TREE_STRING) && equal_str(tree_text(value), (karp_str){ step->text, step->number });
    case IO_PACK_SHARED: return tree_count(value) > 0 && io_shared_address(value) == step->key;
    case IO_PACK_LIST:
    case IO_PACK_MAP:
    case IO_PACK_MEMBER: break;
    }
    if (!tree_is(value, type) || value->count != step->number) return false;
    for (uint32_t i = 0; i < step->number; i++) {
        const tree *inner;
        if (type == TREE_MAP) {
            const io_pack_step *named = (*at)++;
            const tree_member *member = &value->of.members[named->number];
            if (member->key != named->key || !tree_equal_names(member->name, named->text, named->key)) return false;
            inner = member->value;
        } else {
            inner = value->of.items[i];
        }
        if (!follow(p, at, inner)) return false;
    }
    return true;
}

/* By which a recipe is found; 0 = the pod shares no spec. Whether a pod is like the one of the recipe, the steps tell:
 * also whether it has the same namespace, for which there is a text. */
static uint64_t recipe_key(const tree *root)
{
    const tree *metadata = tree_get(root, "metadata"), *spec = tree_get(root, "spec");
    const tree *labels = tree_get(metadata, "labels");
    uint64_t address = spec && tree_is(tree_get(metadata, "namespace"), TREE_STRING) ? io_shared_address(spec) : 0;
    return address == 0 || !labels ? address : address ^ hash_mix(io_shared_address(labels));
}

static bool pack_by_recipe(karp_reader *reader, const tree *root, uint32_t number, io_kept *kept)
{
    io_packing *p = &reader->packing;
    if (number == NO_ID) return false;
    const io_pack_recipe *recipe = &p->recipes[number];
    const io_pack_step *at = &p->steps[recipe->first];
    strbuf_clear(&p->own);
    if (!follow(p, &at, root) || p->own.failed) return false;
    kept->of = recipe->of;
    kept->form = recipe->form;
    kept->text = io_keep(reader, (karp_str){ p->own.ptr ? p->own.ptr : "", p->own.len });
    return true;
}

static void add_recipe(karp_reader *reader, uint64_t key, io_pack_recipe recipe)
{
    io_packing *p = &reader->packing;
    if (!grow(reader->context, (void **)&p->recipes, &p->recipe_capacity, p->recipe_count + 1, sizeof *p->recipes) ||
        !map64_put(&reader->pod_templates.recipes, key, (uint32_t)p->recipe_count))
        p->form.failed = true;
    else p->recipes[p->recipe_count++] = recipe;
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

static const io_kept_place *add_place(karp_reader *reader, const tree *root, karp_str namespace_)
{
    io_packing *p = &reader->packing;
    size_t count = p->places.names.count;
    io_kept_place *place = arena_alloc(&reader->keep, sizeof *place);
    if (!place || !grow(reader->context, (void **)&p->place_list, &p->place_capacity, count, sizeof place)) return NULL;
    *place = (io_kept_place){ io_keep(reader, tree_get_text(root, "kind")),
                              io_keep(reader, tree_get_text(root, "apiVersion")), io_keep(reader, namespace_),
                              (uint32_t)count - 1 };
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

/* Pods that share a spec that was met before leave a recipe. */
static void pack_pod(karp_reader *reader, const tree *root, karp_str namespace_, io_kept *kept)
{
    io_packing *p = &reader->packing;
    uint64_t key = recipe_key(root);
    uint32_t number = key ? map64_get(&reader->pod_templates.recipes, key) : NO_ID;
    if (pack_by_recipe(reader, root, number, kept)) return;
    kept->of = place_of(reader, root, namespace_);
    size_t first = p->step_count;
    p->notes_steps = key && number == NO_ID &&
                     map64_get(&reader->pod_templates.written, io_shared_address(tree_get(root, "spec"))) != NO_ID;
    begin_form(p);
    pack(reader, root);
    end_text(p, end_of_form);
    if (p->form.failed || p->own.failed) return;
    kept->form = strings_add(&p->forms, p->form.ptr, p->form.len);
    if (p->notes_steps) add_recipe(reader, key, (io_pack_recipe){ kept->of, first, kept->form });
    if (kept->form != NO_ID && !p->form.failed)
        kept->text = io_keep(reader, (karp_str){ p->own.ptr ? p->own.ptr : "", p->own.len });
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
    *kept = (io_kept){ .form = NO_ID };
    if (info->kind == IO_KIND_POD) {
        pack_pod(reader, root, namespace_, kept);
    } else {
        kept->of = place_of(reader, root, namespace_);
        kept->text = io_keep_json(reader, root);
    }
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
