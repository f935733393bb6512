/* SPDX-License-Identifier: Apache-2.0 */
/* Checks for both nodes and launches: taints, labels, host ports, volumes. */
#include <verify/verify.h>

#include <string.h>

/* ---- node requirements ------------------------------------------------------------------------------------------- */

void fill_wishes(verifier *v, wishes *w, label_list selector_, node_term_list required)
{
    w->ready = true;
    w->count = required.count > 0 ? required.count : 1;
    w->terms = verifier_alloc(v, w->count, sizeof *w->terms);
    if (w->terms == NULL) {
        w->count = 0;
        return;
    }
    for (uint32_t i = 0; i < w->count; i++) {
        rules_add_labels(&v->words, &w->terms[i], selector_);
        if (required.count > 0) rules_add_expressions(&v->words, &w->terms[i], required.items[i].expressions);
    }
}

const wishes *pod_wishes(verifier *v, uint32_t shape_number)
{
    wishes *w = &v->wishes[shape_number];
    const shape *h = &v->snapshot->raw.shapes.items[shape_number];
    if (!w->ready) fill_wishes(v, w, h->node_selector, h->required);
    return w;
}

/* ---- taints ------------------------------------------------------------------------------------------------------ */

/* Parses numbers in the form that the API server allows for Gt and Lt: no '+', no leading zeros, within 64 bits. */
static bool plain_number(karp_str t, int64_t *out)
{
    size_t i = t.len > 0 && t.ptr[0] == '-' ? 1 : 0;
    if (i < t.len && t.ptr[i] == '0' && t.len > 1) return false;
    return digits_number((karp_str){ t.ptr + i, t.len - i }, i == 1, out);
}

static bool tolerates_taint(const verifier *v, const toleration *x, const taint *t)
{
    int64_t theirs = 0, ours = 0;
    if ((x->effect != NO_TEXT && x->effect != t->effect) || (x->key != NO_TEXT && x->key != t->key)) return false;
    if (x->op == KARP_TOLERATION_EXISTS) return true;
    if (x->op == KARP_TOLERATION_EQUAL) return x->value == t->value;
    if (x->op != KARP_TOLERATION_LT && x->op != KARP_TOLERATION_GT) return false;
    if (!plain_number(text_of(v->snapshot, t->value), &theirs) || !plain_number(text_of(v->snapshot, x->value), &ours))
        return false;
    return x->op == KARP_TOLERATION_LT ? theirs < ours : theirs > ours;
}

bool daemon_runs(const verifier *v, const shape *daemon)
{
    return !daemon->has_claims || v->snapshot->raw.settings.dra_requests;
}

