/* SPDX-License-Identifier: Apache-2.0 */
/* Node requirements of a pod's volumes. */
#include <model/prepare.h>

#include <base/sort.h>

enum { MOST_ALTERNATIVES = 4096 }; /* larger products of alternatives are rejected; real pods do not come near */

/* The alternatives for the volumes processed so far. */
struct alternatives {
    demand items[MOST_ALTERNATIVES];
    uint32_t count;
};

enum { FEW_EXPRESSIONS = 16 };

bool demand_of_expressions(algebra *a, expression_list list, demand *into)
{
    uint32_t few[FEW_EXPRESSIONS], hosts = 0, others = 0;
    size_t bytes = list.count * sizeof *few;
    uint32_t *made = list.count <= FEW_EXPRESSIONS ? few : mem_alloc(a->context, bytes);
    if (made == NULL) a->failed = true;
    for (uint32_t i = 0; i < list.count && !a->failed; i++) {
        const expression *e = &list.items[i];
        uint32_t r = requirement_make(a, e->key, e->op, e->values, e->value_count, e->min_values);
        if (r == NO_ID) break;
        if (requirement_get(a, r)->key == a->facts->hostname) made[list.count - ++hosts] = r; /* added from the end */
        else made[others++] = r;
    }
    bool all = hosts + others == list.count && !a->failed;
    if (all) {
        demand d = { set_of_all(a, made, others), requirement_of_all(a, made + others, hosts) };
        all = demand_meet(a, into, d);
    }
    if (made != few) mem_free(a->context, made, bytes);
    return all;
}

enum { FEW_LABELS = 64 };

/* The requirements of those labels that decisions read, without host names; in `few`, or in the arena if there are
 * more. NULL = out of memory. */
static uint32_t *requirements_of(algebra *a, label_list labels, const uint8_t *interest, uint32_t few[FEW_LABELS],
                                 size_t *count, uint32_t *host)
{
    uint32_t *list = labels.count <= FEW_LABELS ? few : arena_alloc(&a->data, labels.count * sizeof *list);
    *count = 0;
    *host = NO_ID;
    for (uint32_t i = 0; list != NULL && i < labels.count; i++) {
        if (interest != NULL && !interest[labels.items[i].key]) continue;
        uint32_t r = requirement_in(a, labels.items[i].key, labels.items[i].value);
        if (r == NO_ID) return NULL;
        if (requirement_get(a, r)->key != a->facts->hostname) list[(*count)++] = r;
        else *host = *host == NO_ID ? r : requirement_meet(a, *host, r);
    }
    if (list == NULL) a->failed = true;
    return list;
}

bool demand_of_labels(algebra *a, label_list list, demand *into)
{
    size_t count;
    uint32_t few[FEW_LABELS];
    if (list.count == 0) return true;
    demand all = { EMPTY_SET, NO_ID };
    uint32_t *requirements = requirements_of(a, list, NULL, few, &count, &all.host);
    if (requirements == NULL) return false;
    all.set = set_of_all(a, requirements, count);
    return demand_meet(a, into, all);
}

uint32_t set_of_labels(algebra *a, label_list labels, const uint8_t *interest)
{
    size_t count;
    uint32_t host, few[FEW_LABELS];
    if (labels.count == 0) return EMPTY_SET;
    uint32_t *requirements = requirements_of(a, labels, interest, few, &count, &host);
    if (requirements == NULL) return NO_ID;
    uint32_t set = set_of_all(a, requirements, count);
    return a->failed ? NO_ID : set;
}

