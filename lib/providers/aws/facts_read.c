/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/aws/facts_read.h>

#include <base/sort.h>
#include <stdio.h>

#include <karp/values.h>
#include <providers/cloud/write.h>

/* ---- offerings --------------------------------------------------------------------------------------------------- */

static size_t add_zone(aws_facts *into, decoder *d, karp_str name)
{
    size_t at = aws_facts_zone(into, name);
    if (at < AWS_ZONES_MOST) return at;
    for (at = 0; at < AWS_ZONES_MOST && into->zones[at].len; at++) continue;
    if (at == AWS_ZONES_MOST) {
        if (!d->status)
            d->status = provider_fail(d->error, KARP_E_LIMIT, d->part, "more than %d zones", (int)AWS_ZONES_MOST);
        return AWS_ZONES_MOST;
    }
    into->zones[at] = name;
    return at;
}

static void zone_at(aws_facts *into, decoder *d, const tree *entry)
{
    karp_str zone = decode_text(d, entry, "Location"), type = decode_text(d, entry, "InstanceType");
    karp_str what = decode_text(d, entry, "LocationType");
    if (type.len == 0) decode_bad(d, "InstanceType", "is missing");
    if (zone.len == 0) decode_bad(d, "Location", "is missing");
    if (what.len && !str_is(what, "availability-zone")) decode_bad(d, "LocationType", "must be availability-zone");
    if (d->status) return;
    if (zone.len == into->region.len || !str_has_prefix(zone, into->region)) {
        decode_bad(d, "Location", "is no zone of the region");
        return;
    }
    size_t number = add_zone(into, d, zone);
    aws_type *known = aws_facts_find(into, type);
    if (known && number < AWS_ZONES_MOST) known->zones |= 1u << number;
}

typedef struct zone_place {
    karp_str name;
    size_t before; /* its index before the zones are sorted */
} zone_place;

/* By name, with local ones behind the others and empty ones last. */
static int by_zone(const void *a, const void *b, const void *user)
{
    const zone_place *x = a, *y = b;
    bool later = aws_zone_is_local(user, x->name), than = aws_zone_is_local(user, y->name);
    if (!x->name.len || !y->name.len) return !x->name.len - !y->name.len;
    return later != than ? later - than : by_text(a, b, NULL);
}

static void order_zones(aws_facts *into)
{
    zone_place order[AWS_ZONES_MOST], half[AWS_ZONES_MOST / 2];
    for (size_t i = 0; i < AWS_ZONES_MOST; i++) order[i] = (zone_place){ into->zones[i], i };
    sort_with(half, order, AWS_ZONES_MOST, sizeof *order, by_zone, into);
    karp_str ids[AWS_ZONES_MOST];
    memcpy(ids, into->zone_ids, sizeof ids);
    for (size_t i = 0; i < AWS_ZONES_MOST; i++) {
        into->zones[i] = order[i].name;
        into->zone_ids[i] = ids[order[i].before];
    }
    for (aws_type *t = into->types; t < into->types + into->count; t++) {
        const aws_type before = *t;
        t->zones = t->own_prices = 0;
        for (size_t i = 0; i < AWS_ZONES_MOST; i++) {
            t->zones |= (before.zones >> order[i].before & 1) << i;
            t->own_prices |= (before.own_prices >> order[i].before & 1) << i;
            t->spot[i] = before.spot[order[i].before];
            t->on_demand_in[i] = before.on_demand_in[order[i].before];
        }
    }
}

/* Reads the offerings. Zones keep their prices. */
static void read_offerings(aws_facts *into, decoder *d, const tree *root)
{
    const tree *list;
    size_t count = decode_list(d, root, "InstanceTypeOfferings", &list);
    if (!list) decode_bad(d, "InstanceTypeOfferings", "is missing");
    for (size_t i = 0; i < into->count; i++) into->types[i].zones = 0;
    for (size_t i = 0; i < count && !d->status; i++) {
        decode_at_element(d, "InstanceTypeOfferings", i);
        zone_at(into, d, tree_item(list, i));
    }
    order_zones(into);
    into->region_known = true;
}

