/* SPDX-License-Identifier: Apache-2.0 */
/* Unavailable offerings, and their effect on a launch. */
#include <replay/engine.h>

#include <base/admit.h>

#include <karp/inspect.h>

#define UNAVAILABLE (180 * SECOND) /* how long Karpenter avoids an unavailable offering */

/* ---- unavailable offerings --------------------------------------------------------------------------------------- */

bool loss_applies(const replay_loss *l, karp_str type, karp_str zone, karp_str capacity_type)
{
    return (l->instance_type.len == 0 || equal_str(l->instance_type, type)) &&
           (l->zone.len == 0 || equal_str(l->zone, zone)) &&
           (l->capacity_type.len == 0 || equal_str(l->capacity_type, capacity_type));
}

/* A slot that is no longer needed, or a new one. */
static replay_loss *free_loss(engine *e)
{
    for (size_t i = 0; i < e->losses.count; i++) {
        if (e->losses.list[i].interrupted && e->losses.list[i].until <= e->now && !e->losses.list[i].known)
            return &e->losses.list[i];
    }
    if (grow(e->context, (void **)&e->losses.list, &e->losses.capacity, e->losses.count + 1, sizeof *e->losses.list))
        return &e->losses.list[e->losses.count++];
    engine_nomem(e);
    return NULL;
}

void note_interrupted(engine *e, uint32_t node)
{
    const replay_node *n = &e->nodes.list[node];
    replay_loss *l = free_loss(e);
    if (l) *l = (replay_loss){ n->instance_type, n->zone, n->capacity_type, e->now + UNAVAILABLE, false, true };
}

/* Whether the cloud has no such capacity. The launch detects this, and Karpenter avoids the offering for 3 minutes. */
static bool sold_out(engine *e, karp_str type, karp_str zone, karp_str capacity_type)
{
    bool out = false;
    for (size_t i = 0; i < e->losses.count; i++) {
        replay_loss *l = &e->losses.list[i];
        if (l->until <= e->now || !loss_applies(l, type, zone, capacity_type)) continue;
        out = true;
        if (l->known) continue;
        l->known = true;
        e->objects.stale = e->objects.stale || !l->interrupted;
        engine_at(e, l->interrupted ? l->until : e->now + UNAVAILABLE, EVENT_RETRY, (uint32_t)i, 0);
    }
    return out;
}

/* ---- reservations ------------------------------------------------------------------------------------------------ */

void reservation_take(engine *e, uint32_t node, int64_t instances)
{
    const replay_node *n = &e->nodes.list[node];
    struct replay_reservations *r = &e->reservations;
    size_t at = 0;
    if (!str_is(n->capacity_type, "reserved")) return;
    while (at < r->count && r->list[at].kind != n->kind) at++;
    if (at == r->count && !grow(e->context, (void **)&r->list, &r->capacity, at + 1, sizeof *r->list)) {
        engine_nomem(e);
        return;
    }
    if (at == r->count) r->list[r->count++] = (replay_reserved){ .kind = n->kind };
    r->list[at].taken += instances;
}

karp_status reservations_show(engine *e, karp_builder *builder)
{
    uint32_t version = e->decision.profile == KARP_PROFILE_KARPENTER ? e->decision.peer_version : KARP_PEER_NEWEST;
    karp_status status = KARP_OK;
    for (size_t i = 0; i < e->reservations.count && !status; i++) {
        replay_reserved *r = &e->reservations.list[i];
        const replay_kind *k = &e->nodes.kinds[r->kind];
        if (r->taken == r->shown) continue;
        status = karp_builder_take_reserved(builder, k->labels, k->label_count, r->taken - r->shown, version,
                                            &e->error);
        r->shown = r->taken;
    }
    return status;
}

/* Whether the reservation of the offering has no free instance now. */
static bool is_full(const engine *e, const karp_offering *o)
{
    int64_t left = o->reservation_capacity;
    if (!str_is(requirement_single(o->requirements, o->requirement_count, LABEL_CAPACITY_TYPE), "reserved"))
        return false;
    for (size_t i = 0; i < e->reservations.count; i++) {
        const replay_kind *k = &e->nodes.kinds[e->reservations.list[i].kind];
        bool same = true;
        for (size_t r = 0; r < o->requirement_count && same; r++) {
            const karp_requirement *q = &o->requirements[r];
            const karp_str *value = label_value(k->labels, k->label_count, q->key);
            same = q->op != KARP_OP_IN || q->value_count != 1 || (value && equal_str(*value, q->values[0]));
        }
        if (same) left -= e->reservations.list[i].taken;
    }
    return left <= 0;
}

/* The instances of a reservation with this id that were taken since the replay began. */
static int64_t taken_of(const engine *e, karp_str id)
{
    int64_t taken = 0;
    for (size_t i = 0; id.len > 0 && i < e->reservations.count; i++) {
        const replay_kind *k = &e->nodes.kinds[e->reservations.list[i].kind];
        bool same = false;
        for (size_t l = 0; l < k->label_count && !same; l++) same = equal_str(k->labels[l].value, id);
        if (same) taken += e->reservations.list[i].taken;
    }
    return taken;
}

const tree *reservations_of(const tree *object) { return tree_get(tree_get(object, "status"), "capacityReservations"); }

