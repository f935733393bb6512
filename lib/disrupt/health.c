/* SPDX-License-Identifier: Apache-2.0 */
#include <base/civil.h>
#include <disrupt/pass.h>

#include <base/sort.h>
#include <disrupt/advice.h>
#include <model/regex.h>

static const int64_t day = INT64_C(86400) * SECOND_NS;
enum { MOST_REBOOTS = 2 };

struct health {
    const node_repair *policies;
    uint32_t count, fallback; /* fallback: the policy without an expression */
    regex **reasons; /* by policy; NULL = the fallback policy */
    uint32_t *ranks; /* by policy: the rank of its priority */
};

struct health *health_new(pass *p)
{
    const store *raw = &p->snapshot->raw;
    struct health *h = arena_alloc(&p->data, sizeof *h);
    if (h == NULL) return NULL;
    *h = (struct health){ .policies = raw->repairs, .count = raw->repair_count };
    h->reasons = arena_array(&p->data, h->count + (size_t)1, sizeof *h->reasons);
    h->ranks = arena_array(&p->data, h->count + (size_t)1, sizeof *h->ranks);
    if (h->reasons == NULL || h->ranks == NULL) return NULL;
    for (uint32_t i = 0; i < h->count; i++) {
        const char *wrong;
        if (h->policies[i].reason.len == 0) h->fallback = i;
        else if ((h->reasons[i] = regex_compile(&p->data, h->policies[i].reason, &wrong)) == NULL) return NULL;
        for (uint32_t priority = 0; priority < h->policies[i].priority; priority++) {
            uint32_t k = 0;
            while (k < h->count && h->policies[k].priority != priority) k++;
            h->ranks[i] += k < h->count;
        }
    }
    return h;
}

static bool names(const node_repair *policy, const condition *c)
{
    return policy->condition == c->type && policy->status == c->status;
}

/* ---- one node ---------------------------------------------------------------------------------------------------- */

struct looking {
    pass *p;
    const struct health *h;
    int64_t created, rebooted; /* of the Node; end of its last reboot, NO_TIME = none */
    repair_verdict out;
    bool any;
};

static bool outdoes(const struct looking *l, const condition *c, const node_repair *policy, int64_t eligible)
{
    const repair_verdict *was = &l->out;
    if (!l->any) return true;
    if (policy->action != was->action) return policy->action == KARP_REPAIR_REPLACE;
    if (policy->priority != was->policy->priority) return policy->priority > was->policy->priority;
    if (eligible != was->eligible_at) return eligible < was->eligible_at;
    return compare_str(text_of(l->p->snapshot, c->type), text_of(l->p->snapshot, was->condition)) < 0;
}

/* Considers one match if its toleration duration has passed. */
static void weigh(struct looking *l, const condition *c, uint32_t number)
{
    const node_repair *policy = &l->h->policies[number];
    int64_t since = c->since == KARP_NO_TIME || (l->created != KARP_NO_TIME && l->created > c->since) ? l->created
                                                                                                      : c->since;
    if (since == KARP_NO_TIME) since = 0;
    if (l->rebooted != KARP_NO_TIME && l->rebooted > since) since = l->rebooted;
    int64_t eligible = instant_after(since, policy->toleration);
    if (eligible > l->p->now) return;
    double minutes = ((double)l->p->now - (double)eligible) / (60.0 * (double)SECOND_NS);
    double score = (double)l->h->ranks[number] + minutes / 30.0;
    int64_t bound = policy->termination_grace_period, before = l->out.bound;
    if (!l->any) l->out.bound = bound;
    else if (before == KARP_DURATION_UNSET || (bound != KARP_DURATION_UNSET && bound < before)) l->out.bound = bound;
    double highest = l->any && l->out.score > score ? l->out.score : score;
    if (outdoes(l, c, policy, eligible)) {
        l->out.policy = policy;
        l->out.action = policy->action;
        l->out.condition = c->type;
        l->out.reason = c->reason;
        l->out.eligible_at = eligible;
        l->out.fallback = number == l->h->fallback;
    }
    l->out.score = highest;
    l->any = true;
}

/* Considers every policy for the condition whose expression matches its reason; if there is none, the fallback
 * policy. */
