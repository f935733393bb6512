/* SPDX-License-Identifier: Apache-2.0 */
#include <optimise/certificate.h>

#include <base/bits.h>

#define MOST_CONTENTS (UINT64_C(1) << 26) /* how many contents a proof may make the checker look at */

typedef struct checker {
    karp_context *context;
    const bound_problem *p;
    const bound_proof *proof;
    proof_fault *fault;
    uint64_t *budget;
} checker;

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

/* The number of copies of a class for which the row has space, by this file's own rules; 0 = the class cannot be
 * placed there. */
static int64_t space_for(const bound_problem *p, uint32_t row, uint32_t class_)
{
    if (!bits_test(p->allowed + (size_t)row * bits_words(p->class_count), class_)) return 0;
    int64_t copies = p->limits[class_];
    if (row >= p->offer_count && p->node_limits != NULL) {
        const int64_t *most = p->node_limits + (size_t)(row - p->offer_count) * p->class_count;
        if (most[class_] < copies) copies = most[class_];
    }
    for (uint32_t d = 0; d < p->dims; d++) {
        int64_t request = p->requests[(size_t)class_ * p->dims + d];
        int64_t capacity = p->capacity[(size_t)row * p->dims + d];
        if (request == 0) continue;
        if (capacity < request) return 0;
        if (capacity / request < copies) copies = capacity / request;
    }
    return copies;
}

/* y <= the charge by the shares, each part rounded down, + extra. */
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

/* Whether the shares of the row bear the prices of everything it can contain. *spent receives its charge. */
static bool plain_row_holds(const bound_problem *p, const bound_proof *proof, uint32_t at, amount *spent,
                            proof_fault *fault)
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

/* A restriction of contents: the range of copies of a class. */
typedef struct narrowed {
    uint32_t class_;
    int64_t low, high;
    bool second; /* the branch with more copies; no other branch follows */
} narrowed;

/* The fewest and the most copies of a class in a content; false = there is no content. */
static bool copies_in(const bound_problem *p, const bound_proof *proof, uint32_t at, const narrowed *path,
                      uint32_t deep, uint32_t class_, int64_t *low, int64_t *high)
{
    *low = 0;
    *high = space_for(p, proof->of[at], class_);
    for (uint32_t i = 0; i < deep; i++) {
        if (path[i].class_ != class_) continue;
        if (path[i].low > *low) *low = path[i].low;
        if (path[i].high < *high) *high = path[i].high;
    }
    return *low <= *high;
}

/* Whether the fewest copies of all classes fit into the node's amount of the resource. *left receives the remainder. */
static bool space_left(const bound_problem *p, const bound_proof *proof, uint32_t at, const narrowed *path,
                       uint32_t deep, uint32_t d, int64_t *left)
{
    amount rest = amount_from(p->capacity[(size_t)proof->of[at] * p->dims + d]), takes;
    for (uint32_t i = 0; i < deep; i++) {
        int64_t low, high;
        bool seen = false;
        for (uint32_t k = 0; k < i; k++) seen = seen || path[k].class_ == path[i].class_;
        if (seen || !copies_in(p, proof, at, path, deep, path[i].class_, &low, &high)) continue;
        int64_t request = p->requests[(size_t)path[i].class_ * p->dims + d];
        if (!amount_mul(amount_from(request), (uint64_t)low, &takes) || !amount_sub(rest, takes, &rest)) return false;
    }
    *left = 0;
    return amount_sign(rest) >= 0 && amount_scale(rest, amount_from(1), left);
}

