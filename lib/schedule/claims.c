/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/claims.h>

#include <schedule/devices.h>
#include <schedule/volumes.h>
#include <schedule/placement.h>
#include <schedule/policy.h>
#include <schedule/ports.h>
#include <schedule/savepoint.h>
#include <schedule/scheduler.h>
#include <schedule/topology.h>
#include <schedule/types.h>
#include <string.h>

/* The state of a claim with one more pod. */
typedef struct offer {
    uint32_t set, types;
    uint32_t from; /* the types of the claim that can attach its volumes and the pod's */
    bool relaxed; /* minValues were lowered */
    bool by_pods; /* rejected for what the pods of the claim want */
    bool host_admits; /* topology_admits_host() has already accepted the pod */
    uint32_t roomy; /* typeset_fits() is already known to be true for these types; NO_ID = for none */
    uint32_t *reserved; /* reservation numbers to use; in the arena */
    uint32_t reserved_count;
} offer;

bool claims_init(scheduler *s)
{
    s->vectors.sum = arena_array(&s->data, s->vectors.dims, sizeof *s->vectors.sum);
    s->vectors.most = arena_array(&s->data, s->vectors.dims, sizeof *s->vectors.most);
    s->claims.min_values.set = NO_ID;
    s->claims.least_requests = arena_array(&s->data, s->vectors.dims, sizeof *s->claims.least_requests);
    claim_order_clear(s);
    return s->vectors.sum != NULL && s->vectors.most != NULL && s->claims.least_requests != NULL;
}

void claims_free(scheduler *s)
{
    for (size_t i = 0; i < s->claims.list.count; i++)
        mem_free(s->context, s->claims.list.items[i].ports, s->claims.list.items[i].port_capacity * sizeof(port_use));
    list_free(s->context, &s->claims.list, sizeof(claim));
    list_free(s->context, &s->claims.buckets, sizeof(requirement_bucket));
    list_free(s->context, &s->claims.reached, sizeof(uint32_t));
}

/* ---- one claim --------------------------------------------------------------------------------------------------- */

bool template_host_allows(const scheduler *s, const template_ *t, uint32_t requirement_id)
{
    if (requirement_id == NO_ID) return true;
    if (t->host_possible) return host_allowed(s, requirement_id, HOST_FRESH);
    return requirement_negative(requirement_get(&s->algebra, requirement_id));
}

/* Removes the types of daemon groups whose host ports conflict with the pod's. NO_ID = failed. */
static uint32_t without_port_clashes(scheduler *s, const claim *c, uint32_t pod_number, uint32_t types,
                                     host_port_list ports)
{
    const template_ *t = &s->templates.items[c->template_];
    for (uint32_t g = 0; g < t->group_count && types != NO_ID; g++) {
        if (ports_clash_daemons(s, &t->groups[g], c, pod_number, ports))
            types = typeset_without(s, types, t->groups[g].bits);
    }
    return types;
}

/* Whether the set has minValues. Cached because consecutive pods check the same claim. */
static bool lists_min_values(scheduler *s, uint32_t set)
{
    if (s->claims.min_values.set != set) {
        s->claims.min_values.there = set_has_min_values(s, set);
        s->claims.min_values.set = set;
    }
    return s->claims.min_values.there;
}

/* Checks minValues, devices and reservations. They need the list of fitting types, which other cases do not compute. */
static uint32_t check_list(scheduler *s, const claim *c, const view *v, bool relax, offer *o)
{
    const template_ *t = &s->templates.items[c->template_];
    size_t words_ = template_words(t);
    bool min_values = lists_min_values(s, o->set), devices = class_needs_devices(s, v->class_);
    bool reservations = t->table->has_reservations &&
                        (s->snapshot->raw.settings.gates & KARP_GATE_RESERVED_CAPACITY) != 0;
    if (!min_values && !reservations && !devices) return KARP_REASON_NONE;
    uint64_t *fitting = mem_zalloc(s->context, (words_ + 1) * sizeof *fitting);
    if (fitting == NULL) {
        s->failed = true;
        return KARP_REASON_NOT_REACHED;
    }
    uint32_t reason = KARP_REASON_NONE, relaxed = o->set;
    typeset_fitting(s, o->types, s->vectors.sum, fitting);
    if (min_values && !min_values_met(s, t, fitting, o->set, &relaxed)) {
        if (relax) {
            o->set = relaxed;
            o->relaxed = true;
        } else {
            reason = KARP_REASON_MIN_VALUES;
        }
    }
    if (reason == KARP_REASON_NONE && devices) {
        o->types = devices_keep(s, o->types);
        if (o->types == NO_ID) reason = KARP_REASON_NOT_REACHED;
        else if (!typeset_fitting(s, o->types, s->vectors.sum, fitting)) reason = KARP_REASON_DEVICES;
    }
    if (reason == KARP_REASON_NONE && reservations)
        reason = reservations_wanted(s, c, c->template_, fitting, o->set, &o->reserved, &o->reserved_count);
    /* Karpenter asks again only when all pods are placed, and then drops the launch. */
    if (reason == KARP_REASON_NONE && min_values && (devices || o->reserved_count > 0) && !quirk(s, 20) &&
        !s->settings.best_effort_min_values &&
        !min_values_met(s, t, fitting, claim_final_set(s, o->set, o->reserved, o->reserved_count), NULL))
        reason = KARP_REASON_MIN_VALUES;
    mem_free(s->context, fitting, (words_ + 1) * sizeof *fitting);
    return reason;
}

