/* SPDX-License-Identifier: Apache-2.0 */
/* karp_what_if(): one scheduling round on the snapshot with the changes applied. */
#include <base/bits.h>
#include <base/context.h>
#include <base/error.h>
#include <base/nearest.h>
#include <base/strbuf.h>
#include <karp/values.h>
#include <karp/what_if.h>
#include <schedule/movable.h>
#include <provision/provision.h>

/*
 * The snapshot with the changes applied. The view borrows everything but the offerings, whose prices and availability
 * it replaces. Removed nodes are listed separately, in the form that a scheduling round takes.
 */
typedef struct changed_view {
    const karp_snapshot *snapshot; /* the unchanged snapshot */
    karp_snapshot view;
    arena data;
    uint64_t *gone; /* removed state nodes, as a bit set */
    uint32_t *removed, removed_count; /* the same as a list, by name */
    uint32_t *moving, moving_count; /* their pods, by node and name */
} changed_view;

static bool is_text(const karp_snapshot *s, uint32_t id, karp_str text)
{
    return id != NO_ID && equal_str(text_of(s, id), text);
}

static karp_status not_found(const karp_change *c, const char *what, karp_error *error)
{
    return fail(error, KARP_E_NOT_FOUND, "no such %s: %.*s", what, str_shown(c->name, 200),
                c->name.len > 0 ? c->name.ptr : "");
}

/* Names the zones, or the capacity types, that there are. */
static karp_status no_such_name(const karp_snapshot *s, const karp_change *c, bool zones, karp_error *error)
{
    enum { NAMED_MOST = 12 };
    uint32_t seen[NAMED_MOST], count = 0;
    char names[400] = "";
    for (uint32_t t = 0; t < s->table_count; t++) {
        for (uint32_t i = 0; i < s->tables[t].offering_count && count < NAMED_MOST; i++) {
            const offering *o = &s->tables[t].offerings[i];
            uint32_t id = zones ? o->zone : o->capacity_type, k = 0;
            while (k < count && seen[k] != id) k++;
            if (id == NO_ID || k < count) continue;
            seen[count++] = id;
            karp_str name = text_of(s, id);
            str_append(names, sizeof names, "%s%.*s", count == 1 ? "; the catalogue has " : ", ", str_shown(name, 60),
                       name.ptr);
        }
    }
    return fail(error, KARP_E_NOT_FOUND, "no such %s: %.*s%s", zones ? "zone" : "capacity type",
                str_shown(c->name, 200), c->name.len > 0 ? c->name.ptr : "", names);
}

/* ---- the changes ------------------------------------------------------------------------------------------------- */

static karp_status remove_node(changed_view *v, const karp_change *c, karp_error *error)
{
    const karp_snapshot *s = v->snapshot;
    for (uint32_t i = 0; i < s->node_count; i++) {
        if (!equal_str(name_of(s, s->nodes[i].name), c->name)) continue;
        bits_set(v->gone, i);
        return KARP_OK;
    }
    return not_found(c, "node", error);
}

static karp_status lose_zone(changed_view *v, const karp_change *c, karp_error *error)
{
    const karp_snapshot *s = v->snapshot;
    bool found = false;
    for (uint32_t i = 0; i < s->node_count; i++) {
        uint32_t zone = label_get(s->nodes[i].labels, s->known.zone);
        if (!is_text(s, zone, c->name)) continue;
        bits_set(v->gone, i);
        found = true;
    }
    for (uint32_t t = 0; t < s->table_count; t++) {
        for (uint32_t i = 0; i < s->tables[t].offering_count; i++) {
            offering *o = &v->view.tables[t].offerings[i];
            if (!is_text(s, o->zone, c->name)) continue;
            o->available = false;
            found = true;
        }
    }
    return found ? KARP_OK : no_such_name(s, c, true, error);
}

