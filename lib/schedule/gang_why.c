/* SPDX-License-Identifier: Apache-2.0 */
/* Why a group cannot start. */
#include <schedule/gang_why.h>

#include <base/str.h>
#include <schedule/scheduler.h>

/* The member that was tried and did not get a place, with its outcome; NULL = there is none. */
static const struct pod_outcome *first_left(scheduler *s, const member_group *g, uint32_t *pod_number)
{
    for (uint32_t i = 0; i < g->pod_count && s->placement.outcomes != NULL; i++) {
        uint32_t p = g->pods[i];
        const struct pod_outcome *o = &s->placement.outcomes[p];
        if (exclusion(&s->pods, p) == 0 || placement_get(s, p).where != PLACE_NONE || o->view == NO_ID) continue;
        *pod_number = p;
        return o;
    }
    return NULL;
}

/* The NodePools that would launch for the pod if their limits allowed it. */
static void add_limits(scheduler *s, uint32_t pod_number, uint32_t view_number, strbuf *b)
{
    for (uint32_t t = 0; t < s->templates.count && !s->failed; t++) {
        uint32_t pool = s->templates.items[t].pool;
        if (s->templates.limits[pool].count == 0 || !template_limited(s, t, pod_number, view_number)) continue;
        strbuf_adds(b, b->len > 0 ? "; NodePool " : "NodePool ");
        strbuf_put(b, "", name_of(s->snapshot, s->snapshot->raw.pools.items[pool].meta.name), " has reached its ");
        limits_name(s->snapshot, pool, b);
    }
}

/* NULL = not known, or out of memory. */
static const char *why(scheduler *s, const member_group *g, uint32_t *pod_number)
{
    const struct pod_outcome *o = first_left(s, g, pod_number);
    if (o == NULL) return NULL;
    strbuf b = strbuf_on(s->context);
    add_limits(s, *pod_number, o->view, &b);
    bool limits = o->reason == KARP_REASON_LIMITS || o->reason == KARP_REASON_NODE_LIMITS;
    if (b.len == 0 && limits) strbuf_adds(&b, "no node has room for more, and no NodePool launches one that could");
    else if (b.len == 0) strbuf_adds(&b, karp_reason_text(o->reason));
    const char *text = b.failed ? NULL : arena_string(&s->round.data, b.len > 0 ? b.ptr : "", b.len);
    if (text == NULL) s->failed = true;
    strbuf_free(&b);
    return text;
}

void gang_note_try(scheduler *s, const member_group *g, gang_result *r, const gang_domain *domain, const gang_try *one)
{
    if (r->try_count++ >= MOST_TRIES) return;
    gang_try *t = &r->tries[r->try_count - 1];
    *t = *one;
    t->pod = NO_ID;
    if (domain != NULL)
        t->domain = domain->value == NO_ID ? str("a node to be launched") : text_of(s->snapshot, domain->value);
    if (!g->composite) t->why = why(s, g, &t->pod);
}

void gang_add_tries(const gang_result *r, strbuf *out)
{
    for (uint32_t i = 0; i < r->try_count && i < MOST_TRIES; i++) {
        const gang_try *t = &r->tries[i];
        if (i > 0) strbuf_adds(out, "; ");
        if (t->domain.ptr != NULL) {
            strbuf_put(out, "in ", t->domain, " ");
        }
        strbuf_addu(out, t->fit);
        strbuf_putu(out, " of ", t->least, "");
        strbuf_adds(out, t->unit);
        if (t->why == NULL) continue;
        strbuf_adds(out, ": ");
        strbuf_adds(out, t->why);
    }
    if (r->try_count > MOST_TRIES) {
        strbuf_putu(out, "; and ", r->try_count - MOST_TRIES, " more domains");
    }
    if (r->gave_up) strbuf_adds(out, "; not all other places were tried");
}
