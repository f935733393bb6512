/* SPDX-License-Identifier: Apache-2.0 */
#include <io/catalogue_read.h>

#include <math.h>
#include <string.h>

const karp_str catalogue_key_type = { "node.kubernetes.io/instance-type", 32 };
const karp_str catalogue_key_arch = { "kubernetes.io/arch", 18 };
const karp_str catalogue_key_os = { "kubernetes.io/os", 16 };
const karp_str catalogue_key_zone = { "topology.kubernetes.io/zone", 27 };
const karp_str catalogue_key_capacity_type = { "karpenter.sh/capacity-type", 26 };
const karp_str catalogue_key_reservation = { "karpenter.k8s.aws/capacity-reservation-id", 41 };

/* ---- pieces of both shapes ------------------------------------------------------------------- */

static bool equal_ignoring_case(const char *a, const char *b)
{
    for (; *a && *b; a++, b++) {
        char x = *a >= 'A' && *a <= 'Z' ? (char)(*a - 'A' + 'a') : *a;
        char y = *b >= 'A' && *b <= 'Z' ? (char)(*b - 'A' + 'a') : *b;
        if (x != y) return false;
    }
    return *a == *b;
}

const char *catalogue_member(const json_t *object, const char *name)
{
    if (json_object_get(object, name)) return name;
    json_t *changeable; /* jansson's iterators want it so; nothing changes */
    memcpy(&changeable, &object, sizeof changeable);
    for (void *at = json_object_iter(changeable); at; at = json_object_iter_next(changeable, at)) {
        const char *key = json_object_iter_key(at);
        if (equal_ignoring_case(key, name)) return key;
    }
    return name;
}

const karp_requirement *catalogue_find(const karp_requirement *list, size_t count, karp_str key)
{
    for (size_t i = 0; i < count; i++) {
        if (io_str_equal(list[i].key, key)) return &list[i];
    }
    return NULL;
}

karp_requirement catalogue_in(karp_str key, const karp_str *values, size_t count)
{
    return (karp_requirement){ .key = key, .op = KARP_OP_IN, .values = values, .value_count = count };
}

static int by_text(const void *a, const void *b) { return io_str_compare(*(const karp_str *)a, *(const karp_str *)b); }

const karp_str *catalogue_offering_values(io_arena *arena, const karp_instance_type *type, karp_str key, size_t *count)
{
    size_t room = 0, found = 0, kept = 0;
    for (size_t i = 0; i < type->offering_count; i++) {
        const karp_offering *o = &type->offerings[i];
        const karp_requirement *r = catalogue_find(o->requirements, o->requirement_count, key);
        if (r) room += r->value_count;
    }
    const void **order = io_arena_array(arena, room, sizeof *order);
    karp_str *values = io_arena_array(arena, room, sizeof *values);
    if (!order || !values) return NULL;
    for (size_t i = 0; i < type->offering_count; i++) {
        const karp_offering *o = &type->offerings[i];
        const karp_requirement *r = catalogue_find(o->requirements, o->requirement_count, key);
        for (size_t k = 0; r && k < r->value_count; k++) order[found++] = &r->values[k];
    }
    if (!io_sort(arena->context, order, found, by_text)) return NULL;
    for (size_t i = 0; i < found; i++) {
        const karp_str *value = order[i];
        if (kept == 0 || !io_str_equal(values[kept - 1], *value)) values[kept++] = *value;
    }
    *count = kept;
    return values;
}

double catalogue_price(io_decoder *d, const json_t *object, const char *name, const double *absent)
{
    double price = 0;
    const json_t *value = d->status ? NULL : io_get(object, name);
    if (d->status) return 0;
    if (!value) {
        if (absent) return *absent;
        io_bad_member(d, name, KARP_E_INVALID, "is missing");
    } else if (json_is_integer(value)) {
        price = (double)json_integer_value(value);
    } else if (json_is_real(value)) {
        price = json_real_value(value);
    } else if (json_is_string(value)) {
        karp_str text = { json_string_value(value), json_string_length(value) };
        karp_status status = karp_double_parse(text, &price);
        if (status != KARP_OK) io_bad_member(d, name, status, "is no price: a decimal number is wanted");
    } else {
        io_bad_member(d, name, KARP_E_INVALID, "must be a number");
    }
    if (!(price >= 0 && isfinite(price))) io_bad_member(d, name, KARP_E_INVALID, "must not be negative");
    return price;
}

const karp_requirement *catalogue_requirements(io_decoder *d, const json_t *object, const char *name, size_t *count)
{
    const karp_requirement *list = io_requirements(d, object, name, IO_FOR_POOL, count);
    if (d->status) *count = 0;
    io_push(d, name);
    for (size_t i = 0; i < *count && !d->status; i++) {
        io_push_index(d, i);
        if (list[i].op == KARP_OP_UNKNOWN) {
            io_bad_member(d, "operator", KARP_E_INVALID, "must be In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte or Lte");
        }
        io_pop(d);
    }
    io_pop(d);
    return list;
}

