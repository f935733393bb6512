/* SPDX-License-Identifier: Apache-2.0 */
#include <disrupt/candidates.h>

#include <base/bits.h>
#include <base/error.h>
#include <base/sort.h>
#include <base/strbuf.h>
#include <disrupt/advice.h>
#include <disrupt/methods.h>
#include <disrupt/whole_groups.h>
#include <decision/methods.h>
#include <base/duration.h>
#include <model/selector.h>
#include <schedule/movable.h>

static const karp_str nothing = { "", 0 };

bool candidate_empty(const pass *p, const candidate *c)
{
    return pass_quirk(p, 8) ? c->cost <= 1.0 : c->moving_count == 0;
}

/* ---- what every method asks -------------------------------------------------------------------------------------- */

/* Karpenter recognises only "true" (D-Q21); without the quirk, a duration counts from the node's creation. */
static bool node_protected(const pass *p, const object *shown)
{
    const karp_snapshot *s = p->snapshot;
    int64_t length;
    uint32_t value = label_get(shown->annotations, s->known.do_not_disrupt);
    if (value == NO_ID) return false;
    if (value == s->known.true_) return true;
    karp_str text = text_of(s, value);
    if (pass_quirk(p, 21) || !duration_parse(text.ptr, text.len, &length) || length <= 0) return false;
    return p->now < instant_after(shown->creation, length);
}

static uint32_t node_exclusion(const pass *p, uint32_t number)
{
    const karp_snapshot *s = p->snapshot;
    const state_node *n = &s->nodes[number];
    if (p->nodes.in_queue != NULL && p->nodes.in_queue[number]) return KARP_REASON_IN_QUEUE;
    if (!n->managed) return KARP_REASON_NOT_MANAGED;
    if (n->node == NO_ID) return KARP_REASON_NO_NODE;
    if (n->rebooting && pass_rule(p, RULE_REBOOTING)) return KARP_REASON_REBOOTING;
    if (n->marked && pass_rule(p, RULE_CHECK_ORDER)) return KARP_REASON_DELETING;
    if (!n->initialized) return KARP_REASON_NOT_INITIALIZED;
    if (n->marked) return KARP_REASON_DELETING;
    if (n->nominated || (p->nodes.nominated != NULL && p->nodes.nominated[number])) return KARP_REASON_NOMINATED;
    if (n->annotated &&
        node_protected(p, n->registered ? &s->raw.nodes.items[n->node].meta : &s->raw.claims.items[n->claim].meta)) {
        return KARP_REASON_NODE_DO_NOT_DISRUPT;
    }
    if (n->pool_name == NO_ID) return KARP_REASON_NO_NODEPOOL_LABEL;
    return n->pool == NO_ID || s->pool_table[n->pool] == NO_ID ? KARP_REASON_NODEPOOL_NOT_FOUND : KARP_REASON_NONE;
}

/* The first blocking pod; protected pods take precedence over PodDisruptionBudgets. */
static struct block find_block(const pass *p, const state_node *n)
{
    const karp_snapshot *s = p->snapshot;
    for (uint32_t i = 0; i < n->all_pod_count && !n->plain_pods; i++) {
        uint32_t which = n->all_pods[i];
        if (!pod_disruptable(s, pod_at(&s->raw, which), p->now))
            return (struct block){ which, KARP_REASON_POD_DO_NOT_DISRUPT };
    }
    for (uint32_t i = 0; i < n->all_pod_count && s->raw.budgets.count > 0; i++) {
        uint32_t which = n->all_pods[i];
        enum pdb_answer answer = pod_pdb_check(s, which, p->now, PDB_ZERO_DISRUPTIONS, NULL);
        if (answer == PDB_SEVERAL) return (struct block){ which, KARP_REASON_PDB_MULTIPLE };
        if (answer != PDB_ALLOWED) return (struct block){ which, KARP_REASON_PDB_BLOCKED };
    }
    return (struct block){ NO_ID, KARP_REASON_NONE };
}

static void add_budget_name(strbuf *b, const karp_snapshot *s, const disruption_budget *pdb)
{
    strbuf_addname(b, text_of(s, pdb->meta.name_space), name_of(s, pdb->meta.name));
}

static int by_budget_name(uint32_t x, uint32_t y, const void *user)
{
    const karp_snapshot *s = user;
    const disruption_budget *a = &s->raw.budgets.items[x], *b = &s->raw.budgets.items[y];
    int order = compare_str(text_of(s, a->meta.name_space), text_of(s, b->meta.name_space));
    return order != 0 ? order : compare_str(name_of(s, a->meta.name), name_of(s, b->meta.name));
}

