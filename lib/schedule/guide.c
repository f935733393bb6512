/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/guide.h>

#include <schedule/claims.h>
#include <schedule/devices.h>
#include <schedule/hosts.h>
#include <schedule/placement.h>
#include <schedule/scheduler.h>
#include <schedule/topology.h>
#include <schedule/views.h>
#include <string.h>

uint32_t guide_view(scheduler *s, uint32_t class_number, uint32_t step)
{
    uint32_t number = view_of_class(s, class_number);
    for (;;) {
        if (number == NO_ID) return NO_ID;
        if (s->pods.classes[class_number].tracked && !topology_update(s, number)) return NO_ID;
        if (s->pods.views.items[number].step >= step) return number;
        uint32_t next = view_relax(s, number);
        if (next == LAST_VIEW) return number;
        s->pods.classes[class_number].tracked = true; /* as in try_schedule() */
        number = next;
    }
}

static bool put_in_slot(scheduler *s, guide_slot *slot, uint32_t pod_number, uint32_t view_number)
{
    if (slot->claim != NO_ID) return claims_put(s, slot->claim, pod_number, view_number);
    uint32_t reason = claims_open_as(s, slot->template_, slot->types, slot->set, pod_number, view_number);
    if (reason != KARP_REASON_NONE || s->failed) return false;
    slot->claim = (uint32_t)(s->claims.list.count - 1);
    return true;
}

/* Whether the pod was placed where the guide wants it. */
static bool place_one(scheduler *s, guide *g, uint32_t pod_number, uint32_t *view_number)
{
    uint32_t class_number = s->snapshot->pod_class[pod_number];
    uint32_t slot = g->slot_of[pod_number], host_index = g->host_of[pod_number];
    if (slot == NO_ID && host_index == NO_ID) return false;
    class_begin_round(s, &s->pods.classes[class_number]);
    *view_number = guide_view(s, class_number, g->steps[pod_number]);
    if (*view_number == NO_ID) return false;
    if (class_needs_devices(s, class_number) && devices_refuse(s, class_number) != KARP_REASON_NONE) return false;
    s->round.steps++;
    bool placed = slot != NO_ID ? put_in_slot(s, &g->slots[slot], pod_number, *view_number)
                                : hosts_place_on(s, host_index, pod_number, *view_number);
    if (!placed || s->failed) return false;
    if (s->placement.gave_up != NULL) s->placement.gave_up[pod_number] = g->steps[pod_number];
    s->round.version++;
    return true;
}

/* The number of pods after the first with the same target that are also consecutive in the queue. */
static uint32_t run_length(const scheduler *s, const guide *g, const uint32_t *pods, uint32_t count)
{
    const uint32_t *class_of = s->snapshot->pod_class, *rank = s->snapshot->queue_rank;
    uint32_t n = 1;
    while (n < count && class_of[pods[n]] == class_of[pods[0]] && g->slot_of[pods[n]] == g->slot_of[pods[0]] &&
           g->steps[pods[n]] == g->steps[pods[0]] && rank[pods[n]] == rank[pods[0]] + n)
        n++;
    return n - 1;
}

/* Places the pods after the first one, as long as they change only the claim's amounts. */
static uint32_t place_run(scheduler *s, guide *g, const uint32_t *pods, uint32_t count, uint32_t view_number)
{
    uint32_t slot = g->slot_of[pods[0]];
    uint32_t more = slot == NO_ID ? 0 : run_length(s, g, pods, count);
    if (more == 0 || !claims_countable(s, &s->pods.views.items[view_number])) return 0;
    uint32_t placed = claims_put_run(s, g->slots[slot].claim, pods + 1, s->snapshot->queue_rank[pods[1]], more,
                                     view_number);
    for (uint32_t i = 1; i <= placed && s->placement.gave_up != NULL; i++)
        s->placement.gave_up[pods[i]] = g->steps[pods[i]];
    return placed;
}

/* One pass over the pods. Returns the number that are left, at the front. */
static uint32_t turn(scheduler *s, guide *g, uint32_t *pods, uint32_t count)
{
    uint32_t left = 0, view_number = NO_ID;
    for (uint32_t i = 0; i < count && !s->failed && !s->algebra.failed; i++) {
        if (place_one(s, g, pods[i], &view_number)) i += place_run(s, g, pods + i, count - i, view_number);
        else pods[left++] = pods[i];
    }
    return left;
}

/* Passes as long as they place pods: pods may be admitted after others have been placed, as in Karpenter's loop. */
static uint32_t turns(scheduler *s, guide *g, uint32_t *pods, uint32_t count)
{
    for (;;) {
        uint32_t left = turn(s, g, pods, count);
        if (left == 0 || left == count || s->failed || s->algebra.failed) return left;
        count = left;
    }
}

/* Moves the pods that are placed first to the front and returns their number. */
static uint32_t part(scheduler *s, const guide *g, uint32_t *pods, uint32_t count)
{
    size_t bytes = (count + (size_t)1) * sizeof *pods;
    uint32_t *others = mem_alloc(s->context, bytes), n = 0, rest = 0;
    if (others == NULL) {
        s->failed = true;
        return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (bits_test(g->first, pods[i])) pods[n++] = pods[i];
        else others[rest++] = pods[i];
    }
    if (rest > 0) memcpy(pods + n, others, rest * sizeof *pods);
    mem_free(s->context, others, bytes);
    return n;
}