/* ---- the reader ------------------------------------------------------------------------------ */

void catalogue_reader_init(catalogue_reader *reader, karp_context *context, karp_str document)
{
    memset(reader, 0, sizeof *reader);
    reader->context = context;
    reader->document = document;
    io_arena_init(&reader->arena, context);
}

void catalogue_reader_free(catalogue_reader *reader)
{
    for (size_t i = 0; i < reader->count; i++) json_decref(reader->entries[i].tree);
    if (reader->entries) karp_free(reader->context, reader->entries, reader->capacity * sizeof *reader->entries);
    reader->entries = NULL;
    reader->count = reader->capacity = 0;
    io_arena_free(&reader->arena);
}

/* Completes an error with where it happened and which type it is about. */
static karp_status fail_entry(const catalogue_reader *reader, const json_t *tree, const io_place *place,
                              const io_decoder *d, karp_error *error)
{
    karp_status status = d->status;
    if (!error) return status;
    *error = d->error;
    io_place at = *place;
    io_place_refine(&at, tree, d->path, d->depth < IO_PATH_MOST ? d->depth : IO_PATH_MOST);
    io_error_place(error, &at);
    karp_str name = io_get_text(tree, catalogue_member(tree, "name"));
    io_text object;
    io_text_init(&object, reader->context);
    io_text_adds(&object, "InstanceType ");
    if (name.len) {
        io_text_add(&object, name.ptr, name.len);
    } else {
        io_text_addc(&object, '#');
        io_text_addu(&object, reader->count + 1);
    }
    if (!object.failed) io_error_text(error->object, sizeof error->object, (karp_str){ object.ptr, object.len });
    io_text_free(&object);
    return status;
}

/* Names may repeat: Karpenter takes each entry as a type of its own. */
static void check_count(const catalogue_reader *reader, io_decoder *d)
{
    const karp_context_options *options = karp_context_get_options(reader->context);
    if (reader->count >= options->max_instance_types || reader->count >= IO_NONE - 1) {
        io_bad(d, KARP_E_LIMIT, "more than %llu instance types", (unsigned long long)options->max_instance_types);
    }
}

static void decode(io_decoder *d, const json_t *tree, catalogue_entry *entry)
{
    if (!json_is_object(tree)) {
        io_bad(d, KARP_E_INVALID, "an entry of a catalogue must be an object");
    } else if (io_get(tree, "capacity")) {
        catalogue_decode_full(d, tree, entry);
    } else if (io_get(tree, catalogue_member(tree, "resources"))) {
        catalogue_decode_kwok(d, tree, entry);
    } else {
        io_bad(d, KARP_E_INVALID, "neither \"capacity\" (the full shape) nor \"resources\" (kwok's) is there");
    }
}

karp_status catalogue_reader_add(catalogue_reader *reader, json_t *tree, const io_place *place, karp_error *error)
{
    catalogue_entry entry;
    memset(&entry, 0, sizeof entry);
    entry.type.size = sizeof entry.type;
    entry.tree = tree;
    io_decoder d;
    io_decoder_init(&d, &reader->arena);
    void *entries = reader->entries;
    if (!io_grow(reader->context, &entries, &reader->capacity, reader->count + 1, sizeof entry)) {
        json_decref(tree);
        return io_nomem(error);
    }
    reader->entries = entries;
    decode(&d, tree, &entry);
    check_count(reader, &d);
    if (d.status) {
        karp_status status = fail_entry(reader, tree, place, &d, error);
        json_decref(tree);
        return status;
    }
    reader->entries[reader->count++] = entry;
    return KARP_OK;
}

static karp_status fail_scan(const catalogue_reader *reader, const io_cursor *at, io_scan result, karp_error *error)
{
    karp_status status = result == IO_SCAN_DEEP
                             ? io_fail(error, KARP_E_LIMIT, "nested deeper than %lu", (unsigned long)at->max_nesting)
                             : io_fail(error, KARP_E_SYNTAX, "not JSON: a list of instance types is wanted here");
    io_place place = io_place_of(reader->document, at);
    io_error_place(error, &place);
    return status;
}

karp_status catalogue_reader_add_list(catalogue_reader *reader, io_cursor *list, karp_error *error)
{
    karp_error own; /* the parser tells its status nowhere else */
    if (!error) error = &own;
    if (list->pos >= list->end || list->text[list->pos] != '[') return fail_scan(reader, list, IO_SCAN_SYNTAX, error);
    bool first = true;
    for (;;) {
        io_cursor value;
        io_scan result = io_scan_element(list, &first, &value);
        if (result == IO_SCAN_END) return KARP_OK;
        if (result != IO_SCAN_OK) return fail_scan(reader, list, result, error);
        json_t *tree = io_parse(reader->context, &value, reader->document, error);
        if (!tree) return error->status;
        io_place place = io_place_of(reader->document, &value);
        karp_status status = catalogue_reader_add(reader, tree, &place, error);
        if (status != KARP_OK) return status;
    }
}
