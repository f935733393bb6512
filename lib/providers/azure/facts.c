/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/azure/facts.h>

/* Generated from data/azure.txt by the build. */
extern const char azure_table[];
extern const size_t azure_table_length;

static karp_str azure_table_text(void) { return (karp_str){ azure_table, azure_table_length }; }

static const cloud_format format = { "azure", 7, azure_table_text, AZURE_USUAL_REGION, false };

/* ---- rows of a table --------------------------------------------------------------------------------------------- */

static const cloud_letter azure_letters[] = { { 'A', AZURE_ARM64 },
                                              { 'n', AZURE_ACCELERATED_NETWORKING },
                                              { 'p', AZURE_PREMIUM },
                                              { 'e', AZURE_EPHEMERAL_OS },
                                              { 'x', AZURE_ENCRYPTION_AT_HOST },
                                              { 't', AZURE_NO_TRUSTED_LAUNCH },
                                              { '1', AZURE_GENERATION_1 },
                                              { '2', AZURE_GENERATION_2 } };

enum { LETTERS = sizeof azure_letters / sizeof *azure_letters };

/* Reads leading digits as a bit set; returns their number. */
static size_t read_digits(karp_str text, uint32_t *out)
{
    size_t i = 0;
    for (*out = 0; i < text.len && text.ptr[i] >= '0' && text.ptr[i] <= '9'; i++)
        *out |= UINT32_C(1) << (text.ptr[i] - '0');
    return i;
}

static bool read_zones(karp_str letters, uint32_t *out) { return read_digits(letters, out) == letters.len; }

/* Zones, or "-" for none. Then n = no spot, and u with the zones that have ultra disks, 0 = without a zone. */
static bool read_place(karp_str text, uint32_t all, azure_size *out)
{
    size_t at = read_digits(text, &out->base.zones);
    if (at == 0) out->base.zones = all;
    if (at == 0 && text.len > 0 && text.ptr[0] == '-') {
        out->base.zones = 0;
        at = 1;
    }
    if (at < text.len && text.ptr[at] == 'n') {
        out->flags |= AZURE_NO_SPOT;
        at++;
    }
    if (at < text.len && text.ptr[at] == 'u') {
        at++;
        at += read_digits((karp_str){ text.ptr + at, text.len - at }, &out->ultra_zones);
    }
    return at == text.len && (out->base.zones & ~all) == 0;
}

static karp_status read_offer(const cloud_table *t, const cloud_row *row, uint32_t zones, azure_size *out,
                              karp_error *error)
{
    karp_str offer = row->offer;
    if (!read_place(str_until(&offer, '/'), zones, out))
        return cloud_table_bad(t, row, "zones", error, "must be digits of zones that the region has, then n, u");
    if (!cloud_price(str_until(&offer, '/'), &out->base.initial))
        return cloud_table_bad(t, row, "initial price", error, "must be a price that is not negative");
    karp_str current = str_until(&offer, '/');
    out->base.on_demand = current.len > 0 ? -1 : out->base.initial;
    if (current.len > 0 && !str_is(current, "-") && !cloud_price(current, &out->base.on_demand))
        return cloud_table_bad(t, row, "on-demand price", error, "must be a price that is not negative");
    if (!cloud_price(offer, &out->base.spot))
        return cloud_table_bad(t, row, "spot price", error, "must be a price that is not negative");
    return KARP_OK;
}