static karp_status scale_price(changed_view *v, const karp_change *c, karp_error *error)
{
    const karp_snapshot *s = v->snapshot;
    const double most = 1.7976931348623157e308;
    bool found = c->name.len == 0;
    if (!(c->factor >= 0 && c->factor <= most))
        return fail(error, KARP_E_INVALID, "a price factor must be finite and not negative");
    for (uint32_t t = 0; t < s->table_count; t++) {
        for (uint32_t i = 0; i < s->tables[t].offering_count; i++) {
            offering *o = &v->view.tables[t].offerings[i];
            if (c->name.len > 0 && !is_text(s, o->capacity_type, c->name)) continue;
            o->price *= c->factor;
            o->list_price *= c->factor;
            if (o->price > most) return fail(error, KARP_E_INVALID, "a price factor makes a price infinite");
            found = true;
        }
    }
    /* Karpenter's own capacity types are valid even without such an offering. */
    bool known = str_in_list(c->name, "spot on-demand reserved");
    return found || known ? KARP_OK : no_such_name(s, c, false, error);
}

/* The next part of "TYPE/ZONE/CAPACITY"; "" = it is not stated. */
static karp_str next_part(karp_str *rest)
{
    size_t length = 0;
    while (length < rest->len && rest->ptr[length] != '/') length++;
    karp_str part = { rest->ptr, length };
    size_t skip = length < rest->len ? length + 1 : length;
    *rest = (karp_str){ rest->ptr + skip, rest->len - skip };
    return part;
}

/* A part that is not stated, or "*", is that of every offering. */
static bool is_part(const karp_snapshot *s, karp_str part, uint32_t text)
{
    return part.len == 0 || str_is(part, "*") || is_text(s, text, part);
}

static karp_status no_such_offering(const karp_snapshot *s, const karp_change *c, karp_str type, karp_error *error)
{
    nearest near = nearest_to_value(str(LABEL_TYPE), type);
    bool known = str_is(type, "*");
    for (uint32_t t = 0; t < s->table_count; t++) {
        for (uint32_t i = 0; i < s->tables[t].type_count; i++) {
            karp_str name = text_of(s, s->tables[t].types[i].name);
            known = known || equal_str(name, type);
            nearest_offer(&near, name);
        }
    }
    if (known) {
        karp_str rest = { type.ptr + type.len + 1, c->name.len - type.len - 1 };
        return fail(error, KARP_E_NOT_FOUND, "%.*s has no offering in %.*s (karp catalogue lists its offerings)",
                    str_shown(type, 200), type.ptr, str_shown(rest, 200), rest.ptr);
    }
    if (near.best.ptr == NULL) return not_found(c, "offering", error);
    return fail(error, KARP_E_NOT_FOUND, "no such instance type: %.*s; did you mean %.*s?", str_shown(type, 200),
                type.ptr, str_shown(near.best, 60), near.best.ptr);
}

static karp_status lose_offerings(changed_view *v, const karp_change *c, karp_error *error)
{
    const karp_snapshot *s = v->snapshot;
    karp_str rest = c->name, type = next_part(&rest), zone = next_part(&rest), capacity_type = next_part(&rest);
    bool found = false;
    if (type.len == 0 || rest.len > 0) return not_found(c, "instance type, as TYPE[/ZONE[/CAPACITY]],", error);
    for (uint32_t t = 0; t < s->table_count; t++) {
        for (uint32_t i = 0; i < s->tables[t].offering_count; i++) {
            offering *o = &v->view.tables[t].offerings[i];
            if (!is_part(s, type, s->tables[t].types[o->type].name) || !is_part(s, zone, o->zone) ||
                !is_part(s, capacity_type, o->capacity_type))
                continue;
            o->available = false;
            found = true;
        }
    }
    return found ? KARP_OK : no_such_offering(s, c, type, error);
}

static karp_status apply(changed_view *v, const karp_change *c, karp_error *error)
{
    if (c->name.ptr == NULL && c->name.len > 0) return fail(error, KARP_E_INVALID, "a change has a name without text");
    if (c->reserved != 0) return fail_reserved(error, "karp_change");
    switch (c->kind) {
    case KARP_CHANGE_REMOVE_NODE: return remove_node(v, c, error);
    case KARP_CHANGE_LOSE_ZONE: return lose_zone(v, c, error);
    case KARP_CHANGE_SCALE_PRICE: return scale_price(v, c, error);
    case KARP_CHANGE_UNAVAILABLE: return lose_offerings(v, c, error);
    default: return fail(error, KARP_E_INVALID, "unknown kind of change %u", (unsigned)c->kind);
    }
}

