/* SPDX-License-Identifier: Apache-2.0 */
/* Of a pod with a new node: the value of a topology key that its spread or affinity chooses, which leaves other types,
 * zones and NodePools out; and what a node may get more of than its machine takes. */
#include <explain/explain_pod.h>
#include <explain/market.h>
#include <explain/type_causes.h>

#include <base/str.h>
#include <explain/lint.h>
#include <schedule/report.h>

/* ---- topology ---------------------------------------------------------------------------------------------------- */

/* The only value that the launch's requirement on the key allows; "" = it allows several. */
static karp_str only_value(const karp_launch *l, karp_str key)
{
    for (size_t i = 0; i < l->requirement_count; i++) {
        const karp_requirement *r = &l->requirements[i];
        if (equal_str(r->key, key) && r->op == KARP_OP_IN && r->value_count == 1) return r->values[0];
    }
    return (karp_str){ "", 0 };
}

/* Whether some NodePool could launch nodes with another value of the key. */
static bool has_other_value(const karp_snapshot *s, uint32_t key, karp_str value)
{
    for (uint32_t p = 0; p < s->raw.pools.count; p++) {
        const node_pool *pool = &s->raw.pools.items[p];
        const type_table *table = s->pool_table[p] == NO_ID ? NULL : &s->tables[s->pool_table[p]];
        for (uint32_t i = 0; i < pool->requirements.count; i++) {
            const expression *e = &pool->requirements.items[i];
            bool names = s->facts.normalized[e->key] == key && e->op == KARP_OP_IN;
            if (names && (e->value_count > 1 || !equal_str(text_of(s, e->values[0]), value))) return true;
        }
        for (uint32_t i = 0; table != NULL && key == s->known.zone && i < table->offering_count; i++) {
            const offering *o = &table->offerings[i];
            if (o->available && o->zone != NO_ID && !equal_str(text_of(s, o->zone), value)) return true;
        }
    }
    return false;
}

static void chosen(search *s, const karp_launch *l, uint32_t key, const char *rule, const char *which)
{
    const karp_snapshot *snapshot = s->snapshot;
    karp_str value = only_value(l, text_of(snapshot, key));
    uint32_t known = snapshot->facts.normalized[key];
    if (known == snapshot->known.zone && volumes_have_zones(s)) return; /* they choose it */
    if (s->out->refused || known == snapshot->known.hostname || value.len == 0 ||
        !has_other_value(snapshot, known, value))
        return;
    strbuf b = strbuf_on(s->out->context);
    strbuf_adds(&b, rule);
    strbuf_addstr(&b, text_of(snapshot, key));
    strbuf_put(&b, " chooses ", value, "");
    strbuf_adds(&b, which);
    record_cause(s->out, KARP_PLACEMENT_TOPOLOGY, &b);
}

/* ---- preferred spreads that were given up ------------------------------------------------------------------------ */

/* The placed pods of the shape that the plan relaxed. */
static size_t gave_up(const search *s)
{
    const karp_decision *d = s->out->decision;
    size_t count = 0;
    for (uint32_t i = 0; d->steps != NULL && i < s->snapshot->raw.pods.count; i++)
        count += d->steps[i] > 0 && pod_at(&s->snapshot->raw, i)->shape == s->shape;
    return count;
}

/* Why a preferred spread of the pods was dropped: what would stop the first one if it were required. */
void dropped_causes(search *s)
{
    const shape *h = original_shape(s);
    karp_options full = *s->options;
    karp_decision *d = NULL;
    const karp_unschedulable *row = NULL;
    size_t count = h->spread.count == 0 ? 0 : gave_up(s);
    spread_constraint *list = count == 0 ? NULL : search_copy(s, h->spread.items, h->spread.count, sizeof *list);
    if (list == NULL) return;
    for (uint32_t i = 0; i < h->spread.count; i++) list[i].schedule_anyway = false;
    overlay_shape(&s->changed, s->shape)->spread.items = list;
    full.explain = KARP_EXPLAIN_FULL;
    s->status = overlay_decide(&s->changed, &full, &d, s->error);
    overlay_view_reset(&s->changed);
    if (s->status != KARP_OK) return;
    for (size_t i = 0; i < d->unschedulable.count && row == NULL; i++) {
        const karp_unschedulable *u = &d->unschedulable.items[i];
        if (u->topology_count > 0 && pod_at(&s->snapshot->raw, u->pod)->shape == s->shape) row = u;
    }
    if (row != NULL) {
        strbuf b = strbuf_on(s->out->context);
        strbuf_put(&b, "the preferred topology spread by ", row->topologies[0].key, " was given up for ");
        add_count(&b, count, " such pod: ", " such pods: ");
        strbuf_addstr(&b, row->topologies[0].cause);
        record_cause(s->out, KARP_PLACEMENT_TOPOLOGY, &b);
    }
    karp_decision_unref(d);
}