/* Adds the most that `low` to `high` copies of the class are worth beyond their charge by the shares. */
static bool add_worth(const bound_problem *p, const bound_proof *proof, uint32_t at, const int64_t *shares,
                      uint32_t class_, int64_t low, int64_t high, amount *sum)
{
    amount beyond = amount_from(proof->y[class_]), part;
    for (uint32_t d = 0; d < p->dims; d++) {
        int64_t request = p->requests[(size_t)class_ * p->dims + d];
        uint64_t rest;
        if (request == 0 || shares[d] == 0) continue;
        if (!amount_mul(amount_from(shares[d]), (uint64_t)request, &part)) return false;
        amount_divide(part, (uint64_t)p->capacity[(size_t)proof->of[at] * p->dims + d], &part, &rest);
        if (!amount_sub(beyond, part, &beyond)) return false;
    }
    return amount_mul(beyond, (uint64_t)(amount_sign(beyond) > 0 ? high : low), &part) && amount_add(*sum, part, sum);
}

/* What no content of a row with cases may be worth more than: the sum of its shares, or what the offer costs if that is
 * 0 or more. */
static int64_t charge_of(const bound_problem *p, const bound_proof *proof, uint32_t at)
{
    int64_t sum = 0, most = proof->of[at] < p->offer_count ? p->costs[proof->of[at]] : MONEY_MOST;
    for (uint32_t d = 0; d < p->dims; d++) {
        int64_t share = proof->shares[(size_t)at * p->dims + d];
        sum = share > most - sum ? most : sum + share;
    }
    return sum == 0 && proof->of[at] < p->offer_count ? most : sum;
}

bool proof_charge(const bound_problem *p, const bound_proof *proof, uint32_t at, amount *out)
{
    proof_fault fault;
    if (!proof_has_cases(proof, at)) return plain_row_holds(p, proof, at, out, &fault);
    *out = amount_from(charge_of(p, proof, at));
    return true;
}

/* Whether no content within the path is worth more than the row may be charged. */
static bool case_holds(const bound_problem *p, const bound_proof *proof, uint32_t at, const int64_t *shares,
                       const narrowed *path, uint32_t deep, proof_fault *fault)
{
    uint32_t row = proof->of[at];
    int64_t left[CASES_DIMS];
    amount worth = amount_from(0);
    for (uint32_t d = 0; d < p->dims; d++) {
        if (p->capacity[(size_t)row * p->dims + d] <= 0) left[d] = 0;
        else if (!space_left(p, proof, at, path, deep, d, &left[d])) return true; /* there is no content */
        if (!amount_add(worth, amount_from(shares[d]), &worth)) return refuse(fault, PROOF_OVERFLOW, row, UINT32_MAX);
    }
    for (uint32_t c = 0; c < p->class_count; c++) {
        int64_t low, high;
        if (!copies_in(p, proof, at, path, deep, c, &low, &high)) return true;
        int64_t more = high - low;
        for (uint32_t d = 0; d < p->dims; d++) {
            int64_t request = p->requests[(size_t)c * p->dims + d];
            if (request > 0 && left[d] / request < more) more = left[d] / request;
        }
        if (low + more == 0) continue;
        if (!add_worth(p, proof, at, shares, c, low, low + more, &worth)) return refuse(fault, PROOF_OVERFLOW, row, c);
    }
    return amount_cmp(worth, amount_from(charge_of(p, proof, at))) <= 0 ||
           refuse(fault, PROOF_OFFER_TOO_CHEAP, row, UINT32_MAX);
}

/* The same for whole contents. */
static bool all_contents_hold(const checker *k, uint32_t at, uint32_t first, const narrowed *path, uint32_t deep)
{
    const bound_problem *p = k->p;
    uint32_t row = k->proof->of[at];
    for (uint32_t d = 0; d < p->dims; d++) {
        int64_t left;
        if (p->capacity[(size_t)row * p->dims + d] > 0 && !space_left(p, k->proof, at, path, deep, d, &left))
            return true;
    }
    size_t bytes = 2 * p->class_count * sizeof(int64_t);
    int64_t *low = mem_alloc(k->context, bytes), *high = low != NULL ? low + p->class_count : NULL;
    if (low == NULL) return refuse(k->fault, PROOF_NO_MEMORY, row, UINT32_MAX);
    bool some = true;
    for (uint32_t c = 0; c < p->class_count; c++)
        some = copies_in(p, k->proof, at, path, deep, c, &low[c], &high[c]) && some;
    content_claim claim = { .row = row,
                            .share_count = (uint32_t)k->proof->cases[first].copies,
                            .y = k->proof->y,
                            .low = low,
                            .high = high,
                            .shares = k->proof->case_shares + (size_t)first * p->dims,
                            .cost = charge_of(p, k->proof, at),
                            .budget = k->budget };
    enum proof_verdict verdict = some ? contents_hold(k->context, p, &claim) : PROOF_HOLDS;
    mem_free(k->context, low, bytes);
    return verdict == PROOF_HOLDS || refuse(k->fault, verdict, row, UINT32_MAX);
}