/* Karpenter uses the domain that topology chooses first, and fails when no type is available there. Without
 * the quirk, that domain is excluded so that topology chooses the next one. false = it had chosen none. */
static bool leave_domain(scheduler *s, uint32_t from, const view *v, pod_place *at, uint32_t chosen_set)
{
    uint32_t leave = NO_ID;
    for (uint32_t i = 0; i < v->owned_count; i++) {
        const group *g = &s->topology.groups.items[v->owned[i].group];
        uint32_t key = s->topology.keys[g->key].normalized, id = set_get(&s->algebra, chosen_set, key);
        if (g->host || g->kind == GROUP_ANTI || id == NO_ID || id == set_get(&s->algebra, at->set, key)) continue;
        const requirement *r = requirement_get(&s->algebra, id);
        if (r->complement || r->value_count != 1) continue;
        uint32_t types = typeset_narrow(s, from, set_add(&s->algebra, at->set, id));
        bool to_blame = types != NO_ID && !typeset_fits(s, types, s->vectors.sum);
        if (leave == NO_ID || to_blame) leave = id;
        if (to_blame) break;
    }
    if (leave == NO_ID) return false;
    uint32_t key = requirement_get(&s->algebra, leave)->key, value = requirement_get(&s->algebra, leave)->values[0];
    uint32_t without = requirement_make(&s->algebra, key, KARP_OP_NOT_IN, &value, 1, 0);
    if (without == NO_ID) return false;
    at->set = set_add(&s->algebra, at->set, without);
    return !s->failed && !s->algebra.failed;
}

/* Whether a term of the class wants the label without saying which values: Exists, Gt or Lt. */
static bool wants_label(const scheduler *s, uint32_t class_number, uint32_t key)
{
    const shape *h = shape_of(s->snapshot, class_number);
    for (uint32_t i = 0; i < h->required.count; i++) {
        expression_list list = h->required.items[i].expressions;
        for (uint32_t k = 0; k < list.count; k++) {
            uint32_t op = list.items[k].op;
            bool listed = op == KARP_OP_IN || op == KARP_OP_NOT_IN || op == KARP_OP_DOES_NOT_EXIST;
            if (!listed && s->snapshot->facts.normalized[list.items[k].key] == key) return true;
        }
    }
    return false;
}

static bool label_is_wanted(scheduler *s, const claim *c, uint32_t key)
{
    uint32_t own = set_get(&s->algebra, s->templates.items[c->template_].set, key);
    if (own != NO_ID && requirement_op(requirement_get(&s->algebra, own)) == KARP_OP_EXISTS) return true;
    if (c->pods == 0) return false;
    uint32_t number = (uint32_t)(c - s->claims.list.items);
    if (!placement_settle(s) || !scheduler_worked(s, s->pods.count)) return true;
    for (uint32_t i = 0; i < s->pods.count; i++) {
        place at = s->placement.places[s->pods.items[i]];
        if (at.where == PLACE_CLAIM && at.target == number &&
            wants_label(s, s->snapshot->pod_class[s->pods.items[i]], key))
            return true;
    }
    return false;
}

/* Whether the set forbids a label that the NodePool or a pod of the claim wants. Exists and NotIn together are NotIn,
 * which a pod that forbids the label may join. */