const taint *untolerated(const verifier *v, toleration_list tolerations, taint_list taints, bool soft_too)
{
    for (uint32_t i = 0; i < taints.count; i++) {
        const taint *t = &taints.items[i];
        bool fine = !soft_too && t->effect == v->snapshot->known.prefer_no_schedule;
        for (uint32_t k = 0; k < tolerations.count && !fine; k++) fine = tolerates_taint(v, &tolerations.items[k], t);
        if (!fine) return t;
    }
    return NULL;
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

static bool expression_sound(const expression *e)
{
    bool wants_values = e->op == KARP_OP_IN || e->op == KARP_OP_NOT_IN;
    bool wants_none = e->op == KARP_OP_EXISTS || e->op == KARP_OP_DOES_NOT_EXIST;
    return (wants_values && e->value_count > 0) || (wants_none && e->value_count == 0);
}

/* For a valid expression: whether the label's value is listed; without listed values, whether the label exists. */
static bool expression_matches(const expression *e, label_list labels)
{
    uint32_t value = label_get(labels, e->key);
    bool found = e->value_count == 0 && value != NO_ID;
    for (uint32_t i = 0; i < e->value_count && !found; i++) found = e->values[i] == value;
    return found == (e->op == KARP_OP_IN || e->op == KARP_OP_EXISTS);
}

bool selector_matches(const selector *x, label_list labels)
{
    for (uint32_t i = 0; i < x->expressions.count; i++) { /* an invalid expression makes the selector select nothing */
        if (!expression_sound(&x->expressions.items[i])) return false;
    }
    for (uint32_t i = 0; i < x->labels.count; i++) {
        if (label_get(labels, x->labels.items[i].key) != x->labels.items[i].value) return false;
    }
    for (uint32_t i = 0; i < x->expressions.count; i++) {
        if (!expression_matches(&x->expressions.items[i], labels)) return false;
    }
    return true;
}

/* Whether every listed type of a launch satisfies the rule for a label that the launch leaves open. */
static bool types_satisfy(const verifier *v, const target *t, const rule *required)
{
    const karp_snapshot *s = v->snapshot;
    if (t->type_count == 0) return false;
    for (uint32_t i = 0; i < t->type_count; i++) {
        const instance_type *type = &v->pools[t->pool].table->types[t->types[i]];
        uint32_t id = set_get(&s->algebra, type->set, required->key);
        if (id == NO_ID) return rule_negative(required);
        rule has = rule_of_requirement(requirement_get(&s->algebra, id));
        if (!rule_within(&v->words, &has, required)) return false;
    }
    return true;
}

/* In profile karp: whether a listed type forbids a label that the rule wants. The requirements of a launch do not tell:
 * Exists and NotIn together are NotIn, with which a type without the label agrees (S-Q37). */
static bool types_forbid(const verifier *v, const target *t, const rule *required)
{
    const karp_snapshot *s = v->snapshot;
    for (uint32_t i = 0; i < t->type_count && !v->quirks && !rule_negative(required); i++) {
        uint32_t id = set_get(&s->algebra, v->pools[t->pool].table->types[t->types[i]].set, required->key);
        const requirement *has = id == NO_ID ? NULL : requirement_get(&s->algebra, id);
        if (has != NULL && !has->complement && has->value_count == 0) return true;
    }
    return false;
}

static bool uses_on(const vocabulary *w, expression_list list, uint32_t op, uint32_t key)
{
    for (uint32_t i = 0; i < list.count; i++) {
        if (list.items[i].op == op && word_key(w, list.items[i].key) == key) return true;
    }
    return false;
}

/* Whether a pod on the target requires or prefers something of the label by this operator. */
static bool pods_use(const verifier *v, const target *t, uint32_t op, uint32_t key)
{
    for (uint32_t i = 0; i < t->pod_count; i++) {
        const shape *h = pod_shape(v, t->pods[i]);
        for (uint32_t k = 0; k < h->required.count; k++) {
            if (uses_on(&v->words, h->required.items[k].expressions, op, key)) return true;
        }
        for (uint32_t k = 0; k < h->preferred.count; k++) {
            if (uses_on(&v->words, h->preferred.items[k].expressions, op, key)) return true;
        }
    }
    return false;
}

bool excluded_by_pods(const verifier *v, const target *t, uint32_t key, bool or_all)
{
    return pods_use(v, t, KARP_OP_NOT_IN, key) || (or_all && pods_use(v, t, KARP_OP_DOES_NOT_EXIST, key));
}

bool may_be_absent(const verifier *v, const target *t, const rule *have, const rule *required)
{
    if (!v->quirks || !t->is_launch || have->excludes || have->count > 0 || !required->excludes) return false;
    const rule *base = rules_find(&v->pools[t->pool].base, required->key);
    return (base != NULL && base->excludes && base->count > 0) || pods_use(v, t, KARP_OP_NOT_IN, required->key);
}

static bool host_satisfies(const verifier *v, const target *t, const rule *required, uint32_t host)
{
    if (t->is_launch) return required->excludes && required->gte == INT64_MIN && required->lte == INT64_MAX;
    return host == NO_ID ? rule_negative(required) : rule_accepts(&v->words, required, host);
}

static bool rule_satisfied(const verifier *v, const target *t, const rule *r, uint32_t host)
{
    const rule *have = rules_find(&t->labels, r->key);
    if (r->key == v->snapshot->known.hostname) return host_satisfies(v, t, r, host);
    if (have != NULL)
        return (rule_within(&v->words, have, r) && !(t->is_launch && types_forbid(v, t, r))) ||
               (may_be_absent(v, t, have, r) && pods_use(v, t, KARP_OP_DOES_NOT_EXIST, r->key));
    if (t->is_launch && word_well_known(&v->words, r->key)) return types_satisfy(v, t, r);
    return rule_negative(r) || (v->quirks && !t->is_launch && excluded_by_pods(v, t, r->key, true));
}

bool labels_satisfy(const verifier *v, const target *t, const rules *required, uint32_t host)
{
    for (uint32_t i = 0; i < required->count; i++) {
        if (!rule_satisfied(v, t, &required->items[i], host)) return false;
    }
    return true;
}

/* Whether a preference contradicts the requirement on its key. Karpenter treats both together as a requirement that
 * the label is absent, so the pod can be placed where it is absent. */
static bool preference_contradicts(verifier *v, const target *t, const shape *h, const rule *r)
{
    const rule *have = rules_find(&t->labels, r->key);
    bool absent = have == NULL || (!have->excludes && have->count == 0);
    for (uint32_t i = 0; v->quirks && absent && i < h->preferred.count; i++) {
        for (uint32_t e = 0; e < h->preferred.items[i].expressions.count; e++) {
            rule p = rule_of_expression(&v->words, &h->preferred.items[i].expressions.items[e]);
            if (p.key == r->key && !rules_agree(&v->words, &p, r)) return true;
        }
    }
    return false;
}

static uint32_t host_word(const verifier *v, const target *t)
{
    return t->is_launch ? NO_ID : v->snapshot->nodes[t->node].hostname;
}

static bool some_term_satisfied(verifier *v, const target *t, const wishes *w, const shape *h)
{
    for (uint32_t i = 0; i < w->count; i++) {
        uint32_t k = 0;
        while (k < w->terms[i].count && (rule_satisfied(v, t, &w->terms[i].items[k], host_word(v, t)) ||
                                         preference_contradicts(v, t, h, &w->terms[i].items[k]))) {
            k++;
        }
        if (k == w->terms[i].count) return true;
    }
    return false;
}

/* ---- host ports -------------------------------------------------------------------------------------------------- */

static bool same_port(const host_port *x, const host_port *y)
{
    if (x->port != y->port || x->protocol != y->protocol) return false;
    if (x->any || y->any) return true;
    return x->ip_known && y->ip_known ? memcmp(x->ip, y->ip, sizeof x->ip) == 0 : x->ip_known == y->ip_known;
}

bool ports_clash_with(const host_port_list x, const host_port_list y)
{
    for (uint32_t i = 0; i < x.count; i++) {
        for (uint32_t k = 0; k < y.count; k++) {
            if (same_port(&x.items[i], &y.items[k])) return true;
        }
    }
    return false;
}

static void check_ports(verifier *v, const target *t, uint32_t index)
{
    uint32_t pod_number = t->pods[index];
    host_port_list own = pod_shape(v, pod_number)->ports;
    if (own.count == 0) return;
    for (uint32_t i = 0; i < index; i++) {
        if (!ports_clash_with(own, pod_shape(v, t->pods[i])->ports)) continue;
        note(v, KARP_FINDING_HOST_PORT, pod_object(v, pod_number), "on %.*s it wants a host port of pod %.*s",
             SHOW(t->name), SHOW(pod_name(v->snapshot, t->pods[i])));
        return;
    }
    if (t->is_launch) return;
    const state_node *n = &v->snapshot->nodes[t->node];
    for (uint32_t i = 0; i < n->pod_count; i++) {
        if (n->pods[i] == pod_number || !ports_clash_with(own, pod_shape(v, n->pods[i])->ports)) continue;
        note(v, KARP_FINDING_HOST_PORT, pod_object(v, pod_number), "%.*s has pod %.*s on a host port it wants",
             SHOW(t->name), SHOW(pod_name(v->snapshot, n->pods[i])));
        return;
    }
}

/* ---- volumes ----------------------------------------------------------------------------------------------------- */

typedef struct volume_places {
    node_term_list terms;
    bool local;
} volume_places;

/* false = an object is missing, so that nothing can be checked. */
static bool places_of_claim(const store *raw, uint32_t name_space, uint32_t claim_name, volume_places *out)
{
    uint32_t c = store_find(raw, KIND_VOLUME_CLAIM, name_space, claim_name);
    *out = (volume_places){ .local = false };
    if (c == NO_ID) return false;
    const volume_claim *claim = &raw->volume_claims.items[c];
    if (claim->volume != 0) {
        uint32_t found = store_find(raw, KIND_VOLUME, NO_TEXT, claim->volume);
        if (found == NO_ID) return false;
        *out = (volume_places){ raw->volumes_bound.items[found].terms, raw->volumes_bound.items[found].local };
    } else if (claim->storage_class != 0) {
        uint32_t found = store_find(raw, KIND_STORAGE_CLASS, NO_TEXT, claim->storage_class);
        if (found == NO_ID) return false;
        out->terms = raw->storage_classes.items[found].topologies;
    }
    return true;
}

static bool term_reached(verifier *v, const target *t, const node_term *term, bool local)
{
    rules required = { .items = NULL };
    for (uint32_t i = 0; i < term->expressions.count; i++) {
        rule r = rule_of_expression(&v->words, &term->expressions.items[i]);
        if (!local || r.key != v->snapshot->known.hostname) rules_add(&v->words, &required, r);
    }
    return labels_satisfy(v, t, &required, host_word(v, t));
}

/* Contradictory volumes are treated as a requirement that the label is absent. */
static bool contradiction_taken(const verifier *v, const target *t, const node_term *term, uint32_t volumes)
{
    for (uint32_t i = 0; v->quirks && volumes > 1 && i < term->expressions.count; i++) {
        const rule *have = rules_find(&t->labels, word_key(&v->words, term->expressions.items[i].key));
        if (t->is_launch ? have != NULL && !have->excludes && have->count == 0 : have == NULL) return true;
    }
    return false;
}

static bool volume_reached(verifier *v, const target *t, const volume_places *p, uint32_t volumes)
{
    bool constrained = false;
    for (uint32_t i = 0; i < p->terms.count; i++) {
        if (p->terms.items[i].expressions.count == 0) continue;
        constrained = true;
        if (term_reached(v, t, &p->terms.items[i], p->local) || contradiction_taken(v, t, &p->terms.items[i], volumes))
            return true;
    }
    return !constrained;
}

static void check_volumes(verifier *v, const target *t, uint32_t pod_number)
{
    const store *raw = &v->snapshot->raw;
    const struct pod *p = pod_at(raw, pod_number);
    const struct words_entry *claims = &raw->volumes.entries[p->volumes];
    volume_places places;
    for (uint32_t i = 0; i < claims->count; i++) {
        if (!places_of_claim(raw, p->name_space, claims->ptr[i], &places)) return;
    }
    for (uint32_t i = 0; i < claims->count; i++) {
        (void)places_of_claim(raw, p->name_space, claims->ptr[i], &places);
        if (volume_reached(v, t, &places, claims->count)) continue;
        note(v, KARP_FINDING_VOLUME, pod_object(v, pod_number), "the volume of claim %.*s cannot be used on %.*s",
             SHOW(name_of(v->snapshot, claims->ptr[i])), SHOW(t->name));
        return;
    }
}

/* ---- all checks -------------------------------------------------------------------------------------------------- */

static void check_shape(verifier *v, const target *t, uint32_t pod_number)
{
    const taint *t_ = untolerated(v, pod_shape(v, pod_number)->tolerations, t->taints, false);
    if (t_ != NULL) {
        note(v, KARP_FINDING_TAINTS, pod_object(v, pod_number), "it does not tolerate %.*s=%.*s:%.*s of %.*s",
             SHOW(text_of(v->snapshot, t_->key)), SHOW(text_of(v->snapshot, t_->value)),
             SHOW(text_of(v->snapshot, t_->effect)), SHOW(t->name));
    }
    if (!some_term_satisfied(v, t, pod_wishes(v, pod_at(&v->snapshot->raw, pod_number)->shape),
                             pod_shape(v, pod_number))) {
        note(v, KARP_FINDING_REQUIREMENTS, pod_object(v, pod_number),
             "its node selector or required node affinity is not met for certain by %.*s", SHOW(t->name));
    }
}

void check_pods_at(verifier *v, const target *t)
{
    uint32_t last = NO_ID;
    for (uint32_t i = 0; i < t->pod_count && !v->failed; i++) {
        uint32_t pod_number = t->pods[i], number = pod_at(&v->snapshot->raw, pod_number)->shape;
        size_t before = karp_verification_count(v->out);
        if (number != last) check_shape(v, t, pod_number);
        last = karp_verification_count(v->out) == before ? number
                                                         : NO_ID; /* replicas of a pod without findings have none */
        check_ports(v, t, i);
        if (pod_at(&v->snapshot->raw, pod_number)->volumes != 0) check_volumes(v, t, pod_number);
    }
}
