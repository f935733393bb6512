/* SPDX-License-Identifier: Apache-2.0 */
/* Of a pod with a new node: why no further pod like it is there, and what its NodePool does not exclude. */
#include <explain/type_causes.h>
#include <math.h>

#include <base/str.h>
#include <decision/decision.h>

#define GENERATION "karpenter.k8s.aws/instance-generation"

/* Whether another launch has a pod of this one's shape. */
static bool goes_on(const karp_pod_explanation *e, const karp_snapshot *s, const karp_launch *l)
{
    uint32_t mine = pod_at(&s->raw, e->pod)->shape;
    for (size_t i = 0; i < e->decision->launches.count; i++) {
        const karp_launch *other = &e->decision->launches.items[i];
        if (equal_str(other->id, l->id)) continue;
        for (size_t k = 0; k < other->pod_count; k++) {
            if (pod_at(&s->raw, other->pods[k])->shape == mine) return true;
        }
    }
    return false;
}

void one_more_cause(karp_pod_explanation *e, const karp_snapshot *s, market *m, const karp_launch *l, uint32_t type)
{
    resource_list asked = s->raw.shapes.items[pod_at(&s->raw, e->pod)->shape].requests;
    if (l->apart.len > 0 || type == m->table->type_count || !goes_on(e, s, l)) return;
    for (uint32_t i = 0; i < m->requests.count; i++) {
        const resource_amount *r = &m->requests.items[i];
        amount own = resource_list_get(asked, r->resource), sum;
        amount has = resource_list_get(m->table->types[type].allocatable_list, r->resource);
        if (r->resource == RESOURCE_PODS) own = amount_whole(1);
        if (amount_sign(own) <= 0 || !amount_add(r->value, own, &sum) || amount_cmp(sum, has) <= 0) continue;
        strbuf b = strbuf_on(e->context);
        strbuf_put(&b, "one more pod like it does not fit there: ", strings_get(&s->raw.resources, r->resource), " ");
        add_quantities(&b, sum, " of ", has, r->binary);
        show_room_of(&b, s, m, r->resource, type);
        record_cause(e, KARP_PLACEMENT_FULLEST, &b);
        return;
    }
}

static bool is_number(karp_str text)
{
    bool digits = text.len > 0;
    for (size_t i = 0; i < text.len; i++) digits = digits && is_digit(text.ptr[i]);
    return digits;
}

/* The excluded value that the launched type's value begins with; NO_ID = there is none. */
static uint32_t excluded_kin(const karp_snapshot *s, const expression *x, karp_str value)
{
    for (uint32_t i = 0; i < x->value_count; i++) {
        karp_str excluded = text_of(s, x->values[i]);
        if (!is_number(excluded) && value.len > excluded.len && str_has_prefix(value, excluded)) return x->values[i];
    }
    return NO_ID;
}

void excluded_causes(karp_pod_explanation *e, const karp_snapshot *s, const karp_launch *l)
{
    uint32_t pool = pool_named(s, l->node_pool);
    expression_list list = pool == NO_ID ? (expression_list){ NULL, 0 } : s->raw.pools.items[pool].requirements;
    for (uint32_t i = 0; i < list.count && !e->refused; i++) {
        const expression *x = &list.items[i];
        karp_str value = { "", 0 };
        for (size_t k = 0; k < l->choice_label_count; k++) {
            if (equal_str(l->choice_labels[k].key, text_of(s, x->key))) value = l->choice_labels[k].value;
        }
        uint32_t kin = x->op == KARP_OP_NOT_IN ? excluded_kin(s, x, value) : NO_ID;
        if (kin == NO_ID) continue;
        strbuf b = strbuf_on(e->context);
        strbuf_put(&b, "values are whole names: ", text_of(s, x->key), " NotIn ");
        strbuf_addstr(&b, text_of(s, kin));
        strbuf_put(&b, " in NodePool ", l->node_pool, " does not exclude ");
        strbuf_addstr(&b, value);
        if (str_is(text_of(s, x->key), "karpenter.k8s.aws/instance-family"))
            strbuf_adds(&b, "; " GENERATION " Gt excludes old generations");
        record_cause(e, KARP_PLACEMENT_TYPE, &b);
    }
}

/* Whether the NodePool chooses among generations, by a label that says or implies one. */
static bool chooses_generation(const karp_snapshot *s, const node_pool *p)
{
    static const char *const keys[] = { GENERATION, "karpenter.k8s.aws/instance-family",
                                        "node.kubernetes.io/instance-type" };
    for (uint32_t i = 0; i < p->requirements.count; i++) {
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            if (str_is(text_of(s, p->requirements.items[i].key), keys[k])) return true;
        }
    }
    return false;
}

/* The type's value of the label; "" = it has none, or several. */
static karp_str value_of(const karp_snapshot *s, const market *m, const instance_type *t, const char *label)
{
    uint32_t key = strings_find(&s->raw.text, label, strlen(label)), id;
    if (key == NO_ID || (id = set_get(&m->algebra, t->set, key)) == NO_ID) return (karp_str){ "", 0 };
    const requirement *r = requirement_get(&m->algebra, id);
    return r->complement || r->value_count != 1 ? (karp_str){ "", 0 } : text_of(s, r->values[0]);
}

static int generation_of(const karp_snapshot *s, const market *m, uint32_t type)
{
    karp_str text = value_of(s, m, &m->table->types[type], GENERATION);
    return text.len == 1 && is_digit(text.ptr[0]) ? text.ptr[0] - '0' : 0;
}

/* Whether the requirements allow a type of the same category that is two generations younger. */
static bool is_old(const karp_snapshot *s, market *m, uint32_t type)
{
    static const char category[] = "karpenter.k8s.aws/instance-category";
    karp_str own = value_of(s, m, &m->table->types[type], category);
    int generation = generation_of(s, m, type);
    for (uint32_t t = 0; generation > 0 && t < m->table->type_count; t++) {
        if (generation_of(s, m, t) >= generation + 2 && equal_str(value_of(s, m, &m->table->types[t], category), own) &&
            market_price(m, t) < HUGE_VAL)
            return true;
    }
    return false;
}

void generation_cause(karp_pod_explanation *e, const karp_snapshot *s, market *m, const karp_launch *l, uint32_t type)
{
    enum { OLD = 4 }; /* what AWS calls previous generations */
    uint32_t pool = pool_named(s, l->node_pool);
    if (type == m->table->type_count || generation_of(s, m, type) > OLD || pool == NO_ID) return;
    if (chooses_generation(s, &s->raw.pools.items[pool]) || !is_old(s, m, type)) return;
    strbuf b = strbuf_on(e->context);
    strbuf_put(&b, "", l->choice.instance_type, " is of generation ");
    strbuf_addu(&b, (uint64_t)generation_of(s, m, type));
    strbuf_put(&b, ": nothing in NodePool ", l->node_pool, "");
    strbuf_adds(&b, " keeps old generations out (" GENERATION " Gt 4 would)");
    record_cause(e, KARP_PLACEMENT_TYPE, &b);
}