uint32_t guide_place(scheduler *s, guide *g, uint32_t *pods, uint32_t count)
{
    uint32_t first = g->first != NULL ? part(s, g, pods, count) : 0;
    if (first > 0) {
        s->round.there = true;
        uint32_t left = turns(s, g, pods, first);
        s->round.there = false;
        memmove(pods + left, pods + first, (count - first) * sizeof *pods);
        count -= first - left;
    }
    uint32_t left = turns(s, g, pods, count);
    g->refused = 0;
    for (uint32_t i = 0; i < left; i++) g->refused += g->slot_of[pods[i]] != NO_ID || g->host_of[pods[i]] != NO_ID;
    return left;
}

bool guide_followed(scheduler *s, const guide *g, uint32_t pod_number)
{
    uint32_t slot = g->slot_of[pod_number], host_index = g->host_of[pod_number];
    place at = placement_get(s, pod_number);
    if (slot != NO_ID) return at.where == PLACE_CLAIM && at.target == g->slots[slot].claim;
    return host_index == NO_ID || (at.where == PLACE_HOST && at.target == host_index);
}

bool guide_found(scheduler *s, uint32_t pod_number, uint32_t *host_index, uint32_t *claim_number)
{
    place at = placement_get(s, pod_number);
    *host_index = at.where == PLACE_HOST ? at.target : NO_ID;
    *claim_number = at.where == PLACE_CLAIM ? at.target : NO_ID;
    return at.where == PLACE_HOST || at.where == PLACE_CLAIM;
}

uint32_t guide_claim_pin(scheduler *s, uint32_t claim_number)
{
    uint32_t pin = EMPTY_SET, set = s->claims.list.items[claim_number].set;
    for (uint32_t g = 0; g < s->topology.groups.count; g++) {
        const group *x = &s->topology.groups.items[g];
        uint32_t id = x->host ? NO_ID : set_get(&s->algebra, set, s->topology.keys[x->key].normalized);
        if (id == NO_ID || set_get(&s->algebra, pin, s->topology.keys[x->key].normalized) != NO_ID) continue;
        const requirement *r = requirement_get(&s->algebra, id);
        if (!r->complement && r->value_count == 1) pin = set_add(&s->algebra, pin, id);
    }
    return pin;
}

uint32_t guide_types(scheduler *s, uint32_t template_number, uint32_t offering_number, const policy *p)
{
    const template_ *t = &s->templates.items[template_number];
    const type_table *table = t->table;
    const offering *like = &table->offerings[offering_number];
    double most = like->price * (1 + (like->capacity_type == s->snapshot->known.spot ? p->spot_slack : p->slack));
    size_t words_ = template_words(t), offered_words = bits_words(table->offering_count);
    if (set_has_min_values(s, t->set)) return NO_ID;
    uint64_t *bits = mem_zalloc(s->context, (words_ + offered_words + 1) * sizeof *bits);
    if (bits == NULL) return mem_refused_id(&s->failed);
    uint64_t *offered = bits + words_;
    if (types_offered(s, t->table_number, t->set, offered)) {
        for (size_t i = bits_next(offered, table->offering_count, 0); i < table->offering_count;
             i = bits_next(offered, table->offering_count, i + 1)) {
            const offering *o = &table->offerings[i];
            if (o->price <= most && offering_launchable(s, o)) bits_set(bits, o->variant);
        }
    }
    bits_and(bits, s->types.sets.items[t->initial].bits, words_);
    uint32_t id = bits_any(bits, words_) ? typeset_make(s, template_number, bits) : NO_ID;
    mem_free(s->context, bits, (words_ + offered_words + 1) * sizeof *bits);
    return id;
}

uint32_t guide_claim_types(const scheduler *s, uint32_t claim_number)
{
    return s->claims.list.items[claim_number].types;
}

uint32_t guide_claim_template(const scheduler *s, uint32_t claim_number)
{
    return s->claims.list.items[claim_number].template_;
}

uint32_t guide_meet_capacity_type(scheduler *s, uint32_t set, uint32_t template_number, uint32_t offering_number)
{
    uint32_t value = s->templates.items[template_number].table->offerings[offering_number].capacity_type;
    return set_add(&s->algebra, set, requirement_in(&s->algebra, s->snapshot->known.capacity_type, value));
}

uint32_t guide_meet_zone(scheduler *s, uint32_t set, uint32_t template_number, uint32_t offering_number)
{
    uint32_t value = s->templates.items[template_number].table->offerings[offering_number].zone;
    if (value == NO_ID) return set;
    return set_add(&s->algebra, set, requirement_in(&s->algebra, s->snapshot->known.zone, value));
}

uint32_t guide_meet(scheduler *s, uint32_t x, uint32_t y) { return set_meet(&s->algebra, x, y); }
