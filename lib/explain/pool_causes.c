/* SPDX-License-Identifier: Apache-2.0 */
/* What the requirements and taints of the NodePool that launches a pod's node have to do with the pod and the type. */
#include <explain/explain_pod.h>
#include <explain/market.h>
#include <explain/node_causes.h>

#include <base/operators.h>
#include <base/str.h>
#include <model/taints.h>
#include <schedule/report.h>

/* ---- cheaper types that requirements keep out -------------------------------------------------------------------- */

/* The largest part of a resource that the launch uses of its type. */
static double used_part(const karp_launch *l)
{
    launch_use use;
    return launch_fullest(l, &use) ? use.part : 1;
}

/* Labels on which the types of a NodePool differ by their size and make. The others say where and how they run. */
static bool is_of_type(const karp_snapshot *s, karp_str key)
{
    uint32_t id = strings_find(&s->raw.text, key.ptr, key.len);
    const known_text *k = &s->known;
    return id != NO_ID && s->facts.well_known[id] != 0 && id != k->zone && id != k->region && id != k->capacity_type &&
           id != k->os && id != k->arch && id != k->node_pool && id != k->hostname;
}

/* The cheapest type that fits if the launch's requirement on the label does not count. */
static bool cheapest_without(search *s, const karp_launch *l, karp_str key, double *price, uint32_t *type)
{
    karp_pod_explanation *e = s->out;
    market m;
    if (!market_of(e->context, &e->data, s->snapshot, l, key, &m, &e->refused)) return false;
    bool found = false;
    for (uint32_t t = 0; t < m.table->type_count; t++) {
        double own = market_price(&m, t);
        if (own >= *price || market_lacking(&m, t)) continue;
        *price = own;
        *type = t;
        found = true;
    }
    e->refused = e->refused || m.algebra.failed;
    algebra_free(&m.algebra);
    return found;
}

enum { VALUES_NAMED = 3 };

/* "karpenter.k8s.aws/instance-cpu Gt 40 of NodePool std": the requirement on the label as the NodePool has it, or that
 * of the pod. */
static void add_requirement(strbuf *b, const karp_snapshot *s, uint32_t pool, const karp_requirement *r)
{
    const node_pool *p = &s->raw.pools.items[pool];
    const expression *own = NULL;
    for (uint32_t i = 0; i < p->requirements.count && own == NULL; i++) {
        if (equal_str(text_of(s, p->requirements.items[i].key), r->key)) own = &p->requirements.items[i];
    }
    strbuf_put(b, "", r->key, " ");
    strbuf_adds(b, operator_name(own != NULL ? own->op : r->op));
    size_t count = own != NULL ? own->value_count : r->value_count;
    for (size_t i = 0; i < count && i < VALUES_NAMED; i++) {
        strbuf_adds(b, i == 0 ? " " : ", ");
        strbuf_addstr(b, own != NULL ? text_of(s, own->values[i]) : r->values[i]);
    }
    show_more(b, count, VALUES_NAMED, " more", " more");
    strbuf_adds(b, own != NULL ? " of NodePool " : " of the pod");
    if (own != NULL) strbuf_addstr(b, name_of(s, p->meta.name));
}

/* Said of a node that is mostly empty, where a type of at most half the price would do. */
static void kept_out(search *s, const karp_launch *l, uint32_t pool)
{
    const karp_requirement *found = NULL;
    double price = l->choice.price / 2;
    uint32_t type = NO_ID;
    if (used_part(l) >= 0.25) return;
    for (size_t i = 0; i < l->requirement_count && !s->out->refused; i++) {
        if (!is_of_type(s->snapshot, l->requirements[i].key)) continue;
        if (cheapest_without(s, l, l->requirements[i].key, &price, &type)) found = &l->requirements[i];
    }
    if (found == NULL) return;
    const type_table *table = &s->snapshot->tables[s->snapshot->pool_table[pool]];
    strbuf b = strbuf_on(s->out->context);
    strbuf_adds(&b, "most of the node stays empty, as ");
    add_requirement(&b, s->snapshot, pool, found);
    strbuf_put(&b, " keeps out types that fit for less than half the price, such as ",
               text_of(s->snapshot, table->types[type].name), "");
    record_cause(s->out, KARP_PLACEMENT_POOL, &b);
}

/* ---- labels that a NodePool leaves to pods ----------------------------------------------------------------------- */