static bool forbids_wanted_label(scheduler *s, const claim *c, uint32_t set)
{
    size_t n;
    (void)set_entries(&s->algebra, set, &n);
    for (size_t i = 0; i < n; i++) {
        set_entry e = set_entries(&s->algebra, set, &n)[i];
        uint32_t before = set_get(&s->algebra, c->set, e.key);
        if (before != NO_ID && before != e.requirement &&
            requirement_op(requirement_get(&s->algebra, e.requirement)) == KARP_OP_DOES_NOT_EXIST &&
            requirement_op(requirement_get(&s->algebra, before)) == KARP_OP_NOT_IN && label_is_wanted(s, c, e.key))
            return true;
    }
    return false;
}

/* Karpenter treats contradictory requirements as a requirement that the label is absent. */
static bool truly_meets(scheduler *s, const claim *c, const view *v, offer *o)
{
    if (quirk(s, 37)) return true;
    o->by_pods = o->set != c->set && forbids_wanted_label(s, c, o->set);
    return !o->by_pods && set_compatible(&s->algebra, o->set, v->strict.set, true) &&
           !topology_contradicts(s, v, o->set);
}

uint32_t set_with_hidden(scheduler *s, uint32_t set, const view *v)
{
    size_t n;
    (void)set_entries(&s->algebra, v->strict.set, &n);
    for (size_t i = 0; i < n; i++) {
        set_entry e = set_entries(&s->algebra, v->strict.set, &n)[i];
        uint32_t all = set_get(&s->algebra, set, e.key);
        if (all != NO_ID && requirement_op(requirement_get(&s->algebra, e.requirement)) == KARP_OP_EXISTS &&
            requirement_op(requirement_get(&s->algebra, all)) == KARP_OP_NOT_IN)
            set = set_replace(&s->algebra, set, e.requirement);
    }
    return set;
}

/* Steps 3a–3f for one volume alternative. */
static uint32_t try_alternative(scheduler *s, const claim *c, uint32_t pod_number, uint32_t base, demand d,
                                const view *v, bool relax, offer *o)
{
    const template_ *t = &s->templates.items[c->template_];
    const shape *p = shape_of(s->snapshot, v->class_);
    if (!template_host_allows(s, t, d.host) || !set_compatible(&s->algebra, base, d.set, true))
        return KARP_REASON_VOLUME;
    pod_place at = { .set = set_meet(&s->algebra, base, d.set),
                     .host = c->number,
                     .host_text = HOST_FRESH,
                     .taints = t->taints,
                     .lenient = true,
                     .host_admits = o->host_admits };
    uint32_t refused = class_needs_devices(s, v->class_) ? devices_on_claim(s, c, v->class_, &at.set)
                                                         : KARP_REASON_NONE;
    if (refused != KARP_REASON_NONE) return refused;
    if (!topology_admit(s, v, &at, &o->set)) return KARP_REASON_TOPOLOGY;
    uint32_t first_set = o->set;
    for (;;) {
        /* Types that were narrowed by the old requirements must be narrowed again when these change. */
        o->types = c->pods > 0 && o->set == c->set ? o->from : typeset_narrow(s, o->from, o->set);
        uint32_t with_hidden = quirk(s, 37) ? o->set : set_with_hidden(s, o->set, v);
        if (o->types != NO_ID && with_hidden != o->set) o->types = typeset_narrow(s, o->types, with_hidden);
        if (o->types != NO_ID && t->group_ports && p->ports.count > 0)
            o->types = without_port_clashes(s, c, pod_number, o->types, p->ports);
        if (o->types == NO_ID) return KARP_REASON_NOT_REACHED;
        if (o->types == o->roomy || typeset_fits(s, o->types, s->vectors.sum))
            return truly_meets(s, c, v, o) ? check_list(s, c, v, relax, o) : KARP_REASON_REQUIREMENTS;
        if (quirk(s, 17) || !leave_domain(s, o->from, v, &at, o->set) || !topology_admit(s, v, &at, &o->set)) break;
    }
    o->set = first_set; /* rejections are reported for the first choice */
    return KARP_REASON_TUPLE;
}

/* CanAdd of Karpenter. s->vectors.sum has the requests of the claim and the pod. Fills the members of the offer except
 * those that record earlier checks. */