/* ---- zones that nothing asks for --------------------------------------------------------------------------------- */

static bool has_pods_like_it(const search *s, const karp_launch *l)
{
    for (size_t i = 0; i < l->pod_count; i++) {
        if (pod_at(&s->snapshot->raw, l->pods[i])->shape == s->shape) return true;
    }
    return false;
}

static bool about_zones(const search *s)
{
    const shape *h = original_shape(s);
    bool some = volumes_have_zones(s) || s->snapshot->raw.default_spread.count > 0;
    for (uint32_t i = 0; i < h->spread.count && !some; i++)
        some = s->snapshot->facts.normalized[h->spread.items[i].topology_key] == s->snapshot->known.zone;
    return some ||
           h->required_affinity.count + h->required_anti.count + h->preferred_affinity.count + h->preferred_anti.count >
               0;
}

/* Several new nodes for such pods, all in one zone, though the launch allows others: Karpenter leaves the zone to the
 * cloud. */
static void zone_cause(search *s, const karp_launch *l)
{
    const karp_decision *d = s->out->decision;
    karp_str key = text_of(s->snapshot, s->snapshot->known.zone);
    size_t count = 0;
    if (l->choice.zone.len == 0 || about_zones(s) || only_value(l, key).len > 0 ||
        !has_other_value(s->snapshot, s->snapshot->known.zone, l->choice.zone))
        return;
    for (size_t i = 0; i < d->launches.count; i++) {
        const karp_launch *other = &d->launches.items[i];
        if (!has_pods_like_it(s, other)) continue;
        if (!equal_str(other->choice.zone, l->choice.zone)) return;
        count++;
    }
    if (count < 2) return;
    strbuf b = strbuf_on(s->out->context);
    strbuf_putu(&b, "the ", count,
                " new nodes for such pods may be in one zone, or in several: no topology spread by ");
    strbuf_put(&b, "", key,
               " asks for several, so Karpenter leaves the zone open until the launch and balances "
               "nothing; shown is the cheapest offering");
    record_cause(s->out, KARP_PLACEMENT_TOPOLOGY, &b);
}

void domain_causes(search *s, const karp_launch *l)
{
    const shape *h = original_shape(s);
    for (uint32_t i = 0; i < h->spread.count; i++) {
        if (!spread_counts(s->snapshot, s->pod, &h->spread.items[i])) continue; /* a note says it */
        chosen(s, l, h->spread.items[i].topology_key, "its topology spread by ",
               ", one of the domains with the fewest such pods");
    }
    zone_cause(s, l);
    for (uint32_t i = 0; i < h->required_affinity.count; i++)
        chosen(s, l, h->required_affinity.items[i].topology_key, "its pod affinity by ",
               ", where the pods are that it has to join, or where they all start");
}

/* ---- addresses and volumes --------------------------------------------------------------------------------------- */

void crowd_causes(karp_pod_explanation *e, const karp_snapshot *s, const market *m, const karp_launch *l, uint32_t type)
{
    uint32_t addresses = type < m->table->type_count ? m->table->types[type].pod_addresses : 0, most, count;
    const char *driver;
    strbuf b = strbuf_on(e->context);
    if (addresses > 0 && l->pod_count > addresses) {
        strbuf_putu(&b, "maxPods of the node class lets it take ", l->pod_count,
                    " pods, and its network interfaces have addresses for ");
        strbuf_putu(&b, "", addresses, ": the others wait in ContainerCreating");
        record_cause(e, KARP_PLACEMENT_FULLEST, &b);
        strbuf_init(&b, e->context);
    }
    count = m->table->limits_volumes ? 0 : crowded_volumes(s, l, &driver, &most);
    if (count == 0) {
        strbuf_free(&b);
        return;
    }
    strbuf_putu(&b, "its pods have ", count, " volumes of ");
    strbuf_adds(&b, driver);
    strbuf_putu(&b, ", and most types attach at most ", most, "");
    strbuf_adds(&b,
                ", network interfaces included: Karpenter knows a node's limit only from its CSINode, and launches a "
                "further node for pods whose volumes find no place");
    record_cause(e, KARP_PLACEMENT_FULLEST, &b);
}
