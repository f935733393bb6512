/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/azure/facts.h>

#include <providers/cloud/write.h>

/* Generated from data/azure.txt by the build. */
extern const char azure_table[];
extern const size_t azure_table_length;

static karp_str azure_table_text(void) { return (karp_str){ azure_table, azure_table_length }; }

const cloud_format azure_format = { "azure", 7, azure_table_text, AZURE_USUAL_REGION, false };

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

/* Zones, or "-" for none. Then n = no spot, and u with the zones that have ultra disks, 0 = without a zone. */
static bool read_place(karp_str text, uint32_t all, azure_size *out)
{
    size_t at = read_digits(text, &out->zones);
    if (at == 0) out->zones = all;
    if (at == 0 && text.len > 0 && text.ptr[0] == '-') {
        out->zones = 0;
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
    return at == text.len && (out->zones & ~all) == 0;
}

static karp_status read_offer(const cloud_table *t, const cloud_row *row, uint32_t zones, azure_size *out,
                              karp_error *error)
{
    karp_str offer = row->offer;
    if (!read_place(str_until(&offer, '/'), zones, out))
        return cloud_table_bad(t, row, "zones", error, "must be digits of zones that the region has, then n, u");
    if (!cloud_price(str_until(&offer, '/'), &out->initial))
        return cloud_table_bad(t, row, "initial price", error, "must be a price that is not negative");
    karp_str current = str_until(&offer, '/');
    out->on_demand = current.len > 0 ? -1 : out->initial;
    if (current.len > 0 && !str_is(current, "-") && !cloud_price(current, &out->on_demand))
        return cloud_table_bad(t, row, "on-demand price", error, "must be a price that is not negative");
    if (!cloud_price(offer, &out->spot))
        return cloud_table_bad(t, row, "spot price", error, "must be a price that is not negative");
    return KARP_OK;
}

static karp_status read_row(const cloud_table *t, const cloud_row *row, uint32_t zones, azure_size *out,
                            karp_error *error)
{
    const karp_str *c = row->cells;
    memset(out, 0, sizeof *out);
    out->name = c[0];
    out->quota_family = c[1];
    if (!str_starts(c[0], "Standard_") && !str_starts(c[0], "Basic_"))
        return cloud_table_bad(t, row, "name", error, "is no VM size: it must begin with Standard_ or Basic_");
    if (!cloud_whole(c[2], 4096, &out->vcpus) || out->vcpus == 0)
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

/* The text must live as long as the facts. */
static karp_status read_table(azure_facts *f, karp_str text, karp_error *error)
{
    cloud_table t;
    cloud_row row;
    bool more = false;
    size_t room = 0;
    karp_status status = cloud_table_open(&t, &azure_format, text, f->region, error);
    if (status) return status;
    f->as_of = t.as_of;
    f->sources = t.sources;
    if (read_digits(t.zones, &f->zones) != t.zones.len) {
        cloud_row none = { .cells = { str("") } };
        return cloud_table_bad(&t, &none, "regions", error, "must have digits as zones");
    }
    while ((status = cloud_table_next(&t, &row, &more, error)) == KARP_OK && more) {
        azure_size size;
        status = read_row(&t, &row, f->zones, &size, error);
        if (status) return status;
        if (row.offer.len == 0) continue;
        if (!scratch_grow(&f->s, (void **)&f->list, &room, f->count + 1, sizeof *f->list)) return fail_nomem(error);
        f->list[f->count++] = size;
        f->spot_known = f->spot_known || size.spot >= 0;
    }
    return status;
}

/* ---- life cycle -------------------------------------------------------------------------------------------------- */

static void empty(azure_facts *f, karp_context *context)
{
    memset(f, 0, sizeof *f);
    scratch_init(&f->s, context);
    f->region = f->as_of = f->sources = str("");
}

karp_status azure_facts_init(azure_facts *facts, karp_context *context, karp_str region, karp_error *error)
{
    karp_error own = { .size = sizeof own };
    empty(facts, context);
    facts->region = scratch_text(&facts->s, region);
    karp_status status = facts->s.failed ? KARP_E_NOMEM : read_table(facts, azure_table_text(), &own);
    if (status == KARP_OK || status == KARP_E_NOT_FOUND) return KARP_OK;
    azure_facts_free(facts);
    return status == KARP_E_NOMEM ? fail_nomem(error) : error_give(&own, error);
}

void azure_facts_free(azure_facts *facts)
{
    scratch_free(&facts->s);
    memset(facts, 0, sizeof *facts);
}

azure_size *azure_facts_find(const azure_facts *facts, karp_str name)
{
    return cloud_find(facts->list, facts->count, sizeof *facts->list, name);
}

static void copy(const azure_facts *from, azure_facts *to)
{
    to->zones = from->zones;
    to->as_of = scratch_text(&to->s, from->as_of);
    to->spot_known = from->spot_known;
    to->list = scratch_array(&to->s, from->count, sizeof *to->list);
    to->count = to->list ? from->count : 0;
    for (size_t i = 0; i < to->count; i++) {
        to->list[i] = from->list[i];
        to->list[i].name = scratch_text(&to->s, from->list[i].name);
        to->list[i].quota_family = scratch_text(&to->s, from->list[i].quota_family);
    }
}

static void copy_quotas(const azure_facts *from, azure_facts *to)
{
    azure_quota *list = scratch_array(&to->s, from->quota_count, sizeof *list);
    to->quotas = list;
    to->quota_count = list ? from->quota_count : 0;
    for (size_t i = 0; i < to->quota_count; i++)
        list[i] = (azure_quota){ scratch_text(&to->s, from->quotas[i].family), from->quotas[i].left };
}

karp_status azure_facts_load(const azure_facts *facts, karp_str kind, karp_str text, azure_facts *next,
                             karp_error *error)
{
    karp_status status = KARP_OK;
    empty(next, facts->s.context);
    next->region = scratch_text(&next->s, facts->region);
    copy_quotas(facts, next);
    if (str_is(kind, "all")) {
        karp_str own = scratch_text(&next->s, text);
        if (!next->s.failed) status = read_table(next, own, error);
    } else if (str_is(kind, "sizes")) {
        next->as_of = scratch_text(&next->s, facts->as_of);
        status = azure_read_skus(facts, next, text, error);
    } else if (str_is(kind, "prices")) {
        copy(facts, next);
        next->as_of = str(""); /* such a file states no date */
        if (!next->s.failed) status = azure_read_prices(next, text, error);
    } else if (str_is(kind, "quotas")) {
        copy(facts, next);
        next->sources = scratch_text(&next->s, facts->sources);
        if (!next->s.failed) status = azure_read_quotas(next, text, error);
    } else {
        status = provider_fail(error, KARP_E_INVALID, "kind",
                               "azure has facts of the kinds all, sizes, prices, quotas");
    }
    if (str_is(kind, "sizes") || str_is(kind, "prices")) next->sources = cloud_sources(&next->s, facts->sources, kind);
    if (status == KARP_OK && next->s.failed) status = fail_nomem(error);
    if (status) azure_facts_free(next);
    return status;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void write_offer(cloud_writer *w, const azure_facts *f, const azure_size *s)
{
    if (s->zones == 0 && f->zones != 0) strbuf_addc(&w->out, '-');
    else if (s->zones != f->zones) cloud_write_letters(w, s->zones, '0');
    if (s->flags & AZURE_NO_SPOT) strbuf_addc(&w->out, 'n');
    if (s->ultra_zones) {
        strbuf_addc(&w->out, 'u');
        cloud_write_letters(w, s->ultra_zones, '0');
    }
    strbuf_addc(&w->out, '/');
    cloud_write_price(w, s->initial);
    strbuf_addc(&w->out, '/');
    if (s->on_demand < 0 && s->initial >= 0) strbuf_addc(&w->out, '-');
    else if (s->on_demand != s->initial) cloud_write_price(w, s->on_demand);
    strbuf_addc(&w->out, '/');
    cloud_write_price(w, s->spot);
}

static void write_size(cloud_writer *w, const azure_facts *f, const azure_size *s)
{
    cloud_write_cell(w, s->name);
    cloud_write_cell(w, s->quota_family);
    cloud_write_whole(w, s->vcpus);
    cloud_write_number(w, s->memory_gib);
    cloud_write_cell(w, str(""));
    for (size_t i = 0; i < LETTERS; i++) {
        if (s->flags & azure_letters[i].flag) strbuf_addc(&w->out, azure_letters[i].letter);
    }
    cloud_write_whole(w, s->gpus);
    cloud_write_whole(w, s->ephemeral_gb);
    cloud_write_cell(w, str(""));
    write_offer(w, f, s);
    cloud_write_row(w);
}

uint32_t azure_facts_write(const azure_facts *facts, const karp_provider_memory *memory, karp_str *text,
                           karp_provider_problem *problem)
{
    cloud_writer w;
    cloud_write_begin(&w, facts->s.context, &azure_format, facts->as_of, facts->sources, facts->region, facts->zones,
                      '0');
    for (size_t i = 0; i < facts->count; i++) write_size(&w, facts, &facts->list[i]);
    return cloud_write_end(&w, memory, text, problem);
}

/* The Retail Prices API has paged responses and needs no authorization. */
#define AZURE_PAGES                                                                                                    \
    "next=\"https://prices.azure.com/api/retail/prices?\\$filter=serviceName%20eq%20'Virtual%20Machines'%20and%20"     \
    "priceType%20eq%20'Consumption'%20and%20armRegionName%20eq%20'@'\"; sep='['; while [ -n \"$next\" ]; do "          \
    "page=$(az rest --method get --skip-authorization-header --url \"$next\") || break; "                              \
    "printf '%s%s' \"$sep\" \"$page\"; sep=,; "                                                                        \
    "next=$(printf '%s' \"$page\" | sed -n 's/.*\"NextPageLink\": \"\\(.*\\)\".*/\\1/p'); done; echo ']'"

static const cloud_kind azure_kinds[] = {
    { "sizes", "sizes.json", "az vm list-skus --location @ --resource-type virtualMachines --output json",
      "the sizes that the subscription may use", "no VM size of @ is known", false },
    { "prices", "prices.json", "{ " AZURE_PAGES "; }", "the price list, page by page", "no VM size of @ has a price",
      false },
};

uint32_t azure_facts_about(const azure_facts *facts, const karp_provider_memory *memory, karp_provider_facts_info *info,
                           karp_provider_problem *problem)
{
    uint32_t missing = 2 | (facts->count == 0);
    for (size_t i = 0; i < facts->count; i++) {
        if (facts->list[i].initial >= 0 || facts->list[i].on_demand >= 0) missing &= ~UINT32_C(2);
    }
    return cloud_facts_info(memory, &azure_format, azure_kinds, sizeof azure_kinds / sizeof *azure_kinds, missing,
                            facts->region, facts->as_of, info, problem);
}
