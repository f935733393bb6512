/* SPDX-License-Identifier: Apache-2.0 */
/** @file prices.h  The same instance types at other prices: discounts, fees, licences (docs/prices.md). */
#ifndef KARP_PRICES_H
#define KARP_PRICES_H

#include <karp/catalogue.h>

#ifdef __cplusplus
extern "C" {
#endif

/** No factor or amount of a price rule is larger. */
#define KARP_MOST_PRICE 1e6

/** What somebody pays otherwise than the catalogue says: a discount, a fee, a licence. Since 0.1. */
typedef struct karp_price_rule {
    /** Of the labels of the type and of the offering, all of which have to agree; none = every offering. In, NotIn, Exists,
     * DoesNotExist, Gt, Lt. */
    const karp_requirement *requirements;
    size_t requirement_count;
    double factor; /**< the price is multiplied by it; 1 = as it is. 0 to #KARP_MOST_PRICE, like the others */
    double per_node; /**< added, per hour */
    double per_vcpu; /**< added for each of the type's CPUs, per hour */
} karp_price_rule;

/**
 * The same types at other prices: every rule that is about an offering applies, all factors first, then all amounts, so that their
 * order does not matter. A snapshot that is built with the new catalogue prices existing nodes by it as well, and all decisions follow.
 * Offerings whose price is not known stay so. Nothing is borrowed. Errors: INVALID (a rule), RANGE, NOMEM, CANCELED. Since 0.1.
 */
KARP_API karp_status karp_catalogue_reprice(karp_context *context, const karp_catalogue *catalogue,
                                            const karp_price_rule *rules, size_t count, karp_catalogue **out,
                                            karp_error *error);

#ifdef __cplusplus
}
#endif
#endif
