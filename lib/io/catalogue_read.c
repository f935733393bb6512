/* SPDX-License-Identifier: Apache-2.0 */
#include <base/admit.h>
#include <io/catalogue_read.h>

#include <math.h>

#include <karp/library.h>

const karp_str catalogue_key_type = { LABEL_TYPE, sizeof LABEL_TYPE - 1 };
const karp_str catalogue_key_arch = { LABEL_ARCH, sizeof LABEL_ARCH - 1 };
const karp_str catalogue_key_os = { LABEL_OS, sizeof LABEL_OS - 1 };
const karp_str catalogue_key_zone = { LABEL_ZONE, sizeof LABEL_ZONE - 1 };
const karp_str catalogue_key_capacity_type = { LABEL_CAPACITY_TYPE, sizeof LABEL_CAPACITY_TYPE - 1 };
const karp_str catalogue_key_reservation = { "karpenter.k8s.aws/capacity-reservation-id", 41 };

/* ---- shared by both formats -------------------------------------------------------------------------------------- */

/* The object's spelling of the name; `name` if it has no such member. */
static karp_str member(const tree *object, const char *name)
{
    if (tree_get(object, name) || !tree_is(object, TREE_MAP)) return str(name);
    for (size_t i = 0; i < tree_count(object); i++) {
        karp_str key = tree_member_name(tree_member_at(object, i));
        if (equal_letters(key, str(name))) return key;
    }
    return str(name);
}

const char *catalogue_member(io_decoder *d, const tree *object, const char *name)
{
    karp_str own = member(object, name);
    return own.ptr == name ? name : io_c_string(d, own);
}

karp_requirement catalogue_in(karp_str key, const karp_str *values, size_t count)
{
    return (karp_requirement){ .key = key, .op = KARP_OP_IN, .values = values, .value_count = count };
}

const karp_str *catalogue_offering_values(arena *memory, const karp_instance_type *type, karp_str key, size_t *count)
{
    size_t room = 0, found = 0, kept = 0;
    for (size_t i = 0; i < type->offering_count; i++) {
        const karp_offering *o = &type->offerings[i];
        const karp_requirement *r = requirement_find(o->requirements, o->requirement_count, key);
        if (r) room += r->value_count;
    }
    karp_str *values = arena_array(memory, room, sizeof *values);
    if (!values) return NULL;
    for (size_t i = 0; i < type->offering_count; i++) {
        const karp_offering *o = &type->offerings[i];
        const karp_requirement *r = requirement_find(o->requirements, o->requirement_count, key);
        for (size_t k = 0; r && k < r->value_count; k++) values[found++] = r->values[k];
    }
    if (!sort_stable(memory->context, values, found, sizeof *values, by_text, NULL)) return NULL;
    for (size_t i = 0; i < found; i++) {
        if (kept == 0 || !equal_str(values[kept - 1], values[i])) values[kept++] = values[i];
    }
    *count = kept;
    return values;
}

double catalogue_price(io_decoder *d, const tree *object, const char *name, const double *absent)
{
    double price = 0;
    const tree *value = d->status ? NULL : tree_get(object, name);
    if (d->status) return 0;
    if (!value) {
        if (absent) return *absent;
        if (!tree_find_str(object, str(name))) io_bad_member(d, name, KARP_E_INVALID, "is missing");
        /* null = it is unknown */
    } else if (tree_double(value, &price)) {
        /* The value is a number. */
    } else if (tree_is(value, TREE_STRING)) {
        karp_str text = tree_text(value);
        karp_status status = karp_double_parse(text, &price);
        if (status != KARP_OK) io_bad_member(d, name, status, "is not a price: expected a decimal number");
    } else {
        io_bad_member(d, name, KARP_E_INVALID, "must be a number");
    }
    if (!(price >= 0 && isfinite(price))) io_bad_member(d, name, KARP_E_INVALID, "must not be negative");
    return price;
}

const karp_requirement *catalogue_requirements(io_decoder *d, const tree *object, const char *name, size_t *count)
{
    const karp_requirement *list = io_requirements(d, object, name, IO_FOR_POOL, count);
    if (d->status) *count = 0;
    io_push(d, name);
    for (size_t i = 0; i < *count && !d->status; i++) {
        io_push_index(d, i);
        if (list[i].op == KARP_OP_UNKNOWN)
            io_bad_member(d, "operator", KARP_E_INVALID, "must be In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte or Lte");
        io_pop(d);
    }
    io_pop(d);
    return list;
}

/* ---- the reader -------------------------------------------------------------------------------------------------- */

void catalogue_reader_init(catalogue_reader *reader, karp_context *context, karp_str document)
{
    memset(reader, 0, sizeof *reader);
    reader->context = context;
    reader->document = document;
    arena_init(&reader->arena, context);
    trees_init(&reader->trees, context);
}

