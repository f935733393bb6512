/* SPDX-License-Identifier: Apache-2.0 */
/* What a claim asks for, and whether it can be asked for at all (dra.md D6). */
#include <string.h>

#include "devices.h"
#include "memory.h"

enum { MOST_DEVICES = 32 };

#define REFUSED "DEVICES"

int ref_device_matches(struct names selectors, const struct device *device)
{
    for (size_t i = 0; i < selectors.count; i++) {
        int answer = ref_cel_matches(selectors.items[i], device);
        if (answer != CEL_YES) {
            return answer;
        }
    }
    return CEL_YES;
}

/* ------------------------------------------------------------------------------------------------ selectors */

static bool read_selectors(const json_t *of, struct names *out)
{
    for (size_t i = 0; i < ref_length(of, "selectors"); i++) {
        const json_t *cel = ref_at(ref_item(of, "selectors", i), "cel");
        if (cel == NULL || !ref_cel_parses(ref_text(cel, "expression"))) {
            return false;
        }
        out->items = ref_push(out->items, out->count, sizeof out->items[0]);
        out->items[out->count++] = ref_text(cel, "expression");
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------ mode All */

/** The devices that match; false if that cannot be said of one. */
static bool matching(struct names selectors, struct device_list of, struct device_list *onto)
{
    for (size_t i = 0; i < of.count; i++) {
        int answer = ref_device_matches(selectors, of.items[i]);
        if (answer == CEL_FAILS) {
            return false;
        }
        if (answer == CEL_YES) {
            ref_device_push(onto, of.items[i]);
        }
    }
    return true;
}

static bool find_all(const struct candidate *candidate, struct device_pools pools, struct request *r)
{
    for (size_t i = 0; i < pools.count; i++) {
        if (pools.items[i]->invalid || pools.items[i]->incomplete ||
            !matching(r->selectors, pools.items[i]->devices, &r->published)) {
            return false;
        }
    }
    r->of_type = ref_alloc((candidate->type_count + 1) * sizeof r->of_type[0]);
    r->in_table = ref_alloc(candidate->type_count + 1);
    for (size_t t = 0; t < candidate->type_count; t++) {
        struct device_list brings = candidate->types[t].brings;
        if (!matching(r->selectors, brings, &r->of_type[t])) {
            return false;
        }
        r->in_table[t] = brings.count > 0 && (r->of_type[t].count > 0 || r->published.count > 0);
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------ requests */

static bool read_request(const struct scheduler *s, const struct candidate *candidate, struct device_pools pools,
                         const json_t *doc, struct request *r)
{
    const json_t *class = ref_named(s->world, "DeviceClass", ref_text(doc, "deviceClassName"), NULL);
    if (class == NULL || !read_selectors(ref_at(class, "spec"), &r->selectors) || !read_selectors(doc, &r->selectors)) {
        return false;
    }
    r->capacity = ref_resources_read(ref_at(ref_at(doc, "capacity"), "requests"));
    r->all = strcmp(ref_text(doc, "allocationMode"), "All") == 0;
    r->count = r->all ? 0 : (size_t)ref_int(doc, "count", 1);
    return !r->all || find_all(candidate, pools, r);
}

static bool read_parent(const struct scheduler *s, const struct candidate *candidate, struct device_pools pools,
                        const json_t *doc, struct request *r)
{
    const json_t *exactly = ref_at(doc, "exactly");
    r->name.parent = ref_text(doc, "name");
    if (exactly != NULL) {
        return read_request(s, candidate, pools, exactly, r);
    }
    r->alternative_count = ref_length(doc, "firstAvailable");
    r->alternatives = ref_alloc((r->alternative_count + 1) * sizeof r->alternatives[0]);
    for (size_t i = 0; i < r->alternative_count; i++) {
        const json_t *sub = ref_item(doc, "firstAvailable", i);
        r->alternatives[i].name = (struct request_name){ r->name.parent, ref_text(sub, "name") };
        if (!read_request(s, candidate, pools, sub, &r->alternatives[i])) {
            return false;
        }
    }
    return r->alternative_count > 0;
}

static bool read_constraints(const json_t *devices, struct wanted_claim *out)
{
    out->constraint_count = ref_length(devices, "constraints");
    out->constraints = ref_alloc((out->constraint_count + 1) * sizeof out->constraints[0]);
    for (size_t i = 0; i < out->constraint_count; i++) {
        const json_t *c = ref_item(devices, "constraints", i);
        struct names requests = ref_list(ref_at(c, "requests"));
        if (ref_at(c, "matchAttribute") == NULL) {
            return false;
        }
        out->constraints[i].attribute = ref_text(c, "matchAttribute");
        out->constraints[i].requests = ref_names_sorted(requests.items, requests.count);
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------ the most devices */

/** The least that a request takes: of the cluster, or, with @p type given, of that type. */
static size_t least_of(const struct request *r, const size_t *type)
{
    size_t least = SIZE_MAX;
    if (r->alternative_count == 0) {
        return type == NULL ? r->count + r->published.count : r->all ? r->of_type[*type].count : 0;
    }
    for (size_t i = 0; i < r->alternative_count; i++) {
        size_t one = least_of(&r->alternatives[i], type);
        least = one < least ? one : least;
    }
    return least;
}

static bool in_some_table(const struct request *r, size_t type)
{
    bool in = r->all && r->in_table[type];
    for (size_t i = 0; i < r->alternative_count; i++) {
        in = in || in_some_table(&r->alternatives[i], type);
    }
    return in;
}

static void take_out(struct request *r, size_t type)
{
    if (r->all) {
        r->in_table[type] = false;
        r->of_type[type].count = 0;
    }
    for (size_t i = 0; i < r->alternative_count; i++) {
        take_out(&r->alternatives[i], type);
    }
}

/** False if no type can keep to it. A type that cannot goes on without its own devices. */
static bool keep_to_most(const struct candidate *candidate, struct wanted_claim *c)
{
    size_t base = 0, listed = 0, gone = 0;
    for (size_t i = 0; i < c->request_count; i++) {
        base += least_of(&c->requests[i], NULL);
    }
    for (size_t t = 0; t < candidate->type_count; t++) {
        size_t more = 0;
        bool in = false;
        for (size_t i = 0; i < c->request_count; i++) {
            in = in || in_some_table(&c->requests[i], t);
            more += least_of(&c->requests[i], &t);
        }
        bool too_many = in && base + more > MOST_DEVICES;
        for (size_t i = 0; i < c->request_count && too_many; i++) {
            take_out(&c->requests[i], t);
        }
        listed += in;
        gone += too_many;
    }
    return base <= MOST_DEVICES && (listed == 0 || gone < listed);
}

refusal ref_want(const struct scheduler *s, const struct candidate *candidate, struct device_pools pools,
                 const json_t *claim, struct wanted_claim *out)
{
    const json_t *devices = ref_at(ref_at(claim, "spec"), "devices");
    *out = (struct wanted_claim){ .doc = claim, .request_count = ref_length(devices, "requests") };
    out->requests = ref_alloc((out->request_count + 1) * sizeof out->requests[0]);
    if (!read_constraints(devices, out)) {
        return REFUSED;
    }
    for (size_t i = 0; i < out->request_count; i++) {
        if (!read_parent(s, candidate, pools, ref_item(devices, "requests", i), &out->requests[i])) {
            return REFUSED;
        }
    }
    return keep_to_most(candidate, out) ? NULL : REFUSED;
}
