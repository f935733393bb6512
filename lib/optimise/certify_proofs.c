/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs in certificates: their rows, and the tree over numbers of nodes. */
#include <optimise/certify.h>

#include <base/bits.h>
#include <base/error.h>

#define MOST_LEAST (INT64_MAX / 4) /* more than any plan that a tree is about costs */

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static bool list_extras(const bound_problem *p, const bound_proof *proof, arena *a, uint32_t at,
                        karp_certificate_row *row)
{
    const int64_t *extra = proof->extra + (size_t)at * p->class_count;
    uint32_t n = 0;
    for (uint32_t c = 0; c < p->class_count; c++) n += extra[c] > 0;
    karp_certificate_extra *list = arena_array(a, n + (size_t)1, sizeof *list);
    for (uint32_t c = 0; list != NULL && c < p->class_count; c++) {
        if (extra[c] > 0) list[row->extra_count++] = (karp_certificate_extra){ c, 0, extra[c] };
    }
    row->extras = list;
    return list != NULL;
}

static karp_certificate_case *list_cases(const bound_problem *p, const bound_proof *proof, arena *a, size_t *count)
{
    size_t dims = p->dims;
    *count = proof->first_case != NULL ? proof->first_case[proof->share_count] : 0;
    karp_certificate_case *list = arena_array(a, *count + 1, sizeof *list);
    const int64_t *shares = *count > 0 ? arena_copy(a, proof->case_shares, *count * dims * sizeof *shares) : NULL;
    if (list == NULL || (*count > 0 && shares == NULL)) return NULL;
    for (uint32_t i = 0, row = 0; i < *count; i++) {
        while (i >= proof->first_case[row + 1]) row++;
        bool apart = proof->cases[i].class_ < CASE_CONTENTS;
        list[i] = (karp_certificate_case){ row, proof->cases[i].class_, proof->cases[i].copies,
                                           apart ? NULL : shares + i * dims };
    }
    return list;
}

/* The rows of a proof; those of `like` have the same capacity and classes. NULL = out of memory. */
static karp_certificate_row *list_rows(const bound_problem *p, const bound_proof *proof, arena *a,
                                       const karp_certificate_row *like)
{
    size_t width = bits_words(p->class_count), bytes = p->dims * sizeof(int64_t);
    karp_certificate_row *list = arena_array(a, proof->share_count + (size_t)1, sizeof *list);
    for (uint32_t i = 0; list != NULL && i < proof->share_count; i++) {
        uint32_t of = proof->of[i];
        list[i].of = of;
        list[i].shares = arena_copy(a, proof->shares + (size_t)i * p->dims, bytes);
        list[i].capacity = like != NULL ? like[i].capacity : arena_copy(a, p->capacity + (size_t)of * p->dims, bytes);
        list[i].classes = like != NULL ? like[i].classes
                                       : arena_copy(a, p->allowed + of * width, width * sizeof(uint64_t));
        if (list[i].shares == NULL || list[i].capacity == NULL || list[i].classes == NULL ||
            !list_extras(p, proof, a, i, &list[i]))
            return NULL;
    }
    return list;
}

static bool list_prices(const round_bound *b, arena *a, karp_certificate *out)
{
    const bound_problem *p = &b->problem;
    out->prices_count = b->tree.proof_count - 1;
    karp_certificate_prices *list = arena_array(a, out->prices_count + 1, sizeof *list);
    for (size_t i = 0; list != NULL && i < out->prices_count; i++) {
        const bound_proof *proof = &b->tree.proofs[i + 1];
        list[i].prices = arena_copy(a, proof->y, p->class_count * sizeof *proof->y);
        list[i].rows = list_rows(p, proof, a, out->rows);
        list[i].cases = list_cases(p, proof, a, &list[i].case_count);
        if (list[i].prices == NULL || list[i].rows == NULL || list[i].cases == NULL) return false;
    }
    out->prices = list;
    return list != NULL;
}

static bool list_branches(const bound_tree *tree, arena *a, karp_certificate *out)
{
    out->branch_count = tree->node_count;
    karp_certificate_branch *list = arena_array(a, tree->node_count + (size_t)1, sizeof *list);
    for (uint32_t i = 0; list != NULL && i < tree->node_count; i++) {
        const tree_node *x = &tree->nodes[i];
        karp_certificate_weight *weights = arena_array(a, x->weight_count + (size_t)1, sizeof *weights);
        if (weights == NULL) return false;
        for (uint32_t n = 0; n < x->weight_count; n++)
            weights[n] = (karp_certificate_weight){ x->weights[n].proof, 0, x->weights[n].weight };
        list[i] = (karp_certificate_branch){ x->row, x->weight_count, x->copies, weights };
    }
    out->branches = list;
    return list != NULL;
}

