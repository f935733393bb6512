/* SPDX-License-Identifier: Apache-2.0 */
/* The conditions Drifted and Consolidatable of NodeClaims. */
#include <base/civil.h>
#include <disrupt/advice.h>

#include <base/error.h>
#include <base/strbuf.h>
#include <model/prepare.h>

static const int64_t recheck = INT64_C(300) * SECOND_NS, type_age = INT64_C(3600) * SECOND_NS;
static const char pool_hash_key[] = "karpenter.sh/nodepool-hash",
                  pool_version_key[] = "karpenter.sh/nodepool-hash-version";

/* The context of one call: karp_advise_conditions() has answers, karp_advise_replaced() the rest. */
struct looking {
    karp_advice *a;
    algebra algebra;
    const karp_drift_answer *answers;
    size_t answer_count;
    const karp_snapshot *before; /* has the earlier NodePools */
    const karp_node_class_ref *classes; /* that were replaced */
    size_t class_count;
};

static const karp_drift_answer *answer_for(const struct looking *l, karp_str claim_name_)
{
    for (size_t i = 0; i < l->answer_count; i++) {
        if (equal_str(l->answers[i].claim, claim_name_)) return &l->answers[i];
    }
    return NULL;
}

/* Sets or removes a condition if it is not as wanted; reason {NULL, 0} = the condition should be absent. */
static void want_condition(karp_advice *a, uint32_t claim_number, const char *type, karp_str reason)
{
    const karp_snapshot *s = a->snapshot;
    const condition *now = condition_named(s, s->raw.claims.items[claim_number].conditions, type);
    karp_action action = {
        .kind = KARP_ACTION_SET_CONDITION, .object = claim_name(s, claim_number), .subject = str(type), .value = reason
    };
    if (reason.ptr == NULL) {
        action.kind = KARP_ACTION_CLEAR_CONDITION;
        if (now != NULL) advise(a, action);
        return;
    }
    bool same = now != NULL && now->status == s->known.status_true && equal_str(text_of(s, now->reason), reason);
    if (!same) advise(a, action);
}

/* ---- Drifted ----------------------------------------------------------------------------------------------------- */

static bool static_fields_drifted(const karp_snapshot *s, const node_claim *c, const node_pool *p)
{
    karp_str of_pool = annotation(s, &p->meta, pool_hash_key), of_claim = annotation(s, &c->meta, pool_hash_key);
    karp_str pool_version = annotation(s, &p->meta, pool_version_key),
             claim_version = annotation(s, &c->meta, pool_version_key);
    if (of_pool.ptr == NULL || of_claim.ptr == NULL || pool_version.ptr == NULL || claim_version.ptr == NULL)
        return false;
    return equal_str(pool_version, claim_version) && !equal_str(of_pool, of_claim);
}

/* The hostname is not part of a set: a claim has such a label only if a user set it. */
static bool host_agrees(struct looking *l, const node_claim *c, uint32_t asked)
{
    if (asked == NO_ID) return true;
    const requirement *r = requirement_get(&l->algebra, asked);
    uint32_t value = label_get(c->meta.labels, l->a->snapshot->known.hostname);
    return value == NO_ID ? requirement_negative(r) : requirement_has(&l->algebra, r, value);
}

static bool requirements_drifted(struct looking *l, const node_claim *c, const node_pool *p, uint32_t labels)
{
    demand asked = { EMPTY_SET, NO_ID };
    if (!demand_of_expressions(&l->algebra, p->requirements, &asked)) return false;
    return !set_compatible(&l->algebra, labels, asked.set, false) || !host_agrees(l, c, asked.host);
}

/* A claim on reserved capacity may have fallen back to on-demand, so its reservation is ignored here. */
static uint32_t reserved_or_on_demand(struct looking *l, uint32_t labels)
{
    const karp_snapshot *s = l->a->snapshot;
    const uint32_t both[] = { s->known.reserved, s->known.on_demand };
    if (s->raw.reservation_id != NO_TEXT)
        labels = set_remove(&l->algebra, labels, s->facts.normalized[s->raw.reservation_id]);
    uint32_t r = requirement_make(&l->algebra, s->known.capacity_type, KARP_OP_IN, both, 2, 0);
    return r == NO_ID ? labels : set_replace(&l->algebra, labels, r);
}

