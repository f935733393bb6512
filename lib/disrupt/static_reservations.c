/* SPDX-License-Identifier: Apache-2.0 */
#include <disrupt/static_reservations.h>

#include <base/error.h>
#include <schedule/result.h>

karp_status static_reservations(pass *p, uint32_t pool, pool_reservations *out, karp_error *error)
{
    const karp_snapshot *w = p->snapshot;
    const run_options how = { .options = &p->options, .simulation = true };
    *out = (pool_reservations){ .full = true };
    if (w->pool_table[pool] == NO_ID) return KARP_OK;
    const type_table *t = &w->tables[w->pool_table[pool]];
    uint32_t *offered = arena_array(&p->data, t->offering_count + (size_t)1, sizeof *offered);
    scheduler *s = NULL;
    if (offered == NULL) return fail_nomem(error);
    karp_status status = scheduler_new(w, &how, &s, error);
    if (status != KARP_OK) return status;
    bool ok = result_static_reserved(s, pool, offered, &out->offered_count, &out->full);
    out->offered = offered;
    scheduler_free(s);
    return ok ? KARP_OK : fail_nomem(error);
}

uint32_t reservation_held(const pass *p, const candidate *c)
{
    const karp_snapshot *w = p->snapshot;
    if (w->raw.reservation_id == NO_TEXT || c->capacity_type != w->known.reserved) return NO_ID;
    return label_get(w->nodes[c->node].labels, w->raw.reservation_id);
}

bool holds_reservation(const pass *p, const candidate *c, const pool_reservations *r)
{
    uint32_t own = reservation_held(p, c);
    for (uint32_t i = 0; i < r->offered_count; i++) {
        if (own != NO_ID && r->offered[i] == own) return true;
    }
    return false;
}

bool pool_may_launch_later(const pass *p, uint32_t pool)
{
    const node_pool *n = &p->snapshot->raw.pools.items[pool];
    const condition *ready = condition_find(n->conditions, p->snapshot->known.ready);
    return n->meta.deletion == KARP_NO_TIME && ready != NULL && ready->status == p->snapshot->known.status_true;
}