/* ---- limits and memory ------------------------------------------------------------------------------------------- */

static void read_limits(aws_facts *into, decoder *d, const tree *root)
{
    for (size_t i = 0; i < members_of(root) && !d->status; i++) {
        const tree *limits = tree_member_at(root, i)->value;
        karp_str name = tree_member_name(tree_member_at(root, i));
        aws_type *type = aws_facts_find(into, name);
        str_shorten(d->part, sizeof d->part, name);
        if (!tree_is_null(limits) && !is_map(limits)) decode_bad(d, "", "must be an object");
        bool trunking = decode_flag(d, limits, "isTrunkingCompatible");
        int64_t branches = decode_count(d, limits, "branchInterface"),
                addresses = decode_count(d, limits, "ipv4PerInterface");
        int64_t network = decode_count(d, limits, "networkBandwidthMbps");
        decode_at(d, "");
        if (!type || d->status) continue;
        type->flags = trunking ? type->flags | EC2_TRUNKING : type->flags & ~(uint32_t)EC2_TRUNKING;
        type->branch_enis = branches;
        if (decode_member(limits, "ipv4PerInterface")) type->limits_ipv4 = addresses;
        if (decode_member(limits, "networkBandwidthMbps")) type->network_mbps = network;
    }
}

/* Adds the observed memory of nodes with these images. */
static void add_seen(aws_facts *into, decoder *d, aws_type *type, const tree *amount, const char *name,
                     const tree *images)
{
    double bytes = 0;
    karp_str text = tree_text(amount);
    if (!d->s->failed && (karp_quantity_double(text, &bytes) != KARP_OK || !(bytes >= 1 && bytes < 9e15)))
        decode_bad(d, name, "must be a quantity of memory");
    size_t count = items_of(images);
    aws_seen *seen = scratch_array(d->s, 1, sizeof *seen);
    karp_str *ids = scratch_array(d->s, count, sizeof *ids);
    for (size_t i = 0; ids && i < count; i++) {
        const tree *id = tree_item(images, i);
        if (tree_text(id).len == 0) decode_bad(d, "images", "must be ids");
        else ids[i] = scratch_text(d->s, tree_text(id));
    }
    if (!type || !seen || !ids || d->status || d->s->failed) return;
    *seen = (aws_seen){ ids, count, (int64_t)bytes, type->seen };
    type->seen = seen;
    into->seen_by_images = into->seen_by_images || count > 0;
}

/* For each type: an amount, or a list of amounts with the images of their nodes. */
static void read_memory(aws_facts *into, decoder *d, const tree *root)
{
    for (size_t i = 0; i < members_of(root) && !d->status; i++) {
        const tree *value = tree_member_at(root, i)->value, *images;
        char name[64];
        str_shorten(name, sizeof name, tree_member_name(tree_member_at(root, i)));
        aws_type *type = aws_facts_find(into, tree_member_name(tree_member_at(root, i)));
        if (!is_list(value)) add_seen(into, d, type, value, name, NULL);
        for (size_t k = 0; k < items_of(value) && !d->status; k++) {
            decode_at_element(d, name, k);
            if (decode_list(d, tree_item(value, k), "images", &images) == 0) decode_bad(d, "images", "must list some");
            else add_seen(into, d, type, decode_member(tree_item(value, k), "memory"), "memory", images);
        }
        decode_at(d, "");
    }
}

/* ---- all kinds --------------------------------------------------------------------------------------------------- */

static const struct {
    const char *kind;
    void (*read)(aws_facts *into, decoder *d, const tree *root);
} readers[] = {
    { "types", aws_read_types },      { "offerings", read_offerings }, { "on-demand-prices", aws_read_on_demand },
    { "spot-prices", aws_read_spot }, { "limits", read_limits },       { "discovered-memory", read_memory },
};