static bool type_missing(struct looking *l, const node_claim *c, uint32_t pool, uint32_t labels)
{
    const karp_snapshot *s = l->a->snapshot;
    uint32_t type = type_of_labels(s, pool, c->meta.labels);
    if (type == NO_ID) return true;
    if (label_get(c->meta.labels, s->known.capacity_type) == s->known.reserved)
        labels = reserved_or_on_demand(l, labels);
    const type_table *t = &s->tables[s->pool_table[pool]];
    const instance_type *y = &t->types[type];
    for (uint32_t i = y->offering_first; i < y->offering_first + y->offering_count; i++) {
        if (set_compatible(&l->algebra, labels, t->offerings[i].set, true)) return false;
    }
    return true;
}

/* The reasons of drift in Karpenter's order; {NULL, 0} = not drifted. *unknown: the condition remains unchanged. */
static karp_str drift_reason(struct looking *l, uint32_t claim_number, uint32_t pool, bool *unknown)
{
    const karp_snapshot *s = l->a->snapshot;
    const node_claim *c = &s->raw.claims.items[claim_number];
    const node_pool *p = &s->raw.pools.items[pool];
    const karp_drift_answer *told = answer_for(l, claim_name(s, claim_number));
    *unknown = false;
    if (static_fields_drifted(s, c, p)) return str("NodePoolDrifted");
    uint32_t labels = set_of_labels(&l->algebra, c->meta.labels, NULL);
    if (labels == NO_ID) return (karp_str){ NULL, 0 };
    if (requirements_drifted(l, c, p, labels)) return str("RequirementsDrifted");
    bool old = instant_after(c->meta.creation, type_age) < l->a->now;
    if (old && !(told != NULL && told->type_found) && s->pool_table[pool] != NO_ID) {
        if (type_missing(l, c, pool, labels)) return str("InstanceTypeNotFound");
        advice_found(l->a, claim_name(s, claim_number));
    }
    if (told == NULL) return (karp_str){ NULL, 0 };
    *unknown = !told->instance_exists;
    return told->reason.len > 0 ? advice_text(l->a, told->reason.ptr, told->reason.len) : (karp_str){ NULL, 0 };
}

static void look_at_drift(struct looking *l, uint32_t claim_number, uint32_t pool)
{
    const karp_snapshot *s = l->a->snapshot;
    bool unknown = false;
    karp_str reason = { NULL, 0 };
    if (condition_is_true(s, s->raw.claims.items[claim_number].conditions, "Launched")) {
        reason = drift_reason(l, claim_number, pool, &unknown);
        advice_look_again(l->a, instant_after(l->a->now, recheck));
    }
    if (!unknown) want_condition(l->a, claim_number, "Drifted", reason);
}

/* ---- Consolidatable ---------------------------------------------------------------------------------------------- */

bool claim_consolidatable(const karp_snapshot *s, const node_claim *c, const node_pool *p, int64_t event, int64_t now,
                          int64_t *from)
{
    const condition *ready = condition_find(c->conditions, s->known.initialized_condition);
    int64_t after = p->consolidate_after;
    *from = KARP_NO_TIME;
    if (after == KARP_DURATION_NEVER || ready == NULL || ready->status != s->known.status_true) return false;
    if (after == KARP_DURATION_UNSET || after == 0) return true;
    int64_t since = event != KARP_NO_TIME ? event : ready->since;
    int64_t end = since == KARP_NO_TIME ? KARP_NO_TIME : instant_after(since, after);
    if (end == KARP_NO_TIME || end <= now) return true;
    *from = end;
    return false;
}

static void look_at_consolidation(struct looking *l, uint32_t claim_number, const node_pool *p)
{
    const karp_snapshot *s = l->a->snapshot;
    const node_claim *c = &s->raw.claims.items[claim_number];
    int64_t from;
    bool wanted = claim_consolidatable(s, c, p, c->last_pod_event, l->a->now, &from);
    if (from != KARP_NO_TIME) advice_look_again(l->a, from);
    want_condition(l->a, claim_number, "Consolidatable", wanted ? str("Consolidatable") : (karp_str){ NULL, 0 });
}

/* What a call looks for at a claim of a NodePool. */
typedef void (*look_fn)(struct looking *l, uint32_t claim_number, uint32_t pool);

static void look_at_conditions(struct looking *l, uint32_t claim_number, uint32_t pool)
{
    const node_pool *p = &l->a->snapshot->raw.pools.items[pool];
    look_at_drift(l, claim_number, pool);
    if (p->replicas < 0) look_at_consolidation(l, claim_number, p);
}

