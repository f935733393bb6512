/* SPDX-License-Identifier: Apache-2.0 */
/* Finalizing claims after the loop. */
#include <schedule/policy.h>
#include <schedule/pricing.h>
#include <schedule/scheduler.h>
#include <schedule/solve.h>

#include <schedule/templates.h>
#include <schedule/types.h>
#include <string.h>

enum { MAX_INSTANCE_TYPES = 600 };

uint32_t claim_final_set(scheduler *s, uint32_t set, const uint32_t *reserved, uint32_t count)
{
    const known_text *k = &s->snapshot->known;
    if (count == 0) return set;
    set = set_replace(&s->algebra, set, requirement_in(&s->algebra, k->capacity_type, k->reserved));
    uint32_t *ids = arena_array(&s->round.data, count, sizeof *ids);
    if (ids == NULL) {
        s->failed = true;
        return set;
    }
    for (uint32_t i = 0; i < count; i++) ids[i] = s->reservations.texts[reserved[i]];
    return set_add(&s->algebra, set,
                   requirement_make(&s->algebra, s->snapshot->raw.reservation_id, KARP_OP_IN, ids, count, 0));
}

/* The resources that both lists have, each with the smaller amount. */
static resource_list list_minimum(arena *a, resource_list x, resource_list y, bool *ok)
{
    resource_amount *items = arena_array(a, x.count + (size_t)1, sizeof *items);
    uint32_t n = 0;
    *ok = items != NULL;
    for (uint32_t i = 0; i < x.count && items != NULL; i++) {
        const resource_amount *other = resource_list_find(y, x.items[i].resource);
        if (other == NULL) continue;
        items[n++] = amount_cmp(x.items[i].value, other->value) <= 0 ? x.items[i] : *other;
    }
    return (resource_list){ items, n };
}

/* The requests of daemons: the minimum over groups with a remaining type, in catalogue order. An empty sum is
 * replaced instead of intersected (ND-8). */
static bool daemon_share(const template_ *t, const uint64_t *fitting, arena *a, resource_list *out)
{
    uint64_t common;
    size_t words_ = template_words(t);
    bool ok = true;
    *out = (resource_list){ NULL, 0 };
    for (uint32_t g = 0; g < t->group_count && ok; g++) {
        common = 0;
        for (size_t w = 0; w < words_; w++) common |= t->groups[g].bits[w] & fitting[w];
        if (common == 0) continue;
        if (out->count == 0) *out = t->groups[g].overhead;
        else *out = list_minimum(a, *out, t->groups[g].overhead, &ok);
    }
    return ok;
}

/* Converts the claim's vector to amounts. */
static bool claim_requests(scheduler *s, const claim *c, arena *a, resource_list *out)
{
    resource_amount *items = arena_array(a, s->vectors.dims + (size_t)1, sizeof *items);
    uint32_t n = 0;
    if (items == NULL) return false;
    for (uint32_t r = 0; r < s->snapshot->raw.resources.count;
         r++) { /* lists are sorted by resource id, vectors are not */
        uint32_t d = s->vectors.index_of[r];
        if (d == NO_ID || s->vectors.resources[d] != r || c->requests[d] == 0) continue;
        if (!amount_mul(s->snapshot->units[r], (uint64_t)c->requests[d], &items[n].value)) return false;
        items[n].resource = r;
        items[n++].binary = c->binary[d] == 1;
    }
    *out = (resource_list){ items, n };
    return true;
}

