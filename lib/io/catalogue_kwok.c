/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes kwok's instance_types.json with the results of kwok's loader: every offering is available, the overhead is
 * fixed, zones and capacity types of the type are those of its offerings, and four labels are derived from the name
 * and the resources.
 */
#include <io/catalogue_read.h>

static const karp_str key_size = { "karpenter.kwok.sh/instance-size", 31 };
static const karp_str key_family = { "karpenter.kwok.sh/instance-family", 33 };
static const karp_str key_cpu = { "karpenter.kwok.sh/instance-cpu", 30 };
static const karp_str key_memory = { "karpenter.kwok.sh/instance-memory", 33 };

static const karp_resource fixed_overhead[] = {
    { .name = { "cpu", 3 }, .text = { "100m", 4 } },
    { .name = { "memory", 6 }, .text = { "10Mi", 4 } },
};

static bool is_word(char c) { return is_digit(c) || is_letter(c) || c == '_'; }

/* The size in a name like m5.2xlarge: word characters, a dot, and one of AWS's sizes. */
static bool aws_size(karp_str name, karp_str *size)
{
    size_t dot = 0;
    while (dot < name.len && is_word(name.ptr[dot])) dot++;
    if (dot == 0 || dot == name.len || name.ptr[dot] != '.') return false;
    *size = (karp_str){ name.ptr + dot + 1, name.len - dot - 1 };
    if (str_in_list(*size, "nano micro small medium large metal")) return true;
    size_t digits = 0;
    while (digits < size->len && is_digit(size->ptr[digits])) digits++;
    return str_is((karp_str){ size->ptr + digits, size->len - digits }, "xlarge");
}

/* The part before the first dot or dash; if there is neither, the first character. */
static karp_str family_of(karp_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] == '.' || name.ptr[i] == '-') return (karp_str){ name.ptr, i };
    }
    size_t first = 1;
    while (first < name.len && ((unsigned char)name.ptr[first] & 0xC0) == 0x80) first++;
    return (karp_str){ name.ptr, first };
}

static karp_str canonical(io_decoder *d, const karp_instance_type *type, const char *resource)
{
    karp_str none = { "", 0 };
    for (size_t i = 0; i < type->capacity_count; i++) {
        if (!str_is(type->capacity[i].name, resource)) continue;
        char text[KARP_VALUE_TEXT];
        if (karp_quantity_canonical(type->capacity[i].text, text) != KARP_OK) return none;
        size_t length = strlen(text);
        char *copy = io_make(d, 1, length + 1);
        if (!copy) return none;
        memcpy(copy, text, length);
        return (karp_str){ copy, length };
    }
    return none;
}

static void add_label(karp_requirement *list, size_t *count, karp_str *slot, karp_str key, karp_str value)
{
    *slot = value;
    list[(*count)++] = catalogue_in(key, slot, 1);
}

static void requirements(io_decoder *d, const tree *root, karp_instance_type *type)
{
    enum { ROOM = 9, SINGLE = 6 };
    size_t os_count, zone_count = 0, capacity_count = 0, count = 0;
    const karp_str *os = io_strings(d, root, catalogue_member(d, root, "operatingSystems"), &os_count);
    karp_requirement *list = io_make(d, ROOM, sizeof *list);
    karp_str *single = io_make(d, SINGLE, sizeof *single);
    karp_str arch = io_string(d, root, catalogue_member(d, root, "architecture"));
    karp_str cpu = canonical(d, type, "cpu"), memory = canonical(d, type, "memory"), size = cpu;
    if (d->status) return;
    const karp_str *zones = catalogue_offering_values(d->arena, type, catalogue_key_zone, &zone_count);
    const karp_str *capacity_types = catalogue_offering_values(d->arena, type, catalogue_key_capacity_type,
                                                               &capacity_count);
    if (!zones || !capacity_types) {
        d->status = fail_nomem(&d->error);
        return;
    }
    add_label(list, &count, &single[0], catalogue_key_type, type->name);
    add_label(list, &count, &single[1], catalogue_key_arch, arch);
    list[count++] = catalogue_in(catalogue_key_os, os, os_count);
    list[count++] = catalogue_in(catalogue_key_zone, zones, zone_count);
    list[count++] = catalogue_in(catalogue_key_capacity_type, capacity_types, capacity_count);
    if (!aws_size(type->name, &size)) size = cpu;
    add_label(list, &count, &single[2], key_size, size);
    add_label(list, &count, &single[3], key_family, family_of(type->name));
    add_label(list, &count, &single[4], key_cpu, cpu);
    add_label(list, &count, &single[5], key_memory, memory);
    type->requirements = list;
    type->requirement_count = count;
}

static void offerings(io_decoder *d, const tree *root, catalogue_entry *entry)
{
    static const double free_of_charge = 0; /* kwok's price when it is missing */
    const char *name = catalogue_member(d, root, "offerings");
    size_t count;
    const tree *array = io_array(d, root, name, &count);
    karp_offering *list = io_make(d, count, sizeof *list);
    io_push(d, name);
    for (size_t i = 0; list && i < count && !d->status; i++) {
        const tree *offering = io_element(d, array, i);
        karp_offering *o = &list[i];
        const char *requirements_name = catalogue_member(d, offering, "Requirements");
        o->requirements = catalogue_requirements(d, offering, requirements_name, &o->requirement_count);
        if (o->requirement_count == 0 && tree_get(offering, "zone")) {
            io_bad_member(d, "zone", KARP_E_INVALID,
                          "is of kwok's older schema, which kwok does not read any more: state it in Requirements");
        }
        o->price = catalogue_price(d, offering, catalogue_member(d, offering, "Price"), &free_of_charge);
        o->reservation_capacity = io_integer(d, offering, catalogue_member(d, offering, "ReservationCapacity"), 0,
                                             INT64_MAX, 0);
        o->available = 1;
        if (!io_boolean(d, offering, catalogue_member(d, offering, "Available"), true)) entry->ignored_false = true;
        io_pop(d);
    }
    io_pop(d);
    entry->type.offerings = list;
    entry->type.offering_count = d->status ? 0 : count;
}

/* The resources, with 110 pods if the entry does not state them. */
static void resources(io_decoder *d, const tree *root, karp_instance_type *type)
{
    size_t count;
    const karp_resource *stated = io_resources(d, root, catalogue_member(d, root, "resources"), &count);
    karp_resource *list = io_make(d, count + 1, sizeof *list);
    if (!list) return;
    bool has_pods = false;
    for (size_t i = 0; i < count; i++) {
        list[i] = stated[i];
        if (str_is(stated[i].name, "pods")) has_pods = true;
    }
    if (!has_pods) list[count++] = (karp_resource){ .name = { "pods", 4 }, .text = { "110", 3 } };
    type->capacity = list;
    type->capacity_count = count;
}

void catalogue_decode_kwok(io_decoder *d, const tree *root, catalogue_entry *entry)
{
    karp_instance_type *type = &entry->type;
    type->name = io_required_string(d, root, catalogue_member(d, root, "name"));
    resources(d, root, type);
    offerings(d, root, entry);
    type->overhead.kube_reserved = fixed_overhead;
    type->overhead.kube_reserved_count = sizeof fixed_overhead / sizeof *fixed_overhead;
    if (!d->status) requirements(d, root, type);
}