/* Looks at the claims that a NodePool has and that are not being deleted, by name. */
static karp_status look_at_claims(struct looking *l, const karp_snapshot *snapshot, int64_t now, look_fn look,
                                  karp_advice **out, karp_error *error)
{
    karp_status status = advice_start(snapshot, now, out, &l->a, error);
    if (status != KARP_OK) return status;
    uint32_t *order = claims_by_name(l->a);
    if (!algebra_init(&l->algebra, snapshot->context, &snapshot->facts, &snapshot->algebra)) l->a->failed = true;
    for (size_t i = 0; i < snapshot->raw.claims.count && !l->a->failed && order != NULL; i++) {
        const node_claim *c = &snapshot->raw.claims.items[order[i]];
        uint32_t pool = pool_of_labels(snapshot, c->meta.labels);
        if (pool == NO_ID || c->meta.deletion != KARP_NO_TIME) continue;
        look(l, order[i], pool);
        l->a->failed = l->a->failed || l->algebra.failed;
    }
    algebra_free(&l->algebra);
    return advice_finish(l->a, out, error);
}

karp_status karp_advise_conditions(const karp_snapshot *snapshot, int64_t now, const karp_drift_answer *answers,
                                   size_t answer_count, karp_advice **out, karp_error *error)
{
    struct looking l = { .answers = answers, .answer_count = answers != NULL ? answer_count : 0 };
    return look_at_claims(&l, snapshot, now, look_at_conditions, out, error);
}

/* ---- replaced objects -------------------------------------------------------------------------------------------- */

static bool class_replaced(const struct looking *l, const node_claim *c)
{
    const karp_snapshot *s = l->a->snapshot;
    for (size_t i = 0; i < l->class_count; i++) {
        const karp_node_class_ref *ref = &l->classes[i];
        if (equal_str(ref->group, text_of(s, c->class_group)) && equal_str(ref->kind, text_of(s, c->class_kind)) &&
            equal_str(ref->name, text_of(s, c->class_name)))
            return true;
    }
    return false;
}

/* Compares with the hash of the NodePool that the claim was launched from: as its annotation says, else that of the
 * earlier one. */
static bool fields_replaced(const struct looking *l, const node_claim *c, const node_pool *now,
                            const node_pool *earlier)
{
    const karp_snapshot *s = l->a->snapshot;
    karp_str stated = annotation(s, &c->meta, pool_hash_key);
    uint64_t hash = pool_hash(&s->raw, now);
    if (stated.ptr == NULL || !equal_str(annotation(s, &c->meta, pool_version_key), str(POOL_HASH_VERSION)))
        return pool_hash(&l->before->raw, earlier) != hash;
    char digits[20];
    return !equal_str(stated, (karp_str){ digits, write_digits(digits, hash) });
}

/* `earlier`: the NodePool before it; NO_ID = it is not replaced. */
static karp_str replaced_reason(struct looking *l, const node_claim *c, const node_pool *p, uint32_t earlier)
{
    if (earlier != NO_ID && fields_replaced(l, c, p, &l->before->raw.pools.items[earlier]))
        return str("NodePoolDrifted");
    uint32_t labels = earlier == NO_ID ? NO_ID : set_of_labels(&l->algebra, c->meta.labels, NULL);
    if (labels != NO_ID && requirements_drifted(l, c, p, labels)) return str("RequirementsDrifted");
    return class_replaced(l, c) ? str("NodeClassDrift") : (karp_str){ NULL, 0 };
}

/* A node that drifts for another reason remains drifted. */
static void look_at_replaced(struct looking *l, uint32_t claim_number, uint32_t pool)
{
    const karp_snapshot *s = l->a->snapshot;
    const node_claim *c = &s->raw.claims.items[claim_number];
    const node_pool *p = &s->raw.pools.items[pool];
    uint32_t earlier = pool_named(l->before, name_of(s, p->meta.name));
    if (earlier == NO_ID && !class_replaced(l, c)) return;
    if (!condition_is_true(s, c->conditions, "Launched")) return;
    karp_str reason = replaced_reason(l, c, p, earlier);
    const condition *now = condition_find(c->conditions, s->known.drifted);
    karp_str had = now == NULL ? (karp_str){ NULL, 0 } : text_of(s, now->reason);
    bool of_pool = str_is(had, "NodePoolDrifted") || str_is(had, "RequirementsDrifted");
    if (reason.ptr != NULL || of_pool) want_condition(l->a, claim_number, "Drifted", reason);
}

karp_status karp_advise_replaced(const karp_snapshot *before, const karp_snapshot *snapshot, int64_t now,
                                 const karp_node_class_ref *classes, size_t class_count, karp_advice **out,
                                 karp_error *error)
{
    struct looking l = { .before = before, .classes = classes, .class_count = classes != NULL ? class_count : 0 };
    if (before == NULL) return fail_null(error, "before");
    return look_at_claims(&l, snapshot, now, look_at_replaced, out, error);
}
