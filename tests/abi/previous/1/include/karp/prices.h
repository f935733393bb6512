/* SPDX-License-Identifier: Apache-2.0 */
/** @file prices.h  Instance types with other prices: discounts, fees, licences (docs/prices.md). */
#ifndef KARP_PRICES_H
#define KARP_PRICES_H

#include <karp/catalogue.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Upper limit of the factors and amounts of price rules. */
#define KARP_MOST_PRICE 1e6

/** A difference to the prices of the catalogue: a discount, a fee, a licence. Since 1.0. */
typedef struct karp_price_rule {
    /** On the labels of the type and of the offering. All must be met. None = every offering. Operators: In, NotIn,
     * Exists, DoesNotExist, and Gt and Lt with one integer. */
    const karp_requirement *requirements;
    size_t requirement_count;
    double factor; /**< the price is multiplied by it; 1 = unchanged. 0 to #KARP_MOST_PRICE, like the others */
    double per_node; /**< added, per hour */
    double per_vcpu; /**< added for each of the type's CPUs, per hour */
} karp_price_rule;

/**
 * The same types with other prices: all rules that match an offering apply, all factors first, then all amounts, so
 * their order does not matter. In a snapshot with the new catalogue, existing nodes have the new prices as well, and
 * all decisions use them. Unknown prices stay unknown. Nothing is borrowed. Errors: INVALID (a rule), RANGE, NOMEM,
 * CANCELED. Since 1.0.
 */
KARP_API karp_status karp_catalogue_reprice(karp_context *context, const karp_catalogue *catalogue,
                                            const karp_price_rule *rules, size_t count, karp_catalogue **out,
                                            karp_error *error);

#ifdef __cplusplus
}
#endif
#endif
