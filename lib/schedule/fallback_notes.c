/* SPDX-License-Identifier: Apache-2.0 */
/* Notes on launches that are on-demand although their NodePool allows spot: Karpenter fills a node with pods before it
 * looks at capacity types, so that only types without spot may be left. */
#include <base/str.h>
#include <schedule/pricing.h>
#include <schedule/report.h>
#include <schedule/result.h>
#include <schedule/scheduler.h>
#include <schedule/types.h>

/* The cheapest offering of spot, or some one, of those variants that have room for the vector; NULL = there is none. */
static const offering *spot_among(scheduler *s, const template_ *t, const uint64_t *bits, uint32_t set,
                                  const int64_t *room, bool some)
{
    const offering *best = NULL;
    const type_table *table = t->table;
    const uint64_t *offered = offerings_offered(s, table, set);
    for (size_t i = offered == NULL ? table->offering_count : bits_next(offered, table->offering_count, 0);
         i < table->offering_count; i = bits_next(offered, table->offering_count, i + 1)) {
        const offering *o = &table->offerings[i];
        if (o->capacity_type != s->snapshot->known.spot || (best != NULL && o->price >= best->price)) continue;
        if (o->variant == NO_ID || !bits_test(bits, o->variant) || !variant_fits(s, t, o->variant, room)) continue;
        best = o;
        if (some) break;
    }
    return best;
}

/* Whether the claim may be spot by its requirements, and is on-demand as none of its types has spot. */
static bool falls_back(scheduler *s, const claim *c)
{
    if (!result_allows(s, c->set, s->snapshot->known.spot)) return false;
    return spot_among(s, &s->templates.items[c->template_], s->types.sets.items[c->types].bits, c->set, c->requests,
                      true) == NULL;
}

static bool add_note(scheduler *s, karp_decision *d, const karp_launch *l, const template_ *t, const offering *o)
{
    strbuf b = strbuf_on(s->context);
    strbuf_addstr(&b, l->id);
    strbuf_put(&b, " is on-demand, though NodePool ", l->node_pool, " allows spot: no type that holds its ");
    strbuf_addu(&b, l->pod_count);
    strbuf_put(&b, " pods has spot capacity now, but ", text_of(s->snapshot, t->table->types[o->type].name), "");
    strbuf_adds(&b,
                " has for fewer of them; Karpenter fills a node before it looks at capacity types, so that spot in a "
                "NodePool of its own, of a higher weight, comes first");
    bool ok = !b.failed && decision_warn(d, b.ptr, b.len);
    strbuf_free(&b);
    return ok;
}

/* The launch of that name, "new-N"; NULL = there is none. */
static const karp_launch *launch_named(const karp_decision *d, karp_str id)
{
    size_t number = 0;
    for (size_t i = sizeof "new-" - 1; i < id.len; i++) number = number * 10 + (size_t)(id.ptr[i] - '0');
    return number > 0 && number <= d->launches.count ? &d->launches.items[number - 1] : NULL;
}

bool report_fallbacks(scheduler *s, karp_decision *d)
{
    karp_str spot = text_of(s->snapshot, s->snapshot->known.spot);
    for (uint32_t i = 0; i < s->claims.list.count && s->launches.ids != NULL; i++) {
        const claim *c = &s->claims.list.items[i];
        if (c->dropped || c->pods < 2 || c->reserved_count > 0) continue;
        const template_ *t = &s->templates.items[c->template_];
        const karp_launch *l = launch_named(d, s->launches.ids[i]);
        if (l == NULL || l->pod_count == 0 || equal_str(l->choice.capacity_type, spot) || !falls_back(s, c)) continue;
        const int64_t *room = s->pods.classes[s->snapshot->pod_class[l->pods[0]]].requests;
        const offering *o = spot_among(s, t, s->types.sets.items[t->initial].bits, c->set, room, false);
        return !s->failed && !s->algebra.failed && (o == NULL || add_note(s, d, l, t, o));
    }
    return !s->failed && !s->algebra.failed;
}
