/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Completes a catalogue with everything that depends on the whole list: labels that other types have, reservations,
 * and warnings.
 */
#include <io/catalogue_read.h>
#include <base/admit.h>

#include <karp/inspect.h>
#include <karp/library.h>

/* ---- labels derived from the list -------------------------------------------------------------------------------- */

typedef struct list_facts {
    io_table keys; /* label keys of all full entries */
    karp_str *texts; /* by index in `keys` */
    size_t count, capacity;
    uint32_t *seen; /* by key: index + 1 of the last entry that has it */
    bool has_reserved;
} list_facts;

static bool note_key(catalogue_reader *reader, list_facts *facts, karp_str key)
{
    if (io_table_get(&facts->keys, key) != IO_NONE) return true;
    void *texts = facts->texts;
    if (!grow(reader->context, &texts, &facts->capacity, facts->count + 1, sizeof *facts->texts)) return false;
    facts->texts = texts;
    if (!io_table_put(&facts->keys, key, (uint32_t)facts->count)) return false;
    facts->texts[facts->count++] = key;
    return true;
}

static bool is_reserved(const karp_offering *offering)
{
    const karp_requirement *r = requirement_find(offering->requirements, offering->requirement_count,
                                                 catalogue_key_capacity_type);
    return r && r->op == KARP_OP_IN && r->value_count == 1 && str_is(r->values[0], "reserved");
}

static bool gather(catalogue_reader *reader, list_facts *facts)
{
    for (size_t i = 0; i < reader->count; i++) {
        const catalogue_entry *entry = &reader->entries[i];
        for (size_t k = 0; entry->full && k < entry->type.requirement_count; k++) {
            if (!note_key(reader, facts, entry->type.requirements[k].key)) return false;
        }
        for (size_t k = 0; k < entry->type.offering_count; k++) {
            if (is_reserved(&entry->type.offerings[k])) facts->has_reserved = true;
        }
    }
    facts->seen = arena_array(&reader->arena, facts->count + 1, sizeof *facts->seen);
    return facts->seen != NULL;
}

/* In a list with reservations, offerings outside of them get the requirement that they are in none. */
static bool complete_offerings(arena *memory, karp_instance_type *type)
{
    karp_offering *list = arena_array(memory, type->offering_count, sizeof *list);
    if (!list) return false;
    for (size_t i = 0; i < type->offering_count; i++) {
        list[i] = type->offerings[i];
        size_t count = list[i].requirement_count;
        if (is_reserved(&list[i]) || requirement_find(list[i].requirements, count, catalogue_key_reservation)) continue;
        karp_requirement *longer = arena_array(memory, count + 1, sizeof *longer);
        if (!longer) return false;
        memcpy(longer, list[i].requirements, count * sizeof *longer);
        longer[count] = (karp_requirement){ .key = catalogue_key_reservation, .op = KARP_OP_DOES_NOT_EXIST };
        list[i].requirements = longer;
        list[i].requirement_count = count + 1;
    }
    type->offerings = list;
    return true;
}

static bool add_from_offerings(arena *memory, const karp_instance_type *type, karp_requirement *list, size_t *count,
                               karp_str key)
{
    if (requirement_find(list, *count, key)) return true;
    size_t value_count;
    const karp_str *values = catalogue_offering_values(memory, type, key, &value_count);
    if (!values) return false;
    list[(*count)++] = catalogue_in(key, values, value_count);
    return true;
}

/* Completes a type in the short form: its name, zones, capacity types and reservations become labels, and it gets the
 * requirement not to have a label that only other types have. */
static bool derive(catalogue_reader *reader, list_facts *facts, size_t index)
{
    arena *memory = &reader->arena;
    karp_instance_type *type = &reader->entries[index].type;
    size_t count = type->requirement_count;
    karp_requirement *list = arena_array(memory, count + facts->count + 4, sizeof *list);
    if (!list) return false;
    if (count) memcpy(list, type->requirements, count * sizeof *list);
    if (!requirement_find(list, count, catalogue_key_type)) {
        karp_str *name = arena_array(memory, 1, sizeof *name);
        if (!name) return false;
        *name = type->name;
        list[count++] = catalogue_in(catalogue_key_type, name, 1);
    }
    if (!add_from_offerings(memory, type, list, &count, catalogue_key_zone)) return false;
    if (!add_from_offerings(memory, type, list, &count, catalogue_key_capacity_type)) return false;
    if (facts->has_reserved) {
        if (!complete_offerings(memory, type)) return false;
        if (!add_from_offerings(memory, type, list, &count, catalogue_key_reservation)) return false;
    }
    uint32_t stamp = (uint32_t)index + 1;
    for (size_t i = 0; i < count; i++) {
        uint32_t key = io_table_get(&facts->keys, list[i].key);
        if (key != IO_NONE) facts->seen[key] = stamp;
    }
    for (size_t key = 0; key < facts->count; key++) {
        if (facts->seen[key] == stamp) continue;
        list[count++] = (karp_requirement){ .key = facts->texts[key], .op = KARP_OP_DOES_NOT_EXIST };
    }
    type->requirements = list;
    type->requirement_count = count;
    return true;
}