uint32_t known_set_of_labels(const algebra *a, label_list labels, const uint8_t *interest)
{
    set_entry entries[FEW_LABELS];
    size_t count = 0;
    for (uint32_t i = 0; i < labels.count; i++) {
        uint32_t key = a->facts->normalized[labels.items[i].key];
        if (!interest[labels.items[i].key] || key == a->facts->hostname) continue;
        uint32_t r = requirement_find_in(a, key, labels.items[i].value);
        if (r == NO_ID || count == FEW_LABELS) return NO_ID;
        size_t at = count++;
        for (; at > 0 && entries[at - 1].key >= key; at--) {
            /* two keys with the same normalized key: their intersection is not looked up */
            if (entries[at - 1].key == key) return NO_ID;
            entries[at] = entries[at - 1];
        }
        entries[at] = (set_entry){ key, r };
    }
    return words_find(&a->sets, (const uint32_t *)(const void *)entries, count * 2);
}

/* The alternatives of one volume; none = unconstrained. */
struct volume_choice {
    node_term_list terms;
    bool local; /* expressions on the host name are ignored */
};

static bool find_choice(const store *raw, uint32_t name_space, uint32_t claim_name, struct volume_choice *out)
{
    *out = (struct volume_choice){ .local = false };
    uint32_t c = store_find(raw, KIND_VOLUME_CLAIM, name_space, claim_name);
    if (c == NO_ID) return false;
    const volume_claim *claim = &raw->volume_claims.items[c];
    if (claim->volume != 0) {
        uint32_t v = store_find(raw, KIND_VOLUME, NO_TEXT, claim->volume);
        if (v == NO_ID) return false;
        out->terms = raw->volumes_bound.items[v].terms;
        out->local = raw->volumes_bound.items[v].local;
        return true;
    }
    if (claim->storage_class == 0) return true;
    uint32_t sc = store_find(raw, KIND_STORAGE_CLASS, NO_TEXT, claim->storage_class);
    if (sc == NO_ID) return false;
    out->terms = raw->storage_classes.items[sc].topologies;
    return true;
}

static bool term_demand(karp_snapshot *s, const node_term *term, bool local, demand *out)
{
    *out = (demand){ EMPTY_SET, NO_ID };
    if (!demand_of_expressions(&s->algebra, term->expressions, out)) return false;
    if (local) out->host = NO_ID;
    return true;
}

static bool demands_agree(algebra *a, demand x, demand y)
{
    if (x.host != NO_ID && y.host != NO_ID && !requirement_agree(a, x.host, y.host)) return false;
    return set_agree(a, x.set, y.set);
}

static bool demands_equal(demand x, demand y) { return x.set == y.set && x.host == y.host; }

/* Of equal alternatives the first and the last are kept. The first compatible one is used, and if there is none, the
 * last one determines the reason. */
static bool add_alternative(struct alternatives *list, demand d)
{
    uint32_t seen = 0, second = 0;
    if (list->count > 0 && demands_equal(list->items[list->count - 1], d)) return true;
    for (uint32_t i = 0; i < list->count; i++) {
        if (demands_equal(list->items[i], d) && ++seen == 2) second = i;
    }
    if (seen == 2)
        memmove(&list->items[second], &list->items[second + 1], (--list->count - second) * sizeof list->items[0]);
    if (list->count == MOST_ALTERNATIVES) return false;
    list->items[list->count++] = d;
    return true;
}

/* Multiplies the alternatives so far by the terms of one more volume. Contradictory results are dropped, unless all
 * are contradictory; then (`all`) they are kept. */
static karp_status multiply(karp_snapshot *s, const struct volume_choice *choice, bool all,
                            const struct alternatives *before, struct alternatives *after)
{
    after->count = 0;
    for (uint32_t i = 0; i < before->count; i++) {
        for (uint32_t t = 0; t < choice->terms.count; t++) {
            demand d, both = before->items[i];
            if (choice->terms.items[t].expressions.count == 0) continue;
            if (!term_demand(s, &choice->terms.items[t], choice->local, &d)) return KARP_E_NOMEM;
            if (!all && !demands_agree(&s->algebra, both, d)) continue;
            if (!demand_meet(&s->algebra, &both, d)) return KARP_E_NOMEM;
            if (!add_alternative(after, both)) return KARP_E_LIMIT;
        }
    }
    return KARP_OK;
}

