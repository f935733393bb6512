/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the proof of a bound: docs/formats.md, "Certificate". */
#include "write_json.h"

static void member_ints(json_out *j, const char *key, const int64_t *values, size_t count)
{
    json_member_flat_array(j, key);
    for (size_t i = 0; i < count; i++) json_int(j, values[i]);
    json_end(j);
}

static void write_class(json_out *j, const karp_certificate *c, const karp_certificate_class *class_)
{
    json_flat_object(j);
    json_member_str(j, "pod", class_->pod);
    json_member_int(j, "count", class_->count);
    json_member_int(j, "price", class_->price);
    if (class_->limit > 0) json_member_int(j, "limit", class_->limit);
    for (size_t i = 0; i < c->zone_count; i++) {
        if (&c->classes[c->zones[i].class_number] != class_) continue;
        json_member_str(j, "zone", c->zones[i].zone);
        if (c->zones[i].surplus > 0) json_member_int(j, "surplus", c->zones[i].surplus);
    }
    member_ints(j, "requests", class_->requests, c->resource_count);
    json_end(j);
}

/* Writes the cases of the row, from *next on. */
static void write_cases(json_out *j, const karp_certificate *c, size_t row, size_t *next)
{
    if (*next == c->case_count || c->cases[*next].row != row) return;
    json_member_flat_array(j, "cases");
    for (; *next < c->case_count && c->cases[*next].row == row; ++*next) {
        const karp_certificate_case *x = &c->cases[*next];
        json_flat_object(j);
        if (x->class_number < KARP_CERTIFICATE_CONTENTS) {
            json_member_int(j, "class", x->class_number);
            json_member_int(j, "copies", x->copies);
        } else {
            if (x->class_number == KARP_CERTIFICATE_CONTENTS) json_member_int(j, "contents", x->copies);
            member_ints(j, "shares", x->shares, c->resource_count);
        }
        json_end(j);
    }
    json_end(j);
}

/* further: the row has prices alone */
static void write_row(json_out *j, const karp_certificate *c, const karp_certificate_row *row, bool further,
                      size_t *next_case)
{
    json_flat_object(j);
    if (!further) {
        json_member_int(j, "of", row->of);
        member_ints(j, "capacity", row->capacity, c->resource_count);
    }
    member_ints(j, "shares", row->shares, c->resource_count);
    if (!further) {
        json_member_flat_array(j, "classes");
        for (size_t i = 0; i < c->class_count; i++) {
            if ((row->classes[i / 64] >> (i % 64) & 1) != 0) json_int(j, (int64_t)i);
        }
        json_end(j);
    }
    json_member_flat_array(j, "extras");
    for (uint32_t i = 0; i < row->extra_count; i++) {
        json_flat_array(j);
        json_int(j, row->extras[i].class_number);
        json_int(j, row->extras[i].amount);
        json_end(j);
    }
    json_end(j);
    write_cases(j, c, (size_t)(row - c->rows), next_case);
    json_end(j);
}

static void write_offer(json_out *j, const karp_certificate_offer *offer)
{
    json_flat_object(j);
    json_member_str(j, "nodePool", offer->node_pool);
    json_member_str(j, "instanceType", offer->instance_type);
    json_member_str(j, "zone", offer->zone);
    json_member_str(j, "capacityType", offer->capacity_type);
    json_member_int(j, "cost", offer->cost);
    json_member_int(j, "row", offer->row);
    json_end(j);
}

static void write_copies(json_out *j, const karp_certificate_copies *pods, size_t count)
{
    json_member_flat_array(j, "pods");
    for (size_t i = 0; i < count; i++) {
        json_flat_array(j);
        json_int(j, pods[i].class_number);
        json_int(j, pods[i].count);
        json_end(j);
    }
    json_end(j);
}