void catalogue_reader_free(catalogue_reader *reader)
{
    if (reader->entries) karp_free(reader->context, reader->entries, reader->capacity * sizeof *reader->entries);
    reader->entries = NULL;
    reader->count = reader->capacity = 0;
    trees_free(&reader->trees);
    arena_free(&reader->arena);
}

/* Adds the position and the type's name to an error. */
static karp_status fail_entry(const catalogue_reader *reader, const tree *root, const io_place *place,
                              const io_decoder *d, karp_error *error)
{
    karp_status status = d->status;
    if (!error) return status;
    karp_error own = d->error;
    io_place at = *place;
    io_place_refine(&at, root, d->path, d->depth < IO_PATH_MOST ? d->depth : IO_PATH_MOST);
    io_error_place(&own, &at);
    karp_str name = tree_text(tree_find_str(root, member(root, "name")));
    strbuf object = strbuf_on(reader->context);
    strbuf_adds(&object, "InstanceType ");
    if (name.len) {
        strbuf_add(&object, name.ptr, name.len);
    } else {
        strbuf_addc(&object, '#');
        strbuf_addu(&object, reader->count + 1);
    }
    if (!object.failed) str_shorten(own.object, sizeof own.object, (karp_str){ object.ptr, object.len });
    strbuf_free(&object);
    return error_give(&own, error);
}

/* Names may repeat: Karpenter treats each entry as a separate type. */
static void check_count(const catalogue_reader *reader, io_decoder *d)
{
    const karp_context_options *options = karp_context_get_options(reader->context);
    if (reader->count >= options->max_instance_types || reader->count >= IO_NONE - 1)
        io_bad(d, KARP_E_LIMIT, "more than %llu instance types", (unsigned long long)options->max_instance_types);
}

static void decode(io_decoder *d, const tree *root, catalogue_entry *entry)
{
    if (!tree_is(root, TREE_MAP)) io_bad(d, KARP_E_INVALID, "an entry of a catalogue must be an object");
    else if (tree_get(root, "capacity")) catalogue_decode_full(d, root, entry);
    else if (!tree_is_null(tree_find_str(root, member(root, "resources")))) catalogue_decode_kwok(d, root, entry);
    else io_bad(d, KARP_E_INVALID, "neither \"capacity\" (the full shape) nor \"resources\" (kwok's) is there");
}

karp_status catalogue_reader_add(catalogue_reader *reader, const tree *root, const io_place *place, karp_error *error)
{
    catalogue_entry entry;
    memset(&entry, 0, sizeof entry);
    entry.type.size = sizeof entry.type;
    io_decoder d;
    io_decoder_init(&d, &reader->arena);
    if (!grow(reader->context, (void **)&reader->entries, &reader->capacity, reader->count + 1, sizeof entry))
        return fail_nomem(error);
    decode(&d, root, &entry);
    check_count(reader, &d);
    if (d.status) return fail_entry(reader, root, place, &d, error);
    reader->entries[reader->count++] = entry;
    return KARP_OK;
}

static karp_status fail_scan(const catalogue_reader *reader, const io_cursor *at, io_scan result, karp_error *error)
{
    if (result == IO_SCAN_STOPPED) return fail_nomem(error);
    karp_status status = result == IO_SCAN_DEEP
                             ? fail(error, KARP_E_LIMIT, "nested deeper than %lu", (unsigned long)at->max_nesting)
                         : at->pos < at->end && at->text[at->pos] == '{'
                             ? fail(error, KARP_E_SYNTAX,
                                    "a catalogue is a list of instance types, which begins with [")
                             : fail(error, KARP_E_SYNTAX, "not JSON: expected a list of instance types");
    io_place place = io_place_of(reader->document, at);
    io_error_place(error, &place);
    return status;
}

karp_status catalogue_reader_add_list(catalogue_reader *reader, io_cursor *list, karp_error *error)
{
    if (list->pos >= list->end || list->text[list->pos] != '[') return fail_scan(reader, list, IO_SCAN_SYNTAX, error);
    for (bool first = true;;) {
        io_cursor value;
        io_scan result = io_scan_element(list, &first, &value);
        if (result == IO_SCAN_END) return KARP_OK;
        if (result != IO_SCAN_OK) return fail_scan(reader, list, result, error);
        tree *root = NULL;
        tree_fault found;
        io_place place = io_place_of(reader->document, &value);
        karp_status status = tree_parse(&reader->trees, io_cursor_text(&value), value.max_nesting, &root, NULL, &found);
        if (status != KARP_OK) {
            if (status == KARP_E_NOMEM) return fail_nomem(error);
            io_cursor_skip(&value, found.at);
            place = io_place_of(reader->document, &value);
            fail(error, status, status == KARP_E_SYNTAX ? "not JSON: %s" : "%s", found.why);
            io_error_place(error, &place);
            return status;
        }
        status = catalogue_reader_add(reader, root, &place, error);
        if (status != KARP_OK) return status;
    }
}