static uint32_t can_add_with_sum(scheduler *s, const claim *c, uint32_t pod_number, const view *v, bool relax, offer *o)
{
    static const demand unconstrained = { EMPTY_SET, NO_ID };
    const pod_class *k = &s->snapshot->classes[v->class_];
    const template_ *t = &s->templates.items[c->template_];
    *o = (offer){ .set = EMPTY_SET, .from = c->types, .host_admits = o->host_admits, .roomy = o->roomy };
    if (!bits_test(v->tolerated, c->template_)) return KARP_REASON_TAINTS;
    if (s->volumes.limited_drivers > 0 && launch_volumes_limited(s, v->class_)) {
        o->from = launch_volumes_narrow(s, c, v->class_, c->types);
        if (o->from == NO_ID) return KARP_REASON_NOT_REACHED;
        if (typeset_empty(&s->types, o->from)) return KARP_REASON_VOLUME_LIMIT;
    }
    if (!template_host_allows(s, t, v->full.host) || !set_compatible(&s->algebra, c->set, v->full.set, true))
        return KARP_REASON_REQUIREMENTS;
    if (c->port_count > 0 &&
        ports_clash(c->ports, c->port_count, pod_number, shape_of(s->snapshot, v->class_)->ports)) {
        return quirk(s, 13) ? KARP_REASON_NOTHING_MATCHED : KARP_REASON_HOST_PORT;
    }
    uint32_t base = set_meet(&s->algebra, c->set, v->full.set), reason = KARP_REASON_NONE;
    if (!set_compatible(&s->algebra, base, s->within.set, true)) return KARP_REASON_REQUIREMENTS;
    base = set_meet(&s->algebra, base, s->within.set);
    if (k->alternative_count == 0) return try_alternative(s, c, pod_number, base, unconstrained, v, relax, o);
    for (uint32_t i = 0; i < k->alternative_count; i++) {
        reason = try_alternative(s, c, pod_number, base, k->alternatives[i], v, relax, o);
        if (reason == KARP_REASON_NONE || s->failed) break;
    }
    return reason;
}

static uint32_t can_add(scheduler *s, const claim *c, uint32_t pod_number, const view *v, bool relax, offer *o)
{
    o->host_admits = false;
    o->roomy = NO_ID;
    return can_add_with_sum(s, c, pod_number, v, relax, o);
}

static void sum_total(scheduler *s, const claim *c, const view *v)
{
    const int64_t *r = s->pods.classes[v->class_].requests;
    for (uint32_t d = 0; d < s->vectors.dims; d++) s->vectors.sum[d] = c->requests[d] + r[d];
}

/* Computes what the remaining types could still accept. A claim that cannot accept even the smallest pod of the round
 * retires. */
bool claim_measure(scheduler *s, claim *c)
{
    const int64_t *most = typeset_most(s, c->types, c->requests);
    if (most == NULL) return false;
    for (uint32_t d = 0; d < s->vectors.dims; d++) {
        c->slack[d] = most[d] - c->requests[d];
        if (c->slack[d] < s->claims.least_requests[d]) c->retired = true;
    }
    return true;
}

void claim_note_families(const scheduler *s, claim *c, const shape *p)
{
    if (memchr(c->binary, 2, s->vectors.dims) == NULL) return;
    for (uint32_t i = 0; i < p->requests.count; i++) {
        uint32_t d = s->vectors.index_of[p->requests.items[i].resource];
        if (d != NO_ID && c->binary[d] == 2 && amount_sign(p->requests.items[i].value) != 0)
            c->binary[d] = p->requests.items[i].binary;
    }
}

/* Add of Karpenter. The claim must not be in a bucket. */
static bool add(scheduler *s, uint32_t number, uint32_t pod_number, const view *v, offer *o)
{
    claim *c = &s->claims.list.items[number];
    const template_ *t = &s->templates.items[c->template_];
    const shape *p = shape_of(s->snapshot, v->class_);
    if (s->saving.depth > 0 && !savepoint_note_claim(s, number)) return false;
    memcpy(c->requests, s->vectors.sum, s->vectors.dims * sizeof *c->requests);
    claim_note_families(s, c, p);
    c->set = o->set;
    c->types = o->types;
    c->pods++;
    placement_put(s, pod_number, (place){ number, PLACE_CLAIM });
    if (!claim_measure(s, c)) return false;
    pod_place at = { .set = o->set, .host = c->number, .host_text = HOST_FRESH, .taints = t->taints, .lenient = true };
    round_mark before = s->splitting.on ? round_marked(s) : (round_mark){ 0 };
    topology_record(s, v, &at);
    if (o->reserved_count > 0 || c->reserved_count > 0) reservations_hold(s, c, o->reserved, o->reserved_count);
    if (class_needs_devices(s, v->class_)) devices_take_claim(s, c);
    if (s->volumes.limited_drivers > 0 && launch_volumes_limited(s, v->class_) && !launch_volumes_take(s, c, v->class_))
        return false;
    if (p->ports.count > 0 && !ports_take(s, &c->ports, &c->port_count, &c->port_capacity, pod_number, p->ports))
        return false;
    return !s->splitting.on || split_note(s, number, pod_number, v, before);
}

