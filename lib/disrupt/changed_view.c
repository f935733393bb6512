/* SPDX-License-Identifier: Apache-2.0 */
#include <disrupt/changed_view.h>

#include <base/bits.h>
#include <base/error.h>
#include <base/str.h>
#include <base/sort.h>
#include <schedule/movable.h>
#include <string.h>

static bool is_text(const karp_snapshot *w, uint32_t id, karp_str text)
{
    return id != NO_ID && equal_str(text_of(w, id), text);
}

static karp_status not_found(const karp_change *c, const char *what, karp_error *error)
{
    int shown = c->name.len > 200 ? 200 : (int)c->name.len;
    return fail(error, KARP_E_NOT_FOUND, "no such %s: %.*s", what, shown, c->name.len > 0 ? c->name.ptr : "");
}

/* ---- the changes ------------------------------------------------------------------------------------------------------ */

static karp_status remove_node(changed_view *v, const karp_change *c, karp_error *error)
{
    const karp_snapshot *w = v->snapshot;
    for (uint32_t i = 0; i < w->node_count; i++) {
        if (!equal_str(name_of(w, w->nodes[i].name), c->name)) continue;
        bits_set(v->gone, i);
        return KARP_OK;
    }
    return not_found(c, "node", error);
}

static karp_status lose_zone(changed_view *v, const karp_change *c, karp_error *error)
{
    const karp_snapshot *w = v->snapshot;
    bool found = false;
    for (uint32_t i = 0; i < w->node_count; i++) {
        uint32_t zone = label_get(w->nodes[i].labels, w->known.zone);
        if (!is_text(w, zone, c->name)) continue;
        bits_set(v->gone, i);
        found = true;
    }
    for (uint32_t t = 0; t < w->table_count; t++) {
        for (uint32_t i = 0; i < w->tables[t].offering_count; i++) {
            offering *o = &v->view.tables[t].offerings[i];
            if (!is_text(w, o->zone, c->name)) continue;
            o->available = false;
            found = true;
        }
    }
    return found ? KARP_OK : not_found(c, "zone", error);
}

static karp_status scale_price(changed_view *v, const karp_change *c, karp_error *error)
{
    const karp_snapshot *w = v->snapshot;
    const double most = 1.7976931348623157e308;
    bool found = c->name.len == 0;
    if (!(c->factor >= 0 && c->factor <= most))
        return fail(error, KARP_E_INVALID, "a price factor must be finite and not negative");
    for (uint32_t t = 0; t < w->table_count; t++) {
        for (uint32_t i = 0; i < w->tables[t].offering_count; i++) {
            offering *o = &v->view.tables[t].offerings[i];
            if (c->name.len > 0 && !is_text(w, o->capacity_type, c->name)) continue;
            o->price *= c->factor;
            if (o->price > most) return fail(error, KARP_E_INVALID, "a price factor makes a price infinite");
            found = true;
        }
    }
    /* Karpenter's own capacity types are valid even without such an offering. */
    bool known = str_is(c->name, "spot") || str_is(c->name, "on-demand") || str_is(c->name, "reserved");
    return found || known ? KARP_OK : not_found(c, "capacity type", error);
}

static karp_status apply(changed_view *v, const karp_change *c, karp_error *error)
{
    if (c->name.ptr == NULL && c->name.len > 0) return fail(error, KARP_E_INVALID, "a change has a name without text");
    if (c->reserved != 0) return fail_reserved(error, "karp_change");
    switch (c->kind) {
    case KARP_CHANGE_REMOVE_NODE: return remove_node(v, c, error);
    case KARP_CHANGE_LOSE_ZONE: return lose_zone(v, c, error);
    case KARP_CHANGE_SCALE_PRICE: return scale_price(v, c, error);
    default: return fail(error, KARP_E_INVALID, "unknown kind of change %u", (unsigned)c->kind);
    }
}

/* ---- the view ---------------------------------------------------------------------------------------------------------- */

static bool borrow(changed_view *v)
{
    const karp_snapshot *w = v->snapshot;
    snapshot_borrow(&v->view, w);
    v->view.tables = arena_array(&v->data, w->table_count + (size_t)1, sizeof *w->tables);
    if (v->view.tables == NULL) return false;
    for (uint32_t t = 0; t < w->table_count; t++) {
        type_table *own = &v->view.tables[t];
        *own = w->tables[t];
        if (own->offering_count == 0) continue;
        own->offerings = arena_copy(&v->data, w->tables[t].offerings, own->offering_count * sizeof *own->offerings);
        if (own->offerings == NULL) return false;
    }
    return true;
}

/* Lists the removed nodes and their pods. The pods of a lost node move even if they could not be evicted. */
static bool list_gone(changed_view *v)
{
    const karp_snapshot *w = v->snapshot;
    size_t pods = 0;
    for (uint32_t i = 0; i < w->node_count; i++) pods += bits_test(v->gone, i) ? w->nodes[i].all_pod_count : 0;
    v->removed = arena_array(&v->data, w->node_count + (size_t)1, sizeof *v->removed);
    v->moving = arena_array(&v->data, pods + 1, sizeof *v->moving);
    if (v->removed == NULL || v->moving == NULL) return false;
    for (uint32_t i = 0; i < w->node_count; i++) {
        const state_node *n = &w->nodes[i];
        if (!bits_test(v->gone, i)) continue;
        v->removed[v->removed_count++] = i;
        for (uint32_t k = 0; k < n->all_pod_count; k++) {
            if (pod_reschedulable(pod_at(&w->raw, n->all_pods[k]))) v->moving[v->moving_count++] = n->all_pods[k];
        }
    }
    return true;
}

karp_status changed_view_init(changed_view *v, const karp_snapshot *snapshot, const karp_change *changes, size_t count,
                              karp_error *error)
{
    memset(v, 0, sizeof *v);
    v->snapshot = snapshot;
    arena_init(&v->data, snapshot->context);
    v->gone = arena_array(&v->data, bits_words(snapshot->node_count) + 1, sizeof *v->gone);
    if (v->gone == NULL || !borrow(v)) return fail_nomem(error);
    for (size_t i = 0; i < count; i++) {
        karp_status status = apply(v, &changes[i], error);
        if (status != KARP_OK) return status;
    }
    return list_gone(v) ? KARP_OK : fail_nomem(error);
}

void changed_view_free(changed_view *v) { arena_free(&v->data); }