static bool terms_name(node_term_list terms, uint32_t key)
{
    for (uint32_t t = 0; t < terms.count; t++) {
        for (uint32_t i = 0; i < terms.items[t].expressions.count; i++) {
            if (terms.items[t].expressions.items[i].key == key) return true;
        }
    }
    return false;
}

/* A requirement Exists on a label of one's own keeps no pod away, and takes the value that a pod asks for. */
static void open_label(search *s, const karp_launch *l, const expression *e)
{
    const karp_snapshot *snapshot = s->snapshot;
    const shape *h = original_shape(s);
    bool named = label_get(h->node_selector, e->key) != NO_ID || terms_name(h->required, e->key);
    const karp_str *value = label_value(l->labels, l->label_count, text_of(snapshot, e->key));
    strbuf b = strbuf_on(s->out->context);
    if (named && value != NULL && value->len > 0) {
        strbuf_put(&b, "the node gets the label ", text_of(snapshot, e->key), "=");
        strbuf_addstr(&b, *value);
        strbuf_put(&b, " because the pod selects it: NodePool ", l->node_pool, " leaves the value open (Exists)");
    } else if (!named) {
        strbuf_put(&b, "NodePool ", l->node_pool, " requires the label ");
        strbuf_put(&b, "", text_of(snapshot, e->key),
                   " with any value (Exists), which keeps no pod away: only a taint does");
    } else {
        strbuf_free(&b);
        return;
    }
    record_cause(s->out, KARP_PLACEMENT_POOL, &b);
}

static void open_labels(search *s, const karp_launch *l, uint32_t pool)
{
    const node_pool *p = &s->snapshot->raw.pools.items[pool];
    for (uint32_t i = 0; i < p->requirements.count; i++) {
        const expression *e = &p->requirements.items[i];
        if (e->op == KARP_OP_EXISTS && !s->snapshot->facts.well_known[e->key] &&
            label_get(p->template_labels, e->key) == NO_ID)
            open_label(s, l, e);
    }
}

static void preferred_taints(search *s, const karp_launch *l, uint32_t pool)
{
    const karp_snapshot *snapshot = s->snapshot;
    taint_list taints = snapshot->raw.pools.items[pool].taints;
    for (uint32_t i = 0; i < taints.count; i++) {
        const taint *t = &taints.items[i];
        if (t->effect != snapshot->known.prefer_no_schedule ||
            taint_tolerated(snapshot, original_shape(s)->tolerations, t))
            continue;
        strbuf b = strbuf_on(s->out->context);
        strbuf_adds(&b, "the pod does not tolerate ");
        show_taint(snapshot, &b, t);
        strbuf_put(&b, " of NodePool ", l->node_pool,
                   ", which is only a preference: Karpenter gives it up last, as nothing else takes the pod");
        record_cause(s->out, KARP_PLACEMENT_POOL, &b);
    }
}

/* ---- who chooses among the types --------------------------------------------------------------------------------- */

/* EC2's fleets for spot have the allocation strategy price-capacity-optimized. Other clouds' providers choose one type
 * themselves. */
static void chosen_by_cloud(search *s, const karp_launch *l, uint32_t pool)
{
    enum { MOST_SENT = 60 };
    const karp_snapshot *snapshot = s->snapshot;
    bool ec2 = equal_str(text_of(snapshot, snapshot->raw.pools.items[pool].class_group), str("karpenter.k8s.aws"));
    if (!ec2 || l->instance_type_count < 2 ||
        !equal_str(l->choice.capacity_type, text_of(snapshot, snapshot->known.spot)))
        return;
    strbuf b = strbuf_on(s->out->context);
    strbuf_putu(&b, "it is the cheapest; of the ",
                l->instance_type_count < MOST_SENT ? l->instance_type_count : MOST_SENT,
                " types that Karpenter sends, EC2 chooses by price and spot capacity, and may launch a dearer one");
    record_cause(s->out, KARP_PLACEMENT_POOL, &b);
}

void pool_causes(search *s, const karp_launch *l)
{
    uint32_t pool = pool_named(s->snapshot, l->node_pool);
    if (pool == NO_ID || s->snapshot->pool_table[pool] == NO_ID) return;
    chosen_by_cloud(s, l, pool);
    kept_out(s, l, pool);
    open_labels(s, l, pool);
    preferred_taints(s, l, pool);
}
