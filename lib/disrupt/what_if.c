/* SPDX-License-Identifier: Apache-2.0 */
/* karp_what_if(): one scheduling round on the snapshot with the changes applied. */
#include <disrupt/changed_view.h>

#include <base/context.h>
#include <base/bits.h>
#include <base/error.h>
#include <base/strbuf.h>
#include <karp/values.h>
#include <schedule/provision.h>
#include <schedule/report.h>
#include <string.h>

static void describe(strbuf *b, const karp_change *c)
{
    char factor[KARP_VALUE_TEXT];
    switch (c->kind) {
    case KARP_CHANGE_REMOVE_NODE:
        strbuf_adds(b, "what if: without node ");
        strbuf_addstr(b, c->name);
        return;
    case KARP_CHANGE_LOSE_ZONE:
        strbuf_adds(b, "what if: without zone ");
        strbuf_addstr(b, c->name);
        strbuf_adds(b, ", which topology spread still counts as a domain");
        return;
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
        strbuf b;
        strbuf_init(&b, d->context);
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
    d->cost_before = d->cost_after = 0;
    for (uint32_t i = 0; i < v->snapshot->node_count; i++) {
        d->cost_before += node_price(v->snapshot, &v->snapshot->nodes[i]);
        if (bits_test(v->gone, i)) d->nodes.items[i].marked = 1;
        if (!d->nodes.items[i].marked) d->cost_after += d->nodes.items[i].price;
    }
    for (size_t i = 0; i < d->launches.count; i++) d->cost_after += d->launches.items[i].choice.price;
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

static bool loses_zone(const karp_change *changes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (changes[i].kind == KARP_CHANGE_LOSE_ZONE) return true;
    }
    return false;
}

static karp_status run(const changed_view *v, const karp_options *options, karp_decision **out, karp_error *error)
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
    if (status == KARP_OK) status = run(&v, &checked, &d, error);
    if (status == KARP_OK && loses_zone(changes, change_count)) status = soften(&v, &checked, d, error);
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
