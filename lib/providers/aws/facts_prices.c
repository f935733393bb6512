/* SPDX-License-Identifier: Apache-2.0 */
/* Prices: the price list of AWS, and EC2's history of spot prices. */
#include <providers/aws/facts_read.h>

#include <stdio.h>
#include <string.h>

#include <karp/values.h>

/* Dollars an hour as text; false after a failure. */
static bool dollars_at(decoder *d, const json_t *object, const char *name, double *out)
{
    karp_str text = decode_text(d, object, name);
    if (d->status || d->s->failed) return false;
    if (karp_double_parse(text, out) == KARP_OK && *out >= 0) return true;
    decode_bad(d, name, "must be a price that is not negative");
    return false;
}

/* ---- on demand ------------------------------------------------------------------------------- */

static bool says(const json_t *attributes, const char *name, const char *value)
{
    const char *text = json_string_value(json_object_get(attributes, name));
    return !text || strcmp(text, value) == 0;
}

/* Linux without anything installed, on shared machines; bare metal counts as dedicated. */
static bool is_wanted(const aws_facts *facts, const json_t *product)
{
    const json_t *attributes = json_object_get(product, "attributes");
    const char *family = json_string_value(json_object_get(product, "productFamily"));
    bool metal = family && strcmp(family, "Compute Instance (bare metal)") == 0;
    return json_object_get(attributes, "instanceType") && says(attributes, "regionCode", facts->region.ptr) &&
           says(attributes, "operatingSystem", "Linux") && says(attributes, "preInstalledSw", "NA") &&
           says(attributes, "capacitystatus", "Used") && says(attributes, "operation", "RunInstances") &&
           (says(attributes, "tenancy", "Shared") || (metal && says(attributes, "tenancy", "Dedicated")));
}

/* {"TERM": {"priceDimensions": {"DIMENSION": {"pricePerUnit": {"USD": "0.096"}}}}}: the first that costs something. */
static bool price_of(decoder *d, const json_t *terms, double *out)
{
    for (void *at = json_is_object(terms) ? first_member(terms) : NULL; at; at = next_member(terms, at)) {
        const json_t *dimensions = json_object_get(json_object_iter_value(at), "priceDimensions");
        for (void *k = json_is_object(dimensions) ? first_member(dimensions) : NULL; k;
             k = next_member(dimensions, k)) {
            const json_t *unit = decode_object(d, json_object_iter_value(k), "pricePerUnit");
            if (unit && decode_member(unit, "USD") && dollars_at(d, unit, "USD", out) && *out > 0) return true;
        }
    }
    return false;
}

static size_t take_product(aws_facts *into, decoder *d, const json_t *product, const json_t *terms)
{
    double price = 0;
    if (!is_wanted(into, product)) return 0;
    karp_str name = decode_text(d, json_object_get(product, "attributes"), "instanceType");
    aws_type *type = aws_facts_find(into, name);
    if (!type || !price_of(d, terms, &price)) return 0;
    type->on_demand = price;
    return 1;
}

/* GetProducts: each product a text of JSON, or the object itself. */
static size_t read_list(aws_facts *into, decoder *d, const json_t *list)
{
    size_t taken = 0;
    for (size_t i = 0; i < json_array_size(list) && !d->status; i++) {
        decode_at_element(d, "PriceList", i);
        const json_t *entry = json_array_get(list, i);
        json_t *inside = json_is_string(entry)
                             ? json_loadb(json_string_value(entry), json_string_length(entry), 0, NULL)
                             : NULL;
        const json_t *product = json_is_string(entry) ? inside : entry;
        if (!json_is_object(product)) decode_bad(d, "", "must be a product in JSON");
        else
            taken += take_product(into, d, json_object_get(product, "product"),
                                  json_object_get(json_object_get(product, "terms"), "OnDemand"));
        json_decref(inside);
    }
    return taken;
}

static size_t read_bulk(aws_facts *into, decoder *d, const json_t *tree)
{
    size_t taken = 0;
    const json_t *products = decode_object(d, tree, "products");
    const json_t *terms = json_object_get(json_object_get(tree, "terms"), "OnDemand");
    for (void *at = products ? first_member(products) : NULL; at && !d->status; at = next_member(products, at)) {
        const char *sku = json_object_iter_key(at);
        decode_at(d, sku);
        taken += take_product(into, d, json_object_iter_value(at), json_object_get(terms, sku));
    }
    return taken;
}

static void take_on_demand_for_spot(aws_facts *into)
{
    for (size_t i = 0; i < into->count && !into->spot_known; i++) {
        for (size_t zone = 0; zone < AWS_ZONES_MOST; zone++) into->types[i].spot[zone] = into->types[i].on_demand;
    }
}

void aws_read_on_demand(aws_facts *into, decoder *d, const json_t *tree)
{
    const json_t *list;
    for (size_t i = 0; i < into->count; i++) into->types[i].on_demand = AWS_UNKNOWN;
    decode_list(d, tree, "PriceList", &list);
    size_t taken = list ? read_list(into, d, list) : read_bulk(into, d, tree);
    decode_at(d, "");
    if (taken == 0) decode_bad(d, list ? "PriceList" : "products", "have no Linux price of a known type in the region");
    take_on_demand_for_spot(into);
}

/* ---- spot ------------------------------------------------------------------------------------ */

static void spot_at(aws_facts *into, decoder *d, const json_t *entry, int64_t *newest)
{
    double price = 0;
    int64_t when = 0;
    karp_str zone = decode_text(d, entry, "AvailabilityZone"), type = decode_text(d, entry, "InstanceType");
    karp_str system = decode_text(d, entry, "ProductDescription"), stamp = decode_text(d, entry, "Timestamp");
    if (type.len == 0) decode_bad(d, "InstanceType", "is missing");
    if (zone.len == 0) decode_bad(d, "AvailabilityZone", "is missing");
    if (!dollars_at(d, entry, "SpotPrice", &price)) return;
    if (stamp.len && karp_time_parse(stamp, &when) != KARP_OK) decode_bad(d, "Timestamp", "must be a time");
    if (system.len && !match_is(system, "Linux/UNIX") && !match_is(system, "Linux/UNIX (Amazon VPC)")) return;
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

/* The latest entry of each type and zone; where there is none, there is no price. */
void aws_read_spot(aws_facts *into, decoder *d, const json_t *tree)
{
    const json_t *list;
    size_t count = decode_list(d, tree, "SpotPriceHistory", &list);
    int64_t *newest = scratch_array(d->s, into->count * AWS_ZONES_MOST, sizeof *newest);
    if (!list) decode_bad(d, "SpotPriceHistory", "is missing");
    for (size_t i = 0; i < into->count; i++) {
        for (size_t zone = 0; zone < AWS_ZONES_MOST; zone++) into->types[i].spot[zone] = AWS_UNKNOWN;
    }
    for (size_t i = 0; newest && i < count && !d->status; i++) {
        decode_at_element(d, "SpotPriceHistory", i);
        spot_at(into, d, json_array_get(list, i), newest);
    }
    into->spot_known = true;
}
