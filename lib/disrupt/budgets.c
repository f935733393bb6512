/* SPDX-License-Identifier: Apache-2.0 */
#include <disrupt/budgets.h>
#include <disrupt/methods.h>

#include <base/error.h>
#include <base/strbuf.h>
#include <base/cron.h>
#include <base/duration.h>

enum { MOST_HITS = 4096 };

/* Go's Atoi: a number beyond the range of int64 is invalid. */
static bool whole_number(const char *text, size_t length, int64_t *out)
{
    size_t i = length > 0 && (text[0] == '+' || text[0] == '-') ? 1 : 0;
    uint64_t value = 0;
    if (i == length) return false;
    for (; i < length; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        uint64_t digit = (uint64_t)(text[i] - '0');
        if (value > ((uint64_t)INT64_MAX - digit) / 10) return false;
        value = value * 10 + digit;
    }
    *out = text[0] == '-' ? -(int64_t)value : (int64_t)value;
    return true;
}

/* "3" or "10%" of a total; percentages are rounded up. */
static bool nodes_allowed(karp_str text, int64_t total, int64_t *out)
{
    int64_t percent;
    if (text.len == 0) text = (karp_str){ "10%", 3 };
    if (whole_number(text.ptr, text.len, out)) return true;
    if (text.ptr[text.len - 1] != '%' || !whole_number(text.ptr, text.len - 1, &percent)) return false;
    const int64_t most =
        INT64_C(1) << 31; /* keeps the product within int64; any such percentage is more than all nodes */
    if (percent > most) percent = most;
    if (percent < -most) percent = -most;
    int64_t product = percent * total;
    *out = product > 0 ? (product + 99) / 100 : product / 100;
    return true;
}

static int64_t length_of(const budget *b)
{
    return b->duration == KARP_DURATION_UNSET || b->duration < 0 ? 0 : b->duration;
}

bool budget_allows(const budget *b, int64_t total, int64_t now, bool never_is_always, int64_t *allowed)
{
    if (budget_scheduled(b)) {
        cron schedule;
        int64_t hit;
        if (!cron_parse(b->schedule.ptr, b->schedule.len, &schedule)) return false;
        bool some = cron_next(&schedule, instant_after(now, -length_of(b)), &hit);
        if (some ? hit > now : !never_is_always) {
            *allowed = BUDGET_UNLIMITED;
            return true;
        }
    }
    return nodes_allowed(b->nodes, total, allowed);
}

/* With D-Q2 an empty list of reasons applies to no reason. */
static bool applies(const budget *b, uint32_t reason, uint64_t quirks)
{
    if (!b->has_reasons || (b->reasons & reason) != 0) return true;
    return b->reasons == 0 && ((quirks >> 1) & 1) == 0;
}

/* Work counted for each budget: its schedule is searched over years of days. */
enum { OF_A_BUDGET = 4096 };

int64_t pool_allows(const node_pool *pool, uint32_t reason, int64_t total, int64_t now, uint64_t quirks,
                    karp_context *context, uint32_t *tightest)
{
    int64_t allowed = BUDGET_UNLIMITED, one;
    bool broken = false;
    *tightest = KARP_NO_BUDGET;
    for (uint32_t i = 0; i < pool->budget_count; i++) {
        if (context != NULL && !mem_work(context, OF_A_BUDGET)) return 0;
        const budget *b = &pool->budgets[i];
        bool mine = applies(b, reason, quirks);
        if (!budget_allows(b, total, now, quirks & 1, &one)) {
            bool counts = mine || ((quirks >> 1) & 1); /* D-Q2: whatever its reasons are */
            if (counts && !broken) *tightest = i;
            broken = broken || counts;
            continue;
        }
        if (!mine || one >= allowed) continue;
        allowed = one;
        if (!broken) *tightest = i;
    }
    return broken ? 0 : allowed;
}

/* The end of the window that is open at `now`, or the next opening. Overlapping windows count as one. The search
 * through them is limited, so the result may be too early. */
static int64_t next_edge(const budget *b, int64_t now)
{
    cron schedule;
    int64_t hit, next;
    if (!budget_scheduled(b) || !cron_parse(b->schedule.ptr, b->schedule.len, &schedule)) return KARP_NO_TIME;
    if (!cron_next(&schedule, instant_after(now, -length_of(b)), &hit)) return KARP_NO_TIME;
    if (hit > now) return length_of(b) == 0 ? KARP_NO_TIME : hit;
    int64_t end = instant_after(hit, length_of(b));
    for (int i = 0; i < MOST_HITS && cron_next(&schedule, hit, &next) && next <= end; i++) {
        hit = next;
        end = instant_after(hit, length_of(b));
    }
    return end == INT64_MAX ? KARP_NO_TIME : end;
}

