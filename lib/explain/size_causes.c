/* SPDX-License-Identifier: Apache-2.0 */
/* Why no type of a NodePool is large enough: what the machine, the system and DaemonSets leave of the largest one. */
#include <explain/explain_pod.h>
#include <math.h>
#include <explain/market.h>

#include <base/str.h>
#include <model/taints.h>

/* ---- DaemonSets -------------------------------------------------------------------------------------------------- */

bool daemon_runs_on(const karp_snapshot *s, market *m, const node_pool *p, const struct daemon *d, uint32_t type)
{
    if (!taints_tolerated(s, d->shape->tolerations, p->taints)) return false;
    uint32_t terms = d->required.count > 0 ? d->required.count : 1;
    for (uint32_t i = 0; i < terms; i++) {
        demand wants = { EMPTY_SET, NO_ID };
        if (!demand_of_labels(&m->algebra, d->shape->node_selector, &wants)) return false;
        if (d->required.count > 0 && !demand_of_expressions(&m->algebra, d->required.items[i].expressions, &wants))
            return false;
        if (set_compatible(&m->algebra, m->set, wants.set, true) &&
            set_agree(&m->algebra, m->table->types[type].set, wants.set))
            return true;
    }
    return false;
}

void show_daemon(const karp_snapshot *s, const struct daemon *d, strbuf *b)
{
    const resource_list *r = &d->shape->requests;
    uint32_t count = 0;
    const object *set = &s->raw.daemon_sets.items[d->set].meta;
    strbuf_addname(b, text_of(s, set->name_space), name_of(s, set->name));
    for (uint32_t i = 0; i < r->count; i++) {
        if (r->items[i].resource == RESOURCE_PODS || amount_sign(r->items[i].value) == 0) continue;
        strbuf_adds(b, count++ == 0 ? " (" : ", ");
        strbuf_put(b, "", strings_get(&s->raw.resources, r->items[i].resource), " ");
        add_quantity(b, r->items[i].value, r->items[i].binary);
    }
    if (count > 0) strbuf_addc(b, ')');
}

/* The DaemonSets that every node of the NodePool would have to hold as well. */
static void daemons_beside(karp_pod_explanation *e, const karp_snapshot *s, market *m, uint32_t pool)
{
    uint32_t count = 0;
    strbuf b = strbuf_on(e->context);
    strbuf_put(&b, "nodes of NodePool ", name_of(s, s->raw.pools.items[pool].meta.name), " also hold DaemonSets: ");
    for (uint32_t i = 0; i < s->daemon_count && !e->refused; i++) {
        bool runs = false;
        for (uint32_t t = 0; t < m->table->type_count && !runs; t++)
            runs = daemon_runs_on(s, m, &s->raw.pools.items[pool], &s->daemons[i], t);
        if (!runs) continue;
        if (count++ > 0) strbuf_adds(&b, ", ");
        show_daemon(s, &s->daemons[i], &b);
    }
    if (count > 0 && !e->refused) record_cause(e, KARP_PLACEMENT_DAEMONS, &b);
    else strbuf_free(&b);
}

/* ---- what is left of a type -------------------------------------------------------------------------------------- */

/* What a type has of a resource, and what of it is left for pods. */
typedef struct room {
    uint32_t type; /* NO_ID = the requirements allow no type */
    amount daemons, left;
} room;

static amount less(amount from, amount part)
{
    amount out;
    return amount_sub(from, part, &out) && amount_sign(out) > 0 ? out : amount_from(0);
}

amount daemons_on(const karp_snapshot *s, market *m, const node_pool *p, uint32_t type, uint32_t resource)
{
    amount sum = amount_from(0), more;
    for (uint32_t i = 0; i < s->daemon_count; i++) {
        amount one = resource_list_get(s->daemons[i].shape->requests, resource);
        if (amount_sign(one) <= 0 || !daemon_runs_on(s, m, p, &s->daemons[i], type)) continue;
        if (amount_add(sum, one, &more)) sum = more;
    }
    return sum;
}

/* The type of the NodePool that leaves most of the resource to pods, among those that its requirements allow. */
static room most_of(const karp_snapshot *s, market *m, uint32_t pool, uint32_t resource)
{
    room most = { NO_ID, amount_from(0), amount_from(0) };
    for (uint32_t t = 0; t < m->table->type_count; t++) {
        if (market_price(m, t) >= HUGE_VAL) continue;
        amount has = resource_list_get(m->table->types[t].allocatable_list, resource);
        if (most.type != NO_ID && amount_cmp(has, most.left) <= 0) continue; /* DaemonSets only lessen it */
        amount daemons = daemons_on(s, m, &s->raw.pools.items[pool], t, resource);
        if (most.type == NO_ID || amount_cmp(less(has, daemons), most.left) > 0)
            most = (room){ t, daemons, less(has, daemons) };
    }
    return most;
}

/* The memory of the machine, from the label that instance types have of it; 0 = there is none. */
static amount memory_of(const karp_snapshot *s, const market *m, const instance_type *t)
{
    static const char *const keys[] = { "karpenter.k8s.aws/instance-memory", "karpenter.azure.com/sku-memory",
                                        "karpenter.k8s.gcp/instance-memory" };
    amount bytes;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        uint32_t key = strings_find(&s->raw.text, keys[i], strlen(keys[i])), id;
        if (key == NO_ID || (id = set_get(&m->algebra, t->set, key)) == NO_ID) continue;
        const requirement *r = requirement_get(&m->algebra, id);
        if (r->complement || r->value_count != 1) continue;
        karp_str text = text_of(s, r->values[0]);
        uint64_t mebibytes = 0;
        for (size_t k = 0; k < text.len && text.ptr[k] >= '0' && text.ptr[k] <= '9' && mebibytes < 1u << 30; k++)
            mebibytes = mebibytes * 10 + (uint64_t)(text.ptr[k] - '0');
        if (amount_mul(amount_whole(1 << 20), mebibytes, &bytes)) return bytes;
    }
    return amount_from(0);
}

