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

/* How many copies of a class the offer has space for, by its own rules; 0 = it may not go there. */
static int64_t space_for(const bound_problem *p, uint32_t offer, uint32_t class_)
{
    if (!bits_test(p->allowed + (size_t)offer * bits_words(p->class_count), class_)) return 0;
    int64_t copies = p->limits[class_];
    for (uint32_t d = 0; d < p->dims; d++) {
        int64_t request = p->requests[(size_t)class_ * p->dims + d];
        int64_t capacity = p->capacity[(size_t)offer * p->dims + d];
        if (request == 0) continue;
        if (capacity < request) return 0;
        if (capacity / request < copies) copies = capacity / request;
    }
    return copies;
}

/* y <= the shares of what it takes, each rounded down, + extra. */
static bool class_pays(const bound_problem *p, const bound_proof *proof, uint32_t offer, uint32_t class_,
                       bool *overflow)
{
    amount sum = amount_from(proof->extra[(size_t)offer * p->class_count + class_]);
    for (uint32_t d = 0; d < p->dims; d++) {
        int64_t request = p->requests[(size_t)class_ * p->dims + d];
        int64_t share = proof->shares[(size_t)offer * p->dims + d];
        if (request == 0 || share == 0) continue;
        amount part, quotient;
        uint64_t rest;
        if (!amount_mul(amount_from(share), (uint64_t)request, &part)) return *overflow = true, false;
        amount_divide(part, (uint64_t)p->capacity[(size_t)offer * p->dims + d], &quotient, &rest);
        if (!amount_add(sum, quotient, &sum)) return *overflow = true, false;
    }
    return amount_cmp(amount_from(proof->y[class_]), sum) <= 0;
}

static bool offer_holds(const bound_problem *p, const bound_proof *proof, uint32_t offer, proof_fault *fault)
{
    amount spent = amount_from(0);
    for (uint32_t d = 0; d < p->dims; d++) {
        if (!amount_add(spent, amount_from(proof->shares[(size_t)offer * p->dims + d]), &spent)) {
            return refuse(fault, PROOF_OVERFLOW, offer, UINT32_MAX);
        }
    }
    for (uint32_t c = 0; c < p->class_count; c++) {
        int64_t copies = space_for(p, offer, c);
        if (copies == 0) continue;
        bool overflow = false;
        if (!class_pays(p, proof, offer, c, &overflow)) {
            return refuse(fault, overflow ? PROOF_OVERFLOW : PROOF_CLASS_TOO_DEAR, offer, c);
        }
        if (!add_product(&spent, proof->extra[(size_t)offer * p->class_count + c], copies)) {
            return refuse(fault, PROOF_OVERFLOW, offer, c);
        }
    }
    bool within = amount_cmp(spent, amount_from(p->costs[offer])) <= 0;
    return within || refuse(fault, PROOF_OFFER_TOO_CHEAP, offer, UINT32_MAX);
}

/* Whether the class may go to some offer: the price of one that fits nowhere is held by no inequality. */
static bool goes_somewhere(const bound_problem *p, uint32_t class_)
{
    for (uint32_t o = 0; o < p->offer_count; o++) {
        if (space_for(p, o, class_) > 0) return true;
    }
    return false;
}

bool proof_holds(const bound_problem *p, const bound_proof *proof, amount *value, proof_fault *fault)
{
    *fault = (proof_fault){ .kind = PROOF_HOLDS, .offer = UINT32_MAX, .class_ = UINT32_MAX };
    if (!not_negative(proof->y, p->class_count) || !not_negative(proof->shares, (size_t)p->offer_count * p->dims) ||
        !not_negative(proof->extra, (size_t)p->offer_count * p->class_count)) {
        return refuse(fault, PROOF_NEGATIVE, UINT32_MAX, UINT32_MAX);
    }
    for (uint32_t o = 0; o < p->offer_count; o++) {
        if (!offer_holds(p, proof, o, fault)) return false;
    }
    *value = amount_from(0);
    for (uint32_t c = 0; c < p->class_count; c++) {
        if (proof->y[c] == 0) continue;
        if (!goes_somewhere(p, c)) return refuse(fault, PROOF_CLASS_TOO_DEAR, UINT32_MAX, c);
        if (!add_product(value, proof->y[c], p->counts[c])) return refuse(fault, PROOF_OVERFLOW, UINT32_MAX, c);
    }
    return true;
}