static uint64_t *types_bits(const type_table *t, const uint32_t *types, uint32_t count, arena *a)
{
    uint64_t *bits = arena_array(a, bits_words(t->variant_count) + 1, sizeof *bits);
    for (uint32_t i = 0; i < count && bits != NULL; i++) {
        const instance_type *y = &t->types[types[i]];
        for (uint32_t v = 0; v < y->variant_count; v++) bits_set(bits, y->variant_first + v);
    }
    return bits;
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

bool final_lists_init(final_lists *l, scheduler *s, arena *a)
{
    size_t widest = 0;
    memset(l, 0, sizeof *l);
    words_init(&l->keys, s->context);
    words_init(&l->claim_keys, s->context);
    for (uint32_t t = 0; t < s->templates.count; t++) {
        size_t words_ = template_words(&s->templates.items[t]);
        widest = words_ > widest ? words_ : widest;
    }
    size_t of_list = 2 + 2 * widest, of_like = 4 + 3 * (size_t)s->vectors.dims;
    l->fitting = arena_array(a, widest + 1, sizeof *l->fitting);
    l->key = arena_array(a, of_list > of_like ? of_list : of_like, sizeof *l->key);
    return l->fitting != NULL && l->key != NULL;
}

void final_lists_free(final_lists *l)
{
    karp_context *context = l->keys.context;
    list_free(context, &l->lists, sizeof *l->lists.items);
    list_free(context, &l->firsts, sizeof *l->firsts.items);
    words_free(&l->keys);
    words_free(&l->claim_keys);
}

/* The first claim with the same result; NO_ID = out of memory. */
static uint32_t first_like(scheduler *s, uint32_t claim_number, final_lists *l)
{
    const claim *c = &s->claims.list.items[claim_number];
    size_t amounts = 2 * (size_t)s->vectors.dims;
    if (s->claims.list.count == 1 || c->reserved_count > 0) return claim_number; /* it shares with no other */
    l->key[0] = c->template_;
    l->key[1] = c->set;
    l->key[2] = c->types;
    l->key[3] = c->relaxed_min_values;
    memcpy(l->key + 4, c->requests, s->vectors.dims * sizeof *c->requests);
    for (uint32_t d = 0; d < s->vectors.dims; d++) l->key[4 + amounts + d] = c->binary[d];
    uint32_t id = words_add(&l->claim_keys, l->key, 4 + amounts + s->vectors.dims);
    if (id == NO_ID || id < l->firsts.count) return id == NO_ID ? NO_ID : l->firsts.items[id];
    uint32_t *slot = list_push(s->context, &l->firsts, sizeof *slot);
    if (slot == NULL) return NO_ID;
    *slot = claim_number;
    return claim_number;
}

/* The template's types with a fitting variant, in price order, except that those come first that Karpenter would keep.
 * NULL = out of memory. */
static const uint32_t *sorted_types(scheduler *s, const template_ *t, uint32_t set, arena *a, const final_lists *l,
                                    uint32_t *count)
{
    uint32_t *types = types_by_price(s, t->table, l->fitting, set, a, count);
    if (types == NULL || !cut_by_price(s, t->table, types, *count, MAX_INSTANCE_TYPES, set)) return NULL;
    return types;
}

static bool list_types(scheduler *s, uint32_t template_number, uint32_t set, arena *a, final_lists *l,
                       struct final_list *out)
{
    const template_ *t = &s->templates.items[template_number];
    size_t words_ = template_words(t);
    if (s->claims.list.count == 1) { /* no other claim to share with */
        out->number = 0;
        out->types = sorted_types(s, t, set, a, l, &out->count);
        return out->types != NULL;
    }
    l->key[0] = template_number;
    l->key[1] = set;
    memcpy(l->key + 2, l->fitting, words_ * sizeof *l->fitting);
    uint32_t id = words_add(&l->keys, l->key, 2 + 2 * words_);
    if (id == NO_ID) return false;
    if (id == l->lists.count) {
        struct final_list *fresh = list_push(s->context, &l->lists, sizeof *fresh);
        if (fresh == NULL) return false;
        fresh->number = id + 1;
        fresh->types = sorted_types(s, t, set, a, l, &fresh->count);
    }
    *out = l->lists.items[id];
    return out->types != NULL;
}

static bool finalize(scheduler *s, uint32_t claim_number, arena *a, final_lists *lists, final_claim *out)
{
    claim *c = &s->claims.list.items[claim_number];
    const template_ *t = &s->templates.items[c->template_];
    resource_list daemons, pods;
    typeset_fitting(s, c->types, c->requests, lists->fitting);
    *out = (final_claim){ .claim = claim_number,
                          .set = claim_final_set(s, c->set, c->reserved, c->reserved_count),
                          .same_as = claim_number };
    struct final_list listed;
    if (s->failed || !list_types(s, c->template_, out->set, a, lists, &listed) || s->failed || s->algebra.failed)
        return false;
    uint32_t all = listed.count;
    out->types = listed.types;
    out->list = listed.number;
    out->all_count = all;
    out->type_count = all > MAX_INSTANCE_TYPES ? MAX_INSTANCE_TYPES : all;
    if (s->policy != NULL && !policy_listed(s, t->table, out->types, out->set, &out->type_count)) return false;
    if (!daemon_share(t, lists->fitting, a, &daemons) || !claim_requests(s, c, a, &pods)) return false;
    out->requests = pods;
    if (daemons.count > 0 && resource_list_sum(a, pods, daemons, &out->requests) != KARP_OK) return false;
    /* minValues were satisfied before devices excluded some types, and before the claim was restricted to its
     * reservations. Karpenter checks them again only here. */
    bool fewer = all > MAX_INSTANCE_TYPES || s->devices != NULL || c->reserved_count > 0;
    if (!fewer || s->settings.best_effort_min_values || !set_has_min_values(s, out->set)) return true;
    const uint64_t *sent = types_bits(t->table, out->types, out->type_count, a);
    if (sent == NULL) return false;
    c->dropped = !min_values_met(s, t, sent, out->set, NULL);
    return !s->failed;
}

bool claim_finalize(scheduler *s, uint32_t claim_number, arena *a, final_lists *lists, final_claim *all)
{
    uint32_t like = first_like(s, claim_number, lists);
    if (like == NO_ID) return false;
    if (like == claim_number) return finalize(s, claim_number, a, lists, &all[claim_number]);
    all[claim_number] = all[like];
    all[claim_number].claim = claim_number;
    s->claims.list.items[claim_number].dropped = s->claims.list.items[like].dropped;
    return true;
}