/* ---- pass 2 ------------------------------------------------------------------------------------------------------ */

enum { SETS_KEPT = 32 };

/* The search for one pod. Counts do not change during it, so requirements, and groups with keys other than host
 * names, give the same result for all claims with equal requirements. Sets that rejected the pod are recorded, for
 * claims that share a bucket with others. */
typedef struct search {
    uint32_t pod;
    const view *v;
    enum refused_how lasts; /* how long a rejection remains valid for the next pods of the run */
    bool sets_kept; /* refused_sets is in use */
    uint32_t refused_sets[SETS_KEPT]; /* indexed by the lowest bits of the set */
} search;

/* Skips all claims with the same requirements as the one that rejected the pod. */
static void refuse_set(scheduler *s, search *q, uint32_t set, enum refused_how how)
{
    if (search_bucket_refused(s, how)) return;
    for (size_t k = 0; k < SETS_KEPT && !q->sets_kept; k++) q->refused_sets[k] = NO_ID;
    q->sets_kept = true;
    q->refused_sets[set % SETS_KEPT] = set;
    search_refused(s, q->lasts);
}

/* Whether host and size of the claim, which has enough slack, allow the pod. If not, *how is set to how long the
 * rejection remains valid. */
static bool worth_a_look(scheduler *s, const search *q, uint32_t number, enum refused_how *how)
{
    class_state *k = &s->pods.classes[q->v->class_];
    const claim *c = &s->claims.list.items[number];
    enum host_refusal lasting;
    *how = q->lasts;
    if (!topology_admits_host(s, q->v, c->number, HOST_FRESH, &lasting)) {
        if (lasting == REFUSED_THE_CLASS) barred_for_good(s, k, number);
        if (lasting != REFUSED_ONCE) *how = REFUSED_FOR_THE_RUN;
        return false;
    }
    sum_total(s, c, q->v);
    /* With one maximal type the slack is exact. */
    if (s->types.sets.items[c->types].maximal_count == 1 || typeset_fits(s, c->types, s->vectors.sum)) return true;
    search_too_small(s, k, number);
    return false;
}

/* Adds a pod that the claim accepts, and gives the claim its new place in the order. */
static bool receive(scheduler *s, uint32_t number, uint32_t pod_number, const view *v, offer *o)
{
    claim_unlink(s, number);
    if (!add(s, number, pod_number, v, o)) return false;
    (void)claim_link_grown(s, number, 1);
    return !s->failed;
}

/* Tries to place the pod on the claim at which the search is. */
static bool offer_claim(scheduler *s, search *q, uint32_t number)
{
    const claim *c = &s->claims.list.items[number];
    enum refused_how how = q->lasts;
    offer o = { .host_admits = true, .roomy = c->types };
    s->round.steps++;
    if ((q->sets_kept && q->refused_sets[c->set % SETS_KEPT] == c->set) || !worth_a_look(s, q, number, &how)) {
        search_refused(s, how);
        return false;
    }
    uint32_t reason = can_add_with_sum(s, c, q->pod, q->v, false, &o);
    if (s->failed) return false;
    if (reason != KARP_REASON_NONE) {
        const pod_class *k = &s->snapshot->classes[q->v->class_];
        bool of_set = (reason == KARP_REASON_REQUIREMENTS && !o.by_pods) ||
                      (reason == KARP_REASON_TOPOLOGY && k->alternative_count <= 1);
        if (!of_set || class_needs_devices(s, q->v->class_)) search_refused(s, q->lasts);
        else refuse_set(s, q, c->set, reason == KARP_REASON_REQUIREMENTS ? REFUSED_FOR_THE_RUN : q->lasts);
        return false;
    }
    search_took(s);
    return receive(s, number, q->pod, q->v, &o);
}

