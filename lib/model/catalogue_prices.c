/* SPDX-License-Identifier: Apache-2.0 */
/* A catalogue with adjusted prices: price rules with factors and amounts, applied to another catalogue. */
#include <model/catalogue.h>

#include <base/context.h>
#include <base/error.h>
#include <base/admit.h>
#include <karp/prices.h>
#include <karp/values.h>
#include <math.h>

/* ---- rules ------------------------------------------------------------------------------------------------------- */

static bool is_amount(double value) { return value >= 0 && value <= KARP_MOST_PRICE; }

static karp_status check_requirement(const karp_requirement *r, size_t rule, karp_error *error)
{
    bool none = r->op == KARP_OP_EXISTS || r->op == KARP_OP_DOES_NOT_EXIST;
    bool number = r->op == KARP_OP_GT || r->op == KARP_OP_LT;
    if (!none && !number && r->op != KARP_OP_IN && r->op != KARP_OP_NOT_IN)
        return fail(error, KARP_E_INVALID, "price rule %zu: an operator that rules do not have", rule);
    if (!str_given(r->key) || r->key.len == 0)
        return fail(error, KARP_E_INVALID, "price rule %zu: a requirement without a key", rule);
    if ((r->values == NULL && r->value_count > 0) || (none && r->value_count > 0) || (number && r->value_count != 1) ||
        (!none && r->value_count == 0))
        return fail(error, KARP_E_INVALID, "price rule %zu: the number of values does not fit the operator", rule);
    for (size_t i = 0; i < r->value_count; i++) {
        if (!str_given(r->values[i])) return fail_null(error, "a value of a price rule");
    }
    return number && !read_integer(r->values[0]).is_number
               ? fail(error, KARP_E_INVALID, "price rule %zu: Gt and Lt need an integer", rule)
               : KARP_OK;
}

static karp_status check_rules(const karp_price_rule *rules, size_t count, karp_error *error)
{
    if (rules == NULL && count > 0)
        return fail(error, KARP_E_INVALID, "rule_count is not 0, but there are no price rules");
    for (size_t i = 0; i < count; i++) {
        const karp_price_rule *r = &rules[i];
        if (!is_amount(r->factor) || !is_amount(r->per_node) || !is_amount(r->per_vcpu))
            return fail(error, KARP_E_INVALID, "price rule %zu: factor and amounts have to be from 0 to a million", i);
        if (r->requirements == NULL && r->requirement_count > 0)
            return fail(error, KARP_E_INVALID,
                        "price rule %zu: requirement_count is not 0, but there are no requirements", i);
        for (size_t k = 0; k < r->requirement_count; k++) {
            karp_status status = check_requirement(&r->requirements[k], i, error);
            if (status != KARP_OK) return status;
        }
    }
    return KARP_OK;
}

/* ---- prices ------------------------------------------------------------------------------------------------------ */

static double vcpus_of(const karp_instance_type *type)
{
    double vcpus = 0;
    for (size_t i = 0; i < type->capacity_count; i++) {
        if (equal_str(type->capacity[i].name, str("cpu")) &&
            karp_quantity_double(type->capacity[i].text, &vcpus) != KARP_OK)
            return 0;
    }
    return vcpus > 0 ? vcpus : 0;
}

/* Applies all factors first, then all amounts, so that the order of the rules does not matter. */
static double priced(const karp_price_rule *rules, size_t count, const karp_instance_type *type, double vcpus,
                     const karp_offering *offering)
{
    double factor = 1, more = 0;
    for (size_t i = 0; i < count; i++) {
        if (!requirements_served(rules[i].requirements, rules[i].requirement_count, offering->requirements,
                                 offering->requirement_count, type->requirements, type->requirement_count))
            continue;
        factor *= rules[i].factor;
        more += rules[i].per_node + rules[i].per_vcpu * vcpus;
    }
    return offering->price * factor + more;
}

/* Copies the types with offerings of their own, in `offerings`, which has room for the offerings of all types. */
static karp_status price_types(const karp_catalogue *from, const karp_price_rule *rules, size_t count,
                               karp_instance_type *types, karp_offering *offerings, karp_error *error)
{
    for (uint32_t i = 0; i < from->count; i++) {
        types[i] = from->types[i].shown;
        double vcpus = vcpus_of(&types[i]);
        if (!mem_work(from->context, (types[i].offering_count + 1) * (count + 1) * 16)) return fail_nomem(error);
        for (size_t k = 0; k < types[i].offering_count; k++) {
            offerings[k] = types[i].offerings[k];
            /* An unknown price stays unknown. */
            if (!offerings[k].awaits_price) offerings[k].price = priced(rules, count, &types[i], vcpus, &offerings[k]);
            if (!isfinite(offerings[k].price))
                return fail(error, KARP_E_RANGE, "%.*s: the price is out of range", (int)types[i].name.len,
                            types[i].name.ptr);
        }
        types[i].offerings = offerings;
        offerings += types[i].offering_count;
    }
    return KARP_OK;
}

karp_status karp_catalogue_reprice(karp_context *context, const karp_catalogue *catalogue, const karp_price_rule *rules,
                                   size_t count, karp_catalogue **out, karp_error *error)
{
    if (context == NULL || catalogue == NULL || out == NULL) return fail_null(error, "context, catalogue or out");
    karp_status status = check_rules(rules, count, error);
    if (status != KARP_OK) return status;
    arena a = arena_on(context);
    karp_instance_type *types = arena_array(&a, catalogue->count + (size_t)1, sizeof *types);
    karp_offering *offerings = arena_array(&a, (size_t)catalogue->offering_total + 1, sizeof *offerings);
    status = types == NULL || offerings == NULL ? fail_nomem(error)
                                                : price_types(catalogue, rules, count, types, offerings, error);
    if (status == KARP_OK) status = karp_catalogue_new(context, types, catalogue->count, out, error);
    arena_free(&a);
    return context_refusal(context, status, error);
}