/* The date of each table, "types 2026, prices 2026-07-20, spot savings 2025-06-28", with another one for the table that
 * `word` names. date.len == 0 = the file states none. */
static karp_str dated(aws_facts *into, const char *word, karp_str date)
{
    char text[256] = "";
    karp_str rest = into->as_of;
    bool done = false;
    while (rest.len > 0) {
        karp_str part = str_until(&rest, ',');
        if (str_starts(part, " ")) part = (karp_str){ part.ptr + 1, part.len - 1 };
        bool own = str_starts(part, word);
        if (own && done) continue;
        str_append(text, sizeof text, "%s", *text ? ", " : "");
        if (own) str_append(text, sizeof text, "%s %.10s", word, date.len >= 10 ? date.ptr : "undated");
        else str_append(text, sizeof text, "%.*s", str_shown(part, 120), part.ptr);
        done = done || own;
    }
    if (!done)
        str_append(text, sizeof text, "%s%s %.10s", *text ? ", " : "", word, date.len >= 10 ? date.ptr : "undated");
    return scratch_text(&into->s, str(text));
}

/* The price list states when it was published: a file of the bulk interface once, and GetProducts for each product. */
static karp_str date_of_prices(const tree *root)
{
    karp_str date = tree_get_text(root, "publicationDate");
    const tree *first = tree_item(tree_get(root, "PriceList"), 0);
    if (is_map(first)) date = tree_get_text(first, "publicationDate");
    if (is_string(first)) {
        static const char member[] = "\"publicationDate\":\"";
        karp_str product = tree_text(first);
        for (size_t i = 0; i + sizeof member + 10 <= product.len && date.len == 0; i++) {
            if (memcmp(product.ptr + i, member, sizeof member - 1) == 0)
                date = (karp_str){ product.ptr + i + sizeof member - 1, 10 };
        }
    }
    return date;
}

/* The day of the latest spot price. */
static karp_str date_of_spot(const tree *root)
{
    const tree *list = tree_get(root, "SpotPriceHistory");
    karp_str latest = str("");
    for (size_t i = 0; i < items_of(list); i++) {
        karp_str at = tree_get_text(tree_item(list, i), "Timestamp");
        if (compare_str(latest, at) < 0) latest = at;
    }
    return latest;
}

karp_status aws_facts_read(aws_facts *into, karp_str kind, karp_str text, karp_error *error)
{
    size_t at = 0;
    if (str_is(kind, "all")) return aws_table_read(into, text, error);
    if (str_is(kind, "skypilot")) {
        karp_status read = aws_read_skypilot(into, text, error);
        into->as_of = dated(into, "prices", str(""));
        into->as_of = dated(into, "spot", str(""));
        into->sources = cloud_sources(&into->s, into->sources, kind);
        return read == KARP_OK && into->s.failed ? fail_nomem(error) : read;
    }
    while (at < sizeof readers / sizeof *readers && !str_is(kind, readers[at].kind)) at++;
    if (at == sizeof readers / sizeof *readers) {
        return provider_fail(error, KARP_E_INVALID, "kind",
                             "aws has facts of the kinds all, types, offerings, on-demand-prices, spot-prices, limits, "
                             "discovered-memory, skypilot");
    }
    decoder d;
    decode_begin(&d, into->s.context, &into->s, error);
    const tree *root = decode_tree(&d, text, "a file of facts");
    if (root) readers[at].read(into, &d, root);
    if (root && str_is(kind, "types")) into->as_of = dated(into, "types", str(""));
    if (root && str_is(kind, "on-demand-prices")) into->as_of = dated(into, "prices", date_of_prices(root));
    if (root && str_is(kind, "spot-prices")) into->as_of = dated(into, "spot", date_of_spot(root));
    into->sources = cloud_sources(&into->s, into->sources, kind);
    decode_end(&d);
    if (into->s.failed && (!d.status || d.status == KARP_E_INVALID)) return fail_nomem(error);
    return d.status;
}