void show_amount(strbuf *b, amount value, bool bytes)
{
    uint64_t rest;
    amount mebibytes;
    amount_divide(value, 1 << 20, &mebibytes, &rest);
    if (bytes && rest > 0 && amount_cmp(value, amount_whole(1 << 20)) >= 0) {
        strbuf_putu(b, "", (uint64_t)(amount_double(mebibytes)), "Mi");
    } else {
        add_quantity(b, value, bytes);
    }
}

static void show_part(strbuf *b, amount part, bool bytes, const char *taker, uint32_t *count)
{
    if (amount_sign(part) <= 0) return;
    strbuf_adds(b, (*count)++ == 0 ? ", less " : ", ");
    show_amount(b, part, bytes);
    strbuf_adds(b, taker);
}

/* ": m5.8xlarge has 131072Mi, less 9830Mi for the virtual machine, 2929Mi for the system and kubelet". */
static void show_room(strbuf *b, const karp_snapshot *s, const market *m, uint32_t resource, const room *r)
{
    const instance_type *t = &m->table->types[r->type];
    amount capacity = resource_list_get(t->capacity_list, resource);
    amount whole = resource == RESOURCE_MEMORY ? amount_max(memory_of(s, m, t), capacity) : capacity;
    bool bytes = is_bytes(s, resource);
    uint32_t count = 0;
    strbuf_put(b, ": ", text_of(s, t->name), " has ");
    show_amount(b, whole, bytes);
    show_part(
        b, less(whole, capacity), bytes,
        " for the virtual machine itself (Karpenter's VM_MEMORY_OVERHEAD_PERCENT, an estimate: lower it if real nodes "
        "have more)",
        &count);
    show_part(b, less(capacity, resource_list_get(t->allocatable_list, resource)), bytes,
              " for the system and the kubelet", &count);
    show_part(b, r->daemons, bytes, " for DaemonSets", &count);
}

void show_room_of(strbuf *b, const karp_snapshot *s, market *m, uint32_t resource, uint32_t type)
{
    const room r = { type, amount_from(0), amount_from(0) };
    show_room(b, s, m, resource, &r);
}

/* The field of the node class that sets the size of the root volume, by the group of its kind. */
static void show_disk(strbuf *b, const karp_snapshot *s, uint32_t pool)
{
    static const struct disk_field {
        const char *group, *field;
    } fields[] = {
        { "karpenter.k8s.aws", "blockDeviceMappings, or use the local disks of types with instanceStorePolicy RAID0" },
        { "karpenter.azure.com", "osDiskSizeGB" },
        { "karpenter.k8s.gcp", "disks" },
    };
    const node_pool *p = &s->raw.pools.items[pool];
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (!equal_str(text_of(s, p->class_group), str(fields[i].group))) continue;
        strbuf_put(b, "; this is the root volume: ", text_of(s, p->class_kind), " ");
        strbuf_put(b, "", text_of(s, p->class_name), " can set a larger one in ");
        strbuf_adds(b, fields[i].field);
    }
}

/* Which request no type of the NodePool has room for, with the most that there is. */
static void too_large(karp_pod_explanation *e, const karp_snapshot *s, market *m, uint32_t pool)
{
    resource_list asked = s->raw.shapes.items[pod_at(&s->raw, e->pod)->shape].requests;
    for (uint32_t i = 0; i < asked.count && !e->refused; i++) {
        const resource_amount *r = &asked.items[i];
        room most = most_of(s, m, pool, r->resource);
        if (most.type == NO_ID || amount_cmp(r->value, most.left) <= 0) continue;
        strbuf b = strbuf_on(e->context);
        karp_str resource = strings_get(&s->raw.resources, r->resource);
        strbuf_adds(&b, amount_sign(most.left) > 0 ? "the types of NodePool " : "no type of NodePool ");
        strbuf_addstr(&b, pool_name(s, pool));
        strbuf_adds(&b, amount_sign(most.left) > 0 ? " have at most " : " has ");
        if (amount_sign(most.left) > 0) {
            show_amount(&b, most.left, is_bytes(s, r->resource));
            strbuf_addc(&b, ' ');
        }
        strbuf_addstr(&b, resource);
        if (amount_sign(most.left) > 0) {
            strbuf_adds(&b, " for pods, and the pod requests ");
            add_quantity(&b, r->value, r->binary);
            show_room(&b, s, m, r->resource, &most);
            if (equal_str(resource, str("ephemeral-storage"))) show_disk(&b, s, pool);
        }
        record_cause(e, KARP_PLACEMENT_TYPE, &b);
    }
}

void size_causes(karp_pod_explanation *e, const karp_snapshot *s, uint32_t pool)
{
    market m = { .set = EMPTY_SET };
    demand d = { EMPTY_SET, NO_ID };
    if (s->pool_table[pool] == NO_ID) return;
    m.table = &s->tables[s->pool_table[pool]];
    if (!algebra_init(&m.algebra, e->context, &s->facts, &s->algebra) ||
        !demand_of_expressions(&m.algebra, s->raw.pools.items[pool].requirements, &d))
        e->refused = true;
    m.set = d.set;
    if (!e->refused) too_large(e, s, &m, pool);
    if (!e->refused) daemons_beside(e, s, &m, pool);
    e->refused = e->refused || m.algebra.failed;
    algebra_free(&m.algebra);
}