/* "db/db-0 (pdb db/db)": the pod, and every PodDisruptionBudget that covers it, by name. */
static bool keep_by_budget(pass *p, uint32_t number, const struct block *b)
{
    const karp_snapshot *s = p->snapshot;
    uint32_t *covering = arena_array(&p->data, s->raw.budgets.count + 1, sizeof *covering), count = 0;
    if (covering == NULL) return false;
    pdb_walk walk = pdbs_of(s, pod_at(&s->raw, b->pod));
    for (uint32_t i; (i = pdb_next(&walk)) != NO_ID;) covering[count++] = i;
    if (!sort_ids(p->context, covering, count, by_budget_name, s)) return false;
    strbuf text = strbuf_on(p->context);
    strbuf_addstr(&text, pod_name(s, b->pod));
    for (uint32_t i = 0; i < count; i++) {
        strbuf_adds(&text, i == 0 ? " (pdb " : ", ");
        add_budget_name(&text, s, &s->raw.budgets.items[covering[i]]);
    }
    strbuf_addc(&text, ')');
    bool ok = !text.failed && pass_keep(p, number, b->code, (karp_str){ text.ptr, text.len });
    strbuf_free(&text);
    return ok;
}

/* Repair ignores that a node is protected (K15-8). It also ignores that a registered node is not initialised, and then
 * skips the checks after that one. */
static uint32_t repair_exclusion(const pass *p, uint32_t number)
{
    const karp_snapshot *s = p->snapshot;
    const state_node *n = &s->nodes[number];
    uint32_t code = node_exclusion(p, number);
    if (code == KARP_REASON_IN_QUEUE) return code;
    if (n->managed && n->pool_name == NO_ID) return KARP_REASON_NO_NODEPOOL_LABEL;
    bool overlooked = (code == KARP_REASON_NOT_INITIALIZED && n->registered) || code == KARP_REASON_NODE_DO_NOT_DISRUPT;
    if (!overlooked) return code;
    return n->pool == NO_ID || s->pool_table[n->pool] == NO_ID ? KARP_REASON_NODEPOOL_NOT_FOUND : KARP_REASON_NONE;
}

/* Further reasons to exclude a node from repair: its health, an annotation, blocking pods when the drain has no time
 * limit. */
static bool exclude_from_repair(pass *p, uint32_t number, const struct health *h, const repair_verdict **verdict,
                                bool *excluded)
{
    const karp_snapshot *s = p->snapshot;
    const state_node *n = &s->nodes[number];
    struct block *b = &p->nodes.blocks[number];
    uint32_t code = repair_exclusion(p, number);
    *excluded = true;
    if (code != KARP_REASON_NONE) return pass_keep(p, number, code, nothing);
    if (!health_verdict(p, h, number, verdict)) return false;
    if (*verdict == NULL) return pass_keep(p, number, KARP_REASON_HEALTHY, nothing);
    if (label_get(s->raw.nodes.items[n->node].meta.annotations, s->known.do_not_repair) == s->known.true_)
        return pass_keep(p, number, KARP_REASON_DO_NOT_REPAIR, nothing);
    bool bounded = (*verdict)->bound != KARP_DURATION_UNSET ||
                   s->raw.claims.items[n->claim].termination_grace_period != KARP_DURATION_UNSET;
    if (!bounded && b->code == NO_ID) *b = find_block(p, n);
    *excluded = !bounded && b->code != KARP_REASON_NONE;
    if (!*excluded) return true;
    if (b->code == KARP_REASON_PDB_BLOCKED || b->code == KARP_REASON_PDB_MULTIPLE) return keep_by_budget(p, number, b);
    return pass_keep(p, number, b->code, pod_name(s, b->pod));
}

static bool exclude(pass *p, uint32_t number, bool *excluded)
{
    const state_node *n = &p->snapshot->nodes[number];
    uint32_t code = node_exclusion(p, number), which = NO_ID;
    struct block *b = &p->nodes.blocks[number];
    if (code == KARP_REASON_NONE &&
        !(p->how->eventual &&
          p->snapshot->raw.claims.items[n->claim].termination_grace_period != KARP_DURATION_UNSET)) {
        if (b->code == NO_ID) *b = find_block(p, n);
        code = b->code;
        which = b->pod;
    }
    /* Several nodes may be removed together: then the method finds out whether they have all of the group. */
    if (code == KARP_REASON_NONE && !whole_groups_together(p) && (which = whole_groups_pod(p, n)) != NO_ID)
        code = KARP_REASON_GROUP_ELSEWHERE;
    *excluded = code != KARP_REASON_NONE;
    if (code == KARP_REASON_NONE) return true;
    if (code == KARP_REASON_PDB_BLOCKED || code == KARP_REASON_PDB_MULTIPLE) return keep_by_budget(p, number, b);
    return pass_keep(p, number, code, which != NO_ID ? pod_name(p->snapshot, which) : nothing);
}