void reservations_state(engine *e, trees *t, tree *object)
{
    const tree *list = reservations_of(object);
    tree *now = tree_new(t, TREE_LIST);
    for (size_t i = 0; i < tree_count(list); i++) {
        tree *one = tree_copy(t, tree_item(list, i));
        int64_t taken = taken_of(e, tree_get_text(one, "id")), free_ = 0;
        if (taken != 0 && tree_integer(tree_get(one, "availableInstanceCount"), &free_))
            tree_set(t, one, "availableInstanceCount", tree_new_integer(t, free_ > taken ? free_ - taken : 0));
        tree_append(t, now, one);
    }
    tree_set(t, tree_get_or_make(t, object, "status"), "capacityReservations", now);
}

/* ---- constraints of a launch ------------------------------------------------------------------------------------- */

/* The launch of a static pool lists no types: any type that its requirements permit is allowed. */
static bool allows_type(const karp_launch *launch, const karp_instance_type *type)
{
    if (str_in(type->name, launch->instance_types, launch->instance_type_count)) return true;
    return launch->instance_type_count == 0 && requirements_agree(launch->requirements, launch->requirement_count,
                                                                  type->requirements, type->requirement_count);
}

/* ---- the machine ------------------------------------------------------------------------------------------------- */

static void try_type(engine *e, const karp_launch *launch, const karp_catalogue *from, size_t index, machine *best)
{
    const karp_instance_type *type = karp_catalogue_type(from, index);
    for (size_t i = 0; i < type->offering_count; i++) {
        const karp_offering *o = &type->offerings[i];
        karp_str zone = requirement_single(o->requirements, o->requirement_count, LABEL_ZONE),
                 capacity = requirement_single(o->requirements, o->requirement_count, LABEL_CAPACITY_TYPE);
        if (!o->available || (best->offering && o->price >= best->choice.price) ||
            !requirements_agree(launch->requirements, launch->requirement_count, o->requirements,
                                o->requirement_count) ||
            is_full(e, o) || sold_out(e, type->name, zone, capacity))
            continue;
        best->choice = (karp_choice){ type->name, zone, capacity, o->price };
        best->type = type;
        best->offering = o;
        best->allocatable = karp_catalogue_allocatable(from, index, &best->allocatable_count);
    }
}

const karp_catalogue *engine_catalogue(const engine *e, karp_str pool)
{
    const replay_base *b = e->base;
    if (e->options->catalogue) return e->options->catalogue;
    for (size_t i = 0; i < b->catalogue_count; i++) {
        if (b->catalogue_pool_counts[i] == 0) return b->catalogues[i];
        for (size_t k = 0; k < b->catalogue_pool_counts[i]; k++) {
            if (equal_str(b->catalogue_pools[i][k], pool)) return b->catalogues[i];
        }
    }
    return NULL;
}

/* Of offerings that differ in nothing but their zone the cloud takes any. */
static void take_any_zone(engine *e, const karp_launch *launch, machine *out)
{
    enum { ZONE = 41 };
    const karp_choice *c = &launch->choice;
    const karp_catalogue *from = engine_catalogue(e, launch->node_pool);
    const karp_instance_type *type = NULL;
    size_t at = 0, equals = 0;
    for (size_t i = 0; i < (from ? karp_catalogue_count(from) : 0) && !type; i++) {
        at = i;
        if (equal_str(karp_catalogue_type(from, i)->name, c->instance_type)) type = karp_catalogue_type(from, i);
    }
    for (size_t i = 0; type && i < type->offering_count; i++) {
        const karp_offering *o = &type->offerings[i];
        karp_str zone = requirement_single(o->requirements, o->requirement_count, LABEL_ZONE),
                 capacity = requirement_single(o->requirements, o->requirement_count, LABEL_CAPACITY_TYPE);
        if (!o->available || o->price != c->price || !equal_str(capacity, c->capacity_type) ||
            !requirements_agree(launch->requirements, launch->requirement_count, o->requirements,
                                o->requirement_count) ||
            sold_out(e, type->name, zone, capacity))
            continue;
        equals++;
        if (engine_random(e, e->nodes.next_serial, ZONE + equals) % equals != 0) continue;
        *out = (machine){ .choice = { type->name, zone, capacity, o->price }, .type = type, .offering = o };
        out->allocatable = karp_catalogue_allocatable(from, at, &out->allocatable_count);
    }
}

bool find_machine(engine *e, const karp_launch *launch, machine *out)
{
    *out = (machine){ .choice = launch->choice,
                      .allocatable = launch->allocatable,
                      .allocatable_count = launch->allocatable_count };
    const karp_choice *c = &launch->choice;
    if (c->instance_type.len == 0) return false;
    if (!sold_out(e, c->instance_type, c->zone, c->capacity_type)) {
        if (!str_is(c->capacity_type, "reserved")) take_any_zone(e, launch, out);
        return true;
    }
    const karp_catalogue *from = engine_catalogue(e, launch->node_pool);
    for (size_t i = 0; i < (from ? karp_catalogue_count(from) : 0); i++) {
        if (allows_type(launch, karp_catalogue_type(from, i))) try_type(e, launch, from, i, out);
    }
    return out->offering != NULL;
}
