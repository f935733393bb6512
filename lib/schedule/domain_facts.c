/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/domain_facts.h>

#include <schedule/hosts.h>
#include <schedule/label_groups.h>
#include <schedule/scheduler.h>
#include <schedule/topology.h>

void domain_facts_init(domain_facts *f, karp_context *context)
{
    *f = (domain_facts){ .context = context };
    arena_init(&f->data, context);
    map64_init(&f->of_key, context);
    map64_init(&f->of_group, context);
}

void domain_facts_free(domain_facts *f)
{
    list_free(f->context, &f->sources, sizeof(domain_source *));
    list_free(f->context, &f->counted, sizeof(counted_pod *));
    map64_free(&f->of_key);
    map64_free(&f->of_group);
    arena_free(&f->data);
}

/* ---- where domains come from ------------------------------------------------------------------------------------- */

static void note_node(scheduler *s, const domain_key *k, uint32_t key_index, uint32_t number, domain_source *list)
{
    uint32_t text = node_label(s, s->snapshot->nodes[number].labels, key_index);
    uint32_t d = text == NO_ID ? NO_ID : map64_get(&k->numbers, text), h = s->hosts.of_node[number];
    if (d == NO_ID || (h != NO_ID && !host_stays(s, h))) return; /* a domain outlives nodes that are removed */
    if (list[d].node_count++ == 0) list[d].node = number; /* state nodes are sorted by name */
}

static void note_pool(domain_source *d, uint32_t pool, bool names)
{
    if (d->pool_count++ == 0 || (names && !d->named)) d->pool = pool;
    d->named = d->named || names;
}

/* The domains that a NodePool makes known, as build_universe() registers them. */
static bool note_template(scheduler *s, const template_ *t, uint32_t key_index, domain_source *list)
{
    const domain_key *k = &s->topology.keys[key_index];
    uint64_t *bits = arena_array(&s->data, bits_words(k->count) + 1, sizeof *bits);
    uint32_t base;
    if (bits == NULL || t->table == NULL) return bits != NULL;
    if (!pool_domain_bits(s, key_index, t->pool, t->table, bits, &base)) return false;
    const requirement *r = base == NO_ID ? NULL : requirement_get(&s->algebra, base);
    for (size_t d = bits_next(bits, k->count, 0); d < k->count; d = bits_next(bits, k->count, d + 1))
        note_pool(&list[d], t->pool, r != NULL && !r->complement && requirement_has(&s->algebra, r, k->values[d]));
    return true;
}

const domain_source *domain_sources(scheduler *s, domain_facts *f, uint32_t key_index)
{
    uint32_t known = map64_get(&f->of_key, key_index);
    if (known != NO_ID) return f->sources.items[known];
    const domain_key *k = &s->topology.keys[key_index];
    domain_source *list = arena_array(&f->data, k->count + (size_t)1, sizeof *list);
    domain_source **slot = list == NULL ? NULL : list_push(f->context, &f->sources, sizeof *slot);
    if (slot == NULL || !map64_put(&f->of_key, key_index, (uint32_t)(f->sources.count - 1))) return NULL;
    *slot = list;
    for (uint32_t d = 0; d < k->count; d++) list[d].node = list[d].pool = NO_ID;
    for (uint32_t n = 0; n < s->snapshot->node_count; n++) note_node(s, k, key_index, n, list);
    for (uint32_t t = 0; t < s->templates.count; t++) {
        if (!note_template(s, &s->templates.items[t], key_index, list)) return NULL;
    }
    for (uint32_t t = 0; t < s->templates.dropped_count; t++) {
        if (!note_template(s, &s->templates.dropped[t], key_index, list)) return NULL;
    }
    return list;
}

/* ---- which pods are counted -------------------------------------------------------------------------------------- */

/* Sorts the pods that the round placed by label group. */
static bool list_placed(scheduler *s, domain_facts *f)
{
    if (f->placed_first != NULL) return true;
    if (!placement_settle(s)) return false;
    size_t groups = s->topology.label_groups.count;
    uint32_t *first = arena_array(&f->data, groups + 2, sizeof *first);
    f->placed = arena_array(&f->data, s->pods.count + (size_t)1, sizeof *f->placed);
    if (first == NULL || f->placed == NULL) return false;
    for (uint32_t i = 0; i < s->pods.count; i++) {
        if (s->placement.places[s->pods.items[i]].where != PLACE_NONE)
            first[label_group_of_pod(s, s->pods.items[i]) + 2]++;
    }
    for (size_t i = 2; i < groups + 2; i++) first[i] += first[i - 1];
    for (uint32_t i = 0; i < s->pods.count; i++) {
        uint32_t p = s->pods.items[i];
        if (s->placement.places[p].where != PLACE_NONE) f->placed[first[label_group_of_pod(s, p) + 1]++] = p;
    }
    f->placed_first = first;
    return true;
}