/* Determines which of the node's pods move, and the costs of evicting them and all pods. */
static bool weigh_pods(pass *p, const state_node *n, candidate *c)
{
    const karp_snapshot *s = p->snapshot;
    c->cost = 1.0;
    if (n->plain_pods) { /* all of them move, at cost 1 each */
        c->moving = n->all_pods;
        c->moving_count = n->all_pod_count;
        c->eviction_cost = n->all_pod_count;
        c->cost += c->eviction_cost;
        return true;
    }
    uint32_t *moving = arena_alloc(&p->lasting, (n->all_pod_count + (size_t)1) * sizeof *moving);
    if (moving == NULL) return false;
    c->moving = moving;
    for (uint32_t i = 0; i < n->all_pod_count; i++) {
        uint32_t pod_number = n->all_pods[i];
        double one = eviction_cost(s, p->costs, pod_number);
        c->eviction_cost += one;
        if (!pod_reschedulable(pod_at(&s->raw, pod_number))) continue;
        moving[c->moving_count++] = pod_number;
        c->cost = cost_with(c->cost, one);
    }
    return true;
}

static bool weigh(pass *p, uint32_t number, candidate *c)
{
    const karp_snapshot *s = p->snapshot;
    const state_node *n = &s->nodes[number];
    *c = (candidate){ .node = number, .pool = n->pool, .type = n->type };
    if (!weigh_pods(p, n, c)) return false;
    c->capacity_type = n->capacity_type;
    c->price = type_price(s, n, c->type, !pass_quirk(p, 10));
    c->ratio = c->price / c->cost;
    return true;
}

double candidate_disruption_cost(const pass *p, const candidate *c)
{
    const node_claim *own = &p->snapshot->raw.claims.items[p->snapshot->nodes[c->node].claim];
    return c->eviction_cost * lifetime_remaining(own->meta.creation, own->expire_after, p->now);
}

/* Fills a candidate; the result is the same for every method of a pass. */
static bool fill(pass *p, uint32_t number, candidate *c)
{
    if (!bits_test(p->nodes.is_weighed, number)) {
        if (!weigh(p, number, &p->nodes.weighed[number])) return false;
        bits_set(p->nodes.is_weighed, number);
    }
    *c = p->nodes.weighed[number];
    return true;
}

/* ---- what this method asks --------------------------------------------------------------------------------------- */

uint32_t eligible_to_consolidate(const pass *p, const candidate *c)
{
    const karp_snapshot *s = p->snapshot;
    if (c->type == NO_ID) return KARP_REASON_INSTANCE_TYPE_NOT_FOUND;
    if (c->capacity_type == NO_ID) return KARP_REASON_NO_CAPACITY_TYPE;
    if (s->nodes[c->node].zone == NO_ID) return KARP_REASON_NO_ZONE;
    if (pool_of(p, c)->consolidate_after == KARP_DURATION_NEVER) return KARP_REASON_CONSOLIDATION_DISABLED;
    if (candidate_empty(p, c)) return KARP_REASON_EMPTY_NODE;
    if (pool_of(p, c)->policy == KARP_WHEN_EMPTY) return KARP_REASON_POLICY_WHEN_EMPTY;
    return s->nodes[c->node].consolidatable ? KARP_REASON_NONE : KARP_REASON_NOT_CONSOLIDATABLE;
}

/* Repacking also removes empty nodes, by the rules of emptiness. */
uint32_t eligible_to_repack(const pass *p, const candidate *c)
{
    return candidate_empty(p, c) ? eligible_empty(p, c) : eligible_to_consolidate(p, c);
}

static uint32_t filter(const pass *p, const candidate *c)
{
    if (!p->how->static_pools && pool_of(p, c)->replicas >= 0) return KARP_REASON_STATIC;
    return p->how->eligible(p, c);
}

/* A PodDisruptionBudget with an invalid selector might cover any pod, so no node can be evaluated. Returns the
 * first such budget by name. */
