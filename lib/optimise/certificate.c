/* SPDX-License-Identifier: Apache-2.0 */
#include <optimise/certificate.h>

#include <base/bits.h>

static bool refuse(proof_fault *fault, enum proof_verdict kind, uint32_t offer, uint32_t class_)
{
    fault->kind = kind;
    fault->offer = offer;
    fault->class_ = class_;
    return false;
}

/* *sum + a × b; neither is negative. */
static bool add_product(amount *sum, int64_t a, int64_t b)
{
    amount product;
    return amount_mul(amount_from(a), (uint64_t)b, &product) && amount_add(*sum, product, sum);
}

static bool not_negative(const int64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (values[i] < 0) return false;
    }
    return true;
}

/* How many copies of a class the row has space for, by its own rules; 0 = it may not go there. */
static int64_t space_for(const bound_problem *p, uint32_t row, uint32_t class_)
{
    if (!bits_test(p->allowed + (size_t)row * bits_words(p->class_count), class_)) return 0;
    int64_t copies = p->limits[class_];
    for (uint32_t d = 0; d < p->dims; d++) {
        int64_t request = p->requests[(size_t)class_ * p->dims + d];
        int64_t capacity = p->capacity[(size_t)row * p->dims + d];
        if (request == 0) continue;
        if (capacity < request) return 0;
        if (capacity / request < copies) copies = capacity / request;
    }
    return copies;
}

/* y <= the shares of what it takes, each rounded down, + extra. */
static bool class_pays(const bound_problem *p, const bound_proof *proof, uint32_t at, uint32_t class_, bool *overflow)
{
    amount sum = amount_from(proof->extra[(size_t)at * p->class_count + class_]);
    for (uint32_t d = 0; d < p->dims; d++) {
        int64_t request = p->requests[(size_t)class_ * p->dims + d];
        int64_t share = proof->shares[(size_t)at * p->dims + d];
        if (request == 0 || share == 0) continue;
        amount part, quotient;
        uint64_t rest;
        if (!amount_mul(amount_from(share), (uint64_t)request, &part)) return *overflow = true, false;
        amount_divide(part, (uint64_t)p->capacity[(size_t)proof->of[at] * p->dims + d], &quotient, &rest);
        if (!amount_add(sum, quotient, &sum)) return *overflow = true, false;
    }
    return amount_cmp(amount_from(proof->y[class_]), sum) <= 0;
}

/* Whether the shares bear the prices of all that the row holds; what they spend. */
static bool row_holds(const bound_problem *p, const bound_proof *proof, uint32_t at, amount *spent, proof_fault *fault)
{
    uint32_t row = proof->of[at];
    *spent = amount_from(0);
    for (uint32_t d = 0; d < p->dims; d++) {
        if (!amount_add(*spent, amount_from(proof->shares[(size_t)at * p->dims + d]), spent))
            return refuse(fault, PROOF_OVERFLOW, row, UINT32_MAX);
    }
    for (uint32_t c = 0; c < p->class_count; c++) {
        int64_t copies = space_for(p, row, c);
        if (copies == 0) continue;
        bool overflow = false;
        if (!class_pays(p, proof, at, c, &overflow))
            return refuse(fault, overflow ? PROOF_OVERFLOW : PROOF_CLASS_TOO_DEAR, row, c);
        if (!add_product(spent, proof->extra[(size_t)at * p->class_count + c], copies))
            return refuse(fault, PROOF_OVERFLOW, row, c);
    }
    return true;
}

/* Whether what the offer holds the other one holds, too, at no more cost. */
static bool covers(const bound_problem *p, uint32_t other, uint32_t offer)
{
    size_t words = bits_words(p->class_count);
    bool ok = p->costs[other] <= p->costs[offer];
    for (uint32_t d = 0; ok && d < p->dims; d++)
        ok = p->capacity[(size_t)other * p->dims + d] >= p->capacity[(size_t)offer * p->dims + d];
    for (size_t w = 0; ok && w < words; w++) ok = !(p->allowed[offer * words + w] & ~p->allowed[other * words + w]);
    return ok;
}

/* Every share row is of a row, and every row has one: its own, or for an offer that of one that covers it. */
static bool rows_hold(const bound_problem *p, const bound_proof *proof, proof_fault *fault)
{
    uint32_t rows = p->offer_count + p->node_count;
    for (uint32_t i = 0; i < proof->share_count; i++) {
        if (proof->of[i] >= rows) return refuse(fault, PROOF_NOT_COVERED, UINT32_MAX, UINT32_MAX);
    }
    for (uint32_t r = 0; r < rows; r++) {
        if (proof->covered_by[r] >= proof->share_count) return refuse(fault, PROOF_NOT_COVERED, r, UINT32_MAX);
        uint32_t by = proof->of[proof->covered_by[r]];
        if (by == r) continue;
        if (r >= p->offer_count || by >= p->offer_count || !covers(p, by, r))
            return refuse(fault, PROOF_NOT_COVERED, r, UINT32_MAX);
    }
    return true;
}

/* Whether the class may go to some offer: the price of one that goes to none is held by no inequality. */
static bool is_bought(const bound_problem *p, uint32_t class_)
{
    for (uint32_t o = 0; o < p->offer_count; o++) {
        if (space_for(p, o, class_) > 0) return true;
    }
    return false;
}

bool proof_holds(const bound_problem *p, const bound_proof *proof, amount *value, proof_fault *fault)
{
    return proof_holds_for(p, proof, value, NULL, fault);
}

bool proof_holds_for(const bound_problem *p, const bound_proof *proof, amount *value, amount *spent_on,
                     proof_fault *fault)
{
    *fault = (proof_fault){ .kind = PROOF_HOLDS, .offer = UINT32_MAX, .class_ = UINT32_MAX };
    *value = amount_from(0);
    if (!not_negative(proof->y, p->class_count) || !not_negative(proof->shares, (size_t)proof->share_count * p->dims) ||
        !not_negative(proof->extra, (size_t)proof->share_count * p->class_count))
        return refuse(fault, PROOF_NEGATIVE, UINT32_MAX, UINT32_MAX);
    if (!rows_hold(p, proof, fault)) return false;
    for (uint32_t c = 0; c < p->class_count; c++) {
        if (proof->y[c] == 0) continue;
        if (!is_bought(p, c)) return refuse(fault, PROOF_CLASS_TOO_DEAR, UINT32_MAX, c);
        if (!add_product(value, proof->y[c], p->counts[c])) return refuse(fault, PROOF_OVERFLOW, UINT32_MAX, c);
    }
    for (uint32_t i = 0; i < proof->share_count; i++) {
        amount spent;
        if (!row_holds(p, proof, i, &spent, fault)) return false;
        if (proof->of[i] < p->offer_count) {
            if (amount_cmp(spent, amount_from(p->costs[proof->of[i]])) > 0)
                return refuse(fault, PROOF_OFFER_TOO_CHEAP, proof->of[i], UINT32_MAX);
        } else if (!amount_sub(*value, spent, value)) {
            return refuse(fault, PROOF_OVERFLOW, proof->of[i], UINT32_MAX);
        } else if (spent_on != NULL) {
            spent_on[proof->of[i] - p->offer_count] = spent;
        }
    }
    return true;
}