int64_t pool_next_change(const node_pool *pool, uint32_t reason, int64_t now, uint64_t quirks, karp_context *context)
{
    int64_t first = KARP_NO_TIME;
    for (uint32_t i = 0; i < pool->budget_count; i++) {
        if (context != NULL && !mem_work(context, OF_A_BUDGET)) return KARP_NO_TIME;
        if (!applies(&pool->budgets[i], reason, quirks)) continue;
        int64_t edge = next_edge(&pool->budgets[i], now);
        if (edge != KARP_NO_TIME && (first == KARP_NO_TIME || edge < first)) first = edge;
    }
    return first;
}

static bool rebooting(const pass *p, const state_node *n) { return n->rebooting && pass_rule(p, RULE_REBOOTING); }

/* Whether budgets count the node. */
static bool in_budgets(const pass *p, const state_node *n)
{
    return n->managed && n->pool != NO_ID && (n->initialized || rebooting(p, n)) && !n->terminating;
}

/* KARP_BUSY_*; 0 = the node does not count as disrupted. */
static uint32_t busy_with(const pass *p, const state_node *n, bool repair)
{
    if (n->marked) return KARP_BUSY_DELETING;
    if (rebooting(p, n)) return KARP_BUSY_REBOOTING;
    return !repair && !n->ready ? KARP_BUSY_NOT_READY : 0;
}

/* Counts the nodes of each pool, and those that its budgets already count as disrupted. NULL = out of memory. */
static const struct pool_nodes *count_nodes(pass *p, bool repair)
{
    const karp_snapshot *s = p->snapshot;
    struct pool_nodes *counts = repair ? NULL : p->budgets.nodes;
    if (counts != NULL) return counts;
    counts = arena_array(&p->lasting, s->raw.pools.count + 1, sizeof *counts);
    for (uint32_t i = 0; counts != NULL && i < s->node_count; i++) {
        const state_node *n = &s->nodes[i];
        if (!in_budgets(p, n)) continue;
        counts[n->pool].all++;
        counts[n->pool].busy += busy_with(p, n, repair) != 0;
    }
    if (!repair) p->budgets.nodes = counts;
    return counts;
}

