/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans for the least cost on random worlds: never dearer than Karpenter's, no worse before the verifier, the same
 * every time. The proof of their bound holds, written and read again as well; one that claims more is refused, and no
 * mutated one proves more than a plan costs.
 */
#include "world.h"

#include <karp/certificate.h>
#include <karp/inspect.h>
#include <karp/io.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <karp/objective.h>

#include <property/worlds.h>

enum { EFFORT = 2000, MUTATIONS = 8 };

/* How the plan is asked for: the last bytes decide. */
typedef struct wish {
    uint32_t flags;
    double node_cost, spot_factor, price_slack;
} wish;

static wish wish_of(const uint8_t *data, size_t size)
{
    static const double costs[] = { 0, 0, 0.01, 1 }, factors[] = { 1, 1, 0.5, 1.7 }, slacks[] = { 0, 0.15, 0.5, 3 };
    uint8_t a = size > 0 ? data[size - 1] : 0, b = size > 1 ? data[size - 2] : 0;
    return (wish){ a % 8, costs[b % 4], factors[b / 4 % 4], slacks[b / 16 % 4] };
}

static karp_decision *decide(const fuzz_world *w, const wish *how, uint64_t effort, karp_cost *cost)
{
    karp_options options;
    karp_objective objective;
    karp_decision *decision = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_options_init(&options, sizeof options);
    karp_objective_init(&objective, sizeof objective);
    objective.kind = KARP_OBJECTIVE_COST;
    objective.effort = effort;
    objective.flags = how->flags;
    objective.node_cost = how->node_cost;
    objective.spot_factor = how->spot_factor;
    objective.price_slack = how->price_slack;
    options.objective = &objective;
    karp_status status = karp_provision(w->snapshot, &options, &decision, &error);
    check_result(status, decision, &error);
    *cost = (karp_cost){ .size = sizeof *cost };
    if (decision != NULL && karp_decision_cost(decision, cost) != KARP_OK)
        broken("a plan for the least cost has figures");
    return decision;
}

static size_t count_findings(const fuzz_world *w, const karp_decision *decision)
{
    karp_verification *found = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_status status = karp_verify_decision(w->snapshot, decision, &found, &error);
    check_result(status, found, &error);
    size_t count = found == NULL ? 0 : karp_verification_count(found);
    karp_verification_free(found);
    return count;
}

static void compare(const fuzz_world *w, const karp_decision *plain, const karp_decision *cheap,
                    const karp_decision *again)
{
    char one[KARP_DIGEST_TEXT], other[KARP_DIGEST_TEXT];
    karp_decision_hash(cheap, one);
    karp_decision_hash(again, other);
    if (strcmp(one, other) != 0) broken("the same plan every time");
    if (count_findings(w, cheap) > count_findings(w, plain)) broken("a plan for the least cost keeps every constraint");
    if (karp_decision_unschedulable_count(cheap) > karp_decision_unschedulable_count(plain))
        broken("every pod that Karpenter places is placed");
}

/* ---- the proof --------------------------------------------------------------------------------------------------- */

static bool holds(const fuzz_world *w, const karp_certificate *c)
{
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_status status = karp_certificate_check(w->snapshot, NULL, c, &error);
    if (status != KARP_OK && status != KARP_E_INVALID && status != KARP_E_NOMEM && status != KARP_E_LIMIT)
        broken("a proof holds or is refused");
    return status == KARP_OK;
}

/* Whether the text can be read, and holds; true as well where memory is short. */
static bool text_holds(const fuzz_world *w, karp_str text, int64_t *value)
{
    karp_error error;
    karp_certificate_document *read = NULL;
    karp_error_init(&error, sizeof error);
    karp_status status = karp_certificate_read(w->context, (karp_str){ "proof", 5 }, text, &read, &error);
    check_result(status, read, &error);
    if (read == NULL) return status == KARP_E_NOMEM || status == KARP_E_LIMIT;
    const karp_certificate *c = karp_certificate_document_certificate(read);
    bool held = holds(w, c);
    *value = c->value;
    karp_certificate_document_free(read);
    return held;
}

/* Claims more than it proves, by a part of what it says. */
static void check_claims(const fuzz_world *w, const karp_certificate *proof, const uint8_t *data, size_t size)
{
    karp_certificate more = *proof;
    more.value += 1 + (size > 2 ? data[size / 2] * (int64_t)1000 : 0);
    if (holds(w, &more)) broken("a proof that claims more is refused");
}

/* Bytes of the text are others, but for the head, which says what the question is. Whatever holds then is no dearer
 * than the plan. */
static void check_mutated(const fuzz_world *w, karp_text *text, const karp_cost *cost, const uint8_t *data, size_t size)
{
    const char *list = strstr(text->ptr, "\"resources\"");
    size_t begin = list != NULL ? (size_t)(list - text->ptr) : text->len;
    double most = cost->cost * KARP_MONEY_PER_DOLLAR * (1 + 1e-9) + 1000;
    static const char digits[] = "0123456789-,[]{}\"e";
    for (size_t i = 0; i < MUTATIONS && size > 4 && begin < text->len; i++) {
        size_t room = text->len - begin;
        size_t at = begin + (data[i % size] * (size_t)251 + data[(i + 1) % size] * (size_t)65537 + i * 8191) % room;
        char was = text->ptr[at];
        int64_t value = 0;
        text->ptr[at] = digits[data[(i + 2) % size] % (sizeof digits - 1)];
        if (text_holds(w, (karp_str){ text->ptr, text->len }, &value) && (double)value > most)
            broken("no proof is beyond what a plan costs");
        text->ptr[at] = was;
    }
}

static void check_proof(const fuzz_world *w, const karp_decision *d, const karp_cost *cost, const uint8_t *data,
                        size_t size)
{
    const karp_certificate *proof = karp_decision_certificate(d);
    karp_error error;
    karp_text text = { 0 };
    int64_t value = 0;
    karp_error_init(&error, sizeof error);
    if (proof == NULL) {
        if (cost->bound > 0) broken("a bound has a proof");
        return;
    }
    if (cost->bound > cost->cost * (1 + 1e-12) + 1e-12) broken("no plan is below the bound");
    if (!holds(w, proof)) broken("the proof of a bound holds");
    check_claims(w, proof, data, size);
    karp_status status = karp_write_certificate(w->context, proof, NULL, &text, &error);
    check_result(status, text.ptr, &error);
    if (status != KARP_OK) return;
    value = proof->value;
    if (!text_holds(w, (karp_str){ text.ptr, text.len }, &value) || value != proof->value)
        broken("a proof that was written and read holds");
    check_mutated(w, &text, cost, data, size);
    karp_text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_world w;
    karp_cost none, much, same;
    fuzz_world_open(&w, world_make_from(data, size));
    if (w.snapshot != NULL) {
        wish how = wish_of(data, size);
        karp_decision *plain = decide(&w, &how, KARP_EFFORT_NONE, &none), *cheap = decide(&w, &how, EFFORT, &much);
        karp_decision *again = decide(&w, &how, EFFORT, &same);
        if (plain != NULL && cheap != NULL && again != NULL) {
            if (much.cost > none.cost || much.compatible_cost != none.cost)
                broken("never dearer than Karpenter's plan");
            compare(&w, plain, cheap, again);
            check_proof(&w, cheap, &much, data, size);
        }
        karp_decision_unref(again);
        karp_decision_unref(cheap);
        karp_decision_unref(plain);
    }
    fuzz_world_close(&w);
    return 0;
}
