/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/spread_run.h>

#include <schedule/label_groups.h>
#include <schedule/rounds.h>
#include <schedule/scheduler.h>

static const group *group_of(const scheduler *s, uint32_t number) { return &s->topology.groups.items[number]; }

static bool other_rules(const scheduler *s, const view *v)
{
    for (uint32_t i = 0; i < v->owned_count; i++) {
        if (v->owned[i].host || group_of(s, v->owned[i].group)->kind != GROUP_SPREAD) return true;
        for (uint32_t k = 0; k < i && !quirk(s, 32); k++) { /* without the quirk, constraints choose together */
            if (group_of(s, v->owned[k].group)->key == group_of(s, v->owned[i].group)->key) return true;
        }
    }
    return false;
}

bool spread_run_applies(const scheduler *s, const view *v)
{
    const class_state *c = &s->pods.classes[v->class_];
    const label_group *k = &s->topology.label_groups.items[c->label_group];
    if (v->owned_count == 0 || v->owned_count > SPREAD_RULES || other_rules(s, v)) return false;
    if (c->inverse_count > 0 || k->barred_count > 0 || k->counted_count >= COUNTED_TOGETHER) return false;
    if (s->claims.buckets.count >= MOST_BUCKETS || s->round.there) return false;
    for (uint32_t i = 0; i < k->counted_count; i++) {
        if (group_of(s, k->counted_by[i])->selective) return false;
    }
    return true;
}

/* ---- what is known of a bucket ----------------------------------------------------------------------------------- */

/* The domain in which the group sees the claims of a bucket. *there: what they require of its key, NO_ID = nothing.
 * NO_ID = not exactly one domain. */
static uint32_t domain_of_set(scheduler *s, const group *g, uint32_t set, uint32_t *there)
{
    uint32_t key = s->topology.keys[g->key].key, domain = NO_ID;
    *there = set_get(&s->algebra, set, key);
    uint32_t value = topology_only_value(s, g, *there, &domain);
    return value != NO_TEXT && requirement_in(&s->algebra, key, value) == *there ? domain : NO_ID;
}

static void read_bucket(scheduler *s, spread_run *r, uint32_t bucket)
{
    uint32_t set = s->claims.buckets.items[bucket].set, there;
    r->unknown[bucket] = false;
    for (uint32_t i = 0; i < r->rule_count; i++) {
        struct spread_rule *rule = &r->rules[i];
        rule->domains[bucket] = domain_of_set(s, group_of(s, rule->group), set, &there);
        r->unknown[bucket] = r->unknown[bucket] || rule->domains[bucket] == NO_ID;
    }
    for (uint32_t i = 0; i < r->counted->counted_count; i++) {
        const group *g = group_of(s, r->counted->counted_by[i]);
        if (g->host) continue;
        r->count_in[i][bucket] = domain_of_set(s, g, set, &there);
        r->unknown[bucket] = r->unknown[bucket] || (r->count_in[i][bucket] == NO_ID && there != NO_ID);
    }
}

static bool measure(scheduler *s, struct spread_rule *rule)
{
    const group *g = group_of(s, rule->group);
    size_t domains = s->topology.keys[g->key].count;
    if (!scheduler_worked(s, domains * 8)) return mem_refused(&s->failed);
    rule->least = spread_least(g, rule->own, domains);
    return true;
}

bool spread_run_begin(scheduler *s, const view *v, spread_run *r)
{
    r->rule_count = v->owned_count;
    r->counted = &s->topology.label_groups.items[s->pods.classes[v->class_].label_group];
    for (uint32_t i = 0; i < r->rule_count; i++) {
        const group *g = group_of(s, v->owned[i].group);
        uint32_t own = set_get(&s->algebra, v->strict.set, s->topology.keys[g->key].key);
        r->rules[i].group = v->owned[i].group;
        r->rules[i].self = v->owned[i].self;
        r->rules[i].own = domain_mask(s, g->key, own);
        if (r->rules[i].own == NULL || !measure(s, &r->rules[i])) return false;
    }
    for (uint32_t i = 0; i < s->claims.buckets.count; i++) read_bucket(s, r, i);
    return !s->failed && !s->algebra.failed;
}

/* ---- one pod ----------------------------------------------------------------------------------------------------- */

static bool admits(const scheduler *s, const spread_run *r, uint32_t bucket)
{
    for (uint32_t i = 0; i < r->rule_count && !r->unknown[bucket]; i++) {
        const struct spread_rule *rule = &r->rules[i];
        const group *g = group_of(s, rule->group);
        uint32_t domain = rule->domains[bucket];
        if (!group_knows(g, domain) || g->counts[domain] + (int64_t)rule->self - rule->least > g->max_skew)
            return false;
    }
    return true;
}

void spread_run_search(scheduler *s, const spread_run *r)
{
    s->claims.run.bucket = NO_ID;
    for (uint32_t i = 0; i < s->claims.buckets.count; i++) {
        requirement_bucket *b = &s->claims.buckets.items[i];
        b->at = b->from;
        b->passed = !admits(s, r, i);
    }
}

void spread_run_count(scheduler *s, spread_run *r, uint32_t bucket, uint32_t host_number)
{
    for (uint32_t i = 0; i < r->counted->counted_count && !s->failed; i++) {
        uint32_t number = r->counted->counted_by[i],
                 domain = group_of(s, number)->host ? host_number : r->count_in[i][bucket];
        if (domain != NO_ID) (void)round_count(s, number, domain);
    }
    for (uint32_t i = 0; i < r->rule_count && !s->failed; i++) {
        struct spread_rule *rule = &r->rules[i];
        /* Only a domain that had the least can have raised it. */
        if (group_of(s, rule->group)->counts[rule->domains[bucket]] - 1 <= rule->least) (void)measure(s, rule);
    }
}