/* Sorts the classes by the inverse groups that they own. */
static bool list_owners(const scheduler *s, domain_facts *f)
{
    if (f->owner_first != NULL) return true;
    size_t groups = s->topology.groups.count, classes = s->snapshot->class_count, total = 0;
    uint32_t *first = arena_array(&f->data, groups + 2, sizeof *first);
    for (size_t c = 0; c < classes && first != NULL; c++) {
        const class_state *k = &s->pods.classes[c];
        for (uint32_t i = 0; i < k->inverse_count; i++, total++) first[k->inverse_owned[i] + 2]++;
    }
    f->owners = arena_array(&f->data, total + 1, sizeof *f->owners);
    if (first == NULL || f->owners == NULL) return false;
    for (size_t i = 2; i < groups + 2; i++) first[i] += first[i - 1];
    for (size_t c = 0; c < classes; c++) {
        const class_state *k = &s->pods.classes[c];
        for (uint32_t i = 0; i < k->inverse_count; i++) f->owners[first[k->inverse_owned[i] + 1]++] = (uint32_t)c;
    }
    f->owner_first = first;
    return true;
}

const group *domain_span(const scheduler *s, const group *g)
{
    return g->wider == NO_ID || g->inverse ? g : &s->topology.groups.items[g->wider];
}

/* A group, and the first pod that it counts in each domain. */
typedef struct tally {
    scheduler *s;
    const group *g, *span;
    counted_pod *list;
} tally;

static void note_pod(const tally *t, uint32_t domain, counted_pod p)
{
    if (domain - t->span->base >= t->span->capacity) return;
    counted_pod *c = &t->list[domain - t->span->base];
    const uint32_t *rank = t->s->snapshot->pod_rank;
    if (c->pod == NO_ID || rank[p.pod] < rank[c->pod]) *c = p;
}

/* The values that the requirements leave; topology_record() counts the pod in the same ones. */
static void note_values(const tally *t, uint32_t set, counted_pod p)
{
    const domain_key *k = &t->s->topology.keys[t->g->key];
    uint32_t id = set_get(&t->s->algebra, set, k->key);
    if (id == NO_ID) return;
    const requirement *r = requirement_get(&t->s->algebra, id);
    if (t->g->kind != GROUP_ANTI && (r->complement || r->value_count != 1)) return;
    for (uint32_t i = 0; i < r->value_count; i++) {
        uint32_t d = map64_get(&k->numbers, r->values[i]);
        if (d != NO_ID) note_pod(t, d, p);
    }
}

static void note_placed(const tally *t, uint32_t number)
{
    scheduler *s = t->s;
    place p = s->placement.places[number];
    if (p.where == PLACE_HOST) {
        const host *h = &s->hosts.items[p.target];
        if (t->g->host) note_pod(t, h->number, (counted_pod){ number, NO_ID });
        else note_values(t, h->set, (counted_pod){ number, NO_ID });
    } else if (p.where == PLACE_CLAIM) {
        const claim *c = &s->claims.list.items[p.target];
        if (t->g->host) note_pod(t, c->number, (counted_pod){ number, p.target });
        else note_values(t, c->set, (counted_pod){ number, p.target });
    }
}

static void note_bound(const tally *t, uint32_t number)
{
    if (exclusion(&t->s->pods, number) != 0 && leaves_its_count(t->s, number)) return;
    uint32_t d = seed_of_pod(t->s, t->span, number);
    if (d != NO_ID) note_pod(t, d, (counted_pod){ number, NO_ID });
}

/* The pods of one label group; of one class if `only` is not NO_ID. */
static void note_label_group(const tally *t, const domain_facts *f, uint32_t number, uint32_t only)
{
    const scheduler *s = t->s;
    const uint32_t *bound = &s->topology.bound_first[number], *placed = &f->placed_first[number],
                   *class_of = s->snapshot->pod_class;
    for (uint32_t i = bound[0]; i < bound[1]; i++) {
        uint32_t p = s->topology.bound_pods[i];
        if (only == NO_ID || class_of[p] == only) note_bound(t, p);
    }
    for (uint32_t i = placed[0]; i < placed[1]; i++) {
        if (only == NO_ID || class_of[f->placed[i]] == only) note_placed(t, f->placed[i]);
    }
}

const counted_pod *domain_pods(scheduler *s, domain_facts *f, uint32_t group_number)
{
    uint32_t known = map64_get(&f->of_group, group_number);
    if (known != NO_ID) return f->counted.items[known];
    const group *g = &s->topology.groups.items[group_number];
    const group *span = domain_span(s, g);
    tally t = { s, g, span, arena_array(&f->data, span->capacity + (size_t)1, sizeof(counted_pod)) };
    counted_pod **slot = t.list == NULL ? NULL : list_push(f->context, &f->counted, sizeof *slot);
    if (slot == NULL || !map64_put(&f->of_group, group_number, (uint32_t)(f->counted.count - 1))) return NULL;
    *slot = t.list;
    for (uint32_t d = 0; d < span->capacity; d++) t.list[d] = (counted_pod){ NO_ID, NO_ID };
    if (!topology_list_bound(s) || !list_placed(s, f) || !list_owners(s, f)) return NULL;
    if (g->inverse) {
        for (uint32_t i = f->owner_first[group_number]; i < f->owner_first[group_number + 1]; i++)
            note_label_group(&t, f, s->pods.classes[f->owners[i]].label_group, f->owners[i]);
        return t.list;
    }
    label_group_list near = label_groups_for(s, g);
    for (uint32_t i = 0; i < near.count; i++) {
        uint32_t number = label_group_list_at(near, i);
        if (group_selects(s, g, &s->topology.label_groups.items[number])) note_label_group(&t, f, number, NO_ID);
    }
    return s->failed ? NULL : t.list;
}
