/* SPDX-License-Identifier: Apache-2.0 */
#include <disrupt/balanced.h>

#include <base/error.h>
#include <base/strbuf.h>
#include <math.h>

double balanced_score(double savings, double disruption, double total_cost, double total_disruption)
{
    if (!(total_cost > 0.0) || !(total_disruption > 0.0)) return 0.0;
    double gain = savings / total_cost, loss = disruption / total_disruption;
    if (!(gain > 0.0)) return 0.0;
    return loss == 0.0 ? HUGE_VAL : gain / loss;
}

bool balanced_approves(double score) { return score >= 0.5; }

static bool labelled(const karp_snapshot *s, const node_claim *c)
{
    return label_get(c->meta.labels, s->known.instance_type) != NO_ID &&
           label_get(c->meta.labels, s->known.capacity_type) != NO_ID &&
           label_get(c->meta.labels, s->known.zone) != NO_ID;
}

/* Adds the prices of all claims of each pool, by the claims' own labels. */
static void add_tracked_costs(pass *p)
{
    const karp_snapshot *s = p->snapshot;
    for (size_t i = 0; i < s->raw.claims.count; i++) {
        const node_claim *c = &s->raw.claims.items[i];
        uint32_t name = label_get(c->meta.labels, s->known.node_pool);
        if (name == NO_ID || !labelled(s, c)) continue;
        for (uint32_t pool = 0; pool < s->raw.pools.count; pool++) {
            if (s->pool_names[pool].name == name)
                p->found.totals[pool].cost += labels_price(s, pool, c->meta.labels, !pass_quirk(p, 10));
        }
    }
}

karp_status pass_totals(pass *p, karp_error *error)
{
    const karp_snapshot *s = p->snapshot;
    p->found.totals = arena_array(&p->data, s->raw.pools.count + 1, sizeof *p->found.totals);
    if (!p->weighs_pools) return p->found.totals != NULL ? KARP_OK : fail_nomem(error); /* nothing reads the totals */
    uint32_t *candidate_of = arena_array(&p->data, s->node_count + (size_t)1, sizeof *candidate_of);
    double *prices = arena_array(&p->data, s->raw.pools.count + 1, sizeof *prices);
    if (p->found.totals == NULL || candidate_of == NULL || prices == NULL) return fail_nomem(error);
    add_tracked_costs(p);
    for (uint32_t i = 0; i < p->found.candidate_count; i++) {
        const candidate *c = &p->found.candidates[i];
        candidate_of[c->node] = i + 1;
        prices[c->pool] += c->price;
        p->found.totals[c->pool].known = true;
    }
    for (size_t i = 0; i < s->raw.pools.count; i++) {
        if (!(p->found.totals[i].cost > 0.0)) p->found.totals[i].cost = prices[i];
    }
    for (uint32_t i = 0; i < s->node_count; i++) {
        const state_node *n = &s->nodes[i];
        if (n->pool == NO_ID || !p->found.totals[n->pool].known) continue;
        p->found.totals[n->pool].disruption += candidate_of[i] > 0 ? p->found.candidates[candidate_of[i] - 1].cost
                                                                   : incremental_cost(s, p->costs, n);
    }
    return KARP_OK;
}

static double score_in_pool(const pass *p, uint32_t pool, double savings, double disruption)
{
    const pool_total *t = &p->found.totals[pool]; /* known, because the pool has a candidate */
    return balanced_score(savings, disruption, t->cost, t->disruption);
}

bool command_approved(const pass *p, const command *c, double *score)
{
    double price = 0.0;
    bool several = false;
    *score = -1.0;
    for (uint32_t i = 0; i < c->candidate_count; i++) {
        const candidate *x = &p->found.candidates[c->candidates[i]];
        price += x->price;
        several = several || x->pool != p->found.candidates[c->candidates[0]].pool;
    }
    for (uint32_t pool = 0; pool < p->snapshot->raw.pools.count; pool++) {
        double own = 0.0, disruption = 0.0;
        bool any = false;
        if (p->snapshot->raw.pools.items[pool].policy != KARP_BALANCED) continue;
        for (uint32_t i = 0; i < c->candidate_count; i++) {
            const candidate *x = &p->found.candidates[c->candidates[i]];
            if (x->pool != pool) continue;
            any = true;
            own += x->price;
            disruption += x->cost;
        }
        if (!any) continue;
        double one = score_in_pool(p, pool, several && price > 0.0 ? c->savings * (own / price) : c->savings,
                                   disruption);
        if (*score < 0.0 || one < *score) *score = one;
        if (!balanced_approves(one)) return false;
    }
    return true;
}

bool candidate_worthwhile(const pass *p, const candidate *c, double *score)
{
    *score = -1.0;
    if (pool_of(p, c)->policy != KARP_BALANCED || !(p->found.totals[c->pool].cost > 0.0)) return true;
    *score = score_in_pool(p, c->pool, c->price, c->cost);
    return balanced_approves(*score);
}

/* Writes two digits, but never rounds up to the required 0.50. */
static void add_score(strbuf *b, double score)
{
    uint64_t hundredths = score > 0.0 ? (uint64_t)(score * 100.0 + 0.5) : 0;
    if (hundredths > 49) hundredths = 49;
    strbuf_adds(b, hundredths < 10 ? "0.0" : "0.");
    strbuf_addu(b, hundredths);
}

karp_str balanced_detail(pass *p, double score)
{
    strbuf b = strbuf_on(p->context);
    strbuf_adds(&b, "score ");
    add_score(&b, score);
    strbuf_adds(&b, " < 0.50");
    if (score > 1e-6) {
        uint64_t tenths = (uint64_t)(5.0 / score) + 1;
        strbuf_putu(&b, ": the saving would have to be ", tenths / 10, ".");
        strbuf_putu(&b, "", tenths % 10, " times as large");
    }
    karp_str text;
    (void)strbuf_move(&b, &p->data, &text);
    return text;
}