/* The number of cases of the leaf that begins at case i; 0 = they are not complete. */
static uint32_t leaf_length(const bound_proof *proof, uint32_t i, uint32_t end)
{
    if (proof->cases[i].class_ == CASE_LEAF) return 1;
    int64_t count = proof->cases[i].copies;
    if (count < 1 || count > CASE_PRICES || count > end - i) return 0;
    for (uint32_t n = 1; n < count; n++) {
        if (proof->cases[i + n].class_ != CASE_CONTENTS || proof->cases[i + n].copies != 0) return 0;
    }
    return (uint32_t)count;
}

/* Whether the cases are complete and valid. */
static bool cases_hold(const checker *k, uint32_t at)
{
    const bound_problem *p = k->p;
    const bound_proof *proof = k->proof;
    proof_fault *fault = k->fault;
    narrowed path[CASES_DEEP];
    uint32_t deep = 0, i = proof->first_case[at], end = proof->first_case[at + 1], row = proof->of[at];
    for (uint32_t length = 1; i < end; i += length) {
        const proof_case *x = &proof->cases[i];
        const int64_t *shares = proof->case_shares + (size_t)i * p->dims;
        length = 1;
        if (x->class_ < CASE_CONTENTS) {
            if (deep == CASES_DEEP || x->class_ >= p->class_count || x->copies < 0 || x->copies == INT64_MAX)
                return refuse(fault, PROOF_NOT_COVERED, row, x->class_);
            path[deep++] = (narrowed){ x->class_, 0, x->copies, false };
            continue;
        }
        length = leaf_length(proof, i, end);
        if (length == 0) return refuse(fault, PROOF_NOT_COVERED, row, UINT32_MAX);
        bool ok = x->class_ == CASE_LEAF ? case_holds(p, proof, at, shares, path, deep, fault)
                                         : all_contents_hold(k, at, i, path, deep);
        if (!ok) return false;
        while (deep > 0 && path[deep - 1].second) deep--;
        if (deep == 0) return i + length == end || refuse(fault, PROOF_NOT_COVERED, row, UINT32_MAX);
        narrowed *last = &path[deep - 1];
        *last = (narrowed){ last->class_, last->high + 1, INT64_MAX, true };
    }
    return refuse(fault, PROOF_NOT_COVERED, row, UINT32_MAX);
}

/* The same for any row. No charge is reported for an offer with cases. */
static bool row_holds(const checker *k, uint32_t at, amount *spent)
{
    const bound_problem *p = k->p;
    const bound_proof *proof = k->proof;
    proof_fault *fault = k->fault;
    if (!proof_has_cases(proof, at)) return plain_row_holds(p, proof, at, spent, fault);
    *spent = amount_from(proof->of[at] < p->offer_count ? 0 : charge_of(p, proof, at));
    if (p->dims > CASES_DIMS) return refuse(fault, PROOF_NOT_COVERED, proof->of[at], UINT32_MAX);
    return cases_hold(k, at);
}

/* Whether the other offer can contain everything that the offer can, at no more cost. */
static bool covers(const bound_problem *p, uint32_t other, uint32_t offer)
{
    size_t words = bits_words(p->class_count);
    bool ok = p->costs[other] <= p->costs[offer];
    for (uint32_t d = 0; ok && d < p->dims; d++)
        ok = p->capacity[(size_t)other * p->dims + d] >= p->capacity[(size_t)offer * p->dims + d];
    for (size_t w = 0; ok && w < words; w++) ok = !(p->allowed[offer * words + w] & ~p->allowed[other * words + w]);
    return ok;
}