static bool constrains(const struct volume_choice *choice)
{
    for (uint32_t t = 0; t < choice->terms.count; t++) {
        if (choice->terms.items[t].expressions.count > 0) return true;
    }
    return false;
}

karp_status volume_alternatives(karp_snapshot *s, uint32_t name_space, const uint32_t *claims, size_t count,
                                const demand **out, uint32_t *out_count, bool *found, bool *contradictory)
{
    karp_status status = KARP_OK;
    struct alternatives *pair = mem_alloc(s->context, 2 * sizeof *pair);
    if (pair == NULL) return KARP_E_NOMEM;
    pair[0].count = 1;
    pair[0].items[0] = (demand){ EMPTY_SET, NO_ID };
    unsigned now = 0;
    bool constrained = false;
    *found = true;
    *contradictory = false;
    *out = NULL;
    *out_count = 0;
    for (size_t i = 0; i < count && status == KARP_OK; i++) {
        struct volume_choice choice;
        if (!find_choice(&s->raw, name_space, claims[i], &choice)) {
            *found = false;
            break;
        }
        if (!constrains(&choice)) continue;
        constrained = true;
        status = multiply(s, &choice, false, &pair[now], &pair[1 - now]);
        if (status == KARP_OK && pair[1 - now].count == 0) {
            *contradictory = true;
            status = multiply(s, &choice, true, &pair[now], &pair[1 - now]);
        }
        now = 1 - now;
    }
    if (status == KARP_OK && *found && constrained) {
        *out = arena_copy(&s->data, pair[now].items, pair[now].count * sizeof(demand));
        *out_count = *out != NULL ? pair[now].count : 0;
        if (*out == NULL) status = KARP_E_NOMEM;
    }
    mem_free(s->context, pair, 2 * sizeof *pair);
    return status;
}

uint32_t volume_driver(const store *raw, uint32_t name_space, uint32_t claim_name, bool *found)
{
    uint32_t c = store_find(raw, KIND_VOLUME_CLAIM, name_space, claim_name);
    if (c == NO_ID) return NO_TEXT; /* a claim that does not exist is not counted */
    const volume_claim *claim = &raw->volume_claims.items[c];
    if (claim->volume != 0) {
        uint32_t v = store_find(raw, KIND_VOLUME, NO_TEXT, claim->volume);
        if (v == NO_ID) {
            *found = false;
            return NO_TEXT;
        }
        return raw->volumes_bound.items[v].driver;
    }
    if (claim->storage_class == 0) return NO_TEXT;
    uint32_t sc = store_find(raw, KIND_STORAGE_CLASS, NO_TEXT, claim->storage_class);
    return sc == NO_ID ? NO_TEXT : raw->storage_classes.items[sc].driver;
}

/* Whether the term allows nodes with this value of the label. Expressions on other labels are not considered. */
static bool term_allows(const karp_snapshot *s, const node_term *term, uint32_t key, uint32_t value)
{
    for (uint32_t i = 0; i < term->expressions.count; i++) {
        const expression *e = &term->expressions.items[i];
        if (s->facts.normalized[e->key] != key) continue;
        if (e->op == KARP_OP_IN && !ids_have(e->values, e->value_count, value)) return false;
        if (e->op == KARP_OP_NOT_IN && ids_have(e->values, e->value_count, value)) return false;
        if (e->op == KARP_OP_DOES_NOT_EXIST) return false;
    }
    return true;
}

bool claim_excludes(const karp_snapshot *s, uint32_t name_space, uint32_t claim_name, uint32_t key, uint32_t value)
{
    struct volume_choice choice;
    if (!find_choice(&s->raw, name_space, claim_name, &choice) || !constrains(&choice)) return false;
    for (uint32_t t = 0; t < choice.terms.count; t++) {
        if (choice.terms.items[t].expressions.count > 0 && term_allows(s, &choice.terms.items[t], key, value))
            return false;
    }
    return true;
}