/* The only claim left to try is the one that the run opened. It remains the only one if it accepts the pod. */
static bool offer_only(scheduler *s, uint32_t pod_number, const view *v)
{
    uint32_t number = s->claims.run.only;
    const claim *c = &s->claims.list.items[number];
    class_state *k = &s->pods.classes[v->class_];
    search q = { .pod = pod_number, .v = v, .lasts = REFUSED_FOR_THE_RUN };
    enum refused_how how;
    s->round.steps++;
    if (c->retired || refused_for_good(s, k, number) || !worth_a_look(s, &q, number, &how)) return false;
    /* The slack, which is exact if there is one maximal type, was not checked. */
    offer o = { .host_admits = true, .roomy = s->types.sets.items[c->types].maximal_count == 1 ? NO_ID : c->types };
    if (can_add_with_sum(s, c, pod_number, v, false, &o) != KARP_REASON_NONE || s->failed) return false;
    return receive(s, number, pod_number, v, &o);
}

bool claims_place(scheduler *s, uint32_t pod_number, uint32_t view_number)
{
    if (s->within.launches == LAUNCHES_NONE) return false;
    if (s->within.launches == LAUNCHES_ONE)
        return s->within.claim != NO_ID && claims_put(s, s->within.claim, pod_number, view_number);
    const view *v = &s->pods.views.items[view_number];
    class_state *k = &s->pods.classes[v->class_];
    bool anew = s->claims.run.view != view_number;
    search_begin(s, view_number);
    if (s->claims.run.only != NO_ID) return offer_only(s, pod_number, v);
    if (anew && s->claims.run.size_rank == NO_ID && topology_bars_launches(s, v)) {
        search_all_refused(s);
        return false;
    }
    search q = { .pod = pod_number, .v = v, .lasts = refusals_last(s, v) ? REFUSED_FOR_THE_RUN : REFUSED_NOW };
    for (;;) {
        uint32_t number = search_next(s, k);
        if (number == NO_ID || s->failed) return false;
        if (offer_claim(s, &q, number)) return true;
        if (s->failed) return false;
    }
}

/* ---- pass 3 ------------------------------------------------------------------------------------------------------ */

/* A claim of the template without pods. Its requests point to the scheduler's zero vector. */
static claim blank(scheduler *s, uint32_t template_number, uint32_t types)
{
    return (claim){ .template_ = template_number,
                    .number = s->topology.next_host_number,
                    .set = s->templates.items[template_number].set,
                    .types = types,
                    .requests = s->vectors.zero,
                    .next = NO_ID,
                    .prev = NO_ID };
}

static uint32_t open_claim(scheduler *s, claim c, uint32_t pod_number, const view *v, offer *o)
{
    uint32_t number = (uint32_t)s->claims.list.count;
    claim *slot = list_push(s->context, &s->claims.list, sizeof *slot);
    c.requests = arena_array(&s->round.data, s->vectors.dims,
                             2 * sizeof *c.requests + sizeof *c.binary); /* one allocation for three arrays */
    if (slot == NULL || c.requests == NULL || host_number_new(s) == NO_ID) {
        s->failed = true;
        return KARP_REASON_NOT_REACHED;
    }
    c.slack = c.requests + s->vectors.dims;
    c.binary = (uint8_t *)(c.slack + s->vectors.dims);
    memset(c.binary, 2, s->vectors.dims);
    c.relaxed_min_values = o->relaxed;
    s->templates.items[c.template_].last_relaxed = o->relaxed;
    *slot = c;
    if (!add(s, number, pod_number, v, o)) return KARP_REASON_NOT_REACHED;
    claim_link_opened(s, number);
    if (s->within.launches == LAUNCHES_ONE) s->within.claim = number;
    limits_take(s, c.template_, s->claims.list.items[number].types, s->claims.list.items[number].requests);
    return s->failed ? KARP_REASON_NOT_REACHED : KARP_REASON_NONE;
}

/* Opens a claim of the template with these types for the pod. */
static uint32_t open_from(scheduler *s, uint32_t template_number, uint32_t types, uint32_t pod_number, const view *v)
{
    offer o;
    claim c = blank(s, template_number, types);
    sum_total(s, &c, v);
    uint32_t reason = can_add(s, &c, pod_number, v, s->settings.best_effort_min_values, &o);
    return s->failed || reason != KARP_REASON_NONE ? reason : open_claim(s, c, pod_number, v, &o);
}