/* Checks that every share row belongs to a row, and that every row has one: its own, or for an offer that of a
 * covering row. */
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

/* The choice whose own class it is; NULL = it is that of pods. */
static const relaxed_choice *choice_of(const bound_problem *p, uint32_t class_)
{
    for (uint32_t i = 0; i < p->choice_count; i++) {
        if (p->choices[i].domain_count > 0 && p->choices[i].class_ == class_) return &p->choices[i];
    }
    return NULL;
}

/* Whether a group's pods cost at least the price of the group in each of its domains. */
static bool choice_holds(const relaxed_choice *x, const int64_t *y, proof_fault *fault)
{
    amount all = amount_from(0);
    if (!add_product(&all, y[x->class_], x->pods)) return refuse(fault, PROOF_OVERFLOW, UINT32_MAX, x->class_);
    for (uint32_t d = 0; d < x->domain_count; d++) {
        amount sum = amount_from(0);
        const uint32_t *classes = x->classes + (size_t)d * x->member_count;
        for (uint32_t n = 0; n < x->member_count; n++) {
            if (!add_product(&sum, y[classes[n]], x->copies[n]))
                return refuse(fault, PROOF_OVERFLOW, UINT32_MAX, classes[n]);
        }
        if (amount_cmp(all, sum) > 0) return refuse(fault, PROOF_GROUP_TOO_DEAR, UINT32_MAX, x->class_);
    }
    return true;
}

/* Whether the class can be placed on some offer. No inequality limits the price of a class without offers. */
static bool is_bought(const bound_problem *p, uint32_t class_)
{
    for (uint32_t o = 0; o < p->offer_count; o++) {
        if (space_for(p, o, class_) > 0) return true;
    }
    return false;
}

bool proof_holds(karp_context *context, const bound_problem *p, const bound_proof *proof, amount *value,
                 proof_fault *fault)
{
    return proof_holds_for(context, p, proof, value, NULL, fault);
}

bool proof_holds_for(karp_context *context, const bound_problem *p, const bound_proof *proof, amount *value,
                     amount *spent_on, proof_fault *fault)
{
    uint64_t budget = MOST_CONTENTS;
    const checker k = { context, p, proof, fault, &budget };
    *fault = (proof_fault){ .kind = PROOF_HOLDS, .offer = UINT32_MAX, .class_ = UINT32_MAX };
    *value = amount_from(0);
    if (!not_negative(proof->y, p->class_count) || !not_negative(proof->shares, (size_t)proof->share_count * p->dims) ||
        !not_negative(proof->extra, (size_t)proof->share_count * p->class_count))
        return refuse(fault, PROOF_NEGATIVE, UINT32_MAX, UINT32_MAX);
    if (proof->first_case != NULL &&
        !not_negative(proof->case_shares, (size_t)proof->first_case[proof->share_count] * p->dims))
        return refuse(fault, PROOF_NEGATIVE, UINT32_MAX, UINT32_MAX);
    if (!rows_hold(p, proof, fault)) return false;
    for (uint32_t c = 0; c < p->class_count; c++) {
        if (proof->y[c] == 0) continue;
        const relaxed_choice *x = choice_of(p, c);
        if (x != NULL && !choice_holds(x, proof->y, fault)) return false;
        if (x == NULL && !is_bought(p, c)) return refuse(fault, PROOF_CLASS_TOO_DEAR, UINT32_MAX, c);
        if (!add_product(value, proof->y[c], p->counts[c])) return refuse(fault, PROOF_OVERFLOW, UINT32_MAX, c);
    }
    for (uint32_t i = 0; i < proof->share_count; i++) {
        amount spent;
        if (!row_holds(&k, i, &spent)) return false;
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
