/* SPDX-License-Identifier: Apache-2.0 */
#include <model/label_rules.h>
#include <base/names.h>
#include <base/sort.h>

#include <karp/lint.h>

static bool in_domain(karp_str domain, karp_str restricted)
{
    if (restricted.len == 0 || !str_has_suffix(domain, restricted)) return false;
    return domain.len == restricted.len || domain.ptr[domain.len - restricted.len - 1] == '.';
}

static bool restricted_key(const karp_snapshot *s, uint32_t key)
{
    if (s->facts.well_known[key]) return false;
    karp_str domain = str_before(text_of(s, key), '/');
    if (in_domain(domain, (karp_str){ "karpenter.sh", 12 })) return true;
    for (uint32_t i = 0; i < s->raw.restricted_domain_count; i++) {
        if (in_domain(domain, text_of(s, s->raw.restricted_domains[i]))) return true;
    }
    return key == s->known.hostname || ids_have(s->raw.restricted, s->raw.restricted_count, key);
}

const char *requirement_wrong(const karp_snapshot *s, uint32_t given_key, uint32_t op, const uint32_t *values,
                              uint32_t count, uint32_t min_values)
{
    const known_text *k = &s->known;
    uint32_t key = s->facts.normalized[given_key], known = 0, least = min_values > 1 ? min_values : 1;
    if (op == KARP_OP_UNKNOWN || op > KARP_OP_LTE) return "has an unsupported operator";
    if (restricted_key(s, key))
        return "is restricted; specify a well known label or a custom label that does not use a restricted domain";
    for (uint32_t i = 0; i < count; i++)
        known += values[i] == k->spot || values[i] == k->on_demand || values[i] == k->reserved;
    if (op == KARP_OP_IN && key == k->capacity_type && known < least)
        return known > 0 ? "lists fewer known values than its minValues" : "lists no known value";
    if (!is_label_key(text_of(s, key))) return "is not a qualified name";
    for (uint32_t i = 0; i < count; i++) {
        if (values[i] != NO_TEXT && !is_label_name(text_of(s, values[i]))) return "has an invalid value";
    }
    if (op == KARP_OP_IN && count < least) return "has too few values";
    /* A negative number begins with a character that no value may begin with. */
    if (op >= KARP_OP_GT && (count != 1 || !s->facts.numbers[values[0]].is_number))
        return "needs one non-negative integer";
    return NULL;
}

/* ---- NodePools --------------------------------------------------------------------------------------------------- */

const char *pool_requirement_wrong(const karp_snapshot *s, const expression *e)
{
    if (s->facts.normalized[e->key] == s->known.node_pool) return "is restricted, as each NodePool sets it itself";
    return requirement_wrong(s, e->key, e->op, e->values, e->value_count, e->min_values);
}

const char *pool_label_wrong(const karp_snapshot *s, const label_pair *label)
{
    if (label->key == s->known.node_pool) return "is restricted, as each NodePool sets it itself";
    if (!is_label_key(text_of(s, label->key))) return "is not a qualified name";
    if (label->value != NO_TEXT && !is_label_name(text_of(s, label->value))) return "has an invalid value";
    if (restricted_key(s, label->key))
        return "is restricted; specify a well known label or a custom label that does not use a restricted domain";
    return NULL;
}

static const char *taint_wrong(const karp_snapshot *s, const taint *t)
{
    const known_text *k = &s->known;
    if (!is_label_key(text_of(s, t->key))) return "is not a qualified name";
    if (t->value != NO_TEXT && !is_label_key(text_of(s, t->value))) return "has an invalid value";
    if (t->effect != NO_TEXT && t->effect != k->no_schedule && t->effect != k->prefer_no_schedule &&
        t->effect != k->no_execute)
        return "has an effect that is not NoSchedule, PreferNoSchedule or NoExecute";
    return NULL;
}

/* The element `at` of both lists concatenated. */
static const taint *taint_at(const node_pool *p, uint32_t at)
{
    return at < p->taints.count ? &p->taints.items[at] : &p->startup_taints.items[at - p->taints.count];
}

/* Each taint is compared with those before it. The number is limited because this is quadratic. */
enum { MOST_TAINTS = 1000 };

static bool repeats_taint(const node_pool *p, uint32_t at)
{
    const taint *t = taint_at(p, at);
    for (uint32_t i = 0; i < at && at < MOST_TAINTS; i++) {
        if (taint_at(p, i)->key == t->key && taint_at(p, i)->effect == t->effect) return true;
    }
    return false;
}

static bool is_wrong(pool_fault *f, enum pool_part part, uint32_t index, uint32_t key, const char *wrong)
{
    if (wrong != NULL) *f = (pool_fault){ part, index, key, wrong, f->next };
    return wrong != NULL;
}

bool pool_next_fault(const karp_snapshot *s, const node_pool *p, pool_fault *f)
{
    uint32_t requirements = p->requirements.count, labels = p->template_labels.count,
             taints = p->taints.count + p->startup_taints.count;
    for (;;) {
        uint32_t at = f->next;
        if (at - requirements - labels == taints) return false;
        f->next++;
        if (at < requirements) {
            const expression *e = &p->requirements.items[at];
            if (is_wrong(f, POOL_REQUIREMENT, at, e->key, pool_requirement_wrong(s, e))) return true;
            continue;
        }
        at -= requirements;
        if (at < labels) {
            const label_pair *label = &p->template_labels.items[at];
            if (is_wrong(f, POOL_LABEL, at, label->key, pool_label_wrong(s, label))) return true;
            continue;
        }
        at -= labels;
        const taint *t = taint_at(p, at);
        const char *wrong = taint_wrong(s, t);
        if (wrong == NULL && repeats_taint(p, at)) wrong = "is there twice with the same effect";
        bool startup = at >= p->taints.count;
        if (is_wrong(f, startup ? POOL_STARTUP_TAINT : POOL_TAINT, startup ? at - p->taints.count : at, t->key, wrong))
            return true;
    }
}

const char *karp_snapshot_pool_fault(const karp_snapshot *snapshot, karp_str pool, karp_str *key)
{
    if (snapshot == NULL) return NULL;
    uint32_t at = pool_named(snapshot, pool);
    pool_fault fault = { 0 };
    if (at == NO_ID || !pool_next_fault(snapshot, &snapshot->raw.pools.items[at], &fault)) return NULL;
    if (key != NULL) *key = text_of(snapshot, fault.key);
    return fault.wrong;
}