static const disruption_budget *unreadable_budget(const karp_snapshot *s)
{
    uint32_t first = NO_ID;
    for (uint32_t i = 0; i < s->raw.budgets.count; i++) {
        const disruption_budget *b = &s->raw.budgets.items[i];
        if (b->selects == NULL || selector_valid(b->selects)) continue;
        if (first == NO_ID || by_budget_name(i, first, s) < 0) first = i;
    }
    return first == NO_ID ? NULL : &s->raw.budgets.items[first];
}

static bool keep_all(pass *p, const disruption_budget *b)
{
    static const char before[] = "the selector of PodDisruptionBudget ";
    const karp_snapshot *s = p->snapshot;
    strbuf text = strbuf_on(p->context);
    strbuf_adds(&text, before);
    add_budget_name(&text, s, b);
    size_t end = text.len;
    strbuf_adds(&text, " is not valid");
    char *message = text.failed ? NULL : arena_string(&p->data, text.ptr, text.len);
    bool ok = message != NULL;
    for (uint32_t i = 0; i < s->node_count && ok; i++) {
        ok = pass_keep(p, i, KARP_REASON_INVALID_PDB,
                       (karp_str){ message + sizeof before - 1, end - (sizeof before - 1) });
    }
    p->error_code = str("INVALID_PDB");
    p->error_message = ok ? (karp_str){ message, text.len } : nothing;
    strbuf_free(&text);
    return ok;
}

/* Where reasons to keep nodes are not needed: whether a node's claim alone can rule out this method. */
static bool claims_rule_out(const pass *p)
{
    return p->commands_only && !p->weighs_pools && p->how->claims != CLAIM_ANY;
}

/* What the node's claim is like. */
static unsigned in_question(const state_node *n)
{
    unsigned claims = n->drifted ? CLAIM_DRIFTED : 0;
    if (!n->consolidatable) return claims;
    claims |= CLAIM_CONSOLIDATABLE;
    return n->plain_pods ? claims : claims | CLAIM_MAYBE_EMPTY; /* plain pods move, so it is not empty */
}

/* Whether no node's claim allows the method. The nodes are looked at once a pass. */
static bool all_ruled_out(pass *p)
{
    if (!claims_rule_out(p)) return false;
    for (uint32_t i = 0; i < p->snapshot->node_count && !p->nodes.knows_in_question; i++)
        p->nodes.in_question |= in_question(&p->snapshot->nodes[i]);
    p->nodes.knows_in_question = true;
    return (p->nodes.in_question & p->how->claims) == 0;
}

static bool out_of_question(const pass *p, uint32_t number)
{
    if (p->nodes.only != NULL && !p->nodes.only[number]) return true;
    return claims_rule_out(p) && (in_question(&p->snapshot->nodes[number]) & p->how->claims) == 0;
}

/* Where reasons to keep nodes are not needed, single-node consolidation reuses the candidates of multi-node
 * consolidation. */
static bool take_over(pass *p)
{
    if (!p->commands_only || p->method != KARP_METHOD_SINGLE_NODE || p->both.candidates == NULL ||
        p->nodes.scattered != NULL)
        return false;
    p->found.candidates = p->both.candidates;
    p->found.candidate_count = p->both.candidate_count;
    p->found.eligible = p->both.eligible;
    p->found.eligible_count = p->both.eligible_count;
    return true;
}

static void hand_over(pass *p)
{
    if (p->method == KARP_METHOD_MULTI_NODE)
        p->both = (struct both_methods){ p->found.candidates, p->found.eligible, p->found.candidate_count,
                                         p->found.eligible_count };
}

static bool make_lists(pass *p)
{
    size_t most = p->snapshot->node_count + (size_t)1;
    arena *data = p->method == KARP_METHOD_MULTI_NODE ? &p->lasting : &p->data;
    p->found.candidates = arena_alloc(data, most * sizeof *p->found.candidates);
    p->found.eligible = arena_alloc(data, most * sizeof *p->found.eligible);
    return p->found.candidates != NULL && p->found.eligible != NULL;
}