/* The types with which the policy wants a claim to start, within the NodePool's limits; NO_ID = no types other than
 * `types`. */
static uint32_t wanted_first(scheduler *s, uint32_t template_number, uint32_t types)
{
    uint32_t first = s->policy == NULL || s->policy->first_types == NULL ? NO_ID
                                                                         : s->policy->first_types[template_number];
    if (first == NO_ID || types == s->templates.items[template_number].initial) return first;
    return typeset_both(s, first, types);
}

enum { OF_A_POOL = 512 };

uint32_t claims_open(scheduler *s, uint32_t pod_number, uint32_t view_number)
{
    view v = s->pods.views.items[view_number];
    uint32_t reason = s->snapshot->raw.pools.count > 0 ? KARP_REASON_NO_TEMPLATES : KARP_REASON_NO_NODEPOOLS;
    if (s->within.launches == LAUNCHES_NONE || (s->within.launches == LAUNCHES_ONE && s->within.claim != NO_ID))
        return KARP_REASON_RESOURCES;
    for (uint32_t t = 0; t < s->templates.count; t++) {
        if (!scheduler_worked(s, OF_A_POOL)) return KARP_REASON_NOT_REACHED;
        s->round.steps++;
        uint32_t types = limits_types(s, t, &reason);
        if (s->failed) return KARP_REASON_NOT_REACHED;
        if (types == NO_ID) continue;
        uint32_t first = wanted_first(s, t, types);
        reason = first == NO_ID ? KARP_REASON_TUPLE : open_from(s, t, first, pod_number, &v);
        if (reason != KARP_REASON_NONE && !s->failed) reason = open_from(s, t, types, pod_number, &v);
        if (s->failed || reason == KARP_REASON_RESERVED) return reason;
        if (reason != KARP_REASON_NONE) continue;
        search_opened(s, view_number, (uint32_t)(s->claims.list.count - 1));
        return reason;
    }
    search_end(s);
    return reason;
}

/* The set without requirements that list no values. Requirements with values never become weaker, however many pods
 * share a claim. But NotIn of another pod turns Exists and Gt into NotIn, which a type without the label satisfies
 * although it does not satisfy Exists. */
static uint32_t lasting_part(scheduler *s, uint32_t set)
{
    size_t count;
    uint32_t lasting = set;
    (void)set_entries(&s->algebra, set, &count);
    for (size_t i = 0; i < count && !s->algebra.failed; i++) {
        set_entry e = set_entries(&s->algebra, set, &count)[i]; /* read again: creating a set may move the entries */
        const requirement *r = requirement_get(&s->algebra, e.requirement);
        if (r->complement || r->value_count == 0) lasting = set_remove(&s->algebra, lasting, e.key);
    }
    return lasting;
}

/* Whether all types of the template match `part`, a part of the template's own requirements. Their labels do. Their
 * offerings do as well, unless `part` lacks a key that is not well-known and that offerings have: then an offering
 * with that key is incompatible. */
static bool part_keeps_types(const scheduler *s, const template_ *t, uint32_t part)
{
    const type_table *table = t->table;
    bool keeps = true;
    for (uint32_t k = 0; k < table->offering_key_count && keeps; k++) {
        uint32_t key = table->offering_keys[k];
        keeps = s->snapshot->facts.well_known[key] || set_get(&s->algebra, t->set, key) == NO_ID ||
                set_get(&s->algebra, part, key) != NO_ID;
    }
    return keeps;
}

static bool typeless_from(scheduler *s, uint32_t template_number, const view *v)
{
    const template_ *t = &s->templates.items[template_number];
    /* Another pod may add a label that the template lacks, so that only the types decide. */
    if (!set_compatible(&s->algebra, t->set, v->full.set, true)) return false;
    uint32_t set = lasting_part(s, set_meet(&s->algebra, t->set, v->full.set));
    if (v->full.set == EMPTY_SET && !s->algebra.failed && part_keeps_types(s, t, set))
        return typeset_empty(&s->types, t->initial); /* without computing a mask */
    uint32_t types = s->algebra.failed ? NO_ID : typeset_narrow(s, t->initial, set);
    return types != NO_ID && typeset_empty(&s->types, types);
}

