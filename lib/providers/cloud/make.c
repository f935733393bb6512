/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/cloud/make.h>

#include <providers/launch.h>

/* ---- labels ------------------------------------------------------------------------------------------------------ */

bool cloud_labels_begin(cloud_labels *l, scratch *s, cloud_shared *shared, size_t room)
{
    *l = (cloud_labels){ .s = s, .shared = shared, .list = scratch_alloc(s, room * sizeof *l->list), .room = room };
    return l->list != NULL;
}

static void put(cloud_labels *l, karp_str key, uint32_t op, const karp_str *values, size_t count)
{
    if (l->count < l->room)
        l->list[l->count++] = (karp_requirement){ .key = key, .op = op, .values = values, .value_count = count };
}

void cloud_absent(cloud_labels *l, karp_str key) { put(l, key, KARP_OP_DOES_NOT_EXIST, NULL, 0); }

void cloud_in(cloud_labels *l, karp_str key, const karp_str *values, size_t count)
{
    if (count > 0) put(l, key, KARP_OP_IN, values, count);
    else cloud_absent(l, key);
}

void cloud_in_word(cloud_labels *l, karp_str key, const karp_str *word) { put(l, key, KARP_OP_IN, word, 1); }

void cloud_in_one(cloud_labels *l, karp_str key, karp_str value)
{
    karp_str *one = scratch_alloc(l->s, sizeof *one);
    if (!one) return;
    *one = value;
    put(l, key, KARP_OP_IN, one, 1);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static karp_str write_number(scratch *s, int64_t number, const char *unit)
{
    if (number >= 0) return scratch_uint_unit(s, (uint64_t)number, unit);
    karp_str digits = scratch_uint_unit(s, 0 - (uint64_t)number, unit);
    char *text = scratch_alloc(s, digits.len + 2);
    if (!text) return digits;
    text[0] = '-';
    memcpy(text + 1, digits.ptr, digits.len + 1);
    return (karp_str){ text, digits.len + 1 };
}

static const karp_str *number_of(scratch *s, cloud_shared *shared, int64_t number, const char *unit)
{
    static const karp_str none = TEXT("");
    uint64_t mixed = ((uint64_t)number ^ (uint64_t)(unit[0] * 7 + (unit[0] ? unit[1] : 0))) *
                     UINT64_C(0x9e3779b97f4a7c15);
    size_t slot = (size_t)(mixed >> 54) % CLOUD_SHARED;
    if (shared->numbers[slot].value && shared->numbers[slot].number == number &&
        strcmp(shared->numbers[slot].unit, unit) == 0)
        return shared->numbers[slot].value;
    karp_str *value = scratch_alloc(s, sizeof *value);
    if (!value) return &none;
    *value = write_number(s, number, unit);
    shared->numbers[slot].number = number;
    shared->numbers[slot].unit = unit;
    shared->numbers[slot].value = value;
    return value;
}

/* A number and its unit as text. */
static karp_str number_text(scratch *s, cloud_shared *shared, int64_t number, const char *unit)
{
    return *number_of(s, shared, number, unit);
}

void cloud_in_number(cloud_labels *l, karp_str key, int64_t number)
{
    cloud_in_word(l, key, number_of(l->s, l->shared, number, ""));
}

/* ---- amounts ----------------------------------------------------------------------------------------------------- */

bool cloud_amounts_begin(cloud_amounts *a, scratch *s, cloud_shared *shared, size_t room)
{
    *a = (cloud_amounts){ .s = s, .shared = shared, .list = scratch_array(s, room, sizeof *a->list), .room = room };
    return a->list != NULL;
}

void cloud_amount_text(cloud_amounts *a, karp_str name, karp_str text)
{
    size_t at = 0;
    while (at < a->count && !equal_str(a->list[at].name, name)) at++;
    if (at == a->room) return;
    a->list[at] = (karp_resource){ .name = name, .text = text };
    if (at == a->count) a->count++;
}

void cloud_amount(cloud_amounts *a, karp_str name, int64_t number, const char *unit)
{
    cloud_amount_text(a, name, number_text(a->s, a->shared, number, unit));
}

/* ---- labels of nodes --------------------------------------------------------------------------------------------- */

karp_label *cloud_node_labels(scratch *s, const karp_instance_type *type, const karp_offering *o, size_t more,
                              size_t *count)
{
    karp_label *list = scratch_array(s, type->requirement_count + o->requirement_count + more, sizeof *list);
    *count = list ? launch_labels(type, o, list) : 0;
    return list;
}

void cloud_list_zones(scratch *s, cloud_zones *z, uint32_t zones)
{
    if (z->list && z->listed == zones) return;
    karp_str *list = scratch_alloc(s, CLOUD_ZONES_MOST * sizeof *list);
    z->count = 0;
    for (uint32_t zone = 0; list && zone < CLOUD_ZONES_MOST; zone++) {
        if (zones >> zone & 1) list[z->count++] = z->names[zone];
    }
    z->list = list;
    z->listed = zones;
}