static karp_status read_row(const cloud_table *t, const cloud_row *row, uint32_t zones, void *size, karp_error *error)
{
    const karp_str *c = row->cells;
    azure_size *out = size;
    out->base.name = c[0];
    out->base.group = c[1];
    if (!str_starts(c[0], "Standard_") && !str_starts(c[0], "Basic_"))
        return cloud_table_bad(t, row, "name", error, "is no VM size: it must begin with Standard_ or Basic_");
    if (!cloud_whole(c[2], 4096, &out->base.vcpus) || out->base.vcpus == 0)
        return cloud_table_bad(t, row, "vcpus", error, "must be a whole number from 1 to 4096");
    if (!cloud_decimal(c[3], &out->memory_gib) || out->memory_gib <= 0 || out->memory_gib > 1 << 20)
        return cloud_table_bad(t, row, "memory", error, "must be a number of GiB");
    if (!cloud_flags(c[4], azure_letters, LETTERS, &out->flags))
        return cloud_table_bad(t, row, "flags", error, "must be letters of A, n, p, e, x, t, 1, 2");
    if (c[5].len > 0 && !cloud_whole(c[5], 1024, &out->gpus))
        return cloud_table_bad(t, row, "GPUs", error, "must be a whole number");
    if (c[6].len > 0 && !cloud_whole(c[6], INT32_MAX, &out->ephemeral_gb))
        return cloud_table_bad(t, row, "ephemeral OS disk", error, "must be a whole number of GB");
    return row->offer.len > 0 ? read_offer(t, row, zones, out, error) : KARP_OK;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void write_offer(cloud_writer *w, const cloud_facts *f, const azure_size *s)
{
    if (s->base.zones == 0 && f->zones != 0) strbuf_addc(&w->out, '-');
    else if (s->base.zones != f->zones) cloud_write_letters(w, s->base.zones, '0');
    if (s->flags & AZURE_NO_SPOT) strbuf_addc(&w->out, 'n');
    if (s->ultra_zones) {
        strbuf_addc(&w->out, 'u');
        cloud_write_letters(w, s->ultra_zones, '0');
    }
    strbuf_addc(&w->out, '/');
    cloud_write_price(w, s->base.initial);
    strbuf_addc(&w->out, '/');
    if (s->base.on_demand < 0 && s->base.initial >= 0) strbuf_addc(&w->out, '-');
    else if (s->base.on_demand != s->base.initial) cloud_write_price(w, s->base.on_demand);
    strbuf_addc(&w->out, '/');
    cloud_write_price(w, s->base.spot);
}

static void write_size(cloud_writer *w, const cloud_facts *f, const void *size)
{
    const azure_size *s = size;
    cloud_write_cell(w, s->base.name);
    cloud_write_cell(w, s->base.group);
    cloud_write_whole(w, s->base.vcpus);
    cloud_write_number(w, s->memory_gib);
    cloud_write_cell(w, str(""));
    for (size_t i = 0; i < LETTERS; i++) {
        if (s->flags & azure_letters[i].flag) strbuf_addc(&w->out, azure_letters[i].letter);
    }
    cloud_write_whole(w, s->gpus);
    cloud_write_whole(w, s->ephemeral_gb);
    cloud_write_cell(w, str(""));
    write_offer(w, f, s);
}

/* The Retail Prices API has paged responses and needs no authorization. */
#define AZURE_PAGES                                                                                                    \
    "next=\"https://prices.azure.com/api/retail/prices?\\$filter=serviceName%20eq%20'Virtual%20Machines'%20and%20"     \
    "priceType%20eq%20'Consumption'%20and%20armRegionName%20eq%20'@'\"; sep='['; while [ -n \"$next\" ]; do "          \
    "page=$(az rest --method get --skip-authorization-header --url \"$next\") || break; "                              \
    "printf '%s%s' \"$sep\" \"$page\"; sep=,; "                                                                        \
    "next=$(printf '%s' \"$page\" | sed -n 's/.*\"NextPageLink\": \"\\(.*\\)\".*/\\1/p'); done; echo ']'"

static const cloud_file files[] = { { "sizes", CLOUD_MACHINES, cloud_read_machines },
                                    { "prices", CLOUD_PRICES, azure_read_prices },
                                    { "quotas", CLOUD_QUOTAS, azure_read_quotas } };

const cloud_facts_kind azure_facts = {
    .format = &format,
    .bytes = sizeof(azure_size),
    .first_zone = '0',
    .read_zones = read_zones,
    .read_row = read_row,
    .write_row = write_size,
    .read_entry = azure_read_sku,
    .no_list = "must be a list, as az vm list-skus prints it",
    .where = "locationInfo",
    .no_entry = "has no VM size in the region",
    .files = files,
    .file_count = sizeof files / sizeof *files,
    .no_file = "azure has facts of the kinds all, sizes, prices, quotas",
    .described = { { "sizes", "sizes.json",
                     "az vm list-skus --location @ --resource-type virtualMachines --output json",
                     "the sizes that the subscription may use", "no VM size of @ is known", false },
                   { "prices", "prices.json", "{ " AZURE_PAGES "; }", "the price list, page by page",
                     "no VM size of @ has a price", false } },
};
