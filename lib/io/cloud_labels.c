/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the input has several clouds, the labels of each are well known, but only its own nodes can have them. The
 * instance types of a cloud state that the labels of the others do not exist.
 */
#include <io/clouds.h>

#include <base/admit.h>
#include <karp/inspect.h>

/* The labels of clouds that are used, except `cloud`, and that this one does not have. */
static karp_status labels_of_others(karp_reader *reader, uint32_t cloud, arena *a, karp_requirement **out,
                                    size_t *count)
{
    karp_settings own, other;
    karp_provider *provider = NULL;
    karp_settings_init(&own, sizeof own);
    karp_settings_init(&other, sizeof other);
    karp_status status = io_cloud_open(reader, cloud, &provider);
    if (status == KARP_OK) status = karp_provider_settings(provider, &own, &reader->error);
    for (uint32_t i = 0; i < reader->clouds.count && status == KARP_OK; i++) {
        if (i == cloud || !reader->clouds.list[i].used) continue;
        status = io_cloud_open(reader, i, &provider);
        if (status == KARP_OK) status = karp_provider_settings(provider, &other, &reader->error);
        if (status) break;
        karp_requirement *list = arena_array(a, *count + other.well_known_count + 1, sizeof *list);
        if (!list) return io_reader_nomem(reader);
        if (*count) memcpy(list, *out, *count * sizeof *list);
        for (size_t k = 0; k < other.well_known_count; k++) {
            if (str_in(other.well_known[k], own.well_known, own.well_known_count)) continue;
            list[*count] = (karp_requirement){ .key = other.well_known[k], .op = KARP_OP_DOES_NOT_EXIST };
            ++*count;
        }
        *out = list;
    }
    return status;
}

static bool deny(arena *a, karp_instance_type *type, const karp_requirement *denied, size_t count)
{
    size_t n = type->requirement_count;
    karp_requirement *list = arena_array(a, n + count + 1, sizeof *list);
    if (!list) return false;
    if (n) memcpy(list, type->requirements, n * sizeof *list);
    for (size_t k = 0; k < count; k++) {
        if (!requirement_find(type->requirements, type->requirement_count, denied[k].key)) list[n++] = denied[k];
    }
    type->requirements = list;
    type->requirement_count = n;
    return true;
}

karp_status io_deny_labels(karp_reader *reader, uint32_t cloud, karp_catalogue **catalogue)
{
    karp_requirement *denied = NULL;
    karp_catalogue *made = NULL;
    size_t denied_count = 0, count = karp_catalogue_count(*catalogue);
    arena a = arena_on(reader->context);
    karp_status status = labels_of_others(reader, cloud, &a, &denied, &denied_count);
    karp_instance_type *types = status ? NULL : arena_array(&a, count + 1, sizeof *types);
    bool ok = types != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        types[i] = *karp_catalogue_type(*catalogue, i);
        ok = deny(&a, &types[i], denied, denied_count);
    }
    if (status == KARP_OK && !ok) status = io_reader_nomem(reader);
    if (status == KARP_OK) status = karp_catalogue_new(reader->context, types, count, &made, &reader->error);
    arena_free(&a);
    if (status) return status;
    karp_catalogue_unref(*catalogue);
    *catalogue = made;
    return KARP_OK;
}