bool claims_typeless(scheduler *s, uint32_t view_number)
{
    view *v = &s->pods.views.items[view_number];
    if (!v->typeless_known) {
        v->typeless_known = true;
        v->typeless = s->templates.count > 0 && !class_needs_devices(s, v->class_);
        for (uint32_t t = 0; t < s->templates.count && v->typeless; t++) v->typeless = typeless_from(s, t, v);
    }
    return v->typeless;
}

/* ---- a guide ----------------------------------------------------------------------------------------------------- */

bool claims_put(scheduler *s, uint32_t claim_number, uint32_t pod_number, uint32_t view_number)
{
    view v = s->pods.views.items[view_number];
    offer o;
    if (s->claims.list.items[claim_number].retired) return false;
    sum_total(s, &s->claims.list.items[claim_number], &v);
    if (can_add(s, &s->claims.list.items[claim_number], pod_number, &v, false, &o) != KARP_REASON_NONE || s->failed)
        return false;
    return receive(s, claim_number, pod_number, &v, &o);
}

uint32_t claims_open_as(scheduler *s, uint32_t template_number, uint32_t types, uint32_t set, uint32_t pod_number,
                        uint32_t view_number)
{
    view v = s->pods.views.items[view_number];
    offer o;
    uint32_t reason = KARP_REASON_NO_TEMPLATES, all = limits_types(s, template_number, &reason);
    if (all == NO_ID) return reason;
    if (types != NO_ID)
        types = all == s->templates.items[template_number].initial ? types : typeset_both(s, types, all);
    if (s->failed) return KARP_REASON_NOT_REACHED;
    claim c = blank(s, template_number, types == NO_ID ? all : types);
    c.set = set_meet(&s->algebra, c.set, set);
    sum_total(s, &c, &v);
    reason = can_add(s, &c, pod_number, &v, s->settings.best_effort_min_values, &o);
    return s->failed || reason != KARP_REASON_NONE ? reason : open_claim(s, c, pod_number, &v, &o);
}

/* ---- reasons ----------------------------------------------------------------------------------------------------- */

/* The reason why no claim of the template with these types can be opened for the pod. *set receives the requirements
 * of the attempt. */
static uint32_t refusal_from(scheduler *s, uint32_t template_number, uint32_t types, uint32_t pod_number, const view *v,
                             uint32_t *set)
{
    offer o;
    claim c = blank(s, template_number, types);
    sum_total(s, &c, v);
    uint32_t reason = can_add(s, &c, pod_number, v, s->settings.best_effort_min_values, &o);
    if (o.set != EMPTY_SET) *set = o.set;
    return reason;
}

uint32_t template_refusal(scheduler *s, uint32_t template_number, uint32_t pod_number, uint32_t view_number,
                          uint32_t *set)
{
    view v = s->pods.views.items[view_number];
    uint32_t reason = KARP_REASON_NONE, types = limits_types(s, template_number, &reason);
    *set = set_meet(&s->algebra, s->templates.items[template_number].set,
                    v.full.set); /* the pod's requirements, regardless of limits */
    return types == NO_ID ? reason : refusal_from(s, template_number, types, pod_number, &v, set);
}

bool template_takes(scheduler *s, uint32_t template_number, uint32_t types, uint32_t view_number, uint32_t set)
{
    view v = s->pods.views.items[view_number];
    claim c = blank(s, template_number, types);
    sum_total(s, &c, &v);
    uint32_t left = typeset_narrow(s, types, set);
    return left != NO_ID && typeset_fits(s, left, s->vectors.sum);
}

bool template_limited(scheduler *s, uint32_t template_number, uint32_t pod_number, uint32_t view_number)
{
    view v = s->pods.views.items[view_number];
    uint32_t reason, set, all = s->templates.items[template_number].initial;
    uint32_t types = limits_types(s, template_number, &reason);
    if (s->failed || types == all) return false;
    if (types != NO_ID && refusal_from(s, template_number, types, pod_number, &v, &set) == KARP_REASON_NONE)
        return false;
    return refusal_from(s, template_number, all, pod_number, &v, &set) == KARP_REASON_NONE && !s->failed;
}

uint32_t claim_refusal(scheduler *s, uint32_t claim_number, uint32_t pod_number, uint32_t view_number)
{
    view v = s->pods.views.items[view_number];
    offer o;
    sum_total(s, &s->claims.list.items[claim_number], &v);
    return can_add(s, &s->claims.list.items[claim_number], pod_number, &v, false, &o);
}
