/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/movable.h>
#include <base/str.h>

#include <base/duration.h>
#include <model/taints.h>

bool pod_active(const pod *p) { return !pod_over(p) && p->deletion == KARP_NO_TIME; }

bool pod_provisionable(const pod *p)
{
    return p->node == NO_ID && (p->flags & POD_UNSCHEDULABLE) &&
           !(p->flags & (POD_NOMINATED | POD_OF_DAEMON_SET | POD_OF_NODE));
}

bool pod_reschedulable(const pod *p)
{
    if (p->flags & (POD_OF_DAEMON_SET | POD_OF_NODE)) return false;
    return pod_active(p) || ((p->flags & POD_OF_STATEFUL_SET) && p->deletion != KARP_NO_TIME);
}

bool pod_do_not_disrupt(const karp_snapshot *s, const pod *p, int64_t now)
{
    uint32_t value = store_marks(&s->raw, p)->do_not_disrupt;
    int64_t length;
    if (value == NO_ID) return false;
    if (value == s->known.true_) return true;
    karp_str text = text_of(s, value);
    if (!duration_parse(text.ptr, text.len, &length) || length <= 0) return false;
    return p->start == KARP_NO_TIME || now < p->start || (uint64_t)now - (uint64_t)p->start < (uint64_t)length;
}

bool pod_disruptable(const karp_snapshot *s, const pod *p, int64_t now)
{
    return !pod_active(p) || !pod_do_not_disrupt(s, p, now);
}

bool tolerates_disruption(const karp_snapshot *s, toleration_list list)
{
    const taint disrupted = { .key = s->known.disrupted, .value = NO_TEXT, .effect = s->known.no_schedule };
    return taint_tolerated(s, list, &disrupted);
}

bool pod_evictable(const karp_snapshot *s, uint32_t pod_number, int64_t now)
{
    const pod *p = pod_at(&s->raw, pod_number);
    return pod_active(p) && !(p->flags & POD_OF_NODE) &&
           !tolerates_disruption(s, s->raw.shapes.items[p->shape].tolerations) && !pod_do_not_disrupt(s, p, now);
}

static bool is_text(const karp_int_or_string *v, const char *text)
{
    return v->is_set && v->is_text && str_is(v->text, text);
}

static bool blocks(const disruption_budget *b, enum pdb_mode mode)
{
    if (mode == PDB_ZERO_DISRUPTIONS) return b->disruptions_allowed == 0;
    if (b->max_unavailable.is_set && !b->max_unavailable.is_text && b->max_unavailable.value == 0) return true;
    return is_text(&b->max_unavailable, "0%") || is_text(&b->min_available, "100%");
}

enum pdb_answer pod_pdb_check(const karp_snapshot *s, uint32_t pod_number, int64_t now, enum pdb_mode mode,
                              uint32_t *first)
{
    const pod *p = pod_at(&s->raw, pod_number);
    uint32_t matching = 0, found = NO_ID;
    if (s->raw.budgets.count == 0 || !pod_evictable(s, pod_number, now)) return PDB_ALLOWED;
    pdb_walk walk = pdbs_of(s, p);
    for (uint32_t i; (i = pdb_next(&walk)) != NO_ID; matching++) {
        if (i < found) found = i; /* NO_ID is more than any */
    }
    if (first != NULL) *first = found;
    if (matching != 1) return matching > 1 ? PDB_SEVERAL : PDB_ALLOWED;
    const disruption_budget *b = &s->raw.budgets.items[found];
    if (b->always_allow && (p->flags & POD_NOT_READY)) return PDB_ALLOWED;
    return blocks(b, mode) ? PDB_ONE_BLOCKS : PDB_ALLOWED;
}

int64_t claim_expires(const node_claim *c)
{
    if (c->meta.deletion != KARP_NO_TIME || c->expire_after == KARP_DURATION_UNSET ||
        c->expire_after == KARP_DURATION_NEVER)
        return KARP_NO_TIME;
    if (c->meta.creation == KARP_NO_TIME) return KARP_NO_TIME + 1; /* created at no known time */
    return instant_after(c->meta.creation, c->expire_after);
}

