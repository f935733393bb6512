/* SPDX-License-Identifier: Apache-2.0 */
/* The proof of a repack plan's bounds as a certificate, and checking such a certificate against its snapshot. */
#include <optimise/repack.h>

#include <base/error.h>
#include <base/sort.h>
#include <inttypes.h>

/* ---- the description of the cluster ------------------------------------------------------------------------------ */

/* The number of pods of each class that removing the node moves. */
static bool list_copies(const repacking *r, const candidate *c, arena *a, karp_certificate_member *out)
{
    karp_certificate_copies *list = arena_array(a, c->moving_count + (size_t)1, sizeof *list);
    size_t n = 0;
    if (list == NULL) return false;
    for (uint32_t i = 0; i < c->moving_count; i++)
        list[i] = (karp_certificate_copies){ repack_class_at(r, c->moving[i], c->node), 1 };
    if (!sort_stable(r->context, list, c->moving_count, sizeof *list, by_number, NULL)) return false;
    for (uint32_t i = 0; i < c->moving_count; i++) {
        if (n > 0 && list[n - 1].class_number == list[i].class_number) list[n - 1].count++;
        else list[n++] = list[i];
    }
    out->pods = list;
    out->pod_count = n;
    out->removable = 1;
    return true;
}

static bool list_members(const repacking *r, arena *a, karp_certificate *out)
{
    const relaxed *q = &r->bound.facts.question;
    karp_certificate_member *list = arena_array(a, r->seen->node_count + (size_t)1, sizeof *list);
    if (list == NULL) return false;
    for (uint32_t i = 0; i < r->seen->node_count; i++)
        list[i] = (karp_certificate_member){ .name = name_of(r->seen, r->seen->nodes[i].name),
                                             .cost = repack_node_cost(r, i),
                                             .node = KARP_CERTIFICATE_NO_NODE };
    for (uint32_t i = 0; i < q->node_count; i++) list[q->nodes[i]].node = i;
    for (uint32_t i = 0; i < r->p.found.eligible_count; i++) {
        const candidate *c = &r->p.found.candidates[r->p.found.eligible[i]];
        if (r->bound.removable[c->node] && !list_copies(r, c, a, &list[c->node])) return false;
    }
    out->members = list;
    out->member_count = r->seen->node_count;
    return true;
}

static bool fill(const repacking *r, arena *a, karp_certificate *out)
{
    const karp_certificate_point *points = arena_copy(a, r->proven.items, r->proven.count * sizeof *points);
    if (points == NULL || !certificate_fill(r->seen, r->s, &r->bound.facts, a, out) || !list_members(r, a, out))
        return false;
    out->points = points;
    out->point_count = r->proven.count;
    out->value = points[out->point_count - 1].value;
    out->ignore_budgets = r->options.ignore_budgets != 0;
    out->ignore_consolidate_after = r->options.ignore_consolidate_after != 0;
    return true;
}

bool repack_certify(repacking *r, karp_decision *d)
{
    if (r->proven.count == 0 || r->options.in_progress_count > 0) return true;
    karp_bound *bound = mem_zalloc(r->seen->context, sizeof *bound);
    if (bound == NULL) return false;
    arena_init(&bound->data, r->seen->context);
    bound->snapshot = snapshot_hold(r->seen);
    d->bound = bound; /* the decision frees it */
    return fill(r, &bound->data, &bound->certificate);
}

/* ---- checking ---------------------------------------------------------------------------------------------------- */

static bool same_member(const karp_certificate_member *a, const karp_certificate_member *b)
{
    bool same = compare_str(a->name, b->name) == 0 && a->cost == b->cost && a->node == b->node &&
                a->removable == b->removable && a->pod_count == b->pod_count;
    for (size_t i = 0; same && i < b->pod_count; i++)
        same = a->pods[i].class_number == b->pods[i].class_number && a->pods[i].count == b->pods[i].count;
    return same;
}

static karp_status compare_members(const repacking *r, const karp_certificate *c, arena *a)
{
    karp_certificate is = { .size = sizeof is };
    if (!list_members(r, a, &is)) return fail_nomem(r->error);
    if (c->member_count != is.member_count)
        return certificate_differs(r->error, "number of nodes of the cluster,", c->member_count);
    for (size_t i = 0; i < is.member_count; i++) {
        if (!same_member(&c->members[i], &is.members[i]))
            return certificate_differs(r->error, "node of the cluster", i);
    }
    return KARP_OK;
}

/* *proven: what the tree of the certificate proves of every plan, at most what a point claims; 0 = nothing. */
static karp_status judge_tree(repacking *r, const karp_certificate *c, int64_t *proven)
{
    const round_bound *f = &r->bound.facts;
    int64_t most = 0;
    bound_tree tree;
    *proven = 0;
    for (size_t i = 0; i < c->point_count; i++) most = c->points[i].value > most ? c->points[i].value : most;
    if (c->branch_count == 0) return KARP_OK;
    karp_status status = certificate_read_tree(&r->data, c, &f->problem, &f->proof, &tree, r->error);
    return status != KARP_OK || repack_tree_proves(r, &tree, most, proven) ? status : fail_nomem(r->error);
}

static karp_status judge_points(repacking *r, const karp_certificate *c)
{
    int64_t by_tree;
    karp_status status = judge_tree(r, c, &by_tree);
    if (status != KARP_OK) return status;
    for (size_t i = 0; i < c->point_count; i++) {
        const karp_certificate_point *p = &c->points[i];
        int64_t proven = 0;
        bool possible = p->part >= 0 && p->part <= KARP_CERTIFICATE_WHOLE && p->eviction_price >= 0;
        if (!possible || !repack_bound_proves(&r->bound, p, &proven))
            return fail(r->error, KARP_E_INVALID, "point %zu of the certificate has impossible numbers", i);
        if (by_tree > proven) proven = by_tree;
        if (p->value > proven && !repack_counts_prove(r->context, &r->bound, p, p->value, &proven))
            return fail_nomem(r->error);
        if (p->value > proven)
            return fail(r->error, KARP_E_INVALID,
                        "point %zu of the certificate claims %" PRId64 " and proves %" PRId64 " (10^-12 $/h)", i,
                        p->value, proven);
    }
    if (c->point_count == 0 || c->value > c->points[c->point_count - 1].value)
        return fail(r->error, KARP_E_INVALID, "the certificate claims more than its last point");
    return KARP_OK;
}

karp_status repack_certificate_holds(repacking *r, const karp_certificate *c)
{
    round_bound *f = &r->bound.facts;
    if (!repack_bound_facts(r) || !repack_bound_limits(r)) return fail_nomem(r->error);
    if (!r->bound.exact)
        return fail(r->error, KARP_E_INVALID, "the cluster has too many nodes and classes of pods for a certificate");
    karp_status status = certificate_proof(r->s, r->seen, f, c, &r->data, &f->proof, r->error);
    if (status != KARP_OK) return status;
    amount value, *spent = arena_array(&r->data, f->question.node_count + (size_t)1, sizeof *spent), *spaces;
    proof_fault fault;
    if (spent == NULL) return fail_nomem(r->error);
    if (!proof_holds_for(r->context, &f->problem, &f->proof, &value, spent, &fault))
        return certificate_fault(r->error, &fault);
    spaces = repack_bound_spaces(r, spent);
    if (spaces == NULL || !repack_bound_fill(r, spaces)) return fail_nomem(r->error);
    status = compare_members(r, c, &r->data);
    return status == KARP_OK ? judge_points(r, c) : status;
}