static void write_choice(json_out *j, const karp_certificate_choice *x)
{
    json_flat_object(j);
    if (x->group.len > 0) json_member_str(j, "group", x->group);
    json_member_int(j, "groups", x->count);
    json_member_str(j, "topologyKey", x->topology_key);
    json_member_int(j, "class", x->class_number);
    write_copies(j, x->pods, x->pod_count);
    json_member_flat_array(j, "domains");
    for (size_t d = 0; d < x->domain_count; d++) {
        json_flat_object(j);
        json_member_str(j, "domain", x->domains[d].domain);
        json_member_flat_array(j, "classes");
        for (size_t i = 0; i < x->pod_count; i++) json_int(j, x->domains[d].classes[i]);
        json_end(j);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

static void write_choices(json_out *j, const karp_certificate *c)
{
    if (c->choice_count == 0) return;
    json_member_array(j, "groups");
    for (size_t i = 0; i < c->choice_count; i++) write_choice(j, &c->choices[i]);
    json_end(j);
}

static void write_rows(json_out *j, const karp_certificate *c, bool further)
{
    size_t next_case = 0;
    json_member_array(j, "rows");
    for (size_t i = 0; i < c->row_count; i++) write_row(j, c, &c->rows[i], further, &next_case);
    json_end(j);
}

static void write_prices(json_out *j, const karp_certificate *c, const karp_certificate_prices *x)
{
    karp_certificate other = *c;
    other.rows = x->rows;
    other.cases = x->cases;
    other.case_count = x->case_count;
    json_open_object(j);
    member_ints(j, "classes", x->prices, c->class_count);
    write_rows(j, &other, true);
    json_end(j);
}

static void write_branch(json_out *j, const karp_certificate_branch *x)
{
    json_flat_object(j);
    if (x->row != KARP_CERTIFICATE_LEAF) {
        json_member_int(j, "row", x->row);
        json_member_int(j, "nodes", x->nodes);
    } else {
        json_member_flat_array(j, "weights");
        for (uint32_t i = 0; i < x->weight_count; i++) {
            json_flat_array(j);
            json_int(j, x->weights[i].prices);
            json_int(j, x->weights[i].weight);
            json_end(j);
        }
        json_end(j);
    }
    json_end(j);
}

static void write_tree(json_out *j, const karp_certificate *c)
{
    if (c->branch_count == 0) return;
    json_member_array(j, "prices");
    for (size_t i = 0; i < c->prices_count; i++) write_prices(j, c, &c->prices[i]);
    json_end(j);
    json_member_array(j, "branches");
    for (size_t i = 0; i < c->branch_count; i++) write_branch(j, &c->branches[i]);
    json_end(j);
}

static void write_lists(json_out *j, const karp_certificate *c)
{
    json_member_array(j, "resources");
    for (size_t i = 0; i < c->resource_count; i++) {
        json_flat_object(j);
        json_member_str(j, "name", c->resources[i].name);
        json_member_str(j, "unit", c->resources[i].unit);
        json_end(j);
    }
    json_end(j);
    json_member_array(j, "classes");
    for (size_t i = 0; i < c->class_count; i++) write_class(j, c, &c->classes[i]);
    json_end(j);
    write_choices(j, c);
    write_rows(j, c, false);
    write_tree(j, c);
    json_member_array(j, "offerings");
    for (size_t i = 0; i < c->offer_count; i++) write_offer(j, &c->offers[i]);
    json_end(j);
    json_member_array(j, "nodes");
    for (size_t i = 0; i < c->node_count; i++) {
        json_flat_object(j);
        json_member_str(j, "name", c->nodes[i].name);
        json_member_int(j, "row", c->nodes[i].row);
        json_end(j);
    }
    json_end(j);
}

static void write_member(json_out *j, const karp_certificate_member *member)
{
    json_flat_object(j);
    json_member_str(j, "name", member->name);
    json_member_int(j, "cost", member->cost);
    if (member->node != KARP_CERTIFICATE_NO_NODE) json_member_int(j, "node", member->node);
    if (member->removable != 0) write_copies(j, member->pods, member->pod_count);
    json_end(j);
}

/* Writes the additional members of a repack plan's proof. */
static void write_cluster(json_out *j, const karp_certificate *c)
{
    if (c->ignore_budgets != 0) json_member_bool(j, "ignoreBudgets", true);
    if (c->ignore_consolidate_after != 0) json_member_bool(j, "ignoreConsolidateAfter", true);
    json_member_array(j, "cluster");
    for (size_t i = 0; i < c->member_count; i++) write_member(j, &c->members[i]);
    json_end(j);
    json_member_array(j, "points");
    for (size_t i = 0; i < c->point_count; i++) {
        const karp_certificate_point *p = &c->points[i];
        json_flat_object(j);
        json_member_int(j, "evictions", (int64_t)p->evictions);
        json_member_int(j, "part", p->part);
        json_member_int(j, "evictionPrice", p->eviction_price);
        json_member_int(j, "value", p->value);
        json_end(j);
    }
    json_end(j);
}

static bool weighs_spot(const karp_certificate *c)
{
    return c->spot_factor > 0 && (c->spot_factor < 1 || c->spot_factor > 1);
}

/* Writes the conditions under which a bound holds, if they are not the default. */
static void write_terms(json_out *j, const karp_certificate *c)
{
    if (weighs_spot(c)) json_member_double(j, "spotFactor", c->spot_factor);
    if (c->ignore_preferences != 0) json_member_text(j, "preferences", "ignore");
}

/* The beginning of both public functions. *copy is complete. */
static karp_status begin_certificate(write_call *call, const karp_write_options *options, uint32_t formats,
                                     const karp_certificate *given, karp_certificate *copy)
{
    karp_status status = write_begin(call, options, given, "a certificate", formats);
    if (status != KARP_OK) return status;
    return struct_check(given, sizeof *copy, SIZE_THROUGH(karp_certificate, nodes), copy, "karp_certificate",
                        call->error);
}

karp_status karp_write_certificate(karp_context *context, const karp_certificate *given,
                                   const karp_write_options *options, karp_text *out, karp_error *error)
{
    write_call call = { .context = context, .out = out, .error = error };
    karp_certificate own, *certificate = &own;
    karp_status status = begin_certificate(&call, options, 1u << KARP_FORMAT_JSON, given, &own);
    if (status != KARP_OK) return status;
    json_out json, *j = &json;
    json_open_document(j, &call.buffer, call.options.compact != 0, "Certificate");
    if (call.options.digest.len > 0) {
        json_member_flat_object(j, "input");
        json_member_str(j, "sha256", call.options.digest);
        json_end(j);
    }
    json_member_text(j, "unit", "0.000000000001 $/h");
    json_member_int(j, "value", certificate->value);
    json_member_double(j, "nodeCost", certificate->node_cost);
    write_terms(j, certificate);
    write_lists(j, certificate);
    if (certificate->member_count > 0) write_cluster(j, certificate);
    json_close(j);
    return write_end(&call);
}

static void check_text(write_buffer *b, const karp_certificate *c, const karp_error *refusal)
{
    if (refusal != NULL) {
        buffer_text(b, "Refused: ");
        buffer_text(b, refusal->message);
    } else {
        buffer_text(b, c->member_count > 0 ? "The certificate holds: no repack plan with so many evictions ends below $"
                                           : "The certificate holds: no plan for these pods costs less than $");
        char price[KARP_VALUE_TEXT];
        karp_double_format((double)c->value / KARP_MONEY_PER_DOLLAR, price);
        buffer_text(b, price);
        buffer_text(b, "/h");
        if (c->node_cost > 0) {
            karp_double_format(c->node_cost, price);
            buffer_text(b, ", with $");
            buffer_text(b, price);
            buffer_text(b, " for each node beside its price");
        }
        if (weighs_spot(c)) {
            karp_double_format(c->spot_factor, price);
            buffer_text(b, ", where prices of spot count ");
            buffer_text(b, price);
            buffer_text(b, " times");
        }
        buffer_text(b, c->ignore_preferences != 0 ? ", whatever they prefer." : ".");
    }
    buffer_text(b, "\n");
}

karp_status karp_write_certificate_check(karp_context *context, const karp_certificate *given,
                                         const karp_error *refusal, const karp_write_options *options, karp_text *out,
                                         karp_error *error)
{
    write_call call = { .context = context, .out = out, .error = error };
    karp_certificate own, *certificate = &own;
    karp_status status = begin_certificate(&call, options, 1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT, given,
                                           &own);
    if (status != KARP_OK) return status;
    if (call.options.format == KARP_FORMAT_TEXT) {
        check_text(&call.buffer, certificate, refusal);
        return write_end(&call);
    }
    json_out json, *j = &json;
    json_open_document(j, &call.buffer, call.options.compact != 0, "CertificateCheck");
    json_member_bool(j, "holds", refusal == NULL);
    json_member_int(j, "value", certificate->value);
    json_member_double(j, "bound", (double)certificate->value / KARP_MONEY_PER_DOLLAR);
    if (certificate->node_cost > 0) json_member_double(j, "nodeCost", certificate->node_cost);
    write_terms(j, certificate);
    if (refusal != NULL) json_member_text(j, "reason", refusal->message);
    json_close(j);
    return write_end(&call);
}