/* ---- the view ---------------------------------------------------------------------------------------------------- */

/* Without copies of offerings that nothing changes. */
static bool borrow(changed_view *v, const karp_change *changes, size_t count)
{
    const karp_snapshot *s = v->snapshot;
    bool own_offerings = false;
    snapshot_borrow(&v->view, s);
    for (size_t i = 0; i < count; i++) own_offerings = own_offerings || changes[i].kind != KARP_CHANGE_REMOVE_NODE;
    if (!own_offerings) return true;
    v->view.tables = arena_array(&v->data, s->table_count + (size_t)1, sizeof *s->tables);
    if (v->view.tables == NULL) return false;
    for (uint32_t t = 0; t < s->table_count; t++) {
        type_table *own = &v->view.tables[t];
        *own = s->tables[t];
        if (own->offering_count == 0) continue;
        own->offerings = arena_copy(&v->data, s->tables[t].offerings, own->offering_count * sizeof *own->offerings);
        if (own->offerings == NULL) return false;
    }
    return true;
}

/* Lists the removed nodes and their pods. The pods of a lost node move even if they could not be evicted. */
static bool list_gone(changed_view *v)
{
    const karp_snapshot *s = v->snapshot;
    size_t pods = 0;
    for (uint32_t i = 0; i < s->node_count; i++) pods += bits_test(v->gone, i) ? s->nodes[i].all_pod_count : 0;
    v->removed = arena_array(&v->data, s->node_count + (size_t)1, sizeof *v->removed);
    v->moving = arena_array(&v->data, pods + 1, sizeof *v->moving);
    if (v->removed == NULL || v->moving == NULL) return false;
    for (uint32_t i = 0; i < s->node_count; i++) {
        const state_node *n = &s->nodes[i];
        if (!bits_test(v->gone, i)) continue;
        v->removed[v->removed_count++] = i;
        for (uint32_t k = 0; k < n->all_pod_count; k++) {
            if (pod_reschedulable(pod_at(&s->raw, n->all_pods[k]))) v->moving[v->moving_count++] = n->all_pods[k];
        }
    }
    return true;
}

static karp_status changed_view_init(changed_view *v, const karp_snapshot *snapshot, const karp_change *changes,
                                     size_t count, karp_error *error)
{
    memset(v, 0, sizeof *v);
    v->snapshot = snapshot;
    arena_init(&v->data, snapshot->context);
    v->gone = arena_array(&v->data, bits_words(snapshot->node_count) + 1, sizeof *v->gone);
    if (v->gone == NULL || !borrow(v, changes, count)) return fail_nomem(error);
    for (size_t i = 0; i < count; i++) {
        karp_status status = apply(v, &changes[i], error);
        if (status != KARP_OK) return status;
    }
    return list_gone(v) ? KARP_OK : fail_nomem(error);
}

static void changed_view_free(changed_view *v) { arena_free(&v->data); }

/* ---- the round --------------------------------------------------------------------------------------------------- */

static void describe(strbuf *b, const karp_change *c)
{
    char factor[KARP_VALUE_TEXT];
    switch (c->kind) {
    case KARP_CHANGE_REMOVE_NODE: strbuf_put(b, "what if: without node ", c->name, ""); return;
    case KARP_CHANGE_LOSE_ZONE:
        strbuf_put(b, "what if: without zone ", c->name, ", which topology spread still counts as a domain");
        return;
    case KARP_CHANGE_UNAVAILABLE: strbuf_put(b, "what if: nothing available of ", c->name, ""); return;
    default:
        karp_double_format(c->factor, factor);
        strbuf_adds(b, "what if: prices of ");
        if (c->name.len > 0) strbuf_addstr(b, c->name);
        else strbuf_adds(b, "everything");
        strbuf_adds(b, " times ");
        strbuf_adds(b, factor);
    }
}