bool node_expired(const karp_snapshot *s, uint32_t node_number, int64_t now)
{
    uint32_t claim = s->nodes[node_number].claim;
    int64_t end = claim == NO_ID ? KARP_NO_TIME : claim_expires(&s->raw.claims.items[claim]);
    return end != KARP_NO_TIME && end <= now;
}

bool pod_holds_drain(const karp_snapshot *s, uint32_t pod_number, int64_t now)
{
    return !pod_disruptable(s, pod_at(&s->raw, pod_number), now) ||
           pod_pdb_check(s, pod_number, now, PDB_ZERO_DISRUPTIONS, NULL) != PDB_ALLOWED;
}

/* ---- budgets that never allow a disruption ----------------------------------------------------------------------- */

/* `all`: the number of its pods. */
static bool allows_none(const disruption_budget *b, uint64_t all)
{
    uint64_t meant;
    if (b->max_unavailable.is_set) return pods_of_amount(&b->max_unavailable, all, &meant) && meant == 0;
    return pods_of_amount(&b->min_available, all, &meant) && meant >= all;
}

const uint8_t *budgets_blocking(const karp_snapshot *s, arena *data)
{
    size_t count = s->raw.budgets.count;
    uint8_t *list = arena_array(data, count + 1, sizeof *list);
    uint64_t *pods = arena_array(data, count + 1, sizeof *pods);
    if (list == NULL || pods == NULL) return NULL;
    for (size_t i = 0; count > 0 && i < s->raw.pods.count; i++) {
        pdb_walk walk = pdbs_of(s, pod_at(&s->raw, i));
        for (uint32_t b; pod_active(walk.p) && (b = pdb_next(&walk)) != NO_ID;) pods[b]++;
    }
    for (size_t i = 0; i < count; i++)
        list[i] = allows_none(&s->raw.budgets.items[i], pods[i]) ||
                  blocks(&s->raw.budgets.items[i], PDB_FULLY_BLOCKING);
    return list;
}

bool pod_currently_reschedulable(const karp_snapshot *s, uint32_t pod_number, int64_t now,
                                 const uint8_t *blocking_budgets)
{
    const pod *p = pod_at(&s->raw, pod_number);
    uint32_t found = NO_ID;
    if (!pod_reschedulable(p) || !pod_disruptable(s, p, now)) return false;
    if (blocking_budgets == NULL) return pod_pdb_check(s, pod_number, now, PDB_FULLY_BLOCKING, NULL) == PDB_ALLOWED;
    enum pdb_answer answer = pod_pdb_check(s, pod_number, now, PDB_FULLY_BLOCKING, &found);
    if (answer != PDB_ALLOWED || found == NO_ID) return answer == PDB_ALLOWED;
    const disruption_budget *b = &s->raw.budgets.items[found];
    return blocking_budgets[found] == 0 || (b->always_allow && (p->flags & POD_NOT_READY));
}

bool under_consolidate_after(const karp_snapshot *s, const state_node *n, int64_t now)
{
    if (n->pool == NO_ID || n->claim == NO_ID) return false;
    int64_t after = s->raw.pools.items[n->pool].consolidate_after;
    if (after == KARP_DURATION_UNSET || after == KARP_DURATION_NEVER || after == 0) return false;
    const node_claim *claim_ = &s->raw.claims.items[n->claim];
    int64_t since = claim_->last_pod_event;
    if (since != KARP_NO_TIME && instant_after(since, after) <= now) return false; /* true for most nodes */
    const condition *c = condition_find(claim_->conditions, s->known.initialized_condition);
    if (c == NULL || c->status != s->known.status_true || !pool_usable(s, &s->raw.pools.items[n->pool])) return false;
    if (since == KARP_NO_TIME) since = c->since;
    return since != KARP_NO_TIME && instant_after(since, after) > now;
}