karp_status pass_candidates(pass *p, karp_error *error)
{
    const karp_snapshot *s = p->snapshot;
    if (take_over(p)) return KARP_OK;
    p->found.candidates = NULL;
    p->found.eligible = NULL;
    p->found.candidate_count = p->found.eligible_count = 0;
    if (!p->commands_only) {
        p->found.stays = arena_array(&p->data, s->node_count + (size_t)1, sizeof *p->found.stays);
        if (p->found.stays == NULL) return fail_nomem(error);
    }
    const disruption_budget *unreadable = unreadable_budget(s);
    if (unreadable != NULL) return keep_all(p, unreadable) ? KARP_OK : fail_nomem(error);
    karp_status status = pass_buffer_nodes(p, error);
    if (status != KARP_OK || all_ruled_out(p)) return status;
    if (!make_lists(p)) return fail_nomem(error);
    const struct health *health = p->method == KARP_METHOD_REPAIR ? health_new(p) : NULL;
    if (p->method == KARP_METHOD_REPAIR && health == NULL) return fail_nomem(error);
    for (uint32_t i = 0; i < s->node_count; i++) {
        const repair_verdict *verdict = NULL;
        bool excluded = true;
        enum { AHEAD = 8 }; /* prefetch distance */
        if (i + AHEAD * 2 < s->node_count) __builtin_prefetch(&s->nodes[i + AHEAD * 2]);
        if (i + AHEAD < s->node_count && s->nodes[i + AHEAD].claim != NO_ID)
            __builtin_prefetch(&s->raw.claims.items[s->nodes[i + AHEAD].claim].meta.creation);
        if (out_of_question(p, i)) continue;
        bool ok = health != NULL ? exclude_from_repair(p, i, health, &verdict, &excluded) : exclude(p, i, &excluded);
        if (!ok) return fail_nomem(error);
        if (excluded) continue;
        candidate *c = &p->found.candidates[p->found.candidate_count];
        if (!fill(p, i, c)) return fail_nomem(error);
        c->repair = verdict;
        stay why = { filter(p, c), 0, nothing };
        /* Emptiness has already decided about this node: its reason to keep the node applies. */
        if (why.code == KARP_REASON_EMPTY_NODE && p->nodes.spared != NULL &&
            p->nodes.spared[i].code != KARP_REASON_NONE)
            why = p->nodes.spared[i];
        if (why.code == KARP_REASON_NONE) p->found.eligible[p->found.eligible_count++] = p->found.candidate_count;
        else if (!pass_keep(p, i, why.code, why.detail)) return fail_nomem(error);
        p->found.candidate_count++;
    }
    hand_over(p);
    return KARP_OK;
}

bool pass_keep(pass *p, uint32_t state_node_number, uint32_t code, karp_str detail)
{
    if (p->found.stays == NULL) return true;
    uint32_t pool = p->snapshot->nodes[state_node_number].pool;
    if (code == KARP_REASON_BUDGET && pool != NO_ID && pool >= p->budgets.known) {
        code = KARP_REASON_SEARCH_STOPPED;
        detail = nothing;
    }
    char *copy = detail.len == 0 ? NULL : arena_string(&p->data, detail.ptr, detail.len);
    if (detail.len > 0 && copy == NULL) return false;
    p->found.stays[state_node_number] = (stay){ code, 0, detail.len == 0 ? nothing : (karp_str){ copy, detail.len } };
    return true;
}

karp_status pass_keep_candidate(pass *p, uint32_t number, uint32_t code, karp_str detail, karp_error *error)
{
    return pass_keep(p, p->found.candidates[number].node, code, detail) ? KARP_OK : fail_nomem(error);
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

/* A number that is lower for a better ratio; both zeros map to the same number. */
static uint64_t ratio_number(double ratio)
{
    uint64_t bits;
    double of_one_zero = ratio + 0.0;
    memcpy(&bits, &of_one_zero, sizeof bits);
    return bits >> 63 ? bits : ~bits & (UINT64_MAX >> 1);
}

/* A stable sort: candidates with equal ratios stay in the order of names. */
static bool sort_by_ratio(pass *p, uint32_t *order, uint32_t count)
{
    uint64_t *numbers = arena_alloc(&p->data, (count + (size_t)1) * sizeof *numbers);
    for (uint32_t i = 0; numbers != NULL && i < count; i++)
        numbers[i] = ratio_number(p->found.candidates[order[i]].ratio);
    return numbers != NULL && sort_ids_by_numbers(p->context, order, numbers, count);
}

uint32_t *by_savings_ratio(pass *p)
{
    uint32_t *order = arena_array(&p->data, p->found.eligible_count + (size_t)1, sizeof *order);
    if (order == NULL) return NULL;
    /* Both consolidation methods have the same candidates. */
    bool sorted = p->method == KARP_METHOD_SINGLE_NODE && p->by_ratio != NULL;
    memcpy(order, sorted ? p->by_ratio : p->found.eligible,
           p->found.eligible_count * sizeof *order); /* there is at least one */
    if (!sorted && !sort_by_ratio(p, order, p->found.eligible_count)) return NULL;
    if (p->method == KARP_METHOD_MULTI_NODE)
        p->by_ratio = arena_copy(&p->lasting, order, p->found.eligible_count * sizeof *order);
    return order;
}