static bool note_changes(karp_decision *d, const karp_change *changes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        strbuf b = strbuf_on(d->context);
        describe(&b, &changes[i]);
        bool ok = !b.failed && decision_warn(d, b.ptr, b.len);
        strbuf_free(&b);
        if (!ok) return false;
    }
    return true;
}

/* Before: every node at current prices. After: the remaining nodes and the launches, at changed prices. */
static void count_costs(const changed_view *v, karp_decision *d)
{
    d->cost_before = 0;
    for (uint32_t i = 0; i < v->snapshot->node_count; i++) {
        d->cost_before += node_price(v->snapshot, &v->snapshot->nodes[i]);
        if (bits_test(v->gone, i)) d->nodes.items[i].marked = 1;
    }
    d->cost_after = decision_with_launches(d, decision_staying(d));
}

/* A lost zone may come back: a pod that is only unschedulable without the zone is not permanently unschedulable. */
static karp_status soften(const changed_view *v, const karp_options *options, karp_decision *d, karp_error *error)
{
    karp_decision *usual = NULL;
    bool some = false;
    for (size_t i = 0; i < d->unschedulable.count; i++) some = some || d->unschedulable.items[i].permanent != 0;
    if (!some) return KARP_OK;
    karp_status status = karp_provision(v->snapshot, options, &usual, error);
    if (status != KARP_OK) return status;
    size_t pods = v->snapshot->raw.pods.count;
    uint8_t *for_good = mem_zalloc(d->context, pods + 1); /* by pod: permanently unschedulable even with the zone */
    for (size_t i = 0; i < usual->unschedulable.count && for_good != NULL; i++) {
        const karp_unschedulable *row = &usual->unschedulable.items[i];
        if (row->permanent != 0) for_good[row->pod] = 1;
    }
    for (size_t i = 0; i < d->unschedulable.count && for_good != NULL; i++) {
        karp_unschedulable *row = &d->unschedulable.items[i];
        if (!for_good[row->pod]) row->permanent = 0;
    }
    bool refused = for_good == NULL;
    mem_free(d->context, for_good, pods + 1);
    karp_decision_unref(usual);
    return refused ? fail_nomem(error) : KARP_OK;
}

static bool loses_offerings(const karp_change *changes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (changes[i].kind == KARP_CHANGE_LOSE_ZONE || changes[i].kind == KARP_CHANGE_UNAVAILABLE) return true;
    }
    return false;
}

static karp_status decide_changed(const changed_view *v, const karp_options *options, karp_decision **out,
                                  karp_error *error)
{
    const round_changes changes = { v->removed, v->removed_count, v->moving, v->moving_count };
    return provision_view(&v->view, options, &changes, out, error);
}

size_t karp_decision_change_count(const karp_decision *decision) { return decision->changes; }

karp_status karp_what_if(const karp_snapshot *snapshot, const karp_change *changes, size_t change_count,
                         const karp_options *options, karp_decision **out, karp_error *error)
{
    karp_options checked;
    karp_snapshot known;
    changed_view v;
    karp_decision *d = NULL;
    if (snapshot == NULL || out == NULL)
        return fail(error, KARP_E_INVALID, "a snapshot and a place for the decision are needed");
    if (changes == NULL && change_count > 0)
        return fail(error, KARP_E_INVALID, "change_count is not 0, but there are no changes");
    karp_status status = options_check(options, &checked, error);
    if (status != KARP_OK) return status;
    status = changed_view_init(&v, options_view(&checked, snapshot, &known), changes, change_count, error);
    if (status == KARP_OK) status = decide_changed(&v, &checked, &d, error);
    if (status == KARP_OK && loses_offerings(changes, change_count)) status = soften(&v, &checked, d, error);
    if (status == KARP_OK) {
        d->changes = change_count;
        count_costs(&v, d);
        if (!note_changes(d, changes, change_count)) status = fail_nomem(error);
    }
    changed_view_free(&v);
    if (status != KARP_OK) {
        karp_decision_unref(d);
        return context_refusal(snapshot->context, status, error);
    }
    *out = d;
    return KARP_OK;
}
