/* SPDX-License-Identifier: Apache-2.0 */
/* Prices: AWS's price list, and EC2's spot price history. */
#include <providers/aws/facts_read.h>

#include <stdio.h>

#include <karp/values.h>

/* Reads dollars per hour from a text; false after a failure. */
static bool dollars_at(decoder *d, const tree *object, const char *name, double *out)
{
    karp_str text = decode_text(d, object, name);
    if (d->status || d->s->failed) return false;
    if (karp_double_parse(text, out) == KARP_OK && *out >= 0) return true;
    decode_bad(d, name, "must be a price that is not negative");
    return false;
}

/* ---- on-demand --------------------------------------------------------------------------------------------------- */

static bool attribute_is(const tree *attributes, const char *name, const char *value)
{
    const tree *text = decode_member(attributes, name);
    return !is_string(text) || str_is(tree_text(text), value);
}

/* Whether the product is Linux without pre-installed software, with shared tenancy; bare metal counts as dedicated. */
static bool is_wanted(const aws_facts *facts, const tree *product)
{
    const tree *attributes = decode_member(product, "attributes");
    bool metal = is_text(decode_member(product, "productFamily"), "Compute Instance (bare metal)");
    return decode_member(attributes, "instanceType") && attribute_is(attributes, "regionCode", facts->region.ptr) &&
           attribute_is(attributes, "operatingSystem", "Linux") && attribute_is(attributes, "preInstalledSw", "NA") &&
           attribute_is(attributes, "capacitystatus", "Used") &&
           attribute_is(attributes, "operation", "RunInstances") &&
           (attribute_is(attributes, "tenancy", "Shared") ||
            (metal && attribute_is(attributes, "tenancy", "Dedicated")));
}

/* {"TERM": {"priceDimensions": {"DIMENSION": {"pricePerUnit": {"USD": "0.096"}}}}}: the first price above zero. */
static bool price_of(decoder *d, const tree *terms, double *out)
{
    for (size_t i = 0; i < members_of(terms); i++) {
        const tree *dimensions = decode_member(tree_member_at(terms, i)->value, "priceDimensions");
        for (size_t k = 0; k < members_of(dimensions); k++) {
            const tree *unit = decode_object(d, tree_member_at(dimensions, k)->value, "pricePerUnit");
            if (unit && decode_member(unit, "USD") && dollars_at(d, unit, "USD", out) && *out > 0) return true;
        }
    }
    return false;
}

static size_t take_product(aws_facts *into, decoder *d, const tree *product, const tree *terms)
{
    double price = 0;
    if (!is_wanted(into, product)) return 0;
    karp_str name = decode_text(d, decode_member(product, "attributes"), "instanceType");
    aws_type *type = aws_facts_find(into, name);
    if (!type || !price_of(d, terms, &price)) return 0;
    type->on_demand = price;
    return 1;
}

/* NULL = not JSON. */
static const tree *product_in(decoder *d, karp_str text)
{
    enum { DEEPEST = 100 };
    tree *product = NULL;
    tree_fault fault;
    karp_status status = tree_parse(&d->trees, text, DEEPEST, &product, NULL, &fault);
    if (status == KARP_E_NOMEM) d->status = fail_nomem(d->error);
    return status == KARP_OK ? product : NULL;
}

/* GetProducts: each product is a JSON text, or the object itself. */
static size_t read_list(aws_facts *into, decoder *d, const tree *list)
{
    size_t taken = 0;
    for (size_t i = 0; i < items_of(list) && !d->status; i++) {
        decode_at_element(d, "PriceList", i);
        const tree *entry = tree_item(list, i);
        const tree *product = is_string(entry) ? product_in(d, tree_text(entry)) : entry;
        if (d->status) return taken;
        if (!is_map(product)) decode_bad(d, "", "must be a product in JSON");
        else
            taken += take_product(into, d, decode_member(product, "product"),
                                  decode_member(decode_member(product, "terms"), "OnDemand"));
    }
    return taken;
}

static size_t read_bulk(aws_facts *into, decoder *d, const tree *root)
{
    size_t taken = 0;
    const tree *products = decode_object(d, root, "products");
    const tree *terms = decode_member(decode_member(root, "terms"), "OnDemand");
    for (size_t i = 0; i < members_of(products) && !d->status; i++) {
        const tree_member *at = tree_member_at(products, i);
        karp_str sku = tree_member_name(at);
        str_shorten(d->part, sizeof d->part, sku);
        taken += take_product(into, d, at->value, tree_find_str(terms, sku));
    }
    return taken;
}

static void take_on_demand_for_spot(aws_facts *into)
{
    for (size_t i = 0; i < into->count && !into->spot_known; i++) {
        for (size_t zone = 0; zone < AWS_ZONES_MOST; zone++)
            into->types[i].spot[zone] = aws_on_demand(&into->types[i], zone);
    }
}

void aws_read_on_demand(aws_facts *into, decoder *d, const tree *root)
{
    const tree *list;
    for (size_t i = 0; i < into->count; i++) into->types[i].on_demand = AWS_UNKNOWN;
    decode_list(d, root, "PriceList", &list);
    size_t taken = list ? read_list(into, d, list) : read_bulk(into, d, root);
    decode_at(d, "");
    if (taken == 0) decode_bad(d, list ? "PriceList" : "products", "have no Linux price of a known type in the region");
    take_on_demand_for_spot(into);
}

/* ---- spot -------------------------------------------------------------------------------------------------------- */

static void spot_at(aws_facts *into, decoder *d, const tree *entry, int64_t *newest)
{
    double price = 0;
    int64_t when = 0;
    karp_str zone = decode_text(d, entry, "AvailabilityZone"), type = decode_text(d, entry, "InstanceType");
    karp_str system = decode_text(d, entry, "ProductDescription"), stamp = decode_text(d, entry, "Timestamp");
    if (type.len == 0) decode_bad(d, "InstanceType", "is missing");
    if (zone.len == 0) decode_bad(d, "AvailabilityZone", "is missing");
    if (!dollars_at(d, entry, "SpotPrice", &price)) return;
    if (stamp.len && karp_time_parse(stamp, &when) != KARP_OK) decode_bad(d, "Timestamp", "must be a time");
    if (system.len && !str_is(system, "Linux/UNIX") && !str_is(system, "Linux/UNIX (Amazon VPC)")) return;
    const aws_type *known = aws_facts_find(into, type);
    size_t number = aws_facts_zone(into, zone);
    if (!known || number == AWS_ZONES_MOST || d->status) return;
    size_t at = (size_t)(known - into->types);
    double *spot = &into->types[at].spot[number];
    int64_t *before = &newest[at * AWS_ZONES_MOST + number];
    if (*spot != AWS_UNKNOWN && when < *before) return;
    *spot = price;
    *before = when;
}

/* Uses the latest entry for each type and zone; without one there is no price. */
void aws_read_spot(aws_facts *into, decoder *d, const tree *root)
{
    const tree *list;
    size_t count = decode_list(d, root, "SpotPriceHistory", &list);
    int64_t *newest = scratch_array(d->s, into->count * AWS_ZONES_MOST, sizeof *newest);
    if (!list) decode_bad(d, "SpotPriceHistory", "is missing");
    for (size_t i = 0; i < into->count; i++) {
        for (size_t zone = 0; zone < AWS_ZONES_MOST; zone++) into->types[i].spot[zone] = AWS_UNKNOWN;
    }
    for (size_t i = 0; newest && i < count && !d->status; i++) {
        decode_at_element(d, "SpotPriceHistory", i);
        spot_at(into, d, tree_item(list, i), newest);
    }
    into->spot_known = true;
}
