/* SPDX-License-Identifier: Apache-2.0 */
/* Of a pod with a new node: the value of a topology key that its spread or affinity chooses, which leaves other types,
 * zones and NodePools out; and what a node may get more of than its machine takes. */
#include <explain/explain_pod.h>
#include <explain/market.h>
#include <explain/type_causes.h>

#include <base/str.h>
#include <explain/lint.h>

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
    const karp_snapshot *w = s->snapshot;
    karp_str value = only_value(l, text_of(w, key));
    uint32_t known = w->facts.normalized[key];
    if (known == w->known.zone && volumes_have_zones(s)) return; /* they choose it */
    if (s->out->refused || known == w->known.hostname || value.len == 0 || !has_other_value(w, known, value)) return;
    strbuf b = strbuf_on(s->out->context);
    strbuf_adds(&b, rule);
    strbuf_addstr(&b, text_of(w, key));
    strbuf_put(&b, " chooses ", value, "");
    strbuf_adds(&b, which);
    record_cause(s->out, KARP_PLACEMENT_TOPOLOGY, &b);
}

void domain_causes(search *s, const karp_launch *l)
{
    const shape *h = original_shape(s);
    for (uint32_t i = 0; i < h->spread.count; i++)
        chosen(s, l, h->spread.items[i].topology_key, "its topology spread by ",
               ", one of the domains with the fewest such pods");
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
