/* SPDX-License-Identifier: Apache-2.0 */
/* The clouds whose instance types the input uses, for headings and for documents. */
#include <io/clouds.h>

#include <stdio.h>

static const karp_str nothing = { "", 0 };

/* Number `index` of the clouds that are used. IO_NONE = there are fewer, or other instance types are used. */
static uint32_t used_cloud(const karp_reader *reader, size_t index)
{
    if (!io_builtin_types(reader)) return IO_NONE;
    for (uint32_t i = 0; i < reader->clouds.count; i++) {
        if (reader->clouds.list[i].used && index-- == 0) return i;
    }
    return IO_NONE;
}

/* Until the end of the input, the clouds are those of the objects that were read so far. A NodePool of an unknown cloud
 * is reported at the end. */
static void settle(karp_reader *reader)
{
    if (reader->finished || reader->failed) return;
    if (io_settle_clouds(reader)) karp_error_init(&reader->error, sizeof reader->error);
}

/* The date of the region's prices in a text like "types 2026, prices 2026-07-20 (eu-west-1: 2025-03-02), spot …"; "" =
 * there is none. */
static karp_str date_of_prices(karp_str dates, karp_str region)
{
    char all[256], own[80];
    str_shorten(all, sizeof all, dates);
    (void)snprintf(own, sizeof own, "%.*s: ", str_shown(region, 64), region.ptr);
    const char *prices = strstr(all, "prices "), *rest = prices ? strchr(prices, '(') : NULL;
    const char *exception = rest ? strstr(rest, own) : NULL;
    if (!prices) return nothing;
    const char *date = exception ? exception + strlen(own) : prices + strlen("prices ");
    return (karp_str){ dates.ptr + (date - all), strcspn(date, ",() ") };
}

static karp_status describe(karp_reader *reader, uint32_t cloud, karp_reader_cloud *out)
{
    karp_provider *provider = NULL;
    karp_provider_memory *memory = NULL;
    karp_provider_facts_info info = { .size = sizeof info };
    karp_status status = io_cloud_open(reader, cloud, &provider);
    if (!status) status = karp_provider_memory_new(reader->context, &memory, &reader->error);
    if (status) return status;
    status = karp_provider_get_facts_info(provider, memory, &info, &reader->error);
    bool refused = status == KARP_E_NOMEM || status == KARP_E_LIMIT || status == KARP_E_CANCELED;
    if (!refused) {
        /* A provider that cannot describe its facts has no region to name. */
        if (status) info.region = info.facts_as_of = nothing;
        const karp_str given = io_cloud_region(reader, cloud);
        *out = (karp_reader_cloud){
            .size = sizeof *out,
            .provider = io_keep(reader, karp_provider_name(provider)),
            .region = io_keep(reader, info.region),
            .prices = io_keep(reader, date_of_prices(info.facts_as_of, info.region)),
            .region_assumed = !reader->clouds.given && given.len == 0 && info.region.len > 0,
        };
        strbuf zones = strbuf_on(reader->context);
        if (io_cloud_zones(reader, cloud, info.region, &zones))
            out->zones = io_keep(reader, (karp_str){ zones.ptr, zones.len });
        strbuf_free(&zones);
        bool kept = out->provider.ptr && out->region.ptr && out->prices.ptr && out->zones.ptr;
        status = kept ? KARP_OK : io_reader_nomem(reader);
    }
    karp_provider_memory_free(memory);
    return status;
}

size_t karp_reader_cloud_count(karp_reader *reader)
{
    size_t count = 0;
    if (!reader) return 0;
    settle(reader);
    while (used_cloud(reader, count) != IO_NONE) count++;
    return count;
}

karp_status karp_reader_get_cloud(karp_reader *reader, size_t index, karp_reader_cloud *out, karp_error *error)
{
    karp_reader_cloud own;
    if (!reader || !out) return fail_null(error, "reader or out");
    karp_status status = struct_check_size(out, SIZE_THROUGH(karp_reader_cloud, reserved), "karp_reader_cloud", error);
    if (status) return status;
    settle(reader);
    uint32_t cloud = used_cloud(reader, index);
    if (cloud == IO_NONE) return fail(error, KARP_E_NOT_FOUND, "there is no cloud %zu", index);
    status = describe(reader, cloud, &own);
    if (status) return error_give(&reader->error, error);
    return struct_give(out, &own, sizeof own, SIZE_THROUGH(karp_reader_cloud, reserved));
}

karp_str karp_reader_catalogue_title(karp_reader *reader)
{
    if (!reader) return nothing;
    char *title = reader->catalogues.title;
    const size_t room = sizeof reader->catalogues.title;
    if (*title && reader->finished) return str(title);
    *title = '\0';
    size_t count = karp_reader_cloud_count(reader);
    for (size_t i = 0; i < count; i++) {
        karp_reader_cloud cloud;
        if (describe(reader, used_cloud(reader, i), &cloud)) {
            *title = '\0';
            return (karp_str){ NULL, 0 };
        }
        str_append(title, room, "%s%.*s", i ? "; " : "", str_shown(cloud.provider, 64), cloud.provider.ptr);
        if (cloud.region.len) str_append(title, room, " %.*s", str_shown(cloud.region, 64), cloud.region.ptr);
        if (cloud.prices.len) str_append(title, room, ", prices %.*s", str_shown(cloud.prices, 32), cloud.prices.ptr);
    }
    return str(title);
}