static bool match(struct looking *l, const condition *c)
{
    const struct health *h = l->h;
    bool known = false, found = false, refused = false;
    for (uint32_t i = 0; i < h->count && !refused; i++) {
        if (!names(&h->policies[i], c)) continue;
        known = true;
        if (h->reasons[i] == NULL) continue;
        if (!regex_found(h->reasons[i], text_of(l->p->snapshot, c->reason), &l->p->data, &refused)) continue;
        found = true;
        weigh(l, c, i);
    }
    if (known && !found && !refused) weigh(l, c, h->fallback);
    return !refused;
}

static int by_time(const void *x, const void *y, const void *user)
{
    const int64_t *a = x, *b = y;
    (void)user;
    return (*a > *b) - (*a < *b);
}

/* Whether the claim has reached the limit of reboots within a day. A third reboot within a day is not counted. */
static bool rebooted_enough(pass *p, karp_str claim, bool *refused)
{
    const store *raw = &p->snapshot->raw;
    int64_t *times = arena_array(&p->data, raw->reboot_count + (size_t)1, sizeof *times);
    size_t n = 0, kept = 0, recent = 0;
    *refused = times == NULL;
    if (times == NULL) return false;
    for (uint32_t i = 0; i < raw->reboot_count; i++) {
        if (equal_str(raw->reboots[i].claim, claim)) times[n++] = raw->reboots[i].at;
    }
    *refused = !sort_stable(p->context, times, n, sizeof *times, by_time, NULL);
    for (size_t i = 0; i < n && !*refused; i++) {
        size_t before = 0;
        for (size_t k = 0; k < kept; k++) before += times[k] > times[i] - day;
        if (before < MOST_REBOOTS) times[kept++] = times[i];
    }
    for (size_t k = 0; k < kept; k++) recent += times[k] > p->now - day;
    return recent >= MOST_REBOOTS;
}

bool health_verdict(pass *p, const struct health *h, uint32_t number, const repair_verdict **out)
{
    const karp_snapshot *s = p->snapshot;
    const state_node *n = &s->nodes[number];
    const node *own = &s->raw.nodes.items[n->node];
    const node_claim *claim = &s->raw.claims.items[n->claim];
    const condition *reboot_ = condition_find(claim->conditions, s->known.rebooting);
    struct looking l = { .p = p, .h = h, .created = own->meta.creation, .rebooted = KARP_NO_TIME };
    bool refused = false;
    *out = NULL;
    if (reboot_ != NULL && reboot_->status == s->known.status_false) l.rebooted = reboot_->since;
    for (uint32_t i = 0; i < own->conditions.count; i++) {
        if (!match(&l, &own->conditions.items[i])) return false;
    }
    if (!l.any) return true;
    if (l.out.action == KARP_REPAIR_REBOOT && rebooted_enough(p, name_of(s, claim->meta.name), &refused)) {
        l.out.action = KARP_REPAIR_REPLACE;
        l.out.escalated = true;
    }
    if (!refused) *out = arena_copy(&p->data, &l.out, sizeof l.out);
    return *out != NULL;
}

/* ---- pools ------------------------------------------------------------------------------------------------------- */

static bool unhealthy(const store *raw, const node *n)
{
    for (uint32_t c = 0; c < n->conditions.count; c++) {
        for (uint32_t i = 0; i < raw->repair_count; i++) {
            if (names(&raw->repairs[i], &n->conditions.items[c])) return true;
        }
    }
    return false;
}

bool *health_tripped(pass *p)
{
    const karp_snapshot *s = p->snapshot;
    bool *out = arena_array(&p->data, s->raw.pools.count + 1, sizeof *out);
    for (uint32_t pool = 0; pool < s->raw.pools.count && out != NULL; pool++) {
        uint64_t all = 0, sick = 0;
        for (size_t i = 0; i < s->raw.nodes.count; i++) {
            const node *n = &s->raw.nodes.items[i];
            if (label_get(n->meta.labels, s->known.node_pool) != s->pool_names[pool].name) continue;
            all++;
            sick += unhealthy(&s->raw, n);
        }
        out[pool] = sick > (all + 4) / 5;
    }
    return out;
}