karp_status pass_budgets(pass *p, karp_error *error)
{
    const karp_snapshot *s = p->snapshot;
    size_t pools = s->raw.pools.count;
    uint32_t reason = p->how->budget; /* 0: budgets that have reasons do not apply */
    /* For repair, nodes that are not ready do not count as disrupted. */
    p->budgets.counted = count_nodes(p, reason == KARP_BUDGET_UNHEALTHY);
    p->budgets.remaining = arena_array(&p->data, pools + 1, sizeof *p->budgets.remaining);
    p->budgets.next_change = arena_array(&p->data, pools + 1, sizeof *p->budgets.next_change);
    p->budgets.allowed = arena_array(&p->data, pools + 1, sizeof *p->budgets.allowed);
    if (p->budgets.counted == NULL || p->budgets.remaining == NULL || p->budgets.next_change == NULL ||
        p->budgets.allowed == NULL)
        return fail_nomem(error);
    p->budgets.known = 0;
    for (size_t i = 0; i < pools && !p->own_context.stop_noted; i++) {
        const node_pool *pool = &s->raw.pools.items[i];
        struct pool_allowance *a = &p->budgets.allowed[i];
        int64_t all = p->budgets.counted[i].all, busy = p->budgets.counted[i].busy;
        a->most = pool_allows(pool, reason, all, p->now, p->quirks, p->context, &a->tightest);
        p->budgets.remaining[i] = a->most > busy ? a->most - busy : 0;
        p->budgets.next_change[i] = pool_next_change(pool, reason, p->now, p->quirks, p->context);
        p->budgets.known++;
    }
    return p->own_context.stop_noted && !p->own_context.gentle ? fail_nomem(error) : KARP_OK;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Lists the nodes that use up budgets. `next`: by pool where its next one goes, NULL = its row has no list. */
static void list_busy(const pass *p, karp_busy_node **next)
{
    const karp_snapshot *s = p->snapshot;
    for (uint32_t i = 0; i < s->node_count; i++) {
        const state_node *n = &s->nodes[i];
        if (!in_budgets(p, n) || next[n->pool] == NULL) continue;
        uint32_t code = busy_with(p, n, p->method == KARP_METHOD_REPAIR);
        if (code != 0) *next[n->pool]++ = (karp_busy_node){ name_of(s, n->name), code, 0 };
    }
}

bool budget_rows(const pass *p, karp_decision *d)
{
    const karp_snapshot *s = p->snapshot;
    size_t pools = s->raw.pools.count;
    const uint32_t *order = pools_by_name(s, &d->data);
    karp_busy_node **next = arena_array(&d->data, pools + 1, sizeof *next);
    if (order == NULL || next == NULL) return false;
    for (size_t i = 0; i < pools; i++) {
        uint32_t pool = order[i];
        if (pool >= p->budgets.known) continue;
        karp_pool_budget *row = list_push(d->context, &d->budgets, sizeof *row);
        if (row == NULL) return false;
        *row = (karp_pool_budget){ .size = sizeof *row,
                                   .node_pool = pool_name(s, pool),
                                   .remaining = p->budgets.remaining[pool],
                                   .next_change = p->budgets.next_change[pool],
                                   .allowed = p->budgets.allowed[pool].most,
                                   .tightest = p->budgets.allowed[pool].tightest,
                                   .nodes = (uint32_t)p->budgets.counted[pool].all,
                                   .schedule = { "", 0 } };
        if (row->tightest != KARP_NO_BUDGET) {
            const budget *rule = &s->raw.pools.items[pool].budgets[row->tightest];
            if (rule->schedule.len > 0) row->schedule = rule->schedule;
            if (rule->duration != KARP_DURATION_UNSET) row->duration = rule->duration;
        }
        if (row->allowed <= row->remaining || p->commands_only) continue;
        row->busy_count = (size_t)p->budgets.counted[pool].busy;
        row->busy = next[pool] = arena_array(&d->data, row->busy_count, sizeof **next);
        if (row->busy == NULL) return false;
    }
    list_busy(p, next);
    return true;
}

/* ---- budgets that cannot be evaluated ---------------------------------------------------------------------------- */

static void describe_broken(strbuf *text, karp_str pool_name, uint32_t number, const budget *b)
{
    strbuf_put(text, "NodePool ", pool_name, ": spec.disruption.budgets[");
    strbuf_addu(text, number);
    strbuf_put(text, "] cannot be evaluated (nodes \"", b->nodes, "");
    if (budget_scheduled(b)) {
        strbuf_put(text, "\", schedule \"", b->schedule, "");
    }
    strbuf_adds(text, "\"): it allows no disruption");
}

static bool note_broken(const pass *p, karp_decision *d, karp_str pool_name, const node_pool *pool)
{
    int64_t allowed;
    uint32_t i = 0;
    for (; i < pool->budget_count && budget_allows(&pool->budgets[i], 0, p->now, true, &allowed); i++) {
        if (!mem_work(p->context, OF_A_BUDGET)) return false;
    }
    if (i == pool->budget_count) return true;
    strbuf text = strbuf_on(d->context);
    describe_broken(&text, pool_name, i, &pool->budgets[i]);
    bool ok = !text.failed && decision_warn(d, text.ptr, text.len);
    strbuf_free(&text);
    return ok;
}

bool budgets_note_broken(const pass *p, karp_decision *d)
{
    const karp_snapshot *s = p->snapshot;
    for (size_t i = 0; i < s->raw.pools.count; i++) {
        const node_pool *pool = &s->raw.pools.items[i];
        if (!note_broken(p, d, name_of(s, pool->meta.name), pool)) return false;
    }
    return true;
}

bool keep_within_budget(pass *p, uint32_t *order, uint32_t count, uint32_t *kept)
{
    size_t pools = p->snapshot->raw.pools.count;
    int64_t *left = mem_alloc(p->context, (pools + 1) * sizeof *left);
    bool ok = left != NULL;
    *kept = 0;
    if (ok && pools > 0) memcpy(left, p->budgets.remaining, pools * sizeof *left);
    for (uint32_t i = 0; ok && i < count; i++) {
        const candidate *c = &p->found.candidates[order[i]];
        if (left[c->pool] > 0) {
            left[c->pool]--;
            order[(*kept)++] = order[i];
        } else {
            p->budgets.constrained = true;
            ok = pass_keep(p, c->node, KARP_REASON_BUDGET, name_of(p->snapshot, pool_of(p, c)->meta.name));
        }
    }
    mem_free(p->context, left, (pools + 1) * sizeof *left);
    return ok;
}

/* ---- claims of a pool, and its node limit ------------------------------------------------------------------------ */

/* A claim is marked if its state node is. A claim without a state node counts as active even if it is being deleted. */
pool_counters count_claims(const karp_snapshot *s, uint32_t pool)
{
    pool_counters k = { 0, 0 };
    for (size_t i = 0; i < s->raw.claims.count; i++)
        k.active += label_get(s->raw.claims.items[i].meta.labels, s->known.node_pool) == s->pool_names[pool].name;
    for (uint32_t i = 0; i < s->node_count; i++) {
        const state_node *n = &s->nodes[i];
        if (!n->marked || n->claim == NO_ID) continue;
        k.deleting += label_get(s->raw.claims.items[n->claim].meta.labels, s->known.node_pool) ==
                      s->pool_names[pool].name;
    }
    k.active -= k.deleting;
    return k;
}

int64_t node_room(const node_pool *pool, pool_counters k)
{
    const resource_amount *limit = resource_list_find(pool->limits, RESOURCE_NODES);
    amount whole;
    uint64_t rest;
    int64_t nodes;
    if (limit == NULL) return INT64_MAX;
    if (amount_sign(limit->value) <= 0) return 0;
    amount_divide(limit->value, (uint64_t)AMOUNT_NANO, &whole, &rest);
    if (!amount_scale(whole, amount_from(1), &nodes)) return INT64_MAX;
    int64_t left = nodes - (k.active + k.deleting);
    return left > 0 ? left : 0;
}