bool certificate_list_proofs(const round_bound *b, arena *a, karp_certificate *out)
{
    out->row_count = b->proof.share_count;
    out->rows = list_rows(&b->problem, &b->proof, a, NULL);
    out->cases = list_cases(&b->problem, &b->proof, a, &out->case_count);
    if (out->rows == NULL || out->cases == NULL) return false;
    return b->tree.nodes == NULL || (list_prices(b, a, out) && list_branches(&b->tree, a, out));
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Reads the cases, which must be in the order of the rows. */
static karp_status read_cases(const karp_certificate *c, const bound_problem *p, arena *a, bound_proof *out,
                              karp_error *error)
{
    if (c->case_count >= UINT32_MAX) return fail(error, KARP_E_LIMIT, "the certificate has too many cases");
    out->first_case = arena_array(a, c->row_count + 2, sizeof *out->first_case);
    out->cases = arena_array(a, c->case_count + 1, sizeof *out->cases);
    out->case_shares = arena_array(a, c->case_count * p->dims + 1, sizeof *out->case_shares);
    if (out->first_case == NULL || out->cases == NULL || out->case_shares == NULL) return fail_nomem(error);
    for (size_t i = 0; i < c->case_count; i++) {
        const karp_certificate_case *x = &c->cases[i];
        bool apart = x->class_number < KARP_CERTIFICATE_CONTENTS;
        if (x->row >= c->row_count || (i > 0 && x->row < x[-1].row) || (!apart && x->shares == NULL))
            return fail(error, KARP_E_INVALID,
                        "case %zu of the certificate is of no row, out of order or without shares", i);
        out->cases[i] = (proof_case){ x->class_number, x->copies };
        out->first_case[x->row + 1]++;
        if (!apart) memcpy(out->case_shares + i * p->dims, x->shares, p->dims * sizeof *x->shares);
    }
    for (size_t i = 0; i < c->row_count; i++) out->first_case[i + 1] += out->first_case[i];
    return KARP_OK;
}

__attribute__((cold)) karp_status certificate_read_proof(const karp_certificate *c, const bound_problem *p, arena *a,
                                                         bound_proof *out, karp_error *error)
{
    *out = (bound_proof){ .share_count = (uint32_t)c->row_count };
    out->y = arena_array(a, p->class_count + (size_t)1, sizeof *out->y);
    out->of = arena_array(a, c->row_count + 1, sizeof *out->of);
    out->covered_by = arena_array(a, p->offer_count + (size_t)p->node_count + 1, sizeof *out->covered_by);
    out->shares = arena_array(a, c->row_count * p->dims + 1, sizeof *out->shares);
    out->extra = arena_array(a, c->row_count * p->class_count + 1, sizeof *out->extra);
    if (out->y == NULL || out->of == NULL || out->covered_by == NULL || out->shares == NULL || out->extra == NULL)
        return fail_nomem(error);
    for (uint32_t i = 0; i < p->class_count; i++) out->y[i] = c->classes[i].price;
    for (uint32_t i = 0; i < p->offer_count; i++) out->covered_by[i] = c->offers[i].row;
    for (uint32_t i = 0; i < p->node_count; i++) out->covered_by[p->offer_count + i] = c->nodes[i].row;
    for (size_t i = 0; i < c->row_count; i++) {
        const karp_certificate_row *r = &c->rows[i];
        out->of[i] = r->of;
        memcpy(out->shares + i * p->dims, r->shares, p->dims * sizeof *r->shares);
        for (uint32_t e = 0; e < r->extra_count; e++) {
            if (r->extras[e].class_number >= p->class_count)
                return fail(error, KARP_E_INVALID,
                            "row %zu of the certificate has an extra for a class that does not exist", i);
            if (r->extras[e].reserved != 0) return fail_reserved(error, "karp_certificate_extra");
            out->extra[i * p->class_count + r->extras[e].class_number] = r->extras[e].amount;
        }
    }
    return c->case_count > 0 ? read_cases(c, p, a, out, error) : KARP_OK;
}

/* Reads further prices. */
static karp_status read_prices(const karp_certificate *c, size_t number, const bound_problem *p, arena *a,
                               bound_proof *out, karp_error *error)
{
    const karp_certificate_prices *x = &c->prices[number];
    karp_certificate other = *c;
    other.rows = x->rows;
    other.cases = x->cases;
    other.case_count = x->case_count;
    for (size_t i = 0; i < c->row_count; i++) {
        if (x->rows[i].of != c->rows[i].of)
            return fail(error, KARP_E_INVALID, "row %zu of prices %zu of the certificate is of another offering", i,
                        number + 1);
    }
    karp_status status = certificate_read_proof(&other, p, a, out, error);
    if (status == KARP_OK) memcpy(out->y, x->prices, p->class_count * sizeof *out->y);
    return status;
}

static karp_status read_branches(const karp_certificate *c, arena *a, bound_tree *out, karp_error *error)
{
    if (c->branch_count >= UINT32_MAX) return fail(error, KARP_E_LIMIT, "the certificate has too many branches");
    tree_node *nodes = arena_array(a, c->branch_count + 1, sizeof *nodes);
    if (nodes == NULL) return fail_nomem(error);
    for (size_t i = 0; i < c->branch_count; i++) {
        const karp_certificate_branch *x = &c->branches[i];
        tree_weight *weights = arena_array(a, x->weight_count + (size_t)1, sizeof *weights);
        if (weights == NULL) return fail_nomem(error);
        for (uint32_t n = 0; n < x->weight_count; n++)
            weights[n] = (tree_weight){ x->weights[n].prices, x->weights[n].weight };
        nodes[i] = (tree_node){ x->row, x->nodes, weights, x->weight_count };
    }
    out->nodes = nodes;
    out->node_count = (uint32_t)c->branch_count;
    return KARP_OK;
}

__attribute__((cold)) karp_status certificate_read_tree(arena *a, const karp_certificate *c, const bound_problem *p,
                                                        const bound_proof *proof, bound_tree *out, karp_error *error)
{
    amount value;
    proof_fault fault = { .kind = PROOF_HOLDS, .offer = UINT32_MAX, .class_ = UINT32_MAX };
    *out = (bound_tree){ .proof_count = (uint32_t)c->prices_count + 1 };
    if (c->prices_count >= TREE_PROOFS) return fail(error, KARP_E_LIMIT, "the certificate has too many prices");
    out->proofs = arena_array(a, out->proof_count, sizeof *out->proofs);
    if (out->proofs == NULL) return fail_nomem(error);
    out->proofs[0] = *proof;
    for (uint32_t i = 1; i < out->proof_count; i++) {
        karp_status status = read_prices(c, i - 1, p, a, &out->proofs[i], error);
        if (status != KARP_OK) return status;
        if (!proof_holds(a->context, p, &out->proofs[i], &value, &fault)) return certificate_fault(error, &fault);
    }
    return read_branches(c, a, out, error);
}

__attribute__((cold)) karp_status certificate_judge_tree(arena *a, const karp_certificate *c, const bound_problem *p,
                                                         const bound_proof *proof, karp_error *error)
{
    bound_tree tree;
    proof_fault fault = { .offer = UINT32_MAX, .class_ = UINT32_MAX };
    karp_status status = certificate_read_tree(a, c, p, proof, &tree, error);
    if (status != KARP_OK) return status;
    int64_t least = 0;
    fault.kind = tree_least(a->context, p, &tree, c->value, &least);
    if (fault.kind != PROOF_HOLDS) return certificate_fault(error, &fault);
    if (least >= c->value) return KARP_OK;
    return fail(error, KARP_E_INVALID, "the certificate claims %lld and proves %lld (10^-12 $/h)", (long long)c->value,
                (long long)least);
}

/* ---- choosing a tree --------------------------------------------------------------------------------------------- */

__attribute__((cold)) bool certificate_choose_proofs(arena *a, const bound_tree *from, const bound_proof *own,
                                                     bound_tree *out)
{
    uint32_t now[TREE_PROOFS] = { 0 }, count = 1;
    bool used[TREE_PROOFS] = { false };
    *out = (bound_tree){ .proofs = arena_array(a, TREE_PROOFS, sizeof *out->proofs), .node_count = from->node_count };
    tree_node *nodes = arena_copy(a, from->nodes, from->node_count * sizeof *nodes);
    if (out->proofs == NULL || nodes == NULL) return false;
    for (uint32_t i = 0; i < from->node_count; i++) {
        for (uint32_t n = 0; n < nodes[i].weight_count; n++) used[nodes[i].weights[n].proof] = true;
    }
    out->proofs[0] = *own;
    for (uint32_t k = 0; k < from->proof_count; k++) {
        if (!used[k] || from->proofs[k].y == own->y) continue;
        if (count == TREE_PROOFS) return true;
        now[k] = count;
        out->proofs[count++] = from->proofs[k];
    }
    out->proof_count = count;
    for (uint32_t i = 0; i < from->node_count; i++) {
        tree_weight *weights = arena_copy(a, nodes[i].weights, nodes[i].weight_count * sizeof *weights);
        if (weights == NULL) return false;
        for (uint32_t n = 0; n < nodes[i].weight_count; n++) weights[n].proof = now[weights[n].proof];
        nodes[i].weights = weights;
    }
    out->nodes = nodes;
    return true;
}

__attribute__((cold)) bool certificate_take_tree(arena *a, const bound_tree *from, round_bound *out)
{
    int64_t value, least = 0;
    bound_tree tree;
    if (from->nodes == NULL || out->value >= MOST_LEAST / 2) return true;
    if (!certificate_choose_proofs(a, from, &from->proofs[0], &tree)) return false;
    for (uint32_t i = 0; i < tree.proof_count; i++) {
        if (!certificate_find_value(a->context, &out->problem, &tree.proofs[i], &value)) return false;
        if (value == 0) return true;
    }
    enum proof_verdict verdict = tree_least(a->context, &out->problem, &tree, 2 * out->value, &least);
    if (verdict != PROOF_HOLDS || least <= out->value) return verdict != PROOF_NO_MEMORY;
    out->proof = tree.proofs[0];
    out->tree = tree;
    out->value = least;
    return true;
}