/* Limits the derived labels: if every type had labels of its own, their number would grow with the square of the
 * list's length. */
static const uint64_t derived_most = 20000000;

static karp_status derive_all(catalogue_reader *reader, karp_error *error)
{
    list_facts facts;
    memset(&facts, 0, sizeof facts);
    io_table_init(&facts.keys, reader->context);
    karp_status status = gather(reader, &facts) ? KARP_OK : fail_nomem(error);
    uint64_t derived = 0;
    for (size_t i = 0; status == KARP_OK && i < reader->count; i++) {
        if (!reader->entries[i].derive) continue;
        derived += facts.count;
        if (derived > derived_most)
            status = fail(error, KARP_E_LIMIT, "too many different labels: state \"requirements\" instead");
        else if (!derive(reader, &facts, i)) status = fail_nomem(error);
    }
    if (facts.texts) karp_free(reader->context, facts.texts, facts.capacity * sizeof *facts.texts);
    io_table_free(&facts.keys);
    return status;
}

/* ---- warnings ---------------------------------------------------------------------------------------------------- */

static bool differs(const karp_resource *a, const karp_resource *b)
{
    static const karp_str zero = { "0", 1 };
    int32_t order = 0;
    karp_status status = karp_quantity_compare(a ? a->text : zero, b ? b->text : zero, &order);
    return status != KARP_OK || order != 0;
}

/* The first resource of `a` whose amount is different in `b`. NULL = none, or out of memory. */
static const karp_resource *first_difference(arena *memory, const karp_resource *a, size_t a_count,
                                             const karp_resource *b, size_t b_count)
{
    io_table names;
    io_table_init(&names, memory->context);
    bool good = true;
    for (size_t i = 0; good && i < b_count; i++) good = io_table_put(&names, b[i].name, (uint32_t)i);
    const karp_resource *found = NULL;
    for (size_t i = 0; good && !found && i < a_count; i++) {
        uint32_t at = io_table_get(&names, a[i].name);
        if (differs(&a[i], at == IO_NONE ? NULL : &b[at])) found = &a[i];
    }
    io_table_free(&names);
    return found;
}

typedef struct warning {
    karp_str type;
    karp_str detail;
    size_t count;
} warning;

static void note(warning *w, karp_str type, karp_str detail)
{
    if (w->count++) return;
    w->type = type;
    w->detail = detail;
}

/* Logs one line for all types with the same problem. */
static void log_warning(const catalogue_reader *reader, const warning *w, const char *what)
{
    const karp_context_options *options = karp_context_get_options(reader->context);
    if (!w->count || !options->log) return;
    strbuf text = strbuf_on(reader->context);
    strbuf_add(&text, reader->document.ptr, reader->document.len);
    strbuf_adds(&text, ": instance type ");
    strbuf_add(&text, w->type.ptr, w->type.len);
    if (w->count > 1) {
        strbuf_putu(&text, " and ", w->count - 1, " more");
    }
    strbuf_adds(&text, what);
    strbuf_add(&text, w->detail.ptr, w->detail.len);
    if (!text.failed) options->log(KARP_LOG_WARNING, (karp_str){ text.ptr, text.len }, options->log_user);
    strbuf_free(&text);
}

static void warn(catalogue_reader *reader, const karp_catalogue *catalogue)
{
    const karp_str nothing = { "", 0 };
    warning unread, different;
    memset(&unread, 0, sizeof unread);
    memset(&different, 0, sizeof different);
    for (size_t i = 0; i < reader->count; i++) {
        const catalogue_entry *entry = &reader->entries[i];
        if (entry->ignored_false) note(&unread, entry->type.name, nothing);
        if (!entry->allocatable) continue;
        size_t count = 0;
        const karp_resource *computed = karp_catalogue_allocatable(catalogue, i, &count);
        if (!computed) count = 0;
        const karp_resource *resource = first_difference(&reader->arena, entry->allocatable, entry->allocatable_count,
                                                         computed, count);
        if (!resource)
            resource = first_difference(&reader->arena, computed, count, entry->allocatable, entry->allocatable_count);
        if (resource) note(&different, entry->type.name, resource->name);
    }
    log_warning(reader, &unread, ": \"Available\" is not read in kwok's format, every offering is available");
    log_warning(reader, &different, ": \"allocatable\" is not capacity less overhead, and is not used; first: ");
}

karp_status catalogue_reader_finish(catalogue_reader *reader, karp_catalogue **out, karp_error *error)
{
    karp_status status = derive_all(reader, error);
    if (status != KARP_OK) return status;
    karp_instance_type *types = arena_array(&reader->arena, reader->count, sizeof *types);
    if (!types) return fail_nomem(error);
    for (size_t i = 0; i < reader->count; i++) types[i] = reader->entries[i].type;
    karp_catalogue *catalogue = NULL;
    status = karp_catalogue_new(reader->context, types, reader->count, &catalogue, error);
    if (status != KARP_OK) {
        if (error && !error->document[0]) str_shorten(error->document, sizeof error->document, reader->document);
        return status;
    }
    warn(reader, catalogue);
    *out = catalogue;
    return KARP_OK;
}
